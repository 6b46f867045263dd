import { compilePattern, patternLimits } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { Guard } from './guard.ts';
import { patternsOf } from './guard-patterns.ts';
import { TextScan, type Pattern } from './text-scan.ts';

/** Searches a text that comes in pieces; returns the final part after each piece, as a stream passes it on. */
function searched(
  patterns: readonly Pattern[],
  pieces: readonly string[],
): { passed: string[]; masked: string; count: number } {
  const scan = new TextScan([patterns]);
  let count = 0;
  const passed = pieces.map((piece) => {
    scan.push(piece);
    return scan.take(scan.settledTo, () => count++);
  });
  scan.end();
  const last = scan.take(scan.length, () => count++);
  return { passed, masked: passed.join('') + last, count };
}

const own = (...patterns: string[]) => patternsOf({ kinds: [], patterns });

describe('own patterns', () => {
  test.each<[pattern: string, text: string, masked: string]>([
    ['secret', 'a secret, two secrets', 'a ••••, two ••••s'],
    ['(?i)SECRET', 'a Secret', 'a ••••'],
    ['[a-c]+', 'xabcx', 'x••••x'],
    ['[^a-z ]{2,3}', 'ab 12 345 6', 'ab •••• •••• 6'],
    [String.raw`\bcat\b`, 'cat concat cat.', '•••• concat ••••.'],
    [String.raw`PRJ-\d{4}`, 'PRJ-123 PRJ-1234 PRJ-12345', 'PRJ-123 •••• ••••5'],
    ['colou?r|gr[ae]y', 'color colour grey', '•••• •••• ••••'],
    ['(ab|cd)+e', 'abcdabe abf', '•••• abf'],
    [String.raw`(?<!\d)\d{3}(?!\d)`, '123 1234 x123', '•••• 1234 x••••'],
    [String.raw`a\.b[\]\-x]`, 'a.b] a.b- axb]', '•••• •••• axb]'],
    ['机密.{2}', '这是机密文件。', '这是••••。'],
    ['(?i)é', 'É', '••••'],
    ['a|ab', 'ab', '••••'],
  ])('%s in %j', (pattern, text, masked) => {
    expect(searched(own(pattern), [text]).masked).toBe(masked);
    expect(searched(own(pattern), Array.from(text)).masked, 'in pieces of one character').toBe(masked);
  });

  test.each([
    ['(a', 'guard.pattern_syntax'],
    ['a)', 'guard.pattern_syntax'],
    ['[a', 'guard.pattern_syntax'],
    ['[z-a]', 'guard.pattern_syntax'],
    ['*a', 'guard.pattern_syntax'],
    ['a{3,2}', 'guard.pattern_syntax'],
    ['a\\', 'guard.pattern_syntax'],
    ['^a$', 'guard.pattern_unsupported'],
    [String.raw`(a)\1`, 'guard.pattern_unsupported'],
    ['a+?', 'guard.pattern_unsupported'],
    ['(?=ab)c', 'guard.pattern_unsupported'],
    ['(?<!ab)c', 'guard.pattern_unsupported'],
    [String.raw`\p{L}`, 'guard.pattern_unsupported'],
    ['[😀]', 'guard.pattern_unsupported'],
    ['a{999}', 'guard.pattern_large'],
    ['((a{20}){20}){20}', 'guard.pattern_large'],
    ['x'.repeat(patternLimits.source + 1), 'guard.pattern_large'],
    ['a*', 'guard.pattern_empty'],
    [String.raw`\b`, 'guard.pattern_empty'],
  ])('%s is refused as %s', (pattern, problem) => {
    expect(compilePattern(pattern)).toEqual({ problem });
  });

  // A backtracking search would take years; the timeout is far above what one pass needs.
  test.each([
    ['(a+)+b', 'a'.repeat(50_000)],
    ['(a|a)*b', 'a'.repeat(50_000)],
    ['(a*)*c|(a|aa)+d', 'a'.repeat(50_000)],
    [String.raw`(\w+\s?)+!`, 'word '.repeat(10_000)],
    ['(a?){100}a{100}b', 'a'.repeat(20_000)],
  ])('%s does not slow down on a hostile text', { timeout: 10_000 }, (pattern, text) => {
    const patterns = own(pattern);
    expect(patterns).toHaveLength(1);
    expect(searched(patterns, [text]).count).toBe(0);
  });
});

describe('a text that comes in pieces', () => {
  test('only what may still become a match waits', () => {
    const { passed, masked, count } = searched(own(String.raw`PRJ-\d{4}`), [
      'See P',
      'RJ',
      '-12',
      '34 and',
      ' P',
      'RX',
    ]);
    expect(passed).toEqual(['See ', '', '', '•••• and', ' ', 'PRX']);
    expect(masked).toBe('See •••• and PRX');
    expect(count).toBe(1);
  });

  test('what waits is bounded', () => {
    const { passed } = searched(own('<.+>'), ['<', ...Array.from({ length: 30 }, () => 'x'.repeat(100))]);
    const waiting = passed.map((_, at) => 1 + at * 100 - passed.slice(0, at + 1).join('').length);
    expect(Math.max(...waiting)).toBeLessThanOrEqual(1024 + 100);
  });
});

describe('built-in kinds', () => {
  test.each<[kind: Parameters<typeof patternsOf>[0]['kinds'][number], text: string, isFound: boolean]>([
    ['card', '4111111111111111', true],
    ['card', '4111 1111 1111 1111', true],
    ['card', '378282246310005', true],
    ['card', '4111111111111112', false],
    ['card', '12345678901234567890123', false],
    ['card', '1796083200', false],
    ['email', 'a.person+tag@mail.example.org', true],
    ['email', '@decorator x@y', false],
    ['api_key', 'sk-proj-abcdefghijklmnop', true],
    ['api_key', 'AKIAIOSFODNN7EXAMPLE', true],
    ['api_key', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', true],
    ['api_key', 'AIzaSyA1234567890abcdefghijklmnopqrstu', true],
    ['api_key', 'task-management-of-everything', false],
    ['api_key', 'sk-short', false],
    ['iban', 'DE89370400440532013000', true],
    ['iban', 'GB29 NWBK 6016 1331 9268 19', true],
    ['iban', 'DE89370400440532013001', false],
    ['phone', '+49 (30) 901820-00', true],
    ['phone', '+8613812345678', true],
    ['phone', '138 1234 5678', true],
    ['phone', '1.13812345678.2', false],
    ['phone', '1 + 2345678', false],
  ])('%s: %s is found: %s', (kind, text, isFound) => {
    const patterns = patternsOf({ kinds: [kind], patterns: [] });
    const found = searched(patterns, [`before ${text} after`]);
    expect(found.masked !== `before ${text} after`).toBe(isFound);
    if (isFound && kind !== 'phone') expect(found.masked).toBe('before •••• after');
  });
});

describe('JSON', () => {
  const rule = { name: 'r', action: 'mask' as const, patterns: patternsOf({ kinds: ['email', 'card'], patterns: [] }) };
  test.each<[json: string, masked: string]>([
    [
      '{ "big": 12345678901234567890, "a@b.example": "to a@b.example",\n "n":[ "x@y.example" ,1e400]}',
      '{ "big": 12345678901234567890, "a@b.example": "to ••••",\n "n":[ "••••" ,1e400]}',
    ],
    [String.raw`{"c":"a\u0040b.example \"q\" \\"}`, String.raw`{"c":"•••• \"q\" \\"}`],
    ['{"name":"gpt","type":"a@b.example"}', '{"name":"gpt","type":"••••"}'],
    [`{"url":"data:image/png;base64,${'A'.repeat(2000)}4111111111111111"}`, ''],
    ['{"id":"4111111111111111"}', '{"id":"••••"}'],
    ['{"signature":"abc4111111111111111"}', ''],
    ['[]', ''],
  ])('%s', async (json, masked) => {
    const guard = new Guard([rule], 'request');
    expect(await guard.json(json)).toBe(masked || json);
    expect(guard.marks.length > 0).toBe(masked !== '');
  });
});
