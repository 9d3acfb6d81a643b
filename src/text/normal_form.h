/* SPDX-License-Identifier: MIT */
/* normal_form.h - parts of a text normalised into the buffer of a scan: see tokens.h. */
#ifndef CRD_TEXT_NORMAL_FORM_H
#define CRD_TEXT_NORMAL_FORM_H

#include "text/token_scan.h"

/* Writes the normal form of a part of the text, of which up to `most` characters count, to `to`, which has room for four
 * bytes of each. */
CRD_MUST_USE crd_status crd_i_normal_form(crd_i_token_scan *scan, crd_text part, size_t most, char *to, size_t *length,
                                          crd_error *error);
/* Whether a character may combine with the one before it. */
CRD_MUST_USE crd_status crd_i_normal_combines(crd_i_token_scan *scan, uint32_t character, bool *combines,
                                              crd_error *error);

#endif
