/* SPDX-License-Identifier: MIT */
/* stated_network.h - models that state a network: their tables are numbers that somebody wrote, not counts of rows.
 *
 * Such a model has a column for each node but utilities, in the order of nodes, with its states as declared values, and
 * no rows. It can be asked and saved, but neither learn nor forget. Where rows are answered, decisions are taken for
 * chances of even odds. */
#ifndef CRD_NETWORK_MODEL_STATED_NETWORK_H
#define CRD_NETWORK_MODEL_STATED_NETWORK_H

#include "model/model_internal.h"

#include <credence/network.h>

/* The network that a model states; NULL: it is of another kind. */
const crd_network *crd_i_stated_network_of(const crd_model *model);
/* A copy of it, as it was; settings NULL, or the model's: else CRD_ERROR_SETTING. */
CRD_MUST_USE crd_status crd_i_stated_network(const crd_model *model, const crd_settings *settings, crd_network **out,
                                             crd_error *error);

#endif
