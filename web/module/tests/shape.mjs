// SPDX-License-Identifier: MIT
// Checks values against the types that src/reports.ts declares, as TypeScript itself resolves them.
import { fileURLToPath } from "node:url";
import ts from "typescript";

const file = fileURLToPath(new URL("../src/reports.ts", import.meta.url));
const program = ts.createProgram([file], { strict: true, target: ts.ScriptTarget.ES2022, types: [] });
const checker = program.getTypeChecker();
const exported = new Map(
    checker
        .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
        .map((symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(symbol)]),
);

const FLAGS = [
    [ts.TypeFlags.StringLike, "string"],
    [ts.TypeFlags.NumberLike, "number"],
    [ts.TypeFlags.BooleanLike, "boolean"],
];

function objectFault(type, value, path) {
    if (typeof value !== "object" || value === null) return `${path} is no object`;
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type;
    const properties = new Map(checker.getPropertiesOfType(type).map((property) => [property.name, property]));
    for (const [name, property] of properties)
        if (!(property.flags & ts.SymbolFlags.Optional) && !(name in value)) return `${path}.${name} is not there`;
    for (const [name, part] of Object.entries(value)) {
        const property = properties.get(name);
        const declared = property === undefined ? index : checker.getTypeOfSymbol(property);
        if (declared === undefined) return `${path}.${name} is not declared`;
        const found = fault(declared, part, `${path}.${name}`);
        if (found !== undefined) return found;
    }
    return undefined;
}

function fault(type, value, path) {
    if (type.isUnion()) {
        const faults = type.types.map((part) => fault(part, value, path));
        return faults.includes(undefined) ? undefined : faults.sort((a, b) => b.length - a.length)[0];
    }
    if (type.flags & ts.TypeFlags.Null) return value === null ? undefined : `${path} is not null`;
    if (type.flags & ts.TypeFlags.Undefined) return `${path} is there`;
    if (type.isStringLiteral()) return value === type.value ? undefined : `${path} is ${JSON.stringify(value)}`;
    for (const [flag, name] of FLAGS)
        if (type.flags & flag)
            return typeof value === name ? undefined : `${path} is ${JSON.stringify(value)}, no ${name}`;
    if (checker.isArrayType(type)) {
        if (!Array.isArray(value)) return `${path} is no array`;
        const [element] = checker.getTypeArguments(type);
        return value.map((part, i) => fault(element, part, `${path}[${i}]`)).find((found) => found !== undefined);
    }
    return objectFault(type, value, path);
}

/** Returns a difference between the value and the type of this name; undefined: they match. */
export function typeFault(name, value) {
    const type = exported.get(name);
    if (type === undefined) throw new Error(`reports.ts has no type ${name}`);
    return fault(type, value, name);
}
