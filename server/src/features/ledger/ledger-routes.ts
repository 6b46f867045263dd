import { ledgerApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { userNamed } from '#features/account/user/user-named.ts';
import { clientIp } from '#http/client-ip.ts';
import { csv } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { correctQuota } from './correct-quota.ts';
import { ledgerCsv } from './ledger-csv.ts';
import { allEntries, listEntries } from './ledger-queries.ts';
import { totalsOf } from './ledger-totals.ts';

export function ledgerRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, config } = deps;

  serve(app, deps, ledgerApi.ownList, ({ query }, { viewer }) =>
    listEntries(db, { ...query, userId: viewer.id }, 'owner'),
  );
  serve(app, deps, ledgerApi.ownTotals, ({ query }, { viewer }) => totalsOf(db, viewer.id, query));
  serveFile(app, deps, ledgerApi.ownDownload, async ({ query }, { viewer, language }) => ({
    name: 'ledger.csv',
    pieces: csv(
      ledgerCsv(language, query.time_zone, 'owner'),
      allEntries(db, { ...query, userId: viewer.id }, 'owner'),
    ),
  }));

  serve(app, deps, ledgerApi.list, async ({ query }) =>
    listEntries(db, { ...query, userId: await userOf(db, query) }, 'administrator'),
  );
  serve(app, deps, ledgerApi.totals, async ({ query }) => {
    const userId = await userOf(db, query);
    if (userId === undefined) throw new AppError('user.needed', { field: 'user_id' });
    ensure(userId !== 0, 'record.not_found', { field: 'username' });
    return totalsOf(db, userId, query);
  });
  serveFile(app, deps, ledgerApi.download, async ({ query }, { language }) => ({
    name: query.username ? `ledger ${query.username}.csv` : 'ledger.csv',
    pieces: csv(
      ledgerCsv(language, query.time_zone, 'administrator'),
      allEntries(db, { ...query, userId: await userOf(db, query) }, 'administrator'),
    ),
  }));

  serve(app, deps, ledgerApi.correct, ({ params, body }, { viewer, request }) =>
    correctQuota(
      deps,
      { id: viewer.id, ip: clientIp(request.raw, config.trustedProxies) },
      { userId: params.id, credits: body.quota, remark: body.remark, reference: body.reference },
    ),
  );
}

/** The user id of a filter: undefined for all users, 0 for an unknown name. */
async function userOf(
  db: Db,
  { user_id: id, username }: { user_id: number; username: string },
): Promise<number | undefined> {
  if (username === '') return id === 0 ? undefined : id;
  return (await userNamed(db, username, id)) ?? 0;
}
