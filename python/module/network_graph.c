/* SPDX-License-Identifier: MIT */
/* network_report.c - graph properties of networks: independence, Markov blankets, compelled arcs, and comparisons of two networks. */
#include "network_object.h"

/* network_separation(network, a, b, given): whether two sets are d-separated, and an open path, or None. */
static PyObject *network_separation(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *sets[3], *result = NULL;
    size_t *nodes[3] = {NULL, NULL, NULL}, counts[3] = {0, 0, 0}, *path = NULL, length = 0;
    static const char *const names[] = {"a", "b", "given"};
    int is_separated = 0;
    if (!PyArg_ParseTuple(arguments, "OOOO", &network_argument, &sets[0], &sets[1], &sets[2]) ||
        !check_type(state, network_argument, CORE_NETWORK, "network"))
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    for (size_t i = 0; i < 3; i++)
        if (nodes_of(network, sets[i], names[i], &nodes[i], &counts[i]) < 0) goto done;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_network_set_separation(network, nodes[0], counts[0], nodes[1], counts[1], nodes[2],
                                                   counts[2], &is_separated, &path, &length, &call.error);
    if (call_end(&call, status) == 0)
        result = Py_BuildValue("NN", PyBool_FromLong(is_separated),
                               path == NULL ? Py_NewRef(Py_None) : list_of_nodes(path, length));
    crd_free(state->context, path);
done:
    for (size_t i = 0; i < 3; i++) PyMem_Free(nodes[i]);
    return result;
}

/* Returns a path node as a tuple: its index, its role, whether it blocks, and the given node that opens it, or None. */
static PyObject *path_node_tuple(const crd_path_node *node) {
    static const char *const roles[] = {[CRD_PATH_END] = "end",
                                        [CRD_PATH_CHAIN] = "chain",
                                        [CRD_PATH_COMMON_CAUSE] = "common cause",
                                        [CRD_PATH_COMMON_EFFECT] = "common effect"};
    return Py_BuildValue("nsNN", (Py_ssize_t)node->node, roles[node->role], PyBool_FromLong(node->is_blocking),
                         node->opened_by == CRD_NONE ? Py_NewRef(Py_None) : PyLong_FromSize_t(node->opened_by));
}

static PyObject *path_list(module_state *state, const crd_network *network, const size_t *path, size_t length,
                           const size_t *given, size_t given_count) {
    crd_error error;
    PyObject *list = NULL;
    crd_path_node *nodes = PyMem_Calloc(length, sizeof *nodes);
    if (nodes == NULL) return PyErr_NoMemory();
    if (crd_network_path_nodes(network, path, length, given, given_count, nodes, &error) != CRD_OK)
        raise_error(state, &error);
    else list = PyList_New((Py_ssize_t)length);
    for (size_t i = 0; list != NULL && i < length; i++) {
        PyObject *node = path_node_tuple(&nodes[i]);
        if (node == NULL || PyList_SetItem(list, (Py_ssize_t)i, node) < 0) Py_CLEAR(list);
    }
    PyMem_Free(nodes);
    return list;
}

/* network_paths(network, a, b, given, is_open, most): paths between two nodes, and whether the list is complete. */
static PyObject *network_paths(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *nodes_argument[2], *given_argument, *list = NULL;
    size_t ends[2], *given = NULL, given_count = 0, *nodes = NULL, *lengths = NULL, count = 0, offset = 0;
    Py_ssize_t most;
    int is_open, is_complete = 0;
    if (!PyArg_ParseTuple(arguments, "OOOOpn", &network_argument, &nodes_argument[0], &nodes_argument[1],
                          &given_argument, &is_open, &most) ||
        !check_type(state, network_argument, CORE_NETWORK, "network"))
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    if (node_of(network, nodes_argument[0], "a", &ends[0]) < 0 ||
        node_of(network, nodes_argument[1], "b", &ends[1]) < 0 ||
        nodes_of(network, given_argument, "given", &given, &given_count) < 0)
        goto done;
    core_call call;
    call_begin(&call, state);
    crd_status status =
        crd_network_paths(network, ends[0], ends[1], given, given_count, is_open, most < 0 ? 0 : (size_t)most, &nodes,
                          &lengths, &count, &is_complete, &call.error);
    if (call_end(&call, status) < 0) goto done;
    list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; offset += lengths[i++]) {
        PyObject *path = path_list(state, network, nodes + offset, lengths[i], given, given_count);
        if (append_item(list, path) < 0) Py_CLEAR(list);
    }
done:
    crd_free(state->context, nodes);
    crd_free(state->context, lengths);
    PyMem_Free(given);
    return list == NULL ? NULL : Py_BuildValue("NN", list, PyBool_FromLong(is_complete));
}

/* network_blanket(network, node) */
static PyObject *network_blanket(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *node_argument;
    size_t node, *blanket = NULL, count = 0;
    crd_error error;
    if (!PyArg_ParseTuple(arguments, "OO", &network_argument, &node_argument) ||
        !check_type(state, network_argument, CORE_NETWORK, "network"))
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    if (node_of(network, node_argument, "node", &node) < 0) return NULL;
    if (crd_network_markov_blanket(network, node, &blanket, &count, &error) != CRD_OK) {
        raise_error(state, &error);
        return NULL;
    }
    PyObject *list = list_of_nodes(blanket, count);
    crd_free(state->context, blanket);
    return list;
}

/* network_compelled(network): one byte per arc, in the order of the nodes and of the parents of each node. */
static PyObject *network_compelled(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    if (!check_type(state, argument, CORE_NETWORK, "network")) return NULL;
    const crd_network *network = ((network_object *)argument)->network;
    size_t arcs = 0;
    for (size_t i = 0; i < crd_network_node_count(network); i++) arcs += crd_network_parent_count(network, i);
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)arcs);
    if (bytes == NULL) return NULL;
    unsigned char *flags = (unsigned char *)PyByteArray_AsString(bytes);
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_network_compelled_arcs(network, flags, &call.error);
    if (call_end(&call, status) < 0) Py_CLEAR(bytes);
    return bytes;
}

/* ---- Comparison of two networks ---- */

static PyObject *compared_arcs(const crd_network_comparison *comparison) {
    static const char *const relations[] = {[CRD_ARC_SAME] = "same",
                                            [CRD_ARC_REVERSED] = "reversed",
                                            [CRD_ARC_ONLY_FIRST] = "only first",
                                            [CRD_ARC_ONLY_SECOND] = "only second"};
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < comparison->arc_count; i++) {
        const crd_arc_comparison arc = comparison->arcs[i];
        PyObject *item = Py_BuildValue("{s:N,s:N,s:s}", "from", str_of(arc.from), "to", str_of(arc.to), "relation",
                                       relations[arc.relation]);
        if (append_item(list, item) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *compared_tables(const crd_network_comparison *comparison) {
    static const char *const relations[] = {[CRD_CPT_COMPARED] = "compared",
                                            [CRD_CPT_ONLY_FIRST] = "only in the first",
                                            [CRD_CPT_ONLY_SECOND] = "only in the second",
                                            [CRD_CPT_OTHER_PARENTS] = "other parents",
                                            [CRD_CPT_OTHER_STATES] = "other states",
                                            [CRD_CPT_NONE] = "decisions, without tables"};
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < comparison->nodes; i++) {
        const crd_cpt_comparison cpt = comparison->cpts[i];
        PyObject *item =
            Py_BuildValue("{s:N,s:N,s:N,s:s}", "node", str_of(cpt.name), "difference", number_of(cpt.difference),
                          "divergence", number_of(cpt.divergence), "relation", relations[cpt.relation]);
        if (append_item(list, item) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *comparison_record(const crd_network_comparison *comparison) {
    return Py_BuildValue(
        "{s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:O,s:N,s:N}", "shd", (Py_ssize_t)comparison->hamming_distance, "shd_dag",
        (Py_ssize_t)comparison->arc_distance, "same", (Py_ssize_t)comparison->same, "reversed",
        (Py_ssize_t)comparison->reversed, "only_first", (Py_ssize_t)comparison->only_first_arcs, "only_second",
        (Py_ssize_t)comparison->only_second_arcs, "only_first_nodes", (Py_ssize_t)comparison->only_first_nodes,
        "only_second_nodes", (Py_ssize_t)comparison->only_second_nodes, "equivalent",
        comparison->hamming_distance == 0 ? Py_True : Py_False, "arcs", compared_arcs(comparison), "tables",
        compared_tables(comparison));
}

/* network_compare(first, second): a dict of distances, arcs and tables. */
static PyObject *network_compare(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *first, *second;
    if (!PyArg_ParseTuple(arguments, "OO", &first, &second) || !check_type(state, first, CORE_NETWORK, "first") ||
        !check_type(state, second, CORE_NETWORK, "second"))
        return NULL;
    crd_network_comparison *comparison = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_network_compare(((network_object *)first)->network, ((network_object *)second)->network,
                                            &comparison, &call.error);
    PyObject *result = call_end(&call, status) < 0 ? NULL : comparison_record(comparison);
    crd_network_comparison_destroy(comparison);
    return result;
}

PyMethodDef network_graph_functions[] = {
    {"network_separation", network_separation, METH_VARARGS,
     "network_separation(network, a, b, given) -> tuple[bool, list[int] | None]"},
    {"network_paths", network_paths, METH_VARARGS,
     "network_paths(network, a, b, given, is_open, most) -> tuple[list[list[tuple[int, str, bool, int | None]]], "
     "bool]"},
    {"network_blanket", network_blanket, METH_VARARGS, "network_blanket(network, node) -> list[int]"},
    {"network_compelled", network_compelled, METH_O, "network_compelled(network) -> bytearray"},
    {"network_compare", network_compare, METH_VARARGS, "network_compare(first, second) -> dict"},
    {NULL, NULL, 0, NULL},
};
