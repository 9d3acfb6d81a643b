/* SPDX-License-Identifier: MIT */
/* step_sample.c - a sample of steps, and seeds among them. See step_sample.h. */
#include "sequence/train/step_sample.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 10000 };

void crd_i_step_sample_destroy(crd_i_step_sample *sample) {
    if (sample == NULL) return;
    for (size_t c = 0; sample->numbers != NULL && c < sample->facts->column_count; c++)
        crd_free(sample->context, sample->numbers[c]);
    for (size_t c = 0; sample->codes != NULL && c < sample->facts->column_count; c++)
        crd_free(sample->context, sample->codes[c]);
    crd_free(sample->context, sample->numbers);
    crd_free(sample->context, sample->codes);
    crd_free(sample->context, sample);
}

static bool step_sample_make_columns(crd_i_step_sample *sample, size_t most) {
    const size_t columns = sample->facts->column_count;
    sample->numbers = crd_i_alloc_zeroed(sample->context, columns, sizeof *sample->numbers);
    sample->codes = crd_i_alloc_zeroed(sample->context, columns, sizeof *sample->codes);
    if (sample->numbers == NULL || sample->codes == NULL) return false;
    for (size_t c = 0; c < columns; c++) {
        const crd_kind kind = sample->facts->columns[c].kind;
        if (kind == CRD_KIND_NUMBER) {
            sample->numbers[c] = crd_i_alloc(sample->context, most, sizeof **sample->numbers);
            if (sample->numbers[c] == NULL) return false;
        } else if (kind == CRD_KIND_CATEGORY) {
            sample->codes[c] = crd_i_alloc(sample->context, most, sizeof **sample->codes);
            if (sample->codes[c] == NULL) return false;
        }
    }
    return true;
}

static void step_sample_take(crd_i_step_sample *sample, const crd_i_observation_block *block, size_t t) {
    for (size_t c = 0; c < sample->facts->column_count; c++) {
        if (sample->numbers[c] != NULL) sample->numbers[c][sample->steps] = block->numbers[c][t];
        else if (sample->codes[c] != NULL) sample->codes[c][sample->steps] = block->codes[c][t];
    }
    sample->steps++;
}

/* Collects the steps whose positions are multiples of total / most, rounded down (a systematic sample). */
static crd_status step_sample_gather(const crd_i_training_problem *problem, size_t most, crd_i_step_sample *sample,
                                     crd_error *error) {
    crd_i_observation_room workspace = {.context = problem->context};
    const double apart = (double)problem->steps / (double)most;
    uint64_t before = 0;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < problem->segment_count && sample->steps < most; i++) {
        const crd_i_segment *segment = &problem->segments[i];
        const uint64_t length = segment->target - segment->source;
        while (status == CRD_OK && sample->steps < most) {
            const uint64_t place = (uint64_t)((double)sample->steps * apart);
            crd_i_observation_block block;
            if (place >= before + length) break;
            if (crd_i_context_cancelled(problem->context)) status = crd_i_fail_cancelled(error);
            else
                status =
                    crd_i_sequences_block(problem->sequences, segment->sequence, segment->source + (place - before),
                                          CRD_I_BLOCK_STEPS, &workspace, &block, error);
            /* Take all sampled steps that lie in the block. */
            for (size_t t = 0; status == CRD_OK && sample->steps < most;) {
                step_sample_take(sample, &block, t);
                const uint64_t next = (uint64_t)((double)sample->steps * apart);
                if (next - place >= block.steps || next >= before + length) break;
                t = (size_t)(next - place);
            }
        }
        before += length;
    }
    crd_i_observation_room_clear(&workspace);
    return status;
}

crd_status crd_i_step_sample_create(const crd_i_training_problem *problem, crd_i_step_sample **out, crd_error *error) {
    crd_i_step_sample *sample = crd_i_alloc_zeroed(problem->context, 1, sizeof *sample);
    const size_t most = problem->steps < MOST_STEPS ? (size_t)problem->steps : MOST_STEPS;
    *out = NULL;
    if (sample == NULL) return crd_i_fail_memory(error);
    sample->context = problem->context;
    sample->facts = problem->facts;
    crd_status status = step_sample_make_columns(sample, most) ? step_sample_gather(problem, most, sample, error)
                                                               : crd_i_fail_memory(error);
    if (status == CRD_OK) *out = sample;
    else crd_i_step_sample_destroy(sample);
    return status;
}

crd_i_observation_block crd_i_step_sample_block(const crd_i_step_sample *sample, size_t source, size_t steps,
                                                const double **numbers, const int32_t **codes) {
    for (size_t c = 0; c < sample->facts->column_count; c++) {
        numbers[c] = sample->numbers[c] != NULL ? sample->numbers[c] + source : NULL;
        codes[c] = sample->codes[c] != NULL ? sample->codes[c] + source : NULL;
    }
    const crd_i_observation_block block = {.steps = steps, .numbers = numbers, .codes = codes};
    return block;
}

double crd_i_step_sample_distance(const crd_i_step_sample *sample, size_t of, const crd_i_observation_block *block,
                                  size_t t) {
    double sum = 0;
    for (size_t c = 0; c < sample->facts->column_count; c++) {
        const crd_i_observed_column *facts = &sample->facts->columns[c];
        if (sample->numbers[c] != NULL && facts->deviation > 0) {
            const double z = (sample->numbers[c][of] - block->numbers[c][t]) / facts->deviation;
            sum += z == z ? z * z : 2;
        } else if (sample->codes[c] != NULL && facts->differ > 0) {
            const int32_t a = sample->codes[c][of], b = block->codes[c][t];
            sum += a < 0 || b < 0 ? 2 : a != b ? 2 / facts->differ : 0;
        }
    }
    return sum;
}

/* ---- Seeds ---- */

/* State of the seeding: the candidates, and the seeds so far. */
typedef struct sample_seeding {
    const crd_i_step_sample *sample;
    const int32_t *source;
    int32_t which;
    crd_i_random *random;
    int32_t *nearest;
    double *distances, *cumulative;
} sample_seeding;

static bool step_sample_is_among(const sample_seeding *seeding, size_t i) {
    return seeding->source == NULL || seeding->source[i] == seeding->which;
}

static double distance_between(const crd_i_step_sample *sample, size_t a, size_t b) {
    const crd_i_observation_block all = {.steps = sample->steps,
                                         .numbers = (const double *const *)sample->numbers,
                                         .codes = (const int32_t *const *)sample->codes};
    return crd_i_step_sample_distance(sample, a, &all, b);
}

/* Returns the sum of the distances from the nearest seed if this step were a seed (the potential). */
static double potential_with(const sample_seeding *seeding, size_t seed) {
    double sum = 0;
    for (size_t i = 0; i < seeding->sample->steps; i++)
        if (step_sample_is_among(seeding, i))
            sum += fmin(seeding->distances[i], distance_between(seeding->sample, seed, i));
    return sum;
}

static void add_seed(const sample_seeding *seeding, size_t seed, int32_t number) {
    for (size_t i = 0; i < seeding->sample->steps; i++) {
        if (!step_sample_is_among(seeding, i)) continue;
        const double distance = distance_between(seeding->sample, seed, i);
        if (number > 0 && distance >= seeding->distances[i]) continue;
        seeding->distances[i] = distance;
        seeding->nearest[i] = number;
    }
}

/* Computes the cumulative sums of distances, or of 1 per step. Returns whether the total is positive and finite. */
static bool step_sample_add_up(const sample_seeding *seeding, bool has_distances) {
    double sum = 0;
    for (size_t i = 0; i < seeding->sample->steps; i++) {
        if (step_sample_is_among(seeding, i)) sum += has_distances ? seeding->distances[i] : 1;
        seeding->cumulative[i] = sum;
    }
    return sum > 0 && sum < INFINITY;
}

/* Draws several candidates and chooses the one with the smallest potential (greedy k-means++). */
static bool draw_seed(const sample_seeding *seeding, size_t number, size_t trials, size_t *seed) {
    const size_t steps = seeding->sample->steps;
    if (number == 0 || !step_sample_add_up(seeding, true)) {
        if (!step_sample_add_up(seeding, false)) return false;
        *seed = crd_i_random_choice(seeding->random, seeding->cumulative, steps);
        return true;
    }
    double least = INFINITY;
    for (size_t i = 0; i < trials; i++) {
        const size_t drawn = crd_i_random_choice(seeding->random, seeding->cumulative, steps);
        const double potential = potential_with(seeding, drawn);
        if (i > 0 && !(potential < least)) continue;
        least = potential;
        *seed = drawn;
    }
    return true;
}

bool crd_i_step_sample_seed(const crd_i_step_sample *sample, const int32_t *source, int32_t which, size_t first,
                            size_t count, crd_i_random *random, size_t *seeds, int32_t *nearest, double *distances,
                            double *workspace) {
    const sample_seeding seeding = {sample, source, which, random, nearest, distances, workspace};
    const size_t trials = 2 + (size_t)crd_log((double)count);
    for (size_t k = 0; k < count; k++) {
        if (crd_i_context_cancelled(sample->context) || (k >= first && !draw_seed(&seeding, k, trials, &seeds[k])))
            return false;
        add_seed(&seeding, seeds[k], (int32_t)k);
    }
    return true;
}
