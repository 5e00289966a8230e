//! Regular expressions in linear time: the subset of ECMA-262 that schemas and policies use.
//!
//! A pattern is compiled to a small automaton, and the search follows all of its states at once. So the work is at most the length
//! of the text times the size of the pattern. A pattern is found anywhere in the text unless `^` and `$` anchor it. It matches
//! Unicode characters, as with the flag `u`.
//!
//! | syntax | meaning |
//! | --- | --- |
//! | `abc`, `a\|b`, `(a)`, `(?:a)`, `(?<name>a)` | text, alternatives, groups (none of them captures) |
//! | `*` `+` `?` `{2}` `{2,}` `{2,5}`, each with `?` after it or not | repetition; greed does not change whether text matches |
//! | `.` | any character but `\n`, `\r`, U+2028 and U+2029 |
//! | `[a-z_]`, `[^a-z]`, `[]`, `[^]` | one character in or not in the set; nothing; anything |
//! | `\d` `\w` | an ASCII digit; an ASCII letter, digit or `_` |
//! | `\s` | white space and line ends, Unicode's included |
//! | `\D` `\W` `\S` | the others |
//! | `\p{L}` `\p{Lu}` `\p{Ll}` `\p{N}` `\p{Nd}`, their long names, `\P{..}` | letters and numbers of all scripts; the others |
//! | `^` `$` `\b` `\B` | the start and the end of the text; at and not at the edge of an ASCII word |
//! | `\t` `\n` `\v` `\f` `\r` `\0` `\cA` `\x41` `\u0041` `\u{1F600}` | that character |
//! | `\` and anything but an ASCII letter, a digit or `_` | that character |
//!
//! `{`, `}` and `]` are ordinary characters where they neither begin nor end anything, as in browsers without the flag.
//! Look-around, back-references, inline flags and other properties are errors, never silently something else.

mod automaton;
mod class;
mod cursor;
mod escape;
mod fast_search;
mod parser;
mod positions;
mod simulation;
mod table;
mod tree;
mod unicode;

use alloc::boxed::Box;

use crate::{error::Error, steps::Steps};
use automaton::Automaton;
use fast_search::FastSearch;

/// A compiled regular expression.
///
/// ```
/// use adjudicate_lang::{Steps, pattern::Regex};
/// let mut steps = Steps::default();
/// let version = Regex::compile(r"^v\d+(\.\d+){0,2}$", &mut steps)?;
/// assert!(version.matches("v1.20", &mut steps)?);
/// assert!(!version.matches("v1.20-beta", &mut steps)?);
///
/// let error = Regex::compile(r"a(?=b)", &mut steps).unwrap_err();
/// assert_eq!(error.message(), "look-around `(?=` is not supported, character 2 of the pattern");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Regex {
    text: Box<str>,
    automaton: Automaton,
    /// `None` if the pattern does not permit it.
    fast_search: Option<Box<FastSearch>>,
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// [`invalid_value`](crate::codes::INVALID_VALUE) for an invalid or unsupported pattern.
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when its repetitions expand to too many states, its groups nest too deep,
    /// or the budget runs out.
    pub fn compile(text: &str, steps: &mut Steps) -> Result<Self, Error> {
        steps.spend(text.len() + 1)?;
        let automaton = Automaton::build(parser::parse(text, steps)?, steps)?;
        let fast_search = FastSearch::build(&automaton, steps).map(Box::new);
        Ok(Self { text: text.into(), automaton, fast_search })
    }

    /// Returns the pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the pattern matches anywhere in `text`.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub fn matches(&self, text: &str, steps: &mut Steps) -> Result<bool, Error> {
        match &self.fast_search {
            Some(search) => search.finds(&self.automaton, text, steps),
            None => simulation::finds(&self.automaton, text, steps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;
    use alloc::{format, string::String};

    fn matches(pattern: &str, text: &str) -> bool {
        let mut steps = Steps::default();
        Regex::compile(pattern, &mut steps).unwrap().matches(text, &mut steps).unwrap()
    }

    #[test]
    fn each_syntax_matches_as_documented() {
        for (pattern, yes, no) in [
            ("", &["", "a"][..], &[][..]),
            ("abc", &["abc", "xabcx"], &["", "ab", "ABC"]),
            ("^abc$", &["abc"], &["xabc", "abcx", "abc\n"]),
            ("a|bc|", &["", "x"], &[]),
            ("^(a|bc)$", &["a", "bc"], &["", "abc", "b"]),
            ("^(?:a|(?<x>b))c$", &["ac", "bc"], &["abc"]),
            ("^a*$", &["", "aaa"], &["aab"]),
            ("^a+?$", &["a", "aaa"], &[""]),
            ("^a?$", &["", "a"], &["aa"]),
            ("^a{2}$", &["aa"], &["a", "aaa"]),
            ("^a{2,}$", &["aa", "aaaa"], &["a"]),
            ("^a{2,3}?$", &["aa", "aaa"], &["a", "aaaa"]),
            ("^a{0}$", &[""], &["a"]),
            ("^(a*)*$", &["", "aaa"], &["b"]),
            ("^(a|b*)*c$", &["c", "abbac"], &["abd"]),
            ("^(){3,}x$", &["x"], &["y"]),
            ("^.$", &["a", "é", "😀", "\u{85}"], &["\n", "\r", "\u{2028}", "ab"]),
            ("^[^]$", &["\n", "x"], &["", "xy"]),
            ("[]", &[], &["", "a"]),
            ("^[a-c_]+$", &["abc_"], &["d", ""]),
            ("^[^a-c]$", &["d", "é", "\n"], &["a", ""]),
            ("^[-a]$", &["-", "a"], &["b"]),
            ("^[a-]$", &["-", "a"], &["b"]),
            (r"^[\w-]+$", &["a-b_9"], &["é", "a b"]),
            (r"^[\d-x]+$", &["1-x"], &["a"]),
            (r"^[\]\\^]+$", &[r"]\^"], &["a"]),
            (r"^[\b]$", &["\u{8}"], &["b"]),
            (r"^\d+$", &["0123"], &["", "٣", "a"]),
            (r"^\D\W\S$", &["a-b"], &["1-b", "aab", "a- "]),
            (r"^[^\W\d]$", &["a", "_"], &["1", "-"]),
            (r"^\s$", &[" ", "\t", "\u{a0}", "\u{feff}", "\u{2003}", "\u{2029}"], &["", "a", "\u{85}"]),
            (r"\bcat\b", &["cat", "a cat!"], &["concat", "cats"]),
            (r"^\Bx", &[], &["x"]),
            (r"o\B", &["foot"], &["fo", "o o"]),
            (r"^\x41\u0042\u{43}\cJ\0$", &["ABC\n\0"], &["ABC"]),
            (r"^\ud83d\ude00$", &["😀"], &["x"]),
            (r"^\.\*\/\-\@\ $", &[".*/-@ "], &["a"]),
            (r"^\p{L}+$", &["abcÄöπ漢"], &["a1", "", "²"]),
            (r"^\p{Letter}\p{Lu}\p{Ll}\p{Nd}\p{Number}$", &["xÉé٣½"], &["xéÉ٣½", "xÉé½½"]),
            (r"^[\p{L}\d]+\P{L}$", &["é9-"], &["é9x"]),
            ("a{,2}", &["a{,2}"], &["aa"]),
            ("^x{y}]$", &["x{y}]"], &["xy"]),
            ("^é{2}$", &["éé"], &["é"]),
            ("(^a|b$)", &["ax", "xb"], &["xa", "bx"]),
            ("a$b|^$", &[""], &["a", "ab"]),
        ] {
            for text in yes {
                assert!(matches(pattern, text), "{pattern} on {text:?}");
            }
            for text in no {
                assert!(!matches(pattern, text), "{pattern} on {text:?}");
            }
        }
    }

    #[test]
    fn large_and_small_automata_agree() {
        // With many states before it, the pattern has a large automaton and the same meaning.
        let many = format!("(?:{}|", "x".repeat(140));
        for pattern in [
            "^a+$",
            r"\bcat\b",
            "a|^$",
            "(a*)*b",
            "^[^a]",
            "b$",
            r"^\Bx",
            "",
            "(ab|a)(c|bcd)*$",
            "^(a?){3}$",
            "[]",
            "$^",
            "^^a$$|b$c",
            "[^b-é]é?$",
            // So many sets of positions that there is no table.
            "(a|b)*a(a|b|c){12}d",
        ] {
            let long = "abcabaabcbabcbad";
            for text in [
                "", "a", "aaa", "b", "aab", "a cat", "cats", "x", "abcd", "abbcdc", "ac", "\n", "é", "bé",
                long,
            ] {
                let large = format!("{many}(?:{pattern}))");
                assert_eq!(matches(pattern, text), matches(&large, text), "{pattern} on {text:?}");
            }
        }
    }

    #[test]
    fn unsupported_syntax_is_rejected() {
        for (pattern, message) in [
            ("a(?=b)", "look-around `(?=` is not supported, character 2 of the pattern"),
            ("(?!b)", "look-around `(?!` is not supported, character 1 of the pattern"),
            ("é(?<=b)", "look-around `(?<=` is not supported, character 2 of the pattern"),
            ("(?<!b)", "look-around `(?<!` is not supported, character 1 of the pattern"),
            ("(?i)a", "unknown group `(?i`, character 1 of the pattern"),
            ("(?<1>a)", "a group's name is letters, digits, `_` and `$`, character 1 of the pattern"),
            (r"(a)\1", r"the back-reference `\1` is not supported, character 4 of the pattern"),
            (r"\k<a>", r"the back-reference `\k` is not supported, character 1 of the pattern"),
            (r"\p{Greek}", r"the property `Greek` is not supported, character 1 of the pattern"),
            (r"\pL", r"`\p` needs a property in braces, character 1 of the pattern"),
            (r"\a", r"unknown escape `\a`, character 1 of the pattern"),
            (r"\01", r"unknown escape `\0`, character 1 of the pattern"),
            ("a\\", "a backslash at the end, character 2 of the pattern"),
            (r"\xg0", r"`\x` needs hexadecimal digits, character 1 of the pattern"),
            (r"\u{110000}", r"`\u` names no character, character 1 of the pattern"),
            (r"\ud83d", r"`\u` names no character, character 1 of the pattern"),
            (r"\c1", r"`\c` needs a letter, character 1 of the pattern"),
            ("(a", "a `(` without `)`, character 1 of the pattern"),
            ("a)", "a `)` without `(`, character 2 of the pattern"),
            ("[a", "a `[` without `]`, character 1 of the pattern"),
            ("[b-a]", "a range that ends before it begins, character 2 of the pattern"),
            ("*a", "nothing to repeat, character 1 of the pattern"),
            ("a|+", "nothing to repeat, character 3 of the pattern"),
            ("^*", "nothing to repeat, character 2 of the pattern"),
            ("a**", "nothing to repeat, character 3 of the pattern"),
            ("{2}", "nothing to repeat, character 1 of the pattern"),
            ("a{3,2}", "a repetition that ends before it begins, character 2 of the pattern"),
        ] {
            let error = Regex::compile(pattern, &mut Steps::default()).unwrap_err();
            assert_eq!((error.code(), error.message()), (codes::INVALID_VALUE, message), "{pattern}");
        }
    }

    #[test]
    fn bombs_end_in_a_limit() {
        let limit = |pattern: &str| {
            let error = Regex::compile(pattern, &mut Steps::for_patterns()).unwrap_err();
            assert_eq!(error.code(), codes::LIMIT_EXCEEDED, "{}", error.message());
        };
        limit("((a{1000}){1000}){1000}");
        limit("a{99999999999999999999}");
        limit(&format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000)));
        limit(&format!("{}{}{}", "(".repeat(20), "", "){1000}".repeat(20)));
        limit(&"a".repeat(1_000_000));
        limit(&r"[\p{L}\P{N}]".repeat(10_000));
    }

    #[test]
    fn the_work_is_linear_and_bounded() {
        let mut steps = Steps::default();
        let text: String = "a".repeat(100_000) + "!";
        for pattern in ["^(a+)+$", "^(a|a)*$", "^(a*)*b", "(x+x+)+y", "(.*)(.*)(.*)(.*)(.*)[^a!]"] {
            let regex = Regex::compile(pattern, &mut steps).unwrap();
            assert!(!regex.matches(&text, &mut steps).unwrap(), "{pattern}");
        }
        let slow = Regex::compile("(a?){1000}b", &mut Steps::default()).unwrap();
        let error = slow.matches(&text, &mut Steps::new(1_000_000)).unwrap_err();
        assert_eq!(error.code(), codes::LIMIT_EXCEEDED);
    }
}
