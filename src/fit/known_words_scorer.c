/* SPDX-License-Identifier: MIT */
/* known_words_scorer.c - see known_words_scorer.h. */
#include "fit/known_words_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"

#include <math.h>

typedef struct known_words_scorer {
    crd_i_scorer base;
    crd_i_scorer *inner;
} known_words_scorer;

/* ---- Scoring ---- */

static const crd_i_scorer *known_words_scorer_inner(const crd_i_scorer *scorer) {
    return ((const known_words_scorer *)scorer)->inner;
}

/* Returns the factor of the evidence, between 0 and 1. It is 0 if at least half of the words are unseen, and 1 if all
 * words are known. */
static double factor_of(const crd_i_scored_row *row) {
    double words = 0, unseen = 0, weights = 0, weighted = 0;
    for (size_t i = 0; i < row->classifier->attribute_count; i++) {
        const crd_i_terms_read *terms = &row->cells[i].terms;
        const double count = (double)terms->known_words + (double)terms->unseen_words;
        if (count == 0) continue;
        words += count;
        unseen += terms->unseen_words;
        weights += sqrt(count);
        weighted += sqrt(count) * (terms->unseen_words / count);
    }
    if (unseen == 0) return 1;
    const double share = fmax(unseen / words, weighted / weights);
    return share >= 0.5 ? 0 : 1 - share / (1 - share);
}

/* Multiplies the log ratios of posterior to prior by the factor and normalizes them. */
static void known_words_scorer_apply(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                     double *probabilities, crd_answer *answer) {
    (void)scorer;
    const crd_classifier *classifier = row->classifier;
    const double factor = factor_of(row);
    if (answer->decision < 0 || factor == 1) return;
    /* evidence depends on the words only, so the correction does not change it */
    const double evidence = answer->log_evidence;
    for (size_t k = 0; k < classifier->class_count; k++) {
        const double prior = classifier->log_priors[k], log_ratio = log_posterior[k] - prior;
        log_posterior[k] = prior == -INFINITY || factor == 0 ? prior : prior + factor * log_ratio;
    }
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classifier->class_count, log_posterior,
                              probabilities, answer);
    answer->log_evidence = evidence;
}

static crd_status known_words_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row,
                                           double *log_posterior, double *probabilities, crd_answer *answer,
                                           crd_error *error) {
    const crd_i_scorer *inner = known_words_scorer_inner(scorer);
    crd_status status = inner->type->score(inner, row, log_posterior, probabilities, answer, error);
    if (status == CRD_OK) known_words_scorer_apply(scorer, row, log_posterior, probabilities, answer);
    return status;
}

static void known_words_scorer_destroy(crd_i_scorer *scorer) {
    crd_i_scorer_destroy(((known_words_scorer *)scorer)->inner);
    crd_free(scorer->context, scorer);
}

static void known_words_scorer_describe(const crd_i_scorer *scorer, crd_calibration *out) {
    (void)scorer;
    out->rule = "known-words";
    out->slope = 1;
}

static bool known_words_scorer_find_point(const crd_i_scorer *scorer, size_t class_index, size_t index, double *source,
                                          double *destination) {
    (void)scorer, (void)class_index, (void)index, (void)source, (void)destination;
    return false;
}

static bool known_words_scorer_list_parameters(const crd_i_scorer *scorer, crd_i_parameter_list *parameter) {
    (void)scorer, (void)parameter;
    return true;
}

static const crd_i_scorer_correction correction = {known_words_scorer_inner, known_words_scorer_apply,
                                                   known_words_scorer_describe, known_words_scorer_list_parameters,
                                                   known_words_scorer_find_point};

static const crd_i_scorer_type known_words_type = {.name = "known words",
                                                   .score = known_words_scorer_score,
                                                   .destroy = known_words_scorer_destroy,
                                                   .correction = &correction};

/* ---- Derivation ---- */

/* Wraps the scorer if there are texts. */
crd_status crd_i_known_words_scorer_derive(crd_classifier *classifier, crd_error *error) {
    size_t texts = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++) texts += classifier->attributes[i].kind == CRD_KIND_TEXT;
    if (texts == 0) return CRD_OK;
    known_words_scorer *scorer = crd_i_alloc_zeroed(classifier->context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    const crd_i_scorer base = {
        .type = &known_words_type, .context = classifier->context, .scratch = classifier->scorer->scratch};
    scorer->base = base;
    scorer->inner = classifier->scorer;
    classifier->scorer = &scorer->base;
    return CRD_OK;
}
