/* SPDX-License-Identifier: MIT */
/* dot.h - writes a network drawing for Graphviz. Chance nodes are ellipses, decisions boxes, utilities diamonds. */
#ifndef CRD_NETWORK_FORMATS_DOT_H
#define CRD_NETWORK_FORMATS_DOT_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Writes the drawing. Returns CRD_ERROR_SYNTAX for a name that contains a NUL character. */
CRD_MUST_USE crd_status crd_i_dot_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
