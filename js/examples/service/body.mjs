/** Reads bodies of requests, with limits of bytes and of time. */
import { Refusal } from "./refusal.mjs";

/** Returns the bytes of one document. */
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
 * Returns the lines of a body as bytes, without lines of white space. A line that is too long is `undefined`, and is not kept in memory.
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
      // A blank line does not reset the deadline.
      if (line !== undefined && isBlank(line)) continue;
      // The time for the answer does not count for the client.
      deadline.stop();
      yield line;
      deadline.start();
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  const last = take();
  if (last === undefined || !isBlank(last)) yield last;
}

/** Collects bytes in one buffer, which is at most twice as long as the bytes. */
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

/** Returns the chunks of a body until the deadline. The request stays open for the answer. */
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
    // The iterator may wait forever for a chunk, so nothing waits for its end.
    void chunks.return().catch(() => undefined);
  }
}

/** A time limit. */
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

  /** Returns the result of a promise, or rejects at the deadline. */
  over(promise) {
    return new Promise((resolve, reject) => {
      this.#expire = () =>
        reject(new Refusal(408, "request_timeout", `the body took over ${this.#ms} ms`, { connection: "close" }));
      promise.then(resolve, reject);
    });
  }
}
