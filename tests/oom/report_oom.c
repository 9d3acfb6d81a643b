/* SPDX-License-Identifier: MIT */
/* Allocations of reports fail in turn: an error every time, no report, and no leak. A report makes many thousands of them, most in calls that
 * have tests of their own, so that every one is failed up to a number, and further on one in several. */
#include "model_support.h"

#include <credence/html_report.h>

static const char ROWS[] = "x,c,y\n1,u,k\n5,v,l\n2,u,k\n4,v,l\n3,u,k\n6,w,l\n1,u,l\n5,v,k\n";
static const char NETWORK[] =
    "network n {}\nvariable a { type discrete [ 2 ] { x, y }; }\nvariable b { type discrete [ 2 ] { x, y }; }\n"
    "probability ( a ) { table 0.25, 0.75; }\nprobability ( b | a ) { (x) 0.5, 0.5; (y) 0.1, 0.9; }\n";
static const char CASES[] = "a,b\nx,y\ny,y\ny,x\n";

enum { OF_ROWS, OF_MODEL, OF_NETWORK, KINDS };

static crd_status open_rows(crd_context *context, const char *text, crd_reader **out, crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.threads = 1;
    return crd_reader_open_memory(context, text, strlen(text), "rows", &options, out, error);
}

static crd_status make(crd_context *context, int kind, char **html, crd_error *error) {
    crd_report_options options = CRD_REPORT_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_network *network = NULL;
    options.threads = 1;
    options.folds = 2;
    crd_status status = open_rows(context, kind == OF_NETWORK ? CASES : ROWS, &reader, error);
    if (kind == OF_ROWS) {
        if (status == CRD_OK) status = crd_reader_set_target(reader, 2, error);
        if (status == CRD_OK) status = crd_report_rows(context, reader, &options, html, error);
    } else if (kind == OF_MODEL) {
        if (status == CRD_OK) status = train_text(context, ROWS, "y", &model, error);
        if (status == CRD_OK) status = crd_report_model(model, reader, &options, html, error);
    } else {
        if (status == CRD_OK)
            status = crd_network_read(context, crd_text_of(NETWORK), "n", CRD_NETWORK_FORMAT_BIF, &network, error);
        if (status == CRD_OK) status = crd_report_network(network, reader, &options, html, error);
    }
    crd_network_destroy(network);
    crd_model_destroy(model);
    crd_reader_close(reader);
    return status;
}

static void allocations_fail(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (allocation_trial trial = {.dense = 40, .divisor = 15}; allocation_trial_next(&trial);) {
            char *html = NULL;
            crd_error error;
            assert_allocation_fails(&trial, make(trial.context, kind, &html, &error), CRD_OK, error);
            assert_true(trial.has_failed == (html == NULL));
            crd_free(trial.context, html);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
