/* SPDX-License-Identifier: MIT */
/* reader.h - reader functions for the layers above, in addition to credence/data.h. */
#ifndef CRD_TABLE_READ_READER_H
#define CRD_TABLE_READ_READER_H

#include "input/source.h"
#include "table/column_schema.h"
#include "table/part_evidence.h"

/* Opens a reader over one source, which it takes over even if it fails. For tests and fuzzers. `place` is copied. */
CRD_MUST_USE crd_status crd_i_reader_open_source(crd_context *context, crd_i_source *source, const char *place,
                                                 const crd_reader_options *options, crd_reader **out, crd_error *error);

/* Makes every process of a group read all rows instead of its part. Call it before the first row. */
CRD_MUST_USE crd_status crd_i_reader_read_whole(crd_reader *reader, crd_error *error);

/* Reads rows with crd_reader_next, up to the last row or fewer. It begins by discarding the results of an earlier
 * call. */
typedef crd_status crd_i_reader_pass(void *state, crd_error *error);
/* Calls `pass` at the reader's current row, and again at the first row if earlier frames had a wrong column type. In
 * that case crd_reader_next has failed, and the pass has returned its failure. If each process of a group reads a part
 * of the rows, all processes make the passes together, until all of them have read their rows with the same types.
 * crd_reader_parallel_map does this for passes with several threads. */
CRD_MUST_USE crd_status crd_i_reader_make_passes(crd_reader *reader, crd_i_reader_pass *pass, void *state,
                                                 crd_error *error);
/* Returns whether only a part of the rows is wanted. The part may be empty. */
bool crd_i_reader_is_shard(const crd_reader *reader);
/* Returns the processes that each read a part of the rows, so results must be merged. NULL: this process reads all
 * rows, or other calls read the other parts. */
crd_i_group *crd_i_reader_group(const crd_reader *reader);
/* Returns the number of the part, from 1, and sets *count to the number of parts; both are 0 if all rows are wanted. */
unsigned crd_i_reader_shard(const crd_reader *reader, unsigned *count);
/* Returns whether other calls read the other parts, so column types are decided later. */
bool crd_i_reader_is_part(const crd_reader *reader);
/* Returns whether the part begins within the first frame of all rows, if each process of a group has a part.
 * Otherwise returns true. */
bool crd_i_reader_begins_early(const crd_reader *reader);
/* Returns the type of a frame column as far as it is known. No thread may be reading. */
crd_column_type crd_i_reader_column_type(const crd_reader *reader, size_t column);
/* Returns whether an unquoted cell with this text is missing. */
bool crd_i_reader_is_missing(const crd_reader *reader, crd_text cell);
/* Returns the original text of a cell of the worker's latest frame; empty if rows are not text. */
crd_text crd_i_worker_text_at(const crd_worker *worker, size_t row, size_t column);
/* Reads all rows with as many threads as the reader's options allow, to determine the column types, formats and
 * values. */
CRD_MUST_USE crd_status crd_i_reader_read_all(crd_reader *reader, crd_error *error);
/* The evidence to collect while reading: column types, the cells' texts too, or types next to frames that are used.
 * With CRD_I_COLLECT_BESIDE, infinite numbers stay errors. */
typedef enum crd_i_collection { CRD_I_COLLECT_TYPES, CRD_I_COLLECT_TEXTS, CRD_I_COLLECT_BESIDE } crd_i_collection;

/* Starts collecting evidence; call it before the first row. After all rows are read, crd_i_reader_part returns the
 * evidence, owned by the caller. */
void crd_i_reader_collect(crd_reader *reader, crd_i_collection collection);
bool crd_i_reader_collects(const crd_reader *reader);
/* Resets the type of columns in memory that has only been derived from their storage type, if the part has no present cell.
 * Cells of other parts then decide. */
void crd_i_reader_drop_unshown_types(crd_reader *reader);
CRD_MUST_USE crd_status crd_i_reader_part(const crd_reader *reader, crd_i_part_evidence **out, crd_error *error);
/* Decides whether the bytes of pipes are kept in memory or in a temporary file, so that all rows can be read again. Call
 * it before the first row; later calls have no effect. */
void crd_i_reader_keep_pipes(crd_reader *reader, bool is_wanted);
/* Returns whether crd_reader_begin_again can succeed. */
bool crd_i_reader_can_reread(const crd_reader *reader);
/* Returns CRD_ERROR_LIMIT, without a line, if all workers together found more categories in a column than allowed.
 * No thread may be reading. */
CRD_MUST_USE crd_status crd_i_reader_check_categories(const crd_reader *reader, crd_error *error);

/* Returns CRD_ERROR_LIMIT, without a line, if `count` categories are more than the column `name` may have. */
CRD_MUST_USE crd_status crd_i_reader_check_count(const crd_reader *reader, crd_text name, size_t count,
                                                 crd_error *error);

/* Returns whether columns that are not in a schema are an error. */
bool crd_i_reader_is_strict(const crd_reader *reader);

/* Makes the target an ordinary column. Call it before the first row. */
void crd_i_reader_drop_target(crd_reader *reader);

/* ---- Rows that make up sequences ---- */

/* Key columns identify the sequence of a row and its time. Frames contain them, as a category and a number; schemas
 * do not. */
typedef enum crd_i_key { CRD_I_KEY_NONE = 0, CRD_I_KEY_SEQUENCE = 1, CRD_I_KEY_TIME = 2 } crd_i_key;

/* Makes a column of the first file a key, even if the reader is bound. Call it before the first row. If times can be
 * read in two ways, the format `likely` decides; a plain format means there is none. */
CRD_MUST_USE crd_status crd_i_reader_set_key(crd_reader *reader, crd_text selector, crd_i_key key,
                                             crd_i_column_format likely, crd_error *error);
/* Returns whether a model fixed the columns. */
bool crd_i_reader_is_bound(const crd_reader *reader);
/* Returns the name of the format of the times if other files need it, because their cells might have several readings.
 * Bytes are NULL if there is none. The name is static. */
crd_text crd_i_reader_time_format(const crd_reader *reader);
/* Return the frame column of the key, or of the target; SIZE_MAX: none. Valid once a frame was read. Codes of
 * sequence ids refer to the frame's dictionary, which the next frame empties. */
size_t crd_i_reader_key(const crd_reader *reader, crd_i_key key);
size_t crd_i_reader_target(const crd_reader *reader);
/* Returns the name of the key column; bytes NULL: there is none. The name lives as long as the reader. */
crd_text crd_i_reader_key_name(const crd_reader *reader, crd_i_key key);
/* Returns whether the key's cells are dates, which are converted to seconds since 1970. */
bool crd_i_reader_key_is_date(const crd_reader *reader, crd_i_key key);

/* Enables crd_i_reader_breaks, which works for crd_reader_next only. Call it before the first row.
 * CRD_ERROR_ARGUMENT: the format has no empty lines between rows. */
CRD_MUST_USE crd_status crd_i_reader_mark_empty_lines(crd_reader *reader, crd_error *error);
/* Returns, for each row of the latest frame of crd_reader_next, whether an empty line precedes it. */
const uint8_t *crd_i_reader_breaks(const crd_reader *reader);
/* Returns the number of the frame's file, from 0. crd_i_reader_lines stores the line of each row; `lines` must have
 * one element per row. */
size_t crd_i_reader_input(const crd_reader *reader);
/* Returns the name of a file by its number. */
const char *crd_i_reader_input_place(const crd_reader *reader, size_t input);
void crd_i_reader_lines(const crd_reader *reader, uint64_t *lines);
bool crd_i_reader_keeps_text(const crd_reader *reader);
crd_context *crd_i_reader_context(const crd_reader *reader);

/* The position of a frame's rows relative to the part, for a reader of a part that consists of whole sequences. */
typedef enum crd_i_row_zone {
    CRD_I_ROWS_OWN = 0,    /* in the part: sequences that begin here belong to it */
    CRD_I_ROWS_BEFORE = 1, /* before the part: the last one is the row just before the part */
    CRD_I_ROWS_BEHIND = 2  /* after the part: a sequence of the part may continue here */
} crd_i_row_zone;

/* Prepares a reader of a part to return whole sequences. Call it before the first row. Returns true if the rows of a
 * sequence are contiguous, in files divided by bytes: frames then contain rows of all zones in order, up to the last
 * row. Returns false if frames contain all rows: the part then owns the sequences whose hashes satisfy
 * crd_i_reader_has_key. */
bool crd_i_reader_divide_sequences(crd_reader *reader, bool are_scattered);
/* Returns the zone of the latest frame of crd_reader_next. */
crd_i_row_zone crd_i_reader_zone(const crd_reader *reader);
/* Call it at the first own row if no row preceded it. Returns true if there may be preceding rows, which
 * crd_reader_begin_again will read. spans_files: include files before the file of the first row. */
bool crd_i_reader_reach_back(crd_reader *reader, bool spans_files);
/* Returns whether a 64-bit hash belongs to this part. Each hash belongs to exactly one part. */
bool crd_i_reader_has_key(const crd_reader *reader, uint64_t key);
/* Returns the frame of crd_reader_next, for its columns. crd_reader_next must have been called. */
const crd_frame *crd_i_reader_frame(const crd_reader *reader);

/* Returns whether crd_reader_accept_similar_classes was called. */
bool crd_i_reader_accepts_similar_classes(const crd_reader *reader);
/* Returns the class set by crd_reader_set_class; bytes NULL: none. */
crd_text crd_i_reader_class(const crd_reader *reader);

/* Calls `see` with each value found so far in a categorical column. Stops and returns false when `see` returns
 * false. */
bool crd_i_reader_each_value(const crd_reader *reader, crd_text column, bool (*see)(void *user, crd_text value),
                             void *user);

/* ---- Schemas ---- */

/* Creates the schema of the frame columns, in their order. It contains the types known so far and the values
 * declared by the entered files, or by the schema that the reader is bound to. *out is owned by the caller. */
CRD_MUST_USE crd_status crd_i_reader_schema(const crd_reader *reader, crd_i_schema **out, crd_error *error);
/* Creates the schema like crd_i_reader_schema, and also declares the values found in cells so far. */
CRD_MUST_USE crd_status crd_i_reader_schema_seen(const crd_reader *reader, crd_i_schema **out, crd_error *error);

/* Binds the reader to a schema: frames then have exactly its columns, in its order, with its types and missing
 * texts, unless options gave others. Columns are matched by name. They are matched by position if this file has no
 * header and as many fields as the schema's file, with or without the target. Cells of absent columns are missing,
 * and one warning lists these columns. If all attributes are absent, returns CRD_ERROR_COLUMN. A column of type NONE
 * gets its type from its cells. */
CRD_MUST_USE crd_status crd_i_reader_bind(crd_reader *reader, const crd_i_schema *schema, crd_error *error);
/* Binds the reader to a schema like crd_i_reader_bind, for rows to learn or to remove. Each file must have the
 * target and the weight, which is then a column at its position. */
CRD_MUST_USE crd_status crd_i_reader_bind_to_learn(crd_reader *reader, const crd_i_schema *schema, crd_error *error);
/* Finds the formats of the columns of a reader that is bound to learn, as crd_reader_detect_column_formats does, if the model has no
 * value of them yet. Fails with CRD_ERROR_SCHEMA_DIFFERS if a column becomes several columns, or if its values do not
 * determine its format when all rows are trained at once. */
CRD_MUST_USE crd_status crd_i_reader_detect_new_formats(crd_reader *reader, crd_error *error);
/* Returns whether the reader detects the formats of its columns from their texts, because neither a schema file nor
 * types in memory define them. */
bool crd_i_reader_detects_formats(const crd_reader *reader);
/* Returns whether rows arrive in typed columns in memory, not as the text of a file. */
bool crd_i_reader_is_typed(const crd_reader *reader);
/* Adopts a schema for rows to train a model on. The target and the weight must be there if the schema has them. The
 * caller can still ignore columns, or change their types or the target. */
CRD_MUST_USE crd_status crd_i_reader_adopt(crd_reader *reader, const crd_i_schema *schema, crd_error *error);

/* Returns the text of a field in a row of the latest frame. `column` is the file's column. Needs options.keep_text. For
 * a missing value, returns the text as it is in the file. */
crd_text crd_i_reader_cell(const crd_reader *reader, size_t row, size_t column);

#endif
