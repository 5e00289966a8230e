//! One job in the hands of a host: from the queue to its acknowledgement.

use std::{sync::Arc, time::Duration};

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
    host::{ACK_WAIT, MOST_TIMES, Worker},
    job::{Job, Put, written},
    note::{CONFIRMED, Decided, Note, OVER, Reason, Said},
    notes,
};
use crate::fault::{failed, fault};

/// Guest code runs on these threads.
const STACK_BYTES: usize = 8 << 20;
/// How long a host that declined a job takes no other one in its place, so that those who do not decline have more of them.
const HOLD: Duration = Duration::from_secs(1);
/// How long a job rests that nobody waits for just now: whoever did may be connecting again.
const REST: Duration = Duration::from_secs(3);
/// How often an outcome is told that nobody confirms.
const TRIES: usize = 12;
const BETWEEN: Duration = Duration::from_secs(1);

/// What somebody who waits for a job said.
enum Heard {
    Confirmed,
    Over,
    /// Nobody is there just now.
    Nobody,
}

/// How a job ends here.
enum End {
    Acknowledged,
    /// It is none, or nobody waits for it.
    Ended,
    /// Others get it, after this time.
    Again(Duration),
}

/// Decides a job, and says to the queue what became of it.
pub(super) async fn decide(worker: &Arc<Worker>, message: &Message) {
    let times = message.info().map_or(1, |info| info.delivered);
    let is_last = times >= MOST_TIMES;
    let run = message.subject.rsplit('.').next().unwrap_or_default();
    let end = match Job::read(&message.payload).and_then(|job| of_run(job, run)) {
        Ok(job) => at_work(worker, message, job, is_last).await,
        Err(error) => {
            tell_garbage(worker, run, &error).await;
            End::Ended
        }
    };
    let kind = match end {
        End::Acknowledged => AckKind::Ack,
        End::Ended => AckKind::Term,
        End::Again(_) if is_last => AckKind::Term,
        End::Again(after) => AckKind::Nak(Some(after)),
    };
    // Where that is lost the job comes again, and is found to be over.
    let _ = message.ack_with(kind).await;
}

fn of_run(job: Job, run: &str) -> Result<Job, Error> {
    match job.run == run {
        true => Ok(job),
        false => {
            let message = "the job is of another run than its subject";
            Err(Error::new(codes::INVALID_VALUE, message).at("/run"))
        }
    }
}

async fn tell_garbage(worker: &Worker, run: &str, error: &Error) {
    worker.note(|worked| worked.garbage += 1);
    worker.trouble(Some(failed("what was in the queue of replays is no job", error)));
    let note = Note::new(&worker.name, Said::NoJob { why: Reason::of(error) });
    let subject = notes(worker.cluster.name(), run);
    let _ = worker.cluster.client().publish(subject, note.to_json().into()).await;
}

/// Decides a job; meanwhile the queue hears that it is not lost.
async fn at_work(worker: &Arc<Worker>, message: &Message, job: Job, is_last: bool) -> End {
    let name = Digest::of(&message.payload);
    let run = job.run.clone();
    let working = Note::new(&worker.name, Said::Working { job: name }).to_json();
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

async fn work(worker: &Arc<Worker>, name: Digest, job: Job, is_last: bool) -> End {
    let run = job.run.clone();
    match tell(worker, &run, Said::Taken { job: name }).await {
        Heard::Confirmed => {}
        Heard::Over => return End::Acknowledged,
        Heard::Nobody => return End::Again(REST),
    }
    let cases = job.cases.len() as u64;
    let outcomes = match decide_cases(worker, job).await {
        Ok(outcomes) => outcomes,
        Err(error) => return declined(worker, &run, name, is_last, &error).await,
    };
    for said in parts(worker, name, outcomes) {
        match tell_again(worker, &run, said).await {
            Heard::Confirmed => {}
            Heard::Over => return End::Acknowledged,
            Heard::Nobody => return End::Again(REST),
        }
    }
    worker.trouble(None);
    worker.note(|worked| {
        worked.jobs += 1;
        worked.cases += cases;
    });
    End::Acknowledged
}

async fn declined(worker: &Worker, run: &str, job: Digest, last: bool, error: &Error) -> End {
    worker.note(|worked| worked.declined += 1);
    worker.trouble(Some(failed("a job of a replay was left to others", error)));
    let heard = tell(worker, run, Said::Declined { job, why: Reason::of(error), last }).await;
    time::sleep(HOLD).await;
    match heard {
        Heard::Over => End::Acknowledged,
        Heard::Confirmed | Heard::Nobody => End::Again(Duration::ZERO),
    }
}

/// What the cases come to, on a thread of their own.
async fn decide_cases(worker: &Arc<Worker>, job: Job) -> Result<Vec<Option<Outcome>>, Error> {
    if job.engine != ENGINE {
        let message = format!("the replay is for the engine {}, this host has {ENGINE}", job.engine);
        return Err(fault(message));
    }
    let (decided, told) = oneshot::channel();
    let worker = Arc::clone(worker);
    let work = move || {
        // Whoever waits may have gone.
        let _ = decided.send(decide_here(&worker, &job));
    };
    // Starting a thread and loading modules may take a moment.
    let started = spawn_blocking(|| std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work)).await;
    let started = started.map_err(|error| error.to_string());
    if let Err(why) = started.and_then(|started| started.map(drop).map_err(|error| error.to_string())) {
        return Err(Error::new(codes::HOST_FAULT, format!("no thread can be started: {why}")));
    }
    told.await
        .unwrap_or_else(|_| Err(Error::new(codes::HOST_FAULT, "deciding a job ended before it was done")))
}

/// What each case comes to; `None` for what is too large to be told, so that a job takes no more memory than a few messages.
fn decide_here(worker: &Worker, job: &Job) -> Result<Vec<Option<Outcome>>, Error> {
    let most = worker.cluster.max_payload();
    let versions = job.versions.iter().map(|named| worker.versions.version(&job.run, named));
    let versions: Vec<_> = versions.collect::<Result<_, _>>()?;
    let decide = |put: &Put| {
        let invalid = || Error::new(codes::INVALID_VALUE, "a case of the job is none");
        let (version, case) = versions.get(put.version).zip(put.case()).ok_or_else(invalid)?;
        // Only what is recorded may have an obstacle, and that does not travel.
        let outcome = version.decide(&case).map_err(|obstacle| fault(obstacle.meaning()))?;
        Ok(Some(outcome).filter(|outcome| outcome.text.len() <= most))
    };
    job.cases.iter().map(decide).collect()
}

/// Outcomes in messages that are not too long; one that fits into none is left to whoever asked.
fn parts(worker: &Worker, job: Digest, outcomes: Vec<Option<Outcome>>) -> Vec<Said> {
    let empty = Note::new(&worker.name, Said::Outcomes { job, outcomes: Vec::new() }).to_json().len();
    let most = worker.cluster.max_payload().saturating_sub(HEADERS + empty);
    cut(job, outcomes, most)
}

fn cut(job: Digest, outcomes: Vec<Option<Outcome>>, most: usize) -> Vec<Said> {
    let (mut parts, mut part, mut bytes) = (Vec::new(), Vec::new(), 0);
    for (case, outcome) in outcomes.into_iter().enumerate() {
        let whole = Decided { case, outcome };
        let length = |decided: &Decided| written(decided).len() + 1;
        let decided = if length(&whole) > most { Decided { case, outcome: None } } else { whole };
        let length = length(&decided);
        if bytes + length > most && !part.is_empty() {
            parts.push(Said::Outcomes { job, outcomes: std::mem::take(&mut part) });
            bytes = 0;
        }
        bytes += length;
        part.push(decided);
    }
    parts.push(Said::Outcomes { job, outcomes: part });
    parts
}

/// Tells a run something until that is confirmed, or nobody is there for long.
async fn tell_again(worker: &Worker, run: &str, said: Said) -> Heard {
    for _ in 1..TRIES {
        match tell(worker, run, said.clone()).await {
            Heard::Nobody => time::sleep(BETWEEN).await,
            heard => return heard,
        }
    }
    tell(worker, run, said).await
}

async fn tell(worker: &Worker, run: &str, said: Said) -> Heard {
    let subject = notes(worker.cluster.name(), run);
    let note = Note::new(&worker.name, said).to_json();
    match worker.cluster.client().request(subject, note.into()).await {
        Ok(answer) if answer.payload == CONFIRMED => Heard::Confirmed,
        Ok(answer) if answer.payload == OVER => Heard::Over,
        Ok(_) => Heard::Nobody,
        Err(error) => {
            if error.kind() != RequestErrorKind::NoResponders {
                worker.trouble(Some(failed("who asked for a job cannot be told", error)));
            }
            Heard::Nobody
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_cut_so_that_they_fit_and_none_is_lost() {
        let outcome = |bytes: usize| Outcome::failed("\u{1}".repeat(bytes));
        let sizes = [0, 5, 50, 10, 1000, 3, 200, 0];
        for most in [40, 100, 700, 10_000] {
            let parts =
                cut(Digest::of(b"job"), sizes.iter().map(|bytes| Some(outcome(*bytes))).collect(), most);
            let mut seen = Vec::new();
            for part in parts {
                let Said::Outcomes { outcomes, .. } = part else { panic!("{part:?}") };
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
