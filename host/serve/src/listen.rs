//! The listening socket: accepts connections up to the limit, a few more for questions about health, and answers the others with 503.

use std::{sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

use crate::{connection::Connections, phase::Phase};

/// The connections beyond the limit, on which the server answers about its health alone.
const RESERVE: usize = 8;

/// Accepts connections up to the limit.
pub(crate) async fn listen(listener: TcpListener, shared: Connections, permits: Arc<Semaphore>) {
    let mut phase = shared.phase.clone();
    let most = permits.available_permits();
    let rejections = Arc::new(Semaphore::new(64));
    let reserve = Arc::new(Semaphore::new(RESERVE));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = phase.wait_for(|phase| *phase >= Phase::Closing) => return,
        };
        let (socket, from) = match accepted {
            Ok(accepted) => accepted,
            // Most likely no file descriptors are left; wait for other connections to end.
            Err(_) => {
                shared.app.observers.metrics.shed("accept");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let permit = Arc::clone(&permits).try_acquire_owned();
        let is_beyond = permit.is_err();
        let Ok(permit) = permit.or_else(|_| Arc::clone(&reserve).try_acquire_owned()) else {
            shared.app.observers.metrics.shed("connection");
            // With TLS, a reply would need a handshake, which costs more than the connection is worth.
            if shared.tls.is_none() {
                reject(socket, &rejections);
            }
            continue;
        };
        let shared = Connections { is_beyond, ..shared.clone() };
        let all = Arc::clone(&permits);
        tokio::spawn(async move {
            let _place = permit;
            let gauge = shared.app.observers.metrics.connections.clone();
            gauge.inc();
            shared.run(socket, from, || all.available_permits() <= most / 4).await;
            gauge.dec();
        });
    }
}

/// Answers 503. A few connections at once get this answer, each for a short time; the others are closed.
fn reject(mut socket: TcpStream, rejections: &Arc<Semaphore>) {
    const REPLY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-type: application/json\r\n\
        content-length: 97\r\nconnection: close\r\n\r\n\
        {\"error\":{\"code\":\"host_overloaded\",\"message\":\"too many connections; try again later\",\"path\":\"\"}}\n";
    let Ok(rejection) = Arc::clone(rejections).try_acquire_owned() else { return };
    tokio::spawn(async move {
        let _goodbye = rejection;
        let send = async {
            socket.write_all(REPLY).await?;
            socket.shutdown().await?;
            // If the connection were closed with unread bytes, it would be reset and the reply lost.
            let mut ignored = [0; 1024];
            while socket.read(&mut ignored).await? > 0 {}
            std::io::Result::Ok(())
        };
        let _ = timeout(Duration::from_millis(200), send).await;
    });
}
