/* SPDX-License-Identifier: MIT */
/* mail_corpora.c - messages of real corpora become the same texts whether they are parsed by GMime or, where they are regular,
 * without it. */
#include <credence/all.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

enum { BLOCK = 512, MOST = 1 << 22 };

static void compare(crd_context *context, const char *name, const char *message, size_t length) {
    crd_mail *mails[2] = {NULL, NULL};
    crd_mail_options options = CRD_MAIL_OPTIONS_INIT;
    crd_error error;
    for (options.always_gmime = 0; options.always_gmime < 2; options.always_gmime++)
        if (crd_mail_parse(context, message, length, &options, &mails[options.always_gmime], &error) != CRD_OK)
            fail_msg("%s: %s", name, error.message);
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++)
        if (!crd_text_equal(crd_mail_text(mails[0], (crd_mail_field)i), crd_mail_text(mails[1], (crd_mail_field)i)))
            fail_msg("%s: GMime has another text of %s", name, crd_mail_field_name(i));
    crd_mail_destroy(mails[0]);
    crd_mail_destroy(mails[1]);
}

/* Every file of an archive (ustar) is a message. Returns how many there are. */
static size_t compare_archive(const char *path) {
    gzFile archive = gzopen(path, "rb");
    char *message = malloc(MOST);
    char block[BLOCK];
    crd_context *context = NULL;
    size_t count = 0;
    assert_non_null(archive);
    assert_non_null(message);
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    while (gzread(archive, block, BLOCK) == BLOCK && block[0] != '\0') {
        const size_t length = strtoul(block + 124, NULL, 8);
        const size_t padded = (length + BLOCK - 1) / BLOCK * BLOCK;
        assert_true(padded <= MOST);
        assert_int_equal(gzread(archive, message, (unsigned)padded), padded);
        if (block[156] != '0' && block[156] != '\0') continue;
        compare(context, block, message, length);
        count++;
    }
    crd_context_destroy(context);
    free(message);
    gzclose(archive);
    return count;
}

static void both_parsers_agree(void **state) {
    (void)state;
    assert_int_equal(compare_archive(CREDENCE_DATA "/text/spamassassin_set1_raw.tar.gz"), 3000);
    assert_true(compare_archive(CREDENCE_DATA "/text/enron1_raw.tar.gz") > 5000);
}

int main(void) {
    FILE *data = fopen(CREDENCE_DATA "/text/spamassassin_set1_raw.tar.gz", "rb");
    if (data == NULL) {
        printf("the open data sets are not here: skipped\n");
        return 77;
    }
    fclose(data);
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_parsers_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
