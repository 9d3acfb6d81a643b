/* SPDX-License-Identifier: MIT */
/* Allocations of one process of a group fail while all of them leave rows out one by one, permute columns, or compare candidates: the others fail
 * as it does, with its error, and none waits for ever. */
#include "shortage_support.h"

#include <math.h>
#include <signal.h>

enum { ROWS = 30, STEP = 7 };

static char TABLE[ROWS * 16 + 32];

static void make_table(void) {
    size_t length = (size_t)snprintf(TABLE, sizeof TABLE, "a,x,y\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)snprintf(TABLE + length, sizeof TABLE - length, "%c,%d,%c\n", 'p' + i % 3, i * 7 % 11,
                                   'k' + i * 5 % 7 % 2);
}

static crd_status open_rows(crd_context *context, bool is_part, crd_reader **reader, crd_row_source **source,
                            crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.threads = 1;
    options.shard = is_part ? context->processes.communicator.rank + 1 : 0;
    options.shard_count = is_part ? context->processes.communicator.count : 0;
    crd_status status = crd_reader_open_memory(context, TABLE, strlen(TABLE), "rows", &options, reader, error);
    if (status == CRD_OK) status = crd_reader_select_target(*reader, crd_text_of("y"), error);
    if (status == CRD_OK) status = crd_row_source_create(*reader, source, error);
    is_together = status == CRD_OK;
    return status;
}

static crd_status leave_out(crd_context *context, const void *rows, crd_error *error) {
    crd_reader *reader = NULL;
    crd_row_source *source = NULL;
    crd_assessment *assessment = NULL;
    (void)rows;
    crd_status status = open_rows(context, true, &reader, &source, error);
    if (status == CRD_OK) status = crd_assessment_leaving_one_out(source, NULL, &assessment, error);
    if (status == CRD_OK) status = crd_assessment_run(assessment, NULL, error);
    crd_assessment_destroy(assessment);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    return status;
}

static crd_status permute(crd_context *context, const void *rows, crd_error *error) {
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_importance_options importance = CRD_IMPORTANCE_OPTIONS_INIT;
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_row_source *source = NULL;
    crd_assessment *assessment = NULL;
    (void)rows;
    split.folds = 2;
    importance.repeats = importance.threads = 1;
    options.importance = &importance;
    crd_status status = open_rows(context, false, &reader, &source, error);
    if (status == CRD_OK) status = crd_assessment_of_folds(source, NULL, &split, NULL, &assessment, error);
    if (status == CRD_OK) status = crd_assessment_run(assessment, &options, error);
    if (status == CRD_OK) status = crd_importance_run(crd_assessment_facts_of(assessment)->importance, error);
    crd_assessment_destroy(assessment);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    return status;
}

static crd_status compare(crd_context *context, const void *rows, crd_error *error) {
    static const char *const candidates[] = {"naive", "naive, platt"};
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_row_source *source = NULL;
    crd_comparison *comparison = NULL;
    (void)rows;
    split.folds = 2;
    options.split = &split;
    options.threads = 1;
    options.candidates = candidates;
    options.candidate_count = sizeof candidates / sizeof *candidates;
    crd_status status = open_rows(context, false, &reader, &source, error);
    if (status == CRD_OK) status = crd_comparison_create(source, &options, &comparison, error);
    if (status == CRD_OK) status = crd_comparison_run(comparison, error);
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    return status;
}

static void test_fails_together_leaving_out(void **state) {
    (void)state;
    make_table();
    fail_in_each_process(leave_out, NULL, STEP);
}

static void test_fails_together_permuting(void **state) {
    (void)state;
    make_table();
    fail_in_each_process(permute, NULL, STEP);
}

static void test_fails_together_comparing(void **state) {
    (void)state;
    make_table();
    fail_in_each_process(compare, NULL, STEP);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fails_together_leaving_out),
                                       cmocka_unit_test(test_fails_together_permuting),
                                       cmocka_unit_test(test_fails_together_comparing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
