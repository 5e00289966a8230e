/** Making links, and opening them. */
import { announce, notice } from "../announce.js";
import type { Texts } from "../documents.js";
import { make } from "../dom.js";
import { copy, openDialog } from "../parts/dialog.js";
import { decode, encode, LinkError, type Shared } from "../share.js";
import type { View } from "../tabs.js";

/** Longer ones are cut by some programs that carry links. */
const LONG = 8000;

/** Puts the documents into the page's address, and hands it over. */
export async function shareLink(view: View, texts: Texts): Promise<void> {
  let fragment: string;
  try {
    fragment = await encode({ view, ...texts });
  } catch (thrown) {
    if (!(thrown instanceof LinkError)) throw thrown;
    notice(`There is no link: ${thrown.message}.`);
    return;
  }
  history.replaceState(null, "", `#${fragment}`);
  const isCopied = await copy(location.href);
  show(location.href, isCopied);
}

function show(link: string, isCopied: boolean): void {
  const field = make("input", { id: "link", type: "text", readonly: true, value: link });
  const length = `It has ${link.length} characters${link.length > LONG ? ": some programs cut links of that length" : ""}. `;
  openDialog(
    "Share",
    make("div", { class: "form" }, make("label", { for: "link" }, "Link"), field),
    make(
      "p",
      { class: "calm" },
      isCopied ? "It is copied. " : "Copy it from here. ",
      length,
      "The documents are in the link itself; no server gets them.",
    ),
  );
  field.select();
  announce(isCopied ? "The link is copied" : "The link is ready to be copied");
}

/** What the page's address carries, if it carries anything. A link that cannot be read is told about, and opens nothing. */
export async function openLink(): Promise<Shared | undefined> {
  const fragment = location.hash.replace(/^#/, "");
  // The address of a part of the page is no link of ours.
  if (fragment === "" || document.getElementById(fragment) !== null) return undefined;
  try {
    const shared = await decode(fragment);
    notice("");
    return shared;
  } catch (thrown) {
    if (!(thrown instanceof LinkError)) throw thrown;
    notice(`The link cannot be opened: ${thrown.message}.`);
    return undefined;
  }
}

/** The address without documents, once they are not those of the link any more. */
export function leaveLink(): void {
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
}
