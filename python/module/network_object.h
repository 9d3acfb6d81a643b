/* SPDX-License-Identifier: MIT */
/* network_object.h - what the files about networks share: nodes by their numbers, evidence, and options of inference. */
#ifndef CREDENCE_PYTHON_NETWORK_OBJECT_H
#define CREDENCE_PYTHON_NETWORK_OBJECT_H

#include "module.h"

/* Takes the network over, also on failure. */
PyObject *network_wrap(module_state *state, crd_network *network);

/* The number of a node of the network. Returns 0, or -1 with an exception that names the argument. */
int node_of(const crd_network *network, PyObject *object, const char *argument, size_t *out);
/* Those of a sequence, to be freed with PyMem_Free; there is room for one node more. */
int nodes_of(const crd_network *network, PyObject *sequence, const char *argument, size_t **out, size_t *count);
/* A list of int. */
PyObject *list_of_nodes(const size_t *nodes, size_t count);
/* A tuple of float. */
PyObject *tuple_of_numbers(const double *numbers, size_t count);
/* A bytearray with room for so many doubles. */
PyObject *room_for_numbers(size_t count);

/* Findings, out of a sequence of (node, state), of Gaussian nodes (node, number), and (node, likelihoods), a sequence of float. */
typedef struct evidence {
    crd_finding *items;
    size_t count;
    double *likelihoods; /* of all items */
} evidence;

int evidence_of(const crd_network *network, PyObject *sequence, evidence *out);
void evidence_free(evidence *of);

/* The options of (threads, memory, approximation, always, seed, draws); None: the usual ones. */
int inference_options_of(PyObject *tuple, crd_inference_options *out);
/* A dict of what an answer comes with. */
PyObject *inference_record(const crd_inference_result *result);

/* Takes the mixture over, also on failure. */
PyObject *mixture_wrap(module_state *state, crd_normal_mixture *mixture);

/* Parts of the module that add_network adds, in its files. */
int add_network_inference(PyObject *module);
int add_network_reasons(PyObject *module);
int add_network_rows(PyObject *module);
int add_network_graph(PyObject *module);
int add_normal_mixture(PyObject *module, module_state *state);
int add_structure(PyObject *module);

#endif
