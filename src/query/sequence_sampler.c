/* SPDX-License-Identifier: MIT */
/* sequence_sampler.c - draws new sequences, state by state, with an observation for each state: see
 * credence/hmm_answers.h.
 *
 * Step t of sequence i uses random stream i 2^40 + t. The target column's stretch of the stream draws the state and its
 * mixture component. Every other column has its own stretch. */
#include "base/error.h"
#include "base/memory.h"
#include "classify/joint_block.h"
#include "classify/scorer.h"
#include "query/row_sampler.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_answers.h>

enum { STREAMS_OF_SEQUENCE_BITS = 40 };

struct crd_sequence_sampler {
    crd_context *context;
    crd_hmm *hmm;
    crd_sampler *cells;
    size_t target;
    uint64_t seed;
    crd_i_joint_cell *joint_cells;     /* working memory for a draw from a joint density */
    double *cumulative;                /* cumulative probabilities of the next states and of the end */
    uint32_t latest[CRD_I_MOST_ORDER]; /* the latest states, earliest first, or the begin symbol */
    uint64_t number, step;
};

/* Returns the joint densities that draw columns together, instead of the columns' own densities. Returns NULL if there
 * are none. */
static const crd_i_scorer_joints *sequence_sampler_joints(const crd_sequence_sampler *sampler) {
    const crd_i_scorer_joints *joints = crd_hmm_emissions(sampler->hmm)->scorer->type->joints;
    return joints != NULL && joints->block != NULL ? joints : NULL;
}

/* Fails with CRD_ERROR_SETTING if a joint density does not support draws. */
static crd_status check_joints(const crd_sequence_sampler *sampler, crd_error *error) {
    const crd_i_scorer_joints *joints = sequence_sampler_joints(sampler);
    const crd_i_scorer *scorer = crd_hmm_emissions(sampler->hmm)->scorer;
    for (size_t i = 0; joints != NULL && i < joints->count(scorer); i++) {
        const crd_i_joint_type *type = joints->block(scorer, i)->joint->type;
        if (type->draw != NULL) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "cannot draw from the joint density %s", type->name);
        crd_i_error_subject(error, crd_text_of("joint"));
        crd_i_error_hint(error, "use joint=none, or joint=numbers with normal=full");
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

/* Creates the sampler for the values of a step. It draws every column separately. The values of columns in a joint
 * density are replaced afterwards. */
static crd_status create_cells(crd_sequence_sampler *sampler, const crd_model *model, uint64_t seed, crd_error *error) {
    const crd_classifier *emissions = crd_hmm_emissions(sampler->hmm);
    crd_settings *single = NULL;
    crd_status status = check_joints(sampler, error);
    if (status == CRD_OK) status = crd_settings_clone(crd_classifier_settings(emissions), &single, error);
    if (status == CRD_OK) status = crd_settings_set(single, "joint", crd_text_of("none"), error);
    if (status == CRD_OK)
        status = crd_sampler_create(crd_i_hmm_content_of(model)->emissions, single, NULL, seed, &sampler->cells, error);
    crd_settings_destroy(single);
    if (status != CRD_OK) return status;
    sampler->seed = seed;
    sampler->joint_cells = crd_i_alloc_zeroed(model->context, emissions->attribute_count, sizeof *sampler->joint_cells);
    return sampler->joint_cells == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

crd_status crd_sequence_sampler_create(const crd_model *model, const crd_settings *settings, uint64_t seed,
                                       crd_sequence_sampler **out, crd_error *error) {
    *out = NULL;
    crd_sequence_sampler *sampler = crd_i_alloc_zeroed(model->context, 1, sizeof *sampler);
    if (sampler == NULL) return crd_i_fail_memory(error);
    sampler->context = model->context;
    crd_status status = crd_hmm_create(model, settings, &sampler->hmm, error);
    if (status != CRD_OK) goto fail;
    status = create_cells(sampler, model, seed, error);
    if (status != CRD_OK) goto fail;
    sampler->target = crd_sampler_target(sampler->cells);
    sampler->cumulative = crd_i_alloc(model->context, sampler->hmm->state_count + 1, sizeof *sampler->cumulative);
    if (sampler->cumulative == NULL) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    *out = sampler;
    return CRD_OK;

fail:
    crd_sequence_sampler_destroy(sampler);
    return status;
}

void crd_sequence_sampler_destroy(crd_sequence_sampler *sampler) {
    if (sampler == NULL) return;
    crd_hmm_destroy(sampler->hmm);
    crd_sampler_destroy(sampler->cells);
    crd_free(sampler->context, sampler->cumulative);
    crd_free(sampler->context, sampler->joint_cells);
    crd_free(sampler->context, sampler);
}

size_t crd_sequence_sampler_column_count(const crd_sequence_sampler *sampler) {
    return crd_sampler_column_count(sampler->cells);
}

crd_text crd_sequence_sampler_column_name(const crd_sequence_sampler *sampler, size_t column) {
    return crd_sampler_column_name(sampler->cells, column);
}

crd_kind crd_sequence_sampler_column_kind(const crd_sequence_sampler *sampler, size_t column) {
    return crd_sampler_column_kind(sampler->cells, column);
}

int crd_sequence_sampler_ends(const crd_sequence_sampler *sampler) {
    return crd_hmm_has_end(sampler->hmm);
}

void crd_sequence_sampler_begin(crd_sequence_sampler *sampler, uint64_t number) {
    sampler->number = number;
    sampler->step = 0;
    for (size_t i = 0; i < CRD_I_MOST_ORDER; i++) sampler->latest[i] = CRD_I_SYMBOL_BEGIN;
}

/* Computes the cumulative probabilities of the next states, followed by the probability that the sequence ends. */
static void sum_up(crd_sequence_sampler *sampler, bool may_end) {
    const size_t states = sampler->hmm->state_count;
    double sum = 0;
    crd_i_transition_model_row(sampler->hmm->transitions, sampler->latest, sampler->cumulative);
    for (size_t k = 0; k < states; k++) sampler->cumulative[k] = sum += sampler->cumulative[k];
    sampler->cumulative[states] = sum + (may_end && sampler->step > 0 ? sampler->cumulative[states] : 0);
}

/* Appends a state to the latest states and drops the earliest. */
static void sequence_sampler_remember(crd_sequence_sampler *sampler, size_t state) {
    const size_t order = sampler->hmm->order;
    for (size_t i = 1; i < order; i++) sampler->latest[i - 1] = sampler->latest[i];
    sampler->latest[order - 1] = (uint32_t)state;
}

/* Draws a mixture component of the state by weight, and returns its class. Returns SIZE_MAX if no component has
 * rows. */
static size_t sequence_sampler_draw_class(const crd_hmm *hmm, size_t state, crd_i_random *random) {
    const size_t components = crd_hmm_components(hmm);
    double point = crd_i_random_uniform(random), sum = 0;
    size_t chosen = SIZE_MAX;
    for (size_t m = 0; m < components && (chosen == SIZE_MAX || sum <= point); m++) {
        double weight = 0;
        const size_t class_index = crd_hmm_emission_class(hmm, state, m, &weight);
        if (class_index == SIZE_MAX || !(weight > 0)) continue;
        chosen = class_index;
        sum += weight;
    }
    return chosen;
}

/* Draws the values of joint densities, with random numbers from a separate key. */
static void draw_joints(crd_sequence_sampler *sampler, uint64_t row, size_t class_index, crd_value *values) {
    static const uint64_t OTHER_KEY = UINT64_C(0x9e3779b97f4a7c15);
    const crd_i_scorer_joints *joints = sequence_sampler_joints(sampler);
    const crd_i_scorer *scorer = crd_hmm_emissions(sampler->hmm)->scorer;
    crd_i_random random = crd_i_random_at(sampler->seed ^ OTHER_KEY, row);
    for (size_t i = 0; joints != NULL && i < joints->count(scorer); i++) {
        const crd_i_joint_block *block = joints->block(scorer, i);
        block->joint->type->draw(block->joint, class_index, &random, sampler->joint_cells);
        for (size_t c = 0; c < block->joint->column_count; c++) {
            const size_t attribute = block->attributes[c], column = attribute + (attribute >= sampler->target);
            if (!block->joint->takes[c]) continue;
            values[column] = (crd_value){CRD_KIND_NUMBER, sampler->joint_cells[c].number, {NULL, 0}};
        }
    }
}

int crd_sequence_sampler_next(crd_sequence_sampler *sampler, int may_end, crd_value *values) {
    const crd_hmm *hmm = sampler->hmm;
    const uint64_t row = (sampler->number << STREAMS_OF_SEQUENCE_BITS) + sampler->step;
    crd_i_random random = crd_i_sampler_random(sampler->cells, row);
    sum_up(sampler, may_end != 0);
    if (!(sampler->cumulative[hmm->state_count] > 0)) return 0;
    const size_t state = crd_i_random_choice(&random, sampler->cumulative, hmm->state_count + 1);
    if (state == hmm->state_count) return 0;
    const size_t class_index = sequence_sampler_draw_class(hmm, state, &random);
    if (class_index != SIZE_MAX) {
        crd_i_sampler_draw_of_class(sampler->cells, row, class_index, values);
        draw_joints(sampler, row, class_index, values);
    } else {
        for (size_t i = 0; i < crd_sampler_column_count(sampler->cells); i++)
            values[i] = (crd_value){CRD_KIND_NONE, 0, {NULL, 0}};
    }
    values[sampler->target] = (crd_value){CRD_KIND_CATEGORY, 0, crd_i_dictionary_text(hmm->states, state)};
    sequence_sampler_remember(sampler, state);
    sampler->step++;
    return 1;
}
