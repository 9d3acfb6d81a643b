/* SPDX-License-Identifier: MIT */
/* local_search.h - what hill climbing and tabu search have in common: a DAG, the scores of its families, and what each
 * family would score with one arc more or less.
 *
 * Only the families of nodes whose parents have changed are scored again. The score of reversing an arc is the sum of
 * removing it and adding the reverse. */
#ifndef CRD_STRUCTURE_LOCAL_SEARCH_H
#define CRD_STRUCTURE_LOCAL_SEARCH_H

#include "math/random.h"
#include "structure/search_crew.h"
#include "structure/structure_search.h"

typedef enum crd_i_step_kind { CRD_I_STEP_NONE, CRD_I_STEP_ADD, CRD_I_STEP_REMOVE, CRD_I_STEP_REVERSE } crd_i_step_kind;

typedef struct crd_i_step {
    crd_i_step_kind kind;
    size_t source, target; /* the arc */
    double gain;
} crd_i_step;

/* Families whose scores the processes of a group compute, each some of them: stale node by stale node, the other ends of their arcs. */
typedef struct crd_i_shared_families {
    bool are_dealt; /* there are other processes, and all know the same scores */
    uint32_t *others;
    double *scores;
    size_t *ends; /* behind the last of each stale node */
    size_t others_capacity, scores_capacity, ends_capacity;
} crd_i_shared_families;

/* Rows of `toggled` that were computed before, by node and parents: searches return to the same families again and again. A row is
 * at the place of its hash, and replaces the row that was there. */
typedef struct crd_i_toggled_rows {
    size_t places;  /* 0: none are stored */
    uint64_t *keys; /* of each place: 1 + the node, then the bits of its parents */
    double *values; /* of each place: the score with its parents, then the row */
} crd_i_toggled_rows;

typedef struct crd_i_local_search {
    crd_context *context;
    const crd_i_case_table *table;
    const crd_i_search_options *options;
    crd_i_crew *crew; /* NULL: it is alone */
    unsigned threads;
    crd_i_family_scores **scores; /* of each thread; borrowed where it is alone */
    crd_i_graph *graph;
    double *family_scores; /* of each node with its parents */
    double *toggled;       /* [node * count + other]: with or without the arc from the other; -INFINITY: not possible */
    double *most_added;    /* of each node: the largest of `toggled` that adds an arc */
    bool *is_stale;        /* of each node: its parents have changed */
    crd_i_toggled_rows rows;
    uint64_t *scratch;    /* for paths */
    uint32_t *parents;    /* of a node in work, for each thread */
    uint32_t *candidates; /* of each node in work */
    size_t *candidate_counts;
    uint32_t *stale; /* nodes in work */
    size_t stale_count, parts;
    crd_i_shared_families shared;
    crd_status *statuses; /* of each thread */
    crd_error *errors;
    crd_i_random random; /* of the climb */
    uint64_t steps;
} crd_i_local_search;

/* Climbs from the required arcs, then from perturbed and random graphs, improves the best graph place by place if there are
 * restarts, and continues from it by `finish`, which may be NULL. Returns the best graph of all. `finish` ends with the best
 * graph it found in search->graph, also if it is canceled. */
CRD_MUST_USE crd_status crd_i_local_search_run(const crd_i_case_table *table, const crd_i_search_options *options,
                                               crd_status (*finish)(crd_i_local_search *search, crd_error *error),
                                               crd_i_search_result *out, crd_error *error);

/* Climbs from search->graph to a local optimum, through equivalent graphs if these have equal scores. */
CRD_MUST_USE crd_status crd_i_local_search_climb(crd_i_local_search *search, crd_error *error);
/* Climbs by single steps only, which changes no more of the graph than is necessary. */
CRD_MUST_USE crd_status crd_i_local_search_climb_directly(crd_i_local_search *search, crd_error *error);

/* Goes to another graph; families that differ are scored again. */
void crd_i_local_search_move_to(crd_i_local_search *search, const crd_i_graph *graph);
/* As many random changes of arcs as the options have. */
void crd_i_local_search_perturb(crd_i_local_search *search);
/* A few random changes of arcs between a node, its neighbors and theirs. */
void crd_i_local_search_perturb_near(crd_i_local_search *search, size_t node);
/* Adds as many random arcs as there are nodes. */
void crd_i_local_search_randomize(crd_i_local_search *search);
/* Scores what has changed. */
CRD_MUST_USE crd_status crd_i_local_search_refresh(crd_i_local_search *search, crd_error *error);
/* The step of the greatest gain, the first of those that are alike; only gains above `least`, and steps that `is_taboo`,
 * which may be NULL, does not refuse. */
crd_i_step crd_i_local_search_best_step(crd_i_local_search *search, double least,
                                        bool (*is_taboo)(const void *state, const crd_i_step *step), const void *state);
void crd_i_local_search_take(crd_i_local_search *search, const crd_i_step *step);
/* A random walk of so many steps through the graphs that state the same independences: reversing a covered arc, whose child
 * has no other parents than the parent has, leads from one to another (Chickering 1995). Most scores are the same in all of
 * them, but their neighbours are not. */
void crd_i_local_search_walk(crd_i_local_search *search, size_t steps);
double crd_i_local_search_score(const crd_i_local_search *search);
/* What is less than this is no difference of scores. */
double crd_i_local_search_tolerance(const crd_i_local_search *search);

#endif
