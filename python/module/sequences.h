/* SPDX-License-Identifier: MIT */
/* sequences.h - what the files about sequences share. */
#ifndef CREDENCE_PYTHON_SEQUENCES_H
#define CREDENCE_PYTHON_SEQUENCES_H

#include "module.h"

/* Sequences, which are immutable; `kept` is what they were read from. */
typedef struct sequences_object {
    core_object head;
    crd_sequences *sequences;
    PyObject *kept;
} sequences_object;

/* The sequences of an argument; NULL with TypeError. */
const crd_sequences *sequences_of(module_state *state, PyObject *object);

#endif
