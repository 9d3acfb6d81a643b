/* SPDX-License-Identifier: MIT */
/* hugin_net.h - networks in Hugin's NET language, read and written.
 *
 *   net { name = "..."; }
 *   node A { states = ("yes" "no"); label = "..."; }           also discrete node, decision; utility, without states
 *   potential ( A | B C ) { data = (((0.1 0.9) ...) ...); }    rows of A's states, those of the last parent fastest
 *   continuous node X { label = "..."; }                       normal, and linear in its continuous parents:
 *   potential ( X | A Y ) { data = (normal (1 + 0.5 * Y, 2) ...); }   see hugin_normal.h
 *
 * A class { ... } around it all is passed through. Comments run from % to the end of the line. Fields that are not
 * named here are passed over, as are data of decisions. How brackets in data are nested means nothing; the order of the
 * numbers does. In quotes \" \\ \n and \r stand for one byte each, as does a backslash in front of anything else for
 * that.
 *
 * Data are weights in NET: a row that does not add up to 1 is divided by its sum.
 *
 * Names of nodes are identifiers in NET. A name that is none is written as one that is not taken, and in full as label,
 * for people, and as CREDENCE_name, which says what the node is called here. A foreign label is a remark, no name: it
 * need not be unique.
 *
 * CRD_ERROR_SYNTAX: function nodes, instances of other classes, tables of several nodes together, and
 * tables that are given by a formula (model_data) alone. CRD_ERROR_EMPTY: a potential without data. */
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
