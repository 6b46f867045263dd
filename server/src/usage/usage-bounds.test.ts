import { completionTokens, inputTokens, noUsage, type Usage } from '@relay-hub/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contextOf, factsOf } from './model-facts.ts';
import { kindOfRequest } from './request-kind.ts';
import { type CallNature, type CallSizes, checkedUsage, isWithinSizes } from './usage-bounds.ts';

/** A call by its request; defaults to a short question and a short answer. */
interface Call {
  request?: object;
  model?: string;
  usage: Partial<Usage>;
  received?: number;
  limit?: number;
  choices?: number;
  besideLimit?: boolean;
  allVisible?: boolean;
  documents?: number;
  seconds?: number;
}

const question = { messages: [{ role: 'user', content: 'hello' }] };

function check({ request = question, model = 'made-up', usage, received = 400, limit, choices = 1, ...more }: Call) {
  const whole = { ...noUsage, ...usage };
  const sizes: CallSizes = {
    sent: JSON.stringify(request).length,
    received,
    seen: received / 4,
    choices,
    limit,
    seconds: more.seconds ?? 86_400,
    images: undefined,
    imagesMade: undefined,
  };
  const kind = kindOfRequest(request);
  const facts = factsOf(model);
  const nature: CallNature = {
    facts,
    kind: () => kind,
    sentLimit: () => limit,
    reasoningBesideLimit: () => more.besideLimit ?? false,
    isAllVisible: () =>
      more.allVisible ??
      (facts?.reasoning === false && whole.reasoning === 0 && kind.reads === 'plain' && !kind.hidesOutput),
    documents: more.documents ?? 1,
  };
  return isWithinSizes(whole, sizes) ? undefined : checkedUsage(whole, sizes, nature);
}

const picture = 'data:image/png;base64,iVBORw0KGgo=';
const asks = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };

describe('what was really used is never cut', () => {
  test.each<[string, Call]>([
    ['a short answer', { usage: { input: 9, output: 12 } }],
    ['hidden prompts of tools and schemas', { request: { ...question, tools: [weather] }, usage: { input: 700 } }],
    ['a system prompt of a gateway', { model: 'claude-sonnet-4-5', usage: { input: 20_000, output: 9 } }],
    ['an agent behind a made-up name, with documents of its own', { usage: { input: 100_000, output: 9 } }],
    ['a model that searches', { model: 'sonar-pro', usage: { input: 900_000, output: 9 } }],
    ['a model that is made to search', { model: 'openai/gpt-4o-mini:online', usage: { input: 900_000 } }],
    ['reasoning', { model: 'o3', usage: { output: 100, reasoning: 90_000 }, limit: 100_000 }],
    ['reasoning that is not told apart', { model: 'claude-opus-4-1', usage: { output: 30_000 }, limit: 32_000 }],
    [
      'reasoning beside the limit',
      { usage: { output: 500, reasoning: 30_000 }, limit: 500, besideLimit: true, received: 2000 },
    ],
    ['an end of the turn beyond the limit', { usage: { output: 11 }, limit: 10 }],
    ['several answers', { usage: { output: 400 }, limit: 400, choices: 4, received: 2000 }],
    [
      'a long cached prompt',
      { request: asks({ type: 'text', text: 'x'.repeat(900_000) }), usage: { cached: 200_000 } },
    ],
    [
      'what is read from a cache and written to it',
      {
        request: asks({ type: 'text', text: 'x'.repeat(900_000) }),
        usage: { input: 5, cacheRead: 180_000, cacheWrite: 40_000, cacheWrite1h: 300 },
      },
    ],
    ['a token a byte', { request: asks({ type: 'text', text: '𒐫'.repeat(500) }), usage: { input: 2200 } }],
    [
      'a picture that is dear',
      {
        model: 'gpt-4o-mini',
        request: asks({ type: 'image_url', image_url: { url: picture } }),
        usage: { input: 48_169 },
      },
    ],
    [
      'a picture at an address',
      {
        model: 'gpt-4o-mini',
        request: asks({ type: 'image_url', image_url: { url: 'https://a.example/a.png' } }),
        usage: { input: 100_000 },
      },
    ],
    [
      'a document',
      {
        model: 'claude-3-5-sonnet-20241022',
        request: asks({ type: 'document', source: { type: 'base64', data: 'JVBERi0=' } }),
        usage: { input: 190_000, output: 9 },
      },
    ],
    [
      'a file of Google’s',
      {
        model: 'gemini-2.5-pro',
        request: { contents: [{ parts: [{ fileData: { fileUri: 'https://x/files/1' } }] }] },
        usage: { input: 1_000_000 },
      },
    ],
    [
      'cached content',
      { model: 'gemini-2.5-pro', request: { cachedContent: 'cachedContents/1' }, usage: { cached: 900_000 } },
    ],
    [
      'stored state',
      { model: 'gpt-5', request: { input: 'a', previous_response_id: 'resp_1' }, usage: { input: 390_000 } },
    ],
    [
      'a conversation by reference',
      { model: 'gpt-5', request: { input: [{ type: 'item_reference', id: 'rs_1' }] }, usage: { input: 390_000 } },
    ],
    [
      'hidden reasoning that goes back',
      {
        model: 'claude-sonnet-4-5',
        request: { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: 'S' }] }] },
        usage: { input: 150_000 },
      },
    ],
    [
      'a hosted search, read again in each turn',
      {
        model: 'gpt-5',
        request: { input: 'a', tools: [{ type: 'web_search' }] },
        usage: { input: 3_000_000, output: 400_000 },
      },
    ],
    [
      'Google’s search',
      {
        model: 'gemini-2.0-flash',
        request: { contents: [], tools: [{ googleSearch: {} }] },
        usage: { input: 2_000_000 },
      },
    ],
    [
      'a member nobody knows',
      { model: 'gpt-4o', request: { ...question, plugins: ['web'] }, usage: { input: 900_000 } },
    ],
    [
      'predictions that were dropped',
      {
        model: 'gpt-4o',
        request: { ...question, prediction: { type: 'content', content: 'x'.repeat(9000) } },
        usage: { output: 4000 },
      },
    ],
    [
      'candidates that are not shown',
      { model: 'gpt-3.5-turbo-instruct', request: { prompt: 'a', best_of: 9 }, usage: { output: 4000 } },
    ],
    [
      'a query that is read with each document',
      {
        request: { query: 'x'.repeat(900), documents: Array(100).fill('a') },
        usage: { input: 60_000 },
        documents: 100,
      },
    ],
    ['an hour of sound', { request: {}, usage: { audioSeconds: 3600 }, seconds: 3600 }],
  ])('%s', (_, call) => {
    const checked = check(call);
    expect(checked?.mark).not.toBe('implausible');
    expect(checked?.usage ?? { ...noUsage, ...call.usage }).toEqual({ ...noUsage, ...call.usage });
  });
});

describe('what cannot be is cut, and marked', () => {
  const LIE = 1_000_000_000;
  test.each<[string, Call, number, string]>([
    ['output beyond the limit', { usage: { output: LIE }, limit: 10 }, 10, 'limit'],
    ['reasoning beyond the limit', { model: 'o3', usage: { reasoning: LIE }, limit: 10 }, 10, 'limit'],
    ['output beyond the limit of several answers', { usage: { output: LIE }, limit: 40, choices: 4 }, 40, 'limit'],
    [
      'output beyond a limit that does not hold the reasoning',
      { usage: { output: LIE, reasoning: 50 }, limit: 10, besideLimit: true },
      60,
      'limit',
    ],
    ['more than the model can write', { model: 'claude-sonnet-4-5', usage: { output: LIE } }, 128_000, 'model_output'],
    [
      'a limit that the model has not',
      { model: 'o3', usage: { output: LIE }, limit: 900_000 },
      100_000,
      'model_output',
    ],
    ['more than any model can write', { usage: { output: LIE } }, 4_194_304, 'any_answer'],
    ['more than came of what is visible', { model: 'gpt-4o-mini', usage: { output: LIE } }, 400 + 1024, 'received'],
    ['numbers instead of a text', { usage: { output: LIE }, allVisible: true }, 400 + 1024, 'received'],
    ['input beyond what was sent', { model: 'gpt-4o-mini', usage: { input: LIE } }, 32_816, 'sent'],
    ['input of a model nobody knows', { usage: { input: LIE } }, 131_120, 'sent'],
    ['cached input', { model: 'gpt-4o-mini', usage: { cacheWrite1h: LIE } }, 32_816, 'sent'],
    [
      'input beyond the window',
      {
        model: 'gpt-4o',
        request: asks({ type: 'image_url', image_url: { url: 'https://a.example' } }),
        usage: { input: LIE },
      },
      128_000,
      'context_window',
    ],
    [
      'input beyond all turns',
      { model: 'gpt-4o', request: { ...question, tools: [{ type: 'web_search' }] }, usage: { input: LIE } },
      12_800_000,
      'context_window',
    ],
    [
      'more sound than the file can hold',
      { request: {}, usage: { audioSeconds: 80_000 }, seconds: 3 },
      3,
      'sound_length',
    ],
    ['more searches than documents', { request: { query: 'a', documents: ['b'] }, usage: { units: LIE } }, 2, 'sent'],
  ])('%s', (_, call, most, bound) => {
    const checked = check(call)!;
    expect(checked.mark).toBe('implausible');
    expect(checked.findings).toMatchObject([{ most, charged: most, bound }]);
    const { usage, findings } = checked;
    const charged = {
      input: inputTokens,
      output: completionTokens,
      seconds: (u: Usage) => u.audioSeconds,
      searches: (u: Usage) => u.units,
      images: (u: Usage) => u.units,
    };
    expect(charged[findings[0]!.counter](usage)).toBe(most);
  });

  test('its parts keep their proportions', () => {
    const usage = { input: 500_000, cached: 250_000, cacheRead: 250_000, output: 3 };
    const checked = check({ model: 'gpt-4o-mini', usage });
    expect(checked?.usage).toEqual({ ...noUsage, input: 16_408, cached: 8204, cacheRead: 8204, output: 3 });
  });
});

test('usage far above the visible text is marked, and charged as reported', () => {
  const usage = { input: 5000, output: 60_000 };
  expect(check({ usage, limit: 100_000 })).toMatchObject({
    usage,
    mark: 'unusual',
    findings: [
      { counter: 'input', reported: 5000, charged: 5000, bound: 'seen' },
      { counter: 'output', reported: 60_000, charged: 60_000, bound: 'seen' },
    ],
  });
});

const count = fc.integer({ min: 0, max: 1_000_000_000 });
const anyUsage = fc.record(
  Object.fromEntries(Object.keys(noUsage).map((kind) => [kind, count])),
) as unknown as fc.Arbitrary<Usage>; // it has each kind

test('a checked usage holds whole counters, none of them larger than it was reported, and as many as are charged', () => {
  const models = fc.constantFrom('gpt-4o-mini', 'o3', 'claude-sonnet-4-5', 'gemini-2.0-flash', 'made-up');
  const limits = fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined });
  fc.assert(
    fc.property(anyUsage, models, limits, fc.boolean(), (usage, model, limit, besideLimit) => {
      const checked = check({ usage, model, ...(limit && { limit }), besideLimit });
      if (!checked) return;
      for (const kind of Object.keys(noUsage) as (keyof Usage)[]) {
        expect(Number.isInteger(checked.usage[kind])).toBe(true);
        expect(checked.usage[kind]).toBeGreaterThanOrEqual(0);
        expect(checked.usage[kind]).toBeLessThanOrEqual(usage[kind]);
      }
      for (const { counter, charged } of checked.findings) {
        if (counter === 'input') expect(inputTokens(checked.usage)).toBe(charged);
        if (counter === 'output' && checked.mark === 'implausible' && charged < completionTokens(usage))
          expect(completionTokens(checked.usage)).toBe(charged);
      }
    }),
  );
});

test.each([
  ['gpt-4o-mini-2024-07-18', 16_384],
  ['openai/gpt-4o', 16_384],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 128_000],
  ['claude-3-5-sonnet@20240620', 8192],
  ['GPT-4O', 16_384],
  ['gpt-5.9', undefined],
  ['my-gpt-4o', undefined],
  ['', undefined],
])('the largest answer of %j is %j', (model, output) => {
  expect(factsOf(model)?.output).toBe(output);
});

test.each([
  ['openai/gpt-4o-2024-08-06', 128_000],
  ['gemini-2.5-pro', 1_048_576],
  ['gpt-5-mini', 400_000],
  // The bound of these families is larger than the window of the model.
  ['gpt-4-0613', 8192],
  ['us.anthropic.claude-haiku-4-5@20251001', 200_000],
  ['gpt-5-chat-latest', undefined],
  ['claude-opus-4-9', undefined],
  ['made-up', undefined],
])('the context length shown for %s is %d', (model, tokens) => {
  expect(contextOf(model)).toBe(tokens);
});
