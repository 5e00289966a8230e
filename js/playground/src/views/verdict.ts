/** Decides the verdict of a link again, and opens its documents. */
import type { OperationName, Verdict, VerdictDigests } from "adjudicate/slim";
import type { VerdictParts, VerdictReport } from "adjudicate/verdict";

import { notice } from "../announce.js";
import { formatted, laidOut, partsOf } from "../editor/format.js";
import type { OpenedDocuments } from "../opened.js";
import { facts, more } from "../parts/value.js";
import type { Playground } from "../playground.js";

/** The operations whose input is an envelope. */
const OF_ENVELOPES: readonly OperationName[] = ["evaluate", "refine", "explain", "facts"];

/** Decides a verdict again, opens its documents, and reports the comparison above them. */
export async function showVerdict(playground: Playground, text: string): Promise<void> {
  const recomputed = await playground.answers.verdict(text);
  if (recomputed.fault !== undefined) {
    const { fault } = recomputed;
    notice(`The verdict cannot be opened: ${fault.message}${fault.path === "" ? "" : ` at ${fault.path}`}.`);
    return;
  }
  const { parts, report, digests } = recomputed;
  const documents = documentsOf(parts);
  if (documents !== undefined && !(await playground.openLinked(documents.texts, documents.view))) return;
  const elsewhere = documents === undefined ? ` This page has no view for calls of ${parts.operation}, so its documents are not shown.` : "";
  const stated = (JSON.parse(text) as Verdict).digests;
  notice(`${comparison(report)} ${signature(report)}${elsewhere}`, more("Digests", "digests", matches(report, stated, digests)));
}

function comparison({ outcome, reason, difference, error }: VerdictReport): string {
  switch (outcome) {
    case "same_bytes":
      return "Verdict: same bytes. This page decided again, with the same answer.";
    case "other_digests":
      return "Verdict: other digests. The answer is the same, but a part was changed after the verdict was made.";
    case "another_answer":
      if (error !== undefined) return `Verdict: another answer. This page gets an error instead: ${error}`;
      return `Verdict: another answer. At ${difference?.path || "the root"}, the verdict has ${difference?.verdict ?? "nothing"}, and this page gets ${difference?.recomputed ?? "nothing"}.`;
    case "cannot_be_decided_here":
      return reason === "redacted"
        ? "Verdict: cannot be decided here, because a part is redacted."
        : "Verdict: cannot be decided here. It is of another version of the engine, or of a policy module.";
  }
}

function signature({ signature: { state, key } }: VerdictReport): string {
  if (state === "none") return "It has no signature.";
  if (state === "broken") return "Its signature is broken: it was not made for this verdict.";
  return `The holder of the key ${key} signed it, with each value that is shown here.`;
}

const MATCHES: Readonly<Record<VerdictReport["digests"]["input"], string>> = {
  matches: "matches the verdict’s",
  differs: "does not match the verdict’s",
  redacted: "cannot be compared with a redacted",
};

/** Returns the element with each digest of a verdict, and with the digest of this page if it is another one. */
function matches({ digests }: VerdictReport, stated: VerdictDigests, here: VerdictDigests | undefined): HTMLElement {
  const row = (part: "input" | "policy" | "answer") => {
    const [match, own] = [digests[part], here?.[part]];
    const also = own === undefined || (match === "matches" && own === stated[part]) ? "" : `; this page gets ${own}`;
    return [part, match && `${stated[part]} ${MATCHES[match]} ${part}${also}`] as const;
  };
  return facts([row("input"), row("policy"), row("answer")]);
}

/** Returns the documents of a verdict, if the page has a view for them. */
function documentsOf({ operation, input, policy = "" }: VerdictParts): OpenedDocuments | undefined {
  if (operation === "validate_plan") return { texts: { plan: formatted(input) }, view: "plan" };
  if (!OF_ENVELOPES.includes(operation)) return undefined;
  const whole = partsOf(input);
  const fields = new Map(typeof whole === "string" ? [] : whole.parts);
  const envelope = fields.get('"envelope"');
  if (envelope === undefined) return { texts: { envelope: laidOut(whole), policy: policy && formatted(policy) }, view: "decide" };
  const own = fields.get('"policy"') ?? "null";
  const ofCall = own === "null" ? "" : laidOut(own);
  return { texts: { envelope: laidOut(envelope), policy: policy === "" ? ofCall : formatted(policy) }, view: "decide" };
}
