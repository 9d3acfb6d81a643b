/* SPDX-License-Identifier: MIT */
/* network_evidence.h - evidence on a network's nodes. --given 'asia=yes,dysp=no' is certain evidence. --likelihood
 * 'xray=yes:0.9,xray=no:0.2' is virtual evidence: the probability of the observation in each state. */
#ifndef CREDENCE_CLI_NETWORK_EVIDENCE_H
#define CREDENCE_CLI_NETWORK_EVIDENCE_H

#include "core/invocation.h"
#include "core/lists.h"

typedef struct network_evidence {
    const crd_network *network;
    crd_text *names; /* of all nodes, by number; they live as long as the network */
    size_t node_count;
    crd_finding *items;   /* in the form of credence/network.h, in the order typed */
    double **likelihoods; /* the likelihoods of each item; NULL if it is certain */
    size_t count;
    string text; /* "asia=yes, xray=yes:0.9, xray=no:0.2", for headings */
} network_evidence;

/* Reads --given and --likelihood. Fails on an unknown node or state, on a node that is given twice, and on a
 * --likelihood that omits states. Free `out` after an error too. */
int network_evidence_read(const invocation *call, const crd_network *network, network_evidence *out);
/* Initializes evidence with the node names only. */
void network_evidence_begin(const crd_network *network, network_evidence *out);
void network_evidence_free(network_evidence *f);

/* Replaces *network by the network after the intervention of --do, if it is given. *changed is NULL, or the new network,
 * which the caller destroys. */
int network_intervene(const invocation *call, const crd_network **network, crd_network **changed);

/* Returns the finding on a node; NULL: none. */
const crd_finding *network_evidence_of(const network_evidence *f, size_t node);

/* Find the node that the option --name names, or the state that it assigns to a node. On failure they report similar
 * names. */
int network_find_node(const network_evidence *f, const char *name, crd_text typed, size_t *node);
int network_find_state(const network_evidence *f, const char *name, size_t node, crd_text typed, size_t *state);
/* Finds the nodes that one item of an option names: by name, number, range or glob. `nodes` must have space for all
 * nodes. */
int network_select_nodes(const network_evidence *f, const char *name, crd_text typed, size_t *nodes, size_t *count);
/* Prints a hint, after a node was not found, if a value of the option is the name of a node that contains a comma. */
void network_hint_at_quotes(const network_evidence *f, const invocation *call, const char *name);
/* Parses the item NODE=STATE of a list. */
int network_find_assignment(const network_evidence *f, const char *name, const list *items, size_t index, size_t *node,
                            size_t *state);

/* Finds the nodes that the values of an option name. "all" means every chance node, unless a node has that name. The
 * result contains no duplicates. The caller frees it. */
int network_find_nodes(const network_evidence *f, const invocation *call, const char *name, size_t **nodes,
                       size_t *count);
/* Finds the nodes of one list, as network_find_nodes does. */
int network_find_listed(const network_evidence *f, const char *name, const char *text, size_t **nodes, size_t *count);
/* Returns whether a value of the option contains "all". */
bool network_names_all(const network_evidence *f, const invocation *call, const char *name);

#endif
