/* SPDX-License-Identifier: MIT */
/* sequence_options.h - determines where sequences begin and end in a table: --sequence, --time and --step. */
#ifndef CREDENCE_CLI_SEQUENCE_OPTIONS_H
#define CREDENCE_CLI_SEQUENCE_OPTIONS_H

#include "core/invocation.h"

#include <credence/hmm.h>

/* Returns whether a table contains sequences: --method sequence is given, or, without a method, --sequence, --time or
 * --states. */
bool sequence_options_are_given(const invocation *call);
/* Returns ENDED_USAGE, after a message, if an option for sequences is combined with a method, or a structure, for
 * rows. */
int sequence_options_check(const invocation *call);
/* Applies the options to `options`, which the caller has initialized with CRD_SEQUENCE_OPTIONS_INIT or from a model. */
int sequence_options_read(const invocation *call, crd_sequence_options *options);
/* Sets the options that a sequence model was trained with, overridden by the command line. */
int sequence_options_of_model(const invocation *call, const crd_model *model, crd_sequence_options *options);
/* Handles files that lack the id column of the model's training data if --sequence is not given: each file is one
 * sequence, with a warning. */
void sequence_options_fit(const invocation *call, const crd_reader *reader, crd_sequence_options *options);
/* Returns whether sequences end at empty lines, according to --sequence or else the model, which may be NULL. Then
 * files have no header and no quotes, unless options specify otherwise. */
bool sequence_options_are_blank(const invocation *call, const crd_model *model);

#endif
