//! One repository of a registry: manifests and blobs, fetched and left there (OCI distribution specification 1.1).

use adjudicate_core::{Error, json};
use adjudicate_sandbox::{Digest, codes, counted};
use reqwest::{
    Method, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderValue},
};

use crate::{
    authorization::authorize,
    credentials::Credentials,
    layout::{DOCUMENT_BYTES, Descriptor, MANIFEST_TYPE, short},
    reference::Reference,
    transport::{Request, Transport},
};

/// How much of a refusal is read.
const REFUSAL_BYTES: usize = 64 << 10;

/// What is asked for where a manifest is: those of other artifacts, too, so that it can be said what was found.
const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json";

/// By which a registry says what a manifest's digest is.
const DIGEST: &str = "docker-content-digest";

/// A repository, and who the command is there.
pub(crate) struct Registry {
    transport: Transport,
    repository: String,
    credentials: Credentials,
    /// What the registry wanted to see, once it was asked for.
    authorization: Option<HeaderValue>,
}

impl Registry {
    pub(crate) fn new(transport: Transport, reference: &Reference, credentials: Credentials) -> Self {
        Self { transport, repository: reference.repository().to_owned(), credentials, authorization: None }
    }

    /// The manifest that a reference names, and its digest.
    pub(crate) async fn manifest(&mut self, reference: &Reference) -> Result<(Vec<u8>, Digest), Error> {
        let what = format!("the manifest of `{reference}`");
        let url = self.url(&format!("manifests/{}", reference.wanted()))?;
        let request = Request::new(Method::GET, url).with("accept", ACCEPTED);
        let response = self.expect(&request, &what, StatusCode::OK).await?;
        let media_type = header(&response, CONTENT_TYPE.as_str());
        let said = header(&response, DIGEST);
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if media_type != MANIFEST_TYPE {
            let message = format!("{what}: expected `{MANIFEST_TYPE}`, found `{}`", short(&media_type));
            return Err(Error::new(codes::INVALID_VALUE, message));
        }
        let body = self.transport.read(response, DOCUMENT_BYTES).await?;
        let body = body.ok_or_else(|| {
            let message = format!("{what} is over the limit of {DOCUMENT_BYTES} bytes");
            Error::new(codes::LIMIT_EXCEEDED, message)
        })?;
        let digest = Digest::of(&body);
        if let Some(expected) = reference.digest().filter(|expected| *expected != digest) {
            return Err(self.other_digest(&what, digest, &expected.to_string()));
        }
        if said.starts_with("sha256:") && said != digest.to_string() {
            return Err(self.other_digest(&what, digest, &short(&said)));
        }
        Ok((body, digest))
    }

    /// The digest of what a tag names now, as far as the registry tells; `None` if it names nothing.
    pub(crate) async fn tagged(&mut self, reference: &Reference) -> Result<Option<String>, Error> {
        let url = self.url(&format!("manifests/{}", reference.wanted()))?;
        let request = Request::new(Method::HEAD, url).with("accept", ACCEPTED);
        let response = self.ask(&request).await?;
        match response.status() {
            StatusCode::OK => Ok(Some(short(&header(&response, DIGEST))).filter(|digest| !digest.is_empty())),
            StatusCode::NOT_FOUND => Ok(None),
            _ => Err(self.refusal(response, &format!("`{reference}`")).await),
        }
    }

    /// The bytes of a blob, which are what its descriptor says or none.
    pub(crate) async fn blob(&mut self, descriptor: Descriptor, what: &str) -> Result<Vec<u8>, Error> {
        let url = self.url(&format!("blobs/{}", descriptor.digest))?;
        let response = self.expect(&Request::new(Method::GET, url), what, StatusCode::OK).await?;
        let body = self.transport.read(response, descriptor.bytes).await?;
        let wrong_size = |found: &str| {
            let message = format!("{what}: expected {}, found {found}", counted(descriptor.bytes, "byte"));
            self.transport.aim.fault(message)
        };
        let body = body.ok_or_else(|| wrong_size("more"))?;
        if body.len() != descriptor.bytes {
            return Err(wrong_size(&body.len().to_string()));
        }
        match Digest::of(&body) {
            digest if digest == descriptor.digest => Ok(body),
            digest => Err(self.other_digest(what, digest, &descriptor.digest.to_string())),
        }
    }

    /// Leaves a blob in the repository, unless it is there.
    pub(crate) async fn leave_blob(&mut self, bytes: &[u8], what: &str) -> Result<(), Error> {
        let digest = Digest::of(bytes);
        let url = self.url(&format!("blobs/{digest}"))?;
        let there = self.ask(&Request::new(Method::HEAD, url)).await?;
        match there.status() {
            StatusCode::OK => return Ok(()),
            StatusCode::NOT_FOUND => {}
            _ => return Err(self.refusal(there, what).await),
        }
        let begin = Request::new(Method::POST, self.url("blobs/uploads/")?);
        let begun = self.expect(&begin, what, StatusCode::ACCEPTED).await?;
        let mut url = self.transport.target(&begun)?;
        url.query_pairs_mut().append_pair("digest", &digest.to_string());
        let request = Request::new(Method::PUT, url).with("content-type", "application/octet-stream");
        self.expect(&request.carrying(bytes.to_vec()), what, StatusCode::CREATED).await.map(drop)
    }

    /// Leaves a manifest under a tag, in place of what the tag names.
    pub(crate) async fn leave_manifest(&mut self, reference: &Reference, bytes: &[u8]) -> Result<(), Error> {
        let what = format!("the manifest of `{reference}`");
        let url = self.url(&format!("manifests/{}", reference.wanted()))?;
        let request = Request::new(Method::PUT, url).with("content-type", MANIFEST_TYPE);
        let response = self.expect(&request.carrying(bytes.to_vec()), &what, StatusCode::CREATED).await?;
        let (said, digest) = (header(&response, DIGEST), Digest::of(bytes));
        if said.starts_with("sha256:") && said != digest.to_string() {
            return Err(self.other_digest(&what, digest, &short(&said)));
        }
        Ok(())
    }

    fn url(&self, path: &str) -> Result<Url, Error> {
        self.transport.url(&format!("v2/{}/{path}", self.repository))
    }

    /// Asks, and once more with what the registry wanted to see.
    async fn ask(&mut self, request: &Request) -> Result<Response, Error> {
        let response = self.transport.send(request, self.authorization.as_ref()).await?;
        let is_ours = self.transport.is_own(response.url());
        if response.status() != StatusCode::UNAUTHORIZED || !is_ours {
            return Ok(response);
        }
        let fresh = authorize(&self.transport, &response, &self.repository, &self.credentials).await?;
        let response = self.transport.send(request, Some(&fresh)).await?;
        self.authorization = Some(fresh);
        Ok(response)
    }

    /// Asks for what is answered so.
    async fn expect(&mut self, request: &Request, what: &str, status: StatusCode) -> Result<Response, Error> {
        let response = self.ask(request).await?;
        match response.status() == status {
            true => Ok(response),
            false => Err(self.refusal(response, what).await),
        }
    }

    /// The error for an answer that is none, with what the registry says about it.
    async fn refusal(&self, response: Response, what: &str) -> Error {
        let status = response.status();
        let body = self.transport.read(response, REFUSAL_BYTES).await.ok().flatten().unwrap_or_default();
        let why = reason(&body).unwrap_or_default();
        self.transport.refusal(status, what, &short(&self.without_secrets(&why)))
    }

    /// The text, which may repeat what it was sent, without that.
    fn without_secrets(&self, text: &str) -> String {
        let sent = self.authorization.as_ref().and_then(|value| value.to_str().ok());
        let sent = sent.and_then(|value| value.split_once(' ')).map(|(_, secret)| secret);
        let secrets = self.credentials.secrets().into_iter().chain(sent).filter(|secret| !secret.is_empty());
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    fn other_digest(&self, what: &str, found: Digest, expected: &str) -> Error {
        self.transport.aim.fault(format!("{what}: the digest is {found}, and not {expected}"))
    }
}

/// A member of a head; empty if it is not there, or not text.
fn header(response: &Response, name: &str) -> String {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// What a refusal says: the message of its first error, or the code of it.
fn reason(body: &[u8]) -> Option<String> {
    let tape = json::read(body, json::Limits::DOCUMENT).ok()?;
    let first = tape.root().member("errors")?.items().next()?;
    let text = |name| first.member(name)?.as_str().filter(|text| !text.is_empty());
    text("message").or_else(|| text("code")).map(str::to_owned)
}
