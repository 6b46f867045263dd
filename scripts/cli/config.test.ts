import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  accessKeyApi,
  type AccessScope,
  auditApi,
  channelApi,
  channelKeyApi,
  type InputOf,
  optionApi,
  planAdminApi,
  priceApi,
  purchasePriceApi,
  role,
  userGroupApi,
  virtualModelApi,
  wayApi,
} from '@relay-hub/contract';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { onOneDatabase } from '../../testing/databases.ts';
import { hubForSuite, type TestHub } from '../../testing/hub.ts';
import { addPerson } from '../../testing/people.ts';
import { exportConfig } from './config-export.ts';
import { chosenKinds } from './config-kinds.ts';
import { applyChanges, planChanges, planText } from './config-plan.ts';
import { client, type HubClient } from './hub-client.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-config-'))));
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string, name = 'hub.yaml') => writeFileSync(path.join(folder, name), text);
const secrets: Record<string, string> = {};
const give = (name: string, value: string) => {
  secrets[name] = value;
  vi.stubEnv(name, value);
};
/** No part of a secret that is longer than its hint. */
const expectNoSecret = (text: string) => {
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret.slice(0, -4));
};

async function clientOf({ url, root }: TestHub, scopes: AccessScope[], by = root): Promise<HubClient> {
  const { key } = await by.call(accessKeyApi.create, { body: { name: 'ci', scopes } });
  return client(url, key);
}
const wide: AccessScope[] = ['users', 'channels', 'prices', 'money', 'settings'];
const none = { prune: false, resend: false };

/** A hub with an object of each kind, and secrets in every place that takes one. */
async function fill({ root }: TestHub): Promise<void> {
  await root.call(optionApi.setMany, { body: { values: { SystemName: 'Ours ${env:HOME}', RetryTimes: '4' } } });
  await root.call(userGroupApi.create, {
    body: { symbol: 'team-a', name: '团队 A', ratio: 0, keep_zero: true, limit_wait: { seconds: 9, calls: 7 } },
  });
  const bodies: Partial<InputOf<typeof channelApi.create>['body']>[] = [
    { name: 'one', key: 'sk-first-key-aaaaaaaaaa1111', base_url: 'https://127.0.0.1/v1' },
    {
      name: '第二 / two',
      key: 'sk-second-key-bbbbbbbb2222\nsk-third-key-ccccccccc3333',
      one_channel: true,
      group: 'default,team-a',
      weight: 7,
      status: 2,
      proxy: 'http://proxy-user:proxy-password-dddd4444@127.0.0.1:8080',
      model_headers: '{"x-secret":"header-value-eeee5555"}',
      plugin: { headers: { 'x-plain': 'option-value-ffff6666' } },
      model_mapping: '{"gpt-4o":"gpt-4o-2024"}',
      request_rules: [{ action: 'set', field: 'temperature', value: { a: ['${x}'] } }],
      limits: { caps: [{ measure: 'requests', period: 'day', amount: 5 }] },
      cost_ratio: 0.5,
    },
  ];
  for (const body of bodies)
    await root.call(channelApi.create, {
      body: { type: 8, models: 'gpt-4o,gpt-4o-mini', base_url: 'https://127.0.0.1', ...body } as never,
    });
  const [two] = (await root.call(channelApi.list, { query: { order: '-id' } })).data;
  await root.call(purchasePriceApi.set, {
    params: { id: two!.id },
    body: { prices: [{ model: 'gpt-4o', type: 'tokens', input: 1, output: 2, currency: 'CNY', rate: 0.14 }] },
  });
  await root.call(priceApi.create, {
    body: {
      model: 'own-model*',
      type: 'tokens',
      channel_type: 0,
      input: 1.25,
      output: 5,
      extra_ratios: { cached_tokens_ratio: 0.1 },
      rules: [{ effect: 'multiply', over: 200_000, input: 2, output: 1.5 }],
    },
  });
  await root.call(virtualModelApi.create, {
    body: {
      name: 'smart',
      steps: [{ models: [{ model: 'gpt-4o' }], when: { tools: 'yes' } }, { models: [{ model: 'own' }] }],
    },
  });
  await root.call(planAdminApi.create, {
    body: {
      names: { zh_CN: '专业', zh_HK: '', en_US: 'Pro', ja_JP: '' },
      terms: { price: 1000, unit: 'month', count: 1, time_zone: 'UTC', allowance: 5000 },
    },
  });
  await root.call(wayApi.create, {
    body: {
      site: true,
      kind: 'slack',
      name: 'on call',
      config: { address: 'https://hooks.example/services/gggg7777', target: '', token: '', secret: '' },
    },
  });
  for (const [name, value] of [
    ['CHANNELS_ONE_KEY', 'sk-first-key-aaaaaaaaaa1111'],
    ['CHANNELS_TWO_KEY', 'sk-second-key-bbbbbbbb2222\nsk-third-key-ccccccccc3333'],
    ['CHANNELS_TWO_PROXY_PASSWORD', 'proxy-password-dddd4444'],
    ['CHANNELS_TWO_X_SECRET', 'header-value-eeee5555'],
    ['CHANNELS_TWO_X_PLAIN', 'option-value-ffff6666'],
    ['ALARM_WAYS_ON_CALL_ADDRESS', 'https://hooks.example/services/gggg7777'],
  ] as const)
    give(name, value);
}

onOneDatabase('configuration as code', (make) => {
  const first = hubForSuite(make);
  const second = hubForSuite(make);
  let from: HubClient;
  let to: HubClient;
  beforeAll(async () => {
    await fill(first());
    [from, to] = [await clientOf(first(), wide), await clientOf(second(), wide)];
  }, 60_000);
  afterAll(() => void vi.unstubAllEnvs());

  const plan = (hub: HubClient, options = none) => planChanges(hub, [folder], options);
  const apply = async (hub: HubClient, options = none) => applyChanges(hub, await plan(hub, options), () => {});
  const exported = async (hub: HubClient) =>
    Object.fromEntries((await exportConfig(hub, chosenKinds(undefined))).map(({ name, text }) => [name, text]));

  test('an export makes a new hub the same, and needs no second change', async () => {
    const files = await exported(from);
    expectNoSecret(JSON.stringify(files));
    expect(Object.keys(files)).toEqual(
      ['settings', 'groups', 'channels', 'prices', 'virtual_models', 'plans', 'alarm_ways'].map(
        (kind) => `${kind}.yaml`,
      ),
    );
    expect(files['settings.yaml']).toContain('SystemName: Ours $${env:HOME}');
    for (const [name, text] of Object.entries(files)) write(text, name);
    expect(planText(await plan(from))).toBe('No changes: the hub is as the files say.');
    const changes = await plan(to);
    expectNoSecret(planText(changes));
    await applyChanges(to, changes, () => {});
    expect(planText(await plan(to))).toBe('No changes: the hub is as the files say.');
    expect(await exported(to)).toEqual(files);
    const { data } = await second().root.call(channelApi.list, { query: { order: 'id' } });
    const keys = await second().root.call(channelKeyApi.list, { params: { id: data[1]!.id } });
    expect(keys.map((key) => key.key_hint)).toEqual(['sk-••••••••2222', 'sk-••••••••3333']);
    const { data: entries } = await second().root.call(auditApi.list, { query: { kind: 'channel' } });
    expect(entries.length).toBeGreaterThanOrEqual(2);
  });

  test('a plan names each field before and after, and secrets by their reference', async () => {
    give('NEW_KEY', 'sk-fourth-key-hhhhhhhhh8888');
    give('NEW_HEADER', 'header-value-iiii9999');
    write(`
settings: { RetryTimes: 5 }
groups: { team-b: { name: B, ratio: 2 } }
channels:
  one:
    type: 8
    key: \${env:NEW_KEY}
    base_url: https://127.0.0.1/v1
    models: [gpt-4o, o3]
    model_headers: { x-new: '\${env:NEW_HEADER}' }
virtual_models:
  smart: { steps: [{ models: [{ model: gpt-4o }] }] }
`);
    const changes = await plan(from);
    expectNoSecret(planText(changes));
    expect(planText(changes)).toBe(`~ settings.RetryTimes
    value: 4 → 5
+ groups.team-b
    name: B
    ratio: 2
    api_rate: 600
    public: false
    enable: true
    token_limits: null
    model_switch: null
    limit_wait: null
    channel_preference: null
~ channels.one
    models: [gpt-4o, gpt-4o-mini] → [gpt-4o, o3]
    model_headers.x-new: \${env:NEW_HEADER}
    key: [sk-••••••••1111] → [sk-••••••••8888]
~ virtual_models.smart
    steps: [{"models":[{"model":"gpt-4o","weight":1}],"sticky":"none","when":{"groups":[],"endpoints":[],"tools":"yes","images":"any","prompt_from":0,"prompt_to":0,"header":null,"time":null},"max_price":null,"next_on":["error","too_long","lacking"]},{"models":[{"model":"own","weight":1}],"sticky":"none","when":{"groups":[],"endpoints":[],"tools":"any","images":"any","prompt_from":0,"prompt_to":0,"header":null,"time":null},"max_price":null,"next_on":["error","too_long","lacking"]}] → [{"models":[{"model":"gpt-4o","weight":1}],"sticky":"none","when":{"groups":[],"endpoints":[],"tools":"any","images":"any","prompt_from":0,"prompt_to":0,"header":null,"time":null},"max_price":null,"next_on":["error","too_long","lacking"]}]
1 to create, 3 to change, 0 to delete.`);
  });

  test('with --prune, what the files lack goes, of their kinds alone; without it stays', async () => {
    const { root } = first();
    await root.call(virtualModelApi.create, { body: { name: 'gone', steps: [{ models: [{ model: 'gpt-4o' }] }] } });
    const names = async () => (await root.call(virtualModelApi.list)).data.map(({ name }) => name);
    write('virtual_models: { kept: { steps: [{ models: [{ model: gpt-4o }] }] } }');
    await apply(from);
    expect(await names()).toEqual(expect.arrayContaining(['gone', 'kept']));
    const pruned = await plan(from, { ...none, prune: true });
    expect(pruned.map(({ action, kind, name }) => `${action} ${kind.name} ${name}`).toSorted()).toEqual([
      'delete virtual_models gone',
      'delete virtual_models smart',
    ]);
    await applyChanges(from, pruned, () => {});
    expect(await names()).toEqual(['kept']);
    write('groups: {}\nsettings: {}\n');
    const rest = await plan(from, { ...none, prune: true });
    expect(rest.map(({ name }) => name)).not.toContain('default');
    expect(rest.map(({ name }) => name)).toContain('RetryTimes');
    expect(rest.every(({ action }) => action === 'delete')).toBe(true);
  });

  test.each([1, 2, 3, 4, 5])('an apply that ends after %i writes is completed by the next', async (last) => {
    give('OTHER_KEY', 'sk-other-key-jjjjjjjjjj0000');
    write(`
settings: { RetryTimeOut: ${20 + last} }
groups: { interrupted-${last}: { name: G } }
channels:
  interrupted-${last}:
    type: 8
    key: \${env:OTHER_KEY}
    base_url: https://127.0.0.1
    group: [interrupted-${last}]
    models: [m-${last}]
    purchase_prices: [{ model: m-${last}, type: tokens, input: 1, output: 1 }]
prices: { m-${last}: { type: tokens, channel_type: 0, input: 1, output: 2 } }
`);
    let writes = 0;
    const broken: HubClient = {
      ...to,
      async call(endpoint, input) {
        if (endpoint.method !== 'GET' && writes++ === last) throw new Error('killed');
        return to.call(endpoint, input);
      },
    };
    const run = apply(broken).catch((error: unknown) => (error as Error).message);
    expect(await run).toBe(last === 5 ? undefined : 'killed');
    await apply(to);
    expect(await plan(to)).toEqual([]);
    const { data } = await second().root.call(channelApi.list, { query: { name: `interrupted-${last}` } });
    expect(data.filter(({ name }) => name === `interrupted-${last}`)).toHaveLength(1);
  });

  test('settings that need a proof are compared, and left to a person', async () => {
    write('settings: { ServerAddress: "https://hub.example", RetryTimeOut: 11 }');
    const changes = await plan(to);
    expect(planText(changes)).toContain('~ settings.ServerAddress  (by hand, in the console');
    await applyChanges(to, changes, () => {});
    expect((await plan(to)).map(({ name }) => name)).toEqual(['ServerAddress']);
  });

  test('all secrets are sent again where that is asked for', async () => {
    const { data } = await second().root.call(channelApi.list, { query: { order: 'id' } });
    const file = (await exported(to))['channels.yaml']!;
    write(file);
    for (const { name } of data.slice(2)) expect(name).toMatch(/^interrupted/);
    for (let n = 1; n <= 5; n++) give(`CHANNELS_INTERRUPTED_${n}_KEY`, 'sk-other-key-jjjjjjjjjj0000');
    expect(await plan(to)).toEqual([]);
    const changes = await plan(to, { ...none, resend: true });
    expect(planText(changes)).toContain(
      '    proxy: (sent again) → http://proxy-user:${env:CHANNELS_TWO_PROXY_PASSWORD}@',
    );
    expectNoSecret(planText(changes));
    await applyChanges(to, changes, () => {});
    expect(await plan(to)).toEqual([]);
  });

  test('a key without the scope, or the role, is told which kind it lacks', async () => {
    const admin = await addPerson(first(), { role: role.admin });
    const key = await clientOf(first(), ['read'], admin.client);
    await expect(exportConfig(key, chosenKinds('settings'))).rejects.toThrow(/^settings: .*session\.role/);
    const files = await exportConfig(key, chosenKinds('groups,prices'));
    expect(files.map(({ name }) => name)).toEqual(['groups.yaml', 'prices.yaml']);
    write('groups: { team-a: { name: Other } }');
    await expect(apply(key)).rejects.toThrow(/^.*hub\.yaml:1: groups\.team-a: .*session\.scope/);
  });

  test('names that two objects of the hub have are refused', async () => {
    const body = {
      type: 8,
      name: 'twin',
      key: 'sk-twin-key-0123456789',
      models: 'gpt-4o',
      base_url: 'https://127.0.0.1',
    };
    for (let n = 0; n < 2; n++) await second().root.call(channelApi.create, { body });
    write('channels: {}');
    await expect(plan(to)).rejects.toThrow(/more than one of channels with the name twin/);
    await expect(exported(to)).rejects.toThrow(/twin/);
  });

  const nested = `${'['.repeat(100)}${']'.repeat(100)}`;
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', 'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]', 'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]']
    .concat(['d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]', 'e: [*d,*d,*d,*d,*d,*d,*d,*d,*d]'])
    .join('\n  ');
  const channel = 'type: 8, base_url: "https://a.example", models: [m]';
  test.each<[what: string, text: string, problem: RegExp]>([
    ['no YAML', 'channels: [', /hub\.yaml:1: /],
    ['two documents', 'groups: {}\n---\ngroups: {}', /hub\.yaml:2: .*multiple documents/],
    ['a list', '- channels', /hub\.yaml:1: the file has to be a map/],
    ['an unknown kind', '\ntokens: {}', /hub\.yaml:2: tokens: is unknown; there are settings/],
    ['a list of channels', 'channels: [a]', /hub\.yaml:1: channels: has to be a map of names/],
    ['an unknown field', 'groups:\n  a:\n    name: A\n    ration: 2', /hub\.yaml:4: groups\.a\.ration: is unknown/],
    [
      'an unknown nested field',
      'prices:\n  m: { type: tokens, channel_type: 0, input: 1, output: 1,\n    rules: [{ efect: x }] }',
      /hub\.yaml:3: prices\.m\.rules\.0/,
    ],
    ['a wrong type', 'groups:\n  a:\n    name: A\n    ratio: "2"', /hub\.yaml:4: groups\.a\.ratio: /],
    ['not a number', 'groups: { a: { name: A, ratio: .inf } }', /hub\.yaml:1: groups\.a\.ratio: /],
    ['a missing field', 'groups:\n  a: { ratio: 2 }', /hub\.yaml:2: groups\.a\.name: /],
    ['a text instead of an object', 'groups:\n  a: yes', /hub\.yaml:2: groups\.a: /],
    ['a name twice', 'groups:\n  a: { name: A }\n  a: { name: B }', /hub\.yaml:3: Map keys must be unique/],
    ['a name that no group has', 'groups:\n  "a b": { name: A }', /hub\.yaml:2: groups\.a b: /],
    ['a list as a name', 'groups: { [a]: { name: A } }', /hub\.yaml:1: a name has to be a text/],
    ['a prototype', 'groups:\n  __proto__: { name: A }', /hub\.yaml:2: the name __proto__ is not allowed/],
    [
      'a nested prototype',
      `channels: { a: { ${channel}, plugin: { constructor: {} } } }`,
      /the name constructor is not allowed/,
    ],
    ['too many levels', `groups: { a: ${nested} }`, /hub\.yaml:1: more than 40 levels/],
    ['very many levels', `groups: { a: ${'['.repeat(20_000)} }`, /hub\.yaml: is nested too deeply|hub\.yaml:1/],
    ['a bomb', `groups:\n  ${bomb}`, /Excessive alias count/],
    ['a tag of a program', 'groups: !!js/function "x"', /hub\.yaml:1: /],
    [
      'a key in the file',
      `channels:\n  a: { ${channel},\n    key: sk-in-the-file-000000 }`,
      /hub\.yaml:3: channels\.a\.key: is a secret/,
    ],
    [
      'a header in the file',
      `channels: { a: { ${channel}, model_headers: { x: y } } }`,
      /channels\.a\.model_headers\.x: is a secret/,
    ],
    [
      'a password in the file',
      `channels: { a: { ${channel}, proxy: "http://u:p@h:1" } }`,
      /channels\.a\.proxy: is a secret/,
    ],
    [
      'a token in the file',
      'alarm_ways: { a: { kind: bark, config: { address: "https://b.example", token: abc } } }',
      /config\.token: is a secret/,
    ],
    [
      'a reference to nothing',
      `channels: { a: { ${channel}, key: "\${env:NOT_THERE_AT_ALL}" } }`,
      /channels\.a\.key: the environment has no NOT_THERE/,
    ],
    [
      'a reference to no file',
      `channels: { a: { ${channel}, key: "\${file:/dev/zero}" } }`,
      /channels\.a\.key: \/dev\/zero cannot be read/,
    ],
    [
      'an unknown reference',
      `channels: { a: { ${channel}, key: "\${exec:ls}" } }`,
      /channels\.a\.key: \$\{exec:ls\} is no reference/,
    ],
    ['an unknown setting', 'settings: { NoSuchSetting: 1 }', /settings\.NoSuchSetting: is unknown/],
    ['a wrong setting', 'settings: { RetryTimes: many }', /settings\.RetryTimes: /],
    ['a secret setting', 'settings: { SMTPToken: "${env:X}" }', /settings\.SMTPToken: /],
    [
      'a channel type that is none',
      'channels: { a: { type: 4711, models: [m] } }',
      /channels\.a\.type: there is no channel type 4711/,
    ],
    [
      'another name of a plan',
      'plans: { a: { names: { zh_CN: "", zh_HK: "", en_US: b, ja_JP: "" }, terms: { price: 1, unit: day, count: 1, allowance: null, time_zone: UTC } } }',
      /plans\.a\.names: the plan is called b/,
    ],
  ])('%s in a file is refused with its line, before the hub is asked', async (_, text, problem) => {
    write(text);
    const silent: HubClient = { address: '', call: () => Promise.reject(new Error('the hub was asked')) };
    await expect(plan(silent)).rejects.toThrow(problem);
  });

  test('all mistakes of all files are named, and the same name in two files', async () => {
    write('groups: { a: { ratio: 1 }, b: { name: B, x: 1 } }', 'a.yaml');
    write('groups: { b: { name: B } }', 'b.yml');
    write('not read', '.hidden.yaml');
    write('not read', 'notes.txt');
    await expect(plan(to)).rejects.toThrow(/b\.yml:1: groups\.b: is already in .*a\.yaml:1/);
    rmSync(path.join(folder, 'b.yml'));
    await expect(plan(to)).rejects.toThrow(/a\.yaml:1: groups\.a\.name: [^]*a\.yaml:1: groups\.b\.x: is unknown/);
  });
});
