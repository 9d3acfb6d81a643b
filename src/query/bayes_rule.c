/* SPDX-License-Identifier: MIT */
/* bayes_rule.c - applies Bayes' rule to a finite set of hypotheses; see credence/bayes.h.
 *
 * The stated probabilities are stored as a list of records. crd_bayes_finish converts the list to a matrix of
 * likelihoods, where unknown entries are NaN. It then fills in the entries that follow from the others. The weights are
 * normalized after every observation, so there may be any number of observations. Sums of logarithms keep the total
 * likelihoods and the total evidence.
 *
 * Contents:
 *   1. Stated probabilities
 *   2. Likelihood matrix
 *   3. Observations
 *   4. Results */
#include "base/arena.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <credence/bayes.h>
#include <credence/number.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TIE = 1e-12;
enum { NO_ANSWER = -1 };

/* States P(outcome | hypothesis) = p, or the prior P(hypothesis) = p if outcome is -1. */
typedef struct rule_statement {
    int32_t outcome, hypothesis;
    double p;
} rule_statement;

typedef struct answer_statement {
    int32_t hypothesis, answer;
} answer_statement;

struct crd_bayes_statements {
    crd_context *context;
    crd_i_dictionary *hypotheses, *outcomes, *answers;
    rule_statement *statements;
    size_t statement_count, statement_room;
    answer_statement *said;
    size_t said_count, said_room;
    bool is_finished;
    double *log_likelihood; /* one per hypothesis; set by crd_bayes_finish */
};

crd_status crd_bayes_create(crd_context *context, crd_bayes **out, crd_error *error) {
    *out = NULL;
    crd_bayes *bayes = crd_i_arena_object(context, sizeof *bayes);
    if (bayes == NULL) return crd_i_fail_memory(error);
    bayes->data = crd_i_arena_alloc_zeroed(bayes->arena, 1, sizeof *bayes->data);
    if (bayes->data == NULL) {
        crd_i_arena_destroy(bayes->arena);
        return crd_i_fail_memory(error);
    }
    bayes->data->context = context;
    bayes->data->hypotheses = crd_i_dictionary_create(context);
    bayes->data->outcomes = crd_i_dictionary_create(context);
    bayes->data->answers = crd_i_dictionary_create(context);
    if (bayes->data->hypotheses == NULL || bayes->data->outcomes == NULL || bayes->data->answers == NULL) {
        crd_bayes_destroy(bayes);
        return crd_i_fail_memory(error);
    }
    *out = bayes;
    return CRD_OK;
}

void crd_bayes_destroy(crd_bayes *bayes) {
    if (bayes == NULL) return;
    crd_i_dictionary_destroy(bayes->data->hypotheses);
    crd_i_dictionary_destroy(bayes->data->outcomes);
    crd_i_dictionary_destroy(bayes->data->answers);
    crd_free(bayes->data->context, bayes->data->statements);
    crd_free(bayes->data->context, bayes->data->said);
    crd_i_arena_destroy(bayes->arena);
}

/* ======== 1. Stated probabilities ======== */

/* Formats "P(a)", or "P(a|b)" if b is not NULL, for a message. Returns `out`. */
enum { WHAT_ROOM = 2 * CRD_I_QUOTED_ROOM + 8 };
static const char *name_probability(crd_text a, const crd_text *b, char out[WHAT_ROOM]) {
    char first[CRD_I_QUOTED_ROOM], second[CRD_I_QUOTED_ROOM];
    if (b == NULL) {
        snprintf(out, WHAT_ROOM, "P(%s)", crd_i_quote(a, first));
    } else {
        snprintf(out, WHAT_ROOM, "P(%s|%s)", crd_i_quote(a, first), crd_i_quote(*b, second));
    }
    return out;
}

/* Fails with CRD_ERROR_ARGUMENT if crd_bayes_finish was called. */
static crd_status check_open(const crd_bayes *bayes, crd_error *error) {
    if (!bayes->data->is_finished) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "cannot add a probability after finish");
}

/* Stores a prior if `outcome` is NULL, otherwise a likelihood. Fails if p is not a probability or if it is stated
 * twice. */
static crd_status state_probability(crd_bayes *bayes, const crd_text *outcome, crd_text hypothesis, double p,
                                    crd_error *error) {
    char what[WHAT_ROOM], number[CRD_NUMBER_ROOM];
    crd_status status = check_open(bayes, error);
    if (status != CRD_OK) return status;
    name_probability(outcome == NULL ? hypothesis : *outcome, outcome == NULL ? NULL : &hypothesis, what);
    if (!(p >= 0 && p <= 1)) {
        crd_number_format(p, number);
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%s is %s, which is not between 0 and 1", what, number);
    }
    rule_statement next = {-1, crd_i_dictionary_add(bayes->data->hypotheses, hypothesis), p};
    if (next.hypothesis < 0) return crd_i_fail_memory(error);
    if (outcome != NULL && (next.outcome = crd_i_dictionary_add(bayes->data->outcomes, *outcome)) < 0) {
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < bayes->data->statement_count; i++) {
        const rule_statement *before = &bayes->data->statements[i];
        if (before->outcome != next.outcome || before->hypothesis != next.hypothesis) continue;
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%s is specified twice", what);
    }
    if (!crd_i_reserve(bayes->data->context, &bayes->data->statements, &bayes->data->statement_room,
                       bayes->data->statement_count + 1, sizeof next)) {
        return crd_i_fail_memory(error);
    }
    bayes->data->statements[bayes->data->statement_count++] = next;
    bayes->hypothesis_count = crd_i_dictionary_size(bayes->data->hypotheses);
    return CRD_OK;
}

crd_status crd_bayes_prior(crd_bayes *bayes, crd_text hypothesis, double p, crd_error *error) {
    return state_probability(bayes, NULL, hypothesis, p, error);
}

crd_status crd_bayes_likelihood(crd_bayes *bayes, crd_text outcome, crd_text hypothesis, double p, crd_error *error) {
    return state_probability(bayes, &outcome, hypothesis, p, error);
}

crd_status crd_bayes_outcome(crd_bayes *bayes, crd_text outcome, crd_error *error) {
    crd_status status = check_open(bayes, error);
    if (status != CRD_OK) return status;
    return crd_i_dictionary_add(bayes->data->outcomes, outcome) < 0 ? crd_i_fail_memory(error) : CRD_OK;
}

crd_status crd_bayes_hypothesis_answer(crd_bayes *bayes, crd_text hypothesis, crd_text answer, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_status status = check_open(bayes, error);
    if (status != CRD_OK) return status;
    answer_statement next = {crd_i_dictionary_add(bayes->data->hypotheses, hypothesis),
                             crd_i_dictionary_add(bayes->data->answers, answer)};
    if (next.hypothesis < 0 || next.answer < 0) return crd_i_fail_memory(error);
    for (size_t i = 0; i < bayes->data->said_count; i++) {
        if (bayes->data->said[i].hypothesis != next.hypothesis) continue;
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%s has two answers", crd_i_quote(hypothesis, quoted));
    }
    if (!crd_i_reserve(bayes->data->context, &bayes->data->said, &bayes->data->said_room, bayes->data->said_count + 1,
                       sizeof next)) {
        return crd_i_fail_memory(error);
    }
    bayes->data->said[bayes->data->said_count++] = next;
    bayes->hypothesis_count = crd_i_dictionary_size(bayes->data->hypotheses);
    return CRD_OK;
}

/* ======== 2. Likelihood matrix ======== */

/* Lists the names of a dictionary, and their number. */
static crd_text *list_names(crd_i_arena *arena, const crd_i_dictionary *dictionary, size_t *count) {
    *count = crd_i_dictionary_size(dictionary);
    crd_text *names = crd_i_arena_alloc(arena, *count, sizeof *names);
    for (size_t i = 0; names != NULL && i < *count; i++) names[i] = crd_i_dictionary_text(dictionary, i);
    return names;
}

/* Allocates the arrays for the results and copies the stated probabilities and answers to them. Other entries are NaN,
 * or NO_ANSWER. Returns false if memory runs out. */
static bool bayes_rule_make_room(crd_bayes *bayes) {
    const size_t hypotheses = bayes->hypothesis_count, outcomes = bayes->outcome_count;
    if (outcomes > 0 && hypotheses > SIZE_MAX / outcomes) return false;
    size_t cells = hypotheses * outcomes;
    crd_i_arena *arena = bayes->arena;
    bayes->prior = crd_i_arena_alloc(arena, hypotheses, sizeof *bayes->prior);
    bayes->posterior = crd_i_arena_alloc(arena, hypotheses, sizeof *bayes->posterior);
    bayes->data->log_likelihood = crd_i_arena_alloc_zeroed(arena, hypotheses, sizeof *bayes->data->log_likelihood);
    bayes->likelihood = crd_i_arena_alloc(arena, cells, sizeof *bayes->likelihood);
    bayes->prior_inferred = crd_i_arena_alloc_zeroed(arena, hypotheses, sizeof *bayes->prior_inferred);
    bayes->likelihood_inferred = crd_i_arena_alloc_zeroed(arena, cells, sizeof *bayes->likelihood_inferred);
    bayes->answer = crd_i_arena_alloc(arena, hypotheses, sizeof *bayes->answer);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t i = 0; i < hypotheses; i++) bayes->prior[i] = NAN, bayes->answer[i] = NO_ANSWER;
    for (size_t i = 0; i < cells; i++) bayes->likelihood[i] = NAN;
    for (size_t i = 0; i < bayes->data->statement_count; i++) {
        const rule_statement *s = &bayes->data->statements[i];
        if (s->outcome < 0) bayes->prior[s->hypothesis] = s->p;
        else bayes->likelihood[(size_t)s->outcome * hypotheses + (size_t)s->hypothesis] = s->p;
    }
    for (size_t i = 0; i < bayes->data->said_count; i++)
        bayes->answer[bayes->data->said[i].hypothesis] = bayes->data->said[i].answer;
    return true;
}

/* Returns the probability that remains for the missing entry. A tiny remainder is rounding error, and becomes 0. */
static double what_is_left(double sum) {
    return 1 - sum < CRD_BAYES_SLACK * 1e-6 ? 0 : 1 - sum;
}

/* Rounds to three significant digits, or to a whole number if x is at least 100, for display. */
static double round_for_show(double x) {
    double scale = 1;
    while (x * scale < 100 && scale < 1e22) scale *= 10; /* powers of ten up to here are exact */
    return round(x * scale) / scale;
}

/* Reports that probabilities do not sum to 1, and by how much. */
static crd_status off_by(crd_error *error, const char *description, double sum) {
    char total[CRD_NUMBER_ROOM], by[CRD_NUMBER_ROOM];
    crd_number_format(sum, total);
    crd_number_format(round_for_show(fabs(sum - 1)), by);
    return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%s add up to %s, which is %s too %s", description, total, by,
                      sum > 1 ? "much" : "little");
}

/* Fills in the priors: all equal if none is stated, otherwise the remainder for a single missing one. Fails if several
 * are missing or the sum is not 1. */
static crd_status finish_priors(crd_bayes *bayes, crd_error *error) {
    size_t count = bayes->hypothesis_count, missing = 0, which = 0;
    char first[CRD_I_QUOTED_ROOM];
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(bayes->prior[i])) missing++, which = i;
        else sum += bayes->prior[i];
    }
    if (missing == count) {
        for (size_t i = 0; i < count; i++) bayes->prior[i] = 1 / (double)count, bayes->prior_inferred[i] = true;
        return CRD_OK;
    }
    if (missing > 1) {
        return crd_i_fail(error, CRD_ERROR_PROBABILITY,
                          "%zu hypotheses have no prior, for example %s; at most one may be missing", missing,
                          crd_i_quote(bayes->hypotheses[which], first));
    }
    if (sum > 1 + CRD_BAYES_SLACK || (missing == 0 && sum < 1 - CRD_BAYES_SLACK))
        return off_by(error, "the priors", sum);
    if (missing == 1) {
        bayes->prior[which] = what_is_left(sum);
        bayes->prior_inferred[which] = true;
    }
    return CRD_OK;
}

/* Fills in a missing likelihood under one hypothesis as the remainder. Fails if several are missing, or if their sum is
 * above 1. */
static crd_status finish_likelihoods(crd_bayes *bayes, size_t hypothesis, crd_error *error) {
    size_t count = bayes->hypothesis_count, outcomes = bayes->outcome_count;
    size_t missing = 0, which = 0;
    crd_text name = bayes->hypotheses[hypothesis];
    char quoted[CRD_I_QUOTED_ROOM], what[WHAT_ROOM];
    double sum = 0;
    for (size_t o = 0; o < outcomes; o++) {
        double p = bayes->likelihood[o * count + hypothesis];
        if (isnan(p)) missing++, which = o;
        else sum += p;
    }
    if (sum > 1 + CRD_BAYES_SLACK) {
        snprintf(what, sizeof what, "the likelihoods under %s", crd_i_quote(name, quoted));
        return off_by(error, what, sum);
    }
    if (missing == 0) return CRD_OK;
    crd_text outcome = bayes->outcomes[which];
    name_probability(outcome, &name, what);
    if (missing > 1 || outcomes == 1) {
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%s is missing, and does not follow from the others", what);
    }
    bayes->likelihood[which * count + hypothesis] = what_is_left(sum);
    bayes->likelihood_inferred[which * count + hypothesis] = true;
    return CRD_OK;
}

/* Rejects an outcome whose inferred probability is 0 under every hypothesis. Its name is probably a typing mistake. */
static crd_status check_outcomes(const crd_bayes *bayes, crd_error *error) {
    size_t count = bayes->hypothesis_count;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t o = 0; o < bayes->outcome_count; o++) {
        bool is_empty = true;
        for (size_t h = 0; h < count; h++) {
            is_empty = is_empty && bayes->likelihood_inferred[o * count + h] &&
                       bayes->likelihood[o * count + h] < CRD_BAYES_SLACK;
        }
        if (!is_empty) continue;
        return crd_i_fail(error, CRD_ERROR_PROBABILITY,
                          "unknown outcome '%s': the specified outcomes already have all of the probability",
                          crd_i_quote(bayes->outcomes[o], quoted));
    }
    return CRD_OK;
}

static crd_status check_answers(const crd_bayes *bayes, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t h = 0; bayes->data->said_count > 0 && h < bayes->hypothesis_count; h++) {
        if (bayes->answer[h] != NO_ANSWER) continue;
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the answer of %s is missing",
                          crd_i_quote(bayes->hypotheses[h], quoted));
    }
    return CRD_OK;
}

crd_status crd_bayes_finish(crd_bayes *bayes, crd_error *error) {
    crd_status status = check_open(bayes, error);
    if (status != CRD_OK) return status;
    bayes->hypotheses = list_names(bayes->arena, bayes->data->hypotheses, &bayes->hypothesis_count);
    bayes->outcomes = list_names(bayes->arena, bayes->data->outcomes, &bayes->outcome_count);
    bayes->answers = list_names(bayes->arena, bayes->data->answers, &bayes->answer_count);
    const size_t count = bayes->hypothesis_count;
    if (count == 0) return crd_i_fail(error, CRD_ERROR_PROBABILITY, "missing hypothesis");
    bayes->data->is_finished = true;
    if (!bayes_rule_make_room(bayes)) return crd_i_fail_memory(error);
    status = finish_priors(bayes, error);
    for (size_t h = 0; h < count && status == CRD_OK; h++) status = finish_likelihoods(bayes, h, error);
    if (status == CRD_OK) status = check_outcomes(bayes, error);
    if (status == CRD_OK) status = check_answers(bayes, error);
    if (status == CRD_OK) memcpy(bayes->posterior, bayes->prior, count * sizeof *bayes->prior);
    return status;
}

/* ======== 3. Observations ======== */

crd_status crd_bayes_observe(crd_bayes *bayes, crd_text outcome, double *joint, double *evidence, crd_error *error) {
    size_t count = bayes->hypothesis_count;
    int32_t which = crd_i_dictionary_find(bayes->data->outcomes, outcome);
    char quoted[CRD_I_QUOTED_ROOM];
    if (which < 0) {
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "unknown outcome '%s'", crd_i_quote(outcome, quoted));
    }
    const double *likelihood = bayes->likelihood + (size_t)which * count;
    double total = 0;
    for (size_t h = 0; h < count; h++) total += bayes->posterior[h] * likelihood[h];
    if (!(total > 0)) {
        return crd_i_fail(error, CRD_ERROR_PROBABILITY,
                          "'%s' cannot be observed: its probability is 0 under every remaining hypothesis",
                          crd_i_quote(outcome, quoted));
    }
    for (size_t h = 0; h < count; h++) {
        double product = bayes->posterior[h] * likelihood[h];
        if (joint != NULL) joint[h] = product;
        bayes->posterior[h] = product / total;
        bayes->data->log_likelihood[h] += crd_log(likelihood[h]);
    }
    bayes->log_evidence += crd_log(total);
    if (evidence != NULL) *evidence = total;
    return CRD_OK;
}

/* Returns the first index of the maximum. Sets *tied, unless NULL, to the number of values that are equal to it up to
 * rounding. */
static size_t bayes_rule_greatest(const double *values, size_t count, size_t *tied) {
    double top = values[0];
    for (size_t i = 1; i < count; i++) top = values[i] > top ? values[i] : top;
    size_t first = count, ties = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] >= top - TIE * fabs(top)) && values[i] != top) continue;
        if (ties++ == 0) first = i;
    }
    if (tied != NULL) *tied = ties;
    return first;
}

size_t crd_bayes_map(const crd_bayes *bayes, size_t *tied) {
    return bayes_rule_greatest(bayes->posterior, bayes->hypothesis_count, tied);
}

size_t crd_bayes_ml(const crd_bayes *bayes, size_t *tied) {
    return bayes_rule_greatest(bayes->data->log_likelihood, bayes->hypothesis_count, tied);
}

double crd_bayes_accuracy(const crd_bayes *bayes) {
    size_t count = bayes->hypothesis_count, outcomes = bayes->outcome_count;
    double sum = 0, most_left = 0;
    if (outcomes == 0) return NAN;
    for (size_t o = 0; o < outcomes; o++) {
        double most = 0;
        for (size_t h = 0; h < count; h++) most = fmax(most, bayes->posterior[h] * bayes->likelihood[o * count + h]);
        sum += most;
    }
    for (size_t h = 0; h < count; h++) {
        double left = 1;
        for (size_t o = 0; o < outcomes; o++) left -= bayes->likelihood[o * count + h];
        if (left > CRD_BAYES_SLACK) most_left = fmax(most_left, bayes->posterior[h] * left);
    }
    return sum + most_left;
}

/* ======== 4. Results ======== */

double crd_bayes_answer_weight(const crd_bayes *bayes, size_t answer) {
    double weight = 0;
    for (size_t h = 0; h < bayes->hypothesis_count; h++) {
        if (bayes->answer[h] == (int32_t)answer) weight += bayes->posterior[h];
    }
    return weight;
}

size_t crd_bayes_optimal(const crd_bayes *bayes, size_t *tied) {
    size_t best = 0, ties = 0;
    double most = -1;
    for (size_t a = 0; a < bayes->answer_count; a++) {
        double weight = crd_bayes_answer_weight(bayes, a);
        if (weight > most + TIE) {
            most = weight;
            best = a;
            ties = 1;
        } else if (weight >= most - TIE) {
            ties++;
        }
    }
    if (tied != NULL) *tied = ties;
    return best;
}
