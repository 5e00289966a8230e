/**
 * The only error that the package throws: there is no answer, or no engine.
 *
 * A decision is an answer, and never an error.
 */
import type { ErrorCode } from "./generated/types.js";

/** A code of this package, or a code that a policy module defines: 1 to 64 lower-case letters, digits and `_`. */
export type AnyErrorCode = ErrorCode | (string & Record<never, never>);

/** One of several errors of a call. */
export interface ErrorPart {
  /** The stable code. */
  readonly code: AnyErrorCode;
  /** The message, for humans. */
  readonly message: string;
  /** The JSON Pointer (RFC 6901) of the wrong or missing field, in the document at fault. */
  readonly path: string;
}

/** The options of an error. */
export interface AdjudicateErrorOptions extends ErrorOptions {
  /** The further errors of the call. */
  others?: readonly ErrorPart[] | undefined;
}

/**
 * The reason why there is no answer. Your code can branch on `code`; `message` is for humans.
 *
 * ```js
 * if (error instanceof AdjudicateError && error.code === "missing_field") console.error(error.path);
 * ```
 */
export class AdjudicateError extends Error {
  /** The stable code. */
  readonly code: AnyErrorCode;
  /** The JSON Pointer (RFC 6901) of the wrong or missing field, in the document at fault; `""` is the whole document. */
  readonly path: string;
  /** The further errors of the call, at most nine, in document order. Empty for most errors. */
  readonly others: readonly ErrorPart[];

  /** @param options `cause` is the value that other code threw, if any. */
  constructor(code: AnyErrorCode, message: string, path = "", options: AdjudicateErrorOptions = {}) {
    const { others = [], ...rest } = options;
    super(message, rest);
    this.name = "AdjudicateError";
    this.code = code;
    this.path = path;
    this.others = others;
  }

  /**
   * Returns the error in the form in which every interface of adjudicate prints it.
   *
   * ```js
   * response.end(JSON.stringify(error)); // {"error":{"code":"missing_field","message":"...","path":"/run_id"}}
   * ```
   */
  toJSON(): { error: ErrorPart & { others?: readonly ErrorPart[] } } {
    const { code, message, path, others } = this;
    return { error: { code, message, path, ...(others.length > 0 && { others }) } };
  }
}

/** Returns an error with a prefix in its messages, which names the document at fault. @internal */
export function prefixed(prefix: string, { code, message, path, others, cause }: AdjudicateError): AdjudicateError {
  const parts = others.map((other) => ({ ...other, message: prefix + other.message }));
  return new AdjudicateError(code, prefix + message, path, { others: parts, ...(cause !== undefined && { cause }) });
}

/** Returns the message of a thrown value. Code can throw any value, and reading its message can throw, too. @internal */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "for a reason that cannot be read";
  }
}
