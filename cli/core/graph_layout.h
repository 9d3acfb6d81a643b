/* SPDX-License-Identifier: MIT */
/* graph_layout.h - positions of a graph's nodes in a drawing made of characters: nodes are in layers, and arcs go down
 * (see crd_plot_layout_create). */
#ifndef CREDENCE_CLI_GRAPH_LAYOUT_H
#define CREDENCE_CLI_GRAPH_LAYOUT_H

#include "core/string_buffer.h"

/* A node, or a point where a line passes through a layer. All arcs of a node that continue below a layer share one such
 * point. They separate when they reach a child's layer. */
typedef struct layout_point {
    size_t node;                  /* the node, or the node whose arcs pass here */
    bool is_passing;              /* a line passes through the layer here */
    size_t left, right;           /* columns on either side of its middle */
    size_t name_left, name_right; /* columns of the name on either side, at most left and right */
    int index;                    /* the column of its middle */
} layout_point;

/* A line from a point to a point of the next layer. */
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

/* Returns the layer of each node, from 0: below the layers of all its parents. Undirected edges are directed along a
 * topological order of the directed arcs. The caller frees the result. */
size_t *graph_layers(const crd_result_graph *g);

/* Computes a layout. Returns false if a layer is wider than `width`. Free `out` in either case. */
bool graph_lay_out(const crd_result_graph *g, size_t width, graph_layout *out);
void graph_layout_free(graph_layout *l);

#endif
