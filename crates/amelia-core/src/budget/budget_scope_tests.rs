//! Which limit counts, that a refused call leaves no trace, and that a day ends.

use super::*;

const CALL: Spend = Spend { usd: 0.5, tokens: 10, calls: 1, unpriced_calls: 0, estimated_calls: 0 };

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn noon() -> Timestamp {
    at("2026-03-01T12:00:00Z")
}

fn usd(usd: f64) -> Budget {
    Budget { usd: Some(usd), ..Budget::default() }
}

fn name(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

fn unlimited() -> Account {
    Account::default()
}

#[test]
fn the_limit_that_is_reached_is_named() {
    let day = Arc::new(Day::new(usd(1.2), Spend::default(), noon()));
    let run = BudgetScope::new(unlimited()).within(Arc::clone(&day));
    let run_budgets = RunBudgets::new(run, usd(0.6), BTreeMap::new());
    let (developer, reviewer) = (run_budgets.of(&name("developer")), run_budgets.of(&name("reviewer")));
    developer.reserve(CALL, noon()).map(|ticket| developer.settle(ticket, CALL, noon())).unwrap();
    let refused = developer.reserve(CALL, noon()).unwrap_err();
    assert_eq!(refused.whose, LimitOwner::Agent(name("developer")));
    reviewer.reserve(CALL, noon()).map(|ticket| reviewer.settle(ticket, CALL, noon())).unwrap();

    let other = BudgetScope::new(unlimited()).within(day);
    let refused = other.reserve(CALL, noon()).unwrap_err();
    assert_eq!(refused.whose, LimitOwner::Day { until: at("2026-03-02T00:00:00Z") });
    assert_eq!(
        refused.to_string(),
        "the server's day, which ends at 2026-03-02T00:00:00Z: the budget of 1.2000 USD would be exceeded (1.5000 USD)"
    );
    let own = BudgetScope::new(Account::new(usd(0.1), Spend::default()));
    assert_eq!(own.reserve(CALL, noon()).unwrap_err().whose, LimitOwner::Run);
}

#[test]
fn a_refused_call_is_set_aside_nowhere() {
    let day = Arc::new(Day::new(usd(0.4), Spend::default(), noon()));
    let run = BudgetScope::new(Account::new(usd(0.7), Spend::default()));
    let bound = run.clone().within(day);
    assert!(bound.reserve(CALL, noon()).is_err());
    assert!(run.reserve(CALL, noon()).is_ok(), "the run's own share is still there");
}

#[test]
fn calls_beside_each_other_share_what_is_left_of_the_day() {
    let day = Arc::new(Day::new(usd(20.0), Spend::default(), noon()));
    let run_budgets: Vec<BudgetScope> =
        (0..8).map(|_| BudgetScope::new(unlimited()).within(Arc::clone(&day))).collect();
    let made: Vec<Reservation> = std::thread::scope(|scope| {
        let spend = |budget_scope: &BudgetScope| {
            (0..50).filter_map(|_| budget_scope.reserve(CALL, noon()).ok()).collect::<Vec<_>>()
        };
        let threads: Vec<_> =
            run_budgets.iter().map(|budget_scope| scope.spawn(move || spend(budget_scope))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(made.len(), 40, "20 USD are 40 calls, whoever makes them");
}

#[test]
fn a_day_ends_at_midnight_and_what_is_under_way_then_counts_to_the_next() {
    let late = at("2026-03-01T23:59:59Z");
    let day = Arc::new(Day::new(usd(1.0), usd_spent(0.5), late));
    let budget_scope = BudgetScope::new(unlimited()).within(Arc::clone(&day));
    let ticket = budget_scope.reserve(CALL, late).unwrap();
    assert!(budget_scope.reserve(CALL, late).is_err());

    let early = at("2026-03-02T00:00:00Z");
    let second = budget_scope.reserve(CALL, early).unwrap();
    assert!(budget_scope.reserve(CALL, early).is_err(), "one of yesterday is still under way");
    budget_scope.settle(ticket, CALL, early);
    budget_scope.settle(second, Spend::default(), early);
    assert_eq!(day.spent(early), CALL);
    let refused = budget_scope.charge(usd_spent(0.6), early).unwrap_err();
    assert_eq!(refused.whose, LimitOwner::Day { until: at("2026-03-03T00:00:00Z") });
}

fn usd_spent(usd: f64) -> Spend {
    Spend { usd, ..Spend::default() }
}

#[test]
fn what_an_agent_has_spent_before_counts_under_all_its_names() {
    let spent = [("reviewer (style)", 0.3), ("reviewer", 0.3), ("developer", 5.0)];
    let spent = spent.map(|(agent, usd)| (name(agent), usd_spent(usd)));
    let run_budgets = RunBudgets::new(BudgetScope::new(unlimited()), usd(1.0), BTreeMap::from(spent));
    let reviewer = run_budgets.of(&name("reviewer"));
    assert!(reviewer.reserve(CALL, noon()).is_err());
    let same = run_budgets.of(&name("reviewer"));
    same.charge(usd_spent(0.3), noon()).unwrap();
    let limit = reviewer.reserve(usd_spent(0.2), noon()).unwrap_err().limit;
    assert!(matches!(limit, BudgetExceeded::Usd { would_be, .. } if would_be > 1.05), "{limit:?}");
}

#[test]
fn a_limit_of_the_run_is_written_as_it_always_was() {
    let limit = BudgetExceeded::Calls { limit: 1, would_be: 2 };
    let of_run = LimitReached { whose: LimitOwner::Run, limit };
    let text = serde_json::to_string(&of_run).unwrap();
    assert_eq!(text, serde_json::to_string(&limit).unwrap());
    let of_agent = LimitReached { whose: LimitOwner::Agent(name("developer")), limit };
    let written = serde_json::to_string(&of_agent).unwrap();
    assert_eq!(serde_json::from_str::<LimitReached>(&written).unwrap(), of_agent);
    assert_eq!(serde_json::from_str::<LimitReached>(&text).unwrap(), of_run);
}

#[test]
fn a_call_that_is_cancelled_holds_no_share_of_any_budget() {
    let day = Arc::new(Day::new(usd(1.0), Spend::default(), noon()));
    let run_budgets =
        RunBudgets::new(BudgetScope::new(unlimited()).within(Arc::clone(&day)), usd(1.0), BTreeMap::new());
    let budget_scope = run_budgets.of(&name("developer"));
    let cancelled = budget_scope.reserve(usd_spent(0.9), noon()).unwrap();
    assert!(budget_scope.reserve(usd_spent(0.9), noon()).is_err(), "it is under way");
    drop(cancelled);
    let next = budget_scope.reserve(usd_spent(0.9), noon()).unwrap();
    budget_scope.settle(next, usd_spent(0.1), noon());
    assert_eq!(day.spent(noon()), usd_spent(0.1));
    drop(budget_scope.reserve(usd_spent(0.8), noon()).unwrap());
}
