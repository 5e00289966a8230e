//! A job: a few cases, and who is to decide them.

use adjudicate_core::{Error, Operation, json};
use adjudicate_host::{
    codes,
    reevaluation::{Case, Modules},
};
use adjudicate_sandbox::Digest;
use serde::{Deserialize, Serialize};

use super::{ENGINE, is_run};

/// The format of jobs and notes that this host writes, and the only one that it reads.
pub(super) const FORMAT: u64 = 1;

/// How many cases a job has at most: of cheap ones enough that messages cost little, of dear ones few enough for all hosts to have some.
pub(super) const MOST_CASES: usize = 64;

/// Some cases of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    pub(super) format: u64,
    /// The version of the engine that has to decide.
    pub(super) engine: String,
    /// 32 hexadecimal digits.
    pub(super) run: String,
    pub(super) number: u64,
    /// Who decides.
    pub(super) versions: Vec<Named>,
    pub(super) cases: Vec<Put>,
}

/// Who decides, as a host can make it anew: `{}` for the engine, `{"document"}` or `{"modules"}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Members", into = "Members")]
pub(super) enum Named {
    /// The engine built in.
    Engine,
    /// The engine built in, with a policy, which is in the object store.
    Policy { document: Digest },
    /// Modules, which are there as well.
    Modules(Box<Modules>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    document: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modules: Option<Box<Modules>>,
}

impl TryFrom<Members> for Named {
    type Error = &'static str;

    fn try_from(members: Members) -> Result<Self, Self::Error> {
        match (members.document, members.modules) {
            (None, None) => Ok(Self::Engine),
            (Some(document), None) => Ok(Self::Policy { document }),
            (None, Some(modules)) => Ok(Self::Modules(modules)),
            (Some(_), Some(_)) => Err("expected a document or modules, not both"),
        }
    }
}

impl From<Named> for Members {
    fn from(named: Named) -> Self {
        let none = Self { document: None, modules: None };
        match named {
            Named::Engine => none,
            Named::Policy { document } => Self { document: Some(document), ..none },
            Named::Modules(modules) => Self { modules: Some(modules), ..none },
        }
    }
}

/// A case: which of the versions decides it, and what is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Put {
    pub(super) version: usize,
    pub(super) operation: String,
    pub(super) input: String,
}

impl Job {
    pub(super) fn new(run: &str, number: u64, versions: Vec<Named>, cases: Vec<Put>) -> Self {
        Self { format: FORMAT, engine: ENGINE.to_owned(), run: run.to_owned(), number, versions, cases }
    }

    /// Reads a job.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it, and where; [`codes::INVALID_VALUE`] for a format that this host does not know.
    pub(super) fn read(text: &[u8]) -> Result<Self, Error> {
        let tape = json::read(text, json::Limits::ANSWER)?;
        check_format(tape.root())?;
        let job: Self = tape.decode()?;
        let invalid =
            |message: &'static str, path: String| Err(Error::new(codes::INVALID_VALUE, message).at(path));
        if !is_run(&job.run) {
            return invalid("expected 32 hexadecimal digits", "/run".to_owned());
        }
        if job.cases.is_empty() || job.cases.len() > MOST_CASES {
            return invalid("expected 1 to 64 cases", "/cases".to_owned());
        }
        // Each is loaded, whether or not a case names it.
        if job.versions.len() > MOST_CASES {
            return invalid("expected at most 64 versions", "/versions".to_owned());
        }
        for (place, put) in job.cases.iter().enumerate() {
            if put.version >= job.versions.len() {
                return invalid(
                    "expected the place of one of the versions",
                    format!("/cases/{place}/version"),
                );
            }
            if Operation::from_name(&put.operation).is_none() {
                return invalid("expected an operation", format!("/cases/{place}/operation"));
            }
        }
        Ok(job)
    }
}

impl Put {
    pub(super) fn new(version: usize, case: &Case) -> Self {
        Self { version, operation: case.operation.name().to_owned(), input: case.input.clone() }
    }

    /// The case as it is decided.
    pub(super) fn case(&self) -> Option<Case> {
        let operation = Operation::from_name(&self.operation)?;
        Some(Case { number: 0, operation, input: self.input.clone(), recorded: None })
    }
}

/// JSON on one line. Jobs and notes always have that form; should one ever not, the text is empty, which nobody takes for either.
pub(super) fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Refuses a document of another format, before anything else of it is read.
pub(super) fn check_format(root: json::Node<'_>) -> Result<(), Error> {
    match root.member("format").map(json::Node::as_number) {
        Some(Some(number)) if number.parse() == Ok(FORMAT) => Ok(()),
        Some(_) => {
            let message = format!("this host reads the format {FORMAT} and no other");
            Err(Error::new(codes::INVALID_VALUE, message).at("/format"))
        }
        None => Err(Error::new(codes::MISSING_FIELD, "expected the member `format`").at("/format")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"format":1,"engine":"0.1.0","run":"0123456789abcdef0123456789abcdef","number":3,
        "versions":[{},{"document":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}],
        "cases":[{"version":1,"operation":"evaluate","input":"{\u0000 \u2028\\"}]}"#;

    #[test]
    fn a_job_is_read_as_it_was_written() {
        let job = Job::read(GOOD.as_bytes()).unwrap();
        assert_eq!(job.cases[0].input, "{\0 \u{2028}\\");
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(Job::read(text.as_bytes()).unwrap(), job);
    }

    #[test]
    fn what_is_no_job_is_refused_with_its_place() {
        for (from, to, code, path) in [
            ("{", "", "malformed_json", ""),
            ("\"format\":1,", "", "missing_field", "/format"),
            ("\"format\":1", "\"format\":2,\"more\":[]", "invalid_value", "/format"),
            ("\"format\":1", "\"format\":\"1\"", "invalid_value", "/format"),
            ("\"number\":3", "\"number\":3,\"number\":3", "duplicate_key", "/number"),
            ("\"number\":3", "\"number\":-1", "invalid_value", "/number"),
            ("\"number\":3", "\"nummer\":3", "unknown_field", "/nummer"),
            ("0123456789abcdef0", "", "invalid_value", "/run"),
            ("abcdef\"", "ABCDEF\"", "invalid_value", "/run"),
            ("\"version\":1", "\"version\":2", "invalid_value", "/cases/0/version"),
            ("evaluate", "guess", "invalid_value", "/cases/0/operation"),
            ("sha256:e", "sha256:x", "invalid_value", "/versions/1/document"),
            ("[{},", "[{\"engine\":1},", "unknown_field", "/versions/0/engine"),
            (
                "{\"document\"",
                "{\"modules\":{\"composition\":{\"base\":{\"module\":\"DIGEST\"}},\"limits\":{}},\"document\"",
                "invalid_value",
                "/versions/1",
            ),
        ] {
            let to = to.replace("DIGEST", &Digest::of(b"").to_string());
            let error = Job::read(GOOD.replacen(from, &to, 1).as_bytes()).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path), "{to}: {error}");
        }
        let cases = GOOD.split_once("\"cases\":").unwrap().0.to_owned() + "\"cases\":[]}";
        assert_eq!(Job::read(cases.as_bytes()).unwrap_err().path(), "/cases");
        let versions = GOOD.replacen("[{},", &format!("[{}", "{},".repeat(MOST_CASES)), 1);
        assert_eq!(Job::read(versions.as_bytes()).unwrap_err().path(), "/versions");
    }
}
