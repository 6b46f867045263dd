import { hashSync } from 'bcryptjs';
import { hubHistory, hubPasskeys, newApiHistory } from './old-history.ts';
import type { OldTable } from './old-table.ts';

/** Signs in at every old program. */
export const OLD_PASSWORD = 'old-password-1';
/** As the programs write them: `$2a$`, cost 10. */
const bcrypt = hashSync(OLD_PASSWORD, 10).replace('$2b$', '$2a$');

/** Keys of the forms in use, without `sk-`. */
export const oldKeys = {
  signed: 'aBcDeFgHiJkLmNo_Zm9vYmFyLWJhei1xdXgtMDEyMzQ1Njc4OS1hYmNkZWY',
  plain: 'AbCdEfGhIjKlMnOp0123456789abcdefghijklmnopqrstuv',
  admin: 'RootRootRootRoot0123456789abcdefghijklmnopqrstuv',
  deleted: 'DelDelDelDelDelD0123456789abcdefghijklmnopqrstuv',
  orphan: 'OrphanOrphanOrph0123456789abcdefghijklmnopqrstuv',
};

const users = {
  id: 'id',
  username: 'text',
  password: 'text',
  display_name: 'text',
  role: 'int',
  status: 'int',
  email: 'text',
  github_id: 'text',
  wechat_id: 'text',
  lark_id: 'text',
  access_token: 32,
  quota: 'int',
  used_quota: 'int',
  request_count: 'int',
  group: 'text',
  aff_code: 'text',
  aff_quota: 'int',
  inviter_id: 'int',
} as const;

const tokens = {
  id: 'id',
  user_id: 'int',
  key: 128,
  status: 'int',
  name: 'text',
  created_time: 'int',
  accessed_time: 'int',
  expired_time: 'int',
  remain_quota: 'int',
  unlimited_quota: 'bool',
  used_quota: 'int',
} as const;

const channels = {
  id: 'id',
  type: 'int',
  key: 'text',
  status: 'int',
  name: 'text',
  weight: 'int',
  created_time: 'int',
  base_url: 'text',
  other: 'text',
  balance: 'real',
  models: 'text',
  group: 'text',
  used_quota: 'int',
  model_mapping: 'text',
  priority: 'int',
} as const;

const redemptions = {
  id: 'id',
  user_id: 'int',
  key: 32,
  status: 'int',
  name: 'text',
  quota: 'int',
  created_time: 'int',
  redeemed_time: 'int',
} as const;

const root = {
  id: 1,
  username: 'root',
  password: bcrypt,
  display_name: 'Root User',
  role: 100,
  status: 1,
  email: '',
  quota: 5_000,
  used_quota: 100,
  request_count: 2,
  group: 'default',
  aff_code: '',
  aff_quota: 0,
  inviter_id: 0,
};

const alice = { ...root, id: 2, username: 'alice', display_name: 'Alice', role: 1, quota: 123_456, aff_code: 'a1b2' };
const negative = { ...alice, id: 3, username: 'carol-with-a-long-name', quota: -179, aff_code: 'c3d4', inviter_id: 2 };

const token = {
  status: 1,
  created_time: 1_700_000_000,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 900,
  unlimited_quota: false,
  used_quota: 100,
};

const channel = (upstream: string) => ({
  type: 1,
  key: 'sk-upstream-1',
  status: 1,
  name: 'main',
  weight: 1,
  created_time: 1_700_000_000,
  base_url: upstream,
  other: '',
  balance: 1.5,
  models: 'gpt-4o, gpt-4o-mini,,legacy-model',
  group: 'default,vip',
  used_quota: 100,
  model_mapping: '',
  priority: 0,
});

const code = (id: number, status: number) => ({
  id,
  user_id: 1,
  key: `0123456789abcdef0123456789abcde${id}`,
  status,
  name: `spring ${id}`,
  quota: 500,
  created_time: 1_700_000_000,
  redeemed_time: status === 3 ? 1_700_000_100 : 0,
});

const deletedAt = '2026-11-23 14:43:31.424227604+00:00';

export type OldWorldOptions = Record<string, string>;
const optionTable = (options: OldWorldOptions): OldTable => ({
  name: 'options',
  columns: { key: 'text', value: 'text' },
  rows: Object.entries(options).map(([key, value]) => ({ key, value })),
});

/** one-hub 0.14.8. */
export function oneHub(
  upstream: string,
  options: OldWorldOptions = { SystemName: 'Old Hub', SMTPToken: 'smtp-secret-1' },
): OldTable[] {
  const more = { created_time: 1_700_000_000, last_login_time: 1_700_000_500, deleted_at: null };
  return [
    {
      name: 'users',
      columns: {
        ...users,
        avatar_url: 'text',
        github_id_new: 'int',
        telegram_id: 'int',
        last_login_time: 'int',
        created_time: 'int',
        deleted_at: 'time',
      },
      rows: [
        { ...root, ...more, github_id_new: 0, telegram_id: 0, access_token: '0123456789abcdef0123456789abcdef' },
        { ...alice, ...more, github_id: 'alice-gh', github_id_new: 4711, telegram_id: 0, email: 'alice@example.com' },
        { ...negative, ...more, github_id_new: 0, telegram_id: 99, email: 'ALICE@example.com' },
        { ...alice, ...more, id: 4, username: 'gone', quota: 1, aff_code: 'gone', deleted_at: deletedAt },
        { ...alice, ...more, id: 5, username: 'trusted', role: 3, quota: 0, aff_code: 'e5f6', group: 'vip' },
      ],
    },
    {
      name: 'tokens',
      columns: { ...tokens, group: 'text', deleted_at: 'time' },
      rows: [
        {
          ...token,
          id: 1,
          user_id: 1,
          name: 'root key',
          key: oldKeys.admin,
          unlimited_quota: true,
          group: '',
          deleted_at: null,
        },
        {
          ...token,
          id: 2,
          user_id: 2,
          name: 'alice',
          key: oldKeys.signed,
          group: '',
          remain_quota: 90_000,
          deleted_at: null,
        },
        {
          ...token,
          id: 3,
          user_id: 2,
          name: 'old',
          key: oldKeys.plain,
          group: 'vip',
          unlimited_quota: true,
          deleted_at: null,
        },
        {
          ...token,
          id: 4,
          user_id: 3,
          name: 'spent',
          key: 'k'.repeat(20),
          status: 4,
          remain_quota: -179,
          group: '',
          deleted_at: null,
        },
        { ...token, id: 5, user_id: 2, name: 'deleted', key: oldKeys.deleted, group: '', deleted_at: deletedAt },
        { ...token, id: 6, user_id: 77, name: 'orphan', key: oldKeys.orphan, group: '', deleted_at: null },
      ],
    },
    {
      name: 'channels',
      columns: {
        ...channels,
        tag: 'text',
        model_headers: 'text',
        proxy: 'text',
        test_model: 'text',
        only_chat: 'bool',
        pre_cost: 'int',
        plugin: 'json',
        deleted_at: 'time',
      },
      rows: [
        {
          ...channel(upstream),
          id: 1,
          tag: 't1',
          model_headers: '{"X-Team":"secret-header"}',
          proxy: '',
          test_model: 'gpt-4o-mini',
          only_chat: false,
          pre_cost: 1,
          plugin: '{}',
          deleted_at: null,
        },
        { ...channel(upstream), id: 2, type: 34, name: 'mj', models: 'mj_imagine', plugin: null, deleted_at: null },
        { ...channel(upstream), id: 3, name: 'removed', plugin: null, deleted_at: deletedAt },
      ],
    },
    {
      name: 'user_groups',
      columns: {
        id: 'id',
        symbol: 'text',
        name: 'text',
        ratio: 'decimal',
        api_rate: 'int',
        public: 'bool',
        enable: 'bool',
      },
      rows: [
        { id: 1, symbol: 'default', name: '默认分组', ratio: 1, api_rate: 600, public: true, enable: true },
        { id: 2, symbol: 'vip', name: 'vip分组', ratio: 0.8, api_rate: 1200, public: false, enable: true },
      ],
    },
    {
      name: 'prices',
      columns: { model: 'text', type: 'text', channel_type: 'int', input: 'real', output: 'real' },
      rows: [
        { model: 'gpt-4o', type: 'tokens', channel_type: 1, input: 2.5, output: 7.5 },
        { model: 'gpt-4o-mini', type: 'tokens', channel_type: 1, input: 0.075, output: 0.3 },
        { model: 'mj_imagine', type: 'times', channel_type: 34, input: 50, output: 50 },
        { model: 'gpt-4o-audio-preview-2024-12-17', type: 'tokens', channel_type: 1, input: 1.25, output: 5 },
        { model: 'gpt-4o', type: 'tokens', channel_type: 1, input: 9, output: 9 },
      ],
    },
    { name: 'redemptions', columns: redemptions, rows: [code(1, 1), code(2, 3)] },
    ...hubHistory(),
    optionTable(options),
  ];
}

/** done-hub 1.23: the tables of one-hub with further columns. */
export function doneHub(upstream: string): OldTable[] {
  const tables = oneHub(upstream, { QuotaPerUnit: '500000', ServerAddress: 'https://old.example.com/' });
  const extend = (
    name: string,
    columns: OldTable['columns'],
    change: (row: OldTable['rows'][number]) => object,
  ): void => {
    const found = tables.find((table) => table.name === name);
    if (!found) return;
    found.columns = { ...found.columns, ...columns };
    found.rows = found.rows.map((row) => ({ ...row, ...change(row) }));
  };
  extend('users', { linuxdo_id: 'int', oidc_id: 'text' }, ({ id }) => ({
    linuxdo_id: 0,
    oidc_id: id === 2 ? 'sub-1' : '',
  }));
  extend('user_groups', { description: 'text' }, () => ({ description: '' }));
  extend('channels', { cost_ratio: 'real', custom_parameter: 'text', disabled_stream: 'json' }, () => ({
    cost_ratio: 1,
    custom_parameter: '{"per_model":true,"pre_add":true,"gpt-4o":{"top_k":1,"stream":true}}',
    disabled_stream: '["gpt-4o-mini"]',
  }));
  extend('tokens', { backup_group: 'text', setting: 'json' }, ({ id }) => ({
    backup_group: '',
    setting:
      id === 2
        ? '{"limits":{"limit_model_setting":{"enabled":true,"models":["gpt-4o"]},"limits_ip_setting":{"enabled":true,"whitelist":["10.0.0.0/8"]}}}'
        : '{}',
  }));
  extend('prices', { locked: 'bool', extra_ratios: 'json', long_context: 'json' }, ({ model }) => ({
    locked: false,
    extra_ratios: model === 'gpt-4o' ? '{"cached_tokens":0.25,"input_audio_tokens":8}' : null,
    long_context: model === 'gpt-4o' ? '{"threshold":128000,"input_ratio":2,"output_ratio":0}' : null,
  }));
  extend('payments', { currency_rate: 'decimal' }, () => ({ currency_rate: 7.3 }));
  tables.push(hubPasskeys());
  tables.push({ name: 'invite_codes', columns: { id: 'id' }, rows: [] });
  return tables;
}

/** one-api 0.6: no soft deletion, groups and prices in settings. */
export function oneApi(upstream: string): OldTable[] {
  return [
    {
      name: 'users',
      columns: { ...users, oidc_id: 'text' },
      rows: [
        { ...root, quota: 500_000_000_000_000 },
        { ...alice, github_id: 'alice-gh', oidc_id: 'subject-1' },
        negative,
        { ...alice, id: 4, username: 'deleted_0123456789abcdef', status: 3, aff_code: 'x' },
      ],
    },
    {
      name: 'tokens',
      columns: { ...tokens, key: 48, models: 'text', subnet: 'text' },
      rows: [
        { ...token, id: 1, user_id: 1, name: 'default', key: oldKeys.admin, unlimited_quota: true, remain_quota: -1 },
        {
          ...token,
          id: 2,
          user_id: 2,
          name: 'short',
          key: 'short-key-of-twenty-1',
          models: 'gpt-4o',
          subnet: '192.168.0.0/24',
        },
        { ...token, id: 3, user_id: 2, name: 'plain', key: oldKeys.plain, unlimited_quota: true },
      ],
    },
    {
      name: 'channels',
      columns: { ...channels, config: 'text', system_prompt: 'text' },
      rows: [
        { ...channel(upstream), id: 1, group: 'default,默认 分组', config: '' },
        {
          ...channel(''),
          id: 2,
          type: 33,
          name: 'aws',
          key: 'undefined|undefined|undefined',
          config: '{"region":"us-east-1","ak":"AKID","sk":"SECRETSK"}',
          priority: -3,
        },
        { ...channel(''), id: 3, type: 38, name: 'deepl', config: '' },
      ],
    },
    { name: 'abilities', columns: { group: 'text', model: 'text', channel_id: 'int' }, rows: [] },
    { name: 'redemptions', columns: redemptions, rows: [code(1, 1)] },
    optionTable({
      ModelRatio: '{"gpt-4o":1.25,"gpt-4o-mini":0.075,"llama3-8b-8192(33)":0.15}',
      CompletionRatio: '{"gpt-4o":4}',
      GroupRatio: '{"default":1,"默认 分组":0.5}',
      OidcEnabled: 'true',
      OidcClientId: 'client',
      OidcWellKnown: 'https://login.example.com/.well-known/openid-configuration',
      RetryTimes: '3',
      Theme: 'berry',
    }),
  ];
}

/** new-api 1.0: several keys in a channel, restrictions, two-step verification, identities by subject. */
export function newApi(upstream: string): OldTable[] {
  const more = { created_at: 1_700_000_000, last_login_at: 1_700_000_500, deleted_at: null };
  return [
    {
      name: 'users',
      columns: {
        ...users,
        discord_id: 'text',
        oidc_id: 'text',
        telegram_id: 'text',
        linux_do_id: 'text',
        setting: 'text',
        created_at: 'int',
        last_login_at: 'int',
        deleted_at: 'time',
      },
      rows: [
        { ...root, ...more, quota: 100_000_000, access_token: null },
        {
          ...alice,
          ...more,
          github_id: '4711',
          access_token: 'YWJjZGVmZ2hpamtsbW5vcHFy+/w=',
          setting: '{"language":"zh"}',
        },
        { ...negative, ...more, github_id: 'carol-gh', discord_id: '1', aff_quota: 700 },
      ],
    },
    {
      name: 'tokens',
      columns: {
        ...tokens,
        model_limits_enabled: 'bool',
        model_limits: 'text',
        allow_ips: 'text',
        group: 'text',
        deleted_at: 'time',
      },
      rows: [
        {
          ...token,
          id: 1,
          user_id: 1,
          name: 'root',
          key: oldKeys.admin,
          unlimited_quota: true,
          group: '',
          deleted_at: null,
        },
        {
          ...token,
          id: 2,
          user_id: 2,
          name: 'limited',
          key: 'x'.repeat(128),
          model_limits_enabled: true,
          model_limits: 'gpt-4o,gpt-4o-mini',
          allow_ips: '10.0.0.1\n10.0.0.2',
          group: 'auto',
          deleted_at: null,
        },
        {
          ...token,
          id: 3,
          user_id: 2,
          name: 'plain',
          key: oldKeys.plain,
          unlimited_quota: true,
          group: '',
          deleted_at: null,
        },
      ],
    },
    {
      name: 'channels',
      columns: {
        ...channels,
        open_ai_organization: 'text',
        test_model: 'text',
        auto_ban: 'int',
        tag: 'text',
        setting: 'text',
        param_override: 'text',
        header_override: 'text',
        status_code_mapping: 'text',
        channel_info: 'json',
        settings: 'text',
      },
      rows: [
        {
          ...channel(upstream),
          id: 1,
          weight: 0,
          key: 'k-1\n\nk-2\nk-3',
          channel_info:
            '{"is_multi_key":true,"multi_key_size":4,"multi_key_status_list":{"2":3},"multi_key_disabled_reason":{"2":"expired"}}',
          model_mapping: '{"a":"b","b":"gpt-4o","x":"y","y":"x"}',
          auto_ban: 1,
          header_override: '{"X-Plain":"1","X-Key":"Bearer {api_key}"}',
          param_override:
            '{"operations":[{"path":"top_p","mode":"set","value":0.5,"keep_origin":true},{"path":"a.b","mode":"delete"},{"path":"messages","mode":"append","value":"x"}]}',
        },
        {
          ...channel(''),
          id: 2,
          type: 33,
          name: 'aws',
          weight: 5,
          key: 'AKID|SECRETSK|us-west-2',
          setting: '{"proxy":"http://127.0.0.1:3128"}',
          param_override: '{"temperature":0,"n":1}',
          channel_info: null,
          models: 'claude-sonnet-4',
        },
        {
          ...channel(''),
          id: 3,
          type: 41,
          name: 'vertex',
          weight: 0,
          key: '{\n "type": "service_account",\n "project_id": "my-project"\n}',
          other: '{"default":"us-central1","gemini-2.5-pro":"europe-west1"}',
          channel_info: '{"is_multi_key":false}',
          models: 'gemini-2.5-pro,deepseek-v4-pro',
        },
        { ...channel(''), id: 4, type: 57, name: 'codex', weight: 0, key: '{}', channel_info: null },
      ],
    },
    ...newApiHistory(),
    { name: 'of_a_fork', columns: { id: 'id' }, rows: [] },
    {
      name: 'two_fas',
      columns: { id: 'id', user_id: 'int', secret: 'text', is_enabled: 'bool', deleted_at: 'time' },
      rows: [
        { id: 1, user_id: 2, secret: 'JBSWY3DPEHPK3PXP', is_enabled: true, deleted_at: null },
        { id: 2, user_id: 3, secret: 'JBSWY3DPEHPK3PXQ', is_enabled: false, deleted_at: null },
      ],
    },
    {
      name: 'redemptions',
      columns: { ...redemptions, used_user_id: 'int', expired_time: 'int', deleted_at: 'time' },
      rows: [
        { ...code(1, 1), used_user_id: 0, expired_time: 0, deleted_at: null },
        { ...code(2, 3), used_user_id: 2, expired_time: 0, deleted_at: null },
      ],
    },
    optionTable({
      ModelRatio: '{"gpt-4o":1.25,"gpt-4o-mini":0.075,"claude-sonnet-4":1.5,"deepseek-flash":0.075}',
      CompletionRatio: '{"gpt-4o-mini":4}',
      ModelPrice: '{"dall-e-3":0.04}',
      CacheRatio: '{"gpt-4o-mini":0.5}',
      AudioRatio: '{"gpt-4o-mini":8}',
      AudioCompletionRatio: '{"gpt-4o-mini":2}',
      GroupRatio: '{"default":1,"vip":0.5}',
      UserUsableGroups: '{"default":"Default"}',
      PayAddress: 'https://pay.example.com/',
      EpayId: '1001',
      EpayKey: 'epay-key-1',
      PayMethods: '[{"name":"支付宝","type":"alipay"}]',
      StripeApiSecret: 'sk_live_secret1',
      'passkey.rp_id': 'localhost',
      'billing_setting.billing_mode': '{"tiered":"tiered_expr","stepped":"tiered_expr"}',
      'billing_setting.billing_expr':
        '{"tiered":"tier(\\"base\\", p*2.5 + c*15 + cr*0.25)","stepped":"len > 200000 ? tier(\\"long\\", p*5 + c*20) : tier(\\"base\\", p*2.5 + c*15)"}',
    }),
  ];
}
