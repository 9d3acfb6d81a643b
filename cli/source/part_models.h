/* SPDX-License-Identifier: MIT */
/* part_models.h - operands that are models of parts of the rows: merged into another, once each, or retracted from it. */
#ifndef CREDENCE_CLI_PART_MODELS_H
#define CREDENCE_CLI_PART_MODELS_H

#include "core/invocation.h"

#define OPTION_DUPLICATES                                                                                              \
    {                                                                                                                  \
        "duplicates", 0, "refuse|ignore",                                                                              \
            .help = "models all of whose parts (train --part) are there already: an error (refuse), or left out",      \
            .is_once = true                                                                                            \
    }

/* Whether --duplicates has those left out that were merged before. */
int part_models_ignore_duplicates(const arguments *given, bool *out);
/* Merges one more into `sum`, unless it is to be left out, which is counted. */
crd_status part_models_add(crd_model *sum, const crd_model *next, bool ignores, size_t *left_out, crd_error *error);

/* Reports why the model of this operand could not be merged or retracted: which two do not fit each other, where that is a matter
 * of columns or settings. */
int part_models_report(const invocation *call, const crd_error *error, size_t index);

/* Whether the operands from one on are models. Where some are, all have to be, and options for rows are refused. */
int part_models_are_given(const invocation *call, size_t first, bool *out);
/* Merges (sign 1) or retracts (sign -1) them; what was done is added to a text. */
int part_models_apply(const invocation *call, size_t first, int sign, crd_model *model, string *done);

/* Warns of operands that are the same model: one file named twice, or files of the same bytes. Merging counts their rows twice. Models
 * of parts (--part) are recognized by their ids instead. */
void part_models_warn_of_copies(const invocation *call);

#endif
