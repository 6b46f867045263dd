import fc from 'fast-check';
import type { ChatReply, Part } from '../chat.ts';
import { usedTokens } from './simulated-model.ts';

/** Texts with everything that cuts badly: several bytes a character, quotes, line ends. */
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

/** Whole answers: reasoning, then what is said, then calls, as models give them. */
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

/** What every dialect and wire keeps of an answer, in whichever pieces it comes. */
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

/** The sums that all vendors tell, however they split them. */
function totals(usage: NonNullable<ChatReply['usage']>) {
  const { input, cached, cacheRead, output, reasoning } = usage;
  return { input: input + cached + cacheRead, fromCache: cached + cacheRead, output: output + reasoning };
}
