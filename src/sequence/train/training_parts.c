/* SPDX-License-Identifier: MIT */
/* training_parts.c - see training_parts.h. */
#include "sequence/train/training_parts.h"

#include "base/error.h"
#include "base/memory.h"

enum { SAMPLE_STEPS = 20000, PIECE_STEPS = 1000, FOLDS = 5, PIECES_OF_FOLD = 2, LEAST_PIECE = 2 };

/* ---- Parts for starts ---- */

/* Adds up to PIECE_STEPS steps from a place on; a sequence that is shorter is taken as a whole. Returns how many. */
static uint64_t take_piece(const crd_i_training_steps *all, size_t *at, uint64_t within, bool whole,
                           crd_i_segment *segments, size_t *count) {
    uint64_t taken = 0;
    while (*at < all->segment_count && taken < PIECE_STEPS) {
        const crd_i_segment *from = &all->segments[*at];
        const uint64_t length = from->to - from->from;
        crd_i_segment piece = *from;
        if (!whole && length > PIECE_STEPS) {
            piece.from = from->from + within;
            if (piece.to - piece.from > PIECE_STEPS) piece.to = piece.from + PIECE_STEPS;
        }
        within = 0;
        segments[(*count)++] = piece;
        taken += piece.to - piece.from;
        (*at)++;
    }
    return taken;
}

crd_status crd_i_training_part_create(const crd_i_training_problem *problem, const crd_i_training_steps *all,
                                      crd_i_training_part *out, crd_error *error) {
    const bool whole = problem->settings->is_left_to_right;
    const crd_i_training_part none = {.steps = *all};
    *out = none;
    if (all->steps <= 2 * SAMPLE_STEPS) return CRD_OK;
    out->segments =
        crd_i_alloc(problem->context, all->segment_count + SAMPLE_STEPS / PIECE_STEPS, sizeof *out->segments);
    if (out->segments == NULL) return crd_i_fail_memory(error);
    const double apart = (double)all->steps * PIECE_STEPS / SAMPLE_STEPS;
    uint64_t before = 0;
    size_t at = 0, count = 0;
    out->steps.steps = 0;
    for (size_t i = 0; i < SAMPLE_STEPS / PIECE_STEPS; i++) {
        const uint64_t place = (uint64_t)((double)i * apart);
        while (at < all->segment_count && before + (all->segments[at].to - all->segments[at].from) <= place) {
            before += all->segments[at].to - all->segments[at].from;
            at++;
        }
        if (at == all->segment_count) break;
        size_t next = at;
        out->steps.steps += take_piece(all, &next, place > before ? place - before : 0, whole, out->segments, &count);
        /* A long sequence may have further pieces. */
        for (; at < next &&
               before + (all->segments[at].to - all->segments[at].from) <= (uint64_t)((double)(i + 1) * apart);
             at++)
            before += all->segments[at].to - all->segments[at].from;
    }
    out->steps.segments = out->segments;
    out->steps.segment_count = count;
    return CRD_OK;
}

void crd_i_training_part_clear(crd_i_training_part *part, crd_context *context) {
    crd_free(context, part->segments);
    part->segments = NULL;
}

/* ---- Folds ---- */

/* Every sequence in as many pieces as make enough of all. */
static void cut(const crd_i_training_problem *problem, uint64_t each, crd_i_training_folds *to) {
    for (size_t i = 0; i < problem->segment_count; i++) {
        const crd_i_segment *from = &problem->segments[i];
        for (uint64_t at = from->from; at < from->to;) {
            crd_i_segment piece = {from->sequence, at, at + each};
            /* What would be left as a short piece belongs to the last. */
            if (from->to - at < 2 * each) piece.to = from->to;
            to->segments[to->segment_count++] = piece;
            at = piece.to;
        }
    }
}

crd_status crd_i_training_folds_create(const crd_i_training_problem *problem, crd_i_training_folds *out,
                                       crd_error *error) {
    const crd_i_training_folds none = {0};
    const size_t enough = FOLDS * PIECES_OF_FOLD;
    uint64_t each = UINT64_MAX / 2;
    *out = none;
    if (problem->segment_count < FOLDS) {
        each = problem->steps / enough;
        if (each < LEAST_PIECE) each = LEAST_PIECE;
    }
    out->segments = crd_i_alloc(problem->context, problem->segment_count + 2 * enough, sizeof *out->segments);
    out->room = crd_i_alloc(problem->context, problem->segment_count + 2 * enough, sizeof *out->room);
    if (out->segments == NULL || out->room == NULL) {
        crd_i_training_folds_clear(out, problem->context);
        return crd_i_fail_memory(error);
    }
    if (problem->segment_count >= FOLDS)
        for (size_t i = 0; i < problem->segment_count; i++) out->segments[out->segment_count++] = problem->segments[i];
    else cut(problem, each, out);
    out->count = out->segment_count < FOLDS ? out->segment_count : FOLDS;
    return CRD_OK;
}

void crd_i_training_folds_clear(crd_i_training_folds *folds, crd_context *context) {
    crd_free(context, folds->segments);
    crd_free(context, folds->room);
    folds->segments = folds->room = NULL;
}

void crd_i_training_folds_part(crd_i_training_folds *folds, size_t which, crd_i_training_steps *held,
                               crd_i_training_steps *others) {
    size_t count = 0;
    held->steps = others->steps = 0;
    for (size_t i = which; i < folds->segment_count; i += folds->count) {
        held->steps += folds->segments[i].to - folds->segments[i].from;
        folds->room[count++] = folds->segments[i];
    }
    held->segments = folds->room;
    held->segment_count = count;
    others->segments = folds->room + count;
    others->segment_count = folds->segment_count - count;
    for (size_t i = 0; i < folds->segment_count; i++) {
        if (i % folds->count == which) continue;
        others->steps += folds->segments[i].to - folds->segments[i].from;
        folds->room[count++] = folds->segments[i];
    }
}
