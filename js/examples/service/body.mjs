/** Bodies as they come in: bounded in bytes and in time, whoever sends them. */
import { Refusal } from "./refusal.mjs";

/** One document, as bytes. */
export async function readBody(request, { bodyBytes, bodyMs }) {
  const tooLong = () => new Refusal(413, "limit_exceeded", `the body is over the limit of ${bodyBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > bodyBytes) throw tooLong();
  const body = new Gathered();
  for await (const piece of chunksOf(request, new Deadline(bodyMs))) {
    if (body.length + piece.length > bodyBytes) throw tooLong();
    body.add(piece);
  }
  return body.take();
}

/**
 * The lines of a body as bytes, without those of white space alone. A line that is too long is `undefined`: it is passed over, not kept.
 */
export async function* linesOf(request, { bodyBytes, bodyMs }) {
  const deadline = new Deadline(bodyMs);
  const begun = new Gathered();
  let isTooLong = false;
  const add = (piece) => {
    isTooLong ||= begun.length + piece.length > bodyBytes;
    if (isTooLong) begun.take();
    else begun.add(piece);
  };
  const take = () => {
    const line = isTooLong ? undefined : begun.take();
    isTooLong = false;
    return line;
  };
  for await (const chunk of chunksOf(request, deadline)) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      if (end > from) add(chunk.subarray(from, end));
      from = end + 1;
      const line = take();
      // What is passed over is no line that has come in, so time goes on.
      if (line !== undefined && isBlank(line)) continue;
      // Time that the line takes to be answered is not its sender's.
      deadline.stop();
      yield line;
      deadline.start();
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  const last = take();
  if (last === undefined || !isBlank(last)) yield last;
}

/** Bytes that come in pieces, in one place: however small the pieces are, they take no more than twice their bytes. */
class Gathered {
  #bytes = Buffer.alloc(0);
  length = 0;

  add(piece) {
    const length = this.length + piece.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, this.length);
    this.length = length;
  }

  take() {
    const bytes = this.#bytes.subarray(0, this.length);
    if (this.length > 0) this.#bytes = Buffer.alloc(0);
    this.length = 0;
    return bytes;
  }
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
