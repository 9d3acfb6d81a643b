/* SPDX-License-Identifier: MIT */
/* junction_types.h - what a junction tree and its workspace are made of.
 *
 * A variable goes by its position: the step at which it was eliminated. Nodes that are in no clique have the positions
 * behind. Variables of a table are in ascending order of positions, so that in every clique those that are eliminated
 * there, its own, come first and vary slowest, and those shared with its parent come last: a message to the parent adds
 * up whole rows, and one from the parent multiplies whole rows. */
#ifndef CRD_INFER_EXACT_JUNCTION_TYPES_H
#define CRD_INFER_EXACT_JUNCTION_TYPES_H

#include "infer/exact/factor.h"
#include "infer/exact/junction_tree.h"

enum { CRD_I_NONE = -1 };

typedef struct crd_i_clique {
    size_t vars_at; /* in clique_vars */
    uint32_t var_count, own_count;
    int32_t parent, first_child, next_child; /* cliques, or CRD_I_NONE; a parent comes behind its children */
    size_t factors_begin, factors_end;
    int32_t first_set; /* of those that are multiplied in here, or CRD_I_NONE */
} crd_i_clique;

/* A product of tables of the network, over the union of their variables. */
typedef struct crd_i_factor {
    size_t vars_at; /* in factor_vars and factor_strides */
    uint32_t var_count;
    int32_t clique; /* CRD_I_NONE: all its variables are observed in every case */
    size_t table_at, cells;
    int low; /* no positive number in it is below 2^low */
} crd_i_factor;

/* Nodes with virtual evidence together, which is multiplied in at the clique of the variable that is eliminated first. */
typedef struct crd_i_junction_set {
    uint32_t *vars;  /* positions of its nodes, ascending */
    size_t *strides; /* of these, in a table of the states that are left */
    size_t count;
    size_t table_at, cells;
    int32_t clique, next; /* CRD_I_NONE: all its variables are observed in every case; it is the clique's last set */
} crd_i_junction_set;

struct crd_i_junction {
    crd_context *context;
    const crd_network *network;
    size_t count, graph_count;                   /* nodes; those of them that are in cliques have the first positions */
    size_t summed_count;                         /* positions below this are summed out where the greatest is asked */
    uint32_t *position_of, *node_at, *states_at; /* position by node, node by position, states left by position */
    int32_t *home_at;                            /* by position, the clique that it is eliminated in */
    bool *has_table;                             /* by node */
    size_t *starts;
    uint32_t *live;      /* from a node's start on: the states that are left of it, ascending */
    int32_t *place_of;   /* at a node's start and a state: its place among these; CRD_I_NONE: it is ruled out */
    int32_t *only_state; /* by node: the one that is left, where the node is in no clique for that; else CRD_I_NONE */
    bool is_impossible;  /* the evidence of the options rule out every state of some node */
    crd_i_clique *cliques;
    size_t clique_count;
    uint32_t *clique_vars, *factor_vars;
    size_t *factor_strides;
    crd_i_factor *factors; /* by clique; those of none last */
    size_t factor_count, clique_factor_count;
    double *tables;
    uint32_t *together;
    size_t together_count;
    crd_i_node_set *node_sets; /* those of the options */
    crd_i_junction_set *sets;  /* likewise, by position */
    size_t set_count, set_cells;
    size_t *member_starts; /* by node, where the sets that it is in begin in `members`; NULL: there are no sets */
    uint32_t *members;
    double cells, kept_cells, message_cells, table_cells, memory;
    unsigned threads;
    bool is_for_one_case;
};

typedef struct crd_i_clique_work {
    size_t rows, width; /* combinations of its own variables, and of those shared with its parent */
    size_t table_at;
    size_t up_at;        /* the message to the parent; on the way back, that from the parent divided by it */
    size_t down_at;      /* the message from the parent, while that is being made */
    int low;             /* no positive number of the message to the parent is below 2^low */
    int exponent;        /* the message was divided by 2 to this */
    int32_t first_joint; /* that is added up from its table, or CRD_I_NONE */
    bool has_soft, is_needed;
    bool is_message_needed; /* the one from its parent */
    bool is_kept;           /* its table is there; else it is gone through block by block: see factor_blocks.h */
} crd_i_clique_work;

typedef struct crd_i_operand crd_i_operand; /* of blocks */

struct crd_i_junction_work {
    const crd_i_junction *junction;
    const double *const *likelihoods; /* of the case */
    int32_t *seen_at;                 /* by position, the place of the state observed, or -1 */
    bool has_findings;
    bool is_ruled_out;  /* a finding is of a state that is not left */
    int32_t *source_at; /* by position, whose table its posterior is added up from: clique c, or the message to clique c
                           as -2 - c; CRD_I_NONE: nobody's */
    crd_i_clique_work *cliques;
    crd_i_factor_scale scale;
    bool by_most;  /* messages took the greatest */
    double *cells; /* tables and messages */
    size_t cell_room;
    const double *const *set_logs;                     /* of the case */
    double *set_tables;                                /* in the scale, the greatest number of each being 1 */
    int *set_lows;                                     /* no positive number of these is below 2 to this */
    double log_offset;                                 /* logarithms by which they were divided */
    double *soft;                                      /* likelihoods, scaled, at the starts of their nodes */
    double memory;                                     /* bytes that the tree and a case may take; 0: no limit */
    unsigned threads;                                  /* for large tables */
    size_t kept_cells, block_cells, cells_for_threads; /* see factor_blocks.h; tests make them small */
    size_t down_at;                                    /* room for messages to the children of a clique */
    size_t blocks_at;                                  /* room for blocks, among the cells */
    crd_i_operand *operands;                           /* room for those of a clique */
    size_t operand_room;
    int32_t *roles;           /* room, by variable of a clique */
    double mantissa, log_sum; /* the probability of the evidence: mantissa * 2^exponent, or in logarithms */
    int64_t exponent;
    crd_i_junction *narrow; /* the latest tree for some evidence alone, with its workspace, or NULL */
    crd_i_junction_work *narrow_work;
    int32_t *narrow_states; /* by node, of the evidence that it is for; NULL: there was none yet */
    bool is_worth_it;       /* it is much smaller */
    bool is_piece;          /* the tree is one of several for a case: see junction_pieces.c */
};

/* Whether a cell of a table is greater than another, by more than what rounding may have made of equal ones. */
static inline bool crd_i_is_more(crd_i_factor_scale scale, double cell, double other) {
    return cell > other && (scale == CRD_I_PLAIN ? cell > other * (1 + 0x1p-40) : cell > other + 0x1p-40);
}

static inline const uint32_t *crd_i_clique_vars(const crd_i_junction *junction, const crd_i_clique *clique) {
    return junction->clique_vars + clique->vars_at;
}

/* Finds the states that are left, given evidence that every case has, or NULL. In: states[node], 0 where the node is in
 * no clique; out: how many are left, 0 where it is one. */
CRD_MUST_USE crd_status crd_i_junction_take_live(crd_i_junction *junction, const crd_i_evidence *findings,
                                                 size_t *states, crd_error *error);
/* The state at a place, or -1 for -1. */
int32_t crd_i_junction_state(const crd_i_junction *junction, size_t node, int32_t place);
/* From the numbers of the states that are left, one after the other, to those of all, where they are. */
void crd_i_junction_spread(const crd_i_junction *junction, size_t node, double *posterior);
/* Ascending. */
void crd_i_sort_positions(uint32_t *vars, size_t count);
/* Multiplies the network's tables into factors, once there are cliques. */
CRD_MUST_USE crd_status crd_i_junction_add_factors(crd_i_junction *junction, crd_error *error);

/* Beyond this many cells of tables, which take a machine minutes, nothing is tried. */
#define CRD_I_MOST_CELLS 0x1p36

/* Where a case still needs large tables, a tree that leaves out its observed nodes from the start can be much smaller
 * than what evidence leave of the tree for all cases: then *work becomes its workspace. A function of the case. */
CRD_MUST_USE crd_status crd_i_junction_narrow(crd_i_junction_work **work, const crd_i_evidence *findings,
                                              crd_error *error);
/* Cells of the tables that evidence leave of a tree. */
double crd_i_junction_cells_left(const crd_i_junction *junction, const crd_i_evidence *findings);
/* Posteriors by several smaller trees, where that takes less time than one whose tables have so many cells; else
 * *is_done is false, and what was written is to be written again. Observed nodes are left out. */
CRD_MUST_USE crd_status crd_i_junction_ask_pieces(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                  const bool *wanted, double cells, double *posteriors,
                                                  double *log_evidence, bool *is_done, crd_error *error);
/* Takes in evidence and lays out the tables for them: all, or those alone that are worth to be kept. */
CRD_MUST_USE crd_status crd_i_junction_begin(crd_i_junction_work *work, const crd_i_evidence *findings, bool keeps_all,
                                             crd_error *error);
/* Messages from the leaves to the roots, by sums or by the greatest. CRD_ERROR_PROBABILITY: the evidence is
 * impossible, which crd_i_junction_impossible explains. */
CRD_MUST_USE crd_status crd_i_junction_collect(crd_i_junction_work *work, bool by_most, crd_error *error);
/* The error for a way that was not gone to its end. */
crd_status crd_i_junction_stopped(crd_status status, crd_error *error);
/* A joint table that is added up from that of a clique on the way back. */
typedef struct crd_i_joint_posterior {
    int32_t clique, next; /* the next one of the same clique, or CRD_I_NONE */
    double *cells;
    size_t cell_count;
    size_t *strides; /* by variable of the clique, how far apart its states are in the joint table */
} crd_i_joint_posterior;
/* Which table each wanted variable's posterior is added up from, and which cliques the way back must reach for these and
 * for joint tables; wanted NULL: all. Links the joint tables of a clique. */
void crd_i_junction_choose_sources(crd_i_junction_work *work, const bool *wanted, bool has_posteriors,
                                   crd_i_joint_posterior *joints, size_t joint_count);
/* Messages back to the cliques that are needed, posteriors of the variables that have sources, and joint tables. */
CRD_MUST_USE crd_status crd_i_junction_distribute(crd_i_junction_work *work, double *posteriors,
                                                  const crd_i_joint_posterior *joints, crd_error *error);
/* Observed nodes are certain. */
void crd_i_junction_write_observed(const crd_i_junction *junction, const crd_i_evidence *findings, const bool *wanted,
                                   double *posteriors);

/* Copies the sets of the options, and once there are cliques, places them. */
CRD_MUST_USE bool crd_i_junction_take_sets(crd_i_junction *junction, const crd_i_node_set *sets, size_t count);
CRD_MUST_USE bool crd_i_junction_place_sets(crd_i_junction *junction);
void crd_i_junction_clear_sets(crd_i_junction *junction);
/* Takes in what is known of sets, in the scale of the workspace. False: it is impossible. */
CRD_MUST_USE bool crd_i_junction_prepare_sets(crd_i_junction_work *work);
double crd_i_junction_log_evidence(const crd_i_junction_work *work);
/* The error for impossible evidence, which names some of them, if there is one to fill in; uses the workspace. */
CRD_MUST_USE crd_status crd_i_junction_impossible(crd_i_junction_work *work, const crd_i_evidence *findings,
                                                  crd_error *error);

/* The way through a clique's table, beside one that has its variables' states as far apart as `strides` has it. */
void crd_i_walk_joint(const crd_i_junction_work *work, const crd_i_clique *clique, const size_t *strides,
                      crd_i_walk *walk);
/* The way through a clique's table, beside the message between `child` and it. */
void crd_i_walk_message(const crd_i_junction_work *work, const crd_i_clique *clique, const crd_i_clique *child,
                        crd_i_walk *walk);
/* The way through a table of `vars`, beside that of one of them; the cells of the latter. */
size_t crd_i_walk_variable(const crd_i_junction_work *work, const uint32_t *vars, size_t count, uint32_t variable,
                           crd_i_walk *walk);

#endif
