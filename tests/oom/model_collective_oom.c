/* SPDX-License-Identifier: MIT */
/* Each allocation of one process of a group fails in turn, once or from then on, while all of them train a model of rows that they read in
 * parts: the others fail as it does, with its error, and none waits for ever. */
#include "shortage_support.h"

#include <signal.h>

enum { ROWS = 90 };

/* All processes read their rows several times: line ends between quotes, truth values in two spellings, and a column that is a category for
 * its last cell. One row is left out. */
static void write_rows(const char *path) {
    static const char *const words[] = {"yes", "no", "YES", "NO"};
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fprintf(to, "x,note,sure,kind\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(to, "%d,\"a\nnote, \"\"of\"\"\n%d\",%s,%c\n", i * 37 % 101, i % 7,
                words[i % 2 + (i < ROWS / 2 ? 0 : 2)], 'u' + i % 3);
    fprintf(to, "1,2\nfew,\"a\nnote\",no,u\n");
    assert_int_equal(fclose(to), 0);
}

static int leave_out(void *user, const crd_error *fault, crd_text row) {
    (void)user;
    (void)fault;
    (void)row;
    return 1;
}

static crd_status train(crd_context *context, const void *rows, crd_error *error) {
    const char *const path = rows;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    options.threads = 1;
    options.shard = context->communicator.rank + 1;
    options.shard_count = context->communicator.count;
    options.bad_row = leave_out;
    crd_status status = crd_reader_open(context, &path, 1, &options, &reader, error);
    if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("kind"), error);
    if (status == CRD_OK) status = crd_reader_find_forms(reader, 1, error);
    is_together = status == CRD_OK;
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, &model, NULL, error);
    assert_true((status == CRD_OK) == (model != NULL));
    crd_model_destroy(model);
    crd_reader_close(reader);
    return status;
}

static void test_fails_together_at_each_allocation(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "model_collective_oom.%ld.csv", (long)getpid());
    write_rows(path);
    for (int lasting = 0; lasting < 2; lasting++) {
        shortage of = {.work = train, .rows = path, .refused = 1, .is_lasting = lasting != 0, .ends = tmpfile()};
        assert_non_null(of.ends);
        while (fails_together(&of)) of.refused += lasting ? 5 : 1;
        fclose(of.ends);
    }
    remove(path);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fails_together_at_each_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
