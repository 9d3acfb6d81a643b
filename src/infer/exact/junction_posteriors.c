/* SPDX-License-Identifier: MIT */
/* junction_posteriors.c - posteriors from the messages of a junction tree: see junction_tree.h.
 *
 * Towards the roots, the table of clique c is the product of its factors and of its children's messages, and its
 * message is
 *     up(shared) = sum over own of table(own, shared).
 * On the way back, down(shared) is the parent's table summed over the variables that are not shared, and
 *     table(own, shared) *= down(shared) / up(shared),                          where 0 / 0 = 0.
 * The table is then the joint probability of its variables and the evidence, up to a common factor. A variable's
 * posterior is summed from the smallest table that contains it, which is often a message. */
#include "infer/exact/factor_blocks.h"

#include "math/functions/elementary.h"

#include <math.h>

/* ---- Backward pass ---- */

void crd_i_junction_choose_sources(crd_i_junction_work *work, const bool *wanted, bool has_posteriors,
                                   crd_i_joint_posterior *joints, size_t joint_count) {
    const crd_i_junction *junction = work->junction;
    for (uint32_t i = 0; i < junction->graph_count; i++) {
        bool is_asked = has_posteriors && work->seen_at[i] < 0 && (wanted == NULL || wanted[junction->node_at[i]]);
        work->source_at[i] = is_asked ? junction->home_at[i] : CRD_I_NONE;
    }
    for (size_t i = 0; i < junction->clique_count; i++) {
        const crd_i_clique *clique = &junction->cliques[i];
        const uint32_t *vars = crd_i_clique_vars(junction, clique);
        work->cliques[i].is_needed = work->cliques[i].is_message_needed = false;
        work->cliques[i].first_joint = CRD_I_NONE;
        for (size_t j = clique->own_count; j < clique->var_count; j++) {
            int32_t source = work->source_at[vars[j]];
            if (source == CRD_I_NONE) continue;
            const crd_i_clique_work *now = &work->cliques[source >= 0 ? source : -2 - source];
            size_t size = source >= 0 ? now->rows * now->width : now->width;
            if (work->cliques[i].width < size) work->source_at[vars[j]] = -2 - (int32_t)i;
        }
    }
    for (size_t i = joint_count; i-- > 0;) {
        crd_i_clique_work *clique_work = &work->cliques[joints[i].clique];
        clique_work->is_needed = true;
        joints[i].next = clique_work->first_joint;
        clique_work->first_joint = (int32_t)i;
    }
    for (size_t i = 0; i < junction->graph_count; i++) {
        int32_t source = work->source_at[i];
        if (source >= 0) work->cliques[source].is_needed = true;
        if (source >= CRD_I_NONE) continue;
        work->cliques[-2 - source].is_message_needed = true;
        work->cliques[junction->cliques[-2 - source].parent].is_needed = true;
    }
    for (size_t i = 0; i < junction->clique_count; i++) {
        int32_t parent = junction->cliques[i].parent;
        if (!work->cliques[i].is_needed || parent == CRD_I_NONE) continue;
        work->cliques[i].is_message_needed = true;
        work->cliques[parent].is_needed = true;
    }
}

/* Normalizes values proportional to a posterior and stores them at the remaining states. */
static void write_posterior(const crd_i_junction_work *work, uint32_t variable, double *posterior) {
    crd_i_factor_scale scale = work->scale;
    size_t states = work->junction->states_at[variable];
    double sum = 0, most = -INFINITY;
    for (size_t i = 0; i < states; i++) most = posterior[i] > most ? posterior[i] : most;
    for (size_t i = 0; i < states; i++) {
        if (scale == CRD_I_LOGS) posterior[i] = crd_exp(posterior[i] - most);
        sum += posterior[i];
    }
    for (size_t i = 0; i < states; i++) posterior[i] /= sum;
    crd_i_junction_spread(work->junction, work->junction->node_at[variable], posterior);
}

static void add_up_posterior(crd_i_junction_work *work, const uint32_t *vars, size_t count, const double *table,
                             uint32_t variable, double *posteriors) {
    crd_i_walk walk;
    double *out = posteriors + work->junction->starts[work->junction->node_at[variable]];
    size_t states = crd_i_walk_variable(work, vars, count, variable, &walk);
    crd_i_message_sum(work->scale, &walk, table, out, states);
    write_posterior(work, variable, out);
}

/* Returns the factor for a message from the parent that brings the child's table near 1. It scales the message's
 * maximum to about 1 and cancels the scaling of the child's own message. Entries far below 1 are then far below any
 * distinguishable probability. */
static double down_factor(const crd_i_junction_work *work, const crd_i_clique_work *clique) {
    const double *message = work->cells + clique->down_at;
    double most = 0;
    int exponent;
    if (work->scale == CRD_I_LOGS) return 1;
    for (size_t i = 0; i < clique->width; i++) most = message[i] > most ? message[i] : most;
    frexp(most, &exponent);
    /* Limits the factor so that a quotient by numbers of 2^LOWEST stays in range. */
    return ldexp(1, -exponent - (clique->exponent > -100 ? clique->exponent : -100));
}

/* Reserves shared scratch space for the messages to the children of one clique. They are summed there before they
 * replace the messages from the children. */
static void make_room_down(crd_i_junction_work *work, const crd_i_clique *clique) {
    size_t index = work->down_at;
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = work->junction->cliques[i].next_child) {
        work->cliques[i].down_at = index;
        if (work->cliques[i].is_message_needed) index += work->cliques[i].width;
    }
}

/* Computes the posteriors available from the messages to the children, and divides these messages. */
static void finish_down(crd_i_junction_work *work, const crd_i_clique *clique, double *posteriors) {
    const crd_i_junction *junction = work->junction;
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child) {
        const crd_i_clique *child = &junction->cliques[i];
        const crd_i_clique_work *clique_work = &work->cliques[i];
        const uint32_t *shared = crd_i_clique_vars(junction, child) + child->own_count;
        size_t shared_count = child->var_count - child->own_count;
        double *message = work->cells + clique_work->down_at;
        if (!clique_work->is_message_needed) continue;
        for (size_t j = 0; j < shared_count; j++)
            if (work->source_at[shared[j]] == -2 - i)
                add_up_posterior(work, shared, shared_count, message, shared[j], posteriors);
        crd_i_message_divide(work->scale, message, work->cells + clique_work->up_at, clique_work->width,
                             down_factor(work, clique_work));
    }
}

/* Sends messages from a clique with a stored, complete table to the children that need one. Computes posteriors. */
static void send_down(crd_i_junction_work *work, size_t index, const double *table, double *posteriors,
                      const crd_i_joint_posterior *joints) {
    const crd_i_junction *junction = work->junction;
    const crd_i_clique *clique = &junction->cliques[index];
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    crd_i_walk walk;
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child) {
        const crd_i_clique_work *clique_work = &work->cliques[i];
        if (!clique_work->is_message_needed) continue;
        crd_i_walk_message(work, clique, &junction->cliques[i], &walk);
        crd_i_message_sum(work->scale, &walk, table, work->cells + clique_work->down_at, clique_work->width);
    }
    for (size_t i = 0; i < clique->own_count; i++)
        if (work->source_at[vars[i]] == (int32_t)index)
            add_up_posterior(work, vars, clique->var_count, table, vars[i], posteriors);
    for (int32_t i = work->cliques[index].first_joint; i != CRD_I_NONE; i = joints[i].next) {
        crd_i_walk_joint(work, clique, joints[i].strides, &walk);
        crd_i_message_sum(work->scale, &walk, table, joints[i].cells, joints[i].cell_count);
    }
}

/* Sends messages from a clique without a stored table, block by block. */
static crd_status send_blocks_down(crd_i_junction_work *work, size_t index, double *posteriors,
                                   const crd_i_joint_posterior *joints) {
    const crd_i_junction *junction = work->junction;
    const crd_i_clique *clique = &junction->cliques[index];
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    crd_status status = crd_i_blocks_down(work, index, posteriors, joints);
    for (size_t i = 0; status == CRD_OK && i < clique->own_count; i++)
        if (work->source_at[vars[i]] == (int32_t)index)
            write_posterior(work, vars[i], posteriors + junction->starts[junction->node_at[vars[i]]]);
    return status;
}

/* Returns the single variable for which a clique is needed, if that is its only use. Its table is then only read. */
static uint32_t only_variable(const crd_i_junction_work *work, const crd_i_clique *clique) {
    const uint32_t *vars = crd_i_clique_vars(work->junction, clique);
    uint32_t only = UINT32_MAX;
    if (clique->first_child != CRD_I_NONE || clique->parent == CRD_I_NONE) return only;
    for (size_t i = 0; i < clique->own_count; i++) {
        if (work->seen_at[vars[i]] >= 0) continue;
        if (only != UINT32_MAX) return UINT32_MAX;
        only = vars[i];
    }
    return only;
}

/* Scales a root's table so that its maximum is between 1/2 and 1, unless it is close already. */
static void scale_root(const crd_i_junction_work *work, const crd_i_clique_work *clique, double *table) {
    double most = 0;
    if (work->scale == CRD_I_LOGS) return;
    for (size_t i = 0; i < clique->rows * clique->width; i++) most = table[i] > most ? table[i] : most;
    if (most >= 0x1p-100 && most <= 0x1p100) return;
    int exponent;
    frexp(most, &exponent);
    double factor = ldexp(1, -exponent);
    for (size_t i = 0; i < clique->rows * clique->width; i++) table[i] *= factor;
}

/* Passes messages back through a clique with a stored table. */
static void pass_down(crd_i_junction_work *work, size_t index, double *posteriors,
                      const crd_i_joint_posterior *joints) {
    const crd_i_junction *junction = work->junction;
    const crd_i_clique *clique = &junction->cliques[index];
    const crd_i_clique_work *clique_work = &work->cliques[index];
    double *table = work->cells + clique_work->table_at;
    const double *message = work->cells + clique_work->up_at;
    uint32_t only = only_variable(work, clique);
    if (only != UINT32_MAX && work->source_at[only] == (int32_t)index && clique_work->first_joint == CRD_I_NONE) {
        double *out = posteriors + junction->starts[junction->node_at[only]];
        crd_i_message_dots(work->scale, table, clique_work->rows, clique_work->width, message, out);
        write_posterior(work, only, out);
        return;
    }
    if (clique->parent != CRD_I_NONE) {
        crd_i_walk walk;
        crd_i_walk_begin(&walk);
        crd_i_walk_add(&walk, clique_work->width, 1);
        crd_i_walk_add(&walk, clique_work->rows, 0);
        crd_i_walk_end(&walk);
        crd_i_message_times(work->scale, &walk, table, message);
    } else {
        scale_root(work, clique_work, table);
    }
    send_down(work, index, table, posteriors, joints);
}

crd_status crd_i_junction_distribute(crd_i_junction_work *work, double *posteriors, const crd_i_joint_posterior *joints,
                                     crd_error *error) {
    const crd_i_junction *junction = work->junction;
    for (size_t i = junction->clique_count; i-- > 0;) {
        crd_status status = CRD_OK;
        if (!work->cliques[i].is_needed) continue;
        make_room_down(work, &junction->cliques[i]);
        if (work->cliques[i].is_kept) pass_down(work, i, posteriors, joints);
        else status = send_blocks_down(work, i, posteriors, joints);
        if (status != CRD_OK) return crd_i_junction_stopped(status, error);
        finish_down(work, &junction->cliques[i], posteriors);
    }
    return CRD_OK;
}

void crd_i_junction_write_observed(const crd_i_junction *junction, const crd_i_evidence *findings, const bool *wanted,
                                   double *posteriors) {
    for (size_t i = 0; i < junction->count; i++) {
        int32_t seen = findings->states[i] >= 0 ? findings->states[i] : junction->only_state[i];
        if (seen < 0 || (wanted != NULL && !wanted[i])) continue;
        for (size_t j = junction->starts[i]; j < junction->starts[i + 1]; j++) posteriors[j] = 0;
        posteriors[junction->starts[i] + (size_t)seen] = 1;
    }
}

/* Runs the query with the chosen tree. */
static crd_status ask_tree(crd_i_junction_work *work, const crd_i_evidence *findings, const bool *wanted,
                           double *posteriors, double *log_evidence, crd_error *error) {
    crd_status status = crd_i_junction_begin(work, findings, false, error);
    if (status == CRD_OK) status = crd_i_junction_collect(work, false, error);
    if (status != CRD_OK) return status;
    if (log_evidence != NULL) *log_evidence = crd_i_junction_log_evidence(work);
    if (posteriors == NULL) return CRD_OK;
    crd_i_junction_choose_sources(work, wanted, true, NULL, 0);
    crd_i_junction_write_observed(work->junction, findings, wanted, posteriors);
    return crd_i_junction_distribute(work, posteriors, NULL, error);
}

crd_status crd_i_junction_ask(crd_i_junction_work *work, const crd_i_evidence *findings, const bool *wanted,
                              double *posteriors, double *log_evidence, crd_error *error) {
    crd_i_junction_work *chosen = work;
    bool is_done = false;
    crd_status status = crd_i_junction_narrow(&chosen, findings, error);
    if (status != CRD_OK) return status;
    double cells = crd_i_junction_cells_left(chosen->junction, findings);
    status = crd_i_junction_ask_pieces(work, findings, wanted, cells, posteriors, log_evidence, &is_done, error);
    if (status == CRD_OK && is_done) crd_i_junction_write_observed(work->junction, findings, wanted, posteriors);
    if (status != CRD_OK || is_done) return status;
    status = ask_tree(chosen, findings, wanted, posteriors, log_evidence, error);
    return status == CRD_ERROR_PROBABILITY ? crd_i_junction_impossible(work, findings, error) : status;
}
