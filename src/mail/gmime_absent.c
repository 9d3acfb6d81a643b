/* SPDX-License-Identifier: MIT */
/* gmime_absent.c - replaces gmime.c in builds without GMime. */
#include "base/error.h"
#include "mail/mail_internal.h"

crd_status crd_i_gmime_body_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers, crd_text body,
                                 crd_error *error) {
    (void)parser, (void)headers, (void)body;
    return crd_i_fail(error, CRD_ERROR_SYSTEM,
                      "this message has MIME parts that need GMime, but this build has no GMime");
}

bool crd_i_gmime_decode_words(crd_i_buffer *line, crd_i_buffer *out) {
    return crd_i_text_decode((crd_text){(const char *)line->bytes, line->length}, out);
}
