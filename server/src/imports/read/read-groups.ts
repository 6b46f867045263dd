import { isObject, parseJson } from '#json.ts';
import { DEFAULT_API_RATE, DEFAULT_RATIO, newUserGroup } from '@relay-hub/contract';
import { flagIn, lineIn, listIn, storableText, textIn } from '../old-row.ts';
import { allRows, type ArrivingGroup, type OldWorld } from './old-world.ts';

type GroupSources = Pick<OldWorld, 'database' | 'options' | 'report' | 'program' | 'has'>;

/** The groups by their old name; also those that only users, tokens or channels name. */
export async function readGroups(sources: GroupSources): Promise<Map<string, ArrivingGroup>> {
  const { database, report, has } = sources;
  const groups = new Map<string, ArrivingGroup>();
  const symbols = new Set<string>();
  const add = (oldName: string, group: Omit<ArrivingGroup, 'symbol'>): void => {
    const symbol = symbolFor(oldName, symbols);
    if (symbol !== oldName) report.remark('group_name', `${oldName} → ${symbol}`);
    const { name, ...terms } = { ...group, name: storableText(group.name, 50).trim() || symbol };
    const { error } = newUserGroup.safeParse({ symbol, name, ...terms });
    if (!error) return void groups.set(oldName, { ...terms, name, symbol });
    const field = String(error.issues[0]?.path[0]);
    report.remark(
      'lost',
      `group ${oldName}: its ${field} is not valid here; it is disabled, with ratio ${DEFAULT_RATIO}`,
    );
    const safe = { ratio: DEFAULT_RATIO, api_rate: DEFAULT_API_RATE, public: false, enable: false };
    groups.set(oldName, { ...safe, name: symbol, symbol });
  };
  if (has('user_groups'))
    for (const row of await allRows(database, 'user_groups'))
      add(textIn(row, 'symbol'), {
        name: lineIn(row, 'name', 50),
        ratio: Number(textIn(row, 'ratio')),
        api_rate: Math.trunc(Number(textIn(row, 'api_rate'))),
        public: flagIn(row, 'public'),
        enable: flagIn(row, 'enable'),
      });
  else for (const [name, group] of groupsOfOptions(sources)) add(name, group);
  for (const name of await namedGroups(sources))
    if (!groups.has(name)) {
      report.remark('group_made', name);
      add(name, { name: name.slice(0, 50), ratio: 1, api_rate: DEFAULT_API_RATE, public: false, enable: true });
    }
  return groups;
}

/** The groups of one-api and new-api are keys of settings. */
function groupsOfOptions({ options, program }: GroupSources): [string, Omit<ArrivingGroup, 'symbol'>][] {
  const ratios = mapIn(options.get('GroupRatio')) ?? { default: 1, vip: 1, svip: 1 };
  const open = mapIn(options.get('UserUsableGroups')) ?? { default: '默认分组', vip: 'vip分组' };
  const isOpen = (name: string): boolean => (program === 'new-api' ? name in open : name === 'default');
  return Object.entries(ratios).map(([name, ratio]) => [
    name,
    {
      name: (program === 'new-api' && typeof open[name] === 'string' ? open[name] : name).slice(0, 50) || name,
      ratio: typeof ratio === 'number' && ratio >= 0 ? ratio : 1,
      api_rate: rateOf(options, name),
      public: isOpen(name),
      enable: true,
    },
  ]);
}

/** The limit of new-api in requests per minute. */
function rateOf(options: ReadonlyMap<string, string>, group: string): number {
  if (options.get('ModelRequestRateLimitEnabled') !== 'true') return DEFAULT_API_RATE;
  const own = mapIn(options.get('ModelRequestRateLimitGroup'))?.[group];
  const count = Array.isArray(own) ? Number(own[0]) : Number(options.get('ModelRequestRateLimitCount') ?? 0);
  const minutes = Number(options.get('ModelRequestRateLimitDurationMinutes') ?? 1) || 1;
  return count > 0 ? Math.max(1, Math.floor(count / minutes)) : DEFAULT_API_RATE;
}

async function namedGroups({ database }: GroupSources): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const row of database.rows('users')) names.add(textIn(row, 'group') || 'default');
  for await (const row of database.rows('channels')) for (const name of listIn(row, 'group')) names.add(name);
  for await (const row of database.rows('tokens')) names.add(textIn(row, 'group'));
  // Not names: the owner's group, and "try several".
  names.delete('');
  names.delete('auto');
  return names;
}

/** A symbol of letters, digits, `_` and `-` that no other group has. */
function symbolFor(name: string, taken: Set<string>): string {
  const valid = /^(?!__proto__$)[A-Za-z0-9_-]{1,50}$/;
  let symbol = valid.test(name) ? name : name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, '');
  if (!valid.test(symbol)) symbol = 'group';
  symbol = symbol.slice(0, 46);
  if (valid.test(name)) symbol = name;
  const stem = symbol;
  for (let n = 2; taken.has(symbol); n++) symbol = `${stem}-${n}`;
  taken.add(symbol);
  return symbol;
}

export function mapIn(text: string | undefined): Record<string, unknown> | undefined {
  const parsed = text === undefined ? undefined : parseJson(text);
  return isObject(parsed) ? parsed : undefined;
}
