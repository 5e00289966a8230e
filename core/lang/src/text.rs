//! Characters of text that cannot be seen.

/// Returns whether a character is invisible or acts on the program that shows it. These are control characters, separators of lines
/// and paragraphs, and the general category Cf of Unicode 16 except its visible marks (such as U+0600).
///
/// ```
/// use adjudicate_lang::is_hidden;
/// assert!("\u{7}\u{ad}\u{200b}\u{202e}\u{e0041}".chars().all(is_hidden));
/// assert!(!"é \u{600}日".chars().any(is_hidden));
/// ```
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
