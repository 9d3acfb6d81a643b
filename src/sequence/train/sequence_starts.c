/* SPDX-License-Identifier: MIT */
/* sequence_starts.c - creates initial models for Baum-Welch. See hmm_training.h.
 *
 * Contents:
 *   1. Sampled steps and seeds
 *   2. Initial models */
#include "sequence/train/hmm_training.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "model/model_parts.h"
#include "processes/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Sampled steps and seeds ======== */

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
        const crd_column_type type = sample->facts->columns[c].type;
        if (type == CRD_TYPE_NUMERIC) {
            sample->numbers[c] = crd_i_alloc(sample->context, most, sizeof **sample->numbers);
            if (sample->numbers[c] == NULL) return false;
        } else if (type == CRD_TYPE_CATEGORICAL) {
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

/* Returns steps of the sample as a block of observations. The block points into the sample. */
static crd_i_observation_block step_sample_block(const crd_i_step_sample *sample, size_t source, size_t steps,
                                                 const double **numbers, const int32_t **codes) {
    for (size_t c = 0; c < sample->facts->column_count; c++) {
        numbers[c] = sample->numbers[c] != NULL ? sample->numbers[c] + source : NULL;
        codes[c] = sample->codes[c] != NULL ? sample->codes[c] + source : NULL;
    }
    const crd_i_observation_block block = {.steps = steps, .numbers = numbers, .codes = codes};
    return block;
}

/* Returns the distance between a step of the sample and a step of a block, a sum over the columns. A numeric column
 * contributes the squared difference divided by the column's variance. A categorical column contributes 0 if the values
 * are equal; otherwise 2 / d, where d is the probability that two random steps differ. A column with a missing value
 * contributes 2, the expected contribution of two random steps. */
static double step_sample_distance(const crd_i_step_sample *sample, size_t of, const crd_i_observation_block *block,
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
    return step_sample_distance(sample, a, &all, b);
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

/* Draws seeds that are far apart (k-means++; Arthur and Vassilvitskii 2007). Each seed is drawn with probability
 * proportional to the distance from the earlier seeds, and is the best of a few draws. If all distances are 0, any step
 * is drawn. Only steps with source[i] = which are candidates (`source` NULL: all steps). seeds[0 .. first - 1] are
 * given. `nearest` and `distances` have an entry for each step of the sample. Returns false if there are no candidates,
 * or if cancelled. */
static bool step_sample_seed(const crd_i_step_sample *sample, const int32_t *source, int32_t which, size_t first,
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

/* ======== 2. Initial models ======== */

/* Maximum number of n-grams that are given pseudo-counts. */
static const double MOST_NGRAMS = 1 << 20;

/* Share of each state's weight in an initial model that has the overall distribution of a column. Without it, values
 * that do not occur in a state would stay impossible in all steps of EM. */
static const double SOFTENED = 0.05;

/* Share of each step's weight that a spread start divides among all states. */
static const double SPREAD = 0.5;

typedef struct start_maker {
    const crd_i_training_shape *shape;
    const crd_i_training_steps *steps;
    const crd_i_step_sample *sample;
    crd_context *context;
    crd_i_random random;
    size_t start;
    bool is_drawn;    /* probabilities of values and transitions are random, independent of the steps */
    bool is_spread;   /* densities are broad, so that the random transitions decide */
    bool has_numbers; /* some numeric column has values */
    size_t stride;
    double *sums, *sum_room;
    crd_i_weighted_rows *rows;
    crd_i_ngram_counts *ngrams;
    double *weights;         /* weights of the steps of a block */
    int32_t *states;         /* states of a block; negative: none */
    int32_t *components;     /* components of the steps of a block */
    int32_t *path;           /* states of a block from which transitions are counted */
    int32_t *state_of_label; /* for each label code: its state */
    size_t *seeds;           /* seeds of the states, then of the components of each state */
    uint64_t *cuts;          /* left-to-right topology: the step at which each state begins in the current sequence */
} start_maker;

/* ---- Counts ---- */

static crd_status sequence_starts_open_counts(start_maker *maker, crd_error *error) {
    const crd_i_training_shape *shape = maker->shape;
    maker->stride = (shape->classes + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
    maker->weights = crd_i_alloc(maker->context, CRD_I_BLOCK_STEPS * maker->stride, sizeof *maker->weights);
    maker->states = crd_i_alloc(maker->context, CRD_I_BLOCK_STEPS, sizeof *maker->states);
    maker->components = crd_i_alloc(maker->context, CRD_I_BLOCK_STEPS, sizeof *maker->components);
    maker->path = crd_i_alloc(maker->context, CRD_I_BLOCK_STEPS, sizeof *maker->path);
    if (maker->weights == NULL || maker->states == NULL || maker->components == NULL || maker->path == NULL)
        return crd_i_fail_memory(error);
    if (shape->layout != NULL) {
        maker->sums = crd_i_alloc_zeroed(maker->context, crd_i_emission_sums_size(shape->layout), sizeof *maker->sums);
        maker->sum_room = crd_i_alloc(maker->context, crd_i_emission_sums_room(shape->layout), sizeof *maker->sum_room);
        return maker->sums == NULL || maker->sum_room == NULL ? crd_i_fail_memory(error) : CRD_OK;
    }
    crd_i_schema *schema = crd_i_schema_clone(shape->schema);
    if (schema == NULL) return crd_i_fail_memory(error);
    return crd_i_weighted_steps_create(maker->steps->sequences, schema, shape->problem->emission_settings,
                                       shape->class_names, shape->classes, &maker->rows, error);
}

static void close_counts(start_maker *maker) {
    crd_i_weighted_rows_destroy(maker->rows);
    crd_i_ngram_counts_destroy(maker->ngrams);
    crd_free(maker->context, maker->sums);
    crd_free(maker->context, maker->sum_room);
    crd_free(maker->context, maker->weights);
    crd_free(maker->context, maker->states);
    crd_free(maker->context, maker->components);
    crd_free(maker->context, maker->path);
    crd_free(maker->context, maker->state_of_label);
    crd_free(maker->context, maker->seeds);
    crd_free(maker->context, maker->cuts);
}

/* Returns the share by which weighted rows are softened while they are counted: 0 unless zeros would stay. */
static double softened_rows(const start_maker *maker) {
    const crd_settings *settings = maker->shape->problem->settings;
    const bool is_smoothed = settings->smoothing != CRD_I_SMOOTHING_NONE && settings->smoothing_strength > 0;
    return maker->rows == NULL || is_smoothed || !maker->shape->problem->is_hidden ? 0 : SOFTENED;
}

/* Counts each step in the class given by `states` and `components`. */
static crd_status sequence_starts_count_block(start_maker *maker, const crd_i_observation_block *block,
                                              crd_error *error) {
    const double softened = maker->is_spread ? SPREAD : softened_rows(maker),
                 others = softened / (double)maker->shape->classes;
    memset(maker->weights, 0, block->steps * maker->stride * sizeof *maker->weights);
    for (size_t t = 0; t < block->steps; t++) {
        double *weights = maker->weights + t * maker->stride;
        if (maker->states[t] < 0) continue;
        for (size_t k = 0; softened > 0 && k < maker->shape->classes; k++) weights[k] = others;
        weights[(size_t)maker->states[t] * maker->shape->components + (size_t)maker->components[t]] += 1 - softened;
    }
    if (maker->rows != NULL) return crd_i_weighted_steps_add(maker->rows, block, maker->weights, maker->stride, error);
    crd_i_emission_sums_add(maker->shape->layout, block, maker->weights, maker->stride, maker->sum_room, maker->sums);
    return CRD_OK;
}

/* ---- The states of steps ---- */

/* Draws a seed for each state, and seeds of its components among the steps nearest to it. Returns false if out of
 * memory. */
static bool draw_seeds(start_maker *maker) {
    const crd_i_step_sample *sample = maker->sample;
    const size_t states = maker->shape->states, components = maker->shape->components;
    int32_t *nearest = crd_i_alloc_zeroed(maker->context, 2 * sample->steps, sizeof *nearest), *inner = nearest;
    double *workspace = crd_i_alloc(maker->context, 2 * sample->steps, sizeof *workspace);
    size_t *entries = crd_i_alloc(maker->context, components, sizeof *entries);
    maker->seeds = crd_i_alloc_zeroed(maker->context, states * (components + 1), sizeof *maker->seeds);
    bool done = nearest != NULL && workspace != NULL && entries != NULL && maker->seeds != NULL;
    if (done) inner = nearest + sample->steps;
    if (done) {
        (void)step_sample_seed(sample, NULL, 0, 0, states, &maker->random, maker->seeds, nearest, workspace,
                               workspace + sample->steps);
        for (size_t s = 0; s < states; s++) {
            entries[0] = maker->seeds[s];
            for (size_t m = 0; m < components; m++) entries[m] = entries[0];
            if (components > 1)
                (void)step_sample_seed(sample, nearest, (int32_t)s, 1, components, &maker->random, entries, inner,
                                       workspace, workspace + sample->steps);
            memcpy(maker->seeds + states + s * components, entries, components * sizeof *entries);
        }
    }
    crd_free(maker->context, nearest);
    crd_free(maker->context, workspace);
    crd_free(maker->context, entries);
    return done;
}

/* Returns the nearest of some seeds. Ties are broken at random. */
static int32_t nearest_of(start_maker *maker, const size_t *seeds, size_t count, const crd_i_observation_block *block,
                          size_t t) {
    double least = INFINITY;
    int32_t found = 0;
    uint64_t ties = 0;
    for (size_t k = 0; k < count; k++) {
        const double distance = step_sample_distance(maker->sample, seeds[k], block, t);
        if (distance > least) continue;
        ties = distance < least ? 1 : ties + 1;
        least = distance;
        if (ties == 1 || crd_i_random_below(&maker->random, ties) == 0) found = (int32_t)k;
    }
    return found;
}

static bool sequence_starts_is_observed(const crd_i_observation_block *block, size_t columns, size_t t) {
    for (size_t c = 0; c < columns; c++) {
        if (block->numbers[c] != NULL && block->numbers[c][t] == block->numbers[c][t]) return true;
        if (block->codes[c] != NULL && block->codes[c][t] >= 0) return true;
    }
    return false;
}

static int compare_places(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Chooses where each state of a sequence begins: at equal distances in the first start, otherwise at random. */
static void cut_sequence(start_maker *maker, uint64_t length) {
    const size_t states = maker->shape->states;
    maker->cuts[0] = 0;
    for (size_t s = 1; s < states; s++)
        maker->cuts[s] = maker->start == 0 ? (uint64_t)((double)length * (double)s / (double)states)
                                           : crd_i_random_below(&maker->random, length);
    qsort(maker->cuts, states, sizeof *maker->cuts, compare_places);
}

/* Returns the state of a step in a left-to-right topology: the part of the sequence that contains it. */
static int32_t sequence_starts_part(const start_maker *maker, uint64_t step) {
    size_t s = maker->shape->states - 1;
    while (s > 0 && maker->cuts[s] > step) s--;
    return (int32_t)s;
}

/* Assigns a state and a component to each step of a block: by label, by part of the sequence, at random, or by nearest
 * seed. */
static void sequence_starts_find_states(start_maker *maker, const crd_i_observation_block *block, uint64_t source) {
    const size_t states = maker->shape->states, components = maker->shape->components;
    for (size_t t = 0; t < block->steps; t++) {
        maker->components[t] = 0;
        if (maker->state_of_label != NULL)
            maker->states[t] =
                block->labels != NULL && block->labels[t] >= 0 ? maker->state_of_label[block->labels[t]] : -1;
        else if (maker->cuts != NULL) maker->states[t] = sequence_starts_part(maker, source + t);
        else if (!sequence_starts_is_observed(block, maker->sample->facts->column_count, t)) maker->states[t] = -1;
        else if (maker->is_drawn && !maker->has_numbers)
            maker->states[t] = (int32_t)crd_i_random_below(&maker->random, states);
        else maker->states[t] = nearest_of(maker, maker->seeds, states, block, t);
        if (components == 1 || maker->states[t] < 0) continue;
        maker->components[t] =
            nearest_of(maker, maker->seeds + states + (size_t)maker->states[t] * components, components, block, t);
    }
}

/* Draws the states of steps uniformly. With random factors, the successor counts of a state then have a Dirichlet
 * distribution. */
static void sequence_starts_draw_path(start_maker *maker, size_t steps) {
    for (size_t t = 0; t < steps; t++)
        maker->path[t] = (int32_t)crd_i_random_below(&maker->random, maker->shape->states);
}

/* Counts the steps and the transitions of a segment. */
static crd_status count_segment(start_maker *maker, const crd_i_segment *segment, crd_i_observation_room *workspace,
                                crd_error *error) {
    crd_i_ngram_context ngram;
    crd_i_observation_block block = {0};
    crd_i_ngram_counts_begin(maker->ngrams, &ngram);
    if (maker->cuts != NULL) cut_sequence(maker, segment->target - segment->source);
    for (uint64_t source = segment->source; source < segment->target; source += block.steps) {
        const uint64_t left = segment->target - source;
        if (crd_i_context_cancelled(maker->context)) return crd_i_fail_cancelled(error);
        crd_status status = crd_i_sequences_block(maker->steps->sequences, segment->sequence, source,
                                                  left < CRD_I_BLOCK_STEPS ? (size_t)left : CRD_I_BLOCK_STEPS,
                                                  workspace, &block, error);
        if (status != CRD_OK) return status;
        sequence_starts_find_states(maker, &block, source - segment->source);
        status = sequence_starts_count_block(maker, &block, error);
        if (status != CRD_OK) return status;
        if (maker->is_drawn) sequence_starts_draw_path(maker, block.steps);
        else memcpy(maker->path, maker->states, block.steps * sizeof *maker->path);
        if (!crd_i_ngram_counts_add_steps(maker->ngrams, &ngram, maker->path, block.steps))
            return crd_i_fail_memory(error);
    }
    return crd_i_ngram_counts_end(maker->ngrams, &ngram) ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Random factors and pseudo-counts ---- */

/* Returns a random factor. In the first start it is close to 1, so that the data dominate; otherwise an exponential
 * variate. */
static double sequence_starts_factor(void *state) {
    start_maker *maker = state;
    return maker->start == 0 ? 0.75 + crd_i_random_uniform(&maker->random) / 2
                             : -crd_log(crd_i_random_open(&maker->random));
}

/* Returns approximately a gamma variate of shape 1 / states. So few states follow each state, and different ones in
 * each start. */
static double uneven_factor(start_maker *maker) {
    const double states = (double)maker->shape->states;
    return crd_exp(states * crd_log(crd_i_random_open(&maker->random))) * sequence_starts_factor(maker);
}

/* Multiplies the n-gram counts by random factors. */
static crd_status perturb_ngrams(start_maker *maker, crd_error *error) {
    const size_t states = maker->shape->states;
    uint32_t *ranks = crd_i_alloc(maker->context, states, sizeof *ranks);
    crd_i_ngram_counts *counts = NULL;
    crd_i_ngram *list = NULL;
    size_t count = 0;
    if (ranks == NULL) return crd_i_fail_memory(error);
    for (size_t s = 0; s < states; s++) ranks[s] = (uint32_t)s;
    crd_status status = crd_i_ngram_counts_list(maker->ngrams, ranks, &list, &count, error);
    if (status == CRD_OK) status = crd_i_training_ngrams(maker->shape, maker->shape->state_names, &counts, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (!crd_i_ngram_counts_add(counts, list[i].symbols,
                                    list[i].count *
                                        (maker->is_drawn ? uneven_factor(maker) : sequence_starts_factor(maker))))
            status = crd_i_fail_memory(error);
    crd_free(maker->context, list);
    crd_free(maker->context, ranks);
    if (status == CRD_OK) {
        crd_i_ngram_counts_destroy(maker->ngrams);
        maker->ngrams = counts;
    } else crd_i_ngram_counts_destroy(counts);
    return status;
}

/* Adds 1 to the count of every possible n-gram: states after states, or after the begin and states. */
static bool add_pseudo_counts(start_maker *maker) {
    const size_t states = maker->shape->states, length = maker->ngrams->order + 1;
    uint32_t symbols[CRD_I_MOST_GRAM];
    for (size_t begins = 0; begins < length; begins++) {
        const size_t free = length - begins;
        uint64_t count = 1;
        if (pow((double)(states + 1), (double)free) > MOST_NGRAMS) continue;
        for (size_t i = 0; i < free; i++) count *= states + (i == 0 && begins < length - 1);
        for (uint64_t n = 0; n < count; n++) {
            uint64_t remainder = n;
            for (size_t i = 0; i < length; i++) symbols[i] = CRD_I_SYMBOL_BEGIN;
            for (size_t i = 0; i < free; i++) {
                const uint64_t base = states + (i == 0 && begins < length - 1);
                const uint64_t digit = remainder % base;
                symbols[length - 1 - i] = digit == states ? CRD_I_SYMBOL_END : (uint32_t)digit;
                remainder /= base;
            }
            if (!crd_i_ngram_counts_add(maker->ngrams, symbols, 1)) return false;
        }
    }
    return true;
}

/* ---- A start ---- */

static crd_status map_labels(start_maker *maker, crd_error *error) {
    const crd_i_dictionary *labels = crd_i_sequences_labels(maker->steps->sequences);
    const size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    maker->state_of_label = crd_i_alloc(maker->context, count, sizeof *maker->state_of_label);
    if (maker->state_of_label == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        maker->state_of_label[i] = -1;
        for (size_t s = 0; s < maker->shape->states; s++)
            if (crd_text_equal(crd_i_dictionary_text(labels, i), maker->shape->state_names[s]))
                maker->state_of_label[i] = (int32_t)s;
    }
    return CRD_OK;
}

static crd_status choose_rule(start_maker *maker, crd_error *error) {
    const crd_i_training_problem *problem = maker->shape->problem;
    if (problem->is_hidden && problem->settings->is_left_to_right) {
        maker->cuts = crd_i_alloc(maker->context, maker->shape->states, sizeof *maker->cuts);
        if (maker->cuts == NULL) return crd_i_fail_memory(error);
    }
    if ((maker->shape->components > 1 || problem->is_hidden) && !draw_seeds(maker)) return crd_i_fail_memory(error);
    if (crd_i_context_cancelled(maker->context)) return crd_i_fail_cancelled(error);
    return problem->is_hidden ? CRD_OK : map_labels(maker, error);
}

/* Randomizes and softens the counts, and derives the initial model. */
static crd_status sequence_starts_make_model(start_maker *maker, crd_i_training_model **out, crd_error *error) {
    crd_i_training_statistics statistics = {.sums = maker->sums, .ngrams = NULL};
    crd_status status = CRD_OK;
    if (maker->shape->problem->is_hidden) {
        if (maker->sums != NULL)
            crd_i_emission_sums_soften(maker->shape->layout, SOFTENED, 0, maker->shape->classes, maker->sums);
        if (maker->sums != NULL)
            (maker->is_drawn ? crd_i_emission_sums_draw : crd_i_emission_sums_perturb)(
                maker->shape->layout, sequence_starts_factor, maker, maker->sums);
        status = perturb_ngrams(maker, error);
    }
    if (status == CRD_OK && !add_pseudo_counts(maker)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && maker->rows != NULL)
        status = crd_i_weighted_rows_model(maker->rows, &statistics.rows, error);
    if (status != CRD_OK) return status;
    statistics.ngrams = maker->ngrams;
    maker->ngrams = NULL;
    return crd_i_training_model_create(maker->shape, &statistics, out, error);
}

static bool sequence_starts_has_type(const crd_i_observation_facts *facts, crd_column_type type) {
    for (size_t c = 0; c < facts->column_count; c++)
        if (facts->columns[c].type == type && facts->columns[c].present > 0) return true;
    return false;
}

static bool are_drawn(const crd_i_training_problem *problem) {
    return problem->is_hidden && !problem->settings->is_left_to_right &&
           sequence_starts_has_type(problem->facts, CRD_TYPE_CATEGORICAL);
}

/* Returns whether every second start is spread. Successive numbers are often similar. Nearest seeds then produce
 * persistent states, which EM seldom leaves. */
static bool are_spread(const crd_i_training_problem *problem) {
    return problem->is_hidden && !problem->settings->is_left_to_right &&
           !sequence_starts_has_type(problem->facts, CRD_TYPE_CATEGORICAL) &&
           sequence_starts_has_type(problem->facts, CRD_TYPE_NUMERIC);
}

bool crd_i_sequence_starts_are_blind(const crd_i_training_problem *problem) {
    return are_drawn(problem) && !sequence_starts_has_type(problem->facts, CRD_TYPE_NUMERIC);
}

crd_status crd_i_sequence_start(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                const crd_i_step_sample *sample, uint64_t seed, size_t start,
                                crd_i_training_model **out, crd_error *error) {
    start_maker maker = {.shape = shape,
                         .steps = steps,
                         .sample = sample,
                         .context = shape->problem->context,
                         .random = crd_i_random_at(seed, start),
                         .start = start,
                         .is_drawn = start % 2 == 1 && (are_drawn(shape->problem) || are_spread(shape->problem)),
                         .is_spread = start % 2 == 1 && are_spread(shape->problem),
                         .has_numbers = sequence_starts_has_type(shape->problem->facts, CRD_TYPE_NUMERIC)};
    crd_i_observation_room workspace = {.context = maker.context};
    *out = NULL;
    crd_status status = sequence_starts_open_counts(&maker, error);
    if (status == CRD_OK) status = choose_rule(&maker, error);
    if (status == CRD_OK) status = crd_i_training_ngrams(shape, shape->state_names, &maker.ngrams, error);
    for (size_t i = 0; status == CRD_OK && i < steps->segment_count; i++)
        status = count_segment(&maker, &steps->segments[i], &workspace, error);
    if (status == CRD_OK) status = sequence_starts_make_model(&maker, out, error);
    crd_i_observation_room_clear(&workspace);
    close_counts(&maker);
    status = crd_i_group_agree(steps->group, status, error);
    if (status != CRD_OK) {
        crd_i_training_model_release(*out);
        *out = NULL;
    }
    return status;
}

/* ---- Reinitialized states ---- */

typedef struct near_step {
    double distance;
    size_t step;
} near_step;

static int compare_near(const void *a, const void *b) {
    const near_step *left = a, *right = b;
    if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
    return left->step < right->step ? -1 : left->step > right->step;
}

/* Counts, in the given state, the `count` steps of the sample that are nearest to the worst step. */
static crd_status count_nearest(start_maker *maker, const crd_i_segment *worst, size_t state, size_t count,
                                crd_error *error) {
    const crd_i_step_sample *sample = maker->sample;
    const size_t columns = sample->facts->column_count;
    near_step *list = crd_i_alloc(maker->context, sample->steps, sizeof *list);
    const double **numbers = crd_i_alloc(maker->context, columns, sizeof *numbers);
    const int32_t **codes = crd_i_alloc(maker->context, columns, sizeof *codes);
    crd_i_observation_room workspace = {.context = maker->context};
    crd_i_observation_block block;
    crd_status status = list == NULL || numbers == NULL || codes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK)
        status = crd_i_sequences_block(maker->steps->sequences, worst->sequence, worst->source, 1, &workspace, &block,
                                       error);
    for (size_t i = 0; status == CRD_OK && i < sample->steps; i++) {
        list[i].distance = step_sample_distance(sample, i, &block, 0);
        list[i].step = i;
    }
    if (status == CRD_OK) qsort(list, sample->steps, sizeof *list, compare_near);
    for (size_t i = 0; status == CRD_OK && i < count && i < sample->steps; i++) {
        const crd_i_observation_block one = step_sample_block(sample, list[i].step, 1, numbers, codes);
        maker->states[0] = (int32_t)state;
        maker->components[0] = (int32_t)(i % maker->shape->components);
        status = sequence_starts_count_block(maker, &one, error);
    }
    crd_i_observation_room_clear(&workspace);
    crd_free(maker->context, list);
    crd_free(maker->context, (void *)numbers);
    crd_free(maker->context, (void *)codes);
    return status;
}

/* Adds transitions between the state and all others, with the weight of the steps that the state received. */
static void add_transitions(const crd_hmm *hmm, size_t state, double weight, crd_i_chain_counts *counts) {
    const size_t nodes = crd_i_chain_nodes(hmm->chain), transitions = crd_i_chain_transition_count(hmm->chain);
    for (size_t i = 0; i < nodes; i++) counts->start[i] += weight / (double)(10 * nodes);
    if (nodes != hmm->state_count || transitions != nodes * nodes) {
        for (size_t i = 0; i < transitions; i++) counts->transitions[i] += weight / (double)transitions;
        return;
    }
    for (size_t i = 0; i < nodes; i++) {
        counts->transitions[i * nodes + state] += weight / (double)nodes;
        counts->transitions[state * nodes + i] += weight / (double)nodes;
    }
}

crd_status crd_i_sequence_rescue(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                 const crd_i_step_sample *sample, const crd_hmm *hmm, size_t state,
                                 crd_i_expectation *statistics, crd_error *error) {
    const size_t share = sample->steps / (4 * shape->states), count = share > 8 ? share : 8;
    start_maker maker = {.shape = shape, .steps = steps, .sample = sample, .context = shape->problem->context};
    crd_i_worst_step worst = {.log_density = INFINITY};
    crd_model *rows = NULL;
    crd_status status = sequence_starts_open_counts(&maker, error);
    if (status == CRD_OK) status = crd_i_expectation_worst(hmm, steps, &worst, error);
    if (status == CRD_OK && worst.log_density < INFINITY)
        status = count_nearest(&maker, &worst.segment, state, count, error);
    if (status == CRD_OK && maker.rows != NULL) status = crd_i_weighted_rows_model(maker.rows, &rows, error);
    if (status == CRD_OK && rows != NULL) status = crd_i_model_combine(statistics->rows, rows, 1, error);
    for (size_t m = 0; status == CRD_OK && maker.sums != NULL && m < shape->components; m++)
        crd_i_emission_sums_copy_class(shape->layout, maker.sums, state * shape->components + m, statistics->sums,
                                       state * shape->components + m);
    if (status == CRD_OK && maker.sums != NULL)
        crd_i_emission_sums_soften(shape->layout, SOFTENED, state * shape->components, (state + 1) * shape->components,
                                   statistics->sums);
    if (status == CRD_OK) add_transitions(hmm, state, (double)count, &statistics->counts);
    crd_model_destroy(rows);
    close_counts(&maker);
    return crd_i_group_agree(steps->group, status, error);
}
