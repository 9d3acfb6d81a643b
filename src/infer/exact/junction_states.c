/* SPDX-License-Identifier: MIT */
/* junction_states.c - the states represented in a tree: the states that state_elimination.h leaves possible. A node
 * with a single remaining state is in no clique and is treated as observed. Inside the tree, a state is represented
 * by its index among the remaining states, and tables contain only these. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/state_elimination.h"

/* Keeps every state at its own index. */
static void junction_states_keep_all(crd_i_junction *junction, size_t node) {
    for (size_t i = junction->starts[node]; i < junction->starts[node + 1]; i++) {
        junction->live[i] = (uint32_t)(i - junction->starts[node]);
        junction->place_of[i] = (int32_t)junction->live[i];
    }
}

static void junction_states_keep_some(crd_i_junction *junction, size_t node, const uint32_t *left, size_t count) {
    size_t start = junction->starts[node];
    for (size_t i = start; i < junction->starts[node + 1]; i++) junction->place_of[i] = CRD_I_NONE;
    for (size_t i = 0; i < count; i++) {
        junction->live[start + i] = left[i];
        junction->place_of[start + left[i]] = (int32_t)i;
    }
}

crd_status crd_i_junction_take_live(crd_i_junction *junction, const crd_i_evidence *findings, size_t *states,
                                    crd_error *error) {
    crd_context *context = junction->context;
    size_t count = junction->count, numbers = junction->starts[count];
    int32_t *nothing = crd_i_alloc(context, count, sizeof *nothing);
    junction->live = crd_i_alloc(context, numbers, sizeof *junction->live);
    junction->place_of = crd_i_alloc(context, numbers, sizeof *junction->place_of);
    junction->only_state = crd_i_alloc(context, count, sizeof *junction->only_state);
    if (nothing == NULL || junction->live == NULL || junction->place_of == NULL || junction->only_state == NULL) {
        crd_free(context, nothing);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        nothing[i] = -1;
        junction->only_state[i] = CRD_I_NONE;
        junction_states_keep_all(junction, i);
    }
    const crd_i_evidence none = {.states = nothing};
    crd_i_state_elimination narrowing;
    crd_status status = crd_i_state_elimination_open(&narrowing, junction->network, junction->has_table,
                                                     findings == NULL ? &none : findings, error);
    if (status == CRD_OK) {
        junction->is_impossible = !crd_i_state_elimination_run(&narrowing, NULL);
        for (size_t i = 0; !junction->is_impossible && i < count; i++) {
            const uint32_t *left = narrowing.states + junction->starts[i];
            bool is_known = states[i] > 0 || (findings != NULL && findings->states[i] >= 0);
            if (!is_known) continue;
            junction_states_keep_some(junction, i, left, narrowing.sizes[i]);
            states[i] = narrowing.sizes[i] == 1 ? 0 : narrowing.sizes[i];
            if (narrowing.sizes[i] == 1) junction->only_state[i] = (int32_t)left[0];
        }
        crd_i_state_elimination_close(&narrowing);
    }
    crd_free(context, nothing);
    return status;
}

int32_t crd_i_junction_state(const crd_i_junction *junction, size_t node, int32_t place) {
    return place < 0 ? place : (int32_t)junction->live[junction->starts[node] + (size_t)place];
}

void crd_i_junction_spread(const crd_i_junction *junction, size_t node, double *posterior) {
    size_t start = junction->starts[node], states = junction->starts[node + 1] - start;
    size_t left = junction->states_at[junction->position_of[node]];
    if (left == states) return;
    /* Indices are in the order of states, so nothing is overwritten before it has been moved. */
    for (size_t i = states; i-- > 0;) {
        int32_t place = junction->place_of[start + i];
        posterior[i] = place < 0 ? 0 : posterior[place];
    }
}
