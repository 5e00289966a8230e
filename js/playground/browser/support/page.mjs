/** The parts of the page, by their roles and names. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { compact } from "./documents.mjs";
import { becomes } from "./visit.mjs";

/** The names of the views' tabs, each with the region of its result. */
export const VIEWS = { Decide: "Decision", Compare: "Comparison", Plan: "Verdict", Module: "Module" };

export const editor = (page, name) => page.getByRole("textbox", { name, exact: true });
export const region = (page, name) => page.getByRole("region", { name, exact: true });
export const button = (page, name) => page.getByRole("button", { name });
export const announcer = (page) => page.getByRole("status");

/** Returns the button that shows an error, with its line if given. */
export const errorIn = (page, document, line = "\\d+") => button(page, new RegExp(`^error in the ${document} line ${line} of the ${document}$`));

/** Opens a view by its tab. */
export async function openView(page, view) {
  await page.getByRole("tab", { name: view }).click();
  await region(page, VIEWS[view]).waitFor();
}

/** Replaces the text of an editor as one insertion, because the editor closes typed brackets. */
export async function write(page, name, text) {
  await editor(page, name).focus();
  await page.keyboard.press("Control+A");
  if (text === "") await page.keyboard.press("Delete");
  else await paste(page, text);
}

/** Pastes a text. */
export async function paste(page, text) {
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.keyboard.press("Control+V");
}

/** Returns the whole text of an editor by the clipboard, because the editor renders only a part of a long text. */
export async function textOf(page, name) {
  await editor(page, name).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Control+C");
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Returns the status, or `no answer`, in a region of the page. */
export const statusIn = (place) => place.locator(".verdict-word:visible").first().textContent();

/** Waits until a region shows a status. */
export function shows(page, name, status) {
  return becomes(() => statusIn(region(page, name)), status);
}

/** Waits until the live region has a sentence, or matches an expression. */
export function says(page, sentence) {
  return becomes(() => announcer(page).textContent(), sentence);
}

/** Returns the answer that the page shows as JSON, without white space. */
export async function answerIn(place) {
  const shown = place.locator("details:visible", { hasText: /^Answer of / });
  return compact(await shown.locator("pre").textContent());
}

/** Drops a file on the page, as from a file manager. */
export async function drop(page, file) {
  const given = { bytes: readFileSync(file).toString("base64"), name: basename(file) };
  const transfer = await page.evaluateHandle(({ bytes, name }) => {
    const data = new DataTransfer();
    const binary = atob(bytes);
    data.items.add(new File([Uint8Array.from(binary, (one) => one.charCodeAt(0))], name));
    return data;
  }, given);
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("#view", type, { dataTransfer: transfer });
}
