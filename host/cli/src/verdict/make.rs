//! `verdict make`.

use std::path::PathBuf;

use adjudicate_core::{
    Error, Operation,
    json::{self, Node, ReadLimits},
    module::hex,
    verdict::{Verdict, VerdictDigests, VerdictModule, VerdictSignature},
};
use adjudicate_trust::{
    SecretKey,
    redaction::{RedactedCall, RedactionPattern, redacted_call, without_member},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use clap::Args;
use miniz_oxide::deflate::compress_to_vec;

use super::check;
use crate::{
    codes,
    environment::Environment,
    evaluator::{Evaluator, Sandbox},
    exit::Exit,
    failure::Failure,
    input::Source,
    options::{named, one_stdin, usage_error},
    output,
};

/// The limit of the playground. Firefox refuses an address of more than 2^20 characters.
const MAX_LINK: usize = 1_000_000;

/// The arguments of `verdict make`.
#[derive(Debug, Args)]
pub(crate) struct MakeVerdict {
    /// The input of the call (YAML if it ends in .yaml or .yml); `-` for standard input
    #[arg(value_name = "FILE")]
    input: Source,
    /// The operation, for example `validate_plan`
    #[arg(long, value_name = "NAME", default_value = "evaluate", value_parser = operation)]
    operation: Operation,
    /// The policy document; FILE has none then
    #[arg(long, value_name = "FILE")]
    policy: Option<Source>,
    /// Replace the values at this JSON Pointer into a document or the answer; repeatable
    ///
    /// Every text of the answer that may quote such a value, of four bytes or more, is replaced, too. A text of the input that quotes such a value of the answer is an error. `*` stands for one segment, `**` for any number. The verdict can then be verified, but not recomputed.
    #[arg(long, value_name = "POINTER", value_parser = RedactionPattern::parse)]
    redact: Vec<RedactionPattern>,
    /// Sign with this secret key
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Print an in-toto statement whose predicate is the verdict without its input
    #[arg(long)]
    statement: bool,
    /// Print a link to a playground at this address, which decides the verdict again
    ///
    /// The verdict is compressed behind the `#` of the address, which browsers send to no server.
    #[arg(long, value_name = "URL", value_parser = address, conflicts_with = "statement")]
    link: Option<String>,
    #[command(flatten)]
    sandbox: Sandbox,
}

fn operation(name: &str) -> Result<Operation, Error> {
    Operation::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
        let message = format!("unknown operation `{name}`; the operations are {}", names.join(", "));
        Error::new(codes::WRONG_USAGE, message)
    })
}

/// Checks the address of a page.
fn address(text: &str) -> Result<String, Error> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    if is_web && !text.contains(['#', ' ', '\n']) {
        return Ok(text.to_owned());
    }
    usage_error("expected an address with `http` or `https` and without `#`")
}

pub(super) fn run(args: &MakeVerdict, env: &Environment) -> Result<Exit, Failure> {
    check(&args.sandbox)?;
    one_stdin([("FILE", &args.input)].into_iter().chain(named("--policy", &args.policy)))?;
    let key = args.key.as_ref().map(|file| secret_key(env.path(file))).transpose()?;
    let input = args.input.document(None, env)?;
    let policy = args.policy.as_ref().map(|source| source.part("policy", None, env)).transpose()?;
    let input = json::read(&input, ReadLimits::DOCUMENT)?;
    let policy = policy.as_ref().map(|text| json::read(text, ReadLimits::DOCUMENT)).transpose();
    let policy = policy.map_err(|error| error.within("policy"))?;
    let policy = policy.as_ref().map(json::Tape::root);
    let call = Verdict::join(args.operation, input.root(), policy)?;
    let evaluator = Evaluator::new(&args.sandbox, env)?;
    let answer = evaluator.answer(args.operation, call.as_bytes())?.into_text();
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let text = evaluator.with_module(|module| {
        let verdict = Verdict::new(args.operation, input.root(), policy, module, tape.root());
        finished(args, verdict, &call, key.as_ref())
    })?;
    let text = match &args.link {
        Some(page) => linked(page, &text)?,
        None => text,
    };
    output::line(env, &text)?;
    Ok(Exit::Answered)
}

/// Reads a secret key.
#[cfg(not(target_os = "wasi"))]
fn secret_key(path: PathBuf) -> Result<SecretKey, Error> {
    SecretKey::read_file(&path)
}

/// Reads a secret key. WASI does not know who may read a file, so the program that runs the module checks it.
#[cfg(target_os = "wasi")]
fn secret_key(path: PathBuf) -> Result<SecretKey, Error> {
    let text = adjudicate_collect::private_file(&path);
    let named = format!("`{}`", path.display());
    let text = text.map_err(|error| Source::File(path).unreadable(error))?;
    SecretKey::from_pem(&text).map_err(|error| error.within(&named))
}

/// Returns the link that opens a verdict in a playground.
fn linked(page: &str, verdict: &str) -> Result<String, Error> {
    let data = BASE64_URL_SAFE_NO_PAD.encode(compress_to_vec(verdict.as_bytes(), 9));
    if data.len() > MAX_LINK {
        let message = format!("the verdict has {} characters in a link, the limit is {MAX_LINK}", data.len());
        return Err(Error::new(codes::LIMIT_EXCEEDED, message));
    }
    Ok(format!("{page}#verdict={data}"))
}

/// Redacts, signs and writes a verdict.
fn finished(
    args: &MakeVerdict,
    verdict: Verdict<'_>,
    call: &str,
    key: Option<&SecretKey>,
) -> Result<String, Error> {
    if args.redact.is_empty() {
        return signed(args, verdict, key);
    }
    let refused = |message: &'static str| Error::new(codes::INVALID_VALUE, message);
    let answer = json::verbatim(verdict.answer);
    for pattern in &args.redact {
        let redacted = redacted_call(args.operation, call, &answer, std::slice::from_ref(pattern));
        if redacted.is_none_or(|redacted| redacted.count == 0) {
            let message = format!("`{}` leads to no value of the call or its answer", pattern.as_str());
            return Err(Error::new(codes::INVALID_VALUE, message));
        }
    }
    let unreadable = || refused("the call cannot be redacted");
    let RedactedCall { call, answer, quotes, .. } =
        redacted_call(args.operation, call, &answer, &args.redact).ok_or_else(unreadable)?;
    let message = "the call quotes here a text that is redacted in the answer: redact this value, too";
    let mut quotes = quotes.into_iter().map(|place| refused(message).at(place));
    if let Some(first) = quotes.next() {
        return Err(first.with_others(quotes.collect()));
    }
    let call = json::read(call.as_bytes(), ReadLimits::ANSWER)?;
    let answer = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let whole = || refused("`--redact` leads to the whole call: redact its documents, such as `/policy`");
    let (input, policy) = split(&verdict, call.root()).ok_or_else(whole)?;
    let input = json::read(input.as_bytes(), ReadLimits::ANSWER)?;
    let (digests, module): (VerdictDigests, VerdictModule<'_>) = (verdict.digests, verdict.module);
    let shared = Verdict::new(args.operation, input.root(), policy, module, answer.root());
    let redacted = args.redact.iter().map(RedactionPattern::as_str).collect();
    signed(args, Verdict { digests, redacted, ..shared }, key)
}

/// Signs and writes a verdict.
fn signed(args: &MakeVerdict, verdict: Verdict<'_>, key: Option<&SecretKey>) -> Result<String, Error> {
    let signature = key.map(|key| (key.public().to_string(), hex(&key.sign(verdict.message().as_bytes()))));
    let signature = signature.as_ref().map(|(key, bytes)| VerdictSignature { key, bytes });
    let verdict = Verdict { signature, ..verdict };
    match args.statement {
        true => Ok(verdict.statement()),
        false => verdict.to_json(),
    }
}

/// Splits a redacted call into the input and the policy, as the verdict has them. Returns `None` if the whole call is redacted, and so
/// has no documents.
fn split<'a>(verdict: &Verdict<'_>, call: Node<'a>) -> Option<(String, Option<Node<'a>>)> {
    let main = verdict.operation.documents().first();
    match (verdict.policy, main) {
        (Some(_), Some(main)) => {
            let policy = call.member("policy")?;
            let input = match verdict.input.member(main) {
                Some(_) => without_member(call, "policy"),
                None => json::verbatim(call.member(main)?),
            };
            Some((input, Some(policy)))
        }
        _ => Some((json::verbatim(call), None)),
    }
}
