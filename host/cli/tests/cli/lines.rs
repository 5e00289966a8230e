//! `--ndjson`: one reply per request, in order; an error does not end the run.

use std::io::{BufRead, BufReader, Write};

use crate::command::{ENVELOPE, POLICY, TestFolder, answer, answer_by_policy, error_code};

#[test]
fn replies_come_in_order_and_bad_lines_do_not_stop_them() {
    let place = TestFolder::new();
    let partial = ENVELOPE.replace("completed", "killed_timeout");
    let both = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#);
    let lines = [ENVELOPE, "{", "", &partial, "  \t\r", "[]", &both, "\u{0}", ENVELOPE].join("\n");
    let expected = [
        Ok(answer(ENVELOPE)),
        Err("malformed_json"),
        Ok(answer(&partial)),
        Err("invalid_value"),
        Ok(answer_by_policy()),
        Err("malformed_json"),
        Ok(answer(ENVELOPE)),
    ];
    let file = place.file("requests.ndjson", &lines);
    for run in [
        place.run(&["evaluate", &file, "--ndjson"]),
        place.run_with(&["evaluate", "-", "--ndjson"], lines.as_bytes()),
        place.run_with(
            &["evaluate", "-", "--ndjson"],
            format!("{}\r\n", lines.replace('\n', "\r\n")).as_bytes(),
        ),
    ] {
        assert_eq!((run.status, run.stderr.as_str()), (Some(2), ""));
        let replies: Vec<_> = run.stdout.lines().collect();
        assert_eq!(replies.len(), expected.len(), "{}", run.stdout);
        for (reply, expected) in replies.iter().zip(&expected) {
            match expected {
                Ok(answer) => assert_eq!(reply, answer),
                Err(code) => assert_eq!(error_code(reply), *code),
            }
        }
    }
}

#[test]
fn the_most_severe_line_decides_the_exit_status() {
    let place = TestFolder::new();
    let of = |outcome: &str| ENVELOPE.replace("completed", outcome);
    let run = |lines: &[String]| {
        place.run_with(&["evaluate", "-", "--ndjson", "--exit-status"], lines.join("\n").as_bytes()).status
    };
    assert_eq!(run(&[of("completed")]), Some(0));
    assert_eq!(run(&[of("completed"), of("killed_policy"), of("error")]), Some(12));
    assert_eq!(run(&[of("killed_timeout"), of("error"), of("completed")]), Some(11));
    assert_eq!(run(&[of("killed_policy"), "{}".to_owned()]), Some(2));
}

#[test]
fn a_line_over_the_limit_is_skipped() {
    let place = TestFolder::new();
    let long = format!("{}{}", ENVELOPE, " ".repeat(8 << 20));
    let run =
        place.run_with(&["evaluate", "-", "--ndjson"], [ENVELOPE, &long, ENVELOPE].join("\n").as_bytes());
    let replies: Vec<_> = run.stdout.lines().collect();
    assert_eq!((run.status, replies.len()), (Some(2), 3));
    assert_eq!((replies[0], replies[2]), (answer(ENVELOPE).as_str(), answer(ENVELOPE).as_str()));
    assert_eq!(error_code(replies[1]), "limit_exceeded");
}

#[test]
fn each_reply_comes_before_the_next_request_is_waited_for() {
    let place = TestFolder::new();
    let mut child = place.spawn(&["evaluate", "-", "--ndjson"]);
    let mut requests = child.stdin.take().unwrap();
    let mut replies = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        requests.write_all(format!("{ENVELOPE}\n").as_bytes()).unwrap();
        let mut reply = String::new();
        // This would block if the reply were held back.
        replies.read_line(&mut reply).unwrap();
        assert_eq!(reply.trim_end(), answer(ENVELOPE));
    }
    drop(requests);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reader_that_goes_away_ends_it() {
    let place = TestFolder::new();
    let mut child = place.spawn(&["evaluate", "-", "--ndjson"]);
    let mut requests = child.stdin.take().unwrap();
    drop(child.stdout.take());
    // More replies than any buffer holds.
    let line = format!("{ENVELOPE}\n");
    for _ in 0..100_000 {
        if requests.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    drop(requests);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(141), &b""[..]));
}
