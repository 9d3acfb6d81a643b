/* members.h - models that are made of others: what each of those says of a row, and what they come to. */
#ifndef CREDENCE_CLI_MEMBERS_H
#define CREDENCE_CLI_MEMBERS_H

#include "json.h"
#include "output.h"

typedef struct members {
    const crd_model *model;
    const crd_classifier *classifier; /* of the model */
    size_t count;
    struct member_voice *each;
} members;

/* Nothing is opened where the model is one of rows: then count is 0. */
int members_open(const crd_model *model, const crd_classifier *classifier, members *out);
void members_close(members *m);

/* What each says of a row, and all together; `probabilities` are those of the model, one a class. */
int members_print(output *out, const members *m, const crd_value *values, const double *probabilities,
                  const crd_answer *answer);
/* The same as members of the object that is open. */
int members_write_json(json *j, const members *m, const crd_value *values, const double *probabilities,
                       const crd_answer *answer);

/* Which they are, with their weights and their own facts. */
int members_show(output *out, const crd_model *model, const crd_classifier *classifier);

#endif
