/* SPDX-License-Identifier: MIT */
/* plot_layout.c - computes a layered graph layout (Sugiyama, Tagawa and Toda 1981); see crd_plot_layout_create.
 *
 * Layers are assigned by longest paths. The order within layers is found by barycenters. Horizontal places are found by
 * least squares: each point is as close to the mean of its neighbors as order and widths allow. A sweep over all layers
 * takes time linear in points and links.
 *
 * Contents:
 *   1. Layers
 *   2. Points and links
 *   3. Order within layers
 *   4. Horizontal places
 *   5. Layout */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <credence/plot.h>

#include <string.h>

enum { MOST_POINTS = 1000000 };

/* Items grouped by owner: the items of owner i are items[starts[i]] to items[starts[i + 1] - 1]. */
typedef struct layout_grouping {
    size_t *starts, *items;
} layout_grouping;

/* Working memory for the computation of a layout. */
typedef struct layout_work {
    crd_i_arena *arena;
    const crd_plot_extent *extents;
    size_t node_count;
    crd_plot_arc *arcs; /* the arcs, each directed along the order of the nodes */
    size_t arc_count;
    crd_plot_layout_options options;
    size_t *order, *layers; /* for nodes */
    layout_grouping out;    /* arcs, grouped by the node where they start */
    /* links, grouped by the point where they end (above) and by the point where they start (below) */
    layout_grouping above, below;
    /* for each point: the desired position, first as a rank in its layer, later in the units of the extents */
    double *wanted;
    double *cursor;
    size_t *places, *best;
    size_t *offsets, *sizes;
    double *means;
} layout_work;

/* Groups `count` items by owner and keeps their order. Returns false if memory runs out. */
static bool plot_layout_group(crd_i_arena *arena, size_t owners, size_t count,
                              size_t (*owner_of)(const void *items, size_t item), const void *items,
                              layout_grouping *out) {
    out->starts = crd_i_arena_alloc_zeroed(arena, owners + 2, sizeof *out->starts);
    out->items = crd_i_arena_alloc(arena, count, sizeof *out->items);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t i = 0; i < count; i++) out->starts[owner_of(items, i) + 2]++;
    for (size_t i = 2; i < owners + 2; i++) out->starts[i] += out->starts[i - 1];
    for (size_t i = 0; i < count; i++) out->items[out->starts[owner_of(items, i) + 1]++] = i;
    return true;
}

static size_t arc_from(const void *items, size_t item) {
    return ((const crd_plot_arc *)items)[item].from;
}

static size_t link_from(const void *items, size_t item) {
    return ((const crd_plot_link *)items)[item].from;
}

static size_t link_to(const void *items, size_t item) {
    return ((const crd_plot_link *)items)[item].to;
}

/* ======== 1. Layers ======== */

/* Sorts the nodes topologically by directed arcs. Fails with CRD_ERROR_CYCLE if there is a directed cycle. */
static crd_status order_nodes(layout_work *work, crd_error *error) {
    const size_t nodes = work->node_count;
    layout_grouping out = {NULL, NULL};
    size_t *open = crd_i_arena_alloc_zeroed(work->arena, nodes, sizeof *open), count = 0;
    work->order = crd_i_arena_alloc(work->arena, nodes, sizeof *work->order);
    if (!plot_layout_group(work->arena, nodes, work->arc_count, arc_from, work->arcs, &out))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < work->arc_count; i++) open[work->arcs[i].to] += !work->arcs[i].is_undirected;
    for (size_t i = 0; i < nodes; i++)
        if (open[i] == 0) work->order[count++] = i;
    for (size_t index = 0; index < count; index++)
        for (size_t k = out.starts[work->order[index]]; k < out.starts[work->order[index] + 1]; k++) {
            const crd_plot_arc *arc = &work->arcs[out.items[k]];
            if (!arc->is_undirected && --open[arc->to] == 0) work->order[count++] = arc->to;
        }
    return count < nodes ? crd_i_fail(error, CRD_ERROR_CYCLE, "the graph has a directed cycle") : CRD_OK;
}

/* Directs undirected edges along the order of the nodes, and groups all arcs by their start. Returns false if memory
 * runs out. */
static bool plot_layout_direct(layout_work *work) {
    size_t *place = crd_i_arena_alloc(work->arena, work->node_count, sizeof *place);
    if (place == NULL) return false;
    for (size_t i = 0; i < work->node_count; i++) place[work->order[i]] = i;
    for (size_t i = 0; i < work->arc_count; i++) {
        crd_plot_arc *arc = &work->arcs[i];
        if (!arc->is_undirected || place[arc->from] < place[arc->to]) continue;
        size_t first = arc->from;
        arc->from = arc->to;
        arc->to = first;
    }
    return plot_layout_group(work->arena, work->node_count, work->arc_count, arc_from, work->arcs, &work->out);
}

/* Assigns layers by longest paths from the top. Then a node with more children than parents moves down to just above
 * its nearest child. Returns false if memory runs out. */
static bool find_layers(layout_work *work) {
    size_t *parents = crd_i_arena_alloc_zeroed(work->arena, work->node_count, sizeof *parents);
    size_t *layers = work->layers = crd_i_arena_alloc_zeroed(work->arena, work->node_count, sizeof *layers);
    if (layers == NULL) return false;
    for (size_t i = 0; i < work->arc_count; i++) parents[work->arcs[i].to]++;
    for (size_t index = 0; index < work->node_count; index++) {
        size_t node = work->order[index];
        for (size_t k = work->out.starts[node]; k < work->out.starts[node + 1]; k++) {
            size_t child = work->arcs[work->out.items[k]].to;
            if (layers[child] <= layers[node]) layers[child] = layers[node] + 1;
        }
    }
    for (size_t index = work->node_count; index-- > 0;) {
        size_t node = work->order[index], children = work->out.starts[node + 1] - work->out.starts[node],
               nearest = SIZE_MAX;
        for (size_t k = work->out.starts[node]; k < work->out.starts[node + 1]; k++) {
            size_t child = work->arcs[work->out.items[k]].to;
            if (layers[child] < nearest) nearest = layers[child];
        }
        if (children > parents[node]) layers[node] = nearest - 1;
    }
    return true;
}

/* Narrows layers that are too wide: nodes without children move to the next layer, starting with the last in the order.
 * Returns false if memory runs out. */
static bool narrow_layers(layout_work *work) {
    const size_t most = work->options.layer_width;
    size_t *widths = crd_i_arena_alloc_zeroed(work->arena, 2 * work->node_count, sizeof *widths), deepest = 0;
    if (widths == NULL) return false;
    for (size_t i = 0; i < work->node_count; i++) {
        widths[work->layers[i]] += work->extents[i].left + work->extents[i].right + work->options.node_gap;
        if (work->layers[i] > deepest) deepest = work->layers[i];
    }
    for (size_t layer = 0; layer <= deepest; layer++)
        for (size_t index = work->node_count; widths[layer] > most && index-- > 0;) {
            size_t node = work->order[index];
            size_t width = work->extents[node].left + work->extents[node].right + work->options.node_gap;
            if (work->layers[node] != layer || work->out.starts[node] < work->out.starts[node + 1] ||
                widths[layer] == width)
                continue;
            work->layers[node]++;
            widths[layer] -= width;
            widths[layer + 1] += width;
            if (layer == deepest) deepest++;
        }
    return true;
}

/* ======== 2. Points and links ======== */

static bool plot_layout_add_point(crd_plot_layout *l, crd_plot_point point) {
    if (!crd_i_reserve(l->context, &l->points, &l->point_room, l->point_count + 1, sizeof *l->points)) return false;
    l->points[l->point_count++] = point;
    return true;
}

static bool add_link(crd_plot_layout *l, crd_plot_link link) {
    if (!crd_i_reserve(l->context, &l->links, &l->link_room, l->link_count + 1, sizeof *l->links)) return false;
    l->links[l->link_count++] = link;
    return true;
}

/* Adds the links of a node's arcs, layer by layer. Arcs that cross a layer share one passing point in it. */
static crd_status link_children(crd_plot_layout *l, const layout_work *work, size_t node, crd_error *error) {
    const size_t first = work->out.starts[node], end = work->out.starts[node + 1], *layers = work->layers;
    size_t furthest = layers[node], start = node;
    for (size_t k = first; k < end; k++) {
        size_t layer = layers[work->arcs[work->out.items[k]].to];
        if (layer > furthest) furthest = layer;
    }
    for (size_t layer = layers[node] + 1; layer <= furthest; layer++) {
        for (size_t k = first; k < end; k++) {
            size_t number = work->out.items[k];
            const crd_plot_arc *arc = &work->arcs[number];
            if (layers[arc->to] == layer &&
                !add_link(l, (crd_plot_link){start, arc->to, arc->is_undirected != 0, number}))
                return crd_i_fail_memory(error);
        }
        if (layer == furthest) break;
        size_t next = l->point_count;
        if (next >= MOST_POINTS + work->node_count)
            return crd_i_fail(error, CRD_ERROR_LIMIT, "arcs of the graph cross layers at more than %d points",
                              MOST_POINTS);
        if (!plot_layout_add_point(l, (crd_plot_point){node, 1, layer, 0}) ||
            !add_link(l, (crd_plot_link){start, next, 1, CRD_NONE}))
            return crd_i_fail_memory(error);
        start = next;
    }
    return CRD_OK;
}

/* Creates the layers: first their nodes in topological order, then the passing points. Returns false if memory runs
 * out. */
static bool fill_layers(crd_plot_layout *l, const layout_work *work) {
    l->layers = crd_i_arena_alloc_zeroed(l->arena, l->layer_count, sizeof *l->layers);
    size_t *layered = crd_i_arena_alloc(l->arena, l->point_count, sizeof *layered);
    if (layered == NULL) return false;
    for (size_t i = 0; i < l->point_count; i++) l->layers[l->points[i].layer].count++;
    for (size_t i = 0, used = 0; i < l->layer_count; i++) {
        l->layers[i].points = layered + used;
        used += l->layers[i].count;
        l->layers[i].count = 0;
    }
    for (size_t i = 0; i < l->point_count; i++) {
        size_t point = i < work->node_count ? work->order[i] : i;
        crd_plot_layer *layer = &l->layers[l->points[point].layer];
        layer->points[layer->count++] = point;
    }
    return true;
}

static crd_status plot_layout_add_points(crd_plot_layout *l, const layout_work *work, crd_error *error) {
    for (size_t i = 0; i < work->node_count; i++) {
        if (!plot_layout_add_point(l, (crd_plot_point){i, 0, work->layers[i], 0})) return crd_i_fail_memory(error);
        if (work->layers[i] + 1 > l->layer_count) l->layer_count = work->layers[i] + 1;
    }
    for (size_t i = 0; i < work->node_count; i++) {
        crd_status status = link_children(l, work, work->order[i], error);
        if (status != CRD_OK) return status;
    }
    return fill_layers(l, work) ? CRD_OK : crd_i_fail_memory(error);
}

/* ======== 3. Order within layers ======== */

static void number_places(const crd_plot_layer *layer, size_t *places) {
    for (size_t i = 0; i < layer->count; i++) places[layer->points[i]] = i;
}

/* Counts the crossings between a layer and the next: pairs of links whose lower ends are in the opposite order of their
 * upper ends. Uses a binary indexed tree over the lower places of the links that start further left (Barth, Juenger and
 * Mutzel 2002). */
static size_t count_crossings_below(const crd_plot_layout *l, const layout_work *work, size_t layer, size_t *tree) {
    const crd_plot_layer *own_points = &l->layers[layer];
    const size_t width = l->layers[layer + 1].count;
    size_t crossings = 0, seen = 0;
    memset(tree, 0, (width + 1) * sizeof *tree);
    for (size_t i = 0; i < own_points->count; i++) {
        const size_t first = work->below.starts[own_points->points[i]],
                     end = work->below.starts[own_points->points[i] + 1];
        for (size_t k = first; k < end; k++) {
            size_t not_beyond = 0;
            for (size_t index = work->places[l->links[work->below.items[k]].to] + 1; index > 0; index &= index - 1)
                not_beyond += tree[index];
            crossings += seen - not_beyond;
        }
        for (size_t k = first; k < end; k++, seen++)
            for (size_t index = work->places[l->links[work->below.items[k]].to] + 1; index <= width;
                 index += index & (~index + 1))
                tree[index]++;
    }
    return crossings;
}

static size_t count_crossings(const crd_plot_layout *l, const layout_work *work) {
    size_t crossings = 0;
    for (size_t i = 0; i + 1 < l->layer_count; i++) crossings += count_crossings_below(l, work, i, work->offsets);
    return crossings;
}

/* Sorts a layer by the desired positions of its points. The sort is stable. */
static void sort_layer(const layout_work *work, crd_plot_layer *layer) {
    for (size_t i = 1; i < layer->count; i++) {
        size_t point = layer->points[i], index = i;
        for (; index > 0 && work->wanted[layer->points[index - 1]] > work->wanted[point]; index--)
            layer->points[index] = layer->points[index - 1];
        layer->points[index] = point;
    }
}

/* Orders a layer by barycenters: the mean place of each point's neighbors in the layer above, or below. */
static void order_layer(crd_plot_layout *l, const layout_work *work, size_t layer, bool is_by_above) {
    crd_plot_layer *own_points = &l->layers[layer];
    const layout_grouping *grouping = is_by_above ? &work->above : &work->below;
    for (size_t i = 0; i < own_points->count; i++) {
        size_t point = own_points->points[i], links = grouping->starts[point + 1] - grouping->starts[point];
        double sum = 0;
        for (size_t k = grouping->starts[point]; k < grouping->starts[point + 1]; k++) {
            const crd_plot_link *link = &l->links[grouping->items[k]];
            sum += (double)work->places[is_by_above ? link->from : link->to];
        }
        work->wanted[point] = links > 0 ? sum / (double)links : (double)work->places[point];
    }
    sort_layer(work, own_points);
    number_places(own_points, work->places);
}

/* Orders all layers by alternating downward and upward sweeps. Keeps the order with the fewest crossings. */
static void order_layers(crd_plot_layout *l, layout_work *work) {
    enum { SWEEPS = 24 };
    for (size_t i = 0; i < l->layer_count; i++) number_places(&l->layers[i], work->places);
    memcpy(work->best, work->places, l->point_count * sizeof *work->best);
    size_t least = count_crossings(l, work);
    for (size_t sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
        for (size_t i = 1; i < l->layer_count; i++)
            order_layer(l, work, sweep % 2 == 0 ? i : l->layer_count - 1 - i, sweep % 2 == 0);
        size_t crossings = count_crossings(l, work);
        if (crossings >= least) continue;
        least = crossings;
        memcpy(work->best, work->places, l->point_count * sizeof *work->best);
    }
    for (size_t i = 0; i < l->point_count; i++) work->wanted[i] = (double)work->best[i];
    for (size_t i = 0; i < l->layer_count; i++) sort_layer(work, &l->layers[i]);
}

/* ======== 4. Horizontal places ======== */

static crd_plot_extent plot_layout_extent(const crd_plot_layout *l, const layout_work *work, size_t point) {
    return l->points[point].is_passing ? (crd_plot_extent){0, 0} : work->extents[l->points[point].node];
}

/* Returns the minimum distance between the centers of two adjacent points. */
static size_t plot_layout_distance(const crd_plot_layout *l, const layout_work *work, size_t left, size_t right) {
    bool are_nodes = !l->points[left].is_passing && !l->points[right].is_passing;
    return plot_layout_extent(l, work, left).right + plot_layout_extent(l, work, right).left +
           (are_nodes ? work->options.node_gap : work->options.line_gap);
}

/* Returns the width that a layer needs. Sets work->offsets to the positions of its points when they are packed as
 * closely as possible. */
static size_t plot_layout_find_offsets(const crd_plot_layout *l, const layout_work *work, const crd_plot_layer *layer) {
    if (layer->count == 0) return 0;
    size_t *offsets = work->offsets;
    offsets[0] = plot_layout_extent(l, work, layer->points[0]).left;
    for (size_t i = 1; i < layer->count; i++)
        offsets[i] = offsets[i - 1] + plot_layout_distance(l, work, layer->points[i - 1], layer->points[i]);
    return offsets[layer->count - 1] + plot_layout_extent(l, work, layer->points[layer->count - 1]).right + 1;
}

/* Places the points of a layer in their order. Minimizes the sum of squared distances from their desired positions.
 * After the minimum distances are subtracted, this is isotonic regression, solved by pooling adjacent violators (Ayer
 * et al. 1955). */
static void place_layer(const crd_plot_layout *l, const layout_work *work, const crd_plot_layer *layer) {
    size_t needed = plot_layout_find_offsets(l, work, layer), pools = 0, *sizes = work->sizes;
    double *means = work->means;
    for (size_t i = 0; i < layer->count; i++) {
        means[pools] = work->wanted[layer->points[i]] - (double)work->offsets[i];
        sizes[pools++] = 1;
        for (; pools > 1 && means[pools - 2] > means[pools - 1]; pools--) {
            double sum = means[pools - 2] * (double)sizes[pools - 2] + means[pools - 1] * (double)sizes[pools - 1];
            sizes[pools - 2] += sizes[pools - 1];
            means[pools - 2] = sum / (double)sizes[pools - 2];
        }
    }
    double most = (double)(work->options.width - needed);
    for (size_t pool = 0, i = 0; pool < pools; pool++) {
        double position = means[pool] < 0 ? 0 : means[pool] > most ? most : means[pool];
        for (size_t k = 0; k < sizes[pool]; k++, i++)
            work->cursor[layer->points[i]] = (double)((size_t)(position + 0.5) + work->offsets[i]);
    }
}

/* Computes the desired positions of a layer's points: the mean position of their neighbors above, below, or both. Links
 * between two passing points have more weight, which keeps long lines straight. */
static void find_wanted(const crd_plot_layout *l, const layout_work *work, const crd_plot_layer *layer, bool by_above,
                        bool by_below) {
    enum { WEIGHT_OF_PASSING = 4 };
    for (size_t i = 0; i < layer->count; i++) {
        size_t point = layer->points[i];
        double sum = 0, weights = 0;
        for (int is_down = by_above ? 0 : 1; is_down <= (by_below ? 1 : 0); is_down++) {
            const layout_grouping *grouping = is_down ? &work->below : &work->above;
            for (size_t k = grouping->starts[point]; k < grouping->starts[point + 1]; k++) {
                size_t other = is_down ? l->links[grouping->items[k]].to : l->links[grouping->items[k]].from;
                double weight = l->points[other].is_passing && l->points[point].is_passing ? WEIGHT_OF_PASSING : 1;
                sum += weight * work->cursor[other];
                weights += weight;
            }
        }
        work->wanted[point] = weights > 0 ? sum / weights : work->cursor[point];
    }
}

/* Computes the positions of all points in alternating sweeps. Returns false if a layer is wider than the options
 * allow. */
static bool place_points(crd_plot_layout *l, layout_work *work) {
    enum { SWEEPS = 12 };
    size_t widest = 0;
    for (size_t i = 0; i < l->layer_count; i++) {
        size_t needed = plot_layout_find_offsets(l, work, &l->layers[i]);
        if (needed > widest) widest = needed;
    }
    if (work->options.width == 0) work->options.width = widest;
    if (widest > work->options.width) return false;
    for (size_t i = 0; i < l->point_count; i++) work->wanted[i] = 0;
    for (size_t i = 0; i < l->layer_count; i++) place_layer(l, work, &l->layers[i]);
    for (size_t sweep = 0; sweep <= SWEEPS; sweep++) {
        bool is_down = sweep % 2 == 0, is_last = sweep + 2 > SWEEPS;
        for (size_t i = 0; i < l->layer_count; i++) {
            const crd_plot_layer *layer = &l->layers[is_down ? i : l->layer_count - 1 - i];
            find_wanted(l, work, layer, is_down || is_last, !is_down || is_last);
            place_layer(l, work, layer);
        }
    }
    return true;
}

/* Shifts all points left as far as possible, and stores their positions. */
static void move_left(crd_plot_layout *l, const layout_work *work) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < l->point_count; i++) {
        size_t left = (size_t)work->cursor[i] - plot_layout_extent(l, work, i).left;
        if (left < least) least = left;
    }
    for (size_t i = 0; i < l->point_count; i++) l->points[i].at = (size_t)work->cursor[i] - least;
}

/* ======== 5. Layout ======== */

/* Allocates the working memory for ordering and placing. Returns false if memory runs out. */
static bool plot_layout_make_room(layout_work *work, const crd_plot_layout *l) {
    const size_t points = l->point_count;
    work->wanted = crd_i_arena_alloc_zeroed(work->arena, points, sizeof *work->wanted);
    work->cursor = crd_i_arena_alloc_zeroed(work->arena, points, sizeof *work->cursor);
    work->places = crd_i_arena_alloc_zeroed(work->arena, points, sizeof *work->places);
    work->best = crd_i_arena_alloc_zeroed(work->arena, points, sizeof *work->best);
    work->offsets = crd_i_arena_alloc_zeroed(work->arena, points + 1, sizeof *work->offsets);
    work->sizes = crd_i_arena_alloc_zeroed(work->arena, points, sizeof *work->sizes);
    work->means = crd_i_arena_alloc_zeroed(work->arena, points, sizeof *work->means);
    return plot_layout_group(work->arena, points, l->link_count, link_to, l->links, &work->above) &&
           plot_layout_group(work->arena, points, l->link_count, link_from, l->links, &work->below);
}

/* Runs all steps of the layout: topological order, layers, points and links, order within layers, and positions. */
static crd_status plot_layout_lay_out(crd_plot_layout *l, layout_work *work, crd_error *error) {
    crd_status status = order_nodes(work, error);
    if (status != CRD_OK) return status;
    if (!plot_layout_direct(work) || !find_layers(work) || (work->options.layer_width > 0 && !narrow_layers(work)))
        return crd_i_fail_memory(error);
    status = plot_layout_add_points(l, work, error);
    if (status != CRD_OK) return status;
    if (!plot_layout_make_room(work, l)) return crd_i_fail_memory(error);
    order_layers(l, work);
    if (!place_points(l, work))
        return crd_i_fail(error, CRD_ERROR_LIMIT, "the graph is wider than %zu", work->options.width);
    move_left(l, work);
    return CRD_OK;
}

static crd_status copy_arcs(layout_work *work, const crd_plot_arc *arcs, crd_error *error) {
    for (size_t i = 0; i < work->arc_count; i++)
        if (arcs[i].from >= work->node_count || arcs[i].to >= work->node_count || arcs[i].from == arcs[i].to)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                              "arc %zu goes from node %zu to node %zu, but there are %zu nodes", i, arcs[i].from,
                              arcs[i].to, work->node_count);
    work->arcs = crd_i_arena_copy(work->arena, arcs, work->arc_count, sizeof *arcs);
    return crd_i_arena_check(work->arena, error);
}

crd_status crd_plot_layout_create(crd_context *context, const crd_plot_extent *nodes, size_t node_count,
                                  const crd_plot_arc *arcs, size_t arc_count, const crd_plot_layout_options *options,
                                  crd_plot_layout **out, crd_error *error) {
    *out = NULL;
    layout_work work = {.extents = nodes, .node_count = node_count, .arc_count = arc_count};
    work.options = (crd_plot_layout_options)CRD_PLOT_LAYOUT_OPTIONS_INIT;
    if (options != NULL && !crd_i_copy_in(options, &work.options, sizeof work.options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options of a layout have no size");
    crd_plot_layout *l = crd_i_arena_object(context, sizeof *l);
    if (l == NULL) return crd_i_fail_memory(error);
    l->context = context;
    work.arena = crd_i_arena_create(context);
    crd_status status = copy_arcs(&work, arcs, error);
    if (status == CRD_OK) status = plot_layout_lay_out(l, &work, error);
    crd_i_arena_destroy(work.arena);
    if (status == CRD_OK) *out = l;
    else crd_plot_layout_destroy(l);
    return status;
}

void crd_plot_layout_destroy(crd_plot_layout *layout) {
    if (layout == NULL) return;
    crd_free(layout->context, layout->points);
    crd_free(layout->context, layout->links);
    crd_i_arena_destroy(layout->arena);
}
