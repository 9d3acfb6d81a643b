/* SPDX-License-Identifier: MIT */
/* Several processes judge parts of the rows, by a model or by that of all others, or some of the folds: the first has the evaluation of all rows, to the bit, and lists them in
 * their order. */
#include "collective_support.h"
#include "model_support.h"
#include "processes/group.h"

enum { ROWS = 60 };

static char TABLE[ROWS * 32 + 32];

static void make_table(void) {
    size_t length = (size_t)snprintf(TABLE, sizeof TABLE, "x,c,w,y\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)snprintf(TABLE + length, sizeof TABLE - length, "%d.5,%c,%d,%s\n", i * 7 % 11,
                                   'u' + i * 5 % 3, i % 4,
                                   i % 13 == 5              ? "?"
                                   : i * 7 % 11 + i % 3 > 6 ? "k"
                                                            : "l");
}

/* What is compared: the bytes of the evaluation, and a digest of the rows listed. */
enum { COLUMNS = 3 };

typedef struct processes_result {
    unsigned char *bytes;
    size_t length;
    uint64_t rows_permuted;
    crd_column_importance importance[COLUMNS];
    uint64_t rows, unlabeled, digest, last;
} processes_result;

typedef enum processes_way { BY_MODEL, BY_FOLDS, BY_ALL_OTHERS } processes_way;

typedef struct processes_job {
    processes_way way;
    uint32_t held_out;
    processes_result wanted;
} processes_job;

static int list_row(void *user, const crd_assessed_row *row) {
    processes_result *result = user;
    if (row->row <= result->last) return 1;
    result->last = row->row;
    result->digest = result->digest * 31 + row->row * 7 + (uint64_t)(row->score->decision + 2) + row->truth.length +
                     (uint64_t)(row->score->credit * 100) + (uint64_t)(row->decision->action + 3);
    return 0;
}

static bool open_reader(crd_context *context, bool is_part, crd_reader **out) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_error error;
    const unsigned count = crd_i_group_count(context->group);
    options.threads = 1;
    if (is_part && count > 1) {
        options.shard = crd_i_group_rank(context->group) + 1;
        options.shard_count = count;
    }
    return crd_reader_open_memory(context, TABLE, strlen(TABLE), "rows", &options, out, &error) == CRD_OK;
}

/* Of fewer rows than there are, so that they are sampled. */
static bool permute(crd_importance *importance, processes_result *result) {
    crd_error error;
    if (importance == NULL) return true;
    if (crd_importance_run(importance, &error) != CRD_OK || crd_importance_count(importance) > COLUMNS) return false;
    result->rows_permuted = crd_importance_rows(importance) * 1000 + crd_importance_rows_added(importance);
    for (size_t i = 0; i < crd_importance_count(importance); i++) {
        result->importance[i].size = sizeof result->importance[i];
        crd_importance_at(importance, i, &result->importance[i]);
        result->importance[i].column.bytes = NULL; /* of another process */
    }
    return true;
}

static bool finish(crd_assessment *assessment, crd_context *context, bool permutes, processes_result *result) {
    crd_importance_options importance = CRD_IMPORTANCE_OPTIONS_INIT;
    const crd_text classes[] = {{"k", 1}, {"l", 1}};
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    crd_assessment_facts facts;
    crd_rule *rule = NULL;
    crd_error error;
    *result = (processes_result){0};
    bool done = crd_rule_create_reject(context, classes, 2, .7, crd_text_of("?"), &rule, &error) == CRD_OK;
    options.rule = rule;
    options.each = list_row;
    options.user = result;
    importance.most_rows = ROWS / 3;
    if (permutes) options.importance = &importance;
    done = done && crd_assessment_run(assessment, &options, &error) == CRD_OK &&
           crd_evaluation_encode(crd_assessment_evaluation(assessment), &result->bytes, &result->length, &error) ==
               CRD_OK &&
           permute(crd_assessment_facts_of(assessment)->importance, result);
    facts = *crd_assessment_facts_of(assessment);
    result->rows = facts.rows;
    result->unlabeled = facts.unlabeled;
    crd_assessment_destroy(assessment);
    crd_rule_destroy(rule);
    return done;
}

static bool judge_by_model(crd_context *context, processes_result *result) {
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    crd_reader *reader = NULL;
    crd_assessment *assessment = NULL;
    crd_error error;
    crd_context *alone;
    bool done = crd_context_create(NULL, &alone) == CRD_OK && train_text(alone, TABLE, "y", &model, &error) == CRD_OK &&
                crd_classifier_create(model, NULL, &classifier, &error) == CRD_OK;
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_model *own_model = NULL;
    done = done && crd_model_encode(model, &bytes, &length, &error) == CRD_OK &&
           crd_model_decode(context, bytes, length, &own_model, &error) == CRD_OK;
    crd_classifier_destroy(classifier);
    classifier = NULL;
    done = done && crd_classifier_create(own_model, NULL, &classifier, &error) == CRD_OK &&
           open_reader(context, true, &reader) &&
           crd_assessment_of_model(own_model, classifier, reader, 0, &assessment, &error) == CRD_OK &&
           finish(assessment, context, true, result);
    crd_free(alone, bytes);
    crd_reader_close(reader);
    crd_classifier_destroy(classifier);
    crd_model_destroy(own_model);
    crd_model_destroy(model);
    crd_context_destroy(alone);
    return done;
}

static bool judge_by_folds(crd_context *context, uint32_t held_out, processes_result *result) {
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_row_source *source = NULL;
    crd_reader *reader = NULL;
    crd_assessment *assessment = NULL;
    crd_error error;
    split.folds = 4;
    split.held_out = held_out;
    const bool done = open_reader(context, false, &reader) &&
                      crd_reader_select_target(reader, crd_text_of("y"), &error) == CRD_OK &&
                      crd_reader_select_weight(reader, crd_text_of("w"), &error) == CRD_OK &&
                      crd_row_source_create(reader, &source, &error) == CRD_OK &&
                      crd_assessment_of_folds(source, NULL, &split, NULL, &assessment, &error) == CRD_OK &&
                      finish(assessment, context, true, result);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    return done;
}

static bool judge_by_all_others(crd_context *context, processes_result *result) {
    crd_row_source *source = NULL;
    crd_reader *reader = NULL;
    crd_assessment *assessment = NULL;
    crd_error error;
    const bool done = open_reader(context, true, &reader) &&
                      crd_reader_select_target(reader, crd_text_of("y"), &error) == CRD_OK &&
                      crd_row_source_create(reader, &source, &error) == CRD_OK &&
                      crd_assessment_leaving_one_out(source, NULL, &assessment, &error) == CRD_OK &&
                      finish(assessment, context, false, result);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    return done;
}

static bool judge(crd_context *context, const processes_job *job, processes_result *result) {
    return job->way == BY_FOLDS   ? judge_by_folds(context, job->held_out, result)
           : job->way == BY_MODEL ? judge_by_model(context, result)
                                  : judge_by_all_others(context, result);
}

/* Rows of folds come in another order than those of one process, on which no score depends: these are compared, then. */
static bool are_same(crd_context *context, const processes_job *job, const processes_result *result) {
    const processes_result *wanted = &job->wanted;
    crd_evaluation *evaluations[2] = {NULL, NULL};
    crd_scores *scores[2] = {NULL, NULL};
    crd_totals totals[2] = {CRD_TOTALS_INIT, CRD_TOTALS_INIT};
    crd_error error;
    bool same = result->length == wanted->length && result->rows == wanted->rows &&
                result->unlabeled == wanted->unlabeled && result->digest == wanted->digest &&
                memcmp(result->importance, wanted->importance, sizeof result->importance) == 0;
    if (same && job->way != BY_FOLDS) return memcmp(result->bytes, wanted->bytes, result->length) == 0;
    for (size_t i = 0; i < 2; i++) {
        const processes_result *one = i == 0 ? result : wanted;
        same = same && crd_evaluation_decode(context, one->bytes, one->length, &evaluations[i], &error) == CRD_OK &&
               crd_scores_create(evaluations[i], &scores[i], &error) == CRD_OK;
        if (same) crd_scores_totals(scores[i], &totals[i]);
        crd_scores_destroy(scores[i]);
        crd_evaluation_destroy(evaluations[i]);
    }
    return same && memcmp(&totals[0], &totals[1], sizeof totals[0]) == 0;
}

static bool work(crd_context *context, void *state) {
    const processes_job *job = state;
    processes_result result = {0};
    const bool done = judge(context, job, &result) && result.rows_permuted == job->wanted.rows_permuted &&
                      (crd_i_group_rank(context->group) > 0 || are_same(context, job, &result));
    crd_free(context, result.bytes);
    crd_context_destroy(context);
    return done;
}

static void processes_judge_as_one(void **state) {
    (void)state;
    make_table();
    processes_job jobs[] = {{BY_MODEL, 0, {0}}, {BY_FOLDS, 0, {0}}, {BY_FOLDS, 1, {0}}, {BY_ALL_OTHERS, 0, {0}}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        crd_context *context;
        assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
        assert_true(judge(context, &jobs[i], &jobs[i].wanted));
        for (unsigned count = 2; count <= 5; count++) assert_true(run_group(count, work, &jobs[i]));
        crd_free(context, jobs[i].wanted.bytes);
        crd_context_destroy(context);
    }
}

/* Where every process has all rows, each would leave out all of them. */
static bool refuse_all_rows(crd_context *context, void *state) {
    crd_row_source *source = NULL;
    crd_reader *reader = NULL;
    crd_assessment *assessment = NULL;
    crd_error error;
    (void)state;
    return open_reader(context, false, &reader) &&
           crd_reader_select_target(reader, crd_text_of("y"), &error) == CRD_OK &&
           crd_row_source_create(reader, &source, &error) == CRD_OK &&
           crd_assessment_leaving_one_out(source, NULL, &assessment, &error) == CRD_ERROR_ARGUMENT &&
           strstr(error.message, "needs a reader of a part of the rows") != NULL;
}

static void all_rows_are_not_left_out_by_each(void **state) {
    (void)state;
    make_table();
    assert_true(run_group(2, refuse_all_rows, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(processes_judge_as_one),
                                       cmocka_unit_test(all_rows_are_not_left_out_by_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
