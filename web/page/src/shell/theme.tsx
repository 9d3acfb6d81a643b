// SPDX-License-Identifier: MIT
// The color theme: light, dark, or the theme of the system. It is stored if the browser allows that.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

type Theme = "system" | "light" | "dark";
const KEY = "credence-theme";

function remembered(): Theme {
    try {
        const value = localStorage.getItem(KEY);
        return value === "light" || value === "dark" ? value : "system";
    } catch {
        return "system";
    }
}

function apply(theme: Theme): void {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
        localStorage.setItem(KEY, theme);
    } catch {
        // A page that was opened from a file may have no storage; the choice then lasts as long as the page.
    }
    // Canvases are painted in colors of the style sheet.
    dispatchEvent(new Event("themechange"));
}

export function ThemeSwitch(): JSX.Element {
    const [theme, setTheme] = useState<Theme>(remembered);
    useEffect(() => apply(theme), [theme]);
    return (
        <label class="theme">
            <span class="unseen">Colors</span>
            <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
                <option value="system">System</option>
                <option value="light">Light</option>
                <option value="dark">Dark</option>
            </select>
        </label>
    );
}
