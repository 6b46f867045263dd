import { type Language, ledgerApi, type ParsedOf, statementApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { userNamed } from '#features/account/user/user-named.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { clientIp } from '#http/client-ip.ts';
import { csv } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { correctQuota } from './correct-quota.ts';
import { ledgerCsv } from './ledger-csv.ts';
import { allEntries, listEntries } from './ledger-queries.ts';
import { totalsOf } from './ledger-totals.ts';
import { statementCsv, statementLines } from './statement-csv.ts';
import { familyMonth, familyMonths, statementOf } from './statement.ts';

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

/** Statements of months, computed when they are read: the ledger does not change. */
export function statementRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  type MonthQuery = ParsedOf<typeof statementApi.own>['query'];
  const read = (userId: number, { month, time_zone: zone }: MonthQuery) =>
    statementOf(db, userId, { month, clock: clockOf(zone), now: now() });
  const readOf = async (query: ParsedOf<typeof statementApi.get>['query']) => {
    const userId = await userOf(db, query);
    if (userId === undefined) throw new AppError('user.needed', { field: 'user_id' });
    ensure(userId !== 0, 'record.not_found', { field: 'username' });
    return read(userId, query);
  };
  const fileOf = (statement: Awaited<ReturnType<typeof read>>, language: Language) => ({
    name: `statement ${statement.username} ${statement.month}.csv`,
    pieces: csv(statementCsv(language), statementLines(statement, language)),
  });

  serve(app, deps, statementApi.own, ({ query }, { viewer }) => read(viewer.id, query));
  serveFile(app, deps, statementApi.ownDownload, async ({ query }, { viewer, language }) =>
    fileOf(await read(viewer.id, query), language),
  );
  serve(app, deps, statementApi.get, ({ query }) => readOf(query));
  serveFile(app, deps, statementApi.download, async ({ query }, { language }) => fileOf(await readOf(query), language));
  serve(app, deps, statementApi.familyMonths, async ({ query: { page, size } }, { viewer }) => {
    const months = await familyMonths(db, viewer.id, clockOf(''), now());
    return { data: months.slice((page - 1) * size, page * size), page, size, total_count: months.length };
  });
  serve(app, deps, statementApi.familyMonth, ({ query: { date } }, { viewer }) =>
    familyMonth(db, viewer.id, { month: date.slice(0, 7), clock: clockOf(''), now: now() }),
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
