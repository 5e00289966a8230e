//! `replay`: what changes under another version, and when that fails a build.

use crate::command::{ENVELOPE, POLICY, TestFolder};

/// Calls of which every fifth is in the way of [`POLICY`], as it is applied to `src/`.
fn calls(count: usize) -> String {
    let path = |number: usize| if number % 5 == 4 { "src/lib.rs" } else { "docs/a.md" };
    let call =
        |number| ENVELOPE.replace("src/lib.rs", path(number)).replace(r#""r""#, &format!("\"run-{number}\""));
    (0..count).map(|number| call(number) + "\n").collect()
}

fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("calls.ndjson", calls(20));
    place.file("policy.json", POLICY);
    place
}

#[test]
fn records_are_decided_again_by_their_own_or_another_version() {
    let place = place();
    place.records(6);
    // No module was active in that slot, so nothing can be decided again, which is no success.
    let again = place.run_in_store(&["replay", "--slot", "s", "--format", "json"]);
    assert_eq!(again.status, Some(1), "{again:?}");
    let report = again.json();
    assert_eq!(
        (&report["exact"], &report["not_replayable"]["module_missing"]["count"]),
        (&true.into(), &6.into())
    );
    let run = place.run_in_store(&["replay", "--slot", "s", "--policy", "policy.json", "--format", "json"]);
    let report = run.json();
    assert_eq!(
        (run.status, &report["before"], &report["compared"]),
        (Some(0), &"as recorded".into(), &6.into())
    );
    assert_eq!(report["transitions"], serde_json::json!([{"from": "success", "to": "unsafe", "count": 6}]));
    let since = "replay --slot s --policy policy.json --since 1970-01-01T00:00:05Z --format json";
    assert_eq!(place.run_in_store(&since.split(' ').collect::<Vec<_>>()).json()["read"], 2);
    // The line of a record that was changed does not count.
    let exported = place.run_in_store(&["records", "export", "--slot", "s"]).stdout;
    let changed = exported.replacen("publish", "rollback", 1);
    let run =
        place.run_with(&["replay", "-", "--policy", "policy.json", "--format", "json"], changed.as_bytes());
    let report = run.json();
    assert_eq!((run.status, &report["recorded"]), (Some(2), &5.into()));
    assert_eq!(report["bad_lines"]["first"][0]["code"], "broken_chain");
}

#[test]
fn the_page_is_written_and_holds_no_markup_from_elsewhere() {
    const HOSTILE: &str =
        r#"</title><script>alert(1)</script>&'`{{x}} \u202e\u0000\u001b[31m<img src=x onerror=y>"#;
    const SHOWN: &str = r"&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;'`{{x}} \u{202e}\u{0}\u{1b}[31m&lt;img src=x onerror=y&gt;";
    let place = place();
    let hostile = ENVELOPE.replace(r#""r""#, &format!("\"{HOSTILE}\""));
    place.file("calls.ndjson", format!("{hostile}\n{}{{\"<b>\": 1, \"\n", calls(50)));
    let replay = ["replay", "calls.ndjson", "--policy", "policy.json", "--report"];
    let run = place.run(&[&replay[..], &["report.html"]].concat());
    assert_eq!(run.status, Some(2), "{run:?}");
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(page.contains(SHOWN) && page.contains("default-src 'none'"), "{page}");
    // Nothing is loaded, and nothing acts.
    for words in ["<script", "<img", "<link", "<a ", "<b>", "onerror=", " style=", "url(", "@import", "://"] {
        let tags: Vec<_> =
            page.split('<').filter_map(|tag| Some(format!("<{}", tag.split_once('>')?.0))).collect();
        assert!(!tags.iter().any(|tag| tag.contains(words)), "{words}: {tags:?}");
    }
    assert!(!page.contains(['\u{202e}', '\0', '\u{1b}']), "{page}");
    // The picture has the counts of the matrix. It is drawn twice: with all statuses, and with the changed ones.
    for words in ["40 stayed success", "11 went from success to unsafe", ">40</td>", ">11</td>", "Incomplete"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert_eq!((page.matches("<svg").count(), page.matches("<details").count()), (2, 5));
    place.file("calls.ndjson", "");
    assert_eq!(place.run(&[&replay[..], &["report.html"]].concat()).status, Some(1));
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(
        page.contains("Nothing compared") && !page.contains("<svg") && !page.contains("<table"),
        "{page}"
    );
    let run = place.run(&[&replay[..], &["no/such/report.html"]].concat());
    assert_eq!((run.status, run.code().as_str()), (Some(74), "unwritable_output"));
}
