/* SPDX-License-Identifier: MIT */
/* prior_setting.h - parses and formats lists in the value of a setting: CSV items NAME=VALUE, each split at its last
 * '='. */
#ifndef CRD_SETTINGS_PRIOR_SETTING_H
#define CRD_SETTINGS_PRIOR_SETTING_H

#include "base/buffer.h"

/* Removes the next item from *view and stores it in `item` without quotes. *more: a comma followed. */
CRD_MUST_USE crd_status crd_i_item_next(crd_text *view, crd_i_buffer *item, bool *more, crd_error *error);

/* Appends NAME, in quotes if needed, also if it contains a semicolon. false: out of memory. */
CRD_MUST_USE bool crd_i_item_append_name(crd_i_buffer *buffer, bool is_first, crd_text name);
/* Appends NAME=VALUE, in quotes if the name needs them. false: out of memory. */
CRD_MUST_USE bool crd_i_item_append(crd_i_buffer *buffer, bool is_first, crd_text name, const char *value);

#endif
