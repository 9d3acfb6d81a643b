/* SPDX-License-Identifier: MIT */
/* column_names.c - see column_names.h. */
#include "table/read/column_names.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/read/reader_internal.h"

#include <stdio.h>
#include <string.h>

void crd_i_column_names_clear(crd_i_column_names *names) {
    for (size_t i = 0; i < names->count; i++) crd_free(names->context, (void *)names->given[i].bytes);
    crd_free(names->context, names->given);
    crd_i_column_names empty = {.context = names->context};
    *names = empty;
}

bool crd_i_column_names_add(crd_i_column_names *names, crd_text name) {
    if (!crd_i_reserve(names->context, &names->given, &names->capacity, names->count + 1, sizeof *names->given))
        return false;
    crd_text copy = crd_i_text_copy(names->context, name);
    if (copy.bytes == NULL) return false;
    names->given[names->count++] = copy;
    return true;
}

/* Names while they are made unique. */
typedef struct unique_names {
    const crd_i_column_names *names;
    crd_i_dictionary *taken; /* names in the file, and new names of renamed columns */
    /* for each name of the file, by its code: 0 before its first column, then the number to try for its next column */
    uint32_t *next;
    char *text; /* of a numbered name */
    size_t text_capacity;
    char listed[300];                 /* new names, for a warning */
    char repeated[CRD_I_QUOTED_ROOM]; /* the first duplicate name */
    size_t changed;
} unique_names;

static void column_names_clear(unique_names *unique) {
    crd_i_dictionary_destroy(unique->taken);
    crd_free(unique->names->context, unique->next);
    crd_free(unique->names->context, unique->text);
}

static bool column_names_begin(unique_names *unique) {
    const crd_i_column_names *names = unique->names;
    unique->taken = crd_i_dictionary_create(names->context);
    unique->next = crd_i_alloc_zeroed(names->context, names->count, sizeof *unique->next);
    bool done = unique->taken != NULL && unique->next != NULL;
    for (size_t i = 0; i < names->count && done; i++)
        if (names->given[i].length > 0) done = crd_i_dictionary_add(unique->taken, names->given[i]) >= 0;
    return done;
}

/* Returns base_N, where N is the first number from *number on that is not in use. */
static bool number_name(unique_names *unique, crd_text base, uint32_t *number, crd_text *out) {
    size_t capacity = base.length + 16;
    if (!crd_i_reserve(unique->names->context, &unique->text, &unique->text_capacity, capacity, 1)) return false;
    memcpy(unique->text, base.bytes, base.length);
    do {
        int length = snprintf(unique->text + base.length, capacity - base.length, "_%u", (unsigned)(*number)++);
        out->bytes = unique->text;
        out->length = base.length + (size_t)length;
    } while (crd_i_dictionary_find(unique->taken, *out) >= 0);
    return crd_i_dictionary_add(unique->taken, *out) >= 0;
}

static void list_change(unique_names *unique, crd_text name) {
    char shown[CRD_I_QUOTED_ROOM];
    size_t used = strlen(unique->listed), capacity = sizeof unique->listed - used;
    const char *gap = unique->changed++ == 0 ? "" : ", ";
    crd_i_quote_item(name, shown);
    if (strlen(gap) + strlen(shown) + sizeof ", ..." <= capacity)
        snprintf(unique->listed + used, capacity, "%s%s", gap, shown);
    else if (strcmp(unique->listed + used - 3, "...") != 0) snprintf(unique->listed + used, capacity, ", ...");
}

static bool name_column(unique_names *unique, size_t column, char numbered[24], crd_text *out) {
    crd_text given = unique->names->given[column];
    if (given.length == 0) {
        uint32_t number = 2;
        out->length = (size_t)snprintf(numbered, 24, "c%zu", column + 1);
        out->bytes = numbered;
        if (crd_i_dictionary_find(unique->taken, *out) < 0) return crd_i_dictionary_add(unique->taken, *out) >= 0;
        return number_name(unique, *out, &number, out);
    }
    int32_t code = crd_i_dictionary_find(unique->taken, given);
    uint32_t *next = &unique->next[code];
    *out = given;
    if (*next == 0) {
        *next = 2;
        return true;
    }
    if (!number_name(unique, given, next, out)) return false;
    if (unique->changed == 0) crd_i_quote(given, unique->repeated);
    list_change(unique, *out);
    return true;
}

static void column_names_warn(const unique_names *unique, crd_reader *reader, uint64_t line) {
    crd_i_input *input = &reader->inputs[reader->position.current];
    if (unique->changed == 0 || input->warned_of_names) return;
    input->warned_of_names = true;
    if (unique->changed == 1)
        crd_i_context_log(reader->context, CRD_LOG_WARNING, CRD_LOG_COLUMNS_RENAMED, crd_text_of(unique->listed),
                          "%s:%llu: column '%s' occurs twice: the second is renamed to %s", input->place,
                          (unsigned long long)line, unique->repeated, unique->listed);
    else
        crd_i_context_log(reader->context, CRD_LOG_WARNING, CRD_LOG_COLUMNS_RENAMED, crd_text_of(unique->listed),
                          "%s:%llu: %zu columns have the name of an earlier column, and are renamed to %s",
                          input->place, (unsigned long long)line, unique->changed, unique->listed);
}

crd_status crd_i_column_names_settle(const crd_i_column_names *names, crd_reader *reader, uint64_t line,
                                     crd_error *error) {
    unique_names unique = {.names = names};
    crd_status status = column_names_begin(&unique) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; i < names->count && status == CRD_OK; i++) {
        char numbered[24];
        crd_text name;
        status = name_column(&unique, i, numbered, &name) ? crd_i_file_header_add_name(reader, name, line, error)
                                                          : crd_i_fail_memory(error);
    }
    if (status == CRD_OK) column_names_warn(&unique, reader, line);
    column_names_clear(&unique);
    return status;
}
