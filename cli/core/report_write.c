/* SPDX-License-Identifier: MIT */
/* report_write.c - see report_write.h. */
#include "core/report_write.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/report_renderer.h"
#include "core/verb.h"

#include <stdlib.h>

static const report_node *main_table(const report_node *nodes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (nodes[i].kind == NODE_TABLE && nodes[i].table->is_main) return &nodes[i];
    return NULL;
}

/* Calls the renderer's function for a node. `container` is the container that a NODE_END closes. */
static void report_write_visit(rendering *target_rendering, const report_renderer *renderer, const report_node *node,
                               const report_node *container) {
    switch (node->kind) {
    case NODE_OBJECT:
    case NODE_ARRAY:
        if (renderer->open != NULL) renderer->open(target_rendering, node);
        break;
    case NODE_END:
        if (renderer->close != NULL) renderer->close(target_rendering, container);
        break;
    case NODE_NUMBER:
    case NODE_TEXT:
    case NODE_BOOLEAN:
    case NODE_NULL:
        if (renderer->value != NULL) renderer->value(target_rendering, node);
        break;
    case NODE_PROSE:
        if (renderer->prose != NULL) renderer->prose(target_rendering, &node->prose);
        break;
    case NODE_TABLE:
        if (renderer->table != NULL) renderer->table(target_rendering, node);
        break;
    case NODE_CURVES:
        if (renderer->curves != NULL) renderer->curves(target_rendering, &node->curves);
        break;
    case NODE_GRAPH:
        if (renderer->graph != NULL) renderer->graph(target_rendering, &node->graph);
        break;
    case NODE_MARKED:
        if (renderer->marked != NULL) renderer->marked(target_rendering, &node->marked);
        break;
    case NODE_PICTURE:
        if (renderer->picture != NULL) renderer->picture(target_rendering, node->picture);
        break;
    }
}

/* Writes the nodes in order, or only the main table if the format contains nothing else. */
static void report_write_render(const report *r, const report_renderer *renderer, output *out, bool on_one_line) {
    rendering target_rendering = {.out = out};
    size_t count = 0, depth = 0;
    const report_node *nodes = report_nodes(r, &count);
    const report_node *alone = renderer->is_main_alone ? main_table(nodes, count) : NULL;
    const report_node **open = memory_resize(NULL, count, sizeof *open);
    renderer->begin(&target_rendering, on_one_line);
    if (alone != NULL) renderer->table(&target_rendering, alone);
    for (size_t i = 0; alone == NULL && i < count && !output_broken(out); i++) {
        const report_node *node = &nodes[i];
        bool opens = node->kind == NODE_OBJECT || node->kind == NODE_ARRAY;
        if (opens) open[depth++] = node;
        if (node->kind == NODE_END) depth--;
        report_write_visit(&target_rendering, renderer, node, node->kind == NODE_END ? open[depth] : NULL);
    }
    if (renderer->end != NULL) renderer->end(&target_rendering);
    free(open);
    string_free(&target_rendering.path);
    free(target_rendering.ends);
    free(target_rendering.elements);
}

static const report_renderer *renderer_of(const output *out) {
    switch (out->format) {
    case FORMAT_CSV: return &renderer_csv;
    case FORMAT_JSON: return &renderer_json;
    case FORMAT_MARKDOWN: return &renderer_markdown;
    case FORMAT_HTML: return &renderer_html;
    case FORMAT_TABLE: break;
    }
    return &renderer_text;
}

void report_write(const report *r, output *out) {
    report_write_render(r, renderer_of(out), out, false);
}

void report_write_line(const report *r, output *out) {
    report_write_render(r, renderer_of(out), out, true);
}

/* Adds a title such as "credence show iris.csv". */
static void report_write_add_title(string *target_string, const invocation *call) {
    string_format(target_string, "credence %s", call->verb->name);
    for (size_t i = 0; i < call->arguments.operand_count; i++) {
        string_add_char(target_string, ' ');
        string_add_shown(target_string, crd_text_of(call->arguments.operands[i]));
    }
}

static int write_svg(const report *r, const invocation *call, output *out) {
    size_t count = 0;
    const char **result = pictures_list(r, &count);
    char *joined = NULL;
    crd_error error;
    int ended = ENDED_WELL;
    if (count > 1 && crd_plot_join(call->context, result, count, NULL, &joined, &error) != CRD_OK)
        ended = message_error(&error);
    else fprintf(out->stream, "%s\n", joined != NULL ? joined : result[0]);
    crd_free(call->context, joined);
    free(result);
    return ended;
}

int report_write_pictures(const report *r, const invocation *call) {
    const char *path = pictures_path(call);
    output out = {0};
    string title = {0};
    if (path == NULL) return ENDED_WELL;
    int ended = output_open_named(call, path, &out);
    if (ended == ENDED_WELL && !pictures_are_page(call)) {
        ended = write_svg(r, call, &out);
    } else if (ended == ENDED_WELL) {
        report_write_add_title(&title, call);
        out.format = FORMAT_HTML;
        out.title = string_text(&title);
        report_write(r, &out);
    }
    ended = output_close(&out, ended);
    string_free(&title);
    return ended;
}

int report_finish(report *r, const invocation *call, const char *words, int ended) {
    output out = {0};
    if (ended == ENDED_WELL) ended = pictures_check_report(r, call);
    if (ended == ENDED_WELL) ended = report_write_pictures(r, call);
    if (ended == ENDED_WELL) {
        ended = output_open(call, &out);
        if (ended == ENDED_WELL) ended = output_choose_format(call, &out, words, FORMAT_TABLE);
        if (ended == ENDED_WELL) report_write(r, &out);
        ended = output_close(&out, ended);
    }
    report_destroy(r);
    return ended;
}
