/** Converts YAML to JSON and back. The package is loaded when it is needed first. */
import type { Document, Node, Scalar } from "yaml";

/** The reason why a text is not read. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** The numbers of YAML that are numbers of JSON, too. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The largest number of values in a document. */
const MAX_VALUES = 1_000_000;

/** Returns whether a text looks like a mapping in YAML. */
export function looksLikeYaml(text: string): boolean {
  return /^\s*(?:#.*\n\s*|---\s*)*["']?[\w$-]+["']?\s*:/.test(text);
}

/**
 * Returns the JSON text of one YAML document. Numbers keep their spelling.
 *
 * @throws {YamlError} if the text is not YAML, or has parts that JSON does not have: tags, several documents.
 */
export async function jsonOf(text: string): Promise<string> {
  const yaml = await import("yaml");
  const documents = yaml.parseAllDocuments(text);
  const [document, ...more] = Array.isArray(documents) ? documents : [];
  if (document === undefined) throw new YamlError("the text is empty");
  if (more.length > 0) throw new YamlError("the text has several documents");
  const [problem] = (document as Document.Parsed).errors;
  if (problem !== undefined) throw new YamlError(problem.message.split("\n")[0] ?? "");
  // A short text with aliases can stand for a huge one.
  let room = MAX_VALUES;
  const open = new Set<unknown>();
  const written = (node: unknown): string => {
    if ((room -= 1) < 0) throw new YamlError(`it stands for over ${MAX_VALUES} values`);
    if (yaml.isAlias(node)) return resolved(node.source, node.resolve(document) ?? null);
    if (yaml.isNode(node) && node.tag !== undefined) throw new YamlError(`tags such as \`${node.tag}\` are not read`);
    if (yaml.isMap(node)) return `{${node.items.map(({ key, value }) => `${JSON.stringify(nameOf(key))}:${written(value)}`).join(",")}}`;
    if (yaml.isSeq(node)) return `[${node.items.map(written).join(",")}]`;
    return scalar(node as Scalar | null);
  };
  const resolved = (name: string, target: Node | null): string => {
    if (open.has(target)) throw new YamlError(`\`*${name}\` contains itself`);
    open.add(target);
    const text = written(target);
    open.delete(target);
    return text;
  };
  const nameOf = (key: unknown): string => {
    if (!yaml.isScalar(key)) throw new YamlError("a name is not a text");
    return key.source ?? String(key.value);
  };
  return written(document.contents as Node | null);
}

function scalar(node: Scalar | null): string {
  if (typeof node?.value !== "number" && typeof node?.value !== "bigint") return JSON.stringify(node?.value ?? null);
  if (!JSON_NUMBER.test(node.source ?? "")) throw new YamlError(`\`${node.source ?? ""}\` is not a number of JSON`);
  return node.source ?? "";
}

/** Returns the YAML text of a JSON text. */
export async function yamlOf(json: string): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(JSON.parse(json), { lineWidth: 100 });
}
