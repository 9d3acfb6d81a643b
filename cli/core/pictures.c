/* SPDX-License-Identifier: MIT */
/* pictures.c - see pictures.h. */
#include "core/pictures.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), own = strlen(ending);
    return length > own && strcasecmp(path + length - own, ending) == 0;
}

static const char *path_of(const arguments *given) {
    const char *path = arguments_value(given, "plot");
    return path == NULL || path[0] == '\0' ? NULL : path;
}

const char *pictures_path(const invocation *call) {
    return path_of(&call->arguments);
}

int pictures_check(const arguments *given) {
    const char *path = path_of(given);
    if (path == NULL || ends_in(path, ".svg") || ends_in(path, ".html")) return ENDED_WELL;
    return message_usage("--plot %s: pictures are written to files whose names end in .svg or .html", path);
}

int pictures_refuse(const invocation *call) {
    if (pictures_path(call) == NULL) return ENDED_WELL;
    message_usage("--plot: there is no picture of this answer of %s", call->verb->name);
    message_hint(
        "pictures are of models and networks (show), posteriors and densities (query), curves, calibration and "
        "confusion (evaluate), weights of evidence and dependence (explain), densities (distribution), "
        "and paths of states (predict)");
    return ENDED_USAGE;
}

/* The pictures of a report; the list is the caller's. */
static const char **list_pictures(const report *r, size_t *count) {
    size_t nodes = 0;
    const report_node *of = report_nodes(r, &nodes);
    const char **found = memory_resize(NULL, nodes, sizeof *found);
    *count = 0;
    for (size_t i = 0; i < nodes; i++)
        if (of[i].kind == NODE_PICTURE) found[(*count)++] = of[i].picture;
    return found;
}

int pictures_check_report(const report *r, const invocation *call) {
    size_t count = 0;
    if (pictures_path(call) == NULL) return ENDED_WELL;
    free(list_pictures(r, &count));
    return count > 0 ? ENDED_WELL : pictures_refuse(call);
}

/* "credence show iris.csv" */
static void add_title(string *to, const invocation *call) {
    string_format(to, "credence %s", call->verb->name);
    for (size_t i = 0; i < call->arguments.operand_count; i++) {
        string_add_char(to, ' ');
        string_add_shown(to, crd_text_of(call->arguments.operands[i]));
    }
}

static int write_svg(const report *r, const invocation *call, output *out) {
    size_t count = 0;
    const char **found = list_pictures(r, &count);
    char *joined = NULL;
    crd_error error;
    int ended = ENDED_WELL;
    if (count > 1 && crd_plot_join(call->context, found, count, NULL, &joined, &error) != CRD_OK)
        ended = message_error(&error);
    else fprintf(out->stream, "%s\n", joined != NULL ? joined : found[0]);
    crd_free(call->context, joined);
    free(found);
    return ended;
}

int pictures_write(const report *r, const invocation *call) {
    const char *path = pictures_path(call);
    output out = {0};
    string title = {0};
    if (path == NULL) return ENDED_WELL;
    int ended = output_open_path(path, &out);
    if (ended == ENDED_WELL && ends_in(path, ".svg")) {
        ended = write_svg(r, call, &out);
    } else if (ended == ENDED_WELL) {
        add_title(&title, call);
        out.format = FORMAT_HTML;
        out.title = string_text(&title);
        report_write(r, &out);
    }
    ended = output_close(&out, ended);
    string_free(&title);
    return ended;
}
