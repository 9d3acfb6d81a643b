/* SPDX-License-Identifier: MIT */
/* Evaluations of parts that are merged in their order have the bytes of the evaluation of all rows, so that every score has its bits:
 * over random rows, classes that cannot be predicted, weights, folds and cuts. Bytes that were altered are refused, or hold an
 * evaluation that can be scored. */
#include "evaluate/evaluation.h"
#include "io/section.h"
#include "random_table.h"

enum { CASES = 300, MOST_ROWS = 40, MOST_PARTS = 5, CLASSES = 3, LABELS = 5 };

static const char *const names[LABELS] = {"b", "a", "c", "other", "zz"};

/* A row to be judged. */
typedef struct parts_row {
    double logs[CLASSES], weight;
    crd_text truth, assigned;
    uint32_t fold;
} parts_row;

static parts_row random_row(bool is_weighted) {
    parts_row row = {.weight = 1, .fold = table_below(4) == 0 ? CRD_NO_FOLD : (uint32_t)table_below(3)};
    double probabilities[CLASSES], sum = 0;
    for (size_t k = 0; k < CLASSES; k++) sum += probabilities[k] = table_below(5) == 0 ? 0 : (double)table_below(9);
    for (size_t k = 0; k < CLASSES; k++)
        row.logs[k] = probabilities[k] > 0 ? crd_log(probabilities[k] / sum) : -INFINITY;
    if (is_weighted) row.weight = (double)table_below(4) / 3;
    row.truth = crd_text_of(names[table_below(table_below(3) == 0 ? LABELS : CLASSES)]);
    row.assigned = crd_text_of(names[table_below(CLASSES)]);
    return row;
}

/* What is made of rows. */
typedef struct parts_product {
    crd_evaluation *evaluation;
    crd_labeling *labeling;
    crd_spans *spans;
} parts_product;

static parts_product judge(crd_context *context, const parts_row *rows, size_t count) {
    parts_product product;
    crd_text classes[CLASSES];
    crd_error error;
    for (size_t k = 0; k < CLASSES; k++) classes[k] = crd_text_of(names[k]);
    assert_done(crd_evaluation_create(context, classes, CLASSES, &product.evaluation, &error), error);
    assert_done(crd_labeling_create(context, &product.labeling, &error), error);
    assert_done(crd_i_spans_create(context, CRD_SPANS_AUTO, &product.spans, &error), error);
    for (size_t i = 0; i < count; i++) {
        crd_i_evaluation_set_fold(product.evaluation, rows[i].fold);
        assert_done(crd_evaluation_add(product.evaluation, rows[i].logs, rows[i].truth, rows[i].weight, NULL, &error),
                    error);
        assert_done(crd_labeling_add(product.labeling, rows[i].assigned, rows[i].truth, rows[i].weight, &error), error);
        assert_done(crd_i_spans_add(product.spans, rows[i].truth, rows[i].assigned, &error), error);
        if (rows[i].fold == 0) crd_i_spans_end_sequence(product.spans);
    }
    crd_i_spans_end_sequence(product.spans);
    crd_i_evaluation_set_fold(product.evaluation, CRD_NO_FOLD);
    return product;
}

static void destroy(parts_product *product) {
    crd_evaluation_destroy(product->evaluation);
    crd_labeling_destroy(product->labeling);
    crd_i_spans_destroy(product->spans);
}

static void merge(crd_context *context, parts_product *whole, const parts_product *part) {
    unsigned char *bytes;
    size_t length;
    crd_evaluation *evaluation;
    crd_labeling *labeling;
    crd_error error;
    assert_done(crd_evaluation_encode(part->evaluation, &bytes, &length, &error), error);
    assert_done(crd_evaluation_decode(context, bytes, length, &evaluation, &error), error);
    crd_free(context, bytes);
    assert_done(crd_evaluation_merge(whole->evaluation, evaluation, &error), error);
    crd_evaluation_destroy(evaluation);
    assert_done(crd_i_labeling_encode(part->labeling, &bytes, &length, &error), error);
    assert_done(crd_i_labeling_decode(context, bytes, length, &labeling, &error), error);
    crd_free(context, bytes);
    assert_done(crd_i_labeling_merge(whole->labeling, labeling, &error), error);
    crd_labeling_destroy(labeling);
    assert_done(crd_i_spans_merge(whole->spans, part->spans, &error), error);
}

static void check_same(crd_context *context, const parts_product *whole, const parts_product *merged) {
    unsigned char *bytes[2];
    size_t lengths[2];
    crd_error error;
    assert_done(crd_evaluation_encode(whole->evaluation, &bytes[0], &lengths[0], &error), error);
    assert_done(crd_evaluation_encode(merged->evaluation, &bytes[1], &lengths[1], &error), error);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    for (size_t i = 0; i < 2; i++) crd_free(context, bytes[i]);
    assert_done(crd_i_labeling_encode(whole->labeling, &bytes[0], &lengths[0], &error), error);
    assert_done(crd_i_labeling_encode(merged->labeling, &bytes[1], &lengths[1], &error), error);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    for (size_t i = 0; i < 2; i++) crd_free(context, bytes[i]);
    assert_int_equal(crd_spans_type_count(whole->spans), crd_spans_type_count(merged->spans));
    for (size_t i = 0; i < crd_spans_type_count(whole->spans); i++) {
        crd_span_scores scores[2] = {CRD_SPAN_SCORES_INIT, CRD_SPAN_SCORES_INIT};
        crd_spans_type(whole->spans, i, &scores[0]);
        crd_spans_type(merged->spans, i, &scores[1]);
        assert_true(crd_text_equal(scores[0].type, scores[1].type) && scores[0].truths == scores[1].truths &&
                    scores[0].named == scores[1].named && scores[0].correct == scores[1].correct);
    }
}

static void parts_in_their_order_are_the_whole(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        crd_context *context;
        parts_row rows[MOST_ROWS];
        table_random_state = seed;
        assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
        const size_t count = table_below(MOST_ROWS), parts = 1 + table_below(MOST_PARTS);
        const bool is_weighted = table_below(2) == 0;
        for (size_t i = 0; i < count; i++) rows[i] = random_row(is_weighted);
        parts_product merged = judge(context, rows, 0);
        size_t index = 0;
        for (size_t p = 0; p < parts; p++) {
            /* Sequences are not cut: they end behind rows of the first fold. */
            size_t end = p + 1 == parts ? count : index + table_below(count - index + 1);
            while (end < count && end > 0 && rows[end - 1].fold != 0) end++;
            parts_product part = judge(context, rows + index, end - index);
            merge(context, &merged, &part);
            destroy(&part);
            index = end;
        }
        parts_product whole = judge(context, rows, count);
        check_same(context, &whole, &merged);
        destroy(&whole);
        destroy(&merged);
        crd_context_destroy(context);
    }
}

static void score(const crd_evaluation *evaluation) {
    crd_scores *scores = NULL;
    crd_fold_scores *folds = NULL;
    crd_curve *curve = NULL;
    crd_error error;
    if (crd_scores_create(evaluation, &scores, &error) == CRD_OK)
        for (size_t k = 0; k < scores->class_count; k++) (void)scores->classes[k].name;
    if (crd_curve_create(evaluation, 0, &curve, &error) == CRD_OK) crd_curve_destroy(curve);
    if (table_below(16) == 0 && crd_fold_scores_create(evaluation, &folds, &error) == CRD_OK)
        crd_fold_scores_destroy(folds);
    crd_scores_destroy(scores);
}

/* Bytes of one kind, and what reads them: its result is used, and destroyed. */
typedef crd_status reads_bytes(crd_context *context, const unsigned char *bytes, size_t length, const void *user);

static crd_status read_evaluation(crd_context *context, const unsigned char *bytes, size_t length, const void *user) {
    crd_evaluation *evaluation;
    crd_error error;
    (void)user;
    const crd_status status = crd_evaluation_decode(context, bytes, length, &evaluation, &error);
    if (status == CRD_OK) score(evaluation);
    crd_evaluation_destroy(evaluation);
    return status;
}

static crd_status read_labeling(crd_context *context, const unsigned char *bytes, size_t length, const void *user) {
    crd_labeling *labeling;
    crd_labeling_scores scores = CRD_LABELING_SCORES_INIT;
    crd_error error;
    (void)user;
    const crd_status status = crd_i_labeling_decode(context, bytes, length, &labeling, &error);
    if (status == CRD_OK) (void)(crd_labeling_score(labeling, &scores, &error) == CRD_OK);
    crd_labeling_destroy(labeling);
    return status;
}

static crd_status read_sequences(crd_context *context, const unsigned char *bytes, size_t length, const void *user) {
    crd_sequence_evaluation *evaluation;
    crd_span_scores scores = CRD_SPAN_SCORES_INIT;
    crd_error error;
    (void)user;
    const crd_status status = crd_sequence_evaluation_decode(context, bytes, length, &evaluation, &error);
    if (status == CRD_OK && crd_sequence_evaluation_items(evaluation) != NULL)
        score(crd_sequence_evaluation_items(evaluation));
    if (status == CRD_OK) crd_spans_totals(crd_sequence_evaluation_spans(evaluation), &scores);
    crd_sequence_evaluation_destroy(evaluation);
    return status;
}

/* A model, by which parts were judged, and the rule. */
typedef struct parts_judgment {
    crd_model *model;
    crd_classifier *classifier;
    crd_rule *rule;
} parts_judgment;

static crd_status read_assessment(crd_context *context, const unsigned char *bytes, size_t length, const void *user) {
    const parts_judgment *judgment = user;
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_assessment *assessment;
    crd_error error;
    (void)context;
    assert_done(crd_assessment_of_model(judgment->model, judgment->classifier, NULL, 0, &assessment, &error), error);
    options.rule = judgment->rule;
    options.is_part = 1;
    crd_status status = crd_assessment_run_parts(assessment, &options, &bytes, &length, 1, &error);
    if (status == CRD_OK) {
        score(crd_assessment_evaluation(assessment));
        crd_outcomes_totals(crd_assessment_facts_of(assessment)->outcomes, &totals);
    }
    crd_assessment_destroy(assessment);
    /* Classes, rules and models that are not those of the parts. */
    return status == CRD_ERROR_ARGUMENT || status == CRD_ERROR_NOT_A_MODEL || status == CRD_ERROR_SCHEMA_DIFFERS
               ? CRD_ERROR_DAMAGED
               : status;
}

/* Truncated, then altered in one byte or two, with the checksum that fits. */
static void alter(crd_context *context, const unsigned char *bytes, size_t length, reads_bytes *read,
                  const void *user) {
    unsigned char *altered = malloc(length);
    assert_non_null(altered);
    assert_int_equal(read(context, bytes, length, user), CRD_OK);
    for (size_t i = 0; i < 4 * length; i++) {
        const size_t kept = i < length ? i : length;
        memcpy(altered, bytes, kept);
        if (i >= length) altered[i % (length - 4)] = (unsigned char)table_below(256);
        if (i >= 2 * length) altered[table_below(length - 4)] ^= (unsigned char)(1 + table_below(255));
        if (kept >= 4) {
            const uint32_t sum = crd_i_checksum(altered, kept - 4);
            for (size_t b = 0; b < 4; b++) altered[kept - 4 + b] = (unsigned char)(sum >> (8 * b));
        }
        const crd_status status = read(context, altered, kept, user);
        assert_true(status == CRD_OK || status == CRD_ERROR_DAMAGED || status == CRD_ERROR_TOO_NEW);
    }
    memcpy(altered, bytes, length);
    altered[length / 2] ^= 1;
    assert_int_equal(read(context, altered, length, user), CRD_ERROR_DAMAGED);
    free(altered);
}

static void altered_bytes_are_refused_or_scored(void **state) {
    (void)state;
    crd_context *context;
    crd_sequence_evaluation *sequences;
    const crd_text classes[] = {{"a", 1}, {"b", 1}};
    parts_row rows[4];
    crd_error error;
    unsigned char *bytes;
    size_t length;
    table_random_state = 7;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (size_t i = 0; i < 4; i++) rows[i] = random_row(true);
    rows[2].truth = crd_text_of("other");
    rows[2].weight = 2;
    parts_product whole = judge(context, rows, 4);
    assert_done(crd_evaluation_encode(whole.evaluation, &bytes, &length, &error), error);
    alter(context, bytes, length, read_evaluation, NULL);
    crd_free(context, bytes);
    assert_done(crd_i_labeling_encode(whole.labeling, &bytes, &length, &error), error);
    alter(context, bytes, length, read_labeling, NULL);
    crd_free(context, bytes);
    assert_done(crd_sequence_evaluation_create(context, classes, 2, NULL, &sequences, &error), error);
    assert_done(crd_sequence_evaluation_encode(sequences, &bytes, &length, &error), error);
    alter(context, bytes, length, read_sequences, NULL);
    crd_free(context, bytes);
    crd_sequence_evaluation_destroy(sequences);
    destroy(&whole);
    crd_context_destroy(context);
}

static void altered_assessments_are_refused_or_scored(void **state) {
    (void)state;
    static const char table[] = "x,c,y\n1,u,k\n5,v,l\n2,u,k\n4,v,l\n";
    const crd_text classes[] = {{"k", 1}, {"l", 1}};
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    crd_context *context;
    crd_reader *reader;
    crd_assessment *assessment;
    parts_judgment judgment;
    crd_error error;
    unsigned char *bytes;
    size_t length;
    table_random_state = 8;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(train_text(context, table, "y", &judgment.model, &error), error);
    assert_done(crd_classifier_create(judgment.model, NULL, &judgment.classifier, &error), error);
    assert_done(crd_rule_create_reject(context, classes, 2, .6, crd_text_of("?"), &judgment.rule, &error), error);
    assert_done(open_text(context, table, strlen(table), NULL, &reader, &error), error);
    assert_done(crd_assessment_of_model(judgment.model, judgment.classifier, reader, 0, &assessment, &error), error);
    options.rule = judgment.rule;
    assert_done(crd_assessment_run(assessment, &options, &error), error);
    assert_done(crd_assessment_encode(assessment, &bytes, &length, &error), error);
    alter(context, bytes, length, read_assessment, &judgment);
    crd_free(context, bytes);
    crd_assessment_destroy(assessment);
    crd_reader_close(reader);
    crd_rule_destroy(judgment.rule);
    crd_classifier_destroy(judgment.classifier);
    crd_model_destroy(judgment.model);
    crd_context_destroy(context);
}

/* Classes go by names: fewer of them, in another order, with a truth that only one's own evaluation can predict. */
static void classes_are_matched_by_name(void **state) {
    (void)state;
    crd_context *context;
    crd_evaluation *evaluation, *other;
    crd_error error;
    const crd_text three[] = {{"a", 1}, {"b", 1}, {"c", 1}}, two[] = {{"c", 1}, {"a", 1}};
    const double logs[] = {crd_log(.25), crd_log(.75)}, wide[] = {crd_log(.75), -INFINITY, crd_log(.25)};
    unsigned char *bytes[2];
    size_t lengths[2];
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(crd_evaluation_create(context, three, 3, &evaluation, &error), error);
    assert_done(crd_evaluation_create(context, two, 2, &other, &error), error);
    assert_done(crd_evaluation_add(other, logs, crd_text_of("b"), 1, NULL, &error), error);
    assert_done(crd_evaluation_add(other, logs, crd_text_of("a"), 1, NULL, &error), error);
    assert_done(crd_evaluation_merge(evaluation, other, &error), error);
    assert_int_equal(crd_evaluation_merge(other, evaluation, &error), CRD_ERROR_ARGUMENT);
    assert_done(crd_evaluation_encode(evaluation, &bytes[0], &lengths[0], &error), error);
    crd_evaluation_destroy(evaluation);
    assert_done(crd_evaluation_create(context, three, 3, &evaluation, &error), error);
    assert_done(crd_evaluation_add(evaluation, wide, crd_text_of("b"), 1, NULL, &error), error);
    assert_done(crd_evaluation_add(evaluation, wide, crd_text_of("a"), 1, NULL, &error), error);
    assert_done(crd_evaluation_encode(evaluation, &bytes[1], &lengths[1], &error), error);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    for (size_t i = 0; i < 2; i++) crd_free(context, bytes[i]);
    crd_evaluation_destroy(evaluation);
    crd_evaluation_destroy(other);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_in_their_order_are_the_whole), cmocka_unit_test(altered_bytes_are_refused_or_scored),
        cmocka_unit_test(altered_assessments_are_refused_or_scored), cmocka_unit_test(classes_are_matched_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
