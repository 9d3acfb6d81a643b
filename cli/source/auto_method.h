/* SPDX-License-Identifier: MIT */
/* auto_method.h - --method auto: a table's rows are compared as evaluate --compare does, and what is recommended is
 * trained. */
#ifndef CREDENCE_CLI_AUTO_METHOD_H
#define CREDENCE_CLI_AUTO_METHOD_H

#include "source/data_input.h"

/* Whether --method auto is given. */
bool auto_method_is_given(const arguments *given);

/* Chooses, reports what was chosen, why, and among how many, and trains. Of several processes each has all rows (has_all_rows), and they compare together. `path` names the rows in messages; tallies
 * (NULL: none) are kept beyond those that the method reads. facts may be NULL. */
int auto_method_train(const invocation *call, data *d, const char *path, const char *tallies, crd_model **out,
                      crd_read_facts *facts);

#endif
