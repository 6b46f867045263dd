import { setTimeout as wait } from 'node:timers/promises';
import {
  analyticsApi,
  channelApi,
  incidentApi,
  isAdmin,
  type Log,
  logApi,
  logType,
  ownGroupings,
  type Self,
  siteApi,
  usageGroupings,
  userApi,
} from '@relay-hub/contract';
import { flag, oneOf, readCommand, text, whole } from '../../server/src/process/command-line.ts';
import { all, CliError, connect, hubOptions, plain } from './hub-client.ts';
import { moneyOf, say, sayJson, table, timeText } from './output.ts';

const json = flag('print JSON');
const own = flag('only of the own account; of others by default where the account is an administrator');

const sees = ({ role }: Pick<Self, 'role'>, isOwn: boolean): boolean => isAdmin(role) && !isOwn;

/** Exit status 1 if an incident is critical or the storage refuses calls. */
export async function statusCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli status',
    about: 'Whether a hub works: its version, the account, and for administrators channels and open incidents.',
    options: { ...hubOptions, json },
    more: 'Exit status: 1 if an incident is critical or storage fails.',
  });
  const hub = connect(given);
  const [site, self] = [await hub.call(siteApi.status), await hub.call(userApi.self)];
  const isWide = isAdmin(self.role);
  const channels = isWide ? await all(hub, channelApi.list) : [];
  const incidents = isWide ? (await hub.call(incidentApi.list, { query: { state: 'open', size: 100 } })).data : [];
  const enabled = channels.filter(({ status }) => status === 1);
  const troubled = enabled.filter(({ trouble }) => trouble !== null);
  const isBad = self.storage !== 'ok' || incidents.some(({ severity }) => severity === 'critical');
  const facts = {
    hub: hub.address,
    name: site.system_name,
    version: site.product_version,
    started: timeText(site.start_time),
    account: self.username,
    ...(isWide && {
      storage: self.storage,
      channels: channels.length,
      enabled: enabled.length,
      troubled: troubled.length,
    }),
  };
  if (given.json) {
    const open = incidents.map(({ kind, object, severity, title, began_at }) => ({
      kind,
      object,
      severity,
      title,
      began_at,
    }));
    sayJson({ ...facts, ...(isWide && { incidents: open }), ok: !isBad });
  } else {
    say(table(['', ''], Object.entries(facts)).trimStart());
    const rows = incidents.map((each) => [each.severity, timeText(each.began_at), each.title]);
    if (isWide) say(`\n${rows.length === 0 ? 'No open incidents.' : table(['SEVERITY', 'SINCE', 'INCIDENT'], rows)}`);
  }
  return isBad ? 1 : 0;
}

export async function balanceCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli balance',
    about: 'The balance of the account of the access key, and what it has used.',
    options: { ...hubOptions, json },
  });
  const hub = connect(given);
  const { username, quota, used_quota, request_count } = await hub.call(userApi.self);
  const money = await moneyOf(hub);
  if (given.json) sayJson({ username, credits: quota, used_credits: used_quota, requests: request_count });
  else
    say(table(['ACCOUNT', 'BALANCE', 'USED', 'CALLS'], [[username, money(quota), money(used_quota), request_count]]));
  return 0;
}

export async function usageCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli usage',
    about: 'Calls, tokens and charges of some days, by model or another group.',
    options: {
      ...hubOptions,
      days: whole('<number>', 'days, including today; default: 7', 7, 1),
      by: oneOf([...new Set([...usageGroupings, ...ownGroupings])] as ['model', ...string[]], 'group; default: model'),
      own,
      json,
    },
  });
  const hub = connect(given);
  const isWide = sees(await hub.call(userApi.self), given.own);
  const groupings: readonly string[] = isWide ? usageGroupings : ownGroupings;
  if (!groupings.includes(given.by)) throw new CliError(`--by takes ${groupings.join('|')} here.`);
  const query = { days: given.days, by: given.by as 'model', top: 1 };
  const report = await hub.call(isWide ? analyticsApi.usage : analyticsApi.ownUsage, { query });
  const rows = [...report.groups, { ...report.total, id: '', name: 'all' }];
  if (given.json) {
    sayJson(
      rows.map(({ id, name, requests, failures, prompt_tokens, completion_tokens, quota }) => ({
        group: name || id,
        requests,
        failures,
        prompt_tokens,
        completion_tokens,
        credits: quota,
      })),
    );
    return 0;
  }
  const money = await moneyOf(hub);
  const cells = rows.map((row) => [
    row.name || row.id || '(none)',
    row.requests,
    row.failures,
    row.prompt_tokens,
    row.completion_tokens,
    money(row.quota),
  ]);
  say(table([given.by.toUpperCase(), 'CALLS', 'FAILED', 'INPUT', 'OUTPUT', 'CHARGE'], cells));
  const left = report.group_count - report.groups.length;
  if (left > 0) say(`${left} more groups are in the sum only.`);
  return 0;
}

/** Rows of one request while following. */
const FOLLOWED = 100;
/** Known rows, after which only those of the newest page are remembered. */
const MOST_SEEN = 10_000;

export async function logsCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli logs',
    about:
      'The newest calls, refused ones too, the newest last. With --follow it prints those to come until it is ended.',
    options: {
      ...hubOptions,
      limit: whole('<number>', 'rows, up to 100; default: 20', 20, 1),
      model: text('<name>', 'only calls of a model, or of a prefix such as gpt-4*', ''),
      failed: flag('only failed and refused calls'),
      follow: flag('go on with new calls'),
      every: whole('<seconds>', 'time between two requests of --follow; default: 2', 2, 1),
      own,
      json: flag('print a JSON object per line'),
    },
  });
  const hub = connect(given);
  const isWide = sees(await hub.call(userApi.self), given.own);
  const money = await moneyOf(hub);
  const print = (rows: readonly Log[]) => {
    for (const row of rows.toReversed()) say(given.json ? JSON.stringify(row) : lineOf(row, money, isWide));
  };
  const pageOf = (size: number, after = '') =>
    hub.call(isWide ? logApi.list : logApi.ownList, {
      query: { size, after, refused: 1, model_name: given.model, failed: given.failed ? 1 : 0 },
    });
  if (given.limit > FOLLOWED) throw new CliError(`--limit takes up to ${FOLLOWED}.`);
  // Older rows are known too, so that none of them passes for a new one.
  const first = await pageOf(given.follow ? FOLLOWED : given.limit);
  print(first.data.slice(0, given.limit));
  if (!given.follow) return 0;
  // A closed pipe, as after `| head`, ends it.
  process.stdout.on('error', () => process.exit(0));
  const seen = new Set(first.data.map(idOf));
  for (;;) {
    await wait(given.every * 1000);
    print(await newRows(pageOf, seen));
  }
}

const idOf = ({ type, id, created_at, request_id }: Log): string => `${type} ${id} ${created_at} ${request_id}`;

/** Rows that were not there before, the newest first; reads further pages until it meets a known one. */
async function newRows(
  pageOf: (size: number, after: string) => Promise<{ data: Log[]; next: string }>,
  seen: Set<string>,
): Promise<Log[]> {
  const rows: Log[] = [];
  const isFirst = seen.size === 0;
  let newest: Log[] = [];
  for (let after = ''; ;) {
    const { data, next } = await pageOf(FOLLOWED, after);
    const fresh = data.filter((row) => !seen.has(idOf(row)));
    if (after === '') newest = data;
    rows.push(...fresh);
    if (fresh.length < data.length || next === '' || isFirst) break;
    after = next;
  }
  if (seen.size > MOST_SEEN) seen.clear();
  for (const row of [...newest, ...rows]) seen.add(idOf(row));
  return rows;
}

function lineOf(row: Log, money: (credits: number) => string, isWide: boolean): string {
  const isRefused = row.type === logType.refused;
  const cells = [
    timeText(row.created_at),
    ...(isWide ? [row.username] : []),
    row.token_name,
    row.model_name,
    isRefused
      ? `refused: ${row.metadata?.refusal?.reason ?? row.content}`
      : `${row.prompt_tokens}+${row.completion_tokens}`,
    money(row.quota),
    ...(isWide && row.channel ? [row.channel.name] : []),
    `${row.request_time} ms`,
    row.request_id,
  ];
  return cells.map((cell) => plain(cell)).join('  ');
}
