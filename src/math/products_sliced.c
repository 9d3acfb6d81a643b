/* products_sliced.c - see products.h. */
#include "math/products_table.h"

#include "base/memory.h"

struct crd_i_products_scratch {
    crd_context *context;
    const crd_i_multiplier *way;
};

const crd_i_multiplier *crd_i_multiplier_best(void) {
    return NULL;
}

crd_i_products_scratch *crd_i_products_scratch_create(crd_context *context, const crd_i_multiplier *way) {
    crd_i_products_scratch *scratch = crd_i_alloc_zeroed(context, 1, sizeof *scratch);
    if (scratch == NULL) return NULL;
    scratch->context = context;
    scratch->way = way;
    return scratch;
}

void crd_i_products_scratch_destroy(crd_i_products_scratch *scratch) {
    if (scratch != NULL) crd_free(scratch->context, scratch);
}

bool crd_i_products_can_slice(const crd_i_products_scratch *scratch, size_t count) {
    return scratch != NULL && scratch->way != NULL && count > 0;
}

bool crd_i_products_add_sliced(crd_i_products *products, crd_i_products_scratch *scratch, const double *rows,
                               size_t stride, size_t count, int sign) {
    (void)scratch;
    return crd_i_products_add(products, NULL, rows, stride, count, NULL, sign);
}
