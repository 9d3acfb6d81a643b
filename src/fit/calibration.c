/* SPDX-License-Identifier: MIT */
/* calibration.c - calibrated probabilities: corrections estimated from how often predictions were right.
 *
 * A calibration is fitted to the stored rows. Each row's posterior comes from a model trained without the row's fold.
 * Let p_k be the uncalibrated probability of class k, and q_k the calibrated one.
 *
 *   platt      q_k is proportional to exp(a log p_k + b_k)
 *   isotonic   q_k is proportional to f_k(p_k)
 *
 * Scaling corrects probabilities that are too extreme, or not extreme enough. The slope a >= 0 and the offsets b_k
 * maximize the likelihood of the rows' classes (Platt 1999 for two classes; Alexandari, Kundaje and Shrikumar 2020 for
 * more).
 *
 * Isotonic calibration treats each class separately. It fits the rising step function of the uncalibrated probability
 * that fits best (pool adjacent violators; Zadrozny and Elkan 2002). Each step is shrunk towards the class's share by
 * one pseudo-count, and f_k is linear between the centers of the steps.
 *
 * Contents:
 *   1. Creation
 *   2. Isotonic curves
 *   3. Fitting
 *   4. Serialization
 *   5. Description
 *   6. Applying
 *   7. The scorer */
#include "fit/fit_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "fit/held_out.h"
#include "math/functions/elementary.h"
#include "math/logistic_newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct crd_i_calibration crd_i_calibration;

/* ======== 1. Creation ======== */

/* A nondecreasing curve: linear between its points, constant outside of them. `cursor` contains the x values, `height`
 * the y values. */
typedef struct calibration_curve {
    size_t count;
    double *cursor, *height;
} calibration_curve;

struct crd_i_calibration {
    crd_context *context;
    crd_i_calibration_rule rule;
    size_t classes;
    double slope, *offsets;    /* for platt */
    calibration_curve *curves; /* for isotonic: one for each class */
    /* for each class, log (specified prior / share of the rows); NULL: no prior was specified */
    double *stated;
};

/* Ridge penalty, which shrinks the slope towards 1 and the offsets towards 0. */
static const double RIDGE = 1;

static void calibration_destroy(crd_i_calibration *calibration) {
    if (calibration == NULL) return;
    crd_context *context = calibration->context;
    for (size_t k = 0; calibration->curves != NULL && k < calibration->classes; k++) {
        crd_free(context, calibration->curves[k].cursor);
        crd_free(context, calibration->curves[k].height);
    }
    crd_free(context, calibration->curves);
    crd_free(context, calibration->offsets);
    crd_free(context, calibration->stated);
    crd_free(context, calibration);
}

static crd_i_calibration *calibration_create(crd_context *context, crd_i_calibration_rule rule, size_t classes) {
    crd_i_calibration *calibration = crd_i_alloc_zeroed(context, 1, sizeof *calibration);
    if (calibration == NULL) return NULL;
    calibration->context = context;
    calibration->rule = rule;
    calibration->classes = classes;
    calibration->slope = 1;
    calibration->offsets = crd_i_alloc_zeroed(context, classes, sizeof *calibration->offsets);
    calibration->curves = crd_i_alloc_zeroed(context, classes, sizeof *calibration->curves);
    if (calibration->offsets != NULL && calibration->curves != NULL) return calibration;
    calibration_destroy(calibration);
    return NULL;
}

static bool open_curve(crd_context *context, size_t count, calibration_curve *out) {
    out->cursor = crd_i_alloc(context, count, sizeof *out->cursor);
    out->height = crd_i_alloc(context, count, sizeof *out->height);
    out->count = count;
    return out->cursor != NULL && out->height != NULL;
}

/* ======== 2. Isotonic curves ======== */

/* The rows with one probability, or a step of several probabilities. */
typedef struct step {
    double point, weight, positive; /* the sums of weight x probability, weight, and weight of rows of the class */
} step;

static int calibration_compare(double x, double y) {
    return (x > y) - (x < y);
}

/* Compares steps by all members. Then the sums do not depend on the order in which sorting leaves rows of equal
 * probability. */
static int compare_steps(const void *a, const void *b) {
    const step *x = a, *y = b;
    if (x->point != y->point) return calibration_compare(x->point, y->point);
    return x->weight != y->weight ? calibration_compare(x->weight, y->weight)
                                  : calibration_compare(x->positive, y->positive);
}

static step calibration_join(step a, step b) {
    const step both = {a.point + b.point, a.weight + b.weight, a.positive + b.positive};
    return both;
}

/* Sorts the rows by probability and pools adjacent violators, until the shares of the class rise from step to step.
 * Returns the number of steps (Ayer, Brunk, Ewing, Reid and Silverman 1955). */
static size_t pool_violators(step *steps, size_t rows) {
    size_t count = 0;
    qsort(steps, rows, sizeof *steps, compare_steps);
    for (size_t i = 0; i < rows;) {
        step next = {0, 0, 0};
        for (double position = steps[i].point; i < rows && steps[i].point == position; i++) {
            const step row = {position * steps[i].weight, steps[i].weight, steps[i].positive};
            next = calibration_join(next, row);
        }
        while (count > 0 && steps[count - 1].positive * next.weight >= next.positive * steps[count - 1].weight)
            next = calibration_join(steps[--count], next);
        steps[count++] = next;
    }
    return count;
}

/* Fits the curve of class k. Point i is at the mean probability of step i. Its height is the share of the class in the
 * step, shrunk towards the share among all rows by one pseudo-count. Returns false if memory runs out. */
static bool fit_curve(crd_context *context, const crd_i_held_out *inner, const double *logs, size_t classes, size_t k,
                      step *steps, calibration_curve *out) {
    size_t rows = crd_i_held_out_rows(inner);
    double all = 0, positive = 0;
    for (size_t row = 0; row < rows; row++) {
        double weight = crd_i_held_out_weights(inner)[row];
        bool is_of_class = (size_t)crd_i_held_out_classes(inner)[row] == k;
        const step one = {crd_exp(logs[row * classes + k]), weight, is_of_class ? weight : 0};
        steps[row] = one;
        all += one.weight;
        positive += one.positive;
    }
    size_t count = pool_violators(steps, rows);
    if (!open_curve(context, count, out)) return false;
    for (size_t i = 0; i < count; i++) {
        out->cursor[i] = steps[i].point / steps[i].weight;
        out->height[i] = (steps[i].positive + positive / all) / (steps[i].weight + 1);
    }
    return true;
}

/* Returns the height of the curve at x, found by binary search and linear interpolation. */
static double read_curve(const calibration_curve *line, double x) {
    size_t low = 0, high = line->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (line->cursor[middle] <= x) low = middle + 1;
        else high = middle;
    }
    if (low == 0) return line->height[0];
    if (low == line->count) return line->height[low - 1];
    double part = (x - line->cursor[low - 1]) / (line->cursor[low] - line->cursor[low - 1]);
    return line->height[low - 1] + part * (line->height[low] - line->height[low - 1]);
}

/* ======== 3. Fitting ======== */

/* Fits one curve for each class. Returns CRD_ERROR_CANCELLED if canceled. */
static crd_status fit_isotonic(crd_i_calibration *calibration, const crd_i_held_out *inner, const double *logs,
                               crd_error *error) {
    step *steps = crd_i_alloc(calibration->context, crd_i_held_out_rows(inner), sizeof *steps);
    /* rows are sorted once per class, which takes long if there are very many classes */
    bool done = steps != NULL, goes_on = true;
    for (size_t k = 0; done && goes_on && k < calibration->classes; k++) {
        done = fit_curve(calibration->context, inner, logs, calibration->classes, k, steps, &calibration->curves[k]);
        goes_on = !crd_i_context_cancelled(calibration->context);
    }
    crd_free(calibration->context, steps);
    if (!done) return crd_i_fail_memory(error);
    return goes_on ? CRD_OK : crd_i_fail_cancelled(error);
}

/* Fits the slope and the offsets by penalized logistic regression. Log probabilities are bounded below, because they
 * may be -INFINITY. */
static crd_status fit_platt(crd_i_calibration *calibration, const crd_i_held_out *inner, double *logs,
                            crd_error *error) {
    size_t rows = crd_i_held_out_rows(inner), classes = calibration->classes;
    double loss;
    bool has_converged;
    for (size_t i = 0; i < rows * classes; i++)
        if (!(logs[i] > CRD_I_LEAST_LOG_PROBABILITY)) logs[i] = CRD_I_LEAST_LOG_PROBABILITY;
    const crd_i_logistic problem = {.rows = rows,
                                    .classes = classes,
                                    .features = 1,
                                    .values = logs,
                                    .truths = crd_i_held_out_classes(inner),
                                    .weights = crd_i_held_out_weights(inner),
                                    .has_offsets = true,
                                    .holds_above_zero = true,
                                    .ridge = RIDGE,
                                    .enough = CRD_I_HELD_OUT_ENOUGH};
    return crd_i_logistic_fit(calibration->context, &problem, &calibration->slope, calibration->offsets, &loss,
                              &has_converged)
               ? CRD_OK
               : crd_i_fail_memory(error);
}

/* Computes the log posteriors of the rows, each by a model trained without the row's fold. `posteriors` caches them for
 * the last settings only. */
static crd_status calibration_hold_out(const crd_i_held_out *inner, const crd_settings *settings,
                                       crd_i_fit_cache *posteriors, double *logs, size_t count, crd_error *error) {
    static const char description[] = "held-out posteriors";
    const crd_i_fit *known = posteriors == NULL ? NULL : crd_i_fit_cache_find(posteriors, description, settings);
    if (known != NULL && known->count == count) {
        memcpy(logs, known->numbers, count * sizeof *logs);
        return CRD_OK;
    }
    crd_status status = crd_i_held_out_hold_out(inner, settings, logs, error);
    if (status != CRD_OK || posteriors == NULL) return status;
    crd_i_fit_cache_clear(posteriors);
    return crd_i_fit_cache_put(posteriors, description, settings, logs, count) ? CRD_OK : crd_i_fail_memory(error);
}

/* Computes the held-out posteriors and fits the rule of the calibration to them. */
static crd_status calibration_fit(const crd_classifier *classifier, const crd_i_held_out *inner,
                                  crd_i_fit_cache *posteriors, crd_i_calibration *calibration, crd_error *error) {
    crd_context *context = classifier->context;
    crd_settings *settings;
    crd_status status = crd_i_held_out_settings(classifier, &settings, error);
    size_t count = crd_i_held_out_rows(inner) * calibration->classes;
    double *logs = crd_i_alloc(context, count, sizeof *logs);
    if (status == CRD_OK && logs == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = calibration_hold_out(inner, settings, posteriors, logs, count, error);
    if (status == CRD_OK)
        status = (calibration->rule == CRD_I_CALIBRATION_ISOTONIC) ? fit_isotonic(calibration, inner, logs, error)
                                                                   : fit_platt(calibration, inner, logs, error);
    crd_free(context, logs);
    crd_settings_destroy(settings);
    return status;
}

/* Fits the calibration of the classifier's settings. The held-out posteriors are stored in `posteriors`, where a later
 * calibration finds them; NULL: they are not stored. The caller destroys *out. */
static crd_status fit_calibration(const crd_classifier *classifier, const crd_i_held_out *inner,
                                  crd_i_fit_cache *posteriors, crd_i_calibration **out, crd_error *error) {
    crd_i_calibration_rule rule = classifier->settings->calibration;
    /* With too few rows, none can be held out, and probabilities stay unchanged. */
    bool can_hold_out = crd_i_held_out_rows(inner) >= 2 * CRD_I_HELD_OUT_FOLDS && classifier->class_count > 1;
    *out =
        calibration_create(classifier->context, can_hold_out ? rule : CRD_I_CALIBRATION_PLATT, classifier->class_count);
    if (*out == NULL) return crd_i_fail_memory(error);
    crd_status status = can_hold_out ? calibration_fit(classifier, inner, posteriors, *out, error) : CRD_OK;
    if (status != CRD_OK) {
        calibration_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* Adjusts the calibration to a specified prior; does nothing for other priors. The calibration is fitted under the
 * classes' relative frequencies. So the specified prior is divided out before the correction and multiplied in again
 * afterwards. Stores log (specified prior / share of the rows) for each class, or -INFINITY for a class that the prior
 * excludes. Call it once. Returns false if memory runs out. */
static bool calibration_state_prior(crd_i_calibration *calibration, const crd_classifier *classifier,
                                    const crd_model *model, const crd_i_schema_view *view) {
    if (classifier->settings->prior != CRD_I_PRIOR_GIVEN) return true;
    double *stated = crd_i_alloc(calibration->context, calibration->classes, sizeof *stated), all = 0;
    calibration->stated = stated;
    for (size_t k = 0; stated != NULL && k < calibration->classes; k++) {
        stated[k] = crd_i_model_class_rows(model, (size_t)view->views[model->schema->target].values[k]);
        all += stated[k];
    }
    for (size_t k = 0; stated != NULL && k < calibration->classes; k++) {
        if (classifier->log_priors[k] == -INFINITY) stated[k] = -INFINITY;
        else stated[k] = stated[k] > 0 ? classifier->log_priors[k] - crd_i_log_ratio(stated[k], all) : 0;
    }
    return stated != NULL;
}

/* ======== 4. Serialization ========
 *
 * The numbers are the rule and the slope; then the offsets, or for each curve its point count, x and y values. */

/* Writes a calibration to numbers, in the order described above. The caller frees them. Returns false if memory runs
 * out. */
static bool calibration_numbers(const crd_i_calibration *calibration, double **numbers, size_t *count) {
    size_t classes = calibration->classes, index = 0;
    bool is_isotonic = calibration->rule == CRD_I_CALIBRATION_ISOTONIC;
    *count = 2 + classes;
    for (size_t k = 0; is_isotonic && k < classes; k++) *count += 2 * calibration->curves[k].count;
    *numbers = crd_i_alloc(calibration->context, *count, sizeof **numbers);
    if (*numbers == NULL) return false;
    (*numbers)[index++] = (double)calibration->rule;
    (*numbers)[index++] = calibration->slope;
    for (size_t k = 0; k < classes; k++) {
        const calibration_curve *line = &calibration->curves[k];
        (*numbers)[index++] = is_isotonic ? (double)line->count : calibration->offsets[k];
        for (size_t i = 0; is_isotonic && i < line->count; i++) (*numbers)[index++] = line->cursor[i];
        for (size_t i = 0; is_isotonic && i < line->count; i++) (*numbers)[index++] = line->height[i];
    }
    return true;
}

/* Reads the next curve. The numbers come from a file, so all of them are checked; *fits is false if they are not a
 * curve. Returns false if memory runs out. */
static bool restore_curve(crd_context *context, const double *numbers, size_t count, size_t *cursor,
                          calibration_curve *out, bool *fits) {
    double points = *cursor < count ? numbers[(*cursor)++] : 0;
    *fits = points >= 1 && points <= (double)((count - *cursor) / 2) && points == floor(points);
    if (!*fits) return true;
    if (!open_curve(context, (size_t)points, out)) return false;
    for (size_t i = 0; i < out->count; i++) out->cursor[i] = numbers[(*cursor)++];
    for (size_t i = 0; i < out->count; i++) out->height[i] = numbers[(*cursor)++];
    for (size_t i = 0; i < out->count; i++) {
        bool rises = i == 0 || (out->cursor[i] > out->cursor[i - 1] && out->height[i] >= out->height[i - 1]);
        *fits =
            *fits && rises && out->cursor[i] >= 0 && out->cursor[i] <= 1 && out->height[i] > 0 && out->height[i] <= 1;
    }
    return true;
}

/* Accepts the numbers of the rule, or of platt, which is stored if there were too few rows to hold any out. */
static bool calibration_restore(crd_context *context, crd_i_calibration_rule rule, size_t classes,
                                const double *numbers, size_t count, crd_i_calibration **out) {
    *out = NULL;
    bool fits = count >= 2 + classes, done = true;
    if (!fits || (numbers[0] != (double)rule && numbers[0] != (double)CRD_I_CALIBRATION_PLATT)) return true;
    size_t index = 2;
    crd_i_calibration *calibration = calibration_create(context, (crd_i_calibration_rule)numbers[0], classes);
    if (calibration == NULL) return false;
    calibration->slope = numbers[1];
    fits = isfinite(numbers[1]) && numbers[1] >= 0;
    for (size_t k = 0; done && fits && k < classes; k++) {
        if (calibration->rule == CRD_I_CALIBRATION_ISOTONIC) {
            done = restore_curve(context, numbers, count, &index, &calibration->curves[k], &fits);
        } else {
            calibration->offsets[k] = numbers[index++];
            fits = isfinite(calibration->offsets[k]);
        }
    }
    if (done && fits && index == count) {
        *out = calibration;
        return true;
    }
    calibration_destroy(calibration);
    return done;
}

/* ======== 5. Description ======== */

/* Returns the rule, and the slope of platt in *slope. */
static crd_i_calibration_rule calibration_describe(const crd_i_calibration *calibration, double *slope) {
    *slope = calibration->slope;
    return calibration->rule;
}

/* Writes one point of a class's correction. For isotonic calibration, point `index` of the curve maps the probability
 * *source to *destination. For platt, index 0 sets *destination to the class's offset. Returns false after the last
 * point. */
static bool calibration_point(const crd_i_calibration *calibration, size_t class_index, size_t index, double *source,
                              double *destination) {
    const calibration_curve *line = &calibration->curves[class_index];
    bool is_isotonic = calibration->rule == CRD_I_CALIBRATION_ISOTONIC;
    if (index >= (is_isotonic ? line->count : 1)) return false;
    *source = is_isotonic ? line->cursor[index] : 1;
    *destination = is_isotonic ? line->height[index] : calibration->offsets[class_index];
    return true;
}

/* Adds the number of points of each curve and all points to the list. Returns false if memory runs out. */
static bool list_curves(const crd_i_calibration *calibration, crd_i_parameter_list *parameter) {
    size_t classes = calibration->classes, all = 0, index = 0;
    for (size_t k = 0; k < classes; k++) all += calibration->curves[k].count;
    double *counts = crd_i_parameter_list_vector(parameter, "points", classes);
    double *source = counts == NULL ? NULL : crd_i_parameter_list_vector(parameter, "from", all);
    double *until = source == NULL ? NULL : crd_i_parameter_list_vector(parameter, "to", all);
    for (size_t k = 0; until != NULL && k < classes; k++) {
        const calibration_curve *line = &calibration->curves[k];
        counts[k] = (double)line->count;
        for (size_t i = 0; i < line->count; i++, index++) {
            source[index] = line->cursor[i];
            until[index] = line->height[i];
        }
    }
    return until != NULL;
}

/* Adds the parameters to a list: slope and offsets, or the points of all curves, one class after the other; and the
 * specified prior, if any. Returns false if memory runs out. */
static bool calibration_list_parameters(const crd_i_calibration *calibration, crd_i_parameter_list *parameter) {
    size_t classes = calibration->classes;
    bool is_isotonic = calibration->rule == CRD_I_CALIBRATION_ISOTONIC;
    if (is_isotonic && !list_curves(calibration, parameter)) return false;
    if (!is_isotonic && (!crd_i_parameter_list_number(parameter, "slope", calibration->slope) ||
                         !crd_i_parameter_list_copy(parameter, "offset", calibration->offsets, classes, 1)))
        return false;
    return calibration->stated == NULL ||
           crd_i_parameter_list_copy(parameter, "log_prior_ratio", calibration->stated, classes, 1);
}

/* ======== 6. Applying ======== */

/* Divides the specified prior out, so the posteriors are as if the prior were the classes' relative frequencies. A
 * class that the specified prior excludes stays excluded. */
static void calibration_take_out(const double *stated, size_t classes, double *log_posterior) {
    for (size_t k = 0; k < classes; k++)
        if (stated[k] > -INFINITY) log_posterior[k] -= stated[k];
    double all = crd_i_log_sum_exp(log_posterior, classes);
    for (size_t k = 0; k < classes; k++) log_posterior[k] -= all;
}

/* Corrects log posteriors in place. They must be normalized before the call and are not normalized after it. */
static void calibration_apply(const crd_i_calibration *calibration, double *log_posterior) {
    if (calibration->stated != NULL) calibration_take_out(calibration->stated, calibration->classes, log_posterior);
    for (size_t k = 0; k < calibration->classes; k++) {
        double log_probability = log_posterior[k];
        if (calibration->rule == CRD_I_CALIBRATION_ISOTONIC) {
            log_posterior[k] = crd_log(read_curve(&calibration->curves[k], crd_exp(log_probability)));
        } else {
            if (!(log_probability > CRD_I_LEAST_LOG_PROBABILITY)) log_probability = CRD_I_LEAST_LOG_PROBABILITY;
            log_posterior[k] = calibration->slope * log_probability + calibration->offsets[k];
        }
        if (calibration->stated != NULL) log_posterior[k] += calibration->stated[k];
    }
}

/* ======== 7. The scorer ======== */

typedef struct calibrated_scorer {
    crd_i_scorer base;
    crd_i_scorer *inner;
    crd_i_calibration *calibration;
} calibrated_scorer;

/* ---- Scoring ---- */

static const crd_i_scorer *calibrated_scorer_inner(const crd_i_scorer *scorer) {
    return ((const calibrated_scorer *)scorer)->inner;
}

static void calibrated_scorer_apply(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                    double *probabilities, crd_answer *answer) {
    const crd_classifier *classifier = row->classifier;
    if (answer->decision < 0) return;
    double evidence = answer->log_evidence; /* evidence depends on the values only, so calibration does not change it */
    calibration_apply(((const calibrated_scorer *)scorer)->calibration, log_posterior);
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classifier->class_count, log_posterior,
                              probabilities, answer);
    answer->log_evidence = evidence;
}

static crd_status calibrated_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row,
                                          double *log_posterior, double *probabilities, crd_answer *answer,
                                          crd_error *error) {
    const crd_i_scorer *inner = calibrated_scorer_inner(scorer);
    crd_status status = inner->type->score(inner, row, log_posterior, probabilities, answer, error);
    if (status == CRD_OK) calibrated_scorer_apply(scorer, row, log_posterior, probabilities, answer);
    return status;
}

static void calibrated_scorer_destroy(crd_i_scorer *scorer) {
    calibrated_scorer *calibrated = (calibrated_scorer *)scorer;
    calibration_destroy(calibrated->calibration);
    crd_i_scorer_destroy(calibrated->inner);
    crd_free(scorer->context, scorer);
}

static void calibrated_scorer_describe(const crd_i_scorer *scorer, crd_calibration *out) {
    crd_i_calibration_rule rule = calibration_describe(((const calibrated_scorer *)scorer)->calibration, &out->slope);
    out->rule = rule == CRD_I_CALIBRATION_ISOTONIC ? "isotonic" : "platt";
}

static bool calibrated_scorer_find_point(const crd_i_scorer *scorer, size_t class_index, size_t index, double *source,
                                         double *destination) {
    return calibration_point(((const calibrated_scorer *)scorer)->calibration, class_index, index, source, destination);
}

static bool calibrated_scorer_list_parameters(const crd_i_scorer *scorer, crd_i_parameter_list *parameter) {
    return calibration_list_parameters(((const calibrated_scorer *)scorer)->calibration, parameter);
}

static const crd_i_scorer_correction correction = {calibrated_scorer_inner, calibrated_scorer_apply,
                                                   calibrated_scorer_describe, calibrated_scorer_list_parameters,
                                                   calibrated_scorer_find_point};

static const crd_i_scorer_type calibrated_type = {.name = "calibrated",
                                                  .score = calibrated_scorer_score,
                                                  .destroy = calibrated_scorer_destroy,
                                                  .correction = &correction};

/* ---- Derivation ---- */

/* Fits the calibration to the stored rows and adds it to the classifier's cache of fits. */
static crd_status calibrated_scorer_fit(crd_classifier *classifier, const crd_model *model,
                                        const crd_i_schema_view *view, const char *description, crd_i_calibration **out,
                                        crd_error *error) {
    crd_i_held_out *inner;
    crd_status status = crd_i_held_out_create(model, classifier, view, "calibration=KIND", &inner, error);
    if (status == CRD_OK) status = fit_calibration(classifier, inner, model->held_out_posteriors, out, error);
    crd_i_held_out_destroy(inner);
    if (status != CRD_OK) return status;
    double *numbers = NULL;
    size_t count;
    bool done = calibration_numbers(*out, &numbers, &count) &&
                crd_i_fit_cache_put(&classifier->fitted, description, classifier->settings, numbers, count);
    crd_free(classifier->context, numbers);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Restores the calibration that the model stores, or fits it. Then adjusts it to a specified prior. */
static crd_status calibrated_scorer_find(crd_classifier *classifier, const crd_model *model,
                                         const crd_i_schema_view *view, crd_i_calibration **out, crd_error *error) {
    static const char description[] = "calibration";
    const crd_settings *settings = classifier->settings;
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, description, settings);
    if (known != NULL && !calibration_restore(classifier->context, settings->calibration, classifier->class_count,
                                              known->numbers, known->count, out))
        return crd_i_fail_memory(error);
    crd_status status = *out != NULL ? CRD_OK : calibrated_scorer_fit(classifier, model, view, description, out, error);
    if (status == CRD_OK && !calibration_state_prior(*out, classifier, model, view)) status = crd_i_fail_memory(error);
    return status;
}

crd_status crd_i_calibrated_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                          const crd_i_schema_view *view, crd_error *error) {
    calibrated_scorer *scorer = crd_i_alloc_zeroed(classifier->context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    const crd_i_scorer base = {
        .type = &calibrated_type, .context = classifier->context, .scratch = classifier->scorer->scratch};
    scorer->base = base;
    scorer->inner = classifier->scorer;
    classifier->scorer = &scorer->base;
    return calibrated_scorer_find(classifier, model, view, &scorer->calibration, error);
}
