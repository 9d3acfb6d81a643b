/* SPDX-License-Identifier: MIT */
/* Two networks compared: nodes, parents and states in other orders are the same network; arcs and numbers that differ are
 * found, whatever the order. */
#include "network_support.h"

static const crd_text YES_NO[] = {{"yes", 3}, {"no", 2}}, NO_YES[] = {{"no", 2}, {"yes", 3}};
static const crd_text COLORS[] = {{"red", 3}, {"green", 5}, {"blue", 4}},
                      OTHER[] = {{"blue", 4}, {"red", 3}, {"green", 5}};

static size_t add(crd_network_builder *builder, const char *name, crd_node_kind kind, const crd_text *states,
                  size_t count) {
    size_t node = 0;
    crd_error error;
    assert_done(crd_network_builder_add_node(builder, crd_text_of(name), kind, states, count, &node, &error), error);
    return node;
}

static void join(crd_network_builder *builder, size_t parent, size_t child) {
    crd_error error;
    assert_done(crd_network_builder_add_arc(builder, parent, child, &error), error);
}

static void set(crd_network_builder *builder, size_t node, const double *values, size_t count) {
    crd_error error;
    assert_done(crd_network_builder_set_cpt(builder, node, values, count, &error), error);
}

/* a and b have an effect c; x and y are continuous causes of z, and so is a. */
static crd_network *build(crd_context *context, bool is_turned, double shift) {
    crd_network_builder *builder = NULL;
    crd_network *network = NULL;
    crd_error error;
    size_t a, b, c, x, y, z;
    assert_done(crd_network_builder_create(context, crd_text_of("n"), &builder, &error), error);
    if (!is_turned) {
        a = add(builder, "a", CRD_NODE_CHANCE, YES_NO, 2);
        b = add(builder, "b", CRD_NODE_CHANCE, COLORS, 3);
        c = add(builder, "c", CRD_NODE_CHANCE, YES_NO, 2);
        x = add(builder, "x", CRD_NODE_GAUSSIAN, NULL, 0);
        y = add(builder, "y", CRD_NODE_GAUSSIAN, NULL, 0);
        z = add(builder, "z", CRD_NODE_GAUSSIAN, NULL, 0);
        join(builder, a, c), join(builder, b, c), join(builder, x, z), join(builder, a, z), join(builder, y, z);
        set(builder, a, (const double[]){0.25, 0.75}, 2);
        set(builder, b, (const double[]){0.5, 0.25, 0.25}, 3);
        set(builder, c, (const double[]){0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5, 0.5, 0.6, 0.4}, 12);
        set(builder, z, (const double[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    } else {
        z = add(builder, "z", CRD_NODE_GAUSSIAN, NULL, 0);
        y = add(builder, "y", CRD_NODE_GAUSSIAN, NULL, 0);
        x = add(builder, "x", CRD_NODE_GAUSSIAN, NULL, 0);
        c = add(builder, "c", CRD_NODE_CHANCE, NO_YES, 2);
        b = add(builder, "b", CRD_NODE_CHANCE, OTHER, 3);
        a = add(builder, "a", CRD_NODE_CHANCE, NO_YES, 2);
        join(builder, b, c), join(builder, a, c), join(builder, y, z), join(builder, a, z), join(builder, x, z);
        set(builder, a, (const double[]){0.75, 0.25}, 2);
        set(builder, b, (const double[]){0.25, 0.5, 0.25}, 3);
        /* b=blue: a=no, a=yes; b=red; b=green; c=no before c=yes */
        set(builder, c, (const double[]){0.4, 0.6, 0.7, 0.3, 0.6, 0.4, 0.9, 0.1, 0.5 + shift, 0.5 - shift, 0.8, 0.2},
            12);
        set(builder, z, (const double[]){5, 7 + shift, 6, 8, 1, 3, 2, 4}, 8);
    }
    set(builder, x, (const double[]){0, 1}, 2);
    set(builder, y, (const double[]){0, 1}, 2);
    assert_done(crd_network_builder_finish(builder, &network, &error), error);
    crd_network_builder_destroy(builder);
    return network;
}

static void same_in_any_order(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (int shifted = 0; shifted < 2; shifted++) {
        crd_network *first = build(context, false, 0), *second = build(context, true, shifted ? 0.125 : 0);
        crd_network_comparison *comparison = NULL;
        crd_error error;
        assert_done(crd_network_compare(first, second, &comparison, &error), error);
        crd_network_destroy(first);
        crd_network_destroy(second);
        assert_int_equal(comparison->nodes, 6);
        assert_int_equal(comparison->same, 5);
        assert_int_equal(comparison->arc_distance + comparison->hamming_distance, 0);
        for (size_t i = 0; i < 6; i++) {
            const crd_cpt_comparison cpt = comparison->cpts[i];
            bool is_shifted = shifted && (cpt.name.bytes[0] == 'c' || cpt.name.bytes[0] == 'z');
            assert_int_equal(cpt.relation, CRD_CPT_COMPARED);
            assert_true(cpt.difference == (is_shifted ? 0.125 : 0));
            /* Of the row 0.5, 0.5 from 0.375, 0.625: half the log of 0.25 / (0.375 0.625). */
            if (cpt.name.bytes[0] >= 'x') assert_true(isnan(cpt.divergence));
            else assert_true(fabs(cpt.divergence - (is_shifted ? 0.5 * log(0.25 / 0.234375) : 0)) < 1e-15);
        }
        crd_network_comparison_destroy(comparison);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

#define NODE(name) "variable " name " { type discrete [ 2 ] { yes, no }; }\n"
#define ROOT(name) "probability ( " name " ) { table 0.5, 0.5; }\n"
#define UNDER(name, parent) "probability ( " name " | " parent " ) { (yes) 0.75, 0.25; (no) 0, 1; }\n"

/* A chain and its reverse are equivalent; a node that one of them lacks has its arc counted. */
static void arcs_differ(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *chain = read_network(context, NODE("x") NODE("y") NODE("z") ROOT("x") UNDER("y", "x") UNDER("z", "y"));
    crd_network *back = read_network(context, NODE("x") NODE("y") NODE("z") UNDER("x", "y") UNDER("y", "z") ROOT("z"));
    crd_network *other = read_network(context, NODE("w") NODE("x") NODE("y") UNDER("w", "y") UNDER("x", "y") ROOT("y"));
    const struct {
        const crd_network *second;
        size_t same, reversed, first, second_only, dag, cpdag;
    } wanted[] = {{chain, 2, 0, 0, 0, 0, 0}, {back, 0, 2, 0, 0, 2, 0}, {other, 0, 1, 1, 1, 3, 2}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        crd_network_comparison *comparison = NULL;
        crd_error error;
        assert_done(crd_network_compare(chain, wanted[i].second, &comparison, &error), error);
        assert_int_equal(comparison->same, wanted[i].same);
        assert_int_equal(comparison->reversed, wanted[i].reversed);
        assert_int_equal(comparison->only_first_arcs, wanted[i].first);
        assert_int_equal(comparison->only_second_arcs, wanted[i].second_only);
        assert_int_equal(comparison->arc_distance, wanted[i].dag);
        assert_int_equal(comparison->hamming_distance, wanted[i].cpdag);
        size_t arcs =
            comparison->same + comparison->reversed + comparison->only_first_arcs + comparison->only_second_arcs;
        assert_int_equal(comparison->arc_count, arcs);
        crd_network_comparison_destroy(comparison);
    }
    crd_network_destroy(chain);
    crd_network_destroy(back);
    crd_network_destroy(other);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_in_any_order), cmocka_unit_test(arcs_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
