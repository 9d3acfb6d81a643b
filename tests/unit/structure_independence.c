/* SPDX-License-Identifier: MIT */
/* Tests of conditional independence, and the PC algorithm on them. Reference values are from bnlearn 4.8.3 (ci.test: mi, x2,
 * zf), given others from the formulas in Python with the degrees of freedom of the states that occur, those of mixed columns
 * from the formulas in R. */
#include "cases/case_builder.h"
#include "math/random.h"
#include "model_support.h"
#include "structure/graph.h"
#include "structure/structure_search.h"

#include "counted_fixture.h"

static crd_i_case_table *table_of(const char *text) {
    crd_reader *reader;
    crd_i_case_table *table;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(crd_i_case_table_of_reader(reader, NULL, 0, &table, &error), error);
    crd_reader_close(reader);
    return table;
}

static crd_i_case_table *example(const char *name) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", CREDENCE_EXAMPLES, name);
    char *text = file_text(path);
    crd_i_case_table *table = table_of(text);
    free(text);
    return table;
}

static double p_value(const crd_i_case_table *table, crd_i_independence_test test, const char *x, const char *y,
                      const char *first, const char *second) {
    crd_i_independence *tests;
    crd_i_independence_room workspace = {0};
    crd_error error;
    uint32_t given[2];
    size_t count = 0;
    double p;
    if (first != NULL) given[count++] = (uint32_t)crd_i_case_table_find(table, crd_text_of(first));
    if (second != NULL) given[count++] = (uint32_t)crd_i_case_table_find(table, crd_text_of(second));
    assert_done(crd_i_independence_create(table, test, &tests, &error), error);
    assert_done(crd_i_independence_p(tests, &workspace, crd_i_case_table_find(table, crd_text_of(x)),
                                     crd_i_case_table_find(table, crd_text_of(y)), given, count, &p, &error),
                error);
    crd_i_independence_room_clear(context, &workspace);
    crd_i_independence_destroy(tests);
    return p;
}

static void test_categories(void **state) {
    (void)state;
    crd_i_case_table *table = example("tennis.csv");
    assert_near(p_value(table, CRD_I_TEST_AUTO, "Outlook", "Play", NULL, NULL), 0.091220540149335727, 1e-12);
    assert_near(p_value(table, CRD_I_TEST_G2, "Play", "Outlook", "Wind", "Humidity"), 0.040215027471378756, 1e-12);
    assert_near(p_value(table, CRD_I_TEST_X2, "Outlook", "Play", NULL, NULL), 0.16976615743981119, 1e-12);
    assert_near(p_value(table, CRD_I_TEST_X2, "Outlook", "Play", "Humidity", "Wind"), 0.12465201948308113, 1e-12);
    /* Fisher's z is not for categories. */
    crd_i_independence *tests;
    crd_error error;
    assert_int_equal(crd_i_independence_create(table, CRD_I_TEST_Z, &tests, &error), CRD_ERROR_TYPE);
    assert_non_null(strstr(error.message, "Humidity"));
    crd_i_case_table_destroy(table);
}

static void test_numbers_and_both(void **state) {
    (void)state;
    crd_i_case_table *table = example("iris.csv");
    assert_near(p_value(table, CRD_I_TEST_AUTO, "sepal_width", "species", NULL, NULL), 7.9379973311096533e-16, 1e-24);
    assert_near(p_value(table, CRD_I_TEST_AUTO, "petal_width", "sepal_width", "species", NULL), 7.1826549088233227e-11,
                1e-20);
    crd_i_case_table_destroy(table);
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/iris.csv", CREDENCE_EXAMPLES);
    char *text = file_text(path);
    /* Without the species. */
    for (char *start = text, *destination = text;; start++) {
        if (*start == ',' && (start[1] == 'I' || (start[1] == 's' && start[3] == 'e' && start[4] == 'c')))
            while (*start != '\n' && *start != '\0') start++;
        *destination++ = *start;
        if (*start == '\0') break;
    }
    table = table_of(text);
    free(text);
    assert_near(p_value(table, CRD_I_TEST_AUTO, "sepal_width", "sepal_length", NULL, NULL), 0.18307152993264841, 1e-12);
    assert_near(p_value(table, CRD_I_TEST_Z, "sepal_width", "sepal_length", "petal_width", "petal_length"),
                3.7670950899490329e-19, 1e-27);
    crd_i_case_table_destroy(table);
}

/* Constants, copies and missing cells, of both kinds: independent where nothing can depend, dependent where it must. */
static void test_degenerate_columns(void **state) {
    (void)state;
    crd_i_case_table *table = table_of("a,b,c,k,u,v,x,y\n"
                                       "p,p,q,k,1,2,1,.5\nq,q,p,k,1,4,2,.5\np,p,p,k,1,6,3,.5\nq,q,q,k,1,8,4,.5\n"
                                       "p,p,q,k,1,10,5,.5\nq,q,p,k,1,3,1.5,.5\np,p,p,k,1,,3.5,.5\nq,,q,k,1,7,3.5,.5\n"
                                       ",p,q,k,1,1,.5,.5\n");
    assert_true(p_value(table, CRD_I_TEST_AUTO, "a", "b", NULL, NULL) < 0.01);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "a", "b", "k", NULL) < 0.01);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "a", "k", NULL, NULL) == 1);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "a", "c", "b", NULL) == 1);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "v", "x", NULL, NULL) < 1e-6);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "u", "x", NULL, NULL) > 0.999);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "u", "y", "x", NULL) > 0.999);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "u", "k", "a", "x") > 0.999);
    crd_i_case_table_destroy(table);
}

static void test_numbers_that_are_too_large(void **state) {
    (void)state;
    crd_i_case_table *table = table_of("a,b\n1,2\n3,-4e300\n5,6\n");
    crd_i_independence *tests;
    crd_i_family_scores *scores;
    crd_error error;
    assert_int_equal(crd_i_independence_create(table, CRD_I_TEST_AUTO, &tests, &error), CRD_ERROR_NUMBER);
    assert_non_null(strstr(error.message, "column b"));
    assert_int_equal(crd_i_family_scores_create(table, (crd_i_score){CRD_I_SCORE_BIC, 1}, &scores, &error),
                     CRD_ERROR_NUMBER);
    crd_i_case_table_destroy(table);
}

/* A number that a category determines depends on it; one that is mostly the same does not for being constant where rows are
 * few. */
static void test_functions_of_categories(void **state) {
    (void)state;
    enum { ROWS = 600 };
    static char text[ROWS * 40];
    size_t length = (size_t)sprintf(text, "a,b,f,g\n");
    for (size_t i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(9, i);
        unsigned a = (unsigned)crd_i_random_below(&random, 3), b = (unsigned)crd_i_random_below(&random, 60);
        double g = crd_i_random_uniform(&random) < .9 ? 0 : crd_i_random_normal(&random);
        length += (size_t)sprintf(text + length, "s%u,s%u,%u.5,%.3f\n", a, b, a * a, g);
    }
    crd_i_case_table *table = table_of(text);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "a", "f", NULL, NULL) < 1e-6);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "f", "g", "a", NULL) > 0.01);
    assert_true(p_value(table, CRD_I_TEST_AUTO, "b", "f", "a", NULL) > 0.01);
    crd_i_case_table_destroy(table);
}

/* The three ways of counting agree: few and many states, with a weight or without. */
static void test_ways_of_counting(void **state) {
    (void)state;
    enum { ROWS = 3000 };
    static char text[ROWS * 40];
    size_t length = (size_t)sprintf(text, "x,y,z,w\n");
    crd_i_random random = crd_i_random_at(1, 1);
    for (size_t i = 0; i < ROWS; i++) {
        unsigned x = (unsigned)crd_i_random_below(&random, 3), z = (unsigned)crd_i_random_below(&random, 300);
        unsigned y = (unsigned)crd_i_random_below(&random, x + 2);
        length += (size_t)sprintf(text + length, "s%u,s%u,s%u,s%u\n", x, y, z / 100, z);
    }
    crd_i_case_table *table = table_of(text);
    crd_i_counted_rows *counted_rows, plain;
    crd_i_state_rows columns[4];
    crd_i_contingency_room workspace = {0};
    crd_i_contingency a, b, c;
    crd_error error;
    assert_done(crd_i_counted_rows_create(table, &counted_rows, &error), error);
    assert_non_null(counted_rows->columns[1].sets);
    plain = *counted_rows;
    plain.columns = memcpy(columns, plain.columns, sizeof columns);
    for (size_t i = 0; i < 4; i++) columns[i].sets = NULL;
    size_t x = 1, y = 2, z = 3;
    const uint32_t given[] = {3, 0};
    assert_done(crd_i_contingency_of(counted_rows, &workspace, x, y, given, 1, &a, &error), error);
    assert_done(crd_i_contingency_of(&plain, &workspace, x, y, given, 1, &b, &error), error);
    assert_true(a.g_squared == b.g_squared && a.chi_squared == b.chi_squared && a.rows == b.rows);
    /* z is a function of w, so that w and z together are w: 300 x 3 x 4 combinations of 900 x 3 x 4, of which one way
     * goes through 10,800 cells, and the other, where the table looks far greater, through those that occur. */
    size_t states = table->columns[z].state_count;
    assert_done(crd_i_contingency_of(counted_rows, &workspace, x, y, given, 2, &a, &error), error);
    table->columns[z].state_count = 1000;
    assert_done(crd_i_contingency_of(&plain, &workspace, x, y, given, 2, &c, &error), error);
    table->columns[z].state_count = states;
    assert_near(a.g_squared, c.g_squared, 1e-9);
    assert_near(a.chi_squared, c.chi_squared, 1e-9);
    assert_true(a.rows == c.rows && a.degrees == c.degrees && a.degrees < 300 * 2 * 3);
    crd_i_contingency_room_clear(context, &workspace);
    crd_i_counted_rows_destroy(counted_rows);
    crd_i_case_table_destroy(table);
}

/* ---- PC ---- */

/* Rows of a -> c <- b, c -> d, e by itself; as categories or as numbers, columns in either order. */
static crd_i_case_table *sampled(bool are_numbers, bool is_reversed) {
    enum { ROWS = 4000 };
    static char text[ROWS * 60];
    size_t length = (size_t)sprintf(text, is_reversed ? "e,d,c,b,a\n" : "a,b,c,d,e\n");
    for (size_t i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(5, i);
        double x[5];
        for (size_t j = 0; j < 5; j++)
            x[j] = are_numbers ? crd_i_random_normal(&random) : crd_i_random_uniform(&random);
        if (are_numbers) {
            x[2] += x[0] - x[1];
            x[3] += x[2];
        } else {
            x[0] = x[0] < .4;
            x[1] = x[1] < .5;
            x[2] = x[2] < .1 + .3 * x[0] + .5 * x[1];
            x[3] = x[3] < .2 + .6 * x[2];
            x[4] = x[4] < .5;
        }
        for (size_t j = 0; j < 5; j++)
            length += (size_t)sprintf(text + length, are_numbers ? "%.6f%c" : "s%g%c", x[is_reversed ? 4 - j : j],
                                      j < 4 ? ',' : '\n');
    }
    return table_of(text);
}

static void test_pc_recovers_a_v_structure(void **state) {
    (void)state;
    for (unsigned way = 0; way < 8; way++) {
        crd_i_case_table *table = sampled((way & 1) != 0, (way & 2) != 0);
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        crd_i_search_result result;
        crd_error error;
        options.alpha = 0.01;
        options.threads = (way & 4) != 0 ? 4 : 1;
        assert_done(crd_i_pc_stable(table, &options, &result, &error), error);
        assert_int_equal(crd_i_graph_edge_count(result.graph), 3);
        assert_true(crd_i_graph_is_directed(result.graph, 0, 2) && crd_i_graph_is_directed(result.graph, 1, 2) &&
                    crd_i_graph_is_directed(result.graph, 2, 3));
        crd_i_graph_destroy(result.graph);
        crd_i_case_table_destroy(table);
    }
}

static void test_pc_meets_constraints(void **state) {
    (void)state;
    crd_i_case_table *table = sampled(false, false);
    crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
    crd_i_arc_constraints *constraints;
    crd_i_search_result result;
    crd_error error;
    assert_done(crd_i_arc_constraints_create(context, 5, &constraints, &error), error);
    options.constraints = constraints;
    options.alpha = 0.01;
    /* d before all others, e -> a is there, a and c are not joined. */
    const uint32_t tiers[] = {1, 1, 1, 0, CRD_I_NO_TIER};
    crd_i_arc_constraints_set_tiers(constraints, tiers);
    crd_i_graph_add(constraints->required, 4, 0);
    crd_i_graph_add_edge(constraints->forbidden, 0, 2);
    assert_done(crd_i_pc_stable(table, &options, &result, &error), error);
    assert_true(crd_i_graph_is_directed(result.graph, 4, 0));
    assert_true(crd_i_graph_is_directed(result.graph, 3, 2));
    assert_false(crd_i_graph_is_adjacent(result.graph, 0, 2));
    crd_i_graph_destroy(result.graph);
    constraints->max_parents = 2;
    assert_int_equal(crd_i_pc_stable(table, &options, &result, &error), CRD_ERROR_SETTING);
    assert_null(result.graph);
    crd_i_arc_constraints_destroy(constraints);
    crd_i_case_table_destroy(table);
    /* A number as a required parent of a category. */
    table = example("iris.csv");
    assert_done(crd_i_arc_constraints_create(context, 5, &constraints, &error), error);
    crd_i_graph_add(constraints->required, 4, 0);
    assert_done(crd_i_arc_constraints_check_types(constraints, table, &error), error);
    crd_i_graph_add(constraints->required, 0, 4);
    assert_int_equal(crd_i_arc_constraints_check_types(constraints, table, &error), CRD_ERROR_TYPE);
    assert_non_null(strstr(error.message, "petal_length->species"));
    crd_i_arc_constraints_destroy(constraints);
    crd_i_case_table_destroy(table);
}

static void test_failing_allocations(void **state) {
    (void)state;
    crd_i_case_table *tables[] = {example("tennis.csv"), example("iris.csv")};
    for (size_t i = 0; i < 2; i++) {
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        long live = counted.live;
        options.alpha = i == 0 ? 0.3 : 1e-6;
        for (size_t fail_at = 1;; fail_at += 1 + fail_at / 20) {
            crd_i_search_result result;
            crd_error error;
            counted.calls = 0;
            counted.fail_at = fail_at;
            crd_status status = crd_i_pc_stable(tables[i], &options, &result, &error);
            bool failed = counted.calls >= fail_at;
            assert_int_equal(status, failed ? CRD_ERROR_MEMORY : CRD_OK);
            counted.fail_at = 0;
            crd_i_graph_destroy(result.graph);
            assert_int_equal(counted.live, live);
            if (!failed) break;
        }
    }
    crd_i_case_table_destroy(tables[0]);
    crd_i_case_table_destroy(tables[1]);
}

/* Cancels its context at an allocation. */
typedef struct independence_cancelling {
    crd_context *context;
    size_t calls, cancel_at;
} independence_cancelling;

static void *resize_or_cancel(void *user, void *block, size_t bytes) {
    independence_cancelling *cancelling = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (++cancelling->calls == cancelling->cancel_at) crd_context_cancel(cancelling->context);
    return realloc(block, bytes);
}

/* A search that is stopped has a network only if the tests given one column were done. */
static void test_pc_stopped_early(void **state) {
    (void)state;
    crd_context *usual = context;
    independence_cancelling canceller = {NULL, 0, 0};
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize_or_cancel;
    options.resize_user = &canceller;
    assert_int_equal(crd_context_create(&options, &canceller.context), CRD_OK);
    context = canceller.context;
    crd_i_case_table *table = example("tennis.csv");
    size_t cancelled = 0;
    for (size_t n = 1, is_done = 0; !is_done; n++) {
        crd_i_search_options search = CRD_I_SEARCH_OPTIONS_INIT;
        crd_i_search_result result;
        crd_error error;
        search.alpha = 0.5;
        canceller.cancel_at = canceller.calls + n;
        const crd_status status = crd_i_pc_stable(table, &search, &result, &error);
        is_done = canceller.calls < canceller.cancel_at;
        crd_context_resume(canceller.context);
        assert_true(status == CRD_OK || (status == CRD_ERROR_CANCELLED && result.graph == NULL));
        assert_true(status != CRD_OK || !result.is_stopped || result.steps >= 2);
        cancelled += status == CRD_ERROR_CANCELLED;
        if (status == CRD_OK) crd_i_graph_destroy(result.graph);
    }
    assert_true(cancelled > 0);
    crd_i_case_table_destroy(table);
    crd_context_destroy(canceller.context);
    context = usual;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_numbers_and_both),
        cmocka_unit_test(test_degenerate_columns),
        cmocka_unit_test(test_numbers_that_are_too_large),
        cmocka_unit_test(test_functions_of_categories),
        cmocka_unit_test(test_ways_of_counting),
        cmocka_unit_test(test_pc_recovers_a_v_structure),
        cmocka_unit_test(test_pc_meets_constraints),
        cmocka_unit_test(test_pc_stopped_early),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
