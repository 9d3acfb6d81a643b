/* SPDX-License-Identifier: MIT */
/* What is asked of chains beyond forward-backward and Viterbi: best paths, filters, forecasts, draws, where a chain is in the long run. */
#include "math_random.h"
#include "sequence_chain_support.h"

#include <stdlib.h>

static void near(double got, double wanted) {
    if (got == wanted || (isnan(got) && isnan(wanted))) return;
    double scale = fabs(wanted) > 1 ? fabs(wanted) : 1;
    if (!(fabs(got - wanted) <= 1e-11 * scale)) fail_msg("%.17g should be %.17g", got, wanted);
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static crd_i_chain_workspace *workspace_of(const crd_i_chain *chain) {
    crd_i_chain_workspace *work = NULL;
    assert_int_equal(crd_i_chain_workspace_create(chain, &work, NULL), CRD_OK);
    return work;
}

/* ---- Best paths ---- */

static void best_paths(void **state) {
    (void)state;
    static random_model model;
    enum { MOST_PATHS = 729, MORE = MOST_PATHS + 5 };
    static double logs[MOST_PATHS], got[MORE];
    static int32_t paths[MORE * MOST_STEPS];
    for (int round = 0; round < 400; round++) {
        make_model(&model);
        memset(model.far, 0, sizeof model.far);
        size_t states[MOST_STEPS] = {0}, possible = 0, path_count = 0;
        do {
            double log_path = log_with_end(&model, states);
            if (log_path > -INFINITY) logs[possible++] = log_path;
        } while (next_path(&model, states));
        qsort(logs, possible, sizeof *logs, descending);
        const size_t limit = random_below(2) ? MORE : 1 + random_below(5);
        crd_i_chain *chain = chain_of(&model, random_below(2));
        crd_i_chain_workspace *work = workspace_of(chain);
        const crd_i_emissions emissions = {&model, model.steps, fill_emissions};
        crd_i_chain_answer answer;
        assert_int_equal(crd_i_chain_best_paths(chain, &emissions, work, limit, paths, got, &path_count, &answer, NULL),
                         CRD_OK);
        assert_int_equal(path_count, possible < limit ? possible : limit);
        assert_int_equal(answer.is_impossible, possible == 0);
        for (size_t n = 0; n < path_count; n++) {
            near(got[n], logs[n]);
            for (size_t m = 0; m < n; m++)
                assert_true(memcmp(paths + n * model.steps, paths + m * model.steps, model.steps * sizeof *paths) != 0);
        }
        crd_i_chain_workspace_destroy(work);
        crd_i_chain_destroy(chain);
    }
}

/* ---- Filters ---- */

typedef struct some_step {
    uint64_t step;
    double posteriors[STRIDE];
} some_step;

static crd_status take_step(void *user, uint64_t source, uint64_t target, double *posteriors, crd_error *error) {
    (void)error;
    some_step *wanted = user;
    if (wanted->step >= source && wanted->step < target)
        memcpy(wanted->posteriors, posteriors + (wanted->step - source) * STRIDE, sizeof wanted->posteriors);
    return CRD_OK;
}

/* P(s_step | the first `count` steps), by forward-backward; whether that is possible. */
static bool posterior_of(const crd_i_chain *chain, const random_model *model, size_t count, some_step *wanted) {
    crd_i_chain_workspace *work = workspace_of(chain);
    const crd_i_emissions emissions = {model, count, fill_emissions};
    const crd_i_posterior_sink sink = {.user = wanted, .take = take_step};
    crd_i_chain_answer answer;
    assert_int_equal(crd_i_chain_posteriors(chain, &emissions, work, &sink, &answer, NULL), CRD_OK);
    crd_i_chain_workspace_destroy(work);
    return !answer.is_impossible;
}

static void check_filter(random_model *model, bool is_sparse) {
    const bool has_end = model->has_end;
    crd_i_chain *ended = chain_of(model, is_sparse);
    model->has_end = false;
    crd_i_chain *open = chain_of(model, is_sparse);
    model->has_end = has_end;
    const size_t lag = random_below(4);
    crd_i_chain_filter *filter = NULL;
    assert_int_equal(crd_i_chain_filter_create(ended, lag, &filter, NULL), CRD_OK);
    for (size_t t = 0; t < model->steps; t++) {
        double log_likelihood = 0, got[MAX_STATES];
        some_step wanted = {.step = t};
        const crd_status status = crd_i_chain_filter_push(filter, model->logs + t * STRIDE, &log_likelihood, NULL);
        const bool is_possible = posterior_of(open, model, t + 1, &wanted);
        if (!is_possible) {
            if (status == CRD_OK) assert_true(log_likelihood == -INFINITY);
            break;
        }
        assert_int_equal(status, CRD_OK);
        for (size_t back = 0; back <= lag && back <= t; back++) {
            wanted.step = t - back;
            posterior_of(open, model, t + 1, &wanted);
            assert_int_equal(crd_i_chain_filter_posterior(filter, back, false, got, NULL), CRD_OK);
            for (size_t k = 0; k < model->states; k++) near(got[k], wanted.posteriors[k]);
            const bool can_end = posterior_of(ended, model, t + 1, &wanted);
            assert_int_equal(crd_i_chain_filter_posterior(filter, back, true, got, NULL), CRD_OK);
            for (size_t k = 0; k < model->states; k++) near(got[k], can_end ? wanted.posteriors[k] : NAN);
        }
    }
    crd_i_chain_filter_destroy(filter);
    crd_i_chain_destroy(ended);
    crd_i_chain_destroy(open);
}

static void filters(void **state) {
    (void)state;
    static random_model model;
    for (int round = 0; round < 400; round++) {
        make_model(&model);
        check_filter(&model, random_below(2));
    }
}

/* A forecast is the posterior behind observations that are missing. */
static void forecasts(void **state) {
    (void)state;
    static random_model model;
    for (int round = 0; round < 200; round++) {
        make_model(&model);
        model.has_end = false;
        if (model.steps < 2) continue;
        crd_i_chain *chain = chain_of(&model, random_below(2));
        const size_t seen = random_below(model.steps);
        for (size_t t = seen; t < model.steps; t++)
            for (size_t k = 0; k < model.states; k++) model.logs[t * STRIDE + k] = 0;
        some_step wanted = {.step = model.steps - 1};
        crd_i_chain_filter *filter = NULL;
        assert_int_equal(crd_i_chain_filter_create(chain, 0, &filter, NULL), CRD_OK);
        if (posterior_of(chain, &model, model.steps, &wanted)) {
            double log_likelihood, got[MAX_STATES], sum = 0;
            for (size_t t = 0; t < seen; t++)
                assert_int_equal(crd_i_chain_filter_push(filter, model.logs + t * STRIDE, &log_likelihood, NULL),
                                 CRD_OK);
            assert_int_equal(crd_i_chain_filter_forecast(filter, model.steps - seen, got, NULL), CRD_OK);
            for (size_t k = 0; k < model.states; k++) sum += got[k];
            for (size_t k = 0; k < model.states && sum > 1e-200; k++) near(got[k] / sum, wanted.posteriors[k]);
        }
        crd_i_chain_filter_destroy(filter);
        crd_i_chain_destroy(chain);
    }
}

/* ---- Draws ---- */

static crd_status take_path(void *user, uint64_t source, uint64_t target, const int32_t *states, crd_error *error) {
    (void)error;
    memcpy((int32_t *)user + source, states, (target - source) * sizeof *states);
    return CRD_OK;
}

static void posterior_draws(void **state) {
    (void)state;
    static random_model model;
    static enumeration wanted;
    enum { DRAWS = 3000 };
    for (int round = 0; round < 12; round++) {
        do {
            make_model(&model);
            enumerate(&model, &wanted);
        } while (model.steps == 0 || wanted.log_likelihood == -INFINITY);
        crd_i_chain *chain = chain_of(&model, random_below(2));
        crd_i_chain_workspace *work = workspace_of(chain);
        crd_i_chain_workspace_keep(work, random_below(3));
        const crd_i_emissions emissions = {&model, model.steps, fill_emissions};
        crd_i_random random = crd_i_random_at(7, (uint64_t)round);
        double counts[MOST_STEPS * STRIDE] = {0};
        for (int draw = 0; draw < DRAWS; draw++) {
            int32_t path[MOST_STEPS];
            const crd_i_path_sink sink = {path, take_path};
            crd_i_chain_answer answer;
            assert_int_equal(crd_i_chain_draw_posterior(chain, &emissions, work, &random, &sink, &answer, NULL),
                             CRD_OK);
            for (size_t t = 0; t < model.steps; t++) counts[t * STRIDE + (size_t)path[t]]++;
        }
        for (size_t t = 0; t < model.steps; t++)
            for (size_t k = 0; k < model.states; k++) {
                const double p = wanted.posteriors[t * STRIDE + k];
                assert_true(fabs(counts[t * STRIDE + k] / DRAWS - p) <= 5 * sqrt(fabs(p * (1 - p)) / DRAWS) + 1e-9);
            }
        crd_i_chain_workspace_destroy(work);
        crd_i_chain_destroy(chain);
    }
}

/* Long draws have the stationary distribution and the mean durations. */
static void draws_and_properties(void **state) {
    (void)state;
    static random_model model;
    enum { LENGTH = 200000 };
    int32_t *states = malloc(LENGTH * sizeof *states);
    assert_non_null(states);
    for (int round = 0; round < 6; round++) {
        do make_model(&model);
        while (model.order != 1 + (size_t)round % 3 || model.states < 2);
        model.has_end = false;
        for (size_t i = 0; i < model.nodes; i++) {
            double sum = 0;
            for (size_t e = model.first[i]; e < model.first[i + 1]; e++) sum += model.probabilities[e] += 0.05;
            for (size_t e = model.first[i]; e < model.first[i + 1]; e++)
                model.dense[i * model.nodes + model.targets[e]] = model.probabilities[e] /= sum;
            if (i < model.states) model.start[i] += 0.1;
        }
        crd_i_chain *chain = chain_of(&model, random_below(2));
        crd_i_random random = crd_i_random_at(3, (uint64_t)round);
        assert_int_equal(crd_i_chain_draw(chain, &random, LENGTH, states), LENGTH);
        double stationary[MAX_STATES], durations[MAX_STATES], visits[MAX_STATES] = {0}, entries[MAX_STATES] = {0};
        assert_int_equal(crd_i_chain_stationary(chain, stationary, NULL), CRD_OK);
        assert_int_equal(crd_i_chain_durations(chain, durations, NULL), CRD_OK);
        for (size_t t = 0; t < LENGTH; t++) {
            visits[states[t]]++;
            entries[states[t]] += t == 0 || states[t] != states[t - 1];
        }
        for (size_t k = 0; k < model.states; k++) {
            assert_true(fabs(visits[k] / LENGTH - stationary[k]) < 0.02);
            assert_true(fabs(visits[k] / entries[k] / durations[k] - 1) < 0.05);
        }
        crd_i_chain_destroy(chain);
    }
    free(states);
}

/* ---- Classes and periods ---- */

static void long_run_of(const double *dense, const double *start, size_t states, double *stationary,
                        double *durations) {
    const crd_i_chain_parts parts = {.states = states, .nodes = states, .start = start, .dense = dense};
    crd_i_chain *chain = NULL;
    assert_int_equal(crd_i_chain_create(context, &parts, &chain, NULL), CRD_OK);
    assert_int_equal(crd_i_chain_stationary(chain, stationary, NULL), CRD_OK);
    assert_int_equal(crd_i_chain_durations(chain, durations, NULL), CRD_OK);
    crd_i_chain_destroy(chain);
}

static void classes_and_periods(void **state) {
    (void)state;
    double got[4], durations[4];
    long_run_of((double[]){0, 1, 1, 0}, (double[]){1, 0}, 2, got, durations);
    near(got[0], 0.5);
    near(got[1], 0.5);
    near(durations[0], 1);
    /* From the first state to two that keep, and one that is never reached. */
    long_run_of((double[]){0.2, 0.2, 0.6, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 0.5}, (double[]){1, 0, 0, 0}, 4, got,
                durations);
    near(got[0], 0);
    near(got[1], 0.25);
    near(got[2], 0.75);
    near(got[3], 0);
    near(durations[0], 1.25);
    assert_true(durations[1] == INFINITY);
    /* Next to two classes: as likely as transitions between them are, however rare these are. */
    long_run_of((double[]){1, 1e-40, 3e-40, 1}, (double[]){0.5, 0.5}, 2, got, durations);
    near(got[0], 0.75);
    long_run_of((double[]){1}, (double[]){1}, 1, got, durations);
    near(got[0], 1);
    assert_true(durations[0] == INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_paths),
        cmocka_unit_test(filters),
        cmocka_unit_test(forecasts),
        cmocka_unit_test(posterior_draws),
        cmocka_unit_test(draws_and_properties),
        cmocka_unit_test(classes_and_periods),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
