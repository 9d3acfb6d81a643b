/* SPDX-License-Identifier: MIT */
/* result.c - builds results; see credence/result.h. The tree is stored as a list of nodes in output order;
 * CRD_RESULT_END closes a container. A failed allocation is remembered. Later additions are then dropped, and tables are
 * replaced by one spare table.
 *
 * Contents:
 *   1. Results and their memory
 *   2. Texts
 *   3. Values
 *   4. Prose
 *   5. Tables
 *   6. Curves, graphs, marked texts and pictures */
#include <credence/result.h>

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Results and their memory ======== */

/* A block of memory for the texts of nodes and cells. */
typedef struct result_block {
    struct result_block *next;
    size_t used, capacity;
    char bytes[];
} result_block;

struct crd_result {
    crd_context *context;
    crd_result_node *nodes;
    size_t count, capacity;
    result_block *blocks;
    crd_text next_key; /* the key of the next node; bytes NULL: none */
    unsigned audience;
    bool is_hidden, has_failed;
    /* What functions return after a failed allocation. */
    crd_result_table spare_table;
    crd_result_column spare_column;
};

crd_status crd_result_create(crd_context *context, unsigned audience, crd_result **out, crd_error *error) {
    crd_result *result = crd_i_alloc_zeroed(context, 1, sizeof *result);
    *out = result;
    if (result == NULL) return crd_i_fail_memory(error);
    result->context = context;
    result->audience = audience;
    result->spare_table.result = result;
    return CRD_OK;
}

static void result_table_destroy(crd_context *context, crd_result_table *table) {
    crd_free(context, table->columns);
    crd_free(context, table->cells);
    crd_free(context, table->audiences);
    crd_free(context, table);
}

void crd_result_destroy(crd_result *result) {
    if (result == NULL) return;
    crd_context *context = result->context;
    for (size_t i = 0; i < result->count; i++)
        if (result->nodes[i].type == CRD_RESULT_TABLE) result_table_destroy(context, result->nodes[i].table);
    crd_free(context, result->nodes);
    while (result->blocks != NULL) {
        result_block *next = result->blocks->next;
        crd_free(context, result->blocks);
        result->blocks = next;
    }
    crd_free(context, result);
}

void crd_result_append(crd_result *result, crd_result *other) {
    result->has_failed = result->has_failed || other->has_failed ||
                         !crd_i_reserve(result->context, &result->nodes, &result->capacity,
                                        result->count + other->count, sizeof *result->nodes);
    for (size_t i = 0; !result->has_failed && i < other->count; i++) {
        if (other->nodes[i].type == CRD_RESULT_TABLE) other->nodes[i].table->result = result;
        result->nodes[result->count++] = other->nodes[i];
    }
    if (!result->has_failed) {
        result_block **end = &result->blocks;
        while (*end != NULL) end = &(*end)->next;
        *end = other->blocks;
        other->blocks = NULL;
        other->count = 0;
    }
    crd_result_destroy(other);
}

int crd_result_is_for(const crd_result *result, unsigned audience) {
    if (audience == CRD_FOR_PICTURES && result->is_hidden) return 0;
    return (result->audience & audience) != 0;
}

crd_context *crd_result_context(const crd_result *result) {
    return result->context;
}

crd_status crd_result_check(const crd_result *result, crd_error *error) {
    return result->has_failed ? crd_i_fail_memory(error) : CRD_OK;
}

const crd_result_node *crd_result_nodes(const crd_result *result, size_t *count) {
    *count = result->count;
    return result->nodes;
}

/* Allocates memory that lives as long as the result, aligned for doubles. Returns NULL if memory runs out. */
static void *result_room(crd_result *result, size_t bytes) {
    enum { USUAL = 1 << 14, ALIGNED = sizeof(double) };
    bytes = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (result->has_failed) return NULL;
    if (result->blocks == NULL || result->blocks->capacity - result->blocks->used < bytes) {
        const size_t capacity = bytes > USUAL ? bytes : USUAL;
        result_block *block = crd_i_alloc(result->context, sizeof *block + capacity, 1);
        result->has_failed = block == NULL;
        if (block == NULL) return NULL;
        *block = (result_block){.next = result->blocks, .capacity = capacity};
        result->blocks = block;
    }
    char *room = result->blocks->bytes + result->blocks->used;
    result->blocks->used += bytes;
    return room;
}

/* ======== 2. Texts ======== */

/* Copies a text and adds a terminating NUL. Returns the empty text if memory runs out. */
static crd_text result_keep(crd_result *result, crd_text text) {
    char *copy = result_room(result, text.length + 1);
    if (copy == NULL) return (crd_text){"", 0};
    if (text.length > 0) memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return (crd_text){copy, text.length};
}

static const char *result_keep_words(crd_result *result, const char *words) {
    return words == NULL ? NULL : result_keep(result, crd_text_of(words)).bytes;
}

static const char *result_keep_format(crd_result *result, const char *format, va_list values) {
    va_list again;
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *room = length < 0 ? NULL : result_room(result, (size_t)length + 1);
    if (room == NULL) return "";
    vsnprintf(room, (size_t)length + 1, format, values);
    return room;
}

const char *crd_result_format(crd_result *result, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const char *text = result_keep_format(result, format, values);
    va_end(values);
    return text;
}

const char *crd_result_show(crd_result *result, crd_text name) {
    enum { MOST_PER_BYTE = 4 };
    char *room = result_room(result, MOST_PER_BYTE * name.length + 1);
    if (room == NULL) return "";
    const size_t length = crd_text_show(name, room);
    room[length] = '\0';
    /* The end of the room that is not needed can be used again. */
    result->blocks->used = (size_t)(room - result->blocks->bytes) + (length / sizeof(double) + 1) * sizeof(double);
    return room;
}

/* ======== 3. Values ======== */

/* Adds a node with a key. Returns NULL if memory runs out. */
static crd_result_node *result_add(crd_result *result, crd_node_type type, const char *key) {
    crd_text kept = result->next_key;
    result->next_key = (crd_text){NULL, 0};
    if (key != NULL) kept = result_keep(result, crd_text_of(key));
    if (!result->has_failed)
        result->has_failed = !crd_i_reserve(result->context, &result->nodes, &result->capacity, result->count + 1,
                                            sizeof *result->nodes);
    if (result->has_failed) return NULL;
    crd_result_node *node = &result->nodes[result->count++];
    *node = (crd_result_node){.type = type, .key = kept};
    return node;
}

void crd_result_key(crd_result *result, crd_text key) {
    result->next_key = result_keep(result, key);
}

void crd_result_begin(crd_result *result, crd_container container, const char *key) {
    crd_result_node *node = result_add(result, CRD_RESULT_BEGIN, key);
    if (node != NULL) node->container = container;
}

void crd_result_end(crd_result *result) {
    crd_result_node *node = result_add(result, CRD_RESULT_END, NULL);
    if (node == NULL) return;
    const crd_result_node *begin = node;
    for (size_t depth = 1; depth > 0 && begin > result->nodes;) {
        begin--;
        depth += begin->type == CRD_RESULT_END;
        depth -= begin->type == CRD_RESULT_BEGIN;
    }
    node->container = begin->container;
}

void crd_result_value(crd_result *result, crd_node_type type, const char *key, double value) {
    crd_result_node *node = result_add(result, type, key);
    if (node != NULL) node->number = value;
}

void crd_result_text(crd_result *result, const char *key, crd_text value) {
    const crd_text kept = result_keep(result, value);
    crd_result_node *node = result_add(result, CRD_RESULT_TEXT, key);
    if (node != NULL) node->text = kept;
}

/* ======== 4. Prose ======== */

void crd_result_hide(crd_result *result, int is_hidden) {
    result->is_hidden = is_hidden != 0;
}

void crd_result_prose(crd_result *result, crd_prose_style style, unsigned level, const char *opening,
                      const char *strong, const char *remainder) {
    if (result->is_hidden) return;
    opening = result_keep_words(result, opening);
    strong = result_keep_words(result, strong);
    remainder = result_keep_words(result, remainder);
    crd_result_node *node = result_add(result, CRD_RESULT_PROSE, NULL);
    if (node == NULL) return;
    node->prose.style = style;
    node->prose.level = level;
    node->prose.opening = opening;
    node->prose.strong = strong;
    node->prose.remainder = remainder;
}

void crd_result_line(crd_result *result, crd_prose_style style, const char *format, ...) {
    va_list values;
    if (result->is_hidden) return;
    va_start(values, format);
    const char *text = result_keep_format(result, format, values);
    va_end(values);
    crd_result_prose(result, style, 0, "", "", text);
}

/* ======== 5. Tables ======== */

crd_result_table *crd_result_add_table(crd_result *result, const char *key) {
    crd_result_table *table = crd_i_alloc_zeroed(result->context, 1, sizeof *table);
    crd_result_node *node = table == NULL ? NULL : result_add(result, CRD_RESULT_TABLE, key);
    if (node == NULL) {
        crd_free(result->context, table);
        result->has_failed = true;
        return &result->spare_table;
    }
    node->table = table;
    table->result = result;
    table->is_headed = 1;
    table->indent = 2;
    table->rows_shown = SIZE_MAX;
    table->is_hidden = result->is_hidden;
    return table;
}

crd_result_column *crd_result_add_column(crd_result_table *table, const char *key, const char *title) {
    crd_result *result = table->result;
    key = result_keep_words(result, key);
    title = result_keep_words(result, title);
    const char *group = result_keep_words(result, table->group);
    if (!result->has_failed)
        result->has_failed = !crd_i_reserve(result->context, &table->columns, &table->column_room,
                                            table->column_count + 1, sizeof *table->columns);
    if (result->has_failed) return &result->spare_column;
    crd_result_column *column = &table->columns[table->column_count++];
    *column = (crd_result_column){.key = key, .title = title, .group = group, .is_left = table->column_count == 1};
    return column;
}

/* Adds a cell, which must be filled in at once. Returns NULL if memory runs out. */
static crd_result_cell *result_add_cell(crd_result_table *table, crd_cell_kind kind) {
    crd_result *result = table->result;
    const size_t row = table->column_count == 0 ? 0 : table->cell_count / table->column_count;
    if (!result->has_failed)
        result->has_failed = !crd_i_reserve(result->context, &table->cells, &table->cell_room, table->cell_count + 1,
                                            sizeof *table->cells) ||
                             !crd_i_reserve(result->context, &table->audiences, &table->audience_room, row + 1, 1);
    if (result->has_failed) return NULL;
    if (table->cell_count == row * table->column_count) {
        table->audiences[row] = (unsigned char)(table->audience == 0 ? CRD_FOR_ALL : table->audience);
        table->audience = 0;
    }
    crd_result_cell *cell = &table->cells[table->cell_count++];
    *cell = (crd_result_cell){.kind = kind};
    return cell;
}

void crd_cell_add(crd_result_table *table, crd_cell_kind kind, double value) {
    crd_result_cell *cell = result_add_cell(table, kind);
    if (cell != NULL) cell->number = value;
}

void crd_cell_list(crd_result_table *table, const double *values, size_t count) {
    double *list = result_room(table->result, count * sizeof *list);
    crd_result_cell *cell = result_add_cell(table, CRD_CELL_LIST);
    if (cell == NULL) return;
    if (count > 0) memcpy(list, values, count * sizeof *list);
    cell->list = list;
    cell->length = count;
}

/* Adds a cell with a text that lives as long as the result. `shown` may be NULL. */
static void result_add_text(crd_result_table *table, crd_text text, const char *shown) {
    crd_result_cell *cell = result_add_cell(table, CRD_CELL_TEXT);
    if (cell == NULL) return;
    cell->text = text.bytes;
    cell->length = text.length;
    cell->shown = shown;
}

void crd_cell_name(crd_result_table *table, crd_text name) {
    const crd_text kept = result_keep(table->result, name);
    const char *shown = crd_result_show(table->result, name);
    result_add_text(table, kept, crd_text_equal(kept, crd_text_of(shown)) ? NULL : shown);
}

void crd_cell_words(crd_result_table *table, const char *words) {
    result_add_text(table, result_keep(table->result, crd_text_of(words)), NULL);
}

void crd_cell_format(crd_result_table *table, const char *format, ...) {
    va_list values;
    va_start(values, format);
    result_add_text(table, crd_text_of(result_keep_format(table->result, format, values)), NULL);
    va_end(values);
}

void crd_cell_shown(crd_result_table *table, double value, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const char *shown = result_keep_format(table->result, format, values);
    va_end(values);
    crd_result_cell *cell = result_add_cell(table, CRD_CELL_NUMBER);
    if (cell == NULL) return;
    cell->number = value;
    cell->shown = shown;
}

void crd_cell_absent(crd_result_table *table, const char *shown) {
    shown = result_keep_words(table->result, shown);
    crd_result_cell *cell = result_add_cell(table, CRD_CELL_ABSENT);
    if (cell != NULL) cell->shown = shown;
}

void crd_cell_show_as(crd_result_table *table, const char *shown, const char *brief) {
    shown = result_keep_words(table->result, shown);
    brief = result_keep_words(table->result, brief);
    if (table->cell_count == 0) return;
    crd_result_cell *cell = &table->cells[table->cell_count - 1];
    if (shown != NULL) cell->shown = shown;
    if (brief != NULL) cell->brief = brief;
}

/* ======== 6. Curves, graphs, marked texts and pictures ======== */

void crd_result_add_curves(crd_result *result, const crd_result_curves *curves) {
    crd_result_node *node = result->is_hidden ? NULL : result_add(result, CRD_RESULT_CURVES, NULL);
    if (node != NULL) node->curves = *curves;
}

void crd_result_add_graph(crd_result *result, const crd_text *names, size_t count, const crd_result_arc *arcs,
                          size_t arc_count) {
    if (result->is_hidden) return;
    const char **shown = result_room(result, count * sizeof *shown);
    crd_result_arc *copies = result_room(result, arc_count * sizeof *copies);
    for (size_t i = 0; !result->has_failed && i < count; i++) shown[i] = crd_result_show(result, names[i]);
    if (!result->has_failed && arc_count > 0) memcpy(copies, arcs, arc_count * sizeof *copies);
    crd_result_node *node = result_add(result, CRD_RESULT_GRAPH, NULL);
    if (node != NULL) node->graph = (crd_result_graph){shown, count, copies, arc_count};
}

void crd_result_add_marked(crd_result *result, const crd_marked_piece *pieces, size_t count) {
    if (result->is_hidden) return;
    crd_marked_piece *copies = result_room(result, count * sizeof *copies);
    for (size_t i = 0; !result->has_failed && i < count; i++)
        copies[i] = (crd_marked_piece){result_keep_words(result, pieces[i].text), pieces[i].mark};
    crd_result_node *node = result_add(result, CRD_RESULT_MARKED, NULL);
    if (node == NULL) return;
    node->marked.pieces = copies;
    node->marked.count = count;
}

void crd_result_add_picture(crd_result *result, char *svg) {
    const char *picture = result_keep_words(result, svg);
    crd_result_node *node = result_add(result, CRD_RESULT_PICTURE, NULL);
    if (node != NULL) node->picture = picture;
    crd_free(result->context, svg);
}
