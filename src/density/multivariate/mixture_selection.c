/* SPDX-License-Identifier: MIT */
/* mixture_selection.c - see mixture_selection.h.
 *
 * Every fourth complete row of a class, in the order of the row hashes, is held out. Mixtures of 1, 2, ... components
 * are fitted to the other rows. A larger number of components is accepted if it increases the log likelihood of the
 * held-out rows by more than one standard error of the difference. The search ends after two numbers in succession that
 * do not. (The BIC, which counts parameters, would choose far fewer: covariances that are shrunk towards a common one
 * have fewer degrees of freedom than entries.)
 *
 * These mixtures, fitted to three quarters of the rows, then serve to calibrate the posteriors of the held-out rows.
 * Rows are rarely as normal as the model assumes, so densities fall off too fast, and posteriors are too confident.
 * Each normal density may be replaced by Student's t, and the density may be raised to a power, the exponent. The
 * degrees of freedom and the exponent that minimize the log loss of the held-out rows' classes are chosen. For given
 * degrees, the log loss is a convex function of the exponent. The penalty 10 (exponent - 1)^2 is added to it, so a few
 * rows cannot move the exponent far from 1. A golden-section search finds the minimum. Fewer degrees must reduce the
 * loss by at least one nat. */
#include "density/multivariate/mixture_selection.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

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
    crd_context *context;
    double *x[2], *weights[2];
    crd_i_mixture_rows kept, held;
} selection_deal;

static void end_deal(selection_deal *deal) {
    if (deal->context == NULL) return;
    for (int i = 0; i < 2; i++) {
        crd_free(deal->context, deal->x[i]);
        crd_free(deal->context, deal->weights[i]);
    }
    memset(deal, 0, sizeof *deal);
}

/* Splits the rows of a class. Imputed rows are never held out, nor are rows of small classes. false: out of memory. */
static bool begin_deal(selection_deal *deal, crd_context *context, const crd_i_mixture_rows *rows) {
    size_t columns = rows->columns, counts[2] = {0, 0}, whole = 0;
    double sums[2] = {0, 0};
    memset(deal, 0, sizeof *deal);
    deal->context = context;
    for (int i = 0; i < 2; i++) {
        deal->x[i] = crd_i_alloc(context, rows->rows * columns, sizeof(double));
        deal->weights[i] = crd_i_alloc(context, rows->rows, sizeof(double));
        if (deal->x[i] == NULL || deal->weights[i] == NULL) return false;
    }
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
static crd_status choose_count(crd_context *context, const selection_deal *dealt, const double *shared,
                               crd_i_mixture *best, double *work, crd_error *error) {
    size_t held = dealt->held.rows;
    double *now = crd_i_alloc(context, held, sizeof *now), *before = crd_i_alloc(context, held, sizeof *before);
    crd_status status = now == NULL || before == NULL ? crd_i_fail_memory(error) : CRD_OK;
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
    crd_free(context, now);
    crd_free(context, before);
    if (status != CRD_OK) crd_i_mixture_clear(best);
    return status;
}

/* ---- Tails ---- */

typedef struct selection_trial {
    crd_context *context;
    size_t rows, classes, columns;
    const crd_i_mixture *mixtures;
    int32_t *row_classes;
    double *weights, *log_priors;
    double *squares; /* for each row, class and component: the squared Mahalanobis distance */
    double *logs;    /* for each row and class: the log density */
    double *posterior;
} selection_trial;

static void end_trial(selection_trial *trial) {
    crd_free(trial->context, trial->row_classes);
    double *const blocks[] = {trial->weights, trial->log_priors, trial->squares, trial->logs, trial->posterior};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(trial->context, blocks[i]);
}

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
    crd_context *context = trial->context;
    size_t held = 0, most = MOST_LOGS / trial->classes, taken = 0;
    double sum = 0;
    for (size_t class = 0; class < trial->classes; class ++) held += deals[class].held.rows, sum += totals[class];
    if (most > MOST_ROWS) most = MOST_ROWS;
    size_t stride = most == 0 ? 0 : (held + most - 1) / most;
    size_t capacity = stride == 0 ? 0 : held / stride + 1;
    trial->row_classes = crd_i_alloc(context, capacity, sizeof *trial->row_classes);
    trial->weights = crd_i_alloc(context, capacity, sizeof *trial->weights);
    trial->log_priors = crd_i_alloc(context, trial->classes, sizeof *trial->log_priors);
    trial->squares = crd_i_alloc_zeroed(context, capacity * trial->classes, MOST * sizeof *trial->squares);
    trial->logs = crd_i_alloc(context, capacity * trial->classes, sizeof *trial->logs);
    trial->posterior = crd_i_alloc(context, trial->classes, sizeof *trial->posterior);
    if (trial->row_classes == NULL || trial->weights == NULL || trial->log_priors == NULL || trial->squares == NULL ||
        trial->logs == NULL || trial->posterior == NULL)
        return false;
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

crd_status crd_i_mixture_choose(crd_context *context, const crd_i_mixture_rows *classes, const double *totals,
                                size_t class_count, const double *shared, size_t *counts, crd_i_mixture_tails *tails,
                                crd_error *error) {
    size_t columns = class_count == 0 ? 0 : classes[0].columns;
    const crd_i_mixture_tails plain = {INFINITY, 1};
    selection_deal *deals = crd_i_alloc_zeroed(context, class_count, sizeof *deals);
    crd_i_mixture *mixtures = crd_i_alloc_zeroed(context, class_count, sizeof *mixtures);
    double *work = crd_i_alloc(context, columns, sizeof *work);
    selection_trial on = {.context = context, .classes = class_count, .columns = columns, .mixtures = mixtures};
    crd_status status = deals == NULL || mixtures == NULL || work == NULL ? crd_i_fail_memory(error) : CRD_OK;
    *tails = plain;
    for (size_t class = 0; status == CRD_OK && class < class_count; class ++) {
        if (classes[class].rows == 0) continue;
        if (!begin_deal(&deals[class], context, &classes[class])) status = crd_i_fail_memory(error);
        else status = choose_count(context, &deals[class], shared, &mixtures[class], work, error);
        counts[class] = mixtures[class].count;
    }
    if (status == CRD_OK && class_count > 0) {
        if (begin_trial(&on, classes, totals, deals, work)) choose_tails(&on, tails);
        else status = crd_i_fail_memory(error);
    }
    end_trial(&on);
    for (size_t class = 0; deals != NULL && class < class_count; class ++) end_deal(&deals[class]);
    for (size_t class = 0; mixtures != NULL && class < class_count; class ++) crd_i_mixture_clear(&mixtures[class]);
    crd_free(context, deals);
    crd_free(context, mixtures);
    crd_free(context, work);
    return status;
}
