/* SPDX-License-Identifier: MIT */
/* detect_format.h - what the first bytes and the first line of a file tell about it. */
#ifndef CRD_TABLE_READ_DETECT_FORMAT_H
#define CRD_TABLE_READ_DETECT_FORMAT_H

#include "table/missing_values.h"
#include "table/parse/slow_parse.h"

#include <credence/data.h>

/* At the beginning of a file: skips a byte order mark, refuses what is known not to be text. Where the bytes are at
 * hand, as those of a file are, more of them are looked at than of a pipe, whose next bytes may be long in coming. */
CRD_MUST_USE crd_status crd_i_detect_text(crd_i_slow_parse *records, bool is_at_hand, crd_error *error);

/* From the first line: a tab anywhere outside quotes, else the more frequent of comma and semicolon, else blanks
 * if there are two or more fields that are all numbers or missing but perhaps the last; else the comma. Where
 * `decimal`, which begins the fraction of numbers, is the comma, commas count for nothing. */
crd_separator crd_i_detect_separator(crd_text line, const crd_i_missing *missing, char decimal);

/* The byte crd_i_slow_parse knows a separator by. */
char crd_i_separator_byte(crd_separator separator);

#endif
