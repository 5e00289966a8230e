//! The socket that connections come to: each is let in where there is a place for it, and told so where there is none.

use std::{sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

use crate::{connection::Connections, phase::Phase};

/// Lets connections in, while there is room.
pub(crate) async fn listen(listener: TcpListener, shared: Connections, places: Arc<Semaphore>) {
    let mut phase = shared.phase.clone();
    let most = places.available_permits();
    let goodbyes = Arc::new(Semaphore::new(64));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = phase.wait_for(|phase| *phase >= Phase::Closing) => return,
        };
        let (socket, from) = match accepted {
            Ok(accepted) => accepted,
            // Out of descriptors, most likely: others will end.
            Err(_) => {
                shared.app.observers.metrics.shed("accept");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            shared.app.observers.metrics.shed("connection");
            // Over TLS there is nothing to say before the handshake, which is what costs.
            if shared.tls.is_none() {
                turn_away(socket, &goodbyes);
            }
            continue;
        };
        let shared = shared.clone();
        let all = Arc::clone(&places);
        tokio::spawn(async move {
            let _place = place;
            let gauge = shared.app.observers.metrics.connections.clone();
            gauge.inc();
            shared.speak(socket, from, || all.available_permits() < most / 4).await;
            gauge.dec();
        });
    }
}

/// Says that there is no room, as long as that costs next to nothing: a few at once, each for a moment. The others find the
/// connection closed.
fn turn_away(mut socket: TcpStream, goodbyes: &Arc<Semaphore>) {
    const REPLY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-type: application/json\r\n\
        content-length: 90\r\nconnection: close\r\n\r\n\
        {\"error\":{\"code\":\"host_overloaded\",\"message\":\"there are too many connections\",\"path\":\"\"}}\n";
    let Ok(goodbye) = Arc::clone(goodbyes).try_acquire_owned() else { return };
    tokio::spawn(async move {
        let _goodbye = goodbye;
        let say = async {
            socket.write_all(REPLY).await?;
            socket.shutdown().await?;
            // Closed with bytes of the request unread, the connection would be reset, and the reply lost.
            let mut ignored = [0; 1024];
            while socket.read(&mut ignored).await? > 0 {}
            std::io::Result::Ok(())
        };
        let _ = timeout(Duration::from_millis(200), say).await;
    });
}
