//! The command `records`: prints the head of a chain, verifies the chain, or exports its records.

mod args;
mod times;

use std::io::{BufWriter, Write};

use adjudicate_core::{Error, document::Describe};
use adjudicate_host::{Chain, Digest, Link, RecordRange};
use serde::Serialize;

use crate::{
    cluster, codes,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    layout,
    lines::{InputLine, Lines},
    output, store_location,
};
use args::{Export, Head, RecordsCommand, VerifyRecords};

pub(crate) use args::Records;
pub(crate) use times::TimeRange;

/// The limit for the line of a record: an input and an answer of the largest size, both escaped.
pub(crate) const LONGEST_LINE: usize = 256 << 20;

pub(crate) fn run(args: &Records, env: &Environment) -> Result<Exit, Failure> {
    match &args.command {
        RecordsCommand::Head(args) => head(args, env),
        RecordsCommand::Verify(args) => verify(args, env),
        RecordsCommand::Export(args) => export(args, env),
    }
}

/// Returns a range of records: those after a number, in a range of time.
pub(crate) fn range(after: i64, times: TimeRange) -> RecordRange {
    let all = RecordRange::default();
    RecordRange { after, since: times.since.unwrap_or(all.since), until: times.until.unwrap_or(all.until) }
}

/// A position in the chain of a slot.
#[derive(Describe, Serialize)]
pub(crate) struct ChainPosition<'a> {
    /// The slot. A verification of a file without `--slot` names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<&'a str>,
    /// The number of the record, from 1. The start of a chain is 0.
    sequence: i64,
    /// The hash of the record. The start of a chain has zeros.
    hash: Digest,
    /// The number of verified records; only of `records verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<u64>,
}

fn head(args: &Head, env: &Environment) -> Result<Exit, Failure> {
    let store = store_location::open(&args.location, env)?;
    store.slot(&args.slot).map_err(|error| store_location::with_slots(error, &args.slot, &store))?;
    let head = store.record_head(&args.slot)?.unwrap_or(Link::START);
    let slot = Some(args.slot.as_str());
    let location = ChainPosition { slot, sequence: head.sequence, hash: head.hash, verified: None };
    output::line(env, &layout::json(&location))?;
    Ok(Exit::Answered)
}

fn verify(args: &VerifyRecords, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    let slot = args.slot.as_deref();
    let (end, count) = match (&args.input, slot) {
        (Some(input), _) => {
            let chain = slot.map_or(Chain::for_any_slot(), Chain::for_slot);
            let chain = args.after.map_or(chain.clone(), |after| chain.after(after));
            lines(input, args.head.iter().fold(chain, |chain, head| chain.holding(*head)), env)?
        }
        (None, Some(slot)) => {
            let store = store_location::open(&args.location, env)?;
            store.slot(slot)?;
            store.verify_records(slot, &args.head)?
        }
        // The argument parser excludes this case.
        (None, None) => return Err(Error::new(codes::WRONG_USAGE, "name a slot or a file").into()),
    };
    let location = ChainPosition { slot, sequence: end.sequence, hash: end.hash, verified: Some(count) };
    output::line(env, &layout::json(&location))?;
    Ok(Exit::Answered)
}

/// Verifies exported records line by line.
fn lines(input: &Source, mut chain: Chain, env: &Environment) -> Result<(Link, u64), Failure> {
    let mut lines = Lines::new(input.open(env)?, LONGEST_LINE);
    for number in 1_u64.. {
        match lines.next().map_err(|error| input.unreadable(error))? {
            InputLine::End => break,
            InputLine::Whole(line) if line.trim_ascii().is_empty() => {}
            InputLine::Whole(line) => {
                chain.line(&line).map_err(|error| error.within(&format!("line {number}")))?;
            }
            InputLine::TooLong => {
                let message = format!("line {number} is over the limit of {LONGEST_LINE} bytes");
                return Err(Error::new(codes::LIMIT_EXCEEDED, message).into());
            }
        }
    }
    Ok(chain.finish()?)
}

fn export(args: &Export, env: &Environment) -> Result<Exit, Failure> {
    args.check(env)?;
    let mut out = BufWriter::new(env.output.clone());
    let print = |line: &str| writeln!(out, "{line}").map_err(Failure::of_writing);
    if let Some(settings) = args.cluster(env)? {
        #[cfg(feature = "nats")]
        let host = args.host_id.as_deref();
        #[cfg(not(feature = "nats"))]
        let host = None;
        cluster::export_records(&settings, &args.slot, host, print)?;
    } else {
        let store = store_location::open(&args.location, env)?;
        store.slot(&args.slot).map_err(|error| store_location::with_slots(error, &args.slot, &store))?;
        store.export_records(&args.slot, range(args.after, args.times), print)?;
    }
    out.flush().map_err(Failure::of_writing)?;
    Ok(Exit::Answered)
}
