//! A report as one HTML page: no script, no external resources, light or dark as the reader's browser.
//!
//! Data of the report (runs, rules, steps, messages) is always text, never markup.

mod flow;
mod samples;
#[cfg(test)]
mod tests;

use adjudicate_host::reevaluation::{Change, Label, Report};
use adjudicate_sandbox::{counted, visible};

use flow::Flow;
use samples::samples;

/// The content security policy: the page may load and run nothing, whatever a name in the report contains.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n";

const STYLE: &str = include_str!("style.css");

/// Returns the report as a self-contained HTML page.
///
/// The same report gives the same page, byte for byte: there is no date in it.
pub(super) fn page(report: &Report) -> String {
    let (before, after) = report.names();
    let mut out = String::from(HEAD);
    out += &format!(
        "<title>{} \u{2192} {}</title>\n<style>\n{STYLE}</style>\n</head>\n",
        text(before),
        text(after)
    );
    out += "<body>\n<main>\n<p class=\"over\">adjudicate replay</p>\n";
    out += &format!("<h1>{} <span class=\"arrow\">\u{2192}</span> {}</h1>\n", text(before), text(after));
    out += &verdict(report);
    out += &tiles(report);
    out += &picture(report);
    out += &matrix(report);
    out += &expectations(report);
    out += &moved(report);
    out += &samples(report);
    out += &left_out(report);
    out += &format!(
        "<footer>Written by adjudicate {}. Statuses are ordered by severity. A case without an answer has \
         the status <code>error</code>.</footer>\n</main>\n</body>\n</html>\n",
        adjudicate_core::VERSION
    );
    out
}

/// Escapes data: markup, and characters that change the direction of text or are invisible.
pub(super) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Formats a number with separators, for example `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns the color of a status: a class of the style sheet.
pub(super) fn tone(label: Label) -> &'static str {
    match label.as_str() {
        "success" | "accepted" | "linked" | "continue" | "commit" => "good",
        "partial" | "accepted_with_findings" | "switch" => "fair",
        "blocked" | "rejected" | "not_linked" | "stop" => "stuck",
        "needs_human" | "escalate" => "ask",
        "unsafe" => "bad",
        "error" => "none",
        _ => "plain",
    }
}

fn verdict(report: &Report) -> String {
    let changed = report.changed(Change::Decision);
    let (word, tone) = match (report.compared(), report.is_failed(), report.bad_lines(), changed) {
        (0, ..) => ("Nothing compared", "bad"),
        (_, true, ..) => ("Failed", "bad"),
        (_, _, 1.., _) => ("Incomplete: some lines cannot be read", "stuck"),
        (.., 0) => ("No decision changed", "good"),
        _ => ("Decisions changed", "fair"),
    };
    let compared = grouped(report.compared());
    let mut line_text = match (report.compared(), changed) {
        (0, _) => {
            "No decision could be compared, so the report proves nothing about the new version.".to_owned()
        }
        (1, 0) => "The one compared decision is the same.".to_owned(),
        (_, 0) => format!("All {compared} compared decisions are the same."),
        (_, changed) => format!(
            "{} of {} changed, {} of them to another status.",
            grouped(changed),
            counted(compared, "decision"),
            grouped(report.changed(Change::Status))
        ),
    };
    if report.is_too_little() && report.compared() > 0 {
        line_text += &format!(" At least {} had to be compared.", grouped(report.least()));
    }
    if report.is_exact() && report.changed(Change::Wording) > 0 {
        let count = grouped(report.changed(Change::Wording));
        line_text += &format!(" {} of the recorded version changed in some byte.", counted(count, "answer"));
    }
    format!("<p><span class=\"verdict {tone}\">{word}</span></p>\n<p>{line_text}</p>\n")
}

fn tiles(report: &Report) -> String {
    let counts = [
        ("read", report.read(), ""),
        ("compared", report.compared(), ""),
        ("the same", report.compared() - report.changed(Change::Wording), ""),
        ("wording only", report.changed(Change::Wording) - report.changed(Change::Decision), ""),
        (
            "same status, other decision",
            report.changed(Change::Decision) - report.changed(Change::Status),
            "fair",
        ),
        ("other status", report.changed(Change::Status), "fair"),
        ("not replayable", report.not_replayable(), "stuck"),
        ("cannot be read", report.bad_lines(), "bad"),
    ];
    let tile = |(name, count, tone): (&str, u64, &str)| {
        let class = match (count, tone) {
            (0, _) => "zero".to_owned(),
            (_, "") => String::new(),
            (_, tone) => format!("loud {tone}"),
        };
        format!("<div class=\"{class}\"><dt>{name}</dt><dd>{}</dd></div>\n", grouped(count))
    };
    format!("<dl class=\"tiles\">\n{}</dl>\n", counts.into_iter().map(tile).collect::<String>())
}

fn picture(report: &Report) -> String {
    let all: Vec<Flow> = report.transitions().collect();
    if all.is_empty() {
        return String::new();
    }
    let changed: Vec<Flow> = all.iter().copied().filter(|(from, to, _)| from != to).collect();
    let columns = "<div class=\"columns\"><span>before</span><span>now</span></div>\n";
    let mut out = String::from("<h2>Changes of status</h2>\n<div class=\"card\">\n");
    if changed.is_empty() {
        out += &format!(
            "<div class=\"view always\">\n{columns}{}</div>\n",
            flow::svg(&all, "No status changed")
        );
    } else {
        let stayed = "Statuses before on the left, now on the right; grey bands stayed the same";
        out += "<input class=\"pick\" type=\"radio\" name=\"view\" id=\"all\" checked>\
                <label for=\"all\">Everything</label>\n<input class=\"pick\" type=\"radio\" name=\"view\" id=\"only\">\
                <label for=\"only\">Only what changed</label>\n";
        out += &format!("<div class=\"view all\">\n{columns}{}</div>\n", flow::svg(&all, stayed));
        let title = "Only the statuses that changed: before on the left, now on the right";
        out += &format!("<div class=\"view only\">\n{columns}{}</div>\n", flow::svg(&changed, title));
    }
    out + "</div>\n"
}

fn matrix(report: &Report) -> String {
    let mut labels: Vec<Label> = report.transitions().flat_map(|(from, to, _)| [from, to]).collect();
    labels.sort_unstable();
    labels.dedup();
    if labels.is_empty() {
        return String::new();
    }
    let head: String =
        labels.iter().map(|label| format!("<th scope=\"col\">{}</th>", label.as_str())).collect();
    let mut out = String::from("<h2>Transitions</h2>\n<div class=\"card wide\">\n<table>\n");
    out += &format!("<thead><tr><th scope=\"col\">before \\ now</th>{head}</tr></thead>\n<tbody>\n");
    for from in &labels {
        out += &format!("<tr><th scope=\"row\">{}</th>", from.as_str());
        for to in &labels {
            let found = report.transitions().find(|(row, column, _)| (row, column) == (from, to));
            out += &match found {
                None => "<td class=\"nil\">\u{b7}</td>".to_owned(),
                Some((.., count)) if from == to => format!("<td class=\"stay\">{}</td>", grouped(count)),
                Some((.., count)) => format!("<td class=\"moved {}\">{}</td>", tone(*to), grouped(count)),
            };
        }
        out += "</tr>\n";
    }
    out + "</tbody>\n</table>\n</div>\n"
}

fn expectations(report: &Report) -> String {
    let rows: String = report
        .expectations()
        .map(|(change, count)| {
            let (class, line_text) = if count == 0 {
                ("stay", "none".to_owned())
            } else {
                ("moved bad", counted(grouped(count), "time"))
            };
            format!(
                "<tr><th scope=\"row\"><code>{}</code></th><td class=\"{class}\">{line_text}</td></tr>\n",
                text(change)
            )
        })
        .collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<h2>Forbidden changes</h2>\n<div class=\"card wide\">\n<table>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

fn moved(report: &Report) -> String {
    let mut rows = String::new();
    if report.next_steps() > 0 {
        let count = grouped(report.next_steps());
        rows += &format!(
            "<tr><th scope=\"row\">next step</th><td class=\"text soft\">changed</td><td>{count}</td><td>{count}</td></tr>\n"
        );
    }
    for (kind, name, appeared, disappeared) in report.moved() {
        let cell = |count: u64| match count {
            0 => "<td class=\"nil\">\u{b7}</td>".to_owned(),
            count => format!("<td>{}</td>", grouped(count)),
        };
        rows += &format!(
            "<tr><th scope=\"row\">{kind}</th><td class=\"text\"><code>{}</code></td>{}{}</tr>\n",
            text(name),
            cell(appeared),
            cell(disappeared)
        );
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<h2>Added and removed</h2>\n<p class=\"soft\">The number of decisions that have each only now, or only before.</p>\n<div class=\"card wide\">\n<table>\n<thead><tr><th scope=\"col\"></th><th scope=\"col\"></th>\
         <th scope=\"col\">added</th><th scope=\"col\">removed</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

fn left_out(report: &Report) -> String {
    let mut out = String::new();
    let table = |title: &str, about: &str, rows: &str| {
        format!(
            "<h2>{title}</h2>\n<p class=\"soft\">{about}</p>\n<div class=\"card wide\">\n<table>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
        )
    };
    let first = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let rows: String = report
        .obstacles()
        .map(|(obstacle, count, numbers)| {
            let (meaning, numbers) = (obstacle.meaning(), first(numbers));
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"text\">{meaning}</td><td class=\"text soft\">{numbers}</td></tr>\n",
                grouped(count)
            )
        })
        .collect();
    if !rows.is_empty() {
        out += &table(
            "Not replayable",
            "These cases were not decided again. No other number includes them.",
            &rows,
        );
    }
    let rows: String = report
        .first_bad_lines()
        .map(|(line, code, message)| {
            format!(
                "<tr><th scope=\"row\">{line}</th><td class=\"text\"><code>{code}</code></td><td class=\"text\">{}</td></tr>\n",
                text(message)
            )
        })
        .collect();
    if !rows.is_empty() {
        let about = format!("{} in total. The first, by line:", grouped(report.bad_lines()));
        out += &table("Lines that cannot be read", &about, &rows);
    }
    out
}
