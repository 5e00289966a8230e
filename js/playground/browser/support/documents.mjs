/** Documents to be written into the page, and what becomes of them elsewhere: in the corpus, and by the command. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const FIXTURES = fileURLToPath(new URL("../../../../fixtures/", import.meta.url));
const ARTIFACTS = fileURLToPath(new URL("../../../../target/artifacts/", import.meta.url));

/** Where modules of each kind are. */
const MODULES = {
  baked: env.ADJUDICATE_BAKED ?? join(ARTIFACTS, "baked"),
  guests: env.ADJUDICATE_GUESTS ?? join(ARTIFACTS, "guests"),
  hostile: env.ADJUDICATE_HOSTILE ?? join(ARTIFACTS, "hostile"),
};

/** A value as a document. */
export const pretty = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** A JSON text without white space between its tokens, which stay as they are: `0.0` is not `0`. */
export const compact = (text) => text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

/** A case of the corpus: its call, and its answer as the engine writes it, on one line. */
export function fixture(operation, name) {
  const file = join(FIXTURES, operation, name);
  const call = JSON.parse(readFileSync(`${file}.json`, "utf8"));
  const answer = compact(readFileSync(`${file}.answer.json`, "utf8"));
  return { call, answer };
}

/** A case of `evaluate` as two documents; the policy is empty where there is none. */
export function evaluation(name) {
  const { call, answer } = fixture("evaluate", name);
  const { envelope, policy } = "envelope" in call ? call : { envelope: call };
  return { envelope: pretty(envelope), policy: policy === undefined ? "" : pretty(policy), answer };
}

/** The path of a file beside the page: a module, mostly. */
export const artifact = (kind, file) => join(MODULES[kind], file);

/** Runs the command; answers with its exit status and what it printed. */
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

/** What the command answers about an envelope, on one line; of what it refuses, `{ error }`. */
export function evaluatedByCommand(envelope, policy = "") {
  // Put together as texts, so that both stay as they were written.
  return answeredByCommand("evaluate", policy === "" ? envelope : `{"envelope": ${envelope}, "policy": ${policy}}`);
}

/** What the command answers to a call, on one line. */
export function answeredByCommand(verb, call) {
  return inFolder(async (folder) => {
    const { status, stdout, stderr } = await adjudicate(verb, written(folder, "call.json", call));
    const answer = status === 2 ? stderr : stdout;
    if (!answer.startsWith("{")) throw new Error(`the command does not answer: ${stderr}${stdout}`);
    return answer.trimEnd();
  });
}

/** Lends a folder. */
export async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), "adjudicate-page-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a file; answers with its path. */
export function written(folder, name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
