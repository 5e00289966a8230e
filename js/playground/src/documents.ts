/** The names of the edited documents, and their texts. */

export const DOCUMENT_NAMES = ["envelope", "policy", "other", "plan"] as const;
export type DocumentName = (typeof DOCUMENT_NAMES)[number];
export type Texts = Readonly<Record<DocumentName, string>>;

/** The titles of documents on the page. */
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

/** Returns the texts that this tab had before the page was reloaded. */
export function storedTexts(): Texts | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    if (typeof kept !== "object" || kept === null) return undefined;
    const texts = DOCUMENT_NAMES.map((name) => [name, (kept as Record<string, unknown>)[name]] as const);
    return texts.every(([, text]) => typeof text === "string") ? (Object.fromEntries(texts) as Texts) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the texts for this tab, if the browser allows it. */
export function storeTexts(texts: Texts): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(texts));
  } catch {
    // The page works without the stored texts.
  }
}
