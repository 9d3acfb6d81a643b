/* SPDX-License-Identifier: MIT */
/* normal_covariance_selection.c - chooses the shape of normal densities by the cross-validated log loss of the classes.
 *
 * For a classifier, it matters less how well a density describes the rows than how well its posteriors predict the
 * class. Real rows have longer tails than the normal density, so the most likely covariances give posteriors that are
 * far too confident. Therefore the shape minimizes the log loss of
 *
 *   P(class | x) ~ rows of the class * t(x; mean, C, degrees)^exponent
 *
 * over the stored rows by FOLDS-fold cross-validation: each fold is predicted from the moments without it. These
 * moments are the exact ones minus the products of the fold, so nothing is learned again.
 *
 * The search is a descent on the grids below, from a few starting points. These include linear and quadratic
 * discriminant analysis. Each descent moves to better neighbors until no neighbor is better. With many rows, the
 * descents use only a part of the rows; one more descent from the best result uses all of them. The result is not the
 * best shape, but the mean of all evaluated shapes, weighted by the likelihood of the classes under each shape. With
 * few rows, this mean is a better estimate than the best of many shapes.
 *
 * If the moments have sums of incomplete rows, incomplete rows are held out and predicted too, each by the marginal
 * density of its present cells.
 *
 * Contents:
 *   1. Rows
 *   2. Moments without a fold
 *   3. Evaluation
 *   4. Search
 *   5. Entry point */
#include "density/multivariate/joint_density.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/elementary.h"
#include "stats/joint_tally.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 5 };
/* Limits: the size of the moments of all folds; the cost of one shape, in products of cells and factors; and the number
 * of rows. Above the first limit, no shape is fitted. Above the second limit, fewer rows are used. */
enum { MOST_NUMBERS = 1 << 22, MOST_PRODUCTS = 1 << 25, FEWEST_ROWS = 512, MOST_ROWS = 8192 };
/* The minimum number of rows if some are incomplete. Each incomplete row needs its own factor, so fewer rows are
 * used. */
enum { FEWEST_INCOMPLETE = 128 };
/* The minimum relative decrease of the loss that counts as an improvement. */
static const double NOTABLE = 1e-7;

static const double SHARED[] = {0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.6, 0.8, 0.9, 0.97, 1};
static const double DIAGONAL[] = {0, 0.003, 0.01, 0.03, 0.1, 0.2, 0.35, 0.6, 1};
static const double DEGREES[] = {1, 2, 3, 5, 8, 14, 30, 100, INFINITY};
static const double EXPONENT[] = {0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { TO_SHARED, TO_DIAGONAL, OF_DEGREES, OF_EXPONENT, COORDINATES };
static const double *const GRIDS[COORDINATES] = {SHARED, DIAGONAL, DEGREES, EXPONENT};
static const size_t LENGTHS[COORDINATES] = {LENGTH(SHARED), LENGTH(DIAGONAL), LENGTH(DEGREES), LENGTH(EXPONENT)};

/* Starting points of the descents, as indices into the grids: shared and full covariances with the tails of the normal
 * density, and a cautious mixture of them. */
static const size_t BEGINNINGS[][COORDINATES] = {{LENGTH(SHARED) - 1, 0, LENGTH(DEGREES) - 1, LENGTH(EXPONENT) - 1},
                                                 {0, 0, LENGTH(DEGREES) - 1, LENGTH(EXPONENT) - 1},
                                                 {3, 3, 4, 6}};
/* With more rows than this, the first descents use only a part of them. */
enum { MANY_ROWS = 2048 };
/* From these degrees of freedom on, Student's t is replaced by the normal density. */
static const double MOST_DEGREES = 1e6;

/* Sums for the mean of the evaluated shapes. Weights are likelihoods relative to the best shape's likelihood. */
typedef struct mean_shape {
    double least_loss, weight, to_shared, to_diagonal, inverse_degrees, exponent;
} mean_shape;

/* Distances and determinants under one shape of the covariances. */
typedef struct selection_measures {
    double *squares;      /* for each row and class: the squared Mahalanobis distance from the class's mean */
    double *determinants; /* for each fold and class (by pairs: for each row and class): half the log determinant */
} selection_measures;

typedef struct selection_fitting {
    const crd_i_normal_moments *moments;
    const crd_i_normal_rules *rules;
    size_t classes, columns;
    size_t ends[FOLDS]; /* for each fold: the end of its rows */
    size_t one_of;      /* only one of this many rows of a fold is evaluated */
    bool by_pairs;      /* there are incomplete rows */
    double *cells;      /* for each row: its centered cells; NaN: missing */
    double *weights;
    size_t *row_classes;
    double *log_priors;
    double *rows, *means, *products; /* moments without each fold, class by class */
    double *pairs;                   /* rows in each sum of products, without each fold; NULL: all rows */
    double *whole;                   /* covariance of all rows */
    crd_i_normal_matrix pooled, matrix, part;
    size_t *present; /* room for the columns of a row */
    selection_measures now, then;
    mean_shape mean;
    double *workspace; /* for a row, and for the classes */
} selection_fitting;

/* ======== 1. Rows ======== */

static size_t begin_of(const selection_fitting *fit, size_t fold) {
    return fold == 0 ? 0 : fit->ends[fold - 1];
}

/* Returns the end of the evaluated rows of a fold, which are its first part. */
static size_t asked_end(const selection_fitting *fit, size_t fold) {
    size_t begin = begin_of(fit, fold), rows = fit->ends[fold] - begin;
    return begin + (rows + fit->one_of - 1) / fit->one_of;
}

static size_t numbers_of(const crd_i_normal_moments *moments) {
    return FOLDS * moments->classes * moments->columns * moments->columns;
}

bool crd_i_normal_can_fit(const crd_i_normal_moments *moments, const crd_i_joint_source *joint_source) {
    if (joint_source->rows == NULL || joint_source->rows->rows == 0 || moments->columns == 0) return false;
    return moments->columns <= MOST_NUMBERS / FOLDS / moments->classes / moments->columns;
}

/* Returns the number of rows to use, within the limits above. */
static size_t rows_to_ask(const crd_i_normal_moments *moments, const crd_i_joint_tally_rows *rows) {
    size_t columns = moments->columns, fewest = moments->pairs == NULL ? FEWEST_ROWS : FEWEST_INCOMPLETE;
    size_t most = MOST_PRODUCTS / (moments->classes * columns * (columns + 8));
    if (moments->pairs != NULL) most /= 1 + columns / 3;
    if (most > MOST_ROWS) most = MOST_ROWS;
    if (most < fewest) most = fewest;
    return most < rows->rows ? most : rows->rows;
}

static bool covariance_selection_is_present(const crd_i_joint_source *joint_source, size_t column, size_t row) {
    const crd_i_cells *cells = &joint_source->rows->columns[column];
    return cells->numbers != NULL && crd_i_number_present(cells, row);
}

/* Returns whether a row is included in the moments and can be evaluated. By pairs, a row needs at least one cell;
 * otherwise, it must be complete. */
static bool covariance_selection_is_asked(const selection_fitting *fit, const crd_i_joint_source *joint_source,
                                          size_t row) {
    const size_t *numbers;
    size_t count = crd_i_cross_columns(joint_source->joint_tally, &numbers), present = 0;
    if (joint_source->rows->conditions[row] < 0) return false;
    for (size_t i = 0; !fit->by_pairs && i < count; i++)
        if (!covariance_selection_is_present(joint_source, numbers[i], row)) return false;
    for (size_t i = 0; fit->by_pairs && i < fit->columns; i++)
        present += covariance_selection_is_present(joint_source, fit->moments->places[i], row);
    return !fit->by_pairs || present > 0;
}

/* Distributes the rows of each class over the folds in turn, and copies their cells, weights and classes. false: out of
 * memory. */
static bool covariance_selection_deal(selection_fitting *fit, const crd_i_joint_source *joint_source, size_t count) {
    const crd_i_joint_tally_rows *rows = joint_source->rows;
    crd_context *context = fit->moments->context;
    size_t *turns = crd_i_alloc_zeroed(context, fit->classes, sizeof *turns), index = 0;
    uint8_t *folds = crd_i_alloc(context, count, sizeof *folds);
    for (size_t row = 0; turns != NULL && folds != NULL && row < count; row++)
        folds[row] = covariance_selection_is_asked(fit, joint_source, row)
                         ? (uint8_t)(turns[rows->conditions[row]]++ % FOLDS)
                         : FOLDS;
    for (size_t fold = 0; turns != NULL && folds != NULL && fold < FOLDS; fold++) {
        for (size_t row = 0; row < count; row++) {
            if (folds[row] != fold) continue;
            for (size_t i = 0; i < fit->columns; i++) {
                size_t place = fit->moments->places[i];
                fit->cells[index * fit->columns + i] =
                    covariance_selection_is_present(joint_source, place, row)
                        ? crd_i_normal_centerd(fit->moments, i, rows->columns[place].numbers[row])
                        : (double)NAN;
            }
            fit->weights[index] = rows->weights == NULL ? 1 : rows->weights[row];
            fit->row_classes[index++] = (size_t)rows->conditions[row];
        }
        fit->ends[fold] = index;
    }
    bool done = turns != NULL && folds != NULL;
    crd_free(context, turns);
    crd_free(context, folds);
    return done;
}

/* ======== 2. Moments without a fold ======== */

/* Removes held-out rows from the moments of one class. `weight` is the sum of their weights, `deviations` is the
 * weighted sum d of their deviations from the class's mean. Their products are already subtracted from `products`. The
 * mean moves by -d / n, where n is the weight of the remaining rows. */
static void covariance_selection_take_out(const selection_fitting *fit, size_t class, double weight,
                                          const double *deviations, double *rows, double *means, double *products) {
    size_t columns = fit->columns;
    double left = *rows - weight;
    if (!(left > 0)) {
        *rows = 0;
        memset(means, 0, columns * sizeof *means);
        return;
    }
    *rows = left;
    for (size_t i = 0; i < columns; i++) {
        means[i] = fit->moments->means[class * columns + i] - deviations[i] / left;
        for (size_t j = 0; j < columns; j++) products[i * columns + j] -= deviations[i] * deviations[j] / left;
    }
}

/* Computes the moments without a fold, from complete rows. */
static void covariance_selection_leave_out(selection_fitting *fit, size_t fold) {
    const crd_i_normal_moments *moments = fit->moments;
    size_t columns = fit->columns, classes = fit->classes;
    double *products = fit->products + fold * classes * columns * columns, *deviations = fit->workspace,
           *sums = deviations + columns;
    memcpy(products, moments->products, classes * columns * columns * sizeof *products);
    for (size_t k = 0; k < classes; k++) {
        double *entries = products + k * columns * columns, weight = 0;
        memset(sums, 0, columns * sizeof *sums);
        for (size_t row = begin_of(fit, fold); row < fit->ends[fold]; row++) {
            if (fit->row_classes[row] != k) continue;
            weight += fit->weights[row];
            for (size_t i = 0; i < columns; i++) {
                deviations[i] = fit->cells[row * columns + i] - moments->means[k * columns + i];
                sums[i] += fit->weights[row] * deviations[i];
            }
            for (size_t i = 0; i < columns; i++)
                for (size_t j = 0; j < columns; j++)
                    entries[i * columns + j] -= fit->weights[row] * deviations[i] * deviations[j];
        }
        double *rows = &fit->rows[fold * classes + k];
        *rows = moments->rows[k];
        covariance_selection_take_out(fit, k, weight, sums, rows, fit->means + (fold * classes + k) * columns, entries);
    }
}

/* Subtracts the held-out rows of a class from three sums for each pair of columns. These are the weight n_ij of the
 * rows, the sum s_ij of the first column's deviations over them, and the sum q_ij of products. All deviations are from
 * the class's means before the removal. */
static void take_out_pairs(const selection_fitting *fit, size_t fold, size_t class, double *pairs, double *sums,
                           double *products) {
    size_t columns = fit->columns;
    const double *mean = fit->moments->means + class * columns;
    for (size_t row = begin_of(fit, fold); row < fit->ends[fold]; row++) {
        const double *x = fit->cells + row * columns;
        double weight = fit->weights[row];
        if (fit->row_classes[row] != class) continue;
        for (size_t i = 0; i < columns; i++)
            for (size_t j = 0; !isnan(x[i]) && j < columns; j++) {
                if (isnan(x[j])) continue;
                pairs[i * columns + j] -= weight;
                sums[i * columns + j] -= weight * (x[i] - mean[i]);
                products[i * columns + j] -= weight * ((x[i] - mean[i]) * (x[j] - mean[j]));
            }
    }
}

/* Computes the moments without a fold by pairs of columns. The sum of products about the means of the remaining rows is
 * q_ij - s_ij s_ji / n_ij. */
static void leave_out_pairs(selection_fitting *fit, size_t fold) {
    const crd_i_normal_moments *moments = fit->moments;
    size_t columns = fit->columns, classes = fit->classes, square = columns * columns;
    double *sums = fit->part.cells;
    for (size_t k = 0; k < classes; k++) {
        size_t index = (fold * classes + k) * square;
        double *pairs = fit->pairs + index, *products = fit->products + index, *means = fit->means + index / columns;
        memcpy(pairs, moments->pairs + k * square, square * sizeof *pairs);
        memcpy(sums, moments->shifts + k * square, square * sizeof *sums);
        for (size_t i = 0; i < columns; i++)
            for (size_t j = 0; j < columns; j++) {
                size_t cell = i * columns + j;
                double shift = pairs[cell] > 0 ? sums[cell] * sums[j * columns + i] / pairs[cell] : 0;
                products[cell] = moments->products[k * square + cell] + shift;
            }
        take_out_pairs(fit, fold, k, pairs, sums, products);
        for (size_t i = 0; i < columns; i++) {
            double mean = moments->means[k * columns + i], left = pairs[i * columns + i];
            means[i] = left > 0 ? mean + sums[i * columns + i] / left : 0;
            for (size_t j = 0; j < columns; j++) {
                size_t cell = i * columns + j;
                if (pairs[cell] > 0) products[cell] -= sums[cell] * sums[j * columns + i] / pairs[cell];
                else pairs[cell] = products[cell] = 0;
            }
        }
        double left = moments->rows[k];
        for (size_t row = begin_of(fit, fold); row < fit->ends[fold]; row++)
            if (fit->row_classes[row] == k) left -= fit->weights[row];
        fit->rows[fold * classes + k] = left > 0 ? left : 0;
    }
}

/* ======== 3. Evaluation ======== */

/* Computes distances and determinants row by row, each for the present columns of the row. */
static void measure_parts(selection_fitting *fit, const double *mean, size_t begin, size_t end, size_t class,
                          selection_measures *out) {
    size_t columns = fit->columns;
    for (size_t row = begin; row < end; row++) {
        const double *x = fit->cells + row * columns;
        size_t count = 0, index = row * fit->classes + class;
        const crd_i_normal_matrix *matrix = &fit->matrix;
        for (size_t i = 0; i < columns; i++) {
            if (isnan(x[i])) continue;
            fit->workspace[count] = x[i] - mean[i];
            fit->present[count++] = i;
        }
        if (count < columns) {
            crd_i_normal_part(&fit->matrix, columns, fit->present, count, &fit->part);
            matrix = &fit->part;
        }
        out->squares[index] = crd_i_factor_squares(matrix->cells, count, fit->workspace);
        out->determinants[index] = matrix->half_log_determinant;
    }
}

/* Computes the squared distances of rows from a class's mean, LANES rows at a time, and the remaining rows one by
 * one. */
static void measure_rows(const selection_fitting *fit, const double *mean, size_t begin, size_t end, size_t class,
                         double *out) {
    enum { LANES = CRD_I_FACTOR_LANES };
    size_t columns = fit->columns, row = begin;
    for (; row + LANES <= end; row += LANES) {
        double squares[LANES];
        for (size_t worker = 0; worker < LANES; worker++)
            for (size_t i = 0; i < columns; i++)
                fit->workspace[i * LANES + worker] = fit->cells[(row + worker) * columns + i] - mean[i];
        crd_i_factor_squares_of_many(fit->matrix.cells, columns, fit->workspace, squares);
        for (size_t worker = 0; worker < LANES; worker++) out[(row + worker) * fit->classes + class] = squares[worker];
    }
    for (; row < end; row++) {
        for (size_t i = 0; i < columns; i++) fit->workspace[i] = fit->cells[row * columns + i] - mean[i];
        out[row * fit->classes + class] = crd_i_factor_squares(fit->matrix.cells, columns, fit->workspace);
    }
}

/* Computes the distances and determinants of all evaluated rows under a shape, each fold with the moments without
 * it. */
static void covariance_selection_measure(selection_fitting *fit, const crd_i_normal_shape *shape,
                                         selection_measures *out) {
    size_t columns = fit->columns, classes = fit->classes;
    for (size_t fold = 0; fold < FOLDS; fold++) {
        size_t begin = begin_of(fit, fold), end = asked_end(fit, fold), first = fold * classes * columns * columns;
        const crd_i_normal_source source = {classes,
                                            columns,
                                            fit->rows + fold * classes,
                                            fit->products + first,
                                            fit->by_pairs ? fit->pairs + first : NULL,
                                            fit->whole,
                                            fit->moments->all_rows,
                                            fit->moments->missing};
        crd_i_normal_pool(&source, fit->rules, &fit->pooled);
        for (size_t k = 0; k < classes; k++) {
            crd_i_normal_of_class(&source, fit->rules, &fit->pooled, shape, k, &fit->matrix);
            const double *mean = fit->means + (fold * classes + k) * columns;
            if (fit->by_pairs) {
                measure_parts(fit, mean, begin, end, k, out);
                continue;
            }
            out->determinants[fold * classes + k] = fit->matrix.half_log_determinant;
            measure_rows(fit, mean, begin, end, k, out->squares);
        }
    }
}

/* Returns the number of present cells of a row. */
static size_t columns_of(const selection_fitting *fit, size_t row) {
    size_t count = 0;
    for (size_t i = 0; i < fit->columns; i++) count += isnan(fit->cells[row * fit->columns + i]) ? 0 : 1;
    return count;
}

/* Returns the log loss of a shape: the sum of -log P(class | row) over all evaluated rows. */
static double loss_of(const selection_fitting *fit, const crd_i_normal_shape *shape,
                      const selection_measures *measures) {
    size_t classes = fit->classes;
    double loss = 0, *logs = fit->workspace;
    for (size_t fold = 0; fold < FOLDS; fold++)
        for (size_t row = begin_of(fit, fold); row < asked_end(fit, fold); row++) {
            size_t columns = fit->by_pairs ? columns_of(fit, row) : fit->columns;
            for (size_t k = 0; k < classes; k++) {
                double fall = crd_i_normal_fall(measures->squares[row * classes + k], columns, shape->degrees);
                double determinant = measures->determinants[(fit->by_pairs ? row : fold) * classes + k];
                logs[k] = fit->log_priors[k] - shape->exponent * (determinant + fall);
            }
            loss += fit->weights[row] * (crd_i_log_sum_exp(logs, classes) - logs[fit->row_classes[row]]);
        }
    return loss;
}

/* ======== 4. Search ======== */

static void covariance_selection_set(crd_i_normal_shape *shape, size_t coordinate, size_t index) {
    double *const parts[COORDINATES] = {&shape->to_shared, &shape->to_diagonal, &shape->degrees, &shape->exponent};
    *parts[coordinate] = GRIDS[coordinate][index];
}

static const mean_shape nothing_asked = {.least_loss = INFINITY};

/* Adds an evaluated shape to the mean. If it is the best shape so far, rescales the sums to its likelihood. */
static void covariance_selection_note(mean_shape *target_shape, const crd_i_normal_shape *shape, double loss) {
    if (!(loss < INFINITY)) return;
    double weight = 1;
    if (loss < target_shape->least_loss) {
        double before = crd_exp(loss - target_shape->least_loss);
        target_shape->least_loss = loss;
        target_shape->weight *= before;
        target_shape->to_shared *= before;
        target_shape->to_diagonal *= before;
        target_shape->inverse_degrees *= before;
        target_shape->exponent *= before;
    } else {
        weight = crd_exp(target_shape->least_loss - loss);
    }
    target_shape->weight += weight;
    target_shape->to_shared += weight * shape->to_shared;
    target_shape->to_diagonal += weight * shape->to_diagonal;
    target_shape->inverse_degrees += weight / shape->degrees;
    target_shape->exponent += weight * shape->exponent;
}

/* Sets the shape to the mean of the evaluated shapes. Leaves it unchanged if no shape was evaluated. */
static void take_mean(const mean_shape *source_shape, crd_i_normal_shape *shape) {
    if (!(source_shape->weight > 0)) return;
    double degrees = source_shape->weight / source_shape->inverse_degrees;
    shape->to_shared = fmin(source_shape->to_shared / source_shape->weight, 1);
    shape->to_diagonal = fmin(source_shape->to_diagonal / source_shape->weight, 1);
    shape->degrees = degrees < MOST_DEGREES ? degrees : INFINITY;
    shape->exponent = fmin(source_shape->exponent / source_shape->weight, 1);
}

/* Moves to a neighbor on the grid if its loss is lower, and returns whether it moved. After cancellation, no neighbor
 * is accepted, so the search ends. */
static bool covariance_selection_try(selection_fitting *fit, size_t coordinate, size_t limit, size_t *cursor,
                                     crd_i_normal_shape *shape, double *loss) {
    crd_i_normal_shape next = *shape;
    bool of_matrix = coordinate == TO_SHARED || coordinate == TO_DIAGONAL;
    if (crd_i_context_cancelled(fit->moments->context)) return false;
    covariance_selection_set(&next, coordinate, limit);
    if (of_matrix) covariance_selection_measure(fit, &next, &fit->then);
    double result = loss_of(fit, &next, of_matrix ? &fit->then : &fit->now);
    covariance_selection_note(&fit->mean, &next, result);
    if (!(result < *loss - NOTABLE * *loss)) return false;
    if (of_matrix) {
        selection_measures swapped = fit->now;
        fit->now = fit->then;
        fit->then = swapped;
    }
    *shape = next;
    *cursor = limit;
    *loss = result;
    return true;
}

/* Descends along each free coordinate in turn until no neighbor is better. Returns the final loss. */
static double covariance_selection_descend(selection_fitting *fit, const bool *is_free, size_t *cursor,
                                           crd_i_normal_shape *shape) {
    covariance_selection_measure(fit, shape, &fit->now);
    double loss = loss_of(fit, shape, &fit->now);
    covariance_selection_note(&fit->mean, shape, loss);
    for (bool better = true; better;) {
        better = false;
        for (size_t c = 0; c < COORDINATES; c++) {
            if (!is_free[c]) continue;
            bool up = false;
            while (cursor[c] + 1 < LENGTHS[c] &&
                   covariance_selection_try(fit, c, cursor[c] + 1, &cursor[c], shape, &loss))
                up = true;
            bool down = false;
            while (!up && cursor[c] > 0 && covariance_selection_try(fit, c, cursor[c] - 1, &cursor[c], shape, &loss))
                down = true;
            better = better || up || down;
        }
    }
    return loss;
}

/* Searches from all starting points, and sets *shape to the weighted mean of the evaluated shapes. */
static void covariance_selection_search(selection_fitting *fit, crd_i_normal_free wanted, crd_i_normal_shape *shape) {
    const bool is_free[COORDINATES] = {wanted.to_shared, wanted.to_diagonal, wanted.tails, wanted.tails};
    crd_i_normal_shape best = *shape;
    size_t best_at[COORDINATES] = {0};
    double least = INFINITY;
    fit->one_of = fit->ends[FOLDS - 1] > MANY_ROWS ? 4 : 1;
    fit->mean = nothing_asked;
    for (size_t i = 0; i < LENGTH(BEGINNINGS); i++) {
        crd_i_normal_shape normal = *shape;
        size_t cursor[COORDINATES];
        memcpy(cursor, BEGINNINGS[i], sizeof cursor);
        for (size_t c = 0; c < COORDINATES; c++)
            if (is_free[c]) covariance_selection_set(&normal, c, cursor[c]);
        double loss = covariance_selection_descend(fit, is_free, cursor, &normal);
        if (!(loss < least)) continue;
        least = loss;
        best = normal;
        memcpy(best_at, cursor, sizeof cursor);
    }
    if (fit->one_of > 1) {
        fit->one_of = 1;
        fit->mean = nothing_asked;
        covariance_selection_descend(fit, is_free, best_at, &best);
    }
    take_mean(&fit->mean, shape);
}

/* ======== 5. Entry point ======== */

static void covariance_selection_clear(crd_context *context, selection_fitting *fit) {
    void *const blocks[] = {fit->cells,        fit->weights,
                            fit->row_classes,  fit->log_priors,
                            fit->rows,         fit->means,
                            fit->products,     fit->whole,
                            fit->pooled.cells, fit->pooled.variances,
                            fit->matrix.cells, fit->matrix.variances,
                            fit->now.squares,  fit->now.determinants,
                            fit->then.squares, fit->then.determinants,
                            fit->pairs,        fit->part.cells,
                            fit->present,      fit->part.variances,
                            fit->workspace};
    for (size_t i = 0; i < LENGTH(blocks); i++) crd_free(context, blocks[i]);
}

/* Allocates the arrays for `count` rows. Returns false if memory runs out; the caller clears `fit` in both cases. */
static bool covariance_selection_allocate(crd_context *context, selection_fitting *fit, size_t count) {
    size_t columns = fit->columns, classes = fit->classes, square = columns * columns;
    size_t determinants = fit->by_pairs ? count * classes : FOLDS * classes;
    struct {
        double **block;
        size_t count;
    } const wanted[] = {
        {&fit->cells, count * columns},
        {&fit->weights, count},
        {&fit->log_priors, classes},
        {&fit->rows, FOLDS * classes},
        {&fit->means, FOLDS * classes * columns},
        {&fit->products, numbers_of(fit->moments)},
        {&fit->whole, square},
        {&fit->pooled.cells, square},
        {&fit->pooled.variances, columns},
        {&fit->matrix.cells, square},
        {&fit->matrix.variances, columns},
        {&fit->now.squares, count * classes},
        {&fit->now.determinants, determinants},
        {&fit->then.squares, count * classes},
        {&fit->then.determinants, determinants},
        {&fit->pairs, fit->by_pairs ? numbers_of(fit->moments) : 0},
        {&fit->part.cells, fit->by_pairs ? square : 0},
        {&fit->part.variances, fit->by_pairs ? columns : 0},
        {&fit->workspace, CRD_I_FACTOR_LANES * columns + classes},
    };
    fit->row_classes = crd_i_alloc(context, count, sizeof *fit->row_classes);
    fit->present = crd_i_alloc(context, columns, sizeof *fit->present);
    bool done = fit->row_classes != NULL && fit->present != NULL;
    for (size_t i = 0; i < LENGTH(wanted); i++) {
        *wanted[i].block = crd_i_alloc(context, wanted[i].count, sizeof(double));
        done = done && *wanted[i].block != NULL;
    }
    return done;
}

crd_status crd_i_normal_fit(const crd_i_normal_moments *moments, const crd_i_joint_source *joint_source,
                            const crd_i_normal_rules *rules, const crd_settings *settings, crd_i_normal_free wanted,
                            crd_i_normal_shape *shape, crd_error *error) {
    size_t columns = moments->columns, classes = moments->classes, count = rows_to_ask(moments, joint_source->rows);
    crd_context *context = moments->context;
    selection_fitting fit = {
        .moments = moments, .rules = rules, .classes = classes, .columns = columns, .by_pairs = moments->pairs != NULL};
    bool done =
        covariance_selection_allocate(context, &fit, count) && covariance_selection_deal(&fit, joint_source, count);
    for (size_t k = 0; done && k < classes; k++) {
        bool even = settings->prior == CRD_I_PRIOR_UNIFORM;
        fit.log_priors[k] = even                                ? 0
                            : joint_source->class_counts[k] > 0 ? crd_log(joint_source->class_counts[k])
                                                                : -INFINITY;
    }
    if (done) crd_i_normal_whole(moments, fit.whole);
    for (size_t fold = 0; done && fold < FOLDS; fold++)
        (fit.by_pairs ? leave_out_pairs : covariance_selection_leave_out)(&fit, fold);
    if (done && fit.ends[FOLDS - 1] > 0) covariance_selection_search(&fit, wanted, shape);
    covariance_selection_clear(context, &fit);
    if (!done) return crd_i_fail_memory(error);
    return crd_i_context_cancelled(context) ? crd_i_fail_cancelled(error) : CRD_OK;
}
