/* SPDX-License-Identifier: MIT */
/* Structs with a size field at the end of a page, behind which nothing may be read or written: each as a caller has it
 * that was compiled with the first version, and each cut down to the size field alone. Catches a call that takes a
 * caller's struct for one of the library's own size. */
#include "evaluate/decision_rule.h"
#include "evaluate/permutation_importance.h"
#include "model_support.h"
#include "network_support.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counted_fixture.h"

/* The size of a struct whose last field this was when it was first released. */
#define FIRST_SIZE(type, last)                                                                                         \
    ((offsetof(type, last) + sizeof(((type *)0)->last) + sizeof(size_t) - 1) / sizeof(size_t) * sizeof(size_t))
/* The first item of an array of `count` such structs, from `whole`, at the end of a page. */
#define AT_END(type, whole, size, count) ((type *)at_end(&(whole), sizeof(type), (size), (count)))

enum { MOST_PAGES = 256 };
static char *pages[MOST_PAGES];
static size_t page_count;

static void *at_end(const void *whole, size_t known, size_t size, size_t count) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int zeros = open("/dev/zero", O_RDWR);
    char *bytes = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
    close(zeros);
    assert_true(bytes != MAP_FAILED && page_count < MOST_PAGES && size * count <= page && size <= known);
    assert_int_equal(mprotect(bytes + page, page, PROT_NONE), 0);
    pages[page_count++] = bytes;
    char *cursor = bytes + page - size * count;
    memcpy(cursor, whole, size);
    memcpy(cursor, &size, sizeof size);
    return cursor;
}

static void give_back(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    while (page_count > 0) munmap(pages[--page_count], 2 * page);
}

static const char TABLE[] = "x,z,a,b,class\n1,2,u,p,k\n2,1,v,p,l\n3,4,u,q,k\n5,3,v,q,l\n1.5,2.5,u,q,k\n4,1,u,p,l\n"
                            "2.5,2,v,p,k\n3.5,4,v,q,l\n1,1,u,p,k\n5,4,v,q,l\n2,3,u,q,k\n4,2,v,p,l\n";

/* ---- Options ---- */

static void test_sequence_options(void **state) {
    (void)state;
    crd_sequence_options whole = CRD_SEQUENCE_OPTIONS_INIT;
    const size_t sizes[] = {FIRST_SIZE(crd_sequence_options, memory_bytes), sizeof(size_t)};
    whole.sequence = crd_text_of("a");
    for (size_t i = 0; i < 2; i++) {
        crd_reader *reader = NULL;
        crd_sequences *sequences = NULL;
        crd_error error;
        assert_done(crd_reader_open_memory(context, TABLE, 34, NULL, NULL, &reader, &error), error);
        const crd_sequence_options *given = AT_END(crd_sequence_options, whole, sizes[i], 1);
        assert_done(crd_sequences_read(reader, given, &sequences, &error), error);
        assert_int_equal(crd_sequences_count(sequences), i == 0 ? 2 : 1);
        crd_sequences_destroy(sequences);
        crd_reader_close(reader);
    }
    give_back();
}

static crd_status ignore_piece(void *user, const crd_decoded *piece, crd_error *error) {
    (void)user, (void)piece, (void)error;
    return CRD_OK;
}

static void test_decode_options(void **state) {
    (void)state;
    crd_decode_options whole = CRD_DECODE_OPTIONS_INIT;
    const size_t sizes[] = {FIRST_SIZE(crd_decode_options, threads), sizeof(size_t)};
    crd_sequences *sequences;
    crd_model *model;
    crd_hmm *hmm;
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, TABLE, strlen(TABLE), "class", &reader, &error), error);
    assert_done(crd_sequences_read(reader, NULL, &sequences, &error), error);
    crd_reader_close(reader);
    assert_done(crd_sequences_train(sequences, NULL, &model, NULL, &error), error);
    assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
    for (size_t i = 0; i < 2; i++)
        assert_done(
            crd_hmm_decode(hmm, sequences, AT_END(crd_decode_options, whole, sizes[i], 1), ignore_piece, NULL, &error),
            error);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    crd_sequences_destroy(sequences);
    give_back();
}

static void test_context_options(void **state) {
    (void)state;
    crd_context_options whole = CRD_CONTEXT_OPTIONS_INIT;
    const size_t sizes[] = {sizeof(size_t), FIRST_SIZE(crd_context_options, log_user)};
    for (size_t i = 0; i < 2; i++) {
        crd_context *new_context;
        assert_int_equal(crd_context_create(AT_END(crd_context_options, whole, sizes[i], 1), &new_context), CRD_OK);
        crd_context_destroy(new_context);
    }
    give_back();
}

static void test_comparison(void **state) {
    (void)state;
    crd_comparison_options whole = CRD_COMPARISON_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = 2;
    const size_t sizes[] = {sizeof(size_t), FIRST_SIZE(crd_comparison_options, progress_user)};
    const size_t split_sizes[] = {sizeof(size_t), FIRST_SIZE(crd_split_options, given_count)};
    for (size_t i = 0; i < 2; i++) {
        crd_reader *reader;
        crd_row_source *source;
        crd_comparison *comparison;
        crd_error error;
        whole.split = AT_END(crd_split_options, split, split_sizes[i], 1);
        assert_done(open_text(context, TABLE, sizeof TABLE - 1, "class", &reader, &error), error);
        assert_done(crd_row_source_create(reader, &source, &error), error);
        assert_done(
            crd_comparison_create(source, AT_END(crd_comparison_options, whole, sizes[i], 1), &comparison, &error),
            error);
        assert_int_equal(crd_split_fold_count(crd_comparison_split(comparison)), i == 0 ? 10 : 2);
        if (i == 1) assert_done(crd_comparison_run(comparison, &error), error);
        crd_comparison_result result = CRD_COMPARISON_RESULT_INIT, *cut_result;
        crd_recommendation recommendation = CRD_RECOMMENDATION_INIT, *cut_recommendation;
        crd_column_check check = CRD_COLUMN_CHECK_INIT, *cut_check;
        cut_result = AT_END(crd_comparison_result, result, FIRST_SIZE(crd_comparison_result, status), 1);
        cut_recommendation = AT_END(crd_recommendation, recommendation, FIRST_SIZE(crd_recommendation, candidate), 1);
        cut_check = AT_END(crd_column_check, check, FIRST_SIZE(crd_column_check, cells), 1);
        crd_comparison_result_at(comparison, 0, cut_result);
        crd_comparison_recommendation(comparison, cut_recommendation);
        crd_summary_check_column(crd_comparison_summary(comparison), 0, cut_check);
        assert_string_equal(cut_result->name, "naive");
        assert_near(cut_check->cells, 12, 0);
        crd_comparison_destroy(comparison);
        crd_row_source_destroy(source);
        crd_reader_close(reader);
    }
    give_back();
}

static crd_status work_on(void *user, unsigned slot, const crd_worker *worker, const crd_frame *frame,
                          crd_error *error) {
    (void)user, (void)slot, (void)worker, (void)frame, (void)error;
    return CRD_OK;
}

static crd_status take(void *user, unsigned slot, crd_error *error) {
    (void)slot, (void)error;
    ++*(unsigned *)user;
    return CRD_OK;
}

static void test_readers(void **state) {
    (void)state;
    char path[] = "/tmp/credence-sizes-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, TABLE, sizeof TABLE - 1) == sizeof TABLE - 1);
    close(file);
    const char *const paths[] = {path};
    crd_reader_options whole = CRD_READER_OPTIONS_INIT;
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    unsigned taken = 0;
    map.user = &taken;
    map.work = work_on;
    map.take = take;
    const size_t sizes[] = {sizeof(size_t), FIRST_SIZE(crd_reader_options, input)};
    for (size_t i = 0; i < 2; i++) {
        crd_reader *reader;
        crd_error error;
        const crd_reader_options *options = AT_END(crd_reader_options, whole, sizes[i], 1);
        assert_done(crd_reader_open(context, paths, 1, options, &reader, &error), error);
        const crd_parallel_map *cut = AT_END(crd_parallel_map, map, FIRST_SIZE(crd_parallel_map, holds_frames), 1);
        assert_true(crd_parallel_map_slots(cut, reader) >= 1);
        assert_done(crd_reader_parallel_map(reader, cut, &error), error);
        crd_reader_close(reader);
    }
    assert_true(taken >= 2);
    unlink(path);
    give_back();
}

static int64_t read_table(void *user, void *bytes, size_t capacity) {
    size_t *cursor = user, left = sizeof TABLE - 1 - *cursor, length = left < capacity ? left : capacity;
    memcpy(bytes, TABLE + *cursor, length);
    *cursor += length;
    return (int64_t)length;
}

/* Callbacks of an input, columns of a schema, results of a reader's rows. */
static void test_columns(void **state) {
    (void)state;
    size_t index = 0;
    crd_error error;
    crd_input_callbacks callbacks = CRD_INPUT_CALLBACKS_INIT;
    callbacks.user = &index;
    callbacks.read = read_table;
    crd_input *input;
    crd_reader *reader;
    crd_model *model;
    crd_classifier *classifier;
    crd_schema *schema;
    assert_int_equal(
        crd_input_from_callbacks(context, AT_END(crd_input_callbacks, callbacks, sizeof(size_t), 1), &input, &error),
        CRD_ERROR_ARGUMENT);
    const crd_input_callbacks *cut = AT_END(crd_input_callbacks, callbacks, FIRST_SIZE(crd_input_callbacks, close), 1);
    assert_done(crd_input_from_callbacks(context, cut, &input, &error), error);
    assert_done(crd_reader_open_inputs(context, &input, 1, NULL, &reader, &error), error);
    crd_input_close(input);
    assert_done(crd_reader_select_target(reader, crd_text_of("class"), &error), error);
    assert_done(crd_model_train(context, reader, NULL, &model, NULL, &error), error);
    crd_reader_close(reader);
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(crd_reader_open_memory(context, TABLE, sizeof TABLE - 1, NULL, NULL, &reader, &error), error);
    int32_t decisions[12];
    size_t rows;
    crd_results results = CRD_RESULTS_INIT;
    results.rows = 12;
    results.decisions = decisions;
    assert_done(crd_classifier_classify_reader(classifier, reader,
                                               AT_END(crd_results, results, FIRST_SIZE(crd_results, threads), 1), &rows,
                                               &error),
                error);
    assert_int_equal(rows, 12);
    crd_reader_close(reader);
    crd_schema_column column = CRD_SCHEMA_COLUMN_INIT;
    column.name = crd_text_of("x");
    assert_done(crd_schema_create(context, &schema, &error), error);
    const crd_schema_column *named = AT_END(crd_schema_column, column, FIRST_SIZE(crd_schema_column, name), 1);
    assert_done(crd_schema_add_column(schema, named, &error), error);
    crd_schema_destroy(schema);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    give_back();
}

static void test_rows(void **state) {
    (void)state;
    const double values[] = {1, 2, 3, 4};
    const int32_t classes[] = {0, 1};
    const crd_text names[] = {{"k", 1}, {"l", 1}}, attributes[] = {{"x", 1}, {"z", 1}};
    crd_rows rows = CRD_ROWS_INIT;
    rows.values = values;
    rows.rows = rows.columns = rows.class_count = 2;
    rows.classes = classes;
    rows.names = names;
    crd_model *model;
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_model_create_for_rows(context, attributes, 2, crd_text_of("class"), NULL, &model, &error), error);
    assert_done(crd_model_update_rows(model, AT_END(crd_rows, rows, FIRST_SIZE(crd_rows, threads), 1), &error), error);
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    crd_results results = CRD_RESULTS_INIT;
    double probabilities[4];
    results.rows = 2;
    results.probabilities = probabilities;
    assert_done(crd_classifier_classify_rows(classifier, AT_END(crd_rows, rows, FIRST_SIZE(crd_rows, threads), 1),
                                             AT_END(crd_results, results, FIRST_SIZE(crd_results, threads), 1), &error),
                error);
    assert_near(probabilities[0] + probabilities[1], 1, 1e-15);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    give_back();
}

static void test_rules(void **state) {
    (void)state;
    const crd_text classes[] = {{"k", 1}, {"l", 1}};
    const double costs[] = {0, 1, 5, 0}, logs[] = {log(.6), log(.4)};
    crd_cost_table table = CRD_COST_TABLE_INIT;
    table.rows = table.actions = classes;
    table.row_count = table.action_count = 2;
    table.costs = costs;
    crd_rule *rule;
    crd_outcomes *outcomes;
    crd_error error;
    const crd_cost_table *cut = AT_END(crd_cost_table, table, FIRST_SIZE(crd_cost_table, costs), 1);
    assert_done(crd_rule_create_costs(context, classes, 2, cut, &rule, &error), error);
    assert_done(crd_i_outcomes_create(context, rule, &outcomes, &error), error);
    const size_t sizes[] = {sizeof(size_t), FIRST_SIZE(crd_decision, expected_cost)};
    const size_t totals_sizes[] = {sizeof(size_t), FIRST_SIZE(crd_outcome_totals, single_action)};
    for (size_t i = 0; i < 2; i++) {
        crd_decision whole = CRD_DECISION_INIT, *decision = AT_END(crd_decision, whole, sizes[i], 1);
        crd_outcome_totals outcome_totals = CRD_OUTCOME_TOTALS_INIT,
                           *totals = AT_END(crd_outcome_totals, outcome_totals, totals_sizes[i], 1);
        crd_rule_decide(rule, logs, NULL, decision);
        assert_done(crd_i_outcomes_add(outcomes, logs, classes[0], 1, decision, &error), error);
        crd_outcomes_totals(outcomes, totals);
        assert_int_equal(decision->size, sizes[i]);
        if (i == 1) assert_true(decision->action == 1 && totals->rows == 2);
    }
    crd_i_outcomes_destroy(outcomes);
    crd_rule_destroy(rule);
    give_back();
}

/* ---- Results ---- */

static crd_classifier *classifier_by(const crd_model *model, const char *name, const char *value) {
    const char *const settings[] = {name, value, NULL};
    return classifier_with(model, context, settings);
}

static void test_classifiers(void **state) {
    (void)state;
    crd_error error;
    crd_model *model = trained_keeping(context, TABLE, "class", "all,joint-counts,cross-products,pair-counts,rows");
    const crd_value u = {CRD_TYPE_CATEGORICAL, 0, {"u", 1}};
    for (size_t i = 0; i < 2; i++) {
        size_t cut = i == 0 ? sizeof(size_t) : SIZE_MAX;
#define SIZE_OF(type, last) (cut < FIRST_SIZE(type, last) ? cut : FIRST_SIZE(type, last))
        crd_family family = CRD_FAMILY_INIT;
        crd_candidate candidate = CRD_CANDIDATE_INIT;
        crd_term term = CRD_TERM_INIT;
        crd_joint joint = CRD_JOINT_INIT;
        crd_pair pair = CRD_PAIR_INIT;
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        crd_calibration calibration = CRD_CALIBRATION_INIT;
        crd_classifier *classifier = classifier_by(model, "family", "auto");
        crd_term *cut_term = AT_END(crd_term, term, SIZE_OF(crd_term, exponent), 1);
        assert_true(crd_family_at(0, AT_END(crd_family, family, SIZE_OF(crd_family, is_discrete), 1)));
        assert_true(
            crd_classifier_family(classifier, 0, AT_END(crd_family, family, SIZE_OF(crd_family, is_discrete), 1)));
        assert_true(crd_classifier_candidate(
            classifier, 0, 0, AT_END(crd_candidate, candidate, SIZE_OF(crd_candidate, standard_error), 1)));
        assert_done(crd_classifier_prior(classifier, 0, cut_term, &error), error);
        assert_done(crd_classifier_term(classifier, 2, 0, &u, cut_term, &error), error);
        crd_classifier_destroy(classifier);
        classifier = classifier_by(model, "joint", "numbers");
        assert_done(
            crd_classifier_joint(classifier, 0, AT_END(crd_joint, joint, SIZE_OF(crd_joint, description), 1), &error),
            error);
        crd_classifier_destroy(classifier);
        classifier = classifier_by(model, "method", "pairwise");
        assert_done(crd_classifier_pair(classifier, 0, AT_END(crd_pair, pair, SIZE_OF(crd_pair, exponent), 1), &error),
                    error);
        crd_classifier_destroy(classifier);
        classifier = classifier_by(model, "method", "bagging:2");
        assert_done(crd_classifier_member(classifier, 0,
                                          AT_END(crd_ensemble_member, member, SIZE_OF(crd_ensemble_member, weight), 1),
                                          &error),
                    error);
        crd_classifier_destroy(classifier);
        classifier = classifier_by(model, "calibration", "platt");
        assert_true(crd_classifier_calibration(
            classifier, AT_END(crd_calibration, calibration, SIZE_OF(crd_calibration, slope), 1)));
        crd_classifier_destroy(classifier);
    }
    crd_model_destroy(model);
    give_back();
}

static void test_models(void **state) {
    (void)state;
    crd_error error;
    for (size_t i = 0; i < 2; i++) {
        size_t cut = i == 0 ? sizeof(size_t) : SIZE_MAX;
        crd_read_facts facts = CRD_READ_FACTS_INIT;
        crd_hypothesis hypothesis = CRD_HYPOTHESIS_INIT;
        crd_member member = CRD_MEMBER_INIT;
        crd_reader *reader;
        crd_model *model, *combined;
        crd_hypotheses *hypotheses;
        assert_done(open_text(context, TABLE, sizeof TABLE - 1, "class", &reader, &error), error);
        assert_done(crd_model_train(context, reader, NULL, &model,
                                    AT_END(crd_read_facts, facts, SIZE_OF(crd_read_facts, weight), 1), &error),
                    error);
        crd_reader_close(reader);
        assert_done(crd_hypotheses_create(context, &hypotheses, &error), error);
        assert_done(crd_hypotheses_add(hypotheses, crd_text_of("h"), model, 1, &error), error);
        assert_done(crd_hypotheses_at(hypotheses, 0,
                                      AT_END(crd_hypothesis, hypothesis, SIZE_OF(crd_hypothesis, posterior), 1),
                                      &error),
                    error);
        assert_done(crd_hypotheses_combine(hypotheses, CRD_COMBINE_OPTIMAL, 0, &combined, &error), error);
        assert_done(crd_model_member(combined, 0, AT_END(crd_member, member, SIZE_OF(crd_member, weight), 1), &error),
                    error);
        crd_hypotheses_destroy(hypotheses);
        crd_model_destroy(combined);
        crd_model_destroy(model);
    }
    give_back();
}

static void test_curve(crd_evaluation *evaluation, size_t cut) {
    crd_error error;
    const crd_text other = {"k", 1};
    const double logs[] = {log(.7), log(.3)};
    crd_curve_point point = CRD_CURVE_POINT_INIT;
    crd_curve_costs costs = CRD_CURVE_COSTS_INIT;
    crd_curve *curve;
    assert_done(crd_evaluation_add(evaluation, logs, other, 1, NULL, &error), error);
    assert_done(crd_curve_create(evaluation, 1, &curve, &error), error);
    crd_curve_point_at(curve, 1, AT_END(crd_curve_point, point, SIZE_OF(crd_curve_point, f1), 1));
    const crd_curve_costs *cut_costs = AT_END(crd_curve_costs, costs, SIZE_OF(crd_curve_costs, true_negative), 1);
    assert_near(crd_curve_cost(curve, 0, cut_costs), .5, 0);
    crd_curve_destroy(curve);
}

static void test_importance(void **state) {
    (void)state;
    crd_error error;
    crd_model *model = trained(context, TABLE, "class");
    crd_classifier *classifier = classifier_by(model, "family", "gaussian");
    for (size_t i = 0; i < 2; i++) {
        size_t cut = i == 0 ? sizeof(size_t) : SIZE_MAX;
        crd_importance_options options = CRD_IMPORTANCE_OPTIONS_INIT;
        crd_column_importance column = CRD_COLUMN_IMPORTANCE_INIT;
        crd_importance *importance;
        crd_reader *reader;
        const crd_frame *frame;
        assert_done(open_text(context, TABLE, sizeof TABLE - 1, NULL, &reader, &error), error);
        assert_done(crd_model_bind(model, reader, &error), error);
        assert_done(crd_reader_next(reader, &frame, &error), error);
        assert_done(crd_i_importance_create(
                        context, AT_END(crd_importance_options, options, SIZE_OF(crd_importance_options, most_rows), 1),
                        &importance, &error),
                    error);
        for (size_t row = 0; row < crd_frame_rows(frame); row++)
            assert_done(crd_i_importance_add(importance, classifier, frame, row, crd_text_of("k"), 1, &error), error);
        assert_done(crd_importance_run(importance, &error), error);
        crd_importance_at(importance, 0,
                          AT_END(crd_column_importance, column, SIZE_OF(crd_column_importance, accuracy_error), 1));
        crd_i_importance_destroy(importance);
        crd_reader_close(reader);
    }
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    give_back();
}

static void test_assessment(void **state) {
    (void)state;
    crd_error error;
    crd_model *model = trained(context, TABLE, "class");
    crd_classifier *classifier = classifier_by(model, "family", "gaussian");
    for (size_t i = 0; i < 2; i++) {
        size_t cut = i == 0 ? sizeof(size_t) : SIZE_MAX;
        crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
        crd_assessment *assessment;
        crd_reader *reader;
        assert_done(open_text(context, TABLE, sizeof TABLE - 1, NULL, &reader, &error), error);
        assert_done(crd_assessment_of_model(model, classifier, reader, 0, &assessment, &error), error);
        assert_done(
            crd_assessment_run(
                assessment, AT_END(crd_assessment_options, options, SIZE_OF(crd_assessment_options, user), 1), &error),
            error);
        crd_assessment_destroy(assessment);
        crd_reader_close(reader);
    }
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    give_back();
}

static void test_evaluation(void **state) {
    (void)state;
    crd_error error;
    const crd_text classes[] = {{"k", 1}, {"l", 1}};
    const double logs[] = {log(.6), log(.4)};
    for (size_t i = 0; i < 2; i++) {
        size_t cut = i == 0 ? sizeof(size_t) : SIZE_MAX;
        crd_row_score score = CRD_ROW_SCORE_INIT;
        crd_totals totals = CRD_TOTALS_INIT;
        crd_evaluation *evaluation;
        crd_scores *scores;
        assert_done(crd_evaluation_create(context, classes, 2, &evaluation, &error), error);
        assert_done(crd_evaluation_add(evaluation, logs, classes[1], 1,
                                       AT_END(crd_row_score, score, SIZE_OF(crd_row_score, credit), 1), &error),
                    error);
        assert_done(crd_scores_create(evaluation, &scores, &error), error);
        crd_scores_totals(scores, AT_END(crd_totals, totals, SIZE_OF(crd_totals, weight), 1));
        crd_scores_destroy(scores);
        test_curve(evaluation, cut);
        crd_evaluation_destroy(evaluation);
    }
    give_back();
}

static void test_explanations(void **state) {
    (void)state;
    crd_error error;
    crd_reader *reader;
    crd_model *model = trained_keeping(context, TABLE, "class", "all");
    crd_classifier *classifier = classifier_by(model, "family", "gaussian");
    crd_what_if *what_if;
    crd_dependence *dependence;
    const crd_value values[] = {{CRD_TYPE_NUMERIC, 1, {NULL, 0}},
                                {CRD_TYPE_NONE, 0, {NULL, 0}},
                                {CRD_TYPE_CATEGORICAL, 0, {"u", 1}},
                                {CRD_TYPE_NONE, 0, {NULL, 0}}};
    assert_done(crd_what_if_create(model, classifier, &what_if, &error), error);
    assert_done(crd_dependence_create(model, &dependence, &error), error);
    assert_done(open_text(context, TABLE, sizeof TABLE - 1, "class", &reader, &error), error);
    assert_done(crd_dependence_read(dependence, reader, &error), error);
    crd_reader_close(reader);
    for (size_t i = 0; i < 2; i++) {
        size_t cut = i == 0 ? sizeof(size_t) : SIZE_MAX, count;
        crd_counterfactual_search search = CRD_COUNTERFACTUAL_SEARCH_INIT;
        crd_information_gain_search inquiry = CRD_INFORMATION_GAIN_SEARCH_INIT;
        crd_counterfactual change = CRD_COUNTERFACTUAL_INIT;
        crd_information_gain gain = CRD_INFORMATION_GAIN_INIT;
        crd_dependent_pair pair = CRD_DEPENDENT_PAIR_INIT;
        crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
        assert_done(crd_what_if_counterfactuals(
                        what_if, values,
                        AT_END(crd_counterfactual_search, search, SIZE_OF(crd_counterfactual_search, present), 1),
                        AT_END(crd_counterfactual, change, SIZE_OF(crd_counterfactual, probability), 4), &count,
                        &error),
                    error);
        assert_true(count > 0);
        crd_information_gain *gains = AT_END(crd_information_gain, gain, SIZE_OF(crd_information_gain, bits), 4);
        assert_done(crd_what_if_information_gain(what_if, values,
                                                 AT_END(crd_information_gain_search, inquiry,
                                                        SIZE_OF(crd_information_gain_search, uncertainty), 1),
                                                 gains, &count, &error),
                    error);
        assert_int_equal(count, 2);
        if (i == 1) assert_true(gains[0].bits >= gains[1].bits && gains[1].size == gains[0].size);
        crd_dependence_facts_of(dependence,
                                AT_END(crd_dependence_facts, facts, SIZE_OF(crd_dependence_facts, left_out), 1));
        assert_done(crd_dependence_pairs(dependence,
                                         AT_END(crd_dependent_pair, pair, SIZE_OF(crd_dependent_pair, matters), 6), 6,
                                         &count, &error),
                    error);
        assert_int_equal(count, 6);
    }
    crd_dependence_destroy(dependence);
    crd_what_if_destroy(what_if);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    give_back();
}

static void test_networks_and_tables(void **state) {
    (void)state;
    crd_error error;
    crd_reader *reader;
    crd_table *table;
    crd_network *network = random_network(context, 3, 5, 3, 2);
    const size_t columns[] = {2, 3};
    assert_done(open_text(context, TABLE, sizeof TABLE - 1, NULL, &reader, &error), error);
    assert_done(crd_table_read(context, reader, columns, 2, &table, &error), error);
    crd_reader_close(reader);
    for (size_t i = 0; i < 2; i++) {
        size_t cut = i == 0 ? sizeof(size_t) : SIZE_MAX, node = 4;
        crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
        crd_independence independence = CRD_INDEPENDENCE_INIT;
        double posterior[3];
        assert_done(crd_network_posteriors(
                        network,
                        NETWORK_QUERY(NULL, 0, &node, 1,
                                      AT_END(crd_inference_options, options, SIZE_OF(crd_inference_options, draws), 1)),
                        posterior, NULL, AT_END(crd_inference_result, result, SIZE_OF(crd_inference_result, nodes), 1),
                        &error),
                    error);
        assert_done(crd_table_independence(
                        table, &(size_t){2}, 1, &(size_t){3}, 1, NULL, 0,
                        AT_END(crd_independence, independence, SIZE_OF(crd_independence, least_expected), 1), &error),
                    error);
    }
    crd_table_destroy(table);
    crd_network_destroy(network);
    give_back();
}

/* ---- Pictures: each cut down to its size field is an empty one ---- */

#define DRAW_CUT(type, init, last, draw)                                                                               \
    do {                                                                                                               \
        type whole = init;                                                                                             \
        const size_t sizes[] = {FIRST_SIZE(type, last), sizeof(size_t)};                                               \
        for (size_t i = 0; i < 2; i++) {                                                                               \
            assert_done(draw(context, AT_END(type, whole, sizes[i], 1),                                                \
                             AT_END(crd_plot_options, options, option_sizes[i], 1), &svg, &error),                     \
                        error);                                                                                        \
            crd_free(context, svg);                                                                                    \
        }                                                                                                              \
        give_back();                                                                                                   \
    } while (0)

static void test_pictures(void **state) {
    (void)state;
    crd_error error;
    char *svg;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    const size_t option_sizes[] = {FIRST_SIZE(crd_plot_options, width), sizeof(size_t)};
    DRAW_CUT(crd_plot_evidence, CRD_PLOT_EVIDENCE_INIT, most, crd_plot_draw_evidence);
    DRAW_CUT(crd_plot_bars, CRD_PLOT_BARS_INIT, most, crd_plot_draw_bars);
    DRAW_CUT(crd_plot_groups, CRD_PLOT_GROUPS_INIT, most, crd_plot_draw_groups);
    DRAW_CUT(crd_plot_curves, CRD_PLOT_CURVES_INIT, are_steps, crd_plot_draw_curves);
    DRAW_CUT(crd_plot_densities, CRD_PLOT_DENSITIES_INIT, cut_point_count, crd_plot_draw_densities);
    DRAW_CUT(crd_plot_calibration, CRD_PLOT_CALIBRATION_INIT, of, crd_plot_draw_calibration);
    DRAW_CUT(crd_plot_confusion, CRD_PLOT_CONFUSION_INIT, counts, crd_plot_draw_confusion);
    DRAW_CUT(crd_plot_table, CRD_PLOT_TABLE_INIT, most, crd_plot_draw_table);
    DRAW_CUT(crd_plot_path, CRD_PLOT_PATH_INIT, time_name, crd_plot_draw_path);
    crd_plot_node node = CRD_PLOT_NODE_INIT;
    const size_t node_sizes[] = {FIRST_SIZE(crd_plot_node, note), sizeof(size_t)};
    for (size_t i = 0; i < 2; i++) {
        crd_plot_graph graph = CRD_PLOT_GRAPH_INIT;
        graph.node_count = i == 0 ? 1 : 3;
        graph.nodes = AT_END(crd_plot_node, node, node_sizes[i], graph.node_count);
        assert_done(crd_plot_draw_graph(context,
                                        AT_END(crd_plot_graph, graph, FIRST_SIZE(crd_plot_graph, max_states), 1), NULL,
                                        &svg, &error),
                    error);
        crd_free(context, svg);
        crd_plot_layout_options spaced = CRD_PLOT_LAYOUT_OPTIONS_INIT;
        const size_t sizes[] = {FIRST_SIZE(crd_plot_layout_options, layer_width), sizeof(size_t)};
        crd_plot_layout *layout;
        assert_done(crd_plot_layout_create(context, NULL, 0, NULL, 0,
                                           AT_END(crd_plot_layout_options, spaced, sizes[i], 1), &layout, &error),
                    error);
        crd_plot_layout_destroy(layout);
        give_back();
    }
}

static void test_reports(void **state) {
    (void)state;
    crd_report_options whole = CRD_REPORT_OPTIONS_INIT;
    const size_t sizes[] = {FIRST_SIZE(crd_report_options, threads), sizeof(size_t)};
    whole.threads = 1;
    for (size_t i = 0; i < 2; i++) {
        crd_reader *reader;
        crd_error error;
        char *html;
        assert_done(open_text(context, TABLE, sizeof TABLE - 1, "class", &reader, &error), error);
        assert_done(crd_report_rows(context, reader, AT_END(crd_report_options, whole, sizes[i], 1), &html, &error),
                    error);
        crd_free(context, html);
        crd_reader_close(reader);
    }
    give_back();
}

/* What was not initialized is refused, or left alone, rather than guessed at. */
static void test_without_size(void **state) {
    (void)state;
    crd_error error;
    const crd_text classes[] = {{"k", 1}, {"l", 1}};
    crd_cost_table table = {0};
    crd_rule *rule;
    assert_int_equal(crd_rule_create_costs(context, classes, 2, &table, &rule, &error), CRD_ERROR_ARGUMENT);
    assert_null(rule);
    crd_family family = {0};
    assert_true(crd_family_at(0, &family));
    assert_null(family.name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparison),
        cmocka_unit_test(test_sequence_options),
        cmocka_unit_test(test_decode_options),
        cmocka_unit_test(test_context_options),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_classifiers),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_assessment),
        cmocka_unit_test(test_evaluation),
        cmocka_unit_test(test_importance),
        cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_networks_and_tables),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_without_size),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
