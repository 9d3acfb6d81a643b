/* SPDX-License-Identifier: MIT */
/* Graphs and constraints on arcs. */
#include "structure/graph.h"
#include "structure/structure_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "counted_fixture.h"

/* A graph of so many nodes with arcs given as pairs. */
static crd_i_graph *graph_of(size_t count, size_t arcs, const uint32_t (*arc)[2]) {
    crd_i_graph *graph = crd_i_graph_create(context, count);
    assert_non_null(graph);
    for (size_t i = 0; i < arcs; i++) crd_i_graph_add(graph, arc[i][0], arc[i][1]);
    return graph;
}

static void test_paths_cross_words_and_ignore_undirected_edges(void **state) {
    (void)state;
    static const uint32_t arcs[][2] = {{0, 70}, {70, 3}, {3, 129}, {129, 5}, {5, 129}, {5, 64}};
    crd_i_graph *graph = graph_of(130, 6, arcs);
    uint64_t scratch[6];
    assert_int_equal(graph->words, 3);
    assert_true(crd_i_graph_has_path(graph, 0, 129, scratch));
    assert_false(crd_i_graph_has_path(graph, 129, 0, scratch));
    assert_false(crd_i_graph_has_path(graph, 0, 5, scratch));
    assert_true(crd_i_graph_has_path(graph, 5, 64, scratch));
    assert_int_equal(crd_i_graph_edge_count(graph), 5);
    uint32_t order[130], parents[130];
    assert_false(crd_i_graph_order(graph, order, scratch));
    crd_i_graph_remove(graph, 129, 5);
    assert_true(crd_i_graph_order(graph, order, scratch));
    size_t place[130];
    for (size_t i = 0; i < 130; i++) place[order[i]] = i;
    assert_true(place[0] < place[70] && place[70] < place[3] && place[3] < place[129] && place[5] < place[129]);
    assert_int_equal(crd_i_graph_parent_list(graph, 129, parents), 2);
    assert_int_equal(parents[0], 3);
    assert_int_equal(parents[1], 5);
    crd_i_graph *copy = crd_i_graph_clone(graph);
    assert_true(crd_i_graph_equal(copy, graph));
    crd_i_graph_clear(copy);
    assert_int_equal(crd_i_graph_edge_count(copy), 0);
    assert_false(crd_i_graph_equal(copy, graph));
    crd_i_graph_destroy(copy);
    crd_i_graph_destroy(graph);
}

static void test_markov_blanket(void **state) {
    (void)state;
    /* 0 -> 2 <- 1, 2 -> 3 <- 4, 3 -> 5: the blanket of 2 has its parents, its child, and the child's other parent. */
    static const uint32_t arcs[][2] = {{0, 2}, {1, 2}, {2, 3}, {4, 3}, {3, 5}};
    crd_i_graph *graph = graph_of(6, 5, arcs);
    uint64_t blanket;
    crd_i_graph_markov_blanket(graph, 2, &blanket);
    assert_int_equal(blanket, 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4);
    crd_i_graph_markov_blanket(graph, 0, &blanket);
    assert_int_equal(blanket, 1 << 1 | 1 << 2);
    crd_i_graph_destroy(graph);
}

static void test_constraints_that_cannot_be_met(void **state) {
    (void)state;
    static const crd_text names[] = {{"a", 1}, {"b", 1}, {"c", 1}};
    static const uint32_t tiers[] = {0, 1, CRD_I_NO_TIER};
    crd_i_arc_constraints *constraints, *copy;
    crd_error error;
    assert_int_equal(crd_i_arc_constraints_create(context, 3, &constraints, NULL), CRD_OK);
    assert_int_equal(crd_i_arc_constraints_check(constraints, names, NULL), CRD_OK);
    crd_i_arc_constraints_set_tiers(constraints, tiers);
    assert_false(crd_i_arc_is_allowed(constraints, 1, 0));
    assert_true(crd_i_arc_is_allowed(constraints, 0, 1) && crd_i_arc_is_allowed(constraints, 2, 0) &&
                crd_i_arc_is_allowed(constraints, 1, 2));
    crd_i_graph_add(constraints->required, 1, 2);
    crd_i_graph_add(constraints->required, 2, 0);
    assert_true(crd_i_arc_is_required(constraints, 2, 0));
    assert_int_equal(crd_i_arc_constraints_check(constraints, names, NULL), CRD_OK);
    assert_int_equal(crd_i_arc_constraints_clone(constraints, &copy, NULL), CRD_OK);
    copy->max_parents = 0;
    assert_int_equal(crd_i_arc_constraints_check(copy, names, &error), CRD_ERROR_SETTING);
    assert_non_null(strstr(error.message, "required for a"));
    crd_i_graph_add(constraints->required, 1, 0);
    assert_int_equal(crd_i_arc_constraints_check(constraints, names, &error), CRD_ERROR_SETTING);
    assert_non_null(strstr(error.message, "b->a"));
    crd_i_graph_remove(constraints->required, 1, 0);
    crd_i_graph_add(constraints->required, 0, 1);
    assert_int_equal(crd_i_arc_constraints_check(constraints, names, &error), CRD_ERROR_CYCLE);
    assert_non_null(strstr(error.message, "a->b"));
    crd_i_arc_constraints_destroy(copy);
    crd_i_arc_constraints_destroy(constraints);
}

/* Every DAG of 4 nodes: its CPDAG has a consistent extension, which is of the same class. There are 543 DAGs (Robinson
 * 1973) in 185 classes (Gillispie and Perlman 2002). */
static void test_every_class_of_four_nodes(void **state) {
    (void)state;
    enum { COUNT = 4, PAIRS = 12 };
    size_t dags = 0, classes = 0;
    static bool seen[1 << PAIRS];
    uint64_t scratch[2];
    crd_i_graph *dag = crd_i_graph_create(context, COUNT);
    assert_non_null(dag);
    for (uint32_t arcs = 0; arcs < 1 << PAIRS; arcs++) {
        crd_i_graph_clear(dag);
        for (uint32_t i = 0; i < PAIRS; i++)
            if (arcs >> i & 1) crd_i_graph_add(dag, i / 3, (i / 3 + 1 + i % 3) % COUNT);
        if (!crd_i_graph_order(dag, NULL, scratch)) continue;
        dags++;
        crd_i_graph *class_of = NULL, *extension = NULL, *again = NULL;
        bool is_consistent;
        size_t distance;
        assert_int_equal(crd_i_graph_complete(dag, NULL, &class_of, NULL), CRD_OK);
        assert_int_equal(crd_i_graph_extend(class_of, &extension, &is_consistent, NULL), CRD_OK);
        assert_true(is_consistent);
        assert_true(crd_i_graph_order(extension, NULL, scratch));
        assert_int_equal(crd_i_graph_complete(extension, NULL, &again, NULL), CRD_OK);
        assert_true(crd_i_graph_equal(class_of, again));
        assert_int_equal(crd_i_graph_hamming_distance(dag, extension, &distance, NULL), CRD_OK);
        assert_int_equal(distance, 0);
        uint32_t number = 0;
        for (uint32_t i = 0; i < PAIRS; i++)
            number |= (uint32_t)crd_i_graph_has(class_of, i / 3, (i / 3 + 1 + i % 3) % COUNT) << i;
        classes += !seen[number];
        seen[number] = true;
        crd_i_graph_destroy(class_of);
        crd_i_graph_destroy(extension);
        crd_i_graph_destroy(again);
    }
    assert_int_equal(dags, 543);
    assert_int_equal(classes, 185);
    crd_i_graph_destroy(dag);
}

static void test_graphs_without_a_consistent_extension(void **state) {
    (void)state;
    /* A square of undirected edges without a chord; a directed cycle. */
    static const uint32_t square[][2] = {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {3, 0}, {0, 3}};
    static const uint32_t cycle[][2] = {{0, 1}, {1, 2}, {2, 0}};
    crd_i_graph *graphs[] = {graph_of(4, 8, square), graph_of(4, 3, cycle)};
    for (size_t i = 0; i < 2; i++) {
        crd_i_graph *dag;
        uint64_t scratch[2];
        bool is_consistent;
        assert_int_equal(crd_i_graph_extend(graphs[i], &dag, &is_consistent, NULL), CRD_OK);
        assert_false(is_consistent);
        assert_true(crd_i_graph_order(dag, NULL, scratch));
        assert_int_equal(crd_i_graph_edge_count(dag), crd_i_graph_edge_count(graphs[i]));
        crd_i_graph_destroy(dag);
        crd_i_graph_destroy(graphs[i]);
    }
}

static void test_distance(void **state) {
    (void)state;
    /* One arc reversed, one left out, one more. */
    static const uint32_t one[][2] = {{0, 2}, {1, 2}, {2, 3}}, other[][2] = {{0, 2}, {2, 1}, {3, 4}};
    crd_i_graph *a = graph_of(5, 3, one), *b = graph_of(5, 3, other);
    size_t distance;
    assert_int_equal(crd_i_graph_distance(a, b), 3);
    /* CPDAGs: 0 -> 2 <- 1, 2 -> 3 and 0 - 2 - 1, 3 - 4. */
    assert_int_equal(crd_i_graph_hamming_distance(a, b, &distance, NULL), CRD_OK);
    assert_int_equal(distance, 4);
    crd_i_graph_destroy(a);
    crd_i_graph_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_paths_cross_words_and_ignore_undirected_edges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_markov_blanket, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_class_of_four_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_graphs_without_a_consistent_extension, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_distance, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_constraints_that_cannot_be_met, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
