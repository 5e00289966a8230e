//! Objects by digest: stored, verified, and not returned after manipulation.

use adjudicate_cluster::Cluster;
use adjudicate_core::ErrorCode;
use adjudicate_host::codes;
use adjudicate_sandbox::Digest;
use async_nats::jetstream::object_store::ObjectStore;

use crate::{bed::connect, nats::Nats};

fn store(cluster: &Cluster) -> ObjectStore {
    let (jetstream, name) = (cluster.jetstream(), format!("{}-modules", cluster.name()));
    cluster.handle().block_on(async move { jetstream.get_object_store(name).await.unwrap() })
}

fn code<T>(outcome: Result<T, adjudicate_core::Error>) -> Option<ErrorCode> {
    outcome.err().map(|error| error.code())
}

#[test]
fn an_object_of_one_host_is_read_by_another() {
    let nats = Nats::start();
    let [one, two] = [connect(&nats), connect(&nats)];
    for size in [0, 1, 4096, 131_072, 131_073, 3 << 20] {
        let bytes: Vec<u8> = (0..size).map(|index| u8::try_from(index * 31 % 251).unwrap()).collect();
        let digest = Digest::sha256(&bytes);
        one.keep(digest, &bytes).unwrap();
        // Another host stores it again without effect.
        two.keep(digest, &bytes).unwrap();
        assert_eq!(two.object(digest, size).as_deref(), Ok(bytes.as_slice()), "{size}");
        if size > 0 {
            assert_eq!(code(two.object(digest, size - 1)), Some(codes::MODULE_TOO_LARGE), "{size}");
        }
    }
    assert_eq!(code(one.object(Digest::sha256(b"never"), 10)), Some(codes::UNKNOWN_MODULE));
    assert_eq!(code(one.keep(Digest::sha256(b"never"), b"ever")), Some(codes::WRONG_USAGE));
}

#[test]
fn bytes_with_another_digest_are_never_returned() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    let objects = store(&cluster);
    let digest = Digest::sha256(b"good");
    let put = |name: String, bytes: &'static [u8]| {
        let objects = objects.clone();
        cluster.handle().block_on(async move { objects.put(name.as_str(), &mut &*bytes).await.unwrap() })
    };
    put(digest.to_string(), b"evil");
    assert_eq!(code(cluster.object(digest, 100)), Some(codes::CLUSTER_FAULT));
    put(digest.to_string(), b"evil and of another length");
    assert_eq!(code(cluster.object(digest, 100)), Some(codes::CLUSTER_FAULT));
    assert_eq!(code(cluster.keep(digest, b"good")), Some(codes::CLUSTER_FAULT));
    // After the forged object is removed, the right one can be stored again.
    let name = digest.to_string();
    let taking = objects.clone();
    cluster.handle().block_on(async move { taking.delete(name).await.unwrap() });
    assert_eq!(code(cluster.object(digest, 100)), Some(codes::UNKNOWN_MODULE));
    cluster.keep(digest, b"good").unwrap();
    assert_eq!(cluster.object(digest, 100).as_deref(), Ok(b"good".as_slice()));
}

#[test]
fn a_link_to_another_object_is_verified_by_its_bytes() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    let objects = store(&cluster);
    let [good, evil] = [Digest::sha256(b"good"), Digest::sha256(b"evil")];
    cluster.keep(evil, b"evil").unwrap();
    let linking = objects.clone();
    cluster.handle().block_on(async move {
        let target = linking.get(evil.to_string()).await.unwrap();
        linking.add_link(good.to_string(), &target).await.unwrap();
    });
    assert_eq!(code(cluster.object(good, 100)), Some(codes::CLUSTER_FAULT));
    assert_eq!(code(cluster.keep(good, b"good")), Some(codes::CLUSTER_FAULT));
}

#[test]
fn the_metadata_of_an_object_is_not_trusted() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    let digest = Digest::sha256(b"good");
    cluster.keep(digest, b"good").unwrap();
    // Metadata with a small size and chunks of other objects, with a large size, and with garbage.
    let about = |size: usize, nuid: &str| {
        format!(
            r#"{{"name":"{digest}","bucket":"adjudicate-modules","nuid":"{nuid}","size":{size},"chunks":1,"mtime":"2026-01-01T00:00:00Z"}}"#
        )
    };
    let subject = |digest: Digest| {
        let name = digest.to_string();
        let encoded: String = base64(&name);
        format!("$O.adjudicate-modules.M.{encoded}")
    };
    let put = |text: String| {
        let (jetstream, subject) = (cluster.jetstream(), subject(digest));
        cluster.handle().block_on(async move {
            jetstream.publish(subject, text.into()).await.unwrap().await.unwrap();
        });
    };
    put(about(4, ">"));
    assert_eq!(
        cluster.object(digest, 100).as_deref(),
        Ok(b"good".as_slice()),
        "all chunks are those of the one object"
    );
    put(about(4_000_000_000, ">"));
    assert_eq!(code(cluster.object(digest, 100)), Some(codes::MODULE_TOO_LARGE));
    put(about(1 << 60, ">"));
    assert_eq!(
        cluster.object(digest, usize::MAX).as_deref(),
        Ok(b"good".as_slice()),
        "no room is made for it"
    );
    put(about(1, ">"));
    cluster.keep(Digest::sha256(b"more of it"), b"more of it").unwrap();
    assert_eq!(code(cluster.object(digest, 10)), Some(codes::MODULE_TOO_LARGE), "more came than was said");
    put("garbage".to_owned());
    assert_eq!(code(cluster.object(digest, 100)), Some(codes::CLUSTER_FAULT));
}

/// Encodes the name of an object: with `-` and `_`, and padded.
fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digit =
        |bits: u32, place: u32| char::from(DIGITS[usize::try_from(bits >> (18 - 6 * place) & 63).unwrap()]);
    text.as_bytes()
        .chunks(3)
        .flat_map(|chunk| {
            let bits = (0..3).fold(0, |bits, index| bits << 8 | u32::from(*chunk.get(index).unwrap_or(&0)));
            let used = u32::try_from(chunk.len()).unwrap();
            (0..4).map(move |place| if place <= used { digit(bits, place) } else { '=' }).collect::<Vec<_>>()
        })
        .collect()
}
