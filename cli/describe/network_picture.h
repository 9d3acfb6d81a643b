/* SPDX-License-Identifier: MIT */
/* network_picture.h - a network as a graph, with the probabilities of states as bars, evidence and what was asked for marked. */
#ifndef CREDENCE_CLI_NETWORK_PICTURE_H
#define CREDENCE_CLI_NETWORK_PICTURE_H

#include "core/report.h"

typedef struct network_picture {
    const crd_network *network;
    const char *title;
    const crd_finding *findings; /* what is known */
    size_t finding_count;
    const crd_inference_options *options; /* by which beliefs are computed; NULL: names alone */
    const bool *is_target;                /* of each node; NULL: none is */
    const crd_text *notes;                /* of each node; NULL: none */
    bool is_cpdag;                        /* arcs that equivalent networks have turned are undirected */
} network_picture;

/* The network's name, or that of its file. */
const char *network_picture_name(report *r, const invocation *call, const crd_network *network);
/* Does nothing where the report has no pictures. Beliefs that would take more memory than is allowed are left out, and so is the whole
 * of a network that is too large to be looked at. */
int network_picture_add(report *r, const network_picture *picture);

#endif
