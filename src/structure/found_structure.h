/* SPDX-License-Identifier: MIT */
/* found_structure.h - a learned structure with the names of its nodes: see credence/structure.h. */
#ifndef CRD_STRUCTURE_FOUND_STRUCTURE_H
#define CRD_STRUCTURE_FOUND_STRUCTURE_H

#include "structure/structure_search.h"

#include "base/arena.h"

#include <credence/structure.h>

/* ======== Arc confidence ========
 *
 * The strength of an arc is the share of bootstrap resamples in which the search finds it (Friedman, Goldszmidt and
 * Wyner 1999). The averaged network contains the arcs of significant strength (Scutari and Nagarajan 2013). */

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

struct crd_structure {
    crd_i_arena *arena;
    crd_context *context;
    const crd_i_search *search;
    size_t count, left_out_count;
    crd_text *names;                /* names of the nodes; owned */
    crd_text *left_out;             /* names of the columns that are not nodes; owned */
    crd_i_search_result result;     /* for a bootstrap: the averaged network, without score and counters */
    crd_i_bootstrap_result average; /* bootstrap result without its graph; no strengths if there was no bootstrap */
    uint32_t *pairs;                /* for a bootstrap: pairs of joined nodes, two numbers each, strongest first */
    size_t pair_count;
    double rows;
    bool is_consistent;
    char *arcs;
};

/* Runs the search of the settings over a table. Drops the columns that cannot be nodes from the table. */
CRD_MUST_USE crd_status crd_i_structure_of_cases(crd_i_case_table *table, const crd_settings *settings,
                                                 const crd_structure_options *options, crd_structure **out,
                                                 crd_error *error);

/* ======== Structure search ========
 *
 * Runs the structure search that settings specify: the search, its score or test, and constraints. */

/* Returns whether a column of a table can be a node: it is numeric or has states. */
bool crd_i_structure_is_node(const crd_i_case_column *column);
/* Drops the columns that cannot be nodes. */
CRD_MUST_USE crd_status crd_i_structure_keep_nodes(crd_i_case_table *table, crd_error *error);

/* Returns the search that settings specify, or NULL. Sets *dependence to the k of k-dependence. */
const crd_i_search *crd_i_structure_search_of(const crd_settings *settings, size_t *dependence);
/* Runs the search of the settings, which must specify one (crd_i_settings_search), over a table whose columns are
 * all nodes. Returns CRD_ERROR_EMPTY if the table has no rows or no nodes. Returns CRD_ERROR_COLUMN if a constraint
 * names an unknown node. Returns CRD_ERROR_SETTING or CRD_ERROR_CYCLE if constraints cannot be satisfied or the
 * search does not support them, or if it needs a target and the table has none. */
CRD_MUST_USE crd_status crd_i_structure_find(const crd_i_case_table *table, const crd_settings *settings,
                                             const crd_structure_options *options, crd_i_search_result *out,
                                             crd_error *error);

/* Runs the search of the settings over bootstrap resamples, and computes the averaged network: see crd_i_bootstrap. */
CRD_MUST_USE crd_status crd_i_structure_bootstrap(const crd_i_case_table *table, const crd_settings *settings,
                                                  const crd_structure_options *options, crd_i_bootstrap_result *out,
                                                  crd_error *error);

/* Returns the arcs of a DAG over the columns, in the syntax of the setting `structure`. The caller frees the text.
 * Returns NULL if memory runs out. */
char *crd_i_structure_arcs(const crd_i_case_table *table, const crd_i_graph *dag);

#endif
