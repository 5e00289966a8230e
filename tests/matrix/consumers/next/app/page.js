"use client";

import { useEffect } from "react";

import "../watch.js";
import { AdjudicateError, createEngine, loadModule } from "adjudicate";
import { show } from "../questions.js";

export default function Page() {
  useEffect(() => {
    show(async () => ({ engine: await createEngine(), loadModule, AdjudicateError }));
  }, []);
  return <h1>A page with a policy engine</h1>;
}
