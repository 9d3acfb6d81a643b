/* SPDX-License-Identifier: MIT */
/* evidence_analysis.c - the effect of each finding on a posterior, and interactions between findings: see
 * credence/network.h.
 *
 * A single tree compiled without findings serves all queries, because each query's findings shrink its tables. The
 * effect of a finding on a state is measured as the change of its log odds, in which independent evidence adds up
 * (Good 1950). The effect on the whole distribution is the Kullback-Leibler divergence. It is finite whenever the
 * findings are consistent, because findings only remove states.
 *
 * An interaction between two findings is reported only if it holds both given all other findings and without them.
 * Otherwise a third finding that duplicates one of the two would be the cause of the effect. Between the thresholds
 * for "has an effect" and "has hardly any effect" is a gap in which nothing is reported.
 *
 * Contents:
 *   1. Analysis
 *   2. Results */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "infer/exact/evidence_query.h"
#include "math/functions/elementary.h"
#include "network/d_separation.h"

#include <credence/network.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* the results of an evidence analysis. */

struct crd_evidence_subsets {
    crd_context *context;
    bool *is_of_note; /* whether a finding is analyzed in pairs */
    /* Concatenated distributions: prior, posterior, given each finding only, without each finding, without each
     * pair, and given each pair only. */
    double *answers;
    bool has_pairs;
    /* If pairs are analyzed: [k * count + i] is the path between the node and k that converges at or above i. It
     * exists if k is not a descendant of the node. */
    size_t **meetings, *meeting_lengths;
};

/* ======== 1. Analysis ======== */

/* Runs queries with subsets of the evidence. */
typedef struct analysis_engine {
    crd_i_arena *arena;
    const crd_network *network;
    const crd_finding *findings;
    size_t count, node;
    crd_i_evidence_query query;
    crd_i_junction *junction; /* NULL: the tree was too large, so each query compiles its own */
    crd_i_junction_work *work;
    int32_t *states;            /* by node: states of the current findings */
    const double **likelihoods; /* by node: likelihoods of the current findings */
    bool *wanted, *observed;    /* by node: the queried node; decisions that are taken */
    double *posteriors;         /* scratch for the posteriors of all nodes */
    double *errors;             /* scratch for the errors of one result */
    double error;               /* the largest so far; NaN if one is unknown */
    crd_finding *some;          /* scratch for the current findings */
} analysis_engine;

void crd_evidence_analysis_destroy(crd_evidence_analysis *reasons) {
    if (reasons == NULL) return;
    if (reasons->subsets == NULL) {
        crd_i_arena_destroy(reasons->arena);
        return;
    }
    for (size_t i = 0; reasons->findings != NULL && i < reasons->count; i++)
        crd_free(reasons->subsets->context, reasons->findings[i].path);
    for (size_t i = 0; reasons->subsets->meetings != NULL && i < reasons->count * reasons->count; i++)
        crd_free(reasons->subsets->context, reasons->subsets->meetings[i]);
    crd_i_arena_destroy(reasons->arena);
}

/* ---- Changes of a distribution ---- */

static double log_odds(const crd_evidence_analysis *reasons, const double *distribution, size_t state) {
    double others = 0;
    for (size_t i = 0; i < reasons->states; i++)
        if (i != state) others += distribution[i];
    return crd_log(distribution[state]) - crd_log(others);
}

/* Returns the change of the log odds of a state. A probability that was 0 or 1 and stays so did not change. */
static double evidence_analysis_moved(const crd_evidence_analysis *reasons, const double *source,
                                      const double *destination, size_t state) {
    double before = log_odds(reasons, source, state), after = log_odds(reasons, destination, state);
    return before == after ? 0 : after - before;
}

static bool says_something(double move) {
    return fabs(move) >= 0.0953101798043248600; /* log 1.1 */
}

static bool says_hardly_anything(double move) {
    return fabs(move) < 0.0198026272961797130; /* log 1.02 */
}

/* ---- Queries ---- */

static void asker_close(analysis_engine *engine) {
    crd_i_junction_work_destroy(engine->work);
    crd_i_junction_destroy(engine->junction);
    crd_i_evidence_query_close(&engine->query);
    crd_i_arena_destroy(engine->arena);
}

static crd_status evidence_analysis_compile(analysis_engine *engine, const crd_evidence_analysis *reasons,
                                            crd_error *error) {
    const crd_network *network = engine->network;
    engine->states = crd_i_arena_alloc(engine->arena, network->count, sizeof *engine->states);
    engine->likelihoods = crd_i_arena_alloc_zeroed(engine->arena, network->count, sizeof *engine->likelihoods);
    engine->wanted = crd_i_arena_alloc_zeroed(engine->arena, network->count, sizeof *engine->wanted);
    engine->observed = crd_i_arena_alloc_zeroed(engine->arena, network->count, sizeof *engine->observed);
    if (crd_i_arena_failed(engine->arena)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++) engine->states[i] = -1;
    for (size_t i = 0; i < engine->count; i++)
        if (reasons->findings[i].is_premise) engine->observed[engine->findings[i].node] = true;
    engine->wanted[engine->node] = true;
    /* Gaussian nodes are eliminated separately for each query. */
    if (engine->query.options.is_always_approximate || engine->query.parts != NULL) return CRD_OK;
    const crd_i_junction_options options = {
        .tables = engine->query.tables, .observed = engine->observed, .memory = engine->query.memory};
    crd_status status = crd_i_junction_compile(network, &options, &engine->junction, error);
    /* Trees for single queries are smaller, because they contain the evidence. */
    if (status == CRD_ERROR_LIMIT) return CRD_OK;
    if (status == CRD_OK) status = crd_i_junction_work_create(engine->junction, &engine->work, error);
    if (status != CRD_OK) return status;
    engine->posteriors =
        crd_i_arena_alloc(engine->arena, crd_i_junction_start(engine->junction, network->count), sizeof(double));
    return crd_i_arena_check(engine->arena, error);
}

static crd_status asker_open(analysis_engine *engine, const crd_inference_options *options,
                             crd_evidence_analysis *reasons, crd_error *error) {
    const crd_network *network = engine->network;
    char quoted[CRD_I_QUOTED_ROOM];
    crd_status status = crd_i_evidence_query_open(network, engine->findings, engine->count, &engine->node, 1, options,
                                                  &engine->query, error);
    if (status != CRD_OK) return status;
    if (engine->query.observed[engine->node])
        return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is observed: its probability cannot be explained",
                          crd_i_quote(network->nodes[engine->node].name, quoted));
    engine->some = crd_i_arena_alloc(engine->arena, engine->count, sizeof *engine->some);
    engine->errors =
        crd_i_arena_alloc(engine->arena, crd_i_node_states(&network->nodes[engine->node]), sizeof *engine->errors);
    if (engine->errors == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < engine->count; i++)
        reasons->findings[i].is_premise = network->nodes[engine->findings[i].node].kind == CRD_NODE_DECISION;
    return evidence_analysis_compile(engine, reasons, error);
}

/* Runs a query without the shared tree. */
static crd_status ask_by_itself(analysis_engine *own, size_t some_count, double *posterior,
                                crd_inference_result *result, crd_error *error) {
    const crd_network_query query = {sizeof query, own->some, some_count, &own->node, 1, &own->query.options};
    crd_status status = crd_network_posteriors(own->network, &query, posterior, own->errors, result, error);
    size_t states = status == CRD_OK ? crd_i_node_states(&own->network->nodes[own->node]) : 0;
    for (size_t i = 0; i < states; i++)
        if (isnan(own->errors[i]) || own->errors[i] > own->error) own->error = own->errors[i];
    return status;
}

/* Computes the posterior given the first `some_count` findings in `some`. */
static crd_status evidence_analysis_ask(analysis_engine *engine, size_t some_count, double *posterior,
                                        crd_inference_result *result, crd_error *error) {
    if (crd_i_context_cancelled(engine->network->context)) return crd_i_fail_cancelled(error);
    if (engine->junction == NULL) return ask_by_itself(engine, some_count, posterior, result, error);
    for (size_t i = 0; i < some_count; i++) {
        const crd_finding *finding = &engine->some[i];
        if (finding->likelihoods == NULL) engine->states[finding->node] = (int32_t)finding->state;
        engine->likelihoods[finding->node] = finding->likelihoods;
    }
    const crd_i_evidence findings = {.states = engine->states, .likelihoods = engine->likelihoods};
    crd_status status =
        crd_i_junction_ask(engine->work, &findings, engine->wanted, engine->posteriors, &result->log_evidence, error);
    for (size_t i = 0; i < some_count; i++) {
        engine->states[engine->some[i].node] = -1;
        engine->likelihoods[engine->some[i].node] = NULL;
    }
    if (status == CRD_ERROR_LIMIT) return ask_by_itself(engine, some_count, posterior, result, error);
    if (status != CRD_OK) return status;
    memcpy(posterior, engine->posteriors + crd_i_junction_start(engine->junction, engine->node),
           crd_i_node_states(&engine->network->nodes[engine->node]) * sizeof *posterior);
    return CRD_OK;
}

enum { NO_FINDING = 0, ALL = 1, ALONE = 2, WITHOUT = 3 };

/* Queries with the premises and one of: no finding, all, only i and k, or all except i and k. */
static crd_status evidence_analysis_ask_with(analysis_engine *engine, crd_evidence_analysis *reasons, int which,
                                             size_t i, size_t k, double *posterior, crd_error *error) {
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    size_t some_count = 0;
    for (size_t f = 0; f < engine->count; f++) {
        bool is_in = which == ALL || (which == ALONE && (f == i || f == k)) || (which == WITHOUT && f != i && f != k);
        if (is_in || reasons->findings[f].is_premise) engine->some[some_count++] = engine->findings[f];
    }
    crd_status status = evidence_analysis_ask(engine, some_count, posterior, &result, error);
    if (result.approximation != CRD_APPROXIMATION_NEVER) reasons->approximation = result.approximation;
    if (which == ALL) reasons->log_evidence = result.log_evidence;
    return status;
}

static size_t pair_count(const crd_evidence_analysis *reasons) {
    return reasons->subsets->has_pairs && reasons->count > 0 ? reasons->count * (reasons->count - 1) / 2 : 0;
}

/* Returns the position of the result without both findings; i and k must differ. */
static size_t pair_place(const crd_evidence_analysis *reasons, size_t i, size_t k) {
    size_t less = i < k ? i : k, more = i < k ? k : i;
    return 2 + 2 * reasons->count + more * (more - 1) / 2 + less;
}

/* Returns the position of the result given only both findings. */
static size_t both_place(const crd_evidence_analysis *reasons, size_t i, size_t k) {
    return pair_place(reasons, i, k) + pair_count(reasons);
}

static double *evidence_analysis_answer(const crd_evidence_analysis *reasons, size_t place) {
    return reasons->subsets->answers + place * reasons->states;
}

/* Returns whether the odds of any state differ noticeably. */
static bool evidence_analysis_changes(const crd_evidence_analysis *reasons, const double *source,
                                      const double *destination) {
    bool is_any = false;
    for (size_t state = 0; state < reasons->states; state++)
        is_any = is_any || says_something(evidence_analysis_moved(reasons, source, destination, state));
    return is_any;
}

/* ---- Pairs of findings ---- */

/* Returns whether k cancels the effect of i at least partly, whether it was for or against the state. */
static bool is_explained_away(const crd_evidence_analysis *reasons, size_t i, size_t k, double said, double says,
                              double taken_back) {
    if (reasons->findings[i].path == NULL || reasons->subsets->meetings[k * reasons->count + i] == NULL) return false;
    return says_something(said) && says_something(says - said) && (says - said > 0) != (said > 0) &&
           says_something(taken_back) && (taken_back > 0) != (said > 0);
}

/* Classifies the effect of finding k on finding i, given all others or none. */
static crd_interaction interplay_among(const crd_evidence_analysis *reasons, size_t i, size_t k, size_t state,
                                       bool is_alone) {
    const size_t count = reasons->count;
    const double *neither = evidence_analysis_answer(reasons, is_alone ? 0 : pair_place(reasons, i, k));
    const double *with_i = evidence_analysis_answer(reasons, is_alone ? 2 + i : 2 + count + k);
    const double *with_k = evidence_analysis_answer(reasons, is_alone ? 2 + k : 2 + count + i);
    const double *with_both = evidence_analysis_answer(reasons, is_alone ? both_place(reasons, i, k) : 1);
    double said = evidence_analysis_moved(reasons, neither, with_i, state),
           says = evidence_analysis_moved(reasons, with_k, with_both, state);
    double said_by_k = evidence_analysis_moved(reasons, neither, with_k, state),
           says_k = evidence_analysis_moved(reasons, with_i, with_both, state);
    /* Evidence against a state is evidence for other states, and is reported for those. */
    if (is_explained_away(reasons, i, k, said, says, says_k))
        return said > 0 ? CRD_INTERACTION_EXPLAINS_AWAY : CRD_INTERACTION_NONE;
    if (says_something(said) && says_hardly_anything(says)) return CRD_INTERACTION_SCREENS_OFF;
    if (says_hardly_anything(said) && says_something(says) &&
        !is_explained_away(reasons, k, i, said_by_k, says_k, says))
        return CRD_INTERACTION_OPENS;
    return CRD_INTERACTION_NONE;
}

/* Returns whether a pair may have a reportable interaction given all evidence. */
static bool is_worth_asking(const crd_evidence_analysis *reasons, size_t i, size_t k) {
    bool is = false;
    for (size_t state = 0; state < reasons->states && !is; state++)
        is = interplay_among(reasons, i, k, state, false) != CRD_INTERACTION_NONE ||
             interplay_among(reasons, k, i, state, false) != CRD_INTERACTION_NONE;
    return is;
}

static crd_status ask_pair(analysis_engine *engine, crd_evidence_analysis *reasons, size_t i, size_t k,
                           crd_error *error) {
    crd_status status = evidence_analysis_ask_with(engine, reasons, WITHOUT, i, k,
                                                   evidence_analysis_answer(reasons, pair_place(reasons, i, k)), error);
    if (status == CRD_OK && is_worth_asking(reasons, i, k))
        status = evidence_analysis_ask_with(engine, reasons, ALONE, i, k,
                                            evidence_analysis_answer(reasons, both_place(reasons, i, k)), error);
    return status;
}

static crd_status evidence_analysis_ask_all(analysis_engine *engine, crd_evidence_analysis *reasons, crd_error *error) {
    size_t count = reasons->count;
    /* The query with all findings comes first: it shows whether they are consistent. */
    crd_status status =
        evidence_analysis_ask_with(engine, reasons, ALL, 0, 0, evidence_analysis_answer(reasons, 1), error);
    if (status == CRD_OK)
        status =
            evidence_analysis_ask_with(engine, reasons, NO_FINDING, 0, 0, evidence_analysis_answer(reasons, 0), error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        status =
            evidence_analysis_ask_with(engine, reasons, ALONE, i, i, evidence_analysis_answer(reasons, 2 + i), error);
        /* A d-separated finding has no effect, not even by rounding. */
        double *without = evidence_analysis_answer(reasons, 2 + count + i);
        bool is_separated = reasons->findings[i].path == NULL && !reasons->findings[i].is_premise;
        if (is_separated) memcpy(without, evidence_analysis_answer(reasons, 1), reasons->states * sizeof *without);
        if (status == CRD_OK && !is_separated)
            status = evidence_analysis_ask_with(engine, reasons, WITHOUT, i, i, without, error);
    }
    for (size_t i = 0; status == CRD_OK && reasons->subsets->has_pairs && i < count; i++)
        reasons->subsets->is_of_note[i] =
            !reasons->findings[i].is_premise &&
            (evidence_analysis_changes(reasons, evidence_analysis_answer(reasons, 0),
                                       evidence_analysis_answer(reasons, 2 + i)) ||
             evidence_analysis_changes(reasons, evidence_analysis_answer(reasons, 2 + count + i),
                                       evidence_analysis_answer(reasons, 1)));
    for (size_t k = 1; reasons->subsets->has_pairs && k < count; k++)
        for (size_t i = 0; status == CRD_OK && i < k; i++)
            if (reasons->subsets->is_of_note[i] && reasons->subsets->is_of_note[k])
                status = ask_pair(engine, reasons, i, k, error);
    return status;
}

static crd_status evidence_analysis_find_paths(const analysis_engine *engine, crd_evidence_analysis *reasons,
                                               crd_error *error) {
    const crd_network *network = engine->network;
    bool *is_given = crd_i_arena_alloc_zeroed(engine->arena, network->count, sizeof *is_given);
    bool *is_hinted = crd_i_arena_alloc_zeroed(engine->arena, network->count, sizeof *is_hinted);
    bool *is_end = crd_i_arena_alloc_zeroed(engine->arena, network->count, sizeof *is_end);
    crd_status status = crd_i_arena_check(engine->arena, error);
    for (size_t i = 0; status == CRD_OK && i < engine->count; i++)
        (engine->findings[i].likelihoods == NULL ? is_given : is_hinted)[engine->findings[i].node] = true;
    for (size_t i = 0; status == CRD_OK && i < engine->count; i++) {
        size_t node = engine->findings[i].node;
        bool *mark = engine->findings[i].likelihoods == NULL ? is_given : is_hinted;
        mark[node] = false;
        is_end[node] = true;
        status = crd_i_separation(network, &engine->node, 1, is_end, is_given, is_hinted, &reasons->findings[i].path,
                                  &reasons->findings[i].path_length, error);
        is_end[node] = false;
        mark[node] = true;
    }
    return status;
}

/* Returns whether a directed path leads from one node to the other. */
static crd_status evidence_analysis_is_above(const crd_network *network, size_t above, size_t below, bool *is,
                                             crd_error *error) {
    bool *is_marked = crd_i_alloc_zeroed(network->context, network->count, sizeof *is_marked);
    if (is_marked == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++) {
        size_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        for (size_t j = 0; j < node->parent_count && !is_marked[index]; j++)
            is_marked[index] = node->parents[j] == above || is_marked[node->parents[j]];
    }
    *is = is_marked[below];
    crd_free(network->context, is_marked);
    return CRD_OK;
}

/* Finds the converging paths between the node and each finding that is not its descendant. */
static crd_status find_meetings(const analysis_engine *engine, crd_evidence_analysis *reasons, crd_error *error) {
    const crd_network *network = engine->network;
    const size_t count = engine->count;
    if (!reasons->subsets->has_pairs) return CRD_OK;
    reasons->subsets->meetings =
        crd_i_arena_alloc_zeroed(reasons->arena, count * count, sizeof *reasons->subsets->meetings);
    reasons->subsets->meeting_lengths = crd_i_arena_alloc_zeroed(reasons->arena, count * count, sizeof(size_t));
    bool *is_given = crd_i_arena_alloc_zeroed(reasons->arena, network->count, sizeof *is_given);
    crd_status status = crd_i_arena_check(reasons->arena, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (engine->findings[i].likelihoods == NULL) is_given[engine->findings[i].node] = true;
    for (size_t k = 0; status == CRD_OK && k < count; k++) {
        bool is_effect = reasons->findings[k].is_premise || engine->findings[k].node == engine->node;
        if (!is_effect)
            status = evidence_analysis_is_above(network, engine->node, engine->findings[k].node, &is_effect, error);
        for (size_t i = 0; status == CRD_OK && !is_effect && i < count; i++) {
            if (i == k || engine->findings[i].node == engine->node) continue;
            status = crd_i_meeting(network, engine->node, engine->findings[k].node, engine->findings[i].node, is_given,
                                   &reasons->subsets->meetings[k * count + i],
                                   &reasons->subsets->meeting_lengths[k * count + i], error);
        }
    }
    return status;
}

/* Returns the term of one state in the divergence of p from q. */
static double divergence_part(double p, double q) {
    return p > 0 && q > 0 ? p * (crd_log(p) - crd_log(q)) : 0;
}

static size_t most_supported_state(const crd_evidence_analysis *reasons) {
    const double *before = reasons->before, *after = reasons->after;
    size_t best = 0, most_probable = 0;
    for (size_t i = 1; i < reasons->states; i++) {
        if (divergence_part(after[i], before[i]) > divergence_part(after[best], before[best])) best = i;
        if (after[i] > after[most_probable]) most_probable = i;
    }
    return divergence_part(after[best], before[best]) > 0 ? best : most_probable;
}

static double information_of(const crd_evidence_analysis *reasons, size_t i) {
    const double *without = reasons->findings[i].without, *after = reasons->after;
    double sum = 0;
    for (size_t state = 0; state < reasons->states; state++) sum += divergence_part(after[state], without[state]);
    /* Rounding may leave a slightly negative sum. */
    return sum > 0 ? sum : 0;
}

/* Returns whether two results differ by more than two standard errors of their difference, which is sqrt(2) times
 * the error of one. */
static bool evidence_interplay_differ(const crd_evidence_analysis *reasons, double start, double upper) {
    static const double OF_A_DIFFERENCE = 1.4142135623730951;
    return start != upper && !(fabs(start - upper) <= 2 * OF_A_DIFFERENCE * reasons->error);
}

static bool is_moved(const crd_evidence_analysis *reasons, const double *source, const double *destination) {
    bool is = false;
    for (size_t s = 0; s < reasons->states; s++)
        is = is || evidence_interplay_differ(reasons, source[s], destination[s]);
    return is;
}

static size_t most_informative_finding(const crd_evidence_analysis *reasons) {
    size_t most = CRD_NONE;
    double greatest = 0;
    for (size_t i = 0; i < reasons->count; i++) {
        double information = reasons->findings[i].is_premise ? 0 : reasons->findings[i].information;
        if (!(information > greatest)) continue;
        if (!is_moved(reasons, reasons->findings[i].without, reasons->after)) continue;
        greatest = information;
        most = i;
    }
    return most;
}

/* Sets the distributions of the result, which are computed later. */
static void point_to_answers(crd_evidence_analysis *analysis) {
    analysis->before = evidence_analysis_answer(analysis, 0);
    analysis->after = evidence_analysis_answer(analysis, 1);
    for (size_t i = 0; i < analysis->count; i++) {
        analysis->findings[i].alone = evidence_analysis_answer(analysis, 2 + i);
        analysis->findings[i].without = evidence_analysis_answer(analysis, 2 + analysis->count + i);
    }
}

static void summarize_findings(crd_evidence_analysis *analysis) {
    for (size_t i = 0; i < analysis->count; i++) analysis->findings[i].information = information_of(analysis, i);
    analysis->state = most_supported_state(analysis);
    analysis->most = most_informative_finding(analysis);
}

crd_status crd_evidence_analysis_create(const crd_network *network, const crd_finding *findings, size_t count,
                                        size_t node, const crd_inference_options *options, crd_evidence_analysis **out,
                                        crd_error *error) {
    *out = NULL;
    crd_evidence_analysis *analysis = crd_i_arena_object(network->context, sizeof *analysis);
    if (analysis == NULL) return crd_i_fail_memory(error);
    crd_i_arena *arena = analysis->arena;
    analysis->subsets = crd_i_arena_alloc_zeroed(arena, 1, sizeof *analysis->subsets);
    if (analysis->subsets == NULL) {
        crd_i_arena_destroy(arena);
        return crd_i_fail_memory(error);
    }
    analysis->subsets->context = network->context;
    analysis->count = count;
    analysis->subsets->has_pairs = count <= CRD_EVIDENCE_ANALYSIS_PAIRS;
    analysis->subsets->is_of_note = crd_i_arena_alloc_zeroed(arena, count, sizeof *analysis->subsets->is_of_note);
    analysis->findings = crd_i_arena_alloc_zeroed(arena, count, sizeof *analysis->findings);
    analysis_engine engine = {.network = network, .findings = findings, .count = count, .node = node};
    engine.arena = crd_i_arena_create(network->context);
    crd_status status = crd_i_arena_check(arena, error);
    if (status == CRD_OK) status = asker_open(&engine, options, analysis, error);
    if (status != CRD_OK) goto end;
    analysis->states = crd_i_node_states(&network->nodes[node]);
    analysis->subsets->answers = crd_i_arena_alloc_zeroed(arena, 2 + 2 * count + 2 * pair_count(analysis),
                                                          analysis->states * sizeof *analysis->subsets->answers);
    status = crd_i_arena_check(arena, error);
    if (status == CRD_OK) point_to_answers(analysis);
    if (status == CRD_OK) status = evidence_analysis_find_paths(&engine, analysis, error);
    if (status == CRD_OK) status = find_meetings(&engine, analysis, error);
    if (status == CRD_OK) status = evidence_analysis_ask_all(&engine, analysis, error);
    analysis->error = engine.error;
    if (status == CRD_OK) summarize_findings(analysis);
end:
    asker_close(&engine);
    if (status == CRD_OK) *out = analysis;
    else crd_evidence_analysis_destroy(analysis);
    return status;
}

/* ---- Distributions ---- */

const double *crd_evidence_analysis_without_both(const crd_evidence_analysis *reasons, size_t i, size_t k) {
    if (i == k || !reasons->subsets->is_of_note[i] || !reasons->subsets->is_of_note[k]) return NULL;
    return evidence_analysis_answer(reasons, pair_place(reasons, i, k));
}

double crd_evidence_analysis_weight(const crd_evidence_analysis *reasons, size_t i, size_t state) {
    return evidence_analysis_moved(reasons, reasons->findings[i].without, reasons->after, state);
}

const size_t *crd_evidence_analysis_meeting(const crd_evidence_analysis *reasons, size_t i, size_t k, size_t *length) {
    *length = 0;
    if (reasons->subsets->meetings == NULL) return NULL;
    *length = reasons->subsets->meeting_lengths[k * reasons->count + i];
    return reasons->subsets->meetings[k * reasons->count + i];
}

crd_interaction crd_evidence_analysis_interaction(const crd_evidence_analysis *reasons, size_t i, size_t k,
                                                  size_t state) {
    if (crd_evidence_analysis_without_both(reasons, i, k) == NULL) return CRD_INTERACTION_NONE;
    crd_interaction among_all = interplay_among(reasons, i, k, state, false);
    if (among_all == CRD_INTERACTION_NONE || interplay_among(reasons, i, k, state, true) != among_all)
        return CRD_INTERACTION_NONE;
    return among_all;
}

/* ======== 2. Results ========
 *
 * Effects that may be due to chance in approximate results are not reported. */

/* Finds the interaction of i and k. For explaining away, sets the state that finding k affects most if it is not the
 * queried state. */
static crd_interaction find_interplay(const crd_evidence_analysis *reasons, size_t i, size_t k, size_t *state) {
    const double *without = reasons->findings[k].without, *factor = reasons->after;
    crd_interaction interplay = crd_evidence_analysis_interaction(reasons, i, k, *state);
    bool is_found = interplay == CRD_INTERACTION_EXPLAINS_AWAY;
    if (is_found) return interplay;
    for (size_t s = 0; s < reasons->states; s++) {
        if (crd_evidence_analysis_interaction(reasons, i, k, s) != CRD_INTERACTION_EXPLAINS_AWAY) continue;
        if (is_found && !(without[s] - factor[s] > without[*state] - factor[*state])) continue;
        is_found = true;
        *state = s;
    }
    return is_found ? CRD_INTERACTION_EXPLAINS_AWAY : interplay;
}

crd_interaction crd_evidence_analysis_interplay(const crd_evidence_analysis *reasons, size_t i, size_t k,
                                                size_t *state) {
    crd_interaction interplay = find_interplay(reasons, i, k, state);
    if (interplay == CRD_INTERACTION_NONE || reasons->approximation == CRD_APPROXIMATION_NEVER) return interplay;
    double start = reasons->before[*state], upper = reasons->findings[i].alone[*state];
    if (interplay != CRD_INTERACTION_SCREENS_OFF) {
        start = reasons->findings[interplay == CRD_INTERACTION_OPENS ? i : k].without[*state];
        upper = reasons->after[*state];
    }
    return evidence_interplay_differ(reasons, start, upper) ? interplay : CRD_INTERACTION_NONE;
}
