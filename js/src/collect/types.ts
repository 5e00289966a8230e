/** The options of collections and of readings of reports. The readers' types describe the readings. */
import type { Entry, Envelope, Evaluation, ExternalEvidence, ReportFormat, Revision } from "../generated/types.js";

export type {
  CoverageCount,
  FileCoverage,
  Reading,
  ReportCase,
  ReportCoverage,
  ReportEdit,
  ReportFormat,
  ReportIssue,
  ReportLocation,
  ReportReview,
  ReportTests,
} from "../generated/types.js";

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

/** The options of `readReport`. */
export interface ReadReportOptions {
  /** The format. Default: the content decides, and the name. */
  readonly format?: ReportFormat | undefined;
  /** The name of the file, for example `junit.xml`. */
  readonly name?: string | undefined;
  /** The absolute path of the root. Paths of the report below it become relative. */
  readonly root?: string | undefined;
}
