/* SPDX-License-Identifier: MIT */
/* detect_format.h - inspects the first bytes of a file. */
#ifndef CRD_TABLE_READ_DETECT_FORMAT_H
#define CRD_TABLE_READ_DETECT_FORMAT_H

#include "table/parse/slow_parse.h"

/* Skips a byte order mark at the beginning of a file and rejects known binary formats. If is_at_hand, it inspects
 * more bytes than for a pipe, whose bytes may arrive late. */
CRD_MUST_USE crd_status crd_i_detect_text(crd_i_slow_parse *records, bool is_at_hand, crd_error *error);

/* Returns whether a byte is a control character that does not occur in text. Cursor movements and the DOS
 * end-of-file character do occur. */
static inline bool crd_i_is_control(char byte) {
    unsigned char value = (unsigned char)byte;
    return value < 0x20 && (value < '\t' || value > '\r') && value != 0x1A;
}

#endif
