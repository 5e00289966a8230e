/** The words of model providers for the end of a message, as the finish reasons of steps. */

const FINISHED: Readonly<Record<string, string>> = {
  stop: "stop",
  STOP: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  refusal: "content-filter",
  SAFETY: "content-filter",
};

/** Returns the finish reason for a word. An unknown word stays as it is, and is the outcome `error`. */
export function finishReasonOf(word: unknown): string {
  return typeof word === "string" && Object.hasOwn(FINISHED, word) ? String(FINISHED[word]) : String(word);
}
