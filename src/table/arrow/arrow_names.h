/* SPDX-License-Identifier: MIT */
/* arrow_names.h - what the columns of a record batch are called. */
#ifndef CRD_TABLE_ARROW_ARROW_NAMES_H
#define CRD_TABLE_ARROW_ARROW_NAMES_H

#include "table/arrow/arrow_abi.h"

#include <credence/base.h>

#include <stdio.h>

enum { CRD_I_ARROW_NAME_ROOM = 24 };

/* The name of column `index`: c1, c2, ... for those without one, as in files. */
static inline crd_text crd_i_arrow_name(const struct ArrowSchema *column, size_t index,
                                        char room[CRD_I_ARROW_NAME_ROOM]) {
    if (column->name != NULL && column->name[0] != '\0') return crd_text_of(column->name);
    crd_text numbered = {room, (size_t)snprintf(room, CRD_I_ARROW_NAME_ROOM, "c%zu", index + 1)};
    return numbered;
}

#endif
