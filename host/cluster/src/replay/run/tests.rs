use adjudicate_host::codes;
use std::{thread, time::Duration};

use adjudicate_core::{Error, Operation};

use super::{super::note::Reason, *};

const LONG: Duration = Duration::from_secs(60);

fn named(job: u8) -> Digest {
    Digest::sha256(&[job])
}

fn outcome(text: &str) -> Outcome {
    Outcome::answered(Operation::Evaluate, text.to_owned())
}

fn outcomes(host: &str, job: u8, cases: &[(usize, Option<&str>)]) -> Note {
    let decided = |(case, text): &(usize, Option<&str>)| Decided { case: *case, outcome: text.map(outcome) };
    Note::new(host, NoteKind::Outcomes { job: named(job), outcomes: cases.iter().map(decided).collect() })
}

fn declined(host: &str, job: u8, last: bool) -> Note {
    let why = Reason::from_error(&Error::new(codes::MODULE_UNSIGNED, "the module has no signature"));
    Note::new(host, NoteKind::Declined { job: named(job), why, last })
}

/// The outcomes at the end, in the order of their indexes.
fn end(run: &Run) -> Result<Vec<(usize, String)>, Error> {
    let mut told = Vec::new();
    run.wait(LONG, || true, &mut |place, outcome| told.push((place, outcome.text)))?;
    told.sort();
    Ok(told)
}

fn run() -> Run {
    let run = Run::new();
    let cases = |job, first, last| JobCases { job, first, last };
    let jobs = [(named(1), cases(0, 1, 2), vec![10, 11]), (named(2), cases(1, 3, 3), vec![12])];
    run.open(jobs.into_iter(), 3);
    run
}

#[test]
fn only_the_first_outcome_of_a_case_counts() {
    let run = run();
    assert_eq!(run.receive(Note::new("a", NoteKind::Taken { job: named(1) })), NoteAnswer::Confirmed);
    assert_eq!(run.receive(outcomes("a", 1, &[(1, Some("first"))])), NoteAnswer::Confirmed);
    // The job was delivered to another host, which gives another outcome.
    assert_eq!(
        run.receive(outcomes("b", 1, &[(0, Some("zero")), (1, Some("other"))])),
        NoteAnswer::Confirmed
    );
    assert_eq!(run.receive(outcomes("a", 1, &[(0, Some("late"))])), NoteAnswer::Over);
    assert_eq!(run.receive(Note::new("c", NoteKind::Taken { job: named(1) })), NoteAnswer::Over);
    // An unknown index, and an unknown job.
    assert_eq!(
        run.receive(outcomes("a", 2, &[(1, Some("beyond")), (usize::MAX, None)])),
        NoteAnswer::Confirmed
    );
    assert_eq!(run.receive(outcomes("a", 99, &[(0, Some("none"))])), NoteAnswer::Over);
    assert_eq!(run.receive(outcomes("a", 2, &[(0, None)])), NoteAnswer::Confirmed);
    assert_eq!(end(&run).unwrap(), [(10, "zero".to_owned()), (11, "first".to_owned())]);
    let replayed = run.replayed();
    assert_eq!((replayed.elsewhere, replayed.here, replayed.doubled, replayed.garbage), (2, 4, 3, 2));
    assert_eq!(replayed.hosts, [("a".to_owned(), 1), ("b".to_owned(), 1)].into());
}

#[test]
fn a_waiting_thread_receives_outcomes() {
    let run = run();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| end(&run));
        run.receive(outcomes("a", 1, &[(0, Some("x")), (1, Some("y"))]));
        run.receive(outcomes("a", 2, &[(0, Some("z"))]));
        assert_eq!(waiting.join().unwrap().unwrap().len(), 3);
    });
}

#[test]
fn a_job_that_all_hosts_decline_is_an_error() {
    let first = run();
    assert_eq!(first.receive(declined("a", 1, false)), NoteAnswer::Confirmed);
    assert_eq!(first.receive(declined("b", 1, true)), NoteAnswer::Confirmed);
    let error = end(&first).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(
        error.message().contains("`a` declined: module_unsigned") && error.message().contains("`b` declined")
    );
    let second = run();
    second.receive(outcomes("c", 2, &[(0, Some("z"))]));
    assert_eq!(second.receive(declined("a", 1, true)), NoteAnswer::Confirmed);
    assert_eq!(second.receive(declined("a", 1, true)), NoteAnswer::Over);
    assert_eq!(end(&second).unwrap(), [(12, "z".to_owned())]);
    assert_eq!(second.replayed().here, 3 + 2);
    // A host that declines is faster than one that decides.
    let third = run();
    third.receive(Note::new("c", NoteKind::Taken { job: named(2) }));
    assert_eq!(third.receive(declined("a", 1, true)), NoteAnswer::Confirmed);
    third.receive(outcomes("c", 2, &[(0, Some("z"))]));
    assert_eq!(end(&third).unwrap(), [(12, "z".to_owned())]);
    assert_eq!(third.replayed().here, 3 + 2);
}

#[test]
fn waiting_for_hosts_ends() {
    let run = run();
    let wait = |is_connected| run.wait(Duration::ZERO, || is_connected, &mut |_, _| {}).unwrap_err();
    let error = wait(true);
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(error.message().contains("2 jobs are undecided: no host responded"), "{error}");
    run.receive(outcomes("a", 2, &[(0, Some("z"))]));
    run.receive(declined("b", 1, false));
    let error = wait(false);
    for said in
        ["1 job is undecided", "2 hosts responded", "no connection to NATS", "`b` declined: module_unsigned"]
    {
        assert!(error.message().contains(said), "{error}");
    }
    // Earlier outcomes are kept, and the first error ends the run.
    run.fail(Error::new(codes::CLUSTER_FAULT, "interrupted"));
    run.fail(Error::new(codes::CLUSTER_FAULT, "again"));
    assert_eq!(end(&run).unwrap_err().message(), "interrupted");
}

/// Simulates silence about all jobs.
fn silence(run: &Run) {
    run.lock().jobs.values_mut().for_each(|pending| pending.assignments.simulate_silence());
}

#[test]
fn a_job_that_ends_several_hosts_ends_the_run() {
    let run = run();
    let take = |host: &str, job: u8| run.receive(Note::new(host, NoteKind::Taken { job: named(job) }));
    // Hosts that give the job back, or are followed at once by another host, do not count.
    for host in ["a", "b", "c", "d", "e"] {
        assert_eq!(take(host, 2), NoteAnswer::Confirmed);
        run.receive(declined(host, 2, false));
        silence(&run);
    }
    for host in ["a", "b", "c", "d", "e"] {
        assert_eq!(take(host, 1), NoteAnswer::Confirmed);
    }
    // Hosts whose notes may have been lost do not count, either.
    for host in ["a", "b", "c", "d", "e"] {
        silence(&run);
        assert_eq!(take(host, 1), NoteAnswer::Confirmed);
        run.notes_may_be_lost();
    }
    for host in ["a", "b", "a"] {
        silence(&run);
        assert_eq!(take(host, 1), NoteAnswer::Confirmed);
    }
    let message = run.wait(Duration::ZERO, || true, &mut |_, _| {}).unwrap_err().message().to_owned();
    assert!(message.contains("job 0 (cases 1 to 2) was taken 3 times, by `a`, `b`"), "{message}");
    silence(&run);
    assert_eq!(take("c", 1), NoteAnswer::Over);
    let error = end(&run).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(error.message().starts_with("job 0 (cases 1 to 2) was taken 3 times, by `a`, `b`,"), "{error}");
    assert!(!error.message().contains("job 1"), "{error}");
}

#[test]
fn the_data_of_hosts_is_bounded() {
    let run = run();
    for host in 0..10_000 {
        run.receive(declined(&format!("h-{host}"), 1, false));
        run.receive(outcomes(&format!("h-{host}"), 1, &[(9, None)]));
    }
    let replayed = run.replayed();
    assert_eq!((replayed.declined.len(), replayed.hosts.len()), (MOST_HOSTS, MOST_HOSTS));
    let message = run.wait(Duration::ZERO, || true, &mut |_, _| {}).unwrap_err().message().to_owned();
    assert!(message.contains("4091 more declined") && message.len() < 2000, "{message}");
}
