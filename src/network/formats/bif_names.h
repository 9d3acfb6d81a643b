/* SPDX-License-Identifier: MIT */
/* bif_names.h - lists of names in BIF that are separated only by commas.
 *
 * BIF's grammar has names without spaces and brackets. R's bnlearn and other programs write names unchanged:
 *
 *   type discrete [ 3 ] { No injury, Slight (1-2), > 10000 };
 *   probability ( Body mass | Age (years), Sex ) {
 *     (_0_500], female) 0.2, 0.3, 0.5;
 *
 * The end of a list, and which commas belong to a name, then follow from the declared number of states and from the
 * names declared before. Each function first tries the words of the grammar. It changes only the position of the parser
 * and the words of the draft.
 *
 * Names that other readers do not accept are written as identifiers, with the original name in a property. */
#ifndef CRD_NETWORK_FORMATS_BIF_NAMES_H
#define CRD_NETWORK_FORMATS_BIF_NAMES_H

#include "network/formats/network_parser.h"

/* The identifiers of nodes and states in the file, if a property contains the original name. */
typedef struct crd_i_bif_identifiers {
    crd_i_dictionary *nodes;   /* identifiers of all nodes, by number */
    crd_i_dictionary **states; /* identifiers of each node's states; NULL: they are the state names */
    size_t capacity;           /* allocated length of `states` */
} crd_i_bif_identifiers;

CRD_MUST_USE crd_status crd_i_bif_identifiers_begin(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft);
void crd_i_bif_identifiers_end(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft);
/* Adds the next node. If `states` is true, the draft's states are identifiers of the original states; otherwise they
 * are the node's own. */
CRD_MUST_USE crd_status crd_i_bif_identifiers_add(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft,
                                                  crd_i_file_place place, crd_text node, bool states);
/* Reads a list of `count` states, from its opening brace to after its closing brace. The states are the words if
 * their number is `count`; else the text between commas; else the text between commas followed by a space, as in
 * `[0,5), [5,9]`; else the words again, for the caller to count. */
CRD_MUST_USE crd_status crd_i_bif_states(crd_i_parser *parser, double count);

/* Reads a variable name, up to the opening brace of its block. */
CRD_MUST_USE crd_status crd_i_bif_variable(crd_i_parser *parser, crd_text *name);

/* Reads a list of variables, from its opening to after its closing parenthesis. If the words are not all variables,
 * each name is the shortest text up to a comma or bar that is a variable. */
CRD_MUST_USE crd_status crd_i_bif_family(crd_i_parser *parser, const crd_i_bif_identifiers *identifiers);

/* Reads the parent states of a table row, from its opening to after its closing parenthesis. Sets the row number to
 * SIZE_MAX if the words are not such states. */
CRD_MUST_USE crd_status crd_i_bif_row(crd_i_parser *parser, const crd_i_bif_identifiers *identifiers,
                                      const crd_i_node *node, size_t *row);

#endif
