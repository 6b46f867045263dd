import { describe, expect, test } from 'vitest';
import { parseWithSources } from '#json.ts';
import type { ChatReply } from './chat.ts';
import type { DialectId, WireId } from './codec.ts';
import { dialects } from './codecs.ts';
import { lostIn } from './offered-tools.ts';
import { bridged, dialectIds, models, overTheNetwork, wireIds, wires } from './testing/bridge.ts';
import { assistant, call, neutral, user } from './testing/neutral-request.ts';
import { expectRefusal } from './testing/refusals.ts';

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

/** How callers ask for a vendor's search, one with another tool of the vendor, and one that demands the search. */
const hosted: Partial<Record<DialectId, { tools: object[]; other: object; lost: string; demand?: object }>> = {
  responses: {
    tools: [{ type: 'web_search', user_location: { type: 'approximate', city: 'Rome' } }],
    other: { type: 'mcp', server_label: 'x' },
    lost: 'tools.mcp',
    demand: { type: 'web_search' },
  },
  anthropic: {
    tools: [{ type: 'web_search_20250305', name: 'web_search', user_location: { type: 'approximate', city: 'Rome' } }],
    other: { type: 'code_execution_20250825', name: 'code_execution' },
    lost: 'tools.code_execution_20250825',
    demand: { type: 'tool', name: 'web_search' },
  },
  gemini: { tools: [{ googleSearch: {} }], other: { codeExecution: {} }, lost: 'tools.codeExecution' },
};
const searching: Partial<Record<WireId, string>> = {
  responses: '"type":"web_search"',
  anthropic: '"type":"web_search_20250305"',
  gemini: '"googleSearch":{}',
};
const hostedPairs = pairs.flatMap(([dialect, wire]) => {
  const asked = hosted[dialect];
  return asked && dialect !== wire ? [{ dialect, wire, asked }] : [];
});

describe.each(hostedPairs)(
  'tools of the vendor that a caller of $dialect names at $wire',
  ({ dialect, wire, asked }) => {
    const plain = wires[dialect].writeRequest(neutral({ maxOutput: 100 }), { model: models[dialect] });
    const read = (more: object) =>
      dialects[dialect].readRequest({ ...overTheNetwork(plain), ...more }, { model: 'a-model' });
    const sent = (more: object) => {
      const request = read(more);
      const lost = lostIn(request, wires[wire], models[wire]).filter((name) => name.startsWith('tools.'));
      return { body: JSON.stringify(wires[wire].writeRequest(request, { model: models[wire] })), lost };
    };

    test('the search becomes that of the other vendor, or is named as dropped', () => {
      const { body, lost } = sent({ tools: asked.tools });
      if (searching[wire]) expect([body.includes(searching[wire]), lost]).toEqual([true, []]);
      else expect(lost).toHaveLength(1);
    });

    test('others are named as dropped', () => {
      const { body, lost } = sent({ tools: [asked.other] });
      expect(lost).toEqual([asked.lost]);
      expect(body).not.toContain('"tools"');
    });

    test.skipIf(!asked.demand)('one that must be called is refused unless it can be demanded there', () => {
      const demanded = { tools: asked.tools, tool_choice: asked.demand };
      if (wires[wire].forcesSearch) expect(sent(demanded).body).toMatch(/"tool_choice":\{[^}]*"web_search"/);
      else expectRefusal(() => sent(demanded), 'tool_choice');
    });
  },
);

test('Google’s search is left out, and named, beside functions', () => {
  const request = neutral({ webSearch: {}, webSearchField: 'tools.web_search', tools: [{ name: 'f' }] });
  expect(lostIn(request, wires.gemini, models.gemini)).toEqual(['tools.web_search']);
  expect(JSON.stringify(wires.gemini.writeRequest(request, { model: models.gemini }))).not.toContain('googleSearch');
});

describe.each(wireIds.filter((wire) => wire !== 'responses'))('a group of tools of Responses at %s', (wire) => {
  const group = {
    type: 'namespace',
    name: 'mcp__docs',
    tools: [
      { type: 'function', name: 'search', description: 'd', parameters: limits },
      { type: 'custom', name: 'patch' },
    ],
  };
  const input = [
    { role: 'user', content: 'Go.' },
    { type: 'function_call', call_id: 'call_1', namespace: 'mcp__docs', name: 'search', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'found' },
  ];
  const answer = (): ChatReply => ({
    parts: [call('call_2', 'mcp__docs__search'), call('call_3', 'mcp__docs__patch', '{"input":"+a"}')],
    finish: 'tool_calls',
  });

  test.each([false, true])('is flattened, and calls come back in it, streamed: %s', (stream) => {
    const { seen, body } = bridged('responses', wire, { model: 'm', input, tools: [group], stream }, answer, {
      stream,
    });
    expect(seen.tools.map(({ name }) => name)).toEqual(['mcp__docs__search', 'mcp__docs__patch']);
    expect(JSON.stringify(seen.messages)).toContain('"name":"mcp__docs__search"');
    expect(body).toContain('"name":"search","namespace":"mcp__docs"');
    expect(body).toContain('"name":"patch","namespace":"mcp__docs"');
    expect(body).not.toContain('"name":"mcp__docs__');
  });

  test.each([
    { type: 'function', namespace: 'mcp__docs', name: 'search' },
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', namespace: 'mcp__docs', name: 'search' }] },
  ])('one of it can be demanded: $type', (tool_choice) => {
    const { seen } = bridged('responses', wire, { model: 'm', input, tools: [group], tool_choice }, answer);
    expect(seen.toolChoice).toMatchObject({ mode: 'required', names: ['mcp__docs__search'] });
  });

  test('and the whole of it can be allowed', () => {
    const tools = [group, { type: 'function', name: 'other' }];
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'namespace', name: 'mcp__docs' }] };
    const { seen } = bridged('responses', wire, { model: 'm', input, tools, tool_choice }, answer);
    expect(seen.tools.map(({ name }) => name)).toEqual(['mcp__docs__search', 'mcp__docs__patch']);
  });
});
