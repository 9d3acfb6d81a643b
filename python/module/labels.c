/* SPDX-License-Identifier: MIT */
/* labels.c - encodes an array of labels: assigns a code to each label, in one pass with a hash table. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* An open-addressed hash table of the distinct items, with the position of each item's first occurrence. One thread fills it with labels
 * that the caller holds. The hash therefore has no secret key: many collisions only make it slower. */
typedef struct label_table {
    const char *items;
    Py_ssize_t stride;
    size_t item_bytes;
    int32_t *slots;    /* code + 1, or 0 if the slot is empty */
    size_t mask;       /* slots - 1 */
    Py_ssize_t *first; /* the position of the first occurrence of each code */
    size_t count, capacity;
} label_table;

static uint64_t hash_bytes(const char *item, size_t length) {
    uint64_t hash = length * UINT64_C(0x9E3779B97F4A7C15);
    while (length > 0) {
        uint64_t word = 0;
        size_t piece = length < 8 ? length : 8;
        memcpy(&word, item, piece);
        hash = (hash ^ word) * UINT64_C(0xBF58476D1CE4E5B9);
        hash ^= hash >> 32;
        item += piece;
        length -= piece;
    }
    hash *= UINT64_C(0x94D049BB133111EB);
    return hash ^ hash >> 29;
}

static const char *item_at(const label_table *table, Py_ssize_t place) {
    return table->items + place * table->stride;
}

static bool grow(label_table *table) {
    size_t slots = 4 * table->capacity, capacity = 2 * table->capacity;
    int32_t *new_slots = calloc(slots, sizeof *new_slots);
    Py_ssize_t *first = new_slots == NULL ? NULL : realloc(table->first, capacity * sizeof *first);
    if (first == NULL) {
        free(new_slots);
        return false;
    }
    for (size_t code = 0; code < table->count; code++) {
        size_t slot = hash_bytes(item_at(table, first[code]), table->item_bytes) & (slots - 1);
        while (new_slots[slot] != 0) slot = (slot + 1) & (slots - 1);
        new_slots[slot] = (int32_t)code + 1;
    }
    free(table->slots);
    table->slots = new_slots;
    table->mask = slots - 1;
    table->first = first;
    table->capacity = capacity;
    return true;
}

/* Returns the code of an item; -1 if there is no memory. */
static int32_t code_of(label_table *table, Py_ssize_t place) {
    const char *item = item_at(table, place);
    size_t slot = hash_bytes(item, table->item_bytes) & table->mask;
    for (; table->slots[slot] != 0; slot = (slot + 1) & table->mask)
        if (memcmp(item, item_at(table, table->first[table->slots[slot] - 1]), table->item_bytes) == 0)
            return table->slots[slot] - 1;
    if (table->count == table->capacity) {
        if (table->count >= INT32_MAX / 4 || !grow(table)) return -1;
        return code_of(table, place);
    }
    table->first[table->count] = place;
    table->slots[slot] = (int32_t)++table->count;
    return (int32_t)table->count - 1;
}

/* Returns a number or flag of up to eight bytes as a word. */
static uint64_t word_at(const label_table *table, Py_ssize_t place) {
    const char *item = item_at(table, place);
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch (table->item_bytes) {
    case 8: memcpy(&eight, item, 8); return eight;
    case 4: memcpy(&four, item, 4); return four;
    case 2: memcpy(&two, item, 2); return two;
    default: return (unsigned char)*item;
    }
}

/* Encodes labels of up to eight bytes. There are usually few labels, so a small cache, indexed by hash, returns the codes of known words.
 * The table handles the rest. */
static bool encode_words(label_table *table, Py_ssize_t rows, int32_t *codes) {
    enum { KEPT = 256 };
    struct {
        uint64_t word;
        int32_t code;
    } kept[KEPT];
    for (size_t i = 0; i < KEPT; i++) kept[i].code = -1;
    for (Py_ssize_t row = 0; row < rows; row++) {
        uint64_t word = word_at(table, row);
        size_t slot = (size_t)(word * UINT64_C(0x9E3779B97F4A7C15) >> 56);
        if (kept[slot].code < 0 || kept[slot].word != word) {
            kept[slot].word = word;
            kept[slot].code = code_of(table, row);
            if (kept[slot].code < 0) return false;
        }
        codes[row] = kept[slot].code;
    }
    return true;
}

static bool encode(label_table *table, Py_ssize_t rows, int32_t *codes) {
    size_t bytes = table->item_bytes;
    if (bytes == 8 || bytes == 4 || bytes == 2 || bytes == 1) return encode_words(table, rows, codes);
    int32_t last = -1;
    for (Py_ssize_t row = 0; row < rows; row++) {
        /* Equal labels are often adjacent. */
        if (last < 0 || memcmp(item_at(table, row), item_at(table, row - 1), table->item_bytes) != 0)
            last = code_of(table, row);
        if (last < 0) return false;
        codes[row] = last;
    }
    return true;
}

/* encode_items(labels, codes): labels is a one-dimensional buffer, whose items are compared by their bytes. */
static PyObject *encode_items(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *labels, *codes, *result = NULL;
    Py_buffer label_buffer, code_buffer;
    if (!PyArg_ParseTuple(arguments, "OO", &labels, &codes) ||
        PyObject_GetBuffer(labels, &label_buffer, PyBUF_STRIDES) < 0)
        return NULL;
    if (buffer_of(codes, "codes", "i", true, false, &code_buffer) < 0) {
        PyBuffer_Release(&label_buffer);
        return NULL;
    }
    label_table table = {
        .items = label_buffer.buf, .item_bytes = (size_t)label_buffer.itemsize, .capacity = 64, .mask = 127};
    if (label_buffer.ndim != 1 || code_buffer.len / 4 != label_buffer.shape[0]) {
        PyErr_SetString(PyExc_ValueError, "labels: expected one dimension, and one code for each label");
        goto done;
    }
    table.stride = label_buffer.strides[0];
    table.slots = calloc(table.mask + 1, sizeof *table.slots);
    table.first = malloc(table.capacity * sizeof *table.first);
    bool is_done = table.slots != NULL && table.first != NULL;
    if (is_done) {
        Py_BEGIN_ALLOW_THREADS;
        is_done = encode(&table, label_buffer.shape[0], code_buffer.buf);
        Py_END_ALLOW_THREADS;
    }
    if (!is_done) {
        PyErr_NoMemory();
        goto done;
    }
    result = PyList_New((Py_ssize_t)table.count);
    for (size_t i = 0; result != NULL && i < table.count; i++) {
        PyObject *place = PyLong_FromSsize_t(table.first[i]);
        if (place == NULL || PyList_SetItem(result, (Py_ssize_t)i, place) < 0) Py_CLEAR(result);
    }
done:
    free(table.slots);
    free(table.first);
    PyBuffer_Release(&code_buffer);
    PyBuffer_Release(&label_buffer);
    return result;
}

/* Returns the code of an object, and adds a new object to `known` and `classes`. Returns -1 with an exception on failure. */
static long code_of_object(PyObject *known, PyObject *classes, PyObject *label) {
    PyObject *code = PyDict_GetItemWithError(known, label);
    if (code != NULL) return PyLong_AsLong(code);
    if (PyErr_Occurred() != NULL) return -1;
    long next = (long)PyList_Size(classes);
    code = PyLong_FromLong(next);
    bool is_done = code != NULL && PyDict_SetItem(known, label, code) == 0 && PyList_Append(classes, label) == 0;
    Py_XDECREF(code);
    return is_done ? next : -1;
}

/* encode_objects(labels, codes): labels is a list of objects, which are compared like dict keys. */
static PyObject *encode_objects(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *labels, *codes;
    Py_buffer code_buffer;
    if (!PyArg_ParseTuple(arguments, "OO", &labels, &codes)) return NULL;
    if (!PyList_Check(labels)) {
        PyErr_SetString(PyExc_TypeError, "labels: expected a list");
        return NULL;
    }
    if (buffer_of(codes, "codes", "i", true, false, &code_buffer) < 0) return NULL;
    PyObject *known = PyDict_New(), *classes = PyList_New(0);
    Py_ssize_t rows = PyList_Size(labels);
    bool is_done = known != NULL && classes != NULL;
    if (is_done && code_buffer.len / 4 != rows) {
        PyErr_SetString(PyExc_ValueError, "codes: expected one for each label");
        is_done = false;
    }
    for (Py_ssize_t row = 0; is_done && row < rows && row < PyList_Size(labels); row++) {
        PyObject *label = Py_NewRef(PyList_GetItem(labels, row)); /* a comparison can change the list */
        long code = code_of_object(known, classes, label);
        Py_DECREF(label);
        is_done = code >= 0;
        ((int32_t *)code_buffer.buf)[row] = (int32_t)code;
    }
    PyBuffer_Release(&code_buffer);
    Py_XDECREF(known);
    if (!is_done) Py_CLEAR(classes);
    return classes;
}

PyMethodDef labels_functions[] = {
    {"encode_items", encode_items, METH_VARARGS,
     "encode_items(labels, codes) -> list[int]\n\nNumber the labels of a buffer in the order of their first "
     "occurrences. Returns the indices of the first occurrences."},
    {"encode_objects", encode_objects, METH_VARARGS,
     "encode_objects(labels, codes) -> list\n\nLike encode_items(), for a list of objects. Returns one object for each "
     "code."},
    {NULL, NULL, 0, NULL},
};
