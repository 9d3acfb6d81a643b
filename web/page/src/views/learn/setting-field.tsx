// SPDX-License-Identifier: MIT
// One setting of the command: its forms to choose from, and the argument of a form that has one.
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Setting, SettingForm } from "./reports";

interface Props {
    setting: Setting;
    /** Suggested values of a setting with free text, such as the families of densities. */
    suggestions?: string[];
    value: string | undefined;
    onChange(value: string | undefined): void;
}

function label(form: SettingForm): string {
    return [form.word, form.argument, form.suffix].filter((part) => part !== null).join(":");
}

/** The form that a value has, and its argument. */
function match(forms: SettingForm[], value: string): { form: number; argument: string } | undefined {
    const found = forms.findIndex((form) => form.argument === null && form.word === value);
    if (found >= 0) return { form: found, argument: "" };
    for (const [index, form] of forms.entries()) {
        const start = form.word === null ? "" : `${form.word}:`;
        const end = form.suffix === null ? "" : `:${form.suffix}`;
        if (form.argument === null || !value.startsWith(start) || !value.endsWith(end)) continue;
        const argument = value.slice(start.length, value.length - end.length);
        if (form.word === null || !argument.includes(":") || form.argument.includes(":"))
            return { form: index, argument };
    }
    return undefined;
}

export function SettingField({ setting, suggestions, value, onChange }: Props): JSX.Element {
    const id = useId();
    const { forms } = setting;
    const [chosen, setChosen] = useState<number>();
    const current = match(forms, value ?? setting.default);
    const index = chosen ?? current?.form ?? 0;
    const form = forms[index];
    const report = (text: string): void => onChange(text === setting.default ? undefined : text);
    const choose = (next: number): void => {
        const to = forms[next];
        if (to === undefined) return;
        setChosen(to.argument === null ? undefined : next);
        if (to.argument === null) report(to.word ?? "");
    };
    const enter = (argument: string): void => {
        if (form === undefined || argument === "") return;
        setChosen(undefined);
        report([form.word, argument, form.suffix].filter((part) => part !== null).join(":"));
    };
    const argument = chosen === undefined ? (current?.argument ?? "") : "";
    return (
        <div class="field">
            <label for={id}>{setting.name}</label>
            <span class="inputs">
                {suggestions !== undefined ? (
                    <select
                        id={id}
                        value={value ?? setting.default}
                        onChange={(event) => report(event.currentTarget.value)}
                    >
                        {[...new Set([...suggestions, value ?? setting.default])].map((name) => (
                            <option key={name}>{name}</option>
                        ))}
                    </select>
                ) : (
                    <select
                        id={id}
                        value={String(index)}
                        onChange={(event) => choose(Number(event.currentTarget.value))}
                    >
                        {forms.map((one, at) => (
                            <option key={at} value={String(at)}>
                                {label(one)}
                            </option>
                        ))}
                    </select>
                )}
                {suggestions === undefined && form?.argument !== null && form?.argument !== undefined && (
                    <input
                        type="text"
                        size={8}
                        aria-label={`${form.argument} of ${setting.name}`}
                        placeholder={form.argument}
                        value={argument}
                        onChange={(event) => enter(event.currentTarget.value.trim())}
                    />
                )}
            </span>
            <small>{suggestions === undefined ? (form?.help ?? setting.help) : setting.help.split(";", 1)[0]}</small>
        </div>
    );
}
