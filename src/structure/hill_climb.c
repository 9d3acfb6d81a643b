/* SPDX-License-Identifier: MIT */
/* hill_climb.c - greedy hill climbing: of all arcs that can be added, removed or reversed, the change that raises the score
 * most, until none does. */
#include "structure/local_search.h"

static crd_status climb(crd_i_local_search *search, crd_error *error) {
    for (;;) {
        crd_status status = crd_i_local_search_refresh(search, error);
        if (status != CRD_OK) return status;
        const crd_i_step step = crd_i_local_search_best_step(search, crd_i_local_search_tolerance(search), NULL, NULL);
        if (step.kind == CRD_I_STEP_NONE) return CRD_OK;
        crd_i_local_search_take(search, &step);
    }
}

crd_status crd_i_hill_climb(const crd_i_case_table *table, const crd_i_search_options *options,
                            crd_i_search_result *out, crd_error *error) {
    return crd_i_local_search_run(table, options, climb, out, error);
}
