/** The examples in the menu of the page. */
import examples from "virtual:examples";

import type { Texts } from "./documents.js";
import { make } from "./dom.js";
import { changed } from "./editor/patch.js";
import { pretty } from "./json.js";
import type { View } from "./tabs.js";

/** Returns the documents of the first examples. */
export function firstTexts(): Texts {
  const [decision] = examples.decisions;
  const [plan] = examples.plans;
  if (decision === undefined || plan === undefined) throw new Error("the page has no examples");
  return { ...decisionTexts(decision), plan: pretty(plan.plan) };
}

/** Returns the documents that an example has. */
export function textsOf(id: string): Partial<Texts> {
  const decision = examples.decisions.find((example) => example.id === id);
  if (decision !== undefined) return decisionTexts(decision);
  const plan = examples.plans.find((example) => example.id === id);
  return plan === undefined ? {} : { plan: pretty(plan.plan) };
}

/** Returns the id of the example that the documents equal, or an empty string. */
export function exampleOf(texts: Texts, view: View): string {
  const ids = (view === "plan" ? examples.plans : examples.decisions).map(({ id }) => id);
  const isEqual = (id: string) => Object.entries(textsOf(id)).every(([name, text]) => texts[name as keyof Texts] === text);
  return ids.find(isEqual) ?? "";
}

/** Fills the menu with the examples of a view. */
export function listExamples(select: HTMLSelectElement, view: View): void {
  const offered = view === "plan" ? examples.plans : examples.decisions;
  const groups = [...new Set(offered.map(({ group }) => group))].map((label) => {
    const own = offered.filter(({ group }) => group === label);
    return make("optgroup", { label }, ...own.map(({ id, title, about }) => make("option", { value: id, title: about }, title)));
  });
  select.replaceChildren(make("option", { value: "" }, "Examples …"), ...groups);
}

/** Returns the sentence about an example. */
export function aboutExample(id: string): string {
  return [...examples.decisions, ...examples.plans].find((example) => example.id === id)?.about ?? "";
}

function decisionTexts({ envelope, policy, other }: (typeof examples.decisions)[number]): Omit<Texts, "plan"> {
  if (policy === null) return { envelope: pretty(envelope), policy: "", other: "" };
  return { envelope: pretty(envelope), policy: pretty(policy), other: pretty(changed(policy, other)) };
}
