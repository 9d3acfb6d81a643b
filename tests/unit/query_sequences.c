/* SPDX-License-Identifier: MIT */
/* Answers of sequence models against sums over all paths of states, of models of order 1 to 3, with and without ends, that small
 * random sequences were counted into; and samples against what they are drawn from. */
#include "random_table.h"

enum { STATES = 3, STEPS = 5, SEQUENCES = 12, MOST_ORDER = 3, HORIZON = 2 };

typedef struct trained_case {
    crd_context *context;
    crd_reader *reader;
    crd_sequences *sequences;
    crd_model *model;
    crd_hmm *hmm;
    crd_sequence_query *query;
    size_t order;
} trained_case;

/* "id,x,c,s": a number, a category, and the state; some cells are missing, the first sequence is the longest. */
static char *random_sequences(void) {
    enum { ROOM = 8192 };
    char *text = malloc(ROOM);
    size_t index = (size_t)snprintf(text, ROOM, "id,x,c,s\n");
    for (size_t i = 0; i < SEQUENCES; i++) {
        size_t state = table_below(STATES), steps = i == 0 ? STEPS : 1 + table_below(STEPS);
        for (size_t t = 0; t < steps; t++) {
            if (table_below(3) == 0) state = table_below(STATES);
            index += (size_t)snprintf(text + index, ROOM - index, "q%zu,", i);
            if (table_below(6) > 0)
                index += (size_t)snprintf(text + index, ROOM - index, "%.2f", (double)(state + table_below(200)) / 100);
            index += (size_t)snprintf(text + index, ROOM - index, ",%c,%c\n",
                                      (char)('u' + (state + table_below(2)) % 3), (char)('A' + state));
        }
    }
    return text;
}

static trained_case train_case(size_t order, bool has_ends, const char *text) {
    trained_case new_case = {.order = order};
    crd_settings *settings;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_error error;
    char digits[2] = {(char)('0' + order), '\0'};
    options.sequence = crd_text_of("id");
    assert_int_equal(crd_context_create(NULL, &new_case.context), CRD_OK);
    assert_done(crd_settings_create(new_case.context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("sequence"), &error), error);
    assert_done(crd_settings_set(settings, "order", crd_text_of(digits), &error), error);
    assert_done(crd_settings_set(settings, "end-probabilities", crd_text_of(has_ends ? "yes" : "no"), &error), error);
    assert_done(open_text(new_case.context, text, strlen(text), "s", &new_case.reader, &error), error);
    assert_done(crd_sequences_read(new_case.reader, &options, &new_case.sequences, &error), error);
    assert_done(crd_sequences_train(new_case.sequences, settings, &new_case.model, NULL, &error), error);
    assert_done(crd_hmm_create(new_case.model, NULL, &new_case.hmm, &error), error);
    assert_done(crd_sequence_query_create(new_case.hmm, new_case.sequences, &new_case.query, &error), error);
    assert_int_equal(crd_hmm_state_count(new_case.hmm), STATES);
    crd_settings_destroy(settings);
    return new_case;
}

static void destroy_case(trained_case *trained) {
    crd_sequence_query_destroy(trained->query);
    crd_hmm_destroy(trained->hmm);
    crd_model_destroy(trained->model);
    crd_sequences_destroy(trained->sequences);
    crd_reader_close(trained->reader);
    crd_context_destroy(trained->context);
}

/* ---- All paths ---- */

/* P(observation of the step | state), from the terms of the classifier. */
static double emission(const trained_case *source_case, size_t sequence, uint64_t step, size_t state) {
    const crd_classifier *classifier = crd_hmm_facts_of(source_case->hmm)->emissions;
    crd_sequence_cursor *cursor;
    crd_error error;
    double log_sum = 0;
    assert_done(crd_sequence_cursor_create(source_case->sequences, &cursor, &error), error);
    assert_done(crd_sequence_cursor_move(cursor, sequence, step, &error), error);
    for (size_t i = 0; i < crd_sequences_column_count(source_case->sequences); i++) {
        crd_value value = crd_sequence_cursor_value(cursor, i);
        crd_term term = CRD_TERM_INIT;
        size_t attribute = 0;
        while (!crd_text_equal(crd_classifier_attribute(classifier, attribute),
                               crd_sequences_column_name(source_case->sequences, i)))
            attribute++;
        assert_done(crd_classifier_term(classifier, attribute, state, &value, &term, &error), error);
        log_sum += term.log_value;
    }
    crd_sequence_cursor_destroy(cursor);
    return exp(log_sum);
}

static double next_probability(const trained_case *trained, const size_t *path, size_t t) {
    const size_t length = t < trained->order ? t : trained->order;
    return t == 0 ? crd_hmm_start(trained->hmm, path[0])
                  : crd_hmm_transition(trained->hmm, path + t - length, length, path[t]);
}

/* P(path, the first `observed` observations), that of the end included where `is_ended`. */
static double path_probability(const trained_case *trained, const double emissions[][STATES], const size_t *path,
                               size_t steps, size_t observed, bool is_ended) {
    double product = 1;
    for (size_t t = 0; t < steps; t++) {
        product *= next_probability(trained, path, t);
        if (t < observed) product *= emissions[t][path[t]];
    }
    const size_t length = steps < trained->order ? steps : trained->order;
    if (is_ended && crd_hmm_facts_of(trained->hmm)->has_end)
        product *= crd_hmm_end(trained->hmm, path + steps - length, length);
    return product;
}

static bool next_path(size_t *path, size_t steps) {
    for (size_t t = 0; t < steps; t++) {
        if (++path[t] < STATES) return true;
        path[t] = 0;
    }
    return false;
}

/* Sums over all paths of `steps` states, by the state at step `at`: shares[k]. */
static void sum_paths(const trained_case *trained, const double emissions[][STATES], size_t steps, size_t observed,
                      bool is_ended, size_t index, double *shares) {
    size_t path[STEPS + HORIZON] = {0};
    for (size_t k = 0; k < STATES; k++) shares[k] = 0;
    do shares[path[index]] += path_probability(trained, emissions, path, steps, observed, is_ended);
    while (next_path(path, steps));
}

static void fill_emissions(const trained_case *trained, size_t sequence, size_t steps, double emissions[][STATES]) {
    for (size_t t = 0; t < steps; t++)
        for (size_t k = 0; k < STATES; k++) emissions[t][k] = emission(trained, sequence, t, k);
}

static void check_states(const trained_case *source_case, const double emissions[][STATES], size_t sequence,
                         size_t steps) {
    crd_error error;
    double shares[STATES], log_likelihood, log_joint, all = 0;
    sum_paths(source_case, emissions, steps, steps, true, steps - 1, shares);
    for (size_t k = 0; k < STATES; k++) all += shares[k];
    for (size_t k = 0; k < STATES; k++) {
        const crd_state_at state = {steps - 1, k};
        assert_done(
            crd_sequence_query_joint(source_case->query, sequence, &state, 1, &log_likelihood, &log_joint, &error),
            error);
        assert_near(log_likelihood, log(all), 1e-10);
        assert_near(log_joint, log(shares[k]), 1e-10);
    }
    /* A path with a hole in it, and the best one through its states. */
    const crd_state_at some[2] = {{0, 1}, {2, 0}};
    size_t path[STEPS] = {0}, best[STEPS] = {0};
    double joint = 0, greatest = -1, log_best;
    int32_t states[STEPS];
    if (steps < 3) return;
    do {
        const double probability = path_probability(source_case, emissions, path, steps, steps, true);
        if (path[0] != 1 || path[2] != 0) continue;
        joint += probability;
        if (probability > greatest) greatest = probability, memcpy(best, path, sizeof best);
    } while (next_path(path, steps));
    assert_done(crd_sequence_query_joint(source_case->query, sequence, some, 2, &log_likelihood, &log_joint, &error),
                error);
    assert_near(log_joint, log(joint), 1e-10);
    assert_done(crd_sequence_query_best_path(source_case->query, sequence, some, 2, &log_best, states, &error), error);
    assert_near(log_best, log(greatest), 1e-10);
    for (size_t t = 0; t < steps; t++) assert_int_equal(states[t], best[t]);
}

static void check_explanation(const trained_case *source_case, const double emissions[][STATES], size_t sequence,
                              size_t steps) {
    enum { COLUMNS = 2 };
    crd_error error;
    double past[STATES], observation[STATES], future[STATES], logs[STATES], terms[(COLUMNS + 1) * STATES];
    for (size_t t = 0; t < steps; t++) {
        crd_step_explanation explanation = CRD_STEP_EXPLANATION_INIT;
        double shares[STATES], before[STATES], all = 0, all_before = 0;
        assert_done(crd_sequence_query_explain(source_case->query, sequence, t, past, observation, future, logs,
                                               &explanation, &error),
                    error);
        assert_done(crd_sequence_query_terms(source_case->query, sequence, t, terms, &error), error);
        sum_paths(source_case, emissions, steps, steps, true, t, shares);
        sum_paths(source_case, emissions, t + 1, t, false, t, before);
        for (size_t k = 0; k < STATES; k++) all += shares[k], all_before += before[k];
        assert_near(explanation.log_likelihood, log(all), 1e-10);
        for (size_t k = 0; k < STATES; k++) {
            double sum = 0;
            for (size_t i = 0; i <= COLUMNS; i++) sum += terms[i * STATES + k];
            assert_near(past[k], log(before[k] / all_before), 1e-9);
            assert_near(observation[k], log(emissions[t][k]), 1e-9);
            assert_near(sum, observation[k], 1e-12);
            assert_near(logs[k], log(shares[k] / all), 1e-9);
            assert_near(logs[k] - logs[0], past[k] + observation[k] + future[k] - past[0] - observation[0] - future[0],
                        1e-12);
            assert_true(logs[k] <= logs[explanation.posterior]);
        }
    }
}

static void check_forecast(const trained_case *source_case, const double emissions[][STATES], size_t sequence,
                           size_t steps) {
    crd_error error;
    double forecast[HORIZON * STATES];
    assert_done(crd_sequence_query_forecast(source_case->query, sequence, HORIZON, forecast, &error), error);
    for (size_t h = 1; h <= HORIZON; h++) {
        double shares[STATES], all = 0;
        sum_paths(source_case, emissions, steps + h, steps, false, steps + h - 1, shares);
        for (size_t k = 0; k < STATES; k++) all += shares[k];
        for (size_t k = 0; k < STATES; k++) assert_near(forecast[(h - 1) * STATES + k], shares[k] / all, 1e-11);
    }
}

static void answers_are_sums_over_paths(void **state) {
    (void)state;
    table_random_state = 15;
    for (size_t order = 1; order <= MOST_ORDER; order++) {
        for (int ends = 0; ends < 2; ends++) {
            char *text = random_sequences();
            trained_case trained = train_case(order, ends != 0, text);
            for (size_t i = 0; i < 4; i++) {
                const size_t steps = (size_t)crd_sequences_length(trained.sequences, i);
                double emissions[STEPS][STATES];
                fill_emissions(&trained, i, steps, emissions);
                check_states(&trained, emissions, i, steps);
                check_explanation(&trained, emissions, i, steps);
                check_forecast(&trained, emissions, i, steps);
            }
            destroy_case(&trained);
            free(text);
        }
    }
}

/* ---- The chain ---- */

/* Shares and durations against powers of the matrix of transitions, and contexts against the sequences. */
static void states_in_the_long_run(void **state) {
    (void)state;
    table_random_state = 4;
    char *text = random_sequences();
    trained_case source_case = train_case(1, false, text), pairs = train_case(2, false, text);
    double stationary[STATES], durations[STATES], shares[STATES] = {1, 0, 0}, total = 0;
    crd_state_context contexts[STATES * STATES + STATES];
    crd_error error;
    size_t count;
    assert_done(crd_hmm_long_run(source_case.hmm, stationary, durations, &error), error);
    for (size_t step = 0; step < 2000; step++) {
        double next[STATES] = {0};
        for (size_t source = 0; source < STATES; source++)
            for (size_t target = 0; target < STATES; target++)
                next[target] += shares[source] * crd_hmm_transition(source_case.hmm, &source, 1, target);
        memcpy(shares, next, sizeof shares);
    }
    for (size_t k = 0; k < STATES; k++) {
        assert_near(stationary[k], shares[k], 1e-10);
        assert_near(durations[k], 1 / (1 - crd_hmm_transition(source_case.hmm, &k, 1, k)), 1e-9);
    }
    /* A step that another follows is in a context once, and so is each but the first of these in one of two states. */
    assert_done(crd_hmm_contexts(pairs.hmm, contexts, STATES * STATES + STATES, &count, &error), error);
    assert_in_range(count, 1, STATES * STATES + STATES);
    for (size_t i = 0; i < count; i++) {
        assert_true(contexts[i].length >= 1 && (i == 0 || contexts[i].count <= contexts[i - 1].count));
        total += contexts[i].count;
    }
    assert_near(total, (double)(crd_sequences_rows(pairs.sequences) - SEQUENCES), 0);
    destroy_case(&source_case);
    destroy_case(&pairs);
    free(text);
}

/* ---- Samples ---- */

static size_t state_of(const trained_case *trained, const crd_value *values) {
    size_t target = 0, state = 0;
    while (!crd_text_equal(values[target].text, crd_text_of("A")) &&
           !crd_text_equal(values[target].text, crd_text_of("B")) &&
           !crd_text_equal(values[target].text, crd_text_of("C")))
        target++;
    while (!crd_text_equal(crd_hmm_state(trained->hmm, state), values[target].text)) state++;
    return state;
}

/* Relative frequencies of many draws are within five standard errors; the mean length is 1 + the expected number of steps that are
 * not the end. */
static void samples_have_the_probabilities_of_the_model(void **state) {
    (void)state;
    enum { DRAWS = 20000, MOST = 1000, COLUMNS = 3 };
    table_random_state = 8;
    char *text = random_sequences();
    trained_case source_case = train_case(1, true, text);
    crd_sequence_sampler *sampler;
    crd_value values[COLUMNS], again[COLUMNS];
    crd_error error;
    double starts[STATES] = {0}, visits[STATES] = {0}, ends[STATES] = {0}, moves[STATES][STATES] = {{0}};
    assert_done(crd_sequence_sampler_create(source_case.model, NULL, 7, &sampler, &error), error);
    assert_int_equal(crd_sequence_sampler_column_count(sampler), COLUMNS);
    assert_int_equal(crd_sequence_sampler_ends(sampler), 1);
    for (size_t i = 0; i < DRAWS; i++) {
        size_t before = STATES;
        crd_sequence_sampler_begin(sampler, i);
        while (crd_sequence_sampler_next(sampler, 1, values)) {
            size_t index = state_of(&source_case, values);
            if (before == STATES) starts[index]++;
            else moves[before][index]++;
            visits[index]++;
            before = index;
        }
        assert_true(before < STATES);
        ends[before]++;
    }
    for (size_t k = 0; k < STATES; k++) {
        double p = crd_hmm_start(source_case.hmm, k), q = crd_hmm_end(source_case.hmm, &k, 1);
        assert_near(starts[k] / DRAWS, p, 5 * sqrt(p * (1 - p) / DRAWS));
        assert_near(ends[k] / visits[k], q, 5 * sqrt(q * (1 - q) / visits[k]));
        for (size_t target = 0; target < STATES; target++) {
            p = crd_hmm_transition(source_case.hmm, &k, 1, target);
            assert_near(moves[k][target] / visits[k], p, 5 * sqrt(p * (1 - p) / visits[k]));
        }
    }
    /* A sequence is a function of its number; without ends it goes on. */
    crd_sequence_sampler_begin(sampler, 5);
    for (size_t t = 0; t < MOST; t++) assert_int_equal(crd_sequence_sampler_next(sampler, 0, values), 1);
    crd_sequence_sampler_begin(sampler, 5);
    for (size_t t = 0; t < MOST; t++) assert_int_equal(crd_sequence_sampler_next(sampler, 0, again), 1);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(values[i].type == again[i].type && values[i].number == again[i].number &&
                    (values[i].type != CRD_TYPE_CATEGORICAL || crd_text_equal(values[i].text, again[i].text)));
    crd_sequence_sampler_destroy(sampler);
    destroy_case(&source_case);
    free(text);
}

/* Columns of a joint density are drawn together: covariances of many draws are those of the rows that were learned. */
static void joint_numbers_are_drawn_together(void **state) {
    (void)state;
    enum { ROWS = 200, DRAWS = 20000, ROOM = 65536 };
    crd_context *context;
    crd_reader *reader;
    crd_settings *settings;
    crd_model *model;
    crd_sequence_sampler *sampler;
    crd_value values[3];
    crd_error error;
    char *text = malloc(ROOM);
    size_t length = (size_t)snprintf(text, ROOM, "x,y,s\n");
    double learned[5] = {0}, drawn[5] = {0};
    table_random_state = 21;
    for (size_t i = 0; i < ROWS; i++) {
        double a = (double)table_below(1000) / 100, b = (double)table_below(1000) / 100, x = 1000 + a, y = b - 3 * a;
        length += (size_t)snprintf(text + length, ROOM - length, "%.2f,%.2f,A\n", x, y);
        learned[0] += x, learned[1] += y, learned[2] += x * x, learned[3] += y * y, learned[4] += x * y;
    }
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("sequence"), &error), error);
    assert_done(crd_settings_set(settings, "joint", crd_text_of("numbers"), &error), error);
    assert_done(crd_settings_set(settings, "covariance", crd_text_of("full:0"), &error), error);
    assert_done(open_text(context, text, length, "s", &reader, &error), error);
    assert_done(crd_sequence_train(context, reader, NULL, settings, &model, NULL, &error), error);
    assert_done(crd_sequence_sampler_create(model, NULL, 3, &sampler, &error), error);
    crd_sequence_sampler_begin(sampler, 0);
    for (size_t i = 0; i < DRAWS; i++) {
        assert_int_equal(crd_sequence_sampler_next(sampler, 0, values), 1);
        const double x = values[0].number, y = values[1].number;
        drawn[0] += x, drawn[1] += y, drawn[2] += x * x, drawn[3] += y * y, drawn[4] += x * y;
    }
    for (size_t i = 0; i < 5; i++) learned[i] /= ROWS, drawn[i] /= DRAWS;
    const double wanted = learned[4] - learned[0] * learned[1], covariance = drawn[4] - drawn[0] * drawn[1];
    assert_near(drawn[0], learned[0], 0.15);
    assert_near(covariance, wanted, 0.05 * fabs(wanted));
    assert_near(drawn[3] - drawn[1] * drawn[1], learned[3] - learned[1] * learned[1], 0.05 * learned[3]);
    crd_sequence_sampler_destroy(sampler);
    crd_model_destroy(model);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_sums_over_paths),
        cmocka_unit_test(states_in_the_long_run),
        cmocka_unit_test(samples_have_the_probabilities_of_the_model),
        cmocka_unit_test(joint_numbers_are_drawn_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
