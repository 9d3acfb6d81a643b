/* SPDX-License-Identifier: MIT */
/* Independence by the arcs: the lecture's four graphs of three nodes, long chains, refusals. */
#include "network_support.h"

/* Of two nodes given some others by name: -1 separated, else how many nodes the path has. */
static int ask(const crd_network *network, crd_context *context, const char *a, const char *b, const char *given) {
    size_t nodes[8], count = 0, *path = NULL, length = 0;
    int is_separated = 0;
    crd_error error;
    for (const char *cursor = given; *cursor != '\0'; cursor++) {
        const crd_text name = {cursor, 1};
        nodes[count++] = crd_network_find(network, name);
    }
    assert_done(crd_network_separation(network, crd_network_find(network, crd_text_of(a)),
                                       crd_network_find(network, crd_text_of(b)), nodes, count, &is_separated, &path,
                                       &length, &error),
                error);
    crd_free(context, path);
    return is_separated ? -1 : (int)length;
}

#define NODE(name) "variable " name " { type discrete [ 2 ] { yes, no }; }\n"
#define THREE "network three { }\n" NODE("x") NODE("y") NODE("z")
#define ROOT(name, p, q) "probability ( " name " ) { table " p ", " q "; }\n"
#define UNDER(name, parent) "probability ( " name " | " parent " ) { (yes) 0.75, 0.25; (no) 0.125, 0.875; }\n"

/* The joint of three nodes is the product of what stands at them. */
static void holds_joint(const crd_network *network, double (*joint)(int x, int y, int z)) {
    const size_t nodes[] = {0, 1, 2};
    double got[8];
    crd_error error;
    assert_done(crd_network_joint_posterior(network, NETWORK_QUERY(NULL, 0, nodes, 3, NULL), got, NULL, NULL, &error),
                error);
    for (int i = 0; i < 8; i++) assert_true(fabs(got[i] - joint(i / 4, i / 2 % 2, i % 2)) < 1e-15);
}

static double root(int state, double p) {
    return state == 0 ? p : 1 - p;
}

static double under(int state, int parent) {
    return root(state, parent == 0 ? 0.75 : 0.125);
}

static double all_independent(int x, int y, int z) {
    return root(x, 0.5) * root(y, 0.25) * root(z, 0.125);
}

static double common_cause(int x, int y, int z) {
    return under(x, z) * under(y, z) * root(z, 0.125);
}

static double common_effect(int x, int y, int z) {
    const double p[] = {0.875, 0.5, 0.25, 0.0625};
    return root(x, 0.5) * root(y, 0.25) * root(z, p[x * 2 + y]);
}

static double chain(int x, int y, int z) {
    return root(x, 0.5) * under(y, z) * under(z, x);
}

static void lecture(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);

    crd_network *network =
        read_network(context, THREE ROOT("x", "0.5", "0.5") ROOT("y", "0.25", "0.75") ROOT("z", "0.125", "0.875"));
    holds_joint(network, all_independent);
    assert_int_equal(ask(network, context, "x", "y", ""), -1);
    assert_int_equal(ask(network, context, "x", "y", "z"), -1);
    crd_network_destroy(network);

    network = read_network(context, THREE UNDER("x", "z") UNDER("y", "z") ROOT("z", "0.125", "0.875"));
    holds_joint(network, common_cause);
    assert_int_equal(ask(network, context, "x", "y", ""), 3);
    assert_int_equal(ask(network, context, "x", "y", "z"), -1);
    crd_network_destroy(network);

    network = read_network(
        context, THREE ROOT("x", "0.5", "0.5")
                     ROOT("y", "0.25", "0.75") "probability ( z | x, y ) { (yes, yes) 0.875, 0.125; (yes, no) 0.5, 0.5;"
                                               " (no, yes) 0.25, 0.75; (no, no) 0.0625, 0.9375; }\n");
    holds_joint(network, common_effect);
    assert_int_equal(ask(network, context, "x", "y", ""), -1);
    assert_int_equal(ask(network, context, "x", "y", "z"), 3);
    crd_network_destroy(network);

    network = read_network(context, THREE ROOT("x", "0.5", "0.5") UNDER("y", "z") UNDER("z", "x"));
    holds_joint(network, chain);
    assert_int_equal(ask(network, context, "x", "y", ""), 3);
    assert_int_equal(ask(network, context, "x", "y", "z"), -1);
    crd_network_destroy(network);

    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A chain that is as long as any path may be; with both ends' arcs meeting in the middle, only a node below opens
 * it. */
static void long_chains(void **state) {
    (void)state;
    enum { COUNT = 20001 };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    const crd_text states[] = {crd_text_of("yes"), crd_text_of("no")};
    for (int meet = 0; meet < 2; meet++) {
        crd_network *network = NULL;
        crd_error error;
        assert_done(crd_i_network_create(context, crd_text_of("chain"), &network, &error), error);
        for (size_t i = 0; i < COUNT; i++) {
            char name[24];
            size_t node;
            snprintf(name, sizeof name, "n%zu", i);
            assert_done(crd_i_network_add(network, crd_text_of(name), states, 2, &node, &error), error);
        }
        for (size_t i = 0; i < COUNT; i++) {
            uint32_t parents[2];
            size_t count = 0, middle = COUNT / 2;
            if (i > 0 && (!meet || i <= middle)) parents[count++] = (uint32_t)i - 1;
            if (meet && i >= middle && i + 1 < COUNT) parents[count++] = (uint32_t)i + 1;
            assert_done(crd_i_network_set_parents(network, i, parents, count, &error), error);
            double *table = crd_i_alloc(context, network->nodes[i].rows * 2, sizeof *table);
            assert_non_null(table);
            for (size_t j = 0; j < network->nodes[i].rows * 2; j++) table[j] = 0.5;
            assert_done(crd_i_network_take_table(network, i, table, &error), error);
        }
        assert_done(crd_i_network_finish(network, &error), error);
        const size_t middle = COUNT / 2;
        int is_separated;
        size_t *path, length;
        for (size_t given = 0; given < 2; given++) {
            assert_done(
                crd_network_separation(network, 0, COUNT - 1, &middle, given, &is_separated, &path, &length, &error),
                error);
            assert_int_equal(is_separated, meet ? given == 0 : given == 1);
            assert_int_equal(length, is_separated ? 0 : COUNT);
            for (size_t i = 0; i < length; i++) assert_int_equal(path[i], i);
            crd_free(context, path);
        }
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
}

static void refuses(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(context, THREE ROOT("x", "0.5", "0.5") UNDER("y", "z") UNDER("z", "x"));
    const struct { size_t a, b, given; } wrong[] = {{0, 0, 2}, {0, 3, 2}, {3, 1, 2}, {0, 1, 3}, {0, 1, 0}, {0, 1, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int is_separated;
        size_t unset, *path = &unset, length;
        crd_error error;
        assert_int_equal(crd_network_separation(network, wrong[i].a, wrong[i].b, &wrong[i].given, 1, &is_separated,
                                                &path, &length, &error),
                         CRD_ERROR_ARGUMENT);
        assert_null(path);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* A ladder has exponentially many paths between its ends: the shortest come, and that there are more. */
static void paths_of_a_ladder(void **state) {
    (void)state;
    enum { RUNGS = 30, NODES = 2 * RUNGS };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    const crd_text states[] = {crd_text_of("x"), crd_text_of("y")};
    const double table[] = {.1, .9, .2, .8, .3, .7, .4, .6};
    crd_network_builder *builder = NULL;
    crd_network *network = NULL;
    crd_error error;
    assert_done(crd_network_builder_create(context, crd_text_of("ladder"), &builder, &error), error);
    for (size_t i = 0; i < NODES; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%zu", i);
        assert_done(crd_network_builder_add_node(builder, crd_text_of(name), CRD_NODE_CHANCE, states, 2, NULL, &error),
                    error);
        /* From the rung before on both sides, and from the left to the right. */
        size_t parents = 0;
        if (i >= 2) assert_done((parents++, crd_network_builder_add_arc(builder, i - 2, i, &error)), error);
        if (i % 2 == 1) assert_done((parents++, crd_network_builder_add_arc(builder, i - 1, i, &error)), error);
        assert_done(crd_network_builder_set_cpt(builder, i, table, (size_t)2 << parents, &error), error);
    }
    assert_done(crd_network_builder_finish(builder, &network, &error), error);
    for (int is_open = 0; is_open < 2; is_open++) {
        size_t *nodes = NULL, *lengths = NULL, count = 0;
        int is_complete = 1;
        assert_done(crd_network_paths(network, 0, NODES - 1, NULL, 0, is_open, 10, &nodes, &lengths, &count,
                                      &is_complete, &error),
                    error);
        assert_int_equal(count, 10);
        assert_int_equal(lengths[0], RUNGS + 1);
        assert_int_equal(lengths[9], RUNGS + 1);
        assert_false(is_complete);
        crd_free(context, nodes);
        crd_free(context, lengths);
    }
    const size_t no_path[] = {0, 3};
    crd_path_node seen[2];
    assert_int_equal(crd_network_path_nodes(network, no_path, 2, NULL, 0, seen, &error), CRD_ERROR_ARGUMENT);
    crd_network_destroy(network);
    crd_network_builder_destroy(builder);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lecture),
        cmocka_unit_test(long_chains),
        cmocka_unit_test(refuses),
        cmocka_unit_test(paths_of_a_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
