/* SPDX-License-Identifier: MIT */
/* junction_pieces.c - posteriors of a case computed with several small trees, for use when one tree would be large.
 *
 * The posterior of a node depends on only some of the tables (see barren_nodes.h); without evidence, on the tables
 * of its ancestors. A tree of these tables gives the posterior of every node that depends on no others. So the node
 * that depends on the most tables comes first, and its tree serves all nodes that need a subset of its tables. The
 * next tree is for the next node without a result. If a network has many leaves with few descendants, these trees
 * together are much smaller than a single tree. The probability of the evidence depends on the tables of the
 * evidence's ancestors.
 *
 * All trees are measured before any is queried, so little time is lost if they are not smaller. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/barren_nodes.h"

#include <string.h>

/* Costs in units of table cells traversed in the same time: compiling a tree, per tree and per network node;
 * measuring it, likewise; and finding the tables that one node depends on, per other node. */
static const double CELLS_A_TREE = 30000, CELLS_A_NODE = 150, CELLS_A_MEASURE = 15000, CELLS_A_MEASURED_NODE = 75,
                    CELLS_A_PAIR = 8;

typedef struct pieces {
    crd_i_junction_work *work;
    const crd_i_evidence *findings;
    const bool *wanted;
    double to_measure, to_ask;       /* remaining budget in cells, for measuring and for queries */
    bool *asked, *observed, *tables; /* by node */
    bool *is_done, *is_done_before;  /* by node: its posterior is done or not needed; the initial values */
    uint64_t *rests_on;              /* by node: a row of bits, one per table */
    size_t words, *sizes;            /* words per row; by node: the number of tables */
} pieces;

static void close_pieces(pieces *own_pieces) {
    crd_context *context = own_pieces->work->junction->context;
    crd_free(context, own_pieces->asked);
    crd_free(context, own_pieces->observed);
    crd_free(context, own_pieces->tables);
    crd_free(context, own_pieces->is_done);
    crd_free(context, own_pieces->is_done_before);
    crd_free(context, own_pieces->rests_on);
    crd_free(context, own_pieces->sizes);
}

static bool open_pieces(pieces *own_pieces) {
    const crd_i_junction *junction = own_pieces->work->junction;
    crd_context *context = junction->context;
    size_t count = junction->count;
    own_pieces->words = (count + 63) / 64;
    own_pieces->asked = crd_i_alloc_zeroed(context, count, sizeof *own_pieces->asked);
    own_pieces->observed = crd_i_alloc(context, count, sizeof *own_pieces->observed);
    own_pieces->tables = crd_i_alloc(context, count, sizeof *own_pieces->tables);
    own_pieces->is_done = crd_i_alloc(context, count, sizeof *own_pieces->is_done);
    own_pieces->is_done_before = crd_i_alloc(context, count, sizeof *own_pieces->is_done_before);
    own_pieces->rests_on = crd_i_alloc_zeroed(context, count * own_pieces->words, sizeof *own_pieces->rests_on);
    own_pieces->sizes = crd_i_alloc_zeroed(context, count, sizeof *own_pieces->sizes);
    if (own_pieces->asked == NULL || own_pieces->observed == NULL || own_pieces->tables == NULL ||
        own_pieces->is_done == NULL || own_pieces->is_done_before == NULL || own_pieces->rests_on == NULL ||
        own_pieces->sizes == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        own_pieces->observed[i] = own_pieces->findings->states[i] >= 0;
        own_pieces->is_done_before[i] = own_pieces->observed[i] || !junction->has_table[i] ||
                                        (own_pieces->wanted != NULL && !own_pieces->wanted[i]);
    }
    return true;
}

/* Compiles a tree of the tables in own->tables, or only measures it. */
static crd_status junction_pieces_compile(const pieces *own_pieces, bool is_measured_only, crd_i_junction **tree,
                                          crd_error *error) {
    const crd_i_evidence known = {.states = own_pieces->findings->states};
    const crd_i_junction_options options = {.tables = own_pieces->tables,
                                            .observed = own_pieces->observed,
                                            .findings = &known,
                                            .memory = own_pieces->work->memory,
                                            .threads = own_pieces->work->threads,
                                            .is_for_one_case = true,
                                            .is_measured_only = is_measured_only};
    return crd_i_junction_compile(own_pieces->work->junction->network, &options, tree, error);
}

static crd_status junction_pieces_measure(pieces *own_pieces, bool *is_small, crd_error *error) {
    crd_i_junction *tree = NULL;
    crd_status status = junction_pieces_compile(own_pieces, true, &tree, error);
    if (status != CRD_OK) return status;
    double nodes = (double)own_pieces->work->junction->count;
    own_pieces->to_measure -= CELLS_A_MEASURE + CELLS_A_MEASURED_NODE * nodes;
    own_pieces->to_ask -= CELLS_A_TREE + CELLS_A_NODE * nodes + tree->cells;
    /* If one tree is too large to try, the others need not be measured. */
    *is_small = own_pieces->to_measure >= 0 && own_pieces->to_ask >= 0 && tree->cells <= CRD_I_MOST_CELLS;
    crd_i_junction_destroy(tree);
    return CRD_OK;
}

static crd_status junction_pieces_ask(pieces *own_pieces, const bool *wanted, double *posteriors, double *log_evidence,
                                      crd_error *error) {
    const crd_i_evidence known = {.states = own_pieces->findings->states};
    crd_i_junction *tree = NULL;
    crd_i_junction_work *work = NULL;
    crd_status status = junction_pieces_compile(own_pieces, false, &tree, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(tree, &work, error);
    if (status == CRD_OK) {
        work->is_piece = true;
        status = crd_i_junction_ask(work, &known, wanted, posteriors, log_evidence, error);
    }
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(tree);
    return status;
}

/* Finds the tables on which the posterior of each wanted node depends. */
static crd_status find_tables(pieces *own_pieces, crd_error *error) {
    const crd_i_junction *junction = own_pieces->work->junction;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < junction->count; i++) {
        if (own_pieces->is_done_before[i]) continue;
        own_pieces->asked[i] = true;
        status =
            crd_i_prune(junction->network, own_pieces->asked, own_pieces->observed, own_pieces->tables, NULL, error);
        own_pieces->asked[i] = false;
        uint64_t *row = own_pieces->rests_on + i * own_pieces->words;
        for (size_t j = 0; status == CRD_OK && j < junction->count; j++) {
            if (!own_pieces->tables[j] || !junction->has_table[j]) continue;
            row[j / 64] |= UINT64_C(1) << j % 64;
            own_pieces->sizes[i]++;
        }
    }
    return status;
}

static bool junction_pieces_is_part(const pieces *own_pieces, size_t node, size_t of) {
    const uint64_t *small = own_pieces->rests_on + node * own_pieces->words,
                   *large = own_pieces->rests_on + of * own_pieces->words;
    for (size_t i = 0; i < own_pieces->words; i++)
        if (small[i] & ~large[i]) return false;
    return true;
}

/* Selects the tables of all ancestors of the evidence. */
static void junction_pieces_take_findings(pieces *own_pieces) {
    const crd_network *network = own_pieces->work->junction->network;
    memcpy(own_pieces->tables, own_pieces->observed, network->count * sizeof *own_pieces->tables);
    for (size_t i = network->count; i-- > 0;) {
        uint32_t node = network->order[i];
        if (!own_pieces->tables[node]) continue;
        for (size_t j = 0; j < network->nodes[node].parent_count; j++)
            own_pieces->tables[network->nodes[node].parents[j]] = true;
    }
    for (size_t i = 0; i < network->count; i++)
        own_pieces->tables[i] = own_pieces->tables[i] && own_pieces->work->junction->has_table[i];
}

/* Selects the tables of the unfinished node with the most tables, and marks all nodes that need a subset of them.
 * Returns false if all nodes are done. */
static bool take_next(pieces *own_pieces) {
    size_t count = own_pieces->work->junction->count, most = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (!own_pieces->is_done[i] && (most == SIZE_MAX || own_pieces->sizes[i] > own_pieces->sizes[most])) most = i;
    if (most == SIZE_MAX) return false;
    const uint64_t *row = own_pieces->rests_on + most * own_pieces->words;
    for (size_t i = 0; i < count; i++) {
        own_pieces->tables[i] = row[i / 64] >> i % 64 & 1;
        own_pieces->asked[i] = !own_pieces->is_done[i] && junction_pieces_is_part(own_pieces, i, most);
    }
    for (size_t i = 0; i < count; i++) own_pieces->is_done[i] = own_pieces->is_done[i] || own_pieces->asked[i];
    return true;
}

static crd_status measure_all(pieces *own_pieces, bool *is_small, crd_error *error) {
    junction_pieces_take_findings(own_pieces);
    crd_status status = junction_pieces_measure(own_pieces, is_small, error);
    if (status == CRD_OK && *is_small) status = find_tables(own_pieces, error);
    memcpy(own_pieces->is_done, own_pieces->is_done_before,
           own_pieces->work->junction->count * sizeof *own_pieces->is_done);
    while (status == CRD_OK && *is_small && take_next(own_pieces))
        status = junction_pieces_measure(own_pieces, is_small, error);
    return status;
}

static crd_status junction_pieces_ask_all(pieces *own_pieces, double *posteriors, double *log_evidence,
                                          crd_error *error) {
    junction_pieces_take_findings(own_pieces);
    crd_status status = junction_pieces_ask(own_pieces, NULL, NULL, log_evidence, error);
    memcpy(own_pieces->is_done, own_pieces->is_done_before,
           own_pieces->work->junction->count * sizeof *own_pieces->is_done);
    while (status == CRD_OK && take_next(own_pieces))
        status = junction_pieces_ask(own_pieces, own_pieces->asked, posteriors, NULL, error);
    return status;
}

crd_status crd_i_junction_ask_pieces(crd_i_junction_work *work, const crd_i_evidence *findings, const bool *wanted,
                                     double cells, double *posteriors, double *log_evidence, bool *is_done,
                                     crd_error *error) {
    size_t count = work->junction->count;
    double search = CELLS_A_PAIR * (double)count * (double)count;
    *is_done = false;
    if (work->is_piece || posteriors == NULL || findings->likelihoods != NULL || findings->set_logs != NULL)
        return CRD_OK;
    if (search > cells / 16) return CRD_OK;
    if (CELLS_A_TREE + CELLS_A_NODE * (double)count > cells / 16) return CRD_OK;
    pieces own_pieces = {
        .work = work, .findings = findings, .wanted = wanted, .to_measure = cells / 8, .to_ask = cells / 2};
    bool is_small = true;
    crd_status status = open_pieces(&own_pieces) ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) status = measure_all(&own_pieces, &is_small, error);
    if (status == CRD_OK && is_small) {
        status = junction_pieces_ask_all(&own_pieces, posteriors, log_evidence, error);
        *is_done = status == CRD_OK;
    }
    close_pieces(&own_pieces);
    return status;
}
