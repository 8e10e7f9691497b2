//! One call from its reservation to its end. However it ends, it is settled, told and kept exactly once: by its owner,
//! or when it is dropped because the caller went away.

use std::sync::{Arc, Weak};

use amelia_core::budget::{Reservation, Spend};
use amelia_core::driver::Usage;
use amelia_core::recording::FrameSource;
use amelia_drivers::model::{RetryDecision, refusal};
use amelia_drivers::program::MeterReport;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use jiff::Timestamp;
use parking_lot::Mutex;

use crate::call::ModelCall;
use crate::frame::{self, ExchangeEnding, FrameParts};
use crate::grant::{Grant, OpenCall};
use crate::meter::{AnswerMeter, Form};
use crate::parsed_request::ParsedRequest;

/// What is kept of an answer.
const LARGEST_KEPT: usize = 32 * 1024 * 1024;

/// Of a stream of events, for each token in it; rather too few than too many.
const BYTES_PER_TOKEN: usize = 40;

/// A call that was let through.
pub(crate) struct ModelExchange {
    grant: Arc<Grant>,
    call: &'static ModelCall,
    asked: ParsedRequest,
    /// The path below the upstream's base URL, and the query.
    target: String,
    request: Bytes,
    /// Nothing for calls that cost nothing.
    reservation: Option<Reservation>,
    started: Timestamp,
    answer: Option<Answer>,
    is_over: bool,
}

/// What has come back so far.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    meter: AnswerMeter,
    body: Vec<u8>,
    is_too_large: bool,
}

impl ModelExchange {
    pub(crate) fn new(
        grant: Arc<Grant>,
        call: &'static ModelCall,
        target: String,
        (asked, request): (ParsedRequest, Bytes),
        reservation: Option<Reservation>,
    ) -> Arc<Mutex<Self>> {
        let started = grant.access.clock.now();
        let holder = Arc::clone(&grant);
        let exchange =
            Self { grant, call, asked, target, request, reservation, started, answer: None, is_over: false };
        let exchange = Arc::new(Mutex::new(exchange));
        let open: Weak<dyn OpenCall> = Arc::downgrade(&exchange) as Weak<dyn OpenCall>;
        holder.add(open);
        exchange
    }

    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    pub(crate) fn request(&self) -> &Bytes {
        &self.request
    }

    /// The answer begins.
    pub(crate) fn begin(&mut self, status: StatusCode, headers: &HeaderMap) {
        let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let form = if kind.starts_with("text/event-stream") { Form::Stream } else { Form::Whole };
        let meter = AnswerMeter::new(self.call.metering, form);
        self.answer =
            Some(Answer { status, headers: headers.clone(), meter, body: Vec::new(), is_too_large: false });
    }

    /// A piece of the answer passes.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let Some(answer) = &mut self.answer else { return };
        if answer.status.is_success() {
            answer.meter.take(bytes);
        }
        let room = LARGEST_KEPT - answer.body.len();
        answer.body.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
        answer.is_too_large |= bytes.len() > room;
    }

    /// The call was not made after all.
    pub(crate) fn release(&mut self) {
        self.is_over = true;
        if let Some(reservation) = self.reservation.take() {
            self.grant.limiter.settle(&self.grant.access, reservation, Spend::default());
        }
    }

    /// Nothing more comes.
    pub(crate) fn end(&mut self, ending: ExchangeEnding) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let mut answer = self.answer.take();
        let ending = match &answer {
            Some(answer) if answer.is_too_large => ExchangeEnding::TooLarge,
            Some(_) | None => ending,
        };
        // What is reported may become a fact: what it came from is kept before.
        self.keep(answer.as_ref(), ending);
        self.settle(answer.as_mut(), ending);
        if let Some(answer) = answer.filter(|answer| answer.status == StatusCode::TOO_MANY_REQUESTS) {
            self.tell_quota(&answer);
        }
    }

    fn settle(&mut self, answer: Option<&mut Answer>, ending: ExchangeEnding) {
        let Some(reservation) = self.reservation.take() else { return };
        let access = &self.grant.access;
        let is_made = match &answer {
            Some(answer) => answer.status.is_success(),
            // It was on its way when the caller left, and its use is not known.
            None => ending == ExchangeEnding::Left,
        };
        if !is_made {
            self.grant.limiter.settle(access, reservation, Spend::default());
            return;
        }
        let streamed = answer.as_ref().map(|answer| answer.body.len());
        let told = answer.and_then(|answer| {
            let whole = (ending == ExchangeEnding::Whole).then_some(answer.body.as_slice());
            answer.meter.usage(whole)
        });
        let told = self.estimated(told.unwrap_or_default(), streamed, &reservation);
        let taken = access.clock.now().duration_since(self.started).as_millis();
        let usage = access.prices.priced(Usage {
            model: self.asked.model.take(),
            num_turns: Some(1),
            duration_ms: u64::try_from(taken).ok(),
            ..told
        });
        self.grant.limiter.settle(access, reservation, Spend::of(&usage));
        self.grant.tell(MeterReport::Used(usage));
    }

    /// What was not counted is taken as it was set aside, or by what was streamed: limits hold over calls that are
    /// cut, too.
    fn estimated(&self, told: Usage, streamed: Option<usize>, reserved: &Reservation) -> Usage {
        let input = told.input_tokens.unwrap_or(self.asked.input_tokens);
        let most = self.asked.output_tokens.unwrap_or(u64::MAX);
        let output = match streamed {
            Some(bytes) => u64::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(u64::MAX).min(most),
            None => reserved.tokens().saturating_sub(self.asked.input_tokens),
        };
        let is_estimated = told.input_tokens.is_none() || told.output_tokens.is_none();
        let output = told.output_tokens.unwrap_or(output);
        Usage { input_tokens: Some(input), output_tokens: Some(output), is_estimated, ..told }
    }

    fn tell_quota(&self, answer: &Answer) {
        let now = self.grant.access.clock.now();
        let redactor = &self.grant.redactor;
        let failure = refusal(answer.status.as_u16(), &answer.headers, &answer.body, now, redactor);
        // A program has one model: what holds that one holds the program.
        if let RetryDecision::Quota(resets_at) | RetryDecision::ModelQuota(resets_at) = failure.verdict(now) {
            let detail = failure.to_string();
            let provider = self.grant.access.upstream.provider.clone();
            self.grant.tell(MeterReport::Quota { provider, resets_at, detail });
        }
    }

    fn keep(&self, answer: Option<&Answer>, ending: ExchangeEnding) {
        let redactor = &self.grant.redactor;
        let request = match redactor.bytes(&self.request) {
            std::borrow::Cow::Borrowed(_) => self.request.clone(),
            std::borrow::Cow::Owned(clean) => Bytes::from(clean),
        };
        let response = redactor.events(answer.map(|answer| answer.body.as_slice()).unwrap_or_default());
        let content_type = answer.and_then(|answer| answer.headers.get(header::CONTENT_TYPE));
        let kept = FrameParts {
            target: &redactor.text(&self.target),
            request: &request,
            status: answer.map(|answer| answer.status.as_u16()),
            content_type: content_type.and_then(|kind| kind.to_str().ok()),
            response: &response,
            ending,
        };
        // Held until the frame is added: the order of frames is the order of what they are compared with.
        let mut last = self.grant.last.lock();
        self.grant.channel.add(FrameSource::Proxy, frame::write(kept, &last));
        *last = request;
    }
}

impl OpenCall for Mutex<ModelExchange> {
    fn leave(&self) {
        self.lock().end(ExchangeEnding::Left);
    }
}

impl Drop for ModelExchange {
    fn drop(&mut self) {
        self.end(ExchangeEnding::Left);
    }
}
