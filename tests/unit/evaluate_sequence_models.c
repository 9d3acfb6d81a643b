/* SPDX-License-Identifier: MIT */
/* Evaluations of sequence models against counts made by hand from decoded arrays, and cross-validation against models of the
 * other folds' sequences. */
#include "model_support.h"

/* Steps "x c label"; z is a value that only the tested sequences have, and the last sequence has unlabeled steps. */
static const char learned[] =
    "id,x,c,s\na,1,u,A\na,2,v,B\na,1.2,u,A\nb,0.9,u,A\nb,2.2,v,B\nb,2.1,v,B\nc,1.1,v,A\nc,1.9,u,B\n"
    "d,1.3,u,A\nd,0.8,u,A\nd,2.4,v,B\ne,2,v,B\ne,1,u,A\n";
static const char tested[] = "id,x,c,s\na,1.6,z,A\na,2,v,B\nb,1.4,v,A\nb,1.5,u,B\nb,2.1,z,B\nc,1,u,\nc,2,v,B\nd,1,u,\n";
enum { MOST_ROWS = 16, STATES = 2 };

typedef struct read_text {
    crd_reader *reader;
    crd_sequences *sequences;
} read_text;

static read_text read_sequences(crd_context *context, const char *text) {
    read_text input;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_error error;
    options.sequence = crd_text_of("id");
    assert_done(open_text(context, text, strlen(text), "s", &input.reader, &error), error);
    assert_done(crd_sequences_read(input.reader, &options, &input.sequences, &error), error);
    return input;
}

static void close_text(read_text *source_text) {
    crd_sequences_destroy(source_text->sequences);
    crd_reader_close(source_text->reader);
}

static crd_settings *sequence_settings(crd_context *context) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("sequence"), &error), error);
    return settings;
}

/* ---- By hand ---- */

typedef struct by_hand {
    uint64_t items, labeled_items, right_items, labeled, correct;
    double log_loss; /* the sum */
    double log_likelihood;
    uint64_t unseen_items, unseen_right;
} by_hand;

static void count_by_hand(const crd_hmm *hmm, const crd_sequences *sequences, by_hand *hand) {
    double posteriors[MOST_ROWS * STATES], logs[MOST_ROWS];
    int32_t path[MOST_ROWS];
    crd_sequence_cursor *cursor;
    crd_error error;
    size_t row = 0;
    assert_in_range(crd_sequences_rows(sequences), 0, MOST_ROWS);
    assert_done(crd_hmm_paths(hmm, sequences, 1, path, NULL, &error), error);
    assert_done(crd_hmm_posteriors(hmm, sequences, 1, posteriors, logs, &error), error);
    assert_done(crd_sequence_cursor_create(sequences, &cursor, &error), error);
    for (size_t i = 0; i < crd_sequences_count(sequences); i++) {
        bool is_labeled = false, is_correct = true;
        hand->log_likelihood += logs[i];
        for (uint64_t t = 0; t < crd_sequences_length(sequences, i); t++, row++) {
            assert_done(crd_sequence_cursor_move(cursor, i, t, &error), error);
            const int32_t label = crd_sequence_cursor_label(cursor);
            hand->items++;
            if (label < 0) continue;
            const crd_text truth = crd_sequences_label(sequences, (size_t)label);
            const bool is_right = crd_text_equal(truth, crd_hmm_state(hmm, (size_t)path[row]));
            const size_t state = crd_text_equal(truth, crd_hmm_state(hmm, 0)) ? 0 : 1;
            const bool is_unseen = crd_text_equal(crd_sequence_cursor_value(cursor, 1).text, crd_text_of("z"));
            is_labeled = true;
            is_correct = is_correct && is_right;
            hand->labeled_items++;
            hand->right_items += is_right;
            hand->unseen_items += is_unseen;
            hand->unseen_right += is_unseen && is_right;
            hand->log_loss -= log(posteriors[row * STATES + state]);
        }
        hand->labeled += is_labeled;
        hand->correct += is_labeled && is_correct;
    }
    crd_sequence_cursor_destroy(cursor);
}

static void check_evaluation(const crd_sequence_evaluation *evaluation, const by_hand *wanted, uint64_t sequences) {
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    crd_totals items = CRD_TOTALS_INIT;
    crd_scores *scores;
    crd_error error;
    crd_sequence_evaluation_totals(evaluation, &totals);
    assert_done(crd_scores_create(crd_sequence_evaluation_items(evaluation), &scores, &error), error);
    crd_scores_totals(scores, &items);
    assert_int_equal(totals.sequences, sequences);
    assert_int_equal(totals.items, wanted->items);
    assert_int_equal(totals.labeled, wanted->labeled);
    assert_int_equal(totals.correct, wanted->correct);
    assert_int_equal(totals.unseen_items, wanted->unseen_items);
    assert_int_equal(totals.unseen_correct, wanted->unseen_right);
    assert_int_equal(totals.seen_items, wanted->labeled_items - wanted->unseen_items);
    assert_near(totals.log_likelihood, wanted->log_likelihood, 1e-10);
    assert_int_equal(items.rows, wanted->labeled_items);
    assert_near(items.accuracy, (double)wanted->right_items / (double)wanted->labeled_items, 1e-15);
    assert_near(items.log_loss, wanted->log_loss / (double)wanted->labeled_items, 1e-10);
    crd_scores_destroy(scores);
}

/* ---- Tests ---- */

static void a_model_is_judged_on_other_sequences(void **state) {
    (void)state;
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_settings *settings = sequence_settings(context);
    read_text train = read_sequences(context, learned), test = read_sequences(context, tested);
    const crd_text classes[STATES] = {{"A", 1}, {"B", 1}}, others[1] = {{"A", 1}};
    crd_model *model;
    crd_hmm *hmm;
    crd_sequence_evaluation *evaluation;
    crd_error error;
    by_hand wanted = {0};
    assert_done(crd_sequences_train(train.sequences, settings, &model, NULL, &error), error);
    assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
    assert_done(crd_sequence_evaluation_create(context, classes, STATES, NULL, &evaluation, &error), error);
    assert_done(crd_sequence_evaluation_add(evaluation, hmm, test.sequences, &error), error);
    count_by_hand(hmm, test.sequences, &wanted);
    assert_int_equal(wanted.unseen_items, 2);
    check_evaluation(evaluation, &wanted, 4);
    /* Spans of the labels as they are: A B | A B | B, none of the unlabeled step. */
    crd_span_scores spans = CRD_SPAN_SCORES_INIT;
    crd_spans_totals(crd_sequence_evaluation_spans(evaluation), &spans);
    assert_int_equal(spans.truths, 5);
    crd_sequence_evaluation_destroy(evaluation);
    /* A label that is not to be predicted. */
    assert_done(crd_sequence_evaluation_create(context, others, 1, NULL, &evaluation, &error), error);
    assert_int_equal(crd_sequence_evaluation_add(evaluation, hmm, test.sequences, &error), CRD_ERROR_ARGUMENT);
    crd_sequence_evaluation_destroy(evaluation);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    close_text(&train);
    close_text(&test);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
}

static void folds_are_answered_by_models_of_the_others(void **state) {
    (void)state;
    enum { FOLDS = 2, MOST_SEQUENCES = 8 };
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_settings *settings = sequence_settings(context);
    read_text all = read_sequences(context, learned);
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_sequence_evaluation *evaluation;
    crd_error error;
    uint32_t folds[MOST_SEQUENCES];
    by_hand wanted = {0};
    const size_t count = crd_sequences_count(all.sequences);
    split.folds = FOLDS;
    assert_done(crd_sequence_validate(all.sequences, crd_text_of("s"), settings, NULL, &split, NULL, folds, &evaluation,
                                      &error),
                error);
    for (uint32_t fold = 0; fold < FOLDS; fold++) {
        size_t in[MOST_SEQUENCES], out[MOST_SEQUENCES], in_count = 0, out_count = 0;
        crd_sequences *inside, *outside;
        crd_model *model;
        crd_hmm *hmm;
        for (size_t i = 0; i < count; i++)
            if (folds[i] == fold) in[in_count++] = i;
            else out[out_count++] = i;
        assert_true(in_count >= 2 && out_count >= 2);
        assert_done(crd_sequences_select(all.sequences, in, in_count, &inside, &error), error);
        assert_done(crd_sequences_select(all.sequences, out, out_count, &outside, &error), error);
        assert_done(crd_sequences_train(outside, settings, &model, NULL, &error), error);
        assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
        count_by_hand(hmm, inside, &wanted);
        crd_hmm_destroy(hmm);
        crd_model_destroy(model);
        crd_sequences_destroy(inside);
        crd_sequences_destroy(outside);
    }
    check_evaluation(evaluation, &wanted, count);
    crd_sequence_evaluation_destroy(evaluation);
    /* A holdout tests its fold alone; one sequence cannot be held out. */
    split.folds = 3;
    split.held_out = 1;
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    assert_done(crd_sequence_validate(all.sequences, crd_text_of("s"), settings, NULL, &split, NULL, folds, &evaluation,
                                      &error),
                error);
    crd_sequence_evaluation_totals(evaluation, &totals);
    size_t held_out = 0, first = 0;
    for (size_t i = 0; i < count; i++) held_out += folds[i] == 1;
    assert_int_equal(totals.sequences, held_out);
    crd_sequence_evaluation_destroy(evaluation);
    crd_sequences *one;
    assert_done(crd_sequences_select(all.sequences, &first, 1, &one, &error), error);
    assert_int_equal(
        crd_sequence_validate(one, crd_text_of("s"), settings, NULL, NULL, NULL, NULL, &evaluation, &error),
        CRD_ERROR_EMPTY);
    crd_sequences_destroy(one);
    close_text(&all);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
}

/* Each sequence counts once, by its first label; one without a label not at all. */
static void classes_of_whole_sequences_are_judged(void **state) {
    (void)state;
    enum { SEQUENCES = 5, ROWS_OF_FOLDS = 4 };
    static const char text[] = "id,x,s\na,1,P\na,2,P\nb,8,Q\nb,9,\nc,1.5,\nc,2.5,P\nd,8.5,Q\nd,7.5,Q\ne,2,\ne,8,\n";
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_settings *settings = sequence_settings(context);
    read_text all = read_sequences(context, text);
    const crd_text classes[2] = {{"P", 1}, {"Q", 1}};
    double posteriors[SEQUENCES * 2], loss = 0;
    crd_model *model;
    crd_sequence_classifier *classifier;
    crd_evaluation *evaluation;
    crd_scores *scores;
    crd_totals totals = CRD_TOTALS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    uint64_t unlabeled = 0;
    uint32_t folds[SEQUENCES];
    crd_error error;
    assert_done(crd_settings_set(settings, "states", crd_text_of("1"), &error), error);
    assert_done(crd_sequence_classes_train(all.sequences, settings, NULL, &model, &error), error);
    assert_done(crd_sequence_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(crd_evaluation_create(context, classes, 2, &evaluation, &error), error);
    assert_done(crd_sequence_classifier_evaluate(classifier, all.sequences, 1, evaluation, &unlabeled, &error), error);
    assert_done(crd_sequence_classifier_posteriors(classifier, all.sequences, 1, NULL, posteriors, NULL, &error),
                error);
    static const size_t truths[ROWS_OF_FOLDS] = {0, 1, 0, 1};
    for (size_t i = 0; i < ROWS_OF_FOLDS; i++) loss -= posteriors[i * 2 + truths[i]];
    assert_done(crd_scores_create(evaluation, &scores, &error), error);
    crd_scores_totals(scores, &totals);
    assert_true(totals.rows == ROWS_OF_FOLDS && unlabeled == 1 && totals.accuracy == 1);
    assert_near(totals.log_loss, loss / ROWS_OF_FOLDS, 1e-12);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    /* Two folds, each with a sequence of either class. */
    split.folds = 2;
    assert_done(crd_sequence_classes_validate(all.sequences, settings, NULL, &split, 1, folds, &evaluation, &error),
                error);
    assert_true(folds[4] == CRD_NO_FOLD && folds[0] != folds[2] && folds[1] != folds[3]);
    assert_done(crd_scores_create(evaluation, &scores, &error), error);
    crd_scores_totals(scores, &totals);
    assert_true(totals.rows == ROWS_OF_FOLDS && totals.accuracy == 1);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_sequence_classifier_destroy(classifier);
    crd_model_destroy(model);
    close_text(&all);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_judged_on_other_sequences),
        cmocka_unit_test(folds_are_answered_by_models_of_the_others),
        cmocka_unit_test(classes_of_whole_sequences_are_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
