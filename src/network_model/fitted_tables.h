/* SPDX-License-Identifier: MIT */
/* fitted_tables.h - the tables of a network by EM or gradient ascent on the rows that a model has kept.
 *
 * They are a function of the rows and the settings, so they are found in what the model has of fits, and else fitted; see
 * em/network_fit.h. */
#ifndef CRD_NETWORK_MODEL_FITTED_TABLES_H
#define CRD_NETWORK_MODEL_FITTED_TABLES_H

#include "em/network_fit.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "model/structure_binding.h"

/* What is fitted, beside the rows. */
typedef struct crd_i_fitted_tables {
    const crd_model *model;
    const crd_settings *settings;
    const crd_i_schema_view *view;
    const crd_i_families *families;
    const double *const *assumed; /* of each node, pseudo-counts of its states in every row of its table */
    const bool *is_fixed;         /* by node: its table is stated */
} crd_i_fitted_tables;

/* Fills in the tables of a finished network whose nodes are those of the families. `fitted` gets what was fitted now; NULL:
 * nobody does. The trace, unless NULL, gets how it went, now or then. CRD_ERROR_SETTING: the model has not kept its rows. */
CRD_MUST_USE crd_status crd_i_fitted_tables_fill(const crd_i_fitted_tables *tables, crd_network *network,
                                                 crd_i_fit_cache *fitted, crd_i_fit_trace *trace, crd_error *error);

#endif
