/* SPDX-License-Identifier: MIT */
/* options.h - the options of a verb, declared once in a table. The table is used to parse and to explain them. */
#ifndef CREDENCE_CLI_OPTIONS_H
#define CREDENCE_CLI_OPTIONS_H

#include "core/string_buffer.h"

/* Restrictions on when an option is valid. They are bits and can be combined. */
enum {
    SCOPE_NOT_MODELS = 1,        /* not if the first operand is a model file, whose columns are fixed */
    SCOPE_NOT_PLAIN_MODELS = 2,  /* as SCOPE_NOT_MODELS, but valid for models that are networks */
    SCOPE_NOT_NETWORK_FILES = 4, /* not for a network file, which defines nodes and tables */
    SCOPE_NOT_NODE_MODELS = 8,   /* not if a network file predicts one of its nodes */
    SCOPE_NOT_NETWORKS = 16,     /* not if a network is queried, from a file or learned from rows */
    SCOPE_NETWORKS = 32,         /* only if a network is queried */
    SCOPE_ROWS = 64,             /* not if a network file is queried without a table of rows */
    SCOPE_ONE_CASE = 128,        /* not if a network is queried for each row of a table */
    SCOPE_SEQUENCES = 256,       /* only for sequence models (HMMs) */
    SCOPE_NOT_SEQUENCES = 512,   /* not for sequence models (HMMs) */
    SCOPE_COLUMNS = SCOPE_NOT_MODELS | SCOPE_NOT_NETWORK_FILES | SCOPE_NOT_NODE_MODELS,
    SCOPE_TARGET = SCOPE_NOT_PLAIN_MODELS,
    SCOPE_TABLE_TARGET = SCOPE_NOT_PLAIN_MODELS | SCOPE_NOT_NETWORK_FILES,
    SCOPE_READING = SCOPE_ROWS
};

/* Whether the option's value is a file, and whether it is read or written. */
typedef enum option_file { OPTION_NO_FILE, OPTION_READS, OPTION_WRITES } option_file;

typedef struct option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* the short form, or 0 */
    /* The syntax of the value; NULL for a flag. "[a|b]" or "[N]": the value can be omitted and is then "". */
    const char *value;
    const char *help;
    unsigned scope; /* 0: valid whenever the verb has the option */
    /* Options, or NAME=VALUE, separated by spaces; at least one of them must be given too. NULL: none. */
    const char *needs;
    const char *conflicts; /* Options that this option cannot be combined with, in the same syntax. NULL: none. */
    const char *hint;      /* Printed after the message about `needs` or `conflicts`. NULL: none. */
    option_file file;
    bool is_once; /* the option can be given only once; otherwise values accumulate */
} option;

/* Options that several verbs share. */
#define OPTION_TARGET                                                                                                  \
    { "target", 0, "COL", .help = "target column: the class to predict", .scope = SCOPE_TARGET, .is_once = true }
#define OPTION_TABLE_TARGET                                                                                            \
    { "target", 0, "COL", .help = "target column: the class to predict", .scope = SCOPE_TABLE_TARGET, .is_once = true }
#define OPTION_WEIGHT                                                                                                  \
    {                                                                                                                  \
        "weight", 0, "COL", .help = "column of row weights: how many rows a row counts as", .scope = SCOPE_COLUMNS,    \
                            .is_once = true                                                                            \
    }
#define OPTION_NUMBER                                                                                                  \
    { "numeric", 0, "COLS", .help = "numeric columns", .scope = SCOPE_COLUMNS }
#define OPTION_CATEGORY                                                                                                \
    {                                                                                                                  \
        "categorical", 0, "COLS", .help = "categorical columns, even if their values look like numbers",               \
                                  .scope = SCOPE_COLUMNS                                                               \
    }
#define OPTION_TEXT                                                                                                    \
    { "text", 0, "COLS", .help = "text columns, whose words are counted", .scope = SCOPE_COLUMNS }
#define OPTION_IGNORE                                                                                                  \
    { "ignore", 0, "COLS", .help = "columns to ignore", .scope = SCOPE_COLUMNS }
#define OPTION_COLUMN_FORMAT                                                                                           \
    {                                                                                                                  \
        "column-format", 0, "COLS=FORMAT,...",                                                                         \
            .help = "how values are parsed: point, comma, percent, boolean, date, datetime, seconds, time, ...",       \
            .scope = SCOPE_COLUMNS                                                                                     \
    }
#define OPTION_ONLY                                                                                                    \
    {                                                                                                                  \
        "only", 0, "COLS", .help = "columns to use in addition to target and weight; others are ignored",              \
                           .scope = SCOPE_COLUMNS                                                                      \
    }
#define OPTION_DISCRETIZE                                                                                              \
    {                                                                                                                  \
        "discretize", 0, "COL=RULE,...",                                                                               \
            .help = "turn numeric columns into intervals: quantile:N, width:N, mdl, or cut points A:B:...; *=RULE "    \
                    "for the "                                                                                         \
                    "rest",                                                                                            \
            .scope = SCOPE_COLUMNS                                                                                     \
    }
#define OPTION_ARCS_FROM                                                                                               \
    {                                                                                                                  \
        "arcs-from", 0, "FILE", .help = "network file whose arcs and states are used", .scope = SCOPE_COLUMNS,         \
                                .conflicts = "arcs search", .file = OPTION_READS, .is_once = true                      \
    }
#define OPTION_HEADER                                                                                                  \
    {                                                                                                                  \
        "header", 0, "yes|no|N", .help = "whether the first line, or line N, contains the column names",               \
                                 .scope = SCOPE_READING, .is_once = true                                               \
    }
#define OPTION_SKIP_LINES                                                                                              \
    { "skip-lines", 0, "N", .help = "skip the first N lines of each file", .scope = SCOPE_READING, .is_once = true }
#define OPTION_MISSING                                                                                                 \
    {                                                                                                                  \
        "missing", 0, "LIST", .help = "more texts that mean missing; =LIST: only these instead of NA, NULL, ?, ...",   \
                              .scope = SCOPE_READING                                                                   \
    }
#define OPTION_INPUT                                                                                                   \
    {                                                                                                                  \
        "input", 0, "comma|semicolon|tab|whitespace|pipe|arff|jsonl|json|lines",                                       \
            .help = "field separator, or format of the rows", .scope = SCOPE_READING, .is_once = true                  \
    }
#define OPTION_SEPARATOR                                                                                               \
    {                                                                                                                  \
        "separator", 0, "CHAR",                                                                                        \
            .help = "field separator: any one character, \\t for a tab, a space for runs of spaces",                   \
            .scope = SCOPE_READING, .conflicts = "input", .is_once = true                                              \
    }
#define OPTION_QUOTE                                                                                                   \
    {                                                                                                                  \
        "quote", 0, "CHAR|none", .help = "quote character of fields that contain separators (\")",                     \
                                 .scope = SCOPE_READING, .is_once = true                                               \
    }
#define OPTION_DECIMAL                                                                                                 \
    { "decimal", 0, ".|,", .help = "decimal mark of numbers (.)", .scope = SCOPE_READING, .is_once = true }
#define OPTION_ENCODING                                                                                                \
    {                                                                                                                  \
        "encoding", 0, "NAME", .help = "text encoding: utf-8, utf-16le, latin1, cp1252, ... (utf-8, or as marked)",    \
                               .scope = SCOPE_READING, .is_once = true                                                 \
    }
#define OPTION_BAD_ROWS                                                                                                \
    {                                                                                                                  \
        "bad-rows", 0, "stop|skip[:MOST]|FILE",                                                                        \
            .help = "rows that cannot be read: fail (stop), skip and count them, or write them to FILE",               \
            .scope = SCOPE_READING, .file = OPTION_WRITES, .is_once = true                                             \
    }
#define OPTION_STRICT                                                                                                  \
    {                                                                                                                  \
        "strict", 0, NULL, .help = "reject columns that are not in the model, the schema or the first file",           \
                           .scope = SCOPE_READING                                                                      \
    }
#define OPTION_SCHEMA                                                                                                  \
    {                                                                                                                  \
        "schema", 0, "FILE", .help = "schema file of the columns, as written by the verb schema",                      \
                             .scope = SCOPE_COLUMNS,                                                                   \
                             .conflicts = "numeric categorical text column-format ignore only discretize weight",      \
                             .hint = "the schema determines the columns", .file = OPTION_READS, .is_once = true        \
    }
#define OPTION_MAX_CATEGORIES                                                                                          \
    {                                                                                                                  \
        "max-categories", 0, "N", .help = "maximum number of distinct values of a column (1000000)",                   \
                                  .scope = SCOPE_READING, .is_once = true                                              \
    }
/* Options that determine where sequences begin and end. */
#define OPTION_SEQUENCE                                                                                                \
    {                                                                                                                  \
        "sequence", 0, "COL", .help = "column of sequence ids", .scope = SCOPE_READING | SCOPE_SEQUENCES,              \
                              .conflicts = "weight", .is_once = true                                                   \
    }
#define OPTION_SEQUENCE_BREAK                                                                                          \
    {                                                                                                                  \
        "sequence-break", 0, "empty-line", .help = "sequences end at empty lines",                                     \
                                           .scope = SCOPE_READING | SCOPE_SEQUENCES, .conflicts = "sequence weight",   \
                                           .is_once = true                                                             \
    }
#define OPTION_TIME                                                                                                    \
    {                                                                                                                  \
        "time", 0, "COL", .help = "column of times, numbers or dates that sorts the rows of a sequence",               \
                          .scope = SCOPE_READING | SCOPE_SEQUENCES, .is_once = true                                    \
    }
#define OPTION_STEP                                                                                                    \
    {                                                                                                                  \
        "step", 0, "S", .help = "time between steps, such as 1 or 1h; gaps become steps without observations",         \
                        .scope = SCOPE_READING | SCOPE_SEQUENCES, .needs = "time", .is_once = true                     \
    }
#define OPTIONS_OF_SEQUENCES OPTION_SEQUENCE, OPTION_SEQUENCE_BREAK, OPTION_TIME, OPTION_STEP
#define OPTION_THREADS                                                                                                 \
    { "threads", 0, "N", .help = "number of threads (0: one per CPU core)", .is_once = true }
/* Output formats of rows and of reports. */
#define FORMATS "table|csv|json|markdown"
/* Output formats of verbs that print one report per row. CSV has no single table for them. */
#define FORMATS_OF_EACH_ROW "table|json|markdown"
#define OPTION_FORMAT                                                                                                  \
    { "format", 0, FORMATS, .help = "output format", .is_once = true }
#define OPTION_OUTPUT                                                                                                  \
    {                                                                                                                  \
        "output", 'o', "FILE", .help = "write to this file instead of standard output", .file = OPTION_WRITES,         \
                               .is_once = true                                                                         \
    }
#define OPTION_MODEL_OUTPUT                                                                                            \
    { "output", 'o', "MODEL", .help = "model file to write", .file = OPTION_WRITES, .is_once = true }
#define OPTION_ROW_GIVEN                                                                                               \
    { "given", 0, "COL=VALUE,...", .help = "one row, instead of DATA", .scope = SCOPE_NOT_SEQUENCES }
#define OPTION_GIVEN                                                                                                   \
    { "given", 0, "COL=VALUE,...", .help = "one row, instead of DATA" }
/* Options of network queries. */
#define OPTION_DO                                                                                                      \
    {                                                                                                                  \
        "do", 0, "COL=VALUE,...", .help = "network: intervention that sets columns and cuts the arcs into them",       \
                                  .scope = SCOPE_NETWORKS                                                              \
    }
#define OPTION_LIKELIHOOD                                                                                              \
    {                                                                                                                  \
        "likelihood", 0, "COL=STATE:L,...",                                                                            \
            .help = "network: virtual evidence, the likelihood of an observation in each state",                       \
            .scope = SCOPE_NETWORKS                                                                                    \
    }
#define OPTION_MEMORY                                                                                                  \
    {                                                                                                                  \
        "memory", 0, "SIZE",                                                                                           \
            .help = "network: memory for exact inference, such as 500M or 2G (half of the free memory)",               \
            .scope = SCOPE_NETWORKS, .is_once = true                                                                   \
    }
#define OPTION_APPROXIMATE                                                                                             \
    {                                                                                                                  \
        "approximate", 0, "[weighting|gibbs|loopy|weighting,always|gibbs,always|loopy,always]",                        \
            .help = "network: use approximate inference if exact inference needs more memory, or always",              \
            .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .is_once = true                                                  \
    }
#define OPTION_DRAWS                                                                                                   \
    {                                                                                                                  \
        "draws", 0, "N", .help = "number of draws for an estimate", .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE,          \
                         .needs = "approximate", .is_once = true                                                       \
    }
#define OPTION_ESTIMATE_SEED                                                                                           \
    {                                                                                                                  \
        "seed", 0, "S", .help = "seed of an estimate (1)", .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE,                   \
                        .needs = "approximate", .is_once = true                                                        \
    }
#define OPTIONS_OF_ESTIMATES OPTION_MEMORY, OPTION_APPROXIMATE, OPTION_DRAWS, OPTION_ESTIMATE_SEED
#define OPTION_QUIET                                                                                                   \
    { "quiet", 'q', NULL, .help = "print errors only" }
#define OPTION_HELP                                                                                                    \
    { "help", 'h', NULL, .help = "show this help" }

/* Options for a table that is given instead of a model. */
#define OPTIONS_OF_COLUMNS                                                                                             \
    OPTION_WEIGHT, OPTION_NUMBER, OPTION_CATEGORY, OPTION_TEXT, OPTION_COLUMN_FORMAT, OPTION_IGNORE, OPTION_ONLY,      \
        OPTION_DISCRETIZE, OPTION_SCHEMA, OPTION_ARCS_FROM
#define OPTIONS_OF_TABLE OPTION_TARGET, OPTIONS_OF_COLUMNS
#define OPTION_DOCUMENTS                                                                                               \
    {                                                                                                                  \
        "documents", 0, "CLASS=PATH,...",                                                                              \
            .help = "DATA: one row per file of a folder, or per line of a file; - is standard input", .is_once = true  \
    }
#define OPTION_MAIL                                                                                                    \
    {                                                                                                                  \
        "mail", 0, "CLASS=PATH,...",                                                                                   \
            .help = "DATA: one row per mail message of a folder, Maildir, mbox or file; - is standard input",          \
            .conflicts = "documents", .is_once = true                                                                  \
    }
/* Options for rows that are documents. */
#define OPTIONS_OF_DOCUMENTS OPTION_DOCUMENTS, OPTION_MAIL
/* Options for reading any file of rows. */
#define OPTIONS_OF_READING                                                                                             \
    OPTION_HEADER, OPTION_SKIP_LINES, OPTION_MISSING, OPTION_INPUT, OPTION_SEPARATOR, OPTION_QUOTE, OPTION_ENCODING,   \
        OPTION_BAD_ROWS, OPTION_DECIMAL, OPTION_MAX_CATEGORIES, OPTION_THREADS
#define OPTIONS_END                                                                                                    \
    OPTION_QUIET, OPTION_HELP, {                                                                                       \
        .name = NULL                                                                                                   \
    }

typedef struct given_option {
    const char *name;
    const char *value; /* NULL for a flag */
} given_option;

/* A parsed command line. The texts belong to argv. */
typedef struct arguments {
    given_option *options;
    size_t option_count;
    const char **operands;
    size_t operand_count;
    const option *table; /* the options of the verb */
    char **result;       /* operands that replaced patterns; owned */
    size_t found_count;
} arguments;

/* Returns whether the value of the setting `method` is a Bayesian network: network, tan or kdb:K. */
bool method_is_network(const char *method);

/* Parses the words after the verb. The library's settings of these groups are options too. On failure prints the problem
 * and returns ENDED_USAGE; otherwise returns ENDED_WELL. */
int arguments_parse(int argc, char **argv, const char *verb, const option *table, const char *setting_groups,
                    arguments *out);
void arguments_free(arguments *given);

/* Adds the options of a list as in `needs`: "--a, --b or --rule gibbs". */
void options_add_list(string *out, const char *names);

/* Returns ENDED_USAGE, after a message, if two given options cannot be combined, or if an option lacks an option that
 * it needs. */
int arguments_check(const arguments *given);
/* Returns the first given option that has one of these scopes; NULL: none. */
const char *arguments_in_scope(const arguments *given, unsigned scopes);

bool arguments_have(const arguments *given, const char *name);
/* Returns whether a value can be omitted: "[a|b|c]" can, "[WORD=]P" cannot (only a part of it is optional). */
bool option_value_may_be_left_out(const char *syntax);
/* Returns the last value given for the option, or NULL. */
const char *arguments_value(const arguments *given, const char *name);
/* Returns the next value given for the option, or NULL. *cursor starts at 0. */
const char *arguments_next(const arguments *given, const char *name, size_t *cursor);

/* Finds the value among the words of "a|b|c" and sets *index. Leaves *index unchanged if the option is not given. */
int arguments_choice(const arguments *given, const char *name, const char *words, size_t *index);

/* Parses an integer from 0 to 2^53. Leaves *out unchanged if the option is not given. */
int arguments_whole(const arguments *given, const char *name, uint64_t *out);

/* Applies the settings among the given options. */
int arguments_apply_settings(const arguments *given, crd_settings *settings);
/* Applies the settings among the given options, except the setting called `but`. */
int arguments_apply_other_settings(const arguments *given, const char *but, crd_settings *settings);
/* Returns the first setting among the given options; NULL: none. */
const char *arguments_setting(const arguments *given);
/* Returns the first setting of these groups among the given options; NULL: none. */
const char *arguments_setting_in(const arguments *given, const char *groups);

/* All groups of settings (crd_setting), separated by |. */
#define SETTING_GROUPS "tables|text|network|sequence|fit"

/* Returns the next setting that is in one of the groups, or NULL. *index starts at 0. `groups` separates names by |;
 * NULL: none. */
const crd_setting *settings_next(const char *groups, size_t *index);
/* Returns whether a verb with these options has an option, or a setting of its groups, of that name. */
bool options_have(const option *table, const char *setting_groups, crd_text name);
/* Sets the function that writes the names of the verbs with an option and returns their number. The message about an
 * unknown option then names these verbs. */
void options_find_verbs_by(size_t (*add_verbs)(string *out, crd_text name));

#endif
