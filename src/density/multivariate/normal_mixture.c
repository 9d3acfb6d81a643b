/* SPDX-License-Identifier: MIT */
/* normal_mixture.c - numeric columns under each class as a mixture of multivariate normal densities, for classes that
 * consist of several clusters or of a curved one:
 *
 *   p(x | c) = sum_k w_k N(x; m_k, C_k)
 *
 * The mixture of each class is fitted separately to the stored rows (mixture_em.c). Missing cells are imputed from the
 * other cells of their row (mixture_em.c). The setting `normal` is mixture:K, for at most K components in each class,
 * or mixture. In the latter case, held-out rows determine the number of components and the length of the tails. If a
 * specified number of components does not settle, the error is CRD_ERROR_NOT_CONVERGED. During selection, such a number
 * is skipped.
 *
 * Columns in which all rows agree carry no information and are dropped. The other columns are centered at their mean
 * and divided by a power of two near their standard deviation. A class without rows gets the density of all rows
 * together. For a row with missing cells, the density is the marginal density of its present cells: each component uses
 * the corresponding part of its mean and covariance.
 *
 * Contents:
 *   1. Selection
 *   2. The density
 *   3. Rows
 *   4. Pooled covariance
 *   5. Derivation
 *   6. Evaluation
 *   7. Description */
#include "density/multivariate/joint_density.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/elementary.h"
#include "stats/kept_rows.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Selection ========
 *
 * The number of components of each class's mixture is selected on held-out rows. Every fourth complete row of a class,
 * in the order of the row hashes, is held out. Mixtures of 1, 2, ... components are fitted to the other rows. A larger
 * number of components is accepted if it increases the log likelihood of the held-out rows by more than one standard
 * error of the difference. The search ends after two numbers in succession that do not. (The BIC, which counts
 * parameters, would choose far fewer: covariances that are shrunk towards a common one have fewer degrees of freedom
 * than entries.)
 *
 * These mixtures, fitted to three quarters of the rows, then serve to calibrate the posteriors of the held-out rows.
 * Rows are rarely as normal as the model assumes, so densities fall off too fast, and posteriors are too confident.
 * Each normal density may be replaced by Student's t, and the density may be raised to a power, the exponent. The
 * degrees of freedom and the exponent that minimize the log loss of the held-out rows' classes are chosen. For given
 * degrees, the log loss is a convex function of the exponent. The penalty 10 (exponent - 1)^2 is added to it, so a few
 * rows cannot move the exponent far from 1. A golden-section search finds the minimum. Fewer degrees must reduce the
 * loss by at least one nat. */

enum {
    HELD_OUT = 4,       /* every fourth row */
    MOST = 8,           /* maximum number of components */
    FEWEST = 8,         /* minimum number of rows of a class to hold out some, and minimum per component */
    MOST_ROWS = 4096,   /* maximum number of rows that tails are fitted to */
    MOST_LOGS = 1 << 19 /* maximum number of their log densities, over all classes */
};

static const double PULL = 10, NEEDED = 1;
static const double DEGREES[] = {INFINITY, 64, 32, 16, 8, 4};

/* The rows of a class, split into kept and held-out rows. */
typedef struct selection_deal {
    double *x[2], *weights[2];
    crd_i_mixture_rows kept, held;
} selection_deal;

/* Splits the rows of a class. Imputed rows are never held out, nor are rows of small classes. false: out of memory. */
static bool begin_deal(selection_deal *deal, crd_i_arena *arena, const crd_i_mixture_rows *rows) {
    size_t columns = rows->columns, counts[2] = {0, 0}, whole = 0;
    double sums[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        deal->x[i] = crd_i_arena_alloc(arena, rows->rows * columns, sizeof(double));
        deal->weights[i] = crd_i_arena_alloc(arena, rows->rows, sizeof(double));
    }
    if (crd_i_arena_failed(arena)) return false;
    for (size_t row = 0; row < rows->rows; row++) {
        bool is_whole = rows->is_imputed == NULL || !rows->is_imputed[row];
        int side = rows->rows >= FEWEST && is_whole && whole % HELD_OUT == HELD_OUT - 1;
        whole += is_whole;
        memcpy(deal->x[side] + counts[side] * columns, rows->x + row * columns, columns * sizeof(double));
        deal->weights[side][counts[side]++] = rows->weights[row];
        sums[side] += rows->weights[row];
    }
    const crd_i_mixture_rows kept = {counts[0], columns, deal->x[0], deal->weights[0], sums[0], NULL};
    const crd_i_mixture_rows held = {counts[1], columns, deal->x[1], deal->weights[1], sums[1], NULL};
    deal->kept = kept;
    deal->held = held;
    return true;
}

/* ---- Number of components ---- */

static void find_densities(const crd_i_mixture *mixture, const crd_i_mixture_rows *rows, double *logs, double *work) {
    double peak = crd_i_normal_peak(rows->columns, INFINITY);
    for (size_t row = 0; row < rows->rows; row++)
        logs[row] = crd_i_mixture_log_density(mixture, rows->x + row * rows->columns, peak, INFINITY, work);
}

/* Returns whether the log likelihood of the rows has increased by more than one standard error of the difference. */
static bool are_likelier(const crd_i_mixture_rows *rows, const double *now, const double *before) {
    double sum = 0, squares = 0;
    for (size_t row = 0; row < rows->rows; row++) sum += rows->weights[row] * (now[row] - before[row]);
    for (size_t row = 0; row < rows->rows; row++) {
        double away = now[row] - before[row] - sum / rows->sum;
        squares += rows->weights[row] * (away * away);
    }
    return sum > sqrt(squares);
}

/* Chooses the number of components of a class. Sets *best to the mixture of the kept rows that has this number; the
 * caller clears it. */
static crd_status choose_count(crd_context *context, crd_i_arena *arena, const selection_deal *dealt,
                               const double *shared, crd_i_mixture *best, double *work, crd_error *error) {
    size_t held = dealt->held.rows;
    double *now = crd_i_arena_alloc(arena, held, sizeof *now), *before = crd_i_arena_alloc(arena, held, sizeof *before);
    crd_status status = crd_i_arena_check(arena, error);
    int worse = 0;
    memset(best, 0, sizeof *best);
    for (size_t count = 1; status == CRD_OK && count <= MOST && worse < 2; count++) {
        if (count > 1 && (held == 0 || count * FEWEST > dealt->kept.rows)) break;
        crd_i_mixture mixture;
        status = crd_i_mixture_fit(context, &dealt->kept, shared, count, CRD_I_MIXTURE_STEPS, &mixture, error);
        if (status != CRD_OK) break;
        find_densities(&mixture, &dealt->held, now, work);
        if (count == 1 || (mixture.settled && are_likelier(&dealt->held, now, before))) {
            crd_i_mixture_clear(best);
            *best = mixture;
            if (held > 0) memcpy(before, now, held * sizeof *before);
            worse = 0;
        } else {
            crd_i_mixture_clear(&mixture);
            worse++;
        }
    }
    if (status != CRD_OK) crd_i_mixture_clear(best);
    return status;
}

/* ---- Tails ---- */

typedef struct selection_trial {
    crd_i_arena *arena;
    size_t rows, classes, columns;
    const crd_i_mixture *mixtures;
    int32_t *row_classes;
    double *weights, *log_priors;
    double *squares; /* for each row, class and component: the squared Mahalanobis distance */
    double *logs;    /* for each row and class: the log density */
    double *posterior;
} selection_trial;

static void mixture_selection_measure_row(selection_trial *trial, const double *x, size_t limit, double *work) {
    for (size_t class = 0; class < trial->classes; class ++) {
        const crd_i_mixture *mixture = &trial->mixtures[class];
        for (size_t k = 0; k < mixture->count; k++) {
            for (size_t i = 0; i < trial->columns; i++) work[i] = x[i] - mixture->means[k * trial->columns + i];
            trial->squares[(limit * trial->classes + class) * MOST + k] =
                crd_i_factor_squares(mixture->matrices[k].cells, trial->columns, work);
        }
    }
}

/* Computes the distances of the held-out rows of all classes from all components. If there are too many rows, only
 * every n-th row is used. false: out of memory. */
static bool begin_trial(selection_trial *trial, const crd_i_mixture_rows *classes, const double *totals,
                        const selection_deal *deals, double *work) {
    crd_i_arena *arena = trial->arena;
    size_t held = 0, most = MOST_LOGS / trial->classes, taken = 0;
    double sum = 0;
    for (size_t class = 0; class < trial->classes; class ++) held += deals[class].held.rows, sum += totals[class];
    if (most > MOST_ROWS) most = MOST_ROWS;
    size_t stride = most == 0 ? 0 : (held + most - 1) / most;
    size_t capacity = stride == 0 ? 0 : held / stride + 1;
    trial->row_classes = crd_i_arena_alloc(arena, capacity, sizeof *trial->row_classes);
    trial->weights = crd_i_arena_alloc(arena, capacity, sizeof *trial->weights);
    trial->log_priors = crd_i_arena_alloc(arena, trial->classes, sizeof *trial->log_priors);
    trial->squares = crd_i_arena_alloc_zeroed(arena, capacity * trial->classes, MOST * sizeof *trial->squares);
    trial->logs = crd_i_arena_alloc(arena, capacity * trial->classes, sizeof *trial->logs);
    trial->posterior = crd_i_arena_alloc(arena, trial->classes, sizeof *trial->posterior);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t class = 0, index = 0; class < trial->classes; class ++) {
        trial->log_priors[class] = totals[class] > 0 ? crd_log(totals[class] / sum) : -INFINITY;
        for (size_t row = 0; stride > 0 && row < deals[class].held.rows; row++, index++) {
            if (index % stride != 0) continue;
            mixture_selection_measure_row(trial, deals[class].held.x + row * trial->columns, taken, work);
            trial->row_classes[taken] = (int32_t) class;
            trial->weights[taken++] = deals[class].held.weights[row] * (totals[class] / classes[class].sum);
        }
    }
    trial->rows = taken;
    return true;
}

/* Computes the log density of each row under each class, for the given degrees of freedom. */
static void mixture_selection_find_logs(selection_trial *trial, double degrees) {
    double peak = crd_i_normal_peak(trial->columns, degrees);
    for (size_t row = 0; row < trial->rows; row++)
        for (size_t class = 0; class < trial->classes; class ++) {
            const crd_i_mixture *mixture = &trial->mixtures[class];
            const double *squares = trial->squares + (row * trial->classes + class) * MOST;
            double parts[MOST];
            for (size_t k = 0; k < mixture->count; k++)
                parts[k] = mixture->log_shares[k] + peak - mixture->matrices[k].half_log_determinant -
                           crd_i_normal_fall(squares[k], trial->columns, degrees);
            trial->logs[row * trial->classes + class] = crd_i_log_sum_exp(parts, mixture->count);
        }
}

/* Returns the penalized log loss of the classes at an exponent. */
static double loss_at(selection_trial *trial, double exponent) {
    double loss = PULL * (exponent - 1) * (exponent - 1);
    for (size_t row = 0; row < trial->rows; row++) {
        const double *logs = trial->logs + row * trial->classes;
        for (size_t class = 0; class < trial->classes; class ++)
            trial->posterior[class] = trial->mixtures[class].count == 0
                                          ? (double)-INFINITY
                                          : trial->log_priors[class] + exponent * logs[class];
        double own = trial->posterior[trial->row_classes[row]];
        loss += trial->weights[row] * (crd_i_log_sum_exp(trial->posterior, trial->classes) - own);
    }
    return loss;
}

/* Returns the exponent between 1/16 and 3/2 that minimizes the loss, rounded to two decimal places, and the loss in
 * *least. */
static double find_exponent(selection_trial *trial, double *least) {
    static const double GOLDEN = 0x1.3c6ef372fe95p-1; /* (sqrt(5) - 1) / 2 */
    double low = 0.0625, high = 1.5;
    double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    double at_left = loss_at(trial, left), at_right = loss_at(trial, right);
    while (high - low > 0.01) {
        if (at_left <= at_right) {
            high = right, right = left, at_right = at_left;
            left = high - GOLDEN * (high - low);
            at_left = loss_at(trial, left);
        } else {
            low = left, left = right, at_left = at_right;
            right = low + GOLDEN * (high - low);
            at_right = loss_at(trial, right);
        }
    }
    *least = at_left < at_right ? at_left : at_right;
    return floor((at_left < at_right ? left : right) * 100 + 0.5) / 100;
}

/* Chooses the degrees of freedom and the exponent. */
static void choose_tails(selection_trial *trial, crd_i_mixture_tails *tails) {
    double least = INFINITY;
    for (size_t i = 0; trial->rows > 0 && i < sizeof DEGREES / sizeof *DEGREES; i++) {
        double loss;
        mixture_selection_find_logs(trial, DEGREES[i]);
        double exponent = find_exponent(trial, &loss);
        if (!(loss < least - (i > 0 ? NEEDED : 0))) continue;
        least = loss;
        tails->degrees = DEGREES[i];
        tails->exponent = exponent;
    }
}

/* Sets counts[class] for each class that has rows, and *tails. Classes have prior probabilities proportional to
 * `totals`. */
static crd_status mixture_choose(crd_context *context, const crd_i_mixture_rows *classes, const double *totals,
                                 size_t class_count, const double *shared, size_t *counts, crd_i_mixture_tails *tails,
                                 crd_error *error) {
    size_t columns = class_count == 0 ? 0 : classes[0].columns;
    const crd_i_mixture_tails plain = {INFINITY, 1};
    crd_i_arena *arena = crd_i_arena_create(context);
    selection_deal *deals = crd_i_arena_alloc_zeroed(arena, class_count, sizeof *deals);
    crd_i_mixture *mixtures = crd_i_arena_alloc_zeroed(arena, class_count, sizeof *mixtures);
    double *work = crd_i_arena_alloc(arena, columns, sizeof *work);
    selection_trial on = {.arena = arena, .classes = class_count, .columns = columns, .mixtures = mixtures};
    crd_status status = crd_i_arena_check(arena, error);
    *tails = plain;
    for (size_t class = 0; status == CRD_OK && class < class_count; class ++) {
        if (classes[class].rows == 0) continue;
        if (!begin_deal(&deals[class], arena, &classes[class])) status = crd_i_fail_memory(error);
        else status = choose_count(context, arena, &deals[class], shared, &mixtures[class], work, error);
        counts[class] = mixtures[class].count;
    }
    if (status == CRD_OK && class_count > 0) {
        if (begin_trial(&on, classes, totals, deals, work)) choose_tails(&on, tails);
        else status = crd_i_fail_memory(error);
    }
    for (size_t class = 0; mixtures != NULL && class < class_count; class ++) crd_i_mixture_clear(&mixtures[class]);
    crd_i_arena_destroy(arena);
    return status;
}

/* ======== 2. The density ======== */

/* The minimum variance within classes, relative to the column's overall variance, as in the gaussian family. */
static const double NARROWEST = 1e-9;
/* Maximum of rows times squared number of columns, over all classes; and the number of rows of a class that are always
 * used. */
static const double MOST_WORK = 0x1p25;
enum { FEWEST_ROWS = 512 };
/* Minimum shrinkage of the covariance within classes towards its diagonal, so that it has a factor. */
static const double LEAST_DRAWN = 0x1p-10;

typedef struct normal_mixture {
    crd_i_joint base;
    bool *takes;
    size_t columns;
    size_t *places;          /* for each column: its index in the joint tally */
    int *first, *second;     /* cells are divided by 2^first */
    double *centers;         /* then the mean is subtracted, and the result is divided by 2^second */
    crd_i_mixture *mixtures; /* one for each class */
    crd_i_mixture_tails tails;
    bool is_chosen; /* components and tails were selected by held-out rows */
    /* for each number of columns: the log density at the mean, without the determinant */
    double *peaks;
    size_t unsettled;               /* classes whose mixture has not settled */
    bool is_sample;                 /* the stored rows are only a sample of the training rows */
    double complete_rows, all_rows; /* stored rows that are complete, and all stored rows */
    double usable_rows, used_rows;  /* stored rows that have a number, and how many of them were used */
    double *fitted; /* degrees (0: the normal density), exponent, 1 if cells were imputed, and the mixtures */
    size_t fitted_count;
} normal_mixture;

static void normal_mixture_destroy(crd_i_joint *base) {
    normal_mixture *joint = (normal_mixture *)base;
    for (size_t i = 0; joint->mixtures != NULL && i < base->conditions; i++) crd_i_mixture_clear(&joint->mixtures[i]);
    crd_i_arena_destroy(base->arena);
}

/* ======== 3. Rows ======== */

/* The used rows, which have a number, class by class. */
typedef struct mixture_complete {
    crd_context *context;
    crd_i_arena *arena;
    size_t rows;
    size_t *chosen; /* their indices in the sample */
    double sum;     /* sum of their weights */
    double *totals; /* for each class: the weight of all its rows with a number, used or not */
    double *x, *weights;
    bool *is_imputed; /* for each row; NULL: none is imputed */
    crd_i_mixture_rows *classes;
    crd_i_mixture_rows all;
    double *shared;
} mixture_complete;

static bool normal_mixture_is_complete(const crd_i_sample *sample, size_t row) {
    for (size_t i = 0; i < sample->table->column_count; i++) {
        const double *numbers = sample->table->columns[i].numbers;
        if (numbers != NULL && numbers[row] != numbers[row]) return false;
    }
    return true;
}

static bool normal_mixture_has_number(const crd_i_sample *sample, size_t row) {
    bool has = normal_mixture_is_complete(sample, row);
    for (size_t i = 0; !has && i < sample->table->column_count; i++) {
        const double *numbers = sample->table->columns[i].numbers;
        has = numbers != NULL && numbers[row] == numbers[row];
    }
    return has;
}

/* Returns the maximum number of rows of a class. A step of EM takes time proportional to the number of rows and the
 * square of the number of columns. If steps are slow, more rows are not worth the time. */
static size_t most_of_class(const crd_i_sample *sample) {
    size_t columns = 0;
    for (size_t i = 0; i < sample->table->column_count; i++) columns += sample->table->columns[i].numbers != NULL;
    double most = MOST_WORK / ((double)columns * (double)columns * (double)sample->condition_count);
    return most < FEWEST_ROWS ? FEWEST_ROWS : most > CRD_I_ROWS_MOST ? CRD_I_ROWS_MOST : (size_t)most;
}

/* Chooses the used rows, class by class. false: out of memory. */
static bool find_complete(const crd_i_sample *sample, mixture_complete *complete) {
    complete->chosen = crd_i_arena_alloc(complete->arena, sample->table->rows, sizeof *complete->chosen);
    complete->totals = crd_i_arena_alloc_zeroed(complete->arena, sample->condition_count, sizeof *complete->totals);
    if (crd_i_arena_failed(complete->arena)) return false;
    size_t most = most_of_class(sample);
    for (size_t class = 0; class < sample->condition_count; class ++) {
        size_t end = complete->rows + most;
        for (size_t row = 0; row < sample->table->rows; row++) {
            if (crd_i_sample_conditions(sample)[row] != (int32_t) class || !normal_mixture_has_number(sample, row))
                continue;
            complete->totals[class] += sample->table->weights[row];
            if (complete->rows == end) continue;
            complete->sum += sample->table->weights[row];
            complete->chosen[complete->rows++] = row;
        }
    }
    return true;
}

/* Returns a cell of a column, centered and divided. The result is bounded, so its square is finite. */
static double normal_mixture_centerd(const normal_mixture *joint, size_t column, double x) {
    static const double FARTHEST = 0x1p200;
    double z = ldexp(ldexp(x, -joint->first[column]) - joint->centers[column], -joint->second[column]);
    return z > FARTHEST ? FARTHEST : z < -FARTHEST ? -FARTHEST : z;
}

/* Computes the center and scale of a column, and adds it to the columns of the density. Returns false if all rows agree
 * in it, or no row has it. */
static bool scale_column(normal_mixture *joint, const crd_i_sample *sample, const mixture_complete *rows,
                         size_t place) {
    const double *numbers = sample->table->columns[place].numbers;
    size_t column = joint->columns;
    double most = 0, sum = 0, squares = 0, weight = 0, first = NAN;
    bool agree = true;
    for (size_t i = 0; i < rows->rows; i++) {
        double x = numbers[rows->chosen[i]];
        if (isnan(x)) continue;
        if (isnan(first)) first = x;
        most = fmax(most, fabs(x));
        agree = agree && x == first;
        weight += sample->table->weights[rows->chosen[i]];
    }
    if (agree) return false;
    frexp(most, &joint->first[column]);
    for (size_t i = 0; i < rows->rows; i++) {
        double x = numbers[rows->chosen[i]];
        if (!isnan(x)) sum += sample->table->weights[rows->chosen[i]] * ldexp(x, -joint->first[column]);
    }
    joint->centers[column] = sum / weight;
    for (size_t i = 0; i < rows->rows; i++) {
        double x = numbers[rows->chosen[i]];
        double away = ldexp(x, -joint->first[column]) - joint->centers[column];
        if (!isnan(x)) squares += sample->table->weights[rows->chosen[i]] * (away * away);
    }
    frexp(sqrt(squares / weight), &joint->second[column]);
    joint->places[column] = place;
    joint->takes[place] = true;
    joint->columns++;
    return true;
}

/* Chooses and scales the columns, and counts the rows. false: out of memory. */
static bool normal_mixture_scale(normal_mixture *joint, const crd_i_sample *sample, const mixture_complete *rows) {
    crd_i_arena *arena = joint->base.arena;
    joint->places = crd_i_arena_alloc(arena, sample->table->column_count, sizeof *joint->places);
    joint->first = crd_i_arena_alloc(arena, sample->table->column_count, sizeof *joint->first);
    joint->second = crd_i_arena_alloc(arena, sample->table->column_count, sizeof *joint->second);
    joint->centers = crd_i_arena_alloc(arena, sample->table->column_count, sizeof *joint->centers);
    if (crd_i_arena_failed(arena)) return false;
    joint->used_rows = rows->sum;
    for (size_t i = 0; i < sample->condition_count; i++) joint->usable_rows += rows->totals[i];
    for (size_t i = 0; i < sample->table->rows; i++) {
        joint->all_rows += sample->table->weights[i];
        joint->complete_rows += normal_mixture_is_complete(sample, i) ? sample->table->weights[i] : 0;
    }
    for (size_t place = 0; place < sample->table->column_count; place++)
        if (sample->table->columns[place].numbers != NULL) scale_column(joint, sample, rows, place);
    return true;
}

static bool normal_mixture_impute(const normal_mixture *joint, mixture_complete *rows) {
    size_t next = 0;
    rows->is_imputed = crd_i_arena_alloc(rows->arena, rows->rows, sizeof *rows->is_imputed);
    /* Scaled standard deviations are between 1/2 and 1, so overall variances are more than 1/4. */
    if (rows->is_imputed == NULL || !crd_i_mixture_impute(rows->context, rows->classes, joint->base.conditions,
                                                          NARROWEST / 4, rows->x, rows->is_imputed))
        return false;
    for (size_t i = 0; i < joint->base.conditions; i++) {
        rows->classes[i].is_imputed = rows->is_imputed + next;
        next += rows->classes[i].rows;
    }
    return true;
}

/* Copies the used rows, class by class, with scaled cells, and imputes missing ones. false: out of memory. */
static bool normal_mixture_lay_out(const normal_mixture *joint, const crd_i_sample *sample, mixture_complete *rows) {
    size_t columns = joint->columns;
    rows->x = crd_i_arena_alloc(rows->arena, rows->rows, columns * sizeof *rows->x);
    rows->weights = crd_i_arena_alloc(rows->arena, rows->rows, sizeof *rows->weights);
    rows->classes = crd_i_arena_alloc_zeroed(rows->arena, joint->base.conditions, sizeof *rows->classes);
    if (crd_i_arena_failed(rows->arena)) return false;
    const crd_i_mixture_rows all = {rows->rows, columns, rows->x, rows->weights, rows->sum, NULL};
    bool has_missing = false;
    rows->all = all;
    for (size_t i = 0; i < joint->base.conditions; i++) rows->classes[i].columns = columns;
    for (size_t i = 0; i < rows->rows; i++) {
        size_t row = rows->chosen[i];
        crd_i_mixture_rows *class = &rows->classes[crd_i_sample_conditions(sample)[row]];
        if (class->rows++ == 0) class->x = rows->x + i * columns, class->weights = rows->weights + i;
        rows->weights[i] = sample->table->weights[row];
        class->sum += rows->weights[i];
        for (size_t j = 0; j < columns; j++) {
            double x = sample->table->columns[joint->places[j]].numbers[row];
            has_missing = has_missing || isnan(x);
            rows->x[i * columns + j] = isnan(x) ? x : normal_mixture_centerd(joint, j, x);
        }
    }
    return !has_missing || normal_mixture_impute(joint, rows);
}

/* ======== 4. Pooled covariance ======== */

/* Adds the sums of products of deviations from the class's mean, as upper triangle. */
static void normal_mixture_add_products(const crd_i_mixture_rows *class, double *mean, double *products) {
    size_t columns = class->columns;
    memset(mean, 0, columns * sizeof *mean);
    for (size_t row = 0; row < class->rows; row++)
        for (size_t i = 0; i < columns; i++) mean[i] += class->weights[row] * class->x[row * columns + i];
    for (size_t i = 0; i<columns &&class->rows> 0; i++) mean[i] /= class->sum;
    for (size_t row = 0; row < class->rows; row++) {
        const double *x = class->x + row * columns;
        for (size_t i = 0; i < columns; i++) {
            double away = class->weights[row] * (x[i] - mean[i]);
            for (size_t j = i; j < columns; j++) products[i * columns + j] += away * (x[j] - mean[j]);
        }
    }
}

/* Computes the pooled covariance within classes, shrunk towards its diagonal by the fraction (d + 1) / (rows + d + 1).
 * false: out of memory. */
static bool find_shared(const normal_mixture *joint, const crd_settings *settings, mixture_complete *rows) {
    size_t columns = joint->columns;
    double d = (double)columns, drawn = (d + 1) / (rows->sum + d + 1);
    double *mean = crd_i_arena_alloc(rows->arena, columns, sizeof *mean);
    rows->shared = crd_i_arena_alloc_zeroed(rows->arena, columns * columns, sizeof *rows->shared);
    if (crd_i_arena_failed(rows->arena)) return false;
    for (size_t i = 0; i < joint->base.conditions; i++)
        normal_mixture_add_products(&rows->classes[i], mean, rows->shared);
    if (drawn < LEAST_DRAWN) drawn = LEAST_DRAWN;
    for (size_t i = 0; i < columns; i++) {
        /* Scaled standard deviations are between 1/2 and 1, so overall variances are more than 1/4. */
        double least = ldexp(settings->min_sd, -joint->first[i] - joint->second[i]);
        least = fmax(fmin(least, 0x1p100) * fmin(least, 0x1p100), NARROWEST / 4);
        for (size_t j = i; j < columns; j++) {
            double cell = rows->shared[i * columns + j] / rows->sum;
            if (i == j) cell = fmax(cell, least);
            else cell *= 1 - drawn;
            rows->shared[i * columns + j] = rows->shared[j * columns + i] = cell;
        }
    }
    return true;
}

/* ======== 5. Derivation ======== */

/* Fits the mixture of each class. Errors: CRD_ERROR_NOT_CONVERGED, CRD_ERROR_MEMORY, CRD_ERROR_CANCELLED. */
static crd_status normal_mixture_fit_classes(normal_mixture *joint, const crd_settings *settings,
                                             const mixture_complete *rows, crd_error *error) {
    crd_context *context = joint->base.context;
    size_t conditions = joint->base.conditions;
    size_t *counts = crd_i_arena_alloc(joint->base.arena, conditions, sizeof *counts);
    joint->mixtures = crd_i_arena_alloc_zeroed(joint->base.arena, conditions, sizeof *joint->mixtures);
    crd_status status = crd_i_arena_check(joint->base.arena, error);
    const crd_i_mixture_tails plain = {INFINITY, 1};
    joint->tails = plain;
    for (size_t i = 0; status == CRD_OK && i < conditions; i++) {
        counts[i] = settings->joint_components;
        if (counts[i] > rows->classes[i].rows) counts[i] = rows->classes[i].rows;
    }
    if (status == CRD_OK && joint->is_chosen)
        status = mixture_choose(context, rows->classes, rows->totals, conditions, rows->shared, counts, &joint->tails,
                                error);
    for (size_t i = 0; status == CRD_OK && i < conditions; i++) {
        bool is_empty = rows->classes[i].rows == 0;
        status = crd_i_mixture_fit(context, is_empty ? &rows->all : &rows->classes[i], rows->shared,
                                   is_empty ? 1 : counts[i], CRD_I_MIXTURE_STEPS, &joint->mixtures[i], error);
        if (status != CRD_OK || joint->mixtures[i].settled) continue;
        joint->unsettled++;
        if (!joint->is_chosen)
            status = crd_i_fail(error, CRD_ERROR_NOT_CONVERGED,
                                "a mixture of %lu normal densities did not settle in %d steps: use fewer components",
                                (unsigned long)counts[i], CRD_I_MIXTURE_STEPS);
    }
    return status;
}

/* Returns how many numbers precede the stored mixtures. The third number marks mixtures that were fitted to imputed
 * rows too. So mixtures that earlier releases fitted to complete rows only are not mistaken for them. */
static size_t header_size(const normal_mixture *joint) {
    return joint->complete_rows < joint->usable_rows ? 3 : 2;
}

/* Restores the mixtures that were fitted before. Sets *is_fitted to whether the numbers are valid. false: out of
 * memory. */
static bool normal_mixture_restore(normal_mixture *joint, const double *source, size_t count, bool *is_fitted) {
    size_t conditions = joint->base.conditions;
    size_t header = header_size(joint);
    const double *cursor = source + header, *end = source + count;
    *is_fitted = count >= header && (header == 2 || source[2] == 1) && source[0] >= 0 && source[0] <= 1e6 &&
                 source[1] > 0 && source[1] <= 100;
    if (!*is_fitted) return true;
    joint->mixtures = crd_i_arena_alloc_zeroed(joint->base.arena, conditions, sizeof *joint->mixtures);
    bool done = joint->mixtures != NULL;
    for (size_t i = 0; done && *is_fitted && i < conditions; i++) {
        done = crd_i_mixture_restore(&joint->mixtures[i], joint->base.context, joint->columns, &cursor, end, is_fitted);
        joint->unsettled += done && *is_fitted && !joint->mixtures[i].settled;
    }
    *is_fitted = *is_fitted && cursor == end;
    joint->tails.degrees = source[0] == 0 ? (double)INFINITY : source[0];
    joint->tails.exponent = source[1];
    if (*is_fitted && done) return true;
    for (size_t i = 0; joint->mixtures != NULL && i < conditions; i++) crd_i_mixture_clear(&joint->mixtures[i]);
    joint->mixtures = NULL;
    joint->unsettled = 0;
    return done;
}

/* Stores the mixtures in `fitted`. false: out of memory. */
static bool normal_mixture_store(normal_mixture *joint) {
    size_t header = header_size(joint), count = header;
    for (size_t i = 0; i < joint->base.conditions; i++) count += crd_i_mixture_stored_size(&joint->mixtures[i]);
    joint->fitted = crd_i_arena_alloc(joint->base.arena, count, sizeof *joint->fitted);
    if (joint->fitted == NULL) return false;
    joint->fitted_count = count;
    joint->fitted[0] = isinf(joint->tails.degrees) ? 0 : joint->tails.degrees;
    joint->fitted[1] = joint->tails.exponent;
    if (header > 2) joint->fitted[2] = 1;
    double *destination = joint->fitted + header;
    for (size_t i = 0; i < joint->base.conditions; i++)
        destination = crd_i_mixture_store(&joint->mixtures[i], destination);
    return true;
}

/* Restores the mixtures, or fits them to the rows, and stores them. */
static crd_status find_mixtures(normal_mixture *joint, const crd_i_sample *sample,
                                const crd_i_joint_source *joint_source, const crd_settings *settings,
                                mixture_complete *rows, crd_error *error) {
    bool is_fitted = false;
    joint->is_chosen = settings->joint_components == 0;
    if (joint_source->fitted != NULL &&
        !normal_mixture_restore(joint, joint_source->fitted, joint_source->fitted_count, &is_fitted))
        return crd_i_fail_memory(error);
    if (!is_fitted) {
        if (!normal_mixture_lay_out(joint, sample, rows) || !find_shared(joint, settings, rows))
            return crd_i_fail_memory(error);
        crd_status status = normal_mixture_fit_classes(joint, settings, rows, error);
        if (status != CRD_OK) return status;
    }
    return normal_mixture_store(joint) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status normal_mixture_derive_from(normal_mixture *joint, const crd_i_sample *sample,
                                             const crd_i_joint_source *joint_source, const crd_settings *settings,
                                             crd_error *error) {
    mixture_complete rows = {.context = joint->base.context, .arena = crd_i_arena_create(joint->base.context)};
    crd_status status = CRD_OK;
    if (!find_complete(sample, &rows) || !normal_mixture_scale(joint, sample, &rows)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && joint->columns > 0)
        status = find_mixtures(joint, sample, joint_source, settings, &rows, error);
    crd_i_arena_destroy(rows.arena);
    if (status != CRD_OK) return status;
    joint->peaks = crd_i_arena_alloc(joint->base.arena, joint->columns + 1, sizeof *joint->peaks);
    if (joint->peaks == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i <= joint->columns; i++) joint->peaks[i] = crd_i_normal_peak(i, joint->tails.degrees);
    return CRD_OK;
}

/* Derives the density from the stored rows. Errors: CRD_ERROR_NOT_CONVERGED, CRD_ERROR_MEMORY, CRD_ERROR_CANCELLED. */
static crd_status normal_mixture_derive(crd_context *context, const crd_i_joint_source *joint_source,
                                        const crd_settings *settings, crd_i_joint **out, crd_error *error) {
    *out = NULL;
    normal_mixture *joint = crd_i_arena_object(context, sizeof *joint);
    if (joint == NULL) return crd_i_fail_memory(error);
    joint->base.type = &crd_i_joint_normal_mixture;
    joint->base.context = context;
    joint->base.conditions = joint_source->view.condition_count;
    joint->base.column_count = joint_source->joint_tally->column_count;
    joint->base.takes = joint->takes =
        crd_i_arena_alloc_zeroed(joint->base.arena, joint->base.column_count, sizeof *joint->takes);
    crd_i_sample sample = {.context = context};
    crd_status status = CRD_OK;
    if (joint->takes == NULL || !crd_i_sample_init(&sample, context, joint_source->joint_tally, &joint_source->view))
        status = crd_i_fail_memory(error);
    joint->is_sample = !sample.is_complete;
    if (status == CRD_OK) status = normal_mixture_derive_from(joint, &sample, joint_source, settings, error);
    crd_i_sample_clear(&sample);
    /* The workspace has the cells of a row, the deviations, and the variances and matrix of a submatrix. */
    joint->base.rows = joint->all_rows;
    joint->base.incomplete_rows = joint->all_rows - joint->complete_rows;
    joint->base.capacity = joint->columns * (joint->columns + 3);
    if (status == CRD_OK) *out = &joint->base;
    else normal_mixture_destroy(&joint->base);
    return status;
}

/* ======== 6. Evaluation ======== */

/* Returns the log of a component's share times its density at the `count` present cells. */
static double log_of_part(const normal_mixture *joint, const crd_i_mixture *mixture, size_t k,
                          const crd_i_joint_cell *cells, size_t count, const double *x, double *workspace) {
    size_t columns = joint->columns;
    const crd_i_normal_matrix *whole = &mixture->matrices[k];
    crd_i_normal_matrix part = {workspace + 2 * columns, workspace + columns, 0};
    for (size_t i = 0, a = 0; i < columns; i++) {
        if (!cells[joint->places[i]].is_present) continue;
        for (size_t j = 0, b = 0; j < i; j++)
            if (cells[joint->places[j]].is_present) part.cells[b++ * count + a] = whole->cells[i * columns + j];
        part.variances[a] = part.cells[a * count + a] = whole->variances[i];
        workspace[a] = x[a] - mixture->means[k * columns + i];
        a++;
    }
    double squares = 0;
    if (crd_i_factor(part.cells, count, part.variances, &part.half_log_determinant)) {
        squares = crd_i_factor_squares(part.cells, count, workspace);
    } else {
        /* A submatrix of a positive definite matrix is positive definite, except for rounding errors. Then only the
         * variances are used. */
        part.half_log_determinant = 0;
        for (size_t a = 0; a < count; a++) {
            squares += workspace[a] * workspace[a] / part.variances[a];
            part.half_log_determinant += crd_log(part.variances[a]) / 2;
        }
    }
    return mixture->log_shares[k] + joint->peaks[count] - part.half_log_determinant -
           crd_i_normal_fall(squares, count, joint->tails.degrees);
}

/* Adds the log density of the present cells of a row to the sum of each class. Computes on divided cells, so log 2
 * times the sum of their exponents is subtracted. */
static void normal_mixture_add(const crd_i_joint *base, const crd_i_joint_cell *cells, double *sums,
                               double *workspace) {
    static const double LOG_TWO = 0x1.62e42fefa39efp-1; /* 0.69314718055994530942... */
    const normal_mixture *joint = (const normal_mixture *)base;
    size_t columns = joint->columns, count = 0;
    double *x = workspace, *work = workspace + columns, doublings = 0, logs[CRD_I_MIXTURE_MOST];
    for (size_t i = 0; i < columns; i++) {
        const crd_i_joint_cell *cell = &cells[joint->places[i]];
        if (!cell->is_present) continue;
        x[count++] = normal_mixture_centerd(joint, i, cell->number);
        doublings += joint->first[i] + joint->second[i];
    }
    if (count == 0) return;
    for (size_t class = 0; class < base->conditions; class ++) {
        const crd_i_mixture *mixture = &joint->mixtures[class];
        double density;
        if (count == columns) {
            density = crd_i_mixture_log_density(mixture, x, joint->peaks[count], joint->tails.degrees, work);
        } else {
            for (size_t k = 0; k < mixture->count; k++) logs[k] = log_of_part(joint, mixture, k, cells, count, x, work);
            density = crd_i_log_sum_exp(logs, mixture->count);
        }
        sums[class] += joint->tails.exponent * (density - LOG_TWO * doublings);
    }
}

static bool normal_mixture_asks_rows(const crd_settings *settings) {
    return settings->is_joint_mixture;
}

static const double *normal_mixture_fitted(const crd_i_joint *base, size_t *count) {
    *count = ((const normal_mixture *)base)->fitted_count;
    return ((const normal_mixture *)base)->fitted;
}

/* ======== 7. Description ======== */

/* Lists the components of all classes, class by class. */
static bool list_components(const normal_mixture *joint, crd_i_parameter_list *parameter) {
    size_t columns = joint->columns, classes = joint->columns == 0 ? 0 : joint->base.conditions, all = 0, index = 0;
    for (size_t class = 0; class < classes; class ++) all += joint->mixtures[class].count;
    double *counts = crd_i_parameter_list_vector(parameter, "components", classes);
    double *shares = counts == NULL ? NULL : crd_i_parameter_list_vector(parameter, "log_share", all);
    double *means = shares == NULL ? NULL : crd_i_parameter_list_matrix(parameter, "mean", all, columns);
    double *covariances =
        means == NULL ? NULL : crd_i_parameter_list_matrix(parameter, "covariance", all * columns, columns);
    for (size_t class = 0; covariances != NULL && class < classes; class ++) {
        const crd_i_mixture *mixture = &joint->mixtures[class];
        counts[class] = (double)mixture->count;
        for (size_t k = 0; k < mixture->count; k++, index++) {
            shares[index] = mixture->log_shares[k];
            memcpy(means + index * columns, mixture->means + k * columns, columns * sizeof *means);
            crd_i_normal_copy_matrix(&mixture->matrices[k], columns, covariances + index * columns * columns);
        }
    }
    return covariances != NULL;
}

/* Lists the parameters for export: the scaling of the columns, the components, and the tails. */
static bool normal_mixture_list_parameters(const crd_i_joint *base, crd_i_parameter_list *parameter) {
    const normal_mixture *joint = (const normal_mixture *)base;
    double *places = crd_i_parameter_list_vector(parameter, "place", joint->columns);
    double *first = places == NULL ? NULL : crd_i_parameter_list_vector(parameter, "binary_exponent", joint->columns);
    double *second =
        first == NULL ? NULL : crd_i_parameter_list_vector(parameter, "second_binary_exponent", joint->columns);
    for (size_t i = 0; second != NULL && i < joint->columns; i++) {
        places[i] = (double)joint->places[i];
        first[i] = joint->first[i];
        second[i] = joint->second[i];
    }
    return second != NULL && crd_i_parameter_list_copy(parameter, "center", joint->centers, joint->columns, 1) &&
           list_components(joint, parameter) &&
           crd_i_parameter_list_number(parameter, "degrees", joint->tails.degrees) &&
           crd_i_parameter_list_number(parameter, "exponent", joint->tails.exponent);
}

static bool normal_mixture_estimates(const crd_i_joint *base, crd_i_estimates *out) {
    const normal_mixture *joint = (const normal_mixture *)base;
    uint64_t components = 0, columns = joint->columns;
    for (size_t i = 0; joint->mixtures != NULL && i < base->conditions; i++) components += joint->mixtures[i].count;
    return columns == 0 ||
           (crd_i_estimates_add(out, "shares of components", components - base->conditions) &&
            crd_i_estimates_add(out, "means of components", components * columns) &&
            crd_i_estimates_add(out, "covariances of components", components * (columns * (columns + 1) / 2)) &&
            (!joint->is_chosen || crd_i_estimates_add(out, "shape", 2)));
}

/* Writes for example "components for each class: 1 to 3; 140 complete of 150 rows". */
static void normal_mixture_describe(const crd_i_joint *base, char *out, size_t size) {
    const normal_mixture *joint = (const normal_mixture *)base;
    size_t fewest = CRD_I_MIXTURE_MOST, most = 0;
    char tails[2 * CRD_NUMBER_ROOM + 60] = "", degrees[CRD_NUMBER_ROOM], exponent[CRD_NUMBER_ROOM], unsettled[80] = "",
                                     components[40], used[60] = "";
    if (joint->columns == 0) {
        snprintf(out, size, "no rows in which numbers differ");
        return;
    }
    for (size_t i = 0; i < base->conditions; i++) {
        if (joint->mixtures[i].count < fewest) fewest = joint->mixtures[i].count;
        if (joint->mixtures[i].count > most) most = joint->mixtures[i].count;
    }
    crd_number_format(joint->tails.degrees, degrees);
    crd_number_format(joint->tails.exponent, exponent);
    if (joint->tails.degrees < INFINITY)
        snprintf(tails, sizeof tails, ", tails of %s degrees, weight %s", degrees, exponent);
    else if (joint->tails.exponent != 1) snprintf(tails, sizeof tails, ", weight %s", exponent);
    if (joint->unsettled > 0)
        snprintf(unsettled, sizeof unsettled, "; %lu classes have not settled", (unsigned long)joint->unsettled);
    if (fewest == most) snprintf(components, sizeof components, "%lu", (unsigned long)most);
    else snprintf(components, sizeof components, "%lu to %lu", (unsigned long)fewest, (unsigned long)most);
    if (joint->used_rows < joint->usable_rows)
        snprintf(used, sizeof used, ", fitted to %.0f of them", joint->used_rows);
    snprintf(out, size, "components for each class: %s%s; %.0f complete of %.0f %s%s%s", components, tails,
             joint->complete_rows, joint->all_rows, joint->is_sample ? "rows in a sample" : "rows", used, unsettled);
}

const crd_i_joint_type crd_i_joint_normal_mixture = {
    .name = "normal-mixture",
    .summary = "mixture of multivariate normal densities for each class",
    .reads = &crd_i_kept_rows,
    .asks_rows = normal_mixture_asks_rows,
    .derive = normal_mixture_derive,
    .destroy = normal_mixture_destroy,
    .add = normal_mixture_add,
    .fitted = normal_mixture_fitted,
    .estimates = normal_mixture_estimates,
    .list_parameters = normal_mixture_list_parameters,
    .describe = normal_mixture_describe,
};
