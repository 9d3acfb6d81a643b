/* SPDX-License-Identifier: MIT */
/* document_batches.h - a reader whose rows are documents in folders and files. crd_i_document_type defines a
 * document.
 *
 * The thread that takes the next batch lists files, or reads a piece of a file and finds the ends of its documents.
 * Workers read the files of a batch and convert documents to columns, each worker its own slice. */
#ifndef CRD_TABLE_FORMATS_DOCUMENT_BATCHES_H
#define CRD_TABLE_FORMATS_DOCUMENT_BATCHES_H

#include "table/read/row_batches.h"

#include <credence/documents.h>

typedef struct crd_i_document {
    crd_text bytes;
    const char *path; /* path of its file */
    uint64_t number;  /* number of the document in its file, from 1; 0: the file is the document */
} crd_i_document;

/* A document type: how documents are found and converted. */
typedef struct crd_i_document_type {
    const char *const *columns; /* names of the texts that a document is converted to */
    size_t column_count;
    /* Maximum number of bytes to read per document; the rest is skipped. 0: a document longer than the reader's
     * limit is an error. */
    size_t most_bytes;
    bool is_text; /* files are text; encodings that can be detected are converted to UTF-8 */
    /* Returns whether a file in a folder contains documents, by its name; NULL: all files do. */
    bool (*is_file)(const char *path);
    /* Returns the length of the first document in a file of several, at least 1, including its end marker. Returns 0
     * if more bytes are needed, but never if are_all. */
    size_t (*measure)(const char *bytes, size_t length, bool are_all);
    /* Extracts the texts of a document, one per column; bytes NULL means missing. Texts may borrow from the
     * document's bytes and from *owned, which `release` frees; NULL: nothing. Any thread may call it. The error
     * needs no location. */
    crd_status (*read)(crd_context *context, const crd_i_document *document, crd_text *texts, void **owned,
                       crd_error *error);
    void (*release)(crd_context *context, void *owned);
} crd_i_document_type;

/* Opens a reader like crd_reader_open_documents, for any document type. `names` are the column names if they differ
 * from the type's, otherwise NULL. */
CRD_MUST_USE crd_status crd_i_documents_open(crd_context *context, const crd_document_source *sources, size_t count,
                                             const crd_i_document_type *type, const crd_text *names,
                                             crd_text class_name, const crd_reader_options *options, crd_reader **out,
                                             crd_error *error);

/* ======== Plain text documents ========
 *
 * A document is a file, or a line of a file. */

extern const crd_i_document_type crd_i_text_documents;

#endif
