/* SPDX-License-Identifier: MIT */
/* reader.h - what the layers above need of a reader beyond credence/data.h. */
#ifndef CRD_TABLE_READ_READER_H
#define CRD_TABLE_READ_READER_H

#include "table/column_schema.h"
#include "table/part_evidence.h"
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

/* Before a pass over the rows that ends with crd_i_reader_agree, when no thread reads: what was read counts once that has
 * returned CRD_OK. */
void crd_i_reader_begin_pass(crd_reader *reader);
/* After a pass over the rows, by no thread any more, which has ended with CRD_OK, CRD_RESTART or a failure: where each process of a
 * group has a part of the rows, all agree on the kinds of columns. CRD_OK: every process has read its rows by these kinds;
 * CRD_RESTART: all have to begin again; else the failure of one. Of a process alone it is the status. */
CRD_MUST_USE crd_status crd_i_reader_agree(crd_reader *reader, crd_status status, crd_error *error);
/* Before the first row: every process of a group reads all rows, in the place of its part. */
CRD_MUST_USE crd_status crd_i_reader_read_whole(crd_reader *reader, crd_error *error);

/* Whether there may be rows that no worker has had. */
bool crd_i_reader_has_more(crd_reader *reader);

/* A pass over all rows by a thread pool of up to *size, which becomes how many there were. It begins anew: what an earlier one has made is
 * dropped. */
typedef crd_status crd_i_reader_pass(void *state, unsigned *size, crd_error *error);
/* Makes passes until one counts: in a group of processes, until all have read their rows by the same kinds of columns. */
CRD_MUST_USE crd_status crd_i_reader_make_passes(crd_reader *reader, crd_i_reader_pass *pass, void *state,
                                                 crd_error *error);
/* Of the ends of several workers the one with the greatest weight is that of the pass: what the reader says is the same for all, and
 * one that failed in its own way stopped the others, which can only tell that they were. */
int crd_i_reader_end_weight(crd_status status);
/* Whether only a part of the rows is wanted, which may be none. */
bool crd_i_reader_is_shard(const crd_reader *reader);
/* Whether each process of a group has a part of the rows, so that what they find is merged; where each has all rows, it is that of all. */
bool crd_i_reader_is_divided(const crd_reader *reader);
/* Which part it is, from 1, of how many; 0 of 0: all rows are wanted. */
unsigned crd_i_reader_shard(const crd_reader *reader, unsigned *count);
/* Whether the other parts are read by other calls, so that what columns are is decided later. */
bool crd_i_reader_is_part(const crd_reader *reader);
/* Of a part, of which each process of a group has one: whether it begins within what would be the first frame of all rows. Else true. */
bool crd_i_reader_begins_early(const crd_reader *reader);
/* When no thread reads: what a column of its frames is, as far as is known. */
crd_kind crd_i_reader_column_kind(const crd_reader *reader, size_t column);
/* Whether a cell of that text, which stands in no quotes, is missing. */
bool crd_i_reader_is_missing(const crd_reader *reader, crd_text cell);
/* The text of a cell of the worker's latest frame, as it stands; empty where rows are not text. */
crd_text crd_i_worker_text_at(const crd_worker *lane, size_t row, size_t column);
/* Goes through all rows, by as many threads as the reader's options allow: what they show of the columns is known then. */
CRD_MUST_USE crd_status crd_i_reader_read_all(crd_reader *reader, crd_error *error);
/* What is collected of rows beside their frames: what they show of the columns; where frames are used, too, infinite numbers stay
 * errors. */
typedef enum crd_i_collection { CRD_I_COLLECT_KINDS, CRD_I_COLLECT_TEXTS, CRD_I_COLLECT_BESIDE } crd_i_collection;

/* Before the first row: from now on it is collected. Then, once all rows are read, what it is, for who calls. */
void crd_i_reader_collect(crd_reader *reader, crd_i_collection what);
bool crd_i_reader_collects(const crd_reader *reader);
/* Columns in memory whose types have kinds, though no cell of the part is present, have none: cells of other parts decide. */
void crd_i_reader_drop_unshown_kinds(crd_reader *reader);
CRD_MUST_USE crd_status crd_i_reader_part(const crd_reader *reader, crd_i_part_evidence **out, crd_error *error);
/* Whether crd_reader_begin_again works. */
bool crd_i_reader_can_reread(const crd_reader *reader);
/* When no thread reads: CRD_ERROR_LIMIT, without a line, if all workers together have met more categories in a
 * column than one may have. */
CRD_MUST_USE crd_status crd_i_reader_check_categories(const crd_reader *reader, crd_error *error);

/* The same of one column, of which so many categories are known. */
CRD_MUST_USE crd_status crd_i_reader_check_count(const crd_reader *reader, crd_text name, size_t count,
                                                 crd_error *error);

/* Whether columns other than those of a schema are an error. */
bool crd_i_reader_is_strict(const crd_reader *reader);

/* Before the first row: the column that was the target is one like others. */
void crd_i_reader_drop_target(crd_reader *reader);

/* ---- Rows that make up sequences ---- */

/* Columns that say which sequence a row is of, and when: frames have them, a category and a number, but no schema does. */
typedef enum crd_i_key { CRD_I_KEY_NONE = 0, CRD_I_KEY_SEQUENCE = 1, CRD_I_KEY_TIME = 2 } crd_i_key;

/* Before the first row: makes a column of the first file a key, also if the reader is bound. `likely` is the form that decides times that can be
 * read in two ways; plain: there is none. */
CRD_MUST_USE crd_status crd_i_reader_set_key(crd_reader *reader, crd_text selector, crd_i_key key, crd_i_form likely,
                                             crd_error *error);
/* Whether a model has settled the columns. */
bool crd_i_reader_is_bound(const crd_reader *reader);
/* Returns the name of the form of the times if other files need it, because their cells might have several readings. Bytes
 * are NULL if there is none. The name is static. */
crd_text crd_i_reader_time_form(const crd_reader *reader);
/* Once a frame has come: where it has the key, or the target; SIZE_MAX: nowhere. The codes of a sequence's ids are those of the
 * frame's dictionary, which the next frame empties. */
size_t crd_i_reader_key(const crd_reader *reader, crd_i_key key);
size_t crd_i_reader_target(const crd_reader *reader);
/* The key's column; bytes NULL: there is none. Lives as long as the reader. */
crd_text crd_i_reader_key_name(const crd_reader *reader, crd_i_key key);
/* Whether its cells are dates, which become seconds since 1970. */
bool crd_i_reader_key_is_date(const crd_reader *reader, crd_i_key key);

/* Before the first row: from now on crd_i_reader_breaks is known, for crd_reader_next alone. CRD_ERROR_ARGUMENT: no empty lines stand
 * between rows of that format. */
CRD_MUST_USE crd_status crd_i_reader_mark_empty_lines(crd_reader *reader, crd_error *error);
/* Of the latest frame of crd_reader_next, for each row: whether an empty line precedes it. */
const uint8_t *crd_i_reader_breaks(const crd_reader *reader);
/* The file that the frame is of, from 0, and the line of each of its rows, of which there is room for all. */
size_t crd_i_reader_input(const crd_reader *reader);
/* The name of a file, by that number. */
const char *crd_i_reader_input_place(const crd_reader *reader, size_t input);
void crd_i_reader_lines(const crd_reader *reader, uint64_t *lines);
bool crd_i_reader_keeps_text(const crd_reader *reader);
crd_context *crd_i_reader_context(const crd_reader *reader);

/* Where the rows of a frame stand, of a reader of a part of the rows that has whole sequences. */
typedef enum crd_i_row_zone {
    CRD_I_ROWS_OWN = 0,    /* they begin in the part: sequences that begin here are its own */
    CRD_I_ROWS_BEFORE = 1, /* before it: the latest of these is the row before the part */
    CRD_I_ROWS_BEHIND = 2  /* behind it: a sequence of the part may go on here */
} crd_i_row_zone;

/* Before the first row, of a reader of a part: how its rows become whole sequences. true: those of a sequence stand together, in
 * files whose bytes are divided, and frames have rows of all zones in their order, up to the last row there is. false: frames have
 * all rows, and the part's sequences are those whose numbers crd_i_reader_has_key. */
bool crd_i_reader_divide_sequences(crd_reader *reader, bool are_scattered);
/* Of the latest frame of crd_reader_next. */
crd_i_row_zone crd_i_reader_zone(const crd_reader *reader);
/* With the first of its own rows, where none came before them: true: there may be some, and crd_reader_begin_again is to read them.
 * spans_files: also those of files before that of the first row. */
bool crd_i_reader_reach_back(crd_reader *reader, bool spans_files);
/* Whether numbers that are spread over all of 64 bits, as hashes are, fall to this part: each to exactly one. */
bool crd_i_reader_has_key(const crd_reader *reader, uint64_t key);
/* Once crd_reader_next was called: its frame, for the columns. */
const crd_frame *crd_i_reader_frame(const crd_reader *reader);

/* Whether crd_reader_accept_similar_classes was called. */
bool crd_i_reader_accepts_similar_classes(const crd_reader *reader);
/* What crd_reader_set_class set; bytes NULL: nothing. */
crd_text crd_i_reader_class(const crd_reader *reader);

/* Calls `see` with each value that cells of a category column have had so far, until it returns false, and returns false then. */
bool crd_i_reader_each_value(const crd_reader *reader, crd_text column, bool (*see)(void *user, crd_text value),
                             void *user);

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
/* Finds the forms of the columns of a reader that is bound to learn, as crd_reader_find_forms does, if the model has no value of them
 * yet. CRD_ERROR_SCHEMA_DIFFERS if their values leave open what training on all rows at once would make of them, or if they become
 * several columns. */
CRD_MUST_USE crd_status crd_i_reader_find_new_forms(crd_reader *reader, crd_error *error);
/* Whether the forms of the reader's columns are found by their texts: neither a schema file nor types in memory state them. */
bool crd_i_reader_finds_forms(const crd_reader *reader);
/* Whether rows come in typed columns in memory, not as the text of a file. */
bool crd_i_reader_is_typed(const crd_reader *reader);
/* The same for rows to learn a model from: the target and the weight, if the schema has them, must be there, and
 * columns can still be ignored, or told another kind or target. */
CRD_MUST_USE crd_status crd_i_reader_adopt(crd_reader *reader, const crd_i_schema *schema, crd_error *error);

#endif
