/* SPDX-License-Identifier: MIT */
/* network_picture.h - draws a network as a graph, with state probabilities as bars, and with evidence and queried nodes
 * marked. */
#ifndef CREDENCE_CLI_NETWORK_PICTURE_H
#define CREDENCE_CLI_NETWORK_PICTURE_H

#include "core/report.h"

typedef struct network_picture {
    const crd_network *network;
    const char *title;
    const crd_finding *findings; /* the evidence */
    size_t finding_count;
    const crd_inference_options *options; /* for computing beliefs; NULL: only names are drawn */
    const bool *is_target;                /* for each node; NULL: none is */
    const crd_text *notes;                /* for each node; NULL: none */
    bool is_cpdag;                        /* arcs that are reversed in equivalent networks are undirected */
} network_picture;

/* Returns the name of the network, or of its file. */
const char *network_picture_name(crd_result *r, const invocation *call, const crd_network *network);
/* Adds the picture. Does nothing if the report has no pictures, or if the network is too large to be readable. Omits
 * beliefs that would need more memory than allowed. */
int network_picture_add(crd_result *r, const network_picture *picture);

#endif
