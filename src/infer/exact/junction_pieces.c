/* SPDX-License-Identifier: MIT */
/* junction_pieces.c - posteriors of a case piece by piece, where the tree for all of them is large.
 *
 * The posterior of a node rests on some of the tables alone (see barren_nodes.h): without evidence on those of its ancestors.
 * A tree of these tables says the same of every node whose posterior rests on no others. So the node with the most
 * tables is taken first, and answers for all that need a part of them; then the next that has no answer. Where a
 * network has many ends that little depends on, these trees together are much smaller than the one for everything. The
 * probability of the evidence rests on the tables of their ancestors.
 *
 * All trees are measured before any of them is asked, so that little is lost where they are not smaller. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/barren_nodes.h"

#include <string.h>

/* What a tree costs, in cells of tables that are gone through in that time: to compile it, and for each node of the
 * network; the same to measure it; and to find out what one node rests on, for each other node. */
static const double CELLS_A_TREE = 30000, CELLS_A_NODE = 150, CELLS_A_MEASURE = 15000, CELLS_A_MEASURED_NODE = 75,
                    CELLS_A_PAIR = 8;

typedef struct pieces {
    crd_i_junction_work *work;
    const crd_i_evidence *findings;
    const bool *wanted;
    double to_measure, to_ask;       /* cells, in time to go through them, that may still be spent on these */
    bool *asked, *observed, *tables; /* by node */
    bool *is_done, *is_done_before;  /* by node: it has its posterior, or needs none; when nothing was asked yet */
    uint64_t *rests_on;              /* by node, a row of bits, one for each table */
    size_t words, *sizes;            /* of a row; by node, how many tables */
} pieces;

static void close_pieces(pieces *own) {
    crd_context *context = own->work->junction->context;
    crd_free(context, own->asked);
    crd_free(context, own->observed);
    crd_free(context, own->tables);
    crd_free(context, own->is_done);
    crd_free(context, own->is_done_before);
    crd_free(context, own->rests_on);
    crd_free(context, own->sizes);
}

static bool open_pieces(pieces *own) {
    const crd_i_junction *junction = own->work->junction;
    crd_context *context = junction->context;
    size_t count = junction->count;
    own->words = (count + 63) / 64;
    own->asked = crd_i_alloc_zeroed(context, count, sizeof *own->asked);
    own->observed = crd_i_alloc(context, count, sizeof *own->observed);
    own->tables = crd_i_alloc(context, count, sizeof *own->tables);
    own->is_done = crd_i_alloc(context, count, sizeof *own->is_done);
    own->is_done_before = crd_i_alloc(context, count, sizeof *own->is_done_before);
    own->rests_on = crd_i_alloc_zeroed(context, count * own->words, sizeof *own->rests_on);
    own->sizes = crd_i_alloc_zeroed(context, count, sizeof *own->sizes);
    if (own->asked == NULL || own->observed == NULL || own->tables == NULL || own->is_done == NULL ||
        own->is_done_before == NULL || own->rests_on == NULL || own->sizes == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        own->observed[i] = own->findings->states[i] >= 0;
        own->is_done_before[i] =
            own->observed[i] || !junction->has_table[i] || (own->wanted != NULL && !own->wanted[i]);
    }
    return true;
}

/* A tree of the tables in own->tables, or its measures alone. */
static crd_status compile(const pieces *own, bool is_measured_only, crd_i_junction **tree, crd_error *error) {
    const crd_i_evidence known = {.states = own->findings->states};
    const crd_i_junction_options options = {.tables = own->tables,
                                            .observed = own->observed,
                                            .findings = &known,
                                            .memory = own->work->memory,
                                            .threads = own->work->threads,
                                            .is_for_one_case = true,
                                            .is_measured_only = is_measured_only};
    return crd_i_junction_compile(own->work->junction->network, &options, tree, error);
}

static crd_status measure(pieces *own, bool *is_small, crd_error *error) {
    crd_i_junction *tree = NULL;
    crd_status status = compile(own, true, &tree, error);
    if (status != CRD_OK) return status;
    double nodes = (double)own->work->junction->count;
    own->to_measure -= CELLS_A_MEASURE + CELLS_A_MEASURED_NODE * nodes;
    own->to_ask -= CELLS_A_TREE + CELLS_A_NODE * nodes + tree->cells;
    /* Where one of them is too large to be tried, so is the whole, and the others need not be measured. */
    *is_small = own->to_measure >= 0 && own->to_ask >= 0 && tree->cells <= CRD_I_MOST_CELLS;
    crd_i_junction_destroy(tree);
    return CRD_OK;
}

static crd_status ask(pieces *own, const bool *wanted, double *posteriors, double *log_evidence, crd_error *error) {
    const crd_i_evidence known = {.states = own->findings->states};
    crd_i_junction *tree = NULL;
    crd_i_junction_work *work = NULL;
    crd_status status = compile(own, false, &tree, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(tree, &work, error);
    if (status == CRD_OK) {
        work->is_piece = true;
        status = crd_i_junction_ask(work, &known, wanted, posteriors, log_evidence, error);
    }
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(tree);
    return status;
}

/* Which tables the posterior of each wanted node rests on. */
static crd_status find_tables(pieces *own, crd_error *error) {
    const crd_i_junction *junction = own->work->junction;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < junction->count; i++) {
        if (own->is_done_before[i]) continue;
        own->asked[i] = true;
        status = crd_i_prune(junction->network, own->asked, own->observed, own->tables, NULL, error);
        own->asked[i] = false;
        uint64_t *row = own->rests_on + i * own->words;
        for (size_t j = 0; status == CRD_OK && j < junction->count; j++) {
            if (!own->tables[j] || !junction->has_table[j]) continue;
            row[j / 64] |= UINT64_C(1) << j % 64;
            own->sizes[i]++;
        }
    }
    return status;
}

static bool is_part(const pieces *own, size_t node, size_t of) {
    const uint64_t *small = own->rests_on + node * own->words, *large = own->rests_on + of * own->words;
    for (size_t i = 0; i < own->words; i++)
        if (small[i] & ~large[i]) return false;
    return true;
}

/* Takes the tables of all nodes from which arcs lead to evidence. */
static void take_findings(pieces *own) {
    const crd_network *network = own->work->junction->network;
    memcpy(own->tables, own->observed, network->count * sizeof *own->tables);
    for (size_t i = network->count; i-- > 0;) {
        uint32_t node = network->order[i];
        if (!own->tables[node]) continue;
        for (size_t j = 0; j < network->nodes[node].parent_count; j++)
            own->tables[network->nodes[node].parents[j]] = true;
    }
    for (size_t i = 0; i < network->count; i++) own->tables[i] = own->tables[i] && own->work->junction->has_table[i];
}

/* Takes the tables of the node that has no answer yet and rests on the most, and marks all that need a part of them;
 * false: all have their answers. */
static bool take_next(pieces *own) {
    size_t count = own->work->junction->count, most = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (!own->is_done[i] && (most == SIZE_MAX || own->sizes[i] > own->sizes[most])) most = i;
    if (most == SIZE_MAX) return false;
    const uint64_t *row = own->rests_on + most * own->words;
    for (size_t i = 0; i < count; i++) {
        own->tables[i] = row[i / 64] >> i % 64 & 1;
        own->asked[i] = !own->is_done[i] && is_part(own, i, most);
    }
    for (size_t i = 0; i < count; i++) own->is_done[i] = own->is_done[i] || own->asked[i];
    return true;
}

static crd_status measure_all(pieces *own, bool *is_small, crd_error *error) {
    take_findings(own);
    crd_status status = measure(own, is_small, error);
    if (status == CRD_OK && *is_small) status = find_tables(own, error);
    memcpy(own->is_done, own->is_done_before, own->work->junction->count * sizeof *own->is_done);
    while (status == CRD_OK && *is_small && take_next(own)) status = measure(own, is_small, error);
    return status;
}

static crd_status ask_all(pieces *own, double *posteriors, double *log_evidence, crd_error *error) {
    take_findings(own);
    crd_status status = ask(own, NULL, NULL, log_evidence, error);
    memcpy(own->is_done, own->is_done_before, own->work->junction->count * sizeof *own->is_done);
    while (status == CRD_OK && take_next(own)) status = ask(own, own->asked, posteriors, NULL, error);
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
    pieces own = {.work = work, .findings = findings, .wanted = wanted, .to_measure = cells / 8, .to_ask = cells / 2};
    bool is_small = true;
    crd_status status = open_pieces(&own) ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) status = measure_all(&own, &is_small, error);
    if (status == CRD_OK && is_small) {
        status = ask_all(&own, posteriors, log_evidence, error);
        *is_done = status == CRD_OK;
    }
    close_pieces(&own);
    return status;
}
