/* SPDX-License-Identifier: MIT */
/* uai.h - networks in the format of the UAI competitions, read and written.
 *
 *   BAYES                 nodes, then how many states each has, then as many tables as there are nodes
 *   N  K K ...  N
 *   n  NODE ... NODE      of each table: how many nodes it speaks of, the parents, and last the node that it is of
 *   n  NUMBER ...         of each table: how many numbers, then rows, those of the last parent varying fastest
 *
 * Everything is parted by blanks and ends of lines, and # opens a comment. There are no names: nodes are called 0, 1,
 * 2,
 * ... and so are the states of each. Decisions and utilities cannot be said; a MARKOV file, whose tables have no
 * direction, is refused. */
#ifndef CRD_NETWORK_FORMATS_UAI_H
#define CRD_NETWORK_FORMATS_UAI_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Whether the first words are the kind of network and a number. */
bool crd_i_uai_recognise(crd_text beginning);
CRD_MUST_USE crd_status crd_i_uai_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);
/* Names are lost. Decisions and utilities are CRD_ERROR_SYNTAX. */
CRD_MUST_USE crd_status crd_i_uai_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
