/* SPDX-License-Identifier: MIT */
/* graph_layout.h - where the nodes of a graph stand in a drawing in characters: in layers, arcs going down (see
 * crd_plot_layout_create). */
#ifndef CREDENCE_CLI_GRAPH_LAYOUT_H
#define CREDENCE_CLI_GRAPH_LAYOUT_H

#include "core/string_buffer.h"

/* An edge without a direction has its ends in any order. */
typedef struct graph_arc {
    size_t first, end;
    bool is_undirected;
} graph_arc;

/* Directed arcs form no cycle. */
typedef struct graph {
    const char *const *names; /* as people may see them */
    size_t count;
    const graph_arc *arcs;
    size_t arc_count;
} graph;

/* A node, or a point at which a line passes through a layer. Of the arcs that leave a node and go on, there is one such
 * point in each layer: they part where they reach a child's layer. */
typedef struct layout_point {
    size_t node;                  /* whose arcs these are, or which it is */
    bool is_passing;              /* a line passes */
    size_t left, right;           /* columns that it takes on either side of its middle */
    size_t name_left, name_right; /* the same of its name, which may take fewer */
    int index;                    /* the column of its middle */
} layout_point;

/* From a point to one of the next layer. */
typedef struct layout_link {
    size_t first, end;
    bool is_undirected;
} layout_link;

typedef struct layout_layer {
    size_t *points; /* from left to right */
    size_t count;
} layout_layer;

typedef struct graph_layout {
    layout_point *points;
    size_t point_count;
    layout_link *links;
    size_t link_count;
    layout_layer *layers;
    size_t layer_count;
} graph_layout;

/* The layer of each node, from 0: below those of all its parents. The caller frees it. Edges without a direction go from
 * what comes first in an order of the others. */
size_t *graph_layers(const graph *g);

/* False where a layer is wider than `width`. `out` is to be freed in either case. */
bool graph_lay_out(const graph *g, size_t width, graph_layout *out);
void graph_layout_free(graph_layout *l);

#endif
