/* SPDX-License-Identifier: MIT */
/* network_format.h - the formats of network files: one file each, one line in the table of network_format.c. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_FORMAT_H
#define CRD_NETWORK_FORMATS_NETWORK_FORMAT_H

#include "base/buffer.h"
#include "network/network_internal.h"

typedef struct crd_i_network_format {
    crd_network_format format;
    /* Whether these first bytes, at most CRD_I_NETWORK_PEEK, are of this format; NULL: it is not read. */
    bool (*recognise)(crd_text beginning);
    crd_status (*read)(crd_context *context, crd_text bytes, const char *place, crd_network **out, crd_error *error);
    /* Appends the network. CRD_ERROR_SYNTAX where the format cannot say something. */
    crd_status (*write)(const crd_network *network, crd_i_buffer *out, crd_error *error);
    bool writes_gaussian; /* continuous nodes too */
} crd_i_network_format;

enum { CRD_I_NETWORK_PEEK = 1 << 16 };

#endif
