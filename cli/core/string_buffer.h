/* SPDX-License-Identifier: MIT */
/* string_buffer.h - memory and growing texts of the command. A command that runs out of memory has nothing better to
 * do than say so and end, so these never fail: they exit. What the library allocates is still checked call by call. */
#ifndef CREDENCE_CLI_STRING_BUFFER_H
#define CREDENCE_CLI_STRING_BUFFER_H

#include <credence/credence.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* As realloc for `count` things of `size` bytes. */
void *memory_resize(void *block, size_t count, size_t size);
/* Ends the command, with a message. */
_Noreturn void memory_exhausted(void);

/* Bytes that always end in NUL once something was added. Starts as {0}. */
typedef struct string {
    char *bytes;
    size_t length, capacity;
} string;

void string_add(string *s, const char *bytes, size_t length);
void string_add_char(string *s, char byte);
/* Room for so many bytes behind those that are there, to be written at once; string_end_at says how far that went. */
char *string_reserve(string *s, size_t most);
void string_end_at(string *s, char *end);
/* In decimal digits. */
void string_add_count(string *s, uint64_t count);
/* As crd_number_format writes it. */
void string_add_number(string *s, double value);
void string_format(string *s, const char *format, ...) CLI_PRINTF(2, 3);
void string_format_list(string *s, const char *format, va_list values);
/* Takes the first character off a text that is not empty, and says which it is. A byte that is no UTF-8 gives U+FFFD.
 */
crd_text text_take_character(crd_text *text, int32_t *point);
/* Columns of a terminal that a text takes. */
size_t text_width(const char *text, size_t length);
/* A name or value as a person may see it on one line: control characters and those that turn the direction of writing
 * escaped, and so are bytes that are no UTF-8. */
void string_add_shown(string *s, crd_text text);
/* Adds the name with that index to a list for people: a, b, "c,d" - each as an option takes it; where there are
 * many, the first ones and "...". */
void string_add_listed(string *s, size_t index, crd_text name);
/* Adds a text in lines of at most `width` columns, broken at spaces; lines after the first begin with `indent` spaces. A
 * width of 0 adds the text unchanged. */
void string_add_wrapped(string *s, const char *text, size_t width, size_t indent);
void string_clear(string *s);
void string_free(string *s);
/* Never NULL. */
const char *string_text(const string *s);

#endif
