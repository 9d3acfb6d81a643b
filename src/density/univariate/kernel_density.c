/* SPDX-License-Identifier: MIT */
/* kernel_density.c - the kernel family: a kernel density estimate with normal kernels (Rosenblatt 1956, Parzen 1962),
 * from the bins of the adaptive histogram.
 *
 * Bin i at v_i has weight w_i, and n is the sum of the weights (family.h describes the pseudo-counts among them):
 *
 *   p(x | c) = 1 / (n h) sum over i of w_i phi((x - v_i) / h),  phi the standard normal density
 *
 * The setting `bandwidth` is h itself, or a rule that computes h for each condition. With s the standard deviation of
 * the weighted bins and IQR their interquartile range:
 *
 *   scott      s n^(-1/5)                           (Scott 1992)
 *   silverman  0.9 min(s, IQR / 1.34) n^(-1/5)      (Silverman 1986)
 *   weka       (max - min) / sqrt(n)                range of the condition's rows, as Weka's naive Bayes
 *
 * Every rule gives at least one sixth of the mean distance between neighboring bins, which is the resolution of the
 * column, and at least min-sd.
 *
 * Evaluation does not sum over all bins. The line is divided into boxes of width h. In a box with center b, let u = (x
 * - b) / h and z_i = (v_i - b) / h. Then
 *
 *   sum of w_i phi(u - z_i) = phi(u) sum over k of u^k M_k / k!,  M_k = sum of w_i exp(-z_i^2 / 2) z_i^k
 *
 * This is the factorization of the improved fast Gauss transform (Yang, Duraiswami, Gumerov and Davis 2003). As |u| <=
 * 1/2, and bins with |z| > 9.5 contribute less than 1e-16, 30 moments M_k give the sum to a relative error of 1e-10 if
 * a bin is within 4 h. Farther from all bins, or if there would be too many boxes, the sum is computed directly. It
 * then skips bins that contribute less than exp(-64) of the nearest bin. */
#include "density/univariate/family.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/special.h"

#include <math.h>

enum { TERMS = 30, MOST_BOXES = 512 };

static const double REACH = 9.5, NEAR = 4; /* distances between boxes and bins, in bandwidths */
static const double LOG_ROOT_TWO_PI = 0x1.d67f1c864beb5p-1;

typedef struct density_estimate {
    double h;
    double log_unit;   /* log(n h sqrt(2 pi)) + e log 2, with the e of family.h */
    size_t begin, end; /* the bins from the first to the last with weight: begin <= i < end */
    double origin;     /* left end of the first box */
    size_t boxes;      /* number of boxes; 0: there would be too many */
    double *moments;   /* [box][TERMS]: M_k / k! */
    bool *has_cell;    /* for each box: whether a bin is within NEAR bandwidths */
} density_estimate;

typedef struct density_kernel {
    crd_i_density base;
    crd_i_spread_cells cells;
    density_estimate each[]; /* one per condition */
} density_kernel;

/* ---- Derivation ---- */

/* Returns max - min of the rows of a condition. */
static double range_of_rows(const crd_i_spread_cells *cells, const double *rows) {
    size_t first = 0, last = cells->count;
    while (first < cells->count && rows[first] == 0) first++;
    while (last > first && rows[last - 1] == 0) last--;
    return last > first ? cells->t[last - 1] - cells->t[first] + cells->width : 0;
}

/* Returns the bandwidth h of condition k, on the scale of the bins. */
static double bandwidth_of(const crd_i_spread_cells *cells, size_t k, const crd_settings *settings) {
    const double *weights = cells->weights + k * cells->count;
    double n = cells->sums[k], mean, s, h = 0;
    /* Limits of a given bandwidth. Beyond them it acts like zero or infinity, and its square would overflow. */
    static const double NARROWEST = 0x1p-100, WIDEST = 0x1p100;
    double least = fmin(settings->min_sd * cells->scale.factor, WIDEST);
    if (settings->bandwidth == CRD_I_BANDWIDTH_GIVEN) {
        h = settings->bandwidth_given * cells->scale.factor;
        return h < NARROWEST ? NARROWEST : h > WIDEST ? WIDEST : h;
    }
    if (least < cells->gap / 6) least = cells->gap / 6;
    crd_i_spread_moments(cells, weights, &mean, &s);
    switch (settings->bandwidth) {
    case CRD_I_BANDWIDTH_SCOTT: h = s * crd_i_spread_power(n, -0.2); break;
    case CRD_I_BANDWIDTH_SILVERMAN: {
        double quarters = crd_i_spread_quantile(cells, weights, 0.75) - crd_i_spread_quantile(cells, weights, 0.25);
        double spread = quarters > 0 && quarters / 1.34 < s ? quarters / 1.34 : s;
        h = 0.9 * spread * crd_i_spread_power(n, -0.2);
        break;
    }
    case CRD_I_BANDWIDTH_WEKA: h = range_of_rows(cells, cells->rows + k * cells->count) / sqrt(n); break;
    case CRD_I_BANDWIDTH_GIVEN: break;
    }
    return h > least ? h : least;
}

/* Adds a bin to the moments M_k / k! of the boxes within REACH. */
static void kernel_density_add_cell(density_estimate *estimate, double t, double weight) {
    double place = (t - estimate->origin) / estimate->h;
    double first = floor(place - 0.5 - REACH), last = ceil(place - 0.5 + REACH);
    if (first < 0) first = 0;
    if (last > (double)estimate->boxes - 1) last = (double)estimate->boxes - 1;
    for (size_t box = (size_t)first; (double)box <= last; box++) {
        double z = place - ((double)box + 0.5), power = weight * crd_exp(-z * z / 2);
        double *moments = estimate->moments + box * TERMS;
        if (fabs(z) <= NEAR) estimate->has_cell[box] = true;
        for (size_t k = 0; k < TERMS; k++) {
            moments[k] += power;
            power *= z / (double)(k + 1);
        }
    }
}

/* Computes the moments of all boxes, unless there would be more than MOST_BOXES. Returns false if memory runs out. */
static bool fill_boxes(crd_i_arena *arena, const crd_i_spread_cells *cells, const double *weights,
                       density_estimate *estimate) {
    double least = cells->t[estimate->begin] - NEAR * estimate->h,
           greatest = cells->t[estimate->end - 1] + NEAR * estimate->h;
    double boxes = ceil((greatest - least) / estimate->h);
    estimate->origin = least;
    if (!(boxes >= 1 && boxes <= MOST_BOXES)) return true;
    estimate->boxes = (size_t)boxes;
    estimate->moments = crd_i_arena_alloc_zeroed(arena, estimate->boxes * TERMS, sizeof *estimate->moments);
    estimate->has_cell = crd_i_arena_alloc_zeroed(arena, estimate->boxes, sizeof *estimate->has_cell);
    if (estimate->has_cell == NULL) return false;
    for (size_t i = estimate->begin; i < estimate->end; i++)
        if (weights[i] > 0) kernel_density_add_cell(estimate, cells->t[i], weights[i]);
    return true;
}

static bool kernel_density_derive_one(density_kernel *density, size_t k, const crd_settings *settings) {
    const crd_i_spread_cells *cells = &density->cells;
    const double *weights = cells->weights + k * cells->count;
    density_estimate *estimate = &density->each[k];
    estimate->h = bandwidth_of(cells, k, settings);
    if (!(estimate->h > 0)) estimate->h = 1; /* a constant column, which is ignored */
    estimate->log_unit = crd_log(cells->sums[k]) + crd_log(estimate->h) + LOG_ROOT_TWO_PI + cells->scale.log_unit;
    estimate->end = cells->count;
    while (estimate->begin < estimate->end && weights[estimate->begin] == 0) estimate->begin++;
    while (estimate->end > estimate->begin && weights[estimate->end - 1] == 0) estimate->end--;
    return fill_boxes(density->base.arena, cells, weights, estimate);
}

static crd_status kernel_density_derive(crd_context *context, const crd_i_tallied *attribute,
                                        const crd_settings *settings, const void *shared, crd_i_density **out,
                                        crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    density_kernel *density =
        crd_i_density_create(context, &crd_i_family_kernel, conditions, sizeof *density, sizeof(density_estimate));
    if (density == NULL) return crd_i_fail_memory(error);
    bool done = crd_i_spread_cells_init(&density->cells, context, density->base.arena, attribute, settings);
    density->base.is_silent = density->cells.count < 2;
    for (size_t k = 0; done && density->cells.count > 0 && k < conditions; k++)
        done = kernel_density_derive_one(density, k, settings);
    if (!done) {
        crd_i_density_destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    *out = &density->base;
    return CRD_OK;
}

/* ---- Evaluation ---- */

/* Returns the first bin of the estimate that is not below t, or `end`. */
static size_t kernel_density_first_from(const crd_i_spread_cells *cells, const density_estimate *estimate, double t) {
    size_t low = estimate->begin, high = estimate->end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cells->t[middle] < t) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Returns the log of the sum of w_i exp(-((t - t_i) / h)^2 / 2), computed bin by bin relative to the nearest bin. */
static double kernel_density_log_sum(const crd_i_spread_cells *cells, const double *weights,
                                     const density_estimate *estimate, double t) {
    static const double LEAST = 64;
    size_t above = kernel_density_first_from(cells, estimate, t), below = above;
    while (above < estimate->end && weights[above] == 0) above++;
    while (below > estimate->begin && weights[below - 1] == 0) below--;
    double up = above < estimate->end ? (cells->t[above] - t) / estimate->h : INFINITY;
    double down = below > estimate->begin ? (t - cells->t[below - 1]) / estimate->h : INFINITY;
    double nearest = up < down ? up : down, farthest = sqrt(nearest * nearest + 2 * LEAST), sum = 0;
    /* Include the nearest bin below t in spite of rounding. */
    size_t first = kernel_density_first_from(cells, estimate, t - farthest * estimate->h);
    if (below > estimate->begin && first > below - 1) first = below - 1;
    for (size_t i = first; i < estimate->end; i++) {
        double z = fabs(cells->t[i] - t) / estimate->h;
        if (z > farthest && cells->t[i] > t) break;
        if (z <= farthest && weights[i] > 0) sum += weights[i] * crd_exp((nearest - z) * (nearest + z) / 2);
    }
    return crd_log(sum) - nearest * nearest / 2;
}

/* Returns the log density at t, by the moments of its box or else by direct summation. */
static double log_density_t(const density_kernel *density, size_t condition, double t) {
    const density_estimate *estimate = &density->each[condition];
    double place = (t - estimate->origin) / estimate->h;
    size_t box = place >= 0 && place < (double)estimate->boxes ? (size_t)place : estimate->boxes;
    if (box == estimate->boxes || !estimate->has_cell[box])
        return kernel_density_log_sum(&density->cells, density->cells.weights + condition * density->cells.count,
                                      estimate, t) -
               estimate->log_unit;
    const double *moments = estimate->moments + box * TERMS;
    double u = place - ((double)box + 0.5), square = u * u, even = 0, odd = 0;
    for (size_t k = TERMS; k > 0; k -= 2) {
        odd = odd * square + moments[k - 1];
        even = even * square + moments[k - 2];
    }
    return crd_log(even + u * odd) - square / 2 - estimate->log_unit;
}

static double kernel_density_log(const crd_i_density *base, size_t condition, double x) {
    const density_kernel *density = (const density_kernel *)base;
    return log_density_t(density, condition, crd_i_scale_to(&density->cells.scale, x));
}

static size_t kernel_density_parameters(const crd_i_density *base, size_t condition, crd_term_parameter *out) {
    const density_kernel *density = (const density_kernel *)base;
    const crd_term_parameter bandwidth = {"bandwidth", density->each[condition].h / density->cells.scale.factor};
    out[0] = bandwidth;
    return 1;
}

static bool kernel_density_list_parameters(const crd_i_density *base, crd_i_parameter_list *parameter) {
    const density_kernel *density = (const density_kernel *)base;
    const crd_i_spread_cells *cells = &density->cells;
    if (!crd_i_scale_list_parameters(&cells->scale, parameter)) return false;
    double *bandwidths = crd_i_parameter_list_vector(parameter, "bandwidth", base->conditions);
    double *units = bandwidths == NULL ? NULL : crd_i_parameter_list_vector(parameter, "log_total", base->conditions);
    for (size_t k = 0; units != NULL && k < base->conditions; k++) {
        bandwidths[k] = density->each[k].h;
        units[k] = density->each[k].log_unit;
    }
    return units != NULL && crd_i_parameter_list_copy(parameter, "cell", cells->t, cells->count, 1) &&
           crd_i_parameter_list_copy(parameter, "weight", cells->weights, base->conditions, cells->count);
}

static void kernel_density_moments(const crd_i_density *base, size_t condition, double *mean, double *deviation) {
    const density_kernel *density = (const density_kernel *)base;
    const crd_i_spread_cells *cells = &density->cells;
    const double *weights = cells->weights + condition * cells->count;
    double h = density->each[condition].h, sum = 0, squares = 0;
    for (size_t i = 0; i < cells->count; i++) sum += weights[i] * cells->t[i];
    sum /= cells->sums[condition];
    for (size_t i = 0; i < cells->count; i++) squares += weights[i] * ((cells->t[i] - sum) * (cells->t[i] - sum));
    *mean = crd_i_scale_from(&cells->scale, sum);
    *deviation = sqrt(squares / cells->sums[condition] + h * h) / cells->scale.factor;
}

typedef struct density_result {
    const density_kernel *density;
    size_t condition;
} density_result;

static double kernel_density_below_t(const void *object, double t) {
    const crd_i_spread_cells *cells = &((const density_result *)object)->density->cells;
    size_t condition = ((const density_result *)object)->condition;
    const double *weights = cells->weights + condition * cells->count;
    double sum = 0, h = ((const density_result *)object)->density->each[condition].h;
    for (size_t i = 0; i < cells->count; i++)
        if (weights[i] > 0) sum += weights[i] * crd_i_normal_tails((t - cells->t[i]) / h).below;
    double p = sum / cells->sums[condition];
    return p < 1 ? p : 1;
}

static double kernel_density_t(const void *object, double t) {
    const density_kernel *density = ((const density_result *)object)->density;
    size_t condition = ((const density_result *)object)->condition;
    return crd_exp(log_density_t(density, condition, t) + density->cells.scale.log_unit);
}

static double kernel_density_below(const crd_i_density *base, size_t condition, double x) {
    const density_result result = {(const density_kernel *)base, condition};
    return kernel_density_below_t(&result, crd_i_scale_to(&result.density->cells.scale, x));
}

/* Inverts the distribution function. The result lies between the p-quantiles of the first and the last kernel. */
static double kernel_density_quantile(const crd_i_density *base, size_t condition, double p) {
    const density_result result = {(const density_kernel *)base, condition};
    const crd_i_spread_cells *cells = &result.density->cells;
    const crd_i_spread_curve curve = {kernel_density_below_t, kernel_density_t, &result};
    double z = crd_i_normal_quantile(p) * result.density->each[condition].h;
    return crd_i_scale_from(&cells->scale,
                            crd_i_spread_invert(&curve, cells->t[0] + z, cells->t[cells->count - 1] + z, p));
}

/* Draws a bin with probability proportional to its weight, then a number from its kernel. */
static double kernel_density_draw(const crd_i_density *base, size_t condition, crd_i_random *random) {
    const density_kernel *density = (const density_kernel *)base;
    const crd_i_spread_cells *cells = &density->cells;
    const double *weights = cells->weights + condition * cells->count;
    double wanted = crd_i_random_uniform(random) * cells->sums[condition];
    size_t i = density->each[condition].begin;
    while (i + 1 < density->each[condition].end && (wanted >= weights[i] || weights[i] == 0)) wanted -= weights[i++];
    return crd_i_scale_from(&cells->scale, cells->t[i] + density->each[condition].h * crd_i_random_normal(random));
}

const crd_i_family crd_i_family_kernel = {
    .name = "kernel",
    .summary = "kernel density estimate: a normal kernel at every row",
    .reads = {&crd_i_grid},
    .estimated = {"bandwidths"},
    .derive = kernel_density_derive,
    .log_density = kernel_density_log,
    .parameters = kernel_density_parameters,
    .list_parameters = kernel_density_list_parameters,
    .moments = kernel_density_moments,
    .below = kernel_density_below,
    .quantile = kernel_density_quantile,
    .draw = kernel_density_draw,
    .estimates = crd_i_generic_estimates,
    .add = crd_i_generic_add,
    .term = crd_i_generic_term,
    .rest_create = crd_i_generic_rest_create,
    .rest_destroy = crd_i_generic_rest_destroy,
    .rest_add = crd_i_generic_rest_add,
};
