/* SPDX-License-Identifier: MIT */
/* Baum and Welch's algorithm: one step is that of hmmlearn, the objective never falls, states are found again, and what is
 * degenerate ends in a model or a clear error. */
#include "model_support.h"

#include "math/random.h"
#include "sequence/hmm_internal.h"
#include "sequence/pseudo_rows.h"
#include "sequence/train/hmm_training.h"

#include <credence/hmm_train.h>

#include <math.h>

/* ---- Sequences and models by hand ---- */

enum { STEPS = 12, SEQUENCES = 2 };
static const size_t LENGTHS[SEQUENCES] = {7, 5};

/* Two columns of numbers; two sequences. */
static const double X[2][STEPS] = {{0.0, -0.36, -0.59, 0.08, -0.64, 0.64, 2.14, 1.96, 0.25, -0.47, -0.39, 0.35},
                                   {1.39, -0.16, -0.29, 2.74, 0.19, 1.46, -2.21, -0.1, -1.59, -2.68, -1.31, -0.65}};
static const int32_t SYMBOLS[STEPS] = {1, 0, 0, 1, 2, 1, 2, 2, 2, 1, 1, 1};
static const double COUNTS[STEPS] = {1, 0, 1, 1, 0, 1, 7, 5, 8, 4, 9, 5};
static const crd_text VALUES[] = {{"a", 1}, {"b", 1}, {"c", 1}};

typedef struct case_data {
    crd_context *context;
    crd_frame *frame;
    crd_sequences *sequences;
    crd_settings *settings;
} case_data;

static void set(crd_settings *settings, const char *name, const char *value) {
    crd_error error;
    assert_done(crd_settings_set(settings, name, crd_text_of(value), &error), error);
}

static void open_case(case_data *source_data, size_t rows) {
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &source_data->context), CRD_OK);
    assert_done(crd_frame_create(source_data->context, rows, &source_data->frame, &error), error);
    assert_done(crd_settings_create(source_data->context, &source_data->settings, &error), error);
    set(source_data->settings, "method", "sequence");
    set(source_data->settings, "smoothing", "none");
    source_data->sequences = NULL;
}

static void cut(case_data *source_data, const char *target, const size_t *lengths, size_t count) {
    const crd_text none = {NULL, 0};
    crd_error error;
    assert_done(crd_sequences_from_frame(source_data->context, source_data->frame,
                                         target == NULL ? none : crd_text_of(target), lengths, count,
                                         &source_data->sequences, &error),
                error);
}

static void close_case(case_data *source_data) {
    crd_sequences_destroy(source_data->sequences);
    crd_frame_destroy(source_data->frame);
    crd_settings_destroy(source_data->settings);
    crd_context_destroy(source_data->context);
}

static void add_numbers(case_data *source_data, const char *name, const double *numbers) {
    crd_error error;
    assert_done(crd_frame_add_numbers(source_data->frame, crd_text_of(name), numbers, NULL, &error), error);
}

/* A model with P(start) 0.6 and 0.4, transitions 0.7 0.3 / 0.2 0.8, and these statistics of observations. */
static crd_model *stated(case_data *source_data, crd_i_class_statistics *statistics, size_t components) {
    static const crd_text STATES[] = {{"1", 1}, {"2", 1}};
    static const crd_text PAIRS[] = {{"1/1", 3}, {"1/2", 3}, {"2/1", 3}, {"2/2", 3}};
    static const double START[] = {60, 40}, NEXT[] = {70, 30, 20, 80};
    const size_t columns = crd_frame_column_count(source_data->frame);
    crd_error error;
    crd_settings *emission_settings;
    crd_model *emissions, *model;
    crd_i_ngram_counts *ngrams;
    crd_i_hmm_content *content;
    crd_i_schema *schema = crd_i_schema_create(source_data->context);
    for (size_t i = 0; i < columns; i++)
        assert_true(crd_i_schema_add(schema, crd_frame_column_name(source_data->frame, i),
                                     crd_frame_column_type(source_data->frame, i), i));
    assert_true(crd_i_schema_add(schema, crd_text_of("state"), CRD_TYPE_CATEGORICAL, columns));
    schema->target = columns;
    schema->width = columns + 1;
    statistics->names = components > 1 ? PAIRS : STATES;
    statistics->classes = 2 * components;
    assert_done(crd_i_emission_settings(source_data->context, source_data->settings, &emission_settings, &error),
                error);
    assert_done(
        crd_i_model_of_statistics(source_data->context, schema, emission_settings, statistics, &emissions, &error),
        error);
    crd_settings_destroy(emission_settings);
    assert_done(crd_i_ngram_counts_create(source_data->context, 1, &ngrams, &error), error);
    for (uint32_t a = 0; a < 2; a++) {
        uint32_t number;
        assert_done(crd_i_ngram_counts_state(ngrams, STATES[a], &number, &error), error);
        const uint32_t begin[] = {CRD_I_SYMBOL_BEGIN, a};
        assert_true(crd_i_ngram_counts_add(ngrams, begin, START[a]));
        for (uint32_t b = 0; b < 2; b++) {
            const uint32_t pair[] = {a, b};
            assert_true(crd_i_ngram_counts_add(ngrams, pair, NEXT[2 * a + b]));
        }
    }
    assert_done(
        crd_i_hmm_content_create(source_data->context, emissions, ngrams, components, true, NULL, &content, &error),
        error);
    assert_done(crd_i_sequence_model_create(content, source_data->settings, &model, &error), error);
    return model;
}

/* ---- One step of hmmlearn ---- */

/* What hmmlearn 0.3.3 has: log likelihoods before and after a step of EM, start and transition probabilities. */
typedef struct step_of_peer {
    double before, after, start[2], next[4];
} step_of_peer;

static void near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)))) print_message("%.17g, not %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)));
}

static crd_fit_facts facts_of(const crd_fit *fit) {
    crd_fit_facts facts = CRD_FIT_FACTS_INIT;
    crd_fit_describe(fit, &facts);
    return facts;
}

/* Makes one step from a model, which is destroyed, and returns what the model of it derives. */
static crd_hmm *check_step(case_data *source_data, crd_model *start, const step_of_peer *peer, crd_model **model) {
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_error error;
    crd_fit *fit;
    crd_hmm *hmm;
    options.most_steps = 1;
    options.start = start;
    assert_done(crd_hmm_train(source_data->sequences, crd_text_of("state"), source_data->settings, &options, model,
                              &fit, &error),
                error);
    assert_int_equal(facts_of(fit).step_count, 2);
    near(crd_fit_log_likelihood(fit, 0), peer->before);
    near(crd_fit_log_likelihood(fit, 1), peer->after);
    crd_fit_destroy(fit);
    crd_model_destroy(start);
    assert_done(crd_hmm_create(*model, NULL, &hmm, &error), error);
    for (size_t a = 0; a < 2; a++) {
        near(crd_hmm_start(hmm, a), peer->start[a]);
        for (size_t b = 0; b < 2; b++) near(crd_hmm_transition(hmm, &a, 1, b), peer->next[2 * a + b]);
    }
    return hmm;
}

static double parameter(const crd_hmm *hmm, size_t attribute, size_t class, size_t which) {
    crd_term_parameter parameters[CRD_TERM_PARAMETERS];
    size_t count;
    crd_error error;
    assert_done(
        crd_classifier_parameters(crd_hmm_facts_of(hmm)->emissions, attribute, class, parameters, &count, &error),
        error);
    assert_true(which < count);
    return parameters[which].value;
}

static void test_gaussian(void **state) {
    static const step_of_peer peer = {
        -40.57312263148472,
        -34.30605829195319,
        {0.5652331098281544, 0.43476689017184555},
        {0.8088437224083698, 0.19115627759163017, 0.21058208193926956, 0.7894179180607305}};
    static const double means[2][2] = {{-0.08778078072539158, 0.7816643816025515},
                                       {0.44617069753265515, -1.404509601297798}};
    static const double variances[2][2] = {{0.27935245428085925, 1.153699940141427},
                                           {1.8640036006441671, 0.8907329075813742}};
    static const double cells[] = {1, 1}, m0[] = {0, 2}, v0[] = {1, 1.5}, m1[] = {1, -1}, v1[] = {2, 1};
    crd_i_column_statistics columns[3] = {{.cells = cells, .firsts = m0, .seconds = v0},
                                          {.cells = cells, .firsts = m1, .seconds = v1}};
    crd_i_class_statistics statistics = {.rows = cells, .columns = columns};
    crd_model *model;
    case_data source_data;
    (void)state;
    open_case(&source_data, STEPS);
    add_numbers(&source_data, "x", X[0]);
    add_numbers(&source_data, "y", X[1]);
    cut(&source_data, NULL, LENGTHS, SEQUENCES);
    crd_hmm *hmm = check_step(&source_data, stated(&source_data, &statistics, 1), &peer, &model);
    for (size_t c = 0; c < 2; c++)
        for (size_t k = 0; k < 2; k++) {
            near(parameter(hmm, c, k, 0), means[c][k]);
            near(parameter(hmm, c, k, 1), sqrt(variances[c][k]));
        }
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    close_case(&source_data);
}

static void test_full_covariance(void **state) {
    static const step_of_peer peer = {
        -40.77782553957213,
        -33.301117622388176,
        {0.5513444407753663, 0.44865555922463385},
        {0.8065460150404894, 0.1934539849595106, 0.27307487021220106, 0.7269251297877989}};
    static const double cells[] = {1, 1}, means[] = {0, 1, 2, -1}, matrices[] = {1, .3, .3, 2, 1.5, -.2, -.2, 1};
    static const size_t both[] = {0, 1};
    const crd_i_block_statistics block = {both, 2, cells, means, matrices};
    crd_i_column_statistics columns[3] = {{.cells = NULL}};
    crd_i_class_statistics statistics = {.rows = cells, .columns = columns, .blocks = &block, .block_count = 1};
    crd_model *model;
    case_data source_data;
    (void)state;
    open_case(&source_data, STEPS);
    set(source_data.settings, "joint", "numbers");
    set(source_data.settings, "covariance", "full:0");
    add_numbers(&source_data, "x", X[0]);
    add_numbers(&source_data, "y", X[1]);
    cut(&source_data, NULL, LENGTHS, SEQUENCES);
    crd_hmm *hmm = check_step(&source_data, stated(&source_data, &statistics, 1), &peer, &model);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    close_case(&source_data);
}

static void test_categories(void **state) {
    static const step_of_peer peer = {
        -13.030114485254153,
        -11.762779154159901,
        {0.5148045464422565, 0.48519545355774346},
        {0.6916904553679283, 0.3083095446320717, 0.16564293822633608, 0.8343570617736639}};
    static const double expected[2][3] = {{0.3476298766149845, 0.4981674602936091, 0.15420266309140646},
                                          {0.03396686117704449, 0.5013437961376767, 0.46468934268527895}};
    static const double cells[] = {10, 10}, counts[] = {5, 3, 2, 1, 3, 6};
    crd_i_column_statistics columns[2] = {{.cells = cells, .counts = counts, .values = VALUES, .value_count = 3}};
    crd_i_class_statistics statistics = {.rows = cells, .columns = columns};
    crd_model *model;
    crd_error error;
    case_data source_data;
    (void)state;
    open_case(&source_data, STEPS);
    assert_done(crd_frame_add_codes(source_data.frame, crd_text_of("symbol"), SYMBOLS, NULL, VALUES, 3, &error), error);
    cut(&source_data, NULL, LENGTHS, SEQUENCES);
    crd_hmm *hmm = check_step(&source_data, stated(&source_data, &statistics, 1), &peer, &model);
    for (size_t k = 0; k < 2; k++)
        for (size_t v = 0; v < 3; v++) {
            crd_term term = CRD_TERM_INIT;
            const crd_value value = {.type = CRD_TYPE_CATEGORICAL, .text = VALUES[v]};
            assert_done(crd_classifier_term(crd_hmm_facts_of(hmm)->emissions, 0, k, &value, &term, &error), error);
            near(exp(term.log_value), expected[k][v]);
        }
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    close_case(&source_data);
}

static void test_poisson(void **state) {
    static const step_of_peer peer = {
        -29.33033124552138,
        -23.064865244842004,
        {0.5757487950448855, 0.4242512049551145},
        {0.8059376956059896, 0.19406230439401048, 0.06571824761040676, 0.9342817523895933}};
    static const double cells[] = {10, 10}, means[] = {2.5, 5};
    crd_i_column_statistics columns[2] = {{.cells = cells, .firsts = means}};
    crd_i_class_statistics statistics = {.rows = cells, .columns = columns};
    crd_model *model;
    case_data source_data;
    (void)state;
    open_case(&source_data, STEPS);
    set(source_data.settings, "family", "poisson");
    add_numbers(&source_data, "count", COUNTS);
    cut(&source_data, NULL, LENGTHS, SEQUENCES);
    crd_hmm *hmm = check_step(&source_data, stated(&source_data, &statistics, 1), &peer, &model);
    near(parameter(hmm, 0, 0, 0), 1.0762720648424189);
    near(parameter(hmm, 0, 1, 0), 6.140412014246492);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    close_case(&source_data);
}

/* GMMHMM, diagonal, whose default prior is none: weights_prior 1, covars_prior -1.5. Its variances are of deviations from the means
 * before the step; the squares of how far means have moved are taken out of them here, and the log likelihood is its score of
 * these. Components are in descending order of their weights after the step. */
static void test_components(void **state) {
    static const step_of_peer peer = {
        -39.108829487725345,
        -34.43181250881456,
        {0.7645636619401601, 0.23543633805983985},
        {0.7746932647288294, 0.22530673527117062, 0.1629803785928765, 0.8370196214071236}};
    static const double weights[] = {0.6078031696094953, 0.39219683039050446, 0.7711757780922294, 0.22882422190777077};
    static const double means[] = {-0.07139695227811785, 0.29531234672609735, 0.34841059749032116, 1.105171656001782};
    static const double variances[] = {0.2438267315025402, 0.891605171094475, 0.9834963366134729, 1.0004435268667633};
    static const double cells[] = {5, 5, 3, 7}, m0[] = {0, 1, 2, 1}, v0[] = {1, 1, 1.5, 2}, m1[] = {1, 0, -1, -2},
                        v1[] = {2, 1, 1, 1};
    crd_i_column_statistics columns[3] = {{.cells = cells, .firsts = m0, .seconds = v0},
                                          {.cells = cells, .firsts = m1, .seconds = v1}};
    crd_i_class_statistics statistics = {.rows = cells, .columns = columns};
    crd_model *model;
    case_data source_data;
    (void)state;
    open_case(&source_data, STEPS);
    set(source_data.settings, "state-mixture", "2");
    add_numbers(&source_data, "x", X[0]);
    add_numbers(&source_data, "y", X[1]);
    cut(&source_data, NULL, LENGTHS, SEQUENCES);
    crd_hmm *hmm = check_step(&source_data, stated(&source_data, &statistics, 2), &peer, &model);
    for (size_t i = 0; i < 4; i++) {
        double weight;
        const size_t class = crd_hmm_emission_class(hmm, i / 2, i % 2, &weight);
        near(weight, weights[i]);
        near(parameter(hmm, 0, class, 0), means[i]);
        near(parameter(hmm, 0, class, 1), sqrt(variances[i]));
    }
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    close_case(&source_data);
}

/* ---- Random problems ---- */

enum { LONG = 400, PARTS = 4 };
static const size_t LONG_LENGTHS[PARTS] = {150, 0, 1, 249};

/* A path of three states that stay with probability 0.9, and what they emit. */
typedef struct drawn_steps {
    int32_t states[LONG];
    double near_state[LONG], far[LONG], counts[LONG], waits[LONG], sizes[LONG], flags[LONG];
    int32_t symbols[LONG], labels[LONG];
} drawn_steps;

static void draw_steps(drawn_steps *steps, uint64_t seed) {
    crd_i_random random = crd_i_random_at(seed, 0);
    int32_t s = 0;
    for (size_t t = 0; t < LONG; t++) {
        if (crd_i_random_uniform(&random) > 0.9) s = (int32_t)crd_i_random_below(&random, 3);
        steps->states[t] = s;
        steps->near_state[t] = 4 * s + crd_i_random_normal(&random);
        steps->far[t] = 1e6 + 1e-3 * ((s == 1 ? 3 : 0) + crd_i_random_normal(&random));
        steps->counts[t] = floor(3 * s - log(crd_i_random_open(&random)));
        steps->waits[t] = -(1 + s) * log(crd_i_random_open(&random));
        steps->sizes[t] = exp(crd_i_random_normal(&random) - s);
        steps->flags[t] = crd_i_random_uniform(&random) < 0.2 + 0.3 * s;
        steps->symbols[t] = crd_i_random_uniform(&random) < 0.7 ? s : (int32_t)crd_i_random_below(&random, 3);
        steps->labels[t] = t % 10 == 0 ? s : -1;
        if (crd_i_random_uniform(&random) < 0.1) steps->near_state[t] = NAN;
        if (crd_i_random_uniform(&random) < 0.1) steps->symbols[t] = -1;
    }
}

/* Columns of all kinds, with missing cells. */
static void open_drawn(case_data *source_data, const drawn_steps *steps, const char *target) {
    crd_error error;
    open_case(source_data, LONG);
    set(source_data->settings, "family",
        "far=gaussian,near=gaussian,count=poisson,wait=exponential,flag=bernoulli,size=lognormal");
    add_numbers(source_data, "near", steps->near_state);
    add_numbers(source_data, "far", steps->far);
    add_numbers(source_data, "count", steps->counts);
    add_numbers(source_data, "wait", steps->waits);
    add_numbers(source_data, "flag", steps->flags);
    add_numbers(source_data, "size", steps->sizes);
    assert_done(crd_frame_add_codes(source_data->frame, crd_text_of("symbol"), steps->symbols, NULL, VALUES, 3, &error),
                error);
    if (target != NULL)
        assert_done(
            crd_frame_add_codes(source_data->frame, crd_text_of(target), steps->labels, NULL, VALUES, 3, &error),
            error);
    cut(source_data, target, LONG_LENGTHS, PARTS);
}

/* The log likelihood of all sequences under what a model derives. */
static double log_likelihood(const case_data *source_data, const crd_model *model) {
    crd_i_segment segments[PARTS];
    crd_i_training_steps steps = {
        .sequences = source_data->sequences, .segments = segments, .clamps = true, .threads = 1};
    double sum;
    crd_error error;
    crd_hmm *hmm;
    for (size_t i = 0; i < crd_sequences_count(source_data->sequences); i++) {
        const crd_i_segment segment = {i, 0, crd_sequences_length(source_data->sequences, i)};
        if (segment.target > 0) segments[steps.segment_count++] = segment;
        steps.steps += segment.target;
    }
    assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
    assert_done(crd_i_expectation_likelihood(hmm, &steps, &sum, &error), error);
    crd_hmm_destroy(hmm);
    return sum;
}

/* The most likely path of all sequences, one behind the other. */
typedef struct path_of {
    const crd_i_emission_binding *binding;
    crd_i_emission_room *workspace;
    size_t sequence, stride;
    int32_t *output;
} path_of;

static crd_status fill_logs(const void *user, uint64_t source, uint64_t target, double *logs, crd_error *error) {
    const path_of *search = user;
    return crd_i_emission_fill(search->binding, search->sequence, source, target, logs, search->stride,
                               search->workspace, error);
}

static crd_status take_states(void *user, uint64_t source, uint64_t target, const int32_t *states, crd_error *error) {
    (void)error;
    memcpy(((path_of *)user)->output + source, states, (target - source) * sizeof *states);
    return CRD_OK;
}

static void find_path(const case_data *source_data, const crd_model *model, int32_t *path) {
    crd_error error;
    crd_hmm *hmm;
    crd_i_emission_binding *binding;
    crd_i_chain_workspace *workspace;
    path_of search = {.output = path};
    assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
    assert_done(crd_i_emission_bind(hmm->emission, source_data->sequences, hmm->states, &binding, &error), error);
    assert_done(crd_i_emission_room_create(binding, &search.workspace, &error), error);
    assert_done(crd_i_chain_workspace_create(hmm->chain, &workspace, &error), error);
    search.binding = binding;
    search.stride = crd_i_chain_stride(hmm->chain);
    for (; search.sequence < crd_sequences_count(source_data->sequences); search.sequence++) {
        const crd_i_emissions emissions = {&search, crd_sequences_length(source_data->sequences, search.sequence),
                                           fill_logs};
        const crd_i_path_sink sink = {&search, take_states};
        crd_i_chain_answer answer;
        assert_done(crd_i_chain_viterbi(hmm->chain, &emissions, workspace, &sink, &answer, &error), error);
        search.output += emissions.steps;
    }
    crd_i_chain_workspace_destroy(workspace);
    crd_i_emission_room_destroy(search.workspace);
    crd_i_emission_binding_destroy(binding);
    crd_hmm_destroy(hmm);
}

/* Trains, checks that the objective never falls and that the model has the reported likelihood, and returns it. */
static crd_model *train(const case_data *source_data, const crd_hmm_train_options *options, crd_fit **fit) {
    crd_error error;
    crd_model *model;
    assert_done(crd_hmm_train(source_data->sequences, crd_text_of("state"), source_data->settings, options, &model, fit,
                              &error),
                error);
    const size_t steps = facts_of(*fit).step_count;
    for (size_t i = 1; i < steps && !facts_of(*fit).may_decrease; i++)
        if (!(crd_fit_objective(*fit, i) >= crd_fit_objective(*fit, i - 1) - 1e-8))
            fail_msg("step %zu falls from %.17g to %.17g", i, crd_fit_objective(*fit, i - 1),
                     crd_fit_objective(*fit, i));
    const double reported = crd_fit_log_likelihood(*fit, facts_of(*fit).best_step);
    assert_near(log_likelihood(source_data, model), reported, 1e-6 * (1 + fabs(reported)));
    return model;
}

static void test_objective_never_falls(void **state) {
    static const char *const settings[][2] = {{"smoothing", "none"},         {"smoothing", "m:1"},
                                              {"smoothing", "laplace:0.5"},  {"min-sd", "0.001"},
                                              {"end-probabilities", "yes"},  {"state-mixture", "2"},
                                              {"topology", "left-to-right"}, {"forbidden-transitions", "1->3"},
                                              {"transitions", "m:3"}};
    drawn_steps *drawn = malloc(sizeof *drawn);
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
        crd_fit *fit;
        case_data source_data;
        draw_steps(drawn, i);
        open_drawn(&source_data, drawn, NULL);
        set(source_data.settings, settings[i][0], settings[i][1]);
        options.states = 3;
        options.restarts = 2;
        options.most_steps = 25;
        crd_model *model = train(&source_data, &options, &fit);
        assert_false(facts_of(fit).may_decrease);
        assert_int_equal(facts_of(fit).empty, 0);
        crd_fit_destroy(fit);
        crd_model_destroy(model);
        close_case(&source_data);
    }
    free(drawn);
}

/* Joint normals, whose shrinkage is not stated: it would be another one in every step. All covariances are estimated by likelihood,
 * whatever smoothing is, and the model has the setting that they were estimated by. */
static void test_joint_objective_never_falls(void **state) {
    static const char *const settings[][3] = {{"full", "none", "full:0"}, {"full", "m:1", "full:0"},
                                              {"tied", "none", "tied:0"}, {"tied", "m:1", "tied:0"},
                                              {"auto", "m:1", "auto"},    {"diag", "none", "diag"}};
    drawn_steps *drawn = malloc(sizeof *drawn);
    double likelihoods[sizeof settings / sizeof *settings], x[LONG], y[LONG];
    (void)state;
    draw_steps(drawn, 5);
    for (size_t t = 0; t < LONG; t++) {
        x[t] = log(drawn->sizes[t]);
        y[t] = (drawn->far[t] - 1e6) * 1e3 + (drawn->states[t] == 0 ? 0.8 : -0.5) * x[t];
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
        crd_fit *fit;
        case_data source_data;
        open_case(&source_data, LONG);
        add_numbers(&source_data, "x", x);
        add_numbers(&source_data, "y", y);
        cut(&source_data, NULL, LONG_LENGTHS, PARTS);
        set(source_data.settings, "joint", "numbers");
        set(source_data.settings, "covariance", settings[i][0]);
        set(source_data.settings, "smoothing", settings[i][1]);
        set(source_data.settings, "transitions", "none");
        options.states = 3;
        crd_model *model = train(&source_data, &options, &fit);
        assert_false(facts_of(fit).may_decrease);
        assert_string_equal(crd_settings_get(crd_model_settings(model), "covariance"), settings[i][2]);
        likelihoods[i] = crd_fit_log_likelihood(fit, facts_of(fit).best_step);
        crd_fit_destroy(fit);
        crd_model_destroy(model);
        close_case(&source_data);
    }
    assert_near(likelihoods[0], likelihoods[1], 1e-9 * fabs(likelihoods[0]));
    assert_near(likelihoods[0], likelihoods[4], 1e-9 * fabs(likelihoods[0]));
    assert_true(likelihoods[0] > likelihoods[2] && likelihoods[0] > likelihoods[5]);
    free(drawn);
}

/* Without smoothing, categories start without zeros, which EM would never leave. The best of 10 random starts of hmmlearn 0.3.3
 * (CategoricalHMM, n_iter=2000, tol=1e-4) on these symbols has the likelihoods here. */
static void test_categories_without_smoothing(void **state) {
    static const double least[] = {-380.938087, -374.603627, -371.917101};
    enum { SYMBOL_STEPS = 400 };
    int32_t *symbols = malloc(SYMBOL_STEPS * sizeof *symbols);
    crd_i_random random = crd_i_random_at(17, 0);
    const size_t lengths[] = {SYMBOL_STEPS};
    double before = -INFINITY;
    int32_t s = 0;
    (void)state;
    for (size_t t = 0; t < SYMBOL_STEPS; t++) {
        if (crd_i_random_uniform(&random) > 0.93) s = 1 - s;
        const double u = crd_i_random_uniform(&random);
        symbols[t] = s == 0 ? (u < 0.7 ? 0 : u < 0.9 ? 1 : 2) : (u < 0.1 ? 0 : u < 0.4 ? 1 : 2);
    }
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
        crd_fit *fit_options;
        crd_error error;
        case_data source_data;
        open_case(&source_data, SYMBOL_STEPS);
        set(source_data.settings, "smoothing", "none");
        assert_done(crd_frame_add_codes(source_data.frame, crd_text_of("symbol"), symbols, NULL, VALUES, 3, &error),
                    error);
        cut(&source_data, NULL, lengths, 1);
        options.states = i + 2;
        crd_model *model = train(&source_data, &options, &fit_options);
        const double likelihood = crd_fit_log_likelihood(fit_options, facts_of(fit_options).best_step);
        assert_true(likelihood > least[i] - 0.01 && likelihood > before);
        before = likelihood;
        crd_fit_destroy(fit_options);
        crd_model_destroy(model);
        close_case(&source_data);
    }
    free(symbols);
}

/* Families without sums, and transitions that are no maximum: the best step is kept. */
static void test_weighted_rows(void **state) {
    static const char *const settings[][2] = {{"family", "student"}, {"family", "histogram"}, {"order", "2"}};
    drawn_steps *drawn = malloc(sizeof *drawn);
    draw_steps(drawn, 5);
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
        crd_fit *fit;
        case_data source_data;
        open_drawn(&source_data, drawn, NULL);
        set(source_data.settings, "smoothing", "m:1");
        set(source_data.settings, settings[i][0], settings[i][1]);
        options.states = 3;
        options.restarts = 2;
        options.most_steps = 10;
        crd_model *model = train(&source_data, &options, &fit);
        assert_true(facts_of(fit).may_decrease);
        for (size_t s = 0; s < facts_of(fit).step_count; s++)
            assert_true(crd_fit_objective(fit, s) <= crd_fit_objective(fit, facts_of(fit).best_step));
        crd_fit_destroy(fit);
        crd_model_destroy(model);
        close_case(&source_data);
    }
    free(drawn);
}

static void test_same_with_any_threads(void **state) {
    drawn_steps *drawn = malloc(sizeof *drawn);
    unsigned char *bytes[2];
    size_t length[2];
    (void)state;
    draw_steps(drawn, 3);
    for (unsigned i = 0; i < 2; i++) {
        crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
        crd_error error;
        crd_fit *fit_options;
        case_data source_data;
        open_drawn(&source_data, drawn, NULL);
        options.states = 3;
        options.restarts = 2;
        options.most_steps = 5;
        options.threads = i == 0 ? 1 : 4;
        crd_model *model = train(&source_data, &options, &fit_options);
        assert_done(crd_model_encode(model, &bytes[i], &length[i], &error), error);
        unsigned char *copy = malloc(length[i]);
        memcpy(copy, bytes[i], length[i]);
        crd_free(source_data.context, bytes[i]);
        bytes[i] = copy;
        crd_fit_destroy(fit_options);
        crd_model_destroy(model);
        close_case(&source_data);
    }
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(bytes[0], bytes[1], length[0]);
    free(bytes[0]);
    free(bytes[1]);
    free(drawn);
}

/* ---- States that are found ---- */

/* How many steps have the state of the path that was drawn, states being named by the most frequent one. */
static void test_recovery(void **state) {
    drawn_steps *drawn = malloc(sizeof *drawn);
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_fit *fit;
    crd_error error;
    crd_hmm *hmm;
    case_data source_data;
    int32_t path[LONG];
    double stays = 0;
    size_t votes[3][3] = {{0}}, right = 0;
    (void)state;
    draw_steps(drawn, 11);
    open_drawn(&source_data, drawn, NULL);
    set(source_data.settings, "smoothing", "m:1");
    options.max_states = 5;
    crd_model *model = train(&source_data, &options, &fit);
    assert_int_equal(facts_of(fit).components, 3); /* by BIC */
    assert_true(facts_of(fit).choice_count >= 4);
    assert_true(facts_of(fit).is_converged);
    assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
    find_path(&source_data, model, path);
    for (size_t t = 0; t < LONG; t++) votes[path[t]][drawn->states[t]]++;
    for (size_t k = 0; k < 3; k++) {
        size_t most = votes[k][0];
        for (size_t s = 1; s < 3; s++) most = votes[k][s] > most ? votes[k][s] : most;
        right += most;
        stays += crd_hmm_transition(hmm, &k, 1, k) / 3;
    }
    assert_true(right > LONG * 97 / 100);
    assert_near(stays, 0.9 + 0.1 / 3, 0.05);
    crd_hmm_destroy(hmm);
    crd_fit_destroy(fit);
    crd_model_destroy(model);
    close_case(&source_data);
    free(drawn);
}

/* Labels of a tenth of the steps name the states; all labels make counting. */
static void test_labels(void **state) {
    drawn_steps *drawn = malloc(sizeof *drawn);
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_fit *fit;
    crd_error error;
    crd_hmm *hmm;
    case_data source_data;
    int32_t path[LONG];
    size_t right = 0, length[2];
    unsigned char *bytes[2];
    (void)state;
    draw_steps(drawn, 12);
    open_drawn(&source_data, drawn, "mood");
    set(source_data.settings, "smoothing", "m:1");
    crd_model *model = train(&source_data, &options, &fit);
    assert_int_equal((int)facts_of(fit).labeled, LONG / 10);
    assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
    assert_true(crd_text_equal(crd_hmm_state(hmm, 1), VALUES[1]));
    find_path(&source_data, model, path);
    for (size_t t = 0; t < LONG; t++) right += path[t] == drawn->states[t];
    assert_true(right > LONG * 97 / 100);
    crd_hmm_destroy(hmm);
    crd_fit_destroy(fit);
    crd_model_destroy(model);
    close_case(&source_data);

    memcpy(drawn->labels, drawn->states, sizeof drawn->labels);
    open_drawn(&source_data, drawn, "mood");
    crd_model *counted;
    assert_done(
        crd_hmm_train(source_data.sequences, crd_text_of("state"), source_data.settings, NULL, &model, NULL, &error),
        error);
    assert_done(crd_sequences_train(source_data.sequences, source_data.settings, &counted, NULL, &error), error);
    assert_done(crd_model_encode(model, &bytes[0], &length[0], &error), error);
    assert_done(crd_model_encode(counted, &bytes[1], &length[1], &error), error);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(bytes[0], bytes[1], length[0]);
    crd_free(source_data.context, bytes[0]);
    crd_free(source_data.context, bytes[1]);
    crd_model_destroy(model);
    crd_model_destroy(counted);
    close_case(&source_data);
    free(drawn);
}

/* ---- Degenerate ones ---- */

static void train_numbers(const double *x, size_t rows, const size_t *lengths, size_t count, size_t states,
                          const char *smoothing) {
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_fit *fit;
    crd_error error;
    crd_hmm *hmm;
    case_data source_data;
    open_case(&source_data, rows);
    set(source_data.settings, "smoothing", smoothing);
    add_numbers(&source_data, "x", x);
    cut(&source_data, NULL, lengths, count);
    options.states = states;
    crd_model *model = train(&source_data, &options, &fit);
    assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
    assert_int_equal(crd_hmm_state_count(hmm), states);
    for (size_t a = 0; a < states; a++) {
        double sum = 0;
        for (size_t b = 0; b < states; b++) sum += crd_hmm_transition(hmm, &a, 1, b);
        assert_near(sum, 1, 1e-12);
    }
    for (size_t i = 0; i < facts_of(fit).step_count; i++) assert_true(isfinite(crd_fit_log_likelihood(fit, i)));
    crd_hmm_destroy(hmm);
    crd_fit_destroy(fit);
    crd_model_destroy(model);
    close_case(&source_data);
}

static void test_degenerate(void **state) {
    static const double constant[] = {3, 3, 3, 3, 3, 3}, few[] = {1, 2, 1, 1, 2, 2, 2, 1}, one[] = {5},
                        missing[] = {1, NAN, NAN, 2, NAN, NAN}, huge[] = {1e300, -1e300, 1e300, 1, -1e300, 2};
    static const char *const smoothings[] = {"none", "m:1"};
    const size_t six[] = {6}, eight[] = {3, 5}, single[] = {1};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        train_numbers(constant, 6, six, 1, 3, smoothings[i]);
        train_numbers(few, 8, eight, 2, 4, smoothings[i]); /* more states than different rows */
        train_numbers(one, 1, single, 1, 1, smoothings[i]);
        train_numbers(missing, 6, six, 1, 2, smoothings[i]);
        train_numbers(huge, 6, six, 1, 2, smoothings[i]);
    }
}

static void test_errors(void **state) {
    static const double x[] = {1, 2, 3};
    static const size_t three[] = {3}, nothing[] = {0, 0};
    static const int32_t unknown[] = {-1, -1, -1}, ab[] = {0, 1, -1};
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_error error;
    crd_model *model;
    crd_fit *fit;
    case_data source_data;
    (void)state;
    open_case(&source_data, 0);
    add_numbers(&source_data, "x", x);
    cut(&source_data, NULL, nothing, 2);
    assert_int_equal(
        crd_hmm_train(source_data.sequences, crd_text_of("s"), source_data.settings, NULL, &model, &fit, &error),
        CRD_ERROR_EMPTY);
    assert_null(model);
    assert_null(fit);
    close_case(&source_data);

    open_case(&source_data, 3);
    add_numbers(&source_data, "x", x);
    cut(&source_data, NULL, three, 1);
    options.states = 4;
    assert_int_equal(
        crd_hmm_train(source_data.sequences, crd_text_of("s"), source_data.settings, &options, &model, NULL, &error),
        CRD_ERROR_EMPTY);
    options.states = 2;
    assert_int_equal(
        crd_hmm_train(source_data.sequences, crd_text_of("x"), source_data.settings, &options, &model, NULL, &error),
        CRD_ERROR_COLUMN);
    set(source_data.settings, "family", "auto");
    assert_int_equal(
        crd_hmm_train(source_data.sequences, crd_text_of("s"), source_data.settings, &options, &model, NULL, &error),
        CRD_ERROR_SETTING);
    close_case(&source_data);

    open_case(&source_data, 3);
    add_numbers(&source_data, "x", x);
    assert_done(crd_frame_add_codes(source_data.frame, crd_text_of("s"), unknown, NULL, VALUES, 2, &error), error);
    cut(&source_data, "s", three, 1);
    assert_int_equal(
        crd_hmm_train(source_data.sequences, crd_text_of("s"), source_data.settings, NULL, &model, NULL, &error),
        CRD_ERROR_EMPTY);
    close_case(&source_data);

    /* Labels that the settings forbid. */
    open_case(&source_data, 3);
    add_numbers(&source_data, "x", x);
    assert_done(crd_frame_add_codes(source_data.frame, crd_text_of("s"), ab, NULL, VALUES, 2, &error), error);
    cut(&source_data, "s", three, 1);
    set(source_data.settings, "forbidden-transitions", "a->b");
    assert_int_equal(
        crd_hmm_train(source_data.sequences, crd_text_of("s"), source_data.settings, NULL, &model, NULL, &error),
        CRD_ERROR_ARGUMENT);
    close_case(&source_data);
}

/* A call that is cancelled has what it came to, of which a model can be made. */
static void test_stopped(void **state) {
    drawn_steps *drawn = malloc(sizeof *drawn);
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_call_options bounds = CRD_CALL_OPTIONS_INIT;

    crd_error error;
    crd_fit *fit;
    crd_model *model;
    case_data source_data;
    (void)state;
    draw_steps(drawn, 4);
    open_drawn(&source_data, drawn, NULL);
    options.states = 5;
    options.restarts = 1000;
    options.tolerance = 0;
    bounds.deadline = 0.1;
    assert_int_equal(crd_call_begin(source_data.context, &bounds), CRD_OK);
    const crd_status status =
        crd_hmm_find(source_data.sequences, crd_text_of("state"), source_data.settings, &options, &fit, &error);
    crd_call_end(source_data.context);
    assert_int_equal(status, CRD_OK);
    assert_true(facts_of(fit).is_stopped);
    assert_true(facts_of(fit).step_count > 0);
    assert_done(crd_fit_model(fit, &model, &error), error);
    crd_model_destroy(model);
    crd_fit_destroy(fit);
    close_case(&source_data);
    free(drawn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_full_covariance),
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_objective_never_falls),
        cmocka_unit_test(test_joint_objective_never_falls),
        cmocka_unit_test(test_categories_without_smoothing),
        cmocka_unit_test(test_weighted_rows),
        cmocka_unit_test(test_same_with_any_threads),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
