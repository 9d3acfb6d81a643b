/* SPDX-License-Identifier: MIT */
/* distribution_questions.h - what the files of the verb distribution share. */
#ifndef CREDENCE_CLI_DISTRIBUTION_QUESTIONS_H
#define CREDENCE_CLI_DISTRIBUTION_QUESTIONS_H

#include "core/invocation.h"

/* Answers each question among the options, and writes the moments with it. */
int distribution_answer(const invocation *call, crd_distribution *d);
/* Writes as many draws as --sample says. */
int distribution_draw(const invocation *call, const crd_distribution *d);

#endif
