import { profileApi, type TokenLimits, tokenApi, tokenScope } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { addPerson } from '#testing/people.ts';
import { remindLimits } from './remind-limits.ts';

onEveryDatabase('the warning of a limit', (make) => {
  const hub = hubForSuite(make);
  let mailbox: Mailbox;
  let names = 0;
  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example' });
  });
  afterAll(async () => mailbox?.close());

  const round = () => remindLimits(hub().server.deps);
  const now = () => hub().server.deps.now();
  const caps: TokenLimits['caps'] = [
    { measure: 'credits', period: 'day', amount: 1_000_000 },
    { measure: 'requests', period: 'minute', amount: 10 },
    { measure: 'requests', period: 'day', amount: 100 },
  ];
  /** A user with a token with limits. */
  async function limited() {
    const email = `near-${++names}@example.org`;
    const person = await addPerson(hub(), { quota: 10_000_000 });
    await hub()
      .server.deps.db.updateTable('users')
      .set({ email, language: 'en_US' })
      .where('id', '=', person.id)
      .execute();
    const { id } = await tokenOf(person.client, { name: 'ci-runner', limits: { caps } });
    return { ...person, email, tokenId: id };
  }
  const use = (tokenId: number, name: string, used: number, starts = now() - 60) =>
    hub()
      .server.deps.db.insertInto('limit_counters')
      .values({
        scope: tokenScope(tokenId),
        user_id: 0,
        token_id: tokenId,
        name,
        starts,
        ends: now() + 3600,
        used,
        held: 0,
      })
      .execute();
  const mailsTo = (email: string) => mailbox.mails.filter(({ to }) => to === email);

  test('names each limit that is nearly used up, once per period, and comes again in the next', async () => {
    const { email, tokenId } = await limited();
    await use(tokenId, 'credits:day', 800_000);
    await use(tokenId, 'requests:minute', 10);
    await use(tokenId, 'requests:day', 79);
    expect(await round()).toBe(1);
    const mail = await mailbox.next(email);
    expect(mail.subject).toBe('A Relay Hub token has nearly reached its limit');
    expect(mail.text).toMatch(/Token ci-runner: \$1\.60 of \$2\.00 spent today\. Resets at .* UTC\./);
    expect(mail.text).not.toContain('requests');
    expect(linkIn(mail).href).toBe('https://hub.example/panel/token');
    expect(await round()).toBe(0);
    const { db } = hub().server.deps;
    const told = () => db.selectFrom('outbox').where('object', '=', `key:${tokenId}`).select('payload').execute();
    const percents = async () =>
      (await told()).flatMap(({ payload }) => {
        const { percent, measure } = JSON.parse(payload) as { percent?: number; measure: string };
        return percent === undefined ? [] : [`${measure} ${percent}`];
      });
    expect((await percents()).toSorted()).toEqual(['credits 80', 'requests 50']);
    const counter = db.updateTable('limit_counters').where('token_id', '=', tokenId);
    await counter.where('name', '=', 'credits:day').set({ used: 1_000_000 }).execute();
    // The whole budget is a separate event, but no second mail.
    expect(await round()).toBe(0);
    expect((await percents()).toSorted()).toEqual(['credits 100', 'credits 80', 'requests 50']);
    await db
      .updateTable('limit_counters')
      .set({ starts: now(), warned_percent: 0 })
      .where('token_id', '=', tokenId)
      .execute();
    expect(await round()).toBe(1);
    expect(mailsTo(email)).toHaveLength(2);
  });

  test('two nodes at once send one mail', async () => {
    const { email, tokenId } = await limited();
    await use(tokenId, 'credits:day', 1_000_000);
    await Promise.all([round(), round()]);
    expect(mailsTo(email)).toHaveLength(1);
  });

  test('does not come to users who have turned it off, and for limits that are gone', async () => {
    const off = await limited();
    await use(off.tokenId, 'credits:day', 1_000_000);
    await off.client.call(profileApi.update, { body: { limit_mails: false } });
    expect((await off.client.call(profileApi.security)).limit_mails).toBe(false);
    const gone = await limited();
    await use(gone.tokenId, 'credits:day', 1_000_000);
    await gone.client.call(tokenApi.update, { body: { id: gone.tokenId, limits: {} } });
    expect(await round()).toBe(0);
  });
});
