//! Tools whose results come from the log of the run that is played: nothing is run.

use std::collections::HashMap;
use std::sync::Arc;

use amelia_agents::agent::END;
use amelia_agents::agent::sampling::{MOST, session_of};
use amelia_agents::moment::moment_of;
use amelia_core::elicitation::{Elicitation, Elicited};
use amelia_core::event::{AgentEvent, Event, EventKind, HumanEvent, SystemEvent};
use amelia_core::human::HumanRequest;
use amelia_core::id::{CallId, RunId, Seq};
use amelia_core::memory::RECALL;
use amelia_core::message::{MemoryPart, Part, Role};
use amelia_core::sampling::SamplingRequest;
use amelia_core::tool::{ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec, WorkArea};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::Value;

use crate::workplace::watch::MORE_FILES;

/// A call as it was made. Its id alone is not enough: some models give the same ones in every conversation.
type CallKey = (CallId, String, String);

fn made(call: &ToolCall) -> CallKey {
    (call.id.clone(), call.tool.to_string(), Value::Object(call.args.clone()).to_string())
}

/// What a server asked in the middle of a call.
#[derive(Clone)]
enum ServerQuestion {
    Person(Elicitation),
    Model(SamplingRequest),
}

/// What tools returned, by call.
#[derive(Default)]
pub struct Results {
    by_call: HashMap<CallKey, Vec<(Seq, ToolResult)>>,
    /// What became of files and of memory, by the moment at which it was noticed.
    files: HashMap<String, Vec<EventKind>>,
    /// What agents were reminded of, by the moment of the message in which they were.
    recalled: HashMap<String, MemoryPart>,
    /// What servers asked a person or a model, by call.
    asked: HashMap<CallKey, Vec<(Seq, ServerQuestion)>>,
    /// Where the log ends in the life that is played.
    until: Mutex<Seq>,
}

impl Results {
    pub fn of(events: &[Event]) -> Self {
        let mut by_call: HashMap<CallKey, Vec<(Seq, ToolResult)>> = HashMap::new();
        let mut open: HashMap<String, CallKey> = HashMap::new();
        let mut asked: HashMap<CallKey, Vec<(Seq, ServerQuestion)>> = HashMap::new();
        let prompts = prompts(events);
        for event in events {
            let draft = &event.draft;
            let moment = |call: &CallId| moment_of(draft.step, draft.session, &draft.agent, call.as_str());
            match &draft.kind {
                EventKind::Agent(AgentEvent::Called(call)) => {
                    open.insert(moment(&call.id), made(call));
                    let (parent, step) = (draft.session.unwrap_or(event.run), draft.step.unwrap_or_default());
                    let session = |number| session_of(parent, step, &call.id, number);
                    let sampled = (0..MOST).map_while(|number| prompts.get(&session(number)));
                    asked.entry(made(call)).or_default().extend(sampled.cloned());
                }
                EventKind::Agent(AgentEvent::Returned(result)) => {
                    if let Some(made) = open.remove(&moment(&result.call)) {
                        by_call.entry(made).or_default().push((event.seq, result.clone()));
                    }
                }
                EventKind::Human(HumanEvent::Requested(request)) => {
                    if let Some((made, elicitation)) = elicited(request) {
                        asked.entry(made).or_default().push((event.seq, ServerQuestion::Person(elicitation)));
                    }
                }
                _ => {}
            }
        }
        // A call that was made again is there again, with the same children.
        for questions in asked.values_mut() {
            questions.sort_by_key(|(seq, _)| *seq);
            questions.dedup_by_key(|(seq, _)| *seq);
        }
        let (files, recalled) = (files(events), recalled(events));
        Self { by_call, files, recalled, asked, until: Mutex::default() }
    }

    pub fn go_on(&self, until: Seq) {
        *self.until.lock() = until;
    }

    /// What an agent was reminded of at this moment.
    pub(crate) fn recalled(&self, moment: &str) -> Option<MemoryPart> {
        self.recalled.get(moment).cloned()
    }

    fn of_call(&self, call: &ToolCall) -> Option<ToolResult> {
        let until = *self.until.lock();
        let (seq, result) = self.by_call.get(&made(call))?.first()?;
        (*seq <= until).then(|| result.clone())
    }

    fn asked_in(&self, call: &ToolCall) -> impl Iterator<Item = &ServerQuestion> {
        let until = *self.until.lock();
        let asked = self.asked.get(&made(call)).into_iter().flatten();
        asked.filter(move |(seq, _)| *seq <= until).map(|(_, question)| question)
    }
}

/// The first words of every child run, with their place.
fn prompts(events: &[Event]) -> HashMap<RunId, (Seq, ServerQuestion)> {
    let mut prompts = HashMap::new();
    for event in events {
        let EventKind::Agent(AgentEvent::Said(said)) = &event.draft.kind else { continue };
        if let (Some(session), Role::User) = (event.draft.session, said.role) {
            let request = SamplingRequest { prompt: said.text(), max_tokens: None };
            prompts.entry(session).or_insert((event.seq, ServerQuestion::Model(request)));
        }
    }
    prompts
}

/// The call in which a server asked, and what.
fn elicited(request: &HumanRequest) -> Option<(CallKey, Elicitation)> {
    let text = |key: &str| request.context.get(key)?.as_str();
    let args = request.context.get("args")?.to_string();
    Some(((CallId::repaired(text("call")?), text("tool")?.to_owned(), args), Elicitation::of(request)?))
}

/// What agents were reminded of: it is a part of the message that their turn begins with.
fn recalled(events: &[Event]) -> HashMap<String, MemoryPart> {
    let mut by_moment = HashMap::new();
    for Event { draft, .. } in events {
        let EventKind::Agent(AgentEvent::Said(said)) = &draft.kind else { continue };
        let part = said.parts.iter().find_map(|part| match part {
            Part::Memory(part) => Some(part.clone()),
            _ => None,
        });
        if let Some(part) = part.filter(|_| said.role == Role::User) {
            by_moment.insert(moment_of(draft.step, draft.session, &draft.agent, RECALL), part);
        }
    }
    by_moment
}

/// What became of files and of memory is written right before what it was that changed them, by the same agent in the same visit.
fn files(events: &[Event]) -> HashMap<String, Vec<EventKind>> {
    let (mut by_moment, mut noticed) = (HashMap::new(), HashMap::<String, Vec<EventKind>>::new());
    for Event { draft, .. } in events {
        let moment = |what: &str| moment_of(draft.step, draft.session, &draft.agent, what);
        let what = match &draft.kind {
            EventKind::Artifact(_) | EventKind::Memory(_) => None,
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
        for asked in self.results.asked_in(call) {
            match (asked, &cx.sampler) {
                (ServerQuestion::Person(asked), _) if (cx.elicit)(asked) == Elicited::Later => {
                    return ToolResult::interrupted(call);
                }
                // The answer is in the log; the server that read it is not there.
                (ServerQuestion::Model(request), Some(sampler)) => {
                    drop(sampler.sample(request.clone()).await);
                }
                (ServerQuestion::Person(_) | ServerQuestion::Model(_), _) => {}
            }
        }
        match self.results.of_call(call) {
            Some(result) => result,
            // It had not returned when the process died.
            None => std::future::pending().await,
        }
    }
}
