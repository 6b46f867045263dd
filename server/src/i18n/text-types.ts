import type { BotCommand, EventType, IdentityProvider, IncidentKind } from '@relay-hub/contract';
import type { ErrorCode } from '#errors.ts';
import type { CsvTexts } from './csv-texts.ts';
import type { MailTexts } from './mail-texts.ts';
import type { RuleCode } from './zh_CN/errors.ts';

/** Title and advice of a kind of incident, with placeholders for its parameters. */
type IncidentWords = readonly [title: string, advice: string];

export interface AlarmTexts {
  incidents: Record<IncidentKind, IncidentWords>;
  /** Other events. */
  events: Record<Exclude<EventType, 'incident.opened' | 'incident.closed'> | 'way.test', string>;
  /** Below events of an account that a stranger may have caused. */
  notYou: string;
  /** Before the title of an incident that is over. */
  over: string;
  /** Before the last error message. */
  cause: string;
  /** Title of a message that summarizes several incidents. */
  several: string;
  more: string;
}

/** Messages of the Telegram bot. */
export interface BotTexts {
  /** Descriptions in the menu of commands. */
  menu: Record<BotCommand, string>;
  bound: string;
  unbound: string;
  notBound: string;
  how: string;
  wrong: string;
  tooMany: string;
  disabled: string;
  help: string;
  balance: string;
  sendCode: string;
  redeemed: string;
  keys: string;
  noKeys: string;
  openKeys: string;
  invite: string;
  page: string;
}

/** Unit of a limit: characters of text, entries of a list, or the number itself. */
export type Measure = 'characters' | 'entries' | 'number';
export type Kind = 'text' | 'number' | 'whole' | 'flag' | 'list' | 'object';

/** Texts of the validator’s issues; each follows the name of a field. */
export interface ProblemTexts {
  required: string;
  kinds: Record<Kind, string>;
  expected(kind: string): string;
  atLeast: Record<Measure, (limit: string) => string>;
  atMost: Record<Measure, (limit: string) => string>;
  above(limit: string): string;
  below(limit: string): string;
  multiple(of: string): string;
  oneOf(values: string): string;
  unknownKeys(keys: string): string;
  ignored(field: string): string;
  format: string;
  invalid: string;
}

/** Texts on movements of credits in logs, and the description of an order that payers see at the gateway. */
export type EntryTexts = Record<
  'topup' | 'refund' | 'returned' | 'dispute' | 'bought' | 'gift' | 'reward' | 'code' | 'closed',
  string
>;

/** All texts of the server in one language. */
export interface LanguageTexts {
  errors: Record<ErrorCode, string>;
  /** Of the contract's own rules. */
  rules: Record<RuleCode, string>;
  problems: ProblemTexts;
  csv: CsvTexts;
  mail: MailTexts;
  alarms: AlarmTexts;
  bot: BotTexts;
  entries: EntryTexts;
  /** Identity providers with a separate name in the language. */
  providers: Partial<Record<IdentityProvider, string>>;
}
