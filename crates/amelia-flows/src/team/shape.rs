//! How a team works together: by handoffs, or by the pattern that is the whole team. Pure.

use amelia_core::config::team::pattern::settings::{
    ConsensusSettings, CustomSettings, HierarchySettings, ParallelSettings,
};
use amelia_core::config::team::pattern::{CollaborationPattern, PatternKind};

use super::consensus::ConsensusPlan;
use super::custom::CustomSteps;
use super::hierarchy::HierarchyPlan;
use super::parallel::ParallelPlan;

pub(super) enum Shape {
    /// One agent after the other.
    Handoffs,
    Custom(CustomSteps),
    Parallel(ParallelPlan),
    Consensus(ConsensusPlan),
    Hierarchy(HierarchyPlan),
}

impl Shape {
    /// What a pattern that is the whole team makes of it.
    pub(super) fn read(pattern: &CollaborationPattern) -> Result<Self, String> {
        Ok(match pattern.kind {
            PatternKind::Custom => Self::Custom(CustomSteps::new(pattern.settings::<CustomSettings>()?)),
            PatternKind::Parallel => {
                Self::Parallel(ParallelPlan::new(pattern, pattern.settings::<ParallelSettings>()?))
            }
            PatternKind::Consensus => {
                Self::Consensus(ConsensusPlan::new(pattern, pattern.settings::<ConsensusSettings>()?))
            }
            PatternKind::Hierarchical => {
                Self::Hierarchy(HierarchyPlan::new(pattern, pattern.settings::<HierarchySettings>()?))
            }
            PatternKind::Sequential => Self::Handoffs,
        })
    }

    /// The node that begins, where that does not follow from the agents.
    pub(super) fn entry(&self) -> Option<&str> {
        match self {
            Self::Handoffs => None,
            Self::Custom(steps) => steps.first(),
            Self::Parallel(plan) => Some(&plan.name),
            Self::Consensus(plan) => Some(&plan.proposer),
            Self::Hierarchy(plan) => Some(&plan.coordinator),
        }
    }
}
