/* SPDX-License-Identifier: MIT */
/* case_columns.h - what columns of files are to a network. */
#ifndef CRD_NETWORK_CASE_COLUMNS_H
#define CRD_NETWORK_CASE_COLUMNS_H

#include "network/network_internal.h"
#include "table/column_schema.h"

/* Adds a column to an empty schema for each node but utilities, or only for those that are to be read, and sets the texts that
 * mean missing. If the network was made from a model, rows are read as the model reads them. Else files without a header have the
 * nodes in their order, and the usual texts mean missing unless they are states. declares_states: columns declare the states of
 * their nodes. false: out of memory. */
CRD_MUST_USE bool crd_i_rows_fill_schema(crd_i_schema *schema, const crd_network *network, const bool *read,
                                         bool declares_states);

#endif
