/* SPDX-License-Identifier: MIT */
/* document_operand.h - the values of --documents and --mail, which replace DATA: a path for each class,
 * "spam=PATH,ham=PATH", or paths without classes. */
#ifndef CREDENCE_CLI_DOCUMENT_OPERAND_H
#define CREDENCE_CLI_DOCUMENT_OPERAND_H

#include "core/invocation.h"

/* The column of classes. It is the target unless --target names another column. */
#define DOCUMENT_CLASS "class"

/* Returns the option, documents or mail, whose value the operand is; NULL: the operand is a file. */
const char *document_operand_option(const invocation *call, const char *operand);

/* Opens a reader of the documents that the first operand names, and of further paths without classes. If the model has
 * one text column, the columns have the model's names. `model` may be NULL. */
int document_operand_open(const invocation *call, const char *const *operands, size_t count, const crd_model *model,
                          const crd_reader_options *options, crd_reader **out);

/* Warns of classes of the first operand whose paths contained no document to train on. */
void document_operand_warn_of_empty(const invocation *call, const crd_summary *summary);

/* Return whether each line of DATA is a document (--input lines), and open a reader of these documents, without
 * classes. */
bool document_lines_are_asked(const invocation *call);
int document_lines_open(const invocation *call, const char *const *paths, size_t count, const crd_model *model,
                        const crd_reader_options *options, crd_reader **out);

/* Prints a hint at --mail if rows could not be read for a mail model. */
void document_operand_hint_at_mail(const invocation *call, const crd_model *model, const char *path);

/* Applies the settings for a model that is trained on the first operand: the options, over the defaults for mail if it
 * is mail. */
int document_operand_settings(const invocation *call, crd_settings *settings);

#endif
