/* SPDX-License-Identifier: MIT */
/* svg.c - see svg.h.
 *
 * The color palette is Okabe and Ito's (Color Universal Design, 2008), made darker on white and lighter on black. Its
 * colors can be distinguished with any type of color vision. In addition to its color, a line has its own dash
 * pattern. Colors are declared twice: renderers without custom properties use the first declaration.
 *
 * Contents:
 *   1. SVG elements and text
 *   2. Numbers and axes
 *   3. Joined pictures */
#include "plot/svg.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. SVG elements and text ======== */

/* ---- Style: $ is a placeholder for the id ---- */

#define LIGHT                                                                                                          \
    "--crd-paper:var(--jp-layout-color0,var(--vscode-editor-background,#fff));"                                        \
    "--crd-ink:var(--jp-content-font-color0,var(--vscode-editor-foreground,#1f2328));"                                 \
    "--crd-soft:#59636e;--crd-grid:#d8dee4;--crd-box:#f6f8fa;--crd-0:#0072b2;--crd-1:#c04f00;--crd-2:#007a5a;"         \
    "--crd-3:#a8437f;--crd-4:#8a6500;--crd-5:#3f6fd1;--crd-6:#5b5b5b;--crd-7:#7a3fb0"
#define DARK                                                                                                           \
    "--crd-paper:var(--jp-layout-color0,var(--vscode-editor-background,#0d1117));"                                     \
    "--crd-ink:var(--jp-content-font-color0,var(--vscode-editor-foreground,#e6edf3));"                                 \
    "--crd-soft:#a0a9b3;--crd-grid:#353c45;--crd-box:#1b222b;--crd-0:#56b4e9;--crd-1:#f0883e;--crd-2:#2dc79b;"         \
    "--crd-3:#e59ac4;--crd-4:#e3b341;--crd-5:#8fb1ff;--crd-6:#b5b5b5;--crd-7:#c297f0"
#define COLOR(number, light, dashes)                                                                                   \
    "#$ .crd-f" number "{fill:" light ";fill:var(--crd-" number ")}#$ .crd-s" number "{stroke:" light                  \
    ";stroke:var(--crd-" number ")}#$ .crd-d" number "{stroke-dasharray:" dashes "}"

static const char style[] =
    "#${max-width:100%;height:auto;font:12px system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\",\"DejaVu "
    "Sans\",sans-serif;" LIGHT "}"
    "@media (prefers-color-scheme:dark){#${" DARK "}}"
    "[data-jp-theme-light=true] #$,.vscode-light #$,.vscode-high-contrast-light #$,[theme=light] #$,[data-theme=light] "
    "#$,[data-md-color-scheme=default] #${" LIGHT "}"
    "[data-jp-theme-light=false] #$,.vscode-dark #$,.vscode-high-contrast:not(.vscode-high-contrast-light) "
    "#$,[theme=dark] #$,[data-theme=dark] #$,[data-md-color-scheme=slate] "
    "#${" DARK "}"
    "@media print{#${" LIGHT "}}"
    "#$ .crd-paper{fill:#fff;fill:var(--crd-paper)}"
    "#$ text{fill:#1f2328;fill:var(--crd-ink);stroke:none;font-size:12px}"
    "#$ .crd-soft{fill:#59636e;fill:var(--crd-soft)}#$ .crd-small{font-size:10px}"
    "#$ .crd-heading{font-size:14px;font-weight:600}#$ .crd-strong{font-weight:600}"
    "#$ .crd-inverse{fill:#fff;fill:var(--crd-paper)}"
    "#$ path,#$ line{fill:none;stroke:#1f2328;stroke:var(--crd-ink)}"
    "#$ .crd-axis{stroke:#59636e;stroke:var(--crd-soft)}"
    "#$ .crd-grid{stroke:#d8dee4;stroke:var(--crd-grid)}"
    "#$ .crd-reference{stroke:#59636e;stroke:var(--crd-soft);stroke-dasharray:2 4}"
    "#$ .crd-curve{stroke-width:2;stroke-linejoin:round}#$ .crd-area{stroke:none;fill-opacity:.15}"
    "#$ .crd-dense{stroke:none;fill-opacity:.6}#$ .crd-mark{fill:#1f2328;fill:var(--crd-ink)}"
    "#$ .crd-box{fill:#f6f8fa;fill:var(--crd-box);stroke:#59636e;stroke:var(--crd-soft)}"
    "#$ .crd-target{fill:#f6f8fa;fill:var(--crd-box);stroke:#1f2328;stroke:var(--crd-ink);stroke-width:2.5}"
    "#$ .crd-shade{shape-rendering:crispEdges}#$ .crd-round rect{rx:6px}"
    "#$ .crd-cells{fill:#f6f8fa;fill:var(--crd-box);stroke:#d8dee4;stroke:var(--crd-grid)}"
    "#$ .crd-track{fill:#d8dee4;fill:var(--crd-grid)}"
    "#$ .crd-head{fill:#1f2328;fill:var(--crd-ink);stroke:none}" COLOR("0", "#0072b2", "none")
        COLOR("1", "#c04f00", "7 3") COLOR("2", "#007a5a", "2 2") COLOR("3", "#a8437f", "9 3 2 3")
            COLOR("4", "#8a6500", "12 4") COLOR("5", "#3f6fd1", "4 4") COLOR("6", "#5b5b5b", "9 2 2 2 2 2")
                COLOR("7", "#7a3fb0", "1 3");

/* ---- Bytes ---- */

static void svg_add_bytes(crd_i_svg *svg, const void *bytes, size_t length) {
    if (!svg->has_failed && !crd_i_buffer_append(&svg->body, bytes, length)) svg->has_failed = true;
}

void crd_i_svg_add(crd_i_svg *svg, const char *markup) {
    svg_add_bytes(svg, markup, strlen(markup));
}

static void svg_add_count(crd_i_svg *svg, size_t count) {
    char digits[24];
    size_t index = sizeof digits;
    do digits[--index] = (char)('0' + count % 10);
    while ((count /= 10) > 0);
    svg_add_bytes(svg, digits + index, sizeof digits - index);
}

void crd_i_svg_add_number(crd_i_svg *svg, double value) {
    enum { LARGEST = 10000000 };
    if (!(fabs(value) < LARGEST)) value = 0;
    long hundredths = lround(value * 100);
    if (hundredths < 0) crd_i_svg_add(svg, "-");
    size_t size = (size_t)(hundredths < 0 ? -hundredths : hundredths);
    svg_add_count(svg, size / 100);
    if (size % 100 == 0) return;
    char fraction[4] = {'.', (char)('0' + size / 10 % 10), (char)('0' + size % 10), '\0'};
    if (size % 10 == 0) fraction[2] = '\0';
    crd_i_svg_add(svg, fraction);
}

/* Returns the first character of a text and sets *length to its number of bytes. Invalid UTF-8 gives U+FFFD with one
 * byte. */
static uint32_t take_character(crd_text text, size_t *length) {
    size_t bytes = crd_i_utf8_length(text);
    const unsigned char *cursor = (const unsigned char *)text.bytes;
    *length = bytes == 0 ? 1 : bytes;
    switch (bytes) {
    case 1: return cursor[0];
    case 2: return (cursor[0] & 0x1FU) << 6 | (cursor[1] & 0x3FU);
    case 3: return (cursor[0] & 0x0FU) << 12 | (cursor[1] & 0x3FU) << 6 | (cursor[2] & 0x3FU);
    case 4:
        return (cursor[0] & 0x07U) << 18 | (cursor[1] & 0x3FU) << 12 | (cursor[2] & 0x3FU) << 6 | (cursor[3] & 0x3FU);
    default: return 0xFFFD;
    }
}

/* Returns whether a character is replaced: control characters, which XML forbids or which are invisible, characters
 * that change the writing direction of the following text, and noncharacters. */
static bool svg_is_replaced(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
           c == 0x200E || c == 0x200F || c == 0x061C || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
           (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF) || c == 0xFFFD;
}

crd_text crd_i_svg_escape(crd_text text, size_t *length) {
    const uint32_t c = take_character(text, length);
    if (c == '\t' || c == '\n' || c == '\r') return crd_text_of(" ");
    if (svg_is_replaced(c)) return crd_text_of("\xEF\xBF\xBD");
    switch (c) {
    case '<': return crd_text_of("&lt;");
    case '>': return crd_text_of("&gt;");
    case '&': return crd_text_of("&amp;");
    case '"': return crd_text_of("&quot;");
    case '\'': return crd_text_of("&#39;");
    default: return (crd_text){text.bytes, *length};
    }
}

/* Appends text with markup escaped. */
static void svg_add_text(crd_i_svg *svg, crd_text text) {
    for (size_t index = 0, length; index < text.length; index += length) {
        const crd_text markup = crd_i_svg_escape((crd_text){text.bytes + index, text.length - index}, &length);
        svg_add_bytes(svg, markup.bytes, markup.length);
    }
}

/* ---- Widths ---- */

/* Returns the approximate advance width of a character in sans-serif fonts, in hundredths of the font size. */
static unsigned svg_advance(uint32_t c) {
    if (c < 0x80) {
        if (c != '\0' && strchr("iljtfrI.,:;'|!()[] -", (int)c) != NULL) return 38;
        if (c != '\0' && strchr("mwMW@%", (int)c) != NULL) return 95;
        if (c != '\0' && strchr("<>=+~#^&", (int)c) != NULL) return 84;
        return c >= 'A' && c <= 'Z' ? 70 : 61;
    }
    bool is_combining = (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200D) || (c >= 0xFE00 && c <= 0xFE0F);
    if (is_combining) return 0;
    bool is_wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                   (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) || (c >= 0x1F000 && c <= 0x3FFFD);
    return is_wide ? 105 : 66;
}

static size_t svg_hundredths(crd_text text) {
    size_t sum = 0;
    for (size_t index = 0, length; index < text.length; index += length)
        sum += svg_advance(take_character((crd_text){text.bytes + index, text.length - index}, &length));
    return sum;
}

double crd_i_svg_text_width(crd_text text) {
    return (double)svg_hundredths(text) * CRD_I_SVG_TEXT / 100;
}

/* Returns the length in bytes of the longest prefix that fits into `space` pixels together with an ellipsis. Returns
 * the full length if the whole text fits. */
static size_t svg_shorten(crd_text text, double space) {
    enum { ELLIPSIS = 100 };
    size_t used = 0, fitting = 0, most = (size_t)(space * 100 / CRD_I_SVG_TEXT + 0.5);
    for (size_t index = 0, length; index < text.length; index += length) {
        used += svg_advance(take_character((crd_text){text.bytes + index, text.length - index}, &length));
        if (used > most) return fitting;
        if (used + ELLIPSIS <= most) fitting = index + length;
    }
    return text.length;
}

/* ---- Elements ---- */

static void svg_add_attribute(crd_i_svg *svg, const char *name, double value) {
    crd_i_svg_add(svg, " ");
    crd_i_svg_add(svg, name);
    crd_i_svg_add(svg, "=\"");
    crd_i_svg_add_number(svg, value);
    crd_i_svg_add(svg, "\"");
}

static void add_class(crd_i_svg *svg, const char *class_name, size_t number) {
    crd_i_svg_add(svg, " class=\"");
    crd_i_svg_add(svg, class_name);
    if (number != CRD_NONE) svg_add_count(svg, number % CRD_I_SVG_COLORS);
    crd_i_svg_add(svg, "\"");
}

void crd_i_svg_rect(crd_i_svg *svg, const char *class_name, size_t number, double x, double y, double width,
                    double height) {
    crd_i_svg_add(svg, "<rect");
    add_class(svg, class_name, number);
    svg_add_attribute(svg, "x", x);
    svg_add_attribute(svg, "y", y);
    svg_add_attribute(svg, "width", width > 0 ? width : 0);
    svg_add_attribute(svg, "height", height > 0 ? height : 0);
    crd_i_svg_add(svg, "/>");
}

void crd_i_svg_shade(crd_i_svg *svg, size_t number, double share, double x, double y, double width, double height) {
    crd_i_svg_add(svg, "<rect");
    add_class(svg, "crd-shade crd-f", number);
    svg_add_attribute(svg, "fill-opacity", share);
    svg_add_attribute(svg, "x", x);
    svg_add_attribute(svg, "y", y);
    svg_add_attribute(svg, "width", width);
    svg_add_attribute(svg, "height", height);
    crd_i_svg_add(svg, "/>");
}

void crd_i_svg_line(crd_i_svg *svg, const char *class_name, double x1, double y1, double x2, double y2) {
    crd_i_svg_add(svg, "<line");
    add_class(svg, class_name, CRD_NONE);
    svg_add_attribute(svg, "x1", x1);
    svg_add_attribute(svg, "y1", y1);
    svg_add_attribute(svg, "x2", x2);
    svg_add_attribute(svg, "y2", y2);
    crd_i_svg_add(svg, "/>");
}

void crd_i_svg_circle(crd_i_svg *svg, const char *class_name, size_t number, double x, double y, double radius) {
    crd_i_svg_add(svg, "<circle");
    add_class(svg, class_name, number);
    svg_add_attribute(svg, "cx", x);
    svg_add_attribute(svg, "cy", y);
    svg_add_attribute(svg, "r", radius);
    crd_i_svg_add(svg, "/>");
}

/* Appends the first `length` bytes of a text, followed by an ellipsis if the text is longer. */
static void svg_add_beginning(crd_i_svg *svg, crd_text text, size_t length) {
    svg_add_text(svg, (crd_text){text.bytes, length});
    if (length < text.length) crd_i_svg_add(svg, "\xE2\x80\xA6");
}

/* Appends at most 400 characters of a text, because a name may be a whole document. */
static void add_limited(crd_i_svg *svg, crd_text text) {
    enum { MOST = 400 };
    size_t index = 0, characters = 0;
    for (size_t length; index < text.length && characters < MOST; index += length, characters++)
        take_character((crd_text){text.bytes + index, text.length - index}, &length);
    svg_add_beginning(svg, text, index);
}

static void svg_add_title(crd_i_svg *svg, crd_text text) {
    crd_i_svg_add(svg, "<title>");
    add_limited(svg, text);
    crd_i_svg_add(svg, "</title>");
}

static void svg_open_text(crd_i_svg *svg, const char *class_name, crd_i_svg_anchor anchor, double x, double y) {
    crd_i_svg_add(svg, "<text");
    if (*class_name != '\0') add_class(svg, class_name, CRD_NONE);
    svg_add_attribute(svg, "x", x);
    svg_add_attribute(svg, "y", y);
    if (anchor != CRD_I_SVG_START)
        crd_i_svg_add(svg, anchor == CRD_I_SVG_MIDDLE ? " text-anchor=\"middle\"" : " text-anchor=\"end\"");
    crd_i_svg_add(svg, ">");
}

void crd_i_svg_label(crd_i_svg *svg, const char *class_name, crd_i_svg_anchor anchor, double x, double y, crd_text text,
                     double space) {
    if (text.length == 0) return;
    size_t length = space > 0 ? svg_shorten(text, space) : text.length;
    svg_open_text(svg, class_name, anchor, x, y);
    if (length < text.length) svg_add_title(svg, text);
    svg_add_beginning(svg, text, length);
    crd_i_svg_add(svg, "</text>");
}

static const crd_text equals = {" = ", 3};

double crd_i_svg_pair_width(crd_text name, crd_text note) {
    double width = crd_i_svg_text_width(name);
    return note.length == 0 ? width : width + crd_i_svg_text_width(equals) + crd_i_svg_text_width(note);
}

void crd_i_svg_label_pair(crd_i_svg *svg, const char *class_name, double x, double y, crd_text name, crd_text note,
                          double space) {
    if (note.length == 0) {
        crd_i_svg_label(svg, class_name, CRD_I_SVG_END, x, y, name, space);
        return;
    }
    /* If both are too long, each gets half of the space. Otherwise the shorter one is not shortened. */
    double both = space - crd_i_svg_text_width(equals), own = crd_i_svg_text_width(name),
           other = crd_i_svg_text_width(note);
    if (own + other > both) {
        if (own > both / 2 && other > both / 2) own = other = both / 2;
        else if (own > other) own = both - other;
        else other = both - own;
    }
    size_t name_length = svg_shorten(name, own), note_length = svg_shorten(note, other);
    svg_open_text(svg, class_name, CRD_I_SVG_END, x, y);
    if (name_length < name.length || note_length < note.length) {
        crd_i_svg_add(svg, "<title>");
        add_limited(svg, name);
        crd_i_svg_add(svg, equals.bytes);
        add_limited(svg, note);
        crd_i_svg_add(svg, "</title>");
    }
    svg_add_beginning(svg, name, name_length);
    crd_i_svg_add(svg, " <tspan class=\"crd-soft\">= ");
    svg_add_beginning(svg, note, note_length);
    crd_i_svg_add(svg, "</tspan></text>");
}

void crd_i_svg_open_group(crd_i_svg *svg, crd_text tooltip) {
    crd_i_svg_add(svg, "<g>");
    if (tooltip.length > 0) svg_add_title(svg, tooltip);
}

void crd_i_svg_close_group(crd_i_svg *svg) {
    crd_i_svg_add(svg, "</g>");
}

void crd_i_svg_open_path(crd_i_svg *svg, const char *class_name, size_t number) {
    crd_i_svg_add(svg, "<path");
    add_class(svg, class_name, number);
    crd_i_svg_add(svg, " d=\"");
}

void crd_i_svg_open_curve(crd_i_svg *svg, size_t number) {
    crd_i_svg_add(svg, "<path class=\"crd-curve crd-s");
    svg_add_count(svg, number % CRD_I_SVG_COLORS);
    crd_i_svg_add(svg, " crd-d");
    svg_add_count(svg, (number + number / CRD_I_SVG_COLORS) % CRD_I_SVG_COLORS);
    crd_i_svg_add(svg, "\" d=\"");
}

void crd_i_svg_point(crd_i_svg *svg, char command, double x, double y) {
    svg_add_bytes(svg, &command, 1);
    crd_i_svg_add_number(svg, x);
    crd_i_svg_add(svg, " ");
    crd_i_svg_add_number(svg, y);
}

void crd_i_svg_close_path(crd_i_svg *svg) {
    crd_i_svg_add(svg, "\"/>");
}

/* ---- The document ---- */

enum { WIDEST_SHRUNK = 1100 };
/* Ratio of the widths of bold and normal text. */
static const double BOLD = 1.12;

crd_status crd_i_svg_begin(crd_i_svg *svg, crd_context *context, const crd_plot_options *options, double width,
                           crd_error *error) {
    crd_plot_options given = CRD_PLOT_OPTIONS_INIT;
    *svg = (crd_i_svg){.body = {.context = context}, .description = {.context = context}};
    if (options != NULL && !crd_i_copy_in(options, &given, sizeof given))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options of a picture have no size");
    if (given.width != 0 && !(given.width >= 240 && given.width <= 2000))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the width of a picture is not from 240 to 2000");
    svg->width = given.width != 0 ? given.width : width;
    svg->height = 8;
    if (given.title.length > 0) svg->height = 32;
    return CRD_OK;
}

void crd_i_svg_clear(crd_i_svg *svg) {
    crd_i_buffer_clear(&svg->body);
    crd_i_buffer_clear(&svg->description);
}

/* The escaping functions append to the body, so this uses a second writer whose body is the description. */
void crd_i_svg_describe(crd_i_svg *svg, crd_text name, const char *value) {
    enum { MOST = 24 };
    if (svg->described > MOST) return;
    crd_i_svg text = {.body = svg->description};
    if (svg->described++ == MOST) {
        crd_i_svg_add(&text, "; \xE2\x80\xA6");
    } else {
        crd_i_svg_add(&text, svg->described == 1 ? "" : "; ");
        svg_add_beginning(&text, name, svg_shorten(name, 400));
        crd_i_svg_add(&text, name.length > 0 && value[0] != '\0' ? ": " : "");
        svg_add_text(&text, crd_text_of(value));
    }
    svg->description = text.body;
    svg->has_failed = svg->has_failed || text.has_failed;
}

/* Updates a 64-bit FNV-1a hash (Fowler, Noll and Vo). */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3U;
    return hash;
}

/* Sets `id` to "crd-" and 16 hexadecimal digits of a hash of the body, the description and the title. */
static void make_id(const crd_i_svg *svg, crd_text title, char id[21]) {
    uint64_t hash = hash_bytes(0xCBF29CE484222325U, svg->body.bytes, svg->body.length);
    hash = hash_bytes(hash, svg->description.bytes, svg->description.length);
    hash = hash_bytes(hash, title.bytes, title.length);
    memcpy(id, "crd-", 4);
    for (int i = 0; i < 16; i++) id[4 + i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    id[20] = '\0';
}

/* Appends a template text with each $ replaced by the id. */
static void add_template(crd_i_svg *svg, const char *text, const char *id) {
    for (const char *next; (next = strchr(text, '$')) != NULL; text = next + 1) {
        svg_add_bytes(svg, text, (size_t)(next - text));
        crd_i_svg_add(svg, id);
    }
    crd_i_svg_add(svg, text);
}

/* Appends everything before the body: the svg element, title, description, style sheet, background and heading. */
static void svg_add_head(crd_i_svg *svg, const crd_i_svg *source_svg, const crd_plot_options *options, const char *kind,
                         const char *id) {
    add_template(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"$\" role=\"", id);
    crd_i_svg_add(svg, source_svg->is_group ? "group" : "img");
    add_template(svg, "\" aria-labelledby=\"$-t\" aria-describedby=\"$-d\"", id);
    svg_add_attribute(svg, "width", source_svg->width);
    svg_add_attribute(svg, "height", source_svg->height);
    crd_i_svg_add(svg, " viewBox=\"0 0 ");
    crd_i_svg_add_number(svg, source_svg->width);
    crd_i_svg_add(svg, " ");
    crd_i_svg_add_number(svg, source_svg->height);
    /* A picture that is wider than this would be unreadable when it shrinks to the page width. It keeps its width, and
     * the page scrolls. */
    crd_i_svg_add(svg, source_svg->width > WIDEST_SHRUNK ? "\" style=\"max-width:none" : "");
    add_template(svg, "\"><title id=\"$-t\">", id);
    add_limited(svg, options->title.length > 0 ? options->title : crd_text_of(kind));
    add_template(svg, "</title><desc id=\"$-d\">", id);
    if (options->description.length > 0) svg_add_text(svg, options->description);
    else if (source_svg->description.length > 0)
        svg_add_bytes(svg, source_svg->description.bytes, source_svg->description.length);
    else crd_i_svg_add(svg, "nothing to show");
    crd_i_svg_add(svg, "</desc><style>");
    add_template(svg, style, id);
    crd_i_svg_add(svg, "</style>");
    crd_i_svg_rect(svg, "crd-paper", CRD_NONE, 0, 0, source_svg->width, source_svg->height);
    crd_i_svg_label(svg, "crd-heading", CRD_I_SVG_START, 8, 20, options->title,
                    (source_svg->width - 16) * CRD_I_SVG_TEXT / CRD_I_SVG_HEADING / BOLD);
}

crd_status crd_i_svg_finish(crd_i_svg *svg, const crd_plot_options *options, const char *kind, char **out,
                            crd_error *error) {
    crd_plot_options given = CRD_PLOT_OPTIONS_INIT;
    if (options != NULL && !crd_i_copy_in(options, &given, sizeof given))
        given = (crd_plot_options)CRD_PLOT_OPTIONS_INIT;
    crd_i_svg whole = {.body = {.context = svg->body.context}, .description = {.context = svg->body.context}};
    char id[21];
    make_id(svg, given.title, id);
    svg_add_head(&whole, svg, &given, kind, id);
    svg_add_bytes(&whole, svg->body.bytes, svg->body.length);
    svg_add_bytes(&whole, "</svg>", sizeof "</svg>");
    bool has_failed = svg->has_failed || whole.has_failed;
    crd_i_svg_clear(svg);
    if (has_failed) {
        crd_i_svg_clear(&whole);
        return crd_i_fail_memory(error);
    }
    *out = (char *)whole.body.bytes;
    return CRD_OK;
}

/* ======== 2. Numbers and axes ========
 *
 * Powers of ten are parsed from text, because the results of pow differ between C libraries. */

#define MINUS "\xE2\x88\x92"
#define INFINITY_SIGN "\xE2\x88\x9E"

/* Values beyond these limits are drawn as infinite, or as 0. */
static const double LARGEST = 1e300, SMALLEST = 1e-300;

/* Returns 10^exponent, correctly rounded. */
static double plot_number_power_of_ten(int exponent) {
    char text[8] = {'1', 'e'};
    size_t index = 2;
    if (exponent < 0) text[index++] = '-';
    int size = abs(exponent);
    for (int unit = size >= 100 ? 100 : size >= 10 ? 10 : 1; unit > 0; unit /= 10)
        text[index++] = (char)('0' + size / unit % 10);
    double value = 1;
    crd_number_parse((crd_text){text, index}, &value);
    return value;
}

/* Returns the decimal exponent of the first digit of a positive number. */
static int decimal_exponent(double value) {
    int exponent = (int)floor(log10(value));
    if (plot_number_power_of_ten(exponent) > value) exponent--;
    if (plot_number_power_of_ten(exponent + 1) <= value) exponent++;
    return exponent;
}

static void plot_number_append(char out[CRD_I_PLOT_NUMBER_ROOM], const char *text) {
    size_t length = strlen(out), capacity = CRD_I_PLOT_NUMBER_ROOM - 1 - length, more = strlen(text);
    memcpy(out + length, text, more < capacity ? more : capacity);
    out[length + (more < capacity ? more : capacity)] = '\0';
}

/* Appends a nonnegative number, to three significant digits. */
static void append_size(double value, char out[CRD_I_PLOT_NUMBER_ROOM]) {
    char text[CRD_NUMBER_ROOM];
    if (value > LARGEST) {
        plot_number_append(out, INFINITY_SIGN);
        return;
    }
    if (value < SMALLEST) {
        plot_number_append(out, "0");
        return;
    }
    int exponent = decimal_exponent(value);
    if (exponent >= 2 && exponent < 6) {
        crd_number_format(nearbyint(value), text);
        plot_number_append(out, text);
        return;
    }
    double digits =
        exponent >= 2 ? value / plot_number_power_of_ten(exponent - 2) : value * plot_number_power_of_ten(2 - exponent);
    digits = nearbyint(digits);
    if (exponent >= -4 && exponent < 6) {
        crd_number_format(digits / plot_number_power_of_ten(2 - exponent), text);
        plot_number_append(out, text);
        return;
    }
    if (digits >= 1000) {
        digits /= 10;
        exponent++;
    }
    crd_number_format(digits / 100, text);
    plot_number_append(out, text);
    plot_number_append(out, "e");
    if (exponent < 0) plot_number_append(out, MINUS);
    crd_number_format(abs(exponent), text);
    plot_number_append(out, text);
}

const char *crd_i_plot_number(double value, char out[CRD_I_PLOT_NUMBER_ROOM]) {
    out[0] = '\0';
    if (isnan(value)) plot_number_append(out, "?");
    else append_size(fabs(value), out);
    if (value < 0 && strcmp(out, "0") != 0) {
        memmove(out + strlen(MINUS), out, strlen(out) + 1);
        memcpy(out, MINUS, strlen(MINUS));
    }
    return out;
}

const char *crd_i_plot_signed(double value, char out[CRD_I_PLOT_NUMBER_ROOM]) {
    crd_i_plot_number(value, out);
    if (!(value > 0) || strcmp(out, "0") == 0) return out;
    memmove(out + 1, out, strlen(out) + 1);
    out[0] = '+';
    return out;
}

const char *crd_i_plot_percent(double value, char out[CRD_I_PLOT_NUMBER_ROOM]) {
    char text[CRD_NUMBER_ROOM];
    out[0] = '\0';
    if (!(value >= 0 && value <= 1.0000001)) return crd_i_plot_number(value, out);
    if (value > 0 && value < 0.0005) plot_number_append(out, "<0.1");
    else if (value < 1 && value >= 0.9995) plot_number_append(out, ">99.9");
    else {
        crd_number_format(nearbyint(value * 1000) / 10, text);
        plot_number_append(out, text);
    }
    plot_number_append(out, "%");
    return out;
}

/* ---- Axes ---- */

void crd_i_plot_axis_begin(crd_i_plot_axis *axis) {
    *axis = (crd_i_plot_axis){.least = INFINITY, .greatest = -INFINITY};
}

void crd_i_plot_axis_cover(crd_i_plot_axis *axis, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i]) <= LARGEST)) continue;
        double value = fabs(values[i]) < SMALLEST ? 0 : values[i];
        if (value < axis->least) axis->least = value;
        if (value > axis->greatest) axis->greatest = value;
    }
}

void crd_i_plot_axis_cover_bars(crd_i_plot_axis *axis, const double *values, size_t count) {
    static const double zero = 0;
    crd_i_plot_axis_cover(axis, &zero, 1);
    crd_i_plot_axis_cover(axis, values, count);
    double size = fmax(fabs(axis->least), fabs(axis->greatest));
    if (size == 0) size = 1;
    for (size_t i = 0; i < count; i++) {
        if (values[i] > LARGEST) axis->greatest = fmax(axis->greatest, size);
        if (values[i] < -LARGEST) axis->least = fmin(axis->least, -size);
    }
}

void crd_i_plot_axis_place(crd_i_plot_axis *axis, double start, double upper, size_t ticks) {
    if (axis->least > axis->greatest) {
        axis->least = 0;
        axis->greatest = 1;
    }
    double smallest = fmax(fabs(axis->least), fabs(axis->greatest)) * 1e-9;
    if (axis->greatest - axis->least <= smallest) {
        double margin = axis->least == 0 ? 0.5 : fabs(axis->least) * 0.1;
        axis->least -= margin;
        axis->greatest += margin;
    }
    axis->start = start;
    axis->end = upper;
    double rough = (axis->greatest - axis->least) / (double)ticks;
    if (rough < SMALLEST) rough = SMALLEST;
    double power = plot_number_power_of_ten(decimal_exponent(rough));
    axis->step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
}

bool crd_i_plot_axis_tick(const crd_i_plot_axis *axis, size_t number, double *value,
                          char text[CRD_I_PLOT_NUMBER_ROOM]) {
    double first = ceil(axis->least / axis->step - 1e-9), multiple = first + (double)number;
    *value = multiple * axis->step;
    if (*value > axis->greatest + axis->step * 1e-9) return false;
    /* For a step below 1, divide by its reciprocal, which is a whole number. Ticks are then the doubles nearest to
     * their decimal values. */
    if (axis->step < 1) *value = multiple / nearbyint(1 / axis->step * 5) * 5;
    crd_i_plot_number(*value, text);
    return true;
}

double crd_i_plot_axis_at(const crd_i_plot_axis *axis, double value) {
    double share = (value - axis->least) / (axis->greatest - axis->least);
    if (value > LARGEST || share > 1) share = 1;
    if (value < -LARGEST || share < 0) share = 0;
    return axis->start + share * (axis->end - axis->start);
}

/* ======== 3. Joined pictures ========
 *
 * The joined picture places the pictures side by side and has a single style sheet. */

enum { WIDTH = 980, GAP = 16, MOST_PICTURES = 10000 };

/* The parts of a picture. */
typedef struct picture_parts {
    double width, height;
    crd_text title, description, drawing; /* still escaped */
} picture_parts;

/* Sets *out to the text between two marks, searched from *cursor. Moves *cursor to the end of the second mark. Returns
 * false if the marks are not found. */
static bool take_between(const char **cursor, const char *before, const char *after, crd_text *out) {
    const char *start = strstr(*cursor, before);
    if (start == NULL) return false;
    start += strlen(before);
    const char *end = strstr(start, after);
    if (end == NULL) return false;
    *out = (crd_text){start, (size_t)(end - start)};
    *cursor = end + strlen(after);
    return true;
}

/* Reads a number between the mark `before` and a quote. Returns false if it is not a positive number below 1e7. */
static bool plot_join_take_number(const char **cursor, const char *before, double *out) {
    crd_text text;
    return take_between(cursor, before, "\"", &text) && crd_number_parse(text, out) == CRD_NUMBER_FINITE && *out > 0 &&
           *out < 1e7;
}

/* Splits a picture into its parts, which point into `picture`. Returns false if it is not a picture of
 * crd_i_svg_finish. */
static bool plot_join_take_parts(const char *picture, picture_parts *out) {
    static const char HEAD[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"crd-", END[] = "</svg>";
    const char *cursor = picture;
    size_t length = strlen(picture);
    crd_text skipped;
    if (strncmp(picture, HEAD, sizeof HEAD - 1) != 0 || length < sizeof END ||
        strcmp(picture + length - (sizeof END - 1), END) != 0)
        return false;
    bool is_one = plot_join_take_number(&cursor, " width=\"", &out->width) &&
                  plot_join_take_number(&cursor, " height=\"", &out->height) &&
                  take_between(&cursor, "-t\">", "</title>", &out->title) &&
                  take_between(&cursor, "-d\">", "</desc>", &out->description) &&
                  take_between(&cursor, "<style>", "</style>", &skipped);
    if (is_one) out->drawing = (crd_text){cursor, (size_t)(picture + length - cursor) - (sizeof END - 1)};
    return is_one;
}

static void plot_join_add_text(crd_i_svg *svg, crd_text text) {
    if (!svg->has_failed && !crd_i_buffer_append(&svg->body, text.bytes, text.length)) svg->has_failed = true;
}

static void plot_join_add_picture(crd_i_svg *svg, const picture_parts *parts, double x, double y) {
    crd_i_svg_add(svg, "<g role=\"img\" transform=\"translate(");
    crd_i_svg_point(svg, ' ', x, y);
    crd_i_svg_add(svg, ")\"><title>");
    plot_join_add_text(svg, parts->title);
    crd_i_svg_add(svg, "</title><desc>");
    plot_join_add_text(svg, parts->description);
    crd_i_svg_add(svg, "</desc>");
    plot_join_add_text(svg, parts->drawing);
    crd_i_svg_add(svg, "</g>");
}

/* Places the pictures from left to right in rows, and the rows from top to bottom. */
static void plot_join_place(crd_i_svg *svg, const picture_parts *parts, size_t count) {
    double x = 0, lowest = svg->height, widest = 0;
    const double most = svg->width;
    for (size_t i = 0; i < count; i++) {
        if (x > 0 && x + parts[i].width > most) {
            x = 0;
            svg->height = lowest + GAP;
        }
        plot_join_add_picture(svg, &parts[i], x, svg->height);
        lowest = fmax(lowest, svg->height + parts[i].height);
        x += parts[i].width;
        widest = fmax(widest, x);
        x += GAP;
    }
    svg->width = fmax(240, widest);
    svg->height = lowest;
}

crd_status crd_plot_join(crd_context *context, const char *const *pictures, size_t count,
                         const crd_plot_options *options, char **svg, crd_error *error) {
    *svg = NULL;
    if (count > MOST_PICTURES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "cannot join more than %d pictures", MOST_PICTURES);
    picture_parts *parts = crd_i_alloc(context, count, sizeof *parts);
    if (parts == NULL) return crd_i_fail_memory(error);
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, WIDTH, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (!plot_join_take_parts(pictures[i], &parts[i]))
            status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "picture %zu was not drawn by this library", i);
    if (status == CRD_OK) {
        char text[CRD_I_PLOT_NUMBER_ROOM];
        target_svg.is_group = true;
        crd_i_svg_describe(&target_svg, (crd_text){"pictures", 8}, crd_i_plot_number((double)count, text));
        plot_join_place(&target_svg, parts, count);
        status = crd_i_svg_finish(&target_svg, options, "Pictures", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    crd_free(context, parts);
    return status;
}
