/* SPDX-License-Identifier: MIT */
/* html_writer.c - see html_writer.h. */
#include "report/html_writer.h"

#include "base/utf8.h"
#include "plot/svg.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

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
