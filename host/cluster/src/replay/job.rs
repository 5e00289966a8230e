//! A job: some cases, and the versions that decide them.

use adjudicate_core::{
    Error, Operation,
    document::{self, Describe, Document, Reader, Shape, Type},
    json::{self, Node},
};
use adjudicate_host::{
    codes,
    reevaluation::{Case, Modules},
};
use adjudicate_sandbox::Digest;
use serde::Serialize;

use super::{ENGINE, is_run};

/// The format of jobs and notes that this host writes, and the only one that it reads.
pub(super) const FORMAT: u64 = 1;

/// The largest number of cases in a job. For fast cases it keeps the overhead of messages low; for slow cases it leaves work for
/// all hosts.
pub(super) const MOST_CASES: usize = 64;

/// Some cases of a run.
#[derive(Clone, Debug, PartialEq, Document, Serialize)]
#[document(expecting = "a job object")]
pub(super) struct Job {
    pub(super) format: u64,
    /// The version of the engine that has to decide.
    pub(super) engine: String,
    /// 32 hexadecimal digits.
    pub(super) run: String,
    pub(super) number: u64,
    /// The versions that decide.
    pub(super) versions: Vec<VersionSpec>,
    pub(super) cases: Vec<JobCase>,
}

/// A version in a form that a host can load: `{}` for the engine, `{"document"}` or `{"modules"}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "VersionFields")]
pub(super) enum VersionSpec {
    /// The built-in engine.
    Engine,
    /// The built-in engine with a policy, whose document is in the object store.
    Policy { document: Digest },
    /// Modules, which are in the object store.
    Modules(Box<Modules>),
}

#[derive(Document, Serialize)]
#[document(expecting = "an object with a document, modules or neither")]
struct VersionFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    document: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modules: Option<Box<Modules>>,
}

impl Describe for VersionSpec {
    fn describe() -> Type {
        VersionFields::describe()
    }
}

impl Document<'_> for VersionSpec {
    const SHAPE: Shape = VersionFields::SHAPE;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let VersionFields { document, modules } = VersionFields::read(node, reader)?;
        match (document, modules) {
            (None, None) => Some(Self::Engine),
            (Some(document), None) => Some(Self::Policy { document }),
            (None, Some(modules)) => Some(Self::Modules(modules)),
            (Some(_), Some(_)) => {
                let message = "expected a document or modules, not both";
                reader.note(Error::new(codes::INVALID_VALUE, message));
                None
            }
        }
    }
}

impl From<VersionSpec> for VersionFields {
    fn from(named: VersionSpec) -> Self {
        let none = Self { document: None, modules: None };
        match named {
            VersionSpec::Engine => none,
            VersionSpec::Policy { document } => Self { document: Some(document), ..none },
            VersionSpec::Modules(modules) => Self { modules: Some(modules), ..none },
        }
    }
}

/// A case: the index of its version, and the call.
#[derive(Clone, Debug, PartialEq, Document, Serialize)]
#[document(expecting = "a case object")]
pub(super) struct JobCase {
    pub(super) version: usize,
    pub(super) operation: Operation,
    pub(super) input: String,
}

impl Job {
    pub(super) fn new(run: &str, number: u64, versions: Vec<VersionSpec>, cases: Vec<JobCase>) -> Self {
        Self { format: FORMAT, engine: ENGINE.to_owned(), run: run.to_owned(), number, versions, cases }
    }

    /// Parses a job.
    ///
    /// # Errors
    ///
    /// The errors of a document; [`codes::INVALID_VALUE`] for a format that this host does not support.
    pub(super) fn read(text: &[u8]) -> Result<Self, Error> {
        let tape = json::read(text, json::Limits::ANSWER)?;
        check_format(tape.root())?;
        let job: Self = document::read(tape.root())?;
        let invalid =
            |message: &'static str, path: String| Err(Error::new(codes::INVALID_VALUE, message).at(path));
        if !is_run(&job.run) {
            return invalid("expected 32 hexadecimal digits", "/run".to_owned());
        }
        if job.cases.is_empty() || job.cases.len() > MOST_CASES {
            return invalid("expected 1 to 64 cases", "/cases".to_owned());
        }
        // All versions are loaded, even those without a case.
        if job.versions.len() > MOST_CASES {
            return invalid("expected at most 64 versions", "/versions".to_owned());
        }
        for (place, put) in job.cases.iter().enumerate() {
            if put.version >= job.versions.len() {
                return invalid(
                    "expected the index of one of the versions",
                    format!("/cases/{place}/version"),
                );
            }
        }
        Ok(job)
    }
}

impl JobCase {
    pub(super) fn new(version: usize, case: &Case) -> Self {
        Self { version, operation: case.operation, input: case.input.clone() }
    }

    /// The case for deciding.
    pub(super) fn case(&self) -> Case {
        Case { number: 0, operation: self.operation, input: self.input.clone(), recorded: None }
    }
}

/// Writes JSON on one line. Jobs and notes can always be written. If not, the text is empty and is read as neither.
pub(super) fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Rejects a document of another format before reading the rest.
pub(super) fn check_format(root: Node<'_>) -> Result<(), Error> {
    match root.member("format").map(Node::as_number) {
        Some(Some(number)) if number.parse() == Ok(FORMAT) => Ok(()),
        Some(_) => {
            let message = format!("this host reads only format {FORMAT}");
            Err(Error::new(codes::INVALID_VALUE, message).at("/format"))
        }
        None => Err(Error::new(codes::MISSING_FIELD, "missing field `format`").at("/format")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"format":1,"engine":"0.1.0","run":"0123456789abcdef0123456789abcdef","number":3,
        "versions":[{},{"document":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}],
        "cases":[{"version":1,"operation":"evaluate","input":"{\u0000 \u2028\\"}]}"#;

    #[test]
    fn a_job_survives_a_round_trip() {
        let job = Job::read(GOOD.as_bytes()).unwrap();
        assert_eq!(job.cases[0].input, "{\0 \u{2028}\\");
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(Job::read(text.as_bytes()).unwrap(), job);
    }

    #[test]
    fn invalid_jobs_are_rejected_with_a_path() {
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
            let to = to.replace("DIGEST", &Digest::sha256(b"").to_string());
            let error = Job::read(GOOD.replacen(from, &to, 1).as_bytes()).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path), "{to}: {error}");
        }
        let cases = GOOD.split_once("\"cases\":").unwrap().0.to_owned() + "\"cases\":[]}";
        assert_eq!(Job::read(cases.as_bytes()).unwrap_err().path(), "/cases");
        let versions = GOOD.replacen("[{},", &format!("[{}", "{},".repeat(MOST_CASES)), 1);
        assert_eq!(Job::read(versions.as_bytes()).unwrap_err().path(), "/versions");
    }
}
