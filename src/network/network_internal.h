/* SPDX-License-Identifier: MIT */
/* network_internal.h - a Bayesian network: nodes, an arc from each parent, a table at each node.
 *
 *   create, add nodes, then for each node give its parents and its table, finish; from then on it is const and shared
 * by threads.
 *
 * Tables keep the numbers as they were written. Rows of published files miss 1 by what their writers rounded away, so
 * whoever computes with a row divides it by its sum.
 *
 * A Gaussian node X, with continuous parents Y1 ... Yk (in the order of parents, discrete ones left out) and discrete
 * parents whose states are d, is conditional linear Gaussian:
 *   X | y, d ~ N(a(d) + b1(d) y1 + ... + bk(d) yk, v(d))
 * and the row of its table for d is a(d), b1(d), ..., bk(d), v(d): width k + 2, all finite, v >= 0. Only Gaussian nodes
 * have Gaussian parents, so that those of a discrete node all have states. */
#ifndef CRD_NETWORK_NETWORK_INTERNAL_H
#define CRD_NETWORK_NETWORK_INTERNAL_H

#include "base/dictionary.h"
#include "table/column_schema.h"

#include <credence/network.h>

typedef struct crd_i_node {
    crd_text name;
    crd_node_kind kind;
    crd_i_dictionary *states;     /* none of a Gaussian node */
    uint32_t *parents, *children; /* children in the order of nodes */
    size_t parent_count, child_count;
    size_t rows;  /* of the table: combinations of the discrete parents' states, those of the last varying fastest */
    size_t width; /* numbers a row: states, and of a Gaussian node the continuous parents and 2 */
    /* Rows of a probability for each state; of utilities, one number a row, whatever it is; of Gaussian nodes as above.
     * NULL where none was given yet, and for decisions. */
    double *table;
} crd_i_node;

struct crd_network {
    crd_context *context;
    crd_text name;
    crd_i_dictionary *names; /* node numbers by name */
    crd_i_node *nodes;
    size_t count, capacity;
    uint32_t *order; /* node numbers, parents before their children; NULL until finished */
    /* Owned: how the model that the network was made from reads rows. Columns match nodes by name. NULL: by nodes only. */
    crd_i_schema *reading;
};

enum { CRD_I_MOST_NODES = 1 << 24, CRD_I_MOST_STATES = 1 << 16, CRD_I_MOST_PARENTS = 4096 };

/* How far the sum of a row may be from 1: 0.01, which numbers with two digits behind the point come to, and a little
 * for the sum itself, which is rounded. */
#define CRD_I_ROW_SLACK 0.010000001

/* Files name no state of a utility, or any: it is called this. */
#define CRD_I_UTILITY_STATE "utility"

CRD_MUST_USE crd_status crd_i_network_create(crd_context *context, crd_text name, crd_network **out, crd_error *error);

/* A name that is taken is CRD_ERROR_COLUMN; so is a state that is named twice. At least one state. */
CRD_MUST_USE crd_status crd_i_network_add(crd_network *network, crd_text name, const crd_text *states,
                                          size_t state_count, size_t *node, crd_error *error);

/* What kind of node it is, unless CHANCE or Gaussian, before its parents are set. A utility has one state. */
void crd_i_network_set_kind(crd_network *network, size_t node, crd_node_kind kind);

/* A Gaussian node, which has no states. */
CRD_MUST_USE crd_status crd_i_network_add_gaussian(crd_network *network, crd_text name, size_t *node, crd_error *error);

/* A node with the name, kind and states of one of another network, and no parents. */
CRD_MUST_USE crd_status crd_i_network_add_like(crd_network *network, const crd_i_node *node, size_t *added,
                                               crd_error *error);

/* The parents of a node that has none yet, each once. Makes no table, but sets how many rows there will be, and their
 * width. A Gaussian parent of a node of another kind is CRD_ERROR_KIND. */
CRD_MUST_USE crd_status crd_i_network_set_parents(crd_network *network, size_t node, const uint32_t *parents,
                                                  size_t parent_count, crd_error *error);

/* Takes over a table of rows * width numbers, allocated in the network's context, once the parents are set; on failure
 * it stays the caller's. Numbers below zero, infinite ones and rows that do not add up to 1 are
 * CRD_ERROR_PROBABILITY; so are utilities and numbers of Gaussian nodes that are not finite, and variances below 0. */
CRD_MUST_USE crd_status crd_i_network_take_table(crd_network *network, size_t node, double *table, crd_error *error);

/* The same check of one row, `values`, that is to stand at `row`. */
CRD_MUST_USE crd_status crd_i_network_check_row(const crd_network *network, size_t node, size_t row,
                                                const double *values, crd_error *error);

/* " given a=x, b=y" for a row of a table, nothing where there are no parents, cut where there is no room. */
enum { CRD_I_ROW_WORDS = 400 };
const char *crd_i_network_row_words(const crd_network *network, const crd_i_node *node, size_t row,
                                    char room[CRD_I_ROW_WORDS]);

/* Checks the whole: a table at every node but decisions (CRD_ERROR_EMPTY), utilities without
 * children, no directed cycle (CRD_ERROR_CYCLE, naming one). */
CRD_MUST_USE crd_status crd_i_network_finish(crd_network *network, crd_error *error);

/* A copy in another context, or the same: every name, number and order. */
CRD_MUST_USE crd_status crd_i_network_clone(crd_context *context, const crd_network *network, crd_network **out,
                                            crd_error *error);

size_t crd_i_node_states(const crd_i_node *node);
/* Numbers in a row of the table. */
size_t crd_i_node_width(const crd_i_node *node);
/* Whether the node has states. */
bool crd_i_node_is_discrete(const crd_i_node *node);
/* The first Gaussian node, or SIZE_MAX. */
size_t crd_i_network_first_gaussian(const crd_network *network);
/* Of a Gaussian node: whether it is the same number whatever its parents are. */
bool crd_i_node_is_constant(const crd_i_node *node);
/* Whether a Gaussian node that is not constant has a row without variance: given its parents it is a number for certain, a
 * point mass in some cases, perhaps a density in others. */
bool crd_i_network_has_point_masses(const crd_network *network);
/* CRD_ERROR_KIND, naming a Gaussian node, for what has to have states only; `what` is the rest of the sentence "'x' is a
 * continuous node: ...". */
CRD_MUST_USE crd_status crd_i_network_check_discrete(const crd_network *network, const char *what, crd_error *error);
/* The number of a node or of a state, or -1. */
int32_t crd_i_network_find(const crd_network *network, crd_text name);
int32_t crd_i_node_find(const crd_i_node *node, crd_text state);
/* The same of a cell, which may also be a number where all states are intervals (see crd_reader_set_cuts). */
int32_t crd_i_node_find_cell(const crd_i_node *node, crd_text cell);

#endif
