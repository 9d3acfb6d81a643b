/* SPDX-License-Identifier: MIT */
/* bad_row_list.h - handles rows that cannot be read according to --bad-rows: an error, rows skipped and listed, or rows
 * written to a file. */
#ifndef CREDENCE_CLI_BAD_ROW_LIST_H
#define CREDENCE_CLI_BAD_ROW_LIST_H

#include "core/invocation.h"

typedef struct bad_row_list bad_row_list;

/* Sets the reader's options from --bad-rows. *out is NULL if the first bad row is an error. */
int bad_row_list_open(const invocation *call, const char *const *paths, size_t count, crd_reader_options *options,
                      bad_row_list **out);
/* Collects the bad rows of all processes in rank 0, if each process has read a part of the rows without training on
 * them together. All processes must call it. Returns `ended`, or a failure if there are more bad rows than allowed.
 * `rows` may be NULL. */
int bad_row_list_share(bad_row_list *rows, int ended);
/* Flushes the list before a result that depends on it is written. Fails if the list cannot be written. `rows` may be
 * NULL. */
int bad_row_list_flush(bad_row_list *rows);
/* Returns whether rows were skipped. `rows` may be NULL. */
bool bad_row_list_has_rows(const bad_row_list *rows);
/* Reports the number of skipped rows and the first few of them, and frees the list. `rows` may be NULL. */
void bad_row_list_close(bad_row_list *rows);
/* Returns whether a closed list could not be written. Then the command has failed. */
bool bad_row_list_is_lost(void);

#endif
