//! Checks of `adjudicate_configure`, and of policies that apply from the start.

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::Module;

use crate::{
    inputs::{self, OTHER_POLICY, POLICY},
    probe::{Breach, Probe, ProbeReply},
    report::ReportBuilder,
    requirement::{CONFIGURE_EXCLUSIVE, CONFIGURE_GARBAGE, CONFIGURE_ONCE, CONFIGURE_REPLY},
};

/// Documents that are not policies.
const GARBAGE: [&[u8]; 5] = [b"", b"nope", b"{}", b"null", b"\xff\xfe"];

/// Judges how a module accepts a policy.
pub(super) fn check(report: &mut ReportBuilder, module: &Module) -> Result<(), Error> {
    let is_baked = module.manifest().policy.is_some();
    let mut probe = Probe::start(module)?;
    let takes_policy = module.inspection().takes_policy();
    let taken = match takes_policy {
        true if is_baked => {
            report.skip(CONFIGURE_REPLY, "the module contains a policy that is already active");
            false
        }
        true => {
            let outcome = accept_policy(&mut probe);
            let taken = outcome.is_ok();
            report.judge(CONFIGURE_REPLY, outcome);
            taken
        }
        false => {
            for requirement in [CONFIGURE_REPLY, CONFIGURE_GARBAGE, CONFIGURE_ONCE] {
                report.skip(requirement, "the module takes no policy");
            }
            false
        }
    };
    if !taken && !is_baked {
        report.skip(CONFIGURE_EXCLUSIVE, "no policy is active");
        return Ok(());
    }
    if module.manifest().operations.contains(&Operation::Evaluate) {
        report.judge(CONFIGURE_EXCLUSIVE, exclusive(&mut probe));
    }
    if takes_policy {
        report.judge(CONFIGURE_ONCE, once(&mut probe));
        drop(probe);
        report.judge(CONFIGURE_GARBAGE, garbage(&mut Probe::start(module)?, is_baked));
    }
    Ok(())
}

fn accept_policy(probe: &mut Probe) -> Result<(), String> {
    match configured(probe, POLICY.as_bytes())? {
        reply
            if reply.error.is_none()
                && reply.text.split_whitespace().collect::<String>() == r#"{"ok":null}"# =>
        {
            Ok(())
        }
        reply => Err(format!("a policy is answered by `{}`", reply.text)),
    }
}

fn configured(probe: &mut Probe, policy: &[u8]) -> Result<ProbeReply, String> {
    match probe.configure(policy) {
        Ok(reply) => reply.ok_or_else(|| "the module lost its export".to_owned()),
        Err(broken) => Err(words(&broken)),
    }
}

fn evaluated(probe: &mut Probe, input: &str) -> Result<ProbeReply, String> {
    probe.call(Operation::Evaluate.number(), input.as_bytes()).map_err(|broken| words(&broken))
}

fn exclusive(probe: &mut Probe) -> Result<(), String> {
    let [bare, null, own] = inputs::configured();
    let (bare, null, own) = (evaluated(probe, &bare)?, evaluated(probe, &null)?, evaluated(probe, &own)?);
    match &own.error {
        Some((code, path)) if code == "invalid_value" && path == "/policy" => {}
        _ => return Err(format!("a call with a policy of its own is answered by `{}`", own.text)),
    }
    if bare.text == null.text {
        return Ok(());
    }
    Err(format!("an envelope is answered by `{}`, and with null for a policy by `{}`", bare.text, null.text))
}

fn once(probe: &mut Probe) -> Result<(), String> {
    let [bare, ..] = inputs::configured();
    let before = evaluated(probe, &bare)?;
    if configured(probe, OTHER_POLICY.as_bytes())?.error.is_none() {
        return Err("a second policy is accepted".to_owned());
    }
    let after = evaluated(probe, &bare)?;
    match before.text == after.text {
        true => Ok(()),
        false => Err(format!("after a second policy, `{}` became `{}`", before.text, after.text)),
    }
}

fn garbage(probe: &mut Probe, is_baked: bool) -> Result<(), String> {
    for policy in GARBAGE {
        let shown = String::from_utf8_lossy(policy);
        let reply = configured(probe, policy).map_err(|words| format!("`{shown}`: {words}"))?;
        if reply.error.is_none() {
            return Err(format!("`{shown}` is accepted as a policy"));
        }
    }
    if is_baked {
        Ok(())
    } else {
        accept_policy(probe).map_err(|words| format!("after an invalid policy, {words}"))
    }
}

fn words(Breach { requirement, detail }: &Breach) -> String {
    format!("breaks `{}`: {detail}", requirement.id)
}
