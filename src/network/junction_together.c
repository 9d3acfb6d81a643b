/* junction_together.c - joint posteriors: see junction.h. The nodes were made neighbours of each other when the tree
 * was compiled, so that a clique has them all, but for those that every case observes: that of the one which is
 * eliminated first. */
#include "network/junction_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/elementary.h"

#include <math.h>

/* Where in the joint table the cells begin that go with the findings. */
static size_t offset_of_findings(const crd_i_junction_work *work) {
    const crd_i_junction *junction = work->junction;
    size_t offset = 0, stride = 1;
    for (size_t j = junction->together_count; j-- > 0;) {
        uint32_t position = junction->position_of[junction->together[j]];
        if (work->seen_at[position] >= 0) offset += (size_t)work->seen_at[position] * stride;
        stride *= junction->states_at[position];
    }
    return offset;
}

/* By position, how far apart its states are in the joint table. */
static void find_strides(const crd_i_junction *junction, size_t *strides_at) {
    size_t stride = 1;
    for (size_t i = 0; i < junction->count; i++) strides_at[i] = 0;
    for (size_t j = junction->together_count; j-- > 0;) {
        uint32_t position = junction->position_of[junction->together[j]];
        strides_at[position] = stride;
        stride *= junction->states_at[position];
    }
}

/* Adds up the joint table from that of the clique `home`, on the way back from the roots. */
static crd_status add_up_joint(crd_i_junction_work *work, int32_t home, double *cells, size_t count, crd_error *error) {
    const crd_i_junction *junction = work->junction;
    size_t *strides_at = crd_i_alloc(junction->context, junction->count, sizeof *strides_at);
    if (strides_at == NULL) return crd_i_fail_memory(error);
    find_strides(junction, strides_at);
    for (size_t i = 0; i < junction->graph_count; i++) work->source_at[i] = CRD_I_NONE;
    for (size_t i = 0; i < junction->clique_count; i++)
        work->cliques[i].is_needed = work->cliques[i].is_message_needed = false;
    for (int32_t i = home; i != CRD_I_NONE; i = junction->cliques[i].parent)
        work->cliques[i].is_needed = work->cliques[i].is_message_needed = true;
    const crd_i_joint joint = {home, cells, count, strides_at};
    crd_status status = crd_i_junction_distribute(work, NULL, &joint, error);
    crd_free(junction->context, strides_at);
    return status;
}

crd_status crd_i_junction_ask_together(crd_i_junction_work *work, const crd_i_findings *findings, double *joint,
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
    size_t cells = 1, offset = offset_of_findings(work);
    for (size_t i = 0; i < junction->together_count; i++) {
        uint32_t position = junction->position_of[junction->together[i]];
        if (position < first) first = position;
        cells *= junction->states_at[position];
    }
    /* Cells that the findings rule out are never gone to. */
    crd_i_message_clear(work->scale, joint, cells);
    if (first < junction->graph_count)
        status = add_up_joint(work, junction->home_at[first], joint + offset, cells - offset, error);
    else joint[offset] = work->scale == CRD_I_PLAIN ? 1 : 0;
    if (status != CRD_OK) return status;
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < cells; i++) most = joint[i] > most ? joint[i] : most;
    for (size_t i = 0; i < cells; i++) {
        if (work->scale == CRD_I_LOGS) joint[i] = crd_exp(joint[i] - most);
        sum += joint[i];
    }
    for (size_t i = 0; i < cells; i++) joint[i] /= sum;
    return CRD_OK;
}
