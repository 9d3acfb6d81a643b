/* SPDX-License-Identifier: MIT */
/* logs.c - the moments of the logarithms of the positive cells: the sums of w, w log x and w (log x)^2 under each
 * condition.
 *
 * crd_log rounds in the same way on every machine, and its results are summed exactly. So these sums, too, depend only
 * on the multiset of cells, and can be merged and forgotten. A logs tally is a moments tally of other numbers and
 * reuses its functions. */
#include "stats/moments.h"

#include <credence/classifier.h>

static crd_i_tally *logs_create(crd_context *context) {
    crd_i_tally *tally = crd_i_moments.create(context);
    if (tally != NULL) tally->type = &crd_i_logs;
    return tally;
}

static void logs_destroy(crd_i_tally *tally) {
    crd_i_moments.destroy(tally);
}

static bool logs_extend(crd_i_tally *tally, size_t conditions, size_t values) {
    return crd_i_moments.extend(tally, conditions, values);
}

static bool logs_add_group(crd_i_moments_tally *tally, const crd_i_cells *cells, const crd_i_row_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        size_t row = group->origin + group->rows[i];
        if (!crd_i_number_present(cells, row) || !(cells->numbers[row] > 0)) continue;
        double value = crd_log(cells->numbers[row]);
        bool added = group->weights == NULL
                         ? crd_i_moments_add_value(tally, group->condition, value)
                         : crd_i_moments_add_weighted(tally, group->condition, value, group->weights[i]);
        if (!added) return false;
    }
    return true;
}

static bool logs_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups) {
    for (size_t i = 0; i < groups->count; i++)
        if (!logs_add_group((crd_i_moments_tally *)base, cells, &groups->groups[i])) return false;
    return true;
}

static bool logs_prepare(crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map) {
    return crd_i_moments.prepare(tally, other, map);
}

static bool logs_combine(crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map, int sign) {
    return crd_i_moments.combine(tally, other, map, sign);
}

static bool logs_find_impossible(const crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map,
                                 crd_i_impossible *out) {
    return crd_i_moments.find_impossible(tally, other, map, out);
}

static uint64_t logs_size(const crd_i_tally *base) {
    return crd_i_moments.size(base);
}

static const crd_i_sums *logs_total(const crd_i_tally *tally, size_t condition, size_t *cell) {
    return crd_i_moments.total(tally, condition, cell);
}

static void logs_write(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder) {
    crd_i_moments.write(tally, view, encoder);
}

static crd_status logs_read(crd_i_tally *tally, size_t conditions, size_t values, crd_i_cursor *cursor,
                            crd_error *error) {
    return crd_i_moments.read(tally, conditions, values, cursor, error);
}

/* Checks that no more cells have a logarithm than are present. */
static bool logs_check(const crd_i_tally *tally, const crd_i_tally *main, bool *agrees) {
    *agrees = true;
    for (size_t condition = 0; condition < tally->conditions; condition++)
        if (crd_i_tally_total(tally, condition) > crd_i_tally_total(main, condition)) *agrees = false;
    return true;
}

const crd_i_tally_type crd_i_logs = {
    .name = "logs",
    .type = CRD_TYPE_NUMERIC,
    .create = logs_create,
    .destroy = logs_destroy,
    .extend = logs_extend,
    .add = logs_add,
    .prepare = logs_prepare,
    .combine = logs_combine,
    .find_impossible = logs_find_impossible,
    .size = logs_size,
    .total = logs_total,
    .write = logs_write,
    .read = logs_read,
    .check = logs_check,
};
