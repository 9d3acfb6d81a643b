/* SPDX-License-Identifier: MIT */
/* encoded_words.h - values of header fields as text: unfolded, encoded words (RFC 2047) decoded. */
#ifndef CRD_MAIL_ENCODED_WORDS_H
#define CRD_MAIL_ENCODED_WORDS_H

#include "base/buffer.h"

/* Appends the value to *out in UTF-8, without line ends and without blanks before it. Encoded words in plain charsets are decoded
 * here, others by GMime; where there is no GMime, they stay as they are. Both `scratch` are overwritten. */
CRD_MUST_USE bool crd_i_header_value_decode(crd_text value, bool always_gmime, crd_i_buffer scratch[2],
                                            crd_i_buffer *out);

#endif
