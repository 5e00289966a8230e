//! The execution of one job on a host, from the queue to its acknowledgment.

use std::{error, sync::Arc, time::Duration};

use adjudicate_core::Error;
use adjudicate_host::{codes, reevaluation::Outcome};
use adjudicate_sandbox::Digest;
use async_nats::{
    client::RequestErrorKind,
    jetstream::{AckKind, Message},
};
use tokio::{sync::oneshot, task::spawn_blocking, time};

use super::{
    ENGINE, HEADERS,
    job::{Job, JobCase, written},
    note::{CONFIRMED, Decided, Note, NoteKind, OVER, Reason},
    notes,
    worker::{ACK_WAIT, MOST_TIMES, Worker},
};
use crate::fault::{failed, fault};

/// Stack of the threads on which guest code runs.
const STACK_BYTES: usize = 8 << 20;
/// After declining a job, a host waits this long, so that other hosts get more jobs.
const HOLD: Duration = Duration::from_secs(1);
/// The delay of a job whose command does not respond now. It may be reconnecting.
const REST: Duration = Duration::from_secs(3);
/// The number of attempts to send an outcome without a confirmation.
const TRIES: usize = 12;
const BETWEEN: Duration = Duration::from_secs(1);

/// The answer of a run to a note.
enum RunReply {
    Confirmed,
    Over,
    /// The run does not respond.
    NoResponse,
}

/// The end of a job on this host.
enum JobEnd {
    Acknowledged,
    /// The message is not a job, or its outcome is no longer needed.
    Ended,
    /// The job is delivered to other hosts after this time.
    Again(Duration),
}

/// Decides a job and reports the result to the queue.
pub(super) async fn decide(worker: &Arc<Worker>, message: &Message) {
    let times = message.info().map_or(1, |info| info.delivered);
    let is_last = times >= MOST_TIMES;
    let run = message.subject.rsplit('.').next().unwrap_or_default();
    let end = match Job::read(&message.payload).and_then(|job| of_run(job, run)) {
        Ok(job) => at_work(worker, message, job, is_last).await,
        Err(error) => {
            tell_garbage(worker, run, &error).await;
            JobEnd::Ended
        }
    };
    let kind = match end {
        JobEnd::Acknowledged => AckKind::Ack,
        JobEnd::Ended => AckKind::Term,
        JobEnd::Again(_) if is_last => AckKind::Term,
        JobEnd::Again(after) => AckKind::Nak(Some(after)),
    };
    // If this is lost, the job is delivered again and found to be over.
    let _ = message.ack_with(kind).await;
}

fn of_run(job: Job, run: &str) -> Result<Job, Error> {
    match job.run == run {
        true => Ok(job),
        false => {
            let message = "the job belongs to another run than its subject";
            Err(Error::new(codes::INVALID_VALUE, message).at("/run"))
        }
    }
}

async fn tell_garbage(worker: &Worker, run: &str, error: &Error) {
    worker.note(|worked| worked.garbage += 1);
    worker.problem(Some(failed("a message in the queue of replays is not a job", error.clone())));
    let note = Note::new(&worker.name, NoteKind::NoJob { why: Reason::from_error(error) });
    let subject = notes(worker.cluster.name(), run);
    let _ = worker.cluster.client().publish(subject, note.to_json().into()).await;
}

/// Decides a job. Meanwhile reports progress to the queue.
async fn at_work(worker: &Arc<Worker>, message: &Message, job: Job, is_last: bool) -> JobEnd {
    let name = Digest::sha256(&message.payload);
    let run = job.run.clone();
    let working = Note::new(&worker.name, NoteKind::Working { job: name }).to_json();
    let subject = notes(worker.cluster.name(), &run);
    let work = work(worker, name, job, is_last);
    let mut beats = time::interval_at(time::Instant::now() + ACK_WAIT / 4, ACK_WAIT / 4);
    tokio::pin!(work);
    loop {
        tokio::select! {
            end = &mut work => return end,
            _ = beats.tick() => {
                let _ = message.ack_with(AckKind::Progress).await;
                let _ = worker.cluster.client().publish(subject.clone(), working.clone().into()).await;
            }
        }
    }
}

async fn work(worker: &Arc<Worker>, name: Digest, job: Job, is_last: bool) -> JobEnd {
    let run = job.run.clone();
    match send_note(worker, &run, NoteKind::Taken { job: name }).await {
        RunReply::Confirmed => {}
        RunReply::Over => return JobEnd::Acknowledged,
        RunReply::NoResponse => return JobEnd::Again(REST),
    }
    let cases = job.cases.len() as u64;
    let outcomes = match decide_cases(worker, job).await {
        Ok(outcomes) => outcomes,
        Err(error) => return declined(worker, &run, name, is_last, &error).await,
    };
    for said in parts(worker, name, outcomes) {
        match send_note_again(worker, &run, said).await {
            RunReply::Confirmed => {}
            RunReply::Over => return JobEnd::Acknowledged,
            RunReply::NoResponse => return JobEnd::Again(REST),
        }
    }
    worker.problem(None);
    worker.note(|worked| {
        worked.jobs += 1;
        worked.cases += cases;
    });
    JobEnd::Acknowledged
}

async fn declined(worker: &Worker, run: &str, job: Digest, last: bool, error: &Error) -> JobEnd {
    worker.note(|worked| worked.declined += 1);
    worker.problem(Some(failed("a job of a replay was left to others", error.clone())));
    let last_seen =
        send_note(worker, run, NoteKind::Declined { job, why: Reason::from_error(error), last }).await;
    time::sleep(HOLD).await;
    match last_seen {
        RunReply::Over => JobEnd::Acknowledged,
        RunReply::Confirmed | RunReply::NoResponse => JobEnd::Again(Duration::ZERO),
    }
}

/// Decides the cases on a thread of their own.
async fn decide_cases(worker: &Arc<Worker>, job: Job) -> Result<Vec<Option<Outcome>>, Error> {
    if job.engine != ENGINE {
        let message = format!("the replay is for the engine {}, this host has {ENGINE}", job.engine);
        return Err(fault(message));
    }
    let (decided, told) = oneshot::channel();
    let worker = Arc::clone(worker);
    let work = move || {
        // The receiver may be gone.
        let _ = decided.send(decide_here(&worker, &job));
    };
    // Starting a thread and loading modules may take a moment.
    let started = spawn_blocking(|| std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work)).await;
    let not_started = |error: Box<dyn error::Error + Send + Sync>| {
        Error::caused_by(codes::HOST_FAULT, "no thread can be started", error)
    };
    started.map_err(|error| not_started(error.into()))?.map_err(|error| not_started(error.into()))?;
    told.await
        .unwrap_or_else(|_| Err(Error::new(codes::HOST_FAULT, "the thread that decides a job panicked")))
}

/// The outcome of each case; `None` for one that is too large for a message. This bounds the memory of a job to a few messages.
fn decide_here(worker: &Worker, job: &Job) -> Result<Vec<Option<Outcome>>, Error> {
    let most = worker.cluster.max_payload();
    let versions = job.versions.iter().map(|named| worker.versions.version(&job.run, named));
    let versions: Vec<_> = versions.collect::<Result<_, _>>()?;
    let decide = |put: &JobCase| {
        let invalid = || Error::new(codes::INVALID_VALUE, "a case of the job has no version");
        let version = versions.get(put.version).ok_or_else(invalid)?;
        // Only recorded cases have obstacles, and they are not sent to hosts.
        let outcome = version.decide(&put.case()).map_err(|obstacle| fault(obstacle.meaning()))?;
        Ok(Some(outcome).filter(|outcome| outcome.text.len() <= most))
    };
    job.cases.iter().map(decide).collect()
}

/// Splits outcomes into messages. An outcome that is too large is left to the command.
fn parts(worker: &Worker, job: Digest, outcomes: Vec<Option<Outcome>>) -> Vec<NoteKind> {
    let empty = Note::new(&worker.name, NoteKind::Outcomes { job, outcomes: Vec::new() }).to_json().len();
    let most = worker.cluster.max_payload().saturating_sub(HEADERS + empty);
    cut(job, outcomes, most)
}

fn cut(job: Digest, outcomes: Vec<Option<Outcome>>, most: usize) -> Vec<NoteKind> {
    let (mut parts, mut part, mut bytes) = (Vec::new(), Vec::new(), 0);
    for (case, outcome) in outcomes.into_iter().enumerate() {
        let whole = Decided { case, outcome };
        let length = |decided: &Decided| written(decided).len() + 1;
        let decided = if length(&whole) > most { Decided { case, outcome: None } } else { whole };
        let length = length(&decided);
        if bytes + length > most && !part.is_empty() {
            parts.push(NoteKind::Outcomes { job, outcomes: std::mem::take(&mut part) });
            bytes = 0;
        }
        bytes += length;
        part.push(decided);
    }
    parts.push(NoteKind::Outcomes { job, outcomes: part });
    parts
}

/// Sends a note to a run until it is confirmed, or until the run does not respond for long.
async fn send_note_again(worker: &Worker, run: &str, said: NoteKind) -> RunReply {
    for _ in 1..TRIES {
        match send_note(worker, run, said.clone()).await {
            RunReply::NoResponse => time::sleep(BETWEEN).await,
            last_seen => return last_seen,
        }
    }
    send_note(worker, run, said).await
}

async fn send_note(worker: &Worker, run: &str, said: NoteKind) -> RunReply {
    let subject = notes(worker.cluster.name(), run);
    let note = Note::new(&worker.name, said).to_json();
    match worker.cluster.client().request(subject, note.into()).await {
        Ok(answer) if answer.payload == CONFIRMED => RunReply::Confirmed,
        Ok(answer) if answer.payload == OVER => RunReply::Over,
        Ok(_) => RunReply::NoResponse,
        Err(error) => {
            if error.kind() != RequestErrorKind::NoResponders {
                worker.problem(Some(failed("the command of a job cannot be reached", error)));
            }
            RunReply::NoResponse
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_split_into_messages_without_loss() {
        let outcome = |bytes: usize| Outcome::failed("\u{1}".repeat(bytes));
        let sizes = [0, 5, 50, 10, 1000, 3, 200, 0];
        for most in [40, 100, 700, 10_000] {
            let parts =
                cut(Digest::sha256(b"job"), sizes.iter().map(|bytes| Some(outcome(*bytes))).collect(), most);
            let mut seen = Vec::new();
            for part in parts {
                let NoteKind::Outcomes { outcomes, .. } = part else { panic!("{part:?}") };
                assert!(!outcomes.is_empty());
                assert!(outcomes.len() == 1 || written(&outcomes).len() <= most + 2);
                for Decided { case, outcome: told } in outcomes {
                    let whole = Decided { case, outcome: Some(outcome(sizes[case])) };
                    let fits = written(&whole).len() < most;
                    assert_eq!(told, fits.then(|| outcome(sizes[case])), "{case} {most}");
                    seen.push(case);
                }
            }
            assert_eq!(seen, (0..sizes.len()).collect::<Vec<_>>());
        }
    }
}
