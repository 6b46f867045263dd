import { modelKey, type ServedFacts, type ServiceMode } from '@relay-hub/contract';
import { sql } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';

const MOST_CALLS = 10_000;
const MOST_LISTED = 20;

interface Group {
  model: string;
  sent: string | null;
  reported: string | null;
  asked: string | null;
  served: string | null;
  fingerprint: string | null;
  source: string | null;
  mark: string | null;
  calls: number;
  first_time: number;
  last_time: number;
  last_id: number;
}
type Counted = Pick<Group, 'calls' | 'first_time' | 'last_time' | 'last_id'>;

/** Counts what a channel reported of its newest answered calls since a time, by model. */
export async function servedFacts(db: Db, channelId: number, from: number): Promise<ServedFacts> {
  const member = (path: string) => {
    const names = path.split('.');
    return isPostgres(db)
      ? sql`metadata #>> ${sql.lit(`{${names.join(',')}}`)}`
      : sql`json_extract(metadata, ${sql.lit(`$.${path}`)})`;
  };
  const { rows } = await sql<Group>`
    select model, sent, reported, asked, served, fingerprint, source, mark, count(*) as calls,
      min(created_at) as first_time, max(created_at) as last_time, max(id) as last_id
    from (
      select id, created_at, model_name as model, ${member('upstream_model')} as sent,
        ${member('served.model')} as reported, ${member('served.asked')} as asked, ${member('served.modes')} as served,
        ${member('served.fingerprint')} as fingerprint, ${member('usage_source')} as source, ${member('usage_mark')} as mark
      from logs where channel_id = ${channelId} and created_at >= ${from} and type = 2 and not failed
      order by created_at desc, id desc limit ${MOST_CALLS}
    ) l
    group by model, sent, reported, asked, served, fingerprint, source, mark`.execute(db);
  const models = [...Map.groupBy(rows, ({ model, sent }) => JSON.stringify([model, sent])).values()].map((groups) => {
    const { model, sent } = groups[0] ?? { model: '', sent: null };
    const asked = sent ?? model;
    return {
      model,
      sent: asked,
      calls: callsOf(groups),
      reported: countedBy(groups, 'reported').map(([reported, counts]) => ({
        model: reported,
        alike: isAlike(asked, reported),
        ...counts,
      })),
      tiers: countedBy(groups, 'asked', ({ asked: wanted, served }) =>
        wanted === null ? null : JSON.stringify([wanted, served]),
      ).map(([both, counts]) => {
        const [wanted, served] = JSON.parse(both) as [string, string | null]; // as above
        return { asked: modesIn(wanted), served: modesIn(served), ...counts };
      }),
      fingerprints: countedBy(groups, 'fingerprint')
        .map(([fingerprint, counts]) => ({ fingerprint, ...counts }))
        .toSorted((a, b) => a.first_time - b.first_time),
      usage: countedBy(groups, 'mark', ({ mark, source }) => mark ?? (source === 'estimate' ? 'none' : null)).map(
        ([kind, counts]) => ({ kind: kind as 'none' | 'unusual' | 'implausible', ...counts }), // as the log has them
      ),
    };
  });
  return { calls: callsOf(rows), from, models: models.toSorted((a, b) => b.calls - a.calls) };
}

const callsOf = (groups: readonly Group[]): number => groups.reduce((sum, { calls }) => sum + calls, 0);

/** Sums of groups by a value; those without it are left out. The most frequent come first. */
function countedBy(
  groups: readonly Group[],
  name: keyof Group,
  valueOf: (group: Group) => string | null = (group) => (group[name] === null ? null : String(group[name])),
): [string, Counted][] {
  const sums = new Map<string, Counted>();
  for (const group of groups) {
    const value = valueOf(group);
    if (value === null) continue;
    const { calls, first_time, last_time, last_id } = group;
    const known = sums.get(value);
    sums.set(
      value,
      known
        ? {
            calls: known.calls + calls,
            first_time: Math.min(known.first_time, first_time),
            last_time: Math.max(known.last_time, last_time),
            last_id: Math.max(known.last_id, last_id),
          }
        : { calls, first_time, last_time, last_id },
    );
  }
  return [...sums].toSorted(([, a], [, b]) => b.calls - a.calls).slice(0, MOST_LISTED);
}

/** Dated names of a model stand for it: `gpt-4o` and `gpt-4o-2024-11-20`. */
const isAlike = (sent: string, reported: string): boolean => modelKey(sent) === modelKey(reported);

const modesIn = (text: string | null): ServiceMode[] => (text === null ? [] : (JSON.parse(text) as ServiceMode[])); // as the log has them
