/* SPDX-License-Identifier: MIT */
/* sequence_fit_text.h - how EM found the states of sequences. */
#ifndef CREDENCE_CLI_SEQUENCE_FIT_TEXT_H
#define CREDENCE_CLI_SEQUENCE_FIT_TEXT_H

#include "core/invocation.h"

#include <credence/hmm_train.h>

/* How many rows and sequences there are, and how long these are. */
int sequence_fit_facts(const crd_sequences *sequences, crd_read_facts *facts);

/* On standard error; with --format on standard output, in that format. */
int sequence_fit_report(const invocation *call, const crd_hmm_fit *fit_options, const crd_sequences *sequences,
                        const crd_hmm_train_options *options);

#endif
