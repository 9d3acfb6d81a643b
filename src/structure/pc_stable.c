/* SPDX-License-Identifier: MIT */
/* pc_stable.c - the PC algorithm (Spirtes, Glymour and Scheines 2000), its skeleton independent of the order of columns
 * (Colombo and Maathuis 2014).
 *
 * All nodes are joined first. At level l = 0, 1, ... every pair that is joined is tested given each set of l neighbours
 * that one of the two has at the beginning of the level, up to the level that options bound; a pair that is independent given one of them, its separating set,
 * is parted at the end of the level. So the tests of a level do not depend on each other, and threads, or processes of a table that they
 * share, divide them.
 *
 * Then x - z - y with x and y not joined is a v-structure x -> z <- y unless z is in the separating set of x and y. Of two
 * that contradict each other, or the constraints, or would make a cycle, that of the greater p-value counts, between
 * equal ones that of the first nodes. Meek's rules orient what follows. */
#include "base/call.h"
#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "structure/graph_equivalence.h"
#include "structure/structure_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What parted a pair. */
typedef struct separation {
    uint32_t *set;
    uint32_t size;
    bool is_found;
} separation;

typedef struct pair {
    uint32_t x, y; /* x < y */
    bool is_separated;
    uint64_t tests;
} pair;

typedef struct pc {
    const crd_i_case_table *table;
    const crd_i_search_options *options;
    crd_context *context;
    crd_i_independence *tests;
    size_t count, level;
    crd_i_graph *graph;      /* joined pairs are undirected edges, until they are oriented */
    separation *separations; /* of pairs, by place_of */
    pair *pairs;             /* that are tested at this level */
    size_t pair_count;
    bool is_dealt; /* every process tests pairs of its own at this level */
    uint64_t test_count;
    uint64_t *scratch;
    /* Shared by threads: */
    atomic_size_t next;
    _Atomic int status;
    crd_error *error; /* of the first that fails */
    crd_i_stage stage;
} pc;

static size_t place_of(size_t x, size_t y) {
    return x < y ? y * (y - 1) / 2 + x : x * (x - 1) / 2 + y;
}

/* ---- Skeleton ---- */

/* A thread's: neighbours of one node of a pair, places of the subset that is tested, the subset. */
typedef struct tester {
    crd_i_independence_room room;
    uint32_t *near, *places, *set;
} tester;

/* The next subset of `size` of `count` places in lexicographic order; false: it was the last. */
static bool next_subset(uint32_t *places, size_t size, size_t count) {
    for (size_t i = size; i-- > 0;) {
        if (places[i] + size - i >= count) continue;
        places[i]++;
        for (size_t j = i + 1; j < size; j++) places[j] = places[j - 1] + 1;
        return true;
    }
    return false;
}

static crd_status keep_separation(const pc *own, const pair *of, const uint32_t *set, crd_error *error) {
    separation *to = &own->separations[place_of(of->x, of->y)];
    if (own->level > 0) {
        to->set = crd_i_alloc(own->context, own->level, sizeof *to->set);
        if (to->set == NULL) return crd_i_fail_memory(error);
        memcpy(to->set, set, own->level * sizeof *to->set);
    }
    to->size = (uint32_t)own->level;
    to->is_found = true;
    return CRD_OK;
}

/* Tests a pair given the subsets of the neighbours of `node`, one of the two; of those of y only what is not among the
 * neighbours of x. */
static crd_status test_neighbours(pc *own, tester *with, pair *of, uint32_t node, crd_error *error) {
    size_t count = 0, size = own->level;
    const uint64_t *row = crd_i_graph_children(own->graph, node);
    const uint64_t *tested = node == of->x ? NULL : crd_i_graph_children(own->graph, of->x);
    for (size_t i = crd_i_bit_next(row, own->graph->words, 0); size > 0 && i < own->count;
         i = crd_i_bit_next(row, own->graph->words, i + 1))
        if (i != of->x && i != of->y) with->near[count++] = (uint32_t)i;
    if (count < size || (size == 0 && tested != NULL)) return CRD_OK;
    for (size_t i = 0; i < size; i++) with->places[i] = (uint32_t)i;
    do {
        bool is_new = tested == NULL;
        for (size_t i = 0; i < size; i++) {
            with->set[i] = with->near[with->places[i]];
            is_new = is_new || !crd_i_bit(tested, with->set[i]);
        }
        if (!is_new) continue;
        if (crd_i_context_cancelled(own->context)) return crd_i_fail_cancelled(error);
        crd_status status = crd_i_independence_holds(own->tests, &with->room, of->x, of->y, with->set, size,
                                                     own->options->alpha, &of->is_separated, error);
        of->tests++;
        if (status != CRD_OK) return status;
        if (of->is_separated) return keep_separation(own, of, with->set, error);
    } while (next_subset(with->places, size, count));
    return CRD_OK;
}

static crd_status test_pairs(pc *own, tester *with, crd_error *error) {
    with->near = crd_i_alloc(own->context, own->count, sizeof *with->near);
    with->places = crd_i_alloc(own->context, own->count, sizeof *with->places);
    with->set = crd_i_alloc(own->context, own->count, sizeof *with->set);
    if (with->near == NULL || with->places == NULL || with->set == NULL) return crd_i_fail_memory(error);
    while (atomic_load(&own->status) == CRD_OK) {
        size_t at = atomic_fetch_add(&own->next, 1);
        if (at >= own->pair_count) break;
        if (own->is_dealt && !crd_i_is_own_item(own->context, at)) continue;
        pair *of = &own->pairs[at];
        crd_status status = test_neighbours(own, with, of, of->x, error);
        if (status == CRD_OK && !of->is_separated) status = test_neighbours(own, with, of, of->y, error);
        if (status != CRD_OK) return status;
        crd_i_stage_add(&own->stage, 1);
    }
    return CRD_OK;
}

static void test_as_member(void *state, unsigned member) {
    (void)member;
    pc *own = state;
    tester with = {0};
    crd_error error = {0};
    crd_status status = test_pairs(own, &with, &error);
    int none = CRD_OK;
    if (status != CRD_OK && atomic_compare_exchange_strong(&own->status, &none, (int)status) && own->error != NULL)
        *own->error = error;
    crd_free(own->context, with.near);
    crd_free(own->context, with.places);
    crd_free(own->context, with.set);
    crd_i_independence_room_clear(own->context, &with.room);
}

/* Pairs times rows that are worth a message. */
enum { LEAST_FOR_PROCESSES = 1 << 20 };

/* What every process has found of its pairs: of each whether it is separated, how many tests that took, and the set. */
static crd_status share_tests(pc *own, crd_status status, crd_error *error) {
    const size_t width = 2 + own->level;
    uint64_t *all = crd_i_alloc_zeroed(own->context, own->pair_count * width, sizeof *all);
    if (all == NULL && status == CRD_OK) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < own->pair_count; i++) {
        const pair *of = &own->pairs[i];
        uint64_t *to = all + i * width;
        to[0] = of->is_separated;
        to[1] = of->tests;
        for (size_t j = 0; of->is_separated && j < own->level; j++)
            to[2 + j] = own->separations[place_of(of->x, of->y)].set[j];
    }
    status = crd_i_share_items(own->context, status, all, width * sizeof *all, own->pair_count, error);
    uint32_t *set = crd_i_alloc(own->context, own->level, sizeof *set);
    if (set == NULL && status == CRD_OK) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < own->pair_count; i++) {
        pair *of = &own->pairs[i];
        const uint64_t *from = all + i * width;
        if (crd_i_is_own_item(own->context, i)) continue;
        of->is_separated = from[0] != 0;
        of->tests = from[1];
        for (size_t j = 0; j < own->level; j++) set[j] = (uint32_t)from[2 + j];
        if (of->is_separated) status = keep_separation(own, of, set, error);
    }
    crd_free(own->context, set);
    crd_free(own->context, all);
    return status;
}

/* Gathers the pairs that can be tested at this level. */
static void gather_pairs(pc *own) {
    own->pair_count = 0;
    for (size_t x = 0; x < own->count; x++) {
        const uint64_t *row = crd_i_graph_children(own->graph, x);
        for (size_t y = crd_i_bit_next(row, own->graph->words, x + 1); y < own->count;
             y = crd_i_bit_next(row, own->graph->words, y + 1)) {
            if (crd_i_arc_is_required(own->options->constraints, x, y) ||
                crd_i_arc_is_required(own->options->constraints, y, x))
                continue;
            if (crd_i_graph_parent_count(own->graph, x) > own->level ||
                crd_i_graph_parent_count(own->graph, y) > own->level)
                own->pairs[own->pair_count++] = (pair){(uint32_t)x, (uint32_t)y, false, 0};
        }
    }
}

/* If a level is canceled, the graph of the one before it stays. Before tests given one column are done, too many pairs are joined for
 * a network that anybody could use. */
enum { FIRST_USEFUL_LEVEL = 2 };

/* Tests level by level. */
static crd_status find_skeleton(pc *own, crd_i_search_result *out) {
    for (own->level = 0; own->level <= own->options->max_conditioning; own->level++) {
        gather_pairs(own);
        if (own->pair_count == 0) return CRD_OK;
        atomic_store(&own->next, 0);
        own->is_dealt = own->table->is_shared && own->pair_count * own->table->rows >= LEAST_FOR_PROCESSES;
        crd_i_stage_begin(&own->stage, "testing pairs", own->pair_count);
        unsigned threads = crd_i_thread_pool_size(own->options->threads);
        if (threads > own->pair_count) threads = (unsigned)own->pair_count;
        crd_i_thread_pool_run(own->context, threads, test_as_member, own);
        crd_i_stage_end(&own->stage);
        crd_status status = (crd_status)atomic_load(&own->status);
        if (own->is_dealt) status = share_tests(own, status, own->error);
        if (crd_i_is_cancelled(status) && own->level >= FIRST_USEFUL_LEVEL) {
            out->is_stopped = true;
            return CRD_OK;
        }
        if (status != CRD_OK) return status;
        for (size_t i = 0; i < own->pair_count; i++) {
            own->test_count += own->pairs[i].tests;
            if (!own->pairs[i].is_separated) continue;
            crd_i_graph_remove(own->graph, own->pairs[i].x, own->pairs[i].y);
            crd_i_graph_remove(own->graph, own->pairs[i].y, own->pairs[i].x);
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

static bool separates(const separation *of, uint32_t node) {
    for (size_t i = 0; i < of->size; i++)
        if (of->set[i] == node) return true;
    return false;
}

typedef struct v_structures {
    crd_i_independence_room room;
    v_structure *list;
    size_t count, capacity;
} v_structures;

/* Appends those of the pair x < y; its p-value is computed with the first. */
static crd_status list_v_structures(const pc *own, size_t x, size_t y, v_structures *to, crd_error *error) {
    const separation *of = &own->separations[place_of(x, y)];
    double p = NAN;
    if (!of->is_found || crd_i_graph_is_adjacent(own->graph, x, y)) return CRD_OK;
    for (size_t w = 0; w < own->graph->words; w++)
        own->scratch[w] = (crd_i_graph_parents(own->graph, x)[w] | crd_i_graph_children(own->graph, x)[w]) &
                          (crd_i_graph_parents(own->graph, y)[w] | crd_i_graph_children(own->graph, y)[w]);
    for (size_t z = crd_i_bit_next(own->scratch, own->graph->words, 0); z < own->count;
         z = crd_i_bit_next(own->scratch, own->graph->words, z + 1)) {
        if (separates(of, (uint32_t)z)) continue;
        crd_status status =
            isnan(p) ? crd_i_independence_p(own->tests, &to->room, x, y, of->set, of->size, &p, error) : CRD_OK;
        if (status != CRD_OK) return status;
        if (!crd_i_reserve(own->context, &to->list, &to->capacity, to->count + 1, sizeof *to->list))
            return crd_i_fail_memory(error);
        to->list[to->count++] = (v_structure){p, (uint32_t)x, (uint32_t)z, (uint32_t)y};
    }
    return CRD_OK;
}

/* Whether an edge between the two can be or is the arc from -> to. */
static bool can_lead(const pc *own, size_t from, size_t to) {
    return crd_i_graph_has(own->graph, from, to) &&
           crd_i_arc_is_possible(own->table, own->options->constraints, from, to) &&
           !crd_i_graph_has_path(own->graph, to, from, own->scratch);
}

/* Edges that constraints and kinds leave one direction. */
static void orient_constrained(const pc *own) {
    const crd_i_arc_constraints *constraints = own->options->constraints;
    for (size_t x = 0; x < own->count; x++)
        for (size_t y = 0; y < own->count; y++)
            if (x != y && crd_i_graph_is_undirected(own->graph, x, y) &&
                (crd_i_arc_is_required(constraints, x, y) || !crd_i_arc_is_possible(own->table, constraints, y, x)))
                crd_i_graph_remove(own->graph, y, x);
}

static crd_status orient(const pc *own, crd_error *error) {
    v_structures found = {0};
    crd_status status = CRD_OK;
    orient_constrained(own);
    for (size_t x = 0; status == CRD_OK && x < own->count; x++)
        for (size_t y = x + 1; status == CRD_OK && y < own->count; y++)
            status = list_v_structures(own, x, y, &found, error);
    if (status == CRD_OK && found.count > 0) qsort(found.list, found.count, sizeof *found.list, compare_v_structures);
    for (size_t i = 0; status == CRD_OK && i < found.count; i++) {
        const v_structure *v = &found.list[i];
        if (!can_lead(own, v->x, v->z) || !can_lead(own, v->y, v->z)) continue;
        crd_i_graph_remove(own->graph, v->z, v->x);
        crd_i_graph_remove(own->graph, v->z, v->y);
    }
    crd_i_independence_room_clear(own->context, &found.room);
    crd_free(own->context, found.list);
    if (status == CRD_OK) crd_i_graph_apply_meek_rules(own->graph, own->scratch);
    return status;
}

/* ---- The search ---- */

/* Joins all pairs that may have an arc. */
static void join(const pc *own) {
    const crd_i_arc_constraints *constraints = own->options->constraints;
    for (size_t y = 0; y < own->count; y++)
        for (size_t x = 0; x < y; x++)
            if (crd_i_arc_is_possible(own->table, constraints, x, y) ||
                crd_i_arc_is_possible(own->table, constraints, y, x))
                crd_i_graph_add_edge(own->graph, x, y);
}

crd_status crd_i_pc_stable(const crd_i_case_table *table, const crd_i_search_options *options, crd_i_search_result *out,
                           crd_error *error) {
    memset(out, 0, sizeof *out);
    size_t count = table->column_count, pairs = count < 2 ? 0 : count * (count - 1) / 2;
    pc own = {.table = table, .options = options, .context = table->context, .count = count, .error = error};
    if (options->constraints != NULL && options->constraints->most_parents != SIZE_MAX) {
        (void)crd_i_fail(error, CRD_ERROR_SETTING, "tests of independence decide how many parents a node has in pc");
        crd_i_error_hint(error, "most-parents is for structures that have a score; a smaller alpha leaves fewer arcs, "
                                "and max-conditioning bounds the tests");
        return CRD_ERROR_SETTING;
    }
    crd_status status = crd_i_independence_create(table, options->test, &own.tests, error);
    if (status != CRD_OK) return status;
    own.graph = crd_i_graph_create(own.context, count);
    own.separations = crd_i_alloc_zeroed(own.context, pairs, sizeof *own.separations);
    own.pairs = crd_i_alloc(own.context, pairs, sizeof *own.pairs);
    own.scratch = crd_i_alloc(own.context, 2 * ((count + 63) / 64), sizeof *own.scratch);
    if (own.graph == NULL || own.separations == NULL || own.pairs == NULL || own.scratch == NULL) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    join(&own);
    status = find_skeleton(&own, out);
    if (status == CRD_OK) status = orient(&own, error);
    if (status != CRD_OK) goto done;
    out->graph = own.graph;
    own.graph = NULL;
    out->score = NAN;
    out->tests = own.test_count;
done:
    for (size_t i = 0; own.separations != NULL && i < pairs; i++) crd_free(own.context, own.separations[i].set);
    crd_free(own.context, own.separations);
    crd_free(own.context, own.pairs);
    crd_free(own.context, own.scratch);
    crd_i_graph_destroy(own.graph);
    crd_i_independence_destroy(own.tests);
    if (status != CRD_OK) memset(out, 0, sizeof *out);
    return status;
}
