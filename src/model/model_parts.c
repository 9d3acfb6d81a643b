/* SPDX-License-Identifier: MIT */
/* model_parts.c - operations on whole models: creation, merging of parts, summary, comparison, conversion from and to
 * schemas.
 *
 * Contents:
 *   1. Creation and copies
 *   2. Parts
 *   3. Summary
 *   4. Comparison
 *   5. Schemas and weights */
#include "model/model_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/selector.h"
#include "base/text.h"
#include "io/public_schema.h"
#include "model/column_family.h"
#include "model/joint_tallies.h"
#include "model/schema_view.h"
#include "stats/counts.h"
#include "stats/term_store.h"
#include "table/missing_values.h"

#include <credence/combine.h>
#include <credence/evaluate.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Creation and copies ======== */

/* Numbers the values that the schema declares. */
static crd_status number_declared(crd_model *model, size_t column, crd_error *error) {
    const crd_i_dictionary *declared = model->schema->columns[column].values;
    if (declared == NULL) return CRD_OK;
    crd_status status = crd_i_model_settle(model, column, CRD_TYPE_CATEGORICAL, error);
    for (size_t i = 0; status == CRD_OK && i < crd_i_dictionary_size(declared); i++)
        if (crd_i_dictionary_add(model->variables[column].values, crd_i_dictionary_text(declared, i)) < 0)
            status = crd_i_fail_memory(error);
    return status;
}

crd_status crd_i_model_create_bare(crd_context *context, crd_i_schema *schema, const crd_settings *settings,
                                   crd_model **out, crd_error *error) {
    *out = NULL;
    crd_status status = CRD_ERROR_MEMORY;
    crd_model *model = crd_i_alloc_zeroed(context, 1, sizeof *model);
    if (model == NULL) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    model->context = context;
    model->kind = &crd_i_tallied_kind;
    model->schema = schema;
    model->binding.context = model->fitted.context = context;
    model->variables = crd_i_alloc_zeroed(context, schema->count, sizeof *model->variables);
    if (model->variables == NULL) {
        crd_i_fail_memory(error);
        goto fail;
    }
    if (schema->target >= schema->count) {
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "no column is set as the target");
        goto fail;
    }
    if (schema->width > CRD_I_MOST_WIDTH) {
        status = crd_i_fail(error, CRD_ERROR_LIMIT, "rows of more than %d fields", (int)CRD_I_MOST_WIDTH);
        goto fail;
    }
    schema->columns[schema->target].type = CRD_TYPE_CATEGORICAL;
    status = settings == NULL ? crd_settings_create(context, &model->settings, error)
                              : crd_i_settings_copy(context, settings, &model->settings, error);
    if (status != CRD_OK) goto fail;
    status = crd_i_model_settle(model, schema->target, CRD_TYPE_CATEGORICAL, error);
    for (size_t i = 0; status == CRD_OK && i < schema->count; i++) status = number_declared(model, i, error);
    if (status != CRD_OK) goto fail;
    *out = model;
    return CRD_OK;

fail:
    crd_model_destroy(model);
    return status;
}

/* Returns whether the settings describe a network whose arcs are specified, or learned by a search that treats all
 * columns equally. */
static bool needs_no_target(const crd_settings *settings) {
    size_t dependence;
    crd_i_search_choice search = crd_i_settings_search(settings, &dependence);
    return settings->method == CRD_I_METHOD_NETWORK &&
           (settings->structure_nodes != NULL ||
            (search != CRD_I_SEARCH_NONE && search != CRD_I_SEARCH_TAN && search != CRD_I_SEARCH_KDB));
}

crd_status crd_i_model_create(crd_context *context, crd_i_schema *schema, const crd_settings *settings, crd_model **out,
                              crd_error *error) {
    *out = NULL;
    if (schema->target == SIZE_MAX && settings != NULL && needs_no_target(settings) && !crd_i_schema_stand_in(schema)) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    crd_status status = crd_i_model_create_bare(context, schema, settings, out, error);
    if (status != CRD_OK) return status;
    (*out)->extras = crd_i_settings_extras((*out)->settings);
    status = crd_i_joint_tallies_keep_by_settings(*out, error);
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*out);
    *out = NULL;
    return status;
}

crd_status crd_i_model_keep_like(crd_model *model, const crd_model *like, crd_error *error) {
    model->extras = like->extras;
    return crd_i_joint_tallies_keep_like(model, like, error);
}

crd_status crd_i_model_create_like(const crd_model *model, crd_model **out, crd_error *error) {
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_clone(model->schema);
    if (schema == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_model_create_bare(model->context, schema, model->settings, out, error);
    if (status == CRD_OK) status = crd_i_model_keep_like(*out, model, error);
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*out);
    *out = NULL;
    return status;
}

crd_status crd_i_model_clone(const crd_model *model, crd_model **out, crd_error *error) {
    *out = NULL;
    if (model->content != NULL && model->kind->clone == NULL) return model->kind->refuse(model, "be copied", error);
    crd_status status = crd_i_model_create_like(model, out, error);
    if (status != CRD_OK) return status;
    status = crd_i_model_combine(*out, model, 1, error);
    if (status == CRD_OK && !crd_i_fit_cache_join(&(*out)->fitted, &model->fitted)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_selection_clone(model->selection, &(*out)->selection, error);
    if (status == CRD_OK) status = crd_i_part_ids_clone(model->parts, &(*out)->parts, error);
    if (status == CRD_OK) status = crd_i_shards_clone(model->shards, &(*out)->shards, error);
    if (status == CRD_OK && model->content != NULL) {
        status = model->kind->clone(model->context, model->content, &(*out)->content, error);
        if (status == CRD_OK) (*out)->kind = model->kind;
    }
    if (status != CRD_OK) {
        crd_model_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- Creation from a frame ---- */

static bool model_create_add_column(crd_i_schema *schema, const crd_i_column *like) {
    size_t i = schema->count;
    if (!crd_i_schema_add(schema, like->name, like->type, i)) return false;
    if (like->declared != NULL) schema->columns[i].values = crd_i_dictionary_clone(like->declared);
    return (like->declared == NULL) == (schema->columns[i].values == NULL);
}

static crd_status fail_role(crd_error *error, crd_text name, const char *format) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, format, crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static crd_status choose_roles(crd_i_schema *schema, crd_text target, const crd_text *weight, crd_error *error) {
    if (weight != NULL) {
        size_t column = crd_i_schema_find(schema, *weight);
        if (column == SIZE_MAX) return fail_role(error, *weight, "the weight column '%s' does not exist");
        if (schema->columns[column].type == CRD_TYPE_CATEGORICAL)
            return fail_role(error, *weight, "the weight '%s' must be a number, not a category");
        if (target.bytes != NULL && crd_text_equal(*weight, target))
            return fail_role(error, *weight, "'%s' cannot be both the target and the weight");
        crd_i_schema_take_weight(schema, column);
    }
    if (target.bytes == NULL) return CRD_OK;
    schema->target = crd_i_schema_find(schema, target);
    return schema->target != SIZE_MAX ? CRD_OK : fail_role(error, target, "the target column '%s' does not exist");
}

static crd_status model_create_from(crd_context *context, const crd_frame *like, crd_text target,
                                    const crd_text *weight, const crd_settings *settings, crd_model **out,
                                    crd_error *error) {
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_create(context);
    if (schema == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < like->column_count; i++)
        if (!model_create_add_column(schema, &like->columns[i])) status = crd_i_fail_memory(error);
    schema->width = like->column_count;
    schema->has_header = true;
    if (status == CRD_OK) status = choose_roles(schema, target, weight, error);
    if (status == CRD_OK) return crd_i_model_create(context, schema, settings, out, error);
    crd_i_schema_destroy(schema);
    return status;
}

crd_status crd_model_create(crd_context *context, const crd_frame *like, crd_text target, const crd_settings *settings,
                            crd_model **out, crd_error *error) {
    const crd_text *weight = like->origin == NULL ? NULL : &like->origin->weight.name;
    if (weight != NULL && weight->bytes == NULL) weight = NULL;
    return model_create_from(context, like, target, weight, settings, out, error);
}

crd_status crd_model_create_weighted(crd_context *context, const crd_frame *like, crd_text target, crd_text weight,
                                     const crd_settings *settings, crd_model **out, crd_error *error) {
    return model_create_from(context, like, target, &weight, settings, out, error);
}

crd_status crd_i_model_keep(crd_model *model, crd_i_kept kept, crd_error *error) {
    crd_i_extras extras = kept.extras;
    if ((extras & ~model->extras) == 0 && kept.joint_tallies == 0) return CRD_OK;
    if (!crd_i_tally_is_empty(crd_i_model_target(model)->tally))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the model has learned rows already: choose the statistics before the first row");
    for (size_t i = 0; i < model->schema->count; i++) {
        crd_i_variable *variable = &model->variables[i];
        bool is_number = variable->tally != NULL && variable->tally->type->type == CRD_TYPE_NUMERIC;
        if (is_number && !crd_i_variable_extend(model, variable, extras)) return crd_i_fail_memory(error);
    }
    crd_status status = crd_i_joint_tallies_keep(model, kept.joint_tallies, error);
    if (status == CRD_OK) model->extras |= extras;
    return status;
}

crd_status crd_model_keep(crd_model *model, crd_text tallies, crd_error *error) {
    crd_i_kept kept = {0, 0};
    crd_status status = crd_i_model_check_of_rows(model, "store more statistics", error);
    if (status == CRD_OK) status = crd_i_kept_parse(tallies, &kept, error);
    return status == CRD_OK ? crd_i_model_keep(model, kept, error) : status;
}

void crd_model_destroy(crd_model *model) {
    if (model == NULL) return;
    if (model->variables != NULL)
        for (size_t i = 0; i < model->schema->count; i++) crd_i_variable_clear(&model->variables[i]);
    crd_free(model->context, model->variables);
    crd_i_joint_tallies_clear(model);
    crd_i_waiting_destroy(model->waiting);
    crd_i_batch_destroy(model->batch);
    crd_i_groups_clear(&model->groups);
    crd_i_fit_cache_clear(&model->fitted);
    crd_i_model_drop_selection(model);
    crd_i_part_ids_destroy(model->parts);
    crd_i_shards_destroy(model->shards);
    if (model->content != NULL) model->kind->destroy(model->context, model->content);
    crd_i_binding_clear(&model->binding);
    crd_settings_destroy(model->settings);
    crd_i_schema_destroy(model->schema);
    crd_free(model->context, model);
}

/* ======== 2. Parts ========
 *
 * Merges and retracts models of parts of the rows. Parts are identified by ids, so no part is counted twice. */

/* ---- Compatibility ---- */

static crd_status check_missing_texts(const crd_i_schema *mine, const crd_i_schema *theirs, crd_error *error) {
    if (crd_i_schema_equal_missing(mine, theirs)) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the models treat different texts as missing values");
}

static crd_status model_parts_check_settings(const crd_settings *mine, const crd_settings *theirs, crd_error *error) {
    if (crd_i_settings_equal(mine, theirs)) return CRD_OK;
    size_t count, i = 0;
    count = crd_setting_count();
    while (i + 1 < count && strcmp(mine->texts[i], theirs->texts[i]) == 0) i++;
    const char *name = crd_setting_at(i)->name;
    crd_i_fail(error, CRD_ERROR_SETTINGS_DIFFER,
               "the models' default settings differ: %s is %.200s in the first and %.200s in the second", name,
               mine->texts[i], theirs->texts[i]);
    crd_i_error_subject(error, crd_text_of(name));
    /* Each model has counted for its own arcs only, and has no rows from which other arcs could be counted. */
    if (strcmp(name, "search") == 0 || strcmp(name, "arcs") == 0)
        crd_i_error_hint(error, "specify the same arcs for all models; to search for arcs, train each part with "
                                "part=ID or shard=I/N: it stores its rows, and the search runs after the merge");
    return CRD_ERROR_SETTINGS_DIFFER;
}

static crd_status check_targets(const crd_model *mine, const crd_model *theirs, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (mine->schema->lacks_target == theirs->schema->lacks_target) return CRD_OK;
    crd_text name = crd_model_target(mine->schema->lacks_target ? theirs : mine);
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' is the target of one model, but the other has no target",
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Adds (sign 1) or subtracts (sign -1) the other model. */
static crd_status model_parts_combine(crd_model *model, const crd_model *other, int sign, crd_error *error) {
    crd_status status = model->kind->combine != NULL ? model->kind->combine(model, other, sign, error)
                                                     : crd_i_model_combine(model, other, sign, error);
    /* Literal quotes may occur in some of the files only. */
    if (status == CRD_OK && sign > 0 && other->schema->has_literal_quotes) model->schema->has_literal_quotes = true;
    return status;
}

/* Rejects models with latent classes. Each fit numbers its latent classes independently, so class 1 of one model need
 * not correspond to class 1 of another. */
static crd_status model_parts_check_classes(const crd_model *model, const char *description, crd_error *error) {
    if (model->settings->latent_nodes == NULL || model->settings->method == CRD_I_METHOD_NETWORK) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_ARGUMENT,
               "a model of latent classes cannot %s: its classes are fitted to its own rows, and need not match "
               "classes with the same name in another model",
               description);
    crd_i_error_hint(error, "train on all rows together; to use several machines, run credence-mpi train");
    crd_i_error_subject(error, crd_text_of("latent-nodes"));
    return CRD_ERROR_ARGUMENT;
}

/* Checks that a model consists of rows, or that its type can be combined, and that it was not fitted to all rows
 * together. */
static crd_status check_combines(const crd_model *model, const char *description, crd_error *error) {
    crd_status status = model_parts_check_classes(model, description, error);
    if (status != CRD_OK) return status;
    return model->kind->check_combines != NULL ? model->kind->check_combines(model, description, error)
                                               : crd_i_model_check_of_rows(model, description, error);
}

static crd_status check_fits(const crd_model *model, const crd_model *other, const char *description,
                             crd_error *error) {
    if (model->kind != other->kind && (model->kind->combine != NULL || other->kind->combine != NULL))
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "only one of the models is a sequence model");
    crd_status status = check_combines(model, description, error);
    if (status == CRD_OK) status = check_combines(other, description, error);
    if (status == CRD_OK) status = crd_i_model_check_counted(model, other->settings, error);
    if (status == CRD_OK) status = model_parts_check_settings(model->settings, other->settings, error);
    if (status == CRD_OK) status = check_missing_texts(model->schema, other->schema, error);
    return status == CRD_OK ? check_targets(model, other, error) : status;
}

/* Combines a model with another, or with a copy of itself if both are the same object. */
static crd_status combine_with(crd_model *model, const crd_model *other, int sign, crd_error *error) {
    crd_model *copy = NULL;
    crd_status status = CRD_OK;
    if (model == other) status = crd_i_model_clone(other, &copy, error);
    if (status == CRD_OK) status = model_parts_combine(model, copy == NULL ? other : copy, sign, error);
    crd_model_destroy(copy);
    return status;
}

/* Changes statistics and manifest together: all or nothing. */
static crd_status model_parts_change(crd_model *model, const crd_model *other, int sign, crd_error *error) {
    crd_i_ids_change parts;
    crd_i_shards *shards;
    crd_status status = crd_i_shard_merge_prepare(model, other, sign, &shards, error);
    if (status != CRD_OK) return status;
    status = crd_i_part_ids_prepare(model->context, model->parts, other->parts, sign, &parts, error);
    if (status == CRD_OK) {
        status = combine_with(model, other, sign, error);
        if (status == CRD_OK) crd_i_part_ids_take(&model->parts, &parts);
        else crd_i_part_ids_drop(&parts);
    }
    if (status != CRD_OK) {
        crd_i_shards_destroy(shards);
        return crd_i_shard_merge_explain(model, status, error);
    }
    crd_i_shards_destroy(model->shards);
    model->shards = shards;
    return CRD_OK;
}

/* Checks that no part of `other` is in the model. CRD_ERROR_DUPLICATE: all of its parts are, so it was merged before.
 * CRD_ERROR_OVERLAP: only some are. */
static crd_status check_apart(const crd_model *model, const crd_model *other, crd_error *error) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    crd_i_ids_overlap overlap;
    crd_i_part_ids_overlap(model->parts, other->parts, &overlap);
    if (overlap.shared == 0) return CRD_OK;
    crd_i_quote(overlap.first_shared, quoted[0]);
    crd_status status = CRD_ERROR_DUPLICATE;
    if (overlap.first_apart.bytes != NULL)
        status = crd_i_fail(error, CRD_ERROR_OVERLAP,
                            "the part '%s' is in both models, and the part '%s' in only one of them: merging would "
                            "count the rows of '%s' twice",
                            quoted[0], crd_i_quote(overlap.first_apart, quoted[1]), quoted[0]);
    else if (overlap.shared == 1) crd_i_fail(error, status, "the model contains the part '%s' already", quoted[0]);
    else
        crd_i_fail(error, status, "the model contains all %zu parts already, '%s' and others", overlap.shared,
                   quoted[0]);
    crd_i_error_subject(error, overlap.first_shared);
    return status;
}

crd_status crd_model_merge(crd_model *model, const crd_model *other, crd_error *error) {
    crd_status status = check_fits(model, other, "be merged", error);
    if (status == CRD_OK) status = check_apart(model, other, error);
    return status == CRD_OK ? model_parts_change(model, other, 1, error) : status;
}

/* ---- Ids of parts ---- */

/* Checks that all parts to be retracted are in the model. */
static crd_status check_within(const crd_model *model, const crd_model *part, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_ids_overlap overlap;
    crd_i_part_ids_overlap(model->parts, part->parts, &overlap);
    if (overlap.first_apart.bytes == NULL) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "the part '%s' is not in the model",
               crd_i_quote(overlap.first_apart, quoted));
    crd_i_error_subject(error, overlap.first_apart);
    return CRD_ERROR_NOT_LEARNED;
}

crd_status crd_model_retract(crd_model *model, const crd_model *part, crd_error *error) {
    crd_status status = check_fits(model, part, "be retracted", error);
    if (status == CRD_OK) status = check_within(model, part, error);
    return status == CRD_OK ? model_parts_change(model, part, -1, error) : status;
}

crd_status crd_model_set_part(crd_model *model, crd_text id, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_part_ids *parts;
    crd_i_ids_overlap overlap;
    crd_status status = check_combines(model, "get a part id", error);
    if (status != CRD_OK) return status;
    if (id.bytes != NULL && id.length > CRD_I_MOST_ID)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the part id '%s' has %zu bytes: the maximum is %d",
                          crd_i_quote(id, quoted), id.length, (int)CRD_I_MOST_ID);
    if (id.bytes == NULL || !crd_i_part_id_is_valid(id))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the part id '%s' must be valid UTF-8 of 1 to %d bytes without NUL",
                          id.bytes == NULL ? "" : crd_i_quote(id, quoted), (int)CRD_I_MOST_ID);
    status = crd_i_part_ids_create(model->context, id, &parts, error);
    if (status != CRD_OK) return status;
    crd_i_part_ids_overlap(parts, model->parts, &overlap);
    if (overlap.first_apart.bytes != NULL) {
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT,
                            "the model contains the part '%s' already, so its rows cannot get another id",
                            crd_i_quote(overlap.first_apart, quoted));
        crd_i_error_subject(error, overlap.first_apart);
        crd_i_part_ids_destroy(parts);
        return status;
    }
    crd_i_part_ids_destroy(model->parts);
    model->parts = parts;
    return CRD_OK;
}

size_t crd_model_part_count(const crd_model *model) {
    return crd_i_part_ids_count(model->parts);
}

crd_status crd_model_list_parts(const crd_model *model, crd_text **out, size_t *count, crd_error *error) {
    crd_status status = crd_i_part_ids_list(model->parts, model->context, out, error);
    *count = status == CRD_OK ? crd_model_part_count(model) : 0;
    return status;
}

/* ======== 3. Summary ========
 *
 * A sorted view of the counts of a model, for people and programs. It is a copy, so the model may change. It contains
 * the main tallies only. Extra tallies and joint tallies may be far larger, so it contains only their names. */

struct crd_summary_data {
    crd_context *context;
    crd_model *model;
    crd_settings *settings; /* of the model passed by the caller; `model` may be a part of that model */
    crd_i_schema_view *view;
    size_t *columns;           /* for each attribute, its column */
    crd_moments **moments;     /* for each attribute, one per class; NULL except for numbers */
    crd_i_counts_rows *counts; /* one per attribute; empty except for categories */
    crd_i_term_store **terms;  /* one per attribute; NULL except for texts */
};

/* Computes the moments of a class from the exact sums. Undefined moments are NaN. */
static crd_status read_moments(const crd_i_tally *tally, size_t class_code, crd_moments *out, crd_error *error) {
    crd_moments result = {0, 0, 0, NAN, NAN, NAN};
    if (class_code < tally->conditions) {
        crd_i_moment_cell cell = crd_i_moments_cell(tally, class_code);
        crd_i_scaled variance;
        bool defined = true;
        result.rows = crd_i_sums_value(cell.n, class_code);
        result.sum = crd_i_sums_value(cell.s, class_code);
        result.sum_of_squares = crd_i_sums_value(cell.q, class_code);
        if (!crd_i_moments_mean(cell, &result.mean, NULL, &defined)) {
            if (defined) return crd_i_fail_memory(error);
            result.mean = NAN;
        }
        if (crd_i_moments_variance(cell, false, &variance, &defined)) result.variance = crd_i_scaled_value(variance);
        else if (defined) return crd_i_fail_memory(error);
        if (crd_i_moments_variance(cell, true, &variance, &defined))
            result.sample_variance = crd_i_scaled_value(variance);
        else if (defined) return crd_i_fail_memory(error);
    }
    *out = result;
    return CRD_OK;
}

static int32_t class_code(const crd_summary *summary, size_t class_index) {
    return summary->data->view->views[summary->data->model->schema->target].values[class_index];
}

static crd_column_type summary_type(const crd_summary *summary, size_t attribute) {
    return crd_i_model_column_type(summary->data->model, summary->data->columns[attribute]);
}

static crd_status model_summary_read_attribute(crd_summary *summary, size_t i, crd_error *error) {
    const crd_i_tally *tally = summary->data->model->variables[summary->data->columns[i]].tally;
    summary->data->counts[i].context = summary->data->context;
    if (tally == NULL) return CRD_OK;
    if (tally->type->type == CRD_TYPE_CATEGORICAL) {
        const crd_i_view *view = &summary->data->view->views[summary->data->columns[i]];
        return crd_i_counts_rows_init(&summary->data->counts[i], tally, view) ? CRD_OK : crd_i_fail_memory(error);
    }
    if (tally->type->type == CRD_TYPE_TEXT)
        return crd_i_terms_store(tally, &summary->data->view->views[summary->data->columns[i]],
                                 &summary->data->terms[i], error);
    if (summary_type(summary, i) != CRD_TYPE_NUMERIC) return CRD_OK;
    summary->data->moments[i] =
        crd_i_alloc(summary->data->context, summary->class_count, sizeof *summary->data->moments[i]);
    if (summary->data->moments[i] == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t k = 0; status == CRD_OK && k < summary->class_count; k++)
        status = read_moments(tally, (size_t)class_code(summary, k), &summary->data->moments[i][k], error);
    return status;
}

static crd_status model_summary_fill(crd_summary *summary, const crd_model *model, crd_error *error) {
    crd_status status = crd_i_model_create_like(model, &summary->data->model, error);
    if (status == CRD_OK) status = crd_i_model_add_main(summary->data->model, model, error);
    for (size_t i = 0; status == CRD_OK && i < model->joint_tally_count; i++)
        summary->data->model->joint_tallies[i].joint_tally->is_dropped =
            model->joint_tallies[i].joint_tally->is_dropped;
    if (status == CRD_OK) status = crd_i_schema_view_create(summary->data->model, &summary->data->view, error);
    if (status != CRD_OK) return status;
    const crd_i_schema *schema = summary->data->model->schema;
    summary->class_count = summary->data->view->views[schema->target].value_count;
    summary->data->columns = crd_i_alloc(summary->data->context, schema->count, sizeof *summary->data->columns);
    summary->data->moments = crd_i_alloc_zeroed(summary->data->context, schema->count, sizeof *summary->data->moments);
    summary->data->counts = crd_i_alloc_zeroed(summary->data->context, schema->count, sizeof *summary->data->counts);
    summary->data->terms = crd_i_alloc_zeroed(summary->data->context, schema->count, sizeof *summary->data->terms);
    if (summary->data->columns == NULL || summary->data->moments == NULL || summary->data->counts == NULL ||
        summary->data->terms == NULL)
        return crd_i_fail_memory(error);
    for (size_t column = 0; column < schema->count; column++)
        if (column != schema->target) summary->data->columns[summary->attribute_count++] = column;
    for (size_t i = 0; status == CRD_OK && i < summary->attribute_count; i++)
        status = model_summary_read_attribute(summary, i, error);
    return status;
}

/* Lists the classes and the attributes. */
static void summary_list_columns(crd_summary *summary, crd_i_arena *arena) {
    const crd_i_schema *schema = summary->data->model->schema;
    summary->classes = crd_i_arena_alloc(arena, summary->class_count, sizeof *summary->classes);
    summary->attributes = crd_i_arena_alloc(arena, summary->attribute_count, sizeof *summary->attributes);
    if (crd_i_arena_failed(arena)) return;
    for (size_t k = 0; k < summary->class_count; k++) {
        const size_t code = (size_t)class_code(summary, k);
        summary->classes[k] =
            (crd_summary_class){crd_i_dictionary_text(crd_i_model_target(summary->data->model)->values, code),
                                crd_i_model_class_rows(summary->data->model, code)};
    }
    for (size_t i = 0; i < summary->attribute_count; i++) {
        const crd_text name = schema->columns[summary->data->columns[i]].name;
        const crd_column_type type = summary_type(summary, i);
        const crd_i_family *family = crd_i_column_family_family(summary->data->settings, name, type);
        summary->attributes[i] =
            (crd_summary_attribute){name, type, family == NULL ? "" : family->name,
                                    summary->data->view->views[summary->data->columns[i]].value_count};
    }
}

/* Lists the statistics that the model keeps in addition. */
static void summary_list_tallies(crd_summary *summary, crd_i_arena *arena) {
    const crd_model *model = summary->data->model;
    summary->tallies = crd_i_arena_alloc(arena, crd_i_extra_type_count(), sizeof *summary->tallies);
    summary->joint_tallies = crd_i_arena_alloc_zeroed(arena, model->joint_tally_count, sizeof *summary->joint_tallies);
    if (crd_i_arena_failed(arena)) return;
    for (size_t i = 0; i < crd_i_extra_type_count(); i++)
        if ((model->extras >> i & 1) != 0) summary->tallies[summary->tally_count++] = crd_i_extra_type(i)->name;
    summary->joint_tally_count = model->joint_tally_count;
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        crd_summary_joint_tally *listed = &summary->joint_tallies[i];
        listed->name = kept->joint_tally->type->name;
        listed->is_dropped = kept->joint_tally->is_dropped;
        if (kept->covers_all) continue;
        listed->attributes = crd_i_arena_alloc(arena, kept->joint_tally->column_count, sizeof *listed->attributes);
        if (listed->attributes == NULL) return;
        listed->attribute_count = kept->joint_tally->column_count;
        for (size_t k = 0; k < listed->attribute_count; k++)
            listed->attributes[k] = kept->columns[k] - (kept->columns[k] >= model->schema->target);
    }
}

crd_status crd_summary_create(const crd_model *model, crd_summary **out, crd_error *error) {
    *out = NULL;
    crd_summary *summary = crd_i_arena_object(model->context, sizeof *summary);
    if (summary == NULL) return crd_i_fail_memory(error);
    summary->data = crd_i_arena_alloc_zeroed(summary->arena, 1, sizeof *summary->data);
    crd_status status = crd_i_arena_check(summary->arena, error);
    if (status == CRD_OK) {
        summary->data->context = model->context;
        status = crd_i_settings_copy(model->context, model->settings, &summary->data->settings, error);
    }
    if (status == CRD_OK) status = model_summary_fill(summary, crd_i_model_rows(model), error);
    if (status == CRD_OK) {
        summary->target = crd_model_target(summary->data->model);
        summary->weight = crd_model_weight(summary->data->model);
        summary->rows = crd_i_tally_total(crd_i_model_target(summary->data->model)->tally, 0);
        summary_list_columns(summary, summary->arena);
        summary_list_tallies(summary, summary->arena);
        status = crd_i_arena_check(summary->arena, error);
    }
    if (status == CRD_OK) *out = summary;
    else crd_summary_destroy(summary);
    return status;
}

void crd_summary_destroy(crd_summary *summary) {
    if (summary == NULL) return;
    if (summary->data == NULL) {
        crd_i_arena_destroy(summary->arena);
        return;
    }
    for (size_t i = 0; summary->data->moments != NULL && i < summary->attribute_count; i++)
        crd_free(summary->data->context, summary->data->moments[i]);
    crd_free(summary->data->context, summary->data->moments);
    for (size_t i = 0; summary->data->counts != NULL && i < summary->attribute_count; i++)
        crd_i_counts_rows_clear(&summary->data->counts[i]);
    crd_free(summary->data->context, summary->data->counts);
    for (size_t i = 0; summary->data->terms != NULL && i < summary->attribute_count; i++)
        crd_i_term_store_release(summary->data->terms[i]);
    crd_free(summary->data->context, summary->data->terms);
    crd_free(summary->data->context, summary->data->columns);
    crd_i_schema_view_destroy(summary->data->view);
    crd_model_destroy(summary->data->model);
    crd_settings_destroy(summary->data->settings);
    crd_i_arena_destroy(summary->arena);
}

/* ---- Accessors ---- */

static const crd_i_variable *variable_of(const crd_summary *summary, size_t attribute) {
    return &summary->data->model->variables[summary->data->columns[attribute]];
}

static const crd_i_view *model_summary_view(const crd_summary *summary, size_t attribute) {
    return &summary->data->view->views[summary->data->columns[attribute]];
}

size_t crd_i_summary_missing_count(const crd_summary *summary) {
    return summary->data->model->schema->missing_count;
}

crd_text crd_i_summary_missing(const crd_summary *summary, size_t index) {
    return summary->data->model->schema->missing[index];
}

int crd_summary_is_missing(const crd_summary *summary, crd_text text) {
    const crd_i_schema *schema = summary->data->model->schema;
    crd_text spelling = schema->missing_any_case ? crd_i_missing_spelling(text) : text;
    bool is = false;
    for (size_t i = 0; i < schema->missing_count && !is; i++)
        is = crd_text_equal(schema->missing[i], text) || crd_text_equal(schema->missing[i], spelling);
    return is;
}

static crd_text model_summary_name_of_attribute(const void *summary, size_t attribute) {
    return ((const crd_summary *)summary)->attributes[attribute].name;
}

static size_t model_summary_find_attribute(const void *owner, crd_text name) {
    const crd_summary *summary = owner;
    for (size_t i = 0; i < summary->attribute_count; i++)
        if (crd_text_equal(summary->attributes[i].name, name)) return i;
    return SIZE_MAX;
}

crd_status crd_summary_select(const crd_summary *summary, crd_text selector, size_t *attributes, size_t *count,
                              crd_error *error) {
    crd_i_names names = {"attribute", summary, summary->attribute_count, model_summary_name_of_attribute,
                         model_summary_find_attribute};
    *count = 0;
    if (names.count == 0) return crd_i_fail(error, CRD_ERROR_COLUMN, "the model has no attributes");
    return crd_i_select(&names, selector, attributes, count, error);
}

double crd_summary_present(const crd_summary *summary, size_t attribute, size_t class_index) {
    const crd_i_tally *tally = variable_of(summary, attribute)->tally;
    return tally == NULL ? 0 : crd_i_tally_total(tally, (size_t)class_code(summary, class_index));
}

crd_text crd_summary_value(const crd_summary *summary, size_t attribute, size_t value) {
    return crd_i_dictionary_text(variable_of(summary, attribute)->values,
                                 (size_t)model_summary_view(summary, attribute)->values[value]);
}

double crd_summary_count(const crd_summary *summary, size_t attribute, size_t value, size_t class_index) {
    return crd_i_counts_rows_value(&summary->data->counts[attribute], value, class_index);
}

double crd_summary_value_rows(const crd_summary *summary, size_t attribute, size_t value) {
    return crd_i_counts_rows_total(&summary->data->counts[attribute], value);
}

size_t crd_summary_value_classes(const crd_summary *summary, size_t attribute, size_t value, const uint32_t **classes) {
    const crd_i_counts_rows *rows = &summary->data->counts[attribute];
    *classes = rows->conditions + rows->begins[value];
    return rows->begins[value + 1] - rows->begins[value];
}

/* Returns the number of distinct terms in the documents of a class. Returns 0 for attributes without terms. */
static uint64_t summary_class_terms(const crd_summary *summary, size_t attribute, size_t class_index) {
    return summary->data->terms[attribute] == NULL
               ? 0
               : crd_i_term_store_distinct(summary->data->terms[attribute], class_index);
}

double crd_i_summary_occurrences(const crd_summary *summary, size_t attribute, size_t class_index) {
    return summary->data->terms[attribute] == NULL
               ? 0
               : crd_i_term_store_occurrences(summary->data->terms[attribute], class_index);
}

crd_moments crd_summary_moments(const crd_summary *summary, size_t attribute, size_t class_index) {
    const crd_moments none = {0, 0, 0, NAN, NAN, NAN};
    return summary->data->moments[attribute] == NULL ? none : summary->data->moments[attribute][class_index];
}

crd_moments crd_summary_column_moments(const crd_summary *summary, size_t attribute) {
    crd_moments all = {0, 0, 0, NAN, NAN, NAN};
    double sum = 0, squares = 0;
    size_t classes = summary->class_count;
    for (size_t k = 0; k < classes; k++) {
        crd_moments source_moments = crd_summary_moments(summary, attribute, k);
        if (!(source_moments.rows > 0)) continue;
        all.rows += source_moments.rows;
        all.sum += source_moments.sum;
        all.sum_of_squares += source_moments.sum_of_squares;
        sum += source_moments.rows * source_moments.mean;
    }
    if (!(all.rows > 0)) return all;
    all.mean = sum / all.rows;
    /* Total sum of squares: within classes plus between classes. */
    for (size_t k = 0; k < classes; k++) {
        crd_moments source_moments = crd_summary_moments(summary, attribute, k);
        if (source_moments.rows > 0)
            squares += source_moments.rows *
                       (source_moments.variance + (source_moments.mean - all.mean) * (source_moments.mean - all.mean));
    }
    all.variance = squares / all.rows;
    if (all.rows > 1) all.sample_variance = squares / (all.rows - 1);
    return all;
}

crd_status crd_i_summary_exact(const crd_summary *summary, size_t attribute, size_t class_index, int power, char **out,
                               crd_error *error) {
    *out = NULL;
    const crd_i_tally *tally = variable_of(summary, attribute)->tally;
    if (power < 1 || power > 2 || summary->attributes[attribute].type != CRD_TYPE_NUMERIC)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "only numbers have a sum (power 1) and a sum of squares (power 2)");
    crd_i_sums zero;
    crd_i_sums_init(&zero, summary->data->context);
    if (!crd_i_sums_extend(&zero, 1)) return crd_i_fail_memory(error);
    crd_i_moment_cell cell = {&zero, &zero, &zero, 0};
    size_t code = (size_t)class_code(summary, class_index);
    if (tally != NULL && code < tally->conditions) cell = crd_i_moments_cell(tally, code);
    *out = crd_i_sums_text(power == 1 ? cell.s : cell.q, cell.cell);
    crd_i_sums_clear(&zero);
    return *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* ======== 4. Comparison ========
 *
 * Returns whether two models are equal, and whether they have counted the same rows.
 *
 * Models are equal if their canonical bytes are equal. If the bytes differ, the first difference is searched for in the
 * summaries, from general to specific. */

crd_status crd_model_same_tally(const crd_model *model, const crd_model *other, int *same, crd_error *error) {
    crd_model *left;
    *same = 0;
    crd_status status = crd_i_model_check_of_rows(model, "be compared with rows", error);
    if (status == CRD_OK) status = crd_i_model_check_of_rows(other, "be compared with rows", error);
    if (status == CRD_OK) status = crd_i_model_clone(model, &left, error);
    if (status != CRD_OK) return status;
    status = crd_i_model_subtract_main(left, other, error);
    if (status == CRD_OK) {
        bool is_empty = true;
        for (size_t i = 0; i < left->schema->count; i++) {
            const crd_i_tally *tally = left->variables[i].tally;
            if (tally != NULL && !crd_i_tally_is_empty(tally)) is_empty = false;
        }
        *same = is_empty;
    } else if (status == CRD_ERROR_NOT_LEARNED || status == CRD_ERROR_SCHEMA_DIFFERS) {
        status = CRD_OK;
    }
    crd_model_destroy(left);
    return status;
}

/* ---- First difference ---- */

typedef struct compare_sides {
    const crd_model *models[2];
    crd_summary *summaries[2];
    crd_model_difference *difference;
} compare_sides;

/* Stores a difference. Always returns true. */
static bool model_compare_differs(compare_sides *sides, crd_model_aspect aspect, crd_text subject, const char *format,
                                  ...) __attribute__((format(printf, 4, 5)));

static bool model_compare_differs(compare_sides *sides, crd_model_aspect aspect, crd_text subject, const char *format,
                                  ...) {
    crd_model_difference *difference = sides->difference;
    size_t length = subject.length < sizeof difference->subject ? subject.length : sizeof difference->subject - 1;
    va_list arguments;
    difference->aspect = aspect;
    if (length > 0) memcpy(difference->subject, subject.bytes, length);
    difference->subject[length] = '\0';
    va_start(arguments, format);
    vsnprintf(difference->message, sizeof difference->message, format, arguments);
    va_end(arguments);
    return true;
}

static bool model_compare_same_text(crd_text a, crd_text b) {
    return (a.bytes == NULL) == (b.bytes == NULL) && crd_text_equal(a, b);
}

static bool schemas_differ(compare_sides *sides) {
    const crd_summary *a = sides->summaries[0], *b = sides->summaries[1];
    char quoted[2][CRD_I_QUOTED_ROOM];
    if (!model_compare_same_text(a->target, b->target))
        return model_compare_differs(sides, CRD_MODEL_SCHEMA, a->target, "the targets differ");
    if (!model_compare_same_text(a->weight, b->weight))
        return model_compare_differs(sides, CRD_MODEL_SCHEMA, a->weight, "the weights differ");
    size_t count = a->attribute_count, others = b->attribute_count;
    for (size_t i = 0; i < count && i < others; i++) {
        crd_text name = a->attributes[i].name, other = b->attributes[i].name;
        if (!crd_text_equal(name, other))
            return model_compare_differs(sides, CRD_MODEL_SCHEMA, name, "column '%s' is at the place of column '%s'",
                                         crd_i_quote(name, quoted[0]), crd_i_quote(other, quoted[1]));
        if (a->attributes[i].type != b->attributes[i].type)
            return model_compare_differs(sides, CRD_MODEL_SCHEMA, name, "column '%s' has another type",
                                         crd_i_quote(name, *quoted));
    }
    if (count == others) return false;
    return model_compare_differs(sides, CRD_MODEL_SCHEMA,
                                 (count > others ? a : b)->attributes[count > others ? others : count].name,
                                 "one has %zu attributes, the other %zu", count, others);
}

static bool settings_differ(compare_sides *sides) {
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name;
        const char *a = crd_settings_get(crd_model_settings(sides->models[0]), name);
        const char *b = crd_settings_get(crd_model_settings(sides->models[1]), name);
        if (strcmp(a, b) != 0)
            return model_compare_differs(sides, CRD_MODEL_SETTINGS, crd_text_of(name),
                                         "%s is %.80s in one model, and %.80s in the other", name, a, b);
    }
    return false;
}

static bool tallies_differ(compare_sides *sides) {
    const crd_summary *a = sides->summaries[0], *b = sides->summaries[1];
    bool is_same = a->tally_count == b->tally_count && a->joint_tally_count == b->joint_tally_count;
    for (size_t i = 0; is_same && i < a->tally_count; i++) is_same = strcmp(a->tallies[i], b->tallies[i]) == 0;
    for (size_t i = 0; is_same && i < a->joint_tally_count; i++)
        is_same = strcmp(a->joint_tallies[i].name, b->joint_tallies[i].name) == 0;
    return !is_same &&
           model_compare_differs(sides, CRD_MODEL_TALLIES, crd_text_of(""), "they store different statistics");
}

static bool classes_differ(compare_sides *sides) {
    const crd_summary *a = sides->summaries[0], *b = sides->summaries[1];
    char quoted[CRD_I_QUOTED_ROOM];
    size_t count = a->class_count, others = b->class_count;
    for (size_t i = 0; i < count || i < others; i++) {
        crd_text name = (i < count ? a : b)->classes[i].name;
        if (i >= count || i >= others || !crd_text_equal(name, b->classes[i].name))
            return model_compare_differs(sides, CRD_MODEL_CLASS_ROWS, name, "class '%s' is in only one of them",
                                         crd_i_quote(name, quoted));
        if (a->classes[i].rows != b->classes[i].rows)
            return model_compare_differs(sides, CRD_MODEL_CLASS_ROWS, name,
                                         "class '%s' has %.17g rows, and %.17g in the other", crd_i_quote(name, quoted),
                                         a->classes[i].rows, b->classes[i].rows);
    }
    return false;
}

/* Returns whether all numbers are equal; NaN equals NaN. */
static bool same_numbers(const double *a, const double *b, size_t count) {
    bool is_same = true;
    for (size_t i = 0; i < count; i++) is_same = is_same && (a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]));
    return is_same;
}

/* Compares the counts or moments of one column under one class. */
static bool column_differs(compare_sides *sides, size_t column, size_t class_index) {
    const crd_summary *a = sides->summaries[0], *b = sides->summaries[1];
    char quoted[2][CRD_I_QUOTED_ROOM];
    crd_text name = a->attributes[column].name;
    crd_i_quote(name, quoted[0]);
    crd_i_quote(a->classes[class_index].name, quoted[1]);
    if (crd_summary_present(a, column, class_index) != crd_summary_present(b, column, class_index))
        return model_compare_differs(sides, CRD_MODEL_COUNTS, name,
                                     "column '%s' has %.17g values in class '%s', and %.17g in the other", quoted[0],
                                     crd_summary_present(a, column, class_index), quoted[1],
                                     crd_summary_present(b, column, class_index));
    if (a->attributes[column].type == CRD_TYPE_NUMERIC) {
        crd_moments x = crd_summary_moments(a, column, class_index), y = crd_summary_moments(b, column, class_index);
        const double left[] = {x.sum, x.sum_of_squares, x.variance}, right[] = {y.sum, y.sum_of_squares, y.variance};
        return !same_numbers(left, right, 3) &&
               model_compare_differs(sides, CRD_MODEL_COUNTS, name, "column '%s' has other moments in class '%s'",
                                     quoted[0], quoted[1]);
    }
    if (a->attributes[column].type == CRD_TYPE_TEXT) {
        bool is_same =
            summary_class_terms(a, column, class_index) == summary_class_terms(b, column, class_index) &&
            crd_i_summary_occurrences(a, column, class_index) == crd_i_summary_occurrences(b, column, class_index);
        return !is_same &&
               model_compare_differs(sides, CRD_MODEL_COUNTS, name,
                                     "column '%s' has other counts of terms in class '%s'", quoted[0], quoted[1]);
    }
    size_t count = a->attributes[column].value_count, others = b->attributes[column].value_count;
    for (size_t i = 0; i < count || i < others; i++) {
        crd_text value = crd_summary_value(i < count ? a : b, column, i);
        bool is_same = i < count && i < others && crd_text_equal(value, crd_summary_value(b, column, i)) &&
                       crd_summary_count(a, column, i, class_index) == crd_summary_count(b, column, i, class_index);
        if (!is_same)
            return model_compare_differs(sides, CRD_MODEL_COUNTS, name, "column '%s' has a different count of '%s'",
                                         quoted[0], crd_i_quote(value, quoted[1]));
    }
    return false;
}

static bool counts_differ(compare_sides *sides) {
    for (size_t i = 0; i < sides->summaries[0]->attribute_count; i++)
        for (size_t k = 0; k < sides->summaries[0]->class_count; k++)
            if (column_differs(sides, i, k)) return true;
    return false;
}

/* Compares the manifests: the ids of the parts. */
static bool parts_differ(compare_sides *sides) {
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < 2; i++) {
        crd_i_ids_overlap overlap;
        crd_i_part_ids_overlap(sides->models[1 - i]->parts, sides->models[i]->parts, &overlap);
        if (overlap.first_apart.bytes != NULL)
            return model_compare_differs(sides, CRD_MODEL_PARTS, overlap.first_apart,
                                         "the part '%s' is in only one of them",
                                         crd_i_quote(overlap.first_apart, quoted));
    }
    return false;
}

static crd_status model_compare_find_difference(const crd_model *model, const crd_model *other,
                                                crd_model_difference *difference, crd_error *error) {
    compare_sides sides = {.models = {model, other}, .difference = difference};
    bool have_rows = crd_i_model_check_of_rows(crd_i_model_rows(model), "", NULL) == CRD_OK;
    if (model->kind != other->kind || crd_model_member_count(model) != crd_model_member_count(other)) {
        model_compare_differs(&sides, CRD_MODEL_KIND, crd_text_of(""), "they are models of different kinds");
        return CRD_OK;
    }
    crd_status status = CRD_OK;
    if (have_rows) status = crd_summary_create(model, &sides.summaries[0], error);
    if (have_rows && status == CRD_OK) status = crd_summary_create(other, &sides.summaries[1], error);
    if (status == CRD_OK) {
        bool is_found = have_rows ? schemas_differ(&sides) || settings_differ(&sides) || tallies_differ(&sides) ||
                                        classes_differ(&sides) || counts_differ(&sides) || parts_differ(&sides)
                                  : settings_differ(&sides);
        if (!is_found)
            model_compare_differs(
                &sides, CRD_MODEL_OTHER, crd_text_of(""),
                have_rows ? "they differ in statistics other than counts and moments, or in their fitted parameters"
                          : "their component models or networks differ");
    }
    crd_summary_destroy(sides.summaries[0]);
    crd_summary_destroy(sides.summaries[1]);
    return status;
}

crd_status crd_model_compare(const crd_model *model, const crd_model *other, crd_model_difference *out,
                             crd_error *error) {
    crd_model_difference difference = CRD_MODEL_DIFFERENCE_INIT;
    unsigned char *bytes[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    if (!crd_i_has_size(out)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the difference is not initialized");
    crd_status status = crd_model_encode(model, &bytes[0], &lengths[0], error);
    if (status == CRD_OK) status = crd_model_encode(other, &bytes[1], &lengths[1], error);
    bool is_same = status == CRD_OK && lengths[0] == lengths[1] && memcmp(bytes[0], bytes[1], lengths[0]) == 0;
    crd_free(model->context, bytes[0]);
    crd_free(other->context, bytes[1]);
    if (status == CRD_OK && !is_same) status = model_compare_find_difference(model, other, &difference, error);
    if (status == CRD_OK) crd_i_copy_out(&difference, sizeof difference, out);
    return status;
}

/* ======== 5. Schemas and weights ========
 *
 * Converts schemas to models and models to schemas, and adds a weight to an existing model. */

crd_status crd_model_create_from_schema(crd_context *context, const crd_schema *schema, const crd_settings *settings,
                                        crd_model **out, crd_error *error) {
    *out = NULL;
    if (schema->context != context)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the schema belongs to another context");
    crd_i_schema *columns = crd_i_schema_clone(schema->inner);
    return columns == NULL ? crd_i_fail_memory(error) : crd_i_model_create(context, columns, settings, out, error);
}

/* Declares the values of a category in the schema: the model's declared values and its counted values. */
static bool declare_known(const crd_model *model, size_t column, crd_i_schema *schema) {
    const crd_i_dictionary *values = crd_i_model_rows(model)->variables[column].values;
    for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++)
        if (!crd_i_schema_declare(schema, column, crd_i_dictionary_text(values, code))) return false;
    return true;
}

crd_status crd_schema_from_model(const crd_model *model, int with_values, crd_schema **out, crd_error *error) {
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_clone(model->schema);
    if (schema == NULL) return crd_i_fail_memory(error);
    bool done = true;
    for (size_t i = 0; done && i < schema->count; i++) {
        schema->columns[i].type = crd_i_model_column_type(model, i);
        if (with_values && schema->columns[i].type == CRD_TYPE_CATEGORICAL) done = declare_known(model, i, schema);
    }
    if (!done) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    crd_i_schema_drop_stand_in(schema);
    return crd_i_schema_wrap(schema, out, error);
}

static crd_status model_schema_fail_weight(crd_text name, const char *description, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' %s", crd_i_quote(name, shown), description);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

crd_status crd_model_set_weight(crd_model *model, crd_text name, crd_error *error) {
    crd_i_schema *schema = model->schema;
    crd_status status = crd_i_model_check_of_rows(model, "weigh rows", error);
    if (status != CRD_OK) return status;
    if (name.length == 0 || memchr(name.bytes, '\0', name.length) != NULL)
        return model_schema_fail_weight(name, "cannot be the weight: its name is empty, or has a NUL byte", error);
    if (schema->weight.name.bytes != NULL)
        return crd_text_equal(schema->weight.name, name)
                   ? CRD_OK
                   : model_schema_fail_weight(name, "would be a second weight", error);
    if (crd_i_schema_find(schema, name) != SIZE_MAX)
        return model_schema_fail_weight(name, "is a column of the model, and cannot be its weight", error);
    if (!crd_i_schema_set_weight(schema, name, schema->width)) return crd_i_fail_memory(error);
    schema->width++;
    /* The frames to bind now have one more column. */
    crd_i_binding_clear(&model->binding);
    return CRD_OK;
}

void crd_model_drop_declared_classes(crd_model *model) {
    if (model->schema->lacks_target) return;
    crd_i_schema_column *target = &model->schema->columns[model->schema->target];
    if (target->intervals.cuts != NULL) return; /* the declared values are the labels of the intervals */
    crd_i_dictionary_destroy(target->values);
    target->values = NULL;
}

crd_status crd_model_drop_declared_type(crd_model *model, crd_text attribute, crd_error *error) {
    crd_status status = crd_i_model_check_of_rows(model, "drop a declared column type", error);
    if (status != CRD_OK) return status;
    size_t found = crd_i_schema_find(model->schema, attribute);
    if (found == SIZE_MAX || found == model->schema->target) {
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN, "the model has no attribute '%s'", crd_i_quote(attribute, shown));
        crd_i_error_subject(error, attribute);
        return CRD_ERROR_COLUMN;
    }
    crd_i_schema_column *column = &model->schema->columns[found];
    const bool declares_more =
        column->values != NULL || column->intervals.cuts != NULL || !crd_i_column_format_is_plain(column->format);
    if (!declares_more) column->type = CRD_TYPE_NONE;
    return CRD_OK;
}

crd_text crd_model_column_field(const crd_model *model, crd_text column) {
    size_t found = crd_i_schema_find(model->schema, column);
    crd_text field = {"", 0};
    if (found != SIZE_MAX && model->schema->columns[found].field.bytes != NULL)
        field = model->schema->columns[found].field;
    return field;
}

crd_status crd_model_read_cell(const crd_model *model, crd_text column, crd_text cell, crd_value *out,
                               crd_error *error) {
    const size_t found = crd_i_schema_find(model->schema, column);
    if (found == SIZE_MAX) return crd_i_fail(error, CRD_ERROR_COLUMN, "the column does not exist");
    crd_i_schema_column schema_column = model->schema->columns[found];
    if (crd_i_column_format_has_comma(schema_column.format)) schema_column.scale = crd_i_model_scale(model, found);
    return crd_i_schema_read_cell(model->context, &schema_column, crd_i_model_column_type(model, found), cell, out,
                                  error);
}

size_t crd_model_format_number(const crd_model *model, crd_text column, double number, char buffer[CRD_CELL_ROOM]) {
    const size_t found = crd_i_schema_find(model->schema, column);
    const crd_i_column_format plain = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    return crd_i_column_format_write(found == SIZE_MAX ? plain : model->schema->columns[found].format, number, buffer);
}
