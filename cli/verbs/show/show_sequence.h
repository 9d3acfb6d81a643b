/* SPDX-License-Identifier: MIT */
/* show_sequence.h - reports a hidden Markov model: its states and transitions. */
#ifndef CREDENCE_CLI_SHOW_SEQUENCE_H
#define CREDENCE_CLI_SHOW_SEQUENCE_H

#include "core/report.h"

/* Reports the order, states and training in the current object. `summary` describes the model's rows. */
void sequence_report_opening(crd_result *r, const crd_model *model, const crd_hmm *hmm, const crd_summary *summary);
/* Reports states, transitions and components. */
int sequence_report(crd_result *r, const crd_hmm *hmm, const crd_summary *summary, bool all);

#endif
