// SPDX-License-Identifier: MIT
// The permalink contains, in addition to the network: the evidence, the evidence for comparison, the selected node, the query.
import { changeParams } from "../../shell/route";
import { parsePlaces, type Places } from "./graph/places";
import { givenText, likelihoodText, parseEvidence, type Evidence } from "./evidence";

export type Mode = "evidence" | "independence" | "why" | "explanation" | "decisions" | "edit";
export const MODES: { id: Mode; title: string }[] = [
    { id: "evidence", title: "Evidence" },
    { id: "independence", title: "Independence" },
    { id: "why", title: "Why" },
    { id: "explanation", title: "Most probable" },
    { id: "decisions", title: "Decisions" },
    { id: "edit", title: "Edit" },
];

export interface ViewState {
    mode: Mode;
    evidence: Evidence;
    /** Evidence of the posteriors that are drawn for comparison; undefined: none is drawn. */
    before: Evidence | undefined;
    node: string | undefined;
    x: string | undefined;
    y: string | undefined;
    places: Places;
}

export function viewState(params: URLSearchParams): ViewState {
    const mode = MODES.find(({ id }) => id === params.get("mode"))?.id ?? "evidence";
    const evidence = parseEvidence(params.get("given"), params.get("likelihood"));
    const compare = params.get("compare") ?? "";
    return {
        mode,
        evidence,
        before: compare === "none" ? undefined : parseEvidence(compare, params.get("compare-likelihood")),
        node: params.get("node") ?? undefined,
        x: params.get("x") ?? undefined,
        y: params.get("y") ?? undefined,
        places: parsePlaces(params.get("places")),
    };
}

export function setEvidence(evidence: Evidence): void {
    changeParams({ given: givenText(evidence), likelihood: likelihoodText(evidence) });
}

/** Compares with these posteriors from now on. */
export function compareWith(evidence: Evidence | undefined): void {
    changeParams(
        evidence === undefined
            ? { compare: "none", "compare-likelihood": undefined }
            : { compare: givenText(evidence), "compare-likelihood": likelihoodText(evidence) },
    );
}
