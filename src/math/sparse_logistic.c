/* SPDX-License-Identifier: MIT */
/* sparse_logistic.c - see sparse_logistic.h. The gradient is summed feature by feature over the rows that have it, which
 * takes the transpose of the rows and no sums that threads share. */
#include "math/sparse_logistic.h"

#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/functions/elementary.h"
#include "math/vectors.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Pairs of steps and changes of the gradient that are remembered; halvings of a step. */
enum { MEMORY = 5, MOST_HALVINGS = 30 };

/* Rows and features that a thread takes at once; what is not worth threads. */
enum { ROWS_AT_ONCE = 128, FEATURES_AT_ONCE = 512, LEAST_FOR_THREADS = 1 << 16 };

/* Of what a step promises, the least that it has to lower the objective by (Armijo's rule). */
static const double LEAST_DECREASE = 1e-4;

typedef struct fitting {
    crd_context *context;
    const crd_i_sparse_logistic *problem;
    unsigned crew;
    size_t count;               /* of coefficients */
    size_t *column_starts;      /* the transpose: of each feature */
    uint32_t *column_rows;      /* its rows in order, */
    double *column_values;      /* and its values there */
    double *residuals, *losses; /* rows x classes: weight x (probability - truth); of each row */
    double *at, *next, *gradient, *next_gradient, *step;
    double *steps[MEMORY], *changes[MEMORY];
    double curvatures[MEMORY]; /* of each pair: step x change */
    size_t pairs;              /* that were ever made */
} fitting;

/* ---- The objective and its gradient, in pieces ---- */

typedef struct piecework {
    const fitting *f;
    const double *x; /* unknowns */
    double *gradient;
    const double *weights;
    atomic_size_t next;
} piecework;

/* The sums of a row's classes become residuals; its loss. */
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
    piecework *work = state;
    const fitting *f = work->f;
    const crd_i_sparse_logistic *p = f->problem;
    (void)member;
    for (size_t from; (from = atomic_fetch_add(&work->next, ROWS_AT_ONCE)) < p->rows;) {
        if (crd_i_context_cancelled(f->context)) return;
        for (size_t row = from; row < p->rows && row < from + ROWS_AT_ONCE; row++) {
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
    piecework *work = state;
    const fitting *f = work->f;
    const crd_i_sparse_logistic *p = f->problem;
    (void)member;
    for (size_t from; (from = atomic_fetch_add(&work->next, FEATURES_AT_ONCE)) < p->features;)
        for (size_t feature = from; feature < p->features && feature < from + FEATURES_AT_ONCE; feature++) {
            double *to = work->gradient + feature * p->classes;
            const double *x = work->x + feature * p->classes;
            for (size_t k = 0; k < p->classes; k++) to[k] = p->ridge * x[k];
            for (size_t i = f->column_starts[feature]; i < f->column_starts[feature + 1]; i++)
                crd_i_add_scaled(to, f->column_values[i], f->residuals + f->column_rows[i] * p->classes, p->classes);
        }
}

static double sum_losses(const fitting *f, const double *x, const double *weights) {
    piecework work = {.f = f, .x = x, .weights = weights};
    atomic_init(&work.next, 0);
    crd_i_thread_pool_run(f->context, f->crew, sum_rows, &work);
    double loss = 0;
    for (size_t row = 0; row < f->problem->rows; row++) loss += f->losses[row];
    return loss;
}

static double evaluate(const fitting *f, const double *x) {
    return sum_losses(f, x, f->problem->weights) + f->problem->ridge / 2 * crd_i_dot(x, x, f->count);
}

/* At x, where the objective was evaluated last. */
static void differentiate(const fitting *f, const double *x, double *gradient) {
    piecework work = {.f = f, .x = x, .gradient = gradient};
    atomic_init(&work.next, 0);
    crd_i_thread_pool_run(f->context, f->crew, sum_features, &work);
}

/* ---- Steps ---- */

/* Where the quadratic model of the last pairs has its least, from here: the two loops of Nocedal. */
static void find_step(fitting *f) {
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

/* Goes along the step as far as the objective becomes less; false: it does not. */
static bool go(fitting *f, double *objective) {
    const double slope = crd_i_dot(f->gradient, f->step, f->count);
    double length = 1;
    if (!(slope < 0)) return false;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, length /= 2) {
        for (size_t i = 0; i < f->count; i++) f->next[i] = f->at[i] + length * f->step[i];
        const double reached = evaluate(f, f->next);
        if (crd_i_context_cancelled(f->context)) return false;
        if (reached > *objective + LEAST_DECREASE * length * slope) continue;
        *objective = reached;
        return true;
    }
    return false;
}

static void remember(fitting *f) {
    const size_t pair = f->pairs % MEMORY;
    for (size_t i = 0; i < f->count; i++) {
        f->steps[pair][i] = f->next[i] - f->at[i];
        f->changes[pair][i] = f->next_gradient[i] - f->gradient[i];
    }
    f->curvatures[pair] = crd_i_dot(f->steps[pair], f->changes[pair], f->count);
    if (f->curvatures[pair] > 0) f->pairs++;
    double *spare = f->at;
    f->at = f->next;
    f->next = spare;
    spare = f->gradient;
    f->gradient = f->next_gradient;
    f->next_gradient = spare;
}

static void descend(fitting *f) {
    double objective = evaluate(f, f->at);
    differentiate(f, f->at, f->gradient);
    for (size_t i = 0; i < f->problem->most_steps && !crd_i_context_cancelled(f->context); i++) {
        const double before = objective;
        find_step(f);
        if (!go(f, &objective)) return;
        differentiate(f, f->next, f->next_gradient);
        remember(f);
        if (before - objective < f->problem->enough * before) return;
    }
}

/* ---- Room ---- */

static void clear(fitting *f) {
    void *const blocks[] = {f->column_starts, f->column_rows, f->column_values, f->residuals, f->losses, f->at,
                            f->next,          f->gradient,    f->next_gradient, f->step};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(f->context, blocks[i]);
    for (size_t i = 0; i < MEMORY; i++) {
        crd_free(f->context, f->steps[i]);
        crd_free(f->context, f->changes[i]);
    }
}

static bool open_losses(fitting *f, crd_context *context, const crd_i_sparse_logistic *p) {
    f->context = context;
    f->problem = p;
    f->count = p->features * p->classes;
    f->crew = p->starts[p->rows] * p->classes < LEAST_FOR_THREADS ? 1 : crd_i_thread_pool_size(0);
    f->residuals = crd_i_alloc(context, p->rows * p->classes, sizeof *f->residuals);
    f->losses = crd_i_alloc(context, p->rows, sizeof *f->losses);
    return f->residuals != NULL && f->losses != NULL;
}

static bool transpose(fitting *f) {
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
            const size_t to = f->column_starts[p->indices[i]]++;
            f->column_rows[to] = (uint32_t)row;
            f->column_values[to] = p->values[i];
        }
    for (size_t j = p->features; j > 0; j--) f->column_starts[j] = f->column_starts[j - 1];
    f->column_starts[0] = 0;
    return true;
}

static bool open(fitting *f, crd_context *context, const crd_i_sparse_logistic *p) {
    if (!open_losses(f, context, p) || !transpose(f)) return false;
    double **const vectors[] = {&f->at, &f->next, &f->gradient, &f->next_gradient, &f->step};
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
    fitting f = {.context = context};
    const bool done = open(&f, context, problem);
    if (done && f.count > 0) {
        memcpy(f.at, coefficients, f.count * sizeof *coefficients);
        descend(&f);
        memcpy(coefficients, f.at, f.count * sizeof *coefficients);
    }
    clear(&f);
    return done;
}

bool crd_i_sparse_logistic_loss(crd_context *context, const crd_i_sparse_logistic *problem, const double *coefficients,
                                const double *weights, double *loss) {
    fitting f = {.context = context};
    const bool done = open_losses(&f, context, problem);
    if (done) *loss = sum_losses(&f, coefficients, weights);
    clear(&f);
    return done;
}
