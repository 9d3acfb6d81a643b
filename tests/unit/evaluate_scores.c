/* SPDX-License-Identifier: MIT */
/* Scores of answers: against scikit-learn's on the same predictions, against their definitions, and at their edges. */
#include "evaluate/evaluation.h"
#include "model_support.h"

static crd_context *context_of_test(void) {
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    return context;
}

static crd_evaluation *evaluation_of(crd_context *context, const char *const *names, size_t count) {
    crd_text classes[16];
    crd_evaluation *evaluation;
    crd_error error;
    for (size_t i = 0; i < count; i++) classes[i] = crd_text_of(names[i]);
    assert_done(crd_evaluation_create(context, classes, count, &evaluation, &error), error);
    return evaluation;
}

static crd_row_score add_row(crd_evaluation *evaluation, const double *probabilities, size_t count, const char *truth) {
    double logs[16];
    crd_row_score credit = CRD_ROW_SCORE_INIT;
    crd_error error;
    for (size_t k = 0; k < count; k++) logs[k] = probabilities[k] == 0 ? -INFINITY : log(probabilities[k]);
    assert_done(crd_evaluation_add(evaluation, logs, crd_text_of(truth), 1, &credit, &error), error);
    return credit;
}

static crd_scores *scores_of(const crd_evaluation *evaluation) {
    crd_scores *scores;
    crd_error error;
    assert_done(crd_scores_create(evaluation, &scores, &error), error);
    return scores;
}

static crd_totals totals_of(const crd_scores *scores) {
    crd_totals totals = CRD_TOTALS_INIT;
    crd_scores_totals(scores, &totals);
    return totals;
}

static crd_class_scores class_of(const crd_scores *scores, size_t k) {
    const crd_class_scores class = scores->classes[k];
    return class;
}

static const char *const abc[] = {"a", "b", "c"};

/* ---- The same predictions, scored by scikit-learn 1.9.1: accuracy_score, log_loss, brier_score_loss with
 * scale_by_half=False, roc_auc_score with multi_class="ovr", precision_recall_fscore_support, confusion_matrix,
 * balanced_accuracy_score, f1_score, matthews_corrcoef, cohen_kappa_score. The tolerance is the rounding of sums of
 * fifteen terms. ---- */

static const double predictions[15][3] = {{.7, .2, .1}, {.5, .3, .2},   {.2, .6, .2},   {.1, .6, .3}, {.2, .2, .6},
                                          {.3, .3, .4}, {.05, .05, .9}, {.6, .3, .1},   {.2, .5, .3}, {.7, .1, .2},
                                          {.1, .8, .1}, {.3, .1, .6},   {.25, .15, .6}, {.5, .2, .3}, {.05, .7, .25}};
static const int truths[15] = {0, 0, 1, 0, 2, 1, 2, 1, 1, 0, 1, 2, 0, 2, 1};

static void scores_equal_those_of_another_package(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    for (size_t i = 0; i < 15; i++) add_row(evaluation, predictions[i], 3, abc[truths[i]]);
    crd_scores *scores = scores_of(evaluation);
    crd_totals totals = totals_of(scores);
    assert_int_equal(totals.rows, 15);
    assert_near(totals.accuracy, 0.6666666666666666, 1e-15);
    assert_near(totals.baseline, 0.4, 1e-15);
    assert_near(totals.log_loss, 0.7745398665531894, 1e-14);
    assert_near(totals.brier, 0.43966666666666665, 1e-14);
    assert_near(totals.auc, 0.8552525252525252, 1e-15);
    assert_near(totals.ece, 0.18000000000000005, 1e-14);
    assert_near(totals.balanced_accuracy, 0.6722222222222222, 1e-15);
    assert_near(totals.macro_f1, 0.6646464646464646, 1e-15);
    assert_near(totals.weighted_f1, 0.6686868686868687, 1e-15);
    assert_near(totals.mcc, 0.5033670414105182, 1e-15);
    assert_near(totals.kappa, 0.5, 1e-15);
    static const double wanted[3][4] = {{0.6, 0.6, 0.6, 0.74},
                                        {0.8, 0.6666666666666666, 0.7272727272727273, 0.9166666666666666},
                                        {0.6, 0.75, 0.6666666666666666, 0.909090909090909}};
    static const uint64_t confusion[3][3] = {{3, 1, 1}, {1, 4, 1}, {1, 0, 3}};
    for (size_t k = 0; k < 3; k++) {
        crd_class_scores class_scores = class_of(scores, k);
        assert_near(class_scores.precision, wanted[k][0], 1e-15);
        assert_near(class_scores.recall, wanted[k][1], 1e-15);
        assert_near(class_scores.f1, wanted[k][2], 1e-15);
        assert_near(class_scores.auc, wanted[k][3], 1e-15);
        for (size_t named = 0; named < 3; named++)
            assert_int_equal(crd_scores_confusion_weight(scores, k, named), confusion[k][named]);
    }
    /* scipy 1.18.1: binomtest(10, 15).proportion_ci(method="wilson"); mean -+ 1.96 sem of each row's loss. */
    static const double intervals[3][2] = {{0.41713547738519774, 0.8482367556028528},
                                           {0.4794596164380024, 1.0696201166683763},
                                           {0.24766481247865818, 0.6316685208546751}};
    double low, high;
    for (crd_measure m = CRD_MEASURE_ACCURACY; m <= CRD_MEASURE_BRIER; m++) {
        assert_true(crd_scores_interval(scores, m, &low, &high));
        assert_near(low, intervals[m][0], 1e-14);
        assert_near(high, intervals[m][1], 1e-14);
    }
    assert_false(crd_scores_interval(scores, CRD_MEASURE_AUC, &low, &high));
    crd_frequency_interval(1, 0, &low, &high);
    assert_true(isnan(low) && isnan(high));
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

/* The same rows with weights, sample_weight there. */
static void weighted_agreement_equals_that_of_another_package(void **state) {
    (void)state;
    static const double weights[15] = {1, 2, .5, 3, 1, 1, .25, 2, 1, 1, 4, 1, 1.5, 1, 2};
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    crd_error error;
    for (size_t i = 0; i < 15; i++) {
        double logs[3];
        for (size_t k = 0; k < 3; k++) logs[k] = log(predictions[i][k]);
        assert_done(crd_evaluation_add(evaluation, logs, crd_text_of(abc[truths[i]]), weights[i], NULL, &error), error);
    }
    crd_scores *scores = scores_of(evaluation);
    crd_totals totals = totals_of(scores);
    assert_near(totals.balanced_accuracy, 0.6257272139625081, 1e-15);
    assert_near(totals.macro_f1, 0.5976382488479263, 1e-15);
    assert_near(totals.weighted_f1, 0.6164144617615078, 1e-15);
    assert_near(totals.mcc, 0.3925890011105292, 1e-15);
    assert_near(totals.kappa, 0.38967325534489716, 1e-15);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

static double top_accuracy(const crd_evaluation *evaluation, size_t k) {
    double accuracy;
    crd_error error;
    assert_done(crd_evaluation_top_accuracy(evaluation, k, &accuracy, &error), error);
    return accuracy;
}

/* Places that tie are shared: where two classes tie behind the first, each is in the second place half the time. */
static void places_that_tie_are_shared(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    crd_error error;
    double none;
    assert_true(isnan(top_accuracy(evaluation, 1)));
    for (size_t i = 0; i < 15; i++) add_row(evaluation, predictions[i], 3, abc[truths[i]]);
    crd_scores *scores = scores_of(evaluation);
    assert_near(top_accuracy(evaluation, 1), totals_of(scores).accuracy, 1e-15);
    /* top_k_accuracy_score is 14/15, with the row {.3, .3, .4} of class b as one that is in. */
    assert_near(top_accuracy(evaluation, 2), 13.5 / 15, 1e-15);
    assert_near(top_accuracy(evaluation, 3), 1, 0);
    add_row(evaluation, (const double[]){1, 0, 0}, 3, "b"); /* a class at zero is in no place */
    add_row(evaluation, (const double[]){1, 0, 0}, 3, "new");
    assert_near(top_accuracy(evaluation, 3), 15. / 17, 1e-15);
    assert_int_equal(crd_evaluation_top_accuracy(evaluation, 0, &none, &error), CRD_ERROR_ARGUMENT);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

/* Nothing to correlate is 0, and chance that is always right leaves nothing beyond it. */
static void constant_answers_have_no_correlation(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    for (size_t i = 0; i < 3; i++) add_row(evaluation, (const double[]){.5, .25, .25}, 3, "a");
    crd_scores *scores = scores_of(evaluation);
    assert_true(totals_of(scores).mcc == 0 && isnan(totals_of(scores).kappa));
    crd_scores_destroy(scores);
    add_row(evaluation, (const double[]){.5, .25, .25}, 3, "b");
    scores = scores_of(evaluation);
    assert_true(totals_of(scores).mcc == 0 && totals_of(scores).kappa == 0);
    assert_near(totals_of(scores).balanced_accuracy, .5, 0);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

/* Each fold has the scores of its rows alone, and the spread is that of these. */
static void folds_have_scores_of_their_own(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *whole = evaluation_of(context, abc, 3), *alone[3];
    crd_fold_scores *folds;
    crd_error error;
    double values[3], sum = 0, squares = 0;
    for (size_t f = 0; f < 3; f++) alone[f] = evaluation_of(context, abc, 3);
    for (size_t i = 0; i < 15; i++) {
        crd_i_evaluation_set_fold(whole, (uint32_t)(2 * (i % 3)));
        add_row(whole, predictions[i], 3, abc[truths[i]]);
        add_row(alone[i % 3], predictions[i], 3, abc[truths[i]]);
    }
    crd_i_evaluation_set_fold(whole, CRD_NO_FOLD);
    add_row(whole, predictions[0], 3, "c");
    assert_done(crd_fold_scores_create(whole, &folds, &error), error);
    assert_int_equal(folds->count, 3);
    for (size_t f = 0; f < 3; f++) {
        crd_scores *scores = scores_of(alone[f]);
        crd_totals wanted = totals_of(scores), got = CRD_TOTALS_INIT;
        got = folds->totals[f];
        assert_memory_equal(&got, &wanted, sizeof got);
        assert_int_equal(folds->folds[f], 2 * f);
        values[f] = crd_totals_measure(&wanted, CRD_MEASURE_LOG_LOSS);
        assert_true(values[f] == wanted.log_loss);
        sum += values[f];
        crd_scores_destroy(scores);
    }
    for (size_t f = 0; f < 3; f++) squares += (values[f] - sum / 3) * (values[f] - sum / 3);
    crd_spread spread = folds->spreads[CRD_MEASURE_LOG_LOSS];
    assert_int_equal(spread.folds, 3);
    assert_near(spread.mean, sum / 3, 1e-15);
    assert_near(spread.deviation, sqrt(squares / 2), 1e-15);
    assert_string_equal(crd_measure_name(CRD_MEASURE_KAPPA), "kappa");
    crd_fold_scores_destroy(folds);
    for (size_t f = 0; f < 3; f++) crd_evaluation_destroy(alone[f]);
    crd_evaluation_destroy(whole);
    crd_context_destroy(context);
}

static void confusions_come_by_their_rows(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    crd_confusion pairs[4];
    for (size_t i = 0; i < 15; i++) add_row(evaluation, predictions[i], 3, abc[truths[i]]);
    add_row(evaluation, (const double[]){.1, .1, .8}, 3, "b");
    crd_scores *scores = scores_of(evaluation);
    assert_int_equal(crd_scores_confusions(scores, NULL, 0), 5);
    assert_int_equal(crd_scores_confusions(scores, pairs, 3), 5);
    static const size_t wanted[3][2] = {{1, 2}, {0, 1}, {0, 2}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pairs[i].truth, wanted[i][0]);
        assert_int_equal(pairs[i].named, wanted[i][1]);
        assert_near(pairs[i].weight, i == 0 ? 2 : 1, 0);
    }
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

/* Our own classifier's answers on iris, its training rows, written by the command and scored by the same package. The
 * tolerance leaves room for posteriors that a later rounding moves in their last digits. */
static void iris_scores_as_another_package_says(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_error error;
    const char *path = CREDENCE_EXAMPLES "/iris.csv";
    char *text = file_text(path);
    crd_model *model = trained(context, text, "species");
    crd_classifier *classifier;
    crd_posteriors *posteriors;
    crd_reader *reader;
    const crd_frame *frame;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(crd_model_bind(model, reader, &error), error);
    assert_done(crd_reader_next(reader, &frame, &error), error);
    assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
    crd_text classes[3];
    for (size_t k = 0; k < 3; k++) classes[k] = crd_classifier_class(classifier, k);
    crd_evaluation *evaluation;
    assert_done(crd_evaluation_create(context, classes, 3, &evaluation, &error), error);
    for (size_t row = 0; row < crd_frame_rows(frame); row++)
        assert_done(crd_evaluation_add(evaluation, crd_posteriors_log(posteriors, row),
                                       crd_frame_value(frame, row, 4).text, 1, NULL, &error),
                    error);
    crd_scores *scores = scores_of(evaluation);
    crd_totals totals = totals_of(scores);
    assert_int_equal(totals.rows, 150);
    assert_near(totals.accuracy, 0.9533333333333334, 1e-13);
    assert_near(totals.log_loss, 0.11448594586886474, 1e-13);
    assert_near(totals.brier, 0.06869216599882705, 1e-13);
    assert_near(totals.auc, 0.9946666666666667, 1e-13);
    assert_near(class_of(scores, 1).precision, 0.9215686274509803, 1e-13);
    assert_near(class_of(scores, 1).f1, 0.9306930693069307, 1e-13);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_reader_close(reader);
    crd_posteriors_destroy(posteriors);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    free(text);
    crd_context_destroy(context);
}

/* ---- Definitions ---- */

static uint64_t random_state = 5;

static uint64_t random_bits(void) {
    uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

enum { ROWS = 300 };

/* Probabilities of few values, so that many tie, some of them zero. */
static void draw(double probabilities[ROWS][3], int *truth) {
    for (size_t i = 0; i < ROWS; i++) {
        double a = (double)(random_bits() % 9) / 8, b = (1 - a) * ((double)(random_bits() % 5) / 4);
        double row[3] = {a, b, 1 - a - b};
        memcpy(probabilities[i], row, sizeof row);
        truth[i] = (int)(random_bits() % 3);
    }
}

static void auc_is_the_share_of_pairs_in_order(void **state) {
    (void)state;
    static double probabilities[ROWS][3];
    static int truth[ROWS];
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    draw(probabilities, truth);
    for (size_t i = 0; i < ROWS; i++) add_row(evaluation, probabilities[i], 3, abc[truth[i]]);
    crd_scores *scores = scores_of(evaluation);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double won = 0, pairs = 0;
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < ROWS; j++) {
                if (truth[i] != k || truth[j] == k) continue;
                pairs++;
                won += probabilities[i][k] > probabilities[j][k]    ? 1
                       : probabilities[i][k] == probabilities[j][k] ? .5
                                                                    : 0;
            }
        assert_near(class_of(scores, (size_t)k).auc, won / pairs, 1e-15);
        sum += won / pairs;
    }
    assert_near(totals_of(scores).auc, sum / 3, 1e-15);
    assert_int_equal(totals_of(scores).auc_classes, 3);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

/* Of two classes the curve of one is the curve of the other, though probabilities near 1 tie by rounding. */
static void two_classes_have_one_auc(void **state) {
    (void)state;
    static const char *const names[] = {"no", "yes"};
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, names, 2);
    crd_error error;
    for (int i = 0; i < 20; i++) {
        double small = -50 - i, logs[2] = {i % 2 ? 0 : small, i % 2 ? small : 0};
        assert_done(crd_evaluation_add(evaluation, logs, crd_text_of(names[i % 3 == 0]), 1, NULL, &error), error);
    }
    crd_scores *scores = scores_of(evaluation);
    assert_true(class_of(scores, 0).auc == class_of(scores, 1).auc);
    assert_true(totals_of(scores).auc == class_of(scores, 1).auc);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

/* A class that was at zero in every row of its own, as one that leaves with its only row, has no area and is not in the
 * mean; one that was not in some has. Of two classes neither has then. */
static void classes_at_zero_in_all_their_rows_have_no_auc(void **state) {
    (void)state;
    static const double rows[][3] = {{0.8, 0.2, 0}, {0.6, 0.3, 0.1}, {0, 0.9, 0.1}, {0.3, 0.7, 0}, {0.5, 0.5, 0}};
    static const char *const classes[] = {"a", "a", "a", "b", "c"};
    crd_context *context = context_of_test();
    crd_evaluation *three = evaluation_of(context, abc, 3), *two = evaluation_of(context, abc, 2);
    for (size_t i = 0; i < 5; i++) add_row(three, rows[i], 3, classes[i]);
    crd_scores *scores = scores_of(three);
    assert_near(class_of(scores, 0).auc, 4.0 / 6, 1e-15);
    assert_near(class_of(scores, 1).auc, 3.0 / 4, 1e-15);
    assert_true(isnan(class_of(scores, 2).auc));
    assert_int_equal(totals_of(scores).auc_classes, 2);
    assert_near(totals_of(scores).auc, (4.0 / 6 + 3.0 / 4) / 2, 1e-15);
    crd_scores_destroy(scores);
    add_row(two, (const double[]){0, 1}, 2, "a");
    add_row(two, (const double[]){0.5, 0.5}, 2, "b");
    scores = scores_of(two);
    assert_true(isnan(class_of(scores, 0).auc) && isnan(class_of(scores, 1).auc) && isnan(totals_of(scores).auc));
    crd_scores_destroy(scores);
    crd_evaluation_destroy(three);
    crd_evaluation_destroy(two);
    crd_context_destroy(context);
}

static void order_of_rows_does_not_matter(void **state) {
    (void)state;
    static double probabilities[ROWS][3];
    static int truth[ROWS];
    static const char *const names[] = {"a", "b", "c", "10", "9"};
    crd_context *context = context_of_test();
    crd_evaluation *forth = evaluation_of(context, abc, 3), *back = evaluation_of(context, abc, 3);
    draw(probabilities, truth);
    for (size_t i = 0; i < ROWS; i++) {
        size_t j = ROWS - 1 - i;
        add_row(forth, probabilities[i], 3, names[truth[i] + (i % 50 < 2 ? 2 : 0)]);
        add_row(back, probabilities[j], 3, names[truth[j] + (j % 50 < 2 ? 2 : 0)]);
    }
    crd_scores *a = scores_of(forth), *b = scores_of(back);
    crd_totals one = totals_of(a), other = totals_of(b);
    assert_memory_equal(&one, &other, sizeof one);
    assert_int_equal(a->class_count, b->class_count);
    for (size_t k = 0; k < a->class_count; k++) {
        const crd_class_scores *x = &a->classes[k], *y = &b->classes[k];
        assert_true(crd_text_equal(x->name, y->name) && x->can_be_predicted == y->can_be_predicted);
        assert_memory_equal(&x->support, &y->support, sizeof *x - offsetof(crd_class_scores, support));
    }
    crd_scores_destroy(a);
    crd_scores_destroy(b);
    crd_evaluation_destroy(forth);
    crd_evaluation_destroy(back);
    crd_context_destroy(context);
}

/* ---- Edges ---- */

static void classes_that_tie_share_the_credit(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    crd_row_score credit = add_row(evaluation, (const double[]){.2, .4, .4}, 3, "c");
    assert_int_equal(credit.decision, 1);
    assert_int_equal(credit.tied, 2);
    assert_near(credit.credit, .5, 0);
    credit = add_row(evaluation, (const double[]){1 / 3., 1 / 3., 1 / 3.}, 3, "b");
    assert_int_equal(credit.tied, 3);
    assert_near(credit.credit, 1 / 3., 1e-16);
    credit = add_row(evaluation, (const double[]){.2, .4, .4}, 3, "a");
    assert_near(credit.credit, 0, 0);
    /* Within the margin that rounding needs they tie, beyond it they do not. */
    credit = add_row(evaluation, (const double[]){.2, .4 * (1 - 1e-13), .4}, 3, "c");
    assert_int_equal(credit.decision, 1);
    assert_near(credit.credit, .5, 0);
    credit = add_row(evaluation, (const double[]){.2, .4 * (1 - 1e-11), .4}, 3, "c");
    assert_int_equal(credit.decision, 2);
    assert_near(credit.credit, 1, 0);
    crd_scores *scores = scores_of(evaluation);
    assert_near(totals_of(scores).accuracy, (.5 + 1 / 3. + 0 + .5 + 1) / 5, 1e-15);
    /* The first of those tied is the one named. */
    assert_int_equal(crd_scores_confusion_weight(scores, 2, 1), 2);
    assert_int_equal(crd_scores_confusion_weight(scores, 1, 0), 1);
    assert_int_equal(crd_scores_confusion_weight(scores, 2, 2), 1);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

static void a_class_that_cannot_be_predicted_is_wrong_and_at_zero(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    add_row(evaluation, (const double[]){.5, .25, .25}, 3, "a");
    crd_row_score credit = add_row(evaluation, (const double[]){.5, .25, .25}, 3, "10");
    assert_int_equal(credit.decision, 0);
    assert_near(credit.credit, 0, 0);
    add_row(evaluation, (const double[]){.25, .5, .25}, 3, "9");
    crd_scores *scores = scores_of(evaluation);
    crd_totals totals = totals_of(scores);
    assert_int_equal(totals.zero_rows, 2);
    assert_true(totals.log_loss == INFINITY);
    assert_near(totals.accuracy, 1 / 3., 1e-16);
    assert_near(totals.brier, (.375 + 1.375 + 1.375) / 3, 1e-15);
    assert_int_equal(scores->class_count, 5);
    assert_true(crd_text_equal(scores->classes[3].name, crd_text_of("9")));
    assert_true(crd_text_equal(scores->classes[4].name, crd_text_of("10")));
    assert_int_equal(crd_scores_confusion_weight(scores, 4, 0), 1);
    assert_int_equal(crd_scores_confusion_weight(scores, 3, 1), 1);
    assert_int_equal(crd_scores_confusion_weight(scores, 0, 4), 0);
    crd_class_scores ten = class_of(scores, 4);
    assert_int_equal(ten.can_be_predicted, 0);
    assert_int_equal(ten.support, 1);
    assert_int_equal(ten.zero_rows, 1);
    assert_true(isnan(ten.precision) && isnan(ten.auc));
    assert_near(ten.recall, 0, 0);
    /* b and c have no rows, 9 and 10 no probabilities: a alone can be ranked. */
    assert_int_equal(totals.auc_classes, 1);
    assert_true(totals.auc == class_of(scores, 0).auc);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

static void no_answer_is_wrong_and_in_no_column(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    crd_row_score credit = add_row(evaluation, (const double[]){0, 0, 0}, 3, "a");
    assert_int_equal(credit.decision, -1);
    assert_int_equal(credit.tied, 0);
    assert_true(isnan(credit.probability));
    assert_near(credit.credit, 0, 0);
    add_row(evaluation, (const double[]){.5, .5, 0}, 3, "a");
    add_row(evaluation, (const double[]){.5, .5, 0}, 3, "c");
    crd_scores *scores = scores_of(evaluation);
    crd_totals totals = totals_of(scores);
    assert_int_equal(totals.undecided, 1);
    assert_int_equal(totals.zero_rows, 2);
    assert_true(totals.log_loss == INFINITY);
    assert_near(totals.brier, (1 + .5 + 1.5) / 3, 1e-15);
    assert_near(totals.accuracy, .5 / 3, 1e-16);
    assert_int_equal(crd_scores_confusion_weight(scores, 0, 0) + crd_scores_confusion_weight(scores, 0, 1) +
                         crd_scores_confusion_weight(scores, 0, 2),
                     1);
    assert_int_equal(class_of(scores, 0).support, 2);
    assert_int_equal(class_of(scores, 0).zero_rows, 1);
    assert_int_equal(class_of(scores, 2).zero_rows, 1);
    uint64_t binned = 0;
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) binned += scores->bins[i].rows;
    assert_int_equal(binned, 2);
    assert_near(totals.ece, .25, 1e-16); /* two rows at .5, half a credit between them */
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

/* A bin takes its lower end and not its upper one, but 1. */
static void bins_hold_their_lower_end(void **state) {
    (void)state;
    static const char *const names[] = {"no", "yes"};
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, names, 2);
    crd_error error;
    double certain[2] = {0, -INFINITY}, beyond[2] = {1e-12, -800};
    add_row(evaluation, (const double[]){.5, .5}, 2, "no");
    add_row(evaluation, (const double[]){.75, .25}, 2, "no");
    assert_done(crd_evaluation_add(evaluation, certain, crd_text_of("no"), 1, NULL, &error), error);
    assert_done(crd_evaluation_add(evaluation, beyond, crd_text_of("no"), 1, NULL, &error), error);
    crd_scores *scores = scores_of(evaluation);
    static const uint64_t wanted[CRD_CALIBRATION_BINS] = {0, 0, 0, 0, 0, 1, 0, 1, 0, 2};
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) {
        crd_calibration_bin bin = scores->bins[i];
        assert_int_equal(bin.rows, wanted[i]);
        assert_true(wanted[i] > 0 || (isnan(bin.probability) && isnan(bin.accuracy)));
    }
    assert_near(scores->bins[9].probability, 1, 0);
    assert_near(scores->bins[5].accuracy, .5, 0);
    assert_true(totals_of(scores).log_loss >= 0);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

static void nothing_to_score_is_not_a_number(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    crd_scores *scores = scores_of(evaluation);
    crd_totals totals = totals_of(scores);
    assert_int_equal(totals.rows, 0);
    assert_true(isnan(totals.accuracy) && isnan(totals.log_loss) && isnan(totals.brier) && isnan(totals.auc));
    assert_true(isnan(totals.baseline) && isnan(totals.ece));
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

static void what_is_no_probability_is_refused_and_changes_nothing(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    crd_error error;
    static const double wrong[][3] = {{NAN, -1, -1}, {-1, 0.5, -1}, {-1, -1, INFINITY}};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(crd_evaluation_add(evaluation, wrong[i], crd_text_of("new"), 1, NULL, &error),
                         CRD_ERROR_ARGUMENT);
    crd_scores *scores = scores_of(evaluation);
    assert_int_equal(totals_of(scores).rows, 0);
    assert_int_equal(scores->class_count, 3);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_text twice[2] = {crd_text_of("a"), crd_text_of("a")};
    assert_int_equal(crd_evaluation_create(context, twice, 2, &evaluation, &error), CRD_ERROR_ARGUMENT);
    assert_null(evaluation);
    assert_int_equal(crd_evaluation_create(context, twice, 0, &evaluation, NULL), CRD_ERROR_ARGUMENT);
    crd_context_destroy(context);
}

/* A caller compiled with a shorter struct gets no more than that. */
/* Rows times many classes are not kept beyond a bound, and what needs no ranks is the same. */
static void many_rows_of_many_classes_are_not_ranked(void **state) {
    (void)state;
    enum { CLASSES = 1 << 13, MANY = (1 << 12) + 1 };
    crd_context *context = context_of_test();
    char(*names)[8] = malloc(CLASSES * sizeof *names);
    crd_text *classes = malloc(CLASSES * sizeof *classes);
    double *logs = malloc(CLASSES * sizeof *logs);
    for (size_t k = 0; k < CLASSES; k++) {
        snprintf(names[k], sizeof names[k], "c%zu", k);
        classes[k] = crd_text_of(names[k]);
        logs[k] = log(.5 / (CLASSES - 1));
    }
    crd_evaluation *evaluation;
    crd_error error;
    assert_done(crd_evaluation_create(context, classes, CLASSES, &evaluation, &error), error);
    for (size_t i = 0; i < MANY; i++) {
        size_t named = i % CLASSES, truth = i % 4 == 0 ? (named + 1) % CLASSES : named;
        logs[named] = log(.5);
        assert_done(crd_evaluation_add(evaluation, logs, classes[truth], 1, NULL, &error), error);
        logs[named] = log(.5 / (CLASSES - 1));
    }
    crd_scores *scores = scores_of(evaluation);
    crd_totals totals = CRD_TOTALS_INIT;
    crd_scores_totals(scores, &totals);
    assert_true(totals.is_unranked && isnan(totals.auc) && totals.auc_classes == 0);
    size_t wrong = (MANY + 3) / 4;
    assert_near(totals.accuracy, 1 - (double)wrong / MANY, 1e-12);
    double others = .25 / (CLASSES - 1), missed = .5 / (CLASSES - 1);
    double brier_wrong = .25 + others - missed * missed + (1 - missed) * (1 - missed);
    assert_near(totals.brier, (brier_wrong * (double)wrong + (.25 + others) * (double)(MANY - wrong)) / MANY, 1e-12);
    crd_curve *curve;
    assert_int_equal(crd_curve_create(evaluation, 0, &curve, &error), CRD_ERROR_LIMIT);
    assert_null(curve);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
    free(logs);
    free(classes);
    free(names);
}

static void shorter_structs_are_not_overrun(void **state) {
    (void)state;
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    add_row(evaluation, (const double[]){.5, .25, .25}, 3, "a");
    crd_scores *scores = scores_of(evaluation);
    crd_totals totals = CRD_TOTALS_INIT;
    totals.size = offsetof(crd_totals, zero_rows);
    totals.zero_rows = 77;
    crd_scores_totals(scores, &totals);
    assert_int_equal(totals.rows, 1);
    assert_int_equal(totals.zero_rows, 77);
    assert_int_equal(totals.size, offsetof(crd_totals, zero_rows));
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

/* Scores are made of the probabilities that are given, not of the logarithms beside them. */
static void probabilities_are_taken_as_given(void **state) {
    (void)state;
    static const double given[] = {.5, .25, .25},
                        wrong[][3] = {{.5, NAN, .5}, {.5, -.1, .6}, {0, 0, 1.0000000000000002}};
    const double logs[] = {log(.6), log(.2), log(.2)};
    crd_context *context = context_of_test();
    crd_evaluation *evaluation = evaluation_of(context, abc, 3);
    crd_row_score credit = CRD_ROW_SCORE_INIT;
    crd_error error;
    for (size_t i = 0; i < 3; i++) {
        crd_status status =
            crd_i_evaluation_add_probabilities(evaluation, logs, wrong[i], crd_text_of("a"), 1, &credit, &error);
        assert_int_equal(status, CRD_ERROR_ARGUMENT);
        assert_int_equal(credit.decision, -1);
    }
    assert_done(crd_i_evaluation_add_probabilities(evaluation, logs, given, crd_text_of("a"), 1, &credit, &error),
                error);
    assert_true(credit.decision == 0 && credit.probability == .5);
    crd_scores *scores = scores_of(evaluation);
    assert_true(totals_of(scores).brier == .25 + 2 * .0625);
    assert_true(totals_of(scores).log_loss == -logs[0]);
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_equal_those_of_another_package),
        cmocka_unit_test(weighted_agreement_equals_that_of_another_package),
        cmocka_unit_test(places_that_tie_are_shared),
        cmocka_unit_test(constant_answers_have_no_correlation),
        cmocka_unit_test(folds_have_scores_of_their_own),
        cmocka_unit_test(confusions_come_by_their_rows),
        cmocka_unit_test(iris_scores_as_another_package_says),
        cmocka_unit_test(auc_is_the_share_of_pairs_in_order),
        cmocka_unit_test(two_classes_have_one_auc),
        cmocka_unit_test(classes_at_zero_in_all_their_rows_have_no_auc),
        cmocka_unit_test(order_of_rows_does_not_matter),
        cmocka_unit_test(classes_that_tie_share_the_credit),
        cmocka_unit_test(a_class_that_cannot_be_predicted_is_wrong_and_at_zero),
        cmocka_unit_test(no_answer_is_wrong_and_in_no_column),
        cmocka_unit_test(bins_hold_their_lower_end),
        cmocka_unit_test(nothing_to_score_is_not_a_number),
        cmocka_unit_test(what_is_no_probability_is_refused_and_changes_nothing),
        cmocka_unit_test(probabilities_are_taken_as_given),
        cmocka_unit_test(many_rows_of_many_classes_are_not_ranked),
        cmocka_unit_test(shorter_structs_are_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
