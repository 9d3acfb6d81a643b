/* SPDX-License-Identifier: MIT */
/* graph_layout.c - see graph_layout.h. The library computes the layout, in units of character columns. */
#include "core/graph_layout.h"

#include <stdlib.h>
#include <string.h>

/* Computes the extent of a node: the width of its name, or one column per incoming line plus a column between them. */
static layout_point graph_layout_measure(const crd_result_graph *g, size_t node, size_t parents) {
    size_t width = text_width(g->names[node], strlen(g->names[node]));
    if (width == 0) width = 1;
    layout_point point = {.node = node, .name_left = (width - 1) / 2, .name_right = width / 2};
    if (parents > 1 && 2 * parents - 1 > width) width = 2 * parents - 1;
    point.left = (width - 1) / 2;
    point.right = width / 2;
    return point;
}

/* Counts the lines that reach each node. An undirected edge reaches the end in the lower layer. The caller frees the
 * result. */
static size_t *count_parents(const crd_result_graph *g, const size_t *layers) {
    size_t *parents = memory_resize(NULL, g->count, sizeof *parents);
    memset(parents, 0, g->count * sizeof *parents);
    for (size_t i = 0; i < g->arc_count; i++) {
        const crd_result_arc *arc = &g->arcs[i];
        parents[layers[arc->end] > layers[arc->first] ? arc->end : arc->first]++;
    }
    return parents;
}

/* Returns NULL if a layer is wider than `width`; 0 allows any width. Running out of memory ends the command. */
static crd_plot_layout *graph_layout_lay_out(crd_context *context, const crd_result_graph *g,
                                             const crd_plot_extent *extents, size_t width) {
    crd_plot_layout_options options = CRD_PLOT_LAYOUT_OPTIONS_INIT;
    options.width = width;
    crd_plot_arc *arcs = memory_resize(NULL, g->arc_count, sizeof *arcs);
    for (size_t i = 0; i < g->arc_count; i++)
        arcs[i] = (crd_plot_arc){g->arcs[i].first, g->arcs[i].end, g->arcs[i].is_undirected, 0};
    crd_plot_layout *layout;
    crd_error error;
    crd_status status =
        crd_plot_layout_create(context, extents, g->count, arcs, g->arc_count, &options, &layout, &error);
    free(arcs);
    if (status == CRD_ERROR_MEMORY) memory_exhausted();
    return layout;
}

static crd_context *open_context(void) {
    crd_context *context = NULL;
    if (crd_context_create(NULL, &context) != CRD_OK) memory_exhausted();
    return context;
}

size_t *graph_layers(const crd_result_graph *g) {
    crd_context *context = open_context();
    crd_plot_extent *extents = memory_resize(NULL, g->count, sizeof *extents);
    memset(extents, 0, g->count * sizeof *extents);
    size_t *layers = memory_resize(NULL, g->count, sizeof *layers);
    memset(layers, 0, g->count * sizeof *layers);
    crd_plot_layout *layout = graph_layout_lay_out(context, g, extents, 0);
    for (size_t i = 0; layout != NULL && i < g->count; i++) layers[i] = layout->points[i].layer;
    crd_plot_layout_destroy(layout);
    crd_context_destroy(context);
    free(extents);
    return layers;
}

/* Copies points, links and layers from the library's layout. */
static void copy_points(graph_layout *out, const crd_result_graph *g, const crd_plot_layout *layout,
                        const size_t *parents) {
    const crd_plot_point *points = layout->points;
    out->point_count = layout->point_count;
    out->points = memory_resize(NULL, out->point_count, sizeof *out->points);
    for (size_t i = 0; i < out->point_count; i++) {
        out->points[i] = points[i].is_passing ? (layout_point){.node = points[i].node, .is_passing = true}
                                              : graph_layout_measure(g, points[i].node, parents[points[i].node]);
        out->points[i].index = (int)points[i].at;
    }
    const crd_plot_link *links = layout->links;
    out->link_count = layout->link_count;
    out->links = memory_resize(NULL, out->link_count, sizeof *out->links);
    for (size_t i = 0; i < out->link_count; i++)
        out->links[i] = (layout_link){links[i].from, links[i].to, links[i].is_undirected != 0};
    out->layer_count = layout->layer_count;
    out->layers = memory_resize(NULL, out->layer_count, sizeof *out->layers);
    for (size_t i = 0; i < out->layer_count; i++) {
        layout_layer *layer = &out->layers[i];
        layer->count = layout->layers[i].count;
        layer->points = memory_resize(NULL, layer->count, sizeof *layer->points);
        if (layer->count > 0) memcpy(layer->points, layout->layers[i].points, layer->count * sizeof *layer->points);
    }
}

bool graph_lay_out(const crd_result_graph *g, size_t width, graph_layout *out) {
    *out = (graph_layout){0};
    crd_context *context = open_context();
    size_t *layers = graph_layers(g), *parents = count_parents(g, layers);
    crd_plot_extent *extents = memory_resize(NULL, g->count, sizeof *extents);
    for (size_t i = 0; i < g->count; i++) {
        layout_point point = graph_layout_measure(g, i, parents[i]);
        extents[i] = (crd_plot_extent){point.left, point.right};
    }
    crd_plot_layout *layout = graph_layout_lay_out(context, g, extents, width);
    if (layout != NULL) copy_points(out, g, layout, parents);
    bool fits = layout != NULL;
    crd_plot_layout_destroy(layout);
    crd_context_destroy(context);
    free(extents);
    free(parents);
    free(layers);
    return fits;
}

void graph_layout_free(graph_layout *l) {
    for (size_t i = 0; i < l->layer_count; i++) free(l->layers[i].points);
    free(l->layers);
    free(l->points);
    free(l->links);
    *l = (graph_layout){0};
}
