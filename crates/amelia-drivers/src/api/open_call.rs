//! A call that is under way, and what it costs when no reply comes of it.

use amelia_core::budget::{Reservation, Spend};
use amelia_core::driver::{Usage, UsageMeter};
use amelia_core::recording::Channel;
use amelia_core::token_count::tokens_of_bytes;

use super::ApiDriver;

/// A call that is under way. Dropped in the middle, it costs what was reported and streamed of it.
pub(super) struct OpenCall<'d> {
    driver: &'d ApiDriver,
    reservation: Option<Reservation>,
    asked: AskedOf,
    input: u64,
    /// What the provider has told so far.
    told: Usage,
    /// Tokens that came since then, estimated.
    streamed: u64,
}

/// Which model a call goes to, in which conversation, and who gets its use when it is dropped.
pub(super) struct AskedOf {
    pub(super) model: String,
    pub(super) channel: Channel,
    pub(super) meter: UsageMeter,
}

impl<'d> OpenCall<'d> {
    pub(super) fn new(driver: &'d ApiDriver, reservation: Reservation, asked: AskedOf, input: u64) -> Self {
        Self { driver, reservation: Some(reservation), asked, input, told: Usage::default(), streamed: 0 }
    }

    /// So many bytes of an answer came.
    pub(super) fn streamed(&mut self, bytes: usize) {
        if bytes > 0 {
            self.streamed = self.streamed.saturating_add(tokens_of_bytes(bytes).max(1));
        }
    }

    /// The provider has told this of the call, with what had been streamed by then.
    pub(super) fn told(&mut self, usage: Usage) {
        self.told = usage;
        if self.told.output_tokens.is_some() {
            self.streamed = 0;
        }
    }

    pub(super) fn settle(&mut self, spent: Spend) {
        if let Some(reservation) = self.reservation.take() {
            self.driver.budget_gate.settle(reservation, spent, self.driver.clock.now());
        }
    }

    /// Ends a call that was cut; what it took, as far as it can be known.
    pub(super) fn cut(&mut self) -> Option<Usage> {
        self.reservation.as_ref()?;
        let usage = (self.streamed > 0 || self.told != Usage::default()).then(|| self.taken());
        let usage = self.driver.budget_gate.cut(usage, &self.asked.channel);
        self.settle(usage.as_ref().map(Spend::of).unwrap_or_default());
        usage
    }

    /// As it was reported, and what came since then as it is estimated.
    fn taken(&self) -> Usage {
        let told = &self.told;
        let is_told = told.input_tokens.is_some() && told.output_tokens.is_some();
        let output = told.output_tokens.unwrap_or(0).saturating_add(self.streamed);
        self.driver.prices.priced(Usage {
            input_tokens: told.input_tokens.or(Some(self.input)),
            output_tokens: Some(output),
            num_turns: Some(1),
            model: Some(self.asked.model.clone()),
            is_estimated: !is_told || self.streamed > 0,
            // A cost that was reported is one of what was reported.
            cost_usd: told.cost_usd.filter(|_| self.streamed == 0),
            ..told.clone()
        })
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if let Some(usage) = self.cut() {
            self.asked.meter.count(usage);
        }
    }
}
