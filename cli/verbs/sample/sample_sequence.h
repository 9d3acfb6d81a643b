/* SPDX-License-Identifier: MIT */
/* sample_sequence.h - draws sequences from a hidden Markov model, as a long table: id, time, states and
 * observations. */
#ifndef CREDENCE_CLI_SAMPLE_SEQUENCE_H
#define CREDENCE_CLI_SAMPLE_SEQUENCE_H

#include "core/invocation.h"

int sample_sequence(const invocation *call, const crd_model *model, const crd_settings *settings);

#endif
