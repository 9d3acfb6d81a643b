/* SPDX-License-Identifier: MIT */
/* cross_validation.c - cross-validation: learns the sufficient statistics of each fold, and classifies each row with
 * the model without its fold. That model is the model of all rows minus the fold's statistics.
 *
 * Statistics are exact, so the difference is bit-identical to the model learned from the other rows. K folds cost
 * one pass of learning instead of K. The rows of a frame are split by fold into separate frames. So each row is
 * learned once and classified once, for any number of folds.
 *
 * Contents:
 *   1. Row models
 *   2. Unlabeled rows
 *   3. Learning
 *   4. Classification */
#include "evaluate/cross_validation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "em/class_mixture.h"
#include "model/accumulate.h"
#include "model/model_parts.h"
#include "model/schema_view.h"

#include <math.h>
#include <stdio.h>

/* ======== 1. Row models ======== */

crd_status crd_i_row_model_create(crd_context *context, const crd_frame *frame, crd_text target, crd_text weight,
                                  const crd_settings *settings, crd_model **out, crd_error *error) {
    bool has_target = target.bytes != NULL;
    size_t column = frame->origin == NULL || !has_target ? SIZE_MAX : crd_i_schema_find(frame->origin, target);
    if (frame->origin == NULL || (has_target && column == SIZE_MAX) || frame->context != context)
        return weight.bytes == NULL ? crd_model_create(context, frame, target, settings, out, error)
                                    : crd_model_create_weighted(context, frame, target, weight, settings, out, error);
    crd_i_schema *schema = crd_i_schema_clone(frame->origin);
    if (schema == NULL) return crd_i_fail_memory(error);
    schema->target = column;
    return crd_i_model_create(context, schema, settings, out, error);
}

/* ======== 2. Unlabeled rows ========
 *
 * Some models also learn from unlabeled rows. The statistics of a fold cannot be subtracted from such a model.
 * Therefore all rows are stored with their fold in an additional column. The model of each fold is learned from the
 * rows of the other folds and the unlabeled rows. The rows of the fold have weight 0 in all its statistics. */

/* A column of a file cannot have this name. */
static const crd_text FOLD_COLUMN = {"\001fold", 5};

crd_status crd_i_cross_validation_use_unlabeled(crd_i_cross_validation *validation,
                                                const crd_unlabeled_options *options, crd_error *error) {
    crd_unlabeled_options chosen = CRD_UNLABELED_OPTIONS_INIT;
    if (validation->blank != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows were learned already, without unlabeled rows");
    if (options != NULL && !crd_i_copy_in(options, &chosen, sizeof chosen))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (validation->unlabeled == NULL)
        validation->unlabeled = crd_i_alloc(validation->context, 1, sizeof *validation->unlabeled);
    if (validation->unlabeled == NULL) return crd_i_fail_memory(error);
    *validation->unlabeled = chosen;
    return CRD_OK;
}

/* Frees the rows. */
static void cross_validation_scatter(crd_i_cross_validation *validation) {
    crd_i_case_builder_destroy(validation->builder);
    crd_i_case_table_destroy(validation->cases);
    validation->builder = NULL;
    validation->cases = NULL;
}

/* Adds the fold column. The code is the fold number, and the name of a category is its digits. */
static crd_status unlabeled_folds_add(crd_frame *target_frame, int32_t *codes, const uint32_t *folds,
                                      crd_error *error) {
    enum { DIGITS = 12 };
    int32_t count = 0;
    for (size_t row = 0; row < target_frame->rows; row++) {
        codes[row] = folds[row] == CRD_NO_FOLD ? -1 : (int32_t)folds[row];
        if (codes[row] >= count) count = codes[row] + 1;
    }
    crd_text *names = crd_i_alloc(target_frame->context, (size_t)count, sizeof *names);
    char *digits = crd_i_alloc(target_frame->context, (size_t)count, DIGITS);
    crd_status status = names == NULL || digits == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (int32_t f = 0; status == CRD_OK && f < count; f++) {
        snprintf(digits + f * DIGITS, DIGITS, "%d", (int)f);
        names[f] = crd_text_of(digits + f * DIGITS);
    }
    if (status == CRD_OK)
        status = crd_frame_add_codes(target_frame, FOLD_COLUMN, codes, NULL, names, (size_t)count, error);
    crd_free(target_frame->context, names);
    crd_free(target_frame->context, digits);
    return status;
}

/* Adds the rows of a frame to the rows from which the models of folds are learned. Does nothing unless unlabeled rows
 * are learned. The frame is copied, because the fold column is added. */
static crd_status cross_validation_gather(crd_i_cross_validation *validation, const crd_frame *frame,
                                          const uint32_t *folds, crd_error *error) {
    crd_context *context = validation->context;
    crd_frame *copy = NULL;
    if (validation->unlabeled == NULL) return CRD_OK;
    int32_t *codes = crd_i_alloc(context, frame->rows, sizeof *codes);
    crd_status status = codes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && validation->builder == NULL)
        status = crd_i_case_builder_create(context, NULL, 0, validation->target, validation->blank->schema->weight.name,
                                           &validation->builder, error);
    if (status == CRD_OK) status = crd_i_frame_select(frame, NULL, 0, frame->rows, &copy, error);
    if (status == CRD_OK) status = unlabeled_folds_add(copy, codes, folds, error);
    if (status == CRD_OK) status = crd_i_case_builder_add(validation->builder, copy, error);
    crd_frame_destroy(copy);
    crd_free(context, codes);
    return status;
}

/* Finishes the table of rows after the last frame. */
static crd_status cross_validation_gathered(crd_i_cross_validation *validation, crd_error *error) {
    if (validation->builder == NULL) return CRD_OK;
    crd_status status = crd_i_case_builder_finish(validation->builder, NULL, &validation->cases, error);
    crd_i_case_builder_destroy(validation->builder);
    validation->builder = NULL;
    return status;
}

/* Learns a model from all rows except the rows of fold f. Unlabeled rows are included. The rows of the fold get weight
 * 0. */
static crd_status cross_validation_unlabeled_model(const crd_i_cross_validation *validation, uint32_t f,
                                                   crd_model **out, crd_error *error) {
    const crd_i_case_table *cases = validation->cases;
    crd_context *context = validation->context;
    const size_t column = crd_i_case_table_find(cases, FOLD_COLUMN);
    char copy[12];
    snprintf(copy, sizeof copy, "%lu", (unsigned long)f);
    *out = NULL;
    double *weights = crd_i_alloc(context, cases->rows, sizeof *weights);
    crd_i_schema *schema = crd_i_schema_clone(validation->blank->schema);
    if (weights == NULL || schema == NULL) {
        crd_free(context, weights);
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < cases->rows; i++) {
        const uint32_t code = crd_i_case_code(&cases->columns[column], i);
        const bool is_own =
            code != CRD_I_CASE_MISSING32 && crd_text_equal(cases->columns[column].states[code], crd_text_of(copy));
        weights[i] = is_own ? 0 : crd_i_case_weight(cases, i);
    }
    crd_unlabeled_options options = *validation->unlabeled;
    options.threads = 1;
    crd_status status =
        crd_i_partly_labeled_train(cases, weights, schema, validation->settings, &options, out, NULL, error);
    crd_free(context, weights);
    return status;
}

/* ======== 3. Learning ======== */

enum { MOST_FOLDS = 1 << 24 };

crd_status crd_i_cross_validation_create(crd_context *context, crd_text target, const crd_settings *settings,
                                         crd_i_cross_validation **out, crd_error *error) {
    *out = NULL;
    crd_i_cross_validation *validation = crd_i_alloc_zeroed(context, 1, sizeof *validation);
    if (validation == NULL) return crd_i_fail_memory(error);
    validation->context = context;
    validation->threads = 1;
    validation->target = crd_i_text_copy(context, target);
    crd_status status = validation->target.bytes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(context, &validation->settings, error)
                                  : crd_i_settings_copy(context, settings, &validation->settings, error);
    if (status != CRD_OK) {
        crd_i_cross_validation_destroy(validation);
        return status;
    }
    *out = validation;
    return CRD_OK;
}

/* Frees the classifiers of all folds. */
static void cross_validation_drop(crd_i_cross_validation *validation) {
    for (size_t i = 0; i < validation->fold_count; i++) {
        crd_i_fold *fold = &validation->folds[i];
        crd_classifier_destroy(fold->classifier);
        crd_free(validation->context, fold->classes);
        fold->classifier = NULL;
        fold->classes = NULL;
    }
}

void crd_i_cross_validation_forget(crd_i_cross_validation *validation) {
    cross_validation_drop(validation);
    cross_validation_scatter(validation);
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

void crd_i_cross_validation_destroy(crd_i_cross_validation *validation) {
    if (validation == NULL) return;
    crd_i_cross_validation_forget(validation);
    for (unsigned i = 0; i < validation->part_count; i++) crd_posteriors_destroy(validation->parts[i]);
    crd_free(validation->context, validation->parts);
    crd_settings_destroy(validation->settings);
    crd_free(validation->context, validation->unlabeled);
    crd_free(validation->context, (void *)validation->target.bytes);
    crd_free(validation->context, (void *)validation->weight.bytes);
    crd_free(validation->context, validation->folds);
    crd_free(validation->context, validation->rows);
    crd_free(validation->context, validation->starts);
    crd_free(validation->context, validation);
}

crd_status crd_i_cross_validation_keep(crd_i_cross_validation *validation, crd_text tallies, crd_error *error) {
    if (validation->blank != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "rows were learned already: name the statistics to keep before the first row");
    return crd_i_kept_parse(tallies, &validation->kept, error);
}

crd_status crd_i_cross_validation_set_weight(crd_i_cross_validation *validation, crd_text weight, crd_error *error) {
    if (validation->blank != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows were learned already, with weight 1");
    crd_text view = crd_i_text_copy(validation->context, weight);
    if (view.bytes == NULL) return crd_i_fail_memory(error);
    crd_free(validation->context, (void *)validation->weight.bytes);
    validation->weight = view;
    return CRD_OK;
}

void crd_i_cross_validation_threads(crd_i_cross_validation *validation, unsigned threads) {
    validation->threads = crd_i_thread_pool_size(threads);
}

/* ---- Frames by fold ---- */

/* Adds empty folds until there are `count`. Returns false if memory runs out. */
static bool cross_validation_add_folds(crd_i_cross_validation *validation, size_t count) {
    if (!crd_i_reserve(validation->context, &validation->folds, &validation->folds_capacity, count,
                       sizeof *validation->folds))
        return false;
    const crd_i_fold none = {.posteriors = {.context = validation->context}};
    while (validation->fold_count < count) validation->folds[validation->fold_count++] = none;
    return true;
}

/* Sorts the row numbers by fold: the rows of fold f are rows[starts[f]] to rows[starts[f + 1] - 1], in their order.
 * This is a counting sort. */
static crd_status cross_validation_part(crd_i_cross_validation *validation, size_t rows, const uint32_t *folds,
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

/* Returns CRD_ERROR_ARGUMENT if a fold is not below `limit`. Sets *most to the largest fold plus 1. */
static crd_status cross_validation_check(const uint32_t *folds, size_t rows, size_t limit, size_t *most,
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

/* ---- Statistics of the folds ---- */

/* Learns the rows of a frame that belong to fold f. */
static crd_status learn_part(crd_i_cross_validation *validation, const crd_frame *frame, size_t f, crd_error *error) {
    size_t first = validation->starts[f], count = validation->starts[f + 1] - first;
    crd_i_fold *fold = &validation->folds[f];
    crd_frame *rows;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    if (count == 0) return CRD_OK;
    crd_status status = fold->model != NULL ? CRD_OK : crd_i_model_create_like(validation->blank, &fold->model, error);
    if (status != CRD_OK) return status;
    status = crd_i_frame_select(frame, validation->rows, first, count, &rows, error);
    if (status != CRD_OK) return status;
    status = crd_i_accumulate_frame(fold->model, rows, &facts, error);
    crd_frame_destroy(rows);
    return status;
}

/* Creates the model without rows, from the columns of the first frame. */
static crd_status cross_validation_create_blank(crd_i_cross_validation *validation, const crd_frame *frame,
                                                crd_error *error) {
    crd_status status = crd_i_row_model_create(validation->context, frame, validation->target, validation->weight,
                                               validation->settings, &validation->blank, error);
    return status == CRD_OK ? crd_i_model_keep(validation->blank, validation->kept, error) : status;
}

/* Declares the values that a frame declares and the model does not have yet. Files after the first may declare more
 * values. */
static crd_status cross_validation_learn_declared(crd_i_cross_validation *validation, const crd_frame *frame,
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

crd_status crd_i_cross_validation_learn(crd_i_cross_validation *validation, const crd_frame *frame,
                                        const uint32_t *folds, crd_error *error) {
    size_t most;
    if (validation->whole != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows cannot be added after learning has finished");
    crd_status status = cross_validation_check(folds, frame->rows, MOST_FOLDS, &most, error);
    if (status == CRD_OK && validation->blank == NULL) status = cross_validation_create_blank(validation, frame, error);
    if (status == CRD_OK) status = cross_validation_learn_declared(validation, frame, error);
    if (status != CRD_OK) return status;
    if (!cross_validation_add_folds(validation, most)) return crd_i_fail_memory(error);
    status = cross_validation_part(validation, frame->rows, folds, error);
    for (size_t f = 0; status == CRD_OK && f < validation->fold_count; f++)
        status = learn_part(validation, frame, f, error);
    return status == CRD_OK ? cross_validation_gather(validation, frame, folds, error) : status;
}

/* Sets the classes to the classes of all rows. Returns CRD_ERROR_EMPTY if there are no rows. */
static crd_status cross_validation_name_classes(crd_i_cross_validation *validation, crd_error *error) {
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
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to learn from");
    crd_i_schema_view_destroy(schema_view);
    return status;
}

/* Adds up the models of all folds. Does nothing if it was called before. */
crd_status crd_i_cross_validation_finish(crd_i_cross_validation *validation, crd_error *error) {
    if (validation->classes != NULL) return CRD_OK;
    if (validation->blank == NULL) return crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to learn from");
    crd_status status = crd_i_model_create_like(validation->blank, &validation->whole, error);
    for (size_t f = 0; status == CRD_OK && f < validation->fold_count; f++)
        if (validation->folds[f].model != NULL)
            status = crd_i_model_combine(validation->whole, validation->folds[f].model, 1, error);
    if (status == CRD_OK) status = cross_validation_name_classes(validation, error);
    if (status == CRD_OK) status = cross_validation_gathered(validation, error);
    if (status != CRD_OK) {
        crd_model_destroy(validation->whole);
        crd_i_dictionary_destroy(validation->classes);
        validation->whole = NULL;
        validation->classes = NULL;
    }
    return status;
}

size_t crd_i_cross_validation_class_count(const crd_i_cross_validation *validation) {
    return validation->classes == NULL ? 0 : crd_i_dictionary_size(validation->classes);
}

crd_text crd_i_cross_validation_class(const crd_i_cross_validation *validation, size_t class_index) {
    return crd_i_dictionary_text(validation->classes, class_index);
}

/* Creates the model without fold f by subtraction. */
static crd_status take_fold_out(const crd_i_cross_validation *validation, uint32_t f, crd_model **out,
                                crd_error *error) {
    crd_status status = crd_i_model_clone(validation->whole, out, error);
    if (status == CRD_OK && validation->folds[f].model != NULL)
        status = crd_i_model_combine(*out, validation->folds[f].model, -1, error);
    return status;
}

/* Creates the model without fold f by adding the other folds. Needed if the model has optional or joint statistics,
 * because not all of them support subtraction. */
static crd_status join_other_folds(const crd_i_cross_validation *validation, uint32_t f, crd_model **out,
                                   crd_error *error) {
    crd_status status = crd_i_model_create_like(validation->whole, out, error);
    for (size_t i = 0; status == CRD_OK && i < validation->fold_count; i++)
        if (i != f && validation->folds[i].model != NULL)
            status = crd_i_model_combine(*out, validation->folds[i].model, 1, error);
    return status;
}

crd_status crd_i_cross_validation_model(const crd_i_cross_validation *validation, uint32_t f, crd_model **out,
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

/* ======== 4. Classification ========
 *
 * Folds are independent, so several threads process them in parallel; each thread takes the next fold. The result
 * does not depend on the number of threads. */

crd_status crd_i_cross_validation_use(crd_i_cross_validation *validation, const crd_settings *settings,
                                      crd_error *error) {
    crd_settings *own_settings;
    crd_status status = settings == NULL ? crd_settings_create(validation->context, &own_settings, error)
                                         : crd_i_settings_copy(validation->context, settings, &own_settings, error);
    if (status != CRD_OK) return status;
    crd_settings_destroy(validation->settings);
    validation->settings = own_settings;
    validation->is_reused = true;
    cross_validation_drop(validation);
    return CRD_OK;
}

const crd_classifier *crd_i_cross_validation_classifier(const crd_i_cross_validation *validation, uint32_t f) {
    return f < validation->fold_count ? validation->folds[f].classifier : NULL;
}

/* ---- One fold ---- */

/* Restricts a prior that was specified for all classes to the classes of a model, and renormalizes it. Does nothing
 * for other priors. */
static crd_status restrict_prior(const crd_i_cross_validation *validation, crd_settings *settings,
                                 const crd_model *model, crd_error *error) {
    if (settings->prior != CRD_I_PRIOR_GIVEN) return CRD_OK;
    const crd_i_variable *classes = crd_i_model_target(model);
    crd_context *context = settings->context;
    size_t count = crd_i_dictionary_size(settings->prior_classes), kept = 0;
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    double *probabilities = crd_i_alloc(context, count, sizeof *probabilities), sum = 0, stated = 0;
    char *text = NULL;
    crd_status status = CRD_OK;
    bool done = names != NULL && probabilities != NULL;
    for (size_t i = 0; i < count; i++) stated += settings->prior_probabilities[i];
    /* The remaining probability belongs to a class that the prior does not name. */
    const double remainder = 1 - stated > CRD_I_PRIOR_SLACK ? 1 - stated : 0;
    bool has_rest = false;
    for (size_t i = 0; remainder > 0 && i < crd_i_dictionary_size(validation->classes); i++) {
        crd_text name = crd_i_dictionary_text(validation->classes, i);
        int32_t code = crd_i_dictionary_find(classes->values, name);
        if (crd_i_dictionary_find(settings->prior_classes, name) < 0 && code >= 0)
            has_rest = has_rest || crd_i_model_class_rows(model, (size_t)code) > 0 ||
                       crd_i_model_is_declared(model, model->schema->target, name);
    }
    for (size_t i = 0; done && i < count; i++) {
        crd_text name = crd_i_dictionary_text(settings->prior_classes, i);
        int32_t code = crd_i_dictionary_find(classes->values, name);
        bool stays = crd_i_model_is_declared(model, model->schema->target, name);
        /* A class that occurs only in this fold has no rows in the model, or is absent from it. */
        bool has_gone = code >= 0 ? crd_i_model_class_rows(model, (size_t)code) == 0
                                  : crd_i_dictionary_find(validation->classes, name) >= 0;
        if (has_gone && !stays) continue;
        done = crd_i_dictionary_add(names, name) >= 0;
        probabilities[kept++] = settings->prior_probabilities[i];
        sum += settings->prior_probabilities[i];
    }
    const double total = sum + (has_rest ? remainder : 0);
    if (done && (kept < count || (remainder > 0 && !has_rest)) && sum > 0) {
        for (size_t i = 0; i < kept; i++) probabilities[i] /= total;
        text = crd_i_prior_text(context, names, probabilities);
        done = text != NULL;
        if (done) status = crd_settings_set(settings, "prior", crd_text_of(text), error);
    }
    if (!done) status = crd_i_fail_memory(error);
    crd_i_dictionary_destroy(names);
    crd_free(context, probabilities);
    crd_free(context, text);
    return status;
}

/* Maps the classes of the fold's classifier to the classes of all rows. */
static crd_status fold_classify_name_classes(const crd_i_cross_validation *validation, crd_i_fold *fold,
                                             crd_error *error) {
    size_t classes = crd_classifier_class_count(fold->classifier);
    fold->classes = crd_i_alloc(validation->context, classes, sizeof *fold->classes);
    if (fold->classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < classes; k++)
        fold->classes[k] = crd_i_dictionary_find(validation->classes, crd_classifier_class(fold->classifier, k));
    return CRD_OK;
}

/* Creates the classifier of all rows outside fold f, unless it exists. */
static crd_status fold_classify_derive(const crd_i_cross_validation *validation, uint32_t f, crd_error *error) {
    crd_i_fold *fold = &validation->folds[f];
    crd_settings *settings = NULL;
    if (fold->classifier != NULL) return CRD_OK;
    crd_status status = CRD_OK;
    if (fold->others == NULL)
        status = validation->cases == NULL ? crd_i_cross_validation_model(validation, f, &fold->others, error)
                                           : cross_validation_unlabeled_model(validation, f, &fold->others, error);
    if (status == CRD_OK) fold->others->may_lack_pairs = validation->is_reused;
    if (status == CRD_OK && validation->is_reused) fold->others->held_out_posteriors = &fold->posteriors;
    if (status == CRD_OK) status = crd_settings_clone(validation->settings, &settings, error);
    if (status == CRD_OK) status = restrict_prior(validation, settings, fold->others, error);
    if (status == CRD_OK) status = crd_classifier_create(fold->others, settings, &fold->classifier, error);
    if (status == CRD_ERROR_EMPTY)
        crd_i_fail(error, CRD_ERROR_EMPTY, "one fold contains every row, so there are no other rows to learn from");
    if (status == CRD_OK) status = fold_classify_name_classes(validation, fold, error);
    if (status != CRD_OK) {
        crd_classifier_destroy(fold->classifier);
        fold->classifier = NULL;
    }
    crd_settings_destroy(settings);
    if (!validation->is_reused) {
        crd_model_destroy(fold->others);
        fold->others = NULL;
    }
    return status;
}

/* Copies the posterior of row `first` of a part to row `limit` of the result, and maps the classes. Other classes
 * keep probability 0. */
static void put_answer(const crd_posteriors *part, const crd_i_fold *fold, size_t first, size_t limit,
                       crd_posteriors *posteriors) {
    const double *logs = crd_posteriors_log(part, first);
    const double *probabilities = crd_posteriors_probabilities(part, first);
    crd_answer answer = *crd_posteriors_answer(part, first);
    for (size_t k = 0; k < part->classes; k++) {
        size_t index = limit * posteriors->classes + (size_t)fold->classes[k];
        posteriors->logs[index] = logs[k];
        posteriors->probabilities[index] = probabilities[k];
        if (!part->is_calibrated || !posteriors->is_calibrated) continue;
        posteriors->uncalibrated_logs[index] = crd_i_posteriors_uncalibrated_log(part, first)[k];
        posteriors->uncalibrated[index] = crd_i_posteriors_uncalibrated(part, first)[k];
    }
    if (answer.decision >= 0) answer.decision = fold->classes[answer.decision];
    posteriors->answers[limit] = answer;
}

/* Classifies the rows of a frame that belong to fold f. */
static crd_status classify_part(const crd_i_cross_validation *validation, const crd_frame *frame, size_t f,
                                crd_posteriors *part, crd_posteriors *posteriors, crd_error *error) {
    size_t first = validation->starts[f], count = validation->starts[f + 1] - first;
    const crd_i_fold *fold = &validation->folds[f];
    crd_frame *rows;
    if (count == 0) return CRD_OK;
    crd_status status = fold_classify_derive(validation, (uint32_t)f, error);
    if (status != CRD_OK) return status;
    status = crd_i_frame_select(frame, validation->rows, first, count, &rows, error);
    if (status != CRD_OK) return status;
    status = crd_classifier_classify(fold->classifier, rows, part, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        put_answer(part, fold, i, validation->rows[first + i], posteriors);
    crd_frame_destroy(rows);
    return status;
}

/* ---- All folds ---- */

typedef struct folds_job {
    const crd_i_cross_validation *validation;
    const crd_frame *frame;
    crd_posteriors *posteriors;
} folds_job;

/* Classifies the rows of a fold. The workspace is a pointer to the posteriors of a thread. */
static crd_status classify_fold(void *state, void *workspace, size_t fold, crd_error *error) {
    folds_job *job = state;
    return classify_part(job->validation, job->frame, fold, *(crd_posteriors **)workspace, job->posteriors, error);
}

/* Creates posteriors for `count` threads. Returns false if memory runs out. */
static bool fold_classify_open_parts(crd_i_cross_validation *validation, unsigned count) {
    crd_context *context = validation->context;
    if (count <= validation->part_count) return true;
    crd_posteriors **parts = crd_i_alloc_zeroed(context, count, sizeof *parts);
    if (parts == NULL) return false;
    for (unsigned i = 0; i < validation->part_count; i++) parts[i] = validation->parts[i];
    crd_free(context, validation->parts);
    validation->parts = parts;
    while (validation->part_count < count) {
        if (crd_posteriors_create(context, &parts[validation->part_count], NULL) != CRD_OK) return false;
        validation->part_count++;
    }
    return true;
}

/* Classifies the rows of all folds with several threads. */
static crd_status classify_parts(crd_i_cross_validation *validation, const crd_frame *frame, crd_posteriors *posteriors,
                                 crd_error *error) {
    const unsigned members = crd_i_parallel_members(validation->threads, validation->fold_count);
    if (!fold_classify_open_parts(validation, members)) return crd_i_fail_memory(error);
    folds_job job = {validation, frame, posteriors};
    crd_i_parallel_loop loop = {.state = &job,
                                .items = validation->fold_count,
                                .threads = members,
                                .work = classify_fold,
                                .workspaces = validation->parts,
                                .workspace_size = sizeof *validation->parts};
    crd_status status = crd_i_parallel_for(validation->context, &loop, error);
    if (status != CRD_OK) validation->failed_fold = (uint32_t)loop.failed;
    return status;
}

crd_status crd_i_cross_validation_classify(crd_i_cross_validation *validation, const crd_frame *frame,
                                           const uint32_t *folds, crd_posteriors *posteriors, crd_error *error) {
    size_t most;
    crd_status status = crd_i_cross_validation_finish(validation, error);
    if (status == CRD_OK) status = cross_validation_check(folds, frame->rows, validation->fold_count, &most, error);
    if (status == CRD_OK) status = cross_validation_part(validation, frame->rows, folds, error);
    if (status != CRD_OK) return status;
    size_t classes = crd_i_dictionary_size(validation->classes);
    bool is_calibrated = validation->settings->calibration != CRD_I_CALIBRATION_NONE;
    if (!crd_i_posteriors_open(posteriors, frame->rows, classes) ||
        (is_calibrated && !crd_i_posteriors_open_uncalibrated(posteriors, frame->rows)))
        return crd_i_fail_memory(error);
    const crd_answer none = {-1, 0, 0, -INFINITY};
    for (size_t row = 0; row < frame->rows; row++) posteriors->answers[row] = none;
    for (size_t i = 0; i < frame->rows * classes; i++) {
        posteriors->logs[i] = -INFINITY;
        posteriors->probabilities[i] = 0;
        if (is_calibrated) posteriors->uncalibrated_logs[i] = -INFINITY;
        if (is_calibrated) posteriors->uncalibrated[i] = 0;
    }
    status = classify_parts(validation, frame, posteriors, error);
    if (status == CRD_OK) posteriors->rows = frame->rows;
    return status;
}
