//! The command `replay`: decides recorded calls again by another version, and reports the changes.

mod args;
mod html;
mod source;
mod table;

use std::{num::NonZero, path::Path};

use adjudicate_core::{Error, Policy};
use adjudicate_host::{
    Store,
    reevaluation::{CandidateVersion, Reevaluation, ReevaluationReport},
};
use adjudicate_sandbox::{Cache, Host, HostSettings, Limits};

use crate::{
    codes, compiler,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::{self, Source},
    known_engine::KnownEngines,
    layout, output,
    progress::Progress,
    records, replace, store_location,
};
use args::NewVersion;

pub(crate) use args::Replay;

pub(crate) fn run(args: &Replay, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    let threads = args
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get), usize::from);
    // The store is opened only if an argument needs it.
    let is_stored = args.slot.is_some() || args.version.installed.is_some();
    let store = is_stored.then(|| store_location::open(&args.location, env)).transpose()?;
    let loader = VersionLoader { after: &args.version, store: store.as_ref(), threads, env };
    let (after, after_name) = loader.after(args)?;
    let before = args.against.as_ref().map(|source| loader.version_of_file(source)).transpose()?;
    let (before, before_name) = before.unzip();
    let again = Reevaluation {
        before,
        unrecorded: CandidateVersion::Engine,
        after,
        threads,
        samples: usize::from(args.samples),
        expectations: args.fail_on.clone(),
        least: args.min_records,
    };
    let mut report = match (&args.input, &args.slot, &store) {
        (Some(input), ..) => {
            let progress = Progress::of_file(input, args.no_progress, env);
            let lines = source::lines(input, args.operation, &progress, env)?;
            again.run(lines, |done| progress.done(done))?
        }
        (None, Some(slot), Some(store)) => {
            store.slot(slot)?;
            let range = records::range(0, args.times);
            let progress = Progress::of_records(store.count_records(slot, range)?, args.no_progress, env);
            source::records(store, slot, range, |steps| again.run(steps, |done| progress.done(done)))?
        }
        // The command line excludes this case.
        _ => return Err(Error::new(codes::WRONG_USAGE, "name a slot or a file").into()),
    };
    let before_name = before_name.unwrap_or_else(|| default_before_name(&report).to_owned());
    report.name(&before_name, &after_name);
    print_report(args, &report, env)
}

/// Prints the report, and returns the exit status.
fn print_report(args: &Replay, report: &ReevaluationReport, env: &Environment) -> Result<Exit, Failure> {
    if let Some(path) = &args.report {
        replace::report(path, &html::page(report), env)?;
    }
    output::answer(env, &layout::json(report), args.format, args.color, || Ok(table::page(report)))?;
    let failed = if report.is_failed() { Exit::Failed } else { Exit::Answered };
    let unread = if report.bad_lines() > 0 { Exit::Input } else { Exit::Answered };
    Ok(failed.or_more_severe(unread))
}

/// Returns the name of the first side, if no `--against` gives it.
fn default_before_name(report: &ReevaluationReport) -> &'static str {
    match report.recorded() {
        0 if report.compared() > 0 => "the engine built in",
        recorded if recorded < report.compared() => "as recorded, else the engine built in",
        _ => "as recorded",
    }
}

/// Loads the versions that decide.
struct VersionLoader<'a> {
    after: &'a NewVersion,
    store: Option<&'a Store>,
    threads: usize,
    env: &'a Environment,
}

impl VersionLoader<'_> {
    /// Returns the version that decides again, and its name.
    fn after(&self, args: &Replay) -> Result<(CandidateVersion, String), Failure> {
        let NewVersion { module, installed, policy, entry, .. } = self.after;
        let slot = args.slot.as_deref().unwrap_or_default();
        Ok(match (module, installed, policy, entry) {
            (Some(path), ..) => self.version_of_module(path)?,
            (_, Some(meant), ..) => {
                let store = self.store()?;
                let module = store.find_module(meant)?;
                let limits = match &args.slot {
                    Some(slot) => store.slot(slot)?.settings.limits(&Limits::default()),
                    None => Limits::default(),
                };
                let loaded = self.host(limits)?.load(&store.module_bytes(module.digest)?)?;
                (CandidateVersion::Module(loaded), format!("{}@{}", module.name, module.version))
            }
            (_, _, Some(source), _) => self.version_of_policy(source)?,
            (_, _, _, Some(id)) => {
                let store = self.store()?;
                let entry = store.entry(slot, *id)?;
                let host = self.host(Limits::default())?;
                (CandidateVersion::of_entry(store, &host, &entry)?, format!("entry {id} of `{slot}`"))
            }
            (None, None, None, None) => {
                let host = self.host(Limits::default())?;
                let version = CandidateVersion::recorded(self.store()?.clone(), host, slot);
                (version, "the recorded version".to_owned())
            }
        })
    }

    /// Returns the version of a file: a module if its name ends in `.wasm`, else a policy document.
    fn version_of_file(&self, source: &Source) -> Result<(CandidateVersion, String), Failure> {
        match source.module() {
            Some(path) => self.version_of_module(path),
            None => Ok(self.version_of_policy(source)?),
        }
    }

    fn version_of_module(&self, path: &Path) -> Result<(CandidateVersion, String), Failure> {
        let defaults = Limits::default();
        let limits = Limits { fuel: self.after.fuel.unwrap_or(defaults.fuel), ..defaults };
        let bytes = input::module(path, limits.module_bytes, self.env)?;
        let module = self.host(limits)?.load(&bytes)?;
        let manifest = module.manifest();
        let name = format!("{}@{}", manifest.name, manifest.version);
        Ok((CandidateVersion::Module(module), name))
    }

    fn version_of_policy(&self, source: &Source) -> Result<(CandidateVersion, String), Error> {
        let name = source.name();
        let text = source.part(&name, None, self.env)?;
        let policy = Policy::parse(&text).map_err(|error| error.within(&name))?;
        let name = format!("{}@{}", policy.name(), policy.version());
        Ok((CandidateVersion::Policy(Box::new(policy)), name))
    }

    fn host(&self, limits: Limits) -> Result<Host, Failure> {
        // The store caches compiled code. Without a store, each run compiles again.
        let cache: Option<Cache> = self.store.and_then(|store| store.cache().ok());
        let KnownEngines { digests: known_engines, modules: engines } =
            KnownEngines::read(&self.after.known_engine, self.env)?;
        let settings = HostSettings {
            limits,
            instances: u32::try_from(self.threads).unwrap_or(u32::MAX),
            known_engines,
            engines,
            cache,
            compiler: compiler::child_process(self.env)?,
            ..HostSettings::default()
        };
        Ok(Host::new(settings)?)
    }

    fn store(&self) -> Result<&Store, Error> {
        self.store.ok_or_else(|| Error::new(codes::WRONG_USAGE, "that needs a store"))
    }
}
