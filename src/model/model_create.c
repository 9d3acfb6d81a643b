/* SPDX-License-Identifier: MIT */
/* model_create.c - see model_create.h. */
#include "model/model_create.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/joint_tallies.h"
#include "model/merge.h"

/* Numbers the values that the schema declares. */
static crd_status number_declared(crd_model *model, size_t column, crd_error *error) {
    const crd_i_dictionary *declared = model->schema->columns[column].values;
    if (declared == NULL) return CRD_OK;
    crd_status status = crd_i_model_settle(model, column, CRD_KIND_CATEGORY, error);
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
    schema->columns[schema->target].kind = CRD_KIND_CATEGORY;
    status = settings == NULL ? crd_settings_create(context, &model->settings, error)
                              : crd_i_settings_copy(context, settings, &model->settings, error);
    if (status != CRD_OK) goto fail;
    status = crd_i_model_settle(model, schema->target, CRD_KIND_CATEGORY, error);
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
    if (!crd_i_schema_add(schema, like->name, like->kind, i)) return false;
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
        if (schema->columns[column].kind == CRD_KIND_CATEGORY)
            return fail_role(error, *weight, "the weight '%s' must be a number, not a category");
        if (target.bytes != NULL && crd_text_equal(*weight, target))
            return fail_role(error, *weight, "'%s' cannot be both the target and the weight");
        crd_i_schema_take_weight(schema, column);
    }
    if (target.bytes == NULL) return CRD_OK;
    schema->target = crd_i_schema_find(schema, target);
    return schema->target != SIZE_MAX ? CRD_OK : fail_role(error, target, "the target column '%s' does not exist");
}

static crd_status model_create_create_from(crd_context *context, const crd_frame *like, crd_text target,
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
    return model_create_create_from(context, like, target, weight, settings, out, error);
}

crd_status crd_model_create_weighted(crd_context *context, const crd_frame *like, crd_text target, crd_text weight,
                                     const crd_settings *settings, crd_model **out, crd_error *error) {
    return model_create_create_from(context, like, target, &weight, settings, out, error);
}

crd_status crd_i_model_keep(crd_model *model, crd_i_kept kept, crd_error *error) {
    crd_i_extras extras = kept.extras;
    if ((extras & ~model->extras) == 0 && kept.joint_tallies == 0) return CRD_OK;
    if (!crd_i_tally_is_empty(crd_i_model_target(model)->tally))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the model has learned rows already: choose the tallies before the first row");
    for (size_t i = 0; i < model->schema->count; i++) {
        crd_i_variable *variable = &model->variables[i];
        bool is_number = variable->tally != NULL && variable->tally->type->kind == CRD_KIND_NUMBER;
        if (is_number && !crd_i_variable_extend(model, variable, extras)) return crd_i_fail_memory(error);
    }
    crd_status status = crd_i_joint_tallies_keep(model, kept.joint_tallies, error);
    if (status == CRD_OK) model->extras |= extras;
    return status;
}

crd_status crd_model_keep(crd_model *model, crd_text tallies, crd_error *error) {
    crd_i_kept kept = {0, 0};
    crd_status status = crd_i_model_check_of_rows(model, "store tallies", error);
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
