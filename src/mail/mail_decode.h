/* SPDX-License-Identifier: MIT */
/* mail_decode.h - content transfer encodings (RFC 2045) and charsets of regular messages.
 *
 * What is malformed is irregular, and left to GMime; what these decode, they decode as GMime does. */
#ifndef CRD_MAIL_MAIL_DECODE_H
#define CRD_MAIL_MAIL_DECODE_H

#include "base/buffer.h"

typedef enum crd_i_decoded { CRD_I_DECODED, CRD_I_DECODED_IRREGULAR, CRD_I_DECODED_NO_MEMORY } crd_i_decoded;

/* Appends to *out the bytes that are encoded, about `most` of them at most. */
crd_i_decoded crd_i_base64_decode(crd_text text, size_t most, crd_i_buffer *out);
/* `is_word`: in an encoded word (RFC 2047), an underscore is a blank. */
crd_i_decoded crd_i_quoted_printable_decode(crd_text text, size_t most, bool is_word, crd_i_buffer *out);

/* Whether texts of a charset are read by crd_i_text_decode: UTF-8, ASCII, Latin-1, windows-1252, or none stated. */
bool crd_i_charset_is_plain(crd_text charset);
/* Appends to *out as UTF-8 what is valid UTF-8, and all other bytes as those of windows-1252: text that is labelled as
 * one of the two and is the other one is read as it was meant. NUL, and what means nothing, becomes a blank. */
CRD_MUST_USE bool crd_i_text_decode(crd_text text, crd_i_buffer *out);

/* The value of a hexadecimal digit; -1: it is none. */
int crd_i_hex_digit(unsigned char digit);
/* Writes a character as UTF-8, and returns how many bytes it takes; 0: there is no such character, or it is NUL. */
size_t crd_i_utf8_write(uint32_t character, char bytes[4]);

#endif
