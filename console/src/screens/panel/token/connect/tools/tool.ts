import type { Texts } from '#i18n/texts.ts';

/** Values that a recipe is filled with. */
export interface ConnectFacts {
  /** Public address of this site, without a slash at its end. */
  hub: string;
  /** Name of this site. */
  site: string;
  key: string;
  model: string;
  /** A small model for background work. */
  small: string;
}

type Text = (facts: ConnectFacts) => string;

export interface Snippet {
  /** A file name, a language or a system. */
  label: string;
  text: Text;
}

export type Step =
  /** Text for a shell, a file or a program; more than one snippet is a choice. */
  | { kind: 'env' | 'install' | 'run' | 'code'; snippets: readonly Snippet[] }
  | { kind: 'file'; path: string; text: Text }
  /** Fields of a form, by the labels of the tool; `where` is the path to the form. */
  | { kind: 'fields'; where: string; fields: readonly (readonly [label: string, text: Text])[] };

export type ToolDialect = 'openai' | 'anthropic' | 'gemini';
export type ToolGroup = keyof Texts['connect']['groups'];
export type ToolNote = keyof Texts['connect']['notes'];

/** A link that opens a tool with address and key filled in. */
export interface ToolLink {
  name: string;
  mark?: string;
  href: Text;
  /** The key is in the query, so the site that opens gets it in its server log. */
  inQuery?: true;
}

export interface Tool {
  id: string;
  name: string;
  mark?: string;
  group: ToolGroup;
  dialect: ToolDialect;
  /** The address as this tool has to be given it, with or without a version. */
  address: string;
  steps: readonly Step[];
  links?: readonly ToolLink[];
  note?: ToolNote;
  /** Models that suit, best first; any chat model without it. */
  models?: readonly RegExp[];
  /**
   * Where the facts come from: `measured` on the wire, read in the `source` code, or from the `docs`, of this version
   * and on this day.
   */
  checked: { by: 'measured' | 'source' | 'docs'; version?: string; on: string; source: string };
}

/** Environment variables as commands of a POSIX shell and of PowerShell. */
export const env = (
  lines: (facts: ConnectFacts) => Record<string, string>,
): Step & { snippets: readonly Snippet[] } => ({
  kind: 'env',
  snippets: [
    { label: 'macOS, Linux', text: (facts) => join(lines(facts), (name, value) => `export ${name}=${posix(value)}`) },
    { label: 'Windows', text: (facts) => join(lines(facts), (name, value) => `$env:${name} = ${powerShell(value)}`) },
  ],
});

const join = (lines: Record<string, string>, line: (name: string, value: string) => string): string =>
  Object.entries(lines)
    .map(([name, value]) => line(name, value))
    .join('\n');

/** As one word of a POSIX shell. The bullets of a masked key need no quotes. */
export const posix = (value: string): string =>
  /^[\w@%+=:,./•-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;

const powerShell = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A command that starts a program. */
export const run = (text: string | Text): Step => ({
  kind: 'run',
  snippets: [{ label: '', text: typeof text === 'string' ? () => text : text }],
});

export const fields = (where: string, ...list: readonly (readonly [string, Text])[]): Step => ({
  kind: 'fields',
  where,
  fields: list,
});

/** A string of JSON, YAML, TOML, Python, JavaScript, Go and Java alike. */
export const quoted = (value: string): string => JSON.stringify(value);

export const asJson = (value: object): string => JSON.stringify(value, null, 2);

/** Addresses by the form that a tool expects. */
export const atV1: Text = ({ hub }) => `${hub}/v1`;
export const atHost: Text = ({ hub }) => hub;
export const atClaude: Text = ({ hub }) => `${hub}/claude`;
export const atGemini: Text = ({ hub }) => `${hub}/gemini`;
export const theKey: Text = ({ key }) => key;
export const theModel: Text = ({ model }) => model;
