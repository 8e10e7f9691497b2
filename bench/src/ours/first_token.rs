//! From the question to the first piece of text: through our agent, and by a bare client that reads the same answer to
//! the same request from the same server. Ours writes the question down, durably, before it asks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_agents::live::Live;
use amelia_agents::pipeline::single::{AnswerText, Single, SingleAgentParts};
use amelia_core::key_source::KeySource;
use amelia_drivers::model::{HttpModel, Network, Timeouts, WireFormat, client};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_scripted::{Script, ScriptedServer, serve};
use anyhow::{Context, Result, ensure};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{CaseArgs, agent, own};

/// Pauses between its events: a client that waited for more than the first would show it.
const SCRIPT: &str =
    "rules: [{reply: {text: Hello from the script to whoever reads., chunk: 5, chunk_delay_ms: 2}}]";
const FIRST: &[u8] = b"\"Hello\"";
/// Not counted: connections are made, pages are touched.
const WARM_UP: usize = 10;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (runs, rounds) = (own::open(args)?, args.rounds);
    own::block_on(async move {
        let server = serve(Script::parse(SCRIPT)?, ([127, 0, 0, 1], 0).into()).await?;
        let moments = Moments::default();
        let graph = graph(&server, &moments)?;
        let mut bare = None;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..rounds + WARM_UP {
            own::complete(&runs, &graph, agent::goal()).await?;
            let bare = match &mut bare {
                Some(bare) => bare,
                None => bare.insert(Bare::connect(&server).await?),
            };
            let took = bare.ask().await?;
            if round >= WARM_UP {
                ours.push(moments.took()?);
                theirs.push(took);
            }
        }
        server.shutdown().await;
        runs.store().close().await?;
        let (ours, theirs) = (Spread::of(ours)?, Spread::of(theirs)?);
        Ok(json!({
            "p50_ms": ours.p50, "p99_ms": ours.p99, "bare_p50_ms": theirs.p50, "bare_p99_ms": theirs.p99,
            "added_p50_ms": ours.p50 - theirs.p50, "added_p99_ms": ours.p99 - theirs.p99,
        }))
    })
}

/// When the agent was asked, and when its first text was shown.
#[derive(Clone, Default)]
struct Moments(Arc<Mutex<(Option<Instant>, Option<Instant>)>>);

impl Moments {
    fn asked(&self) {
        *self.0.lock() = (Some(Instant::now()), None);
    }

    fn shown(&self) {
        self.0.lock().1.get_or_insert_with(Instant::now);
    }

    fn took(&self) -> Result<Duration> {
        let (asked, shown) = *self.0.lock();
        Ok(shown.context("nothing was shown")?.duration_since(asked.context("no model was asked")?))
    }
}

fn graph(server: &ScriptedServer, moments: &Moments) -> Result<Graph<Single>> {
    let timeouts = Timeouts::default();
    let model = HttpModel {
        redactor: Arc::default(),
        name: "scripted".to_owned(),
        wire: WireFormat::Chat,
        base_url: format!("{}/v1", server.url()),
        key: None,
        key_source: KeySource::NotSent { usual: "NONE" },
        timeouts,
        client: client(timeouts)?,
        traits: Arc::default(),
        encoded: Arc::default(),
        transport: Network::transport(client(timeouts)?),
    };
    let seen = moments.clone();
    let live: Live = Arc::new(move |_| seen.shown());
    let work = Timed { work: agent::work(Arc::new(model), live)?, moments: moments.clone() };
    Ok(Graph::builder("single").entry("work").node("work", work).edge(END).build()?)
}

/// The product's node, with the moment it begins.
struct Timed {
    work: SingleAgentParts,
    moments: Moments,
}

#[async_trait]
impl Node<Single> for Timed {
    async fn run(&self, cx: &NodeCx, state: &Single) -> Result<Outcome<AnswerText>, NodeError> {
        self.moments.asked();
        self.work.run(cx, state).await
    }
}

/// A connection that stays open, and the request that ours sent.
struct Bare {
    stream: TcpStream,
    request: Vec<u8>,
}

impl Bare {
    async fn connect(server: &ScriptedServer) -> Result<Self> {
        let stream = TcpStream::connect(server.addr()).await?;
        stream.set_nodelay(true)?;
        let body = server.requests().first().context("ours has asked nothing")?.body.to_string();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        Ok(Self { stream, request: [head.into_bytes(), body.into_bytes()].concat() })
    }

    /// Until the first text; the rest is read before the next question.
    async fn ask(&mut self) -> Result<Duration> {
        let start = Instant::now();
        self.stream.write_all(&self.request).await?;
        let mut answer = Vec::new();
        self.read_until(&mut answer, FIRST).await?;
        let took = start.elapsed();
        self.read_until(&mut answer, b"\r\n0\r\n\r\n").await?;
        Ok(took)
    }

    async fn read_until(&mut self, answer: &mut Vec<u8>, wanted: &[u8]) -> Result<()> {
        while !answer.windows(wanted.len()).any(|window| window == wanted) {
            let read = self.stream.read_buf(answer).await?;
            ensure!(read > 0, "the server hung up: {}", String::from_utf8_lossy(answer));
        }
        Ok(())
    }
}

/// Milliseconds.
struct Spread {
    p50: f64,
    p99: f64,
}

impl Spread {
    fn of(mut times: Vec<Duration>) -> Result<Self> {
        times.sort_unstable();
        let at = |percent: usize| {
            let place = (times.len() * percent / 100).min(times.len().saturating_sub(1));
            times.get(place).map(|time| 1e3 * time.as_secs_f64()).context("no rounds")
        };
        Ok(Self { p50: at(50)?, p99: at(99)? })
    }
}
