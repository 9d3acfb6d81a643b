/* SPDX-License-Identifier: MIT */
/* evaluate_trial.c - frames of a reader answered by threads, and judged in their order, on which nothing depends then.
 */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <stdlib.h>

/* What came of one frame, until it is judged. */
typedef struct answers {
    crd_posteriors *posteriors;
    const crd_frame *frame;
} answers;

typedef struct run {
    const trial *trial;
    answers *slots;
    int ended;
} run;

static crd_status answer_frame(void *user, unsigned slot, const crd_worker *lane, const crd_frame *frame,
                               crd_error *error) {
    const run *r = user;
    (void)lane;
    r->slots[slot].frame = frame;
    return r->trial->answer(r->trial->user, slot, frame, r->slots[slot].posteriors, error);
}

static crd_status judge_answers(void *user, unsigned slot, crd_error *error) {
    run *r = user;
    const trial *t = r->trial;
    const crd_frame *frame = r->slots[slot].frame;
    /* Beginning again may have failed. */
    if (r->ended == ENDED_WELL)
        r->ended = judge_frame(t->judge, frame, r->slots[slot].posteriors, frame_column(frame, t->target), NULL);
    if (r->ended == ENDED_WELL && t->look_at != NULL) r->ended = t->look_at(t->user, frame);
    if (r->ended == ENDED_WELL && !output_broken(&t->judge->list.out)) return CRD_OK;
    error->status = CRD_ERROR_CANCELLED;
    return CRD_ERROR_CANCELLED;
}

static void judge_again(void *user) {
    run *r = user;
    if (r->trial->forget != NULL) r->trial->forget(r->trial->user);
    r->ended = judge_start(r->trial->judge);
}

static crd_parallel_map process_of(run *r) {
    crd_parallel_map process = CRD_PARALLEL_MAP_INIT;
    process.user = r;
    process.work = answer_frame;
    process.take = judge_answers;
    process.restart = judge_again;
    process.holds_frames = 1; /* which the judge reads */
    return process;
}

unsigned trial_answerers(const crd_reader *reader) {
    crd_parallel_map process = process_of(NULL);
    return crd_parallel_map_slots(&process, reader);
}

int trial_run(const trial *t, crd_reader *reader) {
    unsigned slots = trial_answerers(reader);
    run r = {.trial = t, .slots = memory_resize(NULL, slots, sizeof *r.slots)};
    crd_parallel_map process = process_of(&r);
    crd_error error;
    crd_status status = CRD_OK;
    crd_reader_set_frame_rows(reader, crd_posteriors_frame_rows(t->judge->class_count));
    for (unsigned i = 0; i < slots; i++) r.slots[i] = (answers){0};
    for (unsigned i = 0; i < slots && status == CRD_OK; i++) {
        status = crd_posteriors_create(t->judge->call->context, &r.slots[i].posteriors, &error);
    }
    if (status == CRD_OK) {
        r.ended = judge_start(t->judge);
        if (r.ended == ENDED_WELL) status = crd_reader_parallel_map(reader, &process, &error);
    }
    for (unsigned i = 0; i < slots; i++) crd_posteriors_destroy(r.slots[i].posteriors);
    free(r.slots);
    if (r.ended != ENDED_WELL) return r.ended;
    /* Ending the judge reports why nothing can be written. */
    return status == CRD_OK || output_broken(&t->judge->list.out) ? ENDED_WELL : judge_stop(t->judge, &error);
}
