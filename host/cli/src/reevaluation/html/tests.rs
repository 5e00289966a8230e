//! The page is well-formed, agrees with the report, and has no active content.

use adjudicate_core::{Error, Operation, Policy};
use adjudicate_host::reevaluation::{Reevaluation, Step, Version, read_line};

use super::text;

fn policy(text: &str) -> Version {
    Version::Policy(Box::new(Policy::parse(text.as_bytes()).unwrap()))
}

fn strict() -> Version {
    policy(r#"{"policy":"strict","version":"2.0.0","forbidden_paths":["secret/**"]}"#)
}

fn reevaluation(after: Version) -> Reevaluation {
    Reevaluation {
        before: None,
        unrecorded: Version::Engine,
        after,
        threads: 2,
        samples: 3,
        expectations: Vec::new(),
        least: 1,
    }
}

fn steps(lines: &[String]) -> impl Iterator<Item = Result<Step, Error>> {
    lines.iter().zip(1..).map(|(line, number)| {
        Ok(match read_line(number, line.as_bytes(), Operation::Evaluate) {
            Ok(line) => Step::Line(line),
            Err(error) => Step::Bad(number, error),
        })
    })
}

/// Returns an envelope of a run that changed a file.
fn envelope(run: &str, path: &str) -> String {
    let run = serde_json::to_string(run).unwrap();
    serde_json::json!({
        "run_id": 0, "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
        "allowed_next_steps": ["publish", "fix", "rollback"], "provenance_window": [],
        "evidence": {
            "transcript_summary": "", "workspace_diff_summary": format!(" M {path}\n"),
            "validation": {"mechanical_outcome": "completed", "exit_codes": {"test": 0}, "timeouts": []},
            "artifacts": [], "policy_events": [],
        },
    })
    .to_string()
    .replace(r#""run_id":0"#, &format!(r#""run_id":{run}"#))
}

fn calls(count: usize) -> Vec<String> {
    let path = |number| if number % 10 == 3 { "secret/key" } else { "src/lib.rs" };
    (0..count).map(|number| envelope(&format!("run-{number}"), path(number))).collect()
}

/// The name, the attributes, and the text after the tag.
type Element = (String, Vec<(String, String)>, String);

/// Returns the elements of a page. Panics if the page is not well-formed.
fn elements(page: &str) -> Vec<Element> {
    const VOID: [&str; 2] = ["meta", "input"];
    let plain = |text: &str| {
        assert!(!text.contains(['<', '>']), "{text:?}");
        let mut out = String::new();
        let mut parts = text.split('&');
        out.push_str(parts.next().unwrap());
        for part in parts {
            let (name, rest) = part.split_once(';').unwrap_or_else(|| panic!("{text:?}"));
            out.push_str(match name {
                "lt" => "<",
                "gt" => ">",
                "amp" => "&",
                "quot" => "\"",
                "#39" => "'",
                _ => panic!("{name}"),
            });
            out.push_str(rest);
        }
        out
    };
    let mut rest = page.strip_prefix("<!doctype html>\n").unwrap();
    let (mut open, mut found) = (Vec::new(), Vec::new());
    while let Some((before, after)) = rest.split_once('<') {
        assert!(before.trim().is_empty() || !open.is_empty(), "{before:?}");
        let (tag, after) = after.split_once('>').unwrap();
        let text = after.split('<').next().unwrap();
        rest = &after[text.len()..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{tag}");
            if !text.trim().is_empty() {
                found.push((String::new(), Vec::new(), plain(text)));
            }
            continue;
        }
        let (tag, is_closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut left) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while let Some((key, after)) = left.trim_start().split_once('=') {
            let (value, after) = after.strip_prefix('"').unwrap().split_once('"').unwrap();
            let key = key.rsplit(' ').next().unwrap();
            attributes.push((key.to_owned(), plain(value)));
            left = after;
        }
        assert!(["", "checked"].contains(&left.trim()), "{tag}");
        if !is_closed && !VOID.contains(&name) {
            open.push(name.to_owned());
        }
        let text = if name == "style" { String::new() } else { plain(text) };
        found.push((name.to_owned(), attributes, text));
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest:?}");
    found
}

const HOSTILE: &str =
    "</title><script>alert(1)</script>&\"'`{{x}} \u{202e}\u{0}\u{1b}[31m<img src=x onerror=y>";

#[test]
fn the_page_is_whole_and_nothing_in_it_acts() {
    let mut lines = calls(50);
    lines.push(envelope(HOSTILE, "secret/key"));
    lines.push(format!("{{\"a\": 1, \"{}", HOSTILE.replace('"', "'").replace(['\0', '\u{1b}'], "")));
    let mut again = reevaluation(policy(
        r#"{"policy":"strict","version":"2.0.0","forbidden_paths":["secret/**"],"rules":[{"id":"r","when":{"==":[{"var":"input.run_id"},"run-1"]},
            "then":{"status":"needs_human","summary":"<b>bold</b>"}}]}"#,
    ));
    (again.samples, again.expectations) = (100, vec!["success->*".parse().unwrap()]);
    let mut report = again.run(steps(&lines), |_| {}).unwrap();
    report.name(HOSTILE, "strict@2.0.0");
    let page = super::page(&report);
    assert_eq!(page, super::page(&report));
    let elements = elements(&page);
    let named = |name: &str| elements.iter().filter(|(element, ..)| element == name).collect::<Vec<_>>();
    // No script, frame, external picture, event handler or link.
    let allowed = [
        "", "html", "head", "meta", "title", "style", "body", "main", "p", "h1", "h2", "h3", "span", "dl",
        "dt", "dd", "div", "svg", "path", "rect", "text", "table", "thead", "tbody", "tr", "th", "td",
        "code", "details", "summary", "ul", "li", "footer", "input", "label",
    ];
    for (name, attributes, _) in &elements {
        assert!(allowed.contains(&name.as_str()), "{name}");
        for (key, value) in attributes {
            assert!(
                !key.starts_with("on") && !["src", "href", "style"].contains(&key.as_str()),
                "{key}={value}"
            );
        }
    }
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    assert!(
        !style.contains("url(") && !style.contains("@import") && !page.contains("://"),
        "nothing is loaded"
    );
    assert!(page.contains("default-src 'none'"));
    // Data stays text.
    let run = named("span").into_iter().find(|(.., text)| text.contains("alert(1)")).unwrap();
    assert_eq!(
        run.2,
        HOSTILE.replace('\u{202e}', "\\u{202e}").replace('\0', "\\u{0}").replace('\u{1b}', "\\u{1b}")
    );
    assert!(!page.contains(['\u{202e}', '\0', '\u{1b}']));
    // The picture has the counts of the matrix. It is drawn twice: with all statuses, and with the changed ones.
    let bands: Vec<_> = named("title").into_iter().map(|(.., text)| text.as_str()).collect();
    for line_text in
        ["44 stayed success", "6 went from success to unsafe", "1 went from success to needs_human"]
    {
        assert!(bands.contains(&line_text), "{line_text}: {bands:?}");
    }
    assert_eq!(named("svg").len(), 2);
    assert!(named("td").iter().any(|(.., text)| text == "44"));
    assert_eq!(named("details").len(), report.samples().len());
}

#[test]
fn a_report_without_cases_has_a_page() {
    let report = reevaluation(strict()).run(steps(&[]), |_| {}).unwrap();
    let page = super::page(&report);
    let elements = elements(&page);
    assert!(report.is_failed() && elements.iter().any(|(.., text)| text == "Nothing compared"));
    assert!(elements.iter().all(|(name, ..)| name != "svg" && name != "table"));
}

#[test]
fn data_is_visible_text() {
    assert_eq!(text("<b>\"it's\" & so\n"), "&lt;b&gt;&quot;it&#39;s&quot; &amp; so\\n");
    assert_eq!(text("a\u{ad}b\u{202e}c\u{e0041}d"), "a\\u{ad}b\\u{202e}c\\u{e0041}d");
    assert_eq!(text("👩\u{200d}💻"), "👩\u{200d}💻");
}
