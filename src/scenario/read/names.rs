//! Names of processes, messages and points: they must parse, and what they name must exist.

use super::super::error::{InputErrorKind, Wrong, closest};
use super::super::shape::OneOrMany;
use super::Scope;
use crate::name::{ClientId, MessageName, Name, NodeId, Process, Route, VoterId};
use std::ops::Range;
use toml::Spanned;

/// A process and where it was named.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) process: Process,
    pub(super) span: Range<usize>,
}

impl Scope {
    /// The processes of a list, each once; `clients`, `nodes` and `replicas` stand for all of them.
    pub(super) fn processes(self, targets: &Spanned<OneOrMany<String>>) -> Result<Vec<Named>, Wrong> {
        match targets.get_ref() {
            OneOrMany::One(text) => self.named(text, &targets.span()),
            OneOrMany::Many(texts) if texts.is_empty() => {
                Err(Wrong::new(InputErrorKind::Name, targets.span(), "an empty list names nobody"))
            }
            OneOrMany::Many(texts) => {
                let mut all: Vec<Named> = Vec::new();
                for text in texts {
                    let more = self.named(text.get_ref(), &text.span())?;
                    let twice = |named: &&Named| all.iter().any(|before| before.process == named.process);
                    if let Some(named) = more.iter().find(twice) {
                        let message = format!("{} is named twice", named.process);
                        return Err(Wrong::contradiction(named.span.clone(), message));
                    }
                    all.extend(more);
                }
                Ok(all)
            }
        }
    }

    fn named(self, text: &str, span: &Range<usize>) -> Result<Vec<Named>, Wrong> {
        let all: Vec<Process> = match text {
            "clients" => (0..self.clients).map(|client| Process::Client(ClientId(client))).collect(),
            "nodes" => (0..self.nodes).map(|node| Process::Node(NodeId::first(VoterId(node)))).collect(),
            "replicas" => self.all_replicas().map(Process::Node).collect(),
            _ => vec![self.process(text, span)?],
        };
        if all.is_empty() {
            let message = "this scenario has no replicas";
            return Err(Wrong::new(InputErrorKind::Name, span.clone(), message).meant("nodes"));
        }
        Ok(all.into_iter().map(|process| Named { process, span: span.clone() }).collect())
    }

    /// One process.
    pub(super) fn process(self, text: &str, span: &Range<usize>) -> Result<Process, Wrong> {
        let process = text.parse::<Process>().map_err(|error| {
            Wrong::new(InputErrorKind::Name, span.clone(), format!("`{text}` is {error}"))
                .maybe_meant(self.closest_process(text))
        })?;
        self.exists(process, span)?;
        Ok(process)
    }

    /// That a process with an index has one below the count.
    fn exists(self, process: Process, span: &Range<usize>) -> Result<(), Wrong> {
        let node = |voter| Process::Node(NodeId::first(voter));
        let last_node = node(VoterId(self.nodes - 1));
        let (exists, have, last) = match process {
            Process::Client(client) => {
                let last = Process::Client(ClientId(self.clients - 1));
                (client.0 < self.clients, counted(self.clients, "client"), last)
            }
            Process::Node(NodeId { voter, member: 0 }) => {
                (voter.0 < self.nodes, counted(self.nodes.into(), "node"), last_node)
            }
            Process::Node(NodeId { voter, .. }) if voter.0 >= self.nodes => (
                false,
                counted(self.nodes.into(), "node"),
                self.all_replicas().last().map_or(last_node, Process::Node),
            ),
            Process::Node(NodeId { voter, member }) => match self.replicas_of(voter) {
                0 => (
                    false,
                    format!("no replica behind {voter}"),
                    self.all_replicas().last().map_or(last_node, Process::Node),
                ),
                count => {
                    let have = format!("{} behind {voter}", counted(count.into(), "replica"));
                    (member <= count, have, Process::Node(NodeId::replica(voter, count)))
                }
            },
            Process::Store => (true, String::new(), Process::Store),
        };
        if exists {
            return Ok(());
        }
        let message = format!("there is no {process}: this scenario has {have}");
        Err(Wrong::new(InputErrorKind::Name, span.clone(), message).meant(last.to_string()))
    }

    fn closest_process(self, text: &str) -> Option<String> {
        let clients = (0..self.clients).map(|client| ClientId(client).to_string());
        let nodes = (0..self.nodes).map(|node| VoterId(node).to_string());
        let replicas = self.all_replicas().map(|replica| replica.to_string());
        let mut words = vec!["clients", "nodes", "store"];
        words.extend(self.a_replica().is_some().then_some("replicas"));
        let words = words.into_iter().map(str::to_owned);
        let known: Vec<String> = clients.chain(nodes).chain(replicas).chain(words).collect();
        closest(text, known.iter().map(String::as_str))
    }

    /// A message whose ends exist.
    pub(super) fn message(self, text: &Spanned<String>) -> Result<MessageName, Wrong> {
        match self.name(text, "message")? {
            Name::Message(name) => Ok(name),
            Name::Point(_) => {
                let message =
                    format!("`{}` is a point of a client's code; a message is wanted", text.get_ref());
                Err(Wrong::new(InputErrorKind::Name, text.span(), message))
            }
        }
    }

    /// A message or a point whose processes exist.
    pub(super) fn name(self, text: &Spanned<String>, key: &str) -> Result<Name, Wrong> {
        let written = text.get_ref();
        let name = written.parse::<Name>().map_err(|error| {
            let message = format!("`{key}` is `{written}`, {error}");
            Wrong::new(InputErrorKind::Name, text.span(), message).maybe_meant(repaired(written))
        })?;
        let client = match name {
            Name::Message(message) => {
                self.exists(message.peer(), &text.span())?;
                message.client
            }
            Name::Point(point) => point.client,
        };
        self.exists(Process::Client(client), &text.span())?;
        if let Name::Message(MessageName { route: Route::Command { occurrence: 0, .. }, .. }) = name {
            return Err(Wrong::new(InputErrorKind::Name, text.span(), "occurrences count from 1"));
        }
        Ok(name)
    }
}

/// What a name would be with the parts that are forgotten most often.
fn repaired(text: &str) -> Option<String> {
    let mut tries = vec![text.to_owned()];
    if !text.contains('#')
        && let Some(at) = text.find(['>', ':'])
    {
        tries.push(format!("{}#1{}", &text[..at], &text[at..]));
    }
    let longer: Vec<String> = tries.iter().map(|text| format!("{text}:request")).collect();
    tries.into_iter().chain(longer).find(|text| text.parse::<Name>().is_ok())
}

fn counted(count: u16, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
