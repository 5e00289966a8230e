//! The parts of the web pages of reports. A page loads and runs nothing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Returns a self-contained HTML page of a command.
pub(crate) fn document(
    command: &str,
    title: &str,
    heading: &Markup,
    body: &Markup,
    footer: &Markup,
) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                // The page may load and run nothing, whatever a name in the report contains.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(include_str!("web_page.css"))) }
            }
            body { main {
                p.over { (command) }
                h1 { (heading) }
                (body)
                footer { "Written by adjudicate " (adjudicate_core::VERSION) ". " (footer) }
            } }
        }
    };
    page.into_string()
}

/// Formats a number with separators, for example `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let is_first_of_three = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits
        .char_indices()
        .flat_map(|(at, digit)| is_first_of_three(at).then_some(',').into_iter().chain([digit]))
        .collect()
}

/// Returns a section with a table; nothing without rows.
pub(crate) fn table(title: &str, about: &str, head: &[&str], rows: &[Markup]) -> Markup {
    html! {
        @if !rows.is_empty() {
            h2 { (title) }
            @if !about.is_empty() { p.soft { (about) } }
            div.card.wide { table {
                @if !head.is_empty() { thead { tr { @for name in head { th scope="col" { (name) } } } } }
                tbody { @for row in rows { tr { (row) } } }
            } }
        }
    }
}
