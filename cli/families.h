/* families.h - the families of densities that numbers can have, as help lists them. */
#ifndef CREDENCE_CLI_FAMILIES_H
#define CREDENCE_CLI_FAMILIES_H

#include "memory.h"

/* The help of a setting, and where it chooses families, which there are. */
void families_add_help(string *out, const crd_setting *setting);

#endif
