/* SPDX-License-Identifier: MIT */
/* approximate.c - see approximate.h. */
#include "infer/approximate/approximate.h"

#include "base/error.h"
#include "base/memory.h"
#include "infer/approximate/estimates.h"

#include <math.h>
#include <string.h>

enum { LOOPY_ROUNDS = 500 };

/* ---- From nodes to cells and back ---- */

/* Nodes that are asked together, or one that is asked by itself. */
typedef struct group {
    const size_t *nodes;
    size_t count;
} group;

static size_t group_cells(const crd_network *network, const group *of) {
    size_t cells = 1;
    for (size_t i = 0; i < of->count; i++) cells *= crd_i_node_states(&network->nodes[of->nodes[i]]);
    return cells;
}

static bool add_target(const crd_i_reduced *reduced, const group *of, crd_i_target *target, uint32_t *variables,
                       size_t begin, size_t cell) {
    const crd_i_target empty = {.begin = begin, .end = begin, .cell = cell, .cells = 1};
    *target = empty;
    for (size_t i = 0; i < of->count; i++) {
        int32_t variable = reduced->variable_of[of->nodes[i]];
        if (variable < 0) continue;
        variables[target->end++] = (uint32_t)variable;
        target->cells *= reduced->size_of[variable];
    }
    return target->end > begin;
}

/* The numbers of a target, from `numbers` on, to where they stand in an answer, which is all zero. */
static void spread(const crd_i_reduced *reduced, const group *of, const double *numbers, size_t cells, double *answer) {
    const crd_network *network = reduced->network;
    for (size_t cell = 0; cell < cells; cell++) {
        size_t left = cell, stride = 1, at = 0;
        for (size_t i = of->count; i-- > 0;) {
            int32_t variable = reduced->variable_of[of->nodes[i]];
            size_t state;
            if (variable < 0) {
                state = (size_t)reduced->state_of[of->nodes[i]];
            } else {
                state = reduced->states[reduced->starts[variable] + left % reduced->size_of[variable]];
                left /= reduced->size_of[variable];
            }
            at += stride * state;
            stride *= crd_i_node_states(&network->nodes[of->nodes[i]]);
        }
        answer[at] = numbers[cell];
    }
}

/* ---- Draws ---- */

static void hand_out(const crd_i_aim *aim, const group *groups, size_t count, double *answer, double *errors) {
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
        spread(aim->reduced, &groups[i], is_open ? aim->estimates + target->cell : &certain, own, answer);
        if (errors != NULL) {
            memset(errors, 0, cells * sizeof *errors);
            spread(aim->reduced, &groups[i], is_open ? aim->errors + target->cell : &exact, own, errors);
            errors += cells;
        }
        answer += cells;
    }
}

static crd_status draw(const crd_i_evidence_query *question, const crd_i_reduced *reduced, const group *groups,
                       size_t count, double *answer, double *errors, crd_inference_result *asked, crd_error *error) {
    crd_context *context = reduced->context;
    crd_i_proposal *proposal = NULL;
    size_t places = 0;
    for (size_t i = 0; i < count; i++) places += groups[i].count;
    crd_i_target *targets = crd_i_alloc(context, count, sizeof *targets);
    uint32_t *variables = crd_i_alloc(context, places, sizeof *variables);
    crd_i_aim aim = {.question = question, .reduced = reduced, .targets = targets, .variables = variables};
    crd_status status = targets == NULL || variables == NULL ? crd_i_fail_memory(error) : CRD_OK;
    size_t end = 0;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        crd_i_target *target = &targets[aim.target_count];
        if (!add_target(reduced, &groups[i], target, variables, end, aim.cells)) continue;
        aim.target_count++;
        aim.cells += target->cells;
        end = target->end;
    }
    aim.estimates = crd_i_alloc(context, aim.cells, sizeof *aim.estimates);
    aim.errors = crd_i_alloc(context, aim.cells, sizeof *aim.errors);
    if (status == CRD_OK && (aim.estimates == NULL || aim.errors == NULL)) status = crd_i_fail_memory(error);
    if (status == CRD_OK)
        status = crd_i_proposal_create(reduced, question->options.seed, crd_i_draw_count(&question->options), &proposal,
                                       error);
    if (status == CRD_OK)
        status = (question->options.approximation == CRD_APPROXIMATION_GIBBS ? crd_i_gibbs : crd_i_weighting)(
            &aim, proposal, asked, error);
    if (status == CRD_OK) hand_out(&aim, groups, count, answer, errors);
    crd_i_proposal_destroy(proposal);
    crd_free(context, aim.estimates);
    crd_free(context, aim.errors);
    crd_free(context, targets);
    crd_free(context, variables);
    return status;
}

static crd_status draw_all(const crd_i_evidence_query *question, const crd_i_reduced *reduced, const size_t *nodes,
                           size_t count, bool together, double *answer, double *errors, crd_inference_result *asked,
                           crd_error *error) {
    crd_context *context = reduced->context;
    const group whole = {nodes, count};
    if (together) return draw(question, reduced, &whole, 1, answer, errors, asked, error);
    group *groups = crd_i_alloc(context, count, sizeof *groups);
    if (groups == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        groups[i].nodes = &nodes[i];
        groups[i].count = 1;
    }
    crd_status status = draw(question, reduced, groups, count, answer, errors, asked, error);
    crd_free(context, groups);
    return status;
}

/* ---- Belief propagation ---- */

static crd_status believe_each(const crd_i_reduced *reduced, const size_t *nodes, size_t count, double *answer,
                               double *errors, crd_inference_result *asked, crd_error *error) {
    const double certain = 1;
    crd_i_messages *messages;
    crd_status status = crd_i_messages_create(reduced, LOOPY_ROUNDS, &messages, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < count; i++) {
        const group one = {&nodes[i], 1};
        int32_t variable = reduced->variable_of[nodes[i]];
        size_t cells = group_cells(reduced->network, &one);
        memset(answer, 0, cells * sizeof *answer);
        if (variable < 0) spread(reduced, &one, &certain, 1, answer);
        else spread(reduced, &one, messages->beliefs + reduced->starts[variable], reduced->size_of[variable], answer);
        answer += cells;
        for (size_t j = 0; errors != NULL && j < cells; j++) *errors++ = variable < 0 ? 0 : NAN;
    }
    asked->log_evidence = messages->log_evidence;
    crd_i_messages_destroy(messages);
    return CRD_OK;
}

/* By the chain rule: the belief of the first node, and given each of its states, that of the rest. */
typedef struct chain {
    const crd_i_evidence_query *question;
    const size_t *nodes;
    size_t count;
    int32_t *states; /* evidence, and the states of the nodes so far */
    double *answer;
    crd_inference_result *asked;
    crd_error *error;
} chain;

static crd_status believe_rest(const chain *own, size_t place, size_t cell, double probability) {
    const crd_network *network = own->question->network;
    size_t node = own->nodes[place], states = crd_i_node_states(&network->nodes[node]);
    const crd_i_evidence findings = {.states = own->states, .likelihoods = own->question->findings.likelihoods};
    int32_t before = own->states[node];
    crd_i_reduced *reduced = NULL;
    crd_inference_result asked = CRD_INFERENCE_RESULT_INIT;
    double *beliefs = crd_i_alloc(network->context, states, sizeof *beliefs);
    if (beliefs == NULL) return crd_i_fail_memory(own->error);
    crd_status status = crd_i_reduce_network(own->question, &findings, &reduced, own->error);
    if (status == CRD_OK) status = believe_each(reduced, &node, 1, beliefs, NULL, &asked, own->error);
    crd_i_reduced_destroy(reduced);
    if (place == 0) own->asked->log_evidence = asked.log_evidence;
    /* A belief may be above 0 where the truth is not. */
    if (status == CRD_ERROR_PROBABILITY && place > 0) {
        for (size_t i = 0; i < states; i++) beliefs[i] = 0;
        status = CRD_OK;
    }
    for (size_t i = 0; status == CRD_OK && i < states; i++) {
        double product = probability * beliefs[i];
        if (place + 1 == own->count) {
            own->answer[cell * states + i] = product;
        } else if (product > 0) {
            own->states[node] = (int32_t)i;
            status = believe_rest(own, place + 1, cell * states + i, product);
        }
    }
    own->states[node] = before;
    crd_free(network->context, beliefs);
    return status;
}

static crd_status believe_together(const crd_i_evidence_query *question, const size_t *nodes, size_t count,
                                   double *answer, double *errors, crd_inference_result *asked, crd_error *error) {
    const crd_network *network = question->network;
    const group whole = {nodes, count};
    size_t cells = group_cells(network, &whole);
    double total = 0;
    chain own = {question, nodes, count, NULL, answer, asked, error};
    own.states = crd_i_alloc(network->context, network->count, sizeof *own.states);
    if (own.states == NULL) return crd_i_fail_memory(error);
    memcpy(own.states, question->findings.states, network->count * sizeof *own.states);
    memset(answer, 0, cells * sizeof *answer);
    crd_status status = believe_rest(&own, 0, 0, 1);
    for (size_t i = 0; i < cells; i++) total += answer[i];
    for (size_t i = 0; status == CRD_OK && i < cells; i++) {
        answer[i] /= total;
        if (errors != NULL) errors[i] = NAN;
    }
    if (status == CRD_OK && !(total > 0))
        status = crd_i_fail(error, CRD_ERROR_NOT_CONVERGED, "belief propagation leaves nothing possible: draw instead");
    crd_free(network->context, own.states);
    return status;
}

crd_status crd_i_approximate(const crd_i_evidence_query *question, const size_t *nodes, size_t count, bool together,
                             double *answer, double *errors, crd_inference_result *asked, crd_error *error) {
    crd_i_reduced *reduced = NULL;
    asked->approximation = question->options.approximation;
    if (asked->approximation == CRD_APPROXIMATION_NEVER) asked->approximation = CRD_APPROXIMATION_WEIGHTING;
    if (asked->approximation > CRD_APPROXIMATION_LOOPY)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no approximation number %d", (int)asked->approximation);
    crd_status status = crd_i_evidence_query_check_discrete(question, "estimates are of nodes with states", error);
    if (status == CRD_OK) status = crd_i_reduce_network(question, &question->findings, &reduced, error);
    if (status != CRD_OK) return status;
    if (asked->approximation != CRD_APPROXIMATION_LOOPY) {
        status = draw_all(question, reduced, nodes, count, together, answer, errors, asked, error);
    } else {
        asked->log_evidence_error = NAN;
        status = together ? believe_together(question, nodes, count, answer, errors, asked, error)
                          : believe_each(reduced, nodes, count, answer, errors, asked, error);
    }
    crd_i_reduced_destroy(reduced);
    return status;
}
