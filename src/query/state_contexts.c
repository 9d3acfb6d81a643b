/* SPDX-License-Identifier: MIT */
/* state_contexts.c - long-run state probabilities, and the state contexts that occurred in training: see
 * credence/hmm_answers.h. */
#include "base/error.h"
#include "base/memory.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_answers.h>

#include <stdlib.h>

crd_status crd_hmm_long_run(const crd_hmm *hmm, double *stationary, double *durations, crd_error *error) {
    crd_status status = CRD_OK;
    if (stationary != NULL) status = crd_i_chain_stationary(hmm->chain, stationary, error);
    if (status == CRD_OK && durations != NULL) status = crd_i_chain_durations(hmm->chain, durations, error);
    return status;
}

/* ---- Contexts ---- */

/* Orders contexts by descending count, then by ascending length, then by their states. */
static int state_contexts_by_count(const void *a, const void *b) {
    const crd_state_context *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    for (size_t i = 0; i < x->length; i++)
        if (x->states[i] != y->states[i]) return x->states[i] < y->states[i] ? -1 : 1;
    return 0;
}

crd_status crd_hmm_contexts(const crd_hmm *hmm, crd_state_context *out, size_t most, size_t *total, crd_error *error) {
    const crd_i_transition_level *level = &hmm->transitions->levels[hmm->order];
    crd_state_context *all = crd_i_alloc_zeroed(hmm->context, level->context_count, sizeof *all);
    *total = 0;
    if (all == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < level->context_count; i++) {
        crd_state_context *state = &all[*total];
        uint32_t symbols[CRD_I_MOST_ORDER];
        crd_i_transition_context(level->contexts[i], hmm->order, symbols);
        state->length = 0;
        for (size_t s = 0; s < hmm->order; s++)
            if (symbols[s] != CRD_I_SYMBOL_BEGIN) state->states[state->length++] = symbols[s];
        state->count = level->totals[i];
        *total += state->length > 0;
    }
    if (*total > 0) qsort(all, *total, sizeof *all, state_contexts_by_count);
    for (size_t i = 0; i < *total && i < most; i++) out[i] = all[i];
    crd_free(hmm->context, all);
    return CRD_OK;
}
