/* SPDX-License-Identifier: MIT */
/* sequence_training.h - --method sequence: trains a hidden Markov model on the sequences in a table. */
#ifndef CREDENCE_CLI_SEQUENCE_TRAINING_H
#define CREDENCE_CLI_SEQUENCE_TRAINING_H

#include "source/data_input.h"

/* Trains on all rows and reports the fit. If training is interrupted, the model contains the state reached so far, and
 * *ending is set to the exit status. */
int sequence_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending);
/* Trains without a report, for verbs that use the model at once. */
int sequence_training_in_memory(const invocation *call, data *d, crd_model **out);

#endif
