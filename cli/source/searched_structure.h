/* SPDX-License-Identifier: MIT */
/* searched_structure.h - training with structure learning. First the structure is learned from all rows. Then a model
 * with the learned arcs is trained, which stores only the counts of its families. */
#ifndef CREDENCE_CLI_SEARCHED_STRUCTURE_H
#define CREDENCE_CLI_SEARCHED_STRUCTURE_H

#include "core/invocation.h"
#include "source/data_input.h"

/* Returns whether the settings specify a structure search. */
bool searched_structure_is_stated(const crd_settings *settings);

/* Reads --bootstrap, --threshold and --seed. */
int searched_structure_options(const invocation *call, crd_structure_options *out);

/* Replaces a structure search in the settings, if any, by the arcs that it finds in the rows of the source, which is
 * rewound. */
crd_status searched_structure_state_arcs(crd_row_source *source, crd_settings *settings, crd_error *error);

/* Searches, reports the learned structure, and trains. `tallies` lists additional sufficient statistics to keep, or is
 * NULL. If the search is interrupted, trains the best structure so far, with a warning. Sets *ending to the exit status
 * after the model is written. The caller reports errors of the library. */
crd_status searched_structure_train(const invocation *call, data *d, const crd_settings *settings,
                                    const crd_structure_options *options, const char *tallies, crd_model **out,
                                    crd_read_facts *facts, int *ending, crd_error *error);

#endif
