/* SPDX-License-Identifier: MIT */
/* main.c - the program credence: the command in a process of its own. */
#include "core/verb.h"

int main(int argc, char **argv) {
    return command_run(argc, argv, NULL);
}
