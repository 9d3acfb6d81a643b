/* gaussian.c - normal densities, from exact moments.
 *
 *   log p(x | c) = -log(2 pi) / 2 - log(d) - ((x - mean) / d)^2 / 2
 *
 * with the mean and deviation d of condition c. Variances come correctly rounded from the exact sums and carry an
 * exponent of their own, since squares leave the range of a double long before deviations do. In this order:
 *
 *   1. v is the condition's variance, divided by n or n - 1 as `variance` says; V is that of the whole attribute, all
 *      conditions together.
 *   2. share-variance replaces v, and n, by those of all cells that share: squared deviations from each cell's own
 *      mean, summed and divided by the sum of n, or of n - 1 over the cells that have rows. Where attributes share,
 *      V is pooled over them in the same way, from their deviations from their overall means.
 *   3. Where v is undefined (no rows; one row under `sample`) it is V.
 *   4. smoothing m:M gives (n v + M V) / (n + M).
 *   5. d, its root, is no less than min-deviation.
 *   6. Where d is still zero it is 1e-9 of the attribute's overall deviation: all rows of the condition agreed, so the
 *      density is narrow beyond what the data can tell, but it is a density.
 *   7. Where the attribute has no overall deviation either (a constant column, or a single row under `sample`), and
 *      min-deviation is zero, it says nothing and is left out for every condition.
 *
 * A condition without rows has the attribute's overall mean. */
#include "family/family.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>

static const double NARROWEST = 1e-9;
static const double HALF_LOG_TWO_PI = 0x1.d67f1c864beb5p-1; /* log(2 pi) / 2 = 0.91893853320467274... */

/* Beyond this a difference of two doubles may overflow, so both are halved. */
static const double LARGE = 0x1p1000;

typedef struct normal {
    double mean, deviation;
    double scale;       /* 1, or 1/2 where the mean is large */
    double scaled_mean; /* mean * scale */
    double rescale;     /* 1 / scale */
    double log_peak;    /* the log density at the mean */
} normal;

typedef struct gaussian {
    crd_i_density base;
    normal normals[]; /* of each condition */
} gaussian;

/* Squared deviations and what they are divided by: n, or n - 1. */
typedef struct spread {
    crd_i_scaled squares;
    double rows, divisor;
} spread;

/* What attributes share, and their pooled V; the spread of each condition behind it. */
typedef struct pool {
    spread whole; /* V */
    spread all;   /* over conditions and attributes */
    spread conditions[];
} pool;

static void spread_add(spread *to, const spread *more) {
    to->squares = crd_i_scaled_add(to->squares, more->squares);
    to->rows += more->rows;
    to->divisor += more->divisor;
}

static crd_i_scaled zero(void) {
    return crd_i_scaled_of(0);
}

static bool spread_of(crd_i_moment_cell cell, bool sample, spread *out) {
    double n = crd_i_sums_value(cell.n, cell.cell);
    out->rows = n;
    out->divisor = !sample ? n : n >= 1 ? n - 1 : 0;
    out->squares = zero();
    return n == 0 || crd_i_moments_deviations(cell, &out->squares);
}

/* ---- The attribute as a whole: all conditions in one cell ---- */

typedef struct whole {
    crd_i_sums sums[3];
    double mean;
    spread spread;
    crd_i_scaled variance;
    bool has_variance;
} whole;

static crd_i_moment_cell whole_cell(const whole *of) {
    crd_i_moment_cell cell = {&of->sums[0], &of->sums[1], &of->sums[2], 0};
    return cell;
}

static bool whole_read(whole *of, crd_context *context, const crd_i_tallied *attribute, bool sample) {
    for (int power = 0; power < 3; power++) crd_i_sums_init(&of->sums[power], context);
    for (int power = 0; power < 3; power++)
        if (!crd_i_sums_extend(&of->sums[power], 1)) return false;
    for (size_t k = 0; k < attribute->view.condition_count; k++) {
        size_t condition = (size_t)attribute->view.conditions[k];
        if (condition >= attribute->tally->conditions) continue;
        crd_i_moment_cell cell = crd_i_moments_cell(attribute->tally, condition);
        if (!crd_i_sums_combine(&of->sums[0], 0, cell.n, condition, 1) ||
            !crd_i_sums_combine(&of->sums[1], 0, cell.s, condition, 1) ||
            !crd_i_sums_combine(&of->sums[2], 0, cell.q, condition, 1))
            return false;
    }
    of->mean = 0;
    of->variance = zero();
    bool has_mean = true;
    of->has_variance = true;
    if (!crd_i_moments_mean(whole_cell(of), &of->mean, &has_mean) && has_mean) return false;
    if (!crd_i_moments_variance(whole_cell(of), sample, &of->variance, &of->has_variance) && of->has_variance)
        return false;
    if (!of->has_variance) of->variance = zero();
    return spread_of(whole_cell(of), sample, &of->spread);
}

static void whole_clear(whole *of) {
    for (int power = 0; power < 3; power++) crd_i_sums_clear(&of->sums[power]);
}

/* ---- What attributes share ---- */

static bool pool_add(pool *to, crd_context *context, const crd_i_tallied *attribute, bool sample) {
    whole overall;
    bool done = whole_read(&overall, context, attribute, sample);
    if (done) spread_add(&to->whole, &overall.spread);
    whole_clear(&overall);
    for (size_t k = 0; done && k < attribute->view.condition_count; k++) {
        size_t condition = (size_t)attribute->view.conditions[k];
        if (condition >= attribute->tally->conditions) continue;
        spread own;
        done = spread_of(crd_i_moments_cell(attribute->tally, condition), sample, &own);
        if (!done) break;
        spread_add(&to->conditions[k], &own);
        spread_add(&to->all, &own);
    }
    return done;
}

static crd_status share(crd_context *context, const crd_i_tallied *attributes, size_t count,
                        const crd_settings *settings, void **out, crd_error *error) {
    *out = NULL;
    if (!settings->share_attributes || count == 0) return CRD_OK;
    size_t conditions = attributes[0].view.condition_count;
    if (conditions > (SIZE_MAX - sizeof(pool)) / sizeof(spread)) return crd_i_fail_memory(error);
    pool *shared = crd_i_alloc(context, 1, sizeof *shared + conditions * sizeof(spread));
    if (shared == NULL) return crd_i_fail_memory(error);
    const spread none = {zero(), 0, 0};
    shared->whole = shared->all = none;
    for (size_t k = 0; k < conditions; k++) shared->conditions[k] = none;
    for (size_t i = 0; i < count; i++)
        if (!pool_add(shared, context, &attributes[i], settings->sample_variance)) {
            crd_free(context, shared);
            return crd_i_fail_memory(error);
        }
    *out = shared;
    return CRD_OK;
}

/* ---- Deriving ---- */

/* v and its n before smoothing, step 1 to 3; *defined as it stands after step 2. */
typedef struct variance {
    crd_i_scaled value;
    double rows;
    bool defined;
} variance;

static variance from_spread(const spread *of) {
    variance result = {zero(), of->rows, of->divisor > 0};
    if (result.defined) result.value = crd_i_scaled_divide(of->squares, crd_i_scaled_of(of->divisor));
    return result;
}

static bool own_variance(const crd_i_tallied *attribute, size_t k, bool sample, variance *out) {
    size_t condition = (size_t)attribute->view.conditions[k];
    out->value = zero();
    out->rows = crd_i_tally_total(attribute->tally, condition);
    out->defined = out->rows > 0;
    if (!out->defined) return true;
    if (crd_i_moments_variance(crd_i_moments_cell(attribute->tally, condition), sample, &out->value, &out->defined))
        return true;
    return !out->defined;
}

static bool pooled_variance(const crd_i_tallied *attribute, bool sample, variance *out) {
    spread sum = {zero(), 0, 0};
    for (size_t k = 0; k < attribute->view.condition_count; k++) {
        size_t condition = (size_t)attribute->view.conditions[k];
        spread own;
        if (condition >= attribute->tally->conditions) continue;
        if (!spread_of(crd_i_moments_cell(attribute->tally, condition), sample, &own)) return false;
        spread_add(&sum, &own);
    }
    *out = from_spread(&sum);
    return true;
}

/* Steps 3 to 6. */
static double deviation_of(variance own, const variance *overall, double overall_deviation,
                           const crd_settings *settings) {
    if (!own.defined) own.value = overall->value;
    if (settings->smoothing == CRD_I_SMOOTHING_M && overall->defined) {
        crd_i_scaled n = crd_i_scaled_of(own.defined ? own.rows : 0), m = crd_i_scaled_of(settings->smoothing_strength);
        crd_i_scaled sum =
            crd_i_scaled_add(crd_i_scaled_multiply(n, own.value), crd_i_scaled_multiply(m, overall->value));
        own.value = crd_i_scaled_divide(sum, crd_i_scaled_add(n, m));
    }
    double deviation = crd_i_scaled_root(own.value);
    if (own.value.mantissa > 0 && deviation == 0) deviation = DBL_TRUE_MIN;
    if (deviation < settings->min_deviation) deviation = settings->min_deviation;
    if (deviation == 0) deviation = NARROWEST * overall_deviation;
    if (deviation == 0) deviation = DBL_TRUE_MIN;
    return deviation > DBL_MAX ? DBL_MAX : deviation;
}

static void set_normal(normal *to, double mean, double deviation) {
    to->mean = mean;
    to->deviation = deviation;
    to->scale = fabs(mean) > LARGE ? 0.5 : 1;
    to->scaled_mean = mean * to->scale;
    to->rescale = 1 / to->scale;
    to->log_peak = -HALF_LOG_TWO_PI - crd_log(deviation);
}

/* The variances of step 1 and 2 that do not change from condition to condition. */
typedef struct given {
    const whole *overall;
    const pool *shared;
    variance pooled, V;
    double overall_deviation;
} given;

static bool derive_one(const crd_i_tallied *attribute, size_t k, const given *from, const crd_settings *settings,
                       normal *to) {
    variance own = from->pooled;
    if (settings->share_attributes && !settings->share_classes) own = from_spread(&from->shared->conditions[k]);
    else if (!settings->share_classes && !own_variance(attribute, k, settings->sample_variance, &own)) return false;
    double mean = from->overall->mean;
    size_t condition = (size_t)attribute->view.conditions[k];
    bool defined = true;
    if (crd_i_tally_total(attribute->tally, condition) > 0 &&
        !crd_i_moments_mean(crd_i_moments_cell(attribute->tally, condition), &mean, &defined))
        return false;
    set_normal(to, mean, deviation_of(own, &from->V, from->overall_deviation, settings));
    return true;
}

static bool derive_all(gaussian *density, const crd_i_tallied *attribute, const crd_settings *settings,
                       const pool *shared) {
    whole overall;
    bool done = whole_read(&overall, density->base.context, attribute, settings->sample_variance);
    if (!done) goto end;
    given from = {
        &overall, shared, {zero(), 0, false}, {overall.variance, overall.spread.rows, overall.has_variance}, 0};
    bool has_spread = overall.variance.mantissa > 0;
    if (has_spread) from.overall_deviation = crd_i_scaled_root(overall.variance);
    density->base.is_silent = overall.spread.rows == 0 || (!has_spread && settings->min_deviation == 0);
    if (settings->share_attributes) {
        from.V = from_spread(&shared->whole);
        from.pooled = from_spread(&shared->all);
    } else if (settings->share_classes) {
        done = pooled_variance(attribute, settings->sample_variance, &from.pooled);
    }
    for (size_t k = 0; done && k < density->base.conditions; k++)
        done = derive_one(attribute, k, &from, settings, &density->normals[k]);

end:
    whole_clear(&overall);
    return done;
}

static void destroy(crd_i_density *base) {
    crd_free(base->context, base);
}

static crd_status derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                         const void *shared, crd_i_density **out, crd_error *error) {
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    if (conditions > (SIZE_MAX - sizeof(gaussian)) / sizeof(normal)) return crd_i_fail_memory(error);
    gaussian *density = crd_i_alloc_zeroed(context, 1, sizeof *density + conditions * sizeof(normal));
    if (density == NULL) return crd_i_fail_memory(error);
    density->base.family = &crd_i_gaussian;
    density->base.context = context;
    density->base.conditions = conditions;
    if (!derive_all(density, attribute, settings, shared)) {
        destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    *out = &density->base;
    return CRD_OK;
}

/* ---- Asking ---- */

static double log_density(const normal *at, double x) {
    double z = (x * at->scale - at->scaled_mean) / at->deviation * at->rescale;
    return at->log_peak - 0.5 * z * z;
}

static void add(const crd_i_density *base, const crd_i_cells *cells, double *sums) {
    const gaussian *density = (const gaussian *)base;
    size_t conditions = base->conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (!crd_i_number_present(cells, row)) continue;
        double x = cells->numbers[row], *to = sums + row * conditions;
        for (size_t k = 0; k < conditions; k++) to[k] += log_density(&density->normals[k], x);
    }
}

static void term(const crd_i_density *base, const crd_i_cells *cell, size_t condition, crd_term *out) {
    const normal *at = &((const gaussian *)base)->normals[condition];
    out->form = CRD_TERM_DENSITY;
    out->x = cell->numbers[0];
    out->mean = at->mean;
    out->deviation = at->deviation;
    out->log_value = log_density(at, out->x);
}

static void estimates(const crd_i_tallied *attribute, const crd_settings *settings, bool is_first,
                      crd_i_estimates *out) {
    uint64_t conditions = attribute->view.condition_count;
    crd_i_estimates_add(out, "means", conditions);
    uint64_t deviations = settings->share_classes ? 1 : conditions;
    crd_i_estimates_add(out, "deviations", settings->share_attributes && !is_first ? 0 : deviations);
}

/* With a the narrower of the two, r = d_a / d_b <= 1, e = (mean_b - mean_a) / d_b, x = mean_a + d_a u, and K what a
 * is ahead by at both peaks, twice the difference of the log densities is
 *   (r^2 - 1) u^2 - 2 r e u + e^2 + 2 K,
 * a parabola open downwards: a is ahead between its roots. It has a quarter discriminant of e^2 + 2 K (1 - r^2), in
 * which nothing cancels but what must. */
static size_t cross_narrower(const normal *a, const normal *b, double lead, double points[2], bool a_ahead[3]) {
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
    /* Divided by a unit of at least |e|, so that squares stay in range. */
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

static size_t crossings(const crd_i_density *base, size_t a, size_t b, double lead, double points[2], bool a_ahead[3]) {
    const normal *normals = ((const gaussian *)base)->normals;
    if (normals[a].deviation <= normals[b].deviation)
        return cross_narrower(&normals[a], &normals[b], lead, points, a_ahead);
    size_t count = cross_narrower(&normals[b], &normals[a], -lead, points, a_ahead);
    for (size_t i = 0; i <= count; i++) a_ahead[i] = !a_ahead[i];
    return count;
}

const crd_i_family crd_i_gaussian = {
    .name = "gaussian",
    .tally = &crd_i_moments,
    .share = share,
    .derive = derive,
    .destroy = destroy,
    .add = add,
    .term = term,
    .estimates = estimates,
    .crossings = crossings,
};
