//! A proxy to a nats-server that delays data to the server, and none from it.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

/// The delay of data to the server.
const WAY: Duration = Duration::from_millis(5);

/// Returns the address of the proxy. Its threads end with the process.
pub(crate) fn delayed(port: u16) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for near in listener.incoming().map_while(Result::ok) {
            let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { return };
            let (from, to) = (near.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || pass(from, to, WAY));
            thread::spawn(move || pass(server, near, Duration::ZERO));
        }
    });
    url
}

fn pass(mut from: TcpStream, mut to: TcpStream, way: Duration) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count) = from.read(&mut bytes) {
        thread::sleep(way);
        if count == 0 || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    // The reader sees the end of the stream.
    let _ = to.shutdown(std::net::Shutdown::Write);
}
