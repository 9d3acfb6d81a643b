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

/* Adds the section with the graph, the nodes and their prior probabilities. */
CRD_MUST_USE crd_status crd_i_network_study_graph(crd_i_network_study *study, crd_error *error);
/* Adds the section about dependence: arcs with their mutual information, and independences. */
CRD_MUST_USE crd_status crd_i_network_study_dependence(crd_i_network_study *study, crd_error *error);
/* Adds the section with the conditional probability tables. */
CRD_MUST_USE crd_status crd_i_network_study_tables(crd_i_network_study *study, crd_error *error);
/* Adds the section on how well the rows fit the tables. */
CRD_MUST_USE crd_status crd_i_network_study_fit(crd_i_network_study *study, crd_error *error);

#endif
