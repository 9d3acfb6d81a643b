/* SPDX-License-Identifier: MIT */
/* runner.h - included before everything else in a test source: turns its main into a function that runner.c calls. */
#ifndef CRD_TESTS_RUNNER_H
#define CRD_TESTS_RUNNER_H

int CREDENCE_TEST_MAIN(void);
#define main CREDENCE_TEST_MAIN

#endif
