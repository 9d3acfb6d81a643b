/* SPDX-License-Identifier: MIT */
/* dependence.c - accumulates joint sums of pairs of attributes within each class. dependence_pairs.c computes the
 * mutual information from them. */
#include "explain/dependence.h"

#include "base/error.h"
#include "base/memory.h"
#include "explain/relevance.h"
#include "model/model_internal.h"
#include "table/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of sums of one pair, and of all pairs together (64 MiB). */
enum { MOST_SUMS_OF_PAIR = 1 << 20, MOST_SUMS = 1 << 23 };

/* ---- Which columns, which pairs ---- */

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
static crd_status make_values(crd_dependence *dependence, crd_i_paired_column *column, crd_error *error) {
    column->values = crd_i_dictionary_create(dependence->context);
    if (column->values == NULL) return crd_i_fail_memory(error);
    for (size_t v = 0; v < crd_summary_value_count(dependence->summary, column->attribute); v++) {
        crd_text text = crd_summary_value(dependence->summary, column->attribute, v);
        if (crd_i_dictionary_add(column->values, text) < 0) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* Sets the mean and standard deviation of a numeric column in each class. Without spread, the scale is 1. */
static crd_status make_scales(crd_dependence *dependence, crd_i_paired_column *column, crd_error *error) {
    column->centres = crd_i_alloc(dependence->context, dependence->class_count, sizeof *column->centres);
    column->scales = crd_i_alloc(dependence->context, dependence->class_count, sizeof *column->scales);
    if (column->centres == NULL || column->scales == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < dependence->class_count; k++) {
        crd_moments of = crd_summary_moments(dependence->summary, column->attribute, k);
        bool has_spread = of.rows > 0 && of.variance > 0 && isfinite(of.variance);
        column->centres[k] = of.rows > 0 ? of.mean : 0;
        column->scales[k] = has_spread ? sqrt(of.variance) : 1;
    }
    return CRD_OK;
}

/* Chooses the columns to pair. If there are more than CRD_DEPENDENCE_COLUMNS, it chooses those with the largest mutual
 * information with the class (crd_i_relevance). */
static crd_status dependence_make_columns(crd_dependence *dependence, crd_error *error) {
    size_t attributes = crd_summary_attribute_count(dependence->summary), count = 0;
    dependence_candidate *candidates = crd_i_alloc(dependence->context, attributes, sizeof *candidates);
    if (candidates == NULL) return crd_i_fail_memory(error);
    for (size_t a = 0; a < attributes; a++) {
        if (crd_summary_kind(dependence->summary, a) == CRD_KIND_NONE) continue;
        candidates[count].attribute = a;
        candidates[count++].relevance = crd_i_relevance(dependence->summary, a);
    }
    qsort(candidates, count, sizeof *candidates, dependence_compare_candidates);
    dependence->attribute_count = count;
    if (count > CRD_DEPENDENCE_COLUMNS) count = CRD_DEPENDENCE_COLUMNS;
    dependence->columns = crd_i_alloc_zeroed(dependence->context, count, sizeof *dependence->columns);
    crd_status status = dependence->columns == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        crd_i_paired_column *column = &dependence->columns[dependence->column_count++];
        column->attribute = candidates[i].attribute;
        column->name = crd_summary_attribute(dependence->summary, column->attribute);
        column->kind = crd_summary_kind(dependence->summary, column->attribute);
        status = column->kind == CRD_KIND_CATEGORY ? make_values(dependence, column, error)
                                                   : make_scales(dependence, column, error);
    }
    crd_free(dependence->context, candidates);
    return status;
}

static size_t dependence_values(const crd_i_paired_column *column) {
    return column->kind == CRD_KIND_CATEGORY ? crd_i_dictionary_size(column->values) : 1;
}

/* Returns the number of sums of a pair, or SIZE_MAX if there are too many. */
static size_t size_of_pair(const crd_dependence *dependence, const crd_i_column_pair *pair) {
    size_t values = dependence_values(pair->first), others = dependence_values(pair->second);
    size_t each = pair->second->kind == CRD_KIND_CATEGORY  ? 1
                  : pair->first->kind == CRD_KIND_CATEGORY ? CRD_I_SUMS_OF_ONE
                                                           : CRD_I_SUMS_OF_TWO;
    double size = (double)dependence->class_count * (double)values * (double)others * (double)each;
    return size > MOST_SUMS_OF_PAIR ? SIZE_MAX : (size_t)size;
}

/* Allocates the pairs. The columns are sorted by relevance, so pairs that are skipped for lack of memory involve the
 * least relevant columns. */
static crd_status make_pairs(crd_dependence *dependence, crd_error *error) {
    size_t count = dependence->column_count, left = MOST_SUMS;
    dependence->pairs = crd_i_alloc_zeroed(dependence->context, count * count / 2, sizeof *dependence->pairs);
    if (dependence->pairs == NULL) return crd_i_fail_memory(error);
    for (size_t last = 1; last < count; last++)
        for (size_t i = 0; i < last; i++) {
            const crd_i_paired_column *one = &dependence->columns[i], *other = &dependence->columns[last];
            bool swaps = one->kind == CRD_KIND_NUMBER && other->kind == CRD_KIND_CATEGORY;
            crd_i_column_pair pair = {swaps ? other : one, swaps ? one : other, NULL, 0};
            pair.size = size_of_pair(dependence, &pair);
            if (pair.size > left) {
                dependence->left_out++;
                continue;
            }
            left -= pair.size;
            pair.sums = crd_i_alloc_zeroed(dependence->context, pair.size, sizeof *pair.sums);
            if (pair.sums == NULL) return crd_i_fail_memory(error);
            dependence->pairs[dependence->pair_count++] = pair;
        }
    return CRD_OK;
}

static crd_status make_classes(crd_dependence *dependence, crd_error *error) {
    dependence->class_count = crd_summary_class_count(dependence->summary);
    dependence->classes = crd_i_dictionary_create(dependence->context);
    if (dependence->classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < dependence->class_count; k++)
        if (crd_i_dictionary_add(dependence->classes, crd_summary_class(dependence->summary, k)) < 0)
            return crd_i_fail_memory(error);
    return CRD_OK;
}

crd_status crd_dependence_create(const crd_model *model, crd_dependence **out, crd_error *error) {
    crd_context *context = model->context;
    *out = NULL;
    crd_status status = crd_i_model_check_of_rows(model, "measure dependence", error);
    if (status == CRD_OK) status = crd_i_model_check_target(model, error);
    if (status != CRD_OK) return status;
    crd_dependence *dependence = crd_i_alloc_zeroed(context, 1, sizeof *dependence);
    if (dependence == NULL) return crd_i_fail_memory(error);
    dependence->context = dependence->binding.context = context;
    status = crd_summary_create(model, &dependence->summary, error);
    if (status == CRD_OK) status = make_classes(dependence, error);
    if (status == CRD_OK) status = dependence_make_columns(dependence, error);
    if (status == CRD_OK) status = make_pairs(dependence, error);
    if (status != CRD_OK) {
        crd_dependence_destroy(dependence);
        return status;
    }
    *out = dependence;
    return CRD_OK;
}

void crd_dependence_destroy(crd_dependence *dependence) {
    if (dependence == NULL) return;
    crd_context *context = dependence->context;
    for (size_t i = 0; i < dependence->pair_count; i++) crd_free(context, dependence->pairs[i].sums);
    for (size_t i = 0; i < dependence->column_count; i++) {
        crd_i_paired_column *column = &dependence->columns[i];
        crd_i_dictionary_destroy(column->values);
        crd_free(context, column->centres);
        crd_free(context, column->scales);
        crd_free(context, column->numbers);
        crd_free(context, column->codes);
    }
    crd_free(context, dependence->pairs);
    crd_free(context, dependence->columns);
    crd_i_binding_clear(&dependence->binding);
    crd_free(context, dependence->conditions);
    crd_free(context, dependence->weights);
    crd_i_dictionary_destroy(dependence->classes);
    crd_summary_destroy(dependence->summary);
    crd_free(context, dependence);
}

/* ---- Cells of a frame ---- */

static crd_text bound_name(const void *names, size_t i) {
    const crd_dependence *dependence = names;
    return i == 0 ? crd_summary_target(dependence->summary) : dependence->columns[i - 1].name;
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
    crd_text name = crd_summary_weight(dependence->summary);
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
            column->kind == CRD_KIND_NUMBER && crd_i_column_present(column, row) && column->numbers[row] >= 0;
        if (!is_weight)
            return dependence_fail_column(error, CRD_ERROR_WEIGHT, name, "has a weight that is missing or below zero");
        dependence->weights[row] = column->numbers[row];
    }
    return CRD_OK;
}

/* Reads the class of each row; negative if the row has no class, or one that the model has never seen. */
static crd_status take_conditions(crd_dependence *dependence, const crd_frame *frame, crd_error *error) {
    const crd_i_column *column = crd_i_binding_column(&dependence->binding, frame, 0);
    crd_text name = crd_summary_target(dependence->summary);
    if (column == NULL) return dependence_fail_column(error, CRD_ERROR_COLUMN, name, "is the target, but is missing");
    if (column->kind == CRD_KIND_NUMBER)
        return dependence_fail_column(error, CRD_ERROR_SCHEMA_DIFFERS, name, "is the target, but has numbers");
    if (!crd_i_reserve(dependence->context, &dependence->conditions, &dependence->conditions_capacity, frame->rows,
                       sizeof *dependence->conditions))
        return crd_i_fail_memory(error);
    for (size_t row = 0; row < frame->rows; row++) dependence->conditions[row] = CRD_I_CODE_MISSING;
    if (column->kind == CRD_KIND_NONE || frame->rows == 0) return CRD_OK;
    const int32_t *codes = crd_i_binding_translate(&dependence->binding, frame, 0, NULL, dependence->classes, NULL);
    if (codes == NULL) return crd_i_fail_memory(error);
    memcpy(dependence->conditions, codes, frame->rows * sizeof *codes);
    return CRD_OK;
}

/* Returns x standardized, clamped and rounded to the steps of dependence.h. */
static double in_steps(double x, double centre, double scale) {
    double z = (x - centre) / scale;
    z = fmax(-CRD_I_MOST_DEVIATIONS, fmin(CRD_I_MOST_DEVIATIONS, z));
    return floor(z * CRD_I_STEPS_OF_DEVIATION + .5) / CRD_I_STEPS_OF_DEVIATION;
}

/* Reads a numeric column of a frame. Rows of unknown class, and all rows if `column` is NULL, are missing. */
static void dependence_take_numbers(const crd_dependence *dependence, const crd_i_column *column, size_t rows,
                                    crd_i_paired_column *paired) {
    for (size_t row = 0; row < rows; row++) {
        int32_t k = dependence->conditions[row];
        bool counts = column != NULL && k >= 0 && crd_i_column_present(column, row);
        paired->numbers[row] = counts ? in_steps(column->numbers[row], paired->centres[k], paired->scales[k]) : NAN;
    }
}

/* Reads a categorical column of a frame. Values that the model has never seen are missing. */
static crd_status dependence_take_codes(crd_dependence *dependence, const crd_frame *frame, size_t i,
                                        crd_error *error) {
    crd_i_paired_column *column = &dependence->columns[i];
    const crd_i_column *source_column = crd_i_binding_column(&dependence->binding, frame, i + 1);
    if (source_column == NULL || source_column->kind == CRD_KIND_NONE) {
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
    crd_i_paired_column *column = &dependence->columns[i];
    const crd_i_column *source_column = crd_i_binding_column(&dependence->binding, frame, i + 1);
    bool is_category = column->kind == CRD_KIND_CATEGORY;
    if (source_column != NULL && source_column->kind != column->kind && source_column->kind != CRD_KIND_NONE)
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
                            source_column != NULL && source_column->kind == CRD_KIND_NUMBER ? source_column : NULL,
                            frame->rows, column);
    return CRD_OK;
}

/* ---- Adding up ---- */

static void dependence_add_number(double *sums, double x, double weight) {
    sums[CRD_I_SUM_ROWS] += weight;
    sums[CRD_I_SUM_X] += weight * x;
    sums[CRD_I_SUM_XX] += weight * (x * x);
}

/* Adds one row to the sums of a pair. A row with a missing cell in either column adds nothing. */
static void dependence_add_row(const crd_i_column_pair *pair, size_t class, double weight, size_t row) {
    const crd_i_paired_column *first = pair->first, *second = pair->second;
    size_t values = dependence_values(first), index = class;
    if (first->kind == CRD_KIND_CATEGORY) {
        if (first->codes[row] < 0) return;
        index = class * values + (size_t)first->codes[row];
    }
    if (second->kind == CRD_KIND_CATEGORY) {
        if (second->codes[row] >= 0)
            pair->sums[index * dependence_values(second) + (size_t)second->codes[row]] += weight;
        return;
    }
    double y = second->numbers[row];
    if (isnan(y)) return;
    if (first->kind == CRD_KIND_CATEGORY) {
        dependence_add_number(pair->sums + index * CRD_I_SUMS_OF_ONE, y, weight);
        return;
    }
    double x = first->numbers[row], *sums = pair->sums + index * CRD_I_SUMS_OF_TWO;
    if (isnan(x)) return;
    dependence_add_number(sums, x, weight);
    sums[CRD_I_SUM_Y] += weight * y;
    sums[CRD_I_SUM_YY] += weight * (y * y);
    sums[CRD_I_SUM_XY] += weight * (x * y);
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

/* Discards all rows, because the reader restarts. */
static void dependence_begin_again(crd_dependence *dependence) {
    dependence->rows = 0;
    for (size_t i = 0; i < dependence->pair_count; i++)
        memset(dependence->pairs[i].sums, 0, dependence->pairs[i].size * sizeof *dependence->pairs[i].sums);
}

crd_status crd_dependence_read(crd_dependence *dependence, crd_reader *reader, crd_error *error) {
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, error);
        if (status == CRD_RESTART) {
            dependence_begin_again(dependence);
            continue;
        }
        if (status == CRD_OK && frame == NULL) return CRD_OK;
        if (status == CRD_OK) status = crd_dependence_add(dependence, frame, error);
        if (status != CRD_OK) return status;
    }
}
