/** Bodies as they come in: bounded in bytes and in time, whoever sends them. */
import { Refusal } from "./refusal.mjs";

/** One document, as bytes. */
export async function readBody(request, { bodyBytes, bodyMs }) {
  const tooLong = () => new Refusal(413, "limit_exceeded", `the body is over the limit of ${bodyBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > bodyBytes) throw tooLong();
  const deadline = new Deadline(bodyMs);
  const pieces = [];
  let length = 0;
  for await (const piece of chunksOf(request, deadline)) {
    length += piece.length;
    if (length > bodyBytes) throw tooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

/**
 * The lines of a body as bytes, without those of white space alone. A line that is too long is `undefined`: it is passed over, not kept.
 */
export async function* linesOf(request, { bodyBytes, bodyMs }) {
  const deadline = new Deadline(bodyMs);
  let pieces = [];
  let length = 0;
  const take = () => {
    const line = length > bodyBytes ? undefined : Buffer.concat(pieces, length);
    pieces = [];
    length = 0;
    return line;
  };
  const add = (piece) => {
    length += piece.length;
    if (length <= bodyBytes) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of chunksOf(request, deadline)) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      const line = take();
      // Time that the line takes to be answered is not its sender's.
      deadline.stop();
      if (line === undefined || !isBlank(line)) yield line;
      deadline.start();
    }
    add(chunk.subarray(from));
  }
  const last = take();
  if (last === undefined || !isBlank(last)) yield last;
}

function isBlank(line) {
  return line.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

/** The chunks of a body, until time is up. The request is not destroyed at the end, for it has to be answered. */
async function* chunksOf(request, deadline) {
  const chunks = request.iterator({ destroyOnReturn: false });
  deadline.start();
  try {
    for (;;) {
      const { done, value } = await deadline.over(chunks.next());
      if (done) return;
      yield value;
    }
  } finally {
    deadline.stop();
    // It may wait for ever for a chunk that does not come.
    void chunks.return().catch(() => undefined);
  }
}

/** A time that something must be done in. */
class Deadline {
  #ms;
  #timer;
  #expire;

  constructor(ms) {
    this.#ms = ms;
  }

  start() {
    this.#timer ??= setTimeout(() => this.#expire?.(), this.#ms);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** What a promise gives, unless time is up before. */
  over(promise) {
    return new Promise((resolve, reject) => {
      this.#expire = () =>
        reject(new Refusal(408, "request_timeout", `the body took over ${this.#ms} ms`, { connection: "close" }));
      promise.then(resolve, reject);
    });
  }
}
