/* SPDX-License-Identifier: MIT */
/* data_input.h - files of rows, read as the options say. */
#ifndef CREDENCE_CLI_DATA_H
#define CREDENCE_CLI_DATA_H

#include "core/invocation.h"
#include "core/lists.h"
#include "source/bad_row_list.h"

/* A reader and what it was told with. */
typedef struct data {
    crd_reader *reader;
    crd_schema *schema; /* of --schema, or with the intervals of --discretize; NULL: there is none */
    bad_row_list *bad;  /* rows that were left out; NULL: the first is an error */
    list missing;
    string target;        /* the name of the target, once one is chosen */
    bool is_weighted;     /* a weight is chosen */
    bool skips_unlabeled; /* rows without a target will not be learned, and decide no column types */
    const char *const *paths;
    size_t path_count;
    bool keeps_text;
} data;

/* Opens paths as --header, --missing, --input, --decimal, --max-categories and --threads say. */
int data_open(const invocation *call, const char *const *paths, size_t count, bool keep_text, data *out);
/* The same for rows that a model classifies or learns: files without a header where those it learned had none, unless
 * --header is given. */
int data_open_for(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                  bool keep_text, data *out);
void data_close(data *d);

/* The texts that mean missing in files that a model reads: its own, those of --missing, or both. */
typedef struct missing_texts {
    list listed;
    const crd_summary *summary; /* NULL: those listed alone */
} missing_texts;

int data_missing_texts(const invocation *call, const crd_summary *summary, missing_texts *out);
bool data_means_missing(const missing_texts *texts, crd_text text);

/* Applies --schema, or --number, --category, --text, --form, --ignore, --only, --weight and --discretize, and, where it is given,
 * --target. Intervals are found in all rows, which are then read a second time. */
int data_treat_columns(const invocation *call, data *d);
/* Finds the forms of columns of which nothing is said; with_parts: dates become several columns. */
int data_find_forms(const data *d, bool with_parts);
/* Whether latent classes are to be found (--hidden without a structure): the target is in no column. */
bool data_has_hidden_target(const invocation *call);
/* Both where there has to be a target; but for may_count, where the rows need have none if a network is counted
 * from them (--structure), or their classes or states are hidden. */
int data_choose_columns(const invocation *call, data *d, const char *path, bool may_count);

/* Says what the weight makes of the rows, and how many rows count for nothing. */
void data_report_rows(const crd_model *model, const crd_read_facts *facts);
/* Reports why a table could not be learned from, with the option that helps where one does. */
int data_report_untrained(const invocation *call, const data *d, const crd_error *error, const char *path);

#endif
