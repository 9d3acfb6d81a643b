/* SPDX-License-Identifier: MIT */
/* bad_row_list.h - rows that cannot be read, as --bad-rows has them: an error, left out and listed, or written to a file. */
#ifndef CREDENCE_CLI_BAD_ROW_LIST_H
#define CREDENCE_CLI_BAD_ROW_LIST_H

#include "core/invocation.h"

typedef struct bad_row_list bad_row_list;

/* Makes the reader's options what --bad-rows says; *out is NULL where that is an error at the first bad row. */
int bad_row_list_open(const invocation *call, const char *const *paths, size_t count, crd_reader_options *options,
                      bad_row_list **out);
/* Where several processes have each read a part of the rows, and not learned from them together: the first one has those of all then.
 * Every process makes the call; returns `ended`, or the failure where there are more than are allowed. NULL is fine. */
int bad_row_list_share(bad_row_list *rows, int ended);
/* Before a result is written that depends on the list: fails if the list cannot be written. NULL is fine. */
int bad_row_list_flush(bad_row_list *rows);
/* Whether rows were left out. NULL is fine. */
bool bad_row_list_has_rows(const bad_row_list *rows);
/* Reports how many rows were left out, and the first few of them. NULL is fine. */
void bad_row_list_close(bad_row_list *rows);
/* Whether a list that was closed could not be written: the command has failed then. */
bool bad_row_list_is_lost(void);

#endif
