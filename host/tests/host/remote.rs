//! Cases that other hosts decide: the report is the same as a local one, or there is an error.

use std::sync::{Mutex, atomic::AtomicUsize, atomic::Ordering};

use adjudicate_core::{
    Error, Operation, Policy,
    document::{self, Document},
    json,
};
use adjudicate_host::{
    DecidedBy, InstallOptions, Slots, Store, codes,
    reevaluation::{
        Case, Ceiling, Description, Line, Modules, Outcome, Recorded, Reevaluation, RemoteCase,
        RemoteDecider, Report, Step, Version, read_line,
    },
};
use adjudicate_sandbox::{Host, Limits, Settings};
use tempfile::TempDir;

use crate::guests::{ENVELOPE, good};

const STRICT: &str = r#"{"policy":"strict","version":"2.0.0","forbidden_paths":["secret/**"]}"#;

fn reevaluation(before: Option<Version>, after: Version) -> Reevaluation {
    let expectations = vec!["success->unsafe".parse().unwrap()];
    Reevaluation {
        before,
        unrecorded: Version::Engine,
        after,
        threads: 2,
        samples: 3,
        expectations,
        least: 1,
    }
}

fn strict() -> Version {
    Version::Policy(Box::new(Policy::parse(STRICT.as_bytes()).unwrap()))
}

/// Envelopes, mixed with invalid lines.
fn lines(count: usize) -> Vec<String> {
    let line = |number: usize| match number % 50 {
        7 => "{broken".to_owned(),
        8 => "[]".to_owned(),
        _ => {
            let path = if number.is_multiple_of(3) { "secret/key" } else { "src/lib.rs" };
            ENVELOPE.replace("src/lib.rs", path).replace(r#""r""#, &format!("\"run-{number}\""))
        }
    };
    (0..count).map(line).collect()
}

fn steps(lines: &[String]) -> impl Iterator<Item = Result<Step, Error>> {
    lines.iter().zip(1..).map(|(line, number)| {
        Ok(match read_line(number, line.as_bytes(), Operation::Evaluate) {
            Ok(line) => Step::Line(line),
            Err(error) => Step::Bad(number, error),
        })
    })
}

fn json(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

/// A stand-in for other hosts, with its own behavior.
struct Other<F> {
    way: F,
    asked: AtomicUsize,
}

/// The behavior of other hosts.
type Way = fn(&[RemoteCase<'_>], Take<'_>) -> Result<(), Error>;

type Take<'a> = &'a mut dyn FnMut(usize, Outcome);

impl<F: Fn(&[RemoteCase<'_>], Take<'_>) -> Result<(), Error> + Sync> Other<F> {
    const fn new(way: F) -> Self {
        Self { way, asked: AtomicUsize::new(0) }
    }
}

impl<F: Fn(&[RemoteCase<'_>], Take<'_>) -> Result<(), Error> + Sync> RemoteDecider for Other<F> {
    fn decide(&self, asked: &[RemoteCase<'_>], take: Take<'_>) -> Result<(), Error> {
        self.asked.fetch_add(asked.len(), Ordering::Relaxed);
        (self.way)(asked, take)
    }
}

/// The decision of another host, which knows only the description of the version.
fn decided(asked: &RemoteCase<'_>) -> Outcome {
    let version = match &asked.by {
        Description::Engine => Version::Engine,
        Description::Policy(digest) => {
            assert_eq!(digest, Policy::parse(STRICT.as_bytes()).unwrap().digest());
            strict()
        }
        Description::Modules(_) => panic!("nobody asked for modules"),
    };
    let Case { operation, input, .. } = asked.case;
    let told = Case { number: 0, operation: *operation, input: input.clone(), recorded: None };
    // Serialized, as between hosts.
    let text = serde_json::to_string(&version.decide(&told).unwrap()).unwrap();
    read(&text).unwrap()
}

fn read<T: for<'t> Document<'t>>(text: &str) -> Result<T, Error> {
    document::parse(text.as_bytes(), json::Limits::ANSWER)
}

fn marked(place: usize) -> Outcome {
    Outcome::answered(
        Operation::Evaluate,
        format!(r#"{{"decision":{{"status":"partial"}},"place":{place}}}"#),
    )
}

#[test]
fn the_report_does_not_depend_on_the_behavior_of_other_hosts() {
    // More than the first batch.
    let lines = lines(700);
    for again in [reevaluation(None, strict()), reevaluation(Some(strict()), Version::Engine)] {
        let here = json(&again.run(steps(&lines), |_| {}).unwrap());
        let ways: [(&str, Way); 5] = [
            ("in order", |asked, take| {
                asked.iter().enumerate().for_each(|(place, each)| take(place, decided(each)));
                Ok(())
            }),
            ("the other way round, and twice", |asked, take| {
                for (place, each) in asked.iter().enumerate().rev() {
                    take(place, decided(each));
                    take(place, marked(place));
                }
                Ok(())
            }),
            ("only some, and some that nobody asked for", |asked, take| {
                for (place, each) in asked.iter().enumerate().filter(|(place, _)| place % 3 == 0) {
                    take(place, decided(each));
                    take(asked.len() + place, marked(place));
                }
                take(usize::MAX, marked(0));
                Ok(())
            }),
            ("nothing", |_, _| Ok(())),
            ("errors of their own", |asked, take| {
                for (place, each) in asked.iter().enumerate() {
                    let error = Error::new(codes::HOST_OVERLOADED, "no instance was free");
                    take(place, Outcome::failed(error.to_json()));
                    take(place, decided(each));
                }
                Ok(())
            }),
        ];
        for (name, way) in ways {
            let other = Other::new(way);
            let mut told = Vec::new();
            let report = again.run_remotely(steps(&lines), &other, |read| told.push(read)).unwrap();
            assert_eq!(json(&report), here, "{name}");
            assert!(told.is_sorted() && told.len() > 1 && told.last() == Some(&700), "{told:?}");
            // Both sides of each line that is JSON.
            assert_eq!(other.asked.load(Ordering::Relaxed), 2 * (700 - 14), "{name}");
        }
    }
}

#[test]
fn outcomes_of_other_hosts_are_compared() {
    let lines = lines(5);
    let other = Other::new(|asked: &[RemoteCase<'_>], take: Take<'_>| {
        (0..asked.len()).for_each(|place| take(place, marked(place)));
        Ok(())
    });
    let report = reevaluation(None, strict()).run_remotely(steps(&lines), &other, |_| {}).unwrap();
    let transitions: Vec<_> =
        report.transitions().map(|(from, to, count)| (from.as_str(), to.as_str(), count)).collect();
    assert_eq!(transitions, [("partial", "partial", 5)]);
}

#[test]
fn an_error_of_other_hosts_or_the_source_ends_the_run() {
    let lines = lines(1200);
    let gone = || Error::new(codes::CLUSTER_FAULT, "nobody is there");
    let calls = AtomicUsize::new(0);
    let second =
        Other::new(|_: &[RemoteCase<'_>], _: Take<'_>| match calls.fetch_add(1, Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(gone()),
        });
    let again = reevaluation(None, strict());
    assert_eq!(again.run_remotely(steps(&lines), &second, |_| {}).map(drop), Err(gone()));
    let silent = Other::new(|_: &[RemoteCase<'_>], _: Take<'_>| Ok(()));
    let ended = steps(&lines).take(1100).chain([Err(gone())]);
    assert_eq!(again.run_remotely(ended, &silent, |_| {}).map(drop), Err(gone()));
    let panics = Other::new(|_: &[RemoteCase<'_>], _: Take<'_>| panic!("a fault of whoever asks"));
    let error = again.run_remotely(steps(&lines), &panics, |_| {}).map(drop).unwrap_err();
    assert_eq!(error.code(), codes::HOST_FAULT);
    let report = again.run_remotely(std::iter::empty(), &panics, |_| {}).unwrap();
    assert_eq!((report.read(), report.is_failed()), (0, true));
}

#[test]
fn recorded_outcomes_are_not_decided_again() {
    let outcome = marked(1);
    let recorded = Recorded { outcome, by: DecidedBy::Active, entry: 1, modules: Vec::new(), fault: None };
    let case = |input: &str| {
        let recorded = Some(recorded.clone());
        let case = Case { number: 1, operation: Operation::Evaluate, input: input.to_owned(), recorded };
        Ok(Step::Line(Line::Case(case)))
    };
    let seen = Mutex::new(Vec::new());
    let other = Other::new(|asked: &[RemoteCase<'_>], _: Take<'_>| {
        seen.lock().unwrap().extend(asked.iter().map(|each| each.by.clone()));
        Ok(())
    });
    let again = reevaluation(None, Version::Engine);
    again.run_remotely([case(ENVELOPE)].into_iter(), &other, |_| {}).unwrap();
    assert_eq!(*seen.lock().unwrap(), [Description::Engine]);
}

#[test]
fn outcomes_survive_serialization_byte_for_byte() {
    let texts = ["", "{\"a\": 1e0 }", "\u{0}\u{1f}\u{7f}\u{2028}\u{fffd}\u{10ffff}\\\"/\r\n\t", "\u{feff}"];
    for text in texts {
        for outcome in
            [Outcome::answered(Operation::Evaluate, text.to_owned()), Outcome::failed(text.to_owned())]
        {
            let json = serde_json::to_string(&outcome).unwrap();
            assert_eq!(read::<Outcome>(&json).unwrap(), outcome);
        }
    }
    for bad in [
        r#"{"label":"success"}"#,
        r#"{"label":"splendid","text":""}"#,
        r#"{"label":"success","text":"","more":1}"#,
        r#"{"label":"success","text":null}"#,
        r#"["success",""]x"#,
    ] {
        assert!(read::<Outcome>(bad).is_err(), "{bad}");
    }
}

fn host(settings: Settings) -> Host {
    Host::new(Settings { instances: 4, ..settings }).unwrap()
}

fn slots(directory: &TempDir, settings: Settings) -> Slots {
    Slots::open(Store::open(&directory.path().join("store")).unwrap(), host(settings)).unwrap()
}

fn described(version: &Version) -> Modules {
    let step = read_line(1, ENVELOPE.as_bytes(), Operation::Evaluate).unwrap();
    let Line::Case(case) = step else { panic!("an envelope is a case") };
    match version.describe(&case) {
        // Serialized, as between hosts.
        Ok(Description::Modules(modules)) => {
            let text = serde_json::to_string(&modules).unwrap();
            let again: Modules = read(&text).unwrap();
            assert_eq!(*modules, again);
            again
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn modules_are_loaded_from_their_description_and_judged_locally() {
    let directory = TempDir::new().unwrap();
    let slots = slots(&directory, Settings::default());
    let bytes = good();
    let limits = Limits { fuel: 7_000_000, ..Limits::default() };
    let loaded = host(Settings::default()).load_with(&bytes, limits).unwrap();
    let modules = described(&Version::Module(loaded.clone()));
    assert_eq!(modules.digests(), [loaded.digest()]);
    let fetch = |_, most| {
        assert_eq!(most, limits.module_bytes);
        Ok(good())
    };
    let code = |loaded: Result<Version, Error>| loaded.map(drop).map_err(|error| error.code());
    let unsigned = Ceiling { unsigned: true, ..Ceiling::default() };
    // The other store trusts no key.
    assert_eq!(code(modules.load(&slots, &Ceiling::default(), fetch)), Err(codes::MODULE_UNSIGNED));
    let again = modules.load(&slots, &unsigned, fetch).unwrap();
    assert_eq!(described(&again), modules, "the same limits, too");
    assert!(slots.store().modules().unwrap().is_empty(), "nothing is kept");
    // Another module; no module at all.
    let other = |_, _| Ok(ENVELOPE.as_bytes().to_vec());
    assert_eq!(code(modules.load(&slots, &unsigned, other)), Err(codes::CLUSTER_FAULT));
    let missing = |_, _| Err(Error::new(codes::UNKNOWN_MODULE, "there is none"));
    assert_eq!(code(modules.load(&slots, &unsigned, missing)), Err(codes::UNKNOWN_MODULE));
    // Above the limits of this host.
    let low = Ceiling { limits: Limits { fuel: 6_999_999, ..unsigned.limits }, ..unsigned };
    let error = modules.load(&slots, &low, fetch).unwrap_err();
    assert_eq!((error.code(), error.path()), (codes::LIMIT_EXCEEDED, "/limits/fuel"));
    // An installed module is used, and judged, too.
    slots.install(&bytes, &InstallOptions { unsigned: true, ..InstallOptions::default() }).unwrap();
    let never = |_, _| panic!("it is there");
    assert!(modules.load(&slots, &unsigned, never).is_ok());
    assert_eq!(code(modules.load(&slots, &Ceiling::default(), never)), Err(codes::MODULE_UNSIGNED));
    slots.set_trust(None, &format!(r#"{{"threshold":0,"pins":["{}"]}}"#, loaded.digest())).unwrap();
    assert!(modules.load(&slots, &Ceiling::default(), never).is_ok());
}

#[test]
fn hosts_that_know_different_engines_do_not_decide_for_each_other() {
    let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let bytes = good();
    let known = || Settings {
        known_engines: [adjudicate_sandbox::Digest::sha256(&bytes)].into(),
        ..Settings::default()
    };
    let hosts = [slots(&directories[0], Settings::default()), slots(&directories[1], known())];
    let versions = [Settings::default(), known()]
        .map(|settings| described(&Version::Module(host(settings).load(&bytes).unwrap())));
    let unsigned = Ceiling { unsigned: true, ..Ceiling::default() };
    for (is_known, slots) in hosts.iter().enumerate() {
        for (was_known, modules) in versions.iter().enumerate() {
            let loaded = modules.load(slots, &unsigned, |_, _| Ok(good())).map(drop);
            let expected = if is_known == was_known { Ok(()) } else { Err(codes::CLUSTER_FAULT) };
            assert_eq!(loaded.map_err(|error| error.code()), expected);
        }
    }
}

#[test]
fn descriptions_of_modules_are_parsed_strictly() {
    let digest = adjudicate_sandbox::Digest::sha256(b"");
    let good = format!(r#"{{"composition":{{"base":{{"module":"{digest}"}}}},"limits":{{}}}}"#);
    assert!(read::<Modules>(&good).is_ok());
    for (from, to) in [
        ("limits", "limit"),
        ("sha256:", "sha25:"),
        ("\"limits\":{}", "\"limits\":{\"fuel\":-1}"),
        ("base", "bass"),
    ] {
        assert!(read::<Modules>(&good.replace(from, to)).is_err(), "{to}");
    }
    // Limits that cannot work.
    let directory = TempDir::new().unwrap();
    let slots = slots(&directory, Settings::default());
    let none: Modules = read(&good.replace("{}", r#"{"deadline_ms":1}"#)).unwrap();
    let error = none.load(&slots, &Ceiling::default(), |_, _| panic!("nothing is fetched")).unwrap_err();
    assert_eq!(error.code(), codes::INVALID_VALUE);
}
