import type { DeclaredEndpoint } from '@relay-hub/contract/registry';

interface WorkedExample {
  query?: Readonly<Record<string, string | number>>;
  body?: Readonly<Record<string, unknown>>;
}

const texts = { zh_CN: '', zh_HK: '', en_US: 'A new model is available.', ja_JP: '' };

/** One operation of each resource, by its name: what a script calls first. A test sends all of them to a hub. */
export const workedExamples: Readonly<Record<string, WorkedExample>> = {
  activityModel: { query: { model: 'gpt-4o' } },
  analyticsOwnUsage: {},
  announcementCreate: { body: { texts } },
  auditList: { query: { size: 20 } },
  backupList: {},
  blockCreate: { body: { network: '203.0.113.0/24', reason: 'scrapes' } },
  booksState: {},
  channelCreate: {
    body: { type: 1, name: 'OpenAI', key: 'sk-key-of-the-provider', models: 'gpt-4o,gpt-4o-mini', group: 'default' },
  },
  channelTagList: {},
  dashboardOwn: {},
  guardCreate: { body: { name: 'Keys and cards', action: 'mask', kinds: ['api_key', 'card'], answers: true } },
  incidentList: {},
  launchGet: {},
  ledgerList: { query: { size: 20 } },
  logOwnList: { query: { model_name: 'gpt-4o', size: 20 } },
  midjourneyOwnList: {},
  modelOwnerCreate: { body: { id: 2001, name: 'Acme', icon: '' } },
  newApiPricing: {},
  newApiRatios: {},
  optionList: {},
  orderList: { query: { size: 20 } },
  planAdminList: {},
  priceAvailable: {},
  priceCreate: { body: { model: 'acme-chat', type: 'tokens', channel_type: 0, input: 1.25, output: 5 } },
  redemptionCreate: { body: { name: 'Launch', quota: 5_000_000, count: 1 } },
  replyCacheState: {},
  routeExplain: { body: { model: 'gpt-4o' } },
  scimList: {},
  siteAbout: {},
  siteHome: {},
  siteNotice: {},
  siteOwnerMap: {},
  siteStatus: {},
  statusPageIncidents: {},
  systemGet: {},
  taskOwnList: {},
  teamCreate: { body: { name: 'research' } },
  tokenCreate: { body: { name: 'ci', remain_quota: 500_000, unlimited_quota: false, expired_time: -1 } },
  userCreate: { body: { username: 'ann', password: 'a-long-password', display_name: 'Ann' } },
  userGroupCreate: { body: { symbol: 'partners', name: 'Partners', ratio: 0.9, api_rate: 600, public: false } },
  userGroupMap: {},
  userGroupSymbols: {},
  virtualModelCreate: {
    body: { name: 'smart', steps: [{ models: [{ model: 'gpt-4o' }] }, { models: [{ model: 'gpt-4o-mini' }] }] },
  },
  wayList: {},
  whatIfList: {},
};

/** An example of an operation with curl and TypeScript, as Markdown; undefined: another one shows its resource. */
export function exampleText({ name, method, path, audience }: DeclaredEndpoint): string | undefined {
  const example = workedExamples[name];
  if (!example) return undefined;
  const { query = {}, body } = example;
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
  const address = `https://hub.example${path}${search === '' ? '' : `?${search}`}`;
  const isOpen = audience === 'public' || audience === 'visitor';
  const curl = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${address}'`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $RELAY_HUB_KEY"']),
    ...(body ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`] : []),
  ].join(' \\\n  ');
  const headers = [
    ...(isOpen ? [] : ['authorization: `Bearer ${process.env.RELAY_HUB_KEY}`']),
    ...(body ? ["'content-type': 'application/json'"] : []),
  ];
  const init = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(body ? [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`] : []),
  ];
  const sent = init.length > 0 ? `, {\n${init.join('\n')}\n}` : '';
  const script = [
    `const reply = await fetch('${address}'${sent});`,
    'const { success, message, data } = await reply.json();',
    'if (!success) throw new Error(message);',
    'console.log(data);',
  ].join('\n');
  return `**Example**\n\n\`\`\`sh\n${curl}\n\`\`\`\n\n\`\`\`ts\n${script}\n\`\`\``;
}

/** Where a script begins, as Markdown. */
export const firstSteps = [
  '## First steps',
  '1. Sign in to the console, open your profile and create an access key with the scopes that your script needs.',
  '2. Send it in the header `Authorization: Bearer <key>`. `GET /api/user/self` tells whose it is.',
  '3. Credits are integers: 500000 are one dollar, unless the operator has changed it (`quota_per_unit` of `GET /api/status`). Times are Unix seconds. Lists have `page`, `size` (at most 100) and `order`, such as `-id`.',
  '4. Check `success`. A refusal has a stable `code`, and `field` names the input to blame. Wait as `Retry-After` says after a 429 or 503.',
].join('\n');
