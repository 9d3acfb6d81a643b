// SPDX-License-Identifier: MIT
// How the classifier is made: the settings that matter most, and below them all others.
import type { JSX } from "preact";
import { useAnswer } from "../../shell/use-answer";
import type { Choices } from "./choices";
import type { Setting, Settings } from "./reports";
import { SettingField } from "./setting-field";

interface Props {
    choices: Choices;
    hasTexts: boolean;
    onSetting(name: string, value: string | undefined): void;
}

const FIRST = ["method", "family", "smoothing", "calibration", "prior", "attribute-weights"];

export function Method({ choices, hasTexts, onSetting }: Props): JSX.Element {
    const list = useAnswer((core) => core.json<Settings>(["help", "settings"]), []);
    const settings = list.value?.settings ?? [];
    const families = (list.value?.families ?? [])
        .filter(({ type }) => type === "numeric" || (hasTexts && type === "text"))
        .map(({ name }) => name);
    const first = FIRST.map((name) => settings.find((setting) => setting.name === name)).filter(
        (one) => one !== undefined,
    );
    // Sequence models have their own view.
    const others = settings.filter(
        ({ name, group }) => !FIRST.includes(name) && group !== "sequence" && (hasTexts || group !== "text"),
    );
    const field = (setting: Setting): JSX.Element => (
        <SettingField
            key={setting.name}
            setting={
                setting.name === "method"
                    ? { ...setting, forms: setting.forms.filter(({ word }) => word !== "sequence") }
                    : setting
            }
            value={choices.settings.get(setting.name)}
            onChange={(value) => onSetting(setting.name, value)}
            {...(setting.name === "family" ? { suggestions: ["auto", ...new Set(families)] } : {})}
        />
    );
    return (
        <>
            <div class="fields">{first.map(field)}</div>
            {others.length > 0 && (
                <details open={others.some(({ name }) => choices.settings.has(name))}>
                    <summary>All settings</summary>
                    <div class="fields">{others.map(field)}</div>
                </details>
            )}
        </>
    );
}
