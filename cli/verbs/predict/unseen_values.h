/* SPDX-License-Identifier: MIT */
/* unseen_values.h - determines which categories a sequence model has not seen in training, once for each category. */
#ifndef CREDENCE_CLI_UNSEEN_VALUES_H
#define CREDENCE_CLI_UNSEEN_VALUES_H

#include "core/string_buffer.h"

typedef struct unseen_values unseen_values;

/* Creates the counter for the sequences of one reader, whose batches share their codes. `observations` is the
 * classifier of
 * single observations, which must outlive it. */
unseen_values *unseen_values_create(const crd_classifier *observations, const crd_sequences *sequences);
void unseen_values_destroy(unseen_values *values);
/* Returns how many cells of the cursor's step have a category not seen in training. */
uint32_t unseen_values_count(unseen_values *values, const crd_sequences *batch, const crd_sequence_cursor *cursor);

#endif
