//! A conversation with a program: its protocol decides what is to be done (pure), and this loop does it. One loop for all
//! protocols.

use std::sync::Arc;
use std::time::Duration;

use amelia_core::budget::Spend;
use amelia_core::clock::Clock;
use amelia_core::driver::{AgentMessage, AgentMessageStream, AgentRequest, DriverError, Usage, UsageMeter};
use amelia_core::key_source::KeySource;
use amelia_core::message::Message;
use amelia_core::recording::Channel;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolPermission, ToolResult};
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;

use super::{Launch, Launcher, MeterReport, ProgramOutput, RunningProgram};
use crate::model::{Prices, cannot_reach};
use crate::quota::{QuotaGate, QuotaPermit};
use amelia_core::budget::BudgetGate;

/// A protocol, as a state machine without I/O: fed with what was heard, it says what is to be done.
pub trait Protocol: Send {
    /// How the program is started, and what it gets first. Called again after [`Act::Again`].
    fn begin(&mut self) -> (Launch, Vec<ProtocolAction>);

    /// The program said a line.
    fn hear(&mut self, line: &str) -> Vec<ProtocolAction>;

    /// A call that it wanted to make was decided about.
    fn permitted(&mut self, key: &str, permit: ToolPermission) -> Vec<ProtocolAction>;

    /// A tool of ours that it called has returned.
    fn returned(&mut self, key: &str, result: ToolResult) -> Vec<ProtocolAction>;

    /// A person has something to say in the middle of it. Their message is reported ([`AgentMessage::Said`]) only
    /// when the program has it in its conversation: one that is stopped before is given it again.
    fn steered(&mut self, message: &Message) -> Vec<ProtocolAction>;

    /// It has ended without having finished: a failure, or another start.
    fn ended(&mut self, code: Option<i32>, last_words: &str) -> ProtocolAction;

    /// Nothing came for this long.
    fn silent(&mut self, silence: Duration) -> DriverError;
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum ProtocolAction {
    /// Say this line to the program.
    Say(String),
    /// Say this to the world.
    Tell(AgentMessage),
    /// A model call of the program has used this, as the program itself says. Counts only when the proxy has not metered it.
    Used(Usage),
    /// It wants to use a tool of its own.
    Permit {
        key: String,
        call: ToolCall,
        risk: Risk,
    },
    /// It does not want that any more.
    Forget {
        key: String,
    },
    /// It calls a tool of ours.
    Call {
        key: String,
        call: ToolCall,
    },
    /// Start the program again, another way. People learn why, if it is of interest to them.
    Again {
        why: Option<String>,
    },
    /// Its model did not answer, and it asks again.
    Retry(ProgramRetry),
    /// Its turn is over: let it end by itself.
    Close,
    /// The same, and all is well.
    Done,
    Fail(DriverError),
}

/// What a program says of a model that did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRetry {
    pub failure: String,
    /// When it asks again, and how often it may.
    pub again: String,
    /// The failure may be that of our proxy, which knows more about it.
    pub is_unreached: bool,
}

/// Whether our proxy answers with this status when it cannot reach a model.
pub(crate) fn is_of_proxy(status: u16) -> bool {
    (502..=504).contains(&status)
}

/// What a conversation needs from its surroundings.
#[derive(Clone)]
pub struct TalkContext {
    pub launcher: Arc<dyn Launcher>,
    pub clock: Arc<dyn Clock>,
    pub prices: Arc<Prices>,
    pub budget_gate: BudgetGate,
    /// Whether the account that the program uses is used up.
    pub quota: QuotaGate,
    /// The proxy counts what is used, and keeps the budget.
    pub is_metered: bool,
    /// The key that the proxy uses for it, or its own sign-in.
    pub key_source: KeySource,
}

/// Something that takes its time.
enum Settled {
    Permitted(String, ToolPermission),
    Returned(String, ToolResult),
}

/// What happens next.
enum Event {
    Heard(ProgramOutput),
    Settled(Settled),
}

/// Talks with a program until it is done.
pub fn converse(
    mut talk: impl Protocol + 'static,
    stage: TalkContext,
    request: &AgentRequest,
    tools: Arc<dyn ToolBox>,
    cx: ToolCx,
) -> AgentMessageStream {
    let (channel, model, meter) = (request.channel.clone(), request.model.clone(), request.meter.clone());
    Box::pin(async_stream::try_stream! {
        let mut pending = Pending::new(tools, cx);
        let mut charges = 0_u64;
        // Why its model cannot be reached, as far as the proxy knows.
        let mut unreached: Option<String> = None;
        // How often the program has asked its model again since the last answer.
        let mut retries = 0_u32;
        let mut leave = Some(stage.quota.admit(stage.clock.now(), &channel)?);
        let (mut program, mut acts) = start(&mut talk, &stage, &channel, &meter, &pending.tools).await?;
        'conversation: loop {
            for act in std::mem::take(&mut acts) {
                match act {
                    ProtocolAction::Say(line) => program.program.say(&line).await,
                    ProtocolAction::Tell(message) => yield message,
                    ProtocolAction::Retry(ProgramRetry { failure, again, is_unreached }) => {
                        retries += 1;
                        let cause = unreached.as_ref().filter(|_| is_unreached).unwrap_or(&failure);
                        yield AgentMessage::Retry { text: format!("{cause}; {again}") };
                    }
                    ProtocolAction::Used(_) if stage.is_metered => {}
                    ProtocolAction::Used(usage) => {
                        retries = 0;
                        let usage = stage.prices.priced(usage);
                        charges += 1;
                        stage.proved(&mut leave);
                        let kept = stage.charge(&usage, &channel, charges);
                        yield AgentMessage::Usage(usage);
                        kept?;
                    }
                    ProtocolAction::Permit { key, call, risk } => pending.permit(key, call, risk),
                    ProtocolAction::Call { key, call } => pending.call(key, call),
                    ProtocolAction::Forget { key } => pending.forget(key),
                    ProtocolAction::Again { why } => {
                        if let Some(text) = why {
                            yield AgentMessage::Notice { text };
                        }
                        (program, acts) = start(&mut talk, &stage, &channel, &meter, &pending.tools).await?;
                        pending.forget_all();
                        continue 'conversation;
                    }
                    ProtocolAction::Close => program.program.close().await,
                    ProtocolAction::Fail(error) => {
                        let error = error.after_retries(retries).because(unreached.as_deref()).with_key(&stage.key_source);
                        Err(stage.quota.noted(error, &channel))?;
                    }
                    ProtocolAction::Done => return program.program.close().await,
                }
            }
            acts = match pending.next(&mut *program.program).await {
                Event::Heard(ProgramOutput::Line(line)) => talk.hear(&line),
                Event::Heard(ProgramOutput::Metered(metered)) => {
                    retries = if metered.is_use() { 0 } else { retries };
                    unreached = metered.cause(&model).or(unreached.filter(|_| !metered.is_use()));
                    stage.metered(metered, &model, &mut leave, &channel)?
                }
                Event::Heard(ProgramOutput::Silent(_)) if pending.is_at_work() => Vec::new(),
                Event::Heard(ProgramOutput::Silent(silence)) => Err(talk.silent(silence))?,
                Event::Heard(ProgramOutput::Ended { code, last_words }) => vec![talk.ended(code, &last_words)],
                Event::Settled(Settled::Permitted(key, permit)) => talk.permitted(&key, permit),
                Event::Settled(Settled::Returned(key, result)) => talk.returned(&key, result),
                Event::Heard(ProgramOutput::Steered(message)) => talk.steered(&message),
            };
        }
    })
}

async fn start(
    talk: &mut impl Protocol,
    stage: &TalkContext,
    channel: &Channel,
    meter: &UsageMeter,
    tools: &Arc<dyn ToolBox>,
) -> Result<(MeteredProgram, Vec<ProtocolAction>), DriverError> {
    let (launch, acts) = talk.begin();
    let program = stage.launcher.launch(launch, channel, tools).await?;
    Ok((MeteredProgram { program, meter: meter.clone() }, acts))
}

/// A program that may be left at any moment: what it has used by then is counted.
struct MeteredProgram {
    program: Box<dyn RunningProgram>,
    meter: UsageMeter,
}

impl Drop for MeteredProgram {
    fn drop(&mut self) {
        self.program.revoke().into_iter().for_each(|usage| self.meter.count(usage));
    }
}

impl MeterReport {
    /// Why the model cannot be reached, if that is what is reported.
    fn cause(&self, model: &str) -> Option<String> {
        match self {
            Self::Unreached { address, detail } => Some(cannot_reach(model, address, detail)),
            Self::Used(_) | Self::Exceeded(_) | Self::Quota { .. } => None,
        }
    }

    fn is_use(&self) -> bool {
        matches!(self, Self::Used(_))
    }
}

impl TalkContext {
    /// What the proxy has to say.
    fn metered(
        &self,
        metered: MeterReport,
        model: &str,
        leave: &mut Option<QuotaPermit>,
        channel: &Channel,
    ) -> Result<Vec<ProtocolAction>, DriverError> {
        match metered {
            MeterReport::Used(usage) => {
                self.proved(leave);
                Ok(vec![ProtocolAction::Tell(AgentMessage::Usage(usage))])
            }
            MeterReport::Exceeded(limit) => Err(DriverError::Budget(limit)),
            MeterReport::Unreached { address, detail } => {
                let text = format!("{}; trying again", cannot_reach(model, &address, &detail));
                Ok(vec![ProtocolAction::Tell(AgentMessage::Retry { text })])
            }
            MeterReport::Quota { provider, resets_at, detail } => {
                let error = DriverError::Quota { provider, resets_at, detail, account: None };
                Err(self.quota.noted(error, channel))
            }
        }
    }

    /// The account is not used up: others may call it, too.
    fn proved(&self, leave: &mut Option<QuotaPermit>) {
        if leave.take().is_some() {
            self.quota.proved(self.clock.now());
        }
    }

    /// Books what a program says that it has used. It has been spent: the limit is known to be reached only now.
    fn charge(&self, usage: &Usage, channel: &Channel, count: u64) -> Result<(), DriverError> {
        let charged = self.budget_gate.charge(Spend::of(usage), self.clock.now(), channel, count);
        charged.map_err(DriverError::Budget)
    }
}

/// What is under way on our side.
struct Pending {
    tools: Arc<dyn ToolBox>,
    cx: ToolCx,
    at_work: FuturesUnordered<BoxFuture<'static, Settled>>,
    forgotten: Vec<String>,
}

impl Pending {
    fn new(tools: Arc<dyn ToolBox>, cx: ToolCx) -> Self {
        Self { tools, cx, at_work: FuturesUnordered::new(), forgotten: Vec::new() }
    }

    fn is_at_work(&self) -> bool {
        !self.at_work.is_empty()
    }

    fn permit(&mut self, key: String, call: ToolCall, risk: Risk) {
        let tools = Arc::clone(&self.tools);
        let work = async move { Settled::Permitted(key, tools.permit(&call, risk).await) };
        self.at_work.push(work.boxed());
    }

    fn call(&mut self, key: String, mut call: ToolCall) {
        let (tools, cx) = (Arc::clone(&self.tools), self.cx.clone());
        call.tool = call.tool.from_models(&tools.specs());
        let work = async move { Settled::Returned(key, tools.call(&cx, &call).await) };
        self.at_work.push(work.boxed());
    }

    fn forget(&mut self, key: String) {
        self.forgotten.push(key);
    }

    fn forget_all(&mut self) {
        self.at_work.clear();
        self.forgotten.clear();
    }

    async fn next(&mut self, program: &mut dyn RunningProgram) -> Event {
        loop {
            let settled = async {
                match self.at_work.next().await {
                    Some(settled) => settled,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                settled = settled => {
                    let (Settled::Permitted(key, _) | Settled::Returned(key, _)) = &settled;
                    if !self.forgotten.contains(key) {
                        return Event::Settled(settled);
                    }
                }
                heard = program.hear() => return Event::Heard(heard),
            }
        }
    }
}
