//! Records in another spelling with the same meaning. Each counts as changed.

use adjudicate_core::Error;
use adjudicate_host::{CallObservation, Chain, Recorder, codes};
use adjudicate_sandbox::{CallError, Digest};

use crate::records::{Place, broken_at, observation, settings};

/// Three records, which together have all fields.
fn place() -> Place {
    let place = Place::new();
    let recorder = Recorder::new(place.store.clone());
    let settings = settings(r#"{"redact":["/run_id"]}"#);
    let modules = [Digest::sha256(b"one"), Digest::sha256(b"two")];
    let fault = Error::new(codes::MODULE_TRAP, "it trapped");
    let failed = CallError::Fault(fault.clone());
    let call = CallObservation {
        modules: &modules,
        fault: Some(&fault),
        outcome: Ok(r#"{"decision":{"status":"success"},"run":"run-1"}"#),
        ..observation("s", &settings, r#"{"run_id":"run-1","é":"/"}"#)
    };
    for outcome in [call.outcome, Err(&failed), call.outcome] {
        recorder.record(&CallObservation { outcome, ..call }).unwrap();
    }
    place
}

/// The fields of an object as text: names with quotes, and values.
fn members(text: &str) -> Vec<(String, String)> {
    let (mut members, mut start, mut colon) = (Vec::new(), 1, 0);
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            _ if is_text => {}
            ':' if depth == 1 => colon = at,
            ',' | '}' if depth == 1 => {
                members.push((text[start..colon].to_owned(), text[colon + 1..at].to_owned()));
                start = at + 1;
            }
            '[' => depth += 1,
            ']' => depth -= 1,
            '{' => depth += 1,
            _ => {}
        }
    }
    members
}

fn written(members: &[(String, String)]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("{name}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// A string whose first character is replaced by an escape.
fn escaped(string: &str) -> Option<String> {
    let (quote, rest) = string.split_at_checked(string.find('"')? + 1)?;
    let first = rest.chars().next().filter(|c| c.is_ascii() && !matches!(c, '\\' | '"'))?;
    Some(format!("{quote}\\u{:04x}{}", u32::from(first), &rest[1..]))
}

/// Other spellings of a field.
fn variants(name: &str, value: &str) -> Vec<(String, String)> {
    let mut variants: Vec<_> =
        [format!(" {value}"), format!("{value} "), format!("{value}\t"), format!("{value}\n")]
            .map(|value| (name.to_owned(), value))
            .into();
    variants.extend(
        [format!(" {name}"), format!("{name} "), escaped(name).unwrap()].map(|name| (name, value.to_owned())),
    );
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let values = match is_number {
        true => vec![
            format!("{value}.0"),
            format!("{value}e0"),
            format!("{value}0e-1"),
            format!("0{value}"),
            format!("+{value}"),
        ],
        false => [
            escaped(value),
            value.contains('/').then(|| value.replace('/', "\\/")),
            value.contains('é').then(|| value.replace('é', "\\u00e9")),
            Some(value.replacen("\\\"", "\\u0022", 1)).filter(|other| other != value),
            // The digits of a digest in the other case.
            value
                .rsplit_once(':')
                .map(|(head, digits)| format!("{head}:{}", digits.to_uppercase()))
                .filter(|other| other != value),
            Some(value.replace("sha256:", "SHA256:")).filter(|other| other != value),
            Some(value.replace("sha256:", "")).filter(|other| other != value),
            Some(value.replace("\",\"", "\", \"")).filter(|other| other != value),
        ]
        .into_iter()
        .flatten()
        .collect(),
    };
    variants.extend(values.into_iter().map(|value| (name.to_owned(), value)));
    variants
}

/// All other spellings of a record.
fn forms(text: &str) -> Vec<String> {
    let members = members(text);
    assert_eq!(written(&members), text);
    let mut forms =
        vec![format!(" {text}"), format!("{text} "), format!("{text}\r"), format!("{{ {}", &text[1..])];
    for at in 0..members.len() {
        let (name, value) = &members[at];
        for variant in variants(name, value) {
            let mut members = members.clone();
            members[at] = variant;
            forms.push(written(&members));
        }
        let mut moved = members.clone();
        moved.rotate_left(1);
        forms.push(written(&moved));
        moved.clone_from(&members);
        moved.swap(at, (at + 1) % members.len());
        forms.push(written(&moved));
        // Fields that are repeated or missing.
        let mut others = members.clone();
        others.insert(at, members[at].clone());
        forms.push(written(&others));
        others.drain(at..at + 2);
        forms.push(written(&others));
    }
    for absent in ["answer_redacted", "input_redacted"] {
        if !text.contains(absent) {
            forms.push(format!(r#"{},"{absent}":0}}"#, &text[..text.len() - 1]));
        }
    }
    forms
}

#[test]
fn another_spelling_of_a_record_counts_as_a_change() {
    let place = place();
    let lines = place.lines("s");
    let all = lines.concat();
    for name in [
        "answer",
        "answer_redacted",
        "at",
        "by",
        "entry",
        "error",
        "fault",
        "format",
        "hash",
        "input",
        "input_hash",
        "input_redacted",
        "microseconds",
        "modules",
        "operation",
        "previous",
        "sequence",
        "slot",
    ] {
        assert!(all.contains(&format!("\"{name}\":")), "{name} {all}");
    }
    for (at, line) in lines.iter().enumerate() {
        let mut before = Chain::for_slot("s");
        lines[..at].iter().for_each(|line| drop(before.line(line.as_bytes()).unwrap()));
        assert!(before.clone().line(line.as_bytes()).is_ok());
        for form in forms(line) {
            let found = before.clone().line(form.as_bytes());
            assert_eq!(broken_at(found), at as i64 + 1, "{form}");
        }
    }
}

#[test]
fn another_spelling_in_the_store_counts_as_a_change() {
    let place = place();
    let lines = place.lines("s");
    let document = format!("{{{}", lines[1].split_once(',').unwrap().1);
    for form in forms(&document) {
        place.tamper(&format!(
            "UPDATE records SET document = '{}' WHERE sequence = 2",
            form.replace('\'', "''")
        ));
        assert_eq!(broken_at(place.store.verify_records("s", &[])), 2, "{form}");
    }
    place.tamper(&format!(
        "UPDATE records SET document = '{}' WHERE sequence = 2",
        document.replace('\'', "''")
    ));
    assert!(place.store.verify_records("s", &[]).is_ok());
}
