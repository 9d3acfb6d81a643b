/* SPDX-License-Identifier: MIT */
/* report.c - see report.h. The tree is stored as a list of nodes in output order; NODE_END closes a container. */
#include "core/report.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <stdlib.h>
#include <string.h>

/* A block of memory for the texts of nodes and cells. */
typedef struct text_block {
    struct text_block *next;
    size_t used, capacity;
    char bytes[];
} text_block;

struct report {
    report_node *nodes;
    size_t count, capacity;
    text_block *texts;
    const char *group; /* group of the columns that are added next */
    bool is_hidden;
    unsigned audience;    /* formats that the report is written in (FOR_PEOPLE, ...) */
    crd_context *context; /* the library context for drawing; NULL: no pictures */
};

report *report_create(void) {
    report *r = memory_resize(NULL, 1, sizeof *r);
    *r = (report){.audience = FOR_ALL};
    return r;
}

/* Returns whether --plot names a file. Without a value the option is "". */
static bool names_file(const invocation *call) {
    const char *path = arguments_value(&call->arguments, "plot");
    return path != NULL && path[0] != '\0';
}

report *report_create_drawn(const invocation *call) {
    report *r = report_create();
    if (names_file(call)) r->context = call->context;
    return r;
}

report *report_create_for(const invocation *call) {
    const char *format = arguments_value(&call->arguments, "format");
    report *r = report_create_drawn(call);
    if (format != NULL && strcmp(format, "json") == 0) r->audience = FOR_JSON;
    else if (format != NULL && strcmp(format, "csv") == 0) r->audience = FOR_CSV;
    else r->audience = FOR_PEOPLE;
    return r;
}

bool report_is_for(const report *r, unsigned audience) {
    return (r->audience & audience) != 0;
}

static void table_free(report_table *t) {
    free(t->columns);
    free(t->cells);
    free(t->audiences);
    free(t);
}

void report_destroy(report *r) {
    if (r == NULL) return;
    for (size_t i = 0; i < r->count; i++)
        if (r->nodes[i].kind == NODE_TABLE) table_free(r->nodes[i].table);
    free(r->nodes);
    while (r->texts != NULL) {
        text_block *next = r->texts->next;
        free(r->texts);
        r->texts = next;
    }
    free(r);
}

void report_absorb(report *r, report *other) {
    r->nodes = memory_resize(r->nodes, r->count + other->count, sizeof *r->nodes);
    if (other->count > 0) memcpy(r->nodes + r->count, other->nodes, other->count * sizeof *r->nodes);
    r->capacity = r->count += other->count;
    text_block **end = &r->texts;
    while (*end != NULL) end = &(*end)->next;
    *end = other->texts;
    other->texts = NULL;
    other->count = 0;
    report_destroy(other);
}

/* Allocates memory that lives as long as the report, aligned for doubles. */
static void *report_take_room(report *r, size_t bytes) {
    enum { USUAL = 1 << 14, ALIGNED = sizeof(double) };
    bytes = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (r->texts == NULL || r->texts->capacity - r->texts->used < bytes) {
        size_t capacity = bytes > USUAL ? bytes : USUAL;
        text_block *block = memory_resize(NULL, sizeof *block + capacity, 1);
        *block = (text_block){.next = r->texts, .capacity = capacity};
        r->texts = block;
    }
    char *taken = r->texts->bytes + r->texts->used;
    r->texts->used += bytes;
    return taken;
}

/* Copies a text and adds a terminating NUL. */
static crd_text report_keep(report *r, crd_text text) {
    char *copy = report_take_room(r, text.length + 1);
    if (text.length > 0) memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return (crd_text){copy, text.length};
}

static const char *keep_words(report *r, const char *words) {
    return words == NULL ? NULL : report_keep(r, crd_text_of(words)).bytes;
}

static const char *keep_string(report *r, const string *text) {
    return report_keep(r, (crd_text){string_text(text), text->length}).bytes;
}

static const char *keep_format(report *r, const char *format, va_list values) {
    string text = {0};
    string_format_list(&text, format, values);
    const char *kept = keep_string(r, &text);
    string_free(&text);
    return kept;
}

const char *report_format(report *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const char *kept = keep_format(r, format, values);
    va_end(values);
    return kept;
}

const char *report_take(report *r, string *text) {
    const char *kept = keep_string(r, text);
    string_free(text);
    return kept;
}

const char *report_shown(report *r, crd_text name) {
    string shown = {0};
    string_add_shown(&shown, name);
    return report_take(r, &shown);
}

/* ---- Nodes ---- */

static report_node *report_add_node(report *r, node_kind kind, crd_text key) {
    if (r->count == r->capacity) {
        r->capacity = r->capacity == 0 ? 64 : r->capacity * 2;
        r->nodes = memory_resize(r->nodes, r->capacity, sizeof *r->nodes);
    }
    report_node *added = &r->nodes[r->count++];
    *added = (report_node){.kind = kind};
    if (key.bytes != NULL) added->key = report_keep(r, key);
    return added;
}

static crd_text report_key(const char *key) {
    return key == NULL ? (crd_text){NULL, 0} : crd_text_of(key);
}

void report_object(report *r, const char *key) {
    report_add_node(r, NODE_OBJECT, report_key(key));
}

void report_object_named(report *r, crd_text key) {
    report_add_node(r, NODE_OBJECT, key);
}

void report_array(report *r, const char *key) {
    report_add_node(r, NODE_ARRAY, report_key(key));
}

void report_short_object(report *r, const char *key) {
    report_add_node(r, NODE_OBJECT, report_key(key))->is_short = true;
}

void report_array_named(report *r, crd_text key) {
    report_add_node(r, NODE_ARRAY, key);
}

void report_short_array(report *r, const char *key) {
    report_add_node(r, NODE_ARRAY, report_key(key))->is_short = true;
}

void report_end(report *r) {
    report_add_node(r, NODE_END, report_key(NULL));
}

void report_number_named(report *r, crd_text key, double value) {
    report_add_node(r, NODE_NUMBER, key)->number = value;
}

void report_number(report *r, const char *key, double value) {
    report_number_named(r, report_key(key), value);
}

void report_text_named(report *r, crd_text key, crd_text value) {
    crd_text kept = report_keep(r, value);
    report_add_node(r, NODE_TEXT, key)->text = kept;
}

void report_text(report *r, const char *key, crd_text value) {
    report_text_named(r, report_key(key), value);
}

void report_words(report *r, const char *key, const char *value) {
    report_text_named(r, report_key(key), crd_text_of(value));
}

void report_boolean(report *r, const char *key, bool value) {
    report_add_node(r, NODE_BOOLEAN, report_key(key))->boolean = value;
}

void report_null(report *r, const char *key) {
    report_add_node(r, NODE_NULL, report_key(key));
}

void report_numbers(report *r, const char *key, const double *values, size_t count) {
    if (count != 1) report_array(r, key);
    for (size_t i = 0; i < count; i++) report_number(r, count == 1 ? key : NULL, values[i]);
    if (count != 1) report_end(r);
}

/* ---- Prose ---- */

void report_hide(report *r, bool is_hidden) {
    r->is_hidden = is_hidden;
}

static void add_prose_of(report *r, report_prose prose, const char *opening, const char *strong,
                         const char *remainder) {
    if (r->is_hidden) return;
    prose.opening = keep_words(r, opening);
    prose.strong = keep_words(r, strong);
    prose.remainder = keep_words(r, remainder);
    report_add_node(r, NODE_PROSE, report_key(NULL))->prose = prose;
}

static void add_prose(report *r, prose_style style, unsigned level, const char *opening, const char *strong,
                      const char *remainder) {
    add_prose_of(r, (report_prose){.style = style, .level = level}, opening, strong, remainder);
}

void report_top_heading(report *r, const char *title) {
    add_prose(r, PROSE_TOP_HEADING, 1, "", "", title);
}

void report_heading(report *r, unsigned level, const char *heading, const char *remainder) {
    add_prose(r, PROSE_HEADING, level, "", heading, remainder);
}

void report_heading_drawing(report *r, unsigned level, const char *heading, const char *legend) {
    add_prose_of(r, (report_prose){.style = PROSE_HEADING, .level = level, .is_drawing = true}, "", heading, legend);
}

void report_heading_above(report *r, unsigned level, const char *heading, const char *remainder) {
    add_prose(r, PROSE_HEADING_ABOVE, level, "", heading, remainder);
}

void report_verdict(report *r, const char *opening, const char *verdict, const char *remainder) {
    add_prose(r, PROSE_PARAGRAPH, 0, opening, verdict, remainder);
}

/* Adds a formatted line in the given style. */
static void report_add_line(report *r, prose_style style, const char *format, va_list values) {
    string text = {0};
    string_format_list(&text, format, values);
    add_prose(r, style, 0, "", "", string_text(&text));
    string_free(&text);
}

void report_line(report *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    report_add_line(r, PROSE_LINE, format, values);
    va_end(values);
}

void report_list_line(report *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    report_add_line(r, PROSE_LIST_LINE, format, values);
    va_end(values);
}

void report_paragraph(report *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    report_add_line(r, PROSE_PARAGRAPH, format, values);
    va_end(values);
}

void report_remark(report *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    report_add_line(r, PROSE_REMARK, format, values);
    va_end(values);
}

void report_empty_line(report *r) {
    if (r->is_hidden) return;
    report_add_node(r, NODE_PROSE, report_key(NULL))->prose = (report_prose){.style = PROSE_EMPTY_LINE};
}

/* ---- Tables ---- */

report_table *report_add_table_named(report *r, crd_text key) {
    report_table *t = memory_resize(NULL, 1, sizeof *t);
    *t = (report_table){.report = r, .is_headed = true, .indent = 2, .rows_shown = SIZE_MAX, .is_hidden = r->is_hidden};
    report_node *node = report_add_node(r, NODE_TABLE, key);
    node->table = t;
    t->key = node->key.bytes;
    r->group = NULL;
    return t;
}

report_table *report_add_table(report *r, const char *key) {
    return report_add_table_named(r, report_key(key));
}

static report_column *report_add_column(report_table *t, const char *key, const char *title) {
    t->columns = memory_resize(t->columns, t->column_count + 1, sizeof *t->columns);
    report_column *added = &t->columns[t->column_count++];
    *added = (report_column){.key = keep_words(t->report, key),
                             .title = keep_words(t->report, title),
                             .group = t->report->group,
                             .is_left = t->column_count == 1};
    return added;
}

void column_add(report_table *t, const char *key, const char *title) {
    report_add_column(t, key, title);
}

void column_add_left(report_table *t, const char *key, const char *title) {
    report_add_column(t, key, title)->is_left = true;
}

void column_add_named(report_table *t, crd_text name) {
    string shown = {0};
    string_add_shown(&shown, name);
    report_column *added = report_add_column(t, NULL, string_text(&shown));
    added->key = report_keep(t->report, name).bytes;
    string_free(&shown);
}

void column_add_bar(report_table *t) {
    report_column *added = report_add_column(t, NULL, "");
    added->is_left = added->is_bar = true;
}

void column_add_drawing(report_table *t, const char *scale) {
    report_column *added = report_add_column(t, NULL, scale);
    added->is_left = added->is_drawing = true;
}

void column_group(report_table *t, const char *group) {
    t->report->group = keep_words(t->report, group);
}

/* Sets the audience of the row that the next cell belongs to. */
static void begin_row(report_table *t, unsigned audience) {
    size_t row = t->cell_count / t->column_count;
    if (row >= t->audience_room) {
        t->audience_room = t->audience_room == 0 ? 16 : t->audience_room * 2;
        t->audiences = memory_resize(t->audiences, t->audience_room, 1);
    }
    t->audiences[row] = (unsigned char)audience;
}

static report_cell *report_add_cell(report_table *t, cell_kind kind) {
    if (t->cell_count == t->cell_room) {
        t->cell_room = t->cell_room == 0 ? 32 : t->cell_room * 2;
        t->cells = memory_resize(t->cells, t->cell_room, sizeof *t->cells);
    }
    if (t->cell_count % t->column_count == 0) {
        begin_row(t, t->audience == 0 ? FOR_ALL : t->audience);
        t->audience = 0;
    }
    report_cell *added = &t->cells[t->cell_count++];
    *added = (report_cell){.kind = kind};
    return added;
}

void row_begin(report_table *t, unsigned audience) {
    t->audience = audience;
}

void cell_number(report_table *t, double value) {
    report_add_cell(t, CELL_NUMBER)->number = value;
}

void cell_count(report_table *t, double value) {
    report_add_cell(t, CELL_COUNT)->number = value;
}

void cell_list(report_table *t, const double *values, size_t count) {
    double *list = report_take_room(t->report, count * sizeof *list);
    if (count > 0) memcpy(list, values, count * sizeof *list);
    report_cell *cell = report_add_cell(t, CELL_LIST);
    cell->list = list;
    cell->length = count;
}

void cell_name(report_table *t, crd_text name) {
    string shown = {0};
    crd_text kept = report_keep(t->report, name);
    string_add_shown(&shown, name);
    report_cell *cell = report_add_cell(t, CELL_TEXT);
    cell->text = kept.bytes;
    cell->length = kept.length;
    bool is_same =
        shown.length == name.length && (name.length == 0 || memcmp(shown.bytes, name.bytes, name.length) == 0);
    if (!is_same) cell->shown = keep_string(t->report, &shown);
    string_free(&shown);
}

static void add_kept_text(report_table *t, const char *text) {
    report_cell *cell = report_add_cell(t, CELL_TEXT);
    cell->text = text;
    cell->length = strlen(text);
}

void cell_words(report_table *t, const char *words) {
    add_kept_text(t, keep_words(t->report, words));
}

void cell_format(report_table *t, const char *format, ...) {
    va_list values;
    va_start(values, format);
    add_kept_text(t, keep_format(t->report, format, values));
    va_end(values);
}

void cell_shown(report_table *t, double value, const char *format, ...) {
    va_list values;
    va_start(values, format);
    report_cell *cell = report_add_cell(t, CELL_NUMBER);
    cell->number = value;
    cell->shown = keep_format(t->report, format, values);
    va_end(values);
}

void cell_exponential(report_table *t, double log_value) {
    string shown = {0};
    output_add_exponential(&shown, log_value);
    cell_shown(t, crd_exp(log_value), "%s", string_text(&shown));
    string_free(&shown);
}

void cell_fraction(report_table *t, double log_value, const char *fraction) {
    string brief = {0}, shown = {0};
    output_add_exponential(&brief, log_value);
    string_format(&shown, "%s = %s", fraction, string_text(&brief));
    report_cell *cell = report_add_cell(t, CELL_NUMBER);
    cell->number = crd_exp(log_value);
    cell->shown = keep_string(t->report, &shown);
    cell->brief = keep_string(t->report, &brief);
    string_free(&brief);
    string_free(&shown);
}

void cell_null(report_table *t) {
    report_add_cell(t, CELL_NULL);
}

void cell_absent(report_table *t, const char *shown) {
    report_add_cell(t, CELL_ABSENT)->shown = keep_words(t->report, shown);
}

void cell_bar(report_table *t, double fraction) {
    report_add_cell(t, CELL_BAR)->number = fraction;
}

void cell_show_briefly(report_table *t, const char *brief) {
    t->cells[t->cell_count - 1].brief = keep_words(t->report, brief);
}

void cell_show_as(report_table *t, const char *shown) {
    t->cells[t->cell_count - 1].shown = keep_words(t->report, shown);
}

void report_add_curves(report *r, const report_curves *curves) {
    if (r->is_hidden) return;
    report_add_node(r, NODE_CURVES, report_key(NULL))->curves = *curves;
}

void report_add_graph(report *r, const crd_text *names, size_t count, const graph_arc *arcs, size_t arc_count) {
    if (r->is_hidden) return;
    const char **shown = report_take_room(r, (count + 1) * sizeof *shown);
    graph_arc *copies = report_take_room(r, (arc_count + 1) * sizeof *copies);
    for (size_t i = 0; i < count; i++) shown[i] = report_shown(r, names[i]);
    if (arc_count > 0) memcpy(copies, arcs, arc_count * sizeof *copies);
    report_add_node(r, NODE_GRAPH, report_key(NULL))->graph = (graph){shown, count, copies, arc_count};
}

void report_add_marked(report *r, const marked_piece *pieces, size_t count) {
    if (r->is_hidden) return;
    marked_piece *copies = report_take_room(r, (count + 1) * sizeof *copies);
    for (size_t i = 0; i < count; i++) copies[i] = (marked_piece){keep_words(r, pieces[i].text), pieces[i].mark};
    report_add_node(r, NODE_MARKED, report_key(NULL))->marked = (report_marked){copies, count};
}

/* ---- Pictures ---- */

bool report_is_drawn(const report *r) {
    return r->context != NULL && !r->is_hidden;
}

void report_end_drawing(report *r) {
    r->context = NULL;
}

crd_context *report_context(const report *r) {
    return r->context;
}

int report_add_picture(report *r, crd_status status, char **svg, const crd_error *error) {
    if (status != CRD_OK) return message_error(error);
    const char *kept = keep_words(r, *svg);
    report_add_node(r, NODE_PICTURE, report_key(NULL))->picture = kept;
    crd_free(r->context, *svg);
    *svg = NULL;
    return ENDED_WELL;
}

const report_node *report_nodes(const report *r, size_t *count) {
    *count = r->count;
    return r->nodes;
}
