/* SPDX-License-Identifier: MIT */
/* likelihood_weighting.c - posteriors from weighted draws.
 *
 * With weights w and the contribution x of each draw to a cell, the estimate is p = sum w x / sum w. Its variance,
 * by the delta method for a ratio of means, is approximately sum w^2 (x - p)^2 / (sum w)^2. */
#include "infer/approximate.h"

#include "base/arena.h"
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { PIECE = 256 }; /* draws per chunk */

/* Sums over draws, by cell: w x, w^2 x and w^2 x^2. */
typedef struct sums {
    crd_i_weights weights;
    double *numbers;
} sums;

typedef struct weighting {
    const crd_i_aim *aim;
    const crd_i_proposal *proposal;
    uint64_t draws, seed;
    crd_i_draw *members; /* one draw per thread */
    double *looks;       /* scratch for a draw's contributions, one per thread */
    sums slots[CRD_I_MOST_SLOTS], total;
    crd_i_stage stage;
} weighting;

static void weighting_multiply(const weighting *own_weighting, sums *source_sums, double factor) {
    size_t cells = own_weighting->aim->cells;
    if (factor == 1) return;
    for (size_t i = 0; i < cells; i++) source_sums->numbers[i] *= factor;
    for (size_t i = cells; i < 3 * cells; i++) source_sums->numbers[i] *= factor * factor;
}

/* Computes the sums of a chunk of draws. */
static crd_status make_piece(void *state, unsigned member, size_t piece, unsigned slot, crd_error *error) {
    weighting *own_weighting = state;
    const crd_i_aim *aim = own_weighting->aim;
    sums *target_sums = &own_weighting->slots[slot];
    if (crd_i_context_cancelled(aim->reduced->context)) return crd_i_fail_cancelled(error);
    crd_i_draw *draw = &own_weighting->members[member];
    double *look = own_weighting->looks + member * aim->reduced->widest;
    const crd_i_weights none = {0};
    target_sums->weights = none;
    memset(target_sums->numbers, 0, 3 * aim->cells * sizeof *target_sums->numbers);
    for (uint64_t i = piece * PIECE; i < own_weighting->draws && i < (piece + 1) * PIECE; i++) {
        crd_i_random random = crd_i_random_at(own_weighting->seed, i);
        double weight;
        bool is_possible = crd_i_proposal_draw(own_weighting->proposal, &random, draw);
        weighting_multiply(own_weighting, target_sums, crd_i_weights_add(&target_sums->weights, draw, &weight));
        for (size_t j = 0; is_possible && j < aim->target_count; j++) {
            size_t first, count;
            crd_i_aim_look(aim, &aim->targets[j], own_weighting->proposal, draw, look, &first, &count);
            double *plain = target_sums->numbers + first, *squared = plain + aim->cells, *square = squared + aim->cells;
            for (size_t k = 0; k < count; k++) {
                double part = weight * look[k];
                plain[k] += part;
                squared[k] += weight * part;
                square[k] += part * part;
            }
        }
    }
    crd_i_stage_add(&own_weighting->stage, 1);
    return CRD_OK;
}

static crd_status weighting_take_piece(void *state, size_t piece, unsigned slot, crd_error *error) {
    weighting *own_weighting = state;
    double ours, theirs;
    (void)piece;
    (void)error;
    crd_i_weights_merge(&own_weighting->total.weights, &own_weighting->slots[slot].weights, &ours, &theirs);
    weighting_multiply(own_weighting, &own_weighting->total, ours);
    weighting_multiply(own_weighting, &own_weighting->slots[slot], theirs);
    for (size_t i = 0; i < 3 * own_weighting->aim->cells; i++)
        own_weighting->total.numbers[i] += own_weighting->slots[slot].numbers[i];
    return CRD_OK;
}

static void weighting_estimate(const weighting *own_weighting, crd_inference_result *result) {
    const crd_i_aim *aim = own_weighting->aim;
    const crd_i_weights *weights = &own_weighting->total.weights;
    const double *plain = own_weighting->total.numbers, *squared = plain + aim->cells, *square = squared + aim->cells;
    double shown = crd_i_weights_surely(weights);
    for (size_t i = 0; i < aim->cells; i++) {
        double p = plain[i] / weights->sum;
        double variance = square[i] - 2 * p * squared[i] + p * p * weights->squares;
        variance = variance > 0 ? variance / (weights->sum * weights->sum) : 0;
        aim->estimates[i] = p;
        aim->errors[i] = crd_i_honest_error(variance, shown);
    }
    result->draws = weights->draws;
    result->effective_draws = crd_i_weights_effective(weights);
    crd_i_weights_evidence(weights, own_weighting->proposal, result);
}

crd_status crd_i_weighting(const crd_i_aim *aim, const crd_i_proposal *proposal, crd_inference_result *result,
                           crd_error *error) {
    const crd_i_reduced *reduced = aim->reduced;
    const crd_inference_options *options = &aim->query->options;
    crd_context *context = reduced->context;
    const unsigned threads = crd_i_sampling_threads(options->threads, 3 * aim->cells);
    const size_t slots = (size_t)threads * CRD_I_SLOTS_OF_THREAD;
    weighting own_weighting = {.aim = aim, .proposal = proposal, .seed = options->seed};
    own_weighting.draws = crd_i_draw_count(options);
    crd_i_arena *arena = crd_i_arena_create(context);
    own_weighting.members = crd_i_arena_alloc_zeroed(arena, threads, sizeof *own_weighting.members);
    own_weighting.looks = crd_i_arena_alloc(arena, threads * reduced->widest, sizeof *own_weighting.looks);
    own_weighting.total.numbers = crd_i_arena_alloc_zeroed(arena, 3 * aim->cells, sizeof(double));
    double *numbers = crd_i_arena_alloc(arena, slots * 3 * aim->cells, sizeof *numbers);
    bool done = !crd_i_arena_failed(arena);
    for (unsigned i = 0; done && i < threads; i++) done = crd_i_draw_open(reduced, &own_weighting.members[i]);
    for (size_t i = 0; done && i < slots; i++) own_weighting.slots[i].numbers = numbers + i * 3 * aim->cells;
    const crd_i_ordered_work work = {.user = &own_weighting,
                                     .tasks = (size_t)(own_weighting.draws / PIECE + (own_weighting.draws % PIECE > 0)),
                                     .threads = threads,
                                     .work = make_piece,
                                     .take = weighting_take_piece};
    crd_i_stage_begin(&own_weighting.stage, "sampling", work.tasks);
    crd_status status = done ? crd_i_ordered_work_run(context, &work, error) : crd_i_fail_memory(error);
    crd_i_stage_end(&own_weighting.stage);
    if (status == CRD_OK && own_weighting.total.weights.sum == 0)
        status = crd_i_fail_no_draw((double)own_weighting.draws, error);
    if (status == CRD_OK) weighting_estimate(&own_weighting, result);
    for (unsigned i = 0; own_weighting.members != NULL && i < threads; i++) crd_i_draw_close(&own_weighting.members[i]);
    crd_i_arena_destroy(arena);
    return status;
}
