import "./watch.js";
import * as adjudicate from "adjudicate";
import { show } from "./questions.js";

const loadModule = (bytes, options) => adjudicate.loadModule(bytes, { ...options, workerUrl: "/gate-worker.js" });
show(async () => ({ engine: await adjudicate.createEngine(), loadModule, AdjudicateError: adjudicate.AdjudicateError }));
