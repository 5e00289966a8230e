/** The comparison of two decisions about one envelope. */
import type { Evaluation, Finding } from "adjudicate/slim";

import { shown } from "./json.js";
import { classified } from "./route.js";

/** The difference of a part between two decisions. */
export type Mark = "same" | "changed" | "added" | "removed";

/** One line of a comparison. */
export interface Line {
  /** The kind of part. */
  readonly part: "status" | "next step" | "route" | "escalation" | "finding" | "blocker" | "risk flag" | "edit";
  /** The name within the kind; empty if there is only one. */
  readonly name: string;
  /** The value in the first decision; undefined if absent. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly mark: Mark;
}

/** Compares two decisions, the most important parts first. */
export function compare(before: Evaluation, after: Evaluation): Line[] {
  const [one, two] = [before.decision, after.decision];
  return [
    line("status", "", one.status, two.status),
    line("next step", "", one.next_step ?? "none", two.next_step ?? "none"),
    ...routes(before, after),
    ...escalations(before, after),
    ...lines("finding", findings(before), findings(after)),
    ...lines("blocker", keyed(one.blockers, blocker), keyed(two.blockers, blocker)),
    ...lines("risk flag", keyed(one.risk_flags, flag), keyed(two.risk_flags, flag)),
    ...lines("edit", keyed(one.fix_instructions?.edits ?? [], edit), keyed(two.fix_instructions?.edits ?? [], edit)),
  ];
}

/** Returns the number of lines that are not the same. */
export function countOfChanges(comparison: readonly Line[]): number {
  return comparison.filter(({ mark }) => mark !== "same").length;
}

type NamedValue = readonly [name: string, value: string];

function line(part: Line["part"], name: string, before: string | undefined, after: string | undefined): Line {
  const mark = before === after ? "same" : before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return { part, name, before, after, mark };
}

/** Compares entries by name. Those of the first version keep their order; those of the second alone follow. */
function lines(part: Line["part"], before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Line[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].map((name) => line(part, name, before.get(name), after.get(name)));
}

/** Returns items by name. Later items with the same name get a number. */
function keyed<Item>(items: readonly Item[], describe: (item: Item) => NamedValue): Map<string, string> {
  const map = new Map<string, string>();
  for (const item of items) {
    const [name, value] = describe(item);
    let own = name;
    for (let count = 2; map.has(own); count += 1) own = `${name} (${count})`;
    map.set(own, value);
  }
  return map;
}

function findings({ findings: found }: Evaluation): Map<string, string> {
  return keyed(found, finding);
}

function finding({ rule, evidence_ref, status, severity, summary, mode, expected }: Finding): NamedValue {
  const watched = mode === "monitor" ? ", monitored" : "";
  const isInSummary = expected === undefined || summary.includes(shown(expected));
  const wanted = isInSummary ? "" : ` (expected ${shown(expected)})`;
  return [evidence_ref === "" ? rule : `${rule} at ${evidence_ref}`, `${status}, ${severity}${watched}: ${summary}${wanted}`];
}

function blocker(value: { code: string; evidence_ref: string; severity: string; summary: string }): NamedValue {
  return [
    value.evidence_ref === "" ? value.code : `${value.code} at ${value.evidence_ref}`,
    `${value.severity}: ${value.summary}`,
  ];
}

function flag(name: string): NamedValue {
  return [name, "raised"];
}

function edit({ target, action }: { target: string; action: string }): NamedValue {
  return [target, action];
}

/** Compares the classifications of the next steps, if both decisions have one. */
function routes(before: Evaluation, after: Evaluation): Line[] {
  const [one, two] = [classified(before.loop), classified(after.loop)];
  return one === undefined || two === undefined ? [] : [line("route", "", one, two)];
}

function escalations(before: Evaluation, after: Evaluation): Line[] {
  const text = ({ loop: { escalation } }: Evaluation) =>
    escalation === null ? undefined : `${escalation.reason}: ${escalation.from} becomes ${escalation.to}`;
  const [one, two] = [text(before), text(after)];
  return one === undefined && two === undefined ? [] : [line("escalation", "", one, two)];
}
