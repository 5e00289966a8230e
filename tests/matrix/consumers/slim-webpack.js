import "./watch.js";
import * as slim from "adjudicate/slim";
import { show, slimParts } from "./questions.js";

show(async () => slimParts(slim, await slim.createEngine(fetch(new URL("adjudicate/engine.wasm", import.meta.url)))));
