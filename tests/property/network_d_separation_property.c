/* SPDX-License-Identifier: MIT */
/* Separation on small random networks, against every path there is and against the numbers of the tables. */
#include "network/network_internal.h"
#include "network_support.h"

enum { NETWORKS = 300, MOST = 7 };

/* Nodes of two or three states, each with some of the earlier ones as parents, and no zero in any table: with numbers
 * drawn at random, nodes that are not separated depend on each other but for chance that never happens. */
static crd_network *connected(crd_context *context, uint64_t seed, size_t count, uint64_t percent) {
    crd_i_random random = crd_i_random_at(seed, 7);
    crd_network *network = NULL;
    crd_error error;
    const crd_text states[] = {crd_text_of("x"), crd_text_of("y"), crd_text_of("z")};
    assert_done(crd_i_network_create(context, crd_text_of("random"), &network, &error), error);
    for (size_t i = 0; i < count; i++) {
        char name[24];
        uint32_t parents[MOST];
        size_t node, parent_count = 0, state_count = 2 + crd_i_random_below(&random, 2);
        snprintf(name, sizeof name, "n%zu", i);
        assert_done(crd_i_network_add(network, crd_text_of(name), states, state_count, &node, &error), error);
        for (uint32_t j = 0; j < i; j++)
            if (crd_i_random_below(&random, 100) < percent) parents[parent_count++] = j;
        assert_done(crd_i_network_set_parents(network, node, parents, parent_count, &error), error);
        size_t rows = network->nodes[node].rows;
        double *table = crd_i_alloc(context, rows * state_count, sizeof *table);
        assert_non_null(table);
        for (size_t row = 0; row < rows; row++) {
            double sum = 0;
            for (size_t j = 0; j < state_count; j++)
                sum += table[row * state_count + j] = 0.05 + crd_i_random_open(&random);
            for (size_t j = 0; j < state_count; j++) table[row * state_count + j] /= sum;
        }
        assert_done(crd_i_network_take_table(network, node, table, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    return network;
}

static bool is_arrow(const crd_network *network, size_t source, size_t target) {
    for (size_t i = 0; i < crd_network_parent_count(network, target); i++)
        if (crd_network_parent(network, target, i) == source) return true;
    return false;
}

static bool is_given_below(const crd_network *network, size_t node, const bool *is_given) {
    if (is_given[node]) return true;
    for (size_t i = 0; i < crd_i_network_child_count(network, node); i++)
        if (is_given_below(network, crd_i_network_child(network, node, i), is_given)) return true;
    return false;
}

/* The definition, word by word. */
static bool passes(const crd_network *network, const size_t *path, size_t length, const bool *is_given) {
    for (size_t i = 1; i + 1 < length; i++) {
        bool meet = is_arrow(network, path[i - 1], path[i]) && is_arrow(network, path[i + 1], path[i]);
        if (meet ? !is_given_below(network, path[i], is_given) : is_given[path[i]]) return false;
    }
    return true;
}

/* Nodes of the shortest path that passes, of all that begin with these; 0: none. */
static size_t shortest(const crd_network *network, size_t *path, size_t length, size_t b, const bool *is_given) {
    size_t best = 0, last = path[length - 1];
    if (last == b) return passes(network, path, length, is_given) ? length : 0;
    for (size_t next = 0; next < crd_network_node_count(network); next++) {
        bool is_new = length < MOST && (is_arrow(network, last, next) || is_arrow(network, next, last));
        for (size_t i = 0; i < length; i++) is_new = is_new && path[i] != next;
        if (!is_new) continue;
        path[length] = next;
        size_t candidate = shortest(network, path, length + 1, b, is_given);
        if (candidate != 0 && (best == 0 || candidate < best)) best = candidate;
    }
    return best;
}

/* How far P(a, b | given) is from P(a | given) P(b | given) at most, by going through every combination of states. */
static double dependence(const crd_network *network, size_t a, size_t b, const size_t *given, size_t given_count) {
    enum { MAX_STATES = 3, CELLS = 2187 }; /* 3 to the 7th */
    static double joint[CELLS][MAX_STATES][MAX_STATES];
    int32_t states[MOST] = {0};
    double greatest = 0;
    memset(joint, 0, sizeof joint);
    for (;;) {
        size_t cell = 0, i = 0;
        for (size_t j = 0; j < given_count; j++) cell = cell * MAX_STATES + (size_t)states[given[j]];
        joint[cell][states[a]][states[b]] += joint_probability(network, states);
        while (i < network->count && ++states[i] == (int32_t)crd_i_node_states(&network->nodes[i])) states[i++] = 0;
        if (i == network->count) break;
    }
    for (size_t cell = 0; cell < CELLS; cell++) {
        double of_a[MAX_STATES] = {0}, of_b[MAX_STATES] = {0}, all = 0;
        for (size_t i = 0; i < MAX_STATES; i++)
            for (size_t j = 0; j < MAX_STATES; j++) {
                of_a[i] += joint[cell][i][j];
                of_b[j] += joint[cell][i][j];
                all += joint[cell][i][j];
            }
        for (size_t i = 0; all > 0 && i < MAX_STATES; i++)
            for (size_t j = 0; j < MAX_STATES; j++)
                greatest = fmax(greatest, fabs(joint[cell][i][j] / all - of_a[i] / all * (of_b[j] / all)));
    }
    return greatest;
}

/* How many paths there are, of all that begin with these: all, or those that pass. */
static size_t count_paths(const crd_network *network, size_t *path, size_t length, size_t b, const bool *is_given,
                          bool is_open) {
    size_t path_count = 0, last = path[length - 1];
    if (last == b) return !is_open || passes(network, path, length, is_given);
    for (size_t next = 0; next < crd_network_node_count(network); next++) {
        bool is_new = length < MOST && (is_arrow(network, last, next) || is_arrow(network, next, last));
        for (size_t i = 0; i < length; i++) is_new = is_new && path[i] != next;
        if (!is_new) continue;
        path[length] = next;
        path_count += count_paths(network, path, length + 1, b, is_given, is_open);
    }
    return path_count;
}

/* All paths, each once and the shortest first, open ones with nothing on them that blocks. */
static void compare_paths(const crd_network *network, crd_context *context, size_t a, size_t b, const size_t *given,
                          size_t given_count, const bool *is_given, bool is_open) {
    enum { MOST_PATHS = 2000 };
    size_t walk[MOST] = {a}, *nodes = NULL, *lengths = NULL, count = 0, index = 0;
    int is_complete = 0;
    crd_error error;
    assert_done(crd_network_paths(network, a, b, given, given_count, is_open, MOST_PATHS, &nodes, &lengths, &count,
                                  &is_complete, &error),
                error);
    assert_int_equal(count, count_paths(network, walk, 1, b, is_given, is_open));
    assert_true(is_complete);
    for (size_t i = 0; i < count; i++) {
        crd_path_node seen[MOST];
        const size_t *path = nodes + index;
        bool blocks = false;
        assert_true(i == 0 || lengths[i] >= lengths[i - 1]);
        assert_true(i == 0 || lengths[i] != lengths[i - 1] ||
                    memcmp(path, path - lengths[i], lengths[i] * sizeof *path) != 0);
        assert_int_equal(path[0], a);
        assert_int_equal(path[lengths[i] - 1], b);
        assert_done(crd_network_path_nodes(network, path, lengths[i], given, given_count, seen, &error), error);
        for (size_t j = 0; j < lengths[i]; j++) blocks = blocks || seen[j].is_blocking;
        assert_int_equal(!blocks, passes(network, path, lengths[i], is_given));
        index += lengths[i];
    }
    crd_free(context, nodes);
    crd_free(context, lengths);
}

static void compare(const crd_network *network, crd_context *context, size_t a, size_t b, const size_t *given,
                    size_t given_count) {
    bool is_given[MOST] = {false};
    size_t walk[MOST], *path = NULL, length = 0;
    int is_separated = -1;
    crd_error error;
    for (size_t i = 0; i < given_count; i++) is_given[given[i]] = true;
    assert_done(crd_network_separation(network, a, b, given, given_count, &is_separated, &path, &length, &error),
                error);
    walk[0] = a;
    size_t wanted = shortest(network, walk, 1, b, is_given);
    assert_int_equal(is_separated, wanted == 0);
    assert_int_equal(length, wanted);
    compare_paths(network, context, a, b, given, given_count, is_given, true);
    compare_paths(network, context, a, b, given, given_count, is_given, false);
    double depends = dependence(network, a, b, given, given_count);
    if (is_separated) {
        assert_null(path);
        assert_true(depends < 1e-14);
    } else {
        assert_int_equal(path[0], a);
        assert_int_equal(path[length - 1], b);
        for (size_t i = 0; i + 1 < length; i++)
            assert_true(is_arrow(network, path[i], path[i + 1]) || is_arrow(network, path[i + 1], path[i]));
        for (size_t i = 0; i < length; i++)
            for (size_t j = 0; j < i; j++) assert_int_not_equal(path[i], path[j]);
        assert_true(passes(network, path, length, is_given));
        assert_true(depends > 1e-9);
    }
    crd_free(context, path);
}

/* Sets are separated where each node of one is from each of the other, and the shortest path is the shortest of these
 * pairs. */
static void sets(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        crd_network *network = connected(context, seed, MOST, 20 + seed % 3 * 15);
        crd_i_random random = crd_i_random_at(seed, 300);
        size_t nodes[4][MOST], counts[4] = {0}, least = 0, *path = NULL, length = 0;
        int is_separated = -1, is_pair_separated = -1;
        crd_error error;
        for (size_t i = 0; i < MOST; i++) {
            size_t set = crd_i_random_below(&random, 4);
            nodes[set][counts[set]++] = i;
        }
        for (size_t i = 0; i < counts[0] * counts[1]; i++) {
            assert_done(crd_network_separation(network, nodes[0][i / counts[1]], nodes[1][i % counts[1]], nodes[2],
                                               counts[2], &is_pair_separated, &path, &length, &error),
                        error);
            if (!is_pair_separated && (least == 0 || length < least)) least = length;
            crd_free(context, path);
        }
        assert_done(crd_network_set_separation(network, nodes[0], counts[0], nodes[1], counts[1], nodes[2], counts[2],
                                               &is_separated, &path, &length, &error),
                    error);
        assert_int_equal(is_separated, least == 0);
        assert_int_equal(length, least);
        crd_free(context, path);
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Given its blanket a node is separated from all others, and from no node of it given the rest of it. */
static void blankets(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        crd_network *network = connected(context, seed, MOST, 20 + seed % 3 * 15);
        for (size_t node = 0; node < MOST; node++) {
            size_t *blanket = NULL, count = 0, *path = NULL, length, given[MOST];
            int is_separated = -1;
            crd_error error;
            assert_done(crd_network_markov_blanket(network, node, &blanket, &count, &error), error);
            for (size_t other = 0; other < MOST; other++) {
                size_t given_count = 0;
                for (size_t i = 0; i < count; i++)
                    if (blanket[i] != other) given[given_count++] = blanket[i];
                if (other == node) continue;
                assert_done(crd_network_separation(network, node, other, given, given_count, &is_separated, &path,
                                                   &length, &error),
                            error);
                assert_int_equal(is_separated, given_count == count);
                crd_free(context, path);
            }
            crd_free(context, blanket);
        }
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void every_path(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    size_t separated = 0, joined = 0;
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        crd_network *network = connected(context, seed, 2 + seed % (MOST - 1), 20 + seed % 3 * 15);
        for (uint64_t question = 0; question < 12; question++) {
            crd_i_random random = crd_i_random_at(seed, 100 + question);
            size_t given[MOST], given_count = 0, a = crd_i_random_below(&random, network->count), b;
            do b = crd_i_random_below(&random, network->count);
            while (b == a);
            for (size_t i = 0; i < network->count; i++)
                if (i != a && i != b && crd_i_random_below(&random, 3) == 0) given[given_count++] = i;
            compare(network, context, a, b, given, given_count);
            int is_separated, is_back_separated;
            size_t *path, length, back_length;
            crd_error error;
            assert_done(
                crd_network_separation(network, a, b, given, given_count, &is_separated, &path, &length, &error),
                error);
            crd_free(context, path);
            assert_done(crd_network_separation(network, b, a, given, given_count, &is_back_separated, &path,
                                               &back_length, &error),
                        error);
            crd_free(context, path);
            assert_int_equal(is_separated, is_back_separated);
            assert_int_equal(length, back_length);
            separated += is_separated != 0;
            joined += is_separated == 0;
        }
        crd_network_destroy(network);
    }
    /* Both answers were put to the test often. */
    assert_true(separated > NETWORKS * 2 && joined > NETWORKS * 2);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path),
        cmocka_unit_test(sets),
        cmocka_unit_test(blankets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
