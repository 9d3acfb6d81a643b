/* SPDX-License-Identifier: MIT */
/* error_messages.h - prints errors of the library as messages, with a hint at the verb's option that helps. */
#ifndef CREDENCE_CLI_ERROR_MESSAGES_H
#define CREDENCE_CLI_ERROR_MESSAGES_H

#include "core/options.h"

/* Sets the options that hints may name: the options of the running verb, and its groups of settings. */
void message_offer(const option *table, const char *setting_groups);
/* Declares the column types fixed from now on, so hints do not name options for them. `description` opens a sentence,
 * for example "the model has". */
void message_columns_settled_by(const char *description);
/* Returns whether the verb has an option or a setting of this name that is useful in the current situation. */
bool message_offers(const char *name);

/* Prints the library's error with its place, and a hint at the option that helps, if any. Returns ENDED_FAILED, or the
 * exit status of an interrupted command. */
int message_error(const crd_error *error);
/* Prints an error in a network file, as message_error does. Its place has a line and a column. */
int message_error_in_network(const crd_error *error);
/* Prints an error as message_error does, for a file whose name the library does not have. */
int message_error_in(const crd_error *error, const char *path);

/* Prints the library's hint, if there is one, with options in place of its setting names. */
void message_library_hint(const crd_error *error);

/* Reports that the value of the option --name is unknown, and lists similar names or all valid ones. `description` is
 * "column", "attribute" or "class". Returns ENDED_FAILED. */
int message_no_such(const char *name, const char *description, crd_text typed, const crd_text *names, size_t count);

#endif
