/* SPDX-License-Identifier: MIT */
/* tree_forest.h - class probabilities of rows, averaged over randomized decision trees and over all their prunings.
 *
 * A tree splits the rows again and again, until all rows of a leaf have one class. Which pruning of it predicts best is
 * not known, so all of them are averaged, weighted by their posterior probabilities. A node with class counts n_c, as a
 * leaf of a pruning, has the marginal likelihood of a Dirichlet prior with pseudo-count a for each of K classes:
 *
 *   L_e = Gamma(K a) / Gamma(n + K a) * product over c of Gamma(n_c + a) / Gamma(a)
 *
 * A pruning stops at each node with prior probability 1/2. So the likelihood of all prunings below a node is
 *
 *   L_w = 1/2 L_e + 1/2 L_w(left) L_w(right)     (L_e at a leaf),
 *
 * and the posterior probability that a pruning stops at the node, if it reaches it, is g = 1/2 L_e / L_w. The average
 * prediction for a row is a mixture of (n_c + a) / (n + K a) along its path. It takes one pass over the path, although
 * the number of prunings is exponential (Willems, Shtarkov and Tjalkens 1995; Buntine 1992).
 *
 * Each tree is grown on a bootstrap sample (Breiman 2001), in which the weight of each row is multiplied by a draw from a
 * Poisson distribution with mean 1. A node uses the split with the largest information gain among a few
 * random columns. The forest averages the trees. Rows outside of a tree's sample are predicted by that tree without
 * having been seen. These predictions choose the pseudo-count and a scale s, and P(c | x) is proportional to
 * (mean over the trees)^s.
 *
 * The random numbers of a row depend on its content. Stored rows have a fixed order, so the forest depends neither on the
 * order of training nor on threads.
 *
 * Contents:
 *   1. Columns
 *   2. The forest
 *   3. Predictions */
#ifndef CRD_ENSEMBLE_TREE_FOREST_H
#define CRD_ENSEMBLE_TREE_FOREST_H

#include "base/context.h"

#include <stddef.h>
#include <stdint.h>

/* ======== 1. Columns ========
 *
 * The values of a column are divided into bins. Bin 0 contains missing and rare values. */

enum { CRD_I_FOREST_MOST_BINS = 255 };

typedef struct crd_i_forest_column {
    bool is_categorical;
    size_t bin_count;   /* without bin 0 */
    double *cuts;       /* numeric: bin_count - 1, ascending; bin b holds cuts[b - 2] < x <= cuts[b - 1] */
    size_t code_count;  /* categorical: number of categories */
    uint8_t *code_bins; /* categorical: bin of each category */
} crd_i_forest_column;

/* Creates the bins of a numeric column from numbers in any order, each with a weight; NaN is missing. There is one bin
 * for each distinct number, or bins of about equal weight. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_forest_cut(crd_context *context, const double *numbers, const double *weights, size_t count,
                                   crd_i_forest_column *column);
/* Creates the bins of a categorical column from the weight of each category. The heaviest have bins of their own. */
CRD_MUST_USE bool crd_i_forest_group(crd_context *context, const double *weights, size_t count,
                                     crd_i_forest_column *column);
/* Return the bin of a number that is not NaN, and of a category; a negative code is missing. */
uint8_t crd_i_forest_bin_of_number(const crd_i_forest_column *column, double number);
uint8_t crd_i_forest_bin_of_code(const crd_i_forest_column *column, int32_t code);

/* ======== 2. The forest ======== */

/* The side to which a split sends rows with a missing value. If the node had none in training, they go both ways,
 * weighted by the weights of the children. The name says which child is heavier, for code that follows one path. */
typedef enum crd_i_forest_side {
    CRD_I_FOREST_RIGHT,
    CRD_I_FOREST_LEFT,
    CRD_I_FOREST_BOTH_RIGHT,
    CRD_I_FOREST_BOTH_LEFT
} crd_i_forest_side;

typedef struct crd_i_forest_node {
    int32_t column;       /* -1: leaf */
    uint32_t right;       /* right child, counted from the root; the left child is the next node. Leaf: first entry */
    uint32_t set;         /* categorical: set of bins that go left. Leaf: number of entries */
    uint8_t threshold;    /* numeric: bins up to this one go left */
    uint8_t missing_side; /* crd_i_forest_side of bin 0 */
} crd_i_forest_node;

typedef struct crd_i_forest_set {
    uint64_t words[4]; /* one bit for each bin */
} crd_i_forest_set;

/* The weight of a class in a leaf. */
typedef struct crd_i_forest_entry {
    int32_t class_index;
    double weight;
} crd_i_forest_entry;

typedef struct crd_i_forest {
    crd_context *context;
    crd_i_forest_column *columns;
    size_t column_count, class_count, tree_count;
    double pseudo_count, scale;
    crd_i_forest_node *nodes; /* tree after tree; within a tree, a node precedes its left and then its right subtree */
    double *stops;            /* of each node: g */
    double *left_shares;      /* of each node: weight of the left child relative to the node */
    float *values;            /* nodes x classes: prediction of the prunings that end at the node or above it */
    size_t node_count, node_capacity, stop_capacity;
    size_t *roots; /* first node of each tree, then node_count */
    crd_i_forest_set *sets;
    size_t set_count, set_capacity;
    crd_i_forest_entry *entries;
    size_t entry_count, entry_capacity;
    double *base; /* mean of the values at the roots */
} crd_i_forest;

/* Training rows. */
typedef struct crd_i_forest_rows {
    size_t count;
    const uint8_t *bins; /* column after column */
    const int32_t *classes;
    const double *weights;
    const uint64_t *hashes;
} crd_i_forest_rows;

/* Grows a forest on the rows. `forest` has the columns and classes set, and is otherwise zeroed. Returns
 * CRD_ERROR_LIMIT if the trees have too many nodes times classes. Clear the forest in any case. */
CRD_MUST_USE crd_status crd_i_forest_grow(crd_i_forest *forest, const crd_i_forest_rows *rows, crd_error *error);
void crd_i_forest_clear(crd_i_forest *forest);

/* Computes the logarithm of the scaled prediction for each of the rows that the forest was grown on, rows x classes,
 * by the trees whose samples do not contain the row. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_forest_hold_out(const crd_i_forest *forest, const crd_i_forest_rows *rows, double *logs);

/* Writes the forest as numbers, from which crd_i_forest_decode restores it. The caller frees *numbers with crd_free.
 * false: out of memory. */
CRD_MUST_USE bool crd_i_forest_encode(const crd_i_forest *forest, double **numbers, size_t *count);
/* Restores a forest whose context, column_count and class_count are set. *is_valid is false if the numbers do not
 * encode a forest with these columns; `codes` has the number of categories of each column (0: numeric). Returns false if
 * memory runs out. Clear the forest in any case. */
CRD_MUST_USE bool crd_i_forest_decode(crd_i_forest *forest, const size_t *codes, const double *numbers, size_t count,
                                      bool *is_valid);

/* ======== 3. Predictions ======== */

/* Computes the mean of the trees' predictions for a row, given its bins, before it is scaled. Returns the scale for the
 * row. Missing values can divide a row into parts with weights w. The scale was fitted to whole rows, so it is
 * 1 + (s - 1) times the mean over the trees of the sum of w^2, which is 1 for a whole row. */
double crd_i_forest_predict(const crd_i_forest *forest, const uint8_t *bins, double *means);
/* Computes what each column contributes to this mean, columns x classes: the change of the prediction at the nodes that
 * split by the column, averaged over the trees. The contributions and the base sum to the mean. */
void crd_i_forest_contributions(const crd_i_forest *forest, const uint8_t *bins, double *contributions);

#endif
