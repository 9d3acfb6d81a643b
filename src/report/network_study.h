/* SPDX-License-Identifier: MIT */
/* network_study.h - the report about a network: data shared by its sections, and the sections. */
#ifndef CRD_REPORT_NETWORK_STUDY_H
#define CRD_REPORT_NETWORK_STUDY_H

#include "report/page.h"

#include <credence/network.h>

typedef struct crd_i_network_study {
    crd_i_page page;
    const crd_network *network;
    crd_reader *reader; /* at its first row; NULL: the report is about the network only */
    size_t nodes, arcs;
    double *beliefs; /* prior probabilities of all discrete nodes' states, one node after the other; NULL: unknown */
    size_t *first;   /* for each node, the index of its first belief; CRD_NONE: none */
    double parameters;
    crd_text strongest[2]; /* the arc with the largest mutual information; bytes NULL: none */
    double strongest_bits;
    crd_i_html fit; /* the summary's part about the fit of the rows */
} crd_i_network_study;

#endif
