/**
 * The calls of a collection to the operating system: one row of a table each.
 *
 * `host/collect/src/host.rs` is the same for Rust. Everything else of a collection is in `collect.wasm`.
 */
import type { Dirent } from "node:fs";
import { constants, lstat, mkdir, mkdtemp, open, readdir, realpath, rename, rm, stat, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getSystemErrorMap } from "node:util";

import { AdjudicateError, prefixed, reasonOf } from "../error.js";
import { locked } from "./lock.js";
import { textOf, type MessageFields } from "./module.js";
import { runCommand } from "./process.js";
import type { CollectProgress, StopSignal } from "./types.js";

/** Answers one kind of request. Without an answer, the request is done. */
export type Call = (...fields: Uint8Array[]) => Promise<MessageFields | void>;

/** The engine's part of a collection. */
export interface Decider {
  /** Throws if the policy is damaged. */
  checkPolicy(policy: string): void;
  /** Returns the answers of `evaluate` and `refine`. */
  decide(envelope: string, policy: string | undefined): readonly [string, string];
}

/** The operating system, for one collection. */
export class System {
  readonly #signal: StopSignal | undefined;
  readonly #onProgress: ((progress: CollectProgress) => void) | undefined;
  readonly #decider: Decider | undefined;
  readonly #temporary: string[] = [];
  #lock: FileHandle | undefined;
  /** The first error of the engine or of a function of the caller. The collection ends, and the caller gets this error. */
  thrown: { readonly error: unknown } | undefined;

  constructor(signal: StopSignal | undefined, onProgress: ((progress: CollectProgress) => void) | undefined, decider: Decider | undefined) {
    this.#signal = signal;
    this.#onProgress = onProgress;
    this.#decider = decider;
  }

  /** Answers a request. */
  async answer([name, ...fields]: readonly Uint8Array[]): Promise<MessageFields> {
    try {
      const call = this.#calls[textOf(name)];
      if (call === undefined) throw new Error(`unknown request \`${textOf(name)}\``);
      return (await call(...fields)) ?? ["done"];
    } catch (error) {
      return failure(error);
    }
  }

  /** Unlocks the repository, and removes temporary folders. */
  async end(): Promise<void> {
    await this.#lock?.close();
    await Promise.all(this.#temporary.map((folder) => rm(folder, { recursive: true, force: true })));
  }

  readonly #calls: Readonly<Record<string, Call>> = {
    about: async (path, follow) => {
      const about = await (follow.length > 0 ? stat : lstat)(file(path), { bigint: true });
      return ["about", kindOf(about), String(about.size), `${about.mtimeNs} ${about.ino} ${about.ctimeNs}`];
    },
    folder: async (path) => {
      const entries = await readdir(file(path), { withFileTypes: true, encoding: "buffer" });
      return ["entries", ...entries.flatMap((entry) => [entry.name, kindOf(entry)])];
    },
    read: async (path, limit) =>
      closing(await open(file(path), "r"), async (handle) => ["bytes", await readAtMost(handle, Number(textOf(limit)))]),
    write: async (path, content) => {
      await writeFresh(file(path), content, false);
    },
    replace: async (draft, path, content) => {
      await writeFresh(file(draft), content, true);
      await rename(file(draft), file(path));
      // A folder cannot be opened on Windows.
      if (process.platform !== "win32") await closing(await open(dirname(textOf(path)), "r"), (folder) => folder.sync());
    },
    createFolder: async (path) => {
      await mkdir(file(path), { recursive: true });
    },
    temporaryFolder: async () => {
      const folder = await mkdtemp(join(tmpdir(), "adjudicate-"));
      this.#temporary.push(folder);
      return ["bytes", folder];
    },
    realPath: async (path) => ["bytes", await realpath(file(path), { encoding: "buffer" })],
    lock: async (path, wait) => {
      this.#lock = await locked(textOf(path), Number(textOf(wait)));
      return ["is", this.#lock === undefined ? "" : "1"];
    },
    time: async () => {
      const now = performance.timeOrigin + performance.now();
      return ["time", String(Math.trunc(now / 1000)), String(Math.trunc((now % 1000) * 1e6))];
    },
    keepsModes: async (path) => ["is", (await keepsModes(textOf(path))) ? "1" : ""],
    run: async (...fields) => runCommand(fields, this.#signal),
    runBoth: async (count, ...fields) => {
      const length = Number(textOf(count));
      const [first, second] = await Promise.all([this.answer(fields.slice(0, length)), this.answer(fields.slice(length))]);
      return ["bothEnded", String(first.length), ...first, ...second];
    },
    progress: async (...fields) => {
      const [event, validator = "", second = "", count] = fields.map(textOf);
      const progress: CollectProgress =
        event === "started"
          ? { event, validator, index: Number(second), count: Number(count) }
          : { event: "ended", validator, passed: second !== "" };
      this.#called(() => this.#onProgress?.(progress));
    },
    checkPolicy: async (name, policy) => {
      this.#called(() => this.#decider?.checkPolicy(textOf(policy)), textOf(name));
    },
    decide: async (envelope: Uint8Array, policy?: Uint8Array) => {
      const answers = this.#called(() => this.#decider?.decide(textOf(envelope), policy && textOf(policy)), "envelope and policy");
      return ["decision", ...(answers ?? [])];
    },
  };

  /** Calls code outside of the collection, and keeps its first error. Errors about a document name it. */
  #called<Answer>(call: () => Answer, document?: string): Answer {
    try {
      return call();
    } catch (error) {
      this.thrown ??= { error: document !== undefined && error instanceof AdjudicateError ? prefixed(`${document}: `, error) : error };
      throw error;
    }
  }
}

/** Returns bytes as a path, which need not be UTF-8. */
function file(path: Uint8Array): Buffer {
  return Buffer.from(path);
}

function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): "file" | "folder" | "link" | "other" {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Uses an open file, and closes it. */
export async function closing<Result>(handle: FileHandle, use: (handle: FileHandle) => Promise<Result>): Promise<Result> {
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/** Returns the first bytes of an open file, at most as many as the limit. */
export async function readAtMost(handle: FileHandle, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let left = limit; left > 0; ) {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(Math.min(left, 1 << 16)));
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(parts);
}

/** Creates a file in place of the one with this name. A link is replaced, and never followed. */
async function writeFresh(path: Buffer, content: Uint8Array, isSynced: boolean): Promise<void> {
  await unlink(path).catch((error: { code?: string }) => {
    if (error.code !== "ENOENT") throw error;
  });
  await closing(await open(path, "wx"), async (handle) => {
    await handle.writeFile(content);
    if (isSynced) await handle.sync();
  });
}

/** Returns false if a new file in a folder keeps no execute bit. */
async function keepsModes(folder: string): Promise<boolean> {
  if (process.platform === "win32") return false;
  const path = join(folder, `.adjudicate-mode-${Date.now()}`);
  return closing(await open(path, "wx"), async (handle) => {
    // The open file has no name that another program could use.
    await unlink(path);
    for (const mode of [0o700, 0o600]) {
      await handle.chmod(mode);
      if ((((await handle.stat()).mode ^ mode) & constants.S_IXUSR) !== 0) return false;
    }
    return true;
  }).catch(() => true);
}

/** Returns the answer to a request that failed. */
export function failure(error: unknown): MessageFields {
  const { code } = error as { code?: unknown };
  return ["error", typeof code === "string" ? code : "", systemReason(error)];
}

/** The texts of errors in which the C library differs from Node. */
const TEXTS: Readonly<Record<string, string>> = { EISDIR: "Is a directory", ELOOP: "Too many levels of symbolic links" };

/** Returns the reason of an error of the operating system in the words of Rust, so both packages report the same. */
function systemReason(error: unknown): string {
  const { code = "", errno } = error as { code?: string; errno?: number };
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  if (errno === undefined || known === undefined) return reasonOf(error);
  return `${TEXTS[code] ?? known.charAt(0).toUpperCase() + known.slice(1)} (os error ${-errno})`;
}
