/* SPDX-License-Identifier: MIT */
/* json_objects_source.c - see source.h. */
#include "table/source.h"

#include "base/error.h"
#include "base/memory.h"

enum { INPUT_ROOM = 1 << 15 };

/* The place of the next byte relative to the objects. */
typedef enum object_place {
    AT_BEGINNING,
    BEFORE_FIRST, /* after the opening bracket */
    BEFORE_NEXT,  /* after a comma */
    IN_OBJECT,
    BEHIND_OBJECT,
    AT_END /* after the closing bracket */
} object_place;

typedef struct objects_source {
    crd_i_source base;
    crd_i_source *inner;
    object_place place;
    bool is_array;
    size_t depth; /* number of open brackets and braces, in an object */
    bool in_text, is_escaped;
    bool line_is_used; /* an object is on the line that is being written */
    uint64_t owed;     /* line ends still to write: those inside the last object, or one that separates two objects */
    uint64_t line;     /* line number in the input */
    crd_error fault;   /* an error between objects, where reading stops; its status is CRD_OK until then */
    size_t input_begin, input_end;
    unsigned char input[INPUT_ROOM];
} objects_source;

static bool json_objects_is_gap(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Returns the first byte from *cursor that is not whitespace, and moves *cursor after it. NUL: none. */
static char next_byte(crd_text text, size_t *cursor) {
    while (*cursor < text.length && json_objects_is_gap(text.bytes[*cursor])) (*cursor)++;
    return *cursor < text.length ? text.bytes[(*cursor)++] : '\0';
}

bool crd_i_json_objects_recognize(crd_text first) {
    size_t index = 0;
    char byte = next_byte(first, &index);
    if (byte == '[') {
        size_t limit = index;
        byte = next_byte(first, &index);
        return byte == '{' || (byte == ']' && next_byte(first, &index) == '\0') ||
               (byte == '\0' && limit < first.length && first.bytes[first.length - 1] == '\n');
    }
    if (byte != '{') return false;
    /* A line that ends within an object. */
    char last = byte;
    for (; index < first.length && first.bytes[index] != '\n'; index++)
        if (!json_objects_is_gap(first.bytes[index])) last = first.bytes[index];
    return index < first.length && (last == '{' || last == '[' || last == ',');
}

static crd_status json_objects_fail(const objects_source *source, const char *message, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s", message);
    crd_i_error_place(error, NULL, source->line, 0);
    return CRD_ERROR_SYNTAX;
}

/* Returns the output for a byte of an object. Line ends become spaces. */
static char pass_byte(objects_source *source, char byte) {
    if (source->in_text) {
        bool ends = byte == '"' && !source->is_escaped;
        source->is_escaped = byte == '\\' && !source->is_escaped;
        source->in_text = !ends;
        return byte;
    }
    if (byte == '"') source->in_text = true;
    if (byte == '{' || byte == '[') source->depth++;
    if ((byte == '}' || byte == ']') && --source->depth == 0) source->place = BEHIND_OBJECT;
    if (byte == '\n') source->owed++;
    return byte == '\n' || byte == '\r' ? ' ' : byte;
}

/* Handles a byte between objects that does not begin an object. */
static crd_status pass_mark(objects_source *source, char byte, crd_error *error) {
    object_place place = source->place;
    if (place == AT_END) return json_objects_fail(source, "text after the end of the array", error);
    if (place == AT_BEGINNING && byte == '[') {
        source->is_array = true;
        source->place = BEFORE_FIRST;
    } else if (source->is_array && byte == ',' && place == BEHIND_OBJECT) {
        source->place = BEFORE_NEXT;
    } else if (source->is_array && byte == ']' && place != BEFORE_NEXT) {
        source->place = AT_END;
    } else if (source->is_array && place == BEHIND_OBJECT) {
        return json_objects_fail(source, "expected a comma or the end of the array after an object", error);
    } else if (byte == '[') {
        return json_objects_fail(source, "an array in an array: rows must be objects, such as {\"name\": value}",
                                 error);
    } else {
        return json_objects_fail(source, "rows must be objects, such as {\"name\": value}", error);
    }
    return CRD_OK;
}

static bool begins_object(const objects_source *source, char byte) {
    if (byte != '{' || source->place == AT_END) return false;
    return source->place != BEHIND_OBJECT || !source->is_array;
}

/* Handles the next byte of the buffered input. *wrote: a byte was written to *destination. The first byte of an object
 * stays in the input if a line end must be written before it. */
static crd_status json_objects_pass(objects_source *source, unsigned char *destination, bool *wrote, crd_error *error) {
    char byte = (char)source->input[source->input_begin];
    *wrote = true;
    if (source->place != IN_OBJECT && begins_object(source, byte)) {
        if (source->line_is_used) {
            source->line_is_used = false;
            source->owed++;
            *wrote = false;
            return CRD_OK;
        }
        source->line_is_used = true;
        source->place = IN_OBJECT;
        source->depth = 0;
    }
    source->input_begin++;
    crd_status status = CRD_OK;
    if (source->place == IN_OBJECT) {
        *destination = (unsigned char)pass_byte(source, byte);
    } else if (byte == '\n') {
        source->line_is_used = false;
        *destination = '\n';
    } else {
        *wrote = false;
        bool is_mark = source->place == AT_BEGINNING && (unsigned char)byte >= 0x80; /* a byte order mark */
        if (!json_objects_is_gap(byte) && !is_mark) status = pass_mark(source, byte, error);
    }
    source->line += byte == '\n';
    return status;
}

static void json_objects_end(objects_source *source) {
    if (source->place == IN_OBJECT) {
        (void)json_objects_fail(source, "an object is not closed: the file may be truncated", &source->fault);
    } else if (source->is_array && source->place != AT_END) {
        (void)json_objects_fail(source, "the array is not closed: the file may be truncated", &source->fault);
    }
}

static crd_status objects_read(crd_i_source *base, unsigned char *bytes, size_t capacity, size_t *got,
                               crd_error *error) {
    objects_source *source = (objects_source *)base;
    *got = 0;
    while (*got < capacity && source->fault.status == CRD_OK) {
        if (source->owed > 0 && source->place != IN_OBJECT) {
            bytes[(*got)++] = '\n';
            source->owed--;
            source->line_is_used = false;
            continue;
        }
        if (source->input_begin == source->input_end) {
            if (*got > 0) break;
            size_t count = 0;
            crd_status status = source->inner->read(source->inner, source->input, INPUT_ROOM, &count, error);
            if (status != CRD_OK) return status;
            if (count == 0) {
                json_objects_end(source);
                break;
            }
            source->input_begin = 0;
            source->input_end = count;
        }
        bool wrote;
        if (json_objects_pass(source, &bytes[*got], &wrote, &source->fault) != CRD_OK) break;
        *got += wrote;
    }
    return CRD_OK;
}

static crd_status objects_finish(const crd_i_source *base, crd_error *error) {
    const objects_source *source = (const objects_source *)base;
    if (source->fault.status != CRD_OK && error != NULL) *error = source->fault;
    return source->fault.status;
}

static void json_objects_begin(objects_source *source) {
    source->place = AT_BEGINNING;
    source->is_array = source->in_text = source->is_escaped = source->line_is_used = false;
    source->owed = 0;
    source->line = 1;
    source->fault.status = CRD_OK;
    source->input_begin = source->input_end = 0;
}

static crd_status objects_rewind(crd_i_source *base, crd_error *error) {
    objects_source *source = (objects_source *)base;
    crd_status status = source->inner->rewind(source->inner, error);
    if (status == CRD_OK) json_objects_begin(source);
    return status;
}

static void objects_close(crd_i_source *base) {
    crd_i_source_close(((objects_source *)base)->inner);
    crd_free(base->context, base);
}

crd_status crd_i_source_json_objects(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    *out = NULL;
    objects_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    source->base.context = context;
    source->base.read = objects_read;
    source->base.rewind = inner->rewind == NULL ? NULL : objects_rewind;
    source->base.finish = objects_finish;
    source->base.close = objects_close;
    source->base.is_decompressed = inner->is_decompressed;
    source->inner = inner;
    json_objects_begin(source);
    *out = &source->base;
    return CRD_OK;
}
