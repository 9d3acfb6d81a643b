/* SPDX-License-Identifier: MIT */
/* network.c - Network: reads, builds and writes networks, and returns their contents. */
#include "network_object.h"

#include <string.h>

static void network_dealloc(PyObject *object) {
    crd_network_destroy(((network_object *)object)->network);
    free_object(object);
}

PyObject *network_wrap(module_state *state, crd_network *network) {
    network_object *self = new_object(state, CORE_NETWORK);
    if (self == NULL) crd_network_destroy(network);
    else self->network = network;
    return (PyObject *)self;
}

/* ---- Node indices ---- */

int node_of(const crd_network *network, PyObject *object, const char *argument, size_t *out) {
    Py_ssize_t node = PyNumber_AsSsize_t(object, PyExc_IndexError);
    if (node == -1 && PyErr_Occurred() != NULL) return -1;
    if (node < 0 || (size_t)node >= crd_network_node_count(network)) {
        PyErr_Format(PyExc_IndexError, "%s: node %zd is out of range", argument, node);
        return -1;
    }
    *out = (size_t)node;
    return 0;
}

int nodes_of(const crd_network *network, PyObject *sequence, const char *argument, size_t **out, size_t *count) {
    *out = NULL;
    *count = 0;
    PyObject *list = PySequence_List(sequence);
    if (list == NULL) return -1;
    size_t length = (size_t)PyList_Size(list);
    size_t *nodes = PyMem_Malloc((length + 1) * sizeof *nodes);
    if (nodes == NULL) PyErr_NoMemory();
    bool is_read = nodes != NULL;
    for (size_t i = 0; is_read && i < length; i++)
        is_read = node_of(network, PyList_GetItem(list, (Py_ssize_t)i), argument, &nodes[i]) == 0;
    Py_DECREF(list);
    if (!is_read) {
        PyMem_Free(nodes);
        return -1;
    }
    *out = nodes;
    *count = length;
    return 0;
}

PyObject *list_of_nodes(const size_t *nodes, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *node = PyLong_FromSize_t(nodes[i]);
        if (node == NULL || PyList_SetItem(list, (Py_ssize_t)i, node) < 0) Py_CLEAR(list);
    }
    return list;
}

PyObject *tuple_of_numbers(const double *numbers, size_t count) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(numbers[i]);
        if (number == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, number) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

PyObject *room_for_numbers(size_t count) {
    if (count > (size_t)PY_SSIZE_T_MAX / sizeof(double)) return PyErr_NoMemory();
    return PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(double)));
}

/* ---- Files ---- */

/* read_network(bytes, place, format=0) */
static PyObject *read_network(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    Py_buffer bytes;
    const char *place;
    int format = CRD_NETWORK_FORMAT_ANY;
    if (!PyArg_ParseTuple(arguments, "y*z|i", &bytes, &place, &format)) return NULL;
    crd_network *network = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_network_read(state->context, (crd_text){bytes.buf, (size_t)bytes.len}, place,
                                         (crd_network_format)format, &network, &call.error);
    int failed = call_end(&call, status);
    PyBuffer_Release(&bytes);
    if (failed < 0) {
        crd_network_destroy(network);
        return NULL;
    }
    return network_wrap(state, network);
}

/* load_network(path, format=0) */
static PyObject *load_network(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *argument;
    int format = CRD_NETWORK_FORMAT_ANY;
    if (!PyArg_ParseTuple(arguments, "O|i", &argument, &format)) return NULL;
    PyObject *path = path_of(argument);
    if (path == NULL) return NULL;
    crd_network *network = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status =
        crd_network_load(state->context, PyBytes_AsString(path), (crd_network_format)format, &network, &call.error);
    int failed = call_end(&call, status);
    Py_DECREF(path);
    if (failed < 0) {
        crd_network_destroy(network);
        return NULL;
    }
    return network_wrap(state, network);
}

/* recognize_network(bytes) -> int: the format detected from the first bytes, 0 if they are not a network. */
static PyObject *recognize_network(PyObject *module, PyObject *argument) {
    (void)module;
    Py_buffer bytes;
    if (PyObject_GetBuffer(argument, &bytes, PyBUF_SIMPLE) < 0) return NULL;
    crd_network_format format = crd_network_recognize((crd_text){bytes.buf, (size_t)bytes.len});
    PyBuffer_Release(&bytes);
    return PyLong_FromLong((long)format);
}

static PyObject *network_write(PyObject *object, PyObject *arguments) {
    network_object *self = (network_object *)object;
    module_state *state = state_of(self);
    int format;
    if (!PyArg_ParseTuple(arguments, "i", &format)) return NULL;
    crd_text bytes = {NULL, 0};
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_network_write(self->network, (crd_network_format)format, &bytes, &call.error);
    PyObject *result =
        call_end(&call, status) < 0 ? NULL : PyBytes_FromStringAndSize(bytes.bytes, (Py_ssize_t)bytes.length);
    crd_free(state->context, (void *)(uintptr_t)bytes.bytes);
    return result;
}

/* ---- Building networks ---- */

static int add_one_node(module_state *state, crd_network_builder *builder, PyObject *item) {
    PyObject *name, *states, *owner;
    int kind;
    crd_text text, *texts;
    size_t count;
    if (!PyArg_ParseTuple(item, "OiO", &name, &kind, &states) || text_of(name, "nodes", false, &text) < 0 ||
        texts_of(states, "states", &texts, &count, &owner) < 0)
        return -1;
    crd_error error;
    crd_status status = crd_network_builder_add_node(builder, text, (crd_node_kind)kind, texts, count, NULL, &error);
    PyMem_Free(texts);
    Py_DECREF(owner);
    if (status != CRD_OK) raise_error(state, &error);
    return status == CRD_OK ? 0 : -1;
}

static int add_one_arc(module_state *state, crd_network_builder *builder, PyObject *item) {
    Py_ssize_t parent, child;
    crd_error error;
    if (!PyArg_ParseTuple(item, "nn", &parent, &child)) return -1;
    if (crd_network_builder_add_arc(builder, (size_t)parent, (size_t)child, &error) == CRD_OK) return 0;
    raise_error(state, &error);
    return -1;
}

static int set_one_table(module_state *state, crd_network_builder *builder, PyObject *item) {
    Py_ssize_t node;
    PyObject *values;
    Py_buffer numbers;
    crd_error error;
    if (!PyArg_ParseTuple(item, "nO", &node, &values) || buffer_of(values, "tables", "d", false, false, &numbers) < 0)
        return -1;
    crd_status status =
        crd_network_builder_set_cpt(builder, (size_t)node, numbers.buf, (size_t)numbers.len / sizeof(double), &error);
    PyBuffer_Release(&numbers);
    if (status != CRD_OK) raise_error(state, &error);
    return status == CRD_OK ? 0 : -1;
}

static int for_each(module_state *state, crd_network_builder *builder, PyObject *sequence,
                    int (*add)(module_state *, crd_network_builder *, PyObject *)) {
    PyObject *list = PySequence_List(sequence);
    if (list == NULL) return -1;
    int result = 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyList_Size(list); i++)
        result = add(state, builder, PyList_GetItem(list, i));
    Py_DECREF(list);
    return result;
}

/* build_network(name, nodes, arcs, tables): nodes are (name, kind, states), arcs are (parent, child) and tables are (node, doubles). Arcs and
 * tables use node indices. */
static PyObject *build_network(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *name, *nodes, *arcs, *tables;
    crd_text text;
    crd_error error;
    crd_network_builder *builder = NULL;
    crd_network *network = NULL;
    if (!PyArg_ParseTuple(arguments, "OOOO", &name, &nodes, &arcs, &tables) || text_of(name, "name", false, &text) < 0)
        return NULL;
    crd_status status = crd_network_builder_create(state->context, text, &builder, &error);
    if (status != CRD_OK) raise_error(state, &error);
    bool is_made = status == CRD_OK && for_each(state, builder, nodes, add_one_node) == 0 &&
                   for_each(state, builder, arcs, add_one_arc) == 0 &&
                   for_each(state, builder, tables, set_one_table) == 0;
    if (is_made && crd_network_builder_finish(builder, &network, &error) != CRD_OK) raise_error(state, &error);
    crd_network_builder_destroy(builder);
    return network == NULL ? NULL : network_wrap(state, network);
}

/* ---- Models ---- */

/* network_of_model(model, settings=None) */
static PyObject *network_of_model(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *settings_argument = Py_None;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|O", &model_argument, &settings_argument) ||
        !check_type(state, model_argument, CORE_MODEL, "model") || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    model_object *model = (model_object *)model_argument;
    crd_network *network = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_network_from_model(model->model, settings, &network, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) < 0) {
        crd_network_destroy(network);
        return NULL;
    }
    return network_wrap(state, network);
}

/* model(target): a model with the network as its user-specified parameters. */
static PyObject *network_model(PyObject *object, PyObject *argument) {
    network_object *self = (network_object *)object;
    module_state *state = state_of(self);
    crd_text target;
    crd_model *model = NULL;
    if (text_of(argument, "target", false, &target) < 0) return NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_model_from_network(self->network, target, &model, &call.error);
    if (call_end(&call, status) < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    return model_wrap(state, model);
}

/* ---- Contents ---- */

static PyObject *network_name(PyObject *self, PyObject *unused) {
    (void)unused;
    return str_of(crd_network_name(((network_object *)self)->network));
}

static PyObject *states_of(const crd_network *network, size_t node) {
    size_t count = crd_network_state_count(network, node);
    PyObject *states = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; states != NULL && i < count; i++) {
        PyObject *state = str_of(crd_network_state(network, node, i));
        if (state == NULL || PyTuple_SetItem(states, (Py_ssize_t)i, state) < 0) Py_CLEAR(states);
    }
    return states;
}

static PyObject *parents_of(const crd_network *network, size_t node) {
    size_t count = crd_network_parent_count(network, node);
    PyObject *parents = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; parents != NULL && i < count; i++) {
        PyObject *parent = PyLong_FromSize_t(crd_network_parent(network, node, i));
        if (parent == NULL || PyTuple_SetItem(parents, (Py_ssize_t)i, parent) < 0) Py_CLEAR(parents);
    }
    return parents;
}

/* nodes(): a list of (name, kind, states, parents). The parents are node indices. */
static PyObject *network_nodes(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_network *network = ((network_object *)object)->network;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < crd_network_node_count(network); i++) {
        PyObject *item =
            Py_BuildValue("NiNN", str_of(crd_network_node_name(network, i)), (int)crd_network_node_kind(network, i),
                          states_of(network, i), parents_of(network, i));
        if (append_item(list, item) < 0) Py_CLEAR(list);
    }
    return list;
}

/* table(node): (rows, width, doubles); None for a decision. */
static PyObject *network_table(PyObject *object, PyObject *argument) {
    const crd_network *network = ((network_object *)object)->network;
    size_t node, rows = 0;
    if (node_of(network, argument, "node", &node) < 0) return NULL;
    const double *numbers = crd_network_cpt(network, node, &rows);
    if (numbers == NULL) Py_RETURN_NONE;
    size_t width = crd_network_cpt_width(network, node);
    return Py_BuildValue(
        "nnN", (Py_ssize_t)rows, (Py_ssize_t)width,
        PyByteArray_FromStringAndSize((const char *)numbers, (Py_ssize_t)(rows * width * sizeof *numbers)));
}

/* select(selector): the nodes that match a column selector; None if there is no match. */
static PyObject *network_select(PyObject *object, PyObject *argument) {
    network_object *self = (network_object *)object;
    crd_text selector;
    crd_error error;
    size_t count = 0;
    if (text_of(argument, "selector", false, &selector) < 0) return NULL;
    size_t *nodes = PyMem_Malloc((crd_network_node_count(self->network) + 1) * sizeof *nodes);
    if (nodes == NULL) return PyErr_NoMemory();
    PyObject *result = NULL;
    crd_status status = crd_network_select(self->network, selector, nodes, &count, &error);
    if (status == CRD_OK) result = list_of_nodes(nodes, count);
    else if (status == CRD_ERROR_COLUMN) result = Py_NewRef(Py_None);
    else raise_error(self->head.state, &error);
    PyMem_Free(nodes);
    return result;
}

/* find_state(node, text): the index of the state; None if there is no such state. */
static PyObject *network_find_state(PyObject *object, PyObject *arguments) {
    const crd_network *network = ((network_object *)object)->network;
    PyObject *node_argument, *text_argument;
    size_t node;
    crd_text text;
    if (!PyArg_ParseTuple(arguments, "OO", &node_argument, &text_argument) ||
        node_of(network, node_argument, "node", &node) < 0 || text_of(text_argument, "state", false, &text) < 0)
        return NULL;
    size_t state = crd_network_find_state(network, node, text);
    if (state == SIZE_MAX) Py_RETURN_NONE;
    return PyLong_FromSize_t(state);
}

static PyMethodDef methods[] = {
    {"write", network_write, METH_VARARGS, "write(format) -> bytes"},
    {"model", network_model, METH_O, "model(target) -> Model"},
    {"name", network_name, METH_NOARGS, "name() -> str"},
    {"nodes", network_nodes, METH_NOARGS, "nodes() -> list[tuple[str, int, tuple[str, ...], tuple[int, ...]]]"},
    {"table", network_table, METH_O, "table(node) -> tuple[int, int, bytearray] | None"},
    {"select", network_select, METH_O, "select(selector) -> list[int] | None"},
    {"find_state", network_find_state, METH_VARARGS, "find_state(node, text) -> int | None"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef network_functions[] = {
    {"read_network", read_network, METH_VARARGS, "read_network(bytes, place, format=0) -> Network"},
    {"load_network", load_network, METH_VARARGS, "load_network(path, format=0) -> Network"},
    {"recognize_network", recognize_network, METH_O, "recognize_network(bytes) -> int"},
    {"build_network", build_network, METH_VARARGS, "build_network(name, nodes, arcs, tables) -> Network"},
    {"network_of_model", network_of_model, METH_VARARGS, "network_of_model(model, settings=None) -> Network"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(network, CORE_NETWORK, "Network", network_object, network_dealloc, methods,
          "A Bayesian network; immutable. Created by read_network(), load_network() and build_network().");
