import { Buffer } from 'node:buffer';
import { isAdmin, type Language, type PublishableIncident, splitList, statusPageApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import { incidentText } from '#alarms/alarm-texts.ts';
import type { IncidentRow } from '#alarms/incidents.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { replyLanguage } from '#http/reply-language.ts';
import { bareData, serve, serveFile } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { atomFeed, jsonFeed } from './status-feeds.ts';
import { DAYS, StatusSums, statusReport } from './status-report.ts';

export function statusPageRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;
  const sums = new StatusSums(deps);
  const report = (viewer: Viewer | undefined, language: Language) => {
    checkReader(deps, viewer);
    return statusReport(deps, sums, { group: viewer?.group, language });
  };
  const site = () => ({ name: live.settings.SystemName, address: live.settings.ServerAddress });

  serve(app, deps, statusPageApi.get, (_, { viewer, request }) => report(viewer, replyLanguage(request)));
  serve(app, deps, statusPageApi.jsonFeed, async (_, { viewer, request, reply }) => {
    bareData(reply);
    return jsonFeed(await report(viewer, replyLanguage(request)), site());
  });
  serveFile(app, deps, statusPageApi.atomFeed, async (_, { viewer, language }) => ({
    name: 'status.atom',
    pieces: [Buffer.from(atomFeed(await report(viewer, language), site()))],
  }));
  serve(app, deps, statusPageApi.incidents, async (_, { request }) => {
    const rows = await db
      .selectFrom('incidents')
      .where(({ or, eb }) => or([eb('closed_at', '=', 0), eb('closed_at', '>', now() - DAYS * 86_400)]))
      .selectAll()
      .orderBy('began_at', 'desc')
      .limit(100)
      .execute();
    return rows.map((row) => publishable(row, replyLanguage(request)));
  });
  serve(app, deps, statusPageApi.publish, async ({ params: { id }, body: { words } }, { request }) => {
    const row = await db
      .updateTable('incidents')
      .set({ public_words: words })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    ensure(row, 'record.not_found', { field: 'id' });
    return publishable(row, replyLanguage(request));
  });
}

/** Throws `route.off` or `status.private` for a page that the viewer may not read. */
function checkReader({ live }: Deps, viewer: Viewer | undefined): void {
  const { StatusPageEnabled: isOn, StatusPageGroups: list } = live.settings;
  ensure(isOn, 'route.off');
  const groups = splitList(list);
  if (groups.length === 0) return;
  ensure(viewer && (isAdmin(viewer.role) || groups.includes(viewer.group)), 'status.private');
}

const publishable = (row: IncidentRow, language: Language): PublishableIncident => ({
  id: row.id,
  title: incidentText(row.kind, row.params, language).title,
  began_at: row.began_at,
  closed_at: row.closed_at,
  words: row.public_words,
});
