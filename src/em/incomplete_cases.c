/* SPDX-License-Identifier: MIT */
/* incomplete_cases.c - the E step for networks with missing values. See network_fit.h.
 *
 * The parts of all rows are collected on two levels. A pattern is a set of unobserved nodes together with the families
 * that contain them. For each of these families, a pattern determines the offset of every combination of the part's
 * states in the family's CPT, relative to the entry given by the observed members (the base). A part is a pattern with
 * a base for each family, and the total weight of the rows that contain it.
 *
 * Contents:
 *   1. Parts of a row
 *   2. Collecting parts
 *   3. Creation
 *   4. The E step */
#include "em/network_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "infer/exact/junction_types.h"
#include "math/functions/elementary.h"
#include "processes/group.h"

#include <math.h>
#include <string.h>

/* A part with more combinations or more products than this uses the junction tree, unless it has only one node. */
enum { MOST_COMBINATIONS = 4096, MOST_PRODUCTS = 16384 };
/* Limits: number of blocks, total number of count entries in all blocks, and minimum number of parts or rows per
 * block. */
enum { MOST_BLOCKS = 32, MOST_BLOCK_CELLS = 1 << 22, UNITS_OF_A_BLOCK = 64 };
/* If the minimum exponents of the factors of a product sum to less than this, the product is computed with
 * logarithms. */
enum { LOWEST_EXPONENT = -900 };
/* Number of parts, or of gathered rows, between two checks for cancellation. */
enum { PARTS_A_LOOK = 64 };
static const double MOST_CELLS = 0x1p31;

/* ======== 1. Parts of a row ========
 *
 * The unobserved nodes of a row are split into independent parts. The unobserved members of each family are united into
 * disjoint sets (union-find with path halving); the resulting sets are the parts. */

typedef struct row_parts {
    crd_context *context;
    const crd_network *network;
    const size_t *starts; /* for each node: the index of its CPT's first entry */
    int32_t *states;      /* for each node: the observed state, or -1 */
    bool *counts;         /* for each node: it is observed, or an ancestor of an observed node */
    bool *is_open;        /* for each node that counts: some member of its family is unobserved */
    /* for each node that counts: the CPT entry for the observed members, with all unobserved members in state 0 */
    uint32_t *bases;
    uint32_t *leads; /* union-find parents, by node */
    /* Part by part: the unobserved nodes, and the nodes whose families have an unobserved member, both ascending. Part
     * p ends at missing_ends[p] and family_ends[p]. */
    size_t count;
    uint32_t *missing, *families;
    size_t *missing_ends, *family_ends;
    uint32_t *part_of; /* scratch space, by node */
} row_parts;

static size_t row_parts_begin(const size_t *ends, size_t part) {
    return part == 0 ? 0 : ends[part - 1];
}

static void row_parts_close(row_parts *parts) {
    crd_free(parts->context, parts->states);
    crd_free(parts->context, parts->counts);
    crd_free(parts->context, parts->bases);
    crd_free(parts->context, parts->missing_ends);
    *parts = (row_parts){.context = parts->context};
}

static crd_status row_parts_open(row_parts *parts, const crd_network *network, const size_t *starts, crd_error *error) {
    crd_context *context = network->context;
    const size_t count = network->count;
    *parts = (row_parts){.context = context,
                         .network = network,
                         .starts = starts,
                         .states = crd_i_alloc(context, count, sizeof *parts->states),
                         .counts = crd_i_alloc(context, 2 * count, sizeof *parts->counts),
                         .bases = crd_i_alloc(context, 5 * count, sizeof *parts->bases),
                         .missing_ends = crd_i_alloc(context, 2 * count, sizeof *parts->missing_ends)};
    if (parts->states == NULL || parts->counts == NULL || parts->bases == NULL || parts->missing_ends == NULL) {
        row_parts_close(parts);
        return crd_i_fail_memory(error);
    }
    parts->is_open = parts->counts + count;
    parts->leads = parts->bases + count;
    parts->missing = parts->bases + 2 * count;
    parts->families = parts->bases + 3 * count;
    parts->part_of = parts->bases + 4 * count;
    parts->family_ends = parts->missing_ends + count;
    return CRD_OK;
}

/* Reads the states of a row from each node's column, and finds the nodes that count. */
static void row_parts_read(row_parts *parts, const crd_i_case_table *table, const size_t *columns, size_t row) {
    const crd_network *network = parts->network;
    for (size_t i = 0; i < network->count; i++) {
        uint32_t code =
            columns[i] == SIZE_MAX ? CRD_I_CASE_MISSING32 : crd_i_case_code(&table->columns[columns[i]], row);
        parts->states[i] = code == CRD_I_CASE_MISSING32 ? -1 : (int32_t)code;
        parts->counts[i] = parts->states[i] >= 0;
    }
    for (size_t i = network->count; i-- > 0;) {
        const crd_i_node *node = &network->nodes[network->order[i]];
        if (!parts->counts[network->order[i]]) continue;
        for (size_t j = 0; j < node->parent_count; j++) parts->counts[node->parents[j]] = true;
    }
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        size_t stride = 1, base = parts->starts[i];
        if (!parts->counts[i]) continue;
        parts->is_open[i] = false;
        for (size_t j = node->parent_count + 1; j-- > 0;) {
            size_t member = j == node->parent_count ? i : node->parents[j];
            if (parts->states[member] < 0) parts->is_open[i] = true;
            else base += (size_t)parts->states[member] * stride;
            stride *= crd_i_node_states(&network->nodes[member]);
        }
        parts->bases[i] = (uint32_t)base;
    }
}

/* Returns the representative of the node's set, halving the path to it. */
static uint32_t lead_of(const row_parts *parts, uint32_t node) {
    uint32_t *leads = parts->leads;
    while (leads[node] != node) {
        leads[node] = leads[leads[node]];
        node = leads[node];
    }
    return node;
}

/* Unites the unobserved members of a node's family. Returns the representative of their set. */
static uint32_t row_parts_unite(const row_parts *parts, size_t node) {
    const crd_i_node *current_node = &parts->network->nodes[node];
    uint32_t first = parts->states[node] < 0 ? lead_of(parts, (uint32_t)node) : UINT32_MAX;
    for (size_t j = 0; j < current_node->parent_count; j++) {
        if (parts->states[current_node->parents[j]] >= 0) continue;
        uint32_t lead = lead_of(parts, current_node->parents[j]);
        if (first == UINT32_MAX) first = lead;
        /* The representative is the smallest index. */
        if (lead < first) parts->leads[first] = lead, first = lead;
        else parts->leads[lead] = first;
    }
    return first;
}

/* Finds the parts of the row that row_parts_read has read. */
static void row_parts_find(row_parts *parts) {
    size_t count = parts->network->count, missing = 0, families = 0;
    parts->count = 0;
    for (uint32_t i = 0; i < count; i++) parts->leads[i] = i;
    for (size_t i = 0; i < count; i++)
        if (parts->counts[i] && parts->is_open[i]) row_parts_unite(parts, i);
    /* Number the parts in the order of their first nodes. Count the nodes and families of each part, then place
     * them. */
    for (uint32_t i = 0; i < count; i++) {
        if (!parts->counts[i] || parts->states[i] >= 0) continue;
        uint32_t lead = lead_of(parts, i);
        if (lead == i) {
            parts->missing_ends[parts->count] = parts->family_ends[parts->count] = 0;
            parts->part_of[i] = (uint32_t)parts->count++;
        }
        parts->missing_ends[parts->part_of[lead]]++;
    }
    for (size_t i = 0; i < count; i++)
        if (parts->counts[i] && parts->is_open[i]) parts->family_ends[parts->part_of[row_parts_unite(parts, i)]]++;
    for (size_t p = 0; p < parts->count; p++) {
        size_t own_missing = parts->missing_ends[p], own_families = parts->family_ends[p];
        parts->missing_ends[p] = missing;
        parts->family_ends[p] = families;
        missing += own_missing;
        families += own_families;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!parts->counts[i]) continue;
        if (parts->states[i] < 0) parts->missing[parts->missing_ends[parts->part_of[lead_of(parts, i)]]++] = i;
        if (parts->is_open[i]) parts->families[parts->family_ends[parts->part_of[row_parts_unite(parts, i)]]++] = i;
    }
}

typedef struct cases_pattern {
    /* index in pattern_nodes: first the unobserved nodes, then the nodes whose families contain them */
    size_t nodes_at;
    uint32_t missing_count, family_count;
    size_t cells; /* number of combinations of the unobserved nodes' states */
} cases_pattern;

/* Scratch space of one thread. */
typedef struct cases_worker {
    uint32_t *bases, *offsets; /* CPT base of each family of a part; CPT offsets as [family][combination] */
    double *products;
    size_t offset_pattern; /* the pattern that the offsets belong to; SIZE_MAX: none */
    crd_i_family_counter *counter;
    row_parts row;
} cases_worker;

struct crd_i_incomplete_cases {
    crd_context *context;
    crd_network *network;
    const crd_i_case_table *table;
    const size_t *columns;
    size_t *starts;
    /* for each CPT entry: counts of complete families, in rows that do not need the junction tree */
    double *complete;
    double *available; /* for each CPT entry: counts of complete families, in all rows */
    crd_i_dictionary *pattern_keys, *part_keys;
    cases_pattern *patterns;
    size_t pattern_room;
    uint32_t *pattern_nodes;
    size_t pattern_nodes_count, pattern_nodes_room;
    double *part_weights;
    size_t part_room;
    uint32_t *part_order; /* parts sorted by pattern, then by first occurrence */
    size_t *tree_rows;
    size_t tree_count, tree_room;
    crd_i_junction *junction; /* NULL if no row needs the junction tree */
    uint32_t *key;            /* buffer for the dictionary key of a part or a pattern */
    size_t most_families, most_cells, most_offsets;
    size_t block_count;
    double *blocks; /* for each block: its counts, then its log likelihood */
    unsigned worker_count;
    cases_worker *workers;
};

/* ======== 2. Collecting parts ======== */

static size_t incomplete_cases_count_cells(const crd_network *network, const uint32_t *nodes, size_t count) {
    double cells = 1;
    for (size_t i = 0; i < count; i++) cells *= (double)crd_i_node_states(&network->nodes[nodes[i]]);
    return cells < 0x1p40 ? (size_t)cells : SIZE_MAX;
}

static bool is_small(size_t cells, size_t missing, size_t families) {
    return missing == 1 || (cells <= MOST_COMBINATIONS && cells * families <= MOST_PRODUCTS);
}

static bool has_large_part(const crd_i_incomplete_cases *cases, const row_parts *row) {
    for (size_t p = 0; p < row->count; p++) {
        size_t index = row_parts_begin(row->missing_ends, p), missing = row->missing_ends[p] - index;
        size_t families = row->family_ends[p] - row_parts_begin(row->family_ends, p);
        if (!is_small(incomplete_cases_count_cells(cases->network, row->missing + index, missing), missing, families))
            return true;
    }
    return false;
}

static crd_text key_text(const crd_i_incomplete_cases *cases, size_t count) {
    const crd_text text = {(const char *)cases->key, count * sizeof *cases->key};
    return text;
}

/* Returns the index of the pattern of part p of a row, adding the pattern if it is new; -1: out of memory. */
static int32_t incomplete_cases_find_pattern(crd_i_incomplete_cases *cases, const row_parts *row, size_t p) {
    size_t first = row_parts_begin(row->missing_ends, p), missing = row->missing_ends[p] - first;
    size_t family_at = row_parts_begin(row->family_ends, p), families = row->family_ends[p] - family_at;
    cases->key[0] = (uint32_t)missing;
    memcpy(cases->key + 1, row->missing + first, missing * sizeof *cases->key);
    memcpy(cases->key + 1 + missing, row->families + family_at, families * sizeof *cases->key);
    size_t known = crd_i_dictionary_size(cases->pattern_keys);
    int32_t code = crd_i_dictionary_add(cases->pattern_keys, key_text(cases, 1 + missing + families));
    if (code < 0 || (size_t)code < known) return code;
    cases_pattern added = {.nodes_at = cases->pattern_nodes_count,
                           .missing_count = (uint32_t)missing,
                           .family_count = (uint32_t)families,
                           .cells = incomplete_cases_count_cells(cases->network, row->missing + first, missing)};
    if (!crd_i_reserve(cases->context, &cases->patterns, &cases->pattern_room, known + 1, sizeof *cases->patterns) ||
        !crd_i_reserve(cases->context, &cases->pattern_nodes, &cases->pattern_nodes_room,
                       cases->pattern_nodes_count + missing + families, sizeof *cases->pattern_nodes))
        return -1;
    cases->patterns[code] = added;
    memcpy(cases->pattern_nodes + cases->pattern_nodes_count, cases->key + 1,
           (missing + families) * sizeof *cases->key);
    cases->pattern_nodes_count += missing + families;
    if (families > cases->most_families) cases->most_families = families;
    if (added.cells > cases->most_cells) cases->most_cells = added.cells;
    if (added.cells * families > cases->most_offsets) cases->most_offsets = added.cells * families;
    return code;
}

/* Adds the weight of a row to its part p, creating the part if it is new. Returns false if out of memory. */
static bool incomplete_cases_add_part(crd_i_incomplete_cases *cases, const row_parts *row, size_t p, double weight) {
    int32_t found = incomplete_cases_find_pattern(cases, row, p);
    if (found < 0) return false;
    size_t family_at = row_parts_begin(row->family_ends, p), families = row->family_ends[p] - family_at;
    cases->key[0] = (uint32_t)found;
    for (size_t i = 0; i < families; i++) cases->key[1 + i] = row->bases[row->families[family_at + i]];
    size_t known = crd_i_dictionary_size(cases->part_keys);
    int32_t code = crd_i_dictionary_add(cases->part_keys, key_text(cases, 1 + families));
    if (code < 0 ||
        !crd_i_reserve(cases->context, &cases->part_weights, &cases->part_room, known + 1, sizeof *cases->part_weights))
        return false;
    if ((size_t)code == known) cases->part_weights[code] = 0;
    cases->part_weights[code] += weight;
    return true;
}

/* Counts the complete families of a row, and collects its parts or marks it for the junction tree. */
static bool incomplete_cases_add_row(crd_i_incomplete_cases *cases, const row_parts *row, size_t number) {
    double weight = crd_i_case_weight(cases->table, number);
    for (size_t i = 0; i < cases->network->count; i++)
        if (row->counts[i] && !row->is_open[i]) cases->available[row->bases[i]] += weight;
    if (has_large_part(cases, row)) {
        if (!crd_i_reserve(cases->context, &cases->tree_rows, &cases->tree_room, cases->tree_count + 1,
                           sizeof *cases->tree_rows))
            return false;
        cases->tree_rows[cases->tree_count++] = number;
        return true;
    }
    for (size_t p = 0; p < row->count; p++)
        if (!incomplete_cases_add_part(cases, row, p, weight)) return false;
    for (size_t i = 0; i < cases->network->count; i++)
        if (row->counts[i] && !row->is_open[i]) cases->complete[row->bases[i]] += weight;
    return true;
}

static crd_status incomplete_cases_gather(crd_i_incomplete_cases *cases, crd_error *error) {
    row_parts row;
    crd_status status = row_parts_open(&row, cases->network, cases->starts, error);
    for (size_t i = 0; status == CRD_OK && i < cases->table->rows; i++) {
        if (i % PARTS_A_LOOK == 0 && crd_i_context_cancelled(cases->context)) status = crd_i_fail_cancelled(error);
        if (status != CRD_OK) break;
        row_parts_read(&row, cases->table, cases->columns, i);
        row_parts_find(&row);
        if (!incomplete_cases_add_row(cases, &row, i)) status = crd_i_fail_memory(error);
    }
    row_parts_close(&row);
    return status;
}

static size_t part_count(const crd_i_incomplete_cases *cases) {
    return crd_i_dictionary_size(cases->part_keys);
}

static uint32_t pattern_of(const crd_i_incomplete_cases *cases, size_t part) {
    uint32_t number;
    memcpy(&number, crd_i_dictionary_text(cases->part_keys, part).bytes, sizeof number);
    return number;
}

/* Sorts the parts by pattern, so the offsets of a pattern are computed once for all of its parts. */
static bool sort_parts(crd_i_incomplete_cases *cases) {
    size_t patterns = crd_i_dictionary_size(cases->pattern_keys), parts = part_count(cases), sum = 0;
    size_t *places = crd_i_alloc_zeroed(cases->context, patterns + 1, sizeof *places);
    cases->part_order = crd_i_alloc(cases->context, parts, sizeof *cases->part_order);
    if (places != NULL && cases->part_order != NULL) {
        for (size_t i = 0; i < parts; i++) places[pattern_of(cases, i)]++;
        for (size_t i = 0; i < patterns; i++) {
            size_t own_parts = places[i];
            places[i] = sum;
            sum += own_parts;
        }
        for (size_t i = 0; i < parts; i++) cases->part_order[places[pattern_of(cases, i)]++] = (uint32_t)i;
    }
    crd_free(cases->context, places);
    return places != NULL && cases->part_order != NULL;
}

/* ======== 3. Creation ======== */

static void close_worker(const crd_i_incomplete_cases *cases, cases_worker *one) {
    crd_free(cases->context, one->bases);
    crd_free(cases->context, one->offsets);
    crd_free(cases->context, one->products);
    crd_i_family_counter_destroy(one->counter);
    if (one->row.context != NULL) row_parts_close(&one->row);
}

void crd_i_incomplete_cases_destroy(crd_i_incomplete_cases *cases) {
    if (cases == NULL) return;
    crd_context *context = cases->context;
    for (size_t i = 0; cases->workers != NULL && i < cases->worker_count; i++) close_worker(cases, &cases->workers[i]);
    crd_free(context, cases->workers);
    crd_i_junction_destroy(cases->junction);
    crd_i_dictionary_destroy(cases->pattern_keys);
    crd_i_dictionary_destroy(cases->part_keys);
    crd_free(context, cases->patterns);
    crd_free(context, cases->pattern_nodes);
    crd_free(context, cases->part_weights);
    crd_free(context, cases->part_order);
    crd_free(context, cases->tree_rows);
    crd_free(context, cases->key);
    crd_free(context, cases->blocks);
    crd_free(context, cases->complete);
    crd_free(context, cases->available);
    crd_free(context, cases->starts);
    crd_free(context, cases);
}

static crd_status open_worker(crd_i_incomplete_cases *cases, cases_worker *one, crd_error *error) {
    one->bases = crd_i_alloc(cases->context, cases->most_families, sizeof *one->bases);
    one->offsets = crd_i_alloc(cases->context, cases->most_offsets, sizeof *one->offsets);
    one->products = crd_i_alloc(cases->context, cases->most_cells, sizeof *one->products);
    if (one->bases == NULL || one->offsets == NULL || one->products == NULL) return crd_i_fail_memory(error);
    one->offset_pattern = SIZE_MAX;
    if (cases->junction == NULL) return CRD_OK;
    crd_status status = row_parts_open(&one->row, cases->network, cases->starts, error);
    if (status == CRD_OK) status = crd_i_family_counter_create(cases->junction, cases->starts, &one->counter, error);
    return status;
}

/* Divides the work into blocks of about equal size, independent of the number of threads, and creates the workers. */
static crd_status make_blocks(crd_i_incomplete_cases *cases, crd_error *error) {
    size_t cells = cases->starts[cases->network->count], units = part_count(cases) + cases->tree_count;
    size_t blocks = MOST_BLOCK_CELLS / (cells > 0 ? cells : 1);
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    if (blocks > units / UNITS_OF_A_BLOCK) blocks = units / UNITS_OF_A_BLOCK;
    cases->block_count = blocks > 0 ? blocks : 1;
    cases->worker_count = crd_i_thread_pool_size(0);
    if (cases->worker_count > cases->block_count) cases->worker_count = (unsigned)cases->block_count;
    cases->blocks = crd_i_alloc(cases->context, cases->block_count * (cells + 1), sizeof *cases->blocks);
    cases->workers = crd_i_alloc_zeroed(cases->context, cases->worker_count, sizeof *cases->workers);
    if (cases->blocks == NULL || cases->workers == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < cases->worker_count; i++)
        status = open_worker(cases, &cases->workers[i], error);
    return status;
}

static crd_status incomplete_cases_prepare(crd_i_incomplete_cases *cases, crd_error *error) {
    crd_context *context = cases->context;
    size_t count = cases->network->count;
    double cells = 0;
    cases->starts = crd_i_alloc(context, count + 1, sizeof *cases->starts);
    cases->key = crd_i_alloc(context, 2 * count + 2, sizeof *cases->key);
    cases->pattern_keys = crd_i_dictionary_create(context);
    cases->part_keys = crd_i_dictionary_create(context);
    if (cases->starts == NULL || cases->key == NULL || cases->pattern_keys == NULL || cases->part_keys == NULL)
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        cases->starts[i] = (size_t)cells;
        cells += (double)cases->network->nodes[i].rows * (double)crd_i_node_states(&cases->network->nodes[i]);
        if (cells > MOST_CELLS)
            return crd_i_fail(error, CRD_ERROR_LIMIT, "the CPTs of the network have more than %.0f cells", MOST_CELLS);
    }
    cases->starts[count] = (size_t)cells;
    cases->complete = crd_i_alloc_zeroed(context, (size_t)cells, sizeof *cases->complete);
    cases->available = crd_i_alloc_zeroed(context, (size_t)cells, sizeof *cases->available);
    return cases->complete == NULL || cases->available == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

crd_status crd_i_incomplete_cases_create(crd_network *network, const crd_i_case_table *table, const size_t *columns,
                                         crd_i_incomplete_cases **out, crd_error *error) {
    crd_context *context = network->context;
    *out = NULL;
    crd_i_incomplete_cases *cases = crd_i_alloc_zeroed(context, 1, sizeof *cases);
    if (cases == NULL) return crd_i_fail_memory(error);
    cases->context = context;
    cases->network = network;
    cases->table = table;
    cases->columns = columns;
    crd_status status = incomplete_cases_prepare(cases, error);
    if (status == CRD_OK) status = incomplete_cases_gather(cases, error);
    if (status == CRD_OK && !sort_parts(cases)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && cases->tree_count > 0) {
        const crd_i_junction_options options = {.memory = crd_i_free_memory() / 4};
        status = crd_i_junction_compile(network, &options, &cases->junction, error);
    }
    if (status == CRD_OK) status = make_blocks(cases, error);
    status = crd_i_group_agree(table->group, status, error);
    if (status == CRD_OK) *out = cases;
    else crd_i_incomplete_cases_destroy(cases);
    return status;
}

const size_t *crd_i_incomplete_cases_starts(const crd_i_incomplete_cases *cases) {
    return cases->starts;
}

bool crd_i_incomplete_cases_are_complete(const crd_i_incomplete_cases *cases) {
    return part_count(cases) == 0 && cases->tree_count == 0;
}

const double *crd_i_incomplete_cases_available_counts(const crd_i_incomplete_cases *cases) {
    return cases->available;
}

/* ======== 4. The E step ======== */

typedef struct cases_expecting {
    crd_i_incomplete_cases *cases;
    const double *tables;
    double *logs;      /* logarithms of the tables; NULL if no part needs them */
    const int *lowest; /* for each node: an exponent e such that no positive entry of its CPT is below 2^e */
} cases_expecting;

/* Computes, for each family of a pattern, the CPT offset of every combination of the part's states. */
static void incomplete_cases_find_offsets(const crd_i_incomplete_cases *cases, const cases_pattern *pattern,
                                          cases_worker *one) {
    const uint32_t *missing = cases->pattern_nodes + pattern->nodes_at, *families = missing + pattern->missing_count;
    const crd_i_node *nodes = cases->network->nodes;
    for (size_t f = 0; f < pattern->family_count; f++) {
        const crd_i_node *node = &nodes[families[f]];
        uint32_t *offsets = one->offsets + f * pattern->cells;
        size_t filled = 1;
        offsets[0] = 0;
        /* The last unobserved node varies fastest. Each earlier node repeats the offsets filled so far, once per
         * state. */
        for (size_t m = pattern->missing_count; m-- > 0;) {
            size_t stride = 1, found = 0, states = crd_i_node_states(&nodes[missing[m]]);
            for (size_t j = node->parent_count + 1; j-- > 0;) {
                uint32_t member = j == node->parent_count ? families[f] : node->parents[j];
                if (member == missing[m]) found = stride;
                stride *= crd_i_node_states(&nodes[member]);
            }
            for (size_t s = states; s-- > 0;)
                for (size_t c = 0; c < filled; c++) offsets[s * filled + c] = offsets[c] + (uint32_t)(s * found);
            filled *= states;
        }
    }
}

static bool needs_logs(const cases_expecting *state, const cases_pattern *pattern) {
    const uint32_t *families = state->cases->pattern_nodes + pattern->nodes_at + pattern->missing_count;
    int64_t low = 0;
    for (size_t i = 0; i < pattern->family_count; i++) low += state->lowest[families[i]];
    return low < LOWEST_EXPONENT;
}

/* Computes the joint probability of every combination of states, normalized to sum 1. Returns the logarithm of the sum
 * before normalization, which is -INFINITY if all combinations are impossible. */
static double incomplete_cases_multiply(const cases_expecting *state, const cases_pattern *pattern,
                                        const cases_worker *one) {
    double *products = one->products, sum = 0, most = 0;
    bool in_logs = state->logs != NULL && needs_logs(state, pattern);
    for (size_t c = 0; c < pattern->cells; c++) products[c] = in_logs ? 0 : 1;
    for (size_t f = 0; f < pattern->family_count; f++) {
        const double *cells = (in_logs ? state->logs : state->tables) + one->bases[f];
        const uint32_t *offsets = one->offsets + f * pattern->cells;
        if (in_logs)
            for (size_t c = 0; c < pattern->cells; c++) products[c] += cells[offsets[c]];
        else
            for (size_t c = 0; c < pattern->cells; c++) products[c] *= cells[offsets[c]];
    }
    if (in_logs) {
        most = -INFINITY;
        for (size_t c = 0; c < pattern->cells; c++) most = products[c] > most ? products[c] : most;
        if (most == -INFINITY) return most;
        for (size_t c = 0; c < pattern->cells; c++) products[c] = crd_exp(products[c] - most);
    }
    for (size_t c = 0; c < pattern->cells; c++) sum += products[c];
    for (size_t c = 0; c < pattern->cells; c++) products[c] /= sum;
    return most + crd_log(sum);
}

/* Adds the expected counts of one part, weight times P(combination | observed), and its log likelihood. */
static crd_status add_part_counts(const cases_expecting *state, cases_worker *one, size_t part, double *counts,
                                  double *log_likelihood) {
    const crd_i_incomplete_cases *incomplete = state->cases;
    const char *key = crd_i_dictionary_text(incomplete->part_keys, part).bytes;
    uint32_t number;
    memcpy(&number, key, sizeof number);
    const cases_pattern *pattern = &incomplete->patterns[number];
    double weight = incomplete->part_weights[part];
    memcpy(one->bases, key + sizeof number, pattern->family_count * sizeof *one->bases);
    if (one->offset_pattern != number) incomplete_cases_find_offsets(incomplete, pattern, one);
    one->offset_pattern = number;
    double log_evidence = incomplete_cases_multiply(state, pattern, one);
    if (!(log_evidence > -INFINITY)) return CRD_ERROR_PROBABILITY;
    *log_likelihood += weight * log_evidence;
    for (size_t f = 0; f < pattern->family_count; f++) {
        double *cells = counts + one->bases[f];
        const uint32_t *offsets = one->offsets + f * pattern->cells;
        for (size_t c = 0; c < pattern->cells; c++) cells[offsets[c]] += weight * one->products[c];
    }
    return CRD_OK;
}

static crd_status add_tree_row(const cases_expecting *state, cases_worker *one, size_t number, double *counts,
                               double *log_likelihood) {
    const crd_i_incomplete_cases *incomplete = state->cases;
    double weight = crd_i_case_weight(incomplete->table, number), log_evidence = 0;
    row_parts_read(&one->row, incomplete->table, incomplete->columns, number);
    const crd_i_evidence evidence = {.states = one->row.states};
    crd_status status =
        crd_i_family_counter_add(one->counter, &evidence, one->row.counts, weight, counts, &log_evidence, NULL);
    *log_likelihood += weight * log_evidence;
    return status;
}

/* Computes the expected counts of one block: an equal share of the parts and of the junction tree rows. */
static crd_status run_block(const cases_expecting *state, cases_worker *one, size_t block) {
    const crd_i_incomplete_cases *incomplete = state->cases;
    size_t cells = incomplete->starts[incomplete->network->count], blocks = incomplete->block_count,
           parts = part_count(incomplete);
    double *counts = incomplete->blocks + block * (cells + 1), *sum = counts + cells;
    crd_status status = CRD_OK;
    memset(counts, 0, cells * sizeof *counts);
    *sum = 0;
    for (size_t i = parts * block / blocks; status == CRD_OK && i < parts * (block + 1) / blocks; i++) {
        if (i % PARTS_A_LOOK == 0 && crd_i_context_cancelled(incomplete->context)) return CRD_ERROR_CANCELLED;
        status = add_part_counts(state, one, incomplete->part_order[i], counts, sum);
    }
    size_t end = incomplete->tree_count * (block + 1) / blocks;
    for (size_t i = incomplete->tree_count * block / blocks; status == CRD_OK && i < end; i++) {
        if (crd_i_context_cancelled(incomplete->context)) return CRD_ERROR_CANCELLED;
        status = add_tree_row(state, one, incomplete->tree_rows[i], counts, sum);
    }
    return status;
}

static crd_status fail_expecting(crd_status status, crd_error *error) {
    if (crd_i_is_cancelled(status)) return crd_i_fail_cancelled(error);
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (status == CRD_ERROR_LIMIT)
        return crd_i_fail(error, status, "the junction tree of the network needs more than the free memory");
    return crd_i_fail(error, status, "some rows have probability 0 under the fixed tables of the network");
}

static crd_status expect_block(void *given, void *worker, size_t block, crd_error *error) {
    cases_expecting *state = given;
    crd_status status = run_block(state, worker, block);
    return status == CRD_OK ? CRD_OK : fail_expecting(status, error);
}

/* Copies the tables into the network and reloads the junction tree. */
static crd_status load_tree(const crd_i_incomplete_cases *cases, const double *tables, crd_error *error) {
    for (size_t i = 0; i < cases->network->count; i++)
        memcpy(cases->network->nodes[i].table, tables + cases->starts[i],
               (cases->starts[i + 1] - cases->starts[i]) * sizeof *tables);
    return crd_i_junction_reload(cases->junction, error);
}

static int incomplete_cases_lowest(const double *table, size_t cells) {
    double least = 1;
    int low;
    for (size_t i = 0; i < cells; i++)
        if (table[i] > 0 && table[i] < least) least = table[i];
    frexp(least, &low);
    return low - 1;
}

/* Computes the logarithms of all tables if the products of some pattern could underflow. */
static crd_status incomplete_cases_take_logs(cases_expecting *state, int *lowest, crd_error *error) {
    const crd_i_incomplete_cases *incomplete = state->cases;
    size_t patterns = crd_i_dictionary_size(incomplete->pattern_keys),
           cells = incomplete->starts[incomplete->network->count];
    bool is_needed = false;
    for (size_t i = 0; i < incomplete->network->count; i++)
        lowest[i] = incomplete_cases_lowest(state->tables + incomplete->starts[i],
                                            incomplete->starts[i + 1] - incomplete->starts[i]);
    state->lowest = lowest;
    for (size_t i = 0; i < patterns && !is_needed; i++) is_needed = needs_logs(state, &incomplete->patterns[i]);
    if (!is_needed) return CRD_OK;
    state->logs = crd_i_alloc(incomplete->context, cells, sizeof *state->logs);
    if (state->logs == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < cells; i++) state->logs[i] = state->tables[i] > 0 ? crd_log(state->tables[i]) : -INFINITY;
    return CRD_OK;
}

/* Adds the counts of complete families and of all blocks, in order. Returns the log likelihood. */
static double incomplete_cases_add_up(const crd_i_incomplete_cases *cases, const double *tables, double *counts) {
    size_t cells = cases->starts[cases->network->count];
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        counts[i] = cases->complete[i];
        if (counts[i] > 0) sum += counts[i] * (tables[i] > 0 ? crd_log(tables[i]) : -INFINITY);
    }
    for (size_t b = 0; b < cases->block_count; b++) {
        const double *source = cases->blocks + b * (cells + 1);
        for (size_t i = 0; i < cells; i++) counts[i] += source[i];
        sum += source[cells];
    }
    return sum;
}

crd_status crd_i_incomplete_cases_expect(crd_i_incomplete_cases *cases, const double *tables, double *counts,
                                         double *log_likelihood, crd_error *error) {
    cases_expecting state = {.cases = cases, .tables = tables};
    int *lowest = crd_i_alloc(cases->context, cases->network->count, sizeof *lowest);
    crd_status status = lowest == NULL ? crd_i_fail_memory(error) : incomplete_cases_take_logs(&state, lowest, error);
    if (status == CRD_OK && cases->junction != NULL) status = load_tree(cases, tables, error);
    if (status == CRD_OK) {
        for (size_t i = 0; i < cases->worker_count; i++) cases->workers[i].offset_pattern = SIZE_MAX;
        crd_i_parallel_loop loop = {.state = &state,
                                    .items = cases->block_count,
                                    .threads = (unsigned)cases->worker_count,
                                    .work = expect_block,
                                    .workspaces = cases->workers,
                                    .workspace_size = sizeof *cases->workers};
        status = crd_i_group_for(cases->context, cases->table->group, &loop, cases->blocks,
                                 (cases->starts[cases->network->count] + 1) * sizeof *cases->blocks, error);
    } else status = crd_i_group_fail(cases->table->group, status, error);
    if (status == CRD_OK) {
        *log_likelihood = incomplete_cases_add_up(cases, tables, counts);
        if (!(*log_likelihood > -INFINITY)) status = fail_expecting(CRD_ERROR_PROBABILITY, error);
    }
    crd_free(cases->context, state.logs);
    crd_free(cases->context, lowest);
    return status;
}
