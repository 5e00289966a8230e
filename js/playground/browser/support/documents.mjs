/** Documents for the page, with their answers in the corpus and by the command. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { findCase } from "../../build/corpus.js";

const ARTIFACTS = fileURLToPath(new URL("../../../../target/artifacts/", import.meta.url));

/** The folders of modules by their kind. */
const MODULES = {
  baked: env.ADJUDICATE_BAKED ?? join(ARTIFACTS, "baked"),
  guests: env.ADJUDICATE_GUESTS ?? join(ARTIFACTS, "guests"),
  hostile: env.ADJUDICATE_HOSTILE ?? join(ARTIFACTS, "hostile"),
};

/** Returns a value as a document. */
export const pretty = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Returns a JSON text without white space between its tokens, which stay unchanged: `0.0` is not `0`. */
export const compact = (text) => text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

/** Returns a case of the corpus: its call, and its answer on one line, as the engine writes it. */
export function fixture(operation, name) {
  const { call, answer } = findCase(`${operation}/${name}`);
  return { call: JSON.parse(call), answer };
}

/** Returns a case of `evaluate` as two documents. Without a policy, the second is empty. */
export function evaluation(name) {
  const { call, answer } = fixture("evaluate", name);
  const { envelope, policy } = "envelope" in call ? call : { envelope: call };
  return { envelope: pretty(envelope), policy: policy === undefined ? "" : pretty(policy), answer };
}

/** Returns the path of an artifact, for example of a module. */
export const artifact = (kind, file) => join(MODULES[kind], file);

/** Runs the command. Returns its exit status and its output. */
export async function adjudicate(...parameters) {
  if (env.ADJUDICATE === undefined) throw new Error("set ADJUDICATE to the path of the command");
  try {
    const { stdout, stderr } = await promisify(execFile)(env.ADJUDICATE, parameters);
    return { status: 0, stdout, stderr };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { status: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

/** Returns the answer of the command for an envelope, on one line, or `{ error }`. */
export function evaluatedByCommand(envelope, policy = "") {
  // The texts are joined, so that both stay unchanged.
  return answeredByCommand("evaluate", policy === "" ? envelope : `{"envelope": ${envelope}, "policy": ${policy}}`);
}

/** Returns the answer of the command to a call, on one line. */
export function answeredByCommand(operation, call) {
  return inFolder(async (folder) => {
    const { status, stdout, stderr } = await adjudicate(operation, written(folder, "call.json", call));
    const answer = status === 2 ? stderr : stdout;
    if (!answer.startsWith("{")) throw new Error(`the command has no answer: ${stderr}${stdout}`);
    return answer.trimEnd();
  });
}

/** Runs a function with a temporary folder. */
export async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), "adjudicate-page-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a file, and returns its path. */
export function written(folder, name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
