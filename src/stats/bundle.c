/* bundle.c - the table of kinds of bundles, and what holds for all of them. */
#include "stats/bundle.h"

#include "base/error.h"
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

crd_i_bundle *crd_i_bundle_create_given_up(crd_context *context, const crd_i_bundle_type *type, size_t columns) {
    crd_i_bundle *bundle = type->create(context, columns);
    if (bundle != NULL) bundle->is_given_up = true;
    return bundle;
}

crd_status crd_i_bundle_add(crd_i_bundle **bundle, const crd_i_bundle_rows *rows, crd_error *error) {
    crd_i_bundle *own = *bundle;
    if (own->is_given_up) return CRD_OK;
    crd_status status = own->type->add(own, rows, error);
    if (status != CRD_ERROR_LIMIT) return status;
    *bundle = crd_i_bundle_create_given_up(own->context, own->type, own->column_count);
    if (*bundle == NULL) {
        *bundle = own;
        return crd_i_fail_memory(error);
    }
    crd_i_bundle_destroy(own);
    return CRD_OK;
}

crd_i_bundle *crd_i_bundle_combined(const crd_i_bundle *first, const crd_i_bundle *second, const crd_i_bundle_map *map,
                                    int sign, crd_status *why, crd_error *error) {
    crd_i_bundle *made = NULL;
    if (sign < 0 && second->is_given_up && !first->is_given_up) {
        *why = crd_i_fail(error, CRD_ERROR_CANNOT_FORGET,
                          "the rows that are to be forgotten were once among more, too many for the tally '%s', which "
                          "has kept nothing of them. Learn the rows that are to stay anew",
                          first->type->name);
        return NULL;
    }
    bool is_given_up = first->is_given_up || second->is_given_up;
    if (!is_given_up) {
        made = first->type->combined(first, second, map, sign, why, error);
        is_given_up = made == NULL && *why == CRD_ERROR_LIMIT;
    }
    if (!is_given_up) return made;
    *why = CRD_OK;
    return crd_i_bundle_create_given_up(first->context, first->type, first->column_count);
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
