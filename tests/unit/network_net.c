/* SPDX-License-Identifier: MIT */
/* Networks in Hugin's NET language: what is read, and what errors say and where. */
#include "network_files_support.h"

static const char small[] =
    "%% made by hand: node x {\n"
    "class Problem\n{\n"
    "    inputs = ();\n"
    "    node_size = (50 50);\n"
    "    potential ( B | A D )\n    {\n"
    "        model_nodes = ();\n"
    "        data = (( ( .1 .9 )\t% A=\"yes ;\"\n"
    "                  ( 0.2 8e-1 ) )\n"
    "                ( ( 3.0e-1 0.7 ) ( 1 0 ) ));\n"
    "        model_data = ( if (A == \"x\", 1, 2) );\n"
    "    }\n"
    "    node A\n    {\n"
    "        label = \"its \\\"name\\\";\n a remark\";\n"
    "        position = (12 -5);\n"
    "        states = (\"yes ;\" \"no\\\\\\n\");\n"
    "        HR_Desc = \"\";\n"
    "    }\n"
    "    discrete node B { states = (true false); }\n"
    "    decision D { states = (\"p\" \"q\"); CREDENCE_name = \"a decision\"; }\n"
    "    continuous node X { } potential (X | A) { data = (normal (1, 2) normal (-1e-3, 0)); }\n"
    "    utility U { label = \"U\"; }\n"
    "    potential (A) { data = (0.25 0.75); experience = (4); }\n"
    "    potential (D | A) { }\n"
    "    potential (U | D) { data = (-1e3 7.5); }\n"
    "}\n";

static void every_form(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_as(context, small, CRD_NETWORK_FORMAT_NET);
    assert_true(crd_text_equal(network->name, crd_text_of("Problem")));
    assert_int_equal(network->count, 5);
    assert_int_equal(crd_i_network_find(network, crd_text_of("A")), 0);
    assert_int_equal(crd_i_network_find(network, crd_text_of("a decision")), 2);
    assert_true(has_state(network, 0, 0, "yes ;"));
    assert_true(has_state(network, 0, 1, "no\\\n"));
    assert_true(has_state(network, 1, 1, "false"));
    const double rows[4][2] = {{.1, .9}, {.2, .8}, {.3, .7}, {1, 0}};
    assert_memory_equal(network->nodes[1].table, rows, sizeof rows);
    assert_int_equal(network->nodes[1].parents[1], 2);
    assert_int_equal(network->nodes[2].kind, CRD_NODE_DECISION);
    assert_int_equal(network->nodes[2].parent_count, 1);
    const double utilities[2] = {-1000, 7.5};
    assert_int_equal(network->nodes[4].kind, CRD_NODE_UTILITY);
    assert_memory_equal(network->nodes[4].table, utilities, sizeof utilities);
    crd_network *again = through(context, network, CRD_NETWORK_FORMAT_NET);
    assert_same_network(network, again, true);
    crd_network_destroy(again);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Means in every form, with and without blanks, of parents in any order; and back to the bit, as -0 is. */
static void normals(void **state) {
    (void)state;
    static const char text[] = "continuous node Y { }\n"
                               "node A { states = (\"x\" \"y\"); } potential (A) { data = (.5 .5); }\n"
                               "potential (X | Y A Z) { data = (normal(0.1+1.5e+1*Y-2e-3*Z,.25) % a remark\n"
                               "    , normal ( - Z * 2 * -3 + 4 - 1.5, 0)); }\n"
                               "continuous node X { label = \"x\"; }\n"
                               "continuous node Z { CREDENCE_name = \"the Z\"; }\n"
                               "potential (Y) { data = normal (-3, 1e-2); }\n"
                               "potential (Z | Y) { data = ( normal (0 - 0 * Y + 0.5 * Y - 0.5 * Y, 1)); }\n";
    const double rows[2][4] = {{.1, 15, -.002, .25}, {2.5, 0, 6, 0}}, alone[] = {-3, .01};
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_network *network = read_as(context, text, CRD_NETWORK_FORMAT_NET);
    const crd_i_node *x = &network->nodes[crd_i_network_find(network, crd_text_of("X"))];
    assert_int_equal(x->kind, CRD_NODE_GAUSSIAN);
    assert_int_equal(x->rows, 2);
    assert_int_equal(crd_i_node_width(x), 4);
    assert_memory_equal(x->table, rows, sizeof rows);
    assert_memory_equal(network->nodes[0].table, alone, sizeof alone);
    crd_network *again = through(context, network, CRD_NETWORK_FORMAT_NET);
    assert_same_network(network, again, true);
    crd_network_destroy(again);
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* What is made of names that are no identifiers must not be what another node is called. */
static void made_identifiers(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    static const char *const names[] = {"node_1", "0", "node_1_2", "", "node", "_", "node_3", "9a", "a-b"};
    const crd_text one = {"x", 1};
    crd_network *network = NULL;
    crd_error error;
    assert_done(crd_i_network_create(context, crd_text_of("net \"x\" {"), &network, &error), error);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t node;
        assert_done(crd_i_network_add(network, crd_text_of(names[i]), &one, 1, &node, &error), error);
        crd_i_network_set_kind(network, node, CRD_NODE_DECISION);
        const uint32_t parent = (uint32_t)i - 1;
        assert_done(crd_i_network_set_parents(network, node, &parent, i > 0, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    crd_network *again = through(context, network, CRD_NETWORK_FORMAT_NET);
    assert_same_network(network, again, true);
    crd_network_destroy(again);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* To the byte, so that brackets are where Hugin has them. */
static void brackets(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_network *network = read_as(context,
                                   "net{name=n;} node A {states=(\"0\" \"1\");} node B {states=(\"0\" \"1\");}"
                                   "utility U {} utility V {} potential (A){data=(1 0);}"
                                   "potential (B|A){data=(1 0 0 1);} potential(U|A B){data=(1 2 3 4);}"
                                   "potential(V){data=5;}",
                                   CRD_NETWORK_FORMAT_NET);
    crd_error error;
    crd_text text;
    assert_done(crd_network_write(network, CRD_NETWORK_FORMAT_NET, &text, &error), error);
    static const char wanted[] = "net\n{\n    name = \"n\";\n}\n"
                                 "node A\n{\n    states = (\"0\" \"1\");\n}\n"
                                 "node B\n{\n    states = (\"0\" \"1\");\n}\n"
                                 "utility U\n{\n}\nutility V\n{\n}\n"
                                 "potential ( A )\n{\n    data =\n        (1 0);\n}\n"
                                 "potential ( B | A )\n{\n    data =\n        ((1 0)\n        (0 1));\n}\n"
                                 "potential ( U | A B )\n{\n    data =\n        ((1\n        2)\n        (3\n        "
                                 "4));\n}\n"
                                 "potential ( V )\n{\n    data =\n        (5);\n}\n";
    assert_true(crd_text_equal(text, crd_text_of(wanted)));
    crd_free(context, (void *)text.bytes);
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* Rows that are no probabilities are weights; others stay as they are. */
static void weights(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_network *network = read_as(context,
                                   "node A {states=(a b c d);} node B {states=(x y);} potential (A){data=(1 1 1 1);}"
                                   "potential (B|A){data=((0.333 0.666)(3 1)(0.1 0.1)(0 1));}",
                                   CRD_NETWORK_FORMAT_NET);
    const double even[4] = {.25, .25, .25, .25};
    const double rows[4][2] = {{.333, .666}, {.75, .25}, {.5, .5}, {0, 1}};
    assert_memory_equal(network->nodes[0].table, even, sizeof even);
    assert_memory_equal(network->nodes[1].table, rows, sizeof rows);
    crd_network_destroy(network);
    crd_context_destroy(context);
}

#define A "net { }\nnode A { states = (\"x\" \"y\"); }\n"
#define X "continuous node X { }\n"
#define B "node B { states = (\"x\" \"y\"); }\n"

static const wrong_text wrongs[] = {
    {"", CRD_ERROR_EMPTY, 0, 0, "no nodes"},
    {"net x", CRD_ERROR_SYNTAX, 1, 5, "found \"x\", expected \"{\""},
    {"nonsense", CRD_ERROR_SYNTAX, 1, 1, "found \"nonsense\", expected \"net\""},
    {A "}", CRD_ERROR_SYNTAX, 3, 1, "found \"}\", expected"},
    {"class X {\n", CRD_ERROR_SYNTAX, 2, 1, "unexpected end of file: expected \"}\""},
    {A, CRD_ERROR_EMPTY, 0, 0, "the probabilities are missing for A"},
    {A A, CRD_ERROR_COLUMN, 4, 6, "two nodes are called A"},
    {A "node C { CREDENCE_name = \"A\"; states = (z); }", CRD_ERROR_COLUMN, 3, 6, "two nodes are called A"},
    {A "node C { }", CRD_ERROR_EMPTY, 3, 6, "C has no states"},
    {A "node C { states = (x x); }", CRD_ERROR_COLUMN, 3, 6, "occurs twice"},
    {A "node C { states = \"x\"; }", CRD_ERROR_SYNTAX, 3, 19, "\"(\""},
    {A "node C { label = \"no end; }", CRD_ERROR_SYNTAX, 3, 18, "a quoted name begins here"},
    {A "node C { label = x }", CRD_ERROR_SYNTAX, 3, 20, "\";\""},
    {A "continuous decision D { }", CRD_ERROR_SYNTAX, 3, 21, "D is a continuous decision"},
    {X "potential (X) { data = (0 1); }", CRD_ERROR_SYNTAX, 2, 25, "found \"0\", expected a normal distribution"},
    {X "potential (X) { data = normal (1); }", CRD_ERROR_SYNTAX, 2, 33, "found \")\", expected \",\""},
    {X "potential (X) { data = normal (, 1); }", CRD_ERROR_SYNTAX, 2, 32, "expected a number or a parent"},
    {X "potential (X) { data = normal (1, Y); }", CRD_ERROR_SYNTAX, 2, 35, "found \"Y\", expected a number"},
    {X "potential (X) { data = normal (1x, 1); }", CRD_ERROR_SYNTAX, 2, 32, "found \"1x\", expected a number"},
    {X "potential (X) { data = normal (2 * Y, 1); }", CRD_ERROR_COLUMN, 2, 36, "Y is not a continuous parent of X"},
    {X "potential (X) { data = normal (1, -1); }", CRD_ERROR_PROBABILITY, 2, 11, "-1 is not a valid variance"},
    {X "potential (X) { data = (normal (0, 1) normal (0, 1)); }", CRD_ERROR_SYNTAX, 2, 39,
     "found \"normal\", expected"},
    {X A "potential (X | A) { data = (normal (0, 1)); }", CRD_ERROR_SYNTAX, 4, 11, "expected 4"},
    {X A "potential (A | X) { data = (1 0); }", CRD_ERROR_TYPE, 4, 11, "the continuous node X cannot be a parent of A"},
    {A "function F { }", CRD_ERROR_SYNTAX, 3, 10, "F is a function node"},
    {"class X { instance I : Y (); }", CRD_ERROR_SYNTAX, 1, 20, "I is an instance"},
    {A "potential (A) { }", CRD_ERROR_EMPTY, 3, 11, "the data of A are missing"},
    {A "potential (A) { model_data = ( NoisyOR (B) ); }", CRD_ERROR_SYNTAX, 3, 11, "formula (model_data)"},
    {A B "potential (A B) { data = (1 0 0 0); }", CRD_ERROR_SYNTAX, 4, 11, "a joint table of 2 nodes"},
    {A B "potential (A | Q) { data = (1 0); }", CRD_ERROR_COLUMN, 4, 11, "unknown variable Q"},
    {A "potential (A) { data = (1 0 0); }", CRD_ERROR_SYNTAX, 3, 11, "expected 2 numbers for A, got 3"},
    {A "potential (A) { data = (1 x); }", CRD_ERROR_SYNTAX, 3, 27, "found \"x\", expected a number"},
    {A "potential (A) { data = (1 0; }", CRD_ERROR_SYNTAX, 3, 28, "found \";\", expected a number"},
    {A "potential (A) { data = 1 0); }", CRD_ERROR_SYNTAX, 3, 27, "found \")\", expected"},
    {A "potential (A) { data = (0 0); }", CRD_ERROR_PROBABILITY, 3, 11, "sum to 0"},
    {A "potential (A) { data = (-1 3); }", CRD_ERROR_PROBABILITY, 3, 11, "not a valid probability"},
    {A "potential (A) { data = (1e308 1e308); }", CRD_ERROR_PROBABILITY, 3, 11, "not a valid probability"},
    {A "potential (A) { data = (1 0); }\npotential (A) { data = (1 0); }", CRD_ERROR_COLUMN, 4, 11, "occur twice"},
    {A B "potential (A | B) { data = (1 0 0 1); } potential (B | A) { data = (1 0 0 1); }", CRD_ERROR_CYCLE, 0, 0,
     "cycle"},
};

static void errors_say_where(void **state) {
    (void)state;
    assert_all_wrong(wrongs, sizeof wrongs / sizeof *wrongs, CRD_NETWORK_FORMAT_NET);
}

static void damaged(void **state) {
    (void)state;
    assert_damage_is_found(small, CRD_NETWORK_FORMAT_NET);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form), cmocka_unit_test(normals), cmocka_unit_test(made_identifiers),
        cmocka_unit_test(brackets),   cmocka_unit_test(weights), cmocka_unit_test(errors_say_where),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
