import { createHash } from 'node:crypto';
import { hasWord, isObject, textOr, type Json } from '#json.ts';
import { openAiTraits } from '#chat/openai/openai-traits.ts';
import type { ProviderCall, Changes, Operation } from './operation.ts';

/**
 * Adjustments for OpenAI-compatible vendors. Bodies are unvalidated, so malformed parts are left for the vendor to
 * refuse.
 */
export interface Fix {
  (body: Json, call: ProviderCall): Changes;
  /** Cheap check of the raw bytes: false if the fix cannot apply. Absent: it may. */
  mayChange?: (body: Buffer, call: ProviderCall) => boolean;
}

/** Skips bodies that contain none of these texts. */
export const whereSeen = (texts: readonly string[], fix: Fix): Fix =>
  Object.assign(fix, { mayChange: (body: Buffer) => hasWord(body, texts) });

/** Restricts a fix to certain models or channels. */
export const where = (applies: (call: ProviderCall) => boolean, fix: Fix): Fix =>
  Object.assign((body: Json, call: ProviderCall) => (applies(call) ? fix(body, call) : {}), {
    mayChange: (body: Buffer, call: ProviderCall) => applies(call) && (fix.mayChange?.(body, call) ?? true),
  });

/** An operation's members for a list of fixes. */
export const fixing = (list: readonly Fix[] = []): Pick<Operation, 'fix' | 'mayFix'> =>
  list.length === 0
    ? {}
    : {
        fix: fixes(...list),
        mayFix: (body, call) => list.some(({ mayChange }) => mayChange?.(body, call) ?? true),
      };

/** Applies fixes in sequence, each to the previous result. */
export const fixes =
  (...list: readonly Fix[]): Fix =>
  (body, call) => {
    let changes: Changes = {};
    for (const fix of list) changes = { ...changes, ...fix({ ...body, ...changes }, call) };
    return changes;
  };

export const changed = (body: Json, changes: Changes): Json =>
  Object.fromEntries(Object.entries({ ...body, ...changes }).filter(([, value]) => value !== undefined));

/** Removes fields that the vendor refuses. */
export const without = (...fields: readonly string[]): Fix =>
  whereSeen(quoted(fields), (body) =>
    Object.fromEntries(fields.filter((field) => body[field] !== undefined).map((field) => [field, undefined])),
  );

/** As member names, because some of these texts occur in every body. */
const quoted = (fields: readonly string[]): string[] => fields.flatMap((field) => [`"${field}":`, `"${field}" `]);

/** Renames a field; the new name wins if both are given. */
export const renamed = (from: string, to: string): Fix =>
  whereSeen(quoted([from]), (body) =>
    body[from] === undefined ? {} : { [from]: undefined, [to]: body[to] ?? body[from] },
  );

/** Clamps a number to the vendor's range. */
export const within = (field: string, least: number, most: number): Fix =>
  whereSeen(quoted([field]), (body) => {
    const value = body[field];
    if (typeof value !== 'number' || (value >= least && value <= most)) return {};
    return { [field]: Math.min(most, Math.max(least, value)) };
  });

/** Maps messages; undefined drops one. Without changes the list is kept as is. */
export const eachMessage =
  (change: (message: Json, i: number, all: readonly unknown[]) => Json | undefined): Fix =>
  (body) => {
    const messages = body['messages'];
    if (!Array.isArray(messages)) return {};
    const all: readonly unknown[] = messages;
    const now = all.map((one, i) => (isObject(one) ? change(one, i, all) : one)).filter((one) => one !== undefined);
    return now.length === all.length && now.every((one, i) => one === all[i]) ? {} : { messages: now };
  };

/** Only OpenAI distinguishes developer from system. */
export const oneSystemRole: Fix = whereSeen(
  ['"developer"'],
  eachMessage((message) => (message['role'] === 'developer' ? { ...message, role: 'system' } : message)),
);

const isInstruction = (message: unknown): boolean =>
  isObject(message) && (message['role'] === 'system' || message['role'] === 'developer');

/**
 * Leaves one system message, in front, for templates that refuse others: those at the beginning are joined, later ones
 * join the user's message next to them, or the one in front where there is none.
 */
export const oneSystemMessage: Fix = whereSeen(['"developer"', '"system"'], (body) => {
  const { messages } = body;
  if (!Array.isArray(messages)) return {};
  const all: readonly unknown[] = messages;
  if (
    all.every((message, i) => !isInstruction(message) || (i === 0 && isObject(message) && message['role'] === 'system'))
  )
    return {};
  return { messages: folded(all) };
});

function folded(all: readonly unknown[]): unknown[] {
  const front: unknown[] = [];
  const rest: Json[] = [];
  let waiting: unknown[] = [];
  all.forEach((message, i) => {
    if (!isObject(message)) return rest.push(message as Json); // malformed: the vendor refuses it
    const last = rest.at(-1);
    if (!isInstruction(message)) {
      const isUser = message['role'] === 'user';
      rest.push(isUser ? { ...message, content: joinedContent(...waiting, message['content']) } : message);
      if (isUser) waiting = [];
    } else if (last === undefined) front.push(message['content']);
    else if (last['role'] === 'user') last['content'] = joinedContent(last['content'], message['content']);
    else if (isObject(all[i + 1]) && nextRole(all, i) === 'user') waiting.push(message['content']);
    else front.push(message['content']);
    return rest.length;
  });
  return front.length > 0 ? [{ role: 'system', content: joinedContent(...front) }, ...rest] : rest;
}

/** The role of the next message that is no instruction. */
function nextRole(all: readonly unknown[], at: number): unknown {
  const next = all.slice(at + 1).find((message) => !isInstruction(message));
  return isObject(next) ? next['role'] : undefined;
}

/** Contents as one: a text if all are, else a list of parts. */
function joinedContent(...contents: readonly unknown[]): unknown {
  if (contents.length === 1) return contents[0];
  if (contents.every((content) => typeof content === 'string')) return contents.join('\n\n');
  return contents.flatMap((content): unknown[] =>
    Array.isArray(content) ? content : content == null ? [] : [{ type: 'text', text: content }],
  );
}

/** Removes empty messages, which some vendors refuse. */
export const noEmptyMessages: Fix = whereSeen(
  ['""', 'null'],
  eachMessage((message) => {
    const { role, content, tool_calls: calls, function_call: call } = message;
    const isEmpty = content === '' || content === null;
    return isEmpty && !calls && !call && role !== 'tool' ? undefined : message;
  }),
);

/** Most vendors know only the older name. */
export const oldLimit: Fix = renamed('max_completion_tokens', 'max_tokens');

const newLimit = renamed('max_tokens', 'max_completion_tokens');
const noSampling = without('temperature', 'top_p');

/** OpenAI's reasoning models: another name for the limit, and no temperature. */
export const reasoningModels: Fix = where(
  ({ model }) => openAiTraits(model).reasoningOnly,
  (body, call) => ({ ...newLimit(body, call), ...(/^o\d/.test(call.model) && noSampling(body, call)) }),
);

/** Sends reasoning back only within the current tool loop, and with calls, where it is demanded from V4 on. */
export const reasoningInLoopOnly: Fix = whereSeen(
  ['"reasoning_content"'],
  eachMessage((message, i, all) => {
    if (message['role'] !== 'assistant' || message['reasoning_content'] === undefined) return message;
    const answered = all.slice(i + 1).some((one) => isObject(one) && one['role'] === 'user');
    if (!answered || message['tool_calls']) return message;
    const { reasoning_content: _, ...rest } = message;
    return rest;
  }),
);

/** Mistral's call ids have exactly nine letters and digits. */
export const mistralId = (id: string): string =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);

/** Converts other vendors' ids in calls and results. */
export const fittingMistralIds: Fix = whereSeen(
  ['"tool_call'],
  eachMessage((message) => {
    const { tool_call_id: answered, tool_calls: calls } = message;
    if (typeof answered === 'string' && mistralId(answered) !== answered)
      return { ...message, tool_call_id: mistralId(answered) };
    if (!Array.isArray(calls)) return message;
    const all: readonly unknown[] = calls;
    const fitting = all.map((call) => {
      const id = isObject(call) ? call['id'] : undefined;
      return isObject(call) && typeof id === 'string' && mistralId(id) !== id ? { ...call, id: mistralId(id) } : call;
    });
    return fitting.every((call, i) => call === all[i]) ? message : { ...message, tool_calls: fitting };
  }),
);

export function isOn({ extras }: Pick<ProviderCall, 'extras'>, plugin: string): boolean {
  const found = extras.plugin[plugin];
  return isObject(found) && found['enable'] === true;
}

/** A plugin's text value; '' if absent. */
export function pluginText({ extras }: Pick<ProviderCall, 'extras'>, plugin: string, name: string): string {
  const found = extras.plugin[plugin];
  return isObject(found) ? textOr(found[name], '') : '';
}
