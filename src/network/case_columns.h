/* SPDX-License-Identifier: MIT */
/* case_columns.h - what columns of files are to a network. */
#ifndef CRD_NETWORK_CASE_COLUMNS_H
#define CRD_NETWORK_CASE_COLUMNS_H

#include "network/network_internal.h"
#include "table/column_schema.h"

/* Leaves out of the texts that mean a missing cell those that are states. */
CRD_MUST_USE bool crd_i_rows_set_missing(crd_i_schema *schema, const crd_network *network);

#endif
