/* junction_together.c - joint posteriors: see junction.h. The nodes were made neighbours of each other when the tree
 * was compiled, so that a clique has them all, but for those that every case observes: that of the one which is
 * eliminated first. */
#include "network/junction_parts.h"

#include "base/error.h"
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

/* The way through the clique's table, beside the joint one. */
static void walk_joint(const crd_i_junction_work *work, const crd_i_clique *clique, crd_i_walk *walk) {
    const crd_i_junction *junction = work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    crd_i_walk_begin(walk);
    for (size_t i = clique->var_count; i-- > 0;) {
        size_t stride = 1, found = 0;
        for (size_t j = junction->together_count; j-- > 0;) {
            uint32_t position = junction->position_of[junction->together[j]];
            if (position == vars[i]) found = stride;
            stride *= junction->states_at[position];
        }
        if (work->seen_at[vars[i]] < 0) crd_i_walk_add(walk, junction->states_at[vars[i]], found);
    }
    crd_i_walk_end(walk);
}

/* Adds up the joint table from that of the clique `home`, on the way back from the roots. */
static void add_up_joint(crd_i_junction_work *work, int32_t home, double *joint) {
    const crd_i_junction *junction = work->junction;
    for (size_t i = 0; i < junction->graph_count; i++) work->source_at[i] = CRD_I_NONE;
    for (size_t i = 0; i < junction->clique_count; i++) work->cliques[i].is_needed = false;
    for (int32_t i = home; i != CRD_I_NONE; i = junction->cliques[i].parent) work->cliques[i].is_needed = true;
    crd_i_junction_distribute(work, NULL);
    crd_i_walk walk;
    walk_joint(work, &junction->cliques[home], &walk);
    crd_i_message_add(work->scale, &walk, work->cells + work->cliques[home].table_at, joint);
}

crd_status crd_i_junction_ask_together(crd_i_junction_work *work, const crd_i_findings *findings, double *joint,
                                       double *log_evidence, crd_error *error) {
    crd_i_junction_work *whole = work;
    crd_status status = crd_i_junction_narrow(&work, findings, error);
    if (status == CRD_OK) status = crd_i_junction_begin(work, findings, error);
    if (status != CRD_OK) return status;
    if (!crd_i_junction_collect(work, false)) return crd_i_junction_impossible(whole, findings, error);
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
    double none = work->scale == CRD_I_PLAIN ? 0 : -INFINITY, most = -INFINITY, sum = 0;
    for (size_t i = 0; i < cells; i++) joint[i] = none;
    if (first < junction->graph_count) add_up_joint(work, junction->home_at[first], joint + offset);
    else joint[offset] = work->scale == CRD_I_PLAIN ? 1 : 0;
    for (size_t i = 0; i < cells; i++) most = joint[i] > most ? joint[i] : most;
    for (size_t i = 0; i < cells; i++) {
        if (work->scale == CRD_I_LOGS) joint[i] = crd_exp(joint[i] - most);
        sum += joint[i];
    }
    for (size_t i = 0; i < cells; i++) joint[i] /= sum;
    return CRD_OK;
}
