// SPDX-License-Identifier: MIT
// The one worker of the page, started before the first view needs it.
import { open, type Credence } from "credence";
import { embeddedCore } from "./embedded";

export const core: Promise<Credence> = embeddedCore()?.then((inside) => open(inside)) ?? open();
