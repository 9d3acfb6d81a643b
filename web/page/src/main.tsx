// SPDX-License-Identifier: MIT
import { render } from "preact";
import { App } from "./shell/app";
import "./style/tokens.css";
import "./style/page.css";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
