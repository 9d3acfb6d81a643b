/* SPDX-License-Identifier: MIT */
/* cross_validation.c - learning for cross-validation: sufficient statistics of each fold. The model without a fold
 * is the model of all rows minus the fold's statistics.
 *
 * Statistics are exact, so the difference is bit-identical to the model learned from the other rows. K folds cost
 * one pass of learning instead of K. The rows of a frame are split by fold into separate frames. So each row is
 * learned once and classified once, for any number of folds. */
#include "evaluate/cross_validation.h"

#include "evaluate/row_model.h"
#include "model/schema_view.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "model/accumulate.h"
#include "model/merge.h"
#include "model/model_create.h"

#include <math.h>

enum { MOST_FOLDS = 1 << 24 };

crd_status crd_cross_validation_create(crd_context *context, crd_text target, const crd_settings *settings,
                                       crd_cross_validation **out, crd_error *error) {
    *out = NULL;
    crd_cross_validation *validation = crd_i_alloc_zeroed(context, 1, sizeof *validation);
    if (validation == NULL) return crd_i_fail_memory(error);
    validation->context = context;
    validation->threads = 1;
    validation->target = crd_i_text_copy(context, target);
    crd_status status = validation->target.bytes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(context, &validation->settings, error)
                                  : crd_i_settings_copy(context, settings, &validation->settings, error);
    if (status != CRD_OK) {
        crd_cross_validation_destroy(validation);
        return status;
    }
    *out = validation;
    return CRD_OK;
}

void crd_cross_validation_forget(crd_cross_validation *validation) {
    crd_i_cross_validation_drop(validation);
    crd_i_cross_validation_scatter(validation);
    for (size_t i = 0; i < validation->fold_count; i++) {
        crd_model_destroy(validation->folds[i].model);
        crd_model_destroy(validation->folds[i].others);
        crd_i_fit_cache_clear(&validation->folds[i].posteriors);
    }
    validation->fold_count = 0;
    crd_model_destroy(validation->blank);
    crd_model_destroy(validation->whole);
    crd_i_dictionary_destroy(validation->classes);
    validation->blank = validation->whole = NULL;
    validation->classes = NULL;
}

void crd_cross_validation_destroy(crd_cross_validation *validation) {
    if (validation == NULL) return;
    crd_cross_validation_forget(validation);
    for (unsigned i = 0; i < validation->part_count; i++) crd_posteriors_destroy(validation->parts[i]);
    crd_free(validation->context, validation->parts);
    crd_settings_destroy(validation->settings);
    crd_free(validation->context, validation->unlabelled);
    crd_free(validation->context, (void *)validation->target.bytes);
    crd_free(validation->context, (void *)validation->weight.bytes);
    crd_free(validation->context, validation->folds);
    crd_free(validation->context, validation->rows);
    crd_free(validation->context, validation->starts);
    crd_free(validation->context, validation);
}

crd_status crd_cross_validation_keep(crd_cross_validation *validation, crd_text tallies, crd_error *error) {
    if (validation->blank != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "rows were learned already: name the statistics to keep before the first row");
    return crd_i_kept_parse(tallies, &validation->kept, error);
}

crd_status crd_cross_validation_set_weight(crd_cross_validation *validation, crd_text weight, crd_error *error) {
    if (validation->blank != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows were learned already, with weight 1");
    crd_text view = crd_i_text_copy(validation->context, weight);
    if (view.bytes == NULL) return crd_i_fail_memory(error);
    crd_free(validation->context, (void *)validation->weight.bytes);
    validation->weight = view;
    return CRD_OK;
}

void crd_cross_validation_threads(crd_cross_validation *validation, unsigned threads) {
    validation->threads = crd_i_thread_pool_size(threads);
}

/* ---- Splitting a frame by fold ---- */

/* Adds empty folds until there are `count`. Returns false if memory runs out. */
static bool cross_validation_add_folds(crd_cross_validation *validation, size_t count) {
    if (!crd_i_reserve(validation->context, &validation->folds, &validation->folds_capacity, count,
                       sizeof *validation->folds))
        return false;
    const crd_i_fold none = {.posteriors = {.context = validation->context}};
    while (validation->fold_count < count) validation->folds[validation->fold_count++] = none;
    return true;
}

/* See cross_validation.h. This is a counting sort. */
crd_status crd_i_cross_validation_part(crd_cross_validation *validation, size_t rows, const uint32_t *folds,
                                       crd_error *error) {
    size_t count = validation->fold_count;
    if (!crd_i_reserve(validation->context, &validation->starts, &validation->starts_capacity, count + 2,
                       sizeof *validation->starts) ||
        !crd_i_reserve(validation->context, &validation->rows, &validation->rows_capacity, rows,
                       sizeof *validation->rows))
        return crd_i_fail_memory(error);
    /* Counts are stored two entries later. Placing a row advances the entry after its fold, which ends at the fold's
     * limit. */
    size_t *starts = validation->starts;
    for (size_t f = 0; f < count + 2; f++) starts[f] = 0;
    for (size_t row = 0; row < rows; row++)
        if (folds[row] != CRD_NO_FOLD) starts[folds[row] + 2]++;
    for (size_t f = 1; f < count + 2; f++) starts[f] += starts[f - 1];
    for (size_t row = 0; row < rows; row++)
        if (folds[row] != CRD_NO_FOLD) validation->rows[starts[folds[row] + 1]++] = row;
    return CRD_OK;
}

crd_status crd_i_cross_validation_check(const uint32_t *folds, size_t rows, size_t limit, size_t *most,
                                        crd_error *error) {
    *most = 0;
    for (size_t row = 0; row < rows; row++) {
        if (folds[row] == CRD_NO_FOLD) continue;
        if (folds[row] >= limit)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "fold %lu does not exist", (unsigned long)folds[row]);
        if (folds[row] >= *most) *most = (size_t)folds[row] + 1;
    }
    return CRD_OK;
}

/* Copies some rows of a column. The copy refers to the frame's dictionaries and text bytes. */
static bool pick_cells(crd_frame *target_frame, const crd_i_column *source_column, const size_t *rows, size_t count,
                       crd_i_column *column) {
    const crd_i_column none = {.kind = source_column->kind};
    *column = none;
    if (source_column->kind == CRD_KIND_NUMBER) {
        double *numbers = crd_i_alloc(target_frame->context, count, sizeof *numbers);
        if (numbers == NULL) return false;
        for (size_t i = 0; i < count; i++)
            numbers[i] = crd_i_column_present(source_column, rows[i]) ? source_column->numbers[rows[i]] : NAN;
        column->numbers = column->owned = numbers;
    } else if (source_column->kind == CRD_KIND_CATEGORY) {
        int32_t *codes = crd_i_alloc(target_frame->context, count, sizeof *codes);
        if (codes == NULL) return false;
        for (size_t i = 0; i < count; i++)
            codes[i] = crd_i_column_present(source_column, rows[i]) ? source_column->codes[rows[i]] : -1;
        column->codes = column->owned = codes;
        column->dictionary = source_column->dictionary;
    } else if (source_column->kind == CRD_KIND_TEXT) {
        crd_text *texts = crd_i_alloc_zeroed(target_frame->context, count, sizeof *texts);
        if (texts == NULL) return false;
        for (size_t i = 0; i < count; i++)
            if (crd_i_column_present(source_column, rows[i])) texts[i] = source_column->texts[rows[i]];
        column->texts = column->owned = texts;
        column->are_bags = source_column->are_bags;
    }
    return true;
}

crd_status crd_i_cross_validation_pick(const crd_frame *frame, const size_t *rows, size_t count, crd_frame **out,
                                       crd_error *error) {
    crd_status status = crd_frame_create(frame->context, count, out, error);
    for (size_t i = 0; status == CRD_OK && i < frame->column_count; i++) {
        crd_i_column column;
        if (!pick_cells(*out, &frame->columns[i], rows, count, &column)) {
            status = crd_i_fail_memory(error);
        } else {
            status = crd_i_frame_add(*out, frame->columns[i].name, &column, error);
            if (status != CRD_OK) crd_free(frame->context, column.owned);
        }
    }
    if (status != CRD_OK) {
        crd_frame_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- Learning ---- */

/* Learns the rows of a frame that belong to fold f. */
static crd_status learn_part(crd_cross_validation *validation, const crd_frame *frame, size_t f, crd_error *error) {
    size_t first = validation->starts[f], count = validation->starts[f + 1] - first;
    crd_i_fold *fold = &validation->folds[f];
    crd_frame *rows;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    if (count == 0) return CRD_OK;
    crd_status status = fold->model != NULL ? CRD_OK : crd_i_model_create_like(validation->blank, &fold->model, error);
    if (status != CRD_OK) return status;
    status = crd_i_cross_validation_pick(frame, validation->rows + first, count, &rows, error);
    if (status != CRD_OK) return status;
    status = crd_i_accumulate_frame(fold->model, rows, &facts, error);
    crd_frame_destroy(rows);
    return status;
}

/* Creates the model without rows, from the columns of the first frame. */
static crd_status cross_validation_create_blank(crd_cross_validation *validation, const crd_frame *frame,
                                                crd_error *error) {
    crd_status status = crd_i_row_model_create(validation->context, frame, validation->target, validation->weight,
                                               validation->settings, &validation->blank, error);
    return status == CRD_OK ? crd_i_model_keep(validation->blank, validation->kept, error) : status;
}

/* Declares the values that a frame declares and the model does not have yet. Files after the first may declare more
 * values. */
static crd_status cross_validation_learn_declared(crd_cross_validation *validation, const crd_frame *frame,
                                                  crd_error *error) {
    const crd_i_schema *schema = validation->blank->schema;
    for (size_t i = 0; i < schema->count; i++) {
        int32_t column = crd_i_dictionary_find(frame->names, schema->columns[i].name);
        const crd_i_dictionary *values = column < 0 ? NULL : frame->columns[column].declared;
        for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++) {
            crd_text value = crd_i_dictionary_text(values, code);
            if (crd_i_model_is_declared(validation->blank, i, value)) continue;
            crd_status status = crd_i_model_declare_value(validation->blank, i, value, error);
            if (status != CRD_OK) return status;
        }
    }
    return CRD_OK;
}

crd_status crd_cross_validation_learn(crd_cross_validation *validation, const crd_frame *frame, const uint32_t *folds,
                                      crd_error *error) {
    size_t most;
    if (validation->whole != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows cannot be added after learning has finished");
    crd_status status = crd_i_cross_validation_check(folds, frame->rows, MOST_FOLDS, &most, error);
    if (status == CRD_OK && validation->blank == NULL) status = cross_validation_create_blank(validation, frame, error);
    if (status == CRD_OK) status = cross_validation_learn_declared(validation, frame, error);
    if (status != CRD_OK) return status;
    if (!cross_validation_add_folds(validation, most)) return crd_i_fail_memory(error);
    status = crd_i_cross_validation_part(validation, frame->rows, folds, error);
    for (size_t f = 0; status == CRD_OK && f < validation->fold_count; f++)
        status = learn_part(validation, frame, f, error);
    return status == CRD_OK ? crd_i_cross_validation_gather(validation, frame, folds, error) : status;
}

/* Sets the classes to the classes of all rows. Returns CRD_ERROR_EMPTY if there are no rows. */
static crd_status cross_validation_name_classes(crd_cross_validation *validation, crd_error *error) {
    crd_i_schema_view *schema_view;
    crd_status status = crd_i_schema_view_create(validation->whole, &schema_view, error);
    if (status != CRD_OK) return status;
    const crd_i_view *view = &schema_view->views[validation->whole->schema->target];
    const crd_i_dictionary *names = crd_i_model_target(validation->whole)->values;
    validation->classes = crd_i_dictionary_create(validation->context);
    bool done = validation->classes != NULL;
    for (size_t k = 0; done && k < view->value_count; k++)
        done = crd_i_dictionary_add(validation->classes, crd_i_dictionary_text(names, (size_t)view->values[k])) >= 0;
    if (!done) status = crd_i_fail_memory(error);
    else if (crd_i_tally_is_empty(crd_i_model_target(validation->whole)->tally))
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "there are no rows to learn from");
    crd_i_schema_view_destroy(schema_view);
    return status;
}

/* Adds up the models of all folds. Does nothing if it was called before. */
crd_status crd_cross_validation_finish(crd_cross_validation *validation, crd_error *error) {
    if (validation->classes != NULL) return CRD_OK;
    if (validation->blank == NULL) return crd_i_fail(error, CRD_ERROR_EMPTY, "there are no rows to learn from");
    crd_status status = crd_i_model_create_like(validation->blank, &validation->whole, error);
    for (size_t f = 0; status == CRD_OK && f < validation->fold_count; f++)
        if (validation->folds[f].model != NULL)
            status = crd_i_model_combine(validation->whole, validation->folds[f].model, 1, error);
    if (status == CRD_OK) status = cross_validation_name_classes(validation, error);
    if (status == CRD_OK) status = crd_i_cross_validation_gathered(validation, error);
    if (status != CRD_OK) {
        crd_model_destroy(validation->whole);
        crd_i_dictionary_destroy(validation->classes);
        validation->whole = NULL;
        validation->classes = NULL;
    }
    return status;
}

size_t crd_cross_validation_fold_count(const crd_cross_validation *validation) {
    return validation->fold_count;
}

size_t crd_cross_validation_class_count(const crd_cross_validation *validation) {
    return validation->classes == NULL ? 0 : crd_i_dictionary_size(validation->classes);
}

crd_text crd_cross_validation_class(const crd_cross_validation *validation, size_t class_index) {
    return crd_i_dictionary_text(validation->classes, class_index);
}

const crd_model *crd_cross_validation_part(const crd_cross_validation *validation, uint32_t f) {
    return f < validation->fold_count ? validation->folds[f].model : NULL;
}

/* Creates the model without fold f by subtraction. */
static crd_status take_fold_out(const crd_cross_validation *validation, uint32_t f, crd_model **out, crd_error *error) {
    crd_status status = crd_i_model_clone(validation->whole, out, error);
    if (status == CRD_OK && validation->folds[f].model != NULL)
        status = crd_i_model_combine(*out, validation->folds[f].model, -1, error);
    return status;
}

/* Creates the model without fold f by adding the other folds. Needed if the model has optional or joint statistics,
 * because not all of them support subtraction. */
static crd_status join_other_folds(const crd_cross_validation *validation, uint32_t f, crd_model **out,
                                   crd_error *error) {
    crd_status status = crd_i_model_create_like(validation->whole, out, error);
    for (size_t i = 0; status == CRD_OK && i < validation->fold_count; i++)
        if (i != f && validation->folds[i].model != NULL)
            status = crd_i_model_combine(*out, validation->folds[i].model, 1, error);
    return status;
}

crd_status crd_cross_validation_model(const crd_cross_validation *validation, uint32_t f, crd_model **out,
                                      crd_error *error) {
    *out = NULL;
    if (validation->whole == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "learning has not finished");
    if (f >= validation->fold_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "fold %lu does not exist", (unsigned long)f);
    bool forgets = validation->whole->extras == 0 && validation->whole->joint_tally_count == 0;
    crd_status status =
        forgets ? take_fold_out(validation, f, out, error) : join_other_folds(validation, f, out, error);
    if (status != CRD_OK) {
        crd_model_destroy(*out);
        *out = NULL;
    }
    return status;
}
