/* SPDX-License-Identifier: MIT */
/* junction_joint.c - joint posteriors: see junction_tree.h. The nodes were made neighbours of each other when the tree
 * was compiled, so that a clique has them all, but for those that every case observes: that of the one which is
 * eliminated first. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

/* How many states of a node the joint table has that is added up from a clique: those that are left and not observed.
 */
static size_t extent_of(const crd_i_junction_work *work, uint32_t position) {
    return work->seen_at[position] >= 0 ? 1 : work->junction->states_at[position];
}

/* By position, how far apart its states are in the joint table. */
static void find_strides(const crd_i_junction_work *work, size_t *strides_at) {
    const crd_i_junction *junction = work->junction;
    size_t stride = 1;
    for (size_t i = 0; i < junction->count; i++) strides_at[i] = 0;
    for (size_t j = junction->together_count; j-- > 0;) {
        uint32_t position = junction->position_of[junction->together[j]];
        strides_at[position] = stride;
        stride *= extent_of(work, position);
    }
}

/* Adds up the joint table from that of the clique `home`, on the way back from the roots. */
static crd_status add_up_joint(crd_i_junction_work *work, int32_t home, double *cells, size_t count, crd_error *error) {
    const crd_i_junction *junction = work->junction;
    size_t *strides_at = crd_i_alloc(junction->context, junction->count, sizeof *strides_at);
    if (strides_at == NULL) return crd_i_fail_memory(error);
    find_strides(work, strides_at);
    for (size_t i = 0; i < junction->graph_count; i++) work->source_at[i] = CRD_I_NONE;
    for (size_t i = 0; i < junction->clique_count; i++)
        work->cliques[i].is_needed = work->cliques[i].is_message_needed = false;
    for (int32_t i = home; i != CRD_I_NONE; i = junction->cliques[i].parent)
        work->cliques[i].is_needed = work->cliques[i].is_message_needed = true;
    const crd_i_joint_posterior joint = {home, cells, count, strides_at};
    crd_status status = crd_i_junction_distribute(work, NULL, &joint, error);
    crd_free(junction->context, strides_at);
    return status;
}

/* Deals the cells of the joint table, of which there are `count`, to those of all states; all others are 0. From the
 * last cell to the first, for a cell never goes to a place before its own. */
static void spread_joint(const crd_i_junction_work *work, double *joint, size_t count, size_t cells) {
    const crd_i_junction *junction = work->junction;
    size_t end = cells;
    for (size_t cell = count; cell-- > 0;) {
        size_t rest = cell, to = 0, stride = 1;
        for (size_t j = junction->together_count; j-- > 0;) {
            uint32_t node = junction->together[j], position = junction->position_of[node];
            size_t extent = extent_of(work, position);
            int32_t place = work->seen_at[position] >= 0 ? work->seen_at[position] : (int32_t)(rest % extent);
            to += (size_t)crd_i_junction_state(junction, node, place) * stride;
            stride *= junction->starts[node + 1] - junction->starts[node];
            rest /= extent;
        }
        double value = joint[cell];
        for (size_t i = to; i < end; i++) joint[i] = 0;
        joint[to] = value;
        end = to;
    }
    for (size_t i = 0; i < end; i++) joint[i] = 0;
}

crd_status crd_i_junction_ask_together(crd_i_junction_work *work, const crd_i_evidence *findings, double *joint,
                                       double *log_evidence, crd_error *error) {
    crd_i_junction_work *whole = work;
    crd_status status = crd_i_junction_narrow(&work, findings, error);
    if (status == CRD_OK) status = crd_i_junction_begin(work, findings, false, error);
    if (status != CRD_OK) return status;
    status = crd_i_junction_collect(work, false, error);
    if (status == CRD_ERROR_PROBABILITY) return crd_i_junction_impossible(whole, findings, error);
    if (status != CRD_OK) return status;
    if (log_evidence != NULL) *log_evidence = crd_i_junction_log_evidence(work);
    const crd_i_junction *junction = work->junction;
    uint32_t first = UINT32_MAX;
    size_t count = 1, cells = 1;
    for (size_t i = 0; i < junction->together_count; i++) {
        uint32_t node = junction->together[i], position = junction->position_of[node];
        if (position < first) first = position;
        count *= extent_of(work, position);
        cells *= junction->starts[node + 1] - junction->starts[node];
    }
    joint[0] = work->scale == CRD_I_PLAIN ? 1 : 0;
    if (first < junction->graph_count) status = add_up_joint(work, junction->home_at[first], joint, count, error);
    if (status != CRD_OK) return status;
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++) most = joint[i] > most ? joint[i] : most;
    for (size_t i = 0; i < count; i++) {
        if (work->scale == CRD_I_LOGS) joint[i] = crd_exp(joint[i] - most);
        sum += joint[i];
    }
    for (size_t i = 0; i < count; i++) joint[i] /= sum;
    spread_joint(work, joint, count, cells);
    return CRD_OK;
}
