/** The types of collections and of readings of reports. */
import type { Entry, Envelope, Evaluation, ExternalEvidence, Revision } from "../generated/types.js";

/** The part of an `AbortSignal` that a collection uses. */
export interface StopSignal {
  /** True after the abort. */
  readonly aborted: boolean;
  /** Adds a listener. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Removes a listener. */
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The progress of a collection: a validator has started, or has ended. */
export type CollectProgress =
  | { readonly event: "started"; readonly validator: string; readonly index: number; readonly count: number }
  | { readonly event: "ended"; readonly validator: string; readonly passed: boolean };

/** The options of a collection. */
export interface CollectOptions {
  /** A folder of the repository. The nearest folder upwards with an `adjudicate.yaml` is the root. Default: the folder of the process. */
  readonly directory?: string | undefined;
  /** The git revision to compare with. It replaces that of the configuration and of the state. */
  readonly base?: string | undefined;
  /** Begins a new run, and forgets earlier decisions. Default: false. */
  readonly newRun?: boolean | undefined;
  /** The milliseconds to wait for another collection in the same repository, from 0 to 86,400,000 (a day). Default: 10,000. */
  readonly waitMs?: number | undefined;
  /** The step of the agent before this collection. */
  readonly agent?: Entry | undefined;
  /**
   * Approvals, policy events and `x-` fields that no command of the repository shows, for this collection only. They must come from CI or from
   * the code host: an agent that writes them decides its own result.
   */
  readonly with?: ExternalEvidence | undefined;
  /** Stops the validators when it is aborted. The run is then interrupted, and the envelope says so. */
  readonly signal?: StopSignal | undefined;
  /** Receives the progress. */
  readonly onProgress?: ((progress: CollectProgress) => void) | undefined;
}

/** The decision on a collection. */
export interface Decided {
  /** The envelope of the evidence. */
  readonly envelope: Envelope;
  /** The answer of `evaluate`. */
  readonly evaluation: Evaluation;
  /** The answer of `refine`. */
  readonly revision: Revision;
}

/** A format of reports. */
export type ReportFormat = "junit" | "ctrf" | "tap" | "libtest" | "go-test" | "jest" | "sarif" | "lcov";

/** The options of `readReport`. */
export interface ReadReportOptions {
  /** The format. Default: the content decides, and the name. */
  readonly format?: ReportFormat | undefined;
  /** The name of the file, for example `junit.xml`. */
  readonly name?: string | undefined;
  /** The absolute path of the root. Paths of the report below it become relative. */
  readonly root?: string | undefined;
}

/** A place in a file. */
export interface ReportLocation {
  /** The path. */
  readonly file: string;
  /** The line, from 1. */
  readonly line?: number;
}

/** The result of one case of a test report. */
export interface ReportCase {
  /** The names of suite, class and case, joined by `/`. */
  readonly id: string;
  /** Of several results with one id, the worst counts. */
  readonly status: "passed" | "failed" | "skipped" | "flaky";
  /** The first line of the failure, or the reason of a skipped case. */
  readonly message?: string;
  /** The place. */
  readonly location?: ReportLocation;
  /** The sum of the durations of all results with this id. */
  readonly duration_ms?: number;
}

/** The cases of a test report. */
export interface ReportTests {
  /** The cases, in the order of the report. */
  readonly cases: readonly ReportCase[];
  /** The reason why the report cannot be complete. Such a report is never evidence of success. */
  readonly incomplete?: string;
  /** The number of lines that are not a part of the report. */
  readonly unread_lines: number;
}

/** An issue of a SARIF log. */
export interface ReportIssue {
  /** The rule and the place. */
  readonly id: string;
  /** High for the level `error`, medium for `warning`, low for `note`. */
  readonly severity: "low" | "medium" | "high";
  /** The first line of the message. */
  readonly message: string;
  /** The place. */
  readonly location?: ReportLocation;
  /** The fix that the tool suggests. */
  readonly edit?: { readonly target: string; readonly action: string; readonly rationale: string };
}

/** The issues of a SARIF log. */
export interface ReportReview {
  /** The issues, in the order of the log. */
  readonly issues: readonly ReportIssue[];
  /** The reason why the log cannot be complete. */
  readonly incomplete?: string;
  /** The number of suppressed results. */
  readonly suppressed: number;
  /** The number of results that the baseline has, too, or that no longer occur. */
  readonly in_baseline: number;
  /** The number of results of level `none`. */
  readonly without_level: number;
}

/** The content of a report: one of the three fields is present. `coverage` has the form of `x-coverage` in an envelope. */
export type Reading =
  | { readonly tests: ReportTests; readonly review?: never; readonly coverage?: never }
  | { readonly review: ReportReview; readonly tests?: never; readonly coverage?: never }
  | { readonly coverage: Readonly<Record<string, unknown>>; readonly tests?: never; readonly review?: never };
