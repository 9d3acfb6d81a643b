/* SPDX-License-Identifier: MIT */
/* option_scope.c - see option_scope.h. */
#include "source/option_scope.h"

#include "core/messages.h"

/* "PATH is WHAT: --name is for OTHERS", where an option has one of these scopes. */
static int refuse(const invocation *call, const char *path, unsigned scopes, const char *what, const char *others) {
    const char *name = arguments_in_scope(&call->arguments, scopes);
    return name == NULL ? ENDED_WELL : message_usage("%s is %s: --%s is for %s", path, what, name, others);
}

int option_scope_check_model(const invocation *call, const char *path, bool is_network) {
    unsigned scopes = SCOPE_NOT_MODELS | (is_network ? 0u : SCOPE_NOT_PLAIN_MODELS);
    return refuse(call, path, scopes, "a model, whose columns are settled", "tables");
}

int option_scope_check_settings(const invocation *call, const char *path) {
    const char *name = arguments_setting(&call->arguments);
    if (name == NULL) return ENDED_WELL;
    return message_usage("%s states its tables: --%s is for what is counted", path, name);
}

int option_scope_check_network(const invocation *call, bool is_file) {
    const char *path = call->arguments.operands[0];
    unsigned scopes = SCOPE_NOT_NETWORKS | (is_file ? SCOPE_NOT_NETWORK_FILES : 0u);
    if (is_file && call->arguments.operand_count == 1) scopes |= SCOPE_ROWS;
    int ended = refuse(call, path, scopes, "a network", "tables and other models");
    return ended == ENDED_WELL && is_file ? option_scope_check_settings(call, path) : ended;
}

int option_scope_check_node_model(const invocation *call, const char *path) {
    int ended = refuse(call, path, SCOPE_NOT_NODE_MODELS, "a network, whose nodes are settled", "tables");
    return ended == ENDED_WELL ? option_scope_check_settings(call, path) : ended;
}

int option_scope_check_others(const invocation *call) {
    return refuse(call, call->arguments.operands[0], SCOPE_NETWORKS, "no network", "networks");
}
