/* SPDX-License-Identifier: MIT */
/* joint_scorer.c - see joint_scorer.h.
 *
 * Contents:
 *   1. Blocks of attributes
 *   2. The scorer */
#include "classify/joint_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/classify_row.h"
#include "model/joint_tallies.h"
#include "stats/kept_rows.h"

#include <stdio.h>

/* ======== 1. Blocks of attributes ======== */

crd_status crd_i_joint_block_not_kept(const char *description, const char *tally, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SETTING, "%s needs the statistic '%s', which the model does not store", description,
               tally);
    crd_i_error_hint(error, "train it with %s, or with keep-statistics=%s", description, tally);
    crd_i_error_subject(error, crd_text_of(tally));
    return CRD_ERROR_SETTING;
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
    const size_t count = kept->joint_tally->column_count;
    const crd_status status = crd_i_joint_tallies_rows(model, whole, schema_view, &out->sample, error);
    if (status != CRD_OK) return status;
    out->columns = crd_i_alloc_zeroed(context, count, sizeof *out->columns);
    if (out->columns == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < whole->joint_tally->column_count; j++)
            if (whole->columns[j] == kept->columns[i]) out->columns[i] = crd_i_sample_cells(&out->sample, j);
    const crd_i_joint_tally_rows rows = {out->sample.table->rows, out->columns, crd_i_sample_conditions(&out->sample),
                                         out->sample.table->weights};
    out->rows = rows;
    return CRD_OK;
}

/* Derives the joint density. If its type is fitted to rows and the model stores rows, reuses a cached fit, or fits now
 * and adds the result to the classifier's cache. */
static crd_status joint_block_derive_from(crd_classifier *classifier, const crd_model *model,
                                          const crd_i_schema_view *view, const crd_i_model_joint_tally *kept,
                                          const crd_i_joint_type *type, size_t number, crd_i_joint_source *joint_source,
                                          crd_i_joint **joint, crd_error *error) {
    const crd_i_model_joint_tally *whole = crd_i_joint_tallies_whole(model, &crd_i_kept_rows);
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
    if (status == CRD_OK && kept->joint_tally->is_dropped)
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

/* ======== 2. The scorer ======== */

typedef struct joint_scorer {
    crd_i_naive_scorer naive;
    crd_i_joint_block *blocks;
    size_t count;
} joint_scorer;

/* ---- Scoring ---- */

static crd_status joint_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                     double *probabilities, crd_answer *answer, crd_error *error) {
    const joint_scorer *joint = (const joint_scorer *)scorer;
    (void)error;
    crd_i_row_begin(row, log_posterior, answer);
    crd_i_naive_scorer_add(&joint->naive, row, log_posterior);
    for (size_t i = 0; i < joint->count; i++) crd_i_joint_block_add(&joint->blocks[i], row, log_posterior);
    crd_i_row_conclude(row, log_posterior, probabilities, answer);
    return CRD_OK;
}

static void joint_scorer_destroy(crd_i_scorer *scorer) {
    joint_scorer *joint = (joint_scorer *)scorer;
    for (size_t i = 0; i < joint->count; i++) crd_i_joint_block_clear(&joint->blocks[i]);
    crd_free(scorer->context, joint->blocks);
    crd_free(scorer->context, joint->naive.weights);
    crd_free(scorer->context, scorer);
}

static size_t joint_scorer_count(const crd_i_scorer *scorer) {
    return ((const joint_scorer *)scorer)->count;
}

static void joint_scorer_describe(const crd_i_scorer *scorer, const crd_classifier *classifier, size_t joint,
                                  crd_joint *out) {
    (void)classifier;
    crd_i_joint_block_describe(&((const joint_scorer *)scorer)->blocks[joint], out);
}

static crd_status joint_scorer_list_attributes(const crd_i_scorer *scorer, const crd_classifier *classifier,
                                               size_t joint, size_t *out, crd_error *error) {
    (void)classifier, (void)error;
    crd_i_joint_block_attributes(&((const joint_scorer *)scorer)->blocks[joint], out);
    return CRD_OK;
}

static crd_status joint_scorer_add(const crd_i_scorer *scorer, const crd_i_scored_row *row, size_t joint, double *sums,
                                   crd_error *error) {
    (void)error;
    crd_i_joint_block_add(&((const joint_scorer *)scorer)->blocks[joint], row, sums);
    return CRD_OK;
}

static const crd_i_joint_block *joint_scorer_block(const crd_i_scorer *scorer, size_t joint) {
    return &((const joint_scorer *)scorer)->blocks[joint];
}

static const crd_i_scorer_joints joints = {.count = joint_scorer_count,
                                           .describe = joint_scorer_describe,
                                           .attributes = joint_scorer_list_attributes,
                                           .add = joint_scorer_add,
                                           .block = joint_scorer_block};

static const crd_i_scorer_type joint_type = {.name = "joint",
                                             .score = joint_scorer_score,
                                             .destroy = joint_scorer_destroy,
                                             .weight = crd_i_naive_scorer_weight,
                                             .joints = &joints};

/* ---- Deriving ---- */

/* The sources from which the blocks are derived, and the scorer they are added to. */
typedef struct scorer_derivation {
    crd_classifier *classifier;
    const crd_model *model;
    const crd_i_schema_view *view;
    joint_scorer *scorer;
} scorer_derivation;

/* Derives a joint density and adds it to the scorer. The scratch space of the scorer grows if the block needs more. */
static crd_status joint_scorer_add_block(const scorer_derivation *derivation, const crd_i_model_joint_tally *kept,
                                         const crd_i_joint_type *type, crd_error *error) {
    joint_scorer *scorer = derivation->scorer;
    crd_i_joint_block *block = &scorer->blocks[scorer->count];
    crd_status status = crd_i_joint_block_derive(derivation->classifier, derivation->model, derivation->view, kept,
                                                 type, scorer->count, block, error);
    if (status != CRD_OK) return status;
    size_t scratch = crd_i_joint_block_scratch(block);
    if (scratch > scorer->naive.base.scratch) scorer->naive.base.scratch = scratch;
    scorer->count++;
    return CRD_OK;
}

/* Returns the model's joint tally of a type over exactly the columns of a block; NULL if the model does not store
 * it. */
static const crd_i_model_joint_tally *joint_scorer_find_block(const crd_model *model, const crd_settings *settings,
                                                              size_t block, const crd_i_joint_tally_type *type) {
    size_t first = block == 0 ? 0 : settings->joint_ends[block - 1], count = settings->joint_ends[block] - first;
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        if (kept->joint_tally->type != type || kept->joint_tally->column_count != count) continue;
        size_t same = 0;
        while (same < count && crd_text_equal(model->schema->columns[kept->columns[same]].name,
                                              crd_i_dictionary_text(settings->joint_columns, first + same)))
            same++;
        if (same == count) return kept;
    }
    return NULL;
}

static bool joint_scorer_has_type(const crd_model *model, const crd_i_model_joint_tally *kept, crd_column_type type) {
    for (size_t i = 0; i < kept->joint_tally->column_count; i++)
        if (crd_i_model_column_type(model, kept->columns[i]) == type) return true;
    return false;
}

static const crd_i_joint_type *type_for(const crd_settings *settings, crd_column_type type) {
    if (type == CRD_TYPE_CATEGORICAL) return crd_i_joint_named("table");
    return crd_i_joint_named(settings->is_joint_mixture ? "normal-mixture" : "normal");
}

/* Adds a block of all attributes of a column type, if there are any. */
static crd_status add_type(const scorer_derivation *derivation, crd_column_type column_type, crd_error *error) {
    const crd_i_joint_type *type = type_for(derivation->classifier->settings, column_type);
    const crd_i_model_joint_tally *kept = crd_i_joint_tallies_whole(derivation->model, type->reads);
    if (kept == NULL)
        return crd_i_joint_block_not_kept(column_type == CRD_TYPE_NUMERIC ? "joint=numbers" : "joint=categories",
                                          type->reads->name, error);
    return joint_scorer_has_type(derivation->model, kept, column_type)
               ? joint_scorer_add_block(derivation, kept, type, error)
               : CRD_OK;
}

/* Checks that all columns of a block are attributes of the same column type, and returns this type in *type. It is
 * CRD_TYPE_NONE if no column has values. */
static crd_status joint_scorer_check_block(const crd_model *model, const crd_settings *settings, size_t block,
                                           crd_column_type *type, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    *type = CRD_TYPE_NONE;
    for (size_t i = block == 0 ? 0 : settings->joint_ends[block - 1]; i < settings->joint_ends[block]; i++) {
        crd_text name = crd_i_dictionary_text(settings->joint_columns, i);
        size_t column = crd_i_schema_find(model->schema, name);
        if (column == SIZE_MAX || column == model->schema->target) {
            crd_i_fail(error, CRD_ERROR_SETTING, "joint names '%s', which is not an attribute of the model",
                       crd_i_quote(name, quoted));
            crd_i_error_subject(error, crd_text_of("joint"));
            return CRD_ERROR_SETTING;
        }
        crd_column_type found_type = crd_i_model_column_type(model, column);
        if (*type != CRD_TYPE_NONE && found_type != CRD_TYPE_NONE && found_type != *type) {
            crd_i_fail(error, CRD_ERROR_SETTING,
                       "a block of joint must contain only numbers or only categories, but '%s' is a %s among %s",
                       crd_i_quote(name, quoted), found_type == CRD_TYPE_NUMERIC ? "number" : "category",
                       found_type == CRD_TYPE_NUMERIC ? "categories" : "numbers");
            crd_i_error_subject(error, crd_text_of("joint"));
            return CRD_ERROR_SETTING;
        }
        if (found_type != CRD_TYPE_NONE) *type = found_type;
    }
    return CRD_OK;
}

/* Adds the blocks that the setting joint lists by columns. Blocks without values are skipped. */
static crd_status add_named_blocks(const scorer_derivation *derivation, crd_error *error) {
    const crd_settings *settings = derivation->classifier->settings;
    crd_status status = CRD_OK;
    for (size_t block = 0; status == CRD_OK && block < settings->joint_count; block++) {
        crd_column_type column_type;
        status = joint_scorer_check_block(derivation->model, settings, block, &column_type, error);
        if (status != CRD_OK || column_type == CRD_TYPE_NONE) continue;
        const crd_i_joint_type *type = type_for(settings, column_type);
        const crd_i_model_joint_tally *kept = joint_scorer_find_block(derivation->model, settings, block, type->reads);
        bool is_mixture = type->reads == &crd_i_kept_rows;
        if (kept == NULL)
            return crd_i_joint_block_not_kept(is_mixture ? "joint=COLUMNS with joint-mixture=auto" : "joint=COLUMNS",
                                              type->reads->name, error);
        status = joint_scorer_add_block(derivation, kept, type, error);
    }
    return status;
}

static crd_status add_blocks(const scorer_derivation *derivation, crd_i_together together, crd_error *error) {
    crd_status status = CRD_OK;
    if (together == CRD_I_TOGETHER_BLOCKS) return add_named_blocks(derivation, error);
    if (together == CRD_I_TOGETHER_ALL || together == CRD_I_TOGETHER_NUMBERS)
        status = add_type(derivation, CRD_TYPE_NUMERIC, error);
    if (status == CRD_OK && (together == CRD_I_TOGETHER_ALL || together == CRD_I_TOGETHER_CATEGORIES))
        status = add_type(derivation, CRD_TYPE_CATEGORICAL, error);
    return status;
}

crd_status crd_i_joint_scorer_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                     crd_error *error) {
    enum { NUMBERS_AND_CATEGORIES = 2 };
    crd_i_together together = crd_i_settings_together(classifier->settings);
    size_t most = together == CRD_I_TOGETHER_BLOCKS ? classifier->settings->joint_count : NUMBERS_AND_CATEGORIES;
    joint_scorer *scorer = crd_i_alloc_zeroed(classifier->context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    const crd_i_scorer base = {
        .type = &joint_type, .context = classifier->context, .scratch = classifier->class_count, .is_generative = true};
    scorer->naive.base = base;
    classifier->scorer = &scorer->naive.base;
    scorer->blocks = crd_i_alloc_zeroed(classifier->context, most, sizeof *scorer->blocks);
    const scorer_derivation derivation = {classifier, model, view, scorer};
    return scorer->blocks == NULL ? crd_i_fail_memory(error) : add_blocks(&derivation, together, error);
}

bool crd_i_joint_scorer_fits_rows(const crd_settings *settings) {
    crd_i_together together = crd_i_settings_together(settings);
    const crd_i_joint_type *type = type_for(settings, CRD_TYPE_NUMERIC);
    return together != CRD_I_TOGETHER_NONE && together != CRD_I_TOGETHER_CATEGORIES && type->asks_rows(settings);
}
