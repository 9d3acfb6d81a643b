/* SPDX-License-Identifier: MIT */
/* term_check.h - checks whether a term store is valid: some documents produce it, and its encoding is canonical. */
#ifndef CRD_STATS_TERM_CHECK_H
#define CRD_STATS_TERM_CHECK_H

#include "stats/term_store.h"

/* Returns CRD_ERROR_DAMAGED if the store is invalid. If is_ours, this library has just written it: then only checks
 * the checksums, and that no term is in more documents than exist. */
CRD_MUST_USE crd_status crd_i_term_store_check(const crd_i_term_store *store, bool is_ours, crd_error *error);

#endif
