import { describe, expect, test } from 'vitest';
import { parseWithSources } from '#json.ts';
import type { ChatReply } from './chat.ts';
import type { DialectId, WireId } from './codec.ts';
import { dialects } from './codecs.ts';
import { bridged, dialectIds, models, wireIds, wires } from './testing/bridge.ts';
import { assistant, call, neutral, user } from './testing/neutral-request.ts';

const LONG = `mcp__plugin_observability-workers__${'query_'.repeat(10)}worker`;
const DOTTED = 'db.query:v1';
const HARD_ID = `functions.${'Bash'.repeat(15)}:0`;
/** Numbers that JavaScript would write in another way. */
const NUMBERS = ['2512292042121000001', '-9223372036854775808', '1.0', '1e-7', '0.10000000000000000001'];
const ARGUMENTS = `{${NUMBERS.map((number, i) => `"n${i}":${number}`).join(',')},"deep":[{"x":${NUMBERS[0]}}]}`;

const limits = { type: 'object', properties: { n: { type: 'integer', maximum: 1 } } };

/** A caller's request with two tools, an earlier call and its result. */
function requestIn(dialect: DialectId): unknown {
  const earlier = call(HARD_ID, `${LONG}2`, ARGUMENTS);
  const result = { type: 'tool_result' as const, id: HARD_ID, content: [{ type: 'text' as const, text: ARGUMENTS }] };
  const request = neutral({
    messages: [user('Go.'), assistant(earlier), { role: 'tool', parts: [result] }],
    tools: [DOTTED, LONG, `${LONG}2`].map((name) => ({ name, schema: limits })),
    toolChoice: { mode: 'required', names: [DOTTED] },
    maxOutput: 1000,
  });
  const body = JSON.stringify(wires[dialect].writeRequest(request, { model: models[dialect] }));
  return parseWithSources(body.replaceAll('"maximum":1', `"maximum":${NUMBERS[0]}`));
}

const pairs = dialectIds.flatMap((dialect) => wireIds.map((wire): [DialectId, WireId] => [dialect, wire]));

describe.each(pairs)('tools of a caller of %s at a vendor of %s', (dialect, wire) => {
  const called = (names: string[]): ChatReply => ({
    parts: names.map((name, i) => call(`${HARD_ID}${i}`, name, ARGUMENTS)),
    finish: 'tool_calls',
  });
  const ask = (stream: boolean) => {
    let names: string[] = [];
    const json = { ...(requestIn(dialect) as object), ...(dialect === 'gemini' ? {} : { stream }) };
    const asked = bridged(dialect, wire, json, ({ tools }) => called((names = tools.map(({ name }) => name))), {
      model: 'a-model',
      stream,
    });
    return { ...asked, names };
  };

  test('have names that the vendor takes, and come back under their own', () => {
    const { names, seen, body } = ask(false);
    for (const name of names) expect(name).toMatch(wires[wire].toolNames!);
    expect(new Set(names).size).toBe(3);
    const answer = seen.messages.find(({ role }) => role === 'assistant');
    expect(answer?.parts).toMatchObject([{ name: names[2] }]);
    expect(seen.toolChoice?.names).toEqual([names[0]]);
    for (const said of [body, ask(true).body])
      for (const name of [DOTTED, LONG, `${LONG}2`]) expect(said).toContain(`"${name}"`);
  });

  test('have ids of calls that the caller’s dialect takes', () => {
    const ids = [...ask(false).body.matchAll(/"(?:tool_use_id|call_id|id)":"([^"]+)"/g)].map(([, id = '']) => id);
    const ofCalls = ids.filter((id) => id.startsWith(dialect === 'gemini' ? 'functions.' : 'call_'));
    expect(ofCalls).toHaveLength(3);
    for (const id of ofCalls) expect(id).toMatch(dialects[dialect].callIds);
  });

  test('keep the text of every number', () => {
    const { seen, body } = ask(false);
    expect(JSON.stringify(seen.tools)).toContain(`"maximum":${NUMBERS[0]}`);
    const sent = JSON.stringify(seen.messages).replaceAll('\\', '');
    for (const text of [sent, body.replaceAll('\\', ''), ask(true).body.replaceAll('\\', '')])
      for (const number of NUMBERS) expect(text).toMatch(new RegExp(`:${number.replace('.', '\\.')}[,}]`));
  });
});
