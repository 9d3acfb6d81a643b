/* SPDX-License-Identifier: MIT */
/* The EM driver: a textbook example step by step, and its policies with models whose objectives are tables. */
#include "math/em.h"

#include "base/call.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Runs ---- */

/* Genetic linkage (Rao 1973; Dempster, Laird and Rubin 1977, section 1): 197 animals in four classes, with probabilities
 * 1/2 + p/4, (1 - p)/4, (1 - p)/4, p/4. The first class consists of two, whose counts are hidden. */
typedef struct linkage {
    double p, hidden;
} linkage;

static crd_status linkage_expect(void *state, crd_i_em_step *out, crd_error *error) {
    linkage *run = state;
    (void)error;
    run->hidden = 125 * (run->p / 4) / (0.5 + run->p / 4);
    out->log_likelihood = 125 * log(2 + run->p) + 38 * log(1 - run->p) + 34 * log(run->p);
    out->objective = out->log_likelihood;
    return CRD_OK;
}

static void linkage_maximize(void *state) {
    linkage *run = state;
    run->p = (run->hidden + 34) / (run->hidden + 34 + 18 + 20);
}

static void steps_are_the_published_ones(void **state) {
    static const double published[] = {0.608247423, 0.624321051, 0.626488879, 0.626777323,
                                       0.626815632, 0.626820719, 0.626821395, 0.626821484};
    linkage run = {0.5, 0};
    const crd_i_em_model model = {.state = &run, .expect = linkage_expect, .maximize = linkage_maximize};
    crd_i_em_trace trace = {.context = *state};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const crd_i_em_rule one = {.tolerance = -INFINITY, .most_steps = 1, .is_continued = i > 0};
        assert_int_equal(crd_i_em_run(&model, &one, &trace, NULL), CRD_OK);
        assert_true(fabs(run.p - published[i]) < 1e-9);
        assert_int_equal(trace.count, i + 2);
        assert_int_equal(trace.best, i + 1);
        assert_true(trace.steps[i + 1].objective > trace.steps[i].objective);
        assert_false(trace.is_converged);
    }
    crd_i_em_trace_clear(&trace);
}

/* The gains of this example shrink by a factor of 0.13, so the rest is a fraction of the last gain. */
static void runs_stop_by_their_rule(void **state) {
    for (int weighs_rest = 0; weighs_rest < 2; weighs_rest++) {
        linkage run = {0.5, 0};
        const crd_i_em_model model = {.state = &run, .expect = linkage_expect, .maximize = linkage_maximize};
        const crd_i_em_rule rule = {.tolerance = 1e-9, .most_steps = 100, .weighs_rest = weighs_rest};
        crd_i_em_trace trace = {.context = *state};
        assert_int_equal(crd_i_em_run(&model, &rule, &trace, NULL), CRD_OK);
        assert_true(trace.is_converged);
        assert_in_range(trace.count, 4, 8);
        assert_true(fabs(run.p - 0.6268214980) < 1e-4);
        crd_i_em_trace_clear(&trace);
    }
}

/* ---- Starts ---- */

enum { STARTS = 5, FINALISTS = 3 };

/* Start i reaches first[i], and more[i] if it is resumed. */
typedef struct start_table {
    double first[STARTS], more[STARTS];
    size_t latest, kept[FINALISTS], resumed, cancelled_at;
} start_table;

static crd_status start_table_run(void *state, size_t start, crd_i_em_trace *trace, crd_error *error) {
    start_table *table = state;
    if (start == table->cancelled_at) return crd_i_fail_cancelled(error);
    table->latest = start;
    assert_true(crd_i_em_trace_add(trace, 0, table->first[start]));
    return CRD_OK;
}

static crd_status start_table_resume(void *state, crd_i_em_trace *trace, crd_error *error) {
    start_table *table = state;
    (void)error;
    assert_true(crd_i_em_trace_objective(trace) == table->first[table->latest]);
    assert_true(crd_i_em_trace_add(trace, 0, table->more[table->latest]));
    table->resumed++;
    return CRD_OK;
}

static bool start_table_has_next(const void *state, const crd_fit *fit) {
    (void)state;
    return fit->start_count < STARTS;
}

static void start_table_keep(void *state, size_t place) {
    start_table *table = state;
    assert_in_range(place, 0, FINALISTS - 1);
    table->kept[place] = table->latest;
}

static void start_table_restore(void *state, size_t place) {
    start_table *table = state;
    table->latest = table->kept[place];
}

static void run_start_table(start_table *table, bool resumes, crd_fit *fit) {
    const crd_i_em_starts starts = {.state = table,
                                    .run = start_table_run,
                                    .has_next = start_table_has_next,
                                    .keep = start_table_keep,
                                    .restore = start_table_restore,
                                    .finalists = FINALISTS,
                                    .resume = resumes ? start_table_resume : NULL};
    assert_int_equal(crd_i_em_run_starts(&starts, fit, NULL), CRD_OK);
    assert_int_equal(table->latest, fit->best_start);
}

static void the_best_starts_continue(void **state) {
    const start_table objectives = {.first = {1, 5, 3, 5, 4}, .more = {99, 6, 99, 5, 7}, .cancelled_at = STARTS};
    start_table table = objectives;
    crd_fit fit;
    crd_i_em_fit_begin(&fit, *state);
    run_start_table(&table, true, &fit);
    assert_int_equal(fit.start_count, STARTS);
    assert_memory_equal(fit.starts, table.first, sizeof table.first);
    assert_int_equal(table.resumed, FINALISTS);
    assert_int_equal(fit.best_start, 4);
    assert_true(crd_fit_objective(&fit, 1) == 7);
    assert_int_equal(crd_i_em_fit_starts_at_best(&fit), 2);
    crd_i_em_fit_clear(&fit);

    /* Without finalists the best start wins: of equal ones the first. */
    table = objectives;
    run_start_table(&table, false, &fit);
    assert_int_equal(fit.best_start, 1);
    assert_int_equal(fit.trace.count, 1);
    crd_i_em_fit_clear(&fit);

    /* A cancelled search returns the best start so far. */
    table = objectives;
    table.cancelled_at = 3;
    run_start_table(&table, true, &fit);
    assert_true(fit.is_stopped);
    assert_int_equal(fit.start_count, 3);
    assert_int_equal(fit.best_start, 1);
    assert_int_equal(table.resumed, 0);
    crd_i_em_fit_clear(&fit);
}

/* ---- Number of components ---- */

enum { MOST = 9 };

/* K components have the log likelihood values[K], 2 K parameters, and the held-out log likelihood held[K]. */
typedef struct size_table {
    double values[MOST + 1], held[MOST + 1];
    size_t latest, best, runs, freed, cancelled_at;
} size_table;

static crd_status size_table_run(void *state, size_t components, crd_fit *fit, crd_error *error) {
    size_table *table = state;
    table->runs++;
    table->latest = components;
    if (components == table->cancelled_at) return crd_i_fail_cancelled(error);
    assert_true(crd_i_em_trace_add(&fit->trace, table->values[components], 0));
    fit->facts.components = components;
    return CRD_OK;
}

static double size_table_parameters(const void *state) {
    return 2 * (double)((const size_table *)state)->latest;
}

static crd_status size_table_hold_out(void *state, size_t components, double *mean, crd_error *error) {
    (void)error;
    *mean = ((const size_table *)state)->held[components];
    return CRD_OK;
}

static void size_table_end(void *state, bool is_best) {
    size_table *table = state;
    if (is_best) table->best = table->latest;
    else table->freed++;
}

static crd_status choose(size_table *table, crd_fit_criterion criterion, size_t least, crd_fit *fit) {
    const crd_i_em_search search = {.state = table,
                                    .name = "test",
                                    .least = least,
                                    .most = MOST,
                                    .patience = 2,
                                    .rows = 100,
                                    .criterion = criterion,
                                    .run = size_table_run,
                                    .parameters = size_table_parameters,
                                    .hold_out = size_table_hold_out,
                                    .end = size_table_end};
    return crd_i_em_choose(&search, fit, NULL);
}

static void the_number_of_components_is_chosen(void **state) {
    const size_table likelihoods = {.values = {0, -100, -90, -70, -69, -68, -10},
                                    .held = {0, -5, -4, -3, -2, -2.5, NAN, -1}};
    size_table table = likelihoods;
    crd_fit fit;
    crd_fit_choice choice = CRD_FIT_CHOICE_INIT;
    crd_fit_facts facts = CRD_FIT_FACTS_INIT;
    /* A parameter costs log(100) / 2 = 2.3. So 3 components are best, and 6 are not tried. */
    crd_i_em_fit_begin(&fit, *state);
    assert_int_equal(choose(&table, CRD_FIT_BIC, 1, &fit), CRD_OK);
    crd_fit_describe(&fit, &facts);
    assert_int_equal(facts.components, 3);
    assert_int_equal(table.best, 3);
    assert_int_equal(facts.choice_count, 5);
    assert_int_equal(facts.chosen, 2);
    assert_false(facts.is_stopped);
    assert_int_equal(table.freed, 2);
    crd_fit_choice_at(&fit, 2, &choice);
    assert_int_equal(choice.tried, 3);
    assert_true(fabs(choice.bic - (-70 - 3 * log(100))) < 1e-12);
    assert_true(isnan(choice.held_out));
    assert_true(crd_fit_log_likelihood(&fit, 0) == -70 && isnan(crd_fit_log_likelihood(&fit, 1)));
    crd_i_em_fit_clear(&fit);

    table = likelihoods;
    assert_int_equal(choose(&table, CRD_FIT_HELD_OUT, 2, &fit), CRD_OK);
    assert_int_equal(table.best, 4);
    assert_int_equal(table.runs, 5);
    crd_i_em_fit_clear(&fit);
}

static void a_cancelled_search_keeps_the_best_fit(void **state) {
    size_table table = {.values = {0, -100, -90, -70}, .cancelled_at = 3};
    crd_fit fit;
    crd_i_em_fit_begin(&fit, *state);
    assert_int_equal(choose(&table, CRD_FIT_BIC, 1, &fit), CRD_OK);
    assert_true(fit.is_stopped);
    assert_int_equal(table.best, 2);
    assert_int_equal(fit.choice_count, 2);
    crd_i_em_fit_clear(&fit);
    /* Nothing was fitted before. */
    table.best = 0;
    assert_int_equal(choose(&table, CRD_FIT_BIC, 3, &fit), CRD_ERROR_CANCELLED);
    assert_int_equal(table.best, 0);
    crd_i_em_fit_clear(&fit);
}

static void a_fit_of_a_model_creates_no_model(void **state) {
    crd_fit fit;
    crd_model *model = NULL;
    crd_error error;
    crd_i_em_fit_begin(&fit, *state);
    assert_int_equal(crd_fit_model(&fit, &model, &error), CRD_ERROR_ARGUMENT);
    assert_null(model);
    assert_true(isnan(crd_fit_start(&fit, 0)) && isnan(crd_fit_objective(&fit, 0)));
    crd_fit_destroy(NULL);
}

static int create_context(void **state) {
    return crd_context_create(NULL, (crd_context **)state) == CRD_OK ? 0 : -1;
}

static int destroy_context(void **state) {
    crd_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_the_published_ones),
        cmocka_unit_test(runs_stop_by_their_rule),
        cmocka_unit_test(the_best_starts_continue),
        cmocka_unit_test(the_number_of_components_is_chosen),
        cmocka_unit_test(a_cancelled_search_keeps_the_best_fit),
        cmocka_unit_test(a_fit_of_a_model_creates_no_model),
    };
    return cmocka_run_group_tests(tests, create_context, destroy_context);
}
