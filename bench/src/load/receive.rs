//! Many sockets that listen to one stream of events: how many arrive in which time, and what that costs the server.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{Barrier, watch};

use super::socket::LoadSocket;
use super::{cpu_seconds, percentile};

/// A stream that breaks off must not hold the benchmark.
const LIMIT: Duration = Duration::from_secs(120);

#[derive(clap::Args, Clone)]
pub(crate) struct Receive {
    /// `host:port`
    #[arg(long)]
    pub(crate) address: String,
    /// Of the socket
    #[arg(long)]
    pub(crate) path: String,
    #[arg(long)]
    pub(crate) token: Option<String>,
    #[arg(long)]
    pub(crate) clients: usize,
    /// Events that each client waits for: texts with a `"ts":` of nanoseconds in them
    #[arg(long)]
    pub(crate) events: usize,
    /// Is posted when all are connected
    #[arg(long)]
    pub(crate) trigger: String,
    /// The server's process
    #[arg(long)]
    pub(crate) process: u32,
}

/// For a program that is not ours: the figures as one line.
pub(crate) fn run(args: &Receive) -> Result<()> {
    // One thread, so that the server has the rest of the machine.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("{}", runtime.block_on(measure(args.clone()))?);
    Ok(())
}

pub(crate) async fn measure(args: Receive) -> Result<Value> {
    let connected = Arc::new(Barrier::new(args.clients + 1));
    let (begin, begun) = watch::channel(None::<Instant>);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..args.clients {
        tasks.spawn(client(args.clone(), Arc::clone(&connected), begun.clone()));
    }
    connected.wait().await;
    let (before, start) = (cpu_seconds(args.process)?, Instant::now());
    begin.send(Some(start))?;
    let trigger = tokio::spawn(post(args.clone()));
    let mut late = Vec::new();
    let all = async {
        while let Some(done) = tasks.join_next().await {
            late.extend(done??);
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(LIMIT, all).await.context("the events did not all arrive")??;
    let took = start.elapsed().as_secs_f64();
    let cpu = cpu_seconds(args.process)? - before;
    trigger.await??;
    late.sort_unstable_by(f64::total_cmp);
    let deliveries = f64::from(u32::try_from(args.clients * args.events)?);
    Ok(json!({
        "events_s": f64::from(u32::try_from(args.events)?) / took,
        "deliveries_s": deliveries / took,
        "cpu_us_per_delivery": 1e6 * cpu / deliveries,
        "p50_ms": percentile(&late, 0.5),
        "p99_ms": percentile(&late, 0.99),
    }))
}

/// Milliseconds that each event was under way.
async fn client(
    args: Receive,
    connected: Arc<Barrier>,
    mut begun: watch::Receiver<Option<Instant>>,
) -> Result<Vec<f64>> {
    let mut socket = LoadSocket::open(&args.address, &args.path, args.token.as_deref()).await?;
    connected.wait().await;
    begun.wait_for(Option::is_some).await?;
    let mut late = Vec::with_capacity(args.events);
    socket.each(&mut |text| late.extend(age_ms(text)));
    while late.len() < args.events {
        socket.read(|text| late.extend(age_ms(text))).await?;
    }
    ensure!(late.len() == args.events, "{} events came, not {}", late.len(), args.events);
    Ok(late)
}

/// How long ago it was sent, by the number of nanoseconds behind `"ts":`; nothing for what is no event.
fn age_ms(text: &[u8]) -> Option<f64> {
    let sent = Duration::from_nanos(stamp(text)?);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(1e3 * now.saturating_sub(sent).as_secs_f64())
}

fn stamp(text: &[u8]) -> Option<u64> {
    let at = text.windows(5).position(|window| window == b"\"ts\":")?;
    let digits =
        text.get(at + 5..)?.iter().skip_while(|byte| **byte == b' ').take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0_u64, |number, digit| number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))))
}

async fn post(args: Receive) -> Result<()> {
    let mut stream = TcpStream::connect(&args.address).await?;
    let signed = args.token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    let request = format!(
        "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-length: 0\r\nconnection: close\r\n{signed}\r\n",
        args.trigger, args.address
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    ensure!(answer.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&answer));
    Ok(())
}
