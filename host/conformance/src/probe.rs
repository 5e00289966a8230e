//! An instance that is called step by step, so that each fault is assigned to its step.

use adjudicate_core::{
    Error, Operation,
    module::{Reply, ReplyError},
};
use adjudicate_sandbox::{Guest, Module, codes};
use adjudicate_trust::counted;

use crate::requirement::{
    ALLOC, CALL_ENDS, REPLY_CONTRACT, REPLY_FORM, REPLY_RECORD, REPLY_STEP, REPLY_UTF8, Requirement,
};

/// A broken requirement, with details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Breach {
    pub(super) requirement: Requirement,
    pub(super) detail: String,
}

/// A well-formed reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProbeReply {
    pub(super) text: String,
    /// The code and path of an error; `None` for an answer.
    pub(super) error: Option<(String, String)>,
    record: i32,
}

/// An instance.
#[derive(Debug)]
pub(super) struct Probe {
    guest: Guest,
}

impl Probe {
    pub(super) fn start(module: &Module) -> Result<Self, Error> {
        Ok(Self { guest: module.start()? })
    }

    pub(super) fn check_version(&mut self) -> Result<(), Error> {
        self.guest.check_minor_version()
    }

    /// The fuel used since the start, or since the last allocation.
    pub(super) fn fuel_used(&self) -> u64 {
        self.guest.fuel_used()
    }

    pub(super) fn memory_bytes(&mut self) -> usize {
        self.guest.memory_bytes().unwrap_or_default()
    }

    /// Allocates a buffer. Returns 0, or the address of that many bytes inside of the memory.
    pub(super) fn allocate(&mut self, bytes: u32) -> Result<i32, Breach> {
        let broken = |detail: String| Breach {
            requirement: ALLOC,
            detail: format!("asked for {}: {detail}", counted(bytes, "byte")),
        };
        let address = self.guest.allocate(bytes).map_err(|error| broken(error.message().to_owned()))?;
        let end = u64::from(address.cast_unsigned()) + u64::from(bytes);
        let size = self.memory_bytes();
        match address {
            0 => Ok(0),
            _ if end <= size as u64 => Ok(address),
            _ => Err(broken(format!(
                "returns address {}, but the memory ends at {size}",
                address.cast_unsigned()
            ))),
        }
    }

    /// Calls an operation by number.
    pub(super) fn call(&mut self, number: i32, input: &[u8]) -> Result<ProbeReply, Breach> {
        let (address, bytes) = self.put(input)?;
        let record = self.guest.call_at(number, address, bytes);
        self.reply(record.map_err(|error| broken(CALL_ENDS, &error))?)
    }

    /// Configures a policy; `None` if the module takes no policy.
    pub(super) fn configure(&mut self, policy: &[u8]) -> Result<Option<ProbeReply>, Breach> {
        let (address, bytes) = self.put(policy)?;
        match self.guest.configure_at(address, bytes).map_err(|error| broken(CALL_ENDS, &error))? {
            Some(record) => self.reply(record).map(Some),
            None => Ok(None),
        }
    }

    /// Reads a reply again.
    pub(super) fn again(&mut self, reply: &ProbeReply) -> Result<ProbeReply, Breach> {
        self.reply(reply.record)
    }

    fn put(&mut self, input: &[u8]) -> Result<(i32, u32), Breach> {
        let bytes = u32::try_from(input.len()).unwrap_or(u32::MAX);
        let address = self.allocate(bytes.max(1))?;
        if address == 0 {
            let detail = format!("does not allocate {} for the input", counted(bytes, "byte"));
            return Err(Breach { requirement: ALLOC, detail });
        }
        self.guest.put(address, input).map_err(|error| broken(ALLOC, &error))?;
        Ok((address, bytes))
    }

    fn reply(&mut self, record: i32) -> Result<ProbeReply, Breach> {
        let bytes = self.guest.reply(record).map_err(|error| broken(REPLY_RECORD, &error))?;
        let text = str::from_utf8(bytes).map_err(|error| Breach {
            requirement: REPLY_UTF8,
            detail: format!("the reply is not UTF-8 from byte {} on", error.valid_up_to()),
        })?;
        let form = |error: Error| Breach { requirement: REPLY_FORM, detail: error.to_string() };
        let reply = Reply::read(text).map_err(form)?;
        let error = match reply.answer() {
            Ok(_) => None,
            Err(ReplyError::Reported(reported)) => Some((reported.code.to_owned(), reported.path.to_owned())),
            Err(ReplyError::Fault(error)) => return Err(form(error)),
        };
        Ok(ProbeReply { text: text.to_owned(), error, record })
    }
}

impl ProbeReply {
    /// Checks an answer by the output contract. The contract does not cover errors.
    pub(super) fn check(&self, operation: Operation, input: &str) -> Result<(), Breach> {
        let form = |error: Error| Breach { requirement: REPLY_FORM, detail: error.to_string() };
        let reply = Reply::read(&self.text).map_err(form)?;
        let tape = operation.read(input.as_bytes()).map_err(|error| broken(REPLY_CONTRACT, &error))?;
        match reply.answer_to(operation, tape.root()) {
            Err(ReplyError::Fault(error)) => {
                let requirement = match error.code() {
                    codes::MODULE_ILLEGAL_NEXT_STEP => REPLY_STEP,
                    _ => REPLY_CONTRACT,
                };
                Err(broken(requirement, &error))
            }
            // The reply is known to be an answer.
            _ => Ok(()),
        }
    }
}

fn broken(requirement: Requirement, error: &Error) -> Breach {
    let place = if error.path().is_empty() { String::new() } else { format!(" at `{}`", error.path()) };
    Breach { requirement, detail: format!("{}: {}{place}", error.code(), error.message()) }
}
