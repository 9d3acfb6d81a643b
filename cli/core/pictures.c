/* SPDX-License-Identifier: MIT */
/* pictures.c - see pictures.h. */
#include "core/pictures.h"

#include "core/messages.h"
#include "core/output.h"
#include "core/verb.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), ending_length = strlen(ending);
    return length > ending_length && strcasecmp(path + length - ending_length, ending) == 0;
}

const char *pictures_path(const invocation *call) {
    const char *path = arguments_value(&call->arguments, "plot");
    return path == NULL || path[0] == '\0' ? NULL : path;
}

int pictures_check(const invocation *call) {
    const char *path = pictures_path(call);
    if (path == NULL) return ENDED_WELL;
    if (!ends_in(path, ".svg") && !ends_in(path, ".html"))
        return message_usage("--plot %s: the file name must end in .svg or .html", path);
    return output_check_writable(call->context, path);
}

bool pictures_are_page(const invocation *call) {
    const char *path = pictures_path(call);
    return path != NULL && ends_in(path, ".html");
}

int pictures_refuse(const invocation *call) {
    if (pictures_path(call) == NULL) return ENDED_WELL;
    message_usage("--plot: this result of %s has no picture", call->verb->name);
    message_hint("you can plot models and networks (show), posteriors and densities (query), curves, calibration and "
                 "confusion (evaluate), weights of evidence and dependence (explain), densities (distribution), and "
                 "state paths (predict)");
    return ENDED_USAGE;
}

const char **pictures_list(const crd_result *r, size_t *count) {
    size_t nodes = 0;
    const crd_result_node *node = crd_result_nodes(r, &nodes);
    const char **result = memory_resize(NULL, nodes, sizeof *result);
    *count = 0;
    for (size_t i = 0; i < nodes; i++)
        if (node[i].type == CRD_RESULT_PICTURE) result[(*count)++] = node[i].picture;
    return result;
}

int pictures_check_report(const crd_result *r, const invocation *call) {
    size_t count = 0;
    if (pictures_path(call) == NULL) return ENDED_WELL;
    free(pictures_list(r, &count));
    return count > 0 ? ENDED_WELL : pictures_refuse(call);
}
