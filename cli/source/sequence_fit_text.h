/* SPDX-License-Identifier: MIT */
/* sequence_fit_text.h - reports how EM fitted the states of an HMM. */
#ifndef CREDENCE_CLI_SEQUENCE_FIT_TEXT_H
#define CREDENCE_CLI_SEQUENCE_FIT_TEXT_H

#include "core/invocation.h"

#include <credence/hmm_train.h>

/* Sets the numbers of rows and sequences, and the lengths of the sequences. */
int sequence_fit_facts(const crd_sequences *sequences, crd_read_facts *facts);

/* Reports the fit on standard error, or, with --format, on standard output in that format. */
int sequence_fit_report(const invocation *call, const crd_fit *fit, const crd_sequences *sequences,
                        const crd_hmm_train_options *options);

#endif
