/* SPDX-License-Identifier: MIT */
/* uai.h - networks in the UAI competition format, read and written.
 *
 *   BAYES                 node count, state count of each node, then as many tables as nodes
 *   N  K K ...  N
 *   n  NODE ... NODE      for each table: number of nodes, the parents, and last the table's own node
 *   n  NUMBER ...         for each table: number of values, then the rows; the last parent varies fastest
 *
 * Tokens are separated by whitespace, and # starts a comment. There are no names: nodes are called 0, 1, 2, ..., and
 * so are the states of each node. The format cannot represent decisions and utilities. MARKOV files, whose tables
 * have no direction, are rejected. */
#ifndef CRD_NETWORK_FORMATS_UAI_H
#define CRD_NETWORK_FORMATS_UAI_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Returns whether the text starts with the network type and a number. */
bool crd_i_uai_recognise(crd_text beginning);
CRD_MUST_USE crd_status crd_i_uai_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);
/* Writes a network without its names. Returns CRD_ERROR_SYNTAX for decisions and utilities. */
CRD_MUST_USE crd_status crd_i_uai_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
