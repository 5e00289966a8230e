/**
 * The one error of the package: there is no answer, or there is no engine.
 *
 * Nothing else is thrown. What a decision says, however bad, is data and never an error.
 */
import type { ErrorCode } from "./generated/types.js";

/** A code of this package, or one of a policy module's own: up to 64 lower-case letters, digits and `_`. */
export type AnyErrorCode = ErrorCode | (string & Record<never, never>);

/**
 * Why there is no answer. Branch on `code`; `message` is for people.
 *
 * ```js
 * if (error instanceof AdjudicateError && error.code === "missing_field") console.error(error.path);
 * ```
 */
export class AdjudicateError extends Error {
  /** The stable code. */
  readonly code: AnyErrorCode;
  /** JSON Pointer (RFC 6901) to what is at fault, in the document at fault; `""` is the document as a whole. */
  readonly path: string;

  /** `options.cause` is what was thrown first, where the error was not this package's to begin with. */
  constructor(code: AnyErrorCode, message: string, path = "", options?: ErrorOptions) {
    super(message, options);
    this.name = "AdjudicateError";
    this.code = code;
    this.path = path;
  }

  /**
   * The form in which every face of adjudicate prints an error.
   *
   * ```js
   * response.end(JSON.stringify(error)); // {"error":{"code":"missing_field","message":"...","path":"/run_id"}}
   * ```
   */
  toJSON(): { error: { code: AnyErrorCode; message: string; path: string } } {
    return { error: { code: this.code, message: this.message, path: this.path } };
  }
}

/**
 * What a thrown value says for itself. Anything can be thrown, also what throws when it is asked.
 *
 * @internal
 */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "for a reason that cannot be read";
  }
}
