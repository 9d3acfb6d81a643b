/* SPDX-License-Identifier: MIT */
/* graph_layout.c - see graph_layout.h. Layers by longest paths, the order within layers by barycentres, and columns by
 * least squares: each point as near as order and widths allow to the mean of those that it is linked to. */
#include "core/graph_layout.h"

#include <stdlib.h>
#include <string.h>

/* ---- Layers ---- */

/* The nodes with parents before children, by directed arcs alone. */
static size_t *order_nodes(const graph *g) {
    size_t *order = memory_resize(NULL, g->count, sizeof *order), count = 0;
    size_t *open = memory_resize(NULL, g->count, sizeof *open);
    memset(open, 0, g->count * sizeof *open);
    for (size_t i = 0; i < g->arc_count; i++) open[g->arcs[i].to] += !g->arcs[i].is_undirected;
    for (size_t i = 0; i < g->count; i++)
        if (open[i] == 0) order[count++] = i;
    for (size_t at = 0; at < count; at++)
        for (size_t i = 0; i < g->arc_count; i++)
            if (g->arcs[i].from == order[at] && !g->arcs[i].is_undirected && --open[g->arcs[i].to] == 0)
                order[count++] = g->arcs[i].to;
    free(open);
    return order;
}

/* The arcs, each edge without a direction along the order of the nodes. */
static graph_arc *direct(const graph *g, const size_t *order) {
    graph_arc *arcs = memory_resize(NULL, g->arc_count, sizeof *arcs);
    size_t *place = memory_resize(NULL, g->count, sizeof *place);
    for (size_t i = 0; i < g->count; i++) place[order[i]] = i;
    for (size_t i = 0; i < g->arc_count; i++) {
        arcs[i] = g->arcs[i];
        if (!arcs[i].is_undirected || place[arcs[i].from] < place[arcs[i].to]) continue;
        arcs[i].from = g->arcs[i].to;
        arcs[i].to = g->arcs[i].from;
    }
    free(place);
    return arcs;
}

/* By longest paths from above; a node whose children are all further down, and which has fewer parents than children, is
 * moved down to them. */
static size_t *find_layers(const graph *g, const size_t *order, const graph_arc *arcs) {
    size_t *layers = memory_resize(NULL, g->count, sizeof *layers);
    memset(layers, 0, g->count * sizeof *layers);
    for (size_t at = 0; at < g->count; at++)
        for (size_t i = 0; i < g->arc_count; i++)
            if (arcs[i].from == order[at] && layers[arcs[i].to] <= layers[order[at]])
                layers[arcs[i].to] = layers[order[at]] + 1;
    for (size_t at = g->count; at-- > 0;) {
        size_t node = order[at], parents = 0, children = 0, nearest = SIZE_MAX;
        for (size_t i = 0; i < g->arc_count; i++) {
            parents += arcs[i].to == node;
            children += arcs[i].from == node;
            if (arcs[i].from == node && layers[arcs[i].to] < nearest) nearest = layers[arcs[i].to];
        }
        if (children > parents) layers[node] = nearest - 1;
    }
    return layers;
}

size_t *graph_layers(const graph *g) {
    size_t *order = order_nodes(g);
    graph_arc *arcs = direct(g, order);
    size_t *layers = find_layers(g, order, arcs);
    free(arcs);
    free(order);
    return layers;
}

/* ---- Points and links ---- */

static size_t add_point(graph_layout *l, size_t layer, layout_point point) {
    layout_layer *to = &l->layers[layer];
    l->points = memory_resize(l->points, l->point_count + 1, sizeof *l->points);
    l->points[l->point_count] = point;
    to->points = memory_resize(to->points, to->count + 1, sizeof *to->points);
    to->points[to->count++] = l->point_count;
    return l->point_count++;
}

static void add_link(graph_layout *l, size_t from, size_t to, bool is_undirected) {
    l->links = memory_resize(l->links, l->link_count + 1, sizeof *l->links);
    l->links[l->link_count++] = (layout_link){from, to, is_undirected};
}

/* The arcs of a node, layer by layer: `from` is where they are. */
static void link_children(graph_layout *l, size_t node, const graph_arc *arcs, size_t arc_count, const size_t *layers,
                          const size_t *points) {
    size_t furthest = layers[node], from = points[node];
    for (size_t i = 0; i < arc_count; i++)
        if (arcs[i].from == node && layers[arcs[i].to] > furthest) furthest = layers[arcs[i].to];
    for (size_t layer = layers[node] + 1; layer <= furthest; layer++) {
        for (size_t i = 0; i < arc_count; i++)
            if (arcs[i].from == node && layers[arcs[i].to] == layer)
                add_link(l, from, points[arcs[i].to], arcs[i].is_undirected);
        if (layer == furthest) break;
        size_t next = add_point(l, layer, (layout_point){.node = node, .is_passing = true});
        add_link(l, from, next, true);
        from = next;
    }
}

static void add_points(graph_layout *l, const graph *g, const graph_arc *arcs, const size_t *layers,
                       const size_t *order) {
    size_t *points = memory_resize(NULL, g->count, sizeof *points);
    for (size_t i = 0; i < g->count; i++)
        if (layers[i] + 1 > l->layer_count) l->layer_count = layers[i] + 1;
    l->layers = memory_resize(NULL, l->layer_count, sizeof *l->layers);
    for (size_t i = 0; i < l->layer_count; i++) l->layers[i] = (layout_layer){0};
    for (size_t i = 0; i < g->count; i++) {
        size_t node = order[i], parents = 0, width = text_width(g->names[node], strlen(g->names[node]));
        if (width == 0) width = 1;
        layout_point point = {.node = node, .name_left = (width - 1) / 2, .name_right = width / 2};
        for (size_t k = 0; k < g->arc_count; k++) parents += arcs[k].to == node;
        /* Each line that comes to it needs a column, and one between. */
        if (parents > 1 && 2 * parents - 1 > width) width = 2 * parents - 1;
        point.left = (width - 1) / 2;
        point.right = width / 2;
        points[node] = add_point(l, layers[node], point);
    }
    for (size_t i = 0; i < g->count; i++) link_children(l, order[i], arcs, g->arc_count, layers, points);
    free(points);
}

/* ---- The order within layers ---- */

static void number_places(const graph_layout *l, size_t *places) {
    for (size_t i = 0; i < l->layer_count; i++)
        for (size_t k = 0; k < l->layers[i].count; k++) places[l->layers[i].points[k]] = k;
}

static size_t count_crossings(const graph_layout *l, const size_t *places, const size_t *layer_of) {
    size_t crossings = 0;
    for (size_t i = 0; i < l->link_count; i++)
        for (size_t k = 0; k < i; k++) {
            const layout_link *a = &l->links[i], *b = &l->links[k];
            if (layer_of[a->from] != layer_of[b->from]) continue;
            crossings += (places[a->from] < places[b->from] && places[a->to] > places[b->to]) ||
                         (places[a->from] > places[b->from] && places[a->to] < places[b->to]);
        }
    return crossings;
}

/* Sorts a layer by what its points want; equal ones stay as they are. */
static void sort_layer(graph_layout *l, layout_layer *layer) {
    for (size_t i = 1; i < layer->count; i++) {
        size_t point = layer->points[i], at = i;
        for (; at > 0 && l->points[layer->points[at - 1]].wanted > l->points[point].wanted; at--)
            layer->points[at] = layer->points[at - 1];
        layer->points[at] = point;
    }
}

/* One layer by the mean place of what its points are linked to in the layer above, or below. */
static void order_layer(graph_layout *l, size_t layer, bool is_by_above, size_t *places) {
    layout_layer *own = &l->layers[layer];
    for (size_t i = 0; i < own->count; i++) {
        size_t point = own->points[i], links = 0;
        double sum = 0;
        for (size_t k = 0; k < l->link_count; k++) {
            const layout_link *link = &l->links[k];
            if ((is_by_above ? link->to : link->from) != point) continue;
            sum += (double)places[is_by_above ? link->from : link->to];
            links++;
        }
        l->points[point].wanted = links > 0 ? sum / (double)links : (double)places[point];
    }
    sort_layer(l, own);
    number_places(l, places);
}

static void order_layers(graph_layout *l) {
    enum { SWEEPS = 24 };
    size_t *places = memory_resize(NULL, l->point_count, sizeof *places);
    size_t *layer_of = memory_resize(NULL, l->point_count, sizeof *layer_of);
    size_t *best = memory_resize(NULL, l->point_count, sizeof *best);
    for (size_t i = 0; i < l->layer_count; i++)
        for (size_t k = 0; k < l->layers[i].count; k++) layer_of[l->layers[i].points[k]] = i;
    number_places(l, places);
    memcpy(best, places, l->point_count * sizeof *best);
    size_t least = count_crossings(l, places, layer_of);
    for (size_t sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
        for (size_t i = 1; i < l->layer_count; i++)
            order_layer(l, sweep % 2 == 0 ? i : l->layer_count - 1 - i, sweep % 2 == 0, places);
        size_t crossings = count_crossings(l, places, layer_of);
        if (crossings >= least) continue;
        least = crossings;
        memcpy(best, places, l->point_count * sizeof *best);
    }
    for (size_t i = 0; i < l->point_count; i++) l->points[i].wanted = (double)best[i];
    for (size_t i = 0; i < l->layer_count; i++) sort_layer(l, &l->layers[i]);
    free(places);
    free(layer_of);
    free(best);
}

/* ---- Columns ---- */

/* How far the middle of the point on the right is from that of the one on the left at least. */
static size_t distance(const layout_point *left, const layout_point *right) {
    enum { BETWEEN_NAMES = 3, BETWEEN_LINES = 2 };
    bool are_names = !left->is_passing && !right->is_passing;
    return left->right + right->left + (are_names ? BETWEEN_NAMES : BETWEEN_LINES);
}

/* Puts the points of a layer where the sum of squares of their distances from what they want is least, in their order:
 * without the distances that they keep it is a regression that never falls, found by pooling adjacent violators. False
 * where they do not fit. */
static bool place_layer(graph_layout *l, const layout_layer *layer, size_t width) {
    const size_t count = layer->count;
    if (count == 0) return true;
    size_t *offsets = memory_resize(NULL, count, sizeof *offsets);
    double *means = memory_resize(NULL, count, sizeof *means);
    size_t *sizes = memory_resize(NULL, count, sizeof *sizes), pools = 0;
    offsets[0] = l->points[layer->points[0]].left;
    for (size_t i = 1; i < count; i++)
        offsets[i] = offsets[i - 1] + distance(&l->points[layer->points[i - 1]], &l->points[layer->points[i]]);
    size_t needed = offsets[count - 1] + l->points[layer->points[count - 1]].right + 1;
    for (size_t i = 0; i < count; i++) {
        means[pools] = l->points[layer->points[i]].wanted - (double)offsets[i];
        sizes[pools++] = 1;
        for (; pools > 1 && means[pools - 2] > means[pools - 1]; pools--) {
            double sum = means[pools - 2] * (double)sizes[pools - 2] + means[pools - 1] * (double)sizes[pools - 1];
            sizes[pools - 2] += sizes[pools - 1];
            means[pools - 2] = sum / (double)sizes[pools - 2];
        }
    }
    for (size_t pool = 0, i = 0; needed <= width && pool < pools; pool++) {
        double most = (double)(width - needed), at = means[pool] < 0 ? 0 : means[pool] > most ? most : means[pool];
        for (size_t k = 0; k < sizes[pool]; k++, i++)
            l->points[layer->points[i]].at = (int)(at + 0.5) + (int)offsets[i];
    }
    free(offsets);
    free(means);
    free(sizes);
    return needed <= width;
}

/* What the points of a layer want: the mean of the columns of those that they are linked to, above, below, or both. Lines
 * that pass count more, so that they are straight. */
static void find_wanted(graph_layout *l, const layout_layer *layer, bool by_above, bool by_below) {
    enum { WEIGHT_OF_PASSING = 4 };
    for (size_t i = 0; i < layer->count; i++) {
        size_t point = layer->points[i];
        double sum = 0, weights = 0;
        for (size_t k = 0; k < l->link_count; k++) {
            const layout_link *link = &l->links[k];
            bool is_down = link->from == point && by_below;
            if (!is_down && !(link->to == point && by_above)) continue;
            const layout_point *other = &l->points[is_down ? link->to : link->from];
            double weight = other->is_passing && l->points[point].is_passing ? WEIGHT_OF_PASSING : 1;
            sum += weight * other->at;
            weights += weight;
        }
        l->points[point].wanted = weights > 0 ? sum / weights : l->points[point].at;
    }
}

static bool place_points(graph_layout *l, size_t width) {
    enum { SWEEPS = 12 };
    for (size_t i = 0; i < l->point_count; i++) l->points[i].wanted = 0;
    for (size_t i = 0; i < l->layer_count; i++)
        if (!place_layer(l, &l->layers[i], width)) return false;
    for (size_t sweep = 0; sweep <= SWEEPS; sweep++) {
        bool is_down = sweep % 2 == 0, is_last = sweep + 2 > SWEEPS;
        for (size_t i = 0; i < l->layer_count; i++) {
            const layout_layer *layer = &l->layers[is_down ? i : l->layer_count - 1 - i];
            find_wanted(l, layer, is_down || is_last, !is_down || is_last);
            place_layer(l, layer, width);
        }
    }
    return true;
}

/* Moves all to the left as far as there is room. */
static void move_left(graph_layout *l) {
    int least = 0;
    for (size_t i = 0; i < l->point_count; i++) {
        int left = l->points[i].at - (int)l->points[i].left;
        if (i == 0 || left < least) least = left;
    }
    for (size_t i = 0; i < l->point_count; i++) l->points[i].at -= least;
}

bool graph_lay_out(const graph *g, size_t width, graph_layout *out) {
    *out = (graph_layout){0};
    size_t *order = order_nodes(g);
    graph_arc *arcs = direct(g, order);
    size_t *layers = find_layers(g, order, arcs);
    add_points(out, g, arcs, layers, order);
    free(layers);
    free(arcs);
    free(order);
    order_layers(out);
    bool fits = place_points(out, width);
    if (fits) move_left(out);
    return fits;
}

void graph_layout_free(graph_layout *l) {
    for (size_t i = 0; i < l->layer_count; i++) free(l->layers[i].points);
    free(l->layers);
    free(l->points);
    free(l->links);
    *l = (graph_layout){0};
}
