/* SPDX-License-Identifier: MIT */
/* default_model.h - the file of a mail model that no operand names. */
#ifndef CREDENCE_CLI_DEFAULT_MODEL_H
#define CREDENCE_CLI_DEFAULT_MODEL_H

#include "core/string_buffer.h"

/* Returns $CREDENCE_MAIL_MODEL, or credence/mail.model in $XDG_DATA_HOME, which is ~/.local/share by default. NULL, after a
 * message, if none of these is set. The path is valid until the process ends. */
const char *default_mail_model(void);
/* Creates the folders of that path, for the user only. Other paths are left alone. A folder that cannot be created is reported by whoever
 * writes the file. */
void default_mail_model_make_folders(const char *path);

#endif
