//! One repository of a registry: fetches and pushes manifests and blobs (OCI distribution specification 1.1).

use adjudicate_core::{Error, json};
use adjudicate_trust::{Digest, codes, counted};
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

/// The limit for the body of a refusal.
const REFUSAL_BYTES: usize = 64 << 10;

/// The accepted media types of a manifest. Those of other artifacts are included, so that an error can name them.
const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json";

/// The header with the digest of a manifest.
const DIGEST: &str = "docker-content-digest";

/// A repository and the credentials for it.
pub(crate) struct Registry {
    transport: Transport,
    repository: String,
    credentials: Credentials,
    /// The authorization, after the registry asked for it.
    authorization: Option<HeaderValue>,
}

impl Registry {
    pub(crate) fn new(transport: Transport, reference: &Reference, credentials: Credentials) -> Self {
        Self { transport, repository: reference.repository().to_owned(), credentials, authorization: None }
    }

    /// Fetches the manifest that a reference names. Returns it with its digest.
    pub(crate) async fn manifest(&mut self, reference: &Reference) -> Result<(Vec<u8>, Digest), Error> {
        let what = format!("the manifest of `{reference}`");
        let url = self.url(&format!("manifests/{}", reference.manifest_reference()))?;
        let request = Request::new(Method::GET, url).with_header("accept", ACCEPTED);
        let response = self.expect(&request, &what, StatusCode::OK).await?;
        let media_type = header(&response, CONTENT_TYPE.as_str());
        let declared = header(&response, DIGEST);
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
        let digest = Digest::sha256(&body);
        if let Some(expected) = reference.digest().filter(|expected| *expected != digest) {
            return Err(self.other_digest(&what, digest, &expected.to_string()));
        }
        if declared.starts_with("sha256:") && declared != digest.to_string() {
            return Err(self.other_digest(&what, digest, &short(&declared)));
        }
        Ok((body, digest))
    }

    /// Asks the registry for the digest that a tag names now. Returns `None` for a new tag.
    pub(crate) async fn tagged(&mut self, reference: &Reference) -> Result<Option<String>, Error> {
        let url = self.url(&format!("manifests/{}", reference.manifest_reference()))?;
        let request = Request::new(Method::HEAD, url).with_header("accept", ACCEPTED);
        let response = self.send_authorized(&request).await?;
        match response.status() {
            StatusCode::OK => Ok(Some(short(&header(&response, DIGEST))).filter(|digest| !digest.is_empty())),
            StatusCode::NOT_FOUND => Ok(None),
            _ => Err(self.refusal(response, &format!("`{reference}`")).await),
        }
    }

    /// Fetches a blob, and checks it against its descriptor.
    pub(crate) async fn blob(&mut self, descriptor: Descriptor, what: &str) -> Result<Vec<u8>, Error> {
        let url = self.url(&format!("blobs/{}", descriptor.digest))?;
        let response = self.expect(&Request::new(Method::GET, url), what, StatusCode::OK).await?;
        let body = self.transport.read(response, descriptor.bytes).await?;
        let wrong_size = |found: &str| {
            let message = format!("{what}: expected {}, found {found}", counted(descriptor.bytes, "byte"));
            self.transport.direction.fault(message)
        };
        let body = body.ok_or_else(|| wrong_size("more"))?;
        if body.len() != descriptor.bytes {
            return Err(wrong_size(&body.len().to_string()));
        }
        match Digest::sha256(&body) {
            digest if digest == descriptor.digest => Ok(body),
            digest => Err(self.other_digest(what, digest, &descriptor.digest.to_string())),
        }
    }

    /// Pushes a blob, unless the repository has it.
    pub(crate) async fn push_blob(&mut self, bytes: &[u8], what: &str) -> Result<(), Error> {
        let digest = Digest::sha256(bytes);
        let url = self.url(&format!("blobs/{digest}"))?;
        let existing = self.send_authorized(&Request::new(Method::HEAD, url)).await?;
        match existing.status() {
            StatusCode::OK => return Ok(()),
            StatusCode::NOT_FOUND => {}
            _ => return Err(self.refusal(existing, what).await),
        }
        let begin = Request::new(Method::POST, self.url("blobs/uploads/")?);
        let begun = self.expect(&begin, what, StatusCode::ACCEPTED).await?;
        let mut url = self.transport.target(&begun)?;
        url.query_pairs_mut().append_pair("digest", &digest.to_string());
        let request = Request::new(Method::PUT, url).with_header("content-type", "application/octet-stream");
        self.expect(&request.with_body(bytes.to_vec()), what, StatusCode::CREATED).await.map(drop)
    }

    /// Pushes a manifest under a tag. An existing tag moves.
    pub(crate) async fn push_manifest(&mut self, reference: &Reference, bytes: &[u8]) -> Result<(), Error> {
        let what = format!("the manifest of `{reference}`");
        let url = self.url(&format!("manifests/{}", reference.manifest_reference()))?;
        let request = Request::new(Method::PUT, url).with_header("content-type", MANIFEST_TYPE);
        let response = self.expect(&request.with_body(bytes.to_vec()), &what, StatusCode::CREATED).await?;
        let (declared, digest) = (header(&response, DIGEST), Digest::sha256(bytes));
        if declared.starts_with("sha256:") && declared != digest.to_string() {
            return Err(self.other_digest(&what, digest, &short(&declared)));
        }
        Ok(())
    }

    fn url(&self, path: &str) -> Result<Url, Error> {
        self.transport.url(&format!("v2/{}/{path}", self.repository))
    }

    /// Sends a request. If the registry asks for authorization, sends the request again with it.
    async fn send_authorized(&mut self, request: &Request) -> Result<Response, Error> {
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

    /// Sends a request, and checks the status of the answer.
    async fn expect(&mut self, request: &Request, what: &str, status: StatusCode) -> Result<Response, Error> {
        let response = self.send_authorized(request).await?;
        match response.status() == status {
            true => Ok(response),
            false => Err(self.refusal(response, what).await),
        }
    }

    /// Returns the error for a refusal, with the reason that the registry gives.
    async fn refusal(&self, response: Response, what: &str) -> Error {
        let status = response.status();
        let body = self.transport.read(response, REFUSAL_BYTES).await.ok().flatten().unwrap_or_default();
        let why = reason(&body).unwrap_or_default();
        self.transport.refusal(status, what, &short(&self.without_secrets(&why)))
    }

    /// Returns a text of the registry without the credentials, which it may repeat.
    fn without_secrets(&self, text: &str) -> String {
        let sent = self.authorization.as_ref().and_then(|value| value.to_str().ok());
        let sent = sent.and_then(|value| value.split_once(' ')).map(|(_, secret)| secret);
        let secrets = self.credentials.secrets().into_iter().chain(sent).filter(|secret| !secret.is_empty());
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    fn other_digest(&self, what: &str, found: Digest, expected: &str) -> Error {
        self.transport.direction.fault(format!("{what}: expected the digest {expected}, found {found}"))
    }
}

/// Returns the value of a header; empty if it is missing or not text.
fn header(response: &Response, name: &str) -> String {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Returns the message of the first error in a refusal, or its code.
fn reason(body: &[u8]) -> Option<String> {
    let tape = json::read(body, json::ReadLimits::DOCUMENT).ok()?;
    let first = tape.root().member("errors")?.items().next()?;
    let text = |name| first.member(name)?.as_str().filter(|text| !text.is_empty());
    text("message").or_else(|| text("code")).map(str::to_owned)
}
