import type { Log } from '@relay-hub/contract';
import { explainCharge, logApi, tokenAdminApi, tokenApi, usageOf } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { chat, lastLog, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

const NAME = 'the-operators-secret-supplier';

onEveryDatabase('a call in the log', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let ann: TestPerson;
  let ben: TestPerson;
  let channel: number;
  let row: Log;

  beforeAll(async () => {
    ann = await addPerson(hub(), { quota: 1_000_000 });
    ben = await addPerson(hub());
    channel = await addChannel(hub(), upstream().url, { name: NAME, cost_ratio: 0.5 });
    const { key } = await tokenOf(ann.client, { name: 'laptop' });
    expect((await chat(hub(), key)).status).toBe(200);
    row = await lastLog(hub());
  });

  test('shows an administrator the caller and the channel', () => {
    expect(row).toMatchObject({
      user_id: ann.id,
      username: ann.username,
      token_name: 'laptop',
      model_name: 'gpt-4o',
      type: 2,
      channel_id: channel,
      channel: { id: channel, name: NAME },
      source_ip: '127.0.0.1',
      is_stream: false,
    });
    expect(row.metadata?.attempts).toMatchObject([
      { channel_id: channel, channel_name: NAME, channel_type: 8, status: 200, result: 'ok', cost: { by: 'multiple' } },
    ]);
  });

  test('explains its charge', () => {
    const { price_type: type, input_ratio: input, output_ratio: output, group_ratio: group } = row.metadata!;
    expect(explainCharge({ type: type!, input: input!, output: output! }, group!, usageOf(row)).credits).toBe(
      row.quota,
    );
  });

  test('shows its owner everything except the channel, its cost and its fingerprint', async () => {
    const listed = await ann.client.send('GET', '/api/log/self');
    const read = await ann.client.send('GET', `/api/log/self/${row.id}`);
    const attempts = row.metadata?.attempts?.map(({ channel_type: _type, cost: _cost, ...attempt }) => ({
      ...attempt,
      channel_id: 0,
      channel_name: '',
    }));
    const { fingerprint, ...served } = row.metadata?.served ?? {};
    expect(fingerprint).toMatch(/^fp_/);
    const own = { ...row, channel_id: 0, channel: null, metadata: { ...row.metadata, served, attempts } };
    expect(listed.body).toMatchObject({ data: { data: [own], total_count: 1 } });
    expect(read.body).toMatchObject({ data: own });
    for (const { body } of [listed, read])
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`${NAME}|channel_type|"cost"|"fingerprint"`));
  });

  test('hides other users’ rows', async () => {
    const none = { status: 404, body: { code: 'record.not_found', field: 'id' } };
    expect(await ben.client.try(logApi.ownGet, { params: { id: row.id } })).toMatchObject(none);
    expect(await hub().root.try(logApi.ownGet, { params: { id: row.id } })).toMatchObject(none);
    expect((await ben.client.call(logApi.ownList)).total_count).toBe(0);
    expect(await ben.client.try(logApi.get, { params: { id: row.id } })).toMatchObject({ status: 403 });
    expect(await hub().root.call(logApi.get, { params: { id: row.id } })).toEqual(row);
    expect(await hub().root.try(logApi.get, { params: { id: 987_654 } })).toMatchObject(none);
  });

  test('is found by its token, whatever that is called, whose it is now, and who else has the name', async () => {
    const who = await addPerson(hub(), { quota: 1_000_000 });
    const heir = await addPerson(hub(), { quota: 1_000_000 });
    const call = async (key: string, times: number, status = 200) => {
      for (let n = 0; n < times; n++) expect((await chat(hub(), key)).status).toBe(status);
      await lastLog(hub());
    };
    const a = await tokenOf(who.client, { name: 'team-a' });
    await call(a.key, 3);
    await who.client.call(tokenApi.update, { body: { id: a.id, name: 'team-b' } });
    await call(a.key, 1);
    const b = await tokenOf(who.client, { name: 'team-b' });
    const seen = (client: TestPerson['client'], query: object) => client.call(logApi.ownList, { query });
    expect(await seen(who.client, { token_id: b.id, refused: 1 })).toMatchObject({ data: [], total_count: 0 });
    await call(b.key, 5);
    const namesOf = (rows: readonly Log[]) => rows.map(({ token_id, token_name }) => `${token_id} ${token_name}`);
    expect(namesOf((await seen(who.client, { token_id: a.id })).data)).toEqual([
      `${a.id} team-b`,
      ...Array.from({ length: 3 }, () => `${a.id} team-a`),
    ]);
    expect((await seen(who.client, { token_name: 'team-b' })).total_count).toBe(6);
    for (const { client, totals } of [
      { client: who.client, totals: logApi.ownTotals },
      { client: hub().root, totals: logApi.totals },
    ])
      expect(await client.call(totals, { query: { token_id: a.id } })).toMatchObject({ requests: 4, since: 0 });
    const csv = await who.client.download(logApi.ownDownload, { query: { token_id: a.id, language: 'en' } });
    expect(csv.trimEnd().split('\r\n').slice(1)).toHaveLength(4);
    // Given away, its earlier calls stay those of the one who paid for them.
    await hub().root.call(tokenAdminApi.transfer, { params: { id: a.id }, body: { user_id: heir.id } });
    await call(a.key, 2);
    expect(await seen(who.client, { token_id: a.id })).toMatchObject({ total_count: 4 });
    expect(await seen(heir.client, { token_id: a.id })).toMatchObject({ total_count: 2 });
    expect(await heir.client.call(logApi.ownTotals, { query: { token_id: a.id } })).toMatchObject({ requests: 2 });
    expect(await hub().root.call(logApi.totals, { query: { token_id: a.id } })).toMatchObject({ requests: 6 });
    // So do refused ones.
    await heir.client.call(tokenApi.update, { body: { id: a.id, status: 2 } });
    await call(a.key, 1, 401);
    const refused = { token_id: a.id, log_type: 5 };
    expect((await seen(heir.client, refused)).data).toMatchObject([{ token_id: a.id, type: 5 }]);
    expect((await seen(who.client, refused)).data).toEqual([]);
    expect((await seen(ben.client, { token_id: a.id, refused: 1 })).data).toEqual([]);
  });

  test('keeps the name of a channel that was deleted', async () => {
    await hub().root.send('DELETE', `/api/channel/${channel}`);
    expect(await hub().root.call(logApi.get, { params: { id: row.id } })).toEqual(row);
  });
});
