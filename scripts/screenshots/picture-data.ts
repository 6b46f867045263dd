import type { APIRequestContext } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import type { LocalTelegram } from '../../testing/elsewhere/local-telegram.ts';
import { dataOf } from './data-of.ts';
import { addOperatorData } from './operator-data.ts';

/** Ids in the filled hub that some addresses contain. */
export interface Named {
  log: number;
  failedLog: number;
  /** A call that the first channel refused and the second answered. */
  retriedLog: number;
  audit: number;
  /** Ids by the state that the channel shows. */
  channels: Record<keyof typeof shownChannels, number>;
  /** A team with members, usage and limits. */
  team: number;
  /** A user without a role, with calls in the log. */
  plain: { username: string; password: string };
  notice: string;
}

/** Sixty characters, the longest name: shows how texts are cut off. */
const longName = 'anthropic-production-key-07-eu-central-1-evaluation-and-load';
const longModel = 'accounts/fireworks/models/llama-v3p1-405b-instruct-long-eval';

const notice = `## 本周维护

周六 02:00–04:00 升级数据库，**期间调用不受影响**，控制台可能短暂无法保存。

- 新增模型：\`claude-sonnet-4-5\`、\`gpt-5-mini\`
- 价格下调：\`deepseek-chat\` −20%

有问题请写信给 [support@example.com](mailto:support@example.com)。`;

/** Adds data that the seed does not have: codes, groups and sign-in methods, which also fill the audit log. */
export async function addPictureData(request: APIRequestContext): Promise<void> {
  for (const [name, quota, count] of codes) {
    await dataOf(request.post('/api/redemption/', { data: { name, quota, count, expired_time: -1 } }));
  }
  await addCommands(request);
  await addGroups(request, groups);
  await set(request, settings);
  await addWords(request);
  await addPlans(request);
  // The checklist of the first days would cover the figures.
  await dataOf(request.put('/api/launch', { data: { dismissed: true } }));
}

/**
 * Adds data that is hard to display: long names, large sums, an announcement, channels that point to `upstream` and a
 * call that needed a second attempt.
 */
export async function addMuch(request: APIRequestContext, upstream: string, telegram: LocalTelegram): Promise<Named> {
  await addGroups(request, [longGroup], { public: true });
  await set(request, { TopUpLink: 'https://shop.example.com/credits', Notice: notice });
  await set(request, signInSettings(upstream, telegram));
  const price = { model: longModel, type: 'tokens', channel_type: 0, input: 1.5, output: 4.5 };
  await dataOf(request.post('/api/prices/single', { data: price }));
  const channels = await addChannels(request, upstream);
  await addTokens(request);
  const plain = await addUsers(request);
  await callRescued(request, channels.refusing);
  await limitTokens(request);
  const team = await addTeams(request);
  await addOperatorData(request);
  const [answered, failed, retried, audits] = await Promise.all([
    firstId(request, '/api/log/?log_type=2&size=20&channel_id=1'),
    firstId(request, '/api/log/?size=1&failed=1'),
    firstId(request, `/api/log/?size=1&channel_id=${channels.standIn}`),
    firstId(request, '/api/audit?size=1'),
  ]);
  return { log: answered, failedLog: failed, retriedLog: retried, audit: audits, channels, team, plain, notice };
}

/** One channel per form variant and failure. Channels that are called point to the simulated upstream. */
const shownChannels = {
  pool: { type: 8, name: longName, models: `gpt-4o-mini,gpt-4o,${longModel},sim-busy`, test_model: 'gpt-4o-mini' },
  refusing: { type: 8, name: 'azure-eastus2-gpt4o', models: 'gpt-4', priority: 40, tag: 'azure' },
  standIn: { type: 8, name: 'openai-spare', models: 'gpt-4', priority: 30, test_model: 'gpt-4' },
  azure: { type: 3, name: 'azure-swedencentral', models: 'gpt-4o', other: '2024-10-21', tag: 'azure' },
  bedrock: { type: 32, name: 'bedrock-us-west-2', models: 'claude-sonnet-4-5', tag: 'claude' },
  vertex: { type: 42, name: 'vertex-gemini-europe', models: 'gemini-2.5-pro', other: 'global|my-project' },
  zhipu: { type: 16, name: '智谱 GLM-4 企业版', models: 'glm-4-plus', tag: 'cn' },
  speech: { type: 24, name: 'azure-speech-eastasia', models: 'tts-1', other: 'eastasia' },
} as const;

const vertexKey = JSON.stringify({ type: 'service_account', project_id: 'my-project', client_email: 'a@b.example' });

const needAddress = new Set([39]);

async function addChannels(request: APIRequestContext, upstream: string): Promise<Named['channels']> {
  const ids: Record<string, number> = {};
  const add = async (data: object) => {
    const [made] = await dataOf<{ id: number }[]>(request.post('/api/channel/', { data }));
    return made?.id ?? 0;
  };
  for (const [name, channel] of Object.entries(shownChannels)) {
    const key =
      { bedrock: 'us-west-2|AKIAPICTURES|a-secret-of-pictures', vertex: vertexKey }[name] ?? `sk-${name}-0001`;
    const address = channel.type === 3 ? 'https://hub-pictures.openai.azure.com' : upstream;
    const own = {
      pool: {
        key: ['0001', '0002', '0003'].map((end) => `sk-one-of-several-${end}`).join('\n'),
        one_channel: true,
        group: 'default,vip,company,partner',
        tag: 'evaluation-and-load-tests',
        model_mapping: '{ "gpt-4o": "+gpt-4o-mini", "fast": "gpt-4o-mini" }',
        model_headers: '{ "x-gate": "a-secret-of-the-gate" }',
        proxy: '',
        first_token_timeout: 20,
        on_client_gone: 'limit',
        gone_seconds: 30,
        gone_tokens: 4000,
      },
      refusing: { model_mapping: '{ "gpt-4": "+sim:status=429" }' },
    }[name];
    ids[name] = await add({ key, ...channel, base_url: [8, 3].includes(channel.type) ? address : '', ...own });
  }
  const types = [14, 15, 17, 18, 19, 20, 25, 26, 27, 28, 29, 30, 31, 33, 36, 39, 40, 45, 47, 49, 56];
  for (const [at, type] of [...types, ...types].entries()) {
    const region = ['us-east-1', 'eu-central-1', 'ap-northeast-1'][at % 3]!;
    await add({
      type,
      name: `provider-${type}-${region}`,
      key: `sk-more-${at}-pictures`,
      base_url: needAddress.has(type) ? 'https://models.example.com' : '',
      // No call of the pictures asks for it: these addresses do not exist.
      models: 'gpt-3.5-turbo',
      priority: at % 4,
      weight: 1 + (at % 9),
      tag: at % 5 === 0 ? region : '',
      group: at % 3 === 0 ? 'default,vip' : 'default',
      status: at % 11 === 10 ? 2 : 1,
    });
  }
  return ids;
}

async function addTokens(request: APIRequestContext): Promise<void> {
  const day = 86_400;
  const now = Math.floor(Date.now() / 1000);
  const some = [
    { name: longName.slice(0, 30), remain_quota: 12_345_678_900, group: longGroup[0] },
    { name: 'short-lived', expired_time: now + day, remain_quota: 250_000 },
    { name: '一个名字特别长的令牌用来看看会不会把表格撑破显示', unlimited_quota: true },
  ];
  const limits = {
    caps: [
      { measure: 'credits', period: 'day', amount: 2_500_000 },
      { measure: 'requests', period: 'minute', amount: 60 },
    ],
    time_zone: 'Asia/Shanghai',
    models: ['gpt-4o*'],
    addresses: ['10.0.0.0/8'],
  };
  const many = Array.from({ length: 24 }, (_, at) => ({
    name: `agent-${at + 1}`,
    remain_quota: (at + 1) * 500_000,
    ...(at % 2 === 1 && { limits }),
  }));
  for (const data of [...some, ...many]) await dataOf(request.post('/api/token/', { data }));
}

/** Adds users, one with a very high balance, and returns the seed user whose screens are captured. */
async function addUsers(request: APIRequestContext): Promise<Named['plain']> {
  for (let at = 1; at <= 30; at++) {
    const long = at === 1;
    const data = {
      username: long ? 'wolfeschlege' : `member-${at}`,
      display_name: long ? 'Wolfeschlegelsteinha' : '',
      email: long ? 'wolfeschlegelsteinhausenbergerdorff@example.com' : `member-${at}@example.com`,
      password: 'a-password-for-pictures',
      group: at % 4 === 0 ? 'partner' : 'default',
      quota: long ? 6_172_839_450_000 : at * 1_000_000,
    };
    await dataOf(request.post('/api/user/', { data }));
  }
  const { data: matches } = await dataOf<{ data: { id: number }[] }>(request.get('/api/user/?keyword=liu.wei'));
  for (const gone of ['member-29', 'member-30']) {
    const { data: found } = await dataOf<{ data: { id: number }[] }>(request.get(`/api/user/?keyword=${gone}`));
    await dataOf(request.delete(`/api/user/${found[0]?.id}`));
  }
  const plain = { username: 'liu.wei', password: 'a-password-for-pictures' };
  await dataOf(request.put('/api/user/', { data: { id: matches[0]?.id, password: plain.password } }));
  return plain;
}

/** Requires a second factor from all later sign-ins; the current session stays valid. */
export async function turnOnTwoStep(request: APIRequestContext): Promise<void> {
  const { secret } = await dataOf<{ secret: string }>(request.post('/api/user/self/totp/begin'));
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await dataOf(request.post('/api/user/self/totp', { data: { code } }));
}

/** Makes calls that the first channel refuses and another answers: a failing channel without a failed call. */
async function callRescued(request: APIRequestContext, refusing: number): Promise<void> {
  const { data } = await dataOf<{ data: { id: number }[] }>(request.get('/api/token/?keyword=agent-9'));
  const { key } = await dataOf<{ key: string }>(request.post(`/api/token/${data[0]?.id}/reveal`));
  const body = { model: 'gpt-4', stream: true, messages: [{ role: 'user', content: 'Hello, what can you do?' }] };
  for (let made = 0; made < 4; made++) {
    const answer = await request.post('/v1/chat/completions', {
      headers: { authorization: `Bearer ${key}` },
      data: body,
    });
    if (!answer.ok()) throw new Error(`the call was refused: ${await answer.text()}`);
    await dataOf(request.put(`/api/channel/${refusing}/unfreeze`));
  }
}

/** Teams with members, cost centres, calls and a limit, and one whose owner has left. */
async function addTeams(request: APIRequestContext): Promise<number> {
  const idOf = async (name: string) =>
    (await dataOf<{ data: { id: number }[] }>(request.get(`/api/user/?keyword=${name}`))).data[0]?.id;
  const add = async (name: string, members: readonly string[], credits: number): Promise<number> => {
    const { id } = await dataOf<{ id: number }>(request.post('/api/team/', { data: { name } }));
    await dataOf(request.post(`/api/user/quota/${id}`, { data: { quota: credits, remark: 'Q4' } }));
    for (const member of members)
      await dataOf(request.put(`/api/team/all/${id}/owner`, { data: { user_id: await idOf(member) } }));
    return id;
  };
  const research = await add('research-lab', ['member-2', 'member-3', 'liu.wei'], 90_000_000);
  const caps = [{ measure: 'credits', period: 'month', amount: 50_000_000 }];
  await dataOf(request.put(`/api/user/${research}/limits`, { data: { caps } }));
  for (const [tag, calls] of [
    ['训练', 3],
    ['evaluation', 2],
  ] as const) {
    const headers = { 'x-account': String(research) };
    const data = { name: `${tag} key`, tag, unlimited_quota: true, expired_time: -1 };
    const { key } = await dataOf<{ key: string }>(request.post('/api/token/', { data, headers }));
    for (let made = 0; made < calls; made++)
      await request.post('/v1/chat/completions', {
        headers: { authorization: `Bearer ${key}` },
        data: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello, what can you do?' }] },
      });
  }
  await add('support', ['member-5', 'member-6'], 2_000_000);
  await dataOf(request.post('/api/user/manage', { data: { username: 'member-6', action: 'disable' } }));
  return research;
}

/** Gives tokens of the seed limits, of which calls use a part, most of it and all. */
async function limitTokens(request: APIRequestContext): Promise<void> {
  const time_zone = 'Asia/Shanghai';
  const cap = (measure: string, period: string, amount: number) => ({ measure, period, amount });
  const limited = [
    {
      id: 1,
      tag: 'backend',
      calls: 9,
      limits: {
        time_zone,
        caps: [
          cap('credits', 'day', 2_500_000),
          cap('credits', 'month', 60_000_000),
          cap('requests', 'day', 10),
          cap('calls', 'at_once', 8),
        ],
        models: ['gpt-4o*', 'gpt-4.1-mini', 'claude-haiku-*'],
        endpoints: ['chat', 'embeddings'],
        addresses: ['10.0.0.0/8', '127.0.0.0/8', '::1'],
      },
    },
    { id: 2, tag: '文档', calls: 3, limits: { time_zone, caps: [cap('requests', 'day', 3)] } },
    { id: 3, tag: 'ci', calls: 1, limits: { time_zone, caps: [cap('credits', 'five_hours', 5_000_000)] } },
  ];
  for (const { calls, ...token } of limited) {
    await dataOf(request.put('/api/token/', { data: token }));
    const { key } = await dataOf<{ key: string }>(request.post(`/api/token/${token.id}/reveal`));
    for (let made = 0; made < calls; made++)
      await request.post('/v1/chat/completions', {
        headers: { authorization: `Bearer ${key}` },
        data: {
          model: 'gpt-4o-mini',
          max_tokens: 50,
          messages: [{ role: 'user', content: 'Hello, what can you do?' }],
        },
      });
  }
  await dataOf(request.post('/api/token/1/rotate', { data: { old_key_seconds: 86_400 } }));
}

const codes = [
  ['双十一活动', 5_000_000, 12],
  ['partner-2026-q4', 25_000_000, 5],
  ['summer meetup', 1_000_000, 8],
] as const;

const groups = [
  ['company', '企业', 0.6],
  ['partner', 'Partners', 0.75],
] as const;

const longGroup = [
  'research-and-evaluation-of-large-language-models',
  'Research and evaluation of large language models',
  0.125,
] as const;

/** Ordered by dependency. */
const settings = {
  RegisterEnabled: 'true',
  StatusPageEnabled: 'true',
  ContentLog: 'all',
  GitHubClientId: 'a-client-of-the-pictures',
  GitHubClientSecret: 'a-secret-of-the-pictures',
  GitHubOAuthEnabled: 'true',
  LarkClientId: 'cli_pictures',
  LarkClientSecret: 'a-secret-of-the-pictures',
  LarkAuthEnabled: 'true',
  SMTPServer: 'smtp.example.com',
  SMTPAccount: 'hub@example.com',
  SMTPFrom: 'Relay Hub <hub@example.com>',
  EmailVerificationEnabled: 'true',
  PaymentMinAmount: '5',
  RechargeDiscount: '{"10":1,"50":1,"100":0.9,"500":0.85,"1000":0.8}',
};

/** Sign-in methods that open in dialogs and connect only after input. */
const signInSettings = (wechat: string, telegram: LocalTelegram) => ({
  WeChatServerAddress: wechat,
  WeChatServerToken: 'a-token-of-the-pictures',
  WeChatAccountQRCodeImageURL: `data:image/svg+xml;base64,${Buffer.from(squares()).toString('base64')}`,
  WeChatAuthEnabled: 'true',
  TelegramApiAddress: telegram.url,
  TelegramBotToken: telegram.token,
  TelegramBotName: telegram.bot,
  TelegramBotEnabled: 'true',
});

/** Looks like a QR code from a distance. */
function squares(): string {
  const side = 25;
  const eye = (x: number, y: number) => `M${x} ${y}h7v7h-7zm1 1v5h5v-5zm1 1h3v3h-3z`;
  const inEye = (x: number, y: number) => (x < 8 || x > 16) && (y < 8 || (x < 8 && y > 16));
  const cells = Array.from({ length: side * side }, (_, at) => [at % side, Math.floor(at / side)] as const)
    .filter(([x, y]) => !inEye(x, y) && (x * 7 + y * 13 + x * y * 5) % 11 < 5)
    .map(([x, y]) => `M${x} ${y}h1v1h-1z`);
  const path = [eye(0, 0), eye(18, 0), eye(0, 18), ...cells].join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200" viewBox="0 0 ${side} ${side}"><path fill-rule="evenodd" d="${path}"/></svg>`;
}

async function set(request: APIRequestContext, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values))
    await dataOf(request.put('/api/option/', { data: { key, value } }));
}

type Group = readonly [symbol: string, name: string, ratio: number];

async function addGroups(request: APIRequestContext, added: readonly Group[], more = {}): Promise<void> {
  for (const [symbol, name, ratio] of added)
    await dataOf(request.post('/api/user_group/', { data: { symbol, name, ratio, ...more } }));
}

/** Plans on sale, off sale and sold out, with subscribers of every kind. */
async function addPlans(request: APIRequestContext): Promise<void> {
  const terms = { unit: 'month', count: 1, time_zone: 'Asia/Shanghai' };
  const window = { measure: 'credits', period: 'five_hours', amount: 1_000_000, reset: 'rolling' };
  const add = (zh_CN: string, en_US: string, more: object) =>
    dataOf<{ id: number; version_id: number }>(
      request.post('/api/plan/', {
        data: { names: { zh_CN, zh_HK: '', en_US, ja_JP: '' }, ...more },
      }),
    );
  const pro = await add('专业版', 'Professional', {
    most_active: 3,
    terms: { ...terms, price: 10_000_000, allowance: 20_000_000, windows: [window], models: ['gpt-*', 'claude-*'] },
  });
  const trial = await add('试用', 'Trial', {
    most_total: 1,
    stock: 1,
    sort: 1,
    terms: { ...terms, unit: 'day', count: 7, price: 0, allowance: 500_000, beyond: 'refuse' },
  });
  const team = { ...terms, count: 3, price: 90_000_000, allowance: null, grace_days: 3 };
  await add('团队版', 'Team', { sort: 2, enabled: false, terms: team });
  const give = ({ id }: { id: number }, user_id: number) =>
    dataOf<{ id: number }>(
      request.post(`/api/plan/${id}/subscriptions`, { data: { user_id, request_key: `picture-${id}-${user_id}` } }),
    );
  await dataOf(
    request.post('/api/plan/self', { data: { version_id: pro.version_id, request_key: 'picture-of-root' } }),
  );
  const paused = await give(pro, 2);
  await dataOf(request.post(`/api/plan/subscriptions/${paused.id}/manage`, { data: { action: 'pause' } }));
  await give(trial, 3);
}

/** Blocked networks, an announcement and a planned maintenance. */
async function addWords(request: APIRequestContext): Promise<void> {
  const day = 86_400;
  const now = Math.floor(Date.now() / 1000);
  for (const [network, reason, expired_time] of [
    ['203.0.113.0/24', '扫描密钥', now + 7 * day],
    ['198.51.100.7', 'Floods /v1/models', -1],
    ['2001:db8:85a3::/48', '', -1],
  ] as const)
    await dataOf(request.post('/api/block/', { data: { network, reason, expired_time } }));
  const texts = { zh_CN: '新模型 claude-opus-4-5 已上线。', en_US: 'The model claude-opus-4-5 is available.' };
  const steps = [
    {
      models: [{ model: 'gpt-4o-mini' }],
      when: {
        prompt_to: 4000,
        tools: 'no',
        time: { from: '09:00', to: '18:00', days: [1, 2, 3, 4, 5], zone: 'Asia/Shanghai' },
      },
    },
    {
      models: [
        { model: 'gpt-4o', weight: 90 },
        { model: 'claude-sonnet-4-5', weight: 10 },
      ],
      sticky: 'session',
    },
    { models: [{ model: 'gpt-4.1' }], max_price: { input: 5, output: 20 } },
  ];
  const smart = { name: 'smart', description: 'for agents', steps, shadow: { model: 'gpt-4.1', percent: 1 } };
  const { id } = await dataOf<{ id: number }>(request.post('/api/virtual_model/', { data: smart }));
  await dataOf(request.put('/api/virtual_model/', { data: { id, ...smart, description: 'for agents and chats' } }));
  const fallback = [{ models: [{ model: 'gpt-4o' }] }, { models: [{ model: 'gpt-4o-mini' }] }];
  await dataOf(request.post('/api/virtual_model/', { data: { name: 'cheap', enabled: false, steps: fallback } }));
  const guards = [
    { name: 'Keys and cards', action: 'mask', kinds: ['api_key', 'card'], answers: true },
    { name: 'Project names', action: 'refuse', patterns: ['(?i)project (falcon|osprey)'], groups: ['vip'] },
    { name: 'Addresses', action: 'mask', kinds: ['email', 'phone'], enabled: false },
  ];
  for (const data of guards) await dataOf(request.post('/api/guard/', { data }));
  await dataOf(request.post('/api/announcement/', { data: { texts } }));
  const window = { kind: 'maintenance', start_time: now + day, end_time: now + day + 7200 };
  const move = { zh_CN: '升级数据库。', en_US: 'We upgrade the database.' };
  await dataOf(request.post('/api/announcement/', { data: { texts: move, ...window } }));
}

async function addCommands(request: APIRequestContext): Promise<void> {
  const commands = [
    ['support', 'How to reach us', '*Help is near*\nWrite to support@example\\.com, 9–18 h\\.'],
    ['status', 'Are all channels well?', 'Status: [hub\\.example\\.com](https://hub.example.com)'],
    ['docs', 'First call in five minutes', 'Open _Tokens_ and create one\\.'],
  ];
  for (const [command, description, reply_message] of commands)
    await dataOf(request.post('/api/option/telegram/', { data: { command, description, reply_message } }));
}

async function firstId(request: APIRequestContext, address: string): Promise<number> {
  const { data } = await dataOf<{ data: { id: number; is_stream?: boolean }[] }>(request.get(address));
  // A streamed call has the most details.
  return (data.find((row) => row.is_stream) ?? data[0])?.id ?? 0;
}
