// SPDX-License-Identifier: MIT
// The first page: three doors, and the examples.
import type { JSX } from "preact";
import { ExampleCards } from "../../shell/example-cards";
import { chooseFile, openFiles } from "../../shell/open-file";
import { routeAddress } from "../../shell/route";
import { drawNetwork } from "../networks/draw";
import "../../style/home.css";

export function Home(): JSX.Element {
    const choose = (): void => void chooseFile().then((files) => openFiles(files));
    return (
        <>
            <h1>Bayesian classification in your browser</h1>
            <p class="lead">
                Every prediction comes with its probability and an explanation. Your files never leave this page.
            </p>
            <div class="doors">
                <section class="card" aria-labelledby="door-table">
                    <h2 id="door-table">My table</h2>
                    <p>
                        Train a classifier on a CSV file, test it on rows it has not seen, and predict new rows. You can
                        drop the file anywhere on this page.
                    </p>
                    <div class="actions">
                        <button type="button" class="primary" onClick={choose}>
                            Choose a table…
                        </button>
                        <a class="button" href={routeAddress("learn", { example: "iris" })}>
                            Try it with flowers
                        </a>
                    </div>
                </section>
                <section class="card" aria-labelledby="door-network">
                    <h2 id="door-network">A network</h2>
                    <p>
                        Draw a Bayesian network or open one, click your observations, and see how every probability
                        changes and why.
                    </p>
                    <div class="actions">
                        <button type="button" class="primary" onClick={drawNetwork}>
                            Draw a network
                        </button>
                        <a class="button" href={routeAddress("networks", { example: "asia" })}>
                            Try it with a clinic
                        </a>
                    </div>
                </section>
                <section class="card" aria-labelledby="door-learn">
                    <h2 id="door-learn">Learn Bayes</h2>
                    <p>
                        Sixteen short lessons: a question, your guess, and the answer, from a test for a rare disease to
                        the umbrella world.
                    </p>
                    <div class="actions">
                        <a class="button primary" href={routeAddress("course")}>
                            Start the course
                        </a>
                        <a class="button" href={routeAddress("course", { item: "bayes" })}>
                            Bayes’ rule
                        </a>
                    </div>
                </section>
            </div>
            <h2>Example tables</h2>
            <ExampleCards kinds={["table"]} />
            <h2>Example networks</h2>
            <ExampleCards kinds={["network"]} />
            <h2>Example sequences</h2>
            <ExampleCards kinds={["sequences"]} />
        </>
    );
}
