/* SPDX-License-Identifier: MIT */
/* predict.h - what the files of the verb predict share:
 *
 *   verb_predict.c          the verb: rows that are given, or read by several threads
 *   predict_answers.c  answers as lines of CSV or JSON, or in a table; and what is to be said of them
 *   predict_sequences.c     the same for a model of sequences, see sequence_run.h
 *   predict_classes.c       and for one of classes of whole sequences
 *   predict_processes.c     answers of several processes, as one output or several
 *   predict_mail.c          a mail filter: one message, passed on with its class */
#ifndef CREDENCE_CLI_PREDICT_H
#define CREDENCE_CLI_PREDICT_H

#include "core/output.h"
#include "core/text_table.h"
#include "source/given.h"
#include "source/rule_options.h"

/* The columns that name an item of a sequence. */
enum { PLACES = 2 };

/* What came of one frame, until it is written: threads make several side by side. */
typedef struct answers {
    const crd_worker *worker; /* which has the rows, for as long as it has the frame */
    crd_posteriors *posteriors;
    double *fits;     /* of each row; NULL: not asked for */
    double *expected; /* room for the costs of one row */
    size_t fits_room;
    string lines; /* in CSV or JSON; for tables there are none */
    size_t *ends; /* of each row, in `lines` */
    size_t ends_room;
} answers;

/* One run of predict: where its answers go, and what came with them. */
typedef struct prediction {
    const crd_classifier *classifier; /* of sequences, that of single observations */
    const crd_text *classes;
    size_t class_count;
    const char *const *places; /* columns that name an item: its sequence, and its step in it; none of rows */
    bool place_is_number[PLACES];
    size_t place_count;
    bool is_of_items;    /* of sequences, whose impossible ones are reported as a whole (sequence_run.h) */
    crd_rule *rule;      /* NULL: none */
    crd_typicality *fit; /* NULL: not asked for */
    output out;
    string *class_cells; /* the classes as fields of CSV; NULL for other formats */
    string lines;        /* the names of the columns, or the answer to what was given */
    table *table;
    bool is_prompt;        /* answers are written as rows come, for whoever waits at the other end */
    bool shows_each_class; /* tables that would be too wide leave the columns P(...) out */
    size_t kept;           /* input columns before the answer; 0 without --keep */
    crd_text target;
    bool *is_text; /* JSON: of each input column, whether its cells are text even if they look like numbers */
    const crd_reader *reader;
    const given *given;
    answers *slots;           /* of the frames that are being answered */
    const char *unseen_words; /* what is said of cells that were left out */
    uint64_t seen;            /* rows of this reading: where it began again, some are answered already */
    uint64_t rows, rows_with_unseen, unseen_cells, undecided, poor_fits;
    uint64_t impossible;     /* sequences that no path of states explains; of a stream, rows */
    string first_impossible; /* which was the first, and where it became so */
    /* Of several processes; predict_processes.c. */
    bool is_shared;                /* each answers a part of the rows */
    const crd_communicator *group; /* NULL: there is one */
    const invocation *call;
    string own_path; /* of a file for each process */
    bool is_kept;    /* the answers are kept for the first process, without a heading */
    output *
        numbered; /* where answers go with the numbers of their rows, as those of other processes stand between them; NULL: none do */
    output own_numbered; /* of the first process, which has the output, too */
    size_t messages;     /* bytes that were held before */
} prediction;

/* One row's answer, and where its cells are. */
typedef struct answered {
    const crd_worker *worker;
    size_t row;
    const crd_text *cells; /* those of the input; NULL: they are those of the lane, or were given */
    crd_text place[PLACES];
    const double *probabilities, *log_posterior;
    const crd_answer *answer;
    double fit;       /* NaN: not asked for */
    double *expected; /* room for the costs of the row */
} answered;

/* Passes a message on, or ends with the code of its class; see core/mail_stream.h. */
int predict_filter(const invocation *call);
int predict_sequences(const invocation *call, const crd_model *model);
int predict_sequence_classes(const invocation *call, const crd_model *model);

/* Opens the output, and writes or keeps the names of its columns. */
int answers_open(prediction *p, const invocation *call);
/* Adds the answer to one row to `lines`, in CSV or JSON. Nothing else changes: threads do it side by side. */
void answers_add_line(const prediction *p, string *lines, const answered *a);
/* Adds it to the table. */
void answers_add_to_table(prediction *p, const answered *a);
/* Counts what is to be said in the end. */
void answers_count(prediction *p, const answered *a);
/* Writes the lines of the run itself. */
void answers_write(prediction *p);
/* Whether writing has failed. */
bool answers_are_broken(const prediction *p);
/* Lays the table out where a row, from 1, is the last of those that are laid out together. */
void answers_flush_table(prediction *p, uint64_t row);
/* Opens the output of a process that answers a part of the rows. */
int processes_open(prediction *p, const invocation *call);
/* From here on answers of all processes are to be put in the order of their rows: each line has the number of its row. */
int processes_number_rows(prediction *p);
/* Before and after such a line is added. */
size_t processes_begin_numbered(prediction *p, uint64_t row);
void processes_end_numbered(prediction *p, size_t begun);
/* The end of that: returns how all have ended, having written what all have to write. */
int processes_collect(prediction *p, int ended);
/* Closes the output, and says what came up. */
int answers_close(prediction *p, int ended);

#endif
