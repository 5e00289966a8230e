/** Reads the texts of files that the user opens, and finds out which documents they are. */
import type { DocumentName, Texts } from "./documents.js";
import { formatted } from "./editor/format.js";
import { isObject, type Json } from "./json.js";
import { casesOf, type PolicyTest } from "./policy-tests.js";
import type { View } from "./tabs.js";
import { jsonOf, YamlError } from "./yaml.js";

/** Documents with the view that shows them. */
export interface OpenedDocuments {
  readonly texts: Partial<Texts>;
  readonly view: View;
}

/** Tests of a policy. */
export interface OpenedTests {
  readonly tests: readonly PolicyTest[];
}

/** The reason why a file is not opened. */
export class OpenError extends Error {
  override readonly name = "OpenError";
}

/**
 * Returns the documents or the tests in a text.
 *
 * @throws {OpenError} if it has none.
 */
export async function opened(text: string): Promise<OpenedDocuments | OpenedTests> {
  const json = await asJson(text);
  const value = JSON.parse(json) as Json;
  if (Array.isArray(value) || (isObject(value) && value["input"] !== undefined)) return { tests: testsOf(value) };
  if (!isObject(value)) throw new OpenError("the file has no object");
  const name = documentIn(value);
  if (name !== undefined) return { texts: { [name]: formatted(json) }, view: name === "plan" ? "plan" : "decide" };
  const { envelope, policy } = value;
  if (envelope === undefined) throw new OpenError("the file is no envelope, policy, plan, test or policy module");
  const written = (part: Json | undefined) => (isObject(part) ? formatted(JSON.stringify(part)) : "");
  return { texts: { envelope: written(envelope), policy: written(policy) }, view: "decide" };
}

function documentIn(value: { [name: string]: Json }): DocumentName | undefined {
  const has = (name: string) => Object.hasOwn(value, name);
  if (has("evidence") || has("run_id")) return "envelope";
  if (has("plan") || has("task") || has("capabilities")) return "plan";
  return typeof value["policy"] === "string" || has("rules") ? "policy" : undefined;
}

function testsOf(value: Json): PolicyTest[] {
  try {
    return casesOf(value);
  } catch (thrown) {
    throw new OpenError(`the file of tests is invalid: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

async function asJson(text: string): Promise<string> {
  const plain = text.replace(/^\ufeff/, "");
  try {
    JSON.parse(plain);
    return plain;
  } catch (notJson) {
    try {
      return await jsonOf(plain);
    } catch (thrown) {
      if (!(thrown instanceof YamlError)) throw thrown;
      const isJson = /^\s*[[{]/.test(plain);
      throw new OpenError(isJson ? `the file is not JSON: ${(notJson as Error).message}` : `the file is neither JSON nor YAML: ${thrown.message}`);
    }
  }
}
