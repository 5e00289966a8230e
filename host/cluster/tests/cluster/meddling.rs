//! Clients that may write to the bucket cannot change decisions, and their changes are reported.

use std::fs;

use adjudicate_cluster::{Cluster, ClusterSettings};
use adjudicate_host::{ChangeReason, codes};

use crate::{
    bed::{Bed, SLOT, put_raw, settings, signed, unsigned},
    nats::{Nats, until},
};

/// A host with an active module in a slot, and its entry.
fn host(nats: &Nats) -> (Bed, i64) {
    let bed = Bed::join(nats);
    bed.create();
    let entry = bed.activate(&signed("1.0.0", "good", 1)).id;
    (bed, entry)
}

/// The value of a slot's key at a revision.
fn value(cluster: &Cluster, revision: i64) -> Vec<u8> {
    let (jetstream, revision) = (cluster.jetstream(), u64::try_from(revision).unwrap());
    let entry = cluster.handle().block_on(async move {
        let bucket = jetstream.get_key_value("adjudicate-slots").await.unwrap();
        bucket.entry_for_revision(format!("slot.{SLOT}"), revision).await.unwrap()
    });
    entry.unwrap().value.to_vec()
}

#[test]
fn garbage_in_the_bucket_is_reported_and_changes_no_decision() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let good = value(&bed.cluster, entry);
    let text = String::from_utf8(good.clone()).unwrap();
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        text.replacen(from, to, 1).into_bytes()
    };
    let long_note = format!(r#""note":"{}""#, "x".repeat(5000));
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (Vec::new(), "cannot be read"),
        (b"\xff\xfe".to_vec(), "cannot be read"),
        (b"{".to_vec(), "cannot be read"),
        (b"[]".to_vec(), "format none"),
        (with(r#""format":1"#, r#""format":2"#), "format 2"),
        (with(r#""format":1"#, r#""format":"1""#), "format none"),
        (with(r#""format":1,"#, ""), "format none"),
        (with(r#""format":1"#, r#""format":1,"more":1"#), "unknown_field"),
        (with(r#""slot":"release""#, r#""slot":"other""#), "belongs to the slot `other`"),
        (with(r#""action":"activate""#, r#""action":"take_over""#), "cannot be read"),
        (with(r#""action":"activate""#, r#""action":"activate","action":"activate""#), "duplicate_key"),
        (with("sha256:", "sha512:"), "cannot be read"),
        (vec![b'['; 100_000], "cannot be read"),
    ];
    for (garbage, expected) in cases {
        let shown = String::from_utf8_lossy(&garbage[..garbage.len().min(60)]).into_owned();
        put_raw(&bed.cluster, "slot.release", garbage);
        bed.is_troubled(expected);
        assert_eq!((bed.entry(), bed.flag().as_str()), (entry, "good"), "{shown}");
        // A new host gets the active module and the same problem.
        let error = bed.slots.slot(SLOT).unwrap().shadow(None, &ChangeReason::default()).unwrap_err();
        assert_eq!(error.code(), codes::SLOT_CHANGED, "{shown}: {error}");
    }
    let late = Bed::join(&nats);
    late.is_troubled("cannot be read");
    assert_eq!((late.entry(), late.flag().as_str()), (entry, "good"));
    // After the earlier value is restored, the slot continues.
    let restored = put_raw(&bed.cluster, "slot.release", good);
    bed.reaches(restored);
    late.reaches(restored);
    bed.is_well();
    late.is_well();
    let next = bed.activate(&signed("1.1.0", "next", 1));
    late.reaches(next.id);
    assert_eq!(late.flag(), "next");
    // A readable entry that no host writes is rejected.
    put_raw(&bed.cluster, "slot.release", with(r#""note":"""#, &long_note));
    bed.is_troubled("limit_exceeded");
    assert_eq!(bed.entry(), next.id);
}

#[test]
fn other_keys_are_ignored_and_invalid_names_are_reported() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let good = String::from_utf8(value(&bed.cluster, entry)).unwrap();
    put_raw(&bed.cluster, "notes.of.mine", "hello");
    put_raw(&bed.cluster, "slot.UPPER", good.replace(r#""slot":"release""#, r#""slot":"UPPER""#));
    until("the name is reported", || bed.slots.problems().contains_key("UPPER"));
    assert_eq!(bed.slots.problems().len(), 1);
    assert_eq!(bed.slots.slots().unwrap().len(), 1);
}

#[test]
fn a_key_that_is_deleted_or_purged_leaves_the_slot_as_it_is() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let good = value(&bed.cluster, entry);
    let bucket = |bed: &Bed| {
        let jetstream = bed.cluster.jetstream();
        bed.cluster
            .handle()
            .block_on(async move { jetstream.get_key_value("adjudicate-slots").await.unwrap() })
    };
    let deleting = bucket(&bed);
    bed.cluster.handle().block_on(async move { deleting.delete("slot.release").await.unwrap() });
    bed.is_troubled("deleted");
    assert_eq!((bed.entry(), bed.flag().as_str()), (entry, "good"));
    let late = Bed::join(&nats);
    late.is_troubled("deleted");
    assert_eq!(late.flag(), "good");
    let error =
        bed.slots.create("release", adjudicate_host::SlotSettings::default(), &ChangeReason::default());
    assert_eq!(error.map(drop).unwrap_err().code(), codes::SLOT_CHANGED);
    // The bucket itself refuses to purge a key.
    let purging = bucket(&bed);
    assert!(bed.cluster.handle().block_on(async move { purging.purge("slot.release").await }).is_err());
    let purging = bucket(&bed).stream;
    assert!(bed.cluster.handle().block_on(async move { purging.purge().await }).is_err());
    let restored = put_raw(&bed.cluster, "slot.release", good);
    bed.reaches(restored);
    late.reaches(restored);
    bed.is_well();
}

#[test]
fn a_deleted_invalid_key_is_no_longer_a_problem() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    for key in ["slot.made-up", &format!("slot.{}", "r".repeat(65))] {
        put_raw(&bed.cluster, key, "garbage");
        until("it is reported", || bed.slots.problems().len() == 1);
        let late = Bed::join(&nats);
        assert_eq!(late.slots.problems().len(), 1, "{key}");
        let (jetstream, deleted) = (bed.cluster.jetstream(), key.to_owned());
        bed.cluster.handle().block_on(async move {
            jetstream.get_key_value("adjudicate-slots").await.unwrap().delete(deleted).await.unwrap();
        });
        for host in [&bed, &late, &Bed::join(&nats)] {
            until("it is well again", || host.slots.problems().is_empty());
            assert_eq!(host.entry(), entry);
        }
    }
}

#[test]
fn a_rejected_slot_is_reported_even_after_its_deletion() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let good = String::from_utf8(value(&bed.cluster, entry)).unwrap();
    let digest = bed.slots.slot(SLOT).unwrap().entry().state.active.unwrap().base.module.to_string();
    let unknown = good.replacen(&digest, &adjudicate_sandbox::Digest::sha256(b"none").to_string(), 1);
    let other = unknown.replacen(r#""slot":"release""#, r#""slot":"other""#, 1);
    put_raw(&bed.cluster, "slot.other", other);
    let says = |text: &str| bed.slots.problem("other").is_some_and(|error| error.to_string().contains(text));
    until("it is refused", || says("unknown_module"));
    let jetstream = bed.cluster.jetstream();
    bed.cluster.handle().block_on(async move {
        jetstream.get_key_value("adjudicate-slots").await.unwrap().delete("slot.other").await.unwrap();
    });
    until("that it was deleted is reported", || says("deleted"));
}

#[test]
fn rejected_entries_are_history_even_among_forged_ones() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let good = String::from_utf8(value(&bed.cluster, entry)).unwrap();
    let made_up = (0..80).map(|number| (format!("slot.zz-{number}"), "garbage".to_owned()));
    put_all(&bed.cluster, made_up.collect());
    until("they are reported", || bed.slots.problem("").is_some());
    let digest = bed.slots.slot(SLOT).unwrap().entry().state.active.unwrap().base.module.to_string();
    let unknown = good.replacen(&digest, &adjudicate_sandbox::Digest::sha256(b"none").to_string(), 1);
    let refused = put_raw(&bed.cluster, "slot.release", unknown);
    bed.is_troubled("unknown_module");
    put_raw(&bed.cluster, "slot.release", "garbage");
    bed.is_troubled("cannot be read");
    let restored = put_raw(&bed.cluster, "slot.release", good.as_str());
    bed.reaches(restored);
    let history = bed.slots.slot(SLOT).unwrap().history(100).unwrap();
    let ids: Vec<i64> = history.iter().map(|entry| entry.id).collect();
    assert!(ids.contains(&refused) && ids.contains(&entry), "{ids:?}");
}

#[test]
fn untrusted_modules_never_answer() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let good = String::from_utf8(value(&bed.cluster, entry)).unwrap();
    let digest = bed.slots.slot(SLOT).unwrap().entry().state.active.unwrap().base.module.to_string();
    let tampered = [signed("9.0.0", "evil", 1), b"\0".to_vec()].concat();
    for (module, member, expected) in [
        (unsigned("9.0.0", "evil"), "", "module_unsigned"),
        (unsigned("9.0.0", "evil"), r#","unsigned":true"#, "module_unsigned"),
        (signed("9.0.0", "evil", 2), "", "module_untrusted_key"),
        (signed("9.0.0", "evil", 2), r#","unsigned":true"#, "module_unsigned"),
        (signed("0.9.0", "evil", 1), "", "module_downgrade"),
        (b"\0asm\x01\0\0\0".to_vec(), "", "module_"),
        (b"garbage".to_vec(), "", "module_"),
        (tampered, "", "module_"),
    ] {
        let evil = adjudicate_sandbox::Digest::sha256(&module);
        bed.cluster.keep(evil, &module).unwrap();
        let member = format!(r#""module":"{evil}"{member}"#);
        let text = good.replacen(&format!(r#""module":"{digest}""#), &member, 1);
        let before = bed.entry();
        let put = put_raw(&bed.cluster, "slot.release", text);
        bed.is_troubled(expected);
        assert_eq!((bed.entry(), bed.flag().as_str()), (before, "good"), "{expected}");
        let restored = put_raw(&bed.cluster, "slot.release", good.as_str());
        bed.reaches(restored);
        bed.is_well();
        // The rejected entry is part of the history, and a rollback to it is rejected, too.
        let slot = bed.slots.slot(SLOT).unwrap();
        let error = slot.rollback(Some(put), &ChangeReason::default()).unwrap_err();
        assert!(error.code().as_str().starts_with("module_"), "{expected}: {error}");
        assert_eq!(bed.flag(), "good");
    }
    assert!(bed.entry() > entry);
}

#[test]
fn another_clusters_bucket_is_not_followed() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let id = bed.cluster.id().to_owned();
    let good = value(&bed.cluster, entry);
    let other = "c-00000000000000000000000000000000";
    put_raw(&bed.cluster, "cluster", other);
    let following = bed.following.as_ref().unwrap();
    let says = |text: &str| following.problem().is_some_and(|error| error.message().contains(text));
    until("the other id is reported", || says(other));
    let put = put_raw(&bed.cluster, "slot.release", good);
    assert_eq!(bed.entry(), entry);
    let joining = Cluster::connect(&settings(&nats)).unwrap();
    assert_eq!(joining.id(), other, "to whoever is new it is that one");
    assert_eq!(bed.cluster.follow(&bed.slots).map(drop).unwrap_err().code(), codes::CLUSTER_FAULT);
    assert_eq!(bed.entry(), entry, "nothing was followed meanwhile");
    // After the id is restored, the changes made meanwhile are applied.
    put_raw(&bed.cluster, "cluster", id);
    until("it is well again", || following.problem().is_none());
    bed.reaches(put);
}

#[test]
fn a_server_without_its_data_is_reported_and_changes_no_decision() {
    let mut nats = Nats::start();
    let (bed, entry) = host(&nats);
    nats.kill();
    nats.lose_everything();
    nats.run();
    let following = bed.following.as_ref().unwrap();
    until("the loss is reported", || {
        bed.cluster.is_connected()
            && following.problem().is_some_and(|error| error.message().contains("bucket"))
    });
    assert_eq!((bed.entry(), bed.flag().as_str()), (entry, "good"));
    let error = bed.slots.slot(SLOT).unwrap().shadow(None, &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT, "{error}");
    // A new host creates another cluster, and this host does not join it.
    let next = Bed::join(&nats);
    assert_ne!(next.cluster.id(), bed.cluster.id());
    next.create();
    until("the other cluster is reported", || {
        following.problem().is_some_and(|error| error.message().contains(next.cluster.id()))
    });
    assert_eq!((bed.entry(), bed.flag().as_str()), (entry, "good"));
}

#[test]
fn an_earlier_copy_of_the_bucket_is_reported() {
    let mut nats = Nats::start();
    let (bed, entry) = host(&nats);
    let copy = tempfile::tempdir().unwrap();
    nats.kill();
    copy_all(&nats.store(), copy.path());
    nats.run();
    until("the connection is back", || bed.cluster.is_connected());
    let later = bed.activate(&signed("1.1.0", "later", 1)).id;
    assert!(later > entry);
    nats.kill();
    nats.lose_everything();
    copy_all(copy.path(), &nats.store());
    nats.run();
    bed.is_troubled("earlier copy");
    assert_eq!((bed.entry(), bed.flag().as_str()), (later, "later"));
    let error = bed.slots.slot(SLOT).unwrap().shadow(None, &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::SLOT_CHANGED, "{error}");
    // A new host follows the copy. The two histories are not merged by the higher number.
    let late = Bed::join(&nats);
    assert_eq!(late.flag(), "good");
    let next = late.activate(&signed("1.2.0", "next", 1));
    assert!(next.id <= later, "the number is given twice");
    bed.is_troubled("cluster_fault");
    assert_eq!(bed.flag(), "later");
}

fn copy_all(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_all(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn a_cluster_of_another_name_is_not_touched() {
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let other =
        Cluster::connect(&ClusterSettings { name: "adjudicate-2".to_owned(), ..settings(&nats) }).unwrap();
    put_raw(&other, "slot.release", "garbage");
    let next = bed.activate(&signed("1.1.0", "next", 1));
    assert!(next.id > entry);
    bed.is_well();
}

/// Invalid slot keys do not grow a host's memory or its reports. Problems of the host's own slots are still reported.
#[test]
fn invented_slots_are_reported_up_to_a_bound_and_displace_no_slot() {
    const MADE_UP: usize = 3000;
    let nats = Nats::start();
    let (bed, entry) = host(&nats);
    let good = String::from_utf8(value(&bed.cluster, entry)).unwrap();
    let digest = bed.slots.slot(SLOT).unwrap().entry().state.active.unwrap().base.module.to_string();
    // Some values are garbage, some are valid entries with unknown modules, and some keys are not names of slots.
    let nobodys = good.replace(&digest, &adjudicate_sandbox::Digest::sha256(b"nobody's").to_string());
    let made_up = (0..MADE_UP).map(|number| match number % 3 {
        0 => (format!("slot.a-{number}"), "garbage".to_owned()),
        1 => (
            format!("slot.b-{number}"),
            nobodys.replace(r#""slot":"release""#, &format!(r#""slot":"b-{number}""#)),
        ),
        _ => (format!("notes.{number}"), "x".repeat(10_000)),
    });
    put_all(&bed.cluster, made_up.collect());
    let is_more =
        |bed: &Bed| bed.slots.problem("").is_some_and(|error| error.message().contains("more than 64"));
    until("it is reported that there are more", || is_more(&bed));
    // Slots of this host continue, and their problems are reported.
    put_raw(&bed.cluster, "slot.release", "garbage");
    bed.is_troubled("cannot be read");
    assert_eq!((bed.entry(), bed.flag().as_str()), (entry, "good"));
    let late = Bed::join(&nats);
    late.is_troubled("cannot be read");
    for bed in [&bed, &late] {
        let problems = bed.slots.problems();
        assert!(problems.len() <= 64 + 2 && is_more(bed), "{}", problems.len());
        assert!(problems.values().all(|error| error.message().len() < 500));
        assert_eq!(bed.slots.slots().unwrap().len(), 1);
    }
    let restored = put_raw(&bed.cluster, "slot.release", good);
    [&bed, &late].into_iter().for_each(|bed| bed.reaches(restored));
    assert_eq!(late.problem(), "");
    // A new slot still works.
    bed.slots.create("new", adjudicate_host::SlotSettings::default(), &ChangeReason::default()).unwrap();
    until("the new slot is there", || late.slots.slot("new").is_ok());
}

/// Writes many keys concurrently.
fn put_all(cluster: &Cluster, values: Vec<(String, String)>) {
    let jetstream = cluster.jetstream();
    cluster.handle().block_on(async move {
        for values in values.chunks(100) {
            let mut kept = Vec::new();
            for (key, value) in values {
                let subject = format!("$KV.adjudicate-slots.{key}");
                kept.push(jetstream.publish(subject, value.clone().into()).await.unwrap());
            }
            for kept in kept {
                kept.await.unwrap();
            }
        }
    });
}
