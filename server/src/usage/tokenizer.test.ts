import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { estimateTokens } from '#quota/estimate.ts';
import { Tokenizer } from './tokenizer.ts';

const opened: Tokenizer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((tokenizer) => tokenizer.close())));

/** On a busy machine, the first count loads a vocabulary and may exceed a caller's deadline. */
function open(options: ConstructorParameters<typeof Tokenizer>[0] = {}): Tokenizer {
  const tokenizer = new Tokenizer({ deadlineMs: 20_000, ...options });
  opened.push(tokenizer);
  return tokenizer;
}

describe('counts as the model does', () => {
  // Counts of OpenAI's own tokenizer.
  test.each([
    ['antidisestablishmentarianism', 'gpt-4', 6],
    ['antidisestablishmentarianism', 'gpt-4o', 6],
    ['2 + 2 = 4', 'gpt-3.5-turbo', 7],
    ['2 + 2 = 4', 'o3-mini', 7],
    ['お誕生日おめでとう', 'text-embedding-3-small', 9],
    ['お誕生日おめでとう', 'openai/gpt-4.1-mini', 8],
    ['tiktoken is great!', 'gpt-4-turbo', 6],
  ])('%s, %s: %d', async (text, model, tokens) => {
    expect(await open().countTokens([text], model)).toEqual({ tokens, exact: true });
  });

  test('several texts together', async () => {
    const { tokens } = await open().countTokens(['2 + 2 = 4', '', 'tiktoken is great!'], 'gpt-4');
    expect(tokens).toBe(13);
  });

  test('another maker’s model: near, and said so', async () => {
    expect(await open().countTokens(['2 + 2 = 4'], 'claude-sonnet-4-5')).toEqual({ tokens: 7, exact: false });
  });

  test('what looks like a special token is text', async () => {
    const { tokens, exact } = await open().countTokens(['<|endoftext|>'], 'gpt-4o');
    expect(tokens).toBeGreaterThan(1);
    expect(exact).toBe(true);
  });

  test('non-strings count nothing', async () => {
    const tokenizer = open();
    expect(await tokenizer.countTokens([null, 7, {}, undefined, '2 + 2 = 4'], 'gpt-4o')).toMatchObject({ tokens: 7 });
    expect(await tokenizer.countTokens([null, ''], 'gpt-4o')).toEqual({ tokens: 0, exact: true });
    expect(await tokenizer.countTokens([], '')).toEqual({ tokens: 0, exact: false });
  });

  test('halves of characters do no harm', async () => {
    const { tokens } = await open().countTokens(['\ud83d'.repeat(1000), 'a\udc4bb'], 'gpt-4o');
    expect(tokens).toBeGreaterThan(0);
  });
});

describe('a text that would take a tokenizer minutes', () => {
  test.each([
    ['letters', 'a'],
    ['spaces', ' '],
    ['marks', '!'],
    ['line ends', '\n'],
    ['Chinese', '世'],
    ['emoji', '👋'],
  ])('10 million %s: an estimate, without the thread', async (_, character) => {
    const text = character.repeat(10_000_000 / character.length);
    const tokenizer = open();
    expect(await tokenizer.countTokens([text], 'gpt-4o')).toEqual({ tokens: estimateTokens(text), exact: false });
    expect(tokenizer.running).toBe(false);
  });

  test.each([' ', 'a', '!', '世', '👋', 'ab'])(
    'a run of %j as long as is counted at all does not take minutes',
    async (one) => {
      // Nothing but the count itself ends this; the test would.
      const tokenizer = open({ deadlineMs: 2 ** 31 - 1 });
      const { tokens, exact } = await tokenizer.countTokens([one.repeat((256 * 1024) / one.length)], 'gpt-4o');
      expect(tokens).toBeGreaterThan(1000);
      expect(exact).toBe(false);
    },
  );

  test('a great many short texts are estimated', async () => {
    const texts = Array.from({ length: 100_000 }, () => 'ab');
    const tokenizer = open();
    expect(await tokenizer.countTokens(texts, 'gpt-4o')).toEqual({ tokens: 100_000, exact: false });
    expect(tokenizer.running).toBe(false);
  });
});

describe('a caller does not wait', () => {
  test('longer than the deadline', async () => {
    const tokenizer = open({ deadlineMs: 1 });
    const text = 'a slow start, since the vocabulary is not there yet';
    // A caller that waits for the thread gets an exact count.
    expect(await tokenizer.countTokens([text], 'gpt-4o')).toEqual({ tokens: estimateTokens(text), exact: false });
  });

  test('beyond the limits of pending work, counts are estimated', async () => {
    const tokenizer = open();
    const text = 'the quick brown fox '.repeat(12_000);
    const counts = await Promise.all(Array.from({ length: 12 }, () => tokenizer.countTokens([text], 'gpt-4o')));
    const exact = counts.filter((count) => count.exact);
    expect(exact).toHaveLength(4);
    expect(new Set(exact.map(({ tokens }) => tokens)).size).toBe(1);
    expect(counts.filter((count) => !count.exact).every(({ tokens }) => tokens === estimateTokens(text))).toBe(true);
    expect(await tokenizer.countTokens([text], 'gpt-4o')).toMatchObject({ exact: true });
  });

  test('and answers are not mixed up', async () => {
    const tokenizer = open();
    const counts = await Promise.all(
      Array.from({ length: 200 }, (_, i) => tokenizer.countTokens(['x '.repeat(i + 1)], i % 2 ? 'gpt-4o' : 'gpt-4')),
    );
    // " x" is a token, and the last space another.
    expect(counts.map(({ tokens }) => tokens)).toEqual(Array.from({ length: 200 }, (_, i) => i + 2));
  });
});

describe('the thread', () => {
  test('starts when it is needed, ends when it is idle, and starts again', async () => {
    const tokenizer = open({ idleMs: 100 });
    expect(tokenizer.running).toBe(false);
    await tokenizer.countTokens(['2 + 2 = 4'], 'gpt-4o');
    expect(tokenizer.running).toBe(true);
    await expect.poll(() => tokenizer.running, { message: 'the thread runs' }).toBe(false);
    expect(await tokenizer.countTokens(['2 + 2 = 4'], 'gpt-4o')).toEqual({ tokens: 7, exact: true });
  });

  test('that is closed answers what was asked with estimates, and is not started again', async () => {
    const tokenizer = open();
    const asked = tokenizer.countTokens(['2 + 2 = 4'], 'gpt-4o');
    await tokenizer.close();
    expect(await asked).toEqual({ tokens: estimateTokens('2 + 2 = 4'), exact: false });
    expect(await tokenizer.countTokens(['2 + 2 = 4'], 'gpt-4o')).toMatchObject({ exact: false });
    expect(tokenizer.running).toBe(false);
  });

  test('that fails leaves estimates, and is not started again at once', async () => {
    const tokenizer = open({ memoryMb: 8 }); // a vocabulary does not fit
    const estimate = { tokens: estimateTokens('2 + 2 = 4'), exact: false };
    expect(await tokenizer.countTokens(['2 + 2 = 4'], 'gpt-4o')).toEqual(estimate);
    expect(await tokenizer.countTokens(['2 + 2 = 4'], 'gpt-4o')).toEqual(estimate);
    expect(tokenizer.running).toBe(false);
  });

  test('keeps no process alive, closed or not, and gives its memory back', async () => {
    const program = `
      import { Tokenizer } from '${new URL('./tokenizer.ts', import.meta.url).href}';
      const megabytes = () => process.memoryUsage().rss / 1e6;
      const before = megabytes();
      const loaded = [];
      for (let i = 0; i < 5; i++) {
        const tokenizer = new Tokenizer({ deadlineMs: 20_000 });
        await tokenizer.countTokens(['2 + 2 = 4'], 'gpt-4o');
        loaded.push(megabytes() - before);
        if (i < 4) await tokenizer.close();
      }
      console.log(JSON.stringify(loaded));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: new URL('../../', import.meta.url), // where "#" is known
      timeout: 25_000,
    });
    const [first = 0, ...others] = JSON.parse(stdout) as number[];
    expect(first).toBeGreaterThan(20);
    // Each new thread reuses the previous one's memory.
    expect(Math.max(...others)).toBeLessThan(first * 1.5);
  });
});
