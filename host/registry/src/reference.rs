//! What a module is called in a registry: `REGISTRY/REPOSITORY:TAG`, with a digest, or both.

use std::fmt;

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, codes};

/// The longest repository and the longest tag that registries take (OCI distribution specification 1.1).
const LONGEST_REPOSITORY: usize = 255;
const LONGEST_TAG: usize = 128;

/// What Docker Hub is called, and where it answers.
const HUB: &str = "docker.io";
const HUB_HOST: &str = "registry-1.docker.io";

/// A module in a registry: `REGISTRY/REPOSITORY:TAG`, with a digest, or both.
///
/// ```
/// use adjudicate_registry::Reference;
/// let reference = Reference::parse_tagged("registry.example:5000/policies/strict:1.0.0")?;
/// assert_eq!(reference.host(), "registry.example:5000");
/// assert!(Reference::parse_tagged("registry.example/policies/strict").is_err());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
///
/// The registry is always named: nothing goes to or comes from one that nobody spoke of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    registry: String,
    repository: String,
    tag: Option<String>,
    digest: Option<Digest>,
}

impl Reference {
    /// Reads a reference.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] with the form that is expected. A text that may hold a password is not repeated.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refusal = |what: &str| {
            let message = format!("`{text}`: {what}, as in `registry.example/policies/strict:1.0.0`");
            Err(Error::new(codes::WRONG_USAGE, message))
        };
        let (named, digest) = match text.split_once('@') {
            None => (text, None),
            // What stands before it may be a password, and is not repeated.
            Some((_, host)) if !host.starts_with("sha") || host.contains(['@', '/']) => {
                let message = "a reference does not say who one is: `--username` with `--password-file` does";
                return Err(Error::new(codes::WRONG_USAGE, message));
            }
            Some((named, digest)) => match digest.parse::<Digest>() {
                Ok(parsed) if parsed.to_string() == digest => (named, Some(parsed)),
                _ => return refusal("after `@` stands `sha256:` and 64 digits of a digest, in lower case"),
            },
        };
        let Some((registry, path)) = named.split_once('/') else {
            return refusal("a registry and a repository are to be named");
        };
        if !is_registry(registry) {
            return refusal("the registry is to be named first, with a dot or a port in its name");
        }
        let (repository, tag) = match path.split_once(':') {
            None => (path, None),
            Some((repository, tag)) => (repository, Some(tag)),
        };
        if !is_repository(repository) {
            return refusal("a repository is lower-case letters and digits, in parts joined by `/`");
        }
        if tag.is_some_and(|tag| !is_tag(tag)) {
            return refusal("a tag is at most 128 letters, digits, `.`, `_` and `-`");
        }
        let repository = match registry == HUB && !repository.contains('/') {
            true => format!("library/{repository}"),
            false => repository.to_owned(),
        };
        Ok(Self { registry: registry.to_owned(), repository, tag: tag.map(str::to_owned), digest })
    }

    /// As [`Reference::parse`], for what a push needs: a tag, and no digest, which is what a push answers.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`], as [`Reference::parse`].
    pub fn parse_tagged(text: &str) -> Result<Self, Error> {
        let reference = Self::parse(text)?;
        let what = match (&reference.tag, reference.digest) {
            (Some(_), None) => return Ok(reference),
            (_, Some(_)) => "a push names a tag and tells the digest, which nobody can choose",
            (None, None) => "a tag is to be named",
        };
        Err(Error::new(codes::WRONG_USAGE, format!("`{text}`: {what}")))
    }

    /// As [`Reference::parse`], for what a pull needs: a tag or a digest. There is no `latest` that nobody asked for.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`], as [`Reference::parse`].
    pub fn parse_pullable(text: &str) -> Result<Self, Error> {
        let reference = Self::parse(text)?;
        match reference.tag.is_some() || reference.digest.is_some() {
            true => Ok(reference),
            false => {
                let message = format!("`{text}`: a tag or a digest is to be named");
                Err(Error::new(codes::WRONG_USAGE, message))
            }
        }
    }

    /// Where the registry answers: a host, and a port if one is named.
    #[must_use]
    pub fn host(&self) -> &str {
        if self.registry == HUB { HUB_HOST } else { &self.registry }
    }

    /// What the registry is called in a docker config file.
    pub(crate) fn account(&self) -> &str {
        if self.registry == HUB { "https://index.docker.io/v1/" } else { &self.registry }
    }

    pub(crate) fn repository(&self) -> &str {
        &self.repository
    }

    pub(crate) const fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// What the registry is asked for: the digest if there is one, which no tag can change, else the tag.
    pub(crate) fn wanted(&self) -> String {
        self.digest.map_or_else(|| self.tag.clone().unwrap_or_default(), |digest| digest.to_string())
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.repository)?;
        self.tag.iter().try_for_each(|tag| write!(f, ":{tag}"))?;
        self.digest.iter().try_for_each(|digest| write!(f, "@{digest}"))
    }
}

/// Whether it is a host, with a port or without, that cannot be taken for the first part of a repository.
fn is_registry(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            let is_address = address.parse::<std::net::Ipv6Addr>().is_ok();
            return is_address && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port));
        }
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty() && label.bytes().all(is_inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    host.split('.').all(is_label)
        && (host.contains('.') || host == "localhost" || port.is_some())
        && port.is_none_or(is_port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}

/// Lower-case letters and digits; between them one `.`, one or two `_`, or any number of `-`.
fn is_repository(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        let ends_well = part.bytes().next().is_some_and(is_word) && part.bytes().last().is_some_and(is_word);
        let joints = part.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        ends_well
            && joints
                .into_iter()
                .all(|joint| matches!(joint, "" | "." | "_" | "__") || joint.bytes().all(|byte| byte == b'-'))
    };
    text.len() <= LONGEST_REPOSITORY && text.split('/').all(is_part)
}

fn is_tag(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=LONGEST_TAG).contains(&text.len()) && text.bytes().all(is_inner) && !text.starts_with(['.', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_module_is_read_and_written_back() {
        let digest = Digest::of(b"");
        for text in [
            "ghcr.io/acme/strict:1.0.0",
            "localhost/strict:1",
            "localhost:5000/a/b__c/d-e.f:v1_2-rc.1",
            "[::1]:5000/strict:1",
            "127.0.0.1:5000/strict",
            "docker.io/acme/strict:1",
        ] {
            assert_eq!(Reference::parse(text).unwrap().to_string(), text);
            let pinned = format!("{text}@{digest}");
            let reference = Reference::parse_pullable(&pinned).unwrap();
            assert_eq!((reference.to_string(), reference.wanted()), (pinned, digest.to_string()));
        }
        let hub = Reference::parse("docker.io/strict:1").unwrap();
        assert_eq!((hub.host(), hub.repository()), (HUB_HOST, "library/strict"));
    }

    #[test]
    fn everything_else_is_refused() {
        let long = format!("a.b/{}:1", "a".repeat(256));
        let tag = format!("a.b/c:{}", "a".repeat(129));
        for text in [
            "",
            "strict",
            "strict:1",
            "acme/strict:1",
            "oci://ghcr.io/acme/strict:1",
            "https://ghcr.io/acme/strict:1",
            "user:pass@ghcr.io/acme/strict:1",
            "ghcr.io/",
            "ghcr.io//a:1",
            "ghcr.io/A:1",
            "ghcr.io/a..b:1",
            "ghcr.io/a___b:1",
            "ghcr.io/-a:1",
            "ghcr.io/a/../b:1",
            "ghcr.io/a:",
            "ghcr.io/a:.1",
            "ghcr.io/a:1/2",
            "ghcr.io/a:1?x=y",
            "ghcr.io/a:1#x",
            "ghcr.io:0/a:1",
            "ghcr.io:65536/a:1",
            "ghcr.io:+1/a:1",
            "-a.b/c:1",
            "a..b/c:1",
            "[::1/a:1",
            "[nobody]/a:1",
            "ghcr.io/a@sha256:00",
            "ghcr.io/a@sha512:00",
            &format!("ghcr.io/a@{}", Digest::of(b"").to_string().to_uppercase()),
            &long,
            &tag,
        ] {
            let error = Reference::parse(text).unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{text}");
        }
        assert!(Reference::parse_tagged("ghcr.io/a").is_err());
        assert!(Reference::parse_tagged(&format!("ghcr.io/a:1@{}", Digest::of(b""))).is_err());
        assert!(Reference::parse_pullable("ghcr.io/a").is_err());
    }
    #[test]
    fn a_password_in_a_reference_is_not_repeated() {
        for text in [
            "user:hunter2@ghcr.io/acme/strict:1",
            "https://user:hunter2@ghcr.io/acme/strict:1",
            "user:hunter2@sha.example/acme/strict:1",
            "user:hunter2@sha256:x@ghcr.io/acme/strict:1",
            "user:p@hunter2@ghcr.io/acme/strict",
        ] {
            let error = Reference::parse(text).unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{text}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        let error = Reference::parse("ghcr.io/a@sha256:00").unwrap_err();
        assert!(error.message().contains("64 digits"), "{error}");
    }
}
