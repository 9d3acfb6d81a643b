/* SPDX-License-Identifier: MIT */
/* network_text.h - nodes, evidence and paths of a network in words. */
#ifndef CREDENCE_CLI_NETWORK_TEXT_H
#define CREDENCE_CLI_NETWORK_TEXT_H

#include "core/report.h"

/* "Alarm" */
void network_add_node(string *target_string, const crd_network *network, size_t node);
/* "Alarm=True" */
void network_add_state(string *target_string, const crd_network *network, size_t node, size_t state);
/* "Alarm=True", or "Alarm (True:0.9, False:0.2)" where that is how likely what was seen is. */
void network_add_finding(string *target_string, const crd_network *network, const crd_finding *finding);
/* Whether an arc leads from one node to the other. */
bool network_has_arrow(const crd_network *network, size_t source, size_t target);
/* "Burglary -> Alarm <- Earthquake", with the arcs between the nodes; of long paths both ends. */
void network_add_path(string *target_string, const crd_network *network, const size_t *nodes, size_t count);

/* The graph, drawn, and its arcs; as its CPDAG, in which arcs are undirected that equivalent networks have turned. */
int network_report_graph(report *r, const crd_network *network, bool is_cpdag);

/* "Network asia.bif: 8 nodes", and below it the settings that its tables were counted under, unless that is NULL. */
void network_report_opening(report *r, const invocation *call, const crd_network *network,
                            const crd_settings *settings);

#endif
