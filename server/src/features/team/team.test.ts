import {
  accountRoles,
  activityApi,
  analyticsApi,
  auditApi,
  ledgerApi,
  limitApi,
  logApi,
  optionApi,
  priceApi,
  role,
  statementApi,
  type TeamRole,
  teamAdminApi,
  teamApi,
  teamRoles,
  tokenApi,
  userAdminApi,
  userApi,
  userGroupApi,
  userStatus,
} from '@relay-hub/contract';
import { allEndpoints } from '@relay-hub/contract/registry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { anyPath } from '#testing/endpoints.ts';
import { addChannel, type ApiAnswer, type ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { linkIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { addAccount, addPerson, PASSWORD, type TestPerson } from '#testing/people.ts';

/** Nouns whose endpoints are about the person who is signed in, or the site. */
const personal = `accessKey account announcement oauth passkey profile proof statusPage team totp way`.split(' ');
/** Single endpoints of others that are. */
const alsoPersonal = ['priceVersion'];

test('every endpoint of users either follows the chosen account or is about the person', () => {
  const ofUsers = allEndpoints.filter(({ audience }) => audience === 'user' || audience === 'visitor');
  const following = ofUsers.filter(({ name }) => accountRoles[name] !== undefined).map(({ name }) => name);
  expect(following.toSorted()).toEqual(Object.keys(accountRoles).toSorted());
  const others = ofUsers.filter(({ noun, name }) => accountRoles[name] === undefined && !personal.includes(noun));
  expect(others.map(({ name }) => name).filter((name) => !alsoPersonal.includes(name))).toEqual([]);
});

onEveryDatabase('teams', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let count = 0;
  const people = new Map<TeamRole | 'stranger', TestPerson>();
  const person = (who: TeamRole | 'stranger') => people.get(who)!;
  let mailbox: Mailbox;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url);
    for (const who of [...teamRoles, 'stranger'] as const)
      people.set(who, await addPerson(hub(), { email: `${who}@hub.example`, quota: 1_000_000 }));
    await hub().root.call(optionApi.set, { body: { key: 'TeamsByUsers', value: 'true' } });
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example' });
  });
  afterAll(() => mailbox?.close());

  const db = () => hub().server.deps.db;

  /** A team with a member of each role. */
  const addTeam = async (credits = 0): Promise<number> => {
    const owner = person('owner').client;
    const { id } = await owner.call(teamApi.create, { body: { name: `team-${++count}` } });
    for (const who of ['admin', 'billing', 'member'] as const) {
      const { token } = await owner.call(teamApi.invite, {
        params: { id },
        body: { role: who, cost_centre: `${who}s` },
      });
      await person(who).client.call(teamApi.answerInvite, { body: { token, accept: true } });
    }
    if (credits > 0)
      await hub().root.call(ledgerApi.correct, { params: { id }, body: { quota: credits, remark: 'x' } });
    return id;
  };
  const refusal = async <T>(answer: Promise<ApiAnswer<T>>) => {
    const { status, body } = await answer;
    return [status, body.success ? undefined : body.code];
  };
  const members = async (id: number, client: ApiClient = person('owner').client) =>
    (await client.call(teamApi.members, { params: { id } })).members.map(({ user_id, role: as }) => [user_id, as]);

  describe('the chosen account', () => {
    let team: number;
    beforeAll(async () => void (team = await addTeam(1_000_000)));

    const state = async () => {
      const of = (table: 'tokens' | 'orders' | 'ledger' | 'tasks') =>
        db().selectFrom(table).where('user_id', '=', team).selectAll().orderBy('id').execute();
      const rows = await Promise.all([of('tokens'), of('orders'), of('ledger'), of('tasks')]);
      return JSON.stringify([rows, await db().selectFrom('team_members').selectAll().orderBy('user_id').execute()]);
    };

    test.each(allEndpoints.filter(({ name }) => accountRoles[name]))('$name: who may call it', async (endpoint) => {
      const { name, method } = endpoint;
      const before = await state();
      for (const who of [...teamRoles, 'stranger'] as const) {
        const body = method === 'POST' || method === 'PUT' ? {} : undefined;
        const may = who !== 'stranger' && accountRoles[name]?.includes(who);
        const { status, body: reply } = await person(who).client.as(team).send(method, anyPath(endpoint), body);
        const code = (reply as { code?: string }).code;
        if (may)
          expect([who, code === 'account.none' || code === 'account.role', status < 500]).toEqual([who, false, true]);
        else expect([who, status, code]).toEqual([who, 403, who === 'stranger' ? 'account.none' : 'account.role']);
      }
      expect(await state()).toBe(before);
    });

    test('does not matter where the person is concerned, and unknown ones are refused', async () => {
      const owner = person('owner');
      expect(await owner.client.call(userApi.self)).toMatchObject({ id: owner.id });
      expect(await owner.client.as(team).call(userApi.self)).toMatchObject({
        id: team,
        quota: 1_000_000,
        role: role.user,
      });
      expect(await owner.client.as(owner.id).call(userApi.self)).toMatchObject({ id: owner.id });
      const changed = await owner.client.as(team).send('PUT', '/api/user/self', { display_name: 'Of the owner' });
      expect(changed.body).toMatchObject({ data: { id: owner.id, display_name: 'Of the owner' } });
      for (const account of ['987654321', '-1', 'x', '1e3', String(person('stranger').id)]) {
        const { body } = await owner.client.send('GET', '/api/user/self', undefined, { 'x-account': account });
        expect(body).toMatchObject({ success: false, code: 'account.none', field: 'x-account' });
      }
    });

    test('gives administrators of the site no right there that their role in the team lacks', async () => {
      const admin = await addPerson(hub(), { role: role.admin });
      expect(await refusal(admin.client.as(team).try(tokenApi.list))).toEqual([403, 'account.none']);
      const { token } = await person('owner').client.call(teamApi.invite, { params: { id: team }, body: {} });
      await admin.client.call(teamApi.answerInvite, { body: { token, accept: true } });
      const { token: made } = await admin.client.as(team).call(tokenApi.create, {
        body: { name: 'chosen', unlimited_quota: true, key: 'a-key-that-administrators-may-choose' },
      });
      expect((await admin.client.as(team).call(tokenApi.reveal, { params: { id: made.id } })).key).not.toContain(
        'chosen',
      );
      expect(
        await refusal(hub().root.try(ledgerApi.correct, { params: { id: team }, body: { quota: 1, remark: 'x' } })),
      ).toEqual([200, undefined]);
      expect(
        await refusal(admin.client.try(ledgerApi.correct, { params: { id: team }, body: { quota: 1, remark: 'x' } })),
      ).toEqual([409, 'user.self']);
    });

    test('a download takes it from its address', async () => {
      const path = `/api/user/self/ledger/export?account=${team}`;
      const { body } = await person('owner').client.send('GET', path);
      expect(body).toMatchObject({ success: true, data: expect.stringContaining('1000000') as string });
      expect((await person('stranger').client.send('GET', path)).status).toBe(403);
    });
  });

  test('a key of a member is paid by the team, shown to them and to leaders, and known to them alone', async () => {
    const team = await addTeam(1_000_000);
    const [member, owner] = [person('member').client.as(team), person('owner').client.as(team)];
    const mine = await tokenOf(member);
    const theirs = await tokenOf(owner);
    expect((await chat(hub(), mine.key)).status).toBe(200);
    expect((await chat(hub(), theirs.key)).status).toBe(200);
    const ids = async (client: ApiClient) => (await client.call(tokenApi.list)).data.map(({ id }) => id);
    expect(await ids(member)).toEqual([mine.id]);
    expect(await ids(owner)).toEqual([theirs.id, mine.id]);
    expect(await member.call(tokenApi.get, { params: { id: mine.id } })).toMatchObject({
      tag: 'members',
      member_id: person('member').id,
      holder: person('member').username,
    });
    for (const [client, id] of [
      [member, theirs.id],
      [owner, mine.id],
    ] as const)
      expect(await refusal(client.try(tokenApi.reveal, { params: { id } }))).toEqual([404, 'record.not_found']);
    for (const endpoint of [tokenApi.get, tokenApi.remove])
      expect(await refusal(member.try(endpoint, { params: { id: theirs.id } }))).toEqual([404, 'record.not_found']);
    for (const client of [member, owner])
      expect(
        await refusal(
          client.try(tokenApi.rotate, { params: { id: client === owner ? mine.id : theirs.id }, body: {} }),
        ),
      ).toEqual([404, 'record.not_found']);
    const logOf = async (client: ApiClient, query = {}) =>
      (await client.call(logApi.ownList, { query: { log_type: 2, ...query } })).data.map(({ token_id: id }) => id);
    expect(await logOf(member)).toEqual([mine.id]);
    expect(await logOf(owner)).toEqual([theirs.id, mine.id]);
    expect(await logOf(owner, { member_id: person('member').id })).toEqual([mine.id]);
    expect(await logOf(member, { token_id: theirs.id })).toEqual([]);
    const [row] = (await owner.call(logApi.ownList, { query: { token_id: theirs.id } })).data;
    expect(await refusal(member.try(logApi.ownGet, { params: { id: row!.id } }))).toEqual([404, 'record.not_found']);
    const [all, own] = [await owner.call(logApi.ownTotals), await member.call(logApi.ownTotals)];
    expect([all.requests, own.requests]).toEqual([2, 1]);
    expect((await owner.call(userApi.self)).quota).toBe(1_000_000 - all.quota);
    const groups = async (by: 'member' | 'tag', client: ApiClient) => {
      const report = await client.call(analyticsApi.ownUsage, { query: { by } });
      return report.groups.map(({ id, requests }) => `${id}: ${requests}`).toSorted();
    };
    const [me, them] = [person('member').id, person('owner').id];
    expect(await groups('tag', owner)).toEqual([': 1', 'members: 1']);
    expect(await groups('member', member)).toEqual([`${me}: 1`]);
    expect(await groups('member', owner)).toEqual([`${me}: 1`, `${them}: 1`].toSorted());
    await expectBooksBalance(db());
  });

  test('a removed member’s keys stop at once, until somebody else gets them; history stays', async () => {
    const team = await addTeam(1_000_000);
    const [leaver, owner] = [person('member'), person('owner').client];
    const { id, key } = await tokenOf(leaver.client.as(team));
    expect((await chat(hub(), key)).status).toBe(200);
    await owner.call(teamApi.removeMember, { params: { id: team, user: leaver.id } });
    const refused = await chat(hub(), key);
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('has left the team')]);
    expect(await refusal(leaver.client.as(team).try(tokenApi.list))).toEqual([403, 'account.none']);
    const { orphans } = await owner.call(teamApi.members, { params: { id: team } });
    expect(orphans).toMatchObject([{ id, username: leaver.username }]);
    const handOver = { params: { id: team, token: id }, body: { user_id: person('owner').id } };
    expect(await refusal(person('billing').client.try(teamApi.handOver, handOver))).toEqual([403, 'team.role']);
    const { id: next } = await owner.call(teamApi.handOver, handOver);
    expect((await chat(hub(), key)).status).toBe(200);
    expect((await owner.as(team).call(tokenApi.reveal, { params: { id: next } })).key).toBe(key);
    const report = await owner.as(team).call(analyticsApi.ownUsage, { query: { by: 'member' } });
    const usage = report.groups.map(({ name, requests }) => `${name}: ${requests}`).toSorted();
    expect(usage).toEqual([`${leaver.username}: 1`, `${person('owner').username}: 1`].toSorted());
    await expectBooksBalance(db());
  });

  test('keys of a member rest while their account is disabled, and stay off after they come back', async () => {
    const team = await addTeam(1_000_000);
    const guest = await addPerson(hub());
    const join = async () => {
      const { token } = await person('owner').client.call(teamApi.invite, { params: { id: team }, body: {} });
      await guest.client.call(teamApi.answerInvite, { body: { token, accept: true } });
    };
    await join();
    const { id, key } = await tokenOf(guest.client.as(team));
    const status = async () => (await chat(hub(), key)).status;
    expect(await status()).toBe(200);
    const manage = (action: 'disable' | 'enable') =>
      hub().root.call(userAdminApi.manage, { body: { username: guest.username, action } });
    await manage('disable');
    expect(await status()).toBe(401);
    await manage('enable');
    expect(await status()).toBe(200);
    await guest.client.signIn(guest.username, PASSWORD);
    await guest.client.call(teamApi.removeMember, { params: { id: team, user: guest.id } });
    await join();
    expect(await status()).toBe(401);
    await guest.client.as(team).call(tokenApi.update, { query: { status_only: '1' }, body: { id, status: 1 } });
    expect(await status()).toBe(200);
  });

  test.each<[TeamRole, change: string, refused: string | undefined]>([
    ['owner', 'promote member', undefined],
    ['admin', 'promote member', 'team.role'],
    ['admin', 'demote owner', 'team.owner'],
    ['admin', 'tag member', undefined],
    ['billing', 'tag member', 'team.role'],
    ['member', 'tag member', 'team.role'],
    ['admin', 'remove member', undefined],
    ['billing', 'remove member', 'team.role'],
    ['member', 'remove billing', 'team.role'],
    ['admin', 'remove owner', 'team.owner'],
    ['owner', 'remove owner', 'team.owner'],
    ['billing', 'remove billing', undefined],
    ['admin', 'offer member', 'team.role'],
    ['owner', 'offer member', undefined],
    ['owner', 'offer owner', 'team.owner'],
    ['admin', 'rename', undefined],
    ['billing', 'rename', 'team.role'],
    ['admin', 'delete', 'team.role'],
    ['owner', 'delete', undefined],
    ['admin', 'invite admin', 'team.role'],
    ['admin', 'invite member', undefined],
    ['member', 'invite member', 'team.role'],
    ['admin', 'audit', undefined],
    ['member', 'audit', 'team.role'],
  ])('%s: %s → %s', async (who, change, refused) => {
    const id = await addTeam();
    const { client } = person(who);
    const [verb, whom = ''] = change.split(' ');
    const user = people.get(whom as TeamRole)?.id ?? 0;
    const params = { id, user };
    const before = await members(id);
    const acts: Record<string, () => Promise<ApiAnswer<unknown>>> = {
      promote: () => client.try(teamApi.updateMember, { params, body: { role: 'admin' } }),
      demote: () => client.try(teamApi.updateMember, { params, body: { role: 'member' } }),
      tag: () => client.try(teamApi.updateMember, { params, body: { cost_centre: 'new' } }),
      remove: () => client.try(teamApi.removeMember, { params }),
      offer: () => client.try(teamApi.offer, { params, body: { user_id: user } }),
      rename: () => client.try(teamApi.update, { params, body: { name: `renamed-${++count}` } }),
      delete: () => client.try(teamApi.remove, { params }),
      invite: () => client.try(teamApi.invite, { params, body: { role: whom as 'member' } }),
      audit: () => client.try(teamApi.audit, { params }),
    };
    const [status, code] = await refusal(acts[verb!]!());
    expect([status === 200, code]).toEqual([refused === undefined, refused]);
    if (refused) expect(await members(id)).toEqual(before);
    // Strangers learn nothing of a team.
    const { client: stranger } = person('stranger');
    expect(await refusal(stranger.try(teamApi.get, { params }))).toEqual([404, 'record.not_found']);
    const { id: owner } = person('owner');
    expect(await refusal(stranger.try(teamApi.removeMember, { params: { id, user: owner } }))).toEqual([
      404,
      'record.not_found',
    ]);
  });

  test('ownership passes when the member accepts it, and the owner may then leave', async () => {
    const id = await addTeam();
    const [owner, admin] = [person('owner'), person('admin')];
    expect(await refusal(admin.client.try(teamApi.accept, { params: { id } }))).toEqual([409, 'team.not_offered']);
    await owner.client.call(teamApi.offer, { params: { id }, body: { user_id: admin.id } });
    expect(await admin.client.call(teamApi.get, { params: { id } })).toMatchObject({ offered: true });
    expect(await admin.client.call(teamApi.accept, { params: { id } })).toMatchObject({
      role: 'owner',
      offered: false,
    });
    expect((await members(id)).slice(0, 2)).toEqual([
      [admin.id, 'owner'],
      [owner.id, 'admin'],
    ]);
    await owner.client.call(teamApi.removeMember, { params: { id, user: owner.id } });
    expect((await members(id, admin.client)).map(([user]) => user)).not.toContain(owner.id);
    const { body } = await hub().root.try(userAdminApi.remove, { params: { id: admin.id } });
    expect(body).toMatchObject({ code: 'user.owns_team' });
  });

  test('an invitation by mail is for its address, is used once, and says the same to anybody', async () => {
    const id = await addTeam();
    const { client: owner } = person('owner');
    const guest = await addPerson(hub(), { email: 'Guest@hub.example' });
    const replies = [];
    for (const email of ['guest@hub.example', 'unknown@hub.example']) {
      const { invite, token } = await owner.call(teamApi.invite, { params: { id }, body: { email } });
      replies.push([Object.keys(invite), token]);
    }
    expect(replies[0]).toEqual(replies[1]);
    const link = linkIn(await mailbox.next('guest@hub.example'));
    expect(link.href).toContain('https://hub.example/panel/team?invite=');
    const token = link.searchParams.get('invite')!;
    expect(await db().selectFrom('team_invites').select('token_hash').execute()).not.toContainEqual({
      token_hash: token,
    });
    const accept = (who: TestPerson) => who.client.try(teamApi.answerInvite, { body: { token, accept: true } });
    expect(await refusal(accept(person('stranger')))).toEqual([403, 'team.invite_address']);
    const answers = await Promise.all([1, 2, 3].map(() => accept(guest)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect(await members(id)).toContainEqual([guest.id, 'member']);
  });

  test('an invitation by link ends when it is taken back, expires, or is declined', async () => {
    const id = await addTeam();
    const { client: owner } = person('owner');
    const { client: guest } = person('stranger');
    const open = () => owner.call(teamApi.invite, { params: { id }, body: { role: 'billing' } });
    const read = (token: string) => guest.try(teamApi.readInvite, { body: { token } });
    const [back, late, no] = [await open(), await open(), await open()];
    expect((await read(back.token)).body).toMatchObject({ data: { role: 'billing', email: '' } });
    await owner.call(teamApi.removeInvite, { params: { id, invite: back.invite.id } });
    await db().updateTable('team_invites').set({ expires_time: 1 }).where('id', '=', late.invite.id).execute();
    expect(await guest.call(teamApi.answerInvite, { body: { token: no.token, accept: false } })).toBeNull();
    for (const { token } of [back, late, no]) expect(await refusal(read(token))).toEqual([404, 'team.invite']);
    expect(await owner.call(teamApi.invites, { params: { id } })).toEqual([]);
    expect(await members(id)).toHaveLength(4);
  });

  test('credits move between a person and the team once per reference, and out only to the owner', async () => {
    const id = await addTeam();
    const owner = await addPerson(hub(), { quota: 1000 });
    const own = async () => (await owner.client.call(userApi.self)).quota;
    await db()
      .updateTable('team_members')
      .set({ role: 'admin' })
      .where('team_id', '=', id)
      .where('role', '=', 'owner')
      .execute();
    await db()
      .insertInto('team_members')
      .values({ team_id: id, user_id: owner.id, role: 'owner', cost_centre: '', invited_by: 1, created_time: 1 })
      .execute();
    const move = (client: ApiClient, credits: number, reference: string) =>
      client.try(teamApi.move, { params: { id }, body: { credits, reference } });
    const into = await Promise.all(Array.from({ length: 8 }, () => move(owner.client, 700, 'the same reference')));
    expect(into.map(({ status }) => status)).toEqual(into.map(() => 200));
    expect(await own()).toBe(300);
    expect(await refusal(move(owner.client, 600, 'the same reference'))).toEqual([409, 'reference.used']);
    expect(await refusal(move(owner.client, 301, 'more than there is'))).toEqual([409, 'quota.below_zero']);
    expect(await refusal(move(person('member').client, -1, 'not by members'))).toEqual([403, 'team.role']);
    expect(await refusal(move(owner.client, 0, 'nothing at all'))).toEqual([400, 'input.invalid']);
    const out = await Promise.all([400, 400, 400].map((credits, n) => move(owner.client, -credits, `out number ${n}`)));
    expect(out.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await own()).toBe(700);
    const { data } = await owner.client.as(id).call(ledgerApi.ownList);
    expect(data.map(({ kind, credits, balance_after: after }) => [kind, credits, after])).toEqual([
      ['transfer', -400, 300],
      ['transfer', 700, 700],
    ]);
    expect(await refusal(owner.client.try(teamApi.remove, { params: { id } }))).toEqual([409, 'team.not_empty']);
    await owner.client.call(teamApi.move, { params: { id }, body: { credits: -300, reference: 'the rest of it' } });
    await owner.client.call(teamApi.remove, { params: { id } });
    expect(await owner.client.call(teamApi.list)).toEqual([]);
    await expectBooksBalance(db());
  });

  test('an administrator of the site does not take credits out of a team that they own', async () => {
    const admin = await addPerson(hub(), { role: role.admin });
    const { id } = await admin.client.call(teamApi.create, { body: { name: `team-${++count}` } });
    await hub().root.call(ledgerApi.correct, { params: { id }, body: { quota: 100, remark: 'x' } });
    const take = admin.client.try(teamApi.move, { params: { id }, body: { credits: -1, reference: 'for myself' } });
    expect(await refusal(take)).toEqual([403, 'redemption.administrator']);
  });

  test('is no user: it cannot sign in, is in no list of users, and is managed apart', async () => {
    const id = await addTeam(1000);
    const { name } = await hub().root.call(teamAdminApi.get, { params: { id } });
    const login = await person('owner').client.try(userApi.login, { body: { username: name, password: '' } });
    expect(login.body.success).toBe(false);
    const { data } = await hub().root.call(userAdminApi.list, { query: { keyword: name } });
    expect(data).toEqual([]);
    const { root } = hub();
    for (const answer of [
      root.try(userAdminApi.get, { params: { id } }),
      root.try(userAdminApi.update, { body: { id, password: 'a-password-of-a-team' } }),
      root.try(userAdminApi.manage, { body: { username: name, action: 'promote' } }),
      root.try(userAdminApi.remove, { params: { id } }),
    ])
      expect(await refusal(answer)).toEqual([404, 'record.not_found']);
    const taken = person('owner').client.try(teamApi.create, { body: { name: person('stranger').username } });
    expect(await refusal(taken)).toEqual([409, 'record.exists']);
    expect((await root.call(teamAdminApi.list, { query: { keyword: name } })).data).toMatchObject([
      { id, owner: person('owner').username, members: 4, quota: 1000 },
    ]);
    const { key } = await tokenOf(person('member').client.as(id));
    await root.call(teamAdminApi.update, { params: { id }, body: { status: userStatus.disabled } });
    expect((await chat(hub(), key)).status).toBe(401);
    expect(await refusal(person('owner').client.as(id).try(tokenApi.list))).toEqual([403, 'account.role']);
  });

  test('administrators of the site find teams, and see usage, limits and history of each', async () => {
    const { root } = hub();
    const id = await addTeam(1_000_000);
    const { name } = await root.call(teamAdminApi.get, { params: { id } });
    const mine = await tokenOf(person('member').client.as(id));
    const theirs = await tokenOf(person('owner').client.as(id));
    const cap = { measure: 'credits', period: 'month', amount: 900_000 } as const;
    await root.call(limitApi.set, { params: { id }, body: { caps: [cap] } });
    for (const { key } of [mine, mine, theirs]) expect((await chat(hub(), key)).status).toBe(200);
    await person('owner').client.call(teamApi.removeMember, { params: { id, user: person('member').id } });
    const {
      data: [row],
    } = await root.call(teamAdminApi.list, { query: { keyword: name } });
    expect(row).toMatchObject({ id, owner_enabled: true, members: 3, tokens: 2, caps: [cap] });
    expect([row?.month_quota, row?.quota]).toEqual([row?.used_quota, 1_000_000 - (row?.used_quota ?? 0)]);
    const team = await root.call(teamAdminApi.get, { params: { id }, query: { time_zone: 'UTC' } });
    const month = new Date(hub().server.deps.now() * 1000).toISOString().slice(0, 7);
    expect(team.usage.members).toMatchObject([
      { user_id: person('member').id, username: person('member').username, requests: 2 },
      { user_id: person('owner').id, requests: 1 },
    ]);
    expect(team.usage.cost_centres).toMatchObject([
      { name: 'members', requests: 2 },
      { name: '', requests: 1 },
    ]);
    expect(team.limits.account.use).toMatchObject([{ amount: 900_000, used: team.month_quota }]);
    expect(team.orphans).toMatchObject([{ id: mine.id, username: person('member').username }]);
    const { bars } = await root.call(activityApi.user, { params: { id }, query: { days: '1' } });
    expect(bars.reduce((sum, { requests }) => sum + requests, 0)).toBe(3);
    const { data: history } = await root.call(auditApi.list, { query: { account_id: id } });
    expect(history.map(({ path }) => path)).toContain('/api/user/quota/:id');
    const sums = await person('billing')
      .client.as(id)
      .call(statementApi.own, { query: { month, time_zone: 'UTC' } });
    expect([sums.members, sums.cost_centres]).toEqual([team.usage.members, team.usage.cost_centres]);

    const found = async (query: Record<string, string | number>) =>
      (await root.call(teamAdminApi.list, { query: { size: 100, ...query } })).data.some((each) => each.id === id);
    const owner = person('owner').username;
    for (const [query, isThere] of [
      [{ keyword: owner }, true],
      [{ keyword: name, status: 1, group: 'default', owner_status: 1 }, true],
      [{ keyword: name, status: 2 }, false],
      [{ keyword: name, group: 'vip' }, false],
      [{ keyword: name, owner_status: 2 }, false],
    ] as const)
      expect([query, await found(query)]).toEqual([query, isThere]);
    const file = await root.download(teamAdminApi.download, { query: { keyword: name, language: 'en-US' } });
    expect(file).toContain(`${name},Enabled,${owner},Enabled,default,3,2,`);
    expect(await refusal(root.try(teamAdminApi.list, { query: { time_zone: 'Mars/Base' } }))).toEqual([
      400,
      'analytics.time_zone',
    ]);
  });

  describe('a new owner', () => {
    const setOwner = (client: ApiClient, id: number, user: { id: number }, remove = false) =>
      refusal(client.try(teamAdminApi.setOwner, { params: { id }, body: { user_id: user.id, remove } }));

    test('takes the place of one who left, whether a member or not', async () => {
      const { root } = hub();
      const leaver = await addPerson(hub());
      const { id } = await leaver.client.call(teamApi.create, { body: { name: `team-${++count}` } });
      await root.call(ledgerApi.correct, { params: { id }, body: { quota: 1_000_000, remark: 'x' } });
      const { key } = await tokenOf(leaver.client.as(id));
      await root.call(userAdminApi.manage, { body: { id: leaver.id, action: 'disable' } });
      const ofLeavers = async () =>
        (await root.call(teamAdminApi.list, { query: { owner_status: 2 } })).data.map((each) => each.id);
      expect(await ofLeavers()).toContain(id);
      expect(await setOwner(root, id, person('stranger'))).toEqual([200, undefined]);
      expect(await members(id, person('stranger').client)).toEqual([
        [person('stranger').id, 'owner'],
        [leaver.id, 'admin'],
      ]);
      expect(await ofLeavers()).not.toContain(id);
      expect((await chat(hub(), key)).status).toBe(401);
      expect(await setOwner(root, id, person('admin'), true)).toEqual([200, undefined]);
      expect(await members(id, person('admin').client)).toEqual([
        [person('admin').id, 'owner'],
        [leaver.id, 'admin'],
      ]);
      expect(await setOwner(root, id, person('admin'), true)).toEqual([200, undefined]);
      const { data } = await person('admin').client.call(teamApi.audit, { params: { id } });
      expect(data[0]).toMatchObject({ actor_name: 'root', path: '/api/team/all/:id/owner', code: '' });
    });

    test('is an enabled person; administrators take no team for themselves, nor from their equals', async () => {
      const admin = await addPerson(hub(), { role: role.admin });
      const id = await addTeam();
      const disabled = await addAccount(hub(), { status: userStatus.disabled });
      const ofRoot = await hub().root.call(teamApi.create, { body: { name: `team-${++count}` } });
      for (const [team, user, ...refused] of [
        [id, admin, 409, 'user.self'],
        [id, disabled, 409, 'team.owner_disabled'],
        [id, { id }, 404, 'record.not_found'],
        [person('owner').id, person('stranger'), 404, 'record.not_found'],
        [ofRoot.id, person('stranger'), 403, 'user.rank'],
      ] as const)
        expect(await setOwner(admin.client, team, user)).toEqual(refused);
      expect(await setOwner(person('owner').client, id, person('owner'))).toEqual([403, 'session.role']);
      expect((await members(id))[0]).toEqual([person('owner').id, 'owner']);
    });
  });

  test('prices are those of the team’s group', async () => {
    const id = await addTeam(1_000_000);
    const dear = `dear-${++count}`;
    await hub().root.call(userGroupApi.create, {
      body: { symbol: dear, name: dear, ratio: 3, api_rate: 100, public: false },
    });
    await hub().root.call(teamAdminApi.update, { params: { id }, body: { group: dear } });
    const symbols = Object.keys(await person('member').client.as(id).call(userGroupApi.map));
    expect(symbols).toContain(dear);
    expect(Object.keys(await person('member').client.call(userGroupApi.map))).not.toContain(dear);
    expect(await person('member').client.as(id).call(priceApi.available)).toBeDefined();
  });

  test('its leaders read who changed what; others’ keys and attempts of strangers are not in it', async () => {
    const id = await addTeam();
    await tokenOf(person('member').client.as(id));
    await tokenOf(person('member').client);
    await person('stranger').client.try(teamApi.update, { params: { id }, body: { name: 'taken-over' } });
    await person('billing').client.try(teamApi.update, { params: { id }, body: { name: 'not-mine' } });
    const { data } = await person('admin').client.call(teamApi.audit, { params: { id } });
    const shown = data.map(({ actor_name: actor, method, path, code }) => [actor, `${method} ${path}`, code]);
    expect(shown.slice(0, 2)).toEqual([
      [person('billing').username, 'PUT /api/team/:id', 'team.role'],
      [person('member').username, 'POST /api/token/', ''],
    ]);
    expect(shown.at(-1)).toEqual([person('owner').username, 'POST /api/team/', '']);
    expect(shown.filter(([actor]) => actor === person('stranger').username)).toEqual([]);
  });

  test('a cap of a member stops their keys and nobody else’s, and they see it', async () => {
    const id = await addTeam(1_000_000);
    const [mine, theirs] = [
      await tokenOf(person('member').client.as(id)),
      await tokenOf(person('owner').client.as(id)),
    ];
    const limits = { caps: [{ measure: 'requests', period: 'month', amount: 1 }] } as const;
    const body = { user_id: person('member').id, limits: { caps: [...limits.caps] } };
    expect(await refusal(person('billing').client.try(teamApi.setLimits, { params: { id }, body }))).toEqual([
      403,
      'team.role',
    ]);
    await person('admin').client.call(teamApi.setLimits, { params: { id }, body });
    expect((await chat(hub(), mine.key)).status).toBe(200);
    expect((await chat(hub(), mine.key)).status).toBe(429);
    expect((await chat(hub(), theirs.key)).status).toBe(200);
    const seen = await person('member').client.call(teamApi.limits, { params: { id } });
    expect(seen.members).toMatchObject([{ user_id: person('member').id, use: [{ used: 1, left: 0 }] }]);
    const none = { user_id: person('member').id, limits: { caps: [] } };
    await person('admin').client.call(teamApi.setLimits, { params: { id }, body: none });
    expect((await chat(hub(), mine.key)).status).toBe(200);
    const stranger = { user_id: person('stranger').id, limits: { caps: [] } };
    expect(await refusal(person('admin').client.try(teamApi.setLimits, { params: { id }, body: stranger }))).toEqual([
      404,
      'record.not_found',
    ]);
  });

  test('only administrators create teams unless the setting allows it to all', async () => {
    const create = () => person('stranger').client.try(teamApi.create, { body: { name: `team-${++count}` } });
    await hub().root.call(optionApi.set, { body: { key: 'TeamsByUsers', value: 'false' } });
    expect(await refusal(create())).toEqual([403, 'team.closed']);
    await hub().root.call(optionApi.set, { body: { key: 'TeamsByUsers', value: 'true' } });
    expect(await refusal(create())).toEqual([200, undefined]);
  });
});
