import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { faultsPage, faultTable, type FaultOutcome } from '#testing/fault-table.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { faults } from '#upstream-simulator/behaviour.ts';

/** A caller whose bytes pass through, and one whose requests and replies are converted. */
const callers = [
  { way: 'passing', path: '/v1/chat/completions', body: hello, end: /\[DONE\]/, error: /"error":\{"message"/ },
  {
    way: 'converting',
    path: '/v1/messages',
    body: { ...hello, max_tokens: 1000 },
    end: /event: message_stop/,
    error: /"type":"error"/,
  },
];

onOneDatabase('fault matrix', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let channelId = 0;

  beforeAll(async () => {
    channelId = await addChannel(hub(), upstream().url, { first_token_timeout: 1, idle_timeout: 1 });
  });
  afterEach(async () => {
    upstream().behaviour = {};
    expect(hub().server.deps.book.openCalls).toBe(0);
    hub().server.deps.live.health.forget(channelId);
    await expectBooksBalance(db());
  });

  describe.each(callers)('$way', ({ path, body, end, error }) => {
    const cases = faultTable.flatMap(({ name, behaviour, whole, streamed }) => [
      { name: `${name}, whole`, behaviour, stream: false, outcome: whole },
      { name: `${name}, streamed`, behaviour, stream: true, outcome: streamed },
    ]);

    test.each(cases)('$name', async ({ behaviour, stream, outcome }) => {
      const who = await addCaller(db());
      // A request on a used connection that breaks at once is sent once more.
      if (behaviour.fault === 'refuse') upstream().behaviour = behaviour;
      else upstream().next(behaviour);
      const answer = await post(hub(), who.key, { ...body, stream }, path);
      const [row, ...more] = await rowsOf(db(), who);
      const told: FaultOutcome = {
        status: answer.status,
        outcome: row!.metadata!.outcome as FaultOutcome['outcome'],
        result: row!.metadata!.attempts!.at(-1)!.result,
        ...(outcome.code && { code: row!.metadata!.error ?? '' }),
      };
      expect({ ...told, text: answer.text.slice(-300) }).toMatchObject(outcome);
      expect(more).toEqual([]);
      // Messages have types instead of codes.
      if (outcome.code && path === callers[0]!.path) expect(answer.text).toContain(`"code":"${outcome.code}"`);
      if (outcome.outcome !== 'answered') expect(answer.text).toMatch(error);
      else expect(answer.text).not.toMatch(error);
      expect(end.test(answer.text)).toBe(stream && outcome.outcome === 'answered');
      const charged = 1_000_000 - (await userOf(db(), who)).balance;
      expect(charged).toBe(row!.quota);
      if (outcome.outcome === 'failed') expect(charged).toBe(0);
      else expect(charged).toBeGreaterThan(0);
      if (behaviour.usage === 'none') expect(row!.metadata!.usage_source).toBe('estimate');
      if (behaviour.usage === 'twice') expect(row).toMatchObject({ prompt_tokens: 1, completion_tokens: 7 });
    });

    test.each(['-5', 'soon', '0', '1e9', '999999999', 'Wed, 21 Oct 2099 07:28:00 GMT', '17.5', ' '])(
      'a 429 that asks to wait %j does not close the channel for long',
      async (header) => {
        const who = await addCaller(db());
        upstream().next({ status: 429, headers: { 'retry-after': header } });
        const now = Date.now();
        expect((await post(hub(), who.key, body, path)).status).toBe(429);
        const until = hub().server.deps.live.restsUntil(channelId, now);
        expect(until).toBeGreaterThan(now);
        expect(until).toBeLessThan(Date.now() + 601_000);
      },
    );
  });
});

test('the table has every fault that the simulator knows, but for one that only a stream’s last bytes show', () => {
  const told = new Set(faultTable.map(({ behaviour }) => behaviour.fault));
  expect(faults.filter((fault) => !told.has(fault))).toEqual(['cutAfterFinish']);
});

test('the page in docs is made from the table; vitest -u writes it', async () => {
  await expect(faultsPage()).toMatchFileSnapshot('../../../../docs/faults.md');
});
