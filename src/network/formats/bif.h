/* SPDX-License-Identifier: MIT */
/* bif.h - networks in the Bayesian network interchange format (BIF 0.15), read and written.
 *
 *   network NAME { property TEXT; }
 *   variable NAME { type discrete [ N ] { STATE, STATE, ... }; property TEXT; }
 *   probability ( NAME | PARENT, PARENT, ... ) {
 *     (STATE, STATE, ...) NUMBER, NUMBER, ...;     a row: one state of each parent, then the node's probabilities
 *     default NUMBER, ...;                         for every row that is not given
 *     table NUMBER, ...;                           everything at once, the node's states varying slowest and those of
 *                                                  the last parent fastest
 *   }
 *
 * Blocks come in any order. Commas and the bar are like blanks, as older writers leave them out. A word is anything
 * without blanks and ( ) { } [ ] , ; | " so that states may hold + . / < = >; or anything in double quotes. Comments
 * run from // to the end of the line, or between slash-star and star-slash. Properties are passed over, whatever they
 * hold, up to a semicolon outside of quotes.
 *
 * The format knows neither decisions nor utilities. Here a variable is one by its property, so that other readers take
 * the file, too, with a decision as a chance of even odds:
 *
 *   variable D { type discrete [ 2 ] { act, wait }; property credence decision; }
 *   probability ( D | A ) { default 0.5, 0.5; }          its parents; whatever numbers there are mean nothing
 *   variable U { type discrete [ 1 ] { utility }; property credence utility; }
 *   probability ( U | D ) { (act) -3; (wait) 20; }       one utility a row
 *
 * Both words may stand in one pair of quotes, which some readers of the format do not take.
 *
 * Names that are no words, as bnlearn writes them, are read where commas separate them (bif_names.h). */
#ifndef CRD_NETWORK_FORMATS_BIF_H
#define CRD_NETWORK_FORMATS_BIF_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Value of the CRD_I_BIF_OWN property, after a space. */
#define CRD_I_BIF_OWN "credence"
#define CRD_I_BIF_DECISION "decision"
#define CRD_I_BIF_UTILITY "utility"
/* Properties that contain the original name, or states, in place of identifiers. */
#define CRD_I_BIF_NAME "credence_name"
#define CRD_I_BIF_STATES "credence_states"

/* Returns whether the first word outside comments opens a BIF block and is followed by a name or a bracket. */
bool crd_i_bif_recognise(crd_text beginning);

/* Reads a network. Errors contain the line, the column as `field`, and `place`. */
CRD_MUST_USE crd_status crd_i_bif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);

/* Appends the network. Reading it back restores every name and number exactly. Names that are not identifiers are
 * written as identifiers, because other readers need them, with the original name in a property. */
CRD_MUST_USE crd_status crd_i_bif_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
