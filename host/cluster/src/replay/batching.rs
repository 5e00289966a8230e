//! Splits cases into jobs that fit into messages.

use adjudicate_core::Error;
use adjudicate_host::reevaluation::{Description, RemoteCase};
use adjudicate_sandbox::Digest;

use super::{
    job::{Job, JobCase, MOST_CASES, VersionSpec, written},
    run::JobCases,
};

/// The largest size of a job in bytes, even if the servers accept larger messages.
const BYTES: usize = 256 << 10;

/// A job for publication.
pub(super) struct EncodedJob {
    pub(super) number: u64,
    /// The digest by which hosts name it.
    pub(super) digest: Digest,
    pub(super) text: String,
    /// The index of each of its cases in the original list.
    pub(super) places: Vec<usize>,
}

impl EncodedJob {
    /// The range of its cases.
    pub(super) fn cases(&self, asked: &[RemoteCase<'_>]) -> JobCases {
        let number = |place: Option<&usize>| {
            place.and_then(|place| asked.get(*place)).map_or(0, |asked| asked.case.number)
        };
        JobCases { job: self.number, first: number(self.places.first()), last: number(self.places.last()) }
    }
}

/// Splits cases into jobs of at most `most` bytes, numbered from `first`. Cases that are too large for a job are left out.
///
/// # Errors
///
/// The errors of `name`, which returns the form of a version for jobs.
pub(super) fn cut(
    run: &str,
    first: u64,
    asked: &[RemoteCase<'_>],
    most: usize,
    mut name: impl FnMut(&Description) -> Result<VersionSpec, Error>,
) -> Result<Vec<EncodedJob>, Error> {
    let empty = written(&Job::new(run, u64::MAX, Vec::new(), Vec::new())).len();
    let most = most.saturating_sub(empty);
    let full = most.min(BYTES);
    let mut cutting = Batching { run, number: first, cuts: Vec::new(), open: OpenJob::default() };
    for (place, RemoteCase { by, case }) in asked.iter().enumerate() {
        let known = cutting.open.by.iter().position(|known| *known == by);
        let version = known.unwrap_or(cutting.open.by.len());
        let put = JobCase::new(version, case);
        let put_bytes = written(&put).len() + 1;
        let named = match known {
            Some(_) => None,
            None => Some(name(by)?),
        };
        let named_bytes = named.as_ref().map_or(0, |named| written(named).len() + 1);
        let is_full =
            cutting.open.cases.len() >= MOST_CASES || cutting.open.bytes + put_bytes + named_bytes > full;
        if !is_full {
            cutting.open.push(place, put, put_bytes, named.map(|named| (by, named, named_bytes)));
            continue;
        }
        cutting.close();
        let named = match named {
            Some(named) => named,
            None => name(by)?,
        };
        let named_bytes = written(&named).len() + 1;
        if put_bytes + named_bytes <= most {
            let put = JobCase { version: 0, ..put };
            cutting.open.push(place, put, put_bytes, Some((by, named, named_bytes)));
        }
    }
    cutting.close();
    Ok(cutting.cuts)
}

struct Batching<'a> {
    run: &'a str,
    number: u64,
    cuts: Vec<EncodedJob>,
    open: OpenJob<'a>,
}

/// The job that is being filled.
#[derive(Default)]
struct OpenJob<'a> {
    by: Vec<&'a Description>,
    versions: Vec<VersionSpec>,
    cases: Vec<JobCase>,
    places: Vec<usize>,
    bytes: usize,
}

impl<'a> OpenJob<'a> {
    fn push(
        &mut self,
        place: usize,
        put: JobCase,
        put_bytes: usize,
        version: Option<(&'a Description, VersionSpec, usize)>,
    ) {
        self.cases.push(put);
        self.places.push(place);
        self.bytes += put_bytes;
        if let Some((by, named, bytes)) = version {
            self.by.push(by);
            self.versions.push(named);
            self.bytes += bytes;
        }
    }
}

impl Batching<'_> {
    fn close(&mut self) {
        let OpenJob { versions, cases, places, .. } = std::mem::take(&mut self.open);
        if cases.is_empty() {
            return;
        }
        let text = written(&Job::new(self.run, self.number, versions, cases));
        let digest = Digest::sha256(text.as_bytes());
        self.cuts.push(EncodedJob { number: self.number, digest, text, places });
        self.number += 1;
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;
    use adjudicate_host::reevaluation::Case;

    use super::*;

    const RUN: &str = "0123456789abcdef0123456789abcdef";

    fn named(by: &Description) -> Result<VersionSpec, Error> {
        Ok(match by {
            Description::Policy(digest) => {
                VersionSpec::Policy { document: Digest::sha256(digest.as_bytes()) }
            }
            _ => VersionSpec::Engine,
        })
    }

    fn case(number: u64, bytes: usize) -> Case {
        let input = format!("{number:08}{}", "\u{1}\"é".repeat(bytes / 4));
        Case { number, operation: Operation::Evaluate, input, recorded: None }
    }

    #[test]
    fn every_case_that_fits_is_in_one_job_and_jobs_fit_into_messages() {
        let sizes = [0, 10, 100, 700, 1_000, 5_000, 300_000];
        let cases: Vec<Case> = (0..70).map(|number| case(number, sizes[number as usize % 7])).collect();
        let by = |number: u64| match number % 5 {
            0 => Description::Engine,
            other => Description::Policy(format!("policy {other}")),
        };
        let asked: Vec<RemoteCase<'_>> =
            cases.iter().map(|case| RemoteCase { by: by(case.number), case }).collect();
        for most in [0, 300, 500, 1_000, 4_000, 100_000, 1 << 20] {
            let cuts = cut(RUN, 7, &asked, most, named).unwrap();
            let mut seen = Vec::new();
            for (number, cut) in (7..).zip(&cuts) {
                assert!(cut.text.len() <= most, "{} {most}", cut.text.len());
                let job = Job::read(cut.text.as_bytes()).unwrap();
                assert_eq!((job.number, cut.number, job.run.as_str()), (number, number, RUN));
                assert_eq!(job.cases.len(), cut.places.len());
                for (put, place) in job.cases.iter().zip(&cut.places) {
                    assert_eq!(put.input, cases[*place].input);
                    assert_eq!(job.versions[put.version], named(&asked[*place].by).unwrap());
                    seen.push(*place);
                }
            }
            // In order, each case once, and every case that fits is there.
            assert!(seen.is_sorted_by(|one, other| one < other));
            for (place, each) in asked.iter().enumerate() {
                let alone =
                    Job::new(RUN, u64::MAX, vec![named(&each.by).unwrap()], vec![JobCase::new(0, each.case)]);
                let fits = written(&alone).len() + 2 <= most;
                assert_eq!(seen.contains(&place), fits, "{place} {most}");
            }
        }
    }

    #[test]
    fn an_error_of_naming_ends_the_split() {
        let case = case(1, 1);
        let asked = [RemoteCase { by: Description::Engine, case: &case }];
        let gone = || Error::new(adjudicate_host::codes::CLUSTER_FAULT, "gone");
        assert_eq!(cut(RUN, 0, &asked, 10_000, |_| Err(gone())).err(), Some(gone()));
    }
}
