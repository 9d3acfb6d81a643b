/* rows.h - what columns of files are to a network. */
#ifndef CRD_NETWORK_ROWS_H
#define CRD_NETWORK_ROWS_H

#include "data/schema.h"
#include "network/network.h"

/* Leaves out of the texts that mean a missing cell those that are states. */
CRD_MUST_USE bool crd_i_rows_set_missing(crd_i_schema *schema, const crd_network *network);

#endif
