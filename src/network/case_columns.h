/* SPDX-License-Identifier: MIT */
/* case_columns.h - mapping of file columns to the nodes of a network. */
#ifndef CRD_NETWORK_CASE_COLUMNS_H
#define CRD_NETWORK_CASE_COLUMNS_H

#include "network/network_internal.h"
#include "table/column_schema.h"

/* Adds a column to an empty schema for each node except utilities, or only for the nodes to be read, and sets the
 * missing-value words. If the network was created from a model, rows are read as the model reads them. Otherwise the
 * columns of a file without a header are the nodes in order, and the usual words mean missing unless they are
 * states. If `declares_states` is true, columns declare the states of their nodes. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_rows_fill_schema(crd_i_schema *schema, const crd_network *network, const bool *read,
                                         bool declares_states);

#endif
