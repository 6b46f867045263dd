import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasQuoted, hasWord } from './json.ts';

// Few letters, so that words and near misses occur often.
const texts = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', 'é', '文'), maxLength: 30 });
const words = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\'), minLength: 1, maxLength: 4 });
const lengths = fc.constantFrom(0, 16 * 1024);

test('a word is found in a short and in a long body as a search of the bytes finds it', () => {
  fc.assert(
    fc.property(texts, fc.array(words, { maxLength: 3 }), lengths, (text, some, filler) => {
      const body = Buffer.from('.'.repeat(filler) + text);
      const isThere = some.some((word) => body.includes(word));
      expect(hasWord(body, some)).toBe(isThere);
      // Another body of the same length must not be taken for it.
      expect(hasWord(Buffer.alloc(body.length, '.'), some)).toBe(false);
      expect(hasWord(body, some)).toBe(isThere);
    }),
  );
});

test('a quoted text is found with the quote in front of it only', () => {
  fc.assert(
    fc.property(texts, words, (text, rest) => {
      expect(hasQuoted(text, rest)).toBe(text.includes(`"${rest}`));
    }),
  );
});
