/* SPDX-License-Identifier: MIT */
/* verb.h - what a verb is: its words of help, its options, and the function that does it. One file a verb. */
#ifndef CREDENCE_CLI_VERB_H
#define CREDENCE_CLI_VERB_H

#include "core/invocation.h"

typedef struct verb {
    const char *name;
    const char *usage;      /* what follows "credence "; several forms with " | " between them */
    const char *summary;    /* one line in the imperative, without a full stop */
    const char *about;      /* paragraphs with empty lines between them, or ""; short help has the first one only */
    const char *example;    /* command lines that run as they stand */
    const char *essentials; /* options and settings that short help lists, with | between them */
    const option *options;
    bool takes_settings;
    bool takes_sequences;        /* models of sequences, too */
    bool takes_sequence_classes; /* and of classes of whole sequences */
    size_t least, most;          /* operands; most 0: none, SIZE_MAX: any number */
    const char *operands;        /* which they are: "one MODEL" */
    bool reads_operands;         /* they are files that are read */
    size_t data_at; /* the operand, from 1, from which on they are DATA, which may be standard input; 0: none is */
    const char *instead_of_data; /* options in whose presence DATA may be left out, with | between them; NULL: none */
    bool has_mail_model; /* with --mail, the first operand is the default model (default_model.h) unless one is named */
    bool is_collective;  /* several processes run it together, each with a part of the rows */
    bool is_in_order;    /* of these, each has rows behind those of the process before */
    const char *(*operand)(size_t index); /* the words that operands are, NULL behind the last; none: they are files */
    int (*run)(invocation *call);
} verb;

extern const verb verb_train, verb_predict, verb_evaluate, verb_explain, verb_show, verb_compare, verb_score,
    verb_report, verb_update, verb_forget, verb_merge, verb_combine, verb_schema, verb_export, verb_query, verb_sample,
    verb_bayes, verb_distribution, verb_example, verb_help, verb_version;

/* The command, by the arguments of its program; returns the exit status. Of several processes that run it together, each
 * has a communicator; NULL: it runs alone. */
int command_run(int argc, char **argv, const crd_communicator *communicator);

/* All of them, in the order in which help lists them. Ends with NULL. */
extern const verb *const verb_table[];

/* The verb of that name; else says which are near, and returns NULL. */
const verb *verb_find(const char *name);
/* The short help of a verb, on standard output. */
int verb_explain_itself(const verb *v);

#endif
