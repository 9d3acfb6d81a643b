/* SPDX-License-Identifier: MIT */
/* Hill climbing and tabu search: the same graph with any threads and any order of rows and columns, local optima that no
 * single change improves, constraints, cancelling, failing allocations, tables without anything to find. */
#include "base/memory.h"
#include "cases/case_builder.h"
#include "model_support.h"
#include "structure/structure_search.h"

#include "counted_fixture.h"

static uint64_t seed = 1;
static unsigned below(unsigned limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % limit);
}

enum { COLUMNS = 9, ROWS = 600 };

/* Rows of a network over nine columns: each depends on one or two before it, three of them are numbers. */
static void draw_rows(double cells[ROWS][COLUMNS]) {
    seed = 7;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < COLUMNS; i++) {
            const double above = i == 0 ? 0 : cells[row][(i - 1) / 2 % 6];
            const double beside = i < 4 ? 0 : cells[row][(i - 3) % 6];
            if (i < 6) cells[row][i] = below(4) == 0 ? below(3) : (double)((unsigned)(above + beside) % 3);
            else cells[row][i] = above + 2 * cells[row][i - 1] + (double)below(1000) / 500;
        }
}

/* The rows as text, from the row and the column on that are given, round. */
static char *text_of(double cells[ROWS][COLUMNS], size_t columns, size_t row_shift, size_t column_shift) {
    char *text = calloc(ROWS + 1, COLUMNS * 12), *destination = text;
    for (size_t row = 0; row <= ROWS; row++)
        for (size_t i = 0; i < columns; i++) {
            const size_t column = (i + column_shift) % columns;
            const char *end = i + 1 == columns ? "\n" : ",";
            if (row == 0) destination += sprintf(destination, "v%zu%s", column, end);
            else
                destination += sprintf(destination, column < 6 ? "s%.0f%s" : "%.3f%s",
                                       cells[(row + row_shift) % ROWS][column], end);
        }
    return text;
}

static crd_i_case_table *read_text(const char *text) {
    crd_reader *reader;
    crd_i_case_table *table;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(crd_i_case_table_of_reader(reader, NULL, 0, &table, &error), error);
    crd_reader_close(reader);
    return table;
}

static crd_i_case_table *draw_table(size_t columns, size_t row_shift, size_t column_shift) {
    double(*cells)[COLUMNS] = calloc(ROWS, sizeof *cells);
    draw_rows(cells);
    char *text = text_of(cells, columns, row_shift, column_shift);
    crd_i_case_table *table = read_text(text);
    free(text);
    free(cells);
    return table;
}

static crd_i_search_result run(const crd_i_search *search, const crd_i_case_table *table,
                               const crd_i_search_options *options) {
    crd_i_search_result result;
    crd_error error;
    assert_done(search->run(table, options, &result, &error), error);
    assert_true(crd_i_graph_order(result.graph, NULL, (uint64_t[2]){0}));
    return result;
}

static void test_same(void **state) {
    (void)state;
    static const unsigned THREADS[] = {1, 2, 5};
    for (size_t i = 0; i < 2; i++) {
        const crd_i_search *search = crd_i_search_named(crd_text_of(i == 0 ? "hill-climb" : "tabu"));
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        options.restarts = 5;
        crd_i_case_table *table = draw_table(COLUMNS, 0, 0), *moved = draw_table(COLUMNS, 77, 4);
        const crd_i_search_result first = run(search, table, &options);
        assert_true(crd_i_graph_edge_count(first.graph) >= COLUMNS - 2);
        assert_true(first.steps > 0 && first.scores_computed > 0 && !first.is_stopped);
        for (size_t j = 0; j < 3; j++) {
            options.threads = THREADS[j];
            const crd_i_search_result again = run(search, j == 1 ? moved : table, &options);
            assert_true(crd_i_graph_equal(first.graph, again.graph));
            assert_true(first.score == again.score);
            crd_i_graph_destroy(again.graph);
        }
        crd_i_graph_destroy(first.graph);
        crd_i_case_table_destroy(table);
        crd_i_case_table_destroy(moved);
    }
    assert_null(crd_i_search_named(crd_text_of("hill")));
    for (size_t i = 0; i < crd_i_search_count(); i++)
        assert_ptr_equal(crd_i_search_named(crd_text_of(crd_i_search_at(i)->name)), crd_i_search_at(i));
    assert_null(crd_i_search_at(crd_i_search_count()));
}

static double score_graph(crd_i_family_scores *scores, const crd_i_graph *graph) {
    double sum = 0, score;
    crd_error error;
    for (size_t node = 0; node < graph->count; node++) {
        uint32_t parents[COLUMNS];
        const size_t count = crd_i_graph_parent_list(graph, node, parents);
        assert_done(crd_i_family_score(scores, node, parents, count, &score, &error), error);
        sum += score;
    }
    return sum;
}

/* Tries every single change of the graph that was found, from its score on. */
static void check_optimum(const crd_i_case_table *table, const crd_i_search_result *result, crd_i_score score) {
    crd_i_family_scores *scores;
    crd_error error;
    uint64_t scratch[2];
    assert_done(crd_i_family_scores_create(table, score, &scores, &error), error);
    assert_near(score_graph(scores, result->graph), result->score, 1e-7);
    for (size_t first = 0; first < result->graph->count; first++)
        for (size_t limit = 0; limit < result->graph->count; limit++)
            for (int kind = 0; kind < 2 && first != limit; kind++) {
                crd_i_graph *changed = crd_i_graph_clone(result->graph);
                const bool is_there = crd_i_graph_has(changed, first, limit);
                if (is_there) crd_i_graph_remove(changed, first, limit);
                if (is_there && kind == 1) crd_i_graph_add(changed, limit, first);
                if (!is_there) crd_i_graph_add(changed, first, limit);
                if (crd_i_graph_order(changed, NULL, scratch))
                    assert_true(score_graph(scores, changed) <= result->score + 1e-7);
                crd_i_graph_destroy(changed);
            }
    crd_i_family_scores_destroy(scores);
}

static void test_optimum(void **state) {
    (void)state;
    static const char *const SCORES[] = {"bic", "aic", "bdeu:10", "k2", "bge"};
    for (size_t i = 0; i < sizeof SCORES / sizeof *SCORES; i++) {
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        crd_error error;
        assert_done(crd_i_score_parse(crd_text_of(SCORES[i]), &options.score, &error), error);
        /* Categories alone, numbers alone, and both. */
        crd_i_case_table *table = draw_table(i < 2 ? COLUMNS : 6, 0, 0);
        if (i == 4) {
            crd_i_case_table_destroy(table);
            table = read_text("x,y,z\n1,2,3.5\n2,4.5,6\n3,6.1,9\n4,7.5,12.5\n5,10.5,14\n6,11,18.5\n0,1,0.5\n");
        }
        for (size_t j = 0; j < 2; j++) {
            crd_i_search_result result = run(crd_i_search_at(j), table, &options);
            check_optimum(table, &result, options.score);
            crd_i_graph_destroy(result.graph);
        }
        crd_i_case_table_destroy(table);
    }
}

/* Rows of a random network of categories, whose nodes depend on up to three of the ten before them. */
static crd_i_case_table *draw_network(size_t columns, size_t rows, uint64_t draw) {
    enum { MOST = 128, STATES = 3 };
    static double tables[MOST][STATES * STATES * STATES][STATES];
    size_t parents[MOST][3], counts[MOST];
    unsigned cells[MOST];
    char *text = malloc((rows + 1) * columns * 6 + 1), *destination = text;
    seed = draw;
    for (size_t i = 0; i < columns; i++) {
        counts[i] = i < 3 ? 0 : below(4);
        for (size_t j = 0; j < counts[i]; j++) parents[i][j] = i - 1 - below(i < 10 ? (unsigned)i : 10);
        for (size_t index = 0; index < STATES * STATES * STATES; index++)
            for (size_t k = 0; k < STATES; k++) tables[i][index][k] = below(10) < 6 ? 1 : 1 + below(20);
        destination += sprintf(destination, "v%03zu%s", i, i + 1 == columns ? "\n" : ",");
    }
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < columns; i++) {
            size_t index = 0;
            for (size_t j = 0; j < counts[i]; j++) index = index * STATES + cells[parents[i][j]];
            const double *weights = tables[i][index];
            const double chance = (double)below(1 << 20) / (1 << 20) * (weights[0] + weights[1] + weights[2]);
            cells[i] = chance < weights[0] ? 0 : chance < weights[0] + weights[1] ? 1 : 2;
            destination += sprintf(destination, "s%u%s", cells[i], i + 1 == columns ? "\n" : ",");
        }
    crd_i_case_table *table = read_text(text);
    free(text);
    return table;
}

static double score_reached(const crd_i_case_table *table, const char *name, size_t restarts) {
    crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
    options.restarts = restarts;
    const crd_i_search_result result = run(crd_i_search_named(crd_text_of(name)), table, &options);
    crd_i_graph_destroy(result.graph);
    return result.score;
}

/* Tabu search continues from the optimum of hill climbing, whatever the restarts. */
static void test_tabu_continues(void **state) {
    (void)state;
    size_t better = 0;
    for (uint64_t draw = 1; draw <= 20; draw++) {
        crd_i_case_table *table = draw_network(10, 500, draw);
        for (size_t restarts = 0; restarts <= 3; restarts += 3) {
            const double climbed = score_reached(table, "hill-climb", restarts);
            const double continued = score_reached(table, "tabu", restarts);
            assert_true(continued >= climbed);
            better += continued > climbed + 1e-6;
        }
        crd_i_case_table_destroy(table);
    }
    assert_true(better > 0);
}

/* The default spends as much on many nodes as ten restarts, and these find more than a single climb. */
static void test_many_nodes(void **state) {
    (void)state;
    crd_i_case_table *table = draw_network(120, 400, 3);
    const double usual = score_reached(table, "hill-climb", CRD_I_RESTARTS_AUTO);
    assert_true(usual >= score_reached(table, "hill-climb", 10));
    assert_true(usual > score_reached(table, "hill-climb", 0) + 1);
    crd_i_case_table_destroy(table);
}

static void test_constraints(void **state) {
    (void)state;
    crd_i_case_table *table = draw_table(COLUMNS, 0, 0);
    crd_i_arc_constraints *constraints;
    crd_error error;
    assert_done(crd_i_arc_constraints_create(context, COLUMNS, &constraints, &error), error);
    crd_i_graph_add(constraints->required, 5, 0);
    crd_i_graph_add(constraints->forbidden, 0, 1);
    crd_i_graph_add(constraints->forbidden, 1, 0);
    constraints->max_parents = 1;
    for (size_t i = 0; i < 2; i++) {
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        options.constraints = constraints;
        options.restarts = 8;
        crd_i_search_result result = run(crd_i_search_at(i), table, &options);
        assert_true(crd_i_graph_has(result.graph, 5, 0));
        assert_false(crd_i_graph_is_adjacent(result.graph, 0, 1));
        for (size_t node = 0; node < COLUMNS; node++) {
            assert_true(crd_i_graph_parent_count(result.graph, node) <= 1);
            /* No category has a number for a parent. */
            if (node < 6)
                for (size_t number = 6; number < COLUMNS; number++)
                    assert_false(crd_i_graph_has(result.graph, number, node));
        }
        crd_i_graph_destroy(result.graph);
    }
    crd_i_arc_constraints_destroy(constraints);
    crd_i_case_table_destroy(table);
}

static void test_nothing(void **state) {
    (void)state;
    static const char *const TABLES[] = {"a,b\nx,1\n", "a,b\nx,1\nx,1\nx,1\n", "a,b\n,\n,\n", "a\nx\ny\n",
                                         "a,b\nx,\n,2\ny,3\n,4\nx,\n"};
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        options.restarts = 2;
        crd_i_case_table *table = read_text(TABLES[i]);
        for (size_t j = 0; j < 2; j++) {
            crd_i_search_result result = run(crd_i_search_at(j), table, &options);
            assert_int_equal(crd_i_graph_edge_count(result.graph), 0);
            crd_i_graph_destroy(result.graph);
        }
        crd_i_case_table_destroy(table);
    }
    /* Copies: one arc between them. */
    crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
    crd_i_case_table *table = read_text("a,b\nx,x\ny,y\nx,x\ny,y\nx,x\ny,y\nx,x\ny,y\nx,x\ny,y\n");
    crd_i_search_result result = run(crd_i_search_at(0), table, &options);
    assert_int_equal(crd_i_graph_edge_count(result.graph), 1);
    crd_i_graph_destroy(result.graph);
    crd_i_case_table_destroy(table);
}

static void test_cancelled(void **state) {
    (void)state;
    crd_i_case_table *table = draw_table(6, 0, 0);
    crd_context_cancel(context);
    for (size_t i = 0; i < 2; i++) {
        crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
        options.threads = 2;
        crd_i_search_result result = run(crd_i_search_at(i), table, &options);
        assert_true(result.is_stopped);
        assert_int_equal(crd_i_graph_edge_count(result.graph), 0);
        assert_true(result.score < 0);
        crd_i_graph_destroy(result.graph);
    }
    crd_context_resume(context);
    crd_i_case_table_destroy(table);
}

static void test_memory(void **state) {
    (void)state;
    crd_i_case_table *table = draw_table(COLUMNS, 0, 0);
    for (size_t i = 0; i < 2; i++) {
        bool is_done = false;
        for (size_t fail = 1; !is_done; fail += fail < 100 ? 1 : 37) {
            const long live = counted.live;
            crd_i_search_options options = CRD_I_SEARCH_OPTIONS_INIT;
            crd_i_search_result result;
            crd_error error;
            counted.fail_at = counted.calls + fail;
            const crd_status status = crd_i_search_at(i)->run(table, &options, &result, &error);
            is_done = counted.calls < counted.fail_at;
            counted.fail_at = 0;
            assert_int_equal(status, is_done ? CRD_OK : CRD_ERROR_MEMORY);
            assert_true(is_done || result.graph == NULL);
            crd_i_graph_destroy(result.graph);
            assert_int_equal(counted.live, live);
        }
    }
    crd_i_case_table_destroy(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),           cmocka_unit_test(test_optimum),    cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_tabu_continues), cmocka_unit_test(test_many_nodes), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_cancelled),      cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
