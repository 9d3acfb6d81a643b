/* evaluate_compare.h - what the files of evaluate --compare share:
 *
 *   evaluate_compare.c           rows are learned once, and asked about under the settings of each candidate
 *   evaluate_candidates.c        the candidates, and which of them a table is fit for
 *   evaluate_patience.c          what takes too long is stopped
 *   evaluate_recommend.c         which candidate to take
 *   evaluate_compare_report.c    what came of it */
#ifndef CREDENCE_CLI_EVALUATE_COMPARE_H
#define CREDENCE_CLI_EVALUATE_COMPARE_H

#include "verbs/evaluate/evaluate_verb.h"

/* ---- Candidates ---- */

enum { CANDIDATE_SETTINGS = 3 };

/* A way to learn and answer: settings, and what they need. The simpler stand first. */
typedef struct candidate {
    const char *name;
    struct {
        const char *name, *value;
    } settings[CANDIDATE_SETTINGS];      /* NULL: no more */
    size_t numbers, categories, columns; /* it makes sense where there are so many */
    const char *tally;                   /* of several columns, that it reads, or "committee"; NULL: none */
} candidate;

extern const candidate candidate_table[];
extern const size_t candidate_count;

/* Whether a setting is one that candidates choose. */
bool candidate_chooses(const char *setting);

/* What is known of a table before anything is compared. */
typedef struct table_facts {
    uint64_t rows;
    size_t numbers, categories, classes;
    double combinations; /* of all categories */
    double pairs;        /* of values, which cells of numbers count as, under all classes */
} table_facts;

void table_facts_read(const crd_summary *summary, table_facts *out);
/* Whether a candidate makes sense for the table. */
bool candidate_fits(const candidate *c, const table_facts *facts);
/* Whether the tally of several columns can be kept in every fold; else adds the reason. */
bool candidate_tally_fits(const char *tally, const table_facts *facts, string *reason);
/* The names of all tallies that candidates read, and that can be kept. */
void candidate_tallies(const table_facts *facts, string *out);
/* The candidate's settings on top of those that are there. */
int candidate_apply(const candidate *c, const table_facts *facts, crd_settings *settings);
/* The same as options of the command, each with a blank before it. */
void candidate_add_options(const candidate *c, const table_facts *facts, string *out);

/* ---- What came of each ---- */

typedef struct comparison_result {
    const candidate *of;
    bool is_left_out;
    string reason; /* why */
    double accuracy, ece;
    double log_loss, log_loss_error; /* the mean over rows, and its standard error */
    double seconds;                  /* of deriving and answering */
    double estimated;                /* numbers, in the model that answers the first fold */
    double *losses;                  /* of each row that was judged: -log P(true class) */
} comparison_result;

typedef struct comparison {
    const invocation *call;
    table_facts facts;
    const char *how; /* rows were parted */
    comparison_result *results;
    size_t count; /* in the order of the table */
    double *weights;
    int32_t *truths; /* of each row that is judged; -1: a class that cannot be predicted */
    size_t classes;
    size_t rows;                    /* that were judged */
    double baseline, baseline_loss; /* accuracy and log loss of the classes' shares in these rows; NaN: no row counts */
    size_t hopeless;                /* rows whose class every candidate has at zero, which say nothing of these */
    size_t best;                    /* the least log loss; SIZE_MAX: nothing is left */
    size_t recommended;
    double behind, behind_error; /* by how much the recommended one's log loss is above the best one's */
} comparison;

/* Fills in log losses, the best candidate and the recommended one. */
void comparison_recommend(comparison *c);

/* Whether a candidate does better than the classes' shares, which need no column. */
bool comparison_is_of_use(const comparison *c);

/* ---- Report ---- */

int comparison_report(const comparison *c);

#endif
