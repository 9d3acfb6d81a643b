/* SPDX-License-Identifier: MIT */
/* schema_view.c - see schema_view.h. */
#include "model/schema_view.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/number.h>

static const int32_t always[] = {0};

bool crd_i_schema_view_number(crd_text text, double *value) {
    return crd_number_parse(text, value) == CRD_NUMBER_FINITE;
}

crd_i_value_order crd_i_schema_view_order(const crd_i_schema_column *column) {
    return crd_i_intervals_are(&column->intervals) ? crd_i_interval_begin : crd_i_schema_view_number;
}

void crd_i_schema_view_destroy(crd_i_schema_view *view) {
    if (view == NULL) return;
    for (size_t i = 0; view->views != NULL && i < view->columns; i++) {
        crd_free(view->context, (void *)view->views[i].values);
        crd_free(view->context, (void *)view->views[i].stays);
    }
    crd_free(view->context, view->views);
    crd_free(view->context, view);
}

static void mark_declared(const crd_i_dictionary *declared, const crd_i_dictionary *values, bool *live) {
    for (size_t i = 0; i < crd_i_dictionary_size(declared); i++) {
        int32_t code = crd_i_dictionary_find(values, crd_i_dictionary_text(declared, i));
        if (code >= 0) live[code] = true;
    }
}

/* Returns the sorted codes of the values that are counted or declared. NULL: out of memory. */
static int32_t *order_values(crd_context *context, const crd_i_variable *variable, const crd_i_dictionary *declared,
                             crd_i_value_order order, size_t *count) {
    size_t size = crd_i_dictionary_size(variable->values);
    bool *live = crd_i_alloc_zeroed(context, size, sizeof *live);
    int32_t *codes = crd_i_alloc(context, size, sizeof *codes);
    *count = SIZE_MAX;
    if (live != NULL && codes != NULL) {
        crd_i_counts_mark_live(variable->tally, live);
        if (declared != NULL) mark_declared(declared, variable->values, live);
        *count = crd_i_dictionary_order(variable->values, live, order, codes);
    }
    crd_free(context, live);
    if (*count != SIZE_MAX) return codes;
    crd_free(context, codes);
    return NULL;
}

static bool order_variable(crd_context *context, const crd_i_variable *variable, const crd_i_dictionary *declared,
                           crd_i_value_order order, crd_i_view *view) {
    view->values = order_values(context, variable, declared, order, &view->value_count);
    if (view->values == NULL || declared == NULL) return view->values != NULL;
    bool *stays = crd_i_alloc(context, view->value_count, sizeof *stays);
    for (size_t i = 0; stays != NULL && i < view->value_count; i++) {
        crd_text text = crd_i_dictionary_text(variable->values, (size_t)view->values[i]);
        stays[i] = crd_i_dictionary_find(declared, text) >= 0;
    }
    view->stays = stays;
    return stays != NULL;
}

static crd_status schema_view_create(const crd_model *model, bool with_declared, crd_i_schema_view **out,
                                     crd_error *error) {
    *out = NULL;
    crd_i_schema_view *view = crd_i_alloc_zeroed(model->context, 1, sizeof *view);
    if (view == NULL) return crd_i_fail_memory(error);
    view->context = model->context;
    view->columns = model->schema->count;
    view->views = crd_i_alloc_zeroed(model->context, view->columns, sizeof *view->views);
    if (view->views == NULL) goto fail;
    for (size_t i = 0; i < view->columns; i++) {
        const crd_i_variable *variable = &model->variables[i];
        if (variable->values == NULL) continue;
        const crd_i_dictionary *declared = with_declared ? model->schema->columns[i].values : NULL;
        crd_i_value_order value_order = crd_i_schema_view_order(&model->schema->columns[i]);
        if (!order_variable(model->context, variable, declared, value_order, &view->views[i])) goto fail;
    }
    const crd_i_view *classes = &view->views[model->schema->target];
    for (size_t i = 0; i < view->columns; i++) {
        bool is_target = i == model->schema->target;
        view->views[i].conditions = is_target ? always : classes->values;
        view->views[i].condition_count = is_target ? 1 : classes->value_count;
    }
    *out = view;
    return CRD_OK;

fail:
    crd_i_schema_view_destroy(view);
    return crd_i_fail_memory(error);
}

crd_i_dictionary *crd_i_schema_view_dictionary(crd_context *context, const crd_i_dictionary *values,
                                               const crd_i_view *view) {
    crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
    for (size_t i = 0; dictionary != NULL && i < view->value_count; i++)
        if (crd_i_dictionary_add(dictionary, crd_i_dictionary_text(values, (size_t)view->values[i])) < 0) {
            crd_i_dictionary_destroy(dictionary);
            return NULL;
        }
    return dictionary;
}

crd_status crd_i_schema_view_create(const crd_model *model, crd_i_schema_view **out, crd_error *error) {
    return schema_view_create(model, true, out, error);
}

crd_status crd_i_schema_view_create_counted(const crd_model *model, crd_i_schema_view **out, crd_error *error) {
    return schema_view_create(model, false, out, error);
}
