// SPDX-License-Identifier: MIT
// The one worker of the page, started before the first view needs it.
import { open, type Credence } from "credence";

export const core: Promise<Credence> = open();
