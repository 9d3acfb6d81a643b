/* SPDX-License-Identifier: MIT */
/* stacking.c - see ensemble_scorer.h. */
#include "ensemble/ensemble_scorer.h"

#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "fit/held_out.h"
#include "math/functions/elementary.h"
#include "math/logistic_newton.h"

#include <math.h>
#include <string.h>

/* The settings of a member that differ from the stacked ensemble's. */
typedef struct stacking_recipe {
    const char *method, *joint, *joint_mixture, *attribute_weights;
    size_t least_numbers, most_numbers; /* range of the number of numeric columns for which the member is useful */
} stacking_recipe;

/* Maximum number of numeric columns of joint densities. Fitting takes quadratic time in the columns per row, and cubic
 * time per step. With more columns, the stored rows also determine the dependences less well than the single
 * columns. */
enum { MOST_TOGETHER = 400, MOST_MIXED = 100 };

static const stacking_recipe recipes[] = {
    {"naive", "none", "none", "fitted", 0, SIZE_MAX},      {"naive", "numbers", "none", "fitted", 2, MOST_TOGETHER},
    {"naive", "numbers", "auto", "fitted", 2, MOST_MIXED}, {"aode", "none", "none", "none", 0, SIZE_MAX},
    {"pairwise", "none", "none", "none", 0, SIZE_MAX},     {"trees", "none", "none", "none", 0, SIZE_MAX},
};

enum { MOST = sizeof recipes / sizeof *recipes };

/* Ridge penalty, which shrinks the weights towards equal weights. */
static const double RIDGE = 1;

/* Bound of fitted numbers. Larger numbers in a file are invalid. */
static const double MOST_FITTED = 1e6;

/* Creates the settings of a member: the ensemble's settings changed by the recipe. */
static crd_status stacking_make_settings(const crd_settings *settings, const stacking_recipe *recipe,
                                         crd_settings **out, crd_error *error) {
    crd_status status = crd_i_settings_copy(settings->context, settings, out, error);
    const char *const changes[][2] = {{"method", recipe->method},
                                      {"joint", recipe->joint},
                                      {"covariance", "auto"},
                                      {"joint-mixture", recipe->joint_mixture},
                                      {"attribute-weights", recipe->attribute_weights},
                                      {"calibration", "none"}};
    for (size_t i = 0; status == CRD_OK && i < sizeof changes / sizeof *changes; i++)
        status = crd_settings_set(*out, changes[i][0], crd_text_of(changes[i][1]), error);
    /* The families of numeric columns are selected automatically, unless specified. */
    if (status == CRD_OK && crd_i_settings_is_default(settings, "family"))
        status = crd_settings_set(*out, "family", crd_text_of("auto"), error);
    if (status != CRD_OK) {
        crd_settings_destroy(*out);
        *out = NULL;
    }
    return status;
}

typedef struct stacking_ensemble {
    crd_i_stage stage; /* progress of deriving members and of predicting held-out folds */
    crd_classifier *owner;
    const crd_model *model;
    const crd_i_schema_view *view;
    crd_settings *settings[MOST];  /* settings of each member */
    crd_classifier *members[MOST]; /* NULL: not derived, or owned by the ensemble */
    bool is_left_out[MOST];        /* its statistics grew too large and were dropped */
    size_t count;
    bool has_trees; /* the last member is trees */
} stacking_ensemble;

static size_t stacking_count_numbers(const crd_classifier *classifier) {
    size_t count = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++)
        count += crd_i_attribute_has_density(&classifier->attributes[i]) &&
                 classifier->attributes[i].type == CRD_TYPE_NUMERIC;
    return count;
}

/* Returns whether texts count. Trees do not take part then, because naive Bayes of the texts would see all rows. */
static bool stacking_has_texts(const crd_classifier *classifier) {
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (crd_i_attribute_has_density(&classifier->attributes[i]) && classifier->attributes[i].type == CRD_TYPE_TEXT)
            return true;
    return false;
}

static bool keeps_pairs(const crd_model *model) {
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        if (model->joint_tallies[i].joint_tally->type == &crd_i_pair_counts) return true;
    }
    return false;
}

/* Creates the settings of the members that suit the model. */
static crd_status stacking_open(stacking_ensemble *c, crd_error *error) {
    bool lacks_pairs = c->model->may_lack_pairs && !keeps_pairs(c->model);
    crd_status status = CRD_OK;
    size_t numbers = stacking_count_numbers(c->owner);
    const bool has_texts = stacking_has_texts(c->owner);
    for (size_t i = 0; status == CRD_OK && i < MOST; i++) {
        if (numbers < recipes[i].least_numbers || numbers > recipes[i].most_numbers) continue;
        const bool is_tree = strcmp(recipes[i].method, "trees") == 0;
        if (is_tree ? has_texts : lacks_pairs && strcmp(recipes[i].method, "naive") != 0) continue;
        c->has_trees = c->has_trees || is_tree;
        status = stacking_make_settings(c->owner->settings, &recipes[i], &c->settings[c->count], error);
        c->count += status == CRD_OK;
    }
    return status;
}

/* Derives a member, or marks it as dropped if its statistics are too large. */
static crd_status derive_member(stacking_ensemble *c, size_t i, crd_error *error) {
    if (c->members[i] != NULL || c->is_left_out[i]) return CRD_OK;
    crd_status status = crd_classifier_create(c->model, c->settings[i], &c->members[i], error);
    if (status == CRD_ERROR_LIMIT) {
        c->is_left_out[i] = true;
        return CRD_OK;
    }
    if (status == CRD_OK && !crd_i_fit_cache_join(&c->owner->fitted, &c->members[i]->fitted))
        status = crd_i_fail_memory(error);
    return status;
}

static size_t count_taking_part(const stacking_ensemble *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) count += !c->is_left_out[i];
    return count;
}

static crd_status stacking_fail_empty(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "cannot use any member of the stacked ensemble: the statistics that they need grew too large: "
                      "leave out columns, or use naive Bayes");
}

/* ---- Weights ---- */

/* Computes a member's log posteriors of held-out rows. Trees need no training for this. */
static crd_status stacking_hold_out(const crd_classifier *member, const crd_i_held_out *inner, double *logs,
                                    crd_error *error) {
    const size_t classes = member->class_count;
    crd_settings *settings = NULL;
    if (member->settings->method != CRD_I_METHOD_TREES) {
        crd_status status = crd_i_held_out_settings(member, &settings, error);
        if (status == CRD_OK) status = crd_i_held_out_hold_out(inner, settings, logs, error);
        crd_settings_destroy(settings);
        return status;
    }
    crd_status status = crd_i_tree_scorer_hold_out(member, inner, logs, error);
    for (size_t row = 0; status == CRD_OK && row < crd_i_held_out_rows(inner); row++) {
        const double sum = crd_i_log_sum_exp(logs + row * classes, classes);
        for (size_t k = 0; k < classes; k++) logs[row * classes + k] -= sum;
    }
    return status;
}

/* Computes the members' log posteriors of held-out rows. Features have the layout of logistic_newton.h. */
static crd_status stacking_ask_members(const stacking_ensemble *c, const crd_i_held_out *inner, size_t features,
                                       double *values, crd_i_stage *stage, crd_error *error) {
    crd_context *context = c->owner->context;
    size_t rows = crd_i_held_out_rows(inner), classes = c->owner->class_count;
    double *logs = crd_i_alloc(context, rows * classes, sizeof *logs);
    crd_status status = logs == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0, feature = 0; status == CRD_OK && i < c->count; i++) {
        if (c->is_left_out[i]) continue;
        status = stacking_hold_out(c->members[i], inner, logs, error);
        crd_i_stage_add(stage, CRD_I_HELD_OUT_FOLDS);
        for (size_t cell = 0; status == CRD_OK && cell < rows * classes; cell++)
            values[cell * features + feature] =
                logs[cell] > CRD_I_LEAST_LOG_PROBABILITY ? logs[cell] : CRD_I_LEAST_LOG_PROBABILITY;
        feature++;
    }
    crd_free(context, logs);
    return status;
}

/* Fits the weights of the remaining members and the logarithms of the class factors, which are stored in `numbers` in
 * this order. With too few rows, they stay unchanged. */
static crd_status fit_weights(stacking_ensemble *c, size_t features, double *numbers, crd_error *error) {
    crd_context *context = c->owner->context;
    size_t classes = c->owner->class_count;
    crd_i_held_out *inner;
    crd_status status = crd_i_held_out_create(c->model, c->owner, c->view, "method=stacking", &inner, error);
    if (status != CRD_OK) return status;
    size_t rows = crd_i_held_out_rows(inner);
    bool can_hold_out = rows >= 2 * CRD_I_HELD_OUT_FOLDS && classes > 1;
    double *values = can_hold_out ? crd_i_alloc(context, rows * features * classes, sizeof *values) : NULL;
    if (can_hold_out && values == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK && can_hold_out) status = stacking_ask_members(c, inner, features, values, &c->stage, error);
    if (status == CRD_OK && can_hold_out) {
        double loss;
        bool has_converged;
        const crd_i_logistic problem = {.rows = rows,
                                        .classes = classes,
                                        .features = features,
                                        .values = values,
                                        .truths = crd_i_held_out_classes(inner),
                                        .weights = crd_i_held_out_weights(inner),
                                        .has_offsets = true,
                                        .holds_above_zero = true,
                                        .ridge = RIDGE,
                                        .enough = CRD_I_HELD_OUT_ENOUGH};
        if (!crd_i_logistic_fit(context, &problem, numbers, numbers + features, &loss, &has_converged))
            status = crd_i_fail_memory(error);
    }
    crd_free(context, values);
    crd_i_held_out_destroy(inner);
    return status;
}

/* Inserts a weight of 0 for each dropped member. */
static void stacking_spread(const stacking_ensemble *c, size_t features, double *numbers) {
    size_t classes = c->owner->class_count;
    memmove(numbers + c->count, numbers + features, classes * sizeof *numbers);
    for (size_t i = c->count; i-- > 0;) numbers[i] = c->is_left_out[i] ? 0 : numbers[--features];
}

/* Uses weights that were fitted before. They may come from a file, so they are checked. Files from before trees were a
 * member have no weight for them. Returns false if there are none. */
static bool stacking_recall(const stacking_ensemble *c, const crd_i_fit *known, double *numbers) {
    const size_t classes = c->owner->class_count;
    if (known == NULL) return false;
    const size_t weights = c->has_trees && known->count + 1 == c->count + classes ? c->count - 1 : c->count;
    if (known->count != weights + classes) return false;
    for (size_t i = 0; i < known->count; i++)
        if (!(known->numbers[i] >= (i < weights ? 0 : -MOST_FITTED) && known->numbers[i] <= MOST_FITTED)) return false;
    for (size_t i = 0; i < c->count; i++) numbers[i] = i < weights ? known->numbers[i] : 0;
    for (size_t k = 0; k < classes; k++) numbers[c->count + k] = known->numbers[weights + k];
    return true;
}

/* Finds the weights: uses the model's if valid, otherwise derives all members and fits them. */
static crd_status stacking_find_weights(stacking_ensemble *c, double *numbers, crd_error *error) {
    static const char description[] = "stacking";
    crd_classifier *owner = c->owner;
    if (stacking_recall(c, crd_i_fit_cache_find(&c->model->fitted, description, owner->settings), numbers))
        return CRD_OK;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < c->count; i++) {
        status = derive_member(c, i, error);
        crd_i_stage_add(&c->stage, 1);
    }
    if (status != CRD_OK) return status;
    size_t features = count_taking_part(c);
    if (features == 0) return stacking_fail_empty(error);
    for (size_t i = 0; i < features + owner->class_count; i++) numbers[i] = i < features ? 1 / (double)features : 0;
    status = fit_weights(c, features, numbers, error);
    if (status != CRD_OK) return status;
    stacking_spread(c, features, numbers);
    bool done =
        crd_i_fit_cache_put(&owner->fitted, description, owner->settings, numbers, c->count + owner->class_count);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Members ---- */

/* Derives a member if needed and passes it to the ensemble. */
static crd_status add_member(stacking_ensemble *c, crd_i_ensemble_scorer *scorer, size_t i, double weight,
                             crd_error *error) {
    crd_status status = derive_member(c, i, error);
    if (status != CRD_OK || c->is_left_out[i]) return status;
    crd_classifier *member = c->members[i];
    c->members[i] = NULL; /* the ensemble owns it from here on */
    return crd_i_ensemble_scorer_add(scorer, c->owner, member, weight, error);
}

/* Adjusts the class factors to a specified prior. Weights and factors are fitted under the classes' relative
 * frequencies. Each member already uses the specified prior, raised to the member's weight. So the class factors get
 * the ratio of specified prior and frequency, raised to 1 minus the sum of weights. */
static void stacking_state_prior(const stacking_ensemble *c, const double *numbers, double *offsets) {
    const crd_i_view *classes = &c->view->views[c->model->schema->target];
    double rows = 0, weight = 0;
    for (size_t i = 0; i < c->count; i++) weight += numbers[i];
    for (size_t k = 0; k < c->owner->class_count; k++)
        rows += crd_i_model_class_rows(c->model, (size_t)classes->values[k]);
    for (size_t k = 0; k < c->owner->class_count; k++) {
        double share = crd_i_model_class_rows(c->model, (size_t)classes->values[k]) / rows;
        double stated = c->owner->log_priors[k];
        if (stated == -INFINITY) offsets[k] = -INFINITY;
        else if (share > 0) offsets[k] += (1 - weight) * (stated - crd_log(share));
    }
}

/* Creates the ensemble scorer from the members of positive weight. */
static crd_status stacking_add_members(stacking_ensemble *c, const double *numbers, crd_error *error) {
    crd_classifier *owner = c->owner;
    crd_i_ensemble_scorer *ensemble;
    crd_status status = crd_i_ensemble_scorer_create(owner, CRD_I_ENSEMBLE_PRODUCT, 0, &ensemble, error);
    if (status != CRD_OK) return status;
    ensemble->offsets = crd_i_alloc(owner->context, owner->class_count, sizeof *ensemble->offsets);
    if (ensemble->offsets == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < owner->class_count; k++) ensemble->offsets[k] = numbers[c->count + k];
    if (owner->settings->prior == CRD_I_PRIOR_GIVEN) stacking_state_prior(c, numbers, ensemble->offsets);
    for (size_t i = 0; status == CRD_OK && i < c->count; i++)
        if (numbers[i] > 0) status = add_member(c, ensemble, i, numbers[i], error);
    if (status == CRD_OK && count_taking_part(c) == 0) status = stacking_fail_empty(error);
    return status;
}

/* Finds the weights, then builds the ensemble. */
crd_status crd_i_stacking_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                 crd_error *error) {
    stacking_ensemble c = {.owner = classifier, .model = model, .view = view};
    crd_status kept = crd_i_held_out_check(model, "method=stacking", error);
    if (kept != CRD_OK) return kept;
    double *numbers = crd_i_alloc(classifier->context, MOST + classifier->class_count, sizeof *numbers);
    crd_status status = numbers == NULL ? crd_i_fail_memory(error) : stacking_open(&c, error);
    crd_i_stage_begin(&c.stage, "fitting the ensemble", c.count * (CRD_I_HELD_OUT_FOLDS + 1));
    if (status == CRD_OK) status = stacking_find_weights(&c, numbers, error);
    crd_i_stage_end(&c.stage);
    if (status == CRD_OK) status = stacking_add_members(&c, numbers, error);
    for (size_t i = 0; i < c.count; i++) {
        crd_settings_destroy(c.settings[i]);
        crd_classifier_destroy(c.members[i]);
    }
    crd_free(classifier->context, numbers);
    return status;
}
