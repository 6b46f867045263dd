import fc from 'fast-check';
import type { ChatReply, Part } from '../chat.ts';
import { usedTokens } from './simulated-model.ts';

/** Texts that are hard to split: multi-byte characters, quotes, line breaks. */
export const someText = fc.string({
  unit: fc.constantFrom('a', 'é', '文', '😀', '"', '\\', '\n', '\r', ' ', '\u2028'),
  minLength: 1,
});

const argumentsText = fc
  .dictionary(fc.constantFrom('city', 'unit', 'x'), fc.oneof(someText, fc.integer(), fc.boolean()))
  .map((args) => JSON.stringify(args));

const textPart = someText.map((text): Part => ({ type: 'text', text }));
const thinkingPart = someText.map((text): Part => ({ type: 'thinking', text }));
const callPart = fc
  .record({
    id: fc.uuid().map((id) => `call_${id.slice(0, 30)}`),
    name: fc.constantFrom('weather', 'time', 'a-b_c'),
    json: argumentsText,
  })
  .map(({ id, name, json }): Part => ({ type: 'tool_call', id, name, arguments: json }));

/** Complete replies: reasoning, text, then calls. */
export const someReply: fc.Arbitrary<ChatReply> = fc
  .record({
    thinking: fc.array(thinkingPart, { maxLength: 1 }),
    texts: fc.array(textPart, { maxLength: 3 }),
    calls: fc.uniqueArray(callPart, { maxLength: 3, selector: (part) => part.type === 'tool_call' && part.id }),
    finish: fc.constantFrom<ChatReply['finish']>('stop', 'length', 'content_filter'),
  })
  .map(({ thinking, texts, calls, finish }) => ({
    parts: [...thinking, ...texts, ...calls],
    finish: calls.length > 0 ? 'tool_calls' : finish,
    usage: usedTokens,
  }));

/** The parts of a reply that every dialect and wire preserves, in any chunking. */
export function kept({ parts, finish, usage }: ChatReply) {
  const joined = (type: 'text' | 'thinking') => parts.map((part) => (part.type === type ? part.text : '')).join('');
  const calls = parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ id: part.id, name: part.name, args: JSON.parse(part.arguments) as unknown }] : [],
  );
  const objection = finish === 'refusal' ? 'content_filter' : finish;
  return {
    text: joined('text'),
    thinking: joined('thinking'),
    calls,
    finish: objection,
    usage: usage && totals(usage),
  };
}

/** Sums that all vendors report. */
function totals(usage: NonNullable<ChatReply['usage']>) {
  const { input, cached, cacheRead, output, reasoning } = usage;
  return { input: input + cached + cacheRead, fromCache: cached + cacheRead, output: output + reasoning };
}
