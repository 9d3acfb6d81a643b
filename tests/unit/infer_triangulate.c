/* SPDX-License-Identifier: MIT */
/* Orders of elimination: what they write down is what eliminating gives, also beside nodes with very many
 * neighbors; and large graphs with such nodes take no longer than others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "infer/exact/triangulate.h"
#include "math_random.h"

#include <math.h>
#include <stdlib.h>

/* Edges as they are drawn, then the graph made of them. */
typedef struct triangulate_draw {
    size_t count, edges;
    uint32_t (*ends)[2];
    size_t *states;
    crd_i_domain_graph graph;
} triangulate_draw;

static triangulate_draw drawn_nodes(size_t count, size_t most_edges) {
    triangulate_draw triangulate = {.count = count};
    triangulate.ends = malloc((most_edges + 1) * sizeof *triangulate.ends);
    triangulate.states = malloc(count * sizeof *triangulate.states);
    for (size_t i = 0; i < count; i++) triangulate.states[i] = 2 + random_below(3);
    return triangulate;
}

static void add_edge(triangulate_draw *triangulate, size_t a, size_t b) {
    triangulate->ends[triangulate->edges][0] = (uint32_t)a;
    triangulate->ends[triangulate->edges++][1] = (uint32_t)b;
}

static void finish(triangulate_draw *triangulate) {
    crd_i_domain_graph *graph = &triangulate->graph;
    graph->count = triangulate->count;
    graph->states = triangulate->states;
    graph->starts = calloc(triangulate->count + 2, sizeof *graph->starts);
    graph->near = malloc((2 * triangulate->edges + 1) * sizeof *graph->near);
    for (size_t i = 0; i < triangulate->edges; i++)
        for (int end = 0; end < 2; end++) graph->starts[triangulate->ends[i][end] + 2]++;
    for (size_t i = 0; i < triangulate->count; i++) graph->starts[i + 2] += graph->starts[i + 1];
    for (size_t i = 0; i < triangulate->edges; i++)
        for (int end = 0; end < 2; end++)
            graph->near[graph->starts[triangulate->ends[i][end] + 1]++] = triangulate->ends[i][1 - end];
}

static void free_drawn(triangulate_draw *triangulate) {
    free(triangulate->ends);
    free(triangulate->states);
    free(triangulate->graph.starts);
    free(triangulate->graph.near);
}

/* By a matrix: at each step the node's neighbors are those written down, and become joined to each other. */
static void check_elimination(const crd_i_domain_graph *graph, const crd_i_elimination *elimination) {
    size_t count = graph->count;
    bool *joined = calloc(count * count, sizeof *joined), *is_gone = calloc(count, sizeof *is_gone);
    double cells = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = graph->starts[i]; j < graph->starts[i + 1]; j++) joined[i * count + graph->near[j]] = true;
    assert_int_equal(elimination->count, count);
    for (size_t step = 0; step < count; step++) {
        uint32_t node = elimination->order[step];
        const uint32_t *later = elimination->later + elimination->starts[step];
        size_t degree = 0, length = elimination->starts[step + 1] - elimination->starts[step];
        double product = (double)graph->states[node];
        assert_false(is_gone[node]);
        is_gone[node] = true;
        for (size_t i = 0; i < count; i++) degree += joined[node * count + i] && !is_gone[i];
        assert_int_equal(degree, length);
        for (size_t i = 0; i < length; i++) {
            assert_true(joined[node * count + later[i]] && !is_gone[later[i]]);
            product *= (double)graph->states[later[i]];
            for (size_t j = 0; j < length; j++)
                if (i != j) joined[later[i] * count + later[j]] = true;
        }
        cells += product;
    }
    assert_true(fabs(elimination->cells - cells) <= 1e-9 * cells);
    free(joined);
    free(is_gone);
}

static void eliminating_gives_what_is_written(void **state) {
    (void)state;
    enum { NODES = 900, ROUNDS = 12, MORE = NODES / 4 };
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (int round = 0; round < ROUNDS; round++) {
        size_t hubs = (size_t)round % 4, count = round < ROUNDS / 2 ? NODES : NODES / 10;
        triangulate_draw draw = drawn_nodes(count, count * (hubs + 1) + MORE);
        for (size_t i = hubs; i < count; i++) {
            for (size_t hub = 0; hub < hubs; hub++)
                if (random_below(3) > 0) add_edge(&draw, hub, i);
            if (i > hubs) add_edge(&draw, i - 1 - (i > hubs + 1 && random_below(8) == 0), i);
        }
        finish(&draw);
        crd_i_elimination elimination;
        crd_error error;
        assert_int_equal(crd_i_triangulate(context, &draw.graph, round % 2 == 0 ? 1e9 : 0, &elimination, &error),
                         CRD_OK);
        check_elimination(&draw.graph, &elimination);
        crd_i_elimination_clear(context, &elimination);
        free_drawn(&draw);
    }
    crd_context_destroy(context);
}

/* A node beside all others, and these alone, in a chain, or in a directed cycle, which joins two of them at each
 * step. */
static void hubs_take_no_longer(void **state) {
    (void)state;
    enum { NODES = 200000 };
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (int shape = 0; shape < 3; shape++) {
        triangulate_draw draw = drawn_nodes(NODES, 2 * (size_t)NODES);
        for (size_t i = 0; i < NODES; i++) draw.states[i] = 2;
        for (size_t i = 1; i < NODES; i++) {
            add_edge(&draw, 0, i);
            if (shape > 0 && i > 1) add_edge(&draw, i - 1, i);
        }
        if (shape == 2) add_edge(&draw, 1, NODES - 1);
        finish(&draw);
        crd_i_elimination elimination;
        crd_error error;
        assert_int_equal(crd_i_triangulate(context, &draw.graph, 1e9, &elimination, &error), CRD_OK);
        assert_int_equal(elimination.count, NODES);
        double clique = shape == 0 ? 4 : shape == 1 ? 8 : 16;
        assert_true(elimination.cells <= clique * NODES && elimination.cells >= clique * (NODES - 4));
        crd_i_elimination_clear(context, &elimination);
        free_drawn(&draw);
    }
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eliminating_gives_what_is_written),
        cmocka_unit_test(hubs_take_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
