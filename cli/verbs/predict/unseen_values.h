/* SPDX-License-Identifier: MIT */
/* unseen_values.h - which values of categories a model of sequences has never seen, found once for each. */
#ifndef CREDENCE_CLI_UNSEEN_VALUES_H
#define CREDENCE_CLI_UNSEEN_VALUES_H

#include "core/string_buffer.h"

typedef struct unseen_values unseen_values;

/* Of sequences of one reader, whose batches share what codes mean, for the observations of a model. */
unseen_values *unseen_values_create(const crd_classifier *observations, const crd_sequences *sequences);
void unseen_values_destroy(unseen_values *values);
/* How many cells of the cursor's step have a category that training did not have. */
uint32_t unseen_values_count(unseen_values *values, const crd_sequences *batch, const crd_sequence_cursor *cursor);

#endif
