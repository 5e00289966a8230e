//! The trust matrix: each reason for rejecting a module, with its code.

use adjudicate_trust::{Credentials, Digest, Grounds, Standing, TrustAction, TrustContext};
use serde_json::{Value, json};

use crate::signing::{Entry, Forged, NOW, entry, install, judge, key, module, policy, signed_by};

const LONG_AGO: &str = "2025-01-01T00:00:00Z";
const BEFORE: &str = "2026-10-31T23:59:59.999Z";
const AFTER: &str = "2026-11-01T00:00:00.001Z";

/// The entry of a signer with further fields.
fn entry_with(who: char, more: Value) -> Value {
    let mut entry = entry(who);
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

/// A policy that requires this many signatures of these people.
fn of(people: &str, threshold: usize) -> Value {
    json!({"keys": people.chars().map(entry).collect::<Vec<_>>(), "threshold": threshold})
}

fn with(mut policy: Value, more: Value) -> Value {
    policy.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    policy
}

/// The good module by `a`, with a modified section.
fn forged(spoil: impl FnOnce(&mut Forged)) -> Vec<u8> {
    let unsigned = module("1.0.0");
    let mut forged = Forged::new("a", &unsigned[8..]);
    spoil(&mut forged);
    forged.module(&unsigned[8..])
}

#[test]
fn every_reason_for_distrust_has_its_own_code() {
    let unsigned = module("1.0.0");
    let by = |who| signed_by(who, &unsigned);
    let elsewhere = Digest::sha256(b"elsewhere").to_string();
    let expired = json!({"not_after": BEFORE});
    let early = json!({"not_before": AFTER});
    let revoked = json!({"revoked": true});
    let cases: Vec<(&str, Vec<u8>, Value, &str)> = vec![
        ("no policy", by("a"), json!({}), "module_untrusted_key"),
        ("no policy, no signature", by(""), json!({}), "module_unsigned"),
        ("no signature", by(""), of("a", 1), "module_unsigned"),
        ("nobody known", by("x"), of("a", 1), "module_untrusted_key"),
        ("nobody known of several", by("xyz"), of("abc", 2), "module_untrusted_key"),
        ("nobody known, unsigned would do", by("x"), json!({"unsigned": "allow"}), "module_untrusted_key"),
        ("expired", by("a"), json!({"keys": [entry_with('a', expired.clone())]}), "module_key_expired"),
        ("not valid yet", by("a"), json!({"keys": [entry_with('a', early)]}), "module_key_expired"),
        ("revoked", by("a"), json!({"keys": [entry_with('a', revoked.clone())]}), "module_key_revoked"),
        ("one of two", by("a"), of("ab", 2), "module_below_threshold"),
        ("one of two, and a stranger", by("ax"), of("ab", 2), "module_below_threshold"),
        ("two of three", by("ac"), of("abc", 3), "module_below_threshold"),
        (
            "one key twice",
            forged(|it| {
                let mut again = it.sets[0].signatures[0].clone();
                again.key_id.clear();
                it.sets[0].signatures.push(again);
            }),
            of("ab", 2),
            "module_below_threshold",
        ),
        (
            "one signature twice",
            forged(|it| it.sets[0].signatures.extend_from_within(..1)),
            of("ab", 2),
            "module_below_threshold",
        ),
        (
            "another's signature",
            forged(|it| it.sets[0].signatures[0].bytes[5] ^= 1),
            of("a", 1),
            "module_signature",
        ),
        (
            "another's name on a signature",
            forged(|it| it.sets[0].signatures[0].key_id = vec![7; 12]),
            of("ab", 1),
            "module_signature",
        ),
        (
            "b's name on a's signature",
            forged(|it| {
                let hash = it.sets[0].hashes[0];
                it.sets[0].signatures[0].key_id = Entry::new('b', &hash).key_id;
            }),
            of("ab", 1),
            "module_signature",
        ),
        (
            "a broken signature beside enough good ones",
            forged(|it| {
                let hash = it.sets[0].hashes[0];
                it.sets[0].signatures.push(Entry { bytes: vec![9; 64], ..Entry::new('b', &hash) });
            }),
            of("ab", 1),
            "module_signature",
        ),
        (
            "signed over a digest of other bytes",
            Forged::new("a", b"other").module(&unsigned[8..]),
            of("a", 1),
            "module_signature",
        ),
        (
            "the digest of these bytes under a signature of others",
            Forged { sets: vec![], ..Forged::new("a", b"") }.with_signature_of(b"other", &unsigned[8..]),
            of("a", 1),
            "module_signature",
        ),
        ("pinned elsewhere", by("a"), with(of("a", 1), json!({"pins": [elsewhere]})), "module_not_pinned"),
        (
            "pinned elsewhere, unsigned",
            by(""),
            json!({"threshold": 0, "pins": [elsewhere]}),
            "module_not_pinned",
        ),
        (
            "pinned before it was signed again",
            by("ab"),
            with(of("a", 1), json!({"pins": [Digest::sha256(&by("a")).to_string()]})),
            "module_not_pinned",
        ),
        (
            "below the least version",
            by("a"),
            with(of("a", 1), json!({"minimum_versions": {"gate": "1.0.1"}})),
            "module_downgrade",
        ),
        (
            "before the release of the least version",
            signed_by("a", &module("2.0.0-rc.1")),
            with(of("a", 1), json!({"minimum_versions": {"gate": "2.0.0"}})),
            "module_downgrade",
        ),
        (
            "below the least version, unsigned",
            by(""),
            json!({"unsigned": "allow", "minimum_versions": {"gate": "1.0.1"}}),
            "module_downgrade",
        ),
        // Several reasons at once: first the bytes, then the signers, then the choice of the module.
        (
            "changed, and by nobody known, and pinned elsewhere",
            Forged::new("x", b"other").module(&unsigned[8..]),
            with(of("a", 1), json!({"pins": [elsewhere], "minimum_versions": {"gate": "9.0.0"}})),
            "module_signature",
        ),
        (
            "revoked, expired, and one of three",
            by("abc"),
            json!({"keys": [entry('a'), entry_with('b', expired.clone()), entry_with('c', revoked.clone())],
                   "threshold": 3, "pins": [elsewhere]}),
            "module_key_revoked",
        ),
        (
            "revoked and expired is revoked",
            by("a"),
            json!({"keys": [entry_with('a', json!({"revoked": true, "not_after": BEFORE}))]}),
            "module_key_revoked",
        ),
        (
            "expired, and one of two",
            by("ab"),
            json!({"keys": [entry('a'), entry_with('b', expired)], "threshold": 2}),
            "module_key_expired",
        ),
        (
            "one of two, and pinned elsewhere",
            by("a"),
            with(of("ab", 2), json!({"pins": [elsewhere]})),
            "module_below_threshold",
        ),
        (
            "pinned elsewhere, and below the least version",
            by("a"),
            with(of("a", 1), json!({"pins": [elsewhere], "minimum_versions": {"gate": "9.0.0"}})),
            "module_not_pinned",
        ),
    ];
    for (what, module, document, expected) in cases {
        let found = install(&module, &policy(&document)).map(|verdict| verdict.to_json());
        assert_eq!(found, Err(expected.to_owned()), "{what}");
    }
}

impl Forged {
    /// A signature of `a` over one content, with the digest of another.
    fn with_signature_of(self, signed: &[u8], content: &[u8]) -> Vec<u8> {
        let mut forged = Self::new("a", signed);
        forged.sets[0].hashes = Self::new("", content).sets[0].hashes.clone();
        forged.module(content)
    }
}

#[test]
fn trusted_modules_are_accepted_with_the_reason() {
    let unsigned = module("1.0.0");
    let by = |who| signed_by(who, &unsigned);
    let pins = |module: &[u8]| json!([Digest::sha256(module).to_string()]);
    use Grounds::{Pin, Signatures, Unsigned};
    for (what, module, document, grounds, counted) in [
        ("one of one", by("a"), of("a", 1), Signatures, 1),
        ("one of two", by("b"), of("ab", 1), Signatures, 1),
        ("two of three in another order", by("ca"), of("abc", 2), Signatures, 2),
        ("strangers beside", by("xay"), of("a", 1), Signatures, 1),
        (
            "enough beside one revoked",
            by("ab"),
            json!({"keys": [entry('a'), entry_with('b', json!({"revoked": true}))]}),
            Signatures,
            1,
        ),
        (
            "on the first and last moment of a key",
            by("a"),
            json!({"keys": [entry_with('a', json!({"not_before": "2026-11-01T00:00:00Z", "not_after": "2026-11-01T01:00:00+01:00"}))]}),
            Signatures,
            1,
        ),
        ("pinned and signed", by("a"), with(of("a", 1), json!({"pins": pins(&by("a"))})), Signatures, 1),
        ("pinned alone", by(""), json!({"threshold": 0, "pins": pins(&by(""))}), Pin, 0),
        ("pinned, signed by a stranger", by("x"), json!({"threshold": 0, "pins": pins(&by("x"))}), Pin, 0),
        ("unsigned, where that is allowed", by(""), json!({"unsigned": "allow"}), Unsigned, 0),
        ("unsigned beside keys", by(""), with(of("a", 1), json!({"unsigned": "allow"})), Unsigned, 0),
        (
            "the least version",
            by("a"),
            with(of("a", 1), json!({"minimum_versions": {"gate": "1.0.0"}})),
            Signatures,
            1,
        ),
        (
            "another's least version",
            by("a"),
            with(of("a", 1), json!({"minimum_versions": {"gat": "9.0.0"}})),
            Signatures,
            1,
        ),
    ] {
        let verdict = install(&module, &policy(&document)).unwrap_or_else(|code| panic!("{what}: {code}"));
        assert_eq!((verdict.accepted, verdict.counted), (grounds, counted), "{what}");
        assert_eq!(verdict.digest, Digest::sha256(&module), "{what}");
    }
}

#[test]
fn a_verdict_lists_every_signature() {
    use Standing::{Counted, Expired, NotYetValid, Repeated, Revoked, Unknown};
    let unsigned = module("1.0.0");
    let mut section = Forged::new("abcdx", &unsigned[8..]);
    let mut again = section.sets[0].signatures[0].clone();
    again.key_id.clear();
    section.sets[0].signatures.push(again);
    let module = section.module(&unsigned[8..]);
    let policy = policy(&json!({"keys": [
        entry('a'),
        entry_with('b', json!({"not_after": LONG_AGO})),
        entry_with('c', json!({"not_before": AFTER})),
        entry_with('d', json!({"revoked": true})),
    ]}));
    let verdict = install(&module, &policy).unwrap();
    let standings: Vec<_> = verdict.signatures.iter().map(|signature| signature.standing).collect();
    assert_eq!(standings, [Counted, Expired, NotYetValid, Revoked, Unknown, Repeated]);

    let json: Value = serde_json::from_str(&verdict.to_json()).unwrap();
    assert_eq!(
        json["signatures"][0],
        json!({"key": key('a').public().id().to_string(), "name": "a", "standing": "counted"})
    );
    assert_eq!(json["signatures"][2]["standing"], "not_yet_valid");
    assert_eq!(
        json["signatures"][4],
        json!({"key": key('x').public().id().to_string(), "name": null, "standing": "unknown"})
    );
    let members =
        ["digest", "content_digest", "name", "version", "moment", "accepted", "threshold", "counted"];
    let values = members.map(|member| json[member].clone());
    let digests =
        [Digest::sha256(&module), Digest::sha256(&unsigned[8..])].map(|digest| json!(digest.to_string()));
    let expected = [json!("gate"), json!("1.0.0"), json!("install"), json!("signatures"), json!(1), json!(1)];
    assert_eq!(values[..2], digests);
    assert_eq!(values[2..], expected);
    assert_eq!([&json["pinned"], &json["minimum_version"], &json["highest_version"]], [&Value::Null; 3]);
}

#[test]
fn versions_are_compared_with_the_active_ones() {
    let refusing = policy(&of("a", 1));
    let allowing = policy(&with(of("a", 1), json!({"downgrade": "allow"})));
    let floored =
        policy(&with(of("a", 1), json!({"downgrade": "allow", "minimum_versions": {"gate": "1.1.0"}})));
    for (version, highest, expected) in [
        ("1.0.0", "1.0.0", [true, true, false]),
        ("1.0.0", "1.0.1", [false, true, false]),
        ("1.2.0", "1.10.0", [false, true, true]),
        ("2.0.0-rc.1", "1.9.9", [true, true, true]),
        ("2.0.0-rc.1", "2.0.0", [false, true, true]),
        // Build metadata (after `+`) is not compared.
        ("1.1.0+a", "1.1.0+b", [true, true, true]),
        ("1.1.0", "1.1.0+b", [true, true, true]),
    ] {
        let credentials = Credentials::read(&signed_by("a", &module(version))).unwrap();
        let highest = highest.parse().unwrap();
        for moment in [TrustAction::Install, TrustAction::Activate] {
            let occasion = TrustContext { action: moment, now: NOW, highest: Some(&highest) };
            let found = [&refusing, &allowing, &floored].map(|policy| policy.judge(&credentials, &occasion));
            for (found, expected) in found.iter().zip(expected) {
                let code = found.as_ref().map_err(|error| error.code().as_str()).map(drop);
                assert_eq!(
                    code,
                    if expected { Ok(()) } else { Err("module_downgrade") },
                    "{version} after {highest}"
                );
            }
        }
        // A rollback may go to an earlier version, but not below the minimum version.
        let rollback = TrustContext { action: TrustAction::Rollback, now: NOW, highest: Some(&highest) };
        assert!(refusing.judge(&credentials, &rollback).is_ok());
        let code = floored.judge(&credentials, &rollback).map(drop).map_err(|error| error.code().as_str());
        assert_eq!(code, if expected[2] { Ok(()) } else { Err("module_downgrade") }, "{version}");
        let load = TrustContext { action: TrustAction::Load, now: NOW, highest: Some(&highest) };
        assert!(
            [refusing.clone(), floored.clone()]
                .iter()
                .all(|policy| policy.judge(&credentials, &load).is_ok())
        );
    }
}

#[test]
fn active_modules_stay_accepted_except_after_revocations_and_pins() {
    let unsigned = module("1.0.0");
    let signed = signed_by("ab", &unsigned);
    let keys = |a: Value, b: Value| json!([entry_with('a', a), entry_with('b', b)]);
    let (fine, old, gone) = (json!({}), json!({"not_after": LONG_AGO}), json!({"revoked": true}));
    let elsewhere = Digest::sha256(b"elsewhere").to_string();
    for (what, document, expected) in [
        ("expired", json!({"keys": keys(old.clone(), old.clone()), "threshold": 2}), None),
        (
            "below the least version",
            json!({"keys": keys(fine.clone(), fine.clone()), "minimum_versions": {"gate": "2.0.0"}}),
            None,
        ),
        ("revoked, and one remains", json!({"keys": keys(old, gone.clone())}), None),
        (
            "revoked, and one is not enough",
            json!({"keys": keys(fine.clone(), gone), "threshold": 2}),
            Some("module_key_revoked"),
        ),
        ("not among the keys any more", of("cd", 1), Some("module_untrusted_key")),
        (
            "pinned elsewhere",
            json!({"keys": keys(fine.clone(), fine), "pins": [elsewhere]}),
            Some("module_not_pinned"),
        ),
    ] {
        let found = judge(&signed, &policy(&document), TrustAction::Load).err();
        assert_eq!(found.as_deref(), expected, "{what}");
        let installed = install(&signed, &policy(&document)).err();
        assert!(installed.is_some() || expected.is_none(), "{what}: loading is never stricter");
    }
    assert_eq!(judge(&unsigned, &policy(&of("a", 1)), TrustAction::Load).unwrap_err(), "module_unsigned");
}

#[test]
fn a_missing_signature_can_be_allowed_but_not_a_bad_one() {
    let unsigned = module("1.0.0");
    let elsewhere = json!({"pins": [Digest::sha256(b"elsewhere").to_string()]});
    for (what, module, document, expected) in [
        ("nobody signed", unsigned.clone(), json!({}), None),
        ("nobody signed, though two should have", unsigned.clone(), of("ab", 2), None),
        ("nobody known signed", signed_by("x", &unsigned), of("a", 1), Some("module_untrusted_key")),
        ("changed", Forged::new("a", b"other").module(&unsigned[8..]), of("a", 1), Some("module_signature")),
        ("pinned elsewhere", unsigned.clone(), with(of("a", 1), elsewhere), Some("module_not_pinned")),
        (
            "below the least version",
            unsigned,
            json!({"minimum_versions": {"gate": "2.0.0"}}),
            Some("module_downgrade"),
        ),
    ] {
        let found = install(&module, &policy(&document).without_signatures()).err();
        assert_eq!(found.as_deref(), expected, "{what}");
    }
}

/// Extreme clocks cause no overflow, and no key with a window is valid then.
#[test]
fn every_time_can_be_judged() {
    let credentials = Credentials::read(&signed_by("a", &module("1.0.0"))).unwrap();
    let window = json!({"not_before": "2026-01-01T00:00:00Z", "not_after": "2026-12-31T00:00:00Z"});
    let policy = policy(&json!({"keys": [entry_with('a', window)]}));
    for (now, is_valid) in [(i64::MIN, false), (-1, false), (0, false), (NOW, true), (i64::MAX, false)] {
        let occasion = TrustContext { action: TrustAction::Activate, now, highest: None };
        assert_eq!(policy.judge(&credentials, &occasion).is_ok(), is_valid, "{now}");
    }
}
