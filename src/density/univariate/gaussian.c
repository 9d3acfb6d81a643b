/* SPDX-License-Identifier: MIT */
/* gaussian.c - the gaussian family: normal densities, from exact moments.
 *
 *   log p(x | c) = -log(2 pi) / 2 - log(d) - ((x - mean) / d)^2 / 2
 *
 * The mean and the standard deviation d of condition c are derived from exact sums. The values needed for evaluation
 * are stored as arrays over all conditions, so the loops vectorize. Used under each class, this is Gaussian naive Bayes
 * (Duda and Hart, Pattern Classification and Scene Analysis, 1973).
 *
 * Contents:
 *   1. Moments and curves
 *   2. Leave-one-out densities
 *   3. The family */
#include "density/univariate/gaussian.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "density/univariate/family.h"
#include "math/exact/ieee754.h"
#include "math/functions/special.h"

#include <float.h>
#include <math.h>

/* ======== 1. Moments and curves ========
 *
 * Variances are correctly rounded from the exact sums. They have their own exponent (crd_i_scaled) because squares
 * leave the range of a double long before deviations do. The steps are:
 *
 *   1. v is the variance of the condition, divided by n or n - 1 as the setting `variance` specifies. V is the variance
 *      of the whole column, over all conditions.
 *   2. The setting pool-variance replaces v by a pooled variance, and n by the number of rows that share it:
 *        v = sum of S_i / sum of n_i,  or  sum of S_i / sum of (n_i - 1) over the i with more than one row,
 *      where S_i are the squared deviations of the n_i values of a condition (and attribute) from their own mean. If
 *      attributes share, V is pooled in the same way, from the deviations from their overall means.
 *   3. If v is undefined, it is replaced by V. It is undefined without rows, and under `sample` if the weight of the
 *      rows is at most 1.
 *   4. Smoothing m:M shrinks v towards V: (n v + M V) / (n + M).
 *   5. The standard deviation d is the square root, and at least min-sd.
 *   6. If d is still zero, d^2 is 1e-9 times the variance of the whole column. All rows of the condition have one
 *      value, so the data do not determine how narrow the density is. With this width it is still a density, and its
 *      logarithms are small enough for the other attributes to count.
 *   7. A column with zero overall variance (constant, or a single row) has no information. It is ignored for every
 *      condition, whatever min-sd is.
 *
 * A condition without rows has the overall mean and variance of the column, with or without sharing. In step 4, M is
 * the equivalent sample size of the prior: V counts like the variance of M more rows. */

static const double NARROWEST = 0x1.09456549be1bdp-15;      /* sqrt(1e-9), 3.1622776601683795e-05 */
static const double HALF_LOG_TWO_PI = 0x1.d67f1c864beb5p-1; /* log(2 pi) / 2 = 0.91893853320467274... */

static const double SQRT_HALF = 0x1.6a09e667f3bcdp-1; /* 0.70710678118654752... */

/* If a mean is beyond this, a difference of two doubles may overflow, so both are halved. The inverse of a deviation
 * beyond it, or below its inverse, may leave the range of normal doubles. */
static const double LARGE = 0x1p1000;

/* The rounding error of a mean is dropped if it is at most this fraction of the deviation. At z deviations from the
 * mean, that changes a log density by at most z 2^-50. The rounding error of a mean of up to eight deviations is that
 * small. */
static const double SLIGHT = 0x1p-50;

static crd_i_scaled gaussian_zero(void) {
    return crd_i_scaled_of(0);
}

/* ---- Moments ---- */

bool crd_i_facts_read(crd_i_moment_cell moment, crd_i_facts_wanted wanted, const crd_settings *settings,
                      crd_i_facts *out) {
    const crd_i_facts none = {.variance = {gaussian_zero(), 0, false}, .spread = crd_i_spread_none()};
    bool sample = settings->sample_variance, defined = true;
    double n = crd_i_sums_value(moment.n, moment.cell);
    *out = none;
    if (n == 0) return true;
    out->rows = out->variance.rows = out->spread.rows = n;
    out->spread.divisor = !sample ? n : n >= 1 ? n - 1 : 0;
    if (wanted.mean && !crd_i_moments_mean(moment, &out->mean, &out->mean_rest, &defined)) return false;
    if (wanted.squares && out->spread.divisor > 0 && !crd_i_moments_deviations(moment, &out->spread.squares))
        return false;
    if (!wanted.variance) return true;
    if (crd_i_moments_variance(moment, sample, &out->variance.value, &out->variance.defined)) return true;
    return !out->variance.defined;
}

crd_i_facts_wanted crd_i_facts_of_whole(const crd_settings *settings) {
    crd_i_facts_wanted wanted = {.mean = true, .variance = true, .squares = settings->share_attributes};
    return wanted;
}

crd_i_facts_wanted crd_i_facts_of_condition(const crd_settings *settings) {
    bool shares = settings->share_classes || settings->share_attributes;
    crd_i_facts_wanted wanted = {.mean = true, .variance = !shares, .squares = shares};
    return wanted;
}

/* Reads the moments under condition k of the view. */
static bool facts_read_condition(const crd_i_tallied *attribute, size_t k, const crd_settings *settings,
                                 crd_i_facts *out) {
    const crd_i_facts none = {.variance = {gaussian_zero(), 0, false}, .spread = crd_i_spread_none()};
    size_t condition = (size_t)attribute->view.conditions[k];
    *out = none;
    if (condition >= attribute->tally->conditions) return true;
    return crd_i_facts_read(crd_i_moments_cell(attribute->tally, condition), crd_i_facts_of_condition(settings),
                            settings, out);
}

bool crd_i_facts_gather(const crd_i_tallied *attribute, crd_i_sums whole[3]) {
    for (int power = 0; power < 3; power++)
        if (!crd_i_sums_extend(&whole[power], 1)) return false;
    for (size_t k = 0; k < attribute->view.condition_count; k++) {
        size_t condition = (size_t)attribute->view.conditions[k];
        if (condition >= attribute->tally->conditions) continue;
        crd_i_moment_cell cell = crd_i_moments_cell(attribute->tally, condition);
        if (!crd_i_sums_combine(&whole[0], 0, cell.n, condition, 1) ||
            !crd_i_sums_combine(&whole[1], 0, cell.s, condition, 1) ||
            !crd_i_sums_combine(&whole[2], 0, cell.q, condition, 1))
            return false;
    }
    return true;
}

static bool facts_read_whole(const crd_i_sums whole[3], const crd_settings *settings, crd_i_facts *out) {
    crd_i_moment_cell cell = {&whole[0], &whole[1], &whole[2], 0};
    return crd_i_facts_read(cell, crd_i_facts_of_whole(settings), settings, out);
}

crd_i_facts *crd_i_facts_read_all(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings) {
    size_t conditions = attribute->view.condition_count;
    crd_i_facts *facts = crd_i_alloc(context, conditions + 1, sizeof *facts);
    if (facts == NULL) return NULL;
    crd_i_sums whole[3];
    for (int power = 0; power < 3; power++) crd_i_sums_init(&whole[power], context);
    bool done = crd_i_facts_gather(attribute, whole) && facts_read_whole(whole, settings, &facts[conditions]);
    for (int power = 0; power < 3; power++) crd_i_sums_clear(&whole[power]);
    for (size_t k = 0; done && k < conditions; k++) done = facts_read_condition(attribute, k, settings, &facts[k]);
    if (done) return facts;
    crd_free(context, facts);
    return NULL;
}

/* ---- Spreads and variances ---- */

crd_i_spread crd_i_spread_none(void) {
    const crd_i_spread none = {gaussian_zero(), 0, 0};
    return none;
}

static void spread_add(crd_i_spread *spread, const crd_i_spread *more) {
    spread->squares = crd_i_scaled_add(spread->squares, more->squares);
    spread->rows += more->rows;
    spread->divisor += more->divisor;
}

static crd_i_variance from_spread(const crd_i_spread *spread) {
    crd_i_variance result = {gaussian_zero(), spread->rows, spread->divisor > 0};
    if (result.defined) result.value = crd_i_scaled_divide(spread->squares, crd_i_scaled_of(spread->divisor));
    return result;
}

static void shared_add(crd_i_shared *shared_part, const crd_i_facts *whole, const crd_i_facts *conditions,
                       size_t count) {
    spread_add(&shared_part->whole, &whole->spread);
    for (size_t k = 0; k < count; k++) {
        spread_add(&shared_part->conditions[k], &conditions[k].spread);
        spread_add(&shared_part->all, &conditions[k].spread);
    }
}

crd_i_overall crd_i_overall_of(const crd_i_facts *whole, const crd_i_facts *conditions, size_t count,
                               const crd_i_shared *pool, const crd_settings *settings) {
    crd_i_overall overall = {.V = whole->variance, .pool = pool, .mean = whole->mean, .mean_rest = whole->mean_rest};
    bool has_spread = whole->variance.value.mantissa > 0;
    if (has_spread) overall.deviation = crd_i_scaled_root(whole->variance.value);
    overall.is_silent = !has_spread;
    if (settings->share_attributes) {
        overall.V = from_spread(&pool->whole);
        overall.pooled = from_spread(&pool->all);
    } else if (settings->share_classes) {
        crd_i_spread sum = crd_i_spread_none();
        for (size_t k = 0; k < count; k++) spread_add(&sum, &conditions[k].spread);
        overall.pooled = from_spread(&sum);
    }
    return overall;
}

/* ---- Densities ---- */

/* Returns the deviation, at least min-sd and within the range of finite positive doubles. */
static double bounded_deviation(double deviation, const crd_settings *settings) {
    if (deviation < settings->min_sd) deviation = settings->min_sd;
    if (deviation == 0) deviation = DBL_TRUE_MIN;
    return deviation > DBL_MAX ? DBL_MAX : deviation;
}

/* Steps 3 to 6 of the list above. */
static double gaussian_deviation(crd_i_variance own_variance, const crd_i_overall *overall,
                                 const crd_settings *settings) {
    const crd_i_variance *V = &overall->V;
    if (!own_variance.defined) own_variance.value = V->value;
    if (settings->smoothing == CRD_I_SMOOTHING_M && V->defined) {
        crd_i_scaled n = crd_i_scaled_of(own_variance.defined ? own_variance.rows : 0),
                     m = crd_i_scaled_of(settings->smoothing_strength);
        crd_i_scaled sum =
            crd_i_scaled_add(crd_i_scaled_multiply(n, own_variance.value), crd_i_scaled_multiply(m, V->value));
        own_variance.value = crd_i_scaled_divide(sum, crd_i_scaled_add(n, m));
    }
    double deviation = crd_i_scaled_root(own_variance.value);
    if (own_variance.value.mantissa == 0 && settings->min_sd == 0) deviation = NARROWEST * overall->deviation;
    return bounded_deviation(deviation, settings);
}

crd_i_normal_curve crd_i_normal_of(const crd_i_overall *overall, const crd_i_facts *facts, size_t k,
                                   const crd_settings *settings) {
    crd_i_variance variance = facts->variance;
    if (settings->share_classes) variance = overall->pooled;
    else if (settings->share_attributes) variance = from_spread(&overall->pool->conditions[k]);
    crd_i_normal_curve normal;
    if (facts->rows > 0) {
        normal.mean = facts->mean;
        normal.scaled_rest = facts->mean_rest;
        normal.deviation = gaussian_deviation(variance, overall, settings);
    } else {
        normal.mean = overall->mean;
        normal.scaled_rest = overall->mean_rest;
        normal.deviation = bounded_deviation(overall->deviation, settings);
    }
    if (fabs(normal.scaled_rest) <= SLIGHT * normal.deviation) normal.scaled_rest = 0;
    normal.scale = fabs(normal.mean) > LARGE ? 0.5 : 1;
    normal.scaled_mean = normal.mean * normal.scale;
    normal.scaled_rest *= normal.scale;
    normal.rescale = 1 / normal.scale;
    normal.log_peak = -HALF_LOG_TWO_PI - crd_log(normal.deviation);
    bool is_usual = normal.scale == 1 && normal.deviation <= LARGE && normal.deviation >= 1 / LARGE;
    normal.slope = is_usual ? SQRT_HALF / normal.deviation : 0;
    return normal;
}

double crd_i_normal_standard(const crd_i_normal_curve *curve, double x) {
    return (x * curve->scale - curve->scaled_mean - curve->scaled_rest) / curve->deviation * curve->rescale;
}

double crd_i_normal_log_density(const crd_i_normal_curve *curve, double x) {
    if (curve->slope > 0) {
        double z = (x - curve->mean - curve->scaled_rest) * curve->slope;
        return curve->log_peak - z * z;
    }
    double z = crd_i_normal_standard(curve, x);
    return curve->log_peak - 0.5 * z * z;
}

bool crd_i_normal_list_parameters(const crd_i_normal_curve *curves, size_t count, crd_i_parameter_list *parameter) {
    double *means = crd_i_parameter_list_vector(parameter, "mean", count);
    double *rests = means == NULL ? NULL : crd_i_parameter_list_vector(parameter, "mean_rest", count);
    double *deviations = rests == NULL ? NULL : crd_i_parameter_list_vector(parameter, "sd", count);
    double *peaks = deviations == NULL ? NULL : crd_i_parameter_list_vector(parameter, "log_peak", count);
    double *slopes = peaks == NULL ? NULL : crd_i_parameter_list_vector(parameter, "slope", count);
    for (size_t k = 0; slopes != NULL && k < count; k++) {
        means[k] = curves[k].mean;
        rests[k] = curves[k].scaled_rest * curves[k].rescale;
        deviations[k] = curves[k].deviation;
        peaks[k] = curves[k].log_peak;
        slopes[k] = curves[k].slope;
    }
    return slopes != NULL;
}

/* ======== 2. Leave-one-out densities ========
 *
 * For each training row, these are the densities derived from all other rows.
 *
 * The row's number is subtracted from exact sums. So the moments are bit-identical to the moments of the other rows,
 * and no digit is lost whatever the offset of the column. Reading the moments takes about a microsecond. They are
 * cached by attribute, condition and number in a table of fixed size, because real columns repeat their values.
 *
 * If attributes share their variances, removing a row changes the squares of every attribute. rest_pool adds them up
 * row by row, in the same order as `share`, before any density is evaluated. */

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

static void gaussian_rest_destroy(crd_i_rest *base) {
    gaussian_rest *remainder = (gaussian_rest *)base;
    for (size_t i = 0; remainder->attributes != NULL && i < remainder->count; i++)
        for (int power = 0; power < 3; power++) crd_i_sums_clear(&remainder->attributes[i].sums[power]);
    for (int power = 0; power < 3; power++) crd_i_sums_clear(&remainder->left[power]);
    crd_free(base->context, remainder->rows);
    crd_i_arena_destroy(base->arena);
}

static bool gaussian_loo_read_attribute(const gaussian_rest *remainder, out_attribute *attribute) {
    if (!crd_i_facts_gather(&attribute->tallied, attribute->sums) ||
        !facts_read_whole(attribute->sums, remainder->settings, &attribute->whole))
        return false;
    attribute->conditions =
        crd_i_arena_alloc(remainder->base.arena, remainder->conditions, sizeof *attribute->conditions);
    if (attribute->conditions == NULL) return false;
    for (size_t k = 0; k < remainder->conditions; k++)
        if (!facts_read_condition(&attribute->tallied, k, remainder->settings, &attribute->conditions[k])) return false;
    for (size_t k = 0; k < remainder->conditions; k++)
        if (attribute->conditions[k].rows <= 1) attribute->may_lack_rows = true;
    return true;
}

static bool gaussian_loo_fill(gaussian_rest *remainder, const crd_i_tallied *attributes) {
    crd_context *context = remainder->base.context;
    crd_i_arena *arena = remainder->base.arena;
    remainder->attributes = crd_i_arena_alloc_zeroed(arena, remainder->count, sizeof *remainder->attributes);
    remainder->pooled = crd_i_arena_alloc(arena, remainder->conditions, sizeof *remainder->pooled);
    remainder->kept = crd_i_arena_alloc_zeroed(arena, KEPT_FACTS, sizeof *remainder->kept);
    for (size_t i = 0; remainder->attributes != NULL && i < remainder->count; i++)
        for (int power = 0; power < 3; power++) crd_i_sums_init(&remainder->attributes[i].sums[power], context);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t k = 0; k < remainder->conditions; k++) remainder->pooled[k] = crd_i_spread_none();
    crd_i_shared pool = {crd_i_spread_none(), crd_i_spread_none(), remainder->pooled};
    for (size_t i = 0; i < remainder->count; i++) {
        out_attribute *attribute = &remainder->attributes[i];
        attribute->tallied = attributes[i];
        if (!gaussian_loo_read_attribute(remainder, attribute)) return false;
        shared_add(&pool, &attribute->whole, attribute->conditions, remainder->conditions);
    }
    for (int power = 0; power < 3; power++)
        if (!crd_i_sums_extend(&remainder->left[power], 1)) return false;
    return true;
}

static crd_status gaussian_rest_create(const crd_i_family *family, crd_context *context,
                                       const crd_i_tallied *attributes, size_t count, const crd_settings *settings,
                                       crd_i_rest **out, crd_error *error) {
    *out = NULL;
    gaussian_rest *remainder = crd_i_arena_object(context, sizeof *remainder);
    if (remainder == NULL) return crd_i_fail_memory(error);
    remainder->base.family = family;
    remainder->base.context = context;
    remainder->settings = settings;
    remainder->count = count;
    remainder->conditions = count == 0 ? 0 : attributes[0].view.condition_count;
    for (int power = 0; power < 3; power++) crd_i_sums_init(&remainder->left[power], context);
    if (!gaussian_loo_fill(remainder, attributes)) {
        gaussian_rest_destroy(&remainder->base);
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

static crd_status gaussian_rest_pool(crd_i_rest *base, size_t index, const crd_i_cells *cells, size_t rows,
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
        spread_add(&pool->whole, &left.whole.spread);
        spread_add(&pool->spread, &left.facts.spread);
        for (size_t k = 0; k < remainder->conditions; k++)
            spread_add(&pool->all, k == own ? &left.facts.spread : &attribute->conditions[k].spread);
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

static crd_status gaussian_rest_add(crd_i_rest *base, size_t index, const crd_i_cells *cells, const int32_t *conditions,
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

/* ======== 3. The family ======== */

typedef struct gaussian {
    crd_i_density base;
    /* one per condition, stored after the normals; count is 0 if some normal has no slope */
    crd_i_parabolas parabolas;
    crd_i_normal_curve normals[]; /* one per condition */
} gaussian;

/* ---- Derivation ---- */

/* Pools the squared deviations of all attributes, if the settings share variances between attributes. */
static crd_status gaussian_share(crd_context *context, const crd_i_tallied *attributes, size_t count,
                                 const crd_settings *settings, void **out, crd_error *error) {
    *out = NULL;
    if (!settings->share_attributes || count == 0) return CRD_OK;
    size_t conditions = attributes[0].view.condition_count;
    if (conditions > (SIZE_MAX - sizeof(crd_i_shared)) / sizeof(crd_i_spread)) return crd_i_fail_memory(error);
    crd_i_shared *pool = crd_i_alloc(context, 1, sizeof *pool + conditions * sizeof(crd_i_spread));
    if (pool == NULL) return crd_i_fail_memory(error);
    pool->whole = pool->all = crd_i_spread_none();
    pool->conditions = (crd_i_spread *)(pool + 1);
    for (size_t k = 0; k < conditions; k++) pool->conditions[k] = crd_i_spread_none();
    for (size_t i = 0; i < count; i++) {
        crd_i_facts *facts = crd_i_facts_read_all(context, &attributes[i], settings);
        if (facts == NULL) {
            crd_free(context, pool);
            return crd_i_fail_memory(error);
        }
        shared_add(pool, &facts[conditions], facts, conditions);
        crd_free(context, facts);
    }
    *out = pool;
    return CRD_OK;
}

/* Copies the parameters of the normals into the arrays of `parabolas`, which are allocated after the normals. */
static void gaussian_fill_parabolas(gaussian *density) {
    size_t conditions = density->base.conditions;
    double *centers = (double *)(density->normals + conditions), *center_rests = centers + conditions;
    double *slopes = center_rests + conditions, *tops = slopes + conditions;
    crd_i_parabolas parabolas = {conditions, centers, center_rests, slopes, tops};
    for (size_t k = 0; k < conditions; k++) {
        const crd_i_normal_curve *normal = &density->normals[k];
        if (normal->slope == 0) parabolas.count = 0;
        centers[k] = normal->mean;
        center_rests[k] = normal->scaled_rest;
        slopes[k] = normal->slope;
        tops[k] = normal->log_peak;
    }
    density->parabolas = parabolas;
}

static crd_status gaussian_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                  const void *shared, crd_i_density **out, crd_error *error) {
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    enum { SIDE_BY_SIDE = 4 };
    gaussian *density = crd_i_density_create(context, &crd_i_family_gaussian, conditions, sizeof *density,
                                             sizeof(crd_i_normal_curve) + SIDE_BY_SIDE * sizeof(double));
    if (density == NULL) return crd_i_fail_memory(error);
    crd_i_facts *facts = crd_i_facts_read_all(context, attribute, settings);
    if (facts == NULL) {
        crd_i_density_destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    crd_i_overall overall = crd_i_overall_of(&facts[conditions], facts, conditions, shared, settings);
    density->base.is_silent = overall.is_silent;
    for (size_t k = 0; k < conditions; k++) density->normals[k] = crd_i_normal_of(&overall, &facts[k], k, settings);
    gaussian_fill_parabolas(density);
    crd_free(context, facts);
    *out = &density->base;
    return CRD_OK;
}

/* ---- Evaluation ---- */

/* Adds crd_i_normal_log_density under all conditions. The loop is too short to be worth the setup of vector code. */
static void gaussian_add_parabolas(const crd_i_parabolas *parabolas, double x, double *restrict sums) {
    const double *centers = parabolas->centers, *center_rests = parabolas->center_rests;
    const double *slopes = parabolas->slopes, *tops = parabolas->tops;
    for (size_t k = 0; k < parabolas->count; k++) {
        double z = (x - centers[k] - center_rests[k]) * slopes[k];
        sums[k] += tops[k] - z * z;
    }
}

static void gaussian_add(const crd_i_density *base, const crd_i_cells *cells, double *sums) {
    const gaussian *density = (const gaussian *)base;
    size_t conditions = base->conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (!crd_i_number_present(cells, row)) continue;
        double x = cells->numbers[row], *destination = sums + row * conditions;
        if (density->parabolas.count > 0) gaussian_add_parabolas(&density->parabolas, x, destination);
        else
            for (size_t k = 0; k < conditions; k++) destination[k] += crd_i_normal_log_density(&density->normals[k], x);
    }
}

static void gaussian_add_block(const crd_i_density *base, const crd_i_cells *cells, const crd_i_block *block) {
    const gaussian *density = (const gaussian *)base;
    if (density->parabolas.count == 0) crd_i_density_add_rows(base, cells, block);
    else
        block->lanes->add_parabolas(&density->parabolas, cells->numbers, block->rows, block->some_missing, block->sums,
                                    block->stride);
}

static double gaussian_log_density(const crd_i_density *base, size_t condition, double x) {
    return crd_i_normal_log_density(&((const gaussian *)base)->normals[condition], x);
}

static size_t gaussian_term_parameters(const crd_i_density *base, size_t condition, crd_term_parameter *out) {
    const crd_i_normal_curve *curve = &((const gaussian *)base)->normals[condition];
    const crd_term_parameter mean = {"mean", curve->mean}, deviation = {"sd", curve->deviation};
    out[0] = mean;
    out[1] = deviation;
    return 2;
}

static void gaussian_moments(const crd_i_density *base, size_t condition, double *mean, double *deviation) {
    const crd_i_normal_curve *curve = &((const gaussian *)base)->normals[condition];
    *mean = curve->mean;
    *deviation = curve->deviation;
}

static double gaussian_below(const crd_i_density *base, size_t condition, double x) {
    const crd_i_normal_curve *curve = &((const gaussian *)base)->normals[condition];
    return crd_i_normal_tails(crd_i_normal_standard(curve, x)).below;
}

/* Returns mean + z deviations, limited to the range of finite doubles. */
static double gaussian_point(const crd_i_normal_curve *curve, double z) {
    double x = curve->mean + curve->deviation * z;
    return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x;
}

static double gaussian_quantile(const crd_i_density *base, size_t condition, double p) {
    return gaussian_point(&((const gaussian *)base)->normals[condition], crd_i_normal_quantile(p));
}

static double gaussian_draw(const crd_i_density *base, size_t condition, crd_i_random *random) {
    return gaussian_point(&((const gaussian *)base)->normals[condition], crd_i_random_normal(random));
}

static bool gaussian_list_parameters(const crd_i_density *base, crd_i_parameter_list *parameter) {
    return crd_i_normal_list_parameters(((const gaussian *)base)->normals, base->conditions, parameter);
}

static bool gaussian_estimates(const crd_i_density *density, const crd_i_tallied *attribute,
                               const crd_settings *settings, bool is_first, crd_i_estimates *out) {
    (void)density;
    uint64_t conditions = attribute->view.condition_count;
    uint64_t deviations = settings->share_classes ? 1 : conditions;
    if (settings->share_attributes && !is_first) deviations = 0;
    return crd_i_estimates_add(out, "means", conditions) && crd_i_estimates_add(out, "deviations", deviations);
}

/* Computes where the densities a and b cross, where a is the narrower one. Let r = d_a / d_b <= 1, e = (mean_b -
 * mean_a) / d_b, x = mean_a + d_a u, and K = lead + log p_a(mean_a) - log p_b(mean_b). Twice the difference of the log
 * densities is
 *
 *   (r^2 - 1) u^2 - 2 r e u + e^2 + 2 K.
 *
 * This parabola opens downward, so a is ahead between its roots. A quarter of its discriminant is e^2 + 2 K (1 - r^2),
 * which avoids needless cancellation. */
static size_t cross_narrower(const crd_i_normal_curve *a, const crd_i_normal_curve *b, double lead, double points[2],
                             bool a_ahead[3]) {
    double ratio = a->deviation / b->deviation;
    double e = (b->mean * 0.5 - a->mean * 0.5) / b->deviation * 2;
    double K = lead + (a->log_peak - b->log_peak);
    double leading = (ratio - 1) * (ratio + 1);
    if (leading == 0) {
        a_ahead[0] = e > 0 || (e == 0 && K >= 0);
        if (e == 0) return 0;
        a_ahead[1] = !a_ahead[0];
        points[0] = a->mean + a->deviation * (e / 2 + K / e);
        return 1;
    }
    /* Divide by a unit of at least |e|, so squares stay in range. */
    double unit = fabs(e) > 1 ? fabs(e) : 1, e1 = e / unit;
    double discriminant = e1 * e1 - 2 * (K / unit) / unit * leading;
    a_ahead[0] = false;
    if (!(discriminant > 0)) return 0;
    double root = sqrt(discriminant);
    double sum = ratio * e1 + (e1 < 0 ? -root : root);
    double u = sum / leading * unit, w = (e1 * e1 + 2 * (K / unit) / unit) / sum * unit;
    double x = a->mean + a->deviation * u, y = a->mean + a->deviation * w;
    points[0] = x < y ? x : y;
    points[1] = x < y ? y : x;
    a_ahead[1] = true;
    a_ahead[2] = false;
    return 2;
}

static size_t gaussian_crossings(const crd_i_density *base, size_t a, size_t b, double lead, double points[2],
                                 bool a_ahead[3]) {
    const crd_i_normal_curve *normals = ((const gaussian *)base)->normals;
    if (normals[a].deviation <= normals[b].deviation)
        return cross_narrower(&normals[a], &normals[b], lead, points, a_ahead);
    size_t count = cross_narrower(&normals[b], &normals[a], -lead, points, a_ahead);
    for (size_t i = 0; i <= count; i++) a_ahead[i] = !a_ahead[i];
    return count;
}

const crd_i_family crd_i_family_gaussian = {
    .name = "gaussian",
    .summary = "normal (Gaussian) density, with mean and standard deviation",
    .reads = {&crd_i_moments},
    .share = gaussian_share,
    .derive = gaussian_derive,
    .add = gaussian_add,
    .add_block = gaussian_add_block,
    .term = crd_i_generic_term,
    .log_density = gaussian_log_density,
    .parameters = gaussian_term_parameters,
    .estimates = gaussian_estimates,
    .list_parameters = gaussian_list_parameters,
    .crossings = gaussian_crossings,
    .moments = gaussian_moments,
    .below = gaussian_below,
    .quantile = gaussian_quantile,
    .draw = gaussian_draw,
    .rest_create = gaussian_rest_create,
    .rest_destroy = gaussian_rest_destroy,
    .rest_pool = gaussian_rest_pool,
    .rest_add = gaussian_rest_add,
};
