/* SPDX-License-Identifier: MIT */
/* setting_help.h - the help of a setting, with the density families for numeric columns. */
#ifndef CREDENCE_CLI_SETTING_HELP_H
#define CREDENCE_CLI_SETTING_HELP_H

#include "core/string_buffer.h"

/* Appends the help of a setting. If the setting chooses a family, the list of families follows. */
void setting_help_add(string *out, const crd_setting *setting);

#endif
