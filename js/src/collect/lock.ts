/**
 * The lock of a repository: the lock of the whole file that Rust's `File::try_lock` takes, so that collections of the command and of this
 * package exclude each other. It ends with the process at the latest.
 */
import { spawn } from "node:child_process";
import { constants, open, type FileHandle } from "node:fs/promises";

/** The time between two attempts. */
const PAUSE_MS = 50;

/** The flag with which `open` locks a file, on platforms that have one. On Windows it is libuv's. */
const LOCKING: Readonly<Record<string, number>> = { darwin: 0x20 | constants.O_NONBLOCK, freebsd: 0x20 | constants.O_NONBLOCK, win32: 0x1000_0000 };

/** Programs that lock file 3, which they share with this process. They end with 0, or with 1 if another process has the lock. */
const LOCKERS = [
  ["flock", "-n", "3"],
  ["perl", "-e", 'open(my $file, "+<&=", 3) or exit 2; exit(flock($file, 6) ? 0 : 1)'],
] as const;

/** Locks a file, which stays locked until it is closed. Returns undefined if another process holds the lock all the time. */
export async function locked(path: string, waitMs: number): Promise<FileHandle | undefined> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const handle = await attempted(path);
    if (handle !== undefined || performance.now() >= deadline) return handle;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function attempted(path: string): Promise<FileHandle | undefined> {
  const flag = LOCKING[process.platform];
  let handle: FileHandle | undefined;
  let isOurs = false;
  try {
    handle = await open(path, constants.O_CREAT | constants.O_RDWR | (flag ?? 0));
    isOurs = flag !== undefined || (await isLocked(handle.fd));
    return isOurs ? handle : undefined;
  } catch (error) {
    if (flag === undefined || !["EAGAIN", "EBUSY"].includes((error as { code?: string }).code ?? "")) throw error;
    return undefined;
  } finally {
    if (!isOurs) await handle?.close();
  }
}

/** Locks an open file by a program, because Node has no function for it. Returns false if another process has the lock. */
async function isLocked(file: number): Promise<boolean> {
  for (const [program, ...words] of LOCKERS) {
    const code = await exitCode(program, words, file);
    if (code === 0 || code === 1) return code === 0;
  }
  throw new Error("neither `flock` nor `perl` can lock the file: install one of them");
}

/** Returns the exit code of a program, or null if it does not exist. */
async function exitCode(program: string, words: readonly string[], file: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["ignore", "ignore", "ignore", file] });
    child.on("error", (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? resolve(null) : reject(error)));
    child.on("exit", (code) => resolve(code));
  });
}
