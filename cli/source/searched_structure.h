/* SPDX-License-Identifier: MIT */
/* searched_structure.h - training where the arcs of a network are searched for: first the structure, from all rows, then the
 * model with the arcs that were found, which has the counts of its families alone. */
#ifndef CREDENCE_CLI_SEARCHED_STRUCTURE_H
#define CREDENCE_CLI_SEARCHED_STRUCTURE_H

#include "core/invocation.h"
#include "source/data_input.h"

/* Whether settings state a search. */
bool searched_structure_is_stated(const crd_settings *settings);

/* What --bootstrap, --threshold and --seed state. */
int searched_structure_options(const invocation *call, crd_structure_options *out);

/* In the place of a search that settings state, if any, the arcs that it finds in the rows of a source, which was passed before. */
crd_status searched_structure_state_arcs(crd_row_source *source, crd_settings *settings, crd_error *error);

/* Searches, reports what was found, and trains. tallies: those to keep beside, or NULL. A search that is interrupted has the
 * best structure so far trained, with a warning. *ending: how the command ends once the model is written. The library's
 * error is the caller's to report. */
crd_status searched_structure_train(const invocation *call, data *d, const crd_settings *settings,
                                    const crd_structure_options *options, const char *tallies, crd_model **out,
                                    crd_read_facts *facts, int *ending, crd_error *error);

#endif
