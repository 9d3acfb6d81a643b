/* query_syntax.h - what the files of the verb query share: taking questions apart, and the kinds of what is asked. */
#ifndef CREDENCE_CLI_QUERY_SYNTAX_H
#define CREDENCE_CLI_QUERY_SYNTAX_H

#include "core/invocation.h"
#include "core/json_writer.h"
#include "core/lists.h"
#include "core/output.h"
#include "core/text_table.h"

/* Longer tables are cut, unless --all. */
enum { QUERY_VALUES_SHOWN = 20 };

/* ---- query_syntax.c: options taken apart ---- */

/* The items of every value of an option: split at commas outside quotes and brackets, quotes kept. Items live as long
 * as the arguments. */
typedef struct words {
    crd_text *items;
    size_t count;
} words;
void words_split(const invocation *call, const char *name, words *out);
void words_free(words *w);
/* An item without the quotes around it; `out` keeps it. */
crd_text words_unquoted(crd_text item, list *out);
/* What is between the brackets of P(...), the notation of books; false where that is not what an item is. */
bool words_probability(crd_text item, crd_text *inside);

/* Whether = < or > stand in an item. */
bool words_compare(crd_text item);

/* Whether a sign stands in a text. */
bool words_hold(crd_text text, const char *sign);

/* The event that a text of the option --name is, of some names, which are "column"s or "node"s. */
int words_parse_event(const invocation *call, const char *name, const char *what, crd_text text, const crd_text *names,
                      size_t count, crd_event **out);

/* "Outlook, Wind" */
void words_add_names(string *out, const crd_text *names, const size_t *columns, size_t count);

/* ---- What is asked ---- */

/* query_table.c: the rows of files, as a table of counts. */
int query_table(invocation *call);
/* query_model.c: a model, or a table that is made one. */
int query_model(invocation *call);
/* query_network.c: a network, which the first operand is, counted under the settings; NULL: its tables are stated. */
int query_network(const invocation *call, const crd_network *network, const crd_settings *settings);

/* ---- query_table.c, for the files that ask one question of a table ---- */

typedef struct asking {
    const invocation *call;
    output out;
    json json;
    const crd_table *table;
    const crd_text *names;  /* of the table's columns */
    const crd_event *given; /* NULL: nothing */
    const char *given_text; /* as typed; "" where nothing is given */
    bool all;
} asking;

/* One thing asked for: some columns together, or an event. */
typedef struct question {
    size_t *columns;
    size_t count;
    crd_event *event;
} question;

/* The table's rows that a question is about; where there are none, or it cannot be answered, says so. What this has
 * let pass can be answered, so nothing is written before. */
int asking_rows(const asking *a, const size_t *columns, size_t count, const crd_event *event, crd_table **out);
/* The first line of a report. */
void asking_open(asking *a);
/* "Outlook given Play=Yes: 9 rows (1 left out: a cell is missing)" */
void asking_heading(asking *a, const char *what, const crd_table *rows);
/* "4/9 = 0.44444" */
void asking_add_share(string *out, uint64_t rows, uint64_t of);

/* query_joint.c: the counts of columns alone or together, and of events. */
int joint_print(asking *a, const question *q, const crd_table *rows);
int joint_json(asking *a, const question *q, const crd_table *rows, bool counts);
/* The name of a question in JSON. */
void joint_add_key(string *out, const asking *a, const question *q);

/* query_independence.c: a test, whose columns are in --independence. */
int independence_answer(asking *a, const size_t *columns, const size_t *given, size_t given_count);

#endif
