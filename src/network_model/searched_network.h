/* SPDX-License-Identifier: MIT */
/* searched_network.h - models whose structure is found by a search over the rows that they keep.
 *
 * What a search finds is a function of the rows and the settings, as other fits are; so a model that states a search
 * answers as the model of the same rows that states the arcs found. */
#ifndef CRD_NETWORK_MODEL_SEARCHED_NETWORK_H
#define CRD_NETWORK_MODEL_SEARCHED_NETWORK_H

#include "model/model_internal.h"
#include "model/schema_view.h"
#include "network/network_internal.h"
#include "network_model/fitted_tables.h"

/* The network of a model of rows: with the arcs that the settings state (crd_i_network_count), or with those that their
 * search finds. What was found before is in the model's cache of fits; what is found now goes to `fitted`, unless it is NULL, as what
 * is fitted of tables does, with the trace of that.
 * CRD_ERROR_SETTING: the model has not kept its rows, or see crd_i_structure_find; CRD_ERROR_CANCELLED and
 * CRD_ERROR_DEADLINE where the search was stopped. */
CRD_MUST_USE crd_status crd_i_network_of_rows(const crd_model *model, const crd_settings *settings,
                                              const crd_i_schema_view *view, crd_i_fit_cache *fitted,
                                              crd_i_fit_trace *trace, crd_network **out, crd_error *error);

#endif
