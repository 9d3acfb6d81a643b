/* SPDX-License-Identifier: MIT */
/* Expected counts against enumeration, by parts and by the junction tree; EM and gradient ascent: neither ever falls, both come
 * to the same likelihood, complete rows are counted; hidden nodes; failing allocations. */
#include "base/thread_pool.h"
#include "em/network_fit.h"
#include "network_support.h"

#include "counted_fixture.h"

enum { MOST_NODES = 16 };

/* ---- Rows of a network ---- */

static size_t row_of(const crd_network *network, const crd_i_node *node, const int32_t *states) {
    size_t row = 0;
    for (size_t j = 0; j < node->parent_count; j++)
        row = row * crd_i_node_states(&network->nodes[node->parents[j]]) + (size_t)states[node->parents[j]];
    return row;
}

/* Draws rows, and blanks each cell with a probability. */
static crd_i_case_table *draw_rows(const crd_network *network, size_t rows, double blank, uint64_t seed) {
    crd_i_case_table *table = crd_i_case_table_create(context, network->count);
    crd_error error;
    assert_non_null(table);
    table->rows = rows;
    table->target = SIZE_MAX;
    for (size_t i = 0; i < network->count; i++) {
        size_t states = crd_i_node_states(&network->nodes[i]);
        int32_t codes[64];
        for (size_t j = 0; j < states; j++) codes[j] = (int32_t)j;
        assert_true(crd_i_case_column_name(table, i, network->nodes[i].name));
        table->columns[i].type = CRD_TYPE_CATEGORICAL;
        assert_true(crd_i_case_column_states(table, i, network->nodes[i].states, codes, states));
        assert_true(crd_i_case_column_codes(table, i, rows));
    }
    for (size_t r = 0; r < rows; r++) {
        crd_i_random random = crd_i_random_at(seed, r);
        int32_t states[MOST_NODES];
        for (size_t i = 0; i < network->count; i++) {
            const crd_i_node *node = &network->nodes[i];
            size_t count = crd_i_node_states(node);
            const double *p = node->table + row_of(network, node, states) * count;
            double left = crd_i_random_uniform(&random);
            size_t s = 0;
            while (s + 1 < count && left >= p[s]) left -= p[s++];
            while (s > 0 && p[s] == 0) s--;
            states[i] = (int32_t)s;
            bool is_blank = crd_i_random_uniform(&random) < blank;
            crd_i_case_put(&table->columns[i], r, is_blank ? CRD_I_CASE_MISSING32 : (uint32_t)s);
        }
    }
    assert_done(crd_i_case_table_arrange(table, &error), error);
    return table;
}

/* ---- Enumeration ---- */

static double joint_of(const crd_network *network, const bool *counts, const int32_t *states) {
    double product = 1;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        if (counts[i])
            product *= node->table[row_of(network, node, states) * crd_i_node_states(node) + (size_t)states[i]];
    }
    return product;
}

/* The next combination of states of the nodes that count and are not observed; false: there is none. */
static bool next_states(const crd_network *network, const bool *counts, const int32_t *seen, int32_t *states) {
    for (size_t i = 0; i < network->count; i++) {
        if (!counts[i] || seen[i] >= 0) continue;
        if (++states[i] < (int32_t)crd_i_node_states(&network->nodes[i])) return true;
        states[i] = 0;
    }
    return false;
}

static double enumerate_rows(const crd_network *network, const crd_i_case_table *table, const size_t *columns,
                             const size_t *starts, double *expected) {
    double log_likelihood = 0;
    for (size_t r = 0; r < table->rows; r++) {
        int32_t seen[MOST_NODES], states[MOST_NODES];
        bool counts[MOST_NODES];
        for (size_t i = 0; i < network->count; i++) {
            uint32_t code =
                columns[i] == SIZE_MAX ? CRD_I_CASE_MISSING32 : crd_i_case_code(&table->columns[columns[i]], r);
            seen[i] = code == CRD_I_CASE_MISSING32 ? -1 : (int32_t)code;
            counts[i] = seen[i] >= 0;
            states[i] = seen[i] >= 0 ? seen[i] : 0;
        }
        for (size_t i = network->count; i-- > 0;)
            for (size_t j = 0; counts[i] && j < network->nodes[i].parent_count; j++)
                counts[network->nodes[i].parents[j]] = true;
        double sum = 0;
        for (int pass = 0; pass < 2; pass++) {
            do {
                double p = joint_of(network, counts, states);
                if (pass == 0) sum += p;
                for (size_t i = 0; pass == 1 && i < network->count; i++) {
                    const crd_i_node *node = &network->nodes[i];
                    size_t index =
                        starts[i] + row_of(network, node, states) * crd_i_node_states(node) + (size_t)states[i];
                    if (counts[i]) expected[index] += crd_i_case_weight(table, r) * p / sum;
                }
            } while (next_states(network, counts, seen, states));
        }
        log_likelihood += crd_i_case_weight(table, r) * log(sum);
    }
    return log_likelihood;
}

static double *tables_of(const crd_network *network, const size_t *starts) {
    double *tables = crd_i_alloc(context, starts[network->count], sizeof *tables);
    assert_non_null(tables);
    for (size_t i = 0; i < network->count; i++)
        memcpy(tables + starts[i], network->nodes[i].table, (starts[i + 1] - starts[i]) * sizeof *tables);
    return tables;
}

static void check_cases(crd_network *network, const crd_i_case_table *table, const size_t *columns) {
    crd_i_incomplete_cases *cases;
    crd_error error;
    assert_done(crd_i_incomplete_cases_create(network, table, columns, &cases, &error), error);
    const size_t *starts = crd_i_incomplete_cases_starts(cases);
    size_t cells = starts[network->count];
    double *tables = tables_of(network, starts), log_likelihood;
    double *counts = crd_i_alloc(context, cells, sizeof *counts);
    double *expected = crd_i_alloc_zeroed(context, cells, sizeof *expected);
    double reference = enumerate_rows(network, table, columns, starts, expected);
    assert_done(crd_i_incomplete_cases_expect(cases, tables, counts, &log_likelihood, &error), error);
    assert_true(fabs(log_likelihood - reference) <= 1e-10 * (1 + fabs(reference)));
    for (size_t i = 0; i < cells; i++) assert_true(fabs(counts[i] - expected[i]) <= 1e-9 * (1 + expected[i]));
    crd_free(context, tables);
    crd_free(context, counts);
    crd_free(context, expected);
    crd_i_incomplete_cases_destroy(cases);
}

static void test_enumeration(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        crd_network *network = random_network(context, seed, 8, 3, 3);
        crd_i_case_table *table = draw_rows(network, 150, (double)(seed % 4) * 0.25, seed);
        size_t columns[MOST_NODES];
        for (size_t i = 0; i < network->count; i++) columns[i] = i;
        check_cases(network, table, columns);
        columns[seed % network->count] = SIZE_MAX;
        check_cases(network, table, columns);
        crd_i_case_table_destroy(table);
        crd_network_destroy(network);
    }
}

/* A chain of three states each, every second node with the first for another parent. */
static crd_network *chain(size_t count) {
    static const crd_text states[] = {{"a", 1}, {"b", 1}, {"c", 1}};
    crd_i_random random = crd_i_random_at(11, 0);
    crd_network *network = NULL;
    crd_error error;
    assert_done(crd_i_network_create(context, crd_text_of("chain"), &network, &error), error);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t parents[] = {i - 1, 0};
        size_t node, parent_count = i == 0 ? 0 : i > 2 && i % 2 == 0 ? 2 : 1;
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        assert_done(crd_i_network_add(network, crd_text_of(name), states, 3, &node, &error), error);
        assert_done(crd_i_network_set_parents(network, node, parents, parent_count, &error), error);
        size_t rows = network->nodes[i].rows;
        double *table = crd_i_alloc(context, 3 * rows, sizeof *table);
        for (size_t r = 0; r < rows; r++) {
            double p = crd_i_random_open(&random), q = crd_i_random_open(&random);
            table[3 * r] = p;
            table[3 * r + 1] = (1 - p) * q;
            table[3 * r + 2] = 1 - table[3 * r] - table[3 * r + 1];
        }
        assert_done(crd_i_network_take_table(network, node, table, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    return network;
}

/* Rows whose parts have more than 4,096 combinations go through the junction tree. */
static void test_tree(void **state) {
    (void)state;
    crd_network *network = chain(10);
    crd_i_case_table *table = draw_rows(network, 12, 0.8, 3);
    size_t columns[MOST_NODES];
    for (size_t i = 0; i < network->count; i++) columns[i] = i;
    check_cases(network, table, columns);
    crd_i_case_table_destroy(table);
    table = draw_rows(network, 12, 0, 3);
    for (size_t i = 1; i + 1 < network->count; i++) columns[i] = SIZE_MAX;
    columns[0] = SIZE_MAX;
    check_cases(network, table, columns);
    crd_i_case_table_destroy(table);
    crd_network_destroy(network);
}

/* ---- Fits ---- */

typedef struct problem {
    crd_network *network;
    crd_i_case_table *table;
    size_t columns[MOST_NODES];
    double pseudo[MOST_NODES][8];
    const double *assumed[MOST_NODES];
    bool is_fixed[MOST_NODES];
} problem;

static crd_i_network_fit_problem describe(problem *own_problem, double pseudo) {
    for (size_t i = 0; i < MOST_NODES; i++) {
        own_problem->columns[i] = i;
        own_problem->is_fixed[i] = false;
        own_problem->assumed[i] = own_problem->pseudo[i];
        for (size_t s = 0; s < 8; s++) own_problem->pseudo[i][s] = pseudo;
    }
    const crd_i_network_fit_problem network_fit = {own_problem->network, own_problem->table, own_problem->columns,
                                                   own_problem->assumed, own_problem->is_fixed};
    return network_fit;
}

static double fit(const crd_i_network_fit_problem *fit_problem, bool by_gradient, size_t starts, crd_fit *em_fit) {
    const crd_i_network_fit_options options = {
        .by_gradient = by_gradient, .starts = starts, .iterations = 5000, .tolerance = 1e-9};
    crd_error error;
    assert_done(crd_i_network_fit(fit_problem, &options, em_fit, &error), error);
    const crd_i_em_trace *trace = &em_fit->trace;
    assert_true(trace->is_converged && !em_fit->is_stopped);
    for (size_t i = 1; i < trace->count; i++) assert_true(trace->steps[i].objective >= trace->steps[i - 1].objective);
    return crd_i_em_trace_objective(trace);
}

static void test_ascents(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        problem own_problem = {.network = random_network(context, 7 + seed, 7, 3, 2)};
        own_problem.table = draw_rows(own_problem.network, 400, 0.2, seed);
        for (int i = 0; i < 2; i++) {
            crd_fit first = {0}, second = {0};
            const crd_i_network_fit_problem network_fit = describe(&own_problem, i == 0 ? 0 : 0.5);
            double by_em = fit(&network_fit, false, 0, &first), by_gradient = fit(&network_fit, true, 0, &second);
            assert_true(fabs(by_em - by_gradient) <= 1e-6 * fabs(by_em));
            assert_true(i == 1 || first.trace.steps[0].objective == first.trace.steps[0].log_likelihood);
            crd_i_em_fit_clear(&first);
            crd_i_em_fit_clear(&second);
        }
        crd_i_case_table_destroy(own_problem.table);
        crd_network_destroy(own_problem.network);
    }
}

/* Complete rows, and rows that lack barren nodes alone, are counted, to the bit. */
static void test_complete(void **state) {
    (void)state;
    problem own_problem = {.network = random_network(context, 3, 6, 3, 2)};
    own_problem.table = draw_rows(own_problem.network, 200, 0, 1);
    crd_i_network_fit_problem network_fit = describe(&own_problem, 0.25);
    const crd_i_node *nodes = own_problem.network->nodes;
    size_t leaf = own_problem.network->count - 1;
    assert_int_equal(nodes[leaf].child_count, 0);
    for (size_t r = 0; r < own_problem.table->rows; r += 2)
        crd_i_case_put(&own_problem.table->columns[leaf], r, CRD_I_CASE_MISSING32);
    crd_fit em_fit = {0};
    fit(&network_fit, false, 3, &em_fit);
    assert_int_equal(em_fit.start_count, 1);
    assert_int_equal(em_fit.trace.count, 2);
    for (size_t i = 0; i < own_problem.network->count; i++) {
        size_t states = crd_i_node_states(&nodes[i]);
        double counts[4096] = {0};
        for (size_t r = 0; r < own_problem.table->rows; r++) {
            int32_t codes[MOST_NODES];
            for (size_t j = 0; j < own_problem.network->count; j++)
                codes[j] = (int32_t)crd_i_case_code(&own_problem.table->columns[j], r);
            if (codes[i] >= 0)
                counts[row_of(own_problem.network, &nodes[i], codes) * states + (size_t)codes[i]] +=
                    crd_i_case_weight(own_problem.table, r);
        }
        for (size_t c = 0; c < nodes[i].rows * states; c++) {
            double total = 0;
            for (size_t s = 0; s < states; s++) total += counts[c / states * states + s];
            assert_true(nodes[i].table[c] == (counts[c] + 0.25) / (total + 0.25 * (double)states));
        }
    }
    crd_i_em_fit_clear(&em_fit);
    crd_i_case_table_destroy(own_problem.table);
    crd_network_destroy(own_problem.network);
}

static const char MIXTURE[] =
    "network m { }\nvariable h { type discrete [ 2 ] { one, two }; }\n"
    "variable a { type discrete [ 2 ] { y, n }; }\nvariable b { type discrete [ 2 ] { y, n }; }\n"
    "variable c { type discrete [ 2 ] { y, n }; }\n"
    "probability ( h ) { table 0.3, 0.7; }\n"
    "probability ( a | h ) { ( one ) 0.9, 0.1; ( two ) 0.2, 0.8; }\n"
    "probability ( b | h ) { ( one ) 0.8, 0.2; ( two ) 0.1, 0.9; }\n"
    "probability ( c | h ) { ( one ) 0.7, 0.3; ( two ) 0.05, 0.95; }\n";

/* The expected rows of a mixture, with weights that need not be whole, give the mixture back, its states sorted. */
static void test_hidden(void **state) {
    (void)state;
    problem own_problem = {.network = read_network(context, MIXTURE)};
    size_t hidden = (size_t)crd_i_network_find(own_problem.network, crd_text_of("h"));
    own_problem.table = draw_rows(own_problem.network, 64, 0, 5);
    crd_i_network_fit_problem network_fit = describe(&own_problem, 0);
    double *truth[MOST_NODES];
    for (size_t i = 0; i < 4; i++) {
        size_t cells = own_problem.network->nodes[i].rows * 2;
        truth[i] = crd_i_alloc(context, cells, sizeof *truth[i]);
        memcpy(truth[i], own_problem.network->nodes[i].table, cells * sizeof *truth[i]);
    }
    own_problem.table->rows = 8;
    if (own_problem.table->weights == NULL) own_problem.table->weights = crd_i_alloc(context, 64, sizeof(double));
    for (size_t r = 0; r < 8; r++) {
        double p[2] = {truth[hidden][0], truth[hidden][1]};
        for (size_t i = 0; i < 4; i++) {
            uint32_t code = i == hidden ? 0 : (uint32_t)(r >> (i - 1) & 1);
            if (i == hidden) continue;
            crd_i_case_put(&own_problem.table->columns[i], r, code);
            for (size_t h = 0; h < 2; h++) p[h] *= truth[i][h * 2 + code];
        }
        own_problem.table->weights[r] = 1000 * (p[0] + p[1]);
    }
    own_problem.columns[hidden] = SIZE_MAX;
    for (int by_gradient = 0; by_gradient < 2; by_gradient++) {
        crd_fit em_fit = {0};
        fit(&network_fit, by_gradient, 0, &em_fit);
        assert_int_equal(em_fit.start_count, CRD_I_FIT_STARTS);
        const crd_i_node *nodes = own_problem.network->nodes;
        assert_true(fabs(nodes[hidden].table[0] - 0.7) < 1e-3);
        for (size_t i = 0; i < 4; i++)
            for (size_t h = 0; h < 2 && i != hidden; h++)
                assert_true(fabs(nodes[i].table[h * 2] - truth[i][(1 - h) * 2]) < 2e-3);
        crd_i_em_fit_clear(&em_fit);
    }
    for (size_t i = 0; i < 4; i++) crd_free(context, truth[i]);
    crd_i_case_table_destroy(own_problem.table);
    crd_network_destroy(own_problem.network);
}

/* The same bits with any threads. */
static void test_threads(void **state) {
    (void)state;
    problem own_problem = {.network = random_network(context, 21, 12, 3, 3)};
    own_problem.table = draw_rows(own_problem.network, 600, 0.4, 2);
    crd_i_network_fit_problem network_fit = describe(&own_problem, 0.1);
    double values[2];
    for (unsigned i = 0; i < 2; i++) {
        crd_call_options options = CRD_CALL_OPTIONS_INIT;
        crd_fit em_fit = {0};
        options.threads = 1 + 2 * i;
        assert_int_equal(crd_call_begin(context, &options), CRD_OK);
        values[i] = fit(&network_fit, false, 0, &em_fit);
        crd_call_end(context);
        crd_i_em_fit_clear(&em_fit);
    }
    assert_true(values[0] == values[1]);
    crd_i_case_table_destroy(own_problem.table);
    crd_network_destroy(own_problem.network);
}

/* A table that is stated can make rows impossible. */
static void test_impossible(void **state) {
    (void)state;
    problem own_problem = {.network = read_network(context, MIXTURE)};
    crd_error error;
    own_problem.table = draw_rows(own_problem.network, 64, 0, 5);
    crd_i_network_fit_problem fit_problem = describe(&own_problem, 0);
    own_problem.is_fixed[1] = true;
    for (size_t c = 0; c < 4; c++) own_problem.network->nodes[1].table[c] = c % 2 == 0 ? 1 : 0;
    const crd_i_network_fit_options options = {.iterations = 10, .tolerance = 1e-6};
    crd_fit em_fit = {0};
    assert_int_equal(crd_i_network_fit(&fit_problem, &options, &em_fit, &error), CRD_ERROR_PROBABILITY);
    crd_i_case_table_destroy(own_problem.table);
    crd_network_destroy(own_problem.network);
}

static void test_memory(void **state) {
    (void)state;
    problem own_problem = {.network = chain(10)};
    own_problem.table = draw_rows(own_problem.network, 4, 0.85, 0);
    crd_i_network_fit_problem network_fit = describe(&own_problem, 1);
    const crd_i_network_fit_options options = {.starts = 2, .iterations = 2, .tolerance = 1e-6};
    crd_status status = CRD_ERROR_MEMORY;
    long live = (long)counted.live;
    for (size_t i = 1; status == CRD_ERROR_MEMORY; i++) {
        crd_fit em_fit = {0};
        counted.fail_at = counted.calls + i;
        status = crd_i_network_fit(&network_fit, &options, &em_fit, NULL);
        counted.fail_at = 0;
        crd_i_em_fit_clear(&em_fit);
        assert_int_equal(counted.live, live);
    }
    assert_int_equal(status, CRD_OK);
    crd_i_case_table_destroy(own_problem.table);
    crd_network_destroy(own_problem.network);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_enumeration), cmocka_unit_test(test_tree),
                                       cmocka_unit_test(test_ascents),     cmocka_unit_test(test_complete),
                                       cmocka_unit_test(test_hidden),      cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_impossible),  cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
