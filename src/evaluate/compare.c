/* SPDX-License-Identifier: MIT */
/* compare.c - preparation of a comparison (candidates, options, column types, split, models of the folds) and its
 * recommendation. The interface is in credence/compare.h, the evaluation of the candidates in compare_run.c.
 *
 * The rows are read twice. The first pass finds the column types, which determine the statistics that the candidates
 * need. The second pass learns. Rows need not fit in memory: they are read again for each candidate.
 *
 * Contents:
 *   1. Candidates
 *   2. Work and budget
 *   3. Preparation
 *   4. Recommendation */
#include "evaluate/compare_internal.h"
#include "evaluate/cross_validation.h"
#include "evaluate/split.h"
#include "model/model_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "classify/posteriors.h"
#include "fit/held_out.h"
#include "processes/group.h"
#include "settings/settings_internal.h"
#include "stats/kept_rows.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Candidates ========
 *
 * To compare another model, add a line to the table. */

/* NAIVE_OF: a candidate without calibration and with each calibration. Both calibrations use the same held-out rows,
 * so the second one costs little. */
#define PLATT                                                                                                          \
    { "calibration", "platt" }
#define ISOTONIC                                                                                                       \
    { "calibration", "isotonic" }
#define NAIVE_OF(family_name)                                                                                          \
    {"naive, " family_name, {{"family", family_name}}, 1, 0, 0, NULL},                                                 \
        {"naive, " family_name ", platt", {{"family", family_name}, PLATT}, 1, 0, 0, NULL}, {                          \
        "naive, " family_name ", isotonic", {{"family", family_name}, ISOTONIC}, 1, 0, 0, NULL                         \
    }

/* Simple candidates come first: of two equally good candidates, the first is recommended. A family applies to
 * numeric or to text columns; the setting is omitted if the table has no such columns. Candidates that model several
 * columns together do not suit tables with text columns. Attribute weights and stacked ensembles have no calibrated
 * forms, because they are already fitted to held-out rows. */
static const crd_i_compare_candidate candidates[] = {
    {"naive", {{0}}, 0, 0, 0, NULL},
    {"naive, platt", {PLATT}, 0, 0, 1, NULL},
    {"naive, isotonic", {ISOTONIC}, 0, 0, 1, NULL},
    NAIVE_OF("student"),
    NAIVE_OF("kernel"),
    NAIVE_OF("histogram"),
    NAIVE_OF("mixture"),
    NAIVE_OF("auto"),
    NAIVE_OF("complement"),
    NAIVE_OF("bernoulli"),
    NAIVE_OF("words-dirichlet"),
    {"naive, weighted", {{"family", "auto"}, {"attribute-weights", "fitted"}}, 0, 0, 1, "rows"},
    {"joint numbers, tied",
     {{"joint", "numbers"}, {"covariance", "tied"}, {"attribute-weights", "fitted"}},
     2,
     0,
     0,
     "cross-products"},
    {"joint numbers, tied, platt",
     {{"joint", "numbers"}, {"covariance", "tied"}, {"attribute-weights", "fitted"}, PLATT},
     2,
     0,
     0,
     "cross-products"},
    {"joint numbers, tied, isotonic",
     {{"joint", "numbers"}, {"covariance", "tied"}, {"attribute-weights", "fitted"}, ISOTONIC},
     2,
     0,
     0,
     "cross-products"},
    {"joint numbers", {{"joint", "numbers"}, {"attribute-weights", "fitted"}}, 2, 0, 0, "cross-products"},
    {"joint numbers, platt", {{"joint", "numbers"}, {"attribute-weights", "fitted"}, PLATT}, 2, 0, 0, "cross-products"},
    {"joint numbers, isotonic",
     {{"joint", "numbers"}, {"attribute-weights", "fitted"}, ISOTONIC},
     2,
     0,
     0,
     "cross-products"},
    {"joint numbers, mixture",
     {{"joint", "numbers"}, {"joint-mixture", "auto"}, {"attribute-weights", "fitted"}},
     2,
     0,
     0,
     "cross-products"},
    {"joint categories", {{"joint", "categories"}, {"family", "auto"}}, 0, 2, 0, "joint-counts"},
    {"joint categories, platt", {{"joint", "categories"}, {"family", "auto"}, PLATT}, 0, 2, 0, "joint-counts"},
    {"joint categories, isotonic", {{"joint", "categories"}, {"family", "auto"}, ISOTONIC}, 0, 2, 0, "joint-counts"},
    {"tan", {{"method", "tan"}}, 0, 0, 2, "row-table"},
    {"kdb:2", {{"method", "kdb:2"}}, 0, 0, 3, "row-table"},
    {"aode", {{"method", "aode"}}, 0, 0, 2, "pair-counts"},
    {"aode, platt", {{"method", "aode"}, PLATT}, 0, 0, 2, "pair-counts"},
    {"aode, isotonic", {{"method", "aode"}, ISOTONIC}, 0, 0, 2, "pair-counts"},
    {"pairwise", {{"method", "pairwise"}}, 0, 0, 2, "pair-counts"},
    {"pairwise, platt", {{"method", "pairwise"}, PLATT}, 0, 0, 2, "pair-counts"},
    {"pairwise, isotonic", {{"method", "pairwise"}, ISOTONIC}, 0, 0, 2, "pair-counts"},
    {"trees", {{"method", "trees"}}, 0, 0, 1, "rows"},
    {"stacking", {{"method", "stacking"}}, 0, 0, 2, "stacking"},
};

/* The settings that differ between candidates. */
static const char *const chosen[] = {
    "family", "method", "joint", "covariance", "joint-mixture", "attribute-weights", "calibration"};

static size_t compare_candidate_count(void) {
    return sizeof candidates / sizeof *candidates;
}

static const crd_i_compare_candidate *candidate_at(size_t index) {
    return &candidates[index];
}

/* Returns the value of a candidate's setting; NULL if it does not have it. */
static const char *setting_of(const crd_i_compare_candidate *candidate, const char *name) {
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS && candidate->settings[i].name != NULL; i++)
        if (strcmp(candidate->settings[i].name, name) == 0) return candidate->settings[i].value;
    return NULL;
}

/* Returns the number of settings before the calibration, which is the last setting; SIZE_MAX if there is no
 * calibration. */
static size_t settings_before_calibration(const crd_i_compare_candidate *candidate) {
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS && candidate->settings[i].name != NULL; i++)
        if (strcmp(candidate->settings[i].name, "calibration") == 0) return i;
    return SIZE_MAX;
}

/* See compare_internal.h. Searches backwards for the candidate with the same settings except the calibration. */
const crd_i_compare_candidate *crd_i_candidate_base(const crd_i_compare_candidate *candidate) {
    size_t count = settings_before_calibration(candidate);
    for (const crd_i_compare_candidate *one = candidate; count != SIZE_MAX && one-- > candidates;) {
        bool is_base = count == CRD_I_CANDIDATE_SETTINGS || one->settings[count].name == NULL;
        for (size_t i = 0; is_base && i < count; i++)
            is_base = one->settings[i].name != NULL &&
                      strcmp(one->settings[i].name, candidate->settings[i].name) == 0 &&
                      strcmp(one->settings[i].value, candidate->settings[i].value) == 0;
        if (is_base) return one;
    }
    return NULL;
}

const char *crd_comparison_candidate(size_t index) {
    return index < compare_candidate_count() ? candidates[index].name : NULL;
}

int crd_comparison_chooses(const char *setting) {
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (strcmp(chosen[i], setting) == 0) return 1;
    return 0;
}

/* ---- Table facts ---- */

/* Pair counts discretize a numeric column into at most this many bins. */
static const double CELLS_OF_NUMBERS = 64;

/* Fills all members except `rows`. With v_i values in column i, the number of pairs is ((sum v_i)^2 - sum v_i^2) / 2.
 * */
static void table_facts_read(const crd_summary *summary, crd_i_table_facts *out) {
    double sum = 0, squares = 0, category_squares = 0;
    out->numbers = out->categories = out->texts = 0;
    out->classes = summary->class_count;
    out->combinations = 1;
    out->values = out->occurrences = 0;
    for (size_t a = 0; a < summary->attribute_count; a++) {
        crd_column_type type = summary->attributes[a].type;
        double values = 0;
        if (type == CRD_TYPE_NUMERIC) {
            out->numbers++;
            values = CELLS_OF_NUMBERS;
        } else if (type == CRD_TYPE_CATEGORICAL) {
            out->categories++;
            values = (double)summary->attributes[a].value_count;
            if (values > 0) out->combinations *= values;
            out->values += values;
            category_squares += values * values;
        } else if (type == CRD_TYPE_TEXT) {
            out->texts++;
            for (size_t k = 0; k < out->classes; k++) out->occurrences += crd_i_summary_occurrences(summary, a, k);
        }
        sum += values;
        squares += values * values;
    }
    out->category_pairs = (out->values * out->values - category_squares) / 2 * (double)out->classes;
    /* Every pair of columns, and each column with the class. */
    out->pairs = ((sum * sum - squares) / 2 + sum) * (double)out->classes;
}

/* Returns whether the candidate sets a family for text columns. */
static bool is_of_texts(const crd_i_compare_candidate *candidate) {
    static const char *const families[] = {"complement", "bernoulli", "words-dirichlet"};
    if (candidate->settings[0].name == NULL || strcmp(candidate->settings[0].name, "family") != 0) return false;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(candidate->settings[0].value, families[i]) == 0) return true;
    return false;
}

/* Returns whether the candidate models each column separately, so text columns are possible. */
static bool is_of_attributes(const crd_i_compare_candidate *candidate) {
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS && candidate->settings[i].name != NULL; i++)
        if (strcmp(candidate->settings[i].name, "method") == 0 || strcmp(candidate->settings[i].name, "joint") == 0)
            return false;
    return true;
}

/* Returns whether a candidate is meaningful for the table. */
static bool candidate_suits(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts) {
    if (is_of_texts(candidate)) return facts->texts > 0;
    if (facts->texts > 0 && !is_of_attributes(candidate)) return false;
    return facts->numbers >= candidate->numbers && facts->categories >= candidate->categories &&
           facts->numbers + facts->categories + facts->texts >= candidate->columns;
}

/* Returns whether an export format can express a candidate: see src/export. `format` is NULL or the name of a format.
 * Families and joint densities of numbers do not matter without numbers. The size of trees is not known yet. */
static bool candidate_deploys(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts,
                              const char *format) {
    if (format == NULL || strcmp(format, "json") == 0) return true;
    const char *method = setting_of(candidate, "method"), *family = setting_of(candidate, "family");
    const bool is_network = method != NULL && (strcmp(method, "tan") == 0 || strncmp(method, "kdb", 3) == 0);
    if (strcmp(format, "c") == 0) return !is_network;
    if (method != NULL) return strcmp(method, "trees") == 0 && strcmp(format, "pmml") != 0;
    if (setting_of(candidate, "joint") != NULL || setting_of(candidate, "calibration") != NULL) return false;
    if (setting_of(candidate, "attribute-weights") != NULL && strcmp(format, "pmml") == 0) return false;
    return family == NULL || facts->numbers == 0 || (strcmp(family, "student") == 0 && strcmp(format, "sql") == 0);
}

/* Limits of the statistics. They are lower than the limits of a single model, because every fold has two models. */
static const double MOST_PAIRS = 0x1p24, MOST_COMBINATIONS = 0x1p40, MOST_PRODUCTS = 0x1p18, MOST_TABLE_CELLS = 0x1p24;
static const uint64_t MOST_ROWS_COMBINED = 1000000;

/* A stacked ensemble omits members whose statistics would be too large for any model. Between these limits and the
 * limits above, the ensemble would differ from the one that is trained later. */
static const double PAIRS_GIVEN_UP = 0x1p28;
enum { NUMBERS_TOGETHER = 400 };

/* Returns whether a statistic is small enough. If not, writes the reason. */
static bool tally_fits(const char *tally, const crd_i_table_facts *facts, char reason[CRD_I_REASON_ROOM]) {
    double numbers = (double)facts->numbers, products = numbers * (numbers + 1) / 2 * (double)facts->classes;
    bool is_stacking = strcmp(tally, "stacking") == 0;
    bool counts_pairs = strcmp(tally, "pair-counts") == 0 || (is_stacking && facts->pairs < PAIRS_GIVEN_UP);
    bool adds_products = strcmp(tally, "cross-products") == 0 || (is_stacking && facts->numbers <= NUMBERS_TOGETHER);
    bool counts_cells = strcmp(tally, "joint-counts") == 0;
    double cells = (double)facts->rows * (double)(facts->numbers + facts->categories + 1);
    if (counts_pairs && facts->pairs > MOST_PAIRS) {
        snprintf(reason, CRD_I_REASON_ROOM, "it counts pairs of values, and there are about %.1g of them",
                 facts->pairs);
    } else if (adds_products && products > MOST_PRODUCTS) {
        snprintf(reason, CRD_I_REASON_ROOM, "it sums products of numbers, and there are %.0f of them", products);
    } else if (counts_cells && facts->combinations > MOST_COMBINATIONS) {
        snprintf(reason, CRD_I_REASON_ROOM, "the table of all categories would have about %.1g entries for each class",
                 facts->combinations);
    } else if (strcmp(tally, "row-table") == 0 && cells > MOST_TABLE_CELLS) {
        snprintf(reason, CRD_I_REASON_ROOM, "it stores all rows, and they have %.3g values", cells);
    } else if (counts_cells && facts->rows > MOST_ROWS_COMBINED) {
        snprintf(reason, CRD_I_REASON_ROOM, "it stores every combination of categories, and there are too many rows");
    } else {
        return true;
    }
    return false;
}

bool crd_i_candidate_fits(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts,
                          char reason[CRD_I_REASON_ROOM]) {
    reason[0] = '\0';
    return candidate->tally == NULL || tally_fits(candidate->tally, facts, reason);
}

/* Returns whether the candidate needs further statistics of numeric columns. Families other than normal and Student
 * do, and so do stacked ensembles. */
static bool reads_more_of_numbers(const crd_i_compare_candidate *one) {
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS && one->settings[i].name != NULL; i++)
        if (strcmp(one->settings[i].name, "family") == 0 && strcmp(one->settings[i].value, "student") != 0 &&
            !is_of_texts(one))
            return true;
    return one->tally != NULL && strcmp(one->tally, "stacking") == 0;
}

static bool is_tried(const crd_i_compared *one) {
    return one->result.status == CRD_CANDIDATE_PENDING;
}

/* Room for the names of the statistics. */
enum { TALLIES_ROOM = 120 };

/* Writes the names of all statistics that the candidates need and that can be stored. Only the candidates that are
 * tried need statistics. */
static void candidate_tallies(const crd_i_compared *all, size_t count, const crd_i_table_facts *facts,
                              char tallies[TALLIES_ROOM]) {
    static const char *const together[] = {"joint-counts", "cross-products", "pair-counts", "row-table"};
    char ignored[CRD_I_REASON_ROOM];
    bool reads_more = false;
    for (size_t j = 0; j < count; j++)
        reads_more = reads_more || (is_tried(&all[j]) && reads_more_of_numbers(all[j].candidate));
    /* All statistics of single columns except extremes, which no candidate needs. */
    size_t length = (size_t)snprintf(tallies, TALLIES_ROOM, "%srows", reads_more ? "signs,logs,histogram," : "");
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        bool is_read = false;
        for (size_t j = 0; j < count; j++) {
            const char *tally = all[j].candidate->tally;
            if (tally == NULL || !is_tried(&all[j])) continue;
            bool is_member = strcmp(tally, "stacking") == 0 && strcmp(together[i], "joint-counts") != 0 &&
                             strcmp(together[i], "row-table") != 0 &&
                             (facts->numbers > 1 || strcmp(together[i], "cross-products") != 0);
            if (is_member || strcmp(tally, together[i]) == 0) is_read = true;
        }
        if (is_read && tally_fits(together[i], facts, ignored))
            length += (size_t)snprintf(tallies + length, TALLIES_ROOM - length, ",%s", together[i]);
    }
}

/* Returns whether the candidate has a setting with that index, and whether it affects the table. A family affects
 * numeric columns. If all numeric columns are modeled together, exponents affect only categorical columns. */
static bool candidate_sets(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts, size_t setting) {
    if (setting >= CRD_I_CANDIDATE_SETTINGS || candidate->settings[setting].name == NULL) return false;
    const char *name = candidate->settings[setting].name;
    bool takes_numbers =
        strcmp(candidate->settings[0].name, "joint") == 0 && strcmp(candidate->settings[0].value, "numbers") == 0;
    if (strcmp(name, "family") == 0) return facts->numbers > 0 || is_of_texts(candidate);
    if (strcmp(name, "attribute-weights") == 0 && takes_numbers) return facts->categories > 0;
    return true;
}

/* ======== 2. Work and budget ========
 *
 * Work is counted in operations; current CPUs do about 10^9 per second. It depends only on the folds and on the
 * table's rows, columns, values and classes. So the same rows lead to the same candidates on every machine, with any
 * number of threads or processes. The constants were fitted to the CPU time of candidates on 20 tables. Most
 * estimates are within a factor of 2.
 *
 * Naive Bayes is always tried. Trees and the stacked ensemble, which are usually the best, have a budget of their own,
 * FREE_WORK; trees come first. The budget of the others is a part of the work of training one stacked ensemble, the
 * costliest model. It is at least LEAST_WORK, and its maximum grows with the rows. First come the candidates in
 * `promising`, in that order, then all other candidates, cheapest first. A candidate that would exceed the budget is
 * excluded. An isotonic calibration comes after the scaled one, because it uses the same held-out rows. */

/* Part of the ensemble's work that all candidates together may use. The rest is a margin: estimates can be too low,
 * and the rows must also be read and learned, and the chosen model trained. */
static const double PART_OF_ENSEMBLE = 0.8;
/* Part of the maximum work of kernel densities. Columns with few distinct numbers need less than the maximum. */
static const double PART_OF_KERNELS = 0.3;
/* Minimum of the budget, about 2 ms, and maximum: about 1 s plus 0.5 ms for each row, and 3 s if there are texts. */
static const double LEAST_WORK = 2e6, MOST_WORK = 1e9, MOST_WORK_OF_ROW = 5e5, MOST_WORK_OF_TEXTS = 3e9;

/* Budget of trees and the stacked ensemble: about 1 s plus 1 ms for each row. */
static const double FREE_WORK = 1e9, FREE_WORK_OF_ROW = 1e6;

/* The candidates that are tried first, in this order. The order is a judgment, not the result of a study. Flexible
 * methods come first, because cheap methods would leave them no budget. */
static const char *const promising[] = {
    "trees",
    "stacking",
    "pairwise",
    "joint numbers",
    "naive, weighted",
    "joint numbers, tied",
    "kdb:2",
    "aode",
    "naive, platt",
    "joint numbers, mixture",
    "pairwise, platt",
    "tan",
    "naive, complement",
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
static double joint_numbers_work(const budget_workload *w, const char *covariance, const char *joint_mixture) {
    double each = 20 * compare_budget_square(w->numbers) * w->classes * compare_budget_least(w->rows, JOINT_ROWS) +
                  1e5 + 17 * compare_budget_square(w->numbers) * w->numbers * w->classes;
    if (joint_mixture != NULL) return with_categories(w, 230 * w->kept * compare_budget_square(w->numbers));
    return with_categories(w, covariance == NULL ? 2.7 * each : each);
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

/* Returns the work of growing trees: at each level, each row of a sample is counted in about the square root of the
 * number of columns; and then all rows outside of the samples are predicted with each pseudo-count. */
static double trees_work(const budget_workload *w) {
    enum { TREES = 100, OF_CELL = 12, OF_PREDICTION = 3 };
    return TREES * w->kept *
           (OF_CELL * sqrt(w->columns) * crd_log(w->kept + 2) / crd_log(2) + OF_PREDICTION * w->classes);
}

static bool is_method(const crd_i_compare_candidate *candidate, const char *name) {
    const char *method = setting_of(candidate, "method");
    return strcmp(method == NULL ? "naive" : method, name) == 0;
}

/* Returns the work of computing a candidate's model, without calibration. */
static double derive_work(const crd_i_compare_candidate *candidate, const budget_workload *w) {
    const char *family = setting_of(candidate, "family"), *joint = setting_of(candidate, "joint");
    if (is_method(candidate, "trees")) return trees_work(w);
    if (is_method(candidate, "tan") || is_method(candidate, "kdb:2"))
        return arcs_work(w, is_method(candidate, "kdb:2"));
    if (is_method(candidate, "aode") || is_method(candidate, "pairwise")) {
        double counted =
            30 * w->category_pairs + 60 * compare_budget_square(w->columns) * w->classes +
            15 * compare_budget_least(w->pairs - w->category_pairs, 3 * w->rows * compare_budget_square(w->columns));
        return counted + (is_method(candidate, "pairwise") ? pairwise_work(w) : 0);
    }
    if (joint != NULL && strcmp(joint, "numbers") == 0)
        return joint_numbers_work(w, setting_of(candidate, "covariance"), setting_of(candidate, "joint-mixture"));
    double work = family_work(w, family == NULL ? "" : family);
    if (joint != NULL) return work + 50 * w->rows;
    return setting_of(candidate, "attribute-weights") == NULL ? work : work + exponents_work(w);
}

/* Returns the work of classifying one row. */
static double answer_work(const crd_i_compare_candidate *candidate, const budget_workload *w) {
    enum { OF_TREES = 10000, OF_CLASS_IN_TREES = 200 };
    double work = 37 * w->columns * w->classes;
    if (is_method(candidate, "trees")) return work + OF_TREES + OF_CLASS_IN_TREES * w->classes;
    if (is_method(candidate, "aode") || is_method(candidate, "pairwise"))
        return work + (15 * w->numbers + 4 * w->categories) * w->columns * w->classes;
    if (setting_of(candidate, "covariance") != NULL || setting_of(candidate, "joint-mixture") != NULL ||
        is_method(candidate, "stacking"))
        work += 6 * compare_budget_square(w->numbers) * w->classes;
    return work;
}

/* Returns the work of an ensemble. Each member is learned from all rows and, except for trees, once more without each
 * fold. */
static double ensemble_work(const budget_workload *w) {
    enum { MOST_TOGETHER = 400, MOST_MIXED = 100 }; /* the limits of stacking.c */
    double members = family_work(w, "auto") + exponents_work(w) + pairwise_work(w);
    if (w->numbers >= 2 && w->numbers <= MOST_TOGETHER) members += joint_numbers_work(w, NULL, NULL);
    if (w->numbers >= 2 && w->numbers <= MOST_MIXED) members += joint_numbers_work(w, NULL, "auto");
    /* Two members count pairs, and all classify every row. */
    return (INNER + 1) * members + 2 * pair_counts_work(w) + INNER * 37 * w->kept * w->columns * w->classes +
           trees_work(w);
}

/* Returns the work of computing one model, including calibration, and classifying the rows of its fold. */
static double candidate_work(const crd_i_compare_candidate *candidate, const budget_workload *w) {
    const char *calibration = setting_of(candidate, "calibration");
    if (is_method(candidate, "stacking")) return ensemble_work(w) + w->tested * answer_work(candidate, w);
    double answer = answer_work(candidate, w), texts = 100 * w->words * w->classes;
    double derive = derive_work(candidate, w), work = PER_MODEL + derive + w->tested * answer + texts / INNER;
    if (calibration == NULL) return work;
    work += 90 * w->kept * w->classes;
    if (strcmp(calibration, "isotonic") == 0) return work;
    const char *family = setting_of(candidate, "family");
    /* the families are selected only once, from all rows */
    bool is_selected = family != NULL && strcmp(family, "auto") == 0;
    work += (INNER - 1) * (is_selected ? 0.25 * derive : derive) + w->kept * answer + texts + held_out_work(w);
    if (candidate->tally != NULL && strcmp(candidate->tally, "pair-counts") == 0) work += pair_counts_work(w);
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
    if (facts->texts > 0) return MOST_WORK_OF_TEXTS;
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
    double free_work = FREE_WORK + FREE_WORK_OF_ROW * (double)c->facts.rows;
    size_t tried = 0;
    for (crd_i_compared *one; (one = next_candidate(c, is_considered)) != NULL;) {
        const size_t index = (size_t)(one - c->all);
        is_considered[index] = true;
        const bool is_free =
            (is_method(one->candidate, "trees") || is_method(one->candidate, "stacking")) && one->work <= free_work;
        is_tried[index] = index == 0 || is_free || admitted + one->work + one->work / models <= allowed;
        if (!is_tried[index]) continue;
        if (is_free) free_work -= one->work;
        else admitted += one->work;
        tried++;
    }
    return tried;
}

/* Estimates the work of each candidate, and excludes the candidates that the budget does not allow. If the caller named
 * candidates, all of them are tried. */
static void comparison_plan(crd_comparison *c) {
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

/* ======== 3. Preparation ======== */

enum { FOLDS = 10, FOLDS_OF_MANY_ROWS = 5, MANY_ROWS = 200 };

/* ---- Options ---- */

/* Returns CRD_ERROR_ARGUMENT if a name is not a candidate. */
static crd_status check_candidates(const crd_comparison_options *options, crd_error *error) {
    static const char *const formats[] = {"json", "c", "sql", "onnx", "pmml"};
    char shown[CRD_I_QUOTED_ROOM];
    bool is_format = options->deploy == NULL;
    for (size_t i = 0; !is_format && i < sizeof formats / sizeof *formats; i++)
        is_format = strcmp(options->deploy, formats[i]) == 0;
    if (!is_format)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "unknown format '%s' for deployment; formats: json, c, sql, onnx, pmml",
                          crd_i_quote(crd_text_of(options->deploy), shown));
    for (size_t i = 0; options->candidates != NULL && i < options->candidate_count; i++) {
        size_t index = 0;
        while (index < compare_candidate_count() && strcmp(options->candidates[i], candidate_at(index)->name) != 0)
            index++;
        if (index < compare_candidate_count()) continue;
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown candidate '%s'",
                          crd_i_quote(crd_text_of(options->candidates[i]), shown));
    }
    return CRD_OK;
}

/* Returns CRD_ERROR_SETTING if a setting that the candidates choose is not at its default. */
static crd_status compare_check_settings(const crd_settings *settings, crd_error *error) {
    size_t count = crd_setting_count();
    for (size_t i = 0; settings != NULL && i < count; i++) {
        if (!crd_comparison_chooses(crd_setting_at(i)->name) ||
            crd_i_settings_is_default(settings, crd_setting_at(i)->name))
            continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "the setting '%s' is chosen by the comparison and cannot be set",
                   crd_setting_at(i)->name);
        crd_i_error_subject(error, crd_text_of(crd_setting_at(i)->name));
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

/* Copies and checks the options and settings. */
static crd_status compare_take_options(crd_comparison *c, const crd_comparison_options *options, crd_error *error) {
    const crd_comparison_options none = CRD_COMPARISON_OPTIONS_INIT;
    c->options = none;
    if (options != NULL && !crd_i_copy_in(options, &c->options, sizeof c->options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (c->options.budget == 0) c->options.budget = 1;
    c->options.threads = crd_i_thread_pool_size(c->options.threads);
    if (!(c->options.budget > 0)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the budget must be above 0");
    crd_status status = check_candidates(&c->options, error);
    if (status == CRD_OK) status = compare_check_settings(c->options.settings, error);
    if (status != CRD_OK) return status;
    return c->options.settings == NULL ? crd_settings_create(c->context, &c->settings, error)
                                       : crd_i_settings_copy(c->context, c->options.settings, &c->settings, error);
}

/* ---- Split ---- */

/* Returns whether the number of folds depends on the number of rows. */
static bool is_split_by_rows(const crd_split_options *options) {
    return options->folds == 0 && options->column == SIZE_MAX && options->given == NULL;
}

/* Creates the split. Called before the rows are known, and again when they are known; then the number of folds may
 * depend on them. */
static crd_status compare_open_split(crd_comparison *c, bool knows_rows, crd_error *error) {
    crd_split_options options = CRD_SPLIT_OPTIONS_INIT;
    options.folds = 0;
    if (c->options.split != NULL && !crd_i_copy_in(c->options.split, &options, sizeof options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options of the split have no size");
    c->is_holdout = options.held_out > 0;
    if (c->split != NULL || (is_split_by_rows(&options) && !knows_rows)) return CRD_OK;
    const bool are_many = c->facts.rows > MANY_ROWS;
    if (is_split_by_rows(&options)) options.folds = are_many ? FOLDS_OF_MANY_ROWS : FOLDS;
    return crd_i_split_create(c->context, &options, &c->split, error);
}

/* ---- Column types ---- */

typedef struct facts_pass {
    crd_comparison *comparison;
    crd_model *model; /* NULL: no row was read */
} facts_pass;

static crd_status facts_pass_add(facts_pass *pass, const crd_frame *frame, crd_error *error) {
    crd_comparison *c = pass->comparison;
    const crd_row_source *source = c->source;
    crd_status status = CRD_OK;
    if (pass->model == NULL)
        status = frame->origin != NULL || source->weight.bytes == NULL
                     ? crd_model_create(c->context, frame, source->target, NULL, &pass->model, error)
                     : crd_model_create_weighted(c->context, frame, source->target, source->weight, NULL, &pass->model,
                                                 error);
    if (status == CRD_OK) status = crd_model_update(pass->model, frame, error);
    if (status == CRD_OK && c->split != NULL) status = crd_i_split_add(c->split, source, frame, error);
    c->facts.rows += frame->rows;
    return status;
}

static crd_status facts_pass_make(void *state, crd_error *error) {
    facts_pass *pass = state;
    crd_comparison *c = pass->comparison;
    crd_model_destroy(pass->model);
    pass->model = NULL;
    c->facts.rows = 0;
    crd_status status = c->split == NULL ? CRD_OK : crd_i_split_clear(c->split, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_i_row_source_take(c->source, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = facts_pass_add(pass, frame, error);
    }
    return status;
}

/* Learns a model of all rows, which determines the column types. Fold names are read in the same pass, because the
 * source may not provide them again. */
static crd_status compare_read_table(crd_comparison *c, crd_model **model, crd_error *error) {
    const crd_row_source *source = c->source;
    facts_pass pass = {c, NULL};
    const crd_status status = crd_i_row_source_make_passes(c->source, facts_pass_make, &pass, error);
    *model = pass.model;
    if (status != CRD_OK || *model != NULL) return status;
    crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to learn from");
    if (source->reader != NULL) crd_i_error_place(error, crd_reader_place(source->reader), 0, 0);
    return CRD_ERROR_EMPTY;
}

/* Reads the rows and fills the facts of the table. */
static crd_status find_facts(crd_comparison *c, crd_error *error) {
    crd_model *model = NULL;
    crd_status status = compare_read_table(c, &model, error);
    if (status == CRD_OK) status = crd_summary_create(model, &c->summary, error);
    crd_model_destroy(model);
    if (status == CRD_OK) table_facts_read(c->summary, &c->facts);
    return status;
}

/* Returns whether the options name the candidate. All are chosen if no candidates are named. */
static bool is_chosen(const crd_comparison_options *options, const char *name) {
    for (size_t i = 0; options->candidates != NULL && i < options->candidate_count; i++)
        if (strcmp(options->candidates[i], name) == 0) return true;
    return options->candidates == NULL;
}

/* Lists the chosen candidates that suit the table. */
static crd_status compare_list_candidates(crd_comparison *c, crd_error *error) {
    if (c->options.deploy != NULL && c->facts.texts > 0) {
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "no model of text columns can be exported: no format can express their words");
        crd_i_error_hint(error, "ignore the text columns, or use the model file itself");
        return CRD_ERROR_SETTING;
    }
    c->all = crd_i_alloc_zeroed(c->context, compare_candidate_count(), sizeof *c->all);
    if (c->all == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < compare_candidate_count(); i++) {
        const crd_i_compare_candidate *candidate = candidate_at(i);
        const crd_comparison_result pending = CRD_COMPARISON_RESULT_INIT;
        if (!is_chosen(&c->options, candidate->name) || !candidate_suits(candidate, &c->facts) ||
            !candidate_deploys(candidate, &c->facts, c->options.deploy))
            continue;
        c->all[c->count].candidate = candidate;
        c->all[c->count++].result = pending;
    }
    crd_i_comparison_number_items(c);
    return c->count > 0 ? CRD_OK : crd_i_fail(error, CRD_ERROR_EMPTY, "no candidate suits the table");
}

/* ---- Learning ---- */

/* Learns the models of all folds in one pass, with all statistics that the candidates need. */
static crd_status compare_learn(crd_comparison *c, crd_error *error) {
    char tallies[TALLIES_ROOM];
    candidate_tallies(c->all, c->count, &c->facts, tallies);
    crd_status status =
        crd_i_cross_validation_create(c->context, c->source->target, c->settings, &c->validation, error);
    if (status == CRD_OK && c->source->weight.bytes != NULL)
        status = crd_i_cross_validation_set_weight(c->validation, c->source->weight, error);
    if (status == CRD_OK) status = crd_i_cross_validation_keep(c->validation, crd_text_of(tallies), error);
    if (status != CRD_OK) return status;
    crd_i_cross_validation_threads(c->validation, c->options.threads);
    status = crd_row_source_rewind(c->source, error);
    return status == CRD_OK ? crd_i_cross_validation_learn_all(c->validation, c->source, c->split, error) : status;
}

/* Creates a comparison in this process. */
static crd_status compare_create(crd_row_source *source, const crd_comparison_options *options, crd_comparison **out,
                                 crd_error *error) {
    crd_comparison *c = crd_i_alloc_zeroed(source->context, 1, sizeof *c);
    if (c == NULL) return crd_i_fail_memory(error);
    c->context = source->context;
    c->source = source;
    crd_status status = compare_take_options(c, options, error);
    if (status == CRD_OK) status = compare_open_split(c, false, error);
    if (status == CRD_OK) status = find_facts(c, error);
    if (status == CRD_OK) status = compare_open_split(c, true, error);
    if (status == CRD_OK) status = compare_list_candidates(c, error);
    if (status == CRD_OK) comparison_plan(c);
    if (status == CRD_OK) status = compare_learn(c, error);
    if (status == CRD_OK) status = crd_posteriors_create(c->context, &c->posteriors, error);
    if (status != CRD_OK) {
        crd_comparison_destroy(c);
        return status;
    }
    *out = c;
    return CRD_OK;
}

crd_status crd_comparison_create(crd_row_source *source, const crd_comparison_options *options, crd_comparison **out,
                                 crd_error *error) {
    *out = NULL;
    /* Every process has all rows and learns all of them. */
    crd_i_group *group = crd_i_group_leave(source->context);
    crd_status status = compare_create(source, options, out, error);
    crd_i_group_join(source->context, group);
    status = crd_i_group_agree(group, status, error);
    if (status == CRD_OK) {
        (*out)->group = group;
        return CRD_OK;
    }
    crd_comparison_destroy(*out);
    *out = NULL;
    return status;
}

void crd_comparison_destroy(crd_comparison *c) {
    if (c == NULL) return;
    for (size_t i = 0; i < c->count; i++) {
        crd_free(c->context, c->all[i].losses);
        crd_evaluation_destroy(c->all[i].part);
    }
    crd_free(c->context, c->own_folds);
    crd_free(c->context, c->all);
    crd_free(c->context, c->weights);
    crd_free(c->context, c->truths);
    crd_free(c->context, c->is_in_no_loss);
    crd_free(c->context, c->baseline);
    crd_i_selection_destroy(c->selection);
    crd_posteriors_destroy(c->posteriors);
    crd_i_cross_validation_destroy(c->validation);
    crd_i_split_destroy(c->split);
    crd_summary_destroy(c->summary);
    crd_settings_destroy(c->settings);
    crd_free(c->context, c);
}

/* ---- Accessors ---- */

const crd_summary *crd_comparison_summary(const crd_comparison *c) {
    return c->summary;
}

const crd_split *crd_comparison_split(const crd_comparison *c) {
    return c->split;
}

size_t crd_comparison_count(const crd_comparison *c) {
    return c->count;
}

void crd_comparison_result_at(const crd_comparison *c, size_t candidate, crd_comparison_result *out) {
    crd_comparison_result comparison = c->all[candidate].result;
    comparison.name = c->all[candidate].candidate->name;
    comparison.message = c->all[candidate].message;
    crd_i_copy_out(&comparison, sizeof comparison, out);
}

int crd_comparison_setting(const crd_comparison *c, size_t candidate, size_t index, const char **name,
                           const char **value) {
    const crd_i_compare_candidate *compare = c->all[candidate].candidate;
    *name = *value = NULL;
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS; i++) {
        if (!candidate_sets(compare, &c->facts, i) || index-- > 0) continue;
        *name = compare->settings[i].name;
        *value = compare->settings[i].value;
        return 1;
    }
    return 0;
}

crd_status crd_comparison_settings(const crd_comparison *c, size_t candidate, crd_settings **out, crd_error *error) {
    const char *name, *value;
    crd_status status = crd_settings_clone(c->settings, out, error);
    for (size_t i = 0; status == CRD_OK && crd_comparison_setting(c, candidate, i, &name, &value); i++)
        status = crd_settings_set(*out, name, crd_text_of(value), error);
    if (status == CRD_OK) return CRD_OK;
    crd_settings_destroy(*out);
    *out = NULL;
    return status;
}

const crd_selection *crd_comparison_selection(const crd_comparison *c) {
    return c->selection;
}

/* See compare_internal.h. The selection owns copies of all results. */
crd_status crd_i_comparison_list(crd_comparison *c, crd_error *error) {
    crd_selection *selection = crd_i_alloc_zeroed(c->context, 1, sizeof *selection);
    if (selection == NULL) return crd_i_fail_memory(error);
    selection->context = c->context;
    selection->recommendation = c->recommendation;
    selection->count = c->count;
    selection->candidates = crd_i_alloc_zeroed(c->context, c->count, sizeof *selection->candidates);
    for (size_t i = 0; selection->candidates != NULL && i < c->count; i++) {
        crd_selection_candidate *one = &selection->candidates[i];
        one->result = (crd_comparison_result)CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(c, i, &one->result);
        for (size_t s = 0; s < CRD_SELECTION_SETTINGS; s++)
            if (!crd_comparison_setting(c, i, s, &one->settings[s].name, &one->settings[s].value)) break;
    }
    crd_i_selection_destroy(c->selection);
    c->selection = selection->candidates == NULL ? NULL : selection;
    if (c->selection != NULL) return CRD_OK;
    crd_i_selection_destroy(selection);
    return crd_i_fail_memory(error);
}

void crd_comparison_recommendation(const crd_comparison *c, crd_recommendation *out) {
    crd_i_copy_out(&c->recommendation, sizeof c->recommendation, out);
}

/* ======== 4. Recommendation ========
 *
 * Recommends the candidate with the lowest log loss, or a simpler candidate that is as good. The formulas are in
 * credence/compare.h. */

/* A simpler candidate is as good as the best if its loss is larger by at most this part of the standard error. */
static const double AS_GOOD = 0.25;

/* Returns the effective number of rows: the larger one of sum w and (sum w)^2 / sum w^2 (Kish 1965). If the weights
 * are 1 or counts, this is their sum. */
static double effective_rows(double weight, double squared_weights) {
    double kish = weight / (squared_weights / weight);
    return kish > weight ? kish : weight;
}

/* See compare_internal.h. With n effective rows, differences d_i and their mean d,
 *   error = sqrt(sum w_i (d_i - d)^2 / ((n - 1) sum w_i)) */
void crd_i_comparison_difference(const crd_comparison *c, const double *numbers, const double *minus, double *mean,
                                 double *error) {
    double sum = 0, weight = 0, squared_weights = 0, squares = 0;
    for (size_t row = 0; row < c->rows; row++) {
        if (c->is_in_no_loss[row]) continue;
        sum += c->weights[row] * (numbers[row] - (minus == NULL ? 0 : minus[row]));
        weight += c->weights[row];
        squared_weights += c->weights[row] * c->weights[row];
    }
    *mean = sum / weight;
    *error = NAN;
    double rows = effective_rows(weight, squared_weights);
    if (!isfinite(*mean) || !(rows > 1)) return;
    for (size_t row = 0; row < c->rows; row++) {
        if (c->is_in_no_loss[row]) continue;
        double difference = numbers[row] - (minus == NULL ? 0 : minus[row]) - *mean;
        squares += c->weights[row] * difference * difference;
    }
    *error = sqrt(squares / (rows - 1) / weight);
}

/* Excludes rows whose class has probability 0 for every candidate from all log losses. For example, no other row has
 * the class. Such a row would make every log loss infinite. */
static void leave_out_impossible_rows(crd_comparison *c) {
    c->recommendation.left_out = 0;
    for (size_t row = 0; row < c->rows; row++) {
        bool is_impossible = true;
        for (size_t i = 0; i < c->count; i++)
            if (c->all[i].losses != NULL && isfinite(c->all[i].losses[row])) is_impossible = false;
        c->is_in_no_loss[row] = is_impossible;
        c->recommendation.left_out += is_impossible;
    }
}

/* Computes the baseline: the relative class frequencies among the rows of the log losses, their entropy, and the
 * loss of each row. Returns false if memory runs out. */
static bool find_baseline(crd_comparison *c) {
    size_t classes = crd_i_cross_validation_class_count(c->validation);
    double *weights = crd_i_alloc_zeroed(c->context, classes, sizeof *weights), weight = 0, greatest = 0, sum = 0;
    if (weights == NULL) return false;
    for (size_t row = 0; row < c->rows; row++) {
        if (c->truths[row] < 0 || c->is_in_no_loss[row]) continue;
        weights[c->truths[row]] += c->weights[row];
        weight += c->weights[row];
    }
    for (size_t k = 0; k < classes; k++) {
        if (weights[k] > greatest) greatest = weights[k];
        if (weights[k] > 0) sum -= weights[k] * crd_log(weights[k] / weight);
    }
    for (size_t row = 0; row < c->rows; row++)
        c->baseline[row] = c->truths[row] < 0 ? INFINITY : -crd_log(weights[c->truths[row]] / weight);
    c->recommendation.baseline_accuracy = weight > 0 ? greatest / weight : NAN;
    c->recommendation.baseline_log_loss = weight > 0 ? sum / weight : NAN;
    crd_free(c->context, weights);
    return true;
}

/* Chooses the first candidate that is as good as the best one, or the best one itself, and computes its gain over
 * the baseline. */
static void compare_recommend_choose(crd_comparison *c) {
    crd_recommendation *r = &c->recommendation;
    const crd_i_compared *best = &c->all[r->best];
    r->candidate = r->best;
    r->difference = r->difference_error = 0;
    r->reason = CRD_RECOMMENDED_BEST;
    for (size_t i = 0; i < r->best && isfinite(best->result.log_loss); i++) {
        const crd_i_compared *one = &c->all[i];
        double difference, error;
        if (one->losses == NULL || !isfinite(one->result.log_loss)) continue;
        crd_i_comparison_difference(c, one->losses, best->losses, &difference, &error);
        /* With a single row, the error is unknown, and the simpler candidate is considered as good. */
        if (!isnan(error) && difference > AS_GOOD * error) continue;
        r->candidate = i;
        r->difference = difference;
        r->difference_error = error;
        r->reason = CRD_RECOMMENDED_SIMPLER;
        break;
    }
    if (isnan(r->baseline_log_loss)) r->reason = CRD_RECOMMENDED_FIRST;
    else if (!(best->result.log_loss < r->baseline_log_loss)) r->reason = CRD_RECOMMENDED_NONE;
    crd_i_comparison_difference(c, c->baseline, c->all[r->candidate].losses, &r->gain, &r->gain_error);
    if (!isfinite(r->gain)) r->gain = r->gain_error = NAN;
}

/* Allocates the arrays of tested rows. Returns false if memory runs out. */
static bool compare_recommend_open_rows(crd_comparison *c) {
    crd_free(c->context, c->is_in_no_loss);
    crd_free(c->context, c->baseline);
    c->is_in_no_loss = crd_i_alloc_zeroed(c->context, c->rows, sizeof *c->is_in_no_loss);
    c->baseline = crd_i_alloc(c->context, c->rows, sizeof *c->baseline);
    return c->is_in_no_loss != NULL && c->baseline != NULL;
}

/* See compare_internal.h. The best candidate has the lowest log loss; ties go to the first one. */
bool crd_i_comparison_recommend(crd_comparison *c) {
    crd_recommendation *r = &c->recommendation;
    r->rows = c->rows;
    r->budget = c->options.budget;
    r->larger_budget = c->larger;
    r->more = c->more;
    r->sufficient_budget = c->sufficient;
    r->best = r->candidate = SIZE_MAX;
    r->tried = 0;
    if (!compare_recommend_open_rows(c)) return false;
    leave_out_impossible_rows(c);
    if (!find_baseline(c)) return false;
    for (size_t i = 0; i < c->count; i++) {
        crd_i_compared *one = &c->all[i];
        if (one->losses == NULL) continue;
        r->tried++;
        crd_i_comparison_difference(c, one->losses, NULL, &one->result.log_loss, &one->result.log_loss_error);
        if (r->best == SIZE_MAX || one->result.log_loss < c->all[r->best].result.log_loss) r->best = i;
    }
    if (r->best != SIZE_MAX) compare_recommend_choose(c);
    return true;
}
