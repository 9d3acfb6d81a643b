/* SPDX-License-Identifier: MIT */
/* setting_help.h - help on settings: all of them, a group, or one with its forms. */
#ifndef CREDENCE_CLI_SETTING_HELP_H
#define CREDENCE_CLI_SETTING_HELP_H

#include "core/invocation.h"

#include <stdio.h>

/* Appends the help of a setting. If the setting chooses a family, the list of families follows. */
void setting_help_add(string *out, const crd_setting *setting);
/* Prints a setting as a line of a verb's help, with the first clause of its text. */
void setting_help_print_short(FILE *stream, const crd_setting *setting);
/* Prints the names of the settings in each of these groups. */
void setting_help_print_names(FILE *stream, const char *groups);

/* Returns the setting that a help topic names; NULL: none. */
const crd_setting *setting_help_find(const char *topic);
/* Returns the name of a group of settings, NULL after the last. */
const char *setting_help_group(size_t index);
/* Returns paragraphs about a group of settings, or "". */
const char *setting_help_about(const char *group);

/* Prints one setting with its forms. */
int setting_help_print(const invocation *call, const crd_setting *setting);
/* Prints the settings of the groups, with their forms, after an index. */
int setting_help_print_groups(const invocation *call, const char *groups);
/* Writes the settings as JSON, from which other user interfaces build their forms. */
int setting_help_report(const invocation *call);

#endif
