/* SPDX-License-Identifier: MIT */
/* graph_drawing.h - draws graphs in characters: nodes are names in layers, and arcs are lines that go down. If the
 * drawing would be too wide or too tangled, the nodes of each layer are listed with their parents instead. */
#ifndef CREDENCE_CLI_GRAPH_DRAWING_H
#define CREDENCE_CLI_GRAPH_DRAWING_H

#include "core/graph_layout.h"

/* Adds lines of at most `width` columns, with `indent` spaces before each. Only long names, and lists of them, can
 * exceed the width. If two lines cross, one passes over the other, which is interrupted there. Lines that join belong
 * to the same node. */
void graph_draw(string *out, const crd_result_graph *g, size_t width, size_t indent, bool is_ascii);

#endif
