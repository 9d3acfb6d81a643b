/* SPDX-License-Identifier: MIT */
/* unlabeled_training.h - --unlabeled use: semi-supervised training, which also uses rows whose target is missing
 * (Nigam et al. 2000). */
#ifndef CREDENCE_CLI_UNLABELED_TRAINING_H
#define CREDENCE_CLI_UNLABELED_TRAINING_H

#include "source/data_input.h"

/* Sets *is_given to whether rows without a label are used, and sets their weight in the options. */
int unlabeled_training_read(const invocation *call, bool *is_given, crd_unlabeled_options *options);

/* Returns whether rows without a label are used, or are requested in a way that unlabeled_training_run rejects. */
bool unlabeled_training_is_given(const invocation *call);

/* Trains on all rows of the first operand, and reports the weight that was chosen for the rows without a label. Fails
 * if it is interrupted; *ending is not changed. */
int unlabeled_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending);

#endif
