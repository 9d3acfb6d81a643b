/* SPDX-License-Identifier: MIT */
/* junction_tree.h - exact answers of a network: a junction tree, compiled once, asked for many cases.
 *
 * The tables of the network are multiplied into cliques that form a tree (Lauritzen and Spiegelhalter 1988; Jensen,
 * Lauritzen and Olesen 1990). For a case, messages go from the leaves to the roots, which gives the probability of the
 * evidence, and back, which gives all posteriors. Findings shrink the tables: an observed variable is no dimension of
 * them. Tables are divided by what their rows add up to, as published ones are rounded.
 *
 * No number underflows: messages are scaled by powers of two, and where the exponents of what meets in a clique could
 * add up to more than doubles have, the case is computed in logarithms instead. Answers do not depend on the case that
 * was asked before, nor on the thread. */
#ifndef CRD_INFER_EXACT_JUNCTION_TREE_H
#define CRD_INFER_EXACT_JUNCTION_TREE_H

#include "network/network_internal.h"

typedef struct crd_i_junction crd_i_junction;           /* immutable, shared by threads */
typedef struct crd_i_junction_work crd_i_junction_work; /* one a thread */

/* Nodes of which a case may have virtual evidence together, or of which the joint posterior is asked: some clique has all
 * of them, but for those that every case observes. */
typedef struct crd_i_node_set {
    uint32_t *nodes;
    size_t count;
} crd_i_node_set;

typedef struct crd_i_junction_options {
    const bool *tables;   /* by node, whose tables count: see barren_nodes.h; NULL: all */
    const bool *observed; /* by node, those that every case observes, which makes a smaller tree; NULL: none */
    const struct crd_i_evidence *findings; /* that every case has among its own, by which states are ruled out; NULL */
    const uint32_t *together;              /* nodes of which the joint posterior will be asked */
    size_t together_count;
    const crd_i_node_set *sets;
    size_t set_count;
    const bool
        *maximised;   /* by node, those whose most probable explanation will be asked, all others summed out; NULL: of
                              all, none summed out */
    double memory;    /* bytes that the tree and one case may take; 0: no limit */
    unsigned threads; /* for large tables; 0 is 1; changes no bit */
    bool is_measured_only; /* it is not to be asked, and gets no tables */
    bool is_for_one_case;  /* less time is spent on looking for small tables */
    bool opens_decisions;  /* those of `tables` that are not observed are summed out; else they have to be observed */
    double *cells, *bytes; /* where not NULL, get what the two calls below say, also where that is too much */
} crd_i_junction_options;

/* What is known of a case. */
typedef struct crd_i_evidence {
    const int32_t *states;            /* by node, the state observed, or -1; never NULL */
    const double *const *likelihoods; /* by node, how likely what was seen is in each state, or NULL; NULL: none */
    /* By set of the tree, the logarithm of how likely what was seen is in each combination of the states of its nodes,
     * those of the last varying fastest, or NULL; NULL: none. Combinations that the states rule out are not read. */
    const double *const *set_logs;
} crd_i_evidence;

/* Beyond the memory it is CRD_ERROR_LIMIT, which says how much is needed, before any of it is allocated. */
CRD_MUST_USE crd_status crd_i_junction_compile(const crd_network *network, const crd_i_junction_options *options,
                                               crd_i_junction **out, crd_error *error);
void crd_i_junction_destroy(crd_i_junction *junction);

/* Cells of the tables of all cliques, and bytes that the tree and a case without evidence take. */
double crd_i_junction_cells(const crd_i_junction *junction);
double crd_i_junction_bytes(const crd_i_junction *junction);
/* Where the posterior of a node begins among those of all nodes, one after the other; for the number of nodes, how many
 * there are. */
size_t crd_i_junction_start(const crd_i_junction *junction, size_t node);

CRD_MUST_USE crd_status crd_i_junction_work_create(const crd_i_junction *junction, crd_i_junction_work **out,
                                                   crd_error *error);
void crd_i_junction_work_destroy(crd_i_junction_work *work);

/* The posteriors of the wanted nodes (NULL: all that have tables), at their starts; others are left as they are. NULL
 * posteriors: only the logarithm of the probability of the evidence, which may be NULL as well. Findings that cannot be
 * are CRD_ERROR_PROBABILITY, and the message names some that contradict each other. */
CRD_MUST_USE crd_status crd_i_junction_ask(crd_i_junction_work *work, const crd_i_evidence *findings,
                                           const bool *wanted, double *posteriors, double *log_evidence,
                                           crd_error *error);

/* The joint posterior of the nodes `together` that the tree was compiled for: a cell for each combination of their
 * states, those of the last varying fastest. */
CRD_MUST_USE crd_status crd_i_junction_ask_together(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                    double *joint, double *log_evidence, crd_error *error);

/* The joint posteriors of sets of the tree: joints[i] is that of set i, or NULL where it is not asked for. `wanted` and
 * `posteriors` are those of crd_i_junction_ask, or NULL. */
CRD_MUST_USE crd_status crd_i_junction_ask_sets(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                double *const *joints, const bool *wanted, double *posteriors,
                                                double *log_evidence, crd_error *error);

/* Many cases, side by side: case i has the evidence states[i * nodes] and on, and its posteriors and log evidence
 * stand at i too. An impossible case has a log evidence of -INFINITY, and posteriors of 0. Threads as
 * crd_i_thread_pool_size has it; their number changes no bit, nor which error comes back: that of the first case
 * that has one. */
typedef struct crd_i_junction_cases {
    size_t count;
    const int32_t *states;
    const double *const *likelihoods; /* by node, those that hold in every case, as in crd_i_evidence; NULL: none */
    const bool *wanted;               /* by node; NULL: all */
    unsigned threads;
    double *posteriors;   /* NULL: not asked for */
    double *log_evidence; /* NULL: not asked for */
    const size_t *nodes;  /* NULL: posteriors stand at their starts; else those of these nodes alone, in this order */
    size_t node_count;
} crd_i_junction_cases;

CRD_MUST_USE crd_status crd_i_junction_ask_cases(const crd_i_junction *junction, const crd_i_junction_cases *cases,
                                                 crd_error *error);

/* The most probable explanation of the nodes `maximised` together, or of all where the tree was not compiled for
 * some; of several that are as probable, one, always the same. Nodes that have no table or are summed out keep their
 * -1 or finding. */
CRD_MUST_USE crd_status crd_i_junction_most_probable(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                     int32_t *states, double *log_probability, crd_error *error);

#endif
