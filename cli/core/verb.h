/* SPDX-License-Identifier: MIT */
/* verb.h - a verb of the command: its help texts, its options, and its function. Each verb has a file. */
#ifndef CREDENCE_CLI_VERB_H
#define CREDENCE_CLI_VERB_H

#include "core/invocation.h"

typedef struct verb {
    const char *name;
    const char *usage;      /* the words after "credence "; several forms are separated by " | " */
    const char *summary;    /* one line in the imperative, without a full stop */
    const char *about;      /* paragraphs separated by empty lines, or ""; short help prints the first */
    const char *example;    /* command lines that can be run unchanged */
    const char *essentials; /* options and settings that short help lists, separated by | */
    const option *options;
    const char *setting_groups;  /* the groups of settings that can change its result, separated by |; NULL: none */
    bool takes_sequences;        /* also accepts sequence models (HMMs) */
    bool takes_sequence_classes; /* also accepts sequence classification models */
    size_t least, most;          /* number of operands; most 0: none, SIZE_MAX: no limit */
    const char *operands;        /* a description of the operands: "one MODEL" */
    bool reads_operands;         /* operands are files that are read */
    /* The number, from 1, of the first operand that is DATA, which may be standard input; 0: none is. */
    size_t data_at;
    const char *instead_of_data; /* Options that make DATA optional, separated by |; NULL: none. */
    bool has_mail_model;         /* With --mail, the first operand defaults to the default model (default_model.h). */
    bool is_collective;          /* several processes can run it together, each with a part of the rows */
    bool is_in_order;            /* the rows of each process follow the rows of the process before */
    /* Returns the valid words for an operand, NULL after the last; NULL function: operands are files. */
    const char *(*operand)(size_t index);
    int (*run)(invocation *call);
} verb;

extern const verb verb_train, verb_predict, verb_evaluate, verb_explain, verb_show, verb_compare, verb_score,
    verb_report, verb_update, verb_forget, verb_merge, verb_combine, verb_schema, verb_export, verb_query, verb_sample,
    verb_bayes, verb_distribution, verb_example, verb_help, verb_version;

/* Runs the command with the arguments of its program. Returns the exit status. If several processes run it together,
 * each passes its communicator; NULL: a single process. */
int command_run(int argc, char **argv, const crd_communicator *communicator);

/* All verbs, in the order in which help lists them. Ends with NULL. */
extern const verb *const verb_table[];

/* Returns the verb of that name. If there is none, prints similar names and returns NULL. */
const verb *verb_find(const char *name);
/* Prints the short help of a verb to standard output. */
int verb_explain_itself(const verb *v);

#endif
