/* SPDX-License-Identifier: MIT */
/* sparse_logistic.c - see logistic_newton.h. The gradient is summed feature by feature, over the rows that contain the
 * feature. This needs the transpose of the rows, but no sums that threads share. */
#include "math/logistic_newton.h"

#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* The number of stored pairs of steps and gradient changes, and the maximum number of step halvings. */
enum { MEMORY = 5, MOST_HALVINGS = 30 };

/* Rows and features that a thread processes at a time, and the minimum amount of work for using threads. */
enum { ROWS_AT_ONCE = 128, FEATURES_AT_ONCE = 512, LEAST_FOR_THREADS = 1 << 16 };

/* Armijo's rule: a step must lower the objective by at least this fraction of the predicted decrease. */
static const double LEAST_DECREASE = 1e-4;

typedef struct logistic_fitting {
    crd_context *context;
    const crd_i_sparse_logistic *problem;
    unsigned crew;
    size_t count;               /* number of coefficients */
    size_t *column_starts;      /* the transpose: start of each feature's rows */
    uint32_t *column_rows;      /* rows of each feature, ascending */
    double *column_values;      /* values of the feature in these rows */
    double *residuals, *losses; /* rows x classes: weight x (probability - truth); loss of each row */
    double *cursor, *next, *gradient, *next_gradient, *step;
    double *steps[MEMORY], *changes[MEMORY];
    double curvatures[MEMORY]; /* of each pair: step . change */
    size_t pairs;              /* number of pairs made so far */
} logistic_fitting;

/* ---- The objective and its gradient, computed in pieces ---- */

typedef struct logistic_piecework {
    const logistic_fitting *f;
    const double *x; /* the coefficients */
    double *gradient;
    const double *weights;
    atomic_size_t next;
} logistic_piecework;

/* Converts the class sums of a row to residuals. Returns the weighted loss of the row. */
static double conclude_row(const crd_i_sparse_logistic *p, size_t row, double weight, double *sums) {
    double greatest = sums[0], total = 0, own = sums[p->truths[row]];
    for (size_t k = 1; k < p->classes; k++)
        if (sums[k] > greatest) greatest = sums[k];
    for (size_t k = 0; k < p->classes; k++) total += sums[k] = crd_exp(sums[k] - greatest);
    for (size_t k = 0; k < p->classes; k++) sums[k] *= weight / total;
    sums[p->truths[row]] -= weight;
    return weight * (greatest - own + crd_log(total));
}

static void sum_rows(void *state, unsigned member) {
    logistic_piecework *work = state;
    const logistic_fitting *f = work->f;
    const crd_i_sparse_logistic *p = f->problem;
    (void)member;
    for (size_t first; (first = atomic_fetch_add(&work->next, ROWS_AT_ONCE)) < p->rows;) {
        if (crd_i_context_cancelled(f->context)) return;
        for (size_t row = first; row < p->rows && row < first + ROWS_AT_ONCE; row++) {
            double *sums = f->residuals + row * p->classes;
            if (work->weights[row] == 0) {
                memset(sums, 0, p->classes * sizeof *sums);
                f->losses[row] = 0;
                continue;
            }
            for (size_t k = 0; k < p->classes; k++) sums[k] = p->base == NULL ? 0 : p->base[row * p->classes + k];
            for (size_t i = p->starts[row]; i < p->starts[row + 1]; i++)
                crd_i_add_scaled(sums, p->values[i], work->x + p->indices[i] * p->classes, p->classes);
            f->losses[row] = conclude_row(p, row, work->weights[row], sums);
        }
    }
}

static void sum_features(void *state, unsigned member) {
    logistic_piecework *work = state;
    const logistic_fitting *f = work->f;
    const crd_i_sparse_logistic *p = f->problem;
    (void)member;
    for (size_t first; (first = atomic_fetch_add(&work->next, FEATURES_AT_ONCE)) < p->features;)
        for (size_t feature = first; feature < p->features && feature < first + FEATURES_AT_ONCE; feature++) {
            double *destination = work->gradient + feature * p->classes;
            const double *x = work->x + feature * p->classes;
            for (size_t k = 0; k < p->classes; k++) destination[k] = p->ridge * x[k];
            for (size_t i = f->column_starts[feature]; i < f->column_starts[feature + 1]; i++)
                crd_i_add_scaled(destination, f->column_values[i], f->residuals + f->column_rows[i] * p->classes,
                                 p->classes);
        }
}

static double compute_residuals_and_loss(const logistic_fitting *f, const double *x, const double *weights) {
    logistic_piecework work = {.f = f, .x = x, .weights = weights};
    atomic_init(&work.next, 0);
    crd_i_thread_pool_run(f->context, f->crew, sum_rows, &work);
    double loss = 0;
    for (size_t row = 0; row < f->problem->rows; row++) loss += f->losses[row];
    return loss;
}

static double sparse_logistic_evaluate(const logistic_fitting *f, const double *x) {
    return compute_residuals_and_loss(f, x, f->problem->weights) + f->problem->ridge / 2 * crd_i_dot(x, x, f->count);
}

/* Computes the gradient at x, where the objective was last evaluated. */
static void sparse_logistic_differentiate(const logistic_fitting *f, const double *x, double *gradient) {
    logistic_piecework work = {.f = f, .x = x, .gradient = gradient};
    atomic_init(&work.next, 0);
    crd_i_thread_pool_run(f->context, f->crew, sum_features, &work);
}

/* ---- Steps ---- */

/* Computes the L-BFGS step, the minimum of the quadratic model from the latest pairs, with Nocedal's two-loop
 * recursion. */
static void sparse_logistic_find_step(logistic_fitting *f) {
    const size_t known = f->pairs < MEMORY ? f->pairs : MEMORY;
    double factors[MEMORY] = {0};
    for (size_t i = 0; i < f->count; i++) f->step[i] = -f->gradient[i];
    for (size_t i = 0; i < known; i++) {
        const size_t pair = (f->pairs - 1 - i) % MEMORY;
        factors[pair] = crd_i_dot(f->steps[pair], f->step, f->count) / f->curvatures[pair];
        crd_i_add_scaled(f->step, -factors[pair], f->changes[pair], f->count);
    }
    if (known > 0) {
        const size_t last = (f->pairs - 1) % MEMORY;
        const double scale = f->curvatures[last] / crd_i_dot(f->changes[last], f->changes[last], f->count);
        for (size_t i = 0; i < f->count; i++) f->step[i] *= scale;
    } else {
        const double length = sqrt(crd_i_dot(f->gradient, f->gradient, f->count));
        for (size_t i = 0; length > 0 && i < f->count; i++) f->step[i] /= length;
    }
    for (size_t i = known; i-- > 0;) {
        const size_t pair = (f->pairs - 1 - i) % MEMORY;
        const double factor = factors[pair] - crd_i_dot(f->changes[pair], f->step, f->count) / f->curvatures[pair];
        crd_i_add_scaled(f->step, factor, f->steps[pair], f->count);
    }
}

/* Backtracks along the step until the objective decreases sufficiently. Returns false if it never does. */
static bool sparse_logistic_go(logistic_fitting *f, double *objective) {
    const double slope = crd_i_dot(f->gradient, f->step, f->count);
    double length = 1;
    if (!(slope < 0)) return false;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, length /= 2) {
        for (size_t i = 0; i < f->count; i++) f->next[i] = f->cursor[i] + length * f->step[i];
        const double reached = sparse_logistic_evaluate(f, f->next);
        if (crd_i_context_cancelled(f->context)) return false;
        if (reached > *objective + LEAST_DECREASE * length * slope) continue;
        *objective = reached;
        return true;
    }
    return false;
}

static void sparse_logistic_remember(logistic_fitting *f) {
    const size_t pair = f->pairs % MEMORY;
    for (size_t i = 0; i < f->count; i++) {
        f->steps[pair][i] = f->next[i] - f->cursor[i];
        f->changes[pair][i] = f->next_gradient[i] - f->gradient[i];
    }
    f->curvatures[pair] = crd_i_dot(f->steps[pair], f->changes[pair], f->count);
    if (f->curvatures[pair] > 0) f->pairs++;
    double *spare = f->cursor;
    f->cursor = f->next;
    f->next = spare;
    spare = f->gradient;
    f->gradient = f->next_gradient;
    f->next_gradient = spare;
}

static void sparse_logistic_descend(logistic_fitting *f) {
    double objective = sparse_logistic_evaluate(f, f->cursor);
    sparse_logistic_differentiate(f, f->cursor, f->gradient);
    for (size_t i = 0; i < f->problem->most_steps && !crd_i_context_cancelled(f->context); i++) {
        const double before = objective;
        sparse_logistic_find_step(f);
        if (!sparse_logistic_go(f, &objective)) return;
        sparse_logistic_differentiate(f, f->next, f->next_gradient);
        sparse_logistic_remember(f);
        if (before - objective < f->problem->enough * before) return;
    }
}

/* ---- Memory ---- */

static void sparse_logistic_clear(logistic_fitting *f) {
    void *const blocks[] = {f->column_starts, f->column_rows, f->column_values, f->residuals,     f->losses,
                            f->cursor,        f->next,        f->gradient,      f->next_gradient, f->step};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(f->context, blocks[i]);
    for (size_t i = 0; i < MEMORY; i++) {
        crd_free(f->context, f->steps[i]);
        crd_free(f->context, f->changes[i]);
    }
}

static bool open_losses(logistic_fitting *f, crd_context *context, const crd_i_sparse_logistic *p) {
    f->context = context;
    f->problem = p;
    f->count = p->features * p->classes;
    f->crew = p->starts[p->rows] * p->classes < LEAST_FOR_THREADS ? 1 : crd_i_thread_pool_size(0);
    f->residuals = crd_i_alloc(context, p->rows * p->classes, sizeof *f->residuals);
    f->losses = crd_i_alloc(context, p->rows, sizeof *f->losses);
    return f->residuals != NULL && f->losses != NULL;
}

static bool sparse_logistic_transpose(logistic_fitting *f) {
    const crd_i_sparse_logistic *p = f->problem;
    const size_t entries = p->starts[p->rows];
    f->column_starts = crd_i_alloc_zeroed(f->context, p->features + 1, sizeof *f->column_starts);
    f->column_rows = crd_i_alloc(f->context, entries, sizeof *f->column_rows);
    f->column_values = crd_i_alloc(f->context, entries, sizeof *f->column_values);
    if (f->column_starts == NULL || f->column_rows == NULL || f->column_values == NULL) return false;
    for (size_t i = 0; i < entries; i++) f->column_starts[p->indices[i] + (size_t)1]++;
    for (size_t j = 0; j < p->features; j++) f->column_starts[j + 1] += f->column_starts[j];
    for (size_t row = 0; row < p->rows; row++)
        for (size_t i = p->starts[row]; i < p->starts[row + 1]; i++) {
            const size_t limit = f->column_starts[p->indices[i]]++;
            f->column_rows[limit] = (uint32_t)row;
            f->column_values[limit] = p->values[i];
        }
    for (size_t j = p->features; j > 0; j--) f->column_starts[j] = f->column_starts[j - 1];
    f->column_starts[0] = 0;
    return true;
}

static bool sparse_logistic_open(logistic_fitting *f, crd_context *context, const crd_i_sparse_logistic *p) {
    if (!open_losses(f, context, p) || !sparse_logistic_transpose(f)) return false;
    double **const vectors[] = {&f->cursor, &f->next, &f->gradient, &f->next_gradient, &f->step};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if ((*vectors[i] = crd_i_alloc_zeroed(context, f->count, sizeof **vectors[i])) == NULL) return false;
    for (size_t i = 0; i < MEMORY; i++) {
        f->steps[i] = crd_i_alloc(context, f->count, sizeof *f->steps[i]);
        f->changes[i] = crd_i_alloc(context, f->count, sizeof *f->changes[i]);
        if (f->steps[i] == NULL || f->changes[i] == NULL) return false;
    }
    return true;
}

bool crd_i_sparse_logistic_fit(crd_context *context, const crd_i_sparse_logistic *problem, double *coefficients) {
    logistic_fitting f = {.context = context};
    const bool done = sparse_logistic_open(&f, context, problem);
    if (done && f.count > 0) {
        memcpy(f.cursor, coefficients, f.count * sizeof *coefficients);
        sparse_logistic_descend(&f);
        memcpy(coefficients, f.cursor, f.count * sizeof *coefficients);
    }
    sparse_logistic_clear(&f);
    return done;
}

bool crd_i_sparse_logistic_loss(crd_context *context, const crd_i_sparse_logistic *problem, const double *coefficients,
                                const double *weights, double *loss) {
    logistic_fitting f = {.context = context};
    const bool done = open_losses(&f, context, problem);
    if (done) *loss = compute_residuals_and_loss(&f, coefficients, weights);
    sparse_logistic_clear(&f);
    return done;
}
