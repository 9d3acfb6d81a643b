/* json.c - see json.h. */
#include "json.h"

#include <math.h>

json json_begin(FILE *stream, bool indented) {
    return (json){.stream = stream, .indented = indented};
}

void json_end_line(json *j) {
    fputc('\n', j->stream);
    j->begun = 0;
}

static void new_line(json *j) {
    fputc('\n', j->stream);
    for (unsigned i = 0; i < j->depth; i++) fputs("  ", j->stream);
}

/* What stands between this value and the one before it. */
static void open_value(json *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    uint64_t bit = (uint64_t)1 << j->depth;
    if (j->depth > 0) {
        if ((j->begun & bit) != 0) fputs(j->indented ? "," : ", ", j->stream);
        if (j->indented) new_line(j);
    }
    j->begun |= bit;
}

static void open_container(json *j, char bracket) {
    open_value(j);
    fputc(bracket, j->stream);
    j->depth++;
    j->begun &= ~((uint64_t)1 << j->depth);
}

static void close_container(json *j, char bracket) {
    bool has_members = (j->begun & (uint64_t)1 << j->depth) != 0;
    j->depth--;
    if (has_members && j->indented) new_line(j);
    fputc(bracket, j->stream);
}

void json_object(json *j) {
    open_container(j, '{');
}

void json_end_object(json *j) {
    close_container(j, '}');
}

void json_array(json *j) {
    open_container(j, '[');
}

void json_end_array(json *j) {
    close_container(j, ']');
}

static void write_text(FILE *stream, crd_text text) {
    fputc('"', stream);
    while (text.length > 0) {
        int32_t point;
        crd_text character = text_take_character(&text, &point);
        if (point == '"' || point == '\\') {
            fprintf(stream, "\\%c", (char)point);
        } else if (point == '\n') {
            fputs("\\n", stream);
        } else if (point < 0x20 || point == 0x7F) {
            fprintf(stream, "\\u%04x", (unsigned)point);
        } else {
            fwrite(character.bytes, 1, character.length, stream);
        }
    }
    fputc('"', stream);
}

void json_key_text(json *j, crd_text key) {
    open_value(j);
    write_text(j->stream, key);
    fputs(": ", j->stream);
    j->after_key = true;
}

void json_key(json *j, const char *key) {
    json_key_text(j, crd_text_of(key));
}

void json_text(json *j, crd_text text) {
    open_value(j);
    write_text(j->stream, text);
}

void json_null(json *j) {
    open_value(j);
    fputs("null", j->stream);
}

void json_number(json *j, double value) {
    char room[CRD_NUMBER_ROOM];
    if (!isfinite(value)) {
        json_null(j);
        return;
    }
    open_value(j);
    fwrite(room, 1, crd_number_format(value, room), j->stream);
}

void json_member_text(json *j, const char *key, crd_text text) {
    json_key(j, key);
    json_text(j, text);
}

void json_member_number(json *j, const char *key, double value) {
    json_key(j, key);
    json_number(j, value);
}
