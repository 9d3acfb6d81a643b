/* SPDX-License-Identifier: MIT */
/* text_refusal.h - the error of what takes no texts. */
#ifndef CRD_TABLE_TEXT_REFUSAL_H
#define CRD_TABLE_TEXT_REFUSAL_H

#include <credence/base.h>

/* CRD_ERROR_COLUMN: the column has texts, and `what`, such as "a table counts", goes on with "numbers and categories
 * only". */
crd_status crd_i_fail_text(crd_error *error, crd_text column, const char *what);

#endif
