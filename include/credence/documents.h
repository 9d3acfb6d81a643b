/* SPDX-License-Identifier: MIT */
/* credence/documents.h - documents as rows: files in folders, or lines of files. */
#ifndef CREDENCE_DOCUMENTS_H
#define CREDENCE_DOCUMENTS_H

#include <credence/credence.h>
#include <credence/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A source of documents: a folder or a file.
 *
 * In a folder, each file is a document, including files in subfolders, ordered by the bytes of their names. Files and
 * folders whose names begin with a dot are skipped, and so are links to folders. In a file, or standard input ("-"),
 * each line is a document. */
typedef struct crd_document_source {
    const char *path;
    crd_text label; /* the class of its documents; bytes NULL: unknown */
} crd_document_source;

/* Options of crd_reader_open_documents. Initialize it with CRD_DOCUMENT_OPTIONS_INIT. */
typedef struct crd_document_options {
    size_t size;
    crd_text text_name;  /* name of the column of documents; bytes NULL: "text" */
    crd_text class_name; /* name of the column of classes; bytes NULL: "class" */
} crd_document_options;

#define CRD_DOCUMENT_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_document_options), {0, 0}, {                                                                        \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

/* Opens a reader with one row per document. `document_options` and `options` may be NULL. The rows have these columns:
 *   the path, which names the row and is ignored unless you select it; if documents are lines, the path and the line number
 *   the class, a category, if a source has a label
 *   the document, a text
 *
 * All threads read files, a few at a time. Compressed files are decompressed. Documents are UTF-8, unless a byte order
 * mark or the reader's options specify another encoding. An invalid document is read as Windows-1252. An empty document
 * is missing; an empty line of a source with a label is skipped. Returns CRD_ERROR_LIMIT if a file or line has more
 * than options->max_record bytes. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_documents(crd_context *context, const crd_document_source *sources,
                                                          size_t count, const crd_document_options *document_options,
                                                          const crd_reader_options *options, crd_reader **out,
                                                          crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
