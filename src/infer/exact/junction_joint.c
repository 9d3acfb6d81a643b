/* SPDX-License-Identifier: MIT */
/* junction_joint.c - joint posteriors: see junction_tree.h. The nodes were made neighbors when the tree was
 * compiled. So one clique, that of the first eliminated node, contains all of them except nodes observed in every
 * case. One backward pass computes the joint posteriors of several sets. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

/* Returns the number of states of a node in the joint table: remaining states if it is unobserved. */
static size_t junction_joint_extent(const crd_i_junction_work *work, uint32_t position) {
    return work->seen_at[position] >= 0 ? 1 : work->junction->states_at[position];
}

/* Sets up a joint table of these nodes. Its clique is CRD_I_NONE if none of them is in a clique. */
static bool begin_joint(const crd_i_junction_work *work, const crd_i_node_set *nodes, double *cells,
                        crd_i_joint_posterior *joint) {
    const crd_i_junction *junction = work->junction;
    const crd_i_joint_posterior none = {.clique = CRD_I_NONE, .next = CRD_I_NONE, .cells = cells, .cell_count = 1};
    uint32_t first = UINT32_MAX;
    *joint = none;
    cells[0] = work->scale == CRD_I_PLAIN ? 1 : 0;
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t position = junction->position_of[nodes->nodes[i]];
        if (position < first) first = position;
    }
    if (first >= junction->graph_count) return true;
    joint->clique = junction->home_at[first];
    const crd_i_clique *clique = &junction->cliques[joint->clique];
    joint->strides = crd_i_alloc_zeroed(junction->context, clique->var_count, sizeof *joint->strides);
    if (joint->strides == NULL) return false;
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    for (size_t j = nodes->count; j-- > 0;) {
        uint32_t position = junction->position_of[nodes->nodes[j]];
        size_t index = 0;
        while (index < clique->var_count && vars[index] != position) index++;
        if (index < clique->var_count) joint->strides[index] = joint->cell_count;
        joint->cell_count *= junction_joint_extent(work, position);
    }
    return true;
}

/* Expands a joint table to all states; other cells are 0. Runs from the last cell to the first, because a cell never
 * moves to a lower position. */
static void spread_joint(const crd_i_junction_work *work, const crd_i_node_set *nodes, double *joint, size_t count) {
    const crd_i_junction *junction = work->junction;
    size_t end = 1;
    for (size_t j = 0; j < nodes->count; j++)
        end *= junction->starts[nodes->nodes[j] + 1] - junction->starts[nodes->nodes[j]];
    for (size_t cell = count; cell-- > 0;) {
        size_t remainder = cell, target = 0, stride = 1;
        for (size_t j = nodes->count; j-- > 0;) {
            uint32_t node = nodes->nodes[j], position = junction->position_of[node];
            size_t extent = junction_joint_extent(work, position);
            int32_t place = work->seen_at[position] >= 0 ? work->seen_at[position] : (int32_t)(remainder % extent);
            target += (size_t)crd_i_junction_state(junction, node, place) * stride;
            stride *= junction->starts[node + 1] - junction->starts[node];
            remainder /= extent;
        }
        double value = joint[cell];
        for (size_t i = target; i < end; i++) joint[i] = 0;
        joint[target] = value;
        end = target;
    }
    for (size_t i = 0; i < end; i++) joint[i] = 0;
}

static void finish_joint(const crd_i_junction_work *work, const crd_i_node_set *nodes,
                         const crd_i_joint_posterior *joint) {
    double most = -INFINITY, sum = 0, *cells = joint->cells;
    for (size_t i = 0; i < joint->cell_count; i++) most = cells[i] > most ? cells[i] : most;
    for (size_t i = 0; i < joint->cell_count; i++) {
        if (work->scale == CRD_I_LOGS) cells[i] = crd_exp(cells[i] - most);
        sum += cells[i];
    }
    for (size_t i = 0; i < joint->cell_count; i++) cells[i] /= sum;
    spread_joint(work, nodes, cells, joint->cell_count);
}

/* Computes a joint table for each set whose entry in `joints` is not NULL, and posteriors. Messages must have
 * reached the roots. */
static crd_status junction_joint_go_back(crd_i_junction_work *work, const crd_i_node_set *sets, size_t count,
                                         double *const *joints, const bool *wanted, double *posteriors,
                                         crd_error *error) {
    crd_context *context = work->junction->context;
    crd_i_joint_posterior *posterior = crd_i_alloc_zeroed(context, count, sizeof *posterior);
    size_t *places = crd_i_alloc(context, count, sizeof *places), used = 0;
    crd_status status = posterior == NULL || places == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        if (joints[i] == NULL) continue;
        if (!begin_joint(work, &sets[i], joints[i], &posterior[used])) status = crd_i_fail_memory(error);
        else if (posterior[used].clique == CRD_I_NONE) finish_joint(work, &sets[i], &posterior[used]);
        else places[used++] = i;
    }
    if (status == CRD_OK) {
        crd_i_junction_choose_sources(work, wanted, posteriors != NULL, posterior, used);
        status = crd_i_junction_distribute(work, posteriors, posterior, error);
    }
    for (size_t i = 0; status == CRD_OK && i < used; i++) finish_joint(work, &sets[places[i]], &posterior[i]);
    for (size_t i = 0; posterior != NULL && i < count; i++) crd_free(context, posterior[i].strides);
    crd_free(context, posterior);
    crd_free(context, places);
    return status;
}

/* Passes messages to the roots, with the tree that suits the case. */
static crd_status junction_joint_collect(crd_i_junction_work **work, const crd_i_evidence *findings,
                                         double *log_evidence, crd_error *error) {
    crd_i_junction_work *whole = *work;
    crd_status status = crd_i_junction_narrow(work, findings, error);
    if (status == CRD_OK) status = crd_i_junction_begin(*work, findings, false, error);
    if (status != CRD_OK) return status;
    status = crd_i_junction_collect(*work, false, error);
    if (status == CRD_ERROR_PROBABILITY) return crd_i_junction_impossible(whole, findings, error);
    if (status == CRD_OK && log_evidence != NULL) *log_evidence = crd_i_junction_log_evidence(*work);
    return status;
}

crd_status crd_i_junction_ask_together(crd_i_junction_work *work, const crd_i_evidence *findings, double *joint,
                                       double *log_evidence, crd_error *error) {
    crd_status status = junction_joint_collect(&work, findings, log_evidence, error);
    if (status != CRD_OK) return status;
    const crd_i_node_set set = {work->junction->together, work->junction->together_count};
    return junction_joint_go_back(work, &set, 1, &joint, NULL, NULL, error);
}

crd_status crd_i_junction_ask_sets(crd_i_junction_work *work, const crd_i_evidence *findings, double *const *joints,
                                   const bool *wanted, double *posteriors, double *log_evidence, crd_error *error) {
    crd_status status = junction_joint_collect(&work, findings, log_evidence, error);
    if (status != CRD_OK) return status;
    if (posteriors != NULL) crd_i_junction_write_observed(work->junction, findings, wanted, posteriors);
    return junction_joint_go_back(work, work->junction->node_sets, work->junction->set_count, joints, wanted,
                                  posteriors, error);
}
