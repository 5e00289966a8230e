/** Each view in each theme and width: axe finds nothing, nothing is cut off at the side, and a picture is kept for people. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { artifact } from "./support/documents.mjs";
import { VIEWS, announcer, button, openView, region, says, shows, statusIn, write } from "./support/page.mjs";
import { becomes, visit } from "./support/visit.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = fileURLToPath(new URL("../../../target/playground-pictures/", import.meta.url));
const WIDTHS = { narrow: { width: 360, height: 780 }, wide: { width: 1280, height: 900 } };
const BROWSER = { reducedMotion: "reduce" };

mkdirSync(PICTURES, { recursive: true });

/** What axe finds, by the rules of WCAG and those of good practice. */
async function violations(page) {
  // By the browser's debugger: a script in the page would be against its policy.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.ok(found.passes.length > 20, "axe has looked at the page");
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`);
}

/** What is wider than the window, which is then to be moved to and fro. */
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
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

/** What is to be seen, beside the views as they begin. */
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

/** Opens a view with the first of its examples, and waits until it has said what comes of it. */
async function begin(page, view) {
  await openView(page, view);
  await page.getByRole("combobox", { name: "Example" }).selectOption({ index: 1 });
  const about = { Decide: "Decision", Compare: "Comparison", Plan: "Plan", Module: "Decision" }[view];
  await says(page, new RegExp(`^${about}: `));
}

for (const [width, viewport] of Object.entries(WIDTHS)) {
  for (const theme of ["light", "dark"]) {
    visit(`every view, ${width} and ${theme}, without a violation`, { ...BROWSER, viewport, colorScheme: theme }, async ({ page }) => {
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

visit("the theme is chosen, stays, and is there before the page is painted", { colorScheme: "light" }, async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await page.getByRole("combobox", { name: "Theme" }).selectOption("dark");
  const dark = await background();
  assert.notEqual(dark, light);
  await page.reload({ waitUntil: "commit" });
  await becomes(() => page.evaluate(() => document.documentElement.dataset.theme), "dark");
  // The stylesheet comes after the theme, and what the control does after both.
  await becomes(background, dark);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await page.getByRole("combobox", { name: "Theme" }).selectOption("system");
  await becomes(background, light);
});

visit("forced colours and still pictures leave everything in its place", { ...BROWSER, forcedColors: "active" }, async ({ page }) => {
  await shows(page, "Decision", "partial");
  for (const view of Object.keys(VIEWS)) {
    await openView(page, view);
    await check(page, `${view.toLowerCase()}-forced-wide`);
  }
  const moving = await page.evaluate(() => document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 1).length);
  assert.equal(moving, 0);
});

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

visit("who cannot see the page is told what it is, and what changes", {}, async ({ page }) => {
  assert.equal(await page.title(), "adjudicate playground");
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  for (const role of ["banner", "main", "contentinfo", "tablist", "status"]) assert.equal(await page.getByRole(role).count(), 1, role);
  assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
  assert.equal(await announcer(page).getAttribute("aria-live"), "polite");
  for (const name of ["Envelope", "Policy"]) assert.equal(await page.getByRole("textbox", { name, exact: true }).count(), 1, name);
  await page.getByRole("tabpanel", { name: "Decide" }).waitFor();

  // One sentence for one change, and not one for each key.
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
