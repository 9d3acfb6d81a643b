/* SPDX-License-Identifier: MIT */
/* network_writer.h - functions shared by the writers of network files. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_WRITER_H
#define CRD_NETWORK_FORMATS_NETWORK_WRITER_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Output state. Appending fails only if memory runs out; nothing more is written after that. */
typedef struct crd_i_writing {
    crd_i_buffer *out;
    bool failed;
    crd_text refused; /* the first name that the format cannot represent; bytes NULL: none */
} crd_i_writing;

void crd_i_put(crd_i_writing *writing, const char *bytes, size_t length);
void crd_i_put_words(crd_i_writing *writing, const char *words);
/* Writes the shortest decimal number that reads back to the same bits. */
void crd_i_put_number(crd_i_writing *writing, double number);
void crd_i_put_count(crd_i_writing *writing, size_t count);
/* Writes text in double quotes, with a backslash before quotes and backslashes, and \n and \r for line breaks. */
void crd_i_put_quoted(crd_i_writing *writing, crd_text text);
/* Writes one bracket for each discrete parent whose states start, or are complete, at `row`. */
void crd_i_put_brackets(crd_i_writing *writing, const crd_network *network, const crd_i_node *node, size_t row,
                        const char *bracket);
/* Writes a name with %XX for bytes that could end a quoted text, a list, or their container. */
void crd_i_put_encoded(crd_i_writing *writing, crd_text name);
/* Writes all entries, separated by commas. */
void crd_i_put_encoded_list(crd_i_writing *writing, const crd_i_dictionary *names);
/* Records a name that cannot be written, if it is the first. */
void crd_i_writing_refuse(crd_i_writing *writing, crd_text name);
/* Returns the final status: CRD_ERROR_SYNTAX if a name could not be written, with `why` as the rest of the message
 * "the name x ...", or CRD_ERROR_MEMORY if memory ran out. */
CRD_MUST_USE crd_status crd_i_writing_end(const crd_i_writing *writing, const char *why, crd_error *error);

#endif
