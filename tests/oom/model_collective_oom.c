/* SPDX-License-Identifier: MIT */
/* Each allocation of one process of a group fails in turn, once or from then on, while all of them train a model of rows that they read in
 * parts, find a schema, or change a model: the others fail as it does, with its error, and none waits for ever. */
#include "shortage_support.h"

#include <signal.h>

enum { ROWS = 90 };

/* All processes read their rows several times: line ends between quotes, truth values in two spellings, and a column that is a category for
 * its last cell. One row is left out. */
static void write_rows(const char *path) {
    static const char *const words[] = {"yes", "no", "YES", "NO"};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "x,note,sure,kind\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d,\"a\nnote, \"\"of\"\"\n%d\",%s,%c\n", i * 37 % 101, i % 7,
                words[i % 2 + (i < ROWS / 2 ? 0 : 2)], 'u' + i % 3);
    fprintf(file, "1,2\nfew,\"a\nnote\",no,u\n");
    assert_int_equal(fclose(file), 0);
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
    options.shard = context->processes.communicator.rank + 1;
    options.shard_count = context->processes.communicator.count;
    options.bad_row = leave_out;
    crd_status status = crd_reader_open(context, &path, 1, &options, &reader, error);
    if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("kind"), error);
    if (status == CRD_OK) status = crd_reader_detect_column_formats(reader, 1, error);
    is_together = status == CRD_OK;
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, &model, NULL, error);
    assert_true((status == CRD_OK) == (model != NULL));
    crd_model_destroy(model);
    crd_reader_close(reader);
    return status;
}

/* The values of a column come from all parts. */
static crd_status find_schema(crd_context *context, const void *rows, crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_schema *schema = NULL;
    options.threads = 1;
    options.shard = context->processes.communicator.rank + 1;
    options.shard_count = context->processes.communicator.count;
    crd_status status = crd_reader_open_memory(context, rows, strlen(rows), "rows", &options, &reader, error);
    is_together = status == CRD_OK;
    if (status == CRD_OK) status = crd_schema_from_rows(reader, 1, &schema, error);
    assert_true((status == CRD_OK) == (schema != NULL));
    crd_schema_destroy(schema);
    crd_reader_close(reader);
    return status;
}

/* Learns rows, forgets them, or moves them to another class (sign 0). A change that fails in one process is made in none. */
static crd_status change(crd_context *context, const char *rows, int sign, crd_error *error) {
    crd_model *model = NULL;
    crd_reader *more = NULL;
    unsigned char *before = NULL, *after = NULL;
    size_t length = 0, length_after = 0;
    is_rich = true;
    crd_i_group *group = crd_i_group_leave(context);
    crd_status status = train_text(context, rows, "kind", &model, error);
    if (status == CRD_OK) status = crd_model_encode(model, &before, &length, error);
    const char *changed = sign == 0 ? "x,g\n1,a\n" : rows; /* rows that are moved state no class */
    if (status == CRD_OK)
        status = crd_reader_open_memory(context, changed, strlen(changed), "rows", NULL, &more, error);
    assert_int_equal(status, CRD_OK);
    crd_i_group_join(context, group);
    is_rich = false;
    is_together = true;
    status = sign > 0   ? crd_model_update_all(model, more, NULL, error)
             : sign < 0 ? crd_model_forget_all(model, more, NULL, error)
                        : crd_model_move_all(model, more, crd_text_of("u"), crd_text_of("w"), NULL, error);
    is_rich = true;
    assert_int_equal(crd_model_encode(model, &after, &length_after, NULL), CRD_OK);
    const bool is_as_before = length_after == length && memcmp(after, before, length) == 0;
    assert_true(is_as_before == (status != CRD_OK));
    is_rich = false;
    crd_free(context, before);
    crd_free(context, after);
    crd_reader_close(more);
    crd_model_destroy(model);
    return status;
}

static crd_status learn(crd_context *context, const void *rows, crd_error *error) {
    return change(context, rows, 1, error);
}

static crd_status forget(crd_context *context, const void *rows, crd_error *error) {
    return change(context, rows, -1, error);
}

static crd_status move(crd_context *context, const void *rows, crd_error *error) {
    return change(context, rows, 0, error);
}

static void test_fails_together_at_each_allocation(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "model_collective_oom.%ld.csv", (long)getpid());
    write_rows(path);
    for (int lasting = 0; lasting < 2; lasting++) {
        shortage trial = {
            .work = train, .rows = path, .poor = 1, .refused = 1, .is_lasting = lasting != 0, .ends = tmpfile()};
        assert_non_null(trial.ends);
        while (fails_together(&trial)) trial.refused += lasting ? 5 : 1;
        for (trial.poor = 0; trial.poor < SHORT_PROCESSES; trial.poor += 2) {
            trial.refused = trial.poor + 1;
            while (fails_together(&trial)) trial.refused += 17;
        }
        fclose(trial.ends);
    }
    remove(path);
}

static void test_fails_together_finding_schemas(void **state) {
    (void)state;
    fail_in_each_process(find_schema, "x,kind\n1,u\n2,v\n3,u\n4,w\n5,v\n6,z\n", SHORT_PROCESSES);
}

static void test_fails_together_changing_models(void **state) {
    (void)state;
    static const char rows[] = "x,g,kind\n1,a,u\n2,b,v\n,a,u\n";
    fail_in_each_process(learn, rows, SHORT_PROCESSES);
    fail_in_each_process(forget, rows, SHORT_PROCESSES);
    fail_in_each_process(move, rows, SHORT_PROCESSES);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fails_together_at_each_allocation),
                                       cmocka_unit_test(test_fails_together_finding_schemas),
                                       cmocka_unit_test(test_fails_together_changing_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
