/* SPDX-License-Identifier: MIT */
/* encoded_words.h - converts header values to text: unfolds them and decodes encoded words (RFC 2047). */
#ifndef CRD_MAIL_ENCODED_WORDS_H
#define CRD_MAIL_ENCODED_WORDS_H

#include "base/buffer.h"

/* Appends a header value to *out as UTF-8, without line breaks and leading whitespace. Encoded words in plain charsets
 * are decoded here, and all others by GMime. Without GMime, the latter stay encoded. Both `scratch` buffers are
 * overwritten. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_header_value_decode(crd_text value, bool always_gmime, crd_i_buffer scratch[2],
                                            crd_i_buffer *out);

#endif
