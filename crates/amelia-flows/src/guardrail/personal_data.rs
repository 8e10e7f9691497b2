//! Personal data, by its shape and its check digits.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

/// A kind of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PersonalData {
    Email,
    Phone,
    Card,
    Iban,
    Ip,
}

/// As they stand in files.
pub(super) const KINDS: [(&str, PersonalData); 5] = [
    ("email", PersonalData::Email),
    ("phone", PersonalData::Phone),
    ("card", PersonalData::Card),
    ("iban", PersonalData::Iban),
    ("ip", PersonalData::Ip),
];

/// Candidates, in the order of [`KINDS`].
const SHAPES: [&str; 5] = [
    r"(?i)\b[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.[a-z]{2,24}\b",
    r"(?:\+|\b00)[1-9][0-9](?:[ ./-]?\(?[0-9]{1,4}\)?){2,6}\b|\(?\b[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4}\b",
    r"\b[0-9](?:[ -]?[0-9]){12,18}\b",
    r"\b[A-Z]{2}[0-9]{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b",
    r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b|(?i)\b(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}\b",
];

fn shape(kind: PersonalData) -> Option<&'static Regex> {
    static REGEXES: OnceLock<[Option<Regex>; 5]> = OnceLock::new();
    let all = REGEXES.get_or_init(|| SHAPES.map(|shape| Regex::new(shape).ok()));
    let place = KINDS.iter().position(|(_, known)| *known == kind)?;
    all.get(place)?.as_ref()
}

impl PersonalData {
    /// What people call it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Email => "an email address",
            Self::Phone => "a phone number",
            Self::Card => "the number of a payment card",
            Self::Iban => "an IBAN",
            Self::Ip => "an IP address",
        }
    }

    /// Every place where the text has such data.
    pub(super) fn all(self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let found = shape(self).into_iter().flat_map(move |shape| shape.find_iter(text));
        found.filter(move |found| self.is_one(found.as_str())).map(|found| found.range())
    }

    fn is_one(self, text: &str) -> bool {
        match self {
            Self::Email => true,
            Self::Phone => (7..=15).contains(&text.bytes().filter(u8::is_ascii_digit).count()),
            Self::Card => is_card(text),
            Self::Iban => is_iban(text),
            Self::Ip => text.parse::<IpAddr>().is_ok(),
        }
    }
}

/// Luhn's check digit.
fn is_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let doubled = |(place, digit): (usize, &u32)| match place % 2 {
        0 => *digit,
        _ => digit * 2 / 10 + digit * 2 % 10,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    digits.iter().any(|digit| *digit != 0) && sum.is_multiple_of(10)
}

/// Modulo 97 of the account before its country and check digits, with letters as numbers.
fn is_iban(text: &str) -> bool {
    let plain: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    if !(15..=34).contains(&plain.len()) {
        return false;
    }
    let turned = plain.iter().skip(4).chain(plain.iter().take(4));
    let remainder = turned.filter_map(|c| c.to_digit(36)).fold(0, |sum, digit| match digit {
        0..=9 => (sum * 10 + digit) % 97,
        _ => (sum * 100 + digit) % 97,
    });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_found_with_its_check_digits_and_other_numbers_are_not() {
        let found = |kind: PersonalData, text: &str| {
            kind.all(text).map(|at| text[at].to_owned()).collect::<Vec<_>>().join("|")
        };
        for (kind, text, expected) in [
            (PersonalData::Email, "to ann.b@mail.example.org, now", "ann.b@mail.example.org"),
            (PersonalData::Email, "@decorator and a@b", ""),
            (PersonalData::Phone, "call +49 30 123456 78 today", "+49 30 123456 78"),
            (PersonalData::Phone, "(555) 123-4567", "(555) 123-4567"),
            (PersonalData::Phone, "line 1234, 2024-05-06", ""),
            (PersonalData::Card, "pay 4111 1111 1111 1111.", "4111 1111 1111 1111"),
            (PersonalData::Card, "pay 4111 1111 1111 1112.", ""),
            (PersonalData::Card, "0000000000000000", ""),
            (PersonalData::Iban, "to DE89 3704 0044 0532 0130 00!", "DE89 3704 0044 0532 0130 00"),
            (PersonalData::Iban, "to DE88 3704 0044 0532 0130 00!", ""),
            (PersonalData::Ip, "at 10.0.0.1 and 2001:db8::1", "10.0.0.1|2001:db8::1"),
            (PersonalData::Ip, "version 1.2.3 or 999.1.1.1", ""),
        ] {
            assert_eq!(found(kind, text), expected, "{text}");
        }
    }
}
