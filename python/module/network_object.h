/* SPDX-License-Identifier: MIT */
/* network_object.h - declarations that the network files share: node indices, evidence, and inference options. */
#ifndef CREDENCE_PYTHON_NETWORK_OBJECT_H
#define CREDENCE_PYTHON_NETWORK_OBJECT_H

#include "module.h"

/* Returns a Network that owns `network`. Takes ownership even on failure. */
PyObject *network_wrap(module_state *state, crd_network *network);

/* Gets the index of a network node. Returns 0, or -1 with an exception that names the argument. */
int node_of(const crd_network *network, PyObject *object, const char *argument, size_t *out);
/* Gets the node indices of a sequence. The caller frees *out with PyMem_Free. The array has room for one more node. */
int nodes_of(const crd_network *network, PyObject *sequence, const char *argument, size_t **out, size_t *count);
/* Returns node indices as a list of int. */
PyObject *list_of_nodes(const size_t *nodes, size_t count);
/* Returns numbers as a tuple of float. */
PyObject *tuple_of_numbers(const double *numbers, size_t count);
/* Returns a bytearray with room for `count` doubles. */
PyObject *room_for_numbers(size_t count);

/* Evidence, read from a sequence of (node, state), (node, number) for Gaussian nodes, and (node, likelihoods) with a sequence of float. */
typedef struct evidence {
    crd_finding *items;
    size_t count;
    double *likelihoods; /* the likelihoods of all items */
} evidence;

int evidence_of(const crd_network *network, PyObject *sequence, evidence *out);
void evidence_free(evidence *findings);

/* Reads the options from (threads, memory, approximation, always, seed, draws). None means the defaults. */
int inference_options_of(PyObject *tuple, crd_inference_options *out);
/* Returns a dict of the facts about an inference result. */
PyObject *inference_record(const crd_inference_result *result);

/* Returns a NormalMixture that owns `mixture`. Takes ownership even on failure. */
PyObject *mixture_wrap(module_state *state, crd_normal_mixture *mixture);

#endif
