/* SPDX-License-Identifier: MIT */
/* plot_series.h - what pictures are made of, out of lists, tuples, dicts and buffers of Python. */
#ifndef CREDENCE_PYTHON_PLOT_SERIES_H
#define CREDENCE_PYTHON_PLOT_SERIES_H

#include "module.h"

/* What a call borrows and allocates, until it is over: objects, and bytearrays that serve as memory. */
typedef struct plot_memory {
    module_state *state;
    PyObject *kept; /* a list */
} plot_memory;

/* Keeps an object, whose reference is taken over; NULL stays NULL. */
PyObject *plot_keep(plot_memory *memory, PyObject *object);
/* Zeroed room for so many items; NULL with an exception. */
void *plot_room(plot_memory *memory, size_t count, size_t size);
/* A list of any iterable, kept; its length in *count. A str is none. */
PyObject *plot_items(plot_memory *memory, PyObject *object, const char *argument, size_t *count);
/* A text; of an object that is no str, what str() makes of it. None has no bytes. */
int plot_name(plot_memory *memory, PyObject *object, crd_text *out);
/* A number; None is NaN. */
int plot_double(PyObject *object, const char *argument, double *out);
/* Numbers of a buffer of doubles, or of any sequence. */
double *plot_doubles(plot_memory *memory, PyObject *object, const char *argument, size_t *count);
crd_text *plot_names(plot_memory *memory, PyObject *object, const char *argument, size_t *count);
/* Rows of numbers side by side, each `width` long; of a buffer of doubles or a list of lists. */
double *plot_matrix(plot_memory *memory, PyObject *object, const char *argument, size_t width, size_t *rows);

/* ---- Calls ---- */

/* What all pictures take. */
typedef struct plot_options {
    PyObject *title, *description;
    double width;
} plot_options;

int plot_begin(plot_memory *memory, PyObject *module, const plot_options *given, crd_plot_options *options);
/* Ends a call: the picture as a str, or NULL with the exception that is set. */
PyObject *plot_end(plot_memory *memory, char *svg);

/* Draws without the GIL; *svg is NULL with an exception where that fails. */
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
