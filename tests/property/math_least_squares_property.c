/* SPDX-License-Identifier: MIT */
/* Least squares is the maximum likelihood hypothesis where the noise is normal (docs/least-squares.md shows why).
 *
 * Points on random lines get random noise. Of all lines the one of least squares, by its closed form, has the greatest
 * sum of log densities of the noise: among lines near it and far from it, and by a search that knows nothing of
 * squares. Where the noise is of another kind it has not, which shows that these tests could fail. */
#include <credence/distribution.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "counted_fixture.h"

enum { TRIALS = 100, MOST_POINTS = 40, RIVALS = 60, SEED = 1809 };

static const double noise_levels[] = {0.01, 1, 50};
enum { NOISE_LEVELS = sizeof noise_levels / sizeof noise_levels[0] };

static uint64_t drawn; /* each number of the seed is taken once */

static crd_distribution *make(const char *name, const char *parameter, double value) {
    crd_parameter_value given = {crd_text_of(parameter), &value, 1};
    crd_distribution *distribution = NULL;
    crd_error error;
    if (crd_distribution_create(context, crd_text_of(name), &given, 1, &distribution, &error) != CRD_OK)
        fail_msg("%s: %s", name, error.message);
    return distribution;
}

static double draw(const crd_distribution *distribution) {
    double x;
    crd_distribution_sample(distribution, SEED, drawn++, 1, &x);
    return x;
}

/* ---- Lines and the points about them ---- */

typedef struct squares_line {
    double intercept, slope;
} squares_line;

typedef struct squares_points {
    size_t count;
    double x[MOST_POINTS], y[MOST_POINTS];
} squares_points;

static squares_points points_about(squares_line truth, const crd_distribution *noise,
                                   const crd_distribution *standard) {
    squares_points p = {.count = 5 + (size_t)fabs(draw(standard) * 8)};
    if (p.count > MOST_POINTS) p.count = MOST_POINTS;
    for (size_t i = 0; i < p.count; i++) {
        p.x[i] = 4 * draw(standard);
        p.y[i] = truth.intercept + truth.slope * p.x[i] + draw(noise);
    }
    return p;
}

static double mean_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* The closed form; *spread receives the sum of squared deviations of x. */
static squares_line least_squares(const squares_points *p, double *spread) {
    double x_mean = mean_of(p->x, p->count), y_mean = mean_of(p->y, p->count), xx = 0, xy = 0;
    for (size_t i = 0; i < p->count; i++) {
        xx += (p->x[i] - x_mean) * (p->x[i] - x_mean);
        xy += (p->x[i] - x_mean) * (p->y[i] - y_mean);
    }
    *spread = xx;
    return (squares_line){y_mean - xy / xx * x_mean, xy / xx};
}

static double residual(const squares_points *p, squares_line h, size_t i) {
    return p->y[i] - (h.intercept + h.slope * p->x[i]);
}

static double squared_error(const squares_points *p, squares_line h) {
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += residual(p, h, i) * residual(p, h, i);
    return sum;
}

/* ln p(D | h): what h does not explain is noise, drawn anew for each point. */
static double log_likelihood(const squares_points *p, squares_line h, const crd_distribution *noise) {
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        double e = residual(p, h, i);
        sum += crd_distribution_log_density(noise, &e);
    }
    return sum;
}

/* A line some way off: from a millionth of its own uncertainty to a thousand times it. */
static squares_line rival_of(squares_line best, double deviation, double spread, size_t count,
                             const crd_distribution *standard) {
    double size = pow(10, -6 + 9 * crd_distribution_below(standard, draw(standard)));
    return (squares_line){best.intercept + size * draw(standard) * deviation / sqrt((double)count),
                          best.slope + size * draw(standard) * deviation / sqrt(spread)};
}

/* ---- The tests ---- */

static void no_line_is_likelier(void **state) {
    (void)state;
    crd_distribution *standard = make("normal", "mean", 0);
    for (size_t level = 0; level < NOISE_LEVELS; level++) {
        double deviation = noise_levels[level];
        crd_distribution *noise = make("normal", "sd", deviation);
        for (int trial = 0; trial < TRIALS; trial++) {
            double spread;
            squares_points p = points_about((squares_line){10 * draw(standard), 3 * draw(standard)}, noise, standard);
            squares_line best = least_squares(&p, &spread);
            double top = log_likelihood(&p, best, noise), least = squared_error(&p, best);
            for (int i = 0; i < RIVALS; i++) {
                squares_line other = rival_of(best, deviation, spread, p.count, standard);
                double lost = top - log_likelihood(&p, other, noise);
                double gained = (squared_error(&p, other) - least) / (2 * deviation * deviation);
                double rounding = 1e-12 * (fabs(top) + fabs(gained) + 100);
                if (lost < -rounding)
                    fail_msg("deviation %g, trial %d: another line is likelier by %g", deviation, trial, -lost);
                /* What is lost in likelihood is what is gained in squares, in units of twice the variance. */
                if (fabs(lost - gained) > rounding)
                    fail_msg("deviation %g, trial %d: lost %.17g, squares gained %.17g", deviation, trial, lost,
                             gained);
            }
        }
        crd_distribution_destroy(noise);
    }
    crd_distribution_destroy(standard);
}

/* How large the noise is need not be known: another deviation makes every line likelier or less so, and the same line
 * the best. */
static void the_noise_level_does_not_matter(void **state) {
    (void)state;
    crd_distribution *standard = make("normal", "mean", 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        double spread;
        squares_points p = points_about((squares_line){10 * draw(standard), 3 * draw(standard)}, standard, standard);
        squares_line best = least_squares(&p, &spread);
        for (size_t level = 0; level < NOISE_LEVELS; level++) {
            crd_distribution *believed = make("normal", "sd", noise_levels[level]);
            double top = log_likelihood(&p, best, believed);
            for (int i = 0; i < RIVALS; i++) {
                squares_line other = rival_of(best, 1, spread, p.count, standard);
                assert_true(log_likelihood(&p, other, believed) <= top + 1e-12 * (fabs(top) + 100));
            }
            crd_distribution_destroy(believed);
        }
    }
    crd_distribution_destroy(standard);
}

/* The place of the greatest value of a function with one peak between low and high, by golden sections. */
static double peak(double (*value)(const void *about, double position), const void *about, double low, double high) {
    const double part = 0.6180339887498949; /* (sqrt(5) - 1) / 2 */
    double left = high - part * (high - low), right = low + part * (high - low);
    double at_left = value(about, left), at_right = value(about, right);
    for (int step = 0; step < 60; step++) {
        if (at_left > at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - part * (high - low);
            at_left = value(about, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + part * (high - low);
            at_right = value(about, right);
        }
    }
    return (low + high) / 2;
}

/* A line is searched for by its height at the mean of x, and its slope. */
typedef struct squares_search {
    const squares_points *p;
    const crd_distribution *noise;
    double x_mean, slope, low, high;
} squares_search;

static squares_line line_at(const squares_search *s, double height) {
    return (squares_line){height - s->slope * s->x_mean, s->slope};
}

static double value_at_height(const void *about, double height) {
    const squares_search *s = about;
    return log_likelihood(s->p, line_at(s, height), s->noise);
}

static double best_height(const squares_search *s) {
    return peak(value_at_height, s, s->low, s->high);
}

static double value_at_slope(const void *about, double slope) {
    squares_search s = *(const squares_search *)about;
    s.slope = slope;
    return value_at_height(&s, best_height(&s));
}

static void a_search_finds_the_same_line(void **state) {
    (void)state;
    crd_distribution *standard = make("normal", "mean", 0);
    for (size_t level = 0; level < NOISE_LEVELS; level++) {
        double deviation = noise_levels[level];
        crd_distribution *noise = make("normal", "sd", deviation);
        for (int trial = 0; trial < TRIALS / 10; trial++) {
            double spread;
            squares_line truth = {10 * draw(standard), 3 * draw(standard)};
            squares_points p = points_about(truth, noise, standard);
            squares_line best = least_squares(&p, &spread);
            squares_search s = {.p = &p, .noise = noise, .x_mean = mean_of(p.x, p.count)};
            double height = truth.intercept + truth.slope * s.x_mean;
            double uncertain = deviation / sqrt(spread);
            s.low = height - 8 * deviation;
            s.high = height + 8 * deviation;
            s.slope = peak(value_at_slope, &s, truth.slope - 8 * uncertain, truth.slope + 8 * uncertain);
            /* Near its peak a function is flat: half the digits are all that values can tell. */
            if (fabs(s.slope - best.slope) > 1e-5 * uncertain)
                fail_msg("deviation %g, trial %d: slope %.17g, least squares %.17g", deviation, trial, s.slope,
                         best.slope);
            squares_line line = line_at(&s, best_height(&s));
            assert_true(fabs(residual(&p, line, 0) - residual(&p, best, 0)) < 1e-4 * deviation);
        }
        crd_distribution_destroy(noise);
    }
    crd_distribution_destroy(standard);
}

/* Of noise with heavy tails a likelier line is near: squares take its outliers too seriously. */
static void other_noise_has_other_best_lines(void **state) {
    (void)state;
    crd_distribution *standard = make("normal", "mean", 0), *noise = make("student", "degrees", 2);
    int beaten = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double spread;
        squares_points p = points_about((squares_line){10 * draw(standard), 3 * draw(standard)}, noise, standard);
        squares_line best = least_squares(&p, &spread);
        double top = log_likelihood(&p, best, noise);
        int likelier = 0;
        for (int i = 0; i < RIVALS && !likelier; i++)
            likelier = log_likelihood(&p, rival_of(best, 1, spread, p.count, standard), noise) > top + 1e-3;
        beaten += likelier;
    }
    crd_distribution_destroy(noise);
    crd_distribution_destroy(standard);
    assert_true(beaten > TRIALS * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_likelier),
        cmocka_unit_test(the_noise_level_does_not_matter),
        cmocka_unit_test(a_search_finds_the_same_line),
        cmocka_unit_test(other_noise_has_other_best_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
