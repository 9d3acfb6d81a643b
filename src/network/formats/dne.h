/* SPDX-License-Identifier: MIT */
/* dne.h - networks in the format of Netica (DNET-1), read and written.
 *
 *   // ~->[DNET-1]->~
 *   bnet NAME {
 *     node NODE {
 *       kind = NATURE;                         or DECISION, UTILITY
 *       discrete = TRUE;
 *       states = (STATE, STATE, ...);
 *       parents = (NODE, ...);
 *       probs = ((NUMBER, ...), ...);          the node's states fastest, then those of the last parent
 *       title = "any text";
 *     };
 *   };
 *
 * In the place of probs, functable has the state of a deterministic node, by name or as #NUMBER, or the number of a
 * utility, for each row. States without names are those of levels (values of a discrete node, limits of the intervals
 * of a continuous one), or numbered up to numstates. Nodes come in any order, so that a file is gone through twice: for
 * the nodes, and for arcs and tables. Tables given by an equation alone are refused.
 *
 * Netica takes identifiers of up to 30 bytes for names. Others are written as such, and as titles, which are passed over
 * when reading. */
#ifndef CRD_NETWORK_FORMATS_DNE_H
#define CRD_NETWORK_FORMATS_DNE_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Returns whether the first word outside comments is bnet, followed by a name and a block. */
bool crd_i_dne_recognise(crd_text beginning);
/* Reads a network. Errors contain the line, the column as `field`, and `place`. */
CRD_MUST_USE crd_status crd_i_dne_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);
/* Appends the network. Reading it back restores every number exactly. */
CRD_MUST_USE crd_status crd_i_dne_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
