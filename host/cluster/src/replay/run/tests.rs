use adjudicate_host::codes;
use std::{thread, time::Duration};

use adjudicate_core::{Error, Operation};

use super::{super::note::Reason, *};

const LONG: Duration = Duration::from_secs(60);

fn named(job: u8) -> Digest {
    Digest::of(&[job])
}

fn outcome(text: &str) -> Outcome {
    Outcome::answered(Operation::Evaluate, text.to_owned())
}

fn outcomes(host: &str, job: u8, cases: &[(usize, Option<&str>)]) -> Note {
    let decided = |(case, text): &(usize, Option<&str>)| Decided { case: *case, outcome: text.map(outcome) };
    Note::new(host, Said::Outcomes { job: named(job), outcomes: cases.iter().map(decided).collect() })
}

fn declined(host: &str, job: u8, last: bool) -> Note {
    let why = Reason::of(&Error::new(codes::MODULE_UNSIGNED, "the module has no signature"));
    Note::new(host, Said::Declined { job: named(job), why, last })
}

/// What is told in the end, in the order of the places.
fn end(run: &Run) -> Result<Vec<(usize, String)>, Error> {
    let mut told = Vec::new();
    run.wait(LONG, || true, &mut |place, outcome| told.push((place, outcome.text)))?;
    told.sort();
    Ok(told)
}

fn run() -> Run {
    let run = Run::new();
    let cases = |job, first, last| Cases { job, first, last };
    let jobs = [(named(1), cases(0, 1, 2), vec![10, 11]), (named(2), cases(1, 3, 3), vec![12])];
    run.open(jobs.into_iter(), 3);
    run
}

#[test]
fn each_case_counts_once_whoever_decides_it_and_however_often() {
    let run = run();
    assert_eq!(run.hear(Note::new("a", Said::Taken { job: named(1) })), Answer::Confirmed);
    assert_eq!(run.hear(outcomes("a", 1, &[(1, Some("first"))])), Answer::Confirmed);
    // The job went to another one, who decides it otherwise.
    assert_eq!(run.hear(outcomes("b", 1, &[(0, Some("zero")), (1, Some("other"))])), Answer::Confirmed);
    assert_eq!(run.hear(outcomes("a", 1, &[(0, Some("late"))])), Answer::Over);
    assert_eq!(run.hear(Note::new("c", Said::Taken { job: named(1) })), Answer::Over);
    // A place that there is not, and a job that there is not.
    assert_eq!(run.hear(outcomes("a", 2, &[(1, Some("beyond")), (usize::MAX, None)])), Answer::Confirmed);
    assert_eq!(run.hear(outcomes("a", 99, &[(0, Some("none"))])), Answer::Over);
    assert_eq!(run.hear(outcomes("a", 2, &[(0, None)])), Answer::Confirmed);
    assert_eq!(end(&run).unwrap(), [(10, "zero".to_owned()), (11, "first".to_owned())]);
    let replayed = run.replayed();
    assert_eq!((replayed.elsewhere, replayed.here, replayed.doubled, replayed.garbage), (2, 4, 3, 2));
    assert_eq!(replayed.hosts, [("a".to_owned(), 1), ("b".to_owned(), 1)].into());
}

#[test]
fn whoever_waits_hears_of_it() {
    let run = run();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| end(&run));
        run.hear(outcomes("a", 1, &[(0, Some("x")), (1, Some("y"))]));
        run.hear(outcomes("a", 2, &[(0, Some("z"))]));
        assert_eq!(waiting.join().unwrap().unwrap().len(), 3);
    });
}

#[test]
fn what_all_decline_is_an_error_unless_others_decide() {
    let first = run();
    assert_eq!(first.hear(declined("a", 1, false)), Answer::Confirmed);
    assert_eq!(first.hear(declined("b", 1, true)), Answer::Confirmed);
    let error = end(&first).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(
        error.message().contains("`a` declined: module_unsigned") && error.message().contains("`b` declined")
    );
    let second = run();
    second.hear(outcomes("c", 2, &[(0, Some("z"))]));
    assert_eq!(second.hear(declined("a", 1, true)), Answer::Confirmed);
    assert_eq!(second.hear(declined("a", 1, true)), Answer::Over);
    assert_eq!(end(&second).unwrap(), [(12, "z".to_owned())]);
    assert_eq!(second.replayed().here, 3 + 2);
    // Whoever declines is faster than whoever decides.
    let third = run();
    third.hear(Note::new("c", Said::Taken { job: named(2) }));
    assert_eq!(third.hear(declined("a", 1, true)), Answer::Confirmed);
    third.hear(outcomes("c", 2, &[(0, Some("z"))]));
    assert_eq!(end(&third).unwrap(), [(12, "z".to_owned())]);
    assert_eq!(third.replayed().here, 3 + 2);
}

#[test]
fn nobody_is_waited_for_without_end() {
    let run = run();
    let wait = |is_connected| run.wait(Duration::ZERO, || is_connected, &mut |_, _| {}).unwrap_err();
    let error = wait(true);
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(error.message().contains("2 jobs are undecided: no host was heard at all"), "{error}");
    run.hear(outcomes("a", 2, &[(0, Some("z"))]));
    run.hear(declined("b", 1, false));
    let error = wait(false);
    for said in
        ["1 job is undecided", "2 hosts were heard", "no connection to NATS", "`b` declined: module_unsigned"]
    {
        assert!(error.message().contains(said), "{error}");
    }
    // What was heard before is not lost, and what ends it is told first.
    run.fail(Error::new(codes::CLUSTER_FAULT, "interrupted"));
    run.fail(Error::new(codes::CLUSTER_FAULT, "again"));
    assert_eq!(end(&run).unwrap_err().message(), "interrupted");
}

/// Lets time pass in which nothing is heard of any job.
fn silence(run: &Run) {
    run.lock().jobs.values_mut().for_each(|pending| pending.takers.heard_long_ago());
}

#[test]
fn a_job_that_costs_one_host_after_the_other_is_not_given_to_all() {
    let run = run();
    let take = |host: &str, job: u8| run.hear(Note::new(host, Said::Taken { job: named(job) }));
    // Those that give it back, or whom others follow at once, are not lost.
    for host in ["a", "b", "c", "d", "e"] {
        assert_eq!(take(host, 2), Answer::Confirmed);
        run.hear(declined(host, 2, false));
        silence(&run);
    }
    for host in ["a", "b", "c", "d", "e"] {
        assert_eq!(take(host, 1), Answer::Confirmed);
    }
    // Nor are those who could not be heard.
    for host in ["a", "b", "c", "d", "e"] {
        silence(&run);
        assert_eq!(take(host, 1), Answer::Confirmed);
        run.could_not_hear();
    }
    for host in ["a", "b", "a"] {
        silence(&run);
        assert_eq!(take(host, 1), Answer::Confirmed);
    }
    let message = run.wait(Duration::ZERO, || true, &mut |_, _| {}).unwrap_err().message().to_owned();
    assert!(message.contains("job 0 (cases 1 to 2) was taken 3 times, by `a`, `b`"), "{message}");
    silence(&run);
    assert_eq!(take("c", 1), Answer::Over);
    let error = end(&run).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(error.message().starts_with("job 0 (cases 1 to 2) was taken 3 times, by `a`, `b`,"), "{error}");
    assert!(!error.message().contains("job 1"), "{error}");
}

#[test]
fn who_says_much_is_not_kept_without_end() {
    let run = run();
    for host in 0..10_000 {
        run.hear(declined(&format!("h-{host}"), 1, false));
        run.hear(outcomes(&format!("h-{host}"), 1, &[(9, None)]));
    }
    let replayed = run.replayed();
    assert_eq!((replayed.declined.len(), replayed.hosts.len()), (MOST_HOSTS, MOST_HOSTS));
    let message = run.wait(Duration::ZERO, || true, &mut |_, _| {}).unwrap_err().message().to_owned();
    assert!(message.contains("4091 more declined") && message.len() < 2000, "{message}");
}
