//! Names that Unicode normalization makes equal, such as `é` as one character and as `e` with an accent. Many file systems open the
//! same file by both.
//!
//! The tables of normalization would be a thirtieth of the engine's size. So names are compared without the difference between
//! letters of one script that can have marks. Equal names stay equal, and different ones with the same number of letters may become
//! equal.

use alloc::string::String;

/// The marks of the Basic Multilingual Plane: characters that join the one before them, or that change their order. Small gaps between
/// ranges are closed.
const MARKS: &[(u16, u16)] = &[
    (0x300, 0x36f),
    (0x483, 0x487),
    (0x591, 0x5cf),
    (0x610, 0x61a),
    (0x64b, 0x65f),
    (0x670, 0x670),
    (0x6d6, 0x6ed),
    (0x711, 0x711),
    (0x730, 0x74a),
    (0x7eb, 0x7f3),
    (0x7fd, 0x7fd),
    (0x816, 0x82d),
    (0x859, 0x85b),
    (0x897, 0x89f),
    (0x8ca, 0x8ff),
    (0x93c, 0x93c),
    (0x94d, 0x954),
    (0x9bc, 0x9be),
    (0x9cd, 0x9cd),
    (0x9d7, 0x9d7),
    (0x9fe, 0x9fe),
    (0xa3c, 0xa3c),
    (0xa4d, 0xa4d),
    (0xabc, 0xabc),
    (0xacd, 0xacd),
    (0xb3c, 0xb3e),
    (0xb4d, 0xb57),
    (0xbbe, 0xbbe),
    (0xbcd, 0xbcd),
    (0xbd7, 0xbd7),
    (0xc3c, 0xc3c),
    (0xc4d, 0xc56),
    (0xcbc, 0xcc2),
    (0xccd, 0xcd6),
    (0xd3b, 0xd3e),
    (0xd4d, 0xd4d),
    (0xd57, 0xd57),
    (0xdca, 0xdcf),
    (0xddf, 0xddf),
    (0xe38, 0xe3a),
    (0xe48, 0xe4b),
    (0xeb8, 0xeba),
    (0xec8, 0xecb),
    (0xf18, 0xf19),
    (0xf35, 0xf39),
    (0xf71, 0xf75),
    (0xf7a, 0xf87),
    (0xfb5, 0xfb7),
    (0xfc6, 0xfc6),
    (0x102e, 0x103a),
    (0x108d, 0x108d),
    (0x1161, 0x1175),
    (0x11a8, 0x11c2),
    (0x135d, 0x135f),
    (0x1714, 0x1715),
    (0x1734, 0x1734),
    (0x17d2, 0x17d2),
    (0x17dd, 0x17dd),
    (0x18a9, 0x18a9),
    (0x1939, 0x193b),
    (0x1a17, 0x1a18),
    (0x1a60, 0x1a60),
    (0x1a75, 0x1a7f),
    (0x1ab0, 0x1aff),
    (0x1b34, 0x1b35),
    (0x1b44, 0x1b44),
    (0x1b6b, 0x1b73),
    (0x1baa, 0x1bab),
    (0x1be6, 0x1be6),
    (0x1bf2, 0x1bf3),
    (0x1c37, 0x1c37),
    (0x1cd0, 0x1cf9),
    (0x1dc0, 0x1dff),
    (0x20d0, 0x20ff),
    (0x2cef, 0x2cf1),
    (0x2d7f, 0x2d7f),
    (0x2de0, 0x2dff),
    (0x302a, 0x302f),
    (0x3099, 0x309a),
    (0xa66f, 0xa67d),
    (0xa69e, 0xa69f),
    (0xa6f0, 0xa6f1),
    (0xa806, 0xa806),
    (0xa82c, 0xa82c),
    (0xa8c4, 0xa8c4),
    (0xa8e0, 0xa8f1),
    (0xa92b, 0xa92d),
    (0xa953, 0xa953),
    (0xa9b3, 0xa9b3),
    (0xa9c0, 0xa9c0),
    (0xaab0, 0xaac1),
    (0xaaf6, 0xaaf6),
    (0xabed, 0xabed),
    (0xfb1e, 0xfb1e),
    (0xfe20, 0xfe2f),
];

/// The marks beyond, with letters between them.
const FURTHER_MARKS: core::ops::RangeInclusive<u32> = 0x101fd..=0x1e94a;

/// Ranges of other characters that normalization replaces. Ranges also have characters that it keeps, between the replaced ones.
const REPLACED: &[(u32, u32)] = &[
    (0x374, 0x387),
    (0x1f71, 0x2001),
    (0x2126, 0x212b),
    (0x2329, 0x232a),
    (0x2adc, 0x2adc),
    (0xf900, 0xfad9),
    (0xfb1d, 0xfb4e),
    (0x2f800, 0x2fa1d),
];

/// Stands for an ASCII letter with marks, and for every letter of Latin and Greek and every symbol.
const LATIN: char = '\u{fffd}';

fn is_mark(character: char) -> bool {
    match u16::try_from(u32::from(character)) {
        Ok(code) => {
            let at = MARKS.partition_point(|(_, last)| *last < code);
            MARKS.get(at).is_some_and(|(first, _)| *first <= code)
        }
        Err(_) => FURTHER_MARKS.contains(&u32::from(character)),
    }
}

/// Returns true if a text has marks, or characters that normalization replaces.
///
/// ```
/// use adjudicate_lang::paths::is_unstable;
/// assert!(is_unstable("cafe\u{301}") && !is_unstable("caf\u{e9}") && !is_unstable("\u{65e5}\u{672c}"));
/// ```
#[must_use]
pub fn is_unstable(text: &str) -> bool {
    let is_replaced = |character: char| {
        let code = u32::from(character);
        REPLACED.iter().any(|(first, last)| (*first..=*last).contains(&code))
    };
    !text.is_ascii() && text.chars().any(|character| is_mark(character) || is_replaced(character))
}

/// Replaces each letter that has marks, or may have them in another form, and drops its marks. Texts that normalization makes equal
/// give the same result.
///
/// ```
/// use adjudicate_lang::paths::skeleton;
/// assert_eq!(skeleton("cafe\u{301}"), skeleton("caf\u{e9}"));
/// assert_eq!(skeleton("cafe"), "cafe");
/// ```
#[must_use]
pub fn skeleton(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            _ if is_mark(character) => match out.pop() {
                Some('/') => out.extend(['/', LATIN]),
                Some(before) if !before.is_ascii() => out.push(before),
                _ => out.push(LATIN),
            },
            '\u{37e}' => out.push(';'),
            '\u{1fef}' => out.push('`'),
            '\u{212a}' => out.push('K'),
            _ if character.is_ascii() => out.push(character),
            _ => out.push(script(character)),
        }
    }
    out
}

/// Returns a pattern without braces that matches the [skeleton] of each path that the pattern matches after normalization.
pub(super) fn pattern_skeleton(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, segment) in text.split('/').enumerate() {
        if index > 0 {
            out.push('/');
        }
        if segment == "**" {
            out.push_str(segment);
            continue;
        }
        for (index, literal) in segment.split(['*', '?']).enumerate() {
            // A wildcard may match marks of the letter before it, and the letter of marks after it.
            let marks = if index > 0 { literal.trim_start_matches(is_mark) } else { literal };
            if index > 0 {
                if out.ends_with(|last: char| last.is_ascii() && last != '/') {
                    out.pop();
                }
                out.push('*');
            }
            out.push_str(&skeleton(marks));
        }
    }
    out
}

/// Returns a character that stands for all letters with which normalization may exchange a letter.
fn script(letter: char) -> char {
    let row = match u32::from(letter) {
        // Thai, Lao, and Ethiopic to Mongolian: normalization only sorts their marks.
        0xe00..=0xeff | 0x1200..=0x1aff => return letter,
        0..=0x3ff | 0x1e00..=0x22ff => return LATIN,
        0x2300..=0x23ff => 0x30,
        0xfb1d..=0xfb4e => 0x05,
        0x1100..=0x11ff | 0xac00..=0xd7a3 => 0xac,
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff => 0x4e,
        code => code >> 8,
    };
    char::from_u32(row << 8).unwrap_or(LATIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Steps,
        paths::{Glob, Path, Pattern},
    };
    use alloc::format;
    use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};

    #[test]
    fn equal_texts_have_equal_skeletons() {
        let (nfc, nfd) = (ComposingNormalizer::new_nfc(), DecomposingNormalizer::new_nfd());
        let mut changed = 0;
        for character in '\u{80}'..=char::MAX {
            let text = String::from(character);
            let (composed, decomposed) = (nfc.normalize(&text), nfd.normalize(&text));
            let forms = [&*composed, &*decomposed];
            let is_changed = forms.iter().any(|form| **form != *text);
            for form in forms {
                assert_eq!(skeleton(form), skeleton(&text), "{text:?} {form:?}");
                let after = |text: &str| skeleton(&format!("a{text}"));
                assert_eq!(after(&nfc.normalize(form)), after(&text), "{text:?} {form:?}");
            }
            assert!(!is_changed || is_unstable(&text) || is_unstable(&decomposed), "{text:?}");
            changed += usize::from(is_changed);
            // Marks of one letter are sorted.
            for pair in [format!("{text}\u{334}"), format!("\u{301}{text}")] {
                assert!(is_changed || is_mark(character) || nfd.normalize(&pair) == pair, "{text:?}");
            }
        }
        assert!(changed > 10_000, "{changed}");
    }

    #[test]
    fn marks_join_letters_only() {
        for (text, expected) in [
            ("cafe\u{301}", "caf\u{fffd}"),
            ("cafe\u{323}\u{302}/x", "caf\u{fffd}/x"),
            ("*\u{301}", "\u{fffd}"),
            ("\u{301}a", "\u{fffd}a"),
            ("\u{ac00}\u{1100}\u{1161}", "\u{ac00}\u{ac00}"),
            ("\u{e01}\u{e48}\u{e02}", "\u{e01}\u{e02}"),
            ("\u{928}\u{93c}\u{65e5}", "\u{900}\u{4e00}"),
            ("\u{212a}ey", "Key"),
        ] {
            assert_eq!(skeleton(text), expected);
        }
    }

    #[test]
    fn a_pattern_that_matches_matches_the_skeleton() {
        const LETTERS: [char; 12] = [
            'a', 'e', '\u{e9}', '\u{301}', '\u{323}', '\u{332}', '.', '\u{65e5}', '\u{ac00}', '\u{1100}',
            '\u{1161}', '\u{11a8}',
        ];
        let nfc = ComposingNormalizer::new_nfc();
        let nfd = DecomposingNormalizer::new_nfd();
        let mut seed = 7_u32;
        let mut below = |limit: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as usize % limit
        };
        let (mut steps, mut matched) = (Steps::new(u64::MAX), 0);
        for _ in 0..40_000 {
            let mut path: String = (0..1 + below(6))
                .map(|_| LETTERS.get(below(LETTERS.len())).copied().unwrap_or('/'))
                .collect();
            if below(3) == 0 {
                path.insert(path.len() - path.chars().next_back().map_or(0, char::len_utf8), '/');
            }
            // A pattern that is made of the path, so many match.
            let composed = nfc.normalize(&path).into_owned();
            let mut pattern = String::new();
            for character in composed.chars() {
                match below(6) {
                    0 => pattern.push('?'),
                    1 => pattern.push('*'),
                    2 => pattern.extend(['*', character]),
                    _ => pattern.push(character),
                }
            }
            let pattern = if below(2) == 0 { nfd.normalize(&pattern).into_owned() } else { pattern };
            let compile = |text: &str, steps: &mut Steps| {
                Pattern::new(text).ok().map(|pattern| Glob::compile(pattern, steps).unwrap())
            };
            let Some(normal) = compile(&nfc.normalize(&pattern), &mut steps) else { continue };
            if normal.matches(&Path::split(&composed), &mut steps).unwrap() {
                let glob = compile(&pattern, &mut steps).unwrap().skeleton(&mut steps).unwrap();
                let text = skeleton(&path);
                assert!(glob.matches(&Path::split(&text), &mut steps).unwrap(), "{pattern:?} {path:?}");
                matched += 1;
            }
        }
        assert!(matched > 5_000, "{matched}");
    }
}
