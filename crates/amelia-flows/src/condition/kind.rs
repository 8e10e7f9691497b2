//! What kind of value an expression makes, as far as that is known before it is evaluated. Pure.

use cel::common::ast::operators::{
    ADD, CONDITIONAL, DIVIDE, EQUALS, GREATER, GREATER_EQUALS, IN, LESS, LESS_EQUALS, LOGICAL_AND,
    LOGICAL_NOT, LOGICAL_OR, MODULO, MULTIPLY, NEGATE, NOT_EQUALS, NOT_STRICTLY_FALSE, SUBSTRACT,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Number,
    Text,
    List,
    Map,
    /// Known only in a run.
    Any,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Text => "text",
            Self::List => "a list",
            Self::Map => "a mapping",
            Self::Any => "any value",
        }
    }

    fn may_be(self, other: Self) -> bool {
        self == other || self == Self::Any || other == Self::Any
    }
}

/// What an operator makes of such operands, or why it cannot. `None`: it is not an operator.
pub(super) fn of_operator(name: &str, operands: &[Kind]) -> Option<Result<Kind, String>> {
    let all = |kind: Kind| operands.iter().find(|operand| !operand.may_be(kind));
    let only = |takes: Kind, makes: Kind| match all(takes) {
        None => Ok(makes),
        Some(wrong) => Err(format!("expected {}, found {}", takes.name(), wrong.name())),
    };
    let same = |makes: Kind| match operands {
        [left, right] if !left.may_be(*right) => {
            Err(format!("{} cannot be compared with {}", left.name(), right.name()))
        }
        _ => Ok(makes),
    };
    Some(match name {
        LOGICAL_AND | LOGICAL_OR | LOGICAL_NOT => only(Kind::Bool, Kind::Bool),
        EQUALS | NOT_EQUALS => same(Kind::Bool),
        GREATER | GREATER_EQUALS | LESS | LESS_EQUALS => match operands {
            [Kind::List | Kind::Map, _] | [_, Kind::List | Kind::Map] => {
                Err("lists and mappings have no order; compare `size(…)`".to_owned())
            }
            _ => same(Kind::Bool),
        },
        SUBSTRACT | MULTIPLY | DIVIDE | MODULO | NEGATE => only(Kind::Number, Kind::Number),
        ADD => match operands {
            [Kind::Any, other] | [other, Kind::Any] => Ok(*other),
            [left, right] if left == right => Ok(*left),
            [left, right] => Err(format!("{} and {} cannot be added", left.name(), right.name())),
            _ => Ok(Kind::Any),
        },
        CONDITIONAL => match operands {
            [condition, ..] if !condition.may_be(Kind::Bool) => {
                Err(format!("expected true or false before `?`, found {}", condition.name()))
            }
            [_, yes, no] if yes == no => Ok(*yes),
            _ => Ok(Kind::Any),
        },
        IN => Ok(Kind::Bool),
        NOT_STRICTLY_FALSE => Ok(Kind::Bool),
        _ => return None,
    })
}
