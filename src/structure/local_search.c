/* SPDX-License-Identifier: MIT */
/* local_search.c - see local_search.h. */
#include "structure/local_search.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/hash_key.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Thresholds of work, in words of bit sets. Each score costs its rows / 64 words plus an overhead of WORDS_BESIDE
 * words. Less work than LEAST_FOR_THREADS is not given to other threads. */
enum { LEAST_FOR_THREADS = 1 << 16, WORDS_BESIDE = 100 };
/* Less work than LEAST_FOR_PROCESSES is not shared with other processes. Scores are no longer shared if the cache
 * contains more than MOST_SHARED families: up to that number it keeps all, so all processes have the same scores. */
enum { LEAST_FOR_PROCESSES = 1 << 15, MOST_SHARED = 200000 };

/* ---- Scores ---- */

double crd_i_local_search_score(const crd_i_local_search *search) {
    double sum = 0;
    for (size_t node = 0; node < search->graph->count; node++) sum += search->family_scores[node];
    return sum;
}

double crd_i_local_search_tolerance(const crd_i_local_search *search) {
    const double score = fabs(crd_i_local_search_score(search));
    return 1e-12 * (1 + (score < INFINITY ? score : 0));
}

static size_t most_parents(const crd_i_local_search *search) {
    return search->options->constraints == NULL ? SIZE_MAX : search->options->constraints->most_parents;
}

/* Lists the other nodes whose arc to the node may be added or removed. Returns their number. */
static size_t local_search_list_candidates(const crd_i_local_search *search, size_t node, uint32_t *candidates) {
    const crd_i_graph *graph = search->graph;
    const bool is_full = crd_i_graph_parent_count(graph, node) >= most_parents(search);
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
        if (crd_i_is_own_item(search->context, i)) {
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
            done = crd_i_is_own_item(search->context, i) ||
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
    status =
        crd_i_share_items(search->context, status, search->shared.scores, sizeof *search->shared.scores, total, error);
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

crd_status crd_i_local_search_refresh(crd_i_local_search *search, crd_error *error) {
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

crd_i_step crd_i_local_search_best_step(crd_i_local_search *search, double least,
                                        bool (*is_taboo)(const void *state, const crd_i_step *step),
                                        const void *state) {
    const crd_i_graph *graph = search->graph;
    const size_t count = graph->count;
    best_step best = {{CRD_I_STEP_NONE, 0, 0, 0}, least, crd_i_local_search_tolerance(search), is_taboo, state};
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

void crd_i_local_search_take(crd_i_local_search *search, const crd_i_step *step) {
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
                           crd_i_graph_parent_count(graph, source) < most_parents(search);
    if (crd_i_graph_has(graph, source, target)) {
        if (crd_i_arc_is_required(constraints, source, target)) return false;
        step.kind =
            reverses && fits_back && may_reverse(search, source, target) ? CRD_I_STEP_REVERSE : CRD_I_STEP_REMOVE;
    } else if (!crd_i_arc_is_allowed(constraints, source, target) ||
               !crd_i_family_scores_fit(search->scores[0], source, target) ||
               crd_i_graph_parent_count(graph, target) >= most_parents(search) ||
               crd_i_graph_has_path(graph, target, source, search->scratch)) {
        return false;
    }
    local_search_change(search, &step);
    return true;
}

/* The default number of changes is half the number of nodes plus 2, counting at most this many nodes. */
enum { MOST_HALVED = 100 };

/* Half of the changes are made to existing arcs, the others to random pairs: with many nodes, nearly all random
 * pairs have no arc. */
void crd_i_local_search_perturb(crd_i_local_search *search) {
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
           crd_i_graph_parent_count(search->graph, source) < most_parents(search);
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

void crd_i_local_search_walk(crd_i_local_search *search, size_t steps) {
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

void crd_i_local_search_perturb_near(crd_i_local_search *search, size_t node) {
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

void crd_i_local_search_randomize(crd_i_local_search *search) {
    const size_t count = search->graph->count;
    for (size_t created_count = 0, tries = 0; created_count < count && tries < 10 * count; tries++) {
        const size_t source = (size_t)crd_i_random_below(&search->random, count);
        const size_t target = (size_t)crd_i_random_below(&search->random, count);
        if (!crd_i_graph_has(search->graph, source, target))
            created_count += perturb_pair(search, source, target, false);
    }
}

void crd_i_local_search_move_to(crd_i_local_search *search, const crd_i_graph *graph) {
    const size_t bytes = graph->words * sizeof *graph->parents;
    for (size_t node = 0; node < graph->count; node++)
        if (memcmp(crd_i_graph_parents(search->graph, node), crd_i_graph_parents(graph, node), bytes) != 0)
            search->is_stale[node] = true;
    crd_i_graph_assign(search->graph, graph);
}
