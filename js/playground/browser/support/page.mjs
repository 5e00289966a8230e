/** What people find on the page, by the roles and names that they find it by. */
import { compact } from "./documents.mjs";
import { becomes } from "./visit.mjs";

/** All views, as their tabs are called, with the region of the result in each. */
export const VIEWS = { Decide: "Decision", Compare: "Comparison", Plan: "Verdict", Module: "Module" };

export const editor = (page, name) => page.getByRole("textbox", { name, exact: true });
export const region = (page, name) => page.getByRole("region", { name, exact: true });
export const button = (page, name) => page.getByRole("button", { name });
export const announcer = (page) => page.getByRole("status");

/** The button that leads to the place of an error, at a line where one is given. */
export const errorIn = (page, document, line = "\\d+") => button(page, new RegExp(`^error in the ${document} line ${line} of the ${document}$`));

/** Opens a view by its tab. */
export async function openView(page, view) {
  await page.getByRole("tab", { name: view }).click();
  await region(page, VIEWS[view]).waitFor();
}

/** Writes another text into an editor: by the keyboard, since brackets that are typed get their partners. */
export async function write(page, name, text) {
  await editor(page, name).focus();
  await page.keyboard.press("Control+A");
  if (text === "") await page.keyboard.press("Delete");
  else await page.keyboard.insertText(text);
}

/** The whole text of an editor, also where only a part of it is drawn: what copying all of it gives. */
export async function textOf(page, name) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await editor(page, name).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Control+C");
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The status that is decided, or `no answer`, in a region of the page. */
export const statusIn = (place) => place.locator(".verdict-word:visible").first().textContent();

/** Waits until a region shows a status. */
export function shows(page, name, status) {
  return becomes(() => statusIn(region(page, name)), status);
}

/** Waits until the live region says a sentence, or one of a form. */
export function says(page, sentence) {
  return becomes(() => announcer(page).textContent(), sentence);
}

/** The answer that the page shows as JSON, without the white space. */
export async function answerIn(place) {
  const shown = place.locator("details:visible", { hasText: /^Answer of / });
  return compact(await shown.locator("pre").textContent());
}
