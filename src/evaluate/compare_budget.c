/* SPDX-License-Identifier: MIT */
/* compare_budget.c - the work budget of a comparison: the work of each candidate, the allowed work, and the
 * candidates that are tried.
 *
 * Work is counted in operations; current CPUs do about 10^9 per second. It depends only on the folds and on the
 * table's rows, columns, values and classes. So the same rows lead to the same candidates on every machine, with any
 * number of threads or processes. The constants were fitted to the CPU time of candidates on 20 tables. Most
 * estimates are within a factor of 2.
 *
 * The budget is a part of the work of training one stacked ensemble, which is the costliest model. It is at least
 * LEAST_WORK, and its maximum grows with the rows. Naive Bayes is always tried. Next come the candidates in
 * `promising`, in that order, then all other candidates, cheapest first. A candidate that would exceed the budget is
 * excluded. An isotonic calibration comes after the scaled one, because it uses the same held-out rows. */
#include "evaluate/compare_internal.h"

#include "classify/posteriors.h"
#include "fit/held_out.h"
#include "stats/kept_rows.h"

#include <math.h>
#include <string.h>

/* Part of the ensemble's work that all candidates together may use. The rest is a margin: estimates can be too low,
 * and the rows must also be read and learned, and the chosen model trained. */
static const double PART_OF_ENSEMBLE = 0.8;
/* Part of the maximum work of kernel densities. Columns with few distinct numbers need less than the maximum. */
static const double PART_OF_KERNELS = 0.3;
/* Minimum of the budget, about 2 ms, and maximum: about 3 s plus 1 ms for each row. */
static const double LEAST_WORK = 2e6, MOST_WORK = 3e9, MOST_WORK_OF_ROW = 1e6;

/* The candidates that are tried first, in this order. The order is a judgment, not the result of a study. Flexible
 * methods come first, because cheap methods would leave them no budget. */
static const char *const promising[] = {
    "pairs",     "joint numbers", "naive, exponents",       "joint numbers, shared", "kdb:2", "a1de",
    "committee", "naive, scaled", "joint numbers, mixture", "pairs, scaled",         "tan",   "naive, complement",
};
/* Factor of the larger budget that is suggested, and the largest budget that is suggested. */
static const double LARGER = 4, MOST_SUGGESTED = 0x1p20;

/* ---- Work of one model ---- */

/* The quantities that the work of a model depends on. */
typedef struct budget_workload {
    double rows, kept, tested; /* numbers of rows that are learned, stored for fitting, and classified */
    double numbers, categories, columns, values, classes, words;
    double pairs, category_pairs;
    double of_kernels; /* part of the maximum work that kernel densities take */
} budget_workload;

/* Work of any model, however small. */
static const double PER_MODEL = 2e4;
static const double OUTER_STEPS = 4; /* outer iterations over the rows, for all pairs of columns */
static const double INNER = CRD_I_HELD_OUT_FOLDS;
enum { KERNEL_POINTS = 4096, JOINT_ROWS = 1300, MANY_OF_CLASS = 100 };

static double compare_budget_square(double x) {
    return x * x;
}

static double compare_budget_least(double a, double b) {
    return a < b ? a : b;
}

/* Returns the work of computing kernel densities of all columns. The functions below compute other families. */
static double kernel_work(const budget_workload *w) {
    return w->of_kernels * w->numbers * w->classes *
           (1e4 + compare_budget_least(w->rows, KERNEL_POINTS) * compare_budget_least(1050, 300 + 3 * w->rows));
}

static double mixture_work(const budget_workload *w) {
    double each = w->rows / w->classes;
    return w->numbers * w->classes *
           (1e5 * (1 + compare_budget_least(1, each / MANY_OF_CLASS)) +
            150 * compare_budget_least(each, KERNEL_POINTS));
}

static double plain_work(const budget_workload *w) {
    return (5000 * w->columns + 40 * w->values) * w->classes + 20 * w->words;
}

/* Returns the work of computing naive Bayes with a family. */
static double family_work(const budget_workload *w, const char *family) {
    if (strcmp(family, "student") == 0) return 1500 * w->numbers * w->classes + plain_work(w);
    if (strcmp(family, "kernel") == 0) return kernel_work(w) + plain_work(w);
    if (strcmp(family, "histogram") == 0) return 140 * w->rows * w->numbers + plain_work(w);
    if (strcmp(family, "mixture") == 0) return mixture_work(w) + plain_work(w);
    if (strcmp(family, "auto") == 0) return 3 * kernel_work(w) + 5 * mixture_work(w) + plain_work(w);
    return plain_work(w);
}

/* Returns the work of learning and classifying the stored rows fold by fold, without computing densities. */
static double held_out_work(const budget_workload *w) {
    return w->kept * (80 * w->columns + 60 * w->classes) + 12e3 * w->columns * w->classes + 600 * w->words;
}

/* Returns the work of fitting attribute weights: for columns by Newton's method, for words by gradient descent. */
static double exponents_work(const budget_workload *w) {
    return 0.25 * INNER * kernel_work(w) + held_out_work(w) + 50 * w->kept * w->classes * w->columns +
           OUTER_STEPS *
               (w->kept * compare_budget_square(w->columns) + w->columns * compare_budget_square(w->columns)) +
           2000 * w->words * w->classes;
}

/* Returns `work` plus the work of fitting weights of categorical columns to held-out predictions of the numeric
 * model. */
static double with_categories(const budget_workload *w, double work) {
    return w->categories == 0 ? work : 10 * work + 400 * w->kept * w->columns;
}

/* Returns the work of a joint normal density of the numeric columns. `normal` is the setting's value; NULL: one
 * covariance per class. */
static double joint_numbers_work(const budget_workload *w, const char *normal) {
    double each = 20 * compare_budget_square(w->numbers) * w->classes * compare_budget_least(w->rows, JOINT_ROWS) +
                  1e5 + 17 * compare_budget_square(w->numbers) * w->numbers * w->classes;
    if (normal == NULL) return with_categories(w, 2.7 * each);
    if (strcmp(normal, "shared") == 0) return with_categories(w, each);
    return with_categories(w, 230 * w->kept * compare_budget_square(w->numbers)); /* normal mixture */
}

/* Returns the work of fitting a pairwise log-linear model. */
static double pairwise_work(const budget_workload *w) {
    double of_classes = 0.4 * compare_budget_square(w->classes),
           values = w->categories > 0 ? w->values / w->categories : 0;
    return 60 * w->category_pairs + w->kept * w->columns *
                                        ((200 + 20 * w->classes + of_classes) * w->numbers +
                                         (20 + 6 * w->classes + of_classes + 9 * values) * w->categories);
}

/* Returns the work of learning and counting a tree, or a network in which each column has two parents. */
static double arcs_work(const budget_workload *w, bool has_two_parents) {
    double work = w->rows * w->columns * (45 * w->numbers + 6 * w->categories) + 30 * w->category_pairs + 3e5;
    if (!has_two_parents || w->categories == 0) return work;
    return work + compare_budget_least(10 * compare_budget_square(w->values) * w->values / w->categories * w->classes,
                                       60 * w->rows * w->columns * w->categories);
}

/* Returns the work of counting pairs of values of the stored rows, fold by fold. */
static double pair_counts_work(const budget_workload *w) {
    return w->kept * w->columns * (200 * w->numbers + 50 * w->categories);
}

/* Returns the value of a candidate's setting; NULL if it does not have it. */
static const char *setting_of(const crd_i_compare_candidate *candidate, const char *name) {
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS && candidate->settings[i].name != NULL; i++)
        if (strcmp(candidate->settings[i].name, name) == 0) return candidate->settings[i].value;
    return NULL;
}

static bool is_method(const crd_i_compare_candidate *candidate, const char *name) {
    const char *method = setting_of(candidate, "method");
    return strcmp(method == NULL ? "naive" : method, name) == 0;
}

/* Returns the work of computing a candidate's model, without calibration. */
static double derive_work(const crd_i_compare_candidate *candidate, const budget_workload *w) {
    const char *family = setting_of(candidate, "family"), *joint = setting_of(candidate, "joint");
    if (is_method(candidate, "tan") || is_method(candidate, "kdb:2"))
        return arcs_work(w, is_method(candidate, "kdb:2"));
    if (is_method(candidate, "a1de") || is_method(candidate, "pairs")) {
        double counted =
            30 * w->category_pairs + 60 * compare_budget_square(w->columns) * w->classes +
            15 * compare_budget_least(w->pairs - w->category_pairs, 3 * w->rows * compare_budget_square(w->columns));
        return counted + (is_method(candidate, "pairs") ? pairwise_work(w) : 0);
    }
    if (joint != NULL && strcmp(joint, "numbers") == 0) return joint_numbers_work(w, setting_of(candidate, "normal"));
    double work = family_work(w, family == NULL ? "" : family);
    if (joint != NULL) return work + 50 * w->rows;
    return setting_of(candidate, "exponents") == NULL ? work : work + exponents_work(w);
}

/* Returns the work of classifying one row. */
static double answer_work(const crd_i_compare_candidate *candidate, const budget_workload *w) {
    double work = 37 * w->columns * w->classes;
    if (is_method(candidate, "a1de") || is_method(candidate, "pairs"))
        return work + (15 * w->numbers + 4 * w->categories) * w->columns * w->classes;
    if (setting_of(candidate, "normal") != NULL || is_method(candidate, "committee"))
        work += 6 * compare_budget_square(w->numbers) * w->classes;
    return work;
}

/* Returns the work of an ensemble. Each member is learned from all rows, and once more without each fold. */
static double ensemble_work(const budget_workload *w) {
    enum { MOST_TOGETHER = 400, MOST_MIXED = 100 }; /* the limits of stacking.c */
    double members = family_work(w, "auto") + exponents_work(w) + pairwise_work(w);
    if (w->numbers >= 2 && w->numbers <= MOST_TOGETHER) members += joint_numbers_work(w, NULL);
    if (w->numbers >= 2 && w->numbers <= MOST_MIXED) members += joint_numbers_work(w, "mixture");
    /* Two members count pairs, and all five classify every row. */
    return (INNER + 1) * members + 2 * pair_counts_work(w) + INNER * 37 * w->kept * w->columns * w->classes;
}

/* Returns the work of computing one model, including calibration, and classifying the rows of its fold. */
static double candidate_work(const crd_i_compare_candidate *candidate, const budget_workload *w) {
    const char *calibration = setting_of(candidate, "calibration");
    if (is_method(candidate, "committee")) return ensemble_work(w) + w->tested * answer_work(candidate, w);
    double answer = answer_work(candidate, w), texts = 100 * w->words * w->classes;
    if (is_method(candidate, "boosting:20")) {
        double round = kernel_work(w) + plain_work(w) + w->kept * (answer + 80 * w->columns);
        return (INNER + 1) * 20 * round;
    }
    double derive = derive_work(candidate, w), work = PER_MODEL + derive + w->tested * answer + texts / INNER;
    if (calibration == NULL) return work;
    work += 90 * w->kept * w->classes;
    if (strcmp(calibration, "isotonic") == 0) return work;
    const char *family = setting_of(candidate, "family");
    /* the families are selected only once, from all rows */
    bool is_selected = family != NULL && strcmp(family, "auto") == 0;
    work += (INNER - 1) * (is_selected ? 0.25 * derive : derive) + w->kept * answer + texts + held_out_work(w);
    if (candidate->tally != NULL && strcmp(candidate->tally, "pairs") == 0) work += pair_counts_work(w);
    return work;
}

/* Returns the quantities for a table with `learned` rows to learn and `tested` rows to classify. */
static budget_workload workload_of(const crd_i_table_facts *facts, double learned, double tested) {
    budget_workload w = {.rows = learned,
                         .tested = tested,
                         .numbers = (double)facts->numbers,
                         .categories = (double)facts->categories,
                         .columns = (double)(facts->numbers + facts->categories + facts->texts),
                         .values = facts->values,
                         .classes = (double)facts->classes,
                         .words = facts->occurrences,
                         .pairs = facts->pairs,
                         .category_pairs = facts->category_pairs,
                         .of_kernels = 1};
    w.kept = compare_budget_least(learned, (double)crd_i_rows_most((size_t)w.columns));
    return w;
}

/* ---- All candidates ---- */

/* Returns how many models are computed for each candidate: one per tested fold. */
static size_t count_models(const crd_comparison *c) {
    if (c->is_holdout) return 1;
    const size_t folds = crd_split_fold_count(c->split);
    return folds > 0 ? folds : 1;
}

/* Returns the work of reading the rows once more and scoring them. */
static double pass_work(const crd_i_table_facts *facts) {
    double columns = (double)(facts->numbers + facts->categories + 1);
    return (double)facts->rows * (30 * columns + 80 * (double)facts->classes) + 50 * facts->occurrences;
}

/* Returns the work of reading the rows twice and learning all folds. */
static double learning_work(const crd_i_table_facts *facts) {
    return (double)facts->rows * 250 * (double)(facts->numbers + facts->categories + 1) + 500 * facts->occurrences;
}

/* Estimates the work of each candidate. */
static void compare_budget_estimate(crd_comparison *c) {
    char ignored[CRD_I_REASON_ROOM];
    double folds = (double)crd_split_fold_count(c->split), models = (double)count_models(c);
    double rows = (double)c->facts.rows, part = rows / (folds > 1 ? folds : 2);
    budget_workload w = workload_of(&c->facts, rows - part, part);
    for (size_t i = 0; i < c->count; i++) {
        crd_i_compared *one = &c->all[i];
        one->work = crd_i_candidate_fits(one->candidate, &c->facts, ignored)
                        ? models * candidate_work(one->candidate, &w) + pass_work(&c->facts)
                        : 0; /* it is not tried */
    }
}

/* Returns the allowed work for budget 1. */
static double allowed_work(const crd_i_table_facts *facts) {
    budget_workload w = workload_of(facts, (double)facts->rows, 0);
    w.of_kernels = PART_OF_KERNELS;
    double ensemble = PART_OF_ENSEMBLE * ensemble_work(&w);
    const double most = MOST_WORK + MOST_WORK_OF_ROW * (double)facts->rows;
    if (facts->texts > 0) return MOST_WORK;
    if (ensemble > most) return most;
    return ensemble > LEAST_WORK ? ensemble : LEAST_WORK;
}

/* Returns the scaled form of an isotonic candidate, which precedes it in the list; NULL if the candidate is not
 * isotonic or has no scaled form. */
static const crd_i_compared *scaled_form(const crd_comparison *c, const crd_i_compared *one) {
    const char *calibration = setting_of(one->candidate, "calibration");
    bool is_isotonic = calibration != NULL && strcmp(calibration, "isotonic") == 0;
    return is_isotonic && one > c->all && setting_of(one[-1].candidate, "calibration") != NULL ? one - 1 : NULL;
}

/* Returns the place of a candidate in `promising`, or the length of `promising` if it does not contain the
 * candidate. */
static size_t compare_budget_place(const crd_i_compare_candidate *candidate) {
    const size_t count = sizeof promising / sizeof *promising;
    size_t place = 0;
    while (place < count && strcmp(promising[place], candidate->name) != 0) place++;
    return place;
}

/* Returns whether a candidate is admitted before another one. `other` may be NULL. */
static bool compare_budget_comes_before(const crd_i_compared *one, const crd_i_compared *other) {
    if (other == NULL) return true;
    const size_t place = compare_budget_place(one->candidate), other_place = compare_budget_place(other->candidate);
    return place != other_place ? place < other_place : one->work < other->work;
}

/* Returns the next candidate to admit; NULL if none is left. */
static crd_i_compared *next_candidate(crd_comparison *c, const bool *is_considered) {
    crd_i_compared *compared_model = NULL;
    if (!is_considered[0]) return c->all;
    for (size_t i = 0; i < c->count; i++) {
        crd_i_compared *one = &c->all[i];
        const crd_i_compared *scaled = scaled_form(c, one);
        if (is_considered[i] || (scaled != NULL && !is_considered[scaled - c->all])) continue;
        if (compare_budget_comes_before(one, compared_model)) compared_model = one;
    }
    return compared_model;
}

/* Returns the smallest budget, a power of 2, that allows this work. */
static double sufficient_budget(double work, double allowed) {
    double budget = 2;
    while (budget < MOST_SUGGESTED && budget * allowed < work) budget *= 2;
    return budget;
}

static bool is_any_over_budget(const crd_comparison *c) {
    for (size_t i = 0; i < c->count; i++)
        if (c->all[i].result.status == CRD_CANDIDATE_OVER_BUDGET) return true;
    return false;
}

enum { MOST_CANDIDATES = 64 };

/* Admits candidates until the allowed work is used, and sets is_tried. Returns the number of admitted candidates.
 * The budget includes training the chosen candidate afterwards. */
static size_t compare_budget_admit(crd_comparison *c, double allowed, bool *is_tried) {
    bool is_considered[MOST_CANDIDATES] = {false};
    double admitted = learning_work(&c->facts), models = (double)count_models(c);
    size_t tried = 0;
    for (crd_i_compared *one; (one = next_candidate(c, is_considered)) != NULL;) {
        const size_t index = (size_t)(one - c->all);
        is_considered[index] = true;
        is_tried[index] = index == 0 || admitted + one->work + one->work / models <= allowed;
        if (!is_tried[index]) continue;
        admitted += one->work;
        tried++;
    }
    return tried;
}

/* See compare_internal.h. If the caller named candidates, all of them are tried. */
void crd_i_comparison_plan(crd_comparison *c) {
    bool is_tried[MOST_CANDIDATES], is_tried_then[MOST_CANDIDATES];
    double at_one = allowed_work(&c->facts), needed = learning_work(&c->facts);
    double allowed = c->options.candidates != NULL ? INFINITY : c->options.budget * at_one;
    compare_budget_estimate(c);
    const size_t tried = compare_budget_admit(c, allowed, is_tried),
                 then = compare_budget_admit(c, LARGER * allowed, is_tried_then);
    /* with more budget, one costly candidate can replace several cheap ones */
    c->more = then > tried ? then - tried : 0;
    c->work = c->work_done = 0;
    for (size_t i = 0; i < c->count; i++) {
        needed += c->all[i].work;
        if (is_tried[i]) c->work += c->all[i].work;
        else crd_i_comparison_leave_out(c, &c->all[i], CRD_CANDIDATE_OVER_BUDGET, "");
    }
    c->larger = LARGER * c->options.budget;
    c->sufficient = is_any_over_budget(c) ? sufficient_budget(needed * (1 + 1 / (double)count_models(c)), at_one) : 0;
}
