import { channelStatus, splitList, tokenLimits, tokenStatus, type UserGroup } from '@relay-hub/contract';
import type { ArrivingChannel } from '#imports/read/read-channels.ts';
import type { ArrivingToken } from '#imports/read/read-tokens.ts';
import type { ImportRun } from './record-rules.ts';

/** A key that answers at the old side. */
export type WorkingKey = Pick<ArrivingToken, 'oldId' | 'name' | 'owner' | 'group' | 'restriction'>;

type Matches = (model: string) => boolean;

/** Whether a name is one of these, or begins as one that ends with a star. */
export function matching(names: readonly string[]): Matches {
  const known = new Set(names);
  const prefixes = [...known].filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => known.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Notes a key that works there: enabled, not expired, of an enabled user. */
export function noteKey(run: ImportRun, keys: WorkingKey[], token: ArrivingToken): void {
  const { oldId, name, owner, group, restriction, status, expired_time: expires } = token;
  const isOver = expires !== -1 && expires <= run.now;
  if (status !== tokenStatus.enabled || isOver || !run.owners.get(owner)?.enabled) return;
  keys.push({ oldId, name, owner, group, restriction });
}

/** Models by user group that enabled channels serve after the import. */
export class ServedModels {
  /** Of channels that a dry run would add. */
  readonly #arriving: Pick<ArrivingChannel, 'group' | 'models'>[] = [];

  note({ apply, ids }: ImportRun, { oldId, status, keys, group, models }: ArrivingChannel): void {
    const isOn = status === channelStatus.enabled && keys.some((key) => key.status === channelStatus.enabled);
    if (!apply && isOn && !((ids.channel.get(oldId) ?? 0) > 0)) this.#arriving.push({ group, models });
  }

  async byGroup({ db }: ImportRun): Promise<Map<string, string[]>> {
    const here = await db
      .selectFrom('channels')
      .where('status', '=', channelStatus.enabled)
      .where('deleted_time', 'is', null)
      .select(['group', 'models'])
      .execute();
    const found = new Map<string, string[]>();
    for (const { group, models } of [...here, ...this.#arriving])
      for (const each of splitList(group)) found.set(each, [...(found.get(each) ?? []), ...splitList(models)]);
    return found;
  }
}

interface Here {
  served: ServedModels;
  isPriced: Matches;
  groups: ReadonlyMap<string, Pick<UserGroup, 'public'>>;
}

/** Lists the keys that work there and will be refused here, each with the reason. */
export async function remarkStopped(run: ImportRun, keys: readonly WorkingKey[], here: Here): Promise<void> {
  const models = await here.served.byGroup(run);
  const hasDefault = await run.db
    .selectFrom('options')
    .where('key', '=', 'DefaultPrice')
    .select('value')
    .executeTakeFirst();
  const isPriced: Matches = hasDefault?.value ? () => true : here.isPriced;
  const answers = new Map<string, (restricted: readonly string[]) => string>();
  for (const key of keys) {
    const owner = run.owners.get(key.owner);
    if (!owner) continue;
    const group = key.group || owner.group;
    const answer = answers.get(group) ?? answerOf(group, models.get(group) ?? [], isPriced);
    answers.set(group, answer);
    const why = ownReason(run, key, here.groups) || answer(key.restriction?.models ?? []);
    if (why !== '') run.report.remark('key_stops', `token ${key.oldId} (${key.name}): ${why}`);
  }
}

function ownReason(run: ImportRun, { owner, group, restriction }: WorkingKey, groups: Here['groups']): string {
  const { privileged = false, lost = true, group: own } = run.owners.get(owner) ?? {};
  if (lost) return 'its owner does not come';
  if (run.ids.user.get(owner) === undefined)
    return privileged ? 'its owner is an administrator, who does not come' : 'its owner does not come';
  if (restriction && !tokenLimits.safeParse(restriction).success) return 'its restriction is not valid here';
  return group !== '' && group !== own && !groups.get(group)?.public ? `the group ${group} is private` : '';
}

/** Why keys of a group get no answer; empty: they get one. */
function answerOf(
  group: string,
  served: readonly string[],
  isPriced: Matches,
): (restricted: readonly string[]) => string {
  const isServed = matching(served);
  const isAnswered = served.some((model) => model.endsWith('*') || isPriced(model));
  return (restricted) => {
    if (served.length === 0) return `no channel serves the group ${group}`;
    if (restricted.length === 0) return isAnswered ? '' : `no model of the group ${group} has a price`;
    const open = restricted.filter((model) => model.endsWith('*') || isServed(model));
    if (open.length === 0) return `no channel of the group ${group} serves its models`;
    return open.some((model) => model.endsWith('*') || isPriced(model)) ? '' : 'none of its models has a price';
  };
}
