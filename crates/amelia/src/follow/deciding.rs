//! What a person at the terminal can decide when a run waits, and what their words mean. Pure.

use amelia_core::human::{HumanKind, HumanRequest, asks};
use amelia_core::human_tool::is_of_tool;
use amelia_core::object::Object;
use amelia_core::permission::{PERMISSION, fits};
use amelia_core::yes_or_no::{Opening, is_no, is_yes, opening};
use amelia_wire::amelia::config::budget::Budget;
use amelia_wire::rest::human::{AllowedFor, GrantChoice, Respond, ResponseType};
use amelia_wire::rest::request::{LimitName, Limits};
use serde_json::{Value, json};

/// What every question leaves to the person.
const ENTER: &str = "press Enter to decide later, ? for help";

/// The command to a run.
#[derive(Debug, PartialEq)]
pub(crate) enum Decision {
    Answer(Respond),
    /// To resume, with other limits or none.
    Resume(Limits),
    Step,
    Continue,
    /// To end it.
    Cancel,
}

impl Decision {
    /// To approve, once, without a person.
    pub(crate) fn automatic_yes() -> Self {
        Self::Answer(Respond { automatic: true, ..answer(ResponseType::Approved, None) })
    }
}

/// What is to be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HumanChoice {
    Plan,
    /// Of something else than a plan, by a node of a workflow or a team.
    Approval {
        /// Whether the answer can also be a change.
        can_change: bool,
    },
    Permission,
    Question,
    Rounds {
        can_accept: bool,
    },
    /// A node was visited as often as it may be: no agent would read a message.
    Visit,
    /// Whether a tool node makes a call again that was interrupted.
    Interrupted,
    /// A check cannot run on this machine.
    Setup,
    Limit,
    /// A limit in USD, and the price of a model is unknown.
    UnknownPrice,
    Step,
    Resume,
}

impl HumanChoice {
    /// What a request leaves to the person; nothing for a pause, which they made themselves.
    pub(crate) fn of(request: &HumanRequest) -> Option<Self> {
        let context = |name: &str| request.context.get(name);
        Some(match request.kind {
            HumanKind::Approval if context(PERMISSION).is_some() => Self::Permission,
            HumanKind::Approval if request.is_about_plan() => Self::Plan,
            HumanKind::Approval => Self::Approval { can_change: request.can_change() },
            HumanKind::Question => Self::Question,
            HumanKind::Escalation if is_of_tool(request) => Self::Question,
            HumanKind::Rounds if request.asks() == Some(asks::MISSING_PROGRAM) => Self::Setup,
            HumanKind::Rounds if request.asks() == Some(asks::VISIT_LIMIT) => Self::Visit,
            HumanKind::Escalation if request.is_about_interrupted_call() => Self::Interrupted,
            HumanKind::Rounds | HumanKind::Escalation => Self::Rounds { can_accept: request.can_accept() },
            // Another's limit does not move with the run's own.
            HumanKind::Budget if context("whose").is_none_or(|whose| whose == "run") => {
                match context("limit").and_then(|limit| limit.get("unpriced")) {
                    Some(_) => Self::UnknownPrice,
                    None => Self::Limit,
                }
            }
            HumanKind::Step => Self::Step,
            HumanKind::Budget | HumanKind::Quota | HumanKind::StepLimit | HumanKind::Breakpoint => {
                Self::Resume
            }
            HumanKind::Pause => return None,
        })
    }

    /// Whether `--auto` says yes to it: to a plan, but not to a call that the profile wants a person to see.
    pub(crate) fn is_for_auto(self) -> bool {
        matches!(self, Self::Plan | Self::Approval { .. })
    }

    /// What can be said.
    /// `has_profile`: the run has one, which can keep a rule.
    pub(crate) fn ways(self, request: &HumanRequest, has_profile: bool) -> String {
        if self == Self::Permission {
            return permission_ways(request.offered_rule().as_deref(), has_profile);
        }
        let ways = match self {
            Self::Plan if request.is_about_empty_plan() => {
                "[c]ancel cancels the run, or describe what to change"
            }
            Self::Plan => "[y]es approves, [c]ancel cancels the run, or describe what to change",
            Self::Approval { can_change: true } => {
                "[y]es approves, [n]o rejects, both also with a message, m TEXT changes"
            }
            Self::Approval { can_change: false } => "[y]es approves, [n]o rejects, both also with a message",
            Self::Permission | Self::Question => return ENTER.to_owned(),
            Self::Rounds { can_accept: true } => {
                "[y]es continues, [a]ccept accepts the work as it is, [s]top cancels the run, or write to the \
                 agent"
            }
            Self::Rounds { can_accept: false } => {
                "[y]es continues, [s]top cancels the run, or write to the agent"
            }
            Self::Visit => "[y]es visits the node again, [s]top cancels the run",
            Self::Interrupted => {
                "[y]es runs the tool again, [n]o continues without its result, [a]ccept continues because it is done, \
                 [c]ancel cancels the run"
            }
            Self::Setup => {
                "[y]es runs the checks that the profile has now (as --checks-from-profile does), [s]top cancels the run"
            }
            Self::Limit => {
                "a new limit, such as 5 USD, 200000 tokens, 50 calls or 600 s, or [c]ancel cancels the run"
            }
            Self::UnknownPrice => "[y]es continues without a limit in USD, [c]ancel cancels the run",
            Self::Step => "[y]es runs the next step, [c]ontinue leaves step mode",
            Self::Resume => "[y]es resumes",
        };
        format!("{ways}; {ENTER}")
    }

    /// What each answer leads to, a line each.
    pub(crate) fn explanation(self) -> String {
        let answers = match self {
            Self::Plan => {
                "y, yes or ok: the plan is implemented, task by task, on a separate branch\n\
                 c: the run is cancelled; nothing is implemented\n\
                 any other text: the Architect revises the plan accordingly, and asks again"
            }
            Self::Approval { can_change: true } => {
                "y: the run continues as approved\n\
                 n: the run continues as rejected\n\
                 y TEXT, n TEXT: the same, and the agents get your text\n\
                 m TEXT: the run follows the edge `modify`, and the agents get your text\n\
                 any other text: the same as n, and the agents get your text"
            }
            Self::Approval { can_change: false } => {
                "y: the run continues as approved\n\
                 n: the run continues as rejected\n\
                 y TEXT, n TEXT: the same, and the agents get your text\n\
                 any other text: the same as n, and the agents get your text"
            }
            Self::Permission => {
                "y, yes or ok: the call is made; the agent asks again before the next one\n\
                 n: the call is not made, and the agent continues without it\n\
                 c: the run is cancelled; what was changed stays on its branch\n\
                 r or a, alone or with a rule: this call and later calls that match the rule are made; a rule is the name of \
                 the tool, alone or with the beginning of the command and a * in brackets, as offered above\n\
                 any other text: the call is not made, and the agent gets your text"
            }
            Self::Question => "any text: your answer; the agent continues with it",
            Self::Rounds { can_accept: true } => {
                "y: the agents try again\n\
                 a: the work is accepted as it is, and the run continues\n\
                 s: the run is cancelled; what was changed stays on its branch\n\
                 any other text: the agents get your text and try again"
            }
            Self::Rounds { can_accept: false } => {
                "y: the agents try again\n\
                 s: the run is cancelled; what was changed stays on its branch\n\
                 any other text: the agents get your text and try again"
            }
            Self::Visit => {
                "y: the node is visited again, as often as its limit says\n\
                 s: the run is cancelled; what was changed stays on its branch"
            }
            Self::Interrupted => {
                "y: the tool runs again, with the same arguments\n\
                 n: the tool does not run again, and the run continues without its result\n\
                 a: the same as n, but the node counts as successful, because the tool has done its work\n\
                 c: the run is cancelled; what was changed stays on its branch\n\
                 any other text: the same as n, and your text becomes a message of the run"
            }
            Self::Setup => {
                "y: the run continues with the checks that the profile has now; install the program or change the profile \
                 before. `amelia resume --approve` continues with the same checks\n\
                 s: the run is cancelled; what was changed stays on its branch"
            }
            Self::Limit => {
                "a number and its unit: the run continues until it has used that much in total\n\
                 c: the run is cancelled; what was changed stays on its branch"
            }
            Self::UnknownPrice => {
                "y: the run continues, and its cost in USD has no limit; other limits stay\n\
                 c: the run is cancelled; what was changed stays on its branch"
            }
            Self::Step => {
                "y: the next node runs, then the run stops again\n\
                 c: the run continues without stopping"
            }
            Self::Resume => "y: the run continues",
        };
        format!("{answers}\n{LATER}")
    }

    /// What the words of a person mean; an error says what to write instead.
    pub(crate) fn decide(self, words: &str, request: &HumanRequest) -> Result<Decision, String> {
        if self == Self::Permission
            && let Some(choice) = granted(words, request)
        {
            choice.granted(request).map_err(|problem| problem.to_text())?;
            let answer = answer(ResponseType::Approved, None);
            return Ok(Decision::Answer(Respond { grant: Some(choice), ..answer }));
        }
        let decision = self.decide_in_words(words).map_err(str::to_owned)?;
        let is_yes =
            matches!(&decision, Decision::Answer(Respond { response_type: ResponseType::Approved, .. }));
        if is_yes && request.is_about_empty_plan() {
            return Err(
                "the plan has no task: describe what to change, or write c to cancel the run".to_owned()
            );
        }
        Ok(decision)
    }

    fn decide_in_words(self, words: &str) -> Result<Decision, &'static str> {
        let is = |all: &[&str]| all.iter().any(|one| words.trim().eq_ignore_ascii_case(one));
        let (is_yes, is_no) = (is_yes(words), is_no(words));
        match self {
            Self::Question => Ok(Decision::Answer(answer(ResponseType::Approved, Some(words)))),
            Self::Plan
            | Self::Approval { .. }
            | Self::Permission
            | Self::Rounds { .. }
            | Self::Visit
            | Self::Interrupted
            | Self::Setup
                if is_yes =>
            {
                Ok(Decision::Answer(answer(ResponseType::Approved, None)))
            }
            // A bare "no" says nothing that could be planned.
            Self::Plan if is_no => {
                Err("what should change? Describe it in a few words, or write c to cancel the run")
            }
            Self::Plan | Self::Permission | Self::Interrupted if is(&["c", "cancel"]) => Ok(Decision::Cancel),
            Self::Plan if is_letter(words) => {
                Err("write y to approve, c to cancel the run, or what should change in a few words")
            }
            Self::Permission if is_letter(words) && !is_no => {
                Err("write y, n, r, a or c, or say in a few words what to do instead")
            }
            Self::Approval { .. } if opening(words).is_some() => Ok(Decision::Answer(opened(words))),
            // A yes with a condition is no yes to a plan or a call, and a single letter is no text for an agent.
            Self::Plan | Self::Permission if begins_with_y(words) => {
                Err("write only y to approve, or only what should be different")
            }
            Self::Plan | Self::Permission if begins_with_n(words) => Ok(Decision::Answer(opened(words))),
            Self::Approval { can_change: false } if changes(words).is_some() => {
                Err("only yes and no are answers here: write y or n, alone or with a message")
            }
            Self::Approval { .. } if changes(words).is_some() => {
                Ok(Decision::Answer(answer(ResponseType::Modified, changes(words))))
            }
            Self::Approval { .. } if is_letter(words) && !is_no => {
                Err("write y to approve, n to reject, m and what to change, or in a few words why not")
            }
            Self::Interrupted if is(&["a", "accept", "done"]) => Ok(accepted()),
            Self::Interrupted if is_letter(words) && !is_no => Err(
                "write y to run the tool again, n to continue without its result, a if it is done, or c to cancel",
            ),
            Self::Interrupted if matches!(opening(words), Some(Opening::Yes(_))) => {
                Err("write only y to run the tool again, or a if it has done its work")
            }
            Self::Approval { .. } | Self::Permission | Self::Interrupted if is_no => {
                Ok(Decision::Answer(answer(ResponseType::Rejected, None)))
            }
            Self::Plan | Self::Approval { .. } | Self::Permission | Self::Interrupted => {
                Ok(Decision::Answer(answer(ResponseType::Rejected, Some(words))))
            }
            Self::Rounds { can_accept: true } if is(&["a", "accept"]) => Ok(accepted()),
            Self::Rounds { .. } if is_no || is(&["s", "stop"]) => Ok(Decision::Cancel),
            Self::Rounds { .. } if is_letter(words) => {
                Err("write y to continue, s to cancel the run, or a few words to the agent")
            }
            Self::Rounds { .. } => Ok(Decision::Answer(answer(ResponseType::Approved, Some(words)))),
            Self::Setup | Self::Visit if is_no || is(&["s", "stop"]) => Ok(Decision::Cancel),
            Self::Visit => Err("write y to visit the node again, or s to cancel the run"),
            Self::Setup => Err("write y to run the checks again, or s to cancel the run"),
            Self::Limit | Self::UnknownPrice if is_no || is(&["c", "cancel"]) => Ok(Decision::Cancel),
            Self::Limit => limit(words)
                .map(|budget| Decision::Resume(Limits { budget, off: Vec::new() }))
                .ok_or("write a number above zero and USD, tokens, calls or s; or c to cancel the run"),
            Self::UnknownPrice if is_yes => {
                Ok(Decision::Resume(Limits { budget: Budget::default(), off: vec![LimitName::Usd] }))
            }
            Self::UnknownPrice => Err("write y to continue without a limit in USD, or c to cancel the run"),
            Self::Step if is_yes => Ok(Decision::Step),
            Self::Step if is(&["c", "continue"]) => Ok(Decision::Continue),
            Self::Resume if is_yes => Ok(Decision::Resume(Limits::default())),
            Self::Step | Self::Resume => Err("write y, or nothing to decide later"),
        }
    }
}

/// A single letter is meant as a command, not as words for an agent, which would cost a model call.
fn is_letter(words: &str) -> bool {
    words.trim().chars().count() == 1
}

/// A yes or no with a message: `y looks good`.
fn opened(words: &str) -> Respond {
    match opening(words) {
        Some(Opening::Yes(message)) => answer(ResponseType::Approved, Some(message)),
        Some(Opening::No(message)) => answer(ResponseType::Rejected, Some(message)),
        None => answer(ResponseType::Rejected, Some(words)),
    }
}

fn begins_with_y(words: &str) -> bool {
    words.trim().to_ascii_lowercase().starts_with("y ")
}

fn begins_with_n(words: &str) -> bool {
    words.trim().to_ascii_lowercase().starts_with("n ")
}

/// What follows `m` or `modify`.
fn changes(words: &str) -> Option<&str> {
    let (word, rest) = words.trim().split_once(' ')?;
    ["m", "modify"].iter().any(|one| word.eq_ignore_ascii_case(one)).then(|| rest.trim())
}

/// What an empty line leads to.
const LATER: &str = "an empty line: the run waits; `amelia inbox` shows how to answer later";

/// The work is taken as it is.
fn accepted() -> Decision {
    let data = Some(json!({"accept": true}));
    Decision::Answer(Respond { response_data: data, ..answer(ResponseType::Modified, None) })
}

fn answer(response_type: ResponseType, words: Option<&str>) -> Respond {
    Respond {
        response_type,
        response_data: None,
        message: words.map(str::to_owned),
        grant: None,
        automatic: false,
    }
}

/// A line for each: a rule is long.
fn permission_ways(rule: Option<&str>, has_profile: bool) -> String {
    let such_as = rule.and_then(wider).map(|wider| format!(", such as `r {wider}`")).unwrap_or_default();
    let offered = rule.map(|rule| format!("[r]un allows {rule} in this run"));
    let lasting = rule.filter(|_| has_profile).map(|_| "[a]lways allows it in later runs, too".to_owned());
    let other = match (rule, has_profile) {
        (Some(_), true) => format!("r RULE or a RULE allows another rule{such_as}"),
        (Some(_), false) => format!("r RULE allows another rule{such_as}"),
        (None, true) => "r RULE allows a rule in this run, a RULE also in later runs".to_owned(),
        (None, false) => "r RULE allows a rule in this run".to_owned(),
    };
    let first = ["[y]es allows it once".to_owned(), "[n]o does not".to_owned()];
    let last = ["[c]ancel cancels the run, or say what to do instead".to_owned(), ENTER.to_owned()];
    let ways = first.into_iter().chain(offered).chain(lasting).chain([other]).chain(last);
    ways.collect::<Vec<_>>().join("\n")
}

/// The same program with any arguments, as an example, where such a rule would fit.
fn wider(rule: &str) -> Option<String> {
    let (tool, command) = rule.strip_suffix(')')?.split_once('(')?;
    let (program, _) = command.split_once(' ')?;
    let wider = format!("{tool}({program} *)");
    let args = Object::from_iter([("command".to_owned(), Value::from(command))]);
    fits(&wider, tool, &args).then_some(wider)
}

/// `r`, `run`, `a`, `always`, alone or with a rule. Anything else is said to the agent.
fn granted(words: &str, request: &HumanRequest) -> Option<GrantChoice> {
    let (word, rule) =
        words.trim().split_once(' ').map_or((words.trim(), None), |(word, rule)| (word, Some(rule.trim())));
    let lasts = match word.to_ascii_lowercase().as_str() {
        "r" | "run" => AllowedFor::Run,
        "a" | "always" => AllowedFor::Always,
        _ => return None,
    };
    let (tool, _) = request.asked_call()?;
    // A rule of another tool is refused later, with the reason.
    let is_rule = |rule: &str| {
        rule == tool
            || rule.split_once('(').is_some_and(|(tool, rest)| !tool.contains(' ') && rest.ends_with(')'))
    };
    match rule {
        None => Some(GrantChoice { lasts, rule: None }),
        Some(rule) => is_rule(rule).then(|| GrantChoice { lasts, rule: Some(rule.to_owned()) }),
    }
}

/// A number with its unit; money without one.
fn limit(words: &str) -> Option<Budget> {
    let words = words.trim().trim_start_matches('$');
    let end = words.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(words.len());
    let (number, unit) = (words.get(..end)?, words.get(end..)?.trim().to_ascii_lowercase());
    let whole = || number.parse::<u64>().ok().filter(|number| *number > 0);
    let none = Budget::default();
    match unit.as_str() {
        "" | "usd" | "$" => {
            let usd = number.parse::<f64>().ok().filter(|usd| *usd > 0.0)?;
            Some(Budget { usd: Some(usd), ..none })
        }
        "tokens" | "token" => Some(Budget { tokens: Some(whole()?), ..none }),
        "calls" | "call" => Some(Budget { calls: Some(whole()?), ..none }),
        "s" | "seconds" => Some(Budget { wall_seconds: Some(whole()?), ..none }),
        _ => None,
    }
}

#[cfg(test)]
#[path = "deciding_tests.rs"]
mod tests;
