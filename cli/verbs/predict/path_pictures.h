/* SPDX-License-Identifier: MIT */
/* path_pictures.h - plots the states of the first sequences over time, with their posteriors. */
#ifndef CREDENCE_CLI_PATH_PICTURES_H
#define CREDENCE_CLI_PATH_PICTURES_H

#include "core/report.h"

/* Maximum number of plotted sequences, and of steps per sequence. More would not be readable. */
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

/* Returns whether a sequence, counted from 0, is plotted. */
bool path_pictures_has(const path_pictures *p, uint64_t sequence);
/* Adds steps of a sequence. Add the sequences in order. */
void path_pictures_add(path_pictures *p, uint64_t sequence, crd_text name, const crd_decoded *piece,
                       size_t state_count);
/* Removes all sequences. */
void path_pictures_clear(path_pictures *p);
/* Writes the plots to the file of --plot, if the option is given. Returns an exit code. */
int path_pictures_write(const path_pictures *p, const crd_text *states, size_t state_count);

#endif
