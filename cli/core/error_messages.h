/* SPDX-License-Identifier: MIT */
/* error_messages.h - errors of the library as messages, with the option of the verb that helps where one does. */
#ifndef CREDENCE_CLI_ERROR_MESSAGES_H
#define CREDENCE_CLI_ERROR_MESSAGES_H

#include "core/options.h"

/* What hints may name: the options of the verb that runs. */
void message_offer(const option *table, bool takes_settings);
/* From now on what the columns are is settled ("the model has", which opens a
 * sentence), and no option says otherwise. */
void message_columns_settled_by(const char *description);
/* Whether an option, or a setting, of the verb has that name and is of use in this situation. */
bool message_offers(const char *name);

/* The library's error with its place, and the option that helps where one does. Returns ENDED_FAILED, or what a
 * command ends with that was interrupted. */
int message_error(const crd_error *error);
/* The same, of a network's file, in which a place is a line and a column. */
int message_error_in_network(const crd_error *error);
/* The same, of a file that the library was not told the name of. */
int message_error_in(const crd_error *error, const char *path);

/* Prints the library's hint, if there is one, with options for its settings. */
void message_library_hint(const crd_error *error);

/* Says that the option --name names nothing there is, and what there is: `what` is "column", "attribute" or "class".
 * Returns
 * ENDED_FAILED. */
int message_no_such(const char *name, const char *description, crd_text typed, const crd_text *names, size_t count);

#endif
