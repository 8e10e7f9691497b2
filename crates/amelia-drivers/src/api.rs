//! Our own agent loop over HTTP models. What happens next is decided in `turns` (pure); this file does it.

pub mod fit;
mod nudges;
mod open_call;
pub mod turns;

use std::collections::BTreeSet;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use amelia_core::budget::{BudgetGate, Reservation, Spend};
use amelia_core::clock::Clock;
use amelia_core::config::retry::RetryConfig;
use amelia_core::driver::{
    AgentMessage, AgentMessageStream, AgentRequest, Driver, DriverError, ModelOptions, Usage, UsageMeter,
};
use amelia_core::message::Part;
use amelia_core::recording::Channel;
use amelia_core::tool::{JudgedAnswer, Risk, ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec};
use futures_util::StreamExt;
use futures_util::future::join_all;
use parking_lot::Mutex;

use self::fit::Shown;
use self::open_call::{AskedOf, OpenCall};
use self::turns::{NextAction, Turns};
use crate::fallback::{continues, is_elsewhere_better};
use crate::model::{
    Breaker, LONGEST_RETRY, Model, ModelFailure, ModelReply, ModelRequest, Prices, ReplyChunk, RetryDecision,
    StopReason, Traits,
};
use crate::quota::QuotaGate;
use crate::user_messages::UserMessageSource;

/// How often a conversation is shortened for one question.
const MOST_CUTS: u32 = 3;
/// No model has a smaller window.
const SMALLEST_WINDOW: u64 = 2048;
/// Output tokens of a turn by default.
const USUAL_OUTPUT: u64 = 2048;

/// An agent on a model.
#[derive(Clone)]
pub struct ApiDriver {
    pub model: Arc<dyn Model>,
    pub clock: Arc<dyn Clock>,
    pub retry: RetryConfig,
    pub prices: Arc<Prices>,
    /// Reserved before a call, settled after.
    pub budget_gate: BudgetGate,
    /// One per upstream, shared by all agents on it.
    pub breaker: Arc<Mutex<Breaker>>,
    /// Whether the account that is called is used up.
    pub quota: QuotaGate,
    pub user_messages: Arc<dyn UserMessageSource>,
    /// Tokens that fit the model; the conversation is shortened before they are used up. Lowered when they do not.
    pub context_tokens: Arc<AtomicU64>,
    /// Who continues with the conversation, in this order, when this model is not available.
    pub fallbacks: Vec<Fallback>,
}

/// A model that continues where another one is not available.
#[derive(Clone)]
pub struct Fallback {
    /// Without fallbacks of its own.
    pub driver: ApiDriver,
    pub model: String,
    pub options: ModelOptions,
}

impl Fallback {
    /// What it is asked, in the place of the first.
    fn request(&self, request: &AgentRequest) -> AgentRequest {
        AgentRequest { model: self.model.clone(), options: self.options.clone(), ..request.clone() }
    }
}

impl Driver for ApiDriver {
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> AgentMessageStream {
        let mut active = ActiveModel::new(self, request);
        Box::pin(async_stream::try_stream! {
            let mut specs = Arc::new(tools.specs());
            // What is sent with every question, counted once.
            let sent = |system: &str, specs: &[ToolSpec]| fit::tokens_of(system).saturating_add(fit::schema_tokens(specs));
            let mut fixed = sent(&active.request.system, &specs);
            let (mut told, mut is_scripted) = (BTreeSet::new(), false);
            let mut turns = Turns::new(&active.request, Arc::clone(&active.driver.clock));
            loop {
                let next = turns.decide()?;
                // Between two calls to the model, or instead of the end: words of a person come first.
                if matches!(next, NextAction::Ask | NextAction::Done(_))
                    && let Some(words) = active.driver.user_messages.heard(&*tools, &active.request.channel)
                {
                    turns.heard(words.clone());
                    yield AgentMessage::Said(Box::new(words));
                    continue;
                }
                match next {
                    NextAction::Ask => {
                        tools.before_turn().await;
                        let messages = Arc::clone(&active.driver.user_messages);
                        if let Some(changed) = messages.changed_tools(&*tools, &specs, &active.request.channel).await {
                            yield AgentMessage::Notice { text: difference(&specs, &changed) };
                            fixed = sent(&active.request.system, &changed);
                            specs = Arc::new(changed);
                        }
                        let mut asked = Ok(None);
                        {
                            let mut pieces = std::pin::pin!(active.driver.ask(&active.request, &turns, (&specs, fixed)));
                            while let Some(said) = pieces.next().await {
                                match said {
                                    Err(error) => asked = Err(error),
                                    Ok(AskProgress::Told(text)) if !told.insert(text.clone()) => {}
                                    Ok(AskProgress::Told(text)) => yield AgentMessage::Notice { text },
                                    Ok(AskProgress::Scripted) if std::mem::replace(&mut is_scripted, true) => {}
                                    Ok(AskProgress::Scripted) => yield AgentMessage::ScriptedModel,
                                    Ok(AskProgress::Live(message)) => yield message,
                                    Ok(AskProgress::Reply(done)) => asked = Ok(Some(done)),
                                }
                            }
                        }
                        let ModelReply { parts, usage, stop } = match asked {
                            Ok(Some(reply)) => reply,
                            Ok(None) => continue,
                            Err(error) => {
                                let text = active.pass_on(error, &mut turns)?;
                                yield AgentMessage::Notice { text };
                                continue;
                            }
                        };
                        yield AgentMessage::Usage(usage);
                        let judged = match stop {
                            StopReason::Refused => JudgedAnswer::Accepted(parts),
                            _ => tools.judge(parts).await,
                        };
                        let parts = match judged {
                            JudgedAnswer::Accepted(parts) => parts,
                            JudgedAnswer::TakenBack { policy, message, part } => {
                                yield AgentMessage::Said(turns.taken_back(policy, message, part)?);
                                continue;
                            }
                        };
                        for message in turns.said(parts, stop) {
                            yield AgentMessage::Said(message);
                        }
                        if stop == StopReason::Refused {
                            Err(active.declined())?;
                        }
                    }
                    NextAction::Call(calls) => {
                        let results = active.driver.call(&*tools, &specs, &cx, &calls).await;
                        turns.returned(results);
                    }
                    NextAction::Say(nudge) => yield AgentMessage::Said(nudge),
                    NextAction::Done(text) => {
                        yield AgentMessage::Result { text, session: None, is_error: false };
                        return;
                    }
                }
            }
        })
    }
}

/// What has become of the tools, for people.
fn difference(last: &[ToolSpec], now: &[ToolSpec]) -> String {
    let missing = |from: &[ToolSpec], of: &[ToolSpec]| {
        let is_missing = |spec: &&ToolSpec| !from.iter().any(|other| other.name == spec.name);
        of.iter().filter(is_missing).map(|spec| spec.name.to_string()).collect::<Vec<_>>()
    };
    let (added, removed) = (missing(last, now), missing(now, last));
    let part =
        |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")));
    let parts: Vec<String> = part("added", &added).into_iter().chain(part("removed", &removed)).collect();
    let parts = if parts.is_empty() { "changed descriptions".to_owned() } else { parts.join("; ") };
    format!("the tools of MCP servers have changed: {parts}")
}

/// Who answers at the moment, and who would continue.
struct ActiveModel {
    driver: ApiDriver,
    request: AgentRequest,
    others: std::vec::IntoIter<Fallback>,
}

impl ActiveModel {
    fn new(driver: &ApiDriver, request: AgentRequest) -> Self {
        Self { driver: driver.clone(), request, others: driver.fallbacks.clone().into_iter() }
    }

    /// After this failure the next one continues, and people learn it. Fails with it when that is of no use.
    fn pass_on(&mut self, error: DriverError, turns: &mut Turns) -> Result<String, DriverError> {
        if !is_elsewhere_better(&error) {
            return Err(error);
        }
        let Some(next) = self.others.next() else { return Err(error) };
        self.request = next.request(&self.request);
        turns.continued_by(&next.model);
        self.driver = next.driver;
        Ok(continues(&next.model, &error))
    }

    fn declined(&self) -> DriverError {
        DriverError::Refused {
            provider: self.driver.model.provider().to_owned(),
            status: None,
            detail: "the model declined to answer".to_owned(),
        }
    }
}

/// What comes of asking: something to show, or the reply.
enum AskProgress {
    Live(AgentMessage),
    /// About the model as a whole: people learn it once.
    Told(String),
    /// The same of one that is scripted.
    Scripted,
    Reply(ModelReply),
}

/// One try: something to show, or how it ended.
enum TryProgress {
    Live(AgentMessage),
    Told(String),
    Scripted,
    Ended(Result<ModelReply, ModelFailure>),
}

/// How to continue after a failed try.
enum Again {
    /// With less of the conversation.
    Shorter,
    After(Duration),
}

impl ApiDriver {
    /// Asks until there is a reply, as often as the retry rules allow.
    fn ask<'a>(
        &'a self,
        request: &'a AgentRequest,
        turns: &'a Turns,
        (tools, fixed): (&'a Arc<Vec<ToolSpec>>, u64),
    ) -> impl futures_util::Stream<Item = Result<AskProgress, DriverError>> + 'a {
        async_stream::try_stream! {
            let mut cuts = 0;
            for tries in 1_u32.. {
                let room = fit::room(self.window(), fixed, request.options.max_tokens);
                let Shown { messages, left_out, changed_from, tokens } = fit::fit(turns.messages(), turns.tokens(), room);
                let messages = turns.own_thoughts(messages);
                if left_out > 0 && tries == 1 {
                    yield notice(format!("{left_out} old messages were shortened to fit the model"));
                }
                let asked = ModelRequest {
                    model: request.model.clone(),
                    system: request.system.clone(),
                    messages,
                    changed_from,
                    tools: Arc::clone(tools),
                    answer: request.answer.clone(),
                    options: request.options.clone(),
                    traits: Traits::default(),
                    channel: request.channel.clone(),
                };
                let _leave = self.quota.admit(self.clock.now(), &request.channel)?;
                let mut ended = Err(ModelFailure::Cut);
                let shown = tokens.saturating_add(fixed);
                let mut trying = std::pin::pin!(self.try_once(asked, shown, &request.meter));
                while let Some(tried) = trying.next().await {
                    match tried? {
                        TryProgress::Live(message) => yield AskProgress::Live(message),
                        TryProgress::Told(text) => yield AskProgress::Told(text),
                        TryProgress::Scripted => yield AskProgress::Scripted,
                        TryProgress::Ended(how) => ended = how,
                    }
                }
                let failure = match ended {
                    Ok(reply) => {
                        if reply.stop == StopReason::WindowFull {
                            self.learn(shown);
                        }
                        yield AskProgress::Reply(reply);
                        return;
                    }
                    Err(failure) => failure,
                };
                let told = self.model.told(&request.model, &failure);
                let shorter = fit::room(shown, fixed, request.options.max_tokens);
                let can_be_cut = fit::fit(turns.messages(), turns.tokens(), shorter).tokens < shown - fixed;
                let cuts_left = if can_be_cut { MOST_CUTS - cuts } else { 0 };
                match self.after(failure, request, tries, cuts_left)? {
                    Again::Shorter => {
                        cuts += 1;
                        self.learn(shown);
                    }
                    Again::After(wait) => {
                        let again = self.retry.words(tries.saturating_sub(1), wait);
                        yield AskProgress::Live(AgentMessage::Retry { text: format!("{told}; {again}") });
                        tokio::time::sleep(wait).await;
                    }
                }
            }
        }
    }

    /// Asks once: within the budget, and unless the upstream is held back.
    fn try_once(
        &self,
        asked: ModelRequest,
        tokens: u64,
        meter: &UsageMeter,
    ) -> impl futures_util::Stream<Item = Result<TryProgress, DriverError>> + '_ {
        let (model, channel, meter) = (asked.model.clone(), asked.channel.clone(), meter.clone());
        async_stream::try_stream! {
            self.admit()?;
            let reserved = self.reserve(&asked, tokens).await?;
            let mut open = OpenCall::new(self, reserved, AskedOf { model, channel, meter }, tokens);
            let started = self.clock.now();
            let mut ended = Err(ModelFailure::Cut);
            let mut pieces = self.model.ask(asked);
            while let Some(piece) = pieces.next().await {
                match piece {
                    Ok(ReplyChunk::Delta(kind, text)) => {
                        open.streamed(text.len());
                        yield TryProgress::Live(AgentMessage::Delta { kind, text });
                    }
                    Ok(ReplyChunk::Arguments(bytes)) => open.streamed(bytes),
                    Ok(ReplyChunk::Told(usage)) => open.told(usage),
                    Ok(ReplyChunk::Notice(text)) => yield TryProgress::Told(text),
                    Ok(ReplyChunk::Scripted) => yield TryProgress::Scripted,
                    Ok(ReplyChunk::Reply(reply)) => ended = Ok(reply),
                    Err(failure) => ended = Err(failure),
                }
            }
            let ended = ended.map(|reply| {
                let taken = self.clock.now().duration_since(started).as_millis();
                let usage = estimated(reply.usage, tokens, &reply.parts);
                let usage = Usage { duration_ms: u64::try_from(taken).ok(), ..usage };
                ModelReply { usage: self.prices.priced(usage), ..reply }
            });
            match &ended {
                Ok(reply) => open.settle(Spend::of(&reply.usage)),
                // What was streamed or told of an answer is paid for, although it was cut.
                Err(_) => if let Some(usage) = open.cut() {
                    yield TryProgress::Live(AgentMessage::Usage(usage));
                },
            }
            if ended.is_ok() {
                self.breaker.lock().succeeded();
                self.quota.proved(self.clock.now());
            }
            yield TryProgress::Ended(ended);
        }
    }

    /// Whether, and how, to try again.
    fn after(
        &self,
        failure: ModelFailure,
        request: &AgentRequest,
        tries: u32,
        cuts_left: u32,
    ) -> Result<Again, DriverError> {
        match failure.verdict(self.clock.now()) {
            RetryDecision::TooLong if cuts_left > 0 => return Ok(Again::Shorter),
            // The run can be resumed by then; no one sits and waits for it.
            RetryDecision::Retry(Some(wish)) if wish > LONGEST_RETRY => {
                self.breaker.lock().failed(self.clock.now());
            }
            RetryDecision::Retry(wish) => match self.retry.delay(tries.saturating_sub(1)) {
                // Never before the provider's own wish, and not all at the same moment.
                Some(own) => {
                    let own = spread(own, &request.channel, tries);
                    return Ok(Again::After(wish.filter(|wish| !wish.is_zero()).unwrap_or(own)));
                }
                None => self.breaker.lock().failed(self.clock.now()),
            },
            RetryDecision::ModelQuota(_) => {
                self.breaker.lock().succeeded();
                let error = self.model.give_up(failure, &request.model, tries);
                return Err(self.quota.noted_of_model(error, &request.channel));
            }
            RetryDecision::TooLong
            | RetryDecision::Quota(_)
            | RetryDecision::Unauthorised
            | RetryDecision::UnknownModel
            // The server answers with a refusal.
            | RetryDecision::Final => self.breaker.lock().succeeded(),
        }
        Err(self.quota.noted(self.model.give_up(failure, &request.model, tries), &request.channel))
    }

    /// Reading tools run at the same time; as soon as one of the calls may change something, their order counts.
    async fn call(
        &self,
        tools: &dyn ToolBox,
        specs: &[ToolSpec],
        cx: &ToolCx,
        calls: &[ToolCall],
    ) -> Vec<ToolResult> {
        let reads =
            |call: &ToolCall| specs.iter().any(|spec| spec.name == call.tool && spec.risk == Risk::Read);
        if calls.iter().all(reads) {
            return join_all(calls.iter().map(|call| tools.call(cx, call))).await;
        }
        let mut results = Vec::with_capacity(calls.len());
        for call in calls {
            results.push(tools.call(cx, call).await);
        }
        results
    }

    /// Tokens that fit the model, as far as it is known.
    fn window(&self) -> u64 {
        self.context_tokens.load(Ordering::Relaxed)
    }

    /// So many tokens did not fit. It is remembered: the next turn is not refused once more.
    fn learn(&self, tokens: u64) {
        let smaller = self.window().min(tokens.max(SMALLEST_WINDOW)) * 2 / 3;
        self.context_tokens.store(smaller, Ordering::Relaxed);
    }

    fn admit(&self) -> Result<(), DriverError> {
        let now = self.clock.now();
        self.breaker.lock().admit(now).map_err(|wait| DriverError::Held {
            provider: self.model.provider().to_owned(),
            wait,
            detail: "it failed several times in a row".to_owned(),
        })
    }

    /// Sets aside what the call may cost: its input, and as much output as is asked for.
    async fn reserve(&self, request: &ModelRequest, input: u64) -> Result<Reservation, DriverError> {
        let output = request.options.max_tokens.unwrap_or(USUAL_OUTPUT);
        let usage = Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            num_turns: Some(1),
            model: Some(request.model.clone()),
            ..Usage::default()
        };
        let usd = self.prices.priced(usage).cost_usd.unwrap_or(0.0);
        let is_known = self.prices.is_cost_known(self.model.provider(), &request.model);
        let unpriced_calls = u64::from(!is_known);
        let estimate = Spend { usd, tokens: input, calls: 1, unpriced_calls, ..Spend::default() };
        let reserved = self.budget_gate.reserve(estimate, self.clock.now(), &request.channel).await;
        reserved.map_err(DriverError::Budget)
    }
}

/// What a call took: as it was reported, else as it was estimated. A server that says nothing is not free.
fn estimated(told: Usage, input: u64, parts: &[Part]) -> Usage {
    let is_estimated = told.input_tokens.is_none() || told.output_tokens.is_none();
    Usage {
        is_estimated,
        input_tokens: told.input_tokens.or(Some(input)),
        output_tokens: told.output_tokens.or_else(|| Some(fit::output_tokens(parts))),
        ..told
    }
}

/// A delay that is the same for the same question, and another for others: those who failed together do not come back
/// together.
fn spread(delay: Duration, channel: &Channel, tries: u32) -> Duration {
    let mut hasher = std::hash::DefaultHasher::new();
    (&channel.name, tries).hash(&mut hasher);
    let share = u32::try_from(hasher.finish() % 1000).unwrap_or(0);
    delay.mul_f64(0.75 + f64::from(share) / 2000.0)
}

fn notice(text: String) -> AskProgress {
    AskProgress::Live(AgentMessage::Notice { text })
}
