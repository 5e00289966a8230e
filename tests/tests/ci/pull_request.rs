//! A pull request in a scratch repository.

use serde_json::json;

use crate::repositories::git::Repository;

const POLICY: &str = r#"{"policy": "change", "version": "1.0.0", "profile": "oa06.1", "review": "optional"}"#;

/// A repository with a pull request, as a server has it.
pub(super) struct PullRequest {
    origin: Repository,
    /// The commit that the branch of the pull request begins at.
    pub fork_point: String,
    /// The newest commit of the target branch `main`.
    pub target: String,
    /// The newest commit of the pull request.
    pub head: String,
    /// The merge of both, which is not on a branch.
    pub merge: String,
}

/// Returns a configuration whose validator `unit` runs a line, and whose steps to go on and to fix have these ids.
pub(super) fn configuration(line: &str, forward: &str, fix: &str) -> String {
    let steps = json!([
        {"id": forward, "role": "forward"},
        {"id": fix, "role": "fix"},
        {"id": "ask_a_human", "role": "gate"},
    ]);
    let validators = json!([{"id": "unit", "run": line}]);
    let policy = "policy.json";
    json!({"workflow": "change", "next_steps": steps, "validators": validators, "policy": policy}).to_string()
}

impl PullRequest {
    /// A repository with a configuration, and a pull request that adds one file.
    pub(super) fn new(configuration: &str) -> Self {
        Self::with(&[("adjudicate.json", configuration), ("policy.json", POLICY)])
    }

    /// The same without a configuration.
    pub(super) fn without_configuration() -> Self {
        Self::with(&[("policy.json", POLICY)])
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let origin = Repository::new();
        // As the servers are configured.
        origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        for (name, text) in files {
            origin.write(name, text.as_bytes());
        }
        let fork_point = commit(&origin);
        origin.git(&["checkout", "--quiet", "-b", "change"]);
        origin.write("changed", b"");
        let head = commit(&origin);
        origin.git(&["checkout", "--quiet", "main"]);
        origin.write("other", b"");
        let target = commit(&origin);
        origin.git(&["checkout", "--quiet", "--detach"]);
        origin.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "change"]);
        let merge = id(&origin);
        origin.git(&["update-ref", "refs/pull/1/merge", &merge]);
        Self { origin, fork_point, target, head, merge }
    }

    /// Adds a tag.
    pub(super) fn tag(&self, name: &str, commit: &str) {
        self.origin.git(&["tag", name, commit]);
    }

    /// Checks out one commit without its history, as servers do.
    pub(super) fn checkout(&self, commit: &str) -> Repository {
        let checkout = Repository::new();
        let url = format!("file://{}", self.origin.path(".git").display());
        checkout.git(&["remote", "add", "origin", &url]);
        checkout.git(&["fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit]);
        checkout.git(&["checkout", "--quiet", "FETCH_HEAD"]);
        checkout
    }
}

fn commit(repository: &Repository) -> String {
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "--message", "files"]);
    id(repository)
}

fn id(repository: &Repository) -> String {
    repository.git(&["rev-parse", "HEAD"]).trim_end().to_owned()
}
