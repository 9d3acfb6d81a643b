/* SPDX-License-Identifier: MIT */
/* naive_scorer.c - see joint_scorer.h.
 *
 * Contents:
 *   1. Naive Bayes
 *   2. Priors and densities */
#include "classify/joint_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"

/* ======== 1. Naive Bayes ======== */

/* Adds the log densities of a present value, multiplied by the attribute's weight. */
static void naive_scorer_add_weighted(const crd_i_density *density, double weight, const crd_i_cells *cells,
                                      const crd_i_scored_row *row, double *sums) {
    size_t classes = row->classifier->class_count;
    if (weight == 1) {
        density->family->add(density, cells, sums);
    } else if (weight != 0) {
        for (size_t k = 0; k < classes; k++) row->scratch[k] = 0;
        density->family->add(density, cells, row->scratch);
        for (size_t k = 0; k < classes; k++) sums[k] += weight * row->scratch[k];
    }
}

void crd_i_naive_scorer_add(const crd_i_naive_scorer *scorer, const crd_i_scored_row *row, double *sums) {
    const crd_classifier *classifier = row->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_one_cell *cell = &row->cells[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (!cell->is_present || cell->is_unseen || !crd_i_attribute_counts(attribute)) continue;
        const crd_i_cells cells = crd_i_cells_of(cell);
        naive_scorer_add_weighted(attribute->density, scorer->weights == NULL ? 1 : scorer->weights[i], &cells, row,
                                  sums);
    }
}

static crd_status naive_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                     double *probabilities, crd_answer *answer, crd_error *error) {
    (void)error;
    crd_i_row_begin(row, log_posterior, answer);
    crd_i_naive_scorer_add((const crd_i_naive_scorer *)scorer, row, log_posterior);
    crd_i_row_conclude(row, log_posterior, probabilities, answer);
    return CRD_OK;
}

static void naive_scorer_destroy(crd_i_scorer *scorer) {
    crd_free(scorer->context, ((crd_i_naive_scorer *)scorer)->weights);
    crd_free(scorer->context, scorer);
}

double crd_i_naive_scorer_weight(const crd_i_scorer *scorer, size_t attribute) {
    const crd_i_naive_scorer *naive_scorer = (const crd_i_naive_scorer *)scorer;
    return naive_scorer->weights == NULL ? 1 : naive_scorer->weights[attribute];
}

static const crd_i_scorer_type naive = {
    .name = "naive", .score = naive_scorer_score, .destroy = naive_scorer_destroy, .is_naive = true};

static const crd_i_scorer_type weighted_naive = {.name = "weighted naive",
                                                 .score = naive_scorer_score,
                                                 .destroy = naive_scorer_destroy,
                                                 .weight = crd_i_naive_scorer_weight};

/* Creates the scorer. It is generative unless a density adds scores instead of log densities. */
crd_status crd_i_naive_scorer_create(crd_classifier *classifier, crd_error *error) {
    crd_i_naive_scorer *scorer = crd_i_alloc_zeroed(classifier->context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    bool is_generative = true;
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (crd_i_attribute_counts(&classifier->attributes[i]) && classifier->attributes[i].density->is_score)
            is_generative = false;
    const crd_i_scorer base = {.type = &naive,
                               .context = classifier->context,
                               .scratch = classifier->class_count,
                               .is_generative = is_generative};
    scorer->base = base;
    classifier->scorer = &scorer->base;
    return CRD_OK;
}

void crd_i_naive_scorer_set_weights(crd_i_scorer *scorer, double *weights) {
    ((crd_i_naive_scorer *)scorer)->weights = weights;
    scorer->is_generative = false;
    if (scorer->type == &naive) scorer->type = &weighted_naive;
}

/* Names in the error the setting that makes the classifier different from plain naive Bayes. */
crd_status crd_i_naive_scorer_require(const crd_classifier *classifier, const char *description, const char *instead,
                                      crd_error *error) {
    static const char *const settings[][2] = {
        {"method", "naive"}, {"joint", "none"}, {"attribute-weights", "none"}, {"calibration", "none"}};
    if (classifier->scorer->type->is_naive) return CRD_OK;
    if (classifier->settings->method == CRD_I_METHOD_NETWORK) {
        crd_i_fail(error, CRD_ERROR_SETTING, "%s naive Bayes only, but the method is network", description);
        crd_i_error_hint(error, "query the network itself, with crd_network_from_model");
        crd_i_error_subject(error, crd_text_of("method"));
        return CRD_ERROR_SETTING;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *name = settings[i][0];
        if (crd_i_settings_is_default(classifier->settings, name)) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "%s naive Bayes only, but %s is %s", description, name,
                   crd_settings_get(classifier->settings, name));
        crd_i_error_hint(error, "use %s=%s%s", name, settings[i][1], instead);
        crd_i_error_subject(error, crd_text_of(name));
        return CRD_ERROR_SETTING;
    }
    crd_i_fail(error, CRD_ERROR_SETTING, "%s naive Bayes only, but this model combines several models", description);
    crd_i_error_subject(error, crd_text_of("method"));
    return CRD_ERROR_SETTING;
}

/* ======== 2. Priors and densities ========
 *
 * The terms of an explanation come from the functions that also score rows. So an explanation consists of exactly the
 * terms of the prediction. */

static crd_status univariate_terms_check_index(size_t index, size_t count, const char *description, crd_error *error) {
    if (index < count) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown %s %zu", description, index);
}

/* Finds the density of a numeric attribute. Returns CRD_ERROR_COLUMN if the attribute is not numeric, and
 * CRD_ERROR_EMPTY if it has no density. */
static crd_status find_density(const crd_classifier *classifier, size_t attribute, size_t class_index,
                               const crd_i_density **density, crd_error *error) {
    crd_status status = univariate_terms_check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK)
        status = univariate_terms_check_index(attribute, classifier->attribute_count, "attribute", error);
    if (status != CRD_OK) return status;
    const crd_i_attribute *attribute_result = &classifier->attributes[attribute];
    char name[CRD_I_QUOTED_ROOM];
    crd_i_quote(attribute_result->name, name);
    if (attribute_result->type == CRD_TYPE_CATEGORICAL || attribute_result->type == CRD_TYPE_TEXT)
        status = crd_i_fail(error, CRD_ERROR_COLUMN, "attribute '%s' is not numeric", name);
    else if (!crd_i_attribute_has_density(attribute_result))
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "attribute '%s' has no density: no values, or no variance", name);
    if (status != CRD_OK) crd_i_error_subject(error, attribute_result->name);
    *density = attribute_result->density;
    return status;
}

crd_status crd_classifier_moments(const crd_classifier *classifier, size_t attribute, size_t class_index, double *mean,
                                  double *deviation, crd_error *error) {
    const crd_i_density *density;
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) density->family->moments(density, class_index, mean, deviation);
    return status;
}

crd_status crd_classifier_quantile(const crd_classifier *classifier, size_t attribute, size_t class_index, double p,
                                   double *x, crd_error *error) {
    const crd_i_density *density;
    if (!(p > 0 && p < 1))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the probability of a quantile must be between 0 and 1");
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) *x = density->family->quantile(density, class_index, p);
    return status;
}

crd_status crd_classifier_parameters(const crd_classifier *classifier, size_t attribute, size_t class_index,
                                     crd_term_parameter *out, size_t *count, crd_error *error) {
    const crd_i_density *density;
    *count = 0;
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) *count = density->family->parameters(density, class_index, out);
    return status;
}

int crd_classifier_component(const crd_classifier *classifier, size_t attribute, size_t class_index, size_t index,
                             crd_density_component *component) {
    const crd_i_density *density;
    crd_density_component density_component;
    if (find_density(classifier, attribute, class_index, &density, NULL) != CRD_OK ||
        density->family->component == NULL ||
        !density->family->component(density, class_index, index, &density_component))
        return 0;
    crd_i_copy_out(&density_component, sizeof density_component, component);
    return 1;
}

/* ---- Terms ---- */

crd_status crd_classifier_prior(const crd_classifier *classifier, size_t class_index, crd_term *term,
                                crd_error *error) {
    crd_status status = univariate_terms_check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK) crd_i_copy_out(&classifier->priors[class_index], sizeof *classifier->priors, term);
    return status;
}

/* Returns the term of one attribute for one class, multiplied by the attribute's weight. term->form is the reason if
 * the value adds no term. */
crd_status crd_classifier_term(const crd_classifier *classifier, size_t attribute, size_t class_index,
                               const crd_value *value, crd_term *term, crd_error *error) {
    crd_status status = univariate_terms_check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK)
        status = univariate_terms_check_index(attribute, classifier->attribute_count, "attribute", error);
    crd_i_one_cell cell;
    double *logs = NULL;
    if (status == CRD_OK) status = crd_i_classifier_cell(classifier, attribute, value, &cell, error);
    if (status == CRD_OK) status = crd_i_cell_read_alone(classifier, attribute, &cell, &logs, error);
    if (status != CRD_OK) {
        crd_free(classifier->context, logs);
        return status;
    }
    const crd_i_attribute *attribute_result = &classifier->attributes[attribute];
    crd_term result = CRD_TERM_INIT;
    if (!cell.is_present) {
        result.form = CRD_TERM_MISSING;
    } else if (cell.is_unseen) {
        result.form = CRD_TERM_UNSEEN;
    } else if (attribute_result->is_joint) {
        result.form = CRD_TERM_JOINT;
    } else if (!crd_i_attribute_has_density(attribute_result)) {
        result.form = CRD_TERM_SILENT;
    } else {
        const crd_i_cells cells = crd_i_cells_of(&cell);
        attribute_result->density->family->term(attribute_result->density, &cells, class_index, &result);
        result.exponent = crd_i_scorer_weight(classifier->scorer, attribute);
        if (result.exponent != 1) result.log_value = result.exponent == 0 ? 0 : result.exponent * result.log_value;
    }
    crd_free(classifier->context, logs);
    crd_i_copy_out(&result, sizeof result, term);
    return CRD_OK;
}
