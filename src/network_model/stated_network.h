/* SPDX-License-Identifier: MIT */
/* stated_network.h - models of a specified network: the tables are given by the user, not estimated from rows.
 *
 * Such a model has a column for each node except utilities, in the order of nodes, with the states as declared values.
 * It has no rows. It can be queried and saved, but not updated. When rows are classified, decisions are treated as
 * chance nodes with uniform distributions. */
#ifndef CRD_NETWORK_MODEL_STATED_NETWORK_H
#define CRD_NETWORK_MODEL_STATED_NETWORK_H

#include "model/model_internal.h"

#include <credence/network.h>

/* Returns the specified network of a model; NULL if the model is of another kind. */
const crd_network *crd_i_stated_network_of(const crd_model *model);
/* Creates a copy of the specified network. `settings` must be NULL or equal to the model's; otherwise returns
 * CRD_ERROR_SETTING. */
CRD_MUST_USE crd_status crd_i_stated_network(const crd_model *model, const crd_settings *settings, crd_network **out,
                                             crd_error *error);

#endif
