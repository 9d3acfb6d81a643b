/* SPDX-License-Identifier: MIT */
/* marked_text.c - texts with marked pieces, in lines: see report_renderer.h. */
#include "core/report_renderer.h"

#include <string.h>

/* The line that is being filled. */
typedef struct lines {
    const output *out;
    size_t indent, width; /* of a line */
    size_t used;          /* of this one */
    string run;           /* what has to stay on one line */
    size_t run_width;
} lines;

static void end_run(lines *to) {
    if (to->run.length == 0) return;
    if (to->used > 0 && to->used + 1 + to->run_width > to->width) {
        fputc('\n', to->out->stream);
        to->used = 0;
    }
    if (to->used == 0) fprintf(to->out->stream, "%*s", (int)to->indent, "");
    else fputc(' ', to->out->stream);
    to->used += to->run_width + (to->used > 0);
    fwrite(string_text(&to->run), 1, to->run.length, to->out->stream);
    string_clear(&to->run);
    to->run_width = 0;
}

static void add(lines *to, const char *text, size_t length) {
    string_add(&to->run, text, length);
    to->run_width += text_width(text, length);
}

/* A part of a piece that has no blank in it. */
static void add_part(lines *to, const char *text, size_t length, text_mark mark) {
    if (mark == MARK_NONE) {
        add(to, text, length);
    } else if (to->out->colour) {
        string_format(&to->run, "%s", output_style_code(to->out, mark == MARK_FOR ? STYLE_FOR : STYLE_AGAINST));
        add(to, text, length);
        string_format(&to->run, "%s", output_style_code(to->out, STYLE_PLAIN));
    } else {
        add(to, "[", 1);
        add(to, text, length);
        add(to, mark == MARK_FOR ? "+]" : "-]", 2);
    }
}

void report_write_marked(const report_marked *marked, const output *out, size_t indent) {
    enum { PAGE = 100 };
    size_t width = out->width == 0 ? PAGE : out->width;
    lines to = {.out = out, .indent = indent, .width = width > 2 * indent ? width - indent : width};
    fputc('\n', out->stream);
    for (size_t i = 0; i < marked->count; i++) {
        const char *text = marked->pieces[i].text;
        while (*text != '\0') {
            size_t length = strcspn(text, " ");
            if (length > 0) add_part(&to, text, length, marked->pieces[i].mark);
            text += length;
            if (*text == ' ') {
                end_run(&to);
                text++;
            }
        }
    }
    end_run(&to);
    fputc('\n', out->stream);
    string_free(&to.run);
}
