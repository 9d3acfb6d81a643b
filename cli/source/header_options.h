/* SPDX-License-Identifier: MIT */
/* header_options.h - determines which line of a table contains the column names: --header, --skip-lines, and the
 * columns that other options name. */
#ifndef CREDENCE_CLI_HEADER_OPTIONS_H
#define CREDENCE_CLI_HEADER_OPTIONS_H

#include "core/invocation.h"

/* Column selectors from options. */
typedef struct selector_list {
    crd_text *items; /* owned, including their bytes */
    size_t count;
} selector_list;

/* Sets the position of the header in the options. Returns ENDED_USAGE if a value is invalid. */
int header_options_read(const invocation *call, crd_reader_options *options);

/* Lists the columns that the options of the command name. The reader searches the first lines for these names. */
selector_list header_options_selectors(const invocation *call);
void selector_list_free(selector_list *selectors);

/* Returns whether an option or a schema determines the header, or an option names one of the reader's columns. */
bool header_options_settle(const invocation *call, const crd_reader *reader);

#endif
