/* SPDX-License-Identifier: MIT */
/* term_check.h - whether a store of terms is one that some documents have, and as it is written. */
#ifndef CRD_STATS_TERM_CHECK_H
#define CRD_STATS_TERM_CHECK_H

#include "stats/term_store.h"

/* CRD_ERROR_DAMAGED where it is none. Of one that this library has written a moment ago, only that its bytes arrived, and
 * that no term is in more documents than there are. */
CRD_MUST_USE crd_status crd_i_term_store_check(const crd_i_term_store *store, bool is_ours, crd_error *error);

#endif
