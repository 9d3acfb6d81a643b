/* SPDX-License-Identifier: MIT */
/* tally_support.h - for tests that tally one column under conditions of its own. */
#ifndef CRD_TESTS_TALLY_SUPPORT_H
#define CRD_TESTS_TALLY_SUPPORT_H

#include "stats/tally.h"

/* Negative conditions leave their row out; conditions NULL: all rows are under 0. */
static inline bool add_under(crd_i_tally *tally, const crd_i_cells *cells, const int32_t *conditions,
                             const double *weights) {
    crd_i_groups groups;
    bool added = crd_i_groups_init(&groups, tally->context, conditions, weights, cells->rows) &&
                 tally->type->add(tally, cells, &groups);
    crd_i_groups_clear(&groups);
    return added;
}

#endif
