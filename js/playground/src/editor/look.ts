/** The theme of editors. Its colors are variables of the page, so it is used for light and dark. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--size-code)", color: "var(--ink)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0 24px" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection": {
    backgroundColor: "var(--selection) !important",
  },
  ".cm-gutters": { color: "var(--ink-3)", backgroundColor: "var(--surface)", border: "none", paddingRight: "2px" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "3ch", padding: "0 6px 0 8px" },
  ".cm-foldGutter .cm-gutterElement": { color: "var(--ink-3)", cursor: "pointer" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--line-active)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink-2)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "none" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--sunken)",
    border: "1px solid var(--line)",
    color: "var(--ink-2)",
    padding: "0 4px",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--size-code)", maxHeight: "14em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", lineHeight: "1.4" },
  ".cm-tooltip-autocomplete > ul": { borderRadius: "5px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": {
    fontStyle: "normal",
    color: "inherit",
    opacity: "0.75",
    fontFamily: "var(--sans)",
    marginLeft: "1em",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": {
    padding: "8px 10px",
    maxWidth: "22rem",
    fontFamily: "var(--sans)",
    fontSize: "var(--size-small)",
  },
  ".cm-tooltip-hover": { fontFamily: "var(--sans)", fontSize: "var(--size-small)", maxWidth: "26rem" },
  ".cm-hover": { padding: "6px 10px" },
  ".cm-hover code": { fontFamily: "var(--mono)" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--sans)", fontSize: "var(--size-small)", borderLeftWidth: "4px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--accent)" },
  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "1px" },
  ".cm-lintRange-error": {
    textDecoration: "underline wavy var(--bad) 1px",
    textUnderlineOffset: "3px",
    backgroundColor: "var(--bad-tint)",
  },
  ".cm-lintRange-warning": { textDecoration: "underline wavy var(--warn) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-active": { backgroundColor: "var(--selection)" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0 2px" },
  ".cm-lint-marker": { width: "10px", height: "10px", marginTop: "5px", content: "none", borderRadius: "50%" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--bad)", borderRadius: "2px" },
  ".cm-lint-marker-warning": { content: "none", backgroundColor: "var(--warn)" },
  ".cm-shown": { backgroundColor: "var(--shown)", borderRadius: "2px" },
  ".cm-line.cm-differs": { backgroundColor: "var(--differs)", boxShadow: "inset 3px 0 0 var(--accent)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)", borderColor: "var(--line)", fontFamily: "var(--sans)" },
  ".cm-textfield": { backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", borderRadius: "4px" },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
  ".cm-searchMatch": { backgroundColor: "var(--differs)" },
});

const words = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-name)" },
  { tag: tags.string, color: "var(--code-text)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.bool, tags.null], color: "var(--code-word)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

/** The theme and the syntax highlighting. */
export const look: Extension = [theme, syntaxHighlighting(words)];
