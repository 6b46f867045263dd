import {
  defaultSettings,
  type Dialect,
  dialects,
  type Round,
  type Settings,
} from '#domain/playground/playground-types.ts';

/** A request of the log that is tried again. */
export interface LoggedRequest {
  dialect: Dialect;
  /** For dialects whose body does not name it. */
  model: string;
  /** The kept body. */
  body: string;
}

/** What the playground shows of it: the chat so far, the message to send, and everything else as advanced settings. */
export interface SameRequest {
  settings: Settings;
  rounds: Omit<Round, 'id'>[];
  draft: string;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const isDialect = (text: string): text is Dialect => dialects.some((dialect) => dialect === text);

/** Undefined: the body is no JSON object, such as one that was cut. */
export function sameRequest({ dialect, model, body }: LoggedRequest): SameRequest | undefined {
  const json = parse(body);
  if (!isObject(json)) return undefined;
  const { model: named, stream, stream_options: _options, ...rest } = json;
  const settings: Settings = {
    ...defaultSettings,
    dialect,
    models: [typeof named === 'string' ? named : model],
    stream: dialect === 'gemini' ? defaultSettings.stream : stream === true,
  };
  const member = { chat: 'messages', messages: 'messages', responses: 'input', gemini: 'contents' }[dialect];
  const said = rest[member];
  const turns: (Turn | undefined)[] =
    typeof said === 'string' ? [{ role: 'user', text: said }] : listOf(said).map(turnIn);
  const chat = turns.every((turn) => turn !== undefined) ? chatIn(turns) : undefined;
  // Pictures, tool calls and the like are sent as they were.
  const draft = chat?.draft ?? turns.findLast((turn) => turn?.role === 'user')?.text ?? '';
  if (chat) delete rest[member];
  if (chat && chat.system !== '') settings.system = chat.system;
  return {
    settings: { ...settings, advanced: Object.keys(rest).length > 0 ? JSON.stringify(rest, null, 2) : '' },
    rounds: chat?.rounds ?? [],
    draft: draft || '…',
  };
}

interface Turn {
  role: string;
  text: string;
}

/** A message of texts alone; undefined: it holds more. */
function turnIn(item: unknown): Turn | undefined {
  if (!isObject(item)) return undefined;
  const { role = 'user', content, parts, type = 'message', ...more } = item;
  if (typeof role !== 'string' || type !== 'message' || Object.keys(more).length > 0) return undefined;
  const held = content ?? parts;
  if (typeof held === 'string') return { role, text: held };
  const texts = listOf(held).map((part) =>
    isObject(part) &&
    typeof part['text'] === 'string' &&
    Object.keys(part).every((name) => name === 'text' || name === 'type')
      ? part['text']
      : undefined,
  );
  return texts.length > 0 && texts.every((text) => text !== undefined) ? { role, text: texts.join('\n\n') } : undefined;
}

/** Rounds of a message and its answer, before the last message; undefined: the turns are in another order. */
function chatIn(turns: readonly Turn[]): { system: string; rounds: Omit<Round, 'id'>[]; draft: string } | undefined {
  const isSystem = ({ role }: Turn): boolean => role === 'system' || role === 'developer';
  const [first] = turns;
  const system = first?.role === 'system' ? first.text : '';
  const chat = first?.role === 'system' ? turns.slice(1) : turns;
  const last = chat.at(-1);
  if (last?.role !== 'user' || chat.some(isSystem)) return undefined;
  const rounds: Omit<Round, 'id'>[] = [];
  for (let at = 0; at < chat.length - 1; at += 2) {
    const [asked, answered] = [chat[at], chat[at + 1]];
    if (asked?.role !== 'user' || (answered?.role !== 'assistant' && answered?.role !== 'model')) return undefined;
    rounds.push({
      text: asked.text,
      files: [],
      answers: [
        { id: `kept-${at}`, model: '', state: 'done', text: answered.text, reasoning: '', tools: [], media: [] },
      ],
    });
  }
  return { system, rounds, draft: last.text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
