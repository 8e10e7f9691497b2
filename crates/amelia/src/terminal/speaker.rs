//! Who speaks in a log, as people call them. Pure.

use amelia_core::event::{AgentEvent, Event, EventKind, HumanEvent};
use amelia_core::human::HumanAction;
use amelia_core::id::AgentName;
use amelia_core::message::Role;

use crate::ui;

/// Columns of the name of who speaks, with the blanks behind it.
pub(crate) const NAMES: usize = 12;
/// Who speaks when no agent does.
pub(crate) const AMELIA: &str = "amelia";
pub(crate) const PERSON: &str = "you";

/// Whose event this is.
pub(crate) fn speaker_of(event: &Event) -> String {
    match &event.draft.kind {
        // The prompt of an agent.
        EventKind::Agent(AgentEvent::Said(message)) if message.role != Role::Assistant => AMELIA.to_owned(),
        EventKind::Agent(_) => label_of(&event.draft.agent),
        // The life of a sub-agent.
        EventKind::Run(_) if event.draft.session.is_some() => label_of(&event.draft.agent),
        EventKind::Human(HumanEvent::Requested(request)) => label_of(&request.by),
        EventKind::Human(HumanEvent::Replied(reply))
            if reply.is_automatic() || reply.action == HumanAction::TimedOut =>
        {
            AMELIA.to_owned()
        }
        EventKind::Human(HumanEvent::Replied(_) | HumanEvent::Intervened(_)) => PERSON.to_owned(),
        _ => AMELIA.to_owned(),
    }
}

/// An agent as people call it.
pub(crate) fn label_of(agent: &AgentName) -> String {
    if *agent == AgentName::system() {
        return AMELIA.to_owned();
    }
    ui::one_line(&agent.label())
}

/// The name in its column and colour. Longer names take the room they need, and one blank.
pub(crate) fn painted_name(who: &str) -> String {
    let padded = format!("{who:<width$} ", width = NAMES - 1);
    let is_agent = who != AMELIA && who != PERSON;
    if is_agent { ui::painted(ui::BUSY.bold(), padded) } else { ui::dim(padded) }
}
