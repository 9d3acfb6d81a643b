/* SPDX-License-Identifier: MIT */
/* structure_search.h - searches for the structure of a network, by name.
 *
 * A search is one file with a function of the type below and one line in the table of structure_search.c. Nodes are the
 * columns of the case table; ties are broken by their numbers. Results are a function of table and options but `threads`. A
 * search that is cancelled (crd_i_context_cancelled) returns within a tenth of a second the best graph it has, with
 * is_stopped. */
#ifndef CRD_STRUCTURE_STRUCTURE_SEARCH_H
#define CRD_STRUCTURE_STRUCTURE_SEARCH_H

#include "structure/arc_constraints.h"
#include "structure/family_score.h"
#include "structure/independence.h"

typedef struct crd_i_search_options {
    crd_i_score score; /* of searches that maximise one */
    double alpha;      /* level of tests, of searches that test */
    crd_i_independence_test test;
    size_t max_conditioning; /* columns that a test conditions on, at most */
    size_t k;                /* most parents beside the class, of kdb */
    /* Of hill climbing and tabu search: how often it starts again from the best graph, after a random walk through the
     * graphs equivalent to it and so many random changes of arcs (0: half as many as there are nodes); and the length of
     * the tabu list, which is also how many steps may find nothing better (0: 10). */
    size_t restarts, perturbed, tabu;
    uint64_t seed;
    unsigned threads;                         /* 0: one for each processor */
    const crd_i_arc_constraints *constraints; /* NULL: none; checked by the caller */
} crd_i_search_options;

/* So many restarts as the number of nodes makes worth their time. */
#define CRD_I_RESTARTS_AUTO SIZE_MAX

#define CRD_I_SEARCH_OPTIONS_INIT                                                                                      \
    { {CRD_I_SCORE_BIC, 1}, 0.05, CRD_I_TEST_AUTO, SIZE_MAX, 1, 0, 0, 0, 1, 1, NULL }

typedef struct crd_i_search_result {
    crd_i_graph *graph; /* owned by the caller; NULL on failure */
    double score;       /* of searches that maximise one, else NaN */
    uint64_t steps, tests, scores_computed;
    bool is_stopped; /* cancelled, or the deadline has passed: the best so far */
    double rows;     /* the weight of those searched: crd_i_structure_find may leave out incomplete ones */
} crd_i_search_result;

typedef crd_status crd_i_search_function(const crd_i_case_table *table, const crd_i_search_options *options,
                                         crd_i_search_result *out, crd_error *error);

typedef struct crd_i_search {
    const char *name;
    const char *summary; /* one line */
    crd_i_search_function *run;
    bool needs_target;      /* of the table */
    bool may_be_undirected; /* its graph may have undirected edges */
    bool has_score, has_test, takes_constraints;
} crd_i_search;

/* NULL: there is none of that name. */
const crd_i_search *crd_i_search_named(crd_text name);
size_t crd_i_search_count(void);
const crd_i_search *crd_i_search_at(size_t i);

/* Greedy ascent by adding, removing and reversing arcs, from the required arcs, through equivalent graphs; then from
 * perturbed ones. */
crd_i_search_function crd_i_hill_climb;
/* The same where the best step is taken even if it lowers the score, but not back to one of the latest graphs. */
crd_i_search_function crd_i_tabu_search;
/* The structure of greatest score, of at most 25 nodes (CRD_ERROR_LIMIT beyond). */
crd_i_search_function crd_i_exact_search;
/* The PC algorithm, independent of the order of columns (Colombo and Maathuis 2014). */
crd_i_search_function crd_i_pc_stable;
/* The tree of greatest likelihood (Chow and Liu 1968); directed from the target, else from the first node. */
crd_i_search_function crd_i_chow_liu;
/* Classifiers, the target a parent of all: beside it a tree (Friedman, Geiger and Goldszmidt 1997), or up to k parents
 * each (Sahami 1996). */
crd_i_search_function crd_i_tan;
crd_i_search_function crd_i_kdb;

#endif
