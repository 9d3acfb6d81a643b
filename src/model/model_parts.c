/* SPDX-License-Identifier: MIT */
/* model_parts.c - merges and retracts models of parts of the rows. Parts are identified by ids, so no part is counted
 * twice. */
#include "model/merge.h"
#include "model/model_create.h"
#include "model/shard_merge.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

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
    if (strcmp(name, "structure") == 0)
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
    if (model->settings->hidden_nodes == NULL || model->settings->method == CRD_I_METHOD_NETWORK) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_ARGUMENT,
               "a model of latent classes cannot %s: its classes are fitted to its own rows, and need not match "
               "classes with the same name in another model",
               description);
    crd_i_error_hint(error, "train on all rows together; to use several machines, run credence-mpi train");
    crd_i_error_subject(error, crd_text_of("hidden"));
    return CRD_ERROR_ARGUMENT;
}

/* Checks that a model consists of rows, or that its kind can be combined, and that it was not fitted to all rows
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
