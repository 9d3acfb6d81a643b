/* SPDX-License-Identifier: MIT */
/* local_search.h - the state that hill climbing and tabu search share: a DAG, the scores of its families, and the score
 * of each family after adding or removing one arc.
 *
 * Only the families of nodes whose parents have changed are scored again. Reversing an arc gains what removing it
 * and adding the reverse arc gain together. */
#ifndef CRD_STRUCTURE_LOCAL_SEARCH_H
#define CRD_STRUCTURE_LOCAL_SEARCH_H

#include "math/random.h"
#include "structure/search_crew.h"
#include "structure/structure_search.h"

typedef enum crd_i_step_kind { CRD_I_STEP_NONE, CRD_I_STEP_ADD, CRD_I_STEP_REMOVE, CRD_I_STEP_REVERSE } crd_i_step_kind;

typedef struct crd_i_step {
    crd_i_step_kind kind;
    size_t source, target; /* the arc that is changed */
    double gain;
} crd_i_step;

/* Families whose scores are divided among the processes of a group. For each stale node in turn, `others` lists the
 * other end of the arc that is toggled. */
typedef struct crd_i_shared_families {
    bool are_dealt; /* there are other processes, and all have the same scores in their caches */
    uint32_t *others;
    double *scores;
    size_t *ends; /* for each stale node the end of its part of `others` */
    size_t others_capacity, scores_capacity, ends_capacity;
} crd_i_shared_families;

/* Rows of `toggled` that were computed before, by node and parents, because searches return to the same families
 * again and again. A hash table without chaining: a row replaces the row in its slot. */
typedef struct crd_i_toggled_rows {
    size_t places;  /* number of slots; 0: nothing is stored */
    uint64_t *keys; /* for each slot 1 + the node, then the bit row of its parents */
    double *values; /* for each slot the score of the node with its parents, then the row */
} crd_i_toggled_rows;

typedef struct crd_i_local_search {
    crd_context *context;
    const crd_i_case_table *table;
    const crd_i_search_options *options;
    crd_i_crew *crew; /* NULL: the search uses one thread */
    unsigned threads;
    crd_i_family_scores **scores; /* one per thread; borrowed if there is one thread */
    crd_i_graph *graph;
    double *family_scores; /* score of each node with its parents */
    double *toggled;       /* [node * count + other]: score of the node with the arc from `other` toggled; -INFINITY:
                            * not possible */
    double *most_added;    /* for each node, the largest element of `toggled` that adds an arc */
    bool *is_stale;        /* for each node: its parents have changed */
    crd_i_toggled_rows rows;
    uint64_t *scratch;    /* for finding paths */
    uint32_t *parents;    /* for each thread, the parents of the node that it scores */
    uint32_t *candidates; /* for each stale node, the nodes whose arc to it may change */
    size_t *candidate_counts;
    uint32_t *stale; /* nodes to score */
    size_t stale_count, parts;
    crd_i_shared_families shared;
    crd_status *statuses; /* one per thread */
    crd_error *errors;
    crd_i_random random; /* random numbers of the current climb */
    uint64_t steps;
} crd_i_local_search;

/* Climbs from the required arcs, then from perturbed and random graphs. If there are restarts, improves the best
 * graph place by place. Then continues from the best graph by `finish`, which may be NULL. Returns the best graph of
 * all. `finish` must leave the best graph it found in search->graph, even if it is canceled. */
CRD_MUST_USE crd_status crd_i_local_search_run(const crd_i_case_table *table, const crd_i_search_options *options,
                                               crd_status (*finish)(crd_i_local_search *search, crd_error *error),
                                               crd_i_search_result *out, crd_error *error);

/* Climbs from search->graph to a local optimum, through equivalent graphs if equivalent graphs have equal scores. */
CRD_MUST_USE crd_status crd_i_local_search_climb(crd_i_local_search *search, crd_error *error);
/* Climbs by single steps only, which changes no more of the graph than necessary. */
CRD_MUST_USE crd_status crd_i_local_search_climb_directly(crd_i_local_search *search, crd_error *error);

/* Replaces the graph by another graph; the families that differ are scored again. */
void crd_i_local_search_move_to(crd_i_local_search *search, const crd_i_graph *graph);
/* Makes random changes of arcs, as many as the options specify. */
void crd_i_local_search_perturb(crd_i_local_search *search);
/* Makes a few random changes of arcs between a node, its neighbors and their neighbors. */
void crd_i_local_search_perturb_near(crd_i_local_search *search, size_t node);
/* Adds random arcs, as many as there are nodes. */
void crd_i_local_search_randomize(crd_i_local_search *search);
/* Computes the scores of the families that have changed. */
CRD_MUST_USE crd_status crd_i_local_search_refresh(crd_i_local_search *search, crd_error *error);
/* Returns the step with the largest gain, the first one among equal gains; CRD_I_STEP_NONE if there is none. Only
 * steps whose gain exceeds `least` and for which `is_taboo` (which may be NULL) returns false are considered. */
crd_i_step crd_i_local_search_best_step(crd_i_local_search *search, double least,
                                        bool (*is_taboo)(const void *state, const crd_i_step *step), const void *state);
/* Applies a step and counts it. */
void crd_i_local_search_take(crd_i_local_search *search, const crd_i_step *step);
/* Takes a random walk of `steps` steps through the Markov equivalence class of the graph. Each step reverses a
 * covered arc, whose head has exactly the tail and the tail's parents as parents (Chickering 1995). Most scores are
 * equal in the whole class, but the neighboring graphs differ. */
void crd_i_local_search_walk(crd_i_local_search *search, size_t steps);
/* Returns the score of the graph: the sum of its family scores. */
double crd_i_local_search_score(const crd_i_local_search *search);
/* Returns the tolerance: scores that differ by less are equal. */
double crd_i_local_search_tolerance(const crd_i_local_search *search);

#endif
