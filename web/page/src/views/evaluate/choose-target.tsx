// SPDX-License-Identifier: MIT
// A table without a target: uses the column that is probably the class, and adds it to the link.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Busy } from "../../shell/busy";
import { Problem } from "../../shell/problem";
import { completeParams } from "../../shell/route";
import type { OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { guessTarget } from "../learn/choices";
import { readProfile } from "../learn/profile";

export function ChooseTarget({ table }: { table: OpenDocument }): JSX.Element {
    const profile = useAnswer((core, signal) => readProfile(core, table, [], signal), [table.content]);
    const target = guessTarget(profile.value?.report.columns ?? []);
    useEffect(() => {
        if (target !== undefined) completeParams({ target });
    }, [target]);
    if (profile.error !== undefined) return <Problem error={profile.error} />;
    return <Busy what="Reading the table" answer={profile} />;
}
