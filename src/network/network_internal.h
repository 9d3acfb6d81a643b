/* SPDX-License-Identifier: MIT */
/* network_internal.h - a Bayesian network: nodes, an arc from each parent, and a table at each node.
 *
 * Usage: create, add nodes, set parents and table of each node, finish. From then on the network is const and may be
 * shared by threads.
 *
 * Tables keep the numbers as written. Row sums in published files differ from 1 by rounding, so code that computes
 * with a row divides it by its sum.
 *
 * A Gaussian node X is conditional linear Gaussian. Let Y1 ... Yk be its continuous parents, in parent order, and d
 * the states of its discrete parents. Then
 *   X | y, d ~ N(a(d) + b1(d) y1 + ... + bk(d) yk, v(d))
 * and the table row for d is a(d), b1(d), ..., bk(d), v(d). It has width k + 2, finite entries, and v >= 0. Only
 * Gaussian nodes can have Gaussian parents, so all parents of a discrete node have states. */
#ifndef CRD_NETWORK_NETWORK_INTERNAL_H
#define CRD_NETWORK_NETWORK_INTERNAL_H

#include "base/dictionary.h"
#include "table/column_schema.h"

#include <credence/network.h>

typedef struct crd_i_node {
    crd_text name;
    crd_node_kind kind;
    crd_i_dictionary *states;     /* empty for a Gaussian node */
    uint32_t *parents, *children; /* children in node order */
    size_t parent_count, child_count;
    bool is_set;  /* an intervention set the node: values in rows are not evidence about it */
    size_t rows;  /* rows of the table: combinations of discrete parent states; the last parent varies fastest */
    size_t width; /* numbers per row: the state count; for a Gaussian node, the continuous parents plus 2 */
    /* Chance nodes: a probability per state in each row. Utilities: one arbitrary number per row. Gaussian nodes: as
     * described above. NULL if not set yet, and for decisions. */
    double *table;
} crd_i_node;

struct crd_network {
    crd_context *context;
    crd_text name;
    crd_i_dictionary *names; /* node numbers by name */
    crd_i_node *nodes;
    size_t count, capacity;
    uint32_t *order; /* node numbers, parents before children; NULL until finished */
    /* Owned. The reading rules of the model that the network was created from. Columns match nodes by name. NULL:
     * use the nodes only. */
    crd_i_schema *reading;
};

enum { CRD_I_MOST_NODES = 1 << 24, CRD_I_MAX_STATES = 1 << 16, CRD_I_MAX_PARENTS = 4096 };

/* Largest deviation of a row sum from 1: 0.01, which occurs with two-digit numbers, plus a little for rounding of
 * the sum. */
#define CRD_I_ROW_SLACK 0.010000001

/* Name of the single state of a utility. Files contain no such name or an arbitrary one. */
#define CRD_I_UTILITY_STATE "utility"

CRD_MUST_USE crd_status crd_i_network_create(crd_context *context, crd_text name, crd_network **out, crd_error *error);

/* Adds a node with at least one state. Returns CRD_ERROR_COLUMN if the name is in use or a state is named twice. */
CRD_MUST_USE crd_status crd_i_network_add(crd_network *network, crd_text name, const crd_text *states,
                                          size_t state_count, size_t *node, crd_error *error);

/* Sets the node kind if it is neither CHANCE nor Gaussian. Call it before the parents are set. A utility has one
 * state. */
void crd_i_network_set_kind(crd_network *network, size_t node, crd_node_kind kind);

/* Adds a Gaussian node, which has no states. */
CRD_MUST_USE crd_status crd_i_network_add_gaussian(crd_network *network, crd_text name, size_t *node, crd_error *error);

/* Adds a node with the name, kind and states of a node of another network, without parents. */
CRD_MUST_USE crd_status crd_i_network_add_like(crd_network *network, const crd_i_node *node, size_t *added,
                                               crd_error *error);

/* Sets the parents of a node that has none yet; each may occur once. Sets the row count and width of the table, but
 * creates no table. Returns CRD_ERROR_TYPE for a Gaussian parent of a node of another kind. */
CRD_MUST_USE crd_status crd_i_network_set_parents(crd_network *network, size_t node, const uint32_t *parents,
                                                  size_t parent_count, crd_error *error);

/* Takes ownership of a table of rows * width numbers, allocated in the network's context. The parents must be set.
 * On failure the caller keeps the table. Returns CRD_ERROR_PROBABILITY for negative or infinite numbers, rows that
 * do not add up to 1, utilities and Gaussian parameters that are not finite, and negative variances. */
CRD_MUST_USE crd_status crd_i_network_take_table(crd_network *network, size_t node, double *table, crd_error *error);

/* Writes " given a=x, b=y" for a table row, or nothing if the node has no parents. Truncates the text if the buffer
 * is too small. */
enum { CRD_I_ROW_WORDS = 400 };
const char *crd_i_network_row_words(const crd_network *network, const crd_i_node *node, size_t row,
                                    char buffer[CRD_I_ROW_WORDS]);

/* Checks the whole network. Every node except decisions must have a table (CRD_ERROR_EMPTY). Utilities must not have
 * children. Arcs must not form a directed cycle (CRD_ERROR_CYCLE, naming one). */
CRD_MUST_USE crd_status crd_i_network_finish(crd_network *network, crd_error *error);

/* Copies the network, with every name, number and order, into a context. */
CRD_MUST_USE crd_status crd_i_network_clone(crd_context *context, const crd_network *network, crd_network **out,
                                            crd_error *error);

size_t crd_i_node_states(const crd_i_node *node);
/* Returns the number of entries in a table row. */
size_t crd_i_node_width(const crd_i_node *node);
/* Returns whether the node has states. */
bool crd_i_node_is_discrete(const crd_i_node *node);
/* Returns the first Gaussian node, or SIZE_MAX. */
size_t crd_i_network_first_gaussian(const crd_network *network);
/* Returns whether a Gaussian node has the same constant value for all parent values. */
bool crd_i_node_is_constant(const crd_i_node *node);
/* Returns whether a non-constant Gaussian node has a row with variance 0. Given its parents, it is then a point mass
 * in some cases and perhaps has a density in others. */
bool crd_i_network_has_point_masses(const crd_network *network);
/* Returns CRD_ERROR_TYPE and names a Gaussian node if there is one, for operations that need states. `description`
 * is the rest of the message "'x' is a continuous node: ...". */
CRD_MUST_USE crd_status crd_i_network_check_discrete(const crd_network *network, const char *description,
                                                     crd_error *error);
/* Returns the number of a node or of a state, or -1. */
int32_t crd_i_network_find(const crd_network *network, crd_text name);
int32_t crd_i_node_find(const crd_i_node *node, crd_text state);
/* Returns the number of the state for a field, or -1. If all states are intervals, the field may also be a number
 * (see crd_reader_set_cuts). */
int32_t crd_i_node_find_cell(const crd_i_node *node, crd_text cell);

/* Returns the number of children of a node. */
size_t crd_i_network_child_count(const crd_network *network, size_t node);

/* Returns the node number of a child. `child` is the child's index from 0. */
size_t crd_i_network_child(const crd_network *network, size_t node, size_t child);

/* Returns all node numbers in topological order: parents before their children. The array lives as long as the
 * network. */
const uint32_t *crd_i_network_order(const crd_network *network);

/* Adds a column to an empty schema for each node except utilities, or only for the nodes to be read, and sets the
 * missing-value words. If the network was created from a model, rows are read as the model reads them. Otherwise the
 * columns of a file without a header are the nodes in order, and the usual words mean missing unless they are
 * states. If `declares_states` is true, columns declare the states of their nodes. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_rows_fill_schema(crd_i_schema *schema, const crd_network *network, const bool *read,
                                         bool declares_states);

#endif
