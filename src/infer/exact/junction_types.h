/* SPDX-License-Identifier: MIT */
/* junction_types.h - the structs of a junction tree and its workspace.
 *
 * A variable is identified by its position: the step at which it was eliminated. Nodes outside all cliques have the
 * positions after that. The variables of a table are sorted by position. So in every clique its own variables, which
 * are eliminated there, come first and vary slowest, and the variables shared with its parent come last. A message
 * to the parent therefore sums whole rows, and a message from the parent multiplies whole rows. */
#ifndef CRD_INFER_EXACT_JUNCTION_TYPES_H
#define CRD_INFER_EXACT_JUNCTION_TYPES_H

#include "infer/exact/factor.h"
#include "infer/exact/junction_tree.h"

enum { CRD_I_NONE = -1 };

typedef struct crd_i_clique {
    size_t vars_at; /* start in clique_vars */
    uint32_t var_count, own_count;
    int32_t parent, first_child, next_child; /* cliques, or CRD_I_NONE; a parent comes after its children */
    size_t factors_begin, factors_end;
    int32_t first_set; /* first set multiplied in at this clique, or CRD_I_NONE */
} crd_i_clique;

/* A product of tables of the network, over the union of their variables. */
typedef struct crd_i_factor {
    size_t vars_at; /* start in factor_vars and factor_strides */
    uint32_t var_count;
    int32_t clique; /* CRD_I_NONE if all its variables are observed in every case */
    size_t table_at, cells;
    int low; /* no positive entry is below 2^low */
} crd_i_factor;

/* Nodes with joint virtual evidence. It is multiplied in at the clique of the variable that is eliminated first. */
typedef struct crd_i_junction_set {
    uint32_t *vars;  /* positions of its nodes, ascending */
    size_t *strides; /* strides of `vars` in a table of the remaining states */
    size_t count;
    size_t table_at, cells;
    /* CRD_I_NONE if all its variables are observed in every case, or if it is the clique's last set */
    int32_t clique, next;
} crd_i_junction_set;

struct crd_i_junction {
    crd_context *context;
    const crd_network *network;
    size_t count, graph_count;                   /* nodes, and nodes in cliques, which have the first positions */
    size_t summed_count;                         /* positions below this are summed out in maximization queries */
    uint32_t *position_of, *node_at, *states_at; /* position by node, node by position, remaining states by position */
    int32_t *home_at;                            /* by position: the clique in which the variable is eliminated */
    bool *has_table;                             /* by node */
    size_t *starts;
    uint32_t *live; /* from a node's start: its remaining states, ascending */
    /* at a node's start plus a state: its index among the remaining states; CRD_I_NONE if it is ruled out */
    int32_t *place_of;
    /* by node: its only remaining state, if the node is in no clique for that reason; otherwise CRD_I_NONE */
    int32_t *only_state;
    bool is_impossible; /* the findings in the options rule out every state of some node */
    crd_i_clique *cliques;
    size_t clique_count;
    uint32_t *clique_vars, *factor_vars;
    size_t *factor_strides;
    crd_i_factor *factors; /* sorted by clique; factors without a clique come last */
    size_t factor_count, clique_factor_count;
    double *tables;
    uint32_t *together;
    size_t together_count;
    crd_i_node_set *node_sets; /* sets given in the options */
    crd_i_junction_set *sets;  /* the same sets, by position */
    size_t set_count, set_cells;
    size_t *member_starts; /* by node: start of its sets in `members`; NULL if there are no sets */
    uint32_t *members;
    double cells, kept_cells, message_cells, table_cells, memory;
    unsigned threads;
    bool is_for_one_case;
};

typedef struct crd_i_clique_work {
    size_t rows, width; /* combinations of its own variables, and of the variables shared with its parent */
    size_t table_at;
    size_t up_at;   /* the message to the parent; in the backward pass, the message from the parent divided by it */
    size_t down_at; /* the message from the parent while it is computed */
    int low;        /* no positive entry of the message to the parent is below 2^low */
    int exponent;   /* the message was divided by 2^exponent */
    int32_t first_joint; /* first joint table summed from this clique's table, or CRD_I_NONE */
    bool has_soft, is_needed;
    bool is_message_needed; /* the message from its parent is needed */
    bool is_kept;           /* the table is stored; otherwise it is computed block by block (factor_blocks.h) */
} crd_i_clique_work;

typedef struct crd_i_operand crd_i_operand; /* operand of block-wise computation */

struct crd_i_junction_work {
    const crd_i_junction *junction;
    const double *const *likelihoods; /* likelihoods of the case */
    int32_t *seen_at;                 /* by position: index of the observed state, or -1 */
    bool has_findings;
    bool is_ruled_out; /* a finding names a state that is ruled out */
    /* by position: source of its posterior: clique c, or the message to clique c as -2 - c; CRD_I_NONE if there is
     * none */
    int32_t *source_at;
    crd_i_clique_work *cliques;
    crd_i_factor_scale scale;
    bool by_most;  /* messages were computed by maximization */
    double *cells; /* tables and messages */
    size_t cell_room;
    const double *const *set_logs;                     /* set evidence of the case */
    double *set_tables;                                /* set tables in the workspace's scale, each with maximum 1 */
    int *set_lows;                                     /* no positive entry of a set table is below 2 to this */
    double log_offset;                                 /* sum of the logarithms by which they were divided */
    double *soft;                                      /* scaled likelihoods, at the starts of their nodes */
    double memory;                                     /* memory limit in bytes for the tree and a case; 0: no limit */
    unsigned threads;                                  /* threads for large tables */
    size_t kept_cells, block_cells, cells_for_threads; /* see factor_blocks.h; tests use small values */
    size_t down_at;                                    /* scratch for messages to the children of a clique */
    size_t blocks_at;                                  /* scratch for blocks, in `cells` */
    crd_i_operand *operands;                           /* scratch for the operands of a clique */
    size_t operand_room;
    int32_t *roles;           /* scratch, by variable of a clique */
    double mantissa, log_sum; /* probability of the evidence: mantissa * 2^exponent, or its logarithm */
    int64_t exponent;
    crd_i_junction *narrow; /* the latest tree compiled for specific evidence, with its workspace, or NULL */
    crd_i_junction_work *narrow_work;
    int32_t *narrow_states; /* by node: the evidence of that tree; NULL if there was none yet */
    bool is_worth_it;       /* that tree is much smaller */
    bool is_piece;          /* the tree is one of several for a case (junction_collect.c) */
};

/* Returns whether a table cell is larger than another by more than rounding error. */
static inline bool crd_i_is_more(crd_i_factor_scale scale, double cell, double other) {
    return cell > other && (scale == CRD_I_PLAIN ? cell > other * (1 + 0x1p-40) : cell > other + 0x1p-40);
}

static inline const uint32_t *crd_i_clique_vars(const crd_i_junction *junction, const crd_i_clique *clique) {
    return junction->clique_vars + clique->vars_at;
}

/* Returns the state at an index, or -1 for -1. */
int32_t crd_i_junction_state(const crd_i_junction *junction, size_t node, int32_t place);
/* Expands values of the remaining states, in place, to values of all states. */
void crd_i_junction_spread(const crd_i_junction *junction, size_t node, double *posterior);
/* Sorts positions in ascending order. */
void crd_i_sort_positions(uint32_t *vars, size_t count);

/* Trees with more cells, which would take minutes to compute, are not tried. */
#define CRD_I_MOST_CELLS 0x1p36

/* If a case still needs large tables, a tree without its observed nodes can be much smaller than the reduced tree
 * for all cases. In that case, sets *work to the workspace of such a tree. The choice depends on the case only. */
CRD_MUST_USE crd_status crd_i_junction_narrow(crd_i_junction_work **work, const crd_i_evidence *findings,
                                              crd_error *error);
/* Returns the number of table cells that remain under the evidence. */
double crd_i_junction_cells_left(const crd_i_junction *junction, const crd_i_evidence *findings);
/* Enters evidence and lays out the tables: all tables, or only the ones worth storing. */
CRD_MUST_USE crd_status crd_i_junction_begin(crd_i_junction_work *work, const crd_i_evidence *findings, bool keeps_all,
                                             crd_error *error);
/* Passes messages from the leaves to the roots, by sums or maxima. Returns CRD_ERROR_PROBABILITY if the evidence is
 * impossible; crd_i_junction_impossible explains it. */
CRD_MUST_USE crd_status crd_i_junction_collect(crd_i_junction_work *work, bool by_most, crd_error *error);
/* Returns the error for an interrupted pass. */
crd_status crd_i_junction_stopped(crd_status status, crd_error *error);
/* A joint table summed from a clique's table in the backward pass. */
typedef struct crd_i_joint_posterior {
    int32_t clique, next; /* the next joint table of the same clique, or CRD_I_NONE */
    double *cells;
    size_t cell_count;
    size_t *strides; /* by variable of the clique: distance of its states in the joint table */
} crd_i_joint_posterior;
/* Chooses the table from which each wanted variable's posterior is summed, and the cliques that the backward pass
 * must reach for them and for joint tables. `wanted` NULL: all variables. Links the joint tables of each clique. */
void crd_i_junction_choose_sources(crd_i_junction_work *work, const bool *wanted, bool has_posteriors,
                                   crd_i_joint_posterior *joints, size_t joint_count);
/* Passes messages back to the needed cliques. Computes the posteriors of variables with sources, and joint tables. */
CRD_MUST_USE crd_status crd_i_junction_distribute(crd_i_junction_work *work, double *posteriors,
                                                  const crd_i_joint_posterior *joints, crd_error *error);
/* Sets the posteriors of observed nodes: the observed state has probability 1. */
void crd_i_junction_write_observed(const crd_i_junction *junction, const crd_i_evidence *findings, const bool *wanted,
                                   double *posteriors);

/* Enters the evidence on sets in the workspace's scale. Returns false if it is impossible. */
CRD_MUST_USE bool crd_i_junction_prepare_sets(crd_i_junction_work *work);
double crd_i_junction_log_evidence(const crd_i_junction_work *work);
/* Returns the error for impossible evidence. If `error` is not NULL, finds and names contradictory findings, using
 * the workspace. */
CRD_MUST_USE crd_status crd_i_junction_impossible(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                  crd_error *error);

/* Sets up the walk through a clique's table together with a table whose variables have the given strides. */
void crd_i_walk_joint(const crd_i_junction_work *work, const crd_i_clique *clique, const size_t *strides,
                      crd_i_walk *walk);

#endif
