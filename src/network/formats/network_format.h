/* SPDX-License-Identifier: MIT */
/* network_format.h - the network file formats. Each has its own file and one line in the table of network_format.c. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_FORMAT_H
#define CRD_NETWORK_FORMATS_NETWORK_FORMAT_H

#include "base/buffer.h"
#include "network/network_internal.h"

typedef struct crd_i_network_format {
    crd_network_format format;
    /* Returns whether the first bytes, at most CRD_I_NETWORK_PEEK, have this format. NULL if the format cannot be
     * read. */
    bool (*recognise)(crd_text beginning);
    crd_status (*read)(crd_context *context, crd_text bytes, const char *place, crd_network **out, crd_error *error);
    /* Appends the network. Returns CRD_ERROR_SYNTAX if the format cannot represent it. */
    crd_status (*write)(const crd_network *network, crd_i_buffer *out, crd_error *error);
    bool writes_gaussian; /* the format can represent continuous nodes */
} crd_i_network_format;

enum { CRD_I_NETWORK_PEEK = 1 << 16 };

#endif
