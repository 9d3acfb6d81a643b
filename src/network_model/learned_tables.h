/* SPDX-License-Identifier: MIT */
/* learned_tables.h - the network whose tables are estimated from a model's counts under given settings. */
#ifndef CRD_NETWORK_MODEL_LEARNED_TABLES_H
#define CRD_NETWORK_MODEL_LEARNED_TABLES_H

#include "em/network_fit.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "model/structure_binding.h"
#include "network/network_internal.h"

/* ---- the tables of a network, fitted by EM or gradient ascent to the rows that a model stores.
 *
 * The tables are a function of the rows and the settings. So they are taken from the model's cache of fits if it
 * contains them, otherwise fitted; see em/network_fit.h. */

/* The inputs of a fit in addition to the rows. */
typedef struct crd_i_fitted_tables {
    const crd_model *model;
    const crd_settings *settings;
    const crd_i_schema_view *view;
    const crd_i_families *families;
    const double *const *assumed; /* for each node: pseudo-counts of its states, added to every row of its table */
    const bool *is_fixed;         /* for each node: true if its table is specified and not fitted */
} crd_i_fitted_tables;

/* Creates a network with a node for each column in the structure. The states of a node are the column's values in the
 * order of the view. Errors:
 *
 *   CRD_ERROR_SETTING  the settings do not define a network, the model does not store what is needed, or a prior is
 *                      specified but the target has parents
 *   CRD_ERROR_COLUMN   as for crd_network_from_model
 *   CRD_ERROR_EMPTY    there are no rows
 *   CRD_ERROR_LIMIT    a table is too large
 *
 * If the estimator of the settings fits tables to rows (learned_tables.h), a new fit is added to `fitted` and its
 * progress is stored in `trace`. Both may be NULL. */
CRD_MUST_USE crd_status crd_i_network_count(const crd_model *model, const crd_settings *settings,
                                            const crd_i_schema_view *view, crd_i_fit_cache *fitted,
                                            crd_i_fit_trace *trace, crd_network **out, crd_error *error);

/* Returns whether the target, with or without parents, has the prior of the settings instead of a table from counts.
 * This is the case if naive Bayes is converted to a network, and if a prior is specified. */
bool crd_i_network_has_prior(const crd_settings *settings, bool has_parents);

#endif
