/* SPDX-License-Identifier: MIT */
/* Models of texts at their edges: forgetting what was not learned, files that are damaged where nobody looked, classes that
 * vanish, pages of many terms, rules that differ, and counts of terms instead of texts. */
#include "model/model_parts.h"
#include "model_support.h"

#include "model/model_internal.h"
#include "model/schema_view.h"
#include "stats/term_store.h"

#include <credence/term_matrix.h>
#include <unistd.h>

static allocations counted;

static int set_up(void **state) {
    memset(&counted, 0, sizeof counted);
    *state = counted_context(&counted);
    return *state == NULL;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return counted.live != 0;
}

static crd_reader *open_texts(crd_context *context, const char *text) {
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), "class", &reader, &error), error);
    assert_done(crd_reader_set_column_type(reader, 1, CRD_TYPE_TEXT, &error), error);
    return reader;
}

static crd_model *train_texts(crd_context *context, const char *text, const crd_settings *settings) {
    crd_reader *reader = open_texts(context, text);
    crd_model *model;
    crd_error error;
    assert_done(crd_model_train(context, reader, settings, &model, NULL, &error), error);
    crd_reader_close(reader);
    return model;
}

static crd_status change(crd_context *context, crd_model *model, const char *text, bool forgets, crd_error *error) {
    crd_reader *reader = open_texts(context, text);
    crd_status status =
        forgets ? crd_model_forget_all(model, reader, NULL, error) : crd_model_update_all(model, reader, NULL, error);
    crd_reader_close(reader);
    return status;
}

static void refuses_to_forget(crd_context *context, const char *forgotten, const char *message) {
    crd_model *model = train_texts(context, "class,body\nham,a b\nham,a c\nspam,b b\n", NULL);
    model_bytes before = bytes_of(model, context);
    crd_error error;
    assert_int_equal(change(context, model, forgotten, true, &error), CRD_ERROR_NOT_LEARNED);
    assert_string_equal(error.message, message);
    assert_string_equal(error.subject, "body");
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_model_destroy(model);
}

/* A frame with the classes ham, ham, spam and a matrix of counts under three terms. */
static crd_status frame_of_counts(crd_context *context, const int32_t *columns, const double *counts, crd_frame **out,
                                  crd_error *error) {
    static const crd_text terms[] = {{"c", 1}, {"a", 1}, {"b", 1}}, classes[] = {{"ham", 3}, {"spam", 4}};
    static const int64_t offsets[] = {0, 2, 5, 6};
    static const int32_t codes[] = {0, 0, 1};
    crd_term_matrix matrix = CRD_TERM_MATRIX_INIT;
    matrix.terms = terms;
    matrix.term_count = 3;
    matrix.offsets = offsets;
    matrix.columns = columns;
    matrix.counts = counts;
    crd_status status = crd_frame_create(context, 3, out, error);
    if (status == CRD_OK) status = crd_frame_add_codes(*out, crd_text_of("class"), codes, NULL, classes, 2, error);
    if (status == CRD_OK) status = crd_frame_add_term_counts(*out, crd_text_of("body"), &matrix, error);
    return status;
}

/* Counts give the model of texts that have the terms as often, and the posteriors of these. */
static void counts_are_texts(void **state) {
    crd_context *context = *state;
    /* The second row has b twice, in two entries, and an entry of 0. */
    static const int32_t columns[] = {1, 2, 2, 1, 2, 2};
    static const double counts[] = {1, 1, 1, 0, 1, 3};
    crd_model *of_texts = train_texts(context, "class,body\nham,a b\nham,b b\nspam,b b b\n", NULL), *of_counts;
    crd_frame *frame;
    crd_error error;
    assert_done(frame_of_counts(context, columns, counts, &frame, &error), error);
    assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, &of_counts, &error), error);
    assert_done(crd_model_update(of_counts, frame, &error), error);
    model_bytes texts_bytes = bytes_of(of_texts, context), counts_bytes = bytes_of(of_counts, context);
    assert_same_bytes(texts_bytes, counts_bytes);
    crd_classifier *classifier;
    crd_posteriors *posteriors;
    assert_done(crd_classifier_create(of_counts, NULL, &classifier, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
    double logs[2];
    crd_answer answer;
    crd_value value = {CRD_TYPE_TEXT, 0, crd_text_of("b b b")};
    assert_done(crd_classifier_posterior(classifier, &value, logs, NULL, &answer, &error), error);
    assert_memory_equal(logs, crd_posteriors_log(posteriors, 2), sizeof logs);
    assert_done(crd_model_forget(of_counts, frame, &error), error);
    crd_posteriors_destroy(posteriors);
    crd_classifier_destroy(classifier);
    free_bytes(texts_bytes);
    free_bytes(counts_bytes);
    crd_frame_destroy(frame);
    crd_model_destroy(of_texts);
    crd_model_destroy(of_counts);
}

static void counts_that_are_none(void **state) {
    static const int32_t columns[] = {1, 2, 2, 1, 2, 2}, outside[] = {1, 2, 2, 3, 2, 2};
    static const double counts[] = {1, 1, 1, 0, 1, 3}, half[] = {1, 1, 1, 0.5, 1, 3}, negative[] = {1, 1, 1, -1, 1, 3};
    static const struct {
        const int32_t *columns;
        const double *counts;
        crd_status status;
    } cases[] = {{outside, counts, CRD_ERROR_ARGUMENT},
                 {columns, half, CRD_ERROR_NUMBER},
                 {columns, negative, CRD_ERROR_NUMBER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_frame *frame;
        crd_error error;
        assert_int_equal(frame_of_counts(*state, cases[i].columns, cases[i].counts, &frame, &error), cases[i].status);
        assert_int_equal(error.line, 2);
        crd_frame_destroy(frame);
    }
}

static void forgetting_what_was_not_learned(void **state) {
    refuses_to_forget(*state, "class,body\nham,a d\n",
                      "these rows were not all learned: attribute 'body', term 'd', class 'ham' would be left with -1 "
                      "documents that contain it 1 time");
    refuses_to_forget(*state, "class,body\nspam,b\n",
                      "these rows were not all learned: attribute 'body', class 'spam' would be left with -1 documents "
                      "of 1 terms");
    refuses_to_forget(*state, "class,body\nspam,b b b\n",
                      "these rows were not all learned: attribute 'body', class 'spam' would be left with -1 documents "
                      "of 3 terms");
    /* Each count of it is there, and what is left is none that documents have. */
    refuses_to_forget(*state, "class,body\nham,b c\n",
                      "these rows were not all learned: attribute 'body', term 'a', class 'ham' would be in 2 "
                      "documents, more than remain");
}

/* A class whose documents are all gone is gone, and so are terms that only it had. */
static void classes_and_terms_vanish(void **state) {
    crd_context *context = *state;
    crd_model *model = train_texts(context, "class,body\nham,a b\nspam,c d d\nham,b\n", NULL);
    crd_summary *summary;
    crd_error error;
    assert_done(change(context, model, "class,body\nspam,d c d\n", true, &error), error);
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_int_equal(summary->class_count, 1);
    assert_int_equal(summary->attributes[0].type, CRD_TYPE_TEXT);
    assert_near(crd_i_summary_occurrences(summary, 0, 0), 3, 0);
    assert_near(crd_summary_present(summary, 0, 0), 2, 0);
    crd_summary_destroy(summary);
    crd_model_destroy(model);
}

/* Terms that make many pages, and more than a reader takes of a file at once. */
enum { MANY = 30000 };

static crd_model *train_many(crd_context *context) {
    char *text = malloc(20 * MANY + 64), *destination = text + sprintf(text, "class,body\nham,first\nspam,");
    for (int i = 0; i < MANY; i++) destination += sprintf(destination, "w%dx%d ", i, i * 7 % 1000);
    sprintf(destination, "\n");
    crd_model *model = train_texts(context, text, NULL);
    free(text);
    return model;
}

static crd_status find(crd_context *context, const crd_model *model, const char *term, double *documents,
                       crd_error *error) {
    crd_i_schema_view *order;
    crd_i_term_store *store;
    crd_i_term_counts counts = {.context = context};
    bool is_found;
    assert_done(crd_i_schema_view_create_counted(model, &order, error), *error);
    assert_done(crd_i_terms_store(model->variables[1].tally, &order->views[1], &store, error), *error);
    crd_status status = crd_i_term_store_find(store, crd_text_of(term), &counts, &is_found, error);
    *documents = 0;
    for (size_t i = 0; i < counts.count; i++) *documents += counts.entries[i].documents;
    crd_i_term_counts_clear(&counts);
    crd_i_term_store_release(store);
    crd_i_schema_view_destroy(order);
    return status;
}

static void flip_byte(const char *path, long offset) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, offset, SEEK_END), 0);
    int byte = getc(file);
    assert_int_equal(fseek(file, offset, SEEK_END), 0);
    assert_int_not_equal(putc(byte ^ 1, file), EOF);
    fclose(file);
}

static void files_are_read_as_far_as_needed(void **state) {
    crd_context *context = *state;
    char path[] = "/tmp/model-texts-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    crd_model *model = train_many(context), *lazy;
    crd_error error;
    double documents;
    model_bytes bytes = bytes_of(model, context);
    assert_done(crd_model_save(model, path, &error), error);
    crd_model_destroy(model);
    /* The last page is damaged: others are not looked at for it. */
    flip_byte(path, -10);
    assert_done(crd_model_load(context, path, &lazy, &error), error);
    assert_done(find(context, lazy, "first", &documents, &error), error);
    assert_near(documents, 1, 0);
    assert_done(find(context, lazy, "w17x119", &documents, &error), error);
    assert_near(documents, 1, 0);
    assert_done(find(context, lazy, "nowhere", &documents, &error), error);
    assert_near(documents, 0, 0);
    assert_int_equal(find(context, lazy, "w9999x993", &documents, &error), CRD_ERROR_DAMAGED);
    assert_string_equal(error.place, path);
    /* Nor is it learned from or written. */
    model_bytes none = {context, NULL, 0};
    assert_int_equal(crd_model_encode(lazy, &none.bytes, &none.length, &error), CRD_ERROR_DAMAGED);
    assert_string_equal(error.place, path);
    crd_model_destroy(lazy);
    flip_byte(path, -10);
    assert_done(crd_model_load(context, path, &lazy, &error), error);
    /* Whoever holds it open has the file that it was, whatever becomes of its path. */
    unlink(path);
    assert_done(change(context, lazy, "class,body\nnew,second w5x35\n", false, &error), error);
    assert_done(change(context, lazy, "class,body\nnew,second w5x35\n", true, &error), error);
    none = bytes_of(lazy, context);
    assert_same_bytes(bytes, none);
    free_bytes(none);
    free_bytes(bytes);
    crd_model_destroy(lazy);
}

static void a_file_that_becomes_shorter_is_an_error(void **state) {
    crd_context *context = *state;
    char path[] = "/tmp/model-texts-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    crd_model *model = train_many(context), *lazy;
    crd_error error;
    double documents;
    assert_done(crd_model_save(model, path, &error), error);
    crd_model_destroy(model);
    assert_done(crd_model_load(context, path, &lazy, &error), error);
    assert_int_equal(truncate(path, 100000), 0);
    assert_int_equal(find(context, lazy, "w9999x993", &documents, &error), CRD_ERROR_DAMAGED);
    assert_string_equal(error.place, path);
    crd_model_destroy(lazy);
    assert_int_equal(crd_model_load(context, path, &lazy, &error), CRD_ERROR_DAMAGED);
    close(file);
    unlink(path);
}

/* Each byte that is altered shows, whichever it is, where a model comes from memory. */
static void altered_bytes_are_refused(void **state) {
    crd_context *context = *state;
    crd_model *model = train_texts(context, "class,body\nham,a b a\nspam,c internet internets\n", NULL), *again;
    model_bytes bytes = bytes_of(model, context);
    crd_error error;
    for (size_t i = 0; i < bytes.length; i++) {
        bytes.bytes[i] ^= 4;
        crd_status status = crd_model_decode(context, bytes.bytes, bytes.length, &again, &error);
        assert_true(status == CRD_ERROR_DAMAGED || status == CRD_ERROR_NOT_A_MODEL || status == CRD_ERROR_TOO_NEW);
        bytes.bytes[i] ^= 4;
    }
    for (size_t length = 0; length < bytes.length; length++)
        assert_int_not_equal(crd_model_decode(context, bytes.bytes, length, &again, &error), CRD_OK);
    free_bytes(bytes);
    crd_model_destroy(model);
}

static crd_settings *one_setting(crd_context *context, const char *name, const char *value) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, name, crd_text_of(value), &error), error);
    return settings;
}

static void rules_that_differ_are_named(void **state) {
    crd_context *context = *state;
    crd_settings *bigrams = one_setting(context, "ngrams", "1-2");
    crd_model *words = train_texts(context, "class,body\nham,a b\n", NULL);
    crd_model *pairs = train_texts(context, "class,body\nham,a b\n", bigrams);
    crd_error error;
    double documents;
    assert_int_equal(crd_model_merge(words, pairs, &error), CRD_ERROR_SETTING);
    assert_string_equal(error.subject, "ngrams");
    assert_done(find(context, pairs, "a b", &documents, &error), error);
    assert_near(documents, 1, 0);
    crd_settings_destroy(bigrams);
    crd_model_destroy(words);
    crd_model_destroy(pairs);
}

static void hashed_terms_are_buckets(void **state) {
    crd_context *context = *state;
    crd_settings *hashed = one_setting(context, "hash", "8");
    crd_model *model = train_texts(context, "class,body\nham,a b c d e f\nspam,a\n", hashed);
    model_bytes before = bytes_of(model, context);
    crd_error error;
    assert_done(change(context, model, "class,body\nspam,x y z\n", false, &error), error);
    assert_done(change(context, model, "class,body\nspam,z y x\n", true, &error), error);
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_settings_destroy(hashed);
    crd_model_destroy(model);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(counts_are_texts),
        TEST(counts_that_are_none),
        TEST(forgetting_what_was_not_learned),
        TEST(classes_and_terms_vanish),
        TEST(files_are_read_as_far_as_needed),
        TEST(a_file_that_becomes_shorter_is_an_error),
        TEST(altered_bytes_are_refused),
        TEST(rules_that_differ_are_named),
        TEST(hashed_terms_are_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
