/* SPDX-License-Identifier: MIT */
/* gaussian_regression.c - the table of a Gaussian node from exact sums (Lauritzen and Wermuth 1989). The node is
 * regressed on its continuous parents by least squares, separately for each state combination of its discrete parents.
 *
 * A group is the set of data rows that belong to one row of the table, among the rows without missing values in the
 * family. Let x be the node, y its k continuous parents and n the number of rows of the group. S contains the sums of
 * squares and products about the group's means, RSS is the residual sum of squares, and r is the number of linearly
 * independent parents in the group:
 *
 *   coefficients  b = S_yy^-1 S_yx     constant  a = mean of x - b . means of y
 *   variance      RSS / n (mle), or RSS / (n - 1 - r) (sample)
 *
 * A parent adds nothing if it is constant in the group, or a linear function of the parents before it in the order of
 * names; its coefficient is 0. The criterion is as for covariance matrices (math/cholesky.h): after regression on the
 * parents before it, at most 2^-36 of its sum of squares remains. An RSS of at most 2^-36 of the sum of squares is
 * replaced by 0.
 *
 * Small groups: a group without rows gets the regression of all rows. A group with n < r + 2 rows cannot determine its
 * variance. It keeps its means and gets the coefficients and the variance of the pooled regression within groups, whose
 * S and RSS are summed over all groups. If the pooled regression has too few rows either, the regression of all rows is
 * used. If all complete rows together are too few for a regression, the node gets the distribution of its column,
 * regardless of its parents.
 *
 * Then the settings apply as for univariate densities (density/univariate/gaussian.c). pool-variance
 * replaces each variance by the variance within groups. Smoothing m:M gives (n v + M V) / (n + M), where V is the
 * variance of the regression of all rows. The root of the variance is at least min-sd. If the variance is 0, it
 * becomes 1e-9 of the node's overall variance. If all complete rows have the same number, V and the overall variance
 * are computed from the node's column. A node whose column is constant has variance 0, or the square of min-sd.
 * Without continuous parents, results are bit-identical to univariate densities: a group of one row has v = 0 under
 * mle.
 *
 * Sums of squares can overflow or underflow although the numbers do not. So each column is scaled by its own power of
 * two, near its overall standard deviation, and regressions are computed in these units.
 *
 * Contents:
 *   1. Table from exact sums
 *   2. Table from a model */
#include "network_model/model_network.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "density/univariate/gaussian.h"
#include "math/exact/exact_products.h"
#include "model/joint_tallies.h"
#include "settings/settings_internal.h"
#include "stats/joint_tally.h"
#include "stats/moments.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Exact sums of the groups. For each row of the table: cross-products of its continuous parents, in their order, and of
 * the node, which is last. */
typedef struct group_sums {
    crd_context *context;
    size_t rows, parents;
    crd_i_products **products; /* for each row of the table; NULL: no data */
} group_sums;

/* ======== 1. Table from exact sums ======== */

static const double NEARLY_NOTHING = 0x1p-36; /* as in math/cholesky.h */
static const double NARROWEST = 1e-9;         /* as in density/univariate/gaussian.c */

/* ---- Sums ---- */

/* Initializes empty sums. Returns false if memory runs out. Clear the sums in either case. */
static bool group_sums_init(group_sums *group, crd_context *context, size_t rows, size_t parents) {
    const group_sums none = {context, rows, parents, crd_i_alloc_zeroed(context, rows, sizeof *none.products)};
    *group = none;
    return group->products != NULL;
}

static void group_sums_clear(group_sums *sums) {
    for (size_t i = 0; sums->products != NULL && i < sums->rows; i++) crd_i_products_destroy(sums->products[i]);
    crd_free(sums->context, sums->products);
    sums->products = NULL;
}

/* Returns the sums of a row of the table, and creates them with 0 if needed. Returns NULL if memory runs out. */
static crd_i_products *group_sums_of(group_sums *sums, size_t row) {
    if (sums->products[row] == NULL) sums->products[row] = crd_i_products_create(sums->context, sums->parents + 1);
    return sums->products[row];
}

static bool add_whole(const group_sums *sums, crd_i_products *whole) {
    bool done = true;
    for (size_t i = 0; done && i < sums->rows; i++)
        if (sums->products[i] != NULL) done = crd_i_products_combine(whole, sums->products[i], 1);
    return done;
}

/* ---- Without continuous parents ---- */

static bool read_facts(const crd_i_products *products, const crd_settings *settings, bool is_whole, crd_i_facts *out) {
    const crd_i_moment_cell cell = {crd_i_products_array_const(products, 0), crd_i_products_array_const(products, 1),
                                    crd_i_products_array_const(products, 2), 0};
    return crd_i_facts_read(cell, is_whole ? crd_i_facts_of_whole(settings) : crd_i_facts_of_condition(settings),
                            settings, out);
}

static double regression_squared(double deviation) {
    const double variance = deviation * deviation;
    return variance > DBL_MAX ? DBL_MAX : variance > 0 || deviation == 0 ? variance : DBL_TRUE_MIN;
}

/* Computes the table of a node without continuous parents, with the functions of univariate densities. Returns false if
 * memory runs out. */
static bool derive_alone(const group_sums *sums, const crd_i_products *whole, const crd_i_products *column,
                         const crd_settings *settings, double *table) {
    /* Only groups of the same node share a variance here, not different attributes. */
    crd_settings own_settings = *settings;
    own_settings.share_classes = settings->share_classes || settings->share_attributes;
    own_settings.share_attributes = false;
    const crd_i_facts none = {.spread = crd_i_spread_none()};
    crd_i_facts all, *facts = crd_i_alloc(sums->context, sums->rows, sizeof *facts);
    bool done = facts != NULL && read_facts(whole, &own_settings, true, &all);
    if (done && all.variance.value.mantissa == 0) done = read_facts(column, &own_settings, true, &all);
    for (size_t i = 0; done && i < sums->rows; i++) {
        facts[i] = none;
        if (sums->products[i] != NULL) done = read_facts(sums->products[i], &own_settings, false, &facts[i]);
    }
    if (done) {
        const crd_i_overall overall = crd_i_overall_of(&all, facts, sums->rows, NULL, &own_settings);
        for (size_t i = 0; i < sums->rows; i++) {
            const crd_i_normal_curve curve = crd_i_normal_of(&overall, &facts[i], i, &own_settings);
            table[2 * i] = curve.mean;
            table[2 * i + 1] = regression_squared(overall.is_silent ? own_settings.min_sd : curve.deviation);
        }
    }
    crd_free(sums->context, facts);
    return done;
}

/* ---- Regressions ---- */

typedef struct regression {
    double n;
    double rss;      /* residual sum of squares of the node, in its unit */
    size_t rank;     /* number of linearly independent parents */
    double *means;   /* means of the parents, then of the node; not scaled */
    double *squares; /* S, row by row, scaled; the node is last */
    double *b;       /* coefficients, scaled */
} regression;

typedef struct regression_derivation {
    crd_context *context;
    const group_sums *sums;
    const size_t *order;
    const crd_settings *settings;
    size_t size;    /* k + 1 */
    int64_t *units; /* for each column: the exponent of its power of two */
    double *factor; /* scratch: rows of the Cholesky factor; rows of ignored parents are zero */
    regression all, within, regression;
    double within_groups; /* number of groups with rows */
    /* overall variance of the node in its unit: in all complete rows, or in its column if these are all equal */
    double overall;
} regression_derivation;

static bool make_regression(crd_context *context, size_t size, regression *new_regression) {
    new_regression->means = crd_i_alloc_zeroed(context, size, sizeof *new_regression->means);
    new_regression->squares = crd_i_alloc_zeroed(context, size * size, sizeof *new_regression->squares);
    new_regression->b = crd_i_alloc_zeroed(context, size, sizeof *new_regression->b);
    return new_regression->means != NULL && new_regression->squares != NULL && new_regression->b != NULL;
}

static void clear_regression(crd_context *context, regression *new_regression) {
    crd_free(context, new_regression->means);
    crd_free(context, new_regression->squares);
    crd_free(context, new_regression->b);
}

static double in_units(crd_i_signed value, int64_t units) {
    const int64_t exponent = value.size.exponent - units;
    if (value.sign == 0 || exponent < -2000) return 0;
    return value.sign * ldexp(value.size.mantissa, exponent > 2000 ? 2000 : (int)exponent);
}

/* Chooses a unit for each column, near its standard deviation over all rows, and computes the node's overall variance.
 * Returns false if memory runs out. */
static bool regression_find_units(regression_derivation *derivation, const crd_i_products *whole,
                                  const crd_i_products *column) {
    const size_t node = derivation->size - 1;
    crd_i_signed squares = {0};
    for (size_t i = 0; i < derivation->size; i++) {
        if (!crd_i_comoments_deviations(crd_i_products_cell(whole, i, i), &squares)) return false;
        derivation->units[i] = squares.sign > 0 ? squares.size.exponent / 2 : 0;
    }
    double n = crd_i_sums_value(crd_i_products_total(whole), 0);
    if (squares.sign <= 0) {
        if (!crd_i_comoments_deviations(crd_i_products_cell(column, 0, 0), &squares)) return false;
        derivation->units[node] = squares.sign > 0 ? squares.size.exponent / 2 : 0;
        n = crd_i_sums_value(crd_i_products_total(column), 0);
    }
    derivation->overall = in_units(squares, 2 * derivation->units[node]) / n;
    return true;
}

/* Computes n, the means and S from exact sums. Returns false if memory runs out. */
static bool read_sums(const regression_derivation *derivation, const crd_i_products *products,
                      regression *target_regression) {
    bool defined;
    target_regression->n = crd_i_sums_value(crd_i_products_total(products), 0);
    for (size_t i = 0; i < derivation->size; i++) {
        if (!crd_i_comoments_mean(crd_i_products_cell(products, i, i), &target_regression->means[i], NULL, &defined))
            return false;
        for (size_t j = 0; j <= i; j++) {
            crd_i_signed sum;
            if (!crd_i_comoments_deviations(crd_i_products_cell(products, j, i), &sum)) return false;
            target_regression->squares[i * derivation->size + j] =
                target_regression->squares[j * derivation->size + i] =
                    in_units(sum, derivation->units[i] + derivation->units[j]);
        }
    }
    return true;
}

/* Computes b, rank and RSS from S by a Cholesky factorization of the linearly independent parents, in the order of
 * names. */
static void regression_regress(const regression_derivation *derivation, regression *target_regression) {
    const size_t size = derivation->size, parents = size - 1;
    const double *S = target_regression->squares;
    double *L = derivation->factor;
    target_regression->rank = 0;
    target_regression->rss = S[size * size - 1];
    memset(L, 0, size * size * sizeof *L);
    for (size_t p = 0; p < size; p++) {
        const size_t j = p < parents ? derivation->order[p] : parents;
        double left = S[j * size + j];
        for (size_t q = 0; q < p; q++) {
            const size_t i = derivation->order[q];
            if (L[q * size + q] == 0) continue;
            double sum = S[j * size + i];
            for (size_t m = 0; m < q; m++) sum -= L[p * size + m] * L[q * size + m];
            L[p * size + q] = sum / L[q * size + q];
            left -= L[p * size + q] * L[p * size + q];
        }
        const bool counts = left > NEARLY_NOTHING * S[j * size + j];
        if (p == parents) target_regression->rss = counts ? left : 0;
        else if (counts) L[p * size + p] = sqrt(left);
        target_regression->rank += p < parents && counts;
    }
    for (size_t p = parents; p-- > 0;) {
        const size_t j = derivation->order[p];
        double sum = L[parents * size + p];
        target_regression->b[j] = 0;
        if (L[p * size + p] == 0) continue;
        for (size_t q = p + 1; q < parents; q++) sum -= L[q * size + p] * target_regression->b[derivation->order[q]];
        target_regression->b[j] = sum / L[p * size + p];
    }
}

/* Computes the variance in the node's unit. Returns false if there are too few rows for it. */
static bool find_variance(const regression_derivation *derivation, double rss, double n, double estimates,
                          double *variance) {
    const double divisor = derivation->settings->sample_variance ? n - estimates : n;
    *variance = divisor > 0 ? rss / divisor : 0;
    return n - estimates > 0 && divisor > 0;
}

/* Computes the regression of all rows and the pooled regression within groups. Returns false if memory runs out. */
static bool read_common(regression_derivation *derivation, const crd_i_products *whole, const crd_i_products *column) {
    const size_t cells = derivation->size * derivation->size;
    if (!regression_find_units(derivation, whole, column) || !read_sums(derivation, whole, &derivation->all))
        return false;
    regression_regress(derivation, &derivation->all);
    for (size_t row = 0; row < derivation->sums->rows; row++) {
        if (derivation->sums->products[row] == NULL) continue;
        if (!read_sums(derivation, derivation->sums->products[row], &derivation->regression)) return false;
        derivation->within.n += derivation->regression.n;
        derivation->within_groups++;
        for (size_t i = 0; i < cells; i++) derivation->within.squares[i] += derivation->regression.squares[i];
    }
    regression_regress(derivation, &derivation->within);
    return true;
}

/* Writes a row of the table, converted back to the original units. Numbers out of the range of a double become
 * DBL_MAX. */
static void regression_put_row(const regression_derivation *derivation, const regression *means, const double *b,
                               double variance, double *row) {
    const size_t parents = derivation->size - 1;
    const int64_t unit = derivation->units[parents];
    double constant = means->means[parents];
    for (size_t j = 0; j < parents; j++) {
        row[1 + j] = ldexp(b[j], (int)(unit - derivation->units[j]));
        if (!isfinite(row[1 + j])) row[1 + j] = copysign(DBL_MAX, row[1 + j]);
        constant -= row[1 + j] * means->means[j];
    }
    row[0] = isfinite(constant) ? constant : copysign(DBL_MAX, constant);
    double deviation = ldexp(sqrt(variance), (int)unit);
    if (deviation < derivation->settings->min_sd) deviation = derivation->settings->min_sd;
    row[derivation->size] = regression_squared(deviation > DBL_MAX ? DBL_MAX : deviation);
}

/* Computes one row of the table: the regression of its group, or a fallback for a small group, and then the settings.
 * Returns false if memory runs out. */
static bool derive_row(regression_derivation *derivation, size_t row, double *table) {
    const crd_settings *settings = derivation->settings;
    const regression *all = &derivation->all, *within = &derivation->within;
    double V, variance, shared;
    const bool has_V = find_variance(derivation, all->rss, all->n, 1 + (double)all->rank, &V);
    if (all->squares[derivation->size * derivation->size - 1] == 0) V = derivation->overall;
    const bool has_within =
        find_variance(derivation, within->rss, within->n, derivation->within_groups + (double)within->rank, &shared);
    const regression *coefficients = all, *means = all;
    variance = V;
    if (derivation->sums->products[row] != NULL) {
        if (!read_sums(derivation, derivation->sums->products[row], &derivation->regression)) return false;
        regression_regress(derivation, &derivation->regression);
        means = coefficients = &derivation->regression;
        if (!find_variance(derivation, derivation->regression.rss, derivation->regression.n,
                           1 + (double)derivation->regression.rank, &variance)) {
            coefficients = has_within ? within : all;
            variance = has_within ? shared : V;
        }
        const bool shares = settings->share_classes || settings->share_attributes;
        if (shares && has_within) variance = shared;
        if (settings->smoothing == CRD_I_SMOOTHING_M && has_V) {
            const double n = derivation->regression.n, M = settings->smoothing_strength;
            variance = (n * variance + M * V) / (n + M);
        }
    }
    if (variance == 0 && settings->min_sd == 0) variance = NARROWEST * derivation->overall;
    regression_put_row(derivation, means, coefficients->b, variance, table + row * (derivation->size + 1));
    return true;
}

/* Returns whether all rows together suffice to determine a residual variance. If not, no group does. */
static bool has_enough(const regression_derivation *derivation) {
    double V;
    return find_variance(derivation, derivation->all.rss, derivation->all.n, 1 + (double)derivation->all.rank, &V);
}

/* Sets every row of the table to the distribution of the node's column, regardless of the parents. */
static bool use_column(const group_sums *sums, const group_sums *column, const crd_settings *settings, double *table) {
    const size_t width = sums->parents + 2;
    double alone[2] = {0, 0};
    bool done = derive_alone(column, column->products[0], column->products[0], settings, alone);
    for (size_t i = 0; i < sums->rows * width; i++)
        table[i] = i % width == 0 ? alone[0] : i % width == width - 1 ? alone[1] : 0;
    return done;
}

/* Allocates the regressions and computes all rows of the table. Returns false if memory runs out. */
static bool regression_derive(const group_sums *sums, const crd_i_products *whole, const group_sums *column,
                              const size_t *order, const crd_settings *settings, double *table) {
    crd_context *context = sums->context;
    regression_derivation derivation = {
        .context = context, .sums = sums, .order = order, .settings = settings, .size = sums->parents + 1};
    derivation.units = crd_i_alloc(context, derivation.size, sizeof *derivation.units);
    derivation.factor = crd_i_alloc(context, derivation.size * derivation.size, sizeof *derivation.factor);
    bool done = derivation.units != NULL && derivation.factor != NULL &&
                make_regression(context, derivation.size, &derivation.all) &&
                make_regression(context, derivation.size, &derivation.within) &&
                make_regression(context, derivation.size, &derivation.regression) &&
                read_common(&derivation, whole, column->products[0]);
    const bool is_enough = done && has_enough(&derivation);
    for (size_t row = 0; is_enough && done && row < sums->rows; row++) done = derive_row(&derivation, row, table);
    if (done && !is_enough) done = use_column(sums, column, settings, table);
    clear_regression(context, &derivation.all);
    clear_regression(context, &derivation.within);
    clear_regression(context, &derivation.regression);
    crd_free(context, derivation.units);
    crd_free(context, derivation.factor);
    return done;
}

static bool regression_has_rows(const group_sums *sums) {
    for (size_t i = 0; i < sums->rows; i++)
        if (sums->products[i] != NULL) return true;
    return false;
}

/* Computes the rows of a node's table: constant, one coefficient per continuous parent, variance. `column` contains the
 * sums of the node alone, over all data rows that have a number for it: one group, not NULL, without parents. `order`
 * lists the parents 0 ... k - 1 in the order of their names. */
static crd_status gaussian_rows(const group_sums *sums, const group_sums *column, const size_t *order,
                                const crd_settings *settings, double *table, crd_error *error) {
    if (!regression_has_rows(sums))
        return use_column(sums, column, settings, table) ? CRD_OK : crd_i_fail_memory(error);
    crd_i_products *whole = crd_i_products_create(sums->context, sums->parents + 1);
    bool done = whole != NULL && add_whole(sums, whole) &&
                (sums->parents == 0 ? derive_alone(sums, whole, column->products[0], settings, table)
                                    : regression_derive(sums, whole, column, order, settings, table));
    crd_i_products_destroy(whole);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ======== 2. Table from a model ========
 *
 * The sums are taken from the model's sufficient statistics. */

/* The family of a node: its parents, then the node. */
typedef struct gaussian_family {
    const crd_i_learned_node *node;
    crd_context *context;
    size_t count;
    uint32_t *members; /* nodes: the parents in their order, then the node */
    size_t *strides;   /* for each discrete member: its stride in rows of the table; otherwise 0 */
    size_t *places;    /* for each attribute: its column in the joint tally */
    size_t *order;     /* the continuous parents 0 ... k - 1, by name */
    size_t *source;    /* for each continuous parent and the node: its index among the numbers of a group */
    group_sums sums;
} gaussian_family;

static const crd_i_node *learned_gaussian_node(const gaussian_family *family, size_t member) {
    return &family->node->network->nodes[family->members[member]];
}

static bool learned_gaussian_is_target(const gaussian_family *family, size_t member) {
    return family->members[member] == family->node->families->target;
}

static size_t learned_gaussian_column(const gaussian_family *family, size_t member) {
    return family->node->families->columns[family->members[member]];
}

static void close_family(gaussian_family *family) {
    crd_free(family->context, family->members);
    crd_free(family->context, family->strides);
    crd_free(family->context, family->places);
    crd_free(family->context, family->order);
    crd_free(family->context, family->source);
    group_sums_clear(&family->sums);
}

/* Orders the continuous parents by name with insertion sort, because there are few and they are nearly sorted. */
static void order_by_name(gaussian_family *family) {
    const crd_text *names[CRD_I_MAX_PARENTS];
    size_t continuous = 0;
    for (size_t i = 0; i + 1 < family->count; i++) {
        if (crd_i_node_is_discrete(learned_gaussian_node(family, i))) continue;
        size_t index = continuous;
        names[continuous] = &learned_gaussian_node(family, i)->name;
        for (; index > 0 && crd_i_text_compare(*names[family->order[index - 1]], *names[continuous]) > 0; index--)
            family->order[index] = family->order[index - 1];
        family->order[index] = continuous++;
    }
}

/* Lists the members of the family and computes their strides. Returns false if memory runs out. */
static bool open_family(gaussian_family *family) {
    const crd_i_families *families = family->node->families;
    const size_t node = family->node->node, first = crd_i_families_first(families, node);
    const size_t parents = families->ends[node] - first;
    size_t stride = 1, continuous = 0;
    family->count = parents + 1;
    family->members = crd_i_alloc(family->context, family->count, sizeof *family->members);
    family->strides = crd_i_alloc_zeroed(family->context, family->count, sizeof *family->strides);
    family->places = crd_i_alloc_zeroed(family->context, family->count, sizeof *family->places);
    family->order = crd_i_alloc(family->context, family->count, sizeof *family->order);
    family->source = crd_i_alloc(family->context, family->count, sizeof *family->source);
    if (family->members == NULL || family->strides == NULL || family->places == NULL || family->order == NULL ||
        family->source == NULL)
        return false;
    for (size_t i = 0; i < parents; i++) family->members[i] = families->parents[first + i];
    family->members[parents] = (uint32_t)node;
    for (size_t i = parents; i-- > 0;) {
        const crd_i_node *parent = learned_gaussian_node(family, i);
        if (!crd_i_node_is_discrete(parent)) {
            continuous++;
            continue;
        }
        family->strides[i] = stride;
        stride *= crd_i_node_states(parent);
    }
    order_by_name(family);
    return group_sums_init(&family->sums, family->context, stride, continuous);
}

/* ---- Nodes with at most the class as parent ---- */

/* Adds the moments of the node's column in each class to the class's row of the table. The rows are `stride` apart; 0
 * adds all classes together. Returns false if memory runs out. */
static bool learned_gaussian_add_moments(const gaussian_family *family, size_t stride, group_sums *sums) {
    const crd_i_learned_node *node = family->node;
    const crd_i_tally *tally = node->model->variables[learned_gaussian_column(family, family->count - 1)].tally;
    const crd_i_view *classes = &node->view->views[node->model->schema->target];
    bool done = true;
    for (size_t k = 0; done && k < classes->value_count; k++) {
        const size_t condition = (size_t)classes->values[k];
        if (condition >= tally->conditions) continue;
        const crd_i_moment_cell cell = crd_i_moments_cell(tally, condition);
        if (crd_i_sums_sign(cell.n, condition) == 0) continue;
        crd_i_products *into = group_sums_of(sums, k * stride);
        done = into != NULL && crd_i_sums_combine(crd_i_products_array(into, 0), 0, cell.n, condition, 1) &&
               crd_i_sums_combine(crd_i_products_array(into, 1), 0, cell.s, condition, 1) &&
               crd_i_sums_combine(crd_i_products_array(into, 2), 0, cell.q, condition, 1);
    }
    return done;
}

/* ---- Nodes with other parents ---- */

/* Finds the columns of all attributes in a joint tally. Returns false if one is missing. */
static bool learned_gaussian_find_places(gaussian_family *family, const crd_i_model_joint_tally *kept) {
    for (size_t i = 0; i < family->count; i++) {
        if (learned_gaussian_is_target(family, i)) continue;
        size_t index = 0;
        while (index < kept->joint_tally->column_count && kept->columns[index] != learned_gaussian_column(family, i))
            index++;
        if (index == kept->joint_tally->column_count) return false;
        family->places[i] = index;
    }
    return true;
}

/* Returns the tally of grouped moments with the fewest columns that contains the family; NULL if there is none. */
static const crd_i_model_joint_tally *find_groups(gaussian_family *family) {
    const crd_model *model = family->node->model;
    const crd_i_model_joint_tally *best = NULL;
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        if (kept->joint_tally->type != &crd_i_group_moments || !learned_gaussian_find_places(family, kept)) continue;
        if (best == NULL || kept->joint_tally->column_count < best->joint_tally->column_count) best = kept;
    }
    return best != NULL && learned_gaussian_find_places(family, best) ? best : NULL;
}

static crd_status learned_gaussian_fail_not_kept(const gaussian_family *family, crd_error *error) {
    size_t listed = 0;
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the structure needs sums of products that the model did not store, for the numbers ");
    for (size_t i = 0; i < family->count; i++)
        if (!learned_gaussian_is_target(family, i))
            crd_i_error_item(error, listed++, learned_gaussian_node(family, i)->name);
    crd_i_error_hint(error, "train it with these arcs, or with keep-statistics=grouped-moments");
    crd_i_error_subject(error, crd_text_of("arcs"));
    return CRD_ERROR_SETTING;
}

/* Returns the row of the table that a group belongs to, and finds the family's numbers in it. Returns SIZE_MAX if a
 * value of the family is missing. */
static size_t learned_gaussian_find_row(gaussian_family *family, const int32_t *codes, const crd_i_joint_tally *tally,
                                        int32_t condition) {
    size_t row = 0, continuous = 0;
    for (size_t i = 0; i < family->count; i++) {
        if (learned_gaussian_is_target(family, i)) {
            row += family->strides[i] * (size_t)condition;
            continue;
        }
        const int32_t code = codes[family->places[i]];
        if (code < 0) return SIZE_MAX;
        row += family->strides[i] * (size_t)code;
        if (crd_i_node_is_discrete(learned_gaussian_node(family, i))) continue;
        size_t before = 0;
        for (size_t column = 0; column < family->places[i]; column++)
            before += tally->types[column] == CRD_TYPE_NUMERIC && codes[column] >= 0;
        family->source[continuous++] = before;
    }
    return row;
}

/* Adds all groups of a tally to the rows of the table. Returns CRD_ERROR_LIMIT if the tally grew too large and was
 * dropped. */
static crd_status add_groups(gaussian_family *family, const crd_i_model_joint_tally *kept, crd_error *error) {
    crd_i_joint_source source;
    crd_i_moment_groups groups = {0};
    const crd_i_joint_tally *tally = kept->joint_tally;
    char quoted[CRD_I_QUOTED_ROOM];
    if (tally->is_dropped)
        return crd_i_fail(
            error, CRD_ERROR_LIMIT,
            "there are more than %zu different combinations of the categorical parents of '%s': give it fewer parents",
            crd_i_moment_groups_most(tally->column_count),
            crd_i_quote(learned_gaussian_node(family, family->count - 1)->name, quoted));
    crd_status status = crd_i_joint_tallies_open(family->node->model, kept, family->node->view, &source, error);
    if (status != CRD_OK) return status;
    if (!crd_i_moment_groups_init(&groups, family->context, tally, &source.view)) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < groups.count; i++) {
        const size_t row =
            learned_gaussian_find_row(family, groups.codes + i * groups.column_count, tally, groups.conditions[i]);
        if (row == SIZE_MAX) continue;
        crd_i_products *into = group_sums_of(&family->sums, row);
        if (into == NULL || !crd_i_products_embed(into, groups.products[i], family->source, 1))
            status = crd_i_fail_memory(error);
    }
    crd_i_moment_groups_clear(&groups);
    crd_i_joint_tallies_close(&source);
    return status;
}

/* Uses the moments of the column if possible, because every model stores them; otherwise uses grouped moments. */
crd_status crd_i_learned_gaussian(const crd_i_learned_node *node, double *table, crd_error *error) {
    gaussian_family family = {.node = node, .context = node->model->context};
    group_sums column = {0};
    size_t attributes = 0;
    crd_status status = open_family(&family) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < family.count; i++) attributes += !learned_gaussian_is_target(&family, i);
    if (status == CRD_OK && attributes == 1) {
        if (!learned_gaussian_add_moments(&family, family.count > 1 ? family.strides[0] : 0, &family.sums))
            status = crd_i_fail_memory(error);
    } else if (status == CRD_OK) {
        const crd_i_model_joint_tally *kept = find_groups(&family);
        status = kept == NULL ? learned_gaussian_fail_not_kept(&family, error) : add_groups(&family, kept, error);
    }
    if (status == CRD_OK && !(group_sums_init(&column, family.context, 1, 0) && group_sums_of(&column, 0) != NULL &&
                              learned_gaussian_add_moments(&family, 0, &column)))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = gaussian_rows(&family.sums, &column, family.order, node->settings, table, error);
    group_sums_clear(&column);
    close_family(&family);
    return status;
}
