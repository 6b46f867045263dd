import { announcementApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { acceptBytes } from '#http/json-body.ts';
import { replyLanguage } from '#http/reply-language.ts';
import { serve } from '#http/serve.ts';
import { subscriberOf } from '#mail/unsubscribe.ts';
import * as announcements from './announcement-queries.ts';

/** Mail programs send a few bytes of a form. */
const BODY_LIMIT = 16 * 1024;

export async function announcementRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const { db, live, now, config, mailer } = deps;

  serve(app, deps, announcementApi.list, ({ query }) => announcements.listAnnouncements(db, query));
  serve(app, deps, announcementApi.current, async (_, { viewer, request }) => {
    const reader = { group: viewer?.group, language: replyLanguage(request), fallback: live.settings.Language };
    return live.announcements.currentFor(reader, now());
  });
  serve(app, deps, announcementApi.get, ({ params }) => announcements.getAnnouncement(db, params.id));
  serve(app, deps, announcementApi.create, async ({ body }, { viewer }) => {
    const isMailable = mailer.isSetUp() && live.settings.ServerAddress !== '';
    ensure(!body.mail || isMailable, 'announcement.mail', { field: 'mail' });
    const made = announcements.createAnnouncement(db, body, { username: viewer.username, now: now() });
    return live.inForce('announcements', made);
  });
  serve(app, deps, announcementApi.update, ({ body }) =>
    live.inForce('announcements', announcements.updateAnnouncement(db, body, now())),
  );
  serve(app, deps, announcementApi.remove, ({ params }) =>
    live.inForce('announcements', announcements.removeAnnouncement(db, params.id)),
  );
  await app.register(async (scope) => {
    acceptBytes(scope, deps.bodies, BODY_LIMIT);
    serve(scope, deps, announcementApi.unsubscribe, async ({ params: { token } }) => {
      const id = subscriberOf(config.secretKey, token);
      ensure(id !== undefined, 'announcement.token');
      await db.updateTable('users').set({ announcement_mails: false }).where('id', '=', id).execute();
    });
  });
}
