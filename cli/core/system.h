/* SPDX-License-Identifier: MIT */
/* system.h - what only the command asks of the operating system: standard streams, terminals, signals, file name
 * patterns and the environment. Files are in base/os.h. system_posix.c and system_windows.c implement it. */
#ifndef CREDENCE_CLI_SYSTEM_H
#define CREDENCE_CLI_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prepares the process: the words of the command line become UTF-8. Call it first. */
void system_begin(int *argc, char ***argv);
/* Opens an empty device for each standard stream that was closed when the command started. Without this, the next
 * opened file would get the free descriptor: a model could be read as the message, or overwritten by a report. Using
 * such a stream fails. Also makes a write beyond the file size limit fail like a write to a full disk. Returns false and
 * sets errno on failure. */
bool system_occupy_streams(void);
/* The path that swallows all output. */
extern const char *const system_null_device;

bool system_is_terminal(int descriptor);
size_t system_columns(int descriptor);     /* of a terminal; 0: unknown */
bool system_shows_escapes(int descriptor); /* whether a terminal can show colors and erase lines */
/* Returns whether a write failed because the reader has closed the pipe. `reason` is errno after the write. */
bool system_is_broken_pipe(int reason);

/* Calls the handler once for each kind of request to end the command that the parent process does not ignore. */
void system_catch_signals(void (*handler)(int signal));
void system_leave_signals(void (*handler)(int signal));

/* Returns a variable of the environment as UTF-8; NULL: it is not set. HOME is the user's folder on every system. */
const char *system_environment(const char *name);
bool system_make_folder(const char *path); /* only its owner may use it */
/* Shortens the file of a stream and moves the position to its end. */
bool system_truncate(FILE *stream, long length);
/* Calls `add` with each path that matches the pattern, sorted. Returns false if there is none. */
bool system_match(const char *pattern, void (*add)(void *user, const char *path), void *user);
/* Writes the name of this machine. */
void system_host(char *name, size_t capacity);

#endif
