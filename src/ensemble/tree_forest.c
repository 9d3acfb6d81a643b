/* SPDX-License-Identifier: MIT */
/* tree_forest.c - see tree_forest.h.
 *
 * Contents:
 *   1. Columns
 *   2. Splits
 *   3. Growth of a tree
 *   4. Averages over prunings
 *   5. The forest
 *   6. Scale and pseudo-count
 *   7. Numbers of a file
 *   8. Predictions */
#include "ensemble/tree_forest.h"

#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"
#include "math/logistic_newton.h"
#include "math/random.h"

#include <credence/classifier.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TREES = 100,
    MOST_DEPTH = 48,
    BINS = CRD_I_FOREST_MOST_BINS + 1,
    PSEUDO_COUNTS = 3,
    MOST_TABLE = 4096,     /* most counts that have precomputed functions */
    LEAST_FOR_SCALE = 10,  /* rows; with fewer, the scale is 1 */
    MOST_VALUES = 1 << 27, /* nodes times classes */
    MANY_CELLS = 1 << 14   /* rows times columns from which several threads are used */
};

static const double pseudo_counts[PSEUDO_COUNTS] = {0.5, 0.1, 0.02};

/* The largest sum of weights, so that other sums are finite, and the largest scale in a file. */
static const double MOST_WEIGHT = 1e290, MOST_SCALE = 1e6;

/* Ridge penalty, which shrinks the scale towards 1, and the relative change at which its fit stops. */
static const double RIDGE = 1, ENOUGH = 1e-7;

/* ======== 1. Columns ======== */

typedef struct weighted_number {
    double number, weight;
} weighted_number;

static int weighted_number_compare(const void *a, const void *b) {
    const weighted_number *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

/* Returns a number between two others, a < b, that is at least a and less than b. */
static double cut_between(double a, double b) {
    double middle = a / 2 + b / 2;
    return middle >= a && middle < b ? middle : a;
}

/* Cuts between distinct numbers where the weight passes the next of equally spaced shares of the total. If there are
 * few distinct numbers, cuts between all of them. */
static void column_place_cuts(crd_i_forest_column *column, const weighted_number *sorted, size_t count, double total) {
    size_t distinct = count > 0;
    for (size_t i = 1; i < count; i++) distinct += sorted[i].number != sorted[i - 1].number;
    bool is_each = distinct <= CRD_I_FOREST_MOST_BINS;
    double below = 0, next = total / CRD_I_FOREST_MOST_BINS;
    for (size_t i = 0; i + 1 < count && column->bin_count < CRD_I_FOREST_MOST_BINS; i++) {
        below += sorted[i].weight;
        if (sorted[i].number == sorted[i + 1].number || !(is_each || below >= next)) continue;
        column->cuts[column->bin_count - 1] = cut_between(sorted[i].number, sorted[i + 1].number);
        column->bin_count++;
        /* The remaining weight is divided by the remaining bins, so a frequent number does not use up several. */
        next = below + (total - below) / (double)(CRD_I_FOREST_MOST_BINS + 1 - column->bin_count);
    }
}

bool crd_i_forest_cut(crd_context *context, const double *numbers, const double *weights, size_t count,
                      crd_i_forest_column *column) {
    weighted_number *sorted = crd_i_alloc(context, count, sizeof *sorted);
    column->cuts = crd_i_alloc(context, CRD_I_FOREST_MOST_BINS, sizeof *column->cuts);
    bool done = sorted != NULL && column->cuts != NULL;
    double total = 0;
    size_t present = 0;
    for (size_t i = 0; done && i < count; i++) {
        if (isnan(numbers[i])) continue;
        sorted[present++] = (weighted_number){numbers[i], weights[i]};
    }
    column->bin_count = present > 0;
    if (done && present > 0) {
        qsort(sorted, present, sizeof *sorted, weighted_number_compare);
        for (size_t i = 0; i < present; i++) total += sorted[i].weight; /* in a fixed order */
        column_place_cuts(column, sorted, present, total);
    }
    crd_free(context, sorted);
    return done;
}

static int weighted_code_compare(const void *a, const void *b) {
    const weighted_number *x = a, *y = b; /* the number is the code */
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

bool crd_i_forest_group(crd_context *context, const double *weights, size_t count, crd_i_forest_column *column) {
    weighted_number *sorted = crd_i_alloc(context, count, sizeof *sorted);
    column->is_categorical = true;
    column->code_count = count;
    column->code_bins = crd_i_alloc_zeroed(context, count, sizeof *column->code_bins);
    bool done = sorted != NULL && column->code_bins != NULL;
    for (size_t i = 0; done && i < count; i++) sorted[i] = (weighted_number){(double)i, weights[i]};
    if (done && count > 0) qsort(sorted, count, sizeof *sorted, weighted_code_compare);
    for (size_t i = 0; done && i < count && i < CRD_I_FOREST_MOST_BINS && sorted[i].weight > 0; i++)
        column->code_bins[(size_t)sorted[i].number] = (uint8_t)++column->bin_count;
    crd_free(context, sorted);
    return done;
}

uint8_t crd_i_forest_bin_of_number(const crd_i_forest_column *column, double number) {
    if (column->bin_count == 0) return 0;
    size_t low = 0, high = column->bin_count - 1; /* the number of cuts below `number` is in low .. high */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (column->cuts[middle] < number) low = middle + 1;
        else high = middle;
    }
    return (uint8_t)(low + 1);
}

uint8_t crd_i_forest_bin_of_code(const crd_i_forest_column *column, int32_t code) {
    return code < 0 || (size_t)code >= column->code_count ? 0 : column->code_bins[code];
}

/* ======== 2. Splits ======== */

/* State shared by all trees: the rows, and tables of functions of whole numbers. */
typedef struct forest_growth {
    crd_i_forest *forest;
    const crd_i_forest_rows *rows;
    size_t tried;                          /* number of columns that a node tries */
    size_t table;                          /* counts below this have precomputed functions */
    double *count_logs;                    /* n log n */
    double *log_gammas[PSEUDO_COUNTS];     /* log Gamma(n + a) - log Gamma(a) */
    double *log_gamma_sums[PSEUDO_COUNTS]; /* log Gamma(n + K a) - log Gamma(K a) */
    double *totals[PSEUDO_COUNTS];         /* rows x classes: sums of predictions by trees that did not see the row */
    uint32_t *prediction_counts;           /* of each row: number of these trees */
    double *stops[PSEUDO_COUNTS];          /* of each node */
    size_t stop_capacities[PSEUDO_COUNTS];
    struct grown_tree *trees;          /* of each slot */
    struct tree_workspace *workspaces; /* of each thread */
    crd_i_stage stage;
} forest_growth;

typedef struct pending_node {
    size_t first, limit; /* its rows in the order of the workspace */
    size_t parent;       /* of a right child; SIZE_MAX: left child or root */
    unsigned depth;
} pending_node;

/* Scratch space of a thread. */
typedef struct tree_workspace {
    uint32_t *order, *moved; /* rows of the sample; the rows of a node are contiguous */
    double *weights;         /* weight of each row in the sample */
    double *histogram;       /* BINS x classes */
    double *bin_totals;      /* BINS */
    double *node, *left;     /* classes: weights in the node, and on the left side of a split */
    size_t *columns;         /* a permutation of the columns */
    pending_node stack[2 * MOST_DEPTH];
} tree_workspace;

/* A tree that has been grown, as in crd_i_forest. */
typedef struct grown_tree {
    crd_i_forest_node *nodes;
    size_t node_count, node_capacity;
    crd_i_forest_set *sets;
    size_t set_count, set_capacity;
    crd_i_forest_entry *entries;
    size_t entry_count, entry_capacity;
    double *stops[PSEUDO_COUNTS];
    float *values[PSEUDO_COUNTS];
    uint32_t *leaves; /* of each row outside of the sample: its leaf; otherwise UINT32_MAX */
} grown_tree;

typedef struct split_choice {
    double gain; /* larger is better; comparable within a node only */
    size_t column;
    uint8_t threshold;
    bool has_missing, is_missing_left;
    crd_i_forest_set set;
} split_choice;

static double count_log(const forest_growth *growth, double count) {
    if (count < (double)growth->table && count == floor(count)) return growth->count_logs[(size_t)count];
    return count * crd_log(count);
}

static void set_add(crd_i_forest_set *set, uint8_t bin) {
    set->words[bin / 64] |= UINT64_C(1) << bin % 64;
}

static bool set_contains(const crd_i_forest_set *set, uint8_t bin) {
    return set->words[bin / 64] >> bin % 64 & 1;
}

/* Computes the weight of each class in each bin of a column, for the rows of a node. Returns the number of bins that
 * occur, without bin 0, and lists them in ascending order; *has_missing tells whether bin 0 occurs. */
static size_t split_fill_histogram(const forest_growth *growth, tree_workspace *space, const pending_node *node,
                                   size_t column, uint8_t *bins, bool *has_missing) {
    const crd_i_forest_rows *rows = growth->rows;
    const uint8_t *cells = rows->bins + column * rows->count;
    const size_t classes = growth->forest->class_count;
    crd_i_forest_set present = {{0}};
    for (size_t i = node->first; i < node->limit; i++) {
        const uint32_t row = space->order[i];
        const uint8_t bin = cells[row];
        double *counts = space->histogram + bin * classes;
        if (!set_contains(&present, bin)) {
            set_add(&present, bin);
            space->bin_totals[bin] = 0;
            for (size_t k = 0; k < classes; k++) counts[k] = 0;
        }
        counts[rows->classes[row]] += space->weights[row];
        space->bin_totals[bin] += space->weights[row];
    }
    *has_missing = set_contains(&present, 0);
    size_t count = 0;
    for (unsigned bin = 1; bin < BINS; bin++)
        if (set_contains(&present, (uint8_t)bin)) bins[count++] = (uint8_t)bin;
    return count;
}

/* Orders the bins of a category by the share of one class, so the best division into two sets of bins for this class
 * is a prefix (Breiman et al. 1984, section 4.2). With more than two classes, the class is drawn at random. */
static void split_order_bins(const forest_growth *growth, tree_workspace *space, crd_i_random *random, uint8_t *bins,
                             size_t count) {
    const size_t classes = growth->forest->class_count;
    size_t class_index = classes - 1, present = 0;
    for (size_t k = 0; k < classes; k++) present += space->node[k] > 0;
    size_t chosen = present > 2 ? (size_t)crd_i_random_below(random, present) : 0;
    for (size_t k = 0; k < classes; k++)
        if (space->node[k] > 0 && chosen-- == 0) class_index = k;
    double shares[BINS];
    for (size_t i = 0; i < count; i++)
        shares[bins[i]] = space->histogram[bins[i] * classes + class_index] / space->bin_totals[bins[i]];
    for (size_t i = 1; i < count; i++) { /* insertion sort: stable, and most columns have few bins */
        const uint8_t bin = bins[i];
        size_t place = i;
        for (; place > 0 && shares[bins[place - 1]] > shares[bin]; place--) bins[place] = bins[place - 1];
        bins[place] = bin;
    }
}

/* Sets the bins that go left: the first `prefix` of `bins`, and for numbers those below them. If these are all bins that
 * occur, so that the split separates missing values, every bin goes left. */
static void split_set_bins(const crd_i_forest_column *column, const uint8_t *bins, size_t count, size_t prefix,
                           split_choice *split) {
    const bool are_all = prefix == count;
    split->set = (crd_i_forest_set){{0}};
    for (size_t i = 0; i < 4; i++) split->set.words[i] = are_all ? UINT64_MAX : 0;
    for (size_t i = 0; column->is_categorical && i < prefix; i++) set_add(&split->set, bins[i]);
    /* The threshold is halfway to the next bin that occurs. */
    split->threshold = are_all ? CRD_I_FOREST_MOST_BINS : (uint8_t)((bins[prefix - 1] + bins[prefix]) / 2);
}

/* Tries all divisions of the bins into a prefix and the rest, with missing values on one side. The gain is the negative
 * entropy of the classes on both sides, times the weight: sum of n_c log n_c - n log n. */
static void split_sweep(const forest_growth *growth, tree_workspace *space, size_t column, const uint8_t *bins,
                        size_t count, bool has_missing, bool is_missing_left, double node_total, split_choice *best) {
    const size_t classes = growth->forest->class_count;
    double left_total = is_missing_left ? space->bin_totals[0] : 0, left_sum = 0, right_sum = 0;
    size_t best_prefix = 0;
    for (size_t k = 0; k < classes; k++) {
        space->left[k] = is_missing_left ? space->histogram[k] : 0;
        left_sum += count_log(growth, space->left[k]);
        right_sum += count_log(growth, space->node[k] - space->left[k]);
    }
    /* A prefix of all bins is a split if missing values go right. */
    const size_t longest = has_missing && !is_missing_left ? count : count - 1;
    for (size_t i = 0; i < longest; i++) {
        const double *counts = space->histogram + bins[i] * classes;
        for (size_t k = 0; k < classes; k++) {
            if (counts[k] == 0) continue;
            const double before = space->left[k], after = before + counts[k];
            left_sum += count_log(growth, after) - count_log(growth, before);
            right_sum += count_log(growth, fmax(0, space->node[k] - after)) -
                         count_log(growth, fmax(0, space->node[k] - before));
            space->left[k] = after;
        }
        left_total += space->bin_totals[bins[i]];
        const double gain =
            left_sum - count_log(growth, left_total) + right_sum - count_log(growth, fmax(0, node_total - left_total));
        if (gain > best->gain) {
            best->gain = gain;
            best_prefix = i + 1;
        }
    }
    if (best_prefix == 0) return;
    best->column = column;
    best->has_missing = has_missing;
    best->is_missing_left = is_missing_left;
    split_set_bins(&growth->forest->columns[column], bins, count, best_prefix, best);
}

/* Tries a column. Returns false if it is constant within the node. */
static bool split_try_column(const forest_growth *growth, tree_workspace *space, const pending_node *node,
                             size_t column, double node_total, crd_i_random *random, split_choice *best) {
    uint8_t bins[BINS];
    bool has_missing;
    const size_t count = split_fill_histogram(growth, space, node, column, bins, &has_missing);
    if (count + has_missing < 2) return false;
    if (growth->forest->columns[column].is_categorical) split_order_bins(growth, space, random, bins, count);
    split_sweep(growth, space, column, bins, count, has_missing, false, node_total, best);
    if (has_missing && count > 1) split_sweep(growth, space, column, bins, count, true, true, node_total, best);
    return true;
}

/* Finds the best split of a node among a few random columns that are not constant. Returns false if there is none. */
static bool split_find(const forest_growth *growth, tree_workspace *space, const pending_node *node,
                       crd_i_random *random, split_choice *best) {
    const size_t columns = growth->forest->column_count;
    double total = 0;
    for (size_t k = 0; k < growth->forest->class_count; k++) total += space->node[k];
    *best = (split_choice){.gain = -INFINITY};
    size_t tried = 0;
    for (size_t i = 0; i < columns && tried < growth->tried; i++) {
        const size_t place = i + (size_t)crd_i_random_below(random, columns - i), column = space->columns[place];
        space->columns[place] = space->columns[i];
        space->columns[i] = column;
        tried += split_try_column(growth, space, node, column, total, random, best);
    }
    return best->gain > -INFINITY;
}

/* ======== 3. Growth of a tree ======== */

static bool node_goes_left(const crd_i_forest_node *node, const crd_i_forest_column *columns,
                           const crd_i_forest_set *sets, uint8_t bin) {
    if (bin == 0) return node->missing_side == CRD_I_FOREST_LEFT || node->missing_side == CRD_I_FOREST_BOTH_LEFT;
    return columns[node->column].is_categorical ? set_contains(&sets[node->set], bin) : bin <= node->threshold;
}

/* Draws from a Poisson distribution with mean 1. */
static unsigned draw_multiplicity(crd_i_random *random) {
    enum { MOST = 20 };
    double position = crd_i_random_uniform(random), share = crd_exp(-1), below = share;
    unsigned count = 0;
    while (position >= below && count < MOST) {
        share /= ++count;
        below += share;
    }
    return count;
}

/* Draws the bootstrap sample of a tree. Returns its number of rows. */
static size_t tree_draw_sample(const forest_growth *growth, tree_workspace *space, size_t tree) {
    const crd_i_forest_rows *rows = growth->rows;
    size_t count = 0;
    for (size_t row = 0; row < rows->count; row++) {
        crd_i_random random = crd_i_random_at(tree, rows->hashes[row]);
        space->weights[row] = draw_multiplicity(&random) * rows->weights[row];
        if (space->weights[row] > 0) space->order[count++] = (uint32_t)row;
    }
    if (count > 0) return count;
    for (size_t row = 0; row < rows->count; row++) { /* an empty sample: take all rows */
        space->weights[row] = rows->weights[row];
        if (space->weights[row] > 0) space->order[count++] = (uint32_t)row;
    }
    return count;
}

/* Computes the class weights of a node. Returns the number of classes. */
static size_t node_weigh_classes(const forest_growth *growth, tree_workspace *space, const pending_node *node) {
    const size_t classes = growth->forest->class_count;
    size_t present = 0;
    for (size_t k = 0; k < classes; k++) space->node[k] = 0;
    for (size_t i = node->first; i < node->limit; i++)
        space->node[growth->rows->classes[space->order[i]]] += space->weights[space->order[i]];
    for (size_t k = 0; k < classes; k++) present += space->node[k] > 0;
    return present;
}

/* Adds a leaf with the class weights of the workspace. */
static bool tree_add_leaf(crd_context *context, const forest_growth *growth, const tree_workspace *space,
                          grown_tree *tree, crd_i_forest_node *node) {
    node->column = -1;
    node->right = (uint32_t)tree->entry_count;
    for (size_t k = 0; k < growth->forest->class_count; k++) {
        if (!(space->node[k] > 0)) continue;
        if (!crd_i_reserve(context, &tree->entries, &tree->entry_capacity, tree->entry_count + 1,
                           sizeof *tree->entries))
            return false;
        tree->entries[tree->entry_count++] = (crd_i_forest_entry){(int32_t)k, space->node[k]};
    }
    node->set = (uint32_t)(tree->entry_count - node->right);
    return true;
}

/* Moves the rows that go left before those that go right. Returns the first one that goes right. */
static size_t node_divide_rows(const forest_growth *growth, tree_workspace *space, const grown_tree *tree,
                               const crd_i_forest_node *node, const pending_node *range) {
    const uint8_t *cells = growth->rows->bins + (size_t)node->column * growth->rows->count;
    size_t middle = range->first, moved = 0;
    for (size_t i = range->first; i < range->limit; i++) {
        const uint32_t row = space->order[i];
        if (node_goes_left(node, growth->forest->columns, tree->sets, cells[row])) space->order[middle++] = row;
        else space->moved[moved++] = row;
    }
    memcpy(space->order + middle, space->moved, moved * sizeof *space->order);
    return middle;
}

static double rows_weigh(const tree_workspace *space, size_t first, size_t limit) {
    double sum = 0;
    for (size_t i = first; i < limit; i++) sum += space->weights[space->order[i]];
    return sum;
}

/* Grows a tree, depth first. Returns false if memory runs out. If the context is cancelled, the tree is not complete. */
static bool tree_grow(const forest_growth *growth, tree_workspace *space, size_t number, grown_tree *tree) {
    crd_context *context = growth->forest->context;
    crd_i_random random = crd_i_random_at(number, UINT64_MAX);
    size_t waiting = 0;
    tree->node_count = tree->set_count = tree->entry_count = 0;
    for (size_t i = 0; i < growth->forest->column_count; i++) space->columns[i] = i;
    space->stack[waiting++] = (pending_node){0, tree_draw_sample(growth, space, number), SIZE_MAX, 0};
    while (waiting > 0 && !crd_i_context_cancelled(context)) {
        const pending_node range = space->stack[--waiting];
        if (!crd_i_reserve(context, &tree->nodes, &tree->node_capacity, tree->node_count + 1, sizeof *tree->nodes) ||
            !crd_i_reserve(context, &tree->sets, &tree->set_capacity, tree->set_count + 1, sizeof *tree->sets))
            return false;
        const size_t index = tree->node_count++;
        crd_i_forest_node *node = &tree->nodes[index];
        *node = (crd_i_forest_node){.column = -1};
        if (range.parent != SIZE_MAX) tree->nodes[range.parent].right = (uint32_t)index;
        split_choice split;
        if (node_weigh_classes(growth, space, &range) < 2 || range.depth >= MOST_DEPTH - 1 ||
            !split_find(growth, space, &range, &random, &split)) {
            if (!tree_add_leaf(context, growth, space, tree, node)) return false;
            continue;
        }
        node->column = (int32_t)split.column;
        node->threshold = split.threshold;
        node->missing_side = split.is_missing_left ? CRD_I_FOREST_LEFT : CRD_I_FOREST_RIGHT;
        if (growth->forest->columns[split.column].is_categorical) {
            node->set = (uint32_t)tree->set_count;
            tree->sets[tree->set_count++] = split.set;
        }
        const size_t middle = node_divide_rows(growth, space, tree, node, &range);
        if (!split.has_missing) {
            const double left = rows_weigh(space, range.first, middle), right = rows_weigh(space, middle, range.limit);
            node->missing_side = left > right ? CRD_I_FOREST_BOTH_LEFT : CRD_I_FOREST_BOTH_RIGHT;
        }
        space->stack[waiting++] = (pending_node){middle, range.limit, index, range.depth + 1};
        space->stack[waiting++] = (pending_node){range.first, middle, SIZE_MAX, range.depth + 1};
    }
    return true;
}

/* ======== 4. Averages over prunings ======== */

/* The nodes of one tree. */
typedef struct tree_part {
    const crd_i_forest_node *nodes;
    const crd_i_forest_entry *entries;
    size_t count, classes;
} tree_part;

/* Computes the class weights of all nodes, nodes x classes, from the class weights of the leaves. Children follow their parent. */
static void tree_sum_classes(const tree_part *tree, double *counts) {
    const size_t classes = tree->classes;
    for (size_t v = tree->count; v-- > 0;) {
        const crd_i_forest_node *node = &tree->nodes[v];
        double *sums = counts + v * classes;
        if (node->column >= 0) {
            const double *left = sums + classes, *right = counts + node->right * classes;
            for (size_t k = 0; k < classes; k++) sums[k] = left[k] + right[k];
            continue;
        }
        for (size_t k = 0; k < classes; k++) sums[k] = 0;
        for (size_t i = 0; i < node->set; i++)
            sums[tree->entries[node->right + i].class_index] = tree->entries[node->right + i].weight;
    }
}

static double log_rising(const forest_growth *growth, const double *table, double count, double start) {
    if (count < (double)growth->table && count == floor(count)) return table[(size_t)count];
    return crd_i_log_gamma(count + start) - crd_i_log_gamma(start);
}

/* Returns log L_e of class weights. */
static double log_marginal(const forest_growth *growth, size_t index, const double *counts) {
    const size_t classes = growth->forest->class_count;
    const double pseudo_count = pseudo_counts[index];
    double sum = 0, total = 0;
    for (size_t k = 0; k < classes; k++) {
        if (!(counts[k] > 0)) continue;
        sum += log_rising(growth, growth->log_gammas[index], counts[k], pseudo_count);
        total += counts[k];
    }
    return sum - log_rising(growth, growth->log_gamma_sums[index], total, (double)classes * pseudo_count);
}

/* Computes g of each node. `logs` has room for log L_w of each node. */
static void tree_find_stops(const forest_growth *growth, const tree_part *tree, size_t index, const double *counts,
                            double *logs, double *stops) {
    const double log_half = crd_log(0.5);
    for (size_t v = tree->count; v-- > 0;) {
        const double here = log_marginal(growth, index, counts + v * tree->classes);
        stops[v] = 1;
        logs[v] = here;
        if (tree->nodes[v].column < 0) continue;
        const double below = logs[v + 1] + logs[tree->nodes[v].right];
        const double largest = fmax(here, below), smallest = fmin(here, below);
        logs[v] = log_half + largest + crd_log(1 + crd_exp(smallest - largest));
        stops[v] = crd_exp(log_half + here - logs[v]);
    }
}

/* Computes the weight of each node's left child relative to the node; 1 for leaves. */
static void tree_find_left_shares(const tree_part *tree, const double *counts, double *shares) {
    for (size_t v = 0; v < tree->count; v++) {
        double left = 0, total = 0;
        shares[v] = 1;
        if (tree->nodes[v].column < 0) continue;
        for (size_t k = 0; k < tree->classes; k++) {
            left += counts[(v + 1) * tree->classes + k];
            total += counts[v * tree->classes + k];
        }
        shares[v] = total > 0 ? left / total : 0.5;
    }
}

/* Computes the values of a tree's nodes. The values of a node are the mixture of the predictions of the nodes above it, each
 * with the posterior probability that a pruning stops there, and of the node itself with the remaining probability.
 * `mixture` has room for (MOST_DEPTH + 1) x classes numbers. */
static void tree_fill_values(const tree_part *tree, const double *counts, const double *stops, double pseudo_count,
                             double *mixture, float *values) {
    const size_t classes = tree->classes;
    size_t rights[MOST_DEPTH + 1], depth = 0; /* of the nodes above: where their right subtrees begin */
    double remaining[MOST_DEPTH + 1];
    remaining[0] = 1;
    for (size_t k = 0; k < classes; k++) mixture[k] = 0;
    for (size_t v = 0; v < tree->count; v++) {
        double total = (double)classes * pseudo_count, *above;
        /* A node is the left child of the node before it, or the right child of the nearest one that waits for it. */
        if (v > 0 && tree->nodes[v - 1].column < 0)
            while (rights[depth - 1] != v) depth--;
        above = mixture + depth * classes;
        for (size_t k = 0; k < classes; k++) total += counts[v * classes + k];
        for (size_t k = 0; k < classes; k++) {
            const double share = (counts[v * classes + k] + pseudo_count) / total;
            /* above zero, also if weights are extreme, so that its logarithm is finite */
            values[v * classes + k] = (float)fmax(above[k] + remaining[depth] * share, (double)FLT_MIN);
            if (tree->nodes[v].column >= 0) above[classes + k] = above[k] + remaining[depth] * stops[v] * share;
        }
        if (tree->nodes[v].column < 0) continue;
        rights[depth] = tree->nodes[v].right;
        remaining[depth + 1] = remaining[depth] * (1 - stops[v]);
        depth++;
    }
}

/* ======== 5. The forest ======== */

/* Finds the leaf of a row, with one bin every `stride` bytes from `first`. */
static size_t tree_find_leaf(const crd_i_forest *forest, const crd_i_forest_node *nodes, const crd_i_forest_set *sets,
                             const uint8_t *bins, size_t first, size_t stride) {
    size_t v = 0;
    while (nodes[v].column >= 0) {
        const bool is_left =
            node_goes_left(&nodes[v], forest->columns, sets, bins[(size_t)nodes[v].column * stride + first]);
        v = is_left ? v + 1 : nodes[v].right;
    }
    return v;
}

/* Grows one tree, averages over its prunings with each pseudo-count, and finds the leaves of the rows outside of its
 * sample. */
static crd_status forest_grow_tree(void *user, unsigned member, size_t task, unsigned slot, crd_error *error) {
    forest_growth *growth = user;
    const crd_i_forest *forest = growth->forest;
    crd_context *context = forest->context;
    grown_tree *tree = &growth->trees[slot];
    tree_workspace *space = &growth->workspaces[member];
    if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
    if (!tree_grow(growth, space, task, tree)) return crd_i_fail_memory(error);
    if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
    const size_t nodes = tree->node_count, classes = forest->class_count;
    double *counts = crd_i_alloc(context, nodes * classes, sizeof *counts);
    double *logs = crd_i_alloc(context, nodes, sizeof *logs);
    double *mixture = crd_i_alloc(context, (MOST_DEPTH + 1) * classes, sizeof *mixture);
    bool done = counts != NULL && logs != NULL && mixture != NULL;
    const tree_part part = {tree->nodes, tree->entries, nodes, classes};
    if (done) tree_sum_classes(&part, counts);
    for (size_t i = 0; done && i < PSEUDO_COUNTS; i++) {
        crd_free(context, tree->stops[i]);
        crd_free(context, tree->values[i]);
        tree->stops[i] = crd_i_alloc(context, nodes, sizeof *tree->stops[i]);
        tree->values[i] = crd_i_alloc(context, nodes * classes, sizeof *tree->values[i]);
        done = tree->stops[i] != NULL && tree->values[i] != NULL;
        if (!done) break;
        tree_find_stops(growth, &part, i, counts, logs, tree->stops[i]);
        tree_fill_values(&part, counts, tree->stops[i], pseudo_counts[i], mixture, tree->values[i]);
    }
    for (size_t row = 0; done && row < growth->rows->count; row++)
        tree->leaves[row] = space->weights[row] > 0
                                ? UINT32_MAX
                                : (uint32_t)tree_find_leaf(forest, tree->nodes, tree->sets, growth->rows->bins, row,
                                                           growth->rows->count);
    crd_free(context, counts);
    crd_free(context, logs);
    crd_free(context, mixture);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Appends a tree to the forest. Returns false if memory runs out. */
static bool forest_append_tree(forest_growth *growth, size_t number, const grown_tree *tree) {
    crd_i_forest *forest = growth->forest;
    crd_context *context = forest->context;
    if (!crd_i_reserve(context, &forest->nodes, &forest->node_capacity, forest->node_count + tree->node_count,
                       sizeof *forest->nodes) ||
        !crd_i_reserve(context, &forest->sets, &forest->set_capacity, forest->set_count + tree->set_count + 1,
                       sizeof *forest->sets) ||
        !crd_i_reserve(context, &forest->entries, &forest->entry_capacity, forest->entry_count + tree->entry_count,
                       sizeof *forest->entries))
        return false;
    for (size_t i = 0; i < PSEUDO_COUNTS; i++) {
        if (!crd_i_reserve(context, &growth->stops[i], &growth->stop_capacities[i],
                           forest->node_count + tree->node_count, sizeof *growth->stops[i]))
            return false;
        memcpy(growth->stops[i] + forest->node_count, tree->stops[i], tree->node_count * sizeof *tree->stops[i]);
    }
    for (size_t v = 0; v < tree->node_count; v++) {
        crd_i_forest_node node = tree->nodes[v];
        if (node.column < 0) node.right += (uint32_t)forest->entry_count;
        else if (forest->columns[node.column].is_categorical) node.set += (uint32_t)forest->set_count;
        forest->nodes[forest->node_count + v] = node;
    }
    memcpy(forest->sets + forest->set_count, tree->sets, tree->set_count * sizeof *tree->sets);
    if (tree->entry_count > 0)
        memcpy(forest->entries + forest->entry_count, tree->entries, tree->entry_count * sizeof *tree->entries);
    forest->node_count += tree->node_count;
    forest->set_count += tree->set_count;
    forest->entry_count += tree->entry_count;
    forest->roots[number + 1] = forest->node_count;
    return true;
}

/* Adds a tree to the forest, and its predictions to the sums of the rows that it has not seen. */
static crd_status forest_take_tree(void *user, size_t task, unsigned slot, crd_error *error) {
    forest_growth *growth = user;
    grown_tree *tree = &growth->trees[slot];
    crd_context *context = growth->forest->context;
    const size_t classes = growth->forest->class_count;
    if (growth->forest->node_count + tree->node_count > MOST_VALUES / classes)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "method=trees needs too much memory for %zu classes and %zu rows",
                          classes, growth->rows->count);
    if (!forest_append_tree(growth, task, tree)) return crd_i_fail_memory(error);
    for (size_t row = 0; row < growth->rows->count; row++) {
        if (tree->leaves[row] == UINT32_MAX) continue;
        growth->prediction_counts[row]++;
        for (size_t i = 0; i < PSEUDO_COUNTS; i++) {
            const float *value = tree->values[i] + tree->leaves[row] * classes;
            double *total = growth->totals[i] + row * classes;
            for (size_t k = 0; k < classes; k++) total[k] += (double)value[k];
        }
    }
    for (size_t i = 0; i < PSEUDO_COUNTS; i++) { /* the largest arrays of a slot, which may wait for long */
        crd_free(context, tree->values[i]);
        tree->values[i] = NULL;
    }
    crd_i_stage_add(&growth->stage, 1);
    return CRD_OK;
}

/* Computes the tables of functions of whole numbers. Few samples have more than a fifth more rows than the table. */
static bool growth_fill_tables(forest_growth *growth, double total) {
    crd_context *context = growth->forest->context;
    const double classes = (double)growth->forest->class_count;
    growth->table = total < MOST_TABLE / 2 ? (size_t)(1.2 * total) + 32 : MOST_TABLE;
    growth->count_logs = crd_i_alloc(context, growth->table, sizeof *growth->count_logs);
    if (growth->count_logs == NULL) return false;
    for (size_t n = 0; n < growth->table; n++) growth->count_logs[n] = n == 0 ? 0 : (double)n * crd_log((double)n);
    for (size_t i = 0; i < PSEUDO_COUNTS; i++) {
        double *one = growth->log_gammas[i] = crd_i_alloc(context, growth->table, sizeof *one);
        double *sum = growth->log_gamma_sums[i] = crd_i_alloc(context, growth->table, sizeof *sum);
        if (one == NULL || sum == NULL) return false;
        const double a = pseudo_counts[i], all = classes * a;
        for (size_t n = 0; n < growth->table; n++) {
            one[n] = crd_i_log_gamma((double)n + a) - crd_i_log_gamma(a);
            sum[n] = crd_i_log_gamma((double)n + all) - crd_i_log_gamma(all);
        }
    }
    return true;
}

/* Allocates the state that trees share, the workspaces of threads, and the slots of trees. `total` is the weight of all
 * rows. */
static bool growth_open(forest_growth *growth, double total, unsigned threads, size_t slots) {
    crd_context *context = growth->forest->context;
    const size_t rows = growth->rows->count, classes = growth->forest->class_count;
    growth->forest->roots = crd_i_alloc_zeroed(context, TREES + 1, sizeof *growth->forest->roots);
    growth->prediction_counts = crd_i_alloc_zeroed(context, rows, sizeof *growth->prediction_counts);
    growth->workspaces = crd_i_alloc_zeroed(context, threads, sizeof *growth->workspaces);
    growth->trees = crd_i_alloc_zeroed(context, slots, sizeof *growth->trees);
    bool done = growth_fill_tables(growth, total) && growth->forest->roots != NULL &&
                growth->prediction_counts != NULL && growth->workspaces != NULL && growth->trees != NULL;
    for (size_t i = 0; done && i < PSEUDO_COUNTS; i++) {
        growth->totals[i] = crd_i_alloc_zeroed(context, rows * classes, sizeof *growth->totals[i]);
        done = growth->totals[i] != NULL;
    }
    for (size_t i = 0; done && i < slots; i++) {
        growth->trees[i].leaves = crd_i_alloc(context, rows, sizeof *growth->trees[i].leaves);
        done = growth->trees[i].leaves != NULL;
    }
    for (size_t i = 0; done && i < threads; i++) {
        tree_workspace *space = &growth->workspaces[i];
        space->order = crd_i_alloc(context, rows, sizeof *space->order);
        space->moved = crd_i_alloc(context, rows, sizeof *space->moved);
        space->weights = crd_i_alloc(context, rows, sizeof *space->weights);
        space->histogram = crd_i_alloc(context, BINS * classes, sizeof *space->histogram);
        space->bin_totals = crd_i_alloc(context, BINS, sizeof *space->bin_totals);
        space->node = crd_i_alloc(context, 2 * classes, sizeof *space->node);
        space->columns = crd_i_alloc(context, growth->forest->column_count, sizeof *space->columns);
        done = space->order != NULL && space->moved != NULL && space->weights != NULL && space->histogram != NULL &&
               space->bin_totals != NULL && space->node != NULL && space->columns != NULL;
        if (done) space->left = space->node + classes;
    }
    return done;
}

static void growth_close(forest_growth *growth, unsigned threads, size_t slots) {
    crd_context *context = growth->forest->context;
    for (size_t i = 0; i < PSEUDO_COUNTS; i++) {
        crd_free(context, growth->log_gammas[i]);
        crd_free(context, growth->log_gamma_sums[i]);
        crd_free(context, growth->totals[i]);
        crd_free(context, growth->stops[i]);
    }
    for (size_t i = 0; growth->trees != NULL && i < slots; i++) {
        grown_tree *tree = &growth->trees[i];
        for (size_t j = 0; j < PSEUDO_COUNTS; j++) {
            crd_free(context, tree->stops[j]);
            crd_free(context, tree->values[j]);
        }
        crd_free(context, tree->nodes);
        crd_free(context, tree->sets);
        crd_free(context, tree->entries);
        crd_free(context, tree->leaves);
    }
    for (size_t i = 0; growth->workspaces != NULL && i < threads; i++) {
        tree_workspace *space = &growth->workspaces[i];
        crd_free(context, space->order);
        crd_free(context, space->moved);
        crd_free(context, space->weights);
        crd_free(context, space->histogram);
        crd_free(context, space->bin_totals);
        crd_free(context, space->node);
        crd_free(context, space->columns);
    }
    crd_free(context, growth->count_logs);
    crd_free(context, growth->prediction_counts);
    crd_free(context, growth->workspaces);
    crd_free(context, growth->trees);
}

/* Computes the values of all trees, from the class weights in the leaves and the stops. */
static bool forest_fill_values(crd_i_forest *forest) {
    crd_context *context = forest->context;
    const size_t classes = forest->class_count;
    size_t largest = 0;
    for (size_t t = 0; t < forest->tree_count; t++)
        largest = forest->roots[t + 1] - forest->roots[t] > largest ? forest->roots[t + 1] - forest->roots[t] : largest;
    double *counts = crd_i_alloc(context, largest * classes, sizeof *counts);
    double *mixture = crd_i_alloc(context, (MOST_DEPTH + 1) * classes, sizeof *mixture);
    forest->values = crd_i_alloc(context, forest->node_count * classes, sizeof *forest->values);
    forest->left_shares = crd_i_alloc(context, forest->node_count, sizeof *forest->left_shares);
    forest->base = crd_i_alloc_zeroed(context, classes, sizeof *forest->base);
    bool done = counts != NULL && mixture != NULL && forest->values != NULL && forest->left_shares != NULL &&
                forest->base != NULL;
    for (size_t t = 0; done && t < forest->tree_count; t++) {
        const size_t root = forest->roots[t];
        const tree_part part = {forest->nodes + root, forest->entries, forest->roots[t + 1] - root, classes};
        float *values = forest->values + root * classes;
        tree_sum_classes(&part, counts);
        tree_find_left_shares(&part, counts, forest->left_shares + root);
        tree_fill_values(&part, counts, forest->stops + root, forest->pseudo_count, mixture, values);
        for (size_t k = 0; k < classes; k++) forest->base[k] += (double)values[k];
    }
    for (size_t k = 0; done && k < classes; k++) forest->base[k] /= (double)forest->tree_count;
    crd_free(context, counts);
    crd_free(context, mixture);
    return done;
}

/* ======== 6. Scale and pseudo-count ======== */

/* Fits the scale to the predictions for rows that the trees have not seen, with one pseudo-count. *loss is the sum of
 * log losses. Without enough rows the scale is 1. Returns false if memory runs out. */
static bool growth_fit_scale(const forest_growth *growth, size_t index, double *scale, double *loss) {
    const crd_i_forest_rows *rows = growth->rows;
    crd_context *context = growth->forest->context;
    const size_t classes = growth->forest->class_count;
    double *logs = crd_i_alloc(context, rows->count * classes, sizeof *logs);
    double *weights = crd_i_alloc(context, rows->count, sizeof *weights);
    bool done = logs != NULL && weights != NULL, has_converged;
    for (size_t row = 0; done && row < rows->count; row++) {
        const uint32_t count = growth->prediction_counts[row];
        weights[row] = count > 0 ? rows->weights[row] : 0;
        for (size_t k = 0; k < classes; k++)
            logs[row * classes + k] = count > 0 ? crd_log(growth->totals[index][row * classes + k] / count) : 0;
    }
    const crd_i_logistic problem = {.rows = rows->count,
                                    .classes = classes,
                                    .features = 1,
                                    .values = logs,
                                    .truths = rows->classes,
                                    .weights = weights,
                                    .holds_above_zero = true,
                                    .ridge = RIDGE,
                                    .enough = ENOUGH};
    *scale = 1;
    if (done) done = crd_i_logistic_fit(context, &problem, scale, NULL, loss, &has_converged);
    crd_free(context, logs);
    crd_free(context, weights);
    return done;
}

/* Chooses the pseudo-count with the lowest loss, and its scale and stops. */
static bool growth_choose(forest_growth *growth) {
    crd_i_forest *forest = growth->forest;
    size_t chosen = 0;
    double lowest = INFINITY;
    forest->scale = 1;
    bool can_fit = growth->rows->count >= LEAST_FOR_SCALE && forest->class_count > 1;
    for (size_t i = 0; can_fit && i < PSEUDO_COUNTS; i++) {
        double scale, loss;
        if (!growth_fit_scale(growth, i, &scale, &loss)) return false;
        if (!(loss < lowest)) continue;
        lowest = loss;
        chosen = i;
        forest->scale = scale;
    }
    forest->pseudo_count = pseudo_counts[chosen];
    forest->stops = growth->stops[chosen];
    growth->stops[chosen] = NULL;
    return true;
}

crd_status crd_i_forest_grow(crd_i_forest *forest, const crd_i_forest_rows *rows, crd_error *error) {
    /* Few columns: one more than the square root, so that the best of them is among the tried ones more often. */
    enum { FEW_COLUMNS = 8 };
    const size_t columns = forest->column_count;
    size_t tried = (size_t)(sqrt((double)columns) + 0.5) + (columns < FEW_COLUMNS);
    if (tried > columns) tried = columns;
    double total = 0;
    for (size_t row = 0; row < rows->count; row++) total += rows->weights[row];
    if (!(total <= MOST_WEIGHT))
        return crd_i_fail(error, CRD_ERROR_LIMIT, "the weights of the rows are too large for decision trees");
    forest_growth growth = {.forest = forest, .rows = rows, .tried = tried};
    const unsigned threads = rows->count * (columns + 1) < MANY_CELLS ? 1 : crd_i_parallel_members(0, TREES);
    const size_t slots = threads == 1 ? 1 : (size_t)threads * CRD_I_SLOTS_OF_THREAD;
    forest->tree_count = TREES;
    const crd_i_ordered_work work = {
        .user = &growth, .tasks = TREES, .threads = threads, .work = forest_grow_tree, .take = forest_take_tree};
    crd_status status = growth_open(&growth, total, threads, slots) ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) {
        crd_i_stage_begin(&growth.stage, "growing trees", TREES);
        status = crd_i_ordered_work_run(forest->context, &work, error);
        crd_i_stage_end(&growth.stage);
    }
    if (status == CRD_OK && !growth_choose(&growth)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && crd_i_context_cancelled(forest->context)) status = crd_i_fail_cancelled(error);
    growth_close(&growth, threads, slots);
    if (status == CRD_OK && !forest_fill_values(forest)) status = crd_i_fail_memory(error);
    return status;
}

bool crd_i_forest_hold_out(const crd_i_forest *forest, const crd_i_forest_rows *rows, double *logs) {
    const size_t classes = forest->class_count;
    size_t *counts = crd_i_alloc_zeroed(forest->context, rows->count, sizeof *counts);
    if (counts == NULL) return false;
    for (size_t i = 0; i < rows->count * classes; i++) logs[i] = 0;
    for (size_t t = 0; t < forest->tree_count && !crd_i_context_cancelled(forest->context); t++) {
        const size_t root = forest->roots[t];
        for (size_t row = 0; row < rows->count; row++) {
            crd_i_random random = crd_i_random_at(t, rows->hashes[row]);
            if (draw_multiplicity(&random) > 0) continue;
            const size_t leaf =
                tree_find_leaf(forest, forest->nodes + root, forest->sets, rows->bins, row, rows->count);
            const float *value = forest->values + (root + leaf) * classes;
            for (size_t k = 0; k < classes; k++) logs[row * classes + k] += (double)value[k];
            counts[row]++;
        }
    }
    for (size_t i = 0; i < rows->count * classes; i++) {
        const size_t count = counts[i / classes];
        logs[i] = forest->scale * crd_log(count > 0 ? logs[i] / (double)count : forest->base[i % classes]);
    }
    crd_free(forest->context, counts);
    return true;
}

void crd_i_forest_clear(crd_i_forest *forest) {
    crd_context *context = forest->context;
    for (size_t i = 0; forest->columns != NULL && i < forest->column_count; i++) {
        crd_free(context, forest->columns[i].cuts);
        crd_free(context, forest->columns[i].code_bins);
    }
    crd_free(context, forest->columns);
    crd_free(context, forest->nodes);
    crd_free(context, forest->stops);
    crd_free(context, forest->left_shares);
    crd_free(context, forest->values);
    crd_free(context, forest->roots);
    crd_free(context, forest->sets);
    crd_free(context, forest->entries);
    crd_free(context, forest->base);
    *forest = (crd_i_forest){.context = context};
}

/* ======== 7. Numbers of a file ========
 *
 * trees, columns, classes, scale, pseudo-count
 * each column:  0, bins, cuts               numeric
 *               1, bins, categories, bins   categorical
 * each node:    column, side of missing values, stop, threshold or 8 words of 32 bits
 *               -1, classes, then each class and its weight     leaf */

enum { WORDS_OF_SET = 8, WORD_BITS = 32 };

typedef struct number_list {
    crd_context *context;
    double *numbers;
    size_t count, capacity;
    bool has_failed;
} number_list;

static void number_list_add(number_list *list, double number) {
    if (list->has_failed ||
        !crd_i_reserve(list->context, &list->numbers, &list->capacity, list->count + 1, sizeof *list->numbers)) {
        list->has_failed = true;
        return;
    }
    list->numbers[list->count++] = number;
}

static void column_encode(number_list *list, const crd_i_forest_column *column) {
    number_list_add(list, column->is_categorical);
    number_list_add(list, (double)column->bin_count);
    for (size_t i = 0; !column->is_categorical && i + 1 < column->bin_count; i++)
        number_list_add(list, column->cuts[i]);
    if (!column->is_categorical) return;
    number_list_add(list, (double)column->code_count);
    for (size_t i = 0; i < column->code_count; i++) number_list_add(list, column->code_bins[i]);
}

static void node_encode(number_list *list, const crd_i_forest *forest, size_t index) {
    const crd_i_forest_node *node = &forest->nodes[index];
    number_list_add(list, node->column);
    if (node->column < 0) {
        number_list_add(list, node->set);
        for (size_t i = 0; i < node->set; i++) {
            number_list_add(list, forest->entries[node->right + i].class_index);
            number_list_add(list, forest->entries[node->right + i].weight);
        }
        return;
    }
    number_list_add(list, node->missing_side);
    number_list_add(list, forest->stops[index]);
    if (!forest->columns[node->column].is_categorical) {
        number_list_add(list, node->threshold);
        return;
    }
    for (size_t i = 0; i < WORDS_OF_SET; i++)
        number_list_add(list, (double)(uint32_t)(forest->sets[node->set].words[i / 2] >> i % 2 * WORD_BITS));
}

bool crd_i_forest_encode(const crd_i_forest *forest, double **numbers, size_t *count) {
    number_list list = {.context = forest->context};
    number_list_add(&list, (double)forest->tree_count);
    number_list_add(&list, (double)forest->column_count);
    number_list_add(&list, (double)forest->class_count);
    number_list_add(&list, forest->scale);
    number_list_add(&list, forest->pseudo_count);
    for (size_t i = 0; i < forest->column_count; i++) column_encode(&list, &forest->columns[i]);
    for (size_t i = 0; i < forest->node_count; i++) node_encode(&list, forest, i);
    if (list.has_failed) crd_free(list.context, list.numbers);
    *numbers = list.has_failed ? NULL : list.numbers;
    *count = list.has_failed ? 0 : list.count;
    return !list.has_failed;
}

/* Numbers of a file that are being read. A number that is missing or out of range makes all of them invalid. */
typedef struct number_reader {
    const double *numbers;
    size_t count, position;
    bool is_invalid;
} number_reader;

/* Returns the next number, if it is in low .. high; otherwise `low`. */
static double number_read(number_reader *reader, double low, double high) {
    double number = reader->position < reader->count ? reader->numbers[reader->position++] : NAN;
    if (number >= low && number <= high) return number;
    reader->is_invalid = true;
    return low;
}

static size_t whole_read(number_reader *reader, size_t low, size_t high) {
    double number = number_read(reader, (double)low, (double)high);
    if (number != floor(number)) reader->is_invalid = true;
    return (size_t)number;
}

/* Reads the bins of a column, whose number of categories must be `codes`; 0: it must be numeric. Returns false if
 * memory runs out. */
static bool column_decode(crd_context *context, crd_i_forest_column *column, size_t codes, number_reader *reader) {
    column->is_categorical = whole_read(reader, 0, 1) == 1;
    column->bin_count = whole_read(reader, 0, CRD_I_FOREST_MOST_BINS);
    if (column->is_categorical != (codes > 0)) reader->is_invalid = true;
    if (reader->is_invalid) return true;
    if (!column->is_categorical) {
        column->cuts = crd_i_alloc(context, CRD_I_FOREST_MOST_BINS, sizeof *column->cuts);
        for (size_t i = 0; column->cuts != NULL && i + 1 < column->bin_count; i++)
            column->cuts[i] = number_read(reader, i == 0 ? -INFINITY : column->cuts[i - 1], INFINITY);
        return column->cuts != NULL;
    }
    column->code_count = whole_read(reader, codes, codes);
    column->code_bins = crd_i_alloc_zeroed(context, codes, sizeof *column->code_bins);
    for (size_t i = 0; column->code_bins != NULL && !reader->is_invalid && i < codes; i++)
        column->code_bins[i] = (uint8_t)whole_read(reader, 0, column->bin_count);
    return column->code_bins != NULL;
}

/* Reads the classes of a leaf. Returns false if memory runs out. */
static bool leaf_decode(crd_i_forest *forest, crd_i_forest_node *node, number_reader *reader) {
    const size_t count = whole_read(reader, 0, forest->class_count);
    node->right = (uint32_t)forest->entry_count;
    node->set = (uint32_t)count;
    if (forest->entry_count > UINT32_MAX - count) reader->is_invalid = true;
    if (reader->is_invalid) return true;
    if (!crd_i_reserve(forest->context, &forest->entries, &forest->entry_capacity, forest->entry_count + count,
                       sizeof *forest->entries))
        return false;
    for (size_t i = 0; i < count; i++) {
        crd_i_forest_entry *entry = &forest->entries[forest->entry_count++];
        const size_t least = i == 0 ? 0 : (size_t)entry[-1].class_index + 1;
        entry->class_index = (int32_t)whole_read(reader, least, forest->class_count - 1);
        entry->weight = number_read(reader, 0, MOST_WEIGHT);
        if (reader->is_invalid) return true;
    }
    return true;
}

/* Reads the split of an internal node. Returns false if memory runs out. */
static bool split_decode(crd_i_forest *forest, crd_i_forest_node *node, double *stop, number_reader *reader) {
    node->missing_side = (uint8_t)whole_read(reader, 0, CRD_I_FOREST_BOTH_LEFT);
    *stop = number_read(reader, 0, 1);
    if (!forest->columns[node->column].is_categorical) {
        node->threshold = (uint8_t)whole_read(reader, 0, CRD_I_FOREST_MOST_BINS);
        return true;
    }
    if (!crd_i_reserve(forest->context, &forest->sets, &forest->set_capacity, forest->set_count + 1,
                       sizeof *forest->sets))
        return false;
    crd_i_forest_set set = {{0}};
    for (size_t i = 0; i < WORDS_OF_SET; i++)
        set.words[i / 2] |= (uint64_t)whole_read(reader, 0, UINT32_MAX) << i % 2 * WORD_BITS;
    node->set = (uint32_t)forest->set_count;
    forest->sets[forest->set_count++] = set;
    return true;
}

/* Reads a tree: a node, then its left and its right subtree. Returns false if memory runs out. */
static bool tree_decode(crd_i_forest *forest, size_t number, number_reader *reader) {
    size_t waiting[MOST_DEPTH], count = 0;  /* nodes whose right subtree has not been read */
    unsigned levels[MOST_DEPTH], level = 0; /* their depths, and the depth of the next node */
    const size_t root = forest->node_count;
    for (;;) {
        const size_t most = MOST_VALUES / forest->class_count;
        if (forest->node_count >= most) reader->is_invalid = true;
        if (reader->is_invalid) return true;
        if (!crd_i_reserve(forest->context, &forest->nodes, &forest->node_capacity, forest->node_count + 1,
                           sizeof *forest->nodes) ||
            !crd_i_reserve(forest->context, &forest->stops, &forest->stop_capacity, forest->node_count + 1,
                           sizeof *forest->stops))
            return false;
        const size_t index = forest->node_count++;
        crd_i_forest_node *node = &forest->nodes[index];
        const double column = number_read(reader, -1, (double)forest->column_count - 1);
        *node = (crd_i_forest_node){.column = (int32_t)column};
        forest->stops[index] = 1;
        if (column != floor(column)) reader->is_invalid = true;
        if (reader->is_invalid) return true;
        if (node->column >= 0) {
            if (!split_decode(forest, node, &forest->stops[index], reader)) return false;
            if (level + 1 >= MOST_DEPTH) {
                reader->is_invalid = true;
                return true;
            }
            levels[count] = level++;
            waiting[count++] = index;
            continue;
        }
        if (!leaf_decode(forest, node, reader)) return false;
        if (count == 0) break;
        forest->nodes[waiting[--count]].right = (uint32_t)(forest->node_count - root);
        level = levels[count] + 1;
    }
    forest->roots[number + 1] = forest->node_count;
    return true;
}

bool crd_i_forest_decode(crd_i_forest *forest, const size_t *codes, const double *numbers, size_t count,
                         bool *is_valid) {
    number_reader reader = {numbers, count, 0, false};
    *is_valid = false;
    forest->tree_count = whole_read(&reader, 1, TREES);
    whole_read(&reader, forest->column_count, forest->column_count);
    whole_read(&reader, forest->class_count, forest->class_count);
    forest->scale = number_read(&reader, 0, MOST_SCALE);
    forest->pseudo_count = number_read(&reader, pseudo_counts[PSEUDO_COUNTS - 1], pseudo_counts[0]);
    if (reader.is_invalid) return true;
    forest->columns = crd_i_alloc_zeroed(forest->context, forest->column_count, sizeof *forest->columns);
    forest->roots = crd_i_alloc_zeroed(forest->context, forest->tree_count + 1, sizeof *forest->roots);
    if (forest->columns == NULL || forest->roots == NULL) return false;
    for (size_t i = 0; !reader.is_invalid && i < forest->column_count; i++)
        if (!column_decode(forest->context, &forest->columns[i], codes[i], &reader)) return false;
    for (size_t t = 0; !reader.is_invalid && t < forest->tree_count; t++)
        if (!tree_decode(forest, t, &reader)) return false;
    if (reader.is_invalid || reader.position != count) return true;
    *is_valid = true;
    return forest_fill_values(forest);
}

/* ======== 8. Predictions ======== */

/* A part of a row on its way through a tree. Missing values divide a row into several parts. */
typedef struct row_part {
    size_t node;
    double weight;
} row_part;

/* Returns the nodes to which a part goes on from an internal node: one, or both children. */
static size_t row_part_descend(const crd_i_forest *forest, size_t root, const row_part *part, uint8_t bin,
                               row_part children[2]) {
    const crd_i_forest_node *node = &forest->nodes[part->node];
    const size_t left = part->node + 1, right = root + node->right;
    if (bin == 0 && node->missing_side >= CRD_I_FOREST_BOTH_RIGHT) {
        const double share = forest->left_shares[part->node];
        children[0] = (row_part){right, part->weight * (1 - share)};
        children[1] = (row_part){left, part->weight * share};
        return 2;
    }
    children[0] = (row_part){node_goes_left(node, forest->columns, forest->sets, bin) ? left : right, part->weight};
    return 1;
}

double crd_i_forest_predict(const crd_i_forest *forest, const uint8_t *bins, double *means) {
    const size_t classes = forest->class_count;
    double wholeness = 0;
    for (size_t k = 0; k < classes; k++) means[k] = 0;
    for (size_t t = 0; t < forest->tree_count; t++) {
        row_part parts[MOST_DEPTH + 2];
        size_t waiting = 0;
        parts[waiting++] = (row_part){forest->roots[t], 1};
        while (waiting > 0) {
            row_part part = parts[--waiting];
            const int32_t column = forest->nodes[part.node].column;
            if (column >= 0) {
                waiting += row_part_descend(forest, forest->roots[t], &part, bins[column], parts + waiting);
                continue;
            }
            const float *value = forest->values + part.node * classes;
            for (size_t k = 0; k < classes; k++) means[k] += part.weight * (double)value[k];
            wholeness += part.weight * part.weight;
        }
    }
    for (size_t k = 0; k < classes; k++) means[k] /= (double)forest->tree_count;
    return 1 + (forest->scale - 1) * (wholeness / (double)forest->tree_count);
}

void crd_i_forest_contributions(const crd_i_forest *forest, const uint8_t *bins, double *contributions) {
    const size_t classes = forest->class_count;
    for (size_t i = 0; i < forest->column_count * classes; i++) contributions[i] = 0;
    for (size_t t = 0; t < forest->tree_count; t++) {
        row_part parts[MOST_DEPTH + 2];
        size_t waiting = 0;
        parts[waiting++] = (row_part){forest->roots[t], 1 / (double)forest->tree_count};
        while (waiting > 0) {
            const row_part part = parts[--waiting];
            const int32_t column = forest->nodes[part.node].column;
            if (column < 0) continue;
            const size_t count = row_part_descend(forest, forest->roots[t], &part, bins[column], parts + waiting);
            const float *here = forest->values + part.node * classes;
            for (size_t i = 0; i < count; i++) {
                const float *value = forest->values + parts[waiting + i].node * classes;
                for (size_t k = 0; k < classes; k++)
                    contributions[(size_t)column * classes + k] +=
                        parts[waiting + i].weight * ((double)value[k] - (double)here[k]);
            }
            waiting += count;
        }
    }
}
