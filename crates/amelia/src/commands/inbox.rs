//! `amelia inbox`: everything that waits for a person, and the command that answers it.

mod stopped_run;

use std::process::ExitCode;

use amelia_core::human::HumanKind;
use amelia_core::human::asks::INTERRUPTED_CALL;
use amelia_core::id::{AgentName, RunId};
use amelia_core::problem::{LABEL, Problem};
use amelia_host::home::Home;
use amelia_wire::rest::Page;
use amelia_wire::rest::estimate::CostEstimate;
use amelia_wire::rest::human::Pending;
use anyhow::Result;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use self::stopped_run::{StoppedRun, stopped_runs};
use super::way_out::way_out;
use crate::after_rounds::NOTHING_TO_ACCEPT;
use crate::cli::Global;
use crate::client::Client;
use crate::reach;
use crate::ui;

/// Questions about which more is found out: each costs a request.
const MOST_LOOKS: usize = 20;

/// What a run asks, and what a person should know before they say yes to it.
#[derive(Serialize)]
struct InboxItem {
    #[serde(flatten)]
    asked: Pending,
    /// Of a plan.
    estimate: Option<CostEstimate>,
    /// Of work that can be accepted as it is: whether the run has changed no files so far.
    changed_nothing: Option<bool>,
}

/// Everything that waits for a person, oldest first.
pub(super) async fn run(home: &Home, global: &Global) -> Result<ExitCode> {
    let (mut items, mut stopped) = (Vec::new(), Vec::new());
    if home.has_runs() || global.server.is_some() {
        let client = reach::to_look(home, global).await?;
        let page: Page<Pending> = client.get("/inbox?limit=500").await?;
        items = looked_at(&client, page.items).await;
        stopped = stopped_runs(&client, home).await?;
        client.close().await?;
    }
    if global.json {
        anstream::println!("{}", serde_json::to_string(&objects(&items, &stopped)?)?);
        return Ok(ExitCode::SUCCESS);
    }
    let me = ui::command(global);
    match items.is_empty() && stopped.is_empty() {
        true if home.has_runs() || global.server.is_some() => ui::say!("nothing is waiting for you"),
        true => ui::say!(
            "nothing is waiting for you: there are no runs yet ({me} start \"your task\" begins one)"
        ),
        false => {}
    }
    let asks_more = |run: &str| items.iter().filter(|other| other.asked.short_id == run).count() > 1;
    items.iter().for_each(|item| ui::say!("{}", item_lines(item, asks_more(&item.asked.short_id), &me)));
    stopped.iter().for_each(|run| ui::say!("{}", run.lines(&me)));
    Ok(ExitCode::SUCCESS)
}

/// Questions and runs that stopped in one list, with the same fields.
fn objects(items: &[InboxItem], stopped: &[StoppedRun]) -> Result<Vec<Value>> {
    let mut all: Vec<(Timestamp, Value)> = Vec::with_capacity(items.len() + stopped.len());
    for item in items {
        all.push((item.asked.requested_at, serde_json::to_value(item)?));
    }
    all.extend(stopped.iter().map(|run| (run.since(), run.item())));
    all.sort_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, object)| object).collect())
}

/// An estimate that cannot be made leaves the question as it is.
async fn looked_at(client: &Client, asked: Vec<Pending>) -> Vec<InboxItem> {
    let (mut items, mut left) = (Vec::with_capacity(asked.len()), MOST_LOOKS);
    for asked in asked {
        let (is_plan, is_work) = (asked.kind == "approval" && left > 0, is_about_work(&asked) && left > 0);
        left -= usize::from(is_plan || is_work);
        let run = RunId(asked.workflow_id);
        let estimate = match is_plan {
            true => client.estimate(run).await.ok().flatten(),
            false => None,
        };
        let changed_nothing = match is_work {
            true => Some(client.has_changed_nothing(run).await),
            false => None,
        };
        items.push(InboxItem { asked, estimate, changed_nothing });
    }
    items
}

/// Whether the work of a run can be accepted as it is. The result of a call that was interrupted is no such work.
fn is_about_work(item: &Pending) -> bool {
    item.can_accept && context_asks(item) != Some(INTERRUPTED_CALL)
}

/// What a run asks, and the command that answers it.
fn item_lines(item: &InboxItem, has_others: bool, me: &str) -> String {
    let InboxItem { asked: item, estimate, changed_nothing } = item;
    let (way, context) = (way_out(item, has_others, me), |name: &str| item.context.get(name));
    let Problem { message: prompt, hint } = Problem::parse(&item.prompt);
    let hint = hint.map(|hint| format!("\n  {LABEL} {}", ui::one_line(&hint))).unwrap_or_default();
    let options =
        context("options").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let options: String = options.map(|option| format!("\n    {}", ui::one_line(option))).collect();
    let output = context("output").and_then(Value::as_str);
    let output = output.map(|output| ui::quoted_lines(output, 4)).unwrap_or_default();
    let silence = item.silence().map(|words| format!("\n  {}", ui::dim(words))).unwrap_or_default();
    let asker = match item.agent.as_str() {
        AgentName::SYSTEM => String::new(),
        // It begins with the name of the agent, as people call it.
        agent if item.prompt.to_lowercase().starts_with(&agent.to_lowercase()) => String::new(),
        agent => format!("{}: ", ui::one_line(agent)),
    };
    let word = ui::painted(ui::WAITS, state_word(item));
    let estimate =
        estimate.as_ref().map(|estimate| format!("\n  estimate: {}", ui::one_line(&estimate.text)));
    let estimate = estimate.unwrap_or_default();
    let unchanged = changed_nothing.filter(|is_unchanged| *is_unchanged);
    let unchanged = unchanged.map(|_| format!("\n  {}", ui::painted(ui::WAITS, NOTHING_TO_ACCEPT)));
    let unchanged = unchanged.unwrap_or_default();
    format!(
        "{}\n  {asker}{}{hint}{options}{output}{estimate}{unchanged}{silence}\n  {}",
        heading(&item.short_id, &item.title, &word, item.requested_at),
        ui::one_line(&prompt),
        ui::dim(way)
    )
}

fn heading(run: &str, title: &str, word: &str, at: Timestamp) -> String {
    format!("{run} {}  {word} {}", ui::bold(ui::one_line(title)), ui::dim(ui::day_time(at)))
}

fn context_asks(item: &Pending) -> Option<&str> {
    item.context.get("asks")?.as_str()
}

/// What a run waits for, in the words of its status.
fn state_word(item: &Pending) -> String {
    let kind = serde_json::from_value::<HumanKind>(item.kind.as_str().into());
    let topic = kind.map_or_else(|_| ui::one_line(&item.kind), |kind| kind.topic(context_asks(item)));
    format!("waiting: {topic}")
}

#[cfg(test)]
mod tests {
    use amelia_core::human::WaitMode;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_inbox_shows_of_a_question_cannot_steer_the_terminal() {
        let evil = || "evil\x1b]0;title\x07\nline".to_owned();
        let asked = pending("budget", json!(null));
        let item = Pending { title: evil(), agent: evil(), prompt: format!("a {}", evil()), ..asked };
        // Colours are ours, and always in this form.
        let shown = shown(&item);
        assert_eq!(shown.lines().count(), 3, "{shown:?}");
        assert_eq!(shown.matches("evil\u{FFFD}]0;title\u{FFFD} ⏎ line").count(), 3, "{shown:?}");
    }

    #[test]
    fn a_run_waits_in_the_words_of_its_status() {
        let word = |kind: &str, asks: Value| state_word(&pending(kind, json!({ "asks": asks })));
        assert_eq!(word("approval", json!(null)), "waiting: approval");
        assert_eq!(word("rounds", json!("failing_checks")), "waiting: checks fail");
        assert_eq!(word("step_limit", json!(null)), "waiting: step limit");
        assert_eq!(word("newer", json!(null)), "waiting: newer");
    }

    fn pending(kind: &str, context: Value) -> Pending {
        Pending {
            request_id: uuid::Uuid::nil(),
            workflow_id: uuid::Uuid::nil(),
            short_id: "r1".to_owned(),
            title: "It adds".to_owned(),
            kind: kind.to_owned(),
            agent: "developer".to_owned(),
            prompt: "which?".to_owned(),
            context,
            can_accept: false,
            about_checks: false,
            can_allow_always: false,
            requested_at: jiff::Timestamp::UNIX_EPOCH,
            deadline: None,
            on_timeout: Default::default(),
            mode: None,
        }
    }

    fn unestimated(item: &Pending) -> InboxItem {
        InboxItem { asked: item.clone(), estimate: None, changed_nothing: None }
    }

    fn shown(item: &Pending) -> String {
        anstream::adapter::strip_str(&item_lines(&unestimated(item), false, "amelia")).to_string()
    }

    fn asked(kind: &str, context: Value) -> String {
        shown(&pending(kind, context))
    }

    #[test]
    fn an_unknown_price_is_no_limit_and_has_its_own_way_out() {
        let unpriced = pending("budget", json!({"whose": "run", "limit": {"unpriced": {"calls": 0}}}));
        let prompt = "the price is unknown: continue?\n  hint: add it".to_owned();
        let shown = shown(&Pending { prompt, ..unpriced });
        assert!(shown.starts_with("r1 It adds  waiting: budget "), "{shown}");
        assert!(shown.contains("continue?\n  hint: add it\n"), "{shown}");
        assert!(shown.ends_with("amelia resume r1 --no-budget; amelia cancel r1"), "{shown}");
    }

    #[test]
    fn a_call_is_allowed_always_only_where_a_profile_keeps_the_rule() {
        let asked = pending("approval", json!({"permission": {"tool": "Bash", "args": {}, "rule": "Bash"}}));
        assert!(shown(&asked).contains("amelia approve r1 [--for-run]; amelia reject"), "{}", shown(&asked));
        let kept = Pending { can_allow_always: true, ..asked };
        assert!(shown(&kept).contains("approve r1 [--for-run or --always];"), "{}", shown(&kept));
    }

    #[test]
    fn a_question_is_named_only_beside_others() {
        let question = pending("question", json!(null));
        let lines = |has_others| item_lines(&unestimated(&question), has_others, "amelia");
        assert!(lines(false).contains("amelia answer r1 'YOUR ANSWER'"));
        assert!(lines(true).contains("amelia answer r1 00000000-0000"));
    }

    #[test]
    fn a_question_has_its_options_and_a_check_the_end_of_its_output() {
        let question = asked("question", json!({"options": ["8420", "80"]}));
        assert!(question.contains("developer: which?\n    8420\n    80\n"), "{question}");
        assert!(question.starts_with("r1 It adds  waiting: question "), "{question}");
        let failing = asked("rounds", json!({"output": "E1\nE2"}));
        assert!(failing.contains("which?\n    | E1\n    | E2\n"), "{failing}");
        let of_system = shown(&Pending { agent: "system".to_owned(), ..pending("approval", json!({})) });
        assert!(of_system.contains("\n  which?\n"), "the system is no agent: {of_system}");
    }

    #[test]
    fn a_question_with_a_deadline_says_what_silence_leads_to() {
        let question = pending("escalation", json!({"hitl": "escalation"}));
        let deadline = Some(Timestamp::UNIX_EPOCH);
        let mode = Some(WaitMode::Advisory);
        let lines = shown(&Pending { deadline, mode, ..question });
        let silence = "without an answer until 1970-01-01 00:00:00Z it counts as rejected; nothing waits for the answer";
        assert!(lines.contains(silence), "{lines}");
        assert!(lines.ends_with("amelia answer r1 'YOUR ANSWER'"), "{lines}");
    }

    #[test]
    fn a_run_that_changed_nothing_says_so_before_its_work_is_accepted() {
        let rounds = Pending { can_accept: true, ..pending("rounds", json!({"asks": "failing_checks"})) };
        assert!(is_about_work(&rounds));
        let said = |changed_nothing| {
            let item = InboxItem { changed_nothing, ..unestimated(&rounds) };
            item_lines(&item, false, "amelia").contains("The run has changed nothing so far.")
        };
        assert_eq!([said(Some(true)), said(Some(false)), said(None)], [true, false, false]);
        let interrupted = Pending { context: json!({"asks": INTERRUPTED_CALL}), ..rounds.clone() };
        assert!(!is_about_work(&interrupted), "its result is accepted, not its files");
    }

    #[test]
    fn only_what_can_be_done_is_offered() {
        let plan = asked("approval", json!({"problems": []}));
        assert!(plan.contains("amelia approve r1"), "{plan}");
        let invalid = asked("approval", json!({"problems": ["no task"]}));
        assert!(!invalid.contains("approve") && invalid.contains("reject"), "{invalid}");
        let permission = asked("approval", json!({"permission": {}}));
        assert!(!permission.contains("plan show"), "{permission}");
        let rounds = pending("rounds", json!({}));
        assert!(shown(&rounds).ends_with("amelia resume r1 --approve; amelia cancel r1"));
        let checks = Pending { can_accept: true, about_checks: true, ..rounds };
        let commands = "amelia resume r1 --approve (with the same checks); amelia resume r1 --accept (the work as it is); \
                        amelia resume r1 --checks-from-profile (with those that it has now); amelia cancel r1";
        assert!(shown(&checks).ends_with(commands), "{}", shown(&checks));
    }
}
