/* SPDX-License-Identifier: MIT */
/* estimates.c - see estimates.h. */
#include "infer/approximate/estimates.h"

#include "base/call.h"
#include "base/error.h"
#include "base/thread_pool.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <stdatomic.h>

uint64_t crd_i_draw_count(const crd_inference_options *options) {
    return options->draws == 0 ? (uint64_t)1 << 17 : options->draws;
}

void crd_i_aim_look(const crd_i_aim *aim, const crd_i_target *target, const crd_i_proposal *proposal,
                    const crd_i_draw *draw, double *out, size_t *first, size_t *count) {
    const uint32_t *size_of = aim->reduced->size_of;
    uint32_t last = aim->variables[target->end - 1];
    size_t row = 0;
    for (size_t i = target->begin; i + 1 < target->end; i++)
        row = row * size_of[aim->variables[i]] + draw->states[aim->variables[i]];
    *first = target->cell + row * size_of[last];
    *count = size_of[last];
    double sum = crd_i_proposal_conditional(proposal, draw, last, out);
    for (size_t i = 0; i < *count; i++) out[i] /= sum;
}

/* ---- Sums of weights ---- */

/* Smaller weights are negligible relative to 1, and their squares do not underflow either. */
enum { LEAST_POWER = -500 };

static double estimates_power_of_two(int64_t power) {
    return power < LEAST_POWER ? 0 : ldexp(1, (int)power);
}

double crd_i_weights_add(crd_i_weights *weights, const crd_i_draw *draw, double *weight) {
    double factor = 1;
    weights->draws++;
    *weight = 0;
    if (draw->weight.mantissa == 0) return factor;
    /* The unit changes rarely, because it leaves headroom above the largest weight. */
    if (weights->sum == 0) {
        weights->exponent = draw->weight.exponent;
    } else if (draw->weight.exponent > weights->exponent + 100) {
        factor = estimates_power_of_two(weights->exponent - draw->weight.exponent);
        weights->exponent = draw->weight.exponent;
        weights->sum *= factor;
        weights->squares *= factor * factor;
        weights->largest *= factor;
    }
    *weight = draw->weight.mantissa * estimates_power_of_two(draw->weight.exponent - weights->exponent);
    weights->sum += *weight;
    weights->squares += *weight * *weight;
    if (*weight > weights->largest) weights->largest = *weight;
    return factor;
}

void crd_i_weights_merge(crd_i_weights *weights, const crd_i_weights *others, double *ours, double *theirs) {
    *ours = *theirs = 1;
    weights->draws += others->draws;
    if (others->sum == 0) return;
    if (weights->sum == 0) {
        weights->exponent = others->exponent;
    } else if (others->exponent > weights->exponent) {
        *ours = estimates_power_of_two(weights->exponent - others->exponent);
        weights->exponent = others->exponent;
    } else {
        *theirs = estimates_power_of_two(others->exponent - weights->exponent);
    }
    weights->sum = weights->sum * *ours + others->sum * *theirs;
    weights->squares = weights->squares * *ours * *ours + others->squares * *theirs * *theirs;
    weights->largest *= *ours;
    if (others->largest * *theirs > weights->largest) weights->largest = others->largest * *theirs;
}

double crd_i_weights_effective(const crd_i_weights *weights) {
    return weights->squares > 0 ? weights->sum * weights->sum / weights->squares : 0;
}

double crd_i_weights_surely(const crd_i_weights *weights) {
    double effective = crd_i_weights_effective(weights);
    bool is_one_heavy = weights->largest > 0 && weights->sum / weights->largest < effective;
    return is_one_heavy ? weights->sum / weights->largest : effective;
}

/* The squared coefficient of variation of the mean weight is 1 / effective - 1 / draws. The variance of its
 * logarithm is approximately the same. */
void crd_i_weights_evidence(const crd_i_weights *weights, const crd_i_proposal *proposal,
                            crd_inference_result *result) {
    double effective = crd_i_weights_effective(weights);
    double variance = 1 / effective - 1 / weights->draws;
    result->log_evidence =
        proposal->log_scale + crd_i_log_scaled(weights->sum, weights->exponent) - crd_log(weights->draws);
    result->log_evidence_error = crd_i_honest_error(variance > 0 ? variance : 0, effective);
}

/* Weights that did not occur would be among the largest. The error is therefore increased by half, and by more if
 * few draws are effective. With this, two standard errors cover each estimate in at least 98 of 100 runs on networks
 * of all kinds (bench_monte_carlo). */
double crd_i_honest_error(double variance, double effective) {
    double missed = 1.5 / effective;
    return sqrt((1.5 + 50 / effective) * variance + missed * missed);
}

crd_status crd_i_fail_no_draw(double draws, crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_NOT_CONVERGED,
                      "none of %.0f draws agrees with all findings: the findings may contradict each other; use more "
                      "draws, or more memory for an exact result",
                      draws);
}

/* ---- Pieces ---- */

size_t crd_i_pieces_slots(size_t numbers) {
    const size_t capacity = (size_t)1 << 22;
    size_t slots = numbers == 0 ? CRD_I_MOST_SLOTS : capacity / numbers;
    return slots < 1 ? 1 : slots > CRD_I_MOST_SLOTS ? CRD_I_MOST_SLOTS : slots;
}

typedef struct estimates_shift {
    const crd_i_pieces *pieces;
    uint64_t begin;
    size_t count;
    atomic_size_t next;
} estimates_shift;

static void estimates_take_part(void *state, unsigned member) {
    estimates_shift *own = state;
    for (;;) {
        size_t slot = atomic_fetch_add(&own->next, 1);
        if (slot >= own->count || crd_i_context_cancelled(own->pieces->context)) return;
        own->pieces->make(own->pieces->state, member, own->begin + slot, slot);
    }
}

crd_status crd_i_pieces_run(const crd_i_pieces *pieces, crd_error *error) {
    estimates_shift shift = {.pieces = pieces};
    crd_i_stage stage;
    crd_i_stage_begin(&stage, "sampling", pieces->count);
    while (shift.begin < pieces->count) {
        uint64_t left = pieces->count - shift.begin;
        shift.count = left < pieces->slots ? (size_t)left : pieces->slots;
        atomic_init(&shift.next, 0);
        unsigned threads = pieces->threads < shift.count ? pieces->threads : (unsigned)shift.count;
        crd_i_thread_pool_run(pieces->context, threads, estimates_take_part, &shift);
        if (crd_i_context_cancelled(pieces->context)) break;
        for (size_t i = 0; i < shift.count; i++) pieces->take(pieces->state, shift.begin + i, i);
        shift.begin += shift.count;
        crd_i_stage_add(&stage, shift.count);
    }
    crd_i_stage_end(&stage);
    return shift.begin < pieces->count ? crd_i_fail_cancelled(error) : CRD_OK;
}
