import { notificationApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { listNotifications, markRead, unreadCount } from './notification-queries.ts';

export function notificationRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;
  serve(app, deps, notificationApi.list, async (_, { viewer }) => {
    const data = await listNotifications(db, viewer);
    return { data, unread: await unreadCount(db, viewer) };
  });
  serve(app, deps, notificationApi.read, async ({ body }, { viewer }) => {
    await markRead(db, viewer, body.ids);
    return { unread: await unreadCount(db, viewer) };
  });
}
