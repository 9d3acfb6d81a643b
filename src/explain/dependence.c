/* SPDX-License-Identifier: MIT */
/* dependence.c - conditional mutual information of pairs of attributes given the class, and a test whether it exceeds
 * chance. See credence/explain.h.
 *
 * Contents:
 *   1. Joint sums
 *   2. Mutual information */
#include "base/arena.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "explain/counterfactuals.h"
#include "math/functions/elementary.h"
#include "math/independence_tests.h"
#include "model/model_internal.h"
#include "table/frame.h"

#include <credence/explain.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers are standardized with the mean and standard deviation of their class, clamped to +-256 standard deviations
 * and rounded to steps of 1/4096. Products of such numbers have few binary digits, so a double adds half a billion of
 * them without rounding. Therefore the sums do not depend on the order of rows, unless row weights have fractions. */
#define STEPS_OF_DEVIATION 4096.0
#define MOST_DEVIATIONS 256.0

/* Indexes into the sums of a pair. Two numeric columns x and y have all of them, in each class. A categorical and a
 * numeric column have the first SUMS_OF_ONE, for each class and value. */
enum { SUM_ROWS, SUM_X, SUM_XX, SUMS_OF_ONE, SUM_Y = SUMS_OF_ONE, SUM_YY, SUM_XY, SUMS_OF_TWO };

/* A column that takes part in pairs. */
typedef struct paired_column {
    size_t attribute;
    crd_text name; /* borrowed from the summary */
    crd_column_type type;
    crd_i_dictionary *values; /* categorical column: the code of a text is the summary's value index; otherwise NULL */
    double *centers, *scales; /* numeric column: mean and standard deviation in each class; otherwise NULL */
    /* Cells of the current frame. A numeric column uses `numbers`, a categorical column uses `codes`. */
    double *numbers; /* standardized; NaN: missing */
    int32_t *codes;  /* negative: missing */
    size_t numbers_capacity, codes_capacity;
} paired_column;

/* A pair of columns and its sums. In a mixed pair, the categorical column is first. The layout of `sums`:
 *
 * - two numeric columns: SUMS_OF_TWO sums for each class;
 * - a categorical and a numeric column: SUMS_OF_ONE sums for each class and value;
 * - two categorical columns: the row weight of each class, first value and second value. */
typedef struct column_pair {
    const paired_column *first, *second;
    double *sums;
    size_t size;
} column_pair;

/* The public object: see credence/explain.h. */
struct crd_dependence {
    crd_i_arena *arena;
    crd_context *context;
    crd_summary *summary;
    crd_i_dictionary *classes; /* the code of a text is the summary's class index */
    size_t class_count;
    paired_column *columns;
    size_t column_count, attribute_count; /* number of paired columns; number of all attributes that have a type */
    column_pair *pairs;
    /* left_out: number of pairs that would need too much memory */
    size_t pair_count, left_out;
    double rows;
    crd_i_binding binding; /* index 0 is the target, index i + 1 is column i */
    int32_t *conditions;   /* class of each row in the current frame; negative: unknown */
    double *weights;
    size_t conditions_capacity, weights_capacity;
};

/* ======== 1. Joint sums ========
 *
 * Joint sums of pairs of attributes are accumulated within each class. */

/* Maximum number of sums of one pair, and of all pairs together (64 MiB). */
enum { MOST_SUMS_OF_PAIR = 1 << 20, MOST_SUMS = 1 << 23 };

/* ---- Choice of columns and pairs ---- */

typedef struct dependence_candidate {
    size_t attribute;
    double relevance;
} dependence_candidate;

static int dependence_compare_candidates(const void *a, const void *b) {
    const dependence_candidate *x = a, *y = b;
    if (x->relevance != y->relevance) return x->relevance < y->relevance ? 1 : -1;
    return (x->attribute > y->attribute) - (x->attribute < y->attribute);
}

/* Copies the values of a categorical column from the summary into a dictionary. */
static crd_status make_values(crd_dependence *dependence, paired_column *column, crd_error *error) {
    column->values = crd_i_dictionary_create(dependence->context);
    if (column->values == NULL) return crd_i_fail_memory(error);
    for (size_t v = 0; v < dependence->summary->attributes[column->attribute].value_count; v++) {
        crd_text text = crd_summary_value(dependence->summary, column->attribute, v);
        if (crd_i_dictionary_add(column->values, text) < 0) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* Sets the mean and standard deviation of a numeric column in each class. Without spread, the scale is 1. */
static crd_status make_scales(crd_dependence *dependence, paired_column *column, crd_error *error) {
    column->centers = crd_i_arena_alloc(dependence->arena, dependence->class_count, sizeof *column->centers);
    column->scales = crd_i_arena_alloc(dependence->arena, dependence->class_count, sizeof *column->scales);
    if (column->scales == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < dependence->class_count; k++) {
        crd_moments of = crd_summary_moments(dependence->summary, column->attribute, k);
        bool has_spread = of.rows > 0 && of.variance > 0 && isfinite(of.variance);
        column->centers[k] = of.rows > 0 ? of.mean : 0;
        column->scales[k] = has_spread ? sqrt(of.variance) : 1;
    }
    return CRD_OK;
}

/* Chooses the columns to pair. If there are more than CRD_DEPENDENCE_COLUMNS, it chooses those with the largest mutual
 * information with the class (crd_i_relevance). */
static crd_status dependence_make_columns(crd_dependence *dependence, crd_error *error) {
    size_t attributes = dependence->summary->attribute_count, count = 0;
    dependence_candidate *candidates = crd_i_alloc(dependence->context, attributes, sizeof *candidates);
    if (candidates == NULL) return crd_i_fail_memory(error);
    for (size_t a = 0; a < attributes; a++) {
        if (dependence->summary->attributes[a].type == CRD_TYPE_NONE) continue;
        candidates[count].attribute = a;
        candidates[count++].relevance = crd_i_relevance(dependence->summary, a);
    }
    qsort(candidates, count, sizeof *candidates, dependence_compare_candidates);
    dependence->attribute_count = count;
    if (count > CRD_DEPENDENCE_COLUMNS) count = CRD_DEPENDENCE_COLUMNS;
    dependence->columns = crd_i_arena_alloc_zeroed(dependence->arena, count, sizeof *dependence->columns);
    crd_status status = dependence->columns == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        paired_column *column = &dependence->columns[dependence->column_count++];
        column->attribute = candidates[i].attribute;
        column->name = dependence->summary->attributes[column->attribute].name;
        column->type = dependence->summary->attributes[column->attribute].type;
        status = column->type == CRD_TYPE_CATEGORICAL ? make_values(dependence, column, error)
                                                      : make_scales(dependence, column, error);
    }
    crd_free(dependence->context, candidates);
    return status;
}

static size_t dependence_values(const paired_column *column) {
    return column->type == CRD_TYPE_CATEGORICAL ? crd_i_dictionary_size(column->values) : 1;
}

/* Returns the number of sums of a pair, or SIZE_MAX if there are too many. */
static size_t size_of_pair(const crd_dependence *dependence, const column_pair *pair) {
    size_t values = dependence_values(pair->first), others = dependence_values(pair->second);
    size_t each = pair->second->type == CRD_TYPE_CATEGORICAL  ? 1
                  : pair->first->type == CRD_TYPE_CATEGORICAL ? SUMS_OF_ONE
                                                              : SUMS_OF_TWO;
    double size = (double)dependence->class_count * (double)values * (double)others * (double)each;
    return size > MOST_SUMS_OF_PAIR ? SIZE_MAX : (size_t)size;
}

/* Allocates the pairs. The columns are sorted by relevance, so pairs that are skipped for lack of memory involve the
 * least relevant columns. */
static crd_status make_pairs(crd_dependence *dependence, crd_error *error) {
    size_t count = dependence->column_count, left = MOST_SUMS;
    dependence->pairs = crd_i_arena_alloc_zeroed(dependence->arena, count * count / 2, sizeof *dependence->pairs);
    if (dependence->pairs == NULL) return crd_i_fail_memory(error);
    for (size_t last = 1; last < count; last++)
        for (size_t i = 0; i < last; i++) {
            const paired_column *one = &dependence->columns[i], *other = &dependence->columns[last];
            bool swaps = one->type == CRD_TYPE_NUMERIC && other->type == CRD_TYPE_CATEGORICAL;
            column_pair pair = {swaps ? other : one, swaps ? one : other, NULL, 0};
            pair.size = size_of_pair(dependence, &pair);
            if (pair.size > left) {
                dependence->left_out++;
                continue;
            }
            left -= pair.size;
            pair.sums = crd_i_arena_alloc_zeroed(dependence->arena, pair.size, sizeof *pair.sums);
            dependence->pairs[dependence->pair_count++] = pair;
        }
    return crd_i_arena_check(dependence->arena, error);
}

static crd_status make_classes(crd_dependence *dependence, crd_error *error) {
    dependence->class_count = dependence->summary->class_count;
    dependence->classes = crd_i_dictionary_create(dependence->context);
    if (dependence->classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < dependence->class_count; k++)
        if (crd_i_dictionary_add(dependence->classes, dependence->summary->classes[k].name) < 0)
            return crd_i_fail_memory(error);
    return CRD_OK;
}

crd_status crd_dependence_create(const crd_model *model, crd_dependence **out, crd_error *error) {
    crd_context *context = model->context;
    *out = NULL;
    crd_status status = crd_i_model_check_of_rows(model, "measure dependence", error);
    if (status == CRD_OK) status = crd_i_model_check_target(model, error);
    if (status != CRD_OK) return status;
    crd_dependence *dependence = crd_i_arena_object(context, sizeof *dependence);
    if (dependence == NULL) return crd_i_fail_memory(error);
    dependence->context = dependence->binding.context = context;
    status = crd_summary_create(model, &dependence->summary, error);
    if (status == CRD_OK) status = make_classes(dependence, error);
    if (status == CRD_OK) status = dependence_make_columns(dependence, error);
    if (status == CRD_OK) status = make_pairs(dependence, error);
    if (status == CRD_OK) *out = dependence;
    else crd_dependence_destroy(dependence);
    return status;
}

void crd_dependence_destroy(crd_dependence *dependence) {
    if (dependence == NULL) return;
    crd_context *context = dependence->context;
    for (size_t i = 0; i < dependence->column_count; i++) {
        paired_column *column = &dependence->columns[i];
        crd_i_dictionary_destroy(column->values);
        crd_free(context, column->numbers);
        crd_free(context, column->codes);
    }
    crd_i_binding_clear(&dependence->binding);
    crd_free(context, dependence->conditions);
    crd_free(context, dependence->weights);
    crd_i_dictionary_destroy(dependence->classes);
    crd_summary_destroy(dependence->summary);
    crd_i_arena_destroy(dependence->arena);
}

/* ---- Cells of a frame ---- */

static crd_text bound_name(const void *names, size_t i) {
    const crd_dependence *dependence = names;
    return i == 0 ? dependence->summary->target : dependence->columns[i - 1].name;
}

/* Reports a fault of a column and returns `status`. */
static crd_status dependence_fail_column(crd_error *error, crd_status status, crd_text name, const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, status, "column '%s' %s", crd_i_quote(name, quoted), description);
    crd_i_error_subject(error, name);
    return status;
}

/* Reads the row weights of a frame. Without a weight column, each row has weight 1. */
static crd_status dependence_take_weights(crd_dependence *dependence, const crd_frame *frame, crd_error *error) {
    crd_text name = dependence->summary->weight;
    if (!crd_i_reserve(dependence->context, &dependence->weights, &dependence->weights_capacity, frame->rows,
                       sizeof *dependence->weights))
        return crd_i_fail_memory(error);
    if (name.bytes == NULL) {
        for (size_t row = 0; row < frame->rows; row++) dependence->weights[row] = 1;
        return CRD_OK;
    }
    int32_t found = crd_i_dictionary_find(frame->names, name);
    const crd_i_column *column = found < 0 ? NULL : &frame->columns[found];
    if (column == NULL) return dependence_fail_column(error, CRD_ERROR_COLUMN, name, "is the weight, but is missing");
    for (size_t row = 0; row < frame->rows; row++) {
        bool is_weight =
            column->type == CRD_TYPE_NUMERIC && crd_i_column_present(column, row) && column->numbers[row] >= 0;
        if (!is_weight)
            return dependence_fail_column(error, CRD_ERROR_WEIGHT, name, "has a weight that is missing or below zero");
        dependence->weights[row] = column->numbers[row];
    }
    return CRD_OK;
}

/* Reads the class of each row; negative if the row has no class, or one that the model has never seen. */
static crd_status take_conditions(crd_dependence *dependence, const crd_frame *frame, crd_error *error) {
    const crd_i_column *column = crd_i_binding_column(&dependence->binding, frame, 0);
    crd_text name = dependence->summary->target;
    if (column == NULL) return dependence_fail_column(error, CRD_ERROR_COLUMN, name, "is the target, but is missing");
    if (column->type == CRD_TYPE_NUMERIC)
        return dependence_fail_column(error, CRD_ERROR_SCHEMA_DIFFERS, name, "is the target, but has numbers");
    if (!crd_i_reserve(dependence->context, &dependence->conditions, &dependence->conditions_capacity, frame->rows,
                       sizeof *dependence->conditions))
        return crd_i_fail_memory(error);
    for (size_t row = 0; row < frame->rows; row++) dependence->conditions[row] = CRD_I_CODE_MISSING;
    if (column->type == CRD_TYPE_NONE || frame->rows == 0) return CRD_OK;
    const int32_t *codes = crd_i_binding_translate(&dependence->binding, frame, 0, NULL, dependence->classes, NULL);
    if (codes == NULL) return crd_i_fail_memory(error);
    memcpy(dependence->conditions, codes, frame->rows * sizeof *codes);
    return CRD_OK;
}

/* Returns x standardized, clamped and rounded to the steps. */
static double in_steps(double x, double center, double scale) {
    double z = (x - center) / scale;
    z = fmax(-MOST_DEVIATIONS, fmin(MOST_DEVIATIONS, z));
    return floor(z * STEPS_OF_DEVIATION + .5) / STEPS_OF_DEVIATION;
}

/* Reads a numeric column of a frame. Rows of unknown class, and all rows if `column` is NULL, are missing. */
static void dependence_take_numbers(const crd_dependence *dependence, const crd_i_column *column, size_t rows,
                                    paired_column *paired) {
    for (size_t row = 0; row < rows; row++) {
        int32_t k = dependence->conditions[row];
        bool counts = column != NULL && k >= 0 && crd_i_column_present(column, row);
        paired->numbers[row] = counts ? in_steps(column->numbers[row], paired->centers[k], paired->scales[k]) : NAN;
    }
}

/* Reads a categorical column of a frame. Values that the model has never seen are missing. */
static crd_status dependence_take_codes(crd_dependence *dependence, const crd_frame *frame, size_t i,
                                        crd_error *error) {
    paired_column *column = &dependence->columns[i];
    const crd_i_column *source_column = crd_i_binding_column(&dependence->binding, frame, i + 1);
    if (source_column == NULL || source_column->type == CRD_TYPE_NONE) {
        for (size_t row = 0; row < frame->rows; row++) column->codes[row] = CRD_I_CODE_MISSING;
        return CRD_OK;
    }
    const int32_t *codes = crd_i_binding_translate(&dependence->binding, frame, i + 1, NULL, column->values, NULL);
    if (codes == NULL) return crd_i_fail_memory(error);
    if (frame->rows > 0) memcpy(column->codes, codes, frame->rows * sizeof *codes);
    return CRD_OK;
}

/* Reads column i of a frame. Fails if its type differs from the model's; an absent column is all missing. */
static crd_status dependence_take_column(crd_dependence *dependence, const crd_frame *frame, size_t i,
                                         crd_error *error) {
    paired_column *column = &dependence->columns[i];
    const crd_i_column *source_column = crd_i_binding_column(&dependence->binding, frame, i + 1);
    bool is_category = column->type == CRD_TYPE_CATEGORICAL;
    if (source_column != NULL && source_column->type != column->type && source_column->type != CRD_TYPE_NONE)
        return dependence_fail_column(error, CRD_ERROR_SCHEMA_DIFFERS, column->name,
                                      is_category ? "has numbers where the model has categories"
                                                  : "has categories where the model has numbers");
    bool has_room = is_category ? crd_i_reserve(dependence->context, &column->codes, &column->codes_capacity,
                                                frame->rows, sizeof *column->codes)
                                : crd_i_reserve(dependence->context, &column->numbers, &column->numbers_capacity,
                                                frame->rows, sizeof *column->numbers);
    if (!has_room) return crd_i_fail_memory(error);
    if (is_category) return dependence_take_codes(dependence, frame, i, error);
    dependence_take_numbers(dependence,
                            source_column != NULL && source_column->type == CRD_TYPE_NUMERIC ? source_column : NULL,
                            frame->rows, column);
    return CRD_OK;
}

/* ---- Accumulation ---- */

static void dependence_add_number(double *sums, double x, double weight) {
    sums[SUM_ROWS] += weight;
    sums[SUM_X] += weight * x;
    sums[SUM_XX] += weight * (x * x);
}

/* Adds one row to the sums of a pair. A row with a missing cell in either column adds nothing. */
static void dependence_add_row(const column_pair *pair, size_t class, double weight, size_t row) {
    const paired_column *first = pair->first, *second = pair->second;
    size_t values = dependence_values(first), index = class;
    if (first->type == CRD_TYPE_CATEGORICAL) {
        if (first->codes[row] < 0) return;
        index = class * values + (size_t)first->codes[row];
    }
    if (second->type == CRD_TYPE_CATEGORICAL) {
        if (second->codes[row] >= 0)
            pair->sums[index * dependence_values(second) + (size_t)second->codes[row]] += weight;
        return;
    }
    double y = second->numbers[row];
    if (isnan(y)) return;
    if (first->type == CRD_TYPE_CATEGORICAL) {
        dependence_add_number(pair->sums + index * SUMS_OF_ONE, y, weight);
        return;
    }
    double x = first->numbers[row], *sums = pair->sums + index * SUMS_OF_TWO;
    if (isnan(x)) return;
    dependence_add_number(sums, x, weight);
    sums[SUM_Y] += weight * y;
    sums[SUM_YY] += weight * (y * y);
    sums[SUM_XY] += weight * (x * y);
}

crd_status crd_dependence_add(crd_dependence *dependence, const crd_frame *frame, crd_error *error) {
    if (!crd_i_binding_bind(&dependence->binding, 0, frame, dependence->column_count + 1, bound_name, dependence))
        return crd_i_fail_memory(error);
    crd_status status = take_conditions(dependence, frame, error);
    if (status == CRD_OK) status = dependence_take_weights(dependence, frame, error);
    for (size_t i = 0; status == CRD_OK && i < dependence->column_count; i++)
        status = dependence_take_column(dependence, frame, i, error);
    if (status != CRD_OK) return status;
    for (size_t row = 0; row < frame->rows; row++)
        if (dependence->conditions[row] >= 0) dependence->rows += dependence->weights[row];
    for (size_t i = 0; i < dependence->pair_count; i++)
        for (size_t row = 0; row < frame->rows; row++) {
            int32_t class = dependence->conditions[row];
            if (class >= 0) dependence_add_row(&dependence->pairs[i], (size_t) class, dependence->weights[row], row);
        }
    return CRD_OK;
}

crd_status crd_dependence_read(crd_dependence *dependence, crd_reader *reader, crd_error *error) {
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, error);
        if (status == CRD_OK && frame == NULL) return CRD_OK;
        if (status == CRD_OK) status = crd_dependence_add(dependence, frame, error);
        if (status != CRD_OK) return status;
    }
}

/* ======== 2. Mutual information ========
 *
 * Each type of pair has a likelihood-ratio statistic G: twice the gain in log likelihood of a joint density over the
 * product of the two marginal densities. Under independence, G is approximately chi-squared with d degrees of freedom,
 * where d is the number of additional parameters of the joint density. G and d add up over the classes. With n rows in
 * a class:
 *
 *   two categorical   G-squared of the contingency table       d = (values - 1)(values - 1)
 *   two numeric       G = -(n - 5/2) log(1 - r^2)              d = 1
 *   one of each       G = -(n - (k + 3)/2) log(1 - e^2)        d = k - 1, for k categories
 *
 * r is the correlation, and e^2 is the share of the variance between categories. The factors that replace n are
 * Bartlett's corrections (1950 for two numeric attributes, 1947 for the mixed pair), which make the mean of G right for
 * few rows. The mutual information is G / (2 n); subtracting its mean under independence gives (G - d) / (2 n). */

/* Smallest unexplained share of a variance: rounding to steps can leave this much where nothing is unexplained. */
static const double NOTHING_LEFT = 1e-7;
static const double NATS_OF_BIT = 0.69314718055994530942;
/* Significance level: the probability that a table without any dependence is reported to have some. */
static const double LEVEL = .01;

/* G, its degrees of freedom and the rows, added up over the classes. */
typedef struct pairs_evidence {
    double rows, statistic, degrees;
} pairs_evidence;

/* Returns the sum of squared deviations from the mean. */
static double dependence_pairs_spread(double rows, double sum, double squares) {
    return fmax(0, squares - sum * sum / rows);
}

/* Adds a statistic -factor * log(unexplained). Too few rows make the factor negative and add nothing. */
static void dependence_pairs_add_gain(pairs_evidence *evidence, double factor, double unexplained, double degrees) {
    if (!(factor > 0)) return;
    evidence->statistic -= factor * crd_log(fmax(NOTHING_LEFT, fmin(1, unexplained)));
    evidence->degrees += degrees;
}

/* Adds the evidence of one class for two numeric columns. */
static void dependence_pairs_judge_numbers(const double *sums, pairs_evidence *evidence) {
    double rows = sums[SUM_ROWS];
    if (!(rows > 0)) return;
    evidence->rows += rows;
    double xx = dependence_pairs_spread(rows, sums[SUM_X], sums[SUM_XX]);
    double yy = dependence_pairs_spread(rows, sums[SUM_Y], sums[SUM_YY]);
    double xy = sums[SUM_XY] - sums[SUM_X] * (sums[SUM_Y] / rows);
    if (xx > 0 && yy > 0) dependence_pairs_add_gain(evidence, rows - 2.5, 1 - xy / xx * (xy / yy), 1);
}

/* Adds the evidence of one class for a categorical and a numeric column. Categories with at most one row are excluded
 * from the statistic. */
static void judge_number_by_category(const double *sums, size_t values, pairs_evidence *evidence) {
    double rows = 0, sum = 0, squares = 0, within = 0, groups = 0;
    for (size_t v = 0; v < values; v++) {
        const double *input = sums + v * SUMS_OF_ONE;
        evidence->rows += input[SUM_ROWS];
        if (!(input[SUM_ROWS] > 1)) continue;
        rows += input[SUM_ROWS];
        sum += input[SUM_X];
        squares += input[SUM_XX];
        within += dependence_pairs_spread(input[SUM_ROWS], input[SUM_X], input[SUM_XX]);
        groups++;
    }
    if (groups < 2) return;
    double all = dependence_pairs_spread(rows, sum, squares);
    if (all > 0) dependence_pairs_add_gain(evidence, rows - (groups + 3) / 2, within / all, groups - 1);
}

/* Computes the evidence of two categorical columns from their contingency tables, one per class. */
static crd_status judge_categories(const crd_dependence *dependence, const column_pair *pair, pairs_evidence *evidence,
                                   crd_error *error) {
    size_t values = crd_i_dictionary_size(pair->first->values), others = crd_i_dictionary_size(pair->second->values);
    double *workspace = crd_i_alloc(dependence->context, values + others, sizeof *workspace);
    crd_i_contingency tables = {.rows = 0};
    if (workspace == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < dependence->class_count; k++)
        crd_i_contingency_add(&tables, pair->sums + k * values * others, values, others, workspace, workspace + values);
    crd_free(dependence->context, workspace);
    evidence->rows = tables.rows;
    evidence->statistic = tables.g_squared;
    evidence->degrees = tables.degrees;
    return CRD_OK;
}

/* Returns whether the pair is significant at LEVEL / number of pairs (Bonferroni), so the probability of any false
 * report among all pairs is below LEVEL. */
static bool is_no_chance(const crd_dependence *dependence, const crd_dependent_pair *pair) {
    return pair->degrees > 0 &&
           crd_i_contingency_p(pair->statistic, pair->degrees) <= LEVEL / (double)dependence->pair_count;
}

/* Returns the expected gain in log likelihood of a joint density on new rows, in bits per row (Akaike 1974). Each
 * additional parameter gains half a nat by chance on the training rows, and loses as much on new rows. */
static double expected_gain(const crd_dependent_pair *pair) {
    return pair->rows > 0 ? (pair->statistic - 2 * pair->degrees) / (2 * pair->rows) / NATS_OF_BIT : 0;
}

/* Computes the mutual information of a pair and whether the pair matters: see crd_dependence_pairs. */
static crd_status dependence_pairs_judge(const crd_dependence *dependence, const column_pair *pair,
                                         crd_dependent_pair *out, crd_error *error) {
    pairs_evidence evidence = {0, 0, 0};
    crd_status status = CRD_OK;
    if (pair->second->type == CRD_TYPE_CATEGORICAL) {
        status = judge_categories(dependence, pair, &evidence, error);
    } else if (pair->first->type == CRD_TYPE_CATEGORICAL) {
        size_t values = crd_i_dictionary_size(pair->first->values);
        for (size_t k = 0; k < dependence->class_count; k++)
            judge_number_by_category(pair->sums + k * values * SUMS_OF_ONE, values, &evidence);
    } else {
        for (size_t k = 0; k < dependence->class_count; k++)
            dependence_pairs_judge_numbers(pair->sums + k * SUMS_OF_TWO, &evidence);
    }
    if (status != CRD_OK) return status;
    size_t a = pair->first->attribute, b = pair->second->attribute;
    out->attributes[0] = a < b ? a : b;
    out->attributes[1] = a < b ? b : a;
    out->rows = evidence.rows;
    out->statistic = evidence.statistic;
    out->degrees = evidence.degrees;
    out->bits =
        evidence.rows > 0 ? fmax(0, (evidence.statistic - evidence.degrees) / (2 * evidence.rows) / NATS_OF_BIT) : 0;
    out->matters = is_no_chance(dependence, out) && expected_gain(out) >= CRD_DEPENDENCE_LEAST;
    return CRD_OK;
}

/* Orders pairs that matter first, then by mutual information (largest first), then by attribute. */
static int dependence_pairs_compare(const void *a, const void *b) {
    const crd_dependent_pair *x = a, *y = b;
    if (x->matters != y->matters) return y->matters - x->matters;
    if (x->bits != y->bits) return x->bits < y->bits ? 1 : -1;
    for (size_t i = 0; i < 2; i++)
        if (x->attributes[i] != y->attributes[i]) return x->attributes[i] < y->attributes[i] ? -1 : 1;
    return 0;
}

crd_status crd_dependence_pairs(const crd_dependence *dependence, crd_dependent_pair *out, size_t capacity,
                                size_t *count, crd_error *error) {
    *count = 0;
    if (capacity > 0 && !crd_i_has_size(out))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the size member of the pairs is not set");
    crd_dependent_pair *pairs = crd_i_alloc(dependence->context, dependence->pair_count, sizeof *pairs);
    if (pairs == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < dependence->pair_count; i++)
        status = crd_i_context_cancelled(dependence->context)
                     ? crd_i_fail_cancelled(error)
                     : dependence_pairs_judge(dependence, &dependence->pairs[i], &pairs[i], error);
    if (status == CRD_OK) {
        if (dependence->pair_count > 0) qsort(pairs, dependence->pair_count, sizeof *pairs, dependence_pairs_compare);
        for (size_t i = 0; i < capacity && i < dependence->pair_count; i++)
            crd_i_copy_out_item(&pairs[i], sizeof *pairs, out, i);
        *count = dependence->pair_count;
    }
    crd_free(dependence->context, pairs);
    return status;
}

void crd_dependence_facts_of(const crd_dependence *dependence, crd_dependence_facts *out) {
    crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
    facts.rows = dependence->rows;
    facts.attributes = dependence->attribute_count;
    facts.columns = dependence->column_count;
    facts.pairs = dependence->pair_count;
    facts.left_out = dependence->left_out;
    crd_i_copy_out(&facts, sizeof facts, out);
}
