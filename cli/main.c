/* SPDX-License-Identifier: MIT */
/* main.c - the program credence: runs the command in a single process. */
#include "core/verb.h"

int main(int argc, char **argv) {
    return command_run(argc, argv, NULL);
}
