/** Each view in each theme and width: axe has no findings, no content is cut off, and a screenshot is saved for humans. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { NAME } from "./support/browsers.mjs";
import { artifact } from "./support/documents.mjs";
import { VIEWS, announcer, button, openView, region, says, shows, statusIn, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = fileURLToPath(new URL("../../../target/playground-pictures/", import.meta.url));
const WIDTHS = { narrow: { width: 360, height: 780 }, wide: { width: 1280, height: 900 } };
const BROWSER = { reducedMotion: "reduce" };
/** False in Firefox, which has no command for media features. There the page always reduces motion. */
const IS_CHROMIUM = NAME === "chromium";

mkdirSync(PICTURES, { recursive: true });

/** Returns the findings of axe, by the rules of WCAG and of best practice. */
async function violations(page) {
  // The debugger adds the script, because the content security policy forbids scripts in the page.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.ok(found.passes.length > 20, "axe has looked at the page");
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`);
}

/** Returns the elements that are wider than the window. */
function overflow(page) {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > clientWidth + 1);
    return [`${scrollWidth} of ${clientWidth}`, ...wide.map((element) => `${element.localName}.${element.className}`)];
  });
}

async function check(page, name) {
  assert.deepEqual(await violations(page), [], name);
  assert.deepEqual(await overflow(page), [], name);
  // In Firefox, Playwright adds a style before a screenshot, which the content security policy forbids.
  if (IS_CHROMIUM) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

/** The states of the page that the tests visit, in addition to the initial views. */
const STATES = {
  Decide: async (page) => {
    await write(page, "Envelope", '{"run_id": 1}');
    await shows(page, "Decision", "no answer");
    await write(page, "Policy", "");
  },
  Compare: async (page) => {
    await write(page, "Other version", "{}");
    await becomes(() => statusIn(region(page, "Decision by other version")), "no answer");
  },
  Plan: async (page) => {
    await page.getByRole("combobox", { name: "Example" }).selectOption("cycle");
    await page.locator("[data-node]").first().click();
  },
  Module: async (page) => {
    await page.setInputFiles("#module-file", artifact("baked", "docs-only.wasm"));
    await becomes(() => statusIn(page.locator("#module-answer")).catch(() => ""), /^[a-z_]+$/);
  },
};

/** Opens a view with its first example, and waits until the page announces the result. */
async function begin(page, view) {
  await openView(page, view);
  await page.getByRole("combobox", { name: "Example" }).selectOption({ index: 1 });
  // The state before may be an own document.
  const replace = page.getByRole("button", { name: "Replace" });
  if ((await replace.count()) > 0) await replace.click();
  const about = { Decide: "Decision", Compare: "Comparison", Plan: "Plan", Module: "Decision" }[view];
  await says(page, new RegExp(`^${about}: `));
}

for (const [width, viewport] of Object.entries(WIDTHS)) {
  for (const theme of ["light", "dark"]) {
    visit(`every view, ${width} and ${theme}, without a violation`, { ...BROWSER, viewport, colorScheme: theme }, async ({ page }) => {
      if (!IS_CHROMIUM) await page.getByRole("combobox", { name: "Theme" }).selectOption(theme);
      for (const view of Object.keys(VIEWS)) {
        await begin(page, view);
        await check(page, `${view.toLowerCase()}-${theme}-${width}`);
        await STATES[view](page);
        await check(page, `${view.toLowerCase()}-other-${theme}-${width}`);
      }
      await begin(page, "Decide");
      for (const [name, title] of [["Share", "Share"], ["Export case", "Export as a test case"]]) {
        await button(page, name).click();
        await page.getByRole("dialog", { name: title }).waitFor();
        await check(page, `${name.split(" ")[0].toLowerCase()}-dialog-${theme}-${width}`);
        await page.keyboard.press("Escape");
        await becomes(() => page.getByRole("dialog").count(), 0);
      }
    });
  }
}

visit("the chosen theme stays, and is set before the page is painted", { colorScheme: "light" }, async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await page.getByRole("combobox", { name: "Theme" }).selectOption("dark");
  const dark = await background();
  assert.notEqual(dark, light);
  await page.reload({ waitUntil: "commit" });
  await becomes(() => page.evaluate(() => document.documentElement.dataset.theme), "dark");
  // The stylesheet loads after the theme, and the control runs after both.
  await becomes(background, dark);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await page.getByRole("combobox", { name: "Theme" }).selectOption("system");
  await becomes(background, light);
});

if (IS_CHROMIUM) {
  visit("forced colors and reduced motion keep everything usable", { ...BROWSER, forcedColors: "active" }, async ({ page }) => {
    await shows(page, "Decision", "partial");
    for (const view of Object.keys(VIEWS)) {
      await openView(page, view);
      await check(page, `${view.toLowerCase()}-forced-wide`);
    }
    const moving = await page.evaluate(() => document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 1).length);
    assert.equal(moving, 0);
  });
}

visit("a wide window holds the page, and only its panes are longer", {}, async ({ page }) => {
  for (const view of Object.keys(VIEWS)) {
    await begin(page, view);
    const [whole, seen] = await page.evaluate(() => [document.documentElement.scrollHeight, document.documentElement.clientHeight]);
    assert.ok(whole <= seen, `${view}: ${whole} of ${seen}`);
  }
});

visit("nothing is cut off in a window of 320 pixels, nor at twice the size of letters", BROWSER, async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const view of Object.keys(VIEWS)) {
    await openView(page, view);
    assert.deepEqual(await overflow(page), [], view);
  }
  await page.setViewportSize(WIDTHS.wide);
  await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
  for (const view of Object.keys(VIEWS)) {
    await openView(page, view);
    assert.deepEqual(await overflow(page), [], `${view}, large`);
  }
});

visit("screen readers get the names and the changes of the page", {}, async ({ page }) => {
  assert.equal(await page.title(), "adjudicate playground");
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  for (const role of ["banner", "main", "contentinfo", "tablist", "status"]) assert.equal(await page.getByRole(role).count(), 1, role);
  assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
  assert.equal(await announcer(page).getAttribute("aria-live"), "polite");
  for (const name of ["Envelope", "Policy"]) assert.equal(await page.getByRole("textbox", { name, exact: true }).count(), 1, name);
  await page.getByRole("tabpanel", { name: "Decide" }).waitFor();

  // Several keys lead to one sentence.
  await says(page, "Decision: partial, next step fix_findings, 4 reasons");
  await page.evaluate(() => {
    globalThis.told = [];
    const announcer = document.querySelector("#announcer");
    new MutationObserver(() => globalThis.told.push(announcer.textContent)).observe(announcer, { childList: true });
  });
  await page.getByRole("textbox", { name: "Envelope" }).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("abcdefgh", { delay: 10 });
  await says(page, /^No answer: /);
  assert.equal((await page.evaluate(() => globalThis.told)).length, 1);
});
