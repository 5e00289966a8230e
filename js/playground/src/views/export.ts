/** The dialog that exports the documents of the page as a test. */
import { announce } from "../announce.js";
import { CaseError, caseFile, fileName, shortestPolicy, suggestedName, type Strictness } from "../case.js";
import { make } from "../dom.js";
import type { Page } from "../page.js";
import { copy, download, openDialog } from "../parts/dialog.js";

/** Opens the dialog. */
export async function exportCase(page: Page): Promise<void> {
  const { envelope, policy } = page.texts();
  const { outcome, policyName } = await page.answers.decide({ envelope, policy });
  const name = make("input", { id: "case-name", type: "text", value: suggestedName(outcome), autocomplete: "off" });
  const whole = make("input", { id: "case-whole", type: "checkbox" });
  const preview = make("pre", { tabindex: 0, role: "region", "aria-label": "The case" });
  const problem = make("p", { class: "problem", role: "alert" });
  const command = make("code", {});
  const save = make("button", { type: "button" }, "Download the case");
  const copyButton = make("button", { type: "button" }, "Copy the case");
  const savePolicy = make(
    "button",
    { type: "button" },
    policyName === undefined ? "Download a policy for the command" : "Download the policy",
  );

  const write = (): string => {
    const strictness: Strictness = whole.checked ? "whole answer" : "decision and rules";
    return caseFile({ name: name.value, policy: policyName, envelope, outcome, strictness });
  };
  const show = () => {
    let text = "";
    problem.textContent = "";
    try {
      text = write();
    } catch (thrown) {
      if (!(thrown instanceof CaseError)) throw thrown;
      problem.textContent = `There is no case: ${thrown.message}.`;
    }
    preview.textContent = text;
    preview.hidden = text === "";
    save.disabled = copyButton.disabled = text === "";
    command.textContent = `adjudicate test policy.json --case ${fileName(name.value)}`;
  };
  for (const input of [name, whole]) input.addEventListener("input", show);
  save.addEventListener("click", () => download(fileName(name.value), write()));
  copyButton.addEventListener(
    "click",
    () => void copy(write()).then((done) => announce(done ? "The case is copied" : "The browser does not allow copying")),
  );
  savePolicy.addEventListener("click", () => download("policy.json", policyName === undefined ? shortestPolicy() : policy));
  show();
  const isStrict = make("label", { class: "check", for: "case-whole" }, whole, " expect the whole answer, with every field");
  openDialog(
    "Export as a test case",
    make("div", { class: "form" }, make("label", { for: "case-name" }, "Name"), name, isStrict),
    problem,
    preview,
    make("p", { class: "row" }, save, copyButton, savePolicy),
    make("p", { class: "calm" }, "Run it with ", command),
  );
  name.select();
}
