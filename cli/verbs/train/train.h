/* SPDX-License-Identifier: MIT */
/* train.h - the functions that the files of the verb train share:
 *
 *   verb_train.c    the verb: the ways of training, each of which creates a model
 *   train_report.c  notes on standard error about the training rows */
#ifndef CREDENCE_CLI_TRAIN_H
#define CREDENCE_CLI_TRAIN_H

#include "source/data_input.h"

/* Prints the numbers of rows and classes, the columns, and warnings about doubtful columns. */
int train_report(const invocation *call, const crd_model *model, crd_reader *reader, const crd_read_facts *facts);
/* Prints the numbers of sequences and steps, the columns, and warnings, for a model of sequences. */
int train_report_sequences(const invocation *call, const crd_model *model, crd_reader *reader,
                           const crd_read_facts *facts);
/* Returns whether training may fit parameters to the stored rows, which takes time. */
bool train_may_fit(const crd_settings *settings);
/* Prints a note if another method has a better log loss on held-out rows. Failures are ignored, because the model is
 * already written. */
void train_check_method(const invocation *call, const crd_model *model, crd_reader *reader);

#endif
