/* SPDX-License-Identifier: MIT */
/* histogram.c - the histogram family: a density that is constant within bins. All conditions have the same bins.
 *
 * Bin b extends from e_b to e_{b+1}. P_b is its probability under a condition, estimated from the row counts like the
 * probability of a category (categorical.c), with the same smoothing:
 *
 *   p(x | c) = P_b / (e_{b+1} - e_b)                     within bin b
 *   p(x | c) = f P_0 / w exp(-(e_0 - x) / w)             below the first bin, and similarly above the last
 *
 * The tails are exponential. If an outermost bin has width w and N rows of all conditions, a share f = 1 / (2 (N + 1))
 * of its probability lies beyond its end, at a mean distance of w. f does not depend on the condition, so a number in a
 * tail is the same evidence as a number in the outermost bin.
 *
 * The setting `histogram` specifies the bins:
 *
 *   width:N      N bins of equal width, from the minimum to the maximum
 *   frequency:N  N bins with about the same number of rows. Edges lie halfway between neighboring numbers. Equal
 *                numbers stay together, so there may be fewer bins.
 *   edges:A:B:.. the given edges
 *   sturges      equal width, ceil(log2 n + 1) bins (Sturges 1926)
 *   scott        equal width, about (24 sqrt(pi) / n)^(1/3) s (Scott 1979)
 *   freedman     equal width, about 2 IQR / n^(1/3) (Freedman and Diaconis 1981)
 *                for n rows with standard deviation s and interquartile range IQR
 *   likelihood   frequency:N with the N of the largest marginal likelihood of the rows of all conditions, under a
 *                Dirichlet prior with parameter 1/2 per bin (Knuth 2006, here for bins of any width) */
#include "density/univariate/family.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/special.h"

#include <math.h>

enum { MOST_BINS = CRD_I_GRID_MOST };

typedef struct histogram {
    crd_i_density base;
    crd_i_spread_scale scale;
    size_t bins;
    double *edges;   /* bins + 1 values, ascending */
    double *masses;  /* [condition][bin]: the probability P_b */
    double *logs;    /* [condition][bin]: the log density within the bin */
    double share[2]; /* f of the first and of the last bin */
} histogram;

/* ---- Bin edges ---- */

/* Returns the last bin whose lower edge is not above t, or the first bin. */
static size_t bin_of(const double *edges, size_t bins, double t) {
    size_t low = 0, high = bins;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (edges[middle] <= t) low = middle;
        else high = middle;
    }
    return low;
}

/* Sets the edges of bins of equal width and returns the number of bins. */
static size_t even_edges(const crd_i_spread_cells *cells, double bins, double *edges) {
    double first = cells->t[0] - cells->width / 2, last = cells->t[cells->count - 1] + cells->width / 2;
    if (!(last > first)) last = first + 1; /* a constant column */
    size_t count = bins >= 1 ? bins < MOST_BINS ? (size_t)bins : MOST_BINS : 1;
    for (size_t i = 0; i < count; i++) edges[i] = first + (last - first) * ((double)i / (double)count);
    edges[count] = last;
    return count;
}

/* Sets the edges of about `wanted` bins of equal frequency and returns the number of bins. */
static size_t frequent_edges(const crd_i_spread_cells *cells, double wanted, double *edges) {
    size_t bins = 0, last = cells->count - 1;
    double passed = 0, next = 1, half = cells->width / 2;
    if (last == 0) return even_edges(cells, 1, edges);
    edges[0] = cells->is_exact ? cells->t[0] - (cells->t[1] - cells->t[0]) / 2 : cells->t[0] - half;
    for (size_t i = 0; i < last; i++) {
        passed += cells->whole[i];
        if (passed * wanted < next * cells->total) continue;
        next = floor(passed * wanted / cells->total) + 1;
        double edge = cells->t[i] + (cells->t[i + 1] - cells->t[i]) / 2;
        /* the midpoint of adjacent doubles may equal the previous edge */
        if (edge > edges[bins]) edges[++bins] = edge;
    }
    double end = cells->is_exact ? cells->t[last] + (cells->t[last] - cells->t[last - 1]) / 2 : cells->t[last] + half;
    edges[bins + 1] = end > edges[bins] ? end : nextafter(edges[bins], INFINITY);
    return bins + 1;
}

/* Sets the given edges. Edges that are equal on the column's scale count once. */
static size_t given_edges(const crd_i_spread_cells *cells, const crd_settings *settings, double *edges) {
    size_t count = 0;
    for (size_t i = 0; i < settings->histogram_edge_count; i++) {
        double t = crd_i_scale_to(&cells->scale, settings->histogram_edges[i]);
        if (count == 0 || t > edges[count - 1]) edges[count++] = t;
    }
    return count > 1 ? count - 1 : even_edges(cells, 1, edges);
}

/* Returns the number of bins of a given width from the minimum to the maximum. */
static double bins_of_width(const crd_i_spread_cells *cells, double width) {
    double range = cells->t[cells->count - 1] - cells->t[0] + cells->width;
    return width > 0 ? ceil(range / width) : 1;
}

/* Returns the number of bins by the rule of Sturges, Scott, or Freedman and Diaconis. */
static double bins_by_rule(const crd_i_spread_cells *cells, crd_i_histogram_rule rule) {
    double n = cells->total, mean, deviation;
    if (rule == CRD_I_HISTOGRAM_STURGES) return ceil(crd_log(n) / crd_log(2) + 1);
    if (rule == CRD_I_HISTOGRAM_SCOTT) {
        static const double FACTOR = 0x1.bed3863ec0747p+1; /* (24 sqrt(pi))^(1/3) = 3.4908... */
        crd_i_spread_moments(cells, cells->whole, &mean, &deviation);
        return bins_of_width(cells, FACTOR * deviation * crd_i_spread_power(n, -1.0 / 3));
    }
    double range = crd_i_spread_quantile(cells, cells->whole, 0.75) - crd_i_spread_quantile(cells, cells->whole, 0.25);
    return bins_of_width(cells, 2 * range * crd_i_spread_power(n, -1.0 / 3));
}

/* Counts the rows in each bin under each condition: counts[condition * bins + bin]. */
static void histogram_count_rows(const crd_i_spread_cells *cells, const double *edges, size_t bins, double *counts) {
    for (size_t i = 0; i < cells->conditions * bins; i++) counts[i] = 0;
    for (size_t i = 0; i < cells->count; i++) {
        size_t bin = bin_of(edges, bins, cells->t[i]);
        for (size_t k = 0; k < cells->conditions; k++) counts[k * bins + bin] += cells->rows[k * cells->count + i];
    }
}

/* Returns the log marginal likelihood of the rows of all conditions. With n_b the rows in bin b of width w_b, B bins
 * and n rows, each condition adds
 *
 *   log Gamma(B/2) - log Gamma(n + B/2) + sum over b of (log Gamma(n_b + 1/2) - log Gamma(1/2) - n_b log w_b). */
static double histogram_log_likelihood(const crd_i_spread_cells *cells, const double *edges, size_t bins,
                                       const double *counts) {
    static const double HALF = 0.5;
    double whole = HALF * (double)bins, likelihood = 0;
    for (size_t k = 0; k < cells->conditions; k++) {
        double rows = 0;
        for (size_t b = 0; b < bins; b++) {
            double here = counts[k * bins + b];
            if (here == 0) continue;
            rows += here;
            likelihood +=
                crd_i_log_gamma(here + HALF) - crd_i_log_gamma(HALF) - here * crd_log(edges[b + 1] - edges[b]);
        }
        likelihood += crd_i_log_gamma(whole) - crd_i_log_gamma(rows + whole);
    }
    return likelihood;
}

/* Sets the edges of equal-frequency bins with the largest marginal likelihood and returns the number of bins.
 * Candidates grow by an eighth. `counts` is scratch space for the largest candidate, provided by the caller. */
static size_t likely_edges(const crd_i_spread_cells *cells, double *edges, double *counts) {
    enum { MOST = 512 };
    double best = -INFINITY, best_wanted = 1;
    size_t most = cells->count < MOST ? cells->count : MOST;
    for (size_t wanted = 1; wanted <= most; wanted += 1 + wanted / 8) {
        size_t bins = frequent_edges(cells, (double)wanted, edges);
        histogram_count_rows(cells, edges, bins, counts);
        double likelihood = histogram_log_likelihood(cells, edges, bins, counts);
        if (likelihood > best) best = likelihood, best_wanted = (double)wanted;
    }
    return frequent_edges(cells, best_wanted, edges);
}

static size_t make_edges(const crd_i_spread_cells *cells, const crd_settings *settings, double *edges, double *counts) {
    switch (settings->histogram) {
    case CRD_I_HISTOGRAM_WIDTH: return even_edges(cells, settings->histogram_bins, edges);
    case CRD_I_HISTOGRAM_FREQUENCY: return frequent_edges(cells, settings->histogram_bins, edges);
    case CRD_I_HISTOGRAM_EDGES: return given_edges(cells, settings, edges);
    case CRD_I_HISTOGRAM_LIKELIHOOD: return likely_edges(cells, edges, counts);
    case CRD_I_HISTOGRAM_STURGES:
    case CRD_I_HISTOGRAM_SCOTT:
    case CRD_I_HISTOGRAM_FREEDMAN: break;
    }
    return even_edges(cells, bins_by_rule(cells, settings->histogram), edges);
}

/* ---- Derivation ---- */

/* Returns the probability of a bin, with the smoothing of categorical.c. */
static double mass_of(const crd_settings *settings, double rows, double total, double share, double bins) {
    double L = settings->smoothing_strength;
    switch (settings->smoothing) {
    case CRD_I_SMOOTHING_M: return (rows + L * (settings->smoothing_marginal ? share : 1 / bins)) / (total + L);
    case CRD_I_SMOOTHING_LAPLACE: return (rows + L) / (total + L * bins);
    case CRD_I_SMOOTHING_NONE: break;
    }
    return total > 0 ? rows / total : share;
}

/* Computes the probabilities of the bins, the shares beyond the ends, and the log densities. */
static void histogram_fill(histogram *density, const crd_i_spread_cells *cells, const crd_settings *settings,
                           const double *counts) {
    size_t bins = density->bins, conditions = density->base.conditions;
    double ends[2] = {0, 0};
    for (size_t k = 0; k < conditions; k++) {
        double total = 0;
        for (size_t b = 0; b < bins; b++) total += counts[k * bins + b];
        for (size_t b = 0; b < bins; b++) {
            double share = 0;
            for (size_t other = 0; other < conditions; other++) share += counts[other * bins + b];
            density->masses[k * bins + b] =
                mass_of(settings, counts[k * bins + b], total, share / cells->total, (double)bins);
        }
        ends[0] += counts[k * bins];
        ends[1] += counts[k * bins + bins - 1];
    }
    for (int end = 0; end < 2; end++) density->share[end] = 1 / (2 * (ends[end] + 1));
    for (size_t k = 0; k < conditions; k++)
        for (size_t b = 0; b < bins; b++) {
            double inside = 1 - (b == 0 ? density->share[0] : 0) - (b + 1 == bins ? density->share[1] : 0);
            density->logs[k * bins + b] =
                crd_i_log_ratio(density->masses[k * bins + b] * inside, density->edges[b + 1] - density->edges[b]) -
                density->scale.log_unit;
        }
}

static crd_status histogram_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                   const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    histogram *density = crd_i_density_create(context, &crd_i_family_histogram, conditions, sizeof *density, 0);
    if (density == NULL) return crd_i_fail_memory(error);
    crd_i_arena *arena = density->base.arena, *scratch = crd_i_arena_create(context);
    crd_i_spread_cells cells;
    bool done = crd_i_spread_cells_init(&cells, context, scratch, attribute, settings);
    double *counts = crd_i_arena_alloc(scratch, conditions * MOST_BINS, sizeof *counts);
    density->edges = crd_i_arena_alloc_zeroed(arena, MOST_BINS + 1, sizeof *density->edges);
    done = done && counts != NULL && density->edges != NULL;
    density->base.is_silent = cells.count < 2;
    density->scale = cells.scale;
    if (done && cells.count > 0) {
        density->bins = make_edges(&cells, settings, density->edges, counts);
        density->masses = crd_i_arena_alloc(arena, conditions * density->bins, sizeof *density->masses);
        density->logs = crd_i_arena_alloc(arena, conditions * density->bins, sizeof *density->logs);
        done = density->logs != NULL;
        if (done) {
            histogram_count_rows(&cells, density->edges, density->bins, counts);
            histogram_fill(density, &cells, settings, counts);
        }
    }
    crd_i_arena_destroy(scratch);
    if (!done) {
        crd_i_density_destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    *out = &density->base;
    return CRD_OK;
}

/* ---- Evaluation ---- */

/* Returns how far t is beyond the lower end (0) or upper end (1), in widths of the outermost bin; 0 if it is inside. */
static double histogram_beyond(const histogram *density, int end, double t) {
    size_t bins = density->bins, b = end == 0 ? 0 : bins - 1;
    double distance = end == 0 ? density->edges[0] - t : t - density->edges[bins];
    return distance > 0 ? distance / (density->edges[b + 1] - density->edges[b]) : 0;
}

static double histogram_log_density(const crd_i_density *base, size_t condition, double x) {
    const histogram *density = (const histogram *)base;
    double t = crd_i_scale_to(&density->scale, x);
    size_t b = bin_of(density->edges, density->bins, t);
    const double *masses = density->masses + condition * density->bins;
    for (int end = 0; end < 2; end++) {
        double far = histogram_beyond(density, end, t);
        if (far == 0) continue;
        return crd_i_log_ratio(masses[b] * density->share[end], density->edges[b + 1] - density->edges[b]) - far -
               density->scale.log_unit;
    }
    return density->logs[condition * density->bins + b];
}

static size_t histogram_parameters(const crd_i_density *base, size_t condition, crd_term_parameter *out) {
    const histogram *density = (const histogram *)base;
    (void)condition;
    const crd_term_parameter bins = {"bins", (double)density->bins};
    out[0] = bins;
    return 1;
}

static bool histogram_list_parameters(const crd_i_density *base, crd_i_parameter_list *parameter) {
    const histogram *density = (const histogram *)base;
    return crd_i_scale_list_parameters(&density->scale, parameter) &&
           crd_i_parameter_list_copy(parameter, "edge", density->edges, density->bins + 1, 1) &&
           crd_i_parameter_list_copy(parameter, "probability", density->masses, base->conditions, density->bins) &&
           crd_i_parameter_list_copy(parameter, "log_density", density->logs, base->conditions, density->bins) &&
           crd_i_parameter_list_copy(parameter, "share_beyond", density->share, 2, 1);
}

static bool histogram_component(const crd_i_density *base, size_t condition, size_t index, crd_density_component *out) {
    const histogram *density = (const histogram *)base;
    if (index >= density->bins) return false;
    *out = (crd_density_component){sizeof *out,
                                   density->masses[condition * density->bins + index],
                                   crd_i_scale_from(&density->scale, density->edges[index]),
                                   crd_i_scale_from(&density->scale, density->edges[index + 1]),
                                   NAN,
                                   NAN};
    return true;
}

static bool histogram_estimates(const crd_i_density *density, const crd_i_tallied *attribute,
                                const crd_settings *settings, bool is_first, crd_i_estimates *out) {
    (void)settings, (void)is_first;
    size_t bins = ((const histogram *)density)->bins;
    return crd_i_estimates_add(out, "probabilities of bins",
                               bins == 0 ? 0 : (bins - 1) * attribute->view.condition_count);
}

/* Returns the probability within bin b, without the share beyond an end. */
static double histogram_inside(const histogram *density, const double *masses, size_t b) {
    return masses[b] * (1 - (b == 0 ? density->share[0] : 0) - (b + 1 == density->bins ? density->share[1] : 0));
}

static double histogram_below(const crd_i_density *base, size_t condition, double x) {
    const histogram *density = (const histogram *)base;
    const double *masses = density->masses + condition * density->bins;
    double t = crd_i_scale_to(&density->scale, x), first = masses[0] * density->share[0],
           last = masses[density->bins - 1] * density->share[1], sum = first;
    if (histogram_beyond(density, 0, t) > 0) return first * crd_exp(-histogram_beyond(density, 0, t));
    if (histogram_beyond(density, 1, t) > 0) return 1 - last * crd_exp(-histogram_beyond(density, 1, t));
    size_t b = bin_of(density->edges, density->bins, t);
    for (size_t i = 0; i < b; i++) sum += histogram_inside(density, masses, i);
    sum +=
        histogram_inside(density, masses, b) * ((t - density->edges[b]) / (density->edges[b + 1] - density->edges[b]));
    return sum < 1 - last ? sum : 1 - last;
}

static double histogram_quantile(const crd_i_density *base, size_t condition, double p) {
    const histogram *density = (const histogram *)base;
    size_t bins = density->bins, b = 0;
    const double *masses = density->masses + condition * bins, *edges = density->edges;
    double first = masses[0] * density->share[0], last = masses[bins - 1] * density->share[1];
    if (p < first) return crd_i_scale_from(&density->scale, edges[0] + crd_log(p / first) * (edges[1] - edges[0]));
    if (1 - p < last)
        return crd_i_scale_from(&density->scale,
                                edges[bins] - crd_log((1 - p) / last) * (edges[bins] - edges[bins - 1]));
    double left = p - first;
    while (b + 1 < bins && left > histogram_inside(density, masses, b)) left -= histogram_inside(density, masses, b++);
    double part = histogram_inside(density, masses, b) > 0 ? left / histogram_inside(density, masses, b) : 0;
    return crd_i_scale_from(&density->scale, edges[b] + (edges[b + 1] - edges[b]) * (part < 1 ? part : 1));
}

/* Computes the moments of uniform pieces and two exponential tails. */
static void histogram_moments(const crd_i_density *base, size_t condition, double *mean, double *deviation) {
    const histogram *density = (const histogram *)base;
    size_t bins = density->bins;
    const double *masses = density->masses + condition * bins, *edges = density->edges;
    double first = edges[1] - edges[0], last = edges[bins] - edges[bins - 1], sum = 0, squares = 0;
    double below_first = masses[0] * density->share[0], above_last = masses[bins - 1] * density->share[1];
    for (size_t b = 0; b < bins; b++) sum += histogram_inside(density, masses, b) * (edges[b] / 2 + edges[b + 1] / 2);
    sum += below_first * (edges[0] - first) + above_last * (edges[bins] + last);
    for (size_t b = 0; b < bins; b++) {
        double away = edges[b] / 2 + edges[b + 1] / 2 - sum, width = edges[b + 1] - edges[b];
        squares += histogram_inside(density, masses, b) * (away * away + width * width / 12);
    }
    double low = edges[0] - first - sum, high = edges[bins] + last - sum;
    squares += below_first * (low * low + first * first) + above_last * (high * high + last * last);
    *mean = crd_i_scale_from(&density->scale, sum);
    *deviation = sqrt(squares) / density->scale.factor;
}

const crd_i_family crd_i_family_histogram = {
    .name = "histogram",
    .summary = "constant density in each bin, of any shape",
    .reads = {&crd_i_grid},
    .derive = histogram_derive,
    .log_density = histogram_log_density,
    .parameters = histogram_parameters,
    .list_parameters = histogram_list_parameters,
    .component = histogram_component,
    .moments = histogram_moments,
    .below = histogram_below,
    .quantile = histogram_quantile,
    .estimates = histogram_estimates,
    .add = crd_i_generic_add,
    .term = crd_i_generic_term,
    .draw = crd_i_generic_draw,
    .rest_create = crd_i_generic_rest_create,
    .rest_destroy = crd_i_generic_rest_destroy,
    .rest_add = crd_i_generic_rest_add,
};
