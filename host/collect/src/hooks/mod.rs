//! Hooks of coding agents: before a tool call, and at the end of a turn.
//!
//! A host starts `adjudicate hook AGENT` with the event on standard input, and reads the answer in a form of its own:
//!
//! ```text
//! input -> Agent::read -> HookEvent::Call -> judge_call -> CallVerdict -> Agent::answer_call -> HookAnswer
//!                         HookEvent::End  -> judge_turn -> TurnVerdict -> Agent::answer_turn -> HookAnswer
//! ```
//!
//! A failure before a tool call is [`HookAnswer::refusal`], which every host takes as a denial. A failure at the end of a turn
//! holds the agent once.
//!
//! [`Interceptor`] judges the same in the process of a host of AGENT-HOOKS. [`HookForm`] answers events of all hosts for a server, whose slot
//! decides.

mod agent;
mod answer;
mod call;
mod event;
mod form;
mod interceptor;
mod patch;
pub(crate) mod place;
mod step;
mod text;
mod tools;
mod turn;
mod worktree;

pub use agent::Agent;
pub use answer::HookAnswer;
pub use call::{CallVerdict, Rules, TEST_TOOL, judge_call};
pub(crate) use event::object_in;
pub use event::{HookCall, HookEvent, TEST_SESSION, TurnEnd, with_folders};
pub use form::HookForm;
pub use interceptor::Interceptor;
pub use place::resolved;
pub use step::in_session;
pub(crate) use tools::only_reads;
pub use turn::{MAX_HOLDS, TurnVerdict, begin, judge_turn, unjudged};
pub use worktree::other_worktree;
