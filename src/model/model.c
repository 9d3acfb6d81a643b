/* SPDX-License-Identifier: MIT */
/* model.c - the columns of a model: their types, values and tallies. */
#include "model/model_internal.h"

#include "base/error.h"
#include "stats/exact_sums_file.h"
#include "stats/term_store.h"
#include "table/read/reader.h"

#include <math.h>

crd_status crd_i_model_check_of_rows(const crd_model *model, const char *description, crd_error *error) {
    return model->kind->refuse == NULL ? CRD_OK : model->kind->refuse(model, description, error);
}

const crd_model *crd_i_model_rows(const crd_model *model) {
    return model->kind->rows == NULL ? model : model->kind->rows(model);
}

crd_status crd_i_model_check_target(const crd_model *model, crd_error *error) {
    if (!model->schema->lacks_target) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "the model has no target: it is a network, which can predict any node");
    crd_i_error_hint(error, "name the node to predict with target=NODE");
    crd_i_error_subject(error, crd_text_of("target"));
    return CRD_ERROR_SETTING;
}

void crd_i_variable_clear(crd_i_variable *variable) {
    crd_i_tally_destroy(variable->tally);
    for (size_t i = 0; i < CRD_I_MOST_EXTRAS; i++) {
        crd_i_tally_destroy(variable->extra[i]);
        variable->extra[i] = NULL;
    }
    crd_i_dictionary_destroy(variable->values);
    variable->tally = NULL;
    variable->values = NULL;
}

crd_column_type crd_i_model_column_type(const crd_model *model, size_t column) {
    crd_column_type declared = model->schema->columns[column].type;
    const crd_i_tally *tally = model->variables[column].tally;
    if (declared != CRD_TYPE_NONE) return declared;
    return tally == NULL || crd_i_tally_is_empty(tally) ? CRD_TYPE_NONE : tally->type->type;
}

const crd_i_variable *crd_i_model_target(const crd_model *model) {
    return &model->variables[model->schema->target];
}

double crd_i_model_class_rows(const crd_model *model, size_t class_code) {
    return crd_i_counts_value(crd_i_model_target(model)->tally, class_code, 0);
}

static const char *model_plural(crd_column_type type) {
    return type == CRD_TYPE_NUMERIC ? "numbers" : type == CRD_TYPE_TEXT ? "texts" : "categories";
}

bool crd_i_variable_extend(crd_model *model, crd_i_variable *variable, crd_i_extras extras) {
    for (size_t i = 0; i < crd_i_extra_type_count(); i++) {
        if ((extras >> i & 1) == 0 || variable->extra[i] != NULL) continue;
        variable->extra[i] = crd_i_extra_type(i)->create(model->context);
        if (variable->extra[i] == NULL) return false;
    }
    return true;
}

crd_status crd_i_model_settle(crd_model *model, size_t column, crd_column_type column_type, crd_error *error) {
    crd_i_variable *variable = &model->variables[column];
    crd_column_type present = crd_i_model_column_type(model, column);
    if (present != CRD_TYPE_NONE && present != column_type) {
        crd_text name = model->schema->columns[column].name;
        char quoted[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' has %s, but the model has %s",
                   crd_i_quote(name, quoted), model_plural(column_type), model_plural(present));
        crd_i_error_subject(error, name);
        return CRD_ERROR_SCHEMA_DIFFERS;
    }
    const crd_i_tally_type *type = crd_i_tally_type_for(column_type);
    if (type == NULL) return crd_i_fail(error, CRD_ERROR_TYPE, "%s cannot be counted", model_plural(column_type));
    if (variable->tally != NULL && variable->tally->type == type) return CRD_OK;
    crd_i_variable_clear(variable);
    variable->tally = type->create(model->context);
    if (column_type == CRD_TYPE_CATEGORICAL) variable->values = crd_i_dictionary_create(model->context);
    bool has_extras = column_type != CRD_TYPE_NUMERIC || crd_i_variable_extend(model, variable, model->extras);
    if (variable->tally == NULL || (column_type == CRD_TYPE_CATEGORICAL && variable->values == NULL) || !has_extras) {
        crd_i_variable_clear(variable);
        return crd_i_fail_memory(error);
    }
    if (column_type == CRD_TYPE_TEXT) {
        const crd_i_token_rules rules = crd_i_settings_token_rules(model->settings);
        crd_i_terms_set_rules(variable->tally, &rules);
    }
    return CRD_OK;
}

void crd_i_model_declare(crd_model *model, size_t column, crd_column_type type) {
    crd_i_variable *variable = &model->variables[column];
    /* An empty tally of another type may be left from cells that were forgotten. */
    if (variable->tally != NULL && variable->tally->type->type != type) crd_i_variable_clear(variable);
    model->schema->columns[column].type = type;
}

crd_status crd_i_model_declare_value(crd_model *model, size_t column, crd_text value, crd_error *error) {
    crd_status status = crd_i_model_settle(model, column, CRD_TYPE_CATEGORICAL, error);
    if (status != CRD_OK) return status;
    if (crd_i_dictionary_add(model->variables[column].values, value) < 0 ||
        !crd_i_schema_declare(model->schema, column, value))
        return crd_i_fail_memory(error);
    model->schema->columns[column].type = CRD_TYPE_CATEGORICAL;
    crd_i_fit_cache_clear(&model->fitted);
    crd_i_model_drop_selection(model);
    return CRD_OK;
}

bool crd_i_model_is_declared(const crd_model *model, size_t column, crd_text value) {
    const crd_i_dictionary *declared = model->schema->columns[column].values;
    return declared != NULL && crd_i_dictionary_find(declared, value) >= 0;
}

typedef crd_status model_binding(crd_reader *reader, const crd_i_schema *schema, crd_error *error);

double crd_i_model_scale(const crd_model *model, size_t column) {
    const crd_model *rows = crd_i_model_rows(model);
    const crd_i_tally *tally = rows->variables[column].tally;
    double count = 0, squares = 0;
    /* A model made from a network has no tallies, but keeps the scale that the network's own model had. */
    if (tally == NULL || crd_i_model_column_type(rows, column) != CRD_TYPE_NUMERIC)
        return model->schema->columns[column].scale;
    for (size_t k = 0; k < tally->conditions; k++) {
        count += crd_i_tally_total(tally, k);
        squares += crd_i_sums_value(crd_i_moments_cell(tally, k).q, k);
    }
    const double scale = count > 0 ? sqrt(squares / count) : 0;
    return isfinite(scale) ? scale : 0;
}

crd_i_schema *crd_i_model_reading(const crd_model *model, bool is_strict) {
    crd_i_schema *schema = crd_i_schema_clone(model->schema);
    if (schema == NULL) return NULL;
    const crd_model *rows = crd_i_model_rows(model);
    bool done = true;
    for (size_t i = 0; i < schema->count && done; i++) {
        const crd_i_dictionary *values = rows->variables[i].values;
        schema->columns[i].type = crd_i_model_column_type(rows, i);
        if (values != NULL) done = crd_i_schema_keep_values(schema, values);
        schema->columns[i].truth = crd_i_truth_words_of(values);
        if (i == schema->target && values != NULL)
            schema->columns[i].has_mark = crd_i_dictionary_find(values, crd_text_of("?")) >= 0;
        if (crd_i_column_format_has_comma(schema->columns[i].format))
            schema->columns[i].scale = crd_i_model_scale(rows, i);
        if (is_strict) schema->columns[i].has_words_only = crd_i_schema_are_words(values);
    }
    crd_i_schema_drop_stand_in(schema);
    if (done) return schema;
    crd_i_schema_destroy(schema);
    return NULL;
}

static crd_status bind_by(const crd_model *model, crd_reader *reader, model_binding *bind, crd_error *error) {
    crd_i_schema *schema = crd_i_model_reading(model, crd_i_reader_is_strict(reader));
    crd_status status = schema == NULL ? crd_i_fail_memory(error) : bind(reader, schema, error);
    crd_i_schema_destroy(schema);
    return status;
}

crd_status crd_model_bind(const crd_model *model, crd_reader *reader, crd_error *error) {
    return bind_by(model, reader, crd_i_reader_bind, error);
}

crd_status crd_model_bind_to_learn(const crd_model *model, crd_reader *reader, crd_error *error) {
    return bind_by(model, reader, crd_i_reader_bind_to_learn, error);
}

crd_status crd_i_model_check_total(const crd_model *model, crd_error *error) {
    if (crd_i_tally_total(crd_i_model_target(model)->tally, 0) <= CRD_I_MOST_ROWS) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_LIMIT, "the weights of the rows sum to more than 2^63");
}

crd_text crd_model_target(const crd_model *model) {
    const crd_text none = {NULL, 0};
    return model->schema->lacks_target ? none : model->schema->columns[model->schema->target].name;
}

int crd_model_has_header(const crd_model *model) {
    return model->schema->has_header;
}

int crd_model_has_literal_quotes(const crd_model *model) {
    return model->schema->has_literal_quotes;
}

crd_text crd_model_weight(const crd_model *model) {
    return model->schema->weight.name;
}

const crd_settings *crd_model_settings(const crd_model *model) {
    return model->settings;
}

/* Checks that the settings do not change the method of a model kind that has its own method. */
static crd_status check_method(const crd_model *model, const crd_settings *settings, crd_error *error) {
    if (settings->method == model->settings->method) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "the model has the method %s, which cannot be changed",
               crd_settings_get(model->settings, "method"));
    crd_i_error_subject(error, crd_text_of("method"));
    return CRD_ERROR_SETTING;
}

crd_status crd_i_model_check_counted(const crd_model *model, const crd_settings *settings, crd_error *error) {
    for (size_t i = 0; i < model->schema->count; i++)
        if (crd_i_model_column_type(model, i) == CRD_TYPE_TEXT)
            return crd_i_settings_check_counted(model->settings, settings, error);
    return CRD_OK;
}

crd_status crd_model_set_settings(crd_model *model, const crd_settings *settings, crd_error *error) {
    crd_settings *copy;
    crd_status status = model->kind->rows != NULL ? check_method(model, settings, error)
                                                  : crd_i_model_check_of_rows(model, "change its settings", error);
    if (status == CRD_OK) status = crd_i_model_check_counted(model, settings, error);
    if (status == CRD_OK) status = crd_i_settings_copy(model->context, settings, &copy, error);
    if (status != CRD_OK) return status;
    crd_settings_destroy(model->settings);
    model->settings = copy;
    return CRD_OK;
}

/* ---- The record of how settings were chosen ---- */

void crd_i_model_drop_selection(crd_model *model) {
    crd_i_selection_destroy(model->selection);
    model->selection = NULL;
}

crd_status crd_model_set_selection(crd_model *model, const crd_selection *selection, crd_error *error) {
    crd_selection *copy;
    crd_status status = crd_i_selection_clone(selection, &copy, error);
    if (status != CRD_OK) return status;
    crd_i_model_drop_selection(model);
    model->selection = copy;
    return CRD_OK;
}

const crd_selection *crd_model_selection(const crd_model *model) {
    return model->selection;
}
