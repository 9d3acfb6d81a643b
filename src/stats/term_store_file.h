/* SPDX-License-Identifier: MIT */
/* term_store_file.h - stores of terms in files: a head, and pages that are read when they are needed. */
#ifndef CRD_STATS_TERM_STORE_FILE_H
#define CRD_STATS_TERM_STORE_FILE_H

#include "stats/term_store.h"

/* Bytes of all of its pages. */
uint64_t crd_i_term_store_page_bytes(const crd_i_term_store *store);

/* The head of a store whose pages stand from `begin` on; and these. */
void crd_i_term_store_write_head(const crd_i_term_store *store, uint64_t begin, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_term_store_write_pages(const crd_i_term_store *store, crd_i_encoder *encoder,
                                                     crd_error *error);

/* A store that has no pages yet, and the source of them, in which they have to begin at `begin`. */
CRD_MUST_USE crd_status crd_i_term_store_read_head(crd_context *context, size_t conditions, crd_i_cursor *cursor,
                                                   crd_i_term_store **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_term_store_attach(crd_i_term_store *store, crd_i_page_source *source, uint64_t begin,
                                                crd_error *error);

#endif
