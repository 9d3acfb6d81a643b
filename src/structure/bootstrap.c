/* SPDX-License-Identifier: MIT */
/* bootstrap.c - see found_structure.h. */
#include "structure/found_structure.h"

#include "base/arena.h"
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/random.h"
#include "processes/group.h"
#include "structure/counted_rows.h"
#include "structure/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Resamples ---- */

typedef struct bootstrap {
    const crd_i_case_table *table;
    const crd_i_search *search;
    crd_i_search_options options; /* for the search of one resample, which uses one thread */
    size_t draws, resamples;
    double *cumulative;     /* cumulative sums of the row weights */
    crd_i_graph *forbidden; /* arcs that no member of an equivalence class may contain */
    /* Shared by the threads: */
    atomic_size_t done;
    _Atomic uint32_t *joined, *arcs; /* count x count. joined: the number of resamples in which the pair has an edge.
                                      * arcs: 2 for each resample with the arc, 1 for each resample with an
                                      * undirected edge. */
    crd_i_stage stage;
    crd_i_arena *arena;
} bootstrap;

/* Work arrays of a thread, with one element per row. */
typedef struct resample_room {
    double *counts;
    uint32_t *rows;
} resample_room;

/* Draws resample `number`: `draws` rows with replacement, as a table of the distinct rows weighted by how often each
 * was drawn. */
static crd_status bootstrap_draw(const bootstrap *own_bootstrap, size_t number, const resample_room *workspace,
                                 crd_i_case_table **out, crd_error *error) {
    const crd_i_case_table *table = own_bootstrap->table;
    double *counts = workspace->counts;
    uint32_t *rows = workspace->rows;
    crd_i_random random = crd_i_random_at(own_bootstrap->options.seed, number);
    for (size_t row = 0; row < table->rows; row++) counts[row] = 0;
    *out = NULL;
    for (size_t i = 0; i < own_bootstrap->draws; i++) {
        if (i % 65536 == 65535 && crd_i_context_cancelled(table->context)) return crd_i_fail_cancelled(error);
        counts[crd_i_random_choice(&random, own_bootstrap->cumulative, table->rows)]++;
    }
    size_t count = 0;
    for (size_t row = 0; row < table->rows; row++)
        if (counts[row] > 0) rows[count++] = (uint32_t)row;
    const crd_status status = crd_i_case_table_select(table, counts, rows, count, out, error);
    if (status == CRD_OK) (*out)->group = NULL; /* each process searches resamples of its own */
    return status;
}

/* Adds the arcs and undirected edges of one resample's graph to the counters. */
static void count_arcs(bootstrap *own_bootstrap, const crd_i_graph *graph) {
    size_t count = graph->count;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *row = crd_i_graph_children(graph, i);
        for (size_t j = crd_i_bit_next(row, graph->words, 0); j < count; j = crd_i_bit_next(row, graph->words, j + 1)) {
            bool is_undirected = crd_i_graph_has(graph, j, i);
            atomic_fetch_add_explicit(&own_bootstrap->arcs[i * count + j], is_undirected ? 1 : 2, memory_order_relaxed);
            atomic_fetch_add_explicit(&own_bootstrap->joined[i * count + j], 1, memory_order_relaxed);
            if (!is_undirected)
                atomic_fetch_add_explicit(&own_bootstrap->joined[j * count + i], 1, memory_order_relaxed);
        }
    }
}

/* Draws resample `number`, searches it and counts its arcs. A search whose result represents an equivalence class
 * contributes the CPDAG of the class. */
static crd_status search_resample(bootstrap *boot, size_t number, const resample_room *workspace, crd_error *error) {
    crd_i_case_table *resample;
    crd_i_search_result result = {0};
    crd_i_graph *class_of = NULL;
    crd_status status = bootstrap_draw(boot, number, workspace, &resample, error);
    if (status == CRD_OK) status = boot->search->run(resample, &boot->options, &result, error);
    if (status == CRD_OK && result.is_stopped) status = crd_i_fail_cancelled(error);
    bool is_class = !boot->search->needs_target && !boot->search->may_be_undirected;
    if (status == CRD_OK && is_class) status = crd_i_graph_complete(result.graph, boot->forbidden, &class_of, error);
    if (status == CRD_OK) {
        count_arcs(boot, is_class ? class_of : result.graph);
        atomic_fetch_add(&boot->done, 1);
        crd_i_stage_add(&boot->stage, 1);
    }
    crd_i_graph_destroy(class_of);
    crd_i_graph_destroy(result.graph);
    crd_i_case_table_destroy(resample);
    return status;
}

static crd_status bootstrap_search(void *state, void *workspace, size_t number, crd_error *error) {
    bootstrap *boot = state;
    resample_room *arrays = workspace;
    crd_context *context = boot->table->context;
    if (arrays->counts == NULL) {
        arrays->counts = crd_i_alloc(context, boot->table->rows, sizeof *arrays->counts);
        arrays->rows = crd_i_alloc(context, boot->table->rows, sizeof *arrays->rows);
        if (arrays->counts == NULL || arrays->rows == NULL) return crd_i_fail_memory(error);
    }
    return search_resample(boot, number, arrays, error);
}

static void resample_room_clear(void *state, void *workspace) {
    crd_context *context = ((bootstrap *)state)->table->context;
    crd_free(context, ((resample_room *)workspace)->counts);
    crd_free(context, ((resample_room *)workspace)->rows);
}

/* Adds up the counters of all processes, each of which has searched a part of the resamples. */
static crd_status bootstrap_sum(bootstrap *boot, crd_error *error) {
    const size_t square = boot->table->column_count * boot->table->column_count;
    crd_context *context = boot->table->context;
    uint64_t *all = crd_i_alloc(context, 2 * square + 1, sizeof *all);
    if (all == NULL) return crd_i_group_fail(boot->table->group, crd_i_fail_memory(error), error);
    all[0] = atomic_load(&boot->done);
    for (size_t i = 0; i < square; i++) {
        all[1 + i] = atomic_load(&boot->joined[i]);
        all[1 + square + i] = atomic_load(&boot->arcs[i]);
    }
    const crd_status status = crd_i_group_sum(boot->table->group, all, 2 * square + 1, error);
    atomic_store(&boot->done, (size_t)all[0]);
    for (size_t i = 0; i < square; i++) {
        atomic_store(&boot->joined[i], (uint32_t)all[1 + i]);
        atomic_store(&boot->arcs[i], (uint32_t)all[1 + square + i]);
    }
    crd_free(context, all);
    return status;
}

/* ---- Averaging ---- */

static int bootstrap_compare_doubles(const void *a, const void *b) {
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

/* Returns the significance threshold (Scutari and Nagarajan 2013). Let F be the empirical distribution function of
 * the strengths. If every arc were certainly present or certainly absent, F would be a constant p on [0, 1), and the
 * share 1 - p of the arcs would have strength 1. The L1 distance, the integral of |F(x) - p| over [0, 1], is
 * smallest if p is the median of F(x). The threshold is the smallest strength s with F(s) >= p. */
double crd_i_bootstrap_threshold(double *strengths, size_t count) {
    if (count == 0) return 0;
    qsort(strengths, count, sizeof *strengths, bootstrap_compare_doubles);
    /* F is nondecreasing, so its median over [0, 1] is F(1/2). */
    size_t below = 0;
    while (below < count && strengths[below] <= 0.5) below++;
    return below == 0 ? 0 : strengths[below - 1];
}

typedef struct bootstrap_candidate {
    double strength, direction;
    uint32_t source, target;
} bootstrap_candidate;

static int bootstrap_compare_candidates(const void *a, const void *b) {
    const bootstrap_candidate *one = a, *other = b;
    if (one->strength != other->strength) return one->strength > other->strength ? -1 : 1;
    if (one->direction != other->direction) return one->direction > other->direction ? -1 : 1;
    if (one->source != other->source) return one->source < other->source ? -1 : 1;
    return one->target < other->target ? -1 : one->target > other->target;
}

/* Builds the averaged network: the arcs of significant strength, each in its more frequent direction, strongest
 * first. An arc is skipped if it would close a directed cycle or if the constraints or column types forbid it. If
 * both directions are equally frequent, the arc leads from the first node to the second, or back if only that
 * direction is possible. */
static crd_status bootstrap_average(const bootstrap *own_bootstrap, crd_i_bootstrap_result *out, crd_error *error) {
    size_t count = out->count, found = 0, words = (count + 63) / 64;
    const crd_i_arc_constraints *constraints = own_bootstrap->options.constraints;
    crd_i_arena *arena = own_bootstrap->arena;
    bootstrap_candidate *list = crd_i_arena_alloc(arena, count < 2 ? 0 : count * (count - 1) / 2, sizeof *list);
    uint64_t *scratch = crd_i_arena_alloc(arena, 2 * words, sizeof *scratch);
    out->graph = crd_i_graph_create(out->context, count);
    if (scratch == NULL || out->graph == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            double strength = out->strengths[i * count + j];
            double forth = out->directions[i * count + j], back = out->directions[j * count + i];
            if (!(strength > out->threshold || strength == 1)) continue;
            bool is_forth =
                forth > back || (forth == back && crd_i_arc_is_possible(own_bootstrap->table, constraints, i, j));
            list[found++] = (bootstrap_candidate){strength, is_forth ? forth : back, (uint32_t)(is_forth ? i : j),
                                                  (uint32_t)(is_forth ? j : i)};
        }
    if (found > 0) qsort(list, found, sizeof *list, bootstrap_compare_candidates);
    for (size_t i = 0; i < found; i++)
        if (crd_i_arc_is_possible(own_bootstrap->table, constraints, list[i].source, list[i].target) &&
            !crd_i_graph_has_path(out->graph, list[i].target, list[i].source, scratch))
            crd_i_graph_add(out->graph, list[i].source, list[i].target);
    return CRD_OK;
}

/* Turns the counters into strengths and directions, determines the threshold (NaN in `threshold`: from the
 * strengths) and builds the averaged network. */
static crd_status bootstrap_conclude(const bootstrap *boot, double threshold, crd_i_bootstrap_result *out,
                                     crd_error *error) {
    size_t count = out->count, pairs = 0;
    out->resamples = atomic_load(&boot->done);
    for (size_t i = 0; i < count * count; i++) {
        uint32_t joined = atomic_load(&boot->joined[i]);
        out->strengths[i] = (double)joined / (double)out->resamples;
        out->directions[i] = joined == 0 ? 0 : (double)atomic_load(&boot->arcs[i]) / (2.0 * joined);
    }
    double *strengths = crd_i_alloc(out->context, count < 2 ? 0 : count * (count - 1) / 2, sizeof *strengths);
    if (strengths == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) strengths[pairs++] = out->strengths[i * count + j];
    out->threshold = isnan(threshold) ? crd_i_bootstrap_threshold(strengths, pairs) : threshold;
    crd_free(out->context, strengths);
    return bootstrap_average(boot, out, error);
}

/* ---- The bootstrap ---- */

/* Collects the arcs that constraints or column types forbid, and the reversals of required arcs. */
static void gather_forbidden(const bootstrap *own_bootstrap) {
    const crd_i_arc_constraints *constraints = own_bootstrap->options.constraints;
    for (size_t i = 0; i < own_bootstrap->forbidden->count; i++)
        for (size_t j = 0; j < own_bootstrap->forbidden->count; j++)
            if (i != j && (!crd_i_arc_is_possible(own_bootstrap->table, constraints, i, j) ||
                           crd_i_arc_is_required(constraints, j, i)))
                crd_i_graph_add(own_bootstrap->forbidden, i, j);
}

/* Checks the row weights and allocates the counters and the result. A resample has as many draws as the weights sum
 * to. */
static crd_status bootstrap_prepare(bootstrap *own_bootstrap, crd_i_bootstrap_result *out, crd_error *error) {
    const crd_i_case_table *table = own_bootstrap->table;
    size_t square = out->count * out->count;
    if (table->rows == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to resample");
    if (!(table->total < 4294967295.0))
        return crd_i_fail(error, CRD_ERROR_LIMIT, "the weights sum to more rows than can be resampled: %g",
                          table->total);
    own_bootstrap->draws = table->total < 1.5 ? 1 : (size_t)floor(table->total + 0.5);
    own_bootstrap->arena = crd_i_arena_create(table->context);
    own_bootstrap->cumulative = crd_i_arena_alloc(own_bootstrap->arena, table->rows, sizeof(double));
    own_bootstrap->joined = crd_i_arena_alloc_zeroed(own_bootstrap->arena, square, sizeof *own_bootstrap->joined);
    own_bootstrap->arcs = crd_i_arena_alloc_zeroed(own_bootstrap->arena, square, sizeof *own_bootstrap->arcs);
    own_bootstrap->forbidden = crd_i_graph_create(table->context, out->count);
    out->strengths = crd_i_alloc_zeroed(table->context, square, sizeof *out->strengths);
    out->directions = crd_i_alloc_zeroed(table->context, square, sizeof *out->directions);
    if (crd_i_arena_failed(own_bootstrap->arena) || own_bootstrap->forbidden == NULL || out->strengths == NULL ||
        out->directions == NULL)
        return crd_i_fail_memory(error);
    double sum = 0;
    for (size_t row = 0; row < table->rows; row++)
        own_bootstrap->cumulative[row] = sum += crd_i_case_weight(table, row);
    gather_forbidden(own_bootstrap);
    return CRD_OK;
}

crd_status crd_i_bootstrap(const crd_i_case_table *table, const crd_i_search *search,
                           const crd_i_search_options *options, size_t resamples, double threshold,
                           crd_i_bootstrap_result *out, crd_error *error) {
    memset(out, 0, sizeof *out);
    out->context = table->context;
    out->count = table->column_count;
    bootstrap boot = {.table = table, .search = search, .options = *options, .resamples = resamples};
    boot.options.threads = 1;
    /* The bootstrap averages many searches, so each search does without random restarts by default. */
    if (boot.options.restarts == CRD_I_RESTARTS_AUTO) boot.options.restarts = 0;
    crd_status status = resamples == 0 ? crd_i_fail(error, CRD_ERROR_ARGUMENT, "at least one resample is needed")
                                       : bootstrap_prepare(&boot, out, error);
    if (status != CRD_OK) goto done;
    crd_i_stage_begin(&boot.stage, "resampling", resamples);
    crd_i_parallel_loop loop = {.state = &boot,
                                .items = resamples,
                                .threads = options->threads,
                                .work = bootstrap_search,
                                .workspace_size = sizeof(resample_room),
                                .clear = resample_room_clear};
    status = crd_i_group_for(table->context, table->group, &loop, NULL, 0, error);
    crd_i_stage_end(&boot.stage);
    if (status == CRD_OK && table->group != NULL) status = bootstrap_sum(&boot, error);
    if (crd_i_is_cancelled(status) && table->group == NULL && atomic_load(&boot.done) > 0) {
        out->is_stopped = true;
        status = CRD_OK;
    }
    if (status == CRD_OK) status = bootstrap_conclude(&boot, threshold, out, error);
done:
    crd_i_arena_destroy(boot.arena);
    crd_i_graph_destroy(boot.forbidden);
    if (status != CRD_OK) crd_i_bootstrap_result_clear(out);
    return status;
}

void crd_i_bootstrap_result_clear(crd_i_bootstrap_result *result) {
    crd_free(result->context, result->strengths);
    crd_free(result->context, result->directions);
    crd_i_graph_destroy(result->graph);
    memset(result, 0, sizeof *result);
}
