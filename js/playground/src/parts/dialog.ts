/** Modal dialogs of the browser. They keep the focus inside, and restore it at the end. */
import { make } from "../dom.js";

/** Opens a dialog. Closing it removes it from the page. */
export function openDialog(title: string, ...content: readonly (Node | string)[]): HTMLDialogElement {
  const heading = make("h2", { id: "dialog-title" }, title);
  const close = make("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close");
  const head = make("header", { class: "dialog-head" }, heading, close);
  const dialog = make("dialog", { "aria-labelledby": "dialog-title" }, head, ...content);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Copies a text to the clipboard. Returns false if the browser does not allow it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Downloads a text as a file. */
export function download(name: string, text: string, type = "application/json"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Asks a question. Returns true if the user agrees. */
export function ask(title: string, question: string, agreement: string): Promise<boolean> {
  return new Promise((resolve) => {
    let isAgreed = false;
    const agree = () => {
      isAgreed = true;
      dialog.close();
    };
    const yes = make("button", { type: "button", autofocus: true, onclick: agree }, agreement);
    const no = make("button", { type: "button", onclick: () => dialog.close() }, "Keep them");
    const dialog = openDialog(title, make("p", {}, question), make("p", { class: "row" }, yes, no));
    dialog.addEventListener("close", () => resolve(isAgreed));
  });
}
