/* SPDX-License-Identifier: MIT */
/* structure_of_model.c - learns a structure from the rows that a model stores: see credence/structure.h. */
#include "model/schema_view.h"
#include "structure/found_structure.h"

crd_status crd_structure_learn_from_model(const crd_model *model, const crd_settings *settings,
                                          const crd_structure_options *options, crd_structure **out, crd_error *error) {
    crd_i_schema_view *view;
    crd_i_case_table *table = NULL;
    *out = NULL;
    crd_status status = crd_i_model_check_of_rows(model, "have a structure learned from its rows", error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &view, error);
    if (status != CRD_OK) return status;
    status = crd_i_case_table_of_model(model, view, &table, error);
    if (status == CRD_OK)
        status = crd_i_structure_of_cases(table, settings == NULL ? model->settings : settings, options, out, error);
    crd_i_case_table_destroy(table);
    crd_i_schema_view_destroy(view);
    return status;
}
