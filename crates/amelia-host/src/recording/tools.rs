//! Tools whose results come from the log of the run that is played: nothing is run.

use std::collections::HashMap;
use std::sync::Arc;

use amelia_agents::agent::END;
use amelia_agents::moment::moment_of;
use amelia_core::elicitation::{Elicitation, Elicited};
use amelia_core::event::{AgentEvent, Event, EventKind, HumanEvent, SystemEvent};
use amelia_core::human::HumanRequest;
use amelia_core::id::{CallId, Seq};
use amelia_core::tool::{ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec, WorkArea};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::Value;

use crate::workplace::watch::MORE_FILES;

/// A call as it was made. Its id alone is not enough: some models give the same ones in every conversation.
type Made = (CallId, String, String);

fn made(call: &ToolCall) -> Made {
    (call.id.clone(), call.tool.to_string(), Value::Object(call.args.clone()).to_string())
}

/// What tools returned, by call.
#[derive(Default)]
pub struct Results {
    by_call: HashMap<Made, Vec<(Seq, ToolResult)>>,
    /// What became of files, by the moment at which it was noticed.
    files: HashMap<String, Vec<EventKind>>,
    /// What servers asked a person, by call.
    asked: HashMap<Made, Vec<(Seq, Elicitation)>>,
    /// Where the log ends in the life that is played.
    until: Mutex<Seq>,
}

impl Results {
    pub fn of(events: &[Event]) -> Self {
        let mut by_call: HashMap<Made, Vec<(Seq, ToolResult)>> = HashMap::new();
        let mut open: HashMap<String, Made> = HashMap::new();
        let mut asked: HashMap<Made, Vec<(Seq, Elicitation)>> = HashMap::new();
        for event in events {
            let draft = &event.draft;
            let moment = |call: &CallId| moment_of(draft.step, draft.session, &draft.agent, call.as_str());
            match &draft.kind {
                EventKind::Agent(AgentEvent::Called(call)) => {
                    open.insert(moment(&call.id), made(call));
                }
                EventKind::Agent(AgentEvent::Returned(result)) => {
                    if let Some(made) = open.remove(&moment(&result.call)) {
                        by_call.entry(made).or_default().push((event.seq, result.clone()));
                    }
                }
                EventKind::Human(HumanEvent::Requested(request)) => {
                    if let Some((made, elicitation)) = elicited(request) {
                        asked.entry(made).or_default().push((event.seq, elicitation));
                    }
                }
                _ => {}
            }
        }
        Self { by_call, files: files(events), asked, until: Mutex::default() }
    }

    pub fn go_on(&self, until: Seq) {
        *self.until.lock() = until;
    }

    fn of_call(&self, call: &ToolCall) -> Option<ToolResult> {
        let until = *self.until.lock();
        let (seq, result) = self.by_call.get(&made(call))?.first()?;
        (*seq <= until).then(|| result.clone())
    }

    fn asked_in(&self, call: &ToolCall) -> impl Iterator<Item = &Elicitation> {
        let until = *self.until.lock();
        let asked = self.asked.get(&made(call)).into_iter().flatten();
        asked.filter(move |(seq, _)| *seq <= until).map(|(_, elicitation)| elicitation)
    }
}

/// The call in which a server asked, and what.
fn elicited(request: &HumanRequest) -> Option<(Made, Elicitation)> {
    let text = |key: &str| request.context.get(key)?.as_str();
    let args = request.context.get("args")?.to_string();
    Some(((CallId::repaired(text("call")?), text("tool")?.to_owned(), args), Elicitation::of(request)?))
}

/// What became of files is written right before what it was that changed them, by the same agent in the same visit.
fn files(events: &[Event]) -> HashMap<String, Vec<EventKind>> {
    let (mut by_moment, mut noticed) = (HashMap::new(), HashMap::<String, Vec<EventKind>>::new());
    for Event { draft, .. } in events {
        let moment = |what: &str| moment_of(draft.step, draft.session, &draft.agent, what);
        let what = match &draft.kind {
            EventKind::Artifact(_) => None,
            EventKind::System(SystemEvent::Warned { details, .. }) if details.contains_key(MORE_FILES) => {
                None
            }
            EventKind::Agent(AgentEvent::Returned(result)) => Some(result.call.as_str()),
            EventKind::Agent(AgentEvent::Finished { .. }) => Some(END),
            _ => continue,
        };
        match what {
            None => noticed.entry(moment("")).or_default().push(draft.kind.clone()),
            Some(what) => {
                if let Some(files) = noticed.remove(&moment("")) {
                    by_moment.insert(moment(what), files);
                }
            }
        }
    }
    by_moment
}

/// The tools of a role, without hands.
pub struct PlayedTools {
    pub specs: Vec<ToolSpec>,
    pub work_area: WorkArea,
    pub results: Arc<Results>,
}

#[async_trait]
impl ToolBox for PlayedTools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.specs.clone()
    }

    fn is_real(&self) -> bool {
        false
    }

    fn work_area(&self) -> Option<WorkArea> {
        Some(self.work_area.clone())
    }

    async fn file_events(&self, moment: &str) -> Vec<EventKind> {
        self.results.files.get(moment).cloned().unwrap_or_default()
    }

    async fn refresh(&self, recorded: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        let is_of_servers = self.specs.iter().any(|spec| spec.name.server.is_some());
        recorded.filter(|_| is_of_servers).map(<[_]>::to_vec)
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        if self.results.asked_in(call).any(|asked| (cx.elicit)(asked) == Elicited::Later) {
            return ToolResult::interrupted(call);
        }
        match self.results.of_call(call) {
            Some(result) => result,
            // It had not returned when the process died.
            None => std::future::pending().await,
        }
    }
}
