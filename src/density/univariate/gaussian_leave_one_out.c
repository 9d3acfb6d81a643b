/* SPDX-License-Identifier: MIT */
/* gaussian_leave_one_out.c - normal densities of tallies from which one row is taken out.
 *
 * The row's number is subtracted from exact sums, so the facts that follow are, to the bit, those of the other rows;
 * no digit is lost whatever the offset. Reading them costs about a microsecond, so they are kept by attribute,
 * condition and number, in a table of fixed size: real columns repeat their values.
 *
 * Where attributes share, every attribute's squares change with the row: rest_pool sums them up, row by row and in the
 * order in which `share` does, before any density is asked for. */
#include "density/univariate/gaussian.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/exact/ieee754.h"

enum { KEPT_FACTS = 1 << 15 }; /* about 4 MB: a power of two */

typedef struct attribute {
    crd_i_tallied tallied;
    crd_i_sums sums[3]; /* all conditions together */
    crd_i_facts whole;
    crd_i_facts *conditions; /* of each */
    bool may_lack_rows;      /* a condition may have none without a row: it has the overall mean */
} attribute;

/* The facts of an attribute's condition (or all, WHOLE) without one cell of that number. */
typedef struct kept {
    bool is_used;
    uint64_t number; /* its bits */
    size_t attribute, condition;
    crd_i_facts facts;
} kept;

static const size_t WHOLE = SIZE_MAX;

typedef struct row_pool {
    crd_i_spread whole, all, own; /* own: of the row's condition */
} row_pool;

typedef struct gaussian_rest {
    crd_i_rest base;
    const crd_settings *settings;
    size_t count, conditions;
    attribute *attributes;
    crd_i_spread *pooled; /* of each condition, over all attributes, no row taken out */
    row_pool *rows;       /* the pools without each row of the batch at hand */
    size_t rows_capacity;
    crd_i_sums left[3]; /* one cell each: what is left of a condition */
    kept *kept;
} gaussian_rest;

/* ---- Making it ---- */

void crd_i_gaussian_rest_destroy(crd_i_rest *base) {
    gaussian_rest *rest = (gaussian_rest *)base;
    crd_context *context = base->context;
    for (size_t i = 0; rest->attributes != NULL && i < rest->count; i++) {
        for (int power = 0; power < 3; power++) crd_i_sums_clear(&rest->attributes[i].sums[power]);
        crd_free(context, rest->attributes[i].conditions);
    }
    for (int power = 0; power < 3; power++) crd_i_sums_clear(&rest->left[power]);
    crd_free(context, rest->attributes);
    crd_free(context, rest->pooled);
    crd_free(context, rest->rows);
    crd_free(context, rest->kept);
    crd_free(context, rest);
}

static bool read_attribute(const gaussian_rest *rest, attribute *to) {
    if (!crd_i_facts_gather(&to->tallied, to->sums) || !crd_i_facts_read_whole(to->sums, rest->settings, &to->whole))
        return false;
    to->conditions = crd_i_alloc(rest->base.context, rest->conditions, sizeof *to->conditions);
    if (to->conditions == NULL) return false;
    for (size_t k = 0; k < rest->conditions; k++)
        if (!crd_i_facts_read_condition(&to->tallied, k, rest->settings, &to->conditions[k])) return false;
    for (size_t k = 0; k < rest->conditions; k++)
        if (to->conditions[k].rows <= 1) to->may_lack_rows = true;
    return true;
}

static bool fill(gaussian_rest *rest, const crd_i_tallied *attributes) {
    crd_context *context = rest->base.context;
    rest->attributes = crd_i_alloc_zeroed(context, rest->count, sizeof *rest->attributes);
    rest->pooled = crd_i_alloc(context, rest->conditions, sizeof *rest->pooled);
    rest->kept = crd_i_alloc_zeroed(context, KEPT_FACTS, sizeof *rest->kept);
    if (rest->attributes == NULL || rest->pooled == NULL || rest->kept == NULL) return false;
    for (size_t i = 0; i < rest->count; i++)
        for (int power = 0; power < 3; power++) crd_i_sums_init(&rest->attributes[i].sums[power], context);
    for (size_t k = 0; k < rest->conditions; k++) rest->pooled[k] = crd_i_spread_none();
    crd_i_shared pool = {crd_i_spread_none(), crd_i_spread_none(), rest->pooled};
    for (size_t i = 0; i < rest->count; i++) {
        attribute *to = &rest->attributes[i];
        to->tallied = attributes[i];
        if (!read_attribute(rest, to)) return false;
        crd_i_shared_add(&pool, &to->whole, to->conditions, rest->conditions);
    }
    for (int power = 0; power < 3; power++)
        if (!crd_i_sums_extend(&rest->left[power], 1)) return false;
    return true;
}

crd_status crd_i_gaussian_rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                                      size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error) {
    *out = NULL;
    gaussian_rest *rest = crd_i_alloc_zeroed(context, 1, sizeof *rest);
    if (rest == NULL) return crd_i_fail_memory(error);
    rest->base.family = family;
    rest->base.context = context;
    rest->settings = settings;
    rest->count = count;
    rest->conditions = count == 0 ? 0 : attributes[0].view.condition_count;
    for (int power = 0; power < 3; power++) crd_i_sums_init(&rest->left[power], context);
    if (!fill(rest, attributes)) {
        crd_i_gaussian_rest_destroy(&rest->base);
        return crd_i_fail_memory(error);
    }
    *out = &rest->base;
    return CRD_OK;
}

/* ---- Taking a cell out ---- */

static bool copy_cell(crd_i_sums *to, const crd_i_sums *from, size_t cell) {
    return crd_i_sums_set_window(to, from->base, from->width) && crd_i_sums_combine(to, 0, from, cell, 1);
}

static bool read_without(gaussian_rest *rest, crd_i_moment_cell from, double x, crd_i_facts_wanted wanted,
                         crd_i_facts *out) {
    crd_i_sums *left = rest->left;
    crd_i_moment_cell at = {&left[0], &left[1], &left[2], 0};
    return copy_cell(&left[0], from.n, from.cell) && copy_cell(&left[1], from.s, from.cell) &&
           copy_cell(&left[2], from.q, from.cell) && crd_i_sums_add_integer(&left[0], 0, -1) &&
           crd_i_sums_add(&left[1], 0, -x) && crd_i_sums_add_product(&left[2], 0, x, -x) &&
           crd_i_facts_read(at, wanted, rest->settings, out);
}

static size_t place_of(uint64_t number, size_t index, size_t condition) {
    uint64_t mixed = number ^ (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93) + (uint64_t)condition;
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(mixed >> 32) & (KEPT_FACTS - 1);
}

/* The facts of condition k, or of all, without x; they stay until the next call. NULL: out of memory. */
static const crd_i_facts *facts_without(gaussian_rest *rest, size_t index, size_t k, double x) {
    uint64_t number = crd_i_bits_of(x);
    kept *at = &rest->kept[place_of(number, index, k)];
    if (at->is_used && at->number == number && at->attribute == index && at->condition == k) return &at->facts;
    const attribute *of = &rest->attributes[index];
    crd_i_moment_cell from = {&of->sums[0], &of->sums[1], &of->sums[2], 0};
    crd_i_facts_wanted wanted = crd_i_facts_of_whole(rest->settings);
    wanted.mean = of->may_lack_rows;
    if (k != WHOLE) {
        from = crd_i_moments_cell(of->tallied.tally, (size_t)of->tallied.view.conditions[k]);
        wanted = crd_i_facts_of_condition(rest->settings);
    }
    at->is_used = false;
    if (!read_without(rest, from, x, wanted, &at->facts)) return NULL;
    at->is_used = true;
    at->number = number;
    at->attribute = index;
    at->condition = k;
    return &at->facts;
}

/* What is left of the attribute without one row's cell. */
typedef struct left_over {
    crd_i_facts whole, own;
} left_over;

static crd_status take_out(gaussian_rest *rest, size_t index, size_t k, double x, left_over *out, crd_error *error) {
    const attribute *of = &rest->attributes[index];
    if (of->conditions[k].rows < 1)
        return crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row was not learned: its class has no such number");
    const crd_i_facts *whole = facts_without(rest, index, WHOLE, x);
    if (whole == NULL) return crd_i_fail_memory(error);
    out->whole = *whole;
    const crd_i_facts *own = facts_without(rest, index, k, x);
    if (own == NULL) return crd_i_fail_memory(error);
    out->own = *own;
    return CRD_OK;
}

/* ---- Batches of rows ---- */

crd_status crd_i_gaussian_rest_pool(crd_i_rest *base, size_t index, const crd_i_cells *cells, size_t rows,
                                    const int32_t *conditions, crd_error *error) {
    gaussian_rest *rest = (gaussian_rest *)base;
    const attribute *of = &rest->attributes[index];
    if (!rest->settings->share_attributes) return CRD_OK;
    if (!crd_i_reserve(base->context, &rest->rows, &rest->rows_capacity, rows, sizeof *rest->rows))
        return crd_i_fail_memory(error);
    for (size_t row = 0; row < rows; row++) {
        row_pool *pool = &rest->rows[row];
        if (index == 0) pool->whole = pool->all = pool->own = crd_i_spread_none();
        if (conditions[row] < 0) continue;
        size_t own = (size_t)conditions[row];
        left_over left = {of->whole, of->conditions[own]};
        if (cells != NULL && crd_i_number_present(cells, row)) {
            crd_status status = take_out(rest, index, own, cells->numbers[row], &left, error);
            if (status != CRD_OK) return status;
        }
        crd_i_spread_add(&pool->whole, &left.whole.spread);
        crd_i_spread_add(&pool->own, &left.own.spread);
        for (size_t k = 0; k < rest->conditions; k++)
            crd_i_spread_add(&pool->all, k == own ? &left.own.spread : &of->conditions[k].spread);
    }
    return CRD_OK;
}

/* Adds the log densities of x where `left` is left of its attribute under condition `own`. */
static void add_left(gaussian_rest *rest, attribute *of, const left_over *left, size_t own, crd_i_shared *pool,
                     double x, double *sums) {
    crd_i_facts taken = of->conditions[own];
    of->conditions[own] = left->own;
    crd_i_overall overall = crd_i_overall_of(&left->whole, of->conditions, rest->conditions, pool, rest->settings);
    for (size_t k = 0; !overall.is_silent && k < rest->conditions; k++) {
        crd_i_normal_curve normal = crd_i_normal_of(&overall, &of->conditions[k], k, rest->settings);
        sums[k] += crd_i_normal_log_density(&normal, x);
    }
    of->conditions[own] = taken;
}

crd_status crd_i_gaussian_rest_add(crd_i_rest *base, size_t index, const crd_i_cells *cells, const int32_t *conditions,
                                   double *sums, uint32_t *unseen, crd_error *error) {
    gaussian_rest *rest = (gaussian_rest *)base;
    attribute *of = &rest->attributes[index];
    (void)unseen; /* every number has a density */
    for (size_t row = 0; row < cells->rows; row++) {
        if (conditions[row] < 0 || !crd_i_number_present(cells, row)) continue;
        size_t own = (size_t)conditions[row];
        double x = cells->numbers[row];
        left_over left;
        crd_status status = take_out(rest, index, own, x, &left, error);
        if (status != CRD_OK) return status;
        double *to = sums + row * rest->conditions;
        if (!rest->settings->share_attributes) {
            add_left(rest, of, &left, own, NULL, x, to);
            continue;
        }
        const row_pool *without = &rest->rows[row];
        crd_i_shared pool = {without->whole, without->all, rest->pooled};
        crd_i_spread taken = rest->pooled[own];
        rest->pooled[own] = without->own;
        add_left(rest, of, &left, own, &pool, x, to);
        rest->pooled[own] = taken;
    }
    return CRD_OK;
}
