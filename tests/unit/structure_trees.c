/* SPDX-License-Identifier: MIT */
/* Structures by mutual information: trees of Chow and Liu, tree-augmented naive Bayes, k-dependence classifiers. */
#include "cases/case_builder.h"
#include "math/random.h"
#include "model_support.h"
#include "structure/structure_search.h"

#include "counted_fixture.h"

static crd_i_case_table *table_of(const char *text, const char *target) {
    crd_reader *reader;
    crd_i_case_table *table;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), target, &reader, &error), error);
    assert_done(crd_i_case_table_of_reader(reader, NULL, 0, &table, &error), error);
    crd_reader_close(reader);
    return table;
}

/* Columns a to e and the class y, each depending on those before it; c and d are numbers where `is_mixed`. */
static crd_i_case_table *sampled(bool is_mixed) {
    enum { ROWS = 300 };
    static char text[ROWS * 60];
    size_t length = (size_t)sprintf(text, "a,b,c,d,e,y\n");
    for (size_t i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(3, i);
        unsigned y = crd_i_random_uniform(&random) < .5, sum = y;
        for (unsigned j = 0; j < 5; j++) {
            unsigned x = (unsigned)crd_i_random_below(&random, 2 + sum % 2) + sum % 2;
            sum = j % 2 == 0 ? x : sum + x;
            length += (size_t)sprintf(text + length, is_mixed && (j == 2 || j == 3) ? "%u.5," : "s%u,", x);
        }
        length += (size_t)sprintf(text + length, "c%u\n", y);
    }
    return table_of(text, "y");
}

/* Information of pairs of a to e, given the class or not. */
static void measure(const crd_i_case_table *table, bool is_given_class, double information[5][5]) {
    crd_i_independence *tests;
    crd_i_independence_room workspace = {0};
    crd_error error;
    const uint32_t given[] = {5};
    assert_done(crd_i_independence_create(table, CRD_I_TEST_AUTO, &tests, &error), error);
    for (size_t x = 0; x < 5; x++)
        for (size_t y = 0; y < 5; y++)
            if (x != y)
                assert_done(crd_i_independence_information(tests, &workspace, x, y, given, is_given_class ? 1 : 0,
                                                           &information[x][y], &error),
                            error);
    crd_i_independence_room_clear(context, &workspace);
    crd_i_independence_destroy(tests);
}

/* The greatest sum of information over all choices of a parent or none for each of a to e, without cycles. */
static double greatest_sum(const crd_i_case_table *table, double information[5][5]) {
    double greatest = 0;
    for (unsigned code = 0; code < 7776; code++) {
        size_t parents[5];
        double sum = 0;
        bool is_tree = true;
        for (unsigned i = 0, remainder = code; i < 5; i++, remainder /= 6) {
            parents[i] = remainder % 6;
            if (parents[i] == 5) continue;
            is_tree =
                is_tree && parents[i] != i &&
                (table->columns[parents[i]].type != CRD_TYPE_NUMERIC || table->columns[i].type == CRD_TYPE_NUMERIC);
            sum += information[i][parents[i]];
        }
        for (size_t i = 0; i < 5 && is_tree; i++) {
            size_t index = i;
            for (size_t steps = 0; index != 5 && steps < 5; steps++) index = parents[index];
            is_tree = index == 5;
        }
        if (is_tree && sum > greatest) greatest = sum;
    }
    return greatest;
}

static void test_trees_have_the_greatest_sum(void **state) {
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        crd_i_case_table *table = sampled((way & 1) != 0);
        bool is_tan = (way & 2) != 0;
        double information[5][5] = {{0}}, sum = 0;
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        crd_i_search_result result, other;
        crd_error error;
        /* A tree over the class too is one over a to e, where nothing is to be known of the class. */
        if (!is_tan) memset(table->columns[5].codes8, 0, table->rows);
        measure(table, is_tan, information);
        assert_done((is_tan ? crd_i_tan : crd_i_chow_liu)(table, &options, &result, &error), error);
        for (size_t i = 0; i < 5; i++) {
            assert_int_equal(crd_i_graph_has(result.graph, 5, i), is_tan);
            assert_false(crd_i_graph_has(result.graph, i, 5));
            for (size_t j = 0; j < 5; j++)
                if (crd_i_graph_has(result.graph, j, i)) sum += information[i][j];
        }
        assert_near(sum, greatest_sum(table, information), 1e-12);
        options.threads = 3;
        assert_done((is_tan ? crd_i_tan : crd_i_chow_liu)(table, &options, &other, &error), error);
        assert_true(crd_i_graph_equal(result.graph, other.graph));
        crd_i_graph_destroy(result.graph);
        crd_i_graph_destroy(other.graph);
        crd_i_case_table_destroy(table);
    }
}

static void test_k_dependence(void **state) {
    (void)state;
    crd_i_case_table *table = sampled(true);
    crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
    crd_i_search_result result;
    crd_error error;
    for (options.k = 0; options.k < 8; options.k++) {
        uint64_t scratch[2];
        assert_done(crd_i_kdb(table, &options, &result, &error), error);
        assert_true(crd_i_graph_order(result.graph, NULL, scratch));
        for (size_t i = 0; i < 5; i++) {
            assert_true(crd_i_graph_has(result.graph, 5, i));
            assert_true(crd_i_graph_parent_count(result.graph, i) <= options.k + 1);
            for (size_t j = 0; j < 5; j++)
                assert_false(crd_i_graph_has(result.graph, j, i) && table->columns[j].type == CRD_TYPE_NUMERIC &&
                             table->columns[i].type == CRD_TYPE_CATEGORICAL);
        }
        if (options.k == 0) assert_int_equal(crd_i_graph_edge_count(result.graph), 5);
        crd_i_graph_destroy(result.graph);
    }
    crd_i_case_table_destroy(table);
}

static void test_targets_that_cannot_be_classes(void **state) {
    (void)state;
    crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
    crd_i_search_result result;
    crd_error error;
    crd_i_case_table *table = table_of("a,b\n1,p\n2,q\n3,p\n", NULL);
    assert_int_equal(crd_i_tan(table, &options, &result, &error), CRD_ERROR_EMPTY);
    table->target = 0;
    assert_int_equal(crd_i_kdb(table, &options, &result, &error), CRD_ERROR_TYPE);
    assert_null(result.graph);
    /* A number is no root of a tree with categories. */
    assert_done(crd_i_chow_liu(table, &options, &result, &error), error);
    assert_false(crd_i_graph_has(result.graph, 0, 1));
    crd_i_graph_destroy(result.graph);
    crd_i_case_table_destroy(table);
}

/* Two columns with a name for each row are not joined, and neither has the other for a parent beside the class. */
static void test_columns_of_names(void **state) {
    (void)state;
    enum { ROWS = 400 };
    static char text[ROWS * 40];
    crd_i_search_function *const searches[] = {crd_i_chow_liu, crd_i_tan, crd_i_kdb};
    size_t length = (size_t)sprintf(text, "a,b,c\n");
    for (size_t i = 0; i < ROWS; i++)
        length += (size_t)sprintf(text + length, "n%zu,m%zu,%s\n", i, i, i % 2 == 0 ? "p" : "q");
    crd_i_case_table *table = table_of(text, "c");
    for (size_t i = 0; i < 3; i++) {
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        crd_i_search_result result;
        crd_error error;
        assert_done(searches[i](table, &options, &result, &error), error);
        assert_false(crd_i_graph_is_adjacent(result.graph, 0, 1));
        assert_true(crd_i_graph_has(result.graph, 2, 0) && crd_i_graph_has(result.graph, 2, 1));
        crd_i_graph_destroy(result.graph);
    }
    crd_i_case_table_destroy(table);
}

static void test_failing_allocations(void **state) {
    (void)state;
    crd_i_search_function *const searches[] = {crd_i_chow_liu, crd_i_tan, crd_i_kdb};
    crd_i_case_table *table = sampled(true);
    long live = counted.live;
    for (size_t i = 0; i < 3; i++)
        for (size_t fail_at = 1;; fail_at++) {
            crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
            crd_i_search_result result;
            crd_error error;
            counted.calls = 0;
            counted.fail_at = fail_at;
            crd_status status = searches[i](table, &options, &result, &error);
            bool failed = counted.calls >= fail_at;
            assert_int_equal(status, failed ? CRD_ERROR_MEMORY : CRD_OK);
            counted.fail_at = 0;
            crd_i_graph_destroy(result.graph);
            assert_int_equal(counted.live, live);
            if (!failed) break;
        }
    crd_i_case_table_destroy(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_have_the_greatest_sum),
        cmocka_unit_test(test_k_dependence),
        cmocka_unit_test(test_targets_that_cannot_be_classes),
        cmocka_unit_test(test_columns_of_names),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
