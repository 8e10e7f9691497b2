//! The plan tools of an agent. The log of a visit has its calls, and the plan is what they have made of the one with which the
//! visit began: so a visit that is repeated, and a replay, come to the same plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_agents::own_tool::{OwnStop, OwnTool};
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::CallId;
use amelia_core::plan::{Plan, TaskStatus};
use amelia_core::tool::{Risk, ToolCall, ToolResult, ToolSpec};
use amelia_graph::node::NodeCx;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::calls::{self, PlanScope, PlanToolSpec, READ, TOOLS, UPDATE};
use super::is_plan_tool;
use crate::hearing::recorded_in;

/// One tool of an agent.
struct PlanTool {
    spec: &'static PlanToolSpec,
    /// The plan with which the visit began.
    plan: Arc<Plan>,
    scope: Arc<PlanScope>,
}

/// The tools of an agent in a visit that begins with this plan. Who works on a task reads the plan, and changes this task.
pub(in crate::team) fn plan_tools(plan: &Arc<Plan>, scope: PlanScope) -> Vec<Arc<dyn OwnTool>> {
    let scope = Arc::new(scope);
    let is_offered =
        |spec: &&'static PlanToolSpec| scope.own.is_none() || [READ, UPDATE].contains(&spec.name);
    let tool = |spec| {
        let (plan, scope) = (Arc::clone(plan), Arc::clone(&scope));
        Arc::new(PlanTool { spec, plan, scope }) as Arc<dyn OwnTool>
    };
    TOOLS.iter().filter(is_offered).map(tool).collect()
}

/// A plan after the calls in these events of one conversation.
pub(in crate::team) fn planned(plan: &Plan, scope: &PlanScope, events: &[Event]) -> Plan {
    let mut plan = plan.clone();
    let mut open: BTreeMap<&CallId, &ToolCall> = BTreeMap::new();
    for event in events {
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Called(call)) if is_plan_call(call) => {
                open.insert(&call.id, call);
            }
            EventKind::Agent(AgentEvent::Returned(result)) => {
                if let Some(call) = open.remove(&result.call).filter(|_| result.error.is_none()) {
                    // The plan may have been changed by a person meanwhile; what does not fit any more is left out.
                    calls::called(&mut plan, scope, &call.tool.name, &call.args).ok();
                }
            }
            _ => {}
        }
    }
    plan
}

/// Whether an agent has changed the plan, if this event says so.
pub(in crate::team) fn is_plan_change(event: &Event) -> bool {
    match &event.draft.kind {
        EventKind::Agent(AgentEvent::Returned(result)) => {
            let name = result.tool.name.as_str();
            result.error.is_none() && result.tool.server.is_none() && is_plan_tool(name) && name != READ
        }
        _ => false,
    }
}

fn is_plan_call(call: &ToolCall) -> bool {
    call.tool.server.is_none() && is_plan_tool(&call.tool.name)
}

#[async_trait]
impl OwnTool for PlanTool {
    fn spec(&self) -> ToolSpec {
        let fields = self.spec.required.iter().chain(self.spec.optional);
        let properties: serde_json::Map<String, Value> =
            fields.map(|field| ((*field).to_owned(), self.property(field))).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": self.spec.required, "additionalProperties": false,
        });
        let risk = if self.spec.name == READ { Risk::Read } else { Risk::Write };
        ToolSpec::builtin(self.spec.name, self.spec.words, risk, schema)
    }

    async fn call(&self, cx: &NodeCx, call: &ToolCall) -> Result<ToolResult, OwnStop> {
        let events = recorded_in(cx, cx).await?;
        let mut plan = planned(&self.plan, &self.scope, &events);
        let said = calls::called(&mut plan, &self.scope, self.spec.name, &call.args);
        let result = ToolResult { error: None, ..ToolResult::interrupted(call) };
        Ok(match said {
            Ok(output) => ToolResult { output, ..result },
            Err(problem) => ToolResult { error: Some(problem), ..result },
        })
    }
}

impl PlanTool {
    fn property(&self, field: &str) -> Value {
        match field {
            "status" => json!({"type": "string", "enum": TaskStatus::ALL.map(TaskStatus::as_str)}),
            "assigned_agent" => json!({"type": "string", "enum": self.scope.agents}),
            "priority" => json!({"type": "integer", "description": "1 is done first"}),
            "dependencies" => json!({
                "type": "array", "items": {"type": "string"}, "description": "Ids of the tasks that must be done before"
            }),
            "estimated_duration" => json!({"type": "string", "description": "Such as 15m"}),
            "metadata" => json!({"type": "object"}),
            "description" => json!({
                "type": "string", "minLength": 1, "description": "What to do, for an agent that sees nothing else"
            }),
            _ => json!({"type": "string", "minLength": 1}),
        }
    }
}
