/* SPDX-License-Identifier: MIT */
/* text_refusal.c - see text_refusal.h. */
#include "table/text_refusal.h"

#include "base/error.h"

crd_status crd_i_fail_text(crd_error *error, crd_text column, const char *description) {
    char name[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "column '%s' is a text, but %s numbers and categories only",
               crd_i_quote(column, name), description);
    crd_i_error_hint(error, "ignore the column, or use the method naive");
    crd_i_error_subject(error, column);
    return CRD_ERROR_COLUMN;
}
