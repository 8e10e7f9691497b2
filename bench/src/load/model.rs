//! A model that streams a word every few milliseconds, in a process of its own, and says when each answer had ended.

use std::io::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// In the prompt of a request, before its number.
pub(crate) const MARK: &str = "answer-";
/// Digits of a number.
pub(crate) const DIGITS: usize = 6;

#[derive(clap::Args, Clone, Copy)]
pub(crate) struct StreamingModel {
    /// Words of an answer
    #[arg(long)]
    words: u32,
    /// Milliseconds between two of them
    #[arg(long)]
    pause_ms: u64,
}

/// Prints its port, then for each answer that has ended a line: its number, and nanoseconds since 1970.
pub(crate) fn run(args: StreamingModel) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(async move {
                if let Err(error) = answer(stream, args).await {
                    eprintln!("an answer was cut short: {error:#}");
                }
            });
        }
    })
}

async fn answer(mut stream: TcpStream, args: StreamingModel) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut request = Vec::new();
    let number = loop {
        anyhow::ensure!(stream.read_buf(&mut request).await? > 0, "no request");
        if let Some(number) = number_in(&request) {
            break number;
        }
    };
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        .await?;
    let mut ticks = tokio::time::interval(Duration::from_millis(args.pause_ms));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for _ in 0..args.words {
        ticks.tick().await;
        stream
            .write_all(piece("\"delta\":{\"content\":\"word \"},\"finish_reason\":null").as_bytes())
            .await?;
    }
    let end = piece("\"delta\":{},\"finish_reason\":\"stop\"") + "data: [DONE]\n\n";
    stream.write_all(end.as_bytes()).await?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    writeln!(std::io::stdout(), "{number} {}", now.as_nanos())?;
    Ok(())
}

fn piece(choice: &str) -> String {
    format!(
        "data: {{\"id\":\"a\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"words\",\
         \"choices\":[{{\"index\":0,{choice}}}]}}\n\n"
    )
}

/// The number of the first mark. The rest of the request does not matter.
fn number_in(request: &[u8]) -> Option<u32> {
    let begin = request.windows(MARK.len()).position(|window| window == MARK.as_bytes())? + MARK.len();
    std::str::from_utf8(request.get(begin..begin + DIGITS)?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_request_is_found_when_it_is_whole() {
        assert_eq!(number_in(b"POST / {\"content\":\"answer-000042\"}"), Some(42));
        assert_eq!(number_in(b"answer-0000"), None);
        assert_eq!(number_in(b"nothing"), None);
    }
}
