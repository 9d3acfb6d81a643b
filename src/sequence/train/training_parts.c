/* SPDX-License-Identifier: MIT */
/* training_parts.c - samples and folds of sequences. See training_parts.h. */
#include "sequence/train/training_parts.h"

#include "base/error.h"
#include "base/memory.h"

enum { SAMPLE_STEPS = 20000, PIECE_STEPS = 1000, FOLDS = 5, PIECES_OF_FOLD = 2, LEAST_PIECE = 2 };

/* ---- Parts for starts ---- */

/* Adds up to PIECE_STEPS steps from a position on, or slightly more. Shorter sequences are taken as a whole, and all
 * sequences if `whole` is true. Returns the number of steps. */
static uint64_t training_parts_take_piece(const crd_i_training_steps *all, size_t *cursor, uint64_t within, bool whole,
                                          crd_i_segment *segments, size_t *count) {
    uint64_t taken = 0;
    while (*cursor < all->segment_count && taken < PIECE_STEPS) {
        const crd_i_segment *segment = &all->segments[*cursor];
        const uint64_t length = segment->target - segment->source;
        crd_i_segment piece = *segment;
        if (!whole && length > PIECE_STEPS) {
            piece.source = segment->source + within;
            if (piece.target - piece.source > PIECE_STEPS) piece.target = piece.source + PIECE_STEPS;
        }
        within = 0;
        segments[(*count)++] = piece;
        taken += piece.target - piece.source;
        (*cursor)++;
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
    size_t index = 0, count = 0;
    out->steps.steps = 0;
    for (size_t i = 0; i < SAMPLE_STEPS / PIECE_STEPS; i++) {
        const uint64_t place = (uint64_t)((double)i * apart);
        while (index < all->segment_count &&
               before + (all->segments[index].target - all->segments[index].source) <= place) {
            before += all->segments[index].target - all->segments[index].source;
            index++;
        }
        if (index == all->segment_count) break;
        size_t next = index;
        out->steps.steps +=
            training_parts_take_piece(all, &next, place > before ? place - before : 0, whole, out->segments, &count);
        /* A long sequence may contain further pieces. */
        for (; index < next && before + (all->segments[index].target - all->segments[index].source) <=
                                   (uint64_t)((double)(i + 1) * apart);
             index++)
            before += all->segments[index].target - all->segments[index].source;
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

/* Cuts the sequences into pieces of about `each` steps. */
static void training_parts_cut(const crd_i_training_problem *problem, uint64_t each, crd_i_training_folds *folds) {
    for (size_t i = 0; i < problem->segment_count; i++) {
        const crd_i_segment *segment = &problem->segments[i];
        for (uint64_t index = segment->source; index < segment->target;) {
            crd_i_segment piece = {segment->sequence, index, index + each};
            /* A remainder that would be too short is added to the last piece. */
            if (segment->target - index < 2 * each) piece.target = segment->target;
            folds->segments[folds->segment_count++] = piece;
            index = piece.target;
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
    out->segment = crd_i_alloc(problem->context, problem->segment_count + 2 * enough, sizeof *out->segment);
    if (out->segments == NULL || out->segment == NULL) {
        crd_i_training_folds_clear(out, problem->context);
        return crd_i_fail_memory(error);
    }
    if (problem->segment_count >= FOLDS)
        for (size_t i = 0; i < problem->segment_count; i++) out->segments[out->segment_count++] = problem->segments[i];
    else training_parts_cut(problem, each, out);
    out->count = out->segment_count < FOLDS ? out->segment_count : FOLDS;
    return CRD_OK;
}

void crd_i_training_folds_clear(crd_i_training_folds *folds, crd_context *context) {
    crd_free(context, folds->segments);
    crd_free(context, folds->segment);
    folds->segments = folds->segment = NULL;
}

void crd_i_training_folds_part(crd_i_training_folds *folds, size_t which, crd_i_training_steps *held,
                               crd_i_training_steps *others) {
    size_t count = 0;
    held->steps = others->steps = 0;
    for (size_t i = which; i < folds->segment_count; i += folds->count) {
        held->steps += folds->segments[i].target - folds->segments[i].source;
        folds->segment[count++] = folds->segments[i];
    }
    held->segments = folds->segment;
    held->segment_count = count;
    others->segments = folds->segment + count;
    others->segment_count = folds->segment_count - count;
    for (size_t i = 0; i < folds->segment_count; i++) {
        if (i % folds->count == which) continue;
        others->steps += folds->segments[i].target - folds->segments[i].source;
        folds->segment[count++] = folds->segments[i];
    }
}
