/* SPDX-License-Identifier: MIT */
/* arrow_type.h - the type of a column of a record batch, and what it is here: a number, a category, or neither. */
#ifndef CRD_TABLE_ARROW_ARROW_TYPE_H
#define CRD_TABLE_ARROW_ARROW_TYPE_H

#include "base/context.h"
#include "table/arrow/arrow_abi.h"

#include <credence/data.h>

/* How a value lies in its buffers. */
typedef enum crd_i_arrow_layout {
    CRD_I_ARROW_NULL,    /* nothing: every value is null */
    CRD_I_ARROW_BOOLEAN, /* bits */
    CRD_I_ARROW_NUMBER,  /* integers and floats of `letter`, to be divided by `divisor` */
    CRD_I_ARROW_DECIMAL, /* signed integers of `width` bytes, to be divided by 10^scale */
    CRD_I_ARROW_TEXT,    /* bytes between offsets of 32 bits, `width` 4, or 64 bits, `width` 8 */
    CRD_I_ARROW_VIEW,    /* views of bytes, of 16 bytes each */
    CRD_I_ARROW_FIXED,   /* `width` bytes each */
    CRD_I_ARROW_FOREIGN  /* neither numbers nor texts: see `foreign` */
} crd_i_arrow_layout;

/* What numbers are, where they are no quantities. */
typedef enum crd_i_arrow_clock {
    CRD_I_ARROW_NO_CLOCK,
    CRD_I_ARROW_DATE,
    CRD_I_ARROW_TIMESTAMP,
    CRD_I_ARROW_TIME
} crd_i_arrow_clock;

/* A type's values: those of a column, or of its runs, or of its dictionary. */
typedef struct crd_i_arrow_type {
    crd_i_arrow_layout layout;
    char letter; /* of the format of the numbers that are stored: "cCsSiIlLefg" */
    crd_i_arrow_clock clock;
    double divisor;  /* 1 but for times, whose unit is the second, and dates, whose unit is the day */
    int scale;       /* decimal digits behind the point; may be negative */
    size_t width;    /* bytes */
    bool is_indexed; /* the column has indices of `index_letter` into a dictionary of these values */
    bool is_run_end; /* the column has runs of these values, or of indices, that end where `run_letter` says */
    char index_letter, run_letter;
    const char *foreign; /* what it is, in words; NULL: a number or a category */
    char format[32];     /* as the schema has it, cut where it is long; for messages */
} crd_i_arrow_type;

/* Never fails: what is not understood is foreign. */
crd_i_arrow_type crd_i_arrow_type_of(const struct ArrowSchema *schema);

/* Integers, floats, decimals, dates and times are numbers; texts, booleans and whatever has a dictionary are
 * categories; nulls and foreign types are neither. */
crd_kind crd_i_arrow_type_kind(const crd_i_arrow_type *type);

#endif
