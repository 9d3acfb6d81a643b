/* SPDX-License-Identifier: MIT */
/* gaussian.c - the gaussian family: normal densities, from exact moments.
 *
 *   log p(x | c) = -log(2 pi) / 2 - log(d) - ((x - mean) / d)^2 / 2
 *
 * The mean and the standard deviation d of condition c are derived in gaussian_parameters.c. The values needed for
 * evaluation are stored as arrays over all conditions, so the loops vectorize. Used under each class, this is Gaussian
 * naive Bayes (Duda and Hart, Pattern Classification and Scene Analysis, 1973). */
#include "density/univariate/gaussian.h"
#include "density/univariate/generic_density.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/special.h"

#include <float.h>
#include <math.h>

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
        crd_i_shared_add(pool, &facts[conditions], facts, conditions);
        crd_free(context, facts);
    }
    *out = pool;
    return CRD_OK;
}

static void gaussian_destroy(crd_i_density *base) {
    crd_free(base->context, base);
}

static gaussian *gaussian_create(crd_context *context, size_t conditions) {
    enum { SIDE_BY_SIDE = 4 };
    const size_t each = sizeof(crd_i_normal_curve) + SIDE_BY_SIDE * sizeof(double);
    if (conditions > (SIZE_MAX - sizeof(gaussian)) / each) return NULL;
    gaussian *density = crd_i_alloc_zeroed(context, 1, sizeof *density + conditions * each);
    if (density == NULL) return NULL;
    density->base.family = &crd_i_family_gaussian;
    density->base.context = context;
    density->base.conditions = conditions;
    return density;
}

/* Copies the parameters of the normals into the arrays of `parabolas`, which are allocated after the normals. */
static void lay_side_by_side(gaussian *density) {
    size_t conditions = density->base.conditions;
    double *centres = (double *)(density->normals + conditions), *centre_rests = centres + conditions;
    double *slopes = centre_rests + conditions, *tops = slopes + conditions;
    crd_i_parabolas parabolas = {conditions, centres, centre_rests, slopes, tops};
    for (size_t k = 0; k < conditions; k++) {
        const crd_i_normal_curve *normal = &density->normals[k];
        if (normal->slope == 0) parabolas.count = 0;
        centres[k] = normal->mean;
        centre_rests[k] = normal->scaled_rest;
        slopes[k] = normal->slope;
        tops[k] = normal->log_peak;
    }
    density->parabolas = parabolas;
}

static crd_status gaussian_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                  const void *shared, crd_i_density **out, crd_error *error) {
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    gaussian *density = gaussian_create(context, conditions);
    crd_i_facts *facts = density == NULL ? NULL : crd_i_facts_read_all(context, attribute, settings);
    if (facts == NULL) {
        crd_free(context, density);
        return crd_i_fail_memory(error);
    }
    crd_i_overall overall = crd_i_overall_of(&facts[conditions], facts, conditions, shared, settings);
    density->base.is_silent = overall.is_silent;
    for (size_t k = 0; k < conditions; k++) density->normals[k] = crd_i_normal_of(&overall, &facts[k], k, settings);
    lay_side_by_side(density);
    crd_free(context, facts);
    *out = &density->base;
    return CRD_OK;
}

/* ---- Evaluation ---- */

/* Adds crd_i_normal_log_density under all conditions. The loop is too short to be worth the setup of vector code. */
static void gaussian_add_parabolas(const crd_i_parabolas *parabolas, double x, double *restrict sums) {
    const double *centres = parabolas->centres, *centre_rests = parabolas->centre_rests;
    const double *slopes = parabolas->slopes, *tops = parabolas->tops;
    for (size_t k = 0; k < parabolas->count; k++) {
        double z = (x - centres[k] - centre_rests[k]) * slopes[k];
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
    const crd_term_parameter mean = {"mean", curve->mean}, deviation = {"deviation", curve->deviation};
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
    .destroy = gaussian_destroy,
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
    .rest_create = crd_i_gaussian_rest_create,
    .rest_destroy = crd_i_gaussian_rest_destroy,
    .rest_pool = crd_i_gaussian_rest_pool,
    .rest_add = crd_i_gaussian_rest_add,
};
