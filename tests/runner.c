/* SPDX-License-Identifier: MIT */
/* runner.c - runs one of the tests that are linked into this program.
 *
 *   credence_tests NAME   runs the test; its status is the exit status
 *   credence_tests        lists the names
 *
 * tests/CMakeLists.txt writes test_entries.h: one line TEST_PROGRAM(name) per test source. */
#include <stdio.h>
#include <string.h>

#define TEST_PROGRAM(name) int name##_main(void);
#include "test_entries.h"
#undef TEST_PROGRAM

typedef struct test_entry {
    const char *name;
    int (*run)(void);
} test_entry;

static const test_entry entries[] = {
#define TEST_PROGRAM(name) {#name, name##_main},
#include "test_entries.h"
#undef TEST_PROGRAM
};

int main(int argc, char **argv) {
    const size_t count = sizeof entries / sizeof *entries;
    if (argc == 1) {
        for (size_t i = 0; i < count; i++) puts(entries[i].name);
        return 0;
    }
    for (size_t i = 0; argc == 2 && i < count; i++)
        if (strcmp(entries[i].name, argv[1]) == 0) return entries[i].run();
    fprintf(stderr, "%s: expected the name of a test; run it without arguments to list them\n", argv[0]);
    return 2;
}
