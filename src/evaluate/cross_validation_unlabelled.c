/* SPDX-License-Identifier: MIT */
/* cross_validation_unlabelled.c - cross-validation of models that also learn from unlabeled rows.
 *
 * The statistics of a fold cannot be subtracted from such a model. Therefore all rows are stored with their fold in
 * an additional column. The model of each fold is learned from the rows of the other folds and the unlabeled rows.
 * The rows of the fold have weight 0 in all its statistics. */
#include "evaluate/cross_validation.h"

#include "base/error.h"
#include "base/memory.h"
#include "em/partly_labelled.h"

#include <stdio.h>

/* A column of a file cannot have this name. */
static const crd_text FOLD_COLUMN = {"\001fold", 5};

crd_status crd_cross_validation_use_unlabelled(crd_cross_validation *validation, const crd_unlabelled_options *options,
                                               crd_error *error) {
    crd_unlabelled_options chosen = CRD_UNLABELLED_OPTIONS_INIT;
    if (validation->blank != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows were learned already, without unlabeled rows");
    if (options != NULL && !crd_i_copy_in(options, &chosen, sizeof chosen))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (validation->unlabelled == NULL)
        validation->unlabelled = crd_i_alloc(validation->context, 1, sizeof *validation->unlabelled);
    if (validation->unlabelled == NULL) return crd_i_fail_memory(error);
    *validation->unlabelled = chosen;
    return CRD_OK;
}

void crd_i_cross_validation_scatter(crd_cross_validation *validation) {
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

/* The frame is copied, because the fold column is added. */
crd_status crd_i_cross_validation_gather(crd_cross_validation *validation, const crd_frame *frame,
                                         const uint32_t *folds, crd_error *error) {
    crd_context *context = validation->context;
    crd_frame *copy = NULL;
    if (validation->unlabelled == NULL) return CRD_OK;
    size_t *all = crd_i_alloc(context, frame->rows, sizeof *all);
    int32_t *codes = crd_i_alloc(context, frame->rows, sizeof *codes);
    crd_status status = all == NULL || codes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && validation->builder == NULL)
        status = crd_i_case_builder_create(context, NULL, 0, validation->target, validation->blank->schema->weight.name,
                                           &validation->builder, error);
    if (status == CRD_OK) {
        for (size_t row = 0; row < frame->rows; row++) all[row] = row;
        status = crd_i_cross_validation_pick(frame, all, frame->rows, &copy, error);
    }
    if (status == CRD_OK) status = unlabeled_folds_add(copy, codes, folds, error);
    if (status == CRD_OK) status = crd_i_case_builder_add(validation->builder, copy, error);
    crd_frame_destroy(copy);
    crd_free(context, codes);
    crd_free(context, all);
    return status;
}

crd_status crd_i_cross_validation_gathered(crd_cross_validation *validation, crd_error *error) {
    if (validation->builder == NULL) return CRD_OK;
    crd_status status = crd_i_case_builder_finish(validation->builder, &validation->cases, error);
    crd_i_case_builder_destroy(validation->builder);
    validation->builder = NULL;
    return status;
}

/* See cross_validation.h. The rows of the fold get weight 0. */
crd_status crd_i_cross_validation_unlabelled_model(const crd_cross_validation *validation, uint32_t f, crd_model **out,
                                                   crd_error *error) {
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
    crd_unlabelled_options options = *validation->unlabelled;
    options.threads = 1;
    crd_status status =
        crd_i_partly_labelled_train(cases, weights, schema, validation->settings, &options, out, NULL, error);
    crd_free(context, weights);
    return status;
}
