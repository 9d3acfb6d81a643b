/* SPDX-License-Identifier: MIT */
/* sequence_options.h - where sequences begin and end in a table, as --sequence, --time and --step say. */
#ifndef CREDENCE_CLI_SEQUENCE_OPTIONS_H
#define CREDENCE_CLI_SEQUENCE_OPTIONS_H

#include "core/invocation.h"

#include <credence/hmm.h>

/* Whether a table is one of sequences: by --method sequence, or where no method is given by --sequence, --time or --states. */
bool sequence_options_are_given(const invocation *call);
/* ENDED_USAGE where an option of sequences is beside a method, or a structure, of rows. */
int sequence_options_check(const invocation *call);
/* Over what *options has, which is that of CRD_SEQUENCE_OPTIONS_INIT, or of a model. Texts are those of the arguments. */
int sequence_options_read(const invocation *call, crd_sequence_options *options);
/* Those that a model of sequences was trained with, and what the options change. */
int sequence_options_of_model(const invocation *call, const crd_model *model, crd_sequence_options *options);
/* Files without the column of ids that the model's had, where --sequence names none: each is one sequence, with a warning. */
void sequence_options_fit(const invocation *call, const crd_reader *reader, crd_sequence_options *options);
/* Whether --sequence, or without it the model, which may be NULL, says that sequences end at empty lines: then files have no header and no quotes unless options say so. */
bool sequence_options_are_blank(const invocation *call, const crd_model *model);

#endif
