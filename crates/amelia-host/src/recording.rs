//! What is kept of the outside for replay, and how it is played: the place of work, its tools, the tracker. Models and
//! programs are kept by their drivers.

pub mod place;
pub mod played_place;
pub mod tools;
pub mod tracker;
pub mod tree;

use amelia_core::recording::{Channel, Difference, FrameSource, FrameTime, NextFrame, Playback};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question to the outside, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedAnswer<T> {
    args: Value,
    answer: T,
}

/// Keeps a question and its answer.
fn keep<T: Serialize>(channel: &Channel, source: FrameSource, method: &str, args: Value, answer: &T) {
    let channel = Channel::new(std::sync::Arc::clone(&channel.tape), name(channel, method));
    // What we ask and get always has a text.
    if let Ok(body) = serde_json::to_vec(&RecordedAnswer { args, answer }) {
        channel.add(source, body);
    }
}

/// The answer that this question got. Does not return when there is none: the replay ends it then.
async fn play<T: DeserializeOwned>(
    playback: &Playback,
    channel: &Channel,
    source: FrameSource,
    method: &str,
    args: &Value,
) -> T {
    match next(playback, &name(channel, method), source, args) {
        Some((when, answer)) => {
            playback.turn(when).await;
            answer
        }
        None => std::future::pending().await,
    }
}

fn next<T: DeserializeOwned>(
    playback: &Playback,
    name: &str,
    source: FrameSource,
    args: &Value,
) -> Option<(FrameTime, T)> {
    let place = || format!("the {source} is asked ({name})");
    let differ = |recorded: String| {
        playback.differ(Difference { place: place(), recorded, now: args.to_string() });
        None
    };
    match playback.next(source, name) {
        NextFrame::NotYet => None,
        NextFrame::Nothing => differ("nothing more".to_owned()),
        NextFrame::Frame(piece) => match serde_json::from_slice::<RecordedAnswer<T>>(&piece.body) {
            Err(error) => differ(format!("something of another version of this program: {error}")),
            Ok(asked) => playback
                .compare(place, &asked.args.to_string(), &args.to_string())
                .then_some((piece.when, asked.answer)),
        },
    }
}

fn name(channel: &Channel, method: &str) -> String {
    format!("{}/{method}", channel.name)
}
