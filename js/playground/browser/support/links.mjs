/** Links to documents and to verdicts, as fragments of the page's address. */
import { deflateRawSync, inflateRawSync } from "node:zlib";

import { adjudicate, inFolder, written } from "./documents.mjs";

const compressed = (text) => deflateRawSync(text).toString("base64url");

/** Returns the link to documents. A text instead of their list is its content as it is. */
export const linkOf = (value) => `#v1.${compressed(typeof value === "string" ? value : JSON.stringify(value))}`;

/** Returns the link to a verdict. */
export const verdictLink = (verdict) => `#verdict=${compressed(verdict)}`;

/** Follows a link in the open page. */
export const follow = (page, link) => page.evaluate((hash) => (location.hash = hash), link);

/** Returns the verdict that the command makes, from its link. */
export function verdictOf(operation, input, ...options) {
  return inFolder(async (folder) => {
    const file = written(folder, "input.json", input);
    const { stdout } = await adjudicate("verdict", "make", file, "--operation", operation, "--link", "https://example.org/play/", ...options);
    const [, data] = /^https:\/\/example\.org\/play\/#verdict=([\w-]+)\n$/.exec(stdout);
    return inflateRawSync(Buffer.from(data, "base64url")).toString();
  });
}
