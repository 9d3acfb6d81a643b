/* SPDX-License-Identifier: MIT */
/* show_sequence.h - a sequence model: its states, and which of them follow each other. */
#ifndef CREDENCE_CLI_SHOW_SEQUENCE_H
#define CREDENCE_CLI_SHOW_SEQUENCE_H

#include "core/report.h"

/* What it is, in the object that is open; `summary` is that of the model's rows. */
void sequence_report_opening(report *r, const crd_model *model, const crd_hmm *hmm, const crd_summary *summary);
/* States, transitions and components. */
int sequence_report(report *r, const crd_hmm *hmm, const crd_summary *summary, bool all);

#endif
