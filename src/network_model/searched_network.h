/* SPDX-License-Identifier: MIT */
/* searched_network.h - models whose network structure is learned from the rows that they store.
 *
 * The learned structure is a function of the rows and the settings. So a model with a structure search gives the same
 * results as a model of the same rows with the learned arcs specified. */
#ifndef CRD_NETWORK_MODEL_SEARCHED_NETWORK_H
#define CRD_NETWORK_MODEL_SEARCHED_NETWORK_H

#include "model/model_internal.h"
#include "model/schema_view.h"
#include "network/network_internal.h"
#include "network_model/learned_tables.h"

/* Creates the network of a model of rows, with the arcs that the settings specify (crd_i_network_count), or with arcs
 * found by their search. The model's cache of fits is used if it contains the arcs. New arcs and new fits of tables are
 * added to `fitted`, and the progress of a table fit is stored in `trace`; both may be NULL. Returns CRD_ERROR_SETTING
 * if the model does not store its rows, or as crd_i_structure_find does. Returns CRD_ERROR_CANCELLED or
 * CRD_ERROR_DEADLINE if the search was stopped. */
CRD_MUST_USE crd_status crd_i_network_of_rows(const crd_model *model, const crd_settings *settings,
                                              const crd_i_schema_view *view, crd_i_fit_cache *fitted,
                                              crd_i_fit_trace *trace, crd_network **out, crd_error *error);

#endif
