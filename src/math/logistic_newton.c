/* SPDX-License-Identifier: MIT */
/* logistic_newton.c - see logistic_newton.h. */
#include "math/logistic_newton.h"

#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* Newton's method converges in a few steps. A step halved this often is far below any visible difference. */
enum { MOST_STEPS = 50, MOST_HALVINGS = 40 };

/* Conjugate gradients stop when the residual is this fraction of the gradient. The next Newton step corrects the
 * rest. */
static const double STEP_ACCURACY = 0.1;

typedef struct newton_fitting {
    const crd_context *context;
    const crd_i_logistic *problem;
    size_t count;          /* number of unknowns: coefficients, then offsets */
    double *start;         /* the initial values */
    double *cursor, *next; /* the current point, and the next candidate */
    double *probabilities; /* rows x classes, at `at` or `next` */
    double *gradient, *diagonal;
    bool *is_held; /* at zero, with a gradient that would make it negative */
    double *step, *residual, *direction, *image, *scaled;
    double *workspace; /* one number per class */
} newton_fitting;

/* ---- The objective ---- */

static void sum_row(const crd_i_logistic *p, const double *x, size_t row, double *sums) {
    for (size_t k = 0; k < p->classes; k++) {
        size_t cell = row * p->classes + k;
        sums[k] = crd_i_dot(x, p->values + cell * p->features, p->features);
        if (p->base != NULL) sums[k] += p->base[cell];
        if (p->has_offsets) sums[k] += x[p->features + k];
    }
}

/* Converts the sums of a row to probabilities (softmax). Returns minus the log probability of the row's class. */
static double normalize_row(const crd_i_logistic *p, size_t row, double *sums) {
    double greatest = sums[0], total = 0, own = sums[p->truths[row]];
    for (size_t k = 1; k < p->classes; k++)
        if (sums[k] > greatest) greatest = sums[k];
    for (size_t k = 0; k < p->classes; k++) total += sums[k] = crd_exp(sums[k] - greatest);
    for (size_t k = 0; k < p->classes; k++) sums[k] /= total;
    return greatest - own + crd_log(total);
}

static double logistic_newton_penalty(const newton_fitting *f, const double *x) {
    double squares = 0;
    for (size_t i = 0; i < f->count; i++) squares += (x[i] - f->start[i]) * (x[i] - f->start[i]);
    return f->problem->ridge / 2 * squares;
}

/* Computes the loss over all rows at x, and the probabilities there. */
static double logistic_newton_evaluate(const newton_fitting *f, const double *x) {
    const crd_i_logistic *p = f->problem;
    double loss = 0;
    for (size_t row = 0; row < p->rows; row++) {
        double *sums = f->probabilities + row * p->classes;
        sum_row(p, x, row, sums);
        loss += p->weights[row] * normalize_row(p, row, sums);
    }
    return loss;
}

/* ---- Derivatives, at the point of the probabilities ---- */

static void find_gradient(newton_fitting *f) {
    const crd_i_logistic *p = f->problem;
    size_t n = p->features;
    for (size_t i = 0; i < f->count; i++) {
        f->gradient[i] = p->ridge * (f->cursor[i] - f->start[i]);
        f->diagonal[i] = p->ridge;
    }
    for (size_t row = 0; row < p->rows; row++) {
        const double *values = p->values + row * p->classes * n, *q = f->probabilities + row * p->classes;
        size_t truth = (size_t)p->truths[row];
        double weight = p->weights[row], *restrict mean = f->image;
        for (size_t j = 0; j < n; j++) mean[j] = 0;
        for (size_t k = 0; k < p->classes; k++) crd_i_add_scaled(mean, q[k], values + k * n, n);
        crd_i_add_scaled(f->gradient, weight, mean, n);
        crd_i_add_scaled(f->gradient, -weight, values + truth * n, n);
        for (size_t k = 0; k < p->classes; k++) {
            const double *restrict of_class = values + k * n;
            double *restrict diagonal = f->diagonal, part = weight * q[k];
            for (size_t j = 0; j < n; j++) diagonal[j] += part * (of_class[j] - mean[j]) * (of_class[j] - mean[j]);
        }
        for (size_t k = 0; p->has_offsets && k < p->classes; k++) {
            f->gradient[n + k] += weight * (q[k] - (k == truth));
            f->diagonal[n + k] += weight * q[k] * (1 - q[k]);
        }
    }
}

/* Computes image = the Hessian times a direction. */
static void logistic_newton_multiply(newton_fitting *f, const double *direction, double *image) {
    const crd_i_logistic *p = f->problem;
    size_t n = p->features;
    double *along = f->workspace;
    for (size_t i = 0; i < f->count; i++) image[i] = p->ridge * direction[i];
    for (size_t row = 0; row < p->rows; row++) {
        const double *values = p->values + row * p->classes * n, *q = f->probabilities + row * p->classes;
        double mean = 0;
        for (size_t k = 0; k < p->classes; k++) {
            along[k] = crd_i_dot(direction, values + k * n, n) + (p->has_offsets ? direction[n + k] : 0);
            mean += q[k] * along[k];
        }
        for (size_t k = 0; k < p->classes; k++) {
            along[k] = p->weights[row] * q[k] * (along[k] - mean);
            crd_i_add_scaled(image, along[k], values + k * n, n);
            if (p->has_offsets) image[n + k] += along[k];
        }
    }
}

/* ---- A step ---- */

/* Scales the residual by the inverse diagonal of the Hessian. Held unknowns do not move. */
static void logistic_newton_scale(const newton_fitting *f) {
    for (size_t i = 0; i < f->count; i++) f->scaled[i] = f->is_held[i] ? 0 : f->residual[i] / f->diagonal[i];
}

/* Finds the Newton step, which minimizes the second-order approximation, by preconditioned conjugate gradients on the
 * unknowns that are not held. */
static void logistic_newton_find_step(newton_fitting *f) {
    size_t n = f->count;
    for (size_t i = 0; i < n; i++) {
        f->step[i] = 0;
        f->residual[i] = f->is_held[i] ? 0 : -f->gradient[i];
    }
    logistic_newton_scale(f);
    memcpy(f->direction, f->scaled, n * sizeof *f->direction);
    double size = crd_i_dot(f->residual, f->scaled, n), enough = size * STEP_ACCURACY * STEP_ACCURACY;
    for (size_t round = 0; round < n && size > enough && !crd_i_context_cancelled(f->context); round++) {
        logistic_newton_multiply(f, f->direction, f->image);
        double curvature = crd_i_dot(f->direction, f->image, n);
        if (!(curvature > 0)) break;
        double length = size / curvature;
        for (size_t i = 0; i < n; i++) {
            f->step[i] += length * f->direction[i];
            f->residual[i] -= f->is_held[i] ? 0 : length * f->image[i];
        }
        logistic_newton_scale(f);
        double before = size;
        size = crd_i_dot(f->residual, f->scaled, n);
        for (size_t i = 0; i < n; i++) f->direction[i] = f->scaled[i] + size / before * f->direction[i];
    }
}

static void logistic_newton_go(const newton_fitting *f, double length) {
    const crd_i_logistic *p = f->problem;
    for (size_t i = 0; i < f->count; i++) {
        f->next[i] = f->cursor[i] + length * f->step[i];
        if (p->holds_above_zero && i < p->features && f->next[i] < 0) f->next[i] = 0;
    }
}

/* Halves the step until the objective decreases by a fraction of the decrease that the slope predicts. Returns false if
 * it never does. */
static bool logistic_newton_take_step(newton_fitting *f, double *objective, double *loss) {
    double length = 1;
    for (int halving = 0; halving < MOST_HALVINGS && !crd_i_context_cancelled(f->context); halving++, length /= 2) {
        logistic_newton_go(f, length);
        double promised = 0;
        for (size_t i = 0; i < f->count; i++) promised += f->gradient[i] * (f->next[i] - f->cursor[i]);
        double new_loss = logistic_newton_evaluate(f, f->next), there = new_loss + logistic_newton_penalty(f, f->next);
        if (there <= *objective + 1e-4 * promised) {
            double *before = f->cursor;
            f->cursor = f->next;
            f->next = before;
            *objective = there;
            *loss = new_loss;
            return true;
        }
    }
    return false;
}

static void logistic_newton_hold(const newton_fitting *f) {
    const crd_i_logistic *p = f->problem;
    for (size_t i = 0; i < f->count; i++)
        f->is_held[i] = p->holds_above_zero && i < p->features && f->cursor[i] <= 0 && f->gradient[i] > 0;
}

static void logistic_newton_minimize(newton_fitting *f, double *loss, bool *has_converged) {
    double objective = *loss = logistic_newton_evaluate(f, f->cursor);
    *has_converged = false;
    objective += logistic_newton_penalty(f, f->cursor);
    for (int step = 0; step < MOST_STEPS && !*has_converged && !crd_i_context_cancelled(f->context); step++) {
        find_gradient(f);
        logistic_newton_hold(f);
        logistic_newton_find_step(f);
        double promised = -crd_i_dot(f->gradient, f->step, f->count) / 2;
        if (!(promised > f->problem->enough * (1 + fabs(objective)))) *has_converged = true;
        else if (!logistic_newton_take_step(f, &objective, loss)) {
            *has_converged = true;
            *loss = logistic_newton_evaluate(f, f->cursor);
        }
    }
}

/* ---- Fitting ---- */

static double *logistic_newton_take(double **source, size_t count) {
    double *taken = *source;
    *source += count;
    return taken;
}

bool crd_i_logistic_fit(crd_context *context, const crd_i_logistic *problem, double *coefficients, double *offsets,
                        double *loss, bool *has_converged) {
    size_t features = problem->features, classes = problem->classes;
    size_t count = features + (problem->has_offsets ? classes : 0);
    enum { VECTORS = 10 };
    newton_fitting f = {.context = context, .problem = problem, .count = count};
    double *vectors = crd_i_alloc(context, VECTORS * count + classes, sizeof *vectors), *next = vectors;
    f.is_held = crd_i_alloc_zeroed(context, count, sizeof *f.is_held);
    f.probabilities = crd_i_alloc(context, problem->rows * classes, sizeof *f.probabilities);
    bool done = vectors != NULL && f.is_held != NULL && f.probabilities != NULL;
    if (done) {
        double **const all[VECTORS] = {&f.start, &f.cursor,   &f.next,      &f.gradient, &f.diagonal,
                                       &f.step,  &f.residual, &f.direction, &f.image,    &f.scaled};
        for (size_t i = 0; i < VECTORS; i++) *all[i] = logistic_newton_take(&next, count);
        f.workspace = next;
        for (size_t i = 0; i < count; i++)
            f.start[i] = f.cursor[i] = i < features ? coefficients[i] : offsets[i - features];
        logistic_newton_minimize(&f, loss, has_converged);
        for (size_t i = 0; i < count; i++) *(i < features ? &coefficients[i] : &offsets[i - features]) = f.cursor[i];
    }
    crd_free(context, vectors);
    crd_free(context, f.is_held);
    crd_free(context, f.probabilities);
    return done;
}
