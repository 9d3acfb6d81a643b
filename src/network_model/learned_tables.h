/* SPDX-License-Identifier: MIT */
/* learned_tables.h - the network that a model's counts make under settings. */
#ifndef CRD_NETWORK_MODEL_LEARNED_TABLES_H
#define CRD_NETWORK_MODEL_LEARNED_TABLES_H

#include "model/model_internal.h"
#include "model/schema_view.h"
#include "network/network_internal.h"
#include "network_model/fitted_tables.h"

/* A node for each column that the structure names, with the values of the order as its states. CRD_ERROR_SETTING
 * where the settings are those of no network, the model has not kept what is needed, or a prior is stated and the
 * target has parents; CRD_ERROR_COLUMN as crd_network_from_model has it; CRD_ERROR_EMPTY without rows;
 * CRD_ERROR_LIMIT where a table is too large. Where the estimator of the settings fits tables to rows (fitted_tables.h),
 * `fitted` gets what was fitted now, and `trace` how that went; both may be NULL. */
CRD_MUST_USE crd_status crd_i_network_count(const crd_model *model, const crd_settings *settings,
                                            const crd_i_schema_view *view, crd_i_fit_cache *fitted,
                                            crd_i_fit_trace *trace, crd_network **out, crd_error *error);

/* Whether the target, with or without parents, has the prior of the settings instead of a
 * counted table: in naive Bayes as a network, and where a prior is stated. */
bool crd_i_network_has_prior(const crd_settings *settings, bool has_parents);

#endif
