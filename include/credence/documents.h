/* SPDX-License-Identifier: MIT */
/* credence/documents.h - rows that are documents: files of folders, and lines of files. */
#ifndef CREDENCE_DOCUMENTS_H
#define CREDENCE_DOCUMENTS_H

#include <credence/base.h>
#include <credence/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where documents are. A folder: each of its files is one, also those of folders in it, in the order of their names' bytes; files and
 * folders whose names begin with a point are left out, and so are links to folders. A file, or "-", standard input: each of its lines is one. */
typedef struct crd_document_source {
    const char *path;
    crd_text label; /* the class of its documents; bytes NULL: it is not known */
} crd_document_source;

typedef struct crd_document_options {
    size_t size;
    crd_text text_name;  /* the column of documents; bytes NULL: "text" */
    crd_text class_name; /* the column of classes; bytes NULL: "class" */
} crd_document_options;

#define CRD_DOCUMENT_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_document_options), {0, 0}, {                                                                        \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

/* A reader of a row for each document. Its columns: the path, a name of the row that is ignored unless it is asked for (the path and the
 * number of the line, where documents are lines); the class, a category, where a source has a label; the document, a text. Files are read by all
 * threads, a few at a time. Compressed files are seen through. Documents are in UTF-8, or in what a byte order mark or the reader's options say; one
 * that is not valid is taken for Windows-1252. An empty document is missing, and an empty line of a source with a label is no document. A file, or
 * line, of more than options->max_record bytes is CRD_ERROR_LIMIT. `how` and `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_documents(crd_context *context, const crd_document_source *sources,
                                                          size_t count, const crd_document_options *how,
                                                          const crd_reader_options *options, crd_reader **out,
                                                          crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
