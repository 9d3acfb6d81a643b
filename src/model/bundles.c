/* bundles.c - see bundles.h. */
#include "model/bundles.h"

#include "base/error.h"
#include "base/memory.h"

/* ---- What a classifier sees ---- */

crd_status crd_i_bundles_open(const crd_model *model, const crd_i_model_bundle *kept, const crd_i_order *order,
                              crd_i_bundled *out, crd_error *error) {
    crd_context *context = model->context;
    size_t count = kept->bundle->column_count;
    const crd_i_view *classes = &order->views[model->schema->target];
    crd_i_view *columns = crd_i_alloc(context, count, sizeof *columns);
    crd_text *names = crd_i_alloc(context, count, sizeof *names);
    double *class_counts = crd_i_alloc(context, classes->value_count, sizeof *class_counts);
    crd_i_bundled bundled = {.bundle = kept->bundle,
                             .view = {classes->values, classes->value_count, columns},
                             .names = names,
                             .class_counts = class_counts};
    *out = bundled;
    if (columns == NULL || names == NULL || class_counts == NULL) {
        crd_i_bundles_close(out);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        columns[i] = order->views[kept->columns[i]];
        names[i] = model->schema->columns[kept->columns[i]].name;
    }
    for (size_t i = 0; i < classes->value_count; i++)
        class_counts[i] = crd_i_model_class_rows(model, (size_t)classes->values[i]);
    return CRD_OK;
}

void crd_i_bundles_close(crd_i_bundled *bundled) {
    if (bundled->bundle == NULL) return;
    crd_context *context = bundled->bundle->context;
    crd_free(context, (void *)bundled->view.columns);
    crd_free(context, (void *)bundled->names);
    crd_free(context, (void *)bundled->class_counts);
    crd_i_bundled none = {.bundle = NULL};
    *bundled = none;
}
