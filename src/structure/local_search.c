/* SPDX-License-Identifier: MIT */
/* local_search.c - local searches: hill climbing with restarts, and tabu search.
 *
 * Both searches share a state: a DAG, the scores of its families, and the score of each family after adding or
 * removing one arc. Only the families of nodes whose parents have changed are scored again. Reversing an arc gains
 * what removing it and adding the reverse arc gain together.
 *
 * Contents:
 *   1. Search state
 *   2. Hill climbing
 *   3. Restarts
 *   4. Tabu search */
#include "base/arena.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/random.h"
#include "processes/group.h"
#include "structure/structure_search.h"

#include <math.h>
#include <string.h>

typedef enum crd_i_step_kind { CRD_I_STEP_NONE, CRD_I_STEP_ADD, CRD_I_STEP_REMOVE, CRD_I_STEP_REVERSE } crd_i_step_kind;

typedef struct crd_i_step {
    crd_i_step_kind kind;
    size_t source, target; /* the arc that is changed */
    double gain;
} crd_i_step;

/* Families whose scores are divided among the processes of a group. For each stale node in turn, `others` lists the
 * other end of the arc that is toggled. */
typedef struct crd_i_shared_families {
    bool are_dealt; /* there are other processes, and all have the same scores in their caches */
    uint32_t *others;
    double *scores;
    size_t *ends; /* for each stale node the end of its part of `others` */
    size_t others_capacity, scores_capacity, ends_capacity;
} crd_i_shared_families;

/* Rows of `toggled` that were computed before, by node and parents, because searches return to the same families
 * again and again. A hash table without chaining: a row replaces the row in its slot. */
typedef struct crd_i_toggled_rows {
    size_t places;  /* number of slots; 0: nothing is stored */
    uint64_t *keys; /* for each slot 1 + the node, then the bit row of its parents */
    double *values; /* for each slot the score of the node with its parents, then the row */
} crd_i_toggled_rows;

typedef struct crd_i_local_search {
    crd_context *context;
    crd_i_arena *arena;
    const crd_i_case_table *table;
    const crd_i_search_options *options;
    crd_i_crew *crew; /* NULL: the search uses one thread */
    unsigned threads;
    crd_i_family_scores **scores; /* one per thread; borrowed if there is one thread */
    crd_i_graph *graph;
    double *family_scores; /* score of each node with its parents */
    double *toggled;       /* [node * count + other]: score of the node with the arc from `other` toggled; -INFINITY:
                            * not possible */
    double *most_added;    /* for each node, the largest element of `toggled` that adds an arc */
    bool *is_stale;        /* for each node: its parents have changed */
    crd_i_toggled_rows rows;
    uint64_t *scratch;    /* for finding paths */
    uint32_t *parents;    /* for each thread, the parents of the node that it scores */
    uint32_t *candidates; /* for each stale node, the nodes whose arc to it may change */
    size_t *candidate_counts;
    uint32_t *stale; /* nodes to score */
    size_t stale_count, parts;
    crd_i_shared_families shared;
    crd_status *statuses; /* one per thread */
    crd_error *errors;
    crd_i_random random; /* random numbers of the current climb */
    uint64_t steps;
} crd_i_local_search;

/* Climbs from the required arcs, then from perturbed and random graphs. If there are restarts, improves the best
 * graph place by place. Then continues from the best graph by `finish`, which may be NULL. Returns the best graph of
 * all. `finish` must leave the best graph it found in search->graph, even if it is canceled. */
static CRD_MUST_USE crd_status local_search_run(const crd_i_case_table *table, const crd_i_search_options *options,
                                                crd_status (*finish)(crd_i_local_search *search, crd_error *error),
                                                crd_i_search_result *out, crd_error *error);

/* ======== 1. Search state ======== */

/* Thresholds of work, in words of bit sets. Each score costs its rows / 64 words plus an overhead of WORDS_BESIDE
 * words. Less work than LEAST_FOR_THREADS is not given to other threads. */
enum { LEAST_FOR_THREADS = 1 << 16, WORDS_BESIDE = 100 };
/* Less work than LEAST_FOR_PROCESSES is not shared with other processes. Scores are no longer shared if the cache
 * contains more than MOST_SHARED families: up to that number it keeps all, so all processes have the same scores. */
enum { LEAST_FOR_PROCESSES = 1 << 15, MOST_SHARED = 200000 };

/* ---- Scores ---- */

/* Returns the score of the graph: the sum of its family scores. */
static double local_search_score(const crd_i_local_search *search) {
    double sum = 0;
    for (size_t node = 0; node < search->graph->count; node++) sum += search->family_scores[node];
    return sum;
}

/* Returns the tolerance: scores that differ by less are equal. */
static double local_search_tolerance(const crd_i_local_search *search) {
    const double score = fabs(local_search_score(search));
    return 1e-12 * (1 + (score < INFINITY ? score : 0));
}

static size_t max_parents(const crd_i_local_search *search) {
    return search->options->constraints == NULL ? SIZE_MAX : search->options->constraints->max_parents;
}

/* Lists the other nodes whose arc to the node may be added or removed. Returns their number. */
static size_t local_search_list_candidates(const crd_i_local_search *search, size_t node, uint32_t *candidates) {
    const crd_i_graph *graph = search->graph;
    const bool is_full = crd_i_graph_parent_count(graph, node) >= max_parents(search);
    size_t count = 0;
    for (size_t other = 0; other < graph->count; other++) {
        const bool is_parent = crd_i_graph_has(graph, other, node);
        if (is_parent ? crd_i_arc_is_required(search->options->constraints, other, node)
                      : is_full || !crd_i_arc_is_allowed(search->options->constraints, other, node) ||
                            !crd_i_family_scores_fit(search->scores[0], other, node))
            continue;
        candidates[count++] = (uint32_t)other;
    }
    return count;
}

/* Scores a part of the candidates of a stale node; the first part also scores the node with its present parents. */
static void score_part(void *state, unsigned member, size_t task) {
    crd_i_local_search *search = state;
    const size_t count = search->graph->count, place = task / search->parts, part = task % search->parts;
    const size_t node = search->stale[place], all = search->candidate_counts[place];
    const size_t first = all * part / search->parts, end = all * (part + 1) / search->parts;
    uint32_t *parents = search->parents + member * count;
    const uint32_t *candidates = search->candidates + place * count;
    crd_i_family_scores *scores = search->scores[member];
    double *toggled = search->toggled + node * count;
    if (search->statuses[member] != CRD_OK) return;
    const size_t parent_count = crd_i_graph_parent_list(search->graph, node, parents);
    crd_status status = CRD_OK;
    if (part == 0) {
        status = crd_i_family_score(scores, node, parents, parent_count, &search->family_scores[node],
                                    &search->errors[member]);
    }
    double values[64];
    for (size_t i = first; status == CRD_OK && i < end;) {
        const size_t some = end - i < 64 ? end - i : 64;
        status = crd_i_family_scores_toggle(scores, node, parents, parent_count, candidates + i, some, values,
                                            &search->errors[member]);
        for (size_t j = 0; status == CRD_OK && j < some; j++) toggled[candidates[i + j]] = values[j];
        i += some;
    }
    search->statuses[member] = status;
}

/* ---- Sharing scores among processes ---- */

/* Lists the families of stale nodes whose scores are not in the cache. Returns false if memory runs out. */
static bool list_unknown(crd_i_local_search *search, size_t *total) {
    crd_i_shared_families *shared = &search->shared;
    const size_t count = search->graph->count;
    *total = 0;
    if (!crd_i_reserve(search->context, &shared->ends, &shared->ends_capacity, search->stale_count,
                       sizeof *shared->ends))
        return false;
    for (size_t place = 0; place < search->stale_count; place++) {
        const uint32_t *candidates = search->candidates + place * count;
        const size_t node = search->stale[place];
        const size_t parents = crd_i_graph_parent_list(search->graph, node, search->parents);
        if (!crd_i_reserve(search->context, &shared->others, &shared->others_capacity,
                           *total + search->candidate_counts[place], sizeof *shared->others))
            return false;
        for (size_t i = 0; i < search->candidate_counts[place]; i++)
            if (!crd_i_family_scores_know_toggled(search->scores[0], node, search->parents, parents, candidates[i]))
                shared->others[(*total)++] = candidates[i];
        shared->ends[place] = *total;
    }
    return crd_i_reserve(search->context, &shared->scores, &shared->scores_capacity, *total, sizeof *shared->scores);
}

/* Scores the families of a stale node that are this process's share. */
static void score_own(void *state, unsigned member, size_t task) {
    crd_i_local_search *search = state;
    const crd_i_shared_families *shared = &search->shared;
    const size_t node = search->stale[task], end = shared->ends[task];
    uint32_t *parents = search->parents + member * search->graph->count, some[64];
    size_t places[64], count = 0;
    double values[64];
    if (search->statuses[member] != CRD_OK) return;
    const size_t parent_count = crd_i_graph_parent_list(search->graph, node, parents);
    crd_status status = CRD_OK;
    for (size_t i = task == 0 ? 0 : shared->ends[task - 1]; status == CRD_OK && i < end; i++) {
        if (crd_i_group_has_item(search->table->group, i)) {
            places[count] = i;
            some[count++] = shared->others[i];
        }
        if (count < 64 && i + 1 < end) continue;
        status = crd_i_family_scores_toggle(search->scores[member], node, parents, parent_count, some, count, values,
                                            &search->errors[member]);
        for (size_t j = 0; status == CRD_OK && j < count; j++) shared->scores[places[j]] = values[j];
        count = 0;
    }
    search->statuses[member] = status;
}

/* Returns the status of the first thread that failed, and its error. */
static crd_status first_failure(const crd_i_local_search *search, crd_error *error) {
    for (unsigned i = 0; i < search->threads; i++) {
        if (search->statuses[i] == CRD_OK) continue;
        if (error != NULL) *error = search->errors[i];
        return search->statuses[i];
    }
    return CRD_OK;
}

/* Stores the scores that other processes have computed in the cache. Returns false if memory runs out. */
static bool put_all(const crd_i_local_search *search) {
    const crd_i_shared_families *shared = &search->shared;
    bool done = true;
    for (size_t place = 0, i = 0; done && place < search->stale_count; place++) {
        const size_t node = search->stale[place];
        const size_t parents = crd_i_graph_parent_list(search->graph, node, search->parents);
        for (; done && i < shared->ends[place]; i++)
            done = crd_i_group_has_item(search->table->group, i) ||
                   crd_i_family_scores_put_toggled(search->scores[0], node, search->parents, parents, shared->others[i],
                                                   shared->scores[i]);
    }
    return done;
}

/* Divides the scores that are not in the cache among the processes, if they are enough work, and exchanges the
 * results. */
static crd_status share_scores(crd_i_local_search *search, crd_error *error) {
    size_t total;
    if (!list_unknown(search, &total)) return crd_i_fail_memory(error);
    if (total * (search->table->rows / 64 + WORDS_BESIDE) < LEAST_FOR_PROCESSES ||
        crd_i_family_scores_computed(search->scores[0]) > MOST_SHARED)
        return CRD_OK;
    if (search->crew != NULL) crd_i_crew_do(search->crew, search->stale_count, score_own, search);
    else
        for (size_t task = 0; task < search->stale_count; task++) score_own(search, 0, task);
    crd_status status = first_failure(search, error);
    status = status == CRD_OK ? crd_i_group_share(search->table->group, search->shared.scores,
                                                  sizeof *search->shared.scores, total, error)
                              : crd_i_group_fail(search->table->group, status, error);
    if (status == CRD_OK && !put_all(search)) status = crd_i_fail_memory(error);
    return status;
}

/* ---- Stored rows of scores ---- */

static size_t row_place(const crd_i_local_search *search, size_t node) {
    const uint64_t *parents = crd_i_graph_parents(search->graph, node);
    uint64_t hash = crd_i_hash_scatter(node + 1);
    for (size_t word = 0; word < search->graph->words; word++)
        if (parents[word] != 0) hash = crd_i_hash_scatter(hash ^ parents[word]) + word;
    return (size_t)(hash % search->rows.places);
}

/* Copies the stored row of scores of a node with its present parents. Returns false if it is not stored. */
static bool recall_row(crd_i_local_search *search, size_t node) {
    const size_t count = search->graph->count, words = search->graph->words;
    if (search->rows.places == 0) return false;
    const size_t place = row_place(search, node);
    const uint64_t *key = search->rows.keys + place * (words + 1);
    const double *values = search->rows.values + place * (count + 1);
    if (key[0] != node + 1 || memcmp(key + 1, crd_i_graph_parents(search->graph, node), words * sizeof *key) != 0)
        return false;
    search->family_scores[node] = values[0];
    memcpy(search->toggled + node * count, values + 1, count * sizeof *values);
    return true;
}

static void store_row(crd_i_local_search *search, size_t node) {
    const size_t count = search->graph->count, words = search->graph->words;
    if (search->rows.places == 0) return;
    const size_t place = row_place(search, node);
    uint64_t *key = search->rows.keys + place * (words + 1);
    double *values = search->rows.values + place * (count + 1);
    key[0] = node + 1;
    memcpy(key + 1, crd_i_graph_parents(search->graph, node), words * sizeof *key);
    values[0] = search->family_scores[node];
    memcpy(values + 1, search->toggled + node * count, count * sizeof *values);
}

/* ---- Updating scores ---- */

/* Finds the best score that adding an arc to the node reaches. */
static void find_most_added(crd_i_local_search *search, size_t node) {
    const size_t count = search->graph->count;
    const uint64_t *parents = crd_i_graph_parents(search->graph, node);
    const double *toggled = search->toggled + node * count;
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (toggled[i] > most && !crd_i_bit(parents, i)) most = toggled[i];
    search->most_added[node] = most;
}

/* Computes the scores of the families that have changed. */
static crd_status local_search_refresh(crd_i_local_search *search, crd_error *error) {
    const size_t count = search->graph->count;
    search->stale_count = 0;
    for (size_t node = 0; node < count; node++) {
        if (!search->is_stale[node]) continue;
        if (recall_row(search, node)) {
            find_most_added(search, node);
            search->is_stale[node] = false;
            continue;
        }
        double *toggled = search->toggled + node * count;
        for (size_t i = 0; i < count; i++) toggled[i] = -INFINITY;
        const size_t place = search->stale_count++;
        search->stale[place] = (uint32_t)node;
        search->candidate_counts[place] =
            local_search_list_candidates(search, node, search->candidates + place * count);
    }
    if (search->shared.are_dealt) {
        const crd_status status = share_scores(search, error);
        if (status != CRD_OK) return status;
    }
    const size_t work = search->stale_count * count * (search->table->rows / 64 + WORDS_BESIDE);
    const bool is_alone = search->crew == NULL || work < LEAST_FOR_THREADS;
    search->parts = is_alone || search->stale_count >= 4 * search->threads ? 1 : search->threads;
    if (is_alone)
        for (size_t task = 0; task < search->stale_count; task++) score_part(search, 0, task);
    else crd_i_crew_do(search->crew, search->stale_count * search->parts, score_part, search);
    const crd_status status = first_failure(search, error);
    if (status != CRD_OK) return status;
    for (size_t place = 0; place < search->stale_count; place++) {
        find_most_added(search, search->stale[place]);
        store_row(search, search->stale[place]);
    }
    memset(search->is_stale, 0, count * sizeof *search->is_stale);
    return CRD_OK;
}

/* ---- Steps ---- */

/* Returns whether reversing the arc source -> target leaves the graph acyclic. */
static bool may_reverse(const crd_i_local_search *search, size_t source, size_t target) {
    crd_i_graph *graph = search->graph;
    crd_i_graph_remove(graph, source, target);
    const bool closes = crd_i_graph_has_path(graph, source, target, search->scratch);
    crd_i_graph_add(graph, source, target);
    return !closes;
}

typedef struct best_step {
    crd_i_step step;
    double least; /* only larger gains are accepted */
    double tolerance;
    bool (*is_taboo)(const void *state, const crd_i_step *step);
    const void *state;
} best_step;

/* Makes a step the best step so far, unless it is taboo. */
static void local_search_offer(best_step *best, crd_i_step step) {
    if (best->is_taboo != NULL && best->is_taboo(best->state, &step)) return;
    best->step = step;
    best->least = step.gain + best->tolerance;
}

/* Offers the removal and the reversal of the arc from a parent. */
static void consider_parent(const crd_i_local_search *search, best_step *best, size_t source, size_t target) {
    const size_t count = search->graph->count;
    const crd_i_arc_constraints *constraints = search->options->constraints;
    if (crd_i_arc_is_required(constraints, source, target)) return;
    const double removed = search->toggled[target * count + source] - search->family_scores[target];
    if (removed > best->least) local_search_offer(best, (crd_i_step){CRD_I_STEP_REMOVE, source, target, removed});
    const double reversed = removed + search->toggled[source * count + target] - search->family_scores[source];
    if (reversed > best->least && may_reverse(search, source, target))
        local_search_offer(best, (crd_i_step){CRD_I_STEP_REVERSE, source, target, reversed});
}

/* Returns the step with the largest gain, the first one among equal gains; CRD_I_STEP_NONE if there is none. Only
 * steps whose gain exceeds `least` and for which `is_taboo` (which may be NULL) returns false are considered. */
static crd_i_step local_search_best_step(crd_i_local_search *search, double least,
                                         bool (*is_taboo)(const void *state, const crd_i_step *step),
                                         const void *state) {
    const crd_i_graph *graph = search->graph;
    const size_t count = graph->count;
    best_step best = {{CRD_I_STEP_NONE, 0, 0, 0}, least, local_search_tolerance(search), is_taboo, state};
    for (size_t target = 0; target < count; target++) {
        const double *toggled = search->toggled + target * count, score = search->family_scores[target];
        const size_t added = search->most_added[target] - score > best.least ? count : 0;
        for (size_t source = 0; source < added; source++) {
            if (!(toggled[source] - score > best.least) || crd_i_graph_is_adjacent(graph, source, target) ||
                crd_i_graph_has_path(graph, target, source, search->scratch))
                continue;
            local_search_offer(&best, (crd_i_step){CRD_I_STEP_ADD, source, target, toggled[source] - score});
        }
        const uint64_t *parents = crd_i_graph_parents(graph, target);
        for (size_t source = crd_i_bit_next(parents, graph->words, 0); source < count;
             source = crd_i_bit_next(parents, graph->words, source + 1))
            consider_parent(search, &best, source, target);
    }
    return best.step;
}

/* Applies a step to the graph and marks the nodes whose parents change. */
static void local_search_change(crd_i_local_search *search, const crd_i_step *step) {
    if (step->kind == CRD_I_STEP_ADD) crd_i_graph_add(search->graph, step->source, step->target);
    else crd_i_graph_remove(search->graph, step->source, step->target);
    if (step->kind == CRD_I_STEP_REVERSE) {
        crd_i_graph_add(search->graph, step->target, step->source);
        search->is_stale[step->source] = true;
    }
    search->is_stale[step->target] = true;
}

/* Applies a step and counts it. */
static void local_search_take(crd_i_local_search *search, const crd_i_step *step) {
    local_search_change(search, step);
    search->steps++;
}

/* ---- Perturbation ---- */

/* Makes a random change of the arc between two nodes that the constraints allow and that leaves the graph acyclic.
 * Returns false if there is none for this pair. */
static bool perturb_pair(crd_i_local_search *search, size_t source, size_t target, bool reverses) {
    const crd_i_arc_constraints *constraints = search->options->constraints;
    crd_i_graph *graph = search->graph;
    if (source == target || crd_i_graph_has(graph, target, source)) return false;
    crd_i_step step = {CRD_I_STEP_ADD, source, target, 0};
    const bool fits_back = crd_i_arc_is_allowed(constraints, target, source) &&
                           crd_i_family_scores_fit(search->scores[0], target, source) &&
                           crd_i_graph_parent_count(graph, source) < max_parents(search);
    if (crd_i_graph_has(graph, source, target)) {
        if (crd_i_arc_is_required(constraints, source, target)) return false;
        step.kind =
            reverses && fits_back && may_reverse(search, source, target) ? CRD_I_STEP_REVERSE : CRD_I_STEP_REMOVE;
    } else if (!crd_i_arc_is_allowed(constraints, source, target) ||
               !crd_i_family_scores_fit(search->scores[0], source, target) ||
               crd_i_graph_parent_count(graph, target) >= max_parents(search) ||
               crd_i_graph_has_path(graph, target, source, search->scratch)) {
        return false;
    }
    local_search_change(search, &step);
    return true;
}

/* The default number of changes is half the number of nodes plus 2, counting at most this many nodes. */
enum { MOST_HALVED = 100 };

/* Makes random changes of arcs, as many as the options specify.
 *
 * Half of the changes are made to existing arcs, the others to random pairs: with many nodes, nearly all random pairs
 * have no arc. */
static void local_search_perturb(crd_i_local_search *search) {
    crd_i_random *random = &search->random;
    const size_t count = search->graph->count;
    size_t changes = search->options->perturbed, arcs = crd_i_graph_edge_count(search->graph);
    if (changes == 0) changes = count < MOST_HALVED ? count / 2 + 2 : MOST_HALVED / 2 + 2;
    for (size_t created_count = 0, tries = 0; created_count < changes && tries < 100 * changes && count > 1; tries++) {
        size_t source = (size_t)crd_i_random_below(random, count), target = (size_t)crd_i_random_below(random, count);
        const bool reverses = crd_i_random_below(random, 2) == 0;
        if (crd_i_random_below(random, 2) == 0 && arcs > 0) {
            /* Choose an arc uniformly at random. */
            size_t left = (size_t)crd_i_random_below(random, arcs);
            for (target = 0; target < count && left >= crd_i_graph_parent_count(search->graph, target); target++)
                left -= crd_i_graph_parent_count(search->graph, target);
            const uint64_t *parents = crd_i_graph_parents(search->graph, target);
            source = crd_i_bit_next(parents, search->graph->words, 0);
            while (left-- > 0) source = crd_i_bit_next(parents, search->graph->words, source + 1);
        }
        created_count += perturb_pair(search, source, target, reverses);
        arcs = crd_i_graph_edge_count(search->graph);
    }
}

/* Returns whether an arc is covered: the parents of its head are its tail and the parents of its tail. */
static bool is_covered(const crd_i_graph *graph, size_t source, size_t target) {
    const uint64_t *above = crd_i_graph_parents(graph, source), *below = crd_i_graph_parents(graph, target);
    for (size_t word = 0; word < graph->words; word++) {
        const uint64_t own = word == source / 64 ? UINT64_C(1) << (source % 64) : 0;
        if ((above[word] | own) != below[word]) return false;
    }
    return true;
}

/* Returns whether reversing an arc leads to an equivalent graph that the constraints allow. */
static bool may_reverse_covered(const crd_i_local_search *search, size_t source, size_t target) {
    const crd_i_arc_constraints *constraints = search->options->constraints;
    return is_covered(search->graph, source, target) && !crd_i_arc_is_required(constraints, source, target) &&
           crd_i_arc_is_allowed(constraints, target, source) &&
           crd_i_family_scores_fit(search->scores[0], target, source) &&
           crd_i_graph_parent_count(search->graph, source) < max_parents(search);
}

/* Finds the next covered arc that may be reversed, starting at a given pair and going round all pairs once. Returns
 * false if there is none. */
static bool find_covered(const crd_i_local_search *search, size_t *source, size_t *destination) {
    const crd_i_graph *graph = search->graph;
    for (size_t tried = 0; tried <= graph->count;
         tried++, *destination = (*destination + 1) % graph->count, *source = 0) {
        const uint64_t *parents = crd_i_graph_parents(graph, *destination);
        for (*source = crd_i_bit_next(parents, graph->words, *source); *source < graph->count;
             *source = crd_i_bit_next(parents, graph->words, *source + 1))
            if (may_reverse_covered(search, *source, *destination)) return true;
    }
    return false;
}

/* Takes a random walk of `steps` steps through the Markov equivalence class of the graph. Each step reverses a
 * covered arc, whose head has exactly the tail and the tail's parents as parents (Chickering 1995). Most scores are
 * equal in the whole class, but the neighboring graphs differ. */
static void local_search_walk(crd_i_local_search *search, size_t steps) {
    const size_t count = search->graph->count;
    for (size_t i = 0; i < steps && count > 1; i++) {
        size_t source = (size_t)crd_i_random_below(&search->random, count);
        size_t target = (size_t)crd_i_random_below(&search->random, count);
        if (!find_covered(search, &source, &target)) return;
        const crd_i_step step = {CRD_I_STEP_REVERSE, source, target, 0};
        local_search_change(search, &step);
    }
}

/* ---- Perturbing a neighborhood ---- */

/* Most arcs that are changed in a neighborhood, and covered arcs that are tried for reversal before. */
enum { MOST_CHANGED_NEAR = 6, REVERSED_NEAR = 2 };

/* Returns a random neighbor of the node, or the node itself if it has none. */
static size_t random_neighbor(crd_i_local_search *search, size_t node) {
    const crd_i_graph *graph = search->graph;
    const uint64_t *parents = crd_i_graph_parents(graph, node), *children = crd_i_graph_children(graph, node);
    size_t degree = 0, other = node;
    for (size_t word = 0; word < graph->words; word++)
        degree += (size_t)__builtin_popcountll(parents[word] | children[word]);
    if (degree == 0) return node;
    size_t left = (size_t)crd_i_random_below(&search->random, degree);
    for (size_t word = 0; word < graph->words; word++)
        for (uint64_t bits = parents[word] | children[word]; bits != 0; bits &= bits - 1)
            if (left-- == 0) other = word * 64 + (size_t)__builtin_ctzll(bits);
    return other;
}

/* Makes a few random changes of arcs between a node, its neighbors and their neighbors. */
static void local_search_perturb_near(crd_i_local_search *search, size_t node) {
    crd_i_random *random = &search->random;
    const crd_i_graph *graph = search->graph;
    uint32_t *near = search->parents;
    size_t count = 0;
    near[count++] = (uint32_t)node;
    for (size_t other = 0; other < graph->count; other++)
        if (other != node && crd_i_graph_is_adjacent(graph, other, node)) near[count++] = (uint32_t)other;
    for (size_t i = 0; i < REVERSED_NEAR; i++) {
        const size_t source = near[crd_i_random_below(random, count)], target = random_neighbor(search, source);
        const crd_i_step step = {CRD_I_STEP_REVERSE, source, target, 0};
        if (crd_i_graph_has(graph, source, target) && may_reverse_covered(search, source, target))
            local_search_change(search, &step);
    }
    const size_t changes = 1 + (size_t)crd_i_random_below(random, MOST_CHANGED_NEAR);
    for (size_t created_count = 0, tries = 0; created_count < changes && tries < 20 * changes; tries++) {
        const size_t one = near[crd_i_random_below(random, count)];
        /* One change in four is made to a random pair of the neighborhood, the others to existing arcs. */
        const size_t other =
            crd_i_random_below(random, 4) == 0 ? near[crd_i_random_below(random, count)] : random_neighbor(search, one);
        const bool reverses = crd_i_random_below(random, 2) == 0;
        created_count += perturb_pair(search, one, other, reverses) || perturb_pair(search, other, one, reverses);
    }
}

/* Adds random arcs, as many as there are nodes. */
static void local_search_randomize(crd_i_local_search *search) {
    const size_t count = search->graph->count;
    for (size_t created_count = 0, tries = 0; created_count < count && tries < 10 * count; tries++) {
        const size_t source = (size_t)crd_i_random_below(&search->random, count);
        const size_t target = (size_t)crd_i_random_below(&search->random, count);
        if (!crd_i_graph_has(search->graph, source, target))
            created_count += perturb_pair(search, source, target, false);
    }
}

/* Replaces the graph by another graph; the families that differ are scored again. */
static void local_search_move_to(crd_i_local_search *search, const crd_i_graph *graph) {
    const size_t bytes = graph->words * sizeof *graph->parents;
    for (size_t node = 0; node < graph->count; node++)
        if (memcmp(crd_i_graph_parents(search->graph, node), crd_i_graph_parents(graph, node), bytes) != 0)
            search->is_stale[node] = true;
    crd_i_graph_assign(search->graph, graph);
}

/* ======== 2. Hill climbing ========
 *
 * Repeats the addition, removal or reversal of an arc that raises the score most, until no change raises it.
 *
 * The search has to direct arcs before the rows determine the direction, and a wrong direction makes other wrong arcs
 * look good. Therefore the graph is replaced by a random Markov equivalent graph before each step (repeated covered
 * arc reversal, Castelo and Kocka 2003). If no step improves the graph, some more equivalent graphs are tried. The
 * final graph is a local optimum with respect to single changes. */

/* Covered arcs that are reversed before a step, and equivalent optima that are tried before the climb ends. Both are
 * smaller if there are many nodes, because every affected family has to be scored again. */
enum { MOST_REVERSED = 20, MOST_FRUITLESS = 10, REVERSED_NODES = 2000, FRUITLESS_NODES = 1000 };

/* Climbs by single steps only, which changes no more of the graph than necessary. */
static crd_status local_search_climb_directly(crd_i_local_search *search, crd_error *error) {
    for (;;) {
        crd_status status = local_search_refresh(search, error);
        if (status != CRD_OK) return status;
        const crd_i_step step = local_search_best_step(search, local_search_tolerance(search), NULL, NULL);
        if (step.kind == CRD_I_STEP_NONE) return CRD_OK;
        local_search_take(search, &step);
    }
}

/* Returns whether equivalent graphs have equal scores. They do not under K2, nor if values are missing, because each
 * family then has its own complete rows. */
static bool is_equivalent(const crd_i_local_search *search) {
    for (size_t i = 0; i < search->table->column_count; i++)
        if (search->table->columns[i].has_missing) return false;
    return search->options->score.kind != CRD_I_SCORE_K2;
}

static size_t at_most(size_t most, size_t value) {
    return value < most ? value : most;
}

/* Climbs with random moves to equivalent graphs before each step. Ends after `most` steps in a row without a better
 * score. */
static crd_status climb_through_equivalents(crd_i_local_search *search, crd_error *error) {
    const size_t count = search->graph->count;
    const size_t reversed = at_most(MOST_REVERSED, 1 + REVERSED_NODES / (count + 1));
    const size_t most = at_most(MOST_FRUITLESS, 1 + FRUITLESS_NODES / (count + 1));
    double best = -INFINITY;
    for (size_t fruitless = 0; fruitless <= most;) {
        local_search_walk(search, 1 + (size_t)crd_i_random_below(&search->random, reversed));
        crd_status status = local_search_refresh(search, error);
        if (status != CRD_OK) return status;
        const double tolerance = local_search_tolerance(search), score = local_search_score(search);
        /* The scores of equivalent graphs over numeric columns differ by rounding. A gain must exceed the tolerance,
         * or the climb could go on forever. */
        if (score > best + tolerance) {
            best = score;
            fruitless = 0;
        } else {
            fruitless++;
        }
        const crd_i_step step = local_search_best_step(search, tolerance, NULL, NULL);
        if (step.kind == CRD_I_STEP_NONE) local_search_walk(search, count);
        else local_search_take(search, &step);
    }
    return CRD_OK;
}

/* Climbs from search->graph to a local optimum, through equivalent graphs if equivalent graphs have equal scores. */
static crd_status local_search_climb(crd_i_local_search *search, crd_error *error) {
    crd_status status = is_equivalent(search) ? climb_through_equivalents(search, error) : CRD_OK;
    return status == CRD_OK ? local_search_climb_directly(search, error) : status;
}

crd_status crd_i_hill_climb(const crd_i_case_table *table, const crd_i_search_options *options,
                            crd_i_search_result *out, crd_error *error) {
    return local_search_run(table, options, NULL, out, error);
}

/* ======== 3. Restarts ========
 *
 * Climbs come in rounds. The first round has two climbs from the required arcs, which differ by their random numbers,
 * or one climb if there are no restarts. In each later round, one climb begins at a random graph, because perturbed
 * graphs often lead back to the same optimum. All other climbs begin at the best graph of the rounds before,
 * perturbed. Threads climb in parallel; the number of climbs in a round does not depend on the number of threads. If
 * there is only one climb, all threads score its families. Processes that share a table compute the scores of every
 * climb together.
 *
 * A perturbation of the whole graph improves some places of a large graph and spoils others. Therefore single places
 * are perturbed at the end: a few arcs near a random node are changed, followed by a climb. The result replaces the
 * best graph if it scores at least as much. This ends when many places in a row have brought no improvement. */

/* Most nodes of any search; most nodes if threads climb in parallel, because each has its own scores of all pairs;
 * climbs per round, in the first round, and the number within its round of the climb from a random graph. */
enum { MOST_NODES = 5000, MOST_NODES_BESIDE = 500, ROUND = 6, STARTS = 2, RANDOM_IN_ROUND = 3 };
/* The search ends after this many perturbed places per node in a row without improvement; with many nodes, after
 * PERTURBED_NODES divided by their number. In total at most MOST_TIMES as many places are perturbed. */
enum { FRUITLESS_OF_NODE = 6, PERTURBED_NODES = 500000, MOST_TIMES = 10 };

/* Memory for stored rows of scores in each search, and most stored rows per node. */
enum { ROW_BYTES = 32 << 20, ROWS_OF_NODE = 64 };

static void allocate_rows(crd_i_local_search *search, size_t count) {
    crd_i_toggled_rows *rows = &search->rows;
    const size_t words = (count + 63) / 64,
                 bytes = (count + 1) * sizeof *rows->values + (words + 1) * sizeof *rows->keys;
    size_t places = ROW_BYTES / bytes;
    if (places > ROWS_OF_NODE * count) places = ROWS_OF_NODE * count;
    rows->keys = crd_i_arena_alloc_zeroed(search->arena, places * (words + 1), sizeof *rows->keys);
    rows->values = crd_i_arena_alloc(search->arena, places * (count + 1), sizeof *rows->values);
    rows->places = places;
}

static bool local_search_run_allocate(crd_i_local_search *search, size_t count) {
    crd_i_arena *arena = crd_i_arena_create(search->context);
    search->arena = arena;
    search->graph = crd_i_graph_create(search->context, count);
    search->family_scores = crd_i_arena_alloc_zeroed(arena, count, sizeof *search->family_scores);
    search->toggled = crd_i_arena_alloc(arena, count * count, sizeof *search->toggled);
    search->most_added = crd_i_arena_alloc(arena, count, sizeof *search->most_added);
    search->is_stale = crd_i_arena_alloc(arena, count, sizeof *search->is_stale);
    search->scratch = crd_i_arena_alloc(arena, 2 * ((count + 63) / 64) + 1, sizeof *search->scratch);
    search->parents = crd_i_arena_alloc(arena, count * search->threads, sizeof *search->parents);
    search->candidates = crd_i_arena_alloc(arena, count * count, sizeof *search->candidates);
    search->candidate_counts = crd_i_arena_alloc(arena, count, sizeof *search->candidate_counts);
    search->stale = crd_i_arena_alloc(arena, count, sizeof *search->stale);
    search->statuses = crd_i_arena_alloc_zeroed(arena, search->threads, sizeof *search->statuses);
    search->errors = crd_i_arena_alloc_zeroed(arena, search->threads, sizeof *search->errors);
    allocate_rows(search, count);
    for (size_t node = 0; search->is_stale != NULL && node < count; node++) search->is_stale[node] = true;
    return search->graph != NULL && !crd_i_arena_failed(arena);
}

static void local_search_run_clear(crd_i_local_search *search) {
    crd_context *context = search->context;
    if (context == NULL) return;
    crd_i_graph_destroy(search->graph);
    crd_i_arena_destroy(search->arena);
    crd_free(context, search->shared.others);
    crd_free(context, search->shared.scores);
    crd_free(context, search->shared.ends);
}

/* The result of a climb. */
typedef struct run_outcome {
    crd_i_graph *graph;
    double score;
    crd_status status;
    crd_error error;
} run_outcome;

typedef struct search_run {
    crd_i_local_search first;   /* uses all threads */
    crd_i_local_search *beside; /* one search per thread, each with one thread; NULL: climbs run one after the other */
    crd_i_family_scores **scores;
    unsigned threads;
    crd_status (*finish)(crd_i_local_search *search, crd_error *error); /* may be NULL */
    run_outcome outcomes[ROUND];
    uint64_t restart;      /* number of climbs before this round */
    crd_i_graph *required; /* the required arcs; empty without constraints */
    crd_i_graph *best;
    double best_score;
    bool is_stopped;
    crd_status status;
    crd_error *error;
} search_run;

/* ---- Creating and destroying ---- */

static void running_clear(search_run *run) {
    crd_context *context = run->first.context;
    local_search_run_clear(&run->first);
    for (unsigned i = 0; run->beside != NULL && i < run->threads; i++) local_search_run_clear(&run->beside[i]);
    crd_free(context, run->beside);
    for (unsigned i = run->threads; run->scores != NULL && i-- > 0;) crd_i_family_scores_destroy(run->scores[i]);
    crd_free(context, (void *)run->scores);
    for (size_t i = 0; i < ROUND; i++) crd_i_graph_destroy(run->outcomes[i].graph);
    crd_i_graph_destroy(run->required);
    crd_i_graph_destroy(run->best);
}

/* Returns the number of restarts. Climbs over few nodes take almost no time, and families with few states and few
 * rows are counted fast. By default there are at least as many restarts as most users would choose, but fewer for
 * more than 500 nodes, whose climbs take seconds. */
static uint64_t restarts_of(const crd_i_local_search *search) {
    const size_t count = search->table->column_count;
    double states = 0;
    if (search->options->restarts != CRD_I_RESTARTS_AUTO) return search->options->restarts;
    if (count > 100) return count <= MOST_NODES_BESIDE ? 10 : MOST_NODES / count;
    for (size_t i = 0; i < count; i++) states += (double)search->table->columns[i].state_count;
    const double mean = states / (double)(count + 1);
    if (count <= 12 || mean < 2) return 30;
    return (mean < 3.4 ? (uint64_t)(120 / (mean * mean)) : 10) * (search->table->rows < 5000 ? 2 : 1);
}

/* Creates one search per thread, for climbs in parallel. They share the scores of the run. */
static crd_status make_beside(search_run *run, size_t count, crd_error *error) {
    run->beside = crd_i_alloc_zeroed(run->first.context, run->threads, sizeof *run->beside);
    if (run->beside == NULL) return crd_i_fail_memory(error);
    for (unsigned i = 0; i < run->threads; i++) {
        crd_i_local_search *search = &run->beside[i];
        search->context = run->first.context;
        search->table = run->first.table;
        search->options = run->first.options;
        search->threads = 1;
        search->scores = &run->scores[i];
        if (!local_search_run_allocate(search, count)) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* Returns whether values are missing. Scoring a family with missing values scores other families as well, so the
 * caches of the processes would differ. */
static bool local_search_run_has_missing(const crd_i_case_table *table) {
    bool has = false;
    for (size_t i = 0; i < table->column_count && !has; i++) has = table->columns[i].has_missing;
    return has;
}

/* Allocates the searches, the scores of each thread and the graphs. */
static crd_status running_init(search_run *run, crd_error *error) {
    crd_i_local_search *first = &run->first;
    crd_context *context = first->context;
    const size_t count = first->table->column_count;
    const uint64_t restarts = restarts_of(first);
    if (count > MOST_NODES)
        return crd_i_fail(error, CRD_ERROR_LIMIT,
                          "a structure of %zu columns is too large for this search: the maximum is %d", count,
                          MOST_NODES);
    run->scores = crd_i_alloc_zeroed(context, run->threads, sizeof(crd_i_family_scores *));
    run->required = crd_i_graph_create(context, count);
    run->best = crd_i_graph_create(context, count);
    if (run->scores == NULL || run->required == NULL || run->best == NULL || !local_search_run_allocate(first, count))
        return crd_i_fail_memory(error);
    first->scores = run->scores;
    crd_status status = crd_i_family_scores_create(first->table, first->options->score, &run->scores[0], error);
    for (unsigned i = 1; status == CRD_OK && i < run->threads; i++)
        status = crd_i_family_scores_share(run->scores[0], &run->scores[i], error);
    for (size_t i = 0; status == CRD_OK && i < ROUND && i <= restarts; i++) {
        run->outcomes[i].graph = crd_i_graph_create(context, count);
        if (run->outcomes[i].graph == NULL) status = crd_i_fail_memory(error);
    }
    first->shared.are_dealt = first->table->group != NULL && !local_search_run_has_missing(first->table);
    if (status == CRD_OK && restarts > 0 && run->threads > 1 && count <= MOST_NODES_BESIDE &&
        first->table->group == NULL)
        status = make_beside(run, count, error);
    if (status == CRD_OK && first->options->constraints != NULL)
        crd_i_graph_assign(run->required, first->options->constraints->required);
    if (status == CRD_OK) crd_i_graph_assign(run->best, run->required);
    run->best_score = -INFINITY;
    return status;
}

/* ---- Climbing ---- */

/* Returns the score of the graph at which a climb was stopped; its stale families are scored first. NaN if that
 * fails. */
static double score_stopped(crd_i_local_search *search) {
    for (size_t node = 0; node < search->graph->count; node++) {
        if (!search->is_stale[node]) continue;
        const size_t count = crd_i_graph_parent_list(search->graph, node, search->parents);
        if (crd_i_family_score(search->scores[0], node, search->parents, count, &search->family_scores[node], NULL) !=
            CRD_OK)
            return (double)NAN;
    }
    return local_search_score(search);
}

/* Runs one climb, from the start that its number determines, and stores its result. */
static void climb_one(search_run *run, crd_i_local_search *search, size_t task) {
    run_outcome *outcome = &run->outcomes[task];
    const uint64_t restart = run->restart + task;
    search->random = crd_i_random_at(search->options->seed, restart);
    local_search_move_to(search, run->best);
    if (restart >= STARTS && restart % ROUND == RANDOM_IN_ROUND) {
        local_search_move_to(search, run->required);
        local_search_randomize(search);
    } else if (restart >= STARTS) {
        local_search_walk(search, search->graph->count);
        local_search_perturb(search);
    }
    outcome->status = local_search_climb(search, &outcome->error);
    /* A climb that is stopped in the first round returns the graph that it has reached. */
    if (outcome->status == CRD_OK) outcome->score = local_search_score(search);
    else outcome->score = crd_i_is_cancelled(outcome->status) && run->restart == 0 ? score_stopped(search) : -INFINITY;
    crd_i_graph_assign(outcome->graph, search->graph);
}

static void climb_beside(void *state, unsigned member, size_t task) {
    search_run *run = state;
    climb_one(run, &run->beside[member], task);
}

static double tolerance_of(double score) {
    return score > -INFINITY ? 1e-12 * (1 + fabs(score)) : 0;
}

/* Runs a round of climbs. The next round begins at the best graph; among equal scores, the first. */
static void climb_round(search_run *run, crd_i_crew *crew, size_t count) {
    if (run->beside != NULL && count > 1) crd_i_crew_do(crew, count, climb_beside, run);
    else
        for (size_t task = 0; task < count; task++) climb_one(run, &run->first, task);
    size_t best = SIZE_MAX;
    for (size_t task = 0; task < count; task++) {
        const run_outcome *outcome = &run->outcomes[task];
        if (crd_i_is_cancelled(outcome->status)) {
            run->is_stopped = true;
        } else if (outcome->status != CRD_OK) {
            run->status = outcome->status;
            if (run->error != NULL) *run->error = outcome->error;
        }
        if (outcome->score > run->best_score + tolerance_of(run->best_score)) {
            run->best_score = outcome->score;
            best = task;
        }
    }
    if (best != SIZE_MAX) crd_i_graph_assign(run->best, run->outcomes[best].graph);
}

/* Records how a part of the search ended. If it was canceled, the best graph so far is the result. Returns whether
 * to continue. */
static bool local_search_run_goes_on(search_run *run, crd_status status) {
    if (crd_i_is_cancelled(status)) run->is_stopped = true;
    else run->status = status;
    return status == CRD_OK;
}

static size_t most_fruitless(size_t count) {
    const size_t of_many = PERTURBED_NODES / count;
    return FRUITLESS_OF_NODE * count < of_many ? FRUITLESS_OF_NODE * count : of_many;
}

/* Improves the best graph place by place; see the head of this file. */
static void improve_places(search_run *run) {
    crd_i_local_search *search = &run->first;
    const size_t count = search->graph->count, most = count < 2 ? 0 : most_fruitless(count);
    /* A graph with the same score as the best graph, from which other places can be improved. The first such graph
     * stays the best. */
    crd_i_graph *equal = run->outcomes[0].graph;
    crd_i_stage stage;
    search->random = crd_i_random_at(search->options->seed, run->restart);
    crd_i_stage_begin(&stage, "improving", 0);
    local_search_move_to(search, run->best);
    crd_i_graph_assign(equal, run->best);
    for (size_t i = 0, fruitless = 0; fruitless < most && i < MOST_TIMES * most; i++) {
        if (!local_search_run_goes_on(run, crd_i_context_cancelled(search->context) ? crd_i_fail_cancelled(run->error)
                                                                                    : CRD_OK))
            break;
        local_search_perturb_near(search, (size_t)crd_i_random_below(&search->random, count));
        if (!local_search_run_goes_on(run, local_search_climb_directly(search, run->error))) break;
        const double score = local_search_score(search), tolerance = tolerance_of(run->best_score);
        fruitless++;
        if (score > run->best_score + tolerance) {
            run->best_score = score;
            crd_i_graph_assign(run->best, search->graph);
            fruitless = 0;
        }
        if (score >= run->best_score - tolerance) crd_i_graph_assign(equal, search->graph);
        else local_search_move_to(search, equal);
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
}

/* Continues from the best graph by `finish`, and keeps the result if it is better. */
static void continue_from_best(search_run *run) {
    crd_i_local_search *search = &run->first;
    local_search_move_to(search, run->best);
    if (!local_search_run_goes_on(run, run->finish(search, run->error)) && !run->is_stopped) return;
    const double score = run->is_stopped ? score_stopped(search) : local_search_score(search);
    if (!(score > run->best_score + tolerance_of(run->best_score))) return;
    run->best_score = score;
    crd_i_graph_assign(run->best, search->graph);
}

/* Leads the crew: runs all rounds of climbs, then the improvement of places, then `finish`. */
static void climb_all(void *state, crd_i_crew *crew) {
    search_run *run = state;
    const uint64_t climbs = restarts_of(&run->first) + 1;
    crd_i_stage stage;
    run->first.crew = crew;
    crd_i_stage_begin(&stage, "searching", climbs);
    while (run->restart < climbs && run->status == CRD_OK && !run->is_stopped) {
        const uint64_t most = run->restart == 0 ? STARTS : ROUND, left = climbs - run->restart;
        const uint64_t count = left < most ? left : most;
        climb_round(run, crew, (size_t)count);
        run->restart += count;
        crd_i_stage_add(&stage, count);
    }
    crd_i_stage_end(&stage);
    if (climbs > 1 && run->status == CRD_OK && !run->is_stopped) improve_places(run);
    if (run->finish != NULL && run->status == CRD_OK && !run->is_stopped) continue_from_best(run);
}

static crd_status local_search_run(const crd_i_case_table *table, const crd_i_search_options *options,
                                   crd_status (*finish)(crd_i_local_search *search, crd_error *error),
                                   crd_i_search_result *out, crd_error *error) {
    search_run run = {.first = {.context = table->context, .table = table, .options = options}, .finish = finish};
    run.error = error;
    run.threads = run.first.threads = crd_i_thread_pool_size(options->threads);
    *out = (crd_i_search_result){.score = (double)NAN};
    crd_status status = running_init(&run, error);
    if (status == CRD_OK && !crd_i_crew_run(table->context, run.threads, climb_all, &run))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = run.status;
    if (status == CRD_OK) {
        out->graph = run.best;
        run.best = NULL;
        out->score = run.best_score;
        out->steps = run.first.steps;
        out->is_stopped = run.is_stopped;
        out->scores_computed = crd_i_family_scores_computed(run.scores[0]);
        for (unsigned i = 0; run.beside != NULL && i < run.threads; i++) out->steps += run.beside[i].steps;
    }
    running_clear(&run);
    return status;
}

/* ======== 4. Tabu search ========
 *
 * Tabu search (Glover 1989) is hill climbing that continues from its optimum. It takes the best step even if it
 * lowers the score, but no step to one of the last graphs. It ends after as many steps in a row without a better
 * graph as the list is long. The result is the best graph of all, so it is never worse than the graph of hill
 * climbing with the same options. */

enum { DEFAULT_LENGTH = 100 };

/* Returns the hash of an arc. The hash of a graph is the exclusive or of the hashes of its arcs. */
static uint64_t hash_arc(size_t source, size_t target) {
    uint64_t hash = ((uint64_t)source << 32 | (uint64_t)target) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    return hash ^ hash >> 31;
}

typedef struct tabu_list {
    uint64_t *hashes; /* a ring buffer of the hashes of the last graphs */
    size_t length, count, next;
    uint64_t now;
} tabu_list;

static uint64_t hash_after(const tabu_list *list, const crd_i_step *step) {
    uint64_t hash = list->now ^ hash_arc(step->source, step->target);
    if (step->kind == CRD_I_STEP_REVERSE) hash ^= hash_arc(step->target, step->source);
    return hash;
}

static bool is_taboo(const void *state, const crd_i_step *step) {
    const tabu_list *list = state;
    const uint64_t hash = hash_after(list, step);
    for (size_t i = 0; i < list->count; i++)
        if (list->hashes[i] == hash) return true;
    return false;
}

static void tabu_search_note(tabu_list *list) {
    list->hashes[list->next] = list->now;
    list->next = (list->next + 1) % list->length;
    if (list->count < list->length) list->count++;
}

static uint64_t hash_graph(const crd_i_graph *graph) {
    uint64_t hash = 0;
    for (size_t source = 0; source < graph->count; source++)
        for (size_t target = crd_i_bit_next(crd_i_graph_children(graph, source), graph->words, 0);
             target < graph->count;
             target = crd_i_bit_next(crd_i_graph_children(graph, source), graph->words, target + 1))
            hash ^= hash_arc(source, target);
    return hash;
}

/* Takes steps from search->graph until `length` steps in a row bring no better graph. Copies the best graph to
 * `best`. */
static crd_status tabu_search_walk(crd_i_local_search *search, tabu_list *list, crd_i_graph *best, crd_error *error) {
    double best_score = -INFINITY;
    list->now = hash_graph(search->graph);
    for (size_t fruitless = 0; fruitless <= list->length;) {
        crd_status status = local_search_refresh(search, error);
        if (status != CRD_OK) return status;
        const double score = local_search_score(search);
        if (score > best_score + local_search_tolerance(search)) {
            best_score = score;
            crd_i_graph_assign(best, search->graph);
            fruitless = 0;
        } else {
            fruitless++;
        }
        tabu_search_note(list);
        const crd_i_step step = local_search_best_step(search, -INFINITY, is_taboo, list);
        if (step.kind == CRD_I_STEP_NONE) break;
        list->now = hash_after(list, &step);
        local_search_take(search, &step);
    }
    return CRD_OK;
}

/* Runs the tabu search from search->graph, and leaves the best graph there. */
static crd_status continue_from_optimum(crd_i_local_search *search, crd_error *error) {
    const size_t length = search->options->tabu == 0 ? DEFAULT_LENGTH : search->options->tabu;
    tabu_list list = {.hashes = crd_i_alloc(search->context, length, sizeof *list.hashes), .length = length};
    crd_i_graph *best = crd_i_graph_clone(search->graph);
    crd_status status =
        list.hashes == NULL || best == NULL ? crd_i_fail_memory(error) : tabu_search_walk(search, &list, best, error);
    if (status == CRD_OK || crd_i_is_cancelled(status)) {
        /* Return to the best graph; its families are scored again. */
        for (size_t node = 0; node < best->count; node++) search->is_stale[node] = true;
        crd_i_graph_assign(search->graph, best);
        if (status == CRD_OK) status = local_search_refresh(search, error);
    }
    crd_i_graph_destroy(best);
    crd_free(search->context, list.hashes);
    return status;
}

crd_status crd_i_tabu_search(const crd_i_case_table *table, const crd_i_search_options *options,
                             crd_i_search_result *out, crd_error *error) {
    return local_search_run(table, options, continue_from_optimum, out, error);
}
