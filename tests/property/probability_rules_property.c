/* SPDX-License-Identifier: MIT */
/* The rules of probability over random tables: what is counted obeys them exactly, what a model says to rounding.
 *
 * Inclusion and exclusion for two and three events, complement and De Morgan, total probability, Bayes' rule,
 * marginals as sums of joints; and independence within a third column where rows were made so. */
#include "counted_frames.h"
#include "model_support.h"
#include "sanitizer_support.h"

static uint64_t random_state = 20240606;

static uint64_t random_bits(void) {
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random_state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t random_below(size_t limit) {
    return (size_t)(random_bits() % limit);
}

enum { TABLES = FEWER_IF_SANITIZED(200), MOST_ROWS = 300, COLUMNS = 4, NUMBER = 3, MOST_VALUES = 5 };
static const char *const NAMES[COLUMNS] = {"a", "b", "c", "n"};
static const char *const VALUES[MOST_VALUES] = {"v0", "v1", "v2", "v3", "v4"};

typedef struct rules_sheet {
    crd_context *context;
    crd_text names[COLUMNS];
    size_t rows, values;
    crd_text texts[NUMBER][MOST_ROWS];
    double numbers[MOST_ROWS];
    crd_frame *frame;
    crd_table *table;
} rules_sheet;

static void sheet_make(rules_sheet *s, crd_context *context, bool with_missing) {
    crd_error error;
    s->context = context;
    s->rows = 1 + random_below(MOST_ROWS);
    s->values = 1 + random_below(MOST_VALUES);
    assert_done(crd_frame_create(context, s->rows, &s->frame, &error), error);
    for (size_t i = 0; i < COLUMNS; i++) s->names[i] = crd_text_of(NAMES[i]);
    for (size_t row = 0; row < s->rows; row++) {
        const crd_text none = {NULL, 0};
        for (size_t i = 0; i < NUMBER; i++) {
            /* Columns lean on each other, so that nothing is independent by accident. */
            size_t value = random_below(i == 0 || random_below(2) == 0 ? s->values : 1 + random_below(s->values));
            s->texts[i][row] = with_missing && random_below(10) == 0 ? none : crd_text_of(VALUES[value]);
        }
        s->numbers[row] = with_missing && random_below(10) == 0 ? NAN : (double)random_below(10) / 4;
    }
    for (size_t i = 0; i < NUMBER; i++)
        assert_done(crd_frame_add_texts(s->frame, s->names[i], s->texts[i], &error), error);
    assert_done(crd_frame_add_numbers(s->frame, s->names[NUMBER], s->numbers, NULL, &error), error);
    assert_done(count_frames(context, (const crd_frame *const[]){s->frame}, 1, &s->table, &error), error);
}

static void sheet_free(rules_sheet *s) {
    crd_table_destroy(s->table);
    crd_frame_destroy(s->frame);
}

/* A random comparison, and a random event, over all columns, as text. */
enum { COMPARISON_ROOM = 32, EVENT_ROOM = 128 };

static void write_comparison(char text[COMPARISON_ROOM]) {
    static const char *const signs[] = {"=", "!=", "<", "<=", ">", ">="};
    if (random_below(3) == 0)
        snprintf(text, COMPARISON_ROOM, "n %s %.2f", signs[random_below(6)], (double)random_below(10) / 4);
    else
        snprintf(text, COMPARISON_ROOM, "%s%s%s", NAMES[random_below(NUMBER)], signs[random_below(2)],
                 VALUES[random_below(MOST_VALUES)]);
}

static void write_event(char text[EVENT_ROOM]) {
    char left[COMPARISON_ROOM], right[COMPARISON_ROOM];
    write_comparison(left);
    write_comparison(right);
    switch (random_below(4)) {
    case 0: snprintf(text, EVENT_ROOM, "%s", left); break;
    case 1: snprintf(text, EVENT_ROOM, "not (%s)", left); break;
    case 2: snprintf(text, EVENT_ROOM, "(%s and %s)", left, right); break;
    default: snprintf(text, EVENT_ROOM, "(%s or not %s)", left, right);
    }
}

static crd_event *parsed(const rules_sheet *s, const char *text) {
    crd_event *event;
    crd_error error;
    assert_done(crd_event_parse(s->context, crd_text_of(text), s->names, COLUMNS, &event, &error), error);
    return event;
}

/* Rows in which an event given as text holds. */
static uint64_t rows_of(const rules_sheet *s, const crd_table *table, const char *text) {
    crd_event *event = parsed(s, text);
    const crd_event *const events[] = {event};
    uint64_t rows;
    crd_error error;
    assert_done(crd_table_count(table, events, 1, &rows, &error), error);
    crd_event_destroy(event);
    return rows;
}

static crd_table *given(const rules_sheet *s, const crd_table *table, const char *text) {
    static const size_t all[] = {0, 1, 2, 3};
    crd_event *event = text == NULL ? NULL : parsed(s, text);
    crd_table *out;
    crd_error error;
    assert_done(crd_table_given(table, all, COLUMNS, event, &out, &error), error);
    crd_event_destroy(event);
    return out;
}

typedef struct rules_three {
    char A[EVENT_ROOM], B[EVENT_ROOM], C[EVENT_ROOM];
} rules_three;

static rules_three random_events(void) {
    rules_three events;
    write_event(events.A);
    write_event(events.B);
    write_event(events.C);
    return events;
}

#define ROWS(...) (snprintf(text, sizeof text, __VA_ARGS__), rows_of(&s, rows, text))

static void test_events(void **state) {
    crd_context *context = *state;
    char text[1024];
    for (int round = 0; round < TABLES; round++) {
        static rules_sheet s;
        sheet_make(&s, context, round % 2 == 0);
        /* Of rows with every cell, so that all events are about the same ones. */
        crd_table *rows = given(&s, s.table, NULL);
        assert_int_equal(crd_table_rows(rows) + crd_table_left_out(rows), s.rows);
        rules_three e = random_events();
        uint64_t a = ROWS("%s", e.A), b = ROWS("%s", e.B), c = ROWS("%s", e.C);
        uint64_t ab = ROWS("%s and %s", e.A, e.B), ac = ROWS("%s and %s", e.A, e.C), bc = ROWS("%s and %s", e.B, e.C);
        uint64_t abc = ROWS("%s and %s and %s", e.A, e.B, e.C);
        assert_int_equal(ROWS("%s or %s", e.A, e.B), a + b - ab);
        assert_int_equal(ROWS("%s or %s or %s", e.A, e.B, e.C), a + b + c - ab - ac - bc + abc);
        assert_int_equal(ROWS("not %s", e.A), crd_table_rows(rows) - a);
        assert_int_equal(ROWS("not (%s or %s)", e.A, e.B), ROWS("not %s and not %s", e.A, e.B));
        assert_int_equal(ROWS("%s and (%s or %s)", e.A, e.B, e.C), ab + ac - abc);
        /* Both ways to ask for a conjunction agree. */
        crd_event *A = parsed(&s, e.A), *B = parsed(&s, e.B);
        const crd_event *const both[] = {A, B};
        uint64_t row_count;
        crd_error error;
        assert_done(crd_table_count(rows, both, 2, &row_count, &error), error);
        assert_int_equal(row_count, ab);
        crd_event_destroy(A);
        crd_event_destroy(B);
        /* The count by rows of the frame, by hand, of one simple event. */
        uint64_t simple = 0;
        for (size_t row = 0; row < s.rows; row++) {
            bool whole = !isnan(s.numbers[row]);
            for (size_t i = 0; i < NUMBER; i++) whole = whole && s.texts[i][row].bytes != NULL;
            simple += whole && s.numbers[row] <= 1.25 && !crd_text_equal(s.texts[1][row], crd_text_of("v0"));
        }
        assert_int_equal(ROWS("n<=1.25, b!=v0"), simple);
        crd_table_destroy(rows);
        sheet_free(&s);
    }
}

/* P(A) = sum of P(A | c=v) P(c=v), and P(c=v | A) = P(A | c=v) P(c=v) / P(A). */
static void test_total_probability(void **state) {
    crd_context *context = *state;
    char text[1024];
    for (int round = 0; round < TABLES; round++) {
        static rules_sheet s;
        sheet_make(&s, context, round % 2 == 0);
        crd_table *rows = given(&s, s.table, NULL);
        double n = (double)crd_table_rows(rows), total = 0;
        rules_three e = random_events();
        double p_a = (double)ROWS("%s", e.A) / n;
        crd_table *rows_a = given(&s, rows, e.A);
        for (size_t v = 0; n > 0 && v < s.values; v++) {
            snprintf(text, sizeof text, "c=%s", VALUES[v]);
            crd_table *rows_v = given(&s, rows, text);
            double n_v = (double)crd_table_rows(rows_v), p_v = n_v / n;
            double a_given_v = n_v == 0 ? 0 : (double)rows_of(&s, rows_v, e.A) / n_v;
            total += a_given_v * p_v;
            if (p_a > 0) {
                double v_given_a = (double)rows_of(&s, rows_a, text) / (double)crd_table_rows(rows_a);
                assert_near(v_given_a, a_given_v * p_v / p_a, 1e-14);
            }
            crd_table_destroy(rows_v);
        }
        if (n > 0) assert_near(total, p_a, 1e-14);
        crd_table_destroy(rows_a);
        crd_table_destroy(rows);
        sheet_free(&s);
    }
}

/* Summed over one column, a joint table is that of the others; all of it are the rows. */
static void test_marginals(void **state) {
    crd_context *context = *state;
    for (int round = 0; round < TABLES; round++) {
        static rules_sheet s;
        sheet_make(&s, context, true);
        crd_table *rows = given(&s, s.table, NULL);
        const size_t joint[] = {2, 0, 3}, part[] = {2, 3};
        size_t height = crd_table_value_count(rows, 2), middle = crd_table_value_count(rows, 0);
        size_t width = crd_table_value_count(rows, 3);
        uint64_t *all = calloc(height * middle * width + 1, sizeof *all),
                 *two = calloc(height * width + 1, sizeof *two);
        uint64_t sum = 0;
        crd_error error;
        assert_done(crd_table_counts(rows, joint, 3, all, &error), error);
        assert_done(crd_table_counts(rows, part, 2, two, &error), error);
        for (size_t i = 0; i < height; i++)
            for (size_t k = 0; k < width; k++) {
                uint64_t marginal = 0;
                for (size_t j = 0; j < middle; j++) marginal += all[(i * middle + j) * width + k];
                assert_int_equal(marginal, two[i * width + k]);
                sum += marginal;
            }
        assert_int_equal(sum, crd_table_rows(rows));
        free(all);
        free(two);
        crd_table_destroy(rows);
        sheet_free(&s);
    }
}

/* ---- Independence ---- */

/* Rows in which a and b are independent within each value of c: the counts of a cell are products. */
static void test_made_independent(void **state) {
    crd_context *context = *state;
    enum { STRATA = 3, SIDE = 3, MOST = STRATA * 16 * 16 };
    for (int round = 0; round < 50; round++) {
        static crd_text columns[3][MOST];
        size_t rows = 0;
        for (size_t c = 0; c < STRATA; c++) {
            size_t left[SIDE], right[SIDE];
            /* Each value of c favors its own a and b, so that a and b depend on each other across them. */
            for (size_t i = 0; i < SIDE; i++) left[i] = i == c ? 12 : 1 + random_below(2);
            for (size_t i = 0; i < SIDE; i++) right[i] = i == c ? 12 : 1 + random_below(2);
            for (size_t i = 0; i < SIDE; i++)
                for (size_t j = 0; j < SIDE; j++)
                    for (size_t k = 0; k < left[i] * right[j]; k++, rows++) {
                        columns[0][rows] = crd_text_of(VALUES[i]);
                        columns[1][rows] = crd_text_of(VALUES[j]);
                        columns[2][rows] = crd_text_of(VALUES[c]);
                    }
        }
        crd_text names[] = {crd_text_of("a"), crd_text_of("b"), crd_text_of("c")};
        const size_t within[] = {2};
        crd_frame *frame;
        crd_table *table;
        crd_error error;
        crd_independence inside = CRD_INDEPENDENCE_INIT, across = CRD_INDEPENDENCE_INIT;
        assert_done(crd_frame_create(context, rows, &frame, &error), error);
        for (size_t i = 0; i < 3; i++) assert_done(crd_frame_add_texts(frame, names[i], columns[i], &error), error);
        assert_done(count_frames(context, (const crd_frame *const[]){frame}, 1, &table, &error), error);
        assert_done(crd_table_independence(table, &(size_t){0}, 1, &(size_t){1}, 1, within, 1, &inside, &error), error);
        assert_done(crd_table_independence(table, &(size_t){0}, 1, &(size_t){1}, 1, NULL, 0, &across, &error), error);
        assert_true(inside.chi_squared == 0 && inside.g_squared == 0 && inside.information == 0);
        assert_true(inside.chi_squared_p == 1 && inside.degrees == STRATA * (SIDE - 1) * (SIDE - 1));
        assert_true(across.information > 0 && across.g_squared_p < 1e-6);
        crd_table_destroy(table);
        crd_frame_destroy(frame);
    }
}

/* Rows drawn independently: p-values are spread evenly, so about one in twenty is below 0.05. */
static void test_level(void **state) {
    crd_context *context = *state;
    enum { ROWS_DRAWN = 300, SHEETS = 1000 };
    size_t below[2] = {0, 0};
    for (int round = 0; round < SHEETS; round++) {
        static crd_text columns[2][ROWS_DRAWN];
        crd_text names[] = {crd_text_of("a"), crd_text_of("b")};
        crd_frame *frame;
        crd_table *table;
        crd_error error;
        crd_independence independence = CRD_INDEPENDENCE_INIT;
        for (size_t row = 0; row < ROWS_DRAWN; row++) {
            columns[0][row] = crd_text_of(VALUES[random_below(3)]);
            columns[1][row] = crd_text_of(VALUES[random_below(4)]);
        }
        assert_done(crd_frame_create(context, ROWS_DRAWN, &frame, &error), error);
        for (size_t i = 0; i < 2; i++) assert_done(crd_frame_add_texts(frame, names[i], columns[i], &error), error);
        assert_done(count_frames(context, (const crd_frame *const[]){frame}, 1, &table, &error), error);
        assert_done(crd_table_independence(table, &(size_t){0}, 1, &(size_t){1}, 1, NULL, 0, &independence, &error),
                    error);
        below[0] += independence.chi_squared_p < 0.05;
        below[1] += independence.g_squared_p < 0.05;
        crd_table_destroy(table);
        crd_frame_destroy(frame);
    }
    /* 50 are expected with a deviation of 6.9; five of them to either side. */
    for (int i = 0; i < 2; i++) assert_in_range(below[i], 16, 84);
}

/* ---- Models ---- */

static double log_probability(const crd_query *query, const double *classes, const crd_value *row) {
    double result;
    crd_error error;
    assert_done(crd_query_log_probability(query, classes, row, &result, &error), error);
    return result;
}

/* For random models: P(x) P(y | x) = P(y) P(x | y) for any two columns, the class among them, and each sums to one. */
static void test_model(void **state) {
    crd_context *context = *state;
    for (int round = 0; round < TABLES; round++) {
        static rules_sheet s;
        sheet_make(&s, context, false);
        crd_model *model;
        crd_query *query;
        crd_error error;
        assert_done(crd_model_create(context, s.frame, s.names[2], NULL, &model, &error), error);
        assert_done(crd_model_update(model, s.frame, &error), error);
        assert_done(crd_query_create(model, NULL, &query, &error), error);
        size_t x = random_below(NUMBER), y = (x + 1 + random_below(2)) % NUMBER;
        for (size_t i = 0; i < crd_query_value_count(query, x); i++) {
            crd_value none[COLUMNS], row[COLUMNS], other[COLUMNS];
            double classes[MOST_VALUES], given_x[MOST_VALUES], given_y[MOST_VALUES], sum = 0;
            crd_answer answer, answer_x, answer_y;
            for (size_t k = 0; k < COLUMNS; k++) none[k] = row[k] = missing_value();
            assert_done(crd_query_posterior(query, none, classes, &answer, &error), error);
            row[x] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_query_value(query, x, i)};
            assert_done(crd_query_posterior(query, row, given_x, &answer_x, &error), error);
            assert_near(answer_x.log_evidence, log_probability(query, classes, row), 1e-12);
            for (size_t j = 0; j < crd_query_value_count(query, y); j++) {
                memcpy(other, none, sizeof other);
                other[y] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_query_value(query, y, j)};
                assert_done(crd_query_posterior(query, other, given_y, &answer_y, &error), error);
                double y_given_x = log_probability(query, given_x, other),
                       x_given_y = log_probability(query, given_y, row);
                assert_near(answer_x.log_evidence + y_given_x, answer_y.log_evidence + x_given_y, 1e-12);
                sum += crd_exp(y_given_x);
            }
            assert_near(sum, 1, 1e-13);
        }
        crd_query_destroy(query);
        crd_model_destroy(model);
        sheet_free(&s);
    }
}

static int set_up(void **state) {
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    *state = context;
    return 0;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),    cmocka_unit_test(test_total_probability),
        cmocka_unit_test(test_marginals), cmocka_unit_test(test_made_independent),
        cmocka_unit_test(test_level),     cmocka_unit_test(test_model),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
