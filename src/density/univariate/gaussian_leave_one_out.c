/* SPDX-License-Identifier: MIT */
/* gaussian_leave_one_out.c - leave-one-out normal densities: for each training row, the densities derived from all
 * other rows.
 *
 * The row's number is subtracted from exact sums. So the moments are bit-identical to the moments of the other rows,
 * and no digit is lost whatever the offset of the column. Reading the moments takes about a microsecond. They are
 * cached by attribute, condition and number in a table of fixed size, because real columns repeat their values.
 *
 * If attributes share their variances, removing a row changes the squares of every attribute. rest_pool adds them up
 * row by row, in the same order as `share`, before any density is evaluated. */
#include "density/univariate/gaussian.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/exact/ieee754.h"

enum { KEPT_FACTS = 1 << 15 }; /* cache entries, a power of two; about 4 MB */

typedef struct out_attribute {
    crd_i_tallied tallied;
    crd_i_sums sums[3]; /* exact sums over all conditions: n, sum of x, sum of x^2 */
    crd_i_facts whole;
    crd_i_facts *conditions; /* the moments of each condition */
    bool may_lack_rows;      /* a condition may be empty without one row; it then has the overall mean */
} out_attribute;

/* A cache entry: the moments of one condition of an attribute (or of all conditions, WHOLE) without one row of this
 * number. */
typedef struct out_kept_part {
    bool is_used;
    uint64_t number; /* the bits of the number */
    size_t attribute, condition;
    crd_i_facts facts;
} out_kept_part;

static const size_t WHOLE = SIZE_MAX;

/* Squared deviations pooled over all attributes, without one row. */
typedef struct row_pool {
    crd_i_spread whole, all, spread; /* `spread`: of the row's own condition */
} row_pool;

typedef struct gaussian_rest {
    crd_i_rest base;
    const crd_settings *settings;
    size_t count, conditions;
    out_attribute *attributes;
    crd_i_spread *pooled; /* squared deviations of each condition, pooled over all attributes, with all rows */
    row_pool *rows;       /* the pools without each row of the current batch */
    size_t rows_capacity;
    crd_i_sums left[3]; /* the sums of a condition after removal; one cell each */
    out_kept_part *kept;
} gaussian_rest;

/* ---- Creation ---- */

void crd_i_gaussian_rest_destroy(crd_i_rest *base) {
    gaussian_rest *remainder = (gaussian_rest *)base;
    crd_context *context = base->context;
    for (size_t i = 0; remainder->attributes != NULL && i < remainder->count; i++) {
        for (int power = 0; power < 3; power++) crd_i_sums_clear(&remainder->attributes[i].sums[power]);
        crd_free(context, remainder->attributes[i].conditions);
    }
    for (int power = 0; power < 3; power++) crd_i_sums_clear(&remainder->left[power]);
    crd_free(context, remainder->attributes);
    crd_free(context, remainder->pooled);
    crd_free(context, remainder->rows);
    crd_free(context, remainder->kept);
    crd_free(context, remainder);
}

static bool gaussian_loo_read_attribute(const gaussian_rest *remainder, out_attribute *attribute) {
    if (!crd_i_facts_gather(&attribute->tallied, attribute->sums) ||
        !crd_i_facts_read_whole(attribute->sums, remainder->settings, &attribute->whole))
        return false;
    attribute->conditions = crd_i_alloc(remainder->base.context, remainder->conditions, sizeof *attribute->conditions);
    if (attribute->conditions == NULL) return false;
    for (size_t k = 0; k < remainder->conditions; k++)
        if (!crd_i_facts_read_condition(&attribute->tallied, k, remainder->settings, &attribute->conditions[k]))
            return false;
    for (size_t k = 0; k < remainder->conditions; k++)
        if (attribute->conditions[k].rows <= 1) attribute->may_lack_rows = true;
    return true;
}

static bool gaussian_loo_fill(gaussian_rest *remainder, const crd_i_tallied *attributes) {
    crd_context *context = remainder->base.context;
    remainder->attributes = crd_i_alloc_zeroed(context, remainder->count, sizeof *remainder->attributes);
    remainder->pooled = crd_i_alloc(context, remainder->conditions, sizeof *remainder->pooled);
    remainder->kept = crd_i_alloc_zeroed(context, KEPT_FACTS, sizeof *remainder->kept);
    if (remainder->attributes == NULL || remainder->pooled == NULL || remainder->kept == NULL) return false;
    for (size_t i = 0; i < remainder->count; i++)
        for (int power = 0; power < 3; power++) crd_i_sums_init(&remainder->attributes[i].sums[power], context);
    for (size_t k = 0; k < remainder->conditions; k++) remainder->pooled[k] = crd_i_spread_none();
    crd_i_shared pool = {crd_i_spread_none(), crd_i_spread_none(), remainder->pooled};
    for (size_t i = 0; i < remainder->count; i++) {
        out_attribute *attribute = &remainder->attributes[i];
        attribute->tallied = attributes[i];
        if (!gaussian_loo_read_attribute(remainder, attribute)) return false;
        crd_i_shared_add(&pool, &attribute->whole, attribute->conditions, remainder->conditions);
    }
    for (int power = 0; power < 3; power++)
        if (!crd_i_sums_extend(&remainder->left[power], 1)) return false;
    return true;
}

crd_status crd_i_gaussian_rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                                      size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error) {
    *out = NULL;
    gaussian_rest *remainder = crd_i_alloc_zeroed(context, 1, sizeof *remainder);
    if (remainder == NULL) return crd_i_fail_memory(error);
    remainder->base.family = family;
    remainder->base.context = context;
    remainder->settings = settings;
    remainder->count = count;
    remainder->conditions = count == 0 ? 0 : attributes[0].view.condition_count;
    for (int power = 0; power < 3; power++) crd_i_sums_init(&remainder->left[power], context);
    if (!gaussian_loo_fill(remainder, attributes)) {
        crd_i_gaussian_rest_destroy(&remainder->base);
        return crd_i_fail_memory(error);
    }
    *out = &remainder->base;
    return CRD_OK;
}

/* ---- Removal of one value ---- */

static bool copy_cell(crd_i_sums *target_sums, const crd_i_sums *source_sums, size_t cell) {
    return crd_i_sums_set_window(target_sums, source_sums->base, source_sums->width) &&
           crd_i_sums_combine(target_sums, 0, source_sums, cell, 1);
}

/* Reads the moments of `moment` without one row of value x: n - 1, s - x and q - x^2, exactly. */
static bool read_without(gaussian_rest *remainder, crd_i_moment_cell moment, double x, crd_i_facts_wanted wanted,
                         crd_i_facts *out) {
    crd_i_sums *left = remainder->left;
    crd_i_moment_cell moment_cell = {&left[0], &left[1], &left[2], 0};
    return copy_cell(&left[0], moment.n, moment.cell) && copy_cell(&left[1], moment.s, moment.cell) &&
           copy_cell(&left[2], moment.q, moment.cell) && crd_i_sums_add_integer(&left[0], 0, -1) &&
           crd_i_sums_add(&left[1], 0, -x) && crd_i_sums_add_product(&left[2], 0, x, -x) &&
           crd_i_facts_read(moment_cell, wanted, remainder->settings, out);
}

/* Returns the cache slot of a number, attribute and condition. */
static size_t gaussian_loo_place(uint64_t number, size_t index, size_t condition) {
    uint64_t mixed = number ^ (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93) + (uint64_t)condition;
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(mixed >> 32) & (KEPT_FACTS - 1);
}

/* Returns the moments of condition k, or of all conditions (WHOLE), without one row of value x. They are valid until
 * the next call. Returns NULL if memory runs out. */
static const crd_i_facts *facts_without(gaussian_rest *remainder, size_t index, size_t k, double x) {
    uint64_t number = crd_i_bits_of(x);
    out_kept_part *kept_part = &remainder->kept[gaussian_loo_place(number, index, k)];
    if (kept_part->is_used && kept_part->number == number && kept_part->attribute == index && kept_part->condition == k)
        return &kept_part->facts;
    const out_attribute *source_attribute = &remainder->attributes[index];
    crd_i_moment_cell cell = {&source_attribute->sums[0], &source_attribute->sums[1], &source_attribute->sums[2], 0};
    crd_i_facts_wanted wanted = crd_i_facts_of_whole(remainder->settings);
    wanted.mean = source_attribute->may_lack_rows;
    if (k != WHOLE) {
        cell =
            crd_i_moments_cell(source_attribute->tallied.tally, (size_t)source_attribute->tallied.view.conditions[k]);
        wanted = crd_i_facts_of_condition(remainder->settings);
    }
    kept_part->is_used = false;
    if (!read_without(remainder, cell, x, wanted, &kept_part->facts)) return NULL;
    kept_part->is_used = true;
    kept_part->number = number;
    kept_part->attribute = index;
    kept_part->condition = k;
    return &kept_part->facts;
}

/* The moments of an attribute without one row: over all conditions, and of the row's own condition. */
typedef struct left_over {
    crd_i_facts whole, facts;
} left_over;

/* Computes the moments without one row of value x of condition k. Returns CRD_ERROR_NOT_LEARNED if the condition has no
 * such row. */
static crd_status gaussian_loo_take_out(gaussian_rest *remainder, size_t index, size_t k, double x, left_over *out,
                                        crd_error *error) {
    const out_attribute *attribute = &remainder->attributes[index];
    if (attribute->conditions[k].rows < 1)
        return crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row was not learned: its class has no such number");
    const crd_i_facts *whole = facts_without(remainder, index, WHOLE, x);
    if (whole == NULL) return crd_i_fail_memory(error);
    out->whole = *whole;
    const crd_i_facts *facts = facts_without(remainder, index, k, x);
    if (facts == NULL) return crd_i_fail_memory(error);
    out->facts = *facts;
    return CRD_OK;
}

/* ---- Batches of rows ---- */

crd_status crd_i_gaussian_rest_pool(crd_i_rest *base, size_t index, const crd_i_cells *cells, size_t rows,
                                    const int32_t *conditions, crd_error *error) {
    gaussian_rest *remainder = (gaussian_rest *)base;
    const out_attribute *attribute = &remainder->attributes[index];
    if (!remainder->settings->share_attributes) return CRD_OK;
    if (!crd_i_reserve(base->context, &remainder->rows, &remainder->rows_capacity, rows, sizeof *remainder->rows))
        return crd_i_fail_memory(error);
    for (size_t row = 0; row < rows; row++) {
        row_pool *pool = &remainder->rows[row];
        if (index == 0) pool->whole = pool->all = pool->spread = crd_i_spread_none();
        if (conditions[row] < 0) continue;
        size_t own = (size_t)conditions[row];
        left_over left = {attribute->whole, attribute->conditions[own]};
        if (cells != NULL && crd_i_number_present(cells, row)) {
            crd_status status = gaussian_loo_take_out(remainder, index, own, cells->numbers[row], &left, error);
            if (status != CRD_OK) return status;
        }
        crd_i_spread_add(&pool->whole, &left.whole.spread);
        crd_i_spread_add(&pool->spread, &left.facts.spread);
        for (size_t k = 0; k < remainder->conditions; k++)
            crd_i_spread_add(&pool->all, k == own ? &left.facts.spread : &attribute->conditions[k].spread);
    }
    return CRD_OK;
}

/* Adds the log densities of x under all conditions. `left` replaces the moments of condition `own` for the duration of
 * the call. */
static void gaussian_loo_add_left(gaussian_rest *remainder, out_attribute *attribute, const left_over *left, size_t own,
                                  crd_i_shared *pool, double x, double *sums) {
    crd_i_facts taken = attribute->conditions[own];
    attribute->conditions[own] = left->facts;
    crd_i_overall overall =
        crd_i_overall_of(&left->whole, attribute->conditions, remainder->conditions, pool, remainder->settings);
    for (size_t k = 0; !overall.is_silent && k < remainder->conditions; k++) {
        crd_i_normal_curve normal = crd_i_normal_of(&overall, &attribute->conditions[k], k, remainder->settings);
        sums[k] += crd_i_normal_log_density(&normal, x);
    }
    attribute->conditions[own] = taken;
}

crd_status crd_i_gaussian_rest_add(crd_i_rest *base, size_t index, const crd_i_cells *cells, const int32_t *conditions,
                                   double *sums, uint32_t *unseen, crd_error *error) {
    gaussian_rest *remainder = (gaussian_rest *)base;
    out_attribute *attribute = &remainder->attributes[index];
    (void)unseen; /* numbers are never unseen: each has a density */
    for (size_t row = 0; row < cells->rows; row++) {
        if (conditions[row] < 0 || !crd_i_number_present(cells, row)) continue;
        size_t own = (size_t)conditions[row];
        double x = cells->numbers[row];
        left_over left;
        crd_status status = gaussian_loo_take_out(remainder, index, own, x, &left, error);
        if (status != CRD_OK) return status;
        double *destination = sums + row * remainder->conditions;
        if (!remainder->settings->share_attributes) {
            gaussian_loo_add_left(remainder, attribute, &left, own, NULL, x, destination);
            continue;
        }
        const row_pool *without = &remainder->rows[row];
        crd_i_shared pool = {without->whole, without->all, remainder->pooled};
        crd_i_spread taken = remainder->pooled[own];
        remainder->pooled[own] = without->spread;
        gaussian_loo_add_left(remainder, attribute, &left, own, &pool, x, destination);
        remainder->pooled[own] = taken;
    }
    return CRD_OK;
}
