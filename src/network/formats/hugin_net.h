/* SPDX-License-Identifier: MIT */
/* hugin_net.h - networks in Hugin's NET language, read and written.
 *
 *   net { name = "..."; }
 *   node A { states = ("yes" "no"); label = "..."; }           also discrete node, decision; utility, without states
 *   potential ( A | B C ) { data = (((0.1 0.9) ...) ...); }    rows of A's states; the last parent varies fastest
 *   continuous node X { label = "..."; }                       normal, and linear in its continuous parents:
 *   potential ( X | A Y ) { data = (normal (1 + 0.5 * Y, 2) ...); }   see hugin_net.c
 *
 * A class { ... } around everything is accepted. Comments run from % to the end of the line. Fields that are not listed
 * here are skipped, and so are the data of decisions. The nesting of brackets in data has no meaning, only the order of
 * the numbers. In quotes, \n and \r are line breaks, and a backslash before any other byte means that byte.
 *
 * Data are weights in NET: a row that does not sum to 1 is divided by its sum.
 *
 * Node names are identifiers in NET. A name that is not an identifier is written as an unused identifier. The original
 * name is written as label, for people, and as CREDENCE_name, which is read back. A label in files of other programs is
 * a remark, not a name, because it need not be unique.
 *
 * Returns CRD_ERROR_SYNTAX for function nodes, instances of other classes, tables of several nodes jointly, and
 * tables that are given only by a formula (model_data). Returns CRD_ERROR_EMPTY for a potential without data. */
#ifndef CRD_NETWORK_FORMATS_HUGIN_NET_H
#define CRD_NETWORK_FORMATS_HUGIN_NET_H

#include "base/buffer.h"
#include "network/network_internal.h"

#define CRD_I_NET_NAME "CREDENCE_name"

/* Returns whether the first word outside comments opens a NET block. */
bool crd_i_net_recognise(crd_text beginning);
CRD_MUST_USE crd_status crd_i_net_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);
/* Writes a network. Returns CRD_ERROR_SYNTAX for a name that contains a NUL character. */
CRD_MUST_USE crd_status crd_i_net_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
