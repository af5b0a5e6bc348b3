//! Which switches do not go together, one row each: those that contradict each other, and those without effect.
//!
//! Must not judge soundness: what is refused here is refused whether it is meant or not.

use super::error::PolicyError;
use super::{
    Cleanup, Deciding, Extension, ExtensionChecks, ExtensionMoves, ExtensionQuorumOf, ExtensionWithin,
    Growth, OnExtensionFailure, Policy, Release, Renewal, RenewalOnRelease, RenewalRearm, RenewalRounding,
    Repair, Taking, TtlUnit,
};
use crate::lock::contract::Ttl;

/// The first row whose condition is met: the key, why it does not fit, what it should say.
macro_rules! first {
    ($($condition:expr, $key:literal: $why:literal, $meant:literal;)*) => {{
        $(if $condition {
            return Err(PolicyError::Apart { key: $key, why: $why, meant: $meant });
        })*
        Ok(())
    }};
}

/// That all parts of the policy fit.
///
/// # Errors
/// [`PolicyError::Apart`] for the first that does not.
pub(super) fn fit(policy: &Policy) -> Result<(), PolicyError> {
    let two_steps = policy.taking == Taking::SetnxExpire && policy.ttl != Ttl::Never;
    let one_command = match policy.release {
        Release::CompareAndDelete | Release::PlainDel | Release::DelexIfeq => true,
        Release::GetThenDel | Release::WatchGetDel | Release::WatchMultiExec => false,
    };
    let deadlines = policy.taking == Taking::SetNxPxat || policy.extension == Extension::Pexpireat;
    first! {
        policy.deciding != Deciding::All && two_steps, "deciding":
            "leaves voters behind that were sent only the first of two commands: taking in two steps needs all", "deciding = \"all\"";
        policy.deciding != Deciding::All && !one_command, "deciding":
            "leaves voters behind that were sent only the first command of a release: it needs all", "deciding = \"all\"";
        policy.cleanup == Cleanup::Background && !one_command, "cleanup":
            "in the background nobody hears an answer, and this release asks before it deletes", "cleanup = \"foreground\"";
        policy.on_extension_failure == OnExtensionFailure::ReleaseAll && !one_command, "on_extension_failure":
            "is not heard, and this release asks before it deletes", "on_extension_failure = \"tell\"";
        policy.pace.growth == Growth::Doubling && policy.pace.delay_max < policy.retry.delay, "retry_delay_max":
            "is less than the delay that doubles up to it", "retry_growth = \"fixed\"";
        policy.repair != Repair::None && policy.taking != Taking::SetnxExpire, "repair":
            "is what SETNX and EXPIRE need: it goes with taking = \"setnx-expire\"", "repair = \"none\"";
        policy.ttl_unit != TtlUnit::Ms && deadlines, "ttl_unit":
            "does not go with moments: PXAT and PEXPIREAT count milliseconds", "ttl_unit = \"ms\"";
        policy.renewal_permille == Some(0), "renewal_permille":
            "must leave the watchdog a wait", "renewal_permille = 333";
    }?;
    without_effect(policy)
}

/// The switches of something that is switched off.
fn without_effect(policy: &Policy) -> Result<(), PolicyError> {
    let (unwatched, never) = (policy.renewal == Renewal::None, policy.extension == Extension::None);
    first! {
        unwatched && policy.renewal_permille.is_some(), "renewal_permille":
            "is the period of a watchdog, and there is none", "renewal = \"watchdog\"";
        unwatched && policy.renewal_rounding != RenewalRounding::Exact, "renewal_rounding":
            "is the period of a watchdog, and there is none", "renewal = \"watchdog\"";
        unwatched && policy.renewal_rearm != RenewalRearm::Always, "renewal_rearm":
            "says when a watchdog wakes, and there is none", "renewal = \"watchdog\"";
        unwatched && policy.renewal_on_release != RenewalOnRelease::Ends, "renewal_on_release":
            "says what becomes of a watchdog, and there is none", "renewal = \"watchdog\"";
        never && policy.extension_quorum_of != ExtensionQuorumOf::Voters, "extension_quorum_of":
            "belongs to an extension, and there is none", "extension = \"compare\"";
        never && policy.extension_within != ExtensionWithin::Any, "extension_within":
            "belongs to an extension, and there is none", "extension = \"compare\"";
        never && policy.extension_moves != ExtensionMoves::Deadline, "extension_moves":
            "belongs to an extension, and there is none", "extension = \"compare\"";
        never && policy.extension_checks != ExtensionChecks::Validity, "extension_checks":
            "belongs to an extension, and there is none", "extension = \"compare\"";
        never && policy.on_extension_failure != OnExtensionFailure::Keep, "on_extension_failure":
            "belongs to an extension, and there is none", "extension = \"compare\"";
        never && policy.renewals_max > 0, "renewals_max":
            "counts extensions, and there are none", "extension = \"compare\"";
    }
}
