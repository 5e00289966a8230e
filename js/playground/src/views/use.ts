/** The dialog that shows how a program decides with the documents of the page. */
import { announce } from "../announce.js";
import type { Texts } from "../documents.js";
import { make } from "../dom.js";
import { copy, download, openDialog } from "../parts/dialog.js";
import type { View } from "../tabs.js";
import { yamlOf } from "../yaml.js";

/** A way to use the documents. */
interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** Opens the dialog. */
export function showUse(view: View, texts: Texts): void {
  const isPlan = view === "plan";
  const parts = (isPlan ? planSnippets() : snippets(texts.policy.trim() !== "")).map(({ title, code }) => {
    const take = () => void copy(code).then((done) => announce(done ? `Copied: ${title}` : "The browser does not allow copying"));
    const head = make("p", { class: "row" }, make("b", {}, title), make("button", { type: "button", class: "quiet", onclick: take }, "Copy"));
    return make("section", {}, head, make("pre", { tabindex: 0, role: "region", "aria-label": title }, code));
  });
  const names = isPlan ? (["plan"] as const) : (["envelope", "policy"] as const);
  const files = names.filter((name) => texts[name].trim() !== "").flatMap((name) => [
    make("button", { type: "button", onclick: () => download(`${name}.json`, texts[name]) }, `${name}.json`),
    make("button", { type: "button", onclick: () => void downloadYaml(name, texts[name]) }, `${name}.yaml`),
  ]);
  openDialog("Use it", make("p", { class: "row" }, "Download ", ...files), ...parts);
}

async function downloadYaml(name: string, text: string): Promise<void> {
  let yaml: string;
  try {
    yaml = await yamlOf(text);
  } catch {
    announce(`The ${name} is not JSON`);
    return;
  }
  download(`${name}.yaml`, yaml, "application/yaml");
}

function snippets(hasPolicy: boolean): Snippet[] {
  const option = hasPolicy ? " --policy policy.json" : "";
  const given = hasPolicy ? `, { policy: ${read("policy.json")} }` : "";
  const rustPolicy = hasPolicy ? "Some(&Policy::parse(&std::fs::read(\"policy.json\")?)?)" : "None";
  return [
    { title: "On the command line", code: `adjudicate evaluate envelope.json${option} --format table` },
    {
      title: "In Node",
      code: `import { readFileSync } from "node:fs";
import { createEngine } from "adjudicate";

const engine = await createEngine();
const { decision } = engine.evaluate(${read("envelope.json")}${given});
console.log(decision.status, decision.next_step);`,
    },
    {
      title: "In Rust",
      code: `use adjudicate_core::{${hasPolicy ? "Policy, " : ""}evaluate::evaluate_text};

let answer = evaluate_text(&std::fs::read("envelope.json")?, ${rustPolicy})?;`,
    },
  ];
}

function planSnippets(): Snippet[] {
  return [
    { title: "On the command line", code: "adjudicate validate-plan plan.json" },
    {
      title: "In Node",
      code: `import { readFileSync } from "node:fs";
import { createEngine } from "adjudicate";

const engine = await createEngine();
const { payload } = engine.validatePlan(${read("plan.json")});
console.log(payload.status);`,
    },
  ];
}

function read(file: string): string {
  return `JSON.parse(readFileSync("${file}", "utf8"))`;
}
