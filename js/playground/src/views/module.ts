/** The view of a policy module that somebody dropped: what it says of itself, and what it answers in its worker, in time. */
import { loadModule, type Evaluation, type IsolatedModule, type OperationName } from "adjudicate/slim";

import { announce, notice } from "../announce.js";
import { compare, countOfChanges } from "../difference.js";
import { byId, make, refill } from "../dom.js";
import { faultOf } from "../fault.js";
import type { Judge } from "../judge.js";
import type { Page } from "../page.js";
import { raw } from "../parts/outcome.js";
import { strip } from "../parts/strip.js";
import { facts, part } from "../parts/value.js";
import { refusal, verdict } from "../parts/verdict.js";

/** How long a module has for one call unless somebody says otherwise: much more than any needs, for the machine may be busy. */
const DEADLINE_MS = 5000;

/** How large a module may be: what the package takes unless it is told otherwise. */
const MAX_BYTES = 16 << 20;

/** A module on the page. */
interface Loaded {
  readonly file: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  module: IsolatedModule;
}

/** What the page has documents for. */
const ANSWERABLE: readonly OperationName[] = ["evaluate", "explain", "refine", "check_policy", "validate_plan"];

export class ModuleView {
  readonly #page: Page;
  readonly #judge: Judge;
  #loaded: Loaded | undefined;
  #deadline = DEADLINE_MS;
  #operation: OperationName = "evaluate";
  /** Most modules are a policy themselves, and refuse another one. */
  #isPolicyGiven = false;
  /** Counts what was asked: of answers that overtake each other only the last one counts. */
  #asked = 0;

  constructor(page: Page, judge: Judge) {
    this.#page = page;
    this.#judge = judge;
    this.#welcome();
  }

  /** Takes a file that somebody dropped or chose. */
  async take(file: File): Promise<void> {
    this.#say(`Loading ${file.name} …`);
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      // Nothing larger is any module: it is not read into memory to learn that.
      bytes = new Uint8Array(await file.slice(0, MAX_BYTES + 1).arrayBuffer());
    } catch {
      // A folder, or a file that is gone.
      this.#welcome();
      notice(`${file.name} cannot be read.`);
      return;
    }
    await this.#load(file.name, bytes);
  }

  /** Asks the module about the documents as they are now. */
  async show(): Promise<void> {
    const loaded = this.#loaded;
    if (loaded === undefined) return;
    const asked = (this.#asked += 1);
    const answer = byId("module-answer", HTMLElement);
    answer.setAttribute("aria-busy", "true");
    const shown = await this.#answer(loaded.module);
    if (asked !== this.#asked || loaded !== this.#loaded) return;
    answer.removeAttribute("aria-busy");
    refill(answer, ...shown);
  }

  async #load(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#loaded?.module.dispose();
    this.#loaded = undefined;
    this.#asked += 1;
    try {
      const module = await loadModule(bytes, this.#page.engine, { deadlineMs: this.#deadline });
      this.#loaded = { file: name, bytes, module };
    } catch (thrown) {
      const fault = faultOf(thrown);
      this.#welcome(refusal(fault, `${name}, ${size(bytes.length)}`));
      strip("error", "refused", fault.code);
      announce(`The module is refused: ${fault.code}, ${fault.message}`);
      return;
    }
    const { operations } = this.#loaded.module;
    this.#operation = operations.find((operation) => ANSWERABLE.includes(operation)) ?? "evaluate";
    this.#frame(this.#loaded);
    await this.show();
  }

  /** What there is to see before a module is there, or when one was refused. */
  #welcome(refused?: HTMLElement): void {
    refill(
      byId("result-module", HTMLElement),
      refused,
      this.#chooser("Load a policy module"),
      part(
        "What a module is",
        undefined,
        make(
          "p",
          {},
          "A policy as WebAssembly: somebody’s own program, or a policy document that was baked in. It imports nothing, ",
          "gets the envelope, and answers a decision.",
        ),
        make(
          "pre",
          { tabindex: 0, role: "region", "aria-label": "How to make a module" },
          "adjudicate build policy.json --output policy.wasm\nadjudicate new my-policy --lang rust",
        ),
        make(
          "p",
          { class: "calm" },
          "It runs in a worker of its own, here and nowhere else. What takes longer than its deadline is ended.",
        ),
      ),
    );
  }

  #chooser(title: string): HTMLElement {
    const input = make("input", { type: "file", accept: ".wasm,application/wasm", id: "module-file", class: "hidden" });
    input.addEventListener("change", () => {
      const [file] = input.files ?? [];
      if (file !== undefined) void this.take(file);
    });
    const label = make(
      "label",
      { for: "module-file", class: "dropzone" },
      make("b", {}, title),
      make("span", {}, "Drop a .wasm file anywhere on this page, or choose one."),
    );
    return make("div", { class: "chooser" }, input, label);
  }

  #say(sentence: string): void {
    refill(byId("result-module", HTMLElement), make("p", { class: "calm" }, sentence));
  }

  #frame(loaded: Loaded): void {
    const { manifest, digest, operations } = loaded.module;
    const policy =
      manifest.policy === undefined
        ? undefined
        : `${manifest.policy.name} ${manifest.policy.version}, ${manifest.policy.rules.length} rules`;
    const rows = [
      ["description", manifest.description],
      ["licence", manifest.license],
      ["file", `${loaded.file}, ${size(loaded.bytes.length)}`],
      ["digest", make("code", { class: "digest" }, digest)],
      ["policy", policy],
      ["engine", manifest.engine === undefined ? undefined : `${manifest.engine.name} ${manifest.engine.version}`],
      ["offers", operations.join(", ")],
    ] as const;
    refill(
      byId("result-module", HTMLElement),
      part(`${manifest.name} ${manifest.version}`, undefined, this.#controls(loaded)),
      make("div", { id: "module-answer", class: "answer" }),
      part("Manifest", undefined, facts(rows)),
      this.#chooser("Load another module"),
    );
  }

  #controls(loaded: Loaded): HTMLElement {
    const operations = loaded.module.operations.filter((operation) => ANSWERABLE.includes(operation));
    const select = make("select", { id: "module-operation" }, ...operations.map((name) => make("option", { value: name }, name)));
    select.value = this.#operation;
    select.addEventListener("change", () => {
      this.#operation = operations.find((operation) => operation === select.value) ?? this.#operation;
      void this.show();
    });
    const deadline = make("input", { type: "number", id: "module-deadline", min: 1, max: 60_000, value: this.#deadline });
    deadline.addEventListener("change", () => {
      if (!deadline.checkValidity() || deadline.value === "") return;
      this.#deadline = deadline.valueAsNumber;
      void this.#load(loaded.file, loaded.bytes);
    });
    const given = make("input", { type: "checkbox", id: "module-policy", checked: this.#isPolicyGiven });
    given.addEventListener("change", () => {
      this.#isPolicyGiven = given.checked;
      void this.show();
    });
    return make(
      "p",
      { class: "row" },
      make("label", { class: "field" }, make("span", {}, "Operation"), select),
      make("label", { class: "field" }, make("span", {}, "Deadline, ms"), deadline),
      make("label", { class: "field" }, given, make("span", {}, "with the page’s policy")),
    );
  }

  async #answer(module: IsolatedModule): Promise<(HTMLElement | null)[]> {
    const operation = this.#operation;
    try {
      const start = performance.now();
      const text = await this.#ask(module, operation);
      const took = performance.now() - start;
      const answer: unknown = JSON.parse(text);
      const title = `Answer of ${operation}, as JSON`;
      if (operation !== "evaluate") {
        announce(`The module has answered ${operation}`);
        return [part("Answer", undefined, raw(title, text))];
      }
      const evaluation = answer as Evaluation;
      strip(evaluation.decision.status, evaluation.decision.status, evaluation.decision.next_step ?? "none");
      announce(`The module decides ${evaluation.decision.status}, next step ${evaluation.decision.next_step ?? "none"}`);
      return [
        verdict(evaluation, `${took.toFixed(1)} ms in its worker`, module.manifest.name),
        this.#besideEngine(evaluation),
        raw(title, text),
      ];
    } catch (thrown) {
      const fault = faultOf(thrown);
      strip("error", "no answer", fault.code);
      announce(`The module has no answer: ${fault.code}, ${fault.message}`);
      return [refusal(fault, operation)];
    }
  }

  /** Asks about the documents as they are written: what is no JSON is the module's host to refuse. */
  #ask(module: IsolatedModule, operation: OperationName): Promise<string> {
    const { envelope, policy, plan } = this.#page.texts();
    const isGiven = policy.trim() !== "" && this.#isPolicyGiven;
    const options = isGiven ? { policy } : {};
    switch (operation) {
      case "evaluate":
        return module.evaluateText(envelope, options);
      case "explain":
        return module.explainText(envelope, options);
      case "refine":
        return module.refineText(envelope, options);
      case "check_policy":
        // Of a module with a policy of its own that one is meant, and it takes no other.
        return module.manifest.policy !== undefined && !isGiven ? module.callText("check_policy", "{}") : module.checkPolicyText(policy);
      default:
        return module.validatePlanText(plan);
    }
  }

  /** What the engine decides under the policy of the page, for comparison. */
  #besideEngine(evaluation: Evaluation): HTMLElement {
    const { envelope, policy } = this.#page.texts();
    this.#judge.take(policy);
    const own = this.#judge.judge(envelope);
    if (own.fault !== undefined)
      return part(
        "Beside the page’s policy",
        undefined,
        make("p", { class: "calm" }, "The page’s policy has no answer to compare with."),
      );
    const count = countOfChanges(compare(own.evaluation, evaluation));
    const { status, next_step } = own.evaluation.decision;
    const says =
      count === 0
        ? "The engine decides the same under the page’s policy."
        : `Under the page’s policy the engine decides ${status}, next step ${next_step ?? "none"}: ${count} differences.`;
    return part("Beside the page’s policy", undefined, make("p", {}, says));
  }
}

function size(bytes: number): string {
  return bytes < 10_240 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(0)} KiB`;
}
