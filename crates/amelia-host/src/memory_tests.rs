//! Who can read and write which entries.

use std::path::PathBuf;

use uuid::Uuid;

use super::*;

fn member(config: &MemoryConfig, is_of_repository: bool) -> Option<MemberMemory> {
    let shared = TeamMemory { repository: Some(PathBuf::from("/work")), is_of_repository };
    MemberMemory::of(config, &shared, "press", RunId(Uuid::from_u128(1)))
}

#[test]
fn an_agent_reads_every_space_of_its_run_and_writes_where_its_team_may() {
    let own = member(&MemoryConfig::default(), true).unwrap();
    let scopes: Vec<MemoryScope> = own.spaces.iter().map(|space| space.scope).collect();
    assert_eq!(scopes, MemoryScope::ALL);
    assert_eq!(own.shares, [MemoryScope::Run]);
    assert_eq!(own.recall_tokens, 1000);
    let sharing = MemoryConfig { share: vec![MemoryScope::Repository], ..MemoryConfig::default() };
    assert_eq!(member(&sharing, true).unwrap().shares, [MemoryScope::Run, MemoryScope::Repository]);
    let team =
        |is_of_repository| member(&sharing, is_of_repository).unwrap().space(MemoryScope::Team).cloned();
    assert_ne!(team(true), team(false), "a team of the home is another");
}

#[test]
fn without_a_repository_there_is_no_space_for_one() {
    let shared = TeamMemory::default();
    let own =
        MemberMemory::of(&MemoryConfig::default(), &shared, "press", RunId(Uuid::from_u128(1))).unwrap();
    assert!(own.space(MemoryScope::Repository).is_none());
    assert_eq!(own.spaces.len(), 3);
}

#[test]
fn an_agent_has_the_tools_that_its_settings_leave() {
    let names = |long_term_enabled, semantic_search_enabled| {
        let config = MemoryConfig { long_term_enabled, semantic_search_enabled, ..MemoryConfig::default() };
        let own = member(&config, true)?;
        let names: Vec<String> =
            tool_specs::specs(&own).into_iter().map(|spec| spec.name.to_string()).collect();
        Some(names)
    };
    assert_eq!(names(true, true).unwrap(), ["store_memory", "retrieve_memory", "search_memory"]);
    assert_eq!(names(true, false).unwrap(), ["store_memory", "retrieve_memory"]);
    assert_eq!(names(false, true).unwrap(), ["store_memory", "search_memory"]);
    assert_eq!(names(false, false), None);
}
