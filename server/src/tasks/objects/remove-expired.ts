import { expiredObjects, type ExpiredObject, forgetObject } from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import { askVendor, vendorCall } from '#tasks/ask-vendor.ts';

const LIMITS = { timeoutMs: 5_000, maxBytes: 64 * 1024 };

const paths: Partial<Record<ExpiredObject['kind'], string>> = {
  vector_store: '/v1/vector_stores',
  container: '/v1/containers',
};

/**
 * Deletes objects at their providers when their paid time is over, until `isOver`. One that cannot be deleted is tried
 * again in the next round.
 */
export async function removeExpiredObjects(deps: Deps, isOver: () => boolean = () => false): Promise<void> {
  for (const object of await expiredObjects(deps.db, deps.now())) {
    if (isOver()) return;
    const { id, kind, userId, channelId, keyId } = object;
    try {
      if (await remove(deps, object)) await forgetObject(deps.db, userId, id);
    } catch (error) {
      deps.log.warn({ err: error, kind, object: id, channel: channelId, key: keyId }, 'an object was not deleted');
    }
  }
}

/** False: its channel cannot be used at the moment. */
async function remove(deps: Deps, { kind, id, channelId, keyId }: ExpiredObject): Promise<boolean> {
  const channel = deps.live.routes.channel(channelId);
  const key = channel?.keys.find((one) => one.id === keyId);
  const path = paths[kind];
  if (!channel || !key || path === undefined) return false;
  const access = { channel, key, model: '' };
  const headers = { 'openai-beta': 'assistants=v2' };
  const call = await vendorCall(deps, access);
  const request = { method: 'DELETE' as const, path: `${path}/${encodeURIComponent(id)}`, headers };
  const { status } = await askVendor(deps, access, call, request, LIMITS);
  // It may have expired or been deleted there before.
  if ((status >= 200 && status < 300) || status === 404) return true;
  throw new Error(`the provider answered ${status}`);
}
