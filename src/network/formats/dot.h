/* SPDX-License-Identifier: MIT */
/* dot.h - a drawing of a network for Graphviz: written only. Chances are ellipses, decisions boxes, utilities diamonds.
 */
#ifndef CRD_NETWORK_FORMATS_DOT_H
#define CRD_NETWORK_FORMATS_DOT_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* A name with a NUL in it is CRD_ERROR_SYNTAX. */
CRD_MUST_USE crd_status crd_i_dot_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
