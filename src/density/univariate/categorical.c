/* categorical.c - probabilities of values, from counts.
 *
 * With n_v the rows of a condition that have value v, n those that have any, t the number of values seen under some
 * condition or declared, and p the value's share that is assumed beforehand, 1/t or its overall share:
 *   none       n_v / n
 *   m:M        (n_v + M p) / (n + M)
 *   laplace:L  (n_v + L) / (n + L t)
 * A condition under which nothing was seen, without smoothing, leaves 0 / 0: there the overall share stands in, as
 * knowing the condition then tells nothing of the value. A zero stays a zero, its logarithm -INFINITY.
 *
 * Logarithms are kept value by value, the conditions side by side, as a row asks for one value under all. */
#include "density/univariate/family.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct categorical {
    crd_i_density base;
    size_t values;
    crd_term_smoothing smoothing;
    double strength;
    double *logs;         /* values x conditions */
    double *counts;       /* values x conditions */
    double *totals;       /* of each condition */
    double *value_totals; /* of each value over all conditions */
    double total;         /* of all */
} categorical;

static void destroy(crd_i_density *base) {
    categorical *density = (categorical *)base;
    crd_free(base->context, density->logs);
    crd_free(base->context, density->counts);
    crd_free(base->context, density->totals);
    crd_free(base->context, density->value_totals);
    crd_free(base->context, density);
}

/* Where nothing is taken out. */
static const size_t NOWHERE = SIZE_MAX;

/* All of a term but its logarithm, where a row with this value is taken out of the counts of condition `without`. */
static void fill_term(const categorical *density, size_t value, size_t condition, size_t without, crd_term *term) {
    double taken = without == NOWHERE ? 0 : 1, taken_here = without == condition ? 1 : 0;
    term->form = CRD_TERM_RATIO;
    term->smoothing = density->smoothing;
    term->count = density->counts[value * density->base.conditions + condition] - taken_here;
    term->total = density->totals[condition] - taken_here;
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

static double log_of(const crd_term *term) {
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

static crd_term_smoothing smoothing_of(const crd_settings *settings) {
    switch (settings->smoothing) {
    case CRD_I_SMOOTHING_M: return settings->smoothing_marginal ? CRD_TERM_M_MARGINAL : CRD_TERM_M_UNIFORM;
    case CRD_I_SMOOTHING_LAPLACE: return CRD_TERM_LAPLACE;
    case CRD_I_SMOOTHING_NONE: break;
    }
    return CRD_TERM_PLAIN;
}

static void read_counts(categorical *density, const crd_i_tallied *attribute) {
    const crd_i_view *view = &attribute->view;
    for (size_t k = 0; k < view->condition_count; k++) {
        density->totals[k] = crd_i_tally_total(attribute->tally, (size_t)view->conditions[k]);
        density->total += density->totals[k];
    }
    for (size_t i = 0; i < view->value_count; i++) {
        double sum = 0;
        for (size_t k = 0; k < view->condition_count; k++) {
            double count = crd_i_counts_value(attribute->tally, (size_t)view->values[i], (size_t)view->conditions[k]);
            density->counts[i * view->condition_count + k] = count;
            sum += count;
        }
        density->value_totals[i] = sum;
    }
}

static crd_status derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                         const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count, values = attribute->view.value_count;
    if (conditions > 0 && values > SIZE_MAX / conditions) return crd_i_fail_memory(error);
    categorical *density = crd_i_alloc_zeroed(context, 1, sizeof *density);
    if (density == NULL) return crd_i_fail_memory(error);
    density->base.family = &crd_i_family_categorical;
    density->base.context = context;
    density->base.conditions = conditions;
    density->values = values;
    density->smoothing = smoothing_of(settings);
    density->strength = settings->smoothing_strength;
    density->logs = crd_i_alloc(context, values * conditions, sizeof *density->logs);
    density->counts = crd_i_alloc(context, values * conditions, sizeof *density->counts);
    density->totals = crd_i_alloc(context, conditions, sizeof *density->totals);
    density->value_totals = crd_i_alloc(context, values, sizeof *density->value_totals);
    if (density->logs == NULL || density->counts == NULL || density->totals == NULL || density->value_totals == NULL) {
        destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    read_counts(density, attribute);
    density->base.is_silent = density->total == 0;
    for (size_t value = 0; value < values; value++)
        for (size_t condition = 0; condition < conditions; condition++) {
            crd_term term = CRD_TERM_INIT;
            fill_term(density, value, condition, NOWHERE, &term);
            density->logs[value * conditions + condition] = log_of(&term);
        }
    *out = &density->base;
    return CRD_OK;
}

static void add(const crd_i_density *base, const crd_i_cells *cells, double *sums) {
    const categorical *density = (const categorical *)base;
    size_t conditions = base->conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (cells->codes[row] < 0) continue;
        const double *logs = density->logs + (size_t)cells->codes[row] * conditions;
        double *to = sums + row * conditions;
        for (size_t condition = 0; condition < conditions; condition++) to[condition] += logs[condition];
    }
}

static void add_block(const crd_i_density *base, const crd_i_cells *cells, const crd_i_block *block) {
    const categorical *density = (const categorical *)base;
    size_t conditions = base->conditions, stride = block->stride;
    for (size_t row = 0; row < block->rows; row++) {
        if (cells->codes[row] < 0) continue;
        const double *restrict logs = density->logs + (size_t)cells->codes[row] * conditions;
        double *restrict to = block->sums + row;
        for (size_t condition = 0; condition < conditions; condition++) to[condition * stride] += logs[condition];
    }
}

static void term(const crd_i_density *base, const crd_i_cells *cell, size_t condition, crd_term *out) {
    const categorical *density = (const categorical *)base;
    size_t value = (size_t)cell->codes[0];
    fill_term(density, value, condition, NOWHERE, out);
    out->log_value = density->logs[value * base->conditions + condition];
}

static bool estimates(const crd_i_density *density, const crd_i_tallied *attribute, const crd_settings *settings,
                      bool is_first, crd_i_estimates *out) {
    (void)density, (void)settings, (void)is_first;
    uint64_t values = attribute->view.value_count;
    return crd_i_estimates_add(out, "conditional probabilities",
                               values == 0 ? 0 : (values - 1) * attribute->view.condition_count);
}

/* ---- Without one row ---- */

typedef struct categorical_rest {
    crd_i_rest base;
    size_t count;
    const crd_i_tallied *attributes; /* borrowed */
    crd_i_density *densities[];      /* of each attribute */
} categorical_rest;

static void rest_destroy(crd_i_rest *base) {
    categorical_rest *rest = (categorical_rest *)base;
    for (size_t i = 0; i < rest->count; i++) crd_i_density_destroy(rest->densities[i]);
    crd_free(base->context, rest);
}

static crd_status rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                              size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error) {
    *out = NULL;
    if (count > (SIZE_MAX - sizeof(categorical_rest)) / sizeof(crd_i_density *)) return crd_i_fail_memory(error);
    categorical_rest *rest = crd_i_alloc_zeroed(context, 1, sizeof *rest + count * sizeof *rest->densities);
    if (rest == NULL) return crd_i_fail_memory(error);
    rest->base.family = family;
    rest->base.context = context;
    rest->attributes = attributes;
    for (; rest->count < count; rest->count++) {
        size_t i = rest->count;
        crd_status status = derive(context, &attributes[i], settings, NULL, &rest->densities[i], error);
        if (status != CRD_OK) {
            rest_destroy(&rest->base);
            return status;
        }
    }
    *out = &rest->base;
    return CRD_OK;
}

/* A value that other rows have too leaves t as it is. Then only the row's own condition changes, unless overall
 * shares are looked at. */
static void add_without(const categorical *density, size_t value, size_t without, double *sums) {
    size_t conditions = density->base.conditions;
    bool all_change = density->smoothing == CRD_TERM_M_MARGINAL || density->smoothing == CRD_TERM_PLAIN;
    for (size_t condition = 0; condition < conditions; condition++) {
        if (condition == without || all_change) {
            crd_term term = CRD_TERM_INIT;
            fill_term(density, value, condition, without, &term);
            sums[condition] += log_of(&term);
        } else {
            sums[condition] += density->logs[value * conditions + condition];
        }
    }
}

static crd_status rest_add(crd_i_rest *base, size_t attribute, const crd_i_cells *cells, const int32_t *own,
                           double *sums, uint32_t *unseen, crd_error *error) {
    const categorical_rest *rest = (const categorical_rest *)base;
    const categorical *density = (const categorical *)rest->densities[attribute];
    const bool *known = rest->attributes[attribute].view.stays;
    size_t conditions = density->base.conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (cells->codes[row] < 0 || own[row] < 0) continue;
        size_t value = (size_t)cells->codes[row], without = (size_t)own[row];
        if (density->counts[value * conditions + without] < 1)
            return crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row was not learned: its value and class never met");
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
    .derive = derive,
    .destroy = destroy,
    .add = add,
    .add_block = add_block,
    .term = term,
    .estimates = estimates,
    .rest_create = rest_create,
    .rest_destroy = rest_destroy,
    .rest_add = rest_add,
};
