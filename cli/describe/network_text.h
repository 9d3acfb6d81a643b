/* SPDX-License-Identifier: MIT */
/* network_text.h - writes nodes, evidence and paths of a network as text. */
#ifndef CREDENCE_CLI_NETWORK_TEXT_H
#define CREDENCE_CLI_NETWORK_TEXT_H

#include "core/report.h"

/* Adds a node name, such as "Alarm". */
void network_add_node(string *target_string, const crd_network *network, size_t node);
/* Adds a node and a state, such as "Alarm=True". */
void network_add_state(string *target_string, const crd_network *network, size_t node, size_t state);
/* Adds a finding: "Alarm=True", or, for likelihoods, "Alarm (True:0.9, False:0.2)". */
void network_add_finding(string *target_string, const crd_network *network, const crd_finding *finding);
/* Returns whether an arc leads from one node to the other. */
bool network_has_arrow(const crd_network *network, size_t source, size_t target);
/* Adds a path with its arcs, such as "Burglary -> Alarm <- Earthquake". Long paths are shortened to both ends. */
void network_add_path(string *target_string, const crd_network *network, const size_t *nodes, size_t count);

/* Adds a drawing of the graph, and its arcs. With is_cpdag, arcs that are reversed in equivalent networks are
 * undirected. */
int network_report_graph(crd_result *r, const crd_network *network, bool is_cpdag);

/* Adds "Network asia.bif: 8 nodes", and below it the settings that its tables were estimated with, unless `settings` is
 * NULL. */
void network_report_opening(crd_result *r, const invocation *call, const crd_network *network,
                            const crd_settings *settings);

#endif
