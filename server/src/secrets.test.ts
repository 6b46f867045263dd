import { describe, expect, test } from 'vitest';
import { fingerprint, hintOf, masked, openSecrets, randomText } from './secrets.ts';

const KEY = 'a-data-key-of-32-characters-or-more';

describe('encryption', () => {
  const secrets = openSecrets(KEY);

  test.each(['sk-0123456789', '', 'ключ 🔑', 'x'.repeat(100_000)])('what is encrypted comes back', (plain) => {
    const cipher = secrets.encrypt(plain);
    expect(secrets.decrypt(cipher)).toBe(plain);
    if (plain !== '') expect(cipher).not.toContain(plain);
  });

  test('the same text is never encrypted to the same cipher', () => {
    expect(secrets.encrypt('same')).not.toBe(secrets.encrypt('same'));
  });

  test('another key does not open it', () => {
    expect(() => openSecrets(`${KEY}!`).decrypt(secrets.encrypt('sk-1'))).toThrow();
  });

  test('a cipher that was altered anywhere, or cut, does not open', () => {
    const cipher = secrets.encrypt('sk-0123456789');
    for (let i = 3; i < cipher.length - 1; i++) {
      const altered = cipher.slice(0, i) + (cipher[i] === 'A' ? 'B' : 'A') + cipher.slice(i + 1);
      expect(() => secrets.decrypt(altered), `altered at ${i}`).toThrow();
    }
    expect(() => secrets.decrypt(cipher.slice(0, -4))).toThrow();
    expect(() => secrets.decrypt('')).toThrow();
  });
});

test('random texts are letters and digits, all equally likely', () => {
  const text = randomText(62_000);
  expect(text).toMatch(/^[A-Za-z0-9]{62000}$/);
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // A thousand each, with a deviation of about 31: eight of those are never seen.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
  expect(randomText(48)).not.toBe(randomText(48));
});

test('a fingerprint is the same for the same secret, and does not tell it', () => {
  expect(fingerprint('secret')).toBe(fingerprint('secret'));
  expect(fingerprint('secret')).not.toBe(fingerprint('secreu'));
  expect(fingerprint('secret')).toHaveLength(43);
});

test.each([
  ['sk-abcdefghijklmnop', 'sk-••••••••mnop'],
  ['sk-proj-abcdefghijklmnop', 'sk-proj-••••••••mnop'],
  ['sk-ant-abcdefghijklmnop', 'sk-ant-••••••••mnop'],
  ['abcdefghijklmnop', '••••••••mnop'],
  ['{"type":"service_account","private_key_id":"0123456789abcdef","universe_domain":"googleapis.com"}', '••••••••cdef'],
  ['eu|project|{"private_key_id": "0123456789abcdef",\n"token_uri":"https://a.example"\n}\n', '••••••••cdef'],
  ['{"access":"abcdefgh","secret":"ijklmnop"}', '••••••••'],
  ['short', '••••••••'],
  ['', '••••••••'],
])('the hint of %s is %s', (secret, hint) => {
  expect(hintOf(secret)).toBe(hint);
});

test.each([
  ['Incorrect API key provided: sk-abcdefghijklmnop1234.', [], 'Incorrect API key provided: ••••.'],
  ['key AIzaSyA1234567890abcdef is wrong', [], 'key •••• is wrong'],
  ['xai-abcdefghijkl1234 and gsk_abcdefghijkl1234', [], '•••• and ••••'],
  ['sent Authorization: Bearer eyJhbGciOi.abc.def', [], 'sent Authorization: ••••'],
  ['in organization org-AbCdEfGh12345678', [], 'in organization ••••'],
  ['the key plain-word-key was refused, plain-word-key', ['plain-word-key'], 'the key •••• was refused, ••••'],
  ['key ｐｌａｉｎ-word-key, plain-\u200bword\u00ad-key', ['plain-word-key'], 'key ••••, ••••'],
  [`as ${Buffer.from('plain-word-key').toString('base64')}, in full`, ['plain-word-key'], 'as ••••, in full'],
  [`as ${Buffer.from('a:plain-word-key').toString('base64url')}`, ['plain-word-key'], 'as YT••••'],
  ['full stops，and “signs” stay １２', ['plain-word-key'], 'full stops，and “signs” stay １２'],
  ['nothing to hide: skating at 10 o’clock', ['abc'], 'nothing to hide: skating at 10 o’clock'],
])('%s is masked', (text, known, clean) => {
  expect(masked(text, ...known)).toBe(clean);
});
