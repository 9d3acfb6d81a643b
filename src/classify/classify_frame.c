/* SPDX-License-Identifier: MIT */
/* classify_frame.c - classifies all rows of a frame, or of a reader, with several threads, and writes the results to
 * the caller's arrays.
 *
 * Each row is classified independently, so the results do not depend on the number of threads or on which thread takes
 * which rows. */
#include "classify/posteriors.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <string.h>

/* Copies the caller's request. Returns CRD_ERROR_ARGUMENT if it is missing or its size is not set. */
static crd_status take_request(const crd_results *given, crd_results *into, crd_error *error) {
    const crd_results none = CRD_RESULTS_INIT;
    *into = none;
    if (given == NULL || !crd_i_copy_in(given, into, sizeof *into))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the results are missing, or their size is not set");
    return CRD_OK;
}

/* ---- Frames ---- */

/* Number of rows that a thread takes at a time. It is large enough that taking them costs almost nothing. */
enum { ROWS_AT_A_TIME = 4096 };

typedef struct frame_member {
    crd_posteriors *posteriors;
    crd_status status;
    size_t row; /* the row that failed; SIZE_MAX: none, or no row in particular */
    crd_error error;
} frame_member;

typedef struct work {
    const crd_classifier *classifier;
    const crd_frame *frame;
    crd_i_answers_into into;
    atomic_size_t next; /* the first row that no thread has taken */
    atomic_bool is_over;
    frame_member *members;
} work;

/* Classifies ranges of rows until all are taken. Ranges are taken in order, so when a row fails, all rows before it are
 * already being classified. */
static void answer_ranges(void *state, unsigned number) {
    work *shared = state;
    frame_member *member = &shared->members[number];
    const crd_frame *frame = shared->frame;
    crd_context *context = shared->classifier->context;
    member->row = SIZE_MAX;
    member->status = crd_posteriors_create(context, &member->posteriors, &member->error);
    if (member->status == CRD_OK)
        member->status = crd_i_posteriors_bind(member->posteriors, shared->classifier, frame, &member->error);
    while (member->status == CRD_OK && !atomic_load(&shared->is_over)) {
        size_t first = atomic_fetch_add(&shared->next, ROWS_AT_A_TIME), failed;
        if (first >= frame->rows) break;
        if (crd_i_context_cancelled(context)) {
            member->status = crd_i_fail_cancelled(&member->error);
            break;
        }
        size_t end = frame->rows - first < ROWS_AT_A_TIME ? frame->rows : first + ROWS_AT_A_TIME;
        member->status = crd_i_posteriors_answer(member->posteriors, shared->classifier, frame, first, end,
                                                 &shared->into, &failed, &member->error);
        if (member->status != CRD_OK) member->row = failed;
    }
    if (member->status != CRD_OK) atomic_store(&shared->is_over, true);
    crd_posteriors_destroy(member->posteriors);
}

/* Returns the error of the first row that failed, or CRD_OK. */
static crd_status classify_frame_report(const work *shared, unsigned size, crd_error *error) {
    const frame_member *member = NULL;
    for (unsigned i = 0; i < size; i++) {
        const frame_member *other = &shared->members[i];
        if (other->status != CRD_OK && (member == NULL || other->row < member->row)) member = other;
    }
    if (member == NULL) return CRD_OK;
    if (error != NULL) *error = member->error;
    return member->status;
}

crd_status crd_classifier_classify_frame(const crd_classifier *classifier, const crd_frame *frame,
                                         const crd_results *given, crd_error *error) {
    crd_results results;
    crd_status status = take_request(given, &results, error);
    if (status != CRD_OK) return status;
    if (results.rows < frame->rows)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the frame has %zu rows, but the results have room for %zu",
                          frame->rows, results.rows);
    work shared = {.classifier = classifier,
                   .frame = frame,
                   .into = {.log_posteriors = results.log_posteriors,
                            .probabilities = results.probabilities,
                            .answers = results.answers,
                            .decisions = results.decisions}};
    size_t shares = frame->rows == 0 ? 1 : (frame->rows - 1) / ROWS_AT_A_TIME + 1;
    unsigned size = crd_i_thread_pool_size(results.threads);
    if (size > shares) size = (unsigned)shares;
    shared.members = crd_i_alloc_zeroed(classifier->context, size, sizeof *shared.members);
    if (shared.members == NULL) return crd_i_fail_memory(error);
    atomic_init(&shared.next, 0);
    atomic_init(&shared.is_over, false);
    crd_i_thread_pool_run(classifier->context, size, answer_ranges, &shared);
    status = classify_frame_report(&shared, size, error);
    crd_free(classifier->context, shared.members);
    return status;
}

/* ---- Readers ---- */

typedef struct frame_passage {
    const crd_classifier *classifier;
    crd_posteriors **slots;
    crd_results into;
    size_t rows; /* rows written so far */
} frame_passage;

static crd_status classify_frame_answer_part(void *user, unsigned slot, const crd_worker *worker,
                                             const crd_frame *frame, crd_error *error) {
    (void)worker;
    frame_passage *p = user;
    return crd_classifier_classify(p->classifier, frame, p->slots[slot], error);
}

/* Copies the results of one part of the rows to the caller's arrays. The parts arrive in row order. */
static crd_status classify_frame_take_part(void *user, unsigned slot, crd_error *error) {
    frame_passage *p = user;
    const crd_posteriors *source_posteriors = p->slots[slot];
    size_t rows = crd_posteriors_rows(source_posteriors), classes = p->classifier->class_count, index = p->rows;
    if (rows > p->into.rows - index)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "there are more rows than the results have room for: %zu",
                          p->into.rows);
    if (rows == 0) return CRD_OK;
    if (p->into.log_posteriors != NULL)
        memcpy(p->into.log_posteriors + index * classes, crd_posteriors_log(source_posteriors, 0),
               rows * classes * sizeof *p->into.log_posteriors);
    if (p->into.probabilities != NULL)
        memcpy(p->into.probabilities + index * classes, crd_posteriors_probabilities(source_posteriors, 0),
               rows * classes * sizeof *p->into.probabilities);
    for (size_t row = 0; row < rows; row++) {
        const crd_answer *answer = crd_posteriors_answer(source_posteriors, row);
        if (p->into.answers != NULL) p->into.answers[index + row] = *answer;
        if (p->into.decisions != NULL) p->into.decisions[index + row] = answer->decision;
    }
    p->rows += rows;
    return CRD_OK;
}

static void classify_frame_restart(void *user) {
    ((frame_passage *)user)->rows = 0;
}

crd_status crd_classifier_classify_reader(const crd_classifier *classifier, crd_reader *reader,
                                          const crd_results *given, size_t *rows, crd_error *error) {
    crd_context *context = classifier->context;
    frame_passage p = {.classifier = classifier};
    *rows = 0;
    crd_status status = take_request(given, &p.into, error);
    if (status != CRD_OK) return status;
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.threads = p.into.threads;
    map.user = &p;
    map.work = classify_frame_answer_part;
    map.take = classify_frame_take_part;
    map.restart = classify_frame_restart;
    unsigned count = crd_parallel_map_slots(&map, reader);
    p.slots = crd_i_alloc_zeroed(context, count, sizeof *p.slots);
    if (p.slots == NULL) return crd_i_fail_memory(error);
    for (unsigned i = 0; status == CRD_OK && i < count; i++)
        status = crd_posteriors_create(context, &p.slots[i], error);
    if (status == CRD_OK) status = crd_reader_parallel_map(reader, &map, error);
    if (status == CRD_OK) *rows = p.rows;
    for (unsigned i = 0; i < count; i++) crd_posteriors_destroy(p.slots[i]);
    crd_free(context, p.slots);
    return status;
}
