/* SPDX-License-Identifier: MIT */
/* credence/sequence.h - sequences of observations: rows of a table that follow each other, as words of a sentence or
 * measurements of a day do.
 *
 * A table has its sequences one below the other: rows with the same id, or rows between empty lines. They are read batch by
 * batch, in bounded memory: what does not fit is kept in a file without a name, which is gone when the batch is. */
#ifndef CREDENCE_SEQUENCE_H
#define CREDENCE_SEQUENCE_H

#include <credence/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sequences: immutable once made, shared by threads ---- */

typedef struct crd_sequences crd_sequences;

CRD_API void crd_sequences_destroy(crd_sequences *sequences);

CRD_API size_t crd_sequences_count(const crd_sequences *sequences);
/* Steps of a sequence, those that were inserted among them; 0: it is empty. */
CRD_API uint64_t crd_sequences_length(const crd_sequences *sequences, size_t sequence);
/* Steps of all sequences. */
CRD_API uint64_t crd_sequences_rows(const crd_sequences *sequences);
/* Rows of a sequence: its steps without those that were inserted. */
CRD_API CRD_MUST_USE crd_status crd_sequences_rows_of(const crd_sequences *sequences, size_t sequence, uint64_t *out,
                                                      crd_error *error);
/* Rows less than half a step behind the row before them, among all that were read: they are steps nonetheless. 0 where the options have
 * no step. */
CRD_API uint64_t crd_sequences_crowded(const crd_sequences *sequences);
/* The id of a sequence, as its cells have it, which lives as long as the sequences; empty where there is no column of ids. */
CRD_API crd_text crd_sequences_id(const crd_sequences *sequences, size_t sequence);

/* Gets the latest time of a sequence. *is_date is non-zero if times are dates, which are seconds since 1970 (crd_date_format). Returns 0 if there
 * is no column of times, and sets nothing then. Experimental. */
CRD_API int crd_sequences_latest(const crd_sequences *sequences, size_t sequence, double *out, int *is_date);

/* Some of the sequences, by their numbers, in this order; those that they are chosen from must outlive the selection. */
CRD_API CRD_MUST_USE crd_status crd_sequences_select(const crd_sequences *sequences, const size_t *chosen, size_t count,
                                                     crd_sequences **out, crd_error *error);
/* One of several parts, from 0: consecutive sequences, those that begin in its share of all steps, which may be none. *first is the number of
 * the first of them. Those that they are chosen from must outlive them. */
CRD_API CRD_MUST_USE crd_status crd_sequences_divide(const crd_sequences *sequences, unsigned part, unsigned parts,
                                                     size_t *first, crd_sequences **out, crd_error *error);

/* The columns of observations: neither the target nor those of the id and the time are among them. */
CRD_API size_t crd_sequences_column_count(const crd_sequences *sequences);
CRD_API crd_text crd_sequences_column_name(const crd_sequences *sequences, size_t column);
CRD_API crd_kind crd_sequences_column_kind(const crd_sequences *sequences, size_t column);
/* The values of a category that rows have had up to this batch, in the order in which they came; 0: it is a number. The texts
 * live until the reader that the sequences come from is asked for more. */
CRD_API size_t crd_sequences_value_count(const crd_sequences *sequences, size_t column);
CRD_API crd_text crd_sequences_value(const crd_sequences *sequences, size_t column, size_t code);

CRD_API int crd_sequences_has_target(const crd_sequences *sequences);
/* Its name, of which bytes are NULL where there is none, and its values, as above. */
CRD_API crd_text crd_sequences_target(const crd_sequences *sequences);
CRD_API size_t crd_sequences_label_count(const crd_sequences *sequences);
CRD_API crd_text crd_sequences_label(const crd_sequences *sequences, size_t code);

/* ---- Arrays in memory ---- */

/* The rows of a frame, cut into `count` sequences of these lengths, of which some may be 0, and which add up to its rows. Columns
 * are all of the frame's but the target, a category by its name; bytes NULL: there is none. The frame is borrowed until the
 * sequences are destroyed. */
CRD_API CRD_MUST_USE crd_status crd_sequences_from_frame(crd_context *context, const crd_frame *frame, crd_text target,
                                                         const size_t *lengths, size_t count, crd_sequences **out,
                                                         crd_error *error);

/* ---- Sequences in the rows of a reader ---- */

/* Where sequences begin and end: at rows with another id; at empty lines, blanks being nothing; at the end of each file, but for
 * an id that goes on in the next. Where neither is given, each file is one sequence. */
typedef struct crd_sequence_options {
    size_t size;
    crd_text sequence; /* the column of ids, picked as crd_reader_select does; bytes NULL: none */
    int blank_lines;   /* non-zero: sequences end at empty lines, which only delimited files have */
    /* The column of times, numbers or dates, by which the rows of a sequence are sorted, wherever in the table they are; bytes
     * NULL: rows come in their order, and those of an id together. No two rows of a sequence have the same time. */
    crd_text time;
    /* > 0: rows that are k steps apart, rounded, have k - 1 steps without observations between them. In the unit of the times:
     * seconds for dates. 0: rows follow each other, however far apart. */
    double step;
    size_t batch_rows;   /* that a batch has, about; 0: 65,536 */
    size_t memory_bytes; /* of a batch that are kept in memory, about; 0: 64 MiB */
    /* The form of the times, by name (crd_reader_set_form), for example seconds-dmy. It decides cells that could be read in two ways, such as
     * 01/02/2024. Dates that contradict it are CRD_ERROR_KIND. Bytes NULL: the cells show the form. The options of a model
     * (crd_model_sequence_options) have the form that it was trained with, unless one reading is possible only. */
    crd_text time_form;
} crd_sequence_options;

#define CRD_SEQUENCE_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_sequence_options), {0, 0}, 0, {0, 0}, 0, 0, 0, {                                                    \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

typedef struct crd_sequence_reader crd_sequence_reader;

/* Before the reader's first row: sets the columns of the id and the time aside, which are no observations then. The reader may
 * be bound to a model, of which these are no columns. It stays the caller's, must outlive the sequence reader, and is not to be
 * read by others. A reader with a column of weights is CRD_ERROR_ARGUMENT. One of a part of the rows has whole sequences, each in
 * exactly one part: those that begin in it; with a column of times, or where inputs are no files, those whose id falls to it by
 * its hash, for which it reads all rows (docs/shards.md). */
CRD_API CRD_MUST_USE crd_status crd_sequence_reader_create(crd_reader *reader, const crd_sequence_options *options,
                                                           crd_sequence_reader **out, crd_error *error);
CRD_API void crd_sequence_reader_destroy(crd_sequence_reader *reader);

/* How it finds them, with the names of the columns that its options picked, which live as long as its reader: what other files are
 * read with alike. */
CRD_API void crd_sequence_reader_source(const crd_sequence_reader *reader, crd_sequence_options *out);

/* The next batch of whole sequences, which is the caller's: about as many rows as a batch has, or one sequence that is longer;
 * with a column of times, which may be in any order, all there are. *out = NULL at the end. CRD_RESTART is that of
 * crd_reader_next: all batches so far are to be forgotten. Batches of one reader share what codes mean, which may grow with each
 * of them: while one is read, no other thread uses those before.
 * An id that comes back behind other ids is CRD_ERROR_SYNTAX unless there are times; so are equal times in a sequence, and rows
 * without an id or a time. A gap of too many steps is CRD_ERROR_LIMIT. */
CRD_API CRD_MUST_USE crd_status crd_sequence_reader_next(crd_sequence_reader *reader, crd_sequences **out,
                                                         crd_error *error);

/* Behind the last batch, by every process of a group (credence/communicator.h) that reads its part: the error of an id that comes back, where that
 * is in the part of another process. CRD_OK at once where there is no group, or no part. */
CRD_API CRD_MUST_USE crd_status crd_sequence_reader_compare(crd_sequence_reader *reader, crd_error *error);

/* Rows as soon as they come, for answers at once: at least one, whole sequences or not. *continues: non-zero where the first
 * sequence of the batch goes on with the latest of the one before. Rows must be in the order of their times. */
CRD_API CRD_MUST_USE crd_status crd_sequence_reader_next_rows(crd_sequence_reader *reader, crd_sequences **out,
                                                              int *continues, crd_error *error);

/* All of them; the reader begins again where it must. None are CRD_ERROR_EMPTY, unless they are those of a part. Every process of a
 * group (credence/communicator.h) reads those of all parts, which finding hidden states needs; they find these together. */
CRD_API CRD_MUST_USE crd_status crd_sequences_read(crd_reader *reader, const crd_sequence_options *options,
                                                   crd_sequences **out, crd_error *error);

/* The same of sequences, whose texts live as long as they do. 0: they come from no reader, and *out is that of
 * CRD_SEQUENCE_OPTIONS_INIT. */
CRD_API int crd_sequences_source(const crd_sequences *sequences, crd_sequence_options *out);

/* Whether steps stand in the order of the rows that were read, as they do unless times say otherwise. */
CRD_API int crd_sequences_are_in_order(const crd_sequences *sequences);

/* ---- Cursor: one step after the other, for a thread ---- */

typedef struct crd_sequence_cursor crd_sequence_cursor;

/* The sequences must outlive it. */
CRD_API CRD_MUST_USE crd_status crd_sequence_cursor_create(const crd_sequences *sequences, crd_sequence_cursor **out,
                                                           crd_error *error);
CRD_API void crd_sequence_cursor_destroy(crd_sequence_cursor *cursor);
/* To a step, from 0, of a sequence. Steps one after the other cost least. What follows is that step's, until the next move. */
CRD_API CRD_MUST_USE crd_status crd_sequence_cursor_move(crd_sequence_cursor *cursor, size_t sequence, uint64_t step,
                                                         crd_error *error);
CRD_API crd_value crd_sequence_cursor_value(const crd_sequence_cursor *cursor, size_t column);
/* The code of a category, of which crd_sequences_value has the text; negative: the cell is missing, or the column of numbers. */
CRD_API int32_t crd_sequence_cursor_code(const crd_sequence_cursor *cursor, size_t column);
/* The label's code; negative: it has no label. */
CRD_API int32_t crd_sequence_cursor_label(const crd_sequence_cursor *cursor);
/* Non-zero: no row of the table, but a step between two of them. */
CRD_API int crd_sequence_cursor_is_inserted(const crd_sequence_cursor *cursor);
/* The row, from 0 in the order in which the batch was read; UINT64_MAX where it was inserted. */
CRD_API uint64_t crd_sequence_cursor_row(const crd_sequence_cursor *cursor);
/* The line and the file of the row; 0 and "" where there are none. Both live as long as the sequences. */
CRD_API uint64_t crd_sequence_cursor_line(const crd_sequence_cursor *cursor);
CRD_API const char *crd_sequence_cursor_place(const crd_sequence_cursor *cursor);
/* The text of the row's cell, by the column of the first file, as crd_reader_cell; needs a reader that keeps texts. Empty where
 * the step was inserted. */
CRD_API crd_text crd_sequence_cursor_cell(const crd_sequence_cursor *cursor, size_t column);

#ifdef __cplusplus
}
#endif
#endif
