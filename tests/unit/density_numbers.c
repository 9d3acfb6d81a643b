/* SPDX-License-Identifier: MIT */
/* Every family of numbers: values against SciPy, densities against their distribution functions, quantiles, draws, rows
 * left out, and columns that have nothing to tell. A family that is not among the samples fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "density/univariate/family.h"
#include "stats_support.h"

#include <math.h>
#include <string.h>

static crd_context *context;
static crd_settings *settings;
static const int32_t order[] = {0, 1, 2};

static void set(const char *name, const char *value) {
    crd_error error;
    assert_int_equal(crd_settings_set(settings, name, crd_text_of(value), &error), CRD_OK);
}

static int set_up(void **state) {
    (void)state;
    if (crd_context_create(NULL, &context) != CRD_OK) return 1;
    return crd_settings_create(context, &settings, NULL) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    return 0;
}

/* ---- Samples ---- */

enum { MOST_ROWS = 7, CONDITIONS = 2, POINTS = 3 };

/* What a family says under the first condition with smoothing m:1: as SciPy 1.17.1 prints it. */
typedef struct point {
    double x, log_density, below;
} point;

typedef struct sample {
    const char *family;
    size_t rows;
    double numbers[MOST_ROWS];
    point points[POINTS];
} sample;

static const int32_t under[MOST_ROWS] = {0, 0, 0, 0, 1, 1, 1};

#define AMOUNTS                                                                                                        \
    7, {                                                                                                               \
        0.5, 1.5, 2, 4, 3, 5, 9                                                                                        \
    }

/* With x = [.5, 1.5, 2, 4], y = [3, 5, 9], a = x + y, n = 4, and m, v, M, V mean and variance of x and of a:
 *   gaussian     norm(m, sqrt((n * v + V) / (n + 1)))
 *   student      t(n, (M + n * m) / 5, sqrt((n * v + V + .8 * (m - M)**2) / n * 1.2))
 *   lognormal    lognorm(sqrt((n * var(log(x)) + var(log(a))) / 5), scale=exp(mean(log(x))))
 *   exponential  expon(scale=(sum(x) + M) / 5)
 *   uniform      .8 * uniform(.5, 3.5) + .2 * uniform(.5, 8.5)
 *   bernoulli    bernoulli(3.5 / 5)
 *   poisson      poisson((sum(c) + mean(c + d)) / 5), c = [0, 2, 3, 1], d = [7, 5, 9]
 *   histogram    P = (histogram(x, e)[0] + 1/4) / 5 over e = linspace(.5, 9, 5), as log2(7) + 1 is above 3; 1/8 of the
 *                first and 1/4 of the last lie beyond the ends
 *   kernel       gaussian_kde(a, h / sqrt(cov(a, aweights=w)), weights=w), w = 1/7 + (a from x), h = 3.5 / sqrt(5)
 *   mixture      norm(average(a, weights=w), its deviation): by BIC one curve is enough
 * each by logpdf or logpmf, and cdf. */
static const sample samples[] = {
    {"gaussian",
     AMOUNTS,
     {{2, -1.4113898224043537, 0.5},
      {0.7, -1.7269767126482563, 0.21346254508826734},
      {3.25, -1.703167642526305, 0.7775390056820413}}},
    {"student",
     AMOUNTS,
     {{-1, -2.9133018504014023, 0.098758656471968},
      {0.7, -2.0753620818819067, 0.2469589781841996},
      {3.25, -1.8608296700263107, 0.6572835013082436}}},
    {"lognormal",
     AMOUNTS,
     {{0.1, -4.671902624548632, 0.00019051075428533703},
      {0.7, -0.8463992974983179, 0.14932513152588395},
      {3.25, -2.2870734844725806, 0.8273832228062532}}},
    {"exponential",
     AMOUNTS,
     {{0, -0.839101093183025, 0},
      {0.7, -1.141570228985494, 0.26100870371969126},
      {3.25, -2.2434220808373464, 0.7544662797095211}}},
    {"uniform",
     AMOUNTS,
     {{0.7, -1.377926111449374, 0.05042016806722688},
      {3.25, -1.377926111449374, 0.6932773109243697},
      {8, -3.7495040759303713, 0.9764705882352941}}},
    {"bernoulli",
     6,
     {1, 1, 1, 0, 0, 0},
     {{0, -1.203972804325936, 0.3}, {1, -0.35667494393873245, 1}, {1, -0.35667494393873245, 1}}},
    {"poisson",
     7,
     {0, 2, 3, 1, 7, 5, 9},
     {{0, -1.9714285714285715, 0.13925777436991912},
      {2, -1.3070588657728255, 0.6844093310972228},
      {11, -12.007393543116155, 0.9999988214816774}}},
    {"histogram",
     AMOUNTS,
     {{-1, -3.969878613089847, 0.04011091405661684},
      {3.25, -2.1400661634962708, 0.7235294117647059},
      {12, -6.547563142932615, 0.9969535897250512}}},
    {"kernel",
     AMOUNTS,
     {{0.7, -1.8380738797011213, 0.24807534517141697},
      {3.25, -1.9037006450327651, 0.6901317028313837},
      {8, -4.6653822918959245, 0.9768586060582167}}},
    {"mixture",
     AMOUNTS,
     {{0.7, -1.904259434607745, 0.17854513713610864},
      {3.25, -1.6226856434281491, 0.7032634141905703},
      {8, -6.740703377221985, 0.999409868266254}}},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static const crd_i_family *family_of(const sample *source_sample) {
    const crd_i_family *family = crd_i_family_named(crd_text_of(source_sample->family));
    assert_non_null(family);
    return family;
}

/* The tallies that a family reads of rows under `conditions`, all but row `without`. */
static crd_i_tallied tally(const crd_i_family *family, const double *numbers, size_t rows, const int32_t *conditions,
                           size_t without) {
    crd_i_tallied tallied = {.view = {order, CONDITIONS, NULL, 0, NULL}};
    int32_t kept[MOST_ROWS];
    for (size_t row = 0; row < rows; row++) kept[row] = row == without ? -1 : conditions[row];
    for (size_t i = 0; family->reads[i] != NULL; i++) {
        crd_i_tally *new_tally = family->reads[i]->create(context);
        const crd_i_cells cells = {.rows = rows, .numbers = numbers};
        assert_true(new_tally->type->extend(new_tally, CONDITIONS, 0) && add_under(new_tally, &cells, kept, NULL));
        if (i == 0) tallied.tally = new_tally;
        else tallied.more[i - 1] = new_tally;
    }
    return tallied;
}

static void free_tallied(crd_i_tallied *tallied) {
    crd_i_tally_destroy((crd_i_tally *)tallied->tally);
    for (size_t i = 0; i < CRD_I_MOST_READS - 1; i++) crd_i_tally_destroy((crd_i_tally *)tallied->more[i]);
}

static crd_i_density *derive(const crd_i_family *family, const crd_i_tallied *tallied) {
    crd_i_density *density;
    crd_error error;
    assert_int_equal(family->derive(context, tallied, settings, NULL, &density, &error), CRD_OK);
    return density;
}

static crd_i_density *density_of(const sample *source_sample) {
    crd_i_tallied tallied =
        tally(family_of(source_sample), source_sample->numbers, source_sample->rows, under, SIZE_MAX);
    crd_i_density *density = derive(family_of(source_sample), &tallied);
    free_tallied(&tallied);
    assert_false(density->is_silent);
    return density;
}

static bool is_near(double got, double wanted, double slack) {
    return fabs(got - wanted) <= slack * (1 + fabs(wanted));
}

/* ---- Values ---- */

static void every_family_has_a_sample(void **state) {
    (void)state;
    size_t count;
    const crd_i_family *const *table = crd_i_family_table(&count);
    for (size_t i = 0; i < count; i++) {
        size_t s = 0;
        if (crd_i_family_column_type(table[i]) != CRD_TYPE_NUMERIC) continue;
        while (s < SAMPLES && strcmp(samples[s].family, table[i]->name) != 0) s++;
        if (s == SAMPLES) fail_msg("there is no sample of %s", table[i]->name);
    }
}

static void values_are_those_of_scipy(void **state) {
    (void)state;
    set("smoothing", "m:1");
    for (size_t s = 0; s < SAMPLES; s++) {
        crd_i_density *density = density_of(&samples[s]);
        for (size_t i = 0; i < POINTS; i++) {
            const point *reference = &samples[s].points[i];
            double log_density = density->family->log_density(density, 0, reference->x);
            double below = density->family->below(density, 0, reference->x);
            if (!is_near(log_density, reference->log_density, 1e-13) || !is_near(below, reference->below, 1e-13))
                fail_msg("%s at %g: %.17g, %.17g", samples[s].family, reference->x, log_density, below);
        }
        crd_i_density_destroy(density);
    }
}

/* ---- Identities ---- */

static const char *const smoothings[] = {"none", "m:1", "m:2.5", "laplace:1"};

/* The density from a to b, by the middles of many small steps; or the sum of whole numbers above a and up to b. */
static double mass(const crd_i_density *density, size_t k, double a, double b) {
    enum { STEPS = 2000 };
    double sum = 0;
    if (density->family->is_discrete) {
        for (double x = floor(a) + 1; x <= b; x++) sum += crd_exp(density->family->log_density(density, k, x));
        return sum;
    }
    double step = (b - a) / STEPS;
    for (int i = 0; i < STEPS; i++)
        sum += step * crd_exp(density->family->log_density(density, k, a + (i + 0.5) * step));
    return sum;
}

static void densities_add_up(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        set("smoothing", smoothings[i]);
        for (size_t s = 0; s < SAMPLES; s++) {
            crd_i_density *density = density_of(&samples[s]);
            const crd_i_family *family = density->family;
            for (size_t k = 0; k < CONDITIONS; k++) {
                static const double cuts[] = {-3, -0.25, 0.75, 2.5, 6.25, 12.5};
                for (size_t c = 0; c + 1 < sizeof cuts / sizeof *cuts; c++) {
                    double wanted = family->below(density, k, cuts[c + 1]) - family->below(density, k, cuts[c]);
                    double got = mass(density, k, cuts[c], cuts[c + 1]);
                    /* A jump inside a step is missed by up to a step. */
                    if (fabs(got - wanted) > 2e-3) fail_msg("%s: %g, not %g", family->name, got, wanted);
                }
                assert_true(family->below(density, k, -1e308) < 1e-3 && family->below(density, k, 1e308) > 0.999);
            }
            crd_i_density_destroy(density);
        }
    }
}

static void quantiles_turn_back(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        set("smoothing", smoothings[i]);
        for (size_t s = 0; s < SAMPLES; s++) {
            crd_i_density *density = density_of(&samples[s]);
            for (size_t k = 0; k < CONDITIONS; k++)
                for (double p = 0.01; p < 1; p += 0.049) {
                    double x = density->family->quantile(density, k, p);
                    double back = density->family->below(density, k, x);
                    bool fits = density->family->is_discrete
                                    ? back >= p && density->family->below(density, k, x - 1) < p && x == floor(x)
                                    : is_near(back, p, 1e-12);
                    if (!fits) fail_msg("%s: quantile %g is %.17g, %.17g", samples[s].family, p, x, back);
                }
            crd_i_density_destroy(density);
        }
    }
}

static void draws_are_of_the_density(void **state) {
    (void)state;
    enum { DRAWS = 2000 };
    set("smoothing", "m:1");
    for (size_t s = 0; s < SAMPLES; s++) {
        crd_i_density *density = density_of(&samples[s]);
        double sum = 0, mean, deviation, middle = density->family->quantile(density, 0, 0.5);
        size_t below = 0;
        for (uint64_t i = 0; i < DRAWS; i++) {
            crd_i_random random = crd_i_random_at(7, i);
            double x = density->family->draw(density, 0, &random);
            assert_true(isfinite(x));
            sum += x;
            below += x <= middle;
        }
        density->family->moments(density, 0, &mean, &deviation);
        double share = density->family->below(density, 0, middle), spread = sqrt(share * (1 - share) / DRAWS);
        assert_true(fabs((double)below / DRAWS - share) <= 5 * spread);
        if (isfinite(deviation)) assert_true(fabs(sum / DRAWS - mean) <= 5 * deviation / sqrt(DRAWS));
        crd_i_density_destroy(density);
    }
}

static void moments_are_those_of_the_quantiles(void **state) {
    (void)state;
    enum { STEPS = 2000 };
    set("smoothing", "m:3");
    for (size_t s = 0; s < SAMPLES; s++) {
        crd_i_density *density = density_of(&samples[s]);
        double sum = 0, squares = 0, mean, deviation;
        density->family->moments(density, 1, &mean, &deviation);
        for (int i = 0; i < STEPS; i++) {
            double x = density->family->quantile(density, 1, (i + 0.5) / STEPS);
            sum += x / STEPS;
            squares += (x - mean) * (x - mean) / STEPS;
        }
        /* What lies beyond the last quantile is missed. */
        if (!is_near(sum, mean, 1e-2) || !is_near(sqrt(squares), deviation, 1e-1))
            fail_msg("%s: %g and %g, not %g and %g", samples[s].family, mean, deviation, sum, sqrt(squares));
        crd_i_density_destroy(density);
    }
}

static void terms_say_what_is_added(void **state) {
    (void)state;
    for (size_t s = 0; s < SAMPLES; s++) {
        crd_i_density *density = density_of(&samples[s]);
        for (size_t row = 0; row < samples[s].rows; row++) {
            const crd_i_cells cell = {.rows = 1, .numbers = &samples[s].numbers[row]};
            double sums[CONDITIONS] = {0};
            density->family->add(density, &cell, sums);
            for (size_t k = 0; k < CONDITIONS; k++) {
                crd_term term = CRD_TERM_INIT;
                density->family->term(density, &cell, k, &term);
                assert_true(term.log_value == sums[k] && term.x == samples[s].numbers[row]);
                assert_string_equal(term.family, samples[s].family);
                assert_true(term.parameter_count >= 1 && term.parameter_count <= CRD_TERM_PARAMETERS);
            }
        }
        crd_i_density_destroy(density);
    }
}

/* ---- A row left out ---- */

static void leave_each_out(const sample *source_sample) {
    const crd_i_family *family = family_of(source_sample);
    crd_i_tallied tallied = tally(family, source_sample->numbers, source_sample->rows, under, SIZE_MAX);
    const crd_i_cells cells = {.rows = source_sample->rows, .numbers = source_sample->numbers};
    double sums[MOST_ROWS * CONDITIONS] = {0};
    uint32_t unseen[MOST_ROWS] = {0};
    crd_i_rest *complement;
    crd_error error;
    assert_int_equal(family->rest_create(family, context, &tallied, 1, settings, &complement, &error), CRD_OK);
    for (int again = 0; again < 2; again++) {
        memset(sums, 0, sizeof sums);
        if (family->rest_pool != NULL)
            assert_int_equal(family->rest_pool(complement, 0, &cells, source_sample->rows, under, &error), CRD_OK);
        assert_int_equal(family->rest_add(complement, 0, &cells, under, sums, unseen, &error), CRD_OK);
        for (size_t row = 0; row < source_sample->rows; row++) {
            crd_i_tallied others = tally(family, source_sample->numbers, source_sample->rows, under, row);
            crd_i_density *density = derive(family, &others);
            double x = source_sample->numbers[row];
            bool counts = !density->is_silent && crd_i_density_covers(density, x);
            for (size_t k = 0; k < CONDITIONS; k++) {
                double wanted = counts ? family->log_density(density, k, x) : 0;
                if (sums[row * CONDITIONS + k] != wanted)
                    fail_msg("%s, row %zu: %.17g, not %.17g", source_sample->family, row, sums[row * CONDITIONS + k],
                             wanted);
            }
            crd_i_density_destroy(density);
            free_tallied(&others);
        }
    }
    /* A row that the tallies cannot have had. */
    const double strange = 1e6;
    const crd_i_cells other = {.rows = 1, .numbers = &strange};
    assert_int_equal(family->rest_add(complement, 0, &other, under, sums, unseen, &error), CRD_ERROR_NOT_LEARNED);
    crd_i_rest_destroy(complement);
    free_tallied(&tallied);
}

static void rows_are_left_out_to_the_bit(void **state) {
    (void)state;
    for (size_t s = 0; s < SAMPLES; s++) {
        const crd_i_family *family = family_of(&samples[s]);
        bool forgets = true;
        for (size_t i = 0; family->reads[i] != NULL; i++) forgets = forgets && family->reads[i]->cannot_forget == NULL;
        if (family == &crd_i_family_gaussian) continue; /* takes strange rows for its own; has tests of its own */
        if (forgets) {
            for (size_t i = 0; i < 4; i++) {
                set("smoothing", smoothings[i]);
                leave_each_out(&samples[s]);
            }
            continue;
        }
        crd_i_tallied tallied = tally(family, samples[s].numbers, samples[s].rows, under, SIZE_MAX);
        crd_i_rest *complement;
        crd_error error;
        assert_int_equal(family->rest_create(family, context, &tallied, 1, settings, &complement, &error),
                         CRD_ERROR_CANNOT_FORGET);
        assert_null(complement);
        free_tallied(&tallied);
    }
}

/* ---- What has little to tell ---- */

static void little_is_told_without_nan(void **state) {
    (void)state;
    static const double columns[][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 1}, {1, 0, 0}};
    static const int32_t of_one[] = {0, 0, 0}, of_two[] = {0, 0, 1};
    for (size_t s = 0; s < SAMPLES; s++) {
        const crd_i_family *family = family_of(&samples[s]);
        for (size_t i = 0; i < 128; i++) {
            size_t rows = i / 16 % 4;
            set("smoothing", smoothings[i % 4]);
            crd_i_tallied tallied = tally(family, columns[i / 4 % 4], rows, i / 64 == 0 ? of_one : of_two, SIZE_MAX);
            crd_i_density *density = derive(family, &tallied);
            if (rows == 0) assert_true(density->is_silent);
            for (size_t k = 0; !density->is_silent && k < CONDITIONS; k++) {
                double mean, deviation;
                for (double x = -1; x <= 3; x += 0.5) assert_true(!isnan(family->log_density(density, k, x)));
                family->moments(density, k, &mean, &deviation);
                assert_true(!isnan(mean) && !isnan(deviation) && !isnan(family->below(density, k, 0.5)));
                assert_true(isfinite(family->quantile(density, k, 0.25)));
            }
            crd_i_density_destroy(density);
            free_tallied(&tallied);
        }
    }
}

static void misfits_are_counted(void **state) {
    (void)state;
    static const double numbers[] = {-1.5, -2, 0, 1, 2, 0.5, 7};
    static const struct {
        const char *family;
        double cells;
    } wanted[] = {{"lognormal", 3}, {"exponential", 2}, {"bernoulli", 5}, {"poisson", 3}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const crd_i_family *family = crd_i_family_named(crd_text_of(wanted[i].family));
        crd_i_tallied tallied = tally(family, numbers, 7, under, SIZE_MAX);
        assert_true(family->fits(&tallied).cells == wanted[i].cells);
        free_tallied(&tallied);
    }
    assert_null(crd_i_family_gaussian.fits);
    static const struct {
        double cells;
        const char *text;
    } texts[] = {{1, "1 of its values is below zero"},
                 {2, "2 of its values are below zero"},
                 {0.5, "0.5 of its values are below zero"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const crd_i_misfit misfit = {texts[i].cells, "below zero"};
        char text[64];
        crd_i_misfit_text(&misfit, text, sizeof text);
        assert_string_equal(text, texts[i].text);
    }
}

/* 0 and 1 are two values like any others. */
static void bernoulli_is_categorical_of_two(void **state) {
    (void)state;
    static const char *const all[] = {"none", "m:1", "m:3:marginal", "laplace:0.5"};
    static const int32_t codes[] = {1, 1, 1, 0, 0, 0};
    const sample *source_sample = &samples[5];
    for (size_t i = 0; i < 4; i++) {
        set("smoothing", all[i]);
        crd_i_tally *counts = crd_i_counts.create(context);
        const crd_i_cells cells = {.rows = 6, .codes = codes};
        assert_true(crd_i_counts.extend(counts, CONDITIONS, 2) && add_under(counts, &cells, under, NULL));
        const crd_i_tallied tallied = {.tally = counts, .view = {order, CONDITIONS, order, 2, NULL}};
        crd_i_density *categorical = derive(&crd_i_family_categorical, &tallied),
                      *bernoulli = density_of(source_sample);
        for (int32_t code = 0; code < 2; code++)
            for (size_t k = 0; k < CONDITIONS; k++) {
                const crd_i_cells cell = {.rows = 1, .codes = &code};
                crd_term term = CRD_TERM_INIT;
                categorical->family->term(categorical, &cell, k, &term);
                double got = bernoulli->family->log_density(bernoulli, k, (double)code);
                assert_true(got == term.log_value || is_near(got, term.log_value, 1e-15));
            }
        crd_i_density_destroy(categorical);
        crd_i_density_destroy(bernoulli);
        crd_i_tally_destroy(counts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_family_has_a_sample, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_are_those_of_scipy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(densities_add_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quantiles_turn_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(draws_are_of_the_density, set_up, tear_down),
        cmocka_unit_test_setup_teardown(moments_are_those_of_the_quantiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(terms_say_what_is_added, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_are_left_out_to_the_bit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(little_is_told_without_nan, set_up, tear_down),
        cmocka_unit_test_setup_teardown(misfits_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bernoulli_is_categorical_of_two, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
