/* SPDX-License-Identifier: MIT */
/* default_model.h - the mail model file that is used if no operand names a model. */
#ifndef CREDENCE_CLI_DEFAULT_MODEL_H
#define CREDENCE_CLI_DEFAULT_MODEL_H

#include "core/string_buffer.h"

/* Returns $CREDENCE_MAIL_MODEL, or credence/mail.model in $XDG_DATA_HOME, which is ~/.local/share by default. NULL, after a
 * message, if none of these is set. The path is valid until the process ends. */
const char *default_mail_model(void);
/* Creates the folders of the default model path, with access for the user only. Does nothing for other paths. If a
 * folder cannot be created, writing the file later reports the error. */
void default_mail_model_make_folders(const char *path);

#endif
