//! `verdict verify`.

use std::path::PathBuf;

use adjudicate_core::{
    Error,
    codes::Subject,
    verdict::{
        DigestMatch, Recomputation, RecomputedAnswer, SignatureReport, SignatureState, Undecidable, Verdict,
        VerdictReport,
    },
};
use adjudicate_trust::{PublicKey, TrustPolicy, verdict_key};
use clap::Args;
use jiff::Timestamp;

use super::check;
use crate::{
    environment::Environment,
    evaluator::{Evaluator, Sandbox},
    exit::Exit,
    failure::Failure,
    input::Source,
    layout,
    options::{ReportOptions, named, one_stdin},
    table::{BOLD, Line, PLAIN, Page},
};

/// The arguments of `verdict verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyVerdict {
    /// The verdict; `-` for standard input
    #[arg(value_name = "FILE")]
    input: Source,
    /// Require a signature of a key of this trust policy (YAML if it ends in .yaml or .yml)
    #[arg(long, value_name = "POLICY", conflicts_with = "key")]
    trust: Option<Source>,
    /// Require a signature of this public key
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    sandbox: Sandbox,
    #[command(flatten)]
    report_options: ReportOptions,
}

pub(super) fn run(args: &VerifyVerdict, env: &Environment) -> Result<Exit, Failure> {
    check(&args.sandbox)?;
    one_stdin([("FILE", &args.input)].into_iter().chain(named("--trust", &args.trust)))?;
    let policy = trusted(args, env)?;
    let text = args.input.document(None, env)?;
    let tape = Verdict::tape(&text)?;
    let verdict = Verdict::read(tape.root())?;
    let report = VerdictReport {
        recomputation: recompute(&verdict, &Evaluator::new(&args.sandbox, env)?)?,
        signature: signature(&verdict, policy.as_ref()),
    };
    let is_required = policy.is_some();
    let is_signed = match report.signature.state {
        SignatureState::Trusted => true,
        SignatureState::Broken => false,
        SignatureState::None | SignatureState::Untrusted => !is_required,
    };
    let is_same = report.recomputation.outcome == RecomputedAnswer::SameBytes;
    args.report_options.print(&report, page, env)?;
    Ok(if is_same && is_signed { Exit::Answered } else { Exit::Failed })
}

/// Returns the trust policy of the arguments, if there is one.
fn trusted(args: &VerifyVerdict, env: &Environment) -> Result<Option<TrustPolicy>, Error> {
    if let Some(source) = &args.trust {
        let document = source.part("trust policy", None, env)?;
        return TrustPolicy::parse(&document).map(Some).map_err(|error| error.within("trust policy"));
    }
    let Some(file) = &args.key else { return Ok(None) };
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Some(TrustPolicy::of_key(&name, PublicKey::read_file(&env.path(file))?)))
}

/// Decides the call of a verdict again, if this evaluator has its module.
fn recompute(verdict: &Verdict<'_>, evaluator: &Evaluator) -> Result<Recomputation, Failure> {
    let undecidable = evaluator.with_module(|module| verdict.undecidable(module));
    if let Some(reason) = undecidable {
        return Ok(verdict.undecided(reason));
    }
    let call = verdict.call()?;
    match evaluator.answer(verdict.operation, call.as_bytes()) {
        Ok(answer) => Ok(verdict.compare(Ok(&answer.into_text()))?),
        // Only an error about the input tells something about the verdict.
        Err(Failure::Error(error)) if error.subject() == Subject::Input => {
            Ok(verdict.compare(Err(&layout::compact(&error.to_json())))?)
        }
        Err(failure) => Err(failure),
    }
}

fn signature<'a>(verdict: &Verdict<'a>, policy: Option<&'a TrustPolicy>) -> SignatureReport<'a> {
    let Some(signature) = verdict.signature else {
        return SignatureReport { state: SignatureState::None, key: None, name: None };
    };
    let made = verdict_key(verdict);
    let now = Timestamp::now().as_millisecond();
    let name = made.as_ref().and_then(|key| policy?.signer(key, now));
    let state = match (&made, name) {
        (None, _) => SignatureState::Broken,
        (Some(_), None) => SignatureState::Untrusted,
        (Some(_), Some(_)) => SignatureState::Trusted,
    };
    SignatureReport { state, key: Some(signature.key), name }
}

fn page(report: &VerdictReport<'_>) -> Page {
    let VerdictReport { recomputation, signature } = report;
    let mut page = Page::default();
    let (headline, about) = match (recomputation.outcome, recomputation.reason) {
        (RecomputedAnswer::SameBytes, _) => ("SAME BYTES", "the module gives this answer again"),
        (RecomputedAnswer::OtherDigests, _) => {
            ("OTHER DIGESTS", "the answer is the same, but a part was changed after the verdict was made")
        }
        (RecomputedAnswer::AnotherAnswer, _) => ("ANOTHER ANSWER", "the module does not give this answer"),
        (RecomputedAnswer::CannotBeDecidedHere, Some(Undecidable::Redacted)) => {
            ("CANNOT BE DECIDED HERE", "a part is redacted")
        }
        (RecomputedAnswer::CannotBeDecidedHere, _) => {
            ("CANNOT BE DECIDED HERE", "this is not the module of the verdict; name it by `--module`")
        }
    };
    page.push(Line::at(0).text(headline, BOLD).text(about, PLAIN));
    page.gap();
    if let Some(difference) = &recomputation.difference {
        page.row("first at", &difference.path);
        page.row("verdict", difference.verdict.as_deref().unwrap_or("(absent)"));
        page.row("now", difference.recomputed.as_deref().unwrap_or("(absent)"));
    }
    if let Some(error) = &recomputation.error {
        page.row("error", error);
    }
    page.row("input", digest(recomputation.digests.input));
    if let Some(policy) = recomputation.digests.policy {
        page.row("policy", digest(policy));
    }
    page.row("answer", digest(recomputation.digests.answer));
    let state = match signature.state {
        SignatureState::None => "none",
        SignatureState::Broken => "broken: its key did not make it for this verdict",
        SignatureState::Untrusted => "by a key that you did not name",
        SignatureState::Trusted => "by a trusted key",
    };
    page.row("signature", state);
    if let Some(key) = signature.name.or(signature.key) {
        page.row("key", key);
    }
    page
}

fn digest(found: DigestMatch) -> &'static str {
    match found {
        DigestMatch::Matches => "unchanged",
        DigestMatch::Redacted => "redacted; its digest cannot be compared",
        DigestMatch::Differs => "changed after the verdict was made",
    }
}
