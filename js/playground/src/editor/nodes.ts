/** The parts of a syntax tree of JSON. */
import type { SyntaxNode } from "@lezer/common";

/** Returns the decoded name of a field. */
export function nameOf(text: string, property: SyntaxNode): string | undefined {
  const name = property.getChild("PropertyName");
  return name === null ? undefined : stringOf(text.slice(name.from, name.to));
}

/** Returns the value of a field, or null if it is missing. */
export function valueOf(property: SyntaxNode): SyntaxNode | null {
  const value = property.lastChild;
  return value === null || value.name === "PropertyName" || value.type.isError ? null : value;
}

/** Returns the items of a list. */
export function itemsOf(list: SyntaxNode): SyntaxNode[] {
  const items: SyntaxNode[] = [];
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    if (/^[A-Z]/.test(child.name)) items.push(child);
  }
  return items;
}

/** Returns the value of a JSON string, if it is one. */
export function stringOf(source: string): string | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
