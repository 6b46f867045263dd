import { expect, test } from 'vitest';
import { atRealCost, derivations } from '#testing/cheap-passwords.ts';
import { hashPassword, isEasy, isPassword } from './passwords.ts';

test('only the password that was hashed is the password', async () => {
  const stored = await hashPassword('correct horse');
  expect(await isPassword('correct horse', stored)).toBe(true);
  for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', '', stored])
    expect(await isPassword(wrong, stored)).toBe(false);
});

test('hashes are argon2id, salted, and do not hold the password', () =>
  atRealCost(async () => {
    const [one, two] = await Promise.all([hashPassword('the same'), hashPassword('the same')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(one).not.toContain('same');
  }));

test.each(['пароль-密码-🔑', 'x'.repeat(255), ' spaces at both ends '])('any text is a password', async (password) => {
  expect(await isPassword(password, await hashPassword(password))).toBe(true);
});

test.each([
  'password',
  'Password1',
  'PASSWORD123',
  'ｐａｓｓｗｏｒｄ',
  '12345678',
  'qwertyuiop',
  'P@ssw0rd',
  'admin123',
  'woaini1314',
  'aaaaaaaa',
  '        ',
  'abababab',
  'abcdabcd',
  'monkeymonkey',
  'caroline',
  'Caroline1!',
  '123carolinecaroline',
  'caroline@example.org',
  'c.lime2026',
])('"%s" is a password that attackers try first', (password) => {
  expect(isEasy(password, ['caroline', 'c.lime@example.org', 'caroline@example.org', ''])).toBe(true);
});

test.each(['a-password-of-somebody', 'korrekt pferd', 'пароль-密码-🔑', 'caroline sings', '7305-9412', 'xKq9vLw2'])(
  '"%s" is none of those',
  (password) => {
    expect(isEasy(password, ['caroline', 'al', 'x', 'c.lime@example.org'])).toBe(false);
  },
);

test('an old hash of a cost that would keep the server busy opens with nothing, at once', async () => {
  const stored = `$2a$31$${'a'.repeat(53)}`;
  expect(await isPassword('anything', stored)).toBe(false);
});

test.each(['', 'plain text', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=19$m=1'])(
  'an unreadable hash (%s) opens with nothing',
  async (stored) => {
    expect(await isPassword('', stored)).toBe(false);
    expect(await isPassword(stored, stored)).toBe(false);
  },
);

test('an unknown account costs the same derivation as a wrong password', async () => {
  const stored = await hashPassword('somebody');
  for (const hash of [stored, '', 'unreadable'])
    expect(await derivations(() => isPassword('wrong', hash)), hash).toBe(1);
});
