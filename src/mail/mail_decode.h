/* SPDX-License-Identifier: MIT */
/* mail_decode.h - decodes content transfer encodings (RFC 2045) and charsets of regular messages.
 *
 * Malformed input is reported as irregular and left to GMime. For all other input, these functions and GMime give the
 * same result. */
#ifndef CRD_MAIL_MAIL_DECODE_H
#define CRD_MAIL_MAIL_DECODE_H

#include "base/buffer.h"

typedef enum crd_i_decoded { CRD_I_DECODED, CRD_I_DECODED_IRREGULAR, CRD_I_DECODED_NO_MEMORY } crd_i_decoded;

/* Decodes Base64 and appends the bytes to *out, at most about `most` of them. */
crd_i_decoded crd_i_base64_decode(crd_text text, size_t most, crd_i_buffer *out);
/* Decodes quoted-printable text and appends it to *out, at most about `most` bytes. `is_word`: the text is part of an
 * encoded word (RFC 2047), in which an underscore means a space. */
crd_i_decoded crd_i_quoted_printable_decode(crd_text text, size_t most, bool is_word, crd_i_buffer *out);

/* Returns whether crd_i_text_decode can read texts in a charset: UTF-8, ASCII, Latin-1, windows-1252, or an empty
 * name. */
bool crd_i_charset_is_plain(crd_text charset);
/* Appends a text to *out as UTF-8. Valid UTF-8 is copied, and all other bytes are read as windows-1252. Therefore text
 * is read correctly even if it is labeled with the wrong one of these charsets. NUL and undefined bytes become spaces.
 * Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_text_decode(crd_text text, crd_i_buffer *out);

/* Returns the value of a hexadecimal digit, or -1 if it is not a digit. */
int crd_i_hex_digit(unsigned char digit);
/* Writes a character as UTF-8 and returns its length; 0 if the character does not exist or is NUL. */
size_t crd_i_utf8_write(uint32_t character, char bytes[4]);

#endif
