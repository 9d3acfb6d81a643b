/* SPDX-License-Identifier: MIT */
/* bootstrap.h - confidence in the arcs of a structure. The strength of an arc is the share of bootstrap resamples in
 * which the search finds it (Friedman, Goldszmidt and Wyner 1999). The averaged network contains the arcs of
 * significant strength (Scutari and Nagarajan 2013). */
#ifndef CRD_STRUCTURE_BOOTSTRAP_H
#define CRD_STRUCTURE_BOOTSTRAP_H

#include "structure/structure_search.h"

typedef struct crd_i_bootstrap_result {
    crd_context *context;
    size_t count;       /* number of nodes */
    size_t resamples;   /* resamples that were searched; fewer than requested if the bootstrap was stopped */
    double *strengths;  /* count x count: share of resamples in which the two nodes are joined by an arc or edge */
    double *directions; /* count x count: among the resamples that join the two nodes, the share with an arc from the
                         * first to the second. An undirected edge counts one half in each direction. 0 if the nodes
                         * are never joined. */
    double threshold;   /* a strength is significant if it is above the threshold or equal to 1 */
    crd_i_graph *graph; /* the averaged network, a DAG */
    bool is_stopped;
    double rows; /* weight of the resampled rows; crd_i_structure_bootstrap may drop incomplete rows */
} crd_i_bootstrap_result;

/* Draws `resamples` tables with replacement, each with as many rows as `table`, and searches each of them. The draws of
 * a resample depend only on options->seed and the number of the resample. If the result of the search represents a
 * Markov equivalence class (a search without a target, whose result is directed), the directions are taken from its
 * CPDAG.
 *
 * `threshold` is the significance threshold. If it is NaN, the threshold is chosen that minimizes the L1 distance
 * between the distribution of the strengths and a distribution on {0, 1}; see crd_i_bootstrap_threshold. The threads
 * in the options share the resamples. Returns CRD_ERROR_CANCELLED if the bootstrap is stopped before the first
 * resample is finished. Free the result with crd_i_bootstrap_result_clear. */
CRD_MUST_USE crd_status crd_i_bootstrap(const crd_i_case_table *table, const crd_i_search *search,
                                        const crd_i_search_options *options, size_t resamples, double threshold,
                                        crd_i_bootstrap_result *out, crd_error *error);
void crd_i_bootstrap_result_clear(crd_i_bootstrap_result *result);

/* Returns the significance threshold for these strengths. Sorts `strengths` in place. */
double crd_i_bootstrap_threshold(double *strengths, size_t count);

#endif
