/* SPDX-License-Identifier: MIT */
/* auto_method.h - --method auto: compares candidates on a table's rows as evaluate --compare does, and trains the
 * recommended one. */
#ifndef CREDENCE_CLI_AUTO_METHOD_H
#define CREDENCE_CLI_AUTO_METHOD_H

#include "source/data_input.h"

/* Returns whether --method auto is given. */
bool auto_method_is_given(const arguments *given);

/* Chooses a candidate, reports the choice and its reason, and trains. If there are several processes, each has all rows
 * (has_all_rows), and they share the work of the comparison. `path` names the rows in messages. `tallies` lists
 * sufficient statistics to keep in addition to those that the method reads; NULL: none. `facts` may be NULL. */
int auto_method_train(const invocation *call, data *d, const char *path, const char *tallies, crd_model **out,
                      crd_read_facts *facts);

#endif
