/* SPDX-License-Identifier: MIT */
/* Models of labeled sequences: what is counted, the probabilities that follow from it under settings, and densities. */
#include "evaluate/leave_one_out.h"
#include "hmm_support.h"

#include "counted_fixture.h"

/* Two sequences: A A B, and B A. */
static const char TABLE[] = "id,x,w,s\n"
                            "1,1.5,red,A\n"
                            "1,2.5,blue,A\n"
                            "1,9,red,B\n"
                            "2,8,,B\n"
                            "2,,red,A\n";

static void expect_row(const crd_hmm *hmm, const size_t *history, size_t length, const double *expected, double end) {
    double row[8], found_end, sum;
    crd_error error;
    assert_done(crd_hmm_next(hmm, history, length, row, &found_end, &error), error);
    assert_near(found_end, end, 1e-15);
    sum = found_end;
    for (size_t k = 0; k < crd_hmm_state_count(hmm); k++) {
        assert_near(row[k], expected[k], 1e-15);
        sum += row[k];
        double single = length == 0 ? crd_hmm_start(hmm, k) : crd_hmm_transition(hmm, history, length, k);
        assert_true(single == row[k]);
    }
    assert_near(sum, 1, 1e-15);
    if (length > 0) assert_true(crd_hmm_end(hmm, history, length) == found_end);
}

static void transitions_of_order_1(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, TABLE, NULL);
    static const size_t A[] = {0}, B[] = {1};
    assert_true(crd_model_is_sequence(model));
    assert_string_equal(crd_settings_get(crd_model_settings(model), "method"), "sequence");

    crd_hmm *hmm = hmm_with(model, WITH("smoothing", "none"));
    assert_int_equal(crd_hmm_state_count(hmm), 2);
    assert_int_equal(crd_hmm_facts_of(hmm)->order, 1);
    assert_false(crd_hmm_facts_of(hmm)->is_hidden);
    assert_true(crd_text_equal(crd_hmm_state(hmm, 1), crd_text_of("B")));
    expect_row(hmm, NULL, 0, (const double[]){1. / 2, 1. / 2}, 0);
    expect_row(hmm, A, 1, (const double[]){1. / 2, 1. / 2}, 0); /* A A, A B; the end is not counted */
    expect_row(hmm, B, 1, (const double[]){1, 0}, 0);
    crd_hmm_destroy(hmm);

    hmm = hmm_with(model, WITH("smoothing", "none", "end-probabilities", "yes"));
    expect_row(hmm, A, 1, (const double[]){1. / 3, 1. / 3}, 1. / 3);
    expect_row(hmm, B, 1, (const double[]){1. / 2, 0}, 1. / 2);
    crd_hmm_destroy(hmm);

    hmm = hmm_with(model, WITH("smoothing", "m:1"));
    expect_row(hmm, B, 1, (const double[]){(1 + .5) / 2, .5 / 2}, 0);
    crd_hmm_destroy(hmm);
    hmm = hmm_with(model, WITH("transitions", "laplace:2", "end-probabilities", "yes"));
    expect_row(hmm, B, 1, (const double[]){3. / 8, 2. / 8}, 3. / 8);
    crd_hmm_destroy(hmm);
    hmm = hmm_with(model, WITH("smoothing", "m:1:marginal")); /* A is 3 of 5 */
    expect_row(hmm, B, 1, (const double[]){(1 + .6) / 2, .4 / 2}, 0);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

static void topologies_and_forbidden_transitions(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, "id,s\n1,A\n1,B\n1,B\n1,C\n2,A\n2,C\n3,B\n3,A\n", NULL);
    static const size_t A[] = {0}, B[] = {1}, C[] = {2};
    crd_hmm *hmm = hmm_with(model, WITH("smoothing", "none", "topology", "left-to-right"));
    expect_row(hmm, NULL, 0, (const double[]){1, 0, 0}, 0);
    expect_row(hmm, A, 1, (const double[]){0, .5, .5}, 0);
    expect_row(hmm, B, 1, (const double[]){0, .5, .5}, 0);
    expect_row(hmm, C, 1, (const double[]){0, 0, 1}, 0); /* never left: what was met at all, of what may follow */
    double all = 0;
    assert_true(crd_hmm_ruled_out(hmm, &all) == 2 && all == 8); /* a start with B, and B -> A */
    crd_hmm_destroy(hmm);
    hmm = hmm_with(model, WITH("smoothing", "laplace:1", "topology", "left-to-right:0"));
    expect_row(hmm, A, 1, (const double[]){1. / 3, 2. / 3, 0}, 0);
    crd_hmm_destroy(hmm);
    hmm = hmm_with(
        model, WITH("smoothing", "m:1", "forbidden-transitions", "B->B,start->B,A->end", "end-probabilities", "yes"));
    expect_row(hmm, NULL, 0, (const double[]){2.5 / 3, 0, .5 / 3}, 0);
    expect_row(hmm, A, 1, (const double[]){(1. / 3) / 3, (1 + 1. / 3) / 3, (1 + 1. / 3) / 3}, 0);
    expect_row(hmm, B, 1, (const double[]){(1 + 1. / 3) / 3, 0, (1 + 1. / 3) / 3}, (1. / 3) / 3);
    assert_true(crd_hmm_ruled_out(hmm, &all) == 3 && all == 11);
    crd_hmm_destroy(hmm);

    static const char *const refused[][2] = {
        {"D->A", "the setting forbidden-transitions names 'D', which is not a state"},
        {"A->end", "the end"},
        {"A->A,A->B,A->C", "leave no state that can follow the state 'A'"},
        {"start->A,start->B,start->C", "no state at which a sequence can begin"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        crd_settings *settings =
            settings_of(context, WITH("method", "sequence", "forbidden-transitions", refused[i][0]));
        crd_error error;
        assert_int_equal(crd_hmm_create(model, settings, &hmm, &error), CRD_ERROR_SETTING);
        assert_non_null(strstr(error.message, refused[i][1]));
        crd_settings_destroy(settings);
    }
    crd_model_destroy(model);
}

/* Brants' weights by hand. Sequences A B A B and B B: of the six trigrams with begin marks (b b A, b A B, A B A, B A B, b b B,
 * b B B) each has count 1, so that (c - 1) / (n - 1) of the longest context is 0 for all. Of bigrams c(A B) = 2, n(A .) = 2:
 * 1 / 1; c(B A) = 1: 0; c(B B) = 1: 0; c(b A) = c(b B) = 1: 0. Of unigrams A: (2 - 1) / 5, B: (4 - 1) / 5.
 * b A B, B A B: bigrams (1 > 3/5); b b A, A B A: unigrams (1/5); b b B, b B B: unigrams (3/5). With one
 * pseudo-count each the weights are (4 + 1) / 9, (2 + 1) / 9 and 1 / 9. */
static void deleted_interpolation(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, "id,s\n1,A\n1,B\n1,A\n1,B\n2,B\n2,B\n", WITH("order", "2"));
    static const size_t AB[] = {0, 1}, A[] = {0}, AA[] = {0, 0};
    crd_hmm *hmm = hmm_with(model, NULL);
    const double one = 5. / 9, two = 3. / 9, three = 1. / 9, scale = 9. / 8;
    assert_int_equal(crd_hmm_facts_of(hmm)->order, 2);
    /* Behind the begin: unigrams, and c(b A) / n(b .) = c(b b A) / n(b b .) = 1/2. */
    expect_row(hmm, NULL, 0, (const double[]){one * 2 / 6 + (two + three) / 2, one * 4 / 6 + (two + three) / 2}, 0);
    expect_row(hmm, A, 1, (const double[]){one * 2 / 6, one * 4 / 6 + two + three}, 0);
    expect_row(hmm, AB, 2, (const double[]){one * 2 / 6 + two / 2 + three, one * 4 / 6 + two / 2}, 0);
    /* Never met. */
    expect_row(hmm, AA, 2, (const double[]){one * scale * 2 / 6, (one * 4 / 6 + two) * scale}, 0);
    crd_hmm_destroy(hmm);

    /* Without smoothing a context that was never met is that of its last state. */
    hmm = hmm_with(model, WITH("transitions", "none"));
    expect_row(hmm, AB, 2, (const double[]){1, 0}, 0);
    expect_row(hmm, AA, 2, (const double[]){0, 1}, 0);
    crd_hmm_destroy(hmm);

    /* A lower order than that of training is that of counts of it. */
    crd_model *first = trained_sequences(context, "id,s\n1,A\n1,B\n1,A\n1,B\n2,B\n2,B\n", NULL);
    crd_hmm *lower = hmm_with(model, WITH("order", "1")), *plain = hmm_with(first, NULL);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            assert_true(crd_hmm_transition(lower, &i, 1, j) == crd_hmm_transition(plain, &i, 1, j));
    crd_hmm_destroy(lower);
    crd_hmm_destroy(plain);
    crd_settings *settings = settings_of(context, WITH("method", "sequence", "order", "3"));
    crd_error error;
    assert_int_equal(crd_hmm_create(model, settings, &hmm, &error), CRD_ERROR_SETTING);
    crd_settings_destroy(settings);
    crd_model_destroy(first);
    crd_model_destroy(model);
}

/* A step without a label is in no n-gram, and none crosses it. */
static void unlabeled_steps_separate(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, "id,s\n1,A\n1,\n1,B\n1,A\n2,\n2,B\n2,B\n2,\n", WITH("order", "2"));
    const crd_i_ngram_counts *counts = crd_i_hmm_content_of(model)->transitions;
    static const uint32_t U = CRD_I_SYMBOL_UNKNOWN, BEGIN = CRD_I_SYMBOL_BEGIN, END = CRD_I_SYMBOL_END;
    const crd_i_ngram expected[] = {
        {{1, 0, END}, 1}, {{BEGIN, BEGIN, 0}, 1}, {{U, 1, 0}, 1}, {{U, 1, 1}, 1}, {{U, U, 1}, 2}};
    static const uint32_t ranks[] = {0, 1};
    crd_i_ngram *ngrams;
    size_t count;
    crd_error error;
    assert_done(crd_i_ngram_counts_list(counts, ranks, &ngrams, &count, &error), error);
    assert_int_equal(count, 5);
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        while (same < 5 && memcmp(ngrams[i].symbols, expected[same].symbols, 3 * sizeof(uint32_t)) != 0) same++;
        assert_true(same < 5 && ngrams[i].count == expected[same].count);
        total += ngrams[i].count;
    }
    assert_near(total, 6, 0);
    crd_free(context, ngrams);
    crd_hmm *hmm = hmm_with(model, WITH("order", "1", "smoothing", "none"));
    static const size_t B[] = {1};
    expect_row(hmm, NULL, 0, (const double[]){1, 0}, 0);
    expect_row(hmm, B, 1, (const double[]){.5, .5}, 0);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

/* States that are declared, and never met: possible with smoothing alone. */
static void declared_states(void **state) {
    (void)state;
    static const char text[] = "@relation r\n@attribute id numeric\n@attribute x numeric\n@attribute s {B,A,C}\n@data\n"
                               "1,2,A\n1,3,A\n1,5,B\n";
    crd_model *model = trained_sequences(context, text, NULL), *again;
    crd_error error;
    static const size_t A[] = {0}, C[] = {2};
    model_bytes bytes = bytes_of(model, context);
    assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &again, &error), error);
    crd_hmm *hmm = hmm_with(again, WITH("smoothing", "laplace:1"));
    assert_int_equal(crd_hmm_state_count(hmm), 3);
    expect_row(hmm, A, 1, (const double[]){2. / 5, 2. / 5, 1. / 5}, 0);
    expect_row(hmm, C, 1, (const double[]){1. / 3, 1. / 3, 1. / 3}, 0);
    crd_sequences *sequences = read_sequences(context, "id,x\n1,2.5\n", NULL);
    double *logs = emission_logs(hmm, sequences, 0);
    assert_true(isfinite(logs[2])); /* that of the whole column */
    free(logs);
    crd_sequences_destroy(sequences);
    crd_hmm_destroy(hmm);
    hmm = hmm_with(again, WITH("smoothing", "none"));
    expect_row(hmm, A, 1, (const double[]){.5, .5, 0}, 0);
    expect_row(hmm, C, 1, (const double[]){2. / 3, 1. / 3, 0}, 0); /* what was met at all */
    crd_hmm_destroy(hmm);
    free_bytes(bytes);
    crd_model_destroy(again);
    crd_model_destroy(model);
}

/* ---- Densities ---- */

/* What a classifier of single rows adds up for the same row. */
static void expect_terms(const crd_hmm *hmm, const crd_sequences *sequences) {
    const crd_classifier *classifier = crd_hmm_facts_of(hmm)->emissions;
    crd_sequence_cursor *cursor;
    crd_error error;
    assert_done(crd_sequence_cursor_create(sequences, &cursor, &error), error);
    for (size_t i = 0; i < crd_sequences_count(sequences); i++) {
        double *logs = emission_logs(hmm, sequences, i);
        for (uint64_t t = 0; t < crd_sequences_length(sequences, i); t++) {
            assert_done(crd_sequence_cursor_move(cursor, i, t, &error), error);
            for (size_t k = 0; k < crd_hmm_state_count(hmm); k++) {
                double sum = 0;
                for (size_t a = 0; a < crd_sequences_column_count(sequences); a++) {
                    crd_value value = crd_sequence_cursor_value(cursor, a);
                    const crd_i_attribute *attribute = &classifier->attributes[a];
                    int32_t code = attribute->type == CRD_TYPE_CATEGORICAL && value.type != CRD_TYPE_NONE
                                       ? crd_i_dictionary_find(attribute->values, value.text)
                                       : -1;
                    crd_i_cells cells = {.rows = 1, .numbers = &value.number, .codes = &code};
                    crd_term term = CRD_TERM_INIT;
                    if (value.type == CRD_TYPE_NONE || (attribute->type == CRD_TYPE_CATEGORICAL && code < 0)) continue;
                    attribute->density->family->term(attribute->density, &cells, k, &term);
                    sum += term.log_value;
                }
                assert_near(logs[t * crd_hmm_state_count(hmm) + k], sum, 1e-12);
            }
        }
        free(logs);
    }
    crd_sequence_cursor_destroy(cursor);
}

static void densities_are_those_of_single_rows(void **state) {
    (void)state;
    static const char *const families[] = {"gaussian", "student", "kernel", "x=uniform,*=gaussian"};
    crd_sequences *sequences = read_sequences(context, "w,id,x\nred,1,1.5\nblue,1,\n,1,7\ngreen,2,3\n,2,\n", NULL);
    for (size_t i = 0; i < 4; i++) {
        crd_model *model = trained_sequences(context, TABLE, WITH("family", families[i]));
        crd_hmm *hmm = hmm_with(model, NULL);
        crd_sequences *own_sequences = read_sequences(context, TABLE, "s");
        expect_terms(hmm, own_sequences);
        double *logs = emission_logs(hmm, sequences, 1);
        /* A word that was never met, and a row without cells, leave factors out. */
        assert_near(logs[2], 0, 0);
        assert_near(logs[3], 0, 0);
        assert_true(logs[0] != 0);
        free(logs);
        crd_sequences_destroy(own_sequences);
        crd_hmm_destroy(hmm);
        crd_model_destroy(model);
    }
    crd_sequences_destroy(sequences);
}

/* Of x = 0, 2, 4 and y = 1, 1, 4 the covariance is 8/3, 2; 2, 2 (divided by 3), whose determinant is 4/3. */
static void joint_numbers_have_a_normal_density(void **state) {
    (void)state;
    static const char text[] = "id,x,y,s\n1,0,1,A\n1,2,1,A\n1,4,4,A\n";
    crd_model *model = trained_sequences(context, text, WITH("joint", "numbers"));
    crd_hmm *hmm = hmm_with(model, NULL);
    crd_sequences *sequences = read_sequences(context, "id,x,y\n1,3,2\n1,3,\n", NULL);
    double *logs = emission_logs(hmm, sequences, 0);
    /* (1, 0) from the mean: 1 * 2 / (4/3); of x alone 1 / (8/3). */
    assert_near(logs[0], -log(2 * M_PI) - log(4. / 3) / 2 - 2 / (4. / 3) / 2, 1e-12);
    assert_near(logs[1], -log(2 * M_PI * 8 / 3) / 2 - 3. / 16, 1e-12);
    free(logs);
    crd_sequences_destroy(sequences);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

static void kinds_that_differ_are_refused(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, TABLE, NULL);
    crd_hmm *hmm = hmm_with(model, NULL);
    crd_sequences *sequences = read_sequences(context, "id,x\n1,many\n1,few\n", NULL);
    crd_i_emission_binding *binding;
    crd_error error;
    assert_int_equal(crd_i_emission_bind(hmm->emission, sequences, hmm->states, &binding, &error),
                     CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.message, "column 'x' has categories, but the model has numbers");
    crd_sequences_destroy(sequences);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

/* ---- Enumeration ---- */

/* The sum over all paths of P(path, x). */
static double enumerate(const crd_hmm *hmm, const double *logs, size_t steps) {
    size_t states = crd_hmm_state_count(hmm), path[6] = {0}, paths = 1;
    double total = 0;
    for (size_t t = 0; t < steps; t++) paths *= states;
    for (size_t number = 0; number < paths; number++) {
        double product = 1;
        for (size_t t = 0, remainder = number; t < steps; t++, remainder /= states) path[t] = remainder % states;
        for (size_t t = 0; t < steps; t++) {
            size_t length = t < crd_hmm_facts_of(hmm)->order ? t : crd_hmm_facts_of(hmm)->order;
            product *=
                t == 0 ? crd_hmm_start(hmm, path[0]) : crd_hmm_transition(hmm, path + t - length, length, path[t]);
            product *= exp(logs[t * states + path[t]]);
        }
        size_t length = steps < crd_hmm_facts_of(hmm)->order ? steps : crd_hmm_facts_of(hmm)->order;
        if (crd_hmm_facts_of(hmm)->has_end) product *= crd_hmm_end(hmm, path + steps - length, length);
        total += product;
    }
    return log(total);
}

typedef struct given_logs {
    const double *logs;
    size_t states, stride;
} given_logs;

static crd_status copy_logs(const void *user, uint64_t source, uint64_t target, double *logs, crd_error *error) {
    const given_logs *given = user;
    (void)error;
    for (uint64_t t = source; t < target; t++)
        for (size_t k = 0; k < given->states; k++)
            logs[(t - source) * given->stride + k] = given->logs[t * given->states + k];
    return CRD_OK;
}

static void likelihoods_are_sums_over_paths(void **state) {
    (void)state;
    static const char text[] = "id,x,s\n1,1,A\n1,2,A\n1,7,B\n1,8,C\n1,6,B\n2,3,A\n2,9,C\n2,4,B\n3,2,A\n";
    static const char *const orders[] = {"1", "2", "3"}, *const ends[] = {"no", "yes"};
    static const char *const estimates[] = {"auto", "none", "m:1"};
    crd_sequences *sequences = read_sequences(context, text, NULL);
    crd_model *model = trained_sequences(context, text, WITH("order", "3"));
    for (size_t i = 0; i < 3 * 2 * 3; i++) {
        crd_hmm *hmm = hmm_with(
            model, WITH("order", orders[i % 3], "end-probabilities", ends[i / 3 % 2], "transitions", estimates[i / 6]));
        crd_i_chain_workspace *workspace;
        crd_error error;
        assert_done(crd_i_chain_workspace_create(hmm->chain, &workspace, &error), error);
        for (size_t s = 0; s < 3; s++) {
            double *logs = emission_logs(hmm, sequences, s);
            const given_logs given = {logs, 3, crd_i_chain_stride(hmm->chain)};
            const crd_i_emissions emissions = {&given, crd_sequences_length(sequences, s), copy_logs};
            crd_i_chain_answer answer;
            assert_done(crd_i_chain_likelihood(hmm->chain, &emissions, workspace, &answer, &error), error);
            assert_near(answer.log_likelihood, enumerate(hmm, logs, (size_t)emissions.steps), 1e-12);
            free(logs);
        }
        crd_i_chain_workspace_destroy(workspace);
        crd_hmm_destroy(hmm);
    }
    crd_model_destroy(model);
    crd_sequences_destroy(sequences);
}

/* ---- Unusual tables ---- */

static void unusual_tables(void **state) {
    (void)state;
    static const char *const texts[] = {
        "id,x,s\n1,2,A\n",                                           /* one step, one state */
        "id,s\n1,A\n1,A\n2,A\n",                                     /* no observations */
        "id,x,y,s\n1,,4,A\n1,,4,B\n1,,4,A\n",                        /* a column without cells, a constant one */
        "id,x,s\n1,2,\"a,b\"\n1,3,\"say \"\"hi\"\"\"\n1,4,\"\n\"\n", /* names with commas, quotes and newlines */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        crd_model *model = trained_sequences(context, texts[i], WITH("order", "3", "end-probabilities", "yes")), *again;
        crd_error error;
        model_bytes bytes = bytes_of(model, context);
        assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &again, &error), error);
        model_bytes others = bytes_of(again, context);
        assert_same_bytes(bytes, others);
        crd_hmm *hmm = hmm_with(again, NULL);
        crd_sequences *sequences = read_sequences(context, texts[i], NULL);
        double *logs = emission_logs(hmm, sequences, 0);
        for (size_t k = 0; k < crd_hmm_state_count(hmm); k++) assert_true(isfinite(logs[k]));
        free(logs);
        crd_sequences_destroy(sequences);
        crd_hmm_destroy(hmm);
        free_bytes(bytes);
        free_bytes(others);
        crd_model_destroy(again);
        crd_model_destroy(model);
    }
    crd_model *model;
    crd_error error;
    assert_int_equal(train_sequences(context, "id,x,s\n1,2,\n", NULL, &model, &error), CRD_ERROR_EMPTY);
    assert_int_equal(train_sequences(context, "id,x,s\n", NULL, &model, &error), CRD_ERROR_EMPTY);
    static const char *const refused[][2] = {
        {"state-mixture", "2"}, {"attribute-weights", "fitted"}, {"calibration", "platt"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        crd_settings *settings = settings_of(context, WITH(refused[i][0], refused[i][1]));
        assert_int_equal(train_sequences(context, TABLE, settings, &model, &error), CRD_ERROR_SETTING);
        assert_string_equal(error.subject, refused[i][0]);
        crd_settings_destroy(settings);
    }
}

/* What other calls do with a model of sequences. */
static void models_like_others(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, TABLE, NULL);
    crd_error error;
    crd_summary *summary;
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_near(summary->rows, 5, 0);
    assert_int_equal(summary->class_count, 2);
    assert_int_equal(summary->attributes[0].type, CRD_TYPE_NUMERIC);
    crd_summary_destroy(summary);
    crd_schema *schema;
    assert_done(crd_schema_from_model(model, 1, &schema, &error), error);
    crd_schema_destroy(schema);
    crd_classifier *classifier;
    assert_int_equal(crd_classifier_create(model, NULL, &classifier, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(
        error.message,
        "the model is a sequence model, whose rows depend on each other: it cannot classify a single row");
    crd_settings *settings = settings_of(context, NULL);
    assert_int_equal(crd_model_set_settings(model, settings, &error), CRD_ERROR_SETTING);
    assert_done(crd_settings_set(settings, "method", crd_text_of("sequence"), &error), error);
    assert_done(crd_settings_set(settings, "end-probabilities", crd_text_of("yes"), &error), error);
    assert_done(crd_model_set_settings(model, settings, &error), error);
    crd_settings_destroy(settings);
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    assert_done(crd_model_sequence_options(model, &options, &error), error);
    assert_true(crd_text_equal(options.sequence, crd_text_of("id")));
    assert_true(crd_text_equal(crd_model_target(model), crd_text_of("s")));
    crd_model *rows = trained(context, "id,x,w,s\n1,2,red,A\n", "s");
    assert_int_equal(crd_model_merge(model, rows, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_false(crd_model_is_sequence(rows));
    crd_hmm *hmm;
    assert_int_equal(crd_hmm_create(rows, NULL, &hmm, &error), CRD_ERROR_ARGUMENT);
    crd_model_destroy(rows);
    crd_model_destroy(model);
}

/* Calls that are about rows by themselves refuse, and state why. */
static void calls_about_rows_refuse(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, TABLE, NULL), *other;
    crd_error errors[12] = {{0}};
    crd_status statuses[12] = {CRD_OK};
    size_t count = 0;
    void *objects[12] = {NULL};
    crd_frame *frame;
    crd_hypotheses *hypotheses;
    crd_reader *reader;
    const crd_text none = {NULL, 0};
    assert_done(crd_frame_create(context, 0, &frame, &errors[0]), errors[0]);
    assert_done(crd_hypotheses_create(context, &hypotheses, &errors[0]), errors[0]);
    statuses[count] = crd_model_update(model, frame, &errors[count]), count++;
    statuses[count] = crd_model_forget(model, frame, &errors[count]), count++;
    statuses[count] = crd_model_keep(model, crd_text_of("pair-counts"), &errors[count]), count++;
    statuses[count] = crd_model_set_weight(model, crd_text_of("n"), &errors[count]), count++;
    statuses[count] = crd_hypotheses_add(hypotheses, crd_text_of("m"), model, 1, &errors[count]), count++;
    statuses[count] = crd_typicality_create(model, NULL, (crd_typicality **)&objects[count], &errors[count]), count++;
    statuses[count] = crd_i_leave_one_out_create(model, NULL, (crd_i_leave_one_out **)&objects[count], &errors[count]),
    count++;
    statuses[count] = crd_dependence_create(model, (crd_dependence **)&objects[count], &errors[count]), count++;
    statuses[count] = crd_query_create(model, NULL, (crd_query **)&objects[count], &errors[count]), count++;
    statuses[count] = crd_sampler_create(model, NULL, NULL, 1, (crd_sampler **)&objects[count], &errors[count]),
    count++;
    statuses[count] = crd_network_from_model(model, NULL, (crd_network **)&objects[count], &errors[count]), count++;
    for (size_t i = 0; i < count; i++) {
        if (statuses[i] != CRD_ERROR_ARGUMENT || strstr(errors[i].message, "the model is a sequence model") == NULL)
            fail_msg("call %d: %s: %s", (int)i, crd_status_name(statuses[i]), errors[i].message);
        assert_null(objects[i]);
    }
    crd_settings *settings = settings_of(context, WITH("method", "sequence"));
    assert_done(open_text(context, TABLE, strlen(TABLE), "s", &reader, &errors[0]), errors[0]);
    assert_int_equal(crd_model_train(context, reader, settings, &other, NULL, &errors[0]), CRD_ERROR_SETTING);
    assert_int_equal(crd_model_create(context, frame, none, settings, &other, &errors[0]), CRD_ERROR_ARGUMENT);
    crd_settings_destroy(settings);
    crd_reader_close(reader);
    crd_hypotheses_destroy(hypotheses);
    crd_frame_destroy(frame);
    assert_done(crd_model_fit(model, &errors[0]), errors[0]);

    other = trained_sequences(context, "id,x,w,s\n1,1.5,red,A\n", NULL);
    crd_model_difference difference = CRD_MODEL_DIFFERENCE_INIT;
    assert_done(crd_model_compare(model, other, &difference, &errors[0]), errors[0]);
    assert_int_equal(difference.aspect, CRD_MODEL_CLASS_ROWS);
    crd_model_destroy(other);
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(transitions_of_order_1, set_up, tear_down),
        cmocka_unit_test_setup_teardown(topologies_and_forbidden_transitions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deleted_interpolation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unlabeled_steps_separate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(declared_states, set_up, tear_down),
        cmocka_unit_test_setup_teardown(densities_are_those_of_single_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(joint_numbers_have_a_normal_density, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kinds_that_differ_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(likelihoods_are_sums_over_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unusual_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(models_like_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(calls_about_rows_refuse, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
