/* SPDX-License-Identifier: MIT */
/* plot_series.h - reads plot data from Python lists, tuples, dicts and buffers. */
#ifndef CREDENCE_PYTHON_PLOT_SERIES_H
#define CREDENCE_PYTHON_PLOT_SERIES_H

#include "module.h"

/* The objects that a call borrows, and the bytearrays that it allocates as memory. They are released when the call ends. */
typedef struct plot_memory {
    module_state *state;
    PyObject *kept; /* a list */
} plot_memory;

/* Keeps an object, and takes its reference. Returns the object; NULL stays NULL. */
PyObject *plot_keep(plot_memory *memory, PyObject *object);
/* Allocates zeroed memory for `count` items. Returns NULL with an exception on failure. */
void *plot_room(plot_memory *memory, size_t count, size_t size);
/* Returns a list of the items of any iterable except a str, and keeps it. Sets *count to its length. */
PyObject *plot_items(plot_memory *memory, PyObject *object, const char *argument, size_t *count);
/* Gets a text. An object that is not a str is converted with str(). None gives NULL bytes. */
int plot_name(plot_memory *memory, PyObject *object, crd_text *out);
/* Gets a number. None gives NaN. */
int plot_double(PyObject *object, const char *argument, double *out);
/* Returns the numbers of a buffer of doubles, or of any sequence. */
double *plot_doubles(plot_memory *memory, PyObject *object, const char *argument, size_t *count);
crd_text *plot_names(plot_memory *memory, PyObject *object, const char *argument, size_t *count);
/* Returns a matrix with `width` columns, row by row, from a buffer of doubles or a list of lists. */
double *plot_matrix(plot_memory *memory, PyObject *object, const char *argument, size_t width, size_t *rows);

/* ---- Calls ---- */

/* The options of all plots. */
typedef struct plot_options {
    PyObject *title, *description;
    double width;
} plot_options;

int plot_begin(plot_memory *memory, PyObject *module, const plot_options *given, crd_plot_options *options);
/* Ends a call. Returns the plot as a str, or NULL with the exception that is set. */
PyObject *plot_end(plot_memory *memory, char *svg);

/* Draws without the GIL. On failure, *svg is NULL and an exception is set. */
#define DRAW(memory, svg, function, of, options)                                                                       \
    do {                                                                                                               \
        core_call call;                                                                                                \
        call_begin(&call, (memory)->state);                                                                            \
        crd_status status = function((memory)->state->context, of, options, svg, &call.error);                         \
        if (call_end(&call, status) < 0) {                                                                             \
            crd_free((memory)->state->context, *(svg));                                                                \
            *(svg) = NULL;                                                                                             \
        }                                                                                                              \
    } while (0)

#define OPTION_NAMES "title", "description", "width", NULL
#define OPTION_FORMAT "OOd"
#define OPTION_TARGETS &given.title, &given.description, &given.width

/* Functions of plot_graph.c. */
PyObject *plot_graph(PyObject *module, PyObject *arguments, PyObject *keywords);
PyObject *plot_layout(PyObject *module, PyObject *arguments, PyObject *keywords);
PyObject *plot_path(PyObject *module, PyObject *arguments, PyObject *keywords);

#endif
