/* SPDX-License-Identifier: MIT */
/* file_beside.h - a temporary file next to the file that it will replace. A killed process leaves no garbage for long.
 *
 * The names are numbered: PATH.writing-0, PATH.writing-1 and so on. The writer holds a lock on its file. The next
 * process that writes to PATH uses the first number whose file is free, after removing a file there that a killed
 * process has left. */
#ifndef CREDENCE_CLI_FILE_BESIDE_H
#define CREDENCE_CLI_FILE_BESIDE_H

#include "core/string_buffer.h"

#include <sys/stat.h>

/* Opens a temporary file for writing and stores its name in `name`. The file gets the owner, group and permissions of
 * `replaced`, as far as the system allows; NULL: the permissions of any new file. The lock is released when the last
 * descriptor is closed, so the file must be renamed or removed before. Returns -1 and sets errno on failure. */
int file_beside_open(const char *path, const struct stat *replaced, string *name);

#endif
