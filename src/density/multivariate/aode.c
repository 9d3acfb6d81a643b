/* SPDX-License-Identifier: MIT */
/* aode.c - averaged one-dependence estimators (AODE; Webb, Boughton and Wang 2005). Each attribute in turn is the
 * parent of all others, in addition to the class.
 *
 * Each present cell p of a row may be the parent. Its estimator of the cells x under class c is
 *
 *   P_p(x | c) = P(x_p | c) prod_j P(x_j | c, x_p)
 *
 * The density is the weighted mean of these estimators over all parents:
 *
 *   P(x | c) = sum_p w_p P_p(x | c) / sum_p w_p,    w_p = the mutual information of attribute p and the class
 *
 * The weights are from Jiang and Zhang 2006. So naive Bayes's independence is assumed only given another attribute, and
 * no structure search is necessary. Since the result is a density under the class, it can be combined with any class
 * prior.
 *
 * Probabilities are estimated from pair counts with the smoothing of the settings. Let n_jp be the number of rows of
 * class c that have both values, n_p the number that have x_p and any value of attribute j, and t the number of values
 * of j:
 *
 *   none       n_jp / n_p
 *   m:M        (n_jp + M p) / (n_p + M), p = 1 / t or the overall share of x_j
 *   laplace:L  (n_jp + L) / (n_p + L t)
 *
 * If n_p = 0 without smoothing, P(x_j | c) is used instead. Values that no row has are not used as parents. Missing
 * cells and unknown categories are ignored. For a row without any parent, the density is prod_j P(x_j | c).
 *
 * If all rows with value a also have value b, and there are at least LEAST_IMPLIED of them, then b adds no information
 * once a is known. It would be counted twice, so it is ignored in rows with a (subsumption resolution; Zheng and Webb
 * 2006).
 *
 * Numeric columns are discretized.
 *
 * The logarithms are arranged by parent. For each value of each attribute, the logarithms of all values of all other
 * attributes are adjacent in memory, with the classes innermost. So for each cell of a row, the evaluation reads one
 * contiguous block and adds.
 *
 * Contents:
 *   1. Discretization
 *   2. The density
 *   3. Probabilities
 *   4. Derivation
 *   5. Scoring rows */
#include "density/multivariate/joint_density.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "density/multivariate/entropy_discretization.h"
#include "math/functions/elementary.h"
#include "stats/pair_counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct crd_i_pair_bins {
    crd_context *context;
    crd_i_arena *arena;
    size_t column_count;
    crd_i_pairs_bins
        *columns;    /* for each column: the bin of each value or axis cell; no bins: the column has no type */
    int32_t **bins;  /* the arrays that `columns` points to */
    int32_t *places; /* for each condition of the tally: its position in the view */
    double *cuts;    /* column i begins at i * CRD_I_AXIS_MOST: the lower limits of its bins, except the first */
} crd_i_pair_bins;

/* ======== 1. Discretization ========
 *
 * Maps the values of a pair-counts joint tally to the items of a density: categories to their position in the view,
 * numbers to bins. */

/* Inverts an order: returns for each of `known` numbers its position in `order`, or -1 if it does not occur. NULL: out
 * of memory. */
static int32_t *pair_bins_places(crd_i_arena *arena, size_t known, const int32_t *order, size_t count) {
    int32_t *places = crd_i_arena_alloc(arena, known, sizeof *places);
    if (places == NULL) return NULL;
    for (size_t i = 0; i < known; i++) places[i] = -1;
    for (size_t i = 0; i < count; i++)
        if ((size_t)order[i] < known) places[order[i]] = (int32_t)i;
    return places;
}

/* Returns the midpoint of two numbers. The result is above `low` and at most `high`, even after rounding. */
static double pair_bins_between(double low, double high) {
    double middle = low / 2 + high / 2;
    return middle > low && middle <= high ? middle : high;
}

/* Merges the axis cells of a numeric column into bins, and computes where these begin. */
static bool cut_numbers(crd_i_pair_bins *pair, const crd_i_joint_source *joint_source, size_t column) {
    const crd_i_axis *axis = crd_i_pairs_axis(joint_source->joint_tally, column);
    size_t classes = joint_source->view.condition_count, cells = axis->count;
    int32_t order[CRD_I_AXIS_MOST], joined[CRD_I_AXIS_MOST];
    double *counts = crd_i_alloc(pair->context, (2 * cells + 1) * classes, sizeof *counts);
    pair->bins[column] = crd_i_arena_alloc(pair->arena, cells, sizeof *joined);
    if (counts == NULL || pair->bins[column] == NULL) {
        crd_free(pair->context, counts);
        return false;
    }
    crd_i_axis_order(axis, order);
    for (size_t i = 0; i < cells; i++)
        for (size_t k = 0; k < classes; k++)
            counts[i * classes + k] = crd_i_pairs_single(joint_source->joint_tally, column, (size_t)order[i],
                                                         (size_t)joint_source->view.conditions[k]);
    size_t count = crd_i_entropy_bins(counts, cells, classes, counts + cells * classes, joined);
    crd_free(pair->context, counts);

    double least, greatest, before = 0, *cuts = pair->cuts + column * CRD_I_AXIS_MOST;
    for (size_t i = 0; i < cells; i++) {
        pair->bins[column][order[i]] = joined[i];
        crd_i_axis_ends(axis, (size_t)order[i], &least, &greatest);
        if (i > 0 && joined[i] != joined[i - 1]) *cuts++ = pair_bins_between(before, least);
        before = greatest;
    }
    pair->columns[column] = (crd_i_pairs_bins){column, pair->bins[column], count};
    return true;
}

static bool number_values(crd_i_pair_bins *pair, const crd_i_joint_source *joint_source, size_t column) {
    const crd_i_view *view = &joint_source->view.columns[column];
    pair->bins[column] =
        pair_bins_places(pair->arena, joint_source->joint_tally->value_counts[column], view->values, view->value_count);
    pair->columns[column] = (crd_i_pairs_bins){column, pair->bins[column], view->value_count};
    return pair->bins[column] != NULL;
}

/* Creates the bins of all columns in `scratch`, and their limits in `cuts`. Returns false if memory runs out. */
static bool pair_bins_init(crd_i_pair_bins *pair, crd_context *context, crd_i_arena *scratch, double *cuts,
                           const crd_i_joint_source *joint_source) {
    const crd_i_joint_tally *joint_tally = joint_source->joint_tally;
    size_t columns = joint_tally->column_count;
    *pair = (crd_i_pair_bins){.context = context, .arena = scratch, .column_count = columns, .cuts = cuts};
    pair->columns = crd_i_arena_alloc_zeroed(scratch, columns, sizeof *pair->columns);
    pair->bins = crd_i_arena_alloc_zeroed(scratch, columns, sizeof(int32_t *));
    pair->places = pair_bins_places(scratch, joint_tally->conditions, joint_source->view.conditions,
                                    joint_source->view.condition_count);
    bool done = !crd_i_arena_failed(scratch);
    for (size_t column = 0; done && column < columns; column++) {
        if (joint_tally->types[column] == CRD_TYPE_NUMERIC) done = cut_numbers(pair, joint_source, column);
        if (joint_tally->types[column] == CRD_TYPE_CATEGORICAL) done = number_values(pair, joint_source, column);
    }
    return done;
}

/* Returns the bin of `number`, by binary search. `count` is the number of bins. */
static size_t pair_bins_find(const double *cuts, size_t count, double number) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (number >= cuts[middle]) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ======== 2. The density ======== */

static const double LEAST_IMPLIED = 100;
/* The minimum weight. If no single attribute is informative about the class, all parents have the same weight. */
static const double LEAST_WEIGHT = 0x1p-40;

/* An item is a value, or bin, of an attribute. Items are numbered consecutively, attribute by attribute. Attributes
 * with fewer than two values have no items, since they carry no information. */
typedef struct aode_attribute {
    size_t items, first;
    bool is_number;
    double weight, log_weight;
    size_t logs; /* index in aode_a1de.logs of the logarithms of its first item */
} aode_attribute;

/* Every row that has item `first` also has item `end`. */
typedef struct aode_implication {
    size_t first, end;
} aode_implication;

typedef struct aode_a1de {
    crd_i_joint base;
    bool *takes;
    crd_i_smoothing smoothing;
    bool is_marginal;
    double strength;
    aode_attribute *attributes; /* one for each column */
    size_t items;
    size_t *owners;                 /* for each item: its column */
    double *cuts;                   /* as in crd_i_pair_bins */
    double *counts;                 /* [item][class] */
    double *totals;                 /* for each item: its count over all classes */
    double *shares;                 /* for each item: its share among the items of its attribute */
    double *singles;                /* [item][class], log P(x | c) */
    double *logs;                   /* [parent item][item of another attribute][class], log P(x | c, parent) */
    aode_implication *implications; /* sorted by `first` */
    size_t implication_count, implication_capacity;
    size_t *implied; /* for each item: the index of its first implication; the last entry is the end */
    size_t numbers, most_bins, estimated;
} aode_a1de;

/* The input: the joint tally and the bins of its columns. */
typedef struct aode_reader {
    const crd_i_joint_tally *joint_tally;
    crd_i_pair_bins bins;
} aode_reader;

static void aode_destroy(crd_i_joint *base) {
    crd_free(base->context, ((aode_a1de *)base)->implications);
    crd_i_arena_destroy(base->arena);
}

/* Numbers the items of each column. */
static void number_items(aode_a1de *joint, const aode_reader *reader) {
    for (size_t column = 0; column < joint->base.column_count; column++) {
        aode_attribute *attribute = &joint->attributes[column];
        size_t bins = reader->bins.columns[column].bin_count;
        joint->takes[column] = reader->joint_tally->types[column] != CRD_TYPE_NONE;
        attribute->is_number = reader->joint_tally->types[column] == CRD_TYPE_NUMERIC;
        attribute->first = joint->items;
        attribute->items = bins < 2 ? 0 : bins;
        joint->items += attribute->items;
        if (attribute->is_number) joint->numbers++;
        if (attribute->is_number && bins > joint->most_bins) joint->most_bins = bins;
    }
}

/* ======== 3. Probabilities ======== */

/* Returns the log of a smoothed probability of a value, count / total without smoothing. `values` is the number of
 * values of the attribute. `share` is the prior probability of the value, if smoothing is m:M with overall shares. */
static double log_share(const aode_a1de *joint, double count, double total, size_t values, double share) {
    double strength = joint->strength;
    switch (joint->smoothing) {
    case CRD_I_SMOOTHING_M:
        if (!joint->is_marginal) share = 1 / (double)values;
        return crd_i_log_ratio(count + strength * share, total + strength);
    case CRD_I_SMOOTHING_LAPLACE: return crd_i_log_ratio(count + strength, total + strength * (double)values);
    case CRD_I_SMOOTHING_NONE: break;
    }
    return crd_i_log_ratio(count, total);
}

/* Counts the items of a column. Counts arrive in no particular order, so they are summed exactly. */
static bool count_singles(aode_a1de *joint, const aode_reader *reader, size_t column) {
    const aode_attribute *attribute = &joint->attributes[column];
    size_t classes = joint->base.conditions;
    if (attribute->items > 0 &&
        !crd_i_pairs_gather_singles(reader->joint_tally, &reader->bins.columns[column], reader->bins.places, classes,
                                    joint->counts + attribute->first * classes))
        return false;
    for (size_t i = 0; i < attribute->items; i++)
        for (size_t k = 0; k < classes; k++)
            joint->totals[attribute->first + i] += joint->counts[(attribute->first + i) * classes + k];
    double all = 0;
    for (size_t i = 0; i < attribute->items; i++) all += joint->totals[attribute->first + i];
    for (size_t i = 0; i < attribute->items; i++) {
        size_t item = attribute->first + i;
        joint->owners[item] = column;
        joint->shares[item] = all > 0 ? joint->totals[item] / all : 1 / (double)attribute->items;
    }
    return true;
}

/* Computes log P(x | c) of a column's items, and the column's weight: its mutual information with the class. */
static void aode_weigh(aode_a1de *joint, size_t column) {
    aode_attribute *attribute = &joint->attributes[column];
    size_t classes = joint->base.conditions;
    double all = 0, information = 0;
    for (size_t i = 0; i < attribute->items; i++) all += joint->totals[attribute->first + i];
    for (size_t k = 0; k < classes; k++) {
        double total = 0;
        for (size_t i = 0; i < attribute->items; i++) total += joint->counts[(attribute->first + i) * classes + k];
        for (size_t i = 0; i < attribute->items; i++) {
            size_t item = attribute->first + i, index = item * classes + k;
            double count = joint->counts[index];
            bool is_open = joint->smoothing == CRD_I_SMOOTHING_NONE && total == 0;
            joint->singles[index] = is_open ? crd_i_log_ratio(joint->shares[item], 1)
                                            : log_share(joint, count, total, attribute->items, joint->shares[item]);
            if (count > 0) information += count / all * crd_log(count / joint->totals[item] * (all / total));
        }
    }
    attribute->weight = information > LEAST_WEIGHT ? information : LEAST_WEIGHT;
}

/* Divides the weights by the largest weight. So equal weights become 1 and add 0 to the logarithms. */
static void scale_weights(aode_a1de *joint) {
    double most = LEAST_WEIGHT;
    for (size_t column = 0; column < joint->base.column_count; column++)
        if (joint->attributes[column].weight > most) most = joint->attributes[column].weight;
    for (size_t column = 0; column < joint->base.column_count; column++) {
        aode_attribute *attribute = &joint->attributes[column];
        attribute->weight /= most;
        attribute->log_weight = crd_log(attribute->weight);
    }
}

/* Returns where the logarithms of `item` given the item `parent` are stored. */
static double *logs_of(const aode_a1de *joint, size_t parent, size_t item) {
    const aode_attribute *attribute = &joint->attributes[joint->owners[parent]];
    size_t others = joint->items - attribute->items, place = item < attribute->first ? item : item - attribute->items;
    return joint->logs + attribute->logs + ((parent - attribute->first) * others + place) * joint->base.conditions;
}

static bool aode_imply(aode_a1de *joint, size_t first, size_t limit) {
    if (!crd_i_reserve(joint->base.context, &joint->implications, &joint->implication_capacity,
                       joint->implication_count + 1, sizeof *joint->implications))
        return false;
    joint->implications[joint->implication_count++] = (aode_implication){first, limit};
    return true;
}

/* Computes the probabilities of the items of column b given the item `parent` of another column, from the counts of the
 * rows that have `parent`. Records an implication if all these rows have the same item of column b. false: out of
 * memory. */
static bool aode_depend(aode_a1de *joint, size_t parent, size_t b, const double *counts) {
    const aode_attribute *attribute = &joint->attributes[b];
    size_t classes = joint->base.conditions, only = 0, having = 0;
    double all = 0;
    for (size_t i = 0; i < attribute->items; i++) {
        double sum = 0;
        for (size_t k = 0; k < classes; k++) sum += counts[i * classes + k];
        if (sum > 0) only = attribute->first + i, having++;
        all += sum;
    }
    if (having == 1 && all >= LEAST_IMPLIED && !aode_imply(joint, parent, only)) return false;
    for (size_t k = 0; k < classes; k++) {
        double total = 0;
        for (size_t i = 0; i < attribute->items; i++) total += counts[i * classes + k];
        bool is_open = joint->smoothing == CRD_I_SMOOTHING_NONE && total == 0;
        for (size_t i = 0; i < attribute->items; i++)
            logs_of(joint, parent, attribute->first + i)[k] =
                is_open ? joint->singles[(attribute->first + i) * classes + k]
                        : log_share(joint, counts[i * classes + k], total, attribute->items,
                                    joint->shares[attribute->first + i]);
    }
    return true;
}

/* Computes the probabilities of a pair of columns, with each as the parent of the other. `counts` has room for the
 * counts of the pair, twice. */
static bool depend_both(aode_a1de *joint, const aode_reader *reader, size_t a, size_t b, double *counts) {
    const aode_attribute *first = &joint->attributes[a], *second = &joint->attributes[b];
    size_t classes = joint->base.conditions;
    double *turned = counts + first->items * second->items * classes;
    if (!crd_i_pairs_gather(reader->joint_tally, &reader->bins.columns[a], &reader->bins.columns[b],
                            reader->bins.places, classes, counts))
        return false;
    for (size_t i = 0; i < first->items; i++)
        for (size_t j = 0; j < second->items; j++)
            memcpy(turned + (j * first->items + i) * classes, counts + (i * second->items + j) * classes,
                   classes * sizeof *counts);
    for (size_t i = 0; i < first->items; i++)
        if (!aode_depend(joint, first->first + i, b, counts + i * second->items * classes)) return false;
    for (size_t j = 0; j < second->items; j++)
        if (!aode_depend(joint, second->first + j, a, turned + j * first->items * classes)) return false;
    return true;
}

/* Computes the probabilities of all pairs of columns. `counts` has room for the two columns with the most items, twice.
 * Returns false if memory runs out or the context is cancelled. */
static bool depend_all(aode_a1de *joint, const aode_reader *reader) {
    size_t columns = joint->base.column_count, most = 0, next = 0;
    for (size_t column = 0; column < columns; column++) {
        size_t items = joint->attributes[column].items;
        if (items > next) next = items > most ? most : items;
        if (items > most) most = items;
    }
    double *counts = crd_i_alloc(joint->base.context, 2 * most * next * joint->base.conditions, sizeof *counts);
    bool done = counts != NULL;
    for (size_t a = 0; done && a < columns; a++)
        for (size_t b = a + 1; done && joint->attributes[a].items > 0 && b < columns; b++)
            if (joint->attributes[b].items > 0)
                done = !crd_i_context_cancelled(joint->base.context) && depend_both(joint, reader, a, b, counts);
    crd_free(joint->base.context, counts);
    return done;
}

static int compare_implications(const void *a, const void *b) {
    const aode_implication *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Sorts the implications by their first item, and indexes them in `implied`. */
static void sort_implications(aode_a1de *joint) {
    if (joint->implication_count > 0)
        qsort(joint->implications, joint->implication_count, sizeof *joint->implications, compare_implications);
    for (size_t item = 0, index = 0; item <= joint->items; item++) {
        while (index < joint->implication_count && joint->implications[index].first < item) index++;
        joint->implied[item] = index;
    }
}

/* ======== 4. Derivation ======== */

/* Allocates and computes all probabilities. Returns false if memory runs out or the context is cancelled. */
static bool make_logs(aode_a1de *joint, const aode_reader *reader) {
    crd_i_arena *arena = joint->base.arena;
    size_t columns = joint->base.column_count, classes = joint->base.conditions, logs = 0;
    for (size_t column = 0; column < columns; column++) {
        aode_attribute *attribute = &joint->attributes[column];
        attribute->logs = logs;
        logs += attribute->items * (joint->items - attribute->items) * classes;
        /* The last probability follows from the others, under each class and for each parent. */
        if (attribute->items > 0)
            joint->estimated += (attribute->items - 1) * (1 + joint->items - attribute->items) * classes;
    }
    joint->owners = crd_i_arena_alloc(arena, joint->items, sizeof *joint->owners);
    joint->counts = crd_i_arena_alloc_zeroed(arena, joint->items * classes, sizeof *joint->counts);
    joint->totals = crd_i_arena_alloc_zeroed(arena, joint->items, sizeof *joint->totals);
    joint->shares = crd_i_arena_alloc(arena, joint->items, sizeof *joint->shares);
    joint->singles = crd_i_arena_alloc(arena, joint->items * classes, sizeof *joint->singles);
    joint->logs = crd_i_arena_alloc(arena, logs, sizeof *joint->logs);
    joint->implied = crd_i_arena_alloc(arena, joint->items + 1, sizeof *joint->implied);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t column = 0; column < columns; column++)
        if (!count_singles(joint, reader, column)) return false;
    for (size_t column = 0; column < columns; column++) aode_weigh(joint, column);
    scale_weights(joint);
    if (!depend_all(joint, reader)) return false;
    sort_implications(joint);
    return true;
}

/* Returns the workspace size for one row, in doubles: the item of each column, the remaining items, and a term for each
 * class and parent. */
static size_t aode_workspace_size(const aode_a1de *joint) {
    return joint->base.column_count * (2 + joint->base.conditions) + joint->base.conditions;
}

/* Derives the density from a pair-counts joint tally. Errors: CRD_ERROR_MEMORY, CRD_ERROR_CANCELLED. */
static crd_status aode_derive(crd_context *context, const crd_i_joint_source *joint_source,
                              const crd_settings *settings, crd_i_joint **out, crd_error *error) {
    size_t columns = joint_source->joint_tally->column_count;
    *out = NULL;
    aode_a1de *joint = crd_i_arena_object(context, sizeof *joint);
    if (joint == NULL) return crd_i_fail_memory(error);
    crd_i_arena *arena = joint->base.arena, *scratch = crd_i_arena_create(context);
    joint->base = (crd_i_joint){.arena = arena,
                                .type = &crd_i_joint_a1de,
                                .context = context,
                                .conditions = joint_source->view.condition_count,
                                .column_count = columns};
    joint->smoothing = settings->smoothing;
    joint->strength = settings->smoothing_strength;
    joint->is_marginal = settings->smoothing_marginal;
    joint->attributes = crd_i_arena_alloc_zeroed(arena, columns, sizeof *joint->attributes);
    joint->takes = crd_i_arena_alloc_zeroed(arena, columns, sizeof *joint->takes);
    joint->cuts = crd_i_arena_alloc(arena, columns * CRD_I_AXIS_MOST, sizeof *joint->cuts);
    joint->base.takes = joint->takes;
    joint->base.capacity = aode_workspace_size(joint);
    aode_reader reader = {.joint_tally = joint_source->joint_tally};
    bool done = joint->cuts != NULL && pair_bins_init(&reader.bins, context, scratch, joint->cuts, joint_source);
    if (done) {
        number_items(joint, &reader);
        done = make_logs(joint, &reader);
    }
    crd_i_arena_destroy(scratch);
    if (!done) {
        aode_destroy(&joint->base);
        return crd_i_context_cancelled(context) ? crd_i_fail_cancelled(error) : crd_i_fail_memory(error);
    }
    *out = &joint->base;
    return CRD_OK;
}

/* ======== 5. Scoring rows ======== */

/* Item numbers are stored in a workspace of doubles by their bits. They are never used as doubles. */
static const uint64_t NO_ITEM = UINT64_MAX;

static uint64_t aode_item(const double *workspace, size_t i) {
    uint64_t item;
    memcpy(&item, workspace + i, sizeof item);
    return item;
}

static void put_item(double *workspace, size_t i, uint64_t item) {
    memcpy(workspace + i, &item, sizeof item);
}

/* Returns the item of a cell; NO_ITEM if the cell is missing, its category is unknown, or its column has no items. */
static uint64_t item_of(const aode_a1de *joint, size_t column, const crd_i_joint_cell *cell) {
    const aode_attribute *attribute = &joint->attributes[column];
    if (attribute->items == 0 || !cell->is_present) return NO_ITEM;
    if (!attribute->is_number)
        return cell->code < 0 || (size_t)cell->code >= attribute->items ? NO_ITEM
                                                                        : attribute->first + (size_t)cell->code;
    return attribute->first + pair_bins_find(joint->cuts + column * CRD_I_AXIS_MOST, attribute->items, cell->number);
}

/* Drops the items that are implied by other cells of the row. If two items imply each other, the first one stays, so at
 * least one remains. */
static void leave_out_implied(const aode_a1de *joint, double *items) {
    for (size_t column = 0; column < joint->base.column_count; column++) {
        uint64_t item = aode_item(items, column);
        if (item == NO_ITEM) continue;
        for (size_t i = joint->implied[item]; i < joint->implied[item + 1]; i++) {
            size_t limit = joint->implications[i].end, other = joint->owners[limit];
            if (aode_item(items, other) == limit) put_item(items, other, NO_ITEM);
        }
    }
}

/* Adds the logarithms of the items from `begin` to `end` - 1, given a parent, to the sums of the classes. `logs` are
 * the parent's logarithms, which do not include the parent's own attribute. Therefore `less` is subtracted from item
 * numbers after that attribute. */
static void add_items(const double *restrict logs, const double *items, size_t begin, size_t end, size_t less,
                      size_t classes, double *restrict sums) {
    for (size_t i = begin; i < end; i++) {
        const double *restrict source = logs + (aode_item(items, i) - less) * classes;
        for (size_t k = 0; k < classes; k++) sums[k] += source[k];
    }
}

/* Adds the log density of a row to the sum of each class: the log of the weighted mean over its parents. */
static void aode_add(const crd_i_joint *base, const crd_i_joint_cell *cells, double *sums, double *workspace) {
    const aode_a1de *joint = (const aode_a1de *)base;
    size_t classes = base->conditions, columns = base->column_count, count = 0, parents = 0;
    double *items = workspace, *left = items + columns, *parent_sums = left + columns, *terms = parent_sums + classes;
    for (size_t column = 0; column < columns; column++) put_item(items, column, item_of(joint, column, &cells[column]));
    leave_out_implied(joint, items);
    for (size_t column = 0; column < columns; column++)
        if (aode_item(items, column) != NO_ITEM) put_item(left, count++, aode_item(items, column));

    double weights = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t item = (size_t)aode_item(left, i);
        const aode_attribute *attribute = &joint->attributes[joint->owners[item]];
        if (!(joint->totals[item] > 0)) continue;
        memcpy(parent_sums, joint->singles + item * classes, classes * sizeof *parent_sums);
        const double *logs =
            joint->logs + attribute->logs + (item - attribute->first) * (joint->items - attribute->items) * classes;
        add_items(logs, left, 0, i, 0, classes, parent_sums);
        add_items(logs, left, i + 1, count, attribute->items, classes, parent_sums);
        for (size_t k = 0; k < classes; k++) terms[k * columns + parents] = parent_sums[k] + attribute->log_weight;
        weights += attribute->weight;
        parents++;
    }
    if (parents == 0) {
        memset(parent_sums, 0, classes * sizeof *parent_sums);
        add_items(joint->singles, left, 0, count, 0, classes, parent_sums);
        for (size_t k = 0; k < classes; k++) sums[k] += parent_sums[k];
        return;
    }
    double log_weights = crd_log(weights);
    for (size_t k = 0; k < classes; k++) sums[k] += crd_i_log_sum_exp(terms + k * columns, parents) - log_weights;
}

size_t crd_i_aode_pair_count(const crd_i_joint *base) {
    return base->column_count * (base->column_count + 1) / 2;
}

void crd_i_aode_pair_terms(const crd_i_joint *base, const crd_i_joint_cell *cells, double *values, double *workspace) {
    const aode_a1de *joint = (const aode_a1de *)base;
    size_t classes = base->conditions, columns = base->column_count;
    for (size_t i = 0; i < crd_i_aode_pair_count(base) * classes; i++) values[i] = 0;
    for (size_t column = 0; column < columns; column++)
        put_item(workspace, column, item_of(joint, column, &cells[column]));
    double *pair = values + columns * classes;
    for (size_t i = 0; i < columns; i++) {
        uint64_t item = aode_item(workspace, i);
        const aode_attribute *attribute = &joint->attributes[i];
        if (item != NO_ITEM) memcpy(values + i * classes, joint->singles + item * classes, classes * sizeof *values);
        for (size_t j = i + 1; j < columns; j++, pair += classes) {
            uint64_t other = aode_item(workspace, j);
            if (item == NO_ITEM || other == NO_ITEM || !(joint->totals[item] > 0)) continue;
            const double *logs =
                joint->logs + attribute->logs + (item - attribute->first) * (joint->items - attribute->items) * classes;
            const double *given = logs + (other - attribute->items) * classes,
                         *alone = joint->singles + other * classes;
            /* Without smoothing, both may be impossible. The pair then adds nothing to the single term. */
            for (size_t k = 0; k < classes; k++) pair[k] = alone[k] > -INFINITY ? given[k] - alone[k] : 0;
        }
    }
}

/* Lists the items, weights and cut points of the columns. A numeric column has items - 1 cut points, which follow the
 * cut points of the columns before it. */
static bool list_items(const aode_a1de *joint, crd_i_parameter_list *parameter) {
    size_t columns = joint->base.column_count, cut_count = 0, next = 0;
    double *items = crd_i_parameter_list_vector(parameter, "items", columns);
    double *numbers = items == NULL ? NULL : crd_i_parameter_list_vector(parameter, "is_number", columns);
    double *weights = numbers == NULL ? NULL : crd_i_parameter_list_vector(parameter, "weight", columns);
    double *logs = weights == NULL ? NULL : crd_i_parameter_list_vector(parameter, "log_weight", columns);
    for (size_t i = 0; logs != NULL && i < columns; i++) {
        const aode_attribute *attribute = &joint->attributes[i];
        items[i] = (double)attribute->items;
        numbers[i] = attribute->is_number;
        weights[i] = attribute->weight;
        logs[i] = attribute->log_weight;
        if (attribute->is_number && attribute->items > 0) cut_count += attribute->items - 1;
    }
    double *cuts = logs == NULL ? NULL : crd_i_parameter_list_vector(parameter, "cut", cut_count);
    for (size_t i = 0; cuts != NULL && i < columns; i++)
        for (size_t c = 0; joint->attributes[i].is_number && c + 1 < joint->attributes[i].items; c++)
            cuts[next++] = joint->cuts[i * CRD_I_AXIS_MOST + c];
    return cuts != NULL;
}

/* Lists the parameters for export: the items, their counts, the logarithms and the implications. */
static bool aode_list_parameters(const crd_i_joint *base, crd_i_parameter_list *parameter) {
    const aode_a1de *joint = (const aode_a1de *)base;
    size_t pairs = 0;
    for (size_t i = 0; i < base->column_count; i++)
        pairs += joint->attributes[i].items * (joint->items - joint->attributes[i].items);
    if (!list_items(joint, parameter) || !crd_i_parameter_list_copy(parameter, "rows", joint->totals, joint->items, 1))
        return false;
    double *singles = crd_i_parameter_list_matrix(parameter, "log_single", joint->items, base->conditions);
    double *logs = singles == NULL ? NULL : crd_i_parameter_list_matrix(parameter, "log_pair", pairs, base->conditions);
    double *implied =
        logs == NULL ? NULL : crd_i_parameter_list_matrix(parameter, "implies", joint->implication_count, 2);
    if (implied == NULL) return false;
    if (joint->items > 0) memcpy(singles, joint->singles, joint->items * base->conditions * sizeof *singles);
    if (pairs > 0) memcpy(logs, joint->logs, pairs * base->conditions * sizeof *logs);
    for (size_t i = 0; i < joint->implication_count; i++) {
        implied[2 * i] = (double)joint->implications[i].first;
        implied[2 * i + 1] = (double)joint->implications[i].end;
    }
    return true;
}

static bool aode_estimates(const crd_i_joint *base, crd_i_estimates *out) {
    const aode_a1de *joint = (const aode_a1de *)base;
    return crd_i_estimates_add(out, "probabilities given the class and another attribute", joint->estimated);
}

static void aode_describe(const crd_i_joint *base, char *out, size_t size) {
    const aode_a1de *joint = (const aode_a1de *)base;
    size_t parents = 0;
    for (size_t column = 0; column < base->column_count; column++) parents += joint->attributes[column].items > 0;
    int length = snprintf(out, size, "each of %zu attributes in turn is the parent of the others", parents);
    if (joint->numbers > 0 && length > 0 && (size_t)length < size)
        snprintf(out + length, size - (size_t)length, "; numbers in up to %zu bins", joint->most_bins);
}

const crd_i_joint_type crd_i_joint_a1de = {
    .name = "aode",
    .summary = "averaged one-dependence estimators: each attribute in turn is the parent of all others",
    .reads = &crd_i_pair_counts,
    .derive = aode_derive,
    .destroy = aode_destroy,
    .add = aode_add,
    .estimates = aode_estimates,
    .list_parameters = aode_list_parameters,
    .describe = aode_describe,
};
