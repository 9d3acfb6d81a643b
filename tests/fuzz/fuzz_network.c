/* SPDX-License-Identifier: MIT */
/* network.c - hostile bytes as a network in any format: what is accepted is written in every format as a text that
 * reads back to the same text, and small ones are asked.
 *
 * Two bytes come first: the allocation that fails in a run of its own, and the format, 0 for what the bytes show. The
 * rest is the file. */
#include "fuzz.h"

#include <string.h>

enum { MOST_NODES = 64, MOST_NUMBERS = 4096 };

/* Whatever a network says, its posteriors are probabilities, or it says why there are none. */
static void ask(const crd_network *network, unsigned refuse) {
    static double posteriors[MOST_NUMBERS];
    crd_finding findings[MOST_NODES];
    size_t nodes[MOST_NODES], finding_count = 0, node_count = 0, numbers = 0;
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error = {0};
    if (crd_network_node_count(network) > MOST_NODES) return;
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        const crd_node_kind kind = crd_network_node_kind(network, i);
        const crd_finding finding = {i, 0, NULL, 0};
        if (kind == CRD_NODE_DECISION || (kind == CRD_NODE_CHANCE && i % 3 == 2)) findings[finding_count++] = finding;
        if (kind != CRD_NODE_CHANCE) continue;
        nodes[node_count++] = i;
        numbers += crd_network_state_count(network, i);
    }
    if (numbers > MOST_NUMBERS) return;
    options.threads = 1;
    options.memory = 0x1p24;
    crd_status status = crd_network_posteriors(
        network, &(crd_network_query){sizeof(crd_network_query), findings, finding_count, nodes, node_count, &options},
        posteriors, NULL, &result, &error);
    for (size_t i = 0; status == CRD_OK && i < numbers; i++) FUZZ_CHECK(posteriors[i] >= 0 && posteriors[i] <= 1);
    FUZZ_CHECK(status != CRD_OK || result.log_evidence < 1e-9);
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    FUZZ_CHECK(status != CRD_ERROR_MEMORY || refuse != 0);
}

/* Written, read, and written again: the same bytes. Only names and continuous nodes that a format has no way for are
 * refused. */
static void write_and_read(crd_context *context, const crd_network *network, crd_network_format format,
                           unsigned refuse) {
    crd_network *again = NULL;
    crd_text text = {NULL, 0}, second = {NULL, 0};
    crd_error error = {0};
    crd_status status = crd_network_write(network, format, &text, &error);
    FUZZ_CHECK(status == CRD_OK || status == CRD_ERROR_SYNTAX || status == CRD_ERROR_TYPE || refuse != 0);
    FUZZ_CHECK(status != CRD_ERROR_TYPE || (format != CRD_NETWORK_FORMAT_NET && format != CRD_NETWORK_FORMAT_DOT));
    FUZZ_CHECK(status != CRD_ERROR_SYNTAX || format == CRD_NETWORK_FORMAT_BIF || format == CRD_NETWORK_FORMAT_XMLBIF ||
               format == CRD_NETWORK_FORMAT_UAI);
    if (status == CRD_OK && format != CRD_NETWORK_FORMAT_DOT) {
        FUZZ_CHECK(crd_network_recognize(text) == format);
        status = crd_network_read(context, text, "written", CRD_NETWORK_FORMAT_ANY, &again, &error);
        if (status == CRD_OK) status = crd_network_write(again, format, &second, &error);
        FUZZ_CHECK(status == CRD_OK || refuse != 0);
        /* Titles, which have the names that are no identifiers, are not read. */
        if (status == CRD_OK && format != CRD_NETWORK_FORMAT_DNE) FUZZ_CHECK(crd_text_equal(text, second));
    }
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    crd_free(context, (void *)text.bytes);
    crd_free(context, (void *)second.bytes);
    crd_network_destroy(again);
}

static void decode(const uint8_t *bytes, size_t length, unsigned format, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_network *network = NULL;
    crd_error error = {0};
    const crd_text input = {(const char *)bytes, length};
    crd_status status = crd_network_read(context, input, "input", (crd_network_format)format, &network, &error);
    FUZZ_CHECK((status == CRD_OK) == (network != NULL));
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    /* Only defaults of BIF may take more than a multiple of the text. */
    FUZZ_CHECK(format == CRD_NETWORK_FORMAT_ANY || format == CRD_NETWORK_FORMAT_BIF ||
               accounts.largest < 256 * length + 65536);
    if (status == CRD_OK) {
        for (int way = CRD_NETWORK_FORMAT_BIF; way <= CRD_NETWORK_FORMAT_DOT; way++)
            write_and_read(context, network, (crd_network_format)way, refuse);
        ask(network, refuse);
    }
    crd_network_destroy(network);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 2) return 0;
    const unsigned format = bytes[1] % (CRD_NETWORK_FORMAT_DNE + 1);
    decode(bytes + 2, length - 2, format, 0);
    if (bytes[0] != 0) decode(bytes + 2, length - 2, format, bytes[0]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const struct {
        crd_network_format format;
        const char *text;
    } networks[] = {
        {CRD_NETWORK_FORMAT_BIF,
         ("network n { property p 1; }\nvariable a { type discrete [ 2 ] { x, y }; }\nvariable \"b c\" { type discrete "
          "[ 3 ] { <1, 1/2, + }; }\nprobability ( a ) { table 0.25, 0.75; }\nprobability ( \"b c\" | a ) {\n  (x) 0.1, "
          "0.2, 0.7;\n  (y) 1e-300, 1.0, 0;\n}\n")},
        {CRD_NETWORK_FORMAT_BIF,
         ("variable a{type discrete[1]{x};}variable b{type discrete[2]{x y};}variable c{type discrete[2]{x y};}\n"
          "probability(a){table 1;}probability(b a){default .5 .5;}probability(c|a,b){(x,y) 0 1;default 1 0;}// end")},
        {CRD_NETWORK_FORMAT_BIF,
         ("probability(u|a d){(x,p)3;default -1e5;}variable a{type discrete[2]{x,y};}probability(a){table .5 .5;}"
          "variable d{type discrete[2]{p,q};property \"credence decision\";}probability(d|a){default .5 .5;}"
          "variable u{type discrete[1]{z};property \"credence utility\";}")},
        {CRD_NETWORK_FORMAT_BIF,
         ("variable a{type discrete[2]{x,y};}probability(a){table 1e308 1.7e308;}variable d{type discrete[2]{p,q};"
          "property \"credence decision\";}probability(d|a){default .5 .5;}variable u{type discrete[1]{z};property "
          "\"credence utility\";}probability(u|a d){(x,p) 1.7976931348623157e308;default -1.7976931348623157e308;}")},
        {CRD_NETWORK_FORMAT_BIF,
         "variable a { type discrete [ 2 ] { x, y }; } /* */ probability ( a | a ) { default 1 0; }"},
        {CRD_NETWORK_FORMAT_BIF, "network \""},
        {CRD_NETWORK_FORMAT_XMLBIF,
         ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><!-- c --><!DOCTYPE BIF [<!ELEMENT BIF (NETWORK)* >]>\n"
          "<BIF VERSION=\"0.3\"><NETWORK><NAME>n</NAME><PROPERTY>p <b/></PROPERTY>\n"
          "<VARIABLE TYPE=\"nature\"><NAME>a &amp; &#x41;</NAME><OUTCOME>x</OUTCOME><VALUE><![CDATA[<]]></VALUE>"
          "</VARIABLE><VARIABLE TYPE='utility'><NAME>u</NAME></VARIABLE>\n"
          "<DEFINITION><FOR>a &amp; A</FOR><TABLE>0.25 <!-- y --> .75</TABLE></DEFINITION>"
          "<DEFINITION><GIVEN>a &#38; A</GIVEN><FOR>u</FOR><TABLE>-1 2e3</TABLE></DEFINITION></NETWORK></BIF>")},
        {CRD_NETWORK_FORMAT_XMLBIF,
         ("<BIF><NETWORK><DEFINITION><FOR>b</FOR><GIVEN>d</GIVEN><TABLE>1 0 0 1</TABLE></DEFINITION>"
          "<VARIABLE><NAME>b</NAME><OUTCOME>x</OUTCOME><OUTCOME>&#32;</OUTCOME></VARIABLE>"
          "<VARIABLE TYPE=\"decision\"><NAME>d</NAME><OUTCOME/><OUTCOME>&quot;</OUTCOME></VARIABLE></NETWORK></BIF>")},
        {CRD_NETWORK_FORMAT_NET,
         ("node a{states=(x y);}potential(a){data=(.5 .5);}continuous node b{}continuous node c{CREDENCE_name=\"c d\";}"
          "potential(b){data=normal(-1e-3,.5);}potential(c|b a){data=(normal(1+2*b-3e+2*b,0)normal(b * -1,4));}")},
        {CRD_NETWORK_FORMAT_NET,
         ("% c\nnet { name = \"n \\\" \\n\"; }\npotential (b | a) { data = ((.1 .9)(.2 .8)); }\nnode a { states = "
          "(\"x\" "
          "\"y \\\\\"); label = \"l\"; position = (1 2); CREDENCE_name = \"a b\"; } discrete node b { states = (x y); "
          "}\n"
          "potential (a) { data = (1 0); } decision d { states = (p); } utility u { } potential (u | d b) { data = "
          "((3 4)); }")},
        {CRD_NETWORK_FORMAT_NET,
         "class c { inputs = (); node a { states = (x); } potential (a) { model_data = (f(1)); } }"},
        {CRD_NETWORK_FORMAT_UAI,
         "BAYES\n3\n2 2 3\n3\n1 0 # c\n2 0 1\n3 1 0 2\n2 .5 .5\n4 .1 .9 .2 .8\n12\n1 0 0 1 0 0 1 0 0 0 0 1"},
        {CRD_NETWORK_FORMAT_UAI, "BAYES 2 2 2 2 1 0 2 0 1 2 1e308 1e308 4 1.7e308 -1e308 1e-308 1"},
        {CRD_NETWORK_FORMAT_UAI, "MARKOV 1 2 1 1 0 2 1 1"},
        {CRD_NETWORK_FORMAT_BIF,
         "network unknown { property credence_name = \"a b\"; } variable a b (c) { type discrete [ 2 ] "
         "{ [0,5), > 5; x }; } probability ( a b (c) ) { table 0.5, 0.5; }"},
        {CRD_NETWORK_FORMAT_XDSL,
         "<smile id=\"n\"><nodes><cpt id=\"b\"><state id=\"x\"/><state id=\"y\"/><parents>a</parents><probabilities>.1 "
         ".9 "
         ".2 .8</probabilities></cpt><deterministic id=\"a\"><state id=\"u\"/><state id=\"v\"/><resultingstates>v"
         "</resultingstates><property id=\"credence_name\">a%20b</property></deterministic></nodes></smile>"},
        {CRD_NETWORK_FORMAT_DNE,
         "bnet n { node b { kind = NATURE; states = (x, y); parents = (a); probs = ((.1, .9), (.2, "
         ".8)); }; node a { kind = NATURE; discrete = FALSE; levels = (0, 1, 5); functable = (#1); }; "
         "visual V { x = 1; }; };"},
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (unsigned char refuse = 0; refuse < 120; refuse = (unsigned char)(refuse + 26)) {
            unsigned char input[2048];
            const size_t length = strlen(networks[i].text);
            input[0] = refuse;
            input[1] = (unsigned char)(refuse == 0 ? CRD_NETWORK_FORMAT_ANY : networks[i].format);
            memcpy(input + 2, networks[i].text, length);
            emit(user, input, 2 + length);
        }
}
