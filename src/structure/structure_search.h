/* SPDX-License-Identifier: MIT */
/* structure_search.h - searches for the structure of a network, by name.
 *
 * A search is one file with a function of the type crd_i_search_function and one line in the table in
 * structure_search.c. Nodes are the columns of the case table, and ties are broken by their numbers. Results depend
 * on the table and the options, but not on `threads`. A search that is canceled (crd_i_context_cancelled) returns
 * within a tenth of a second, with the best graph it has and is_stopped set. */
#ifndef CRD_STRUCTURE_STRUCTURE_SEARCH_H
#define CRD_STRUCTURE_STRUCTURE_SEARCH_H

#include "structure/arc_constraints.h"
#include "structure/family_score.h"
#include "structure/independence.h"

typedef struct crd_i_search_options {
    crd_i_score score; /* for searches that maximize a score */
    double alpha;      /* significance level, for searches that test */
    crd_i_independence_test test;
    size_t max_conditioning; /* most columns that a test conditions on */
    size_t k;                /* for kdb: most parents in addition to the class */
    /* For hill climbing and tabu search. restarts: how often the search restarts, mostly from the best graph after a
     * random walk through its equivalence class and random changes of arcs. perturbed: the number of these changes
     * (0: half the number of nodes plus 2, at most 52). tabu: the length of the tabu list, and how many steps in a
     * row may find nothing better (0: 100). */
    size_t restarts, perturbed, tabu;
    uint64_t seed;
    unsigned threads;                         /* 0: one per CPU core */
    const crd_i_arc_constraints *constraints; /* NULL: none; checked by the caller */
} crd_i_search_options;

/* As many restarts as are worth their time for the number of nodes. */
#define CRD_I_RESTARTS_AUTO SIZE_MAX

#define CRD_I_SEARCH_OPTIONS_INIT                                                                                      \
    { {CRD_I_SCORE_BIC, 1}, 0.05, CRD_I_TEST_AUTO, SIZE_MAX, 1, 0, 0, 0, 1, 1, NULL }

typedef struct crd_i_search_result {
    crd_i_graph *graph; /* owned by the caller; NULL on failure */
    double score;       /* for searches that maximize a score, else NaN */
    uint64_t steps, tests, scores_computed;
    bool is_stopped; /* canceled, or the deadline has passed: the graph is the best so far */
    double rows;     /* weight of the rows that were searched; crd_i_structure_find may drop incomplete rows */
} crd_i_search_result;

typedef crd_status crd_i_search_function(const crd_i_case_table *table, const crd_i_search_options *options,
                                         crd_i_search_result *out, crd_error *error);

typedef struct crd_i_search {
    const char *name;
    const char *summary; /* one line of help */
    crd_i_search_function *run;
    bool needs_target;      /* the table must have a target */
    bool may_be_undirected; /* the graph may have undirected edges */
    bool has_score, has_test, takes_constraints;
} crd_i_search;

/* Returns the search of that name; NULL: there is none. */
const crd_i_search *crd_i_search_named(crd_text name);
size_t crd_i_search_count(void);
const crd_i_search *crd_i_search_at(size_t i);

/* Greedy hill climbing by adding, removing and reversing arcs: from the required arcs, through equivalent graphs;
 * then from perturbed graphs. */
crd_i_search_function crd_i_hill_climb;
/* Hill climbing that continues from its optimum (Glover 1989): takes the best step even if it lowers the score, but
 * not to one of the last graphs. */
crd_i_search_function crd_i_tabu_search;
/* Finds the structure with the maximum score. At most 25 nodes; returns CRD_ERROR_LIMIT for more. */
crd_i_search_function crd_i_exact_search;
/* The PC algorithm, independent of the order of the columns (Colombo and Maathuis 2014). */
crd_i_search_function crd_i_pc_stable;
/* Finds the tree of maximum likelihood (Chow and Liu 1968), directed away from the target, else from the first node. */
crd_i_search_function crd_i_chow_liu;
/* Tree-augmented naive Bayes (Friedman, Geiger and Goldszmidt 1997): the target is a parent of all nodes, which also
 * form a tree. */
crd_i_search_function crd_i_tan;
/* The k-dependence classifier (Sahami 1996): the target is a parent of all nodes, each of which has up to k other
 * parents. */
crd_i_search_function crd_i_kdb;

#endif
