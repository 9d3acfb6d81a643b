/* SPDX-License-Identifier: MIT */
/* factor_blocks.c - operations on the table of a clique, block by block: see junction_types.h.
 *
 * Contents:
 *   1. Choice of fixed variables
 *   2. Operands
 *   3. Groups
 *   4. Traversal
 *   5. Operations on a clique */
#include "infer/exact/junction_types.h"

#include "base/call.h"
#include "base/thread_pool.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { MOST_GROUPS = 16, SHORTEST_RUN = 64 };

/* Role of a clique variable in a block. */
enum { SKIPPED = -1, INNER = -2, PINNED = -3 }; /* other values: index of a fixed variable */

/* A table that a block is multiplied with or summed into. */
struct crd_i_operand {
    double *cells;
    size_t size;                           /* size of an output table */
    bool is_factor;                        /* plain numbers in any scale */
    bool is_fixed, is_inner;               /* depends on fixed variables, on variables within a block */
    bool is_private;                       /* several groups add to the same cells */
    size_t strides[CRD_I_MOST_DIMENSIONS]; /* by fixed variable */
    crd_i_walk walk;                       /* walk of the block together with this table */
};

typedef struct plan {
    crd_i_junction_work *work;
    const crd_i_clique *clique;
    const int32_t *pinned; /* by node: states of the shared variables; NULL: not fixed */
    int32_t *roles;        /* by variable of the clique */
    size_t fixed_count;    /* the slowest first */
    size_t extents[CRD_I_MOST_DIMENSIONS];
    size_t blocks, rows, width; /* rows and width of a block */
    double cells;               /* cells of the whole table */
    crd_i_operand *inputs, *outputs;
    size_t input_count, output_count;
    double *base; /* product of the inputs that are equal in every block; NULL if there are none */
    bool by_most;
    size_t groups, units, blocks_a_unit; /* groups are runs of units */
    size_t private_cells;
} plan;

/* ======== 1. Choice of fixed variables ======== */

static void factor_blocks_fix(plan *own_plan, size_t variable, size_t extent) {
    own_plan->roles[variable] = (int32_t)own_plan->fixed_count;
    own_plan->extents[own_plan->fixed_count++] = extent;
    own_plan->blocks *= extent;
}

static void choose_fixed(plan *own_plan) {
    const crd_i_junction *junction = own_plan->work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, own_plan->clique);
    size_t count = own_plan->clique->var_count, own_count = own_plan->clique->own_count, rows = 1, width = 1;
    for (size_t i = 0; i < count; i++) {
        size_t extent = junction->states_at[vars[i]];
        bool is_out = own_plan->work->seen_at[vars[i]] >= 0 || extent == 1;
        own_plan->roles[i] = is_out ? SKIPPED : i >= own_count && own_plan->pinned != NULL ? PINNED : INNER;
        if (own_plan->roles[i] != INNER) continue;
        if (i < own_count) rows *= extent;
        else width *= extent;
    }
    own_plan->cells = (double)rows * (double)width;
    /* Fixing shared variables gives each block its own cells in the message, as long as runs remain. */
    size_t next_own = 0, next_shared = own_count, most = own_plan->work->block_cells;
    for (; rows * width > most && width > SHORTEST_RUN && next_shared < count; next_shared++) {
        if (own_plan->roles[next_shared] != INNER) continue;
        width /= junction->states_at[vars[next_shared]];
        factor_blocks_fix(own_plan, next_shared, junction->states_at[vars[next_shared]]);
    }
    for (; rows * width > most && next_own < own_count; next_own++) {
        if (own_plan->roles[next_own] != INNER) continue;
        rows /= junction->states_at[vars[next_own]];
        factor_blocks_fix(own_plan, next_own, junction->states_at[vars[next_own]]);
    }
    own_plan->rows = rows;
    own_plan->width = width;
}

/* ======== 2. Operands ======== */

/* Sets the stride of a clique variable in the operand's table; 0 if it is absent. Called for the fastest variable
 * first. */
static void factor_blocks_place(const plan *own_plan, crd_i_operand *operand, size_t variable, size_t stride) {
    const crd_i_junction *junction = own_plan->work->junction;
    uint32_t position = crd_i_clique_vars(junction, own_plan->clique)[variable];
    int32_t role = own_plan->roles[variable];
    if (role == SKIPPED) return;
    if (role == PINNED) operand->cells += (size_t)own_plan->pinned[junction->node_at[position]] * stride;
    if (role >= 0) {
        operand->strides[role] = stride;
        operand->is_fixed = operand->is_fixed || stride > 0;
    }
    if (role != INNER) return;
    operand->is_inner = operand->is_inner || stride > 0;
    crd_i_walk_add(&operand->walk, junction->states_at[position], stride);
}

static crd_i_operand *begin_operand(crd_i_operand *operand, double *cells) {
    operand->cells = cells;
    operand->size = 0;
    operand->is_factor = operand->is_fixed = operand->is_inner = operand->is_private = false;
    crd_i_walk_begin(&operand->walk);
    return operand;
}

/* Adds a table over the variables `in`, ascending, with the given strides. */
static crd_i_operand *factor_blocks_add_table(plan *own_plan, const uint32_t *in, const size_t *strides, size_t left,
                                              double *cells) {
    const crd_i_junction *junction = own_plan->work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, own_plan->clique);
    const int32_t *seen_at = own_plan->work->seen_at;
    crd_i_operand *operand = begin_operand(&own_plan->inputs[own_plan->input_count++], cells);
    for (; left > 0 && in[left - 1] >= junction->graph_count; left--)
        operand->cells += (size_t)seen_at[in[left - 1]] * strides[left - 1];
    for (size_t i = own_plan->clique->var_count; i-- > 0;) {
        bool is_in = left > 0 && in[left - 1] == vars[i];
        if (is_in) left--;
        if (is_in && seen_at[vars[i]] >= 0) operand->cells += (size_t)seen_at[vars[i]] * strides[left];
        factor_blocks_place(own_plan, operand, i, is_in ? strides[left] : 0);
    }
    crd_i_walk_end(&operand->walk);
    return operand;
}

/* Adds the message between the clique and one of its children, or its parent if `child` is the clique itself. */
static void add_message(plan *own_plan, crd_i_operand *operand, const crd_i_clique *child, double *cells) {
    const crd_i_junction *junction = own_plan->work->junction;
    const uint32_t *vars = crd_i_clique_vars(junction, own_plan->clique), *shared = crd_i_clique_vars(junction, child);
    size_t left = child->var_count, stride = 1;
    begin_operand(operand, cells);
    for (size_t i = own_plan->clique->var_count; i-- > 0;) {
        bool is_shared = left > child->own_count && shared[left - 1] == vars[i];
        if (is_shared) left--;
        bool is_free = own_plan->work->seen_at[vars[i]] < 0;
        factor_blocks_place(own_plan, operand, i, is_shared && is_free ? stride : 0);
        if (is_shared && is_free) stride *= junction->states_at[vars[i]];
    }
    operand->size = stride;
    crd_i_walk_end(&operand->walk);
}

static void factor_blocks_add_variable(plan *own_plan, crd_i_operand *operand, size_t variable, double *cells) {
    const crd_i_junction *junction = own_plan->work->junction;
    begin_operand(operand, cells);
    for (size_t i = own_plan->clique->var_count; i-- > 0;)
        factor_blocks_place(own_plan, operand, i, i == variable ? 1 : 0);
    operand->size = junction->states_at[crd_i_clique_vars(junction, own_plan->clique)[variable]];
    crd_i_walk_end(&operand->walk);
}

static void factor_blocks_add_joint(plan *own_plan, crd_i_operand *operand, const crd_i_joint_posterior *joint) {
    begin_operand(operand, joint->cells);
    for (size_t i = own_plan->clique->var_count; i-- > 0;) factor_blocks_place(own_plan, operand, i, joint->strides[i]);
    operand->size = joint->cell_count;
    crd_i_walk_end(&operand->walk);
}

/* Adds factors, likelihoods (also of sets) and messages from children. */
static void add_inputs(plan *own_plan) {
    crd_i_junction_work *work = own_plan->work;
    const crd_i_junction *junction = work->junction;
    const crd_i_clique *clique = own_plan->clique;
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    for (size_t i = clique->factors_begin; i < clique->factors_end; i++) {
        const crd_i_factor *factor = &junction->factors[i];
        factor_blocks_add_table(own_plan, junction->factor_vars + factor->vars_at,
                                junction->factor_strides + factor->vars_at, factor->var_count,
                                junction->tables + factor->table_at)
            ->is_factor = true;
    }
    for (int32_t i = clique->first_set; work->set_logs != NULL && i != CRD_I_NONE; i = junction->sets[i].next) {
        const crd_i_junction_set *set = &junction->sets[i];
        if (work->set_logs[i] != NULL)
            factor_blocks_add_table(own_plan, set->vars, set->strides, set->count, work->set_tables + set->table_at);
    }
    for (size_t i = 0; work->likelihoods != NULL && i < clique->own_count; i++) {
        uint32_t node = junction->node_at[vars[i]];
        if (work->likelihoods[node] == NULL) continue;
        int32_t seen = work->seen_at[vars[i]];
        crd_i_operand *operand = &own_plan->inputs[own_plan->input_count++];
        factor_blocks_add_variable(own_plan, operand, i, work->soft + junction->starts[node] + (seen >= 0 ? seen : 0));
        operand->is_factor = true;
    }
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child)
        add_message(own_plan, &own_plan->inputs[own_plan->input_count++], &junction->cliques[i],
                    work->cells + work->cliques[i].up_at);
}

size_t crd_i_operand_size(void) {
    return sizeof(crd_i_operand);
}

size_t crd_i_blocks_operands(const crd_i_junction *junction, const crd_i_clique *clique) {
    size_t count = clique->factors_end - clique->factors_begin + 2 * (size_t)clique->own_count + 3;
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child) count += 2;
    for (int32_t i = clique->first_set; i != CRD_I_NONE; i = junction->sets[i].next) count += 2;
    return count;
}

/* Returns the scratch size: one block per thread, copies of the outputs that several groups add to (at most all
 * outputs), and one block for the base. */
double crd_i_blocks_room(const crd_i_junction_work *work, size_t index) {
    const crd_i_junction *junction = work->junction;
    const crd_i_clique *clique = &junction->cliques[index];
    const uint32_t *vars = crd_i_clique_vars(junction, clique);
    double copies = 1, block = fmax((double)work->block_cells, SHORTEST_RUN);
    for (size_t i = 0; i < junction->together_count; i++)
        copies *= junction->states_at[junction->position_of[junction->together[i]]];
    for (int32_t i = clique->first_set; i != CRD_I_NONE; i = junction->sets[i].next)
        copies += (double)junction->sets[i].cells;
    copies += (double)work->cliques[index].width;
    for (int32_t i = clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child)
        copies += (double)work->cliques[i].width;
    for (size_t i = 0; i < clique->own_count; i++) copies += junction->states_at[vars[i]];
    return block + (block + copies) * work->threads;
}

/* ======== 3. Groups ======== */

/* Divides the blocks into groups: runs of combinations of the slowest fixed variables. */
static void choose_groups(plan *own_plan) {
    size_t units = 1, used = 0;
    own_plan->groups = 1;
    own_plan->private_cells = 0;
    if (own_plan->cells >= (double)own_plan->work->cells_for_threads)
        while (used < own_plan->fixed_count && units < MOST_GROUPS) units *= own_plan->extents[used++];
    for (size_t i = 0; i < own_plan->output_count; i++) {
        crd_i_operand *output = &own_plan->outputs[i];
        for (size_t j = 0; j < used; j++) output->is_private = output->is_private || output->strides[j] == 0;
        if (output->is_private) own_plan->private_cells += output->size;
    }
    own_plan->units = units;
    own_plan->blocks_a_unit = own_plan->blocks / units;
    own_plan->groups = units < MOST_GROUPS ? units : MOST_GROUPS;
    /* Adding up the group sums must not take longer than computing them. */
    while (own_plan->groups > 2 && (double)(own_plan->groups * own_plan->private_cells) > own_plan->cells / 8)
        own_plan->groups /= 2;
}

/* ======== 4. Traversal ======== */

typedef struct blocks_run {
    plan *plan;
    double *rooms;   /* scratch of all members, one after the other */
    size_t capacity; /* cells per member */
    pthread_mutex_t lock;
    pthread_cond_t turn;
    size_t next, added; /* groups started, and groups whose sums have been added */
    bool is_cancelled;
} blocks_run;

static size_t offset_of(const plan *own_plan, const crd_i_operand *operand, const size_t *states) {
    size_t offset = 0;
    for (size_t i = 0; i < own_plan->fixed_count; i++) offset += states[i] * operand->strides[i];
    return offset;
}

static void factor_blocks_multiply(crd_i_factor_scale scale, const crd_i_operand *operand, bool is_first,
                                   const double *cells, double *block) {
    if (is_first) crd_i_factor_set(operand->is_factor ? scale : CRD_I_PLAIN, &operand->walk, block, cells);
    else if (operand->is_factor) crd_i_factor_times(scale, &operand->walk, block, cells);
    else crd_i_message_times(scale, &operand->walk, block, cells);
}

/* Fills a block. Returns false if all its cells are 0. */
static bool factor_blocks_fill(const plan *own_plan, const size_t *states, double *block) {
    crd_i_factor_scale scale = own_plan->work->scale;
    double none = scale == CRD_I_PLAIN ? 0 : -INFINITY, scalar = scale == CRD_I_PLAIN ? 1 : 0;
    static const crd_i_walk single = {1, {1}, {1}};
    for (size_t i = 0; i < own_plan->input_count; i++) {
        const crd_i_operand *input = &own_plan->inputs[i];
        if (input->is_inner) continue;
        const double *cell = input->cells + offset_of(own_plan, input, states);
        (input->is_factor ? crd_i_factor_times : crd_i_message_times)(scale, &single, &scalar, cell);
    }
    if (scalar == none) return false;
    size_t cells = own_plan->rows * own_plan->width;
    bool is_first = own_plan->base == NULL;
    for (size_t i = 0; !is_first && i < cells; i++)
        block[i] = scale == CRD_I_PLAIN ? own_plan->base[i] * scalar : own_plan->base[i] + scalar;
    bool was_first = is_first;
    for (size_t i = 0; i < own_plan->input_count; i++) {
        const crd_i_operand *input = &own_plan->inputs[i];
        if (!input->is_inner || !input->is_fixed) continue;
        factor_blocks_multiply(scale, input, is_first, input->cells + offset_of(own_plan, input, states), block);
        is_first = false;
    }
    if (is_first)
        for (size_t i = 0; i < cells; i++) block[i] = scalar;
    else if (was_first && scalar != (scale == CRD_I_PLAIN ? 1 : 0))
        for (size_t i = 0; i < cells; i++) block[i] = scale == CRD_I_PLAIN ? block[i] * scalar : block[i] + scalar;
    return true;
}

/* Multiplies the inputs that are equal in every block once. */
static void factor_blocks_make_base(plan *own_plan, double *workspace) {
    bool is_first = true;
    for (size_t i = 0; i < own_plan->input_count; i++) {
        const crd_i_operand *input = &own_plan->inputs[i];
        if (!input->is_inner || input->is_fixed) continue;
        factor_blocks_multiply(own_plan->work->scale, input, is_first, input->cells, workspace);
        is_first = false;
    }
    own_plan->base = is_first ? NULL : workspace;
}

static void factor_blocks_states(const plan *own_plan, size_t block, size_t *states) {
    for (size_t i = own_plan->fixed_count; i-- > 0;) {
        states[i] = block % own_plan->extents[i];
        block /= own_plan->extents[i];
    }
}

static void factor_blocks_next_states(const plan *own_plan, size_t *states) {
    for (size_t i = own_plan->fixed_count; i-- > 0;) {
        if (++states[i] < own_plan->extents[i]) return;
        states[i] = 0;
    }
}

/* Adds the blocks of a group to the outputs, or to private copies of outputs shared with other groups. */
static bool factor_blocks_go_through(const plan *own_plan, size_t group, double *block, double *copies) {
    crd_i_factor_scale scale = own_plan->work->scale;
    size_t states[CRD_I_MOST_DIMENSIONS];
    size_t begin = group * own_plan->units / own_plan->groups * own_plan->blocks_a_unit;
    size_t end = (group + 1) * own_plan->units / own_plan->groups * own_plan->blocks_a_unit;
    factor_blocks_states(own_plan, begin, states);
    if (own_plan->groups > 1) crd_i_message_clear(scale, copies, own_plan->private_cells);
    for (size_t i = begin; i < end; i++, factor_blocks_next_states(own_plan, states)) {
        if (crd_i_context_cancelled(own_plan->work->junction->context)) return false;
        if (!factor_blocks_fill(own_plan, states, block)) continue;
        double *copy = copies;
        for (size_t j = 0; j < own_plan->output_count; j++) {
            const crd_i_operand *output = &own_plan->outputs[j];
            bool is_copied = own_plan->groups > 1 && output->is_private;
            double *destination = (is_copied ? copy : output->cells) + offset_of(own_plan, output, states);
            (own_plan->by_most ? crd_i_message_raise : crd_i_message_add)(scale, &output->walk, block, destination);
            if (is_copied) copy += output->size;
        }
    }
    return true;
}

static void add_copies(const plan *own_plan, const double *copies) {
    for (size_t i = 0; i < own_plan->output_count; i++) {
        const crd_i_operand *output = &own_plan->outputs[i];
        if (!output->is_private) continue;
        const crd_i_walk whole = {1, {output->size}, {1}};
        (own_plan->by_most ? crd_i_message_raise : crd_i_message_add)(own_plan->work->scale, &whole, copies,
                                                                      output->cells);
        copies += output->size;
    }
}

static void factor_blocks_take_part(void *state, unsigned member) {
    blocks_run *all = state;
    const plan *own_plan = all->plan;
    double *block = all->rooms + member * all->capacity, *copies = block + own_plan->rows * own_plan->width;
    bool done = true;
    for (;;) {
        pthread_mutex_lock(&all->lock);
        size_t group = all->next++;
        pthread_mutex_unlock(&all->lock);
        if (group >= own_plan->groups) return;
        done = done && factor_blocks_go_through(own_plan, group, block, copies);
        pthread_mutex_lock(&all->lock);
        while (all->added != group) pthread_cond_wait(&all->turn, &all->lock);
        if (done && own_plan->groups > 1) add_copies(own_plan, copies);
        all->is_cancelled = all->is_cancelled || !done;
        all->added++;
        pthread_cond_broadcast(&all->turn);
        pthread_mutex_unlock(&all->lock);
    }
}

static crd_status factor_blocks_run(plan *own_plan) {
    crd_i_junction_work *work = own_plan->work;
    blocks_run all = {.plan = own_plan};
    double *workspace = work->cells + work->blocks_at;
    choose_groups(own_plan);
    for (size_t i = 0; i < own_plan->output_count; i++)
        crd_i_message_clear(work->scale, own_plan->outputs[i].cells, own_plan->outputs[i].size);
    factor_blocks_make_base(own_plan, workspace);
    all.rooms = workspace + own_plan->rows * own_plan->width;
    all.capacity = own_plan->rows * own_plan->width + own_plan->private_cells;
    unsigned threads = work->threads < own_plan->groups ? work->threads : (unsigned)own_plan->groups;
    if (pthread_mutex_init(&all.lock, NULL) != 0) return CRD_ERROR_MEMORY;
    if (pthread_cond_init(&all.turn, NULL) != 0) {
        pthread_mutex_destroy(&all.lock);
        return CRD_ERROR_MEMORY;
    }
    if (threads > 1) crd_i_thread_pool_run(work->junction->context, threads, factor_blocks_take_part, &all);
    else factor_blocks_take_part(&all, 0);
    pthread_cond_destroy(&all.turn);
    pthread_mutex_destroy(&all.lock);
    return all.is_cancelled ? CRD_ERROR_CANCELLED : CRD_OK;
}

/* ======== 5. Operations on a clique ======== */

static void begin_plan(plan *own_plan, crd_i_junction_work *work, size_t clique, const int32_t *pinned) {
    memset(own_plan, 0, sizeof *own_plan);
    own_plan->work = work;
    own_plan->clique = &work->junction->cliques[clique];
    own_plan->pinned = pinned;
    own_plan->roles = work->roles;
    own_plan->blocks = 1;
    own_plan->inputs = work->operands;
    choose_fixed(own_plan);
    add_inputs(own_plan);
    own_plan->outputs =
        own_plan->inputs + own_plan->input_count + 1; /* the message from the parent may become an input */
}

crd_status crd_i_blocks_up(crd_i_junction_work *work, size_t clique, bool by_most) {
    plan own_plan;
    begin_plan(&own_plan, work, clique, NULL);
    own_plan.by_most = by_most;
    add_message(&own_plan, &own_plan.outputs[own_plan.output_count++], own_plan.clique,
                work->cells + work->cliques[clique].up_at);
    return factor_blocks_run(&own_plan);
}

crd_status crd_i_blocks_down(crd_i_junction_work *work, size_t clique, double *posteriors,
                             const crd_i_joint_posterior *joints) {
    const crd_i_junction *junction = work->junction;
    plan own_plan;
    begin_plan(&own_plan, work, clique, NULL);
    const uint32_t *vars = crd_i_clique_vars(junction, own_plan.clique);
    if (own_plan.clique->parent != CRD_I_NONE)
        add_message(&own_plan, &own_plan.inputs[own_plan.input_count++], own_plan.clique,
                    work->cells + work->cliques[clique].up_at);
    for (int32_t i = own_plan.clique->first_child; i != CRD_I_NONE; i = junction->cliques[i].next_child)
        if (work->cliques[i].is_message_needed)
            add_message(&own_plan, &own_plan.outputs[own_plan.output_count++], &junction->cliques[i],
                        work->cells + work->cliques[i].down_at);
    for (size_t i = 0; i < own_plan.clique->own_count; i++)
        if (work->source_at[vars[i]] == (int32_t)clique)
            factor_blocks_add_variable(&own_plan, &own_plan.outputs[own_plan.output_count++], i,
                                       posteriors + junction->starts[junction->node_at[vars[i]]]);
    for (int32_t i = work->cliques[clique].first_joint; i != CRD_I_NONE; i = joints[i].next)
        factor_blocks_add_joint(&own_plan, &own_plan.outputs[own_plan.output_count++], &joints[i]);
    return factor_blocks_run(&own_plan);
}

crd_status crd_i_blocks_best_row(crd_i_junction_work *work, size_t clique, const int32_t *states, size_t *row) {
    plan own_plan;
    begin_plan(&own_plan, work, clique, states);
    double *workspace = work->cells + work->blocks_at, *block = workspace + own_plan.rows, best = -INFINITY;
    size_t fixed[CRD_I_MOST_DIMENSIONS] = {0};
    factor_blocks_make_base(&own_plan, workspace);
    *row = 0;
    for (size_t i = 0; i < own_plan.blocks; i++, factor_blocks_next_states(&own_plan, fixed)) {
        if (crd_i_context_cancelled(work->junction->context)) return CRD_ERROR_CANCELLED;
        if (!factor_blocks_fill(&own_plan, fixed, block)) continue;
        for (size_t j = 0; j < own_plan.rows; j++) {
            if (!crd_i_is_more(work->scale, block[j], best)) continue;
            best = block[j];
            *row = i * own_plan.rows + j;
        }
    }
    return CRD_OK;
}
