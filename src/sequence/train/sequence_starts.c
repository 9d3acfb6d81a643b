/* SPDX-License-Identifier: MIT */
/* sequence_starts.c - see sequence_starts.h. */
#include "sequence/train/sequence_starts.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "model/merge.h"
#include "sequence/train/weighted_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* n-grams that are all given pseudo-counts. */
static const double MOST_NGRAMS = 1 << 20;

/* Share of each state's weight in a start that has the overall distribution of a column: without it, values that no step of
 * a state has would stay impossible in all steps of EM. */
static const double SOFTENED = 0.05;

/* Share of the weight of each step that a spread start divides among all states. */
static const double SPREAD = 0.5;

typedef struct start_maker {
    const crd_i_training_shape *shape;
    const crd_i_training_steps *steps;
    const crd_i_step_sample *sample;
    crd_context *context;
    crd_i_random random;
    size_t start;
    bool is_drawn;    /* probabilities of categories and transitions are random, whatever the steps show */
    bool is_spread;   /* densities are broad, so that the random transitions decide */
    bool has_numbers; /* a column of numbers has cells */
    size_t stride;
    double *sums, *sum_room;
    crd_i_weighted_rows *rows;
    crd_i_ngram_counts *ngrams;
    double *weights;         /* of the steps of a block */
    int32_t *states;         /* of a block; negative: none */
    int32_t *components;     /* likewise */
    int32_t *path;           /* the states of a block that transitions are counted of */
    int32_t *state_of_label; /* by the code of a label */
    size_t *seeds;           /* of states, then component by component of each */
    uint64_t *cuts;          /* of a sequence: where each state begins, left to right */
} start_maker;

/* ---- What steps are counted in ---- */

static crd_status open_counts(start_maker *of, crd_error *error) {
    const crd_i_training_shape *shape = of->shape;
    of->stride = (shape->classes + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
    of->weights = crd_i_alloc(of->context, CRD_I_BLOCK_STEPS * of->stride, sizeof *of->weights);
    of->states = crd_i_alloc(of->context, CRD_I_BLOCK_STEPS, sizeof *of->states);
    of->components = crd_i_alloc(of->context, CRD_I_BLOCK_STEPS, sizeof *of->components);
    of->path = crd_i_alloc(of->context, CRD_I_BLOCK_STEPS, sizeof *of->path);
    if (of->weights == NULL || of->states == NULL || of->components == NULL || of->path == NULL)
        return crd_i_fail_memory(error);
    if (shape->layout != NULL) {
        of->sums = crd_i_alloc_zeroed(of->context, crd_i_emission_sums_size(shape->layout), sizeof *of->sums);
        of->sum_room = crd_i_alloc(of->context, crd_i_emission_sums_room(shape->layout), sizeof *of->sum_room);
        return of->sums == NULL || of->sum_room == NULL ? crd_i_fail_memory(error) : CRD_OK;
    }
    crd_i_schema *schema = crd_i_schema_clone(shape->schema);
    if (schema == NULL) return crd_i_fail_memory(error);
    return crd_i_weighted_rows_create(of->steps->sequences, schema, shape->problem->emission_settings,
                                      shape->class_names, shape->classes, &of->rows, error);
}

static void close_counts(start_maker *of) {
    crd_i_weighted_rows_destroy(of->rows);
    crd_i_ngram_counts_destroy(of->ngrams);
    crd_free(of->context, of->sums);
    crd_free(of->context, of->sum_room);
    crd_free(of->context, of->weights);
    crd_free(of->context, of->states);
    crd_free(of->context, of->components);
    crd_free(of->context, of->path);
    crd_free(of->context, of->state_of_label);
    crd_free(of->context, of->seeds);
    crd_free(of->context, of->cuts);
}

/* Weighted rows are softened as they are counted, and only if their zeros would stay. */
static double softened_rows(const start_maker *of) {
    const crd_settings *settings = of->shape->problem->settings;
    const bool is_smoothed = settings->smoothing != CRD_I_SMOOTHING_NONE && settings->smoothing_strength > 0;
    return of->rows == NULL || is_smoothed || !of->shape->problem->is_hidden ? 0 : SOFTENED;
}

/* Each step in the one class that `states` and `components` have. */
static crd_status count_block(start_maker *of, const crd_i_observation_block *block, crd_error *error) {
    const double softened = of->is_spread ? SPREAD : softened_rows(of), others = softened / (double)of->shape->classes;
    memset(of->weights, 0, block->steps * of->stride * sizeof *of->weights);
    for (size_t t = 0; t < block->steps; t++) {
        double *weights = of->weights + t * of->stride;
        if (of->states[t] < 0) continue;
        for (size_t k = 0; softened > 0 && k < of->shape->classes; k++) weights[k] = others;
        weights[(size_t)of->states[t] * of->shape->components + (size_t)of->components[t]] += 1 - softened;
    }
    if (of->rows != NULL) return crd_i_weighted_rows_add(of->rows, block, of->weights, of->stride, error);
    crd_i_emission_sums_add(of->shape->layout, block, of->weights, of->stride, of->sum_room, of->sums);
    return CRD_OK;
}

/* ---- The states of steps ---- */

static bool draw_seeds(start_maker *of) {
    const crd_i_step_sample *sample = of->sample;
    const size_t states = of->shape->states, components = of->shape->components;
    int32_t *nearest = crd_i_alloc_zeroed(of->context, 2 * sample->steps, sizeof *nearest), *inner = nearest;
    double *room = crd_i_alloc(of->context, 2 * sample->steps, sizeof *room);
    size_t *own = crd_i_alloc(of->context, components, sizeof *own);
    of->seeds = crd_i_alloc_zeroed(of->context, states * (components + 1), sizeof *of->seeds);
    bool done = nearest != NULL && room != NULL && own != NULL && of->seeds != NULL;
    if (done) inner = nearest + sample->steps;
    if (done) {
        (void)crd_i_step_sample_seed(sample, NULL, 0, 0, states, &of->random, of->seeds, nearest, room,
                                     room + sample->steps);
        for (size_t s = 0; s < states; s++) {
            own[0] = of->seeds[s];
            for (size_t m = 0; m < components; m++) own[m] = own[0];
            if (components > 1)
                (void)crd_i_step_sample_seed(sample, nearest, (int32_t)s, 1, components, &of->random, own, inner, room,
                                             room + sample->steps);
            memcpy(of->seeds + states + s * components, own, components * sizeof *own);
        }
    }
    crd_free(of->context, nearest);
    crd_free(of->context, room);
    crd_free(of->context, own);
    return done;
}

/* The nearest of some seeds; of equally near ones any. */
static int32_t nearest_of(start_maker *of, const size_t *seeds, size_t count, const crd_i_observation_block *block,
                          size_t t) {
    double least = INFINITY;
    int32_t found = 0;
    uint64_t ties = 0;
    for (size_t k = 0; k < count; k++) {
        const double distance = crd_i_step_sample_distance(of->sample, seeds[k], block, t);
        if (distance > least) continue;
        ties = distance < least ? 1 : ties + 1;
        least = distance;
        if (ties == 1 || crd_i_random_below(&of->random, ties) == 0) found = (int32_t)k;
    }
    return found;
}

static bool is_observed(const crd_i_observation_block *block, size_t columns, size_t t) {
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

/* Where each state of a sequence begins. */
static void cut_sequence(start_maker *of, uint64_t length) {
    const size_t states = of->shape->states;
    of->cuts[0] = 0;
    for (size_t s = 1; s < states; s++)
        of->cuts[s] = of->start == 0 ? (uint64_t)((double)length * (double)s / (double)states)
                                     : crd_i_random_below(&of->random, length);
    qsort(of->cuts, states, sizeof *of->cuts, compare_places);
}

/* Left to right, with no more than so many states skipped: the part of the sequence in which a step is. */
static int32_t part_of(const start_maker *of, uint64_t step) {
    size_t s = of->shape->states - 1;
    while (s > 0 && of->cuts[s] > step) s--;
    return (int32_t)s;
}

static void find_states(start_maker *of, const crd_i_observation_block *block, uint64_t from) {
    const size_t states = of->shape->states, components = of->shape->components;
    for (size_t t = 0; t < block->steps; t++) {
        of->components[t] = 0;
        if (of->state_of_label != NULL)
            of->states[t] = block->labels != NULL && block->labels[t] >= 0 ? of->state_of_label[block->labels[t]] : -1;
        else if (of->cuts != NULL) of->states[t] = part_of(of, from + t);
        else if (!is_observed(block, of->sample->facts->column_count, t)) of->states[t] = -1;
        else if (of->is_drawn && !of->has_numbers) of->states[t] = (int32_t)crd_i_random_below(&of->random, states);
        else of->states[t] = nearest_of(of, of->seeds, states, block, t);
        if (components == 1 || of->states[t] < 0) continue;
        of->components[t] =
            nearest_of(of, of->seeds + states + (size_t)of->states[t] * components, components, block, t);
    }
}

/* Steps in any state, one as probable as the other: with random factors the counts of what follows a state have a Dirichlet
 * distribution. */
static void draw_path(start_maker *of, size_t steps) {
    for (size_t t = 0; t < steps; t++) of->path[t] = (int32_t)crd_i_random_below(&of->random, of->shape->states);
}

static crd_status count_segment(start_maker *of, const crd_i_segment *segment, crd_i_observation_room *room,
                                crd_error *error) {
    crd_i_ngram_context at;
    crd_i_observation_block block = {0};
    crd_i_ngram_counts_begin(of->ngrams, &at);
    if (of->cuts != NULL) cut_sequence(of, segment->to - segment->from);
    for (uint64_t from = segment->from; from < segment->to; from += block.steps) {
        const uint64_t left = segment->to - from;
        if (crd_i_context_cancelled(of->context)) return crd_i_fail_cancelled(error);
        crd_status status =
            crd_i_sequences_block(of->steps->sequences, segment->sequence, from,
                                  left < CRD_I_BLOCK_STEPS ? (size_t)left : CRD_I_BLOCK_STEPS, room, &block, error);
        if (status != CRD_OK) return status;
        find_states(of, &block, from - segment->from);
        status = count_block(of, &block, error);
        if (status != CRD_OK) return status;
        if (of->is_drawn) draw_path(of, block.steps);
        else memcpy(of->path, of->states, block.steps * sizeof *of->path);
        if (!crd_i_ngram_counts_add_steps(of->ngrams, &at, of->path, block.steps)) return crd_i_fail_memory(error);
    }
    return crd_i_ngram_counts_end(of->ngrams, &at) ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Random factors and pseudo-counts ---- */

/* Of the first start mild, so that what the steps show stays; of the others exponential variates. */
static double factor(void *state) {
    start_maker *of = state;
    return of->start == 0 ? 0.75 + crd_i_random_uniform(&of->random) / 2 : -crd_log(crd_i_random_open(&of->random));
}

/* Nearly a gamma variate of shape 1 / states: few states follow each one, other ones in each start. */
static double uneven_factor(start_maker *of) {
    const double states = (double)of->shape->states;
    return crd_exp(states * crd_log(crd_i_random_open(&of->random))) * factor(of);
}

/* The counts with random factors. */
static crd_status perturb_ngrams(start_maker *of, crd_error *error) {
    const size_t states = of->shape->states;
    uint32_t *ranks = crd_i_alloc(of->context, states, sizeof *ranks);
    crd_i_ngram_counts *made = NULL;
    crd_i_ngram *list = NULL;
    size_t count = 0;
    if (ranks == NULL) return crd_i_fail_memory(error);
    for (size_t s = 0; s < states; s++) ranks[s] = (uint32_t)s;
    crd_status status = crd_i_ngram_counts_list(of->ngrams, ranks, &list, &count, error);
    if (status == CRD_OK) status = crd_i_training_ngrams(of->shape, of->shape->state_names, &made, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (!crd_i_ngram_counts_add(made, list[i].symbols,
                                    list[i].count * (of->is_drawn ? uneven_factor(of) : factor(of))))
            status = crd_i_fail_memory(error);
    crd_free(of->context, list);
    crd_free(of->context, ranks);
    if (status == CRD_OK) {
        crd_i_ngram_counts_destroy(of->ngrams);
        of->ngrams = made;
    } else crd_i_ngram_counts_destroy(made);
    return status;
}

/* One more of each n-gram that there can be: states behind states, or behind the begin and states. */
static bool add_pseudo_counts(start_maker *of) {
    const size_t states = of->shape->states, length = of->ngrams->order + 1;
    uint32_t symbols[CRD_I_MOST_GRAM];
    for (size_t begins = 0; begins < length; begins++) {
        const size_t free = length - begins;
        uint64_t count = 1;
        if (pow((double)(states + 1), (double)free) > MOST_NGRAMS) continue;
        for (size_t i = 0; i < free; i++) count *= states + (i == 0 && begins < length - 1);
        for (uint64_t n = 0; n < count; n++) {
            uint64_t rest = n;
            for (size_t i = 0; i < length; i++) symbols[i] = CRD_I_SYMBOL_BEGIN;
            for (size_t i = 0; i < free; i++) {
                const uint64_t base = states + (i == 0 && begins < length - 1);
                const uint64_t digit = rest % base;
                symbols[length - 1 - i] = digit == states ? CRD_I_SYMBOL_END : (uint32_t)digit;
                rest /= base;
            }
            if (!crd_i_ngram_counts_add(of->ngrams, symbols, 1)) return false;
        }
    }
    return true;
}

/* ---- A start ---- */

static crd_status map_labels(start_maker *of, crd_error *error) {
    const crd_i_dictionary *labels = crd_i_sequences_labels(of->steps->sequences);
    const size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    of->state_of_label = crd_i_alloc(of->context, count, sizeof *of->state_of_label);
    if (of->state_of_label == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        of->state_of_label[i] = -1;
        for (size_t s = 0; s < of->shape->states; s++)
            if (crd_text_equal(crd_i_dictionary_text(labels, i), of->shape->state_names[s]))
                of->state_of_label[i] = (int32_t)s;
    }
    return CRD_OK;
}

static crd_status choose_rule(start_maker *of, crd_error *error) {
    const crd_i_training_problem *problem = of->shape->problem;
    if (problem->is_hidden && problem->settings->is_left_to_right) {
        of->cuts = crd_i_alloc(of->context, of->shape->states, sizeof *of->cuts);
        if (of->cuts == NULL) return crd_i_fail_memory(error);
    }
    if ((of->shape->components > 1 || problem->is_hidden) && !draw_seeds(of)) return crd_i_fail_memory(error);
    if (crd_i_context_cancelled(of->context)) return crd_i_fail_cancelled(error);
    return problem->is_hidden ? CRD_OK : map_labels(of, error);
}

static crd_status make_model(start_maker *of, crd_i_training_model **out, crd_error *error) {
    crd_i_training_statistics statistics = {.sums = of->sums, .ngrams = NULL};
    crd_status status = CRD_OK;
    if (of->shape->problem->is_hidden) {
        if (of->sums != NULL) crd_i_emission_sums_soften(of->shape->layout, SOFTENED, 0, of->shape->classes, of->sums);
        if (of->sums != NULL)
            (of->is_drawn ? crd_i_emission_sums_draw : crd_i_emission_sums_perturb)(of->shape->layout, factor, of,
                                                                                    of->sums);
        status = perturb_ngrams(of, error);
    }
    if (status == CRD_OK && !add_pseudo_counts(of)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && of->rows != NULL) status = crd_i_weighted_rows_model(of->rows, &statistics.rows, error);
    if (status != CRD_OK) return status;
    statistics.ngrams = of->ngrams;
    of->ngrams = NULL;
    return crd_i_training_model_create(of->shape, &statistics, out, error);
}

static bool has_kind(const crd_i_observation_facts *facts, crd_kind kind) {
    for (size_t c = 0; c < facts->column_count; c++)
        if (facts->columns[c].kind == kind && facts->columns[c].present > 0) return true;
    return false;
}

static bool are_drawn(const crd_i_training_problem *problem) {
    return problem->is_hidden && !problem->settings->is_left_to_right && has_kind(problem->facts, CRD_KIND_CATEGORY);
}

/* Numbers that follow each other are often near each other: nearest seeds make states that persist, and EM seldom leaves these. */
static bool are_spread(const crd_i_training_problem *problem) {
    return problem->is_hidden && !problem->settings->is_left_to_right && !has_kind(problem->facts, CRD_KIND_CATEGORY) &&
           has_kind(problem->facts, CRD_KIND_NUMBER);
}

bool crd_i_sequence_starts_are_blind(const crd_i_training_problem *problem) {
    return are_drawn(problem) && !has_kind(problem->facts, CRD_KIND_NUMBER);
}

crd_status crd_i_sequence_start(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                const crd_i_step_sample *sample, uint64_t seed, size_t start,
                                crd_i_training_model **out, crd_error *error) {
    start_maker of = {.shape = shape,
                      .steps = steps,
                      .sample = sample,
                      .context = shape->problem->context,
                      .random = crd_i_random_at(seed, start),
                      .start = start,
                      .is_drawn = start % 2 == 1 && (are_drawn(shape->problem) || are_spread(shape->problem)),
                      .is_spread = start % 2 == 1 && are_spread(shape->problem),
                      .has_numbers = has_kind(shape->problem->facts, CRD_KIND_NUMBER)};
    crd_i_observation_room room = {.context = of.context};
    *out = NULL;
    crd_status status = open_counts(&of, error);
    if (status == CRD_OK) status = choose_rule(&of, error);
    if (status == CRD_OK) status = crd_i_training_ngrams(shape, shape->state_names, &of.ngrams, error);
    for (size_t i = 0; status == CRD_OK && i < steps->segment_count; i++)
        status = count_segment(&of, &steps->segments[i], &room, error);
    if (status == CRD_OK) status = make_model(&of, out, error);
    crd_i_observation_room_clear(&room);
    close_counts(&of);
    if (!steps->is_shared) return status;
    status = crd_i_agree(of.context, status, error);
    if (status != CRD_OK) {
        crd_i_training_model_release(*out);
        *out = NULL;
    }
    return status;
}

/* ---- States that begin anew ---- */

typedef struct near_step {
    double distance;
    size_t step;
} near_step;

static int compare_near(const void *a, const void *b) {
    const near_step *left = a, *right = b;
    if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
    return left->step < right->step ? -1 : left->step > right->step;
}

/* Counts those of the sample that are nearest to a step, in the state. */
static crd_status count_nearest(start_maker *of, const crd_i_segment *worst, size_t state, size_t count,
                                crd_error *error) {
    const crd_i_step_sample *sample = of->sample;
    const size_t columns = sample->facts->column_count;
    near_step *list = crd_i_alloc(of->context, sample->steps, sizeof *list);
    const double **numbers = crd_i_alloc(of->context, columns, sizeof *numbers);
    const int32_t **codes = crd_i_alloc(of->context, columns, sizeof *codes);
    crd_i_observation_room room = {.context = of->context};
    crd_i_observation_block block;
    crd_status status = list == NULL || numbers == NULL || codes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK)
        status = crd_i_sequences_block(of->steps->sequences, worst->sequence, worst->from, 1, &room, &block, error);
    for (size_t i = 0; status == CRD_OK && i < sample->steps; i++) {
        list[i].distance = crd_i_step_sample_distance(sample, i, &block, 0);
        list[i].step = i;
    }
    if (status == CRD_OK) qsort(list, sample->steps, sizeof *list, compare_near);
    for (size_t i = 0; status == CRD_OK && i < count && i < sample->steps; i++) {
        const crd_i_observation_block one = crd_i_step_sample_block(sample, list[i].step, 1, numbers, codes);
        of->states[0] = (int32_t)state;
        of->components[0] = (int32_t)(i % of->shape->components);
        status = count_block(of, &one, error);
    }
    crd_i_observation_room_clear(&room);
    crd_free(of->context, list);
    crd_free(of->context, (void *)numbers);
    crd_free(of->context, (void *)codes);
    return status;
}

/* Transitions between the state and all others, of a weight that steps of it would have. */
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
    start_maker of = {.shape = shape, .steps = steps, .sample = sample, .context = shape->problem->context};
    crd_i_worst_step worst = {.log_density = INFINITY};
    crd_model *rows = NULL;
    crd_status status = open_counts(&of, error);
    if (status == CRD_OK) status = crd_i_expectation_worst(hmm, steps, &worst, error);
    if (status == CRD_OK && worst.log_density < INFINITY) status = count_nearest(&of, &worst.at, state, count, error);
    if (status == CRD_OK && of.rows != NULL) status = crd_i_weighted_rows_model(of.rows, &rows, error);
    if (status == CRD_OK && rows != NULL) status = crd_i_model_combine(statistics->rows, rows, 1, error);
    for (size_t m = 0; status == CRD_OK && of.sums != NULL && m < shape->components; m++)
        crd_i_emission_sums_copy_class(shape->layout, of.sums, state * shape->components + m, statistics->sums,
                                       state * shape->components + m);
    if (status == CRD_OK && of.sums != NULL)
        crd_i_emission_sums_soften(shape->layout, SOFTENED, state * shape->components, (state + 1) * shape->components,
                                   statistics->sums);
    if (status == CRD_OK) add_transitions(hmm, state, (double)count, &statistics->counts);
    crd_model_destroy(rows);
    close_counts(&of);
    return steps->is_shared ? crd_i_agree(of.context, status, error) : status;
}
