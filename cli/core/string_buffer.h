/* SPDX-License-Identifier: MIT */
/* string_buffer.h - memory and growing strings of the command. If memory runs out, these functions print a message and
 * exit, so they never fail. Allocations of the library are still checked call by call. */
#ifndef CREDENCE_CLI_STRING_BUFFER_H
#define CREDENCE_CLI_STRING_BUFFER_H

#include <credence/all.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* Works as realloc, for `count` elements of `size` bytes. Never returns NULL. */
void *memory_resize(void *block, size_t count, size_t size);
/* Prints a message and exits. */
_Noreturn void memory_exhausted(void);

/* A growing string that is terminated by NUL once something was added. Initialize it with {0}. */
typedef struct string {
    char *bytes;
    size_t length, capacity;
} string;

void string_add(string *s, const char *bytes, size_t length);
void string_add_char(string *s, char byte);
/* Returns space for at most `most` more bytes at the end, which the caller writes. Then string_end_at sets the new
 * end. */
char *string_reserve(string *s, size_t most);
void string_end_at(string *s, char *end);
/* Adds the decimal digits of a count. */
void string_add_count(string *s, uint64_t count);
/* Adds a number as crd_number_format writes it. */
void string_add_number(string *s, double value);
/* Returns a writer that adds JSON on one line. */
crd_json_writer string_json(string *s);
void string_format(string *s, const char *format, ...) CLI_PRINTF(2, 3);
void string_format_list(string *s, const char *format, va_list values);
/* Removes the first character from a text that is not empty, and returns it. Sets *point to its code point, or to
 * U+FFFD for a byte that is not valid UTF-8. */
crd_text text_take_character(crd_text *text, int32_t *point);
/* Returns the number of terminal columns that a text occupies. */
size_t text_width(const char *text, size_t length);
/* Adds a name or value so that it can be displayed on one line. Escapes control characters, characters that change the
 * text direction, and bytes that are not valid UTF-8. */
void string_add_shown(string *s, crd_text text);
/* Adds the name with this index to a list for people: a, b, "c,d". Each name is quoted as options expect it. A long
 * list is cut and ends in "...". */
void string_add_listed(string *s, size_t index, crd_text name);
/* Adds a text in lines of at most `width` columns, broken at spaces; lines after the first begin with `indent` spaces. A
 * width of 0 adds the text unchanged. */
void string_add_wrapped(string *s, const char *text, size_t width, size_t indent);
void string_clear(string *s);
void string_free(string *s);
/* Returns the text, never NULL. */
const char *string_text(const string *s);

#endif
