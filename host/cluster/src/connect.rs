//! Connects to the servers: identity, trusted certificates, and the buckets and streams that must exist.

use adjudicate_host::codes;
use std::{fmt, path::Path, time::Duration};

use adjudicate_core::Error;
use async_nats::{
    Client, ConnectOptions,
    jetstream::{self, context::ContextBuilder, kv, stream::Stream},
};

use crate::{
    address::{Addresses, Bearer},
    fault::failed,
    identity,
    layout::{self, Storage},
    notices::Notices,
    settings::ClusterSettings,
};

/// Interval of pings to a silent server. The client closes the connection after two unanswered pings when a third is due, so a
/// server that hangs is detected after 15 seconds.
const PING: Duration = Duration::from_secs(5);

/// The parts of an opened cluster.
pub(crate) struct OpenedCluster {
    pub(crate) client: Client,
    pub(crate) jetstream: jetstream::Context,
    pub(crate) slots: kv::Store,
    pub(crate) modules: jetstream::object_store::ObjectStore,
    pub(crate) records: Stream,
    pub(crate) id: String,
}

pub(crate) async fn open(
    settings: ClusterSettings,
    addresses: Addresses,
    options: ConnectOptions,
) -> Result<OpenedCluster, Error> {
    let ClusterSettings { name, replicas, patience, id: meant, .. } = settings;
    let client = options.connect(addresses.servers).await;
    let client = client.map_err(|error| failed("no NATS server can be reached", error))?;
    let jetstream = ContextBuilder::new().timeout(patience).ack_timeout(patience).build(client.clone());
    if let Some(meant) = &meant {
        identity::check(&jetstream, &name, meant).await?;
    }
    for kept in [Storage::Modules, Storage::Slots] {
        layout::open(&jetstream, &name, replicas, kept).await?;
    }
    let records = layout::open(&jetstream, &name, replicas, Storage::Records).await?;
    let slots = jetstream.get_key_value(Storage::Slots.name(&name)).await;
    let slots = slots.map_err(|error| failed("the bucket of slots cannot be opened", error))?;
    let modules = jetstream.get_object_store(Storage::Modules.name(&name)).await;
    let modules = modules.map_err(|error| failed("the store of modules cannot be opened", error))?;
    let id = identity::read_or_make(&slots).await?;
    Ok(OpenedCluster { client, jetstream, slots, modules, records, id })
}

pub(crate) fn options(
    settings: &ClusterSettings,
    addresses: &Addresses,
    notices: &Notices,
) -> Result<ConnectOptions, Error> {
    let heard = notices.clone();
    let options = ConnectOptions::new()
        .name("adjudicate")
        .connection_timeout(settings.patience)
        .request_timeout(Some(settings.patience))
        .ping_interval(PING)
        .require_tls(addresses.only_tls)
        // Otherwise the client would connect to servers that the operator did not configure.
        .ignore_discovered_servers()
        .event_callback(move |event| {
            heard.receive(&event);
            std::future::ready(())
        });
    let options = match &addresses.bearer {
        Bearer::Anonymous => options,
        Bearer::Token(token) => options.token(token.clone()),
        Bearer::User { name, password } => options.user_and_password(name.clone(), password.clone()),
    };
    let options = match &settings.authorities {
        None => options,
        Some(path) if read(path)?.contains("-----BEGIN CERTIFICATE-----") => {
            options.add_root_certificates(path.clone()).require_tls(true)
        }
        Some(path) => return Err(unreadable(path, "it has no certificate (PEM)")),
    };
    match &settings.credentials {
        None => Ok(options),
        // The error does not quote the file, because its content is secret.
        Some(path) => {
            options.credentials(&read(path)?).map_err(|_| unreadable(path, "it has no credentials"))
        }
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error).with_source(error))
}

fn unreadable(path: &Path, why: impl fmt::Display) -> Error {
    Error::new(codes::UNREADABLE_INPUT, format!("`{}` cannot be read: {why}", path.display()))
}
