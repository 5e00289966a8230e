//! `adjudicate_configure`, and policies that are in force from the beginning.

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::Module;

use crate::{
    inputs::{self, OTHER_POLICY, POLICY},
    probe::{Broken, Probe, Told},
    report::Sheet,
    requirement::{CONFIGURE_EXCLUSIVE, CONFIGURE_GARBAGE, CONFIGURE_ONCE, CONFIGURE_REPLY},
};

/// What is no policy.
const GARBAGE: [&[u8]; 5] = [b"", b"nope", b"{}", b"null", b"\xff\xfe"];

/// Judges how a module takes a policy.
pub(super) fn check(sheet: &mut Sheet, module: &Module) -> Result<(), Error> {
    let is_baked = module.manifest().policy.is_some();
    let mut probe = Probe::start(module)?;
    let takes_policy = module.inspection().takes_policy();
    let taken = match takes_policy {
        true if is_baked => {
            sheet.skip(CONFIGURE_REPLY, "the policy that is baked in is in force already");
            false
        }
        true => {
            let outcome = takes(&mut probe);
            let taken = outcome.is_ok();
            sheet.judge(CONFIGURE_REPLY, outcome);
            taken
        }
        false => {
            for requirement in [CONFIGURE_REPLY, CONFIGURE_GARBAGE, CONFIGURE_ONCE] {
                sheet.skip(requirement, "the module takes no policy");
            }
            false
        }
    };
    if !taken && !is_baked {
        sheet.skip(CONFIGURE_EXCLUSIVE, "no policy is in force");
        return Ok(());
    }
    if module.manifest().operations.contains(&Operation::Evaluate) {
        sheet.judge(CONFIGURE_EXCLUSIVE, exclusive(&mut probe));
    }
    if takes_policy {
        sheet.judge(CONFIGURE_ONCE, once(&mut probe));
        drop(probe);
        sheet.judge(CONFIGURE_GARBAGE, garbage(&mut Probe::start(module)?, is_baked));
    }
    Ok(())
}

fn takes(probe: &mut Probe) -> Result<(), String> {
    match given(probe, POLICY.as_bytes())? {
        told if told.error.is_none()
            && told.text.split_whitespace().collect::<String>() == r#"{"ok":null}"# =>
        {
            Ok(())
        }
        told => Err(format!("a policy is answered by `{}`", told.text)),
    }
}

fn given(probe: &mut Probe, policy: &[u8]) -> Result<Told, String> {
    match probe.configure(policy) {
        Ok(told) => told.ok_or_else(|| "the module lost its export".to_owned()),
        Err(broken) => Err(words(&broken)),
    }
}

fn evaluated(probe: &mut Probe, input: &str) -> Result<Told, String> {
    probe.ask(Operation::Evaluate.number(), input.as_bytes()).map_err(|broken| words(&broken))
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
    if given(probe, OTHER_POLICY.as_bytes())?.error.is_none() {
        return Err("a second policy is taken".to_owned());
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
        let told = given(probe, policy).map_err(|words| format!("`{shown}`: {words}"))?;
        if told.error.is_none() {
            return Err(format!("`{shown}` is taken for a policy"));
        }
    }
    if is_baked { Ok(()) } else { takes(probe).map_err(|words| format!("after what was none, {words}")) }
}

fn words(Broken { requirement, detail }: &Broken) -> String {
    format!("breaks `{}`: {detail}", requirement.id)
}
