import { spawnSync } from 'node:child_process';
import { root, say } from '../lib/run.ts';

/**
 * Fails when the subject of a commit breaks the rule of CONTRIBUTING.md. Commits up to the one that added this file are
 * not checked: they are older than the rule.
 */
const maxLength = 72;
const subjectPattern =
  /^(?:feat|fix|perf|refactor|docs|test|build|ci|chore|revert)(?:\([a-z0-9-]+\))?!?: (\S+).*[^.\s]$/;
/** Verbs that only look like a past or progressive form. */
const imperatives = /^(?:embed|feed|need|seed|speed|shed|shred|bring|ping|string|spring)$/;

const git = (...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

const added = git('log', '--diff-filter=A', '--format=%H', '-1', '--', 'scripts/checks/check-commits.ts');
if (added === undefined || git('rev-parse', '--is-shallow-repository') !== 'false') {
  say('no complete git history: subjects of commits are not checked');
} else if (added === '') {
  say('this check is not committed yet: subjects of commits are not checked');
} else {
  const log = git('log', '--no-merges', '--format=%h %s', `${added}..HEAD`) ?? '';
  const problems = log.split('\n').filter(Boolean).flatMap(problemsOf);
  for (const problem of problems) say(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

function problemsOf(commit: string): string[] {
  const subject = commit.slice(commit.indexOf(' ') + 1);
  const problem = problemOf(subject);
  return problem === undefined ? [] : [`${commit}: ${problem}`];
}

function problemOf(subject: string): string | undefined {
  if (subject.length > maxLength) return `${subject.length} characters, at most ${maxLength}`;
  const verb = subjectPattern.exec(subject)?.[1];
  if (verb === undefined) return 'not "type(scope): subject" without a period at the end';
  if (/(?:ed|ing)$/.test(verb) && !imperatives.test(verb)) return `"${verb}" is not imperative`;
  return undefined;
}
