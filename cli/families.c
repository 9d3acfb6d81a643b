/* families.c - see families.h. */
#include "families.h"

#include <string.h>

void families_add_help(string *out, const crd_setting *setting) {
    crd_family family;
    const char *between = "; FAMILY is ";
    string_format(out, "%s", setting->help);
    if (strcmp(setting->name, "family") != 0) return;
    for (size_t i = 0; crd_family_at(i, &family); i++) {
        if (family.kind != CRD_KIND_NUMBER) continue;
        string_format(out, "%s%s", between, family.name);
        between = ", ";
    }
}
