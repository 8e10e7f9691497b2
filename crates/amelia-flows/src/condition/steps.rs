//! How far an expression goes. The evaluator has no limit of its own, and a list of a state can be as long as a file: what
//! `exists`, `all`, `map` and `filter` would go through is counted before they do.

use cel::common::ast::{Expr, IdedExpr};
use cel::{Context, Value};

/// As many values as one of them goes through. They cannot be nested, and as many messages are visible.
pub(super) const MAX_STEPS: usize = 1_000;

/// Why an expression would go too far with these values.
pub(super) fn problem(at: &IdedExpr, context: &Context<'_, '_>) -> Option<String> {
    match &at.expr {
        Expr::Comprehension(each) => {
            // What it goes through may come from another one, which must not go too far, either.
            problem(&each.iter_range, context).or_else(|| {
                let count = count(&each.iter_range, context);
                let message =
                    || format!("it goes through a list of {count} values, and the most are {MAX_STEPS}");
                (count > MAX_STEPS).then(message)
            })
        }
        Expr::Call(call) => {
            let mut parts = call.target.iter().map(AsRef::as_ref).chain(&call.args);
            parts.find_map(|part| problem(part, context))
        }
        Expr::List(list) => list.elements.iter().find_map(|item| problem(item, context)),
        Expr::Select(select) => problem(&select.operand, context),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Map(_) | Expr::Struct(_) | Expr::Unspecified => None,
    }
}

/// How many values there are. What cannot be evaluated is an error of the evaluation.
fn count(range: &IdedExpr, context: &Context<'_, '_>) -> usize {
    match Value::resolve(range, context) {
        Ok(Value::List(items)) => items.len(),
        Ok(Value::Map(entries)) => entries.map.len(),
        Ok(_) | Err(_) => 0,
    }
}
