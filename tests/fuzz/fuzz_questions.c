/* SPDX-License-Identifier: MIT */
/* fuzz_questions.c - small networks under every question: the answers agree with each other, or there is an error.
 *
 * CHOICES bytes come first: the allocation that fails in a run of its own, numbers that rows of tables are rewritten by
 * (0: none is), and what is known of the nodes. The rest is the network, as BIF. */
#include "fuzz.h"

#include <math.h>
#include <string.h>

enum { CHOICES = 12, EVIDENCE = 2, MOST_NODES = 10, MOST_CELLS = 4096, MAX_STATES = 64, DRAWS = 64 };

typedef struct question {
    crd_context *context;
    const crd_network *network;
    crd_finding findings[MOST_NODES];
    double likelihoods[MOST_NODES][MAX_STATES];
    size_t finding_count;
    size_t nodes[MOST_NODES]; /* of chance, all of them */
    size_t node_count, numbers;
    size_t cells; /* of the joint table of all nodes */
    crd_inference_options options;
    unsigned refuse;
} question;

static bool is_done(const question *q, crd_status status, const crd_error *error) {
    FUZZ_CHECK(status == CRD_OK || error->message[0] != '\0');
    FUZZ_CHECK(status != CRD_ERROR_MEMORY || q->refuse != 0);
    return status == CRD_OK;
}

/* Small enough for the joint table of all nodes. */
static bool prepare(question *q, const uint8_t *choices) {
    q->cells = 1;
    if (crd_network_node_count(q->network) > MOST_NODES) return false;
    for (size_t i = 0; i < crd_network_node_count(q->network); i++) {
        const crd_node_kind kind = crd_network_node_kind(q->network, i);
        const size_t states = crd_network_state_count(q->network, i);
        const unsigned choice = choices[EVIDENCE + i];
        q->cells *= states;
        if (states > MAX_STATES || q->cells > MOST_CELLS) return false;
        if (kind == CRD_NODE_CHANCE) q->nodes[q->node_count++] = i, q->numbers += states;
        if (kind == CRD_NODE_UTILITY || choice % 4 < 2) continue;
        crd_finding *finding = &q->findings[q->finding_count++];
        *finding = (crd_finding){i, choice / 4 % states, NULL, 0};
        if (choice % 4 == 2 || kind == CRD_NODE_DECISION) continue;
        static const double degrees[] = {0, 1, 0.5, 1e-300, 1e300, 3};
        for (size_t s = 0; s < states; s++) q->likelihoods[finding->node][s] = degrees[(choice / 4 + s * s) % 6];
        finding->likelihoods = q->likelihoods[finding->node];
    }
    q->options = (crd_inference_options)CRD_INFERENCE_OPTIONS_INIT;
    q->options.threads = 1;
    q->options.memory = 0x1p24;
    q->options.draws = 256;
    return q->node_count > 0;
}

static void check_sums(const question *q, const double *posteriors, double tolerance) {
    for (size_t i = 0, position = 0; i < q->node_count; i++) {
        double sum = 0;
        for (size_t s = 0; s < crd_network_state_count(q->network, q->nodes[i]); s++, position++) {
            FUZZ_CHECK(posteriors[position] >= 0 && posteriors[position] <= 1 + tolerance);
            sum += posteriors[position];
        }
        FUZZ_CHECK(fabs(sum - 1) <= tolerance);
    }
}

/* The marginals of the joint posterior of two nodes are their posteriors. */
static void check_joint(const question *q, const double *posteriors) {
    static double joint[MOST_CELLS];
    crd_error error = {0};
    if (q->node_count < 2) return;
    const size_t rows = crd_network_state_count(q->network, q->nodes[0]);
    const size_t columns = crd_network_state_count(q->network, q->nodes[1]);
    if (!is_done(q,
                 crd_network_joint_posterior(q->network,
                                             &(crd_network_query){sizeof(crd_network_query), q->findings,
                                                                  q->finding_count, q->nodes, 2, &q->options},
                                             joint, NULL, NULL, &error),
                 &error))
        return;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < columns; k++) sum += joint[i * columns + k];
        FUZZ_CHECK(fabs(sum - posteriors[i]) < 1e-9);
    }
}

static void check_mpe(const question *q, double log_evidence) {
    size_t states[MOST_NODES];
    double log_probability = 0;
    crd_error error = {0};
    if (!is_done(q,
                 crd_network_mpe(q->network,
                                 &(crd_network_query){sizeof(crd_network_query), q->findings, q->finding_count, NULL, 0,
                                                      &q->options},
                                 states, &log_probability, NULL, &error),
                 &error))
        return;
    FUZZ_CHECK(log_probability <= log_evidence + 1e-6 * (1 + fabs(log_evidence)));
    for (size_t i = 0; i < crd_network_node_count(q->network); i++)
        FUZZ_CHECK(states[i] < crd_network_state_count(q->network, i));
    for (size_t i = 0; i < q->finding_count; i++)
        if (q->findings[i].likelihoods == NULL) FUZZ_CHECK(states[q->findings[i].node] == q->findings[i].state);
}

static void check_exact(const question *q) {
    static double posteriors[MOST_CELLS];
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error = {0};
    if (!is_done(q,
                 crd_network_posteriors(q->network,
                                        &(crd_network_query){sizeof(crd_network_query), q->findings, q->finding_count,
                                                             q->nodes, q->node_count, &q->options},
                                        posteriors, NULL, &result, &error),
                 &error))
        return;
    check_sums(q, posteriors, 1e-9);
    FUZZ_CHECK(!isnan(result.log_evidence));
    check_joint(q, posteriors);
    check_mpe(q, result.log_evidence);
}

static void check_approximate(const question *q) {
    static double posteriors[MOST_CELLS], errors[MOST_CELLS];
    for (int method = CRD_APPROXIMATION_WEIGHTING; method <= CRD_APPROXIMATION_LOOPY; method++) {
        crd_inference_options options = q->options;
        crd_error error = {0};
        options.approximation = (crd_approximation)method;
        options.is_always_approximate = 1;
        if (is_done(q,
                    crd_network_posteriors(q->network,
                                           &(crd_network_query){sizeof(crd_network_query), q->findings,
                                                                q->finding_count, q->nodes, q->node_count, &options},
                                           posteriors, errors, NULL, &error),
                    &error))
            check_sums(q, posteriors, 1e-6);
    }
}

static void check_draws(const question *q) {
    crd_network_sampler *sampler = NULL;
    int32_t states[MOST_NODES];
    double numbers[MOST_NODES];
    crd_error error = {0};
    if (!is_done(q,
                 crd_network_sampler_create(q->network, q->findings, q->finding_count, &q->options, &sampler, &error),
                 &error))
        return;
    for (uint64_t row = 0; row < DRAWS; row++) {
        if (!is_done(q, crd_network_sampler_draw(sampler, row, states, numbers, &error), &error)) break;
        for (size_t i = 0; i < crd_network_node_count(q->network); i++)
            FUZZ_CHECK(crd_network_node_kind(q->network, i) == CRD_NODE_GAUSSIAN
                           ? states[i] == -1
                           : states[i] >= 0 && (size_t)states[i] < crd_network_state_count(q->network, i));
        for (size_t i = 0; i < q->finding_count; i++)
            if (q->findings[i].likelihoods == NULL &&
                crd_network_node_kind(q->network, q->findings[i].node) != CRD_NODE_GAUSSIAN)
                FUZZ_CHECK((size_t)states[q->findings[i].node] == q->findings[i].state);
    }
    crd_network_sampler_destroy(sampler);
}

/* d-separation is symmetric, and a path leads from one node to the other. */
static void check_separation(const question *q) {
    size_t given[MOST_NODES], length[2] = {0, 0}, *path[2] = {NULL, NULL};
    int is_separated[2] = {0, 0};
    crd_error error = {0};
    for (size_t i = 0; i < q->finding_count; i++) given[i] = q->findings[i].node;
    for (size_t i = 1; i < q->node_count; i++) {
        const size_t ends[] = {q->nodes[0], q->nodes[i], q->nodes[0]};
        crd_status status = CRD_OK;
        for (size_t k = 0; k < 2 && status == CRD_OK; k++)
            status = crd_network_separation(q->network, ends[k], ends[k + 1], given, q->finding_count, &is_separated[k],
                                            &path[k], &length[k], &error);
        if (is_done(q, status, &error)) {
            FUZZ_CHECK(!is_separated[0] == !is_separated[1] && length[0] == length[1]);
            FUZZ_CHECK((path[0] == NULL) == (is_separated[0] != 0));
            if (path[0] != NULL) FUZZ_CHECK(path[0][0] == ends[0] && path[0][length[0] - 1] == ends[1]);
        }
        for (size_t k = 0; k < 2; k++) {
            crd_free(q->context, path[k]);
            path[k] = NULL;
        }
    }
}

static void check_reasons(const question *q) {
    crd_evidence_analysis *reasons = NULL;
    crd_error error = {0};
    if (!is_done(q,
                 crd_evidence_analysis_create(q->network, q->findings, q->finding_count, q->nodes[0], &q->options,
                                              &reasons, &error),
                 &error))
        return;
    const size_t states = crd_network_state_count(q->network, q->nodes[0]);
    double before = 0, after = 0;
    for (size_t s = 0; s < states; s++) before += reasons->before[s];
    for (size_t s = 0; s < states; s++) after += reasons->after[s];
    FUZZ_CHECK(fabs(before - 1) < 1e-9 && fabs(after - 1) < 1e-9 && reasons->state < states);
    for (size_t i = 0; i < q->finding_count; i++) {
        if (crd_network_node_kind(q->network, q->findings[i].node) != CRD_NODE_CHANCE) continue;
        FUZZ_CHECK(reasons->findings[i].information >= 0);
        FUZZ_CHECK(!isnan(crd_evidence_analysis_weight(reasons, i, 0)));
        FUZZ_CHECK((reasons->findings[i].path == NULL) == (reasons->findings[i].path_length == 0));
        for (size_t k = 0; k < q->finding_count; k++)
            if (k != i) (void)crd_evidence_analysis_interaction(reasons, i, k, 0);
    }
    crd_evidence_analysis_destroy(reasons);
}

static void check_policy(const question *q) {
    crd_policy *policy = NULL;
    crd_error error = {0};
    double value = 0;
    if (is_done(q, crd_policy_create(q->network, q->findings, q->finding_count, NULL, 0, &q->options, &policy, &error),
                &error)) {
        FUZZ_CHECK(!isnan(policy->utility));
        for (size_t i = 0; i < policy->decision_count; i++) {
            size_t combinations = 1, decision = policy->decisions[i].node;
            for (size_t k = 0; k < policy->decisions[i].known_count; k++)
                combinations *= crd_network_state_count(q->network, policy->decisions[i].known[k]);
            for (size_t c = 0; c < combinations; c++) {
                const size_t choice = policy->decisions[i].choices[c];
                FUZZ_CHECK(choice == CRD_NONE || choice < crd_network_state_count(q->network, decision));
            }
        }
        if (is_done(q,
                    crd_network_value_of_observing(q->network, q->findings, q->finding_count, q->nodes[0], &q->options,
                                                   &value, &error),
                    &error))
            FUZZ_CHECK(value >= 0);
    }
    crd_policy_destroy(policy);
}

/* The network with rows of its tables rewritten: certain, even, or with probabilities near 0. */
static crd_network *rewritten(const crd_network *network, unsigned choice) {
    crd_network_builder *builder = NULL;
    crd_network *out = NULL;
    static double values[MOST_CELLS];
    FUZZ_CHECK(crd_network_builder_from(network, &builder, NULL) == CRD_OK);
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        size_t rows = 0;
        const size_t states = crd_network_state_count(network, i);
        const double *table = crd_network_cpt(network, i, &rows);
        if (crd_network_node_kind(network, i) != CRD_NODE_CHANCE || rows * states > MOST_CELLS) continue;
        memcpy(values, table, rows * states * sizeof *values);
        for (size_t row = 0; row < rows; row++) {
            const size_t mode = (choice + 3 * row + 5 * i) % 7, one = (choice / 7 + row) % states;
            for (size_t s = 0; mode < 3 && s < states; s++)
                values[row * states + s] = mode == 0   ? s == one
                                           : mode == 1 ? 1 / (double)states
                                                       : (s == one ? 1 : 1e-300);
        }
        FUZZ_CHECK(crd_network_builder_set_cpt(builder, i, values, rows * states, NULL) == CRD_OK);
    }
    FUZZ_CHECK(crd_network_builder_finish(builder, &out, NULL) == CRD_OK);
    crd_network_builder_destroy(builder);
    return out;
}

static void ask(const uint8_t *choices, crd_text text, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    crd_network *network = NULL, *changed = NULL;
    if (crd_network_read(context, text, "input", CRD_NETWORK_FORMAT_BIF, &network, NULL) == CRD_OK) {
        question q = {.context = context, .network = network, .refuse = refuse};
        if (choices[1] != 0) q.network = changed = rewritten(network, choices[1]);
        if (prepare(&q, choices)) {
            accounts.refuse = refuse == 0 ? 0 : accounts.ullong + refuse;
            check_exact(&q);
            check_approximate(&q);
            check_draws(&q);
            check_separation(&q);
            check_reasons(&q);
            check_policy(&q);
        }
    }
    crd_network_destroy(changed);
    crd_network_destroy(network);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < CHOICES) return 0;
    const crd_text text = {(const char *)bytes + CHOICES, length - CHOICES};
    ask(bytes, text, 0);
    if (bytes[0] != 0) ask(bytes, text, 8u * bytes[0]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const networks[] = {
        /* a collider with a child, a chain, a node alone */
        ("variable a{type discrete[2]{x,y};}variable b{type discrete[3]{x,y,z};}variable c{type discrete[2]{x,y};}"
         "variable d{type discrete[2]{x,y};}variable e{type discrete[1]{x};}probability(a){table .25 .75;}"
         "probability(b){table .2 .3 .5;}probability(c|a,b){(x,x).1 .9;(x,y)0 1;(x,z)1 0;(y,x).5 .5;"
         "(y,y)1e-300 1;(y,z).3 .7;}probability(d|c){(x).9 .1;(y).2 .8;}probability(e){table 1;}"),
        /* loops */
        ("variable a{type discrete[2]{x,y};}variable b{type discrete[2]{x,y};}variable c{type discrete[2]{x,y};}"
         "variable d{type discrete[2]{x,y};}probability(a){table .01 .99;}probability(b|a){(x).9 .1;(y).2 .8;}"
         "probability(c|a){(x)0 1;(y)1 0;}probability(d|b,c){(x,x)1 0;default .5 .5;}"),
        /* a decision that knows a test, and two utilities */
        ("variable oil{type discrete[2]{yes,no};}variable test{type discrete[2]{good,bad};}"
         "variable drill{type discrete[2]{yes,no};property \"credence decision\";}"
         "variable pay{type discrete[1]{z};property \"credence utility\";}"
         "variable cost{type discrete[1]{z};property \"credence utility\";}probability(oil){table .2 .8;}"
         "probability(test|oil){(yes).9 .1;(no).3 .7;}probability(drill|test){default .5 .5;}"
         "probability(pay|oil,drill){(yes,yes)100;default 0;}probability(cost|drill){(yes)-20;default 0;}"),
        /* two decisions, and utilities as great as can be */
        ("variable a{type discrete[2]{x,y};}variable d{type discrete[2]{p,q};property \"credence decision\";}"
         "variable b{type discrete[2]{x,y};}variable e{type discrete[3]{p,q,r};property \"credence decision\";}"
         "variable u{type discrete[1]{z};property \"credence utility\";}probability(a){table .5 .5;}"
         "probability(d|a){default .5 .5;}probability(b|a,d){(x,p)1 0;default .1 .9;}probability(e|b){default .3 .3 "
         ".4;}"
         "probability(u|b,e){(x,p)1.7e308;(y,q)-1.7e308;default 1;}"),
    };
    static const unsigned char choices[][CHOICES] = {{0},
                                                     {0, 0, 2, 0, 0, 6},
                                                     {9, 1, 0, 0, 2, 0},
                                                     {0, 5, 3, 7, 0, 0},
                                                     {30, 0, 0, 0, 2, 3},
                                                     {0, 13, 11, 2, 6, 2},
                                                     {0, 40, 0, 0, 15, 0, 0}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (size_t j = 0; j < sizeof choices / sizeof *choices; j++) {
            unsigned char input[1024];
            const size_t length = strlen(networks[i]);
            memcpy(input, choices[j], CHOICES);
            memcpy(input + CHOICES, networks[i], length);
            emit(user, input, CHOICES + length);
        }
}
