/* SPDX-License-Identifier: MIT */
/* Updating a model gives the bytes of training on all rows at once, for every kind of model and column: over many random tables whose
 * columns have no values in some batches, or values of another kind. Rows that the model cannot learn in this way are rejected by
 * a message that names the column, and leave the model unchanged. */
#include "hostile_rows.h"
#include "model_support.h"
#include "sanitizer_support.h"

enum { ROUNDS = FEWER_IF_SANITIZED(6000), MOST_BATCHES = 3 };

typedef struct model_kind {
    const char *name;
    const char *settings[7]; /* name, value, ..., NULL */
    const char *kept;        /* further tallies; NULL: none */
    bool has_sequences, has_texts, has_cuts, has_weights;
} model_kind;

static const model_kind KINDS[] = {
    {.name = "naive", .settings = {NULL}},
    {.name = "naive, all tallies", .settings = {NULL}, .kept = "min-max,histogram,logs,signs"},
    {.name = "naive, joint tallies",
     .settings = {NULL},
     .kept = "joint-counts,cross-products,grouped-moments,pair-counts,row-table"},
    {.name = "kernel", .settings = {"family", "kernel", NULL}, .kept = "histogram"},
    {.name = "mixture", .settings = {"family", "mixture", NULL}, .kept = "histogram"},
    {.name = "lognormal", .settings = {"family", "lognormal", NULL}, .kept = "logs"},
    {.name = "joint", .settings = {"method", "joint", NULL}, .kept = "joint-counts"},
    {.name = "joint numbers", .settings = {"joint", "numbers", "covariance", "full", NULL}, .kept = "cross-products"},
    {.name = "aode", .settings = {"method", "aode", NULL}, .kept = "pair-counts"},
    {.name = "network", .settings = {"method", "network", "arcs", "y->p,y->q,q", NULL}},
    {.name = "weights", .settings = {NULL}, .has_weights = true},
    {.name = "texts", .settings = {NULL}, .has_texts = true},
    {.name = "intervals", .settings = {NULL}, .has_cuts = true},
    {.name = "sequences", .settings = {"method", "sequence", NULL}, .has_sequences = true},
    {.name = "sequences of order 2", .settings = {"method", "sequence", "order", "2", NULL}, .has_sequences = true},
};

/* ---- Tables ---- */

enum { MOST_ROWS = 24, CELL_ROOM = 64 };

/* Rows of the columns p, q, r, y, cut into batches. */
typedef struct update_batches {
    size_t count, ends[MOST_BATCHES];
    char rows[MOST_ROWS][CELL_ROOM * 4];
} update_batches;

static bool has_value(size_t sort, const char *value) {
    bool has = false;
    for (size_t i = 0; i < 4; i++) has = has || strcmp(HOSTILE_CELLS[sort][i], value) == 0;
    return has;
}

/* Of some sorts, a model does not store what training on all rows would use: `none` counts as missing until a column has categories, and
 * times are ignored in a column that had dates only. Decimal marks are the same in all columns. */
static bool is_drawn(size_t sort, bool has_commas) {
    const bool has_mark = has_commas ? has_value(sort, "1.5") || has_value(sort, "1.234") || has_value(sort, "$5") ||
                                           has_value(sort, "0.5%")
                                     : has_value(sort, "\"1,5\"") || has_value(sort, "5 EUR");
    return !has_mark && !has_value(sort, "none") && !has_value(sort, "2024-02-29 12:30");
}

static size_t draw_sort(bool has_commas) {
    size_t sort;
    do sort = table_below(sizeof HOSTILE_CELLS / sizeof *HOSTILE_CELLS);
    while (!is_drawn(sort, has_commas));
    return sort;
}

/* Whether more values never change how these are read, unless one of them is text. */
static bool is_certain(size_t sort) {
    return has_value(sort, "-35") || has_value(sort, "1.5") || has_value(sort, "a") || has_value(sort, "2024-02-29");
}

/* Mostly the usual sort. The form of amounts, codes and truth values is the one in the model, whatever the later rows have. */
static size_t draw_sort_of_batch(size_t usual, bool has_commas) {
    const size_t other = draw_sort(has_commas);
    return table_below(8) == 0 && is_certain(usual) && is_certain(other) ? other : usual;
}

/* Of each batch, a column has values of one sort, mostly the sort of the other batches, or no values. */
static void draw_batches(update_batches *batches) {
    static const char *const MISSING[] = {"", "NA", "?"};
    static const char *const CLASSES[][2] = {{"u", "v"}, {"yes", "no"}, {"1", "2"}, {"true", "false"}};
    const char *const *classes = PICK(CLASSES);
    const bool has_commas = table_below(3) == 0;
    size_t usual[HOSTILE_COLUMNS], row = 0;
    for (size_t i = 0; i < HOSTILE_COLUMNS; i++) usual[i] = draw_sort(has_commas);
    batches->count = 2 + table_below(MOST_BATCHES - 1);
    for (size_t batch = 0; batch < batches->count; batch++) {
        bool is_empty[HOSTILE_COLUMNS];
        size_t sort[HOSTILE_COLUMNS];
        for (size_t i = 0; i < HOSTILE_COLUMNS; i++) {
            is_empty[i] = table_below(batch == 0 ? 2 : 4) == 0;
            sort[i] = draw_sort_of_batch(usual[i], has_commas);
        }
        for (size_t left = 1 + table_below(MOST_ROWS / MOST_BATCHES); left > 0; left--, row++) {
            char *cursor = batches->rows[row];
            for (size_t i = 0; i < HOSTILE_COLUMNS; i++)
                cursor += snprintf(cursor, CELL_ROOM, "%s,",
                                   is_empty[i] || table_below(10) == 0 ? PICK(MISSING) : PICK(HOSTILE_CELLS[sort[i]]));
            snprintf(cursor, CELL_ROOM, "%s", classes[table_below(2)]);
        }
        batches->ends[batch] = row;
    }
}

/* The rows of some batches as a file. Weights are 1 and 2, and sequences have one or two rows. */
static void write_batches(const update_batches *batches, size_t first, size_t end, char *text) {
    char *cursor = text + sprintf(text, "p,q,r,y,w,id\n");
    for (size_t batch = first; batch < end; batch++)
        for (size_t row = batch == 0 ? 0 : batches->ends[batch - 1]; row < batches->ends[batch]; row++)
            cursor +=
                sprintf(cursor, "%s,%zu,%c%zu\n", batches->rows[row], 1 + row % 2, (int)('a' + (int)batch), row / 2);
}

/* ---- Models ---- */

static void open_rows(crd_context *context, const char *text, crd_reader **out) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_error error;
    options.header = CRD_CHOICE_YES;
    options.format = CRD_FORMAT_DELIMITED;
    options.separator = CRD_SEPARATOR_COMMA;
    assert_done(crd_reader_open_memory(context, text, strlen(text), "rows", &options, out, &error), error);
}

static crd_status prepare(crd_reader *reader, const model_kind *kind, crd_error *error) {
    enum { P, Q, R, Y, W, ID };
    static const double CUTS[] = {0.5, 2};
    crd_status status = crd_reader_set_target(reader, Y, error);
    if (status == CRD_OK && kind->has_texts) status = crd_reader_set_column_type(reader, R, CRD_TYPE_TEXT, error);
    if (status == CRD_OK && kind->has_cuts) status = crd_reader_set_cuts(reader, R, CUTS, 2, error);
    if (status == CRD_OK)
        status = kind->has_weights ? crd_reader_set_weight(reader, W, error) : crd_reader_ignore(reader, W, error);
    if (status == CRD_OK && !kind->has_sequences) status = crd_reader_ignore(reader, ID, error);
    return status == CRD_OK ? crd_reader_detect_column_formats(reader, 1, error) : status;
}

static crd_status train(crd_context *context, const model_kind *kind, const char *text, crd_model **out,
                        crd_error *error) {
    crd_reader *reader;
    crd_settings *settings;
    crd_sequence_options sequences = CRD_SEQUENCE_OPTIONS_INIT;
    *out = NULL;
    sequences.sequence = crd_text_of("id");
    sequences.batch_rows = 1 + table_below(9);
    assert_done(crd_settings_create(context, &settings, error), *error);
    for (const char *const *pair = kind->settings; *pair != NULL; pair += 2)
        assert_done(crd_settings_set(settings, pair[0], crd_text_of(pair[1]), error), *error);
    open_rows(context, text, &reader);
    crd_status status = prepare(reader, kind, error);
    if (status == CRD_OK)
        status = kind->has_sequences ? crd_sequence_train(context, reader, &sequences, settings, out, NULL, error)
                 : kind->kept != NULL
                     ? crd_model_train_keeping(context, reader, settings, crd_text_of(kind->kept), out, NULL, error)
                     : crd_model_train(context, reader, settings, out, NULL, error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return status;
}

static bool have_same_bytes(model_bytes a, model_bytes b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Whether the model has learned the rows. */
static bool update(crd_context *context, crd_model *model, const char *text, const char *place) {
    const model_bytes before = bytes_of(model, context);
    crd_reader *reader;
    crd_error error;
    open_rows(context, text, &reader);
    const crd_status status = crd_model_update_all(model, reader, NULL, &error);
    crd_reader_close(reader);
    if (status != CRD_OK) {
        const model_bytes after = bytes_of(model, context);
        const bool is_explained = (status == CRD_ERROR_SCHEMA_DIFFERS || status == CRD_ERROR_NUMBER ||
                                   status == CRD_ERROR_TYPE || status == CRD_ERROR_EMPTY) &&
                                  (error.subject[0] != '\0' || status == CRD_ERROR_EMPTY);
        if (!is_explained) fail_msg("%s: %s: %s", place, crd_status_name(status), error.message);
        if (!have_same_bytes(before, after)) fail_msg("%s: rejected rows have changed the model", place);
        free_bytes(after);
    }
    free_bytes(before);
    return status == CRD_OK;
}

/* ---- The property ---- */

typedef struct update_outcomes {
    size_t same, rejected;
} update_outcomes;

static void check_round(crd_context *context, uint64_t round, update_outcomes *outcomes) {
    static char text[HOSTILE_ROOM];
    static update_batches rows;
    crd_model *whole, *model;
    crd_error error;
    char place[64];
    table_random_state = round;
    const model_kind *kind = &KINDS[round % (sizeof KINDS / sizeof *KINDS)];
    snprintf(place, sizeof place, "round %llu, %s", (unsigned long long)round, kind->name);
    draw_batches(&rows);
    write_batches(&rows, 0, 1, text);
    if (train(context, kind, text, &model, &error) != CRD_OK) return;
    bool is_learned = true;
    for (size_t batch = 1; is_learned && batch < rows.count; batch++) {
        write_batches(&rows, batch, batch + 1, text);
        is_learned = update(context, model, text, place);
    }
    if (is_learned) {
        write_batches(&rows, 0, rows.count, text);
        if (train(context, kind, text, &whole, &error) != CRD_OK)
            fail_msg("%s: rows that no model can be trained on are learned: %s\n%s", place, error.message, text);
        const model_bytes updated = bytes_of(model, context), expected = bytes_of(whole, context);
        if (!have_same_bytes(updated, expected))
            fail_msg("%s: other bytes after %zu rows of\n%s", place, rows.ends[0], text);
        free_bytes(updated);
        free_bytes(expected);
        crd_model_destroy(whole);
    }
    outcomes->same += is_learned;
    outcomes->rejected += !is_learned;
    crd_model_destroy(model);
}

static void updating_equals_training_at_once(void **state) {
    crd_context *context;
    update_outcomes outcomes = {0, 0};
    (void)state;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (uint64_t round = 0; round < ROUNDS; round++) check_round(context, round, &outcomes);
    print_message("%zu the same, %zu rejected\n", outcomes.same, outcomes.rejected);
    assert_true(outcomes.same > ROUNDS / 3 && outcomes.rejected > 0);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(updating_equals_training_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
