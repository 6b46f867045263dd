import { describe, expect, test } from 'vitest';
import { type MessagePart, parseMessage } from './message-parts.ts';

const bold = (...parts: MessagePart[]) => ({ kind: 'bold' as const, parts });

describe('a message in MarkdownV2', () => {
  test.each<[string, MessagePart[], string | undefined]>([
    ['plain', ['plain'], undefined],
    ['*Help* is near\\.', [bold('Help'), ' is near.'], undefined],
    ['*a _b_*', [bold('a ', { kind: 'italic', parts: ['b'] })], undefined],
    ['`a.b`', [{ kind: 'code', parts: ['a.b'] }], undefined],
    [
      '[hub\\.example](https://x.example/a_(b\\))',
      [{ kind: 'link', url: 'https://x.example/a_(b)', parts: ['hub.example'] }],
      undefined,
    ],
    ['9-18 h.', ['9-18 h.'], '-18 h.'],
    ['*open', [bold('open')], '*'],
  ])('%s', (text, parts, problem) => {
    expect(parseMessage(text, 'MarkdownV2')).toEqual({ parts, problem });
  });
});

test('old Markdown takes other marks as text', () => {
  expect(parseMessage('*a* ~b~ c.', 'Markdown')).toEqual({ parts: [bold('a'), ' ~b~ c.'], problem: undefined });
});
