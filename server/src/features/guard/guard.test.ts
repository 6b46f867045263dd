import { auditApi, guardApi, type InputOf } from '@relay-hub/contract';
import { afterEach, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

type NewRule = InputOf<typeof guardApi.create>['body'];

const rule: NewRule = { name: 'No addresses', action: 'mask', kinds: ['email'] };

onEveryDatabase('guardrails', (make) => {
  const hub = hubForSuite(make);
  afterEach(async () => {
    const { data } = await hub().root.call(guardApi.list, { query: { size: 100 } });
    for (const { id } of data) await hub().root.call(guardApi.remove, { params: { id } });
  });

  test('a rule is created with its defaults, changed, found and removed, and each change is audited', async () => {
    const made = await hub().root.call(guardApi.create, { body: rule });
    expect(made).toMatchObject({
      ...rule,
      enabled: true,
      requests: true,
      answers: false,
      groups: [],
      token_ids: [],
      patterns: [],
      updated_by: 'root',
    });
    const { id } = made;
    const body = { ...rule, id, action: 'refuse' as const, patterns: ['PRJ-\\d+'], groups: ['vip'], token_ids: [7] };
    expect(await hub().root.call(guardApi.update, { body })).toMatchObject(body);
    expect(await hub().root.call(guardApi.get, { params: { id } })).toMatchObject(body);
    expect(await hub().root.call(guardApi.list, { query: { keyword: 'addr' } })).toMatchObject({ total_count: 1 });
    expect(await hub().root.call(guardApi.list, { query: { keyword: 'other' } })).toMatchObject({ total_count: 0 });
    const { data } = await hub().root.call(auditApi.list, { query: { size: 1 } });
    expect(data).toMatchObject([{ kind: 'guard', object_id: String(id), object_name: 'No addresses' }]);
  });

  test.each<[given: object, field: string, status: number, code: string]>([
    [{}, 'name', 400, 'input.invalid'],
    [{ ...rule, name: '' }, 'name', 400, 'input.invalid'],
    [{ ...rule, action: 'block' }, 'action', 400, 'input.invalid'],
    [{ ...rule, kinds: ['passport'] }, 'kinds.0', 400, 'input.invalid'],
    [{ ...rule, kinds: [] }, 'kinds', 400, 'input.invalid'],
    [{ ...rule, requests: false }, 'requests', 400, 'input.invalid'],
    [{ ...rule, patterns: ['fine', '(a'] }, 'patterns.1', 400, 'input.invalid'],
    [{ ...rule, patterns: ['(a)\\1'] }, 'patterns.0', 400, 'input.invalid'],
    [{ ...rule, owner: 1 }, 'owner', 400, 'input.invalid'],
    [{ ...rule, hook: { url: 'ftp://a.example' } }, 'hook.url', 400, 'input.invalid'],
    [{ ...rule, hook: { url: 'https://a.example', timeout_ms: 5 } }, 'hook.timeout_ms', 400, 'input.invalid'],
    [{ ...rule, hook: { url: 'http://169.254.169.254/' } }, 'hook.url', 400, 'outbound.never'],
    [{ ...rule, name: 'Taken' }, 'name', 409, 'record.exists'],
  ])('%j is refused and changes nothing', async (given, field, status, code) => {
    await hub().root.call(guardApi.create, { body: { ...rule, name: 'Taken' } });
    expect(await hub().root.send('POST', '/api/guard/', given)).toMatchObject({ status, body: { code, field } });
    expect(await hub().root.call(guardApi.list)).toMatchObject({ total_count: 1 });
  });

  test.each<[given: InputOf<typeof guardApi.test>['body'], masked: string, count: number]>([
    [{ kinds: ['email'], text: 'a@b.example, c@d.example' }, '••••, ••••', 2],
    [{ patterns: ['PRJ-\\d+'], text: 'PRJ-1 and prj-2' }, '•••• and prj-2', 1],
    [{ kinds: ['card'], text: 'nothing' }, 'nothing', 0],
  ])('%j is tried without being saved', async (body, masked, count) => {
    expect(await hub().root.call(guardApi.test, { body })).toEqual({ masked, count });
  });
});
