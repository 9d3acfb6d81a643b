/* SPDX-License-Identifier: MIT */
/* network_study.h - a report about a network: what its sections share, and the sections. */
#ifndef CRD_REPORT_NETWORK_STUDY_H
#define CRD_REPORT_NETWORK_STUDY_H

#include "report/page.h"

#include <credence/network.h>

typedef struct crd_i_network_study {
    crd_i_page page;
    const crd_network *network;
    crd_reader *reader; /* fresh; NULL: there are no rows */
    size_t nodes, arcs;
    double
        *beliefs; /* prior probabilities of the states of all nodes with states, one after the other; NULL: not known */
    size_t *first; /* of each node, where these begin; CRD_NONE: it has none */
    double parameters;
    crd_text strongest[2]; /* the arc of the greatest mutual information; bytes NULL: none */
    double strongest_bits;
    crd_i_html fit; /* what the summary has of the rows */
} crd_i_network_study;

/* The graph, the nodes and their prior probabilities. */
CRD_MUST_USE crd_status crd_i_network_study_graph(crd_i_network_study *study, crd_error *error);
/* What depends on what: arcs by mutual information, and independences. */
CRD_MUST_USE crd_status crd_i_network_study_dependence(crd_i_network_study *study, crd_error *error);
/* Conditional probability tables. */
CRD_MUST_USE crd_status crd_i_network_study_tables(crd_i_network_study *study, crd_error *error);
/* How well rows fit the tables. */
CRD_MUST_USE crd_status crd_i_network_study_fit(crd_i_network_study *study, crd_error *error);

#endif
