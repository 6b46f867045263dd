import type { Inviter, ListQuery, Page } from '@relay-hub/contract';
import { sql } from 'kysely';
import { startsWith } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { pageOfRows } from '#http/list.ts';
import { isId } from './user-record.ts';

const DAY_S = 86_400;
/** Invited accounts from one address from which an inviter is suspicious. */
const SAME_ADDRESS = 2;
/** Invited accounts of one day from which an inviter is suspicious. */
const SAME_DAY = 5;

export interface InviterQuery extends ListQuery {
  keyword: string;
  suspicious: number;
}

/** A page of the accounts that invited others. */
export async function listInviters(db: Db, { keyword, suspicious, ...paging }: InviterQuery): Promise<Page<Inviter>> {
  let found = db.selectFrom(inviters(db).as('inviter')).selectAll();
  if (suspicious !== 0)
    found = found.where((eb) => eb.or([eb('same_address', '>=', SAME_ADDRESS), eb('same_day', '>=', SAME_DAY)]));
  if (keyword !== '')
    found = found.where((eb) =>
      eb.or([
        startsWith('username', keyword),
        startsWith('display_name', keyword),
        ...(isId(keyword) ? [eb('id', '=', Number(keyword))] : []),
      ]),
    );
  const page = await pageOfRows(found, paging);
  return { ...page, data: page.data.map((row) => ({ ...row, suspicious: reasonsOf(row) })) };
}

function reasonsOf({ same_address, same_day }: Pick<Inviter, 'same_address' | 'same_day'>): Inviter['suspicious'] {
  const reasons: Inviter['suspicious'] = [];
  if (same_address >= SAME_ADDRESS) reasons.push('same_address');
  if (same_day >= SAME_DAY) reasons.push('same_day');
  return reasons;
}

const inviters = (db: Db) =>
  db
    .selectFrom(counts(db).as('counts'))
    .innerJoin('users', 'users.id', 'counts.inviter_id')
    .innerJoin(days(db).as('days'), 'days.inviter_id', 'counts.inviter_id')
    .leftJoin(addresses(db).as('addresses'), 'addresses.inviter_id', 'counts.inviter_id')
    .leftJoin(rewards(db).as('rewards'), 'rewards.user_id', 'counts.inviter_id')
    .where('users.deleted_time', 'is', null)
    .select(['users.id', 'users.username', 'users.display_name', 'users.avatar_url', 'users.role', 'users.status'])
    .select(['counts.invited', 'counts.last_time', 'days.same_day'])
    .select(({ fn, lit }) => [
      fn.coalesce('addresses.same_address', lit(0)).as('same_address'),
      fn.coalesce('rewards.rewarded', lit(0)).as('rewarded'),
      fn.coalesce('rewards.earned', lit(0)).as('earned'),
    ]);

const invited = (db: Db) => db.selectFrom('users').where('inviter_id', 'is not', null);

const counts = (db: Db) =>
  invited(db)
    .groupBy('inviter_id')
    .select(({ fn }) => [
      'inviter_id',
      fn.countAll<number>().as('invited'),
      fn.max<number>('created_time').as('last_time'),
    ]);

function days(db: Db) {
  const day = sql<number>`created_time / ${sql.lit(DAY_S)}`;
  const perDay = invited(db)
    .groupBy(['inviter_id', day])
    .select(({ fn }) => ['inviter_id', fn.countAll<number>().as('count')]);
  return db
    .selectFrom(perDay.as('per_day'))
    .groupBy('inviter_id')
    .select(({ fn }) => ['inviter_id', fn.max<number>('count').as('same_day')]);
}

function addresses(db: Db) {
  const perAddress = invited(db)
    .where('register_ip', '<>', '')
    .groupBy(['inviter_id', 'register_ip'])
    .select(({ fn }) => ['inviter_id', 'register_ip', fn.countAll<number>().as('count')]);
  return db
    .selectFrom(perAddress.as('per_address'))
    .innerJoin('users as owner', 'owner.id', 'per_address.inviter_id')
    .where((eb) => eb.or([eb('count', '>', 1), eb('per_address.register_ip', '=', eb.ref('owner.register_ip'))]))
    .groupBy('per_address.inviter_id')
    .select(({ fn }) => ['per_address.inviter_id', fn.sum<number>('count').as('same_address')]);
}

const rewards = (db: Db) =>
  db
    .selectFrom('ledger')
    // A literal, so that SQLite uses the index of rewards.
    .where(sql<boolean>`kind = 'reward'`)
    // The reward for having been invited oneself.
    .where('reference', 'not like', 'invited:%')
    .groupBy('user_id')
    .select(({ fn }) => [
      'user_id',
      fn.countAll<number>().filterWhere('reference', 'like', 'inviter:%').as('rewarded'),
      fn.sum<number>('credits').as('earned'),
    ]);
