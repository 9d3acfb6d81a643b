/* SPDX-License-Identifier: MIT */
/* default_model.c - see default_model.h. */
#include "core/default_model.h"

#include "base/os.h"
#include "core/messages.h"
#include "core/system.h"

#include <stdlib.h>
#include <string.h>

static const char *default_model_variable(const char *name) {
    const char *value = system_environment(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *default_mail_model(void) {
    static string path;
    const char *override = default_model_variable("CREDENCE_MAIL_MODEL"),
               *data = default_model_variable("XDG_DATA_HOME"), *home = default_model_variable("HOME");
    if (override != NULL) return override;
    string_clear(&path);
    if (data != NULL) string_format(&path, "%s/credence/mail.model", data);
    else if (home != NULL) string_format(&path, "%s/.local/share/credence/mail.model", home);
    if (path.length > 0) return string_text(&path);
    message_usage("missing MODEL; the default model needs HOME, which is not set");
    return NULL;
}

void default_mail_model_make_folders(const char *path) {
    const char *home = default_model_variable("HOME"), *data = default_model_variable("XDG_DATA_HOME");
    string folder = {0};
    if (default_model_variable("CREDENCE_MAIL_MODEL") != NULL || (home == NULL && data == NULL)) return;
    const char *ours = default_mail_model();
    if (ours == NULL || strcmp(ours, path) != 0) return;
    for (const char *cursor = path + 1; *cursor != '\0'; cursor++) {
        if (!crd_i_os_is_separator(*cursor)) continue;
        string_clear(&folder);
        string_add(&folder, path, (size_t)(cursor - path));
        (void)system_make_folder(string_text(&folder));
    }
    string_free(&folder);
}
