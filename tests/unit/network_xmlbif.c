/* SPDX-License-Identifier: MIT */
/* Networks as XMLBIF: what is read, and what errors say and where. */
#include "network_files_support.h"

static const char small[] = "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>\n"
                            "<!-- made by hand: <BIF> -->\n"
                            "<!DOCTYPE BIF [\n"
                            "  <!ELEMENT BIF ( NETWORK )*> <!-- it's ]> -->\n"
                            "  <!ATTLIST VARIABLE TYPE (nature|decision|utility) \"nature]>\">\n"
                            "]>\n"
                            "<BIF VERSION=\"0.3\" xmlns:x='a>b'>\n"
                            "<NETWORK>\n"
                            "<NAME>two words</NAME>\n"
                            "<PROPERTY>author = <b>nobody</b></PROPERTY>\n"
                            "<DEFINITION><TABLE> 0.1 0.9 <!-- b = x --> .25,.75 1.0e0 0 </TABLE>\n"
                            "  <GIVEN>a</GIVEN><FOR> b &amp; c </FOR></DEFINITION>\n"
                            "<VARIABLE TYPE=\"nature\">\n"
                            "  <NAME> a </NAME>\n"
                            "  <OUTCOME>&lt;1</OUTCOME><OUTCOME>&#x41;&#66;</OUTCOME>\n"
                            "  <VALUE><![CDATA[ <&amp;> ]]></VALUE>\n"
                            "  <PROPERTY/>\n"
                            "</VARIABLE>\n"
                            "<variable><name>b &amp; <!-- and -->c</name><outcome>yes</outcome>"
                            "<outcome>&#32;&quot;&apos;&gt;&#8364;&#x1F600;</outcome></variable>\n"
                            "<DEFINITION><FOR>a</FOR><TABLE>0.5 0.25 0.25</TABLE></DEFINITION>\n"
                            "</NETWORK>\n"
                            "</BIF>\n";

static void every_form(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_as(context, small, CRD_NETWORK_FORMAT_XMLBIF);
    assert_true(crd_text_equal(network->name, crd_text_of("two words")));
    assert_int_equal(network->count, 2);
    assert_int_equal(crd_i_network_find(network, crd_text_of("a")), 0);
    assert_int_equal(crd_i_network_find(network, crd_text_of("b & c")), 1);
    assert_true(has_state(network, 0, 0, "<1"));
    assert_true(has_state(network, 0, 1, "AB"));
    assert_true(has_state(network, 0, 2, " <&amp;> "));
    assert_true(has_state(network, 1, 1, " \"'>\xE2\x82\xAC\xF0\x9F\x98\x80"));
    const double rows[3][2] = {{.1, .9}, {.25, .75}, {1, 0}};
    assert_memory_equal(network->nodes[1].table, rows, sizeof rows);
    crd_network *again = through(context, network, CRD_NETWORK_FORMAT_XMLBIF);
    assert_same_network(network, again, true);
    crd_network_destroy(again);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Rows: the states of FOR fastest, then those of the last GIVEN. */
static void order_of_rows(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_network *network =
        read_as(context,
                "<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME></VARIABLE>"
                "<VARIABLE "
                "TYPE='decision'><NAME>b</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME><OUTCOME>2</OUTCOME></VARIABLE>"
                "<VARIABLE TYPE='utility'><NAME>u</NAME></VARIABLE>"
                "<PROBABILITY><FOR>a</FOR><TABLE>1 0</TABLE></PROBABILITY>"
                "<DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN><TABLE>1 2</TABLE></DEFINITION>"
                "<DEFINITION><FOR>u</FOR><GIVEN>a</GIVEN><GIVEN>b</GIVEN><TABLE>0 1 2 10 11 12</TABLE></DEFINITION>"
                "</NETWORK></BIF>",
                CRD_NETWORK_FORMAT_XMLBIF);
    const double utilities[6] = {0, 1, 2, 10, 11, 12};
    assert_int_equal(network->nodes[1].kind, CRD_NODE_DECISION);
    assert_int_equal(network->nodes[1].parent_count, 1);
    assert_null(network->nodes[1].table);
    assert_int_equal(network->nodes[2].kind, CRD_NODE_UTILITY);
    assert_memory_equal(network->nodes[2].table, utilities, sizeof utilities);
    assert_int_equal(network->nodes[2].parents[1], 1);
    crd_network_destroy(network);
    crd_context_destroy(context);
}

static void encodings(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_network *network = read_as(context,
                                   "\xEF\xBB\xBF<?xml version='1.0' encoding='iso-8859-1'?><BIF><NETWORK><VARIABLE>"
                                   "<NAME>gr\xFC\xDF</NAME><OUTCOME>x</OUTCOME></VARIABLE><DEFINITION><FOR>gr\xFC\xDF"
                                   "</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>",
                                   CRD_NETWORK_FORMAT_XMLBIF);
    assert_int_equal(crd_i_network_find(network, crd_text_of("gr\xC3\xBC\xC3\x9F")), 0);
    crd_network_destroy(network);
    crd_context_destroy(context);
}

#define B "<BIF><NETWORK>\n"
#define A "<VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>\n"
#define E "</NETWORK></BIF>"

static const wrong_text wrongs[] = {
    {"", CRD_ERROR_SYNTAX, 1, 1, "unexpected end of file: expected \"<BIF>\""},
    {"<?xml version='1.0'?>\n<smile>", CRD_ERROR_SYNTAX, 2, 1, "found \"<smile>\", expected \"<BIF>\""},
    {"<?xml version='1.0' encoding='UTF-16'?>", CRD_ERROR_SYNTAX, 1, 1, "save it as UTF-8"},
    {B E, CRD_ERROR_EMPTY, 0, 0, "no nodes"},
    {B A E, CRD_ERROR_EMPTY, 0, 0, "the probabilities are missing for a"},
    {B A A E, CRD_ERROR_COLUMN, 3, 11, "two nodes are called a"},
    {B "</BIF>", CRD_ERROR_SYNTAX, 2, 1, "found \"</BIF>\", expected \"</NETWORK>\""},
    {B A, CRD_ERROR_SYNTAX, 3, 1, "unexpected end of file: expected \"</NETWORK>\""},
    {B "<VARIABLE TYPE='x'>", CRD_ERROR_SYNTAX, 2, 1, "must be nature, decision or utility"},
    {B "<VARIABLE></VARIABLE>" E, CRD_ERROR_SYNTAX, 2, 1, "no <NAME>"},
    {B "<VARIABLE><NAME>a</NAME></VARIABLE>" E, CRD_ERROR_EMPTY, 2, 11, "a has no states"},
    {B "<VARIABLE><NAME>a\n &uuml;</NAME></VARIABLE>" E, CRD_ERROR_SYNTAX, 3, 2, "reference"},
    {B "<VARIABLE><NAME>a&#0;</NAME></VARIABLE>" E, CRD_ERROR_SYNTAX, 2, 18, "reference"},
    {B "<VARIABLE><NAME>a&#xD800;</NAME></VARIABLE>" E, CRD_ERROR_SYNTAX, 2, 18, "reference"},
    {B "<VARIABLE><NAME>a&#x110000;</NAME></VARIABLE>" E, CRD_ERROR_SYNTAX, 2, 18, "reference"},
    {B "<VARIABLE><NAME>a & b</NAME></VARIABLE>" E, CRD_ERROR_SYNTAX, 2, 19, "&amp;"},
    {B "<VARIABLE><NAME>a<b/></NAME></VARIABLE>" E, CRD_ERROR_SYNTAX, 2, 18, "found \"<b>\", expected text"},
    {B "<VARIABLE><NAME>a < b</NAME></VARIABLE>" E, CRD_ERROR_SYNTAX, 2, 19, "&lt;"},
    {B "<!-- no end", CRD_ERROR_SYNTAX, 2, 1, "a comment begins here"},
    {"<!DOCTYPE BIF [ <!ELEMENT ", CRD_ERROR_SYNTAX, 1, 1, "a document type"},
    {B "<NAME><![CDATA[x]]</NAME>", CRD_ERROR_SYNTAX, 2, 7, "CDATA"},
    {B A "<DEFINITION></DEFINITION>" E, CRD_ERROR_SYNTAX, 3, 1, "no <FOR>"},
    {B A "<DEFINITION><FOR>a</FOR></DEFINITION>" E, CRD_ERROR_EMPTY, 3, 1, "the definition of a has no <TABLE>"},
    {B A "<DEFINITION><FOR>a</FOR><TABLE>1</TABLE></DEFINITION>" E, CRD_ERROR_SYNTAX, 3, 1,
     "expected 2 numbers for a, got 1"},
    {B A "<DEFINITION><FOR>a</FOR><TABLE>1\n zwei</TABLE></DEFINITION>" E, CRD_ERROR_SYNTAX, 4, 2,
     "found \"zwei\", expected a number"},
    {B A "<DEFINITION><FOR>a</FOR><TABLE>1 1</TABLE></DEFINITION>" E, CRD_ERROR_PROBABILITY, 3, 1, "sum to 2"},
    {B A "<DEFINITION><FOR>a</FOR><FOR>a</FOR></DEFINITION>" E, CRD_ERROR_SYNTAX, 3, 25,
     "a joint table of two variables"},
    {B A "<DEFINITION><FOR>q</FOR><TABLE>1 0</TABLE></DEFINITION>" E, CRD_ERROR_COLUMN, 3, 1, "unknown variable q"},
    {B "<VARIABLE>\n<NAME>a</NAME>\n" A E, CRD_ERROR_SYNTAX, 2, 1,
     "this <VARIABLE> is not closed before <VARIABLE> opens in line 4"},
    {B A "<DEFINITION>\n<FOR>a</FOR> <DEFINITION/>" E, CRD_ERROR_SYNTAX, 3, 1,
     "this <DEFINITION> is not closed before <DEFINITION> opens in line 4"},
    {B E "<BIF>", CRD_ERROR_EMPTY, 0, 0, "no nodes"},
    {"<BIF><NETWORK></NETWORK><NETWORK/></BIF>", CRD_ERROR_SYNTAX, 1, 25, "the file has two networks"},
};

static void errors_say_where(void **state) {
    (void)state;
    assert_all_wrong(wrongs, sizeof wrongs / sizeof *wrongs, CRD_NETWORK_FORMAT_XMLBIF);
}

static void damaged(void **state) {
    (void)state;
    assert_damage_is_found(small, CRD_NETWORK_FORMAT_XMLBIF);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),       cmocka_unit_test(order_of_rows), cmocka_unit_test(encodings),
        cmocka_unit_test(errors_say_where), cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
