/* SPDX-License-Identifier: MIT */
/* approximate.c - see approximate.h.
 *
 * Contents:
 *   1. Shared parts of the samplers
 *   2. Approximate queries */
#include "infer/approximate.h"

#include "base/arena.h"
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* ======== 1. Shared parts of the samplers ======== */

uint64_t crd_i_draw_count(const crd_inference_options *options) {
    return options->draws == 0 ? (uint64_t)1 << 17 : options->draws;
}

void crd_i_aim_look(const crd_i_aim *aim, const crd_i_target *target, const crd_i_proposal *proposal,
                    const crd_i_draw *draw, double *out, size_t *first, size_t *count) {
    const uint32_t *size_of = aim->reduced->size_of;
    uint32_t last = aim->variables[target->end - 1];
    size_t row = 0;
    for (size_t i = target->begin; i + 1 < target->end; i++)
        row = row * size_of[aim->variables[i]] + draw->states[aim->variables[i]];
    *first = target->cell + row * size_of[last];
    *count = size_of[last];
    double sum = crd_i_proposal_conditional(proposal, draw, last, out);
    for (size_t i = 0; i < *count; i++) out[i] /= sum;
}

/* ---- Sums of weights ---- */

/* Smaller weights are negligible relative to 1, and their squares do not underflow either. */
enum { LEAST_POWER = -500 };

static double estimates_power_of_two(int64_t power) {
    return power < LEAST_POWER ? 0 : ldexp(1, (int)power);
}

double crd_i_weights_add(crd_i_weights *weights, const crd_i_draw *draw, double *weight) {
    double factor = 1;
    weights->draws++;
    *weight = 0;
    if (draw->weight.mantissa == 0) return factor;
    /* The unit changes rarely, because it leaves headroom above the largest weight. */
    if (weights->sum == 0) {
        weights->exponent = draw->weight.exponent;
    } else if (draw->weight.exponent > weights->exponent + 100) {
        factor = estimates_power_of_two(weights->exponent - draw->weight.exponent);
        weights->exponent = draw->weight.exponent;
        weights->sum *= factor;
        weights->squares *= factor * factor;
        weights->largest *= factor;
    }
    *weight = draw->weight.mantissa * estimates_power_of_two(draw->weight.exponent - weights->exponent);
    weights->sum += *weight;
    weights->squares += *weight * *weight;
    if (*weight > weights->largest) weights->largest = *weight;
    return factor;
}

void crd_i_weights_merge(crd_i_weights *weights, const crd_i_weights *others, double *ours, double *theirs) {
    *ours = *theirs = 1;
    weights->draws += others->draws;
    if (others->sum == 0) return;
    if (weights->sum == 0) {
        weights->exponent = others->exponent;
    } else if (others->exponent > weights->exponent) {
        *ours = estimates_power_of_two(weights->exponent - others->exponent);
        weights->exponent = others->exponent;
    } else {
        *theirs = estimates_power_of_two(others->exponent - weights->exponent);
    }
    weights->sum = weights->sum * *ours + others->sum * *theirs;
    weights->squares = weights->squares * *ours * *ours + others->squares * *theirs * *theirs;
    weights->largest *= *ours;
    if (others->largest * *theirs > weights->largest) weights->largest = others->largest * *theirs;
}

double crd_i_weights_effective(const crd_i_weights *weights) {
    return weights->squares > 0 ? weights->sum * weights->sum / weights->squares : 0;
}

double crd_i_weights_surely(const crd_i_weights *weights) {
    double effective = crd_i_weights_effective(weights);
    bool is_one_heavy = weights->largest > 0 && weights->sum / weights->largest < effective;
    return is_one_heavy ? weights->sum / weights->largest : effective;
}

/* The squared coefficient of variation of the mean weight is 1 / effective - 1 / draws. The variance of its
 * logarithm is approximately the same. */
void crd_i_weights_evidence(const crd_i_weights *weights, const crd_i_proposal *proposal,
                            crd_inference_result *result) {
    double effective = crd_i_weights_effective(weights);
    double variance = 1 / effective - 1 / weights->draws;
    result->log_evidence =
        proposal->log_scale + crd_i_log_scaled(weights->sum, weights->exponent) - crd_log(weights->draws);
    result->log_evidence_error = crd_i_honest_error(variance > 0 ? variance : 0, effective);
}

/* Weights that did not occur would be among the largest. The error is therefore increased by half, and by more if
 * few draws are effective. With this, two standard errors cover each estimate in at least 98 of 100 runs on networks
 * of all kinds (bench_monte_carlo). */
double crd_i_honest_error(double variance, double effective) {
    double missed = 1.5 / effective;
    return sqrt((1.5 + 50 / effective) * variance + missed * missed);
}

crd_status crd_i_fail_no_draw(double draws, crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_NOT_CONVERGED,
                      "none of %.0f draws agrees with all findings: the findings may contradict each other; use more "
                      "draws, or more memory for an exact result",
                      draws);
}

/* ---- Parallel draws ---- */

unsigned crd_i_sampling_threads(unsigned requested, size_t numbers) {
    const size_t capacity = (size_t)1 << 22;
    size_t slots = numbers == 0 ? CRD_I_MOST_SLOTS : capacity / numbers;
    if (slots > CRD_I_MOST_SLOTS) slots = CRD_I_MOST_SLOTS;
    const unsigned threads = crd_i_thread_pool_size(requested), most = (unsigned)slots / CRD_I_SLOTS_OF_THREAD;
    return most == 0 ? 1 : threads > most ? most : threads;
}

/* ======== 2. Approximate queries ======== */

enum { LOOPY_ROUNDS = 500 };

/* ---- Nodes and cells ---- */

/* Nodes whose joint posterior is queried, or a single node. */
typedef struct approximate_group {
    const size_t *nodes;
    size_t count;
} approximate_group;

static size_t group_cells(const crd_network *network, const approximate_group *group) {
    size_t cells = 1;
    for (size_t i = 0; i < group->count; i++) cells *= crd_i_node_states(&network->nodes[group->nodes[i]]);
    return cells;
}

static bool approximate_add_target(const crd_i_reduced *reduced, const approximate_group *group, crd_i_target *target,
                                   uint32_t *variables, size_t begin, size_t cell) {
    const crd_i_target empty = {.begin = begin, .end = begin, .cell = cell, .cells = 1};
    *target = empty;
    for (size_t i = 0; i < group->count; i++) {
        int32_t variable = reduced->variable_of[group->nodes[i]];
        if (variable < 0) continue;
        variables[target->end++] = (uint32_t)variable;
        target->cells *= reduced->size_of[variable];
    }
    return target->end > begin;
}

/* Copies the values of a target, starting at `numbers`, to their positions in a result that is initialized to zero. */
static void approximate_spread(const crd_i_reduced *reduced, const approximate_group *group, const double *numbers,
                               size_t cells, double *answer) {
    const crd_network *network = reduced->network;
    for (size_t cell = 0; cell < cells; cell++) {
        size_t left = cell, stride = 1, index = 0;
        for (size_t i = group->count; i-- > 0;) {
            int32_t variable = reduced->variable_of[group->nodes[i]];
            size_t state;
            if (variable < 0) {
                state = (size_t)reduced->state_of[group->nodes[i]];
            } else {
                state = reduced->states[reduced->starts[variable] + left % reduced->size_of[variable]];
                left /= reduced->size_of[variable];
            }
            index += stride * state;
            stride *= crd_i_node_states(&network->nodes[group->nodes[i]]);
        }
        answer[index] = numbers[cell];
    }
}

/* ---- Draws ---- */

static void hand_out(const crd_i_aim *aim, const approximate_group *groups, size_t count, double *answer,
                     double *errors) {
    const double certain = 1, exact = 0;
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        size_t cells = group_cells(aim->reduced->network, &groups[i]);
        bool is_open = false;
        for (size_t j = 0; j < groups[i].count; j++)
            is_open = is_open || aim->reduced->variable_of[groups[i].nodes[j]] >= 0;
        const crd_i_target *target = is_open ? &aim->targets[next++] : NULL;
        size_t own = is_open ? target->cells : 1;
        memset(answer, 0, cells * sizeof *answer);
        approximate_spread(aim->reduced, &groups[i], is_open ? aim->estimates + target->cell : &certain, own, answer);
        if (errors != NULL) {
            memset(errors, 0, cells * sizeof *errors);
            approximate_spread(aim->reduced, &groups[i], is_open ? aim->errors + target->cell : &exact, own, errors);
            errors += cells;
        }
        answer += cells;
    }
}

static crd_status approximate_draw(const crd_i_evidence_query *query, const crd_i_reduced *reduced,
                                   const approximate_group *groups, size_t count, double *answer, double *errors,
                                   crd_inference_result *result, crd_error *error) {
    crd_i_arena *arena = crd_i_arena_create(reduced->context);
    crd_i_proposal *proposal = NULL;
    size_t places = 0;
    for (size_t i = 0; i < count; i++) places += groups[i].count;
    crd_i_target *targets = crd_i_arena_alloc(arena, count, sizeof *targets);
    uint32_t *variables = crd_i_arena_alloc(arena, places, sizeof *variables);
    crd_i_aim aim = {.query = query, .reduced = reduced, .targets = targets, .variables = variables};
    size_t end = 0;
    for (size_t i = 0; variables != NULL && i < count; i++) {
        crd_i_target *target = &targets[aim.target_count];
        if (!approximate_add_target(reduced, &groups[i], target, variables, end, aim.cells)) continue;
        aim.target_count++;
        aim.cells += target->cells;
        end = target->end;
    }
    aim.estimates = crd_i_arena_alloc(arena, aim.cells, sizeof *aim.estimates);
    aim.errors = crd_i_arena_alloc(arena, aim.cells, sizeof *aim.errors);
    crd_status status = crd_i_arena_check(arena, error);
    if (status == CRD_OK)
        status =
            crd_i_proposal_create(reduced, query->options.seed, crd_i_draw_count(&query->options), &proposal, error);
    if (status == CRD_OK)
        status = (query->options.approximation == CRD_APPROXIMATION_GIBBS ? crd_i_gibbs : crd_i_weighting)(
            &aim, proposal, result, error);
    if (status == CRD_OK) hand_out(&aim, groups, count, answer, errors);
    crd_i_proposal_destroy(proposal);
    crd_i_arena_destroy(arena);
    return status;
}

static crd_status draw_all(const crd_i_evidence_query *query, const crd_i_reduced *reduced, const size_t *nodes,
                           size_t count, bool together, double *answer, double *errors, crd_inference_result *result,
                           crd_error *error) {
    crd_context *context = reduced->context;
    const approximate_group whole = {nodes, count};
    if (together) return approximate_draw(query, reduced, &whole, 1, answer, errors, result, error);
    approximate_group *groups = crd_i_alloc(context, count, sizeof *groups);
    if (groups == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        groups[i].nodes = &nodes[i];
        groups[i].count = 1;
    }
    crd_status status = approximate_draw(query, reduced, groups, count, answer, errors, result, error);
    crd_free(context, groups);
    return status;
}

/* ---- Belief propagation ---- */

static crd_status believe_each(const crd_i_reduced *reduced, const size_t *nodes, size_t count, double *answer,
                               double *errors, crd_inference_result *result, crd_error *error) {
    const double certain = 1;
    crd_i_messages *messages;
    crd_status status = crd_i_messages_create(reduced, LOOPY_ROUNDS, &messages, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < count; i++) {
        const approximate_group one = {&nodes[i], 1};
        int32_t variable = reduced->variable_of[nodes[i]];
        size_t cells = group_cells(reduced->network, &one);
        memset(answer, 0, cells * sizeof *answer);
        if (variable < 0) approximate_spread(reduced, &one, &certain, 1, answer);
        else
            approximate_spread(reduced, &one, messages->beliefs + reduced->starts[variable], reduced->size_of[variable],
                               answer);
        answer += cells;
        for (size_t j = 0; errors != NULL && j < cells; j++) *errors++ = variable < 0 ? 0 : NAN;
    }
    result->log_evidence = messages->log_evidence;
    crd_i_messages_destroy(messages);
    return CRD_OK;
}

/* Joint beliefs by the chain rule: the belief of the first node, then, given each of its states, the joint belief of
 * the remaining nodes. */
typedef struct approximate_chain {
    const crd_i_evidence_query *query;
    const size_t *nodes;
    size_t count;
    int32_t *states; /* evidence, and the states of the nodes fixed so far */
    double *answer;
    crd_inference_result *result;
    crd_error *error;
} approximate_chain;

static crd_status believe_rest(const approximate_chain *chain, size_t place, size_t cell, double probability) {
    const crd_network *network = chain->query->network;
    size_t node = chain->nodes[place], states = crd_i_node_states(&network->nodes[node]);
    const crd_i_evidence findings = {.states = chain->states, .likelihoods = chain->query->findings.likelihoods};
    int32_t before = chain->states[node];
    crd_i_reduced *reduced = NULL;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    double *beliefs = crd_i_alloc(network->context, states, sizeof *beliefs);
    if (beliefs == NULL) return crd_i_fail_memory(chain->error);
    crd_status status = crd_i_reduce_network(chain->query, &findings, &reduced, chain->error);
    if (status == CRD_OK) status = believe_each(reduced, &node, 1, beliefs, NULL, &result, chain->error);
    crd_i_reduced_destroy(reduced);
    if (place == 0) chain->result->log_evidence = result.log_evidence;
    /* Loopy belief may be positive for a state whose true probability is 0. */
    if (status == CRD_ERROR_PROBABILITY && place > 0) {
        for (size_t i = 0; i < states; i++) beliefs[i] = 0;
        status = CRD_OK;
    }
    for (size_t i = 0; status == CRD_OK && i < states; i++) {
        double product = probability * beliefs[i];
        if (place + 1 == chain->count) {
            chain->answer[cell * states + i] = product;
        } else if (product > 0) {
            chain->states[node] = (int32_t)i;
            status = believe_rest(chain, place + 1, cell * states + i, product);
        }
    }
    chain->states[node] = before;
    crd_free(network->context, beliefs);
    return status;
}

static crd_status believe_together(const crd_i_evidence_query *query, const size_t *nodes, size_t count, double *answer,
                                   double *errors, crd_inference_result *result, crd_error *error) {
    const crd_network *network = query->network;
    const approximate_group whole = {nodes, count};
    size_t cells = group_cells(network, &whole);
    double total = 0;
    approximate_chain chain = {query, nodes, count, NULL, answer, result, error};
    chain.states = crd_i_alloc(network->context, network->count, sizeof *chain.states);
    if (chain.states == NULL) return crd_i_fail_memory(error);
    memcpy(chain.states, query->findings.states, network->count * sizeof *chain.states);
    memset(answer, 0, cells * sizeof *answer);
    crd_status status = believe_rest(&chain, 0, 0, 1);
    for (size_t i = 0; i < cells; i++) total += answer[i];
    for (size_t i = 0; status == CRD_OK && i < cells; i++) {
        answer[i] /= total;
        if (errors != NULL) errors[i] = NAN;
    }
    if (status == CRD_OK && !(total > 0))
        status = crd_i_fail(error, CRD_ERROR_NOT_CONVERGED,
                            "belief propagation assigns probability 0 to all states: use sampling instead");
    crd_free(network->context, chain.states);
    return status;
}

crd_status crd_i_approximate(const crd_i_evidence_query *query, const size_t *nodes, size_t count, bool together,
                             double *answer, double *errors, crd_inference_result *result, crd_error *error) {
    crd_i_reduced *reduced = NULL;
    result->approximation = query->options.approximation;
    if (result->approximation == CRD_APPROXIMATION_NEVER) result->approximation = CRD_APPROXIMATION_WEIGHTING;
    if (result->approximation > CRD_APPROXIMATION_LOOPY)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid approximation %d", (int)result->approximation);
    crd_status status =
        crd_i_evidence_query_check_discrete(query, "approximate inference supports only nodes with states", error);
    if (status == CRD_OK) status = crd_i_reduce_network(query, &query->findings, &reduced, error);
    if (status != CRD_OK) return status;
    if (result->approximation != CRD_APPROXIMATION_LOOPY) {
        status = draw_all(query, reduced, nodes, count, together, answer, errors, result, error);
    } else {
        result->log_evidence_error = NAN;
        status = together ? believe_together(query, nodes, count, answer, errors, result, error)
                          : believe_each(reduced, nodes, count, answer, errors, result, error);
    }
    crd_i_reduced_destroy(reduced);
    return status;
}
