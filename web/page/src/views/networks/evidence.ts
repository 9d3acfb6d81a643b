// SPDX-License-Identifier: MIT
// Evidence as the command takes it: --given NODE=STATE,... and --likelihood NODE=STATE:L,... A permalink holds the same texts.

/** Evidence on a node: its state or number, or the likelihood of an observation in each state. */
export type Finding = { value: string } | { likelihoods: [state: string, likelihood: number][] };
export type Evidence = ReadonlyMap<string, Finding>;

/** Quotes a name or a value for a list if it contains characters with a meaning in lists. */
export function quoted(text: string): string {
    return /^[\p{L}\p{N}_]([\p{L}\p{N}_. -]*[\p{L}\p{N}_])?$/u.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

/** Quotes a node for a list of nodes, in which a hyphen is a range and `all` means every node. */
export function quotedNode(name: string): string {
    return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && name !== "all" ? name : `"${name.replaceAll('"', '""')}"`;
}

export function givenText(evidence: Evidence): string {
    const items: string[] = [];
    for (const [name, finding] of evidence)
        if ("value" in finding) items.push(`${quoted(name)}=${quoted(finding.value)}`);
    return items.join(",");
}

export function likelihoodText(evidence: Evidence): string {
    const items: string[] = [];
    for (const [name, finding] of evidence)
        if ("likelihoods" in finding)
            for (const [state, likelihood] of finding.likelihoods)
                items.push(`${quoted(name)}=${quoted(state)}:${likelihood}`);
    return items.join(",");
}

/** The options that hold the evidence. */
export function evidenceOptions(evidence: Evidence): string[] {
    const given = givenText(evidence);
    const likelihood = likelihoodText(evidence);
    return [...(given === "" ? [] : ["--given", given]), ...(likelihood === "" ? [] : ["--likelihood", likelihood])];
}

/** Reads a text in quotes, or up to one of the signs. */
function takeText(text: string, from: number, ends: string): { taken: string; next: number } {
    if (text[from] === '"') {
        let taken = "";
        for (let at = from + 1; at < text.length; at++) {
            if (text[at] !== '"') taken += text[at];
            else if (text[at + 1] === '"') ((taken += '"'), at++);
            else return { taken, next: at + 1 };
        }
        return { taken, next: text.length };
    }
    let at = from;
    while (at < text.length && !ends.includes(text[at] ?? "")) at++;
    return { taken: text.slice(from, at), next: at };
}

/** The items of NODE=VALUE[:L],... */
function assignments(text: string, isLikelihood: boolean): { name: string; value: string; rest: string }[] {
    const found: { name: string; value: string; rest: string }[] = [];
    for (let at = 0; at < text.length;) {
        const name = takeText(text, at, "=,");
        if (text[name.next] !== "=") {
            at = text.indexOf(",", name.next) + 1 || text.length;
            continue;
        }
        const value = takeText(text, name.next + 1, isLikelihood ? ":," : ",");
        const end = text.indexOf(",", value.next);
        const stop = end === -1 ? text.length : end;
        found.push({ name: name.taken, value: value.taken, rest: text.slice(value.next, stop) });
        at = stop + 1;
    }
    return found;
}

export function parseEvidence(given: string | null, likelihood: string | null): Evidence {
    const evidence = new Map<string, Finding>();
    for (const { name, value } of assignments(given ?? "", false)) evidence.set(name, { value });
    for (const { name, value, rest } of assignments(likelihood ?? "", true)) {
        const last = evidence.get(name);
        const likelihoods = last !== undefined && "likelihoods" in last ? last.likelihoods : [];
        evidence.set(name, { likelihoods: [...likelihoods, [value, Number(rest.replace(/^:/, ""))]] });
    }
    return evidence;
}

export function withFinding(evidence: Evidence, name: string, finding: Finding | undefined): Evidence {
    const changed = new Map(evidence);
    changed.delete(name);
    if (finding !== undefined) changed.set(name, finding);
    return changed;
}

/** The evidence with the state set, or, where it is set already, removed. */
export function toggled(evidence: Evidence, name: string, state: string): Evidence {
    const last = evidence.get(name);
    const isSet = last !== undefined && "value" in last && last.value === state;
    return withFinding(evidence, name, isSet ? undefined : { value: state });
}

/** The nodes of a list, as `A,"B, C"`. */
export function parseNames(text: string | null): string[] {
    const names: string[] = [];
    for (let at = 0; text !== null && at < text.length;) {
        const { taken, next } = takeText(text, at, ",");
        if (taken !== "") names.push(taken);
        at = next + 1;
    }
    return names;
}
