/* SPDX-License-Identifier: MIT */
/* graph_drawing.c - see graph_drawing.h.
 *
 * Each pair of adjacent layers has a channel of rows between them. Each node of the upper layer with arcs has a net
 * there: a stem that goes down from the node, a horizontal line on one row that spans the columns of its children, and
 * a drop to each child. The rows are assigned in an order that keeps the number of crossings small (greedy channel
 * routing). */
#include "core/graph_drawing.h"

#include <stdlib.h>
#include <string.h>

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, ARROW = 16, CROSSED = 32 };

/* ---- A canvas of characters ---- */

typedef struct drawing_canvas {
    size_t width, rows;
    unsigned char *lines; /* the line segments through each cell, row by row */
    size_t *owners;       /* the point whose line it is, plus 1 */
    const char **texts;   /* the name that begins in this cell, or NULL */
} drawing_canvas;

static void graph_drawing_add_row(drawing_canvas *c) {
    const size_t cells = (c->rows + 1) * c->width;
    c->lines = memory_resize(c->lines, cells, sizeof *c->lines);
    c->owners = memory_resize(c->owners, cells, sizeof *c->owners);
    c->texts = memory_resize(c->texts, cells, sizeof *c->texts);
    for (size_t i = c->rows * c->width; i < cells; i++) {
        c->lines[i] = 0;
        c->owners[i] = 0;
        c->texts[i] = NULL;
    }
    c->rows++;
}

static void graph_drawing_add_line(drawing_canvas *c, size_t row, int column, unsigned lines, size_t owner) {
    size_t cell = row * c->width + (size_t)column;
    if (c->owners[cell] != 0 && c->owners[cell] != owner + 1) lines |= CROSSED;
    c->lines[cell] = (unsigned char)(c->lines[cell] | lines);
    c->owners[cell] = owner + 1;
}

static void add_vertical(drawing_canvas *c, size_t first, size_t limit, int column, size_t owner) {
    for (size_t row = first; row < limit; row++) graph_drawing_add_line(c, row, column, UP | DOWN, owner);
}

static const char *graph_drawing_character(unsigned lines, bool is_ascii) {
    static const char *const boxes[] = {" ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼"};
    static const char *const plain[] = {" ", "|", "|", "|", "-", "+", "+", "+", "-", "+", "+", "+", "-", "+", "+", "+"};
    if ((lines & ARROW) != 0) return is_ascii ? "v" : "▼";
    if ((lines & CROSSED) != 0) return is_ascii ? "|" : "│";
    return (is_ascii ? plain : boxes)[lines & (UP | DOWN | LEFT | RIGHT)];
}

/* Writes the canvas row by row, without spaces at the ends of lines. */
static void write_canvas(string *out, const drawing_canvas *c, size_t indent, bool is_ascii) {
    for (size_t row = 0; row < c->rows; row++) {
        size_t blanks = indent;
        for (size_t column = 0; column < c->width;) {
            size_t cell = row * c->width + column;
            if (c->lines[cell] == 0 && c->texts[cell] == NULL) {
                blanks++;
                column++;
                continue;
            }
            for (; blanks > 0; blanks--) string_add_char(out, ' ');
            if (c->texts[cell] != NULL) {
                size_t width = text_width(c->texts[cell], strlen(c->texts[cell]));
                string_format(out, "%s", c->texts[cell]);
                column += width > 0 ? width : 1;
            } else {
                string_format(out, "%s", graph_drawing_character(c->lines[cell], is_ascii));
                column++;
            }
        }
        string_add_char(out, '\n');
    }
}

static void free_canvas(drawing_canvas *c) {
    free(c->lines);
    free(c->owners);
    free(c->texts);
}

/* ---- Between two layers ---- */

/* The net of one point of the upper layer: the column where its line starts, and the columns where it reaches points of
 * the lower layer. */
typedef struct drawing_net {
    size_t point;
    int stem;
    int *drops;
    bool *are_arrows;
    size_t drop_count;
    int left, right; /* the columns that the row spans */
    size_t row;
    bool is_straight, is_placed;
} drawing_net;

typedef struct drawing_channel {
    const graph_layout *layout;
    drawing_net *nets;
    size_t count, rows;
} drawing_channel;

static int graph_drawing_within(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

static int left_of(const layout_point *point) {
    return point->index - (int)point->left;
}

static int right_of(const layout_point *point) {
    return point->index + (int)point->right;
}

/* Returns the column of the stem: the middle of the point, or, for a single line, the column of the name that is
 * nearest to the target. */
static int find_stem(const graph_layout *l, size_t point) {
    const layout_point *layout = &l->points[point], *target_point = NULL;
    size_t links = 0;
    for (size_t i = 0; i < l->link_count; i++) {
        if (l->links[i].first != point) continue;
        target_point = &l->points[l->links[i].end];
        links++;
    }
    return links == 1 ? graph_drawing_within(target_point->index, layout->index - (int)layout->name_left,
                                             layout->index + (int)layout->name_right)
                      : layout->index;
}

static bool is_stem_of_another(const drawing_channel *c, int column, size_t net_index) {
    for (size_t i = 0; i < c->count; i++)
        if (i != net_index && c->nets[i].stem == column) return true;
    return false;
}

/* Chooses the columns where lines reach a point. The columns follow the order of the stems and are directly below them
 * if the point is wide enough. They are two columns apart if there is space, otherwise one, and avoid the stems of
 * other nets if possible. */
static void find_drops(drawing_channel *c, size_t point, const size_t *incoming, size_t count) {
    const layout_point *target_point = &c->layout->points[point];
    int left = left_of(target_point), right = right_of(target_point),
        step = right - left >= 2 * ((int)count - 1) ? 2 : 1;
    int next = left;
    for (size_t i = 0; i < count; i++) {
        drawing_net *net = &c->nets[incoming[i]];
        int most = right - step * (int)(count - 1 - i),
            wanted = count == 1 ? graph_drawing_within(net->stem, left, right) : net->stem;
        if (count == 1 && net->stem != wanted) wanted = target_point->index;
        int index = graph_drawing_within(wanted, next, most);
        for (int shift = 1; is_stem_of_another(c, index, incoming[i]) && shift <= right - left; shift++) {
            int after = index + shift, before = index - shift;
            if (after <= most && !is_stem_of_another(c, after, incoming[i])) index = after;
            else if (before >= next && !is_stem_of_another(c, before, incoming[i])) index = before;
        }
        bool is_directed = true;
        for (size_t k = 0; k < c->layout->link_count; k++)
            if (c->layout->links[k].first == net->point && c->layout->links[k].end == point)
                is_directed = !c->layout->links[k].is_undirected;
        net->drops = memory_resize(net->drops, net->drop_count + 1, sizeof *net->drops);
        net->are_arrows = memory_resize(net->are_arrows, net->drop_count + 1, sizeof *net->are_arrows);
        net->are_arrows[net->drop_count] = is_directed && !target_point->is_passing;
        net->drops[net->drop_count++] = index;
        next = index + step;
    }
}

/* Finds the nets of a channel: their stems, their drops and the columns that they span. Nets that go straight down need
 * no row. */
static void find_nets(drawing_channel *c, const layout_layer *above, const layout_layer *below) {
    const graph_layout *l = c->layout;
    size_t *incoming = memory_resize(NULL, above->count, sizeof *incoming);
    c->nets = memory_resize(NULL, above->count, sizeof *c->nets);
    for (size_t i = 0; i < above->count; i++) {
        bool has_links = false;
        for (size_t k = 0; k < l->link_count; k++) has_links = has_links || l->links[k].first == above->points[i];
        if (has_links)
            c->nets[c->count++] = (drawing_net){.point = above->points[i], .stem = find_stem(l, above->points[i])};
    }
    for (size_t i = 0; i < below->count; i++) {
        size_t count = 0;
        for (size_t n = 0; n < c->count; n++)
            for (size_t k = 0; k < l->link_count; k++)
                if (l->links[k].first == c->nets[n].point && l->links[k].end == below->points[i]) incoming[count++] = n;
        if (count > 0) find_drops(c, below->points[i], incoming, count);
    }
    for (size_t n = 0; n < c->count; n++) {
        drawing_net *net = &c->nets[n];
        net->left = net->right = net->stem;
        for (size_t i = 0; i < net->drop_count; i++) {
            if (net->drops[i] < net->left) net->left = net->drops[i];
            if (net->drops[i] > net->right) net->right = net->drops[i];
        }
        net->is_straight = net->left == net->right;
        net->is_placed = net->is_straight;
    }
    free(incoming);
}

/* Returns whether a drop of `lower` is in the column of the stem of `upper`, which forces `upper` to run above. */
static bool has_to_be_above(const drawing_net *upper, const drawing_net *lower) {
    for (size_t i = 0; i < lower->drop_count; i++)
        if (lower->drops[i] == upper->stem) return true;
    return false;
}

/* Returns how often the two nets cross if `upper` runs above `lower`. */
static int graph_drawing_crossings(const drawing_net *upper, const drawing_net *lower) {
    int count = lower->stem > upper->left && lower->stem < upper->right;
    for (size_t i = 0; i < upper->drop_count; i++)
        count += upper->drops[i] > lower->left && upper->drops[i] < lower->right;
    return count;
}

/* Returns the unplaced net that crosses the others least on the highest free row. Returns SIZE_MAX if each unplaced net
 * has to be below another one. */
static size_t choose_next(const drawing_channel *c) {
    size_t best = SIZE_MAX;
    int least = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->nets[i].is_placed) continue;
        bool can_be = true;
        int cost = 0;
        for (size_t k = 0; k < c->count; k++) {
            if (k == i || c->nets[k].is_placed) continue;
            can_be = can_be && !has_to_be_above(&c->nets[k], &c->nets[i]);
            cost +=
                graph_drawing_crossings(&c->nets[i], &c->nets[k]) - graph_drawing_crossings(&c->nets[k], &c->nets[i]);
        }
        if (!can_be || (best != SIZE_MAX && cost >= least)) continue;
        best = i;
        least = cost;
    }
    return best;
}

/* Assigns each net a row, below the nets placed before it that it overlaps. Returns false if the constraints have a
 * cycle. */
static bool graph_drawing_route(drawing_channel *c) {
    size_t left = 0;
    for (size_t i = 0; i < c->count; i++) left += !c->nets[i].is_placed;
    c->rows = 1;
    for (; left > 0; left--) {
        size_t index = choose_next(c);
        if (index == SIZE_MAX) return false;
        drawing_net *net = &c->nets[index];
        net->row = 0;
        for (size_t i = 0; i < c->count; i++) {
            const drawing_net *other = &c->nets[i];
            if (!other->is_placed || other->is_straight) continue;
            if (other->left <= net->right + 1 && net->left <= other->right + 1 && net->row <= other->row)
                net->row = other->row + 1;
        }
        net->is_placed = true;
        if (net->row + 1 > c->rows) c->rows = net->row + 1;
    }
    return true;
}

/* Draws a net from row `top` on: its lines, and its arrowheads in the row after the channel's `rows` rows. */
static void draw_net(drawing_canvas *canvas, const drawing_net *net, size_t top, size_t rows) {
    const size_t owner = net->point, row = top + net->row;
    if (!net->is_straight) {
        add_vertical(canvas, top, row, net->stem, owner);
        graph_drawing_add_line(canvas, row, net->stem, UP, owner);
        for (int column = net->left; column <= net->right; column++) {
            unsigned lines = (column > net->left ? (unsigned)LEFT : 0) | (column < net->right ? (unsigned)RIGHT : 0);
            graph_drawing_add_line(canvas, row, column, lines, owner);
        }
    } else {
        graph_drawing_add_line(canvas, row, net->stem, UP, owner);
    }
    for (size_t i = 0; i < net->drop_count; i++) {
        graph_drawing_add_line(canvas, row, net->drops[i], DOWN, owner);
        add_vertical(canvas, row + 1, top + rows + 1, net->drops[i], owner);
        if (net->are_arrows[i]) graph_drawing_add_line(canvas, top + rows, net->drops[i], ARROW, owner);
    }
}

static bool draw_channel(drawing_canvas *canvas, const graph_layout *l, const layout_layer *above,
                         const layout_layer *below) {
    drawing_channel c = {.layout = l};
    find_nets(&c, above, below);
    bool is_routed = graph_drawing_route(&c);
    if (is_routed) {
        size_t top = canvas->rows;
        for (size_t i = 0; i <= c.rows; i++) graph_drawing_add_row(canvas);
        for (size_t i = 0; i < c.count; i++) draw_net(canvas, &c.nets[i], top, c.rows);
    }
    for (size_t i = 0; i < c.count; i++) {
        free(c.nets[i].drops);
        free(c.nets[i].are_arrows);
    }
    free(c.nets);
    return is_routed;
}

/* ---- The complete drawing ---- */

static void draw_layer(drawing_canvas *canvas, const crd_result_graph *g, const graph_layout *l,
                       const layout_layer *layer) {
    graph_drawing_add_row(canvas);
    for (size_t i = 0; i < layer->count; i++) {
        const layout_point *point = &l->points[layer->points[i]];
        if (point->is_passing) {
            graph_drawing_add_line(canvas, canvas->rows - 1, point->index, UP | DOWN, layer->points[i]);
            continue;
        }
        size_t row = (canvas->rows - 1) * canvas->width, left = row + (size_t)(point->index - (int)point->name_left);
        canvas->texts[left] = g->names[point->node];
        if (point->left <= point->name_left + 1 && point->right <= point->name_right + 1) continue;
        /* Lines reach the node outside its name, so brackets show how wide it is. */
        canvas->texts[row + (size_t)left_of(point)] = "[";
        canvas->texts[row + (size_t)right_of(point)] = "]";
    }
}

static bool graph_drawing_draw(string *out, const crd_result_graph *g, size_t width, size_t indent, bool is_ascii) {
    graph_layout l;
    drawing_canvas c = {.width = width};
    bool is_drawn = graph_lay_out(g, width, &l);
    for (size_t i = 0; is_drawn && i < l.layer_count; i++) {
        draw_layer(&c, g, &l, &l.layers[i]);
        if (i + 1 < l.layer_count) is_drawn = draw_channel(&c, &l, &l.layers[i], &l.layers[i + 1]);
    }
    if (is_drawn) write_canvas(out, &c, indent, is_ascii);
    free_canvas(&c);
    graph_layout_free(&l);
    return is_drawn;
}

/* Adds one name to a list, and starts a new line if it would exceed the width. */
static void graph_drawing_add_names(string *out, size_t *used, size_t width, size_t indent, const char *name,
                                    bool is_first) {
    size_t name_width = text_width(name, strlen(name));
    if (!is_first) {
        string_add_char(out, ',');
        ++*used;
    }
    if (!is_first && *used + 2 + name_width > width) {
        string_add_char(out, '\n');
        for (size_t i = 0; i < indent; i++) string_add_char(out, ' ');
        *used = indent;
    } else {
        string_add_char(out, ' ');
        ++*used;
    }
    string_format(out, "%s", name);
    *used += name_width;
}

/* Adds a node with its parents (<-), then with its neighbors by undirected edges (--). */
static void list_node(string *out, const crd_result_graph *g, size_t node, size_t width, size_t indent) {
    size_t used = indent + text_width(g->names[node], strlen(g->names[node]));
    string_format(out, "%*s%s", (int)indent, "", g->names[node]);
    for (int undirected = 0; undirected < 2; undirected++) {
        bool is_first = true;
        for (size_t i = 0; i < g->arc_count; i++) {
            if (g->arcs[i].end != node || g->arcs[i].is_undirected != (undirected == 1)) continue;
            if (is_first) string_format(out, undirected == 1 ? " --" : " <-");
            if (is_first) used += 3;
            graph_drawing_add_names(out, &used, width, indent + 4, g->names[g->arcs[i].first], is_first);
            is_first = false;
        }
    }
    string_add_char(out, '\n');
}

static void list_layers(string *out, const crd_result_graph *g, size_t width, size_t indent) {
    size_t *layers = graph_layers(g), count = 0;
    for (size_t i = 0; i < g->count; i++)
        if (layers[i] + 1 > count) count = layers[i] + 1;
    for (size_t layer = 0; layer < count; layer++) {
        string_format(out, "%*sLayer %zu\n", (int)indent, "", layer + 1);
        for (size_t i = 0; i < g->count; i++)
            if (layers[i] == layer) list_node(out, g, i, width, indent + 2);
    }
    free(layers);
}

/* ---- Connected components ---- */

/* Numbers the connected components of the graph from 1, in the order of their first nodes. A node without arcs gets
 * 0. */
static size_t *graph_drawing_find_components(const crd_result_graph *g, size_t *count) {
    size_t *components = memory_resize(NULL, g->count, sizeof *components);
    memset(components, 0, g->count * sizeof *components);
    *count = 0;
    for (size_t node = 0; node < g->count; node++) {
        if (components[node] != 0) continue;
        bool has_grown = false;
        components[node] = *count + 1;
        for (bool grows = true; grows; has_grown = has_grown || grows) {
            grows = false;
            for (size_t i = 0; i < g->arc_count; i++) {
                size_t first = g->arcs[i].first, limit = g->arcs[i].end;
                if ((components[first] == *count + 1) == (components[limit] == *count + 1)) continue;
                components[first] = components[limit] = *count + 1;
                grows = true;
            }
        }
        if (has_grown) ++*count;
        else components[node] = 0;
    }
    return components;
}

/* Returns the subgraph of a component, or of all nodes with arcs (SIZE_MAX). The caller frees its arrays. */
static crd_result_graph graph_drawing_take_part(const crd_result_graph *g, const size_t *components, size_t component) {
    const char **names = memory_resize(NULL, g->count, sizeof *names);
    size_t *numbers = memory_resize(NULL, g->count, sizeof *numbers);
    crd_result_arc *arcs = memory_resize(NULL, g->arc_count, sizeof *arcs);
    crd_result_graph part = {.names = names, .arcs = arcs};
    for (size_t i = 0; i < g->count; i++) {
        if (components[i] == 0 || (component != SIZE_MAX && components[i] != component)) continue;
        numbers[i] = part.count;
        names[part.count++] = g->names[i];
    }
    for (size_t i = 0; i < g->arc_count; i++) {
        size_t first = g->arcs[i].first, limit = g->arcs[i].end;
        if (component == SIZE_MAX || components[first] == component)
            arcs[part.arc_count++] = (crd_result_arc){numbers[first], numbers[limit], g->arcs[i].is_undirected};
    }
    free(numbers);
    return part;
}

static bool draw_part(string *out, const crd_result_graph *g, const size_t *components, size_t component, size_t width,
                      size_t indent, bool is_ascii) {
    /* Larger graphs are unreadable even if they fit. */
    enum { MOST_NODES = 60, MOST_ARCS = 120 };
    crd_result_graph part = graph_drawing_take_part(g, components, component);
    bool is_drawn = part.count <= MOST_NODES && part.arc_count <= MOST_ARCS &&
                    graph_drawing_draw(out, &part, width > indent ? width - indent : 1, indent, is_ascii);
    if (!is_drawn && component != SIZE_MAX) list_layers(out, &part, width, indent);
    free((void *)part.names);
    free((void *)part.arcs);
    return is_drawn;
}

void graph_draw(string *out, const crd_result_graph *g, size_t width, size_t indent, bool is_ascii) {
    size_t count = 0, *components = graph_drawing_find_components(g, &count);
    bool is_drawn = count == 0 || draw_part(out, g, components, SIZE_MAX, width, indent, is_ascii);
    for (size_t i = 1; !is_drawn && i <= count; i++) {
        if (i > 1) string_add_char(out, '\n');
        draw_part(out, g, components, i, width, indent, is_ascii);
    }
    size_t used = indent + sizeof "Without arcs:" - 1;
    bool is_first = true;
    for (size_t i = 0; i < g->count; i++) {
        if (components[i] != 0) continue;
        if (is_first) string_format(out, "%s%*sWithout arcs:", count == 0 ? "" : "\n", (int)indent, "");
        graph_drawing_add_names(out, &used, width, indent + 2, g->names[i], is_first);
        is_first = false;
    }
    if (!is_first) string_add_char(out, '\n');
    free(components);
}
