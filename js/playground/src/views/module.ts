/** The view of a policy module: its manifest, and its answers. The module runs in a worker with a deadline. */
import { createEngine, loadModule, type Engine, type Evaluation, type IsolatedModule, type OperationName } from "adjudicate/slim";

import { announceResult, notice } from "../announce.js";
import { compare, countOfChanges } from "../difference.js";
import { byId, make, refill } from "../dom.js";
import { faultOf } from "../fault.js";
import type { Page } from "../page.js";
import { raw } from "../parts/outcome.js";
import { strip } from "../parts/strip.js";
import { facts, part } from "../parts/value.js";
import { earlier, refusal, verdict } from "../parts/verdict.js";

/** The default deadline of a call. It is long, because the machine may be busy. */
const DEADLINE_MS = 5000;

/** The largest module: the default of the package. */
const MAX_BYTES = 16 << 20;

/** A loaded module. */
interface Loaded {
  readonly file: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  module: IsolatedModule;
}

/** The operations whose documents the page has. */
const ANSWERABLE: readonly OperationName[] = ["evaluate", "explain", "refine", "check_policy", "validate_plan"];

export class ModuleView {
  readonly #page: Page;
  readonly #engineModule: WebAssembly.Module;
  /** The engine that checks modules. It starts with the first module. */
  #engine: Engine | undefined;
  #loaded: Loaded | undefined;
  #deadline = DEADLINE_MS;
  #operation: OperationName = "evaluate";
  /** False at first, because most modules contain a policy and reject another one. */
  #isPolicyGiven = false;
  /** The parts of the last answer. They stay on the page, dimmed, while a document has an error. */
  #lastAnswer: readonly HTMLElement[] = [];
  /** The number of the latest call. Answers to earlier calls are ignored. */
  #latestCall = 0;

  constructor(page: Page, engineModule: WebAssembly.Module) {
    this.#page = page;
    this.#engineModule = engineModule;
    this.#welcome();
  }

  /** Loads a file that the user dropped or chose. */
  async loadFile(file: File): Promise<void> {
    this.#showText(`Loading ${file.name} …`);
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      // A longer file is not a valid module, so one byte over the limit suffices.
      bytes = new Uint8Array(await file.slice(0, MAX_BYTES + 1).arrayBuffer());
    } catch {
      // The user dropped a folder, or the file was removed.
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
    const asked = (this.#latestCall += 1);
    const answer = byId("module-answer", HTMLElement);
    answer.setAttribute("aria-busy", "true");
    const answered = await this.#answer(loaded.module);
    if (asked !== this.#latestCall || loaded !== this.#loaded) return;
    answer.removeAttribute("aria-busy");
    if (Array.isArray(answered)) this.#lastAnswer = answered;
    refill(answer, ...(Array.isArray(answered) ? answered : [answered, earlier("answer", this.#lastAnswer)]));
  }

  async #load(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#loaded?.module.dispose();
    this.#loaded = undefined;
    this.#lastAnswer = [];
    this.#latestCall += 1;
    try {
      this.#engine ??= await createEngine(this.#engineModule);
      const module = await loadModule(bytes, this.#engine, { deadlineMs: this.#deadline });
      this.#loaded = { file: name, bytes, module };
    } catch (thrown) {
      const fault = faultOf(thrown);
      this.#welcome(refusal(fault, `${name}, ${size(bytes.length)}`));
      strip("error", "rejected", fault.code);
      announceResult(`The module is rejected: ${fault.code}, ${fault.message}`);
      return;
    }
    const { operations } = this.#loaded.module;
    this.#operation = operations.find((operation) => ANSWERABLE.includes(operation)) ?? "evaluate";
    this.#frame(this.#loaded);
    await this.show();
  }

  /** Shows the view without a module, or with the error of a rejected one. */
  #welcome(refused?: HTMLElement): void {
    refill(
      byId("result-module", HTMLElement),
      refused,
      this.#chooser("Load a policy module"),
      part(
        "Policy modules",
        undefined,
        make(
          "p",
          {},
          "A policy module is a policy as WebAssembly: a program of its author, or an embedded policy document. ",
          "It has no imports, receives the envelope, and returns a decision.",
        ),
        make(
          "pre",
          { tabindex: 0, role: "region", "aria-label": "Commands that make a module" },
          "adjudicate build policy.json --output policy.wasm\nadjudicate new my-policy --lang rust",
        ),
        make(
          "p",
          { class: "calm" },
          "The module runs in its own worker on this page. A call that exceeds the deadline is ended.",
        ),
      ),
    );
  }

  #chooser(title: string): HTMLElement {
    const input = make("input", { type: "file", accept: ".wasm,application/wasm", id: "module-file", class: "hidden" });
    input.addEventListener("change", () => {
      const [file] = input.files ?? [];
      if (file !== undefined) void this.loadFile(file);
    });
    const label = make(
      "label",
      { for: "module-file", class: "dropzone" },
      make("b", {}, title),
      make("span", {}, "Drop a .wasm file anywhere on this page, or choose one."),
    );
    return make("div", { class: "chooser" }, input, label);
  }

  #showText(sentence: string): void {
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
      ["license", manifest.license],
      ["file", `${loaded.file}, ${size(loaded.bytes.length)}`],
      ["digest", make("code", { class: "digest" }, digest)],
      ["policy", policy],
      ["engine", manifest.engine === undefined ? undefined : `${manifest.engine.name} ${manifest.engine.version}`],
      ["operations", operations.join(", ")],
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
      this.#lastAnswer = [];
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

  /** Returns the parts of the module's answer, or the refusal. */
  async #answer(module: IsolatedModule): Promise<HTMLElement[] | HTMLElement> {
    const operation = this.#operation;
    try {
      const start = performance.now();
      const text = await this.#call(module, operation);
      const took = performance.now() - start;
      const answer: unknown = JSON.parse(text);
      const title = `Answer of ${operation}, as JSON`;
      if (operation !== "evaluate") {
        announceResult(`The module answered ${operation}`);
        return [part("Answer", undefined, raw(title, text))];
      }
      const evaluation = answer as Evaluation;
      strip(evaluation.decision.status, evaluation.decision.status, evaluation.decision.next_step ?? "none");
      announceResult(`The module decides ${evaluation.decision.status}, next step ${evaluation.decision.next_step ?? "none"}`);
      return [
        verdict(evaluation, `${took.toFixed(1)} ms in its worker`, module.manifest.name),
        await this.#comparison(evaluation),
        raw(title, text),
      ];
    } catch (thrown) {
      const fault = faultOf(thrown);
      strip("error", "no answer", fault.code);
      announceResult(`The module has no answer: ${fault.code}, ${fault.message}`);
      return refusal(fault, operation);
    }
  }

  /** Calls the module with the texts of the documents. The package rejects invalid JSON. */
  #call(module: IsolatedModule, operation: OperationName): Promise<string> {
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
        // A module with an embedded policy checks that one, and accepts no other.
        return module.manifest.policy !== undefined && !isGiven ? module.callText("check_policy", "{}") : module.checkPolicyText(policy);
      default:
        return module.validatePlanText(plan);
    }
  }

  /** Returns the element that compares the decision with that of the engine under the page's policy. */
  async #comparison(evaluation: Evaluation): Promise<HTMLElement> {
    const { envelope, policy } = this.#page.texts();
    const { outcome: own } = await this.#page.answers.decide({ envelope, policy });
    if (own.fault !== undefined)
      return part(
        "Comparison with the page’s policy",
        undefined,
        make("p", { class: "calm" }, "The engine has no decision under the page’s policy."),
      );
    const count = countOfChanges(compare(own.evaluation, evaluation));
    const { status, next_step } = own.evaluation.decision;
    const text =
      count === 0
        ? "The engine has the same decision under the page’s policy."
        : `Under the page’s policy the engine decides ${status}, next step ${next_step ?? "none"}: ${count === 1 ? "1 difference" : `${count} differences`}.`;
    return part("Comparison with the page’s policy", undefined, make("p", {}, text));
  }
}

function size(bytes: number): string {
  return bytes < 10_240 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(0)} KiB`;
}
