/* SPDX-License-Identifier: MIT */
/* Processes of a group that read parts of one file: where their rows begin, kinds of columns that other parts decide, rows that are
 * left out, and failures: the model, the list and the error of one process. */
#include "collective_support.h"
#include "model_support.h"

#include "base/context.h"

#include <credence/hmm_train.h>
#include <credence/sequence.h>

#include <stdio.h>

enum { ROWS = 600, NAME_ROOM = 64 };

typedef struct table {
    char path[NAME_ROOM];
    bool skips;
    crd_status status;    /* how one process ends */
    crd_error error;      /* where it fails */
    size_t bad;           /* rows that it leaves out */
    unsigned char *bytes; /* of its model */
    size_t length;
} table;

static int count_bad(void *user, const crd_error *fault, crd_text row) {
    (void)row;
    size_t *count = user;
    *count = fault == NULL ? 0 : *count + 1;
    return 1;
}

static crd_status train(crd_context *context, const table *t, size_t *bad, crd_model **out, crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    const char *const paths[] = {t->path};
    crd_reader *reader = NULL;
    *out = NULL;
    *bad = 0;
    options.threads = 1;
    if (context->processes.communicator.count > 1) {
        options.shard = context->processes.communicator.rank + 1;
        options.shard_count = context->processes.communicator.count;
    }
    if (t->skips) options.bad_row = count_bad;
    options.bad_row_user = bad;
    crd_status status = crd_reader_open(context, paths, 1, &options, &reader, error);
    if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("kind"), error);
    if (status == CRD_OK) status = crd_reader_detect_column_formats(reader, 1, error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, out, NULL, error);
    crd_reader_close(reader);
    return status;
}

static bool is_as_alone(crd_context *context, void *state) {
    const table *t = state;
    crd_model *model;
    crd_error error = {.status = CRD_OK};
    size_t bad;
    const crd_status status = train(context, t, &bad, &model, &error);
    bool is = status == t->status;
    if (status == CRD_OK) {
        unsigned char *bytes = NULL;
        size_t length = 0;
        is = is && crd_model_encode(model, &bytes, &length, &error) == CRD_OK && length == t->length &&
             memcmp(bytes, t->bytes, length) == 0 && bad == (context->processes.communicator.rank == 0 ? t->bad : 0);
        crd_free(context, bytes);
    } else {
        is = is && error.line == t->error.line && strcmp(error.message, t->error.message) == 0;
    }
    crd_model_destroy(model);
    crd_context_destroy(context);
    return is;
}

static void check(const char *text, bool skips) {
    table t = {.skips = skips};
    crd_context *context;
    crd_model *model;
    snprintf(t.path, sizeof t.path, "model_collective.%ld.csv", (long)getpid());
    FILE *file = fopen(t.path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    t.status = train(context, &t, &t.bad, &model, &t.error);
    if (t.status == CRD_OK) assert_int_equal(crd_model_encode(model, &t.bytes, &t.length, &t.error), CRD_OK);
    for (unsigned count = 2; count <= 9; count += count < 3 ? 1 : 6) assert_true(run_group(count, is_as_alone, &t));
    crd_free(context, t.bytes);
    crd_model_destroy(model);
    crd_context_destroy(context);
    remove(t.path);
}

/* Rows in which every column is of one kind, but for those that the rows of `odd` replace. */
static char *make_rows(const char *cells, const char *odd, size_t index) {
    char *text = malloc(ROWS * 64 + 64), *destination = text + sprintf(text, "x,day,kind\n");
    for (size_t i = 0; i < ROWS; i++) {
        if (i == index) destination += sprintf(destination, "%s", odd);
        destination += sprintf(destination, cells, i * 37 % 101, i % 28 + 1, i % 3 == 0 ? "u" : "v");
    }
    return text;
}

static void check_rows(const char *cells, const char *odd, size_t index, bool skips) {
    char *text = make_rows(cells, odd, index);
    check(text, skips);
    free(text);
}

static void test_begins_at_rows(void **state) {
    (void)state;
    check_rows("%zu,2024-01-%02zu,%s\n", "", 0, false);
    /* Nearly every byte is between quotes. */
    check_rows("%zu,\"a\nline, \"\"of\"\" day\n%zu\nmore\",%s\n", "", 0, false);
    /* One row is longer than several parts. */
    char *row = malloc(40 * ROWS + 16), *destination = row + sprintf(row, "1,\"");
    for (size_t i = 0; i < ROWS; i++) destination += sprintf(destination, "%zu,%zu,never\n", i, i);
    sprintf(destination, "\",u\n");
    check_rows("%zu,%zu,%s\n", row, ROWS / 2, false);
    free(row);
    check("x,day,kind\n1,2,u\n2,3,v\n", false);
}

static void test_agrees_on_kinds(void **state) {
    (void)state;
    check_rows("%zu,2024-01-%02zu,%s\n", "word,never,w\n", ROWS - 2, false);
    check_rows("%zu,2024-01-%02zu,%s\n", "inf,2024-01-01,u\n", 3, false); /* at fault, with its line */
    char *text = make_rows("%zu,2024-01-%02zu,%s\n", "inf,2024-01-01,u\n", 3);
    memcpy(strstr(text, "100,2024"), "abc", 3); /* so that it is a category */
    check(text, false);
    free(text);
}

static void test_fails_and_leaves_out(void **state) {
    (void)state;
    check_rows("%zu,2024-01-%02zu,%s\n", "1,2\n", 500, false);
    check_rows("%zu,2024-01-%02zu,%s\n", "1,2\n", 500, true);
    check_rows("%zu,\"a\n%zu\",%s\n", "1,2\n3\n4,\"5\",6,7\n", 400, true);
    check("x,day,kind\n", false);
}

/* A process whose rows, or whose class, do not fit the model fails before the others' work, and so do they. */
static bool is_update_refused(crd_context *context, void *state) {
    static const char rows[] = "x,day,kind\n1,2,u\n2,3,v\n", others[] = "x,day\n1,2\n2,3\n";
    const bool is_other = context->processes.communicator.rank == 1;
    const char *input = is_other ? others : rows;
    const int way = *(const int *)state;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_error error = {.status = CRD_OK};
    bool is = train_text(context, rows, "kind", &model, &error) == CRD_OK &&
              crd_reader_open_memory(context, input, strlen(input), "rows", NULL, &reader, &error) == CRD_OK;
    const crd_status status = !is        ? CRD_ERROR_SYSTEM
                              : way == 0 ? crd_model_update_all(model, reader, NULL, &error)
                              : way == 1 ? crd_model_forget_all(model, reader, NULL, &error)
                                         : crd_model_move_all(model, reader, crd_text_of("u"),
                                                              crd_text_of(is_other ? "" : "v"), NULL, &error);
    is = is && status == (way < 2 ? CRD_ERROR_COLUMN : CRD_ERROR_ARGUMENT) && error.status == status;
    crd_reader_close(reader);
    crd_model_destroy(model);
    crd_context_destroy(context);
    return is;
}

static void test_refuses_changes_together(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++) assert_true(run_group(3, is_update_refused, &way));
}

static crd_status open_part(crd_context *context, const char *rows, size_t most, crd_reader **out, crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.threads = 1;
    options.shard = context->processes.communicator.rank + 1;
    options.shard_count = context->processes.communicator.count;
    options.max_categories = most;
    return crd_reader_open_memory(context, rows, strlen(rows), "rows", &options, out, error);
}

/* Values of rows that are not learned, since they have no target, count as well. */
static bool is_limit_kept(crd_context *context, void *state) {
    static const char rows[] = "g,kind\na,u\nb,v\na,u\nb,v\nc,\nc,\n";
    const size_t most = *(const size_t *)state;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_error error = {.status = CRD_OK};
    crd_status status = open_part(context, rows, most, &reader, &error);
    if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("kind"), &error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, &model, NULL, &error);
    const bool is = status == (most < 3 ? CRD_ERROR_LIMIT : CRD_OK) && strcmp(error.subject, most < 3 ? "g" : "") == 0;
    crd_model_destroy(model);
    crd_reader_close(reader);
    crd_context_destroy(context);
    return is;
}

static void test_counts_values_of_all(void **state) {
    (void)state;
    for (size_t most = 2; most <= 3; most++)
        for (unsigned count = 2; count <= 3; count++) assert_true(run_group(count, is_limit_kept, &most));
}

/* Sequences whose rows are sorted by time are dealt by their ids: any process may have the one whose fault comes first. */
static bool is_first_fault(crd_context *context, void *state) {
    static const char rows[] = "id,t,x,kind\na,1,1,u\na,1,2,v\nb,1,1,u\nb,1,2,v\nc,1,1,u\nc,1,1,v\nd,2,2,u\nd,2,1,v\n";
    crd_sequence_options where = CRD_SEQUENCE_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_error error = {.status = CRD_OK};
    (void)state;
    where.sequence = crd_text_of("id");
    where.time = crd_text_of("t");
    crd_status status = open_part(context, rows, 0, &reader, &error);
    if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("kind"), &error);
    if (status == CRD_OK) status = crd_sequence_train(context, reader, &where, NULL, &model, NULL, &error);
    const bool is = status != CRD_OK && error.line == 3;
    crd_model_destroy(model);
    crd_reader_close(reader);
    crd_context_destroy(context);
    return is;
}

static void test_fails_by_the_first_line(void **state) {
    (void)state;
    for (unsigned count = 2; count <= 5; count++) assert_true(run_group(count, is_first_fault, NULL));
}

static void append_subject(void *user, const crd_log_record *record) {
    char *subjects = user;
    if (record->code == CRD_LOG_MISSING_WORD)
        snprintf(subjects + strlen(subjects), NAME_ROOM - strlen(subjects), "%s ", record->subject);
}

/* Words that are taken for missing are noted by all, whosever rows they are in, in the order of columns. */
static bool is_noted(crd_context *context, void *state) {
    static const char rows[] = "a,b,x,kind\nred,p,1,u\nblue,None,2,u\nred,q,3,u\nNone,p,None,v\n";
    char subjects[NAME_ROOM] = "";
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *heard = NULL;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_error error = {.status = CRD_OK};
    (void)state;
    options.communicator = &context->processes.communicator;
    options.log = append_subject;
    options.log_user = subjects;
    crd_status status = crd_context_create(&options, &heard);
    if (status == CRD_OK) status = open_part(heard, rows, 0, &reader, &error);
    if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("kind"), &error);
    if (status == CRD_OK) status = crd_model_train(heard, reader, NULL, &model, NULL, &error);
    crd_model_destroy(model);
    crd_reader_close(reader);
    crd_context_destroy(heard);
    crd_context_destroy(context);
    return status == CRD_OK && strcmp(subjects, "a b ") == 0;
}

static void test_notes_words_of_all(void **state) {
    (void)state;
    for (unsigned count = 1; count <= 4; count++) assert_true(run_group(count, is_noted, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_at_rows),       cmocka_unit_test(test_agrees_on_kinds),
        cmocka_unit_test(test_fails_and_leaves_out), cmocka_unit_test(test_refuses_changes_together),
        cmocka_unit_test(test_counts_values_of_all), cmocka_unit_test(test_fails_by_the_first_line),
        cmocka_unit_test(test_notes_words_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
