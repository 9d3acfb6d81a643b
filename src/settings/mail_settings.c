/* SPDX-License-Identifier: MIT */
/* mail_settings.c - settings for texts of mail messages.
 *
 * Words of a message occur in bursts and phrases, so repetitions and neighbors of a word add little information.
 * Therefore occurrences count by their logarithm, and a text of n terms is weighted like the square root of n. The
 * fraction of spam changes from week to week, and stored training messages have other fractions than arriving messages.
 * Therefore the prior is uniform. Messages of a kind that was not in the training set contain many unseen words, and
 * their class is uncertain. */
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
