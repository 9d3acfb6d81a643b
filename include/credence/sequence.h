/* SPDX-License-Identifier: MIT */
/* credence/sequence.h - sequences of observations: rows of a table that follow each other, such as the words of a
 * sentence or the measurements of a day.
 *
 *   crd_reader_open(context, &path, 1, NULL, &reader, &error);
 *   crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
 *   options.sequence = crd_text_of("patient");                       rows with the same id are a sequence
 *   crd_sequences_read(reader, &options, &sequences, &error);
 *
 * A table contains its sequences one after the other: rows with the same id, or rows between empty lines. They are read
 * in batches, in bounded memory. Rows that do not fit into memory are stored in an unnamed temporary file, which is
 * deleted with the batch. */
#ifndef CREDENCE_SEQUENCE_H
#define CREDENCE_SEQUENCE_H

#include <credence/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sequences ---- */

/* Sets *out to the number of rows of a sequence: its steps without inserted steps. */
CRD_API CRD_MUST_USE crd_status crd_sequences_rows_of(const crd_sequences *sequences, size_t sequence, uint64_t *out,
                                                      crd_error *error);
/* Returns the number of rows, among all rows read, that are less than half a step after the previous row. They are
 * steps too. Returns 0 if the options have no step. */
CRD_API uint64_t crd_sequences_crowded(const crd_sequences *sequences);
/* Returns the id of a sequence as it is written in the table. The text lives as long as the sequences. It is empty if
 * there is no id column. */
CRD_API crd_text crd_sequences_id(const crd_sequences *sequences, size_t sequence);

/* Gets the latest time of a sequence. Sets *is_date to non-zero if times are dates, which are seconds since 1970
 * (crd_date_format). Returns 0 and sets nothing if there is no time column. Experimental. */
CRD_API int crd_sequences_latest(const crd_sequences *sequences, size_t sequence, double *out, int *is_date);

/* Selects `count` sequences by their numbers, in the given order. The original sequences must outlive the selection.
 * The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_sequences_select(const crd_sequences *sequences, const size_t *chosen, size_t count,
                                                     crd_sequences **out, crd_error *error);
/* Selects one of `parts` parts, numbered from 0, for distributed work. A part contains consecutive sequences: the
 * sequences that begin in its share of all steps. A part may be empty. Sets *first to the number of its first sequence.
 * The original sequences must outlive the part. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_sequences_divide(const crd_sequences *sequences, unsigned part, unsigned parts,
                                                     size_t *first, crd_sequences **out, crd_error *error);

/* Returns the number of observation columns. The target, id and time columns are not among them. */
CRD_API size_t crd_sequences_column_count(const crd_sequences *sequences);
/* Returns the name of an observation column. The text lives as long as the sequences. */
CRD_API crd_text crd_sequences_column_name(const crd_sequences *sequences, size_t column);
/* Returns the number of distinct values of a categorical column in all rows up to this batch. Returns 0 for a numeric
 * column. */
CRD_API size_t crd_sequences_value_count(const crd_sequences *sequences, size_t column);
/* Returns the value with the given code of a categorical column. Codes are in the order in which values first occurred.
 * The text is valid until the next batch is read from the same reader. */
CRD_API crd_text crd_sequences_value(const crd_sequences *sequences, size_t column, size_t code);

/* Returns non-zero if the sequences have a target column, which contains their labels. */
CRD_API int crd_sequences_has_target(const crd_sequences *sequences);
/* Returns the name of the target column. Its bytes are NULL if there is no target. */
CRD_API crd_text crd_sequences_target(const crd_sequences *sequences);
/* Returns the number of distinct labels in all rows up to this batch. */
CRD_API size_t crd_sequences_label_count(const crd_sequences *sequences);
/* Returns the label with the given code. Codes are in the order in which labels first occurred. The text is valid until
 * the next batch is read from the same reader. */
CRD_API crd_text crd_sequences_label(const crd_sequences *sequences, size_t code);

/* ---- Arrays in memory ---- */

/* Creates sequences in *out from the rows of a frame. `lengths` contains the number of rows of each of the `count`
 * sequences; lengths may be 0 and must sum to the number of rows. `target` is the name of a categorical column with the
 * labels; bytes NULL: no target. All other columns are observations. The frame is borrowed until the sequences are
 * destroyed. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_sequences_from_frame(crd_context *context, const crd_frame *frame, crd_text target,
                                                         const size_t *lengths, size_t count, crd_sequences **out,
                                                         crd_error *error);

/* ---- Sequences in the rows of a reader ---- */

/* Reads sequences in batches from the rows of a crd_reader. */
typedef struct crd_sequence_reader crd_sequence_reader;

/* Creates a sequence reader in *out. Call it before the first row of `reader` is read. It excludes the id and time
 * columns from the observations. The reader may be bound to a model that does not have these columns. The caller keeps
 * `reader`, which must outlive the sequence reader and must not be read by anything else. Destroy the sequence reader
 * with crd_sequence_reader_destroy. CRD_ERROR_ARGUMENT: the reader has a weight column.
 *
 * A reader of one part of the rows (crd_reader_options.shard) returns whole sequences, each in exactly one part. A
 * sequence belongs to the part in which it begins. With a time column, or if inputs are not files, the hash of its id
 * determines the part, and each part reads all rows (docs/shards.md). */
CRD_API CRD_MUST_USE crd_status crd_sequence_reader_create(crd_reader *reader, const crd_sequence_options *options,
                                                           crd_sequence_reader **out, crd_error *error);
/* Frees a sequence reader, but not its crd_reader. NULL is allowed. */
CRD_API void crd_sequence_reader_destroy(crd_sequence_reader *reader);

/* Gets the options with which the reader finds sequences, with the names of the selected columns. Use them to read
 * other files in the same way. Texts live as long as the crd_reader. */
CRD_API void crd_sequence_reader_source(const crd_sequence_reader *reader, crd_sequence_options *out);

/* Reads the next batch of whole sequences into *out, which the caller destroys. A batch has about batch_rows rows, or
 * one longer sequence. With a time column, rows may be in any order, so one batch contains all sequences. Sets *out to
 * NULL at the end. Batches of one reader share their codes, which each batch may extend. Therefore other threads must
 * not use earlier batches during this call.
 *
 * CRD_ERROR_SYNTAX: without a time column, an id occurs again after other ids; a time occurs twice in a sequence; or a
 * row has no id or no time. CRD_ERROR_LIMIT: two rows are too many steps apart. */
CRD_API CRD_MUST_USE crd_status crd_sequence_reader_next(crd_sequence_reader *reader, crd_sequences **out,
                                                         crd_error *error);

/* Checks, in a group of processes (credence/communicator.h) that each read a part, whether an id occurs again in the
 * part of another process. Every process calls it after the last batch. Returns the error of crd_sequence_reader_next
 * for such an id. Returns CRD_OK immediately without a group or without parts. */
CRD_API CRD_MUST_USE crd_status crd_sequence_reader_compare(crd_sequence_reader *reader, crd_error *error);

/* Reads rows as soon as they are available, for online predictions. The batch *out contains at least one row, and its
 * sequences need not be complete. Sets *continues to non-zero if the first sequence of the batch continues the last
 * sequence of the previous batch. Rows must be in the order of their times. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_sequence_reader_next_rows(crd_sequence_reader *reader, crd_sequences **out,
                                                              int *continues, crd_error *error);

/* Returns non-zero if the steps are in the order of the rows that were read. This holds unless a time column changed
 * the order. */
CRD_API int crd_sequences_are_in_order(const crd_sequences *sequences);

/* ---- Cursor: reads the values of one step after the other ---- */

/* A position in sequences. Only one thread at a time can use a cursor. */
typedef struct crd_sequence_cursor crd_sequence_cursor;

/* Creates a cursor in *out. The sequences must outlive it. Call crd_sequence_cursor_move before you read values.
 * Destroy it with crd_sequence_cursor_destroy. */
CRD_API CRD_MUST_USE crd_status crd_sequence_cursor_create(const crd_sequences *sequences, crd_sequence_cursor **out,
                                                           crd_error *error);
/* Frees a cursor. NULL is allowed. */
CRD_API void crd_sequence_cursor_destroy(crd_sequence_cursor *cursor);
/* Moves to a step, counted from 0, of a sequence. The other crd_sequence_cursor_* functions return the data of this
 * step until the next move. Consecutive steps are fastest. */
CRD_API CRD_MUST_USE crd_status crd_sequence_cursor_move(crd_sequence_cursor *cursor, size_t sequence, uint64_t step,
                                                         crd_error *error);
/* Returns the value of an observation column at the current step. */
CRD_API crd_value crd_sequence_cursor_value(const crd_sequence_cursor *cursor, size_t column);
/* Returns the code of a categorical value, whose text crd_sequences_value returns. Returns a negative number if the
 * value is missing or the column is numeric. */
CRD_API int32_t crd_sequence_cursor_code(const crd_sequence_cursor *cursor, size_t column);
/* Returns the code of the label. Returns a negative number if the step has no label. */
CRD_API int32_t crd_sequence_cursor_label(const crd_sequence_cursor *cursor);
/* Returns non-zero if the step was inserted between two rows because of their times. */
CRD_API int crd_sequence_cursor_is_inserted(const crd_sequence_cursor *cursor);
/* Returns the row number, counted from 0 in the order in which the batch was read. Returns UINT64_MAX for an inserted
 * step. */
CRD_API uint64_t crd_sequence_cursor_row(const crd_sequence_cursor *cursor);
/* Returns the line number of the row in its file. Returns 0 if the row has no line. */
CRD_API uint64_t crd_sequence_cursor_line(const crd_sequence_cursor *cursor);
/* Returns the name of the row's file, or "" if it has none. The string lives as long as the sequences. */
CRD_API const char *crd_sequence_cursor_place(const crd_sequence_cursor *cursor);
/* Returns the text of a value as it is written in the file. `column` is a column number of the first file, as for
 * crd_worker_cell. The reader must keep texts (crd_reader_options.keep_text). Returns an empty text for an inserted
 * step. */
CRD_API crd_text crd_sequence_cursor_cell(const crd_sequence_cursor *cursor, size_t column);

#ifdef __cplusplus
}
#endif
#endif
