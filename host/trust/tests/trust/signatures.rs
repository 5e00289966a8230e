//! Signature sections: accepted and rejected forms, and compatibility with `wasmsign2`.

use adjudicate_trust::{
    Credentials, Digest, KeyId, PublicKey, SecretKey, TrustPolicy, sign,
    signature::{MAX_SECTION_BYTES, MAX_SIGNATURES},
};
use serde_json::json;

use crate::signing::{
    Entry, Forged, PREAMBLE, entry, install, key, leb, module, policy, prefixed, signed_by,
};

/// Sections that `wasmsign2` 0.2.8 made, by its public interface, for a module with only a manifest. The keys have seeds of 32
/// bytes of 1 and of 2. The sections are by the first key without an id, by the first with its id, by both, and by the first with a
/// delimiter at the end.
const GOLDEN: [(&str, &[u8]); 4] = [
    (
        "0061736d010000000075097369676e617475726501010101660183d4624a0c23b0d3c0bb149e82696eaedb4bca001e1a8ef2d88e52aac25b956601430001407dd181f5abf8a323f398568fa90af4bd30b253671005e7b8087e89baf0af968ae60927dadb6f6f80ae08c9ade19faab6c63fd86c20af35417c16943b7d04e70200591361646a756469636174652e6d616e69666573747b22616269223a312c226e616d65223a22676f6c64656e222c2276657273696f6e223a22312e302e30222c226f7065726174696f6e73223a5b226576616c75617465225d7d",
        &[1],
    ),
    (
        "0061736d01000000008101097369676e617475726501010101720183d4624a0c23b0d3c0bb149e82696eaedb4bca001e1a8ef2d88e52aac25b9566014f0c236c79a936837526e7b8746a01407dd181f5abf8a323f398568fa90af4bd30b253671005e7b8087e89baf0af968ae60927dadb6f6f80ae08c9ade19faab6c63fd86c20af35417c16943b7d04e70200591361646a756469636174652e6d616e69666573747b22616269223a312c226e616d65223a22676f6c64656e222c2276657273696f6e223a22312e302e30222c226f7065726174696f6e73223a5b226576616c75617465225d7d",
        &[1],
    ),
    (
        "0061736d0100000000d201097369676e617475726501010101c2010183d4624a0c23b0d3c0bb149e82696eaedb4bca001e1a8ef2d88e52aac25b9566024f0c236c79a936837526e7b8746a01407dd181f5abf8a323f398568fa90af4bd30b253671005e7b8087e89baf0af968ae60927dadb6f6f80ae08c9ade19faab6c63fd86c20af35417c16943b7d04e7024f0c0a4c04e8cdaae38617c5231701403f5b17ef0b322394721c95c1fd3bbefd44cf9ce20c65bd0c2c26b0e62f655355b222bb67a91f6d87b352300abc83d95f1885064da2fe23ae490b75a725f81f0100591361646a756469636174652e6d616e69666573747b22616269223a312c226e616d65223a22676f6c64656e222c2276657273696f6e223a22312e302e30222c226f7065726174696f6e73223a5b226576616c75617465225d7d",
        &[1, 2],
    ),
    (
        "0061736d01000000008101097369676e6174757265010101017201776d76a0160893eb12cdd6fd2ca7802226ca9e922b47ef7b0ac0ded2f30e112d014f0c236c79a936837526e7b8746a0140afedc6387277a6bddce78de584625f9d41eb793784f690e617d6198b38b9dbf283f1c86ca30c7093eb56cc4e01eb1e7ab520cf34afb306c73cb0ffe4e438a60800591361646a756469636174652e6d616e69666573747b22616269223a312c226e616d65223a22676f6c64656e222c2276657273696f6e223a22312e302e30222c226f7065726174696f6e73223a5b226576616c75617465225d7d0024137369676e61747572655f64656c696d69746572d863183f9d44fbea64f51f2a464af2ed",
        &[1],
    ),
];

/// The content of all of them except the last, which also has a delimiter.
const GOLDEN_CONTENT: &str = "00591361646a756469636174652e6d616e69666573747b22616269223a312c226e616d65223a22676f6c64656e222c2276657273696f6e223a22312e302e30222c226f7065726174696f6e73223a5b226576616c75617465225d7d";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()).collect()
}

fn code(module: &[u8]) -> String {
    Credentials::read(module).map_or_else(|error| error.code().as_str().to_owned(), |_| "read".to_owned())
}

/// All bytes except the first eight and the signature section, which must be the first.
fn content(module: &[u8]) -> Vec<u8> {
    module[8 + section_length(module)..].to_vec()
}

fn section_length(module: &[u8]) -> usize {
    let mut size = 0;
    for (at, byte) in module[9..].iter().enumerate() {
        size |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return 1 + at + 1 + size;
        }
    }
    unreachable!("a section has a size");
}

#[test]
fn signatures_of_wasmsign2_are_accepted() {
    for (text, seeds) in GOLDEN {
        let module = bytes(text);
        let credentials = Credentials::read(&module).unwrap();
        assert_eq!(credentials.content_digest(), Digest::sha256(&content(&module)));
        assert_eq!(credentials.digest(), Digest::sha256(&module));
        let keys: Vec<_> = seeds.iter().map(|seed| SecretKey::from_seed(&[*seed; 32]).public()).collect();
        let entries: Vec<_> = keys
            .iter()
            .zip(["one", "two"])
            .map(|(key, name)| json!({"name": name, "public_key": key.to_string(), "id": key.id().to_string()}))
            .collect();
        let policy = policy(&json!({"keys": entries, "threshold": seeds.len()}));
        assert_eq!(install(&module, &policy).unwrap().counted, seeds.len());
        let other = crate::signing::policy(&json!({"keys": [entry('a')]}));
        assert_eq!(install(&module, &other).unwrap_err(), "module_untrusted_key");
    }
}

#[test]
fn signatures_are_those_of_wasmsign2() {
    let unsigned = [PREAMBLE, &bytes(GOLDEN_CONTENT)].concat();
    let (one, two) = (SecretKey::from_seed(&[1; 32]), SecretKey::from_seed(&[2; 32]));
    let once = sign(&unsigned, &one).unwrap();
    assert_eq!(once, bytes(GOLDEN[1].0));
    assert_eq!(sign(&once, &two).unwrap(), bytes(GOLDEN[2].0));
    // Without an id the signature is the same and counts for this key.
    let error = sign(&bytes(GOLDEN[0].0), &one).unwrap_err();
    assert_eq!(error.code().as_str(), "wrong_usage");
}

#[test]
fn further_signatures_keep_the_content_digest() {
    let unsigned = module("1.0.0");
    let all = signed_by("abcd", &unsigned);
    let credentials = Credentials::read(&all).unwrap();
    let ids: Vec<_> = credentials.signatures().iter().map(|signature| signature.key_id).collect();
    assert_eq!(ids, "abcd".chars().map(|who| Some(key(who).public().id())).collect::<Vec<_>>());
    assert_eq!(content(&all), unsigned[8..]);
    assert_eq!(credentials.content_digest(), Credentials::read(&unsigned).unwrap().content_digest());
    assert_eq!(all, Forged::new("abcd", &unsigned[8..]).module(&unsigned[8..]));
    assert_eq!(sign(&all, &key('b')).unwrap_err().code().as_str(), "wrong_usage");
    for who in "abcd".chars() {
        assert!(install(&all, &policy(&json!({"keys": [entry(who)]}))).is_ok());
    }
}

#[test]
fn the_number_of_signatures_is_bounded() {
    let unsigned = module("1.0.0");
    let people: String = ('A'..='z').take(MAX_SIGNATURES).collect();
    let full = signed_by(&people, &unsigned);
    assert!(section_length(&full) <= MAX_SECTION_BYTES);
    assert_eq!(Credentials::read(&full).unwrap().signatures().len(), MAX_SIGNATURES);
    assert_eq!(sign(&full, &key('~')).unwrap_err().code().as_str(), "module_signature");
    let over = Forged::new(&format!("{people}~"), &unsigned[8..]).module(&unsigned[8..]);
    assert_eq!(code(&over), "module_signature");
}

/// Sections that differ from a good one in one part. None is accepted.
#[test]
fn sections_of_any_other_form_are_refused() {
    let unsigned = module("1.0.0");
    let content = &unsigned[8..];
    let good = Forged::new("a", content);
    assert_eq!(code(&good.module(content)), "read");
    type Spoil = fn(&mut Forged);
    let spoils: &[(&str, Spoil)] = &[
        ("another version", |it| it.kind = vec![2, 1, 1]),
        ("another content type", |it| it.kind = vec![1, 2, 1]),
        ("another hash", |it| it.kind = vec![1, 1, 2]),
        ("a version of two bytes", |it| it.kind = vec![0x81, 0, 1, 1]),
        ("no set", |it| it.sets.clear()),
        ("two sets", |it| it.sets.push(it.sets[0].clone())),
        ("a long number of sets", |it| it.count = Some(vec![0x81, 0])),
        ("more sets than there are", |it| it.count = Some(vec![2])),
        ("a huge number of sets", |it| it.count = Some(vec![0xff, 0xff, 0xff, 0xff, 0x0f])),
        ("an endless number of sets", |it| it.count = Some(vec![0x80; 64])),
        ("no hash", |it| it.sets[0].hashes.clear()),
        ("two hashes", |it| it.sets[0].hashes.push([7; 32])),
        ("the hash of a part first", |it| it.sets[0].hashes.insert(0, [7; 32])),
        ("a long number of hashes", |it| it.sets[0].hash_count = Some(vec![0x81, 0x80, 0])),
        ("a huge number of hashes", |it| it.sets[0].hash_count = Some(vec![0xff, 0xff, 0xff, 0x7f])),
        ("no signature", |it| it.sets[0].signatures.clear()),
        ("a long number of signatures", |it| it.sets[0].signature_count = Some(vec![0x81, 0])),
        ("more signatures than there are", |it| it.sets[0].signature_count = Some(vec![2])),
        ("fewer signatures than there are", |it| {
            it.sets[0].signatures.extend_from_within(..1);
            it.sets[0].signature_count = Some(vec![1]);
        }),
        ("a huge number of signatures", |it| it.sets[0].signature_count = Some(vec![0xff, 0xff, 0xff, 0x7f])),
        ("bytes after the signatures", |it| it.sets[0].after = vec![0]),
        ("bytes after the set", |it| it.after = vec![0]),
        ("too many bytes after the set", |it| it.after = vec![0; MAX_SECTION_BYTES]),
        ("an unknown algorithm", |it| it.sets[0].signatures[0].algorithm = 2),
        ("the algorithm of a secret key", |it| it.sets[0].signatures[0].algorithm = 0x81),
        ("a short key id", |it| it.sets[0].signatures[0].key_id.truncate(11)),
        ("a long key id", |it| it.sets[0].signatures[0].key_id.push(0)),
        ("a short signature", |it| it.sets[0].signatures[0].bytes.truncate(63)),
        ("a long signature", |it| it.sets[0].signatures[0].bytes.push(0)),
        ("no bytes of a signature", |it| it.sets[0].signatures[0].bytes.clear()),
        ("bytes after a signature", |it| it.sets[0].signatures[0].after = vec![0]),
        ("an empty signature beside a good one", |it| {
            it.sets[0].signatures.push(Entry { key_id: vec![], algorithm: 1, bytes: vec![], after: vec![] });
        }),
    ];
    for (what, spoil) in spoils {
        let mut forged = good.clone();
        spoil(&mut forged);
        assert_eq!(code(&forged.module(content)), "module_signature", "{what}");
    }
    let long = Forged { after: vec![0; MAX_SECTION_BYTES], ..good }.module(content);
    let error = Credentials::read(&long).unwrap_err();
    assert!(error.message().contains("the limit is 4096"), "before anything of it is read: {error}");
}

#[test]
fn truncated_sections_are_rejected() {
    let unsigned = module("1.0.0");
    let data = Forged::new("ab", &unsigned[8..]).data();
    let with = |data: &[u8]| {
        let contents = [prefixed(b"signature"), data.to_vec()].concat();
        [PREAMBLE, &[0], &prefixed(&contents), &unsigned[8..]].concat()
    };
    assert_eq!(code(&with(&data)), "read");
    for end in 0..data.len() {
        assert_eq!(code(&with(&data[..end])), "module_signature", "{end} of {} bytes", data.len());
    }
}

#[test]
fn a_signature_section_must_be_the_first() {
    let unsigned = module("1.0.0");
    let content = &unsigned[8..];
    let section = Forged::new("a", content).section();
    let other = [&[0], &prefixed(&[prefixed(b"other"), b"data".to_vec()].concat())[..]].concat();
    let size = section.len() - 3;
    assert_eq!(section[..3], [&[0][..], &leb(size)].concat());
    let padded = [&[0, section[1], section[2] | 0x80, 0], &section[3..]].concat();
    let long_name = [&[0], &leb(size + 1)[..], &[0x89, 0], &section[4..]].concat();
    for (what, sections, expected) in [
        ("behind the content", vec![content, &section], "module_signature"),
        ("behind another section", vec![&other, &section, content], "module_signature"),
        ("twice in front", vec![&section, &section, content], "module_signature"),
        ("in front and at the end", vec![&section, content, &section], "module_signature"),
        ("alone and empty at the end", vec![content, b"\0\x0a\x09signature"], "module_signature"),
        ("with a long size", vec![&padded, content], "module_signature"),
        ("with a long name length", vec![&long_name, content], "module_signature"),
        ("with nothing in it", vec![b"\0\x0a\x09signature", content], "module_signature"),
        ("cut off", vec![&section[..section.len() - 1]], "module_malformed"),
        ("a section more", vec![&section, content, &other], "module_signature"),
        ("a section between", vec![&section, &other, content], "module_signature"),
        ("a byte more", vec![&section, content, b"\0"], "module_malformed"),
        ("the content gone", vec![&section], "module_signature"),
    ] {
        assert_eq!(code(&[PREAMBLE, &sections.concat()].concat()), expected, "{what}");
    }
    // With another name it is an ordinary section, and the module has no signature.
    for name in ["Signature", "signature ", "signature_delimiter", "signature\0"] {
        let renamed = Forged { name, ..Forged::new("a", content) }.module(content);
        assert!(Credentials::read(&renamed).unwrap().signatures().is_empty(), "{name}");
    }
}

#[test]
fn other_preambles_are_rejected() {
    let signed = signed_by("a", &module("1.0.0"));
    for at in 0..8 {
        for bit in 0..8 {
            let mut changed = signed.clone();
            changed[at] ^= 1 << bit;
            assert_eq!(code(&changed), "module_malformed", "byte {at}, bit {bit}");
            assert_eq!(sign(&changed, &key('b')).unwrap_err().code().as_str(), "module_malformed");
        }
    }
    for bytes in [&b""[..], b"\0asm", b"\x89PNG\r\n\x1a\n", b"(module)"] {
        assert_eq!(code(bytes), "module_malformed");
    }
}

#[test]
fn a_changed_module_is_not_signed_again() {
    let mut changed = signed_by("a", &module("1.0.0"));
    let last = changed.len() - 2;
    changed[last] ^= 1;
    let error = sign(&changed, &key('b')).unwrap_err();
    assert_eq!(error.code().as_str(), "module_signature");
}

#[test]
fn key_ids_are_those_of_wasmsign2() {
    for (seed, id) in [(1, "236c79a936837526e7b8746a"), (2, "0a4c04e8cdaae38617c52317")] {
        let key: PublicKey = SecretKey::from_seed(&[seed; 32]).public();
        assert_eq!(key.id().to_string(), id);
        assert_eq!(id.to_uppercase().parse::<KeyId>().unwrap(), key.id());
    }
    for bad in ["", "236c79a936837526e7b8746", "236c79a936837526e7b8746a00", "zz6c79a936837526e7b8746a"] {
        assert_eq!(bad.parse::<KeyId>().unwrap_err().code().as_str(), "invalid_value");
    }
}

/// The documentation shows a real section, byte for byte, and a valid policy.
#[test]
fn the_documentation_shows_a_real_section_and_a_real_policy() {
    // Read at run time, so that the tests of the packed crate compile.
    let read = |page: &str| {
        std::fs::read_to_string(format!("{}/../../docs/reference/{page}", env!("CARGO_MANIFEST_DIR")))
            .unwrap()
    };
    let text = read("abi.md");
    let lines = text[text.find("00 61 73 6d").unwrap()..].lines().take_while(|line| !line.contains("..."));
    let hex: String = lines.map(|line| line.get(..48).unwrap_or(line).replace(' ', "")).collect();
    assert_eq!([bytes(&hex), bytes(GOLDEN_CONTENT)].concat(), bytes(GOLDEN[1].0));

    let text = read("trust.md");
    let (_, after) = text.split_once("`trust.json`:\n\n```json\n").unwrap();
    let (json, _) = after.split_once("```").unwrap();
    let policy = TrustPolicy::parse(json.as_bytes()).unwrap();
    assert_eq!(install(&bytes(GOLDEN[2].0), &policy).unwrap().counted, 2);
}
