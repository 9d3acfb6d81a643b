/* SPDX-License-Identifier: MIT */
/* Parts of speech of real text, from counts alone: the English Web Treebank (Silveira et al. 2014), trained on its training part
 * and scored on its test part, which nothing was chosen on. Under sanitizers fewer sentences have to do. */
#include <credence/all.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "sanitizer_support.h"

static crd_context *context;

/* Words in column c1, universal tags in c2, Penn tags in c3. */
static crd_reader *open_part(const char *part, const char *target, const char *ignored) {
    char path[1024];
    const char *paths[] = {path};
    static const crd_text empty = {"", 0};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_error error;
    snprintf(path, sizeof path, "%s/sequences/ewt_pos_%s.tsv.gz", CREDENCE_DATA, part);
    options.header = CRD_CHOICE_NO;
    options.no_quotes = 1;
    options.missing = &empty; /* a question mark is a word */
    options.missing_count = 1;
    if (crd_reader_open(context, paths, 1, &options, &reader, &error) != CRD_OK ||
        crd_reader_select_target(reader, crd_text_of(target), &error) != CRD_OK ||
        crd_reader_select_ignored(reader, crd_text_of(ignored), &error) != CRD_OK)
        fail_msg("%s: %s", part, error.message);
    return reader;
}

static crd_hmm *train_tagger(const char *target, const char *ignored, crd_model **model) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_settings *settings = NULL;
    crd_hmm *hmm = NULL;
    crd_error error;
    options.blank_lines = 1;
    assert_int_equal(crd_settings_create(context, &settings, NULL), CRD_OK);
    assert_int_equal(crd_settings_set(settings, "order", crd_text_of("2"), NULL), CRD_OK);
    crd_reader *reader = open_part(IS_SANITIZED ? "dev" : "train", target, ignored);
    if (crd_sequence_train(context, reader, &options, settings, model, NULL, &error) != CRD_OK ||
        crd_hmm_create(*model, NULL, &hmm, &error) != CRD_OK)
        fail_msg("%s", error.message);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return hmm;
}

/* How many of the rows have the state of the path for their label, in percent. */
static double accuracy(const crd_hmm *hmm, const crd_sequences *sequences) {
    const size_t rows = (size_t)crd_sequences_rows(sequences);
    int32_t *states = malloc(rows * sizeof *states);
    crd_sequence_cursor *cursor = NULL;
    crd_error error;
    size_t right = 0, row = 0;
    assert_non_null(states);
    if (crd_hmm_paths(hmm, sequences, 0, states, NULL, &error) != CRD_OK) fail_msg("%s", error.message);
    assert_int_equal(crd_sequence_cursor_create(sequences, &cursor, NULL), CRD_OK);
    for (size_t i = 0; i < crd_sequences_count(sequences); i++)
        for (uint64_t t = 0; t < crd_sequences_length(sequences, i); t++, row++) {
            assert_int_equal(crd_sequence_cursor_move(cursor, i, t, NULL), CRD_OK);
            const crd_text label = crd_sequences_label(sequences, (size_t)crd_sequence_cursor_label(cursor));
            right += crd_text_equal(label, crd_hmm_state(hmm, (size_t)states[row])) != 0;
        }
    crd_sequence_cursor_destroy(cursor);
    free(states);
    return 100 * (double)right / (double)rows;
}

static void check(const char *target, const char *ignored, double least) {
    enum { MOST_SENTENCES = 300 };
    size_t few[MOST_SENTENCES];
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_sequences *all = NULL, *some = NULL;
    crd_model *model = NULL;
    crd_error error;
    crd_hmm *hmm = train_tagger(target, ignored, &model);
    crd_reader *reader = open_part("test", target, ignored);
    options.blank_lines = 1;
    if (crd_sequences_read(reader, &options, &all, &error) != CRD_OK) fail_msg("%s", error.message);
    assert_int_equal(crd_sequences_count(all), 2077);
    assert_int_equal(crd_sequences_rows(all), 25094);
    for (size_t i = 0; i < MOST_SENTENCES; i++) few[i] = i;
    assert_int_equal(crd_sequences_select(all, few, MOST_SENTENCES, &some, NULL), CRD_OK);
    const double percentage = accuracy(hmm, IS_SANITIZED ? some : all);
    if (!(percentage >= least)) fail_msg("%s: accuracy %.2f %%, not %.2f %%", target, percentage, least);
    crd_sequences_destroy(some);
    crd_sequences_destroy(all);
    crd_reader_close(reader);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

static void universal_tags(void **state) {
    (void)state;
    check("c2", "c3", IS_SANITIZED ? 87 : 93.5);
}

static void penn_tags(void **state) {
    (void)state;
    if (IS_SANITIZED) skip();
    check("c3", "c2", 93.5);
}

int main(void) {
    if (access(CREDENCE_DATA "/sequences/ewt_pos_test.tsv.gz", R_OK) != 0) {
        printf("skipped: no %s/sequences\n", CREDENCE_DATA);
        return 77;
    }
    if (crd_context_create(NULL, &context) != CRD_OK) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(universal_tags), cmocka_unit_test(penn_tags)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    crd_context_destroy(context);
    return failed;
}
