//! The spans of a run, folded from its log. Pure. Names and attributes are those of the semantic conventions for generative
//! AI; what they do not have begins with `amelia.`.

use std::collections::BTreeMap;

use amelia_core::event::{AgentEvent, Draft, Event, EventKind, HumanEvent, NodeEvent, RunEvent};
use amelia_core::id::{AgentName, CallId, EventId, RequestId, RunId, Step};
use amelia_core::usage::Usage;
use jiff::{SignedDuration, Timestamp};

/// What an attribute can be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SpanValue {
    Text(String),
    Number(u64),
    Fraction(f64),
}

pub(super) type Attributes = Vec<(&'static str, SpanValue)>;

/// Whether another program does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    Internal,
    Client,
}

/// Something that took time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub(super) id: EventId,
    pub(super) parent: Option<EventId>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    pub(super) attributes: Attributes,
    /// The code of what failed.
    pub(super) error: Option<String>,
}

/// Whether nothing more happens to the run by itself: everything that ended until then is sent.
pub(super) fn is_rest(event: &Event) -> bool {
    matches!(&event.draft.kind, EventKind::Run(RunEvent::Paused { .. })) && event.draft.session.is_none()
        || has_ended(event)
}

/// Whether the run is over, unless a person tries it again.
pub(super) fn has_ended(event: &Event) -> bool {
    let is_end = matches!(
        &event.draft.kind,
        EventKind::Run(RunEvent::Completed { .. } | RunEvent::Failed { .. } | RunEvent::Cancelled { .. })
    );
    is_end && event.draft.session.is_none()
}

/// What a span is of, while it is open.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum OpenKey {
    Visit(Step),
    /// One conversation at a time per agent, session and visit.
    Turn(Option<Step>, Option<RunId>, AgentName),
    /// Models repeat the ids of calls between sessions.
    Call(Option<RunId>, CallId),
    Question(RequestId),
}

/// Reads a log event by event.
#[derive(Debug, Default)]
pub(super) struct SpanFold {
    run: Option<Span>,
    open: BTreeMap<OpenKey, Span>,
    ended: Vec<Span>,
}

impl SpanFold {
    /// The spans that have ended since this was last called.
    pub(super) fn take_ended(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.ended)
    }

    pub(super) fn apply(&mut self, event: &Event) {
        let draft = &event.draft;
        match &draft.kind {
            EventKind::Run(run) if draft.session.is_none() => self.apply_run(run, event),
            EventKind::Node(NodeEvent::Entered { node, step }) => {
                let attributes =
                    vec![("amelia.node", text(node)), ("amelia.step", SpanValue::Number(step.0.into()))];
                let span = Span { parent: self.root(), ..begin(draft, node.to_string(), attributes) };
                self.open.insert(OpenKey::Visit(*step), span);
            }
            EventKind::Node(NodeEvent::Left { step, .. }) => self.leave(*step, draft.at),
            EventKind::Human(HumanEvent::Requested(request)) => {
                let attributes = vec![("amelia.request.kind", text(request.kind))];
                let span = Span {
                    parent: self.place(draft),
                    ..begin(draft, "wait_for_person".to_owned(), attributes)
                };
                self.open.insert(OpenKey::Question(request.id), span);
            }
            EventKind::Human(HumanEvent::Replied(reply)) => {
                self.end(&OpenKey::Question(reply.request), draft.at, None);
            }
            EventKind::Agent(agent) => self.apply_agent(agent, draft),
            EventKind::Run(_)
            | EventKind::Human(HumanEvent::Intervened(_))
            | EventKind::Plan(_)
            | EventKind::Task(_)
            | EventKind::Review(_)
            | EventKind::Team(_)
            | EventKind::Artifact(_)
            | EventKind::Memory(_)
            | EventKind::Guardrail(_)
            | EventKind::Ingest(_)
            | EventKind::System(_)
            | EventKind::Effect(_)
            | EventKind::Delivery(_) => {}
        }
    }

    fn apply_run(&mut self, run: &RunEvent, event: &Event) {
        let (draft, at) = (&event.draft, event.draft.at);
        match run {
            RunEvent::Created { spec } if self.run.is_none() => {
                let attributes = vec![
                    ("gen_ai.operation.name", text("invoke_workflow")),
                    ("gen_ai.conversation.id", text(event.run)),
                    ("amelia.graph", text(&spec.graph)),
                ];
                self.run = Some(begin(draft, format!("invoke_workflow {}", spec.graph), attributes));
            }
            RunEvent::Completed { .. } => self.end_all(at, None),
            RunEvent::Cancelled { .. } => self.end_all(at, Some("cancelled")),
            RunEvent::Failed { failure } => self.end_all(at, Some(&failure.code)),
            _ => {}
        }
    }

    fn apply_agent(&mut self, agent: &AgentEvent, draft: &Draft) {
        let turn = OpenKey::Turn(draft.step, draft.session, draft.agent.clone());
        if !self.open.contains_key(&turn) {
            let attributes = vec![
                ("gen_ai.operation.name", text("invoke_agent")),
                ("gen_ai.agent.name", text(&draft.agent)),
            ];
            let span = begin(draft, format!("invoke_agent {}", draft.agent), attributes);
            self.open.insert(turn.clone(), Span { parent: self.place(draft), ..span });
        }
        let parent = self.open.get(&turn).map(|turn| turn.id);
        match agent {
            AgentEvent::Called(call) => {
                let attributes = vec![
                    ("gen_ai.operation.name", text("execute_tool")),
                    ("gen_ai.tool.name", text(&call.tool)),
                    ("gen_ai.tool.call.id", text(&call.id)),
                ];
                let span = begin(draft, format!("execute_tool {}", call.tool), attributes);
                self.open.insert(OpenKey::Call(draft.session, call.id.clone()), Span { parent, ..span });
            }
            AgentEvent::Returned(result) => {
                let error = (!result.is_success()).then_some("tool_error");
                self.end(&OpenKey::Call(draft.session, result.call.clone()), draft.at, error);
            }
            AgentEvent::Used(usage) => self.ended.push(Span { parent, ..model_call(usage, draft) }),
            AgentEvent::Finished { is_error, .. } => {
                self.end(&turn, draft.at, is_error.then_some("agent_error"));
            }
            AgentEvent::Started { .. } | AgentEvent::Thought(_) | AgentEvent::Said(_) => {}
        }
    }

    /// The visit ends, and with it what its agents were doing.
    fn leave(&mut self, step: Step, at: Timestamp) {
        let is_inside = |key: &OpenKey| matches!(key, OpenKey::Turn(Some(of), ..) if *of == step);
        let turns: Vec<OpenKey> = self.open.keys().filter(|key| is_inside(key)).cloned().collect();
        turns.iter().for_each(|turn| self.end(turn, at, None));
        self.end(&OpenKey::Visit(step), at, None);
    }

    fn end(&mut self, key: &OpenKey, at: Timestamp, error: Option<&str>) {
        if let Some(span) = self.open.remove(key) {
            self.ended.push(ended(span, at, error));
        }
    }

    /// A run that failed and is tried again ends again, later: its spans then have the same ids.
    fn end_all(&mut self, at: Timestamp, error: Option<&str>) {
        let open = std::mem::take(&mut self.open);
        let run = self.run.clone();
        self.ended.extend(open.into_values().chain(run).map(|span| ended(span, at, error)));
    }

    fn root(&self) -> Option<EventId> {
        self.run.as_ref().map(|run| run.id)
    }

    /// The visit in which something happened; the run if it was none.
    fn place(&self, draft: &Draft) -> Option<EventId> {
        let visit = draft.step.and_then(|step| self.open.get(&OpenKey::Visit(step)));
        visit.map(|visit| visit.id).or(self.root())
    }
}

fn begin(draft: &Draft, name: String, attributes: Attributes) -> Span {
    let (start, end) = (draft.at, draft.at);
    Span { id: draft.id, parent: None, name, kind: SpanKind::Internal, start, end, attributes, error: None }
}

fn ended(span: Span, at: Timestamp, error: Option<&str>) -> Span {
    Span { end: at.max(span.start), error: error.map(str::to_owned), ..span }
}

/// The log has a call of a model when it is over, with how long it took.
fn model_call(usage: &Usage, draft: &Draft) -> Span {
    let took = i64::try_from(usage.duration_ms.unwrap_or(0)).unwrap_or(i64::MAX);
    let start = draft.at.checked_sub(SignedDuration::from_millis(took)).unwrap_or(draft.at);
    let name = usage.model.as_ref().map_or_else(|| "chat".to_owned(), |model| format!("chat {model}"));
    let numbers = [
        ("gen_ai.usage.input_tokens", usage.input_tokens.map(|_| usage.prompt_tokens())),
        ("gen_ai.usage.output_tokens", usage.output_tokens),
        ("gen_ai.usage.cache_read.input_tokens", usage.cache_read_tokens),
        ("gen_ai.usage.cache_creation.input_tokens", usage.cache_creation_tokens),
        ("amelia.turns", usage.num_turns.map(u64::from)),
    ];
    let mut attributes = vec![("gen_ai.operation.name", text("chat"))];
    attributes.extend(usage.model.as_ref().map(|model| ("gen_ai.response.model", text(model))));
    attributes
        .extend(numbers.into_iter().filter_map(|(key, number)| Some((key, SpanValue::Number(number?)))));
    attributes.extend(usage.cost_usd.map(|usd| ("amelia.cost_usd", SpanValue::Fraction(usd))));
    Span { kind: SpanKind::Client, start, ..begin(draft, name, attributes) }
}

fn text(value: impl std::fmt::Display) -> SpanValue {
    SpanValue::Text(value.to_string())
}

#[cfg(test)]
#[path = "spans_tests.rs"]
mod tests;
