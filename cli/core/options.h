/* options.h - the options of a verb: declared once, in a table from which they are parsed and explained. */
#ifndef CREDENCE_CLI_OPTIONS_H
#define CREDENCE_CLI_OPTIONS_H

#include "core/string_buffer.h"

typedef struct option {
    const char *name;  /* without the dashes; NULL ends a table */
    char letter;       /* the short form, or 0 */
    const char *value; /* what its value looks like; NULL for a flag; "[a|b]" where it may be left out, which is "" */
    const char *help;
} option;

/* What an option means beside others. */
typedef enum option_relation {
    OPTION_NEEDS = 1, /* one of the others has to be given */
    OPTION_EXCLUDES   /* none of them may be */
} option_relation;

typedef struct option_rule {
    const char *name; /* NULL ends a table */
    option_relation relation;
    const char *others; /* names with | between them */
    const char *why;    /* ends the message; NULL: it needs no more words */
} option_rule;

/* Options that several verbs share. */
#define OPTION_TARGET                                                                                                  \
    { "target", 0, "COL", "target column: the class to predict" }
#define OPTION_WEIGHT                                                                                                  \
    { "weight", 0, "COL", "column of row weights: how many rows a row stands for" }
#define OPTION_NUMBER                                                                                                  \
    { "number", 0, "COLS", "numeric columns" }
#define OPTION_CATEGORY                                                                                                \
    { "category", 0, "COLS", "categorical columns, even if their cells look like numbers" }
#define OPTION_IGNORE                                                                                                  \
    { "ignore", 0, "COLS", "columns to leave out" }
#define OPTION_HEADER                                                                                                  \
    { "header", 0, "yes|no", "whether the first line names the columns" }
#define OPTION_MISSING                                                                                                 \
    { "missing", 0, "LIST", "texts that mean missing, instead of empty, ?, NA, NaN and null" }
#define OPTION_INPUT                                                                                                   \
    { "input", 0, "comma|semicolon|tab|blank|arff|jsonl", "field separator, or format of the rows" }
#define OPTION_DECIMAL                                                                                                 \
    { "decimal", 0, ".|,", "decimal mark of numbers (.)" }
#define OPTION_SCHEMA                                                                                                  \
    { "schema", 0, "FILE", "schema file of the columns, as written by the verb schema" }
#define OPTION_MAX_CATEGORIES                                                                                          \
    { "max-categories", 0, "N", "bound on the values of one column (1000000)" }
#define OPTION_THREADS                                                                                                 \
    { "threads", 0, "N", "number of threads (0: one for each processor)" }
/* How rows may be written, and how reports. */
#define FORMATS "table|csv|json|markdown"
#define FORMATS_OF_REPORTS "table|json|markdown"
/* Of a report for each row, whose values CSV has no one table for. */
#define FORMATS_OF_EACH_ROW "table|json|markdown"
#define OPTION_FORMAT                                                                                                  \
    { "format", 0, FORMATS, "output format" }
#define OPTION_REPORT_FORMAT                                                                                           \
    { "format", 0, FORMATS_OF_REPORTS, "output format" }
#define OPTION_OUTPUT                                                                                                  \
    { "output", 'o', "FILE", "write there instead of to standard output" }
#define OPTION_MODEL_OUTPUT                                                                                            \
    { "output", 'o', "MODEL", "the model file to write" }
#define OPTION_GIVEN                                                                                                   \
    { "given", 0, "COL=VALUE,...", "a row, instead of DATA" }
/* What is asked of networks. */
#define OPTION_LIKELIHOOD                                                                                              \
    { "likelihood", 0, "COL=STATE:L,...", "network: virtual evidence, the likelihood of an observation in each state" }
#define OPTION_MEMORY                                                                                                  \
    { "memory", 0, "SIZE", "network: memory for exact inference, as 500M or 2G (half of what is free)" }
#define OPTION_APPROXIMATE                                                                                             \
    {                                                                                                                  \
        "approximate", 0, "[weighting|gibbs|loopy]",                                                                   \
            "network: approximate inference where exact inference needs more memory"                                   \
    }
#define OPTION_ALWAYS                                                                                                  \
    { "always", 0, NULL, "with --approximate: in any case" }
#define OPTION_DRAWS                                                                                                   \
    { "draws", 0, "N", "number of draws of an estimate" }
#define OPTION_ESTIMATE_SEED                                                                                           \
    { "seed", 0, "S", "seed of an estimate (1)" }
#define OPTIONS_OF_ESTIMATES OPTION_MEMORY, OPTION_APPROXIMATE, OPTION_ALWAYS, OPTION_DRAWS, OPTION_ESTIMATE_SEED
#define OPTION_QUIET                                                                                                   \
    { "quiet", 'q', NULL, "print errors only" }
#define OPTION_HELP                                                                                                    \
    { "help", 'h', NULL, "show this help" }

/* What a table needs that stands where a model may. */
#define OPTIONS_OF_TABLE OPTION_TARGET, OPTION_WEIGHT, OPTION_NUMBER, OPTION_CATEGORY, OPTION_IGNORE, OPTION_SCHEMA
/* How any file of rows is read. */
#define OPTIONS_OF_READING                                                                                             \
    OPTION_HEADER, OPTION_MISSING, OPTION_INPUT, OPTION_DECIMAL, OPTION_MAX_CATEGORIES, OPTION_THREADS
#define OPTIONS_END                                                                                                    \
    OPTION_QUIET, OPTION_HELP, {                                                                                       \
        NULL, 0, NULL, NULL                                                                                            \
    }

typedef struct given_option {
    const char *name;
    const char *value; /* NULL for a flag */
} given_option;

/* A command line taken apart; texts are those of argv. */
typedef struct arguments {
    given_option *options;
    size_t option_count;
    const char **operands;
    size_t operand_count;
} arguments;

/* Takes apart what follows the verb. Settings are options too where with_settings. Says what is wrong and returns
 * ENDED_USAGE, or returns ENDED_WELL. */
int arguments_parse(int argc, char **argv, const char *verb, const option *table, bool with_settings, arguments *out);
void arguments_free(arguments *given);
/* ENDED_USAGE where what is given breaks a rule of the table, which may be NULL. */
int arguments_check(const arguments *given, const option_rule *rules);

bool arguments_have(const arguments *given, const char *name);
/* The last value given, or NULL. */
const char *arguments_value(const arguments *given, const char *name);
/* The value given after *at (which starts at 0), or NULL. */
const char *arguments_next(const arguments *given, const char *name, size_t *at);

/* Finds the value among the words of "a|b|c"; *index tells which it is. NULL leaves *index alone. */
int arguments_choice(const arguments *given, const char *name, const char *words, size_t *index);

/* A whole number from 0 to 2^53; not given leaves *out alone. */
int arguments_whole(const arguments *given, const char *name, uint64_t *out);

/* Applies the settings among the options. */
int arguments_apply_settings(const arguments *given, crd_settings *settings);
bool arguments_have_settings(const arguments *given);

#endif
