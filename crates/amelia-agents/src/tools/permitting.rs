//! Whether a call is made: what the role and the rules say, and where a person wants to be asked first.

use std::sync::atomic::Ordering;

use amelia_core::permission::fits;
use amelia_core::stop_rule::{StopRule, StopVerdict};
use amelia_core::tool::{Risk, ToolBox as _, ToolCall, ToolPermission};
use amelia_graph::journaled::{JournalState, JournaledWork as _, ToolWork};
use amelia_graph::node::NodeError;

use super::{JournaledTools, Own, gap_message, has_gap};
use crate::conversation;
use crate::permission::{self, PermissionDecision};
use crate::stopping;

impl JournaledTools {
    /// What the role and the rules say about a call.
    pub(super) fn decide(&self, call: &ToolCall, risk: Risk) -> PermissionDecision {
        let rights = self.work_area().map(|work_area| work_area.rights);
        let mut permissions = self.helpers.permissions.clone();
        permissions.allowed.extend(self.cx.granted(&self.agent));
        match permission::decide(&permissions, rights, call, risk) {
            PermissionDecision::Permit(ToolPermission::Allow { .. }) if self.is_gated(call) => {
                PermissionDecision::AskPerson
            }
            decided => decided,
        }
    }

    /// Why a program may not use a tool of its own of this risk, when its list of tools has none that does the same. A role
    /// that only reads learns it from its role.
    pub(super) fn refused_by_list(&self, risk: Risk) -> Option<String> {
        let listed = self.work_area()?.listed?;
        let missing = match risk {
            Risk::Read => "read files",
            Risk::Write => "change files",
            Risk::Execute => "run commands",
            Risk::External => "do anything outside of the worktree",
        };
        let message = format!(
            "the tools of this agent do not let it {missing}: do not do the same by other means, continue without it"
        );
        (!listed.allows(risk)).then_some(message)
    }

    /// Whether the team wants a person to approve such a call, and no rule was granted for it.
    fn is_gated(&self, call: &ToolCall) -> bool {
        let tool = call.tool.to_string();
        let is_granted = |rule: &String| fits(rule, &tool, &call.args);
        stopping::is_gated(&self.cx, call) && !self.cx.granted(&self.agent).iter().any(is_granted)
    }

    /// The rule by which the run stops before this call.
    pub(super) fn held(&self, call: &ToolCall) -> Option<(StopRule, StopVerdict)> {
        let root = self.work_area().map(|area| area.path.to_string_lossy().into_owned());
        stopping::holds(&self.cx, &self.redactor.clean(call.clone()), &root.unwrap_or_default())
    }

    /// Returns when no rule stops the run before this call; not at all when one does.
    pub(super) async fn pass_stops(&self, call: &ToolCall) {
        let Some(rule) = self.held(call) else { return };
        let request = stopping::before_call(&self.cx, &self.agent, &self.redactor.clean(call.clone()), &rule);
        self.leave::<()>(call, vec![request]).await;
    }

    /// What they say about a call of the toolbox that we run ourselves.
    pub(super) fn decide_own(&self, call: &ToolCall) -> PermissionDecision {
        // A program asks before it leaves a file or a command to us, and not before it calls a tool of a server.
        let is_asked = self.is_asked && (!self.is_program || call.tool.server.is_some());
        let is_ours = matches!(self.own(call), Own::No);
        match call.unreadable().is_none() {
            true if is_asked && is_ours => self.decide(call, self.risk(call)),
            // Tools of Amelia itself need no permission, but a team may want them to be approved.
            true if !is_ours && self.is_gated(call) => PermissionDecision::AskPerson,
            _ => PermissionDecision::Permit(ToolPermission::Allow { args: None }),
        }
    }

    /// Whether a call of the toolbox is made. Does not return when a person has to be asked first; the conversation continues
    /// with this very call, from the log.
    pub(super) async fn permit_own(&self, call: &ToolCall) -> Result<ToolPermission, NodeError> {
        let decided = self.decide_own(call);
        if let (PermissionDecision::Permit(permit), None) = (&decided, self.held(call)) {
            return Ok(permit.clone());
        }
        let (written, past) = (self.redactor.clean(call.clone()), self.cx.past().await?);
        let work = ToolWork { agent: self.agent.clone(), call: written.clone(), risk: self.risk(call) };
        // Begun or ended in an earlier try: it was allowed then, or refused.
        if !matches!(work.find(past), JournalState::Nothing) {
            return Ok(ToolPermission::Allow { args: None });
        }
        self.pass_stops(call).await;
        if let PermissionDecision::Permit(permit) = decided {
            return Ok(permit);
        }
        // What a person allows is read back from the log, without the secret.
        if has_gap(&written) {
            return Ok(ToolPermission::Deny { message: gap_message() });
        }
        let answer = match self.is_program {
            true => {
                let since = conversation::since_answer(&self.cx, past);
                permission::answer_to_program(&self.cx, &written, since)
            }
            false => permission::answer_of_log(&self.cx, &written, past),
        };
        Ok(self.answered_or_asked(&written, work.risk, answer).await)
    }

    /// What a person said about a call; a yes counts once. Does not return when they have to be asked.
    pub(super) async fn answered_or_asked(
        &self,
        call: &ToolCall,
        risk: Risk,
        answer: Option<ToolPermission>,
    ) -> ToolPermission {
        let is_used_up = matches!(answer, Some(ToolPermission::Allow { .. }))
            && self.is_granted.swap(true, Ordering::Relaxed);
        match answer.filter(|_| !is_used_up) {
            Some(permit) => permit,
            None => self.leave(call, vec![permission::question(&self.cx, &self.agent, call, risk)]).await,
        }
    }
}
