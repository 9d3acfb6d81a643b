/* SPDX-License-Identifier: MIT */
/* Several processes compare candidates on the same folds: all have the results and the recommendation of one process, to the bit. */
#include "collective_support.h"
#include "model_support.h"
#include "processes/group.h"

enum { ROWS = 1100, MOST_RESULTS = 64 };

static char TABLE[ROWS * 16 + 32];

/* Enough rows that some are tried before the others; the last class has one row, which no model knows that answers it. */
static void make_table(void) {
    size_t length = (size_t)snprintf(TABLE, sizeof TABLE, "a,b,w,f,y\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)snprintf(TABLE + length, sizeof TABLE - length, "%c,%c,%d,g%d,%s\n", 'p' + i * 7 % 5,
                                   'u' + i * 5 % 3, i % 4, i % 3,
                                   i == ROWS - 2           ? "m"
                                   : i % 13 == 5           ? "?"
                                   : i * 7 % 5 + i % 3 > 3 ? "k"
                                                           : "l");
}

typedef struct evaluate_processes_job {
    const char *name;
    uint32_t folds, held_out;
    bool has_named_folds;
    double budget; /* 0: the candidates are named */
    crd_comparison_result results[MOST_RESULTS];
    crd_recommendation recommendation;
    size_t count;
} evaluate_processes_job;

static const char *const candidates[] = {"naive", "naive, platt", "naive, isotonic", "joint categories", "tan", "aode"};

static void collect(const crd_comparison *comparison, evaluate_processes_job *job) {
    job->count = crd_comparison_count(comparison);
    for (size_t i = 0; i < job->count; i++) {
        job->results[i] = (crd_comparison_result)CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(comparison, i, &job->results[i]);
        job->results[i].seconds = 0;
        job->results[i].name = job->results[i].message = NULL;
    }
    job->recommendation = (crd_recommendation)CRD_RECOMMENDATION_INIT;
    crd_comparison_recommendation(comparison, &job->recommendation);
}

static bool compare(crd_context *context, evaluate_processes_job *job) {
    crd_reader_options reading = CRD_READER_OPTIONS_INIT;
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_row_source *source = NULL;
    crd_comparison *comparison = NULL;
    crd_error error;
    reading.threads = 1;
    reading.keep_text = job->has_named_folds;
    options.threads = 1;
    options.split = &split;
    options.budget = job->budget;
    if (job->budget == 0) {
        options.candidates = candidates;
        options.candidate_count = sizeof candidates / sizeof *candidates;
    }
    split.folds = job->folds;
    split.held_out = job->held_out;
    if (job->has_named_folds) split.column = 3;
    const bool done =
        crd_reader_open_memory(context, TABLE, strlen(TABLE), "rows", &reading, &reader, &error) == CRD_OK &&
        crd_reader_select_target(reader, crd_text_of("y"), &error) == CRD_OK &&
        crd_reader_select_weight(reader, crd_text_of("w"), &error) == CRD_OK &&
        crd_reader_ignore(reader, 3, &error) == CRD_OK && crd_row_source_create(reader, &source, &error) == CRD_OK &&
        crd_comparison_create(source, &options, &comparison, &error) == CRD_OK &&
        crd_comparison_run(comparison, &error) == CRD_OK;
    if (done) collect(comparison, job);
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    return done;
}

static bool work(crd_context *context, void *state) {
    const evaluate_processes_job *wanted = state;
    evaluate_processes_job job = *wanted;
    memset(job.results, 0, sizeof job.results);
    memset(&job.recommendation, 0, sizeof job.recommendation);
    const bool done = compare(context, &job) && job.count == wanted->count &&
                      memcmp(job.results, wanted->results, job.count * sizeof *job.results) == 0 &&
                      memcmp(&job.recommendation, &wanted->recommendation, sizeof job.recommendation) == 0;
    crd_context_destroy(context);
    return done;
}

/* More processes than folds, as many, and fewer. */
static void test_processes_compare_as_one(void **state) {
    (void)state;
    make_table();
    evaluate_processes_job jobs[] = {{.name = "folds", .folds = 4},
                                     {.name = "a holdout", .folds = 4, .held_out = 1},
                                     {.name = "named folds", .has_named_folds = true},
                                     {.name = "a budget", .folds = 4, .budget = 0.5}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        crd_context *context;
        assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
        print_message("%s\n", jobs[i].name);
        assert_true(compare(context, &jobs[i]));
        assert_int_equal(jobs[i].results[0].status, CRD_CANDIDATE_SCORED);
        for (unsigned count = 2; count <= MOST_PROCESSES; count += count == 3 ? 2 : count == 5 ? 4 : 1)
            assert_true(run_group(count, work, &jobs[i]));
        crd_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_processes_compare_as_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
