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
 *       probs = ((NUMBER, ...), ...);          the node's states vary fastest, then the states of the last parent
 *       title = "any text";
 *     };
 *   };
 *
 * Instead of probs, functable may contain for each row the state of a deterministic node, by name or as #NUMBER, or the
 * number of a utility. States without names are called by their levels (values of a discrete node, interval limits of a
 * continuous node), or are numbered up to numstates. Nodes come in any order, so a file is read twice: for the nodes,
 * and for arcs and tables. A table that is given only by an equation is an error.
 *
 * Netica accepts identifiers of up to 30 bytes as names. Other names are written as identifiers, and as titles,
 * which are ignored when reading. */
#ifndef CRD_NETWORK_FORMATS_DNE_H
#define CRD_NETWORK_FORMATS_DNE_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Returns whether the first word outside comments is bnet, followed by the beginning of its block. */
bool crd_i_dne_recognise(crd_text beginning);
/* Reads a network. Errors contain the line, the column as `field`, and `place`. */
CRD_MUST_USE crd_status crd_i_dne_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);
/* Appends the network. Reading it back restores every number exactly. */
CRD_MUST_USE crd_status crd_i_dne_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
