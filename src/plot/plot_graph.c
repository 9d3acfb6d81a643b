/* SPDX-License-Identifier: MIT */
/* plot_graph.c - draws a network as a layered graph, with a box for each node and bars for its beliefs. */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 12,
    NAME_ROW = 22,
    NOTE_ROW = 15,
    STATE_ROW = 16,
    PADDING = 9,
    LAYER_GAP = 46,
    NODE_GAP = 28,
    LEAST_BAR = 46,
    PERCENT = 50,
    MOST_NODES = 10000,
    MOST_ARCS = 100000
};

/* The box of a node. */
typedef struct node_box {
    crd_plot_node node;
    size_t shown;  /* number of states shown: the most probable ones if there are too many, and the observed one */
    double least;  /* smallest belief that is shown */
    size_t equals; /* number of states with exactly this belief that are shown, in their order */
    double width, height, x, y;
} node_box;

typedef struct graph_picture {
    crd_context *context;
    crd_i_arena *arena;
    crd_i_svg svg;
    crd_plot_graph graph;
    size_t max_states;
    node_box *boxes;
    crd_plot_extent *extents;
    double *tops, *bottoms; /* y positions of each layer */
    double *ends;           /* for each link: the distance of its end from the middle of the node where it ends */
    crd_plot_layout *layout;
} graph_picture;

static double belief_of(const node_box *box, size_t state) {
    double belief = box->node.beliefs[state];
    return isnan(belief) ? -1 : belief;
}

/* Finds the smallest belief that is shown, going down from the largest until there are enough states. */
static void choose_states(node_box *box) {
    const crd_plot_node *node = &box->node;
    box->least = -INFINITY;
    if (box->shown == node->state_count) return;
    size_t missing = box->shown - (node->evidence < node->state_count ? 1 : 0);
    double bound = INFINITY;
    while (missing > 0) {
        size_t count = 0;
        box->least = -INFINITY;
        for (size_t i = 0; i < node->state_count; i++) {
            double belief = belief_of(box, i);
            if (i == node->evidence || !(belief < bound) || belief < box->least) continue;
            count = belief > box->least ? 1 : count + 1;
            box->least = belief;
        }
        if (count == 0) break;
        box->equals = count < missing ? count : missing;
        missing -= box->equals;
        bound = box->least;
    }
    if (box->shown > 0 && missing == 0 && bound == INFINITY) box->least = INFINITY;
}

/* Computes the number of shown states and the size of a box. */
static void plot_graph_measure(node_box *box, size_t max_states) {
    enum { LEAST = 70, MOST = 190, STATE_NAME = 80 };
    const crd_plot_node *node = &box->node;
    double width = fmax(crd_i_svg_text_width(node->name) * 1.08, crd_i_svg_text_width(node->note)), states = 0;
    box->shown = node->beliefs == NULL ? 0 : node->state_count < max_states ? node->state_count : max_states;
    for (size_t i = 0; box->shown > 0 && i < node->state_count; i++)
        states = fmax(states, crd_i_svg_text_width(node->states[i]));
    if (box->shown > 0) width = fmax(width, fmin(states, STATE_NAME) + 6 + LEAST_BAR + PERCENT);
    box->width = fmax(LEAST, fmin(MOST, width)) + 2 * PADDING;
    box->height = NAME_ROW + (node->note.length > 0 ? NOTE_ROW : 0) + STATE_ROW * (double)box->shown +
                  (box->shown > 0 ? PADDING : 0);
    if (box->shown > 0 && box->shown < node->state_count) box->height += STATE_ROW;
}

/* ---- Boxes ---- */

/* Draws the frame of a box: a hexagon for a utility, a rounded rectangle for a chance node, otherwise a rectangle. */
static void draw_frame(crd_i_svg *svg, const node_box *box) {
    const char *class_name = box->node.is_target ? "crd-target" : "crd-box";
    double right = box->x + box->width, bottom = box->y + box->height, middle = box->y + box->height / 2;
    if (box->node.kind == CRD_PLOT_UTILITY) {
        crd_i_svg_open_path(svg, class_name, CRD_NONE);
        crd_i_svg_point(svg, 'M', box->x - 8, middle);
        crd_i_svg_point(svg, 'L', box->x, box->y);
        crd_i_svg_point(svg, 'L', right, box->y);
        crd_i_svg_point(svg, 'L', right + 8, middle);
        crd_i_svg_point(svg, 'L', right, bottom);
        crd_i_svg_point(svg, 'L', box->x, bottom);
        crd_i_svg_add(svg, "Z");
        crd_i_svg_close_path(svg);
        return;
    }
    if (box->node.kind == CRD_PLOT_CHANCE) crd_i_svg_add(svg, "<g class=\"crd-round\">");
    crd_i_svg_rect(svg, class_name, CRD_NONE, box->x, box->y, box->width, box->height);
    if (box->node.kind == CRD_PLOT_CHANCE) crd_i_svg_add(svg, "</g>");
}

static void plot_graph_draw_state(crd_i_svg *svg, const node_box *box, size_t state, double y, double names) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double belief = box->node.beliefs[state], x = box->x + PADDING + names + 6,
           bar = box->width - 2 * PADDING - names - 6 - PERCENT;
    bool is_observed = box->node.evidence == state;
    crd_i_svg_label(svg, is_observed ? "crd-strong" : "", CRD_I_SVG_START, box->x + PADDING, y + 12,
                    box->node.states[state], names + 1);
    crd_i_svg_rect(svg, "crd-track", CRD_NONE, x, y + 3, bar, STATE_ROW - 6);
    if (belief > 0) crd_i_svg_rect(svg, "crd-f", is_observed ? 1 : 0, x, y + 3, bar * fmin(belief, 1), STATE_ROW - 6);
    crd_i_svg_label(svg, is_observed ? "crd-strong" : "crd-soft", CRD_I_SVG_END, box->x + box->width - PADDING, y + 12,
                    crd_text_of(crd_i_plot_percent(belief, text)), 0);
}

/* Returns the first state that is shown, starting at `state`, or state_count if there is none. *equals counts the shown
 * states with exactly the smallest belief. */
static size_t next_shown(const node_box *box, size_t state, size_t *equals) {
    for (; state < box->node.state_count; state++) {
        double belief = belief_of(box, state);
        if (state == box->node.evidence || belief > box->least) break;
        if (belief == box->least && *equals < box->equals) {
            ++*equals;
            break;
        }
    }
    return state;
}

/* Draws the bars of the shown states, and the number of other states. */
static void draw_states(crd_i_svg *svg, const node_box *box, double y) {
    const crd_plot_node *node = &box->node;
    double names = 0;
    size_t equals = 0;
    for (size_t i = next_shown(box, 0, &equals); i < node->state_count; i = next_shown(box, i + 1, &equals))
        names = fmax(names, crd_i_svg_text_width(node->states[i]));
    names = fmin(names, box->width - 2 * PADDING - 6 - LEAST_BAR - PERCENT);
    equals = 0;
    for (size_t i = next_shown(box, 0, &equals); i < node->state_count;
         i = next_shown(box, i + 1, &equals), y += STATE_ROW)
        plot_graph_draw_state(svg, box, i, y, names);
    if (box->shown == node->state_count) return;
    char text[CRD_I_PLOT_NUMBER_ROOM + 8];
    crd_i_plot_number((double)(node->state_count - box->shown), text);
    memcpy(text + strlen(text), " more", sizeof " more");
    crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, box->x + PADDING, y + 11, crd_text_of(text), 0);
}

/* Draws a node: its frame, name, note and states, and a mark if it has evidence. */
static void draw_box(crd_i_svg *svg, const node_box *box) {
    const crd_plot_node *node = &box->node;
    double y = box->y + NAME_ROW, inner = box->width - 2 * PADDING;
    bool is_given = node->has_evidence || node->evidence != CRD_NONE;
    crd_i_svg_open_group(svg, node->name);
    draw_frame(svg, box);
    crd_i_svg_label(svg, "crd-strong", CRD_I_SVG_MIDDLE, box->x + box->width / 2, box->y + 15, node->name, inner);
    if (is_given) crd_i_svg_rect(svg, "crd-f", 1, box->x, box->y, 4, box->height);
    if (node->note.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, box->x + box->width / 2, y + 8, node->note, inner);
        y += NOTE_ROW;
    }
    if (box->shown > 0) draw_states(svg, box, y);
    crd_i_svg_close_group(svg);
}

/* ---- Lines ---- */

static void draw_head(crd_i_svg *svg, double x, double y) {
    crd_i_svg_open_path(svg, "crd-head", CRD_NONE);
    crd_i_svg_point(svg, 'M', x, y);
    crd_i_svg_point(svg, 'L', x - 4, y - 9);
    crd_i_svg_point(svg, 'L', x + 4, y - 9);
    crd_i_svg_add(svg, "Z");
    crd_i_svg_close_path(svg);
}

/* The end of a link. Ends are sorted by their node, and then by the place from which the link comes. */
typedef struct link_end {
    size_t link, node;
    size_t first; /* horizontal place of the link's start */
} link_end;

static int compare_ends(const void *a, const void *b) {
    const link_end *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

/* Computes where each link ends. Links to the same node end next to each other, ordered from left to right by their
 * starts. */
static crd_status spread_ends(graph_picture *picture, crd_error *error) {
    enum { GAP = 14 };
    size_t used = 0;
    const size_t count = picture->layout->link_count;
    const crd_plot_point *point = picture->layout->points;
    const crd_plot_link *links = picture->layout->links;
    link_end *ends = crd_i_arena_alloc(picture->arena, count, sizeof *ends);
    picture->ends = crd_i_arena_alloc_zeroed(picture->arena, count, sizeof *picture->ends);
    if (picture->ends == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        if (!point[links[i].to].is_passing) ends[used++] = (link_end){i, links[i].to, point[links[i].from].at};
    if (used > 1) qsort(ends, used, sizeof *ends, compare_ends);
    for (size_t first = 0, end; first < used; first = end) {
        for (end = first; end < used && ends[end].node == ends[first].node;) end++;
        double lines = (double)(end - first), gap = fmin(GAP, (picture->boxes[ends[first].node].width - 12) / lines);
        for (size_t i = first; i < end; i++)
            picture->ends[ends[i].link] = ((double)(i - first) - (lines - 1) / 2) * gap;
    }
    return CRD_OK;
}

/* Draws a link as a curve between layers. A link that passes through a layer continues as a straight line. A link that
 * ends at a node gets an arrow head. */
static void draw_link(graph_picture *picture, const crd_plot_link *links, size_t number, const crd_plot_point *points) {
    crd_i_svg *svg = &picture->svg;
    const crd_plot_link *link = &links[number];
    const crd_plot_point *plot = &points[link->from], *plot_point = &points[link->to];
    double x1 = MARGIN + (double)plot->at, x2 = MARGIN + (double)plot_point->at + picture->ends[number];
    double y1 = plot->is_passing ? picture->bottoms[plot->layer]
                                 : picture->boxes[plot->node].y + picture->boxes[plot->node].height;
    double y2 = picture->tops[plot_point->layer], middle = (picture->bottoms[plot->layer] + y2) / 2;
    bool is_arrow = !plot_point->is_passing && !link->is_undirected;
    double strength = link->arc == CRD_NONE ? NAN : picture->graph.arcs[link->arc].strength;
    if (!isnan(strength)) {
        crd_i_svg_add(svg, "<g stroke-width=\"");
        crd_i_svg_add_number(svg, 0.5 + 3 * fmax(0, fmin(1, strength)));
        crd_i_svg_add(svg, "\">");
    }
    crd_i_svg_open_path(svg, "crd-arc", CRD_NONE);
    crd_i_svg_point(svg, 'M', x1, y1);
    if (y1 < picture->bottoms[plot->layer]) crd_i_svg_point(svg, 'L', x1, picture->bottoms[plot->layer]);
    double end = is_arrow ? y2 - 6 : y2;
    crd_i_svg_point(svg, 'C', x1, middle);
    crd_i_svg_point(svg, ' ', x2, middle);
    crd_i_svg_point(svg, ' ', x2, end);
    if (plot_point->is_passing) crd_i_svg_point(svg, 'L', x2, picture->bottoms[plot_point->layer]);
    crd_i_svg_close_path(svg);
    if (!isnan(strength)) crd_i_svg_add(svg, "</g>");
    if (is_arrow) draw_head(svg, x2, y2);
}

/* ---- The whole ---- */

/* Copies an item of the caller's array. Its stride is the size member of the first item, so only that item needs to
 * have it set. */
static void copy_node(const crd_plot_node *array, size_t index, crd_plot_node *out) {
    crd_plot_node item = CRD_PLOT_NODE_INIT;
    size_t stride = array->size, known = stride < sizeof item ? stride : sizeof item;
    memcpy(&item, (const char *)array + index * stride, known);
    item.size = known;
    *out = (crd_plot_node)CRD_PLOT_NODE_INIT;
    if (!crd_i_copy_in(&item, out, sizeof *out)) *out = (crd_plot_node)CRD_PLOT_NODE_INIT;
}

/* Copies the caller's nodes, checks their evidence, and computes the size of their boxes. */
static crd_status copy_nodes(graph_picture *picture, crd_error *error) {
    const crd_plot_graph *plot = &picture->graph;
    if (plot->node_count > 0 && !crd_i_has_size(plot->nodes))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the nodes of a picture have no size");
    for (size_t i = 0; i < plot->node_count; i++) {
        node_box *box = &picture->boxes[i];
        copy_node(plot->nodes, i, &box->node);
        if (box->node.evidence != CRD_NONE && box->node.evidence >= box->node.state_count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "node %zu has evidence for state %zu, but has %zu states", i,
                              box->node.evidence, box->node.state_count);
        plot_graph_measure(box, picture->max_states);
        if (box->shown > 0) choose_states(box);
        picture->extents[i] = (crd_plot_extent){(size_t)(box->width / 2), (size_t)ceil(box->width / 2)};
    }
    return CRD_OK;
}

/* Converts the layout to pixel positions of layers and boxes. Sets the size of the picture. */
static crd_status place_boxes(graph_picture *picture, crd_error *error) {
    const size_t count = picture->layout->point_count, layers = picture->layout->layer_count;
    const crd_plot_point *points = picture->layout->points;
    picture->tops = crd_i_arena_alloc_zeroed(picture->arena, layers, sizeof *picture->tops);
    picture->bottoms = crd_i_arena_alloc_zeroed(picture->arena, layers, sizeof *picture->bottoms);
    if (picture->bottoms == NULL) return crd_i_fail_memory(error);
    double right = 0, y = picture->svg.height;
    for (size_t i = 0; i < picture->graph.node_count; i++)
        picture->bottoms[points[i].layer] = fmax(picture->bottoms[points[i].layer], picture->boxes[i].height);
    for (size_t i = 0; i < layers; i++) {
        picture->tops[i] = y;
        picture->bottoms[i] += y;
        y = picture->bottoms[i] + LAYER_GAP;
    }
    for (size_t i = 0; i < count; i++) right = fmax(right, (double)points[i].at);
    for (size_t i = 0; i < picture->graph.node_count; i++) {
        node_box *box = &picture->boxes[i];
        box->x = MARGIN + (double)points[i].at - box->width / 2;
        box->y = picture->tops[points[i].layer];
        right = fmax(right, box->x + box->width);
    }
    picture->svg.width = fmax(picture->svg.width, right + MARGIN);
    picture->svg.height = layers > 0 ? y - LAYER_GAP + MARGIN : y + MARGIN;
    return CRD_OK;
}

/* Adds the numbers of nodes and arcs, and each node's most probable belief, to the description. */
static void describe_graph(graph_picture *picture) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    crd_i_svg_describe(&picture->svg, crd_text_of("nodes"), crd_i_plot_number((double)picture->graph.node_count, text));
    crd_i_svg_describe(&picture->svg, crd_text_of("arcs"), crd_i_plot_number((double)picture->graph.arc_count, text));
    for (size_t i = 0; i < picture->graph.node_count && i < 30; i++) {
        const node_box *box = &picture->boxes[i];
        size_t likeliest = 0;
        for (size_t k = 1; box->shown > 0 && k < box->node.state_count; k++)
            if (belief_of(box, k) > belief_of(box, likeliest)) likeliest = k;
        crd_i_svg_describe(&picture->svg, box->node.name,
                           box->shown > 0 ? crd_i_plot_percent(belief_of(box, likeliest), text) : "");
    }
}

/* Returns the maximum width of a layer. It makes the graph about as wide as high, but is at least 1,000 pixels. */
static double layer_width(const graph_picture *picture) {
    double area = 0;
    for (size_t i = 0; i < picture->graph.node_count; i++)
        area += (picture->boxes[i].width + NODE_GAP) * (picture->boxes[i].height + LAYER_GAP);
    return fmax(1000, sqrt(area) * 1.3);
}

/* Computes the layout of the graph, and draws links and boxes. */
static crd_status plot_graph_draw(graph_picture *picture, crd_error *error) {
    crd_plot_layout_options options = CRD_PLOT_LAYOUT_OPTIONS_INIT;
    options.node_gap = NODE_GAP;
    options.line_gap = 16;
    picture->boxes = crd_i_arena_alloc_zeroed(picture->arena, picture->graph.node_count, sizeof *picture->boxes);
    picture->extents = crd_i_arena_alloc_zeroed(picture->arena, picture->graph.node_count, sizeof *picture->extents);
    if (picture->extents == NULL) return crd_i_fail_memory(error);
    crd_status status = copy_nodes(picture, error);
    options.layer_width = (size_t)layer_width(picture);
    if (status == CRD_OK)
        status =
            crd_plot_layout_create(picture->context, picture->extents, picture->graph.node_count, picture->graph.arcs,
                                   picture->graph.arc_count, &options, &picture->layout, error);
    if (status == CRD_OK) status = place_boxes(picture, error);
    if (status == CRD_OK) status = spread_ends(picture, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < picture->layout->link_count; i++)
        draw_link(picture, picture->layout->links, i, picture->layout->points);
    for (size_t i = 0; i < picture->graph.node_count; i++) draw_box(&picture->svg, &picture->boxes[i]);
    describe_graph(picture);
    return CRD_OK;
}

crd_status crd_plot_draw_graph(crd_context *context, const crd_plot_graph *given, const crd_plot_options *options,
                               char **svg, crd_error *error) {
    *svg = NULL;
    graph_picture picture = {.context = context, .graph = CRD_PLOT_GRAPH_INIT};
    if (!crd_i_copy_in(given, &picture.graph, sizeof picture.graph))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (picture.graph.node_count > MOST_NODES || picture.graph.arc_count > MOST_ARCS)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than %d nodes or %d arcs", MOST_NODES, MOST_ARCS);
    picture.max_states = picture.graph.max_states == 0 ? 6 : picture.graph.max_states;
    picture.arena = crd_i_arena_create(context);
    crd_status status = crd_i_svg_begin(&picture.svg, context, options, 240, error);
    if (status == CRD_OK) status = plot_graph_draw(&picture, error);
    if (status == CRD_OK) status = crd_i_svg_finish(&picture.svg, options, "Network", svg, error);
    crd_i_svg_clear(&picture.svg);
    crd_plot_layout_destroy(picture.layout);
    crd_i_arena_destroy(picture.arena);
    return status;
}
