/** What two decisions about the same envelope have in common, and what not. */
import type { Evaluation, Finding } from "adjudicate/slim";

import { shown } from "./json.js";
import { classified } from "./route.js";

/** How something of one decision stands in the other. */
export type Mark = "same" | "changed" | "added" | "removed";

/** One line of a comparison. */
export interface Line {
  /** What sort of thing it is. */
  readonly part: "status" | "next step" | "route" | "escalation" | "finding" | "blocker" | "risk flag" | "edit";
  /** Which one of its sort; empty where there is but one. */
  readonly name: string;
  /** What the first says of it; undefined where it does not have it. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly mark: Mark;
}

/** Compares two decisions, in the order in which a decision is read. */
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

/** How many lines of a comparison are not the same. */
export function countOfChanges(comparison: readonly Line[]): number {
  return comparison.filter(({ mark }) => mark !== "same").length;
}

type Told = readonly [name: string, value: string];

function line(part: Line["part"], name: string, before: string | undefined, after: string | undefined): Line {
  const mark = before === after ? "same" : before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return { part, name, before, after, mark };
}

/** The things of one sort, matched by name: the first one's order, and behind it what only the second has. */
function lines(part: Line["part"], before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Line[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].map((name) => line(part, name, before.get(name), after.get(name)));
}

/** Things by name; of one name there may be several. */
function keyed<Item>(items: readonly Item[], tell: (item: Item) => Told): Map<string, string> {
  const map = new Map<string, string>();
  for (const item of items) {
    const [name, value] = tell(item);
    let own = name;
    for (let count = 2; map.has(own); count += 1) own = `${name} (${count})`;
    map.set(own, value);
  }
  return map;
}

function findings({ findings: found }: Evaluation): Map<string, string> {
  return keyed(found, finding);
}

function finding({ rule, evidence_ref, status, severity, summary, mode, expected }: Finding): Told {
  const watched = mode === "monitor" ? ", monitored" : "";
  const isSaid = expected === undefined || summary.includes(shown(expected));
  const wanted = isSaid ? "" : ` (expected ${shown(expected)})`;
  return [evidence_ref === "" ? rule : `${rule} at ${evidence_ref}`, `${status}, ${severity}${watched}: ${summary}${wanted}`];
}

function blocker(value: { code: string; evidence_ref: string; severity: string; summary: string }): Told {
  return [
    value.evidence_ref === "" ? value.code : `${value.code} at ${value.evidence_ref}`,
    `${value.severity}: ${value.summary}`,
  ];
}

function flag(name: string): Told {
  return [name, "raised"];
}

function edit({ target, action }: { target: string; action: string }): Told {
  return [target, action];
}

/** How the next steps were classified, where both have one. */
function routes(before: Evaluation, after: Evaluation): Line[] {
  const [one, two] = [classified(before.loop), classified(after.loop)];
  return one === undefined || two === undefined ? [] : [line("route", "", one, two)];
}

function escalations(before: Evaluation, after: Evaluation): Line[] {
  const tell = ({ loop: { escalation } }: Evaluation) =>
    escalation === null ? undefined : `${escalation.reason}: ${escalation.from} becomes ${escalation.to}`;
  const [one, two] = [tell(before), tell(after)];
  return one === undefined && two === undefined ? [] : [line("escalation", "", one, two)];
}
