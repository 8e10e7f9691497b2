//! Line ends of a file: models write `\n`, and a file whose lines end in `\r\n` keeps them. Pure.

/// Whether most lines of a text end in `\r\n`.
pub(crate) fn has_returns(text: &str) -> bool {
    let (all, returns) = (text.matches('\n').count(), text.matches("\r\n").count());
    returns * 2 > all
}

/// A new piece as it goes into a text: with returns, if that has them and the piece has none of its own.
pub(crate) fn like(text: &str, piece: &str) -> String {
    if has_returns(text) && !piece.contains('\r') { piece.replace('\n', "\r\n") } else { piece.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_gets_the_line_ends_of_the_text_unless_it_has_its_own() {
        for (text, piece, expected) in [
            ("a\r\nb\r\n", "c\nd\n", "c\r\nd\r\n"),
            ("a\nb\n", "c\nd", "c\nd"),
            ("a\r\nb\nc\n", "x\ny", "x\ny"),
            ("a\r\n", "x\r\ny\n", "x\r\ny\n"),
            ("", "x\n", "x\n"),
        ] {
            assert_eq!(like(text, piece), expected, "{text:?} {piece:?}");
        }
    }
}
