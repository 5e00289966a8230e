"use client";

import { useEffect } from "react";

import { compiled } from "../watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import given from "../given.js";
import { reportOf } from "../questions.js";

const atImport = [...compiled];

async function ask() {
  const engine = await createEngine();
  return reportOf({ engine, loadModule, AdjudicateError, atImport, compiled }, given);
}

export default function Page() {
  useEffect(() => {
    ask().then(
      (report) => (globalThis.report = report),
      (error) => (globalThis.report = String(error)),
    );
  }, []);
  return <h1>A page with a policy engine</h1>;
}
