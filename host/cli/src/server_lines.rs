//! The lines that `serve` prints on standard error when it begins and ends.

use adjudicate_core::document::Describe;
use serde::Serialize;

use crate::sharing::ClusterReport;

/// The line that reports that the server listens.
#[derive(Describe, Serialize)]
pub(crate) struct ListeningLine<'a> {
    /// The address and the port.
    pub(crate) listening: String,
    /// The Unix socket, if the server has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) socket: Option<String>,
    /// True if the connections are encrypted.
    pub(crate) tls: bool,
    /// The folder of the store; null with `--no-store`.
    pub(crate) store: Option<String>,
    /// The number of tokens in the store, valid or not.
    pub(crate) tokens: usize,
    /// The cluster, if the host is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cluster: Option<&'a ClusterReport>,
}

/// The line that reports that the server ended.
#[derive(Describe, Serialize)]
pub(crate) struct EndedLine {
    /// Always true.
    #[document(schema = r#"{"const": true}"#)]
    pub(crate) ended: bool,
    /// The number of connections that were cut off.
    pub(crate) connections_cut: usize,
    /// `false` if lines of the log are missing.
    #[document(schema = r#"{"const": false}"#)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) log_written: Option<bool>,
    /// The number of messages of the cluster that were cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) messages_cut: Option<usize>,
    /// True if the cluster has all records of this host. The host sends the others when it serves again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) records_forwarded: Option<bool>,
}
