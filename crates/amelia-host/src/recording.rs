//! What is kept of the outside for replay, and how it is played: the place of work, its tools, the tracker. Models and
//! programs are kept by their drivers.

pub mod place;
pub mod played_place;
pub mod tools;
pub mod tracker;
pub mod tree;

use amelia_core::recording::{Difference, Next, Reel, Source, Strand, When};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question to the outside, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Asked<T> {
    args: Value,
    answer: T,
}

/// Keeps a question and its answer.
fn keep<T: Serialize>(strand: &Strand, source: Source, method: &str, args: Value, answer: &T) {
    let strand = Strand::new(std::sync::Arc::clone(&strand.tape), name(strand, method));
    // What we ask and get always has a text.
    if let Ok(body) = serde_json::to_vec(&Asked { args, answer }) {
        strand.add(source, body);
    }
}

/// The answer that this question got. Does not return when there is none: whoever plays the recording ends it then.
async fn play<T: DeserializeOwned>(
    reel: &Reel,
    strand: &Strand,
    source: Source,
    method: &str,
    args: &Value,
) -> T {
    match next(reel, &name(strand, method), source, args) {
        Some((when, answer)) => {
            reel.turn(when).await;
            answer
        }
        None => std::future::pending().await,
    }
}

fn next<T: DeserializeOwned>(reel: &Reel, name: &str, source: Source, args: &Value) -> Option<(When, T)> {
    let place = || format!("the {source} is asked ({name})");
    let differ = |recorded: String| {
        reel.differ(Difference { place: place(), recorded, now: args.to_string() });
        None
    };
    match reel.next(source, name) {
        Next::NotYet => None,
        Next::Nothing => differ("nothing more".to_owned()),
        Next::Frame(piece) => match serde_json::from_slice::<Asked<T>>(&piece.body) {
            Err(error) => differ(format!("something of another version of this program: {error}")),
            Ok(asked) => reel
                .compare(place, &asked.args.to_string(), &args.to_string())
                .then_some((piece.when, asked.answer)),
        },
    }
}

fn name(strand: &Strand, method: &str) -> String {
    format!("{}/{method}", strand.name)
}
