//! A WebSocket that only listens. Handshake and frames by hand: a library would cost more than what is measured.

use anyhow::{Result, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub(crate) struct LoadSocket {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Where the next frame begins.
    begin: usize,
}

impl LoadSocket {
    pub(crate) async fn open(address: &str, path: &str, token: Option<&str>) -> Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let signed = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{signed}\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        let mut buffer = Vec::new();
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            ensure!(stream.read_buf(&mut buffer).await? > 0, "closed in the handshake");
        };
        ensure!(buffer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&buffer));
        Ok(Self { stream, buffer, begin: end })
    }

    /// Waits until there is something to read, and hands every whole text in it to `see`.
    pub(crate) async fn read(&mut self, mut see: impl FnMut(&[u8])) -> Result<()> {
        ensure!(self.stream.read_buf(&mut self.buffer).await? > 0, "the server hung up");
        self.each(&mut see);
        Ok(())
    }

    /// What came with the handshake already.
    pub(crate) fn each(&mut self, see: &mut impl FnMut(&[u8])) {
        while let Some((is_text, start, end)) = self.buffer.get(self.begin..).and_then(frame) {
            let (start, end) = (self.begin + start, self.begin + end);
            if let Some(text) = self.buffer.get(start..end).filter(|_| is_text) {
                see(text);
            }
            self.begin = end;
        }
        self.buffer.drain(..self.begin);
        self.begin = 0;
    }
}

/// Whether the first frame is a text, and where its content begins and ends; `None` while it is not whole.
fn frame(bytes: &[u8]) -> Option<(bool, usize, usize)> {
    let (first, second) = (bytes.first()?, bytes.get(1)? & 127);
    let (length, start) = match second {
        126 => (u64::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
        127 => (u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?), 10),
        short => (u64::from(short), 2),
    };
    let end = start + usize::try_from(length).ok()?;
    (bytes.len() >= end).then_some((first & 15 == 1, start, end))
}

#[cfg(test)]
mod tests {
    use super::frame;

    #[test]
    fn a_frame_is_taken_when_it_is_whole() {
        assert_eq!(frame(&[0x81, 2, b'h', b'i']), Some((true, 2, 4)));
        assert_eq!(frame(&[0x81, 2, b'h']), None);
        assert_eq!(frame(&[0x89, 0]), Some((false, 2, 2)));
        let long: Vec<u8> = [0x81, 126, 1, 0].into_iter().chain([b'x'; 256]).collect();
        assert_eq!(frame(&long), Some((true, 4, 260)));
        assert_eq!(frame(&[0x81]), None);
    }
}
