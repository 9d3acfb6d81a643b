/* SPDX-License-Identifier: MIT */
/* Events of random variables: sums over all points of discrete variables, tails of continuous ones, and conditions. */
#include "model_support.h"

#include <credence/query.h>

#include <math.h>

enum { VARIABLES = 3 };
static const char *const NAMES[VARIABLES] = {"A", "B", "N"};

typedef struct event_fixture {
    allocations counted;
    crd_context *context;
    crd_distribution *variables[VARIABLES]; /* binomial 10 0.5, binomial 7 0.25, normal */
    crd_text names[VARIABLES];
} event_fixture;

static int set_up(void **state) {
    static const char *const kinds[VARIABLES] = {"binomial", "binomial", "normal"};
    static const double values[VARIABLES][2] = {{10, 0.5}, {7, 0.25}, {0, 1}};
    event_fixture *f = calloc(1, sizeof *f);
    crd_error error;
    f->context = counted_context(&f->counted);
    for (size_t i = 0; i < VARIABLES; i++) {
        const crd_parameter_value parameters[] = {{crd_text_of(i < 2 ? "n" : "mean"), &values[i][0], 1},
                                                  {crd_text_of(i < 2 ? "p" : "sd"), &values[i][1], 1}};
        assert_done(crd_distribution_create(f->context, crd_text_of(kinds[i]), parameters, 2, &f->variables[i], &error),
                    error);
        f->names[i] = crd_text_of(NAMES[i]);
    }
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    event_fixture *f = *state;
    for (size_t i = 0; i < VARIABLES; i++) crd_distribution_destroy(f->variables[i]);
    crd_context_destroy(f->context);
    assert_int_equal(f->counted.live, 0);
    free(f);
    return 0;
}

static crd_status ask(event_fixture *f, const char *event, const char *condition, double out[2], double *known,
                      crd_error *error) {
    crd_event *events[2] = {NULL, NULL};
    crd_status status = crd_event_parse(f->context, crd_text_of(event), f->names, VARIABLES, &events[0], error);
    if (status == CRD_OK && condition != NULL)
        status = crd_event_parse(f->context, crd_text_of(condition), f->names, VARIABLES, &events[1], error);
    if (status == CRD_OK)
        status = crd_distribution_event(f->context, (const crd_distribution *const *)f->variables, VARIABLES, events[0],
                                        events[1], out, known, error);
    for (size_t i = 0; i < 2; i++) crd_event_destroy(events[i]);
    return status;
}

static double probability(event_fixture *f, const char *event, const char *condition) {
    double out[2], known;
    crd_error error;
    assert_done(ask(f, event, condition, out, &known, &error), error);
    assert_true(fabs(out[0] + out[1] - 1) < 1e-14);
    return out[0];
}

static void assert_same(double value, double wanted) {
    assert_true(fabs(value - wanted) <= 1e-14 * fmax(fabs(wanted), 1e-3));
}

/* The same by going through all pairs of points. */
static double sum_points(event_fixture *f, bool (*holds)(int a, int b)) {
    double sum = 0;
    for (int a = 0; a <= 10; a++)
        for (int b = 0; b <= 7; b++) {
            const double x = a, y = b;
            if (holds(a, b))
                sum += crd_distribution_density(f->variables[0], &x) * crd_distribution_density(f->variables[1], &y);
        }
    return sum;
}

static bool both_points(int a, int b) {
    return a == 5 && b == 2;
}
static bool even_or_set(int a, int b) {
    return (a % 2 == 0 && b > 1) || a == 3 || a == 7;
}
static bool odd_outside(int a, int b) {
    return b % 2 == 1 && !(a >= 4 && a < 8) && b != 3;
}
static bool between_points(int a, int b) {
    return a > 2 && a <= 6 && b < 5;
}

static void test_discrete(void **state) {
    event_fixture *f = *state;
    assert_same(probability(f, "A=5 and B=2", NULL), sum_points(f, both_points));
    assert_same(probability(f, "A even and B>1 or A in {3, 7}", NULL), sum_points(f, even_or_set));
    assert_same(probability(f, "B odd and not (A>=4 and A<8) and B!=3", NULL), sum_points(f, odd_outside));
    assert_same(probability(f, "A>2.5 and A<6.5 and B<4.01", NULL), sum_points(f, between_points));
    assert_same(probability(f, "A=2.5", NULL), 0);
    assert_same(probability(f, "A>=0 or A<0", NULL), 1);
    assert_same(probability(f, "A even", NULL), 0.5);
}

/* Independent variables do not change each other; one conditions itself. */
static void test_conditions(void **state) {
    event_fixture *f = *state;
    const double x = 0;
    double out[2], known;
    crd_error error;
    assert_same(probability(f, "A=0", "B=3"), crd_distribution_density(f->variables[0], &x));
    assert_same(probability(f, "A>=8", "A>=6"),
                crd_distribution_at_least(f->variables[0], 8) / crd_distribution_at_least(f->variables[0], 6));
    assert_same(probability(f, "N>1 or N<-1", "N>0"), 2 * crd_distribution_above(f->variables[2], 1));
    assert_done(ask(f, "A=1", "A even", out, &known, &error), error);
    assert_true(out[0] == 0);
    assert_same(known, 0.5);
    assert_int_equal(ask(f, "A=1", "N=0", out, &known, &error), CRD_ERROR_PROBABILITY);
    assert_int_equal(ask(f, "A=1", "A>10", out, &known, &error), CRD_ERROR_PROBABILITY);
}

/* Tails are accurate relative to themselves. */
static void test_tails(void **state) {
    event_fixture *f = *state;
    const double wanted = crd_distribution_above(f->variables[2], 20);
    assert_true(wanted > 0 && wanted < 1e-80);
    assert_true(fabs(probability(f, "N>20", NULL) - wanted) <= 1e-14 * wanted);
    assert_same(probability(f, "N<1 and N>-1", NULL), crd_distribution_between(f->variables[2], -1, 1));
}

static void test_refused(void **state) {
    event_fixture *f = *state;
    double out[2], known;
    crd_error error;
    assert_int_equal(ask(f, "A>B", NULL, out, &known, &error), CRD_ERROR_NUMBER);
    assert_int_equal(ask(f, "N even", NULL, out, &known, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(ask(f, "C=1", NULL, out, &known, &error), CRD_ERROR_COLUMN);
}

static void test_memory(void **state) {
    event_fixture *f = *state;
    crd_status status = CRD_ERROR_MEMORY;
    for (size_t fail_at = 1; status != CRD_OK; fail_at++) {
        double out[2], known;
        crd_error error;
        const long live = f->counted.live;
        f->counted.calls = 0;
        f->counted.fail_at = fail_at;
        status = ask(f, "A even and B in {1, 2} or N>0", "A>1", out, &known, &error);
        f->counted.fail_at = 0;
        assert_true(status == CRD_OK || status == CRD_ERROR_MEMORY);
        assert_int_equal(f->counted.live, live);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_discrete, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_conditions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tails, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
