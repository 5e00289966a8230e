//! The command `replay`: decides recorded calls again by another version, and reports the changes.

mod args;
#[cfg(feature = "nats")]
mod elsewhere;
#[cfg(not(feature = "nats"))]
#[path = "../alone/elsewhere.rs"]
mod elsewhere;
mod html;
mod progress;
mod source;
mod table;

use std::{cell::RefCell, collections::BTreeMap, num::NonZero, path::Path};

use adjudicate_core::{Error, Policy};
use adjudicate_host::{
    Store,
    reevaluation::{Reevaluation, Report, Step, Version},
};
use adjudicate_sandbox::{Cache, Digest, Host, Limits, Settings};

use crate::{
    codes, compiler,
    exit::Exit,
    failure::Failure,
    input::{self, Source},
    known_engine::KnownEngines,
    layout, output, place, records, replace,
};
use args::After;
use elsewhere::Run;
use progress::Progress;

pub(crate) use args::Replay;

/// The versions in the form for other hosts.
#[derive(Debug, Default)]
#[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "nobody else decides"))]
struct Asked {
    /// Modules that come from files.
    modules: BTreeMap<Digest, Vec<u8>>,
    /// Policy documents as JSON, by their own digest.
    policies: BTreeMap<String, Vec<u8>>,
    /// Where all other modules are.
    store: Option<Store>,
}

/// Deciding again: here, or by the hosts of a cluster.
#[derive(Clone, Copy)]
struct Decided<'a> {
    again: &'a Reevaluation,
    run: Option<&'a Run>,
}

impl Decided<'_> {
    fn run(
        self,
        steps: impl Iterator<Item = Result<Step, Error>>,
        progress: impl FnMut(u64),
    ) -> Result<Report, Error> {
        match self.run {
            Some(run) => run.decide(self.again, steps, progress),
            None => self.again.run(steps, progress),
        }
    }
}

pub(crate) fn run(args: &Replay) -> Result<Exit, Failure> {
    args.check()?;
    let threads = args
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get), usize::from);
    // A store is opened where something of it is asked for, and nowhere else.
    let is_stored = args.slot.is_some() || args.version.installed.is_some();
    let store = is_stored.then(|| place::open(&args.place)).transpose()?;
    let cluster = args.nats.settings()?;
    let hosts =
        Hosts { after: &args.version, store: store.as_ref(), threads, asked: RefCell::new(Asked::default()) };
    let (after, after_name) = hosts.after(args)?;
    let before = args.against.as_ref().map(|source| hosts.of_file(source)).transpose()?;
    let (before, before_name) = before.unzip();
    let again = Reevaluation {
        before,
        unrecorded: Version::Engine,
        after,
        threads,
        samples: usize::from(args.samples),
        expectations: args.fail_on.clone(),
        least: args.min_records,
    };
    let asked = Asked { store: store.clone(), ..hosts.asked.into_inner() };
    let run = cluster.map(|cluster| Run::begin(&cluster, asked, args)).transpose()?;
    let again = Decided { again: &again, run: run.as_ref() };
    let mut report = match (&args.input, &args.slot, &store) {
        (Some(input), ..) => {
            let progress = Progress::of_file(input, args.no_progress);
            again.run(source::lines(input, args.operation, progress.clone())?, |read| progress.done(read))?
        }
        (None, Some(slot), Some(store)) => {
            store.slot(slot)?;
            let range = records::range(0, args.times);
            let progress = Progress::of_records(store.count_records(slot, range)?, args.no_progress);
            source::records(store, slot, range, |steps| again.run(steps, |read| progress.done(read)))?
        }
        // The command line excludes this case.
        _ => return Err(Error::new(codes::WRONG_USAGE, "name a slot or a file").into()),
    };
    if let Some(run) = run {
        run.end();
    }
    let before_name = before_name.unwrap_or_else(|| side_before(&report).to_owned());
    report.name(&before_name, &after_name);
    tell(args, &report)
}

/// Prints the report, and returns the exit status.
fn tell(args: &Replay, report: &Report) -> Result<Exit, Failure> {
    if let Some(path) = &args.report {
        replace::report(path, &html::page(report))?;
    }
    output::answer(&layout::json(report), args.format, args.color, || Ok(table::page(report)))?;
    let failed = if report.is_failed() { Exit::Failed } else { Exit::Answered };
    let unread = if report.bad_lines() > 0 { Exit::Input } else { Exit::Answered };
    Ok(failed.or_graver(unread))
}

/// What to call the side before where nobody was asked for it.
fn side_before(report: &Report) -> &'static str {
    match report.recorded() {
        0 if report.compared() > 0 => "the engine built in",
        recorded if recorded < report.compared() => "as recorded, else the engine built in",
        _ => "as recorded",
    }
}

/// Loads whoever is asked.
struct Hosts<'a> {
    after: &'a After,
    store: Option<&'a Store>,
    threads: usize,
    /// What is asked, for hosts elsewhere that have to ask the same.
    asked: RefCell<Asked>,
}

impl Hosts<'_> {
    /// Who decides again, and what to call them.
    fn after(&self, args: &Replay) -> Result<(Version, String), Failure> {
        let After { module, installed, policy, entry, .. } = self.after;
        let slot = args.slot.as_deref().unwrap_or_default();
        Ok(match (module, installed, policy, entry) {
            (Some(path), ..) => self.of_module(path)?,
            (_, Some(meant), ..) => {
                let store = self.store()?;
                let module = store.find_module(meant)?;
                let limits = match &args.slot {
                    Some(slot) => store.slot(slot)?.settings.limits(&Limits::default()),
                    None => Limits::default(),
                };
                let loaded = self.host(limits)?.load(&store.module_bytes(module.digest)?)?;
                (Version::Module(loaded), format!("{}@{}", module.name, module.version))
            }
            (_, _, Some(source), _) => self.of_policy(source)?,
            (_, _, _, Some(id)) => {
                let store = self.store()?;
                let entry = store.entry(slot, *id)?;
                let host = self.host(Limits::default())?;
                (Version::of_entry(store, &host, &entry)?, format!("entry {id} of `{slot}`"))
            }
            (None, None, None, None) => {
                let host = self.host(Limits::default())?;
                let version = Version::recorded(self.store()?.clone(), host, slot);
                (version, "the recorded version".to_owned())
            }
        })
    }

    /// A policy document, or a module if its name ends so.
    fn of_file(&self, source: &Source) -> Result<(Version, String), Failure> {
        match source.module() {
            Some(path) => self.of_module(path),
            None => Ok(self.of_policy(source)?),
        }
    }

    fn of_module(&self, path: &Path) -> Result<(Version, String), Failure> {
        let defaults = Limits::default();
        let limits = Limits { fuel: self.after.fuel.unwrap_or(defaults.fuel), ..defaults };
        let bytes = input::module(path, limits.module_bytes)?;
        let module = self.host(limits)?.load(&bytes)?;
        self.asked.borrow_mut().modules.insert(module.digest(), bytes);
        let manifest = module.manifest();
        let name = format!("{}@{}", manifest.name, manifest.version);
        Ok((Version::Module(module), name))
    }

    fn of_policy(&self, source: &Source) -> Result<(Version, String), Error> {
        let name = source.name();
        let text = source.part(&name, None)?;
        let policy = Policy::parse(&text).map_err(|error| error.within(&name))?;
        self.asked.borrow_mut().policies.insert(policy.digest().to_owned(), text);
        let name = format!("{}@{}", policy.name(), policy.version());
        Ok((Version::Policy(Box::new(policy)), name))
    }

    fn host(&self, limits: Limits) -> Result<Host, Failure> {
        // With a store, compiled code is kept there; without one, each run compiles again.
        let cache: Option<Cache> = self.store.and_then(|store| store.cache().ok());
        let KnownEngines { digests: known_engines, modules: engines } =
            KnownEngines::read(&self.after.known_engine)?;
        let settings = Settings {
            limits,
            instances: u32::try_from(self.threads).unwrap_or(u32::MAX),
            known_engines,
            engines,
            cache,
            compiler: compiler::bounded()?,
            ..Settings::default()
        };
        Ok(Host::new(settings)?)
    }

    fn store(&self) -> Result<&Store, Error> {
        self.store.ok_or_else(|| Error::new(codes::WRONG_USAGE, "that needs a store"))
    }
}
