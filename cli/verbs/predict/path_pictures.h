/* SPDX-License-Identifier: MIT */
/* path_pictures.h - the states of the first sequences along time, with their posteriors, drawn. */
#ifndef CREDENCE_CLI_PATH_PICTURES_H
#define CREDENCE_CLI_PATH_PICTURES_H

#include "core/report.h"

/* Sequences that are drawn, and steps of each: more nobody could look at. */
enum { SEQUENCES_DRAWN = 10, STEPS_DRAWN = 20000 };

typedef struct drawn_sequence {
    string name;
    int32_t *states;
    double *posteriors; /* [step * states + state] */
    size_t steps, capacity;
} drawn_sequence;

typedef struct path_pictures {
    const invocation *call;
    drawn_sequence items[SEQUENCES_DRAWN];
    size_t count;
} path_pictures;

/* Whether a sequence, by its number from 0, is drawn. */
bool path_pictures_has(const path_pictures *p, uint64_t sequence);
/* Adds steps of a sequence; sequences come in their order. */
void path_pictures_add(path_pictures *p, uint64_t sequence, crd_text name, const crd_decoded *piece,
                       size_t state_count);
/* All is going to be read again. */
void path_pictures_clear(path_pictures *p);
/* Writes the file that --plot names, if it does. */
int path_pictures_write(const path_pictures *p, const crd_text *states, size_t state_count);

#endif
