/* SPDX-License-Identifier: MIT */
/* graph_drawing.h - graphs in characters: nodes as names, in layers, and arcs as lines that go down; where that would be
 * too wide or too tangled, a list of the nodes of each layer with their parents. */
#ifndef CREDENCE_CLI_GRAPH_DRAWING_H
#define CREDENCE_CLI_GRAPH_DRAWING_H

#include "core/graph_layout.h"

/* Adds lines no wider than `width`, those of the list and single names aside, `indent` blanks before each. A line that
 * crosses another passes over it, which is interrupted there: where lines meet, they belong to the same node. */
void graph_draw(string *out, const graph *g, size_t width, size_t indent, bool is_ascii);

#endif
