/* SPDX-License-Identifier: MIT */
/* categorical.c - the categorical family: a probability for each value of a category, from counts.
 *
 * n_v is the number of rows of a condition with value v, n the number of rows with any value, and t the number of
 * values that were seen under some condition or are declared. p is the prior share of the value: 1/t, or its share over
 * all conditions. The setting `smoothing` is one of:
 *
 *   none       n_v / n
 *   m:M        (n_v + M p) / (n + M)        m-estimate (Cestnik 1990)
 *   laplace:L  (n_v + L) / (n + L t)        additive smoothing (Lidstone 1920)
 *
 * Without smoothing, a condition without rows gives 0 / 0. The overall share of the value is used instead, because the
 * condition then has no information about the value. A probability of zero stays zero, with logarithm -INFINITY.
 *
 * Logarithms are stored value by value with the conditions next to each other, because a row needs one value under all
 * conditions. If most counts are zero, only the nonzero counts are stored. The probability of a value that was not seen
 * under a condition depends only on the condition (except with m:M:marginal, where it is computed each time). It is the
 * same under all conditions without rows.
 *
 * Contents:
 *   1. Probabilities
 *   2. One count
 *   3. Derivation
 *   4. Adding
 *   5. Leave-one-out densities */
#include "density/univariate/family.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "stats/counts.h"

typedef struct categorical {
    crd_i_density base;
    size_t values;
    crd_term_smoothing smoothing;
    double strength;
    bool is_sparse;       /* false: logs and counts are values x conditions, and totals has all conditions */
    double *logs;         /* log probability of each nonzero count, value by value */
    double *counts;       /* each nonzero count, value by value */
    double *totals;       /* rows of each condition that has any */
    double *value_totals; /* rows with each value, over all conditions */
    double total;         /* number of all rows */
    /* The rest is used only if is_sparse. */
    size_t *begins;   /* start of the counts of each value, followed by the end of the last */
    uint32_t *places; /* for each count: index into `seen`, ascending within a value */
    uint32_t *seen;   /* the conditions that have rows, ascending */
    size_t seen_count;
    /* for each entry of `seen`: log probability of a value not seen under it; NULL: it depends on the value */
    double *zero_logs;
} categorical;

static void categorical_destroy(crd_i_density *base) {
    categorical *density = (categorical *)base;
    crd_free(base->context, density->begins);
    crd_free(base->context, density->places);
    crd_i_arena_destroy(base->arena);
}

/* ======== 1. Probabilities ======== */

/* Fills in a term except its logarithm. `taken` rows with this value are subtracted from the whole column. */
static void fill_term(const categorical *density, size_t value, double count, double total, double taken,
                      crd_term *term) {
    term->form = CRD_TERM_RATIO;
    term->smoothing = density->smoothing;
    term->count = count;
    term->total = total;
    term->strength = density->strength;
    term->values = (double)density->values;
    term->share_count = density->value_totals[value] - taken;
    term->share_total = density->total - taken;
    if (term->smoothing == CRD_TERM_PLAIN && term->total == 0) {
        term->smoothing = CRD_TERM_OVERALL;
        term->count = term->share_count;
        term->total = term->share_total;
    }
}

/* Returns the log probability of a term by the formulas in the file head. */
static double categorical_log(const crd_term *term) {
    switch (term->smoothing) {
    case CRD_TERM_M_UNIFORM:
        return crd_i_log_ratio(term->count + term->strength / term->values, term->total + term->strength);
    case CRD_TERM_M_MARGINAL:
        return crd_i_log_ratio(term->count + term->strength * (term->share_count / term->share_total),
                               term->total + term->strength);
    case CRD_TERM_LAPLACE:
        return crd_i_log_ratio(term->count + term->strength, term->total + term->strength * term->values);
    case CRD_TERM_PLAIN:
    case CRD_TERM_OVERALL: break;
    }
    return crd_i_log_ratio(term->count, term->total);
}

static double log_for(const categorical *density, size_t value, double count, double total) {
    crd_term term = CRD_TERM_INIT;
    fill_term(density, value, count, total, 0, &term);
    return categorical_log(&term);
}

/* ======== 2. One count ======== */

/* Returns the index of `number` in list[begin .. end), which is ascending; SIZE_MAX if it is not in the list. */
static size_t categorical_find(const uint32_t *list, size_t begin, size_t end, size_t number) {
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (list[middle] < number) begin = middle + 1;
        else if (list[middle] > number) end = middle;
        else return middle;
    }
    return SIZE_MAX;
}

/* A count, the rows of its condition, and its log probability. */
typedef struct found {
    double count, total, log;
} found;

/* Looks up the count of a value under a condition, in the dense or sparse representation. */
static found find_count(const categorical *density, size_t value, size_t condition) {
    if (!density->is_sparse) {
        size_t cell = value * density->base.conditions + condition;
        const found dense = {density->counts[cell], density->totals[condition], density->logs[cell]};
        return dense;
    }
    found sparse = {0, 0, 0};
    size_t place = categorical_find(density->seen, 0, density->seen_count, condition), entry = SIZE_MAX;
    if (place != SIZE_MAX) {
        sparse.total = density->totals[place];
        entry = categorical_find(density->places, density->begins[value], density->begins[value + 1], place);
    }
    if (entry != SIZE_MAX) {
        sparse.count = density->counts[entry];
        sparse.log = density->logs[entry];
    } else {
        sparse.log = log_for(density, value, 0, sparse.total);
    }
    return sparse;
}

/* ======== 3. Derivation ======== */

static crd_term_smoothing smoothing_of(const crd_settings *settings) {
    switch (settings->smoothing) {
    case CRD_I_SMOOTHING_M: return settings->smoothing_marginal ? CRD_TERM_M_MARGINAL : CRD_TERM_M_UNIFORM;
    case CRD_I_SMOOTHING_LAPLACE: return CRD_TERM_LAPLACE;
    case CRD_I_SMOOTHING_NONE: break;
    }
    return CRD_TERM_PLAIN;
}

/* Fills in the dense representation. This and the functions below return false if memory runs out. */
static bool derive_dense(categorical *density, const crd_i_tallied *attribute) {
    const crd_i_view *view = &attribute->view;
    crd_i_arena *arena = density->base.arena;
    size_t conditions = view->condition_count, values = view->value_count;
    density->logs = crd_i_arena_alloc(arena, values * conditions, sizeof *density->logs);
    density->counts = crd_i_arena_alloc(arena, values * conditions, sizeof *density->counts);
    density->totals = crd_i_arena_alloc(arena, conditions, sizeof *density->totals);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t k = 0; k < conditions; k++) {
        density->totals[k] = crd_i_tally_total(attribute->tally, (size_t)view->conditions[k]);
        density->total += density->totals[k];
    }
    for (size_t i = 0; i < values; i++) {
        double sum = 0;
        for (size_t k = 0; k < conditions; k++) {
            double count = crd_i_counts_value(attribute->tally, (size_t)view->values[i], (size_t)view->conditions[k]);
            density->counts[i * conditions + k] = count;
            sum += count;
        }
        density->value_totals[i] = sum;
    }
    for (size_t i = 0; i < values; i++)
        for (size_t k = 0; k < conditions; k++)
            density->logs[i * conditions + k] =
                log_for(density, i, density->counts[i * conditions + k], density->totals[k]);
    return true;
}

/* Lists the conditions that have rows, with their totals. Sets places[k] to the index of condition k in this list. */
static bool read_totals(categorical *density, const crd_i_tallied *attribute, uint32_t *places) {
    const crd_i_view *view = &attribute->view;
    crd_i_arena *arena = density->base.arena;
    for (size_t k = 0; k < view->condition_count; k++)
        density->seen_count += crd_i_tally_total(attribute->tally, (size_t)view->conditions[k]) > 0;
    density->seen = crd_i_arena_alloc(arena, density->seen_count, sizeof *density->seen);
    density->totals = crd_i_arena_alloc(arena, density->seen_count, sizeof *density->totals);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t k = 0, place = 0; k < view->condition_count; k++) {
        double total = crd_i_tally_total(attribute->tally, (size_t)view->conditions[k]);
        if (!(total > 0)) continue;
        density->seen[place] = (uint32_t)k;
        density->totals[place] = total;
        density->total += total;
        places[k] = (uint32_t)place++;
    }
    return true;
}

/* Computes the log probability of a count of zero under each condition with rows, unless it depends on the value. */
static bool derive_zeros(categorical *density) {
    if (density->smoothing == CRD_TERM_M_MARGINAL || density->values == 0) return true;
    density->zero_logs = crd_i_arena_alloc(density->base.arena, density->seen_count, sizeof *density->zero_logs);
    for (size_t place = 0; density->zero_logs != NULL && place < density->seen_count; place++)
        density->zero_logs[place] = log_for(density, 0, 0, density->totals[place]);
    return density->zero_logs != NULL;
}

/* Takes over the sparse counts from `rows` and computes their log probabilities. */
static bool derive_counts(categorical *density, crd_i_counts_rows *rows, const uint32_t *places) {
    crd_i_arena *arena = density->base.arena;
    size_t count = rows->begins[density->values];
    density->begins = rows->begins;
    density->places = rows->conditions;
    rows->begins = NULL;
    rows->conditions = NULL;
    density->logs = crd_i_arena_alloc(arena, count, sizeof *density->logs);
    density->counts = crd_i_arena_alloc(arena, count, sizeof *density->counts);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t i = 0; i < count; i++) {
        density->places[i] = places[density->places[i]];
        density->counts[i] = crd_i_sums_value(rows->sums, rows->cells[i]);
    }
    for (size_t value = 0; value < density->values; value++) {
        double sum = 0;
        for (size_t i = density->begins[value]; i < density->begins[value + 1]; i++) sum += density->counts[i];
        density->value_totals[value] = sum;
        for (size_t i = density->begins[value]; i < density->begins[value + 1]; i++)
            density->logs[i] = log_for(density, value, density->counts[i], density->totals[density->places[i]]);
    }
    return true;
}

static bool derive_sparse(categorical *density, const crd_i_tallied *attribute) {
    crd_context *context = density->base.context;
    crd_i_counts_rows rows = {.context = context};
    uint32_t *places = crd_i_alloc_zeroed(context, attribute->view.condition_count, sizeof *places);
    bool done = places != NULL && read_totals(density, attribute, places) &&
                crd_i_counts_rows_init(&rows, attribute->tally, &attribute->view) &&
                derive_counts(density, &rows, places) && derive_zeros(density);
    crd_i_counts_rows_clear(&rows);
    crd_free(context, places);
    return done;
}

static crd_status categorical_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                     const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    categorical *density =
        crd_i_density_create(context, &crd_i_family_categorical, attribute->view.condition_count, sizeof *density, 0);
    if (density == NULL) return crd_i_fail_memory(error);
    density->values = attribute->view.value_count;
    density->smoothing = smoothing_of(settings);
    density->strength = settings->smoothing_strength;
    density->is_sparse = !crd_i_counts_suit_array(attribute->tally, density->base.conditions, density->values);
    density->value_totals = crd_i_arena_alloc(density->base.arena, density->values, sizeof *density->value_totals);
    if (density->value_totals == NULL || !(density->is_sparse ? derive_sparse : derive_dense)(density, attribute)) {
        categorical_destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    density->base.is_silent = density->total == 0;
    *out = &density->base;
    return CRD_OK;
}

/* ======== 4. Adding ======== */

/* Adds the log probabilities of a value to destination[condition * stride], for all conditions. */
static void categorical_add_sparse(const categorical *density, size_t value, double *destination, size_t stride) {
    size_t conditions = density->base.conditions, entry = density->begins[value], end = density->begins[value + 1];
    double unseen = density->seen_count < conditions ? log_for(density, value, 0, 0) : 0;
    size_t condition = 0;
    for (size_t place = 0; place < density->seen_count; place++, condition++) {
        for (; condition < density->seen[place]; condition++) destination[condition * stride] += unseen;
        if (entry < end && density->places[entry] == place) destination[condition * stride] += density->logs[entry++];
        else if (density->zero_logs != NULL) destination[condition * stride] += density->zero_logs[place];
        else destination[condition * stride] += log_for(density, value, 0, density->totals[place]);
    }
    for (; condition < conditions; condition++) destination[condition * stride] += unseen;
}

static void categorical_add(const crd_i_density *base, const crd_i_cells *cells, double *sums) {
    const categorical *density = (const categorical *)base;
    size_t conditions = base->conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (cells->codes[row] < 0) continue;
        double *destination = sums + row * conditions;
        if (density->is_sparse) {
            categorical_add_sparse(density, (size_t)cells->codes[row], destination, 1);
            continue;
        }
        const double *logs = density->logs + (size_t)cells->codes[row] * conditions;
        for (size_t condition = 0; condition < conditions; condition++) destination[condition] += logs[condition];
    }
}

static void categorical_add_block(const crd_i_density *base, const crd_i_cells *cells, const crd_i_block *block) {
    const categorical *density = (const categorical *)base;
    size_t conditions = base->conditions, stride = block->stride;
    for (size_t row = 0; density->is_sparse && row < block->rows; row++)
        if (cells->codes[row] >= 0)
            categorical_add_sparse(density, (size_t)cells->codes[row], block->sums + row, stride);
    for (size_t row = 0; !density->is_sparse && row < block->rows; row++) {
        if (cells->codes[row] < 0) continue;
        const double *restrict logs = density->logs + (size_t)cells->codes[row] * conditions;
        double *restrict destination = block->sums + row;
        for (size_t condition = 0; condition < conditions; condition++)
            destination[condition * stride] += logs[condition];
    }
}

static void categorical_term(const crd_i_density *base, const crd_i_cells *cell, size_t condition, crd_term *out) {
    const categorical *density = (const categorical *)base;
    size_t value = (size_t)cell->codes[0];
    found source_found = find_count(density, value, condition);
    fill_term(density, value, source_found.count, source_found.total, 0, out);
    out->log_value = source_found.log;
}

static bool categorical_list_parameters(const crd_i_density *base, crd_i_parameter_list *parameter) {
    const categorical *density = (const categorical *)base;
    double *logs = crd_i_parameter_list_matrix(parameter, "log_probability", density->values, base->conditions);
    for (size_t value = 0; logs != NULL && value < density->values; value++)
        for (size_t k = 0; k < base->conditions; k++)
            logs[value * base->conditions + k] = find_count(density, value, k).log;
    return logs != NULL;
}

static bool categorical_estimates(const crd_i_density *density, const crd_i_tallied *attribute,
                                  const crd_settings *settings, bool is_first, crd_i_estimates *out) {
    (void)density, (void)settings, (void)is_first;
    uint64_t values = attribute->view.value_count;
    return crd_i_estimates_add(out, "conditional probabilities",
                               values == 0 ? 0 : (values - 1) * attribute->view.condition_count);
}

/* ======== 5. Leave-one-out densities ======== */

typedef struct categorical_rest {
    crd_i_rest base;
    size_t count;
    const crd_i_tallied *attributes; /* not owned */
    crd_i_density *densities[];      /* density of each attribute, from all rows */
} categorical_rest;

static void rest_destroy(crd_i_rest *base) {
    categorical_rest *remainder = (categorical_rest *)base;
    for (size_t i = 0; i < remainder->count; i++) crd_i_density_destroy(remainder->densities[i]);
    crd_free(base->context, remainder);
}

static crd_status rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                              size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error) {
    *out = NULL;
    if (count > (SIZE_MAX - sizeof(categorical_rest)) / sizeof(crd_i_density *)) return crd_i_fail_memory(error);
    categorical_rest *remainder =
        crd_i_alloc_zeroed(context, 1, sizeof *remainder + count * sizeof *remainder->densities);
    if (remainder == NULL) return crd_i_fail_memory(error);
    remainder->base.family = family;
    remainder->base.context = context;
    remainder->attributes = attributes;
    for (; remainder->count < count; remainder->count++) {
        size_t i = remainder->count;
        crd_status status =
            categorical_derive(context, &attributes[i], settings, NULL, &remainder->densities[i], error);
        if (status != CRD_OK) {
            rest_destroy(&remainder->base);
            return status;
        }
    }
    *out = &remainder->base;
    return CRD_OK;
}

/* Adds the log probabilities of a value without one row of condition `without`. Other rows have the value too, so t
 * does not change. Then only the row's own condition changes, unless overall shares are used. */
static void add_without(const categorical *density, size_t value, size_t without, double *sums) {
    bool all_change = density->smoothing == CRD_TERM_M_MARGINAL || density->smoothing == CRD_TERM_PLAIN;
    for (size_t condition = 0; condition < density->base.conditions; condition++) {
        found source_found = find_count(density, value, condition);
        if (condition == without || all_change) {
            double taken = condition == without ? 1 : 0;
            crd_term term = CRD_TERM_INIT;
            fill_term(density, value, source_found.count - taken, source_found.total - taken, 1, &term);
            source_found.log = categorical_log(&term);
        }
        sums[condition] += source_found.log;
    }
}

static crd_status rest_add(crd_i_rest *base, size_t attribute, const crd_i_cells *cells, const int32_t *entries,
                           double *sums, uint32_t *unseen, crd_error *error) {
    const categorical_rest *remainder = (const categorical_rest *)base;
    const categorical *density = (const categorical *)remainder->densities[attribute];
    const bool *known = remainder->attributes[attribute].view.stays;
    size_t conditions = density->base.conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (cells->codes[row] < 0 || entries[row] < 0) continue;
        size_t value = (size_t)cells->codes[row], without = (size_t)entries[row];
        if (find_count(density, value, without).count < 1)
            return crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
                              "a row was not learned: its value never occurred with its class");
        bool stays = density->value_totals[value] > 1 || (known != NULL && known[value]);
        if (!stays) unseen[row]++;
        else if (density->total > 1) add_without(density, value, without, sums + row * conditions);
    }
    return CRD_OK;
}

const crd_i_family crd_i_family_categorical = {
    .name = "categorical",
    .summary = "a probability for each value",
    .reads = {&crd_i_counts},
    .derive = categorical_derive,
    .destroy = categorical_destroy,
    .add = categorical_add,
    .add_block = categorical_add_block,
    .term = categorical_term,
    .estimates = categorical_estimates,
    .list_parameters = categorical_list_parameters,
    .rest_create = rest_create,
    .rest_destroy = rest_destroy,
    .rest_add = rest_add,
};
