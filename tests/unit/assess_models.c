/* SPDX-License-Identifier: MIT */
/* Assessments beside the calls that they are made of: the same scores, whatever becomes of single rows. */
#include "evaluate/cross_validation.h"
#include "evaluate/evaluation.h"
#include "evaluate/split.h"
#include "model_support.h"

#include "counted_fixture.h"

static const char TABLE[] =
    "x,c,w,y\n1,u,1,k\n2,v,2,l\n3,u,1,k\n5,v,0,l\n1.5,u,1,k\n4,u,3,?\n2.5,v,1,k\n3.5,v,1,l\n1,u,1,k\n"
    "5,v,2,l\n2,u,1,k\n4,v,1,l\n";

static crd_row_source *source_of(const char *text, const char *weight, crd_reader **reader) {
    crd_row_source *source;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), NULL, reader, &error), error);
    assert_done(crd_reader_select_target(*reader, crd_text_of("y"), &error), error);
    if (weight != NULL) assert_done(crd_reader_select_weight(*reader, crd_text_of(weight), &error), error);
    assert_done(crd_row_source_create(*reader, &source, &error), error);
    return source;
}

static crd_totals totals_of(const crd_evaluation *evaluation) {
    crd_totals totals = CRD_TOTALS_INIT;
    crd_scores *scores;
    crd_error error;
    assert_done(crd_scores_create(evaluation, &scores, &error), error);
    crd_scores_totals(scores, &totals);
    crd_scores_destroy(scores);
    return totals;
}

/* Row by row through the calls of cross-validation. */
static crd_totals cross_validate_by_hand(const crd_split_options *options) {
    crd_reader *reader;
    crd_row_source *source = source_of(TABLE, "w", &reader);
    crd_split *split;
    crd_i_cross_validation *validation;
    crd_posteriors *posteriors;
    crd_evaluation *evaluation;
    crd_text classes[2];
    const crd_frame *frame;
    crd_error error;
    assert_done(crd_i_split_create(context, options, &split, &error), error);
    assert_done(crd_i_cross_validation_create(context, crd_text_of("y"), NULL, &validation, &error), error);
    assert_done(crd_i_cross_validation_learn_all(validation, source, split, &error), error);
    for (size_t k = 0; k < 2; k++) classes[k] = crd_i_cross_validation_class(validation, k);
    assert_done(crd_evaluation_create(context, classes, 2, &evaluation, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_row_source_rewind(source, &error), error);
    assert_done(crd_i_row_source_take(source, &frame, &error), error);
    const uint32_t *folds = crd_i_split_tested(split);
    assert_done(crd_i_cross_validation_classify(validation, frame, folds, posteriors, &error), error);
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        if (folds[row] == CRD_NO_FOLD) continue;
        assert_done(crd_i_evaluation_add_probabilities(
                        evaluation, crd_posteriors_log(posteriors, row), crd_posteriors_probabilities(posteriors, row),
                        crd_frame_value(frame, row, 3).text, crd_frame_value(frame, row, 2).number, NULL, &error),
                    error);
    }
    crd_totals totals = totals_of(evaluation);
    crd_evaluation_destroy(evaluation);
    crd_posteriors_destroy(posteriors);
    crd_i_cross_validation_destroy(validation);
    crd_i_split_destroy(split);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    return totals;
}

/* Counts rows, and ends the run at one of them. */
typedef struct seen {
    uint64_t rows, last, stop;
} seen;

static int see_row(void *user, const crd_assessed_row *row) {
    seen *s = user;
    assert_true(row->row > s->last);
    assert_non_null(row->score);
    assert_null(row->decision);
    s->last = row->row;
    s->rows++;
    return row->row == s->stop;
}

static void test_folds_and_holdout(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        crd_reader *reader;
        crd_row_source *source = source_of(TABLE, "w", &reader);
        crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
        crd_assessment_facts facts;
        crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
        crd_assessment *assessment;
        seen s = {0};
        crd_error error;
        split.folds = 3;
        if (i == 1) assert_done(crd_split_hold_out(&split, .4, &error), error);
        assert_done(crd_assessment_of_folds(source, NULL, &split, NULL, &assessment, &error), error);
        assert_int_equal(crd_assessment_facts_of(assessment)->class_count, 2);
        assert_string_equal(crd_settings_get(crd_assessment_settings(assessment), "method"), "naive");
        options.each = see_row;
        options.user = &s;
        assert_done(crd_assessment_run(assessment, &options, &error), error);
        const crd_totals totals = totals_of(crd_assessment_evaluation(assessment)),
                         expected = cross_validate_by_hand(&split);
        assert_true(totals.log_loss == expected.log_loss && totals.weight == expected.weight &&
                    totals.ece == expected.ece);
        facts = *crd_assessment_facts_of(assessment);
        assert_int_equal(facts.rows, 12);
        assert_int_equal(facts.unlabeled, 1);
        assert_int_equal(facts.weightless, 1);
        assert_int_equal(facts.judged, s.rows);
        assert_true(facts.has_weights && (i == 1 || s.rows == 10));
        assert_int_equal(crd_assessment_run(assessment, NULL, &error), CRD_ERROR_ARGUMENT);
        crd_assessment_destroy(assessment);
        crd_row_source_destroy(source);
        crd_reader_close(reader);
    }
}

static void test_shares(void **state) {
    (void)state;
    static const struct {
        double share;
        uint32_t folds, held_out;
    } shares[] = {{.3, 10, 3}, {.5, 2, 1}, {.125, 8, 1}, {1. / 3, 3, 1}, {.999, 1000, 999}};
    crd_split_options options = CRD_SPLIT_OPTIONS_INIT;
    crd_error error;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        assert_done(crd_split_hold_out(&options, shares[i].share, &error), error);
        assert_int_equal(options.folds, shares[i].folds);
        assert_int_equal(options.held_out, shares[i].held_out);
    }
    static const double wrong[] = {0, 1, -.5, 1e-5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(crd_split_hold_out(&options, wrong[i], &error), CRD_ERROR_NUMBER);
}

static void test_leaving_one_out(void **state) {
    (void)state;
    crd_reader *reader;
    crd_row_source *source = source_of(TABLE, "w", &reader);
    crd_assessment *assessment;
    crd_error error;
    assert_int_equal(crd_assessment_leaving_one_out(source, NULL, &assessment, &error), CRD_ERROR_WEIGHT);
    assert_null(assessment);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    source = source_of(TABLE, NULL, &reader);
    assert_done(crd_assessment_leaving_one_out(source, NULL, &assessment, &error), error);
    seen s = {.stop = 5};
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    options.each = see_row;
    options.user = &s;
    assert_int_equal(crd_assessment_run(assessment, &options, &error), CRD_ERROR_CANCELLED);
    assert_int_equal(totals_of(crd_assessment_evaluation(assessment)).rows, 5);
    crd_assessment_destroy(assessment);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
}

/* A model on its own rows, on others, and on rows without labels. */
static void test_models(void **state) {
    (void)state;
    static const char UNLABELED[] = "x,c,w,y\n1,u,1,?\n";
    const char *const tables[] = {TABLE, "x,c,y\n1,u,k\n2,z,new\n", UNLABELED};
    crd_model *model = trained(context, TABLE, "y");
    crd_classifier *classifier = classifier_with(model, context, WITH("family", "gaussian"));
    for (size_t i = 0; i < 3; i++) {
        crd_reader *reader;
        crd_assessment *assessment;
        crd_assessment_facts facts;
        crd_error error;
        assert_done(open_text(context, tables[i], strlen(tables[i]), NULL, &reader, &error), error);
        assert_done(crd_assessment_of_model(model, classifier, reader, 0, &assessment, &error), error);
        const crd_status status = crd_assessment_run(assessment, NULL, &error);
        assert_int_equal(status, i == 2 ? CRD_ERROR_EMPTY : CRD_OK);
        facts = *crd_assessment_facts_of(assessment);
        assert_int_equal(facts.is_learned, i == 0);
        assert_int_equal(facts.unseen, i == 1);
        if (i == 1) assert_int_equal(totals_of(crd_assessment_evaluation(assessment)).zero_rows, 1);
        crd_assessment_destroy(assessment);
        crd_reader_close(reader);
    }
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void test_what_follows(void **state) {
    (void)state;
    crd_totals totals = CRD_TOTALS_INIT;
    totals.weight = 100;
    totals.baseline_log_loss = .5;
    static const struct {
        double log_loss;
        int expected;
    } losses[] = {{.7, 1}, {.59, 0}, {.54, 0}, {.3, 0}, {INFINITY, 0}, {NAN, 0}};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        totals.log_loss = losses[i].log_loss;
        assert_int_equal(crd_totals_is_overconfident(&totals), losses[i].expected);
    }
    /* An action for `k` is called as it is; for `l` the cheapest is taken. */
    const crd_text classes[] = {{"k", 1}, {"l", 1}}, actions[] = {{"k", 1}, {"ask", 3}, {"act", 3}};
    static const double values[] = {0, 2, 9, 7, 3, 1};
    crd_cost_table table = CRD_COST_TABLE_INIT;
    crd_curve_costs costs = CRD_CURVE_COSTS_INIT;
    crd_rule *rule, *reject;
    crd_error error;
    table.rows = classes;
    table.row_count = 2;
    table.actions = actions;
    table.action_count = 3;
    table.costs = values;
    assert_done(crd_rule_create_costs(context, classes, 2, &table, &rule, &error), error);
    assert_done(crd_rule_curve_costs(rule, 1, &costs, &error), error);
    assert_true(costs.true_positive == 1 && costs.false_positive == 9 && costs.false_negative == 7 &&
                costs.true_negative == 0);
    assert_done(crd_rule_create_reject(context, classes, 2, .5, crd_text_of("?"), &reject, &error), error);
    assert_int_equal(crd_rule_curve_costs(reject, 1, &costs, &error), CRD_ERROR_ARGUMENT);
    crd_rule_destroy(rule);
    crd_rule_destroy(reject);
}

static void test_labelings(void **state) {
    (void)state;
    static const char ROWS[] = "x,c,known\n1,u,a\n5,v,b\n1,u,a\n5,v,NA\n";
    crd_model *model = trained(context, TABLE, "y");
    crd_classifier *classifier = classifier_with(model, context, WITH("family", "gaussian"));
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader;
    crd_labeling *labeling;
    crd_labeling_scores scores = CRD_LABELING_SCORES_INIT;
    uint64_t unlabeled;
    crd_error error;
    options.keep_text = 1;
    assert_done(crd_reader_open_memory(context, ROWS, sizeof ROWS - 1, "rows", &options, &reader, &error), error);
    assert_done(crd_labeling_of_model(model, classifier, reader, 2, &labeling, &unlabeled, &error), error);
    assert_done(crd_labeling_score(labeling, &scores, &error), error);
    assert_int_equal(unlabeled, 1);
    assert_true(scores.rows == 3 && scores.adjusted_rand == 1);
    crd_labeling_destroy(labeling);
    crd_reader_close(reader);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_and_holdout), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_leaving_one_out),   cmocka_unit_test(test_models),
        cmocka_unit_test(test_what_follows),      cmocka_unit_test(test_labelings),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
