/* SPDX-License-Identifier: MIT */
/* fitted_tables.h - the tables of a network, fitted by EM or gradient ascent to the rows that a model stores.
 *
 * The tables are a function of the rows and the settings. So they are taken from the model's cache of fits if it
 * contains them, otherwise fitted; see em/network_fit.h. */
#ifndef CRD_NETWORK_MODEL_FITTED_TABLES_H
#define CRD_NETWORK_MODEL_FITTED_TABLES_H

#include "em/network_fit.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "model/structure_binding.h"

/* The inputs of a fit in addition to the rows. */
typedef struct crd_i_fitted_tables {
    const crd_model *model;
    const crd_settings *settings;
    const crd_i_schema_view *view;
    const crd_i_families *families;
    const double *const *assumed; /* for each node: pseudo-counts of its states, added to every row of its table */
    const bool *is_fixed;         /* for each node: true if its table is specified and not fitted */
} crd_i_fitted_tables;

/* Sets the tables of a finished network whose nodes are the families' nodes. A new fit is added to `fitted`, which may
 * be NULL. `trace` receives the progress of the fit, whether new or cached; it may be NULL. Returns CRD_ERROR_SETTING
 * if the model does not store its rows. */
CRD_MUST_USE crd_status crd_i_fitted_tables_fill(const crd_i_fitted_tables *tables, crd_network *network,
                                                 crd_i_fit_cache *fitted, crd_i_fit_trace *trace, crd_error *error);

#endif
