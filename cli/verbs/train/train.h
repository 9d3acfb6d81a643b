/* SPDX-License-Identifier: MIT */
/* train.h - what the files of the verb train share:
 *
 *   verb_train.c    the verb: the ways of training, each of which makes a model
 *   train_report.c  what was understood of the rows, on standard error */
#ifndef CREDENCE_CLI_TRAIN_H
#define CREDENCE_CLI_TRAIN_H

#include "source/data_input.h"

/* What was learned, the columns, and what is doubtful of them. */
int train_report(const invocation *call, const crd_model *model, crd_reader *reader, const crd_read_facts *facts);
/* The same of sequences. */
int train_report_sequences(const invocation *call, const crd_model *model, crd_reader *reader,
                           const crd_read_facts *facts);
/* Whether something may be fitted to the rows that were kept, which takes its time. */
bool train_may_fit(const crd_settings *settings);
/* A method that would do better, by held-out rows; no failure, as the model is there by now. */
void train_check_method(const invocation *call, const crd_model *model, crd_reader *reader);

#endif
