/* SPDX-License-Identifier: MIT */
/* network_evidence.h - what is known of a network's nodes: --given 'asia=yes,dysp=no' for certain, and with
 * --likelihood 'xray=yes:0.9,xray=no:0.2' how likely what was seen is in each state. */
#ifndef CREDENCE_CLI_NETWORK_EVIDENCE_H
#define CREDENCE_CLI_NETWORK_EVIDENCE_H

#include "core/invocation.h"
#include "core/lists.h"

typedef struct network_evidence {
    const crd_network *network;
    crd_text *names; /* of all nodes, by number; they live as long as the network */
    size_t node_count;
    crd_finding *items;   /* as the calls of credence/network.h take them, in the order typed */
    double **likelihoods; /* those of each item; NULL where it is certain */
    size_t count;
    string text; /* "asia=yes, xray=yes:0.9, xray=no:0.2", for headings */
} network_evidence;

/* An unknown node or state, or a node that is given twice, is an error. So is a --likelihood that leaves states
 * out. `out` is to be freed after an error too. */
int network_evidence_read(const invocation *call, const crd_network *network, network_evidence *out);
/* Names alone, and nothing known. */
void network_evidence_begin(const crd_network *network, network_evidence *out);
void network_evidence_free(network_evidence *f);

/* What is known of a node; NULL: nothing. */
const crd_finding *network_evidence_of(const network_evidence *f, size_t node);

/* The node that the option --name names, or the state that it gives a node; else says which are near. */
int network_find_node(const network_evidence *f, const char *name, crd_text typed, size_t *node);
int network_find_state(const network_evidence *f, const char *name, size_t node, crd_text typed, size_t *state);
/* The nodes that one item of an option names: by name, number, range or glob. `nodes` has room for all. */
int network_select_nodes(const network_evidence *f, const char *name, crd_text typed, size_t *nodes, size_t *count);
/* After a node was not found: a hint where a value of the option is the name of one, with a comma in it. */
void network_hint_at_quotes(const network_evidence *f, const invocation *call, const char *name);
/* The item NODE=STATE of its list, parsed. */
int network_find_assignment(const network_evidence *f, const char *name, const list *items, size_t index, size_t *node,
                            size_t *state);

/* The nodes that the values of an option name, "all" being every chance node unless a node has that name. None stands
 * there twice. The caller frees them. */
int network_find_nodes(const network_evidence *f, const invocation *call, const char *name, size_t **nodes,
                       size_t *count);
/* The same of one list. */
int network_find_listed(const network_evidence *f, const char *name, const char *text, size_t **nodes, size_t *count);
/* Whether "all" is among them. */
bool network_names_all(const network_evidence *f, const invocation *call, const char *name);

#endif
