/* SPDX-License-Identifier: MIT */
/* Spans of labels: tags as seqeval 1.2.2 counts them, runs against their definition, and decisions that are not the
 * greatest posterior's. */
#include "evaluate/evaluation.h"
#include "model_support.h"

static crd_context *context_of_test(void) {
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    return context;
}

/* Sequences of labels, with blanks between labels and '|' between sequences; "?" is no label. */
static void add_labels(crd_spans *spans, const char *truths, const char *named) {
    crd_error error;
    while (*truths != '\0') {
        const size_t a = strcspn(truths, " |"), b = strcspn(named, " |");
        const crd_text none = {NULL, 0};
        const crd_text truth = *truths == '?' ? none : (crd_text){truths, a};
        const crd_text label = *named == '?' ? none : (crd_text){named, b};
        assert_done(crd_i_spans_add(spans, truth, label, &error), error);
        if (truths[a] != ' ') crd_i_spans_end_sequence(spans);
        truths += truths[a] == '\0' ? a : a + 1;
        named += named[b] == '\0' ? b : b + 1;
    }
}

static crd_spans *spans_of(crd_context *context, crd_span_scheme scheme, const char *truths, const char *named) {
    crd_spans *spans;
    crd_error error;
    assert_done(crd_i_spans_create(context, scheme, &spans, &error), error);
    add_labels(spans, truths, named);
    return spans;
}

/* type NULL: all of them. */
static void check_counts(const crd_spans *spans, const char *type, uint64_t truths, uint64_t named, uint64_t correct) {
    crd_span_scores scores = CRD_SPAN_SCORES_INIT;
    if (type == NULL) crd_spans_totals(spans, &scores);
    for (size_t i = 0; type != NULL && i < crd_spans_type_count(spans); i++) {
        crd_spans_type(spans, i, &scores);
        if (crd_text_equal(scores.type, crd_text_of(type))) break;
    }
    assert_int_equal(scores.truths, truths);
    assert_int_equal(scores.named, named);
    assert_int_equal(scores.correct, correct);
}

static void tags_are_counted_as_elsewhere(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_spans *spans = spans_of(context, CRD_SPANS_AUTO,
                                "B-PER I-PER O B-LOC O I-ORG I-ORG B-ORG|O I-LOC I-PER I-PER O|B-PER B-PER I-LOC O "
                                "B-ORG",
                                "B-PER I-PER O I-LOC O I-ORG B-ORG B-ORG|I-LOC I-LOC I-PER I-PER O|B-PER I-PER I-LOC "
                                "O O");
    assert_int_equal(crd_spans_scheme(spans), CRD_SPANS_TAGS);
    check_counts(spans, "PER", 4, 3, 2);
    check_counts(spans, "LOC", 3, 3, 2);
    check_counts(spans, "ORG", 3, 3, 1);
    crd_span_scores all = CRD_SPAN_SCORES_INIT;
    crd_spans_totals(spans, &all);
    assert_true(fabs(all.precision - (0.5555555555555556)) <= 1e-15);
    assert_true(fabs(all.recall - (0.5)) <= 1e-15);
    assert_true(fabs(all.f1 - (0.5263157894736842)) <= 1e-15);
    crd_i_spans_destroy(spans);
    /* BIOES, and BILOU, which is the same with other letters. */
    spans = spans_of(context, CRD_SPANS_AUTO, "B-A E-A S-A O S-B B-B I-B E-B|E-A I-A O S-A I-A",
                     "B-A E-A E-A O S-B B-B I-B I-B|E-A I-A O S-A S-A");
    check_counts(spans, "A", 6, 6, 6);
    check_counts(spans, "B", 2, 2, 2);
    crd_i_spans_destroy(spans);
    spans = spans_of(context, CRD_SPANS_AUTO, "B-A L-A U-A O", "B-A L-A O U-A");
    check_counts(spans, NULL, 2, 2, 1);
    crd_i_spans_destroy(spans);
    crd_context_destroy(context);
}

static void runs_are_spans_of_labels_without_tags(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_spans *spans = spans_of(context, CRD_SPANS_AUTO, "H H C C H|H E E", "H H C H H|H E E");
    assert_int_equal(crd_spans_scheme(spans), CRD_SPANS_RUNS);
    check_counts(spans, "H", 3, 3, 2);
    check_counts(spans, "C", 1, 1, 0);
    check_counts(spans, NULL, 5, 5, 3);
    crd_i_spans_destroy(spans);
    /* No span crosses an item without a true label, and one without an answer is in no span. */
    spans = spans_of(context, CRD_SPANS_AUTO, "a a ? a a b", "a a a a ? b");
    check_counts(spans, "a", 2, 2, 1);
    check_counts(spans, "b", 1, 1, 1);
    crd_i_spans_destroy(spans);
    /* Single letters are tags only where B and O are among them; a scheme that is given is not looked for. */
    spans = spans_of(context, CRD_SPANS_AUTO, "E E S", "E E S");
    assert_int_equal(crd_spans_scheme(spans), CRD_SPANS_RUNS);
    crd_i_spans_destroy(spans);
    spans = spans_of(context, CRD_SPANS_AUTO, "B I O B B", "B I O B I");
    assert_int_equal(crd_spans_scheme(spans), CRD_SPANS_TAGS);
    check_counts(spans, NULL, 3, 2, 1);
    crd_i_spans_destroy(spans);
    spans = spans_of(context, CRD_SPANS_RUNS, "B-A I-A O", "B-A I-A O");
    check_counts(spans, NULL, 3, 3, 3);
    crd_i_spans_destroy(spans);
    spans = spans_of(context, CRD_SPANS_AUTO, "", "");
    crd_span_scores none = CRD_SPAN_SCORES_INIT;
    crd_spans_totals(spans, &none);
    assert_true(none.truths == 0 && isnan(none.precision) && isnan(none.f1));
    crd_i_spans_destroy(spans);
    crd_context_destroy(context);
}

static void decisions_of_paths_are_scored(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    const crd_text classes[2] = {{"a", 1}, {"b", 1}};
    const double logs[2] = {log(0.6), log(0.4)}, probabilities[2] = {0.6, 0.4};
    crd_evaluation *evaluation;
    crd_scores *scores;
    crd_row_score credit = CRD_ROW_SCORE_INIT;
    crd_totals totals = CRD_TOTALS_INIT;
    crd_error error;
    assert_done(crd_evaluation_create(context, classes, 2, &evaluation, &error), error);
    assert_done(crd_i_evaluation_add_decided(evaluation, logs, probabilities, 1, crd_text_of("b"), 1, &credit, &error),
                error);
    assert_true(credit.decision == 1 && credit.credit == 1 && credit.probability == 0.4);
    assert_done(crd_i_evaluation_add_decided(evaluation, logs, probabilities, 1, crd_text_of("a"), 1, NULL, &error),
                error);
    assert_int_equal(
        crd_i_evaluation_add_decided(evaluation, logs, probabilities, 2, crd_text_of("a"), 1, NULL, &error),
        CRD_ERROR_ARGUMENT);
    assert_done(crd_scores_create(evaluation, &scores, &error), error);
    crd_scores_totals(scores, &totals);
    assert_true(totals.rows == 2 && totals.accuracy == 0.5);
    assert_true(fabs(totals.log_loss - (-(log(0.4) + log(0.6)) / 2)) <= 1e-15);
    assert_int_equal(crd_scores_confusion_weight(scores, 0, 1), 1);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_counted_as_elsewhere),
        cmocka_unit_test(runs_are_spans_of_labels_without_tags),
        cmocka_unit_test(decisions_of_paths_are_scored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
