/* SPDX-License-Identifier: MIT */
/* data_input.h - opens files of rows according to the options. */
#ifndef CREDENCE_CLI_DATA_H
#define CREDENCE_CLI_DATA_H

#include "core/invocation.h"
#include "core/lists.h"
#include "source/bad_row_list.h"

/* A reader and the options that it was opened with. */
typedef struct data {
    crd_reader *reader;
    crd_schema *schema; /* from --schema, or with the intervals of --discretize; NULL: none */
    bad_row_list *bad;  /* skipped rows; NULL: the first bad row is an error */
    list missing;
    string target;        /* the name of the target, after it was chosen */
    bool is_weighted;     /* a weight column was chosen */
    bool skips_unlabeled; /* rows without a target are not used for training or to detect types */
    const char *const *paths;
    size_t path_count;
    bool keeps_text;
} data;

/* Opens the paths according to --header, --missing, --input, --decimal, --max-categories and --threads. */
int data_open(const invocation *call, const char *const *paths, size_t count, bool keep_text, data *out);
/* Opens rows that a model classifies or learns, as data_open does. If the model's training files had no header, these
 * files have none either, unless --header is given. */
int data_open_for(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                  bool keep_text, data *out);
void data_close(data *d);

/* The texts that mean missing in files for a model: the model's texts, the texts of --missing, or both. */
typedef struct missing_texts {
    list listed;
    const crd_summary *summary; /* NULL: only the listed texts */
} missing_texts;

int data_missing_texts(const invocation *call, const crd_summary *summary, missing_texts *out);
bool data_means_missing(const missing_texts *texts, crd_text text);

/* Applies --schema, or --numeric, --categorical, --text, --column-format, --ignore, --only, --weight and --discretize, and --target
 * if it is given. Cut points for intervals are computed from all rows, which are then read a second time. */
int data_treat_columns(const invocation *call, data *d);
/* Detects the formats of columns that no option specifies. with_parts: dates become several columns. */
int data_detect_formats(const data *d, bool with_parts);
/* Returns whether to find latent classes (--latent-class without a structure). Then no column is the target. */
bool data_has_hidden_target(const invocation *call);
/* Chooses the column types and the target, which must exist. With may_count, the target can be missing if the tables of
 * a network are learned from the rows (--search), or if the classes or states are latent. */
int data_choose_columns(const invocation *call, data *d, const char *path, bool may_count);

/* Reports the total weight of the rows, the skipped rows without a target, and the rows of weight 0. */
void data_report_rows(const crd_model *model, const crd_read_facts *facts);
/* Reports why training on a table failed, with a hint at the option that helps, if any. */
int data_report_untrained(const invocation *call, const data *d, const crd_error *error, const char *path);

#endif
