/* SPDX-License-Identifier: MIT */
/* text_documents.h - plain text documents: a file, or a line of a file. */
#ifndef CRD_TABLE_DOCUMENTS_TEXT_DOCUMENTS_H
#define CRD_TABLE_DOCUMENTS_TEXT_DOCUMENTS_H

#include "table/documents/document_batches.h"

extern const crd_i_document_type crd_i_text_documents;

#endif
