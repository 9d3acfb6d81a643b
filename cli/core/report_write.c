/* SPDX-License-Identifier: MIT */
/* report_write.c - see report_write.h. */
#include "core/report_write.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/report_renderer.h"
#include "core/verb.h"

#include <stdlib.h>
#include <string.h>

static void write_bytes(void *out, const char *bytes, size_t length) {
    output_write(out, bytes, length);
}

static void report_write_syntax(const crd_result *r, crd_result_syntax syntax, output *out) {
    if (crd_result_write(r, syntax, out->title, write_bytes, out, NULL) != CRD_OK) memory_exhausted();
}

void report_write(const crd_result *r, output *out) {
    if (crd_result_check(r, NULL) != CRD_OK) memory_exhausted();
    switch (out->format) {
    case FORMAT_TABLE: report_write_text(r, out); break;
    case FORMAT_MARKDOWN: report_write_markdown(r, out); break;
    case FORMAT_HTML: report_write_syntax(r, CRD_RESULT_HTML, out); break;
    case FORMAT_CSV: report_write_syntax(r, CRD_RESULT_CSV, out); break;
    case FORMAT_JSON: report_write_syntax(r, CRD_RESULT_JSON, out); break;
    }
}

void report_write_line(const crd_result *r, output *out) {
    if (out->format == FORMAT_JSON) report_write_syntax(r, CRD_RESULT_JSON_LINE, out);
    else report_write(r, out);
}

/* Adds a title such as "credence show iris.csv". */
static void report_write_add_title(string *target_string, const invocation *call) {
    string_format(target_string, "credence %s", call->verb->name);
    for (size_t i = 0; i < call->arguments.operand_count; i++) {
        string_add_char(target_string, ' ');
        string_add_shown(target_string, crd_text_of(call->arguments.operands[i]));
    }
}

static int write_svg(const crd_result *r, const invocation *call, output *out) {
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

int report_write_pictures(const crd_result *r, const invocation *call) {
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

int report_finish(crd_result *r, const invocation *call, const char *words, int ended) {
    output out = {0};
    if (ended == ENDED_WELL) ended = pictures_check_report(r, call);
    if (ended == ENDED_WELL) ended = report_write_pictures(r, call);
    if (ended == ENDED_WELL) {
        ended = output_open(call, &out);
        if (ended == ENDED_WELL) ended = output_choose_format(call, &out, words, FORMAT_TABLE);
        if (ended == ENDED_WELL) report_write(r, &out);
        ended = output_close(&out, ended);
    }
    crd_result_destroy(r);
    return ended;
}
