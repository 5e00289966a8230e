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

/** The documents of a tab. */
export interface StoredDocuments {
  readonly texts: Texts;
  /** The documents that the user changed. */
  readonly own: readonly DocumentName[];
}

/** Returns the documents that this tab had before the page was reloaded. */
export function storedDocuments(): StoredDocuments | undefined {
  try {
    const { own = [], ...kept } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    const texts = DOCUMENT_NAMES.map((name) => [name, kept[name]] as const);
    if (!texts.every(([, text]) => typeof text === "string")) return undefined;
    return { texts: Object.fromEntries(texts) as Texts, own: DOCUMENT_NAMES.filter((name) => own.includes(name)) };
  } catch {
    return undefined;
  }
}

/** Stores the documents for this tab, if the browser allows it. */
export function storeDocuments({ texts, own }: StoredDocuments): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...texts, own }));
  } catch {
    // The page works without the stored documents.
  }
}
