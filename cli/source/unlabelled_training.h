/* SPDX-License-Identifier: MIT */
/* unlabelled_training.h - --unlabelled use: rows whose target is missing are learned from, too. */
#ifndef CREDENCE_CLI_UNLABELLED_TRAINING_H
#define CREDENCE_CLI_UNLABELLED_TRAINING_H

#include "source/data_input.h"

/* Whether they are, into *is_given, and at which weight. */
int unlabelled_training_read(const invocation *call, bool *is_given, crd_unlabelled_options *options);

/* Learns from all rows, and reports the weight that was chosen for those without a label. `path` names the rows in
 * messages. */
int unlabelled_training_run(const invocation *call, const data *d, const char *path, crd_model **out,
                            crd_read_facts *facts);

#endif
