/* SPDX-License-Identifier: MIT */
/* bagging_boosting.c - see ensemble_scorer.h. */
#include "ensemble/ensemble_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/held_out.h"
#include "math/functions/elementary.h"
#include "math/random.h"

#include <math.h>

/* Smallest error rate of a member. A member that makes no errors gets the vote of this error rate. */
static const double LEAST_ERROR = 1e-6;

typedef struct boosting_sampling {
    crd_classifier *owner;
    crd_i_ensemble_scorer *ensemble;
    crd_i_held_out *inner;
    crd_settings *settings; /* settings of the members */
    double *weights;        /* weight of each row for the current member */
    double *logs;           /* for boosting: log posteriors of each row under the current member */
} boosting_sampling;

/* ---- Weights ---- */

/* Draws from a Poisson distribution by inversion, or by the normal approximation for large means. */
static double draw_poisson(crd_i_random *random, double mean) {
    enum { MOST_BY_STEPS = 500 };
    if (mean > MOST_BY_STEPS) {
        double count = floor(mean + sqrt(mean) * crd_i_random_normal(random) + 0.5);
        return count > 0 ? count : 0;
    }
    double share = crd_exp(-mean), below = share, position = crd_i_random_uniform(random), count = 0;
    while (position >= below && share > 0) {
        count++;
        share *= mean / count;
        below += share;
    }
    return count;
}

/* Draws the weights of a bootstrap sample: Poisson counts whose means are the rows' own weights. */
static void weigh_by_drawing(const boosting_sampling *s, size_t member) {
    size_t rows = crd_i_held_out_rows(s->inner);
    bool any = false;
    for (size_t row = 0; row < rows; row++) {
        crd_i_random random = crd_i_random_at(member, crd_i_held_out_hashes(s->inner)[row]);
        s->weights[row] = draw_poisson(&random, crd_i_held_out_weights(s->inner)[row]);
        any = any || s->weights[row] > 0;
    }
    /* With few rows or small weights, all counts may be 0. Use the original weights then, because a member without rows
     * has no vote. */
    for (size_t row = 0; !any && row < rows; row++) s->weights[row] = crd_i_held_out_weights(s->inner)[row];
}

static bool is_right(const boosting_sampling *s, size_t row) {
    size_t classes = s->owner->class_count, decision = 0;
    const double *logs = s->logs + row * classes;
    for (size_t k = 1; k < classes; k++)
        if (logs[k] > logs[decision]) decision = k;
    return decision == (size_t)crd_i_held_out_classes(s->inner)[row];
}

/* Returns the vote of a member, computed from the weight of the rows it misclassifies, and increases the weights of
 * these rows. Returns 0 if the member is not better than chance, or makes no errors; boosting ends then. */
static double weigh_by_error(const boosting_sampling *s) {
    size_t classes = s->owner->class_count, rows = crd_i_held_out_rows(s->inner);
    double all = 0, wrong = 0;
    for (size_t row = 0; row < rows; row++) {
        all += s->weights[row];
        if (!is_right(s, row)) wrong += s->weights[row];
    }
    double error = wrong / all, vote = crd_log((1 - error) / error * ((double)classes - 1));
    if (!(error > LEAST_ERROR) || !(vote > 0)) return 0;
    double gain = (1 - error) / error * ((double)classes - 1), now = all - wrong + gain * wrong;
    for (size_t row = 0; row < rows; row++) s->weights[row] *= (is_right(s, row) ? 1 : gain) * (all / now);
    return vote;
}

/* ---- Members ---- */

/* Applies a specified prior to a member, restricted to the classes that the member has. */
static void bagging_boosting_state_prior(const crd_classifier *owner, crd_classifier *member) {
    double sum = 0;
    for (size_t k = 0; k < member->class_count; k++) {
        member->priors[k] = owner->priors[crd_i_dictionary_find(owner->classes, crd_classifier_class(member, k))];
        sum += member->priors[k].count;
    }
    for (size_t k = 0; k < member->class_count; k++) {
        crd_term *prior = &member->priors[k];
        prior->total = sum;
        prior->log_value = member->log_priors[k] = prior->count > 0 ? crd_i_log_ratio(prior->count, sum) : -INFINITY;
    }
}

/* Trains a member on the weighted rows. *out is NULL if no row has a positive weight. */
static crd_status make_member(const boosting_sampling *s, crd_classifier **out, crd_error *error) {
    crd_model *model;
    *out = NULL;
    crd_status status = crd_i_held_out_learn(s->inner, s->settings, 0, 0, s->weights, &model, error);
    if (status != CRD_OK) return status;
    status = crd_classifier_create(model, NULL, out, error);
    crd_model_destroy(model);
    if (status == CRD_OK && s->owner->settings->prior == CRD_I_PRIOR_GIVEN)
        bagging_boosting_state_prior(s->owner, *out);
    return status == CRD_ERROR_EMPTY ? CRD_OK : status;
}

/* Adds the members of bagging, with equal weights. */
static crd_status add_drawn(const boosting_sampling *s, crd_error *error) {
    size_t members = s->owner->settings->method_members;
    crd_i_ensemble_scorer *ensemble = s->ensemble;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < members; i++) {
        crd_classifier *member;
        weigh_by_drawing(s, i);
        status = make_member(s, &member, error);
        if (status == CRD_OK && member != NULL)
            status = crd_i_ensemble_scorer_add(ensemble, s->owner, member, 1, error);
    }
    for (size_t i = 0; i < ensemble->count; i++) ensemble->members[i].weight = 1 / (double)ensemble->count;
    return status;
}

/* Adds the members of boosting until the requested number is reached or a member ends it. */
static crd_status add_boosted(const boosting_sampling *s, crd_error *error) {
    size_t members = s->owner->settings->method_members, rows = crd_i_held_out_rows(s->inner);
    double vote = 1;
    crd_status status = CRD_OK;
    for (size_t row = 0; row < rows; row++) s->weights[row] = crd_i_held_out_weights(s->inner)[row];
    for (size_t i = 0; status == CRD_OK && i < members && vote > 0; i++) {
        crd_classifier *member;
        status = make_member(s, &member, error);
        if (status != CRD_OK || member == NULL) return status;
        status = crd_i_held_out_ask(s->inner, member, 0, rows, s->logs, error);
        if (status == CRD_OK) vote = weigh_by_error(s);
        /* A member that ends boosting is used only if it is the first. */
        bool counts = status == CRD_OK && (vote > 0 || i == 0);
        if (counts)
            status = crd_i_ensemble_scorer_add(s->ensemble, s->owner, member, vote > 0 ? vote : -crd_log(LEAST_ERROR),
                                               error);
        else crd_classifier_destroy(member);
    }
    return status;
}

/* Creates the ensemble and the settings of its members. */
static crd_status bagging_boosting_open(boosting_sampling *s, crd_error *error) {
    crd_context *context = s->owner->context;
    size_t rows = crd_i_held_out_rows(s->inner);
    bool is_bagging = s->owner->settings->method == CRD_I_METHOD_BAGGING;
    crd_i_ensemble_rule rule = is_bagging ? CRD_I_ENSEMBLE_AVERAGE : CRD_I_ENSEMBLE_VOTE;
    crd_status status = crd_i_ensemble_scorer_create(s->owner, rule, 0, &s->ensemble, error);
    if (status != CRD_OK) return status;
    s->weights = crd_i_alloc(context, rows, sizeof *s->weights);
    s->logs = crd_i_alloc(context, is_bagging ? 0 : rows * s->owner->class_count, sizeof *s->logs);
    if (s->weights == NULL || s->logs == NULL) return crd_i_fail_memory(error);
    status = crd_i_held_out_settings(s->owner, &s->settings, error);
    return status == CRD_OK ? crd_settings_set(s->settings, "method", crd_text_of("naive"), error) : status;
}

/* Reads the stored rows and trains the members on them. */
crd_status crd_i_resampled_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                  crd_error *error) {
    bool is_bagging = classifier->settings->method == CRD_I_METHOD_BAGGING;
    const char *description = is_bagging ? "method=bagging:N" : "method=boosting:N";
    boosting_sampling s = {.owner = classifier};
    crd_status status = crd_i_held_out_create(model, classifier, view, description, &s.inner, error);
    if (status == CRD_OK) status = bagging_boosting_open(&s, error);
    if (status == CRD_OK) status = is_bagging ? add_drawn(&s, error) : add_boosted(&s, error);
    crd_i_held_out_destroy(s.inner);
    crd_settings_destroy(s.settings);
    crd_free(classifier->context, s.weights);
    crd_free(classifier->context, s.logs);
    return status;
}
