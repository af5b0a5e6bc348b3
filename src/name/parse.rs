//! Names from text, the inverse of their `Display`.

use super::message::{CommandName, Direction, Operation, Route, StoreAccess};
use super::{ClientId, MessageName, Name, NodeId, Point, PointName, Process, VoterId};
use std::str::FromStr;

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not a process.
    #[error("not a process: write client-N, node-N, replica-N.M or store, counted from 1")]
    Process,
    /// Not the name of a message.
    #[error("not a message name: write for example client-1#1>node-3:acquire.2.set.1:request")]
    Message,
    /// Not the name of a point of a client's code.
    #[error("not a point of a client's code: write for example client-1#1:write.1.check")]
    Point,
}

/// A count from 1 written plainly: no sign, no leading zero.
fn counted<N: FromStr>(text: &str) -> Option<N> {
    (text.starts_with(|c: char| c.is_ascii_digit() && c != '0')).then(|| text.parse().ok())?
}

fn by_text<V: Copy>(texts: &[(V, &str)], text: &str) -> Option<V> {
    texts.iter().find(|(_, known)| *known == text).map(|(value, _)| *value)
}

fn incarnation(text: &str) -> Option<(ClientId, u16)> {
    let (client, incarnation) = text.split_once('#')?;
    match client.parse().ok()? {
        Process::Client(client) => Some((client, counted(incarnation)?)),
        Process::Node(_) | Process::Store => None,
    }
}

impl FromStr for Process {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if text == "store" {
            return Ok(Self::Store);
        }
        let client = || Some(ClientId(counted::<u16>(text.strip_prefix("client-")?)? - 1));
        let node = || Some(VoterId(counted::<u8>(text.strip_prefix("node-")?)? - 1));
        let replica = || {
            let (voter, number) = text.strip_prefix("replica-")?.split_once('.')?;
            Some(NodeId::replica(VoterId(counted::<u8>(voter)? - 1), counted(number)?))
        };
        let server = || node().map(NodeId::first).or_else(replica);
        client().map(Self::Client).or_else(|| server().map(Self::Node)).ok_or(NameError::Process)
    }
}

impl FromStr for MessageName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let parse = || {
            let (client, rest) = text.split_once('>')?;
            let (client, incarnation) = incarnation(client)?;
            let mut parts = rest.split(':');
            let (peer, what, direction) = (parts.next()?, parts.next()?, parts.next()?);
            if parts.next().is_some() {
                return None;
            }
            let words: Vec<&str> = what.split('.').collect();
            let route = match (peer.parse().ok()?, words.as_slice()) {
                (Process::Store, [access, number]) => {
                    Route::Store { access: by_text(&StoreAccess::TEXTS, access)?, number: counted(number)? }
                }
                (Process::Node(NodeId { voter, member: 0 }), ["connect", number]) => {
                    Route::Connect { voter, number: counted(number)? }
                }
                (Process::Node(NodeId { voter, member: 0 }), ["push", number]) if direction == "reply" => {
                    Route::Push { voter, number: counted(number)? }
                }
                (Process::Node(NodeId { voter, member: 0 }), [handshake, number]) => {
                    let connection = counted::<u8>(handshake.strip_prefix("connect-")?)? - 1;
                    let further = |connection: &u8| *connection > 0;
                    let connection = Some(connection).filter(further)?;
                    Route::Further { voter, connection, number: counted(number)? }
                }
                (Process::Node(NodeId { voter, member: 0 }), [operation, number, command, occurrence]) => {
                    Route::Command {
                        voter,
                        operation: by_text(&Operation::TEXTS, operation)?,
                        number: counted(number)?,
                        command: by_text(&CommandName::TEXTS, command)?,
                        occurrence: counted(occurrence)?,
                    }
                }
                (Process::Node(_) | Process::Store | Process::Client(_), _) => return None,
            };
            Some(Self { client, incarnation, route, direction: by_text(&Direction::TEXTS, direction)? })
        };
        parse().ok_or(NameError::Message)
    }
}

impl FromStr for PointName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let parse = || {
            let (client, what) = text.split_once(':')?;
            let (client, incarnation) = incarnation(client)?;
            let words: Vec<&str> = what.split('.').collect();
            let point = match words.as_slice() {
                ["acquire", n] => Point::Acquire(counted(n)?),
                ["granted", n] => Point::Granted(counted(n)?),
                ["enter", n] => Point::Enter(counted(n)?),
                ["write", n, "check"] => Point::WriteCheck(counted(n)?),
                ["write", n, "send"] => Point::WriteSend(counted(n)?),
                ["extend", n] => Point::Extend(counted(n)?),
                ["leave", n] => Point::Leave(counted(n)?),
                ["release", n] => Point::Release(counted(n)?),
                ["refused", n] => Point::Refused(counted(n)?),
                ["await", n] => Point::Await(counted(n)?),
                _ => return None,
            };
            Some(Self { client, incarnation, point })
        };
        parse().ok_or(NameError::Point)
    }
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text.contains('>') {
            true => text.parse().map(Self::Message),
            false => text.parse().map(Self::Point),
        }
    }
}
