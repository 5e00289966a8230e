//! Answers one event of a coding agent within a time limit.

use std::{
    collections::BTreeSet,
    iter,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use adjudicate_collect::{
    Options, goal,
    hooks::{
        Agent, Answer, CallVerdict, Event, Rules, ToolCall, TurnEnd, TurnVerdict, begin, judge_call,
        judge_turn, other_worktree, resolved, unjudged,
    },
};
use adjudicate_core::Error;

use super::{CALL, GRACE, own::OwnPatterns};
use crate::{
    STACK_BYTES, codes,
    collect::{Interrupt, Repository, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    output,
};

/// The longest wait before a call for another collection in the same repository.
const WAIT: Duration = Duration::from_secs(15);

/// A message of the thread that judges.
enum Message {
    /// The event is the end of a turn.
    End(TurnEnd),
    Answer(Answer),
}

/// Answers the event on standard input.
pub(super) fn run(agent: Agent, deadline: u64, env: &Environment) -> Result<Exit, Failure> {
    // A signal stops the validators, as in `adjudicate run`.
    let stop = Interrupt::listen().into_stop();
    let (sender, receiver) = channel();
    let limit = Duration::from_secs(deadline);
    let judge = {
        let (env, stop) = (env.clone(), Arc::clone(&stop));
        move || judge(agent, limit, &env, &stop, &sender)
    };
    let started = thread::Builder::new().stack_size(STACK_BYTES).spawn(judge);
    let answer = match started {
        Ok(_) => wait(agent, limit, &receiver, &stop),
        Err(error) => Answer::refusal(&format!("no thread can be started: {error}")),
    };
    if !answer.complaint.is_empty() {
        output::error_line(env, answer.complaint.trim_end());
    }
    if !answer.output.is_empty() {
        output::line(env, &answer.output)?;
    }
    Ok(if answer.exit_code == 0 { Exit::Answered } else { Exit::Input })
}

/// Waits for the answer. A panic of the thread that judges closes the channel.
fn wait(agent: Agent, limit: Duration, receiver: &Receiver<Message>, stop: &AtomicBool) -> Answer {
    let begin = Instant::now();
    let reason = |error| match error {
        RecvTimeoutError::Timeout => "it took too long",
        RecvTimeoutError::Disconnected => "it failed",
    };
    let end = match receiver.recv_timeout(CALL) {
        Ok(Message::Answer(answer)) => return answer,
        Ok(Message::End(end)) => end,
        Err(error) => return Answer::refusal(reason(error)),
    };
    let first = receiver.recv_timeout(limit.saturating_sub(begin.elapsed()));
    let answer = first.or_else(|_| {
        stop.store(true, Ordering::Relaxed);
        receiver.recv_timeout(GRACE)
    });
    match answer {
        Ok(Message::Answer(answer)) => answer,
        Ok(Message::End(_)) => Answer::default(),
        // The other thread has the lock, so no hold can be counted.
        Err(error) => agent.answer_turn(&unjudged(None, &end, &Options::default(), reason(error))),
    }
}

/// Reads the event, and sends the answer. The receiver may be gone.
fn judge(agent: Agent, limit: Duration, env: &Environment, stop: &AtomicBool, sender: &Sender<Message>) {
    let event = Source::Stdin.text(env).and_then(|input| agent.read(&input));
    let answer = match event {
        Err(error) => Answer::refusal(&error.to_string()),
        Ok(Event::Call(call)) => {
            verdict(agent, call, env).unwrap_or_else(|error| Answer::refusal(&error.to_string()))
        }
        Ok(Event::End(end)) => {
            let _ = sender.send(Message::End(end.clone()));
            // Another hook may judge the same turn.
            let options = Options { stop: Some(stop), wait: limit, ..Options::default() };
            let verdict = match repositories(agent, &end.folders, iter::empty(), env) {
                Ok(repositories) => {
                    let verdicts =
                        repositories.iter().map(|repository| turn(repository, &end, &options, env));
                    verdicts.fold(TurnVerdict::Release, TurnVerdict::and)
                }
                Err(error) => unjudged(None, &end, &options, &error.to_string()),
            };
            agent.answer_turn(&verdict)
        }
    };
    let _ = sender.send(Message::Answer(answer));
}

fn turn(repository: &Repository, end: &TurnEnd, options: &Options<'_>, env: &Environment) -> TurnVerdict {
    match repository.policy(env) {
        Ok(policy) => {
            let options = Options { goal_set_at: repository.goal_set_at(), ..*options };
            judge_turn(&repository.root, &repository.configuration, policy.as_deref(), end, &options)
        }
        Err(error) => unjudged(Some(&repository.root), end, options, &error.to_string()),
    }
}

/// Returns the strictest verdict of the repositories of a call.
fn verdict(agent: Agent, call: ToolCall, env: &Environment) -> Result<Answer, Error> {
    // Some tools take relative paths from the project.
    let project = project(agent, env).map(|folder| folder.to_string_lossy().into_owned());
    let folders: Vec<String> = call.folders.iter().cloned().chain(project).collect();
    // A file may be in a working tree that the event does not name.
    let files = folders
        .iter()
        .flat_map(|folder| call.files.iter().map(move |file| Path::new(folder).join(&file.path)));
    let repositories = repositories(agent, &call.folders, files, env)?;
    let call = ToolCall { folders, ..call };
    let verdicts = repositories.iter().map(|repository| of_call(agent, repository, &call, env));
    let verdict = verdicts.reduce(|one, two| Ok(one?.and(two?))).unwrap_or(Ok(CallVerdict::Allow))?;
    Ok(agent.answer_call(&call, &verdict))
}

fn of_call(
    agent: Agent,
    repository: &Repository,
    call: &ToolCall,
    env: &Environment,
) -> Result<CallVerdict, Error> {
    let options = Options { wait: WAIT, ..Options::default() };
    begin(&repository.root, &repository.configuration, &options)
        .map_err(|error| Error::new(codes::UNREADABLE_INPUT, format!("the run cannot begin: {error}")))?;
    let (policy, guardrails) = (repository.policy(env)?, repository.guardrails(env)?);
    let own = OwnPatterns::new(agent, repository, env)?;
    let rules = Rules {
        root: &repository.root,
        policy: policy.as_deref(),
        guardrails: guardrails.as_deref(),
        own_paths: &own.inside,
        own_outside: &own.outside,
    };
    judge_call(&rules, call)
}

/// Returns the folder of the project, if the agent names it.
fn project(agent: Agent, env: &Environment) -> Option<PathBuf> {
    agent.folder_variable().and_then(|name| env.variable(name)).map(PathBuf::from)
}

/// The working trees of an event: that of the project, as the agent names it, or that of the current folder. Others of the same repository
/// follow, if the event is from there or changes one of their files. The configuration of the first decides about all.
///
/// A configuration next to `.git` stands over those in folders below, where an agent may write one. Links lead to their targets first.
fn repositories(
    agent: Agent,
    folders: &[String],
    files: impl Iterator<Item = PathBuf>,
    env: &Environment,
) -> Result<Vec<Repository>, Error> {
    let here = folder(env)?;
    let named = || folders.iter().map(PathBuf::from);
    let candidates = project(agent, env).into_iter().chain([here.clone()]).chain(named());
    let has_configuration =
        |folder: &Path| adjudicate_collect::find(folder).is_some_and(|file| file.parent() == Some(folder));
    let candidates = candidates.filter(|folder| folder.is_absolute()).map(|folder| resolved(&folder));
    let mut roots = candidates.filter_map(|folder| {
        let top = folder.ancestors().find(|folder| folder.join(".git").exists() && has_configuration(folder));
        let has_documents = adjudicate_collect::find(&folder).is_some() || goal::find(&folder).is_some();
        top.map(Path::to_path_buf).or_else(|| has_documents.then_some(folder))
    });
    let first = Repository::open(&roots.next().unwrap_or_else(|| here.clone()), env)?;
    let paths = [here].into_iter().chain(named()).chain(files).filter(|path| path.is_absolute());
    let others: BTreeSet<_> = paths.filter_map(|path| other_worktree(&first.root, &path)).collect();
    let others: Vec<_> = others.into_iter().map(|root| first.at(root)).collect();
    Ok([first].into_iter().chain(others).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end() -> Message {
        match Agent::Codex.read(br#"{"hook_event_name": "Stop", "session_id": "s"}"#).unwrap() {
            Event::End(end) => Message::End(end),
            Event::Call(call) => panic!("{call:?}"),
        }
    }

    /// Waits for a thread that judges, within no time at the end of a turn.
    fn wait_for(judge: impl FnOnce(Sender<Message>, Arc<AtomicBool>) + Send + 'static) -> Answer {
        let (sender, receiver) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let judge = {
            let stop = Arc::clone(&stop);
            thread::spawn(move || judge(sender, stop))
        };
        let answer = wait(Agent::Codex, Duration::ZERO, &receiver, &stop);
        // A panic is what some tests are about.
        let _ = judge.join();
        answer
    }

    #[test]
    fn a_panic_denies_a_call_and_ends_a_turn_with_a_word_for_humans() {
        let answer = wait_for(|_sender, _| panic!("before the event is read"));
        assert_eq!((answer.exit_code, answer.output.as_str()), (2, ""));
        assert!(answer.complaint.ends_with("it failed\n"), "{answer:?}");
        let answer = wait_for(|sender, _| {
            sender.send(end()).unwrap();
            panic!("at the end of a turn");
        });
        assert_eq!(answer.exit_code, 0);
        assert!(answer.output.contains("it failed\\nA human is needed."), "{answer:?}");
    }

    #[test]
    fn validators_are_stopped_at_the_limit_of_a_turn() {
        let held = "{\"decision\":\"block\"}";
        let answer = wait_for(move |sender, stop| {
            sender.send(end()).unwrap();
            while !stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            sender.send(Message::Answer(Answer { output: held.into(), ..Answer::default() })).unwrap();
        });
        assert_eq!(answer.output, held);
    }
}
