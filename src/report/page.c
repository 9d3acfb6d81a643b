/* SPDX-License-Identifier: MIT */
/* page.c - see study.h.
 *
 * Contents:
 *   1. HTML
 *   2. Page */
#include "report/study.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "plot/svg.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ======== 1. HTML ======== */

/* Maximum number of characters of a text, and of its tooltip. */
enum { SHOWN = 80, TOOLTIP = 600 };

void crd_i_html_join(crd_i_html *html, const void *markup, size_t length) {
    if (!html->has_failed && !crd_i_buffer_append(&html->bytes, markup, length)) html->has_failed = true;
}

void crd_i_html_clear(crd_i_html *html) {
    crd_i_buffer_clear(&html->bytes);
}

static void add_words(crd_i_html *html, const char *markup) {
    crd_i_html_join(html, markup, strlen(markup));
}

/* ---- Texts ---- */

/* Appends at most `most` characters, escaped. Returns whether these are all. */
static bool html_writer_add_escaped(crd_i_html *html, crd_text text, size_t most) {
    for (size_t index = 0, length; index < text.length; index += length, most--) {
        if (most == 0) return false;
        const crd_text markup = crd_i_svg_escape((crd_text){text.bytes + index, text.length - index}, &length);
        crd_i_html_join(html, markup.bytes, markup.length);
    }
    return true;
}

/* Returns the number of characters of a text, at most `most` + 1. */
static size_t count_characters(crd_text text, size_t most) {
    size_t count = 0;
    for (size_t index = 0; index < text.length && count <= most; count++) {
        size_t length = crd_i_utf8_length((crd_text){text.bytes + index, text.length - index});
        index += length == 0 ? 1 : length;
    }
    return count;
}

static void html_writer_add_text(crd_i_html *html, crd_text text) {
    if (text.length == 0) {
        add_words(html, "<i>(empty)</i>");
        return;
    }
    if (count_characters(text, SHOWN) <= SHOWN) {
        (void)html_writer_add_escaped(html, text, SHOWN);
        return;
    }
    add_words(html, "<span title=\"");
    if (!html_writer_add_escaped(html, text, TOOLTIP)) add_words(html, "…");
    add_words(html, "\">");
    (void)html_writer_add_escaped(html, text, SHOWN);
    add_words(html, "…</span>");
}

void crd_i_html_add_whole(crd_i_html *html, crd_text text) {
    (void)html_writer_add_escaped(html, text, SIZE_MAX);
}

/* ---- Numbers ---- */

static double html_writer_power_of_ten(int exponent) {
    double power = 1;
    for (int i = 0; i < exponent; i++) power *= 10; /* exact up to 1e22 */
    return power;
}

/* Formats NaN and infinite values. Returns false for any other value. */
static bool format_special(double value, char out[CRD_I_HTML_NUMBER_ROOM]) {
    if (isnan(value)) strcpy(out, "–");
    else if (isinf(value)) strcpy(out, value > 0 ? "∞" : "−∞");
    else return false;
    return true;
}

static const char *put_sign(bool is_negative, const char *digits, char out[CRD_I_HTML_NUMBER_ROOM]) {
    static const char minus[] = "−";
    size_t sign = is_negative ? sizeof minus - 1 : 0;
    memmove(out + sign, digits, strlen(digits) + 1);
    memcpy(out, minus, sign);
    return out;
}

const char *crd_i_html_fixed(double value, int decimals, char out[CRD_I_HTML_NUMBER_ROOM]) {
    static const double LARGEST = 1e9;
    if (format_special(value, out)) return out;
    if (fabs(value) >= LARGEST) return crd_i_html_number(value, decimals, out);
    uint64_t units = (uint64_t)nearbyint(fabs(value) * html_writer_power_of_ten(decimals)),
             scale = (uint64_t)html_writer_power_of_ten(decimals);
    char digits[CRD_I_HTML_NUMBER_ROOM];
    crd_i_html_count(units / scale, digits);
    size_t index = strlen(digits);
    if (decimals > 0) digits[index++] = '.';
    for (int i = decimals; i > 0; i--) {
        scale /= 10;
        digits[index++] = (char)('0' + units / scale % 10);
    }
    digits[index] = '\0';
    return put_sign(value < 0 && units > 0, digits, out);
}

const char *crd_i_html_number(double value, int digits, char out[CRD_I_HTML_NUMBER_ROOM]) {
    static const double LEAST = 1e-4, LARGEST = 1e6;
    char text[CRD_NUMBER_ROOM];
    if (format_special(value, out)) return out;
    double size = fabs(value);
    if (size == 0) return strcpy(out, "0");
    if (size < LEAST || size >= LARGEST) {
        char plot[CRD_I_PLOT_NUMBER_ROOM];
        return strcpy(out, crd_i_plot_number(value, plot));
    }
    int decimals = digits - 1;
    for (double unit = 10; unit <= size && decimals > 0; unit *= 10) decimals--;
    for (double unit = 1; unit > size; unit /= 10) decimals++;
    double scale = html_writer_power_of_ten(decimals);
    crd_number_format(nearbyint(size * scale) / scale, text);
    return put_sign(value < 0, text, out);
}

const char *crd_i_html_count(uint64_t count, char out[CRD_I_HTML_NUMBER_ROOM]) {
    char digits[32];
    size_t index = sizeof digits, written = 0;
    digits[--index] = '\0';
    do {
        if (written > 0 && written % 3 == 0) digits[--index] = ',';
        digits[--index] = (char)('0' + count % 10);
        written++;
    } while ((count /= 10) > 0);
    return memcpy(out, digits + index, sizeof digits - index);
}

/* ---- Formats ---- */

/* Appends a format with its arguments; see crd_i_html_add. */
static void add_format(crd_i_html *html, const char *format, va_list arguments) {
    char buffer[CRD_I_HTML_NUMBER_ROOM], percent[CRD_I_PLOT_NUMBER_ROOM];
    for (const char *cursor = format, *next; *cursor != '\0'; cursor = next + 2) {
        next = strchr(cursor, '%');
        crd_i_html_join(html, cursor, next == NULL ? strlen(cursor) : (size_t)(next - cursor));
        if (next == NULL) return;
        switch (next[1]) {
        case 's': (void)html_writer_add_escaped(html, crd_text_of(va_arg(arguments, const char *)), SIZE_MAX); break;
        case 't': html_writer_add_text(html, va_arg(arguments, crd_text)); break;
        case 'w':
            if (!html_writer_add_escaped(html, va_arg(arguments, crd_text), SHOWN)) add_words(html, "…");
            break;
        case 'u': add_words(html, crd_i_html_count(va_arg(arguments, uint64_t), buffer)); break;
        case 'n': add_words(html, crd_i_html_number(va_arg(arguments, double), 4, buffer)); break;
        case 'f': add_words(html, crd_i_html_fixed(va_arg(arguments, double), 4, buffer)); break;
        case 'p': {
            double value = va_arg(arguments, double);
            const char *shown = isnan(value) ? "–" : crd_i_plot_percent(value, percent);
            (void)html_writer_add_escaped(html, crd_text_of(shown), SIZE_MAX);
            break;
        }
        default: add_words(html, "%"); break;
        }
    }
}

void crd_i_html_add(crd_i_html *html, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_format(html, format, arguments);
    va_end(arguments);
}

/* ---- Tables and pictures ---- */

void crd_i_html_open_table(crd_i_html *html, const char *caption) {
    crd_i_html_add(html, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">", caption);
    crd_i_html_add(html, "<table><caption>%s</caption><thead><tr>", caption);
    html->column = html->column_count = 0;
    html->numeric = 0;
    html->has_rows = false;
}

void crd_i_html_column(crd_i_html *html, bool is_numeric, const char *format, ...) {
    va_list arguments;
    add_words(html, is_numeric ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
    va_start(arguments, format);
    add_format(html, format, arguments);
    va_end(arguments);
    add_words(html, "</th>");
    if (is_numeric && html->column_count < 64) html->numeric |= (uint64_t)1 << html->column_count;
    html->column_count++;
}

void crd_i_html_row(crd_i_html *html, const char *class_name) {
    add_words(html, html->has_rows ? "</tr><tr" : "</tr></thead><tbody><tr");
    if (class_name != NULL) crd_i_html_add(html, " class=\"%s\"", class_name);
    add_words(html, ">");
    html->has_rows = true;
    html->column = 0;
}

void crd_i_html_open_cell(crd_i_html *html) {
    bool is_numeric = html->column < 64 ? (html->numeric >> html->column & 1) != 0 : true;
    const char *open = is_numeric ? "<td class=\"n\">" : "<td>";
    add_words(html, html->column == 0 ? "<th scope=\"row\">" : open);
}

void crd_i_html_close_cell(crd_i_html *html) {
    add_words(html, html->column == 0 ? "</th>" : "</td>");
    html->column++;
}

void crd_i_html_cell(crd_i_html *html, const char *format, ...) {
    va_list arguments;
    crd_i_html_open_cell(html);
    va_start(arguments, format);
    add_format(html, format, arguments);
    va_end(arguments);
    crd_i_html_close_cell(html);
}

void crd_i_html_close_table(crd_i_html *html) {
    add_words(html, html->has_rows ? "</tr></tbody></table></div>\n" : "</tr></thead></table></div>\n");
}

void crd_i_html_picture(crd_i_html *html, char *svg, const char *caption) {
    if (svg == NULL) return;
    add_words(html, "<figure>");
    crd_i_html_join(html, svg, strlen(svg));
    if (caption != NULL) crd_i_html_add(html, "<figcaption>%s</figcaption>", caption);
    add_words(html, "</figure>\n");
    crd_free(html->bytes.context, svg);
}

/* ======== 2. Page ======== */

/* The light and dark colors are the same as in pictures (src/plot/svg.c). Print is always light. */
static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--box:#f6f8fa;"
    "--accent:#0a5c99;--watch:#8a4b00;--watch-box:#fff6e5}"
    "@media (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#a0a9b3;--line:#353c45;"
    "--box:#161b22;--accent:#7cc0f5;--watch:#e3b341;--watch-box:#241c0b}}"
    "*{box-sizing:border-box}"
    "html{background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\","
    "\"DejaVu Sans\",sans-serif;-webkit-text-size-adjust:100%}"
    "body{margin:0 auto;max-width:56rem;padding:1.5rem 1.25rem 4rem;overflow-wrap:anywhere}"
    "h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0 .25rem}h2{font-size:1.35rem;line-height:1.25;margin:0 0 .6rem}"
    "h3{font-size:1.05rem;margin:1.6rem 0 .4rem}"
    "p{margin:.5rem 0 .8rem;max-width:46rem}.soft,figcaption,caption{color:var(--soft)}"
    "section{border-top:1px solid var(--line);margin-top:2.2rem;padding-top:1.4rem}"
    ".summary{border:1px solid var(--line);background:var(--box);border-radius:6px;padding:1rem "
    "1.2rem;margin-top:1.2rem}"
    ".summary p{font-size:1.05rem}.summary h2{font-size:1.1rem}"
    ".watch{border:1px solid var(--watch);background:var(--watch-box);border-radius:6px;padding:.8rem "
    "1.2rem;margin-top:1rem}"
    ".watch h2{font-size:1.1rem;color:var(--watch)}.watch ul{margin:.3rem 0;padding-left:1.2rem}"
    "nav{margin-top:1.2rem}nav ol{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;margin:.2rem "
    "0;padding:0;list-style:none}"
    "a{color:var(--accent)}a:focus-visible,.wide:focus-visible,summary:focus-visible{outline:2px solid var(--accent);"
    "outline-offset:2px}"
    ".wide{overflow-x:auto;margin:.6rem 0 1rem}"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}"
    "caption{text-align:left;padding:.2rem 0 .4rem;caption-side:top}"
    "th,td{text-align:left;vertical-align:top;padding:.28rem .9rem .28rem 0;border-bottom:1px solid var(--line)}"
    "thead th{border-bottom:2px solid var(--line);color:var(--soft);font-weight:600;vertical-align:bottom}"
    "tbody th{font-weight:500}td,tbody th{max-width:26rem}.n{text-align:right}td.n{white-space:nowrap}"
    "tr.chosen{background:var(--box)}tr.chosen th{font-weight:700}"
    "figure{margin:.8rem 0 1.1rem}figure svg{max-width:100%;height:auto;display:block}"
    "figcaption{font-size:.875rem;max-width:46rem;margin-top:.3rem}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 "
    "1.5rem;align-items:start}"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;margin:1rem 0;padding:0}"
    ".facts div{border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem}"
    ".facts dt{color:var(--soft);font-size:.8rem}.facts dd{margin:0;font-size:1.3rem;font-weight:600;line-height:1.3;"
    "font-variant-numeric:tabular-nums}.facts small{display:block;color:var(--soft);font-weight:400;font-size:.78rem}"
    "pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;white-space:pre-wrap;"
    "font:.85rem/1.5 ui-monospace,\"DejaVu Sans Mono\",monospace}"
    "details{margin:.6rem 0}summary{cursor:pointer;color:var(--accent)}"
    "@page{margin:16mm 14mm}"
    "@media print{:root{color-scheme:light;--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--box:#f6f8fa;"
    "--accent:#1f2328;--watch:#8a4b00;--watch-box:#fff6e5}html{font-size:10.5pt}body{max-width:none;padding:0}"
    "figure,tr,.facts,.summary,.watch,pre{break-inside:avoid}h1,h2,h3,caption,thead{break-after:avoid}ul{break-before:"
    "avoid}"
    ".pair{display:block;orphans:1;widows:1}.pair "
    "figure{display:inline-block;vertical-align:top;width:48%;margin-right:1.5%}nav{display:none}a{color:inherit;text-"
    "decoration:none}.wide{overflow:visible}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}";

crd_status crd_i_page_begin(crd_i_page *page, crd_context *context, const crd_report_options *options,
                            crd_error *error) {
    *page = (crd_i_page){.context = context, .options = CRD_REPORT_OPTIONS_INIT};
    crd_i_html *const writers[] = {&page->summary, &page->warnings, &page->contents, &page->body};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) writers[i]->bytes.context = context;
    if (options != NULL && !crd_i_copy_in(options, &page->options, sizeof page->options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options of the report have no size");
    return CRD_OK;
}

void crd_i_page_clear(crd_i_page *page) {
    crd_i_html_clear(&page->summary);
    crd_i_html_clear(&page->warnings);
    crd_i_html_clear(&page->contents);
    crd_i_html_clear(&page->body);
}

/* ---- Parts ---- */

void crd_i_page_open_section(crd_i_page *page, const char *id, const char *title) {
    crd_i_html_add(&page->contents, "<li><a href=\"#%s\">%s</a></li>", id, title);
    crd_i_html_add(&page->body, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
}

void crd_i_page_close_section(crd_i_page *page) {
    crd_i_html_add(&page->body, "</section>\n");
}

crd_i_html *crd_i_page_begin_warning(crd_i_page *page) {
    page->warning_count++;
    crd_i_html_add(&page->warnings, "<li>");
    return &page->warnings;
}

void crd_i_page_end_warning(crd_i_page *page) {
    crd_i_html_add(&page->warnings, "</li>\n");
}

crd_status crd_i_page_excuse(crd_i_page *page, const char *description, crd_status status, const crd_error *error) {
    switch (status) {
    case CRD_OK: return CRD_OK;
    case CRD_ERROR_EMPTY:
    case CRD_ERROR_LIMIT:
    case CRD_ERROR_SETTING:
    case CRD_ERROR_COLUMN:
    case CRD_ERROR_PROBABILITY:
    case CRD_ERROR_WEIGHT:
    case CRD_ERROR_NOT_CONVERGED:
    case CRD_ERROR_SCHEMA_DIFFERS:
        crd_i_html_add(&page->body, "<p class=\"soft\">Left out: %s. The reason: %s.</p>\n", description,
                       error->message);
        return CRD_OK;
    default: return status;
    }
}

crd_status crd_i_page_picture(crd_i_page *page, crd_status status, char *svg, const char *caption,
                              const crd_error *error) {
    if (status == CRD_OK) crd_i_html_picture(&page->body, svg, caption);
    return crd_i_page_excuse(page, "a picture", status, error);
}

crd_plot_options crd_i_page_plot(const char *title, double width) {
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    if (title != NULL) options.title = crd_text_of(title);
    options.width = width;
    return options;
}

/* ---- The document ---- */

/* Appends the head of the document and its title. */
static void page_add_head(crd_i_html *out, const crd_i_page *page, const crd_i_html *title) {
    /* The policy forbids scripts and requests, so browsers enforce that the page has none. */
    crd_i_html_add(
        out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    crd_i_html_add(out, "<meta name=\"generator\" content=\"Credence %s\">\n<title>", crd_version());
    if (page->options.title.length > 0) crd_i_html_add(out, "%w", page->options.title);
    else crd_i_html_join(out, title->bytes.bytes, title->bytes.length);
    crd_i_html_add(out, "</title>\n<style>");
    crd_i_html_join(out, style, sizeof style - 1);
    crd_i_html_add(out, "</style>\n</head>\n<body>\n<header><h1>");
    if (page->options.title.length > 0) crd_i_html_add(out, "%w", page->options.title);
    else crd_i_html_join(out, title->bytes.bytes, title->bytes.length);
    crd_i_html_add(out, "</h1>\n");
}

/* Appends the body of the document: subject, summary, warnings, contents and sections. */
static void add_body(crd_i_html *out, const crd_i_page *page, const char *subject) {
    crd_i_html_add(out, "<p class=\"soft\">%s", subject);
    if (page->options.name.length > 0) crd_i_html_add(out, " of %t", page->options.name);
    if (page->options.date.length > 0) crd_i_html_add(out, ", %t", page->options.date);
    crd_i_html_add(out, "</p></header>\n<main>\n<div class=\"summary\"><h2>Summary</h2>\n");
    crd_i_html_join(out, page->summary.bytes.bytes, page->summary.bytes.length);
    crd_i_html_add(out, "</div>\n");
    if (page->warning_count > 0) {
        crd_i_html_add(out, "<div class=\"watch\"><h2>Warnings</h2><ul>\n");
        crd_i_html_join(out, page->warnings.bytes.bytes, page->warnings.bytes.length);
        crd_i_html_add(out, "</ul></div>\n");
    }
    crd_i_html_add(out, "<nav aria-label=\"Contents\"><ol>");
    crd_i_html_join(out, page->contents.bytes.bytes, page->contents.bytes.length);
    crd_i_html_add(out, "</ol></nav>\n");
    crd_i_html_join(out, page->body.bytes.bytes, page->body.bytes.length);
    crd_i_html_add(out, "</main>\n</body>\n</html>\n");
}

crd_status crd_i_page_finish(crd_i_page *page, const crd_i_html *title, const char *subject, char **html,
                             crd_error *error) {
    crd_i_html out = {.bytes = {.context = page->context}};
    page_add_head(&out, page, title);
    add_body(&out, page, subject);
    crd_i_html_join(&out, "", 1);
    bool has_failed = out.has_failed || title->has_failed || page->summary.has_failed || page->warnings.has_failed ||
                      page->contents.has_failed || page->body.has_failed;
    crd_i_page_clear(page);
    if (has_failed) {
        crd_i_html_clear(&out);
        return crd_i_fail_memory(error);
    }
    *html = (char *)out.bytes.bytes;
    return CRD_OK;
}
