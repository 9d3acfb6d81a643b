/* families.c - see families.h. */
#include "families.h"

#include <string.h>

void families_add_help(string *out, const crd_setting *setting) {
    crd_family family;
    string_format(out, "%s", setting->help);
    if (strcmp(setting->name, "family") != 0) return;
    string_format(out, "; FAMILY is auto");
    for (size_t i = 0; crd_family_at(i, &family); i++) {
        if (family.kind == CRD_KIND_NUMBER) string_format(out, ", %s", family.name);
    }
}
