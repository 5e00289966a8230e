//! The verb `records`: the head of a chain, whether it is whole, and all of it.

mod args;
mod times;

use std::io::{self, BufWriter, Write};

use adjudicate_core::Error;
use adjudicate_host::{Chain, Link, RecordRange};
use serde::Serialize;

use crate::{
    cluster, codes,
    exit::Exit,
    failure::Failure,
    input::Source,
    layout,
    lines::{Line, Lines},
    output, place,
};
use args::{Export, Head, RecordsVerb, VerifyRecords};

pub(crate) use args::Records;
pub(crate) use times::Times;

/// How long the line of a record may be: an input and an answer of any size that a host takes, both escaped.
pub(crate) const LONGEST_LINE: usize = 256 << 20;

pub(crate) fn run(args: &Records) -> Result<Exit, Failure> {
    match &args.verb {
        RecordsVerb::Head(args) => head(args),
        RecordsVerb::Verify(args) => verify(args),
        RecordsVerb::Export(args) => export(args),
    }
}

/// The records of a slot in a range of time.
pub(crate) fn range(after: i64, times: Times) -> RecordRange {
    let all = RecordRange::default();
    RecordRange { after, since: times.since.unwrap_or(all.since), until: times.until.unwrap_or(all.until) }
}

/// A place in the chain of a slot.
#[derive(Serialize)]
struct Place<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<&'a str>,
    sequence: i64,
    hash: String,
    /// How many records were verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<u64>,
}

fn head(args: &Head) -> Result<Exit, Failure> {
    let store = place::open(&args.place)?;
    store.slot(&args.slot)?;
    let head = store.record_head(&args.slot)?.unwrap_or(Link::START);
    let slot = Some(args.slot.as_str());
    let place = Place { slot, sequence: head.sequence, hash: head.hash.to_string(), verified: None };
    output::line(&layout::json(&place))?;
    Ok(Exit::Answered)
}

fn verify(args: &VerifyRecords) -> Result<Exit, Failure> {
    args.check()?;
    let slot = args.slot.as_deref();
    let (end, count) = match (&args.input, slot) {
        (Some(input), _) => {
            let chain = slot.map_or(Chain::of_any(), Chain::of);
            let chain = args.after.map_or(chain.clone(), |after| chain.after(after));
            lines(input, args.head.iter().fold(chain, |chain, head| chain.holding(*head)))?
        }
        (None, Some(slot)) => {
            let store = place::open(&args.place)?;
            store.slot(slot)?;
            store.verify_records(slot, &args.head)?
        }
        // The command line lets nobody get here.
        (None, None) => return Err(Error::new(codes::WRONG_USAGE, "name a slot or a file").into()),
    };
    let place = Place { slot, sequence: end.sequence, hash: end.hash.to_string(), verified: Some(count) };
    output::line(&layout::json(&place))?;
    Ok(Exit::Answered)
}

/// Verifies exported records, a line at a time.
fn lines(input: &Source, mut chain: Chain) -> Result<(Link, u64), Failure> {
    let mut lines = Lines::new(input.open()?, LONGEST_LINE);
    for number in 1_u64.. {
        match lines.next().map_err(|error| input.unreadable(&error))? {
            Line::End => break,
            Line::Whole(line) if line.trim_ascii().is_empty() => {}
            Line::Whole(line) => {
                chain.line(&line).map_err(|error| error.within(&format!("line {number}")))?;
            }
            Line::TooLong => {
                let message = format!("line {number} is over the limit of {LONGEST_LINE} bytes");
                return Err(Error::new(codes::LIMIT_EXCEEDED, message).into());
            }
        }
    }
    Ok(chain.finish()?)
}

fn export(args: &Export) -> Result<Exit, Failure> {
    args.check()?;
    let mut out = BufWriter::new(io::stdout().lock());
    let print = |line: &str| writeln!(out, "{line}").map_err(|error| Failure::of_writing(&error));
    if let Some(settings) = args.cluster()? {
        #[cfg(feature = "nats")]
        let host = args.host_id.as_deref();
        #[cfg(not(feature = "nats"))]
        let host = None;
        cluster::export_records(&settings, &args.slot, host, print)?;
    } else {
        let store = place::open(&args.place)?;
        store.slot(&args.slot)?;
        store.export_records(&args.slot, range(args.after, args.times), print)?;
    }
    out.flush().map_err(|error| Failure::of_writing(&error))?;
    Ok(Exit::Answered)
}
