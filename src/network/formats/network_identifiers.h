/* SPDX-License-Identifier: MIT */
/* network_identifiers.h - identifiers in the place of names, for formats whose readers take nothing else. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_IDENTIFIERS_H
#define CRD_NETWORK_FORMATS_NETWORK_IDENTIFIERS_H

#include "network/network_internal.h"

/* An identifier begins with a letter or an underscore, or a digit where these may, and goes on with letters, digits,
 * underscores and `further` bytes; one that begins with a digit has letters and digits only. ASCII alone. */
typedef struct crd_i_identifier_rules {
    const char *further;
    bool may_begin_with_digit;
    size_t most_bytes;           /* 0: any number */
    const char *const *keywords; /* in any case of letters, ended by NULL; NULL: none */
} crd_i_identifier_rules;

bool crd_i_is_identifier(crd_text name, const crd_i_identifier_rules *rules);

/* An identifier for each node of a network and for each of its states, by the same numbers and all different: the name
 * itself where it is one, else the name with an underscore for each character that is not allowed, and a number behind
 * it where that is taken. */
typedef struct crd_i_network_identifiers {
    const crd_network *network;
    crd_i_dictionary *nodes;
    crd_i_dictionary **states; /* of each node */
} crd_i_network_identifiers;

/* False: out of memory. Cleared by _clear in any case. */
CRD_MUST_USE bool crd_i_network_identifiers_create(crd_i_network_identifiers *identifiers, const crd_network *network,
                                                   const crd_i_identifier_rules *nodes,
                                                   const crd_i_identifier_rules *states);
void crd_i_network_identifiers_clear(crd_i_network_identifiers *identifiers);
/* Whether the node's name, or one of its states, is not what it is called. */
bool crd_i_network_identifiers_rename(const crd_i_network_identifiers *identifiers, size_t node);
bool crd_i_network_identifiers_rename_states(const crd_i_network_identifiers *identifiers, size_t node);

#endif
