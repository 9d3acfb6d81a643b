/* SPDX-License-Identifier: MIT */
/* mixture.c - the mixture family: univariate Gaussian mixtures.
 *
 *   p(x | c) = sum over j of w_j N(x; m_j, s_j)
 *
 * Each condition has its own weights, means and standard deviations. They are fitted to the bins of the adaptive
 * histogram by EM (Dempster, Laird and Rubin 1977). With n_i the weight of bin i at t_i, and v_i the variance within
 * it:
 *
 *   E step: r_ij = w_j N(t_i; m_j, s_j) / sum over k of w_k N(t_i; m_k, s_k)
 *   M step: W_j = sum over i of n_i r_ij,  w_j = W_j / n,  m_j = sum of n_i r_ij t_i / W_j,
 *           s_j^2 = sum of n_i r_ij ((t_i - m_j)^2 + v_i) / W_j
 *
 * If the column has more than 128 bins, neighboring bins are first merged into groups, whose variance is kept. Within a
 * bin of positive width, numbers are uniformly distributed.
 *
 * Each run of EM starts from k-means++ (Arthur and Vassilvitskii 2007) and a few steps of k-means. The most likely
 * result of several runs is used. The random numbers depend only on the number of components and the run, so the same
 * rows give the same densities. The standard deviation of a component is at least the largest of: one thousandth of the
 * standard deviation of the column, one sixth of the mean distance between neighboring bins, and min-sd. So no
 * component can shrink to a single number. A component that loses all its weight is dropped.
 *
 * The setting `mixture` is the number of components, or bic:MAX. With bic, the number k from 1 to MAX with the smallest
 * (3 k - 1) log n - 2 log likelihood is used (Schwarz 1978). A given number of components that does not converge is
 * CRD_ERROR_NOT_CONVERGED; bic skips such numbers.
 *
 * Contents:
 *   1. Groups of bins
 *   2. Initialization
 *   3. EM
 *   4. Derivation
 *   5. Evaluation */
#include "density/univariate/family.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>
#include <string.h>

enum { MOST_GROUPS = 128, STARTS = 2, STEPS_OF_MEANS = 10, STEPS = 500, MOST_CURVES = CRD_I_MOST_CURVES };

static const double LOG_ROOT_TWO_PI = 0x1.d67f1c864beb5p-1;
/* EM has converged when a step increases the log likelihood by less than this per row. Many more steps would add next
 * to nothing, and their improvement would not carry over to other rows. */
static const double SETTLED = 1e-4;

typedef struct mixture_curve {
    double share, mean, deviation;
    double log_peak; /* log of the weight times the density at the mean */
} mixture_curve;

typedef struct curves {
    size_t count;
    mixture_curve each[MOST_CURVES];
    double log_likelihood;
    bool settled;
} curves;

typedef struct mixture {
    crd_i_density base;
    crd_i_spread_scale scale;
    curves each[]; /* one per condition */
} mixture;

/* A group of neighboring bins. */
typedef struct mixture_group {
    double weight, mean, variance;
} mixture_group;

typedef struct mixture_groups {
    size_t count;
    double sum, narrowest;
    mixture_group each[MOST_GROUPS];
    const crd_i_simd_columns *lanes;
} mixture_groups;

_Static_assert(MOST_GROUPS % CRD_I_SIMD == 0, "groups are computed lane by lane");

/* ======== 1. Groups of bins ======== */

/* Merges the weighted bins into at most MOST_GROUPS groups, with the variance within each group. */
static void put_together(const crd_i_spread_cells *cells, const double *weights, mixture_groups *groups) {
    double first = cells->t[0], range = cells->t[cells->count - 1] - first;
    size_t last = MOST_GROUPS;
    groups->count = 0;
    for (size_t i = 0; i < cells->count; i++) {
        if (weights[i] == 0) continue;
        size_t place = cells->count <= MOST_GROUPS ? i : (size_t)((cells->t[i] - first) / range * (MOST_GROUPS - 1));
        if (place != last) {
            const mixture_group none = {0, 0, 0};
            groups->each[groups->count++] = none;
            last = place;
        }
        /* Update weight, mean and sum of squares of the group (West 1979). */
        mixture_group *group = &groups->each[groups->count - 1];
        double away = cells->t[i] - group->mean, weight = group->weight + weights[i];
        group->variance += away * away * (weights[i] * (group->weight / weight));
        group->mean += away * (weights[i] / weight);
        group->weight = weight;
    }
    groups->sum = 0;
    for (size_t i = 0; i < groups->count; i++) {
        mixture_group *group = &groups->each[i];
        group->variance = group->variance / group->weight + cells->width * cells->width / 12;
        groups->sum += group->weight;
    }
}

/* ======== 2. Initialization ======== */

/* Returns the component whose mean is nearest to t. */
static size_t mixture_nearest(const curves *source_curves, double t) {
    size_t best = 0;
    for (size_t j = 1; j < source_curves->count; j++)
        if (fabs(t - source_curves->each[j].mean) < fabs(t - source_curves->each[best].mean)) best = j;
    return best;
}

/* Draws the initial means by k-means++: each with probability proportional to the squared distance to the nearest mean
 * so far. Returns false if there are fewer distinct numbers than `count`. */
static bool mixture_draw_means(const mixture_groups *cells, size_t count, crd_i_random *random, curves *target_curves) {
    double cumulative[MOST_GROUPS];
    for (target_curves->count = 0; target_curves->count < count; target_curves->count++) {
        double sum = 0;
        for (size_t i = 0; i < cells->count; i++) {
            double away = target_curves->count == 0
                              ? 1
                              : cells->each[i].mean -
                                    target_curves->each[mixture_nearest(target_curves, cells->each[i].mean)].mean;
            sum += cells->each[i].weight * (away * away);
            cumulative[i] = sum;
        }
        if (!(sum > 0)) return false;
        target_curves->each[target_curves->count].mean =
            cells->each[crd_i_random_choice(random, cumulative, cells->count)].mean;
    }
    return true;
}

/* Sets the parameters of a component; `narrowest` is the smallest standard deviation allowed. */
static void set_curve(mixture_curve *curve, double weight, double sum, double mean, double variance, double narrowest) {
    curve->share = weight / sum;
    curve->mean = mean;
    curve->deviation = sqrt(variance);
    if (!(curve->deviation > narrowest)) curve->deviation = narrowest;
    curve->log_peak = crd_log(curve->share) - crd_log(curve->deviation) - LOG_ROOT_TWO_PI;
}

/* The statistics of one component in an EM step: weight, and sums of deviations from its old mean and of their squares.
 */
typedef struct share_out {
    double weight, sum, squares;
} share_out;

/* M step: updates the components from their statistics. Drops components without weight. */
static void mixture_follow(const mixture_groups *cells, const share_out *got, curves *target_curves) {
    size_t kept = 0;
    for (size_t j = 0; j < target_curves->count; j++) {
        if (!(got[j].weight > 1e-12 * cells->sum)) continue;
        double away = got[j].sum / got[j].weight; /* from the mean before */
        double variance = got[j].squares / got[j].weight - away * away;
        set_curve(&target_curves->each[kept++], got[j].weight, cells->sum, target_curves->each[j].mean + away, variance,
                  cells->narrowest);
    }
    target_curves->count = kept;
}

/* Adds a group with a given weight to the statistics of a component. */
static void mixture_give(share_out *to, const mixture_curve *curve, const mixture_group *cell, double weight) {
    double away = cell->mean - curve->mean;
    to->weight += weight;
    to->sum += weight * away;
    to->squares += weight * (away * away + cell->variance);
}

/* Makes one step of k-means. */
static void step_means(const mixture_groups *cells, curves *target_curves) {
    share_out got[MOST_CURVES] = {{0, 0, 0}};
    for (size_t i = 0; i < cells->count; i++) {
        size_t j = mixture_nearest(target_curves, cells->each[i].mean);
        mixture_give(&got[j], &target_curves->each[j], &cells->each[i], cells->each[i].weight);
    }
    mixture_follow(cells, got, target_curves);
}

/* ======== 3. EM ======== */

/* Returns the log density at t under the components. */
static double log_density_at(const curves *source_curves, double t) {
    double logs[MOST_CURVES], most = -INFINITY, sum = 0;
    for (size_t j = 0; j < source_curves->count; j++) {
        double z = (t - source_curves->each[j].mean) / source_curves->each[j].deviation;
        logs[j] = source_curves->each[j].log_peak - z * z / 2;
        if (logs[j] > most) most = logs[j];
    }
    for (size_t j = 0; j < source_curves->count; j++) {
        logs[j] = crd_exp(logs[j] - most);
        sum += logs[j];
    }
    return most + crd_log(sum);
}

/* Makes one EM step and returns the log likelihood before it. Groups are processed in SIMD lanes, with the same bits as
 * log_density_at. */
static double mixture_step(const mixture_groups *cells, curves *target_curves) {
    _Alignas(CRD_I_SIMD_ALIGNMENT) double logs[MOST_CURVES * MOST_GROUPS], parts[MOST_CURVES * MOST_GROUPS];
    _Alignas(CRD_I_SIMD_ALIGNMENT) double greatest[MOST_GROUPS], totals[MOST_GROUPS];
    size_t stride = (cells->count + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
    share_out got[MOST_CURVES] = {{0, 0, 0}};
    double likelihood = 0;
    for (size_t j = 0; j < target_curves->count; j++)
        for (size_t i = 0; i < stride; i++) {
            double z = ((i < cells->count ? cells->each[i].mean : 0) - target_curves->each[j].mean) /
                       target_curves->each[j].deviation;
            logs[j * stride + i] = target_curves->each[j].log_peak - z * z / 2;
        }
    cells->lanes->conclude(logs, stride, cells->count, target_curves->count, greatest, parts, totals);
    cells->lanes->share(parts, stride, cells->count, target_curves->count, totals);
    cells->lanes->divide(logs, stride, cells->count, 0, totals);
    for (size_t i = 0; i < cells->count; i++) likelihood += cells->each[i].weight * (greatest[i] + totals[i]);
    for (size_t j = 0; j < target_curves->count; j++)
        for (size_t i = 0; i < cells->count; i++)
            mixture_give(&got[j], &target_curves->each[j], &cells->each[i],
                         cells->each[i].weight * parts[j * stride + i]);
    mixture_follow(cells, got, target_curves);
    return likelihood;
}

/* Runs EM until it converges, at most STEPS steps. */
static void mixture_settle(const mixture_groups *cells, curves *target_curves) {
    double before = -INFINITY;
    target_curves->settled = false;
    for (int i = 0; i < STEPS && !target_curves->settled; i++) {
        target_curves->log_likelihood = mixture_step(cells, target_curves);
        target_curves->settled = target_curves->log_likelihood - before < SETTLED * cells->sum;
        before = target_curves->log_likelihood;
    }
}

/* Fits `count` components from several initializations. Prefers results that have converged, then the most likely. */
static void mixture_fit(const mixture_groups *cells, size_t count, curves *best) {
    memset(best, 0, sizeof *best);
    best->log_likelihood = -INFINITY;
    for (uint64_t start = 0; start < (count == 1 ? 1 : STARTS); start++) {
        curves new_curves = {.count = 0};
        crd_i_random random = crd_i_random_at(0, count * STARTS + start);
        if (!mixture_draw_means(cells, count, &random, &new_curves)) return;
        for (int i = 0; i < STEPS_OF_MEANS; i++) step_means(cells, &new_curves);
        mixture_settle(cells, &new_curves);
        bool is_better = new_curves.log_likelihood > best->log_likelihood;
        if (best->count == 0 || (new_curves.settled && !best->settled) ||
            (new_curves.settled == best->settled && is_better))
            *best = new_curves;
    }
}

/* Fits 1 to `most` components and keeps the converged result with the smallest BIC. */
static void fit_by_bic(const mixture_groups *cells, size_t most, curves *best) {
    double least = INFINITY;
    for (size_t count = 1; count <= most; count++) {
        curves new_curves;
        mixture_fit(cells, count, &new_curves);
        if (new_curves.count < count || !new_curves.settled) continue;
        double bic = (3 * (double)count - 1) * crd_log(cells->sum) - 2 * new_curves.log_likelihood;
        if (bic < least) least = bic, *best = new_curves;
    }
}

/* Fits the components of one condition. If it has fewer distinct numbers than components, it gets one component per
 * number. */
static crd_status fit_condition(const mixture_groups *cells, const crd_settings *settings, curves *target_curves,
                                crd_error *error) {
    if (settings->mixture_curves == 0) {
        fit_by_bic(cells, settings->mixture_most, target_curves);
        return CRD_OK;
    }
    size_t count = settings->mixture_curves < cells->count ? settings->mixture_curves : cells->count;
    mixture_fit(cells, count, target_curves);
    if (target_curves->settled) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_NOT_CONVERGED,
                      "a mixture of %lu components did not converge in %d steps: use fewer", (unsigned long)count,
                      STEPS);
}

/* ======== 4. Derivation ======== */

/* Returns the smallest standard deviation of a component, as described in the file head. */
static double narrowest_of(const crd_i_spread_cells *cells, const crd_settings *settings) {
    static const double WIDEST = 0x1p100; /* practically infinite, but its square is finite */
    double mean, deviation, least = fmin(settings->min_sd * cells->scale.factor, WIDEST);
    crd_i_spread_moments(cells, cells->whole, &mean, &deviation);
    if (least < deviation / 1000) least = deviation / 1000;
    if (least < cells->gap / 6) least = cells->gap / 6;
    return least > 0 ? least : 1; /* a constant column, which is ignored */
}

/* Fits the mixture of each condition. */
static crd_status derive_all(mixture *density, const crd_i_spread_cells *cells, const crd_settings *settings,
                             crd_error *error) {
    mixture_groups *together = crd_i_alloc(density->base.context, 1, sizeof *together);
    if (together == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    together->narrowest = narrowest_of(cells, settings);
    together->lanes = crd_i_simd_columns_best();
    for (size_t k = 0; status == CRD_OK && k < cells->conditions; k++) {
        put_together(cells, cells->weights + k * cells->count, together);
        status = fit_condition(together, settings, &density->each[k], error);
    }
    crd_free(density->base.context, together);
    return status;
}

static crd_status mixture_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                 const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    crd_i_spread_cells cells;
    mixture *density =
        crd_i_density_create(context, &crd_i_family_mixture, conditions, sizeof *density, sizeof(curves));
    if (density == NULL) return crd_i_fail_memory(error);
    crd_i_arena *scratch = crd_i_arena_create(context);
    crd_status status = CRD_OK;
    if (!crd_i_spread_cells_init(&cells, context, scratch, attribute, settings)) status = crd_i_fail_memory(error);
    density->scale = cells.scale;
    density->base.is_silent = cells.count < 2;
    if (status == CRD_OK && cells.count > 0) status = derive_all(density, &cells, settings, error);
    crd_i_arena_destroy(scratch);
    if (status == CRD_OK) *out = &density->base;
    else crd_i_density_destroy(&density->base);
    return status;
}

/* ======== 5. Evaluation ======== */

static const curves *mixture_at(const crd_i_density *density, size_t condition) {
    return &((const mixture *)density)->each[condition];
}

static double mixture_log_density(const crd_i_density *base, size_t condition, double x) {
    const crd_i_spread_scale *scale = &((const mixture *)base)->scale;
    return log_density_at(mixture_at(base, condition), crd_i_scale_to(scale, x)) - scale->log_unit;
}

static size_t mixture_parameters(const crd_i_density *base, size_t condition, crd_term_parameter *out) {
    const crd_term_parameter count = {"curves", (double)mixture_at(base, condition)->count};
    out[0] = count;
    return 1;
}

/* Lists the parameters. The components of all conditions are concatenated. */
static bool mixture_list_parameters(const crd_i_density *base, crd_i_parameter_list *parameter) {
    size_t all = 0, next = 0;
    for (size_t k = 0; k < base->conditions; k++) all += mixture_at(base, k)->count;
    if (!crd_i_scale_list_parameters(&((const mixture *)base)->scale, parameter)) return false;
    double *counts = crd_i_parameter_list_vector(parameter, "components", base->conditions);
    double *shares = counts == NULL ? NULL : crd_i_parameter_list_vector(parameter, "share", all);
    double *means = shares == NULL ? NULL : crd_i_parameter_list_vector(parameter, "mean", all);
    double *deviations = means == NULL ? NULL : crd_i_parameter_list_vector(parameter, "sd", all);
    double *peaks = deviations == NULL ? NULL : crd_i_parameter_list_vector(parameter, "log_peak", all);
    for (size_t k = 0; peaks != NULL && k < base->conditions; k++) {
        const curves *source_curves = mixture_at(base, k);
        counts[k] = (double)source_curves->count;
        for (size_t j = 0; j < source_curves->count; j++, next++) {
            shares[next] = source_curves->each[j].share;
            means[next] = source_curves->each[j].mean;
            deviations[next] = source_curves->each[j].deviation;
            peaks[next] = source_curves->each[j].log_peak;
        }
    }
    return peaks != NULL;
}

static bool mixture_component(const crd_i_density *base, size_t condition, size_t index, crd_density_component *out) {
    const crd_i_spread_scale *scale = &((const mixture *)base)->scale;
    if (index >= mixture_at(base, condition)->count) return false;
    const mixture_curve *curve = &mixture_at(base, condition)->each[index];
    *out = (crd_density_component){
        sizeof *out, curve->share, NAN, NAN, crd_i_scale_from(scale, curve->mean), curve->deviation / scale->factor};
    return true;
}

static bool mixture_estimates(const crd_i_density *density, const crd_i_tallied *attribute,
                              const crd_settings *settings, bool is_first, crd_i_estimates *out) {
    (void)settings, (void)is_first;
    uint64_t count = 0;
    for (size_t k = 0; k < attribute->view.condition_count; k++)
        count += mixture_at(density, k)->count == 0 ? 0 : 3 * mixture_at(density, k)->count - 1;
    return crd_i_estimates_add(out, "weights, means and deviations of components", count);
}

static void mixture_moments(const crd_i_density *base, size_t condition, double *mean, double *deviation) {
    const curves *source_curves = mixture_at(base, condition);
    const crd_i_spread_scale *scale = &((const mixture *)base)->scale;
    double sum = 0, squares = 0;
    for (size_t j = 0; j < source_curves->count; j++) sum += source_curves->each[j].share * source_curves->each[j].mean;
    for (size_t j = 0; j < source_curves->count; j++) {
        double away = source_curves->each[j].mean - sum;
        squares += source_curves->each[j].share *
                   (away * away + source_curves->each[j].deviation * source_curves->each[j].deviation);
    }
    *mean = crd_i_scale_from(scale, sum);
    *deviation = sqrt(squares) / scale->factor;
}

static double mixture_below_t(const void *of_curves, double t) {
    const curves *source_curves = of_curves;
    double sum = 0;
    for (size_t j = 0; j < source_curves->count; j++)
        sum += source_curves->each[j].share *
               crd_i_normal_tails((t - source_curves->each[j].mean) / source_curves->each[j].deviation).below;
    return sum < 1 ? sum : 1;
}

static double mixture_density_t(const void *of_curves, double t) {
    return crd_exp(log_density_at(of_curves, t));
}

static double mixture_family_below(const crd_i_density *base, size_t condition, double x) {
    return mixture_below_t(mixture_at(base, condition), crd_i_scale_to(&((const mixture *)base)->scale, x));
}

/* Inverts the distribution function. The result lies between the smallest and largest p-quantile of the components. */
static double mixture_quantile(const crd_i_density *base, size_t condition, double p) {
    const curves *source_curves = mixture_at(base, condition);
    double z = crd_i_normal_quantile(p), low = INFINITY, high = -INFINITY;
    for (size_t j = 0; j < source_curves->count; j++) {
        double own = source_curves->each[j].mean + source_curves->each[j].deviation * z;
        if (own < low) low = own;
        if (own > high) high = own;
    }
    const crd_i_spread_curve whole = {mixture_below_t, mixture_density_t, source_curves};
    return crd_i_scale_from(&((const mixture *)base)->scale, crd_i_spread_invert(&whole, low, high, p));
}

static double mixture_draw(const crd_i_density *base, size_t condition, crd_i_random *random) {
    const curves *source_curves = mixture_at(base, condition);
    double left = crd_i_random_uniform(random);
    size_t j = 0;
    while (j + 1 < source_curves->count && left >= source_curves->each[j].share) left -= source_curves->each[j++].share;
    double t = source_curves->each[j].mean + source_curves->each[j].deviation * crd_i_random_normal(random);
    return crd_i_scale_from(&((const mixture *)base)->scale, t);
}

const crd_i_family crd_i_family_mixture = {
    .name = "mixture",
    .summary = "mixture of normal densities, fitted by EM",
    .reads = {&crd_i_grid},
    .derive = mixture_derive,
    .log_density = mixture_log_density,
    .parameters = mixture_parameters,
    .list_parameters = mixture_list_parameters,
    .component = mixture_component,
    .moments = mixture_moments,
    .below = mixture_family_below,
    .quantile = mixture_quantile,
    .draw = mixture_draw,
    .estimates = mixture_estimates,
    .add = crd_i_generic_add,
    .term = crd_i_generic_term,
    .rest_create = crd_i_generic_rest_create,
    .rest_destroy = crd_i_generic_rest_destroy,
    .rest_add = crd_i_generic_rest_add,
};
