//! One instance, asked step by step, so that what is wrong is known by the step that it is wrong in.

use adjudicate_core::{
    Error, Operation,
    module::{Reply, ReplyError},
};
use adjudicate_sandbox::{Guest, Module, codes, counted};

use crate::requirement::{
    ALLOC, CALL_ENDS, REPLY_CONTRACT, REPLY_FORM, REPLY_RECORD, REPLY_STEP, REPLY_UTF8, Requirement,
};

/// What is broken, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) requirement: Requirement,
    pub(super) detail: String,
}

/// A reply as it is: a well-formed one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) text: String,
    /// The code and path of the error that it is; `None` if it is an answer.
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

    /// Fuel since the instance started, or since room was last asked for.
    pub(super) fn fuel_used(&self) -> u64 {
        self.guest.fuel_used()
    }

    pub(super) fn memory_bytes(&mut self) -> usize {
        self.guest.memory_bytes().unwrap_or_default()
    }

    /// Asks for room: 0, or an address from which so many bytes are inside of the memory.
    pub(super) fn room(&mut self, bytes: u32) -> Result<i32, Broken> {
        let broken = |detail: String| Broken {
            requirement: ALLOC,
            detail: format!("asked for {}: {detail}", counted(bytes, "byte")),
        };
        let address = self.guest.room(bytes).map_err(|error| broken(error.message().to_owned()))?;
        let end = u64::from(address.cast_unsigned()) + u64::from(bytes);
        let size = self.memory_bytes();
        match address {
            0 => Ok(0),
            _ if end <= size as u64 => Ok(address),
            _ => Err(broken(format!(
                "gives address {}, and the memory ends at {size}",
                address.cast_unsigned()
            ))),
        }
    }

    /// Calls by number.
    pub(super) fn ask(&mut self, number: i32, input: &[u8]) -> Result<Told, Broken> {
        let (address, bytes) = self.put(input)?;
        let record = self.guest.ask(number, address, bytes);
        self.told(record.map_err(|error| broken(CALL_ENDS, &error))?)
    }

    /// Gives a policy; `None` where the module takes none.
    pub(super) fn configure(&mut self, policy: &[u8]) -> Result<Option<Told>, Broken> {
        let (address, bytes) = self.put(policy)?;
        match self.guest.configure_at(address, bytes).map_err(|error| broken(CALL_ENDS, &error))? {
            Some(record) => self.told(record).map(Some),
            None => Ok(None),
        }
    }

    /// Reads a reply again.
    pub(super) fn again(&mut self, told: &Told) -> Result<Told, Broken> {
        self.told(told.record)
    }

    fn put(&mut self, input: &[u8]) -> Result<(i32, u32), Broken> {
        let bytes = u32::try_from(input.len()).unwrap_or(u32::MAX);
        let address = self.room(bytes.max(1))?;
        if address == 0 {
            let detail = format!("refuses room for {} of input", counted(bytes, "byte"));
            return Err(Broken { requirement: ALLOC, detail });
        }
        self.guest.put(address, input).map_err(|error| broken(ALLOC, &error))?;
        Ok((address, bytes))
    }

    fn told(&mut self, record: i32) -> Result<Told, Broken> {
        let bytes = self.guest.reply(record).map_err(|error| broken(REPLY_RECORD, &error))?;
        let text = str::from_utf8(bytes).map_err(|error| Broken {
            requirement: REPLY_UTF8,
            detail: format!("the reply is not UTF-8 from byte {} on", error.valid_up_to()),
        })?;
        let form = |error: Error| Broken { requirement: REPLY_FORM, detail: error.to_string() };
        let reply = Reply::read(text).map_err(form)?;
        let error = match reply.answer() {
            Ok(_) => None,
            Err(ReplyError::Reported(reported)) => Some((reported.code.to_owned(), reported.path.to_owned())),
            Err(ReplyError::Fault(error)) => return Err(form(error)),
        };
        Ok(Told { text: text.to_owned(), error, record })
    }
}

impl Told {
    /// Holds an answer against the output contract, which says nothing of an error.
    pub(super) fn check(&self, operation: Operation, input: &str) -> Result<(), Broken> {
        let form = |error: Error| Broken { requirement: REPLY_FORM, detail: error.to_string() };
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
            // That it is an answer is known.
            _ => Ok(()),
        }
    }
}

fn broken(requirement: Requirement, error: &Error) -> Broken {
    let place = if error.path().is_empty() { String::new() } else { format!(" at `{}`", error.path()) };
    Broken { requirement, detail: format!("{}: {}{place}", error.code().as_str(), error.message()) }
}
