/* SPDX-License-Identifier: MIT */
/* sequences.h - data structures of sequences, for the modules that create them. */
#ifndef CRD_SEQUENCE_DATA_SEQUENCES_H
#define CRD_SEQUENCE_DATA_SEQUENCES_H

#include "base/buffer.h"
#include "base/context.h"
#include "base/dictionary.h"
#include "input/source.h"
#include "table/column_schema.h"
#include "table/frame.h"

#include <credence/sequence.h>

/* ======== Blocks of columns ========
 *
 * Reads sequences block by block, column by column, for algorithms:
 *
 *   crd_i_observation_room room = {.context = context};      (one per thread)
 *   for (uint64_t from = 0; from < length; from += block.steps) {
 *       status = crd_i_sequences_block(sequences, sequence, from, CRD_I_BLOCK_STEPS, &room, &block, error);
 *       ...
 *   }
 *   crd_i_observation_room_clear(&room); */

enum { CRD_I_BLOCK_STEPS = 1024 };

/* Some steps of a sequence. The pointers are valid until the next call with the same workspace. */
typedef struct crd_i_observation_block {
    size_t steps;
    const double *const *numbers; /* for each column: its values, NaN if missing; NULL: not a numeric column */
    /* for each column: its codes, negative if missing; NULL: not a categorical column */
    const int32_t *const *codes;
    const int32_t *labels;      /* codes of the target's values, negative if missing; NULL: there is no target */
    const uint8_t *is_inserted; /* 1: the step was inserted between two rows; NULL: no step was inserted */
} crd_i_observation_block;

/* Returns the number of inserted steps. */
static inline size_t crd_i_block_inserted(const crd_i_observation_block *block) {
    size_t count = 0;
    for (size_t t = 0; block->is_inserted != NULL && t < block->steps; t++) count += block->is_inserted[t];
    return count;
}

/* The workspace of one thread. Initialize to zero with `context` set. */
typedef struct crd_i_observation_room {
    crd_context *context;
    const double **numbers;
    const int32_t **codes;
    size_t column_capacity;
    unsigned char *steps; /* copied steps, if a call spans several blocks or columns have validity bitmaps */
    size_t steps_capacity;
    unsigned char *block; /* the latest block that was read from a file */
    size_t block_capacity;
    uint64_t block_of, block_index; /* serial number of the block's sequences (0: none), and the index of the block */
} crd_i_observation_room;

void crd_i_observation_room_clear(crd_i_observation_room *workspace);

/* Reads at most `steps` steps, and at most CRD_I_BLOCK_STEPS, of a sequence from step `source` on. out->steps is 0 only
 * at the end of the sequence. Any thread may call this with its own workspace, which may be reused for other
 * sequences. */
CRD_MUST_USE crd_status crd_i_sequences_block(const crd_sequences *sequences, size_t sequence, uint64_t source,
                                              size_t steps, crd_i_observation_room *workspace,
                                              crd_i_observation_block *out, crd_error *error);

/* Creates an empty batch with the reader's columns, for a part of the rows that contains no sequences. Returns
 * CRD_ERROR_EMPTY if the reader reads all rows. */
CRD_MUST_USE crd_status crd_i_sequence_reader_none(crd_sequence_reader *reader, crd_sequences **out, crd_error *error);

/* Forgets all rows, because they will be read again. */
void crd_i_sequence_reader_clear(crd_sequence_reader *reader);

/* Returns whether the sequences are from a part of the rows, which may be empty. */
bool crd_i_sequences_are_part(const crd_sequences *sequences);

crd_context *crd_i_sequences_context(const crd_sequences *sequences);
/* Returns the processes that have the same sequences; NULL: none, or the context has left its group. */
crd_i_group *crd_i_sequences_group(const crd_sequences *sequences);

/* Return the values that correspond to the codes of a column, or of the labels. NULL: not categorical, or no value yet.
 * Codes never change, and are the same in all batches of a reader. */
const crd_i_dictionary *crd_i_sequences_values(const crd_sequences *sequences, size_t column);
const crd_i_dictionary *crd_i_sequences_labels(const crd_sequences *sequences);

/* Returns the schema of the observations and the target, for a model that will read similar files. It includes the
 * column types known by now, column formats and declared values, but not the id and time columns. Column i of the
 * sequences is columns[crd_i_sequences_schema_column(i)]. */
const crd_i_schema *crd_i_sequences_schema(const crd_sequences *sequences);
size_t crd_i_sequences_schema_column(const crd_sequences *sequences, size_t column);

/* Adds the file and line of a step to an error. Does nothing if the step has no line. */
void crd_i_sequences_place_error(const crd_sequences *sequences, size_t sequence, uint64_t step, crd_error *error);

/* ======== Blocks of steps ========
 *
 * The steps of sequences are stored column by column, in blocks in a spool.
 *
 * A column is called an area here. Each block contains, for each area in turn, the values of its steps. A block has
 * block_steps steps. The last block has the remaining steps, rounded up to a multiple of 8, so every area begins at a
 * multiple of 8 bytes. */

/* Initialize to zero. */
typedef struct crd_i_step_store {
    crd_context *context;
    size_t area_count;
    size_t *widths, *offsets; /* bytes per value of each area; bytes per step of all areas before it */
    size_t step_bytes;
    size_t block_steps;
    uint64_t steps;
    unsigned char *current; /* the block that is being filled; NULL: not yet allocated, or finished */
    size_t current_steps;
    crd_i_spool spool;
} crd_i_step_store;

/* Sets *got to the number of steps, at most `wanted`, that fit into the current block; at least 1 if wanted > 0. After
 * writing their values, call crd_i_step_store_advance to add the steps. */
CRD_MUST_USE crd_status crd_i_step_store_room(crd_i_step_store *store, uint64_t wanted, size_t *got, crd_error *error);
CRD_MUST_USE crd_status crd_i_step_store_advance(crd_i_step_store *store, size_t steps, crd_error *error);

/* After the store is finished: return the number of steps that a block has room for, and its offset in the spool. */
static inline size_t crd_i_step_store_stride(const crd_i_step_store *store, uint64_t block) {
    uint64_t left = store->steps - block * store->block_steps;
    return left >= store->block_steps ? store->block_steps : ((size_t)left + 7) / 8 * 8;
}

static inline uint64_t crd_i_step_store_offset(const crd_i_step_store *store, uint64_t block) {
    return block * store->block_steps * store->step_bytes;
}

/* Column information shared by all batches of one reader (reference-counted). */
typedef struct crd_i_sequence_columns {
    crd_context *context;
    atomic_size_t users;
    size_t count;    /* number of observation columns */
    size_t *sources; /* their positions in frames */
    size_t target;   /* position of the target in frames; SIZE_MAX: none */
    /* values of each column and, at index `count`, of the target; NULL: no value yet, or not categorical */
    crd_i_dictionary **values;
    bool owns_values;
    crd_i_schema *schema;   /* owned */
    size_t *schema_columns; /* for each column: its position in the schema */
    const char **places;    /* file names, owned, in the order of reading */
    size_t place_count, place_capacity;
    bool is_part;   /* only a part of the rows was read, which may contain no sequences */
    bool is_shared; /* every process of the context's group has the same rows */
    bool has_source;
    crd_sequence_options source; /* the texts are owned */
    /* number of text columns of the first file, whose texts are stored; 0: texts are not stored */
    size_t text_columns;
} crd_i_sequence_columns;

/* From `row` on, in reading order, rows are on consecutive lines, beginning with `line`. */
typedef struct crd_i_line_run {
    uint64_t row, line;
    size_t place;
} crd_i_line_run;

struct crd_sequences {
    crd_context *context;
    uint64_t serial;
    crd_i_sequence_columns *columns; /* counted reference */
    crd_column_type *types;          /* type of each column */
    size_t count;
    uint64_t *starts; /* first step of each sequence, then the number of steps; `count` + 1 entries */
    size_t starts_capacity;
    crd_i_buffer ids;
    uint64_t *id_ends; /* end of each sequence's id in `ids`; NULL: no ids */
    size_t id_ends_capacity;

    const crd_frame *frame; /* the frame that contains the steps; NULL: the steps are in the store */
    crd_i_step_store store; /* areas: the columns, then the optional areas below; SIZE_MAX: absent */
    size_t label_area, inserted_area, row_area, time_area;
    bool is_in_order;

    crd_i_line_run *runs;
    size_t run_count, run_capacity;
    /* texts of rows, in reading order: for each cell a 4-byte length, then the bytes; and the end of each row's texts */
    crd_i_spool texts, text_ends;
    uint64_t rows_read, crowded;
    /* Median distance between successive rows, in steps and in the unit of times; 0: no row is missing, or there is no
     * step. */
    double distance_steps, distance;
    double *latest; /* latest time of each sequence; NULL: no times, or `whole` has them */
    bool has_dates; /* times are dates, in seconds since 1970 */

    const crd_sequences *whole; /* if this is a selection: the sequences that own the steps and ids; otherwise NULL */
    size_t *chosen;             /* for each selected sequence: its index in `whole` */
};

/* Returns the sequences that own the steps of a sequence, and sets *sequence to its index there. */
static inline const crd_sequences *crd_i_sequences_whole(const crd_sequences *sequences, size_t *sequence) {
    if (sequences->whole == NULL) return sequences;
    *sequence = sequences->chosen[*sequence];
    return sequences->whole;
}

/* Returns the number of bytes per value in an area. A column without any value when the batch began has room for
 * numbers. If it turns out to be categorical, its codes use only part of that room. The values written before are bytes
 * 0xFF, which mean missing both as numbers and as codes. */
static inline size_t crd_i_sequences_cell_bytes(const crd_sequences *sequences, size_t area) {
    bool has_codes = area < sequences->columns->count && sequences->types[area] == CRD_TYPE_CATEGORICAL;
    return has_codes ? sizeof(int32_t) : sequences->store.widths[area];
}

/* Returns where the values of the next steps are to be written. */
static inline void *crd_i_sequences_cells(const crd_sequences *sequences, size_t area) {
    const crd_i_step_store *store = &sequences->store;
    return store->current + store->offsets[area] * store->block_steps +
           store->current_steps * crd_i_sequences_cell_bytes(sequences, area);
}

/* Adds a sequence that begins at step `start`; id.bytes is NULL if there are no ids. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_sequences_add(crd_sequences *sequences, uint64_t start, crd_text id);

/* Returns the line run that contains a row; NULL: none. */
const crd_i_line_run *crd_i_sequences_find_run(const crd_sequences *sequences, uint64_t row);

/* ======== Steps from rows ========
 *
 * The rows of a reader's frames are converted into the steps of a batch of sequences. */

/* Maps the codes of a frame's dictionary to the codes shared by all batches. */
typedef struct crd_i_code_map {
    uint64_t serial; /* serial number of the dictionary */
    int32_t *codes;
    size_t count, capacity;
} crd_i_code_map;

/* The source of rows. Initialize to zero with `context` and `reader` set. */
typedef struct crd_i_row_source {
    crd_context *context;
    crd_reader *reader;
    crd_i_sequence_columns *columns; /* NULL: no frame has been read yet */
    crd_i_code_map *maps;            /* for each column, and for the target */
    size_t id, time;                 /* columns of the id and the time in frames; SIZE_MAX: none */
    const crd_frame *frame;          /* the latest frame */
    size_t input;                    /* index of the frame's file */
    uint64_t *lines;                 /* line numbers of the frame's rows */
    size_t lines_capacity;
    size_t memory_bytes;         /* memory limit of a batch */
    crd_sequence_options source; /* how sequences are found; the reader owns the texts */
} crd_i_row_source;

void crd_i_row_source_clear(crd_i_row_source *source);
/* Resets the source: all rows will be read again. */
void crd_i_row_source_restart(crd_i_row_source *source);
/* Reads the next frame; NULL at the end. */
CRD_MUST_USE crd_status crd_i_row_source_next(crd_i_row_source *source, crd_error *error);

/* Sets up the columns from the reader if no frame has been read. The frame then has no rows. */
CRD_MUST_USE crd_status crd_i_row_source_take_columns(crd_i_row_source *source, crd_error *error);

/* Optional areas of a batch, in addition to observations and labels. */
typedef struct crd_i_extra_areas {
    bool time, row, inserted;
} crd_i_extra_areas;

/* Create a batch without steps: for rows like the source's frame, or for steps like another batch. */
CRD_MUST_USE crd_status crd_i_row_source_begin(const crd_i_row_source *source, crd_i_extra_areas extra,
                                               crd_sequences **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_row_source_begin_like(const crd_sequences *like, crd_i_extra_areas extra,
                                                    crd_sequences **out, crd_error *error);
/* Appends the rows from `origin` to `target` - 1 of the frame as steps. */
CRD_MUST_USE crd_status crd_i_row_source_add(crd_i_row_source *source, size_t origin, size_t target,
                                             crd_sequences *into, crd_error *error);
/* Appends steps without observations. */
CRD_MUST_USE crd_status crd_i_row_source_insert(crd_sequences *into, uint64_t steps, crd_error *error);
/* Finishes the batch after its last step. */
CRD_MUST_USE crd_status crd_i_row_source_end(crd_sequences *into, crd_error *error);

/* Adds the file and line of a frame row to an error. */
void crd_i_row_source_place(const crd_i_row_source *source, size_t row, crd_error *error);

/* ======== Sequences without labels ========
 *
 * For example, labels may be classes of whole sequences. */

/* Creates a selection of all sequences without the target. `sequences` must outlive the selection. */
CRD_MUST_USE crd_status crd_i_sequences_unlabeled(const crd_sequences *sequences, crd_sequences **out,
                                                  crd_error *error);

/* ======== Time order ========
 *
 * The rows of sequences are sorted by time, and steps are inserted where rows are more than one step apart. */

/* Numbers of inserted steps and of rows of a table so far. */
typedef struct crd_i_gap_sums {
    uint64_t inserted, rows;
} crd_i_gap_sums;

/* Computes the number of missing steps between two successive times of a sequence, and adds it to the sums. Returns
 * CRD_ERROR_LIMIT if it is too large for one gap, or if the total is too large for the number of rows. */
CRD_MUST_USE crd_status crd_i_time_gap(crd_i_gap_sums *sums, double before, double after, double step,
                                       uint64_t *missing, crd_error *error);

/* Returns whether two times are less than half a step apart. */
static inline bool crd_i_time_is_crowded(double before, double after, double step) {
    return after - before < step / 2;
}

/* From `row` on, in reading order, rows belong to `sequence`. */
typedef struct crd_i_sequence_run {
    uint64_t row;
    size_t sequence;
} crd_i_sequence_run;

/* The rows read so far, whose sequences may be mixed. Initialize to zero. */
typedef struct crd_i_time_order {
    crd_i_sequence_run *runs;
    size_t run_count, run_capacity;
    bool is_mixed;   /* some sequence has several runs, or times that do not ascend */
    bool has_latest; /* `latest` is the time of the previous row of the same run */
    double latest;
    double *latest_of; /* latest time of each sequence; owned until a batch takes it */
    size_t latest_capacity;
    size_t sequence;  /* sequence of the current run */
    bool has_gap;     /* some gap between two rows of a run */
    uint64_t crowded; /* rows less than half a step after the previous row, if no rows are mixed */
} crd_i_time_order;

/* Begin a run of rows of a sequence (`is_new`: its first run), and add a row with its time. The former returns false if
 * out of memory. */
CRD_MUST_USE bool crd_i_time_order_begin_run(crd_i_time_order *order, crd_context *context, uint64_t row,
                                             size_t sequence, bool is_new);
static inline void crd_i_time_order_add(crd_i_time_order *order, double time, double step) {
    if (order->has_latest && !(time > order->latest)) order->is_mixed = true;
    if (order->has_latest && step > 0 && time - order->latest >= 1.5 * step) order->has_gap = true;
    if (order->has_latest && step > 0 && crd_i_time_is_crowded(order->latest, time, step)) order->crowded++;
    if (time > order->latest_of[order->sequence]) order->latest_of[order->sequence] = time;
    order->has_latest = true;
    order->latest = time;
}

/* Sorts the rows by time and inserts missing steps, after all rows have been read into *read. *read must be finished
 * except for its starts. It is either completed or replaced by the result. Equal times in a sequence are
 * CRD_ERROR_SYNTAX. */
CRD_MUST_USE crd_status crd_i_time_order_apply(const crd_i_time_order *order, double step, crd_sequences **read,
                                               crd_error *error);

/* ======== Shared ids ========
 *
 * The ids of sequences that begin in the parts of several processes are compared. An id that begins in two parts is
 * an error: its sequence continues after rows of other sequences. */

/* Adds an id of this process and the position where it begins: a number that increases with the rows over all parts.
 * Returns false if out of memory. */
CRD_MUST_USE bool crd_i_shared_ids_add(crd_i_buffer *ids, crd_text id, uint64_t where);

/* The id whose sequence continues after other sequences. If there are several, the one with the first such row. */
typedef struct crd_i_returned_id {
    /* positions of its first row and of the row that continues it; begins is UINT64_MAX: no such id */
    uint64_t begins, returns;
    crd_i_buffer id; /* its context is set; the caller clears it */
} crd_i_returned_id;

/* Compares the ids of all processes of the group. Every process must make the call. `ids` is empty afterwards. `ended`
 * is the position from which on rows of this process could not be read and so do not count; UINT64_MAX: all rows were
 * read. */
CRD_MUST_USE crd_status crd_i_shared_ids_compare(crd_context *context, crd_i_buffer *ids, uint64_t ended,
                                                 crd_i_returned_id *out, crd_error *error);

/* ======== Id hash table ========
 *
 * The table contains sequence ids with a number for each id. Only 128-bit hashes are stored, so an id takes 24 bytes
 * however long it is. Collisions of 128-bit hashes are so improbable that they are ignored. */

typedef struct crd_i_id_entry {
    uint64_t hash[2]; /* both 0: the entry is empty */
    uint64_t number;
} crd_i_id_entry;

/* Initialize to zero with `context` set. */
typedef struct crd_i_id_table {
    crd_context *context;
    uint64_t keys[2];
    crd_i_id_entry *entries;
    size_t capacity, count; /* the capacity is a power of two */
} crd_i_id_table;

void crd_i_id_table_clear(crd_i_id_table *table);
/* Returns the number of an id. A new id is added with the given number, and *is_new is set. Returns NULL if out of
 * memory. The caller may change the returned number until the next call. */
uint64_t *crd_i_id_table_find(crd_i_id_table *table, crd_text id, uint64_t number, bool *is_new);

/* Returns the type of an observation column. */
crd_column_type crd_i_sequences_column_type(const crd_sequences *sequences, size_t column);

/* Gets the options with which a reader found the sequences. Texts live as long as the sequences. Returns 0 and sets
 * *out to CRD_SEQUENCE_OPTIONS_INIT if the sequences do not come from a reader. */
int crd_i_sequences_source(const crd_sequences *sequences, crd_sequence_options *out);

#endif
