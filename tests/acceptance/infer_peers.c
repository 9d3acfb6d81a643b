/* SPDX-License-Identifier: MIT */
/* Answers of published networks against those of pyAgrum 3.3.1, whose tables were normalized too.
 *
 * The rows were written by bench/networks/reference.py, which says what they are. The tolerance is 1e-9 for every
 * probability; both sides differ by less than 1e-15 in most. */
#include "network_support.h"

typedef struct peers_reference {
    const char *name;
    bool has_findings;
    double first_states, squares, middle, log_evidence;
} peers_reference;

static const peers_reference references[] = {
    {"alarm", false, 8.919995292930071, 25.685573152275058, 0.05000000000000001, 0.0},
    {"alarm", true, 8.518853016390034, 31.559473994954363, 0.05, -0.9665546310467276},
    {"asia", false, 1.63648864, 6.051362893143123, 0.45, 0.0},
    {"asia", true, 3.417197536938684, 6.892991623905111, 0.880163818179187, -1.2858917154133085},
    {"cancer", false, 1.7238415, 3.6241506035025, 0.01163, 0.0},
    {"cancer", true, 1.695574531804891, 3.6678408620608396, 0.0, -0.011698157412492348},
    {"child", false, 7.3159628897713125, 10.000391817202733, 0.24757780881298364, 0.0},
    {"child", true, 7.627245313754386, 13.3253924655725, 0.29600284441680885, -2.1879057713824266},
    {"earthquake", false, 0.130930068, 4.748665839594379, 0.016114200000000002, 0.0},
    {"earthquake", true, 0.0749062015124113, 4.855797224710703, 0.0, -0.01624544557557717},
    {"hailfinder", false, 14.227649261434856, 17.958452251792117, 0.15, 0.0},
    {"hailfinder", true, 13.707670237864678, 27.090903561383332, 0.15220246881888155, -9.583285236101705},
    {"hepar2", false, 14.194405405711887, 48.583137136470775, 0.9816841042958465, 0.0},
    {"hepar2", true, 12.156134726710102, 54.61577884377616, 0.9806979785474743, -4.612704853509736},
    {"insurance", false, 11.510461700803328, 14.60613991280394, 0.11700001799999997, 0.0},
    {"insurance", true, 12.0761693206599, 20.090568421186838, 0.1553007440764617, -1.77584157143088},
    {"sachs", false, 5.612232331488561, 5.482338611355931, 0.8400913443967253, 0.0},
    {"sachs", true, 5.813526581809682, 7.123593527060986, 0.8400913443967253, -0.9968873196385811},
    {"survey", false, 3.3943199760000002, 3.482449555849108, 0.949816, 0.0},
    {"survey", true, 3.666099758518916, 3.857122610489462, 0.96, -0.2938342919369789},
    {"water", false, 4.870007775096986, 22.18734651447923, 0.19624999999999998, 0.0},
    {"water", true, 4.663529362042448, 24.967736241296166, 0.19625000000000004, -2.597809382843405},
    {"win95pts", false, 65.75745008426637, 64.9665669731879, 0.9521940186660002, 0.0},
    {"win95pts", true, 69.40210994252108, 71.4885294527013, 0.9979677851042597, -1.4119264305165558},
};

static void find_likely(const crd_network *network, int32_t *states) {
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[network->order[i]];
        size_t row = 0, state_count = crd_i_node_states(node), best = 0;
        for (size_t j = 0; j < node->parent_count; j++)
            row = row * crd_i_node_states(&network->nodes[node->parents[j]]) + (size_t)states[node->parents[j]];
        for (size_t j = 1; j < state_count; j++)
            if (node->table[row * state_count + j] > node->table[row * state_count + best]) best = j;
        states[network->order[i]] = (int32_t)best;
    }
}

static void check(const crd_network *network, const crd_i_junction *junction, const peers_reference *wanted,
                  const double *posteriors, double log_evidence) {
    double first_states = 0, squares = 0, slack = 1e-9 * (double)network->count;
    for (size_t i = 0; i < network->count; i++) {
        double sum = 0;
        first_states += posteriors[crd_i_junction_start(junction, i)];
        for (size_t j = crd_i_junction_start(junction, i); j < crd_i_junction_start(junction, i + 1); j++) {
            squares += posteriors[j] * posteriors[j];
            sum += posteriors[j];
        }
        assert_true(fabs(sum - 1) < 1e-14);
    }
    double middle = posteriors[crd_i_junction_start(junction, network->count / 2)];
    if (!(fabs(first_states - wanted->first_states) < slack && fabs(squares - wanted->squares) < slack &&
          fabs(middle - wanted->middle) < 1e-9 && fabs(log_evidence - wanted->log_evidence) < 1e-9))
        fail_msg("%s: %.17g %.17g %.17g %.17g", wanted->name, first_states, squares, middle, log_evidence);
}

/* The most probable explanation is possible, agrees with the evidence, and has the probability that it is said to. */
static void check_most_probable(crd_i_junction_work *work, const crd_network *network, const crd_i_evidence *findings,
                                const int32_t *likely) {
    int32_t states[128];
    double log_most;
    crd_error error;
    assert_done(crd_i_junction_most_probable(work, findings, states, &log_most, &error), error);
    for (size_t i = 0; i < network->count; i++)
        if (findings->states[i] >= 0) assert_int_equal(states[i], findings->states[i]);
    double p = joint_probability(network, states);
    assert_true(fabs(log(p) - log_most) < 1e-9);
    assert_true(p >= joint_probability(network, likely));
}

static void published_networks(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        crd_network *network = load_network(context, references[i].name);
        crd_i_junction *junction = NULL;
        crd_i_junction_work *work = NULL;
        crd_error error;
        int32_t likely[128], states[128];
        double log_evidence;
        assert_non_null(network);
        assert_true(network->count <= 128);
        find_likely(network, likely);
        for (size_t j = 0; j < network->count; j++)
            states[j] = references[i].has_findings && j % 5 == 2 ? likely[j] : -1;
        assert_done(crd_i_junction_compile(network, NULL, &junction, &error), error);
        assert_done(crd_i_junction_work_create(junction, &work, &error), error);
        double *posteriors = crd_i_alloc(context, crd_i_junction_start(junction, network->count), sizeof *posteriors);
        assert_non_null(posteriors);
        const crd_i_evidence findings = {.states = states};
        assert_done(crd_i_junction_ask(work, &findings, NULL, posteriors, &log_evidence, &error), error);
        check(network, junction, &references[i], posteriors, log_evidence);
        check_most_probable(work, network, &findings, likely);
        crd_free(context, posteriors);
        crd_i_junction_work_destroy(work);
        crd_i_junction_destroy(junction);
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    FILE *there = fopen(CREDENCE_DATA "/networks/asia.bif", "r");
    if (there == NULL) {
        printf("skipped: the published networks are not at %s/networks\n", CREDENCE_DATA);
        return 77;
    }
    fclose(there);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
