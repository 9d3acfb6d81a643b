/* SPDX-License-Identifier: MIT */
/* setting_help.h - the families of densities that numbers can have, as help lists them. */
#ifndef CREDENCE_CLI_SETTING_HELP_H
#define CREDENCE_CLI_SETTING_HELP_H

#include "core/string_buffer.h"

/* The help of a setting, and where it chooses families, which there are. */
void setting_help_add(string *out, const crd_setting *setting);

#endif
