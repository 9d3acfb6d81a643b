/* SPDX-License-Identifier: MIT */
/* column_family.c - the family of each attribute: the choice of the settings, checked against the tallies that the
 * model stores and against the column's cells. */
#include "model/column_family.h"

#include "base/error.h"

#include <credence/number.h>

const crd_i_family *crd_i_column_family_family(const crd_settings *settings, crd_text column, crd_kind kind) {
    int32_t code = settings->family_columns == NULL ? -1 : crd_i_dictionary_find(settings->family_columns, column);
    if (kind == CRD_KIND_NONE) return NULL;
    const crd_i_family *chosen = code >= 0 ? settings->family_choices[code] : settings->family_of_others;
    const crd_i_family *of_kind = crd_i_family_of_kind(chosen, kind);
    return of_kind == NULL ? crd_i_family_for(kind) : of_kind;
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
        crd_kind kind = crd_i_model_column_kind(model, column);
        const crd_i_family *family = settings->family_choices[i];
        if (kind == CRD_KIND_NONE || crd_i_family_of_kind(family, kind) != NULL) continue;
        static const char *const kinds[] = {
            [CRD_KIND_NUMBER] = "number", [CRD_KIND_CATEGORY] = "category", [CRD_KIND_TEXT] = "text"};
        static const char *const many[] = {
            [CRD_KIND_NUMBER] = "numbers", [CRD_KIND_CATEGORY] = "categories", [CRD_KIND_TEXT] = "texts"};
        crd_i_fail(error, CRD_ERROR_SETTING, "the family '%s' is for %s, and '%s' is a %s", family->name,
                   many[crd_i_family_kind(family)], quoted, kinds[kind]);
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
                       "the family '%s' of '%s' needs the tally '%s', which the model did not store in training",
                       family->name, crd_i_quote(name, quoted), family->reads[i]->name);
            crd_i_error_subject(error, crd_text_of("tally"));
            return CRD_ERROR_SETTING;
        }
        if (i == 0) out->tally = found_tally;
        else out->more[i - 1] = found_tally;
    }
    if (family->fits == NULL) return CRD_OK;
    crd_i_misfit misfit = family->fits(out);
    return misfit.cells > 0 ? fail_misfit(family, name, &misfit, error) : CRD_OK;
}
