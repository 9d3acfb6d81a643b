/* SPDX-License-Identifier: MIT */
/* study.c - see study.h. Functions shared by sections. */
#include "report/study.h"

#include <string.h>

uint64_t crd_i_study_row_number(const crd_i_study *study, uint64_t judged) {
    return (judged - 1) * study->stride + 1;
}

void crd_i_study_list_name(crd_i_html *out, crd_text name, size_t count) {
    if (count >= CRD_I_STUDY_LISTED) return;
    crd_i_html_add(out, count == 0 ? "<b>%t</b>" : ", <b>%t</b>", name);
}

void crd_i_study_end_list(crd_i_html *out, size_t count) {
    if (count > CRD_I_STUDY_LISTED) crd_i_html_add(out, " and %u more", (uint64_t)(count - CRD_I_STUDY_LISTED));
}

void crd_i_study_settings(crd_i_html *out, const crd_settings *settings) {
    size_t shown = 0;
    const crd_setting *setting;
    for (size_t i = 0; (setting = crd_setting_at(i)) != NULL; i++) {
        const char *value = crd_settings_get(settings, setting->name);
        if (value == NULL || strcmp(value, setting->default_value) == 0) continue;
        crd_i_html_add(out, "%s<code>%s=%s</code>", shown++ > 0 ? ", " : "", setting->name, value);
    }
    if (shown == 0) crd_i_html_add(out, "the defaults");
}
