/* SPDX-License-Identifier: MIT */
/* predict.h - the interface between the files of the verb predict:
 *
 *   verb_predict.c          the verb: the row of --given, or rows that several threads read
 *   predict_answers.c       predictions as CSV, JSON or a table, and the final notes
 *   predict_sequences.c     items of a sequence model, see sequence_run.h
 *   predict_classes.c       classes of whole sequences
 *   predict_processes.c     predictions of several processes, in one output or several
 *   predict_mail.c          the mail filter: one message, passed on with its class */
#ifndef CREDENCE_CLI_PREDICT_H
#define CREDENCE_CLI_PREDICT_H

#include "core/output.h"
#include "core/text_table.h"
#include "source/given.h"
#include "source/rule_options.h"

/* The number of columns that identify an item of a sequence. */
enum { PLACES = 2 };

/* The predictions for one frame, until they are written. Several threads compute frames at the same time. */
typedef struct answers {
    const crd_worker *worker; /* provides the cells of the rows while the frame exists */
    crd_posteriors *posteriors;
    double *fits;     /* typicality of each row; NULL: --typicality is not given */
    double *expected; /* buffer for the expected costs of one row */
    size_t fits_room;
    string lines; /* CSV or JSON; empty for tables */
    size_t *ends; /* the end of each row in `lines` */
    size_t ends_room;
} answers;

/* One run of predict: the options, the output and the counts for the final notes. */
typedef struct prediction {
    const crd_classifier *classifier; /* for a sequence model: the classifier of single observations */
    const crd_text *classes;
    size_t class_count;
    const char *const *places; /* names of the columns that identify an item: sequence and step; none for rows */
    bool place_is_number[PLACES];
    size_t place_count;
    /* items of a sequence model; the warning about impossible sequences covers them (sequence_run.h) */
    bool is_of_items;
    crd_rule *rule;      /* NULL: no rule */
    crd_typicality *fit; /* NULL: --typicality is not given */
    output out;
    string *class_cells; /* the class names as CSV fields; NULL for other formats */
    string lines;        /* the header line, or the prediction for --given */
    table *table;
    bool is_prompt;        /* write predictions at once, because a reader may wait for them */
    bool shows_each_class; /* false: the table would be too wide, so it omits the columns P(...) */
    size_t kept;           /* number of input columns before the prediction; 0 without --with-input */
    crd_text target;
    bool *is_text; /* JSON: for each input column, whether cells are text even if they look like numbers */
    const crd_reader *reader;
    const given *given;
    answers *slots;           /* one per frame that is in work */
    const char *unseen_words; /* how the note describes unseen values */
    uint64_t seen; /* rows of the current pass over the input; the first p->rows of them were written already */
    uint64_t rows, rows_with_unseen, unseen_cells, undecided, poor_fits;
    uint64_t impossible;     /* impossible sequences; for a stream, impossible rows */
    string first_impossible; /* the name of the first one, and the step */
    /* For several processes; see predict_processes.c. */
    bool is_shared;                /* each process predicts a part of the rows */
    const crd_communicator *group; /* NULL: there is a single process */
    const invocation *call;
    string own_path; /* path of a file per process */
    bool is_kept;    /* predictions are stored for the first process, without a header */
    /* predictions with row numbers, to be merged with those of other processes; NULL: none */
    output *numbered;
    output own_numbered; /* in the first process, which also has the final output */
    size_t messages;     /* number of bytes of the messages that were held before */
} prediction;

/* The prediction for one row, and its cells. */
typedef struct answered {
    const crd_worker *worker;
    size_t row;
    const crd_text *cells; /* input cells; NULL: they come from the worker, or from --given */
    crd_text place[PLACES];
    const double *probabilities, *log_posterior;
    const crd_answer *answer;
    double fit;       /* typicality; NaN without --typicality */
    double *expected; /* buffer for the expected costs */
} answered;

/* Passes on a message with its class, or exits with the code of its class; see core/mail_stream.h. */
int predict_filter(const invocation *call);
/* Predicts the state of each item with a sequence model. Returns an exit code. */
int predict_sequences(const invocation *call, const crd_model *model);
/* Predicts the class of each sequence. Returns an exit code. */
int predict_sequence_classes(const invocation *call, const crd_model *model);

/* Opens the output, and writes or stores the header. */
int answers_open(prediction *p, const invocation *call);
/* Adds the prediction for one row to `lines`, as CSV or JSON. Changes nothing else, so threads can call it
 * concurrently. */
void answers_add_line(const prediction *p, string *lines, const answered *a);
/* Adds the prediction to the table. */
void answers_add_to_table(prediction *p, const answered *a);
/* Updates the counts for the final notes. */
void answers_count(prediction *p, const answered *a);
/* Writes p->lines, and clears it. */
void answers_write(prediction *p);
/* Returns whether writing has failed. */
bool answers_are_broken(const prediction *p);
/* Lays out and writes the table if the row, counted from 1, completes a block. */
void answers_flush_table(prediction *p, uint64_t row);
/* Opens the output of a process that predicts a part of the rows. */
int processes_open(prediction *p, const invocation *call);
/* Switches to lines with row numbers, which are merged with the lines of all other processes in the order of the
 * rows. */
int processes_number_rows(prediction *p);
/* Begins and ends a numbered line. Pass the return value of the first call to the second. */
size_t processes_begin_numbered(prediction *p, uint64_t row);
void processes_end_numbered(prediction *p, size_t begun);
/* Ends the run of several processes, and writes their predictions. Returns the common exit code. */
int processes_collect(prediction *p, int ended);
/* Closes the output, and prints the final notes. */
int answers_close(prediction *p, int ended);

#endif
