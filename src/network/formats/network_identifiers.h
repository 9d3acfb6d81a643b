/* SPDX-License-Identifier: MIT */
/* network_identifiers.h - identifiers that replace names, for formats whose readers accept only identifiers. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_IDENTIFIERS_H
#define CRD_NETWORK_FORMATS_NETWORK_IDENTIFIERS_H

#include "network/network_internal.h"

/* An identifier starts with a letter, an underscore or, if allowed, a digit. It continues with letters, digits,
 * underscores and `further` bytes. An identifier that starts with a digit contains only letters and digits. Only
 * ASCII is allowed. */
typedef struct crd_i_identifier_rules {
    const char *further;
    bool may_begin_with_digit;
    size_t most_bytes;           /* 0: any number */
    const char *const *keywords; /* compared case-insensitively, terminated by NULL; NULL: none */
} crd_i_identifier_rules;

bool crd_i_is_identifier(crd_text name, const crd_i_identifier_rules *rules);

/* A unique identifier for each node and each state of a network, with the same numbers. It is the name itself if
 * that is an identifier. Otherwise each forbidden character becomes an underscore, and a number is appended if the
 * result is in use. */
typedef struct crd_i_network_identifiers {
    const crd_network *network;
    crd_i_dictionary *nodes;
    crd_i_dictionary **states; /* by node */
} crd_i_network_identifiers;

/* Creates identifiers for all nodes and states. Returns false if memory runs out. Always clear it with _clear. */
CRD_MUST_USE bool crd_i_network_identifiers_create(crd_i_network_identifiers *identifiers, const crd_network *network,
                                                   const crd_i_identifier_rules *nodes,
                                                   const crd_i_identifier_rules *states);
void crd_i_network_identifiers_clear(crd_i_network_identifiers *identifiers);
/* Returns whether the identifier of the node, or of one of its states, differs from its name. */
bool crd_i_network_identifiers_rename(const crd_i_network_identifiers *identifiers, size_t node);
bool crd_i_network_identifiers_rename_states(const crd_i_network_identifiers *identifiers, size_t node);

#endif
