/* SPDX-License-Identifier: MIT */
/* evidence_analysis.c - which evidence moved a posterior, and what they do to each other: see credence/network.h.
 *
 * One tree without any finding in it answers all questions, since a finding that is asked with shrinks its tables then.
 * What a finding says of a state is measured in its log odds, where independent evidence add up (Good 1950); by how
 * much it moves the whole distribution, in Kullback and Leibler's divergence, which is finite whenever the evidence can
 * be together: they only take states away.
 *
 * What one finding does to another is claimed only where it holds both among all other evidence and without them: a
 * third finding that says the same as one of the two would else be the cause of what is told of the other. Between
 * saying something and saying hardly anything a gap is left, of which nothing is claimed. */
#include "infer/evidence_query.h"
#include "infer/query/evidence_analysis_internal.h"
#include "network/d_separation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* Asks with some of the evidence. */
typedef struct asker {
    const crd_network *network;
    const crd_finding *findings;
    size_t count, node;
    crd_i_evidence_query question;
    crd_i_junction *junction; /* NULL: the tree was too large, and each question is asked by itself */
    crd_i_junction_work *work;
    int32_t *states;            /* by node, of the evidence asked with */
    const double **likelihoods; /* likewise */
    bool *wanted, *observed;    /* by node: the node asked; decisions that are made */
    double *posteriors;         /* room for those of all nodes */
    double *errors;             /* room for those of an answer */
    double error;               /* the largest so far; NaN where one is not known */
    crd_finding *some;          /* room for the evidence asked with */
} asker;

void crd_evidence_analysis_destroy(crd_evidence_analysis *reasons) {
    if (reasons == NULL) return;
    for (size_t i = 0; reasons->paths != NULL && i < reasons->count; i++) crd_free(reasons->context, reasons->paths[i]);
    for (size_t i = 0; reasons->meetings != NULL && i < reasons->count * reasons->count; i++)
        crd_free(reasons->context, reasons->meetings[i]);
    crd_free(reasons->context, reasons->paths);
    crd_free(reasons->context, reasons->lengths);
    crd_free(reasons->context, reasons->meetings);
    crd_free(reasons->context, reasons->meeting_lengths);
    crd_free(reasons->context, reasons->is_premise);
    crd_free(reasons->context, reasons->is_of_note);
    crd_free(reasons->context, reasons->answers);
    crd_free(reasons->context, reasons);
}

/* ---- Changes of a distribution ---- */

static double log_odds(const crd_evidence_analysis *reasons, const double *distribution, size_t state) {
    double others = 0;
    for (size_t i = 0; i < reasons->states; i++)
        if (i != state) others += distribution[i];
    return crd_log(distribution[state]) - crd_log(others);
}

/* How far the log odds of a state went; what was settled and stays so did not move. */
static double moved(const crd_evidence_analysis *reasons, const double *from, const double *to, size_t state) {
    double before = log_odds(reasons, from, state), after = log_odds(reasons, to, state);
    return before == after ? 0 : after - before;
}

static bool says_something(double move) {
    return fabs(move) >= 0.0953101798043248600; /* the logarithm of 1.1 */
}

static bool says_hardly_anything(double move) {
    return fabs(move) < 0.0198026272961797130; /* the logarithm of 1.02 */
}

/* ---- Asking ---- */

static void asker_close(asker *own) {
    crd_context *context = own->network->context;
    crd_i_junction_work_destroy(own->work);
    crd_i_junction_destroy(own->junction);
    crd_i_evidence_query_close(&own->question);
    crd_free(context, own->states);
    crd_free(context, (void *)own->likelihoods);
    crd_free(context, own->wanted);
    crd_free(context, own->observed);
    crd_free(context, own->posteriors);
    crd_free(context, own->errors);
    crd_free(context, own->some);
}

static crd_status compile(asker *own, const crd_evidence_analysis *reasons, crd_error *error) {
    const crd_network *network = own->network;
    crd_context *context = network->context;
    own->states = crd_i_alloc(context, network->count, sizeof *own->states);
    own->likelihoods = crd_i_alloc_zeroed(context, network->count, sizeof *own->likelihoods);
    own->wanted = crd_i_alloc_zeroed(context, network->count, sizeof *own->wanted);
    own->observed = crd_i_alloc_zeroed(context, network->count, sizeof *own->observed);
    if (own->states == NULL || own->likelihoods == NULL || own->wanted == NULL || own->observed == NULL)
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++) own->states[i] = -1;
    for (size_t i = 0; i < own->count; i++)
        if (reasons->is_premise[i]) own->observed[own->findings[i].node] = true;
    own->wanted[own->node] = true;
    /* Numbers are eliminated for one question at a time. */
    if (own->question.options.is_always_approximate || own->question.parts != NULL) return CRD_OK;
    const crd_i_junction_options options = {
        .tables = own->question.tables, .observed = own->observed, .memory = own->question.memory};
    crd_status status = crd_i_junction_compile(network, &options, &own->junction, error);
    /* With evidence in them, trees of single questions are smaller. */
    if (status == CRD_ERROR_LIMIT) return CRD_OK;
    if (status == CRD_OK) status = crd_i_junction_work_create(own->junction, &own->work, error);
    if (status != CRD_OK) return status;
    own->posteriors =
        crd_i_alloc(context, crd_i_junction_start(own->junction, network->count), sizeof *own->posteriors);
    return own->posteriors == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

static crd_status asker_open(asker *own, const crd_inference_options *options, crd_evidence_analysis *reasons,
                             crd_error *error) {
    const crd_network *network = own->network;
    char quoted[CRD_I_QUOTED_ROOM];
    crd_status status =
        crd_i_evidence_query_open(network, own->findings, own->count, &own->node, 1, options, &own->question, error);
    if (status != CRD_OK) return status;
    if (own->question.observed[own->node])
        return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is known: nothing is left to explain",
                          crd_i_quote(network->nodes[own->node].name, quoted));
    own->some = crd_i_alloc(network->context, own->count, sizeof *own->some);
    own->errors = crd_i_alloc(network->context, crd_i_node_states(&network->nodes[own->node]), sizeof *own->errors);
    if (own->some == NULL || own->errors == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < own->count; i++)
        reasons->is_premise[i] = network->nodes[own->findings[i].node].kind == CRD_NODE_DECISION;
    return compile(own, reasons, error);
}

/* Without the tree for all questions. */
static crd_status ask_by_itself(asker *own, size_t some_count, double *posterior, crd_inference_result *asked,
                                crd_error *error) {
    crd_status status = crd_network_posteriors(own->network, own->some, some_count, &own->node, 1,
                                               &own->question.options, posterior, own->errors, asked, error);
    size_t states = status == CRD_OK ? crd_i_node_states(&own->network->nodes[own->node]) : 0;
    for (size_t i = 0; i < states; i++)
        if (isnan(own->errors[i]) || own->errors[i] > own->error) own->error = own->errors[i];
    return status;
}

/* The posterior given `some_count` evidence of `some`. */
static crd_status ask(asker *own, size_t some_count, double *posterior, crd_inference_result *asked, crd_error *error) {
    if (crd_i_context_cancelled(own->network->context)) return crd_i_fail_cancelled(error);
    if (own->junction == NULL) return ask_by_itself(own, some_count, posterior, asked, error);
    for (size_t i = 0; i < some_count; i++) {
        const crd_finding *finding = &own->some[i];
        if (finding->likelihoods == NULL) own->states[finding->node] = (int32_t)finding->state;
        own->likelihoods[finding->node] = finding->likelihoods;
    }
    const crd_i_evidence findings = {.states = own->states, .likelihoods = own->likelihoods};
    crd_status status =
        crd_i_junction_ask(own->work, &findings, own->wanted, own->posteriors, &asked->log_evidence, error);
    for (size_t i = 0; i < some_count; i++) {
        own->states[own->some[i].node] = -1;
        own->likelihoods[own->some[i].node] = NULL;
    }
    if (status == CRD_ERROR_LIMIT) return ask_by_itself(own, some_count, posterior, asked, error);
    if (status != CRD_OK) return status;
    memcpy(posterior, own->posteriors + crd_i_junction_start(own->junction, own->node),
           crd_i_node_states(&own->network->nodes[own->node]) * sizeof *posterior);
    return CRD_OK;
}

enum { NO_FINDING = 0, ALL = 1, ALONE = 2, WITHOUT = 3 };

/* Asks with the premises and: none, all, evidence i and k alone, or all but i and k. */
static crd_status ask_with(asker *own, crd_evidence_analysis *reasons, int which, size_t i, size_t k, double *posterior,
                           crd_error *error) {
    crd_inference_result asked = CRD_INFERENCE_RESULT_INIT;
    size_t some_count = 0;
    for (size_t f = 0; f < own->count; f++) {
        bool is_in = which == ALL || (which == ALONE && (f == i || f == k)) || (which == WITHOUT && f != i && f != k);
        if (is_in || reasons->is_premise[f]) own->some[some_count++] = own->findings[f];
    }
    crd_status status = ask(own, some_count, posterior, &asked, error);
    if (asked.approximation != CRD_APPROXIMATION_NEVER) reasons->approximation = asked.approximation;
    if (which == ALL) reasons->log_evidence = asked.log_evidence;
    return status;
}

static size_t pair_count(const crd_evidence_analysis *reasons) {
    return reasons->has_pairs && reasons->count > 0 ? reasons->count * (reasons->count - 1) / 2 : 0;
}

/* Where the answer without both stands, i and k not being the same. */
static size_t pair_place(const crd_evidence_analysis *reasons, size_t i, size_t k) {
    size_t less = i < k ? i : k, more = i < k ? k : i;
    return 2 + 2 * reasons->count + more * (more - 1) / 2 + less;
}

/* Where the answer given both alone stands. */
static size_t both_place(const crd_evidence_analysis *reasons, size_t i, size_t k) {
    return pair_place(reasons, i, k) + pair_count(reasons);
}

static double *answer_at(const crd_evidence_analysis *reasons, size_t place) {
    return reasons->answers + place * reasons->states;
}

/* Whether the odds of any state differ enough to speak of. */
static bool changes(const crd_evidence_analysis *reasons, const double *from, const double *to) {
    bool is_any = false;
    for (size_t state = 0; state < reasons->states; state++)
        is_any = is_any || says_something(moved(reasons, from, to, state));
    return is_any;
}

/* ---- Pairs ---- */

/* What i said is taken back at least in part by k, whether it was for the state or against it. */
static bool is_explained_away(const crd_evidence_analysis *reasons, size_t i, size_t k, double said, double says,
                              double taken_back) {
    if (reasons->paths[i] == NULL || reasons->meetings[k * reasons->count + i] == NULL) return false;
    return says_something(said) && says_something(says - said) && (says - said > 0) != (said > 0) &&
           says_something(taken_back) && (taken_back > 0) != (said > 0);
}

/* What finding k does to finding i among all others, or where there are no others. */
static crd_interaction interplay_among(const crd_evidence_analysis *reasons, size_t i, size_t k, size_t state,
                                       bool is_alone) {
    const size_t count = reasons->count;
    const double *neither = answer_at(reasons, is_alone ? 0 : pair_place(reasons, i, k));
    const double *with_i = answer_at(reasons, is_alone ? 2 + i : 2 + count + k);
    const double *with_k = answer_at(reasons, is_alone ? 2 + k : 2 + count + i);
    const double *with_both = answer_at(reasons, is_alone ? both_place(reasons, i, k) : 1);
    double said = moved(reasons, neither, with_i, state), says = moved(reasons, with_k, with_both, state);
    double said_by_k = moved(reasons, neither, with_k, state), says_k = moved(reasons, with_i, with_both, state);
    /* What speaks against a state speaks for others, of which that is told. */
    if (is_explained_away(reasons, i, k, said, says, says_k))
        return said > 0 ? CRD_INTERACTION_EXPLAINS_AWAY : CRD_INTERACTION_NONE;
    if (says_something(said) && says_hardly_anything(says)) return CRD_INTERACTION_SCREENS_OFF;
    if (says_hardly_anything(said) && says_something(says) &&
        !is_explained_away(reasons, k, i, said_by_k, says_k, says))
        return CRD_INTERACTION_OPENS;
    return CRD_INTERACTION_NONE;
}

/* Whether there is anything to claim of a pair among all evidence. */
static bool is_worth_asking(const crd_evidence_analysis *reasons, size_t i, size_t k) {
    bool is = false;
    for (size_t state = 0; state < reasons->states && !is; state++)
        is = interplay_among(reasons, i, k, state, false) != CRD_INTERACTION_NONE ||
             interplay_among(reasons, k, i, state, false) != CRD_INTERACTION_NONE;
    return is;
}

static crd_status ask_pair(asker *own, crd_evidence_analysis *reasons, size_t i, size_t k, crd_error *error) {
    crd_status status = ask_with(own, reasons, WITHOUT, i, k, answer_at(reasons, pair_place(reasons, i, k)), error);
    if (status == CRD_OK && is_worth_asking(reasons, i, k))
        status = ask_with(own, reasons, ALONE, i, k, answer_at(reasons, both_place(reasons, i, k)), error);
    return status;
}

static crd_status ask_all(asker *own, crd_evidence_analysis *reasons, crd_error *error) {
    size_t count = reasons->count;
    /* First what shows whether the evidence can be together. */
    crd_status status = ask_with(own, reasons, ALL, 0, 0, answer_at(reasons, 1), error);
    if (status == CRD_OK) status = ask_with(own, reasons, NO_FINDING, 0, 0, answer_at(reasons, 0), error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        status = ask_with(own, reasons, ALONE, i, i, answer_at(reasons, 2 + i), error);
        /* What is separated adds nothing, not even by rounding. */
        double *without = answer_at(reasons, 2 + count + i);
        bool is_separated = reasons->paths[i] == NULL && !reasons->is_premise[i];
        if (is_separated) memcpy(without, answer_at(reasons, 1), reasons->states * sizeof *without);
        if (status == CRD_OK && !is_separated) status = ask_with(own, reasons, WITHOUT, i, i, without, error);
    }
    for (size_t i = 0; status == CRD_OK && reasons->has_pairs && i < count; i++)
        reasons->is_of_note[i] =
            !reasons->is_premise[i] && (changes(reasons, answer_at(reasons, 0), answer_at(reasons, 2 + i)) ||
                                        changes(reasons, answer_at(reasons, 2 + count + i), answer_at(reasons, 1)));
    for (size_t k = 1; reasons->has_pairs && k < count; k++)
        for (size_t i = 0; status == CRD_OK && i < k; i++)
            if (reasons->is_of_note[i] && reasons->is_of_note[k]) status = ask_pair(own, reasons, i, k, error);
    return status;
}

static crd_status find_paths(const asker *own, crd_evidence_analysis *reasons, crd_error *error) {
    const crd_network *network = own->network;
    bool *is_given = crd_i_alloc_zeroed(network->context, network->count, sizeof *is_given);
    bool *is_hinted = crd_i_alloc_zeroed(network->context, network->count, sizeof *is_hinted);
    bool *is_end = crd_i_alloc_zeroed(network->context, network->count, sizeof *is_end);
    crd_status status = is_given == NULL || is_hinted == NULL || is_end == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < own->count; i++)
        (own->findings[i].likelihoods == NULL ? is_given : is_hinted)[own->findings[i].node] = true;
    for (size_t i = 0; status == CRD_OK && i < own->count; i++) {
        size_t node = own->findings[i].node;
        bool *mark = own->findings[i].likelihoods == NULL ? is_given : is_hinted;
        mark[node] = false;
        is_end[node] = true;
        status = crd_i_separation(network, &own->node, 1, is_end, is_given, is_hinted, &reasons->paths[i],
                                  &reasons->lengths[i], error);
        is_end[node] = false;
        mark[node] = true;
    }
    crd_free(network->context, is_end);
    crd_free(network->context, is_given);
    crd_free(network->context, is_hinted);
    return status;
}

/* Whether arcs lead from one node to the other. */
static crd_status is_above(const crd_network *network, size_t above, size_t below, bool *is, crd_error *error) {
    bool *is_marked = crd_i_alloc_zeroed(network->context, network->count, sizeof *is_marked);
    if (is_marked == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++) {
        size_t at = network->order[i];
        const crd_i_node *node = &network->nodes[at];
        for (size_t j = 0; j < node->parent_count && !is_marked[at]; j++)
            is_marked[at] = node->parents[j] == above || is_marked[node->parents[j]];
    }
    *is = is_marked[below];
    crd_free(network->context, is_marked);
    return CRD_OK;
}

/* How the node and each finding that is no effect of it are causes of others. */
static crd_status find_meetings(const asker *own, crd_evidence_analysis *reasons, crd_error *error) {
    const crd_network *network = own->network;
    const size_t count = own->count;
    if (!reasons->has_pairs) return CRD_OK;
    reasons->meetings = crd_i_alloc_zeroed(network->context, count * count, sizeof *reasons->meetings);
    reasons->meeting_lengths = crd_i_alloc_zeroed(network->context, count * count, sizeof *reasons->meeting_lengths);
    bool *is_given = crd_i_alloc_zeroed(network->context, network->count, sizeof *is_given);
    crd_status status = CRD_OK;
    if (reasons->meetings == NULL || reasons->meeting_lengths == NULL || is_given == NULL)
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (own->findings[i].likelihoods == NULL) is_given[own->findings[i].node] = true;
    for (size_t k = 0; status == CRD_OK && k < count; k++) {
        bool is_effect = reasons->is_premise[k] || own->findings[k].node == own->node;
        if (!is_effect) status = is_above(network, own->node, own->findings[k].node, &is_effect, error);
        for (size_t i = 0; status == CRD_OK && !is_effect && i < count; i++) {
            if (i == k || own->findings[i].node == own->node) continue;
            status = crd_i_meeting(network, own->node, own->findings[k].node, own->findings[i].node, is_given,
                                   &reasons->meetings[k * count + i], &reasons->meeting_lengths[k * count + i], error);
        }
    }
    crd_free(network->context, is_given);
    return status;
}

crd_status crd_evidence_analysis_create(const crd_network *network, const crd_finding *findings, size_t count,
                                        size_t node, const crd_inference_options *options, crd_evidence_analysis **out,
                                        crd_error *error) {
    crd_context *context = network->context;
    *out = NULL;
    crd_evidence_analysis *made = crd_i_alloc_zeroed(context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->context = context;
    made->count = count;
    made->has_pairs = count <= CRD_EVIDENCE_ANALYSIS_PAIRS;
    made->is_premise = crd_i_alloc_zeroed(context, count, sizeof *made->is_premise);
    made->is_of_note = crd_i_alloc_zeroed(context, count, sizeof *made->is_of_note);
    made->paths = crd_i_alloc_zeroed(context, count, sizeof *made->paths);
    made->lengths = crd_i_alloc_zeroed(context, count, sizeof *made->lengths);
    asker own = {.network = network, .findings = findings, .count = count, .node = node};
    crd_status status = CRD_OK;
    if (made->is_premise == NULL || made->is_of_note == NULL || made->paths == NULL || made->lengths == NULL)
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = asker_open(&own, options, made, error);
    if (status == CRD_OK) {
        made->states = crd_i_node_states(&network->nodes[node]);
        made->answers =
            crd_i_alloc_zeroed(context, 2 + 2 * count + 2 * pair_count(made), made->states * sizeof *made->answers);
        if (made->answers == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) status = find_paths(&own, made, error);
    if (status == CRD_OK) status = find_meetings(&own, made, error);
    if (status == CRD_OK) status = ask_all(&own, made, error);
    made->error = own.error;
    asker_close(&own);
    if (status != CRD_OK) {
        crd_evidence_analysis_destroy(made);
        return status;
    }
    *out = made;
    return CRD_OK;
}

/* ---- What was found ---- */

const double *crd_evidence_analysis_before(const crd_evidence_analysis *reasons) {
    return answer_at(reasons, 0);
}

const double *crd_evidence_analysis_after(const crd_evidence_analysis *reasons) {
    return answer_at(reasons, 1);
}

const double *crd_evidence_analysis_alone(const crd_evidence_analysis *reasons, size_t i) {
    return answer_at(reasons, 2 + i);
}

const double *crd_evidence_analysis_without(const crd_evidence_analysis *reasons, size_t i) {
    return answer_at(reasons, 2 + reasons->count + i);
}

const double *crd_evidence_analysis_without_both(const crd_evidence_analysis *reasons, size_t i, size_t k) {
    if (i == k || !reasons->is_of_note[i] || !reasons->is_of_note[k]) return NULL;
    return answer_at(reasons, pair_place(reasons, i, k));
}

double crd_evidence_analysis_log_evidence(const crd_evidence_analysis *reasons) {
    return reasons->log_evidence;
}

crd_approximation crd_evidence_analysis_approximation(const crd_evidence_analysis *reasons) {
    return reasons->approximation;
}

double crd_evidence_analysis_error(const crd_evidence_analysis *reasons) {
    return reasons->error;
}

const size_t *crd_evidence_analysis_path(const crd_evidence_analysis *reasons, size_t i, size_t *length) {
    *length = reasons->lengths[i];
    return reasons->paths[i];
}

/* What a state adds to the divergence of p from q. */
static double divergence_part(double p, double q) {
    return p > 0 && q > 0 ? p * (crd_log(p) - crd_log(q)) : 0;
}

size_t crd_evidence_analysis_state(const crd_evidence_analysis *reasons) {
    const double *before = crd_evidence_analysis_before(reasons), *after = crd_evidence_analysis_after(reasons);
    size_t best = 0, most_probable = 0;
    for (size_t i = 1; i < reasons->states; i++) {
        if (divergence_part(after[i], before[i]) > divergence_part(after[best], before[best])) best = i;
        if (after[i] > after[most_probable]) most_probable = i;
    }
    return divergence_part(after[best], before[best]) > 0 ? best : most_probable;
}

double crd_evidence_analysis_weight(const crd_evidence_analysis *reasons, size_t i, size_t state) {
    return moved(reasons, crd_evidence_analysis_without(reasons, i), crd_evidence_analysis_after(reasons), state);
}

double crd_evidence_analysis_information(const crd_evidence_analysis *reasons, size_t i) {
    const double *without = crd_evidence_analysis_without(reasons, i), *after = crd_evidence_analysis_after(reasons);
    double sum = 0;
    for (size_t state = 0; state < reasons->states; state++) sum += divergence_part(after[state], without[state]);
    /* Rounding may leave a little below nothing. */
    return sum > 0 ? sum : 0;
}

const size_t *crd_evidence_analysis_meeting(const crd_evidence_analysis *reasons, size_t i, size_t k, size_t *length) {
    *length = 0;
    if (reasons->meetings == NULL) return NULL;
    *length = reasons->meeting_lengths[k * reasons->count + i];
    return reasons->meetings[k * reasons->count + i];
}

crd_interaction crd_evidence_analysis_interaction(const crd_evidence_analysis *reasons, size_t i, size_t k,
                                                  size_t state) {
    if (crd_evidence_analysis_without_both(reasons, i, k) == NULL) return CRD_INTERACTION_NONE;
    crd_interaction among_all = interplay_among(reasons, i, k, state, false);
    if (among_all == CRD_INTERACTION_NONE || interplay_among(reasons, i, k, state, true) != among_all)
        return CRD_INTERACTION_NONE;
    return among_all;
}
