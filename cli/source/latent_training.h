/* SPDX-License-Identifier: MIT */
/* latent_training.h - --hidden NAME[:K] without a structure: latent classes are found in a table's rows. */
#ifndef CREDENCE_CLI_LATENT_TRAINING_H
#define CREDENCE_CLI_LATENT_TRAINING_H

#include "source/data_input.h"

/* Finds them in the rows, which the first operand names, reports how, and makes the model. *ending: what the command ends
 * with where finding was interrupted and the model is of what there was. */
int latent_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending);

#endif
