/* SPDX-License-Identifier: MIT */
/* Tables of counts: values in order, missing cells, conditions, joint counts, and independence through the interface.
 */
#include "counted_frames.h"
#include "model_support.h"

static const char DAYS[] = "Outlook,Humidity,Wind,Play,t\n"
                           "Sunny,High,Weak,No,30\nSunny,High,Strong,No,27\nOvercast,High,Weak,Yes,28\n"
                           "Rain,High,Weak,Yes,20\nRain,Normal,Weak,Yes,10\nRain,Normal,Strong,No,9.5\n"
                           "Overcast,Normal,Strong,Yes,-0\nSunny,High,Weak,No,20\nSunny,Normal,Weak,Yes,0\n"
                           "Rain,Normal,Weak,Yes,21\nSunny,Normal,Strong,Yes,22\nOvercast,High,Strong,Yes,20\n"
                           "Overcast,Normal,Weak,Yes,29\nRain,High,Strong,No,19\n";

enum { OUTLOOK, HUMIDITY, WIND, PLAY, T, COLUMNS };

typedef struct table_fixture {
    allocations counted;
    crd_context *context;
    crd_text names[COLUMNS];
} table_fixture;

static int set_up(void **state) {
    static const char *const names[] = {"Outlook", "Humidity", "Wind", "Play", "t"};
    table_fixture *f = calloc(1, sizeof *f);
    f->context = counted_context(&f->counted);
    for (size_t i = 0; i < COLUMNS; i++) f->names[i] = crd_text_of(names[i]);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    table_fixture *f = *state;
    crd_context_destroy(f->context);
    assert_int_equal(f->counted.live, 0);
    free(f);
    return 0;
}

static crd_status read_table(crd_context *context, const char *text, const size_t *columns, size_t count,
                             crd_table **out, crd_error *error) {
    crd_reader *reader;
    *out = NULL;
    crd_status status = open_text(context, text, strlen(text), NULL, &reader, error);
    if (status != CRD_OK) return status;
    status = crd_table_read(context, reader, columns, count, out, error);
    crd_reader_close(reader);
    return status;
}

static crd_table *table_of(table_fixture *f, const char *text, const size_t *columns, size_t count) {
    crd_table *table;
    crd_error error;
    assert_done(read_table(f->context, text, columns, count, &table, &error), error);
    return table;
}

static crd_event *event_of(table_fixture *f, const char *text) {
    crd_event *event;
    crd_error error;
    assert_done(crd_event_parse(f->context, crd_text_of(text), f->names, COLUMNS, &event, &error), error);
    return event;
}

static crd_table *given(table_fixture *f, const crd_table *table, const size_t *columns, size_t count,
                        const char *text) {
    crd_table *out;
    crd_error error;
    crd_event *event = text == NULL ? NULL : event_of(f, text);
    assert_done(crd_table_given(table, columns, count, event, &out, &error), error);
    crd_event_destroy(event);
    return out;
}

static const size_t ALL[] = {OUTLOOK, HUMIDITY, WIND, PLAY, T};

static void test_columns(void **state) {
    table_fixture *f = *state;
    crd_table *table = table_of(f, DAYS, ALL, COLUMNS);
    assert_int_equal(crd_table_rows(table), 14);
    assert_int_equal(crd_table_column_count(table), COLUMNS);
    assert_true(crd_text_equal(crd_table_column_name(table, PLAY), crd_text_of("Play")));
    assert_int_equal(crd_table_column_type(table, OUTLOOK), CRD_TYPE_CATEGORICAL);
    assert_int_equal(crd_table_value_count(table, OUTLOOK), 3);
    assert_true(crd_text_equal(crd_table_value(table, OUTLOOK, 0).text, crd_text_of("Overcast")));
    /* Numbers by size; -0 and 0 are one value. */
    assert_int_equal(crd_table_column_type(table, T), CRD_TYPE_NUMERIC);
    assert_int_equal(crd_table_value_count(table, T), 11);
    for (size_t i = 1; i < 11; i++)
        assert_true(crd_table_value(table, T, i - 1).number < crd_table_value(table, T, i).number);
    crd_table_destroy(table);
    crd_table_destroy(NULL);
}

/* Columns that were not chosen cost nothing and cannot be asked about. */
static void test_chosen(void **state) {
    table_fixture *f = *state;
    const size_t chosen[] = {PLAY, PLAY}, other[] = {WIND}, beyond[] = {99};
    crd_table *table = table_of(f, DAYS, chosen, 2), *out;
    crd_error error;
    uint64_t counts[2];
    size_t cells;
    assert_done(crd_table_counts(table, chosen, 1, counts, &error), error);
    assert_int_equal(counts[0], 5);
    assert_int_equal(counts[1], 9);
    assert_int_equal(crd_table_value_count(table, WIND), 0);
    assert_int_equal(crd_table_cells(table, other, 1, &cells, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_table_given(table, other, 1, NULL, &out, &error), CRD_ERROR_ARGUMENT);
    assert_null(out);
    assert_int_equal(crd_table_cells(table, beyond, 1, &cells, &error), CRD_ERROR_ARGUMENT);
    crd_table_destroy(table);
    assert_int_equal(read_table(f->context, DAYS, beyond, 1, &table, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(read_table(f->context, "a,b\n", chosen, 0, &table, &error), CRD_ERROR_EMPTY);
    assert_null(table);
}

/* Lecture number 3 as counts: Outlook given Yes 2/9 4/9 3/9, given No 3/5 0 2/5; the zero stays. */
static void test_conditional(void **state) {
    table_fixture *f = *state;
    crd_table *table = table_of(f, DAYS, ALL, COLUMNS);
    const size_t outlook[] = {OUTLOOK};
    uint64_t counts[3];
    crd_error error;
    crd_table *yes = given(f, table, outlook, 1, "Play=Yes"), *no = given(f, table, outlook, 1, "not Play=Yes");
    assert_int_equal(crd_table_rows(yes), 9);
    assert_int_equal(crd_table_rows(no), 5);
    assert_done(crd_table_counts(yes, outlook, 1, counts, &error), error);
    assert_true(counts[0] == 4 && counts[1] == 3 && counts[2] == 2);
    assert_done(crd_table_counts(no, outlook, 1, counts, &error), error);
    assert_true(counts[0] == 0 && counts[1] == 2 && counts[2] == 3);
    assert_int_equal(crd_table_value_count(no, OUTLOOK), 3);
    /* A condition upon a condition is both. */
    crd_table *both = given(f, yes, NULL, 0, "Wind=Weak"), *same = given(f, table, NULL, 0, "Play=Yes and Wind=Weak");
    assert_int_equal(crd_table_rows(both), crd_table_rows(same));
    crd_table *none = given(f, table, NULL, 0, "Play=Maybe");
    assert_int_equal(crd_table_rows(none), 0);
    crd_table_destroy(none);
    crd_table_destroy(both);
    crd_table_destroy(same);
    crd_table_destroy(yes);
    crd_table_destroy(no);
    crd_table_destroy(table);
}

/* The last column's value changes fastest; sums over it give the marginal. */
static void test_joint(void **state) {
    table_fixture *f = *state;
    crd_table *table = table_of(f, DAYS, ALL, COLUMNS);
    const size_t joint[] = {OUTLOOK, PLAY, WIND}, pair[] = {OUTLOOK, PLAY}, twice[] = {PLAY, PLAY};
    uint64_t three[12], two[6], same[4];
    size_t cells;
    crd_error error;
    assert_done(crd_table_cells(table, joint, 3, &cells, &error), error);
    assert_int_equal(cells, 12);
    assert_done(crd_table_counts(table, joint, 3, three, &error), error);
    assert_done(crd_table_counts(table, pair, 2, two, &error), error);
    for (size_t i = 0; i < 6; i++) assert_int_equal(two[i], three[2 * i] + three[2 * i + 1]);
    assert_int_equal(two[0 * 2 + 1], 4); /* Overcast, Yes */
    assert_int_equal(two[2 * 2 + 0], 3); /* Sunny, No */
    assert_done(crd_table_counts(table, twice, 2, same, &error), error);
    assert_true(same[0] == 5 && same[1] == 0 && same[2] == 0 && same[3] == 9);
    /* No column at all: one cell, with every row. */
    assert_done(crd_table_counts(table, NULL, 0, same, &error), error);
    assert_int_equal(same[0], 14);
    crd_table_destroy(table);
}

static void test_left_out(void **state) {
    table_fixture *f = *state;
    static const char text[] = "Outlook,Humidity,Wind,Play,t\nu,h,w,No,1\nu,?,w,No,2\n?,h,w,Yes,3\nv,h,?,Yes,?\n";
    crd_table *table = table_of(f, text, ALL, COLUMNS);
    const size_t outlook[] = {OUTLOOK}, pair[] = {OUTLOOK, HUMIDITY};
    static const struct {
        size_t count;
        const char *given;
        uint64_t rows, left_out;
    } cases[] = {{1, NULL, 3, 1},       {2, NULL, 2, 2},           {1, "Play=No", 2, 1}, {1, "Wind=w", 2, 2},
                 {2, "Play=Yes", 1, 2}, {0, "t>1", 2, 1},          {0, NULL, 4, 0},      {0, "not Wind=w", 0, 1},
                 {0, "Wind!=w", 0, 1},  {1, "Wind=w or t>1", 2, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_table *out = given(f, table, cases[i].count == 2 ? pair : outlook, cases[i].count, cases[i].given);
        assert_int_equal(crd_table_rows(out), cases[i].rows);
        assert_int_equal(crd_table_left_out(out), cases[i].left_out);
        crd_table_destroy(out);
    }
    crd_table_destroy(table);
}

/* Frames by hand; columns that turn out to be of another kind; a file that turns from number to category. */
static void test_frames(void **state) {
    table_fixture *f = *state;
    const double numbers[] = {1, NAN, 2, 1};
    const crd_text texts[] = {{"x", 1}, {"y", 1}, {NULL, 0}, {"x", 1}};
    crd_text names[] = {crd_text_of("n"), crd_text_of("c")};
    const size_t n[] = {0}, both[] = {0, 1};
    uint64_t counts[4];
    crd_frame *frame;
    crd_table *table, *turned;
    crd_error error;
    assert_done(crd_frame_create(f->context, 4, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, names[0], numbers, NULL, &error), error);
    assert_done(crd_frame_add_texts(frame, names[1], texts, &error), error);
    const crd_frame *const twice[] = {frame, frame};
    assert_done(count_frames(f->context, twice, 2, &table, &error), error);
    assert_int_equal(crd_table_rows(table), 8);
    assert_done(crd_table_counts(table, n, 1, counts, &error), error);
    assert_true(counts[0] == 4 && counts[1] == 2);
    assert_done(crd_table_counts(table, both, 2, counts, &error), error);
    assert_true(counts[0] == 4 && counts[1] == 0 && counts[2] == 0 && counts[3] == 0);
    crd_frame_destroy(frame);
    crd_table_destroy(table);

    const size_t first[] = {0};
    turned = table_of(f, "a\n1\n2\n1\nword\n", first, 1);
    assert_int_equal(crd_table_column_type(turned, 0), CRD_TYPE_CATEGORICAL);
    assert_int_equal(crd_table_rows(turned), 4);
    assert_int_equal(crd_table_value_count(turned, 0), 3);
    crd_table_destroy(turned);
}

static void test_independence(void **state) {
    table_fixture *f = *state;
    crd_table *table = table_of(f, DAYS, ALL, COLUMNS);
    crd_independence independence = CRD_INDEPENDENCE_INIT;
    crd_error error;
    const size_t wind[] = {WIND}, number[] = {T};
    /* SciPy 1.17.1, chi2_contingency([[4, 3], [1, 6]], correction=False). */
    assert_done(
        crd_table_independence(table, &(size_t){HUMIDITY}, 1, &(size_t){PLAY}, 1, NULL, 0, &independence, &error),
        error);
    assert_near(independence.chi_squared, 2.8, 1e-10);
    assert_near(independence.chi_squared_p, 0.09426430684121058, 1e-10);
    assert_near(independence.g_squared, 2.946841790989959, 1e-10);
    assert_near(independence.g_squared_p, 0.08604556020285027, 1e-10);
    assert_near(independence.information, 0.10524434967821282, 1e-10);
    assert_true(independence.degrees == 1 && independence.rows == 14 && independence.cells == 4 &&
                independence.cells_below == 4);
    /* Within a third column: the sum of the tests of its values. */
    double chi = 0, g = 0;
    for (int weak = 0; weak < 2; weak++) {
        crd_independence part = CRD_INDEPENDENCE_INIT;
        crd_table *rows = given(f, table, NULL, 0, weak ? "Wind=Weak" : "Wind=Strong");
        assert_done(crd_table_independence(rows, &(size_t){HUMIDITY}, 1, &(size_t){PLAY}, 1, NULL, 0, &part, &error),
                    error);
        chi += part.chi_squared;
        g += part.g_squared;
        crd_table_destroy(rows);
    }
    assert_done(
        crd_table_independence(table, &(size_t){HUMIDITY}, 1, &(size_t){PLAY}, 1, wind, 1, &independence, &error),
        error);
    assert_near(independence.chi_squared, chi, 1e-13);
    assert_near(independence.g_squared, g, 1e-13);
    assert_true(independence.degrees == 2 && independence.tables == 2);

    assert_int_equal(crd_table_independence(table, &(size_t){T}, 1, &(size_t){PLAY}, 1, NULL, 0, &independence, &error),
                     CRD_ERROR_COLUMN);
    assert_int_equal(
        crd_table_independence(table, &(size_t){WIND}, 1, &(size_t){PLAY}, 1, number, 1, &independence, &error),
        CRD_ERROR_COLUMN);
    assert_int_equal(
        crd_table_independence(table, &(size_t){WIND}, 1, &(size_t){WIND}, 1, NULL, 0, &independence, &error),
        CRD_ERROR_COLUMN);
    crd_table *none = given(f, table, NULL, 0, "Wind=Calm");
    assert_int_equal(
        crd_table_independence(none, &(size_t){HUMIDITY}, 1, &(size_t){PLAY}, 1, NULL, 0, &independence, &error),
        CRD_ERROR_EMPTY);
    crd_table_destroy(none);
    /* A caller of an older, shorter struct gets that much of it. */
    crd_independence older = CRD_INDEPENDENCE_INIT;
    older.size = offsetof(crd_independence, chi_squared_p);
    older.chi_squared_p = -1;
    assert_done(crd_table_independence(table, &(size_t){HUMIDITY}, 1, &(size_t){PLAY}, 1, NULL, 0, &older, &error),
                error);
    assert_near(older.chi_squared, 2.8, 1e-10);
    assert_true(older.chi_squared_p == -1);
    crd_table_destroy(table);
}

static void test_limit(void **state) {
    table_fixture *f = *state;
    enum { ROWS = 400 };
    static char text[ROWS * 24 + 16];
    size_t index = (size_t)sprintf(text, "a,b,c\n"), cells;
    for (int i = 0; i < ROWS; i++) index += (size_t)sprintf(text + index, "a%d,b%d,c%d\n", i, i, i);
    const size_t three[] = {0, 1, 2};
    crd_table *table = table_of(f, text, three, 3);
    crd_error error;
    assert_int_equal(crd_table_cells(table, three, 3, &cells, &error), CRD_ERROR_LIMIT);
    assert_int_equal(cells, 0);
    crd_table_destroy(table);
}

/* The sum of two dice: mean 7, variance 35/6. */
static void test_moments(void **state) {
    table_fixture *f = *state;
    static char text[1024];
    size_t index = (size_t)sprintf(text, "sum,name\n?,none\n");
    for (int i = 1; i <= 6; i++)
        for (int j = 1; j <= 6; j++) index += (size_t)sprintf(text + index, "%d,d%d\n", i + j, i);
    const size_t both[] = {0, 1};
    crd_table *table = table_of(f, text, both, 2);
    crd_error error;
    double mean, variance;
    assert_done(crd_table_moments(table, 0, &mean, &variance, &error), error);
    assert_true(fabs(mean - 7) < 1e-14 && fabs(variance - 35.0 / 6) < 1e-14);
    assert_int_equal(crd_table_moments(table, 1, &mean, &variance, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.subject, "name");
    crd_table_destroy(table);
}

static crd_status whole_life(table_fixture *f, crd_error *error) {
    const size_t outlook[] = {OUTLOOK};
    double mean, variance;
    crd_table *table = NULL, *rows = NULL;
    crd_event *event = NULL;
    crd_independence independence = CRD_INDEPENDENCE_INIT;
    crd_status status = crd_event_parse(f->context, crd_text_of("Play=Yes"), f->names, COLUMNS, &event, error);
    if (status == CRD_OK) status = read_table(f->context, DAYS, ALL, COLUMNS, &table, error);
    if (status == CRD_OK) status = crd_table_given(table, outlook, 1, event, &rows, error);
    if (status == CRD_OK)
        status = crd_table_independence(rows, &(size_t){OUTLOOK}, 1, &(size_t){WIND}, 1, NULL, 0, &independence, error);
    if (status == CRD_OK) status = crd_table_moments(rows, T, &mean, &variance, error);
    crd_event_destroy(event);
    crd_table_destroy(table);
    crd_table_destroy(rows);
    return status;
}

static void test_memory(void **state) {
    table_fixture *f = *state;
    for (size_t fail_at = 1;; fail_at++) {
        crd_error error;
        long live = f->counted.live;
        f->counted.calls = 0;
        f->counted.fail_at = fail_at;
        crd_status status = whole_life(f, &error);
        f->counted.fail_at = 0;
        assert_int_equal(f->counted.live, live);
        if (status == CRD_OK) return;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_chosen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_conditional, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_joint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_independence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
