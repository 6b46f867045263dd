import { userApi } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { networkOf } from '#http/client-network.ts';
import { browserFrom, nextAddress } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import { addAccount, PASSWORD } from '#testing/people.ts';
import { countTry } from './login-throttle.ts';

describe('tries are counted by', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s → %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });
});

onEveryDatabase('wrong passwords', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  const login = (username: string, password: string, ip = nextAddress()) =>
    browserFrom(hub(), ip).try(userApi.login, { body: { username, password } });
  const wrong = async (username: string, times: number, ip?: string) => {
    for (let i = 0; i < times; i++) expect((await login(username, 'wrong', ip)).status).toBe(200);
  };

  test('for one account from one address: ten, and the right one is refused then, too', async () => {
    const { username } = await addAccount(hub());
    const ip = nextAddress();
    await wrong(username, 10, ip);
    const { status, headers, body } = await login(username, PASSWORD, ip);
    expect(status).toBe(429);
    expect(body).toMatchObject({ code: 'request.too_many' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(1100);
    // Other accounts behind the same address are not affected.
    const other = await addAccount(hub());
    expect((await login(other.username, PASSWORD, ip)).body.success).toBe(true);
  });

  test('in whatever case they are typed, and from anywhere in one IPv6 network', async () => {
    const { username } = await addAccount(hub());
    for (let i = 0; i < 10; i++)
      await wrong(i % 2 ? username.toUpperCase() : ` ${username} `, 1, `2001:db8:9:9::${i + 1}`);
    expect((await login(username, PASSWORD, '2001:db8:9:9:a:b:c:d')).status).toBe(429);
  });

  test('for whatever accounts from one address: as many as the setting says', async () => {
    await setOptions(hub().root, { CriticalRateLimit: '3' });
    const ip = nextAddress();
    for (let i = 0; i < 3; i++) await wrong(`somebody-${i}`, 1, ip);
    expect((await login('somebody-4', 'wrong', ip)).status).toBe(429);
    expect((await login('somebody-4', 'wrong')).status).toBe(200);
    await setOptions(hub().root, { CriticalRateLimit: '20' });
  });

  test('from ever new networks of one /48, for one account or for many: two hundred, and the owner gets in from elsewhere', async () => {
    const { username } = await addAccount(hub());
    // Counted as a wrong password, without the time for hashing.
    for (let i = 0; i < 200; i++)
      await countTry(hub().server.deps, i % 2 ? username : `sprayed-${i}`, `2001:db8:77:${i.toString(16)}::1`);
    for (const name of [username, 'sprayed-another'])
      expect((await login(name, PASSWORD, '2001:db8:77:ffff::1')).status).toBe(429);
    expect((await login(username, PASSWORD, '2001:db8:78:1::1')).body.success).toBe(true);
  });

  test('right ones do not count', async () => {
    const { username } = await addAccount(hub());
    const ip = nextAddress();
    // An address has twenty tries.
    for (let i = 0; i < 21; i++) expect((await login(username, PASSWORD, ip)).body.success).toBe(true);
  });

  test('unknown names are paused just the same', async () => {
    const ip = nextAddress();
    await wrong('nobody-there', 10, ip);
    expect((await login('nobody-there', 'wrong', ip)).status).toBe(429);
  });

  test('from everywhere lock no one out: on other networks the right password works, a wrong one has one attempt', async () => {
    const { username } = await addAccount(hub());
    const home = nextAddress();
    expect((await login(username, PASSWORD, home)).body.success).toBe(true);
    for (let i = 0; i < 50; i++) await countTry(hub().server.deps, username, `198.51.${i}.1`);
    // A guessing network keeps one attempt per account.
    const attacker = nextAddress();
    await wrong(username, 1, attacker);
    expect((await login(username, 'wrong', attacker)).status).toBe(429);
    // The owner can sign in from a new network,
    expect((await login(username, PASSWORD)).body.success).toBe(true);
    // and may mistype on a known one.
    await wrong(username, 5, home);
    expect((await login(username, PASSWORD, home)).body.success).toBe(true);
  });
});
