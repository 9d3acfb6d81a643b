/* SPDX-License-Identifier: MIT */
/* unlabelled_training.h - --unlabelled use: rows whose target is missing are learned from, too. */
#ifndef CREDENCE_CLI_UNLABELLED_TRAINING_H
#define CREDENCE_CLI_UNLABELLED_TRAINING_H

#include "source/data_input.h"

/* Whether they are, into *is_given, and at which weight. */
int unlabelled_training_read(const invocation *call, bool *is_given, crd_unlabelled_options *options);

/* Whether they are, or are stated to be in a way that unlabelled_training_run refuses. */
bool unlabelled_training_is_given(const invocation *call);

/* Learns from all rows, which the first operand names, and reports the weight that was chosen for those without a label.
 * Interrupted, it fails: *ending stays as it is. */
int unlabelled_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending);

#endif
