/** The used parts of Node, so that the package needs no declarations of another one. */
interface Buffer extends Uint8Array<ArrayBuffer> {}
declare const Buffer: {
  from(bytes: Uint8Array): Buffer;
  concat(parts: readonly Uint8Array[]): Buffer;
};

/** The global object, because an import of `node:process` opens the standard streams, and changes the mode of pipes. */
declare const process: {
  readonly env: Record<string, string | undefined>;
  readonly platform: string;
  readonly argv: readonly string[];
  readonly pid: number;
  readonly stdout: { readonly columns: number | undefined };
  readonly stderr: { readonly columns: number | undefined };
  cwd(): string;
  exit(code: number): never;
  geteuid?(): number;
  kill(pid: number, signal: string): void;
  on(event: "SIGINT" | "SIGTERM", listener: () => void): void;
  on(event: "uncaughtException" | "unhandledRejection", listener: (error: unknown) => void): void;
  once(event: "exit", listener: () => void): void;
  off(event: "exit", listener: () => void): void;
};

declare module "node:fs/promises" {
  type FilePath = string | Buffer;
  export interface Kinds {
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
  }
  export interface Stats extends Kinds {
    readonly size: bigint;
    readonly mtimeNs: bigint;
    readonly ctimeNs: bigint;
    readonly ino: bigint;
  }
  export interface FileHandle {
    readonly fd: number;
    read(buffer: Uint8Array): Promise<{ bytesRead: number; buffer: Uint8Array }>;
    writeFile(content: Uint8Array): Promise<void>;
    chmod(mode: number): Promise<void>;
    stat(): Promise<Kinds & { readonly mode: number; readonly uid: number }>;
    sync(): Promise<void>;
    close(): Promise<void>;
  }
  export const constants: { readonly S_IXUSR: number; readonly O_CREAT: number; readonly O_RDWR: number; readonly O_NONBLOCK: number };
  export function lstat(path: FilePath, options: { bigint: true }): Promise<Stats>;
  export function stat(path: FilePath, options: { bigint: true }): Promise<Stats>;
  export function stat(path: FilePath): Promise<Kinds & { readonly mode: number }>;
  export function chmod(path: FilePath, mode: number): Promise<void>;
  export function mkdir(path: FilePath, options: { recursive: true }): Promise<unknown>;
  export function mkdtemp(prefix: string): Promise<string>;
  export function open(path: FilePath, flags: string | number): Promise<FileHandle>;
  export function readdir(path: FilePath, options: { withFileTypes: true; encoding: "buffer" }): Promise<(Kinds & { readonly name: Buffer })[]>;
  export function readFile(path: string): Promise<Buffer>;
  export function realpath(path: FilePath, options: { encoding: "buffer" }): Promise<Buffer>;
  export function realpath(path: FilePath): Promise<string>;
  export function rename(from: FilePath, to: FilePath): Promise<void>;
  export function rm(path: FilePath, options: { recursive: true; force: true }): Promise<void>;
  export function unlink(path: FilePath): Promise<void>;
}

declare module "node:child_process" {
  type Channel = "pipe" | "ignore" | number;
  export interface ChildProcess {
    readonly pid: number | undefined;
    readonly exitCode: number | null;
    readonly signalCode: string | null;
    readonly stdin: { on(event: "error", listener: () => void): { end(input: Uint8Array): void } } | null;
    readonly stdout: Output | null;
    readonly stderr: Output | null;
    kill(): boolean;
    on(event: "spawn", listener: () => void): void;
    on(event: "error", listener: (error: Error & { code?: string }) => void): void;
    on(event: "exit", listener: (code: number | null, signal: string | null) => void): void;
  }
  interface Output {
    on(event: "data", listener: (part: Uint8Array) => void): void;
    on(event: "error", listener: (error: Error) => void): void;
    on(event: "close", listener: () => void): void;
  }
  export function spawn(
    program: string,
    words: readonly string[],
    options: {
      cwd?: string;
      env?: Record<string, string | undefined>;
      stdio: readonly Channel[];
      detached?: boolean;
      windowsHide?: boolean;
    },
  ): ChildProcess;
}

declare module "node:os" {
  export const constants: { readonly signals: Readonly<Record<string, number>> };
  export function tmpdir(): string;
}

declare module "node:path" {
  export const delimiter: string;
  export const sep: string;
  export function dirname(path: string): string;
  export function isAbsolute(path: string): boolean;
  export function join(...parts: string[]): string;
  export function resolve(path: string): string;
}

declare module "node:fs" {
  export function readFileSync(path: string): Uint8Array<ArrayBuffer>;
  export function realpathSync(path: string): string;
}

declare module "node:tty" {
  export function isatty(file: number): boolean;
}

declare module "node:v8" {
  export function setFlagsFromString(flags: string): void;
}

declare module "node:wasi" {
  export class WASI {
    constructor(options: {
      version: "preview1";
      args: readonly string[];
      env: Readonly<Record<string, string | undefined>>;
      preopens: Readonly<Record<string, string>>;
    });
    getImportObject(): WebAssembly.Imports;
    start(instance: WebAssembly.Instance): number;
  }
}

declare module "node:worker_threads" {
  export interface MessagePort {
    postMessage(message: unknown, transferList?: readonly ArrayBuffer[]): void;
  }
  export class MessageChannel {
    readonly port1: MessagePort;
    readonly port2: MessagePort;
  }
  export class Worker {
    constructor(
      file: string,
      options: { workerData: unknown; transferList: readonly MessagePort[]; execArgv: readonly string[]; stdout: true; stderr: true },
    );
    on<Message>(event: "message", listener: (message: Message) => void): void;
    on(event: "error", listener: (error: unknown) => void): void;
    on(event: "exit", listener: () => void): void;
  }
  export const parentPort: MessagePort | null;
  export const workerData: unknown;
  export function receiveMessageOnPort(port: MessagePort): { readonly message: unknown } | undefined;
}

declare module "node:url" {
  export function fileURLToPath(url: URL): string;
}

declare module "node:util" {
  export function getSystemErrorMap(): { get(number: number): readonly [name: string, message: string] | undefined };
}
