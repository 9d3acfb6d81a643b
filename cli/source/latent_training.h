/* SPDX-License-Identifier: MIT */
/* latent_training.h - --latent-class NAME[:K] without a structure: finds latent classes in a table's rows. */
#ifndef CREDENCE_CLI_LATENT_TRAINING_H
#define CREDENCE_CLI_LATENT_TRAINING_H

#include "source/data_input.h"

/* Finds latent classes in the rows of the first operand, reports the result and creates the model. If the search is
 * interrupted, the model contains the state reached so far, and *ending is set to the exit status. */
int latent_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending);

#endif
