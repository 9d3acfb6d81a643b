/* SPDX-License-Identifier: MIT */
/* normal_moments.c - means and covariances from exact sums: each is rounded once.
 *
 * Where rows are incomplete, the mean and variance of a column are those of all rows that have it, and the covariance of
 * two columns that of all rows that have both, about their means in these rows (available-case estimates, consistent
 * where cells are missing completely at random). */
#include "density/multivariate/normal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/exact/ieee754.h"
#include "stats/cross_moments.h"

#include <math.h>
#include <string.h>

/* Cells further away than this, in deviations of the whole column, are taken to be here. */
static const double FARTHEST = 0x1p300;

void crd_i_normal_moments_clear(crd_i_normal_moments *of) {
    void *const blocks[] = {of->places, of->exponents, of->centres, of->rows,
                            of->means,  of->products,  of->pairs,   of->shifts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(of->context, blocks[i]);
    memset(of, 0, sizeof *of);
}

void crd_i_normal_moments_drop_products(crd_i_normal_moments *of) {
    double **const blocks[] = {&of->products, &of->pairs, &of->shifts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        crd_free(of->context, *blocks[i]);
        *blocks[i] = NULL;
    }
}

void crd_i_normal_whole(const crd_i_normal_moments *of, double *out) {
    size_t square = of->columns * of->columns;
    for (size_t i = 0; i < square; i++) {
        double rows = of->pairs == NULL ? of->all_rows : of->pairs[of->classes * square + i];
        out[i] = rows > 0 ? of->products[of->classes * square + i] / rows : 0;
    }
}

double crd_i_normal_centred(const crd_i_normal_moments *of, size_t column, double x) {
    double away = ldexp(x / 2 - of->centres[column] / 2, 1 - of->exponents[column]);
    return away > FARTHEST ? FARTHEST : away < -FARTHEST ? -FARTHEST : away;
}

/* Sums of one class or of all, over complete rows alone or over those of each pair of columns. */
typedef struct sums {
    const crd_i_products *products; /* NULL: no rows */
    bool by_pairs;
    size_t count; /* columns of numbers */
} sums;

static crd_i_comoment_cell cell_of(const sums *of, size_t i, size_t j) {
    return of->by_pairs ? crd_i_cross_pair(of->products, of->count, i, j) : crd_i_products_cell(of->products, i, j);
}

static bool has_incomplete(const crd_i_joint_source *joint_source) {
    bool has = false;
    for (size_t k = 0; k < joint_source->view.condition_count; k++)
        has =
            has || crd_i_cross_incomplete(joint_source->joint_tally, (size_t)joint_source->view.conditions[k]) != NULL;
    return has;
}

/* Adds the rows of a class. `twice` are the columns of complete rows as incomplete ones have them. */
static bool gather_class(const crd_i_joint_source *joint_source, size_t class, bool by_pairs, const size_t *twice,
                         crd_i_products *to) {
    size_t condition = (size_t)joint_source->view.conditions[class];
    const crd_i_products *complete = crd_i_cross_products(joint_source->joint_tally, condition);
    const crd_i_products *incomplete = crd_i_cross_incomplete(joint_source->joint_tally, condition);
    if (!by_pairs) return complete == NULL || crd_i_products_combine(to, complete, 1);
    return (complete == NULL || crd_i_products_embed(to, complete, twice, 1)) &&
           (incomplete == NULL || crd_i_products_combine(to, incomplete, 1));
}

/* The rows of the classes from `first` to below `end`; NULL: out of memory. */
static crd_i_products *gather(crd_context *context, const crd_i_joint_source *joint_source, size_t first, size_t end,
                              size_t columns, bool by_pairs) {
    size_t *twice = crd_i_alloc(context, 2 * columns, sizeof *twice);
    crd_i_products *made = crd_i_products_create(context, by_pairs ? 2 * columns : columns);
    bool done = twice != NULL && made != NULL;
    for (size_t i = 0; done && i < columns; i++) twice[i] = i, twice[columns + i] = CRD_I_COLUMN_OF_ONES;
    for (size_t k = first; done && k < end; k++) done = gather_class(joint_source, k, by_pairs, twice, made);
    crd_free(context, twice);
    if (done) return made;
    crd_i_products_destroy(made);
    return NULL;
}

static bool allocate(crd_i_normal_moments *of, size_t columns) {
    size_t classes = of->classes;
    of->places = crd_i_alloc(of->context, columns, sizeof *of->places);
    of->exponents = crd_i_alloc(of->context, columns, sizeof *of->exponents);
    of->centres = crd_i_alloc_zeroed(of->context, columns, sizeof *of->centres);
    of->rows = crd_i_alloc_zeroed(of->context, classes, sizeof *of->rows);
    return of->places != NULL && of->exponents != NULL && of->centres != NULL && of->rows != NULL;
}

/* The columns that vary, with their centre and scale. `numbers` are all columns of numbers; for those that vary, which
 * of them. */
static bool choose_columns(crd_i_normal_moments *of, const sums *all, const size_t *numbers, size_t *chosen) {
    for (size_t i = 0; i < all->count; i++) {
        crd_i_comoment_cell cell = cell_of(all, i, i);
        crd_i_signed variance;
        bool defined;
        if (!crd_i_comoments_covariance(cell, false, &variance, &defined)) {
            if (!defined) continue;
            return false;
        }
        if (variance.sign <= 0) continue;
        size_t at = of->columns++;
        chosen[at] = i;
        of->places[at] = numbers[i];
        of->exponents[at] = (int)((variance.size.exponent - (variance.size.exponent < 0)) / 2);
        if (!crd_i_comoments_mean(cell, &of->centres[at], NULL, &defined)) return false;
    }
    return true;
}

/* Sums of products of deviations, scaled as the columns are; false also where it was cancelled. */
static bool read_products(const crd_i_normal_moments *of, const sums *from, const size_t *chosen, double *out) {
    size_t columns = of->columns;
    for (size_t i = 0; i < columns; i++) {
        if (crd_i_context_cancelled(of->context)) return false;
        for (size_t j = i; j < columns; j++) {
            crd_i_signed sum;
            if (!crd_i_comoments_deviations(cell_of(from, chosen[i], chosen[j]), &sum)) return false;
            sum.size.exponent -= of->exponents[i] + of->exponents[j];
            out[i * columns + j] = out[j * columns + i] = crd_i_signed_value(sum);
        }
    }
    return true;
}

/* s - n c of a cell, exactly, where s is the sum of its column and c a number. */
static bool shift_sum(crd_i_sums *room, crd_i_sums *count, crd_i_comoment_cell cell, double c) {
    if (!crd_i_sums_extend(room, 1) || !crd_i_sums_extend(count, 1) ||
        !crd_i_sums_combine(room, 0, cell.s, cell.s_cell, 1) || !crd_i_sums_combine(count, 0, cell.n, cell.n_cell, 1))
        return false;
    /* Weights may sum to more digits than a double has, though not to many more. */
    for (int part = 0; part < 3; part++) {
        double n = crd_i_sums_value(count, 0);
        if (!crd_i_sums_add(count, 0, -n) || !crd_i_sums_add_product(room, 0, -n, c)) return false;
    }
    return true;
}

/* The mean of a column of a class less its centre, rounded once. */
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

/* The rows that have both of two columns, of a class or (SIZE_MAX) of all. */
static void read_pairs(crd_i_normal_moments *of, const sums *from, const size_t *chosen, size_t class) {
    size_t columns = of->columns;
    double *pairs = of->pairs + (class == SIZE_MAX ? of->classes : class) * columns * columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            crd_i_comoment_cell cell = cell_of(from, chosen[i], chosen[j]);
            pairs[i * columns + j] = crd_i_sums_value(cell.n, cell.n_cell);
        }
}

static bool read_shifts(crd_i_normal_moments *of, const sums *from, const size_t *chosen, size_t class) {
    size_t columns = of->columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            size_t at = (class * columns + i) * columns + j;
            if (!(of->pairs[at] > 0) || i == j) continue;
            double mean;
            if (!mean_from_centre(of->context, cell_of(from, chosen[i], chosen[j]), of->centres[i], &mean))
                return false;
            of->shifts[at] = of->pairs[at] * (ldexp(mean, -of->exponents[i]) - of->means[class * columns + i]);
        }
    return true;
}

static bool read_class(crd_i_normal_moments *of, const sums *from, const size_t *chosen, size_t class) {
    size_t columns = of->columns;
    of->rows[class] = crd_i_sums_value(crd_i_products_total(from->products), 0);
    if (of->pairs != NULL) read_pairs(of, from, chosen, class);
    for (size_t i = 0; i < columns; i++) {
        crd_i_comoment_cell cell = cell_of(from, chosen[i], chosen[i]);
        double mean;
        if (crd_i_sums_sign(cell.n, cell.n_cell) <= 0) continue; /* the overall mean is that of the class, too */
        if (!mean_from_centre(of->context, cell, of->centres[i], &mean)) return false;
        of->means[class * columns + i] = ldexp(mean, -of->exponents[i]);
    }
    if (of->pairs != NULL && !read_shifts(of, from, chosen, class)) return false;
    return read_products(of, from, chosen, of->products + class * columns * columns);
}

static void set_missing(crd_i_normal_moments *of) {
    size_t columns = of->columns;
    const double *pairs = of->pairs + of->classes * columns * columns;
    double fewest = INFINITY, most = 0;
    for (size_t i = 0; i < columns * columns; i++) {
        fewest = fmin(fewest, pairs[i]);
        most = fmax(most, pairs[i]);
    }
    of->missing = most > 0 ? 1 - fewest / most : 0;
}

static bool allocate_moments(crd_i_normal_moments *of, bool by_pairs) {
    size_t columns = of->columns, square = columns * columns;
    of->means = crd_i_alloc_zeroed(of->context, of->classes, columns * sizeof *of->means);
    of->products = crd_i_alloc_zeroed(of->context, of->classes + 1, square * sizeof *of->products);
    if (of->means == NULL || of->products == NULL) return false;
    if (!by_pairs) return true;
    of->pairs = crd_i_alloc_zeroed(of->context, of->classes + 1, square * sizeof *of->pairs);
    of->shifts = crd_i_alloc_zeroed(of->context, of->classes, square * sizeof *of->shifts);
    return of->pairs != NULL && of->shifts != NULL;
}

static void count_rows(crd_i_normal_moments *of, const crd_i_joint_source *joint_source) {
    for (size_t k = 0; k < of->classes; k++) {
        size_t condition = (size_t)joint_source->view.conditions[k];
        const crd_i_products *incomplete = crd_i_cross_incomplete(joint_source->joint_tally, condition);
        double used = incomplete == NULL ? 0 : crd_i_sums_value(crd_i_products_total(incomplete), 0);
        of->incomplete += used;
        of->left_out += crd_i_cross_left_out(joint_source->joint_tally, condition) - used;
    }
}

static bool read_all(crd_i_normal_moments *of, const crd_i_joint_source *joint_source, const sums *all,
                     const size_t *chosen) {
    size_t columns = of->columns;
    of->all_rows = crd_i_sums_value(crd_i_products_total(all->products), 0);
    if (!allocate_moments(of, all->by_pairs)) return false;
    count_rows(of, joint_source);
    for (size_t k = 0; k < of->classes; k++) {
        crd_i_products *own = gather(of->context, joint_source, k, k + 1, all->count, all->by_pairs);
        bool done = own != NULL &&
                    (crd_i_products_is_zero(own) || read_class(of, &(sums){own, all->by_pairs, all->count}, chosen, k));
        crd_i_products_destroy(own);
        if (!done) return false;
    }
    if (all->by_pairs) {
        read_pairs(of, all, chosen, SIZE_MAX);
        set_missing(of);
    }
    return read_products(of, all, chosen, of->products + of->classes * columns * columns);
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
    crd_i_products *gathered = gather(context, joint_source, 0, out->classes, count, by_pairs);
    const sums all = {gathered, by_pairs, count};
    bool done = chosen != NULL && gathered != NULL && allocate(out, count) &&
                choose_columns(out, &all, numbers, chosen) && read_all(out, joint_source, &all, chosen);
    crd_i_products_destroy(gathered);
    crd_free(context, chosen);
    if (done) return CRD_OK;
    crd_i_normal_moments_clear(out);
    bool is_cancelled = crd_i_context_cancelled(context);
    return is_cancelled ? crd_i_fail_cancelled(error) : crd_i_fail_memory(error);
}
