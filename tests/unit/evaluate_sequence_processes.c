/* SPDX-License-Identifier: MIT */
/* Several processes test folds of sequences, divided or together: each has the evaluation that one process has, to the byte; and they run
 * short of memory together. */
#include "collective_support.h"
#include "model_support.h"

#include <signal.h>

enum { ROWS = 240, FOLDS = 3 };

static char TABLE[ROWS * 32 + 32];

static void make_table(void) {
    size_t length = (size_t)snprintf(TABLE, sizeof TABLE, "id,x,s\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)snprintf(TABLE + length, sizeof TABLE - length, "q%d,%d.5,%s\n", i / 8,
                                   i * 7 % 11 + 5 * (i / 3 % 2), i / 8 % 3 == 0 ? "k" : "l");
}

/* What is tested: labels as states, hidden states, or classes of whole sequences. */
typedef enum tested_way { LABELS, HIDDEN, CLASSES, WAYS } tested_way;

typedef struct sequence_processes_job {
    tested_way way;
    uint32_t held_out;
    size_t left; /* allocations of process 1 */
    unsigned char *bytes;
    size_t length;
} sequence_processes_job;

static crd_status encode_states(const crd_sequences *sequences, const sequence_processes_job *job,
                                const crd_settings *settings, const crd_hmm_train_options *training,
                                const crd_split_options *split, sequence_processes_job *sequence_processes,
                                crd_error *error) {
    crd_sequence_evaluation *evaluation = NULL;
    const crd_text target = crd_text_of(job->way == LABELS ? "s" : "state");
    crd_status status =
        crd_sequence_validate(sequences, target, settings, training, split, NULL, NULL, &evaluation, error);
    if (status == CRD_OK)
        status =
            crd_sequence_evaluation_encode(evaluation, &sequence_processes->bytes, &sequence_processes->length, error);
    crd_sequence_evaluation_destroy(evaluation);
    return status;
}

static crd_status encode_classes(const crd_sequences *sequences, const crd_settings *settings,
                                 const crd_hmm_train_options *training, const crd_split_options *split,
                                 sequence_processes_job *job, crd_error *error) {
    crd_evaluation *evaluation = NULL;
    crd_status status =
        crd_sequence_classes_validate(sequences, settings, training, split, 1, NULL, &evaluation, error);
    if (status == CRD_OK) status = crd_evaluation_encode(evaluation, &job->bytes, &job->length, error);
    crd_evaluation_destroy(evaluation);
    return status;
}

static crd_status validate(crd_context *context, const sequence_processes_job *job,
                           sequence_processes_job *sequence_processes, crd_error *error) {
    crd_sequence_options where = CRD_SEQUENCE_OPTIONS_INIT;
    crd_hmm_train_options training = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_settings *settings = NULL;
    where.sequence = crd_text_of("id");
    training.threads = 1;
    training.restarts = 1;
    training.most_steps = 4;
    split.folds = FOLDS;
    split.held_out = job->held_out;
    crd_status status = open_text(context, TABLE, strlen(TABLE), job->way == HIDDEN ? NULL : "s", &reader, error);
    if (status == CRD_OK) status = crd_settings_create(context, &settings, error);
    if (status == CRD_OK) status = crd_settings_set(settings, "method", crd_text_of("sequence"), error);
    if (status == CRD_OK && job->way != LABELS) status = crd_settings_set(settings, "states", crd_text_of("2"), error);
    if (status == CRD_OK) status = crd_sequences_read(reader, &where, &sequences, error);
    if (status == CRD_OK)
        status = job->way == CLASSES
                     ? encode_classes(sequences, settings, &training, &split, sequence_processes, error)
                     : encode_states(sequences, job, settings, &training, &split, sequence_processes, error);
    crd_sequences_destroy(sequences);
    crd_settings_destroy(settings);
    crd_reader_close(reader);
    return status;
}

static bool work(crd_context *context, void *state) {
    const sequence_processes_job *job = state;
    sequence_processes_job sequence_processes = {0};
    crd_error error;
    const crd_status status = validate(context, job, &sequence_processes, &error);
    const bool same = status == CRD_OK && sequence_processes.length == job->length &&
                      memcmp(sequence_processes.bytes, job->bytes, sequence_processes.length) == 0;
    if (status != CRD_OK) print_message("process %u: %s\n", context->processes.communicator.rank, error.message);
    crd_free(context, sequence_processes.bytes);
    crd_context_destroy(context);
    return same;
}

static void processes_test_folds_as_one(void **state) {
    (void)state;
    make_table();
    for (int way = 0; way < WAYS; way++)
        for (uint32_t held_out = 0; held_out < 2; held_out++) {
            sequence_processes_job job = {.way = (tested_way)way, .held_out = held_out};
            crd_context *context;
            crd_error error;
            assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
            assert_done(validate(context, &job, &job, &error), error);
            for (unsigned count = 2; count <= 4; count++) assert_true(run_group(count, work, &job));
            crd_free(context, job.bytes);
            crd_context_destroy(context);
        }
}

static void *resize_or_fail(void *user, void *block, size_t bytes) {
    sequence_processes_job *job = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (job->left > 0) job->left--;
    return job->left == 0 ? NULL : realloc(block, bytes);
}

static bool run_short(crd_context *context, void *state) {
    sequence_processes_job job = *(const sequence_processes_job *)state, sequence_processes = {0};
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *poor = NULL;
    crd_error error;
    options.communicator = &context->processes.communicator;
    if (context->processes.communicator.rank != 1) job.left = SIZE_MAX;
    options.resize = resize_or_fail;
    options.resize_user = &job;
    if (crd_context_create(&options, &poor) != CRD_OK) return false;
    const crd_status status = validate(poor, &job, &sequence_processes, &error);
    /* Of labels all processes have the failure of one; of hidden states one that fails between two collective calls may be gone for the others. */
    const bool has_failed = status == CRD_ERROR_MEMORY || (status == CRD_ERROR_SYSTEM && job.way != LABELS);
    crd_free(poor, sequence_processes.bytes);
    crd_context_destroy(poor);
    crd_context_destroy(context);
    return has_failed || status == CRD_OK;
}

static void processes_run_short_of_memory_together(void **state) {
    (void)state;
    make_table();
    for (int way = 0; way < WAYS; way++)
        for (size_t left = 150; left < 4000; left = left * 5 / 3)
            for (unsigned count = 2; count <= 4; count += 2) {
                sequence_processes_job job = {.way = (tested_way)way, .left = left};
                assert_true(run_group(count, run_short, &job));
            }
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {cmocka_unit_test(processes_test_folds_as_one),
                                       cmocka_unit_test(processes_run_short_of_memory_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
