/* SPDX-License-Identifier: MIT */
/* part_models.h - operands that are models of parts of the rows. They are merged into another model, each part only
 * once, or retracted from it. */
#ifndef CREDENCE_CLI_PART_MODELS_H
#define CREDENCE_CLI_PART_MODELS_H

#include "core/invocation.h"

#define OPTION_DUPLICATES                                                                                              \
    {                                                                                                                  \
        "duplicates", 0, "error|skip",                                                                                 \
            .help = "models whose parts (train --part) are all merged already: fail (error), or skip them",            \
            .is_once = true                                                                                            \
    }

/* Sets *out to whether --duplicates skips models that were merged before. */
int part_models_ignore_duplicates(const arguments *given, bool *out);
/* Merges a model into `sum`, or, with `ignores`, skips a model that was merged before and counts it in *left_out. */
crd_status part_models_add(crd_model *sum, const crd_model *next, bool ignores, size_t *left_out, crd_error *error);

/* Reports why the model of this operand could not be merged or retracted. If columns or settings differ, names the two
 * models. */
int part_models_report(const invocation *call, const crd_error *error, size_t index);

/* Sets *out to whether the operands from `first` on are models. If some are, all must be, and options for rows are
 * rejected. */
int part_models_are_given(const invocation *call, size_t first, bool *out);
/* Merges (sign 1) or retracts (sign -1) the models. Adds a description of the changes to `done`. */
int part_models_apply(const invocation *call, size_t first, int sign, crd_model *model, string *done);

/* Warns of operands that are the same model: a file named twice, or files with the same bytes. Merging counts their
 * rows twice. Models of parts (--part) are detected by their ids instead. */
void part_models_warn_of_copies(const invocation *call);

#endif
