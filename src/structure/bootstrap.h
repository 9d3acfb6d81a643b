/* SPDX-License-Identifier: MIT */
/* bootstrap.h - how sure the arcs of a structure are: the share of resamples in which a search finds them (Friedman,
 * Goldszmidt and Wyner 1999), and the averaged network of those that are significant (Scutari and Nagarajan 2013). */
#ifndef CRD_STRUCTURE_BOOTSTRAP_H
#define CRD_STRUCTURE_BOOTSTRAP_H

#include "structure/structure_search.h"

typedef struct crd_i_bootstrap_result {
    crd_context *context;
    size_t count;       /* of nodes */
    size_t resamples;   /* that were searched: fewer than asked where it was stopped */
    double *strengths;  /* count x count: the share of resamples in which the two are joined */
    double *directions; /* count x count: of these, the share with an arc from the first to the second, an undirected
                         * edge half of one; 0 where the two are never joined */
    double threshold;   /* above which, or at 1, a strength is significant */
    crd_i_graph *graph; /* averaged: a DAG */
    bool is_stopped;
    double rows; /* the weight of those resampled: crd_i_structure_bootstrap may leave out incomplete ones */
} crd_i_bootstrap_result;

/* Searches `resamples` tables of as many rows, drawn with replacement: row r of resample b is a function of the seed of
 * the options, of b and r. Where a structure stands for its class of equivalent ones, as those of searches without a target
 * do, directions are those of its CPDAG. The threshold is where the distribution of strengths has the least distance (L1)
 * from one of arcs that are sure or sure to be absent; NaN in `threshold`: that one. Resamples are shared by the threads of
 * the options. CRD_ERROR_CANCELLED where it is stopped before the first. */
CRD_MUST_USE crd_status crd_i_bootstrap(const crd_i_case_table *table, const crd_i_search *search,
                                        const crd_i_search_options *options, size_t resamples, double threshold,
                                        crd_i_bootstrap_result *out, crd_error *error);
void crd_i_bootstrap_result_clear(crd_i_bootstrap_result *result);

/* The threshold of these strengths. They are sorted. */
double crd_i_bootstrap_threshold(double *strengths, size_t count);

#endif
