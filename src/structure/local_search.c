/* SPDX-License-Identifier: MIT */
/* local_search.c - see local_search.h. */
#include "structure/local_search.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 5000 };

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

/* Other nodes whose arc to the node may come or go. */
static size_t list_candidates(const crd_i_local_search *search, size_t node, uint32_t *candidates) {
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

/* A part of the candidates of a stale node. */
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
        if (crd_i_context_cancelled(search->context)) status = crd_i_fail_cancelled(&search->errors[member]);
        else
            status = crd_i_family_scores_toggle(scores, node, parents, parent_count, candidates + i, some, values,
                                                &search->errors[member]);
        for (size_t j = 0; status == CRD_OK && j < some; j++) toggled[candidates[i + j]] = values[j];
        i += some;
    }
    search->statuses[member] = status;
}

crd_status crd_i_local_search_refresh(crd_i_local_search *search, crd_error *error) {
    const size_t count = search->graph->count;
    search->stale_count = 0;
    for (size_t node = 0; node < count; node++) {
        if (!search->is_stale[node]) continue;
        double *toggled = search->toggled + node * count;
        for (size_t i = 0; i < count; i++) toggled[i] = -INFINITY;
        const size_t place = search->stale_count++;
        search->stale[place] = (uint32_t)node;
        search->candidate_counts[place] = list_candidates(search, node, search->candidates + place * count);
    }
    search->parts = search->stale_count >= 4 * search->threads ? 1 : search->threads;
    crd_i_crew_do(search->crew, search->stale_count * search->parts, score_part, search);
    for (unsigned i = 0; i < search->threads; i++) {
        if (search->statuses[i] == CRD_OK) continue;
        if (error != NULL) *error = search->errors[i];
        return search->statuses[i];
    }
    memset(search->is_stale, 0, count * sizeof *search->is_stale);
    return CRD_OK;
}

/* ---- Steps ---- */

static bool may_reverse(const crd_i_local_search *search, size_t from, size_t to) {
    crd_i_graph *graph = search->graph;
    crd_i_graph_remove(graph, from, to);
    const bool closes = crd_i_graph_has_path(graph, from, to, search->scratch);
    crd_i_graph_add(graph, from, to);
    return !closes;
}

typedef struct best_step {
    crd_i_step step;
    double least; /* gains are above it */
    double tolerance;
    bool (*is_taboo)(const void *state, const crd_i_step *step);
    const void *state;
} best_step;

static void offer(best_step *best, crd_i_step step) {
    if (best->is_taboo != NULL && best->is_taboo(best->state, &step)) return;
    best->step = step;
    best->least = step.gain + best->tolerance;
}

/* The arc from a parent: whether it is better removed, or reversed. */
static void consider_parent(const crd_i_local_search *search, best_step *best, size_t from, size_t to) {
    const size_t count = search->graph->count;
    const crd_i_arc_constraints *constraints = search->options->constraints;
    if (crd_i_arc_is_required(constraints, from, to)) return;
    const double removed = search->toggled[to * count + from] - search->family_scores[to];
    if (removed > best->least) offer(best, (crd_i_step){CRD_I_STEP_REMOVE, from, to, removed});
    const double reversed = removed + search->toggled[from * count + to] - search->family_scores[from];
    if (reversed > best->least && may_reverse(search, from, to))
        offer(best, (crd_i_step){CRD_I_STEP_REVERSE, from, to, reversed});
}

crd_i_step crd_i_local_search_best_step(crd_i_local_search *search, double least,
                                        bool (*is_taboo)(const void *state, const crd_i_step *step),
                                        const void *state) {
    const crd_i_graph *graph = search->graph;
    const size_t count = graph->count;
    best_step best = {{CRD_I_STEP_NONE, 0, 0, 0}, least, crd_i_local_search_tolerance(search), is_taboo, state};
    for (size_t to = 0; to < count; to++) {
        const double *toggled = search->toggled + to * count, score = search->family_scores[to];
        for (size_t from = 0; from < count; from++) {
            if (!(toggled[from] - score > best.least) || crd_i_graph_is_adjacent(graph, from, to) ||
                crd_i_graph_has_path(graph, to, from, search->scratch))
                continue;
            offer(&best, (crd_i_step){CRD_I_STEP_ADD, from, to, toggled[from] - score});
        }
        const uint64_t *parents = crd_i_graph_parents(graph, to);
        for (size_t from = crd_i_bit_next(parents, graph->words, 0); from < count;
             from = crd_i_bit_next(parents, graph->words, from + 1))
            consider_parent(search, &best, from, to);
    }
    return best.step;
}

static void change(crd_i_local_search *search, const crd_i_step *step) {
    if (step->kind == CRD_I_STEP_ADD) crd_i_graph_add(search->graph, step->from, step->to);
    else crd_i_graph_remove(search->graph, step->from, step->to);
    if (step->kind == CRD_I_STEP_REVERSE) {
        crd_i_graph_add(search->graph, step->to, step->from);
        search->is_stale[step->from] = true;
    }
    search->is_stale[step->to] = true;
}

void crd_i_local_search_take(crd_i_local_search *search, const crd_i_step *step) {
    change(search, step);
    search->steps++;
}

/* ---- Perturbing ---- */

/* A random change of an arc that constraints allow and that leaves the graph acyclic; false: this pair has none. */
static bool perturb_pair(crd_i_local_search *search, size_t from, size_t to, bool reverses) {
    const crd_i_arc_constraints *constraints = search->options->constraints;
    crd_i_graph *graph = search->graph;
    if (from == to || crd_i_graph_has(graph, to, from)) return false;
    crd_i_step step = {CRD_I_STEP_ADD, from, to, 0};
    const bool fits_back = crd_i_arc_is_allowed(constraints, to, from) &&
                           crd_i_family_scores_fit(search->scores[0], to, from) &&
                           crd_i_graph_parent_count(graph, from) < most_parents(search);
    if (crd_i_graph_has(graph, from, to)) {
        if (crd_i_arc_is_required(constraints, from, to)) return false;
        step.kind = reverses && fits_back && may_reverse(search, from, to) ? CRD_I_STEP_REVERSE : CRD_I_STEP_REMOVE;
    } else if (!crd_i_arc_is_allowed(constraints, from, to) || !crd_i_family_scores_fit(search->scores[0], from, to) ||
               crd_i_graph_parent_count(graph, to) >= most_parents(search) ||
               crd_i_graph_has_path(graph, to, from, search->scratch)) {
        return false;
    }
    change(search, &step);
    return true;
}

/* Half of the changes are of arcs that are there, the others of any pair: of many nodes nearly all pairs have none. */
static void perturb(crd_i_local_search *search) {
    crd_i_random *random = &search->random;
    const size_t count = search->graph->count;
    size_t changes = search->options->perturbed, arcs = crd_i_graph_edge_count(search->graph);
    if (changes == 0) changes = count / 2 + 2;
    for (size_t made = 0, tries = 0; made < changes && tries < 100 * changes && count > 1; tries++) {
        size_t from = (size_t)crd_i_random_below(random, count), to = (size_t)crd_i_random_below(random, count);
        const bool reverses = crd_i_random_below(random, 2) == 0;
        if (crd_i_random_below(random, 2) == 0 && arcs > 0) {
            /* The arc of a random place among all. */
            size_t left = (size_t)crd_i_random_below(random, arcs);
            for (to = 0; to < count && left >= crd_i_graph_parent_count(search->graph, to); to++)
                left -= crd_i_graph_parent_count(search->graph, to);
            const uint64_t *parents = crd_i_graph_parents(search->graph, to);
            from = crd_i_bit_next(parents, search->graph->words, 0);
            while (left-- > 0) from = crd_i_bit_next(parents, search->graph->words, from + 1);
        }
        made += perturb_pair(search, from, to, reverses);
        arcs = crd_i_graph_edge_count(search->graph);
    }
}

/* Whether an arc is covered: the child's parents are the parent's and the parent. */
static bool is_covered(const crd_i_graph *graph, size_t from, size_t to) {
    const uint64_t *above = crd_i_graph_parents(graph, from), *below = crd_i_graph_parents(graph, to);
    for (size_t word = 0; word < graph->words; word++) {
        const uint64_t own = word == from / 64 ? UINT64_C(1) << (from % 64) : 0;
        if ((above[word] | own) != below[word]) return false;
    }
    return true;
}

/* The next covered arc that may be reversed, from a pair on, round all of them once; false: there is none. */
static bool find_covered(const crd_i_local_search *search, size_t *from, size_t *to) {
    const crd_i_graph *graph = search->graph;
    const crd_i_arc_constraints *constraints = search->options->constraints;
    for (size_t tried = 0; tried <= graph->count; tried++, *to = (*to + 1) % graph->count, *from = 0) {
        const uint64_t *parents = crd_i_graph_parents(graph, *to);
        for (*from = crd_i_bit_next(parents, graph->words, *from); *from < graph->count;
             *from = crd_i_bit_next(parents, graph->words, *from + 1))
            if (is_covered(graph, *from, *to) && !crd_i_arc_is_required(constraints, *from, *to) &&
                crd_i_arc_is_allowed(constraints, *to, *from) &&
                crd_i_family_scores_fit(search->scores[0], *to, *from) &&
                crd_i_graph_parent_count(graph, *from) < most_parents(search))
                return true;
    }
    return false;
}

void crd_i_local_search_walk(crd_i_local_search *search, size_t steps) {
    const size_t count = search->graph->count;
    for (size_t i = 0; i < steps && count > 1; i++) {
        size_t from = (size_t)crd_i_random_below(&search->random, count);
        size_t to = (size_t)crd_i_random_below(&search->random, count);
        if (!find_covered(search, &from, &to)) return;
        const crd_i_step step = {CRD_I_STEP_REVERSE, from, to, 0};
        change(search, &step);
    }
}

/* Goes to another graph; families that differ are scored again. */
static void move_to(crd_i_local_search *search, const crd_i_graph *graph) {
    const size_t bytes = graph->words * sizeof *graph->parents;
    for (size_t node = 0; node < graph->count; node++)
        if (memcmp(crd_i_graph_parents(search->graph, node), crd_i_graph_parents(graph, node), bytes) != 0)
            search->is_stale[node] = true;
    crd_i_graph_assign(search->graph, graph);
}

/* ---- Running ---- */

typedef struct running {
    crd_i_local_search *search;
    crd_status (*climb)(crd_i_local_search *search, crd_error *error);
    crd_status status;
    crd_error *error;
} running;

static bool allocate(crd_i_local_search *search, size_t count) {
    crd_context *context = search->context;
    search->scores = crd_i_alloc_zeroed(context, search->threads, sizeof(crd_i_family_scores *));
    search->graph = crd_i_graph_create(context, count);
    search->best = crd_i_graph_create(context, count);
    search->family_scores = crd_i_alloc_zeroed(context, count, sizeof *search->family_scores);
    search->toggled = crd_i_alloc(context, count * count, sizeof *search->toggled);
    search->is_stale = crd_i_alloc(context, count, sizeof *search->is_stale);
    search->scratch = crd_i_alloc(context, 2 * ((count + 63) / 64) + 1, sizeof *search->scratch);
    search->parents = crd_i_alloc(context, count * search->threads, sizeof *search->parents);
    search->candidates = crd_i_alloc(context, count * count, sizeof *search->candidates);
    search->candidate_counts = crd_i_alloc(context, count, sizeof *search->candidate_counts);
    search->stale = crd_i_alloc(context, count, sizeof *search->stale);
    search->statuses = crd_i_alloc_zeroed(context, search->threads, sizeof *search->statuses);
    search->errors = crd_i_alloc_zeroed(context, search->threads, sizeof *search->errors);
    return search->scores != NULL && search->graph != NULL && search->best != NULL && search->family_scores != NULL &&
           search->toggled != NULL && search->is_stale != NULL && search->scratch != NULL && search->parents != NULL &&
           search->candidates != NULL && search->candidate_counts != NULL && search->stale != NULL &&
           search->statuses != NULL && search->errors != NULL;
}

static void clear(crd_i_local_search *search) {
    crd_context *context = search->context;
    for (unsigned i = search->threads; search->scores != NULL && i-- > 0;)
        crd_i_family_scores_destroy(search->scores[i]);
    crd_free(context, (void *)search->scores);
    crd_i_graph_destroy(search->graph);
    crd_i_graph_destroy(search->best);
    crd_free(context, search->family_scores);
    crd_free(context, search->toggled);
    crd_free(context, search->is_stale);
    crd_free(context, search->scratch);
    crd_free(context, search->parents);
    crd_free(context, search->candidates);
    crd_free(context, search->candidate_counts);
    crd_free(context, search->stale);
    crd_free(context, search->statuses);
    crd_free(context, search->errors);
}

static crd_status init(crd_i_local_search *search, crd_error *error) {
    const size_t count = search->table->column_count;
    if (count > MOST_NODES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a structure of %zu columns is too large for this search: %d at most",
                          count, MOST_NODES);
    if (!allocate(search, count)) return crd_i_fail_memory(error);
    crd_status status = crd_i_family_scores_create(search->table, search->options->score, &search->scores[0], error);
    for (unsigned i = 1; status == CRD_OK && i < search->threads; i++)
        status = crd_i_family_scores_share(search->scores[0], &search->scores[i], error);
    if (status == CRD_OK && search->options->constraints != NULL)
        crd_i_graph_assign(search->graph, search->options->constraints->required);
    for (size_t node = 0; node < count; node++) search->is_stale[node] = true;
    if (status == CRD_OK) crd_i_graph_assign(search->best, search->graph);
    search->best_score = -INFINITY;
    return status;
}

/* Ten of up to a hundred nodes; beyond that fewer, since a climb takes more than in proportion. */
static uint64_t restarts_of(const crd_i_local_search *search) {
    const size_t count = search->graph->count;
    if (search->options->restarts != CRD_I_RESTARTS_AUTO) return search->options->restarts;
    return count <= 100 ? 10 : 1000 / count;
}

/* The families of a graph that a climb was stopped at, before they were scored again. */
static double score_stopped(crd_i_local_search *search) {
    for (size_t node = 0; node < search->graph->count; node++) {
        if (!search->is_stale[node]) continue;
        const size_t count = crd_i_graph_parent_list(search->graph, node, search->parents);
        if (crd_i_family_score(search->scores[0], node, search->parents, count, &search->family_scores[node], NULL) !=
            CRD_OK)
            return (double)NAN;
    }
    return crd_i_local_search_score(search);
}

/* One climb after the other. What was stopped leaves the best of those before, or the graph it had where that was the
 * first. */
static void climb_all(void *state, crd_i_crew *crew) {
    running *run = state;
    crd_i_local_search *search = run->search;
    const uint64_t restarts = restarts_of(search);
    crd_i_stage stage;
    search->crew = crew;
    crd_i_stage_begin(&stage, "searching", restarts + 1);
    for (uint64_t restart = 0; restart <= restarts && run->status == CRD_OK; restart++) {
        search->random = crd_i_random_at(search->options->seed, restart);
        if (restart > 0) {
            move_to(search, search->best);
            crd_i_local_search_walk(search, search->graph->count);
            perturb(search);
        }
        run->status = run->climb(search, run->error);
        const double score = run->status == CRD_OK ? crd_i_local_search_score(search) : -INFINITY;
        if (restart == 0 ||
            (run->status == CRD_OK && score > search->best_score + crd_i_local_search_tolerance(search))) {
            crd_i_graph_assign(search->best, search->graph);
            search->best_score = crd_i_is_cancelled(run->status) ? score_stopped(search) : score;
        }
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
    if (crd_i_is_cancelled(run->status)) {
        search->is_stopped = true;
        run->status = CRD_OK;
    }
}

crd_status crd_i_local_search_run(const crd_i_case_table *table, const crd_i_search_options *options,
                                  crd_status (*climb)(crd_i_local_search *search, crd_error *error),
                                  crd_i_search_result *out, crd_error *error) {
    crd_i_local_search search = {.context = table->context, .table = table, .options = options};
    running run = {&search, climb, CRD_OK, error};
    *out = (crd_i_search_result){.score = (double)NAN};
    search.threads = crd_i_thread_pool_size(options->threads);
    crd_status status = init(&search, error);
    if (status == CRD_OK) {
        if (!crd_i_crew_run(search.context, search.threads, climb_all, &run)) status = crd_i_fail_memory(error);
        else status = run.status;
    }
    if (status == CRD_OK) {
        out->graph = search.best;
        search.best = NULL;
        out->score = search.best_score;
        out->steps = search.steps;
        out->is_stopped = search.is_stopped;
        for (unsigned i = 0; i < search.threads; i++)
            out->scores_computed += crd_i_family_scores_computed(search.scores[i]);
    }
    clear(&search);
    return status;
}
