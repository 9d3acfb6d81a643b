/* SPDX-License-Identifier: MIT */
/* likelihood_weighting.c - posteriors from weighted draws.
 *
 * With weights w and what each draw says of a cell, x, the estimate is p = sum w x / sum w, and its variance, as that
 * of a ratio of means, about sum w^2 (x - p)^2 / (sum w)^2. */
#include "infer/approximate/estimates.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>
#include <string.h>

enum { PIECE = 256 }; /* draws */

/* Sums of draws: of w x, w^2 x and w^2 x^2, by cell. */
typedef struct sums {
    crd_i_weights weights;
    double *numbers;
} sums;

typedef struct weighting {
    const crd_i_aim *aim;
    const crd_i_proposal *proposal;
    uint64_t draws, seed;
    crd_i_draw *members; /* a draw a thread */
    double *looks;       /* room for what it says, a thread */
    sums slots[CRD_I_MOST_SLOTS], total;
} weighting;

static void multiply(const weighting *own, sums *of, double factor) {
    size_t cells = own->aim->cells;
    if (factor == 1) return;
    for (size_t i = 0; i < cells; i++) of->numbers[i] *= factor;
    for (size_t i = cells; i < 3 * cells; i++) of->numbers[i] *= factor * factor;
}

static void make_piece(void *state, unsigned member, uint64_t piece, size_t slot) {
    const weighting *own = state;
    const crd_i_aim *aim = own->aim;
    sums *to = &((weighting *)state)->slots[slot];
    crd_i_draw *draw = &own->members[member];
    double *look = own->looks + member * aim->reduced->widest;
    const crd_i_weights none = {0};
    to->weights = none;
    memset(to->numbers, 0, 3 * aim->cells * sizeof *to->numbers);
    for (uint64_t i = piece * PIECE; i < own->draws && i < (piece + 1) * PIECE; i++) {
        crd_i_random random = crd_i_random_at(own->seed, i);
        double weight;
        bool is_possible = crd_i_proposal_draw(own->proposal, &random, draw);
        multiply(own, to, crd_i_weights_add(&to->weights, draw, &weight));
        for (size_t j = 0; is_possible && j < aim->target_count; j++) {
            size_t first, count;
            crd_i_aim_look(aim, &aim->targets[j], own->proposal, draw, look, &first, &count);
            double *plain = to->numbers + first, *squared = plain + aim->cells, *square = squared + aim->cells;
            for (size_t k = 0; k < count; k++) {
                double part = weight * look[k];
                plain[k] += part;
                squared[k] += weight * part;
                square[k] += part * part;
            }
        }
    }
}

static void take_piece(void *state, uint64_t piece, size_t slot) {
    weighting *own = state;
    double ours, theirs;
    (void)piece;
    crd_i_weights_merge(&own->total.weights, &own->slots[slot].weights, &ours, &theirs);
    multiply(own, &own->total, ours);
    multiply(own, &own->slots[slot], theirs);
    for (size_t i = 0; i < 3 * own->aim->cells; i++) own->total.numbers[i] += own->slots[slot].numbers[i];
}

static void estimate(const weighting *own, crd_inference_result *asked) {
    const crd_i_aim *aim = own->aim;
    const crd_i_weights *weights = &own->total.weights;
    const double *plain = own->total.numbers, *squared = plain + aim->cells, *square = squared + aim->cells;
    double shown = crd_i_weights_surely(weights);
    for (size_t i = 0; i < aim->cells; i++) {
        double p = plain[i] / weights->sum;
        double variance = square[i] - 2 * p * squared[i] + p * p * weights->squares;
        variance = variance > 0 ? variance / (weights->sum * weights->sum) : 0;
        aim->estimates[i] = p;
        aim->errors[i] = crd_i_honest_error(variance, shown);
    }
    asked->draws = weights->draws;
    asked->effective_draws = crd_i_weights_effective(weights);
    crd_i_weights_evidence(weights, own->proposal, asked);
}

static void close_members(const weighting *own, unsigned threads) {
    for (unsigned i = 0; own->members != NULL && i < threads; i++)
        crd_i_draw_close(own->aim->reduced, &own->members[i]);
    crd_free(own->aim->reduced->context, own->members);
}

crd_status crd_i_weighting(const crd_i_aim *aim, const crd_i_proposal *proposal, crd_inference_result *asked,
                           crd_error *error) {
    const crd_i_reduced *reduced = aim->reduced;
    const crd_inference_options *options = &aim->question->options;
    crd_context *context = reduced->context;
    unsigned threads = crd_i_thread_pool_size(options->threads);
    size_t slots = crd_i_pieces_slots(3 * aim->cells);
    weighting own = {.aim = aim, .proposal = proposal, .seed = options->seed};
    own.draws = crd_i_draw_count(options);
    if (threads > slots) threads = (unsigned)slots;
    own.members = crd_i_alloc_zeroed(context, threads, sizeof *own.members);
    own.looks = crd_i_alloc(context, threads * reduced->widest, sizeof *own.looks);
    own.total.numbers = crd_i_alloc_zeroed(context, 3 * aim->cells, sizeof(double));
    double *numbers = crd_i_alloc(context, slots * 3 * aim->cells, sizeof *numbers);
    bool done = own.members != NULL && own.looks != NULL && own.total.numbers != NULL && numbers != NULL;
    for (unsigned i = 0; done && i < threads; i++) done = crd_i_draw_open(reduced, &own.members[i]);
    for (size_t i = 0; done && i < slots; i++) own.slots[i].numbers = numbers + i * 3 * aim->cells;
    const crd_i_pieces pieces = {.context = context,
                                 .count = own.draws / PIECE + (own.draws % PIECE > 0),
                                 .slots = slots,
                                 .threads = threads,
                                 .state = &own,
                                 .make = make_piece,
                                 .take = take_piece};
    crd_status status = done ? crd_i_pieces_run(&pieces, error) : crd_i_fail_memory(error);
    if (status == CRD_OK && own.total.weights.sum == 0) status = crd_i_fail_no_draw((double)own.draws, error);
    if (status == CRD_OK) estimate(&own, asked);
    close_members(&own, threads);
    crd_free(context, own.looks);
    crd_free(context, own.total.numbers);
    crd_free(context, numbers);
    return status;
}
