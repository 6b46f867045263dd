import { isDeepStrictEqual } from 'node:util';
import type { Token, tokenEdit, TokenLimits } from '@relay-hub/contract';
import { givenKey, isAdmin, noLimits, tokenApi, tokenStatus, withFamilyLimits } from '@relay-hub/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { ownRowsOf } from '#http/session/acting.ts';
import { personOf, type Viewer } from '#http/session/session.ts';
import { checkedLimits } from './token-limits.ts';
import { onceForKey } from './repeated-request.ts';
import { endOfOldKey, revokeOldKey, rotateKey } from './rotate-key.ts';
import { holdNewOwner } from './token-admin-queries.ts';
import * as tokens from './token-queries.ts';

/** Whether a status sent with other fields is that of the record as it was read, perhaps before it changed by itself. */
const wasRead = (sent: number | undefined, current: number): boolean =>
  sent === current ||
  (sent ?? 0) > tokenStatus.disabled ||
  (sent === tokenStatus.enabled && current > tokenStatus.disabled);

/** A request for `onceForKey`: the keys of two members of a team are apart, and so are two accounts of one person. */
const repeatable = (viewer: Viewer, { headers }: FastifyRequest, reply: FastifyReply, asks: unknown[]) => ({
  userId: personOf(viewer),
  headers,
  reply,
  asks: viewer.member ? [...asks, viewer.id] : asks,
});

/** Throws `token.expiry_past` for an expiry that would end the key at once. */
function checkExpiry(expiry: number | undefined, now: number): void {
  ensure(expiry === undefined || expiry === -1 || expiry > now, 'token.expiry_past', { field: 'expired_time' });
}

export function tokenRoutes(app: FastifyInstance, deps: Deps): void {
  const { book, db, secrets, live, now } = deps;
  const { keyUses } = live;

  /** A token's new group must be public or the owner's own. Empty follows the owner. */
  const checkGroup = (symbol: string | undefined, owner: Pick<Viewer, 'group'>, before = ''): void => {
    if (symbol === undefined || symbol === '' || symbol === before) return;
    const group = live.groups.get(symbol);
    ensure(group, 'group.unknown', { field: 'group', name: symbol });
    ensure(group.public || symbol === owner.group, 'group.forbidden', { field: 'group', name: symbol });
  };

  /** The limits after a change, whether by our field or the family's; undefined: not changed. */
  const limitsAfter = (
    change: Omit<z.output<typeof tokenEdit>, 'id'>,
    before: Token,
    viewer: Viewer,
  ): TokenLimits | undefined => {
    const after = withFamilyLimits(change.limits ?? before.limits, change, before.limits);
    if (isDeepStrictEqual(after, before.limits)) return undefined;
    return checkedLimits(after, live.groups.get(viewer.group)?.token_limits);
  };

  serve(app, deps, tokenApi.list, async ({ query }, { viewer }) => {
    await keyUses.flush();
    return tokens.listTokens(db, viewer.id, { ...query, member_id: ownRowsOf(viewer) ?? query.member_id }, now());
  });
  serve(app, deps, tokenApi.tags, (_, { viewer }) => tokens.listTags(db, viewer.id, ownRowsOf(viewer)));
  serve(app, deps, tokenApi.get, async ({ params }, { viewer }) => {
    await keyUses.flush();
    await tokens.checkHolder(db, viewer, params.id);
    return tokens.getToken(db, viewer.id, params.id, now());
  });

  serve(app, deps, tokenApi.create, async ({ body }, { viewer, reply, request }) => {
    const { user_id: ownerId = viewer.id, ...wanted } = body;
    ensure(ownerId === viewer.id || isAdmin(viewer.role), 'session.role', { field: 'user_id' });
    const about = repeatable(viewer, request, reply, [tokenApi.create.path, body]);
    return onceForKey(deps, about, async (trx) => {
      const owner = ownerId === viewer.id ? viewer : await holdNewOwner(trx, viewer, ownerId);
      checkGroup(body.group, owner);
      checkExpiry(body.expired_time, now());
      // Of other users it is ignored: they could choose a key that others can guess, or probe for the keys of others.
      const key = isAdmin(viewer.role) ? body.key.replace(/^sk-/, '') : '';
      ensure(key === '' || givenKey.test(key), 'token.key_form', { field: 'key' });
      const group = live.groups.get(owner.group)?.token_limits;
      const limits = withFamilyLimits(body.limits ?? group?.defaults ?? noLimits, body, noLimits);
      const input = { ...wanted, key, limits: checkedLimits(limits, group) };
      return tokens.createToken({ db: trx, secrets, now }, owner, input);
    });
  });

  serve(app, deps, tokenApi.rotate, async ({ params: { id }, body }, { viewer, reply, request }) => {
    await keyUses.flush();
    await tokens.checkHolder(db, viewer, id, 'key');
    const about = repeatable(viewer, request, reply, [tokenApi.rotate.path, id, body]);
    const rotated = await onceForKey(deps, about, (trx) => {
      const time = now();
      return rotateKey(trx, secrets, { userId: viewer.id, id, until: endOfOldKey(body, time), now: time });
    });
    await live.usersChanged(viewer.id);
    return rotated;
  });

  serve(app, deps, tokenApi.revokeOldKey, async ({ params }, { viewer }) => {
    await tokens.checkHolder(db, viewer, params.id);
    const token = await revokeOldKey(db, viewer.id, params.id, now());
    await live.usersChanged(viewer.id);
    return token;
  });

  serve(app, deps, tokenApi.reveal, async ({ params }, { viewer }) => {
    await tokens.checkHolder(db, viewer, params.id, 'key');
    return { key: await tokens.revealKey(db, secrets, viewer.id, params.id) };
  });

  serve(app, deps, tokenApi.playground, async (_, { viewer, request: { method, url } }) => {
    ensure(live.settings.FamilyMode, 'route.off', { method, path: url.split('?')[0] });
    return tokens.playgroundKey(deps, viewer);
  });

  serve(app, deps, tokenApi.update, async ({ query, body }, { viewer, ignored }) => {
    const { id, status: sent, ...rest } = body;
    await tokens.checkHolder(db, viewer, id);
    const before = await tokens.getToken(db, viewer.id, id, now());
    const statusOnly = query.status_only !== '';
    const isRead = Object.keys(rest).length > 0 && wasRead(sent, before.status);
    const status = !statusOnly && (live.settings.FamilyMode || isRead) ? undefined : sent;
    ensure(status === undefined || status === 1 || status === 2, 'token.status', { field: 'status' });
    const changes = statusOnly ? { status } : { ...rest, status, limits: limitsAfter(rest, before, viewer) };
    if (statusOnly) for (const field of Object.keys(rest)) ignored(field);
    if ('group' in changes) checkGroup(changes.group, viewer, before.group);
    // A record that is written back keeps its expiry.
    if (!statusOnly && rest.expired_time !== before.expired_time) checkExpiry(rest.expired_time, now());
    // Returns idle leases first, so that a smaller quota applies at once.
    if ('remain_quota' in changes) await book.recall(viewer.id, id);
    const updated = await tokens.updateToken(db, { userId: viewer.id, id }, changes, now());
    if (!statusOnly) tokens.tellIgnoredQuota(body, updated, ignored);
    if (sent !== undefined && sent !== updated.status) ignored('status');
    await live.usersChanged(viewer.id);
    return updated;
  });

  serve(app, deps, tokenApi.remove, async ({ params }, { viewer }) => {
    await tokens.checkHolder(db, viewer, params.id);
    await tokens.removeToken(db, viewer.id, params.id, now());
    await live.usersChanged(viewer.id);
  });
}
