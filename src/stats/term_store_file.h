/* SPDX-License-Identifier: MIT */
/* term_store_file.h - term stores in files: a head, and pages that are read when they are needed. */
#ifndef CRD_STATS_TERM_STORE_FILE_H
#define CRD_STATS_TERM_STORE_FILE_H

#include "stats/term_store.h"

/* Returns the total size of its pages in bytes. */
uint64_t crd_i_term_store_page_bytes(const crd_i_term_store *store);

/* Write the head of a store whose pages begin at offset `begin`, and the pages. */
void crd_i_term_store_write_head(const crd_i_term_store *store, uint64_t begin, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_term_store_write_pages(const crd_i_term_store *store, crd_i_encoder *encoder,
                                                     crd_error *error);

/* Read the head of a store, which has no pages yet; and attach the source of its pages, which must begin at `begin`. */
CRD_MUST_USE crd_status crd_i_term_store_read_head(crd_context *context, size_t conditions, crd_i_cursor *cursor,
                                                   crd_i_term_store **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_term_store_attach(crd_i_term_store *store, crd_i_page_source *source, uint64_t begin,
                                                crd_error *error);

#endif
