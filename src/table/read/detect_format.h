/* SPDX-License-Identifier: MIT */
/* detect_format.h - what the first bytes of a file show of it. */
#ifndef CRD_TABLE_READ_DETECT_FORMAT_H
#define CRD_TABLE_READ_DETECT_FORMAT_H

#include "table/parse/slow_parse.h"

/* At the beginning of a file: skips a byte order mark, refuses what is known not to be text. Where the bytes are at
 * hand, as those of a file are, more of them are looked at than of a pipe, whose next bytes may be long in coming. */
CRD_MUST_USE crd_status crd_i_detect_text(crd_i_slow_parse *records, bool is_at_hand, crd_error *error);

/* Whether a byte is a control character that no line of text has: none that moves the cursor or ends a file of DOS. */
static inline bool crd_i_is_control(char byte) {
    unsigned char value = (unsigned char)byte;
    return value < 0x20 && (value < '\t' || value > '\r') && value != 0x1A;
}

#endif
