/** The texts that are edited, and who is to know when one of them changes. */

export const DOCUMENT_NAMES = ["envelope", "policy", "other", "plan"] as const;
export type DocumentName = (typeof DOCUMENT_NAMES)[number];
export type Texts = Readonly<Record<DocumentName, string>>;

/** What documents are called where people read it. */
export const TITLES: Readonly<Record<DocumentName, string>> = {
  envelope: "Envelope",
  policy: "Policy",
  other: "Other version",
  plan: "Plan",
};

/** The type of each document, as the package declares it. */
export const TYPES: Readonly<Record<DocumentName, string>> = {
  envelope: "Envelope",
  policy: "PolicyDocument",
  other: "PolicyDocument",
  plan: "ValidatePlanCall",
};

const KEY = "documents";

/** What was on the page before it was loaded anew, in this tab. */
export function recall(): Texts | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    if (typeof kept !== "object" || kept === null) return undefined;
    const texts = DOCUMENT_NAMES.map((name) => [name, (kept as Record<string, unknown>)[name]] as const);
    return texts.every(([, text]) => typeof text === "string") ? (Object.fromEntries(texts) as Texts) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the texts for this tab, where that is allowed and there is room. */
export function keep(texts: Texts): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(texts));
  } catch {
    // Nothing depends on it.
  }
}
