import type { ServerResponse } from 'node:http';
import { ledgerApi, priceApi, tokenApi, userAdminApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { tokenOf } from '#testing/chat.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

const MODEL = 'changes-meanwhile';
const QUOTA = 1_000_000;
/** 100 × 2 and 100 × 3. */
const COST = 500;
const answer = {
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'done' } }],
  usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
};

onOneDatabase('what changes while a call is under way', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();

  beforeAll(async () => {
    const terms = { type: 'tokens', channel_type: 1, input: 2, output: 3 } as const;
    await hub().root.call(priceApi.create, { body: { model: MODEL, ...terms } });
    await addChannel(hub(), raw().url, { models: MODEL });
  });

  /** A call with about ten thousand credits reserved, answered when the test says so. */
  async function callOf(key: string): Promise<() => ReturnType<typeof post>> {
    const { promise: upstream, resolve: asked } = Promise.withResolvers<ServerResponse>();
    raw().reply = asked;
    const call = post(hub(), key, { model: MODEL, max_tokens: 4_000, messages: [{ role: 'user', content: 'hello' }] });
    const response = await upstream;
    return () => {
      sendJson(response, answer);
      return call;
    };
  }

  const userOf = ({ id }: TestPerson) =>
    hub()
      .server.deps.db.selectFrom('users')
      .where('id', '=', id)
      .select((eb) => [eb('quota', '+', eb.ref('held')).as('balance'), 'used_quota'])
      .executeTakeFirstOrThrow();

  test.each<[what: string, change: (who: TestPerson, tokenId: number) => Promise<unknown>]>([
    ['its key is deleted', ({ client }, id) => client.call(tokenApi.remove, { params: { id } })],
    [
      'its key is limited',
      ({ client }, id) => client.call(tokenApi.update, { body: { id, unlimited_quota: false, remain_quota: 1 } }),
    ],
    ...(['disable', 'delete'] as const).map((action): [string, (who: TestPerson) => Promise<unknown>] => [
      `its user: ${action}`,
      ({ username }) => hub().root.call(userAdminApi.manage, { body: { username, action } }),
    ]),
    [
      'the price goes up',
      () => {
        const body = { model: MODEL, type: 'tokens', channel_type: 1, input: 2_000, output: 3_000 } as const;
        return hub().root.call(priceApi.update, { params: { model: MODEL }, body });
      },
    ],
  ])('%s: the call costs what it was begun for', async (_, change) => {
    const who = await addPerson(hub(), { quota: QUOTA });
    const { id, key } = await tokenOf(who.client);
    const answered = await callOf(key);
    await change(who, id);
    expect((await answered()).status).toBe(200);
    await expectBooksBalance(hub().server.deps.db);
    expect(await userOf(who)).toEqual({ balance: QUOTA - COST, used_quota: COST });
    const body = { model: MODEL, type: 'tokens', channel_type: 1, input: 2, output: 3 } as const;
    await hub().root.call(priceApi.update, { params: { model: MODEL }, body });
  });

  test('its user sees what of the balance is set aside for it', async () => {
    const who = await addPerson(hub(), { quota: QUOTA });
    const { key } = await tokenOf(who.client);
    const answered = await callOf(key);
    const meanwhile = await who.client.call(ledgerApi.ownTotals);
    expect(meanwhile).toMatchObject({ quota: QUOTA, added: QUOTA, spent: 0 });
    // Highest cost of the call: its prompt, and 4000 tokens at 3.
    expect(meanwhile.held).toBeGreaterThan(12_000);
    await answered();
    const totals = () => who.client.call(ledgerApi.ownTotals);
    await expect
      .poll(totals, { timeout: 20_000, message: 'the totals' })
      .toMatchObject({ quota: QUOTA - COST, held: 0, spent: COST });
  });

  test.each([10, 700, 50_000])('a key gets the smaller quota of %i: no more than that can be spent', async (quota) => {
    const who = await addPerson(hub(), { quota: QUOTA });
    const { id, key } = await tokenOf(who.client, { unlimited_quota: false, remain_quota: QUOTA });
    const answered = await callOf(key);
    const changed = await who.client.call(tokenApi.update, { body: { id, remain_quota: quota } });
    expect(changed.remain_quota).toBe(quota);
    expect((await answered()).status).toBe(200);
    await expectBooksBalance(hub().server.deps.db);
    const left = await who.client.call(tokenApi.get, { params: { id } });
    expect(left).toMatchObject({ remain_quota: Math.max(0, quota - COST), used_quota: COST });
    expect(await userOf(who)).toEqual({ balance: QUOTA - COST, used_quota: COST });
  });
});
