/* SPDX-License-Identifier: MIT */
/* network_writer.h - what the writers of network files share. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_WRITER_H
#define CRD_NETWORK_FORMATS_NETWORK_WRITER_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Appending fails only for want of memory: once it has, nothing more is written. */
typedef struct crd_i_writing {
    crd_i_buffer *out;
    bool failed;
    crd_text refused; /* the first name that the format has no way for; bytes NULL: none */
} crd_i_writing;

void crd_i_put(crd_i_writing *to, const char *bytes, size_t length);
void crd_i_put_words(crd_i_writing *to, const char *words);
/* The shortest that reads back to the same bits. */
void crd_i_put_number(crd_i_writing *to, double number);
void crd_i_put_count(crd_i_writing *to, size_t count);
/* With a backslash in front of quotes and backslashes, \n and \r for these two, in double quotes. */
void crd_i_put_quoted(crd_i_writing *to, crd_text text);
/* One bracket for each discrete parent whose states have all come by when `row` begins or ends. */
void crd_i_put_brackets(crd_i_writing *to, const crd_network *network, const crd_i_node *node, size_t row,
                        const char *bracket);
/* With %XX for bytes that a reader might take for the end of a quoted text, a list, or what these stand in. */
void crd_i_put_encoded(crd_i_writing *to, crd_text name);
/* All of them, with commas between. */
void crd_i_put_encoded_list(crd_i_writing *to, const crd_i_dictionary *names);
/* Keeps the name for the error, if it is the first. */
void crd_i_writing_refuse(crd_i_writing *to, crd_text name);
/* What becomes of it: CRD_ERROR_SYNTAX where a name was refused, for which `why` is the rest of the sentence "the name
 * x
 * ..."; CRD_ERROR_MEMORY where memory ran out. */
CRD_MUST_USE crd_status crd_i_writing_end(const crd_i_writing *to, const char *why, crd_error *error);

#endif
