import "./watch.js";
import * as slim from "adjudicate/slim";
import engineUrl from "adjudicate/engine.wasm?url";
import { show, slimParts } from "./questions.js";

show(async () => slimParts(slim, await slim.createEngine(fetch(engineUrl))));
