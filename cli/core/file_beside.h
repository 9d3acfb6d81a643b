/* SPDX-License-Identifier: MIT */
/* file_beside.h - a file beside the one that it is to replace: whoever is killed leaves nothing behind for long.
 *
 * Its name is numbered, PATH.writing-0 and on, and it is locked by the one who writes it: the next to write to PATH takes
 * the first number whose file is free, having removed what was left there by one who was killed. */
#ifndef CREDENCE_CLI_FILE_BESIDE_H
#define CREDENCE_CLI_FILE_BESIDE_H

#include "core/string_buffer.h"

#include <sys/stat.h>

/* Opens one to write, and puts its name into `name`. It has the owner, the group and the permissions of what it is to
 * replace, as far as the system allows it, or those of any new file where that is NULL. Its lock goes when the last
 * descriptor is closed, so that it has to be renamed, or removed, before. -1: errno says why. */
int file_beside_open(const char *path, const struct stat *replaced, string *name);

#endif
