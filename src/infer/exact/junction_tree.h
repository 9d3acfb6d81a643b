/* SPDX-License-Identifier: MIT */
/* junction_tree.h - exact inference in a network: a junction tree that is compiled once and queried for many cases.
 *
 * The tables of the network are multiplied into cliques that form a tree (Lauritzen and Spiegelhalter 1988; Jensen,
 * Lauritzen and Olesen 1990). For each case, messages are passed from the leaves to the roots, which gives the
 * probability of the evidence, and back, which gives all posteriors. Evidence shrinks the tables: an observed
 * variable is removed as a dimension. Table rows are divided by their sums, because published tables are rounded.
 *
 * No number underflows. Messages are scaled by powers of two. If the exponents combined in a clique could exceed the
 * range of doubles, the case is computed with logarithms instead. Results do not depend on the previous case or on
 * the thread. */
#ifndef CRD_INFER_EXACT_JUNCTION_TREE_H
#define CRD_INFER_EXACT_JUNCTION_TREE_H

#include "math/random.h"
#include "network/network_internal.h"

typedef struct crd_i_junction crd_i_junction;           /* immutable, shared by threads */
typedef struct crd_i_junction_work crd_i_junction_work; /* one per thread */

/* Nodes that may have joint virtual evidence, or whose joint posterior is queried. Some clique contains all of them,
 * except nodes that every case observes. */
typedef struct crd_i_node_set {
    uint32_t *nodes;
    size_t count;
} crd_i_node_set;

typedef struct crd_i_junction_options {
    const bool *tables;   /* by node: whether its table is used (see crd_i_prune); NULL: all */
    const bool *observed; /* by node: whether every case observes it, which makes the tree smaller; NULL: none */
    /* findings that are part of every case, used to rule out states; may be NULL */
    const struct crd_i_evidence *findings;
    const uint32_t *together; /* nodes whose joint posterior will be queried */
    size_t together_count;
    const crd_i_node_set *sets;
    size_t set_count;
    const bool
        /* by node: nodes whose most probable explanation will be queried, with all others summed out; NULL: all
         * nodes */
        *maximized;
    double memory;         /* memory limit in bytes for the tree and one case; 0: no limit */
    unsigned threads;      /* threads for large tables; 0 means 1; does not change results */
    bool is_measured_only; /* only compute the size; the tree gets no tables and cannot be queried */
    bool is_for_one_case;  /* spend less time on searching for small tables */
    bool opens_decisions;  /* unobserved decisions in `tables` are summed out; otherwise they must be observed */
    /* if not NULL, set to the values of the two functions below, even if the limit is exceeded */
    double *cells, *bytes;
} crd_i_junction_options;

/* Evidence of one case. */
typedef struct crd_i_evidence {
    const int32_t *states; /* by node: the observed state, or -1; never NULL */
    /* by node: the likelihood of the observation in each state, or NULL; NULL: none */
    const double *const *likelihoods;
    /* By set of the tree: the log likelihood of the observation for each state combination of its nodes, or NULL.
     * The state of the last node varies fastest. NULL: none. Combinations ruled out by `states` are not read. */
    const double *const *set_logs;
} crd_i_evidence;

/* Compiles a junction tree. Returns CRD_ERROR_LIMIT, with the required size, before allocating anything if the
 * memory limit would be exceeded. */
CRD_MUST_USE crd_status crd_i_junction_compile(const crd_network *network, const crd_i_junction_options *options,
                                               crd_i_junction **out, crd_error *error);
void crd_i_junction_destroy(crd_i_junction *junction);

/* Return the total cell count of all clique tables, and the bytes needed for the tree and a case without evidence. */
double crd_i_junction_cells(const crd_i_junction *junction);
double crd_i_junction_bytes(const crd_i_junction *junction);
/* Returns the start of a node's posterior in the concatenated posteriors of all nodes. For the number of nodes,
 * returns their total length. */
size_t crd_i_junction_start(const crd_i_junction *junction, size_t node);

CRD_MUST_USE crd_status crd_i_junction_work_create(const crd_i_junction *junction, crd_i_junction_work **out,
                                                   crd_error *error);
void crd_i_junction_work_destroy(crd_i_junction_work *work);

/* Computes the posteriors of the `wanted` nodes (NULL: all nodes with tables) at their starts; others are unchanged.
 * If `posteriors` is NULL, computes only the log probability of the evidence, which may also be NULL. Returns
 * CRD_ERROR_PROBABILITY, naming contradictory findings, if the evidence is impossible. */
CRD_MUST_USE crd_status crd_i_junction_ask(crd_i_junction_work *work, const crd_i_evidence *findings,
                                           const bool *wanted, double *posteriors, double *log_evidence,
                                           crd_error *error);

/* Computes the joint posterior of the nodes `together` that the tree was compiled for. It has one cell per state
 * combination; the state of the last node varies fastest. */
CRD_MUST_USE crd_status crd_i_junction_ask_together(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                    double *joint, double *log_evidence, crd_error *error);

/* Computes joint posteriors of sets of the tree. joints[i] receives the joint posterior of set i; NULL if it is not
 * needed. `wanted` and `posteriors` are as for crd_i_junction_ask, or NULL. */
CRD_MUST_USE crd_status crd_i_junction_ask_sets(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                double *const *joints, const bool *wanted, double *posteriors,
                                                double *log_evidence, crd_error *error);

/* Many cases. Case i has its evidence at states[i * nodes], and its posteriors and log evidence are also at index i.
 * An impossible case has log evidence -INFINITY and posteriors of 0. The thread count is chosen by
 * crd_i_thread_pool_size. It does not change results, nor the returned error, which is the error of the first
 * failing case. */
typedef struct crd_i_junction_cases {
    size_t count;
    const int32_t *states;
    const double *const *likelihoods; /* by node: likelihoods for every case, as in crd_i_evidence; NULL: none */
    const bool *wanted;               /* by node; NULL: all */
    unsigned threads;
    double *posteriors;   /* may be NULL */
    double *log_evidence; /* may be NULL */
    /* NULL: posteriors are stored at their starts; otherwise only the posteriors of these nodes, in this order */
    const size_t *nodes;
    size_t node_count;
} crd_i_junction_cases;

CRD_MUST_USE crd_status crd_i_junction_ask_cases(const crd_i_junction *junction, const crd_i_junction_cases *cases,
                                                 crd_error *error);

/* Computes the most probable explanation of the `maximized` nodes, or of all nodes if the tree was compiled without
 * them. Ties are broken deterministically. Nodes without a table and summed-out nodes keep their -1 or finding. */
CRD_MUST_USE crd_status crd_i_junction_most_probable(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                     int32_t *states, double *log_probability, crd_error *error);

/* ======== Draws ========
 *
 * After messages have been passed to the roots, each column of a clique's table corresponds to a combination of
 * states shared with its parent. The column is proportional to the probabilities of the clique's own variables given
 * these states and all evidence. Drawing clique by clique from the roots down therefore draws from the joint
 * posterior (Dawid 1992). */

/* Prepares the workspace for draws given the evidence. The workspace keeps the evidence until its next query.
 * Returns CRD_ERROR_PROBABILITY, naming contradictory findings, if the evidence is impossible. */
CRD_MUST_USE crd_status crd_i_junction_draw_begin(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                  crd_error *error);

/* Draws the states of all unobserved nodes, stored by node. Other states are unchanged. Uses one random number for
 * each clique that has something to draw. */
void crd_i_junction_draw(const crd_i_junction_work *work, crd_i_random *random, int32_t *states);

/* ======== Relevant nodes ========
 *
 * The Bayes ball (Shachter 1998) starts at the queried nodes. It moves along arcs in both directions. It passes through
 * an observed node only from parent to parent, and returns from a node's children only if one of them is observed. The
 * visited nodes show which tables are relevant. All others are barren or d-separated. */

/* Finds, by node, whether its table is relevant for the posterior of the nodes `asked` given the nodes `observed`,
 * and whether the ball visits it. The ball visits all nodes that depend on the queried ones given the observed ones.
 * Either output may be NULL. */
CRD_MUST_USE crd_status crd_i_prune(const crd_network *network, const bool *asked, const bool *observed, bool *tables,
                                    bool *reached, crd_error *error);

#endif
