/* bundle.c - the table of kinds of bundles, and what holds for all of them. */
#include "tally/bundle.h"

#include "base/memory.h"

/* In the order of files. */
static const crd_i_bundle_type *const types[] = {&crd_i_cells_bundle, &crd_i_cross_bundle, &crd_i_pairs_bundle,
                                                 &crd_i_rows_bundle};

enum { TYPE_COUNT = sizeof types / sizeof *types };

const crd_i_bundle_type *crd_i_bundle_type_named(crd_text name) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (crd_text_equal(name, crd_text_of(types[i]->name))) return types[i];
    return NULL;
}

size_t crd_i_bundle_type_count(void) {
    return TYPE_COUNT;
}

const crd_i_bundle_type *crd_i_bundle_type_at(size_t i) {
    return types[i];
}

void crd_i_bundle_destroy(crd_i_bundle *bundle) {
    if (bundle != NULL) bundle->type->destroy(bundle);
}

bool crd_i_bundle_init(crd_i_bundle *bundle, const crd_i_bundle_type *type, crd_context *context, size_t columns) {
    bundle->type = type;
    bundle->context = context;
    bundle->column_count = columns;
    bundle->conditions = 0;
    bundle->kinds = crd_i_alloc_zeroed(context, columns, sizeof *bundle->kinds);
    bundle->value_counts = crd_i_alloc_zeroed(context, columns, sizeof *bundle->value_counts);
    return bundle->kinds != NULL && bundle->value_counts != NULL;
}

void crd_i_bundle_free(crd_i_bundle *bundle) {
    crd_context *context = bundle->context;
    crd_free(context, bundle->kinds);
    crd_free(context, bundle->value_counts);
    crd_free(context, bundle);
}
