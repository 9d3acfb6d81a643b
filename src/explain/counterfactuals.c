/* SPDX-License-Identifier: MIT */
/* counterfactuals.c - the smallest change of a single cell that changes the decision (counterfactual explanations:
 * Wachter, Mittelstadt and Russell 2018).
 *
 * For a categorical attribute, every value is tried. For a number x, the decision is a function of x that can only be
 * evaluated at points. The search walks outwards from the row's value on either side. Its points are dense around that
 * value and around the means of the most probable classes, and sparser over the whole range. It stops at the first
 * point that changes the decision, and bisection then finds where the decision first changes.
 *
 * The margin of the decision (called firmness here: the gap to the next best) is a smooth function of x. If the margin
 * has a local minimum between points that all keep the decision, golden-section search looks for a change near the
 * minimum (Kiefer 1953).
 *
 * Contents:
 *   1. Relevance of attributes
 *   2. Units and trial rows
 *   3. Counterfactuals */
#include "explain/counterfactuals.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "classify/classifier_internal.h"
#include "math/functions/elementary.h"
#include "model/model_internal.h"

#include <credence/number.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Relevance of attributes ========
 *
 * A quick measure of how informative an attribute is about the class, computed from the sufficient statistics without
 * reading rows. */

/* Returns n log(n / N), with 0 log 0 = 0. */
static double relevance_plogp(double count, double total) {
    return count > 0 ? count * crd_log(count / total) : 0;
}

/* Returns the mutual information of class and value, (joint - classes - values) / N, minus its mean under independence,
 * (r - 1)(c - 1) / (2 N) (Miller 1955). */
static double of_category(const crd_summary *summary, size_t attribute) {
    size_t classes = summary->class_count, values = summary->attributes[attribute].value_count;
    double rows = 0, joint = 0, of_classes = 0, of_values = 0, classes_seen = 0, values_seen = 0;
    for (size_t k = 0; k < classes; k++) rows += crd_summary_present(summary, attribute, k);
    if (!(rows > 0)) return 0;
    for (size_t k = 0; k < classes; k++) {
        double present = crd_summary_present(summary, attribute, k);
        of_classes += relevance_plogp(present, rows);
        classes_seen += present > 0;
    }
    for (size_t v = 0; v < values; v++) {
        double count = crd_summary_value_rows(summary, attribute, v);
        const uint32_t *met;
        size_t met_count = crd_summary_value_classes(summary, attribute, v, &met);
        for (size_t i = 0; i < met_count; i++)
            joint += relevance_plogp(crd_summary_count(summary, attribute, v, met[i]), rows);
        of_values += relevance_plogp(count, rows);
        values_seen += count > 0;
    }
    if (values_seen < 1 || classes_seen < 1) return 0;
    double by_chance = (values_seen - 1) * (classes_seen - 1) / 2;
    return fmax(0, (joint - of_classes - of_values - by_chance) / rows);
}

/* Returns -1/2 log(1 - e^2), where e^2 is the share of the variance between classes. */
static double of_number(const crd_summary *summary, size_t attribute) {
    size_t classes = summary->class_count;
    double rows = 0, sum = 0, within = 0, between = 0;
    for (size_t k = 0; k < classes; k++) {
        crd_moments source_moments = crd_summary_moments(summary, attribute, k);
        if (!(source_moments.rows > 0)) continue;
        rows += source_moments.rows;
        sum += source_moments.rows * source_moments.mean;
        within += source_moments.rows * source_moments.variance;
    }
    for (size_t k = 0; k < classes; k++) {
        crd_moments source_moments = crd_summary_moments(summary, attribute, k);
        if (source_moments.rows > 0)
            between += source_moments.rows * (source_moments.mean - sum / rows) * (source_moments.mean - sum / rows);
    }
    if (!(between > 0)) return 0;
    return within > 0 ? -.5 * crd_log(within / (within + between)) : INFINITY;
}

double crd_i_relevance(const crd_summary *summary, size_t attribute) {
    switch (summary->attributes[attribute].type) {
    case CRD_TYPE_CATEGORICAL: return of_category(summary, attribute);
    case CRD_TYPE_NUMERIC: return of_number(summary, attribute);
    case CRD_TYPE_TEXT:
    case CRD_TYPE_NONE: break;
    }
    return 0;
}

/* ======== 2. Units and trial rows ========
 *
 * Changes of different attributes are compared in a common unit, such that two random rows have the mean squared
 * difference 2 units^2. For numbers, this is the standard deviation s over all rows: E (x - y)^2 = 2 s^2. Two
 * categories have the distance 0 or 1. So the mean squared difference is the probability 1 - sum of p^2 that they
 * differ (the Gini index). The unit is sqrt((1 - sum of p^2) / 2). An attribute with values 0 and 1 has s^2 = p (1 - p)
 * both as a number and as a category. */

/* ---- Spread ---- */

/* Computes the mean and standard deviation over all classes. The standard deviation can be infinite or 0 if the squares
 * are outside the range of a double. */
static void spread_of_numbers(const crd_summary *summary, size_t attribute, double *mean, double *deviation) {
    crd_moments all = crd_summary_column_moments(summary, attribute);
    *mean = all.rows > 0 ? all.mean : 0;
    *deviation = all.rows > 0 ? sqrt(all.variance) : 0;
}

/* Computes a rough mean and standard deviation when squares are outside the range of a double. It uses the means and
 * standard deviations of the classes, scaled by the largest of them, and gives all classes the same weight. */
static void spread_of_extremes(const crd_what_if *what_if, size_t attribute, double *mean, double *deviation) {
    double parts = 0, greatest = 0, sum = 0;
    *mean = 0;
    for (int pass = 0; pass < 3; pass++)
        for (size_t k = 0; k < what_if->class_count; k++) {
            double center, spread;
            if (crd_classifier_moments(what_if->classifier, attribute, k, &center, &spread, NULL) != CRD_OK) return;
            if (pass == 0) *mean += center / (double)what_if->class_count;
            else if (pass == 1) greatest = fmax(greatest, fmax(fabs(center - *mean), spread));
            else {
                double off = (center - *mean) / greatest, own = spread / greatest;
                sum += off * off + own * own;
                parts++;
            }
        }
    *deviation = greatest > 0 && isfinite(greatest) ? fmin(DBL_MAX, greatest * sqrt(sum / parts)) : 0;
}

/* Returns the unit of a categorical attribute. */
static double spread_of_categories(const crd_summary *summary, size_t attribute) {
    double rows = 0, differ = 0;
    size_t values = summary->attributes[attribute].value_count;
    for (size_t v = 0; v < values; v++) rows += crd_summary_value_rows(summary, attribute, v);
    for (size_t v = 0; v < values && rows > 0; v++) {
        double share = crd_summary_value_rows(summary, attribute, v) / rows;
        differ += share * (1 - share);
    }
    return sqrt(differ / 2);
}

/* Computes the unit, the mean and the relevance of every attribute. */
static void what_if_measure(crd_what_if *what_if) {
    for (size_t a = 0; a < what_if->attribute_count; a++) {
        switch (what_if->summary->attributes[a].type) {
        case CRD_TYPE_NUMERIC:
            spread_of_numbers(what_if->summary, a, &what_if->means[a], &what_if->deviations[a]);
            if (!(what_if->deviations[a] > 0) || !isfinite(what_if->deviations[a]))
                spread_of_extremes(what_if, a, &what_if->means[a], &what_if->deviations[a]);
            break;
        case CRD_TYPE_CATEGORICAL: what_if->deviations[a] = spread_of_categories(what_if->summary, a); break;
        case CRD_TYPE_TEXT:
        case CRD_TYPE_NONE: break;
        }
        if (!isfinite(what_if->deviations[a])) what_if->deviations[a] = 0;
        what_if->relevances[a] = crd_i_relevance(what_if->summary, a);
    }
}

/* ---- Creation ---- */

crd_status crd_what_if_create(const crd_model *model, const crd_classifier *classifier, crd_what_if **out,
                              crd_error *error) {
    crd_summary *summary = NULL;
    *out = NULL;
    crd_status status = crd_i_model_check_of_rows(model, "predict changed rows", error);
    if (status == CRD_OK) status = crd_summary_create(model, &summary, error);
    if (status != CRD_OK) return status;
    size_t attributes = summary->attribute_count;
    if (attributes != crd_classifier_attribute_count(classifier) ||
        summary->class_count != crd_classifier_class_count(classifier)) {
        crd_summary_destroy(summary);
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the classifier does not belong to the model");
    }
    crd_context *context = model->context;
    crd_what_if *what_if = crd_i_arena_object(context, sizeof *what_if);
    if (what_if == NULL) {
        crd_summary_destroy(summary);
        return crd_i_fail_memory(error);
    }
    what_if->context = context;
    what_if->classifier = classifier;
    what_if->summary = summary;
    what_if->class_count = crd_classifier_class_count(classifier);
    what_if->attribute_count = attributes;
    what_if->deviations = crd_i_arena_alloc_zeroed(what_if->arena, attributes, sizeof *what_if->deviations);
    what_if->means = crd_i_arena_alloc_zeroed(what_if->arena, attributes, sizeof *what_if->means);
    what_if->relevances = crd_i_arena_alloc_zeroed(what_if->arena, attributes, sizeof *what_if->relevances);
    if (crd_i_arena_failed(what_if->arena)) {
        crd_what_if_destroy(what_if);
        return crd_i_fail_memory(error);
    }
    what_if_measure(what_if);
    *out = what_if;
    return CRD_OK;
}

void crd_what_if_destroy(crd_what_if *what_if) {
    if (what_if == NULL) return;
    crd_summary_destroy(what_if->summary);
    crd_i_arena_destroy(what_if->arena);
}

/* ---- Trial rows ---- */

bool crd_i_what_if_is_discrete(const crd_what_if *what_if, size_t attribute) {
    crd_family family = CRD_FAMILY_INIT;
    return crd_classifier_family(what_if->classifier, attribute, &family) && family.is_discrete;
}

bool crd_i_value_is_present(const crd_value *value) {
    return value->type == CRD_TYPE_CATEGORICAL || (value->type == CRD_TYPE_NUMERIC && !isnan(value->number));
}

crd_value crd_i_value_of(double number) {
    const crd_value value = {CRD_TYPE_NUMERIC, number, {NULL, 0}};
    return value;
}

crd_value crd_i_value_missing(void) {
    const crd_value value = {CRD_TYPE_NONE, 0, {NULL, 0}};
    return value;
}

crd_status crd_i_trial_open(const crd_what_if *what_if, const crd_value *values, crd_i_trial *out, crd_error *error) {
    const crd_i_trial fresh = {.arena = crd_i_arena_create(what_if->context), .what_if = what_if};
    *out = fresh;
    out->values = crd_i_arena_copy(out->arena, values, what_if->attribute_count, sizeof *out->values);
    out->log_posterior = crd_i_arena_alloc(out->arena, what_if->class_count, sizeof *out->log_posterior);
    out->probabilities = crd_i_arena_alloc(out->arena, what_if->class_count, sizeof *out->probabilities);
    crd_status status = crd_i_arena_check(out->arena, error);
    if (status != CRD_OK) crd_i_trial_close(out);
    return status;
}

void crd_i_trial_close(crd_i_trial *trial) {
    crd_i_arena_destroy(trial->arena);
    trial->arena = NULL;
}

double crd_i_trial_cost(const crd_what_if *what_if) {
    double terms = (double)what_if->attribute_count * (double)what_if->class_count;
    return what_if->classifier->scorer->type->is_naive ? terms : terms * (double)what_if->attribute_count;
}

crd_status crd_i_trial_ask(crd_i_trial *trial, crd_error *error) {
    if (crd_i_context_cancelled(trial->what_if->context)) return crd_i_fail_cancelled(error);
    return crd_classifier_posterior(trial->what_if->classifier, trial->values, trial->log_posterior,
                                    trial->probabilities, &trial->answer, error);
}

/* ======== 3. Counterfactuals ======== */

/* Number of most probable classes around whose means the points are dense. */
enum { PEAKS = 16 };
static const double AROUND_PEAKS[] = {0, .25, .5, 1, 1.5, 2, 3, 4, 6, 9};
enum { STEPS_AROUND = sizeof AROUND_PEAKS / sizeof *AROUND_PEAKS };
/* Points over the whole range: six standard deviations to either side of the mean, in steps of a quarter. */
enum { STEPS_OVER = 24 };
static const double STEP_OVER = .25;
/* Points from the row's value outwards: distances of 2^-12 standard deviations, doubled each time. If the family has
 * only whole numbers, the first WHOLE_STEPS integers on either side are added. */
enum { FIRST_DOUBLING = -12, DOUBLINGS = 19, WHOLE_STEPS = 32 };
enum { MOST_POINTS = 2 * (PEAKS * STEPS_AROUND + STEPS_OVER + DOUBLINGS + WHOLE_STEPS) + 1 };
/* Assumed standard deviation of a class without any spread, as a share of the attribute's standard deviation. */
static const double NO_SPREAD = 1. / 1024;
/* Steps of the golden-section search. Each step keeps .618 of the interval. */
enum { DIP_STEPS = 24 };
/* Width at which bisection stops, in standard deviations of the attribute. */
static const double RESOLUTION = 0x1p-50;

/* Approximate number of terms to compute for one row if the search is not thorough: a fraction of a second. */
static const double TERMS_AFFORDED = 3e7;
/* LEAST_TRIED: attributes that are always tried, however large the model is. TRIALS_OF_NUMBER: predictions that the
 * search over one attribute is assumed to need. */
enum { LEAST_TRIED = 8, TRIALS_OF_NUMBER = 256 };

/* State of the search for one row. */
typedef struct counterfactuals_walk {
    crd_i_trial trial;
    const crd_rule *rule;
    double *expected;    /* expected cost of each action */
    int32_t decision;    /* decision for the unchanged row: the class, or the rule's action */
    size_t peaks[PEAKS]; /* the most probable classes of the unchanged row */
    size_t peak_count;
    size_t attribute;          /* the attribute whose cell is changed */
    uint32_t unseen_elsewhere; /* number of ignored cells (values never seen in training) in other attributes */
    bool is_whole;             /* the attribute's family has only whole numbers */
    double points[MOST_POINTS];
    size_t point_count;
} counterfactuals_walk;

/* The decision after a cell has been changed to some value. */
typedef struct counterfactuals_outcome {
    bool flips;
    int32_t decision;
    double probability;
    double firmness; /* margin of the row's original decision: not positive if the decision changes; NaN: unknown */
} counterfactuals_outcome;

/* ---- Trials of one value ---- */

/* Returns the smallest difference sign * (input[one] - input[i]) over all i other than `one`; INFINITY if the
 * array has no other element. */
static double gap_to_others(const double *input, size_t count, size_t one, double sign) {
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (i != one) nearest = fmin(nearest, sign * (input[one] - input[i]));
    return nearest;
}

/* Computes the margin of the original decision for the current trial. Without a rule, it is the gap in log posterior to
 * the next class. With costs, it is the gap in expected cost to the next action. With a least probability, it is the
 * distance of the probability from that threshold. */
static double counterfactuals_firmness(const counterfactuals_walk *w) {
    const crd_i_trial *trial = &w->trial;
    size_t decided = (size_t)w->decision, classes = trial->what_if->class_count;
    if (w->rule == NULL) return gap_to_others(trial->log_posterior, classes, decided, 1);
    if (w->rule->kind == CRD_RULE_COSTS) return gap_to_others(w->expected, w->rule->action_count, decided, -1);
    /* The rule has a least probability. The margin is the distance at which it is just reached, or just missed. */
    int32_t class = w->rule->action_classes[decided], positive = w->rule->positive;
    double least = w->rule->least, greatest = 0;
    /* the rule needs no more than a difference between the posteriors */
    if (isnan(least)) least = 1.0 / (double)classes;
    if (positive >= 0) {
        double above = trial->probabilities[positive] - least;
        return class == positive ? above : -above;
    }
    for (size_t k = 0; k < classes; k++) greatest = fmax(greatest, trial->probabilities[k]);
    if (class < 0) return least - greatest;
    return fmin(trial->probabilities[class] - least, gap_to_others(trial->probabilities, classes, (size_t) class, 1));
}

/* Returns the decision for the current trial: the rule's action, or the class without a rule. -1: no decision. */
static int32_t counterfactuals_decide(counterfactuals_walk *w) {
    crd_decision by_rule = CRD_DECISION_INIT;
    if (w->trial.answer.decision < 0) return -1;
    if (w->rule == NULL) return w->trial.answer.decision;
    crd_rule_decide(w->rule, w->trial.log_posterior, w->expected, &by_rule);
    return by_rule.action;
}

/* Predicts the row with `value` in the current attribute. A value that the classifier would ignore never changes the
 * decision. */
static crd_status try_value(counterfactuals_walk *w, crd_value value, counterfactuals_outcome *out, crd_error *error) {
    w->trial.values[w->attribute] = value;
    crd_status status = crd_i_trial_ask(&w->trial, error);
    if (status != CRD_OK) return status;
    out->decision = counterfactuals_decide(w);
    out->flips = out->decision >= 0 && out->decision != w->decision && w->trial.answer.unseen == w->unseen_elsewhere;
    out->firmness = out->decision < 0 ? NAN : counterfactuals_firmness(w);
    int32_t class =
        w->rule == NULL || out->decision < 0 ? out->decision : w->rule->action_classes[(size_t)out->decision];
    out->probability = class < 0 ? NAN : w->trial.probabilities[class];
    return CRD_OK;
}

/* ---- Numbers ---- */

static void counterfactuals_add_point(counterfactuals_walk *w, double x) {
    if (w->is_whole) x = floor(x + .5);
    if (isfinite(x)) w->points[w->point_count++] = x;
}

static void add_points_around(counterfactuals_walk *w, double center, double spread) {
    for (size_t i = 0; i < STEPS_AROUND; i++) {
        counterfactuals_add_point(w, center + AROUND_PEAKS[i] * spread);
        counterfactuals_add_point(w, center - AROUND_PEAKS[i] * spread);
    }
}

static int counterfactuals_compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Collects the points at which the current attribute is tried, in ascending order. `start` is the row's value. */
static void make_points(counterfactuals_walk *w, double start) {
    const crd_what_if *what_if = w->trial.what_if;
    double unit = what_if->deviations[w->attribute], mean = what_if->means[w->attribute];
    w->point_count = 0;
    for (size_t i = 0; i < w->peak_count; i++) {
        crd_moments source_moments = crd_summary_moments(what_if->summary, w->attribute, w->peaks[i]);
        if (!(source_moments.rows > 0)) continue;
        add_points_around(w, source_moments.mean,
                          source_moments.variance > 0 ? sqrt(source_moments.variance) : NO_SPREAD * unit);
    }
    for (int i = -STEPS_OVER; i < STEPS_OVER; i++) counterfactuals_add_point(w, mean + STEP_OVER * i * unit);
    for (int i = 0; i < DOUBLINGS; i++) {
        double away = ldexp(unit, FIRST_DOUBLING + i);
        counterfactuals_add_point(w, start + away);
        counterfactuals_add_point(w, start - away);
    }
    for (int i = 1; w->is_whole && i <= WHOLE_STEPS; i++) {
        counterfactuals_add_point(w, start + i);
        counterfactuals_add_point(w, start - i);
    }
    qsort(w->points, w->point_count, sizeof *w->points, counterfactuals_compare_numbers);
}

/* Finds the point nearest to `near` that changes the decision, by bisection between `near`, which does not change it,
 * and *far, which does. *far and its outcome *at_far are in and out parameters. */
static crd_status counterfactuals_bisect(counterfactuals_walk *w, double near, double *far,
                                         counterfactuals_outcome *at_far, crd_error *error) {
    double limit = w->is_whole ? 1 : RESOLUTION * w->trial.what_if->deviations[w->attribute];
    while (fabs(*far - near) > limit) {
        counterfactuals_outcome at_middle;
        double middle = near / 2 + *far / 2;
        if (w->is_whole) middle = floor(middle);
        if (middle == near || middle == *far) break;
        crd_status status = try_value(w, crd_i_value_of(middle), &at_middle, error);
        if (status != CRD_OK) return status;
        if (at_middle.flips) {
            *far = middle;
            *at_far = at_middle;
        } else {
            near = middle;
        }
    }
    return CRD_OK;
}

/* Looks between a and b for a point that changes the decision, by golden-section search for the smallest margin. If
 * at_found->flips is set, *result is the point. */
static crd_status search_dip(counterfactuals_walk *w, double a, double b, double *result,
                             counterfactuals_outcome *at_found, crd_error *error) {
    static const double GOLDEN = .6180339887498949;
    double left = GOLDEN * a + (1 - GOLDEN) * b, right = GOLDEN * b + (1 - GOLDEN) * a;
    counterfactuals_outcome at_left, at_right;
    at_found->flips = false;
    for (int step = 0; step < DIP_STEPS; step++) {
        crd_status status = try_value(w, crd_i_value_of(left), &at_left, error);
        if (status == CRD_OK) status = try_value(w, crd_i_value_of(right), &at_right, error);
        if (status != CRD_OK) return status;
        if (at_left.flips || at_right.flips) {
            *at_found = at_left.flips ? at_left : at_right;
            *result = at_left.flips ? left : right;
            return CRD_OK;
        }
        if (!(at_left.firmness <= at_right.firmness)) a = left;
        else b = right;
        left = GOLDEN * a + (1 - GOLDEN) * b;
        right = GOLDEN * b + (1 - GOLDEN) * a;
    }
    return CRD_OK;
}

/* Walks from `start` to one side and finds the nearest point that changes the decision. at_found->flips is false if
 * no point changes it within CRD_WHAT_IF_FARTHEST standard deviations. */
static crd_status walk_side(counterfactuals_walk *w, double start, bool upwards, double *result,
                            counterfactuals_outcome *at_found, crd_error *error) {
    double limit = CRD_WHAT_IF_FARTHEST * w->trial.what_if->deviations[w->attribute];
    double before = start, last = start;  /* the last two points; the decision held at both */
    double firm_before = NAN, firm = NAN; /* the margins at these two points */
    at_found->flips = false;
    for (size_t i = 0; i < w->point_count; i++) {
        double x = w->points[upwards ? i : w->point_count - 1 - i];
        if (upwards ? x <= last : x >= last) continue;
        if (fabs(x - start) > limit) return CRD_OK;
        counterfactuals_outcome here;
        crd_status status = try_value(w, crd_i_value_of(x), &here, error);
        if (status != CRD_OK) return status;
        bool dips = !w->is_whole && !here.flips && firm < firm_before && firm < here.firmness;
        *result = x;
        *at_found = here;
        if (dips) status = search_dip(w, before, x, result, at_found, error);
        if (status != CRD_OK) return status;
        if (at_found->flips) return counterfactuals_bisect(w, dips ? before : last, result, at_found, error);
        before = last;
        firm_before = firm;
        last = x;
        firm = here.firmness;
    }
    return CRD_OK;
}

/* Reads the number in a cell, which may be stored as text. Returns false if the text is not a finite number. */
static bool number_of(const crd_value *value, double *out) {
    if (value->type == CRD_TYPE_CATEGORICAL) return crd_number_parse(value->text, out) == CRD_NUMBER_FINITE;
    *out = value->number;
    return true;
}

/* Finds the smallest change of a numeric cell, on either side. Sets best->flips if there is one. */
static crd_status change_number(counterfactuals_walk *w, const crd_value *cell, crd_counterfactual *out,
                                counterfactuals_outcome *best, crd_error *error) {
    double start;
    best->flips = false;
    if (!number_of(cell, &start)) return CRD_OK;
    w->is_whole = crd_i_what_if_is_discrete(w->trial.what_if, w->attribute);
    make_points(w, start);
    for (int upwards = 0; upwards < 2; upwards++) {
        double result = 0;
        counterfactuals_outcome at_found;
        crd_status status = walk_side(w, start, upwards, &result, &at_found, error);
        if (status != CRD_OK) return status;
        if (!at_found.flips) continue;
        double unit = w->trial.what_if->deviations[w->attribute],
               deviations = 2 * (fabs(result / 2 - start / 2) / unit);
        if (best->flips && deviations >= out->deviations) continue;
        *best = at_found;
        out->value = crd_i_value_of(result);
        out->deviations = deviations;
    }
    return CRD_OK;
}

/* ---- Categories ---- */

static bool was_seen(const crd_summary *summary, size_t attribute, size_t value) {
    return crd_summary_value_rows(summary, attribute, value) > 0;
}

/* Finds the value of a categorical cell that changes the decision. If several values do, it chooses the value whose
 * decision has the largest probability. Values that never occurred in training are skipped. */
static crd_status change_category(counterfactuals_walk *w, const crd_value *cell, bool is_thorough,
                                  crd_counterfactual *out, counterfactuals_outcome *best, crd_error *error) {
    const crd_summary *summary = w->trial.what_if->summary;
    size_t values = summary->attributes[w->attribute].value_count;
    best->flips = false;
    if (!is_thorough && values > CRD_WHAT_IF_VALUES) values = CRD_WHAT_IF_VALUES;
    for (size_t v = 0; v < values; v++) {
        crd_value other = {CRD_TYPE_CATEGORICAL, 0, crd_summary_value(summary, w->attribute, v)};
        counterfactuals_outcome here;
        if (crd_text_equal(other.text, cell->text) || !was_seen(summary, w->attribute, v)) continue;
        crd_status status = try_value(w, other, &here, error);
        if (status != CRD_OK) return status;
        if (!here.flips || (best->flips && !(here.probability > best->probability))) continue;
        *best = here;
        out->value = other;
        out->deviations = 1 / w->trial.what_if->deviations[w->attribute];
    }
    return CRD_OK;
}

/* ---- Attributes ---- */

/* Finds the smallest change of one attribute and restores its cell afterwards. *flips: a change was found. */
static crd_status change_attribute(counterfactuals_walk *w, size_t attribute, bool is_thorough, crd_counterfactual *out,
                                   bool *flips, crd_error *error) {
    const crd_value cell = w->trial.values[attribute];
    counterfactuals_outcome best = {false, -1, NAN, NAN};
    *flips = false;
    if (!(w->trial.what_if->deviations[attribute] > 0)) return CRD_OK;
    w->attribute = attribute;
    w->trial.values[attribute] = crd_i_value_missing();
    crd_status status = crd_i_trial_ask(&w->trial, error);
    w->unseen_elsewhere = w->trial.answer.unseen;
    if (status == CRD_OK)
        status = crd_classifier_attribute_type(w->trial.what_if->classifier, attribute) == CRD_TYPE_NUMERIC
                     ? change_number(w, &cell, out, &best, error)
                     : change_category(w, &cell, is_thorough, out, &best, error);
    w->trial.values[attribute] = cell;
    if (status != CRD_OK || !best.flips) return status;
    out->attribute = attribute;
    out->decision = best.decision;
    out->probability = best.probability;
    *flips = true;
    return CRD_OK;
}

/* Finds the most probable classes of the unchanged row, most probable first. */
static void find_peaks(counterfactuals_walk *w) {
    size_t classes = w->trial.what_if->class_count;
    w->peak_count = classes < PEAKS ? classes : PEAKS;
    for (size_t i = 0; i < w->peak_count; i++) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < classes; k++) {
            bool is_taken = false;
            for (size_t j = 0; j < i; j++) is_taken |= w->peaks[j] == k;
            if (!is_taken && (best == SIZE_MAX || w->trial.log_posterior[k] > w->trial.log_posterior[best])) best = k;
        }
        w->peaks[i] = best;
    }
}

/* A present cell, and its weight of evidence for the most probable class against the second: log P(x | first) -
 * log P(x | second). */
typedef struct counterfactuals_candidate {
    size_t attribute;
    double weight;
} counterfactuals_candidate;

static int counterfactuals_compare_candidates(const void *a, const void *b) {
    const counterfactuals_candidate *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->attribute > y->attribute) - (x->attribute < y->attribute);
}

/* Computes the weight of evidence of a candidate. An undefined weight becomes -INFINITY, which sorts last. */
static crd_status counterfactuals_weigh(const counterfactuals_walk *w, const crd_value *values,
                                        counterfactuals_candidate *of, crd_error *error) {
    crd_term terms[2] = {CRD_TERM_INIT, CRD_TERM_INIT};
    for (size_t i = 0; i < 2 && i < w->peak_count; i++) {
        crd_status status = crd_classifier_term(w->trial.what_if->classifier, of->attribute, w->peaks[i],
                                                &values[of->attribute], &terms[i], error);
        if (status != CRD_OK) return status;
    }
    of->weight = terms[0].log_value - terms[1].log_value;
    if (isnan(of->weight)) of->weight = -INFINITY;
    return CRD_OK;
}

/* Lists the cells to try: all present cells or, if these would take too long, the cells with the largest weight of
 * evidence. */
static crd_status counterfactuals_find_candidates(const counterfactuals_walk *w, const crd_value *values,
                                                  crd_counterfactual_search *search, counterfactuals_candidate *out,
                                                  crd_error *error) {
    const crd_what_if *what_if = w->trial.what_if;
    double each = TRIALS_OF_NUMBER * crd_i_trial_cost(what_if);
    size_t count = 0;
    for (size_t a = 0; a < what_if->attribute_count; a++)
        if (crd_i_value_is_present(&values[a])) out[count++].attribute = a;
    search->present = search->looked_at = count;
    if (search->is_thorough || count <= LEAST_TRIED || each * (double)count <= TERMS_AFFORDED) return CRD_OK;
    for (size_t i = 0; i < count; i++) {
        crd_status status = counterfactuals_weigh(w, values, &out[i], error);
        if (status != CRD_OK) return status;
    }
    qsort(out, count, sizeof *out, counterfactuals_compare_candidates);
    search->looked_at = each * LEAST_TRIED >= TERMS_AFFORDED ? LEAST_TRIED : (size_t)(TERMS_AFFORDED / each);
    return CRD_OK;
}

/* ---- Counterfactuals of a row ---- */

/* Orders changes by size, then by the probability of the new decision (larger first), then by attribute. */
static int compare_changes(const void *a, const void *b) {
    const crd_counterfactual *x = a, *y = b;
    double p = isnan(x->probability) ? 0 : x->probability, q = isnan(y->probability) ? 0 : y->probability;
    if (x->deviations != y->deviations) return x->deviations < y->deviations ? -1 : 1;
    if (p != q) return p > q ? -1 : 1;
    return (x->attribute > y->attribute) - (x->attribute < y->attribute);
}

/* Tries all candidates and sorts the changes that were found. *count becomes their number. */
static crd_status try_candidates(counterfactuals_walk *w, const crd_value *values, crd_counterfactual_search *search,
                                 counterfactuals_candidate *candidates, crd_counterfactual *out, size_t *count,
                                 crd_error *error) {
    crd_status status = counterfactuals_find_candidates(w, values, search, candidates, error);
    crd_i_stage stage;
    crd_i_stage_begin(&stage, "searching counterfactuals", search->looked_at);
    for (size_t i = 0; status == CRD_OK && i < search->looked_at; i++) {
        bool flips;
        status = change_attribute(w, candidates[i].attribute, search->is_thorough != 0, &out[*count], &flips, error);
        if (status == CRD_OK && flips) ++*count;
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
    if (status == CRD_OK && *count > 0) qsort(out, *count, sizeof *out, compare_changes);
    return status;
}

crd_status crd_what_if_counterfactuals(const crd_what_if *what_if, const crd_value *values,
                                       crd_counterfactual_search *given, crd_counterfactual *out, size_t *count,
                                       crd_error *error) {
    crd_counterfactual_search search = CRD_COUNTERFACTUAL_SEARCH_INIT;
    *count = 0;
    if (!crd_i_copy_in(given, &search, sizeof search) || !crd_i_has_size(out))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the size member of the search or of the results is not set");
    search.looked_at = search.present = 0;
    crd_i_arena *arena = crd_i_arena_create(what_if->context);
    counterfactuals_walk *w = crd_i_arena_alloc_zeroed(arena, 1, sizeof *w);
    counterfactuals_candidate *candidates = crd_i_arena_alloc(arena, what_if->attribute_count, sizeof *candidates);
    crd_counterfactual *counterfactual = crd_i_arena_alloc(arena, what_if->attribute_count, sizeof *counterfactual);
    size_t actions = search.rule == NULL ? 0 : search.rule->action_count;
    double *expected = crd_i_arena_alloc(arena, actions, sizeof *expected);
    if (expected == NULL) {
        crd_i_arena_destroy(arena);
        return crd_i_fail_memory(error);
    }
    w->rule = search.rule;
    w->expected = expected;
    crd_status status = crd_i_trial_open(what_if, values, &w->trial, error);
    if (status != CRD_OK) goto done;
    status = crd_i_trial_ask(&w->trial, error);
    if (status != CRD_OK) goto done;
    w->decision = counterfactuals_decide(w);
    if (w->decision < 0) goto done;
    find_peaks(w);
    status = try_candidates(w, values, &search, candidates, counterfactual, count, error);
    if (status != CRD_OK) *count = 0;
    for (size_t i = 0; i < *count; i++) crd_i_copy_out_item(&counterfactual[i], sizeof *counterfactual, out, i);
done:
    crd_i_copy_out(&search, sizeof search, given);
    crd_i_trial_close(&w->trial);
    crd_i_arena_destroy(arena);
    return status;
}
