/* SPDX-License-Identifier: MIT */
/* marked_text.c - writes texts with highlighted pieces, broken into lines: see report_renderer.h. */
#include "core/report_renderer.h"

#include <string.h>

/* The line that is being filled. */
typedef struct text_lines {
    const output *out;
    size_t indent, width; /* width of a line, without the indent */
    size_t used;          /* columns used in the current line */
    string run;           /* text that has to stay on one line */
    size_t run_width;
} text_lines;

static void end_run(text_lines *lines) {
    if (lines->run.length == 0) return;
    if (lines->used > 0 && lines->used + 1 + lines->run_width > lines->width) {
        fputc('\n', lines->out->stream);
        lines->used = 0;
    }
    if (lines->used == 0) fprintf(lines->out->stream, "%*s", (int)lines->indent, "");
    else fputc(' ', lines->out->stream);
    lines->used += lines->run_width + (lines->used > 0);
    fwrite(string_text(&lines->run), 1, lines->run.length, lines->out->stream);
    string_clear(&lines->run);
    lines->run_width = 0;
}

static void marked_text_add(text_lines *lines, const char *text, size_t length) {
    string_add(&lines->run, text, length);
    lines->run_width += text_width(text, length);
}

/* Adds a part of a piece that contains no space. Marks it by color, or by brackets and a sign. */
static void marked_text_add_part(text_lines *lines, const char *text, size_t length, crd_text_mark mark) {
    if (mark == CRD_MARK_NONE) {
        marked_text_add(lines, text, length);
    } else if (lines->out->color) {
        string_format(&lines->run, "%s",
                      output_style_code(lines->out, mark == CRD_MARK_FOR ? STYLE_FOR : STYLE_AGAINST));
        marked_text_add(lines, text, length);
        string_format(&lines->run, "%s", output_style_code(lines->out, STYLE_PLAIN));
    } else {
        marked_text_add(lines, "[", 1);
        marked_text_add(lines, text, length);
        marked_text_add(lines, mark == CRD_MARK_FOR ? "+]" : "-]", 2);
    }
}

void report_write_marked(const crd_result_node *marked, const output *out, size_t indent) {
    enum { PAGE = 100 };
    size_t width = out->width == 0 ? PAGE : out->width;
    text_lines lines = {.out = out, .indent = indent, .width = width > 2 * indent ? width - indent : width};
    fputc('\n', out->stream);
    for (size_t i = 0; i < marked->marked.count; i++) {
        const char *text = marked->marked.pieces[i].text;
        while (*text != '\0') {
            size_t length = strcspn(text, " ");
            if (length > 0) marked_text_add_part(&lines, text, length, marked->marked.pieces[i].mark);
            text += length;
            if (*text == ' ') {
                end_run(&lines);
                text++;
            }
        }
    }
    end_run(&lines);
    fputc('\n', out->stream);
    string_free(&lines.run);
}
