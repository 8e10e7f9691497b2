use std::sync::Arc;
use std::time::Duration;

use amelia_core::id::Seq;
use amelia_core::recording::{Channel, Frame, Playback, StoredFrame, Tape};
use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream;
use parking_lot::Mutex;
use reqwest::header::HeaderMap;

use super::{ModelFailure, ModelResponse, ModelTransport, PlayedTransport, TapedTransport};

const IDLE: Duration = Duration::from_secs(5);

/// Answers everything with the same words.
struct Fine;

#[async_trait]
impl ModelTransport for Fine {
    async fn send(
        &self,
        _: reqwest::Request,
        _: &Channel,
        _: Duration,
    ) -> Result<ModelResponse, ModelFailure> {
        let bytes = stream::iter([Ok(b"fine".to_vec())]).boxed();
        Ok(ModelResponse { status: 200, headers: HeaderMap::new(), bytes, ending: None })
    }
}

#[derive(Default)]
struct Frames(Mutex<Vec<Frame>>);

impl Tape for Frames {
    fn add(&self, frame: Frame) {
        self.0.lock().push(frame);
    }
}

fn request(body: &str) -> reqwest::Request {
    let mut request = reqwest::Request::new(reqwest::Method::POST, "http://127.0.0.1:1/".parse().unwrap());
    *request.body_mut() = Some(body.to_owned().into());
    request
}

async fn ask(transport: &dyn ModelTransport, channel: &Channel, body: &str) {
    let mut response = transport.send(request(body), channel, IDLE).await.unwrap();
    while response.bytes.next().await.is_some() {}
    if let Some(ending) = response.ending {
        ending(None);
    }
}

/// A conversation with so many messages.
fn body(messages: usize) -> String {
    let said: Vec<String> = (0..messages).map(|number| format!("\"message number {number}\"")).collect();
    format!("{{\"messages\":[{}],\"model\":\"m\"}}", said.join(","))
}

/// What is asked, in which channel: two conversations that take turns, each in several visits.
fn asked() -> Vec<(&'static str, String)> {
    vec![
        ("1/s/writer", body(100)),
        ("1/s/writer", body(101)),
        ("2/t/critic", body(50)),
        ("3/s/writer", body(103)),
        ("4/t/critic", body(52)),
        ("4/t/critic", body(53)),
        ("5//writer", body(100)),
    ]
}

async fn recorded() -> Vec<Frame> {
    let tape = Arc::new(Frames::default());
    let transport = TapedTransport::new(Arc::new(Fine), Arc::default());
    for (channel, body) in asked() {
        ask(&transport, &Channel::new(Arc::clone(&tape) as Arc<dyn Tape>, channel), &body).await;
    }
    std::mem::take(&mut tape.0.lock())
}

async fn difference_in_replay(frames: Vec<Frame>) -> Option<String> {
    let stored = |frame| StoredFrame { after: Seq::START, end: Seq::START.plus(1), frame };
    let playback = Arc::new(Playback::new(frames.into_iter().map(stored)));
    playback.go_on(Seq::START, Seq::START.plus(1), true);
    let transport = PlayedTransport::new(Arc::clone(&playback));
    for (channel, body) in asked() {
        let channel = Channel { name: channel.into(), ..Channel::default() };
        let asking = ask(&transport, &channel, &body);
        if tokio::time::timeout(IDLE, asking).await.is_err() {
            break;
        }
    }
    playback.difference().map(|difference| difference.to_string())
}

#[tokio::test]
async fn a_conversation_of_several_visits_is_kept_once() {
    let frames = recorded().await;
    let sizes: Vec<usize> = frames.iter().map(|frame| frame.body.len()).collect();
    let whole = |place: usize| sizes[place] > 1_000;
    let wholes: Vec<usize> = (0..sizes.len()).filter(|place| whole(*place)).collect();
    assert_eq!(wholes, [0, 2, 6], "{sizes:?}");
    assert_eq!(difference_in_replay(frames).await, None);
}

#[tokio::test]
async fn a_recording_in_which_every_visit_has_the_whole_conversation_is_played() {
    let mut frames = Vec::new();
    for (channel, body) in asked() {
        let tape = Arc::new(Frames::default());
        let transport = TapedTransport::new(Arc::new(Fine), Arc::default());
        let channel = Channel::new(Arc::clone(&tape) as Arc<dyn Tape>, channel);
        ask(&transport, &channel, &body).await;
        frames.append(&mut tape.0.lock());
    }
    assert!(frames.iter().all(|frame| !String::from_utf8_lossy(&frame.body).contains("since")));
    assert_eq!(difference_in_replay(frames).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_asks_something_else_differs() {
    let mut frames = recorded().await;
    frames.remove(1);
    assert!(difference_in_replay(frames).await.is_some());
}
