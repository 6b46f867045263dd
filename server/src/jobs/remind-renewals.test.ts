import { notificationApi, planAdminApi, planApi, type PlanTerms, teamApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { remindRenewals } from './remind-renewals.ts';
import { renewPlans } from './renew-plans.ts';

const DAY_S = 86_400;
const price = 5_000_000;
const month: PlanTerms = {
  price,
  unit: 'day',
  count: 30,
  time_zone: 'UTC',
  allowance: 10_000_000,
  windows: [],
  groups: [],
  models: [],
  beyond: 'choice',
  grace_days: 0,
};

onEveryDatabase('the reminder of a renewal', (make) => {
  const hub = hubForSuite(make);
  let mailbox: Mailbox;
  let names = 0;

  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example', TeamsByUsers: 'true' });
  });
  afterAll(async () => mailbox?.close());

  const newEmail = () => `plan-${++names}@example.org`;
  const mailsTo = (email: string) => mailbox.mails.filter(({ to }) => to === email).length;
  const depsIn = (days: number) => ({
    ...hub().server.deps,
    now: () => hub().server.deps.now() + Math.round(days * DAY_S),
  });
  const round = (days: number, failed?: Map<number, number>) => remindRenewals(depsIn(days), failed);
  const buyer = (email: string, quota: number) => addPerson(hub(), { email, quota, language: 'en_US' });
  const makePlan = (terms: Partial<PlanTerms>) =>
    hub().root.call(planAdminApi.create, {
      body: {
        names: { zh_CN: '', zh_HK: '', en_US: `Plan ${++names}`, ja_JP: '' },
        terms: { ...month, ...terms },
      },
    });
  const buy = async ({ client }: Pick<TestPerson, 'client'>, terms: Partial<PlanTerms> = {}) => {
    const { version_id } = await makePlan(terms);
    return client.call(planApi.buy, { body: { version_id, renew: true, request_key: `buy-request-${++names}` } });
  };

  test('goes out once per period, three days before, with price, balance and what is missing', async () => {
    const email = newEmail();
    const person = await buyer(email, price * 2 - 1);
    await buy(person);
    expect(await round(26)).toBe(0);
    expect(await Promise.all([round(27.5), round(27.5)])).toHaveLength(2);
    expect(await round(28)).toBe(0);
    expect(mailsTo(email)).toBe(1);
    const mail = await mailbox.next(email);
    expect(mail.subject).toMatch(/^Your Relay Hub plan Plan \d+ renews on \d{4}-/);
    expect(mail.text).toMatch(/for \$10\.00, paid from the balance of \$9\.999998/);
    expect(mail.text).toContain('is $0.000002 short');
    expect(linkIn(mail).href).toBe('https://hub.example/panel/topup');
    const { data } = await person.client.call(notificationApi.list);
    expect(data).toMatchObject([{ kind: 'planRenews', severity: 'warning', params: { price, missing: 1 }, count: 1 }]);

    await hub()
      .server.deps.db.updateTable('users')
      .set({ quota: price * 3 })
      .where('id', '=', person.id)
      .execute();
    expect(await renewPlans(depsIn(30.5))).toBe(1);
    expect(await round(31)).toBe(0);
    expect(await round(58)).toBe(1);
    expect(mailsTo(email)).toBe(2);
    expect((await mailbox.next(email)).text).not.toContain('short');
  });

  test.each<[string, Partial<PlanTerms>, (of: { id: number; person: TestPerson }) => Promise<unknown>]>([
    [
      'that was cancelled',
      {},
      ({ id, person }) => person.client.call(planApi.set, { params: { id }, body: { renew: false } }),
    ],
    ['that costs nothing', { price: 0 }, async () => {}],
    ['of a short period', { count: 6 }, async () => {}],
  ])('does not go out for a plan %s', async (_, terms, before) => {
    const email = newEmail();
    const person = await buyer(email, price);
    const { id } = await buy(person, terms);
    await before({ id, person });
    expect(await round((terms.count ?? 30) - 1)).toBe(0);
    expect((await person.client.call(notificationApi.list)).data).toEqual([]);
  });

  test('of a team goes to its owner and finance members; one that failed is tried again later', async () => {
    const [owner, finance, member] = await Promise.all(['o', 'f', 'm'].map(() => buyer(newEmail(), price)));
    const team = await owner!.client.call(teamApi.create, { body: { name: `plan-team-${++names}` } });
    for (const [who, role] of [
      [finance!, 'billing'],
      [member!, 'member'],
    ] as const) {
      const { token } = await owner!.client.call(teamApi.invite, { params: { id: team.id }, body: { role } });
      await who.client.call(teamApi.answerInvite, { body: { token, accept: true } });
    }
    const move = { credits: price, reference: `for a plan ${++names}` };
    await owner!.client.call(teamApi.move, { params: { id: team.id }, body: move });
    await buy({ client: owner!.client.as(team.id) });
    const failed = new Map<number, number>();
    mailbox.refuseWith = 'not today';
    expect(await round(28, failed)).toBe(0);
    mailbox.refuseWith = undefined;
    expect(await round(28, failed)).toBe(0);
    expect(await round(28.1, failed)).toBe(1);
    const emails = async ({ id }: TestPerson) =>
      hub().server.deps.db.selectFrom('users').where('id', '=', id).select('email').executeTakeFirstOrThrow();
    const counts = [];
    for (const each of [owner!, finance!, member!]) counts.push(mailsTo((await emails(each)).email));
    expect(counts).toEqual([1, 1, 0]);
    const { data } = await finance!.client.as(team.id).call(notificationApi.list);
    expect(data).toMatchObject([{ kind: 'planRenews', count: 1 }]);
  });

  test('is a notification alone without a mail server, and a mail once there is one', async () => {
    const email = newEmail();
    const person = await buyer(email, price);
    await buy(person);
    await setOptions(hub().root, { SMTPServer: '' });
    expect([await round(28), await round(28)]).toEqual([0, 0]);
    expect((await person.client.call(notificationApi.list)).data).toMatchObject([{ kind: 'planRenews', count: 1 }]);
    await sendThrough(hub().root, mailbox);
    expect([await round(28), await round(28)]).toEqual([1, 0]);
    expect(mailsTo(email)).toBe(1);
  });
});
