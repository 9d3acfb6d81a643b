/* SPDX-License-Identifier: MIT */
/* header_options.h - which line of a table names its columns: --header, --skip-lines, and the columns that other options name. */
#ifndef CREDENCE_CLI_HEADER_OPTIONS_H
#define CREDENCE_CLI_HEADER_OPTIONS_H

#include "core/invocation.h"

/* Columns as options name them. */
typedef struct selector_list {
    crd_text *items; /* owned, as their bytes are */
    size_t count;
} selector_list;

/* Sets the header's place in the options. Returns ENDED_USAGE if a value is not one. */
int header_options_read(const invocation *call, crd_reader_options *options);

/* Lists the columns that the options of the command name: the reader looks for these names in the first lines. */
selector_list header_options_selectors(const invocation *call);
void selector_list_free(selector_list *selectors);

/* Whether an option or a schema states where the header is, or an option names one of the reader's columns. */
bool header_options_settle(const invocation *call, const crd_reader *reader);

#endif
