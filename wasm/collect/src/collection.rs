//! From a folder to an envelope or a decision.

use std::{
    future::Future,
    path::{Path, PathBuf},
    pin::Pin,
    rc::Rc,
    time::Duration,
};

use adjudicate_collect::{
    CollectError, CollectOptions,
    requests::{Step, System, collect, locate, run},
};
use adjudicate_core::{Error, json::MAX_DOCUMENT_BYTES, owned::Entry};
use adjudicate_evidence::collect::{OwnedConfiguration, OwnedExternalEvidence};

/// The result of a collection: fields of a message. The first one names the form.
type End = Vec<Vec<u8>>;

/// A collection that waits for an answer, or has not begun.
pub(crate) struct Collection {
    system: Rc<System>,
    future: Pin<Box<dyn Future<Output = End>>>,
}

/// The options of a collection, as Node sends them.
#[derive(Default)]
pub(crate) struct CollectionOptions {
    pub(crate) is_run: bool,
    pub(crate) folder: PathBuf,
    pub(crate) base: Option<String>,
    pub(crate) new_run: bool,
    pub(crate) wait: Duration,
    /// The step of the agent as JSON.
    pub(crate) agent: Option<Vec<u8>>,
    /// The external evidence as JSON.
    pub(crate) external: Option<Vec<u8>>,
}

impl Collection {
    pub(crate) fn new(options: CollectionOptions) -> Self {
        let system = Rc::new(System::default());
        let own = Rc::clone(&system);
        let future = Box::pin(async move {
            match documents(&own, &options).await {
                Ok(documents) => {
                    ["end".to_owned()].into_iter().chain(documents).map(String::into_bytes).collect()
                }
                Err(failure) => failure.fields(),
            }
        });
        Self { system, future }
    }

    /// Continues the collection. Returns the next request, or its end.
    pub(crate) fn resume(
        &mut self,
        answer: Option<std::io::Result<adjudicate_collect::requests::SystemAnswer>>,
    ) -> Step<End> {
        self.system.resume(self.future.as_mut(), answer)
    }
}

/// The reason why a collection has no result.
enum Failure {
    Collect(CollectError),
    /// The error of a document, which its message names.
    Document(Error),
    Unreadable(String),
    /// A file is longer than a document may be.
    TooLong(String),
}

impl From<CollectError> for Failure {
    fn from(error: CollectError) -> Self {
        Self::Collect(error)
    }
}

impl Failure {
    /// Returns the error as the command prints it: a code, a message and a path, or the whole document of an error.
    fn fields(self) -> End {
        let (code, message) = match self {
            Self::Document(error) => return vec![b"error".to_vec(), error.to_json().into_bytes()],
            Self::Collect(CollectError::Document(path, error)) => {
                let name = Path::new(&path).file_name().and_then(|name| name.to_str()).unwrap_or(&path);
                return Self::Document(error.within(name)).fields();
            }
            Self::Collect(error) => (code(&error), error.to_string()),
            Self::Unreadable(message) => ("unreadable_input", message),
            Self::TooLong(message) => ("limit_exceeded", message),
        };
        ["failure", code, &message].map(|field| field.as_bytes().to_vec()).into()
    }
}

/// Returns the code with which the command reports an error.
fn code(error: &CollectError) -> &'static str {
    match error {
        CollectError::Baseline(_) | CollectError::Busy(_) | CollectError::NoConfiguration => {
            "unreadable_input"
        }
        CollectError::Base(..) | CollectError::SeveralConfigurations(_) => "invalid_value",
        CollectError::File(..) | CollectError::Exists(_) | CollectError::Document(..) => "unwritable_output",
    }
}

/// Collects, and returns the envelope; after a run, also the evaluation and the revision.
async fn documents(system: &System, given: &CollectionOptions) -> Result<Vec<String>, Failure> {
    let file = locate(system, &given.folder).await?;
    let root = file.parent().unwrap_or(&given.folder).to_owned();
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let json = document(system, &root, name).await?;
    let configuration =
        OwnedConfiguration::from_json(&json).map_err(|error| Failure::Document(error.within(name)))?;
    let agent = given.agent.as_deref().map(Entry::from_json).transpose();
    let agent = agent.map_err(|error| Failure::Document(error.within("agent")))?;
    let external = given.external.as_deref().map(OwnedExternalEvidence::parse).transpose();
    let external = external.map_err(|error| Failure::Document(error.within("with")))?;
    let options = CollectOptions {
        base: given.base.as_deref(),
        new_run: given.new_run,
        agent: agent.as_ref(),
        external: external.as_ref(),
        wait: given.wait,
        may_run_baseline: true,
        ..CollectOptions::default()
    };
    if !given.is_run {
        return Ok(vec![collect(system, &root, &configuration, &options).await?.envelope.to_json()]);
    }
    let policy = match &configuration.policy {
        Some(name) => Some(String::from_utf8_lossy(&document(system, &root, name).await?).into_owned()),
        None => None,
    };
    let decided = run(system, &root, &configuration, policy.as_deref(), &options).await?;
    Ok(vec![decided.collected.envelope.to_json(), decided.evaluation.to_json(), decided.revision.to_json()])
}

/// Reads a document as JSON.
async fn document(system: &System, root: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let path = root.join(name);
    let text = system.read(&path, MAX_DOCUMENT_BYTES as u64 + 1).await;
    let text =
        text.map_err(|error| Failure::Unreadable(format!("cannot read `{}`: {error}", path.display())))?;
    if text.len() > MAX_DOCUMENT_BYTES {
        let message = format!("`{}` is over the limit of {MAX_DOCUMENT_BYTES} bytes", path.display());
        return Err(Failure::TooLong(message));
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["yaml", "yml"].iter().any(|yaml| ending.eq_ignore_ascii_case(yaml)) {
        return Ok(text);
    }
    let json = adjudicate_yaml::to_json(&text).map_err(|error| Failure::Document(error.within(name)))?;
    Ok(json.into_bytes())
}
