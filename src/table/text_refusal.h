/* SPDX-License-Identifier: MIT */
/* text_refusal.h - the error for operations that do not support text columns. */
#ifndef CRD_TABLE_TEXT_REFUSAL_H
#define CRD_TABLE_TEXT_REFUSAL_H

#include <credence/base.h>

/* Fails with CRD_ERROR_COLUMN because a column contains texts. The message is `what`, such as "a table counts",
 * followed by "numbers and categories only". */
crd_status crd_i_fail_text(crd_error *error, crd_text column, const char *description);

#endif
