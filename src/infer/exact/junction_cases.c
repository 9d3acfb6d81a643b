/* SPDX-License-Identifier: MIT */
/* junction_cases.c - queries of junction trees: many cases in parallel, single cases, and joint posteriors. See
 * junction_tree.h.
 *
 * Contents:
 *   1. Parallel cases
 *   2. Trees of single cases
 *   3. Joint posteriors */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "infer/exact/junction_types.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* ======== 1. Parallel cases ========
 *
 * Each thread takes the next open case into its own workspace. Results do not depend on earlier uses of a workspace.
 *
 * Threads share the memory limit equally. Cases that need more than their share are postponed until the threads are
 * done, and then run one after the other with all the memory. So the number of threads does not decide which cases
 * succeed. */

typedef struct asking {
    const crd_i_junction *junction;
    const crd_i_junction_cases *cases;
    unsigned threads;
    bool *is_put_off; /* by case; NULL if no thread has to share memory */
} asking;

/* Scratch space for one case, and the destination of its results. */
typedef struct cases_seat {
    crd_i_junction_work *work;
    double *all; /* posteriors at their starts, used if only some are wanted */
} cases_seat;

static void leave_seat(const asking *query, cases_seat *seat) {
    crd_i_junction_work_destroy(seat->work);
    crd_free(query->junction->context, seat->all);
}

static crd_status take_seat(const asking *query, double memory, unsigned threads, cases_seat *seat, crd_error *error) {
    const crd_i_junction *junction = query->junction;
    seat->all = NULL;
    crd_status status = crd_i_junction_work_create(junction, &seat->work, error);
    if (status != CRD_OK) return status;
    seat->work->memory = memory;
    seat->work->threads = threads;
    if (query->cases->nodes == NULL) return CRD_OK;
    seat->all = crd_i_alloc(junction->context, junction->starts[junction->count], sizeof *seat->all);
    if (seat->all != NULL) return CRD_OK;
    leave_seat(query, seat);
    seat->work = NULL;
    return crd_i_fail_memory(error);
}

/* Returns the number of posterior values per case. */
static size_t junction_cases_answer_size(const asking *query) {
    const crd_i_junction *junction = query->junction;
    if (query->cases->nodes == NULL) return junction->starts[junction->count];
    size_t size = 0;
    for (size_t i = 0; i < query->cases->node_count; i++)
        size += junction->starts[query->cases->nodes[i] + 1] - junction->starts[query->cases->nodes[i]];
    return size;
}

static void junction_cases_hand_over(const asking *query, const cases_seat *seat, double *answer) {
    const crd_i_junction *junction = query->junction;
    for (size_t i = 0; i < query->cases->node_count; i++) {
        size_t begin = junction->starts[query->cases->nodes[i]], end = junction->starts[query->cases->nodes[i] + 1];
        memcpy(answer, seat->all + begin, (end - begin) * sizeof *answer);
        answer += end - begin;
    }
}

static crd_status ask_one(const asking *query, const cases_seat *seat, size_t number, crd_error *error) {
    const crd_i_junction *junction = query->junction;
    const crd_i_junction_cases *cases = query->cases;
    const crd_i_evidence findings = {.states = cases->states + number * junction->count,
                                     .likelihoods = cases->likelihoods};
    double *answer = NULL, *posteriors = NULL, log_evidence = -INFINITY;
    if (cases->posteriors != NULL) {
        answer = cases->posteriors + number * junction_cases_answer_size(query);
        posteriors = seat->all == NULL ? answer : seat->all;
    }
    /* Without an error struct, no search for contradictory findings is made. */
    crd_status status = crd_i_junction_ask(seat->work, &findings, cases->wanted, posteriors, &log_evidence, NULL);
    if (status == CRD_ERROR_PROBABILITY) {
        log_evidence = -INFINITY;
        if (answer != NULL) memset(answer, 0, junction_cases_answer_size(query) * sizeof *answer);
    } else if (status != CRD_OK) {
        status = crd_i_junction_ask(seat->work, &findings, cases->wanted, posteriors, &log_evidence, error);
        if (status != CRD_OK) return status;
    }
    if (status == CRD_OK && answer != posteriors) junction_cases_hand_over(query, seat, answer);
    if (cases->log_evidence != NULL) cases->log_evidence[number] = log_evidence;
    return CRD_OK;
}

static crd_status junction_cases_ask(void *state, void *workspace, size_t number, crd_error *error) {
    asking *query = state;
    cases_seat *seat = workspace;
    crd_status status = CRD_OK;
    if (seat->work == NULL) status = take_seat(query, query->junction->memory / query->threads, 1, seat, error);
    if (status == CRD_OK) status = ask_one(query, seat, number, error);
    if (status != CRD_ERROR_LIMIT || query->is_put_off == NULL) return status;
    query->is_put_off[number] = true;
    return CRD_OK;
}

static void junction_cases_leave(void *state, void *workspace) {
    leave_seat(state, workspace);
}

/* Runs the postponed cases before `end`, one after the other with all the memory. */
static crd_status ask_postponed(asking *query, size_t end, crd_error *error) {
    cases_seat seat = {.work = NULL};
    crd_status status = CRD_OK;
    for (size_t number = 0; status == CRD_OK && number < end; number++) {
        if (!query->is_put_off[number]) continue;
        if (crd_i_context_cancelled(query->junction->context)) status = crd_i_fail_cancelled(error);
        if (status == CRD_OK && seat.work == NULL)
            status = take_seat(query, query->junction->memory, query->threads, &seat, error);
        if (status == CRD_OK) status = ask_one(query, &seat, number, error);
    }
    leave_seat(query, &seat);
    return status;
}

crd_status crd_i_junction_ask_cases(const crd_i_junction *junction, const crd_i_junction_cases *cases,
                                    crd_error *error) {
    asking query = {.junction = junction, .cases = cases};
    query.threads = crd_i_parallel_members(cases->threads, cases->count);
    if (query.threads > 1 && junction->memory > 0) {
        query.is_put_off = crd_i_alloc_zeroed(junction->context, cases->count, sizeof *query.is_put_off);
        if (query.is_put_off == NULL) return crd_i_fail_memory(error);
    }
    crd_i_parallel_loop loop = {.state = &query,
                                .items = cases->count,
                                .threads = query.threads,
                                .work = junction_cases_ask,
                                .workspace_size = sizeof(cases_seat),
                                .clear = junction_cases_leave};
    crd_status status = crd_i_parallel_for(junction->context, &loop, error);
    if (query.is_put_off != NULL) {
        crd_status postponed = ask_postponed(&query, loop.failed, error);
        if (postponed != CRD_OK) status = postponed;
    }
    crd_free(junction->context, query.is_put_off);
    return status;
}

/* ======== 2. Trees of single cases ========
 *
 * A case that needs large tables gets its own tree: see junction_types.h. */

/* Compiling a tree takes about as long as querying one with this many cells, plus so many per node. */
static const double CELLS = 50000, CELLS_A_NODE = 250;

double crd_i_junction_cells_left(const crd_i_junction *junction, const crd_i_evidence *findings) {
    double total = 0;
    for (size_t i = 0; i < junction->clique_count; i++) {
        const crd_i_clique *clique = &junction->cliques[i];
        const uint32_t *vars = crd_i_clique_vars(junction, clique);
        double cells = 1;
        for (size_t j = 0; j < clique->var_count; j++)
            if (findings->states[junction->node_at[vars[j]]] < 0) cells *= junction->states_at[vars[j]];
        total += cells;
    }
    return total;
}

static bool single_case_is_observed(const crd_i_junction *junction, const crd_i_evidence *findings, size_t node) {
    bool is_left_out = junction->position_of[node] >= junction->graph_count && junction->only_state[node] < 0;
    return findings->states[node] >= 0 || is_left_out;
}

/* Returns whether the latest tree was compiled for the same evidence. */
static bool single_case_is_known(const crd_i_junction_work *work, const crd_i_evidence *findings) {
    size_t size = work->junction->count * sizeof *findings->states;
    return work->narrow_states != NULL && memcmp(work->narrow_states, findings->states, size) == 0;
}

/* Compiles a tree without nodes that are observed or in no clique of the general tree, using only the states that
 * the evidence leaves possible. */
static crd_status single_case_make_tree(crd_i_junction_work *work, bool *observed, crd_error *error) {
    const crd_i_junction *junction = work->junction;
    const crd_i_evidence findings = {.states = work->narrow_states};
    for (size_t i = 0; i < junction->count; i++) observed[i] = single_case_is_observed(junction, &findings, i);
    const crd_i_junction_options options = {.tables = junction->has_table,
                                            .observed = observed,
                                            .findings = &findings,
                                            .together = junction->together,
                                            .together_count = junction->together_count,
                                            .sets = junction->node_sets,
                                            .set_count = junction->set_count,
                                            .memory = work->memory,
                                            .threads = work->threads,
                                            .is_for_one_case = true};
    crd_status status = crd_i_junction_compile(junction->network, &options, &work->narrow, error);
    return status == CRD_OK ? crd_i_junction_work_create(work->narrow, &work->narrow_work, error) : status;
}

static crd_status single_case_compile(crd_i_junction_work *work, const crd_i_evidence *findings, double cells,
                                      crd_error *error) {
    const crd_i_junction *junction = work->junction;
    crd_context *context = junction->context;
    crd_i_junction_work_destroy(work->narrow_work);
    crd_i_junction_destroy(work->narrow);
    work->narrow_work = NULL;
    work->narrow = NULL;
    work->is_worth_it = false;
    bool *observed = crd_i_alloc(context, junction->count, sizeof *observed);
    if (work->narrow_states == NULL)
        work->narrow_states = crd_i_alloc(context, junction->count, sizeof *work->narrow_states);
    crd_status status = CRD_OK;
    if (observed == NULL || work->narrow_states == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        memcpy(work->narrow_states, findings->states, junction->count * sizeof *work->narrow_states);
        status = single_case_make_tree(work, observed, error);
    }
    crd_free(context, observed);
    if (status == CRD_OK) {
        /* Compares with the whole memory limit, although one thread's workspace may only have a share: the choice of
         * tree must not depend on the number of threads. */
        bool is_short = junction->memory > 0 && cells * (double)sizeof(double) > junction->memory;
        work->is_worth_it = (is_short ? 1 : 2) * work->narrow->cells < cells;
        return CRD_OK;
    }
    /* A tree that failed halfway must not be reused for this evidence. */
    crd_free(context, work->narrow_states);
    work->narrow_states = NULL;
    return status;
}

crd_status crd_i_junction_narrow(crd_i_junction_work **work, const crd_i_evidence *findings, crd_error *error) {
    crd_i_junction_work *junction_work = *work;
    const crd_i_junction *junction = junction_work->junction;
    double cells = crd_i_junction_cells_left(junction, findings);
    size_t observed = 0;
    for (size_t i = 0; i < junction->graph_count; i++) observed += findings->states[junction->node_at[i]] >= 0;
    if (observed == 0 || cells <= CELLS + CELLS_A_NODE * (double)junction->count) return CRD_OK;
    if (!single_case_is_known(junction_work, findings)) {
        crd_status status = single_case_compile(junction_work, findings, cells, error);
        if (status != CRD_OK) return status;
    }
    if (junction_work->is_worth_it) *work = junction_work->narrow_work;
    return CRD_OK;
}

/* ======== 3. Joint posteriors ========
 *
 * The nodes were made neighbors when the tree was compiled. So one clique contains all of them, except nodes observed
 * in every case: the clique of the first eliminated node. One backward pass computes the joint posteriors of several
 * sets. */

/* Returns the number of states of a node in the joint table: remaining states if it is unobserved. */
static size_t junction_joint_extent(const crd_i_junction_work *work, uint32_t position) {
    return work->seen_at[position] >= 0 ? 1 : work->junction->states_at[position];
}

/* Sets up a joint table of these nodes. Its clique is CRD_I_NONE if none of them is in a clique. */
static bool begin_joint(const crd_i_junction_work *work, const crd_i_node_set *nodes, double *cells,
                        crd_i_joint_posterior *joint, crd_i_arena *scratch) {
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
    joint->strides = crd_i_arena_alloc_zeroed(scratch, clique->var_count, sizeof *joint->strides);
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
    crd_i_arena *scratch = crd_i_arena_create(work->junction->context);
    crd_i_joint_posterior *posterior = crd_i_arena_alloc(scratch, count, sizeof *posterior);
    size_t *places = crd_i_arena_alloc(scratch, count, sizeof *places), used = 0;
    crd_status status = crd_i_arena_check(scratch, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        if (joints[i] == NULL) continue;
        if (!begin_joint(work, &sets[i], joints[i], &posterior[used], scratch)) status = crd_i_fail_memory(error);
        else if (posterior[used].clique == CRD_I_NONE) finish_joint(work, &sets[i], &posterior[used]);
        else places[used++] = i;
    }
    if (status != CRD_OK) goto end;
    crd_i_junction_choose_sources(work, wanted, posteriors != NULL, posterior, used);
    status = crd_i_junction_distribute(work, posteriors, posterior, error);
    for (size_t i = 0; status == CRD_OK && i < used; i++) finish_joint(work, &sets[places[i]], &posterior[i]);
end:
    crd_i_arena_destroy(scratch);
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
