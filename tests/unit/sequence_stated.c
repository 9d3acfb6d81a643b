/* SPDX-License-Identifier: MIT */
/* Stated hidden Markov models, asked by public calls: equal to sums over all paths, to the Bayesian network of the same shape, and to
 * hmmlearn; exported and read again, they answer the same. */
#include "model_support.h"

#include "math/random.h"

enum { MAX_STATES = 3, MOST_STEPS = 6, VALUES = 3, MOST_ORDER = 2 };

/* A model with a category, of VALUES values, and a number, drawn at random; and a sequence of it. */
typedef struct drawn_hmm {
    size_t states, order, steps;
    bool has_ends;
    double start[MAX_STATES];
    /* After a first state, and in order 2 after two: the last is the end. */
    double first[MAX_STATES][MAX_STATES + 1], next[MAX_STATES][MAX_STATES][MAX_STATES + 1];
    double table[MAX_STATES][VALUES], mean[MAX_STATES], deviation[MAX_STATES];
    int codes[MOST_STEPS];      /* -1: missing */
    double numbers[MOST_STEPS]; /* NaN: missing */
} drawn_hmm;

static void draw_distribution(crd_i_random *random, double *destination, size_t count, bool has_zeros) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        destination[i] =
            has_zeros && crd_i_random_uniform(random) < 0.2 && i + 1 < count ? 0 : 0.05 + crd_i_random_uniform(random);
        sum += destination[i];
    }
    for (size_t i = 0; i < count; i++) destination[i] /= sum;
}

static drawn_hmm draw(uint64_t seed) {
    crd_i_random random = crd_i_random_at(11, seed);
    drawn_hmm hmm = {.states = 1 + (size_t)crd_i_random_below(&random, MAX_STATES),
                     .order = 1 + (size_t)crd_i_random_below(&random, MOST_ORDER),
                     .steps = 1 + (size_t)crd_i_random_below(&random, MOST_STEPS),
                     .has_ends = crd_i_random_uniform(&random) < 0.3};
    const size_t followers = hmm.states + (hmm.has_ends ? 1 : 0);
    draw_distribution(&random, hmm.start, hmm.states, true);
    for (size_t a = 0; a < hmm.states; a++) {
        draw_distribution(&random, hmm.first[a], followers, true);
        draw_distribution(&random, hmm.table[a], VALUES, false);
        hmm.mean[a] = 3 * crd_i_random_normal(&random);
        hmm.deviation[a] = 0.5 + crd_i_random_uniform(&random);
        for (size_t b = 0; b < hmm.states; b++) draw_distribution(&random, hmm.next[a][b], followers, true);
    }
    for (size_t t = 0; t < hmm.steps; t++) {
        hmm.codes[t] = crd_i_random_uniform(&random) < 0.2 ? -1 : (int)crd_i_random_below(&random, VALUES);
        const double mean = hmm.mean[crd_i_random_below(&random, hmm.states)];
        hmm.numbers[t] = crd_i_random_uniform(&random) < 0.2 ? NAN : mean + 2 * crd_i_random_normal(&random);
    }
    return hmm;
}

/* ---- Its text, and its sequence ---- */

typedef struct text_buffer {
    char bytes[8192];
    size_t length;
} text_buffer;

static void put(text_buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    buffer->length +=
        (size_t)vsnprintf(buffer->bytes + buffer->length, sizeof buffer->bytes - buffer->length, format, arguments);
    va_end(arguments);
    assert_true(buffer->length < sizeof buffer->bytes);
}

static void put_list(text_buffer *buffer, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) put(buffer, "%s%.17g", i == 0 ? "[" : ", ", numbers[i]);
    put(buffer, "]");
}

static void put_row(text_buffer *buffer, const drawn_hmm *hmm, const double *row) {
    put(buffer, "\"to\": ");
    put_list(buffer, row, hmm->states);
    if (hmm->has_ends) put(buffer, ", \"end\": %.17g", row[hmm->states]);
    put(buffer, "}");
}

static text_buffer text_of(const drawn_hmm *hmm) {
    text_buffer buffer = {.length = 0};
    put(&buffer, "{\"credence_hmm\": 1, \"order\": %zu, \"states\": [", hmm->order);
    for (size_t k = 0; k < hmm->states; k++) put(&buffer, "%s\"s%zu\"", k == 0 ? "" : ", ", k);
    put(&buffer, "], \"start\": ");
    put_list(&buffer, hmm->start, hmm->states);
    put(&buffer, ", \"transitions\": [");
    for (size_t a = 0; a < hmm->states; a++) {
        put(&buffer, "%s{\"after\": [\"s%zu\"], ", a == 0 ? "" : ", ", a);
        put_row(&buffer, hmm, hmm->first[a]);
        for (size_t b = 0; hmm->order == 2 && b < hmm->states; b++) {
            put(&buffer, ", {\"after\": [\"s%zu\", \"s%zu\"], ", a, b);
            put_row(&buffer, hmm, hmm->next[a][b]);
        }
    }
    put(&buffer,
        "], \"observations\": [{\"name\": \"c\", \"family\": \"categorical\", \"values\": [\"u\", \"v\", \"w\"], "
        "\"probability\": [");
    for (size_t a = 0; a < hmm->states; a++) {
        put(&buffer, a == 0 ? "" : ", ");
        put_list(&buffer, hmm->table[a], VALUES);
    }
    put(&buffer, "]}, {\"name\": \"x\", \"family\": \"gaussian\", \"mean\": ");
    put_list(&buffer, hmm->mean, hmm->states);
    put(&buffer, ", \"deviation\": ");
    put_list(&buffer, hmm->deviation, hmm->states);
    put(&buffer, "}]}");
    return buffer;
}

typedef struct stated_result {
    crd_model *model;
    crd_hmm *hmm;
    crd_frame *frame;
    crd_sequences *sequences;
    int32_t codes[MOST_STEPS];
    size_t length;
} stated_result;

static void ask(crd_context *context, const drawn_hmm *source_hmm, crd_model *model, stated_result *result) {
    const crd_text values[] = {{"u", 1}, {"v", 1}, {"w", 1}}, none = {NULL, 0};
    crd_error error;
    result->model = model;
    for (size_t t = 0; t < source_hmm->steps; t++) result->codes[t] = source_hmm->codes[t];
    result->length = source_hmm->steps;
    assert_done(crd_hmm_create(result->model, NULL, &result->hmm, &error), error);
    assert_done(crd_frame_create(context, source_hmm->steps, &result->frame, &error), error);
    assert_done(crd_frame_add_codes(result->frame, crd_text_of("c"), result->codes, NULL, values, VALUES, &error),
                error);
    assert_done(crd_frame_add_numbers(result->frame, crd_text_of("x"), source_hmm->numbers, NULL, &error), error);
    assert_done(crd_sequences_from_frame(context, result->frame, none, &result->length, 1, &result->sequences, &error),
                error);
}

static crd_model *model_of(crd_context *context, const drawn_hmm *hmm) {
    const text_buffer text = text_of(hmm);
    crd_model *model;
    crd_error error;
    assert_done(crd_hmm_read(context, text.bytes, text.length, &model, &error), error);
    return model;
}

static void end(stated_result *result) {
    crd_sequences_destroy(result->sequences);
    crd_frame_destroy(result->frame);
    crd_hmm_destroy(result->hmm);
    crd_model_destroy(result->model);
}

/* ---- Sums over all paths ---- */

static double emission(const drawn_hmm *source_hmm, size_t t, size_t state) {
    double density = source_hmm->codes[t] < 0 ? 1 : source_hmm->table[state][source_hmm->codes[t]];
    if (isnan(source_hmm->numbers[t])) return density;
    const double z = (source_hmm->numbers[t] - source_hmm->mean[state]) / source_hmm->deviation[state];
    return density * exp(-0.5 * z * z) / (source_hmm->deviation[state] * sqrt(2 * 3.14159265358979323846));
}

static const double *row_after(const drawn_hmm *hmm, const size_t *path, size_t steps) {
    return hmm->order == 1 || steps == 1 ? hmm->first[path[steps - 1]] : hmm->next[path[steps - 2]][path[steps - 1]];
}

static double path_probability(const drawn_hmm *hmm, const size_t *path) {
    double p = hmm->start[path[0]] * emission(hmm, 0, path[0]);
    for (size_t t = 1; t < hmm->steps; t++) p *= row_after(hmm, path, t)[path[t]] * emission(hmm, t, path[t]);
    return hmm->has_ends ? p * row_after(hmm, path, hmm->steps)[hmm->states] : p;
}

typedef struct sums {
    double all, best, of_state[MOST_STEPS][MAX_STATES];
    size_t path[MOST_STEPS];
} sums;

static sums enumerate(const drawn_hmm *hmm) {
    sums found_sums = {.all = 0};
    size_t path[MOST_STEPS] = {0}, index;
    do {
        const double p = path_probability(hmm, path);
        found_sums.all += p;
        for (size_t t = 0; t < hmm->steps; t++) found_sums.of_state[t][path[t]] += p;
        if (p > found_sums.best) {
            found_sums.best = p;
            memcpy(found_sums.path, path, sizeof path);
        }
        index = hmm->steps;
        while (index > 0 && ++path[index - 1] == hmm->states) path[--index] = 0;
    } while (index > 0);
    return found_sums;
}

static void check_answers(const drawn_hmm *source_hmm, const stated_result *result, const sums *expected) {
    double likelihood, posteriors[MOST_STEPS * MAX_STATES], log_path;
    int32_t path[MOST_STEPS];
    crd_error error;
    assert_done(crd_hmm_log_likelihoods(result->hmm, result->sequences, 1, &likelihood, &error), error);
    if (expected->all == 0) {
        assert_true(likelihood == -INFINITY);
        return;
    }
    assert_near(likelihood, log(expected->all), 1e-12 * fmax(1, fabs(log(expected->all))));
    assert_done(crd_hmm_posteriors(result->hmm, result->sequences, 1, posteriors, NULL, &error), error);
    for (size_t t = 0; t < source_hmm->steps; t++)
        for (size_t k = 0; k < source_hmm->states; k++)
            assert_near(posteriors[t * source_hmm->states + k], expected->of_state[t][k] / expected->all, 1e-12);
    assert_done(crd_hmm_paths(result->hmm, result->sequences, 1, path, &log_path, &error), error);
    assert_near(log_path, log(expected->best), 1e-12 * fmax(1, fabs(log(expected->best))));
    for (size_t t = 0; t < source_hmm->steps; t++) assert_int_equal(path[t], expected->path[t]);
}

static void test_enumeration(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (uint64_t seed = 0; seed < 300; seed++) {
        const drawn_hmm hmm = draw(seed);
        const sums expected = enumerate(&hmm);
        stated_result result;
        ask(context, &hmm, model_of(context, &hmm), &result);
        check_answers(&hmm, &result, &expected);
        end(&result);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* ---- The network of the same shape ---- */

static size_t add_node(crd_network_builder *builder, char letter, size_t step, crd_node_kind kind, size_t states) {
    static const crd_text names[] = {{"0", 1}, {"1", 1}, {"2", 1}};
    char name[32];
    crd_error error;
    size_t node;
    snprintf(name, sizeof name, "%c%zu", letter, step);
    assert_done(crd_network_builder_add_node(builder, crd_text_of(name), kind, names, states, &node, &error), error);
    return node;
}

/* A step: its state, which depends on those before it, its category and its number. */
static void add_step(crd_network_builder *builder, const drawn_hmm *source_hmm, size_t t) {
    const size_t states = source_hmm->states;
    crd_error error;
    const size_t s = add_node(builder, 's', t, CRD_NODE_CHANCE, states);
    const size_t c = add_node(builder, 'c', t, CRD_NODE_CHANCE, VALUES);
    const size_t x = add_node(builder, 'x', t, CRD_NODE_GAUSSIAN, 0);
    const size_t parents = t < source_hmm->order ? t : source_hmm->order;
    for (size_t p = 0; p < parents; p++)
        assert_done(crd_network_builder_add_arc(builder, 3 * (t - parents + p), s, &error), error);
    assert_done(crd_network_builder_add_arc(builder, s, c, &error), error);
    assert_done(crd_network_builder_add_arc(builder, s, x, &error), error);
    double next[MAX_STATES * MAX_STATES * MAX_STATES];
    size_t rows = 1;
    for (size_t p = 0; p < parents; p++) rows *= states;
    for (size_t row = 0; row < rows; row++)
        memcpy(next + row * states,
               parents == 0   ? source_hmm->start
               : parents == 1 ? source_hmm->first[row]
                              : source_hmm->next[row / states][row % states],
               states * sizeof *next);
    assert_done(crd_network_builder_set_cpt(builder, s, next, rows * states, &error), error);
    for (size_t k = 0; k < states; k++) {
        const double normal[] = {source_hmm->mean[k], source_hmm->deviation[k] * source_hmm->deviation[k]};
        assert_done(crd_network_builder_set_cpt_row(builder, c, &k, source_hmm->table[k], &error), error);
        assert_done(crd_network_builder_set_cpt_row(builder, x, &k, normal, &error), error);
    }
}

static void test_unrolled(void **state) {
    (void)state;
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (uint64_t seed = 1000; seed < 1100; seed++) {
        drawn_hmm drawn = draw(seed);
        crd_network_builder *builder;
        crd_network *network;
        crd_error error;
        stated_result result;
        if (drawn.has_ends) continue;
        ask(context, &drawn, model_of(context, &drawn), &result);
        assert_done(crd_network_builder_create(context, crd_text_of("unrolled"), &builder, &error), error);
        for (size_t t = 0; t < drawn.steps; t++) add_step(builder, &drawn, t);
        assert_done(crd_network_builder_finish(builder, &network, &error), error);
        int32_t states[3 * MOST_STEPS];
        double numbers[3 * MOST_STEPS], expected[MOST_STEPS * MAX_STATES], posteriors[MOST_STEPS * MAX_STATES];
        double log_evidence, likelihood;
        size_t nodes[MOST_STEPS];
        for (size_t t = 0; t < drawn.steps; t++) {
            states[3 * t] = states[3 * t + 2] = -1;
            states[3 * t + 1] = drawn.codes[t];
            numbers[3 * t] = numbers[3 * t + 1] = NAN;
            numbers[3 * t + 2] = drawn.numbers[t];
            nodes[t] = 3 * t;
        }
        assert_done(crd_hmm_log_likelihoods(result.hmm, result.sequences, 1, &likelihood, &error), error);
        const crd_status status = crd_network_case_posteriors(network, NETWORK_QUERY(NULL, 0, nodes, drawn.steps, NULL),
                                                              states, numbers, 1, expected, &log_evidence, &error);
        if (likelihood == -INFINITY) {
            assert_true(status != CRD_OK || log_evidence == -INFINITY);
        } else {
            if (status != CRD_OK) fail_msg("%s", error.message);
            assert_near(likelihood, log_evidence, 1e-12 * fmax(1, fabs(likelihood)));
            assert_done(crd_hmm_posteriors(result.hmm, result.sequences, 1, posteriors, NULL, &error), error);
            for (size_t i = 0; i < drawn.steps * drawn.states; i++) assert_near(posteriors[i], expected[i], 1e-12);
        }
        crd_network_destroy(network);
        crd_network_builder_destroy(builder);
        end(&result);
    }
    crd_context_destroy(context);
}

/* ---- Export, and back ---- */

static int take_part(void *user, const char *bytes, size_t length) {
    text_buffer *buffer = user;
    assert_true(buffer->length + length < sizeof buffer->bytes);
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return 0;
}

/* The model that its file has. */
static crd_model *reread(crd_context *context, crd_model *model) {
    unsigned char *bytes;
    size_t length;
    crd_model *read;
    crd_error error;
    assert_done(crd_model_encode(model, &bytes, &length, &error), error);
    assert_done(crd_model_decode(context, bytes, length, &read, &error), error);
    crd_free(context, bytes);
    crd_model_destroy(model);
    return read;
}

static void test_export(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (uint64_t seed = 2000; seed < 2060; seed++) {
        const drawn_hmm hmm = draw(seed);
        const sums expected = enumerate(&hmm);
        crd_error error;
        text_buffer text = {.length = 0};
        crd_model *first = reread(context, model_of(context, &hmm)), *second;
        assert_done(crd_model_export(first, NULL, CRD_EXPORT_HMM, NULL, take_part, &text, &error), error);
        assert_done(crd_hmm_read(context, text.bytes, text.length, &second, &error), error);
        stated_result result;
        ask(context, &hmm, second, &result);
        check_answers(&hmm, &result, &expected);
        end(&result);
        crd_model_destroy(first);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_enumeration), cmocka_unit_test(test_unrolled),
                                       cmocka_unit_test(test_export)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
