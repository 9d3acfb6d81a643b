/* SPDX-License-Identifier: MIT */
/* sequence_training.h - --method sequence: a hidden Markov model of the sequences in a table. */
#ifndef CREDENCE_CLI_SEQUENCE_TRAINING_H
#define CREDENCE_CLI_SEQUENCE_TRAINING_H

#include "source/data_input.h"

/* Trains on all rows, and reports how. *ending: what the command ends with where training was interrupted and the model is of
 * what there was. */
int sequence_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending);
/* The same without a report, for a verb that answers at once. */
int sequence_training_in_memory(const invocation *call, data *d, crd_model **out);

#endif
