import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

/** A value that an option does not take. */
const refused = Symbol('refused');

/** An option of a command, and how its value is read. */
interface Option<T> {
  /** The value in the usage text, such as `<folder>`; absent: a switch. */
  value?: string;
  about: string;
  isNeeded?: boolean;
  /** `given`: the text behind the option; undefined without the option. */
  read(given: string | true | undefined): T | typeof refused;
}

interface Command<O> {
  /** As in `npm run backup`; `tool seed` for a developer tool. */
  name: string;
  /** Purpose, in whole sentences. */
  about: string;
  options?: O;
  /** Arguments that are not options, as the usage text names them; without it they are refused. */
  others?: string;
  /** Lines below the options. */
  more?: string;
  /** Exit status for what it does not know, where 2 means something else. */
  mistyped?: number;
}

type Values<O> = { [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };

/** Exit status of a command that was typed wrongly. */
const MISTYPED = 2;
const WIDTH = 22;
/** With more options, the first line of the usage names only those that are needed. */
const MOST_IN_LINE = 4;

/** How an operator types a command: with npm in the repository, with the program in the package. */
export function commandLine(name: string, args = ''): string {
  // The package has the commands of `cli` among its own.
  if (!import.meta.filename.endsWith('.ts')) return `relay-hub ${name.replace(/^cli\b ?/, '')} ${args}`.trim();
  const [script, ...rest] = [...name.split(' '), args];
  const behind = rest.filter((word) => word !== '').join(' ');
  return `npm run ${script}${behind === '' ? '' : ` -- ${behind}`}`;
}

export const flag = (about: string): Option<boolean> => ({ about, read: (given) => given !== undefined });

/** A text that is not empty; `absent` without the option. */
export const text = <const D extends string | undefined>(
  value: string,
  about: string,
  absent: D,
): Option<string | D> => ({
  value,
  about,
  read: (given) => (given === undefined ? absent : given === true || given === '' ? refused : given),
});

/** A text without which the command cannot run. */
export const needed = (value: string, about: string): Option<string> => ({
  ...text(value, about, ''),
  isNeeded: true,
});

/** A whole number of at least `least`; `absent` without the option. */
export const whole = <const D extends number | undefined>(
  value: string,
  about: string,
  absent: D,
  least = 0,
): Option<number | D> => ({
  value,
  about,
  read(given) {
    if (given === undefined) return absent;
    return /^\d{1,15}$/.test(String(given)) && Number(given) >= least ? Number(given) : refused;
  },
});

/** One of some words; the first without the option. */
export const oneOf = <const T extends string>(words: readonly [T, ...T[]], about: string): Option<T> => ({
  value: words.join('|'),
  about,
  read: (given) => (given === undefined ? words[0] : (words.find((word) => word === given) ?? refused)),
});

/** For commands that ask before they start, see `confirm`. */
export const yes = flag('start without a question');

/**
 * Reads the arguments of a command; call it before anything else. `--help` prints the usage and ends the process with 0,
 * an argument that the command does not know or lacks ends it with 2. `others`: arguments that are no options.
 */
export function readCommand<const O extends Record<string, Option<unknown>> = Record<string, never>>(
  command: Command<O>,
): Values<O> & { others: string[] } {
  const options = Object.entries<Option<unknown>>(command.options ?? {});
  const { typed, others } = typedIn(command, options);
  if (typed['help'] !== undefined) {
    process.stdout.write(usageOf(command, options));
    process.exit(0);
  }
  const values = options.map(([name, { value, read, isNeeded }]) => {
    const given = typed[name];
    if (given === undefined && isNeeded) mistyped(command, `--${name} ${value} is missing`, options);
    const result = read(given);
    if (result === refused) mistyped(command, `--${name} takes ${value}`, options);
    return [name, result];
  });
  return { ...(Object.fromEntries(values) as Values<O>), others }; // read by the options of the command
}

function typedIn<O>(
  command: Command<O>,
  options: [string, Option<unknown>][],
): { typed: Record<string, string | true | undefined>; others: string[] } {
  const shapes = options.map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  try {
    const { values, positionals } = parseArgs({
      options: { ...Object.fromEntries(shapes), help: { type: 'boolean', short: 'h' } },
      allowPositionals: command.others !== undefined,
    });
    return { typed: values as Record<string, string | true | undefined>, others: positionals }; // one value each
  } catch (error) {
    // The rest of Node's message explains `parseArgs`.
    return mistyped(command, (error as Error).message.replace(/\. .*/s, ''), options);
  }
}

function mistyped<O>(command: Command<O>, problem: string, options: [string, Option<unknown>][]): never {
  process.stderr.write(`${problem}. Nothing was done.\n\n${usageOf(command, options)}`);
  process.exit(command.mistyped ?? MISTYPED);
}

function usageOf<O>({ name, about, others, more }: Command<O>, options: [string, Option<unknown>][]): string {
  const typed = (option: string, { value }: Option<unknown>) => `--${option}${value === undefined ? '' : ` ${value}`}`;
  const inLine = options
    .filter(([, { isNeeded }]) => isNeeded === true || options.length <= MOST_IN_LINE)
    .map(([option, of]) => (of.isNeeded ? typed(option, of) : `[${typed(option, of)}]`));
  if (options.length > MOST_IN_LINE) inLine.push('[options]');
  const lines = [...options, ['help', flag('print this text')] as const].map(
    ([option, of]) => `  ${typed(option, of).padEnd(WIDTH)} ${of.about}`,
  );
  const first = commandLine(name, [...(others === undefined ? [] : [others]), ...inLine].join(' '));
  const wrapped = about.replaceAll(/(.{1,100})(?: |$)/g, '$1\n');
  return `${first}\n\n${wrapped}\n${lines.join('\n')}\n${more === undefined ? '' : `\n${more}\n`}`;
}

/** Asks in a terminal before a command starts; without a terminal it wants `--yes`. Ends the process if refused. */
export async function confirm(question: string, isGiven: boolean): Promise<void> {
  if (isGiven) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    process.stderr.write(`${question}\nNothing was done. Add --yes to confirm.\n`);
    process.exit(MISTYPED);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (/^y(es)?$/i.test(answer.trim())) return;
  process.stderr.write('Nothing was done.\n');
  process.exit(1);
}
