/* SPDX-License-Identifier: MIT */
/* pair_bins.c - see pair_bins.h.
 *
 * Adjacent cells of a numeric column are merged by entropy_discretization.h. A bin ends halfway between its last cell
 * and the next one. The outermost bins are unbounded. */
#include "density/multivariate/pair_bins.h"

#include "base/memory.h"
#include "density/multivariate/entropy_discretization.h"

#include <string.h>

/* Inverts an order: returns for each of `known` numbers its position in `order`, or -1 if it does not occur. NULL: out
 * of memory. */
static int32_t *pair_bins_places(crd_context *context, size_t known, const int32_t *order, size_t count) {
    int32_t *places = crd_i_alloc(context, known, sizeof *places);
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
    pair->bins[column] = crd_i_alloc(pair->context, cells, sizeof *joined);
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
    pair->bins[column] = pair_bins_places(pair->context, joint_source->joint_tally->value_counts[column], view->values,
                                          view->value_count);
    pair->columns[column] = (crd_i_pairs_bins){column, pair->bins[column], view->value_count};
    return pair->bins[column] != NULL;
}

bool crd_i_pair_bins_init(crd_i_pair_bins *pair, crd_context *context, const crd_i_joint_source *joint_source) {
    const crd_i_joint_tally *joint_tally = joint_source->joint_tally;
    size_t columns = joint_tally->column_count;
    memset(pair, 0, sizeof *pair);
    pair->context = context;
    pair->column_count = columns;
    pair->columns = crd_i_alloc_zeroed(context, columns, sizeof *pair->columns);
    pair->bins = crd_i_alloc_zeroed(context, columns, sizeof(int32_t *));
    pair->places = pair_bins_places(context, joint_tally->conditions, joint_source->view.conditions,
                                    joint_source->view.condition_count);
    pair->cuts = crd_i_alloc(context, columns * CRD_I_AXIS_MOST, sizeof *pair->cuts);
    bool done = pair->columns != NULL && pair->bins != NULL && pair->places != NULL && pair->cuts != NULL;
    for (size_t column = 0; done && column < columns; column++) {
        if (joint_tally->kinds[column] == CRD_KIND_NUMBER) done = cut_numbers(pair, joint_source, column);
        if (joint_tally->kinds[column] == CRD_KIND_CATEGORY) done = number_values(pair, joint_source, column);
    }
    return done;
}

void crd_i_pair_bins_clear(crd_i_pair_bins *pair) {
    for (size_t column = 0; pair->bins != NULL && column < pair->column_count; column++)
        crd_free(pair->context, pair->bins[column]);
    crd_free(pair->context, pair->bins);
    crd_free(pair->context, pair->columns);
    crd_free(pair->context, pair->places);
    crd_free(pair->context, pair->cuts);
}

size_t crd_i_pair_bins_find(const double *cuts, size_t count, double number) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (number >= cuts[middle]) low = middle + 1;
        else high = middle;
    }
    return low;
}
