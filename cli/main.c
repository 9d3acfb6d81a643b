/* SPDX-License-Identifier: MIT */
/* main.c - the program credence: runs the command in a single process. */
#include "core/system.h"
#include "core/verb.h"

int main(int argc, char **argv) {
    system_begin(&argc, &argv);
    return command_run(argc, argv, NULL);
}
