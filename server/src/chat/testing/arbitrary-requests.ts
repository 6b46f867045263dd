import fc from 'fast-check';
import type { ChatRequest, Message, Part, Tool, ToolChoice } from '../chat.ts';

const someWords = fc.string({ unit: fc.constantFrom('a', 'é', '文', '😀', '"', '\\'), minLength: 1, maxLength: 8 });
const text = someWords.map((string): Part => ({ type: 'text', text: string }));
const picture = fc
  .constantFrom(['image/png', 'iVBORw0KGgo='], ['image/gif', 'R0lGODlhAQ=='])
  .map(([mime, base64]): Part => ({ type: 'image', source: { mime, base64 } }));

const names = ['weather', 'time', 'search'];
const parts = (first: fc.Arbitrary<Part>, more: fc.Arbitrary<Part>) =>
  fc.tuple(first, fc.array(more, { maxLength: 2 })).map(([one, others]) => [one, ...others]);

const user = parts(text, fc.oneof(text, picture)).map((content): Message => ({ role: 'user', parts: content }));
const answer = parts(text, text).map((content): Message => ({ role: 'assistant', parts: content }));

/** Tool calls and a message with all their results. */
const loop = fc
  .tuple(
    fc.option(text),
    fc.array(fc.tuple(fc.constantFrom(...names), someWords, someWords), { minLength: 1, maxLength: 3 }),
    fc.nat(),
  )
  .map(([thought, calls, number]): Message[] => {
    const ids = calls.map((_, i) => `call_${number}_${i}`);
    const called = calls.map(([name, value], i): Part => {
      return { type: 'tool_call', id: ids[i]!, name, arguments: JSON.stringify({ value }) };
    });
    const results = calls.map(([name, , result], i): Part => {
      return { type: 'tool_result', id: ids[i]!, name, content: [{ type: 'text', text: result }] };
    });
    return [
      { role: 'assistant', parts: thought ? [thought, ...called] : called },
      { role: 'tool', parts: results },
    ];
  });

const turn = fc.oneof(
  fc.tuple(user, answer).map((both): Message[] => both),
  fc.tuple(user, loop).map(([question, rest]) => [question, ...rest]),
);

const conversation = fc
  .tuple(fc.array(text, { maxLength: 2 }), fc.array(turn, { maxLength: 3 }), user)
  .map(([system, turns, last]): Message[] => [
    ...system.map((one): Message => ({ role: 'system', parts: [one] })),
    ...turns.flat(),
    last,
  ]);

const schema = {
  type: 'object',
  properties: { value: { type: 'string' } },
  required: ['value'],
  additionalProperties: false,
};
const tools = fc.constant(names.map((name): Tool => ({ name, description: `The ${name}.`, schema })));
const choice = fc.option(
  fc.constantFrom<ToolChoice>(
    { mode: 'auto' },
    { mode: 'none' },
    { mode: 'required' },
    { mode: 'required', names: ['time'] },
  ),
  { nil: undefined },
);
const share = fc.option(
  fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
  { nil: undefined },
);

/** Requests that all wires support. */
export const someRequest: fc.Arbitrary<ChatRequest> = fc.record({
  model: fc.constant('a-model'),
  messages: conversation,
  tools,
  toolChoice: choice,
  maxOutput: fc.integer({ min: 1, max: 100_000 }),
  temperature: share,
  topP: share,
  stop: fc.array(someWords, { maxLength: 4 }),
  seed: fc.option(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { nil: undefined }),
  format: fc.constantFrom(undefined, { type: 'json_schema' as const, name: 'answer', schema }),
  parallelToolCalls: fc.constantFrom(undefined, false),
  user: fc.constantFrom(undefined, 'user-7'),
  stream: fc.boolean(),
  includeUsage: fc.constant(true),
});
