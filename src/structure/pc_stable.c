/* SPDX-License-Identifier: MIT */
/* pc_stable.c - the PC algorithm (Spirtes, Glymour and Scheines 2000) in its order-independent form, PC-stable (Colombo
 * and Maathuis 2014).
 *
 * The skeleton starts with all pairs of nodes joined. At level l = 0, 1, ..., up to options->max_conditioning, every
 * adjacent pair is tested given each set of l nodes that one of the two has as neighbors at the beginning of the level.
 * A pair that is independent given such a set, its separating set, is disconnected at the end of the level. So the
 * tests of a level do not depend on each other, and threads, or processes that share a table, divide them.
 *
 * Then x - z - y with x and y not adjacent becomes a v-structure x -> z <- y, unless z is in the separating set of x
 * and y. If v-structures contradict each other or the constraints, or would create a cycle, the one with the larger
 * p-value wins; among equal p-values, the one with the smaller node numbers. Meek's rules (Meek 1995) direct the
 * edges that follow. */
#include "base/arena.h"
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "processes/group.h"
#include "structure/graph.h"
#include "structure/structure_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The separating set of a pair. */
typedef struct stable_separation {
    uint32_t *set;
    uint32_t size;
    bool is_found;
} stable_separation;

typedef struct stable_pair {
    uint32_t x, y; /* x < y */
    bool is_separated;
    uint64_t tests;
} stable_pair;

typedef struct stable_pc {
    const crd_i_case_table *table;
    const crd_i_search_options *options;
    crd_context *context;
    crd_i_independence *tests;
    size_t count, level;
    crd_i_graph *graph;             /* adjacent pairs are undirected edges until they are directed */
    stable_separation *separations; /* by pair, see pc_stable_place */
    stable_pair *pairs;             /* pairs that are tested at this level */
    size_t pair_count;
    crd_i_group *group; /* the processes that divide the pairs of this level; NULL: none */
    uint64_t test_count;
    uint64_t *scratch;
    crd_i_stage stage;
} stable_pc;

/* Returns the position of a pair of nodes in an array of all pairs. */
static size_t pc_stable_place(size_t x, size_t y) {
    return x < y ? y * (y - 1) / 2 + x : x * (x - 1) / 2 + y;
}

/* ---- Skeleton ---- */

/* Work memory of one thread: the neighbors of one node of a pair, the positions of the current subset among them,
 * and the subset. */
typedef struct stable_tester {
    crd_i_arena *arena;
    crd_i_independence_room workspace;
    uint32_t *near, *places, *set;
} stable_tester;

/* Advances to the next subset of `size` out of `count` positions in lexicographic order. Returns false after the
 * last. */
static bool next_subset(uint32_t *places, size_t size, size_t count) {
    for (size_t i = size; i-- > 0;) {
        if (places[i] + size - i >= count) continue;
        places[i]++;
        for (size_t j = i + 1; j < size; j++) places[j] = places[j - 1] + 1;
        return true;
    }
    return false;
}

/* Stores the separating set of a pair. */
static crd_status keep_separation(const stable_pc *pc, const stable_pair *pair, const uint32_t *set, crd_error *error) {
    stable_separation *separation = &pc->separations[pc_stable_place(pair->x, pair->y)];
    if (pc->level > 0) {
        separation->set = crd_i_alloc(pc->context, pc->level, sizeof *separation->set);
        if (separation->set == NULL) return crd_i_fail_memory(error);
        memcpy(separation->set, set, pc->level * sizeof *separation->set);
    }
    separation->size = (uint32_t)pc->level;
    separation->is_found = true;
    return CRD_OK;
}

/* Tests a pair given the subsets of the neighbors of `node`, one of the two nodes. Subsets of the neighbors of y
 * that are also neighbors of x have been tested before, so they are skipped. */
static crd_status test_neighbors(stable_pc *pc, stable_tester *tester, stable_pair *pair, uint32_t node,
                                 crd_error *error) {
    size_t count = 0, size = pc->level;
    const uint64_t *row = crd_i_graph_children(pc->graph, node);
    const uint64_t *tested = node == pair->x ? NULL : crd_i_graph_children(pc->graph, pair->x);
    for (size_t i = crd_i_bit_next(row, pc->graph->words, 0); size > 0 && i < pc->count;
         i = crd_i_bit_next(row, pc->graph->words, i + 1))
        if (i != pair->x && i != pair->y) tester->near[count++] = (uint32_t)i;
    if (count < size || (size == 0 && tested != NULL)) return CRD_OK;
    for (size_t i = 0; i < size; i++) tester->places[i] = (uint32_t)i;
    do {
        bool is_new = tested == NULL;
        for (size_t i = 0; i < size; i++) {
            tester->set[i] = tester->near[tester->places[i]];
            is_new = is_new || !crd_i_bit(tested, tester->set[i]);
        }
        if (!is_new) continue;
        if (crd_i_context_cancelled(pc->context)) return crd_i_fail_cancelled(error);
        crd_status status = crd_i_independence_holds(pc->tests, &tester->workspace, pair->x, pair->y, tester->set, size,
                                                     pc->options->alpha, &pair->is_separated, error);
        pair->tests++;
        if (status != CRD_OK) return status;
        if (pair->is_separated) return keep_separation(pc, pair, tester->set, error);
    } while (next_subset(tester->places, size, count));
    return CRD_OK;
}

/* Tests a pair. The workspace is a thread's tester. */
static crd_status test_pair(void *state, void *workspace, size_t index, crd_error *error) {
    stable_pc *search = state;
    stable_tester *tester = workspace;
    stable_pair *pair = &search->pairs[index];
    if (tester->arena == NULL) {
        tester->arena = crd_i_arena_create(search->context);
        tester->near = crd_i_arena_alloc(tester->arena, search->count, sizeof *tester->near);
        tester->places = crd_i_arena_alloc(tester->arena, search->count, sizeof *tester->places);
        tester->set = crd_i_arena_alloc(tester->arena, search->count, sizeof *tester->set);
        if (crd_i_arena_failed(tester->arena)) return crd_i_fail_memory(error);
    }
    crd_status status = test_neighbors(search, tester, pair, pair->x, error);
    if (status == CRD_OK && !pair->is_separated) status = test_neighbors(search, tester, pair, pair->y, error);
    if (status == CRD_OK) crd_i_stage_add(&search->stage, 1);
    return status;
}

static void clear_tester(void *state, void *workspace) {
    stable_tester *tester = workspace;
    crd_i_arena_destroy(tester->arena);
    crd_i_independence_room_clear(((stable_pc *)state)->context, &tester->workspace);
}

/* Less work than this, in pairs times rows, is not shared with other processes. */
enum { LEAST_FOR_PROCESSES = 1 << 20 };

/* Exchanges the results of this level among the processes: for each pair whether it is separated, the number of
 * tests, and the separating set. */
static crd_status share_tests(stable_pc *pc, crd_error *error) {
    const size_t width = 2 + pc->level;
    uint64_t *all = crd_i_alloc_zeroed(pc->context, pc->pair_count * width, sizeof *all);
    uint32_t *set = crd_i_alloc(pc->context, pc->level, sizeof *set);
    crd_status status = all == NULL || set == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < pc->pair_count; i++) {
        const stable_pair *pair = &pc->pairs[i];
        uint64_t *destination = all + i * width;
        destination[0] = pair->is_separated;
        destination[1] = pair->tests;
        for (size_t j = 0; pair->is_separated && j < pc->level; j++)
            destination[2 + j] = pc->separations[pc_stable_place(pair->x, pair->y)].set[j];
    }
    status = status == CRD_OK ? crd_i_group_share(pc->group, all, width * sizeof *all, pc->pair_count, error)
                              : crd_i_group_fail(pc->group, status, error);
    for (size_t i = 0; status == CRD_OK && i < pc->pair_count; i++) {
        stable_pair *pair = &pc->pairs[i];
        const uint64_t *source = all + i * width;
        if (crd_i_group_has_item(pc->group, i)) continue;
        pair->is_separated = source[0] != 0;
        pair->tests = source[1];
        for (size_t j = 0; j < pc->level; j++) set[j] = (uint32_t)source[2 + j];
        if (pair->is_separated) status = keep_separation(pc, pair, set, error);
    }
    crd_free(pc->context, set);
    crd_free(pc->context, all);
    return status;
}

/* Lists the pairs that can be tested at this level: not required, and with enough neighbors. */
static void gather_pairs(stable_pc *pc) {
    pc->pair_count = 0;
    for (size_t x = 0; x < pc->count; x++) {
        const uint64_t *row = crd_i_graph_children(pc->graph, x);
        for (size_t y = crd_i_bit_next(row, pc->graph->words, x + 1); y < pc->count;
             y = crd_i_bit_next(row, pc->graph->words, y + 1)) {
            if (crd_i_arc_is_required(pc->options->constraints, x, y) ||
                crd_i_arc_is_required(pc->options->constraints, y, x))
                continue;
            if (crd_i_graph_parent_count(pc->graph, x) > pc->level ||
                crd_i_graph_parent_count(pc->graph, y) > pc->level)
                pc->pairs[pc->pair_count++] = (stable_pair){(uint32_t)x, (uint32_t)y, false, 0};
        }
    }
}

/* If a level is canceled, the graph of the level before is the result. Before the tests given one column are
 * finished, too many pairs are adjacent for a useful network. */
enum { FIRST_USEFUL_LEVEL = 2 };

/* Finds the skeleton, level by level. */
static crd_status find_skeleton(stable_pc *search, crd_i_search_result *out, crd_error *error) {
    for (search->level = 0; search->level <= search->options->max_conditioning; search->level++) {
        gather_pairs(search);
        if (search->pair_count == 0) return CRD_OK;
        search->group = search->pair_count * search->table->rows >= LEAST_FOR_PROCESSES ? search->table->group : NULL;
        crd_i_stage_begin(&search->stage, "testing pairs", search->pair_count);
        crd_i_parallel_loop loop = {.state = search,
                                    .items = search->pair_count,
                                    .threads = search->options->threads,
                                    .work = test_pair,
                                    .workspace_size = sizeof(stable_tester),
                                    .clear = clear_tester};
        crd_status status = crd_i_group_for(search->context, search->group, &loop, NULL, 0, error);
        crd_i_stage_end(&search->stage);
        if (status == CRD_OK && search->group != NULL) status = share_tests(search, error);
        if (crd_i_is_cancelled(status) && search->level >= FIRST_USEFUL_LEVEL) {
            out->is_stopped = true;
            return CRD_OK;
        }
        if (status != CRD_OK) return status;
        for (size_t i = 0; i < search->pair_count; i++) {
            search->test_count += search->pairs[i].tests;
            if (!search->pairs[i].is_separated) continue;
            crd_i_graph_remove(search->graph, search->pairs[i].x, search->pairs[i].y);
            crd_i_graph_remove(search->graph, search->pairs[i].y, search->pairs[i].x);
        }
        out->steps++;
    }
    return CRD_OK;
}

/* ---- Directions ---- */

typedef struct v_structure {
    double p;
    uint32_t x, z, y; /* x < y */
} v_structure;

static int compare_v_structures(const void *a, const void *b) {
    const v_structure *one = a, *other = b;
    if (one->p != other->p) return one->p > other->p ? -1 : 1;
    if (one->x != other->x) return one->x < other->x ? -1 : 1;
    if (one->y != other->y) return one->y < other->y ? -1 : 1;
    return one->z < other->z ? -1 : one->z > other->z;
}

static bool pc_stable_separates(const stable_separation *separation, uint32_t node) {
    for (size_t i = 0; i < separation->size; i++)
        if (separation->set[i] == node) return true;
    return false;
}

typedef struct v_structures {
    crd_i_independence_room workspace;
    v_structure *list;
    size_t count, capacity;
} v_structures;

/* Appends the v-structures of the pair x < y. The p-value of the pair is computed with the first. */
static crd_status list_v_structures(const stable_pc *pc, size_t x, size_t y, v_structures *structures,
                                    crd_error *error) {
    const stable_separation *separation = &pc->separations[pc_stable_place(x, y)];
    double p = NAN;
    if (!separation->is_found || crd_i_graph_is_adjacent(pc->graph, x, y)) return CRD_OK;
    for (size_t w = 0; w < pc->graph->words; w++)
        pc->scratch[w] = (crd_i_graph_parents(pc->graph, x)[w] | crd_i_graph_children(pc->graph, x)[w]) &
                         (crd_i_graph_parents(pc->graph, y)[w] | crd_i_graph_children(pc->graph, y)[w]);
    for (size_t z = crd_i_bit_next(pc->scratch, pc->graph->words, 0); z < pc->count;
         z = crd_i_bit_next(pc->scratch, pc->graph->words, z + 1)) {
        if (pc_stable_separates(separation, (uint32_t)z)) continue;
        crd_status status = isnan(p) ? crd_i_independence_p(pc->tests, &structures->workspace, x, y, separation->set,
                                                            separation->size, &p, error)
                                     : CRD_OK;
        if (status != CRD_OK) return status;
        if (!crd_i_reserve(pc->context, &structures->list, &structures->capacity, structures->count + 1,
                           sizeof *structures->list))
            return crd_i_fail_memory(error);
        structures->list[structures->count++] = (v_structure){p, (uint32_t)x, (uint32_t)z, (uint32_t)y};
    }
    return CRD_OK;
}

/* Returns whether the edge between two nodes is, or can become, the arc source -> target. */
static bool can_lead(const stable_pc *pc, size_t source, size_t target) {
    return crd_i_graph_has(pc->graph, source, target) &&
           crd_i_arc_is_possible(pc->table, pc->options->constraints, source, target) &&
           !crd_i_graph_has_path(pc->graph, target, source, pc->scratch);
}

/* Directs the edges for which constraints and column types allow only one direction. */
static void orient_constrained(const stable_pc *pc) {
    const crd_i_arc_constraints *constraints = pc->options->constraints;
    for (size_t x = 0; x < pc->count; x++)
        for (size_t y = 0; y < pc->count; y++)
            if (x != y && crd_i_graph_is_undirected(pc->graph, x, y) &&
                (crd_i_arc_is_required(constraints, x, y) || !crd_i_arc_is_possible(pc->table, constraints, y, x)))
                crd_i_graph_remove(pc->graph, y, x);
}

/* Directs edges: first by the constraints, then by v-structures in the order of descending p-values, then by Meek's
 * rules. */
static crd_status pc_stable_orient(const stable_pc *pc, crd_error *error) {
    v_structures structures = {0};
    crd_status status = CRD_OK;
    orient_constrained(pc);
    for (size_t x = 0; status == CRD_OK && x < pc->count; x++)
        for (size_t y = x + 1; status == CRD_OK && y < pc->count; y++)
            status = list_v_structures(pc, x, y, &structures, error);
    if (status == CRD_OK && structures.count > 0)
        qsort(structures.list, structures.count, sizeof *structures.list, compare_v_structures);
    for (size_t i = 0; status == CRD_OK && i < structures.count; i++) {
        const v_structure *v = &structures.list[i];
        if (!can_lead(pc, v->x, v->z) || !can_lead(pc, v->y, v->z)) continue;
        crd_i_graph_remove(pc->graph, v->z, v->x);
        crd_i_graph_remove(pc->graph, v->z, v->y);
    }
    crd_i_independence_room_clear(pc->context, &structures.workspace);
    crd_free(pc->context, structures.list);
    if (status == CRD_OK) crd_i_graph_apply_meek_rules(pc->graph, pc->scratch);
    return status;
}

/* ---- The search ---- */

/* Joins all pairs that may have an arc. */
static void pc_stable_join(const stable_pc *pc) {
    const crd_i_arc_constraints *constraints = pc->options->constraints;
    for (size_t y = 0; y < pc->count; y++)
        for (size_t x = 0; x < y; x++)
            if (crd_i_arc_is_possible(pc->table, constraints, x, y) ||
                crd_i_arc_is_possible(pc->table, constraints, y, x))
                crd_i_graph_add_edge(pc->graph, x, y);
}

crd_status crd_i_pc_stable(const crd_i_case_table *table, const crd_i_search_options *options, crd_i_search_result *out,
                           crd_error *error) {
    memset(out, 0, sizeof *out);
    size_t count = table->column_count, pairs = count < 2 ? 0 : count * (count - 1) / 2;
    stable_pc pc = {.table = table, .options = options, .context = table->context, .count = count};
    if (options->constraints != NULL && options->constraints->max_parents != SIZE_MAX) {
        (void)crd_i_fail(
            error, CRD_ERROR_SETTING,
            "the structure pc does not support max-parents: its independence tests determine the number of parents");
        crd_i_error_hint(error, "use a smaller alpha for fewer arcs, and max-conditioning to bound the tests; "
                                "max-parents is for structures with a score");
        return CRD_ERROR_SETTING;
    }
    crd_status status = crd_i_independence_create(table, options->test, &pc.tests, error);
    if (status != CRD_OK) return status;
    crd_i_arena *arena = crd_i_arena_create(pc.context);
    pc.graph = crd_i_graph_create(pc.context, count);
    pc.separations = crd_i_arena_alloc_zeroed(arena, pairs, sizeof *pc.separations);
    pc.pairs = crd_i_arena_alloc(arena, pairs, sizeof *pc.pairs);
    pc.scratch = crd_i_arena_alloc(arena, 2 * ((count + 63) / 64), sizeof *pc.scratch);
    if (pc.graph == NULL || crd_i_arena_failed(arena)) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    pc_stable_join(&pc);
    status = find_skeleton(&pc, out, error);
    if (status == CRD_OK) status = pc_stable_orient(&pc, error);
    if (status != CRD_OK) goto done;
    out->graph = pc.graph;
    pc.graph = NULL;
    out->score = NAN;
    out->tests = pc.test_count;
done:
    for (size_t i = 0; pc.separations != NULL && i < pairs; i++) crd_free(pc.context, pc.separations[i].set);
    crd_i_arena_destroy(arena);
    crd_i_graph_destroy(pc.graph);
    crd_i_independence_destroy(pc.tests);
    if (status != CRD_OK) memset(out, 0, sizeof *out);
    return status;
}
