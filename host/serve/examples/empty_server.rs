//! The server around nothing, to measure what the server itself costs: `empty` is the same server with a handler that does
//! nothing, `bare` is axum alone with one POST handler, as its documentation starts it.
//!
//! ```text
//! cargo run --release -p adjudicate-serve --example empty_server -- empty 127.0.0.1:8421
//! wrk -c 32 -t 1 -d 10s -s post.lua http://127.0.0.1:8421/v1/evaluate
//! ```

use std::net::SocketAddr;

use adjudicate_core::{Error, Operation};
use adjudicate_serve::{CallHandler, Native, Server, ServerSettings, codes};
use axum::{Router, body::Bytes, routing::post};

/// Answers the same to everything, without reading it.
struct Nothing;

impl CallHandler for Nothing {
    fn answer(&self, _: Operation, _: &[u8]) -> Result<String, Error> {
        Ok("{}".to_owned())
    }
}

fn main() -> Result<(), Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::new(codes::WRONG_USAGE, error.to_string());
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap_or_default();
    let listen: SocketAddr = args.next().unwrap_or_default().parse().map_err(|error| wrong(&error))?;
    let settings = ServerSettings { listen, ..ServerSettings::default() };
    let server = match what.as_str() {
        "bare" => return bare(listen).map_err(|error| wrong(&error)),
        "empty" => Server::start(settings, Nothing, None)?,
        _ => Server::start(settings, Native::default(), None)?,
    };
    server.wait(server.signals()?, |_| {});
    server.drain();
    Ok(())
}

fn bare(listen: SocketAddr) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(listen).await?;
        let router = Router::new().route("/v1/evaluate", post(|_: Bytes| async { "{}" }));
        axum::serve(listener, router).await
    })
}
