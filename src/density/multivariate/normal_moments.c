/* SPDX-License-Identifier: MIT */
/* normal_moments.c - means and covariances from exact sums. Each result is rounded once.
 *
 * If rows are incomplete, the mean and variance of a column are estimated from all rows that have it. The covariance of
 * two columns is estimated from all rows that have both, about their means in these rows. These available-case
 * estimates are consistent if cells are missing completely at random (Little and Rubin, Statistical Analysis with
 * Missing Data). */
#include "density/multivariate/normal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/exact/ieee754.h"
#include "stats/cross_moments.h"

#include <math.h>
#include <string.h>

/* Maximum distance of a cell from the mean, in overall standard deviations. Cells beyond it are moved to this
 * distance. */
static const double FARTHEST = 0x1p300;

void crd_i_normal_moments_clear(crd_i_normal_moments *normal) {
    void *const blocks[] = {normal->places, normal->exponents, normal->centres, normal->rows,
                            normal->means,  normal->products,  normal->pairs,   normal->shifts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(normal->context, blocks[i]);
    memset(normal, 0, sizeof *normal);
}

void crd_i_normal_moments_drop_products(crd_i_normal_moments *normal) {
    double **const blocks[] = {&normal->products, &normal->pairs, &normal->shifts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        crd_free(normal->context, *blocks[i]);
        *blocks[i] = NULL;
    }
}

void crd_i_normal_whole(const crd_i_normal_moments *normal, double *out) {
    size_t square = normal->columns * normal->columns;
    for (size_t i = 0; i < square; i++) {
        double rows = normal->pairs == NULL ? normal->all_rows : normal->pairs[normal->classes * square + i];
        out[i] = rows > 0 ? normal->products[normal->classes * square + i] / rows : 0;
    }
}

double crd_i_normal_centred(const crd_i_normal_moments *normal, size_t column, double x) {
    double away = ldexp(x / 2 - normal->centres[column] / 2, 1 - normal->exponents[column]);
    return away > FARTHEST ? FARTHEST : away < -FARTHEST ? -FARTHEST : away;
}

/* Sums of one class or of all classes, over complete rows only or for each pair of columns. */
typedef struct sums {
    const crd_i_products *products; /* NULL: no rows */
    bool by_pairs;
    size_t count; /* number of numeric columns */
} sums;

static crd_i_comoment_cell normal_moments_cell(const sums *source_sums, size_t i, size_t j) {
    return source_sums->by_pairs ? crd_i_cross_pair(source_sums->products, source_sums->count, i, j)
                                 : crd_i_products_cell(source_sums->products, i, j);
}

static bool has_incomplete(const crd_i_joint_source *joint_source) {
    bool has = false;
    for (size_t k = 0; k < joint_source->view.condition_count; k++)
        has =
            has || crd_i_cross_incomplete(joint_source->joint_tally, (size_t)joint_source->view.conditions[k]) != NULL;
    return has;
}

/* Adds the sums of a class to `products`. `twice` maps the columns of complete rows to the columns of incomplete rows,
 * which have every column twice. false: out of memory. */
static bool gather_class(const crd_i_joint_source *joint_source, size_t class, bool by_pairs, const size_t *twice,
                         crd_i_products *products) {
    size_t condition = (size_t)joint_source->view.conditions[class];
    const crd_i_products *complete = crd_i_cross_products(joint_source->joint_tally, condition);
    const crd_i_products *incomplete = crd_i_cross_incomplete(joint_source->joint_tally, condition);
    if (!by_pairs) return complete == NULL || crd_i_products_combine(products, complete, 1);
    return (complete == NULL || crd_i_products_embed(products, complete, twice, 1)) &&
           (incomplete == NULL || crd_i_products_combine(products, incomplete, 1));
}

/* Adds up the sums of the classes from `first` to `end` - 1. The caller destroys the result. NULL: out of memory. */
static crd_i_products *normal_moments_gather(crd_context *context, const crd_i_joint_source *joint_source, size_t first,
                                             size_t end, size_t columns, bool by_pairs) {
    size_t *twice = crd_i_alloc(context, 2 * columns, sizeof *twice);
    crd_i_products *products = crd_i_products_create(context, by_pairs ? 2 * columns : columns);
    bool done = twice != NULL && products != NULL;
    for (size_t i = 0; done && i < columns; i++) twice[i] = i, twice[columns + i] = CRD_I_COLUMN_OF_ONES;
    for (size_t k = first; done && k < end; k++) done = gather_class(joint_source, k, by_pairs, twice, products);
    crd_free(context, twice);
    if (done) return products;
    crd_i_products_destroy(products);
    return NULL;
}

static bool normal_moments_allocate(crd_i_normal_moments *normal, size_t columns) {
    size_t classes = normal->classes;
    normal->places = crd_i_alloc(normal->context, columns, sizeof *normal->places);
    normal->exponents = crd_i_alloc(normal->context, columns, sizeof *normal->exponents);
    normal->centres = crd_i_alloc_zeroed(normal->context, columns, sizeof *normal->centres);
    normal->rows = crd_i_alloc_zeroed(normal->context, classes, sizeof *normal->rows);
    return normal->places != NULL && normal->exponents != NULL && normal->centres != NULL && normal->rows != NULL;
}

/* Chooses the columns that vary, with their center and scale. `numbers` are the indices of all numeric columns. Sets
 * `chosen` to the positions in `numbers` of the columns that vary. false: out of memory. */
static bool choose_columns(crd_i_normal_moments *normal, const sums *all, const size_t *numbers, size_t *chosen) {
    for (size_t i = 0; i < all->count; i++) {
        crd_i_comoment_cell cell = normal_moments_cell(all, i, i);
        crd_i_signed variance;
        bool defined;
        if (!crd_i_comoments_covariance(cell, false, &variance, &defined)) {
            if (!defined) continue;
            return false;
        }
        if (variance.sign <= 0) continue;
        size_t index = normal->columns++;
        chosen[index] = i;
        normal->places[index] = numbers[i];
        normal->exponents[index] = (int)((variance.size.exponent - (variance.size.exponent < 0)) / 2);
        if (!crd_i_comoments_mean(cell, &normal->centres[index], NULL, &defined)) return false;
    }
    return true;
}

/* Computes the sums of products of deviations, scaled like the columns. Returns false if memory runs out or the context
 * is cancelled. */
static bool normal_moments_read_products(const crd_i_normal_moments *normal, const sums *source_sums,
                                         const size_t *chosen, double *out) {
    size_t columns = normal->columns;
    for (size_t i = 0; i < columns; i++) {
        if (crd_i_context_cancelled(normal->context)) return false;
        for (size_t j = i; j < columns; j++) {
            crd_i_signed sum;
            if (!crd_i_comoments_deviations(normal_moments_cell(source_sums, chosen[i], chosen[j]), &sum)) return false;
            sum.size.exponent -= normal->exponents[i] + normal->exponents[j];
            out[i * columns + j] = out[j * columns + i] = crd_i_signed_value(sum);
        }
    }
    return true;
}

/* Computes s - n c exactly, where s is the sum of a column, n its weight and c a number. false: out of memory. */
static bool shift_sum(crd_i_sums *sums_workspace, crd_i_sums *count, crd_i_comoment_cell cell, double c) {
    if (!crd_i_sums_extend(sums_workspace, 1) || !crd_i_sums_extend(count, 1) ||
        !crd_i_sums_combine(sums_workspace, 0, cell.s, cell.s_cell, 1) ||
        !crd_i_sums_combine(count, 0, cell.n, cell.n_cell, 1))
        return false;
    /* The sum of weights may have more digits than a double, but not many more. */
    for (int part = 0; part < 3; part++) {
        double n = crd_i_sums_value(count, 0);
        if (!crd_i_sums_add(count, 0, -n) || !crd_i_sums_add_product(sums_workspace, 0, -n, c)) return false;
    }
    return true;
}

/* Computes the mean of a column of a class minus its center, rounded once. false: out of memory. */
static bool mean_from_centre(crd_context *context, crd_i_comoment_cell cell, double centre, double *mean) {
    crd_i_sums sum, count;
    bool defined = false;
    crd_i_sums_init(&sum, context);
    crd_i_sums_init(&count, context);
    bool done = shift_sum(&sum, &count, cell, centre);
    cell.s = &sum;
    cell.s_cell = 0;
    done = done && crd_i_comoments_mean(cell, mean, NULL, &defined);
    crd_i_sums_clear(&sum);
    crd_i_sums_clear(&count);
    return done;
}

/* Reads the weight of the rows that have both of two columns, for a class or (SIZE_MAX) for all classes. */
static void normal_moments_read_pairs(crd_i_normal_moments *normal, const sums *source_sums, const size_t *chosen,
                                      size_t class) {
    size_t columns = normal->columns;
    double *pairs = normal->pairs + (class == SIZE_MAX ? normal->classes : class) * columns * columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            crd_i_comoment_cell cell = normal_moments_cell(source_sums, chosen[i], chosen[j]);
            pairs[i * columns + j] = crd_i_sums_value(cell.n, cell.n_cell);
        }
}

/* Computes `shifts` (normal.h) of a class. false: out of memory. */
static bool read_shifts(crd_i_normal_moments *normal, const sums *source_sums, const size_t *chosen, size_t class) {
    size_t columns = normal->columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            size_t index = (class * columns + i) * columns + j;
            if (!(normal->pairs[index] > 0) || i == j) continue;
            double mean;
            if (!mean_from_centre(normal->context, normal_moments_cell(source_sums, chosen[i], chosen[j]),
                                  normal->centres[i], &mean))
                return false;
            normal->shifts[index] =
                normal->pairs[index] * (ldexp(mean, -normal->exponents[i]) - normal->means[class * columns + i]);
        }
    return true;
}

/* Reads the moments of one class: rows, means, pairs and products. Returns false if memory runs out or the context is
 * cancelled. */
static bool normal_moments_read_class(crd_i_normal_moments *normal, const sums *source_sums, const size_t *chosen,
                                      size_t class) {
    size_t columns = normal->columns;
    normal->rows[class] = crd_i_sums_value(crd_i_products_total(source_sums->products), 0);
    if (normal->pairs != NULL) normal_moments_read_pairs(normal, source_sums, chosen, class);
    for (size_t i = 0; i < columns; i++) {
        crd_i_comoment_cell cell = normal_moments_cell(source_sums, chosen[i], chosen[i]);
        double mean;
        if (crd_i_sums_sign(cell.n, cell.n_cell) <= 0) continue; /* the class uses the overall mean */
        if (!mean_from_centre(normal->context, cell, normal->centres[i], &mean)) return false;
        normal->means[class * columns + i] = ldexp(mean, -normal->exponents[i]);
    }
    if (normal->pairs != NULL && !read_shifts(normal, source_sums, chosen, class)) return false;
    return normal_moments_read_products(normal, source_sums, chosen, normal->products + class * columns * columns);
}

static void normal_moments_set_missing(crd_i_normal_moments *normal) {
    size_t columns = normal->columns;
    const double *pairs = normal->pairs + normal->classes * columns * columns;
    double fewest = INFINITY, most = 0;
    for (size_t i = 0; i < columns * columns; i++) {
        fewest = fmin(fewest, pairs[i]);
        most = fmax(most, pairs[i]);
    }
    normal->missing = most > 0 ? 1 - fewest / most : 0;
}

static bool allocate_moments(crd_i_normal_moments *normal, bool by_pairs) {
    size_t columns = normal->columns, square = columns * columns;
    normal->means = crd_i_alloc_zeroed(normal->context, normal->classes, columns * sizeof *normal->means);
    normal->products = crd_i_alloc_zeroed(normal->context, normal->classes + 1, square * sizeof *normal->products);
    if (normal->means == NULL || normal->products == NULL) return false;
    if (!by_pairs) return true;
    normal->pairs = crd_i_alloc_zeroed(normal->context, normal->classes + 1, square * sizeof *normal->pairs);
    normal->shifts = crd_i_alloc_zeroed(normal->context, normal->classes, square * sizeof *normal->shifts);
    return normal->pairs != NULL && normal->shifts != NULL;
}

static void normal_moments_count_rows(crd_i_normal_moments *normal, const crd_i_joint_source *joint_source) {
    for (size_t k = 0; k < normal->classes; k++) {
        size_t condition = (size_t)joint_source->view.conditions[k];
        const crd_i_products *incomplete = crd_i_cross_incomplete(joint_source->joint_tally, condition);
        double used = incomplete == NULL ? 0 : crd_i_sums_value(crd_i_products_total(incomplete), 0);
        normal->incomplete += used;
        normal->left_out += crd_i_cross_left_out(joint_source->joint_tally, condition) - used;
    }
}

/* Reads the moments of each class and of all rows. Returns false if memory runs out or the context is cancelled. */
static bool normal_moments_read_all(crd_i_normal_moments *normal, const crd_i_joint_source *joint_source,
                                    const sums *all, const size_t *chosen) {
    size_t columns = normal->columns;
    normal->all_rows = crd_i_sums_value(crd_i_products_total(all->products), 0);
    if (!allocate_moments(normal, all->by_pairs)) return false;
    normal_moments_count_rows(normal, joint_source);
    for (size_t k = 0; k < normal->classes; k++) {
        crd_i_products *own_products =
            normal_moments_gather(normal->context, joint_source, k, k + 1, all->count, all->by_pairs);
        bool done = own_products != NULL &&
                    (crd_i_products_is_zero(own_products) ||
                     normal_moments_read_class(normal, &(sums){own_products, all->by_pairs, all->count}, chosen, k));
        crd_i_products_destroy(own_products);
        if (!done) return false;
    }
    if (all->by_pairs) {
        normal_moments_read_pairs(normal, all, chosen, SIZE_MAX);
        normal_moments_set_missing(normal);
    }
    return normal_moments_read_products(normal, all, chosen, normal->products + normal->classes * columns * columns);
}

crd_status crd_i_normal_moments_read(crd_context *context, const crd_i_joint_source *joint_source,
                                     crd_i_normal_moments *out, crd_error *error) {
    const size_t *numbers;
    size_t count = crd_i_cross_columns(joint_source->joint_tally, &numbers);
    memset(out, 0, sizeof *out);
    out->context = context;
    out->classes = joint_source->view.condition_count;
    size_t *chosen = crd_i_alloc(context, count, sizeof *chosen);
    bool by_pairs = has_incomplete(joint_source);
    crd_i_products *gathered = normal_moments_gather(context, joint_source, 0, out->classes, count, by_pairs);
    const sums all = {gathered, by_pairs, count};
    bool done = chosen != NULL && gathered != NULL && normal_moments_allocate(out, count) &&
                choose_columns(out, &all, numbers, chosen) && normal_moments_read_all(out, joint_source, &all, chosen);
    crd_i_products_destroy(gathered);
    crd_free(context, chosen);
    if (done) return CRD_OK;
    crd_i_normal_moments_clear(out);
    bool is_cancelled = crd_i_context_cancelled(context);
    return is_cancelled ? crd_i_fail_cancelled(error) : crd_i_fail_memory(error);
}
