//! The part of the page with single cases.

use adjudicate_host::reevaluation::{Report, Sample, Side};

use super::{text, tone};

/// Returns the samples, each of which can be opened.
pub(super) fn samples(report: &Report) -> String {
    if report.samples().is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<h2>Samples</h2>\n<p class=\"soft\">The first few of each pair of statuses; those with another status come first.</p>\n",
    );
    for sample in report.samples() {
        out += &case(sample);
    }
    out
}

fn case(sample: &Sample) -> String {
    let Sample { number, before, after, .. } = sample;
    let run =
        sample.run_id.as_deref().map_or_else(|| "<span class=\"soft\">no run id</span>".to_owned(), text);
    let status =
        |side: &Side| format!("<span class=\"status {}\">{}</span>", tone(side.status), side.status.as_str());
    let list = |title: &str, found: &[String]| match found {
        [] => String::new(),
        found => {
            let items: String =
                found.iter().map(|each| format!("<li><code>{}</code></li>", text(each))).collect();
            format!("<div class=\"soft\">{title}</div><ul>{items}</ul>")
        }
    };
    format!(
        "<details class=\"card case\">\n<summary><span class=\"number\">{number}</span><span class=\"run\">{run}</span>\
         {} \u{2192} {}</summary>\n{}<div class=\"sides\">\n<div><h3>before</h3>{}{}</div>\n\
         <div><h3>now</h3>{}{}</div>\n</div>\n</details>\n",
        status(before),
        status(after),
        differs(&sample.changed),
        details(before),
        list("found only before", &sample.disappeared),
        details(after),
        list("found only now", &sample.appeared)
    )
}

/// Returns the fields of the decision that differ.
fn differs(members: &[String]) -> String {
    if members.is_empty() {
        return String::new();
    }
    let members: Vec<_> = members.iter().map(|member| format!("<code>{}</code>", text(member))).collect();
    format!("<p class=\"differs soft\">different: {}</p>\n", members.join(", "))
}

fn details(side: &Side) -> String {
    if let Some(code) = &side.error {
        return format!("<div>error <code>{}</code></div>", text(code));
    }
    let mut out = match &side.next_step {
        Some(step) => format!("<div>next step <code>{}</code></div>", text(step)),
        None => "<div class=\"soft\">no next step</div>".to_owned(),
    };
    for (name, items) in [("flags", &side.risk_flags), ("blockers", &side.blockers)] {
        if !items.is_empty() {
            let items: Vec<_> = items.iter().map(|item| format!("<code>{}</code>", text(item))).collect();
            out += &format!("<div>{name} {}</div>", items.join(", "));
        }
    }
    out
}
