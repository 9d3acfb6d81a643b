/* SPDX-License-Identifier: MIT */
/* column_stream.c - exports columns as an Arrow C stream. See columns.h. */
#include "columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 256, LEAST_BLOCK = 1024, MOST_BLOCK = 1 << 16, BLOCK_CELLS = 1 << 20 };

/* Adds a reference for a stream, schema or batch. Any thread can release it. `owner` can be NULL. */
static PyObject *keep_owner(PyObject *owner) {
    if (owner == NULL) return NULL;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_INCREF(owner);
    PyGILState_Release(gil);
    return owner;
}

static void drop_owner(PyObject *owner) {
    if (owner == NULL) return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF(owner);
    PyGILState_Release(gil);
}

/* ---- Schemas ---- */

static void release_nothing(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] == NULL) continue;
        free(schema->children[i]->dictionary);
        free(schema->children[i]);
    }
    free(schema->children);
    drop_owner(schema->private_data);
    schema->release = NULL;
}

/* Fills in the schema of a column. It borrows the texts and the schemas of Arrow arrays from the column. */
static void describe_column(const table_column *column, struct ArrowSchema *out) {
    *out = column->layout == CELLS_ARROW ? column->schema : (struct ArrowSchema){.format = column->format};
    out->name = column->name;
    out->metadata = NULL;
    out->flags |= 2; /* ARROW_FLAG_NULLABLE */
    out->release = release_nothing;
    out->private_data = NULL;
}

static int describe_child(const table_column *column, struct ArrowSchema **out) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return ENOMEM;
    describe_column(column, *out);
    if (column->values == NULL) {
        if (column->layout == CELLS_ARROW && column->schema.dictionary != NULL) {
            /* Make a copy, because each child frees its own. */
            struct ArrowSchema *copy = calloc(1, sizeof *copy);
            if (copy != NULL) *copy = *column->schema.dictionary;
            if (copy != NULL) copy->release = release_nothing;
            (*out)->dictionary = copy;
            return copy == NULL ? ENOMEM : 0;
        }
        return 0;
    }
    (*out)->dictionary = calloc(1, sizeof *(*out)->dictionary);
    if ((*out)->dictionary == NULL) return ENOMEM;
    describe_column(column->values, (*out)->dictionary);
    return 0;
}

typedef struct column_stream {
    const columns_object *columns;
    PyObject *owner; /* NULL: the reader of the stream keeps the columns alive */
    size_t row, block;
} column_stream;

static int stream_schema(struct ArrowArrayStream *base, struct ArrowSchema *out) {
    const column_stream *stream = base->private_data;
    const columns_object *columns = stream->columns;
    *out = (struct ArrowSchema){.format = "+s", .name = "", .release = release_schema};
    out->private_data = keep_owner(stream->owner);
    out->children = calloc(columns->count + 1, sizeof(struct ArrowSchema *));
    int fault = out->children == NULL ? ENOMEM : 0;
    for (size_t i = 0; i < columns->count && fault == 0; i++) {
        out->n_children++;
        fault = describe_child(&columns->columns[i], &out->children[i]);
    }
    if (fault != 0) release_schema(out);
    return fault;
}

/* ---- Batches ---- */

enum { MOST_BUFFERS = 3 };

/* The data of one column in a batch. */
typedef struct batch_column {
    struct ArrowArray array, dictionary;
    const void *buffers[MOST_BUFFERS], *dictionary_buffers[2];
    char *items;
    uint8_t *bits;
    char *bytes; /* bytes of texts; the items are the offsets */
    bool is_gathered;
} batch_column;

typedef struct batch {
    PyObject *owner;
    size_t count;
    struct ArrowArray **children;
    const void *no_validity;
    batch_column columns[];
} batch;

static void release_child(struct ArrowArray *array) {
    array->release = NULL;
}

static void free_batch(batch *record_batch) {
    for (size_t i = 0; i < record_batch->count; i++) {
        free(record_batch->columns[i].items);
        free(record_batch->columns[i].bits);
        free(record_batch->columns[i].bytes);
    }
    free(record_batch->children);
    free(record_batch);
}

static void release_batch(struct ArrowArray *array) {
    batch *record_batch = array->private_data;
    drop_owner(record_batch->owner);
    free_batch(record_batch);
    array->release = NULL;
}

static bool needs_bits(const table_column *column) {
    return column->mask != NULL || column->rule != MISSING_NONE;
}

static bool is_borrowed(const table_column *column) {
    return column->layout == CELLS_ITEMS && column->stride == (ptrdiff_t)column->width && !column->is_swapped;
}

static void copy_swapped(char *destination, const char *source, size_t width) {
    for (size_t i = 0; i < width; i++) destination[i] = source[width - 1 - i];
}

/* Returns an integer of any width, sign-extended. */
static int64_t integer_at(const char *item, size_t width) {
    int8_t one;
    int16_t two;
    int32_t four;
    int64_t eight = 0;
    switch (width) {
    case 1: memcpy(&one, item, 1); return one;
    case 2: memcpy(&two, item, 2); return two;
    case 4: memcpy(&four, item, 4); return four;
    default: memcpy(&eight, item, 8); return eight;
    }
}

static void gather_items(const table_column *column, const char *source, size_t rows, char *destination) {
    const size_t width = column->width;
    const ptrdiff_t stride = column->stride;
    if (column->is_swapped) {
        for (size_t i = 0; i < rows; i++) copy_swapped(destination + i * width, source + (ptrdiff_t)i * stride, width);
    } else if (width == 8) {
        for (size_t i = 0; i < rows; i++) memcpy(destination + i * 8, source + (ptrdiff_t)i * stride, 8);
    } else if (width == 4) {
        for (size_t i = 0; i < rows; i++) memcpy(destination + i * 4, source + (ptrdiff_t)i * stride, 4);
    } else {
        for (size_t i = 0; i < rows; i++) memcpy(destination + i * width, source + (ptrdiff_t)i * stride, width);
    }
}

/* Collects the validity bits of rows. The first row of a tile starts a new byte. */
static void gather_bits(const table_column *column, const batch_column *arrow_column, size_t first, size_t offset,
                        size_t rows) {
    const char *items = arrow_column->items != NULL ? arrow_column->items + offset * column->width
                                                    : column->data + (ptrdiff_t)(first + offset) * column->stride;
    const ptrdiff_t step = arrow_column->items != NULL ? (ptrdiff_t)column->width : column->stride;
    for (size_t i = 0; i < rows; i++) {
        bool is_missing =
            column->mask != NULL && column->mask[(ptrdiff_t)(first + offset + i) * column->mask_stride] != 0;
        if (column->rule == MISSING_NEGATIVE) is_missing |= integer_at(items + (ptrdiff_t)i * step, column->width) < 0;
        if (column->rule == MISSING_LEAST)
            is_missing |= integer_at(items + (ptrdiff_t)i * step, column->width) == INT64_MIN;
        if (!is_missing)
            arrow_column->bits[(offset + i) / 8] =
                (uint8_t)(arrow_column->bits[(offset + i) / 8] | 1 << (offset + i) % 8);
    }
}

static void gather_truth(const table_column *column, const char *source, size_t offset, size_t rows, uint8_t *bits) {
    for (size_t i = 0; i < rows; i++)
        if (source[(ptrdiff_t)i * column->stride] != 0)
            bits[(offset + i) / 8] = (uint8_t)(bits[(offset + i) / 8] | 1 << (offset + i) % 8);
}

/* Writes a code point as UTF-8. A lone surrogate becomes three bytes, which are invalid UTF-8 and rejected by the reader. */
static size_t write_utf8(uint32_t point, char *destination) {
    if (point < 0x80) {
        destination[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, point >>= 6) destination[i] = (char)(0x80 | (point & 0x3F));
    destination[0] = (char)((0xF00 >> length & 0xFF) | point);
    return length;
}

/* Collects texts of a fixed width, without the trailing NULs. */
static int gather_texts(const table_column *column, size_t first, size_t rows, batch_column *arrow_column) {
    const size_t unit = column->layout == CELLS_WIDE ? 4 : 1, units = column->width / unit;
    int64_t *offsets = malloc((rows + 1) * sizeof *offsets);
    arrow_column->items = (char *)offsets;
    arrow_column->bytes = malloc(rows * column->width + 1); /* four bytes are enough for any code point */
    if (offsets == NULL || arrow_column->bytes == NULL) return ENOMEM;
    size_t used = 0;
    for (size_t row = 0; row < rows; row++) {
        const char *source = column->data + (ptrdiff_t)(first + row) * column->stride;
        static const char none[4] = {0};
        size_t length = units;
        offsets[row] = (int64_t)used;
        while (length > 0 && memcmp(source + (length - 1) * unit, none, unit) == 0) length--;
        if (unit == 1) {
            memcpy(arrow_column->bytes + used, source, length);
            used += length;
            continue;
        }
        for (size_t i = 0; i < length; i++) {
            uint32_t point;
            if (column->is_swapped) copy_swapped((char *)&point, source + i * 4, 4);
            else memcpy(&point, source + i * 4, 4);
            used += write_utf8(point > 0x10FFFF ? 0xFFFD : point, arrow_column->bytes + used);
        }
    }
    offsets[rows] = (int64_t)used;
    return 0;
}

static int begin_column(const table_column *column, size_t first, size_t rows, batch_column *arrow_column) {
    struct ArrowArray *array = &arrow_column->array;
    *array = (struct ArrowArray){
        .length = (int64_t)rows, .null_count = -1, .n_buffers = 2, .buffers = arrow_column->buffers};
    array->release = release_child;
    if (needs_bits(column)) {
        arrow_column->bits = calloc(rows / 8 + 1, 1);
        if (arrow_column->bits == NULL) return ENOMEM;
    } else {
        array->null_count = 0;
    }
    arrow_column->buffers[0] = arrow_column->bits;
    if (is_borrowed(column)) {
        arrow_column->buffers[1] = column->data + (ptrdiff_t)first * column->stride;
        return 0;
    }
    if (column->layout == CELLS_WIDE || column->layout == CELLS_BYTES) {
        array->n_buffers = 3;
        int fault = gather_texts(column, first, rows, arrow_column);
        arrow_column->buffers[1] = arrow_column->items;
        arrow_column->buffers[2] = arrow_column->bytes;
        return fault;
    }
    arrow_column->is_gathered = true;
    arrow_column->items = column->layout == CELLS_TRUTH ? calloc(rows / 8 + 1, 1) : malloc(rows * column->width + 1);
    arrow_column->buffers[1] = arrow_column->items;
    return arrow_column->items == NULL ? ENOMEM : 0;
}

/* Fills all gathered columns tile by tile, so that adjacent rows are read together. */
static void gather(const columns_object *columns, size_t first, size_t rows, batch *record_batch) {
    for (size_t offset = 0; offset < rows; offset += TILE) {
        const size_t some = rows - offset < TILE ? rows - offset : TILE;
        for (size_t i = 0; i < columns->count; i++) {
            const table_column *column = &columns->columns[i];
            batch_column *arrow_column = &record_batch->columns[i];
            if (column->layout == CELLS_ARROW) continue;
            const char *source = column->data + (ptrdiff_t)(first + offset) * column->stride;
            if (arrow_column->is_gathered && column->layout == CELLS_ITEMS)
                gather_items(column, source, some, arrow_column->items + offset * column->width);
            else if (arrow_column->is_gathered)
                gather_truth(column, source, offset, some, (uint8_t *)arrow_column->items);
            if (arrow_column->bits != NULL) gather_bits(column, arrow_column, first, offset, some);
        }
    }
}

static void add_views(const table_column *column, struct ArrowArray *array) {
    if (column->layout != CELLS_VIEWS) return;
    array->buffers = column->buffers;
    array->n_buffers = (int64_t)column->length + 3;
}

static void add_dictionary(const table_column *column, batch_column *arrow_column) {
    const table_column *values = column->values;
    if (values == NULL) return;
    arrow_column->dictionary = (struct ArrowArray){.length = (int64_t)values->length, .n_buffers = 2};
    arrow_column->dictionary.buffers = arrow_column->dictionary_buffers;
    arrow_column->dictionary.release = release_child;
    arrow_column->dictionary_buffers[1] = values->data;
    add_views(values, &arrow_column->dictionary);
    arrow_column->array.dictionary = &arrow_column->dictionary;
}

/* Finds the Arrow array that contains the row, and the position in it. */
static const struct ArrowArray *find_array(const table_column *column, size_t row, size_t *array_row) {
    size_t i = 0;
    for (*array_row = row; *array_row >= (size_t)column->arrays[i].length; i++)
        *array_row -= (size_t)column->arrays[i].length;
    return &column->arrays[i];
}

/* Returns the number of rows in the next batch, which is at most the rest of each Arrow array. */
static size_t batch_rows(const column_stream *stream) {
    const columns_object *columns = stream->columns;
    size_t rows = columns->rows - stream->row;
    if (rows > stream->block) rows = stream->block;
    for (size_t i = 0; i < columns->count && rows > 0; i++) {
        size_t array_row;
        if (columns->columns[i].layout != CELLS_ARROW) continue;
        const struct ArrowArray *array = find_array(&columns->columns[i], stream->row, &array_row);
        if ((size_t)array->length - array_row < rows) rows = (size_t)array->length - array_row;
    }
    return rows;
}

static int stream_next(struct ArrowArrayStream *base, struct ArrowArray *out) {
    column_stream *stream = base->private_data;
    const columns_object *columns = stream->columns;
    const size_t rows = batch_rows(stream), count = columns->count;
    *out = (struct ArrowArray){.release = NULL};
    if (rows == 0) return 0;
    batch *record_batch = calloc(1, sizeof *record_batch + count * sizeof *record_batch->columns);
    if (record_batch == NULL) return ENOMEM;
    record_batch->count = count;
    record_batch->children = calloc(count + 1, sizeof(struct ArrowArray *));
    int fault = record_batch->children == NULL ? ENOMEM : 0;
    for (size_t i = 0; i < count && fault == 0; i++) {
        const table_column *column = &columns->columns[i];
        batch_column *arrow_column = &record_batch->columns[i];
        record_batch->children[i] = &arrow_column->array;
        if (column->layout == CELLS_ARROW) {
            size_t array_row;
            arrow_column->array = *find_array(column, stream->row, &array_row);
            arrow_column->array.offset += (int64_t)array_row;
            arrow_column->array.length = (int64_t)rows;
            arrow_column->array.null_count = arrow_column->array.null_count == 0 ? 0 : -1;
            arrow_column->array.release = release_child;
            continue;
        }
        fault = begin_column(column, stream->row, rows, arrow_column);
        add_dictionary(column, arrow_column);
    }
    if (fault != 0) {
        free_batch(record_batch);
        return fault;
    }
    gather(columns, stream->row, rows, record_batch);
    *out = (struct ArrowArray){.length = (int64_t)rows, .n_buffers = 1, .buffers = &record_batch->no_validity};
    out->n_children = (int64_t)count;
    out->children = record_batch->children;
    out->release = release_batch;
    out->private_data = record_batch;
    record_batch->owner = keep_owner(stream->owner);
    stream->row += rows;
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *base) {
    (void)base;
    return NULL;
}

static void stream_release(struct ArrowArrayStream *base) {
    column_stream *stream = base->private_data;
    drop_owner(stream->owner);
    free(stream);
    base->release = NULL;
}

int columns_stream(const columns_object *columns, PyObject *owner, struct ArrowArrayStream *out) {
    column_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return ENOMEM;
    size_t block = BLOCK_CELLS / (columns->count + 1) / TILE * TILE;
    stream->columns = columns;
    stream->block = block < LEAST_BLOCK ? LEAST_BLOCK : block > MOST_BLOCK ? MOST_BLOCK : block;
    stream->owner = owner != NULL ? Py_NewRef(owner) : NULL;
    *out = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, stream_release, stream};
    return 0;
}
