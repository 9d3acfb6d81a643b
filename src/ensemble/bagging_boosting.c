/* SPDX-License-Identifier: MIT */
/* bagging_boosting.c - see bagging_boosting.h. */
#include "ensemble/bagging_boosting.h"

#include "base/error.h"
#include "base/memory.h"
#include "ensemble/ensemble_scorer.h"
#include "fit/held_out.h"
#include "math/functions/elementary.h"
#include "math/random.h"

#include <math.h>

/* A member that is never wrong has the vote of one that is wrong so seldom. */
static const double LEAST_ERROR = 1e-6;

typedef struct boosting_sampling {
    crd_classifier *owner;
    crd_i_ensemble_scorer *ensemble;
    crd_i_held_out *inner;
    crd_settings *settings; /* of the members */
    double *weights;        /* of each row, for the member at hand */
    double *logs;           /* of boosting: log posteriors of each row by a member */
} boosting_sampling;

/* ---- Weights ---- */

/* How often something that is to be expected so often comes. */
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

static void weigh_by_drawing(const boosting_sampling *s, size_t member) {
    size_t rows = crd_i_held_out_rows(s->inner);
    bool any = false;
    for (size_t row = 0; row < rows; row++) {
        crd_i_random random = crd_i_random_at(member, crd_i_held_out_hashes(s->inner)[row]);
        s->weights[row] = draw_poisson(&random, crd_i_held_out_weights(s->inner)[row]);
        any = any || s->weights[row] > 0;
    }
    /* Of few rows, or of rows of little weight, it may be that none is drawn; that would be a member without a vote. */
    for (size_t row = 0; !any && row < rows; row++) s->weights[row] = crd_i_held_out_weights(s->inner)[row];
}

static bool is_right(const boosting_sampling *s, size_t row) {
    size_t classes = s->owner->class_count, decision = 0;
    const double *logs = s->logs + row * classes;
    for (size_t k = 1; k < classes; k++)
        if (logs[k] > logs[decision]) decision = k;
    return decision == (size_t)crd_i_held_out_classes(s->inner)[row];
}

/* The vote of a member, from how much weight the rows have that it decides wrongly, which gain by as much; 0: it is no
 * better than chance, or never wrong, and boosting is over. */
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

/* A prior that is stated class by class holds for members too, as far as they know the classes. */
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

/* NULL in *out: no rows have weight. */
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
        /* One that ends it counts only if there is no other. */
        bool counts = status == CRD_OK && (vote > 0 || i == 0);
        if (counts)
            status = crd_i_ensemble_scorer_add(s->ensemble, s->owner, member, vote > 0 ? vote : -crd_log(LEAST_ERROR),
                                               error);
        else crd_classifier_destroy(member);
    }
    return status;
}

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
