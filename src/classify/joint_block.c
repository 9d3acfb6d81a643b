/* SPDX-License-Identifier: MIT */
/* joint_block.c - see joint_block.h. */
#include "classify/joint_block.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/joint_tallies.h"
#include "stats/kept_rows.h"

#include <stdio.h>

crd_status crd_i_joint_block_not_kept(const char *description, const char *tally, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SETTING, "%s needs the tally '%s', which the model does not store", description, tally);
    crd_i_error_hint(error, "train it with %s, or with tally=%s", description, tally);
    crd_i_error_subject(error, crd_text_of(tally));
    return CRD_ERROR_SETTING;
}

const crd_i_model_joint_tally *crd_i_joint_block_tally(const crd_model *model, const crd_i_joint_tally_type *type) {
    for (size_t i = 0; i < model->joint_tally_count; i++)
        if (model->joint_tallies[i].covers_all && model->joint_tallies[i].joint_tally->type == type)
            return &model->joint_tallies[i];
    return NULL;
}

/* ---- Deriving ---- */

/* Stored training rows, restricted to the columns of a joint tally. Close them with close_rows, which accepts an
 * all-zero struct. */
typedef struct kept_rows {
    crd_i_sample sample;
    crd_i_cells *columns;
    crd_i_joint_tally_rows rows;
} kept_rows;

static void close_rows(crd_context *context, kept_rows *rows) {
    crd_i_sample_clear(&rows->sample);
    crd_free(context, rows->columns);
}

/* Reads the stored training rows from the tally `whole` and selects the columns of `kept`. */
static crd_status joint_block_open_rows(crd_context *context, const crd_model *model,
                                        const crd_i_schema_view *schema_view, const crd_i_model_joint_tally *whole,
                                        const crd_i_model_joint_tally *kept, kept_rows *out, crd_error *error) {
    crd_i_joint_source joint_source = {0};
    crd_status status = crd_i_joint_tallies_open(model, whole, schema_view, &joint_source, error);
    if (status != CRD_OK) return status;
    size_t count = kept->joint_tally->column_count;
    out->columns = crd_i_alloc_zeroed(context, count, sizeof *out->columns);
    bool done =
        out->columns != NULL && crd_i_sample_init(&out->sample, context, whole->joint_tally, &joint_source.view);
    for (size_t i = 0; done && i < count; i++)
        for (size_t j = 0; j < whole->joint_tally->column_count; j++)
            if (whole->columns[j] == kept->columns[i]) out->columns[i] = out->sample.columns[j];
    crd_i_joint_tallies_close(&joint_source);
    if (!done) return crd_i_fail_memory(error);
    const crd_i_joint_tally_rows rows = {out->sample.rows, out->columns, out->sample.conditions, out->sample.weights};
    out->rows = rows;
    return CRD_OK;
}

/* Derives the joint density. If its type is fitted to rows and the model stores rows, reuses a cached fit, or fits now
 * and adds the result to the classifier's cache. */
static crd_status joint_block_derive_from(crd_classifier *classifier, const crd_model *model,
                                          const crd_i_schema_view *view, const crd_i_model_joint_tally *kept,
                                          const crd_i_joint_type *type, size_t number, crd_i_joint_source *joint_source,
                                          crd_i_joint **joint, crd_error *error) {
    const crd_i_model_joint_tally *whole = crd_i_joint_block_tally(model, &crd_i_kept_rows);
    if (whole == NULL || type->asks_rows == NULL || !type->asks_rows(classifier->settings))
        return type->derive(classifier->context, joint_source, classifier->settings, joint, error);
    char what[32];
    snprintf(what, sizeof what, "joint:%zu", number);
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, what, classifier->settings);
    if (known != NULL) {
        joint_source->fitted = known->numbers;
        joint_source->fitted_count = known->count;
    }
    kept_rows rows = {0};
    crd_status status = joint_block_open_rows(classifier->context, model, view, whole, kept, &rows, error);
    joint_source->rows = &rows.rows;
    if (status == CRD_OK) status = type->derive(classifier->context, joint_source, classifier->settings, joint, error);
    size_t count = 0;
    const double *numbers = status == CRD_OK ? type->fitted(*joint, &count) : NULL;
    if (numbers != NULL && !crd_i_fit_cache_put(&classifier->fitted, what, classifier->settings, numbers, count))
        status = crd_i_fail_memory(error);
    close_rows(classifier->context, &rows);
    return status;
}

static size_t joint_block_find_attribute(const crd_classifier *classifier, crd_text name) {
    size_t i = 0;
    while (i < classifier->attribute_count && !crd_text_equal(classifier->attributes[i].name, name)) i++;
    return i;
}

/* Maps the columns of the joint density to attributes, and marks attributes that it covers as jointly scored. */
static crd_status take_attributes(crd_classifier *classifier, const crd_text *names, crd_i_joint_block *block,
                                  crd_error *error) {
    const crd_i_joint *joint = block->joint;
    block->attributes = crd_i_alloc(classifier->context, joint->column_count, sizeof *block->attributes);
    if (block->attributes == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < joint->column_count; i++) {
        block->attributes[i] = joint_block_find_attribute(classifier, names[i]);
        if (joint->takes[i]) classifier->attributes[block->attributes[i]].is_joint = true;
    }
    return CRD_OK;
}

crd_status crd_i_joint_block_derive(crd_classifier *classifier, const crd_model *model,
                                    const crd_i_schema_view *schema_view, const crd_i_model_joint_tally *kept,
                                    const crd_i_joint_type *type, size_t number, crd_i_joint_block *out,
                                    crd_error *error) {
    crd_i_joint_source joint_source = {0};
    crd_i_joint_block joint_block = {NULL, NULL};
    crd_status status = crd_i_joint_tallies_open(model, kept, schema_view, &joint_source, error);
    if (status == CRD_OK && kept->joint_tally->is_given_up)
        status = kept->joint_tally->type->refuse(kept->joint_tally, &joint_source.view, error);
    if (status == CRD_OK)
        status = joint_block_derive_from(classifier, model, schema_view, kept, type, number, &joint_source,
                                         &joint_block.joint, error);
    if (status == CRD_OK && !type->estimates(joint_block.joint, &classifier->estimates))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = take_attributes(classifier, joint_source.names, &joint_block, error);
    crd_i_joint_tallies_close(&joint_source);
    if (status == CRD_OK) *out = joint_block;
    else crd_i_joint_block_clear(&joint_block);
    return status;
}

void crd_i_joint_block_clear(crd_i_joint_block *block) {
    if (block->joint == NULL) return;
    crd_free(block->joint->context, block->attributes);
    crd_i_joint_destroy(block->joint);
    block->joint = NULL;
}

/* ---- Scoring ---- */

size_t crd_i_joint_block_scratch(const crd_i_joint_block *block) {
    return crd_i_joint_cells_room(block->joint->column_count) + block->joint->capacity;
}

const crd_i_joint_cell *crd_i_joint_block_cells(const crd_i_joint_block *block, const crd_i_scored_row *row) {
    crd_i_joint_cell *joint_cell = (crd_i_joint_cell *)row->scratch;
    for (size_t i = 0; i < block->joint->column_count; i++) {
        const crd_i_one_cell *cell = &row->cells[block->attributes[i]];
        const crd_i_joint_cell one = {cell->is_present && !cell->is_unseen, cell->number, cell->code};
        joint_cell[i] = one;
    }
    return joint_cell;
}

void crd_i_joint_block_add(const crd_i_joint_block *block, const crd_i_scored_row *row, double *sums) {
    const crd_i_joint *joint = block->joint;
    const crd_i_joint_cell *cells = crd_i_joint_block_cells(block, row);
    joint->type->add(joint, cells, sums, row->scratch + crd_i_joint_cells_room(joint->column_count));
}

/* ---- Description ---- */

void crd_i_joint_block_describe(const crd_i_joint_block *block, crd_joint *out) {
    const crd_i_joint *joint = block->joint;
    out->name = joint->type->name;
    out->summary = joint->type->summary;
    for (size_t i = 0; i < joint->column_count; i++) out->attribute_count += joint->takes[i];
    if (joint->type->describe != NULL) joint->type->describe(joint, out->description, sizeof out->description);
    out->rows = block->joint->rows;
    out->incomplete_rows = block->joint->incomplete_rows;
}

void crd_i_joint_block_attributes(const crd_i_joint_block *block, size_t *out) {
    for (size_t i = 0; i < block->joint->column_count; i++)
        if (block->joint->takes[i]) *out++ = block->attributes[i];
}
