/* SPDX-License-Identifier: MIT */
/* bif_names.h - lists of names in BIF that commas alone separate.
 *
 * BIF's grammar has names without blanks and brackets. R's bnlearn and others write names as they are,
 *
 *   type discrete [ 3 ] { No injury, Slight (1-2), > 10000 };
 *   probability ( Body mass | Age (years), Sex ) {
 *     (_0_500], female) 0.2, 0.3, 0.5;
 *
 * so that where a list ends, and which commas belong to a name, follows from the declared number of states and from
 * the names declared before. Each function first tries the grammar's own words, and changes nothing but the parser's
 * position and the draft's words.
 *
 * Names that other readers refuse are written as identifiers, with a property that has the name as it is. */
#ifndef CRD_NETWORK_FORMATS_BIF_NAMES_H
#define CRD_NETWORK_FORMATS_BIF_NAMES_H

#include "network/formats/network_parser.h"

/* What nodes and states are called in the file, where a property gives the name that counts. */
typedef struct crd_i_bif_identifiers {
    crd_i_dictionary *nodes;   /* of all nodes, by number */
    crd_i_dictionary **states; /* of each node; NULL: its states are called as they are */
    size_t room;               /* of states */
} crd_i_bif_identifiers;

CRD_MUST_USE crd_status crd_i_bif_identifiers_begin(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft);
void crd_i_bif_identifiers_end(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft);
/* The next node. `states`: those of the draft are identifiers, since others count; else the node's own. */
CRD_MUST_USE crd_status crd_i_bif_identifiers_add(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft,
                                                  crd_i_file_place place, crd_text node, bool states);
/* From the brace that opens a list of `count` states to behind the one that closes it. Words are the states if there
 * are `count`; else what is between commas; else what is between commas with a blank behind them, as `[0,5), [5,9]`
 * has it; else the words after all, for the caller to count. */
CRD_MUST_USE crd_status crd_i_bif_states(crd_i_parser *parser, double count);

/* The name of a variable, up to the brace that opens its block. */
CRD_MUST_USE crd_status crd_i_bif_variable(crd_i_parser *parser, crd_text *name);

/* From the parenthesis that opens a list of variables to behind the one that closes it. Where these are no words that
 * all are variables, each name is the shortest up to a comma or a bar that is a variable. */
CRD_MUST_USE crd_status crd_i_bif_family(crd_i_parser *parser, const crd_i_bif_identifiers *identifiers);

/* From the parenthesis that opens a row of a node's table to behind the one that closes it: one state of each parent.
 * The row's number is SIZE_MAX where the words are no such states. */
CRD_MUST_USE crd_status crd_i_bif_row(crd_i_parser *parser, const crd_i_bif_identifiers *identifiers,
                                      const crd_i_node *node, size_t *row);

#endif
