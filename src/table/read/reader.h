/* SPDX-License-Identifier: MIT */
/* reader.h - what the layers above need of a reader beyond credence/data.h. */
#ifndef CRD_TABLE_READ_READER_H
#define CRD_TABLE_READ_READER_H

#include "table/column_schema.h"
#include "table/source.h"

/* What is left of an input goes to the reader, or network, that takes it: `source` is NULL from then on. */
struct crd_input {
    crd_context *context;
    const char *place;
    crd_i_source *source, *file; /* its bytes, decompressed; the innermost of what that is made of, part of it */
    crd_text first;              /* while there is a source */
    uint64_t bytes;              /* in memory; 0: not known */
};

/* As crd_reader_open, with the compressed formats that are known. */
CRD_MUST_USE crd_status crd_i_reader_open(crd_context *context, const char *const *paths, size_t path_count,
                                          const crd_reader_options *options, const crd_i_decoder *decoders,
                                          crd_reader **out, crd_error *error);

/* The same over one source, which it takes over (also when it fails): for tests and fuzzers. `place` is copied. */
CRD_MUST_USE crd_status crd_i_reader_open_source(crd_context *context, crd_i_source *source, const char *place,
                                                 const crd_reader_options *options, crd_reader **out, crd_error *error);

/* Whether there may be rows that no worker has had. */
bool crd_i_reader_has_more(crd_reader *reader);
/* Whether only a part of the rows is wanted, which may be none. */
bool crd_i_reader_is_shard(const crd_reader *reader);
/* Whether a cell of that text, which stands in no quotes, is missing. */
bool crd_i_reader_is_missing(const crd_reader *reader, crd_text cell);
/* The text of a cell of the worker's latest frame, as it stands; empty where rows are not text. */
crd_text crd_i_worker_text_at(const crd_worker *lane, size_t row, size_t column);
/* Whether crd_reader_begin_again works. */
bool crd_i_reader_can_reread(const crd_reader *reader);
/* When no thread reads: CRD_ERROR_LIMIT, without a line, if all workers together have met more categories in a
 * column than one may have. */
CRD_MUST_USE crd_status crd_i_reader_check_categories(const crd_reader *reader, crd_error *error);

/* Whether columns other than those of a schema are an error. */
bool crd_i_reader_is_strict(const crd_reader *reader);

/* Before the first row: the column that was the target is one like others. */
void crd_i_reader_drop_target(crd_reader *reader);

/* ---- Rows that make up sequences ---- */

/* Columns that say which sequence a row is of, and when: frames have them, a category and a number, but no schema does. */
typedef enum crd_i_key { CRD_I_KEY_NONE = 0, CRD_I_KEY_SEQUENCE = 1, CRD_I_KEY_TIME = 2 } crd_i_key;

/* Before the first row: makes a column of the first file a key, also where the reader is bound. */
CRD_MUST_USE crd_status crd_i_reader_set_key(crd_reader *reader, crd_text selector, crd_i_key key, crd_error *error);
/* Once a frame has come: where it has the key, or the target; SIZE_MAX: nowhere. The codes of a sequence's ids are those of the
 * frame's dictionary, which the next frame empties. */
size_t crd_i_reader_key(const crd_reader *reader, crd_i_key key);
size_t crd_i_reader_target(const crd_reader *reader);
/* The key's column; bytes NULL: there is none. Lives as long as the reader. */
crd_text crd_i_reader_key_name(const crd_reader *reader, crd_i_key key);

/* Before the first row: from now on crd_i_reader_breaks is known, for crd_reader_next alone. CRD_ERROR_ARGUMENT: no empty lines stand
 * between rows of that format. */
CRD_MUST_USE crd_status crd_i_reader_mark_empty_lines(crd_reader *reader, crd_error *error);
/* Of the latest frame of crd_reader_next, for each row: whether an empty line precedes it. */
const uint8_t *crd_i_reader_breaks(const crd_reader *reader);
/* The file that the frame is of, from 0, and the line of each of its rows, of which there is room for all. */
size_t crd_i_reader_input(const crd_reader *reader);
void crd_i_reader_lines(const crd_reader *reader, uint64_t *lines);
bool crd_i_reader_keeps_text(const crd_reader *reader);
crd_context *crd_i_reader_context(const crd_reader *reader);

/* What crd_reader_set_class set; bytes NULL: nothing. */
crd_text crd_i_reader_class(const crd_reader *reader);

/* ---- Schemas ---- */

/* The columns that frames have, in their order, with the kinds known by now, and the values declared by the files that
 * were entered, or by the schema that the reader is bound to; *out is the caller's. */
CRD_MUST_USE crd_status crd_i_reader_schema(const crd_reader *reader, crd_i_schema **out, crd_error *error);
/* The same, where the values that cells have had so far are declared too. */
CRD_MUST_USE crd_status crd_i_reader_schema_seen(const crd_reader *reader, crd_i_schema **out, crd_error *error);

/* From now on frames have exactly the schema's columns, in its order, with its kinds and its missing texts (unless
 * the reader's options gave others). Met by name; by position where this file has no header and as many fields as the
 * schema's had, with or without the target. Absent columns are all missing: one warning names them. If no attribute
 * of the schema is there, it is CRD_ERROR_COLUMN. A column of kind NONE takes the kind its cells have. */
CRD_MUST_USE crd_status crd_i_reader_bind(crd_reader *reader, const crd_i_schema *schema, crd_error *error);
/* The same for rows that are to be learned or taken out: each file must have the target, and the weight, which is then
 * one of the columns, at the place of its position. */
CRD_MUST_USE crd_status crd_i_reader_bind_to_learn(crd_reader *reader, const crd_i_schema *schema, crd_error *error);
/* The same for rows to learn a model from: the target and the weight, if the schema has them, must be there, and
 * columns can still be ignored, or told another kind or target. */
CRD_MUST_USE crd_status crd_i_reader_adopt(crd_reader *reader, const crd_i_schema *schema, crd_error *error);

#endif
