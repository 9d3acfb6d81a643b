/* SPDX-License-Identifier: MIT */
/* normal_moments.c - means and covariances of complete rows, from exact sums: each is rounded once. */
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
    void *const blocks[] = {of->places, of->exponents, of->centres, of->rows, of->means, of->products};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(of->context, blocks[i]);
    memset(of, 0, sizeof *of);
}

double crd_i_normal_centred(const crd_i_normal_moments *of, size_t column, double x) {
    double away = ldexp(x / 2 - of->centres[column] / 2, 1 - of->exponents[column]);
    return away > FARTHEST ? FARTHEST : away < -FARTHEST ? -FARTHEST : away;
}

static const crd_i_products *products_of(const crd_i_joint_source *joint_source, size_t class) {
    return crd_i_cross_products(joint_source->joint_tally, (size_t)joint_source->view.conditions[class]);
}

/* All complete rows together; NULL: out of memory. */
static crd_i_products *gather(crd_context *context, const crd_i_joint_source *joint_source, size_t columns) {
    crd_i_products *all = crd_i_products_create(context, columns);
    for (size_t k = 0; all != NULL && k < joint_source->view.condition_count; k++) {
        const crd_i_products *own = products_of(joint_source, k);
        if (own == NULL || crd_i_products_combine(all, own, 1)) continue;
        crd_i_products_destroy(all);
        all = NULL;
    }
    return all;
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
static bool choose_columns(crd_i_normal_moments *of, const crd_i_products *all, const size_t *numbers, size_t count,
                           size_t *chosen) {
    for (size_t i = 0; i < count; i++) {
        crd_i_comoment_cell cell = crd_i_products_cell(all, i, i);
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
static bool read_products(const crd_i_normal_moments *of, const crd_i_products *from, const size_t *chosen,
                          double *out) {
    size_t columns = of->columns;
    for (size_t i = 0; i < columns; i++) {
        if (crd_i_context_cancelled(of->context)) return false;
        for (size_t j = i; j < columns; j++) {
            crd_i_signed sum;
            if (!crd_i_comoments_deviations(crd_i_products_cell(from, chosen[i], chosen[j]), &sum)) return false;
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

static bool read_class(crd_i_normal_moments *of, const crd_i_products *from, const size_t *chosen, size_t class) {
    size_t columns = of->columns;
    of->rows[class] = crd_i_sums_value(crd_i_products_total(from), 0);
    for (size_t i = 0; i < columns; i++) {
        crd_i_comoment_cell cell = crd_i_products_cell(from, chosen[i], chosen[i]);
        double mean;
        if (!mean_from_centre(of->context, cell, of->centres[i], &mean)) return false;
        of->means[class * columns + i] = ldexp(mean, -of->exponents[i]);
    }
    return read_products(of, from, chosen, of->products + class * columns * columns);
}

static bool read_all(crd_i_normal_moments *of, const crd_i_joint_source *joint_source, const crd_i_products *all,
                     const size_t *chosen) {
    size_t columns = of->columns;
    of->all_rows = crd_i_sums_value(crd_i_products_total(all), 0);
    of->means = crd_i_alloc_zeroed(of->context, of->classes, columns * sizeof *of->means);
    of->products = crd_i_alloc_zeroed(of->context, of->classes + 1, columns * columns * sizeof *of->products);
    if (of->means == NULL || of->products == NULL) return false;
    for (size_t k = 0; k < of->classes; k++) {
        const crd_i_products *own = products_of(joint_source, k);
        if (own != NULL && !read_class(of, own, chosen, k)) return false;
        of->left_out += crd_i_cross_left_out(joint_source->joint_tally, (size_t)joint_source->view.conditions[k]);
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
    crd_i_products *all = gather(context, joint_source, count);
    bool done = chosen != NULL && all != NULL && allocate(out, count) &&
                choose_columns(out, all, numbers, count, chosen) && read_all(out, joint_source, all, chosen);
    crd_i_products_destroy(all);
    crd_free(context, chosen);
    if (done) return CRD_OK;
    crd_i_normal_moments_clear(out);
    bool is_cancelled = crd_i_context_cancelled(context);
    return is_cancelled ? crd_i_fail_cancelled(error) : crd_i_fail_memory(error);
}
