// SPDX-License-Identifier: MIT
// Numbers as the command rounds them for people: five significant digits, large ones in full.

/** As C's %.5g writes it. */
function general(value: number): string {
    if (value === 0) return "0";
    const [digits = "", exponent = "0"] = value.toExponential(4).split("e");
    const power = Number(exponent);
    if (power < -4 || power >= 5) {
        const mantissa = digits.replace(/\.?0+$/, "");
        return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
    }
    const text = value.toFixed(4 - power);
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export function rounded(value: number | null | undefined): string {
    if (value === null || value === undefined || Number.isNaN(value)) return "-";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    const size = Math.abs(value);
    return size >= 1e5 && size < 1e15 ? value.toFixed(0) : general(value);
}

/** A probability as people say it: a percentage with one digit. Its exact value belongs into a title. */
export function shownProbability(value: number | null | undefined): string {
    if (value === null || value === undefined || Number.isNaN(value)) return "-";
    if (value > 0 && value < 0.0005) return "<0.1 %";
    if (value < 1 && value > 0.9995) return ">99.9 %";
    return `${(100 * value).toFixed(1).replace(/\.0$/, value === 0 || value === 1 ? "" : ".0")} %`;
}

/** A share as a percentage with one decimal at most. */
export function percent(share: number): string {
    return `${rounded(Math.round(share * 1000) / 10)} %`;
}

/** A count with its noun: "1 row", "150 rows". */
export function counted(count: number, noun: string): string {
    return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
