/* SPDX-License-Identifier: MIT */
/* posteriors.c - classifies a whole frame in blocks of rows, and stores the results. */
#include "classify/posteriors.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/row_block.h"

#include <math.h>
#include <string.h>

crd_status crd_posteriors_create(crd_context *context, crd_posteriors **out, crd_error *error) {
    *out = crd_i_alloc_zeroed(context, 1, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    (*out)->context = context;
    (*out)->binding.context = context;
    return CRD_OK;
}

void crd_posteriors_destroy(crd_posteriors *posteriors) {
    if (posteriors == NULL) return;
    crd_i_binding_clear(&posteriors->binding);
    crd_free(posteriors->context, posteriors->logs);
    crd_free(posteriors->context, posteriors->probabilities);
    crd_free(posteriors->context, posteriors->found_logs);
    crd_free(posteriors->context, posteriors->result);
    crd_free(posteriors->context, posteriors->memory);
    crd_free(posteriors->context, posteriors->answers);
    crd_free(posteriors->context, posteriors);
}

size_t crd_posteriors_frame_rows(size_t classes) {
    enum { MOST_ANSWERS = 1 << 19 }; /* 16 bytes each in memory, and more when written as text */
    return classes >= MOST_ANSWERS ? 1 : MOST_ANSWERS / (classes + (classes == 0));
}

size_t crd_posteriors_rows(const crd_posteriors *posteriors) {
    return posteriors->rows;
}

const double *crd_posteriors_log(const crd_posteriors *posteriors, size_t row) {
    return posteriors->logs + row * posteriors->classes;
}

const double *crd_posteriors_probabilities(const crd_posteriors *posteriors, size_t row) {
    return posteriors->probabilities + row * posteriors->classes;
}

const double *crd_posteriors_uncalibrated_log(const crd_posteriors *posteriors, size_t row) {
    return posteriors->is_calibrated ? posteriors->found_logs + row * posteriors->classes : NULL;
}

const double *crd_posteriors_uncalibrated(const crd_posteriors *posteriors, size_t row) {
    return posteriors->is_calibrated ? posteriors->result + row * posteriors->classes : NULL;
}

const crd_answer *crd_posteriors_answer(const crd_posteriors *posteriors, size_t row) {
    return &posteriors->answers[row];
}

static crd_text attribute_name(const void *names, size_t i) {
    return ((const crd_classifier *)names)->attributes[i].name;
}

static bool posteriors_any_present(const crd_i_column *column, size_t rows) {
    for (size_t row = 0; row < rows; row++)
        if (crd_i_column_present(column, row)) return true;
    return false;
}

crd_status crd_i_attribute_check_kind(const crd_i_attribute *attribute, const crd_i_column *column, size_t rows,
                                      crd_error *error) {
    if (column->kind == attribute->kind || !posteriors_any_present(column, rows)) return CRD_OK;
    char name[CRD_I_QUOTED_ROOM];
    static const char *const kinds[] = {[CRD_KIND_NONE] = "no values",
                                        [CRD_KIND_NUMBER] = "numbers",
                                        [CRD_KIND_CATEGORY] = "categories",
                                        [CRD_KIND_TEXT] = "texts"};
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' contains %s, but the model expects %s",
               crd_i_quote(attribute->name, name), kinds[column->kind], kinds[attribute->kind]);
    crd_i_error_subject(error, attribute->name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

bool crd_i_posteriors_open(crd_posteriors *posteriors, size_t rows, size_t classes) {
    posteriors->rows = 0;
    posteriors->classes = classes;
    posteriors->is_calibrated = false;
    return rows <= SIZE_MAX / classes &&
           crd_i_reserve(posteriors->context, &posteriors->logs, &posteriors->logs_capacity, rows * classes,
                         sizeof *posteriors->logs) &&
           crd_i_reserve(posteriors->context, &posteriors->probabilities, &posteriors->probabilities_capacity,
                         rows * classes, sizeof *posteriors->probabilities) &&
           crd_i_reserve(posteriors->context, &posteriors->answers, &posteriors->answers_capacity, rows,
                         sizeof *posteriors->answers);
}

bool crd_i_posteriors_open_found(crd_posteriors *posteriors, size_t rows) {
    size_t count = rows * posteriors->classes;
    posteriors->is_calibrated =
        crd_i_reserve(posteriors->context, &posteriors->found_logs, &posteriors->found_logs_capacity, count,
                      sizeof *posteriors->found_logs) &&
        crd_i_reserve(posteriors->context, &posteriors->result, &posteriors->found_capacity, count,
                      sizeof *posteriors->result);
    return posteriors->is_calibrated;
}

/* ---- A frame ---- */

/* Initializes a block in the memory of `posteriors`, which grows if needed. Returns false if memory runs out. */
static bool open_batch(crd_posteriors *posteriors, const crd_classifier *classifier, crd_i_row_block *row) {
    size_t size = crd_i_row_block_room(classifier);
    if (posteriors->room_size < size) {
        crd_free(posteriors->context, posteriors->memory);
        posteriors->memory = crd_i_alloc_zeroed(posteriors->context, 1, size);
        posteriors->room_size = posteriors->memory == NULL ? 0 : size;
        if (posteriors->memory == NULL) return false;
    }
    crd_i_row_block_init(row, classifier, posteriors->memory);
    return true;
}

/* Returns the frame's column for an attribute; NULL if there is none, or if its type does not match because it has no
 * values. */
static const crd_i_column *posteriors_column(const crd_classifier *classifier, const crd_frame *frame,
                                             const crd_posteriors *posteriors, size_t i) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    const crd_i_column *column = crd_i_binding_column(&posteriors->binding, frame, i);
    if (column == NULL || attribute->kind == CRD_KIND_NONE || column->kind != attribute->kind) return NULL;
    return column;
}

/* Checks that the types of all bound columns match the classifier's attributes. */
static crd_status posteriors_check_kinds(const crd_classifier *classifier, const crd_frame *frame,
                                         const crd_posteriors *posteriors, crd_error *error) {
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        const crd_i_column *column = crd_i_binding_column(&posteriors->binding, frame, i);
        if (column == NULL || column->kind == CRD_KIND_NONE || attribute->kind == CRD_KIND_NONE) continue;
        crd_status status = crd_i_attribute_check_kind(attribute, column, frame->rows, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Copies the numbers of `rows` rows, beginning with row `first`. Missing values become NaN. */
static void posteriors_copy_numbers(const crd_i_column *column, size_t first, size_t rows, double *destination) {
    memcpy(destination, column->numbers + first, rows * sizeof *destination);
    if (column->validity == NULL) return;
    for (size_t row = 0; row < rows; row++)
        if (!crd_i_column_present(column, first + row)) destination[row] = NAN;
}

static void point_to_texts(const crd_i_column *column, size_t first, size_t rows, crd_text *view) {
    const crd_text missing = {NULL, 0};
    for (size_t row = 0; row < rows; row++)
        view[row] = crd_i_column_present(column, first + row) ? column->texts[first + row] : missing;
}

/* Adds the columns of the block's rows in schema order. Category codes are translated to the classifier's codes. */
static crd_status posteriors_add_columns(crd_i_row_block *row, const crd_frame *frame, size_t first,
                                         crd_posteriors *posteriors, crd_error *error) {
    const crd_classifier *classifier = row->classifier;
    size_t rows = row->block.rows;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_column *column = posteriors_column(classifier, frame, posteriors, i);
        if (column == NULL) continue;
        if (column->kind == CRD_KIND_CATEGORY) {
            const int32_t *codes = crd_i_binding_translate_rows(&posteriors->binding, frame, i, first, rows,
                                                                classifier->attributes[i].values);
            if (codes == NULL) return crd_i_fail_memory(error);
            crd_i_row_block_add_codes(row, i, codes);
        } else if (column->kind == CRD_KIND_TEXT) {
            point_to_texts(column, first, rows, row->texts);
            row->are_bags = column->are_bags;
            crd_status status = crd_i_row_block_add_texts(row, i, error);
            if (status != CRD_OK) return status;
        } else {
            posteriors_copy_numbers(column, first, rows, row->columns);
            bool some_missing = !row->block.lanes->all_finite(row->columns, rows);
            crd_i_row_block_add_numbers(row, i, row->columns, some_missing);
        }
    }
    return CRD_OK;
}

crd_status crd_i_posteriors_bind(crd_posteriors *posteriors, const crd_classifier *classifier, const crd_frame *frame,
                                 crd_error *error) {
    uint64_t owner = classifier->context == posteriors->context ? classifier->serial : CRD_I_FOREIGN_OWNER;
    crd_i_row_block row;
    if (!open_batch(posteriors, classifier, &row) ||
        !crd_i_binding_bind(&posteriors->binding, owner, frame, classifier->attribute_count, attribute_name,
                            classifier))
        return crd_i_fail_memory(error);
    return posteriors_check_kinds(classifier, frame, posteriors, error);
}

static double *at_row(double *array, size_t row, size_t classes) {
    return array == NULL ? NULL : array + row * classes;
}

/* Processes the rows block by block and writes the results to the matching part of each array. */
crd_status crd_i_posteriors_answer(crd_posteriors *posteriors, const crd_classifier *classifier, const crd_frame *frame,
                                   size_t first, size_t end, const crd_i_answers_into *into, size_t *failed,
                                   crd_error *error) {
    size_t classes = classifier->class_count;
    crd_i_row_block row_block;
    *failed = first;
    if (!open_batch(posteriors, classifier, &row_block)) return crd_i_fail_memory(error);
    for (; first < end; first += row_block.block.stride) {
        crd_i_row_block_begin(&row_block, end - first < row_block.block.stride ? end - first : row_block.block.stride);
        crd_status status = posteriors_add_columns(&row_block, frame, first, posteriors, error);
        if (status != CRD_OK) return status;
        const crd_i_wanted wanted = {.log_posteriors = at_row(into->log_posteriors, first, classes),
                                     .probabilities = at_row(into->probabilities, first, classes),
                                     .found_logs = at_row(into->found_logs, first, classes),
                                     .result = at_row(into->result, first, classes),
                                     .answers = into->answers == NULL ? NULL : into->answers + first,
                                     .decisions = into->decisions == NULL ? NULL : into->decisions + first};
        size_t row = 0;
        status = crd_i_row_block_conclude(&row_block, &wanted, &row, error);
        *failed = first + row;
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Allocates room for the results and classifies the whole frame with one thread. */
crd_status crd_classifier_classify(const crd_classifier *classifier, const crd_frame *frame, crd_posteriors *posteriors,
                                   crd_error *error) {
    size_t rows = frame->rows, failed;
    bool is_calibrated = classifier->scorer->type->correction != NULL;
    if (!crd_i_posteriors_open(posteriors, rows, classifier->class_count) ||
        (is_calibrated && !crd_i_posteriors_open_found(posteriors, rows)))
        return crd_i_fail_memory(error);
    const crd_i_answers_into into = {.log_posteriors = posteriors->logs,
                                     .probabilities = posteriors->probabilities,
                                     .found_logs = is_calibrated ? posteriors->found_logs : NULL,
                                     .result = is_calibrated ? posteriors->result : NULL,
                                     .answers = posteriors->answers};
    crd_status status = crd_i_posteriors_bind(posteriors, classifier, frame, error);
    if (status == CRD_OK)
        status = crd_i_posteriors_answer(posteriors, classifier, frame, 0, rows, &into, &failed, error);
    if (status == CRD_OK) posteriors->rows = rows;
    return status;
}
