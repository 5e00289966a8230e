//! Authorization and TLS of a real registry.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;

use super::{
    module,
    registry::{Registry, RegistryOptions},
};
use crate::command::TestFolder;

/// `ci` with the password `correct horse`, as bcrypt has it.
const PASSWORDS: &str = "ci:$2y$04$Gcdgo50VqZScsZCACP1sXuO.IB6uxrIjTci86mdEuWG8idgoQVGue\n";

#[test]
fn a_password_is_asked_for() {
    let (place, registry) = (
        TestFolder::new(),
        Registry::start(RegistryOptions { passwords: Some(PASSWORDS), ..RegistryOptions::default() }),
    );
    let reference = registry.reference("acme/gate:1");
    let module = module("1.0.0", 1 << 20);
    place.file("gate.wasm", &module);
    place.file("password", "correct horse\n");
    place.file("wrong", "correct donkey\n");
    let push = ["push", "gate.wasm", &reference, "--plain-http"];
    let by = |file| [push.as_slice(), &["--username", "ci", "--password-file", file]].concat();
    assert_eq!(place.process(&push).code(), "unauthorized");
    assert_eq!(place.process(&by("wrong")).code(), "unauthorized");
    place.process(&by("password")).json();

    let pull = ["pull", &reference, "--plain-http", "-o", "pulled.wasm"];
    assert_eq!(place.process(&pull).code(), "unauthorized");
    // `ci:correct horse` in base64, where docker keeps it.
    let config = json!({"auths": {registry.reference("").trim_end_matches('/'): {"auth": "Y2k6Y29ycmVjdCBob3JzZQ=="}}});
    std::fs::create_dir(place.path("docker")).unwrap();
    place.file("docker/config.json", config.to_string());
    let mut command = place.command(&pull);
    assert!(command.env("DOCKER_CONFIG", place.path("docker")).output().unwrap().status.success());
    assert!(std::fs::read(place.path("pulled.wasm")).unwrap() == module);
}

#[test]
fn a_certificate_needs_a_trusted_authority() {
    let authority = |name: &str| {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        (params.self_signed(&key).unwrap().pem(), Issuer::new(params, key))
    };
    let ((own, issuer), (other, _)) = (authority("own"), authority("other"));
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let tls = Some((certificate.pem(), key.serialize_pem()));
    let tls = tls.as_ref().map(|(certificate, key)| (certificate.as_str(), key.as_str()));
    let (place, registry) =
        (TestFolder::new(), Registry::start(RegistryOptions { tls, ..RegistryOptions::default() }));
    let named = |host: &str| format!("{host}:{}/acme/gate:1", registry.port());
    let module = module("1.0.0", 1 << 20);
    place.file("gate.wasm", &module);
    place.file("own.pem", own);
    place.file("other.pem", other);

    place.process(&["push", "gate.wasm", &named("localhost"), "--ca", "own.pem"]).json();
    place.process(&["pull", &named("localhost"), "--ca", "own.pem", "-o", "pulled.wasm"]).json();
    assert!(std::fs::read(place.path("pulled.wasm")).unwrap() == module);

    // As an authority that the machine trusts.
    let mut command = place.command(&["pull", &named("localhost"), "-o", "again.wasm"]);
    assert!(command.env("SSL_CERT_FILE", place.path("own.pem")).output().unwrap().status.success());
    assert!(std::fs::read(place.path("again.wasm")).unwrap() == module);

    let pull = |host: &str, more: &[&str]| {
        place.process(&[&["pull", &named(host), "-o", "x.wasm"], more].concat()).code()
    };
    assert_eq!(pull("localhost", &["--ca", "other.pem"]), "unreadable_input");
    // The authorities of the machine do not vouch for it, and it is not of that name.
    assert_eq!(pull("localhost", &[]), "unreadable_input");
    assert_eq!(pull("127.0.0.1", &["--ca", "own.pem"]), "unreadable_input");
    // It says 400 to who does not speak TLS.
    assert_eq!(pull("localhost", &["--plain-http"]), "unreadable_input");
    assert_eq!(pull("localhost", &["--ca", "gate.wasm"]), "unreadable_input");
    assert_eq!(pull("localhost", &["--ca", "none.pem"]), "unreadable_input");
    assert!(!place.path("x.wasm").exists());
}
