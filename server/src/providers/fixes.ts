import { createHash } from 'node:crypto';
import type { Json } from '#chat/chat.ts';
import { isObject, textOr } from '#chat/fields.ts';
import { openAiTraits } from '#chat/openai/openai-traits.ts';
import type { Asked, Changes, Operation } from './operation.ts';

/**
 * What vendors of OpenAI's form want otherwise. They see bodies that nobody has checked, so what is odd is left as it is:
 * the vendor will say so.
 */
export interface Fix {
  (body: Json, asked: Asked): Changes;
  /** A look at the bytes: false where there is nothing to change. Left out: there may be. */
  mayChange?: (body: Buffer, asked: Asked) => boolean;
}

/** A fix that has nothing to do with bodies in which none of these texts stands. */
export const whereSeen = (texts: readonly string[], fix: Fix): Fix =>
  Object.assign(fix, { mayChange: (body: Buffer) => texts.some((text) => body.includes(text)) });

/** One for certain models or channels only. */
export const where = (applies: (asked: Asked) => boolean, fix: Fix): Fix =>
  Object.assign((body: Json, asked: Asked) => (applies(asked) ? fix(body, asked) : {}), {
    mayChange: (body: Buffer, asked: Asked) => applies(asked) && (fix.mayChange?.(body, asked) ?? true),
  });

/** Both sides of an operation's fixes. */
export const fixing = (list: readonly Fix[] = []): Pick<Operation, 'fix' | 'mayFix'> =>
  list.length === 0
    ? {}
    : {
        fix: fixes(...list),
        mayFix: (body, asked) => list.some(({ mayChange }) => mayChange?.(body, asked) ?? true),
      };

/** One after the other, each seeing what those before it made. */
export const fixes =
  (...list: readonly Fix[]): Fix =>
  (body, asked) => {
    let changes: Changes = {};
    for (const fix of list) changes = { ...changes, ...fix({ ...body, ...changes }, asked) };
    return changes;
  };

/** A body with the changes made. */
export const changed = (body: Json, changes: Changes): Json =>
  Object.fromEntries(Object.entries({ ...body, ...changes }).filter(([, value]) => value !== undefined));

/** Fields that the vendor refuses. */
export const without = (...fields: readonly string[]): Fix =>
  whereSeen(quoted(fields), (body) =>
    Object.fromEntries(fields.filter((field) => body[field] !== undefined).map((field) => [field, undefined])),
  );

/** As names of members: as texts, some of them stand in every body. */
const quoted = (fields: readonly string[]): string[] => fields.flatMap((field) => [`"${field}":`, `"${field}" `]);

/** A field that goes by another name, which wins where both are given. */
export const renamed = (from: string, to: string): Fix =>
  whereSeen(quoted([from]), (body) =>
    body[from] === undefined ? {} : { [from]: undefined, [to]: body[to] ?? body[from] },
  );

/** A number that the vendor takes within bounds only. */
export const within = (field: string, least: number, most: number): Fix =>
  whereSeen(quoted([field]), (body) => {
    const value = body[field];
    if (typeof value !== 'number' || (value >= least && value <= most)) return {};
    return { [field]: Math.min(most, Math.max(least, value)) };
  });

/** Messages one by one; undefined drops one. They stay as they are where nothing changes. */
export const eachMessage =
  (change: (message: Json, i: number, all: readonly unknown[]) => Json | undefined): Fix =>
  (body) => {
    const messages = body['messages'];
    if (!Array.isArray(messages)) return {};
    const all: readonly unknown[] = messages;
    const now = all.map((one, i) => (isObject(one) ? change(one, i, all) : one)).filter((one) => one !== undefined);
    return now.length === all.length && now.every((one, i) => one === all[i]) ? {} : { messages: now };
  };

/** Only OpenAI tells developers from the system. */
export const oneSystemRole: Fix = whereSeen(
  ['"developer"'],
  eachMessage((message) => (message['role'] === 'developer' ? { ...message, role: 'system' } : message)),
);

/** Messages without anything in them, which some refuse. */
export const noEmptyMessages: Fix = whereSeen(
  ['""', 'null'],
  eachMessage((message) => {
    const { role, content, tool_calls: calls, function_call: call } = message;
    const isEmpty = content === '' || content === null;
    return isEmpty && !calls && !call && role !== 'tool' ? undefined : message;
  }),
);

/** The limit under the only name that most vendors know. */
export const oldLimit: Fix = renamed('max_completion_tokens', 'max_tokens');

const newLimit = renamed('max_tokens', 'max_completion_tokens');
const noSampling = without('temperature', 'top_p');

/** The reasoning models of OpenAI's own: another name for the limit, and no temperature. */
export const reasoningModels: Fix = where(
  ({ model }) => openAiTraits(model).reasoningOnly,
  (body, asked) => ({ ...newLimit(body, asked), ...(/^o\d/.test(asked.model) && noSampling(body, asked)) }),
);

/** Reasoning goes back to the vendor within the loop of tools at hand, and nowhere else. */
export const reasoningInLoopOnly: Fix = whereSeen(
  ['"reasoning_content"'],
  eachMessage((message, i, all) => {
    if (message['role'] !== 'assistant' || message['reasoning_content'] === undefined) return message;
    const answered = all.slice(i + 1).some((one) => isObject(one) && one['role'] === 'user');
    if (!answered) return message;
    const { reasoning_content: _, ...rest } = message;
    return rest;
  }),
);

/** Mistral's ids of calls have nine letters and digits. */
export const mistralId = (id: string): string =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);

/** Ids that another vendor made, in the calls and in what answers them. */
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

/** Whether a plugin of the channel is switched on. */
export function isOn({ extras }: Pick<Asked, 'extras'>, plugin: string): boolean {
  const found = extras.plugin[plugin];
  return isObject(found) && found['enable'] === true;
}

/** A plugin's value that is a text; empty where there is none. */
export function pluginText({ extras }: Pick<Asked, 'extras'>, plugin: string, name: string): string {
  const found = extras.plugin[plugin];
  return isObject(found) ? textOr(found[name], '') : '';
}
