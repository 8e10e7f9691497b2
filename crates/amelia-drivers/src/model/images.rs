//! The images of a conversation on their way to a model: none for a model that takes none, and of those that tools returned
//! as many as a request can have. Pure.

use std::sync::Arc;

use amelia_core::message::{Message, Part, TextPart};
use amelia_core::tool::{ResultImage, ToolResult};

use super::ModelRequest;
use crate::media;

/// Images of results in one request: with those of the person, it stays below what providers take.
const MAX_RESULT_IMAGES: usize = 20;
const MAX_RESULT_IMAGES_BYTES: u64 = 7_500_000;

/// A conversation can continue without an image that a tool returned.
pub(crate) const UNREADABLE_RESULT: &str = "an image that a tool returned cannot be read";

/// Whether there is any image in this request.
pub(super) fn has_images(request: &ModelRequest) -> bool {
    request.messages.iter().flat_map(|message| &message.parts).any(is_image)
}

fn is_image(part: &Part) -> bool {
    matches!(part, Part::Image(_)) || has_own(part)
}

/// A result with images.
fn has_own(part: &Part) -> bool {
    matches!(part, Part::ToolResult(result) if !result.images.is_empty())
}

/// The request for a model that takes no images: a sentence says that there was one. The text of a result says so
/// already.
pub(super) fn without_images(request: ModelRequest) -> ModelRequest {
    if !has_images(&request) {
        return request;
    }
    changed(request, |_, part| is_image(part))
}

/// The request with the newest images of results only, if it has too many. The older ones go all at once, and not one with
/// every new image: so the beginning of the conversation mostly stays as it was, and providers find it in their cache.
pub(super) fn with_newest_images(request: ModelRequest) -> ModelRequest {
    let (mut first, mut images, mut bytes) = (0, 0, 0);
    for (place, message) in request.messages.iter().enumerate() {
        let own: Vec<&ResultImage> = message.parts.iter().flat_map(images_of).collect();
        let own_bytes: u64 = own.iter().map(|image| image.bytes).sum();
        (images, bytes) = (images + own.len(), bytes + own_bytes);
        if images > MAX_RESULT_IMAGES || bytes > MAX_RESULT_IMAGES_BYTES {
            (first, images, bytes) = (place, own.len(), own_bytes);
        }
    }
    let goes = |place: usize, part: &Part| place < first && has_own(part);
    let mut messages = request.messages.iter().enumerate();
    let Some((changed_first, _)) =
        messages.find(|(place, message)| message.parts.iter().any(|part| goes(*place, part)))
    else {
        return request;
    };
    let changed_from = request.changed_from.map_or(changed_first, |before| before.min(changed_first));
    ModelRequest { changed_from: Some(changed_from), ..changed(request, goes) }
}

fn images_of(part: &Part) -> &[ResultImage] {
    match part {
        Part::ToolResult(result) => &result.images,
        _ => &[],
    }
}

/// With words in the place of these images; `goes` is asked about a part of the message with this number.
fn changed(request: ModelRequest, goes: impl Fn(usize, &Part) -> bool) -> ModelRequest {
    let shown = |(place, message): (usize, &Arc<Message>)| {
        if !message.parts.iter().any(|part| goes(place, part)) {
            return Arc::clone(message);
        }
        let part = |part: &Part| if goes(place, part) { in_words(part) } else { part.clone() };
        Arc::new(Message { parts: message.parts.iter().map(part).collect(), ..(**message).clone() })
    };
    ModelRequest { messages: Arc::new(request.messages.iter().enumerate().map(shown).collect()), ..request }
}

fn in_words(part: &Part) -> Part {
    match (part, media::in_words(part)) {
        (Part::ToolResult(result), _) => {
            Part::ToolResult(ToolResult { images: Vec::new(), ..result.clone() })
        }
        (Part::Image(_), Some(words)) => Part::Text(TextPart::new(words)),
        (other, _) => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, TickingClock};
    use amelia_core::id::{AgentName, CallId, MessageId};
    use amelia_core::message::{ExecutionMode, Object, Role};
    use amelia_core::recording::Channel;
    use amelia_core::tool::{CallOptions, ToolCall, ToolName};

    use super::super::Traits;
    use super::*;

    /// A conversation in which each turn gets an image of so many bytes back.
    fn asked(sizes: &[u64]) -> ModelRequest {
        let clock = TickingClock::default();
        let message = |(number, bytes): (usize, &u64)| {
            let call = ToolCall {
                id: CallId::repaired(&format!("c{number}")),
                tool: ToolName::parse("web:look").unwrap(),
                args: Object::new(),
                at: None,
                options: CallOptions::default(),
            };
            let path = format!("results/{number}.png");
            let image = ResultImage { path, media_type: "image/png".to_owned(), bytes: *bytes };
            let result = ToolResult { error: None, images: vec![image], ..ToolResult::interrupted(&call) };
            Arc::new(Message {
                id: MessageId(clock.new_id()),
                at: clock.now(),
                role: Role::Tool,
                agent: AgentName::system(),
                task: None,
                parent: None,
                mode: ExecutionMode::default(),
                memory: Object::new(),
                parts: vec![Part::ToolResult(result)],
                metadata: Object::new(),
            })
        };
        ModelRequest {
            model: "m".to_owned(),
            system: String::new(),
            messages: Arc::new(sizes.iter().enumerate().map(message).collect()),
            changed_from: None,
            tools: Arc::default(),
            answer: None,
            options: amelia_core::driver::ModelOptions::default(),
            traits: Traits::default(),
            channel: Channel::default(),
        }
    }

    /// The numbers of the messages with images, and the first one that is not as it was.
    fn shown(sizes: &[u64]) -> (Vec<usize>, Option<usize>) {
        let request = with_newest_images(asked(sizes));
        let has_image =
            |(place, message): (usize, &Arc<Message>)| is_image(&message.parts[0]).then_some(place);
        (request.messages.iter().enumerate().filter_map(has_image).collect(), request.changed_from)
    }

    #[test]
    fn only_the_newest_images_of_results_are_shown_and_the_old_ones_go_together() {
        assert_eq!(shown(&[1, 2, 3]), (vec![0, 1, 2], None));
        assert_eq!(shown(&[3_000_000; 2]), (vec![0, 1], None));
        assert_eq!(shown(&[3_000_000; 3]), (vec![2], Some(0)));
        assert_eq!(shown(&[3_000_000; 4]), (vec![2, 3], Some(0)), "what was shown stays shown");
        assert_eq!(shown(&[1; 21]), (vec![20], Some(0)));
        assert_eq!(shown(&[9_000_000]), (vec![0], None), "the newest one is always shown");
    }

    #[test]
    fn a_model_that_takes_no_images_gets_none_of_results() {
        assert!(has_images(&asked(&[1])));
        assert!(!has_images(&without_images(asked(&[1, 2]))));
    }
}
