/* SPDX-License-Identifier: MIT */
/* local_search_run.c - a local search with restarts; see local_search.h.
 *
 * Climbs come in rounds. The first round has two climbs from the required arcs, which differ by their random numbers,
 * or one climb if there are no restarts. In each later round, one climb begins at a random graph, because perturbed
 * graphs often lead back to the same optimum. All other climbs begin at the best graph of the rounds before, perturbed.
 * Threads climb in parallel; the number of climbs in a round does not depend on the number of threads. If there is only
 * one climb, all threads score its families. Processes that share a table compute the scores of every climb together.
 *
 * A perturbation of the whole graph improves some places of a large graph and spoils others. Therefore single places
 * are perturbed at the end: a few arcs near a random node are changed, followed by a climb. The result replaces the
 * best graph if it scores at least as much. This ends when many places in a row have brought no improvement. */
#include "structure/local_search.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>

/* Most nodes of any search; most nodes if threads climb in parallel, because each has its own scores of all pairs;
 * climbs per round, in the first round, and the number within its round of the climb from a random graph. */
enum { MOST_NODES = 5000, MOST_NODES_BESIDE = 500, ROUND = 6, STARTS = 2, RANDOM_IN_ROUND = 3 };
/* The search ends after this many perturbed places per node in a row without improvement; with many nodes, after
 * FRUITLESS_NODES divided by their number. In total at most MOST_TIMES as many places are perturbed. */
enum { FRUITLESS_OF_NODE = 6, FRUITLESS_NODES = 500000, MOST_TIMES = 10 };

/* Memory for stored rows of scores in each search, and most stored rows per node. */
enum { ROW_BYTES = 32 << 20, ROWS_OF_NODE = 64 };

static bool allocate_rows(crd_i_local_search *search, size_t count) {
    crd_i_toggled_rows *rows = &search->rows;
    const size_t words = (count + 63) / 64,
                 bytes = (count + 1) * sizeof *rows->values + (words + 1) * sizeof *rows->keys;
    size_t places = ROW_BYTES / bytes;
    if (places > ROWS_OF_NODE * count) places = ROWS_OF_NODE * count;
    rows->keys = crd_i_alloc_zeroed(search->context, places * (words + 1), sizeof *rows->keys);
    rows->values = crd_i_alloc(search->context, places * (count + 1), sizeof *rows->values);
    rows->places = places;
    return rows->keys != NULL && rows->values != NULL;
}

static bool local_search_run_allocate(crd_i_local_search *search, size_t count) {
    crd_context *context = search->context;
    search->graph = crd_i_graph_create(context, count);
    search->family_scores = crd_i_alloc_zeroed(context, count, sizeof *search->family_scores);
    search->toggled = crd_i_alloc(context, count * count, sizeof *search->toggled);
    search->most_added = crd_i_alloc(context, count, sizeof *search->most_added);
    search->is_stale = crd_i_alloc(context, count, sizeof *search->is_stale);
    search->scratch = crd_i_alloc(context, 2 * ((count + 63) / 64) + 1, sizeof *search->scratch);
    search->parents = crd_i_alloc(context, count * search->threads, sizeof *search->parents);
    search->candidates = crd_i_alloc(context, count * count, sizeof *search->candidates);
    search->candidate_counts = crd_i_alloc(context, count, sizeof *search->candidate_counts);
    search->stale = crd_i_alloc(context, count, sizeof *search->stale);
    search->statuses = crd_i_alloc_zeroed(context, search->threads, sizeof *search->statuses);
    search->errors = crd_i_alloc_zeroed(context, search->threads, sizeof *search->errors);
    const bool has_rows = allocate_rows(search, count);
    for (size_t node = 0; search->is_stale != NULL && node < count; node++) search->is_stale[node] = true;
    return has_rows && search->graph != NULL && search->family_scores != NULL && search->toggled != NULL &&
           search->most_added != NULL && search->is_stale != NULL && search->scratch != NULL &&
           search->parents != NULL && search->candidates != NULL && search->candidate_counts != NULL &&
           search->stale != NULL && search->statuses != NULL && search->errors != NULL;
}

static void local_search_run_clear(crd_i_local_search *search) {
    crd_context *context = search->context;
    if (context == NULL) return;
    crd_i_graph_destroy(search->graph);
    crd_free(context, search->family_scores);
    crd_free(context, search->toggled);
    crd_free(context, search->most_added);
    crd_free(context, search->rows.keys);
    crd_free(context, search->rows.values);
    crd_free(context, search->is_stale);
    crd_free(context, search->scratch);
    crd_free(context, search->parents);
    crd_free(context, search->candidates);
    crd_free(context, search->candidate_counts);
    crd_free(context, search->stale);
    crd_free(context, search->statuses);
    crd_free(context, search->errors);
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
    first->shared.are_dealt = first->table->is_shared && !local_search_run_has_missing(first->table);
    if (status == CRD_OK && restarts > 0 && run->threads > 1 && count <= MOST_NODES_BESIDE && !first->table->is_shared)
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
    return crd_i_local_search_score(search);
}

/* Runs one climb, from the start that its number determines, and stores its result. */
static void climb_one(search_run *run, crd_i_local_search *search, size_t task) {
    run_outcome *outcome = &run->outcomes[task];
    const uint64_t restart = run->restart + task;
    search->random = crd_i_random_at(search->options->seed, restart);
    crd_i_local_search_move_to(search, run->best);
    if (restart >= STARTS && restart % ROUND == RANDOM_IN_ROUND) {
        crd_i_local_search_move_to(search, run->required);
        crd_i_local_search_randomize(search);
    } else if (restart >= STARTS) {
        crd_i_local_search_walk(search, search->graph->count);
        crd_i_local_search_perturb(search);
    }
    outcome->status = crd_i_local_search_climb(search, &outcome->error);
    /* A climb that is stopped in the first round returns the graph that it has reached. */
    if (outcome->status == CRD_OK) outcome->score = crd_i_local_search_score(search);
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
    const size_t of_many = FRUITLESS_NODES / count;
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
    crd_i_local_search_move_to(search, run->best);
    crd_i_graph_assign(equal, run->best);
    for (size_t i = 0, fruitless = 0; fruitless < most && i < MOST_TIMES * most; i++) {
        if (!local_search_run_goes_on(run, crd_i_context_cancelled(search->context) ? crd_i_fail_cancelled(run->error)
                                                                                    : CRD_OK))
            break;
        crd_i_local_search_perturb_near(search, (size_t)crd_i_random_below(&search->random, count));
        if (!local_search_run_goes_on(run, crd_i_local_search_climb_directly(search, run->error))) break;
        const double score = crd_i_local_search_score(search), tolerance = tolerance_of(run->best_score);
        fruitless++;
        if (score > run->best_score + tolerance) {
            run->best_score = score;
            crd_i_graph_assign(run->best, search->graph);
            fruitless = 0;
        }
        if (score >= run->best_score - tolerance) crd_i_graph_assign(equal, search->graph);
        else crd_i_local_search_move_to(search, equal);
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
}

/* Continues from the best graph by `finish`, and keeps the result if it is better. */
static void continue_from_best(search_run *run) {
    crd_i_local_search *search = &run->first;
    crd_i_local_search_move_to(search, run->best);
    if (!local_search_run_goes_on(run, run->finish(search, run->error)) && !run->is_stopped) return;
    const double score = run->is_stopped ? score_stopped(search) : crd_i_local_search_score(search);
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

crd_status crd_i_local_search_run(const crd_i_case_table *table, const crd_i_search_options *options,
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
