/* SPDX-License-Identifier: MIT */
/* mail_settings.c - settings for texts of mail messages.
 *
 * Words of a message come in bursts and phrases: what a word tells is told again by its repetitions and its neighbours. So occurrences
 * count by their logarithm, and a text of n terms for the square root of n. How much spam there is, changes from week to week, and what was
 * kept for training has other fractions than what arrives: classes are as likely as each other beforehand. Mail of a kind that nobody trained
 * on has many unseen words, and its class is uncertain. */
#include "settings/settings_internal.h"

crd_status crd_settings_set_for_mail(crd_settings *settings, crd_error *error) {
    static const char *const values[][2] = {{"prior", "uniform"},
                                            {"tf", "log"},
                                            {"length", "root"},
                                            {"term-smoothing", "0.1"},
                                            {"calibration", "known-words"}};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < sizeof values / sizeof *values; i++)
        status = crd_settings_set(settings, values[i][0], crd_text_of(values[i][1]), error);
    return status;
}
