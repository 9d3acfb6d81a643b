/* SPDX-License-Identifier: MIT */
/* document_batches.h - a reader whose rows are documents of folders and files, whatever a document is: see crd_i_document_type.
 *
 * Who takes the next batch lists files, or reads a piece of a file and finds where its documents end. Reading the files of a batch, and making
 * columns of documents, is done by workers, each for its slice. */
#ifndef CRD_TABLE_DOCUMENTS_DOCUMENT_BATCHES_H
#define CRD_TABLE_DOCUMENTS_DOCUMENT_BATCHES_H

#include "table/read/row_batches.h"
#include "table/source.h"

#include <credence/documents.h>

typedef struct crd_i_document {
    crd_text bytes;
    const char *path; /* of its file */
    uint64_t number;  /* of it in its file, from 1; 0: it is the file */
} crd_i_document;

/* What documents are, and what becomes of them. */
typedef struct crd_i_document_type {
    const char *const *columns; /* the names of the texts that a document becomes */
    size_t column_count;
    /* Of a document only so many bytes are read, and the rest is skipped; 0: a document longer than the reader's limit is an error. */
    size_t most_bytes;
    bool is_text; /* files are text in some encoding, which becomes UTF-8 as far as they say it */
    /* Whether a file of that name, found in a folder, holds documents; NULL: all do. */
    bool (*is_file)(const char *path);
    /* Of a file that is a source itself: the bytes of the first document, with what ends it, of which there is at least one byte; 0: more bytes have to
     * show it, which is never so where these are all. */
    size_t (*measure)(const char *bytes, size_t length, bool are_all);
    /* The texts of a document, one for each column; bytes NULL is missing. They may borrow the document's bytes and what *owned is, which
     * `release` frees; NULL: nothing. By any thread. The error needs no place. */
    crd_status (*read)(crd_context *context, const crd_i_document *document, crd_text *texts, void **owned,
                       crd_error *error);
    void (*release)(crd_context *context, void *owned);
} crd_i_document_type;

/* As crd_reader_open_documents, for documents of any type; `names` has those of its columns where these are not the type's, else it is NULL. */
CRD_MUST_USE crd_status crd_i_documents_open(crd_context *context, const crd_document_source *sources, size_t count,
                                             const crd_i_document_type *type, const crd_text *names,
                                             crd_text class_name, const crd_i_decoder *decoders,
                                             const crd_reader_options *options, crd_reader **out, crd_error *error);

#endif
