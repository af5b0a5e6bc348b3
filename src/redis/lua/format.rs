//! How Redis writes a Lua number: as an argument of a command, and as a double in a reply.
//!
//! Must not depend on a locale or a libc. Source: Redis 7.0.15.

use super::super::node::Compat;

/// A number as an argument of `redis.call`.
pub(super) fn argument(number: f64, compat: Compat) -> String {
    // Beyond half the range 7.2 does not try integers.
    const HALF: f64 = 4_611_686_018_427_387_904.0;
    let is_whole = number.trunc() == number && number.abs() <= HALF;
    match compat.is_70() {
        // Below 1e17 both ways write a whole number alike, and integers are faster.
        true if is_whole && number.abs() < 1e17 && !is_negative_zero(number) => (number as i64).to_string(),
        true => seventeen_digits(number),
        false if is_whole => (number as i64).to_string(),
        false => shortest(number),
    }
}

/// A number as a double in a reply.
pub(super) fn double(number: f64, compat: Compat) -> String {
    if compat.is_70() { seventeen_digits(number) } else { shortest(number) }
}

fn is_negative_zero(number: f64) -> bool {
    number == 0.0 && number.is_sign_negative()
}

fn special(number: f64) -> Option<String> {
    if number.is_nan() {
        return Some(if number.is_sign_negative() { "-nan" } else { "nan" }.to_owned());
    }
    number.is_infinite().then(|| if number < 0.0 { "-inf" } else { "inf" }.to_owned())
}

/// C's `%.17g`.
fn seventeen_digits(number: f64) -> String {
    const DIGITS: i32 = 17;
    if let Some(text) = special(number) {
        return text;
    }
    let (sign, digits, exponent) = parts(&format!("{number:.16e}"));
    if !(-4..DIGITS).contains(&exponent) {
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{}e{mark}{:02}", pointed(digits, 1), exponent.abs());
    }
    format!("{sign}{}", placed(&digits, exponent))
}

/// The fewest digits that read back as the same number, laid out as Redis 7.2 does.
fn shortest(number: f64) -> String {
    if let Some(text) = special(number) {
        return text;
    }
    let (sign, digits, exponent) = parts(&format!("{number:e}"));
    let count = digits.len() as i32;
    // Power of ten of the last digit.
    let last = exponent - count + 1;
    let plain = if last >= 0 { exponent < count + 7 } else { last > -7 || exponent.abs() < 4 };
    if plain {
        return format!("{sign}{}", placed(&digits, exponent));
    }
    let mark = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}e{mark}{}", pointed(digits, 1), exponent.abs())
}

/// Sign, significant digits without trailing zeros, and the power of ten of the first digit.
fn parts(scientific: &str) -> (&'static str, String, i32) {
    let (sign, rest) = scientific.strip_prefix('-').map_or(("", scientific), |rest| ("-", rest));
    let (digits, exponent) = rest.split_once('e').expect("scientific notation has an exponent");
    let digits = digits.replace('.', "");
    let trimmed = digits.trim_end_matches('0');
    let digits = if trimmed.is_empty() { "0" } else { trimmed };
    (sign, digits.to_owned(), exponent.parse().expect("the exponent is a number"))
}

/// Without an exponent: the first digit has this power of ten.
fn placed(digits: &str, exponent: i32) -> String {
    match usize::try_from(exponent) {
        Err(_) => format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1)),
        Ok(exponent) if digits.len() <= exponent + 1 => {
            format!("{digits}{}", "0".repeat(exponent + 1 - digits.len()))
        }
        Ok(exponent) => pointed(digits.to_owned(), exponent + 1),
    }
}

/// With a point after so many digits, if any follow.
fn pointed(mut digits: String, whole: usize) -> String {
    if digits.len() > whole {
        digits.insert(whole, '.');
    }
    digits
}
