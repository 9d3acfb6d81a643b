/* SPDX-License-Identifier: MIT */
/* column_family.c - the family of each attribute: the choice of the settings, checked against the tallies that the
 * model stores and against the column's cells.
 *
 * Contents:
 *   1. Families of attributes
 *   2. Cached term parameters */
#include "model/column_family.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#include <credence/number.h>
#include <string.h>

/* ======== 1. Families of attributes ======== */

const crd_i_family *crd_i_column_family_family(const crd_settings *settings, crd_text column, crd_column_type type) {
    int32_t code = settings->family_columns == NULL ? -1 : crd_i_dictionary_find(settings->family_columns, column);
    if (type == CRD_TYPE_NONE) return NULL;
    const crd_i_family *chosen = code >= 0 ? settings->family_choices[code] : settings->family_of_others;
    const crd_i_family *of_type = crd_i_family_of_type(chosen, type);
    return of_type == NULL ? crd_i_family_for(type) : of_type;
}

static crd_status column_family_refuse(crd_error *error) {
    crd_i_error_subject(error, crd_text_of("family"));
    return CRD_ERROR_SETTING;
}

crd_status crd_i_column_family_check(const crd_settings *settings, const crd_model *model, crd_error *error) {
    size_t named = settings->family_columns == NULL ? 0 : crd_i_dictionary_size(settings->family_columns);
    for (size_t i = 0; i < named; i++) {
        crd_text name = crd_i_dictionary_text(settings->family_columns, i);
        char quoted[CRD_I_QUOTED_ROOM];
        crd_i_quote(name, quoted);
        size_t column = crd_i_schema_find(model->schema, name);
        if (column == SIZE_MAX || column == model->schema->target) {
            crd_i_fail(error, CRD_ERROR_SETTING,
                       "a family is specified for '%s', which is not an attribute of the model", quoted);
            return column_family_refuse(error);
        }
        crd_column_type type = crd_i_model_column_type(model, column);
        const crd_i_family *family = settings->family_choices[i];
        if (type == CRD_TYPE_NONE || crd_i_family_of_type(family, type) != NULL) continue;
        static const char *const types[] = {
            [CRD_TYPE_NUMERIC] = "number", [CRD_TYPE_CATEGORICAL] = "category", [CRD_TYPE_TEXT] = "text"};
        static const char *const many[] = {
            [CRD_TYPE_NUMERIC] = "numbers", [CRD_TYPE_CATEGORICAL] = "categories", [CRD_TYPE_TEXT] = "texts"};
        crd_i_fail(error, CRD_ERROR_SETTING, "the family '%s' is for %s, and '%s' is a %s", family->name,
                   many[crd_i_family_column_type(family)], quoted, types[type]);
        return column_family_refuse(error);
    }
    return CRD_OK;
}

const crd_i_tally *crd_i_column_family_tally(const crd_i_variable *variable, const crd_i_tally_type *type) {
    if (variable->tally->type == type) return variable->tally;
    for (size_t i = 0; i < CRD_I_MOST_EXTRAS; i++)
        if (variable->extra[i] != NULL && variable->extra[i]->type == type) return variable->extra[i];
    return NULL;
}

/* Reports a column with cells outside the support of its family. */
static crd_status fail_misfit(const crd_i_family *family, crd_text column, const crd_i_misfit *misfit,
                              crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM], why[CRD_NUMBER_ROOM + 64];
    crd_i_misfit_text(misfit, why, sizeof why);
    crd_i_quote(column, quoted);
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the family '%s' does not fit '%s': %s. Choose another family, such as gaussian", family->name, quoted,
               why);
    return column_family_refuse(error);
}

crd_status crd_i_column_family_open(const crd_model *model, size_t column, const crd_i_family *family,
                                    const crd_i_view *view, crd_i_tallied *out, crd_error *error) {
    const crd_i_variable *variable = &model->variables[column];
    crd_text name = model->schema->columns[column].name;
    out->view = *view;
    for (size_t i = 0; family->reads[i] != NULL; i++) {
        const crd_i_tally *found_tally = crd_i_column_family_tally(variable, family->reads[i]);
        if (found_tally == NULL) {
            char quoted[CRD_I_QUOTED_ROOM];
            crd_i_fail(error, CRD_ERROR_SETTING,
                       "the family '%s' of '%s' needs the statistic '%s', which the model did not store in training",
                       family->name, crd_i_quote(name, quoted), family->reads[i]->name);
            crd_i_error_subject(error, crd_text_of("keep-statistics"));
            return CRD_ERROR_SETTING;
        }
        if (i == 0) out->tally = found_tally;
        else out->more[i - 1] = found_tally;
    }
    if (family->fits == NULL) return CRD_OK;
    crd_i_misfit misfit = family->fits(out);
    return misfit.cells > 0 ? fail_misfit(family, name, &misfit, error) : CRD_OK;
}

/* ======== 2. Cached term parameters ========
 *
 * See column_family.h. */

static bool term_fits_append(crd_i_buffer *buffer, const char *text) {
    return crd_i_buffer_append(buffer, text, strlen(text));
}

/* Returns the key of a fit: the column, its family and each text setting, one per line. NULL: out of memory. */
static char *term_fits_make_key(crd_context *context, crd_text name, const crd_i_family *family,
                                const crd_settings *settings) {
    static const char *const names[] = {"term-smoothing", "tf",         "complement-weights", "min-df",
                                        "max-df",         "stop-words", "max-terms"};
    crd_i_buffer key = {.context = context};
    bool done = term_fits_append(&key, "terms ") && crd_i_buffer_append(&key, name.bytes, name.length) &&
                term_fits_append(&key, "\nfamily ") && term_fits_append(&key, family->name);
    for (size_t i = 0; done && i < sizeof names / sizeof *names; i++)
        done = term_fits_append(&key, "\n") && term_fits_append(&key, names[i]) && term_fits_append(&key, " ") &&
               term_fits_append(&key, crd_settings_get(settings, names[i]));
    if (done && crd_i_buffer_append(&key, "", 1)) return (char *)key.bytes;
    crd_i_buffer_clear(&key);
    return NULL;
}

static bool term_fits_find(const crd_i_fit_cache *in, const char *key, crd_i_tallied *attribute) {
    const crd_i_fit *fit = crd_i_fit_cache_find_key(in, key);
    if (fit == NULL) return false;
    attribute->fitted = fit->numbers;
    attribute->fitted_count = fit->count;
    return true;
}

crd_status crd_i_term_fits_find(const crd_model *model, crd_text name, const crd_i_family *family,
                                const crd_settings *settings, crd_i_tallied *attribute, crd_i_fit_cache *fitted,
                                crd_error *error) {
    if (family->fit == NULL) return CRD_OK;
    char *key = term_fits_make_key(model->context, name, family, settings);
    if (key == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    if (!term_fits_find(&model->fitted, key, attribute) && !term_fits_find(fitted, key, attribute)) {
        double *numbers = NULL;
        size_t count;
        status = family->fit(model->context, attribute, settings, &numbers, &count, error);
        if (status == CRD_OK && count > 0 && !crd_i_fit_cache_put_key(fitted, key, numbers, count))
            status = crd_i_fail_memory(error);
        if (status == CRD_OK && count > 0) term_fits_find(fitted, key, attribute);
        crd_free(model->context, numbers);
    }
    crd_free(model->context, key);
    return status;
}

bool crd_i_term_fits_apply(const crd_model *model) {
    for (size_t i = 0; i < model->schema->count; i++)
        if (model->variables[i].tally != NULL && model->variables[i].tally->type->type == CRD_TYPE_TEXT) return true;
    return false;
}
