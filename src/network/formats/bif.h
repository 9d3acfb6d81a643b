/* SPDX-License-Identifier: MIT */
/* bif.h - networks in the Bayesian network interchange format (BIF 0.15), read and written.
 *
 *   network NAME { property TEXT; }
 *   variable NAME { type discrete [ N ] { STATE, STATE, ... }; property TEXT; }
 *   probability ( NAME | PARENT, PARENT, ... ) {
 *     (STATE, STATE, ...) NUMBER, NUMBER, ...;     a row: one state of each parent, then the node's probabilities
 *     default NUMBER, ...;                         for every row that is not given
 *     table NUMBER, ...;                           the whole table: the node's states vary slowest, and the states
 *                                                  of the last parent fastest
 *   }
 *
 * Blocks come in any order. Commas and bars count as whitespace, because older writers omit them. A word is a sequence
 * of bytes other than whitespace and ( ) { } [ ] , ; | " so states may contain + . / < = >. In double quotes a word may
 * contain anything. Comments run from // to the end of the line, or between slash-star and star-slash. Properties are
 * skipped, whatever they contain, up to a semicolon outside quotes.
 *
 * The format has neither decisions nor utilities. Credence marks them by a property. Other programs can still read the
 * file; to them, a decision is a chance node with equal probabilities:
 *
 *   variable D { type discrete [ 2 ] { act, wait }; property credence decision; }
 *   probability ( D | A ) { default 0.5, 0.5; }          its parents; the numbers have no meaning
 *   variable U { type discrete [ 1 ] { utility }; property credence utility; }
 *   probability ( U | D ) { (act) -3; (wait) 20; }       one utility per row
 *
 * Both words of the property may be in one pair of quotes, which some readers of the format do not accept.
 *
 * Names that are not words, as bnlearn writes them, are accepted if commas separate them (bif.c). */
#ifndef CRD_NETWORK_FORMATS_BIF_H
#define CRD_NETWORK_FORMATS_BIF_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* The property CRD_I_BIF_OWN, followed by one of these words, marks a decision or a utility. */
#define CRD_I_BIF_OWN "credence"
#define CRD_I_BIF_DECISION "decision"
#define CRD_I_BIF_UTILITY "utility"
/* Properties with the original name, or the original states, if the file has identifiers instead. */
#define CRD_I_BIF_NAME "credence_name"
#define CRD_I_BIF_STATES "credence_states"

/* Returns whether the text begins like a BIF file: after comments, a keyword, a name or list, and the content of its
 * block. */
bool crd_i_bif_recognise(crd_text beginning);

/* Reads a network. Errors contain the line, the column as `field`, and `place`. */
CRD_MUST_USE crd_status crd_i_bif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);

/* Appends the network. Reading it back restores every name and number exactly. Names that are not identifiers are
 * written as identifiers, because other readers need them, with the original name in a property. */
CRD_MUST_USE crd_status crd_i_bif_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
