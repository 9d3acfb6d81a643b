/* SPDX-License-Identifier: MIT */
/* The writer of HTML: texts are escaped in every directive, long ones shortened between characters, and numbers are as people read them. */
#include "model_support.h"

#include "report/study.h"

#include <math.h>

#include "counted_fixture.h"

/* What was added, which is cleared. */
static void assert_written(crd_i_html *html, const char *expected) {
    crd_i_html_join(html, "", 1);
    assert_false(html->has_failed);
    assert_string_equal((const char *)html->bytes.bytes, expected);
    crd_i_html_clear(html);
    *html = (crd_i_html){.bytes = {.context = context}};
}

static void texts_are_escaped(void **state) {
    (void)state;
    crd_i_html html = {.bytes = {.context = context}};
    const crd_text hostile = {"<a href=\"x\" b='y'>&\n\x01\xff\xE2\x80\xAE", 25};
    static const char escaped[] =
        "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp; \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD";
    crd_i_html_add(&html, "%t", hostile);
    assert_written(&html, escaped);
    crd_i_html_add(&html, "%w", hostile);
    assert_written(&html, escaped);
    crd_i_html_add_whole(&html, hostile);
    assert_written(&html, escaped);
    crd_i_html_add(&html, "<b>%s</b> %u%% %p", "<&>", (uint64_t)1234567, 0.00001);
    assert_written(&html, "<b>&lt;&amp;&gt;</b> 1,234,567% &lt;0.1%");
    crd_i_html_add(&html, "%t", (crd_text){"", 0});
    assert_written(&html, "<i>(empty)</i>");
}

/* 80 characters are shown, however many bytes they have, and markup is never cut. */
static void long_texts_are_shortened(void **state) {
    (void)state;
    char text[300];
    crd_i_html html = {.bytes = {.context = context}};
    for (size_t i = 0; i < 100; i++) memcpy(text + 2 * i, "\xC3\xA9", 2);
    crd_i_html_add(&html, "%t", (crd_text){text, 160});
    assert_int_equal(html.bytes.length, 160);
    crd_i_html_clear(&html);
    html = (crd_i_html){.bytes = {.context = context}};
    crd_i_html_add(&html, "%t", (crd_text){text, 200});
    crd_i_html_join(&html, "", 1);
    assert_non_null(strstr((const char *)html.bytes.bytes, "<span title=\"\xC3\xA9"));
    assert_non_null(strstr((const char *)html.bytes.bytes, "\xC3\xA9…</span>"));
    crd_i_html_clear(&html);
}

static void numbers_are_rounded(void **state) {
    (void)state;
    char buffer[CRD_I_HTML_NUMBER_ROOM];
    assert_string_equal(crd_i_html_number(0.123456, 4, buffer), "0.1235");
    assert_string_equal(crd_i_html_number(-1234.56, 4, buffer), "−1235");
    assert_string_equal(crd_i_html_number(0.00012345, 4, buffer), "0.0001234");
    assert_string_equal(crd_i_html_number(12.5, 4, buffer), "12.5");
    assert_string_equal(crd_i_html_number(0, 4, buffer), "0");
    assert_string_equal(crd_i_html_number(NAN, 4, buffer), "–");
    assert_string_equal(crd_i_html_number(-INFINITY, 4, buffer), "−∞");
    assert_string_equal(crd_i_html_fixed(0.5, 4, buffer), "0.5000");
    assert_string_equal(crd_i_html_fixed(-0.00001, 4, buffer), "0.0000");
    assert_string_equal(crd_i_html_fixed(-12345.67891, 4, buffer), "−12,345.6789");
    assert_string_equal(crd_i_html_fixed(0.99996, 4, buffer), "1.0000");
    assert_string_equal(crd_i_html_count(UINT64_MAX, buffer), "18,446,744,073,709,551,615");
}

static void tables_have_headings(void **state) {
    (void)state;
    crd_i_html html = {.bytes = {.context = context}};
    crd_i_html_open_table(&html, "A & B");
    crd_i_html_column(&html, false, "name");
    crd_i_html_column(&html, true, "n");
    crd_i_html_row(&html, NULL);
    crd_i_html_cell(&html, "%s", "x");
    crd_i_html_cell(&html, "%n", 1.5);
    crd_i_html_close_table(&html);
    assert_written(&html,
                   "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"A &amp; B\"><table><caption>A "
                   "&amp; B</caption>"
                   "<thead><tr><th scope=\"col\">name</th><th scope=\"col\" class=\"n\">n</th></tr></thead><tbody><tr>"
                   "<th scope=\"row\">x</th><td class=\"n\">1.5</td></tr></tbody></table></div>\n");
    crd_i_html_clear(&html);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_escaped), cmocka_unit_test(long_texts_are_shortened),
                                       cmocka_unit_test(numbers_are_rounded), cmocka_unit_test(tables_have_headings)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
