/* SPDX-License-Identifier: MIT */
/* Exact search beside the enumeration of all DAGs, and arcs of resamples. */
#include "cases/case_builder.h"
#include "math/random.h"
#include "model_support.h"
#include "structure/found_structure.h"

#include "counted_fixture.h"

/* So many columns, each depending on two before it; the last two are numbers where `has_numbers`, all where
 * `are_numbers`. */
static crd_i_case_table *sampled(size_t columns, bool has_numbers, bool are_numbers) {
    enum { ROWS = 150 };
    static char text[ROWS * 100];
    size_t length = 0;
    crd_reader *reader;
    crd_i_case_table *table;
    crd_error error;
    for (size_t j = 0; j < columns; j++)
        length += (size_t)sprintf(text + length, "%c%c", (char)('a' + j), j + 1 < columns ? ',' : '\n');
    for (size_t i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(11, i);
        double x[8];
        for (size_t j = 0; j < columns; j++) {
            bool is_number = are_numbers || (has_numbers && j + 2 >= columns);
            double mean = (j > 0 ? x[j - 1] : 0) - (j > 2 ? x[j - 3] : 0);
            x[j] = is_number                                              ? mean + crd_i_random_normal(&random)
                   : crd_i_random_uniform(&random) < .3 + .4 * (mean > 0) ? 1.0
                                                                          : 0.0;
            if (!is_number && j % 2 == 1) x[j] += crd_i_random_uniform(&random) < .2;
            length +=
                (size_t)sprintf(text + length, is_number ? "%.4f%c" : "s%g%c", x[j], j + 1 < columns ? ',' : '\n');
        }
    }
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(crd_i_case_table_of_reader(reader, NULL, 0, &table, &error), error);
    crd_reader_close(reader);
    return table;
}

/* Four columns of 40 states, three of them alike, so that tables have far more cells than rows. */
static crd_i_case_table *sampled_names(void) {
    enum { ROWS = 150 };
    static char text[ROWS * 40];
    size_t length = (size_t)sprintf(text, "a,b,c,d\n");
    crd_reader *reader;
    crd_i_case_table *table;
    crd_error error;
    for (unsigned i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(12, i);
        unsigned x = (unsigned)crd_i_random_below(&random, 40), y = (unsigned)crd_i_random_below(&random, 40);
        length += (size_t)sprintf(text + length, "s%u,s%u,s%u,s%u\n", x, i % 3 == 0 ? y : x, i % 2 == 0 ? y : x, y);
    }
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(crd_i_case_table_of_reader(reader, NULL, 0, &table, &error), error);
    crd_reader_close(reader);
    return table;
}

/* Whether nodes with these sets of parents have an order. */
static bool is_acyclic(const uint32_t *parents, size_t count) {
    uint32_t placed = 0;
    for (size_t step = 0; step < count; step++) {
        uint32_t before = placed;
        for (size_t i = 0; i < count; i++)
            if ((parents[i] & ~before) == 0) placed |= UINT32_C(1) << i;
        if (placed == before) break;
    }
    return placed == (UINT32_C(1) << count) - 1;
}

/* The greatest score of all DAGs that meet the constraints, by going through every choice of parents. */
static double enumerate(const crd_i_case_table *table, crd_i_score score, const crd_i_arc_constraints *constraints) {
    size_t count = table->column_count;
    double scores[5][32], greatest = -INFINITY;
    crd_i_family_scores *families;
    crd_error error;
    assert_done(crd_i_family_scores_create(table, score, &families, &error), error);
    for (size_t node = 0; node < count; node++)
        for (uint32_t mask = 0; mask < UINT32_C(1) << count; mask++) {
            uint32_t parents[5];
            size_t size = 0;
            bool is_allowed = true;
            for (uint32_t i = 0; i < count; i++) {
                bool is_parent = (mask >> i & 1) != 0;
                if (is_parent) parents[size++] = i;
                is_allowed = is_allowed && (is_parent ? crd_i_arc_is_possible(table, constraints, i, node)
                                                      : !crd_i_arc_is_required(constraints, i, node));
            }
            if (constraints != NULL && size > constraints->max_parents) is_allowed = false;
            scores[node][mask] = -INFINITY;
            if (is_allowed)
                assert_done(crd_i_family_score(families, node, parents, size, &scores[node][mask], &error), error);
        }
    uint32_t parents[5] = {0};
    for (size_t index = 0; index < count;) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += scores[i][parents[i]];
        if (sum > greatest && is_acyclic(parents, count)) greatest = sum;
        for (index = 0; index < count && ++parents[index] == UINT32_C(1) << count; index++) parents[index] = 0;
    }
    crd_i_family_scores_destroy(families);
    return greatest;
}

static void check(const crd_i_case_table *table, const char *score, const crd_i_arc_constraints *constraints) {
    crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
    crd_i_search_result result, other;
    crd_i_family_scores *families;
    crd_error error;
    uint32_t parents[5];
    uint64_t scratch[2];
    double sum = 0;
    assert_done(crd_i_score_parse(crd_text_of(score), &options.score, &error), error);
    options.constraints = constraints;
    assert_done(crd_i_exact_search(table, &options, &result, &error), error);
    assert_near(result.score, enumerate(table, options.score, constraints), 1e-8);
    /* The graph has that score, and threads find the same. */
    assert_true(crd_i_graph_order(result.graph, NULL, scratch));
    assert_done(crd_i_family_scores_create(table, options.score, &families, &error), error);
    for (size_t i = 0; i < table->column_count; i++) {
        double part;
        size_t count = crd_i_graph_parent_list(result.graph, i, parents);
        assert_done(crd_i_family_score(families, i, parents, count, &part, &error), error);
        sum += part;
    }
    assert_near(sum, result.score, 1e-8);
    options.threads = 3;
    assert_done(crd_i_exact_search(table, &options, &other, &error), error);
    assert_true(crd_i_graph_equal(result.graph, other.graph));
    crd_i_family_scores_destroy(families);
    crd_i_graph_destroy(result.graph);
    crd_i_graph_destroy(other.graph);
}

static void test_equals_enumeration(void **state) {
    (void)state;
    static const char *const SCORES[] = {"bic", "aic", "bdeu:1", "bdeu:50", "k2", "loglik"};
    crd_i_case_table *four = sampled(4, false, false), *five = sampled(5, false, false);
    crd_i_case_table *mixed = sampled(4, true, false), *numbers = sampled(4, false, true), *names = sampled_names();
    for (size_t i = 0; i < sizeof SCORES / sizeof *SCORES; i++) check(four, SCORES[i], NULL);
    check(five, "bic", NULL);
    check(mixed, "bic", NULL);
    check(numbers, "bic", NULL);
    check(numbers, "bge", NULL);
    check(names, "loglik", NULL);
    check(names, "bdeu:200", NULL);
    crd_i_case_table_destroy(names);
    crd_i_case_table_destroy(four);
    crd_i_case_table_destroy(five);
    crd_i_case_table_destroy(mixed);
    crd_i_case_table_destroy(numbers);
}

static void test_meets_constraints(void **state) {
    (void)state;
    crd_i_case_table *table = sampled(4, false, false);
    crd_i_arc_constraints *constraints;
    crd_error error;
    assert_done(crd_i_arc_constraints_create(context, 4, &constraints, &error), error);
    constraints->max_parents = 1;
    check(table, "aic", constraints);
    crd_i_graph_add(constraints->required, 3, 0);
    crd_i_graph_add_edge(constraints->forbidden, 0, 1);
    check(table, "aic", constraints);
    constraints->max_parents = SIZE_MAX;
    check(table, "bdeu", constraints);
    crd_i_arc_constraints_destroy(constraints);
    crd_i_case_table_destroy(table);
}

static void test_too_many_columns(void **state) {
    (void)state;
    crd_i_case_table *table = crd_i_case_table_create(context, 26);
    crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
    crd_i_search_result result;
    crd_error error;
    assert_non_null(table);
    assert_int_equal(crd_i_exact_search(table, &options, &result, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.hint, "search=tabu"));
    crd_i_case_table_destroy(table);
}

/* ---- Resamples ---- */

static void test_strengths(void **state) {
    (void)state;
    crd_i_case_table *table = sampled(5, true, false);
    crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
    const crd_i_search *search = crd_i_search_named(crd_text_of("hill-climb"));
    crd_i_bootstrap_result one, other;
    crd_error error;
    uint64_t scratch[2];
    assert_done(crd_i_bootstrap(table, search, &options, 30, NAN, &one, &error), error);
    options.threads = 3;
    assert_done(crd_i_bootstrap(table, search, &options, 30, NAN, &other, &error), error);
    assert_memory_equal(one.strengths, other.strengths, 25 * sizeof *one.strengths);
    assert_memory_equal(one.directions, other.directions, 25 * sizeof *one.directions);
    assert_true(crd_i_graph_equal(one.graph, other.graph));
    assert_true(crd_i_graph_order(one.graph, NULL, scratch));
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            double strength = one.strengths[i * 5 + j], forth = one.directions[i * 5 + j];
            assert_true(strength == one.strengths[j * 5 + i]);
            assert_near(forth + one.directions[j * 5 + i], strength > 0 ? 1 : 0, 1e-15);
            /* A number is never a parent of a category; an arc that is there is significant. */
            if (i >= 3 && j < 3) assert_true(forth == 0);
            if (crd_i_graph_has(one.graph, i, j)) assert_true(strength > one.threshold && forth >= .5);
        }
    crd_i_bootstrap_result_clear(&one);
    options.seed++;
    assert_done(crd_i_bootstrap(table, search, &options, 30, 0.9, &one, &error), error);
    assert_true(one.threshold == 0.9);
    assert_true(memcmp(one.strengths, other.strengths, 25 * sizeof *one.strengths) != 0);
    crd_i_bootstrap_result_clear(&one);
    crd_i_bootstrap_result_clear(&other);
    crd_i_case_table_destroy(table);
}

/* The integral of |F(x) - p| over [0, 1], F the distribution function of the strengths, over a grid of p. */
static void test_threshold(void **state) {
    (void)state;
    static const double CASES[][6] = {{0, 0, .1, .45, .67, 1}, {.2, .2, .3, .3, .4, .4}, {.6, .7, .8, .9, 1, 1}};
    static const double WANTED[] = {.45, .4, 0};
    for (size_t i = 0; i < 3; i++) {
        double strengths[6], best = INFINITY, threshold = 0;
        memcpy(strengths, CASES[i], sizeof strengths);
        assert_true(crd_i_bootstrap_threshold(strengths, 6) == WANTED[i]);
        for (size_t k = 0; k <= 6; k++) {
            double distance = 0;
            for (size_t step = 0; step < 1000; step++) {
                double share = 0, x = ((double)step + .5) / 1000;
                for (size_t j = 0; j < 6; j++) share += CASES[i][j] <= x ? 1.0 / 6 : 0;
                distance += fabs(share - (double)k / 6);
            }
            if (distance < best) threshold = (double)k / 6;
            best = fmin(best, distance);
        }
        double below = 0;
        for (size_t j = 0; j < 6; j++) below += CASES[i][j] <= WANTED[i] ? 1.0 / 6 : 0;
        assert_near(below, threshold, 1e-12);
    }
}

static void test_failing_allocations(void **state) {
    (void)state;
    crd_i_case_table *table = sampled(4, false, false);
    long live = counted.live;
    for (size_t way = 0; way < 2; way++)
        for (size_t fail_at = 1;; fail_at += 1 + fail_at / 30) {
            crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
            crd_i_search_result result = {0};
            crd_i_bootstrap_result resampled = {0};
            crd_error error;
            counted.calls = 0;
            counted.fail_at = fail_at;
            crd_status status = way == 0 ? crd_i_exact_search(table, &options, &result, &error)
                                         : crd_i_bootstrap(table, crd_i_search_named(crd_text_of("chow-liu")), &options,
                                                           2, NAN, &resampled, &error);
            bool failed = counted.calls >= fail_at;
            assert_int_equal(status, failed ? CRD_ERROR_MEMORY : CRD_OK);
            counted.fail_at = 0;
            crd_i_graph_destroy(result.graph);
            if (resampled.graph != NULL) crd_i_bootstrap_result_clear(&resampled);
            assert_int_equal(counted.live, live);
            if (!failed) break;
        }
    crd_i_case_table_destroy(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_enumeration), cmocka_unit_test(test_meets_constraints),
        cmocka_unit_test(test_too_many_columns),   cmocka_unit_test(test_strengths),
        cmocka_unit_test(test_threshold),          cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
