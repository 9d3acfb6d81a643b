/* SPDX-License-Identifier: MIT */
/* pairwise_scorer.c - see fit_internal.h. */
#include "fit/fit_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "classify/joint_scorer.h"
#include "density/multivariate/joint_density.h"
#include "fit/held_out.h"
#include "model/joint_tallies.h"

typedef struct pairwise_scorer {
    crd_i_scorer base;
    crd_i_joint_block block; /* the AODE density that provides the terms */
    double *weights;         /* weights of the columns, then of the pairs: (0, 1), (0, 2), ... (1, 2), ... */
    size_t count;            /* number of weights */
} pairwise_scorer;

/* Ridge penalties, which shrink the weights towards naive Bayes: a constant one, and one that is larger the fewer rows
 * there are for each weight. */
static const double RIDGE = 1, RIDGE_OF_FEW = 25;

/* ---- Terms ---- */

static size_t scratch_of(const crd_i_joint_block *block) {
    return crd_i_joint_block_scratch(block) + crd_i_aode_pair_count(block->joint) * block->joint->conditions;
}

/* Limits a term to the range +-CRD_I_FOLD_WEIGHTS_MOST. */
static double pairwise_scorer_bound(double term) {
    return term > CRD_I_FOLD_WEIGHTS_MOST    ? CRD_I_FOLD_WEIGHTS_MOST
           : term > -CRD_I_FOLD_WEIGHTS_MOST ? term
                                             : -CRD_I_FOLD_WEIGHTS_MOST;
}

/* Computes the unweighted terms of a row in its scratch, and returns a pointer to them. */
static const double *pairwise_scorer_find_terms(const crd_i_joint_block *block, const crd_i_scored_row *row) {
    const crd_i_joint *joint = block->joint;
    double *terms = row->scratch + crd_i_joint_block_scratch(block);
    crd_i_aode_pair_terms(joint, crd_i_joint_block_cells(block, row), terms,
                          row->scratch + crd_i_joint_cells_room(joint->column_count));
    return terms;
}

/* ---- Scoring ---- */

static crd_status pairwise_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                        double *probabilities, crd_answer *answer, crd_error *error) {
    const pairwise_scorer *pairwise = (const pairwise_scorer *)scorer;
    const crd_classifier *classifier = row->classifier;
    size_t classes = classifier->class_count;
    (void)error;
    crd_i_row_begin(row, log_posterior, answer);
    const double *terms = pairwise_scorer_find_terms(&pairwise->block, row);
    for (size_t i = 0; i < pairwise->count; i++, terms += classes)
        for (size_t k = 0; pairwise->weights[i] > 0 && k < classes; k++)
            log_posterior[k] += pairwise->weights[i] * pairwise_scorer_bound(terms[k]);
    crd_i_row_conclude(row, log_posterior, probabilities, answer);
    return CRD_OK;
}

static void pairwise_scorer_destroy(crd_i_scorer *scorer) {
    pairwise_scorer *pairwise = (pairwise_scorer *)scorer;
    crd_i_joint_block_clear(&pairwise->block);
    crd_free(scorer->context, pairwise->weights);
    crd_free(scorer->context, scorer);
}

static size_t pairwise_scorer_count_pairs(const crd_i_scorer *scorer) {
    return ((const pairwise_scorer *)scorer)->count;
}

/* Converts the index of a weight to its attribute or pair. Single attributes come first, as pairs of equal
 * attributes. */
static void pairwise_scorer_describe(const crd_i_scorer *scorer, size_t pair, crd_pair *out) {
    const pairwise_scorer *pairwise = (const pairwise_scorer *)scorer;
    size_t columns = pairwise->block.joint->column_count, first = pair, second = pair;
    if (pair >= columns) {
        size_t limit = pair - columns; /* index among the pairs whose first column is `first` */
        for (first = 0; limit >= columns - 1 - first; first++) limit -= columns - 1 - first;
        second = first + 1 + limit;
    }
    out->attributes[0] = pairwise->block.attributes[first];
    out->attributes[1] = pairwise->block.attributes[second];
    out->exponent = pairwise->weights[pair];
}

static void pairwise_scorer_list_terms(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *terms) {
    const pairwise_scorer *pairwise = (const pairwise_scorer *)scorer;
    size_t classes = row->classifier->class_count;
    const double *result = pairwise_scorer_find_terms(&pairwise->block, row);
    for (size_t i = 0; i < pairwise->count; i++)
        for (size_t k = 0; k < classes; k++)
            terms[i * classes + k] =
                pairwise->weights[i] > 0 ? pairwise->weights[i] * pairwise_scorer_bound(result[i * classes + k]) : 0;
}

static const crd_i_joint_block *block_of(const crd_i_scorer *scorer) {
    return &((const pairwise_scorer *)scorer)->block;
}

static const crd_i_scorer_pairs pairs = {pairwise_scorer_count_pairs, pairwise_scorer_describe,
                                         pairwise_scorer_list_terms, block_of};

static const crd_i_scorer_type pairwise_type = {
    .name = "pairwise", .score = pairwise_scorer_score, .destroy = pairwise_scorer_destroy, .pairs = &pairs};

/* ---- Fitting ---- */

static size_t pairwise_scorer_scratch_for(const void *state, const crd_classifier *classifier) {
    (void)state;
    return scratch_of(crd_i_aode_scorer_block(classifier));
}

/* Computes the terms of a held-out row with a fold's AODE classifier. */
static crd_status pairwise_scorer_place(const void *state, const crd_i_scored_row *row, const int32_t *classes,
                                        double *terms, double *base, crd_error *error) {
    const crd_classifier *source_classifier = row->classifier;
    const crd_i_joint_block *block = crd_i_aode_scorer_block(source_classifier);
    size_t count = crd_i_aode_pair_count(block->joint);
    const double *result = pairwise_scorer_find_terms(block, row);
    (void)state, (void)error;
    for (size_t k = 0; k < source_classifier->class_count; k++) {
        base[classes[k]] = pairwise_scorer_bound(source_classifier->log_priors[k]);
        for (size_t i = 0; i < count; i++)
            terms[(size_t)classes[k] * count + i] =
                pairwise_scorer_bound(result[i * source_classifier->class_count + k]);
    }
    return CRD_OK;
}

/* Finds the weights: uses the model's if they are valid, otherwise fits them and adds them to the classifier's cache.
 * The fit begins at naive Bayes, with 1 for columns and 0 for pairs. */
static crd_status pairwise_scorer_find_weights(pairwise_scorer *scorer, crd_classifier *classifier,
                                               const crd_model *model, const crd_i_schema_view *view,
                                               crd_error *error) {
    static const char description[] = "pairwise";
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, description, classifier->settings);
    bool is_known =
        known != NULL && known->count == scorer->count && crd_i_fold_weights_fit_in(known->numbers, scorer->count);
    for (size_t i = 0; i < scorer->count; i++)
        scorer->weights[i] = is_known ? known->numbers[i] : i < scorer->block.joint->column_count;
    if (is_known) return CRD_OK;
    crd_i_held_out *inner;
    const crd_i_fold_weights problem = {.count = scorer->count,
                                        .method = "aode",
                                        .ridge = RIDGE,
                                        .ridge_of_few = RIDGE_OF_FEW,
                                        .scratch = pairwise_scorer_scratch_for,
                                        .place = pairwise_scorer_place};
    crd_status status = crd_i_held_out_create(model, classifier, view, "method=pairwise", &inner, error);
    if (status == CRD_OK) status = crd_i_fold_weights_fit(&problem, classifier, inner, scorer->weights, error);
    crd_i_held_out_destroy(inner);
    if (status == CRD_OK &&
        !crd_i_fit_cache_put(&classifier->fitted, description, classifier->settings, scorer->weights, scorer->count))
        status = crd_i_fail_memory(error);
    return status;
}

/* Derives the AODE density from the pair counts, then its weights. */
crd_status crd_i_pairwise_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                        const crd_i_schema_view *view, crd_error *error) {
    crd_context *context = classifier->context;
    const crd_i_joint_type *type = crd_i_joint_named("aode");
    const crd_i_model_joint_tally *kept = crd_i_joint_tallies_whole(model, type->reads);
    if (kept == NULL || crd_i_joint_tallies_whole(model, &crd_i_kept_rows) == NULL)
        return crd_i_joint_block_not_kept("method=pairwise", "pair-counts,rows", error);
    pairwise_scorer *scorer = crd_i_alloc_zeroed(context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    const crd_i_scorer base = {.type = &pairwise_type, .context = context};
    scorer->base = base;
    classifier->scorer = &scorer->base;
    crd_status status = crd_i_joint_block_derive(classifier, model, view, kept, type, 0, &scorer->block, error);
    if (status != CRD_OK) return status;
    scorer->base.scratch = scratch_of(&scorer->block);
    scorer->count = crd_i_aode_pair_count(scorer->block.joint);
    scorer->weights = crd_i_alloc(context, scorer->count, sizeof *scorer->weights);
    if (scorer->weights == NULL) return crd_i_fail_memory(error);
    return pairwise_scorer_find_weights(scorer, classifier, model, view, error);
}
