/* SPDX-License-Identifier: MIT */
/* hill_climb.c - greedy hill climbing: repeats the addition, removal or reversal of an arc that raises the score most,
 * until no change raises it.
 *
 * The search has to direct arcs before the rows determine the direction, and a wrong direction makes other wrong
 * arcs look good. Therefore the graph is replaced by a random Markov equivalent graph before each step (repeated
 * covered arc reversal, Castelo and Kocka 2003). If no step improves the graph, some more equivalent graphs are
 * tried. The final graph is a local optimum with respect to single changes. */
#include "structure/local_search.h"

#include <math.h>

/* Covered arcs that are reversed before a step, and equivalent optima that are tried before the climb ends. Both are
 * smaller if there are many nodes, because every affected family has to be scored again. */
enum { MOST_REVERSED = 20, MOST_FRUITLESS = 10, REVERSED_NODES = 2000, FRUITLESS_NODES = 1000 };

crd_status crd_i_local_search_climb_directly(crd_i_local_search *search, crd_error *error) {
    for (;;) {
        crd_status status = crd_i_local_search_refresh(search, error);
        if (status != CRD_OK) return status;
        const crd_i_step step = crd_i_local_search_best_step(search, crd_i_local_search_tolerance(search), NULL, NULL);
        if (step.kind == CRD_I_STEP_NONE) return CRD_OK;
        crd_i_local_search_take(search, &step);
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
        crd_i_local_search_walk(search, 1 + (size_t)crd_i_random_below(&search->random, reversed));
        crd_status status = crd_i_local_search_refresh(search, error);
        if (status != CRD_OK) return status;
        const double tolerance = crd_i_local_search_tolerance(search), score = crd_i_local_search_score(search);
        /* The scores of equivalent graphs over numeric columns differ by rounding. A gain must exceed the tolerance,
         * or the climb could go on forever. */
        if (score > best + tolerance) {
            best = score;
            fruitless = 0;
        } else {
            fruitless++;
        }
        const crd_i_step step = crd_i_local_search_best_step(search, tolerance, NULL, NULL);
        if (step.kind == CRD_I_STEP_NONE) crd_i_local_search_walk(search, count);
        else crd_i_local_search_take(search, &step);
    }
    return CRD_OK;
}

crd_status crd_i_local_search_climb(crd_i_local_search *search, crd_error *error) {
    crd_status status = is_equivalent(search) ? climb_through_equivalents(search, error) : CRD_OK;
    return status == CRD_OK ? crd_i_local_search_climb_directly(search, error) : status;
}

crd_status crd_i_hill_climb(const crd_i_case_table *table, const crd_i_search_options *options,
                            crd_i_search_result *out, crd_error *error) {
    return crd_i_local_search_run(table, options, NULL, out, error);
}
