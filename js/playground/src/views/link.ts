/** Makes and opens links. */
import { announce, notice } from "../announce.js";
import type { Texts } from "../documents.js";
import { make } from "../dom.js";
import { copy, openDialog } from "../parts/dialog.js";
import { decode, encode, LinkError, verdictIn, type SharedDocuments } from "../share.js";
import type { View } from "../tabs.js";

/** The length above which some programs cut links. */
const LONG = 8000;

/** Puts the documents into the page's address, and copies the address. */
export async function shareLink(view: View, texts: Texts): Promise<void> {
  let fragment: string;
  try {
    fragment = await encode({ view, ...texts });
  } catch (thrown) {
    if (!(thrown instanceof LinkError)) throw thrown;
    notice(`No link: ${thrown.message}.`);
    return;
  }
  history.replaceState(null, "", `#${fragment}`);
  const isCopied = await copy(location.href);
  show(location.href, isCopied);
}

function show(link: string, isCopied: boolean): void {
  const field = make("input", { id: "link", type: "text", readonly: true, value: link });
  const length = `The link has ${link.length} characters${link.length > LONG ? "; some programs cut links of this length" : ""}. `;
  openDialog(
    "Share",
    make("div", { class: "form" }, make("label", { for: "link" }, "Link"), field),
    make(
      "p",
      { class: "calm" },
      isCopied ? "The link is copied. " : "Copy the link. ",
      length,
      "The link contains the documents. No server receives them.",
    ),
  );
  field.select();
  announce(isCopied ? "The link is copied" : "Copy the link");
}

/** The content of a link: documents, or the text of a verdict. */
export type OpenedLink = { readonly shared: SharedDocuments; readonly verdict?: never } | { readonly verdict: string; readonly shared?: never };

/** Returns the content of the page's address, if any. A link that cannot be read gives a notice and opens nothing. */
export async function openLink(): Promise<OpenedLink | undefined> {
  const fragment = location.hash.replace(/^#/, "");
  // The fragment can also be the id of a part of the page.
  if (fragment === "" || document.getElementById(fragment) !== null) return undefined;
  try {
    const verdict = await verdictIn(fragment);
    const opened = verdict === undefined ? { shared: await decode(fragment) } : { verdict };
    notice("");
    return opened;
  } catch (thrown) {
    if (!(thrown instanceof LinkError)) throw thrown;
    notice(`The link cannot be opened: ${thrown.message}.`);
    return undefined;
  }
}

/** Removes the documents from the address, after an edit. */
export function leaveLink(): void {
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
}
