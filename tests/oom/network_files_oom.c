/* SPDX-License-Identifier: MIT */
/* Each allocation of reading and writing a network in each format fails in turn: an error every time, and no leak. */
#include "network_files_support.h"

/* With tables before their variables, so that these wait. */
static const struct {
    crd_network_format format;
    const char *text;
} cases[] = {
    {CRD_NETWORK_FORMAT_BIF,
     "network n { } probability (b | a) { (x) .2 .8; default .5 .5; } probability (u | b) { default 3; }"
     "variable a { type discrete [ 2 ] { x, y }; } variable b { type discrete [ 2 ] { x, y }; }"
     "variable u { type discrete [ 1 ] { u }; property \"credence utility\"; }"
     "variable d { type discrete [ 2 ] { x, y }; property \"credence decision\"; }"
     "probability (a) { table .2 .8; }"},
    {CRD_NETWORK_FORMAT_XMLBIF, "<BIF><NETWORK><NAME>n</NAME><DEFINITION><FOR>b</FOR><GIVEN>a &amp; c</GIVEN>"
                                "<TABLE>.1 .9 .2 .8</TABLE></DEFINITION>"
                                "<VARIABLE><NAME>a &amp; c</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>"
                                "<VARIABLE><NAME>b</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>"
                                "<DEFINITION><FOR>a &amp; c</FOR><TABLE>1 0</TABLE></DEFINITION></NETWORK></BIF>"},
    {CRD_NETWORK_FORMAT_NET,
     "net { name = n; } potential (b | a) { data = ((.1 .9)(.2 .8)); } node a { states = (x y); "
     "CREDENCE_name = \"a \\\" c\"; } node b { states = (x y); } potential (a) { data = (1 0); }"
     "utility u { } potential (u | b) { data = (3 4); }"},
    {CRD_NETWORK_FORMAT_BIF,
     "network unknown { property credence_name = \"a b\"; } variable b { type discrete [ 2 ] { x, y }; "
     "property credence_name = \"b%2C\"; property credence_states = \"x 1, y\"; } variable a { type "
     "discrete [ 2 ] { No injury, (1-2) }; } probability ( a ) { table .5, .5; } probability ( b | a ) "
     "{ (No injury) .1, .9; ((1-2)) .2, .8; }"},
    {CRD_NETWORK_FORMAT_XDSL, "<smile id=\"n\"><nodes><cpt id=\"b\"><state id=\"x\"/><state "
                              "id=\"y\"/><parents>a</parents><probabilities>.1 .9 .2 "
                              ".8</probabilities><property id=\"credence_states\">x 1, "
                              "y</property></cpt><deterministic id=\"a\"><state id=\"u\"/>"
                              "<state id=\"v\"/><resultingstates>v</resultingstates></deterministic></nodes></smile>"},
    {CRD_NETWORK_FORMAT_DNE,
     "bnet n { node b { kind = NATURE; states = (x, y); parents = (a); probs = ((.1, .9), (.2, .8)); "
     "}; node a { discrete = FALSE; levels = (0, 1, 5); functable = (#1); }; };"},
    {CRD_NETWORK_FORMAT_UAI, "BAYES 2 2 2 2 2 0 1 1 0 4 .1 .9 .2 .8 2 1 0"},
};

static crd_status whole_life(crd_context *context, size_t i, crd_error *error) {
    crd_network *network = NULL, *again = NULL;
    crd_text text = {NULL, 0};
    crd_status status = crd_network_read(context, crd_text_of(cases[i].text), "text", cases[i].format, &network, error);
    if (status == CRD_OK) status = crd_network_write(network, cases[i].format, &text, error);
    if (status == CRD_OK) status = crd_network_read(context, text, "text", CRD_NETWORK_FORMAT_ANY, &again, error);
    if (status == CRD_OK) assert_same_network(network, again, cases[i].format != CRD_NETWORK_FORMAT_DNE);
    crd_free(context, (void *)text.bytes);
    text.bytes = NULL;
    if (status == CRD_OK) status = crd_network_write(network, CRD_NETWORK_FORMAT_DOT, &text, error);
    if (status == CRD_OK) crd_free(context, (void *)text.bytes);
    crd_network_destroy(network);
    crd_network_destroy(again);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
            crd_error error = {0};
            assert_allocation_fails(&trial, whole_life(trial.context, i, &error), CRD_OK, error);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
