/* SPDX-License-Identifier: MIT */
/* arrow_names.h - names of record batch columns. */
#ifndef CRD_TABLE_ARROW_ARROW_NAMES_H
#define CRD_TABLE_ARROW_ARROW_NAMES_H

#include "table/arrow/arrow_abi.h"

#include <credence/base.h>

#include <stdio.h>

enum { CRD_I_ARROW_NAME_ROOM = 24 };

/* Returns the name of column `index`. Columns without a name are called c1, c2, ... as in files. */
static inline crd_text crd_i_arrow_name(const struct ArrowSchema *column, size_t index,
                                        char buffer[CRD_I_ARROW_NAME_ROOM]) {
    if (column->name != NULL && column->name[0] != '\0') return crd_text_of(column->name);
    crd_text numbered = {buffer, (size_t)snprintf(buffer, CRD_I_ARROW_NAME_ROOM, "c%zu", index + 1)};
    return numbered;
}

#endif
