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
    time::{Duration, Instant},
};

use adjudicate_collect::{
    CollectOptions, Decide, goal,
    hooks::{
        Agent, CallVerdict, HookAnswer, HookCall, HookEvent, Rules, TurnEnd, TurnVerdict, begin, judge_call,
        judge_turn, other_worktree, resolved, unjudged, with_folders,
    },
};
use adjudicate_core::Error;

use super::{CALL, GRACE, own::OwnPatterns, via::ViaArgs};
use crate::{
    codes,
    collect::{Interrupt, Repository, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    output, threads,
};

/// The longest wait before a call for another collection in the same repository.
const WAIT: Duration = Duration::from_secs(15);

/// A message of the thread that judges.
enum Message {
    /// The event is the end of a turn.
    End(TurnEnd),
    Answer(HookAnswer),
}

/// Answers the event on standard input. With WASI there is one thread, so the host of the module keeps the limits.
pub(super) fn run(agent: Agent, deadline: u64, via: &ViaArgs, env: &Environment) -> Result<Exit, Failure> {
    #[cfg(target_os = "wasi")]
    adjudicate_collect::limit(CALL, CALL);
    // A signal stops the validators, as in `adjudicate run`.
    let stop = Interrupt::listen().into_stop();
    let (sender, receiver) = channel();
    let limit = Duration::from_secs(deadline);
    let judge = {
        let (via, env, stop) = (via.clone(), env.clone(), Arc::clone(&stop));
        move || {
            let hook = RunningHook { agent, via: &via, env: &env };
            hook.judge(limit, &stop, &sender);
        }
    };
    let answer = match threads::start(judge) {
        Ok(()) => wait(agent, limit, &receiver, &stop),
        Err(error) => HookAnswer::refusal(&format!("no thread can be started: {error}")),
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
fn wait(agent: Agent, limit: Duration, receiver: &Receiver<Message>, stop: &AtomicBool) -> HookAnswer {
    let begin = Instant::now();
    let reason = |error| match error {
        RecvTimeoutError::Timeout => "it took too long",
        RecvTimeoutError::Disconnected => "it failed",
    };
    let end = match receiver.recv_timeout(CALL) {
        Ok(Message::Answer(answer)) => return answer,
        Ok(Message::End(end)) => end,
        Err(error) => return HookAnswer::refusal(reason(error)),
    };
    let first = receiver.recv_timeout(limit.saturating_sub(begin.elapsed()));
    let answer = first.or_else(|_| {
        stop.store(true, Ordering::Relaxed);
        receiver.recv_timeout(GRACE)
    });
    match answer {
        Ok(Message::Answer(answer)) => answer,
        Ok(Message::End(_)) => HookAnswer::default(),
        // The other thread has the lock, so no hold can be counted.
        Err(error) => agent.answer_turn(&unjudged(None, &end, &CollectOptions::default(), reason(error))),
    }
}

/// The hook while it answers an event.
#[derive(Clone, Copy)]
struct RunningHook<'a> {
    agent: Agent,
    via: &'a ViaArgs,
    env: &'a Environment,
}

impl RunningHook<'_> {
    /// Reads the event, and sends the answer. The receiver may be gone.
    fn judge(self, limit: Duration, stop: &AtomicBool, sender: &Sender<Message>) {
        let input = Source::Stdin.text(self.env);
        let event = input.and_then(|input| self.agent.read(&input).map(|event| (event, input)));
        let answer = match event {
            Err(error) => HookAnswer::refusal(&error.to_string()),
            Ok((HookEvent::Call(call), input)) => {
                self.on_call(call, &input).unwrap_or_else(|error| HookAnswer::refusal(&error.to_string()))
            }
            Ok((HookEvent::End(end), _)) => {
                let _ = sender.send(Message::End(end.clone()));
                #[cfg(target_os = "wasi")]
                adjudicate_collect::limit(limit, limit + GRACE);
                // Another hook may judge the same turn.
                let options = CollectOptions { stop: Some(stop), wait: limit, ..CollectOptions::default() };
                self.agent.answer_turn(&self.on_end(&end, &options))
            }
        };
        let _ = sender.send(Message::Answer(answer));
    }

    /// Returns the strictest verdict of the repositories of a turn.
    fn on_end(self, end: &TurnEnd, options: &CollectOptions<'_>) -> TurnVerdict {
        let decide = |envelope: &str| self.via.decide(envelope, &end.session, self.env);
        let decide: &Decide<'_> = &decide;
        let options = CollectOptions { decide: self.via.is_set().then_some(decide), ..*options };
        match self.repositories(&end.folders, iter::empty()) {
            Ok(repositories) => {
                let verdicts = repositories.iter().map(|repository| self.turn(repository, end, &options));
                verdicts.fold(TurnVerdict::Release, TurnVerdict::and)
            }
            Err(error) => unjudged(None, end, &options, &error.to_string()),
        }
    }

    fn turn(self, repository: &Repository, end: &TurnEnd, options: &CollectOptions<'_>) -> TurnVerdict {
        match self.policy(repository) {
            Ok(policy) => {
                let options = CollectOptions { goal_set_at: repository.goal_set_at(), ..*options };
                judge_turn(&repository.root, &repository.configuration, policy.as_deref(), end, &options)
            }
            Err(error) => unjudged(Some(&repository.root), end, options, &error.to_string()),
        }
    }

    /// Returns the policy of a repository, unless a slot decides.
    fn policy(self, repository: &Repository) -> Result<Option<String>, Error> {
        if !self.via.is_set() {
            return repository.policy(self.env);
        }
        if repository.goal_set_at().is_none() {
            return Ok(None);
        }
        let message = "a goal is active, which a slot cannot judge; to end it: `adjudicate goal clear`";
        Err(Error::new(codes::WRONG_USAGE, message))
    }

    /// Returns the answer to a call: the strictest verdict of its repositories, and that of the slot.
    fn on_call(self, call: HookCall, input: &[u8]) -> Result<HookAnswer, Error> {
        let Self { agent, via, env } = self;
        // Some tools take relative paths from the project.
        let project = self.project().map(|folder| folder.to_string_lossy().into_owned());
        let folders: Vec<String> = call.folders.iter().cloned().chain(project.clone()).collect();
        // A file may be in a working tree that the event does not name.
        let files = folders
            .iter()
            .flat_map(|folder| call.files.iter().map(move |file| Path::new(folder).join(&file.path)));
        let repositories = self.repositories(&call.folders, files)?;
        let call = HookCall { folders, ..call };
        let verdicts = repositories.iter().map(|repository| self.verdict(repository, &call));
        let verdict = verdicts.reduce(|one, two| Ok(one?.and(two?))).unwrap_or(Ok(CallVerdict::Allow))?;
        let own = agent.answer_call(call.can_ask, &verdict);
        let slot = via.slot(env)?.filter(|_| !matches!(verdict, CallVerdict::Deny(_)));
        let Some(slot) = slot else { return Ok(own) };
        let event = with_folders(input, project.as_slice())?;
        let answer = slot
            .answer(agent, event)
            .map_err(|error| Error::new(codes::UNREADABLE_INPUT, error.to_string()))?;
        // The stricter answer counts. A slot that asks, too, changes nothing.
        let is_own = verdict != CallVerdict::Allow && !agent.is_denial(&answer.output);
        Ok(if is_own { own } else { answer })
    }

    fn verdict(self, repository: &Repository, call: &HookCall) -> Result<CallVerdict, Error> {
        let options = CollectOptions { wait: WAIT, ..CollectOptions::default() };
        begin(&repository.root, &repository.configuration, &options)
            .map_err(|error| Error::new(codes::UNREADABLE_INPUT, format!("the run cannot begin: {error}")))?;
        let (policy, guardrails) = (self.policy(repository)?, repository.guardrails(self.env)?);
        let own = OwnPatterns::new(self.agent, repository, self.env)?;
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
    fn project(self) -> Option<PathBuf> {
        self.agent.folder_variable().and_then(|name| self.env.variable(name)).map(PathBuf::from)
    }

    /// The working trees of an event: that of the project, as the agent names it, or that of the current folder. Others of the same repository
    /// follow, if the event is from there or changes one of their files. The configuration of the first decides about all.
    ///
    /// A configuration next to `.git` stands over those in folders below, where an agent may write one. Links lead to their targets first.
    fn repositories(
        self,
        folders: &[String],
        files: impl Iterator<Item = PathBuf>,
    ) -> Result<Vec<Repository>, Error> {
        let env = self.env;
        let here = folder(env)?;
        let named = || folders.iter().map(PathBuf::from);
        let candidates = self.project().into_iter().chain([here.clone()]).chain(named());
        let has_configuration = |folder: &Path| {
            adjudicate_collect::find(folder).is_some_and(|file| file.parent() == Some(folder))
        };
        let candidates = candidates.filter(|folder| folder.is_absolute()).map(|folder| resolved(&folder));
        let mut roots = candidates.filter_map(|folder| {
            let top =
                folder.ancestors().find(|folder| folder.join(".git").exists() && has_configuration(folder));
            let has_documents = adjudicate_collect::find(&folder).is_some() || goal::find(&folder).is_some();
            top.map(Path::to_path_buf).or_else(|| has_documents.then_some(folder))
        });
        let first = Repository::open(&roots.next().unwrap_or_else(|| here.clone()), env)?;
        let paths = [here].into_iter().chain(named()).chain(files).filter(|path| path.is_absolute());
        let others: BTreeSet<_> = paths.filter_map(|path| other_worktree(&first.root, &path)).collect();
        let others: Vec<_> = others.into_iter().map(|root| first.at(root)).collect();
        Ok([first].into_iter().chain(others).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[cfg(feature = "modules")]
    #[test]
    fn a_server_that_never_answers_denies_calls_and_holds_a_turn_once() {
        use std::{fs, net::TcpListener, process::Command};

        use crate::hook::via::tests::via;

        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let git = |arguments: &[&str]| {
            let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
            let status = Command::new("git").args(identity).args(arguments).current_dir(&root).status();
            assert!(status.unwrap().success(), "{arguments:?}");
        };
        let configuration = "workflow: change\nnext_steps: [{id: go, role: forward}, {id: ask, role: gate}]\n\
                             validators: [{id: unit, run: exit 0}]\n";
        fs::write(root.join("adjudicate.yaml"), configuration).unwrap();
        git(&["init", "--quiet"]);
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", "first"]);
        fs::write(root.join("change"), "").unwrap();
        // The system accepts connections, and no program reads from them.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let via = via(listener.local_addr().unwrap(), Duration::from_millis(200));
        let path = std::env::var_os("PATH");
        let env = Environment {
            folder: root,
            variable: Arc::new(move |name| path.clone().filter(|_| name == "PATH")),
            ..Environment::of_process()
        };
        let hook = RunningHook { agent: Agent::ClaudeCode, via: &via, env: &env };
        let read = |event: &str| Agent::ClaudeCode.read(event.as_bytes()).unwrap();

        let event = r#"{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
        let HookEvent::Call(call) = read(event) else { panic!("no call") };
        let error = hook.on_call(call, event.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("it does not answer"), "{error}");

        let HookEvent::End(end) = read(r#"{"hook_event_name": "Stop", "session_id": "s", "prompt_id": "1"}"#)
        else {
            panic!("no end of a turn")
        };
        let judge = || hook.on_end(&end, &CollectOptions::default());
        assert!(matches!(judge(), TurnVerdict::Hold(reason) if reason.contains("it does not answer")));
        assert!(matches!(judge(), TurnVerdict::Say(reason) if reason.contains("a human is needed")));
    }

    fn end() -> Message {
        match Agent::Codex.read(br#"{"hook_event_name": "Stop", "session_id": "s"}"#).unwrap() {
            HookEvent::End(end) => Message::End(end),
            HookEvent::Call(call) => panic!("{call:?}"),
        }
    }

    /// Waits for a thread that judges, within no time at the end of a turn.
    fn wait_for(judge: impl FnOnce(Sender<Message>, Arc<AtomicBool>) + Send + 'static) -> HookAnswer {
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
            sender
                .send(Message::Answer(HookAnswer { output: held.into(), ..HookAnswer::default() }))
                .unwrap();
        });
        assert_eq!(answer.output, held);
    }
}
