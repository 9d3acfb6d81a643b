/* SPDX-License-Identifier: MIT */
/* network_of_model.h - models of a specified network: the tables are given by the user, not estimated from rows.
 *
 * Such a model has a column for each node except utilities, in the order of nodes, with the states as declared values.
 * It has no rows. It can be queried and saved, but not updated. When rows are classified, decisions are treated as
 * chance nodes with uniform distributions. */
#ifndef CRD_NETWORK_MODEL_NETWORK_OF_MODEL_H
#define CRD_NETWORK_MODEL_NETWORK_OF_MODEL_H

#include "model/model_internal.h"

#include <credence/network.h>

#endif
