/* SPDX-License-Identifier: MIT */
/* junction_types.h - the structs of a junction tree and its workspace.
 *
 * A variable is identified by its position: the step at which it was eliminated. Nodes outside all cliques have the
 * positions after that. The variables of a table are sorted by position. So in every clique its own variables, which
 * are eliminated there, come first and vary slowest, and the variables shared with its parent come last. A message
 * to the parent therefore sums whole rows, and a message from the parent multiplies whole rows. */
#ifndef CRD_INFER_EXACT_JUNCTION_TYPES_H
#define CRD_INFER_EXACT_JUNCTION_TYPES_H

#include "base/arena.h"
#include "infer/exact/junction_tree.h"

#include <stddef.h>
#include <stdint.h>

/* ======== Table walks ========
 *
 * A walk visits a table of several variables together with a table of some of these variables.
 *
 * A table has one cell per combination of states; the state of its last variable varies fastest. The larger table is
 * traversed once, cell by cell, with a matching position in the smaller table. The position does not change along
 * variables that the smaller table lacks. A walk describes the traversal. Adjacent variables that are in both
 * tables, or only in the larger one, are merged into one dimension. */

enum { CRD_I_MOST_DIMENSIONS = 64 }; /* a table with more variables, each of at least two states, exceeds any memory */

typedef struct crd_i_walk {
    size_t count; /* number of dimensions, the fastest first; at least one */
    size_t extents[CRD_I_MOST_DIMENSIONS], strides[CRD_I_MOST_DIMENSIONS];
} crd_i_walk;

/* Adds the next slower variable: its state count and the distance of its states in the smaller table, which is 0 if
 * the smaller table lacks it. Variables with one state may be skipped. Call crd_i_walk_begin first and
 * crd_i_walk_end last. */
static inline void crd_i_walk_begin(crd_i_walk *walk) {
    walk->count = 0;
}

static inline void crd_i_walk_add(crd_i_walk *walk, size_t extent, size_t stride) {
    size_t last = walk->count;
    if (extent == 1) return;
    if (last > 0 && walk->strides[last - 1] * walk->extents[last - 1] == stride &&
        (stride > 0) == (walk->strides[last - 1] > 0)) {
        walk->extents[last - 1] *= extent;
        return;
    }
    walk->extents[last] = extent;
    walk->strides[last] = stride;
    walk->count++;
}

static inline void crd_i_walk_end(crd_i_walk *walk) {
    if (walk->count > 0) return;
    walk->extents[0] = 1;
    walk->strides[0] = 0;
    walk->count = 1;
}

/* Representation of numbers. Logarithms cannot underflow but are slow. */
typedef enum crd_i_factor_scale { CRD_I_PLAIN, CRD_I_LOGS } crd_i_factor_scale;

/* Compute large = small and large *= small. The smaller table contains plain numbers (a factor) or numbers in the
 * given scale (a message). */
void crd_i_factor_set(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor);
void crd_i_factor_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor);
void crd_i_message_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *message);

/* Sets small to the sums, or maxima, of the corresponding cells of the large table. `cells` is the size of the small
 * table. */
void crd_i_message_sum(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small,
                       size_t cells);
void crd_i_message_most(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small,
                        size_t cells);

/* Adds the sums of the corresponding cells of the large table to small, or takes the maximum with them. */
void crd_i_message_add(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small);
void crd_i_message_raise(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small);

/* Sets cells to the neutral value of sums and maxima. */
void crd_i_message_clear(crd_i_factor_scale scale, double *cells, size_t count);

/* sums[r] = sum over j of large[r * width + j] * message[j]. */
void crd_i_message_dots(crd_i_factor_scale scale, const double *large, size_t rows, size_t width, const double *message,
                        double *sums);

/* Replaces before[i] by after[i] * factor / before[i]. Zeros stay 0. The log scale has no factor. */
void crd_i_message_divide(crd_i_factor_scale scale, const double *after, double *before, size_t cells, double factor);

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
    crd_i_arena *arena;
    crd_i_arena *factor_arena; /* the factors and their tables, which are reloaded without the rest of the tree */
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
    bool is_kept;           /* the table is stored; otherwise it is computed block by block: see "Large cliques" */
} crd_i_clique_work;

typedef struct crd_i_operand crd_i_operand; /* operand of block-wise computation */

struct crd_i_junction_work {
    crd_i_arena *arena;
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
    size_t kept_cells, block_cells, cells_for_threads; /* see "Large cliques"; tests use small values */
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

/* ======== Expected family counts ========
 *
 * The family of a node, the node and its parents, is contained in the clique that its table was multiplied into.
 * After messages have been passed to the roots and back, summing that clique's table over all other variables gives
 * the joint posterior of the family. Weighted sums of these posteriors are the expected sufficient statistics of the
 * CPTs. EM uses them in its M step, and the gradient of the likelihood is computed from them (Lauritzen 1995). */

typedef struct crd_i_family_counter crd_i_family_counter; /* one per thread */

/* Creates a counter. `starts` contains the start of each node's table among the counts. `starts` and the tree must
 * outlive the counter. */
CRD_MUST_USE crd_status crd_i_family_counter_create(const crd_i_junction *junction, const size_t *starts,
                                                    crd_i_family_counter **out, crd_error *error);
void crd_i_family_counter_destroy(crd_i_family_counter *counter); /* accepts NULL */

/* Adds `weight` times the joint family posterior of each wanted node to its counts, which have the layout of its
 * table. Sets the log probability of the evidence. Returns CRD_ERROR_PROBABILITY, without a message, if the evidence
 * is impossible, and CRD_ERROR_LIMIT if the case needs more memory than the tree may use. */
CRD_MUST_USE crd_status crd_i_family_counter_add(crd_i_family_counter *counter, const crd_i_evidence *evidence,
                                                 const bool *wanted, double weight, double *counts,
                                                 double *log_evidence, crd_error *error);

/* Reloads the current table entries of the network. States that were ruled out when the tree was compiled stay ruled
 * out. No workspace may be in use. */
CRD_MUST_USE crd_status crd_i_junction_reload(crd_i_junction *junction, crd_error *error);

/* ======== Large cliques ========
 *
 * The tables of some cliques are too large to store.
 *
 * Such a table is computed block by block, used while it is in the cache, and discarded. This is done once for the
 * message to the parent, and again, with the message from the parent, for the messages to the children. It only
 * needs memory for the messages, and takes less time than writing and rereading a large table. A block fixes some
 * variables: as many of the slowest as necessary, starting with variables shared with the parent. A block is skipped
 * if the product of the terms that depend only on fixed variables is 0. This is common when nodes are functions of
 * their parents.
 *
 * Blocks are distributed to threads in groups. Group sums are added in group order. The groups do not depend on the
 * number of threads, so all results are bit-identical. */

/* A clique with more cells is not stored, unless all cliques must be. A clique with as many cells is worth several
 * threads. */
enum { CRD_I_KEPT_CELLS = 1 << 15, CRD_I_BLOCK_CELLS = 1 << 14, CRD_I_CELLS_FOR_THREADS = 1 << 19 };

/* Return the workspace that a clique needs: operands, and cells in addition to the messages. */
size_t crd_i_operand_size(void);
size_t crd_i_blocks_operands(const crd_i_junction *junction, const crd_i_clique *clique);
double crd_i_blocks_room(const crd_i_junction_work *work, size_t clique);

/* Writes the unscaled message from a clique to its parent, by sums or by maxima. */
CRD_MUST_USE crd_status crd_i_blocks_up(crd_i_junction_work *work, size_t clique, bool by_most);

/* Uses the message from the parent, which is already divided. Computes unnormalized sums for the messages to the
 * children that need one. Also computes them for the posteriors of the clique's own variables (at their starts), and
 * for its joint tables. */
CRD_MUST_USE crd_status crd_i_blocks_down(crd_i_junction_work *work, size_t clique, double *posteriors,
                                          const crd_i_joint_posterior *joints);

/* Returns the first row that contains the largest cell, among rows consistent with `states` (by node) of the
 * variables shared with the parent. */
CRD_MUST_USE crd_status crd_i_blocks_best_row(crd_i_junction_work *work, size_t clique, const int32_t *states,
                                              size_t *row);

#endif
