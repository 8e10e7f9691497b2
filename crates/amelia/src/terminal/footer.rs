//! The last line of the screen while a run is at work: where it is, what is running, how long, how much. Pure.

use std::borrow::Cow;
use std::time::Duration;

use amelia_core::view::RunView;
use amelia_flows::team::node_label;
use jiff::Timestamp;
use unicode_width::UnicodeWidthStr as _;

use crate::ui::cut;

/// A little wheel that turns.
const WHEEL: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The places of the parts that a narrow line leaves out, in this sequence: call, round, cost, task, time.
const LEAST_FIRST: [usize; 5] = [3, 2, 5, 1, 4];

/// A tool call that has not returned.
pub(super) struct Running<'a> {
    pub(super) call: &'a str,
    pub(super) since: Timestamp,
}

/// The line, at most `width` characters.
pub(super) fn footer(
    view: &RunView,
    running: Option<&Running<'_>>,
    frame: usize,
    now: Timestamp,
    width: usize,
) -> String {
    let nodes: Vec<Cow<'_, str>> = view.active_nodes().map(|node| node_label(node.as_str())).collect();
    let wheel = WHEEL.get(frame % WHEEL.len()).copied().unwrap_or_default();
    let place =
        format!("{wheel} {}", if nodes.is_empty() { "starting".to_owned() } else { nodes.join(", ") });
    let task = view.task.as_ref().map(|task| format!("task {} of {}", task.index + 1, task.total));
    let round = (view.review_round > 1).then(|| format!("round {}", view.review_round));
    let call = running.map(|call| format!("{} {}", call.call, seconds_between(call.since, now)));
    // A program may wait long between two tries: it does not hang.
    let tried = view.retry.as_ref().map(|retry| format!("last try {} ago", seconds_between(retry.at, now)));
    // Not the time in which it waited for a person, or was interrupted.
    let active = || i64::try_from(view.active_ms_at(now) / 1000).unwrap_or(i64::MAX);
    let time = view.started_at.map(|_| seconds(active()));
    let mut parts = [Some(place), task, round, tried.or(call), time, Some(spent(view))];
    // What is in progress goes first: it is the longest, and shown above.
    for least in LEAST_FIRST {
        if line(&parts).width() <= width {
            break;
        }
        if let Some(part) = parts.get_mut(least) {
            *part = None;
        }
    }
    cut(&line(&parts), width)
}

/// The line while the server is gone.
pub(super) fn waiting_footer(frame: usize, left: Duration, width: usize) -> String {
    let wheel = WHEEL.get(frame % WHEEL.len()).copied().unwrap_or_default();
    cut(&format!("{wheel} waiting for a server · {} s left", left.as_secs()), width)
}

fn line(parts: &[Option<String>]) -> String {
    parts.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
}

fn spent(view: &RunView) -> String {
    let spend = view.spend;
    let tokens = match spend.tokens {
        0..1_000 => format!("{} tokens", spend.tokens),
        tokens => format!("{:.1}k tokens", tokens as f64 / 1e3),
    };
    let about = if spend.estimated_calls > 0 { "~" } else { "" };
    match spend.unpriced_calls {
        0 if spend.calls > 0 => format!("{about}{tokens} · {about}{:.4} USD", spend.usd),
        _ => format!("{about}{tokens}"),
    }
}

fn seconds_between(since: Timestamp, now: Timestamp) -> String {
    seconds(now.duration_since(since).as_secs().max(0))
}

fn seconds(seconds: i64) -> String {
    if seconds < 60 { format!("{seconds} s") } else { format!("{}:{:02} min", seconds / 60, seconds % 60) }
}

#[cfg(test)]
mod tests {
    use amelia_core::budget::Spend;
    use amelia_core::id::NodeId;
    use amelia_core::run::RunStatus;
    use amelia_core::view::NodeView;

    use super::*;

    #[test]
    fn it_says_where_what_how_long_and_how_much() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut view = RunView {
            status: RunStatus::Running,
            started_at: Some(at(0)),
            updated_at: Some(at(0)),
            review_round: 2,
            ..RunView::default()
        };
        view.nodes.insert(NodeId::new("develop").unwrap(), NodeView { visits: 1, active: 1 });
        view.spend = Spend { usd: 0.25, tokens: 12_300, calls: 2, ..Spend::default() };
        let running = Running { call: "run ./test.sh", since: at(70) };
        let line = footer(&view, Some(&running), 0, at(75), 200);
        assert_eq!(line, "⠋ develop · round 2 · run ./test.sh 5 s · 1:15 min · 12.3k tokens · 0.2500 USD");
        assert_eq!(footer(&view, None, 1, at(75), 9), "⠙ develop");
        let narrow = |width| footer(&view, Some(&running), 0, at(75), width);
        assert_eq!(narrow(60), "⠋ develop · round 2 · 1:15 min · 12.3k tokens · 0.2500 USD");
        assert_eq!(narrow(50), "⠋ develop · 1:15 min · 12.3k tokens · 0.2500 USD");
        assert_eq!(narrow(40), "⠋ develop · 1:15 min", "parts are left out whole");
        let (agent, text) = (amelia_core::id::AgentName::system(), String::new());
        view.retry = Some(amelia_core::view::Activity { agent, at: at(63), text });
        let waiting = footer(&view, None, 0, at(75), 200);
        assert!(waiting.contains(" · last try 12 s ago · "), "{waiting}");
        view.spend.unpriced_calls = 1;
        assert!(
            !footer(&view, None, 1, at(75), 200).contains("USD"),
            "what is unknown is not shown as a sum"
        );
    }

    #[test]
    fn a_node_that_amelia_added_is_told_by_what_it_does() {
        let mut view = RunView::default();
        view.nodes.insert(NodeId::new("team.plan").unwrap(), NodeView { visits: 1, active: 1 });
        assert_eq!(footer(&view, None, 0, Timestamp::UNIX_EPOCH, 19), "⠋ tasks of the plan");
    }

    #[test]
    fn without_a_server_it_says_how_long_one_is_waited_for() {
        let left = Duration::from_millis(17_900);
        assert_eq!(waiting_footer(0, left, 80), "⠋ waiting for a server · 17 s left");
    }

    #[test]
    fn time_in_which_a_run_waited_for_a_person_is_not_counted() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let view = |status, updated_at| RunView {
            status,
            started_at: Some(at(0)),
            updated_at: Some(at(updated_at)),
            active_ms: 20_000,
            ..RunView::default()
        };
        // It worked for 20 seconds, waited for an hour, and was resumed.
        let resumed = footer(&view(RunStatus::Running, 3620), None, 0, at(3625), 200);
        assert!(resumed.contains(" · 25 s · "), "{resumed}");
        let waiting = view(RunStatus::Waiting(amelia_core::human::HumanKind::Approval), 20);
        assert!(footer(&waiting, None, 0, at(3000), 200).contains(" · 20 s · "));
    }
}
