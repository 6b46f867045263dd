import { expect, test } from 'vitest';
import type { ChatEvent } from '../chat.ts';
import { eventsIn, sse } from '../testing/read-sse.ts';

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = (index: number, called: { name?: string; arguments: string }) =>
  chunk({ tool_calls: [{ index, ...(called.name && { id: called.name }), function: called }] });
const begun = (index: number, name: string, json = '') => call(index, { name, arguments: json });
const piece = (index: number, json: string) => call(index, { arguments: json });
const end = chunk({}, 'tool_calls');
const DONE = 'data: [DONE]\n\n';

/** The emitted calls, as names with argument pieces. */
function told(events: readonly ChatEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'tool_start') return `${event.index}:${event.name}`;
    if (event.type === 'tool_arguments') return event.json;
    if (event.type === 'tool_end') return 'end';
    return event.type === 'error' ? event.error.message : [];
  });
}

test.each<[string, object[], string[]]>([
  [
    'one after the other, and each piece as it comes',
    [begun(0, 'x', '{"p":'), piece(0, '1}'), begun(1, 'y'), piece(1, '{}'), end],
    ['0:x', '{"p":', '1}', 'end', '1:y', '{}', 'end'],
  ],
  [
    'all begun before the first is told',
    [begun(0, 'x'), begun(1, 'y'), piece(0, '{}'), piece(1, '{}'), end],
    ['0:x', '{}', 'end', '1:y', '{}', 'end'],
  ],
  [
    'in turns, with braces and quotes in their texts',
    [
      begun(0, 'x'),
      begun(1, 'y'),
      piece(1, '{"q":"}'),
      piece(0, '{"p":"{\\"'),
      begun(2, 'z', '{}'),
      piece(0, '"}'),
      piece(1, '"}'),
      end,
    ],
    ['0:x', '{"p":"{\\"', '"}', 'end', '1:y', '{"q":"}', '"}', 'end', '2:z', '{}', 'end'],
  ],
  [
    'one without arguments before others',
    [begun(0, 'x'), begun(1, 'y', '{}'), begun(2, 'z', '{}'), end],
    ['0:x', 'end', '1:y', '{}', 'end', '2:z', '{}', 'end'],
  ],
  [
    'one whose arguments are never whole',
    [begun(0, 'x', '{"p'), begun(1, 'y', '{}'), end],
    ['0:x', '{"p', 'end', '1:y', '{}', 'end'],
  ],
])('calls that come %s are told one by one', (_, chunks, expected) => {
  const events = eventsIn('openai', sse(...chunks) + DONE);
  expect(told(events)).toEqual(expected);
  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
});

const mixedUp = 'the pieces of the tool calls are mixed up';
test.each<[string, object[], string[]]>([
  ['a piece of one that was never begun', [begun(0, 'x', '{'), piece(1, '}')], ['0:x', '{', mixedUp]],
  [
    'a piece of one that is over',
    [begun(0, 'x', '{}'), begun(1, 'y', '{'), piece(0, '}')],
    ['0:x', '{}', 'end', '1:y', '{', mixedUp],
  ],
  ['more than can be kept', [begun(0, 'x', '{'), begun(1, 'y', 'y'.repeat(5_000_000))], ['0:x', '{', mixedUp]],
])('%s breaks the stream', (_, chunks, expected) => {
  expect(told(eventsIn('openai', sse(...chunks)))).toEqual(expected);
});
