/* SPDX-License-Identifier: MIT */
/* setting_help.c - see setting_help.h. */
#include "verbs/help/setting_help.h"

#include <string.h>

/* Appends the help of a setting. For a setting that chooses a family, the families by column type follow. */
void setting_help_add(string *out, const crd_setting *setting) {
    crd_family family = CRD_FAMILY_INIT;
    string_format(out, "%s", setting->help);
    if (strcmp(setting->name, "family") != 0) return;
    string_format(out, "; FAMILY is auto");
    for (size_t i = 0; crd_family_at(i, &family); i++) {
        if (family.type == CRD_TYPE_NUMERIC) string_format(out, ", %s", family.name);
    }
    string_format(out, "; for texts");
    bool is_first = true;
    for (size_t i = 0; crd_family_at(i, &family); i++) {
        if (family.type != CRD_TYPE_TEXT) continue;
        string_format(out, "%s%s", is_first ? " " : ", ", family.name);
        is_first = false;
    }
}
