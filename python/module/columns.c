/* SPDX-License-Identifier: MIT */
/* columns.c - Columns: a table whose columns are added one by one, then read together. See columns.h. */
#include "columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void clear_column(table_column *column) {
    free(column->name);
    free(column->format);
    for (size_t i = 0; i < column->array_count; i++)
        if (column->arrays[i].release != NULL) column->arrays[i].release(&column->arrays[i]);
    free(column->arrays);
    if (column->schema.release != NULL) column->schema.release(&column->schema);
    if (column->layout == CELLS_VIEWS) {
        free((void *)column->data);
        free(column->buffers);
        free(column->lengths);
    }
    if (column->values != NULL) clear_column(column->values);
    free(column->values);
}

static void columns_dealloc(PyObject *object) {
    columns_object *self = (columns_object *)object;
    for (size_t i = 0; i < self->count; i++) clear_column(&self->columns[i]);
    free(self->columns);
    Py_XDECREF(self->kept);
    free_object(self);
}

/* make_columns(rows) */
static PyObject *make_columns(PyObject *module, PyObject *arguments) {
    Py_ssize_t rows;
    if (!PyArg_ParseTuple(arguments, "n", &rows)) return NULL;
    if (rows < 0) {
        PyErr_SetString(PyExc_ValueError, "rows: expected 0 or more");
        return NULL;
    }
    columns_object *self = new_object(state_of_module(module), CORE_COLUMNS);
    if (self == NULL) return NULL;
    self->rows = (size_t)rows;
    self->kept = PyList_New(0);
    if (self->kept != NULL) return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return NULL;
}

static char *copy_text(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) PyErr_NoMemory();
    return copy;
}

/* Appends a column. Takes ownership of it, even on failure. */
static int append(columns_object *self, const char *name, table_column column) {
    table_column *more = realloc(self->columns, (self->count + 1) * sizeof *more);
    if (more == NULL) PyErr_NoMemory();
    else self->columns = more;
    column.name = more == NULL ? NULL : copy_text(name);
    if (column.name == NULL) {
        clear_column(&column);
        return -1;
    }
    self->columns[self->count++] = column;
    return 0;
}

/* Returns the memory of a one-dimensional buffer, which is kept as a memoryview. Sets *stride to the bytes between items. */
static const char *borrow(columns_object *self, PyObject *object, const char *argument, size_t items, size_t width,
                          ptrdiff_t *stride) {
    PyObject *view = PyMemoryView_FromObject(object);
    if (view == NULL) return NULL;
    Py_buffer buffer;
    const char *data = NULL;
    if (PyObject_GetBuffer(view, &buffer, PyBUF_RECORDS_RO) == 0) {
        if (buffer.ndim != 1 || (size_t)buffer.itemsize != width)
            PyErr_Format(PyExc_ValueError, "%s: expected one dimension of items of %zu bytes, got %d of %zd", argument,
                         width, buffer.ndim, buffer.itemsize);
        else if ((size_t)buffer.shape[0] != items)
            PyErr_Format(PyExc_ValueError, "%s: %zd items for %zu rows", argument, buffer.shape[0], items);
        else if (PyList_Append(self->kept, view) == 0) data = items > 0 ? buffer.buf : "";
        *stride = buffer.strides[0];
        PyBuffer_Release(&buffer);
    }
    Py_DECREF(view);
    return data;
}

/* add_items(name, values, format, layout, width, is_swapped=False, mask=None, rule=0) */
static PyObject *add_items(PyObject *object, PyObject *arguments) {
    columns_object *self = (columns_object *)object;
    PyObject *values, *mask = Py_None;
    const char *name, *format;
    int layout, is_swapped = 0, rule = MISSING_NONE;
    Py_ssize_t width;
    if (!PyArg_ParseTuple(arguments, "sOsin|pOi", &name, &values, &format, &layout, &width, &is_swapped, &mask, &rule))
        return NULL;
    table_column column = {.layout = (cell_layout)layout, .width = (size_t)width, .is_swapped = is_swapped != 0};
    column.rule = (missing_rule)rule;
    column.data = borrow(self, values, name, self->rows, column.width, &column.stride);
    if (column.data == NULL) return NULL;
    if (mask != Py_None) {
        column.mask = (const uint8_t *)borrow(self, mask, "mask", self->rows, 1, &column.mask_stride);
        if (column.mask == NULL) return NULL;
    }
    column.format = copy_text(format);
    if (column.format == NULL || append(self, name, column) < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- Texts as views: each has 16 bytes, and a buffer that is borrowed from the str ---- */

static int fill_views(PyObject *list, const char *name, table_column *column) {
    enum { VIEW = 16, INLINED = 12 };
    char *views = (char *)column->data;
    for (size_t i = 0; i < column->length; i++) {
        crd_text text;
        if (text_of(PyList_GetItem(list, (Py_ssize_t)i), name, true, &text) < 0) return -1;
        if (text.length > INT32_MAX) {
            PyErr_Format(PyExc_ValueError, "column %s: a text of more than 2 GiB", name);
            return -1;
        }
        const int32_t length = (int32_t)text.length, buffer = (int32_t)i;
        char *view = views + i * VIEW;
        memcpy(view, &length, sizeof length);
        if (length <= INLINED) {
            if (length > 0) memcpy(view + 4, text.bytes, text.length);
        } else {
            memcpy(view + 4, text.bytes, 4);
            memcpy(view + 8, &buffer, sizeof buffer);
        }
        column->buffers[2 + i] = text.bytes;
        column->lengths[i] = length;
    }
    return 0;
}

/* Makes a text column from a list of str, and keeps the list. */
static int make_views(columns_object *self, PyObject *sequence, const char *name, table_column *column) {
    PyObject *list = PySequence_List(sequence);
    if (list == NULL) return -1;
    const size_t count = column->length = (size_t)PyList_Size(list);
    column->layout = CELLS_VIEWS;
    column->stride = 16;
    column->data = calloc(count + 1, 16);
    column->buffers = calloc(count + 3, sizeof *column->buffers);
    column->lengths = calloc(count + 1, sizeof *column->lengths);
    column->format = strdup("vu");
    int result = -1;
    if (column->data == NULL || column->buffers == NULL || column->lengths == NULL || column->format == NULL) {
        PyErr_NoMemory();
    } else {
        column->buffers[1] = column->data;
        column->buffers[count + 2] = column->lengths;
        result = fill_views(list, name, column);
        if (result == 0) result = PyList_Append(self->kept, list);
    }
    Py_DECREF(list);
    return result;
}

/* add_codes(name, codes, format, values, is_swapped=False, mask=None): values are a list of str, or a pair of a format and a buffer. */
static PyObject *add_codes(PyObject *object, PyObject *arguments) {
    columns_object *self = (columns_object *)object;
    PyObject *codes, *values, *mask = Py_None;
    const char *name, *format;
    int is_swapped = 0;
    if (!PyArg_ParseTuple(arguments, "sOsO|pO", &name, &codes, &format, &values, &is_swapped, &mask)) return NULL;
    static const char letters[] = "cCsSiIlL";
    const char *letter = strchr(letters, format[0]);
    if (letter == NULL || *letter == '\0') {
        PyErr_Format(PyExc_ValueError, "format: expected an integer's letter, got '%s'", format);
        return NULL;
    }
    table_column column = {.layout = CELLS_ITEMS, .width = (size_t)1 << (letter - letters) / 2};
    column.is_swapped = is_swapped != 0;
    column.rule = MISSING_NEGATIVE;
    column.data = borrow(self, codes, name, self->rows, column.width, &column.stride);
    if (column.data == NULL) return NULL;
    if (mask != Py_None) {
        column.mask = (const uint8_t *)borrow(self, mask, "mask", self->rows, 1, &column.mask_stride);
        if (column.mask == NULL) return NULL;
    }
    column.format = copy_text(format);
    column.values = calloc(1, sizeof *column.values);
    if (column.format == NULL || column.values == NULL) {
        if (column.format != NULL) PyErr_NoMemory();
        goto fail;
    }
    if (PyTuple_Check(values)) {
        const char *value_format;
        PyObject *buffer;
        Py_ssize_t width;
        table_column *value_column = column.values;
        if (!PyArg_ParseTuple(values, "sOnn", &value_format, &buffer, &width, &value_column->length)) goto fail;
        value_column->width = (size_t)width;
        value_column->data =
            borrow(self, buffer, name, value_column->length, value_column->width, &value_column->stride);
        value_column->format = value_column->data == NULL ? NULL : copy_text(value_format);
        if (value_column->format == NULL) goto fail;
    } else if (make_views(self, values, name, column.values) < 0) {
        goto fail;
    }
    if (append(self, name, column) < 0) return NULL;
    Py_RETURN_NONE;
fail:
    clear_column(&column);
    return NULL;
}

/* ---- Arrow arrays ---- */

static int read_arrays(struct ArrowArrayStream *stream, table_column *column, size_t *rows) {
    *rows = 0;
    if (stream->get_schema(stream, &column->schema) != 0) {
        column->schema.release = NULL;
        return -1;
    }
    for (;;) {
        struct ArrowArray array = {.release = NULL};
        if (stream->get_next(stream, &array) != 0) return -1;
        if (array.release == NULL) return 0;
        struct ArrowArray *more = realloc(column->arrays, (column->array_count + 1) * sizeof *more);
        if (more == NULL) {
            array.release(&array);
            return -1;
        }
        column->arrays = more;
        more[column->array_count++] = array;
        *rows += (size_t)array.length;
    }
}

/* add_arrow(name, capsule): consumes a capsule "arrow_array_stream" with the arrays of one column. */
static PyObject *add_arrow(PyObject *object, PyObject *arguments) {
    columns_object *self = (columns_object *)object;
    PyObject *capsule;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &capsule)) return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream == NULL) return NULL;
    if (stream->release == NULL) {
        PyErr_Format(PyExc_ValueError, "column %s: its Arrow stream is already consumed", name);
        return NULL;
    }
    table_column column = {.layout = CELLS_ARROW};
    size_t rows;
    int failed = read_arrays(stream, &column, &rows);
    if (failed < 0) PyErr_Format(PyExc_ValueError, "column %s: its Arrow stream cannot be read", name);
    else if (rows != self->rows) PyErr_Format(PyExc_ValueError, "%s: %zu items for %zu rows", name, rows, self->rows);
    stream->release(stream);
    stream->release = NULL;
    if (failed < 0 || rows != self->rows) {
        clear_column(&column);
        return NULL;
    }
    if (append(self, name, column) < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- Streams ---- */

static void release_capsule(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream == NULL) return;
    if (stream->release != NULL) stream->release(stream);
    free(stream);
}

/* stream() -> a capsule "arrow_array_stream" of all rows. */
static PyObject *columns_capsule(PyObject *object, PyObject *unused) {
    (void)unused;
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    if (stream == NULL || columns_stream((columns_object *)object, object, stream) != 0) {
        free(stream);
        return PyErr_NoMemory();
    }
    PyObject *capsule = PyCapsule_New(stream, "arrow_array_stream", release_capsule);
    if (capsule == NULL) {
        stream->release(stream);
        free(stream);
    }
    return capsule;
}

/* A stream of one array. It owns the array and its schema. */
typedef struct single {
    struct ArrowSchema schema;
    struct ArrowArray array;
} single;

static int single_schema(struct ArrowArrayStream *base, struct ArrowSchema *out) {
    single *contents = base->private_data;
    if (contents->schema.release == NULL) return EINVAL;
    *out = contents->schema;
    contents->schema.release = NULL;
    return 0;
}

static int single_next(struct ArrowArrayStream *base, struct ArrowArray *out) {
    single *contents = base->private_data;
    *out = contents->array;
    contents->array.release = NULL;
    return 0;
}

static const char *single_error(struct ArrowArrayStream *base) {
    (void)base;
    return NULL;
}

static void single_release(struct ArrowArrayStream *base) {
    single *contents = base->private_data;
    if (contents->schema.release != NULL) contents->schema.release(&contents->schema);
    if (contents->array.release != NULL) contents->array.release(&contents->array);
    free(contents);
    base->release = NULL;
}

/* stream_of_array(schema, array): consumes the capsules "arrow_schema" and "arrow_array", and returns a stream of one array. */
static PyObject *stream_of_array(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *schema_capsule, *array_capsule;
    if (!PyArg_ParseTuple(arguments, "OO", &schema_capsule, &array_capsule)) return NULL;
    struct ArrowSchema *schema = PyCapsule_GetPointer(schema_capsule, "arrow_schema");
    struct ArrowArray *array = schema == NULL ? NULL : PyCapsule_GetPointer(array_capsule, "arrow_array");
    if (array == NULL) return NULL;
    if (schema->release == NULL || array->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "table: the Arrow array is already consumed");
        return NULL;
    }
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    single *contents = calloc(1, sizeof *contents);
    PyObject *capsule =
        stream == NULL || contents == NULL ? NULL : PyCapsule_New(stream, "arrow_array_stream", release_capsule);
    if (capsule == NULL) {
        free(stream);
        free(contents);
        return PyErr_Occurred() != NULL ? NULL : PyErr_NoMemory();
    }
    *contents = (single){*schema, *array};
    schema->release = NULL;
    array->release = NULL;
    *stream = (struct ArrowArrayStream){single_schema, single_next, single_error, single_release, contents};
    return capsule;
}

static PyMethodDef methods[] = {
    {"add_items", add_items, METH_VARARGS,
     "add_items(name, values, format, layout, width, is_swapped=False, mask=None, rule=0)"},
    {"add_codes", add_codes, METH_VARARGS, "add_codes(name, codes, format, values, is_swapped=False, mask=None)"},
    {"add_arrow", add_arrow, METH_VARARGS, "add_arrow(name, capsule)"},
    {"stream", columns_capsule, METH_NOARGS, "stream() -> capsule\n\nAll rows as an Arrow stream."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef columns_functions[] = {
    {"make_columns", make_columns, METH_VARARGS, "make_columns(rows) -> Columns"},
    {"stream_of_array", stream_of_array, METH_VARARGS, "stream_of_array(schema, array) -> capsule"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(columns, CORE_COLUMNS, "Columns", columns_object, columns_dealloc, methods,
          "A table in columns over memory that Python owns. Created by make_columns().");
