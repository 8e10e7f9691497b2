//! The same request again and again on connections that stay open.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Requests that were answered with 200 per second, over `connections` at once for `time`.
pub(crate) async fn rate(address: &str, request: &str, connections: usize, time: Duration) -> Result<f64> {
    let mut tasks = tokio::task::JoinSet::new();
    let start = Instant::now();
    for _ in 0..connections {
        tasks.spawn(ask(address.to_owned(), request.to_owned(), start + time));
    }
    let mut answered = 0_u32;
    while let Some(done) = tasks.join_next().await {
        answered += done??;
    }
    Ok(f64::from(answered) / start.elapsed().as_secs_f64())
}

async fn ask(address: String, request: String, end: Instant) -> Result<u32> {
    let mut stream = TcpStream::connect(&address).await?;
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(64 * 1024);
    let mut answered = 0;
    while Instant::now() < end {
        stream.write_all(request.as_bytes()).await?;
        read_answer(&mut stream, &mut buffer).await?;
        answered += 1;
    }
    Ok(answered)
}

async fn read_answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.clear();
    let mut whole = None;
    while whole.is_none_or(|whole| buffer.len() < whole) {
        ensure!(stream.read_buf(buffer).await? > 0, "the server hung up");
        if whole.is_none()
            && let Some(head) = buffer.windows(4).position(|window| window == b"\r\n\r\n")
        {
            let text = String::from_utf8_lossy(buffer.get(..head).unwrap_or_default()).to_ascii_lowercase();
            ensure!(text.starts_with("http/1.1 200"), "{text}");
            let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|length| length.trim().parse().ok()).context("no length")?;
            whole = Some(head + 4 + length);
        }
    }
    Ok(())
}
