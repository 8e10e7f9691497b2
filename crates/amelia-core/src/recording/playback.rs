//! A recording that is played: frames by channel, what may differ, and the first thing that differed although it must not.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::pin::Pin;
use std::sync::OnceLock;

use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Frame, FrameSource, StoredFrame};
use crate::id::Seq;
use crate::text::capped;

/// As much of each side of a difference as a person can look at.
const SHOWN: usize = 300;

/// What comes next in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextFrame {
    Frame(RecordedFrame),
    /// Nothing in this life of the run: the process ended before it came.
    NotYet,
    /// Nothing at all.
    Nothing,
}

/// Where and how a replay left its recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}\n  recorded: {recorded}\n  now:      {now}")]
pub struct Difference {
    pub place: String,
    pub recorded: String,
    pub now: String,
}

/// The frames of one channel.
type ChannelFrames = VecDeque<RecordedFrame>;

/// A frame, and when its turn is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedFrame {
    pub when: FrameTime,
    end: Seq,
    pub body: Vec<u8>,
}

/// When a frame came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameTime {
    /// All facts up to here had been written when it came, or nearly.
    after: Seq,
    /// Which one of all frames of the run it is.
    number: usize,
}

/// Waits until the facts up to a place have been written, or nothing else can happen.
pub type WaitForTurn = Box<dyn Fn(Seq) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// The frames of one run, on their way back.
#[derive(Default)]
pub struct Playback {
    channels: Mutex<HashMap<(FrameSource, String), ChannelFrames>>,
    /// Where the log ends in the life that is played.
    until: Mutex<Seq>,
    is_last: Mutex<bool>,
    /// Frames that were written with this commit came too late for anybody to use them.
    withheld: Mutex<Option<Seq>>,
    turn: OnceLock<WaitForTurn>,
    /// Frames that wait for their turn, or have it.
    line: Mutex<BTreeMap<usize, (Seq, CancellationToken)>>,
    first: Mutex<Option<Difference>>,
    differs: CancellationToken,
}

impl Playback {
    /// The frames of a run, in order.
    #[must_use]
    pub fn new(frames: impl IntoIterator<Item = StoredFrame>) -> Self {
        let mut channels: HashMap<_, VecDeque<_>> = HashMap::new();
        for (number, StoredFrame { after, end, frame: Frame { channel, source, body } }) in
            frames.into_iter().enumerate()
        {
            let piece = RecordedFrame { when: FrameTime { after, number }, end, body };
            channels.entry((source, channel.to_string())).or_default().push_back(piece);
        }
        Self { channels: Mutex::new(channels), ..Self::default() }
    }

    /// The next frame of a channel.
    #[must_use]
    pub fn next(&self, source: FrameSource, channel: &str) -> NextFrame {
        self.next_fitting(source, channel, |_| true)
    }

    /// The next frame of a channel; one that does not fit is another's, and stays.
    #[must_use]
    pub fn next_fitting(
        &self,
        source: FrameSource,
        channel: &str,
        fits: impl Fn(&[u8]) -> bool,
    ) -> NextFrame {
        let (until, withheld) = (*self.until.lock(), *self.withheld.lock());
        let mut channels = self.channels.lock();
        let frames = channels.entry((source, channel.to_owned())).or_default();
        let is_there = |piece: &mut RecordedFrame| piece.end <= until && Some(piece.end) != withheld;
        match frames.pop_front_if(|piece| is_there(piece) && fits(&piece.body)) {
            Some(piece) => NextFrame::Frame(piece),
            None if frames.is_empty() && *self.is_last.lock() => NextFrame::Nothing,
            None => NextFrame::NotYet,
        }
    }

    /// The next frame of a channel, if it is such a one. Withheld frames that are not are passed over: an answer that was
    /// cut may have come together with what was noted about it.
    #[must_use]
    pub fn next_if(
        &self,
        source: FrameSource,
        channel: &str,
        fits: impl Fn(&[u8]) -> bool,
    ) -> Option<RecordedFrame> {
        let (until, withheld) = (*self.until.lock(), *self.withheld.lock());
        let mut channels = self.channels.lock();
        let frames = channels.get_mut(&(source, channel.to_owned()))?;
        let next = |piece: &RecordedFrame| Some(piece.end) != withheld || fits(&piece.body);
        let place = frames.iter().position(next)?;
        let is_it = frames.get(place).is_some_and(|piece| piece.end <= until && fits(&piece.body));
        is_it.then(|| frames.remove(place)).flatten()
    }

    /// Whether such a frame comes in this channel, in the life that is played.
    #[must_use]
    pub fn has(&self, source: FrameSource, channel: &str, fits: impl Fn(&[u8]) -> bool) -> bool {
        let until = *self.until.lock();
        let channels = self.channels.lock();
        let frames = channels.get(&(source, channel.to_owned()));
        frames.is_some_and(|frames| frames.iter().any(|piece| piece.end <= until && fits(&piece.body)))
    }

    /// The next frames of a channel, up to the first that `is_next` says belongs to something else.
    pub fn take_until(
        &self,
        source: FrameSource,
        channel: &str,
        is_next: impl Fn(&[u8]) -> bool,
    ) -> Vec<RecordedFrame> {
        let (until, withheld) = (*self.until.lock(), *self.withheld.lock());
        let mut channels = self.channels.lock();
        let Some(frames) = channels.get_mut(&(source, channel.to_owned())) else { return Vec::new() };
        let is_end =
            |piece: &RecordedFrame| piece.end > until || Some(piece.end) == withheld || is_next(&piece.body);
        let end = frames.iter().position(is_end).unwrap_or(frames.len());
        frames.drain(..end).collect()
    }

    /// Moves on to a life of the run in which the log grew from `from` to `until`. What came before and was not used then
    /// had been lost with the process, and so it is now.
    pub fn go_on(&self, from: Seq, until: Seq, is_last: bool) {
        for frames in self.channels.lock().values_mut() {
            frames.retain(|piece| piece.end > from);
        }
        *self.until.lock() = until;
        *self.is_last.lock() = is_last;
    }

    /// Holds back the frames that were written with the commit that ends `at`; `next_if` still finds them.
    pub fn withhold(&self, at: Option<Seq>) {
        *self.withheld.lock() = at;
    }

    /// A channel with frames that were not asked for: something was done then that is not done now. What programs asked through
    /// the proxy is only kept.
    #[must_use]
    pub fn left_over(&self) -> Option<String> {
        let (channels, withheld) = (self.channels.lock(), *self.withheld.lock());
        let left = |((source, name), frames): (&(FrameSource, String), &ChannelFrames)| {
            let is_wanted = frames.iter().any(|piece| Some(piece.end) != withheld);
            (*source != FrameSource::Proxy && is_wanted).then(|| format!("{source} ({name})"))
        };
        let mut left: Vec<String> = channels.iter().filter_map(left).collect();
        left.sort();
        left.into_iter().next()
    }

    /// How it is known whose turn it is.
    pub fn set_turn(&self, turn: WaitForTurn) {
        // Set once, before anything is played.
        self.turn.set(turn).ok();
    }

    /// Until it is the turn of what came then: agents that worked beside each other do so again.
    pub async fn turn(&self, when: FrameTime) {
        let in_line = InLine::new(self, when);
        if let Some(turn) = self.turn.get() {
            turn(when.after).await;
        }
        self.gone(|number, _| number < when.number).await;
        drop(in_line);
    }

    /// Waits until every frame that came before the fact after `seq`, and is waited for, has had its turn. Says whether
    /// there was one.
    pub async fn arrived(&self, seq: Seq) -> bool {
        self.gone(|_, after| after <= seq).await
    }

    /// Until those of the line have had their turn.
    async fn gone(&self, which: impl Fn(usize, Seq) -> bool) -> bool {
        let fits = |(number, (after, token)): (&usize, &(Seq, CancellationToken))| {
            which(*number, *after).then(|| token.clone())
        };
        let waited_for: Vec<_> = self.line.lock().iter().filter_map(fits).collect();
        for token in &waited_for {
            token.cancelled().await;
        }
        !waited_for.is_empty()
    }

    /// Says what differs. The first one counts.
    pub fn differ(&self, difference: Difference) {
        self.first.lock().get_or_insert(difference);
        self.differs.cancel();
    }

    /// Compares what is said now with what was said then, both as text or JSON.
    pub fn compare(&self, place: impl FnOnce() -> String, then: &str, now: &str) -> bool {
        if then == now {
            return true;
        }
        let (at, recorded, now) = first_difference(then, now);
        if recorded == now {
            // The same value, written otherwise.
            return true;
        }
        self.differ(Difference { place: format!("{}{at}", place()), recorded, now });
        false
    }

    /// The first difference, once there is one.
    pub async fn differs(&self) -> Difference {
        self.differs.cancelled().await;
        self.difference().unwrap_or_else(|| Difference {
            place: String::new(),
            recorded: String::new(),
            now: String::new(),
        })
    }

    #[must_use]
    pub fn difference(&self) -> Option<Difference> {
        self.first.lock().clone()
    }
}

/// A place in the line of those who wait for their turn.
struct InLine<'r>(&'r Playback, usize);

impl<'r> InLine<'r> {
    fn new(playback: &'r Playback, when: FrameTime) -> Self {
        playback.line.lock().insert(when.number, (when.after, CancellationToken::new()));
        Self(playback, when.number)
    }
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        if let Some((_, token)) = self.0.line.lock().remove(&self.1) {
            token.cancel();
        }
    }
}

/// Where two texts part: a path into the JSON that both are, or a line.
#[must_use]
pub fn first_difference(then: &str, now: &str) -> (String, String, String) {
    if let (Ok(then), Ok(now)) = (serde_json::from_str::<Value>(then), serde_json::from_str::<Value>(now)) {
        return match in_json(&then, &now, String::new()) {
            Some((path, then, now)) => (path, shown(then), shown(now)),
            None => (String::new(), String::new(), String::new()),
        };
    }
    in_text(then, now)
}

fn in_json<'v>(
    then: &'v Value,
    now: &'v Value,
    path: String,
) -> Option<(String, Option<&'v Value>, Option<&'v Value>)> {
    match (then, now) {
        _ if then == now => None,
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let path = format!("{path}.{key}");
                match (a.get(key), b.get(key)) {
                    (Some(then), Some(now)) => in_json(then, now, path),
                    (then, now) => Some((path, then, now)),
                }
            })
        }
        (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len())).find_map(|place| {
            let path = format!("{path}[{place}]");
            match (a.get(place), b.get(place)) {
                (Some(then), Some(now)) => in_json(then, now, path),
                (then, now) => Some((path, then, now)),
            }
        }),
        _ => Some((path, Some(then), Some(now))),
    }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::String(text)) => capped(text, SHOWN),
        Some(value) => capped(&value.to_string(), SHOWN),
    }
}

fn in_text(then: &str, now: &str) -> (String, String, String) {
    let (mut a, mut b) = (then.lines(), now.lines());
    for line in 1.. {
        match (a.next(), b.next()) {
            (Some(then), Some(now)) if then == now => {}
            (None, None) => break,
            (then, now) => {
                let shown =
                    |line: Option<&str>| line.map_or("nothing".to_owned(), |line| capped(line, SHOWN));
                return (format!(", line {line}"), shown(then), shown(now));
            }
        }
    }
    (String::new(), String::new(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_named_by_its_place() {
        let (path, then, now) = first_difference(r#"{"a":[1,{"b":"x"}]}"#, r#"{"a":[1,{"b":"y"}]}"#);
        assert_eq!((path.as_str(), then.as_str(), now.as_str()), (".a[1].b", "x", "y"));
        let (path, then, now) = first_difference("one\ntwo", "one\nthree");
        assert_eq!((path.as_str(), then.as_str(), now.as_str()), (", line 2", "two", "three"));
        let (path, then, now) = first_difference(r#"{"a":1}"#, "{}");
        assert_eq!((path.as_str(), then.as_str(), now.as_str()), (".a", "1", "nothing"));
    }

    #[test]
    fn what_was_noted_of_a_cut_answer_is_found_behind_its_withheld_frames() {
        let frame = |body: &str, end: u64| StoredFrame {
            after: Seq(5),
            end: Seq(end),
            frame: Frame { channel: "1//a".into(), source: FrameSource::Model, body: body.into() },
        };
        let playback = Playback::new([frame("first words", 8), frame("cut", 8)]);
        playback.go_on(Seq::START, Seq(8), false);
        let is_cut = |body: &[u8]| body == b"cut";
        assert!(playback.next_if(FrameSource::Model, "1//a", is_cut).is_none(), "it is not its turn");
        playback.withhold(Some(Seq(8)));
        assert_eq!(playback.next(FrameSource::Model, "1//a"), NextFrame::NotYet);
        assert!(playback.next_if(FrameSource::Model, "1//a", is_cut).is_some());
    }

    #[test]
    fn the_same_written_otherwise_is_no_difference_and_the_first_difference_counts() {
        let playback = Playback::new([]);
        assert!(playback.compare(|| "x".to_owned(), r#"{"a": 1, "b": 2}"#, r#"{"b":2,"a":1}"#));
        assert!(!playback.compare(|| "first".to_owned(), "1", "2"));
        assert!(!playback.compare(|| "second".to_owned(), "1", "3"));
        assert_eq!(playback.difference().unwrap().place, "first");
    }
}
