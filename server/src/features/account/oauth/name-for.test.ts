import { expect, test } from 'vitest';
import { username as rule } from '@relay-hub/contract';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { addAccount } from '#testing/people.ts';
import type { Identity } from '#features/account/identity/identity.ts';
import { freeName } from './name-for.ts';

const called = (username: string): Identity => ({
  provider: 'github',
  issuer: '',
  subject: '1',
  name: '',
  username,
  displayName: '',
  email: '',
  avatarUrl: '',
});

onEveryDatabase('names for accounts that come from elsewhere', (make) => {
  const hub = hubForSuite(make);
  const nameFor = (username: string) => freeName(hub().server.deps.db, called(username));

  test.each([
    ['octocat', 'octocat'],
    ['liu wei@corp', 'liuwei'],
    ['@octocat', 'octocat'],
    ['a-very-long-name-of-somebody', 'a-very-long'],
    ['刘伟的账号', '刘伟的账号'],
    ['👩‍🚀👩‍🚀👩‍🚀👩‍🚀', '👩🚀👩🚀👩🚀'],
  ])('%s becomes %s', async (wished, name) => expect(await nameFor(wished)).toBe(name));

  test.each(['', 'x', '   ', '\u202e\u200b', '@@@'])(
    '%j, which cannot be a name, becomes one of the provider',
    async (wished) => expect(await nameFor(wished)).toMatch(/^github_\w{5}$/),
  );

  test('a name that is taken, in whatever case, gets something added; all meet the rule', async () => {
    await addAccount(hub(), { username: 'TakenName' });
    const name = await nameFor('takenname');
    expect(name).toMatch(/^takenn_\w{5}$/);
    for (const wished of ['ROOT', 'root', 'Ro\u200bot', 'r o o t', '_'.repeat(40), '0'.repeat(40)]) {
      const found = await nameFor(wished);
      expect(rule.safeParse(found).success, found).toBe(true);
      expect(found.toLowerCase()).not.toBe('root');
    }
  });
});
