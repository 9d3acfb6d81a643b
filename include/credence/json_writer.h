/* SPDX-License-Identifier: MIT */
/* credence/json_writer.h - writes JSON value by value and adds separators and line breaks. Experimental: it may change
 * in any release.
 *
 *   crd_json_writer json = {.write = write_to_file, .user = file};
 *   crd_json_writer_begin(&json, '{');
 *   crd_json_writer_member_number(&json, "rows", 14);
 *   crd_json_writer_end(&json, '}');
 *   crd_json_writer_break_line(&json); */
#ifndef CREDENCE_JSON_WRITER_H
#define CREDENCE_JSON_WRITER_H

#ifndef CRD_EXPERIMENTAL
#error "credence/json_writer.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Initialize to zero, except for `write`, `user` and, if everything is to be written on one line, `lines`. */
typedef struct crd_json_writer {
    /* Receives the bytes. It has to remember failures itself. */
    void (*write)(void *user, const char *bytes, size_t length);
    void *user;
    unsigned lines; /* number of open containers that are written on one line; initialize to 1 for a single line */
    /* Private. */
    unsigned depth;
    int has_value;    /* the innermost open container has a value */
    int is_after_key; /* a key has been written, and its value comes next */
} crd_json_writer;

/* Begin a container with '{' or '[', and end it with the matching bracket. */
CRD_API void crd_json_writer_begin(crd_json_writer *json, char bracket);
CRD_API void crd_json_writer_end(crd_json_writer *json, char bracket);
/* Writes the key of the next value. */
CRD_API void crd_json_writer_key(crd_json_writer *json, crd_text key);
/* Writes a quoted text. A byte that is not valid UTF-8 becomes a lone surrogate, \udc80 to \udcff, as in Python's
 * surrogateescape, so distinct texts stay distinct. Only networks and old models contain such bytes. */
CRD_API void crd_json_writer_text(crd_json_writer *json, crd_text text);
/* Writes the shortest number that reads back to the same bits; null if it is not finite. */
CRD_API void crd_json_writer_number(crd_json_writer *json, double number);
/* Writes a value unchanged: true, false, null, or the text of a number. */
CRD_API void crd_json_writer_word(crd_json_writer *json, crd_text word);
/* Writes a line break after the whole value. Another value may follow. */
CRD_API void crd_json_writer_break_line(crd_json_writer *json);

/* Writes a key and a number. */
CRD_API void crd_json_writer_member_number(crd_json_writer *json, const char *key, double number);
/* Writes a key and begins its value with '{' or '['. */
CRD_API void crd_json_writer_member_begin(crd_json_writer *json, const char *key, char bracket);

/* Writes a key and a text. */
static inline void crd_json_writer_member_text(crd_json_writer *json, const char *key, crd_text text) {
    crd_json_writer_key(json, crd_text_of(key));
    crd_json_writer_text(json, text);
}

/* Writes a key and true or false. */
static inline void crd_json_writer_member_flag(crd_json_writer *json, const char *key, int flag) {
    crd_json_writer_key(json, crd_text_of(key));
    crd_json_writer_word(json, crd_text_of(flag != 0 ? "true" : "false"));
}

/* Begins a container that is written on one line, with all values in it. */
static inline void crd_json_writer_begin_short(crd_json_writer *json, char bracket) {
    crd_json_writer_begin(json, bracket);
    json->lines++;
}

/* Ends a container that crd_json_writer_begin_short began. */
static inline void crd_json_writer_end_short(crd_json_writer *json, char bracket) {
    crd_json_writer_end(json, bracket);
    json->lines--;
}

#ifdef __cplusplus
}
#endif

#endif
