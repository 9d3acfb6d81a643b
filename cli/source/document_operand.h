/* SPDX-License-Identifier: MIT */
/* document_operand.h - what --documents and --mail name in the place of DATA: a place for each class, "spam=PATH,ham=PATH", or without classes. */
#ifndef CREDENCE_CLI_DOCUMENT_OPERAND_H
#define CREDENCE_CLI_DOCUMENT_OPERAND_H

#include "core/invocation.h"

/* The column of classes, which is the target unless --target names another. */
#define DOCUMENT_CLASS "class"

/* The option, documents or mail, whose value an operand is; NULL: it is a file. */
const char *document_operand_option(const invocation *call, const char *operand);

/* A reader of the rows that the first of these operands names, and of further places without classes. The columns of the
 * documents are called as those of the model, where that has one of texts; NULL: there is no model. */
int document_operand_open(const invocation *call, const char *const *operands, size_t count, const crd_model *model,
                          const crd_reader_options *options, crd_reader **out);

/* Warns of classes whose places had no document to train on, by the first operand. */
void document_operand_warn_of_empty(const invocation *call, const crd_summary *summary);

/* Whether each line of DATA is a document (--input lines); a reader of these, without classes. */
bool document_lines_are_asked(const invocation *call);
int document_lines_open(const invocation *call, const char *const *paths, size_t count, const crd_model *model,
                        const crd_reader_options *options, crd_reader **out);

/* Hints at --mail if rows could not be read for a model of mail. */
void document_operand_hint_at_mail(const invocation *call, const crd_model *model, const char *path);

/* Settings of a model that is trained on the first operand: those of options, and where it is mail, those that suit mail as defaults. */
int document_operand_settings(const invocation *call, crd_settings *settings);

#endif
