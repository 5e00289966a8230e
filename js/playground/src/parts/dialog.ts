/** Dialogs: the browser's own, which keep the focus inside and give it back. */
import { make } from "../dom.js";

/** Opens a dialog; it is gone when it is closed. */
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

/** Puts a text on the clipboard; whether that was allowed. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Hands a text over as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
