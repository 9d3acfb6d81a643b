/* SPDX-License-Identifier: MIT */
/* list_items.h - lists that people write as a setting's value: CSV items NAME=VALUE, each split at its last '='. */
#ifndef CRD_SETTINGS_LIST_ITEMS_H
#define CRD_SETTINGS_LIST_ITEMS_H

#include "base/buffer.h"

/* Takes the next item off *rest into `item`, unquoted; *more tells whether a comma followed. */
CRD_MUST_USE crd_status crd_i_item_next(crd_text *view, crd_i_buffer *item, bool *more, crd_error *error);

/* Adds NAME alone, in quotes where it needs them, as it does also for a semicolon. false: out of memory. */
CRD_MUST_USE bool crd_i_item_append_name(crd_i_buffer *buffer, bool is_first, crd_text name);
/* Adds NAME=VALUE, in quotes where the name needs them. false: out of memory. */
CRD_MUST_USE bool crd_i_item_append(crd_i_buffer *buffer, bool is_first, crd_text name, const char *value);

#endif
