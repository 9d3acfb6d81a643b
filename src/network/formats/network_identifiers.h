/* SPDX-License-Identifier: MIT */
/* network_identifiers.h - identifiers in the place of names, for formats whose readers take nothing else. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_IDENTIFIERS_H
#define CRD_NETWORK_FORMATS_NETWORK_IDENTIFIERS_H

#include "network/network_internal.h"

/* An identifier begins with a letter or an underscore, or a digit where these may, and goes on with letters, digits,
 * underscores and `further` bytes. ASCII alone. */
typedef struct crd_i_identifier_rules {
    const char *further;
    bool may_begin_with_digit;
    size_t most_bytes;           /* 0: any number */
    const char *const *keywords; /* in any case of letters, ended by NULL; NULL: none */
} crd_i_identifier_rules;

bool crd_i_is_identifier(crd_text name, const crd_i_identifier_rules *rules);

/* An identifier for each of the names, by the same codes and all different: the name itself where it is one, else the
 * name with an underscore for each character that is not allowed, and a number behind it where that is taken. NULL: out
 * of memory. */
crd_i_dictionary *crd_i_identifiers_create(crd_context *context, const crd_i_dictionary *names,
                                           const crd_i_identifier_rules *rules);

#endif
