/** Opens documents: examples, new ones, and files that the user chooses or drops. */
import { notice } from "../announce.js";
import type { Texts } from "../documents.js";
import { byId } from "../dom.js";
import { textsOf } from "../examples.js";
import { pretty } from "../json.js";
import { opened, OpenError } from "../opened.js";
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
    void show(playground, playground.view === "plan" ? { plan: NEW_PLAN } : NEW, playground.view);
  });
  const files = byId("files", HTMLInputElement);
  byId("open", HTMLButtonElement).addEventListener("click", () => files.click());
  files.addEventListener("change", () => {
    void openFiles(playground, [...(files.files ?? [])]);
    files.value = "";
  });
}

async function openExample(playground: Playground, menu: HTMLSelectElement): Promise<void> {
  if (!(await show(playground, textsOf(menu.value), playground.view))) menu.value = "";
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
  else await show(playground, found.texts, found.view);
}

/** Replaces documents, and shows the beginning of their result. Returns false if the user keeps the documents. */
async function show(playground: Playground, texts: Partial<Texts>, view: View): Promise<boolean> {
  const isDone = await playground.replace(texts, view);
  if (isDone) byId("result", HTMLElement).scrollTop = 0;
  return isDone;
}
