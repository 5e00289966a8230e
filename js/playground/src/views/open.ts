/** Opens documents: examples, new ones, and files that the user chooses or drops. */
import { notice } from "../announce.js";
import { TITLES, type DocumentName, type Texts } from "../documents.js";
import { byId } from "../dom.js";
import { exampleOf, textsOf } from "../examples.js";
import { pretty } from "../json.js";
import { opened, OpenError } from "../opened.js";
import { ask } from "../parts/dialog.js";
import type { Playground } from "../playground.js";
import type { View } from "../tabs.js";

/** The longest document that the engine reads, in bytes. */
const MAX_BYTES = 8 << 20;

/** The first bytes of each WebAssembly module. */
const MODULE_START = "\0asm";

/** The shortest documents. */
const NEW: Readonly<Partial<Texts>> = {
  envelope: pretty({
    run_id: "run-1",
    workflow_id: "change",
    step_id: "judge",
    evaluate_prompt: "judge.v1",
    allowed_next_steps: ["open_pull_request", "fix_findings", "human_gate", "rollback"],
    provenance_window: [],
    evidence: {
      transcript_summary: "",
      workspace_diff_summary: "",
      validation: { mechanical_outcome: "completed", exit_codes: { "unit-tests": 0 }, timeouts: [] },
      artifacts: [],
      policy_events: [],
    },
  }),
  policy: pretty({ policy: "my-policy", version: "1.0.0", required_validators: ["unit-tests"] }),
  other: "",
};
const NEW_PLAN = pretty({ plan: { nodes: [], edges: [] }, capabilities: [], task: {} });

/** Connects the menu of examples, and the buttons. */
export function setUpOpening(playground: Playground): void {
  const example = byId("example", HTMLSelectElement);
  example.addEventListener("change", () => void openExample(playground, example));
  byId("new", HTMLButtonElement).addEventListener("click", () => {
    void replace(playground, playground.view === "plan" ? { plan: NEW_PLAN } : NEW, playground.view);
  });
  const files = byId("files", HTMLInputElement);
  byId("open", HTMLButtonElement).addEventListener("click", () => files.click());
  files.addEventListener("change", () => {
    void openFiles(playground, [...(files.files ?? [])]);
    files.value = "";
  });
}

async function openExample(playground: Playground, menu: HTMLSelectElement): Promise<void> {
  if (!(await replace(playground, textsOf(menu.value), playground.view))) menu.value = "";
}

/** Opens files one by one. The last one of each kind stays. */
export async function openFiles(playground: Playground, files: readonly File[]): Promise<void> {
  for (const file of files) {
    try {
      await openFile(playground, file);
    } catch (thrown) {
      if (!(thrown instanceof OpenError)) throw thrown;
      notice(`${file.name} is not opened: ${thrown.message}.`);
      return;
    }
  }
}

async function openFile(playground: Playground, file: File): Promise<void> {
  let start: string;
  try {
    start = await file.slice(0, MODULE_START.length).text();
  } catch {
    // The user dropped a folder, or the file was removed.
    throw new OpenError("it cannot be read");
  }
  if (start === MODULE_START || file.name.endsWith(".wasm")) return playground.loadModule(file);
  if (file.size > MAX_BYTES) throw new OpenError(`it has over ${MAX_BYTES} bytes`);
  const found = await opened(await file.text());
  if ("tests" in found) await playground.runTests(found.tests);
  else await replace(playground, found.texts, found.view);
}

/** Replaces documents. Asks first if the user wrote them. Returns false if the user keeps them. */
async function replace(playground: Playground, texts: Partial<Texts>, view: View): Promise<boolean> {
  const own = ownDocuments(playground.texts(), texts);
  if (own.length > 0) {
    const names = own.map((name) => TITLES[name].toLowerCase()).join(" and ");
    if (!(await ask("Replace your documents?", `You changed the ${names}. An editor can undo the replacement.`, "Replace"))) return false;
  }
  playground.openOther();
  await playground.open(texts, view);
  return true;
}

/** Returns the replaced documents that the user wrote. */
function ownDocuments(current: Texts, next: Partial<Texts>): DocumentName[] {
  const names = Object.keys(next) as DocumentName[];
  const view = names.includes("plan") ? "plan" : "decide";
  if (exampleOf(current, view) !== "") return [];
  const isNew = (name: DocumentName) => [next[name], NEW[name], NEW_PLAN, ""].includes(current[name].trim() === "" ? "" : current[name]);
  return names.filter((name) => name !== "other" && !isNew(name));
}
